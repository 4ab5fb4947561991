//! Checks what the core's messages name. Bindings spell functions (`compact()`,
//! `sharing.announce()`) and options between backticks as their languages do, so each must
//! exist, and an option must be marked.

use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::Item;

use crate::interface::model::{Handle, Model};
use crate::interface::module::is_for_tests;
use crate::shell::{Outcome, read, root, sources};

/// Files whose texts are for tests, or name what models write.
const SKIPPED: [&str; 3] = [
    "test",
    "memory-core/src/testing/",
    "memory-core/src/rules/model_answer.rs",
];

/// Functions of programs that share over a server.
const FOREIGN: [&str; 1] = ["init"];

/// Fails if a message names a function that no language has, or an option without backticks.
pub fn check(model: &Model) -> Outcome {
    let mut wrong = Vec::new();
    for file in sources(&root().join("memory-core/src"), "rs")? {
        let place = file.strip_prefix(root())?.display().to_string();
        if SKIPPED.iter().any(|skipped| place.contains(skipped)) {
            continue;
        }
        for message in messages(&file)? {
            wrong.extend(problems(model, &message).map(|problem| format!("{place}: {problem}")));
        }
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(format!("messages of the core:\n{}", wrong.join("\n")).into()),
    }
}

/// The texts of a file's code that can be messages: those with several words.
fn messages(file: &Path) -> Outcome<Vec<String>> {
    let parsed = syn::parse_file(&read(file)?);
    let parsed = parsed.map_err(|error| format!("{}: {error}", file.display()))?;
    let mut texts = Vec::new();
    for item in parsed.items {
        let is_test = matches!(&item, Item::Mod(module) if is_for_tests(&module.attrs));
        if !is_test {
            gather(item.to_token_stream(), &mut texts);
        }
    }
    texts.retain(|text| text.contains(' '));
    Ok(texts.iter().map(|text| without_values(text)).collect())
}

/// The texts in code, without documentation.
fn gather(code: TokenStream, texts: &mut Vec<String>) {
    let mut is_attribute = false;
    for token in code {
        match token {
            TokenTree::Group(group) if !is_attribute => gather(group.stream(), texts),
            TokenTree::Literal(literal) => {
                if let Ok(syn::Lit::Str(text)) = syn::parse_str(&literal.to_string()) {
                    texts.push(text.value());
                }
            }
            TokenTree::Punct(sign) if sign.as_char() == '#' => {
                is_attribute = true;
                continue;
            }
            _ => {}
        }
        is_attribute = false;
    }
}

/// A message without what is written into it.
fn without_values(text: &str) -> String {
    let parts = text.split('{');
    let parts = parts
        .enumerate()
        .map(|(index, part)| match part.split_once('}') {
            Some((_, behind)) if index > 0 => behind,
            _ => part,
        });
    parts.collect::<Vec<_>>().join("_ ")
}

/// What is wrong with the names in a message.
fn problems<'m>(model: &'m Model, message: &'m str) -> impl Iterator<Item = String> + 'm {
    let is_of_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '.';
    let called = message.split("()");
    let before_last = message.matches("()").count();
    let functions = called.take(before_last).map(move |part| {
        let start = part.trim_end_matches(is_of_name).len();
        &part[start..]
    });
    let functions = functions.filter(move |name| !name.is_empty() && !is_function(model, name));
    let functions = functions.map(|name| format!("no function {name}()"));
    let unmarked = message.split('`').step_by(2);
    let words = unmarked.flat_map(|part| part.split(|c: char| !c.is_alphanumeric() && c != '_'));
    let options = words.filter(move |word| {
        let mut fields = model.structs().flat_map(|one| &one.fields);
        let mut values = model.words().flat_map(|words| &words.items);
        word.contains('_')
            && fields.any(|field| field.name == *word)
            && !values.any(|value| value.text == *word)
    });
    functions.chain(options.map(move |name| format!("{name} without backticks in {message:?}")))
}

/// Whether a memory or one of its areas has a function.
fn is_function(model: &Model, name: &str) -> bool {
    let (area, method) = name.split_once('.').unwrap_or(("memory", name));
    let has = |group: &Handle| group.methods.iter().any(|one| one.called == method);
    let mut groups = model.handles.iter();
    FOREIGN.contains(&name) || groups.any(|group| group.area() == area && has(group))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(message: &str) -> Vec<String> {
        let model = crate::interface::model().unwrap();
        problems(model, &without_values(message)).collect()
    }

    #[test]
    fn functions_stand_behind_their_areas_and_options_between_backticks() {
        assert!(wrong("{busy_timeout_ms} passed; call check() or sharing.announce()").is_empty());
        assert!(wrong("longer than `busy_timeout_ms`, a blocked_by edge").is_empty());
        assert_eq!(wrong("call announce() first"), ["no function announce()"]);
        let [problem] = &wrong("longer than busy_timeout_ms")[..] else {
            panic!("one problem");
        };
        assert!(problem.starts_with("busy_timeout_ms without backticks"));
    }
}
