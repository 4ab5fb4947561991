//! C: structs of options, their readers, and enums, as Rust that cbindgen reads.

use super::doc::{self, Style, snake};
use super::model::{Area, Field, Model, Record, Type, Value, Words};
use super::{File, GENERATED};

struct Plain;

impl Style for Plain {
    fn name(&self, name: &str) -> String {
        match name.split_once("::") {
            Some(("Memory", method)) => format!("recallite_{method}"),
            Some(("MemoryBuilder", "open")) => "recallite_open_with".to_owned(),
            _ if name == "None" => "absent".to_owned(),
            _ => doc::last(name).to_owned(),
        }
    }

    fn code(&self, code: &str) -> String {
        code.to_owned()
    }
}

pub fn files(model: &Model) -> Vec<File> {
    let areas: Vec<&Area> = model.areas_of("c").collect();
    vec![File::rust("memory-ffi/src/generated/mod.rs", text(&areas))]
}

fn text(areas: &[&Area]) -> String {
    let mut text = format!(
        "// {GENERATED}\n\
         //! Options as C gives them, and the core's made of them.\n\n\
         #![allow(clippy::field_reassign_with_default)]\n\n\
         use recallite::Result;\n\n\
         use crate::input::{{self, Input, boolean, c_bool, field}};\n\
         use crate::learn::word::{{word, words}};\n\
         use crate::text::recallite_str;\n"
    );
    for area in areas {
        for words in area.words.iter().filter(|words| words.is_plain) {
            text.push_str(&enumeration(words));
        }
        for record in area.options.iter().filter(|one| !one.is_by_hand("c.take")) {
            text.push_str(&structure(record));
            text.push_str(&reader(record));
        }
    }
    text
}

fn comment(docs: &str, indent: usize) -> String {
    let space = " ".repeat(indent);
    doc::lines(docs, &Plain, 82 - indent)
        .iter()
        .map(|line| format!("{space}/// {line}").trim_end().to_owned() + "\n")
        .collect()
}

/// `recallite_privacy_config` of `PrivacyConfig`.
fn c_name(name: &str) -> String {
    format!("recallite_{}", snake(name))
}

fn enumeration(words: &Words) -> String {
    let name = c_name(&words.name);
    let constant = |variant: &str| format!("{}_{}", name, snake(variant)).to_uppercase();
    let mut text = format!(
        "\n{}#[derive(Clone, Copy, Debug, PartialEq, Eq)]\n#[repr(i32)]\npub enum {name} {{\n",
        comment(&words.docs, 0)
    );
    for (index, item) in words.items.iter().enumerate() {
        text.push_str(&comment(&item.docs, 4));
        text.push_str(&format!("{} = {},\n", constant(&item.variant), index + 1));
    }
    text.push_str(&format!(
        "}}\n\nuse {};\n\nwords! {{\n{} => {name} {{\n",
        words.path,
        doc::last(&words.path)
    ));
    for item in &words.items {
        text.push_str(&format!(
            "{} = {} c{:?},\n",
            item.variant,
            constant(&item.variant),
            item.text
        ));
    }
    text.push_str("}\n}\n");
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
        None => field.name.clone(),
    }
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

fn c_type(ty: &Type) -> String {
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
                 let given = unsafe {{ input::read(name, given) }}?;\n\
                 let mut made = {0}::default();\n",
                record.path
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
            wrapped("text.to_owned()")
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
