//! Link settings of the addon: what `napi_build` needs on each platform.
//!
//! No export list is given here: for a `cdylib` rustc writes its own, with
//! nothing but `napi_register_module_v1` today, and GNU ld refuses a second one.
//! A test reads the symbols of the built addon, so that a dependency which
//! exports some is noticed.

fn main() {
    napi_build::setup();
}
