//! Python: frozen dataclasses, enums of words, and their Rust conversions.

use super::doc::{self, Style};
use super::model::{Access, Area, Field, Model, Record, Type, Value, Words, counted, spread};
use super::source::Word;
use super::{File, GENERATED, LISTED};
use crate::shell::{Outcome, read, root};

pub struct Python;

impl Style for Python {
    fn name(&self, name: &str) -> String {
        let name = match doc::last(name) {
            "true" => "True",
            "false" => "False",
            other => other,
        };
        format!("``{name}``")
    }

    fn code(&self, code: &str) -> String {
        format!("``{code}``")
    }
}

/// The package's own module, that of the functions that need no memory, and that for
/// asyncio.
const PACKAGE: &str = "bindings-python/python/recallite/__init__.py";
const RULES: &str = "bindings-python/python/recallite/rules.py";

const ASYNC: &str = "bindings-python/python/recallite/aio.py";

/// Where the package keeps the generated modules.
const FOLDER: &str = "bindings-python/python/recallite/_generated";

/// The module of the exceptions among them.
const EXCEPTIONS: &str = "exceptions";

pub fn files(model: &Model) -> Outcome<Vec<File>> {
    let mut files = vec![
        listed(PACKAGE, package(model).iter().map(String::as_str))?,
        listed(RULES, rules(model))?,
        listed(ASYNC, areas(model))?,
        File::text(&format!("{FOLDER}/__init__.py"), index(model)),
        File::rust("bindings-python/src/generated/mod.rs", conversions(model)),
        File::text(&format!("{FOLDER}/{EXCEPTIONS}.py"), exceptions(model)),
    ];
    for area in model.areas_of("python") {
        let path = format!("{FOLDER}/{}.py", area.name);
        files.push(File::text(&path, module(model, area)));
    }
    Ok(files)
}

/// A module with the generated names in its `__all__`: type checkers want them there as
/// they are.
fn listed<'m>(path: &str, names: impl Iterator<Item = &'m str>) -> Outcome<File> {
    let begin = format!("    # {LISTED}\n");
    let text = read(&root().join(path))?;
    let (before, rest) = text
        .split_once(&begin)
        .ok_or_else(|| format!("{path} does not say where the generated names begin"))?;
    let (_, after) = rest
        .split_once("]\n")
        .ok_or_else(|| format!("{path}: the list of names has no end"))?;
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    let mut made = format!("{before}{begin}");
    for name in names {
        made.push_str(&format!("    \"{name}\",\n"));
    }
    Ok(File::text(path, made + "]\n" + after))
}

/// The functions that need no memory, and the classes of the area of that name.
fn rules(model: &Model) -> impl Iterator<Item = &str> {
    let area = (model.areas_of("python")).filter(|area| area.name == "rules");
    let functions = model.rules_of("python").map(|rule| rule.name.as_str());
    functions.chain(area.flat_map(exported))
}

/// The names of an area's classes that programs import; keywords are named with
/// those that are written by hand.
pub fn exported(area: &Area) -> impl Iterator<Item = &str> {
    names(area).into_iter().filter(|name| {
        !area
            .options
            .iter()
            .any(|one| one.is_builder && one.name == *name)
    })
}

/// The names of an area's classes, in order.
fn names(area: &Area) -> Vec<&str> {
    let mut names: Vec<&str> = (area.words.iter().map(|words| words.name.as_str()))
        .chain(area.structs().map(|record| record.name.as_str()))
        .collect();
    names.sort_unstable();
    names
}

/// Which module has which class: they are loaded when one is first asked for.
fn index(model: &Model) -> String {
    let mut text = format!(
        "# {GENERATED}\n\
         \"\"\"Which module has which class. Making so many classes takes longer than the rest\n\
         of the import, so that each module is loaded when one of its classes is asked for.\n\
         \"\"\"\n\nMODULES = {{\n"
    );
    for (name, module) in classes(model) {
        text.push_str(&format!("    \"{name}\": \"{module}\",\n"));
    }
    text.push_str("}\n");
    text
}

/// What programs import from the package.
fn package(model: &Model) -> Vec<String> {
    let classes = classes(model).into_iter().map(|(name, _)| name);
    areas(model).map(str::to_owned).chain(classes).collect()
}

/// The classes of a memory's areas.
fn areas(model: &Model) -> impl Iterator<Item = &str> {
    let areas = model.areas_with_methods("python");
    areas.map(|area| area.name.as_str())
}

/// Every class that programs import, in order, with its module.
fn classes(model: &Model) -> Vec<(String, &str)> {
    let areas = model.areas_of("python");
    let of_areas = areas.flat_map(|area| exported(area).map(|name| (name.to_owned(), &*area.name)));
    let mut all: Vec<_> = of_areas.collect();
    all.extend(codes(model).map(|(_, code)| (exception(&code.text), EXCEPTIONS)));
    all.sort_unstable();
    all
}

/// The codes of errors.
fn codes(model: &Model) -> impl Iterator<Item = (&Words, &Word)> {
    let words = model.words().filter(|words| words.is_of_errors());
    words.flat_map(|words| words.items.iter().map(move |item| (words, item)))
}

/// The exception of a code: `NotFound` of `not_found`.
pub fn exception(code: &str) -> String {
    let name: String = code.split('_').map(doc::capital).collect();
    match code {
        "io" | "embedder" | "callback" | "internal" => name + "Error",
        _ => name,
    }
}

/// A class for each code of an error.
fn exceptions(model: &Model) -> String {
    let mut text = format!(
        "# {GENERATED}\n\"\"\"The exceptions of the library: one class per code.\"\"\"\n\n\
         from __future__ import annotations\n\n\
         from .._error import Error\n\
         from .errors import ErrorCode\n\n__all__ = [\n"
    );
    let mut body = String::new();
    for (words, code) in codes(model) {
        let name = exception(&code.text);
        let base = words.about.python_bases.get(&code.text);
        let base = base.map_or(String::new(), |base| format!(", {base}"));
        text.push_str(&format!("    \"{name}\",\n"));
        body.push_str(&format!(
            "\n\nclass {name}(Error{base}):\n{}\n    code = ErrorCode.{}\n",
            docstring(&code.docs, 4),
            code.text.to_uppercase()
        ));
    }
    format!("{text}]\n{body}{SHOWN}")
}

/// The end of a module whose classes show the name under which people import them.
const SHOWN: &str = "\n\n# They show the name under which people import them.\n\
                     for _name in __all__:\n    globals()[_name].__module__ = \"recallite\"\n";

fn module(model: &Model, area: &Area) -> String {
    let mut body = String::new();
    for words in &area.words {
        body.push_str(&words_class(words));
    }
    for record in area.structs() {
        let direction = match (area.is_given(&record.name), area.is_taken(&record.name)) {
            (true, false) => Direction::Given,
            (false, _) => Direction::Taken,
            (true, true) => Direction::Both,
        };
        body.push_str(&class(record, direction));
    }
    let mut text = format!(
        "# {GENERATED}\n\"\"\"{}\"\"\"\n\nfrom __future__ import annotations\n\n",
        area.docs
    );
    let has = |word: &str| body.contains(word);
    if has("os.PathLike") {
        text.push_str("import os\n");
    }
    let mut import = |module: &str, names: &[&str]| {
        let names: Vec<&str> = names
            .iter()
            .copied()
            .filter(|name| has_word(&body, name))
            .collect();
        if !names.is_empty() {
            text.push_str(&format!("from {module} import {}\n", names.join(", ")));
        }
    };
    import("collections.abc", &["Iterable", "Mapping", "Sequence"]);
    import("dataclasses", &["dataclass", "field"]);
    import("datetime", &["datetime"]);
    import("enum", &["StrEnum"]);
    import("typing", &["Any", "TypedDict"]);
    if has("base.") {
        text.push_str("\nfrom .. import _base as base  # pyright: ignore[reportPrivateUsage]\n");
    }
    for other in model
        .areas_of("python")
        .filter(|other| other.name != area.name)
    {
        let used: Vec<&str> = names(other)
            .into_iter()
            .filter(|name| is_annotated(&body, name))
            .collect();
        if !used.is_empty() {
            let used = used.join(", ");
            text.push_str(&format!("from .{} import {used}\n", other.name));
        }
    }
    text.push_str("\n__all__ = [\n");
    for name in exported(area) {
        text.push_str(&format!("    \"{name}\",\n"));
    }
    text.push_str("]\n");
    text + &body + SHOWN
}

/// Whether a word stands in code, as a whole.
pub fn has_word(text: &str, word: &str) -> bool {
    text.lines()
        .filter(|line| !line.trim_start().starts_with("\"\"\""))
        .any(|line| {
            line.split(|c: char| !c.is_alphanumeric() && c != '_')
                .any(|found| found == word)
        })
}

/// Whether a class stands in the type of a field.
fn is_annotated(text: &str, name: &str) -> bool {
    text.lines()
        .filter(|line| {
            line.strip_prefix("    ")
                .and_then(|line| line.split_once(": "))
                .is_some_and(|(field, _)| field.chars().all(|c| c.is_alphanumeric() || c == '_'))
        })
        .any(|line| has_word(line, name))
}

/// Which way a class goes.
#[derive(Clone, Copy, PartialEq)]
enum Direction {
    Given,
    Taken,
    Both,
}

fn words_class(words: &Words) -> String {
    let mut text = format!("\n\nclass {}(StrEnum):\n", words.name);
    text.push_str(&docstring(&words.docs, 4));
    text.push('\n');
    for item in &words.items {
        let name = doc::snake(&item.variant).to_uppercase();
        text.push_str(&format!("    {name} = \"{}\"\n", item.text));
        text.push_str(&docstring(&item.docs, 4));
    }
    text
}

fn docstring(docs: &str, indent: usize) -> String {
    let space = " ".repeat(indent);
    let lines = doc::lines(docs, &Python, 86 - indent);
    match lines.as_slice() {
        [] => String::new(),
        [line] => format!("{space}\"\"\"{}\"\"\"\n", quoted(line)),
        [first, rest @ ..] => {
            let mut text = format!("{space}\"\"\"{}\n", quoted(first));
            let is_long = rest.iter().any(String::is_empty);
            for (index, line) in rest.iter().enumerate() {
                let is_last = index + 1 == rest.len();
                let end = if is_last && !is_long { "\"\"\"" } else { "" };
                let line = format!("{space}{}{end}", quoted(line));
                text.push_str(line.trim_end());
                text.push('\n');
            }
            if is_long {
                text.push_str(&format!("{space}\"\"\"\n"));
            }
            text
        }
    }
}

/// Text that may stand in a docstring.
fn quoted(line: &str) -> String {
    let line = line.replace('\\', "\\\\").replace("\"\"\"", "'''");
    match line.strip_suffix('"') {
        Some(rest) => format!("{rest}\\\""),
        None => line,
    }
}

/// A field as Python has it: offsets are two, counted in code points and in bytes.
fn fields_of(record: &Record) -> Vec<Field> {
    // Counting needs the event, which may not be known or be forgotten since.
    let is_uncertain = record.about.within.as_ref().is_some_and(|within| {
        let event = record.fields.iter().find(|field| field.name == *within);
        event.is_some_and(|event| event.ty.is_option())
    });
    let ty = match is_uncertain {
        true => Type::Option(Box::new(Type::Offset)),
        false => Type::Offset,
    };
    let fields = spread(record, "chars", "code points", "_byte");
    counted(fields, &ty, "In code points.")
}

/// The keywords of a function.
fn keywords(record: &Record) -> String {
    let mut text = format!("\n\nclass {}(TypedDict, total=False):\n", record.name);
    text.push_str(&docstring(&record.docs, 4));
    text.push('\n');
    for field in &record.fields {
        let ty = annotation(&field.ty, Direction::Taken);
        text.push_str(&format!("    {}: {ty} | None\n", field.name));
        text.push_str(&docstring(&field.docs, 4));
    }
    text
}

fn class(record: &Record, direction: Direction) -> String {
    if record.is_builder {
        return keywords(record);
    }
    let is_input = direction != Direction::Given;
    let base = record.about.python_base.as_deref().unwrap_or("Record");
    let mut text = format!(
        "\n\n@dataclass(frozen=True, slots=True, repr=False)\nclass {}(base.{base}):\n",
        record.name
    );
    text.push_str(&docstring(&record.docs, 4));
    text.push('\n');
    let fields = fields_of(record);
    let (required, optional): (Vec<_>, Vec<_>) = fields
        .iter()
        .partition(|field| !is_input || field.default.is_none());
    for field in required.into_iter().chain(optional) {
        let mut settings = Vec::new();
        if is_input && let Some(default) = &field.default {
            settings.push(default_of(default));
        }
        if record.about.uncompared.contains(&field.name) {
            settings.push("compare=False".to_owned());
        } else if is_unhashable(&field.ty, is_input) {
            settings.push("hash=False".to_owned());
        }
        let value = match settings.as_slice() {
            [] => String::new(),
            [one] if one.starts_with("default=") => {
                format!(" = {}", one.trim_start_matches("default="))
            }
            many => format!(" = field({})", many.join(", ")),
        };
        let alone = match record.about.single.contains(&field.name) {
            true => "str | ",
            false => "",
        };
        let ty = annotation(&field.ty, direction);
        text.push_str(&format!(
            "    {}: {alone}{ty}{value}\n",
            escaped(&field.name)
        ));
        text.push_str(&docstring(&told(field), 4));
    }
    text
}

/// What is said of a field, with the values that only Python has.
pub fn told(field: &Field) -> String {
    match field.ty {
        Type::Dedupe => format!(
            "{} `True`: by the content. A `str`: by this key. `False`: not at all.",
            field.docs
        ),
        _ => field.docs.clone(),
    }
}

/// A name that is no keyword.
pub fn escaped(name: &str) -> String {
    match name {
        "from" => "from_".to_owned(),
        other => other.to_owned(),
    }
}

fn is_unhashable(ty: &Type, is_input: bool) -> bool {
    match ty {
        Type::Json | Type::JsonObject => true,
        Type::Option(inner) => is_unhashable(inner, is_input),
        Type::List(_) | Type::Record(_) => is_input,
        _ => false,
    }
}

fn default_of(value: &Value) -> String {
    format!("default={}", literal(value))
}

pub fn literal(value: &Value) -> String {
    match value {
        Value::Nothing => "None".to_owned(),
        Value::Bool(true) | Value::ByContent => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Int(number) => number.to_string(),
        Value::Float(number) => format!("{number:?}"),
        Value::Text(text) | Value::Word(text) => format!("{text:?}"),
        Value::List(items) => {
            let items: Vec<String> = items.iter().map(literal).collect();
            match items.as_slice() {
                [one] => format!("({one},)"),
                many => format!("({})", many.join(", ")),
            }
        }
        Value::Record(name) => format!("{name}()"),
    }
}

/// The type of what a call gives.
pub fn given(ty: &Type) -> String {
    annotation(ty, Direction::Given)
}

/// The type of what is given to a call.
pub fn taken(ty: &Type) -> String {
    annotation(ty, Direction::Taken)
}

/// Whether a result holds places in the contents of events, itself or in what it holds.
pub fn holds_places(model: &Model, ty: &Type) -> bool {
    match ty {
        Type::Offset => true,
        Type::Option(inner) | Type::List(inner) => holds_places(model, inner),
        Type::Record(name) => model
            .records()
            .filter(|record| record.name == *name)
            .flat_map(|record| &record.fields)
            .any(|field| holds_places(model, &field.ty)),
        _ => false,
    }
}

fn annotation(ty: &Type, direction: Direction) -> String {
    let inner = |ty: &Type| annotation(ty, direction);
    let is_taken = direction == Direction::Taken;
    let is_input = direction != Direction::Given;
    match ty {
        Type::Bool => "bool".to_owned(),
        Type::U32
        | Type::U64
        | Type::Size
        | Type::I64
        | Type::Position
        | Type::Duration
        | Type::Offset
        | Type::Span => "int".to_owned(),
        Type::F32 | Type::F64 => "float".to_owned(),
        Type::Text | Type::Id => "str".to_owned(),
        Type::Path => "str | os.PathLike[str]".to_owned(),
        Type::Time => "datetime".to_owned(),
        Type::Json => "Any".to_owned(),
        Type::JsonObject => "dict[str, Any]".to_owned(),
        Type::EventRef => "base.EventName".to_owned(),
        Type::Scope => "str | base.ProjectScope | None".to_owned(),
        Type::Dedupe => "bool | str".to_owned(),
        Type::Words(name) if is_input => format!("{name} | str"),
        Type::Record(name) if is_taken => format!("{name} | Mapping[str, Any]"),
        Type::Words(name) | Type::Record(name) => name.clone(),
        Type::Option(ty) => match &**ty {
            Type::Json => "Any".to_owned(),
            ty => format!("{} | None", inner(ty)),
        },
        Type::List(ty) if is_taken => match &**ty {
            Type::Words(name) => format!("{name} | str | Sequence[{name} | str]"),
            Type::F32 => "Iterable[float]".to_owned(),
            ty => format!("Sequence[{}]", inner(ty)),
        },
        Type::List(ty) => format!("tuple[{}, ...]", inner(ty)),
        Type::Array(ty, len) => format!("tuple[{}]", vec![inner(ty); *len].join(", ")),
    }
}

fn conversions(model: &Model) -> String {
    let mut text = format!(
        "// {GENERATED}\n\
         //! Between the core's types and the classes of the package.\n\n\
         pub(crate) mod areas;\n\
         mod methods;\n\
         pub(crate) mod rules;\n\n\
         use pyo3::prelude::*;\n\n\
         use crate::argument;\n\
         use crate::convert::{{Class, FromPython, Object, To, ToPython}};\n\
         use crate::fields::Fields;\n"
    );
    for words in model.words() {
        text.push_str(&of_words(words));
    }
    for record in model
        .records()
        .filter(|record| !record.is_by_hand("python.give"))
    {
        text.push_str(&to_python(record));
    }
    let taken = model.areas_of("python").flat_map(|area| &area.options);
    for record in taken.filter(|record| !record.is_by_hand("python.take")) {
        if !record.is_builder {
            text.push_str(&from_python(record));
        }
    }
    for record in model
        .options()
        .filter(|one| one.is_builder || one.about.keywords && !one.is_taken_whole())
    {
        text.push_str(&from_keywords(record));
    }
    text
}

fn of_words(words: &Words) -> String {
    let (path, name) = (&words.path, &words.name);
    let mut text = format!(
        "\nimpl ToPython for {path} {{\n\
         fn to_python<'py>(self, to: &To<'py>) -> Object<'py> {{\n\
         static CLASS: Class = Class::new(\"{name}\");\n\
         CLASS.call(to, &[self.as_str().to_python(to)?])\n}}\n}}\n"
    );
    if words.is_plain {
        text.push_str(&format!(
            "\nimpl FromPython for {path} {{\n\
             const IS_WORD: bool = true;\n\n\
             fn from_python(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Self> {{\n\
             argument::word(value, name)\n}}\n}}\n"
        ));
    }
    text
}

fn to_python(record: &Record) -> String {
    let mut text = format!(
        "\nimpl ToPython for {} {{\n\
         fn to_python<'py>(self, to: &To<'py>) -> Object<'py> {{\n\
         static CLASS: Class = Class::new(\"{}\");\n",
        record.path, record.name
    );
    if let Some(event) = &record.about.within {
        text.push_str(&format!("let to = &to.within(&self.{event});\n"));
    }
    // What methods lend is taken before the fields are moved out.
    for field in &record.fields {
        if let Access::Method(method) = &field.access {
            text.push_str(&format!(
                "let {} = self.{method}().to_python(to)?;\n",
                field.name,
            ));
        }
    }
    text.push_str("let fields = [\n");
    for field in spread(record, "chars", "code points", "_byte") {
        match &field.access {
            Access::Method(_) => text.push_str(&format!("{},\n", field.name)),
            Access::Field(path) if field.ty == Type::Offset => {
                text.push_str(&format!(
                    "to.place(self.{path})?,\nself.{path}.to_python(to)?,\n"
                ));
            }
            Access::Field(path) => text.push_str(&format!("self.{path}.to_python(to)?,\n")),
        }
    }
    text.push_str("];\nCLASS.call(to, &fields)\n}\n}\n");
    text
}

/// Sets what keywords give.
fn from_keywords(record: &Record) -> String {
    let name = doc::snake(&record.name);
    let names = record.fields.iter();
    format!(
        "\n/// The keywords of [`{name}`].\npub(crate) const {}: &[&str] = &[{}];\n\n\
         /// Sets what the keywords give.\n\
         pub(crate) fn {name}(mut made: {path}, fields: &Fields<'_>) -> PyResult<{path}> {{\n\
         {}Ok(made)\n}}\n",
        name.to_uppercase(),
        names
            .map(|field| format!("{:?}, ", escaped(&field.name)))
            .collect::<String>(),
        sets(record),
        path = record.path,
    )
}

/// Puts each field that was given into its place.
fn sets(record: &Record) -> String {
    let set = |field: &Field| {
        let (name, core) = (escaped(&field.name), &field.core_name);
        let reader = reader(record, field);
        if record.is_builder || record.about.by_setter.contains(&field.name) {
            let ty = match &field.ty {
                Type::Text => "::<String>",
                Type::List(_) => "::<Vec<_>>",
                _ => "",
            };
            let read = match reader {
                None => format!("given{ty}({name:?})"),
                Some(reader) => format!("optional({name:?}, {reader})"),
            };
            return format!(
                "if let Some(value) = fields.{read}? {{\nmade = made.{core}(value);\n}}\n"
            );
        }
        let method = if field.ty.is_option() {
            "put"
        } else {
            "replace"
        };
        match reader {
            None => format!("fields.{method}({name:?}, &mut made.{core})?;\n"),
            Some(reader) => {
                format!("fields.{method}_by({name:?}, {reader}, &mut made.{core})?;\n")
            }
        }
    };
    record.fields.iter().map(set).collect()
}

/// What reads a field where its type in Rust does not say it.
fn reader(record: &Record, field: &Field) -> Option<&'static str> {
    let is_single = record.about.single.contains(&field.name);
    match field.ty.inner() {
        Type::JsonObject => Some("argument::json_object"),
        Type::List(inner) => match &**inner {
            Type::F32 => Some("crate::embedder::vector"),
            Type::EventRef => Some("argument::event_refs"),
            Type::Text if is_single => Some("argument::names"),
            _ => None,
        },
        _ => None,
    }
}

fn from_python(record: &Record) -> String {
    let names: Vec<String> = record
        .fields
        .iter()
        .map(|field| format!("{:?}", escaped(&field.name)))
        .collect();
    let mut text = format!(
        "\nimpl FromPython for {} {{\n\
         fn from_python(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Self> {{\n\
         static CLASS: Class = Class::new({:?});\n",
        record.path, record.name,
    );
    let (like, argument) = match &record.about.python_like {
        Some(like) => (
            format!("static LIKE: Class = Class::new({like:?});\n"),
            "Some(&LIKE)",
        ),
        None => (String::new(), "None"),
    };
    text.push_str(&format!(
        "{like}let fields = Fields::of_class(value, name, &CLASS, {argument}, &[{}])?;\n",
        names.join(", ")
    ));
    if record.is_taken_whole() {
        text.push_str("Ok(Self {\n");
        for field in &record.fields {
            let name = escaped(&field.name);
            let read = match (&field.default, reader(record, field)) {
                (None, _) => format!("fields.take({name:?})?"),
                (_, None) => format!("fields.given({name:?})?{}", field.unwrapped()),
                (_, Some(reader)) => {
                    format!("fields.optional({name:?}, {reader})?{}", field.unwrapped())
                }
            };
            text.push_str(&format!("{}: {read},\n", field.core_name));
        }
        text.push_str("})\n}\n}\n");
        return text;
    }
    match record.about.keywords {
        true => text.push_str(&format!(
            "{}(Self::default(), &fields)\n}}\n}}\n",
            doc::snake(&record.name)
        )),
        false => text.push_str(&format!(
            "let mut made = Self::default();\n{}Ok(made)\n}}\n}}\n",
            sets(record)
        )),
    }
    text
}
