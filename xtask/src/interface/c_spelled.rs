//! As comments of C name things.

use super::c_names::{c_argument, c_name, constant, function_name, part_name};
use super::c_options;
use super::doc;
use super::model::{Handle, Model, Record};
use super::named::Named;

/// As comments of C name things.
pub fn spelled(model: &Model, code: &str, is_name: bool) -> String {
    if !is_name {
        return code.to_owned();
    }
    match model.named(code) {
        Named::Nothing => "absent".to_owned(),
        Named::Constant(function) => format!("recallite_{function}()"),
        Named::Method(handle, name) => named_function(model, handle, &name),
        Named::Field(_, "open") if code.contains("MemoryBuilder") => {
            "recallite_open_with".to_owned()
        }
        Named::Field(record, name) => field_name(model, record, name),
        Named::Value(words, item) => constant(words, &item.variant),
        Named::Type(name) => c_name(name),
        Named::Other(value @ ("true" | "false" | "null")) => value.to_owned(),
        Named::Word(word) | Named::Other(word) => format!("\"{word}\""),
    }
}

/// The function of a method, which may be written by hand.
fn named_function(model: &Model, handle: Option<&Handle>, name: &str) -> String {
    let groups = handle.map_or(model.rules.as_slice(), std::slice::from_ref);
    let mut methods = groups.iter().flat_map(|group| group.methods_in("c"));
    let method = methods.find(|method| method.called == name);
    match (method, handle) {
        (Some(method), handle) => function_name(handle, method),
        (None, Some(handle)) if !handle.is_root() => format!("{}_{name}", c_name(&handle.name)),
        (None, Some(_)) => c_name(name),
        (None, None) => name.to_owned(),
    }
}

/// What C calls a field of a record, or the fields, options and arguments of a name if it has
/// one name for all.
fn field_name(model: &Model, record: Option<&Record>, name: &str) -> String {
    let arguments = model
        .arguments()
        .filter(|one| one.name == name && record.is_none());
    let mut names: Vec<String> = arguments.map(c_argument).collect();
    for record in model
        .structs()
        .filter(|one| record.is_none_or(|only| only.name == one.name))
    {
        for field in record.fields.iter().filter(|one| one.name == name) {
            names.push(match record.is_option {
                true => c_options::name_of(record, field),
                false => part_name(field),
            });
        }
    }
    names.sort_unstable();
    names.dedup();
    match names.as_slice() {
        // The opposite is said there.
        [one] if one.starts_with("skip_") && !name.starts_with("skip_") => {
            format!("{name} (see {one})")
        }
        [one] => one.clone(),
        _ => name.to_owned(),
    }
}

/// A comment of rustdoc, from which cbindgen makes that of the header.
pub fn comment(model: &Model, docs: &str, indent: usize) -> String {
    let style = |code: &str, is_name: bool| spelled(model, code, is_name);
    let lines = doc::lines(docs, &style, 82 - indent);
    doc::prefixed(&lines, &format!("{}/// ", " ".repeat(indent)))
}
