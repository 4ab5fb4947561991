//! The interface as no language spells it: records, options and words.

use serde::{Deserialize, Serialize};

use super::declared::Word;
use super::doc;
use super::table::{About, HandleTable, Languages, PythonWork};

pub struct Model {
    pub areas: Vec<Area>,
    pub handles: Vec<Handle>,
    /// Functions that need no memory, by the core's modules.
    pub rules: Vec<Handle>,
}

/// A group of methods that hangs on a memory.
#[derive(Serialize)]
pub struct Handle {
    /// For example `Tasks`.
    pub name: String,
    pub docs: String,
    pub methods: Vec<Method>,
    /// What the table says of it.
    #[serde(skip)]
    pub table: &'static HandleTable,
}

impl Handle {
    /// The methods that are generated in a language.
    pub fn methods_in(&self, language: &str) -> impl Iterator<Item = &Method> {
        let is_known = self.table.languages.have(language);
        let generated = move |method: &&Method| is_known && !self.is_by_hand(language, method);
        self.methods.iter().filter(generated)
    }

    /// Whether a method is written by hand in a language.
    pub fn is_by_hand(&self, language: &str, method: &Method) -> bool {
        let name = format!("{language}.{}", method.name);
        self.table.by_hand.contains(&name)
    }

    /// How Rust reaches the methods from a memory.
    pub fn accessor(&self) -> String {
        match self.is_root() {
            true => "memory".to_owned(),
            false => format!("memory.{}()", self.area()),
        }
    }

    /// What a memory calls the group.
    pub fn area(&self) -> String {
        doc::snake(&self.name)
    }

    /// Whether the methods hang on a memory itself.
    pub fn is_root(&self) -> bool {
        self.name == "Memory"
    }

    /// Whether a language has methods that are written by hand.
    pub fn has_by_hand(&self, language: &str) -> bool {
        let is_here = |hand: &String| match hand.split_once('.') {
            None => true,
            Some((only, _)) => only == language,
        };
        self.table.by_hand.iter().any(is_here)
    }
}

#[derive(Serialize)]
pub struct Method {
    pub name: String,
    /// What the other languages call it.
    pub called: String,
    pub docs: String,
    pub arguments: Vec<Argument>,
    pub gives: Gives,
    /// Whether a caller may do without what it gives.
    pub is_change: bool,
    /// Whether it changes what is stored.
    pub is_write: bool,
    /// Whether it has two forms in Node, on a worker and at once, though it needs no memory.
    pub is_for_worker: bool,
    /// How Rust reaches a function that needs no memory.
    pub path: String,
    /// Whether it may fail.
    pub is_fallible: bool,
    /// What the table says of its group.
    #[serde(skip)]
    pub table: &'static HandleTable,
}

impl Method {
    /// Whether it is a function that needs no memory.
    pub fn is_rule(&self) -> bool {
        !self.path.is_empty()
    }

    /// How it is called, in Node.
    pub fn node_example(&self) -> Option<&String> {
        self.table.node_examples.get(&self.name)
    }

    /// What reads an argument in Node, where its type does not say it, and its type.
    pub fn node_reads(&self, argument: &str) -> Option<(&str, &str)> {
        let reads = self.table.node_reads.get(&self.name)?;
        reads.get(argument)?.split_once(": ")
    }

    /// Whether the events that it gives reach JavaScript in parts.
    pub fn is_in_parts(&self) -> bool {
        self.table.node_in_parts.contains(&self.name)
    }

    /// When it asks an embedder, in Node; absent where it never does.
    pub fn node_embeds(&self) -> Option<&String> {
        self.table.node_embeds.get(&self.name)
    }

    /// The default of an argument that Python shows.
    pub fn python_default(&self, argument: &str) -> Option<&str> {
        let own = self.table.python_defaults.get(&self.name);
        let defaults = own.or(self.table.defaults.get(&self.name))?;
        defaults.get(argument).map(String::as_str)
    }

    /// What reads an argument in Python, where its type does not say it.
    pub fn python_reads(&self, argument: &str) -> Option<&str> {
        let reads = self.table.python_reads.get(&self.name)?;
        reads.get(argument).map(String::as_str)
    }

    /// What does its work in Python, where its arguments are read by hand.
    pub fn python_work(&self) -> Option<&PythonWork> {
        self.table.python_work.get(&self.name)
    }

    /// Whether an argument that may be nothing must be said: what sets one value, whose
    /// absence is a value too.
    pub fn must_say(&self, argument: &str) -> bool {
        let said = self.table.said.get(&self.name);
        self.name.starts_with("set_")
            || said.is_some_and(|all| all.iter().any(|one| one == argument))
    }

    /// The call of the core: that of a rule is a `Result` that borrows nothing.
    pub fn call(&self, handle: Option<&Handle>, passed: &[String]) -> String {
        let passed = passed.join(", ");
        if let Some(handle) = handle {
            return format!("{}.{}({passed})", handle.accessor(), self.name);
        }
        let call = format!("{}({passed})", self.path);
        match &self.gives {
            _ if self.is_fallible => call,
            Gives::One(Type::Text) => format!("Ok(String::from({call}))"),
            Gives::List(Type::Text) => {
                format!("Ok({call}.into_iter().map(String::from).collect::<Vec<_>>())")
            }
            _ => format!("Ok({call})"),
        }
    }
}

#[derive(Clone, Serialize, Deserialize)]
pub struct Argument {
    pub name: String,
    pub ty: Type,
    /// The type of an identity, or of what is read by hand.
    pub path: String,
    /// Whether it, or what may be in it, is lent.
    pub is_borrowed: bool,
    /// What stands for it when it is left out, as Python spells it.
    pub default: Option<String>,
    /// What it means, where the table says it.
    pub docs: String,
}

impl Argument {
    /// What it is called where the memory has its own name.
    pub fn local(&self) -> &str {
        match self.name.as_str() {
            "memory" => "memory_id",
            name => name,
        }
    }

    /// The default as Rust's `Option` takes it.
    pub fn unwrapped(&self) -> String {
        match &self.default {
            None => String::new(),
            Some(default) => unwrapped(default),
        }
    }

    /// What stands before the value in Rust.
    pub fn lent(&self) -> &'static str {
        match self.is_borrowed {
            true => "&",
            false => "",
        }
    }

    /// Whether a caller may leave it out.
    pub fn may_miss(&self) -> bool {
        self.ty.is_option() || self.default.is_some()
    }
}

/// What Rust takes for a value that was left out, by its default as Python spells it.
pub fn unwrapped(default: &str) -> String {
    match default {
        "True" => ".unwrap_or(true)".to_owned(),
        number if number.starts_with(|c: char| c.is_ascii_digit()) => {
            format!(".unwrap_or({number})")
        }
        _ => ".unwrap_or_default()".to_owned(),
    }
}

/// What a method gives, beyond its errors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "of")]
pub enum Gives {
    Nothing,
    One(Type),
    /// In C and C++, a method of a memory fails when there is none.
    Maybe(Type),
    List(Type),
}

impl Gives {
    /// The type of what it gives, or of each of a list.
    pub fn ty(&self) -> Option<&Type> {
        match self {
            Gives::Nothing => None,
            Gives::One(ty) | Gives::Maybe(ty) | Gives::List(ty) => Some(ty),
        }
    }
}

/// The types of one concern.
#[derive(Default, Serialize, Deserialize)]
pub struct Area {
    pub name: String,
    pub docs: String,
    pub languages: Languages,
    pub words: Vec<Words>,
    /// What calls give.
    pub records: Vec<Record>,
    /// What calls take. A type that is given as well stands in both.
    pub options: Vec<Record>,
}

impl Area {
    /// Every record and every set of options, each once, those first that others hold.
    pub fn structs(&self) -> impl Iterator<Item = &Record> {
        let only_taken = self.options.iter().filter(|one| !one.is_result);
        only_taken.chain(&self.records)
    }
}

/// An enum whose values are words.
#[derive(Serialize, Deserialize)]
pub struct Words {
    /// As the other languages call it.
    pub name: String,
    /// As Rust code outside the core calls it.
    pub path: String,
    pub docs: String,
    /// Whether a word is all there is to each value.
    pub is_plain: bool,
    pub items: Vec<Word>,
    pub about: About,
}

impl Words {
    /// Whether they are the codes of errors.
    pub fn is_of_errors(&self) -> bool {
        self.name == "ErrorCode"
    }

    /// The value with this word, as Rust code outside the core calls it.
    pub fn variant(&self, text: &str) -> Option<String> {
        let item = self.items.iter().find(|item| item.text == text)?;
        Some(format!("{}::{}", self.path, item.variant))
    }
}

/// A result, or a set of options.
#[derive(Serialize, Deserialize)]
pub struct Record {
    pub name: String,
    pub path: String,
    pub docs: String,
    pub fields: Vec<Field>,
    /// Whether it is made by setting one field after the other.
    pub is_builder: bool,
    /// Whether other crates cannot make it of all of its fields.
    pub is_open: bool,
    /// The fields that its `new` takes.
    pub new_takes: Vec<String>,
    /// Whether the table lists it as what calls give.
    pub is_result: bool,
    /// Whether the table lists it as what calls take.
    pub is_option: bool,
    /// Whether a call gives one of it.
    pub is_given: bool,
    /// Whether a call gives a list of it.
    pub is_listed: bool,
    pub about: About,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Field {
    pub name: String,
    pub docs: String,
    pub ty: Type,
    pub default: Option<Value>,
    /// How Rust reads it from the record.
    pub access: Access,
    /// As the core calls it.
    pub core_name: String,
}

impl Field {
    /// What Rust takes for a field that was left out.
    pub fn unwrapped(&self) -> String {
        match (&self.ty, &self.default) {
            (Type::Option(_), _) => String::new(),
            (_, Some(Value::Bool(true))) => ".unwrap_or(true)".to_owned(),
            (_, Some(Value::Int(number))) if *number != 0 => format!(".unwrap_or({number})"),
            _ => ".unwrap_or_default()".to_owned(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "of")]
pub enum Access {
    /// A field, perhaps of a field: `ends.source_type`.
    Field(String),
    /// A method; what it gives is borrowed or not.
    Method(String),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "of")]
pub enum Type {
    Bool,
    U32,
    U64,
    Size,
    I64,
    F32,
    F64,
    Text,
    Path,
    /// An identity, shown as text.
    Id,
    /// A position in the log.
    Position,
    Time,
    /// A length of time; whole milliseconds in every other language.
    Duration,
    Json,
    JsonObject,
    /// The name of an event: an id, a citation or a position.
    EventRef,
    /// Which projects a read covers.
    Scope,
    /// How a repetition is recognised: by its content, by a key, or not at all.
    Dedupe,
    /// A place in a text: bytes in Rust and C.
    Offset,
    /// From where to where a text lies in another, counted in three ways.
    Span,
    Words(String),
    Record(String),
    Option(Box<Type>),
    List(Box<Type>),
}

impl Record {
    /// Whether some of its fields must be given, so that it is made of all of them at once.
    pub fn is_taken_whole(&self) -> bool {
        !self.is_builder && self.fields.iter().any(|field| field.default.is_none())
    }

    /// Whether the same struct of C is what calls give and take.
    pub fn is_two_way(&self) -> bool {
        self.is_result && self.is_option && self.about.c_taken.is_none()
    }
}

impl Type {
    /// The type without the `Option` around it.
    pub fn inner(&self) -> &Type {
        match self {
            Type::Option(inner) => inner,
            other => other,
        }
    }

    pub fn is_option(&self) -> bool {
        matches!(self, Type::Option(_))
    }

    /// The record or the words that it names.
    pub fn named(&self) -> Option<&str> {
        match self {
            Type::Words(name) | Type::Record(name) => Some(name),
            Type::Option(inner) | Type::List(inner) => inner.named(),
            _ => None,
        }
    }

    /// What a list holds, or else the type itself.
    pub fn item(&self) -> &Type {
        match self {
            Type::List(inner) => inner,
            other => other,
        }
    }

    /// Whether C and C++ have it as a text.
    pub fn is_text(&self) -> bool {
        matches!(
            self,
            Type::Text | Type::Path | Type::Id | Type::EventRef | Type::Json | Type::JsonObject
        )
    }
}

/// A default value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "of")]
pub enum Value {
    Nothing,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    List(Vec<Value>),
    /// The word of an enum.
    Word(String),
    /// The defaults of another record.
    Record(String),
    /// A repetition is recognised by its content.
    ByContent,
}

impl Model {
    /// The areas whose mirrors in a language are generated.
    pub fn areas_of(&self, language: &str) -> impl Iterator<Item = &Area> {
        let areas = self.areas.iter();
        areas.filter(move |area| area.languages.have(language))
    }

    pub fn words(&self) -> impl Iterator<Item = &Words> {
        self.areas.iter().flat_map(|area| &area.words)
    }

    /// Whether documentation names a code of an error by this word.
    pub fn is_code(&self, name: &str) -> bool {
        let mut codes = self.words().filter(|words| words.is_of_errors());
        codes.any(|words| words.items.iter().any(|item| item.text == name))
    }

    pub fn records(&self) -> impl Iterator<Item = &Record> {
        self.areas.iter().flat_map(|area| &area.records)
    }

    pub fn options(&self) -> impl Iterator<Item = &Record> {
        self.areas.iter().flat_map(|area| &area.options)
    }

    /// The options of this name.
    pub fn option(&self, name: &str) -> Option<&Record> {
        self.options().find(|one| one.name == name)
    }

    /// Whether what a call gives holds such a type, itself or in what it holds.
    pub fn holds(&self, ty: &Type, is: &dyn Fn(&Type) -> bool) -> bool {
        is(ty)
            || match ty {
                Type::Option(inner) | Type::List(inner) => self.holds(inner, is),
                Type::Record(name) => {
                    let mut records = self.records().filter(|record| record.name == *name);
                    records.any(|record| record.fields.iter().any(|one| self.holds(&one.ty, is)))
                }
                _ => false,
            }
    }

    /// The groups with methods that are generated in a language.
    pub fn handles_of(&self, language: &str) -> impl Iterator<Item = &Handle> {
        let has_methods = move |handle: &&Handle| handle.methods_in(language).next().is_some();
        self.handles.iter().filter(has_methods)
    }

    /// Those of them that hang on an area of a memory.
    pub fn areas_with_methods(&self, language: &str) -> impl Iterator<Item = &Handle> {
        self.handles_of(language).filter(|handle| !handle.is_root())
    }

    /// The functions that need no memory.
    pub fn rules_of(&self, language: &str) -> impl Iterator<Item = &Method> {
        (self.rules.iter()).flat_map(move |rules| rules.methods_in(language))
    }

    /// What the methods of every group take, and the rules.
    pub fn arguments(&self) -> impl Iterator<Item = &Argument> {
        self.methods().flat_map(|method| &method.arguments)
    }

    /// Every method, and every function that needs no memory.
    pub fn methods(&self) -> impl Iterator<Item = &Method> {
        let groups = self.handles.iter().chain(&self.rules);
        groups.flat_map(|handle| &handle.methods)
    }
}

/// The fields of a record with its places counted twice: as the language counts, in fields of
/// the type `ty`, and in bytes of UTF-8.
pub fn counted(fields: Vec<Field>, ty: &Type, said: &str) -> Vec<Field> {
    let mut counted = Vec::new();
    for field in fields {
        if field.ty.inner() != &Type::Offset {
            counted.push(field);
            continue;
        }
        let docs = field.docs.replace(", as an offset in UTF-8 bytes", "");
        counted.push(Field {
            docs: format!("{docs} {said}"),
            ty: ty.clone(),
            ..field.clone()
        });
        counted.push(Field {
            name: format!("{}_byte", field.name),
            docs: format!("{docs} In bytes of UTF-8."),
            ty: Type::Size,
            ..field
        });
    }
    counted
}

/// The fields of a record with its spans taken apart: where each begins and ends in
/// `unit` (`chars` or `utf16`), and in bytes under names with `byte` at their end.
pub fn spread(record: &Record, unit: &str, said: &str, byte: &str) -> Vec<Field> {
    let mut fields = Vec::new();
    for field in &record.fields {
        let (Type::Span, Access::Field(path)) = (field.ty.inner(), &field.access) else {
            fields.push(field.clone());
            continue;
        };
        for (unit, said, byte) in [(unit, said, ""), ("bytes", "bytes of UTF-8", byte)] {
            for (end, docs, exclusive) in [
                ("start", "Where it begins", ""),
                ("end", "Where it ends", ", exclusive"),
            ] {
                let (ty, access) = match field.ty.is_option() {
                    false => (Type::Size, format!("{path}.{unit}.{end}")),
                    true => (
                        Type::Option(Box::new(Type::Size)),
                        format!("{path}.map(|span| span.{unit}.{end})"),
                    ),
                };
                fields.push(Field {
                    name: format!("{end}{byte}"),
                    docs: format!("{docs}, in {said}{exclusive}."),
                    ty,
                    access: Access::Field(access),
                    ..field.clone()
                });
            }
        }
    }
    fields
}
