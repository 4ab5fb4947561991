//! C++: structs of options, which become those of the C interface for one call.

use super::File;
use super::c::c_name;
use super::c_options::{Member, members, taken_as, taken_name};
use super::cpp::{comment, header, number};
use super::doc::first_paragraph;
use super::model::{Area, Model, Record, Type, Value};
use super::python::literal;

pub fn file(model: &Model) -> File {
    let mut text = String::new();
    let areas: Vec<&Area> = model.areas_of("c").collect();
    let options = areas.iter().flat_map(|area| &area.options);
    for record in options.filter(|record| !record.is_by_hand("cpp.take")) {
        text.push_str(&match record.about.c_filled {
            true => filled(record),
            false => structure(model, record),
        });
    }
    header("options", "what the functions of recallite.h take", &text)
}

/// What it is, and where its members are described.
fn seen(record: &Record, raw: &str) -> String {
    let docs = first_paragraph(&record.docs);
    comment(&format!("{docs} See {raw}."), 0)
}

/// One that a function of the C interface fills.
fn filled(record: &Record) -> String {
    let (name, raw) = (&record.name, c_name(&record.name));
    format!(
        "\n{}struct {name} : {raw} {{\n    \
         {name}() : {raw}(RECALLITE_INIT({raw})) {{\n        \
         detail::call({raw}_default, this);\n    }}\n}};\n",
        seen(record, &raw)
    )
}

fn structure(model: &Model, record: &Record) -> String {
    let (name, raw) = (taken_name(record), c_name(taken_name(record)));
    let mut fields = String::new();
    let mut sets = String::new();
    let mut members = members(record);
    // What must be given comes first: it may be said by its place.
    let first = &record.about.cpp_first;
    members.sort_by_key(|member| {
        let place = first.iter().position(|name| *name == member.field.name);
        (place.unwrap_or(first.len()), !member.is_required)
    });
    for member in &members {
        fields.push_str(&format!("    {};\n", declared(model, record, member)));
        sets.push_str(&set(model, record, member));
    }
    for extra in &record.about.cpp_fields {
        fields.push_str(&format!("    {} {} = {{}};\n", extra.r#type, extra.name));
    }
    if record.about.c_flat {
        fields.push_str(&of_raw(name, &raw, &members));
    }
    let parts = match sets.contains("parts.") {
        true => "detail::Parts &parts",
        false => "detail::Parts &",
    };
    format!(
        "\n{}struct {name} {{\n{fields}\n    \
         /// The struct of recallite.h, which borrows from this one and from `parts`.\n    \
         {raw} raw({parts}) const {{\n        \
         auto raw = RECALLITE_INIT({raw});\n{sets}        return raw;\n    }}\n}};\n",
        seen(record, &raw)
    )
}

/// How it is made of what a call gave.
fn of_raw(name: &str, raw: &str, members: &[Member<'_>]) -> String {
    let names = members.iter().map(|member| &member.name);
    let copied: Vec<String> = names.map(|name| format!("{name}(raw.{name})")).collect();
    format!(
        "\n    {name}() = default;\n    explicit {name}(const {raw} &raw) noexcept\n        : {} {{}}\n",
        copied.join(",\n          ")
    )
}

/// A member with its default.
fn declared(model: &Model, record: &Record, member: &Member<'_>) -> String {
    let (field, name) = (member.field, &member.name);
    let words = record.about.words.get(&field.name);
    let optional = |ty: &str| format!("std::optional<{ty}> {name} = {{}}");
    let text = "std::string_view";
    if let (true, Some(default)) = (record.about.c_flat, &field.default) {
        let value = match default {
            Value::Bool(value) => value.to_string(),
            other => literal(other),
        };
        return format!("{} {name} = {value}", number(&field.ty));
    }
    if member.flag.is_some() {
        return match field.ty.inner() {
            Type::List(_) => optional("std::vector<std::string_view>"),
            ty => optional(number(ty)),
        };
    }
    let word = |word: &str| match member.is_required {
        true => format!("{} {name}", c_name(word)),
        false => format!(
            "{0} {name} = {1}_UNSET",
            c_name(word),
            c_name(word).to_uppercase()
        ),
    };
    match field.ty.inner() {
        _ if words.is_some() => word(words.map_or("", String::as_str)),
        Type::Words(name) => word(name),
        Type::Scope => "Scope scope = {}".to_owned(),
        Type::Dedupe => format!(
            "recallite_dedupe {name} = RECALLITE_DEDUPE_CONTENT;\n    \
             std::optional<{text}> {name}_key = {{}}"
        ),
        Type::Record(inner) => optional(taken_as(model, inner)),
        Type::List(inner) => {
            let item = match &**inner {
                Type::Record(inner) => taken_as(model, inner),
                Type::Words(_) => "std::int32_t",
                Type::Text | Type::Id | Type::EventRef => text,
                ty => number(ty),
            };
            format!("std::vector<{item}> {name} = {{}}")
        }
        _ if is_text(member) => match (member.is_required, is_optional(record, member)) {
            (true, _) => format!("{text} {name}"),
            (_, true) => optional(text),
            (_, false) => format!("{text} {name} = {{}}"),
        },
        Type::Bool => format!("bool {name} = false"),
        Type::Duration => format!("std::uint64_t {name} = 0"),
        ty if member.is_required => format!("{} {name}", number(ty)),
        ty => format!("{} {name} = 0", number(ty)),
    }
}

fn is_text(member: &Member<'_>) -> bool {
    let ty = member.field.ty.inner();
    matches!(
        ty,
        Type::Text | Type::Path | Type::Id | Type::EventRef | Type::Json | Type::JsonObject
    )
}

/// Whether no text is another thing than an empty one.
fn is_optional(record: &Record, member: &Member<'_>) -> bool {
    record.is_builder || member.field.ty.is_option()
}

/// The lines that set a member of the struct of recallite.h.
fn set(model: &Model, record: &Record, member: &Member<'_>) -> String {
    let name = &member.name;
    let line = |to: &str, value: &str| format!("        raw.{to} = {value};\n");
    let ty = member.field.ty.inner();
    if record.about.c_flat {
        let flag = member.flag.iter().map(|flag| line(flag, "true"));
        return flag.collect::<String>() + &line(name, name);
    }
    if let Some(flag) = &member.flag {
        let given = line(flag, &format!("{name}.has_value()"));
        return given
            + &match ty {
                Type::List(_) => {
                    format!(
                        "        if ({name}) parts.texts(*{name}, raw.{name}, raw.{name}_len);\n"
                    )
                }
                _ => line(name, &format!("{name}.value_or({}())", number(ty))),
            };
    }
    match ty {
        _ if record.about.words.contains_key(&member.field.name) => line(name, name),
        Type::Scope => line("scope", "scope.kind()") + &line(name, "scope.project()"),
        Type::Dedupe => {
            line(name, name) + &line(&format!("{name}_key"), &format!("str({name}_key)"))
        }
        Type::Record(inner) if is_filled(model, inner) => {
            line(name, &format!("{name} ? &*{name} : nullptr"))
        }
        Type::Record(_) => {
            format!("        if ({name}) raw.{name} = parts.one({name}->raw(parts));\n")
        }
        Type::List(inner) => match &**inner {
            Type::Text | Type::Id | Type::EventRef => {
                format!("        parts.texts({name}, raw.{name}, raw.{name}_len);\n")
            }
            Type::Record(_) => {
                format!("        parts.structs({name}, raw.{name}, raw.{name}_len);\n")
            }
            _ => {
                // One that was emptied is told from one that was never filled, where a
                // method refuses it.
                let items = match record.about.by_setter.contains(&member.field.name) {
                    true => format!("{name}.data()"),
                    false => format!("detail::data({name})"),
                };
                line(name, &items) + &line(&format!("{name}_len"), &format!("{name}.size()"))
            }
        },
        _ if is_text(member) => line(name, &format!("str({name})")),
        _ => line(name, name),
    }
}

/// Whether the struct of C++ is that of C.
fn is_filled(model: &Model, name: &str) -> bool {
    let record = model.option(name);
    record.is_some_and(|record| record.about.c_filled)
}
