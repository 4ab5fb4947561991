//! Python: the methods of the groups that hang on a memory and the functions that need
//! none, for the extension module and its stubs.

use super::c_methods::CODES;
use super::doc::{self, Style, snake};
use super::model::{Argument, Field, Gives, Handle, Method, Model, Type, unwrapped};
use super::python::{self, Python};
use super::{File, GENERATED};
use crate::shell::{Outcome, read, root};

/// The stubs of the extension module: those of the generated methods stand behind the
/// others of their class, up to the next empty line.
const STUBS: &str = "bindings-python/python/recallite/_native.pyi";

/// The module with the names of the rules.
const RULES: &str = "bindings-python/python/recallite/_generated/rule_names.py";

/// The widest line of a stub.
const WIDTH: usize = 100;

pub fn methods(model: &Model) -> File {
    let mut text = format!(
        "// {GENERATED}\n\
         //! The methods of areas.\n\n\
         // Python's keyword arguments are Rust's positional ones.\n\
         #![allow(clippy::too_many_arguments)]\n\n\
         use pyo3::prelude::*;\n\
         use pyo3::types::PyDict;\n\n\
         use crate::areas::*;\n\
         use crate::argument::{{self, Given, optional}};\n\
         use crate::convert::{{Object, give, give_placed, rows, rows_placed}};\n\
         use crate::fields::Fields;\n\
         use crate::learn_argument::{{any_id, each, entity_id, entry_id}};\n\
         use crate::memory::Memory;\n\
         use crate::places::Placed;\n"
    );
    for handle in &model.handles {
        let mut body = String::new();
        for method in handle.methods_in("python") {
            body.push_str(&Writer { model, method }.function(Some(handle)));
        }
        if !body.is_empty() {
            let name = &handle.name;
            text.push_str(&format!("\n#[pymethods]\nimpl {name} {{\n{body}}}\n"));
        }
    }
    File::rust("bindings-python/src/generated/methods.rs", text)
}

/// The rules, and what the extension module has of them.
pub fn rules(model: &Model) -> File {
    let mut text = format!(
        "// {GENERATED}\n\
         //! The functions that need no memory.\n\n\
         #![allow(clippy::useless_conversion)]\n\n\
         use pyo3::prelude::*;\n\n\
         use crate::argument::{{self, Given, optional}};\n\
         use crate::convert::{{FromPython, Object, give}};\n\
         use crate::rules::rule;\n\n"
    );
    for method in model.rules_of("python") {
        text.push_str(&Writer { model, method }.function(None));
    }
    let names: String = (model.rules_of("python"))
        .map(|method| {
            format!(
                "module.add_function(wrap_pyfunction!({}, module)?)?;\n",
                method.name
            )
        })
        .collect();
    text.push_str(&format!(
        "/// Puts them into the module.\n\
         pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {{\n{names}Ok(())\n}}\n"
    ));
    File::rust("bindings-python/src/generated/rules.rs", text)
}

/// The names of the rules, for the module that programs import.
pub fn rule_names(model: &Model) -> File {
    let mut names: Vec<&str> = model
        .rules_of("python")
        .map(|rule| rule.name.as_str())
        .collect();
    names.sort_unstable();
    let list = |space: &str, quote: &str| -> String {
        let names = names.iter();
        names
            .map(|name| format!("{space}{quote}{name}{quote},\n"))
            .collect()
    };
    let text = format!(
        "# {GENERATED}\n\"\"\"The rules that follow from the core's functions.\"\"\"\n\n\
         from .._native import (\n{})\n\n__all__ = [\n{}]\n",
        list("    ", ""),
        list("    ", "\"")
    );
    File::text(RULES, text)
}

pub fn stubs(model: &Model) -> Outcome<File> {
    let marker = &format!("    # {GENERATED}");
    let rules: String = (model.rules_of("python"))
        .map(|method| Writer { model, method }.stub(None))
        .collect();
    let mut text = read(&root().join(STUBS))?;
    text = marked(&text, "def _panic_for_test() -> None: ...\n", &rules)?;
    for handle in &model.handles {
        let methods: String = handle
            .methods_in("python")
            .map(|method| Writer { model, method }.stub(Some(handle)))
            .collect();
        if methods.is_empty() {
            continue;
        }
        let class = format!("class {}:\n", handle.name);
        let place = text.split_once(&class).and_then(|(before, rest)| {
            let (by_hand, rest) = rest.split_once(marker)?;
            let (_, after) = rest.split_once("\n\n").unwrap_or_default();
            // The line of the next class is not its own.
            let is_own = !by_hand.contains("\nclass ");
            let end = if after.is_empty() { "" } else { "\n" };
            is_own.then(|| format!("{before}{class}{by_hand}{marker}\n{methods}{end}{after}"))
        });
        text = place.ok_or_else(|| format!("{STUBS}: class {} has no marker", handle.name))?;
    }
    let (_, code) = text.split_once("__version__").unwrap_or_default();
    let imports = imports(model, code);
    text = marked(&text, "PrivateRemoved\n", &imports)?;
    Ok(File::text(STUBS, text))
}

/// The stubs with these lines behind the mark that follows `before`, up to an empty line.
fn marked(text: &str, before: &str, lines: &str) -> Outcome<String> {
    let mark = format!("{before}# {GENERATED}\n");
    let place = text.split_once(&mark).and_then(|(before, rest)| {
        let (_, after) = rest.split_once("\n\n")?;
        Some(format!("{before}{mark}{lines}\n{after}"))
    });
    place.ok_or_else(|| format!("{STUBS}: no mark behind {before:?}").into())
}

/// What the stubs need of the generated modules.
fn imports(model: &Model, code: &str) -> String {
    let modules = model.areas_of("python").map(|area| {
        let names = python::exported(area);
        let used = names.filter(|name| python::has_word(code, name));
        (&area.name, used.collect::<Vec<_>>().join(",\n    "))
    });
    modules
        .filter(|(_, used)| !used.is_empty())
        .map(|(module, used)| format!("from ._generated.{module} import (\n    {used},\n)\n"))
        .collect()
}

/// A keyword or positional argument of Python.
struct Parameter {
    name: String,
    /// How it is read, and what is made of it then.
    read: (String, String),
    /// Its type, for the stubs.
    hint: String,
    /// What stands for it when it is left out; absent where it must be given.
    shown: Option<String>,
    /// The argument that gathers it with other keywords.
    gathered: Option<String>,
}

impl Parameter {
    fn is_needed(&self) -> bool {
        self.shown.is_none()
    }

    /// The expression in Rust.
    fn value(&self) -> String {
        format!("{}?{}", self.read.0, self.read.1)
    }
}

/// A keyword that a function of the same record reads with the others.
fn gathered(argument: &str, field: &Field) -> Parameter {
    let hint = python::taken(&field.ty).replace("Sequence[", "Iterable[");
    Parameter {
        name: python::escaped(&field.name),
        read: Default::default(),
        hint: hint.replace("base.", ""),
        shown: Some(
            field
                .default
                .as_ref()
                .map_or("None".to_owned(), python::literal),
        ),
        gathered: Some(argument.to_owned()),
    }
}

struct Writer<'m> {
    model: &'m Model,
    method: &'m Method,
}

impl Writer<'_> {
    /// What Python gives for an argument: one parameter, or one for each field of what is
    /// a set of keywords.
    fn parameters(&self, argument: &Argument) -> Vec<Parameter> {
        let Some(record) = self.keywords(argument) else {
            return vec![self.parameter(&argument.name, &argument.ty, &argument.path, None)];
        };
        if record.about.keywords {
            let fields = record.fields.iter();
            return fields
                .map(|field| gathered(&argument.name, field))
                .collect();
        }
        let mut parameters: Vec<Parameter> = (record.fields.iter())
            .map(|field| {
                let words = record.about.words.get(&field.name);
                self.parameter(&field.name, &field.ty, "", words)
            })
            .collect();
        // A text that has a default only because every text has one must be given.
        parameters.sort_by_key(|parameter| !parameter.is_needed());
        parameters
    }

    /// The options that an argument is, where Python has keywords for their fields.
    fn keywords(&self, argument: &Argument) -> Option<&super::model::Record> {
        let Type::Record(name) = &argument.ty else {
            return None;
        };
        let mut classes = self.model.areas_of("python").flat_map(|area| &area.options);
        match classes.any(|one| one.name == *name) {
            true => None,
            false => self.model.options().find(|one| one.name == *name),
        }
    }

    fn parameter(&self, name: &str, ty: &Type, path: &str, words: Option<&String>) -> Parameter {
        let default = self.method.python_default(name);
        let is_said = self.method.must_say(name);
        let name = &python::escaped(name);
        let (reader, hint) = match self.method.python_reads(name) {
            Some(reader) => (reader.to_owned(), "_AnyRef".to_owned()),
            None => self.reader(ty.inner(), path),
        };
        let hint = words.map_or(hint, |words| format!("{words} | str"));
        let optional = format!("optional(&{name}, {name:?}, {reader})");
        let (read, hint, shown) = match (ty, default) {
            (Type::Scope, _) => (
                (optional, ".unwrap_or_default()".to_owned()),
                format!("{hint} | None"),
                Some("None".to_owned()),
            ),
            (Type::List(_), None) if self.is_rule() => (
                (format!("Vec::from_python({name}, {name:?})"), String::new()),
                format!("Iterable[{hint}]"),
                None,
            ),
            (Type::List(inner), _) if **inner == Type::Text => (
                (
                    format!("each(&{name}, {name:?}, \"several str\", {reader})"),
                    String::new(),
                ),
                format!("Iterable[{hint}]"),
                Some("()".to_owned()),
            ),
            (Type::Option(_), None) if is_said => (
                (
                    format!("optional(&Some({name}.clone()), {name:?}, {reader})"),
                    String::new(),
                ),
                format!("{hint} | None"),
                None,
            ),
            (Type::Option(_), None) => (
                (optional, String::new()),
                format!("{hint} | None"),
                Some("None".to_owned()),
            ),
            (Type::Option(_), Some(default)) => {
                ((optional, String::new()), hint, Some(default.to_owned()))
            }
            (_, None) => {
                let read = format!("{reader}({name}, {name:?})");
                ((read, String::new()), hint, None)
            }
            (_, Some(default)) => {
                let hint = match default {
                    "None" => format!("{hint} | None"),
                    _ => hint,
                };
                let read = (optional, unwrapped(default));
                (read, hint, Some(default.to_owned()))
            }
        };
        Parameter {
            name: name.to_owned(),
            read,
            hint,
            shown,
            gathered: None,
        }
    }

    /// The function that reads a value, and the type that it takes in the stubs.
    fn reader(&self, ty: &Type, path: &str) -> (String, String) {
        let (reader, hint) = match ty {
            Type::Bool => ("argument::boolean", "bool"),
            Type::Size => ("argument::size", "int"),
            Type::U32 => ("argument::small", "int"),
            Type::U64 => ("argument::whole", "int"),
            Type::I64 => ("argument::signed", "int"),
            Type::F32 => ("argument::fraction", "float"),
            Type::F64 => ("argument::number", "float"),
            Type::Time => ("argument::timestamp", "datetime"),
            Type::Position => ("argument::position", "int"),
            Type::EventRef => ("argument::event_ref", "_EventRef"),
            Type::Scope => ("argument::scope", "str | ProjectScope"),
            Type::Path => ("argument::path", "_Path"),
            Type::Json => ("argument::json", "Any"),
            Type::JsonObject => ("argument::json_object", "dict[str, Any]"),
            Type::Id if path.ends_with("EntityId") => ("entity_id", "_EntityRef"),
            Type::Id => ("entry_id", "_EntryRef"),
            Type::List(inner) if **inner == Type::EventRef => {
                ("argument::event_refs", "_EventRefs")
            }
            Type::Words(name) => {
                let words = self.model.words().find(|one| one.name == *name);
                let path = words.map_or("", |words| words.path.as_str());
                return (format!("argument::word::<{path}>"), format!("{name} | str"));
            }
            Type::List(inner) if self.is_rule() => return self.reader(inner, path),
            Type::Record(name) => {
                let record = self.model.options().find(|one| one.name == *name);
                let path = record.map_or("", |record| record.path.as_str());
                // A rule may take two of them.
                let reader = match self.is_rule() {
                    true => format!("<{path}>::from_python"),
                    false => format!("argument::bare::<{path}>"),
                };
                return (reader, format!("{name} | Mapping[str, Any]"));
            }
            _ => ("argument::text", "str"),
        };
        (reader.to_owned(), hint.to_owned())
    }

    fn is_rule(&self) -> bool {
        !self.method.path.is_empty()
    }

    fn all(&self) -> Vec<Parameter> {
        let arguments = self.method.arguments.iter();
        arguments.flat_map(|one| self.parameters(one)).collect()
    }

    /// The method or function of the extension module.
    fn function(&self, handle: Option<&Handle>) -> String {
        let name = &self.method.name;
        let called = match handle {
            Some(handle) if !handle.is_root() => format!("{}.{name}", snake(&handle.name)),
            _ => name.clone(),
        };
        let parameters = self.all();
        let mut text = self.docs();
        let (attributes, this) = match handle {
            Some(_) => ("", "&self, "),
            None => ("#[pyfunction]\n", ""),
        };
        text.push_str(attributes);
        text.push_str(&attribute(&parameters, handle.is_some()));
        text.push_str(&format!(
            "pub(crate) fn {name}<'py>({this}py: Python<'py>, "
        ));
        for parameter in parameters.iter().filter(|one| one.gathered.is_none()) {
            let ty = match parameter.is_needed() {
                true => "&Bound<'py, PyAny>",
                false => "Given<'py>",
            };
            text.push_str(&format!("{}: {ty}, ", parameter.name));
        }
        let mut gathered: Vec<_> = parameters
            .iter()
            .filter_map(|one| one.gathered.clone())
            .collect();
        gathered.dedup();
        for name in gathered {
            text.push_str(&format!("{name}: Option<Bound<'py, PyDict>>, "));
        }
        let (result, convert) = self.result();
        let passed: Vec<String> = self.method.arguments.iter().map(passed).collect();
        let Some(handle) = handle else {
            text.push_str(&format!(
                ") -> {result} {{\nrule(py, \"{called}\", {}, |{}| {}, {convert})\n}}\n\n",
                self.arguments(),
                self.pattern(),
                self.method.call(&passed)
            ));
            return text;
        };
        let call = format!("{}.{name}({})", handle.accessor(), passed.join(", "));
        let call = match convert.ends_with("_placed") {
            true => format!("{call}?.placed(memory)"),
            false => call,
        };
        text.push_str(&format!(
            ") -> {result} {{\nself.call(py, \"{called}\", {}, |memory, {}| {call}, {convert})\n}}\n\n",
            self.arguments(),
            self.pattern()
        ));
        text
    }

    /// The function that reads every argument.
    fn arguments(&self) -> String {
        let values: Vec<String> = (self.method.arguments.iter())
            .map(|argument| match self.keywords(argument) {
                None => self.parameters(argument)[0].value(),
                Some(record) if record.about.keywords => {
                    let function = snake(&record.name);
                    format!(
                        "super::{function}(Default::default(), &Fields::given_to(py, {}, super::{})?)?",
                        argument.name,
                        function.to_uppercase()
                    )
                }
                Some(record) => {
                    let fields: String = (self.parameters(argument).iter())
                        .map(|one| {
                            format!("{}: {},\n", one.name.trim_end_matches('_'), one.value())
                        })
                        .collect();
                    format!("{} {{\n{fields}}}", record.path)
                }
            })
            .collect();
        match values.as_slice() {
            [] => "|| Ok(())".to_owned(),
            // What is only read needs no `Ok`.
            [one] => match one.strip_suffix('?') {
                Some(read) => format!("|| {read}"),
                None => format!("|| Ok({one})"),
            },
            many => format!("|| Ok(({}))", many.join(", ")),
        }
    }

    /// The names of the arguments that were read, with the types that Rust must know.
    fn pattern(&self) -> String {
        let names: Vec<&str> = self.method.arguments.iter().map(local).collect();
        let types: Vec<&str> = (self.method.arguments.iter())
            .map(|argument| match &argument.ty {
                Type::Text => "String",
                Type::Option(inner) if **inner == Type::Text => "Option<String>",
                Type::List(inner) if **inner == Type::Text => "Vec<String>",
                Type::List(inner) if **inner == Type::F64 => "Vec<f64>",
                _ => "_",
            })
            .collect();
        match names.as_slice() {
            [] => "()".to_owned(),
            [one] if types == ["_"] => (*one).to_owned(),
            [one] => format!("{one}: {}", types[0]),
            many if types.iter().all(|ty| *ty == "_") => format!("({})", many.join(", ")),
            many => format!("({}): ({})", many.join(", "), types.join(", ")),
        }
    }

    /// The type of the result, and how it is made.
    fn result(&self) -> (&'static str, &'static str) {
        let is_placed = |ty: &Type| python::holds_places(self.model, ty);
        let as_it_is = "|_, found| Ok(found)";
        match &self.method.gives {
            Gives::Nothing => ("PyResult<()>", as_it_is),
            Gives::List(Type::Text) => ("PyResult<Vec<String>>", as_it_is),
            Gives::List(ty) if is_placed(ty) => ("Object<'py>", "rows_placed"),
            Gives::List(_) => ("Object<'py>", "rows"),
            Gives::One(Type::Bool) => ("PyResult<bool>", as_it_is),
            Gives::One(Type::Text) => ("PyResult<String>", as_it_is),
            Gives::One(Type::Size) => ("PyResult<usize>", as_it_is),
            Gives::One(ty) | Gives::Maybe(ty) if is_placed(ty) => ("Object<'py>", "give_placed"),
            Gives::One(_) | Gives::Maybe(_) => ("Object<'py>", "give"),
        }
    }

    fn docs(&self) -> String {
        let before = self
            .method
            .docs
            .split("# Errors")
            .next()
            .unwrap_or_default();
        let mut lines = doc::lines(before, &Python, 86);
        let records = self.method.arguments.iter();
        for field in records
            .filter_map(|one| self.keywords(one))
            .flat_map(|one| &one.fields)
        {
            // Before the first stands an empty line, as before every list.
            if !lines.iter().any(|line| line.starts_with("- ")) {
                lines.push(String::new());
            }
            let item = format!("- `{}`: {}", field.name, field.docs);
            lines.extend(doc::lines(&item, &Python, 86));
        }
        let errors = doc::errors(&self.method.docs);
        if !errors.is_empty() {
            let errors = match errors.strip_prefix("As ") {
                Some(rest) => format!("as {rest}"),
                None => errors.to_owned(),
            };
            lines.push(String::new());
            lines.extend(doc::lines(&format!("Raises {errors}"), &Classes, 86));
        }
        lines
            .iter()
            .map(|line| format!("{}\n", format!("/// {line}").trim_end()))
            .collect()
    }

    /// The lines of the method or function in the stubs.
    fn stub(&self, handle: Option<&Handle>) -> String {
        let parameters = self.all();
        let (space, this) = match handle {
            Some(_) => ("    ", Some("self".to_owned())),
            None => ("", None),
        };
        let mut given: Vec<String> = this.into_iter().collect();
        let is_single = parameters.len() == 1 && parameters[0].is_needed();
        let mut is_positional = true;
        for parameter in &parameters {
            if !parameter.is_needed() && is_positional {
                given.push("*".to_owned());
                is_positional = false;
            }
            let default = parameter.shown.as_deref();
            let default = default.map_or(String::new(), |shown| {
                format!(" = {}", shown.replace('\'', "\""))
            });
            given.push(format!("{}: {}{default}", parameter.name, parameter.hint));
        }
        if is_single {
            given.push("/".to_owned());
        }
        let name = &self.method.name;
        let result = match &self.method.gives {
            Gives::Nothing => "None".to_owned(),
            Gives::List(Type::Text) => "list[str]".to_owned(),
            Gives::List(ty) => format!("Rows[{}]", python::given(ty)),
            Gives::One(ty) => python::given(ty),
            Gives::Maybe(ty) => format!("{} | None", python::given(ty)),
        };
        let line = format!("{space}def {name}({}) -> {result}: ...", given.join(", "));
        let inside = format!("{space}    {}", given.join(", "));
        if line.len() <= WIDTH {
            format!("{line}\n")
        } else if inside.len() <= WIDTH {
            format!("{space}def {name}(\n{inside}\n{space}) -> {result}: ...\n")
        } else {
            let lines: String = given
                .iter()
                .map(|one| format!("{space}    {one},\n"))
                .collect();
            format!("{space}def {name}(\n{lines}{space}) -> {result}: ...\n")
        }
    }
}

/// As documentation has it, with the codes of errors as the classes that are raised.
struct Classes;

impl Style for Classes {
    fn name(&self, name: &str) -> String {
        if !CODES.contains(&name) {
            return Python.name(name);
        }
        let mut class: String = name
            .split('_')
            .flat_map(|word| [word[..1].to_uppercase(), word[1..].to_owned()])
            .collect();
        if matches!(name, "io" | "embedder" | "callback" | "internal") {
            class.push_str("Error");
        }
        format!("``{class}``")
    }

    fn code(&self, code: &str) -> String {
        Python.code(code)
    }
}

/// The signature, and the one that people see where defaults say more than `None`.
fn attribute(parameters: &[Parameter], is_method: bool) -> String {
    let mut names: Vec<String> = Vec::new();
    let this = is_method.then(|| "$self".to_owned());
    let mut seen: Vec<String> = this.into_iter().collect();
    let mut is_positional = true;
    for parameter in parameters {
        if !parameter.is_needed() && is_positional {
            if parameter.gathered.is_none() {
                names.push("*".to_owned());
            }
            seen.push("*".to_owned());
            is_positional = false;
        }
        let name = &parameter.name;
        match &parameter.shown {
            None => {
                names.push(name.clone());
                seen.push(name.clone());
            }
            Some(shown) => {
                match &parameter.gathered {
                    Some(all) if names.last() != Some(&format!("**{all}")) => {
                        names.push(format!("**{all}"));
                    }
                    Some(_) => {}
                    None => names.push(format!("{name}=None")),
                }
                seen.push(format!("{name}={shown}"));
            }
        }
    }
    if parameters.len() == 1 && parameters[0].is_needed() {
        names.push("/".to_owned());
        seen.push("/".to_owned());
    }
    let is_plain = parameters.iter().all(|one| {
        one.gathered.is_none() && one.shown.as_deref().is_none_or(|shown| shown == "None")
    });
    let names = names.join(", ");
    match is_plain {
        true => format!("    #[pyo3(signature = ({names}))]\n"),
        // Too long for rustfmt, which leaves it as it is.
        false => format!(
            "    #[pyo3(\n        signature = ({names}),\n        text_signature = \"({})\"\n    )]\n",
            seen.join(", ")
        ),
    }
}

/// What an argument that was read is called: the memory has its own name.
fn local(argument: &Argument) -> &str {
    match argument.name.as_str() {
        "memory" => "memory_id",
        name => name,
    }
}

/// How an argument is given to the core.
fn passed(argument: &Argument) -> String {
    let name = local(argument);
    match &argument.ty {
        Type::Option(inner) if **inner == Type::Text => format!("{name}.as_deref()"),
        Type::Option(_) if argument.is_borrowed => format!("{name}.as_ref()"),
        _ if argument.is_borrowed => format!("&{name}"),
        _ => name.to_owned(),
    }
}
