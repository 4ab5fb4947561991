//! Declarations of the core: structs and builders with their defaults, and enums of words, by
//! themselves or by one of the core's macros.

use std::collections::BTreeMap;

use proc_macro2::{TokenStream, TokenTree};
use serde::{Deserialize, Serialize};
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Expr, Ident, Item, ItemImpl, Lit, Token, Type};

use super::module::{Module, is_public};
use crate::shell::Outcome;

/// A struct or a builder: its fields in their order.
#[derive(Clone, Debug)]
pub struct Struct {
    pub docs: String,
    /// Whether it can be made without saying anything.
    pub has_default: bool,
    /// Whether its fields are methods that set and give it back.
    pub is_builder: bool,
    /// What its `new` takes.
    pub new_takes: Vec<String>,
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
    /// An enum whose values are no words, by its documentation.
    Values(String),
    /// Anything else: identities, types of closures.
    Other,
}

/// The type that an item declares.
pub fn declaration(module: &Module, item: &Item) -> Outcome<Option<(String, Shape)>> {
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
        new_takes: new_takes(module, &name),
        fields,
    })
}

/// Whether what an item declares can get more fields or values: other crates cannot make it of
/// all of its fields, and must expect other values. `macros` are the items that may define the
/// macro that declares it.
pub fn is_open<'i>(item: &Item, mut macros: impl Iterator<Item = &'i Item>) -> bool {
    let has_attribute = |attributes: &[Attribute]| {
        let mut attributes = attributes.iter();
        attributes.any(|attribute| attribute.path().is_ident("non_exhaustive"))
    };
    match item {
        Item::Struct(item) => {
            let mut fields = item.fields.iter();
            has_attribute(&item.attrs) || fields.any(|field| !is_public(&field.vis))
        }
        Item::Enum(item) => has_attribute(&item.attrs),
        Item::Macro(call) => macros.any(|one| match one {
            Item::Macro(one) => {
                one.ident.is_some()
                    && one.ident.as_ref() == call.mac.path.get_ident()
                    && one.mac.tokens.to_string().contains("non_exhaustive")
            }
            _ => false,
        }),
        _ => true,
    }
}

/// The names of what the function `new` of a type takes.
fn new_takes(module: &Module, name: &str) -> Vec<String> {
    let own = implementations(module, name).filter(|item| item.trait_.is_none());
    let mut functions = own.flat_map(methods);
    let function = functions.find(|one| one.sig.ident == "new" && is_public(&one.vis));
    let inputs = function.into_iter().flat_map(|one| &one.sig.inputs);
    let names = inputs.filter_map(|input| match input {
        syn::FnArg::Typed(input) => match &*input.pat {
            syn::Pat::Ident(name) => Some(name.ident.to_string()),
            _ => None,
        },
        syn::FnArg::Receiver(_) => None,
    });
    names.collect()
}

pub fn implementations<'m>(
    module: &'m Module,
    name: &'m str,
) -> impl Iterator<Item = &'m ItemImpl> {
    module.items.iter().filter_map(move |item| match item {
        Item::Impl(item) => match &*item.self_ty {
            Type::Path(path) if path.path.is_ident(name) => Some(item),
            _ => None,
        },
        _ => None,
    })
}

pub fn methods(item: &ItemImpl) -> impl Iterator<Item = &syn::ImplItemFn> {
    item.items.iter().filter_map(|item| match item {
        syn::ImplItem::Fn(function) => Some(function),
        _ => None,
    })
}

/// The fields of the struct that `default` gives, or else `new`: dotted where a
/// struct stands within another.
pub fn defaults(module: &Module, name: &str) -> BTreeMap<String, Expr> {
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
pub fn setters(module: &Module, name: &str, defaults: &BTreeMap<String, Expr>) -> Vec<StructField> {
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
        None => Shape::Values(docs(&item.attrs)),
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
pub fn declared_by(item: &syn::ItemMacro) -> Outcome<Option<(String, Shape)>> {
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
            new_takes: Vec::new(),
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

/// What a function gives, if it gives anything.
pub fn given_type(signature: &syn::Signature) -> Option<&Type> {
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
