//! How the shared library is linked: its name and what it exports.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        // Programs record this name; `cargo xtask install` installs under it.
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,librecallite.so.0");
        // rustc's own version script exports the `no_mangle` functions of the
        // dependencies too, and GNU ld refuses a second script. Where dependencies
        // reach the linker as archives, in builds that do not optimise across
        // crates, this hides them. Those of hnsw_rs the core hides in every build;
        // a test compares what is left with the header.
        println!("cargo:rustc-cdylib-link-arg=-Wl,--exclude-libs,ALL");
    }
}
