//! Checks what the project is made from: the licence and the source of each dependency of both
//! workspaces against their `deny.toml`, and the versions of the actions in the workflows.
//!
//! `cargo deny` does more than this, where it is installed. It does not notice a licence that its
//! list allows and no crate needs.

use std::collections::BTreeMap;

use serde::Deserialize;
use spdx::{Expression, LicenseReq, Licensee, ParseMode};

use crate::report::Report;
use crate::shell::{Outcome, cargo, output, read, root, run, sources};
use crate::tools;

/// The folders of the workspaces whose programs and libraries people use.
const WORKSPACES: [&str; 2] = [".", "examples/cli"];

/// Checks both workspaces and the workflows.
pub fn check(report: &mut Report) -> Outcome {
    for folder in WORKSPACES {
        let list = root().join(folder).join("deny.toml");
        let allowed = Allowed::read(&read(&list)?)?;
        let wrong = allowed.wrong(&packages(folder)?)?;
        if !wrong.is_empty() {
            return Err(format!("{}:\n{}", list.display(), wrong.join("\n")).into());
        }
    }
    let mut movable = Vec::new();
    for workflow in sources(&root().join(".github/workflows"), "yml")? {
        let text = read(&workflow)?;
        movable.extend(movable_actions(&text).map(str::to_owned));
    }
    if !movable.is_empty() {
        return Err(format!(
            "actions that are not named by the hash of a commit and a comment with its version: {}",
            movable.join(", ")
        )
        .into());
    }
    deny(report)
}

/// Runs `cargo deny` without its advisories, whose result depends on the day and on the network.
fn deny(report: &mut Report) -> Outcome {
    if !tools::is_there("cargo-deny") {
        report.leave_out("cargo deny", "cargo-deny is not installed");
        return Ok(());
    }
    for folder in WORKSPACES {
        run(cargo()
            .args(["deny", "--log-level", "error"])
            .args(["check", "bans", "licenses", "sources"])
            .current_dir(root().join(folder)))?;
    }
    Ok(())
}

/// The actions of a workflow that are not pinned: `owner/name@<40 hex digits> # vVERSION`.
fn movable_actions(workflow: &str) -> impl Iterator<Item = &str> {
    let used = workflow.lines().filter_map(|line| {
        let line = line.trim_start();
        let line = line.strip_prefix("- ").unwrap_or(line);
        line.strip_prefix("uses: ").map(str::trim)
    });
    used.filter(|action| {
        let pinned = action.split_once('@').is_some_and(|(_, version)| {
            version.split_once(" # v").is_some_and(|(hash, _)| {
                hash.len() == 40 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
            })
        });
        !pinned && !action.starts_with("./")
    })
}

/// A dependency, as `cargo metadata` shows it.
#[derive(Deserialize)]
struct Package {
    name: String,
    license: Option<String>,
    /// The registry or repository; none for the workspace's own crates.
    source: Option<String>,
}

/// The dependencies of a workspace, on every platform and with every feature.
fn packages(folder: &str) -> Outcome<Vec<Package>> {
    #[derive(Deserialize)]
    struct Metadata {
        packages: Vec<Package>,
    }
    let text = output(
        cargo()
            .args(["metadata", "--format-version", "1"])
            .args(["--locked", "--all-features"])
            .current_dir(root().join(folder)),
    )?;
    let metadata: Metadata = serde_json::from_str(&text)?;
    let mut packages = metadata.packages;
    packages.retain(|package| package.source.is_some());
    Ok(packages)
}

/// What a `deny.toml` allows.
struct Allowed {
    licenses: Vec<Licensee>,
    /// More licences for single crates.
    exceptions: BTreeMap<String, Vec<Licensee>>,
    registries: Vec<String>,
}

impl Allowed {
    fn read(text: &str) -> Outcome<Allowed> {
        #[derive(Deserialize)]
        struct File {
            licenses: Licenses,
            sources: Sources,
        }
        #[derive(Deserialize)]
        struct Licenses {
            allow: Vec<String>,
            #[serde(default)]
            exceptions: Vec<Exception>,
        }
        #[derive(Deserialize)]
        struct Exception {
            #[serde(rename = "crate")]
            name: String,
            allow: Vec<String>,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "kebab-case")]
        struct Sources {
            allow_registry: Vec<String>,
        }
        let licensees = |names: &[String]| -> Outcome<Vec<Licensee>> {
            let parsed = names.iter().map(|name| Licensee::parse(name));
            Ok(parsed.collect::<Result<_, _>>()?)
        };
        let file: File = toml::from_str(text)?;
        let mut exceptions = BTreeMap::new();
        for exception in file.licenses.exceptions {
            exceptions.insert(exception.name, licensees(&exception.allow)?);
        }
        Ok(Allowed {
            licenses: licensees(&file.licenses.allow)?,
            exceptions,
            registries: file.sources.allow_registry,
        })
    }

    /// What is not allowed, and what is allowed and not needed.
    fn wrong(&self, packages: &[Package]) -> Outcome<Vec<String>> {
        let mut wrong = Vec::new();
        let mut needed = vec![false; self.licenses.len()];
        let mut unused: Vec<&String> = self.exceptions.keys().collect();
        for package in packages {
            let source = package.source.as_deref().unwrap_or_default();
            let registry = source.strip_prefix("registry+").unwrap_or_default();
            if !self.registries.iter().any(|allowed| allowed == registry) {
                wrong.push(format!("{} comes from {source}", package.name));
            }
            let name = package.license.as_deref().unwrap_or_default();
            let license = Expression::parse_mode(name, ParseMode::LAX)
                .map_err(|problem| format!("{}: {problem}", package.name))?;
            let more = self.exceptions.get(&package.name);
            let more = more.map(Vec::as_slice).unwrap_or_default();
            if license.evaluate(|part| meets(&self.licenses, part)) {
                for (index, needed) in needed.iter_mut().enumerate() {
                    let mut fewer = self.licenses.clone();
                    fewer.remove(index);
                    *needed |= !license.evaluate(|part| meets(&fewer, part));
                }
            } else if license.evaluate(|part| meets(&self.licenses, part) || meets(more, part)) {
                unused.retain(|exception| **exception != package.name);
            } else {
                wrong.push(format!("{} has the licence {name}", package.name));
            }
        }
        let licenses = self.licenses.iter().zip(needed);
        wrong.extend(
            licenses
                .filter(|(_, needed)| !needed)
                .map(|(license, _)| format!("no dependency needs {license}")),
        );
        wrong.extend(
            unused
                .into_iter()
                .map(|name| format!("no dependency needs the exception for {name}")),
        );
        Ok(wrong)
    }
}

fn meets(licenses: &[Licensee], part: &LicenseReq) -> bool {
    licenses.iter().any(|license| license.satisfies(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = r#"
        [licenses]
        allow = ["MIT", "ISC"]
        exceptions = [{ crate = "odd", allow = ["MPL-2.0"] }]
        [sources]
        allow-registry = ["https://registry"]
    "#;

    fn wrong(packages: &[(&str, &str, &str)]) -> Vec<String> {
        let packages = packages.iter().map(|(name, license, source)| Package {
            name: (*name).to_owned(),
            license: Some((*license).to_owned()),
            source: Some((*source).to_owned()),
        });
        let packages: Vec<Package> = packages.collect();
        Allowed::read(LIST).unwrap().wrong(&packages).unwrap()
    }

    const HERE: &str = "registry+https://registry";

    #[test]
    fn what_the_list_allows_and_needs_is_right() {
        let packages = [
            ("a", "MIT/Apache-2.0", HERE),
            ("b", "MIT AND ISC", HERE),
            ("odd", "MPL-2.0", HERE),
        ];
        assert!(wrong(&packages).is_empty());
    }

    #[test]
    fn a_licence_or_a_source_outside_the_list_is_named() {
        let packages = [
            ("a", "GPL-3.0-only", HERE),
            ("b", "ISC AND MPL-2.0", HERE),
            ("c", "MIT AND ISC", "git+https://somewhere"),
            ("odd", "MPL-2.0", HERE),
        ];
        assert_eq!(
            wrong(&packages),
            [
                "a has the licence GPL-3.0-only",
                "b has the licence ISC AND MPL-2.0",
                "c comes from git+https://somewhere",
            ]
        );
    }

    #[test]
    fn what_no_dependency_needs_is_named() {
        let packages = [("a", "MIT OR ISC", HERE), ("b", "MIT", HERE)];
        assert_eq!(
            wrong(&packages),
            [
                "no dependency needs ISC",
                "no dependency needs the exception for odd",
            ]
        );
    }

    #[test]
    fn an_action_that_can_be_moved_is_named() {
        let hash = "08c6903cd8c0fde910a37f88322edcfb5dd907a8";
        let workflow = format!(
            "steps:\n  - uses: a/pinned@{hash} # v5.0.0\n  - uses: ./.github/own.yml\n  \
             - name: b\n    uses: b/tag@v5\n  - uses: c/unexplained@{hash}\n"
        );
        let named: Vec<&str> = movable_actions(&workflow).collect();
        assert_eq!(named, ["b/tag@v5", &format!("c/unexplained@{hash}")]);
    }
}
