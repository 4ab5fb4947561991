//! C: a function for each method of the groups that hang on a memory, and for each rule.

use super::GENERATED;
use super::c::{c_name, c_type, comment};
use super::c_options::{self, taken_as};
use super::doc::{self, Style};
use super::model::{Argument, Gives, Handle, Method, Model, Type};

/// As documentation has it, with the codes of errors as statuses.
struct Statuses<'m>(&'m Model);

impl Style for Statuses<'_> {
    fn name(&self, name: &str) -> String {
        match self.0.is_code(name) {
            true => format!("RECALLITE_{}", name.to_uppercase()),
            false => format!("`{name}`"),
        }
    }

    fn code(&self, code: &str) -> String {
        format!("`{code}`")
    }
}

/// `recallite_tasks_list` of `Tasks::list`, `recallite_summary` of `text::summary`. C has one namespace for types and functions:
/// where what it gives has that name, `_get` stands behind it.
pub fn function_name(handle: Option<&Handle>, method: &Method) -> String {
    let name = match handle {
        Some(handle) if !handle.is_root() => format!("{}_{}", c_name(&handle.name), method.called),
        _ => c_name(&method.called),
    };
    match &method.gives {
        Gives::One(Type::Record(given) | Type::Words(given))
        | Gives::Maybe(Type::Record(given))
            if c_name(given) == name =>
        {
            format!("{name}_get")
        }
        _ => name,
    }
}

pub fn text(model: &Model, handle: &Handle) -> String {
    let docs = doc::first_paragraph(&handle.docs).replace('\n', "\n//! ");
    format!(
        "// {GENERATED}\n//! {docs}\n\nuse super::*;\n{}",
        functions(model, handle)
    )
}

/// The functions of a group.
pub fn functions(model: &Model, handle: &Handle) -> String {
    let methods = handle.methods_in("c");
    methods
        .map(|method| function(model, Some(handle), method))
        .collect()
}

/// The functions that need no memory.
pub fn rules(model: &Model) -> String {
    let mut text = format!(
        "// {GENERATED}\n//! Functions that need no memory.\n\n\
         #![allow(clippy::useless_conversion)]\n\nuse super::*;\n"
    );
    for rule in model.rules_of("c") {
        text.push_str(&function(model, None, rule));
    }
    text
}

/// A parameter: its name, its type, and what is said about it.
struct Parameter {
    name: String,
    ty: String,
    docs: String,
}

fn parameters(model: &Model, argument: &Argument) -> Vec<Parameter> {
    let name = &argument.name;
    let one = |ty: &str, docs: &str| {
        vec![Parameter {
            name: c_argument(argument),
            ty: ty.to_owned(),
            docs: docs.to_owned(),
        }]
    };
    match &argument.ty {
        Type::Scope => vec![
            Parameter {
                name: "scope".to_owned(),
                ty: "i32".to_owned(),
                docs: "which projects: one of recallite_scope.".to_owned(),
            },
            Parameter {
                name: "project".to_owned(),
                ty: "recallite_str".to_owned(),
                docs: "the project for RECALLITE_SCOPE_NAMED; absent otherwise.".to_owned(),
            },
        ],
        Type::List(inner) => vec![
            Parameter {
                name: name.clone(),
                ty: match &**inner {
                    Type::Record(record) => format!("*const {}", c_name(taken_as(model, record))),
                    inner => format!("*const {}", c_type(inner)),
                },
                docs: match (&**inner, c_type(inner).as_str()) {
                    (Type::Record(_), _) => {
                        "an array, each with the same struct_size; NULL when there are none."
                            .to_owned()
                    }
                    (_, "recallite_str") => "texts; NULL when there are none.".to_owned(),
                    _ => "numbers; NULL when there are none.".to_owned(),
                },
            },
            Parameter {
                name: format!("{name}_len"),
                ty: "usize".to_owned(),
                docs: "how many.".to_owned(),
            },
        ],
        Type::Record(record) => {
            let name = c_name(taken_as(model, record));
            one(&format!("*const {name}"), &format!("see {name}."))
        }
        Type::Words(words) => one("i32", &format!("one of {}.", c_name(words))),
        Type::Id => one("recallite_str", "an id."),
        Type::EventRef => one("recallite_str", "an event, by its id or citation."),
        Type::Time => one("i64", "the moment, in milliseconds since 1970 UTC."),
        Type::Duration => one("u64", "how long, in milliseconds."),
        Type::Position => one("u64", "a position in the log."),
        Type::Json | Type::JsonObject => one("recallite_str", "JSON."),
        Type::Text => one("recallite_str", "UTF-8."),
        Type::Path => one("recallite_str", "a path of the file system, UTF-8."),
        Type::Option(inner) => match &**inner {
            Type::Json | Type::JsonObject => one("recallite_str", "JSON; absent for none."),
            Type::Text => one("recallite_str", "UTF-8; absent for none."),
            Type::Record(record) => {
                let name = c_name(taken_as(model, record));
                one(
                    &format!("*const {name}"),
                    &format!("see {name}; NULL for none."),
                )
            }
            ty => one(&c_type(ty), "a number; 0 for none."),
        },
        ty => one(&c_type(ty), "a number."),
    }
}

/// What an argument is called in C.
pub fn c_argument(argument: &Argument) -> String {
    match argument.ty.inner() {
        Type::Time | Type::Duration => format!("{}_ms", argument.name),
        Type::Json | Type::JsonObject => format!("{}_json", argument.name),
        // The handle has this name.
        _ if argument.name == "memory" => "memory_id".to_owned(),
        _ => argument.name.clone(),
    }
}

/// How an argument is read from its parameters.
fn reading(model: &Model, argument: &Argument) -> String {
    let name = c_argument(argument);
    match &argument.ty {
        Type::Scope => "input::scope(\"scope\", scope, \"project\", project)?".to_owned(),
        Type::List(inner) => match &**inner {
            Type::EventRef => format!("input::parsed({name:?}, {name}, {name}_len)?"),
            Type::F64 => format!("input::array({name:?}, {name}, {name}_len)?"),
            Type::Record(record) => format!(
                "input::structs({name:?}, {name}, {name}_len, |one: &{}| one.made(\"\"))?",
                c_name(taken_as(model, record))
            ),
            _ => format!("input::owned_texts({name:?}, {name}, {name}_len)?"),
        },
        Type::Record(record) => {
            let struct_name = c_name(taken_as(model, record));
            format!("{struct_name}::taken({name:?}, {name})?")
        }
        Type::Words(_) => format!("word({name:?}, {name})?"),
        Type::Id => format!("{}::new({name}.required({name:?})?)", argument.path),
        Type::EventRef => format!("input::event_ref({name:?}, {name})?"),
        Type::Time => format!("input::moment({name:?}, {name})?"),
        Type::Duration => format!("std::time::Duration::from_millis({name})"),
        Type::Position => format!("recallite::Seq({name})"),
        Type::Text => format!("{name}.required({name:?})?"),
        Type::Path => format!("{name}.path({name:?})?"),
        Type::Option(inner) => match &**inner {
            Type::Json | Type::JsonObject => format!("input::json({name:?}, {name})?"),
            Type::Text => format!("{name}.optional({name:?})?"),
            Type::Record(record) => {
                let taken = format!(
                    "{}::taken({name:?}, {name})",
                    c_name(taken_as(model, record))
                );
                format!("(!{name}.is_null()).then(|| {taken}).transpose()?")
            }
            Type::F32 | Type::F64 => format!("({name} != 0.0).then_some({name})"),
            _ => format!("({name} != 0).then_some({name})"),
        },
        _ => name,
    }
}

/// What errors of the core call an argument and its fields, and what C calls them.
fn renamed(model: &Model, argument: &Argument) -> Vec<(String, String)> {
    let mut pairs = vec![(argument.name.clone(), c_argument(argument))];
    if let Type::Record(name) = &argument.ty {
        pairs.extend(c_options::renamed(model, name));
    }
    pairs.retain(|(core, in_c)| core != in_c);
    pairs
}

/// How it is given to the method.
fn passed(argument: &Argument) -> String {
    let name = c_argument(argument);
    match &argument.ty {
        Type::Text => name,
        Type::Path => format!("std::path::Path::new({name})"),
        Type::Option(inner) => match &**inner {
            Type::Json | Type::JsonObject | Type::Record(_) => format!("{name}.as_ref()"),
            _ => name,
        },
        _ => format!("{}{name}", argument.lent()),
    }
}

/// The place for what a method gives: its type, how it is filled, how it is freed.
fn result(method: &Method) -> Option<(String, String, String)> {
    let gives = &method.gives;
    let freed = |name: String| {
        let freed = format!("to be freed with {name}_free");
        Some((format!("*mut *mut {name}"), freed))
    };
    let ((ty, freed), made) = match gives {
        Gives::Nothing => return None,
        Gives::One(Type::Text) => (freed("recallite_string".to_owned())?, "give_text(given)"),
        Gives::One(Type::Path) => (
            freed("recallite_string".to_owned())?,
            "give_text(given.to_string_lossy())",
        ),
        // A rule whose answer may be nothing.
        Gives::Maybe(Type::Text) => {
            let (ty, freed) = freed("recallite_string".to_owned())?;
            let made = "given.map_or(std::ptr::null_mut(), give_text)";
            ((ty, format!("{freed}; NULL when there is none")), made)
        }
        Gives::List(Type::Text) => (
            freed("recallite_string_list".to_owned())?,
            "give_texts(given)",
        ),
        Gives::One(Type::Record(name)) | Gives::Maybe(Type::Record(name)) => {
            (freed(c_name(name))?, "give_one(given)")
        }
        Gives::List(Type::Record(name)) => {
            (freed(format!("{}_list", c_name(name)))?, "give_list(given)")
        }
        Gives::One(Type::Words(name)) => (
            ("*mut i32".to_owned(), format!("one of {}", c_name(name))),
            "words::number(&given)",
        ),
        Gives::One(Type::Position) => (
            ("*mut u64".to_owned(), "a position in the log".to_owned()),
            "given.0",
        ),
        Gives::One(Type::Bool) => (
            ("*mut bool".to_owned(), "what was found".to_owned()),
            "given",
        ),
        Gives::One(ty) | Gives::Maybe(ty) | Gives::List(ty) => (
            (format!("*mut {}", c_type(ty)), "a number".to_owned()),
            "given",
        ),
    };
    Some((ty, made.to_owned(), freed))
}

fn function(model: &Model, handle: Option<&Handle>, method: &Method) -> String {
    let mut docs = comment(&method.docs, 0);
    docs.push_str("///\n");
    let mut declared = String::new();
    let mut say = |name: &str, direction: &str, text: &str| {
        docs.push_str(&tagged(&format!("@param[{direction}] {name} {text}")));
    };
    if handle.is_some() {
        say("memory", "in", "the memory.");
        declared.push_str("memory: *mut recallite_memory,\n");
    }
    let parameters = method
        .arguments
        .iter()
        .flat_map(|one| parameters(model, one));
    for parameter in parameters {
        declared.push_str(&format!("{}: {},\n", parameter.name, parameter.ty));
        say(&parameter.name, "in", &parameter.docs);
    }
    let place = result(method);
    if let Some((ty, _, freed)) = &place {
        declared.push_str(&format!("result: {ty},\n"));
        let null = if method.is_change {
            "; may be NULL"
        } else {
            ""
        };
        say("result", "out", &format!("{freed}{null}."));
    }
    say("error", "out", "set on failure; may be NULL.");
    docs.push_str(&returned(model, method));
    let check = if method.is_change {
        "optional_out"
    } else {
        "out"
    };
    let mut read: Vec<(String, String)> = method
        .arguments
        .iter()
        .map(|argument| (c_argument(argument), reading(model, argument)))
        .filter(|(name, reading)| name != reading)
        .collect();
    if place.is_some() {
        read.push(("result".to_owned(), format!("{check}(\"result\", result)?")));
    }
    let passed: Vec<String> = method.arguments.iter().map(passed).collect();
    let arguments = method.arguments.iter();
    let renamed: Vec<String> = arguments
        .flat_map(|argument| renamed(model, argument))
        .map(|(core, in_c)| format!("({core:?}, {in_c:?})"))
        .collect();
    let named = match renamed.is_empty() {
        true => String::new(),
        false => format!(
            ".map_err(|error| input::named(&[{}], error))",
            renamed.join(", ")
        ),
    };
    let mut call = match handle {
        Some(handle) => format!(
            "{}.{}({}){named}?",
            handle.accessor(),
            method.name,
            passed.join(", ")
        ),
        None => match method.call(&passed) {
            fallible if !fallible.starts_with("Ok(") => format!("{fallible}{named}?"),
            call => call[3..call.len() - 1].to_owned(),
        },
    };
    if let (Gives::Maybe(_), true) = (&method.gives, handle.is_some()) {
        let name = method.arguments.first().map(c_argument).unwrap_or_default();
        call = format!("input::existing({name:?}, {call})?");
    }
    let after = match place {
        None => format!("{call};\n"),
        Some((_, made, _)) if method.is_change => {
            format!("let given = {call};\nif result.is_wanted() {{\nresult.set({made});\n}}\n")
        }
        Some((_, made, _)) => format!("let given = {call};\nresult.set({made});\n"),
    };
    let name = function_name(handle, method);
    let frame = match handle {
        Some(_) => "with_memory(memory, error, |memory|",
        None => "guard(error, ||",
    };
    format!(
        "\n{docs}#[unsafe(no_mangle)]\n\
         pub unsafe extern \"C\" fn {name}(\n{declared}\
         error: *mut *mut recallite_error,\n) -> recallite_status {{\n\
         {frame} {{\n{}{after}Ok(())\n}})\n}}\n",
        safely(&read, method)
    )
}

/// Reads every argument, in one block when pointers are followed.
fn safely(read: &[(String, String)], method: &Method) -> String {
    let follows = method.gives != Gives::Nothing
        || method.arguments.iter().any(|argument| {
            !matches!(
                argument.ty.inner(),
                Type::Words(_)
                    | Type::Time
                    | Type::Duration
                    | Type::Position
                    | Type::Bool
                    | Type::Size
                    | Type::U32
                    | Type::F64
            )
        });
    let safety = "// SAFETY: the caller's pointers are valid or NULL, as the header asks.\n";
    let (names, readings): (Vec<&str>, Vec<&str>) = read
        .iter()
        .map(|(name, reading)| (name.as_str(), reading.as_str()))
        .unzip();
    match (follows, read) {
        (false, _) => read
            .iter()
            .map(|(name, reading)| format!("let {name} = {reading};\n"))
            .collect(),
        (true, [(name, reading)]) => {
            format!("{safety}let {name} = unsafe {{ {reading} }};\n")
        }
        (true, _) => format!(
            "{safety}let ({}) = unsafe {{ ({}) }};\n",
            names.join(", "),
            readings.join(", ")
        ),
    }
}

fn returned(model: &Model, method: &Method) -> String {
    let errors = doc::paragraphs(doc::errors(&method.docs), &Statuses(model)).join(" ");
    let mut text = match errors.is_empty() {
        true if method.path.is_empty() => "RECALLITE_OK, or why it failed.".to_owned(),
        true => "RECALLITE_INVALID_ARGUMENT naming what is wrong.".to_owned(),
        false => super::c::plain(&errors),
    };
    if let (Gives::Maybe(_), "") = (&method.gives, method.path.as_str()) {
        text = format!("RECALLITE_NOT_FOUND when there is none; {text}");
    }
    tagged(&format!("@return {text}"))
}

/// A tag of the documentation, whose further lines stand further in.
fn tagged(text: &str) -> String {
    format!("/// {}\n", doc::wrapped(text, 76).join("\n///     "))
}
