//! The core's sources: every declaration of a struct, an enum and a builder, with
//! its documentation, its place, and the public path by which others name it.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use serde::{Deserialize, Serialize};
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Expr, Ident, Item, ItemImpl, Lit, Token, Type, UseTree, Visibility};

use crate::shell::{Outcome, read};

/// What one file of the core declares.
struct Module {
    /// For example `["learn", "tasks"]`; empty for the crate itself.
    path: Vec<String>,
    items: Vec<Item>,
    names: Vec<Name>,
}

/// A name inside a module.
struct Name {
    name: String,
    /// The path of what it means.
    target: Vec<String>,
    is_public: bool,
}

/// A struct or a builder: its fields in their order.
#[derive(Clone, Debug)]
pub struct Struct {
    pub docs: String,
    /// Whether it can be made without saying anything.
    pub has_default: bool,
    /// Whether its fields are methods that set and give it back.
    pub is_builder: bool,
    pub fields: Vec<StructField>,
}

#[derive(Clone, Debug)]
pub struct StructField {
    pub name: String,
    pub docs: String,
    pub ty: Type,
    pub default: Option<Expr>,
}

/// An enum whose values are words.
#[derive(Clone, Debug)]
pub struct Words {
    pub docs: String,
    /// Whether a word is all there is to each value.
    pub is_plain: bool,
    pub items: Vec<Word>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Word {
    /// As Rust spells it.
    pub variant: String,
    /// The stable word, the same in every language.
    pub text: String,
    pub docs: String,
    /// The stable number, where the core gives one.
    pub number: Option<i32>,
}

#[derive(Clone, Debug)]
pub enum Shape {
    Struct(Struct),
    Words(Words),
    /// Anything else: identities, enums with fields, types of closures.
    Other,
}

/// One declared type.
#[derive(Clone, Debug)]
pub struct Declared {
    pub name: String,
    /// The module that declares it.
    pub module: Vec<String>,
    /// The shortest path that reaches it from outside, for example
    /// `recallite::learn::tasks::Task`; `None` for a private one.
    pub public: Option<String>,
    pub shape: Shape,
}

/// Every declaration of the core.
pub struct Source {
    modules: Vec<Module>,
    declared: Vec<Declared>,
    constants: BTreeMap<String, Expr>,
    /// The public path of every item that has one.
    public: BTreeMap<Vec<String>, String>,
}

impl Source {
    /// Reads the core's sources below `folder`.
    pub fn read(folder: &Path) -> Outcome<Source> {
        let mut source = Source {
            modules: Vec::new(),
            declared: Vec::new(),
            constants: BTreeMap::new(),
            public: BTreeMap::new(),
        };
        source.read_module(&folder.join("lib.rs"), folder, Vec::new())?;
        source.public = source.public_paths();
        source.declared = source.declarations()?;
        Ok(source)
    }

    fn read_module(&mut self, file: &Path, folder: &Path, path: Vec<String>) -> Outcome {
        let parsed = syn::parse_file(&read(file)?);
        let parsed = parsed.map_err(|error| format!("{}: {error}", file.display()))?;
        self.read_items(parsed.items, folder, path)
    }

    fn read_items(&mut self, items: Vec<Item>, folder: &Path, path: Vec<String>) -> Outcome {
        for item in &items {
            if let Item::Const(constant) = item {
                let value = (*constant.expr).clone();
                self.constants.insert(constant.ident.to_string(), value);
            }
            let Item::Mod(module) = item else { continue };
            if is_for_tests(&module.attrs) {
                continue;
            }
            let below = joined(&path, &module.ident);
            let folder = folder.join(module.ident.to_string());
            if let Some((_, items)) = &module.content {
                self.read_items(items.clone(), &folder, below)?;
                continue;
            }
            let files = [folder.with_extension("rs"), folder.join("mod.rs")];
            let file = files.iter().find(|file| file.exists());
            let file = file.ok_or_else(|| format!("no file of the module {}", below.join("::")))?;
            self.read_module(file, &folder, below)?;
        }
        let mut names = Vec::new();
        for item in &items {
            names_of(&path, item, &mut names);
        }
        self.modules.push(Module { path, items, names });
        Ok(())
    }

    fn declarations(&self) -> Outcome<Vec<Declared>> {
        let mut declared = Vec::new();
        for module in &self.modules {
            for item in &module.items {
                let Some((name, mut shape)) = declaration(module, item)? else {
                    continue;
                };
                if let Shape::Struct(builder) = &mut shape
                    && builder.is_builder
                {
                    // A builder's settings and their defaults may lie in several files.
                    let defaults = self.builder_defaults(&name);
                    let modules = self.modules.iter();
                    let fields = modules.flat_map(|module| setters(module, &name, &defaults));
                    builder.fields = fields.collect();
                }
                declared.push(Declared {
                    public: self.public.get(&joined(&module.path, &name)).cloned(),
                    module: module.path.clone(),
                    name,
                    shape,
                });
            }
        }
        Ok(declared)
    }

    /// The defaults of a builder: its own, and those of the structs that it holds.
    fn builder_defaults(&self, name: &str) -> BTreeMap<String, Expr> {
        let of = |name: &str| -> BTreeMap<String, Expr> {
            let modules = self.modules.iter();
            modules.flat_map(|module| defaults(module, name)).collect()
        };
        let mut found = of(name);
        let structs = self.items().filter_map(|(_, item)| match item {
            Item::Struct(item) if item.ident == name => Some(item),
            _ => None,
        });
        for field in structs.flat_map(|item| &item.fields) {
            let (Some(field_name), Some(inner)) = (&field.ident, last_part(&field.ty)) else {
                continue;
            };
            for (key, value) in of(&inner.ident.to_string()) {
                found.entry(format!("{field_name}.{key}")).or_insert(value);
            }
        }
        found
    }

    /// The shortest public path of every item that has one.
    fn public_paths(&self) -> BTreeMap<Vec<String>, String> {
        let mut found = BTreeMap::new();
        let mut waiting = VecDeque::from([(Vec::new(), "recallite".to_owned())]);
        while let Some((path, public)) = waiting.pop_front() {
            let names = self.module(&path).map(|module| &module.names);
            for name in names.into_iter().flatten().filter(|name| name.is_public) {
                let public = format!("{public}::{}", name.name);
                match self.module(&name.target) {
                    Some(_) => waiting.push_back((name.target.clone(), public)),
                    None => {
                        found
                            .entry(self.followed(name.target.clone()))
                            .or_insert(public);
                    }
                }
            }
        }
        found
    }

    /// Where a path leads in the end, through re-exports of the modules on its way.
    fn followed(&self, mut at: Vec<String>) -> Vec<String> {
        while let Some((last, parent)) = at.split_last()
            && let Some(module) = self.module(parent)
            && let Some(next) =
                (module.names.iter()).find(|name| name.name == *last && name.target != at)
        {
            at = next.target.clone();
        }
        at
    }

    fn module(&self, path: &[String]) -> Option<&Module> {
        self.modules.iter().find(|module| module.path == path)
    }

    /// Every item, with the module in which it stands.
    fn items(&self) -> impl Iterator<Item = (&Module, &Item)> {
        let modules = self.modules.iter();
        modules.flat_map(|module| module.items.iter().map(move |item| (module, item)))
    }

    /// The type that `name` means inside the module `from`.
    pub fn resolve(&self, name: &str, from: &[String]) -> Option<&Declared> {
        let place = self.followed(joined(from, name));
        let (last, module) = place.split_last()?;
        let mut declared = self.declared.iter();
        declared.find(|one| one.name == *last && one.module == module)
    }

    /// The value of a constant of the core, by its bare name.
    pub fn constant(&self, name: &str) -> Option<&Expr> {
        self.constants.get(name)
    }

    /// The public type with this name; `path` parts may stand in front of it where
    /// several types share the name.
    pub fn public(&self, name: &str) -> Outcome<&Declared> {
        let ending = format!("::{name}");
        let is_it = |one: &&Declared| {
            let place = format!("::{}::{}", one.module.join("::"), one.name);
            let is_named = |public: &String| format!("::{public}").ends_with(&ending);
            let public = one.public.as_ref();
            public.is_some_and(|public| is_named(public) || place.ends_with(&ending))
        };
        let found: Vec<&Declared> = self.declared.iter().filter(is_it).collect();
        match found.as_slice() {
            [one] => Ok(one),
            [] => Err(format!("the core has no public type {name}").into()),
            many => {
                let paths: Vec<_> = many.iter().filter_map(|one| one.public.clone()).collect();
                Err(format!("{name} may be {}", paths.join(" or ")).into())
            }
        }
    }
}

/// The path of a name inside a module.
fn joined(path: &[String], name: &(impl ToString + ?Sized)) -> Vec<String> {
    [path, &[name.to_string()]].concat()
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg") && quote::quote!(#attribute).to_string().contains("test")
    })
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// The names that an item brings into its module: its own, or those of a `use`.
fn names_of(path: &[String], item: &Item, names: &mut Vec<Name>) {
    let (name, visibility) = match item {
        Item::Mod(item) if !is_for_tests(&item.attrs) => (item.ident.to_string(), &item.vis),
        Item::Struct(item) => (item.ident.to_string(), &item.vis),
        Item::Enum(item) => (item.ident.to_string(), &item.vis),
        Item::Fn(item) => (item.sig.ident.to_string(), &item.vis),
        Item::Use(item) => return imports(path, Vec::new(), &item.tree, &item.vis, names),
        Item::Macro(item) => match declared_by(item) {
            Ok(Some((name, _))) => (name, &Visibility::Public(Default::default())),
            _ => return,
        },
        _ => return,
    };
    names.push(Name {
        target: joined(path, &name),
        is_public: is_public(visibility),
        name,
    });
}

/// What a `use` brings into a module.
fn imports(
    module: &[String],
    at: Vec<String>,
    tree: &UseTree,
    visibility: &Visibility,
    names: &mut Vec<Name>,
) {
    let (ident, called) = match tree {
        UseTree::Path(path) => {
            let at = joined(&at, &path.ident);
            return imports(module, at, &path.tree, visibility, names);
        }
        UseTree::Group(group) => {
            for tree in &group.items {
                imports(module, at.clone(), tree, visibility, names);
            }
            return;
        }
        UseTree::Name(name) => (&name.ident, &name.ident),
        UseTree::Rename(name) => (&name.ident, &name.rename),
        UseTree::Glob(_) => return,
    };
    names.push(Name {
        name: called.to_string(),
        target: absolute(module, &joined(&at, ident)),
        is_public: is_public(visibility),
    });
}

/// A path of a `use` from the crate on.
fn absolute(module: &[String], path: &[String]) -> Vec<String> {
    let supers = path.iter().take_while(|part| *part == "super").count();
    match path.first().map(String::as_str) {
        Some("crate") => path[1..].to_vec(),
        Some("self") => [module, &path[1..]].concat(),
        _ => [&module[..module.len() - supers], &path[supers..]].concat(),
    }
}

/// The type that an item declares.
fn declaration(module: &Module, item: &Item) -> Outcome<Option<(String, Shape)>> {
    Ok(match item {
        Item::Struct(item) if is_public(&item.vis) => {
            let shape = match &item.fields {
                syn::Fields::Named(_) => structure(module, item),
                _ => Shape::Other,
            };
            Some((item.ident.to_string(), shape))
        }
        Item::Enum(item) if is_public(&item.vis) => {
            Some((item.ident.to_string(), words(module, item)))
        }
        Item::Macro(item) => match declared_by(item)? {
            // The documentation of the weights stands in their macro.
            Some((name, Shape::Struct(weights))) => {
                let docs = module.items.iter().find_map(docs_in_macro);
                let docs = docs.unwrap_or_default();
                Some((name, Shape::Struct(Struct { docs, ..weights })))
            }
            other => other,
        },
        _ => None,
    })
}

/// The text of an item's documentation.
pub fn docs(attributes: &[Attribute]) -> String {
    let lines = attributes
        .iter()
        .filter_map(|attribute| match &attribute.meta {
            syn::Meta::NameValue(pair) if pair.path.is_ident("doc") => {
                let text = text_of(&pair.value)?;
                Some(text.strip_prefix(' ').unwrap_or(&text).to_owned())
            }
            _ => None,
        });
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// The text that an expression is.
fn text_of(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

fn structure(module: &Module, item: &syn::ItemStruct) -> Shape {
    let name = item.ident.to_string();
    let defaults = defaults(module, &name);
    let fields = item.fields.iter().filter(|field| is_public(&field.vis));
    let fields = fields.filter_map(|field| {
        let name = field.ident.as_ref()?.to_string();
        Some(StructField {
            docs: docs(&field.attrs),
            ty: field.ty.clone(),
            default: defaults.get(&name).cloned(),
            name,
        })
    });
    let fields: Vec<StructField> = fields.collect();
    let is_derived = item.attrs.iter().any(|attribute| {
        let text = quote::quote!(#attribute).to_string();
        attribute.path().is_ident("derive") && text.contains("Default")
    });
    let is_written = implementations(module, &name).any(|item| {
        let of = item.trait_.as_ref();
        of.is_some_and(|(_, path, _)| path.is_ident("Default"))
    });
    Shape::Struct(Struct {
        docs: docs(&item.attrs),
        has_default: is_derived || is_written,
        is_builder: fields.is_empty(),
        fields,
    })
}

fn implementations<'m>(module: &'m Module, name: &'m str) -> impl Iterator<Item = &'m ItemImpl> {
    module.items.iter().filter_map(move |item| match item {
        Item::Impl(item) => match &*item.self_ty {
            Type::Path(path) if path.path.is_ident(name) => Some(item),
            _ => None,
        },
        _ => None,
    })
}

fn methods(item: &ItemImpl) -> impl Iterator<Item = &syn::ImplItemFn> {
    item.items.iter().filter_map(|item| match item {
        syn::ImplItem::Fn(function) => Some(function),
        _ => None,
    })
}

/// The fields of the struct that `default` gives, or else `new`: dotted where a
/// struct stands within another.
fn defaults(module: &Module, name: &str) -> BTreeMap<String, Expr> {
    let mut found = BTreeMap::new();
    for wanted in ["default", "new"] {
        for function in implementations(module, name).flat_map(methods) {
            if function.sig.ident == wanted
                && let Some(syn::Stmt::Expr(Expr::Struct(given), None)) =
                    function.block.stmts.last()
            {
                gather("", given, &mut found);
            }
        }
        if !found.is_empty() {
            break;
        }
    }
    found
}

fn gather(prefix: &str, given: &syn::ExprStruct, found: &mut BTreeMap<String, Expr>) {
    for field in &given.fields {
        if let syn::Member::Named(name) = &field.member {
            let name = format!("{prefix}{name}");
            if let Expr::Struct(inner) = &field.expr {
                gather(&format!("{name}."), inner, found);
            }
            found.insert(name, field.expr.clone());
        }
    }
}

/// The settings of a builder: its methods that take one value and give it back.
fn setters(module: &Module, name: &str, defaults: &BTreeMap<String, Expr>) -> Vec<StructField> {
    let own = implementations(module, name).filter(|item| item.trait_.is_none());
    let functions = own
        .flat_map(methods)
        .filter(|function| is_public(&function.vis));
    let setter = |function: &syn::ImplItemFn| {
        let inputs: Vec<_> = function.sig.inputs.iter().collect();
        let [syn::FnArg::Receiver(_), syn::FnArg::Typed(value)] = inputs.as_slice() else {
            return None;
        };
        let gives = given_type(&function.sig).and_then(last_part);
        gives.filter(|part| part.ident == "Self")?;
        Some(StructField {
            name: function.sig.ident.to_string(),
            docs: docs(&function.attrs),
            ty: (*value.ty).clone(),
            default: assigned(function).and_then(|place| defaults.get(&place).cloned()),
        })
    };
    functions.filter_map(setter).collect()
}

/// The field that a setter assigns, for example `store.create`.
fn assigned(function: &syn::ImplItemFn) -> Option<String> {
    let Some(syn::Stmt::Expr(Expr::Assign(assign), _)) = function.block.stmts.first() else {
        return None;
    };
    let mut parts = Vec::new();
    let mut at = &*assign.left;
    while let Expr::Field(field) = at {
        if let syn::Member::Named(name) = &field.member {
            parts.insert(0, name.to_string());
        }
        at = &field.base;
    }
    Some(parts.join("."))
}

/// An enum whose values have names: those that `as_str` gives.
fn words(module: &Module, item: &syn::ItemEnum) -> Shape {
    let texts = texts(module, &item.ident.to_string());
    let items = item.variants.iter().map(|variant| {
        let known = variant.ident.to_string();
        Some(Word {
            text: texts.get(&known)?.clone(),
            docs: docs(&variant.attrs),
            variant: known,
            number: None,
        })
    });
    match items.collect::<Option<Vec<Word>>>() {
        None => Shape::Other,
        Some(items) => Shape::Words(Words {
            docs: docs(&item.attrs),
            is_plain: item
                .variants
                .iter()
                .all(|variant| variant.fields.is_empty()),
            items,
        }),
    }
}

/// The words that the arms of `as_str` give.
fn texts(module: &Module, name: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let functions = implementations(module, name).flat_map(methods);
    for function in functions.filter(|function| function.sig.ident == "as_str") {
        let Some(syn::Stmt::Expr(Expr::Match(choice), None)) = function.block.stmts.last() else {
            continue;
        };
        for arm in &choice.arms {
            let path = match &arm.pat {
                syn::Pat::Path(path) => &path.path,
                syn::Pat::Struct(path) => &path.path,
                syn::Pat::TupleStruct(path) => &path.path,
                _ => continue,
            };
            if let (Some(variant), Some(text)) = (path.segments.last(), text_of(&arm.body)) {
                found.insert(variant.ident.to_string(), text);
            }
        }
    }
    found
}

/// An entry of a macro's list: `name = literal, literal;` with documentation.
struct Entry {
    docs: String,
    name: String,
    literals: Vec<Lit>,
}

fn entries(input: ParseStream<'_>) -> syn::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    while !input.is_empty() {
        let docs = docs(&input.call(Attribute::parse_outer)?);
        let name = input.parse::<Ident>()?.to_string();
        let mut literals = Vec::new();
        while !input.is_empty() && !input.peek(Token![#]) {
            match input.peek(Lit) {
                true => literals.push(input.parse()?),
                false => drop(input.parse::<TokenTree>()?),
            }
        }
        entries.push(Entry {
            docs,
            name,
            literals,
        });
    }
    Ok(entries)
}

/// What one of the core's macros declares: `words!`, `event_kinds!` or `weights!`.
fn declared_by(item: &syn::ItemMacro) -> Outcome<Option<(String, Shape)>> {
    let tokens = item.mac.tokens.clone();
    let of = |name: &str| item.mac.path.is_ident(name);
    Ok(if of("words") {
        // A name, texts for errors, and the values with their words.
        let (docs, name, body) = Parser::parse2(named_block, tokens)?;
        let entries = Parser::parse2(entries, body)?;
        Some((name, word_list(docs, entries)))
    } else if of("event_kinds") {
        let docs = "What an event records. The number and the name are stable on disk\n\
                    and in every language.";
        let entries = Parser::parse2(entries, tokens)?;
        Some(("EventKind".to_owned(), word_list(docs.to_owned(), entries)))
    } else if of("weights") {
        let fields = Parser::parse2(entries, tokens)?;
        let weights = Struct {
            docs: String::new(),
            has_default: true,
            is_builder: false,
            fields: fields.into_iter().filter_map(weight).collect(),
        };
        Some(("RecallWeights".to_owned(), Shape::Struct(weights)))
    } else {
        None
    })
}

/// A documented name with what stands in the braces behind it.
fn named_block(input: ParseStream<'_>) -> syn::Result<(String, String, TokenStream)> {
    let docs = docs(&input.call(Attribute::parse_outer)?);
    let name: Ident = input.parse()?;
    while !input.peek(syn::token::Brace) {
        input.parse::<TokenTree>()?;
    }
    let body;
    syn::braced!(body in input);
    Ok((docs, name.to_string(), body.parse()?))
}

/// Words, each with a number in front of it where it has one.
fn word_list(docs: String, entries: Vec<Entry>) -> Shape {
    let items = entries.into_iter().filter_map(|entry| {
        let (Lit::Str(text), before) = entry.literals.split_last()? else {
            return None;
        };
        let number = before.first().and_then(|number| match number {
            Lit::Int(number) => number.base10_parse().ok(),
            _ => None,
        });
        Some(Word {
            variant: entry.name,
            text: text.value(),
            docs: entry.docs,
            number,
        })
    });
    Shape::Words(Words {
        docs,
        is_plain: true,
        items: items.collect(),
    })
}

/// A weight: its default, then the least and the most.
fn weight(entry: Entry) -> Option<StructField> {
    let [default, _, most] = entry.literals.as_slice() else {
        return None;
    };
    let (told, most) = (quote::quote!(#default), quote::quote!(#most));
    Some(StructField {
        name: entry.name,
        docs: format!("{}\n\n0 to {most}; default {told}.", entry.docs),
        ty: syn::parse_quote!(f32),
        default: Some(syn::parse_quote!(#default)),
    })
}

/// The documentation at the beginning of what the macro of the weights makes.
fn docs_in_macro(item: &Item) -> Option<String> {
    let Item::Macro(item) = item else { return None };
    item.ident.as_ref().filter(|name| *name == "weights")?;
    // `(pattern) => { body }`
    let body = item.mac.tokens.clone().into_iter().nth(3)?;
    let TokenTree::Group(body) = body else {
        return None;
    };
    let attributes = |input: ParseStream<'_>| {
        let attributes = input.call(Attribute::parse_outer)?;
        input.parse::<TokenStream>()?;
        Ok(attributes)
    };
    Some(docs(&attributes.parse2(body.stream()).ok()?))
}

/// A type that a function gives as a whole.
pub struct Given<'a> {
    pub declared: &'a Declared,
    /// Whether it gives a list of them.
    pub is_list: bool,
}

/// A method of a handle, or a function.
#[derive(Clone)]
pub struct Method {
    pub name: String,
    pub docs: String,
    pub arguments: Vec<(String, Type)>,
    pub gives: Type,
    /// The module in which it stands.
    pub module: Vec<String>,
    /// The public path of a function.
    pub path: String,
}

impl Method {
    fn of(
        signature: &syn::Signature,
        attributes: &[Attribute],
        module: &Module,
        path: &str,
    ) -> Option<Method> {
        let arguments = signature.inputs.iter().filter_map(|input| match input {
            syn::FnArg::Typed(typed) => match &*typed.pat {
                syn::Pat::Ident(name) => Some((name.ident.to_string(), (*typed.ty).clone())),
                _ => None,
            },
            syn::FnArg::Receiver(_) => None,
        });
        Some(Method {
            name: signature.ident.to_string(),
            docs: docs(attributes),
            arguments: arguments.collect(),
            gives: given_type(signature)?.clone(),
            module: module.path.clone(),
            path: path.to_owned(),
        })
    }
}

impl Source {
    /// What the public functions and the methods of the handles give: of what a program
    /// holds and calls.
    pub fn given(&self, handles: &[&str]) -> Vec<Given<'_>> {
        let is_handle = |item: &ItemImpl| {
            let name = last_part(&item.self_ty);
            item.trait_.is_none()
                && name.is_some_and(|part| handles.iter().any(|one| part.ident == one))
        };
        let mut given = Vec::new();
        for (module, item) in self.items() {
            let functions: Vec<&syn::Signature> = match item {
                Item::Fn(function) if is_public(&function.vis) => vec![&function.sig],
                Item::Impl(item) if is_handle(item) => {
                    let functions = methods(item).filter(|function| is_public(&function.vis));
                    functions.map(|function| &function.sig).collect()
                }
                _ => continue,
            };
            let is_free = matches!(item, Item::Fn(_));
            for ty in functions.into_iter().filter_map(given_type) {
                // Rules that give lists of records stay in Rust.
                if let Some((name, is_list)) = bare(ty, false)
                    && !(is_free && is_list)
                    && let Some(declared) = self.resolve(&name, &module.path)
                {
                    given.push(Given { declared, is_list });
                }
            }
        }
        given
    }

    /// The public methods of a handle, with the documentation of what gives it.
    pub fn methods_of(&self, handle: &str) -> Outcome<(String, Vec<Method>)> {
        let declared = self.public(handle)?;
        let is_it = |ty: &Type| bare(ty, false).is_some_and(|one| one.0 == handle);
        let own = self
            .items()
            .filter(|(module, _)| module.path == declared.module);
        let own = own.filter_map(|(_, item)| match item {
            Item::Impl(item) => Some(item),
            _ => None,
        });
        let mut accessors = own.flat_map(methods);
        let accessor = accessors.find(|function| given_type(&function.sig).is_some_and(is_it));
        let docs = accessor.map_or(String::new(), |function| docs(&function.attrs));
        let mut found = Vec::new();
        for (module, item) in self.items() {
            let Item::Impl(item) = item else { continue };
            let resolved = self.resolve(handle, &module.path);
            let is_its =
                is_it(&item.self_ty) && resolved.is_some_and(|one| std::ptr::eq(one, declared));
            if is_its && item.trait_.is_none() {
                let functions = methods(item).filter(|function| is_public(&function.vis));
                found.extend(
                    functions.filter_map(|function| {
                        Method::of(&function.sig, &function.attrs, module, "")
                    }),
                );
            }
        }
        Ok((docs, found))
    }

    /// The public functions of a module.
    pub fn functions_of(&self, module: &str) -> Outcome<Vec<Method>> {
        let path: Vec<String> = module.split("::").map(str::to_owned).collect();
        let module = (self.module(&path)).ok_or_else(|| format!("the core has no {module}"))?;
        let functions = module.items.iter().filter_map(|item| match item {
            Item::Fn(function) => {
                let public = self.public.get(&joined(&path, &function.sig.ident))?;
                Method::of(&function.sig, &function.attrs, module, public)
            }
            _ => None,
        });
        Ok(functions.collect())
    }

    /// A public method of a declared type that takes nothing: its documentation and what it
    /// gives.
    pub fn method(&self, declared: &Declared, name: &str) -> Outcome<(String, Type)> {
        let module = self.module(&declared.module);
        let own = module
            .into_iter()
            .flat_map(|one| implementations(one, &declared.name));
        let mut functions = own.filter(|item| item.trait_.is_none()).flat_map(methods);
        let function = functions.find(|function| {
            let signature = &function.sig;
            signature.ident == name && is_public(&function.vis) && signature.inputs.len() == 1
        });
        let found = function
            .and_then(|function| Some((docs(&function.attrs), given_type(&function.sig)?.clone())));
        found.ok_or_else(|| format!("{} has no method {name}", declared.name).into())
    }
}

/// What a function gives, if it gives anything.
fn given_type(signature: &syn::Signature) -> Option<&Type> {
    match &signature.output {
        syn::ReturnType::Type(_, ty) => Some(ty),
        syn::ReturnType::Default => None,
    }
}

/// The last part of a type's path.
pub fn last_part(ty: &Type) -> Option<&syn::PathSegment> {
    match ty {
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    }
}

/// The first type in the angle brackets of a path's part.
pub fn generic(part: &syn::PathSegment) -> Option<&Type> {
    let syn::PathArguments::AngleBracketed(given) = &part.arguments else {
        return None;
    };
    match given.args.first()? {
        syn::GenericArgument::Type(inner) => Some(inner),
        _ => None,
    }
}

/// The type within `Result`, `Option` and `Vec`, and whether it was within `Vec`.
fn bare(ty: &Type, is_list: bool) -> Option<(String, bool)> {
    let part = last_part(ty)?;
    let name = part.ident.to_string();
    match (name.as_str(), generic(part)) {
        ("Result" | "Option", Some(inner)) => bare(inner, is_list),
        ("Vec", Some(inner)) => bare(inner, true),
        _ => Some((name, is_list)),
    }
}
