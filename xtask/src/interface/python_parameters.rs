//! Python: what the methods and the rules take, as keyword or positional arguments.

use super::model::{Argument, Field, Record, Type, unwrapped};
use super::python;
use super::python_methods::Writer;

/// How many a list gives where nothing else is said.
const LIST_LIMIT: &str = "1000";

/// A keyword or positional argument of Python.
#[derive(Default)]
pub struct Parameter {
    pub name: String,
    /// How it is read, and what is made of it then.
    pub read: (String, String),
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

    /// The expression in Rust.
    pub fn value(&self) -> String {
        format!("{}?{}", self.read.0, self.read.1)
    }
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
            return vec![self.parameter(&argument.name, &argument.ty, &argument.path, None)];
        };
        if record.about.keywords {
            let fields = record.fields.iter();
            return fields
                .map(|field| self.gathered(&argument.name, record, field))
                .collect();
        }
        let mut parameters: Vec<Parameter> = (record.fields.iter())
            .map(|field| {
                let words = record.about.words.get(&field.name);
                self.parameter(&field.name, &field.ty, "", words)
            })
            .collect();
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
        let shown = match self.method.python_default(&name) {
            Some(shown) => {
                hint = hint.replace(" | None", "");
                Some(shown.to_owned())
            }
            None if matches!(field.ty, Type::List(_)) => {
                hint.push_str(" | None");
                Some("None".to_owned())
            }
            None if record.is_taken_whole() => field.default.as_ref().map(python::literal),
            None => Some(
                field
                    .default
                    .as_ref()
                    .map_or("None".to_owned(), python::literal),
            ),
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
        let Type::Record(name) = &argument.ty else {
            return None;
        };
        let record = self.model.option(name)?;
        record.about.python_text.is_some().then_some(record)
    }

    /// The options that an argument is, where Python has keywords for their fields.
    pub fn keywords(&self, argument: &Argument) -> Option<&Record> {
        let Type::Record(name) = &argument.ty else {
            return None;
        };
        if self.reads(&argument.ty).is_some() {
            return None;
        }
        let record = self.model.option(name)?;
        let mut classes = self.model.areas_of("python").flat_map(|area| &area.options);
        let is_class = classes.any(|one| one.name == *name);
        (!is_class || record.about.keywords).then_some(record)
    }

    /// What reads a record where a result may name what is meant, and its type.
    fn reads(&self, ty: &Type) -> Option<(String, String)> {
        let Type::Record(name) = ty else { return None };
        let record = self.model.option(name)?;
        record.about.python_reads.as_deref().map(parted)
    }

    fn parameter(&self, name: &str, ty: &Type, path: &str, words: Option<&String>) -> Parameter {
        let of_lists = (name == "limit" && !self.is_rule()).then_some(LIST_LIMIT);
        let default = self.method.python_default(name).or(of_lists);
        let is_said = self.method.must_say(name);
        let reads = self.method.python_reads(name);
        let name = &python::escaped(name);
        let (reader, hint) = match reads {
            Some(said) => parted(said),
            None => self.reader(ty.inner(), path),
        };
        let hint = words.map_or(hint, |words| format!("{words} | str"));
        let optional = format!("optional(&{name}, {name:?}, {reader})");
        let of_elements = |read: String, shown: Option<&str>| {
            let shown = shown.map(str::to_owned);
            (read, format!("Iterable[{hint}]"), shown)
        };
        let mut rest = String::new();
        let (read, hint, shown) = match (ty, default) {
            (Type::Scope, _) => {
                rest = ".unwrap_or_default()".to_owned();
                (optional, format!("{hint} | None"), Some("None".to_owned()))
            }
            (Type::List(_), None) if self.is_rule() => {
                of_elements(format!("Vec::from_python({name}, {name:?})"), None)
            }
            (Type::List(inner), _) if self.reads(inner).is_some() => {
                let kind = "a sequence";
                let read = format!("argument::elements({name}, {name:?}, {kind:?}, {reader})");
                of_elements(read, None)
            }
            (Type::List(inner), None) if matches!(**inner, Type::Record(_)) => {
                of_elements(format!("Vec::from_python({name}, {name:?})"), None)
            }
            (Type::List(inner), _) if **inner == Type::Text => {
                let read = format!("each(&{name}, {name:?}, \"several str\", {reader})");
                of_elements(read, Some("()"))
            }
            (Type::Option(_), None) if is_said => {
                let read = format!("optional(&Some({name}.clone()), {name:?}, {reader})");
                (read, format!("{hint} | None"), None)
            }
            (Type::Option(_), None) => {
                (optional, format!("{hint} | None"), Some("None".to_owned()))
            }
            (Type::Option(_), Some(default)) => (optional, hint, Some(default.to_owned())),
            (_, None) => (format!("{reader}({name}, {name:?})"), hint, None),
            (_, Some(default)) => {
                let hint = match default {
                    "None" => format!("{hint} | None"),
                    _ => hint,
                };
                rest = self.unwrapped(ty, default);
                (optional, hint, Some(default.to_owned()))
            }
        };
        Parameter {
            name: name.to_owned(),
            read: (read, rest),
            hint,
            shown,
            ..Parameter::default()
        }
    }

    /// What Rust takes for a value that was left out.
    fn unwrapped(&self, ty: &Type, default: &str) -> String {
        let Type::Words(name) = ty else {
            return unwrapped(default);
        };
        let words = self.model.words().find(|one| one.name == *name);
        let variant = words.and_then(|words| words.variant(default.trim_matches('\'')));
        variant.map_or(unwrapped(default), |one| format!(".unwrap_or({one})"))
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
            Type::List(inner)
                if self.is_rule()
                    || self.reads(inner).is_some()
                    || matches!(**inner, Type::Record(_)) =>
            {
                self.reader(inner, path)
            }
            Type::Record(_) if let Some(reads) = self.reads(ty) => reads,
            Type::Record(name) => {
                let record = self.model.option(name);
                let path = record.map_or("", |record| record.path.as_str());
                // A rule may take two of them.
                let reader = match self.is_rule() {
                    true => format!("<{path}>::from_python"),
                    false => format!("argument::bare::<{path}>"),
                };
                let like = record.and_then(|record| record.about.python_like.as_deref());
                let like = like.map_or(String::new(), |like| format!("{like} | "));
                (reader, format!("{like}{name} | Mapping[str, Any]"))
            }
            Type::List(_) => argument("text", "str"),
            ty => argument(ty.readers().python, ty.readers().stub),
        }
    }

    pub fn all(&self) -> Vec<Parameter> {
        let arguments = self.method.arguments.iter();
        let Some(work) = self.method.python_work() else {
            return arguments.flat_map(|one| self.parameters(one)).collect();
        };
        let is_left = |one: &Parameter| Some(&one.name) != work.without.as_ref();
        let fields = self.worked().into_iter();
        let fields = fields.flat_map(|record| {
            let fields = record.fields.iter();
            fields.map(|field| self.gathered("options", record, field))
        });
        let keyword = work.keyword.iter().map(|said| said_as(said, false));
        let first = work.first.iter().map(|said| said_as(said, true));
        first.chain(fields.filter(is_left)).chain(keyword).collect()
    }

    /// The options whose fields are the keywords of a method whose work is by hand.
    fn worked(&self) -> Option<&Record> {
        let _ = self.method.python_work()?;
        let mut arguments = self.method.arguments.iter().rev();
        arguments.find_map(|one| self.keywords(one))
    }
}

/// A reader and the type that it takes: `any_id: _AnyRef`.
fn parted(said: &str) -> (String, String) {
    let (reader, hint) = said.split_once(": ").unwrap_or((said, "Any"));
    (reader.to_owned(), hint.to_owned())
}

/// A parameter as stubs have it: `name: type = default`.
fn said_as(said: &str, is_first: bool) -> Parameter {
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
