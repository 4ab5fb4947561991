//! A module of the core: what its file declares, and the names in it.

use syn::{Attribute, Item, Visibility};

/// What one file of the core declares.
pub struct Module {
    /// For example `["learn", "tasks"]`; empty for the crate itself.
    pub path: Vec<String>,
    pub items: Vec<Item>,
    pub names: Vec<Name>,
}

/// A name inside a module.
pub struct Name {
    pub name: String,
    /// The path of what it means.
    pub target: Vec<String>,
    pub is_public: bool,
}

/// The path of a name inside a module.
pub fn joined(path: &[String], name: &(impl ToString + ?Sized)) -> Vec<String> {
    [path, &[name.to_string()]].concat()
}

pub fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg") && quote::quote!(#attribute).to_string().contains("test")
    })
}

pub fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}
