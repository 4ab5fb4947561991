//! The generated files of Python: the classes of the package, their index, the stubs, and the Rust of
//! the extension.

use minijinja::context;

use super::doc;
use super::file::{File, LISTED, with_part};
use super::model::{Area, Model, Record};
use super::python::{
    annotation, assigned, codes, direction, docstring, escaped, exception, exported, fields_of,
    has_word, is_annotated, lines, names, reader, spread_of, told,
};
use super::templates::Templates;
use super::{aio, python_methods};
use crate::shell::{Outcome, read, root};

/// The package.
const PACKAGE: &str = "bindings-python/python/recallite";

/// The module of the exceptions among the generated ones.
const EXCEPTIONS: &str = "exceptions";

pub fn files(model: &'static Model) -> Outcome<Vec<File>> {
    let templates = templates(model)?;
    let areas: Vec<&Area> = model.areas_of("python").collect();
    let groups = model
        .areas_with_methods("python")
        .map(|area| area.name.clone());
    let groups: Vec<String> = groups.collect();
    let rules = model.rules_of("python").map(|rule| rule.name.clone());
    let mut rules: Vec<String> = rules.collect();
    rules.sort_unstable();
    let classes = classes(model);
    let names = classes.iter().map(|(name, _)| name.clone());
    let of_rules = areas.iter().filter(|area| area.name == "rules");
    let of_rules = of_rules.flat_map(|area| exported(area)).map(str::to_owned);
    let mut files = vec![
        listed("__init__", groups.iter().cloned().chain(names).collect())?,
        listed("rules", rules.iter().cloned().chain(of_rules).collect())?,
        listed("aio", groups.clone())?,
    ];
    let values = context! {
        areas,
        classes,
        rules,
        codes => codes(model),
        words => model.words().collect::<Vec<_>>(),
        records => model.areas_of("python").flat_map(|area| &area.records).collect::<Vec<_>>(),
        options => model.options().collect::<Vec<_>>(),
        groups => model.areas_with_methods("python").collect::<Vec<_>>(),
    };
    let text = |name: &str| templates.filled(name, values.clone());
    files.extend([
        generated("__init__", text("index.py")?),
        generated("rule_names", text("rule_names.py")?),
        generated(EXCEPTIONS, text("exceptions.py")?),
        File::new("bindings-python/src/generated/mod.rs", text("mod.rs")?),
        File::new("bindings-python/src/generated/areas.rs", text("areas.rs")?),
    ]);
    for area in &areas {
        let records: Vec<&Record> = area.structs().collect();
        let module = templates.filled("module.py", context! { area, areas, records })?;
        files.push(generated(&area.name, module));
    }
    files.extend(python_methods::files(model, &templates)?);
    let stubs = python_methods::stubs(model)?;
    files.push(generated("calls", aio::module(&stubs, &templates)?));
    files.push(File::new(python_methods::STUBS, stubs));
    Ok(files)
}

/// A generated module of the package.
fn generated(name: &str, text: String) -> File {
    File::new(&format!("{PACKAGE}/_generated/{name}.py"), text)
}

pub fn templates(model: &'static Model) -> Outcome<Templates> {
    let mut templates = Templates::of("python")?;
    templates.add("docstring", |docs: &str| docstring(model, docs));
    templates.add("comment", |docs: &str, sign: &str| {
        doc::prefixed(&lines(model, docs, 82), sign)
    });
    templates.add("exception", exception);
    templates.add("escaped", escaped);
    templates.on("exported", |area: &Area| {
        exported(area).map(str::to_owned).collect::<Vec<_>>()
    });
    templates.on_both("used_in", |names: &Vec<String>, body: &String| {
        let names = names.iter().filter(|name| has_word(body, name));
        names.cloned().collect::<Vec<_>>()
    });
    templates.on_both("annotated_in", |area: &Area, body: &String| {
        let names = names(area)
            .into_iter()
            .filter(|name| is_annotated(body, name));
        names.map(str::to_owned).collect::<Vec<_>>()
    });
    templates.on("told", told);
    templates.on_both("annotation", annotation);
    templates.on("direction", direction);
    templates.on("fields", fields_of);
    templates.on_both("assigned", assigned);
    templates.on_both("reader", reader);
    templates.on("spread", spread_of);
    templates.on("is_taken_whole", Record::is_taken_whole);
    templates.on("names", |record: &Record| {
        let names = record.fields.iter();
        names
            .map(|field| format!("{:?}, ", escaped(&field.name)))
            .collect::<String>()
    });
    Ok(templates)
}

/// A module with the generated names in its `__all__`: type checkers want them there as
/// they are.
fn listed(module: &str, mut names: Vec<String>) -> Outcome<File> {
    let path = format!("{PACKAGE}/{module}.py");
    names.sort_unstable();
    let names: String = names
        .iter()
        .map(|name| format!("    \"{name}\",\n"))
        .collect();
    let text = read(&root().join(&path))?;
    let text = with_part(&text, "", &format!("    # {LISTED}"), &names, "\n]\n")?;
    Ok(File::new(&path, text))
}

/// Every class that programs import, in order, with its module.
fn classes(model: &Model) -> Vec<(String, &str)> {
    let areas = model.areas_of("python");
    let of_areas = areas.flat_map(|area| exported(area).map(|name| (name.to_owned(), &*area.name)));
    let codes = codes(model).into_iter().flat_map(|codes| &codes.items);
    let of_codes = codes.map(|code| (exception(&code.text), EXCEPTIONS));
    let mut all: Vec<_> = of_areas.chain(of_codes).collect();
    all.sort_unstable();
    all
}
