//! The generated files of Node: TypeScript types, the tables by which arguments are checked, the
//! classes, and the Rust of the addon.

use minijinja::context;

use super::file::File;
use super::model::{Model, Record, Type};
use super::node::{Node, check, crossing, fields_of, given, has_scope, is_required, taken_fields};
use super::node_methods;
use super::templates::Templates;
use crate::shell::Outcome;

pub fn files(model: &'static Model) -> Outcome<Vec<File>> {
    let node = Node { model };
    let templates = templates(node)?;
    let given = node.areas().flat_map(|area| &area.records);
    let values = context! {
        areas => node.areas().collect::<Vec<_>>(),
        parsed_records => given.filter(|one| one.fields.iter().any(|field| node.is_json(&field.ty))).collect::<Vec<_>>(),
        imported => node.imported(),
    };
    let mut files = node_methods::files(node, &templates)?;
    for (name, path) in [
        ("types.ts", "ts/generated/types.ts"),
        ("fields.ts", "ts/generated/fields.ts"),
        ("parsed.ts", "ts/generated/parsed.ts"),
        ("mod.rs", "src/generated/mod.rs"),
    ] {
        files.push(templates.file(&format!("bindings-node/{path}"), name, values.clone())?);
    }
    Ok(files)
}

fn templates(node: Node) -> Outcome<Templates> {
    let mut templates = Templates::of("node")?;
    templates.add("comment", move |docs: &str, indent: usize| {
        node.comment(docs, indent)
    });
    templates.on("fields", fields_of);
    templates.on("taken_fields", taken_fields);
    templates.on("needed", |one: &Record| {
        let fields = one.fields.iter().filter(|field| is_required(one, field));
        fields.cloned().collect::<Vec<_>>()
    });
    templates.on_both("needs", is_required);
    templates.on("has_scope", has_scope);
    templates.add("taken", move |name: &str| node.taken_name(name));
    templates.on("taken_type", move |ty: &Type| node.taken_type(ty));
    templates.on("typescript", given);
    templates.on("check", check);
    templates.on("crossing", crossing);
    templates.on("crossing_in", move |ty: &Type| node.crossing_in(ty));
    templates.on("is_json", move |ty: &Type| node.is_json(ty));
    templates.add("outdented", |body: &str| {
        let lines = body
            .lines()
            .map(|line| line.strip_prefix("  ").unwrap_or(line));
        lines.map(|line| format!("{line}\n")).collect::<String>()
    });
    templates.add("used_in", node_methods::used_in);
    templates.add("fitting", node_methods::fitting);
    templates.on("crossed", node_methods::crossed);
    templates.on("checker", |ty: &Type| ty.spelled().check);
    templates.add("is_bare", move |name: &str| node.is_bare(name));
    Ok(templates)
}
