//! Citation ids: made from event ids, parsed from what people type, and shown in blocks of
//! quoted memories.

use std::borrow::Cow;
use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use crate::model::error::{Error, ErrorCode, Result};
use crate::model::ids::CitationId;
pub use crate::model::ids::{CITATION_LENGTH, CITATION_MAX_LENGTH, parse_citation};
use crate::model::read::words;
use crate::model::session::{ENDLESS_SESSION, outside_name};
use crate::model::time::Timestamp;
use crate::text::show::{Shown, harmless_line};

/// The number of salted ids to try per length before the next length.
pub const CITATION_ATTEMPTS: usize = 10;

/// How many characters of a session id to show beside a citation.
const SESSION_PREFIX_CHARS: usize = 6;

/// Returns the first `length` characters, at most 43, of base64url(SHA-256(event id)).
///
/// ```
/// assert_eq!(recallite::text::citation::citation_id("event_123", 6), "yo0XcA");
/// ```
pub fn citation_id(event_id: &str, length: usize) -> String {
    let mut id = URL_SAFE_NO_PAD.encode(Sha256::digest(event_id.as_bytes()));
    // base64url is ASCII, so every length is a character boundary.
    id.truncate(length);
    id
}

/// Returns an id of exactly `length` characters that is not taken: the plain id, or one of
/// those of `event_id:0` to `event_id:9`. Returns `None` if all eleven are taken.
pub fn unique_citation_id_of_length(
    event_id: &str,
    length: usize,
    mut is_taken: impl FnMut(&str) -> bool,
) -> Option<String> {
    let plain = citation_id(event_id, length);
    if !is_taken(&plain) {
        return Some(plain);
    }
    (0..CITATION_ATTEMPTS)
        .map(|attempt| citation_id(&format!("{event_id}:{attempt}"), length))
        .find(|id| !is_taken(id))
}

/// Returns a citation id that is not taken: of 6 characters if one of eleven candidates is
/// free, otherwise of 7, otherwise of 8.
///
/// # Errors
/// `already_exists` when all 33 candidates are taken.
pub fn unique_citation_id(
    event_id: &str,
    is_taken: impl FnMut(&str) -> bool,
) -> Result<CitationId> {
    unique_citation_id_from(CITATION_LENGTH, event_id, is_taken)
}

/// [`unique_citation_id`] of at least `length` characters.
pub(crate) fn unique_citation_id_from(
    length: usize,
    event_id: &str,
    mut is_taken: impl FnMut(&str) -> bool,
) -> Result<CitationId> {
    (length..=CITATION_MAX_LENGTH)
        .find_map(|length| unique_citation_id_of_length(event_id, length, &mut is_taken))
        .map(CitationId::from_checked)
        .ok_or_else(|| {
            Error::new(
                ErrorCode::AlreadyExists,
                format!("all possible citation ids of event {event_id} are taken"),
            )
        })
}

words! {
    /// How a block of cited memories is laid out.
    #[derive(Default)]
    CitationFormat ("format") {
        /// Each memory is quoted, with its citation below it (the default).
        #[default]
        Inline = "inline",
        /// Each memory is followed by `[n]`, and the citations are listed at the end.
        Footnote = "footnote",
        /// The memories are listed under `## Content`, the citations under `## References`.
        Reference = "reference",
        /// Each memory is quoted, without citations.
        None = "none",
    }
}

/// One memory in a citation block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CitedMemory {
    /// The text to show.
    pub content: String,
    /// Its citation, without `mem:`.
    pub citation: String,
    /// When it was created; its date is shown in UTC.
    pub timestamp: Timestamp,
    /// The session it belongs to; its first 6 characters are shown.
    pub session: String,
}

/// A memory as a block shows it.
struct Shaped<'m> {
    content: Cow<'m, str>,
    /// `Session` and its prefix; empty if it is not named.
    session: String,
    citation: &'m str,
    date: String,
}

impl<'m> Shaped<'m> {
    fn of(memory: &'m CitedMemory, shown: Shown) -> Self {
        let prefix = |name: &str| name.chars().take(SESSION_PREFIX_CHARS).collect();
        let session: String = match (shown, outside_name(&memory.session)) {
            (Shown::Raw, _) => prefix(&memory.session),
            (Shown::Harmless, ENDLESS_SESSION) => ENDLESS_SESSION.to_owned(),
            (Shown::Harmless, name) => prefix(&harmless_line(name)),
        };
        Shaped {
            content: shown.text(&memory.content),
            session: match (shown, session.as_str()) {
                (Shown::Harmless, "") => session,
                _ => format!("Session {session}"),
            },
            citation: &memory.citation,
            date: memory.timestamp.date_utc(),
        }
    }

    /// The session and what stands between it and the date; empty if it is not named.
    fn session_and(&self, before: &str, after: &str) -> String {
        match self.session.as_str() {
            "" => String::new(),
            session => format!("{before}{session}{after}"),
        }
    }
}

/// Formats the block of cited memories that is put in front of an agent.
///
/// What is [`Shown::Harmless`] names no session that is empty, and `endless` for a day of the endless
/// mode.
pub fn citation_block(memories: &[CitedMemory], format: CitationFormat, shown: Shown) -> String {
    let memories: Vec<Shaped<'_>> = memories
        .iter()
        .map(|memory| Shaped::of(memory, shown))
        .collect();
    match format {
        CitationFormat::Inline => inline_block(&memories, true),
        CitationFormat::None => inline_block(&memories, false),
        CitationFormat::Footnote => footnote_block(&memories),
        CitationFormat::Reference => reference_block(&memories),
    }
}

/// Every line of a memory is quoted: an unquoted one would look as if the author of the
/// prompt had written it.
fn inline_block(memories: &[Shaped<'_>], is_cited: bool) -> String {
    let mut out = String::from("## Relevant Context\n\nBased on previous conversations:\n\n");
    for (index, memory) in memories.iter().enumerate() {
        if index > 0 {
            out.push_str("\n\n---\n\n");
        }
        for line in memory.content.split('\n') {
            // Writing to a String cannot fail.
            let _ = writeln!(out, "> {line}");
        }
        if !is_cited {
            // The separator already provides the line break after the last quoted line.
            out.truncate(out.trim_end_matches('\n').len());
            continue;
        }
        let _ = write!(
            out,
            ">\n> [mem:{}] - {}{}",
            memory.citation,
            memory.date,
            memory.session_and(", ", "")
        );
    }
    out
}

fn footnote_block(memories: &[Shaped<'_>]) -> String {
    let mut out = String::new();
    for (index, memory) in memories.iter().enumerate() {
        if index > 0 {
            out.push_str("\n\n");
        }
        let _ = write!(out, "{} [{}]", memory.content, index + 1);
    }
    if !memories.is_empty() {
        out.push_str("\n\n---");
    }
    for (index, memory) in memories.iter().enumerate() {
        let _ = write!(
            out,
            "\n[{}] mem:{} - {}",
            index + 1,
            memory.citation,
            memory.date
        );
    }
    out
}

fn reference_block(memories: &[Shaped<'_>]) -> String {
    let mut out = String::from("## Content\n\n");
    for (index, memory) in memories.iter().enumerate() {
        if index > 0 {
            out.push_str("\n\n");
        }
        out.push_str(&memory.content);
    }
    if !memories.is_empty() {
        out.push_str("\n\n");
    }
    out.push_str("## References\n");
    for memory in memories {
        let _ = write!(
            out,
            "\n- [mem:{}] {}{}",
            memory.citation,
            memory.session_and("", ", "),
            memory.date
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn memory(content: &str) -> CitedMemory {
        CitedMemory {
            content: content.to_owned(),
            citation: "a7Bc3x".to_owned(),
            timestamp: Timestamp::from_millis_clamped(1_769_781_900_000),
            session: "세션-일이삼사".to_owned(),
        }
    }

    #[test]
    fn sessions_are_named_as_given_or_as_people_know_them() {
        let of = |session: &str| CitedMemory {
            session: session.to_owned(),
            ..memory("ship it")
        };
        let memories = [of(""), of("endless_2026-02-01")];
        let block = |format, shown| citation_block(&memories, format, shown);
        for (shown, none, endless) in [
            (Shown::Raw, ", Session ", ", Session endles"),
            (Shown::Harmless, "", ", Session endless"),
        ] {
            let inline = block(CitationFormat::Inline, shown);
            let named: Vec<&str> = inline
                .lines()
                .filter_map(|line| line.strip_prefix("> [mem:a7Bc3x] - 2026-01-30"))
                .collect();
            assert_eq!(named, [none, endless]);
        }
        let listed = block(CitationFormat::Reference, Shown::Harmless);
        let end = "- [mem:a7Bc3x] 2026-01-30\n- [mem:a7Bc3x] Session endless, 2026-01-30";
        assert!(listed.ends_with(end), "{listed}");
    }

    #[test]
    fn ids_grow_to_eight_characters_when_shorter_ones_are_taken() {
        let six = unique_citation_id("e", |_| false).expect("nothing is taken");
        assert_eq!(six.as_str().len(), 6);
        let seven = unique_citation_id("e", |id| id.len() < 7).expect("7 is free");
        assert_eq!(seven.as_str(), citation_id("e", 7));
        let eight = unique_citation_id("e", |id| id.len() < 8).expect("8 is free");
        assert_eq!(eight.as_str(), citation_id("e", 8));
        let error = unique_citation_id("e", |_| true).expect_err("all are taken");
        assert_eq!(error.code(), ErrorCode::AlreadyExists);
    }

    #[test]
    fn the_last_salted_id_counts() {
        let last = citation_id("e:9", 6);
        assert_eq!(
            unique_citation_id_of_length("e", 6, |id| id != last),
            Some(last.clone())
        );
    }

    #[test]
    fn a_later_citation_is_found_when_an_earlier_one_is_malformed() {
        assert_eq!(
            parse_citation("mem:xx then [mem:a7Bc3x]").as_deref(),
            Some("a7Bc3x")
        );
        assert_eq!(parse_citation("[mem:a7Bc3xYzQ]"), None);
        assert_eq!(parse_citation("mem:벡터검색구현"), None);
        assert_eq!(parse_citation(" a7Bc3x ").as_deref(), Some("a7Bc3x"));
    }

    #[test]
    fn every_line_is_quoted() {
        let text = "첫째\r\n둘째\n\nEnd";
        let block = citation_block(&[memory(text)], CitationFormat::Inline, Shown::Harmless);
        let body = block
            .split_once("conversations:\n\n")
            .expect("the header is there")
            .1;
        assert!(body.lines().all(|line| line.starts_with('>')), "{body}");
        assert!(body.ends_with("> [mem:a7Bc3x] - 2026-01-30, Session 세션-일이삼"));
        let raw = citation_block(&[memory(text)], CitationFormat::Inline, Shown::Raw);
        assert!(raw.contains("> 첫째\r\n> 둘째\n> \n> End\n"), "{raw:?}");
    }

    #[test]
    fn footnotes_and_references_list_each_citation_once() {
        let memories = [memory("one"), memory("two")];
        assert_eq!(
            citation_block(&memories, CitationFormat::Footnote, Shown::Harmless),
            "one [1]\n\ntwo [2]\n\n---\n[1] mem:a7Bc3x - 2026-01-30\n[2] mem:a7Bc3x - 2026-01-30"
        );
        assert_eq!(
            citation_block(&memories[..1], CitationFormat::Reference, Shown::Harmless),
            "## Content\n\none\n\n## References\n\n- [mem:a7Bc3x] Session 세션-일이삼, 2026-01-30"
        );
        assert_eq!(
            citation_block(&[], CitationFormat::Footnote, Shown::Harmless),
            ""
        );
    }

    proptest! {
        #[test]
        fn every_made_id_parses_back(event in ".{0,40}", length in 6usize..=8) {
            let id = citation_id(&event, length);
            prop_assert_eq!(id.len(), length);
            prop_assert_eq!(parse_citation(&format!("see [mem:{id}].")), Some(id));
        }

        #[test]
        fn parsing_never_panics(text in ".{0,60}") {
            let _ = parse_citation(&text);
        }
    }
}
