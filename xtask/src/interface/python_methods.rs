//! Python: the methods of the groups that hang on a memory and the functions that need
//! none, for the extension module and its stubs.

use super::doc::{self, Style, snake};
use super::model::{Argument, Gives, Handle, Method, Model, Type};
use super::python::{self, Python};
use super::python_parameters::Parameter;
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
         use crate::convert::{{FromPython, Object, give, give_placed, rows, rows_placed}};\n\
         use crate::fields::Fields;\n\
         use crate::learn_argument::{{any_id, conflict, each, entity_id, entity_ref, entry_id, json_text, node}};\n\
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

/// The classes of the areas.
pub fn areas(model: &Model) -> File {
    let mut text = format!(
        "// {GENERATED}\n//! The areas of a memory.\n\n\
         use std::ops::Deref;\n\nuse pyo3::prelude::*;\n\n\
         use crate::areas::areas;\nuse crate::failure::guarded;\nuse crate::memory::Memory;\n\nareas! {{\n"
    );
    for handle in model.areas_with_methods("python") {
        for line in doc::lines(doc::first_paragraph(&handle.docs), &Python, 82) {
            text.push_str(&format!("    /// {line}\n"));
        }
        text.push_str(&format!("    {} = {};\n", handle.name, handle.area()));
    }
    File::rust("bindings-python/src/generated/areas.rs", text + "}\n")
}

/// The rules, and what the extension module has of them.
pub fn rules(model: &Model) -> File {
    let mut text = format!(
        "// {GENERATED}\n\
         //! The functions that need no memory.\n\n\
         #![allow(clippy::useless_conversion)]\n\n\
         use pyo3::prelude::*;\n\
         use pyo3::types::PyDict;\n\n\
         use crate::argument::{{self, Given, optional}};\n\
         use crate::convert::{{FromPython, Object, give, rows}};\n\
         use crate::fields::Fields;\n\
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
    let mut whole = String::new();
    for handle in model.handles_of("python") {
        let methods = handle.methods_in("python");
        let methods = methods.map(|method| Writer { model, method }.stub(Some(handle)));
        let mut methods: String = methods.collect();
        if handle.is_root() {
            let areas = model.areas_with_methods("python");
            let getters = areas.map(|area| {
                let (area, class) = (area.area(), &area.name);
                format!("    @property\n    def {area}(self) -> {class}: ...\n")
            });
            methods.insert_str(0, &getters.collect::<String>());
        } else if !handle.has_by_hand("python") {
            whole.push_str(&format!("@final\nclass {}:\n{methods}", handle.name));
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
    text = marked(
        &text,
        "# The areas whose methods are all derived.\n",
        &whole,
    )?;
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

/// Writes one method.
pub struct Writer<'m> {
    pub model: &'m Model,
    pub method: &'m Method,
}

impl Writer<'_> {
    pub fn is_rule(&self) -> bool {
        !self.method.path.is_empty()
    }

    /// The method or function of the extension module.
    fn function(&self, handle: Option<&Handle>) -> String {
        let name = &self.method.called;
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
        if let Some(work) = &self.method.python_work {
            let own = parameters.iter().filter(|one| one.gathered.is_none());
            let names: Vec<&str> = own.map(|one| one.name.as_str()).collect();
            text.push_str(&format!(
                ") -> {result} {{\n{}(self, py, {}options)\n}}\n\n",
                work.call,
                names
                    .iter()
                    .map(|name| format!("{name}, "))
                    .collect::<String>()
            ));
            return text;
        }
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
        let core = &self.method.name;
        let call = format!("{}.{core}({})", handle.accessor(), passed.join(", "));
        let call = self.renamed(call);
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

    /// The call, whose errors name keywords as Python has to call them.
    fn renamed(&self, call: String) -> String {
        let all = self.all();
        let names = all.iter().filter_map(|one| one.name.strip_suffix('_'));
        let pairs: Vec<String> = names
            .map(|name| format!("({name:?}, \"{name}_\")"))
            .collect();
        match (
            pairs.is_empty(),
            all.iter().any(|one| one.gathered.is_some()),
        ) {
            (false, false) => format!(
                "{call}.map_err(|error| argument::renamed(error, &[{}]))",
                pairs.join(", ")
            ),
            _ => call,
        }
    }

    /// The function that reads every argument.
    fn arguments(&self) -> String {
        let values: Vec<String> = (self.method.arguments.iter())
            .map(|argument| match self.keywords(argument) {
                _ if self.narrowed(argument).is_some() => {
                    let Type::Record(record) = &argument.ty else {
                        unreachable!("only records are narrowed");
                    };
                    let (name, function) = (&argument.name, snake(record));
                    format!(
                        "super::{function}(optional(&{name}, {name:?}, crate::recall::{function})?\
                         .unwrap_or_default(), &Fields::given_to(py, narrowed, &super::{}[1..])?)?",
                        function.to_uppercase()
                    )
                }
                None => self.parameters(argument)[0].value(),
                Some(record) if record.is_taken_whole() && record.about.keywords => {
                    format!("argument::keywords(py, {})?", argument.name)
                }
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
        let mut lines = doc::lines(&self.method.docs, &Python, 86);
        let records = self.method.arguments.iter();
        let without = self.method.python_work.as_ref();
        let without = without.and_then(|work| work.without.as_ref());
        let keywords = records.flat_map(|one| match self.narrowed(one) {
            Some(_) if self.method.python_work.is_some() => &[][..],
            Some(record) => &record.fields[1..],
            None => self.keywords(one).map_or(&[][..], |one| &one.fields),
        });
        for field in keywords.filter(|one| Some(&one.name) != without) {
            // Before the first stands an empty line, as before every list.
            if !lines.iter().any(|line| line.starts_with("- ")) {
                lines.push(String::new());
            }
            let item = format!(
                "- `{}`: {}",
                python::escaped(&field.name),
                python::told(field)
            );
            lines.extend(doc::lines(&item, &Python, 86));
        }
        let errors = doc::errors(&self.method.docs);
        if !errors.is_empty() {
            let errors = match errors.strip_prefix("As ") {
                Some(rest) => format!("as {rest}"),
                None => errors.to_owned(),
            };
            lines.push(String::new());
            lines.extend(doc::lines(
                &format!("Raises {errors}"),
                &Classes(self.model),
                86,
            ));
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
            if parameter.is_keyword() && is_positional {
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
        let name = &self.method.called;
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
struct Classes<'m>(&'m Model);

impl Style for Classes<'_> {
    fn name(&self, name: &str) -> String {
        if !self.0.is_code(name) {
            return Python.name(name);
        }
        format!("``{}``", python::exception(name))
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
        if parameter.is_keyword() && is_positional {
            if parameter.gathered.is_none() {
                names.push("*".to_owned());
            }
            seen.push("*".to_owned());
            is_positional = false;
        }
        let name = &parameter.name;
        match &parameter.shown {
            None => seen.push(name.clone()),
            Some(shown) => seen.push(format!("{name}={}", shown.replace('"', "'"))),
        }
        match (&parameter.gathered, &parameter.shown) {
            (Some(all), _) if names.last() != Some(&format!("**{all}")) => {
                names.push(format!("**{all}"));
            }
            (Some(_), _) => {}
            (None, None) => names.push(name.clone()),
            (None, Some(_)) => names.push(format!("{name}=None")),
        }
    }
    if parameters.len() == 1 && !parameters[0].is_keyword() && parameters[0].is_needed() {
        names.push("/".to_owned());
        seen.push("/".to_owned());
    }
    // Those that are gathered stand last.
    if let Some(at) = names.iter().position(|name| name.starts_with("**")) {
        let all = names.remove(at);
        if at < names.len() {
            names.insert(at, "*".to_owned());
        }
        names.push(all);
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
        _ => format!("{}{name}", argument.lent()),
    }
}
