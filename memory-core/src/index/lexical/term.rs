//! The identity of a term within one leaf, and the location of its postings.

/// The location of a term's postings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TermInfo {
    pub df: u32,
    /// If set, the only passage is `offset` itself, at position `extent`.
    pub inline: bool,
    /// The offset in the postings section.
    pub offset: u32,
    /// Bytes of the documents, which positions follow. Unknown (0) if read from a cell.
    pub extent: u32,
}

/// A stem of one leaf that a query word expands to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExpansionTerm {
    pub cosine: f32,
    pub hash: u32,
    pub term: LeafTerm,
}

/// A term of one leaf.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LeafTerm {
    Segment(TermInfo),
    Memtable(u32),
}
