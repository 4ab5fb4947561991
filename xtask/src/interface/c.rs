//! C: structs of options with their readers, results with what frees them, and enums, as
//! Rust that cbindgen reads.

use super::c_methods;
use super::doc::{self, Style, snake};
use super::model::{Access, Area, Field, Handle, Model, Record, Type, Value, Words};
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
            files.push(File::rust(&path, c_methods::text(handle)));
        }
    }
    for area in areas {
        let path = format!("memory-ffi/src/generated/{}.rs", area.name);
        let methods = handles
            .iter()
            .filter(|handle| snake(&handle.name) == area.name);
        let methods: String = methods.map(|handle| c_methods::functions(handle)).collect();
        files.push(File::rust(&path, text(area) + &methods));
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
         use crate::status::recallite_status;\n\
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

fn text(area: &Area) -> String {
    let mut text = format!("// {GENERATED}\n//! {}\n\nuse super::*;\n", area.docs);
    for words in &area.words {
        text.push_str(&enumeration(words));
    }
    for record in area.options.iter().filter(|one| !one.is_by_hand("c.take")) {
        text.push_str(&structure(record));
        text.push_str(&reader(record));
    }
    for record in area.records.iter().filter(|one| !one.is_by_hand("c.give")) {
        text.push_str(&result(record));
    }
    text
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

/// `recallite_privacy_config` of `PrivacyConfig`.
pub fn c_name(name: &str) -> String {
    format!("recallite_{}", snake(name))
}

/// The constant of a value: `RECALLITE_TASK_STATUS_DONE` of `done`.
pub fn constant(words: &Words, variant: &str) -> String {
    format!("{}_{}", c_name(&words.name), snake(variant)).to_uppercase()
}

fn enumeration(words: &Words) -> String {
    let name = c_name(&words.name);
    let mut text = format!(
        "\n{}#[derive(Clone, Copy, Debug, PartialEq, Eq)]\n#[repr(i32)]\npub enum {name} {{\n\
         /// Not said: in a filter any, in options the default, in a result absent.\n\
         {} = 0,\n",
        comment(&words.docs, 0),
        constant(words, "Unset"),
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
    let example = words.items.first().map_or("", |item| &item.text);
    let said = format!(
        "The stable name of a {name}, for example \"{example}\"; \"unknown\" for 0 and for a \
         number without meaning."
    );
    text.push_str(&format!(
        "}}\n}}\n\n{}///\n\
         /// @return zero-terminated text that is valid for ever; never NULL.\n\
         #[unsafe(no_mangle)]\n\
         pub extern \"C\" fn {name}_name(number: i32) -> *const c_char {{\n\
         words::name::<{}>(number)\n}}\n",
        comment(&said, 0),
        words.path
    ));
    text
}

/// Whether a field is a switch that is on by default, which C has turned round: zero
/// is the default of every field.
fn is_turned(field: &Field) -> bool {
    field.default == Some(Value::Bool(true))
}

fn field_name(record: &Record, field: &Field) -> String {
    match record.about.c_renamed.get(&field.name) {
        Some(name) => name.clone(),
        None if is_turned(field) => format!("skip_{}", field.name),
        None if field.ty.inner() == &Type::Time => format!("{}_ms", field.name),
        None => field.name.clone(),
    }
}

/// Whether a field has no default: it must be given.
fn is_required(record: &Record, field: &Field) -> bool {
    !record.is_builder && field.default.is_none()
}

fn structure(record: &Record) -> String {
    let name = c_name(&record.name);
    let about = match record.about.c_filled {
        true => format!(
            "Begin with RECALLITE_INIT({name}), call {name}_default, and change what shall \
             differ: zero is a value of its own here."
        ),
        false => {
            format!("Begin with RECALLITE_INIT({name}); a field that is zero has its default.")
        }
    };
    let mut text = format!(
        "\n{}#[derive(Clone, Copy, Debug)]\n#[repr(C)]\npub struct {name} {{\n\
         /// sizeof({name}).\npub struct_size: usize,\n",
        comment(&format!("{}\n\n{about}", without_headings(&record.docs)), 0)
    );
    for field in &record.fields {
        let docs = match is_turned(field) {
            true => format!("Switches off: {}", lowered(&field.docs)),
            false => field.docs.clone(),
        };
        let docs = match field.ty.inner() {
            Type::Time => format!("{docs} In milliseconds since 1970 UTC; 0 for none."),
            _ => docs,
        };
        text.push_str(&comment(&said(&docs, &field.ty), 4));
        let c_field = field_name(record, field);
        match field.ty.inner() {
            Type::List(inner) => text.push_str(&format!(
                "pub {c_field}: *const {},\n/// How many.\npub {c_field}_len: usize,\n",
                c_type(inner)
            )),
            ty => text.push_str(&format!("pub {c_field}: {},\n", c_type(ty))),
        }
    }
    for extra in &record.about.c_fields {
        text.push_str(&comment(&extra.docs, 4));
        text.push_str(&format!("pub {}: {},\n", extra.name, extra.r#type));
    }
    text.push_str("}\n\n");
    let first = match &record.about.c_since {
        Some(field) => format!("std::mem::offset_of!({name}, {field})"),
        None => format!("size_of::<{name}>()"),
    };
    text.push_str(&format!(
        "// SAFETY: repr(C), the size comes first, and integers, bytes and raw pointers take\n\
         // every bit pattern.\n\
         unsafe impl Input for {name} {{\nconst FIRST_SIZE: usize = {first};\n}}\n"
    ));
    text
}

/// Documentation without its sections and examples.
fn without_headings(docs: &str) -> String {
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

fn lowered(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| {
        first.to_lowercase().chain(letters).collect()
    })
}

/// Which constants a number means.
fn said(docs: &str, ty: &Type) -> String {
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

fn reader(record: &Record) -> String {
    let name = c_name(&record.name);
    if record.about.c_filled {
        return filled(record);
    }
    if record.fields.iter().any(|field| is_required(record, field)) {
        return whole(record);
    }
    let (signature, start) = match record.is_builder {
        true => (
            format!(
                "/// Sets what the program gives.\n///\n/// # Safety\n\
                 /// What the fields point to is absent or readable.\n\
                 pub(crate) unsafe fn set(&self, mut builder: {0}) -> Result<{0}> {{\n\
                 let (given, name) = (self, \"\");\n",
                record.path
            ),
            "builder",
        ),
        false => (
            format!(
                "/// The core's options; errors call these `name`.\n///\n/// # Safety\n\
                 /// `given` is NULL or points to options whose texts and arrays are absent or\n\
                 /// readable.\n\
                 pub(crate) unsafe fn taken(name: &str, given: *const Self) -> Result<{0}> {{\n\
                 // SAFETY: the caller keeps the same condition.\n\
                 let given = unsafe {{ input::read(name, given) }}?;\n{1}\
                 let mut made = {0}::default();\n",
                record.path,
                bare_name(record)
            ),
            "made",
        ),
    };
    let mut text = format!("\nimpl {name} {{\n{signature}");
    for field in &record.fields {
        text.push_str(&reading(record, field));
    }
    text.push_str(&format!("Ok({start})\n}}\n}}\n"));
    text
}

/// Reads one field and puts it into its place.
fn reading(record: &Record, field: &Field) -> String {
    let c_field = field_name(record, field);
    let core = &field.core_name;
    let put = |value: &str| match record.is_builder {
        true => format!("builder = builder.{core}({value});\n"),
        false => format!("made.{core} = {value};\n"),
    };
    let wrapped = |value: &str| match field.ty.is_option() {
        true => put(&format!("Some({value})")),
        false => put(value),
    };
    let at = format!("&field(name, {c_field:?})");
    let safe = "// SAFETY: the caller keeps the same condition.\n";
    match field.ty.inner() {
        Type::Bool => {
            let not = if is_turned(field) { "!" } else { "" };
            wrapped(&format!("{not}boolean({at}, given.{c_field})?"))
        }
        Type::Words(_) => format!(
            "if given.{c_field} != 0 {{\n{}}}\n",
            wrapped(&format!("word({at}, given.{c_field})?"))
        ),
        Type::Record(inner) => format!(
            "if !given.{c_field}.is_null() {{\n{safe}\
             let value = unsafe {{ {}::taken({at}, given.{c_field}) }}?;\n{}}}\n",
            c_name(inner),
            wrapped("value")
        ),
        Type::List(inner) => {
            let (read, made) = match &**inner {
                Type::Words(_) => (
                    "input::array",
                    format!(
                        "list.iter().enumerate().map(|(index, number)| \
                         word(&format!(\"{{}}[{{index}}]\", field(name, {c_field:?})), *number))\
                         .collect::<Result<_>>()?"
                    ),
                ),
                Type::Text => (
                    "input::texts",
                    "list.into_iter().map(str::to_owned).collect()".to_owned(),
                ),
                _ => ("input::array", "list.to_vec()".to_owned()),
            };
            format!(
                "{safe}let list = unsafe {{ {read}({at}, given.{c_field}, given.{c_field}_len) }}?;\n\
                 if !list.is_empty() {{\n{}}}\n",
                wrapped(&made)
            )
        }
        Type::Text | Type::Path | Type::Id => format!(
            "{safe}if let Some(text) = unsafe {{ given.{c_field}.optional({at}) }}? {{\n{}}}\n",
            wrapped(match field.ty.inner() {
                Type::Path => "text.into()",
                _ => "text.to_owned()",
            })
        ),
        Type::Json | Type::JsonObject => format!(
            "{safe}if let Some(json) = unsafe {{ input::json({at}, given.{c_field}) }}? {{\n{}}}\n",
            wrapped("json")
        ),
        Type::F32 | Type::F64 => format!(
            "if given.{c_field} != 0.0 {{\n{}}}\n",
            wrapped(&format!("given.{c_field}"))
        ),
        _ => format!(
            "if given.{c_field} != 0 {{\n{}}}\n",
            wrapped(&format!("given.{c_field}"))
        ),
    }
}

/// From here on errors name fields, and not the struct that holds them.
fn bare_name(record: &Record) -> &'static str {
    match record.about.bare {
        true => "let name = \"\";\n",
        false => "",
    }
}

/// Reads a struct of which some fields must be given.
fn whole(record: &Record) -> String {
    let name = c_name(&record.name);
    let path = &record.path;
    let fields: String = record
        .fields
        .iter()
        .map(|field| {
            let c_field = field_name(record, field);
            let at = format!("&field(name, {c_field:?})");
            let value = match (&field.ty, field.ty.inner()) {
                (Type::Text, _) => format!("given.{c_field}.required({at})?.to_owned()"),
                (Type::Words(_), _) => format!("word({at}, given.{c_field})?"),
                (Type::Option(_), Type::Text) => {
                    format!("given.{c_field}.optional({at})?.map(str::to_owned)")
                }
                (Type::Option(_), Type::Time) => format!(
                    "match given.{c_field} {{\n0 => None,\n\
                     ms => Some(input::moment({at}, ms)?),\n}}"
                ),
                (Type::Option(_), Type::EventRef) => format!(
                    "match given.{c_field}.optional({at})? {{\n\
                     Some(_) => Some(input::event_ref({at}, given.{c_field})?),\nNone => None,\n}}"
                ),
                (ty, _) => unreachable!("C takes no {ty:?} for {}.{c_field}", record.name),
            };
            format!("{}: {value},\n", field.core_name)
        })
        .collect();
    let bare = bare_name(record);
    format!(
        "\nimpl {name} {{\n/// The core's; errors call these `name`.\n///\n/// # Safety\n\
         /// `given` is NULL or points to a struct whose texts are absent or readable.\n\
         pub(crate) unsafe fn taken(name: &str, given: *const Self) -> Result<{path}> {{\n\
         // SAFETY: the caller keeps the same condition.\n\
         let given = unsafe {{ input::read(name, given) }}?;\n{bare}\
         // SAFETY: the same, for each text.\n\
         Ok(unsafe {{\n{path} {{\n{fields}}}\n}})\n}}\n}}\n"
    )
}

/// Both ways, for a struct that a function fills.
fn filled(record: &Record) -> String {
    let name = c_name(&record.name);
    let path = &record.path;
    let each = |line: &dyn Fn(&str) -> String| -> String {
        record
            .fields
            .iter()
            .map(|field| line(&field.name))
            .collect()
    };
    format!(
        "\nimpl {name} {{\n/// As the core has them.\n\
         pub(crate) fn of(core: &{path}) -> Self {{\n{name} {{\n\
         struct_size: size_of::<Self>(),\n{}}}\n}}\n\n\
         /// The core's; what an older struct does not have is at its default.\n///\n\
         /// # Safety\n\
         /// `given` is NULL or points to a struct whose first field tells its size.\n\
         pub(crate) unsafe fn taken(name: &str, given: *const Self) -> Result<{path}> {{\n\
         let base = Self::of(&{path}::default());\n\
         // SAFETY: the caller keeps the same condition.\n\
         Ok(unsafe {{ input::read_over(name, given, base) }}?.made())\n}}\n\n\
         pub(crate) fn made(&self) -> {path} {{\nlet mut made = {path}::default();\n{}made\n}}\n}}\n",
        each(&|field| format!("{field}: core.{field},\n")),
        each(&|field| format!("made.{field} = self.{field};\n")),
    )
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

/// Two values that stand together, as a struct.
pub struct Pair {
    pub name: String,
    pub docs: String,
    pub parts: Vec<Part>,
}

/// The pairs that a result holds.
pub fn pairs(record: &Record) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for field in &record.fields {
        if let (Some([name, first, second]), Type::List(inner)) =
            (record.about.pairs.get(&field.name), &field.ty)
            && let Type::Pair(one, two) = &**inner
        {
            let part = |name: &str, ty: &Type| Part {
                name: name.to_owned(),
                docs: capital(&format!("the {}.", name.replace('_', " "))),
                ty: view_type(ty),
                shows: shows(ty),
            };
            pairs.push(Pair {
                name: name.clone(),
                docs: format!("One of the {} of [`{}`].", field.name, record.name),
                parts: vec![part(first, one), part(second, two)],
            });
        }
    }
    pairs
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| {
        first.to_uppercase().chain(letters).collect()
    })
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
            let pair = record.about.pairs.get(&field.name);
            let docs = match (field.ty.inner(), pair) {
                (Type::Time, _) => format!("{} In milliseconds since 1970 UTC.", field.docs),
                (Type::Json, _) => format!("{} As JSON.", field.docs),
                (Type::JsonObject, _) => format!("{} As a JSON object.", field.docs),
                (ty, _) => said(&field.docs, ty),
            };
            let (ty, shows) = match pair {
                Some([name, ..]) => (
                    format!("*const *const {}", c_name(name)),
                    Shows::Records(name.clone()),
                ),
                None => (view_type(&field.ty), shows(&field.ty)),
            };
            Part {
                name: part_name(field),
                docs: match &shows {
                    Shows::OptionalRecord(_) => format!("{docs} NULL when there is none."),
                    Shows::OptionalPosition => format!("{docs} 0 when there is none."),
                    _ => docs,
                },
                ty,
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
    let mut text = String::new();
    for pair in pairs(record) {
        text.push_str(&format!(
            "\n{}#[derive(Debug)]\n#[repr(C)]\npub struct {} {{\n",
            comment(&pair.docs, 0),
            c_name(&pair.name)
        ));
        for part in &pair.parts {
            text.push_str(&declared(part, ""));
        }
        text.push_str("}\n");
    }
    let docs = without_headings(&record.docs);
    let freed = match record.is_given {
        true => format!("{docs}\n\nFree it with {name}_free, unless it came in another result."),
        false => docs,
    };
    text.push_str(&format!(
        "\n{}#[derive(Debug)]\n#[repr(C)]\npub struct {name} {{\n",
        comment(&freed, 0)
    ));
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

fn free(name: &str, what: &str, body: &str) -> String {
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
                let listed = match (&part.shows, record.about.pairs.get(&field.name)) {
                    (_, Some([name, first, second])) => format!(
                        "parts.list({items}, |parts, (first, second)| {} {{\n\
                         {first}: first.show(parts),\n{second}: second.show(parts),\n}})",
                        c_name(name)
                    ),
                    (Shows::Records(_), None) => format!("list({items}, parts)"),
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
