//! Whether a record whose id is already here is the one that is here.
//!
//! The same record arrives from two stores if one of them was restored from a backup of the
//! other. But an id is only a claim: a member may give its own record the id of another
//! member's, which must neither replace that one nor keep it away.

use crate::model::error::Result;
use crate::share::hash::agreed;
use crate::share::incoming::Incoming;
use crate::store::WriteTx;
use crate::store::log::append::tool_fields;
use crate::store::log::record::{Record, RecordView, Text};
use crate::store::shared::record_order::RecordOrder;

/// Whether the record at `seq`, which `place` names, is the incoming one. If an erasure has
/// removed texts from either, only the rest is compared. Neither is an order.
pub(super) fn is_same(
    tx: &WriteTx<'_>,
    seq: u64,
    place: &RecordOrder,
    incoming: &Incoming,
) -> Result<bool> {
    let draft = &incoming.draft;
    let name = &draft.name;
    if (place.position, place.stamp_ms) != (name.position, name.stamp_ms) {
        return Ok(false);
    }
    let is_same = tx.with_record(seq, |view| {
        let here = view.archive()?;
        let event = &draft.draft;
        Ok(view.kind() == event.event.kind
            && here.timestamp_ms == event.timestamp.millis()
            && here.origin == event.origin as u8
            && (view.is_erased() || agrees(view, &here, incoming)))
    })?;
    Ok(is_same == Some(true))
}

fn agrees(view: &RecordView<'_>, here: &Record<'_>, incoming: &Incoming) -> bool {
    let draft = &incoming.draft;
    let event = &draft.draft.event;
    if here.project.as_str() != draft.draft.project || here.actor.as_str() != draft.draft.actor {
        return false;
    }
    let metadata = event.metadata.as_ref().map(|json| json.as_str());
    let is_conversation = view.kind().is_conversation();
    let is_whole = here.session.as_str() == event.session
        && here.content.as_str() == event.content.as_str()
        && here.tool == event.tool.as_ref().map(tool_fields)
        && is_same_metadata(here.metadata.map(Text::as_str), metadata, !is_conversation);
    if is_whole {
        return true;
    }
    // The description that an erasure puts in place of the texts.
    let left = format!("{}, a part of it erased", view.kind());
    let is_reduced = [here.content.as_str(), event.content.as_str()].contains(&left.as_str());
    !is_conversation && (view.is_reduced() || is_reduced)
}

/// Whether two records have the same metadata. What the library recorded may number quoted
/// messages, which an erasure counts anew, here or at the record's origin.
fn is_same_metadata(here: Option<&str>, incoming: Option<&str>, may_be_renumbered: bool) -> bool {
    if here == incoming || !may_be_renumbered {
        return here == incoming;
    }
    let without_numbers = |json: &str| {
        let payload = serde_json::from_str(json).ok()?;
        Some(agreed(payload, &[]))
    };
    let here = here.and_then(without_numbers);
    here.is_some() && here == incoming.and_then(without_numbers)
}
