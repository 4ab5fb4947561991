//! The ids of things: log positions, event ids and citation ids. Each has its own type, so
//! that they cannot be mixed up.

use std::fmt;
use std::str::FromStr;

use super::error::{Error, Result};
use super::shorten::quoted;

/// A position in the log. Positions start at 1, have no gaps, and are assigned when an
/// event is stored. They order everything, and `changes_since` takes one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Seq(pub u64);

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The id of an event: a UUIDv7, shown in its usual 36-character form.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventId([u8; 16]);

impl EventId {
    /// Creates an id from its 16 bytes.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        EventId(bytes)
    }

    /// Returns the 16 bytes of the id.
    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        uuid::Uuid::from_bytes(self.0).hyphenated().fmt(f)
    }
}

impl fmt::Debug for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EventId({self})")
    }
}

impl FromStr for EventId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        uuid::Uuid::parse_str(text)
            .map(|id| EventId(id.into_bytes()))
            .map_err(|_| Error::invalid("id", format_args!("{} is not an event id", quoted(text))))
    }
}

/// The usual length of a citation id, in characters.
pub const CITATION_LENGTH: usize = 6;
/// The maximum length of a citation id, in characters, which occurs only after collisions.
pub const CITATION_MAX_LENGTH: usize = 8;

/// The short id of an event that people read and type, shown as `mem:a7Bc3x`. It has 6
/// characters, or 7 or 8 after a collision.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CitationId(String);

impl CitationId {
    /// Wraps an id that the citation rules produced or parsed.
    pub(crate) fn from_checked(id: String) -> Self {
        CitationId(id)
    }

    /// Returns the bare id, without `mem:`.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CitationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "mem:{}", self.0)
    }
}

impl fmt::Debug for CitationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CitationId({self})")
    }
}

impl FromStr for CitationId {
    type Err = Error;

    /// Accepts `a7Bc3x`, `mem:a7Bc3x` and `[mem:a7Bc3x]`.
    fn from_str(text: &str) -> Result<Self> {
        parse_citation(text).map(CitationId).ok_or_else(|| {
            Error::invalid(
                "citation",
                format_args!("{} is not a citation id", quoted(text)),
            )
        })
    }
}

fn is_citation_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'
}

/// Finds the citation id in what a person typed or pasted; `None` if it contains none. This
/// is either a bare id (`a7Bc3x`, `[a7Bc3x]`), or the first `mem:a7Bc3x` anywhere in the
/// text. An id has 6 to 8 characters from `A-Z a-z 0-9 - _`.
pub fn parse_citation(text: &str) -> Option<String> {
    let is_id = |id: &str| {
        (CITATION_LENGTH..=CITATION_MAX_LENGTH).contains(&id.len())
            && id.bytes().all(is_citation_byte)
    };
    let bare = text.trim();
    let bare = bare
        .strip_prefix('[')
        .and_then(|t| t.strip_suffix(']'))
        .unwrap_or(bare);
    if is_id(bare) {
        return Some(bare.to_owned());
    }
    text.match_indices("mem:").find_map(|(at, prefix)| {
        let rest = &text[at + prefix.len()..];
        let length = rest.bytes().take_while(|&b| is_citation_byte(b)).count();
        let id = &rest[..length];
        is_id(id).then(|| id.to_owned())
    })
}

/// Any of the three names of an event. Every call that takes an event takes this.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EventRef {
    /// The event's position in the log.
    Seq(Seq),
    /// The event's id.
    Id(EventId),
    /// The event's citation.
    Citation(CitationId),
}

impl From<Seq> for EventRef {
    fn from(seq: Seq) -> Self {
        EventRef::Seq(seq)
    }
}

impl From<EventId> for EventRef {
    fn from(id: EventId) -> Self {
        EventRef::Id(id)
    }
}

impl From<CitationId> for EventRef {
    fn from(id: CitationId) -> Self {
        EventRef::Citation(id)
    }
}

impl fmt::Display for EventRef {
    /// The id, the citation with `mem:`, or the position after `seq`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EventRef::Id(id) => id.fmt(f),
            EventRef::Citation(citation) => citation.fmt(f),
            EventRef::Seq(seq) => write!(f, "seq {}", seq.0),
        }
    }
}

impl FromStr for EventRef {
    type Err = Error;

    /// Accepts an event id (36 characters) or a citation in any of its forms.
    fn from_str(text: &str) -> Result<Self> {
        let text = text.trim();
        if text.len() == 36
            && let Ok(id) = text.parse::<EventId>()
        {
            return Ok(EventRef::Id(id));
        }
        text.parse::<CitationId>()
            .map(EventRef::Citation)
            .map_err(|_| {
                Error::invalid(
                    "id",
                    format_args!("{} is neither an event id nor a citation", quoted(text)),
                )
            })
    }
}
