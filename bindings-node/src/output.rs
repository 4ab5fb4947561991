//! What the core gives, as plain JavaScript objects. An absent value is null,
//! a time is a number of milliseconds, an id is a string.

use recallite::{Error, ErrorCode, Hit, Result, Timestamp};

use crate::generated::{NativeHit, NativePassage};
use crate::input::MAX_SAFE_INTEGER;

/// A count as a double, never rounded.
pub fn number(value: u64) -> Result<f64> {
    if value > MAX_SAFE_INTEGER {
        return Err(Error::new(
            ErrorCode::Unsupported,
            format!("{value} is more than a JavaScript number holds exactly"),
        ));
    }
    Ok(value as f64)
}

/// A time in milliseconds since 1970.
pub fn ms(time: Timestamp) -> f64 {
    // Years 1 to 9999 lie far within what a double holds exactly.
    time.millis() as f64
}

/// A count of things in memory.
pub fn size(value: usize) -> Result<f64> {
    number(value as u64)
}

/// A part of a content; `utf16_start` is how many UTF-16 code units lie before.
pub fn passage(
    text: String,
    start_byte: usize,
    end_byte: usize,
    utf16_start: usize,
) -> Result<NativePassage> {
    Ok(NativePassage {
        start: size(utf16_start)?,
        end: size(utf16_start + utf16_length(&text))?,
        start_byte: size(start_byte)?,
        end_byte: size(end_byte)?,
        text,
    })
}

/// A hit; `utf16_start` is how many UTF-16 code units lie before its passage.
pub fn hit(hit: Hit, utf16_start: usize) -> Result<NativeHit> {
    Ok(NativeHit {
        id: hit.id.to_string(),
        seq: number(hit.seq.0)?,
        citation: hit.citation.as_str().to_owned(),
        kind: hit.kind.as_str().to_owned(),
        session: hit.session,
        project: hit.project,
        actor: hit.actor,
        origin: hit.origin.as_str().to_owned(),
        timestamp: ms(hit.timestamp),
        summary: hit.summary,
        passage: passage(
            hit.passage.text,
            hit.passage.start,
            hit.passage.end,
            utf16_start,
        )?,
        rank_score: f64::from(hit.rank_score),
        match_score: f64::from(hit.match_score),
        relevance: f64::from(hit.relevance),
    })
}

/// How long a text is for JavaScript.
pub fn utf16_length(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}
