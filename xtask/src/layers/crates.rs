//! Reads the imports between the files of a crate.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Attribute, Item, ItemUse, Visibility};

use super::circles::{Arrow, Parts};
use crate::shell::{Outcome, read, sources};

/// The production code of a crate.
#[derive(Default)]
pub struct Crate {
    /// The modules that are files.
    pub files: BTreeSet<Parts>,
    /// What a module re-exports under a name, and from where.
    reexports: BTreeMap<(Parts, String), Parts>,
    /// The modules of which a module re-exports everything.
    globs: BTreeMap<Parts, Vec<Parts>>,
    /// The items that a module declares.
    items: BTreeSet<Parts>,
    /// Every path in a file's code, with the module in which it is written.
    pub paths: Vec<(Parts, Parts)>,
}

impl Crate {
    pub fn read(folder: &Path) -> Outcome<Crate> {
        let mut files = Vec::new();
        for file in sources(folder, "rs")? {
            let name = file
                .strip_prefix(folder)?
                .to_string_lossy()
                .replace('\\', "/");
            files.push((name, read(&file)?));
        }
        Crate::parse(&files)
    }

    /// Parses files that are named by their path below `src`.
    pub fn parse(files: &[(String, String)]) -> Outcome<Crate> {
        let mut read = Crate::default();
        let mut parsed = Vec::new();
        let mut for_tests = BTreeSet::new();
        for (name, text) in files {
            let items = syn::parse_file(text)
                .map_err(|error| format!("{name}: {error}"))?
                .items;
            let module = module_of(name);
            modules_for_tests(&module, &items, &mut for_tests);
            parsed.push((module, items));
        }
        parsed.retain(|(module, _)| {
            (1..=module.len()).all(|depth| !for_tests.contains(&module[..depth]))
        });
        read.files
            .extend(parsed.iter().map(|(module, _)| module.clone()));
        for (module, items) in &parsed {
            read.read_items(module, items);
        }
        Ok(read)
    }

    fn read_items(&mut self, module: &Parts, items: &[Item]) {
        for item in items {
            match item {
                Item::Mod(inner) if is_for_tests(&inner.attrs) => {}
                Item::Mod(inner) => {
                    let below = [module.as_slice(), &[inner.ident.to_string()]].concat();
                    if let Some((_, items)) = &inner.content {
                        self.read_items(&below, items);
                    }
                }
                Item::Use(import) if !matches!(import.vis, Visibility::Inherited) => {
                    self.read_reexport(module, import);
                }
                item => {
                    let names = name_of(item).map(ToString::to_string);
                    self.items
                        .extend(names.map(|name| [module.as_slice(), &[name]].concat()));
                    self.read_paths(module, item.to_token_stream());
                }
            }
        }
    }

    /// A re-export of what is below a module is no import: the module only shows it.
    fn read_reexport(&mut self, module: &Parts, import: &ItemUse) {
        let mut written = Vec::new();
        paths(import.tree.to_token_stream(), &mut written);
        for path in written {
            let name = path.last().cloned().unwrap_or_default();
            let target = absolute(module, &path);
            match target.starts_with(module) {
                true if name == "*" => {
                    let all = target[..target.len() - 1].to_vec();
                    self.globs.entry(module.clone()).or_default().push(all);
                }
                true => drop(self.reexports.insert((module.clone(), name), target)),
                false => self.paths.push((module.clone(), path)),
            }
        }
    }

    fn read_paths(&mut self, module: &Parts, tokens: TokenStream) {
        let mut written = Vec::new();
        paths(tokens, &mut written);
        let of_module = written.into_iter().map(|path| (module.clone(), path));
        self.paths.extend(of_module);
    }

    /// The imports between files.
    pub fn arrows(&self) -> BTreeSet<Arrow> {
        let mut arrows = BTreeSet::new();
        for (module, path) in &self.paths {
            let Some(target) = self.target(module, path) else {
                continue;
            };
            let (from, to) = (self.file_of(module), self.file_of(&target));
            if from != to {
                arrows.insert(Arrow {
                    from,
                    to,
                    written: path.join("::"),
                });
            }
        }
        arrows
    }

    /// The item of this crate that a path names, where it is declared.
    fn target(&self, module: &Parts, path: &Parts) -> Option<Parts> {
        let first = path.first()?;
        let is_of_crate = matches!(first.as_str(), "crate" | "super" | "self")
            || self
                .files
                .contains(&[module.as_slice(), std::slice::from_ref(first)].concat());
        if !is_of_crate {
            return None;
        }
        let mut target = absolute(module, path);
        // Each re-export leads to what is below its module, so this ends.
        while let Some(next) = self.reexported(&target) {
            target = next;
        }
        Some(target)
    }

    /// Where a path leads if one of its modules re-exports the next part.
    fn reexported(&self, path: &Parts) -> Option<Parts> {
        (0..path.len()).find_map(|at| {
            let (module, name) = (path[..at].to_vec(), path[at].clone());
            let rest = &path[at + 1..];
            let mut globs = self.globs.get(&module).into_iter().flatten();
            let of_glob = || {
                globs.find_map(|all| {
                    let item = [all.as_slice(), std::slice::from_ref(&name)].concat();
                    self.items.contains(&item).then_some(item)
                })
            };
            let key = (module, name.clone());
            let target = self.reexports.get(&key).cloned().or_else(of_glob)?;
            (!path.starts_with(&target)).then(|| [target.as_slice(), rest].concat())
        })
    }

    /// The file that holds a module or an item.
    fn file_of(&self, path: &Parts) -> Parts {
        let mut lengths = (0..=path.len()).rev();
        let found = lengths.find(|length| self.files.contains(&path[..*length]));
        path[..found.unwrap_or(0)].to_vec()
    }
}

/// The name of an item that others can import.
fn name_of(item: &Item) -> Option<&syn::Ident> {
    Some(match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    })
}

/// The module of a file: `store/index_tables/rows.rs` and `store/rows/mod.rs` are `store::rows`.
fn module_of(file: &str) -> Parts {
    let name = file.strip_suffix(".rs").unwrap_or(file);
    let mut parts: Parts = name.split('/').map(str::to_owned).collect();
    if parts
        .last()
        .is_some_and(|last| last == "mod" || last == "lib")
    {
        parts.pop();
    }
    parts
}

fn modules_for_tests(module: &Parts, items: &[Item], found: &mut BTreeSet<Parts>) {
    for item in items {
        if let Item::Mod(inner) = item
            && is_for_tests(&inner.attrs)
        {
            found.insert([module.as_slice(), &[inner.ident.to_string()]].concat());
        }
    }
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    let mut attributes = attributes.iter();
    attributes.any(|attribute| is_test_condition(&quote!(#attribute).to_string()))
}

/// Whether an attribute, as text, keeps its item out of the library.
fn is_test_condition(attribute: &str) -> bool {
    attribute.contains("cfg") && attribute.contains("test") && !attribute.contains("not")
}

/// A path from the crate's root on.
fn absolute(module: &Parts, path: &[String]) -> Parts {
    let supers = path.iter().take_while(|part| *part == "super").count();
    match path.first().map(String::as_str) {
        Some("crate") => path[1..].to_vec(),
        Some("self") => [module, &path[1..]].concat(),
        _ => [
            &module[..module.len().saturating_sub(supers)],
            &path[supers..],
        ]
        .concat(),
    }
}

/// Every path of two parts or more in some code, of imports and of expressions alike, without
/// what is compiled for tests only.
fn paths(tokens: TokenStream, found: &mut Vec<Parts>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while at < tokens.len() {
        at = match &tokens[at] {
            TokenTree::Punct(sign) if sign.as_char() == '#' => behind_attribute(&tokens, at),
            TokenTree::Group(group) => {
                paths(group.stream(), found);
                at + 1
            }
            // `pub(in crate::store)` imports nothing.
            TokenTree::Ident(word) if *word == "pub" => match tokens.get(at + 1) {
                Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis => {
                    at + 2
                }
                _ => at + 1,
            },
            TokenTree::Ident(_) if !is_separator(&tokens, at.wrapping_sub(2)) => {
                path_at(&tokens, at, &[], found)
            }
            _ => at + 1,
        };
    }
}

/// The position behind an attribute, and behind its item if that is for tests.
fn behind_attribute(tokens: &[TokenTree], at: usize) -> usize {
    let condition = tokens.get(at + 1).map(ToString::to_string);
    if !condition.is_some_and(|text| is_test_condition(&text)) {
        return at + 1;
    }
    let mut is_function = false;
    for (end, token) in tokens.iter().enumerate().skip(at + 2) {
        match token {
            TokenTree::Ident(word) if *word == "fn" => is_function = true,
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => return end + 1,
            TokenTree::Punct(sign) if sign.as_char() == ';' => return end + 1,
            // The end of a field or of an argument.
            TokenTree::Punct(sign) if sign.as_char() == ',' && !is_function => return end + 1,
            _ => {}
        }
    }
    tokens.len()
}

/// Whether `::` stands at a position.
fn is_separator(tokens: &[TokenTree], at: usize) -> bool {
    let is_colon = |token: Option<&TokenTree>| matches!(token, Some(TokenTree::Punct(sign)) if sign.as_char() == ':');
    is_colon(tokens.get(at)) && is_colon(tokens.get(at.wrapping_add(1)))
}

/// Reads the path that begins at a position, behind the parts that stand before its group, and
/// returns the position behind it.
fn path_at(tokens: &[TokenTree], start: usize, before: &[String], found: &mut Vec<Parts>) -> usize {
    let mut path = before.to_vec();
    let mut at = start;
    while let Some(TokenTree::Ident(part)) = tokens.get(at) {
        path.push(part.to_string());
        at += 1;
        if !is_separator(tokens, at) {
            break;
        }
        at += 2;
    }
    match tokens.get(at) {
        Some(TokenTree::Punct(sign))
            if sign.as_char() == '*' && at >= start + 3 && is_separator(tokens, at - 2) =>
        {
            path.push("*".to_owned());
            found.push(path);
            at += 1;
        }
        Some(TokenTree::Group(group)) if at >= start + 3 && is_separator(tokens, at - 2) => {
            group_at(group.stream(), &path, found);
            at += 1;
        }
        _ if path.last().is_some_and(|last| last == "self") && path.len() > 1 => {
            path.pop();
            found.push(path);
        }
        _ if path.len() > 1 => found.push(path),
        _ => {}
    }
    at
}

/// Reads the paths in the braces of an import.
fn group_at(group: TokenStream, before: &[String], found: &mut Vec<Parts>) {
    let tokens: Vec<TokenTree> = group.into_iter().collect();
    let mut at = 0;
    while at < tokens.len() {
        at = path_at(&tokens, at, before, found);
        // The name behind `as` is no path.
        while at < tokens.len() && tokens[at].to_string() != "," {
            at += 1;
        }
        at += 1;
    }
}
