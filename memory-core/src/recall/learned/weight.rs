//! Sizes and weights. Chosen by hand on the questions of the tests and of `docs/recall.md`;
//! there is no labelled set for learned items yet.

/// How many entries, and how many other items, are taken from the index.
pub(super) const CANDIDATES: usize = 200;
/// The same where their proofs decide whether they are shown.
pub(super) const NARROWED_CANDIDATES: usize = 2_000;
/// How many times more are taken, and how many at most, while filters reject them.
pub(super) const WIDER: usize = 8;
pub(super) const MAX_CANDIDATES: usize = 12_800;
/// How many times the limit is read, because filters may reject some.
pub(super) const LOOK_AT: usize = 4;
/// Items that cover less of the question are left out.
pub(super) const MIN_COVERAGE: f32 = 0.2;
/// How much a word counts that is only similar to one of the question's.
pub(super) const EXPANSION_SHARE: f32 = 0.7;
/// The probability that one shared word is chance; halved by each further word.
pub(super) const CHANCE: f32 = 0.4;
/// The same for a task, if the question describes one: "the task about the rollback".
pub(super) const CHANCE_IF_DESCRIBED: f32 = 0.2;
/// The relevance of an item that the question asks for by kind alone.
pub(super) const ASKED: f32 = 0.5;
/// The factor on the doubt about an item that the question asks for by kind.
pub(super) const ASKED_DOUBT: f32 = 0.75;
/// The coverage from which a task is about what a question for tasks is about. If there is such a
/// task, those that share no word with the question are listed after it.
pub(super) const RELATED: f32 = 0.3;
/// The factor for an item of another kind than the question asks for.
pub(super) const NOT_ASKED: f32 = 0.75;
/// The factor for what tells who has something else than the question asks for.
pub(super) const OF_ANOTHER: f32 = 0.5;
/// The factor for what was superseded and for finished tasks.
pub(super) const PAST: f32 = 0.5;
/// The factor for an entry with no quote, or with one that was not found.
pub(super) const UNPROVED: f32 = 0.9;
/// How much certainty an entry loses if its extractor gave it zero confidence.
pub(super) const CONFIDENCE: f32 = 0.25;
/// The similarity by vectors, above the usual one, from which an item counts as similar, and
/// that at which it certainly is. Models differ in how similar they find everything, which
/// the usual similarity takes out.
pub(super) const SIMILARITY_FLOOR: f32 = 0.3;
pub(super) const SIMILARITY_CEILING: f32 = 0.8;
/// What certain similarity is worth, compared with all words of the question.
pub(super) const SIMILARITY_SHARE: f32 = 0.9;
/// What a level adds to the rank: enough to decide between equals.
pub(super) const LEVEL: f32 = 0.01;
