//! The tables of cues and traps that a language is made of.

use crate::rules::statements::finding::{FindingKind, Speaker};

/// Whose words a cue applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Who {
    Anyone,
    User,
    Agent,
}

impl Who {
    pub(super) fn includes(self, speaker: Speaker) -> bool {
        match self {
            Who::Anyone => true,
            Who::User => speaker == Speaker::User,
            Who::Agent => speaker == Speaker::Agent,
        }
    }
}

/// A pattern that shows what a sentence is.
pub(super) struct Cue {
    pub(super) kind: FindingKind,
    pub(super) who: Who,
    /// A regular expression over plain text. Group `t` is the task, group `b` what it waits
    /// for, group `v` the verb that says how it was done.
    pub(super) pattern: &'static str,
    /// If this matches too, the cue does not count. Empty for never.
    pub(super) unless: &'static str,
    /// Whether the words rarely mean anything else.
    pub(super) is_clear: bool,
}

pub(super) const fn cue(kind: FindingKind, who: Who, pattern: &'static str) -> Cue {
    Cue {
        kind,
        who,
        pattern,
        unless: "",
        is_clear: false,
    }
}

impl Cue {
    pub(super) const fn unless(mut self, unless: &'static str) -> Self {
        self.unless = unless;
        self
    }

    pub(super) const fn clear(mut self) -> Self {
        self.is_clear = true;
        self
    }
}

/// A pattern that makes a sentence say nothing, whatever cue it contains.
pub(super) struct Trap {
    pub(super) pattern: &'static str,
    pub(super) kinds: &'static [FindingKind],
    /// Whether it suppresses all kinds but those, rather than those.
    pub(super) spares: bool,
}

impl Trap {
    pub(super) fn suppresses(&self, kind: FindingKind) -> bool {
        self.kinds.contains(&kind) != self.spares
    }
}

/// Suppresses every kind but those.
pub(super) const fn trap(pattern: &'static str, spared: &'static [FindingKind]) -> Trap {
    Trap {
        pattern,
        kinds: spared,
        spares: true,
    }
}

/// Suppresses only those kinds.
pub(super) const fn trap_for(kinds: &'static [FindingKind], pattern: &'static str) -> Trap {
    Trap {
        pattern,
        kinds,
        spares: false,
    }
}

/// The title of a list, which says what the items are: "Decisions so far".
pub(super) struct Heading {
    pub(super) kind: FindingKind,
    pub(super) who: Who,
    /// Matches all of it, in plain text, without the colon.
    pub(super) pattern: &'static str,
}

pub(super) const fn heading(kind: FindingKind, who: Who, pattern: &'static str) -> Heading {
    Heading { kind, who, pattern }
}

/// The tables of one language.
pub(super) struct Language {
    pub(super) headings: &'static [Heading],
    pub(super) cues: &'static [Cue],
    /// Cues that may also match one clause of a sentence alone.
    pub(super) clauses: &'static [Cue],
    pub(super) traps: &'static [Trap],
    /// What people add without taking back what they said ("ask her if anything looks off").
    /// Traps do not see it.
    pub(super) aside: &'static str,
    /// What people say before they say something ("ok so", "btw,"). Cues match with and without it.
    /// Empty for none.
    pub(super) opening: &'static str,
    /// What people add after they have said something ("lol", an emoji). Left out; empty for none.
    pub(super) closing: &'static str,
    /// What stands between two clauses, each of which may be a statement by itself.
    pub(super) boundary: &'static str,
    /// Words that make all that follows a supposition.
    pub(super) supposing: &'static str,
    pub(super) spelling: Spelling,
}

/// How a language may be written otherwise than its patterns are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spelling {
    /// It is written alike.
    Plain,
    /// In traditional Chinese characters, while the patterns are in simplified ones.
    Traditional,
    /// Without apostrophes, or as it is spoken: "dont", "gonna".
    Casual,
}
