//! Inverts forward entries into postings in memory. The memtable is searched in this form, and new
//! segments are written from it.

use crate::embed::static_table;
use crate::index::bytes::term_hash;
use crate::index::lexical::analyser::is_better_surface;
use crate::index::lexical::forward::{
    self, EventFacts, ForwardPassage, ForwardTerm, ForwardVisitor,
};
use crate::index::lexical::id_table::IdTable;
use crate::index::lexical::pool::{Pool, Span};
use crate::index::lexical::semantic::StaticEmbedding;
use crate::model::error::Result;

const NONE: u32 = u32::MAX;

/// An event and its first passage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EventRow {
    pub facts: EventFacts,
    pub first_passage: u32,
}

/// A passage's row in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PassageRow {
    pub event: u32,
    pub start: u32,
    pub length: u32,
    pub words: u16,
    /// The position of its event among the turns of a segment, or [`NO_PLACE`].
    pub place: u32,
}

/// The place of an event that is not a turn of a conversation.
pub(crate) const NO_PLACE: u32 = u32::MAX;

/// One embedding per passage.
pub(crate) type Embeddings = Vec<StaticEmbedding>;

pub(crate) struct InvertedTerm {
    stem: Span,
    surface: Span,
    pieces: Span,
    pub hash: u32,
    pub norm: u16,
    pub df: u32,
    first: u32,
    last: u32,
}

struct Posting {
    passage: u32,
    next: u32,
    positions: Span,
}

/// The postings of some events, in the order in which they were added.
pub(crate) struct Inverted {
    pub events: Vec<EventRow>,
    pub passages: Vec<PassageRow>,
    pub embeddings: Embeddings,
    pub terms: Vec<InvertedTerm>,
    ids: IdTable,
    text: Pool<u8>,
    pieces: Pool<u16>,
    postings: Vec<Posting>,
    positions: Pool<u8>,
}

impl Inverted {
    pub(crate) fn new() -> Self {
        Inverted {
            events: Vec::new(),
            passages: Vec::new(),
            embeddings: Vec::new(),
            terms: Vec::new(),
            ids: IdTable::new(),
            text: Pool::default(),
            pieces: Pool::default(),
            postings: Vec::new(),
            positions: Pool::default(),
        }
    }

    /// Adds an event. After an error the contents must not be used.
    pub(crate) fn add(&mut self, entry: &[u8]) -> Result<EventFacts> {
        forward::decode(entry, self)
    }

    pub(crate) fn stem(&self, term: &InvertedTerm) -> &[u8] {
        self.text.get(term.stem)
    }

    pub(crate) fn surface(&self, term: &InvertedTerm) -> &[u8] {
        self.text.get(term.surface)
    }

    pub(crate) fn pieces(&self, term: &InvertedTerm) -> &[u16] {
        self.pieces.get(term.pieces)
    }

    pub(crate) fn find(&self, stem: &[u8]) -> Option<u32> {
        let hash = term_hash(stem);
        self.ids.find(hash, |id| {
            let term = &self.terms[id as usize];
            term.hash == hash && self.stem(term) == stem
        })
    }

    /// The passages that hold a term, ascending, each with the term's positions.
    pub(crate) fn postings(&self, term: u32) -> impl Iterator<Item = (u32, &[u8])> {
        let mut at = self.terms[term as usize].first;
        std::iter::from_fn(move || {
            let posting = self.postings.get(at as usize)?;
            at = posting.next;
            Some((posting.passage, self.positions.get(posting.positions)))
        })
    }

    fn set_surface(&mut self, term: u32, new: &ForwardTerm<'_>) {
        let surface = self.text.keep(new.surface);
        let pieces = new.pieces.as_chunks::<2>().0;
        let pieces = pieces.iter().map(|&piece| u16::from_le_bytes(piece));
        let pieces = self.pieces.keep_all(pieces);
        let norm = match self.pieces.get(pieces) {
            [one] => static_table::encoded_norm(&[*one]),
            _ => new.norm,
        };
        let term = &mut self.terms[term as usize];
        (term.surface, term.pieces, term.norm) = (surface, pieces, norm);
    }
}

impl ForwardVisitor for Inverted {
    fn event(&mut self, facts: &EventFacts) {
        let first_passage = self.passages.len() as u32;
        self.events.push(EventRow {
            facts: *facts,
            first_passage,
        });
    }

    fn passage(&mut self, passage: &ForwardPassage) {
        self.passages.push(PassageRow {
            event: self.events.len() as u32 - 1,
            start: passage.span.start,
            length: passage.span.end - passage.span.start,
            words: passage.words.min(u16::MAX as u32) as u16,
            place: NO_PLACE,
        });
        self.embeddings.push(passage.embedding);
    }

    fn term(&mut self, new: &ForwardTerm<'_>) {
        let mut buffer = [0u8; crate::index::lexical::analyser::MAX_TERM_BYTES];
        let length = new.shared + new.added.len();
        buffer[..new.shared].copy_from_slice(&new.surface[..new.shared]);
        buffer[new.shared..length].copy_from_slice(new.added);
        let stem = &buffer[..length];
        let passage = self.passages.len() as u32 - 1;
        let positions = self.positions.keep(new.positions);
        let posting = self.postings.len() as u32;
        self.postings.push(Posting {
            passage,
            next: NONE,
            positions,
        });
        match self.find(stem) {
            Some(id) => {
                let term = &mut self.terms[id as usize];
                term.df += 1;
                let last = std::mem::replace(&mut term.last, posting);
                self.postings[last as usize].next = posting;
                let known = self.terms[id as usize].surface;
                if is_better_surface(new.surface, self.text.get(known)) {
                    self.set_surface(id, new);
                }
            }
            None => {
                let hash = term_hash(stem);
                let stem = self.text.keep(stem);
                let id = self.terms.len() as u32;
                self.terms.push(InvertedTerm {
                    stem,
                    surface: stem,
                    pieces: Span::default(),
                    hash,
                    norm: 0,
                    df: 1,
                    first: posting,
                    last: posting,
                });
                self.set_surface(id, new);
                self.ids.insert(hash, id);
            }
        }
    }
}
