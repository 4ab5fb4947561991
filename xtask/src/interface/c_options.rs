//! C: structs of options, which the program fills, and how they are read.

use serde::{Deserialize, Serialize};

use super::c_names::{bare, c_name, c_type, form, part_name, said};
use super::doc;
use super::model::{Field, Model, Record, Type, Value};
use super::templates::Templates;

/// A member of a struct that the program fills.
#[derive(Serialize, Deserialize)]
pub struct Member {
    pub field: Field,
    pub name: String,
    pub docs: String,
    /// What it is, words included that the core has as a text.
    ty: Type,
    /// The member that says whether it is given, where zero is a value of its own.
    pub flag: Option<String>,
    /// Whether it is a switch that is on by default, which C has turned round: zero is
    /// the default of every member.
    is_turned: bool,
    pub is_required: bool,
}

/// What the templates call.
pub fn add_filters(templates: &mut Templates, model: &'static Model) {
    templates.on("struct_name", struct_name);
    templates.on("is_two_way", Record::is_two_way);
    templates.on("members", members);
    templates.on("is_list", |ty: &Type| matches!(ty, Type::List(_)));
    templates.on("how_to_fill", how_to_fill);
    templates.on_both("is_set", |record: &Record, field: &Field| {
        record.is_builder || record.about.by_setter.contains(&field.name)
    });
    // Whether what must be given is read by following pointers.
    templates.on("follows", |record: &Record| {
        let follows = |ty: &Type| matches!(ty, Type::Text | Type::Id | Type::Path);
        let mut members = members(record).into_iter();
        members.any(|one| one.is_required && follows(&one.field.ty))
    });
    templates.on("c_taken", move |ty: &Type| c_taken(model, ty));
    templates.on("list_reader", list_reader);
}

/// What a record is called where calls take it.
pub fn taken_name(record: &Record) -> &str {
    record.about.c_taken.as_deref().unwrap_or(&record.name)
}

/// As [`taken_name`], of the options of this name.
pub fn taken_as<'m>(model: &'m Model, name: &'m str) -> &'m str {
    let record = model.option(name);
    record.map_or(name, taken_name)
}

fn struct_name(record: &Record) -> String {
    c_name(taken_name(record))
}

pub fn members(record: &Record) -> Vec<Member> {
    let fields = record.fields.iter();
    fields.map(|field| member(record, field)).collect()
}

/// Whether a switch is on by default.
fn is_turned(field: &Field) -> bool {
    field.default == Some(Value::Bool(true))
}

/// What the member of a field is called.
pub fn name_of(record: &Record, field: &Field) -> String {
    match record.about.c_renamed.get(&field.name) {
        Some(name) => name.clone(),
        None if is_turned(field) => format!("skip_{}", field.name),
        None => part_name(field),
    }
}

fn member(record: &Record, field: &Field) -> Member {
    let about = &record.about;
    let is_turned = is_turned(field);
    let plain = bare(field);
    let name = name_of(record, field);
    let flag = (about.c_flagged.contains(&field.name)).then(|| format!("has_{plain}"));
    let is_opposite = is_turned || name.starts_with("skip_") && !field.name.starts_with("skip_");
    let mut docs = match is_opposite {
        true => {
            let docs = field.docs.replace("Default: true.", "It is on by default.");
            format!("Disables this setting: {}", doc::lowered(&docs))
        }
        false => field.docs.clone(),
    };
    let is_zero_for_none = flag.is_none() && field.ty.is_option();
    docs.push_str(match field.ty.inner() {
        Type::Time if is_zero_for_none => " In milliseconds since 1970 UTC; 0 for none.",
        _ => form(field),
    });
    if let Some(flag) = &flag {
        let zero = match field.ty.inner() {
            Type::List(_) => "An empty list",
            Type::Bool => "False",
            _ => "Zero",
        };
        docs.push_str(&format!(" {zero} counts as given only if {flag} is set."));
    }
    let words = about.words.get(&field.name);
    let ty = words.map_or(field.ty.clone(), |words| Type::Words(words.clone()));
    let is_optional = field.default.is_some() || about.c_optional.contains(&field.name);
    Member {
        docs: said(&docs, &ty),
        ty,
        flag,
        is_required: !record.is_builder && !is_optional,
        field: field.clone(),
        name,
        is_turned,
    }
}

/// Whether a field of it must be given.
pub fn has_required(record: &Record) -> bool {
    members(record).iter().any(|member| member.is_required)
}

/// What errors of the core call the fields of options that C calls otherwise: moments, JSON
/// and the key that keeps copies out.
pub fn renamed(model: &Model, name: &str) -> Vec<(String, String)> {
    let Some(record) = model.option(name) else {
        return Vec::new();
    };
    let mut pairs = Vec::new();
    for member in &members(record) {
        let core = &member.field.core_name;
        match member.field.ty.inner() {
            Type::Time | Type::Json | Type::JsonObject => {
                pairs.push((core.clone(), member.name.clone()));
            }
            // The core only refuses keys.
            Type::Dedupe => pairs.push((core.clone(), format!("{}_key", member.name))),
            inner => pairs.extend(
                inner
                    .named()
                    .into_iter()
                    .flat_map(|one| renamed(model, one)),
            ),
        }
    }
    pairs
}

/// What a program is told of filling a struct.
fn how_to_fill(record: &Record) -> String {
    let name = struct_name(record);
    let members = members(record);
    let required = members.iter().filter(|one| one.is_required);
    let required: Vec<&str> = required.map(|one| one.name.as_str()).collect();
    let begin = format!("Begin with RECALLITE_INIT({name})");
    let about = match (record.about.c_filled, required.is_empty()) {
        (true, _) => format!(
            "{begin}, call {name}_default, and change what shall differ: zero is a value of its \
             own here."
        ),
        (false, true) => format!("{begin}; a field that is zero has its default."),
        (false, false) => format!(
            "{begin} and give {}; another field that is zero has its default.",
            required.join(", ")
        ),
    };
    match record.is_two_way() && record.is_given {
        true => {
            format!(
                "{about} What a call gave may be changed and given, with changed copies in place \
                 of the structs that it holds; free it with {name}_free."
            )
        }
        false => about,
    }
}

/// The type of a member or of a parameter.
fn c_taken(model: &Model, ty: &Type) -> String {
    match ty.inner() {
        Type::Duration => "u64".to_owned(),
        Type::Record(name) => format!("*const {}", c_name(taken_as(model, name))),
        Type::List(inner) => match &**inner {
            item @ Type::Record(_) => c_taken(model, item),
            item => format!("*const {}", c_type(item)),
        },
        other => c_type(other),
    }
}

/// What reads the array of a list.
fn list_reader(item: &Type) -> &'static str {
    match item {
        Type::Words(_) => "input::words",
        Type::Text => "input::owned_texts",
        Type::EventRef => "input::parsed::<recallite::EventRef>",
        Type::Id => "input::parsed",
        Type::Record(_) => "input::structs",
        _ => "input::numbers",
    }
}
