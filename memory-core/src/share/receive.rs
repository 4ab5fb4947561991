//! Receives a batch from another store: nothing is trusted until every signature is
//! verified. A batch is stored completely or not at all, except records that claim the id of
//! another member's record: they are left out and reported.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::engine::Engine;
use crate::engine::logger::{Target, counted};
use crate::index::lexical::searchable;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::EventKind;
use crate::model::ids::EventId;
use crate::model::sharing::{MemberRole, Received};
use crate::privacy::Clean;
use crate::projection::regrouped::Before;
use crate::projection::{self, order};
use crate::share::RECORDS_PER_THREAD;
use crate::share::incoming::{Author, Incoming};
use crate::share::keys::{public_key, signer};
use crate::share::late;
use crate::share::lines::{self, Answer, BatchHeader, SharedRecord};
use crate::share::same::is_same;
use crate::store::WriteTx;
use crate::store::log::append::ForeignDraft;
use crate::store::log::tombstone::{Ordered, is_tombstone, ranges};
use crate::store::running::Running;
use crate::store::shared::alias::THIS_STORE;
use crate::store::shared::remote_deletes::{self, Targets};
use crate::store::shared::remote_order_scope::{Act, Name, Orders};
use crate::store::shared::sharing_rows::SharingRows;
use crate::store::shared::store_key::{StoreKey, store_key};
use crate::store::threads::in_threads;
use crate::upkeep::TURN_WAIT;
use crate::upkeep::embed;
use crate::upkeep::erase::{CLOSE_OTHERS, Erased, GO_ON, complete, erase_for_others};
use crate::upkeep::forget::{
    TombstoneScope, put_tombstone, take_out, take_out_learned, take_out_said, tombstone,
};

/// How many declined orders a store is told about.
const MAX_DECLINED: usize = 1_000;

/// [`Sharing::receive`](crate::Sharing::receive).
pub(crate) fn receive(engine: &Engine, batch: &str) -> Result<Received> {
    let header = lines::read_header(batch)?;
    let sender = Sender::of(engine, &header)?;
    let records = lines::read_records(batch, &header, &sender.public)?;
    let reach = (header.from, header.through);
    let told = sender.told(batch, &header)?;
    take(engine, &sender, &told, &records, reach)
}

/// [`Sharing::receive_selected`](crate::Sharing::receive_selected).
pub(crate) fn receive_selected(
    engine: &Engine,
    batch: &str,
    from: u64,
    through: u64,
) -> Result<Received> {
    let header = lines::read_header(batch)?;
    let sender = Sender::of(engine, &header)?;
    let records = lines::read_selected(batch, &header, &sender.public, from, through)?;
    let told = sender.told(batch, &header)?;
    take(engine, &sender, &told, &records, (from, through))
}

/// Who claims to have made a batch.
struct Sender {
    public: [u8; 32],
    /// This store.
    own: String,
    /// `None` for this store itself.
    role: Option<MemberRole>,
}

impl Sender {
    /// # Errors
    /// `permission_denied` if it is neither a member nor this store.
    fn of(engine: &Engine, header: &BatchHeader) -> Result<Sender> {
        let public = public_key("batch", &header.identity)?;
        let own = signer(engine)?.identity();
        let member = engine.store.read()?.member(&header.identity)?;
        if member.is_none() && header.identity != own {
            return Err(stranger(header));
        }
        let role = member.map(|member| member.role);
        Ok(Sender { public, own, role })
    }

    /// What it says of itself besides its records, once its signature was verified.
    fn told<'h>(&self, batch: &str, header: &'h BatchHeader) -> Result<Told<'h>> {
        let answer = lines::read_answer(batch, header, &self.public, &self.own)?;
        Ok(Told { header, answer })
    }
}

/// What a store says of itself besides its records.
struct Told<'h> {
    header: &'h BatchHeader,
    /// How far it has come with the erasures of this store.
    answer: Option<Answer>,
}

/// Stores validated records: everything to accept after `reach.0` and up to `reach.1`.
fn take(
    engine: &Engine,
    sender: &Sender,
    told: &Told<'_>,
    records: &[SharedRecord],
    reach: (u64, u64),
) -> Result<Received> {
    let header = told.header;
    if header.identity == sender.own {
        return own_records(engine, header, records, reach.1);
    }
    let author = Author {
        key: store_key(&sender.public),
        identity: header.identity.clone(),
        reaches_all: sender.role == Some(MemberRole::Owner),
    };
    if let Some(received) = nothing_new(engine, &author, told, records, reach)? {
        return Ok(received);
    }
    let secret = *engine.store.read()?.secret();
    let now = engine.store.clock().now();
    let read = |share: &[SharedRecord]| -> Result<Vec<Incoming>> {
        let read = |record| Incoming::new(&author, record, &secret, now);
        searchable::with_spare_analyser(|| share.iter().map(read).collect())
    };
    // Report the first error in the order of the records.
    let shares = in_threads(records, RECORDS_PER_THREAD, read);
    let incoming: Vec<Vec<Incoming>> = shares.into_iter().collect::<Result<_>>()?;
    if let Some(warning) = engine.check_space()? {
        engine.logger.warn(Target::Share, || warning);
    }
    let (received, conflict, is_flushed) = engine.store.write(|tx| {
        let mut receiving = Receiving::new(engine, &author, tx);
        for one in incoming.into_iter().flatten() {
            receiving.take(one)?;
        }
        let conflict = receiving.conflict.take();
        let received = receiving.finish(told, reach)?;
        let is_flushed = engine.lexical.flush_if_long(tx)?;
        engine.learned_index.flush_if_long(tx)?;
        Ok((received, conflict, is_flushed))
    })?;
    if is_flushed {
        engine
            .lexical
            .merge_after_batch(&engine.store, received.records);
    }
    if received.forgotten > 0 {
        embed::take_out_vectors(engine, TURN_WAIT)?;
    }
    engine.logger.debug(Target::Share, || {
        let records = counted(received.records, "record");
        let refused = received.refused;
        format!("received {records} from another store and refused {refused} erased ones")
    });
    if received.to_erase > 0 {
        engine.logger.info(Target::Share, || {
            let orders = counted(received.to_erase, "order");
            format!("{orders} from other stores to erase: call sharing.erase_ordered() to carry them out")
        });
    }
    conflict.map_or(Ok(received), Err)
}

/// The result for a batch without records or news, which needs no write.
fn nothing_new(
    engine: &Engine,
    author: &Author,
    told: &Told<'_>,
    records: &[SharedRecord],
    (since, through): (u64, u64),
) -> Result<Option<Received>> {
    let read = engine.store.read()?;
    let received = read.received(&author.key)?;
    let offers = read.offers(&author.key)?;
    let told_offers = told.header.offers;
    let moves_on = since <= received && through > received && told_offers >= offers;
    if !records.is_empty() || moves_on || told_offers > offers {
        return Ok(None);
    }
    if let Some(answer) = &told.answer {
        let known_changes = read.declined_changes(&author.key)?;
        let is_newer = answer.declined_changes > known_changes;
        let is_other = answer.declined_changes == known_changes
            && told_declined(answer) != read.declined_by(&author.key)?;
        if is_newer || is_other || answer.carried_out > read.answered(&author.key)? {
            return Ok(None);
        }
    }
    Ok(Some(Received {
        identity: author.identity.clone(),
        to_erase: read.orders_to_erase()?.len() as u64,
        through: received,
        ..Received::default()
    }))
}

/// Handles a batch of this store that came back: it contains nothing new, unless another
/// store signs with the same key.
fn own_records(
    engine: &Engine,
    header: &BatchHeader,
    records: &[SharedRecord],
    through: u64,
) -> Result<Received> {
    let read = engine.store.read()?;
    for record in records {
        let is_known = read.with_record(record.position, |view| {
            let id = EventId::from_bytes(view.archive()?.id);
            Ok(id.to_string() == record.id)
        })?;
        if is_known != Some(true) {
            return Err(two_machines("batch", &header.identity, record.position));
        }
    }
    Ok(Received {
        identity: header.identity.clone(),
        duplicates: records.len() as u64,
        through,
        ..Received::default()
    })
}

/// The error when copies of one folder share an identity; it names `argument`.
pub(crate) fn two_machines(argument: &'static str, identity: &str, position: u64) -> Error {
    Error::new(
        ErrorCode::AlreadyExists,
        format!(
            "store {identity} has two different records at position {position}: its folder was \
             copied and both copies were written to; call sharing.renew_identity() on one of them"
        ),
    )
    .with_argument(argument)
}

/// The error when two members claim one id. Nobody can tell which of them made it up, so
/// the first record stays, and the rest of the batch is stored: otherwise a member could cut
/// off another one by repeating one of its ids.
fn two_records(here: &str, position_here: u64, author: &Author, position: u64) -> Error {
    Error::new(
        ErrorCode::AlreadyExists,
        format!(
            "store {} has a record at position {position} with the id of a different record of \
             {here} at position {position_here}, which stays; everything else in the batch was \
             stored; find out which of the two stores made the id up and call sharing.remove_member()",
            author.identity
        ),
    )
    .with_argument("batch")
}

/// What becomes of the records that an order names and does not reach.
#[derive(Default)]
struct Others {
    /// Some are named by orders that reach them as well.
    are_ordered: bool,
    /// Some are kept.
    are_kept: bool,
}

/// A batch whose records are being written to the log.
struct Receiving<'r, 'tx> {
    engine: &'r Engine,
    author: &'r Author,
    tx: &'r mut WriteTx<'tx>,
    /// New records to be stored together, and the positions of their ids.
    waiting: Vec<ForeignDraft>,
    waiting_ids: HashMap<EventId, u64>,
    /// Those of them that refer to something erased.
    late: HashSet<EventId>,
    /// The position from which library records must be looked at again, because they may refer to
    /// something erased.
    late_from: Option<u64>,
    /// The first record with the id of a different one.
    conflict: Option<Error>,
    /// Positions of records of which only the names are stored, because they were ordered to be
    /// forgotten before they came. What was learned of them stays, as it does where they are.
    bare: Vec<u64>,
    /// The same, but they were ordered to be erased.
    bare_erased: Vec<u64>,
    /// Positions of records that arrived under another name and are gone: this store orders
    /// them again under that name.
    repeated: Vec<u64>,
    /// Positions of live records that arrived under another name, by which an owner ordered to hide
    /// them.
    named_later: Vec<u64>,
    orders: Orders,
    /// Whether a record came too late to be folded in place: everything is folded again once, after
    /// the last one.
    is_refold_due: bool,
    /// What records here were about before the batch.
    before: Before,
    received: Received,
}

impl<'r, 'tx> Receiving<'r, 'tx> {
    fn new(engine: &'r Engine, author: &'r Author, tx: &'r mut WriteTx<'tx>) -> Self {
        tx.citation_length = engine.tuning.citation_length;
        Receiving {
            engine,
            author,
            tx,
            waiting: Vec::new(),
            waiting_ids: HashMap::new(),
            late: HashSet::new(),
            late_from: None,
            conflict: None,
            bare: Vec::new(),
            bare_erased: Vec::new(),
            repeated: Vec::new(),
            named_later: Vec::new(),
            orders: Orders::default(),
            is_refold_due: false,
            before: Before::default(),
            received: Received {
                identity: author.identity.clone(),
                ..Received::default()
            },
        }
    }

    fn take(&mut self, incoming: Incoming) -> Result<()> {
        let (key, position) = (self.author.key, incoming.draft.name.position);
        let name = Name {
            store: key,
            position,
        };
        let id = incoming.draft.id;
        if let Some(seq) = self.tx.seq_of_foreign(&key, position)? {
            if self.tx.id_at(seq)? != Some(id) {
                return Err(two_machines("batch", &self.author.identity, position));
            }
            self.received.duplicates += 1;
            return Ok(());
        }
        if incoming.targets.is_some() {
            if self.tx.is_own_under(&key, position, &id)? {
                // A store that was restored from a backup meets the orders that it gave before.
                self.received.duplicates += 1;
                return Ok(());
            }
            return match self.tx.has_other_name(&key, position)? {
                true => Err(two_machines("batch", &self.author.identity, position)),
                false => self.order(incoming),
            };
        }
        if let Some(other) = self.waiting_ids.get(&id) {
            let here = format!("store {}", self.author.identity);
            self.conflict
                .get_or_insert(two_records(&here, *other, self.author, position));
            return Ok(());
        }
        let is_refused = self.tx.is_ordered(&mut self.orders, name, &id)?;
        if let Some(seq) = self.known(&id)? {
            let is_taken = !is_refused && self.stands_for_itself(seq, &incoming)?;
            if !is_taken {
                return self.take_known(seq, &incoming);
            }
            // What was folded by whether the record here is live goes by the new one from now on.
            self.is_refold_due |= order::was_asked_about(self.tx, seq)?;
        }
        if self.tx.has_other_name(&key, position)? {
            return Err(two_machines("batch", &self.author.identity, position));
        }
        let is_to_erase = is_refused
            && self
                .tx
                .is_ordered_to_be_erased(&mut self.orders, name, &id)?;
        if is_to_erase {
            late::note_refused(self.tx, &incoming)?;
            // What refers to it may have come before.
            self.late_from = Some(1);
        } else if !is_refused
            && self.tx.state.erased_events > 0
            && late::is_late(self.tx, &incoming)?
        {
            self.late.insert(id);
        }
        let mut draft = incoming.draft;
        draft.salt = self.engine.store.new_salt();
        if is_refused {
            self.store_waiting()?;
            let seq = self.tx.append_bare(&draft)?;
            match is_to_erase {
                true => self.bare_erased.push(seq),
                false => self.bare.push(seq),
            }
            self.received.refused += 1;
            return Ok(());
        }
        self.waiting_ids.insert(draft.id, position);
        self.waiting.push(draft);
        Ok(())
    }

    /// The record here with an id. Another store's order does not count: its author may give it any.
    fn known(&self, id: &EventId) -> Result<Option<u64>> {
        let Some(seq) = self.tx.seq_of_id(id)? else {
            return Ok(None);
        };
        let is_order = self.tx.with_record(seq, |view| {
            Ok(is_tombstone(view.kind()) && view.archive()?.foreign.is_some())
        })?;
        Ok((is_order != Some(true)).then_some(seq))
    }

    /// Whether a record is stored although its id is here: the one that is here was hidden by
    /// those who recorded it, and the author of this one has not ordered that.
    fn stands_for_itself(&mut self, seq: u64, incoming: &Incoming) -> Result<bool> {
        let (key, position) = (self.author.key, incoming.draft.name.position);
        let Some(tombstone) = self.tx.tombstone_of(seq)? else {
            return Ok(false);
        };
        let names = self.tx.names_of(&self.tx.aliases()?, seq)?;
        if names.iter().any(|name| name.store == key) {
            return Ok(false);
        }
        let hidden = (seq, tombstone);
        if !self
            .tx
            .is_hidden_by_its_authors(&mut self.orders, hidden, &names)?
        {
            return Ok(false);
        }
        let places = self.tx.record_orders_of(&[seq])?;
        if let Some(place) = places.first()
            && is_same(self.tx, seq, place, incoming)?
        {
            // Those who recorded the other one did record this one too.
            for name in names {
                self.tx.note_alias(name.store, key, position)?;
            }
        }
        Ok(true)
    }

    fn store_waiting(&mut self) -> Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let waiting = std::mem::take(&mut self.waiting);
        self.waiting_ids.clear();
        self.received.records += waiting.len() as u64;
        self.before.of_foreign(self.tx, &waiting)?;
        let sessions = waiting.iter().map(|one| one.draft.event.session.clone());
        let seqs = self.tx.counting_moves(sessions, |tx| {
            let seqs = tx.append_foreign(&waiting)?;
            tx.recompute_sessions_after(&seqs)?;
            Ok(seqs)
        })?;
        if !self.late.is_empty() {
            let mut stored = waiting.iter().zip(&seqs);
            let first = stored.find(|(one, _)| self.late.contains(&one.id));
            if let Some((_, seq)) = first {
                self.late_from = Some(self.late_from.map_or(*seq, |from| from.min(*seq)));
            }
            self.late.clear();
        }
        if !self.is_refold_due {
            self.is_refold_due = order::fold_unless_late(self.tx, &seqs)?;
        }
        Ok(())
    }

    /// Folds everything again if that is due.
    fn refold(&mut self) -> Result<()> {
        if !std::mem::take(&mut self.is_refold_due) {
            return Ok(());
        }
        projection::refold(self.tx)?;
        if self.received.forgotten > 0 {
            take_out_learned(self.engine, self.tx)?;
        }
        Ok(())
    }

    /// Stores an order and applies it to what is here.
    fn order(&mut self, incoming: Incoming) -> Result<()> {
        self.store_waiting()?;
        let Incoming { mut draft, targets } = incoming;
        let targets = targets.unwrap_or_default();
        draft.salt = self.engine.store.new_salt();
        let is_erasure = draft.draft.event.kind == EventKind::Erased;
        let reaches = self.author.reaches_all;
        let hidden = self.present(&targets, Act::Hide)?;
        let live = self.tx.still_live(&hidden)?;
        let mut has_text = false;
        if is_erasure {
            let erased = match reaches {
                // It is the same.
                true => hidden,
                false => self.present(&targets, Act::Erase)?,
            };
            has_text = self.tx.any_has_text(&erased)?;
            self.erase_bare(&erased)?;
            let (author, position) = (self.author.key, draft.name.position);
            self.tx.note_ordered_erasure(&author, position)?;
            if !reaches {
                let others = self.others(&targets, &erased)?;
                if others.are_kept {
                    self.decline(draft.name.position)?;
                }
                // It is answered when the orders that reach these are carried out.
                has_text |= others.are_ordered && self.tx.has_to_erase()?;
            }
        }
        let kept = remote_deletes::kept_metadata(&ranges(&live), &targets, reaches);
        draft.draft.event.metadata = Some(Clean::from_log(kept));
        self.received.records += 1;
        let stored = self.tx.append_foreign(std::slice::from_ref(&draft))?;
        let at = stored.first().copied().unwrap_or(self.tx.state.last_seq);
        if !live.is_empty() {
            self.received.forgotten += live.len() as u64;
            match self.is_refold_due {
                true => take_out_said(self.engine, self.tx, &live, at)?,
                false => take_out(self.engine, self.tx, &live, at)?,
            };
        }
        if is_erasure && has_text {
            self.tx.set_to_erase(at, true)?;
        }
        Ok(())
    }

    /// Takes a record whose id is already here under another name.
    fn take_known(&mut self, seq: u64, incoming: &Incoming) -> Result<()> {
        let places = self.tx.record_orders_of(&[seq])?;
        let Some(place) = places.first() else {
            return Ok(());
        };
        if !is_same(self.tx, seq, place, incoming)? {
            if self.conflict.is_none() {
                let by = named_by(self.tx, seq)?.map(|(store, _)| store);
                let here = match by {
                    Some(store) => self.tx.identity_of(&store)?,
                    None => "this store".to_owned(),
                };
                let position = incoming.draft.name.position;
                self.conflict = Some(two_records(&here, place.position, self.author, position));
            }
            return Ok(());
        }
        // It was in the log from which one of the two stores was restored.
        self.received.duplicates += 1;
        let position = incoming.draft.name.position;
        self.note_other_name(seq, position)
    }

    /// Notes another name under which a record of this log arrived. Orders about it do not
    /// know that name, so whoever gave one repeats it.
    fn note_other_name(&mut self, seq: u64, position: u64) -> Result<()> {
        let known = named_by(self.tx, seq)?.map_or(THIS_STORE, |(store, _)| store);
        if !self.tx.note_alias(self.author.key, known, position)? {
            return Ok(());
        }
        match self.tx.tombstone_of(seq)? {
            // Earlier orders do not use the name.
            Some(tombstone) if self.is_repeated(seq, tombstone, &known)? => self.repeated.push(seq),
            Some(_) => {}
            None => self.hide_by_other_name(seq, position)?,
        }
        Ok(())
    }

    /// Carries out the orders of owners that use a name under which a record has arrived just now.
    fn hide_by_other_name(&mut self, seq: u64, position: u64) -> Result<()> {
        let Some(id) = self.tx.id_at(seq)? else {
            return Ok(());
        };
        let name = Name {
            store: self.author.key,
            position,
        };
        let given = self.tx.orders_of_owners(&mut self.orders, name, &id)?;
        if !given.is_empty() {
            self.named_later.push(seq);
        }
        for (order, is_erasure) in given {
            if is_erasure {
                self.tx.set_to_erase(order, true)?;
            }
        }
        Ok(())
    }

    fn hide_named_later(&mut self) -> Result<()> {
        let mut seqs = std::mem::take(&mut self.named_later);
        seqs.sort_unstable();
        self.received.forgotten += hide_here(self.engine, self.tx, &seqs)?;
        Ok(())
    }

    /// Whether this store repeats an order under another name: if it gave the order, or if the
    /// store did that recorded the hidden record, whose orders about it everyone obeys.
    fn is_repeated(&mut self, seq: u64, tombstone: u64, recorded_by: &StoreKey) -> Result<bool> {
        let is_own = *recorded_by == THIS_STORE;
        let is_order = self.tx.with_record(tombstone, |view| {
            let record = view.archive()?;
            let ordered = Ordered::by(&record);
            Ok(match record.foreign.as_ref().map(|foreign| foreign.store) {
                Some(by) => Some(by == *recorded_by),
                None if ordered.stays => Some(false),
                None if is_own || !ordered.is_by_others(seq) => Some(true),
                None => None,
            })
        })?;
        match (
            is_order.flatten(),
            named_by(self.tx, seq)?,
            self.tx.id_at(seq)?,
        ) {
            (Some(is_order), ..) => Ok(is_order),
            // Others ordered it, and perhaps that store among them.
            (None, Some((store, position)), Some(id)) => {
                let name = Name { store, position };
                self.tx
                    .is_ordered_by_its_author(&mut self.orders, name, &id)
            }
            (None, ..) => Ok(false),
        }
    }

    /// Repeats orders for records that arrived under another name.
    fn repeat_orders(&mut self) -> Result<()> {
        let mut seqs = std::mem::take(&mut self.repeated);
        seqs.sort_unstable();
        for kind in [EventKind::Forgotten, EventKind::Erased] {
            let mut of_kind = Vec::new();
            for &seq in &seqs {
                if self.tx.is_erased(seq)? == (kind == EventKind::Erased) {
                    of_kind.push(seq);
                }
            }
            if !of_kind.is_empty() {
                let draft = tombstone(self.engine, kind, &of_kind, TombstoneScope::Everywhere);
                projection::append(self.tx, std::slice::from_ref(&draft))?;
                self.tx.mark_erased(&of_kind, self.tx.state.last_seq)?;
            }
        }
        Ok(())
    }

    /// Has what was learned of records erased that came with no more than their names, because
    /// they were to be forgotten.
    fn erase_bare(&mut self, ordered: &[u64]) -> Result<()> {
        for &seq in ordered {
            if self.tx.is_erased(seq)? && !late::is_erased_at(self.tx, seq)? {
                self.bare_erased.push(seq);
                self.late_from = Some(1);
            }
        }
        Ok(())
    }

    /// What becomes of the records that an erasure names and does not reach. `reached` is what it
    /// does reach here.
    fn others(&mut self, targets: &[Targets], reached: &[u64]) -> Result<Others> {
        let mut others = Others::default();
        for targets in targets {
            if targets.store == self.author.key {
                // Other stores recorded it too.
                let mut meant = self.tx.seqs_meant(targets)?;
                meant.retain(|seq| reached.binary_search(seq).is_err());
                others.are_kept |= self.tx.any_has_text(&meant)?;
            } else if self.tx.may_mean(targets)? {
                match self.tx.is_all_ordered(&mut self.orders, targets)? {
                    true => others.are_ordered = true,
                    false => others.are_kept = true,
                }
            }
        }
        Ok(others)
    }

    /// Notes that an erasure is not carried out for everything it names.
    fn decline(&mut self, position: u64) -> Result<()> {
        let author = self.author.key;
        let mut declined = self.tx.declined(&author)?;
        declined.push(position);
        // Keep the newest.
        let surplus = declined.len().saturating_sub(MAX_DECLINED);
        self.tx.set_declined(&author, &declined[surplus..])
    }

    /// The local positions of what an order reaches, except other orders.
    fn present(&mut self, targets: &[Targets], act: Act) -> Result<Vec<u64>> {
        let by = (self.author.key, self.author.reaches_all);
        let mut found = Vec::new();
        for seq in self.tx.reached(&mut self.orders, by, act, targets)? {
            if !self.tx.kind_at(seq)?.is_some_and(is_tombstone) {
                found.push(seq);
            }
        }
        Ok(found)
    }

    /// Stores the rest and records how far both stores have come.
    fn finish(mut self, told: &Told<'_>, (from, through): (u64, u64)) -> Result<Received> {
        self.store_waiting()?;
        self.refold()?;
        std::mem::take(&mut self.before).count(self.tx)?;
        if let Some(from) = self.late_from {
            self.tx.set_late(from)?;
        }
        for (kind, bare) in [
            (EventKind::Forgotten, &self.bare),
            (EventKind::Erased, &self.bare_erased),
        ] {
            if !bare.is_empty() {
                // A store that obeys the order hides it without being told by this one.
                let draft = tombstone(self.engine, kind, bare, TombstoneScope::Here);
                projection::append(self.tx, std::slice::from_ref(&draft))?;
                self.tx.mark_erased(bare, self.tx.state.last_seq)?;
            }
        }
        self.hide_named_later()?;
        self.repeat_orders()?;
        let (offers, told_offers) = (self.tx.offers(&self.author.key)?, told.header.offers);
        if told_offers > offers {
            // Withheld records may be anywhere before, so everything is requested again.
            self.tx.set_offers(&self.author.key, told_offers)?;
            self.tx.forget_received(&self.author.key)?;
        }
        let mut received = self.received;
        // A batch that leaves a gap is accepted; the gap remains to be filled. So is one from
        // before something was offered again, but it may lack what was.
        received.through = match told_offers >= offers {
            true => self.tx.note_received(&self.author.key, from, through)?,
            false => self.tx.received(&self.author.key)?,
        };
        received.to_erase = self.tx.orders_to_erase()?.len() as u64;
        if let Some(answer) = &told.answer {
            note_answer(self.tx, &self.author.key, answer)?;
        }
        Ok(received)
    }
}

/// Notes how far the author of a batch has come with the erasures of this store.
fn note_answer(tx: &mut WriteTx<'_>, author: &StoreKey, answer: &Answer) -> Result<()> {
    let position = answer.carried_out;
    if position <= tx.state.last_seq && position > tx.answered(author)? {
        tx.set_answered(author, position)?;
    }
    // An older answer may arrive later.
    if answer.declined_changes >= tx.declined_changes(author)? {
        tx.set_declined_changes(author, answer.declined_changes)?;
        tx.set_declined_by(author, told_declined(answer))?;
    }
    Ok(())
}

/// The orders of this store that the author of a batch declines.
fn told_declined(answer: &Answer) -> &[u64] {
    &answer.declined[..answer.declined.len().min(MAX_DECLINED)]
}

/// Carries out earlier orders of a store that has become an owner.
pub(crate) fn carry_out_declined(
    engine: &Engine,
    tx: &mut WriteTx<'_>,
    author: &StoreKey,
) -> Result<()> {
    let (mut live, mut open) = (BTreeSet::new(), Vec::new());
    let mut orders = Orders::default();
    let still_declined = tx.declined(author)?;
    for order in tx.orders_of(author)? {
        let is_erasure = tx.kind_at(order)? == Some(EventKind::Erased);
        let mut has_text = false;
        for seq in tx.ordered_seqs(&mut orders, order, Act::Hide)? {
            if tx.kind_at(seq)?.is_some_and(is_tombstone) {
                continue;
            }
            has_text |= !tx.is_erased(seq)?;
            if !tx.is_deleted(seq)? {
                live.insert(seq);
            }
        }
        if is_erasure && has_text {
            tx.set_to_erase(order, true)?;
            open.extend(named_by(tx, order)?.map(|(_, position)| position));
        }
    }
    // They count as declined until they are carried out.
    open.retain(|position| still_declined.contains(position));
    tx.set_declined(author, &open)?;
    let live: Vec<u64> = live.into_iter().collect();
    hide_here(engine, tx, &live).map(drop)
}

/// Hides live records because of orders that came earlier; returns how many.
fn hide_here(engine: &Engine, tx: &mut WriteTx<'_>, live: &[u64]) -> Result<u64> {
    if live.is_empty() {
        return Ok(0);
    }
    let at = put_tombstone(engine, tx, live, TombstoneScope::Here)?;
    take_out(engine, tx, live, at)?;
    Ok(live.len() as u64)
}

/// The store that gave an order, and its position there.
fn named_by(tx: &WriteTx<'_>, order: u64) -> Result<Option<(StoreKey, u64)>> {
    let by = tx.with_record(order, |view| {
        let foreign = view.archive()?.foreign;
        Ok(foreign.map(|foreign| (foreign.store, foreign.position)))
    })?;
    Ok(by.flatten())
}

/// [`Sharing::erase_ordered`](crate::Sharing::erase_ordered).
pub(crate) fn erase_ordered(engine: &Engine, running: &Running) -> Result<Erased> {
    let read = engine.store.read()?;
    let (orders, late) = (read.orders_to_erase()?, read.late()?);
    let late_ids = match late {
        Some(late) => late::erased_ids(&read, late.from)?,
        None => BTreeSet::new(),
    };
    drop(read);
    if let Some(late) = late
        && late_ids.is_empty()
    {
        engine.store.write(|tx| tx.end_late(late))?;
    }
    if orders.is_empty() && late_ids.is_empty() {
        let open = engine.store.open_erasures()?;
        return Ok(Erased {
            is_complete: open.count() == 0,
            advice: (open.count() > 0).then(|| {
                let only_files = open.requested == 0 && !open.places.is_empty();
                if only_files { CLOSE_OTHERS } else { GO_ON }.to_owned()
            }),
            unclean_places: open.places,
            ..Erased::default()
        });
    }
    let seqs = engine.store.write(|tx| {
        let mut seqs = BTreeSet::new();
        let mut met = Orders::default();
        for &order in &orders {
            for seq in tx.ordered_seqs(&mut met, order, Act::Erase)? {
                if !tx.is_erased(seq)? && !tx.kind_at(seq)?.is_some_and(is_tombstone) {
                    seqs.insert(seq);
                }
            }
        }
        Ok(seqs.into_iter().collect::<Vec<u64>>())
    })?;
    let erased = match seqs.is_empty() && late_ids.is_empty() {
        true => complete(engine, running)?,
        false => erase_for_others(engine, seqs, late_ids, running)?,
    };
    if let Some(late) = late {
        engine.store.write(|tx| tx.end_late(late))?;
    }
    // An order is answered once no file contains the text any more.
    if erased.is_complete {
        engine.store.write(|tx| {
            for &order in &orders {
                tx.set_to_erase(order, false)?;
                if let Some((author, position)) = named_by(tx, order)?
                    && tx.is_owner(&author)?
                {
                    let mut declined = tx.declined(&author)?;
                    declined.retain(|other| *other != position);
                    tx.set_declined(&author, &declined)?;
                }
            }
            Ok(())
        })?;
    }
    Ok(erased)
}

/// The error for a store that is not a member.
fn stranger(header: &BatchHeader) -> Error {
    let BatchHeader {
        identity,
        from,
        through,
        ..
    } = header;
    Error::new(
        ErrorCode::PermissionDenied,
        format!(
            "the batch after position {from}, up to {through}, is from store {identity}, which is \
             not a member; call sharing.add_member() to accept its records"
        ),
    )
    .with_argument("batch")
}
