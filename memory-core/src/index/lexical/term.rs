//! How a term is named in one leaf, and where its postings are.

/// Where the postings of a term are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TermInfo {
    pub df: u32,
    /// The one passage is `offset` itself, at position `extent`.
    pub inline: bool,
    /// Offset in the postings.
    pub offset: u32,
    /// Bytes of the documents; positions follow them. Unknown (0) from cells.
    pub extent: u32,
}

/// A stem of one leaf that a word of the query stands for.
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
