//! A JSON file of an agent, which may contain comments: changes one entry and keeps the rest.

use std::fs;
use std::path::{Path, PathBuf};

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};

use crate::failure::{Failure, Outcome};
use crate::files;

/// The byte order mark that some editors put before a text.
pub(super) const BYTE_ORDER_MARK: char = '\u{feff}';

/// A file that was read to be changed and written back.
pub(super) struct JsonFile {
    pub(super) path: PathBuf,
    has_mark: bool,
    pub(super) root: CstRootNode,
}

impl JsonFile {
    /// Reads a file; a missing one is empty.
    pub(super) fn read(path: PathBuf) -> Outcome<JsonFile> {
        let text = files::read(&path)?.unwrap_or_default();
        let plain = text.strip_prefix(BYTE_ORDER_MARK);
        let root = CstRootNode::parse(plain.unwrap_or(&text), &ParseOptions::default())
            .map_err(|error| files::unreadable(&path, error))?;
        Ok(JsonFile {
            has_mark: plain.is_some(),
            path,
            root,
        })
    }

    /// The top-level object with this name, created if it is missing.
    pub(super) fn object(&self, name: &str) -> Outcome<CstObject> {
        self.root
            .object_value_or_create()
            .and_then(|top| top.object_value_or_create(name))
            .ok_or_else(|| files::unreadable(&self.path, format_args!("{name} is not an object")))
    }

    /// The top-level object with this name, if it exists.
    pub(super) fn object_if_there(&self, name: &str) -> Option<CstObject> {
        self.root.object_value()?.object_value(name)
    }

    pub(super) fn write(&self) -> Outcome {
        let mark = if self.has_mark { "\u{feff}" } else { "" };
        files::write(&self.path, &format!("{mark}{}", self.root))
    }

    /// Writes the rest of a file, or removes it if only an empty object with this name is left, as
    /// an installation creates it.
    pub(super) fn write_unless_empty(&self, name: &str) -> Outcome {
        let mut left = self.root.to_string();
        left.retain(|c| !c.is_whitespace());
        match left == format!("{{\"{name}\":{{}}}}") {
            true => remove(&self.path, EMPTY),
            false => self.write(),
        }
    }
}

/// A JSON file without content.
pub(super) const EMPTY: &str = "{}\n";

/// Removes a file in which nothing is left; through a link, it is only emptied, to a text that its
/// program can still read.
pub(super) fn remove(path: &Path, empty: &str) -> Outcome {
    let is_file = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file());
    match is_file {
        true => fs::remove_file(path).map_err(|error| Failure::io(path, &error)),
        false => files::write(path, empty),
    }
}

pub(super) fn text(text: &str) -> CstInputValue {
    CstInputValue::String(text.to_owned())
}

/// A JSON object with these members, in order.
pub(super) fn object(
    fields: impl IntoIterator<Item = (&'static str, CstInputValue)>,
) -> CstInputValue {
    let fields = fields.into_iter();
    CstInputValue::Object(
        fields
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
    )
}
