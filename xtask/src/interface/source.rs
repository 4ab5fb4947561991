//! The core's sources: its modules, what names mean in them, and the public path by which
//! others name an item.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;

use syn::{Expr, Item, UseTree, Visibility};

use super::declared::{Shape, declaration, declared_by, defaults, is_open, last_part, setters};
use super::module::{Module, Name, is_for_tests, is_public, joined};
use crate::shell::{Outcome, read};

/// One declared type.
#[derive(Clone, Debug)]
pub struct Declared {
    pub name: String,
    /// The module that declares it.
    pub module: Vec<String>,
    /// The shortest path that reaches it from outside, for example
    /// `recallite::learn::tasks::Task`; `None` for a private one.
    pub public: Option<String>,
    /// Whether it can get more fields or values without breaking other crates.
    pub is_open: bool,
    pub shape: Shape,
}

/// Every declaration of the core.
pub struct Source {
    modules: Vec<Module>,
    declared: Vec<Declared>,
    constants: BTreeMap<String, Expr>,
    /// The public path of every item that has one.
    pub public: BTreeMap<Vec<String>, String>,
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
                    is_open: is_open(item, self.items().map(|(_, item)| item)),
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

    pub fn module(&self, path: &[String]) -> Option<&Module> {
        self.modules.iter().find(|module| module.path == path)
    }

    /// Every item, with the module in which it stands.
    pub fn items(&self) -> impl Iterator<Item = (&Module, &Item)> {
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

    /// The public types that the crate itself names, and not only one of its modules.
    #[cfg(test)]
    pub fn named_by_crate(&self) -> impl Iterator<Item = &Declared> {
        self.declared.iter().filter(|declared| {
            let public = declared.public.as_ref();
            public.is_some_and(|public| public.matches("::").count() == 1)
        })
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
