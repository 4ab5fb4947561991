//! `xtask/interface.toml`: what the core's declarations cannot say.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::shell::{Outcome, read, root};

/// The whole table. Every list is in the order in which types are written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    pub area: Vec<AreaTable>,
    /// The groups of methods that hang on a memory.
    #[serde(default)]
    pub handle: Vec<HandleTable>,
    /// More about single records and options, by name.
    #[serde(default)]
    pub of: BTreeMap<String, About>,
}

/// The types of one concern: a module of its own where a language has modules.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AreaTable {
    pub name: String,
    pub docs: String,
    /// The languages whose mirrors of it are generated; in the others they are still
    /// written by hand.
    pub languages: Vec<String>,
    /// Enums whose values have names.
    #[serde(default)]
    pub words: Vec<String>,
    /// What calls give.
    #[serde(default)]
    pub records: Vec<String>,
    /// What calls take.
    #[serde(default)]
    pub options: Vec<String>,
}

/// A group of methods.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HandleTable {
    /// The core's type, for example `Tasks`.
    pub name: String,
    /// Methods whose function in C and C++ is written by hand.
    #[serde(default)]
    pub by_hand: Vec<String>,
    /// Methods that change something: whoever calls them may do without what they give.
    #[serde(default)]
    pub changes: Vec<String>,
}

/// What is special about one record or one set of options.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct About {
    /// Fields that stay in Rust: their parts are told by methods, or they are
    /// functions of the host.
    pub hide: Vec<String>,
    /// Methods without arguments that are fields in the other languages, by the field
    /// after which they stand.
    pub methods: BTreeMap<String, Vec<String>>,
    /// Fields whose own fields take their place.
    pub flatten: Vec<String>,
    /// Fields with JSON that is always an object.
    pub objects: Vec<String>,
    /// Fields that count bytes of UTF-8, and code points or UTF-16 units beside them
    /// where text is counted so.
    pub offsets: Vec<String>,
    /// The field with the event in whose content the offsets count.
    pub within: Option<String>,
    /// Conversions that need more than the record, and are written by hand: giving or
    /// taking in a language, for example `python.give`.
    pub by_hand: Vec<String>,
    /// Fields that compare and hash as if they were not there (Python).
    pub uncompared: Vec<String>,
    /// Lists of pairs: what C calls a pair, its first and its second part.
    pub pairs: BTreeMap<String, [String; 3]>,
    /// Other names of fields in C.
    pub c_renamed: BTreeMap<String, String>,
    /// Whether a function fills the struct in C, because zero is a value of its own in
    /// every field.
    pub c_filled: bool,
    /// Whether errors name its fields alone in C: a call takes it, and no other struct
    /// holds it.
    pub bare: bool,
    /// The first field that the first version of the struct in C did not have.
    pub c_since: Option<String>,
    /// Fields that only C has: arrays of structs, callbacks.
    pub c_fields: Vec<CField>,
    /// The class with the methods that Python adds.
    pub python_base: Option<String>,
    /// The name in every language but Rust.
    pub name: Option<String>,
    /// Other names of fields, in every language but Rust.
    pub renamed: BTreeMap<String, String>,
}

/// A field that only C has, read by hand.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CField {
    pub name: String,
    pub r#type: String,
    pub docs: String,
}

impl Table {
    pub fn read() -> Outcome<Table> {
        let text = read(&root().join("xtask/interface.toml"))?;
        toml::from_str(&text).map_err(|error| format!("xtask/interface.toml: {error}").into())
    }
}
