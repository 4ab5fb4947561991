//! Node: TypeScript types, the tables by which arguments are checked, and the Rust
//! objects that cross into the addon.

use super::doc::{self, camel, lower_camel};
use super::model::{Area, Field, Model, Record, Type, counted, spread};
use super::named::Named;

/// What Node has of the model.
#[derive(Clone, Copy)]
pub struct Node {
    pub model: &'static Model,
}

/// A field as Node has it: a place in a text is two, counted in UTF-16 and in bytes.
pub fn fields_of(record: &Record) -> Vec<Field> {
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
pub fn taken_fields(record: &Record) -> Vec<Field> {
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

pub fn is_required(record: &Record, field: &Field) -> bool {
    !record.is_builder && field.default.is_none()
}

impl Node {
    pub fn areas(self) -> impl Iterator<Item = &'static Area> {
        self.model.areas_of("node")
    }

    /// TypeScript's spelling: fields and methods are in camel case, other names as they
    /// are.
    pub fn spelled(self, code: &str, is_name: bool) -> String {
        if !is_name {
            return format!("`{}`", code.replace("*/", "*\u{200b}/"));
        }
        match self.model.named(code) {
            Named::Nothing => "`null`".to_owned(),
            Named::Constant(function) => format!("`{}()`", camel(function)),
            Named::Method(handle, name) => format!("`{}`", camel(&Named::called(handle, &name))),
            Named::Field(_, name) => format!("`{}`", camel(name)),
            Named::Value(_, item) => format!("`{}`", item.text),
            Named::Word(name) | Named::Type(name) | Named::Other(name) => format!("`{name}`"),
        }
    }

    /// The lines of a documentation.
    pub fn lines(self, docs: &str, width: usize) -> Vec<String> {
        doc::lines(docs, &|code, is_name| self.spelled(code, is_name), width)
    }

    pub fn comment(self, docs: &str, indent: usize) -> String {
        let space = " ".repeat(indent);
        let lines = self.lines(docs, 88 - indent);
        match lines.as_slice() {
            [] => String::new(),
            [line] => format!("{space}/** {line} */\n"),
            many => {
                let lines = doc::prefixed(many, &format!("{space} * "));
                format!("{space}/**\n{lines}{space} */\n")
            }
        }
    }

    /// The types that are written by hand, or belong to other areas.
    pub fn imported(self) -> Vec<&'static str> {
        let has_type = |name: &str| {
            let mut words = self.areas().flat_map(|area| &area.words);
            let mut records = self.areas().flat_map(Area::structs);
            words.any(|words| words.name == name) || records.any(|record| record.name == name)
        };
        let mut foreign = Vec::new();
        let records = self.areas().flat_map(Area::structs);
        for field in records.flat_map(|record| &record.fields) {
            foreign.extend(field.ty.named());
            foreign.extend(match field.ty.inner() {
                Type::Scope => Some("ProjectFilter"),
                Type::Path => Some("FileUrl"),
                ty @ (Type::Json | Type::JsonObject) => Some(ty.spelled().typescript),
                _ => None,
            });
        }
        foreign.push("ConversationKind");
        foreign.retain(|name| !has_type(name));
        foreign.sort_unstable();
        foreign.dedup();
        foreign
    }

    /// What a type is called where calls take it: one that they give as well has two
    /// forms, since what is taken may leave out what has a default.
    pub fn taken_name(self, name: &str) -> String {
        let option = self.model.option(name);
        if let Some(taken) = option.and_then(|one| one.about.node_taken.clone()) {
            return taken;
        }
        match self.model.records().any(|record| record.name == name) {
            true => format!("{name}Input"),
            false => name.to_owned(),
        }
    }

    /// The type of what is given to a call.
    pub fn taken_type(self, ty: &Type) -> String {
        match ty {
            Type::Words(name) => name.clone(),
            Type::Record(name) => self.taken_name(name),
            Type::List(inner) => match **inner {
                Type::F32 => "Float32Array | readonly number[]".to_owned(),
                Type::EventRef => "readonly (string | number)[]".to_owned(),
                _ => format!("readonly {}[]", self.taken_type(inner)),
            },
            Type::Option(inner) => self.taken_type(inner),
            Type::Time => "Date | number | string".to_owned(),
            Type::Path => "string | FileUrl".to_owned(),
            Type::EventRef => "string | number".to_owned(),
            Type::Dedupe => "'content' | 'none' | { readonly key: string }".to_owned(),
            other => other.spelled().typescript.to_owned(),
        }
    }

    /// Whether a result holds JSON.
    pub fn is_json(self, ty: &Type) -> bool {
        let is_json = |ty: &Type| matches!(ty, Type::Json | Type::JsonObject);
        self.model.holds(ty, &is_json)
    }

    /// The type that napi makes of a JavaScript value.
    pub fn crossing_in(self, ty: &Type) -> String {
        match ty {
            Type::Record(name) => format!("Native{}", self.taken_name(name)),
            Type::List(inner) => format!("Vec<{}>", self.crossing_in(inner)),
            Type::Option(inner) => self.crossing_in(inner),
            Type::Time => "crate::input::Time".to_owned(),
            Type::EventRef => "crate::input::Name".to_owned(),
            Type::Dedupe => "crate::dedupe::NativeDedupe".to_owned(),
            other => crossing(other),
        }
    }
}

/// The type of what a call gives. A time is a number of milliseconds.
pub fn given(ty: &Type) -> String {
    match ty {
        Type::Words(name) | Type::Record(name) => name.clone(),
        Type::Option(inner) => format!("{} | null", given(inner)),
        Type::List(inner) => format!("readonly {}[]", given(inner)),
        other => other.spelled().typescript.to_owned(),
    }
}

/// What a field of options must be.
pub fn check(ty: &Type) -> String {
    match ty {
        Type::Words(_) => "'string'".to_owned(),
        Type::Record(name) => lower_camel(name),
        Type::List(inner) => match &**inner {
            Type::Text | Type::Id | Type::Words(_) => "'strings'".to_owned(),
            Type::EventRef | Type::Record(_) => {
                format!(
                    "(argument, value) => list(argument, value, {})",
                    check(inner)
                )
            }
            _ => "'numbers'".to_owned(),
        },
        other => other.spelled().field.to_owned(),
    }
}

/// The type that becomes a JavaScript value.
pub fn crossing(ty: &Type) -> String {
    match ty {
        Type::Words(_) => "String".to_owned(),
        Type::Record(name) => format!("Native{name}"),
        Type::List(inner) => format!("Vec<{}>", crossing(inner)),
        Type::Option(inner) => format!("Option<{}>", crossing(inner)),
        other => other.spelled().addon.to_owned(),
    }
}
