//! Python: frozen dataclasses, enums of words, and their Rust conversions.

use serde::{Deserialize, Serialize};

use super::doc;
use super::model::{Area, Field, Model, Record, Type, Value, Words, counted, spread};
use super::named::Named;

/// As docstrings name things. The codes of errors are the classes that are raised.
pub fn spelled(model: &Model, code: &str, is_name: bool) -> String {
    if !is_name {
        return format!("``{code}``");
    }
    match model.named(code) {
        Named::Nothing => "``None``".to_owned(),
        Named::Method(handle, name) => format!("``{}``", Named::called(handle, &name)),
        Named::Field(_, name) => format!("``{}``", escaped(name)),
        Named::Constant(_) => format!("``{}``", doc::last(code)),
        Named::Value(words, item) if words.is_of_errors() => {
            format!("``{}``", exception(&item.text))
        }
        Named::Value(_, item) => format!("``{}``", item.text),
        Named::Other("true") => "``True``".to_owned(),
        Named::Other("false") => "``False``".to_owned(),
        Named::Word(name) | Named::Type(name) | Named::Other(name) => format!("``{name}``"),
    }
}

/// The lines of a documentation.
pub fn lines(model: &Model, docs: &str, width: usize) -> Vec<String> {
    doc::lines(docs, &|code, is_name| spelled(model, code, is_name), width)
}

/// The names of an area's classes that programs import; keywords are named with
/// those that are written by hand.
pub fn exported(area: &Area) -> impl Iterator<Item = &str> {
    let is_keywords = |name: &&str| {
        let mut builders = area.options.iter().filter(|one| one.is_builder);
        builders.any(|one| one.name == *name)
    };
    names(area)
        .into_iter()
        .filter(move |name| !is_keywords(name))
}

/// The names of an area's classes, in order.
pub fn names(area: &Area) -> Vec<&str> {
    let mut names: Vec<&str> = (area.words.iter().map(|words| words.name.as_str()))
        .chain(area.structs().map(|record| record.name.as_str()))
        .collect();
    names.sort_unstable();
    names
}

/// The codes of errors.
pub fn codes(model: &Model) -> Option<&Words> {
    model.words().find(|words| words.is_of_errors())
}

/// The exception of a code: `NotFound` of `not_found`.
pub fn exception(code: &str) -> String {
    let name: String = code.split('_').map(doc::capital).collect();
    match code {
        "io" | "embedder" | "callback" | "internal" => name + "Error",
        _ => name,
    }
}

/// Whether a word stands in code, as a whole.
pub fn has_word(text: &str, word: &str) -> bool {
    let is_code = |line: &&str| !line.trim_start().starts_with("\"\"\"");
    let words = |line| str::split(line, |c: char| !c.is_alphanumeric() && c != '_');
    text.lines()
        .filter(is_code)
        .flat_map(words)
        .any(|found| found == word)
}

/// Whether a class stands in the type of a field.
pub fn is_annotated(text: &str, name: &str) -> bool {
    let is_field = |line: &&str| {
        let field = line
            .strip_prefix("    ")
            .and_then(|line| line.split_once(": "));
        field.is_some_and(|(field, _)| field.chars().all(|c| c.is_alphanumeric() || c == '_'))
    };
    text.lines()
        .filter(is_field)
        .any(|line| has_word(line, name))
}

/// Which way a class goes.
#[derive(Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Direction {
    Given,
    Taken,
    Both,
}

/// Which way the class of a record goes.
pub fn direction(record: &Record) -> Direction {
    match (record.is_result, record.is_option) {
        (true, false) => Direction::Given,
        (false, _) => Direction::Taken,
        (true, true) => Direction::Both,
    }
}

/// A docstring in a class.
pub fn docstring(model: &Model, docs: &str) -> String {
    const SPACE: &str = "    ";
    let lines = lines(model, docs, 82);
    let lines: Vec<String> = lines.iter().map(|line| quoted(line)).collect();
    match lines.as_slice() {
        [] => String::new(),
        [line] => format!("{SPACE}\"\"\"{line}\"\"\"\n"),
        // With several paragraphs the end stands on a line of its own.
        many if many.iter().any(String::is_empty) => {
            let lines = doc::prefixed(many, SPACE);
            format!("{SPACE}\"\"\"{}{SPACE}\"\"\"\n", lines.trim_start())
        }
        many => {
            let lines = doc::prefixed(many, SPACE);
            format!("{SPACE}\"\"\"{}\"\"\"\n", lines.trim())
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

/// The fields as Python has them, first those without a default: offsets are two, counted in
/// code points and in bytes.
pub fn fields_of(record: &Record) -> Vec<Field> {
    // Counting needs the event, which may not be known or be forgotten since.
    let is_uncertain = record.about.within.as_ref().is_some_and(|within| {
        let event = record.fields.iter().find(|field| field.name == *within);
        event.is_some_and(|event| event.ty.is_option())
    });
    let ty = match is_uncertain {
        true => Type::Option(Box::new(Type::Offset)),
        false => Type::Offset,
    };
    let fields = counted(spread_of(record), &ty, "In code points.");
    let is_first = |field: &Field| !record.is_option || field.default.is_none();
    let (needed, others): (Vec<_>, Vec<_>) = fields.into_iter().partition(is_first);
    [needed, others].concat()
}

/// The fields with their spans taken apart.
pub fn spread_of(record: &Record) -> Vec<Field> {
    spread(record, "chars", "code points", "_byte")
}

/// What a field of a class is when it is not given.
pub fn assigned(record: &Record, field: &Field) -> String {
    let default = field.default.as_ref().filter(|_| record.is_option);
    let default = default.map(literal);
    match (is_unhashable(&field.ty, record.is_option), default) {
        (true, Some(default)) => format!(" = field(default={default}, hash=False)"),
        (true, None) => " = field(hash=False)".to_owned(),
        (false, Some(default)) => format!(" = {default}"),
        (false, None) => String::new(),
    }
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
    annotation(ty, &Direction::Given)
}

/// The type of what is given to a call.
pub fn taken(ty: &Type) -> String {
    annotation(ty, &Direction::Taken)
}

pub fn annotation(ty: &Type, &direction: &Direction) -> String {
    let inner = |ty: &Type| annotation(ty, &direction);
    let is_taken = direction == Direction::Taken;
    match ty {
        Type::Words(name) if direction != Direction::Given => format!("{name} | str"),
        Type::Record(name) if is_taken => format!("{name} | Mapping[str, Any]"),
        Type::Words(name) | Type::Record(name) => name.clone(),
        Type::Option(ty) if **ty == Type::Json => inner(ty),
        Type::Option(ty) => format!("{} | None", inner(ty)),
        Type::List(ty) if is_taken => match &**ty {
            Type::Words(name) => format!("{name} | str | Sequence[{name} | str]"),
            Type::F32 => "Iterable[float]".to_owned(),
            ty => format!("Sequence[{}]", inner(ty)),
        },
        Type::List(ty) => format!("tuple[{}, ...]", inner(ty)),
        Type::Scope => format!("{} | None", ty.spelled().python),
        other => other.spelled().python.to_owned(),
    }
}

/// What reads a field where its type in Rust does not say it.
pub fn reader(record: &Record, field: &Field) -> Option<&'static str> {
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
