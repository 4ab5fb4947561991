//! Node: TypeScript types, the tables by which arguments are checked, and the Rust
//! objects that cross into the addon.

use super::doc::{self, Style, camel};
use super::model::{Access, Area, Field, Model, Record, Type, Words};
use super::{File, GENERATED};

/// TypeScript's spelling: fields and methods are in camel case, other names as they
/// are.
struct TypeScript<'m> {
    model: &'m Model,
}

impl Style for TypeScript<'_> {
    fn name(&self, name: &str) -> String {
        let is_field = || {
            let mut records = self.model.records().chain(self.model.options());
            records.any(|record| record.fields.iter().any(|field| field.name == name))
        };
        let name = match doc::last(name) {
            "None" => "null".to_owned(),
            last if name.contains("::") || is_field() => camel(last),
            last => last.to_owned(),
        };
        format!("`{name}`")
    }

    fn code(&self, code: &str) -> String {
        format!("`{}`", code.replace("*/", "*\u{200b}/"))
    }
}

pub fn files(model: &Model) -> Vec<File> {
    let areas: Vec<&Area> = model.areas_of("node").collect();
    vec![
        File::text("bindings-node/ts/generated/types.ts", types(model, &areas)),
        File::text("bindings-node/ts/generated/fields.ts", tables(&areas)),
        File::rust("bindings-node/src/generated/mod.rs", objects(&areas)),
    ]
}

/// The results of an area that are not written by hand.
fn given_by(area: &Area) -> impl Iterator<Item = &Record> {
    let is_by_hand = |record: &&Record| record.is_by_hand("node.give");
    area.records
        .iter()
        .filter(move |record| !is_by_hand(record))
}

fn comment(docs: &str, indent: usize, style: &TypeScript<'_>) -> String {
    let space = " ".repeat(indent);
    let lines = doc::lines(docs, style, 88 - indent);
    match lines.as_slice() {
        [] => String::new(),
        [line] => format!("{space}/** {line} */\n"),
        many => {
            let mut text = format!("{space}/**\n");
            for line in many {
                text.push_str(format!("{space} * {line}").trim_end());
                text.push('\n');
            }
            text.push_str(&format!("{space} */\n"));
            text
        }
    }
}

fn types(model: &Model, areas: &[&Area]) -> String {
    let style = TypeScript { model };
    let mut body = String::new();
    for area in areas {
        for words in &area.words {
            body.push_str(&union(words, &style));
        }
        for record in given_by(area) {
            body.push_str(&result(record, &style));
        }
        for record in &area.options {
            body.push_str(&interface(record, &style));
        }
    }
    // What other areas have is still written by hand.
    let mut foreign: Vec<&str> = Vec::new();
    for area in areas {
        for record in area.records.iter().chain(&area.options) {
            for field in &record.fields {
                named(&field.ty, &mut foreign);
            }
        }
    }
    foreign.retain(|name| !areas.iter().any(|area| area.declares(name)));
    foreign.sort_unstable();
    foreign.dedup();
    let imported = match foreign.is_empty() {
        true => String::new(),
        false => format!(
            "\nimport type {{ {} }} from '../index.js';\n",
            foreign.join(", ")
        ),
    };
    format!("// {GENERATED}\n/** What goes in and comes out. */\n{imported}{body}")
}

/// The records and words that a type names.
fn named<'t>(ty: &'t Type, found: &mut Vec<&'t str>) {
    match ty {
        Type::Words(name) | Type::Record(name) => found.push(name),
        Type::Option(inner) | Type::List(inner) | Type::Array(inner, _) => named(inner, found),
        Type::Pair(first, second) => {
            named(first, found);
            named(second, found);
        }
        _ => {}
    }
}

/// A result: every field is there, `null` says that there is no value.
fn result(record: &Record, style: &TypeScript<'_>) -> String {
    let mut text = format!(
        "\n{}export interface {} {{\n",
        comment(&record.docs, 0, style),
        record.name
    );
    for field in &record.fields {
        let null = if field.ty.is_option() { " | null" } else { "" };
        text.push_str(&comment(&field.docs, 2, style));
        text.push_str(&format!(
            "  readonly {}: {}{null};\n",
            camel(&field.name),
            given(field.ty.inner())
        ));
    }
    text.push_str("}\n");
    text
}

/// The type of what is given back. A time is a number of milliseconds.
fn given(ty: &Type) -> String {
    match ty {
        Type::Time => "number".to_owned(),
        Type::List(inner) => match &**inner {
            Type::Pair(first, second) => format!(
                "readonly (readonly [{}, {}])[]",
                given(first),
                given(second)
            ),
            inner => format!("readonly {}[]", given(inner)),
        },
        other => taken(other),
    }
}

fn union(words: &Words, style: &TypeScript<'_>) -> String {
    let mut text = format!("\n{}", comment(&words.docs, 0, style));
    text.push_str(&format!("export type {} =\n", words.name));
    for (index, item) in words.items.iter().enumerate() {
        text.push_str(&comment(&item.docs, 2, style));
        let end = if index + 1 == words.items.len() {
            ";"
        } else {
            ""
        };
        text.push_str(&format!("  | '{}'{end}\n", item.text));
    }
    text
}

fn interface(record: &Record, style: &TypeScript<'_>) -> String {
    let mut text = format!(
        "\n{}export interface {} {{\n",
        comment(&record.docs, 0, style),
        record.name
    );
    for field in &record.fields {
        let ty = taken(field.ty.inner());
        let end = if is_required(record, field) {
            ""
        } else {
            " | undefined"
        };
        let mark = if is_required(record, field) { "" } else { "?" };
        text.push_str(&comment(&field.docs, 2, style));
        text.push_str(&format!(
            "  readonly {}{mark}: {ty}{end};\n",
            camel(&field.name)
        ));
    }
    text.push_str("}\n");
    text
}

fn is_required(record: &Record, field: &Field) -> bool {
    !record.is_builder && field.default.is_none()
}

/// The type of what is given.
fn taken(ty: &Type) -> String {
    match ty {
        Type::Bool => "boolean".to_owned(),
        Type::Text | Type::Path | Type::Id => "string".to_owned(),
        Type::Words(name) | Type::Record(name) => name.clone(),
        Type::List(inner) => format!("readonly {}[]", taken(inner)),
        Type::Option(inner) => taken(inner),
        Type::Time => "Date | number | string".to_owned(),
        Type::Json => "JsonValue".to_owned(),
        Type::JsonObject => "JsonObject".to_owned(),
        _ => "number".to_owned(),
    }
}

/// What each field must be, and the functions that check whole options.
fn tables(areas: &[&Area]) -> String {
    let mut text = format!(
        "// {GENERATED}\n/** What each option must be. */\n\n\
         import type * as Native from '../../native';\n\n\
         import {{ record, required, type Checked, type FieldType }} from '../check.js';\n"
    );
    for area in areas {
        for record in &area.options {
            text.push_str(&table(record));
        }
    }
    text
}

fn table(record: &Record) -> String {
    let name = camel(&doc::snake(&record.name));
    let mut text =
        format!("\nexport const {name}Fields: Readonly<Record<string, FieldType>> = {{\n");
    for field in &record.fields {
        text.push_str(&format!(
            "  {}: {},\n",
            camel(&field.name),
            check(field.ty.inner())
        ));
    }
    text.push_str("};\n");
    if record.is_builder {
        return text;
    }
    text.push_str(&format!(
        "\nexport function {name}(argument: string, value: unknown): Native.{} {{\n\
         \x20 const checked: Checked = record(argument, value, {name}Fields, `${{argument}}.`);\n",
        native(record)
    ));
    let needed: Vec<String> = record
        .fields
        .iter()
        .filter(|field| is_required(record, field))
        .map(|field| format!("'{}'", camel(&field.name)))
        .collect();
    if !needed.is_empty() {
        text.push_str(&format!(
            "  required(checked, [{}], `${{argument}}.`);\n",
            needed.join(", ")
        ));
    }
    text.push_str(&format!(
        "  return checked as unknown as Native.{};\n}}\n",
        native(record)
    ));
    text
}

fn check(ty: &Type) -> String {
    match ty {
        Type::Bool => "'boolean'".to_owned(),
        Type::Text | Type::Path | Type::Id | Type::Words(_) => "'string'".to_owned(),
        Type::Record(name) => camel(&doc::snake(name)),
        Type::List(inner) => match &**inner {
            Type::Text | Type::Words(_) => "'strings'".to_owned(),
            _ => "'numbers'".to_owned(),
        },
        Type::Option(inner) => check(inner),
        Type::Time => "'time'".to_owned(),
        Type::Json => "'json'".to_owned(),
        Type::JsonObject => "'jsonObject'".to_owned(),
        _ => "'number'".to_owned(),
    }
}

fn native(record: &Record) -> String {
    format!("Native{}", record.name)
}

/// The objects that cross into the addon.
fn objects(areas: &[&Area]) -> String {
    let mut text = format!(
        "// {GENERATED}\n\
         //! Between what JavaScript has and the core's types.\n\n\
         use napi_derive::napi;\n\
         use recallite::Result;\n\n\
         use crate::convert::{{FromNative, IntoNative, of_path, replace}};\n"
    );
    for area in areas {
        for words in area.words.iter().filter(|words| words.is_plain) {
            text.push_str(&format!(
                "\ncrate::convert::takes_words!({});\n",
                words.path
            ));
        }
        for record in given_by(area) {
            text.push_str(&giving(record));
        }
        for record in area
            .options
            .iter()
            .filter(|one| !one.is_by_hand("node.take"))
        {
            text.push_str(&object(record));
            text.push_str(&match record.is_builder {
                true => setting(record),
                false => taking(record),
            });
        }
    }
    text
}

/// A result, as the addon gives it.
fn giving(record: &Record) -> String {
    let name = native(record);
    let mut text = format!(
        "\n#[napi(object, object_from_js = false, use_nullable = true)]\npub struct {name} {{\n"
    );
    for field in &record.fields {
        let ty = match (&field.ty, field.ty.is_option()) {
            (Type::U32, _) => "u32".to_owned(),
            (Type::Time, _) => "f64".to_owned(),
            (ty, false) => crossing(ty),
            (ty, true) => match ty.inner() {
                Type::Time => "Option<f64>".to_owned(),
                Type::U32 => "Option<u32>".to_owned(),
                inner => format!("Option<{}>", crossing(inner)),
            },
        };
        text.push_str(&format!("pub {}: {ty},\n", field.name));
    }
    text.push_str(&format!(
        "}}\n\nimpl IntoNative for {} {{\ntype Native = {name};\n\n\
         fn into_native(self) -> Result<{name}> {{\n",
        record.path
    ));
    for field in &record.fields {
        if let Access::Method(method) = &field.access {
            text.push_str(&format!(
                "let {} = self.{method}().into_native()?;\n",
                field.name
            ));
        }
    }
    text.push_str(&format!("Ok({name} {{\n"));
    for field in &record.fields {
        match &field.access {
            Access::Method(_) => text.push_str(&format!("{},\n", field.name)),
            Access::Field(path) => {
                text.push_str(&format!("{}: self.{path}.into_native()?,\n", field.name));
            }
        }
    }
    text.push_str("})\n}\n}\n");
    text
}

fn object(record: &Record) -> String {
    let mut text = format!(
        "\n#[napi(object, object_to_js = false)]\npub struct {} {{\n",
        native(record)
    );
    for field in &record.fields {
        let ty = crossing(field.ty.inner());
        let ty = match is_required(record, field) {
            true => ty,
            false => format!("Option<{ty}>"),
        };
        text.push_str(&format!("pub {}: {ty},\n", field.name));
    }
    text.push_str("}\n");
    text
}

/// The type that napi makes of a JavaScript value.
fn crossing(ty: &Type) -> String {
    match ty {
        Type::Bool => "bool".to_owned(),
        Type::Text | Type::Path | Type::Id | Type::Words(_) | Type::Json | Type::JsonObject => {
            "String".to_owned()
        }
        Type::Record(name) => format!("Native{name}"),
        Type::List(inner) => format!("Vec<{}>", crossing(inner)),
        Type::Option(inner) => crossing(inner),
        Type::Time => "crate::input::Time".to_owned(),
        _ => "f64".to_owned(),
    }
}

fn taking(record: &Record) -> String {
    let mut text = format!(
        "\nimpl FromNative<{}> for {} {{\n\
         fn from_native(name: &str, given: {}) -> Result<Self> {{\n\
         let mut made = Self::default();\n",
        native(record),
        record.path,
        native(record)
    );
    for field in &record.fields {
        text.push_str(&format!(
            "replace(&of_path(name, {:?}), given.{}, &mut made.{})?;\n",
            field.name, field.name, field.core_name
        ));
    }
    text.push_str("Ok(made)\n}\n}\n");
    text
}

fn setting(record: &Record) -> String {
    let mut text = format!(
        "\nimpl {} {{\n/// Sets what was given.\n\
         pub fn set(self, mut builder: {}) -> Result<{}> {{\n",
        native(record),
        record.path,
        record.path
    );
    for field in &record.fields {
        let ty = if field.ty == Type::Text {
            "::<_, String>"
        } else {
            ""
        };
        text.push_str(&format!(
            "if let Some(value) = self.{} {{\n\
             builder = builder.{}(crate::convert::take{ty}({:?}, value)?);\n}}\n",
            field.name, field.core_name, field.name
        ));
    }
    text.push_str("Ok(builder)\n}\n}\n");
    text
}
