//! C: what the templates are told of a method of a group that hangs on a memory, and of a rule.

use minijinja::{Value, context};

use super::c_names::{c_argument, function_name};
use super::c_options;
use super::c_spelled::spelled;
use super::doc;
use super::model::{Argument, Gives, Handle, Method, Model, Type};

/// The documentation of a method. A lookup in a memory that finds nothing is an error in C and
/// C++, which `refused` names.
pub fn docs(handle: Option<&Handle>, method: &Method, refused: &str) -> String {
    match &method.gives {
        Gives::Maybe(_) if handle.is_some() => doc::respelled(&method.docs, &|code| {
            (code == "None").then(|| refused.to_owned())
        }),
        _ => method.docs.clone(),
    }
}

/// What C has of methods.
#[derive(Clone, Copy)]
pub struct Methods {
    pub model: &'static Model,
}

impl Methods {
    /// The methods of a group.
    pub fn of(self, handle: &Handle) -> Vec<Value> {
        let methods = handle.methods_in("c");
        methods
            .map(|method| self.told(Some(handle), method))
            .collect()
    }

    pub fn told(self, handle: Option<&Handle>, method: &Method) -> Value {
        context! {
            name => function_name(handle, method),
            docs => docs(handle, method, "RECALLITE_NOT_FOUND"),
            is_method => handle.is_some(),
            is_change => method.is_change,
            arguments => arguments(self.model, method),
            gives => method.gives,
            follows => follows(method),
            call => self.call(handle, method),
            returned => self.returned(method),
        }
    }

    /// The call of the core, whose errors name what C calls otherwise as C does.
    fn call(self, handle: Option<&Handle>, method: &Method) -> String {
        let passed = method.arguments.iter().map(|one| passed(self.model, one));
        let passed: Vec<String> = passed.collect();
        let arguments = arguments(self.model, method);
        let pairs = arguments.iter().flat_map(|one| self.renamed(one));
        let pairs: Vec<_> = pairs.map(|pair| format!("{pair:?}")).collect();
        let named = match pairs.join(", ") {
            none if none.is_empty() => none,
            pairs => format!(".map_err(|error| input::named(&[{pairs}], error))"),
        };
        let call = method.call(handle, &passed);
        // A rule that cannot fail gives its result as it is.
        if let Some(plain) = call
            .strip_prefix("Ok(")
            .and_then(|call| call.strip_suffix(')'))
        {
            return plain.to_owned();
        }
        match &method.gives {
            Gives::Maybe(_) if handle.is_some() => {
                let name = method.arguments.first().map(c_argument).unwrap_or_default();
                format!("input::existing({name:?}, {call}{named}?)?")
            }
            _ => format!("{call}{named}?"),
        }
    }

    /// What errors of the core call an argument and its fields, and what C calls them.
    fn renamed(self, argument: &Argument) -> Vec<(String, String)> {
        let mut pairs = vec![(argument.name.clone(), c_argument(argument))];
        if let Some(name) = argument.ty.named() {
            pairs.extend(c_options::renamed(self.model, name));
        }
        pairs.retain(|(core, in_c)| core != in_c);
        pairs
    }

    fn returned(self, method: &Method) -> String {
        // The codes of errors are statuses.
        let errors = doc::respelled(doc::errors(&method.docs), &|code| {
            let is_code = self.model.is_code(code);
            is_code.then(|| format!("RECALLITE_{}", code.to_uppercase()))
        });
        let is_rule = method.is_rule();
        let text = match errors.is_empty() {
            true if is_rule => "RECALLITE_INVALID_ARGUMENT naming what is wrong.".to_owned(),
            true => "RECALLITE_OK, or why it failed.".to_owned(),
            false => {
                let style = |code: &str, is_name: bool| spelled(self.model, code, is_name);
                doc::paragraphs(&errors, &style).join(" ")
            }
        };
        match &method.gives {
            Gives::Maybe(_) if !is_rule => {
                format!("@return RECALLITE_NOT_FOUND when there is none; {text}")
            }
            _ => format!("@return {text}"),
        }
    }
}

/// Whether these are options that hold what to search for, which C has beside them.
fn holds_query(model: &Model, argument: &Argument) -> bool {
    let record = argument.ty.named().and_then(|name| model.option(name));
    record.is_some_and(|record| record.about.hide.iter().any(|name| name == "query"))
}

/// The arguments of a method as C has them.
pub fn arguments(model: &Model, method: &Method) -> Vec<Argument> {
    let mut arguments = method.arguments.clone();
    if let Some(place) = arguments.iter().position(|one| holds_query(model, one)) {
        let query = Argument {
            name: "query".to_owned(),
            ty: Type::Record("Query".to_owned()),
            ..arguments[place].clone()
        };
        arguments.insert(place, query);
    }
    arguments
}

/// How it is given to the method.
fn passed(model: &Model, argument: &Argument) -> String {
    let name = c_argument(argument);
    match &argument.ty {
        Type::Text => name,
        Type::Path => format!("std::path::Path::new({name})"),
        Type::Option(inner) => match &**inner {
            Type::Json | Type::JsonObject | Type::Record(_) => format!("{name}.as_ref()"),
            _ => name,
        },
        _ if holds_query(model, argument) => format!("{name}.query(query)"),
        _ => format!("{}{name}", argument.lent()),
    }
}

/// Whether pointers are followed to read the arguments.
fn follows(method: &Method) -> bool {
    let is_pointer =
        |ty: &Type| ty.is_text() || matches!(ty, Type::Scope | Type::Record(_) | Type::List(_));
    let mut arguments = method.arguments.iter();
    method.gives != Gives::Nothing || arguments.any(|one| is_pointer(one.ty.inner()))
}
