//! Generates `include/recallite.h` from memory-ffi, and compares it.

use std::path::PathBuf;

use crate::shell::{Outcome, read, root, version};

/// The path of the header.
pub fn path() -> PathBuf {
    root().join("include/recallite.h")
}

/// Writes the header.
pub fn write() -> Outcome {
    crate::shell::write(&path(), &generate()?)?;
    println!("wrote include/recallite.h");
    Ok(())
}

/// Fails if the header is out of date.
pub fn check() -> Outcome {
    match read(&path())? == generate()? {
        true => {
            println!("include/recallite.h is up to date");
            Ok(())
        }
        false => Err("include/recallite.h is stale: run `cargo xtask header`".into()),
    }
}

fn generate() -> Outcome<String> {
    let root = root();
    let mut config = cbindgen::Config::from_file(root.join("cbindgen.toml"))?;
    config.after_includes = Some(format!(
        "{}{}",
        version_macros()?,
        config.after_includes.unwrap_or_default()
    ));
    config.export.include.extend(crate::interface::c_enums()?);
    let bindings = cbindgen::Builder::new()
        .with_config(config)
        .with_src(root.join("memory-ffi/src/lib.rs"))
        .generate()?;
    let mut text = Vec::new();
    bindings.write(&mut text);
    Ok(shorter_comments(&String::from_utf8(text)?))
}

/// Puts one-line comments on one line.
fn shorter_comments(header: &str) -> String {
    let lines: Vec<&str> = header.lines().map(str::trim_end).collect();
    let mut text = String::new();
    let mut at = 0;
    while at < lines.len() {
        let line = match lines[at..] {
            [open, middle, close, ..] if open.ends_with("/**") && close.trim() == "*/" => {
                at += 2;
                format!("{open} {} */", middle.trim().trim_start_matches("* "))
            }
            [line, ..] => line.to_owned(),
            [] => break,
        };
        at += 1;
        text.push_str(&line);
        text.push('\n');
    }
    text
}

fn version_macros() -> Outcome<String> {
    let version = version()?;
    let mut numbers = version.split(['.', '-']);
    let mut text = format!(
        "\n\n/* The version that this header belongs to. */\n\
         #define RECALLITE_VERSION \"{version}\"\n"
    );
    for part in ["MAJOR", "MINOR", "PATCH"] {
        let number: u32 = numbers
            .next()
            .ok_or("the version has three numbers")?
            .parse()?;
        text.push_str(&format!("#define RECALLITE_VERSION_{part} {number}\n"));
    }
    Ok(text)
}
