//! Checks before a version is tagged: every package has the same version, and the changelog has a
//! heading for it, whose section becomes the notes of the release.

use crate::install::soname_number;
use crate::shell::{Outcome, read, root, version};

/// Where the version occurs besides `Cargo.toml`, as `file: text around it`.
const PLACES: [(&str, &str, &str); 7] = [
    ("examples/cli/Cargo.toml", "\nversion = \"", "\""),
    ("examples/postgres/Cargo.toml", "\nversion = \"", "\""),
    (
        "examples/cli/plugins/claude-code/.claude-plugin/plugin.json",
        "\n  \"version\": \"",
        "\"",
    ),
    (
        "examples/cli/plugins/codex/.codex-plugin/plugin.json",
        "\n  \"version\": \"",
        "\"",
    ),
    (
        "examples/cli/plugins/gemini-cli/gemini-extension.json",
        "\n  \"version\": \"",
        "\"",
    ),
    ("bindings-node/package.json", "  \"version\": \"", "\""),
    ("bindings-node/package-lock.json", "  \"version\": \"", "\""),
];

/// `cargo xtask release --notes`: prints the section of this version in the changelog.
pub fn notes() -> Outcome {
    let changelog = read(&root().join("CHANGELOG.md"))?;
    print!("{}", section(&changelog, &version()?)?);
    Ok(())
}

/// Whether a line of the changelog is the heading of this version, not of one that begins with it.
fn is_heading_of(line: &str, version: &str) -> bool {
    let rest = line
        .strip_prefix("## ")
        .and_then(|line| line.strip_prefix(version));
    rest.is_some_and(|rest| !rest.starts_with(|c: char| c == '.' || c.is_alphanumeric()))
}

/// What a changelog says of a version, without its heading.
fn section(changelog: &str, version: &str) -> Outcome<String> {
    let mut lines = changelog
        .lines()
        .skip_while(|line| !is_heading_of(line, version));
    if lines.next().is_none() {
        return Err(format!("CHANGELOG.md has no section of {version}").into());
    }
    let own = lines.take_while(|line| !line.starts_with("## "));
    let text: String = own.map(|line| format!("{line}\n")).collect();
    Ok(text.trim().to_owned() + "\n")
}

/// `cargo xtask release --check [VERSION]`: compares all versions, also with that of a tag if one
/// is given.
pub fn check(tag: Option<&str>) -> Outcome {
    let version = version()?;
    for (file, before, after) in PLACES {
        let text = read(&root().join(file))?;
        let found = text
            .split_once(before)
            .and_then(|(_, rest)| rest.split_once(after))
            .map_or("nothing", |(found, _)| found);
        if found != version {
            return Err(format!("{file} says {found}, Cargo.toml says {version}").into());
        }
    }
    let manifest = read(&root().join("Cargo.toml"))?;
    let dependency = format!("recallite = {{ path = \"memory-core\", version = \"{version}\"");
    if !manifest.contains(&dependency) {
        return Err(format!("the workspace's dependency on recallite is not {version}").into());
    }
    let wanted = format!("find_package(recallite {} ", soname_number(&version));
    for file in ["examples/c/CMakeLists.txt", "examples/cpp/CMakeLists.txt"] {
        if !read(&root().join(file))?.contains(&wanted) {
            return Err(format!("{file} does not say {wanted:?}").into());
        }
    }
    let changelog = read(&root().join("CHANGELOG.md"))?;
    let heading = changelog
        .lines()
        .find(|line| is_heading_of(line, &version))
        .ok_or_else(|| format!("CHANGELOG.md has no heading \"## {version}\""))?;
    if let Some(tag) = tag {
        if tag != version {
            return Err(format!("the tag says {tag}, Cargo.toml says {version}").into());
        }
        if heading.ends_with("unreleased") {
            return Err(format!("CHANGELOG.md calls {version} unreleased").into());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_notes_of_a_release_are_its_own() {
        let changelog =
            "# Changelog\n\n## 0.1.10\n\nten\n\n## 0.1.1, today\n\n### Added\n- one\n\n## 0.1.0\n";
        assert_eq!(section(changelog, "0.1.1").unwrap(), "### Added\n- one\n");
        assert_eq!(section(changelog, "0.1.10").unwrap(), "ten\n");
        assert!(section(changelog, "0.1").is_err());
    }
}
