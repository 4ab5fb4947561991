//! The interface as no language spells it: records, options and words, made of the
//! core's declarations and the table.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use syn::{Expr, Lit, Type as Syntax};

use super::doc;
use super::source::{self, Declared, Given, Shape, Source, StructField, generic, last_part};
use super::table::{About, AreaTable, HandleTable, PythonWork, Table};
use crate::shell::Outcome;

pub struct Model {
    pub areas: Vec<Area>,
    pub handles: Vec<Handle>,
    /// Functions that need no memory, by the core's modules.
    rules: Vec<Handle>,
}

/// A group of methods that hangs on a memory.
#[derive(Serialize)]
pub struct Handle {
    /// For example `Tasks`.
    pub name: String,
    pub docs: String,
    methods: Vec<Method>,
    /// What the table says of it.
    #[serde(skip)]
    table: &'static HandleTable,
}

impl Handle {
    /// The methods that are generated in a language.
    pub fn methods_in(&self, language: &str) -> impl Iterator<Item = &Method> {
        let is_known = self.table.languages.iter().any(|one| one == language);
        let by_hand = move |method: &Method| format!("{language}.{}", method.name);
        let generated =
            move |method: &&Method| is_known && !self.table.by_hand.contains(&by_hand(method));
        self.methods.iter().filter(generated)
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
        let is_everywhere = |hand: &String| !hand.contains('.');
        self.table.by_hand.iter().any(is_everywhere)
            || self.methods_in(language).count() < self.methods.len()
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
    is_fallible: bool,
    /// What the table says of its group.
    #[serde(skip)]
    table: &'static HandleTable,
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

    /// The call of a rule, whose result borrows nothing: a `Result`.
    pub fn call(&self, passed: &[String]) -> String {
        let call = format!("{}({})", self.path, passed.join(", "));
        match (&self.gives, self.is_fallible) {
            (_, true) => call,
            (Gives::One(Type::Text), _) => format!("Ok(String::from({call}))"),
            (Gives::List(Type::Text), _) => {
                format!("Ok({call}.into_iter().map(String::from).collect::<Vec<_>>())")
            }
            _ => format!("Ok({call})"),
        }
    }
}

#[derive(Serialize, Deserialize)]
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
    /// An error in the other languages when there is none.
    Maybe(Type),
    List(Type),
}

/// The types of one concern.
#[derive(Default, Serialize, Deserialize)]
pub struct Area {
    pub name: String,
    pub docs: String,
    languages: Vec<String>,
    pub words: Vec<Words>,
    /// What calls give.
    pub records: Vec<Record>,
    /// What calls take. A type that is given as well stands in both.
    pub options: Vec<Record>,
}

impl Area {
    /// Whether calls take this type.
    pub fn is_taken(&self, name: &str) -> bool {
        self.options.iter().any(|record| record.name == name)
    }

    /// Whether calls give this type.
    pub fn is_given(&self, name: &str) -> bool {
        self.records.iter().any(|record| record.name == name)
    }

    /// Every record and every set of options, each once, those first that others hold.
    pub fn structs(&self) -> impl Iterator<Item = &Record> {
        let only_taken = self.options.iter().filter(|one| !self.is_given(&one.name));
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
    pub items: Vec<source::Word>,
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
    /// The fields of the records that it holds, where C has those in their place.
    pub flat: Vec<Field>,
    /// Whether it is made by setting one field after the other.
    pub is_builder: bool,
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
    /// Which projects a read looks at.
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
    Array(Box<Type>, usize),
}

impl Record {
    /// Whether some of its fields must be given, so that it is made of all of them at once.
    pub fn is_taken_whole(&self) -> bool {
        !self.is_builder && self.fields.iter().any(|field| field.default.is_none())
    }

    /// Whether a conversion, for example `python.give`, is written by hand.
    pub fn is_by_hand(&self, conversion: &str) -> bool {
        self.about.by_hand.iter().any(|hand| hand == conversion)
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
    pub fn make(source: &Source, table: &'static Table) -> Outcome<Model> {
        let handles = table.handle.iter().map(|handle| handle.name.as_str());
        let given = source.given(&handles.collect::<Vec<_>>());
        let maker = Maker {
            source,
            table,
            given: &given,
        };
        let areas = table.area.iter().map(|area| maker.area(area));
        let handles = table.handle.iter().map(|handle| {
            let (docs, found) = source.methods_of(&handle.name)?;
            maker.handle(handle, docs, found)
        });
        let rules = table.rules.iter().map(|rules| {
            let found = source.functions_of(&rules.name)?;
            maker.handle(rules, String::new(), found)
        });
        Ok(Model {
            areas: areas.collect::<Outcome<_>>()?,
            handles: handles.collect::<Outcome<_>>()?,
            rules: rules.collect::<Outcome<_>>()?,
        })
    }

    /// The areas whose mirrors in a language are generated.
    pub fn areas_of(&self, language: &str) -> impl Iterator<Item = &Area> {
        self.areas
            .iter()
            .filter(move |area| area.languages.iter().any(|known| known == language))
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
        let groups = self.handles.iter().chain(&self.rules);
        let methods = groups.flat_map(|handle| &handle.methods);
        methods.flat_map(|method| &method.arguments)
    }
}

struct Maker<'a> {
    source: &'a Source,
    table: &'static Table,
    given: &'a [Given<'a>],
}

impl Maker<'_> {
    fn area(&self, area: &AreaTable) -> Outcome<Area> {
        let records = |names: &[String]| -> Outcome<Vec<Record>> {
            names.iter().map(|name| self.record(name)).collect()
        };
        let words = area.words.iter().map(|name| self.words(name));
        Ok(Area {
            name: area.name.clone(),
            docs: area.docs.clone(),
            languages: area.languages.clone(),
            words: words.collect::<Outcome<_>>()?,
            records: records(&area.records)?,
            options: records(&area.options)?,
        })
    }

    fn handle(
        &self,
        table: &'static HandleTable,
        docs: String,
        found: Vec<source::Method>,
    ) -> Outcome<Handle> {
        // Where one method stands for another, it is told what that one does.
        let told: BTreeMap<String, String> = found
            .iter()
            .map(|method| (method.name.clone(), method.docs.clone()))
            .collect();
        let methods = found
            .into_iter()
            .filter(|method| !table.is_by_hand(&method.name));
        let methods = methods.map(|method| {
            let place = format!("{}::{}", table.name, method.name);
            let made = self.method(table, method, &told);
            made.map_err(|error| format!("{place}: {error}").into())
        });
        Ok(Handle {
            name: table.name.clone(),
            docs,
            methods: methods.collect::<Outcome<_>>()?,
            table,
        })
    }

    fn method(
        &self,
        table: &'static HandleTable,
        method: source::Method,
        told: &BTreeMap<String, String>,
    ) -> Outcome<Method> {
        let name = &method.name;
        let called = table.named.get(name).unwrap_or(name);
        let arguments = method.arguments.iter();
        let arguments = arguments.map(|(argument, ty)| self.argument(table, &method, argument, ty));
        let inner = within(&method.gives, "Result");
        let gives = match self.gives(inner.unwrap_or(&method.gives), &method.module)? {
            Gives::One(ty) => Gives::One(as_object(ty, table.objects.contains(name))),
            other => other,
        };
        let is_change = table.changes.contains(name);
        Ok(Method {
            arguments: arguments.collect::<Outcome<_>>()?,
            is_write: is_change || gives == Gives::Nothing || table.writes.contains(name),
            gives,
            is_change,
            is_for_worker: table.worker.contains(name),
            is_fallible: inner.is_some(),
            docs: self.said(match told.get(called) {
                Some(docs) if method.docs.starts_with("Like ") => docs,
                _ => &method.docs,
            }),
            called: called.clone(),
            path: method.path,
            name: method.name,
            table,
        })
    }

    fn argument(
        &self,
        table: &HandleTable,
        method: &source::Method,
        name: &str,
        ty: &Syntax,
    ) -> Outcome<Argument> {
        let (inner, is_borrowed) = match within(ty, "Option").unwrap_or(ty) {
            Syntax::Reference(inner) => (&*inner.elem, true),
            _ => (ty, false),
        };
        let declared = self.declared(inner, &method.module);
        let of_method = format!("{}.{name}", method.name);
        let ty = match (self.ty(ty, &method.module), declared) {
            (Ok(ty), _) => as_object(ty, table.objects.contains(&of_method)),
            // Read by hand.
            (Err(_), Some(declared)) => Type::Record(declared.name.clone()),
            (Err(error), None) => return Err(error),
        };
        let told = &self.table.arguments;
        let docs = told.get(&of_method).or(told.get(name));
        let defaults = table.defaults.get(&method.name);
        Ok(Argument {
            name: name.to_owned(),
            ty,
            path: declared
                .and_then(|declared| declared.public.clone())
                .unwrap_or_default(),
            is_borrowed,
            default: defaults.and_then(|all| all.get(name).cloned()),
            docs: docs.cloned().unwrap_or_default(),
        })
    }

    fn gives(&self, ty: &Syntax, module: &[String]) -> Outcome<Gives> {
        if matches!(ty, Syntax::Tuple(tuple) if tuple.elems.is_empty()) {
            return Ok(Gives::Nothing);
        }
        Ok(match (self.ty(ty, module), self.declared(ty, module)) {
            (Ok(Type::Option(inner)), _) => Gives::Maybe(*inner),
            (Ok(Type::List(inner)), _) => Gives::List(*inner),
            (Ok(other), _) => Gives::One(other),
            // What no table has is given by hand.
            (Err(_), Some(declared)) => Gives::One(Type::Record(declared.name.clone())),
            (Err(error), None) => return Err(error),
        })
    }

    /// The type of the core that a path names inside a module.
    fn declared(&self, ty: &Syntax, module: &[String]) -> Option<&Declared> {
        self.source
            .resolve(&last_part(ty)?.ident.to_string(), module)
    }

    fn words(&self, name: &str) -> Outcome<Words> {
        let declared = self.source.public(name)?;
        let Shape::Words(words) = &declared.shape else {
            return Err(format!("{name} is no enum of words").into());
        };
        Ok(Words {
            name: self.public_name(name),
            path: declared.public.clone().unwrap_or_default(),
            docs: words.docs.clone(),
            is_plain: words.is_plain && !self.about(name).untaken,
            items: words.items.clone(),
            about: self.about(name),
        })
    }

    /// What the table calls the type of this declaration, if the table has it.
    fn listed(&self, declared: &Declared) -> Option<Type> {
        let is_it = |name: &&String| {
            doc::last(name) == declared.name
                && (self.source.public(name)).is_ok_and(|one| one.module == declared.module)
        };
        self.table.area.iter().find_map(|area| {
            let words = area.words.iter().find(is_it);
            let words = words.map(|name| Type::Words(self.public_name(name)));
            let record = || area.records.iter().chain(&area.options).find(is_it);
            words.or_else(|| record().map(|name| Type::Record(self.public_name(name))))
        })
    }

    fn about(&self, name: &str) -> About {
        let mut about = self
            .table
            .of
            .get(doc::last(name))
            .cloned()
            .unwrap_or_default();
        if let Some(other) = about.functions_as.take() {
            let other = self.about(&other);
            (about.c_fields, about.cpp_fields) = (other.c_fields, other.cpp_fields);
        }
        about
    }

    fn public_name(&self, name: &str) -> String {
        self.about(name)
            .name
            .unwrap_or_else(|| doc::last(name).to_owned())
    }

    fn record(&self, name: &str) -> Outcome<Record> {
        let declared = self.source.public(name)?;
        let about = self.about(name);
        let Shape::Struct(structure) = &declared.shape else {
            return Err(format!("{name} is no struct with fields").into());
        };
        let fields = self.fields(declared, &about, "")?;
        let is_given = |is_list: bool| {
            let mut given = self.given.iter().filter(|one| one.is_list == is_list);
            given.any(|one| std::ptr::eq(one.declared, declared))
        };
        let is_in = |list: fn(&AreaTable) -> &[String]| {
            let mut lists = self.table.area.iter().map(list);
            lists.any(|names| names.iter().any(|one| one == name))
        };
        Ok(Record {
            name: self.public_name(name),
            flat: self.flat(&fields, &about)?,
            is_result: is_in(|area| &area.records),
            is_option: is_in(|area| &area.options),
            is_given: is_given(false),
            is_listed: is_given(true),
            path: declared.public.clone().unwrap_or_default(),
            docs: structure.docs.clone(),
            fields,
            is_builder: structure.is_builder,
            about,
        })
    }

    /// The fields of the records that a struct of C has in their place.
    fn flat(&self, fields: &[Field], about: &About) -> Outcome<Vec<Field>> {
        let mut flat = Vec::new();
        for field in fields.iter().filter(|_| about.c_flat) {
            let Type::Record(inner) = &field.ty else {
                continue;
            };
            for below in self.record(inner)?.fields {
                let path = format!("{}.{}", field.core_name, below.core_name);
                flat.push(Field {
                    name: about.c_renamed.get(&path).unwrap_or(&below.name).clone(),
                    access: Access::Field(path.clone()),
                    core_name: path,
                    ..below
                });
            }
        }
        Ok(flat)
    }

    /// The fields of a struct, with those that replace others; `prefix` is the path of the
    /// struct itself, where it is within another one.
    fn fields(&self, declared: &Declared, about: &About, prefix: &str) -> Outcome<Vec<Field>> {
        let Shape::Struct(structure) = &declared.shape else {
            return Err(format!("{} is no struct with fields", declared.name).into());
        };
        let mut fields = Vec::new();
        for field in &structure.fields {
            let name = &field.name;
            if about.flatten.contains(name) {
                let inner = self.declared(&field.ty, &declared.module);
                let inner = inner.ok_or_else(|| format!("{name}: unknown type"))?;
                let about = self.about(&inner.name);
                fields.extend(self.fields(inner, &about, &format!("{name}."))?);
            } else if !about.hide.contains(name) {
                let made = self.field(declared, field, about, structure);
                let mut made =
                    made.map_err(|error| format!("{}.{name}: {error}", declared.name))?;
                made.access = Access::Field(format!("{prefix}{name}"));
                fields.push(made);
            }
            for method in about.methods.get(name).into_iter().flatten() {
                let (docs, ty) = self.source.method(declared, method)?;
                fields.push(Field {
                    name: method.clone(),
                    docs,
                    ty: self.ty(&ty, &declared.module)?,
                    default: None,
                    access: Access::Method(format!("{prefix}{method}")),
                    core_name: method.clone(),
                });
            }
        }
        for field in &mut fields {
            if about.required.contains(&field.name) {
                field.default = None;
            }
            if about.optional.contains(&field.name) {
                field.default = zero(&field.ty);
            }
            if let Some(renamed) = about.renamed.get(&field.name) {
                field.name.clone_from(renamed);
            }
        }
        Ok(fields)
    }

    fn field(
        &self,
        declared: &Declared,
        field: &StructField,
        about: &About,
        structure: &source::Struct,
    ) -> Outcome<Field> {
        let mut ty = self.ty(&field.ty, &declared.module)?;
        // A switch whose default is not found would be turned the wrong way in C.
        if structure.is_builder && ty == Type::Bool && field.default.is_none() {
            return Err("its default is not found".into());
        }
        if about.offsets.contains(&field.name) {
            ty = Type::Offset;
        }
        ty = as_object(ty, about.objects.contains(&field.name));
        let default = field
            .default
            .as_ref()
            .and_then(|value| self.value(value, &ty));
        let is_empty = matches!(ty, Type::Option(_) | Type::List(_) | Type::Dedupe);
        let empty = || zero(&ty).filter(|_| structure.has_default || is_empty);
        Ok(Field {
            default: default.or_else(empty),
            name: field.name.clone(),
            docs: self.said(&field.docs),
            access: Access::Field(field.name.clone()),
            core_name: field.name.clone(),
            ty,
        })
    }

    /// Documentation with the values of the constants that it names: other languages do
    /// not have them.
    fn said(&self, docs: &str) -> String {
        doc::with_values(docs, &|name| {
            let is_constant = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
            let name = doc::last(name);
            let value = match name.chars().all(is_constant) {
                true => self.value(self.source.constant(name)?, &Type::U64)?,
                false => return None,
            };
            match value {
                Value::Int(number) => Some(doc::grouped(number)),
                Value::Float(number) => Some(number.to_string()),
                Value::Text(text) => Some(format!("`{text}`")),
                _ => None,
            }
        })
    }

    fn ty(&self, ty: &Syntax, module: &[String]) -> Outcome<Type> {
        let unknown = || format!("no language has a mirror of `{}`", quote::quote!(#ty));
        match ty {
            Syntax::Reference(inner) => self.ty(&inner.elem, module),
            Syntax::Slice(inner) => Ok(Type::List(Box::new(self.ty(&inner.elem, module)?))),
            Syntax::Array(array) => {
                let inner = Box::new(self.ty(&array.elem, module)?);
                let len = &array.len;
                let len: syn::LitInt = syn::parse2(quote::quote!(#len))?;
                Ok(Type::Array(inner, len.base10_parse()?))
            }
            // `impl Into<String>` of a builder.
            Syntax::ImplTrait(_) => self.ty(converted(ty).ok_or_else(unknown)?, module),
            Syntax::Path(path) => {
                let part = path.path.segments.last().ok_or_else(unknown)?;
                let name = part.ident.to_string();
                let argument = || -> Outcome<Box<Type>> {
                    let inner = generic(part).ok_or_else(unknown)?;
                    Ok(Box::new(self.ty(inner, module)?))
                };
                Ok(match name.as_str() {
                    "bool" => Type::Bool,
                    "u16" | "u32" => Type::U32,
                    "u64" => Type::U64,
                    "usize" => Type::Size,
                    "i64" => Type::I64,
                    "f32" => Type::F32,
                    "f64" => Type::F64,
                    "String" | "str" | "Cow" | "LineProblem" => Type::Text,
                    "PathBuf" | "Path" => Type::Path,
                    "EventId" | "CitationId" | "EntryId" | "EntityId" => Type::Id,
                    "Seq" | "JobId" => Type::Position,
                    "Timestamp" => Type::Time,
                    "Duration" => Type::Duration,
                    "Json" => Type::Json,
                    "QuoteSpan" => Type::Span,
                    "EventRef" => Type::EventRef,
                    "ProjectScope" => Type::Scope,
                    "Dedupe" => Type::Dedupe,
                    "Option" => Type::Option(argument()?),
                    "Vec" => Type::List(argument()?),
                    _ => {
                        let declared = self.source.resolve(&name, module).ok_or_else(unknown)?;
                        self.listed(declared).ok_or_else(unknown)?
                    }
                })
            }
            _ => Err(unknown().into()),
        }
    }

    /// A default value, where the expression says it plainly.
    fn value(&self, value: &Expr, ty: &Type) -> Option<Value> {
        match value {
            Expr::Lit(literal) => literal_value(&literal.lit),
            Expr::Unary(unary) => match self.value(&unary.expr, ty)? {
                Value::Int(number) => Some(Value::Int(-number)),
                Value::Float(number) => Some(Value::Float(-number)),
                _ => None,
            },
            Expr::Binary(binary) => {
                let (Value::Int(left), Value::Int(right)) = (
                    self.value(&binary.left, ty)?,
                    self.value(&binary.right, ty)?,
                ) else {
                    return None;
                };
                Some(Value::Int(match binary.op {
                    syn::BinOp::Mul(_) => left * right,
                    syn::BinOp::Add(_) => left + right,
                    syn::BinOp::Shl(_) => left << right,
                    _ => return None,
                }))
            }
            Expr::Reference(inner) => self.value(&inner.expr, ty),
            Expr::Array(array) => Some(Value::List(
                array
                    .elems
                    .iter()
                    .map(|one| self.value(one, ty))
                    .collect::<Option<_>>()?,
            )),
            Expr::Macro(made) if made.mac.path.is_ident("vec") => {
                let tokens = &made.mac.tokens;
                self.value(&syn::parse_quote!([#tokens]), ty)
            }
            Expr::Path(path) => {
                let name = path.path.segments.last()?.ident.to_string();
                if name == "None" {
                    return Some(Value::Nothing);
                }
                if path.path.segments.len() > 1 {
                    return self.word(ty, &name);
                }
                self.value(self.source.constant(&name)?, ty)
            }
            // `Duration::from_secs(5)`, `Type::default()`, `Vec::new()`.
            Expr::Call(call) => {
                let Expr::Path(path) = &*call.func else {
                    return None;
                };
                let name = path.path.segments.last()?.ident.to_string();
                let number = || match self.value(call.args.first()?, ty)? {
                    Value::Int(number) => Some(number),
                    _ => None,
                };
                match name.as_str() {
                    "from_secs" => Some(Value::Int(number()? * 1000)),
                    "from_millis" => Some(Value::Int(number()?)),
                    "default" | "new" => zero(ty),
                    _ => None,
                }
            }
            // `CONSTANT.map(str::to_owned).to_vec()`, `"text".to_owned()`.
            Expr::MethodCall(call) => match call.method.to_string().as_str() {
                "map" | "to_vec" | "to_owned" | "into" => self.value(&call.receiver, ty),
                _ => None,
            },
            _ => None,
        }
    }

    fn word(&self, ty: &Type, variant: &str) -> Option<Value> {
        let one = match ty.inner() {
            Type::List(inner) => inner,
            other => other,
        };
        let Type::Words(name) = one else { return None };
        let listed = self
            .table
            .area
            .iter()
            .flat_map(|area| &area.words)
            .find(|listed| self.public_name(listed) == *name)?;
        let words = self.words(listed).ok()?;
        let item = words.items.iter().find(|item| item.variant == variant)?;
        Some(Value::Word(item.text.clone()))
    }
}

/// What stands within a generic type of this name.
fn within<'t>(ty: &'t Syntax, name: &str) -> Option<&'t Syntax> {
    let Syntax::Path(path) = ty else { return None };
    let part = path.path.segments.last()?;
    (part.ident == name).then(|| generic(part)).flatten()
}

/// What `impl Into<T>` and `impl AsRef<T>` become.
fn converted(ty: &Syntax) -> Option<&Syntax> {
    let Syntax::ImplTrait(implied) = ty else {
        return None;
    };
    implied.bounds.iter().find_map(|bound| {
        let syn::TypeParamBound::Trait(bound) = bound else {
            return None;
        };
        generic(bound.path.segments.last()?)
    })
}

/// JSON that is an object, where the table says so.
fn as_object(ty: Type, is_object: bool) -> Type {
    match ty {
        Type::Json if is_object => Type::JsonObject,
        Type::Option(inner) => Type::Option(Box::new(as_object(*inner, is_object))),
        other => other,
    }
}

fn literal_value(literal: &Lit) -> Option<Value> {
    Some(match literal {
        Lit::Bool(value) => Value::Bool(value.value),
        Lit::Int(value) => Value::Int(value.base10_parse().ok()?),
        Lit::Float(value) => Value::Float(value.base10_parse().ok()?),
        Lit::Str(value) => Value::Text(value.value()),
        _ => return None,
    })
}

/// The value that a field has where nothing says another.
fn zero(ty: &Type) -> Option<Value> {
    Some(match ty {
        Type::Bool => Value::Bool(false),
        Type::U32 | Type::U64 | Type::Size | Type::I64 => Value::Int(0),
        Type::F32 | Type::F64 => Value::Float(0.0),
        Type::Text => Value::Text(String::new()),
        Type::Option(_) | Type::Scope => Value::Nothing,
        Type::Dedupe => Value::ByContent,
        Type::List(_) => Value::List(Vec::new()),
        Type::Record(name) => Value::Record(name.clone()),
        _ => return None,
    })
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
        let docs = field.docs.replace(", in UTF-8 bytes", "");
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
        match (field.ty.inner(), &field.access) {
            (Type::Span, Access::Field(path)) => {
                for (unit, said, byte) in [(unit, said, ""), ("bytes", "bytes of UTF-8", byte)] {
                    for (end, docs) in [("start", "Where it begins"), ("end", "Where it ends")] {
                        let exclusive = if end == "end" { ", exclusive" } else { "" };
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
            _ => fields.push(field.clone()),
        }
    }
    fields
}
