//! `xtask/interface.toml`: what the core's declarations cannot say.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::shell::{Outcome, read, root};

/// The whole table. Every list is in the order in which types are written.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Table {
    pub area: Vec<AreaTable>,
    /// The groups of methods that hang on a memory.
    pub handle: Vec<HandleTable>,
    /// Functions that need no memory.
    pub rules: Vec<HandleTable>,
    /// Public functions of `rules`, `text`, `privacy` and `scope` that stay in Rust.
    pub rust_only: Vec<RustOnly>,
    /// What arguments mean that may be left out, by their names or by those of their
    /// methods as well (`popular.limit`): a method's documentation tells the others.
    pub arguments: BTreeMap<String, String>,
    /// More about single records and options, by name.
    pub of: BTreeMap<String, About>,
}

/// Functions that no other language has, and why.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RustOnly {
    pub why: String,
    /// With their modules: `text::keys::normalize`.
    pub functions: Vec<String>,
}

/// Languages: all of them unless the table lists some.
#[derive(Clone, Deserialize, Serialize)]
pub struct Languages(Vec<String>);

impl Default for Languages {
    fn default() -> Languages {
        Languages(["c", "node", "python"].map(str::to_owned).to_vec())
    }
}

impl Languages {
    pub fn have(&self, language: &str) -> bool {
        self.0.iter().any(|one| one == language)
    }
}

/// The types of one concern: a module of its own where a language has modules.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AreaTable {
    pub name: String,
    pub docs: String,
    /// The languages whose mirrors of it are generated; in the others they are still
    /// written by hand.
    pub languages: Languages,
    /// Enums whose values have names.
    pub words: Vec<String>,
    /// What calls give.
    pub records: Vec<String>,
    /// What calls take.
    pub options: Vec<String>,
}

/// A group of methods.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HandleTable {
    /// The core's type, for example `Tasks`.
    pub name: String,
    /// Of rules, the core's modules (`text::keys`).
    pub modules: Vec<String>,
    /// The languages in which its methods are generated.
    pub languages: Languages,
    /// The methods that are generated, where most are written by hand.
    pub only: Vec<String>,
    /// Methods that are written by hand: everywhere, or in one language, for example
    /// `node.counts`.
    pub by_hand: Vec<String>,
    /// Methods that change something: whoever calls them may do without what they give.
    pub changes: Vec<String>,
    /// Further methods that change what is stored and give something.
    pub writes: Vec<String>,
    /// How methods are called, in Node.
    pub node_examples: BTreeMap<String, String>,
    /// Methods whose lists of events may be long: they reach JavaScript in parts, between which
    /// the event loop runs.
    pub node_in_parts: Vec<String>,
    /// What reads an argument in Node, where its type does not say it: a function of `check.ts`
    /// and its type (`extraction: string | Extraction`), by method and argument.
    pub node_reads: BTreeMap<String, BTreeMap<String, String>>,
    /// Methods that may ask an embedder, and when they do, as Node's addon says it of their
    /// arguments.
    pub node_embeds: BTreeMap<String, String>,
    /// The defaults of arguments that Python shows, by method: those of options that the
    /// core decides, and of arguments that must be given elsewhere.
    pub python_defaults: BTreeMap<String, BTreeMap<String, String>>,
    /// What other languages call a method, where it is not the core's name.
    pub named: BTreeMap<String, String>,
    /// What reads an argument in Python, where a result may name what is meant: a function
    /// of `references.rs` and its type for the stubs (`any_id: _AnyRef`), by method and
    /// argument.
    pub python_reads: BTreeMap<String, BTreeMap<String, String>>,
    /// Methods whose arguments are read by hand in Python: what they look like is derived.
    pub python_work: BTreeMap<String, PythonWork>,
    /// The defaults of a rule's arguments, as Python spells them; in C every argument is
    /// given.
    pub defaults: BTreeMap<String, BTreeMap<String, String>>,
    /// Arguments of rules that must be said, though they may be nothing.
    pub said: BTreeMap<String, Vec<String>>,
    /// Rules that take a while: they have two forms in Node, on a worker and at once.
    pub worker: Vec<String>,
    /// Rules that give a JSON object, and their arguments that are one (`rule.argument`).
    pub objects: Vec<String>,
}

/// What does the work of a method in Python, and the parameters that are no fields of the
/// options that the core's method takes.
#[derive(Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct PythonWork {
    /// A function that is given the handle and the parameters; the keywords together.
    pub call: String,
    /// In front of the keywords, as stubs have them: `events: _EventRefs | None = None`.
    pub first: Vec<String>,
    /// A keyword more.
    pub keyword: Option<String>,
    /// What is said of it, after its name.
    pub keyword_docs: Option<String>,
    /// A field that is none.
    pub without: Option<String>,
}

impl HandleTable {
    /// Whether a method is written by hand in every language.
    pub fn is_by_hand(&self, method: &str) -> bool {
        let has = |list: &[String]| list.iter().any(|one| one == method);
        has(&self.by_hand) || !self.only.is_empty() && !has(&self.only)
    }
}

/// What is special about one record or one set of options.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct About {
    /// Fields that stay in Rust: their parts are told by methods, or they are
    /// functions of the host.
    pub hide: Vec<String>,
    /// Methods without arguments that are fields in the other languages, by the field
    /// after which they stand; nothing in front of the first.
    pub methods: BTreeMap<String, Vec<String>>,
    /// Fields whose own fields take their place.
    pub flatten: Vec<String>,
    /// Fields that take only kinds of a conversation.
    pub conversation: Vec<String>,
    /// Texts that may name functions and options, which each language spells in its own way.
    pub advice: Vec<String>,
    /// Fields with JSON that is always an object.
    pub objects: Vec<String>,
    /// Fields that count bytes of UTF-8, and code points or UTF-16 units beside them
    /// where text is counted so.
    pub offsets: Vec<String>,
    /// The field with the event in whose content the offsets count.
    pub within: Option<String>,
    /// Conversions that need more than the record, and are written by hand: giving or
    /// taking in a language, for example `python.take`.
    pub by_hand: Vec<String>,
    /// Texts that are words of an enum with more to its values, by the enum's name.
    pub words: BTreeMap<String, String>,
    /// Other names of fields in C.
    pub c_renamed: BTreeMap<String, String>,
    /// What calls take in C and C++, where what they give has the record's name.
    pub c_taken: Option<String>,
    /// Texts that may be absent in C: they are empty then.
    pub c_optional: Vec<String>,
    /// Fields where zero is a value of its own: another one says in C whether they are given.
    pub c_flagged: Vec<String>,
    /// Fields that must be given, though the core has a default of them.
    pub required: Vec<String>,
    /// Fields that may be left out, though the core has no default of them.
    pub optional: Vec<String>,
    /// Whether a call must be given it, though each of its fields may be left out.
    pub needed: bool,
    /// Lists that a method of their name sets: it refuses one that is there and empty.
    pub by_setter: Vec<String>,
    /// Whether a function fills the struct in C, because zero is a value of its own in
    /// every field.
    pub c_filled: bool,
    /// Whether errors name its fields alone in C: a call takes it, and no other struct
    /// holds it.
    pub bare: bool,
    /// Fields that only C has: arrays of structs, callbacks.
    pub c_fields: Vec<CField>,
    /// Members that stand first in C++, where they may be said by their places.
    pub cpp_first: Vec<String>,
    /// Members that only C++ has: functions of the program.
    pub cpp_fields: Vec<CppField>,
    /// The class with the methods that Python adds.
    pub python_base: Option<String>,
    /// Arguments of Python for two fields each, the type of a node and its id: a result that
    /// names the node, or a pair.
    pub nodes: BTreeMap<String, [String; 2]>,
    /// The field with the name of the one that is there of the others.
    pub one_of: Option<String>,
    /// Whether no call takes the words: they are given alone.
    pub untaken: bool,
    /// The exceptions of Python that those of the words are as well.
    pub python_bases: BTreeMap<String, String>,
    /// What reads it in Python, where a result may name what is meant: a function of
    /// `references.rs` and its type for the stubs (`node: _Node`).
    pub python_reads: Option<String>,
    /// What a result names, and the field with its name (`event:id`); where a field says what
    /// it is, that one with a dot (`.kind:id`). In Python it may be given in its place.
    pub names: Option<String>,
    /// Whether its fields are keyword arguments of methods that are written by hand, or
    /// that replace what was given otherwise (Python).
    pub keywords: bool,
    /// The fields that may be given by their places; others that must be given are keywords
    /// then (Python).
    pub python_first: Vec<String>,
    /// Its first field, for which a text may stand where a call asks for the record, whose
    /// other fields are keywords then (Python).
    pub python_text: Option<String>,
    /// The class that stands for it as well, because it has all of its fields (Python).
    pub python_like: Option<String>,
    /// Indices that models make up: a number that is none becomes -1, which names nothing
    /// (Node).
    pub made_up: Vec<String>,
    /// Lists for which one text may stand alone (Python).
    pub single: Vec<String>,
    /// What calls take in Node, where what is written by hand has the record's name.
    pub node_taken: Option<String>,
    /// The name in every language but Rust.
    pub name: Option<String>,
    /// Other names of fields, in every language but Rust.
    pub renamed: BTreeMap<String, String>,
}

/// A field that only C has, read by hand.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CField {
    pub name: String,
    pub r#type: String,
    pub docs: String,
}

/// A member that only C++ has, read by hand.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CppField {
    pub name: String,
    pub r#type: String,
}

impl Table {
    /// The functions of the groups of rules, of those that are public.
    pub fn rule_names(&self, public: &[String]) -> Vec<String> {
        let of = |rules: &HandleTable| -> Vec<String> {
            let is_of = |function: &&String| {
                let (module, name) = function.rsplit_once("::").unwrap_or(("", function));
                rules.modules.iter().any(|one| one == module) && !rules.is_by_hand(name)
            };
            public.iter().filter(is_of).cloned().collect()
        };
        self.rules.iter().flat_map(of).collect()
    }

    pub fn read() -> Outcome<Table> {
        let text = read(&root().join("xtask/interface.toml"))?;
        toml::from_str(&text).map_err(|error| format!("xtask/interface.toml: {error}").into())
    }
}
