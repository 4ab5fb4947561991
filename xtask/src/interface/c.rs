//! C: structs of options with their readers, results with what frees them, enums, and a
//! function for each method and each rule, as Rust that cbindgen reads.

use std::collections::{BTreeMap, BTreeSet};

use minijinja::context;
use minijinja::value::{Value as Told, ViaDeserialize as Via};

use super::c_methods::Methods;
use super::c_names::{c_argument, c_name, constant, parts};
use super::c_options::{self, taken_as};
use super::c_spelled::comment;
use super::doc;
use super::file::File;
use super::model::{Area, Model, Words};
use super::templates::Templates;
use crate::shell::Outcome;

pub fn files(model: &'static Model) -> Outcome<Vec<File>> {
    let templates = templates(model)?;
    let methods = Methods { model };
    let areas: Vec<&Area> = model.areas_of("c").collect();
    let has_area = |name: &str| areas.iter().any(|area| area.name == name);
    // A group may be called as the area of its results.
    let groups = model.handles_of("c").filter(|one| !has_area(&one.area()));
    let groups: Vec<_> = groups.collect();
    let rules = model.rules_of("c").map(|rule| methods.told(None, rule));
    let mut files = Vec::new();
    let mut file = |name: &str, template: &str, values: Told| -> Outcome {
        let path = format!("memory-ffi/src/generated/{name}.rs");
        files.push(templates.file(&path, template, values)?);
        Ok(())
    };
    let names = context! {
        areas => areas.iter().map(|area| &area.name).collect::<Vec<_>>(),
        groups => groups.iter().map(|handle| handle.area()).collect::<Vec<_>>(),
    };
    file("mod", "mod.rs", names)?;
    file(
        "rule_functions",
        "rules.rs",
        context! { methods => rules.collect::<Vec<_>>() },
    )?;
    for handle in groups {
        let (docs, methods) = (doc::first_paragraph(&handle.docs), methods.of(handle));
        let area = Area::default();
        file(&handle.area(), "area.rs", context! { docs, area, methods })?;
    }
    for area in areas {
        let handle = model.handles_of("c").find(|one| one.area() == area.name);
        let methods = handle.map(|handle| methods.of(handle)).unwrap_or_default();
        file(
            &area.name,
            "area.rs",
            context! { docs => area.docs, area, methods },
        )?;
    }
    Ok(files)
}

fn templates(model: &'static Model) -> Outcome<Templates> {
    let mut templates = Templates::of("c")?;
    let taken = |name: &str| c_name(taken_as(model, name));
    templates.add("comment", |docs: &str, indent: usize| {
        comment(model, docs, indent)
    });
    templates.add("c_name", c_name);
    templates.add("tagged", |text: &str| {
        // Further lines stand further in.
        format!("/// {}\n", doc::wrapped(text, 76).join("\n///     "))
    });
    templates.add("constant", |words: Via<Words>, name: &str| {
        constant(&words, name)
    });
    templates.add("without_headings", |docs: &str| {
        doc::paragraphs(docs, &|code, _| format!("`{code}`")).join("\n\n")
    });
    templates.on("parts", parts);
    templates.add("taken", taken);
    c_options::add_filters(&mut templates, model);
    templates.on("c_argument", c_argument);
    let areas: Vec<(String, Vec<String>)> = model.areas_of("c").map(declared).collect();
    templates.add("imports", move |body: &str| imports(&areas, body));
    Ok(templates)
}

/// What generated code takes from elsewhere: a module, and how code uses its names, of which `::`
/// is the module itself.
const TAKEN: &[(&str, &str)] = &[
    ("std::ffi", "c_char"),
    ("recallite", "Result<"),
    ("crate::call", "guard( optional_out( out( with_memory("),
    ("crate::error", "recallite_error"),
    ("crate::handle", "recallite_memory"),
    ("crate::input", "input:: Input boolean( c_bool field("),
    (
        "crate::owned",
        "owned:: Listed Parts Show give_list( give_one( list( recallite_quote_span shown(",
    ),
    ("crate::panics", "guard_free("),
    (
        "crate::strings",
        "give_text( give_texts( recallite_string recallite_string_list",
    ),
    ("crate::text", "recallite_str"),
    ("crate::words", "words:: word( words!"),
];

/// An area's module, and the types that it declares.
fn declared(area: &Area) -> (String, Vec<String>) {
    let options = area.options.iter().map(c_options::taken_name);
    let records = area.records.iter().map(|one| one.name.as_str());
    let records = options.chain(records).map(c_name);
    let records = records.flat_map(|name| [format!("{name}_list"), name]);
    let words = area.words.iter().map(|one| c_name(&one.name));
    (
        format!("super::{}", area.name),
        words.chain(records).collect(),
    )
}

/// The imports of a generated file.
fn imports(areas: &[(String, Vec<String>)], body: &str) -> String {
    let code: String = (body.lines())
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| [line, "\n"])
        .collect();
    let mut names: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (module, uses) in TAKEN {
        for name in uses.split(' ').filter(|one| is_used(&code, one)) {
            let name = match name.ends_with("::") {
                true => "self",
                false => name.trim_end_matches(['(', '<', '!']),
            };
            names.entry(module).or_default().insert(name);
        }
    }
    for (module, declared) in areas {
        let is_here = |name: &str| {
            ["struct", "enum"]
                .iter()
                .any(|kind| code.contains(&format!("pub {kind} {name} {{")))
        };
        for name in declared {
            if is_used(&code, name) && !is_here(name) {
                names.entry(module).or_default().insert(name);
            }
        }
    }
    let of_module = |(module, names): (&&str, &BTreeSet<&str>)| {
        let names: Vec<_> = names.iter().copied().collect();
        format!("use {module}::{{{}}};\n", names.join(", "))
    };
    names.iter().map(of_module).collect()
}

/// Whether code uses a name, which no path stands before.
fn is_used(code: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(name).any(|(at, _)| {
        let (before, after) = (&code[..at], &code[at + name.len()..]);
        let begins = !before.ends_with(|c| is_part(c) || c == '.' || c == ':');
        let ends = !name.ends_with(is_part) || !after.starts_with(is_part);
        begins && ends
    })
}
