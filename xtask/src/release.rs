//! Checks before a version is tagged: every package has the same version, and the changelog has a
//! heading for it.

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
    let heading = format!("## {version}");
    let changelog = read(&root().join("CHANGELOG.md"))?;
    let heading = changelog
        .lines()
        .find(|line| line.starts_with(&heading))
        .ok_or_else(|| format!("CHANGELOG.md has no heading {heading:?}"))?;
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
