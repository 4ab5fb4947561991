//! Parses the `--name value` options and `--flag`s of a command.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::Result;

/// Flags that take no value.
const FLAGS: &[&str] = &["merged", "baselines", "ablation"];

/// The options of one call.
#[derive(Debug, Default)]
pub(crate) struct Arguments(BTreeMap<String, String>);

impl Arguments {
    pub(crate) fn parse(mut words: impl Iterator<Item = String>) -> Result<Self> {
        let mut found = BTreeMap::new();
        while let Some(word) = words.next() {
            let name = word
                .strip_prefix("--")
                .ok_or_else(|| format!("unexpected argument {word:?}"))?;
            let value = if FLAGS.contains(&name) {
                String::new()
            } else {
                words
                    .next()
                    .ok_or_else(|| format!("--{name} needs a value"))?
            };
            found.insert(name.to_owned(), value);
        }
        Ok(Arguments(found))
    }

    pub(crate) fn path(&self, name: &str) -> Result<PathBuf> {
        self.0
            .get(name)
            .map(PathBuf::from)
            .ok_or_else(|| format!("--{name} is missing").into())
    }

    pub(crate) fn choice(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    pub(crate) fn text(&self, name: &str) -> Result<&str> {
        self.0
            .get(name)
            .map(String::as_str)
            .ok_or_else(|| format!("--{name} is missing").into())
    }

    pub(crate) fn number(&self, name: &str, default: usize) -> Result<usize> {
        match self.0.get(name) {
            Some(value) => value
                .parse()
                .map_err(|_| format!("--{name} {value:?} is no number").into()),
            None => Ok(default),
        }
    }

    /// A comma-separated list of numbers.
    pub(crate) fn numbers(&self, name: &str, default: &str) -> Result<Vec<usize>> {
        let numbers = self.choice(name).unwrap_or(default).split(',');
        numbers
            .map(|number| {
                number
                    .parse()
                    .map_err(|_| format!("--{name} {number:?} is no number").into())
            })
            .collect()
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }
}
