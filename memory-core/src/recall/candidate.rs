//! An event that was found, on its way through the recipe, and its features.

use crate::index::lexical::forward::EventFacts;
use crate::index::lexical::leaf::EventHandle;
use crate::index::lexical::passages;
use crate::model::error::{ErrorCode, Result};
use crate::store::ReadTx;

/// An event on its way through the recipe.
#[derive(Clone, Copy)]
pub(super) struct RecallCandidate {
    pub(super) handle: EventHandle,
    pub(super) facts: EventFacts,
    /// Where its best passage lies, or 0 and 0 when only its neighbours matched.
    pub(super) start: u32,
    pub(super) length: u32,
    pub(super) words: u32,
    /// Score of its best passage, 1 for the best of all.
    pub(super) own: f32,
    /// The part of the question's weight whose words it holds literally.
    pub(super) exact: f32,
    /// The part of the question's weight that it and its neighbours cover.
    pub(super) context: f32,
    pub(super) date: f32,
    pub(super) temporal: bool,
    /// Whether what was learned from it is contested, and 1, or less then.
    pub(super) is_contested: bool,
    pub(super) status_factor: f32,
    pub(super) rank: f32,
}

impl RecallCandidate {
    /// An event whose own score is `own`, of which nothing else is known yet.
    pub(super) fn new(handle: EventHandle, facts: EventFacts, own: f32) -> Self {
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
            is_contested: false,
            status_factor: 1.0,
            rank: 0.0,
        }
    }

    /// The text that the candidate shows, in lower case; nothing when it is gone. `None`
    /// when its record is damaged: the hit itself is left out if it comes to be read.
    pub(super) fn lower_text(&self, read: &ReadTx) -> Result<Option<String>> {
        let text = read.with_record(self.facts.seq, |view| {
            let content = view.archive()?.content.as_str();
            Ok(content[self.span(content)].to_lowercase())
        });
        match text {
            Err(error) if error.code() == ErrorCode::Corrupt => Ok(None),
            text => Ok(Some(text?.unwrap_or_default())),
        }
    }

    /// Where the candidate's passage lies in its event's content.
    pub(super) fn span(&self, content: &str) -> std::ops::Range<usize> {
        if self.length == 0 {
            // Found through its neighbours.
            return 0..passages::first(content).end;
        }
        let start = content.floor_char_boundary(self.start as usize);
        let end =
            content.floor_char_boundary((self.start as usize).saturating_add(self.length as usize));
        start..end.max(start)
    }
}
