//! Python for asyncio: each method of a memory and of its areas once more, awaited;
//! made of the stubs of the extension module.

use super::{File, GENERATED};

/// The module, of the stubs that say what the extension module has.
pub fn file(stubs: &str) -> File {
    let path = "bindings-python/python/recallite/_generated/calls.py";
    File::text(path, module(&classes(stubs)))
}

/// A class of the stubs.
struct Class {
    name: String,
    methods: Vec<Method>,
}

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

fn module(classes: &[Class]) -> String {
    let mut text = format!(
        "# {GENERATED}\n\
         \"\"\"The methods of a memory and of its areas for asyncio.\"\"\"\n\n\
         from __future__ import annotations\n\n\
         from .. import _native as native  # pyright: ignore[reportPrivateUsage]\n\
         from .._threads import Threaded, in_thread, streamed\n\n__all__ = [\n"
    );
    let memory = classes.iter().find(|class| class.name == "Memory");
    let properties = || memory.into_iter().flat_map(|class| &class.methods);
    let areas: Vec<(&str, &Class)> = properties()
        .filter(|method| method.is_property)
        .filter_map(|method| {
            let class = classes.iter().find(|class| class.name == method.gives)?;
            Some((method.name.as_str(), class))
        })
        .collect();
    for (_, area) in &areas {
        text.push_str(&format!("    \"{}\",\n", area.name));
    }
    text.push_str("]\n");
    for (_, area) in &areas {
        let name = &area.name;
        text.push_str(&format!(
            "\n\nclass {name}(Threaded[native.{name}]):\n    \
             \"\"\"As ``recallite.{name}``, awaited.\"\"\"\n\n"
        ));
        area.methods
            .iter()
            .for_each(|one| call(one, name, &mut text));
    }
    text.push_str(
        "\n\nclass Calls(Threaded[native.Memory]):\n    \
         \"\"\"The methods of ``recallite.aio.Memory``.\"\"\"\n\n",
    );
    properties().for_each(|one| call(one, "Memory", &mut text));
    for (property, area) in &areas {
        let name = &area.name;
        text.push_str(&format!(
            "\n    @property\n    def {property}(self) -> {name}:\n        \
             \"\"\"As the area of ``recallite.Memory``, awaited.\"\"\"\n        \
             return {name}(self._native.{property})\n"
        ));
    }
    text
}

fn call(method: &Method, class: &str, text: &mut String) {
    if method.is_property || method.name.starts_with('_') {
        return;
    }
    let way = match method.gives.as_str() {
        "Events" => "streamed",
        _ => "in_thread",
    };
    let name = &method.name;
    text.push_str(&format!("    {name} = {way}(native.{class}.{name})\n"));
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
        let text = module(&classes(stubs));
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
