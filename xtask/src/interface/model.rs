//! The interface as no language spells it: records, options and words, made of the
//! core's declarations and the table.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use syn::{Expr, GenericArgument, Lit, PathArguments, Type as Syntax};

use super::doc;
use super::source::{self, Declared, Given, Shape, Source, StructField};
use super::table::{About, AreaTable, HandleTable, PythonWork, Table};
use crate::shell::Outcome;

#[derive(Serialize, Deserialize)]
pub struct Model {
    pub areas: Vec<Area>,
    pub handles: Vec<Handle>,
    /// Functions that need no memory, by the core's modules.
    rules: Vec<Handle>,
}

/// A group of methods that hangs on a memory.
#[derive(Serialize, Deserialize)]
pub struct Handle {
    /// For example `Tasks`.
    pub name: String,
    pub docs: String,
    methods: Vec<Method>,
    /// Whether methods are written by hand in every language.
    is_partial: bool,
    /// The languages in which methods are generated.
    languages: Vec<String>,
}

impl Handle {
    /// The methods that are generated in a language.
    pub fn methods_in(&self, language: &str) -> impl Iterator<Item = &Method> {
        let is_known = self.languages.iter().any(|one| one == language);
        let is_by_hand = move |method: &&Method| method.by_hand.iter().any(|one| one == language);
        let generated = move |method: &&Method| is_known && !is_by_hand(method);
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
        self.is_partial || self.methods_in(language).count() < self.methods.len()
    }
}

#[derive(Serialize, Deserialize)]
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
    /// The languages in which it is written by hand.
    by_hand: Vec<String>,
    /// How it is called, in Node.
    pub node_example: Option<String>,
    /// When it asks an embedder, in Node; absent where it never does.
    pub node_embeds: Option<String>,
    python_defaults: BTreeMap<String, String>,
    python_reads: BTreeMap<String, String>,
    /// What does its work in Python, where its arguments are read by hand.
    pub python_work: Option<PythonWork>,
    /// How Rust reaches a function that needs no memory.
    pub path: String,
    /// Whether it has two forms in Node, on a worker and at once, though it needs no memory.
    pub is_for_worker: bool,
    /// Whether it may fail.
    is_fallible: bool,
    said: Vec<String>,
}

impl Method {
    /// The default of an argument that Python shows.
    pub fn python_default(&self, argument: &str) -> Option<&str> {
        self.python_defaults.get(argument).map(String::as_str)
    }

    /// What reads an argument in Python, where its type does not say it.
    pub fn python_reads(&self, argument: &str) -> Option<&str> {
        self.python_reads.get(argument).map(String::as_str)
    }

    /// Whether an argument that may be nothing must be said: what sets one value, whose
    /// absence is a value too.
    pub fn must_say(&self, argument: &str) -> bool {
        self.name.starts_with("set_") || self.said.iter().any(|one| one == argument)
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
    pub fn make(source: &Source, table: &Table) -> Outcome<Model> {
        let handles = table.handle.iter().map(|handle| handle.name.as_str());
        let given = source.given(&handles.collect::<Vec<_>>());
        let maker = Maker {
            source,
            table,
            given: &given,
        };
        let each = |names: &[String]| -> Outcome<Vec<Record>> {
            names.iter().map(|name| maker.record(name)).collect()
        };
        let mut areas = Vec::new();
        for area in &table.area {
            areas.push(Area {
                name: area.name.clone(),
                docs: area.docs.clone(),
                languages: area.languages.clone(),
                words: area
                    .words
                    .iter()
                    .map(|name| maker.words(name))
                    .collect::<Outcome<_>>()?,
                records: each(&area.records)?,
                options: each(&area.options)?,
            });
        }
        let handles = table.handle.iter().map(|handle| {
            let (docs, found) = source.methods_of(&handle.name)?;
            maker.handle(handle, docs, found)
        });
        let rules = table.rules.iter().map(|rules| {
            let found = source.functions_of(&rules.name)?;
            maker.handle(rules, String::new(), found)
        });
        Ok(Model {
            handles: handles.collect::<Outcome<_>>()?,
            rules: rules.collect::<Outcome<_>>()?,
            areas,
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
    table: &'a Table,
    given: &'a [Given<'a>],
}

/// `learn::tasks::Task` as the last of its parts.
fn last(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}

impl Maker<'_> {
    fn handle(
        &self,
        handle: &HandleTable,
        docs: String,
        found: Vec<source::Method>,
    ) -> Outcome<Handle> {
        let mut methods = Vec::new();
        // Where one method stands for another, it is told what that one does.
        let told: BTreeMap<String, String> = found
            .iter()
            .map(|method| (method.name.clone(), method.docs.clone()))
            .collect();
        for method in found {
            if handle.is_by_hand(&method.name) {
                continue;
            }
            let module = &method.module[..];
            let called = handle.named.get(&method.name).unwrap_or(&method.name);
            let called = called.clone();
            let objects = |what: &str| handle.objects.iter().any(|one| one == what);
            let place = |error| format!("{}::{}: {error}", handle.name, method.name);
            let arguments = method.arguments.iter().map(|(name, ty)| {
                let (inner, is_borrowed) = match within(ty, "Option").unwrap_or(ty) {
                    Syntax::Reference(inner) => (&*inner.elem, true),
                    _ => (ty, false),
                };
                let declared = self.declared(inner, module);
                let is_object = objects(&format!("{}.{name}", method.name));
                let ty = match self.ty(ty, module) {
                    Ok(ty) => as_object(ty, is_object),
                    // Read by hand.
                    Err(error) => match declared {
                        Some(declared) => Type::Record(declared.name.clone()),
                        None => return Err(error),
                    },
                };
                let path = declared.and_then(|declared| declared.public.clone());
                let told = &self.table.arguments;
                let docs = told.get(&format!("{}.{name}", method.name));
                Ok(Argument {
                    docs: docs.or(told.get(name)).cloned().unwrap_or_default(),
                    name: name.clone(),
                    ty,
                    path: path.unwrap_or_default(),
                    is_borrowed,
                    default: (handle.defaults.get(&method.name))
                        .and_then(|all| all.get(name).cloned()),
                })
            });
            let inner = within(&method.gives, "Result");
            let gives = inner.unwrap_or(&method.gives);
            let gives = match self.gives(gives, module).map_err(place)? {
                Gives::One(ty) => Gives::One(as_object(ty, objects(&method.name))),
                other => other,
            };
            let is_change = handle.changes.contains(&method.name);
            methods.push(Method {
                arguments: arguments.collect::<Outcome<_>>().map_err(place)?,
                is_write: is_change
                    || gives == Gives::Nothing
                    || handle.writes.contains(&method.name),
                gives,
                is_change,
                by_hand: handle.languages_by_hand(&method.name),
                node_example: handle.node_examples.get(&method.name).cloned(),
                node_embeds: handle.node_embeds.get(&method.name).cloned(),
                python_defaults: (handle.python_defaults.get(&method.name))
                    .or(handle.defaults.get(&method.name))
                    .cloned()
                    .unwrap_or_default(),
                python_reads: (handle.python_reads.get(&method.name))
                    .cloned()
                    .unwrap_or_default(),
                python_work: handle.python_work.get(&method.name).cloned(),
                said: handle.said.get(&method.name).cloned().unwrap_or_default(),
                is_for_worker: handle.worker.contains(&method.name),
                is_fallible: inner.is_some(),
                path: method.path,
                docs: self.said(match told.get(&called) {
                    Some(docs) if method.docs.starts_with("Like ") => docs,
                    _ => &method.docs,
                }),
                called,
                name: method.name,
            });
        }
        Ok(Handle {
            name: handle.name.clone(),
            docs,
            methods,
            is_partial: handle.by_hand.iter().any(|hand| !hand.contains('.')),
            languages: handle.languages.clone(),
        })
    }

    fn gives(&self, ty: &Syntax, module: &[String]) -> Outcome<Gives> {
        if matches!(ty, Syntax::Tuple(tuple) if tuple.elems.is_empty()) {
            return Ok(Gives::Nothing);
        }
        // What no table has is given by hand.
        let known = self.ty(ty, module);
        let unlisted = || {
            let declared = self.declared(ty, module)?;
            Some(Type::Record(declared.name.clone()))
        };
        let known = known.or_else(|error| unlisted().ok_or(error))?;
        Ok(match known {
            Type::Option(inner) => Gives::Maybe(*inner),
            Type::List(inner) => Gives::List(*inner),
            other => Gives::One(other),
        })
    }

    /// The type of the core that a path names inside a module.
    fn declared(&self, ty: &Syntax, module: &[String]) -> Option<&Declared> {
        let Syntax::Path(path) = ty else { return None };
        let name = path.path.segments.last()?.ident.to_string();
        self.source.resolve(&name, module)
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
    fn listed(&self, declared: &Declared) -> Option<(&'static str, String)> {
        for area in &self.table.area {
            for (kind, names) in [
                ("words", &area.words),
                ("records", &area.records),
                ("options", &area.options),
            ] {
                for name in names.iter().filter(|name| last(name) == declared.name) {
                    let found = self.source.public(name).ok()?;
                    if found.module == declared.module {
                        return Some((kind, self.public_name(name)));
                    }
                }
            }
        }
        None
    }

    fn about(&self, name: &str) -> About {
        let mut about = self.table.of.get(last(name)).cloned().unwrap_or_default();
        if let Some(other) = about.functions_as.take() {
            let other = self.about(&other);
            (about.c_fields, about.cpp_fields) = (other.c_fields, other.cpp_fields);
        }
        about
    }

    fn public_name(&self, name: &str) -> String {
        self.about(name)
            .name
            .unwrap_or_else(|| last(name).to_owned())
    }

    fn record(&self, name: &str) -> Outcome<Record> {
        let declared = self.source.public(name)?;
        let about = self.about(name);
        let Shape::Struct(structure) = &declared.shape else {
            return Err(format!("{name} is no struct with fields").into());
        };
        let mut fields = Vec::new();
        for field in &structure.fields {
            let field_ty = &field.ty;
            let is_hidden = about.hide.contains(&field.name);
            // A switch whose default is not found would be turned the wrong way in C.
            let is_switch = quote::quote!(#field_ty).to_string() == "bool";
            if structure.is_builder && is_switch && field.default.is_none() {
                return Err(format!("{name}.{}: its default is not found", field.name).into());
            }
            if about.flatten.contains(&field.name) {
                self.flatten(declared, field, &mut fields)?;
            } else if !is_hidden {
                let made = self
                    .field(declared, field, &about, structure.has_default)
                    .map_err(|error| format!("{name}.{}: {error}", field.name))?;
                fields.push(made);
            }
            self.methods_after(declared, "", &field.name, &about, &mut fields)?;
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
        let is_given = |is_list: bool| {
            self.given
                .iter()
                .any(|one| std::ptr::eq(one.declared, declared) && one.is_list == is_list)
        };
        let mut flat = Vec::new();
        for field in fields.iter().filter(|_| about.c_flat) {
            if let Type::Record(inner) = &field.ty {
                for below in self.record(inner)?.fields {
                    let path = format!("{}.{}", field.core_name, below.core_name);
                    let name = about.c_renamed.get(&path).unwrap_or(&below.name);
                    flat.push(Field {
                        name: name.clone(),
                        access: Access::Field(path.clone()),
                        core_name: path,
                        ..below
                    });
                }
            }
        }
        let is_in = |list: fn(&AreaTable) -> &[String]| {
            let mut lists = self.table.area.iter().map(list);
            lists.any(|names| names.iter().any(|one| one == name))
        };
        Ok(Record {
            name: self.public_name(name),
            is_result: is_in(|area| &area.records),
            is_option: is_in(|area| &area.options),
            flat,
            is_given: is_given(false),
            is_listed: is_given(true),
            path: declared.public.clone().unwrap_or_default(),
            docs: structure.docs.clone(),
            fields,
            is_builder: structure.is_builder,
            about,
        })
    }

    fn flatten(
        &self,
        declared: &Declared,
        field: &StructField,
        fields: &mut Vec<Field>,
    ) -> Outcome {
        let inner = self
            .declared(&field.ty, &declared.module)
            .ok_or_else(|| format!("{}: unknown type", field.name))?;
        let about = self.about(&inner.name);
        let Shape::Struct(structure) = &inner.shape else {
            return Err(format!("{} has no fields", field.name).into());
        };
        let prefix = format!("{}.", field.name);
        for below in &structure.fields {
            if !about.hide.contains(&below.name) {
                let mut made = self.field(inner, below, &about, structure.has_default)?;
                made.access = Access::Field(format!("{prefix}{}", below.name));
                if let Some(renamed) = about.renamed.get(&made.name) {
                    made.name.clone_from(renamed);
                }
                fields.push(made);
            }
            self.methods_after(inner, &prefix, &below.name, &about, fields)?;
        }
        Ok(())
    }

    fn methods_after(
        &self,
        declared: &Declared,
        prefix: &str,
        after: &str,
        about: &About,
        fields: &mut Vec<Field>,
    ) -> Outcome {
        for name in about.methods.get(after).into_iter().flatten() {
            let method = self.source.method(declared, name)?;
            let ty = self.ty(&method.ty, &declared.module)?;
            fields.push(Field {
                name: name.clone(),
                docs: method.docs,
                ty,
                default: None,
                access: Access::Method(format!("{prefix}{name}")),
                core_name: name.clone(),
            });
        }
        Ok(())
    }

    fn field(
        &self,
        declared: &Declared,
        field: &StructField,
        about: &About,
        has_default: bool,
    ) -> Outcome<Field> {
        let mut ty = self.ty(&field.ty, &declared.module)?;
        if about.objects.contains(&field.name) {
            ty = match ty {
                Type::Option(_) => Type::Option(Box::new(Type::JsonObject)),
                _ => Type::JsonObject,
            };
        }
        if about.offsets.contains(&field.name) {
            ty = Type::Offset;
        }
        Ok(Field {
            default: field
                .default
                .as_ref()
                .and_then(|value| self.value(value, &ty))
                .or_else(|| {
                    let is_empty = matches!(ty, Type::Option(_) | Type::List(_) | Type::Dedupe);
                    (has_default || is_empty).then(|| zero(&ty)).flatten()
                }),
            name: field.name.clone(),
            docs: self.said(&field.docs),
            ty,
            access: Access::Field(field.name.clone()),
            core_name: field.name.clone(),
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
                        match self.listed(declared) {
                            Some(("words", name)) => Type::Words(name),
                            Some((_, name)) => Type::Record(name),
                            None => return Err(unknown().into()),
                        }
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

/// The first type in the angle brackets of a path's part.
fn generic(part: &syn::PathSegment) -> Option<&Syntax> {
    let PathArguments::AngleBracketed(given) = &part.arguments else {
        return None;
    };
    match given.args.first()? {
        GenericArgument::Type(inner) => Some(inner),
        _ => None,
    }
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
