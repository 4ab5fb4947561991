//! Generates `docs/parity.md`: which language has which function of the core, read from the
//! sources.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::interface::declared::{self, last_part};
use crate::interface::doc::camel;
use crate::interface::model::{Handle, Model};
use crate::interface::module::is_public;
use crate::interface::name_in_c;
use crate::interface::source::Source;
use crate::interface::table::Table;
use crate::shell::{Outcome, read, root, sources};

/// Functions that are written by hand and whose name in a language is not the core's name in that
/// language's letter case. (core name, C, Node, Python)
const RENAMED: &[(&str, &str, &str, &str)] = &[
    ("builder", "recallite_open_with", "open", "open"),
    (
        "import_claude_code_with",
        "recallite_import_claude_code",
        "importClaudeCode",
        "import_claude_code",
    ),
    (
        "export_jsonl_to",
        "recallite_upkeep_export_jsonl_to",
        FILES,
        "`export_jsonl` with a file",
    ),
    (
        "restore_jsonl_from",
        "recallite_upkeep_restore_jsonl_from",
        FILES,
        "`restore_jsonl` with a file",
    ),
    (
        "import_jsonl_from",
        "recallite_upkeep_import_jsonl_from",
        FILES,
        "`import_jsonl` with a file",
    ),
    (
        "consolidate_with",
        "recallite_endless_consolidate",
        "consolidate",
        "consolidate",
    ),
];

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
    (
        "views",
        "its results borrow; C: `recallite_event_visit`, `recallite_events_visit`; Python: `event_view`",
    ),
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

fn table() -> Outcome<String> {
    let model = crate::interface::model()?;
    let source = Source::read(&root().join("memory-core/src"))?;
    let areas = model.handles.iter().filter(|handle| !handle.is_root());
    let areas: Vec<String> = areas.map(Handle::area).collect();
    let names = [c_names()?, node_names(&areas)?, python_names(&areas)?];
    let mut text = String::from(
        "# Which language has what\n\n\
         Generated from the sources by `cargo xtask parity`; `cargo xtask parity --check` fails\n\
         when it is stale. `docs/adding-a-method.md` says how to fill in a row.\n",
    );
    let (roots, groups): (Vec<&Handle>, Vec<_>) =
        model.handles.iter().partition(|handle| handle.is_root());
    for handle in roots.into_iter().chain(groups) {
        text.push_str(&head(match handle.name.as_str() {
            "Memory" => "Functions of a memory",
            "Endless" => "Endless mode",
            name => name,
        }));
        for name in methods_of(&source, &handle.name) {
            // An area has a table of its own.
            if !(handle.is_root() && areas.contains(&name)) {
                let area = (!handle.is_root()).then(|| handle.area());
                let called = handle.table.named.get(&name).unwrap_or(&name);
                text.push_str(&row(&name, &function(&name, called, area), &names));
            }
        }
    }
    text.push_str(&head("Options of opening"));
    // The end of the builder chain is among the functions of a memory.
    let options = methods_of(&source, "MemoryBuilder").into_iter();
    for name in options.filter(|name| name != "open") {
        text.push_str(&row(&name, &option(model, &name), &names));
    }
    let rules = rules()?;
    text.push_str(&head("Functions without a memory"));
    for path in &rules.shared {
        let name = path.rsplit("::").next().unwrap_or(path);
        text.push_str(&row(name, &function(name, name, None), &names));
    }
    text.push_str(
        "\n## Functions without a memory that only Rust has\n\n| Rust | why |\n|---|---|\n",
    );
    for (function, why) in &rules.rust_only {
        text.push_str(&format!("| `{function}` | {why} |\n"));
    }
    Ok(text)
}

/// The functions that need no memory, by the names that other languages spell in their letter
/// case, and those that only Rust has, each with the reason.
pub struct Rules {
    pub shared: Vec<String>,
    pub rust_only: Vec<(String, String)>,
}

/// Every public function of the core that needs no memory. Fails if the table mirrors one
/// neither everywhere nor says why it stays in Rust.
pub fn rules() -> Outcome<Rules> {
    let source = Source::read(&root().join("memory-core/src"))?;
    let table = Table::read()?;
    let public = source.functions_below(&["rules", "text", "privacy", "scope"]);
    let shared = table.rule_names(&public);
    let mut rust_only = Vec::new();
    for stays in &table.rust_only {
        for function in &stays.functions {
            if !public.contains(function) {
                return Err(format!("rust_only: the core has no public {function}").into());
            }
            if shared.contains(function) {
                return Err(format!("rust_only: other languages have {function}").into());
            }
            rust_only.push((function.clone(), stays.why.clone()));
        }
    }
    let is_told = |function: &&String| {
        shared.contains(function) || rust_only.iter().any(|(name, _)| name == *function)
    };
    let untold: Vec<&String> = public.iter().filter(|one| !is_told(one)).collect();
    if !untold.is_empty() {
        return Err(format!(
            "xtask/interface.toml: neither [[rules]] nor [[rust_only]] has {untold:?}"
        )
        .into());
    }
    Ok(Rules { shared, rust_only })
}

/// The heading of a table.
fn head(title: &str) -> String {
    format!("\n## {title}\n\n| Rust | C | Node | Python |\n|---|---|---|---|\n")
}

/// What a function or an option may be called in C, in Node and in Python.
type Called = [Vec<String>; 3];

fn function(name: &str, called: &str, area: Option<String>) -> Called {
    if let Some((_, c, node, python)) = RENAMED.iter().find(|(rust, ..)| *rust == name) {
        let own = |name: &str| match &area {
            Some(area) if name.chars().all(is_name) => vec![format!("{area}.{name}")],
            _ => vec![name.to_owned()],
        };
        return [vec![(*c).to_owned()], own(node), own(python)];
    }
    let prefix = |sign: &str| {
        area.as_ref()
            .map_or(String::new(), |area| format!("{area}{sign}"))
    };
    // The type of the result has the bare name, if there is a second one.
    let c = format!("recallite_{}{called}", prefix("_"));
    [
        vec![format!("{c}_get"), c],
        vec![prefix(".") + &camel(called)],
        vec![prefix(".") + called],
    ]
}

/// What an option of opening is called: its fields are told from functions by a dot.
fn option(model: &Model, name: &str) -> Called {
    let record = model.option("OpenOptions");
    let field = record.and_then(|one| one.fields.iter().find(|field| field.core_name == name));
    let c = match (record, field) {
        (Some(record), Some(field)) => name_in_c(record, field),
        _ => name.to_owned(),
    };
    [c, camel(name), name.to_owned()].map(|name| vec![format!(".{name}")])
}

fn row(name: &str, called: &Called, names: &[BTreeSet<String>; 3]) -> String {
    if let Some((_, why)) = RUST_ONLY.iter().find(|(rust, _)| *rust == name) {
        return format!("| `{name}` | {why} | | |\n");
    }
    let [c, node, python] = [0, 1, 2].map(|at| cell(&names[at], &called[at]));
    format!("| `{name}` | {c} | {node} | {python} |\n")
}

/// Whether a sign may be in a name.
fn is_name(sign: char) -> bool {
    sign.is_alphanumeric() || matches!(sign, '_' | '.')
}

fn cell(known: &BTreeSet<String>, candidates: &[String]) -> String {
    match candidates {
        [words] if !words.chars().all(is_name) => words.clone(),
        _ => {
            let found = candidates.iter().find(|one| known.contains(*one));
            found.map_or(MISSING.to_owned(), |found| {
                format!("`{}`", found.trim_start_matches('.'))
            })
        }
    }
}

/// The public functions of a type of the core, in source order, those of its own file first.
fn methods_of(source: &Source, owner: &str) -> Vec<String> {
    let is_its = |item: &syn::ItemImpl| {
        let name = last_part(&item.self_ty);
        item.trait_.is_none() && name.is_some_and(|part| part.ident == owner)
    };
    let blocks = source.items().filter_map(|(module, item)| match item {
        syn::Item::Impl(item) if is_its(item) => Some((module.path.len(), item)),
        _ => None,
    });
    let mut blocks: Vec<_> = blocks.collect();
    blocks.sort_by_key(|(depth, _)| *depth);
    let functions = blocks
        .into_iter()
        .flat_map(|(_, item)| declared::methods(item));
    let public = functions.filter(|function| is_public(&function.vis));
    public
        .map(|function| function.sig.ident.to_string())
        .collect()
}

fn function_name(rest: &str) -> Option<String> {
    rest.split_once(['(', '<']).map(|(name, _)| name.to_owned())
}

/// The functions of the header and, behind dots, the options of opening.
fn c_names() -> Outcome<BTreeSet<String>> {
    let header = read(&crate::header::path())?;
    let code = header
        .lines()
        .filter(|line| !line.trim_start().starts_with(['*', '/']));
    let mut names = BTreeSet::new();
    let mut is_options = false;
    for line in code {
        if line.starts_with("typedef struct recallite_open_options {") {
            is_options = true;
        } else if line.starts_with('}') {
            is_options = false;
        } else if is_options && let Some(field) = line.trim().strip_suffix(';') {
            names.extend(
                field
                    .rsplit([' ', '*'])
                    .next()
                    .map(|name| format!(".{name}")),
            );
        }
        if let Some((before, _)) = line.split_once('(') {
            names.extend(before.rsplit([' ', '*']).next().map(str::to_owned));
        }
    }
    Ok(names)
}

/// The methods, functions and properties of the TypeScript sources and, behind dots, fields that
/// may be left out.
fn node_names(areas: &[String]) -> Outcome<BTreeSet<String>> {
    let mut names = BTreeSet::new();
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
                names.insert(within(areas, &area, name.trim_start_matches('*')));
            }
            if let Some((name, _)) = line.split_once("?:") {
                names.insert(format!(".{}", name.trim_start_matches("readonly ")));
            }
        }
    }
    Ok(names)
}

/// The functions of the stub file and, behind dots, parameters and fields.
fn python_names(areas: &[String]) -> Outcome<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    let folder = root().join("bindings-python/python");
    let options = ["_generated/options.py", "_options.py"];
    let options = options.map(|file| folder.join("recallite").join(file));
    for file in sources(&folder, "pyi")?.into_iter().chain(options) {
        let mut area = String::new();
        for line in read(&file)?.lines() {
            area_of(line, &mut area);
            let line = line.trim();
            if let Some(name) = line.strip_prefix("def ").and_then(function_name) {
                names.insert(within(areas, &area, &name));
            } else if let Some((name, _)) = line.split_once(':') {
                names.insert(format!(".{name}"));
            }
        }
    }
    Ok(names)
}

/// A function; if it belongs to an area, the area's name precedes it.
fn within(areas: &[String], area: &str, name: &str) -> String {
    match areas.iter().any(|one| one == area) {
        true => format!("{area}.{name}"),
        false => name.to_owned(),
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
    fn a_function_that_does_not_say_how_it_grows_is_named() {
        let header = "/**\n * Growth: Constant.\n */\nrecallite_status recallite_a(struct \
                      recallite_memory *memory);\n/**\n * Reads.\n */\nrecallite_status\n\
                      recallite_b(struct recallite_memory *memory, int most);\n/**\n * Frees.\n \
                      */\nvoid recallite_free(struct recallite_memory *memory);\n";
        assert_eq!(without_growth(header), ["recallite_b"]);
    }

    #[test]
    fn the_functions_of_a_memory_are_found() {
        let source = Source::read(&root().join("memory-core/src")).unwrap();
        let names = methods_of(&source, "Memory");
        for name in ["append", "search", "timeline", "stats"] {
            assert!(names.iter().any(|found| found == name), "{name}");
        }
        assert!(!names.iter().any(|found| found == "busy_timeout_ms"));
    }

    #[test]
    fn every_rule_is_in_every_language_or_stays_in_rust_for_a_reason() {
        let rules = rules().unwrap();
        assert!(
            rules
                .shared
                .contains(&"text::keys::canonical_key".to_owned())
        );
        assert!(rules.rust_only.iter().all(|(_, why)| !why.is_empty()));
        assert!(!table().unwrap().contains(MISSING));
    }
}
