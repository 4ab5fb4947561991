//! Installs the C and C++ library: headers, both libraries, pkg-config and CMake files; on Linux,
//! macOS and Windows.
//!
//! No installed file contains the prefix, so that the folder can be moved.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::shell::{
    Outcome, cargo, copy, output, program, root, run, shown, target, version, write,
};

/// The number in the shared library's SONAME, which `memory-ffi/build.rs` writes: that of the
/// versions that do not break programs, so before 1.0 with the minor one.
pub fn soname_number(version: &str) -> &str {
    let mut dots = version.match_indices('.').map(|(at, _)| at);
    let end = match version.starts_with("0.") {
        true => dots.nth(1),
        false => dots.next(),
    };
    &version[..end.unwrap_or(version.len())]
}

/// What to install, and where.
pub struct Options {
    /// The folder for `include` and `lib`.
    pub prefix: PathBuf,
    /// The cargo profile.
    pub profile: String,
    /// Features of memory-ffi, for example `fastembed`.
    pub features: Vec<String>,
}

/// `cargo xtask install --prefix DIR [--profile P] [--features F]`
pub fn command(arguments: &[&str]) -> Outcome {
    let mut options = Options {
        prefix: PathBuf::new(),
        profile: "release".into(),
        features: Vec::new(),
    };
    let mut rest = arguments.iter();
    while let Some(option) = rest.next() {
        let value = || format!("{option} needs a value");
        match *option {
            "--prefix" => options.prefix = rest.next().ok_or_else(value)?.into(),
            "--profile" => options.profile = (*rest.next().ok_or_else(value)?).into(),
            "--features" => {
                let features = rest.next().ok_or_else(value)?;
                options.features = features.split(',').map(str::to_owned).collect();
            }
            other => return Err(format!("install knows no {other}").into()),
        }
    }
    if options.prefix.as_os_str().is_empty() {
        return Err("install needs --prefix DIR".into());
    }
    // Relative to the user's working folder rather than to the workspace.
    options.prefix = std::path::absolute(&options.prefix)?;
    install(&options)?;
    println!("installed in {}", options.prefix.display());
    println!(
        "use it with: export PKG_CONFIG_PATH={}",
        options.prefix.join("lib/pkgconfig").display()
    );
    Ok(())
}

/// Builds and installs.
pub fn install(options: &Options) -> Outcome {
    let system_libraries = build(options)?;
    let built = target().join(match options.profile.as_str() {
        "dev" => "debug",
        other => other,
    });
    let version = version()?;
    let lib = options.prefix.join("lib");
    let include = options.prefix.join("include");
    for header in [
        "recallite.h",
        "recallite.hpp",
        "recallite_learn.hpp",
        "recallite_views.hpp",
        "recallite_areas.hpp",
        "recallite_options.hpp",
        "recallite_rules.hpp",
    ] {
        copy(&root().join("include").join(header), &include.join(header))?;
    }
    let libraries = match std::env::consts::OS {
        "linux" => on_linux(&built, &lib, &version)?,
        "macos" => on_macos(&built, &lib, &version)?,
        "windows" => on_windows(&built, &options.prefix)?,
        other => return Err(format!("install does not know {other}; build memory-ffi").into()),
    };
    write(
        &lib.join("pkgconfig/recallite.pc"),
        &pkg_config(&version, &system_libraries),
    )?;
    let cmake = lib.join("cmake/recallite");
    write(
        &cmake.join("recallite-config.cmake"),
        &cmake_config(&version, &libraries, &system_libraries),
    )?;
    write(
        &cmake.join("recallite-config-version.cmake"),
        &cmake_version(&version),
    )
}

/// Where CMake finds the libraries, below the prefix.
struct Libraries {
    shared: String,
    /// Properties of the shared library that only one system has.
    shared_has: String,
    fixed: &'static str,
}

fn on_linux(built: &Path, lib: &Path, version: &str) -> Outcome<Libraries> {
    let file = format!("librecallite.so.{version}");
    shared_library(&built.join("librecallite_ffi.so"), lib, &file)?;
    let soname = format!("librecallite.so.{}", soname_number(version));
    link(&file, &lib.join(&soname))?;
    link(&soname, &lib.join("librecallite.so"))?;
    static_library(
        &built.join("librecallite_ffi.a"),
        &lib.join("librecallite.a"),
    )?;
    Ok(Libraries {
        shared: format!("lib/{file}"),
        shared_has: format!("IMPORTED_SONAME \"{soname}\""),
        fixed: "lib/librecallite.a",
    })
}

fn on_macos(built: &Path, lib: &Path, version: &str) -> Outcome<Libraries> {
    let file = format!("librecallite.{version}.dylib");
    copy(&built.join("librecallite_ffi.dylib"), &lib.join(&file))?;
    let name = format!("librecallite.{}.dylib", soname_number(version));
    link(&file, &lib.join(&name))?;
    link(&name, &lib.join("librecallite.dylib"))?;
    copy(
        &built.join("librecallite_ffi.a"),
        &lib.join("librecallite.a"),
    )?;
    Ok(Libraries {
        shared: format!("lib/{file}"),
        shared_has: format!("IMPORTED_SONAME \"@rpath/{name}\""),
        fixed: "lib/librecallite.a",
    })
}

fn on_windows(built: &Path, prefix: &Path) -> Outcome<Libraries> {
    // The import library names the file that the linker wrote, so it keeps its name.
    for (from, to) in [
        ("recallite_ffi.dll", "bin/recallite_ffi.dll"),
        ("recallite_ffi.pdb", "bin/recallite_ffi.pdb"),
        ("recallite_ffi.dll.lib", "lib/recallite.lib"),
        ("recallite_ffi.lib", "lib/recallite_static.lib"),
    ] {
        copy(&built.join(from), &prefix.join(to))?;
    }
    Ok(Libraries {
        shared: "bin/recallite_ffi.dll".to_owned(),
        shared_has: "IMPORTED_IMPLIB \"${_recallite_prefix}/lib/recallite.lib\"".to_owned(),
        fixed: "lib/recallite_static.lib",
    })
}

/// Builds both libraries, and returns the system libraries that the static one needs.
fn build(options: &Options) -> Outcome<Vec<String>> {
    // Separate builds: if one crate has an rlib among its types, cargo does not optimise across
    // crates.
    build_one(options, "cdylib", &[])?;
    let text = build_one(
        options,
        "staticlib",
        &["--", "--print", "native-static-libs"],
    )?;
    let libraries = text
        .lines()
        .find_map(|line| line.split_once("native-static-libs:"))
        .ok_or("rustc did not say which system libraries it needs")?
        .1;
    Ok(system_libraries(libraries))
}

/// The libraries that rustc lists, each once, without the C library, which is linked in any case.
fn system_libraries(listed: &str) -> Vec<String> {
    let mut libraries: Vec<String> = Vec::new();
    let mut words = listed.split_whitespace();
    while let Some(word) = words.next() {
        let library = match word {
            "-framework" => format!("-framework {}", words.next().unwrap_or_default()),
            word => word.to_owned(),
        };
        // Options of Microsoft's linker name the C library.
        let is_c = library == "-lc" || library.starts_with('/');
        if !is_c && !libraries.contains(&library) {
            libraries.push(library);
        }
    }
    libraries
}

/// Builds one library, and returns cargo's output.
fn build_one(options: &Options, kind: &str, more: &[&str]) -> Outcome<String> {
    let mut command = cargo();
    command
        // Built once and installed, so a slow build is worth it: 7 % smaller than with the
        // profile's setting.
        .env("CARGO_PROFILE_RELEASE_LTO", "fat")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "1")
        .args(["rustc", "--package", "recallite-ffi", "--lib"])
        .args(["--crate-type", kind, "--profile", &options.profile])
        .args(["--features", &options.features.join(",")])
        .args(["--color", "never"])
        .args(more)
        .stdout(Stdio::inherit());
    eprintln!("$ {}", shown(&command));
    let done = command
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .output()?;
    let text = String::from_utf8_lossy(&done.stderr).into_owned();
    match done.status.success() {
        true => Ok(text),
        false => Err(format!("cargo could not build memory-ffi\n{text}").into()),
    }
}

fn link(to: &str, at: &Path) -> Outcome {
    if at.symlink_metadata().is_ok() {
        std::fs::remove_file(at)?;
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink(to, at)?;
    #[cfg(not(unix))]
    std::fs::copy(at.with_file_name(to), at)?;
    Ok(())
}

/// Installs the shared library without its symbols and its debug information, which is installed
/// beside it, where debuggers look for it.
fn shared_library(built: &Path, lib: &Path, file: &str) -> Outcome {
    let debug = lib.join(".debug").join(format!("{file}.debug"));
    std::fs::create_dir_all(lib.join(".debug"))?;
    output(
        program("objcopy")
            .arg("--only-keep-debug")
            .args([built, &debug]),
    )?;
    let mut link = std::ffi::OsString::from("--add-gnu-debuglink=");
    link.push(&debug);
    output(
        program("objcopy")
            .arg("--strip-unneeded")
            .arg(link)
            .args([built, &lib.join(file)]),
    )?;
    Ok(())
}

/// Creates the static library: one object in which only the functions of the header are visible, so
/// that a program may contain other Rust libraries too.
fn static_library(built: &Path, installed: &Path) -> Outcome {
    let symbols = output(
        program("nm")
            .args(["--defined-only", "--extern-only", "--quiet"])
            .arg(built),
    )?;
    let functions: Vec<&str> = symbols
        .lines()
        .filter_map(|line| line.split_once(" T "))
        .map(|(_, name)| name)
        .filter(|name| name.starts_with("recallite_"))
        .collect();
    let object = built.with_extension("o");
    let mut join = program("ld");
    join.args(["-r", "--force-group-allocation", "--gc-sections", "-o"])
        .arg(&object)
        .args(functions.iter().flat_map(|name| ["-u", *name]))
        .arg(built);
    output(&mut join)?;
    output(
        program("objcopy")
            .args(["--wildcard", "--keep-global-symbol=recallite_*"])
            .arg("--strip-debug")
            // The bitcode of Rust's standard library is of no use to a linker, and binutils with an
            // older LLVM plugin abort on it.
            .args(["--remove-section=.llvmbc", "--remove-section=.llvmcmd"])
            .arg(&object),
    )?;
    if installed.exists() {
        std::fs::remove_file(installed)?;
    }
    run(program("ar").arg("rcs").arg(installed).arg(&object))?;
    std::fs::remove_file(&object)?;
    Ok(())
}

fn pkg_config(version: &str, libraries: &[String]) -> String {
    format!(
        "prefix=${{pcfiledir}}/../..\n\
         libdir=${{prefix}}/lib\n\
         includedir=${{prefix}}/include\n\
         \n\
         Name: recallite\n\
         Description: The SQLite of agent memory\n\
         Version: {version}\n\
         Cflags: -I${{includedir}}\n\
         Libs: -L${{libdir}} -lrecallite\n\
         Libs.private: {}\n",
        libraries.join(" ")
    )
}

fn cmake_config(version: &str, libraries: &Libraries, system_libraries: &[String]) -> String {
    let Libraries {
        shared,
        shared_has,
        fixed,
    } = libraries;
    format!(
        r#"# Recallite {version}: recallite::recallite (shared) and recallite::static.
get_filename_component(_recallite_prefix "${{CMAKE_CURRENT_LIST_DIR}}/../../.." ABSOLUTE)

if(NOT TARGET recallite::recallite)
  add_library(recallite::recallite SHARED IMPORTED)
  set_target_properties(recallite::recallite PROPERTIES
    IMPORTED_LOCATION "${{_recallite_prefix}}/{shared}"
    {shared_has}
    INTERFACE_INCLUDE_DIRECTORIES "${{_recallite_prefix}}/include")
endif()

if(NOT TARGET recallite::static)
  add_library(recallite::static STATIC IMPORTED)
  set_target_properties(recallite::static PROPERTIES
    IMPORTED_LOCATION "${{_recallite_prefix}}/{fixed}"
    INTERFACE_INCLUDE_DIRECTORIES "${{_recallite_prefix}}/include"
    INTERFACE_LINK_LIBRARIES "{}")
endif()

unset(_recallite_prefix)
"#,
        system_libraries.join(";")
    )
}

/// Versions that do not break programs have the same number in the SONAME.
fn cmake_version(version: &str) -> String {
    let series = soname_number(version);
    format!(
        r#"set(PACKAGE_VERSION "{version}")
set(_recallite_series "{series}")
if(PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE FALSE)
elseif(PACKAGE_FIND_VERSION VERSION_LESS _recallite_series)
  set(PACKAGE_VERSION_COMPATIBLE FALSE)
else()
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
  if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
  endif()
endif()
unset(_recallite_series)
"#
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rustc_lists_becomes_a_list_of_libraries() {
        for (listed, libraries) in [
            (
                " -lgcc_s -lutil -lrt -lpthread -lm -ldl -lc -lrt",
                &["-lgcc_s", "-lutil", "-lrt", "-lpthread", "-lm", "-ldl"][..],
            ),
            (
                "-framework Security -framework CoreFoundation -liconv -lSystem -lc -lm",
                &[
                    "-framework Security",
                    "-framework CoreFoundation",
                    "-liconv",
                    "-lSystem",
                    "-lm",
                ],
            ),
            (
                "kernel32.lib ntdll.lib kernel32.lib dbghelp.lib /defaultlib:msvcrt",
                &["kernel32.lib", "ntdll.lib", "dbghelp.lib"],
            ),
        ] {
            assert_eq!(system_libraries(listed), libraries);
        }
    }

    #[test]
    fn the_soname_changes_with_versions_that_may_break_programs() {
        for (version, number) in [
            ("0.1.0", "0.1"),
            ("0.12.3", "0.12"),
            ("1.4.0", "1"),
            ("12.0.1", "12"),
        ] {
            assert_eq!(soname_number(version), number);
        }
    }
}
