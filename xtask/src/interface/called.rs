//! What programs call of the core: the methods of handles, and functions.

use syn::{Attribute, Item, ItemImpl, Type};

use super::declared::{docs, generic, given_type, implementations, last_part, methods};
use super::module::{Module, is_public, joined};
use super::source::{Declared, Source};
use crate::shell::Outcome;

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
    /// holds and calls. `rules` are the modules whose functions other languages have.
    pub fn given(&self, handles: &[&str], rules: &[&str]) -> Vec<Given<'_>> {
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
            let is_rule = rules.contains(&&*module.path.join("::"));
            let stays_in_rust = matches!(item, Item::Fn(_)) && !is_rule;
            for ty in functions.into_iter().filter_map(given_type) {
                if let Some((name, is_list)) = bare(ty, false)
                    && !(stays_in_rust && is_list)
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

    /// The public functions of these modules and of those within them, with their modules:
    /// `text::keys::canonical_key`.
    pub fn functions_below(&self, modules: &[&str]) -> Vec<String> {
        let mut found = Vec::new();
        for (module, item) in self.items() {
            let Item::Fn(function) = item else { continue };
            let path = joined(&module.path, &function.sig.ident);
            let is_below = path
                .first()
                .is_some_and(|first| modules.contains(&first.as_str()));
            if is_below && self.public.contains_key(&path) {
                found.push(path.join("::"));
            }
        }
        found
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
