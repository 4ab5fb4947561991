//! Checks what the core's documentation names: other languages are told the same, so what it
//! names must be there for them too.

use std::cell::RefCell;
use std::collections::BTreeSet;

use crate::interface::doc;
use crate::interface::model::Model;
use crate::interface::named::Named;
use crate::shell::Outcome;

/// Names that mean themselves: what texts, models and other programs write.
pub const LITERALS: [&str; 37] = [
    "ORT_DYLIB_PATH",
    "_",
    "a7Bc3x",
    "access_token",
    "apiKey",
    "api_key",
    "auth",
    "author",
    "bearer",
    "command",
    "credential",
    "dbPassword",
    "embed",
    "exitCode",
    "false",
    "filePath",
    "fileType",
    "graph",
    "keyboard",
    "lineCount",
    "matchCount",
    "mem:a7Bc3x",
    "null",
    "open",
    "password",
    "recall",
    "secret",
    "session:content_hash",
    "share",
    "statusCode",
    "supports",
    "token",
    "tokenizer",
    "true",
    "unknown",
    "upkeep",
    "workingSetId",
];

/// Fails if a documentation of the core names what other languages do not have.
pub fn check(model: &Model) -> Outcome {
    let wrong = RefCell::new(BTreeSet::new());
    for (place, docs) in documented(model) {
        let look = |code: &str, is_name: bool| {
            if is_name
                && let Named::Other(name) = model.named(code)
                && !LITERALS.contains(&name)
            {
                wrong.borrow_mut().insert(format!("{place}: `{code}`"));
            }
            String::new()
        };
        doc::paragraphs(docs, &look);
        doc::paragraphs(doc::errors(docs), &look);
    }
    let wrong: Vec<String> = wrong.into_inner().into_iter().collect();
    match wrong.join("\n") {
        none if none.is_empty() => Ok(()),
        wrong => Err(format!("documentation names what only Rust has:\n{wrong}").into()),
    }
}

/// Every documentation, with what it belongs to.
fn documented(model: &Model) -> Vec<(String, &str)> {
    let mut all = Vec::new();
    for words in model.words() {
        all.push((words.name.clone(), &*words.docs));
        let items = words.items.iter();
        all.extend(items.map(|one| (format!("{}::{}", words.name, one.variant), &*one.docs)));
    }
    for record in model.structs() {
        all.push((record.name.clone(), &*record.docs));
        let fields = record.fields.iter();
        all.extend(fields.map(|one| (format!("{}::{}", record.name, one.name), &*one.docs)));
    }
    for handle in model.handles.iter().chain(&model.rules) {
        all.push((handle.name.clone(), &*handle.docs));
        let methods = handle.methods.iter();
        all.extend(methods.map(|one| (format!("{}::{}", handle.name, one.name), &*one.docs)));
    }
    all
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::interface::{files, model};
    use crate::parity;

    #[test]
    fn documentation_names_no_function_that_a_language_lacks() {
        let rules = parity::rules().unwrap();
        let last = |function: &String| doc::last(function).to_owned();
        let shared: Vec<String> = rules.shared.iter().map(last).collect();
        // Names of one word are words of plain text as well.
        let methods = parity::RUST_ONLY.iter().map(|(name, _)| (*name).to_owned());
        let methods = methods.chain(["consolidate_with".to_owned()]);
        let lacking = rules.rust_only.iter().map(|(function, _)| last(function));
        let model = model().unwrap();
        let structs = || model.records().chain(model.options());
        let is_known = |name: &String| {
            // A field of a tool's metadata, which is JSON.
            name == "file_type"
                || structs().any(|one| one.fields.iter().any(|field| field.name == *name))
                || model.arguments().any(|argument| argument.name == *name)
                || (model.handles.iter())
                    .any(|handle| handle.methods.iter().any(|method| method.name == *name))
        };
        let is_plain = |name: &String| !name.contains('_') || shared.contains(name);
        let lacking = lacking
            .chain(methods)
            .filter(|name| !is_plain(name) && !is_known(name));
        let lacking: HashSet<String> = lacking.flat_map(|name| [doc::camel(&name), name]).collect();
        for file in files().unwrap() {
            // Rust calls the core, comments are for the language.
            let comments = file.text.lines().map(str::trim_start).filter(|line| {
                let is_rust = file.path.extension().is_some_and(|ending| ending == "rs");
                !is_rust || line.starts_with("///")
            });
            for line in comments {
                let named = line
                    .split(|c: char| !c.is_alphanumeric() && c != '_')
                    .find(|word| lacking.contains(*word));
                let path = file.path.display();
                assert!(named.is_none(), "{path}: {named:?} in {line}");
            }
        }
    }
}
