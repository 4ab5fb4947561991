//! C: structs of options with their readers, results with what frees them, enums, and a
//! function for each method and each rule, as Rust that cbindgen reads.

use minijinja::context;
use minijinja::value::{Value as Told, ViaDeserialize as Via};
use serde::Serialize;

use super::File;
use super::c_methods::{Methods, c_argument, function_name};
use super::c_options::{self, taken_as};
use super::doc::{self, snake};
use super::model::{Access, Area, Field, Handle, Model, Record, Type, Words};
use super::named::Named;
use super::templates::Templates;
use crate::shell::Outcome;

/// As comments of C name things.
pub fn spelled(model: &Model, code: &str, is_name: bool) -> String {
    if !is_name {
        return code.to_owned();
    }
    match model.named(code) {
        Named::Nothing => "absent".to_owned(),
        Named::Constant(function) => format!("recallite_{function}()"),
        Named::Method(handle, name) => named_function(model, handle, &name),
        Named::Field(_, "open") if code.contains("MemoryBuilder") => {
            "recallite_open_with".to_owned()
        }
        Named::Field(record, name) => field_name(model, record, name),
        Named::Value(words, item) => constant(words, &item.variant),
        Named::Type(name) => c_name(name),
        Named::Other(value @ ("true" | "false" | "null")) => value.to_owned(),
        Named::Word(word) | Named::Other(word) => format!("\"{word}\""),
    }
}

/// The function of a method, which may be written by hand.
fn named_function(model: &Model, handle: Option<&Handle>, name: &str) -> String {
    let groups = handle.map_or(model.rules.as_slice(), std::slice::from_ref);
    let mut methods = groups.iter().flat_map(|group| group.methods_in("c"));
    let method = methods.find(|method| method.called == name);
    match (method, handle) {
        (Some(method), handle) => function_name(handle, method),
        (None, Some(handle)) if !handle.is_root() => format!("{}_{name}", c_name(&handle.name)),
        (None, Some(_)) => c_name(name),
        (None, None) => name.to_owned(),
    }
}

/// What C calls a field of a record, or the fields, options and arguments of a name if it has
/// one name for all.
fn field_name(model: &Model, record: Option<&Record>, name: &str) -> String {
    let arguments = model
        .arguments()
        .filter(|one| one.name == name && record.is_none());
    let mut names: Vec<String> = arguments.map(c_argument).collect();
    for record in model
        .structs()
        .filter(|one| record.is_none_or(|only| only.name == one.name))
    {
        for field in record.fields.iter().filter(|one| one.name == name) {
            names.push(match record.is_option {
                true => c_options::name_of(record, field),
                false => part_name(field),
            });
        }
    }
    names.sort_unstable();
    names.dedup();
    match names.as_slice() {
        // The opposite is said there.
        [one] if one.starts_with("skip_") && !name.starts_with("skip_") => {
            format!("{name} (see {one})")
        }
        [one] => one.clone(),
        _ => name.to_owned(),
    }
}

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
    Ok(templates)
}

/// A comment of rustdoc, from which cbindgen makes that of the header.
fn comment(model: &Model, docs: &str, indent: usize) -> String {
    let style = |code: &str, is_name: bool| spelled(model, code, is_name);
    let lines = doc::lines(docs, &style, 82 - indent);
    doc::prefixed(&lines, &format!("{}/// ", " ".repeat(indent)))
}

/// `recallite_privacy_config` of `PrivacyConfig`. The codes of errors are the statuses.
pub fn c_name(name: &str) -> String {
    match name {
        "ErrorCode" => "recallite_status".to_owned(),
        name => format!("recallite_{}", snake(name)),
    }
}

/// The constant of a value: `RECALLITE_TASK_STATUS_DONE` of `done`, `RECALLITE_BUSY` of a
/// status.
pub fn constant(words: &Words, variant: &str) -> String {
    let of = match words.is_of_errors() {
        true => "recallite".to_owned(),
        false => c_name(&words.name),
    };
    format!("{of}_{}", snake(variant)).to_uppercase()
}

/// Which constants a number means.
pub fn said(docs: &str, ty: &Type) -> String {
    match ty.inner().item() {
        Type::Words(name) => format!("{docs} One of {}.", c_name(name)),
        _ => docs.to_owned(),
    }
}

pub fn c_type(ty: &Type) -> String {
    match ty {
        Type::Words(_) => "i32".to_owned(),
        Type::Record(name) => format!("*const {}", c_name(name)),
        Type::Option(inner) => c_type(inner),
        other => other.spelled().c.to_owned(),
    }
}

/// A field of a result, as C has it.
#[derive(Serialize)]
pub struct Part {
    pub name: String,
    pub docs: String,
    /// The type in the declaration that cbindgen reads.
    ty: String,
    /// How it is shown.
    kind: &'static str,
    /// The type of one value.
    of: Type,
    /// Its name without the ending that a unit replaces.
    pub bare: String,
    /// The name of a list's length.
    pub len: String,
    is_list: bool,
    /// How Rust reads it from the record.
    core: String,
    is_method: bool,
}

/// What a field is called in C: with its unit at the end.
pub fn part_name(field: &Field) -> String {
    match field.ty.inner() {
        Type::Time => format!("{}_ms", bare(field)),
        Type::Json | Type::JsonObject => format!("{}_json", field.name),
        _ => field.name.clone(),
    }
}

/// A field's name without the ending that a unit replaces.
pub fn bare(field: &Field) -> &str {
    match field.ty.inner() {
        Type::Time => field.name.strip_suffix("_at").unwrap_or(&field.name),
        _ => &field.name,
    }
}

/// How a field of a result is shown, and the type of one value: a position, a text, a word or
/// a record that may be absent is 0 or NULL then, another value has a flag.
fn shows(ty: &Type) -> (&'static str, &Type) {
    match ty {
        Type::Words(_) => ("Word", ty),
        Type::Record(_) => ("Record", ty),
        Type::Span => ("Span", ty),
        Type::Option(inner) => match shows(inner) {
            ("Text", one) => ("OptionalText", one),
            ("Word", one) => ("OptionalWord", one),
            ("Record", one) => ("OptionalRecord", one),
            (_, Type::Position) => ("OptionalPosition", inner),
            ("Plain", one) => ("Flagged", one),
            other => other,
        },
        Type::List(inner) => match shows(inner) {
            ("Text", one) => ("Texts", one),
            ("Record", one) => ("Records", one),
            _ => ("Values", inner),
        },
        other if other.is_text() => ("Text", other),
        other => ("Plain", other),
    }
}

/// The type of a field of a result.
fn view_type(ty: &Type) -> String {
    match ty {
        Type::Bool => "bool".to_owned(),
        Type::Span => "recallite_quote_span".to_owned(),
        Type::Option(inner) => view_type(inner),
        Type::List(inner) => match &**inner {
            Type::Record(name) => format!("*const *const {}", c_name(name)),
            other => format!("*const {}", view_type(other)),
        },
        other => c_type(other),
    }
}

/// The fields of a result in C, without the lengths of lists and the flags of numbers.
pub fn parts(record: &Record) -> Vec<Part> {
    let part = |field| part(field, record.about.advice.contains(&field.name));
    record.fields.iter().map(part).collect()
}

/// What form a value has in C, where its documentation does not say it.
pub fn form(field: &Field) -> &'static str {
    match field.ty.inner() {
        Type::Time => " In milliseconds since 1970 UTC.",
        Type::Json if !field.docs.contains("JSON") => " As JSON.",
        Type::JsonObject if !field.docs.contains("JSON") => " As a JSON object.",
        _ => "",
    }
}

/// `is_advice`: whether it is a text that may name functions.
fn part(field: &Field, is_advice: bool) -> Part {
    let (kind, of) = shows(&field.ty);
    let none = match kind {
        "OptionalRecord" => " NULL when there is none.",
        "OptionalPosition" => " 0 when there is none.",
        "Span" if field.ty.is_option() => " All zero when there is none.",
        _ => "",
    };
    let name = part_name(field);
    let (core, is_method) = match &field.access {
        Access::Field(path) if is_advice && kind == "Texts" => (
            format!("self.{path}.iter().map(|one| crate::error::spelled(one))"),
            false,
        ),
        Access::Field(path) if is_advice => (format!("crate::error::spelled(&self.{path})"), false),
        Access::Field(path) => (format!("self.{path}"), false),
        Access::Method(method) => (format!("self.{method}()"), true),
    };
    Part {
        docs: said(&(field.docs.clone() + form(field)), &field.ty) + none,
        ty: view_type(&field.ty),
        bare: bare(field).to_owned(),
        len: match name.as_str() {
            "items" => "len".to_owned(),
            name => format!("{name}_len"),
        },
        is_list: ["Records", "Texts", "Values"].contains(&kind),
        kind,
        of: of.clone(),
        name,
        core,
        is_method,
    }
}
