//! The logistic models of relevance: one for recall by words, one for recall with
//! the vectors of an embedder, whose scores lie differently.

/// The weights of the features that say how likely a hit is right.
#[derive(Clone, Copy, Debug)]
pub(super) struct RelevanceModel {
    pub(super) exact: f32,
    pub(super) context: f32,
    pub(super) gap: f32,
    pub(super) drop: f32,
    pub(super) date: f32,
    pub(super) temporal: f32,
    pub(super) first: f32,
    pub(super) log_idf: f32,
    pub(super) log_words: f32,
    pub(super) named: f32,
    pub(super) spread: f32,
    pub(super) constant: f32,
}

/// Source: fitted on the development sets, each conversation held out once; see
/// `docs/recall.md`.
pub(super) const BY_WORDS: RelevanceModel = RelevanceModel {
    exact: 0.065,
    context: 2.128,
    gap: 5.264,
    drop: -4.516,
    date: 1.151,
    temporal: 1.217,
    first: 0.567,
    log_idf: 1.217,
    log_words: 0.877,
    named: 0.625,
    spread: 0.25,
    constant: -4.111,
};

/// Source: fitted in the same way with all-MiniLM-L6-v2.
pub(super) const WITH_VECTORS: RelevanceModel = RelevanceModel {
    exact: 0.115,
    context: 1.192,
    gap: 6.366,
    drop: -5.049,
    date: 0.363,
    temporal: 1.368,
    first: 0.676,
    log_idf: 0.0,
    log_words: 0.595,
    named: 0.184,
    spread: 0.0,
    constant: -3.727,
};

/// From this relevance of the first hit on the result is "high".
pub(super) const HIGH: f32 = 0.75;
/// Below this relevance of the first hit the result is "none".
pub(super) const NONE: f32 = 0.1;
