//! C: structs of options with their readers, results with what frees them, and enums, as
//! Rust that cbindgen reads.

use super::c_methods;
use super::c_options;
use super::doc::{self, Style, snake};
use super::model::{Access, Area, Field, Handle, Model, Record, Type, Words};
use super::{File, GENERATED};

struct Plain;

impl Style for Plain {
    fn name(&self, name: &str) -> String {
        match name.split_once("::") {
            Some(("Memory", method)) => format!("recallite_{method}"),
            Some((
                handle @ ("Tasks" | "Knowledge" | "Levels" | "Endless" | "Citations" | "History"
                | "Upkeep"),
                method,
            )) => {
                format!("{}_{method}", c_name(handle))
            }
            Some(("MemoryBuilder", "open")) => "recallite_open_with".to_owned(),
            _ if name == "None" => "absent".to_owned(),
            // A type.
            None if name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase) => {
                c_name(name)
            }
            _ => doc::last(name).to_owned(),
        }
    }

    fn code(&self, code: &str) -> String {
        code.to_owned()
    }
}

pub fn files(model: &Model) -> Vec<File> {
    let areas: Vec<&Area> = model.areas_of("c").collect();
    let handles: Vec<&Handle> = model.handles_of("c").collect();
    let mut files = vec![File::rust(
        "memory-ffi/src/generated/mod.rs",
        index(&areas, &handles),
    )];
    files.push(File::rust(
        "memory-ffi/src/generated/rules.rs",
        c_methods::rules(model),
    ));
    for handle in &handles {
        let name = snake(&handle.name);
        // A group may be called as the area of its results.
        if areas.iter().all(|area| area.name != name) {
            let path = format!("memory-ffi/src/generated/{name}.rs");
            files.push(File::rust(&path, c_methods::text(model, handle)));
        }
    }
    for area in areas {
        let path = format!("memory-ffi/src/generated/{}.rs", area.name);
        let methods = handles
            .iter()
            .filter(|handle| snake(&handle.name) == area.name);
        let methods = methods.map(|handle| c_methods::functions(model, handle));
        let methods: String = methods.collect();
        files.push(File::rust(&path, text(model, area) + &methods));
    }
    files
}

/// The module with what every area needs.
fn index(areas: &[&Area], handles: &[&Handle]) -> String {
    let mut text = format!(
        "// {GENERATED}\n\
         //! Options, results and words of the core as C has them, by the areas of the interface.\n\n\
         #![allow(clippy::field_reassign_with_default, clippy::unnecessary_cast)]\n\n\
         use std::ffi::c_char;\n\n\
         use recallite::Result;\n\n\
         use crate::by_hand::*;\n\
         use crate::call::{{guard, guard_free, optional_out, out, with_memory}};\n\
         use crate::error::recallite_error;\n\
         use crate::input::{{self, Input, boolean, c_bool, field}};\n\
         use crate::open::recallite_memory;\n\
         use crate::owned::{{self, Listed, Parts, Show, give_list, give_one, list, shown}};\n\
         use crate::text::{{give_text, give_texts, recallite_str, recallite_string, recallite_string_list}};\n\
         use crate::words::{{self, word, words}};\n\n"
    );
    let names = areas.iter().map(|area| area.name.clone());
    let groups = handles.iter().map(|handle| snake(&handle.name));
    let groups = groups.filter(|name| areas.iter().all(|area| area.name != *name));
    for name in names.chain(groups).chain(["rules".to_owned()]) {
        text.push_str(&format!("pub mod {name};\n"));
    }
    for area in areas {
        text.push_str(&format!("pub use {}::*;\n", area.name));
    }
    text
}

fn text(model: &Model, area: &Area) -> String {
    let mut text = format!("// {GENERATED}\n//! {}\n\nuse super::*;\n", area.docs);
    for words in &area.words {
        text.push_str(&enumeration(words));
    }
    for record in area.options.iter().filter(|one| has_struct(one)) {
        text.push_str(&c_options::text(model, record));
    }
    for record in area.records.iter().filter(|one| !one.is_by_hand("c.give")) {
        text.push_str(&result(record));
    }
    text
}

/// Whether the struct of what calls take is generated.
fn has_struct(record: &Record) -> bool {
    record.about.c_flat || !record.is_by_hand("c.take")
}

pub fn comment(docs: &str, indent: usize) -> String {
    let space = " ".repeat(indent);
    doc::lines(docs, &Plain, 82 - indent)
        .iter()
        .map(|line| format!("{space}/// {line}").trim_end().to_owned() + "\n")
        .collect()
}

/// One paragraph as C has it.
pub fn plain(text: &str) -> String {
    doc::paragraphs(text, &Plain).join(" ")
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

fn enumeration(words: &Words) -> String {
    let name = c_name(&words.name);
    let (zero, said) = match words.is_of_errors() {
        true => ("Ok", "The call did what it was asked."),
        false => (
            "Unset",
            "Not said: in a filter any, in options the default, in a result absent.",
        ),
    };
    let mut text = format!(
        "\n{}#[derive(Clone, Copy, Debug, PartialEq, Eq)]\n#[repr(i32)]\npub enum {name} {{\n\
         /// {said}\n{} = 0,\n",
        comment(&words.docs, 0),
        constant(words, zero),
    );
    for (index, item) in words.items.iter().enumerate() {
        let number = item.number.unwrap_or(index as i32 + 1);
        text.push_str(&comment(&item.docs, 4));
        text.push_str(&format!("{} = {number},\n", constant(words, &item.variant)));
    }
    text.push_str("}\n\n");
    let kind = match words.is_plain {
        true => "plain ",
        false => "",
    };
    text.push_str(&format!("words! {{\n{kind}{} => {name} {{\n", words.path));
    for item in &words.items {
        let constant = constant(words, &item.variant);
        text.push_str(&format!(
            "{} = {constant} c{:?},\n",
            item.variant, item.text
        ));
    }
    text.push_str("}\n}\n\n");
    text.push_str(&match words.is_of_errors() {
        true => status(words),
        false => named(words),
    });
    text
}

/// The status of an error's code. What newer cores may add is a defect of this library.
fn status(words: &Words) -> String {
    let (name, path) = (c_name(&words.name), &words.path);
    let items = words.items.iter();
    let arms = items.map(|item| {
        let constant = constant(words, &item.variant);
        format!("{path}::{} => Self::{constant},\n", item.variant)
    });
    format!(
        "impl {name} {{\n/// The status of an error of the core.\n\
         pub(crate) fn of(code: {path}) -> Self {{\nmatch code {{\n{}\
         _ => Self::{},\n}}\n}}\n}}\n",
        arms.collect::<String>(),
        constant(words, "Internal"),
    )
}

/// The function that gives the names of words.
fn named(words: &Words) -> String {
    let name = c_name(&words.name);
    let example = words.items.first().map_or("", |item| &item.text);
    let said = format!(
        "The stable name of a {name}, for example \"{example}\"; \"unknown\" for 0 and for a \
         number without meaning."
    );
    format!(
        "{}///\n\
         /// @return zero-terminated text that is valid for ever; never NULL.\n\
         #[unsafe(no_mangle)]\n\
         pub extern \"C\" fn {name}_name(number: i32) -> *const c_char {{\n\
         words::name::<{}>(number)\n}}\n",
        comment(&said, 0),
        words.path
    )
}

/// Documentation without its sections and examples.
pub fn without_headings(docs: &str) -> String {
    doc::paragraphs(docs, &Keep).join("\n\n")
}

/// Keeps names as rustdoc has them.
struct Keep;

impl Style for Keep {
    fn name(&self, name: &str) -> String {
        format!("`{name}`")
    }

    fn code(&self, code: &str) -> String {
        format!("`{code}`")
    }
}

pub fn lowered(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| {
        first.to_lowercase().chain(letters).collect()
    })
}

/// Which constants a number means.
pub fn said(docs: &str, ty: &Type) -> String {
    let word = match ty.inner() {
        Type::Words(name) => name,
        Type::List(inner) => match &**inner {
            Type::Words(name) => name,
            _ => return docs.to_owned(),
        },
        _ => return docs.to_owned(),
    };
    format!("{docs} One of {}.", c_name(word))
}

pub fn c_type(ty: &Type) -> String {
    match ty {
        Type::Bool => "c_bool".to_owned(),
        Type::U32 => "u32".to_owned(),
        Type::U64 | Type::Position => "u64".to_owned(),
        Type::Size | Type::Offset => "usize".to_owned(),
        Type::I64 | Type::Time | Type::Duration => "i64".to_owned(),
        Type::F32 => "f32".to_owned(),
        Type::F64 => "f64".to_owned(),
        Type::Words(_) => "i32".to_owned(),
        Type::Record(name) => format!("*const {}", c_name(name)),
        Type::Option(inner) => c_type(inner),
        _ => "recallite_str".to_owned(),
    }
}

/// A field of a result, as C has it.
pub struct Part {
    pub name: String,
    pub docs: String,
    /// The type in the declaration that cbindgen reads.
    pub ty: String,
    /// What it is made of.
    pub shows: Shows,
}

/// How a field of a result is shown.
#[derive(Clone, Debug, PartialEq)]
pub enum Shows {
    /// A number, a time, a flag.
    Plain(Type),
    /// As `Plain`, where a flag of its own says whether it is there.
    Flagged(Type),
    /// A word, 0 when it is absent.
    Word(String),
    OptionalWord(String),
    /// A position, 0 when it is absent.
    OptionalPosition,
    Text,
    OptionalText,
    Span,
    /// A pointer to another result.
    Record(String),
    OptionalRecord(String),
    /// Pointers to other results.
    Records(String),
    Texts,
    Values(Type),
    Array(Type, usize),
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

/// The name of a list's length.
pub fn len_name(name: &str) -> String {
    match name {
        "items" => "len".to_owned(),
        name => format!("{name}_len"),
    }
}

fn shows(ty: &Type) -> Shows {
    match ty {
        Type::Text | Type::Path | Type::Id | Type::Json | Type::JsonObject | Type::EventRef => {
            Shows::Text
        }
        Type::Words(name) => Shows::Word(name.clone()),
        Type::Record(name) => Shows::Record(name.clone()),
        Type::Span => Shows::Span,
        Type::Array(inner, len) => Shows::Array((**inner).clone(), *len),
        Type::Option(inner) => match shows(inner) {
            Shows::Text => Shows::OptionalText,
            Shows::Word(name) => Shows::OptionalWord(name),
            Shows::Record(name) => Shows::OptionalRecord(name),
            _ if **inner == Type::Position => Shows::OptionalPosition,
            Shows::Plain(ty) => Shows::Flagged(ty),
            other => other,
        },
        Type::List(inner) => match shows(inner) {
            Shows::Text => Shows::Texts,
            Shows::Record(name) => Shows::Records(name),
            _ => Shows::Values((**inner).clone()),
        },
        other => Shows::Plain(other.clone()),
    }
}

/// The type of a field of a result.
fn view_type(ty: &Type) -> String {
    match ty {
        Type::Bool => "bool".to_owned(),
        Type::Span => "recallite_quote_span".to_owned(),
        Type::Option(inner) => view_type(inner),
        Type::Array(inner, len) => format!("[{}; {len}]", view_type(inner)),
        Type::List(inner) => match &**inner {
            Type::Record(name) => format!("*const *const {}", c_name(name)),
            other => format!("*const {}", view_type(other)),
        },
        other => c_type(other),
    }
}

/// The fields of a result in C, without the lengths of lists and the flags of numbers.
pub fn parts(record: &Record) -> Vec<Part> {
    record
        .fields
        .iter()
        .map(|field| {
            let docs = match field.ty.inner() {
                Type::Time => format!("{} In milliseconds since 1970 UTC.", field.docs),
                Type::Json => format!("{} As JSON.", field.docs),
                Type::JsonObject => format!("{} As a JSON object.", field.docs),
                ty => said(&field.docs, ty),
            };
            let shows = shows(&field.ty);
            Part {
                name: part_name(field),
                docs: match &shows {
                    Shows::OptionalRecord(_) => format!("{docs} NULL when there is none."),
                    Shows::OptionalPosition => format!("{docs} 0 when there is none."),
                    Shows::Span if field.ty.is_option() => {
                        format!("{docs} All zero when there is none.")
                    }
                    _ => docs,
                },
                ty: view_type(&field.ty),
                shows,
            }
        })
        .collect()
}

fn declared(part: &Part, flag: &str) -> String {
    let mut text = comment(&part.docs, 4);
    text.push_str(&format!("pub {}: {},\n", part.name, part.ty));
    match part.shows {
        Shows::Records(_) | Shows::Texts | Shows::Values(_) => {
            text.push_str(&format!(
                "/// How many.\npub {}: usize,\n",
                len_name(&part.name)
            ));
        }
        Shows::Flagged(_) => {
            text.push_str(&format!(
                "/// Whether {} is known.\npub has_{flag}: bool,\n",
                part.name
            ));
        }
        _ => {}
    }
    text
}

/// A result: its struct, how it is made of the core's, and how it is freed.
fn result(record: &Record) -> String {
    let name = c_name(&record.name);
    let docs = without_headings(&record.docs);
    let freed = match record.is_given {
        true => format!("{docs}\n\nFree it with {name}_free, unless it came in another result."),
        false => docs,
    };
    let mut text = format!(
        "\n{}#[derive(Debug)]\n#[repr(C)]\npub struct {name} {{\n",
        comment(&freed, 0)
    );
    for (part, field) in parts(record).iter().zip(&record.fields) {
        text.push_str(&declared(part, bare(field)));
    }
    text.push_str("}\n");
    text.push_str(&show(record));
    if record.is_given {
        text.push_str(&free(&name, "a result", "unsafe { owned::free(given) }"));
    }
    if record.is_listed {
        text.push_str(&list_of(record));
    }
    text
}

pub fn free(name: &str, what: &str, body: &str) -> String {
    format!(
        "\n/// Frees {what} and all that lies in it. NULL is fine.\n\
         #[unsafe(no_mangle)]\n\
         pub unsafe extern \"C\" fn {name}_free(given: *mut {name}) {{\n\
         // SAFETY: a pointer of this library that was not freed yet, or NULL.\n\
         guard_free(|| {body});\n}}\n"
    )
}

fn list_of(record: &Record) -> String {
    let name = c_name(&record.name);
    format!(
        "\n/// Several of {name}. Free it with {name}_list_free.\n\
         #[derive(Debug)]\n#[repr(C)]\npub struct {name}_list {{\n\
         /// Pointers to them.\npub items: *const *const {name},\n\
         /// How many.\npub len: usize,\n}}\n\n\
         impl Listed for {} {{\ntype List = {name}_list;\n\n\
         fn listed(items: *const *const {name}, len: usize) -> {name}_list {{\n\
         {name}_list {{ items, len }}\n}}\n}}\n{}",
        record.path,
        free(
            &format!("{name}_list"),
            "a list",
            "unsafe { owned::free(given) }"
        )
    )
}

/// Makes the struct of the core's record.
fn show(record: &Record) -> String {
    let name = c_name(&record.name);
    let mut before = String::new();
    let mut made = String::new();
    let parts = parts(record);
    for (part, field) in parts.iter().zip(&record.fields) {
        let (core, is_method) = match &field.access {
            Access::Field(path) => (format!("self.{path}"), false),
            Access::Method(method) => (format!("self.{method}()"), true),
        };
        let place = &part.name;
        let value = match &part.shows {
            Shows::Plain(Type::Offset) => format!("{core} as usize"),
            Shows::Plain(_) | Shows::Word(_) | Shows::Text | Shows::Span => {
                format!("{core}.show(parts)")
            }
            Shows::Array(..) => core,
            Shows::OptionalText => {
                format!("{core}.map_or(recallite_str::ABSENT, |one| one.show(parts))")
            }
            Shows::OptionalWord(_) | Shows::OptionalPosition => {
                format!("{core}.map_or(0, |one| one.show(parts))")
            }
            Shows::Flagged(_) => {
                let core = match is_method {
                    true => {
                        before.insert_str(0, &format!("let {place} = {core};\n"));
                        place
                    }
                    false => &core,
                };
                made.push_str(&format!(
                    "has_{}: {core}.is_some(),\n\
                     {place}: {core}.map(|one| one.show(parts)).unwrap_or_default(),\n",
                    bare(field)
                ));
                continue;
            }
            Shows::Record(_) => format!("shown({core}, parts)"),
            Shows::OptionalRecord(_) => {
                format!("{core}.map_or(std::ptr::null(), |one| shown(one, parts))")
            }
            Shows::Records(_) | Shows::Texts | Shows::Values(_) => {
                let items = if is_method {
                    format!("{core}.to_vec()")
                } else {
                    core
                };
                let listed = match &part.shows {
                    Shows::Records(_) => format!("list({items}, parts)"),
                    _ => format!("parts.values({items})"),
                };
                let len = len_name(place);
                let at = if is_method { 0 } else { before.len() };
                before.insert_str(at, &format!("let ({place}, {len}) = {listed};\n"));
                made.push_str(&format!("{place},\n{len},\n"));
                continue;
            }
        };
        if is_method {
            // What methods lend is taken before fields are moved out.
            before.insert_str(0, &format!("let {place} = {value};\n"));
            made.push_str(&format!("{place},\n"));
        } else {
            made.push_str(&format!("{place}: {value},\n"));
        }
    }
    format!(
        "\nimpl Show for {} {{\ntype View = {name};\n\n\
         #[allow(unused_variables)]\n\
         fn show(self, parts: &mut Parts) -> {name} {{\n{before}{name} {{\n{made}}}\n}}\n}}\n",
        record.path
    )
}
