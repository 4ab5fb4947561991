//! Learning without a model: rules that find decisions, preferences, constraints,
//! facts about the environment, tasks, blockers and their resolution in what
//! people and agents say, in English, Korean, Japanese and Chinese.
//!
//! Made for precision. A message in which nobody speaks for themselves is left out
//! ([`staged`]: templates, letters, roles). Any other is cut down to its prose ([`prose`]: no code, no
//! quotation, no table, no log), the prose into sentences ([`sentences`]), and a
//! sentence is found when a cue of its language matches and no trap does
//! ([`cues`]): questions, hypotheses, negations and reported speech are traps.
//! What is found becomes an answer in the form of a model's ([`answer`]), so that
//! it goes the same way, with the same proof.

pub(crate) mod answer;
mod cues;
#[cfg(test)]
mod labelled;
mod prose;
mod sentences;
mod staged;

use std::ops::Range;

/// Who says a sentence: some cues mean something from one of them only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Speaker {
    /// The person.
    User,
    /// The agent.
    Agent,
}

/// What a sentence tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum FindingKind {
    /// A blocker is gone, or a task is done.
    Resolution,
    /// Something cannot go on before something else.
    Blocker,
    /// Something is to be done later.
    Task,
    /// Something was decided.
    Decision,
    /// What a person wants in how work is done.
    Preference,
    /// What the work must or must not do.
    Constraint,
    /// A port, version, path, host or owner.
    Fact,
}

impl FindingKind {
    /// The name in the labelled sets of the tests.
    #[cfg(test)]
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            FindingKind::Resolution => "resolved",
            FindingKind::Blocker => "blocker",
            FindingKind::Task => "task",
            FindingKind::Decision => "decision",
            FindingKind::Preference => "preference",
            FindingKind::Constraint => "constraint",
            FindingKind::Fact => "fact",
        }
    }
}

/// A sentence that tells something.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Finding {
    pub(crate) kind: FindingKind,
    /// Where the sentence stands in the message, in bytes.
    pub(crate) span: Range<usize>,
    /// What is to be done, what is blocked or what was resolved, where the
    /// sentence names it.
    pub(crate) subject: Option<Range<usize>>,
    /// What is waited for.
    pub(crate) blocker: Option<Range<usize>>,
    /// From 0 to 1; below what a model says of a clear sentence.
    pub(crate) confidence: f64,
}

/// A message that is longer is a document that somebody pasted, not something said.
pub(crate) const MAX_MESSAGE_BYTES: usize = 20_000;

/// What a message tells. `hidden` are spans that are not to be read: recalled text
/// that came back.
pub(crate) fn find(text: &str, speaker: Speaker, hidden: &[Range<usize>]) -> Vec<Finding> {
    if text.len() > MAX_MESSAGE_BYTES || staged::is_staged(text, speaker) {
        return Vec::new();
    }
    prose::blocks(text, hidden)
        .into_iter()
        .flat_map(|block| sentences::split(text, block))
        .filter_map(|span| cues::judge(text, span, speaker))
        .collect()
}
