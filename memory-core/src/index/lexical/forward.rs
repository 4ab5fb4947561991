//! The forward entry: what the lexical index needs of one event, written in the transaction that
//! appends it and deleted when it is flushed to a segment.
//!
//! Layout, version 1 (varint = 7 bits a byte, low first):
//! `u8` version · varint seq, session, turn + 1 (0 = none), project, kind ·
//! `u8` origin, flags · zigzag varint timestamp · `u32` actor · varint passages,
//! each: varint start (from the previous start), length, words, [`EMBEDDING_BYTES`] of
//! the passage's embedding, varint terms, each term:
//! varint surface length · surface · `u8` (bytes the stem drops << 4 | bytes it
//! adds) · added bytes · `u8` (frequency << 4 | pieces) · a byte per position ·
//! `u16` norm if there are 2 pieces or more · `u16` per piece.
//! Last 4 bytes: XXH3 of all before, low half.

use std::ops::Range;

use crate::embed::static_table;
use crate::index::bytes::shared_prefix;
use crate::index::bytes::{Reader, put_varint, term_hash, unzigzag, zigzag};
use crate::index::lexical::analyser::{Analyser, MAX_TERM_BYTES, Term};
use crate::index::lexical::layout::EMBEDDING_BYTES;
use crate::index::lexical::passages::passages;
use crate::index::lexical::semantic::StaticEmbedding;
use crate::model::error::Result;

const VERSION: u8 = 1;
/// The turn of an event that is not a turn of a conversation.
pub const NO_TURN: u32 = u32::MAX;
/// The event's text ends with a question mark.
pub const IS_QUESTION: u8 = 1;
/// The event's text says when something happened.
pub const HAS_TEMPORAL: u8 = 2;

/// The facts about an event that filters, pooling and cues need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventFacts {
    /// Position in the log.
    pub seq: u64,
    /// The session's number in the store.
    pub session: u32,
    /// The event's turn in its session, counting prompts and responses only; [`NO_TURN`] for other
    /// events and for notes.
    pub turn: u32,
    /// The project's number in the store.
    pub project: u32,
    /// The kind's number.
    pub kind: u16,
    /// The origin's number.
    pub origin: u8,
    /// [`IS_QUESTION`] and [`HAS_TEMPORAL`]; set by [`ForwardBody::encode`].
    pub flags: u8,
    /// Milliseconds since 1970.
    pub timestamp: i64,
    /// [`actor_hash`] of the actor's name.
    pub actor: u32,
}

/// The hash by which actors are compared, of the lower-case name.
pub fn actor_hash(name: &str) -> u32 {
    term_hash(name.trim().to_lowercase().as_bytes())
}

/// A part of an event's text, which is cut into passages on its own.
#[derive(Clone, Copy, Debug)]
pub struct TextPart<'a> {
    /// Indexed with every passage of the part but outside of any span: a speaker, a date, a tool's
    /// name.
    pub header: &'a str,
    /// Whether the header is included in the embeddings.
    pub embeds_header: bool,
    /// The text.
    pub text: &'a str,
    /// Where `text` begins in the event's content, in bytes.
    pub offset: usize,
}

/// The analysed text of an event whose position in the log is not known yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForwardBody {
    flags: u8,
    passages: u64,
    bytes: Vec<u8>,
}

/// Receives the passages of an event, in order.
pub(crate) trait PassageSink {
    /// Called before a passage is analysed.
    fn before(&mut self, _analyser: &mut Analyser) {}

    /// A passage: its span, its embedding, and the analyser that holds its terms.
    fn passage(&mut self, analyser: &Analyser, span: Range<usize>, embedding: StaticEmbedding);
}

/// Analyses an event's text passage by passage. Returns the event's question and temporal flags.
pub(crate) fn each_passage(
    analyser: &mut Analyser,
    parts: &[TextPart<'_>],
    sink: &mut impl PassageSink,
) -> u8 {
    let mut flags = 0;
    if let Some(part) = parts.first() {
        let end = part.text.trim_end().chars().next_back();
        if matches!(end, Some('?' | '？' | '؟')) {
            flags |= IS_QUESTION;
        }
    }
    for part in parts {
        for span in passages(part.text) {
            sink.before(analyser);
            analyser.analyse(part.header, &part.text[span.clone()]);
            if analyser.has_temporal() {
                flags |= HAS_TEMPORAL;
            }
            let embedding = StaticEmbedding::of_analysed(analyser, part.embeds_header);
            let span = part.offset + span.start..part.offset + span.end;
            sink.passage(analyser, span, embedding);
        }
    }
    flags
}

/// Collects the passages of a body.
struct BodyWriter {
    bytes: Vec<u8>,
    passages: u64,
    previous: usize,
}

impl PassageSink for BodyWriter {
    fn passage(&mut self, analyser: &Analyser, span: Range<usize>, embedding: StaticEmbedding) {
        let out = &mut self.bytes;
        put_varint(out, zigzag(span.start as i64 - self.previous as i64));
        self.previous = span.start;
        put_varint(out, span.len() as u64);
        put_varint(out, analyser.length() as u64);
        out.extend(embedding.encode());
        put_varint(out, analyser.terms().len() as u64);
        for term in analyser.terms() {
            encode_term(out, &term);
        }
        self.passages += 1;
    }
}

/// Analyses an event's text, from which the question and temporal flags are derived.
pub fn analyse(analyser: &mut Analyser, parts: &[TextPart<'_>]) -> ForwardBody {
    let mut writer = BodyWriter {
        bytes: Vec::with_capacity(512),
        passages: 0,
        previous: 0,
    };
    let flags = each_passage(analyser, parts, &mut writer);
    ForwardBody {
        flags,
        passages: writer.passages,
        bytes: writer.bytes,
    }
}

impl ForwardBody {
    /// Visits each word of each passage: its stem, its surface, and whether it has pieces.
    ///
    /// # Errors
    /// None for a body that [`analyse`] made.
    pub(crate) fn each_word(&self, visit: VisitWord<'_>) -> Result<()> {
        decode(&self.encode(&EventFacts::default()), &mut Words(visit)).map(drop)
    }

    /// Encodes the entry: the facts, then the passages.
    pub fn encode(&self, facts: &EventFacts) -> Vec<u8> {
        let mut entry = Vec::with_capacity(self.bytes.len() + 48);
        entry.push(VERSION);
        put_varint(&mut entry, facts.seq);
        put_varint(&mut entry, facts.session as u64);
        put_varint(&mut entry, facts.turn.wrapping_add(1) as u64);
        put_varint(&mut entry, facts.project as u64);
        put_varint(&mut entry, facts.kind as u64);
        entry.extend([facts.origin, facts.flags | self.flags]);
        put_varint(&mut entry, zigzag(facts.timestamp));
        entry.extend(facts.actor.to_le_bytes());
        put_varint(&mut entry, self.passages);
        entry.extend(&self.bytes);
        let sum = term_hash(&entry);
        entry.extend(sum.to_le_bytes());
        entry
    }
}

/// [`analyse`] and [`ForwardBody::encode`] in one step.
#[cfg(test)]
pub fn encode(analyser: &mut Analyser, facts: &EventFacts, parts: &[TextPart<'_>]) -> Vec<u8> {
    analyse(analyser, parts).encode(facts)
}

fn encode_term(out: &mut Vec<u8>, term: &Term<'_>) {
    put_varint(out, term.surface.len() as u64);
    out.extend(term.surface);
    let shared = shared_prefix(term.stem, term.surface);
    let dropped = term.surface.len() - shared;
    let added = &term.stem[shared..];
    debug_assert!(
        dropped < 16 && added.len() < 16,
        "the analyser keeps stems near"
    );
    out.push((dropped as u8) << 4 | added.len() as u8);
    out.extend(added);
    out.push((term.positions.len() as u8) << 4 | term.pieces.len() as u8);
    out.extend(term.positions);
    if term.pieces.len() > 1 {
        out.extend(term.norm.to_le_bytes());
    }
    for piece in term.pieces {
        out.extend(piece.to_le_bytes());
    }
}

/// One passage of a decoded entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForwardPassage {
    /// Its byte range in the event's content.
    pub span: Range<u32>,
    /// The number of its words, without stop words.
    pub words: u32,
    /// Its embedding.
    pub(crate) embedding: StaticEmbedding,
}

/// Receives an entry's contents in order.
pub(crate) trait ForwardVisitor {
    fn event(&mut self, facts: &EventFacts);
    fn passage(&mut self, passage: &ForwardPassage);
    fn term(&mut self, term: &ForwardTerm<'_>);
}

/// A term of a passage, as encoded.
pub(crate) struct ForwardTerm<'a> {
    pub surface: &'a [u8],
    /// The stem is `surface[..shared]` followed by `added`.
    pub shared: usize,
    pub added: &'a [u8],
    pub positions: &'a [u8],
    pub norm: u16,
    /// Little-endian `u16`s.
    pub pieces: &'a [u8],
}

/// Receives a stem, its surface, and whether the surface has pieces.
pub(crate) type VisitWord<'a> = &'a mut dyn FnMut(&[u8], &[u8], bool);

/// Passes on the words of an entry.
struct Words<'a>(VisitWord<'a>);

impl ForwardVisitor for Words<'_> {
    fn event(&mut self, _: &EventFacts) {}

    fn passage(&mut self, _: &ForwardPassage) {}

    fn term(&mut self, term: &ForwardTerm<'_>) {
        let stem = [&term.surface[..term.shared], term.added].concat();
        (self.0)(&stem, term.surface, !term.pieces.is_empty());
    }
}

/// Decodes the facts of an entry without its terms.
///
/// # Errors
/// `corrupt` if the bytes are not what [`encode`] wrote.
pub fn facts(entry: &[u8]) -> Result<EventFacts> {
    let (facts, _) = head(entry)?;
    Ok(facts)
}

/// Decodes the facts; the reader is left at the passages.
fn head(entry: &[u8]) -> Result<(EventFacts, Reader<'_>)> {
    const PLACE: &str = "forward entry";
    let damaged = || Reader::new(&[], PLACE).corrupt();
    let (body, sum) = entry.split_last_chunk::<4>().ok_or_else(damaged)?;
    if term_hash(body) != u32::from_le_bytes(*sum) {
        return Err(damaged());
    }
    let mut reader = Reader::new(body, PLACE);
    let version = reader.byte()?;
    if version != VERSION {
        return Err(reader.corrupt());
    }
    let facts = EventFacts {
        seq: reader.varint()?,
        session: reader.varint32()?,
        turn: reader.varint32()?.wrapping_sub(1),
        project: reader.varint32()?,
        kind: reader.varint()? as u16,
        origin: reader.byte()?,
        flags: reader.byte()?,
        timestamp: unzigzag(reader.varint()?),
        actor: reader.u32()?,
    };
    Ok((facts, reader))
}

/// Decodes an entry. On an error the visitor may have seen part of it.
pub(crate) fn decode(entry: &[u8], visitor: &mut impl ForwardVisitor) -> Result<EventFacts> {
    let (facts, mut reader) = head(entry)?;
    visitor.event(&facts);
    let count = reader.count(4)?;
    let mut start = 0i64;
    for _ in 0..count {
        start = start.saturating_add(unzigzag(reader.varint()?));
        let length = reader.varint32()?;
        let begin = u32::try_from(start).map_err(|_| reader.corrupt())?;
        let end = begin.checked_add(length).ok_or_else(|| reader.corrupt())?;
        let words = reader.varint32()?;
        let bytes = reader.take(EMBEDDING_BYTES)?.first_chunk();
        let embedding = StaticEmbedding::decode(bytes.ok_or_else(|| reader.corrupt())?);
        visitor.passage(&ForwardPassage {
            span: begin..end,
            words,
            embedding,
        });
        let terms = reader.count(5)?;
        for _ in 0..terms {
            let length = reader.varint()? as usize;
            if length == 0 || length > MAX_TERM_BYTES {
                return Err(reader.corrupt());
            }
            let surface = reader.take(length)?;
            let change = reader.byte()?;
            let (dropped, added) = ((change >> 4) as usize, (change & 15) as usize);
            let shared = length
                .checked_sub(dropped)
                .ok_or_else(|| reader.corrupt())?;
            let added = reader.take(added)?;
            let counts = reader.byte()?;
            let (frequency, pieces) = ((counts >> 4) as usize, (counts & 15) as usize);
            if frequency == 0
                || pieces > static_table::MAX_PIECES
                || shared + added.len() == 0
                || shared + added.len() > MAX_TERM_BYTES
            {
                return Err(reader.corrupt());
            }
            let positions = reader.take(frequency)?;
            let norm = if pieces > 1 { reader.u16()? } else { 0 };
            let pieces = reader.take(pieces * 2)?;
            visitor.term(&ForwardTerm {
                surface,
                shared,
                added,
                positions,
                norm,
                pieces,
            });
        }
    }
    if !reader.is_empty() {
        return Err(reader.corrupt());
    }
    Ok(facts)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Seen(Vec<String>, Vec<Range<u32>>);

    impl ForwardVisitor for Seen {
        fn event(&mut self, _: &EventFacts) {}
        fn passage(&mut self, passage: &ForwardPassage) {
            self.1.push(passage.span.clone());
        }
        fn term(&mut self, term: &ForwardTerm<'_>) {
            let stem = [&term.surface[..term.shared], term.added].concat();
            self.0.push(String::from_utf8_lossy(&stem).into_owned());
        }
    }

    fn example() -> (EventFacts, Vec<u8>) {
        let facts = EventFacts {
            seq: 77,
            session: 3,
            turn: 5,
            project: 1,
            kind: 1,
            origin: 0,
            flags: 0,
            timestamp: 1_700_000_000_123,
            actor: actor_hash("Caroline"),
        };
        let part = TextPart {
            header: "Caroline",
            embeds_header: false,
            text: "We happily met 서울에서 yesterday?",
            offset: 10,
        };
        let entry = encode(&mut Analyser::new(), &facts, &[part]);
        (facts, entry)
    }

    #[test]
    fn what_was_encoded_is_decoded() {
        let (mut expected, entry) = example();
        expected.flags = IS_QUESTION | HAS_TEMPORAL;
        let mut seen = Seen(Vec::new(), Vec::new());
        assert_eq!(decode(&entry, &mut seen).unwrap(), expected);
        assert_eq!(facts(&entry).unwrap(), expected);
        let stems = [
            "carolin",
            "happili",
            "met",
            "서울에서",
            "서울",
            "울에",
            "에서",
            "yesterday",
        ];
        assert_eq!(seen.0, stems);
        assert_eq!(seen.1.len(), 1);
        assert_eq!(seen.1[0], 10..48);
    }

    #[test]
    fn damaged_entries_are_refused() {
        let (_, entry) = example();
        for at in 0..entry.len() {
            let mut bad = entry.clone();
            bad[at] ^= 0x41;
            assert!(decode(&bad, &mut Seen(Vec::new(), Vec::new())).is_err());
            assert!(decode(&entry[..at], &mut Seen(Vec::new(), Vec::new())).is_err());
            // Nothing may panic even if the checksum is valid.
            let end = bad.len() - 4;
            let sum = term_hash(&bad[..end]).to_le_bytes();
            bad[end..].copy_from_slice(&sum);
            let _ = decode(&bad, &mut Seen(Vec::new(), Vec::new()));
        }
    }
}
