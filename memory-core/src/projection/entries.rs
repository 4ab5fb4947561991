//! The fold of learned entries: one row each, with its stage, its proof and
//! its status, and the edges that lead to it.

use serde_json::{Value, json};

use crate::model::error::Result;
use crate::model::event::Event;
use crate::model::ids::Seq;
use crate::model::json::Json;
use crate::model::read::Element;
use crate::model::time::Timestamp;
use crate::projection::edges;
use crate::projection::rows::{self, newest_first};
use crate::rules::entries::LearnedEntry;
use crate::rules::entries::{Entry, EntryAct, EntryId, EntryStatus, Lifecycle, Validity};
use crate::rules::graph::{EdgeEnds, NodeType, Relation};
use crate::store::projected::{ProjectedMut, RowKind, Rows};

/// An entry by its id.
pub(crate) fn entry(rows: &dyn Rows, id: &EntryId) -> Result<Option<LearnedEntry>> {
    rows::get(rows, RowKind::Entry, id.as_str().as_bytes())?
        .map(|row| read(&row))
        .transpose()
}

pub(super) fn read(row: &Value) -> Result<LearnedEntry> {
    from_value(row).ok_or_else(|| rows::broken(RowKind::Entry, "a field is missing"))
}

/// Which entries are visited.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Group<'a> {
    All,
    OfSession(&'a str),
    OfProject(&'a str),
}

impl Group<'_> {
    /// The kind of the rows that list them, and what their keys begin with.
    fn listed(self) -> (RowKind, Vec<u8>) {
        match self {
            Group::All => (RowKind::EntryByAge, Vec::new()),
            Group::OfSession(name) => (RowKind::EntryOfSession, rows::joined(&[name, ""])),
            Group::OfProject(name) => (RowKind::EntryOfProject, rows::joined(&[name, ""])),
        }
    }
}

/// Visits entries, the one learned last in front, until `visit` says false.
pub(crate) fn newest(
    rows: &dyn Rows,
    group: Group<'_>,
    visit: &mut dyn FnMut(LearnedEntry) -> Result<bool>,
) -> Result<()> {
    let (row_kind, prefix) = group.listed();
    rows.scan(row_kind, &prefix, None, &mut |key, _| {
        let id = key.get(prefix.len() + 8..).unwrap_or_default();
        let id = String::from_utf8_lossy(id).into_owned();
        match entry(rows, &EntryId::new(id))? {
            Some(found) => visit(found),
            None => Ok(true),
        }
    })
}

/// The factor on an event's score in search: less than 1 while an entry that
/// was learned from it is contested and no other entry from it stands.
pub(crate) fn search_weight(rows: &dyn Rows, event_id: &str) -> Result<f64> {
    let found = edges::at_node(
        rows,
        edges::Way::Out,
        event_id,
        Some(Relation::SourceOf),
        None,
        100,
    )?;
    let mut best: Option<f64> = None;
    for edge in found {
        let id = EntryId::new(edge.ends.destination_id);
        if let Some(row) = entry(rows, &id)?
            && matches!(
                row.entry.status,
                EntryStatus::Active | EntryStatus::Contested { .. }
            )
        {
            let weight = row.entry.status.search_weight();
            best = Some(best.map_or(weight, |best| best.max(weight)));
        }
    }
    Ok(best.unwrap_or(1.0))
}

fn to_value(row: &LearnedEntry) -> Value {
    let entry = &row.entry;
    let mut value = json!({
        "entry_id": entry.id.as_str(),
        "type": entry.entry_type.as_str(),
        "title": entry.title,
        "lifecycle": entry.lifecycle.to_json().to_value(),
        "status": entry.status.as_str(),
        "valid_from": entry.validity.from.map(Timestamp::millis),
        "valid_to": entry.validity.to.map(Timestamp::millis),
        "content": row.content,
        "canonical_key": row.canonical_key,
        "project": row.project,
        "session": row.session,
        "local_id": row.local_id,
        "confidence": row.confidence,
        "build_id": row.build_id,
        "created_at": row.created_at.millis(),
        "seq": row.seq.0,
    });
    match &entry.status {
        EntryStatus::Contested { with } => {
            value["contested_with"] = with.iter().map(EntryId::as_str).collect();
        }
        EntryStatus::Superseded { by } => value["superseded_by"] = by.as_str().into(),
        EntryStatus::Active | EntryStatus::Deprecated => {}
    }
    value
}

fn time(value: &Value) -> Option<Timestamp> {
    value.as_i64().map(Timestamp::from_millis_clamped)
}

fn from_value(value: &Value) -> Option<LearnedEntry> {
    let text = |name: &str| value[name].as_str().map(str::to_owned);
    let status = match value["status"].as_str()? {
        "contested" => EntryStatus::Contested {
            with: rows::strings(&value["contested_with"])
                .into_iter()
                .map(EntryId::new)
                .collect(),
        },
        "superseded" => EntryStatus::Superseded {
            by: EntryId::new(text("superseded_by")?),
        },
        "deprecated" => EntryStatus::Deprecated,
        _ => EntryStatus::Active,
    };
    Some(LearnedEntry {
        entry: Entry {
            id: EntryId::new(text("entry_id")?),
            entry_type: text("type")?.parse().ok()?,
            title: text("title")?,
            lifecycle: Lifecycle::from_json(&Json::from_value(&value["lifecycle"])).ok()?,
            status,
            validity: Validity {
                from: time(&value["valid_from"]),
                to: time(&value["valid_to"]),
            },
        },
        content: text("content")?,
        canonical_key: text("canonical_key")?,
        project: text("project")?,
        session: text("session")?,
        local_id: text("local_id"),
        confidence: value["confidence"].as_f64(),
        build_id: text("build_id"),
        created_at: time(&value["created_at"])?,
        seq: Seq(value["seq"].as_u64()?),
    })
}

/// The payload of an entry's birth.
pub(crate) fn created_payload(row: &LearnedEntry, sources: &[Value]) -> Value {
    let mut value = to_value(row);
    value["act"] = "created".into();
    value["sources"] = sources.into();
    value
}

/// The payload of an act on an entry.
pub(crate) fn act_payload(id: &EntryId, act: &EntryAct) -> Value {
    let mut value = match act {
        EntryAct::Promoted(lifecycle) => {
            json!({"act": "promoted", "lifecycle": lifecycle.to_json().to_value()})
        }
        EntryAct::Superseded { by, at } => {
            json!({"act": "superseded", "by": by.as_str(), "at": at.millis()})
        }
        EntryAct::Contested { with } => json!({"act": "contested", "with": with.as_str()}),
        EntryAct::Upheld { against } => json!({"act": "upheld", "against": against.as_str()}),
        EntryAct::Deprecated { at } => json!({"act": "deprecated", "at": at.millis()}),
    };
    value["entry_id"] = id.as_str().into();
    value
}

fn act_from(payload: &Value) -> Option<EntryAct> {
    let id = |name: &str| {
        let id = payload[name].as_str()?;
        (!id.trim().is_empty()).then(|| EntryId::new(id))
    };
    Some(match payload["act"].as_str()? {
        "promoted" => {
            EntryAct::Promoted(Lifecycle::from_json(&Json::from_value(&payload["lifecycle"])).ok()?)
        }
        "superseded" => EntryAct::Superseded {
            by: id("by")?,
            at: time(&payload["at"])?,
        },
        "contested" => EntryAct::Contested { with: id("with")? },
        "upheld" => EntryAct::Upheld {
            against: id("against")?,
        },
        "deprecated" => EntryAct::Deprecated {
            at: time(&payload["at"])?,
        },
        _ => return None,
    })
}

/// Refuses an act that cannot be read.
pub(crate) fn check_act(root: &Element<'_>, payload: &Value) -> Result<()> {
    match act_from(payload) {
        Some(_) => Ok(()),
        None => Err(root
            .required("act")?
            .error("is not known, or a field of it is wrong")),
    }
}

fn put_row(rows: &mut ProjectedMut<'_>, row: &LearnedEntry) -> Result<()> {
    rows::put(
        rows,
        RowKind::Entry,
        row.entry.id.as_str().as_bytes(),
        &to_value(row),
    )
}

fn edge(source: (NodeType, &str), relation: Relation, entry: &EntryId) -> EdgeEnds {
    EdgeEnds {
        source_type: source.0,
        source_id: source.1.to_owned(),
        relation,
        destination_type: NodeType::Entry,
        destination_id: entry.as_str().to_owned(),
    }
}

/// Folds what happened to an entry.
pub(crate) fn fold(rows: &mut ProjectedMut<'_>, event: &Event, payload: &Value) -> Result<()> {
    if payload["act"] == "created" {
        return create(rows, event, payload);
    }
    crate::projection::history::fold_promotions(rows, event, payload)?;
    let Some(id) = payload["entry_id"].as_str().map(EntryId::new) else {
        return Ok(());
    };
    let (Some(act), Some(mut row)) = (act_from(payload), entry(rows, &id)?) else {
        return Ok(());
    };
    row.entry = row.entry.after(&act);
    put_row(rows, &row)?;
    let at = event.timestamp;
    match act {
        EntryAct::Superseded { by, .. } => {
            let ends = edge((NodeType::Entry, by.as_str()), Relation::Supersedes, &id);
            edges::put(rows, &ends, None, at)
        }
        EntryAct::Contested { with } => {
            // One edge for the two, from the later entry to the earlier one.
            let other = entry(rows, &with)?;
            let (newer, older) = match other {
                Some(other) if other.seq < row.seq => (&id, &with),
                _ => (&with, &id),
            };
            let ends = edge(
                (NodeType::Entry, newer.as_str()),
                Relation::Contradicts,
                older,
            );
            edges::put(rows, &ends, None, at)
        }
        EntryAct::Upheld { against } => {
            for (source, target) in [(&against, &id), (&id, &against)] {
                let ends = edge(
                    (NodeType::Entry, source.as_str()),
                    Relation::Contradicts,
                    target,
                );
                edges::end(rows, &ends, at)?;
            }
            Ok(())
        }
        EntryAct::Promoted(_) | EntryAct::Deprecated { .. } => Ok(()),
    }
}

fn created(payload: &Value, seq: Seq, at: Timestamp) -> Option<LearnedEntry> {
    let mut value = payload.clone();
    value["seq"] = seq.0.into();
    value["created_at"] = at.millis().into();
    from_value(&value)
}

/// Refuses a new entry that cannot be read.
pub(crate) fn check_created(root: &Element<'_>, payload: &Value) -> Result<()> {
    match created(payload, Seq(1), Timestamp::default()) {
        Some(row) if !row.entry.id.as_str().trim().is_empty() => Ok(()),
        _ => Err(root.error("is no entry: a field is missing or wrong")),
    }
}

fn create(rows: &mut ProjectedMut<'_>, event: &Event, payload: &Value) -> Result<()> {
    let Some(row) = created(payload, event.seq, event.timestamp) else {
        return Ok(());
    };
    let id = &row.entry.id;
    if entry(rows, id)?.is_some() {
        return Ok(());
    }
    put_row(rows, &row)?;
    for group in [
        Group::All,
        Group::OfSession(&row.session),
        Group::OfProject(&row.project),
    ] {
        let (row_kind, mut key) = group.listed();
        key.extend_from_slice(&newest_first(event.seq.0));
        key.extend_from_slice(id.as_str().as_bytes());
        rows.put(row_kind, &key, &[])?;
    }
    let at = event.timestamp;
    let own_id = event.id.to_string();
    edges::put(
        rows,
        &edge((NodeType::Event, &own_id), Relation::Produced, id),
        None,
        at,
    )?;
    for source in payload["sources"].as_array().into_iter().flatten() {
        if let Some(event_id) = source["event_id"].as_str() {
            edges::put(
                rows,
                &edge((NodeType::Event, event_id), Relation::SourceOf, id),
                Some(Json::from_value(source)),
                at,
            )?;
        }
    }
    Ok(())
}
