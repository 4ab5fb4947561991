//! Replays the log together with the search index.

use std::ops::Range;

use crate::engine::lexical::LexicalIndex;
use crate::index::lexical::analyser::Analyser;
use crate::index::lexical::batch_inverter::BatchInverter;
use crate::index::lexical::forward::ForwardBody;
use crate::index::lexical::searchable::{self, EventText, ToolText};
use crate::model::error::Result;
use crate::model::event::EventKind;
use crate::model::time::Timestamp;
use crate::store::WriteTx;
use crate::store::log::record::Record;
use crate::store::replaying::replay::Replay;
use crate::text::fence::recalled_spans;

/// A replay that also builds the search index.
pub(crate) struct WithSearch<'a>(pub(crate) &'a LexicalIndex);

impl Replay for WithSearch<'_> {
    fn forward(
        &self,
        kind: EventKind,
        record: &Record<'_>,
        secret: &[u8; 32],
    ) -> Option<ForwardBody> {
        let recalled = recalled_spans(secret, record.content.as_str());
        Some(searchable::body(&text_of(kind, record, &recalled)))
    }

    fn invert(
        &self,
        into: &mut BatchInverter,
        analyser: &mut Analyser,
        kind: EventKind,
        record: &Record<'_>,
        secret: &[u8; 32],
    ) -> bool {
        let recalled = recalled_spans(secret, record.content.as_str());
        searchable::invert_text(into, analyser, &text_of(kind, record, &recalled));
        true
    }

    fn merge(&self, tx: &mut WriteTx<'_>) -> Result<()> {
        self.0.merge_on_the_way(tx)
    }
}

fn text_of<'a>(
    kind: EventKind,
    record: &'a Record<'_>,
    recalled: &'a [Range<usize>],
) -> EventText<'a> {
    EventText {
        kind,
        content: record.content.as_str(),
        tool: record.tool.as_ref().map(|tool| ToolText {
            name: tool.name.as_str(),
            input: tool.input.map(|json| json.as_str()),
            output: tool.output.as_str(),
        }),
        actor: record.actor.as_str(),
        at: Timestamp::from_millis_clamped(record.timestamp_ms),
        recalled,
    }
}
