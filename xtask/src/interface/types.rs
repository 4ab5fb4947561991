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

/// A type in C (as Rust that cbindgen reads), C++, what crosses into Node's addon (as Rust
/// has it), TypeScript and Python.
#[rustfmt::skip]
const NAMES: [(Type, [&str; 5]); 20] = [
    (Type::Bool,       ["c_bool",        "bool",             "bool",   "boolean",    "bool"]),
    (Type::U32,        ["u32",           "std::uint32_t",    "f64",    "number",     "int"]),
    (Type::U64,        ["u64",           "std::uint64_t",    "f64",    "number",     "int"]),
    (Type::Size,       ["usize",         "std::size_t",      "f64",    "number",     "int"]),
    (Type::I64,        ["i64",           "std::int64_t",     "f64",    "number",     "int"]),
    (Type::F32,        ["f32",           "float",            "f64",    "number",     "float"]),
    (Type::F64,        ["f64",           "double",           "f64",    "number",     "float"]),
    (Type::Text,       ["recallite_str", "std::string_view", "String", "string",     "str"]),
    (Type::Path,       ["recallite_str", "std::string_view", "String", "string",     "str | os.PathLike[str]"]),
    (Type::Id,         ["recallite_str", "std::string_view", "String", "string",     "str"]),
    (Type::Position,   ["u64",           "std::uint64_t",    "f64",    "number",     "int"]),
    (Type::Time,       ["i64",           "std::int64_t",     "f64",    "number",     "datetime"]),
    (Type::Duration,   ["i64",           "std::int64_t",     "f64",    "number",     "int"]),
    (Type::Json,       ["recallite_str", "std::string_view", "String", "JsonValue",  "Any"]),
    (Type::JsonObject, ["recallite_str", "std::string_view", "String", "JsonObject", "dict[str, Any]"]),
    (Type::EventRef,   ["recallite_str", "std::string_view", "f64",    "number",     "base.EventName"]),
    (Type::Scope,      ["recallite_str", "Scope",            "f64",    "number",     "str | base.ProjectScope | None"]),
    (Type::Dedupe,     ["recallite_str", "recallite_dedupe", "f64",    "number",     "bool | str"]),
    (Type::Offset,     ["usize",         "std::size_t",      "f64",    "number",     "int"]),
    (Type::Span,       ["recallite_quote_span", "recallite_quote_span", "f64", "number", "int"]),
];

/// What reads an argument of a type: the function of Node's `check` and its field type, the
/// function of Python's `argument` and what it takes, as stubs have it.
#[rustfmt::skip]
const READERS: [(Type, [&str; 4]); 18] = [
    (Type::Bool,       ["boolean",    "'boolean'",    "boolean",     "bool"]),
    (Type::U32,        ["number",     "'number'",     "small",       "int"]),
    (Type::U64,        ["number",     "'number'",     "whole",       "int"]),
    (Type::Size,       ["number",     "'number'",     "size",        "int"]),
    (Type::I64,        ["number",     "'number'",     "signed",      "int"]),
    (Type::F32,        ["number",     "'number'",     "fraction",    "float"]),
    (Type::F64,        ["number",     "'number'",     "number",      "float"]),
    (Type::Text,       ["text",       "'string'",     "text",        "str"]),
    (Type::Path,       ["path",       "'string'",     "path",        "_Path"]),
    (Type::Id,         ["text",       "'string'",     "text",        "str"]),
    (Type::Position,   ["number",     "'number'",     "position",    "int"]),
    (Type::Time,       ["moment",     "'time'",       "timestamp",   "datetime"]),
    (Type::Duration,   ["number",     "'number'",     "text",        "str"]),
    (Type::Json,       ["json",       "'json'",       "json",        "Any"]),
    (Type::JsonObject, ["jsonObject", "'jsonObject'", "json_object", "dict[str, Any]"]),
    (Type::EventRef,   ["name",       "name",         "event_ref",   "_EventRef"]),
    (Type::Scope,      ["number",     "'number'",     "scope",       "str | ProjectScope"]),
    (Type::Dedupe,     ["number",     "dedupe",       "text",        "str"]),
];

/// The spellings of a type.
pub struct Names {
    pub c: &'static str,
    pub cpp: &'static str,
    pub addon: &'static str,
    pub typescript: &'static str,
    pub python: &'static str,
}

/// The names of the functions that read a type.
pub struct Readers {
    pub node: &'static str,
    pub node_field: &'static str,
    pub python: &'static str,
    pub stub: &'static str,
}

/// The row of a type, or else that of another one.
fn row<const N: usize>(
    table: &[(Type, [&'static str; N])],
    ty: &Type,
    other: &Type,
) -> [&'static str; N] {
    let find = |ty: &Type| table.iter().find(|(known, _)| known == ty);
    find(ty)
        .or_else(|| find(other))
        .map_or([""; N], |(_, row)| *row)
}

impl Type {
    /// The type that the core calls so.
    pub fn of_rust(name: &str) -> Option<Type> {
        let row = RUST.iter().find(|(_, names)| names.contains(&name));
        row.map(|(ty, _)| ty.clone())
    }

    pub fn names(&self) -> Names {
        let [c, cpp, addon, typescript, python] = row(&NAMES, self, &Type::I64);
        Names {
            c,
            cpp,
            addon,
            typescript,
            python,
        }
    }

    pub fn readers(&self) -> Readers {
        let [node, node_field, python, stub] = row(&READERS, self, &Type::Text);
        Readers {
            node,
            node_field,
            python,
            stub,
        }
    }
}
