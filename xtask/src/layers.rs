//! Checks what the core's files import: a folder imports only folders below it in the picture of
//! `ARCHITECTURE.md`, no files import each other in a circle, and the store's and the index's
//! dependencies are imported in one folder each. In the command, no folders import
//! each other in a circle.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Attribute, Item, ItemUse, Visibility};

use crate::shell::{Outcome, read, root, sources};

/// Dependencies, and the one folder that may import each.
const CONFINED: [(&str, &str); 4] = [
    ("redb", "store"),
    ("rkyv", "store"),
    ("hnsw_rs", "index/vector"),
    ("fastembed", "embed"),
];

/// The parts of a path, or a module: `["store", "rows"]`.
type Parts = Vec<String>;

/// Fails with a list of the imports that break the rules.
pub fn check() -> Outcome {
    let layers = Layers::read(&read(&root().join("ARCHITECTURE.md"))?)?;
    let core = Core::read(&root().join("memory-core/src"))?;
    reported("memory-core/src", &core.wrong(&layers))?;
    let command = Core::read(&root().join("examples/cli/src"))?;
    reported("examples/cli/src", &command.circles_of_folders())
}

fn reported(folder: &str, wrong: &[String]) -> Outcome {
    match wrong {
        [] => Ok(()),
        wrong => Err(format!("imports of {folder}:\n{}", wrong.join("\n")).into()),
    }
}

/// How high each folder stands: the line of the picture, counted from above.
struct Layers(BTreeMap<String, usize>);

impl Layers {
    /// Reads the picture: the box whose lines name folders as `name/`.
    fn read(architecture: &str) -> Outcome<Layers> {
        let picture = architecture
            .split_once("memory-core/src ")
            .and_then(|(_, rest)| rest.split_once("```"))
            .map(|(picture, _)| picture)
            .ok_or("ARCHITECTURE.md has no picture of memory-core/src")?;
        let mut layers = BTreeMap::new();
        for (line, text) in picture.lines().enumerate() {
            for folder in text
                .split_whitespace()
                .filter_map(|word| word.strip_suffix('/'))
            {
                // A folder below one that stands in the picture belongs to its line.
                layers.entry(folder.to_owned()).or_insert(line);
            }
        }
        Ok(Layers(layers))
    }
}

/// What one file imports from another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Arrow {
    from: Parts,
    to: Parts,
    /// The path as it is written.
    written: String,
}

/// The production code of a crate.
#[derive(Default)]
struct Core {
    /// The modules that are files.
    files: BTreeSet<Parts>,
    /// What a module re-exports under a name, and from where.
    reexports: BTreeMap<(Parts, String), Parts>,
    /// Every path in a file's code, with the module in which it is written.
    paths: Vec<(Parts, Parts)>,
}

impl Core {
    fn read(folder: &Path) -> Outcome<Core> {
        let mut files = Vec::new();
        for file in sources(folder, "rs")? {
            let name = file
                .strip_prefix(folder)?
                .to_string_lossy()
                .replace('\\', "/");
            files.push((name, read(&file)?));
        }
        Core::parse(&files)
    }

    /// Parses files that are named by their path below `src`.
    fn parse(files: &[(String, String)]) -> Outcome<Core> {
        let mut core = Core::default();
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
        core.files
            .extend(parsed.iter().map(|(module, _)| module.clone()));
        for (module, items) in &parsed {
            core.read_items(module, items);
        }
        Ok(core)
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
                item => self.read_paths(module, item.to_token_stream()),
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

    /// Every import that breaks a rule, as a line.
    fn wrong(&self, layers: &Layers) -> Vec<String> {
        let arrows = self.arrows();
        let mut wrong = self.outside_the_picture(layers);
        wrong.extend(upward(&arrows, layers));
        if !wrong.is_empty() {
            // With an arrow upwards, nearly everything lies on a circle.
            wrong.extend(self.loose());
            return wrong;
        }
        wrong.extend(circles(&between_folders(&arrows)));
        wrong.extend(circles(&arrows));
        wrong.extend(self.loose());
        wrong
    }

    /// The imports by which folders import each other, perhaps by a file beside them.
    fn circles_of_folders(&self) -> Vec<String> {
        let folders: BTreeSet<_> = self.files.iter().filter(|file| file.len() > 1).collect();
        let is_folder = |unit: &Parts| folders.iter().any(|file| file.starts_with(unit));
        let mut arrows = between_folders(&self.arrows());
        arrows.retain(|arrow| is_folder(&arrow.from) || is_folder(&arrow.to));
        circles(&arrows)
    }

    /// Folders that the picture does not name.
    fn outside_the_picture(&self, layers: &Layers) -> Vec<String> {
        let folders = self.files.iter().filter(|file| file.len() > 1);
        let folders: BTreeSet<_> = folders.filter_map(|file| file.first()).collect();
        let strangers = folders
            .into_iter()
            .filter(|folder| !layers.0.contains_key(*folder));
        strangers
            .map(|folder| format!("{folder}/ is not in the picture of ARCHITECTURE.md"))
            .collect()
    }

    /// The imports between files.
    fn arrows(&self) -> BTreeSet<Arrow> {
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
            let key = (path[..at].to_vec(), path[at].clone());
            let target = self.reexports.get(&key)?;
            (!path.starts_with(target)).then(|| [target, &path[at + 1..]].concat())
        })
    }

    /// The file that holds a module or an item.
    fn file_of(&self, path: &Parts) -> Parts {
        let mut lengths = (0..=path.len()).rev();
        let found = lengths.find(|length| self.files.contains(&path[..*length]));
        path[..found.unwrap_or(0)].to_vec()
    }

    /// Dependencies that are imported outside of their folder.
    fn loose(&self) -> BTreeSet<String> {
        let mut loose = BTreeSet::new();
        for (module, path) in &self.paths {
            let place = module.join("/");
            let confined = CONFINED
                .iter()
                .find(|(name, _)| path.first().is_some_and(|one| one == name));
            if let Some((name, folder)) = confined
                && !place.starts_with(folder)
            {
                loose.insert(format!("{place} imports {name}, which only {folder}/ may"));
            }
        }
        loose
    }
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

/// The imports from one folder, or one file beside them, to another.
fn between_folders(arrows: &BTreeSet<Arrow>) -> BTreeSet<Arrow> {
    let between = arrows.iter().filter_map(|arrow| {
        let (from, to) = (arrow.from.first()?, arrow.to.first()?);
        (from != to).then(|| Arrow {
            from: vec![from.clone()],
            to: vec![to.clone()],
            written: arrow.written.clone(),
        })
    });
    between.collect()
}

/// The imports of folders that are not below.
fn upward(arrows: &BTreeSet<Arrow>, layers: &Layers) -> Vec<String> {
    let layer = |module: &Parts| layers.0.get(module.first()?).copied();
    let is_upward = |arrow: &&Arrow| {
        let is_within = arrow.from.first() == arrow.to.first();
        let both = layer(&arrow.from).zip(layer(&arrow.to));
        !is_within && both.is_some_and(|(from, to)| to <= from)
    };
    let wrong = arrows.iter().filter(is_upward);
    wrong
        .map(|arrow| format!("{}: not below it", arrow.text()))
        .collect()
}

impl Arrow {
    fn text(&self) -> String {
        let name = |module: &Parts| match module.is_empty() {
            true => "lib".to_owned(),
            false => module.join("/"),
        };
        let (from, to) = (name(&self.from), name(&self.to));
        format!("{from} imports {to} ({})", self.written)
    }
}

/// The circles of arrows: a shortest one for each module that lies on any.
fn circles(arrows: &BTreeSet<Arrow>) -> Vec<String> {
    let mut next: BTreeMap<&Parts, BTreeMap<&Parts, &Arrow>> = BTreeMap::new();
    for arrow in arrows {
        next.entry(&arrow.from)
            .or_default()
            .insert(&arrow.to, arrow);
    }
    // A module without arrows to others lies on no circle.
    loop {
        let left: BTreeSet<&Parts> = next.keys().copied().collect();
        for to in next.values_mut() {
            to.retain(|to, _| left.contains(to));
        }
        next.retain(|_, to| !to.is_empty());
        if next.len() == left.len() {
            break;
        }
    }
    let mut named = BTreeSet::new();
    let mut lines = Vec::new();
    for start in next.keys() {
        if named.contains(start) {
            continue;
        }
        if let Some(circle) = shortest_circle(start, &next) {
            named.extend(circle.iter().map(|arrow| &arrow.from));
            let texts: Vec<_> = circle.iter().map(|arrow| arrow.text()).collect();
            lines.push(format!("a circle: {}", texts.join("; ")));
        }
    }
    lines
}

/// The fewest arrows that lead from a module back to it.
fn shortest_circle<'a>(
    start: &'a Parts,
    next: &BTreeMap<&'a Parts, BTreeMap<&'a Parts, &'a Arrow>>,
) -> Option<Vec<&'a Arrow>> {
    let mut reached_by: BTreeMap<&Parts, &Arrow> = BTreeMap::new();
    let mut waiting = VecDeque::from([start]);
    while let Some(at) = waiting.pop_front() {
        for (to, arrow) in next.get(at).into_iter().flatten() {
            if !reached_by.contains_key(to) {
                reached_by.insert(to, arrow);
                waiting.push_back(to);
            }
        }
    }
    let mut circle = vec![*reached_by.get(start)?];
    while circle[0].from != *start {
        circle.insert(0, reached_by[&circle[0].from]);
    }
    Some(circle)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PICTURE: &str = "memory-core/src  v\n| top/  |\n| low/ far/ |\n```\n";

    fn wrong(files: &[(&str, &str)]) -> Vec<String> {
        let files = files
            .iter()
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
        let core = Core::parse(&files.collect::<Vec<_>>()).unwrap();
        core.wrong(&Layers::read(PICTURE).unwrap())
    }

    #[test]
    fn the_core_keeps_its_layers() {
        check().unwrap_or_else(|problem| panic!("{problem}"));
    }

    #[test]
    fn a_folder_may_import_what_is_below_it() {
        let text = "use crate::low::part::{self, Thing};\nfn f() { crate::low::g::<u8>(); }";
        let files = [
            ("top/mod.rs", text),
            ("low/mod.rs", "pub mod part;\npub use part::Thing;"),
            ("low/part.rs", "pub struct Thing;"),
        ];
        assert!(wrong(&files).is_empty());
    }

    #[test]
    fn an_import_of_a_folder_above_or_beside_is_named() {
        let files = [
            ("top/mod.rs", "pub struct Thing;"),
            ("low/mod.rs", "use crate::{far, top::Thing};"),
            (
                "low/part.rs",
                "fn f() { println!(\"{}\", crate::top::g()); }",
            ),
            ("far/mod.rs", ""),
        ];
        assert_eq!(
            wrong(&files),
            [
                "low imports far (crate::far): not below it",
                "low imports top (crate::top::Thing): not below it",
                "low/part imports top (crate::top::g): not below it",
            ]
        );
    }

    #[test]
    fn a_visibility_is_no_import() {
        let text = "pub(in crate::low) struct Thing { pub(in crate::low) size: u8, }";
        let files = [
            ("low/mod.rs", "mod part; fn f() { part::g(); }"),
            ("low/part.rs", text),
        ];
        assert!(wrong(&files).is_empty());
    }

    #[test]
    fn a_circle_of_files_is_named_even_through_a_reexport() {
        let files = [
            ("low/mod.rs", "mod one;\nmod two;\npub use one::One;"),
            ("low/one.rs", "use super::two::Two; pub struct One;"),
            ("low/two.rs", "pub struct Two; fn f(one: super::One) {}"),
        ];
        assert_eq!(
            wrong(&files),
            [
                "a circle: low/one imports low/two (super::two::Two); low/two imports low/one \
                 (super::One)",
            ]
        );
    }

    #[test]
    fn a_module_and_what_is_below_it_must_not_import_each_other() {
        let files = [
            (
                "low/mod.rs",
                "mod part; fn f() { part::g(); } pub struct Thing;",
            ),
            ("low/part.rs", "use super::Thing;"),
        ];
        assert_eq!(
            wrong(&files),
            ["a circle: low imports low/part (part::g); low/part imports low (super::Thing)",]
        );
    }

    #[test]
    fn what_only_tests_compile_may_import_anything() {
        let files = [
            ("top/mod.rs", "pub fn f() {}"),
            (
                "low/mod.rs",
                "#[cfg(test)] mod tests;\nstruct S { #[cfg(test)] a: crate::top::A, }\n\
                 impl S { #[cfg(test)] fn g() -> Map<A, B> { crate::top::f() } }\n\
                 #[cfg(any(test, feature = \"testing\"))] mod inner { use crate::top::f; }",
            ),
            ("low/tests.rs", "use crate::top::f;"),
            ("low/tests/more.rs", "use crate::top::f;"),
        ];
        assert!(wrong(&files).is_empty());
    }

    #[test]
    fn a_folder_outside_the_picture_and_a_loose_dependency_are_named() {
        let files = [("new/mod.rs", ""), ("new/part.rs", "use redb::Database;")];
        assert_eq!(
            wrong(&files),
            [
                "new/ is not in the picture of ARCHITECTURE.md",
                "new/part imports redb, which only store/ may",
            ]
        );
    }
}
