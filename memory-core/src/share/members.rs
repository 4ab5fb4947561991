//! Decides whose records a store accepts, and what it keeps to itself.

use crate::engine::Engine;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::EventKind;
use crate::model::ids::{EventRef, Seq};
use crate::model::sharing::{Member, MemberRole, RecordSource, UnansweredErasure, Watermark};
use crate::model::time::Timestamp;
use crate::privacy::check_name;
use crate::projection::pauses::{self, PauseScope};
use crate::recall::read::required_event;
use crate::share::keys::{public_key, signer};
use crate::share::receive::carry_out_declined;
use crate::share::send::order_metadata;
use crate::store::ReadTx;
use crate::store::origin::{StoreKey, store_key};
use crate::upkeep::embed;
use crate::upkeep::forget::TURN_WAIT;
use crate::write::prepare::kept_name;

/// [`Sharing::add_member`](crate::Sharing::add_member).
pub(crate) fn add(engine: &Engine, identity: &str, name: &str, role: MemberRole) -> Result<()> {
    let identity = identity.trim().to_lowercase();
    public_key("identity", &identity)?;
    check_name("name", name)?;
    if identity == signer(engine)?.identity() {
        return Err(Error::invalid(
            "identity",
            "is the identity of this store itself",
        ));
    }
    let name = kept_name(engine, name)?;
    let now = engine.store.clock().now();
    let key = store_key(&public_key("identity", &identity)?);
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
    public_key("identity", &identity)?;
    engine.store.write(|tx| tx.remove_member(&identity))
}

/// The members, each with the store's local key for it.
pub(crate) fn with_keys(read: &ReadTx) -> Result<Vec<(StoreKey, Member)>> {
    let keyed = |member: Member| {
        let key = store_key(&public_key("identity", &member.identity)?);
        Ok((key, member))
    };
    read.members()?.into_iter().map(keyed).collect()
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
pub(crate) fn unanswered_erasures(engine: &Engine) -> Result<Vec<UnansweredErasure>> {
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

/// The hash by which a withheld session or project is looked up.
pub(crate) fn hash_of(secret: &[u8; 32], scope: PauseScope, name: &str) -> String {
    pauses::key(
        &blake3::derive_key("recallite 2026 withheld", secret),
        scope,
        name,
    )
}

/// [`Sharing::withhold`](crate::Sharing::withhold) and
/// [`Sharing::offer`](crate::Sharing::offer).
pub(crate) fn set_withheld(
    engine: &Engine,
    scope: PauseScope,
    name: &str,
    is_withheld: bool,
) -> Result<bool> {
    if scope == PauseScope::Session && name.trim().is_empty() {
        return Err(Error::invalid("name", "must not be empty or blank"));
    }
    check_name("name", name)?;
    let name = kept_name(engine, name)?;
    let hash = hash_of(engine.store.read()?.secret(), scope, &name);
    engine.store.write(|tx| tx.set_withheld(&hash, is_withheld))
}

/// [`Sharing::is_withheld`](crate::Sharing::is_withheld).
pub(crate) fn is_withheld(engine: &Engine, scope: PauseScope, name: &str) -> Result<bool> {
    let name = kept_name(engine, name)?;
    let read = engine.store.read()?;
    read.is_withheld(&hash_of(read.secret(), scope, &name))
}

/// The error for a store that is not a member.
pub(crate) fn stranger(identity: &str) -> Error {
    Error::new(
        ErrorCode::PermissionDenied,
        format!(
            "the batch is from store {identity}, which is not a member; \
             call add_member() to accept its records"
        ),
    )
    .with_argument("batch")
}
