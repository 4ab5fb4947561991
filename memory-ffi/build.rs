//! How the shared library is linked: its name and what it exports.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // Programs record this name; `cargo xtask install` installs under it. It changes with each
    // version that may break them: before 1.0, with the minor number.
    let series = match (
        env!("CARGO_PKG_VERSION_MAJOR"),
        env!("CARGO_PKG_VERSION_MINOR"),
    ) {
        ("0", minor) => format!("0.{minor}"),
        (major, _) => major.to_owned(),
    };
    let system = std::env::var("CARGO_CFG_TARGET_OS");
    if system.as_deref() == Ok("macos") {
        let name = format!("@rpath/librecallite.{series}.dylib");
        println!("cargo:rustc-cdylib-link-arg=-Wl,-install_name,{name}");
    }
    if system.as_deref() == Ok("linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,librecallite.so.{series}");
        // rustc's own version script exports the `no_mangle` functions of the
        // dependencies too, and GNU ld refuses a second script. Where dependencies
        // reach the linker as archives, in builds that do not optimise across
        // crates, this hides them. Those of hnsw_rs the core hides in every build;
        // a test compares what is left with the header.
        println!("cargo:rustc-cdylib-link-arg=-Wl,--exclude-libs,ALL");
    }
}
