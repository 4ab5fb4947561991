//! Checks what files import: in the core, a folder imports only folders below it in the picture of
//! `ARCHITECTURE.md`, and the store's and the index's dependencies are imported in one folder each.
//! In no crate and no package do files import each other in a circle, and in the command no folders.

mod circles;
mod crates;
mod scripts;

use std::collections::{BTreeMap, BTreeSet};

use crate::shell::{Outcome, read, root};
use circles::{Arrow, Parts, circles};
use crates::Crate;

/// Dependencies, and the one folder that may import each.
const CONFINED: [(&str, &str); 4] = [
    ("redb", "store"),
    ("rkyv", "store"),
    ("hnsw_rs", "index/vector"),
    ("fastembed", "embed"),
];

/// The command, whose folders do not import each other in a circle either.
const COMMAND: &str = "examples/cli/src";

/// The crates beside the core.
const CRATES: [&str; 6] = [
    "memory-ffi/src",
    "bindings-node/src",
    "bindings-python/src",
    COMMAND,
    "examples/postgres/src",
    "xtask/src",
];

/// The packages that are written in the language of a binding, and what reads their imports.
const PACKAGES: [(&str, scripts::Reader); 2] = [
    ("bindings-node/ts", scripts::typescript),
    ("bindings-python/python/recallite", scripts::python),
];

/// Fails with a list of the imports that break the rules.
pub fn check() -> Outcome {
    let layers = Layers::read(&read(&root().join("ARCHITECTURE.md"))?)?;
    let core = Crate::read(&root().join("memory-core/src"))?;
    let mut wrong = reported("memory-core/src", wrong(&core, &layers));
    for folder in CRATES {
        let read = Crate::read(&root().join(folder))?;
        let arrows = read.arrows();
        let mut found = circles(&arrows);
        if folder == COMMAND {
            found.extend(circles_of_folders(&read, &arrows));
        }
        wrong.extend(reported(folder, found));
    }
    for (folder, reader) in PACKAGES {
        let arrows = scripts::arrows(&root().join(folder), reader)?;
        wrong.extend(reported(folder, circles(&arrows)));
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(wrong.join("\n").into()),
    }
}

/// What is wrong in a folder, as lines below its name.
fn reported(folder: &str, wrong: Vec<String>) -> Vec<String> {
    match wrong.is_empty() {
        true => wrong,
        false => [vec![format!("imports of {folder}:")], wrong].concat(),
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

/// Every import of the core that breaks a rule, as a line.
fn wrong(core: &Crate, layers: &Layers) -> Vec<String> {
    let arrows = core.arrows();
    let mut wrong = outside_the_picture(core, layers);
    wrong.extend(upward(&arrows, layers));
    if wrong.is_empty() {
        // With an arrow upwards, nearly everything lies on a circle.
        wrong.extend(circles(&between_folders(&arrows)));
        wrong.extend(circles(&arrows));
    }
    wrong.extend(loose(core));
    wrong
}

/// The imports by which folders import each other, perhaps by a file beside them.
fn circles_of_folders(read: &Crate, arrows: &BTreeSet<Arrow>) -> Vec<String> {
    let folders: BTreeSet<_> = read.files.iter().filter(|file| file.len() > 1).collect();
    let is_folder = |unit: &Parts| folders.iter().any(|file| file.starts_with(unit));
    let mut arrows = between_folders(arrows);
    arrows.retain(|arrow| is_folder(&arrow.from) || is_folder(&arrow.to));
    circles(&arrows)
}

/// Folders that the picture does not name.
fn outside_the_picture(core: &Crate, layers: &Layers) -> Vec<String> {
    let folders = core.files.iter().filter(|file| file.len() > 1);
    let folders: BTreeSet<_> = folders.filter_map(|file| file.first()).collect();
    let strangers = folders
        .into_iter()
        .filter(|folder| !layers.0.contains_key(*folder));
    strangers
        .map(|folder| format!("{folder}/ is not in the picture of ARCHITECTURE.md"))
        .collect()
}

/// Dependencies that are imported outside of their folder.
fn loose(core: &Crate) -> BTreeSet<String> {
    let mut loose = BTreeSet::new();
    for (module, path) in &core.paths {
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

#[cfg(test)]
mod tests {
    use super::*;

    const PICTURE: &str = "memory-core/src  v\n| top/  |\n| low/ far/ |\n```\n";

    fn wrong(files: &[(&str, &str)]) -> Vec<String> {
        let files = files
            .iter()
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
        let core = Crate::parse(&files.collect::<Vec<_>>()).unwrap();
        super::wrong(&core, &Layers::read(PICTURE).unwrap())
    }

    #[test]
    fn the_core_keeps_its_layers_and_no_files_import_each_other_in_a_circle() {
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
    fn everything_of_a_module_is_imported_or_reexported_from_where_it_is_declared() {
        let files = [
            (
                "low/mod.rs",
                "mod one; mod two; pub use one::*; fn f() { two::g() }",
            ),
            ("low/one.rs", "pub struct One;"),
            ("low/two.rs", "use super::One;"),
        ];
        assert!(wrong(&files).is_empty());
        let files = [
            ("low/mod.rs", "mod one; fn f() { one::g() }"),
            ("low/one.rs", "use super::*;"),
        ];
        assert_eq!(
            wrong(&files),
            ["a circle: low imports low/one (one::g); low/one imports low (super::*)"]
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
