//! The templates of the generated files: what is the same in each of them stands in
//! `templates/`, what differs is told by the module of the language.

use minijinja::value::ViaDeserialize as Via;
use minijinja::{Environment, UndefinedBehavior, Value};

use super::model::{Field, Type};
use super::{GENERATED, doc};
use crate::shell::{Outcome, read, root};

/// Where the templates are.
const FOLDER: &str = "xtask/src/interface/templates";

/// The templates of a language. A line with nothing but a statement leaves no line behind.
pub fn environment(language: &str) -> Outcome<Environment<'static>> {
    let mut environment = Environment::new();
    environment.set_trim_blocks(true);
    environment.set_lstrip_blocks(true);
    environment.set_keep_trailing_newline(true);
    environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
    environment.add_global("generated", GENERATED);
    environment.add_filter("camel", |name: &str| doc::camel(name));
    environment.add_filter("lower_camel", |name: &str| doc::lower_camel(name));
    environment.add_filter("snake", |name: &str| doc::snake(name));
    environment.add_filter("first_paragraph", |docs: &str| {
        doc::first_paragraph(docs).to_owned()
    });
    environment.add_filter("quoted", |text: &str| format!("{text:?}"));
    environment.add_filter("inner", |ty: Via<Type>| Value::from_serialize(ty.inner()));
    environment.add_filter("unwrapped", |field: Via<Field>| field.unwrapped());
    for entry in std::fs::read_dir(root().join(FOLDER).join(language))? {
        let path = entry?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        environment.add_template_owned(name.into_owned(), read(&path)?)?;
    }
    Ok(environment)
}

/// A template with its values.
pub fn filled(environment: &Environment<'_>, name: &str, values: Value) -> Outcome<String> {
    let text = environment.get_template(name)?.render(values);
    text.map_err(|error| format!("{name}.jinja: {error}").into())
}
