//! An event that was found, with its features, as it passes through ranking.

use std::ops::Range;

use crate::index::lexical::forward::EventFacts;
use crate::index::lexical::leaf::EventHandle;
use crate::index::lexical::passages;
use crate::model::error::{ErrorCode, Result};
use crate::model::event::{Event, Origin};
use crate::store::ReadTx;
use crate::text::fence::{longest_own, may_hold_fence, recalled_spans, without_recalled};

/// An event as it passes through ranking.
#[derive(Clone, Copy)]
pub(in crate::recall) struct RecallCandidate {
    pub(in crate::recall) handle: EventHandle,
    pub(in crate::recall) facts: EventFacts,
    /// Where its best passage starts; start and length are 0 when only its neighbours
    /// matched.
    pub(in crate::recall) start: u32,
    pub(in crate::recall) length: u32,
    pub(in crate::recall) words: u32,
    /// Score of its best passage, relative to the best of all (1).
    pub(in crate::recall) own: f32,
    /// The share of the question's weight whose words the event contains literally.
    pub(in crate::recall) exact: f32,
    /// The share of the question's weight that it and its neighbours cover.
    pub(in crate::recall) context: f32,
    pub(in crate::recall) date: f32,
    pub(in crate::recall) temporal: bool,
    /// Whether what was learned from it is contested or no longer holds.
    pub(in crate::recall) is_past: bool,
    /// The event that it was placed above because it says what became of it.
    pub(in crate::recall) replaces: Option<u64>,
    pub(in crate::recall) status_factor: f32,
    /// Its relevance is at most this.
    pub(in crate::recall) most: f32,
    pub(in crate::recall) rank: f32,
}

impl RecallCandidate {
    /// An event with the score `own` and no other features yet.
    pub(in crate::recall) fn new(handle: EventHandle, facts: EventFacts, own: f32) -> Self {
        RecallCandidate {
            handle,
            facts,
            start: 0,
            length: 0,
            words: 0,
            own,
            exact: 0.0,
            context: 0.0,
            date: 0.0,
            temporal: false,
            is_past: false,
            replaces: None,
            status_factor: 1.0,
            most: 1.0,
            rank: 0.0,
        }
    }

    /// The text that the candidate shows, in lower case; empty when it is gone. `None` if its
    /// record is damaged: the hit is dropped only when it has to be read.
    pub(in crate::recall) fn lower_text(&self, read: &ReadTx) -> Result<Option<String>> {
        self.with_text(read, str::to_lowercase)
    }

    /// What `look` makes of the text that the candidate shows; its default when it is gone.
    /// `None` if its record is damaged.
    pub(in crate::recall) fn with_text<T: Default>(
        &self,
        read: &ReadTx,
        look: impl FnOnce(&str) -> T,
    ) -> Result<Option<T>> {
        let seen = read.with_record(self.facts.seq, |view| {
            let content = view.archive()?.content.as_str();
            Ok(look(&content[self.span(read.secret(), content)]))
        });
        match seen {
            Err(error) if error.code() == ErrorCode::Corrupt => Ok(None),
            seen => Ok(Some(seen?.unwrap_or_default())),
        }
    }

    /// The range of the candidate's passage in its event's content. Recalled text in the middle
    /// of it was not matched, and is not shown.
    pub(in crate::recall) fn span(&self, secret: &[u8; 32], content: &str) -> Range<usize> {
        let is_recalled = self.facts.origin == Origin::Recalled as u8;
        if self.length == 0 {
            // Found only through its neighbours.
            return first_passage(secret, is_recalled, content);
        }
        let start = content.floor_char_boundary(self.start as usize);
        let end =
            content.floor_char_boundary((self.start as usize).saturating_add(self.length as usize));
        own_part(secret, is_recalled, content, start..end.max(start))
    }
}

/// The first passage of an event's content, which is shown if no other one is better.
fn first_passage(secret: &[u8; 32], is_recalled: bool, content: &str) -> Range<usize> {
    if is_recalled || !may_hold_fence(content) {
        return passages::first(content);
    }
    let own = without_recalled(content, &recalled_spans(secret, content));
    let first = passages::first(own.as_deref().unwrap_or(content));
    own_part(secret, is_recalled, content, first)
}

/// [`first_passage`] of an event.
pub(in crate::recall) fn first_of(secret: &[u8; 32], event: &Event) -> Range<usize> {
    first_passage(secret, event.origin == Origin::Recalled, &event.content)
}

/// An event as a whole, as [`first_of`] shows its first passage.
pub(in crate::recall) fn whole_of(secret: &[u8; 32], event: &Event) -> Range<usize> {
    let all = 0..event.content.len();
    own_part(
        secret,
        event.origin == Origin::Recalled,
        &event.content,
        all,
    )
}

/// The longest part of a passage that was not recalled; all of it if the event as a whole was.
fn own_part(
    secret: &[u8; 32],
    is_recalled: bool,
    content: &str,
    passage: Range<usize>,
) -> Range<usize> {
    if is_recalled {
        return passage;
    }
    let own = longest_own(secret, &content[passage.clone()]);
    passage.start + own.start..passage.start + own.end
}
