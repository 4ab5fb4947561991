//! The options of a command, as its code asks for them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::ArgMatches;
use clap::parser::ValueSource;

use crate::Result;

/// The options of one call; a flag has an empty value.
#[derive(Debug, Default)]
pub(crate) struct Arguments(BTreeMap<String, String>);

impl Arguments {
    pub(crate) fn new(matches: &ArgMatches) -> Self {
        let given = |name: &&str| matches.value_source(name) == Some(ValueSource::CommandLine);
        let names = matches.ids().map(clap::Id::as_str).filter(given);
        let value = |name: &str| match matches.try_get_one::<String>(name) {
            Ok(Some(value)) => value.clone(),
            _ => String::new(),
        };
        Arguments(names.map(|name| (name.to_owned(), value(name))).collect())
    }

    /// The options of a process that another bench started and measures: no more is done about them
    /// than needed.
    pub(crate) fn of_part(mut words: impl Iterator<Item = String>) -> Result<Self> {
        let mut found = BTreeMap::new();
        while let Some(word) = words.next() {
            let name = word.strip_prefix("--").map(str::to_owned);
            let (Some(name), Some(value)) = (name, words.next()) else {
                return Err(format!("unexpected argument {word:?}").into());
            };
            found.insert(name, value);
        }
        Ok(Arguments(found))
    }

    pub(crate) fn path(&self, name: &str) -> Result<PathBuf> {
        self.text(name).map(PathBuf::from)
    }

    pub(crate) fn choice(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    pub(crate) fn text(&self, name: &str) -> Result<&str> {
        let missing = || format!("--{name} is missing").into();
        self.choice(name).ok_or_else(missing)
    }

    pub(crate) fn number(&self, name: &str, default: usize) -> Result<usize> {
        match self.choice(name) {
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
