//! Learns without a model: finds decisions, preferences, constraints, facts about the
//! environment, tasks, blockers and their resolution in what people and agents say, in
//! English, Korean, Japanese and Chinese.
//!
//! Made for precision. Messages in which nobody speaks for themselves are skipped
//! ([`staged`]: templates, letters, roles). The others are reduced to their prose ([`prose`]:
//! no code, tables or logs) and split into sentences ([`sentences`]), none of which begins or
//! ends in a quotation ([`quotations`]). A sentence
//! is a finding if a cue of its language matches and no trap does ([`cues`]): questions,
//! hypotheses, negations and reported speech are traps. Findings become an answer in the form
//! that a model gives ([`answer`]), so that they take the same path and need the same proof.

pub(crate) mod answer;
mod cues;
mod done;
#[cfg(test)]
mod labelled;
#[cfg(test)]
mod lookalikes;
mod prose;
mod quotations;
mod resolved;
pub(crate) mod reversal;
mod sentences;
mod staged;

use std::ops::Range;

pub(crate) use cues::MOST_SURE;

/// Who says a sentence: some cues count only from one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Speaker {
    /// The user.
    User,
    /// The agent.
    Agent,
}

/// What a sentence says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum FindingKind {
    /// A blocker is gone or a problem is solved.
    Resolution,
    /// Something has to wait for something else.
    Blocker,
    /// Something is to be done later.
    Task,
    /// Something was decided.
    Decision,
    /// How a person wants the work to be done.
    Preference,
    /// What the work must or must not do.
    Constraint,
    /// A port, version, path, host or owner.
    Fact,
    /// Some work is done. Says nothing unless a known task is this work.
    Done,
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
            FindingKind::Done => "done",
        }
    }
}

/// A sentence that says something.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Finding {
    pub(crate) kind: FindingKind,
    /// The sentence's byte range in the message.
    pub(crate) span: Range<usize>,
    /// What is to be done, is blocked or was resolved, if the sentence names it.
    pub(crate) subject: Option<Range<usize>>,
    /// The blocker.
    pub(crate) blocker: Option<Range<usize>>,
    /// The verb that says how the subject was done: "rotated".
    pub(crate) verb: Option<Range<usize>>,
    /// From 0 to 1; lower than a model's for a clear sentence.
    pub(crate) confidence: f64,
}

/// A longer message is a pasted document, not something said.
pub(crate) const MAX_MESSAGE_BYTES: usize = 20_000;

/// The findings in a message. `hidden` are spans to skip: recalled text that came back.
pub(crate) fn find(text: &str, speaker: Speaker, hidden: &[Range<usize>]) -> Vec<Finding> {
    if text.len() > MAX_MESSAGE_BYTES || staged::is_staged(text, speaker) {
        return Vec::new();
    }
    let quoted = quotations::spans(text);
    let prose = prose::read(text, hidden);
    let said = prose.blocks.into_iter();
    let mut found: Vec<Finding> = said
        .flat_map(|block| sentences::split(text, block, &quoted))
        .filter_map(|span| cues::judge(text, span, speaker, &quoted))
        .collect();
    found.extend(prose.ticked.into_iter().map(ticked));
    found.sort_by_key(|finding| finding.span.start);
    found
}

/// A ticked list item says that it is done.
fn ticked(item: Range<usize>) -> Finding {
    Finding {
        kind: FindingKind::Done,
        span: item.clone(),
        subject: Some(item),
        blocker: None,
        verb: None,
        confidence: 1.0,
    }
}
