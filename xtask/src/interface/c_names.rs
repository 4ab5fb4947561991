//! What C calls types, constants, functions and fields, and how it has the fields of a result.

use serde::Serialize;

use super::doc::snake;
use super::model::{Access, Argument, Field, Gives, Handle, Method, Record, Type, Words};

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

/// `recallite_tasks_list` of `Tasks::list`, `recallite_summary` of `text::summary`. C has one
/// namespace for types and functions: where what it gives has that name, `_get` stands behind
/// it.
pub fn function_name(handle: Option<&Handle>, method: &Method) -> String {
    let name = match handle {
        Some(handle) if !handle.is_root() => format!("{}_{}", c_name(&handle.name), method.called),
        _ => c_name(&method.called),
    };
    match &method.gives {
        Gives::One(Type::Record(given) | Type::Words(given))
        | Gives::Maybe(Type::Record(given))
            if c_name(given) == name =>
        {
            format!("{name}_get")
        }
        _ => name,
    }
}

/// What an argument is called in C.
pub fn c_argument(argument: &Argument) -> String {
    match argument.ty.inner() {
        Type::Time | Type::Duration => format!("{}_ms", argument.name),
        Type::Json | Type::JsonObject => format!("{}_json", argument.name),
        _ => argument.local().to_owned(),
    }
}
