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
    let mut found: Vec<Class> = Vec::new();
    let mut is_inside = false;
    let mut is_property = false;
    for line in stubs.lines() {
        if let Some(rest) = line.strip_prefix("class ") {
            let name = rest.trim_end_matches(':').to_owned();
            let methods = Vec::new();
            found.push(Class { name, methods });
            is_inside = true;
        } else if !line.is_empty() && !line.starts_with(' ') {
            is_inside = false;
        }
        let Some(class) = found.last_mut().filter(|_| is_inside) else {
            continue;
        };
        if line == "    @property" {
            is_property = true;
        } else if let Some((name, _)) = line
            .strip_prefix("    def ")
            .and_then(|rest| rest.split_once('('))
        {
            class.methods.push(Method {
                name: name.to_owned(),
                is_property,
                gives: String::new(),
            });
            is_property = false;
        }
        // The type stands on the line where the parameters end.
        if let (Some((_, gives)), Some(method)) =
            (line.split_once(") -> "), class.methods.last_mut())
        {
            gives
                .trim_end_matches(": ...")
                .clone_into(&mut method.gives);
        }
    }
    found
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
        let templates = super::super::python::templates().unwrap();
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
