//! C++, header-only: classes that show the results of the C interface and have its methods,
//! and structs of options, which become those of the C interface for one call.

use minijinja::{Value, context};

use super::c_methods;
use super::c_names::{self, c_argument, c_name, function_name};
use super::c_options::{self, taken_as};
use super::c_spelled;
use super::doc;
use super::file::File;
use super::model::{Argument, Handle, Method, Model, Record, Type};
use super::named::Named;
use super::templates::Templates;
use crate::shell::Outcome;

/// As comments of C++ name things.
fn spelled(model: &Model, code: &str, is_name: bool) -> String {
    if !is_name {
        return code.to_owned();
    }
    match model.named(code) {
        Named::Nothing => "nothing".to_owned(),
        Named::Constant(function) => format!("{function}()"),
        Named::Method(Some(handle), name) => format!("{}::{name}", handle.name),
        Named::Method(None, name) => name.into_owned(),
        Named::Type(name) => name.to_owned(),
        _ => c_spelled::spelled(model, code, is_name),
    }
}

pub fn files(model: &'static Model) -> Outcome<Vec<File>> {
    let templates = templates(model)?;
    let areas = || model.areas_of("c");
    let records = areas().flat_map(|area| &area.records);
    let options = areas().flat_map(|area| &area.options);
    let groups = model.handles_of("c").map(|handle| {
        let methods = handle.methods_in("c");
        context! {
            name => handle.name,
            docs => handle.docs,
            has_by_hand => handle.has_by_hand("c"),
            methods => methods.map(|one| method_of(model, Some(handle), one)).collect::<Vec<_>>(),
        }
    });
    let rules = model.rules_of("c").map(|rule| method_of(model, None, rule));
    let values = context! {
        words => areas().flat_map(|area| &area.words).collect::<Vec<_>>(),
        records => records.filter(|one| !one.is_two_way()).collect::<Vec<_>>(),
        options => options.collect::<Vec<_>>(),
        groups => groups.collect::<Vec<_>>(),
        rules => rules.collect::<Vec<_>>(),
    };
    let file = |name: &str| {
        let path = format!("include/recallite_{name}.hpp");
        templates.file(&path, &format!("{name}.hpp"), values.clone())
    };
    ["views", "areas", "rules", "options"]
        .map(file)
        .into_iter()
        .collect()
}

fn templates(model: &'static Model) -> Outcome<Templates> {
    let mut templates = Templates::of("cpp")?;
    let is = move |name: &str, what: fn(&Record) -> bool| model.option(name).is_some_and(what);
    templates.add("comment", |docs: &str, indent: usize| {
        comment(model, docs, indent)
    });
    templates.add("wrapped", |text: &str| doc::wrapped(text, 86).join("\n// "));
    templates.add("c_name", c_name);
    templates.on("number", |ty: &Type| ty.spelled().cpp);
    templates.on("c_argument", c_argument);
    templates.add("getter", getter);
    templates.add("view", |name: &str| view(model, name));
    templates.add("taken", |name: &str| taken_as(model, name).to_owned());
    templates.on("item_type", |item: &Type| match item {
        Type::Record(inner) => taken_as(model, inner).to_owned(),
        Type::Words(_) => "std::int32_t".to_owned(),
        other => other.spelled().cpp.to_owned(),
    });
    templates.add("is_two_way", move |name: &str| is(name, Record::is_two_way));
    templates.add("is_filled", move |name: &str| {
        is(name, |one| one.about.c_filled)
    });
    templates.on("parts", c_names::parts);
    templates.on("members", |record: &Record| {
        let mut members = c_options::members(record);
        // What must be given comes first: it may be said by its place.
        let first = &record.about.cpp_first;
        members.sort_by_key(|member| {
            let place = first.iter().position(|name| *name == member.field.name);
            (place.unwrap_or(first.len()), !member.is_required)
        });
        members
    });
    Ok(templates)
}

fn comment(model: &Model, docs: &str, indent: usize) -> String {
    let style = |code: &str, is_name: bool| spelled(model, code, is_name);
    let lines = doc::lines(docs, &style, 86 - indent);
    doc::prefixed(&lines, &format!("{}/// ", " ".repeat(indent)))
}

/// A member function that gives a value.
fn getter(ty: &str, name: &str, value: &str) -> String {
    let line = format!("    {ty} {name}() const noexcept {{ return {value}; }}\n");
    match line.len() <= 100 {
        true => line,
        false => format!("    {ty} {name}() const noexcept {{\n        return {value};\n    }}\n"),
    }
}

/// What shows a record that lies in another one.
fn view(model: &Model, name: &str) -> String {
    let mut given = model.areas_of("c").flat_map(|area| &area.records);
    match given.any(|one| one.name == name && one.is_given && !one.is_two_way()) {
        true => format!("{name}View"),
        false => name.to_owned(),
    }
}

/// Whether options may be left out.
fn may_miss(model: &Model, name: &str) -> bool {
    let record = model.option(name);
    record.is_some_and(|record| !record.about.needed && !c_options::has_required(record))
}

/// What stands for an argument that is left out, as it is declared.
fn default(model: &Model, argument: &Argument) -> String {
    match argument.default.as_deref() {
        Some("True") => return " = true".to_owned(),
        Some("False") => return " = false".to_owned(),
        Some(number) if number.parse::<f64>().is_ok() => return format!(" = {number}"),
        _ => {}
    }
    let default = match &argument.ty {
        Type::Scope => " = {}",
        Type::Record(record) if may_miss(model, record) => " = {}",
        Type::List(item) if item.is_text() => " = {}",
        Type::Option(inner) => match &**inner {
            Type::Words(words) => return format!(" = {}_UNSET", c_name(words).to_uppercase()),
            Type::Record(_) => " = {}",
            inner if inner.is_text() => " = {}",
            _ => " = 0",
        },
        _ => "",
    };
    default.to_owned()
}

/// What the templates are told of a method or a rule.
fn method_of(model: &Model, handle: Option<&Handle>, method: &Method) -> Value {
    let arguments = c_methods::arguments(model, method);
    let mut defaults: Vec<String> = arguments.iter().map(|one| default(model, one)).collect();
    // Defaults stand at the end.
    if let Some(last) = defaults.iter().rposition(String::is_empty) {
        defaults[..last].fill(String::new());
    }
    let on = match handle {
        None => "",
        Some(handle) if handle.is_root() => ", handle()",
        Some(_) => ", memory_",
    };
    context! {
        name => method.called,
        docs => c_methods::docs(handle, method, "throws RECALLITE_NOT_FOUND"),
        gives => method.gives,
        is_rule => method.is_rule(),
        call => format!("{}{on}", function_name(handle, method)),
        arguments,
        defaults,
    }
}
