//! Taking a batch of another store: nothing of it is believed before every signature
//! was checked, and either all of it is stored or nothing.

use std::collections::{BTreeSet, HashSet};

use crate::engine::Engine;
use crate::engine::logger::{Target, counted};
use crate::index::lexical::searchable;
use crate::model::error::{Error, ErrorCode, Result};
use crate::model::event::EventKind;
use crate::model::ids::{EventId, EventRef};
use crate::model::sharing::{MemberRole, Received};
use crate::privacy::Clean;
use crate::projection::{self, order};
use crate::share::RECORDS_PER_THREAD;
use crate::share::incoming::{Author, Incoming};
use crate::share::keys::{public_key, signer, store_key};
use crate::share::lines::{self, BatchHeader, SharedRecord};
use crate::share::members::stranger;
use crate::store::WriteTx;
use crate::store::append::ForeignDraft;
use crate::store::ordered::{self, Targets, reached};
use crate::store::threads::in_threads;
use crate::store::tombstone::{Selection, is_tombstone, ranges};
use crate::upkeep::embed;
use crate::upkeep::erase::{Erased, erase_selected};
use crate::upkeep::forget::{TURN_WAIT, take_out, tombstone};

/// [`Sharing::receive`](crate::Sharing::receive).
pub(crate) fn receive(engine: &Engine, batch: &str) -> Result<Received> {
    let header = lines::read_header(batch)?;
    let sender = Sender::of(engine, &header)?;
    let records = lines::read_records(batch, &header, &sender.public)?;
    let reach = (header.from, header.through);
    take(engine, &sender, &header, &records, reach)
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
    take(engine, &sender, &header, &records, (from, through))
}

/// Who says that it made a batch.
struct Sender {
    public: [u8; 32],
    /// This store.
    own: String,
    /// `None` for this store itself.
    role: Option<MemberRole>,
}

impl Sender {
    /// # Errors
    /// `permission_denied` when it is neither a member nor this store.
    fn of(engine: &Engine, header: &BatchHeader) -> Result<Sender> {
        let public = public_key("batch", &header.identity)?;
        let own = signer(engine)?.identity();
        let member = engine.store.read()?.member(&header.identity)?;
        if member.is_none() && header.identity != own {
            return Err(stranger(&header.identity));
        }
        let role = member.map(|member| member.role);
        Ok(Sender { public, own, role })
    }
}

/// Stores records that were checked: all there is to take from behind `reach.0` up to
/// `reach.1`.
fn take(
    engine: &Engine,
    sender: &Sender,
    header: &BatchHeader,
    records: &[SharedRecord],
    reach: (u64, u64),
) -> Result<Received> {
    if header.identity == sender.own {
        return own_records(engine, header, records, reach.1);
    }
    let author = Author {
        key: store_key(&sender.public),
        identity: header.identity.clone(),
        reaches_all: sender.role == Some(MemberRole::Owner),
    };
    if let Some(received) = nothing_new(engine, &author, header, &sender.own, records, reach)? {
        return Ok(received);
    }
    let secret = *engine.store.read()?.secret();
    let read = |share: &[SharedRecord]| -> Result<Vec<Incoming>> {
        let read = |record| Incoming::new(&author, record, &secret);
        searchable::with_spare_analyser(|| share.iter().map(read).collect())
    };
    // The first error in the order of the records is the one to tell.
    let shares = in_threads(records, RECORDS_PER_THREAD, read);
    let incoming: Vec<Vec<Incoming>> = shares.into_iter().collect::<Result<_>>()?;
    engine.check_space()?;
    let (received, is_flushed) = engine.store.write(|tx| {
        let mut receiving = Receiving::new(engine, &author, tx);
        for one in incoming.into_iter().flatten() {
            receiving.take(one)?;
        }
        let received = receiving.finish(header, &sender.own, reach)?;
        let is_flushed = engine.lexical.flush_if_long(tx)?;
        engine.learned_index.flush_if_long(tx)?;
        Ok((received, is_flushed))
    })?;
    if is_flushed {
        engine.lexical.merge_after_flush(&engine.store);
    }
    if received.forgotten > 0 {
        embed::take_out_vectors(engine, TURN_WAIT)?;
    }
    engine.logger.debug(Target::Share, || {
        let records = counted(received.records, "record");
        let refused = received.refused;
        format!("received {records} of another store and refused {refused} that are erased")
    });
    if received.to_erase > 0 {
        engine.logger.info(Target::Share, || {
            let orders = counted(received.to_erase, "order");
            format!("{orders} of other stores to erase: erase_ordered carries them out")
        });
    }
    Ok(received)
}

/// What there is to say of a batch that holds no record and tells nothing that is not known:
/// it costs no write.
fn nothing_new(
    engine: &Engine,
    author: &Author,
    header: &BatchHeader,
    own: &str,
    records: &[SharedRecord],
    (since, through): (u64, u64),
) -> Result<Option<Received>> {
    let read = engine.store.read()?;
    let received = read.received(&author.key)?;
    let moves_on = since <= received && through > received;
    if !records.is_empty() || moves_on || header.offers > read.offers(&author.key)? {
        return Ok(None);
    }
    if let Some((_, answered)) = header.carried_out.iter().find(|(to, _)| to == own)
        && *answered > read.answered(&author.key)?
    {
        return Ok(None);
    }
    Ok(Some(Received {
        identity: author.identity.clone(),
        to_erase: read.orders_to_erase()?.len() as u64,
        through: received,
        ..Received::default()
    }))
}

/// A batch of this store that came back: it says nothing new, unless somebody else
/// signs with the same key.
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
            return Err(two_machines(&header.identity, record.position));
        }
    }
    Ok(Received {
        identity: header.identity.clone(),
        duplicates: records.len() as u64,
        through,
        ..Received::default()
    })
}

fn two_machines(identity: &str, position: u64) -> Error {
    Error::new(
        ErrorCode::AlreadyExists,
        format!(
            "store {identity} gave position {position} to two different records: its folder was \
             copied, and both copies are written to; give one of them a new identity with \
             renew_identity()"
        ),
    )
    .with_argument("batch")
}

/// The records of a batch on their way into the log.
struct Receiving<'r, 'tx> {
    engine: &'r Engine,
    author: &'r Author,
    tx: &'r mut WriteTx<'tx>,
    /// New records that wait to be stored together, and their ids.
    waiting: Vec<ForeignDraft>,
    waiting_ids: HashSet<EventId>,
    /// Positions of records of which nothing but names was stored.
    bare: Vec<u64>,
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
            waiting_ids: HashSet::new(),
            bare: Vec::new(),
            received: Received {
                identity: author.identity.clone(),
                ..Received::default()
            },
        }
    }

    fn take(&mut self, incoming: Incoming) -> Result<()> {
        let Incoming {
            mut draft,
            targets,
            order,
        } = incoming;
        let (key, position) = (self.author.key, draft.name.position);
        if let Some(seq) = self.tx.seq_of_foreign(&key, position)? {
            if self.tx.id_at(seq)? != Some(draft.id) {
                return Err(two_machines(&self.author.identity, position));
            }
            self.received.duplicates += 1;
            return Ok(());
        }
        if self.waiting_ids.contains(&draft.id) || self.tx.seq_of_id(&draft.id)?.is_some() {
            // It was in the log from which this store or that one was restored.
            self.received.duplicates += 1;
            return Ok(());
        }
        draft.salt = self.engine.store.new_salt();
        if self.tx.is_ordered(&key, position)? {
            self.store_waiting()?;
            self.bare.push(self.tx.append_bare(&draft)?);
            self.received.refused += 1;
            return Ok(());
        }
        match targets {
            None => {
                self.waiting_ids.insert(draft.id);
                self.waiting.push(draft);
            }
            Some(targets) => self.order(draft, targets, &order)?,
        }
        Ok(())
    }

    fn store_waiting(&mut self) -> Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let waiting = std::mem::take(&mut self.waiting);
        self.waiting_ids.clear();
        self.received.records += waiting.len() as u64;
        let seqs = self.tx.append_foreign(&waiting)?;
        let changed: BTreeSet<String> = waiting
            .iter()
            .filter(|record| record.draft.event.kind == EventKind::SessionChanged)
            .map(|record| record.draft.event.session.clone())
            .collect();
        self.tx.settle_sessions(&changed)?;
        order::fold_received(self.tx, &seqs).map(drop)
    }

    /// Stores an order and carries it out on what is here.
    fn order(&mut self, mut draft: ForeignDraft, targets: Vec<Targets>, named: &str) -> Result<()> {
        self.store_waiting()?;
        let is_erasure = draft.draft.event.kind == EventKind::Erased;
        if is_erasure {
            let author = self.author.key;
            self.tx.set_ordered_erasures(&author)?;
        }
        let present = self.present(reached(self.author.key, self.author.reaches_all, targets))?;
        let mut live = Vec::new();
        let mut has_text = false;
        for seq in present {
            has_text |= !self.tx.is_erased(seq)?;
            if !self.tx.is_deleted(seq)? {
                live.push(seq);
            }
        }
        let kept = ordered::kept_metadata(&ranges(&live), named, self.author.reaches_all);
        draft.draft.event.metadata = Some(Clean::from_log(kept));
        self.received.records += 1;
        let stored = self.tx.append_foreign(std::slice::from_ref(&draft))?;
        let at = stored.first().copied().unwrap_or(self.tx.state.last_seq);
        if !live.is_empty() {
            self.received.forgotten += live.len() as u64;
            take_out(self.engine, self.tx, &live, at)?;
        }
        if is_erasure && has_text {
            self.tx.set_to_erase(at, true)?;
        }
        Ok(())
    }

    /// The positions here of what an order names, but for other orders.
    fn present(&self, targets: Vec<Targets>) -> Result<Vec<u64>> {
        let mut found = Vec::new();
        for targets in targets {
            for (from, to) in targets.ranges {
                for seq in self.tx.seqs_of(&targets.store, from, to)? {
                    if !self.tx.kind_at(seq)?.is_some_and(is_tombstone) {
                        found.push(seq);
                    }
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// What is left, and how far both stores have come. `own` is this one's identity.
    fn finish(
        mut self,
        header: &BatchHeader,
        own: &str,
        (from, through): (u64, u64),
    ) -> Result<Received> {
        self.store_waiting()?;
        if !self.bare.is_empty() {
            let draft = tombstone(self.engine, EventKind::Erased, &self.bare);
            projection::append(self.tx, std::slice::from_ref(&draft))?;
            self.tx.mark_erased(&self.bare, self.tx.state.last_seq)?;
        }
        if header.offers > self.tx.offers(&self.author.key)? {
            // What it withheld may lie anywhere before: all is asked for once more.
            self.tx.set_offers(&self.author.key, header.offers)?;
            self.tx.set_received(&self.author.key, 0)?;
        }
        let before = self.tx.received(&self.author.key)?;
        let mut received = self.received;
        received.through = before;
        // A batch that leaves a gap is taken, and the gap stays to be filled.
        if from <= before && through > before {
            self.tx.set_received(&self.author.key, through)?;
            received.through = through;
        }
        received.to_erase = self.tx.count_to_erase()?;
        let answer = header.carried_out.iter().find(|(to, _)| to == own);
        if let Some((_, position)) = answer
            && *position <= self.tx.state.last_seq
            && *position > self.tx.answered(&self.author.key)?
        {
            self.tx.set_answered(&self.author.key, *position)?;
        }
        Ok(received)
    }
}

/// [`Sharing::erase_ordered`](crate::Sharing::erase_ordered).
pub(crate) fn erase_ordered(engine: &Engine) -> Result<Erased> {
    let orders = engine.store.read()?.orders_to_erase()?;
    if orders.is_empty() {
        return Ok(Erased::default());
    }
    let ids = engine.store.write(|tx| {
        let mut ids = Vec::new();
        for &order in &orders {
            for seq in tx.ordered_seqs(order)? {
                if !tx.is_erased(seq)? && !tx.kind_at(seq)?.is_some_and(is_tombstone) {
                    ids.push(EventRef::Seq(crate::model::ids::Seq(seq)));
                }
            }
        }
        Ok(ids)
    })?;
    let erased = match ids.is_empty() {
        true => Erased::default(),
        false => erase_selected(
            engine,
            Selection {
                ids,
                ..Selection::default()
            },
        )?,
    };
    engine.store.write(|tx| {
        for &order in &orders {
            tx.set_to_erase(order, false)?;
        }
        Ok(())
    })?;
    Ok(erased)
}
