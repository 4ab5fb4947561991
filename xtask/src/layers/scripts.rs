//! Reads the imports between the files of a package in TypeScript or Python, those for types only
//! included.

use std::collections::BTreeSet;
use std::path::Path;

use super::circles::{Arrow, Parts};
use crate::shell::{Outcome, read, sources};

/// Finds the modules that a text imports, each as it is written and as its parts below the
/// package, relative to the folder of the file that is given as its parts. What is no module of
/// the package is left out later.
pub type Reader = fn(&str, &[String]) -> Vec<(String, Parts)>;

/// The imports between the files below a folder.
pub fn arrows(folder: &Path, reader: Reader) -> Outcome<BTreeSet<Arrow>> {
    let mut files = Vec::new();
    for ending in ["ts", "mts", "py", "pyi"] {
        for file in sources(folder, ending)? {
            let name = file.strip_prefix(folder)?.with_extension("");
            let parts = name.iter().map(|part| part.to_string_lossy().into_owned());
            // Declarations for a module in two systems, as `index.ts` and `index.mts`, are two
            // files; only one of them bears the name by which others import it.
            let mut parts: Parts = parts.collect();
            if ending == "mts" {
                parts.push(ending.to_owned());
            }
            files.push((parts, read(&file)?));
        }
    }
    Ok(between(&files, reader))
}

fn between(files: &[(Parts, String)], reader: Reader) -> BTreeSet<Arrow> {
    let names: BTreeSet<&Parts> = files.iter().map(|(name, _)| name).collect();
    let mut arrows = BTreeSet::new();
    for (from, text) in files {
        let within = &from[..from.len() - 1];
        for (written, path) in reader(text, within) {
            // What is imported may be a name in the module.
            let Some(to) = (1..=path.len())
                .rev()
                .map(|end| path[..end].to_vec())
                .find(|to| names.contains(to))
            else {
                continue;
            };
            if to != *from {
                arrows.insert(Arrow {
                    from: from.clone(),
                    to,
                    written,
                });
            }
        }
    }
    arrows
}

/// `import ... from './name.js'`, `export ... from` and `import('./name.js')`.
pub fn typescript(text: &str, within: &[String]) -> Vec<(String, Parts)> {
    let mut found = Vec::new();
    for mark in ["from '", "import('", "import '"] {
        for (at, _) in text.match_indices(mark) {
            let written = text[at + mark.len()..]
                .split('\'')
                .next()
                .unwrap_or_default();
            if !written.starts_with('.') {
                continue;
            }
            let path = written
                .split('/')
                .try_fold(within.to_vec(), |mut path, part| {
                    match part {
                        "." => {}
                        // Above the package nothing of it is left.
                        ".." => drop(path.pop()?),
                        name => path.push(name.trim_end_matches(".js").to_owned()),
                    }
                    Some(path)
                });
            found.extend(path.map(|path| (written.to_owned(), path)));
        }
    }
    found
}

/// `from .name import a, b`, also over several lines.
pub fn python(text: &str, within: &[String]) -> Vec<(String, Parts)> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("from .") {
        let before = text[..at].rsplit('\n').next().unwrap_or_default();
        let is_statement = before.trim().is_empty();
        let Some((module, rest)) = text[at + "from ".len()..].split_once(" import ") else {
            continue;
        };
        if !is_statement || module.contains(char::is_whitespace) {
            continue;
        }
        let ups = module.bytes().take_while(|byte| *byte == b'.').count() - 1;
        let mut path = within[..within.len() - ups.min(within.len())].to_vec();
        path.extend(
            module
                .split('.')
                .filter(|part| !part.is_empty())
                .map(str::to_owned),
        );
        let names = match rest.strip_prefix('(') {
            Some(list) => list.split(')').next(),
            None => rest.lines().next(),
        };
        for name in names.unwrap_or_default().split(',') {
            // Behind the name stand `as` and comments.
            if let Some(name) = name.split_whitespace().next() {
                let dot = if module.ends_with('.') { "" } else { "." };
                let path = [path.as_slice(), &[name.to_owned()]].concat();
                found.push((format!("{module}{dot}{name}"), path));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layers::circles::circles;

    fn of(files: &[(&str, &str)], reader: Reader) -> Vec<String> {
        let parts = |name: &str| name.split('/').map(str::to_owned).collect();
        let files: Vec<_> = files
            .iter()
            .map(|(name, text)| (parts(name), (*text).to_owned()))
            .collect();
        circles(&between(&files, reader))
    }

    #[test]
    fn a_circle_in_typescript_is_named_even_of_types_and_through_folders() {
        let files = [
            (
                "one",
                "import type { Two } from './below/two.js';\nimport { a } from 'node:util';",
            ),
            ("below/two", "export * from '../three.js';"),
            ("three", "import {\n  one,\n} from './one.js';"),
            ("four", "import { one } from './one.js';"),
        ];
        assert_eq!(
            of(&files, typescript),
            [
                "a circle: below/two imports three (../three.js); three imports one (./one.js); one \
              imports below/two (./below/two.js)"
            ]
        );
    }

    #[test]
    fn a_circle_in_python_is_named_even_of_types_and_through_folders() {
        let files = [
            (
                "_one",
                "if TYPE_CHECKING:\n    from ._below.two import (\n        A,\n        B,\n    )",
            ),
            (
                "_below/two",
                "from .. import _one as one  # why\nfrom .three import C",
            ),
            (
                "_below/three",
                "\"\"\"Taken from .two, or not.\"\"\"\nimport os",
            ),
        ];
        assert_eq!(
            of(&files, python),
            ["a circle: _below/two imports _one (.._one); _one imports _below/two (._below.two.B)"]
        );
    }
}
