//! Python: what the methods and the rules take, as keyword or positional arguments.

use super::model::{Argument, Field, Method, Model, Record, Type, Value, unwrapped};
use super::python;

/// How many a list gives where nothing else is said.
const LIST_LIMIT: &str = "1000";

/// A keyword or positional argument of Python.
#[derive(Default)]
pub struct Parameter {
    pub name: String,
    /// The expression in Rust that reads it.
    pub value: String,
    /// Its type, for the stubs.
    pub hint: String,
    /// What stands for it when it is left out; absent where it must be given.
    pub shown: Option<String>,
    /// The argument that gathers it with other keywords.
    pub gathered: Option<String>,
    /// Whether keywords replace its fields.
    pub is_narrowed: bool,
    /// Whether it must be named, though it must be given.
    pub is_named: bool,
}

impl Parameter {
    pub fn is_needed(&self) -> bool {
        self.shown.is_none()
    }

    /// Whether it must be named: whatever may be left out, but for what others narrow, and
    /// what is gathered.
    pub fn is_keyword(&self) -> bool {
        let may_have_place = self.is_needed() && self.gathered.is_none() && !self.is_named;
        !may_have_place && !self.is_narrowed
    }
}

/// Writes one method.
pub struct Writer<'m> {
    pub model: &'m Model,
    pub method: &'m Method,
}

impl Writer<'_> {
    /// What Python gives for an argument: one parameter, or one for each field of what is
    /// a set of keywords.
    pub fn parameters(&self, argument: &Argument) -> Vec<Parameter> {
        if let Some(record) = self.narrowed(argument) {
            let whole = Parameter {
                name: argument.name.clone(),
                hint: format!("str | {}", record.name),
                shown: Some("''".to_owned()),
                is_narrowed: true,
                ..Parameter::default()
            };
            let fields = record.fields.iter().skip(1);
            let fields = fields.map(|field| self.gathered("narrowed", record, field));
            return std::iter::once(whole).chain(fields).collect();
        }
        let Some(record) = self.keywords(argument) else {
            let (name, path) = (&argument.name, &argument.path);
            return vec![self.parameter(name, &argument.ty, path, None, None)];
        };
        if record.about.keywords {
            let gathered = |field| self.gathered(&argument.name, record, field);
            return record.fields.iter().map(gathered).collect();
        }
        let parameters = record.fields.iter().filter_map(|field| {
            if let Some((name, [kind, _])) = node_of(record, field) {
                return (*kind == field.name).then(|| Parameter {
                    name: name.clone(),
                    value: name.clone(),
                    hint: "_Node".to_owned(),
                    ..Parameter::default()
                });
            }
            let words = record.about.words.get(&field.name);
            // An option that is off.
            let off = (field.ty == Type::Bool).then_some("False");
            Some(self.parameter(&field.name, &field.ty, "", words, off))
        });
        let mut parameters: Vec<Parameter> = parameters.collect();
        let first = &record.about.python_first;
        for parameter in parameters.iter_mut().filter(|_| !first.is_empty()) {
            parameter.is_named = !first.contains(&parameter.name);
        }
        // A text that has a default only because every text has one must be given.
        parameters.sort_by_key(|parameter| (!parameter.is_needed(), parameter.is_named));
        parameters
    }

    /// A keyword that a function of its record reads with the others.
    fn gathered(&self, argument: &str, record: &Record, field: &Field) -> Parameter {
        let name = python::escaped(&field.name);
        let mut hint = python::taken(&field.ty).replace("Sequence[", "Iterable[");
        hint = hint.replace("Iterable[base.EventName]", "_EventRefs");
        hint = hint.replace("base.", "");
        if record.about.single.contains(&field.name) {
            hint = format!("str | {hint}");
        }
        let default = field.default.as_ref().map(python::literal);
        let none = || Some("None".to_owned());
        let shown = match (self.method.python_default(&name), &field.default) {
            (Some(shown), _) => {
                hint = hint.replace(" | None", "");
                Some(shown.to_owned())
            }
            // One word may stand alone.
            (None, Some(Value::List(items))) if let [one] = items.as_slice() => {
                Some(python::literal(one))
            }
            (None, Some(Value::List(items))) if !items.is_empty() => default,
            (None, _) if matches!(field.ty, Type::List(_)) => {
                hint.push_str(" | None");
                none()
            }
            (None, _) if record.is_taken_whole() => default,
            (None, _) => default.or_else(none),
        };
        Parameter {
            name,
            hint,
            shown,
            gathered: Some(argument.to_owned()),
            ..Parameter::default()
        }
    }

    /// The record that an argument is, where a text may stand for it and keywords replace
    /// its fields.
    pub fn narrowed(&self, argument: &Argument) -> Option<&Record> {
        let record = self.record(&argument.ty)?;
        record.about.python_text.is_some().then_some(record)
    }

    /// The options that an argument is, where Python has keywords for their fields.
    pub fn keywords(&self, argument: &Argument) -> Option<&Record> {
        let record = self.record(&argument.ty)?;
        let mut classes = self.model.areas_of("python").flat_map(|area| &area.options);
        let is_class = classes.any(|one| one.name == record.name);
        let is_read = record.about.python_reads.is_some();
        (!is_read && (!is_class || record.about.keywords)).then_some(record)
    }

    /// The options that a type is.
    fn record(&self, ty: &Type) -> Option<&Record> {
        match ty {
            Type::Record(name) => self.model.option(name),
            _ => None,
        }
    }

    /// What reads a record where a result may name what is meant, and its type.
    fn reads(&self, ty: &Type) -> Option<(String, String)> {
        self.record(ty)?.about.python_reads.as_deref().map(parted)
    }

    fn parameter(
        &self,
        name: &str,
        ty: &Type,
        path: &str,
        words: Option<&String>,
        otherwise: Option<&str>,
    ) -> Parameter {
        let of_lists = (name == "limit" && !self.is_rule()).then_some(LIST_LIMIT);
        let default = self.method.python_default(name).or(of_lists).or(otherwise);
        let is_said = self.method.must_say(name);
        let reads = self.method.python_reads(name).map(parted);
        let name = &python::escaped(name);
        let (reader, hint) = reads.unwrap_or_else(|| self.reader(ty.inner(), path));
        let hint = words.map_or(hint, |words| format!("{words} | str"));
        let or_none = format!("{hint} | None");
        let several = format!("Iterable[{hint}]");
        let optional = format!("optional(&{name}, {name:?}, {reader})?");
        let is_made = |item: &Type| match self.reads(item) {
            None => self.is_rule() || matches!(item, Type::Record(_)),
            Some(_) => self.is_rule(),
        };
        let (value, hint, shown) = match (ty, default) {
            (Type::Scope, _) => (optional + ".unwrap_or_default()", or_none, Some("None")),
            (Type::List(item), None) if is_made(item) => (
                format!("Vec::from_python({name}, {name:?})?"),
                several,
                None,
            ),
            (Type::List(item), Some(default)) if let Some(one) = self.variant(item, default) => {
                let read = format!("optional(&{name}, {name:?}, Vec::from_python)?");
                let value = format!("{read}.unwrap_or_else(|| vec![{one}])");
                (value, format!("{hint} | {several}"), Some(default))
            }
            (Type::List(item), _) if self.reads(item).is_some() => {
                let sequence = format!("{name}, {name:?}, \"a sequence\", {reader}");
                (format!("argument::elements({sequence})?"), several, None)
            }
            (Type::List(item), _) if **item == Type::Text => {
                let read = format!("each(&{name}, {name:?}, \"several str\", {reader})?");
                (read, several, Some("()"))
            }
            (Type::Option(_), None) if is_said => {
                let read = format!("optional(&Some({name}.clone()), {name:?}, {reader})?");
                (read, or_none, None)
            }
            (Type::Option(_), None) => (optional, or_none, Some("None")),
            (Type::Option(_), default) => (optional, hint, default),
            (_, None) => (format!("{reader}({name}, {name:?})?"), hint, None),
            (_, Some(default)) => {
                let hint = if default == "None" { or_none } else { hint };
                (optional + &self.unwrapped(ty, default), hint, Some(default))
            }
        };
        Parameter {
            name: name.to_owned(),
            value,
            hint,
            shown: shown.map(str::to_owned),
            ..Parameter::default()
        }
    }

    /// What Rust takes for a value that was left out.
    fn unwrapped(&self, ty: &Type, default: &str) -> String {
        let variant = self.variant(ty, default);
        variant.map_or(unwrapped(default), |one| format!(".unwrap_or({one})"))
    }

    /// The value of an enum of words that a default is.
    fn variant(&self, ty: &Type, default: &str) -> Option<String> {
        let Type::Words(name) = ty else {
            return None;
        };
        let words = self.model.words().find(|one| one.name == *name)?;
        words.variant(default.trim_matches('\''))
    }

    /// The function that reads a value, and the type that it takes in the stubs.
    fn reader(&self, ty: &Type, path: &str) -> (String, String) {
        let argument = |reader: &str, hint: &str| (format!("argument::{reader}"), hint.to_owned());
        match ty {
            Type::Id if path.ends_with("EntityId") => ("entity_id".into(), "_EntityRef".into()),
            Type::Id => ("entry_id".into(), "_EntryRef".into()),
            Type::List(inner) if **inner == Type::EventRef => argument("event_refs", "_EventRefs"),
            Type::Words(name) => {
                let words = self.model.words().find(|one| one.name == *name);
                let path = words.map_or("", |words| words.path.as_str());
                argument(&format!("word::<{path}>"), &format!("{name} | str"))
            }
            Type::List(item) if self.is_rule() || matches!(**item, Type::Record(_)) => {
                self.reader(item, path)
            }
            Type::Record(_) if let Some(reads) = self.reads(ty) => reads,
            Type::Record(name) => {
                let record = self.model.option(name);
                let path = record.map_or("", |record| record.path.as_str());
                // A rule may take two of them.
                let reader = match self.is_rule() {
                    true => format!("<{path}>::from_python"),
                    false => format!("crate::convert::bare::<{path}>"),
                };
                let like = record.and_then(|record| record.about.python_like.as_deref());
                let like = like.map_or(String::new(), |like| format!("{like} | "));
                (reader, format!("{like}{name} | Mapping[str, Any]"))
            }
            Type::List(_) => argument("text", "str"),
            Type::Path => argument("path", "_Path"),
            Type::EventRef => argument("event_ref", "_EventRef"),
            Type::Scope => argument("scope", "str | ProjectScope"),
            ty => argument(ty.spelled().reader, ty.spelled().python),
        }
    }

    pub fn all(&self) -> Vec<Parameter> {
        let arguments = self.method.arguments.iter();
        let Some(work) = self.method.python_work() else {
            return arguments.flat_map(|one| self.parameters(one)).collect();
        };
        // The fields of the options are its keywords.
        let is_left = |one: &&Field| Some(&one.name) != work.without.as_ref();
        let options = arguments.rev().find_map(|one| self.keywords(one));
        let fields = options.into_iter().flat_map(|record| {
            let fields = record.fields.iter().filter(is_left);
            fields.map(|field| self.gathered("options", record, field))
        });
        let keyword = work.keyword.iter().map(|said| said_as(said, false));
        let first = work.first.iter().map(|said| said_as(said, true));
        first.chain(fields).chain(keyword).collect()
    }
}

/// The argument that stands for a field and another one: a node of the graph.
pub(super) fn node_of<'r>(
    record: &'r Record,
    field: &Field,
) -> Option<(&'r String, &'r [String; 2])> {
    let mut nodes = record.about.nodes.iter();
    nodes.find(|(_, fields)| fields.contains(&field.name))
}

/// A reader and the type that it takes: `any_id: _AnyRef`.
fn parted(said: &str) -> (String, String) {
    let (reader, hint) = said.split_once(": ").unwrap_or((said, "Any"));
    (reader.to_owned(), hint.to_owned())
}

/// A parameter as stubs have it: `name: type = default`.
pub(super) fn said_as(said: &str, is_first: bool) -> Parameter {
    let (name, ty) = said.split_once(": ").unwrap_or((said, ""));
    let (hint, shown) = match ty.split_once(" = ") {
        Some((hint, shown)) => (hint, Some(shown.to_owned())),
        None => (ty, None),
    };
    Parameter {
        name: name.to_owned(),
        hint: hint.to_owned(),
        shown,
        is_narrowed: is_first,
        ..Parameter::default()
    }
}
