//! Link settings of the addon: what `napi_build` needs on each platform.
//!
//! No export list is given here: for a `cdylib` rustc writes its own, with
//! the `no_mangle` functions of all crates, and GNU ld refuses a second one. Those of
//! hnsw_rs the core hides (`index/vector/hnsw_symbols.rs`), and what is left is what
//! Node calls. A test reads the symbols of the built addon, so that a dependency which
//! exports some is noticed.

fn main() {
    napi_build::setup();
}
