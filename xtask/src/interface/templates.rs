//! The templates of the generated files: what is the same in each of them stands in
//! `templates/`, what differs is told by the module of the language.

use minijinja::value::{FunctionArgs, FunctionResult, ViaDeserialize as Via};
use minijinja::{Environment, UndefinedBehavior, Value, functions::Function};
use serde::{Serialize, de::DeserializeOwned};

use super::doc;
use super::file::{File, GENERATED};
use super::model::{Field, Type};
use crate::shell::{Outcome, read, root};

/// Where the templates are.
const FOLDER: &str = "xtask/src/interface/templates";

/// The templates of a language.
pub struct Templates(Environment<'static>);

impl Templates {
    /// A line with nothing but a statement leaves no line behind.
    pub fn of(language: &str) -> Outcome<Templates> {
        let mut environment = Environment::new();
        environment.set_trim_blocks(true);
        environment.set_lstrip_blocks(true);
        environment.set_keep_trailing_newline(true);
        environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
        environment.add_global("generated", GENERATED);
        for entry in std::fs::read_dir(root().join(FOLDER).join(language))? {
            let path = entry?.path();
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            environment.add_template_owned(name.into_owned(), read(&path)?)?;
        }
        let mut templates = Templates(environment);
        templates.add("camel", |name: &str| doc::camel(name));
        templates.add("lower_camel", |name: &str| doc::lower_camel(name));
        templates.add("snake", |name: &str| doc::snake(name));
        templates.add("first_paragraph", |docs: &str| {
            doc::first_paragraph(docs).to_owned()
        });
        templates.add("quoted", |text: &str| format!("{text:?}"));
        templates.on("inner", |ty: &Type| ty.inner().clone());
        templates.on("is_text", Type::is_text);
        templates.on("unwrapped", Field::unwrapped);
        Ok(templates)
    }

    /// Lets the templates call a function of simple values.
    pub fn add<F, Rv, Args>(&mut self, name: &'static str, filter: F)
    where
        F: Function<Rv, Args> + for<'a> Function<Rv, <Args as FunctionArgs<'a>>::Output>,
        Rv: FunctionResult,
        Args: for<'a> FunctionArgs<'a>,
    {
        self.0.add_filter::<_, F, Rv, Args>(name, filter);
    }

    /// Lets the templates call a function of a record, a field or another part of the model.
    pub fn on<T: DeserializeOwned, R: Serialize>(
        &mut self,
        name: &'static str,
        filter: impl Fn(&T) -> R + Send + Sync + 'static,
    ) {
        self.0
            .add_filter(name, move |one: Via<T>| Value::from_serialize(filter(&one)));
    }

    /// Lets the templates call a function of two of them.
    pub fn on_both<T: DeserializeOwned, U: DeserializeOwned, R: Serialize>(
        &mut self,
        name: &'static str,
        filter: impl Fn(&T, &U) -> R + Send + Sync + 'static,
    ) {
        let filter = move |one: Via<T>, two: Via<U>| Value::from_serialize(filter(&one, &two));
        self.0.add_filter(name, filter);
    }

    /// A template with its values.
    pub fn filled(&self, name: &str, values: Value) -> Outcome<String> {
        let text = self.0.get_template(name)?.render(values);
        text.map_err(|error| format!("{name}.jinja: {error}").into())
    }

    /// The file that a template makes.
    pub fn file(&self, path: &str, name: &str, values: Value) -> Outcome<File> {
        Ok(File::new(path, self.filled(name, values)?))
    }
}
