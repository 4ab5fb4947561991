//! A JSON file of an agent, which may contain comments: changes one entry and keeps the rest.

use std::fs;
use std::path::{Path, PathBuf};

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstObjectProp, CstRootNode};
use serde_json::Value;

use crate::failure::{Failure, Outcome};
use crate::files;

/// The byte order mark that some editors put before a text.
pub(super) const BYTE_ORDER_MARK: char = '\u{feff}';

/// What an agent accepts in a file: one that it cannot read is not to be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Syntax {
    /// JSON and nothing else, as serde and `JSON.parse` read it.
    Strict,
    /// Also comments, commas at the end and a byte order mark.
    WithComments,
}

impl Syntax {
    fn options(self) -> ParseOptions {
        let is_lenient = self == Syntax::WithComments;
        ParseOptions {
            allow_comments: is_lenient,
            allow_trailing_commas: is_lenient,
            allow_loose_object_property_names: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        }
    }
}

/// A file that was read to be changed and written back.
pub(super) struct JsonFile {
    pub(super) path: PathBuf,
    has_mark: bool,
    pub(super) root: CstRootNode,
    /// What it said when it was read; `None` if there was nothing in it.
    before: Option<Value>,
}

impl JsonFile {
    /// Reads a file; a missing one is empty.
    pub(super) fn read(path: PathBuf, syntax: Syntax) -> Outcome<JsonFile> {
        let text = files::read(&path)?.unwrap_or_default();
        let plain = match syntax {
            Syntax::Strict => None,
            Syntax::WithComments => text.strip_prefix(BYTE_ORDER_MARK),
        };
        if syntax == Syntax::Strict && !text.trim().is_empty() {
            serde_json::from_str::<Value>(&text)
                .map_err(|error| files::unreadable(&path, error))?;
        }
        let root = CstRootNode::parse(plain.unwrap_or(&text), &syntax.options())
            .map_err(|error| files::unreadable(&path, error))?;
        Ok(JsonFile {
            has_mark: plain.is_some(),
            path,
            before: root.to_serde_value(),
            root,
        })
    }

    /// The top-level object with this name, created if it is missing.
    pub(super) fn object(&self, name: &str) -> Outcome<CstObject> {
        let wrong = || files::unreadable(&self.path, format_args!("{name} is not an object"));
        let no_object = || files::unreadable(&self.path, "it is not a JSON object");
        let top = self.root.object_value_or_create().ok_or_else(no_object)?;
        match members(&top, name).pop() {
            Some(last) => last.object_value().ok_or_else(wrong),
            None => Ok(top.object_value_or_set(name)),
        }
    }

    /// The top-level object with this name, if it exists.
    pub(super) fn object_if_there(&self, name: &str) -> Option<CstObject> {
        let top = self.root.object_value()?;
        members(&top, name).pop()?.object_value()
    }

    /// Writes the file, unless it says the same as before: a text that a person laid out stays.
    pub(super) fn write(&self) -> Outcome {
        if self.before.is_some() && self.root.to_serde_value() == self.before {
            return Ok(());
        }
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

/// The members of an object with this name, of which programs read the last.
pub(super) fn members(object: &CstObject, name: &str) -> Vec<CstObjectProp> {
    let mut members = object.properties();
    members.retain(|member| member.decoded_name().as_deref() == Some(name));
    members
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
