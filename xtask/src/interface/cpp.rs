//! C++, header-only: classes that show the results of the C interface and have its methods,
//! and structs of options, which become those of the C interface for one call.

use minijinja::value::{Value, ViaDeserialize as Via};
use minijinja::{Environment, context};
use serde::Serialize;

use super::File;
use super::c::{self, c_name};
use super::c_methods::{c_argument, function_name};
use super::c_options::{self, taken_as};
use super::doc::{self, Style};
use super::model::{Area, Argument, Gives, Handle, Method, Model, Record, Type};
use super::templates::{self, filled};
use crate::shell::Outcome;

struct Plain;

impl Style for Plain {
    fn name(&self, name: &str) -> String {
        match name.split_once("::") {
            Some(("Memory", _)) => name.to_owned(),
            _ if name == "None" => "nothing".to_owned(),
            _ => doc::last(name).to_owned(),
        }
    }

    fn code(&self, code: &str) -> String {
        code.to_owned()
    }
}

pub fn files(model: &'static Model) -> Outcome<Vec<File>> {
    let templates = templates(model)?;
    let areas = || model.areas_of("c");
    let is_by_hand = |record: &&Record| record.is_by_hand("c.give");
    let by_hand = areas().flat_map(Area::structs).filter(is_by_hand);
    let records = areas().flat_map(|area| &area.records);
    let options = areas().flat_map(|area| &area.options);
    let groups = model.handles_of("c").map(|handle| {
        let methods = handle
            .methods_in("c")
            .filter(|method| !gives_by_hand(model, method));
        context! {
            name => handle.name,
            docs => handle.docs,
            has_by_hand => handle.has_by_hand("c"),
            methods => methods.map(|one| method_of(model, Some(handle), one)).collect::<Vec<_>>(),
        }
    });
    let rules = model.rules_of("c").map(|rule| method_of(model, None, rule));
    let values = context! {
        by_hand => by_hand.map(|record| &record.name).collect::<Vec<_>>(),
        words => areas().flat_map(|area| &area.words).collect::<Vec<_>>(),
        records => records.filter(|one| !is_by_hand(one)).collect::<Vec<_>>(),
        options => options.filter(|one| !one.is_by_hand("cpp.take")).collect::<Vec<_>>(),
        groups => groups.collect::<Vec<_>>(),
        rules => rules.collect::<Vec<_>>(),
    };
    let file = |name: &str| {
        let text = filled(&templates, &format!("{name}.hpp"), values.clone())?;
        Ok(File::new(&format!("include/recallite_{name}.hpp"), text))
    };
    ["views", "areas", "rules", "options"]
        .map(file)
        .into_iter()
        .collect()
}

fn templates(model: &'static Model) -> Outcome<Environment<'static>> {
    let mut templates = templates::environment("cpp")?;
    let is = move |name: &str, what: fn(&Record) -> bool| model.option(name).is_some_and(what);
    templates.add_filter("comment", comment);
    templates.add_filter("wrapped", |text: &str| doc::wrapped(text, 86).join("\n// "));
    templates.add_filter("c_name", c_name);
    templates.add_filter("number", |ty: Via<Type>| ty.names().cpp);
    templates.add_filter("getter", getter);
    templates.add_filter("view", |name: &str| view(model, name));
    templates.add_filter("taken", |name: &str| taken_as(model, name).to_owned());
    templates.add_filter("item_type", |item: Via<Type>| match &*item {
        Type::Record(inner) => taken_as(model, inner).to_owned(),
        Type::Words(_) => "std::int32_t".to_owned(),
        other => other.names().cpp.to_owned(),
    });
    templates.add_filter("is_text", |ty: Via<Type>| ty.is_text());
    templates.add_filter("is_flat", move |name: &str| {
        is(name, |one| one.about.c_flat)
    });
    templates.add_filter("is_filled", move |name: &str| {
        is(name, |one| one.about.c_filled)
    });
    templates.add_filter("parts", |record: Via<Record>| {
        Value::from_serialize(c::parts(&record))
    });
    templates.add_filter("members", |record: Via<Record>| {
        let mut members = c_options::members(&record);
        // What must be given comes first: it may be said by its place.
        let first = &record.about.cpp_first;
        members.sort_by_key(|member| {
            let place = first.iter().position(|name| *name == member.field.name);
            (place.unwrap_or(first.len()), !member.is_required)
        });
        Value::from_serialize(members)
    });
    Ok(templates)
}

fn comment(docs: &str, indent: usize) -> String {
    let lines = doc::lines(docs, &Plain, 86 - indent);
    doc::prefixed(&lines, &format!("{}///", " ".repeat(indent)))
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
    match given.any(|one| one.name == name && one.is_given && !one.is_by_hand("c.give")) {
        true => format!("{name}View"),
        false => name.to_owned(),
    }
}

/// Whether what a method gives is shown by hand, so that the method is by hand too.
fn gives_by_hand(model: &Model, method: &Method) -> bool {
    let Gives::One(Type::Record(name)) = &method.gives else {
        return false;
    };
    let mut records = model.records().filter(|record| record.name == *name);
    records.any(|record| record.is_by_hand("c.give") && !record.about.c_flat)
}

/// A parameter: its declaration, what is done before the call, and what is passed.
#[derive(Serialize)]
struct Parameter {
    declared: String,
    default: String,
    before: String,
    passed: String,
}

/// Whether options may be left out.
fn may_miss(model: &Model, name: &str) -> bool {
    let record = model.option(name);
    record.is_some_and(|record| !record.about.needed && !c_options::has_required(record))
}

fn parameter(model: &Model, argument: &Argument) -> Parameter {
    let name = c_argument(argument);
    let (ty, default, before, passed) = match &argument.ty {
        Type::Scope => {
            let passed = format!("{name}.kind(), {name}.project()");
            ("const Scope &".to_owned(), " = {}", String::new(), passed)
        }
        Type::List(item) => list_parameter(model, item, &name),
        Type::Record(record) => {
            let taken = taken_as(model, record);
            let default = if may_miss(model, record) { " = {}" } else { "" };
            let raw = c_name(taken);
            let before = format!("        const {raw} {name}_raw = {name}.raw(parts);\n");
            (
                format!("const {taken} &"),
                default,
                before,
                format!("&{name}_raw"),
            )
        }
        Type::Option(inner) => match &**inner {
            Type::Record(record) => {
                let (taken, raw) = (taken_as(model, record), c_name(taken_as(model, record)));
                let before = format!(
                    "        const {raw} *{name}_raw =\n            \
                     {name} ? parts.one({name}->raw(parts)) : nullptr;\n"
                );
                let ty = format!("const std::optional<{taken}> &");
                (ty, " = {}", before, format!("{name}_raw"))
            }
            ty if ty.is_text() => {
                let ty = "std::optional<std::string_view>".to_owned();
                (ty, " = {}", String::new(), format!("str({name})"))
            }
            ty => (
                ty.names().cpp.to_owned(),
                " = 0",
                String::new(),
                name.clone(),
            ),
        },
        Type::Words(words) => (c_name(words), "", String::new(), name.clone()),
        Type::Duration => ("std::uint64_t".to_owned(), "", String::new(), name.clone()),
        ty => {
            let is_text = ty.is_text();
            let passed = if is_text {
                format!("str({name})")
            } else {
                name.clone()
            };
            (ty.names().cpp.to_owned(), "", String::new(), passed)
        }
    };
    let space = if ty.ends_with('&') { "" } else { " " };
    Parameter {
        declared: format!("{ty}{space}{name}"),
        default: match &argument.default {
            Some(number) if number.parse::<f64>().is_ok() => format!(" = {number}"),
            _ => default.to_owned(),
        },
        before,
        passed,
    }
}

/// The type of a list, its default, what is done before the call, and what is passed.
fn list_parameter(
    model: &Model,
    item: &Type,
    name: &str,
) -> (String, &'static str, String, String) {
    match item {
        Type::F64 => {
            let passed = format!("{name}.data(), {name}.size()");
            (
                "const std::vector<double> &".to_owned(),
                "",
                String::new(),
                passed,
            )
        }
        Type::Record(record) => {
            let taken = taken_as(model, record);
            let before = format!(
                "        const {} *{name}_raw = nullptr;\n        \
                 std::size_t {name}_size = 0;\n        \
                 parts.structs({name}, {name}_raw, {name}_size);\n",
                c_name(taken)
            );
            let ty = format!("const std::vector<{taken}> &");
            (ty, "", before, format!("{name}_raw, {name}_size"))
        }
        _ => {
            let before = format!(
                "        const std::vector<recallite_str> {name}_raw = detail::strs({name});\n"
            );
            let ty = "const std::vector<std::string_view> &".to_owned();
            (
                ty,
                " = {}",
                before,
                format!("{name}_raw.data(), {name}_raw.size()"),
            )
        }
    }
}

/// What the templates are told of a method or a rule.
fn method_of(model: &Model, handle: Option<&Handle>, method: &Method) -> Value {
    let arguments = method.arguments.iter();
    let mut parameters: Vec<Parameter> = arguments.map(|one| parameter(model, one)).collect();
    // Defaults stand at the end.
    for parameter in parameters.iter_mut().rev() {
        if parameter.default.is_empty() {
            break;
        }
        parameter.declared.push_str(&parameter.default);
    }
    let mut passed = vec![function_name(handle, method)];
    passed.extend(handle.map(|handle| match handle.is_root() {
        true => "handle()".to_owned(),
        false => "memory_".to_owned(),
    }));
    passed.extend(parameters.iter().map(|one| one.passed.clone()));
    context! {
        name => method.called,
        docs => method.docs,
        gives => method.gives,
        has_parts => parameters.iter().any(|one| one.before.contains("parts")),
        passed => passed.join(", "),
        parameters,
    }
}
