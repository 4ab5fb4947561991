//! Generates `docs/parity.md`: which language has which function of the core, read from the
//! sources.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::shell::{Outcome, read, root, sources};

/// Options of opening whose name in C is not the core's. (core name, C, Node, Python)
const RENAMED_OPTIONS: &[(&str, &str, &str, &str)] = &[
    ("create", "must_exist", "create", "create"),
    (
        "recall_cache",
        "skip_recall_cache",
        "recallCache",
        "recall_cache",
    ),
    (
        "learn_by_rules",
        "skip_learn_by_rules",
        "learnByRules",
        "learn_by_rules",
    ),
];

/// Functions whose name in a language is not the core's name in that language's letter case. (core
/// name, C, Node, Python)
const RENAMED: &[(&str, &str, &str, &str)] = &[
    ("builder", "recallite_open_with", "open", "open"),
    (
        "import_claude_code_with",
        "recallite_import_claude_code",
        "importClaudeCode",
        "import_claude_code",
    ),
    ("ingest_with", "recallite_ingest", "ingest", "ingest"),
    (
        "with_event",
        "recallite_event_visit",
        WRITABLE,
        "event_view",
    ),
    (
        "event_guard",
        "a callback shows it: `recallite_event_visit`",
        WRITABLE,
        "event_view",
    ),
    (
        "scan_events",
        "recallite_events_visit",
        WRITABLE,
        "one by one: `event_view`",
    ),
    (
        "export_jsonl",
        "recallite_export_jsonl_to",
        FILES,
        "export_jsonl",
    ),
    (
        "export_jsonl_to",
        "with `recallite_export_jsonl_to`",
        "with `exportJsonl`",
        "with `export_jsonl`",
    ),
    (
        "export_jsonl_file",
        "recallite_export_jsonl",
        "exportJsonl",
        "export_jsonl",
    ),
    (
        "restore_jsonl",
        "recallite_restore_jsonl_from",
        FILES,
        "restore_jsonl",
    ),
    (
        "restore_jsonl_file",
        "recallite_restore_jsonl",
        "restoreJsonl",
        "restore_jsonl",
    ),
    (
        "import_jsonl",
        "recallite_import_jsonl_from",
        FILES,
        "import_jsonl",
    ),
    (
        "import_jsonl_file",
        "recallite_import_jsonl",
        "importJsonl",
        "import_jsonl",
    ),
    (
        "consolidate_with",
        "recallite_endless_consolidate",
        "consolidate",
        "consolidate",
    ),
];

/// Why Node has no views of the store's pages. A text that cannot be an identifier is printed in
/// its cell unchanged.
const WRITABLE: &str = "none: every buffer can be written to";

/// Why Node has no readers and writers for these.
const FILES: &str = "files only";

/// What only Rust has, and why.
pub const RUST_ONLY: &[(&str, &str)] = &[
    ("clock", "a trait, for tests"),
    ("ids", "a trait, for tests"),
    (
        "privacy_filter",
        "for programs that shorten a text before they store it",
    ),
    (
        "preview_settings",
        "for programs that show settings before there is a store",
    ),
    (
        "prepare_consolidation",
        "`consolidate_with` in two steps, for models that answer later",
    ),
    ("store_consolidation", "the second of the two steps"),
];

/// The areas of a memory: methods that return a group of functions.
const AREAS: [&str; 9] = [
    "tasks",
    "knowledge",
    "levels",
    "endless",
    "citations",
    "history",
    "pauses",
    "sharing",
    "upkeep",
];

fn path() -> PathBuf {
    root().join("docs/parity.md")
}

/// What the cell of a function says that a language lacks without a reason.
const MISSING: &str = "**missing**";

/// Writes the table.
pub fn write() -> Outcome {
    crate::shell::write(&path(), &table()?)?;
    println!("wrote docs/parity.md");
    Ok(())
}

/// Fails if the table is out of date, or if a function does not say how its cost grows.
pub fn check() -> Outcome {
    let table = table()?;
    if table.contains(MISSING) {
        return Err("docs/parity.md: a language lacks a function; see its rows".into());
    }
    if read(&path())? != table {
        return Err("docs/parity.md is stale: run `cargo xtask parity`".into());
    }
    println!("docs/parity.md is up to date");
    let silent = without_growth(&read(&root().join("include/recallite.h"))?);
    match silent.is_empty() {
        true => Ok(()),
        false => {
            let names = silent.join(", ");
            Err(format!("the documentation of {names} lacks a paragraph `Growth:`").into())
        }
    }
}

/// Functions of the handle itself, which read no store.
const OF_THE_HANDLE: [&str; 6] = [
    "recallite_free",
    "recallite_is_open",
    "recallite_path",
    "recallite_project",
    "recallite_set_progress_handler",
    "recallite_interrupt",
];

/// The functions of a header that take or make a memory and do not say how their cost grows.
fn without_growth(header: &str) -> Vec<String> {
    let mut silent = Vec::new();
    for part in header.split("/**").skip(1) {
        let Some((docs, rest)) = part.split_once("*/") else {
            continue;
        };
        let declared = rest.split_once(';').map_or(rest, |(declared, _)| declared);
        let Some((before, arguments)) = declared.split_once('(') else {
            continue;
        };
        let name = before.rsplit([' ', '*', '\n']).next().unwrap_or_default();
        let is_of_memory = arguments.contains("recallite_memory *");
        let is_public = name.starts_with("recallite_") && !OF_THE_HANDLE.contains(&name);
        if is_of_memory && is_public && !docs.contains("Growth:") {
            silent.push(name.to_owned());
        }
    }
    silent
}

/// The names that a language's sources define.
struct Names {
    functions: BTreeSet<String>,
    fields: BTreeSet<String>,
}

fn table() -> Outcome<String> {
    let c = c_names()?;
    let node = node_names()?;
    let python = python_names()?;
    let mut text = String::from(
        "# Which language has what\n\n\
         Generated from the sources by `cargo xtask parity`; `cargo xtask parity --check` fails\n\
         when it is stale. `docs/adding-a-method.md` says how to fill in a row.\n",
    );
    for (title, owner) in [
        ("Functions of a memory", "Memory"),
        ("Tasks", "Tasks<'_>"),
        ("Knowledge", "Knowledge<'_>"),
        ("Levels", "Levels<'_>"),
        ("Endless mode", "Endless<'_>"),
        ("Citations", "Citations<'_>"),
        ("History", "History<'_>"),
        ("Pauses", "Pauses<'_>"),
        ("Sharing", "Sharing<'_>"),
        ("Upkeep", "Upkeep<'_>"),
        ("Options of opening", "MemoryBuilder"),
    ] {
        text.push_str(&head(title));
        for name in core_names(owner)? {
            let is_option = owner == "MemoryBuilder";
            if is_option && name == "open" {
                // The end of the builder chain; the other languages list it above.
                continue;
            }
            if owner == "Memory" && AREAS.contains(&name.as_str()) {
                // Its functions have their own table.
                continue;
            }
            let area = owner.strip_suffix("<'_>").map(str::to_lowercase);
            let row = Row {
                name: &name,
                area: area.as_deref(),
                is_option,
            };
            text.push_str(&row.text([&c, &node, &python]));
        }
    }
    let rules = crate::interface::rules()?;
    text.push_str(&head("Functions without a memory"));
    for function in &rules.shared {
        let row = Row {
            name: function.rsplit("::").next().unwrap_or(function),
            area: None,
            is_option: false,
        };
        text.push_str(&row.text([&c, &node, &python]));
    }
    text.push_str(
        "\n## Functions without a memory that only Rust has\n\n| Rust | why |\n|---|---|\n",
    );
    for (function, why) in &rules.rust_only {
        text.push_str(&format!("| `{function}` | {why} |\n"));
    }
    Ok(text)
}

/// The heading of a table.
fn head(title: &str) -> String {
    format!("\n## {title}\n\n| Rust | C | Node | Python |\n|---|---|---|---|\n")
}

/// A function or an option of the core.
struct Row<'a> {
    name: &'a str,
    /// The area to which it belongs.
    area: Option<&'a str>,
    is_option: bool,
}

impl Row<'_> {
    fn text(&self, [c, node, python]: [&Names; 3]) -> String {
        let name = self.name;
        if let Some((_, why)) = RUST_ONLY.iter().find(|(rust, _)| *rust == name) {
            return format!("| `{name}` | {why} | | |\n");
        }
        let renamed = match self.is_option {
            true => RENAMED_OPTIONS,
            false => RENAMED,
        };
        let renamed = renamed.iter().find(|(rust, ..)| *rust == name);
        let camelled = camel(name);
        let c_names = match (renamed, self.area) {
            (Some((_, c, ..)), _) => vec![(*c).to_owned()],
            (None, Some(area)) => {
                let function = format!("recallite_{area}_{name}");
                vec![format!("{function}_get"), function]
            }
            (None, None) if self.is_option => vec![name.to_owned()],
            // The type of the result has the bare name, if there is a second one.
            (None, None) => {
                let function = format!("recallite_{name}");
                vec![function.clone(), format!("{function}_get")]
            }
        };
        let (node_name, python_name) = renamed
            .map_or((camelled.as_str(), name), |(_, _, node, python)| {
                (*node, *python)
            });
        let own = |called: &str| match self.area {
            Some(area) => vec![format!("{area}.{called}")],
            None => vec![called.to_owned()],
        };
        format!(
            "| `{name}` | {} | {} | {} |\n",
            self.cell(c, &c_names),
            self.cell(node, &own(node_name)),
            self.cell(python, &own(python_name))
        )
    }

    fn cell(&self, names: &Names, candidates: &[String]) -> String {
        let known = match self.is_option {
            true => &names.fields,
            false => &names.functions,
        };
        if let [only] = candidates
            && !only
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
        {
            return only.clone();
        }
        candidates
            .iter()
            .find(|candidate| known.contains(*candidate))
            .map_or(MISSING.to_owned(), |found| format!("`{found}`"))
    }
}

fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let mut text = words.next().unwrap_or_default().to_owned();
    for word in words {
        let (first, rest) = word.split_at(1.min(word.len()));
        text.push_str(&first.to_uppercase());
        text.push_str(rest);
    }
    text
}

/// The public functions in the core's `impl <owner>` blocks, in source order.
fn core_names(owner: &str) -> Outcome<Vec<String>> {
    let source = root().join("memory-core/src");
    let mut names = Vec::new();
    let opening = format!("impl {owner} {{");
    let mut files = sources(&source, "rs")?;
    // The main file comes first: it has the oldest functions.
    files.sort_by_key(|file| (!file.ends_with("memory/mod.rs"), file.clone()));
    for file in files {
        let text = read(&file)?;
        let mut is_inside = false;
        for line in text.lines() {
            match line {
                "}" => is_inside = false,
                _ if line == opening => is_inside = true,
                _ if is_inside => {
                    names.extend(line.strip_prefix("    pub fn ").and_then(function_name))
                }
                _ => {}
            }
        }
    }
    Ok(names)
}

fn function_name(rest: &str) -> Option<String> {
    rest.split_once(['(', '<']).map(|(name, _)| name.to_owned())
}

/// The functions and struct fields of the header.
fn c_names() -> Outcome<Names> {
    let header = read(&crate::header::path())?;
    let code = header
        .lines()
        .filter(|line| !line.trim_start().starts_with(['*', '/']));
    let mut names = Names::new();
    let mut is_options = false;
    for line in code {
        if line.starts_with("typedef struct recallite_open_options {") {
            is_options = true;
        } else if line.starts_with('}') {
            is_options = false;
        } else if is_options && let Some(field) = line.trim().strip_suffix(';') {
            names
                .fields
                .extend(field.rsplit([' ', '*']).next().map(str::to_owned));
        }
        if let Some((before, _)) = line.split_once('(') {
            names
                .functions
                .extend(before.rsplit([' ', '*']).next().map(str::to_owned));
        }
    }
    Ok(names)
}

/// The methods, functions and properties of the TypeScript sources.
fn node_names() -> Outcome<Names> {
    let mut names = Names::new();
    let folder = root().join("bindings-node/ts");
    for file in sources(&folder, "ts")? {
        let mut area = String::new();
        for line in read(&file)?.lines() {
            area_of(line, &mut area);
            let line = line.trim();
            let words = line.split_once(['(', '<']).map_or("", |(words, _)| words);
            let is_definition = words.split(' ').rev().skip(1).all(|word| {
                matches!(
                    word,
                    "static" | "async" | "get" | "export" | "function" | "*" | "public"
                )
            });
            if is_definition && let Some(name) = words.split(' ').next_back() {
                names.add(&area, name.trim_start_matches('*'));
            }
            if let Some((name, _)) = line.split_once("?:") {
                names
                    .fields
                    .insert(name.trim_start_matches("readonly ").to_owned());
            }
        }
    }
    Ok(names)
}

/// The functions and parameters of the stub file.
fn python_names() -> Outcome<Names> {
    let mut names = Names::new();
    let folder = root().join("bindings-python/python");
    let options = ["_generated/options.py", "_options.py"];
    let options = options.map(|file| folder.join("recallite").join(file));
    for file in sources(&folder, "pyi")?.into_iter().chain(options) {
        let mut area = String::new();
        for line in read(&file)?.lines() {
            area_of(line, &mut area);
            let line = line.trim();
            if let Some(name) = line.strip_prefix("def ").and_then(function_name) {
                names.add(&area, &name);
            } else if let Some((name, _)) = line.split_once(':') {
                names.fields.insert(name.to_owned());
            }
        }
    }
    Ok(names)
}

impl Names {
    fn new() -> Names {
        Names {
            functions: BTreeSet::new(),
            fields: BTreeSet::new(),
        }
    }

    /// Adds a function; if it belongs to an area, the area's name precedes it.
    fn add(&mut self, area: &str, name: &str) {
        let is_area = AREAS.contains(&area);
        self.functions.insert(match is_area {
            true => format!("{area}.{name}"),
            false => name.to_owned(),
        });
    }
}

/// Tracks in which area's class a line is, and where any class or function begins.
fn area_of(line: &str, area: &mut String) {
    let line = line.trim_start_matches("export ");
    let line = line.trim_start_matches("abstract ");
    if let Some(rest) = line.strip_prefix("class ") {
        let end = rest
            .find(|c: char| !c.is_alphanumeric())
            .unwrap_or(rest.len());
        // The handwritten part of an area whose other part is generated.
        *area = rest[..end].trim_end_matches("ByHand").to_lowercase();
    } else if line.starts_with("function ") || line.starts_with("def ") {
        area.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_change_their_letter_case() {
        assert_eq!(camel("import_claude_code"), "importClaudeCode");
        assert_eq!(camel("search"), "search");
    }

    #[test]
    fn a_function_that_does_not_say_how_it_grows_is_named() {
        let header = "/**\n * Growth: Constant.\n */\nrecallite_status recallite_a(struct \
                      recallite_memory *memory);\n/**\n * Reads.\n */\nrecallite_status\n\
                      recallite_b(struct recallite_memory *memory, int most);\n/**\n * Frees.\n \
                      */\nvoid recallite_free(struct recallite_memory *memory);\n";
        assert_eq!(without_growth(header), ["recallite_b"]);
    }

    #[test]
    fn the_functions_of_a_memory_are_found() {
        let names = core_names("Memory").unwrap();
        for name in ["append", "search", "timeline", "stats"] {
            assert!(names.iter().any(|found| found == name), "{name}");
        }
        assert!(!names.iter().any(|found| found == "busy_timeout_ms"));
    }

    #[test]
    fn every_rule_is_in_every_language_or_stays_in_rust_for_a_reason() {
        let rules = crate::interface::rules().unwrap();
        assert!(
            rules
                .shared
                .contains(&"text::keys::canonical_key".to_owned())
        );
        assert!(rules.rust_only.iter().all(|(_, why)| !why.is_empty()));
        assert!(!table().unwrap().contains(MISSING));
    }
}
