//! Python for asyncio: each method of a memory and of its areas once more, awaited;
//! made of the stubs of the extension module.

use minijinja::context;
use serde::Serialize;

use super::templates::Templates;
use crate::shell::Outcome;

/// The module, of the stubs that say what the extension module has.
pub fn module(stubs: &str, templates: &Templates) -> Outcome<String> {
    let classes = classes(stubs);
    let memory = classes.iter().find(|class| class.name == "Memory");
    let properties = memory.into_iter().flat_map(|class| &class.methods);
    let areas = properties.filter(|method| method.is_property);
    let areas = areas.filter_map(|area| classes.iter().find(|class| class.name == area.gives));
    let values = context! { memory, areas => areas.collect::<Vec<_>>() };
    templates.filled("calls.py", values)
}

/// A class of the stubs.
#[derive(Serialize)]
struct Class {
    name: String,
    methods: Vec<Method>,
}

#[derive(Serialize)]
struct Method {
    name: String,
    is_property: bool,
    /// The type that it gives.
    gives: String,
}

/// The memory and its areas, which are the classes of its properties.
fn classes(stubs: &str) -> Vec<Class> {
    let stubs = format!("\n{stubs}");
    let parts = stubs.split("\nclass ").skip(1);
    let class = |part: &str| {
        let (name, body) = part.split_once(":\n")?;
        let is_within = |line: &&str| line.is_empty() || line.starts_with(' ');
        let body: Vec<&str> = body.lines().take_while(is_within).collect();
        let body = body.join("\n");
        let parts: Vec<&str> = body.split("    def ").collect();
        let methods = parts.windows(2).filter_map(|pair| method(pair[0], pair[1]));
        Some(Class {
            name: name.to_owned(),
            methods: methods.collect(),
        })
    };
    parts.filter_map(class).collect()
}

/// Methods that return at once, and are not awaited.
const IMMEDIATE: [&str; 2] = ["interrupt", "set_progress_handler"];

/// A method of a class, by what stands before its `def` and behind it.
fn method(before: &str, text: &str) -> Option<Method> {
    let (name, _) = text.split_once('(')?;
    if IMMEDIATE.contains(&name) {
        return None;
    }
    let (_, rest) = text.split_once(") -> ")?;
    let (gives, _) = rest.split_once(": ...")?;
    Some(Method {
        name: name.to_owned(),
        is_property: before.trim_end().ends_with("@property"),
        gives: gives.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_awaited_and_events_are_streamed() {
        let stubs = "class Tasks:\n    def list(self) -> Rows[Task]: ...\n\n\
                     class Memory:\n    @property\n    def tasks(self) -> Tasks: ...\n    \
                     def events(\n        self,\n    ) -> Events: ...\n    \
                     def close(self) -> None: ...\n    def __enter__(self) -> Self: ...\n";
        let templates =
            super::super::python_files::templates(super::super::model().unwrap()).unwrap();
        let text = module(stubs, &templates).unwrap();
        assert!(
            text.contains("    list = in_thread(native.Tasks.list)\n"),
            "{text}"
        );
        assert!(text.contains("    events = streamed(native.Memory.events)\n"));
        assert!(text.contains("    close = in_thread(native.Memory.close)\n"));
        assert!(text.contains("        return Tasks(self._native.tasks)\n"));
        assert!(!text.contains("__enter__"));
    }
}
