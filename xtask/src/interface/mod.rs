//! One model of the interface, read from the core's sources and
//! `xtask/interface.toml`, and the mirrors that are written from it: what a language
//! needs that follows from the core's declarations.

mod aio;
mod c;
mod c_methods;
mod c_names;
mod c_options;
mod c_spelled;
mod called;
mod cpp;
pub mod declared;
pub mod doc;
mod file;
mod make;
pub mod model;
pub mod module;
pub mod named;
mod node;
mod node_files;
mod node_methods;
mod python;
mod python_files;
mod python_methods;
mod python_parameters;
pub mod source;
pub mod table;
mod templates;
mod types;

pub use c_options::name_of as name_in_c;
pub use file::{GENERATED, LISTED};

use crate::shell::{Outcome, read, root};
use file::File;
use model::Model;
use source::Source;
use table::Table;

/// `cargo xtask interface`: writes every mirror.
pub fn write() -> Outcome {
    for (file, text) in stale()? {
        std::fs::create_dir_all(file.path.with_file_name(""))?;
        crate::shell::write(&file.path, &text)?;
        println!("wrote {}", file.path.strip_prefix(root())?.display());
    }
    Ok(())
}

/// Fails when a mirror is not what would be written.
pub fn check() -> Outcome {
    if let Some((file, _)) = stale()?.first() {
        let path = file.path.strip_prefix(root())?.display().to_string();
        return Err(format!("{path} is stale: run `cargo xtask interface`").into());
    }
    println!("the generated mirrors are up to date");
    Ok(())
}

/// The files that are not what they should be, with what they should be.
fn stale() -> Outcome<Vec<(File, String)>> {
    let mut stale = Vec::new();
    for file in files()? {
        let text = file.finished()?;
        if read(&file.path).ok().as_ref() != Some(&text) {
            stale.push((file, text));
        }
    }
    Ok(stale)
}

/// What the core's enums of words are called in C.
pub fn c_enums() -> Outcome<Vec<String>> {
    let model = model()?;
    Ok(model
        .words()
        .map(|words| c_names::c_name(&words.name))
        .collect())
}

/// The model, which stays until the program ends: what templates call needs it.
pub fn model() -> Outcome<&'static Model> {
    let source = Source::read(&root().join("memory-core/src"))?;
    let table = Box::leak(Box::new(Table::read()?));
    Ok(Box::leak(Box::new(Model::make(&source, table)?)))
}

/// Every generated file.
pub fn files() -> Outcome<Vec<File>> {
    let model = model()?;
    let mut files = python_files::files(model)?;
    files.extend(node_files::files(model)?);
    files.extend(c::files(model)?);
    files.extend(cpp::files(model)?);
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::model::{Access, Type, Value};
    use super::*;

    #[test]
    fn records_have_the_fields_of_the_core_and_of_the_table() {
        let model = model().unwrap();
        let task = model.records().find(|one| one.name == "Task").unwrap();
        let status = task.fields.iter().find(|one| one.name == "status").unwrap();
        assert_eq!(status.ty, Type::Words("TaskStatus".to_owned()));
        assert_eq!(status.access, Access::Method("status".to_owned()));
        assert!(!task.fields.iter().any(|one| one.name == "phase"));
        let edge = model.records().find(|one| one.name == "Edge").unwrap();
        let source = edge.fields.iter().find(|one| one.name == "source_id");
        assert_eq!(
            source.unwrap().access,
            Access::Field("ends.source_id".to_owned())
        );
    }

    #[test]
    fn options_have_the_defaults_of_the_core() {
        let model = model().unwrap();
        let default = |record: &str, field: &str| {
            let record = model.option(record).unwrap();
            let field = record.fields.iter().find(|one| one.name == field).unwrap();
            field.default.clone().unwrap()
        };
        let ms = default("OpenOptions", "busy_timeout_ms");
        assert_eq!(ms, Value::Int(5_000));
        assert_eq!(
            default("PrivacyConfig", "marker"),
            Value::Word("[PRIVATE]".to_owned())
        );
        assert_eq!(
            default("RecallWeights", "query_expansion"),
            Value::Float(1.0)
        );
        let window = default("WorkingSetPolicy", "time_window_ms");
        assert_eq!(window, Value::Int(86_400_000));
    }

    #[test]
    fn a_lookup_that_finds_nothing_is_documented_as_each_language_has_it() {
        let files = files().unwrap();
        let made = |end: &str| {
            let file = files.iter().find(|file| file.path.ends_with(end)).unwrap();
            let lines = file.text.lines();
            let lines = lines.map(|line| line.trim_matches([' ', '/', '*']));
            lines.collect::<Vec<_>>().join(" ")
        };
        for (file, expected) in [
            ("include/recallite_areas.hpp", "throws RECALLITE_NOT_FOUND"),
            ("memory-ffi/src/generated/tasks.rs", "RECALLITE_NOT_FOUND"),
            ("bindings-node/ts/generated/tasks.ts", "`null`"),
        ] {
            let expected = format!("according to its events up to then; {expected} if it was not");
            assert!(made(file).contains(&expected), "{file}");
        }
    }
}
