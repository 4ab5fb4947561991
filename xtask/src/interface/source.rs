//! The core's sources: every declaration of a struct, an enum and a builder, with
//! its documentation, its place, and the public path by which others name it.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};

use proc_macro2::TokenStream;
use serde::{Deserialize, Serialize};
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Expr, Ident, Item, ItemImpl, LitStr, Token, Type, UseTree, Visibility};

use crate::shell::{Outcome, read};

/// What one file of the core declares.
pub struct Module {
    /// For example `["learn", "tasks"]`; empty for the crate itself.
    pub path: Vec<String>,
    items: Vec<Item>,
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
    pub declared: Vec<Declared>,
    constants: BTreeMap<String, Expr>,
    /// The public path of every item that has one.
    public: BTreeMap<Vec<String>, String>,
}

impl Source {
    /// Reads the core's sources below `folder`.
    pub fn read(folder: &Path) -> Outcome<Source> {
        let mut modules = Vec::new();
        read_module(&folder.join("lib.rs"), folder, Vec::new(), &mut modules)?;
        let mut source = Source {
            modules,
            declared: Vec::new(),
            constants: BTreeMap::new(),
            public: BTreeMap::new(),
        };
        source.declare()?;
        Ok(source)
    }

    fn declare(&mut self) -> Outcome {
        let mut declared = Vec::new();
        let mut constants = BTreeMap::new();
        for module in &self.modules {
            for item in &module.items {
                if let Item::Const(constant) = item {
                    constants.insert(constant.ident.to_string(), (*constant.expr).clone());
                }
                for (name, shape) in declarations(module, item)? {
                    declared.push(Declared {
                        name,
                        module: module.path.clone(),
                        public: None,
                        shape,
                    });
                }
            }
        }
        for one in &mut declared {
            let Shape::Struct(builder) = &mut one.shape else {
                continue;
            };
            if builder.is_builder {
                // A builder's settings and their defaults may lie in several files.
                let defaults = self.builder_defaults(&one.name);
                builder.fields = self
                    .modules
                    .iter()
                    .flat_map(|module| setters(module, &one.name, &defaults))
                    .collect();
            }
        }
        let public = self.public_paths();
        for one in &mut declared {
            let mut place = one.module.clone();
            place.push(one.name.clone());
            one.public = public.get(&place).cloned();
        }
        self.declared = declared;
        self.constants = constants;
        self.public = public;
        Ok(())
    }

    /// The defaults of a builder: its own, and those of the structs that it holds.
    fn builder_defaults(&self, name: &str) -> BTreeMap<String, Expr> {
        let of = |name: &str| -> Vec<(String, Expr)> {
            let modules = self.modules.iter();
            modules.flat_map(|module| defaults(module, name)).collect()
        };
        let mut found: BTreeMap<String, Expr> = of(name).into_iter().collect();
        let items = self.modules.iter().flat_map(|module| &module.items);
        for item in items {
            let Item::Struct(item) = item else { continue };
            if item.ident != name {
                continue;
            }
            for field in &item.fields {
                let (Some(field_name), Type::Path(ty)) = (&field.ident, &field.ty) else {
                    continue;
                };
                if let Some(inner) = ty.path.segments.last() {
                    for (key, value) in of(&inner.ident.to_string()) {
                        found.entry(format!("{field_name}.{key}")).or_insert(value);
                    }
                }
            }
        }
        found
    }

    /// The shortest public path of every item that has one.
    fn public_paths(&self) -> BTreeMap<Vec<String>, String> {
        let mut found = BTreeMap::new();
        let mut waiting = VecDeque::from([(Vec::<String>::new(), "recallite".to_owned())]);
        while let Some((path, public)) = waiting.pop_front() {
            let Some(module) = self.module(&path) else {
                continue;
            };
            let mut below = Vec::new();
            for item in &module.items {
                for (name, target) in exported(module, item) {
                    let public = format!("{public}::{name}");
                    if self.module(&target).is_some() {
                        below.push((target, public));
                    } else {
                        let target = self.followed(target);
                        found.entry(target).or_insert(public);
                    }
                }
            }
            waiting.extend(below);
        }
        found
    }

    /// Where a path leads in the end, through re-exports of the modules on its way.
    fn followed(&self, target: Vec<String>) -> Vec<String> {
        let mut at = target;
        for _ in 0..8 {
            let Some((name, parent)) = at.split_last() else {
                return at;
            };
            let Some(module) = self.module(parent) else {
                return at;
            };
            let next = module.items.iter().find_map(|item| match item {
                Item::Use(used) => imports(module, &used.tree)
                    .into_iter()
                    .find(|(known, target)| known == name && *target != at)
                    .map(|(_, target)| target),
                _ => None,
            });
            match next {
                Some(next) => at = next,
                None => return at,
            }
        }
        at
    }

    fn module(&self, path: &[String]) -> Option<&Module> {
        self.modules.iter().find(|module| module.path == path)
    }

    /// The type that `name` means inside the module `from`.
    pub fn resolve(&self, name: &str, from: &[String]) -> Option<&Declared> {
        let mut place = from.to_vec();
        place.push(name.to_owned());
        let place = self.followed(place);
        let (last, module) = place.split_last()?;
        self.declared
            .iter()
            .find(|one| one.name == *last && one.module == module)
    }

    /// The value of a constant of the core, by its bare name.
    pub fn constant(&self, name: &str) -> Option<&Expr> {
        self.constants.get(name)
    }

    /// The public type with this name; `path` parts may stand in front of it where
    /// several types share the name.
    pub fn public(&self, name: &str) -> Outcome<&Declared> {
        let ending = format!("::{name}");
        let found: Vec<&Declared> = self
            .declared
            .iter()
            .filter(|one| {
                let place = format!("::{}::{}", one.module.join("::"), one.name);
                one.public.as_ref().is_some_and(|public| {
                    format!("::{public}").ends_with(&ending) || place.ends_with(&ending)
                })
            })
            .collect();
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

fn read_module(
    file: &Path,
    folder: &Path,
    path: Vec<String>,
    modules: &mut Vec<Module>,
) -> Outcome {
    let parsed =
        syn::parse_file(&read(file)?).map_err(|error| format!("{}: {error}", file.display()))?;
    read_items(parsed.items, folder, path, modules)
}

fn read_items(
    items: Vec<Item>,
    folder: &Path,
    path: Vec<String>,
    modules: &mut Vec<Module>,
) -> Outcome {
    for item in &items {
        let Item::Mod(module) = item else { continue };
        if is_for_tests(&module.attrs) {
            continue;
        }
        let mut below = path.clone();
        below.push(module.ident.to_string());
        let folder = folder.join(module.ident.to_string());
        match &module.content {
            Some((_, items)) => read_items(items.clone(), &folder, below, modules)?,
            None => {
                let files: [PathBuf; 2] = [folder.with_extension("rs"), folder.join("mod.rs")];
                let file = files
                    .iter()
                    .find(|file| file.exists())
                    .ok_or_else(|| format!("no file of the module {}", below.join("::")))?;
                read_module(file, &folder, below, modules)?;
            }
        }
    }
    modules.push(Module { path, items });
    Ok(())
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg") && quote::quote!(#attribute).to_string().contains("test")
    })
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// What an item shows to those outside the module: names and where they lead.
fn exported(module: &Module, item: &Item) -> Vec<(String, Vec<String>)> {
    let own = |name: &Ident| {
        let mut place = module.path.clone();
        place.push(name.to_string());
        vec![(name.to_string(), place)]
    };
    match item {
        Item::Mod(inner) if is_public(&inner.vis) && !is_for_tests(&inner.attrs) => {
            own(&inner.ident)
        }
        Item::Struct(inner) if is_public(&inner.vis) => own(&inner.ident),
        Item::Enum(inner) if is_public(&inner.vis) => own(&inner.ident),
        Item::Fn(inner) if is_public(&inner.vis) => own(&inner.sig.ident),
        Item::Use(used) if is_public(&used.vis) => imports(module, &used.tree),
        Item::Macro(_) => declarations(module, item)
            .unwrap_or_default()
            .into_iter()
            .flat_map(|(name, _)| own(&Ident::new(&name, proc_macro2::Span::call_site())))
            .collect(),
        _ => Vec::new(),
    }
}

/// What a `use` brings into a module.
fn imports(module: &Module, tree: &UseTree) -> Vec<(String, Vec<String>)> {
    fn walk(tree: &UseTree, at: Vec<String>, found: &mut Vec<(String, Vec<String>)>) {
        let with = |name: &Ident| {
            let mut at = at.clone();
            at.push(name.to_string());
            at
        };
        match tree {
            UseTree::Path(path) => walk(&path.tree, with(&path.ident), found),
            UseTree::Name(name) => found.push((name.ident.to_string(), with(&name.ident))),
            UseTree::Rename(name) => found.push((name.rename.to_string(), with(&name.ident))),
            UseTree::Group(group) => {
                for tree in &group.items {
                    walk(tree, at.clone(), found);
                }
            }
            UseTree::Glob(_) => {}
        }
    }
    let mut found = Vec::new();
    walk(tree, Vec::new(), &mut found);
    for (_, target) in &mut found {
        *target = absolute(module, target);
    }
    found
}

fn absolute(module: &Module, path: &[String]) -> Vec<String> {
    let mut base = module.path.clone();
    let mut rest = path;
    match path.first().map(String::as_str) {
        Some("crate") => {
            base.clear();
            rest = &path[1..];
        }
        Some("self") => rest = &path[1..],
        _ => {
            while rest.first().is_some_and(|part| part == "super") {
                base.pop();
                rest = &rest[1..];
            }
        }
    }
    base.extend(rest.iter().cloned());
    base
}

fn declarations(module: &Module, item: &Item) -> Outcome<Vec<(String, Shape)>> {
    Ok(match item {
        Item::Struct(item) if is_public(&item.vis) => {
            let name = item.ident.to_string();
            let shape = match &item.fields {
                syn::Fields::Named(_) => structure(module, item),
                _ => Shape::Other,
            };
            vec![(name, shape)]
        }
        Item::Enum(item) if is_public(&item.vis) => {
            vec![(item.ident.to_string(), words(module, item))]
        }
        Item::Macro(item) => {
            let Some(name) = item.mac.path.get_ident() else {
                return Ok(Vec::new());
            };
            let tokens = item.mac.tokens.clone();
            match name.to_string().as_str() {
                "words" => vec![parse(word_list, tokens)?],
                "event_kinds" => vec![event_kinds(tokens)?],
                "weights" => vec![weights(module, tokens)?],
                _ => Vec::new(),
            }
        }
        _ => Vec::new(),
    })
}

/// The text of an item's documentation.
pub fn docs(attributes: &[Attribute]) -> String {
    let mut lines = Vec::new();
    for attribute in attributes {
        if let syn::Meta::NameValue(pair) = &attribute.meta
            && pair.path.is_ident("doc")
            && let Expr::Lit(literal) = &pair.value
            && let syn::Lit::Str(text) = &literal.lit
        {
            let text = text.value();
            lines.push(text.strip_prefix(' ').unwrap_or(&text).to_owned());
        }
    }
    lines.join("\n").trim().to_owned()
}

fn structure(module: &Module, item: &syn::ItemStruct) -> Shape {
    let name = item.ident.to_string();
    let defaults = defaults(module, &name);
    let fields: Vec<StructField> = item
        .fields
        .iter()
        .filter(|field| is_public(&field.vis))
        .filter_map(|field| {
            let name = field.ident.as_ref()?.to_string();
            Some(StructField {
                docs: docs(&field.attrs),
                ty: field.ty.clone(),
                default: defaults.get(&name).cloned(),
                name,
            })
        })
        .collect();
    let is_builder = fields.is_empty();
    let fields = match is_builder {
        true => setters(module, &name, &defaults),
        false => fields,
    };
    let is_derived = item.attrs.iter().any(|attribute| {
        attribute.path().is_ident("derive")
            && quote::quote!(#attribute).to_string().contains("Default")
    });
    let is_written = implementations(module, &name).any(|item| {
        item.trait_
            .as_ref()
            .is_some_and(|(_, path, _)| path.is_ident("Default"))
    });
    Shape::Struct(Struct {
        docs: docs(&item.attrs),
        has_default: is_derived || is_written,
        is_builder,
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
    implementations(module, name)
        .filter(|item| item.trait_.is_none())
        .flat_map(methods)
        .filter(|function| is_public(&function.vis))
        .filter_map(|function| {
            let inputs: Vec<_> = function.sig.inputs.iter().collect();
            let [syn::FnArg::Receiver(_), syn::FnArg::Typed(value)] = inputs.as_slice() else {
                return None;
            };
            let syn::ReturnType::Type(_, gives) = &function.sig.output else {
                return None;
            };
            if !matches!(&**gives, Type::Path(path) if path.path.is_ident("Self")) {
                return None;
            }
            Some(StructField {
                name: function.sig.ident.to_string(),
                docs: docs(&function.attrs),
                ty: (*value.ty).clone(),
                default: assigned(function).and_then(|place| defaults.get(&place).cloned()),
            })
        })
        .collect()
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
    let name = item.ident.to_string();
    let texts = texts(module, &name);
    let items: Vec<Word> = item
        .variants
        .iter()
        .filter_map(|variant| {
            let known = variant.ident.to_string();
            Some(Word {
                text: texts.get(&known)?.clone(),
                docs: docs(&variant.attrs),
                variant: known,
                number: None,
            })
        })
        .collect();
    match items.len() == item.variants.len() {
        true => Shape::Words(Words {
            docs: docs(&item.attrs),
            is_plain: item
                .variants
                .iter()
                .all(|variant| variant.fields.is_empty()),
            items,
        }),
        false => Shape::Other,
    }
}

/// The words that the arms of `as_str` give.
fn texts(module: &Module, name: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for function in implementations(module, name).flat_map(methods) {
        if function.sig.ident != "as_str" {
            continue;
        }
        let Some(syn::Stmt::Expr(Expr::Match(choice), None)) = function.block.stmts.last() else {
            continue;
        };
        for arm in &choice.arms {
            let path = match &arm.pat {
                syn::Pat::Path(path) => Some(&path.path),
                syn::Pat::Struct(path) => Some(&path.path),
                syn::Pat::TupleStruct(path) => Some(&path.path),
                _ => None,
            };
            if let Some(variant) = path.and_then(|path| path.segments.last())
                && let Expr::Lit(literal) = &*arm.body
                && let syn::Lit::Str(text) = &literal.lit
            {
                found.insert(variant.ident.to_string(), text.value());
            }
        }
    }
    found
}

fn parse<T>(
    parser: impl FnOnce(ParseStream<'_>) -> syn::Result<T>,
    tokens: TokenStream,
) -> Outcome<T> {
    Ok(Parser::parse2(parser, tokens)?)
}

/// The entries of a macro's list, each with its documentation: `name = `, what `rest` reads,
/// and what separates it from the next one.
fn entries<T>(
    input: ParseStream<'_>,
    rest: impl Fn(String, String, ParseStream<'_>) -> syn::Result<T>,
) -> syn::Result<Vec<T>> {
    let mut entries = Vec::new();
    while !input.is_empty() {
        let attributes = input.call(Attribute::parse_outer)?;
        let name: Ident = input.parse()?;
        input.parse::<Token![=]>()?;
        entries.push(rest(docs(&attributes), name.to_string(), input)?);
        if !input.is_empty() {
            input.parse::<proc_macro2::TokenTree>()?;
        }
    }
    Ok(entries)
}

/// `words!`: a name, texts for errors, and the values with their words.
fn word_list(input: ParseStream<'_>) -> syn::Result<(String, Shape)> {
    let attributes = input.call(Attribute::parse_outer)?;
    let name: Ident = input.parse()?;
    while !input.peek(syn::token::Brace) {
        input.parse::<proc_macro2::TokenTree>()?;
    }
    let body;
    syn::braced!(body in input);
    let items = entries(&body, |docs, variant, input| {
        Ok(Word {
            variant,
            text: input.parse::<LitStr>()?.value(),
            docs,
            number: None,
        })
    })?;
    let words = Words {
        docs: docs(&attributes),
        is_plain: true,
        items,
    };
    Ok((name.to_string(), Shape::Words(words)))
}

/// `event_kinds!`: `Name = 1, "name";` for each.
fn event_kinds(tokens: TokenStream) -> Outcome<(String, Shape)> {
    let number_and_text = |docs: String, variant: String, input: ParseStream<'_>| {
        let number: syn::LitInt = input.parse()?;
        input.parse::<Token![,]>()?;
        Ok(Word {
            variant,
            text: input.parse::<LitStr>()?.value(),
            docs,
            number: Some(number.base10_parse()?),
        })
    };
    let items = parse(|input| entries(input, number_and_text), tokens)?;
    let docs = "What an event records. The number and the name are stable on disk\n\
                and in every language."
        .to_owned();
    Ok((
        "EventKind".to_owned(),
        Shape::Words(Words {
            docs,
            is_plain: true,
            items,
        }),
    ))
}

/// `weights!`: `name = default, 0 to most;` for each.
fn weights(module: &Module, tokens: TokenStream) -> Outcome<(String, Shape)> {
    let default_and_most = |docs: String, name: String, input: ParseStream<'_>| {
        let default: syn::LitFloat = input.parse()?;
        input.parse::<Token![,]>()?;
        input.parse::<syn::LitInt>()?;
        input.parse::<Ident>()?;
        let most: syn::LitInt = input.parse()?;
        Ok(StructField {
            name,
            docs: format!("{docs}\n\n0 to {most}; default {default}."),
            ty: syn::parse_quote!(f32),
            default: Some(syn::parse_quote!(#default)),
        })
    };
    let fields = parse(|input| entries(input, default_and_most), tokens)?;
    // The struct's own documentation stands in the macro.
    let docs = module
        .items
        .iter()
        .find_map(|item| match item {
            Item::Macro(item) if item.ident.as_ref().is_some_and(|name| name == "weights") => {
                let text = item.mac.tokens.to_string();
                Some(documented(&text))
            }
            _ => None,
        })
        .unwrap_or_default();
    Ok((
        "RecallWeights".to_owned(),
        Shape::Struct(Struct {
            docs,
            has_default: true,
            is_builder: false,
            fields,
        }),
    ))
}

/// The first run of `# [doc = "..."]` lines of a macro's text.
fn documented(text: &str) -> String {
    let mut lines = Vec::new();
    for part in text.split("# [doc = ").skip(1) {
        let Some(literal) = part.split_once(']').map(|_| part) else {
            break;
        };
        let Some(end) = literal.find("\"]").map(|end| end + 1) else {
            break;
        };
        if let Ok(line) = syn::parse_str::<LitStr>(&literal[..end]) {
            let line = line.value();
            lines.push(line.strip_prefix(' ').unwrap_or(&line).to_owned());
        }
        if literal[end + 1..].trim().len() > 1 {
            break;
        }
    }
    lines.join("\n").trim().to_owned()
}

/// A type that a function gives as a whole.
pub struct Given<'a> {
    pub declared: &'a Declared,
    /// Whether it gives a list of them.
    pub is_list: bool,
}

impl Source {
    /// What the public functions and the methods of the handles give: of what a program
    /// holds and calls.
    pub fn given(&self, handles: &[&str]) -> Vec<Given<'_>> {
        let mut given = Vec::new();
        for module in &self.modules {
            for item in &module.items {
                let functions: Vec<&syn::Signature> = match item {
                    Item::Fn(function) if is_public(&function.vis) => vec![&function.sig],
                    Item::Impl(item) if is_handle(item, handles) => methods(item)
                        .filter(|function| is_public(&function.vis))
                        .map(|function| &function.sig)
                        .collect(),
                    _ => continue,
                };
                let is_free = matches!(item, Item::Fn(_));
                for signature in functions {
                    let syn::ReturnType::Type(_, ty) = &signature.output else {
                        continue;
                    };
                    // Rules that give lists of records stay in Rust.
                    if let Some((name, is_list)) = bare(ty, false)
                        && !(is_free && is_list)
                        && let Some(declared) = self.resolve(&name, &module.path)
                    {
                        given.push(Given { declared, is_list });
                    }
                }
            }
        }
        given
    }
}

fn is_handle(item: &ItemImpl, handles: &[&str]) -> bool {
    let Type::Path(path) = &*item.self_ty else {
        return false;
    };
    let last = path.path.segments.last();
    item.trait_.is_none() && last.is_some_and(|part| handles.iter().any(|one| part.ident == one))
}

/// A method of a handle, or a function.
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
        module: &[String],
        path: &str,
    ) -> Option<Method> {
        let arguments = signature.inputs.iter().filter_map(|input| match input {
            syn::FnArg::Typed(typed) => match &*typed.pat {
                syn::Pat::Ident(name) => Some((name.ident.to_string(), (*typed.ty).clone())),
                _ => None,
            },
            syn::FnArg::Receiver(_) => None,
        });
        let syn::ReturnType::Type(_, gives) = &signature.output else {
            return None;
        };
        Some(Method {
            name: signature.ident.to_string(),
            docs: docs(attributes),
            arguments: arguments.collect(),
            gives: (**gives).clone(),
            module: module.to_vec(),
            path: path.to_owned(),
        })
    }
}

impl Source {
    /// The public methods of a handle, with the documentation of its type.
    pub fn methods_of(&self, handle: &str) -> Outcome<(String, Vec<Method>)> {
        let declared = self.public(handle)?;
        let module = self
            .module(&declared.module)
            .ok_or_else(|| format!("{handle} lies in no module"))?;
        let accessor = module.items.iter().find_map(|item| match item {
            Item::Impl(item) => methods(item).find(|function| match &function.sig.output {
                syn::ReturnType::Type(_, ty) => bare(ty, false).is_some_and(|one| one.0 == handle),
                syn::ReturnType::Default => false,
            }),
            _ => None,
        });
        let docs_of_all = accessor.map_or(String::new(), |function| docs(&function.attrs));
        let mut found = Vec::new();
        let items = self.modules.iter().flat_map(|module| {
            let path = &module.path;
            module.items.iter().map(move |item| (path, item))
        });
        for (path, item) in items {
            let Item::Impl(item) = item else { continue };
            let is_its = bare(&item.self_ty, false).is_some_and(|one| one.0 == handle)
                && self
                    .resolve(handle, path)
                    .is_some_and(|found| std::ptr::eq(found, declared));
            if !is_its || item.trait_.is_some() {
                continue;
            }
            for function in methods(item).filter(|function| is_public(&function.vis)) {
                found.extend(Method::of(&function.sig, &function.attrs, path, ""));
            }
        }
        Ok((docs_of_all, found))
    }

    /// The public functions of a module.
    pub fn functions_of(&self, module: &str) -> Outcome<Vec<Method>> {
        let path: Vec<String> = module.split("::").map(str::to_owned).collect();
        let module = (self.module(&path)).ok_or_else(|| format!("the core has no {module}"))?;
        let functions = module.items.iter().filter_map(|item| match item {
            Item::Fn(function) => {
                let place = [&path[..], &[function.sig.ident.to_string()]].concat();
                let public = self.public.get(&place)?;
                Method::of(&function.sig, &function.attrs, &path, public)
            }
            _ => None,
        });
        Ok(functions.collect())
    }
}

/// The type within `Result`, `Option` and `Vec`, and whether it was within `Vec`.
fn bare(ty: &Type, is_list: bool) -> Option<(String, bool)> {
    let Type::Path(path) = ty else { return None };
    let part = path.path.segments.last()?;
    let name = part.ident.to_string();
    let inner = match &part.arguments {
        syn::PathArguments::AngleBracketed(arguments) => match arguments.args.first() {
            Some(syn::GenericArgument::Type(ty)) => Some(ty),
            _ => None,
        },
        _ => None,
    };
    match (name.as_str(), inner) {
        ("Result" | "Option", Some(inner)) => bare(inner, is_list),
        ("Vec", Some(inner)) => bare(inner, true),
        _ => Some((name, is_list)),
    }
}

/// What a method without arguments gives.
pub struct Gives {
    pub docs: String,
    pub ty: Type,
}

impl Source {
    /// A public method of a declared type that takes nothing.
    pub fn method(&self, declared: &Declared, name: &str) -> Outcome<Gives> {
        let module = self
            .module(&declared.module)
            .ok_or_else(|| format!("{} lies in no module", declared.name))?;
        implementations(module, &declared.name)
            .filter(|item| item.trait_.is_none())
            .flat_map(methods)
            .find(|function| {
                function.sig.ident == name
                    && is_public(&function.vis)
                    && function.sig.inputs.len() == 1
            })
            .and_then(|function| match &function.sig.output {
                syn::ReturnType::Type(_, ty) => Some(Gives {
                    docs: docs(&function.attrs),
                    ty: (**ty).clone(),
                }),
                syn::ReturnType::Default => None,
            })
            .ok_or_else(|| format!("{} has no method {name}", declared.name).into())
    }
}
