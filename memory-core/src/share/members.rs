//! Decides whose records a store accepts, and what it keeps to itself.

use crate::engine::Engine;
use crate::model::error::{Error, Result};
use crate::model::event::EventKind;
use crate::model::ids::{EventRef, Seq};
use crate::model::lists::LIST_LIMIT;
use crate::model::sharing::{Member, MemberRole, RecordSource, UnansweredErasure, Watermark};
use crate::model::time::Timestamp;
use crate::privacy::check_name;
use crate::recall::shown::read::required_event;
use crate::share::keys::{is_weak, public_key, signer, with_keys};
use crate::share::order::order_metadata;
use crate::share::receive::carry_out_declined;
use crate::store::ReadTx;
use crate::store::shared::sharing_rows::SharingRows;
use crate::store::shared::store_key::{StoreKey, store_key};
use crate::upkeep::TURN_WAIT;
use crate::upkeep::embed;
use crate::write::prepare::kept_name;

/// [`Sharing::add_member`](crate::Sharing::add_member).
pub(crate) fn add(engine: &Engine, identity: &str, name: &str, role: MemberRole) -> Result<()> {
    let identity = identity.trim().to_lowercase();
    let public = public_key("identity", &identity)?;
    if is_weak(&public) {
        return Err(Error::invalid(
            "identity",
            "is a key that no store can have",
        ));
    }
    check_name("name", name)?;
    if identity == signer(engine)?.identity() {
        return Err(Error::invalid(
            "identity",
            "is the identity of this store itself",
        ));
    }
    let name = kept_name(engine, name)?;
    let now = engine.store.clock().now();
    let key = store_key(&public);
    engine.store.write(|tx| {
        let known = tx.member(&identity)?;
        let since = known.as_ref().map_or(now, |known| known.since);
        tx.put_member(&Member {
            identity,
            name,
            role,
            since,
        })?;
        let was_owner = known.is_some_and(|known| known.role == MemberRole::Owner);
        match role == MemberRole::Owner && !was_owner {
            true => carry_out_declined(engine, tx, &key),
            false => Ok(()),
        }
    })?;
    embed::take_out_vectors(engine, TURN_WAIT).map(drop)
}

/// [`Sharing::remove_member`](crate::Sharing::remove_member).
pub(crate) fn remove(engine: &Engine, identity: &str) -> Result<bool> {
    let identity = identity.trim().to_lowercase();
    let key = store_key(&public_key("identity", &identity)?);
    engine.store.write(|tx| {
        // If it is added again, it may have sent meanwhile what was not accepted.
        tx.forget_received(&key)?;
        tx.remove_member(&identity)
    })
}

/// [`Sharing::watermarks`](crate::Sharing::watermarks).
pub(crate) fn watermarks(engine: &Engine) -> Result<Vec<Watermark>> {
    let read = engine.store.read()?;
    let of = |(key, member): (StoreKey, Member)| {
        Ok(Watermark {
            position: read.received(&key)?,
            identity: member.identity,
        })
    };
    with_keys(&read)?.into_iter().map(of).collect()
}

/// Whether a tombstone of this store is sent to others.
fn orders(read: &ReadTx, seq: u64) -> Result<bool> {
    let order = read.with_record(seq, |view| order_metadata(read, seq, &view.archive()?))?;
    Ok(order.flatten().is_some())
}

/// A member's answer to the orders of this store.
struct Answers {
    identity: String,
    /// The position up to which it has carried them out.
    through: u64,
    /// Those it carried out only for what this store recorded.
    declined: Vec<u64>,
}

/// [`Sharing::unanswered_erasures`](crate::Sharing::unanswered_erasures).
pub(crate) fn unanswered_erasures(
    engine: &Engine,
    limit: Option<usize>,
) -> Result<Vec<UnansweredErasure>> {
    let read = engine.store.read()?;
    let mut members = Vec::new();
    for (key, member) in with_keys(&read)? {
        members.push(Answers {
            through: read.answered(&key)?,
            declined: read.declined_by(&key)?,
            identity: member.identity,
        });
    }
    let (first, last) = (Timestamp::MIN, Timestamp::MAX);
    let mut open = Vec::new();
    for seq in read.kind_between(EventKind::Erased, first, last)? {
        let identities = |is_meant: &dyn Fn(&Answers) -> bool| -> Vec<String> {
            let meant = members.iter().filter(|member| is_meant(member));
            meant.map(|member| member.identity.clone()).collect()
        };
        let waiting_for = identities(&|member| member.through < seq);
        let declined_by = identities(&|member| member.declined.contains(&seq));
        let is_answered = waiting_for.is_empty() && declined_by.is_empty();
        // A member that only obeys orders answers nobody and expects no answer.
        if is_answered || read.is_foreign(seq)? || !orders(&read, seq)? {
            continue;
        }
        if let Some(event) = read.event_at(seq)? {
            open.push(UnansweredErasure {
                seq: event.seq,
                erased_at: event.timestamp,
                waiting_for,
                declined_by,
            });
        }
    }
    open.sort_by_key(|erasure| erasure.seq);
    open.truncate(limit.unwrap_or(LIST_LIMIT));
    Ok(open)
}

/// [`Sharing::source`](crate::Sharing::source).
pub(crate) fn source(engine: &Engine, event: &EventRef) -> Result<Option<RecordSource>> {
    let seq = required_event(engine, event)?.seq;
    let read = engine.store.read()?;
    let Some(name) = read.foreign_name(seq.0)? else {
        return Ok(None);
    };
    let mut members = with_keys(&read)?.into_iter();
    let from = members.find(|(key, _)| *key == name.store);
    let (identity, called) = from
        .map(|(_, member)| (member.identity, member.name))
        .unzip();
    Ok(Some(RecordSource {
        identity,
        name: called,
        position: Seq(name.position),
        citation: name.citation.parse()?,
    }))
}

/// [`Sharing::cited_elsewhere`](crate::Sharing::cited_elsewhere).
pub(crate) fn cited_elsewhere(engine: &Engine, event: &EventRef) -> Result<Vec<String>> {
    let citation = required_event(engine, event)?.citation;
    let read = engine.store.read()?;
    let mut found = Vec::new();
    for seq in read.cited_elsewhere(&citation)? {
        let other = read.event_at(seq)?;
        found.extend(other.map(|event| event.citation.as_str().to_owned()));
    }
    Ok(found)
}
