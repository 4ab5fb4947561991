//! Node: TypeScript types, the tables by which arguments are checked, and the Rust
//! objects that cross into the addon.

use super::doc::{self, Style, camel};
use super::model::{Access, Area, Field, Model, Record, Type, Words, counted, spread};
use super::{File, GENERATED, node_methods};

/// TypeScript's spelling: fields and methods are in camel case, other names as they
/// are.
pub struct TypeScript<'m> {
    pub model: &'m Model,
}

impl Style for TypeScript<'_> {
    fn name(&self, name: &str) -> String {
        let is_field = || {
            let mut records = self.model.records().chain(self.model.options());
            records.any(|record| record.fields.iter().any(|field| field.name == name))
        };
        let is_rule = || self.model.rules_of("node").any(|rule| rule.name == name);
        let is_argument = || self.model.arguments().any(|argument| argument.name == name);
        let name = match doc::last(name) {
            "None" => "null".to_owned(),
            last if name.contains("::") || is_field() || is_argument() || is_rule() => camel(last),
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
    let node = Node { areas: &areas };
    let mut files = node_methods::files(model, &node);
    files.extend([
        File::text(
            "bindings-node/ts/generated/types.ts",
            node.types(&TypeScript { model }),
        ),
        File::text("bindings-node/ts/generated/fields.ts", node.tables()),
        File::text("bindings-node/ts/generated/parsed.ts", node.parsers()),
        File::rust("bindings-node/src/generated/mod.rs", node.objects()),
    ]);
    files
}

/// What Node has of the model.
pub struct Node<'m> {
    areas: &'m [&'m Area],
}

/// The results of an area that are not written by hand.
fn given_by(area: &Area) -> impl Iterator<Item = &Record> {
    let is_by_hand = |record: &&Record| record.is_by_hand("node.give");
    area.records
        .iter()
        .filter(move |record| !is_by_hand(record))
}

/// A field as Node has it: a place in a text is two, counted in UTF-16 and in bytes.
fn fields_of(record: &Record) -> Vec<Field> {
    let fields = spread(record, "utf16", "UTF-16 code units", "_byte");
    let (ty, forgotten) = match record.about.within {
        Some(_) => (
            Type::Option(Box::new(Type::Offset)),
            "; `null` when the event was forgotten",
        ),
        // Who makes one that names no event knows the event.
        None => (Type::Offset, ""),
    };
    let said = format!("As an index into the JavaScript string{forgotten}.");
    counted(fields, &ty, &said)
}

/// The fields of what calls take: the scope of a filter is two.
fn taken_fields(record: &Record) -> Vec<Field> {
    let mut fields = Vec::new();
    for field in &record.fields {
        if field.ty != Type::Scope {
            fields.push(field.clone());
            continue;
        }
        for (name, ty) in [("project", Type::Text), ("all_projects", Type::Bool)] {
            fields.push(Field {
                name: name.to_owned(),
                ty: Type::Option(Box::new(ty)),
                ..field.clone()
            });
        }
    }
    fields
}

/// Whether a read looks at the projects that its filter names.
pub fn has_scope(record: &Record) -> bool {
    record.fields.iter().any(|field| field.ty == Type::Scope)
}

pub fn comment(docs: &str, indent: usize, style: &TypeScript<'_>) -> String {
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

impl Node<'_> {
    fn types(&self, style: &TypeScript<'_>) -> String {
        let mut body = String::new();
        for area in self.areas {
            for words in &area.words {
                body.push_str(&union(words, style));
            }
            for record in given_by(area) {
                body.push_str(&result(record, style));
            }
            for record in &area.options {
                body.push_str(&self.interface(record, style));
            }
        }
        // What is written by hand, or belongs to other areas.
        let mut foreign: Vec<&str> = Vec::new();
        for area in self.areas {
            let given = given_by(area);
            for record in given.chain(&area.options) {
                for field in &record.fields {
                    named(&field.ty, &mut foreign);
                }
            }
        }
        foreign.retain(|name| !self.has_type(name));
        for json in ["JsonObject", "JsonValue"] {
            if body.contains(&format!(": {json}")) {
                foreign.push(json);
            }
        }
        if body.contains(" extends ProjectFilter") {
            foreign.push("ProjectFilter");
        }
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

    /// Whether the type of this name is generated.
    fn has_type(&self, name: &str) -> bool {
        self.areas.iter().any(|area| {
            area.words.iter().any(|words| words.name == name)
                || area.is_taken(name)
                || given_by(area).any(|record| record.name == name)
        })
    }

    /// What a type is called where calls take it: one that they give as well has two
    /// forms, since what is taken may leave out what has a default.
    pub fn taken_name(&self, name: &str) -> String {
        let mut options = self.areas.iter().flat_map(|area| &area.options);
        let renamed = options.find(|one| one.name == name && one.about.node_taken.is_some());
        if let Some(renamed) = renamed.and_then(|one| one.about.node_taken.clone()) {
            return renamed;
        }
        match self.areas.iter().any(|area| area.is_given(name)) {
            true => format!("{name}Input"),
            false => name.to_owned(),
        }
    }

    fn interface(&self, record: &Record, style: &TypeScript<'_>) -> String {
        let mut text = format!(
            "\n{}export interface {}{} {{\n",
            comment(&record.docs, 0, style),
            self.taken_name(&record.name),
            if has_scope(record) {
                " extends ProjectFilter"
            } else {
                ""
            },
        );
        for field in record.fields.iter().filter(|field| field.ty != Type::Scope) {
            let ty = match record.about.words.get(&field.name) {
                Some(words) => words.clone(),
                None => self.taken(field.ty.inner()),
            };
            let (mark, end) = match is_required(record, field) {
                true => ("", ""),
                false => ("?", " | undefined"),
            };
            text.push_str(&comment(&field.docs, 2, style));
            text.push_str(&format!(
                "  readonly {}{mark}: {ty}{end};\n",
                camel(&field.name)
            ));
        }
        text.push_str("}\n");
        text
    }

    /// The type of what is given to a call.
    pub fn taken(&self, ty: &Type) -> String {
        match ty {
            Type::Words(name) => name.clone(),
            Type::Record(name) => self.taken_name(name),
            Type::List(inner) if **inner == Type::F32 => {
                "Float32Array | readonly number[]".to_owned()
            }
            Type::List(inner) if **inner == Type::EventRef => {
                "readonly (string | number)[]".to_owned()
            }
            Type::List(inner) => format!("readonly {}[]", self.taken(inner)),
            Type::Option(inner) => self.taken(inner),
            Type::Time => "Date | number | string".to_owned(),
            Type::EventRef => "string | number".to_owned(),
            Type::Dedupe => "'content' | 'none' | { readonly key: string }".to_owned(),
            other => plain(other).to_owned(),
        }
    }
}

/// The type of a value that is no record, no words and no list.
fn plain(ty: &Type) -> &'static str {
    match ty {
        Type::Bool => "boolean",
        Type::Text | Type::Path | Type::Id => "string",
        Type::Json => "JsonValue",
        Type::JsonObject => "JsonObject",
        _ => "number",
    }
}

/// The records and words that a type names.
pub fn named<'t>(ty: &'t Type, found: &mut Vec<&'t str>) {
    match ty {
        Type::Words(name) | Type::Record(name) => found.push(name),
        Type::Option(inner) | Type::List(inner) | Type::Array(inner, _) => named(inner, found),
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
    for field in fields_of(record) {
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

/// The type of what a call gives. A time is a number of milliseconds.
pub fn given(ty: &Type) -> String {
    match ty {
        Type::Words(name) | Type::Record(name) => name.clone(),
        Type::Option(inner) => given(inner),
        Type::Array(inner, len) => format!("readonly [{}]", vec![given(inner); *len].join(", ")),
        Type::List(inner) => format!("readonly {}[]", given(inner)),
        other => plain(other).to_owned(),
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

fn is_required(record: &Record, field: &Field) -> bool {
    !record.is_builder && field.default.is_none()
}

impl Node<'_> {
    /// What each field must be, and the functions that check whole options.
    fn tables(&self) -> String {
        let mut text = format!(
            "// {GENERATED}\n/** What each option must be. */\n\n\
             import type * as Native from '../../native';\n\n\
             import {{ dedupe, list, name, record, required, type Checked, type FieldType }} from '../check.js';\n"
        );
        for area in self.areas {
            for record in &area.options {
                text.push_str(&self.table(record));
            }
        }
        text
    }

    fn table(&self, record: &Record) -> String {
        let name = camel(&doc::snake(&record.name));
        let mut text =
            format!("\nexport const {name}Fields: Readonly<Record<string, FieldType>> = {{\n");
        for field in taken_fields(record) {
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
        let native = self.native_taken(&record.name);
        text.push_str(&format!(
            "\nexport function {name}(\n  argument: string,\n  value: unknown,\n  \
             prefix = `${{argument}}.`,\n): Native.{native} {{\n\
             \x20 const checked: Checked = record(argument, value, {name}Fields, prefix);\n",
        ));
        let needed: Vec<String> = record
            .fields
            .iter()
            .filter(|field| is_required(record, field))
            .map(|field| format!("'{}'", camel(&field.name)))
            .collect();
        if !needed.is_empty() {
            text.push_str(&format!(
                "  required(checked, [{}], prefix);\n",
                needed.join(", ")
            ));
        }
        text.push_str(&format!(
            "  return checked as unknown as Native.{native};\n}}\n"
        ));
        text
    }

    pub fn native_taken(&self, name: &str) -> String {
        format!("Native{}", self.taken_name(name))
    }

    /// The functions that make values of the JSON texts in results.
    fn parsers(&self) -> String {
        let mut body = String::new();
        for record in self.areas.iter().flat_map(|area| given_by(area)) {
            if self.holds_json(record) {
                body.push_str(&self.parser(record));
            }
        }
        let mut names: Vec<&str> = (self.areas.iter())
            .flat_map(|area| given_by(area))
            .filter(|record| self.holds_json(record))
            .map(|record| record.name.as_str())
            .collect();
        names.sort_unstable();
        format!(
            "// {GENERATED}\n/** Results whose JSON texts have become values. */\n\n\
             import type * as Native from '../../native';\n\n\
             import type {{ {} }} from './types.js';\n{body}",
            names.join(", ")
        )
    }

    /// Whether a result holds JSON, itself or in what it holds.
    fn holds_json(&self, record: &Record) -> bool {
        record.fields.iter().any(|field| self.is_json(&field.ty))
    }

    pub fn is_json(&self, ty: &Type) -> bool {
        match ty {
            Type::Json | Type::JsonObject => true,
            Type::Option(inner) | Type::List(inner) => self.is_json(inner),
            Type::Record(name) => self
                .areas
                .iter()
                .flat_map(|area| given_by(area))
                .find(|record| record.name == *name)
                .is_some_and(|record| self.holds_json(record)),
            _ => false,
        }
    }

    fn parser(&self, record: &Record) -> String {
        let (name, function) = (&record.name, camel(&doc::snake(&record.name)));
        let mut text = format!(
            "\nexport function {function}(from: Native.Native{name}): {name} {{\n  const given = {{\n    ...from,\n"
        );
        for field in record.fields.iter().filter(|field| self.is_json(&field.ty)) {
            let key = camel(&field.name);
            let value = format!("from.{key}");
            let parsed = match field.ty.inner() {
                Type::Record(inner) => format!("{}({value})", camel(&doc::snake(inner))),
                Type::List(inner) => match &**inner {
                    Type::Record(inner) => format!("{value}.map({})", camel(&doc::snake(inner))),
                    _ => format!("{value}.map((text) => JSON.parse(text))"),
                },
                _ => format!("JSON.parse({value})"),
            };
            let parsed = match field.ty.is_option() {
                true => format!("{value} == null ? null : {parsed}"),
                false => parsed,
            };
            text.push_str(&format!("    {key}: {parsed},\n"));
        }
        text.push_str(&format!(
            "  }};\n  return given as unknown as {name};\n}}\n"
        ));
        text
    }
}

pub fn check(ty: &Type) -> String {
    match ty {
        Type::Bool => "'boolean'".to_owned(),
        Type::Text | Type::Path | Type::Id | Type::Words(_) => "'string'".to_owned(),
        Type::Record(name) => camel(&doc::snake(name)),
        Type::List(inner) => match &**inner {
            Type::Text | Type::Id | Type::Words(_) => "'strings'".to_owned(),
            Type::EventRef => "(argument, value) => list(argument, value, name)".to_owned(),
            Type::Record(name) => {
                let member = camel(&doc::snake(name));
                format!("(argument, value) => list(argument, value, {member})")
            }
            _ => "'numbers'".to_owned(),
        },
        Type::Option(inner) => check(inner),
        Type::Time => "'time'".to_owned(),
        Type::EventRef => "name".to_owned(),
        Type::Dedupe => "dedupe".to_owned(),
        Type::Json => "'json'".to_owned(),
        Type::JsonObject => "'jsonObject'".to_owned(),
        _ => "'number'".to_owned(),
    }
}

impl Node<'_> {
    /// The objects that cross into the addon.
    fn objects(&self) -> String {
        let mut text = format!(
            "// {GENERATED}\n\
             //! Between what JavaScript has and the core's types.\n\n\
             mod methods;\n\
             mod rules;\n\n\
             use napi_derive::napi;\n\
             use recallite::Result;\n\n\
             use crate::convert::{{FromNative, IntoNative, To, of_path, replace, take}};\n"
        );
        for area in self.areas {
            for words in &area.words {
                text.push_str(&format!(
                    "\ncrate::convert::gives_words!({});\n",
                    words.path
                ));
                if words.is_plain {
                    text.push_str(&format!("crate::convert::takes_words!({});\n", words.path));
                }
            }
            for record in given_by(area) {
                text.push_str(&given_object(record));
                text.push_str(&giving(record));
            }
            let by_hand = |record: &&Record| record.is_by_hand("node.take");
            for record in area.options.iter().filter(|one| !by_hand(one)) {
                text.push_str(&self.object(record));
                // What is hidden may have no default: the core's is made elsewhere.
                text.push_str(&match record.is_builder || !record.about.hide.is_empty() {
                    true => self.setting(record),
                    false => self.taking(record),
                });
            }
        }
        text
    }

    fn object(&self, record: &Record) -> String {
        let mut text = format!(
            "\n#[napi(object, object_to_js = false)]\npub struct {} {{\n",
            self.native_taken(&record.name)
        );
        for field in taken_fields(record) {
            let ty = self.crossing_in(field.ty.inner());
            let ty = match is_required(record, &field) {
                true => ty,
                false => format!("Option<{ty}>"),
            };
            text.push_str(&format!("pub {}: {ty},\n", field.name));
        }
        text.push_str("}\n");
        text
    }

    /// The type that napi makes of a JavaScript value.
    pub fn crossing_in(&self, ty: &Type) -> String {
        match ty {
            Type::Record(name) => self.native_taken(name),
            Type::List(inner) => format!("Vec<{}>", self.crossing_in(inner)),
            Type::Option(inner) => self.crossing_in(inner),
            Type::Time => "crate::input::Time".to_owned(),
            Type::EventRef => "crate::input::Name".to_owned(),
            Type::Dedupe => "crate::input::NativeDedupe".to_owned(),
            other => crossing(other),
        }
    }

    fn taking(&self, record: &Record) -> String {
        let (native, path) = (self.native_taken(&record.name), &record.path);
        let mut text = format!(
            "\nimpl FromNative<{native}> for {path} {{\n\
             fn from_native(name: &str, given: {native}) -> Result<Self> {{\n"
        );
        let required = |field: &&Field| is_required(record, field);
        let name = |field: &Field| format!("&of_path(name, {:?})", field.name);
        // One that has no default is made of its fields.
        if record.fields.iter().any(|field| required(&field)) {
            text.push_str("Ok(Self {\n");
            for field in &record.fields {
                let (core, given) = (&field.core_name, &field.name);
                let value = match required(&field) {
                    true => format!("take({}, given.{given})?", name(field)),
                    false => format!(
                        "given.{given}.map(|value| take({}, value)).transpose()?{}",
                        name(field),
                        field.unwrapped()
                    ),
                };
                text.push_str(&format!("{core}: {value},\n"));
            }
            text.push_str("})\n}\n}\n");
            return text;
        }
        text.push_str("let mut made = Self::default();\n");
        for field in &record.fields {
            if field.ty == Type::Scope {
                text.push_str(&format!(
                    "crate::input::replace_scope(given.project, given.all_projects, &mut made.{})?;\n",
                    field.core_name
                ));
                continue;
            }
            if record.about.by_setter.contains(&field.name) {
                let is_names = matches!(&field.ty, Type::List(one) if **one == Type::EventRef);
                text.push_str(&format!(
                    "if let Some(list) = given.{} {{\n\
                     made = made.{}(take::<_, Vec<{}>>({}, list)?);\n}}\n",
                    field.name,
                    field.core_name,
                    if is_names { "recallite::EventRef" } else { "_" },
                    name(field)
                ));
                continue;
            }
            text.push_str(&format!(
                "replace({}, given.{}, &mut made.{})?;\n",
                name(field),
                field.name,
                field.core_name
            ));
        }
        text.push_str("Ok(made)\n}\n}\n");
        text
    }
}

/// A result, as the addon gives it.
fn given_object(record: &Record) -> String {
    let name = format!("Native{}", record.name);
    let mut text = format!(
        "\n#[napi(object, object_from_js = false, use_nullable = true)]\npub struct {name} {{\n"
    );
    for field in fields_of(record) {
        let ty = crossing(field.ty.inner());
        let ty = match field.ty.is_option() {
            true => format!("Option<{ty}>"),
            false => ty,
        };
        text.push_str(&format!("pub {}: {ty},\n", field.name));
    }
    text + "}\n"
}

/// How it is made of the core's.
fn giving(record: &Record) -> String {
    let name = format!("Native{}", record.name);
    let mut text = String::new();
    text.push_str(&format!(
        "\nimpl IntoNative for {} {{\ntype Native = {name};\n\n\
         fn into_native(self, to: &To<'_>) -> Result<{name}> {{\n",
        record.path
    ));
    if let Some(event) = &record.about.within {
        text.push_str(&format!("let to = &to.within(&self.{event});\n"));
    }
    // What is lent is taken before the fields are moved out.
    let mut made = String::new();
    for field in fields_of(record) {
        let name = &field.name;
        match (&field.access, &field.ty) {
            (Access::Method(method), _) => {
                text.push_str(&format!("let {name} = self.{method}().into_native(to)?;\n"));
                made.push_str(&format!("{name},\n"));
            }
            (Access::Field(path), Type::Option(inner)) if **inner == Type::Offset => {
                made.push_str(&format!("{name}: to.place(self.{path})?,\n"));
            }
            (Access::Field(path), Type::Offset) => {
                made.push_str(&format!("{name}: to.known_place(self.{path})?,\n"));
            }
            (Access::Field(path), _) => {
                made.push_str(&format!("{name}: self.{path}.into_native(to)?,\n"));
            }
        }
    }
    text.push_str(&format!("Ok({name} {{\n{made}}})\n}}\n}}\n"));
    text
}

/// The type that becomes a JavaScript value.
pub fn crossing(ty: &Type) -> String {
    match ty {
        Type::Bool => "bool".to_owned(),
        Type::Text | Type::Path | Type::Id | Type::Words(_) | Type::Json | Type::JsonObject => {
            "String".to_owned()
        }
        Type::Record(name) => format!("Native{name}"),
        Type::List(inner) | Type::Array(inner, _) => format!("Vec<{}>", crossing(inner)),
        Type::Option(inner) => crossing(inner),
        _ => "f64".to_owned(),
    }
}

impl Node<'_> {
    fn setting(&self, record: &Record) -> String {
        let (native, path) = (self.native_taken(&record.name), &record.path);
        let mut text = format!(
            "\nimpl {native} {{\n/// Sets what was given.\n\
             pub fn set(self, mut made: {path}) -> Result<{path}> {{\n"
        );
        for field in &record.fields {
            let (name, core) = (&field.name, &field.core_name);
            let ty = match field.ty {
                Type::Text => "::<_, String>",
                _ => "",
            };
            text.push_str(&match record.is_builder {
                false => format!("replace({name:?}, self.{name}, &mut made.{core})?;\n"),
                true => format!(
                    "if let Some(value) = self.{name} {{\n\
                     made = made.{core}(take{ty}({name:?}, value)?);\n}}\n"
                ),
            });
        }
        text + "Ok(made)\n}\n}\n"
    }
}
