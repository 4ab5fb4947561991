//! How Rust and the other languages spell a type that holds no other one.

use super::model::Type;

/// The names of a type in the core.
#[rustfmt::skip]
const RUST: [(Type, &[&str]); 18] = [
    (Type::Bool, &["bool"]),
    (Type::U32, &["u16", "u32"]),
    (Type::U64, &["u64"]),
    (Type::Size, &["usize"]),
    (Type::I64, &["i64"]),
    (Type::F32, &["f32"]),
    (Type::F64, &["f64"]),
    (Type::Text, &["String", "str", "Cow", "LineProblem"]),
    (Type::Path, &["PathBuf", "Path"]),
    (Type::Id, &["EventId", "CitationId", "EntryId", "EntityId"]),
    (Type::Position, &["Seq", "JobId"]),
    (Type::Time, &["Timestamp"]),
    (Type::Duration, &["Duration"]),
    (Type::Json, &["Json"]),
    (Type::EventRef, &["EventRef"]),
    (Type::Scope, &["ProjectScope"]),
    (Type::Dedupe, &["Dedupe"]),
    (Type::Span, &["QuoteSpan"]),
];

/// A type in C (as Rust that cbindgen reads), C++, what crosses into Node's addon (as Rust has
/// it) and TypeScript.
#[rustfmt::skip]
const NAMES: [(Type, [&str; 4]); 20] = [
    (Type::Bool,       ["c_bool",        "bool",             "bool",   "boolean"]),
    (Type::U32,        ["u32",           "std::uint32_t",    "f64",    "number"]),
    (Type::U64,        ["u64",           "std::uint64_t",    "f64",    "number"]),
    (Type::Size,       ["usize",         "std::size_t",      "f64",    "number"]),
    (Type::I64,        ["i64",           "std::int64_t",     "f64",    "number"]),
    (Type::F32,        ["f32",           "float",            "f64",    "number"]),
    (Type::F64,        ["f64",           "double",           "f64",    "number"]),
    (Type::Text,       ["recallite_str", "std::string_view", "String", "string"]),
    (Type::Path,       ["recallite_str", "std::string_view", "String", "string"]),
    (Type::Id,         ["recallite_str", "std::string_view", "String", "string"]),
    (Type::Position,   ["u64",           "std::uint64_t",    "f64",    "number"]),
    (Type::Time,       ["i64",           "std::int64_t",     "f64",    "number"]),
    (Type::Duration,   ["i64",           "std::int64_t",     "f64",    "number"]),
    (Type::Json,       ["recallite_str", "std::string_view", "String", "JsonValue"]),
    (Type::JsonObject, ["recallite_str", "std::string_view", "String", "JsonObject"]),
    (Type::EventRef,   ["recallite_str", "std::string_view", "f64",    "number"]),
    (Type::Scope,      ["recallite_str", "Scope",            "f64",    "number"]),
    (Type::Dedupe,     ["recallite_str", "recallite_dedupe", "f64",    "number"]),
    (Type::Offset,     ["usize",         "std::size_t",      "f64",    "number"]),
    (Type::Span,       ["recallite_quote_span", "recallite_quote_span", "f64",    "number"]),
];

/// What reads an argument of a type: the function of Node's `check`, its type of a field, and
/// the function of Python's `argument`; and what the type is called in Python.
#[rustfmt::skip]
const READERS: [(Type, [&str; 4]); 20] = [
    (Type::Bool,       ["boolean",    "'boolean'",    "boolean",     "bool"]),
    (Type::U32,        ["number",     "'number'",     "small",       "int"]),
    (Type::U64,        ["number",     "'number'",     "whole",       "int"]),
    (Type::Size,       ["number",     "'number'",     "size",        "int"]),
    (Type::I64,        ["number",     "'number'",     "signed",      "int"]),
    (Type::F32,        ["number",     "'number'",     "fraction",    "float"]),
    (Type::F64,        ["number",     "'number'",     "number",      "float"]),
    (Type::Text,       ["text",       "'string'",     "text",        "str"]),
    (Type::Path,       ["path",       "path",         "path",        "str | os.PathLike[str]"]),
    (Type::Id,         ["text",       "'string'",     "text",        "str"]),
    (Type::Position,   ["number",     "'number'",     "position",    "int"]),
    (Type::Time,       ["moment",     "'time'",       "timestamp",   "datetime"]),
    (Type::Duration,   ["number",     "'number'",     "text",        "int"]),
    (Type::Json,       ["json",       "'json'",       "json",        "Any"]),
    (Type::JsonObject, ["jsonObject", "'jsonObject'", "json_object", "dict[str, Any]"]),
    (Type::EventRef,   ["name",       "name",         "event_ref",   "base.EventName"]),
    (Type::Scope,      ["number",     "'number'",     "scope",       "str | base.ProjectScope"]),
    (Type::Dedupe,     ["number",     "dedupe",       "text",        "bool | str"]),
    (Type::Offset,     ["number",     "'number'",     "size",        "int"]),
    (Type::Span,       ["number",     "'number'",     "size",        "int"]),
];

/// The spellings of a type, and the names of the functions that read it.
pub struct Spelled {
    pub c: &'static str,
    pub cpp: &'static str,
    pub addon: &'static str,
    pub typescript: &'static str,
    pub check: &'static str,
    pub field: &'static str,
    pub reader: &'static str,
    pub python: &'static str,
}

/// The row of a type, or else that of another one.
fn row(table: &[(Type, [&'static str; 4])], ty: &Type, other: &Type) -> [&'static str; 4] {
    let find = |ty: &Type| table.iter().find(|(known, _)| known == ty);
    let found = find(ty).or_else(|| find(other));
    found.map_or([""; 4], |(_, row)| *row)
}

impl Type {
    /// The type that the core calls so.
    pub fn of_rust(name: &str) -> Option<Type> {
        let row = RUST.iter().find(|(_, names)| names.contains(&name));
        row.map(|(ty, _)| ty.clone())
    }

    pub fn spelled(&self) -> Spelled {
        let [c, cpp, addon, typescript] = row(&NAMES, self, &Type::I64);
        let [check, field, reader, python] = row(&READERS, self, &Type::Text);
        Spelled {
            c,
            cpp,
            addon,
            typescript,
            check,
            field,
            reader,
            python,
        }
    }
}
