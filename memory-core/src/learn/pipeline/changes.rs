//! Finds what the new entries of an ingestion change of those that are known, and what was said
//! since changes of them: a conversation may be read long after a newer one.
//!
//! Rules made their entries of sentences. So that what a model made can be compared with them, it is
//! read as the sentences that it quotes.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::rc::Rc;

use crate::learn::entries::is_entry_live;
use crate::learn::pipeline::compared::Compared;
use crate::learn::pipeline::options::{BY_HAND, Reader};
use crate::learn::pipeline::prepare::Prepared;
use crate::learn::pipeline::report::IngestedEntry;
use crate::learn::speaker::speaker_of;
use crate::learn::unread::readable;
use crate::model::error::Result;
use crate::model::event::Event;
use crate::model::ids::Seq;
use crate::model::time::Timestamp;
use crate::projection::entries::{self, Group};
use crate::projection::rows;
use crate::recall::learned::entries::current_successor;
use crate::rules::entries::{EntryId, EntryStatus, EntryType, EvidenceSpan, LearnedEntry, Stage};
use crate::rules::history::BuildRun;
use crate::rules::model_answer::RelationKind;
use crate::rules::statements::answer::{entry_type, one_line};
use crate::rules::statements::elliptical::is_with_question;
use crate::rules::statements::reversal::{Change, Reversal, compares_words};
use crate::rules::statements::{self, MAX_CONFIDENCE, RULES_MODEL, second_answer};
use crate::store::WriteTx;
use crate::store::log::record::RecordView;
use crate::store::projected_rows::projected::Rows;
use crate::text::fence::recalled_spans;
use crate::text::keys::canonical_key;

/// How many of the newest entries of a project a new one is compared with.
const MAX_COMPARED: usize = 500;

/// What becomes of entries.
#[derive(Debug, Default)]
pub(in crate::learn) struct Changes {
    /// An older entry and the newer one that replaces it.
    pub(in crate::learn) replaced: Vec<(EntryId, EntryId)>,
    /// An older entry and the newer one that contradicts it.
    pub(in crate::learn) disagree: Vec<(EntryId, EntryId)>,
    /// What no longer counts, without a successor.
    pub(super) withdrawn: Vec<EntryId>,
}

impl Changes {
    pub(super) fn replaces(&mut self, older: &EntryId, newer: &EntryId) {
        self.replaced.push((older.clone(), newer.clone()));
    }

    pub(super) fn disagrees(&mut self, older: &EntryId, newer: &EntryId) {
        self.disagree.push((older.clone(), newer.clone()));
    }
}

/// Replaces entries by `replace`, which says whether it did. An entry has one successor: of many
/// sentences each may replace all before it, and the pairs that come too late are not asked for.
pub(in crate::learn) fn replace_each(
    replaced: Vec<(EntryId, EntryId)>,
    mut replace: impl FnMut(&EntryId, &EntryId) -> Result<bool>,
) -> Result<()> {
    let mut done = BTreeSet::new();
    for (older, newer) in replaced {
        if !done.contains(&older) && replace(&older, &newer)? {
            done.insert(older);
        }
    }
    Ok(())
}

/// The newest entries of a project, the newest first.
type Latest = Rc<Vec<Rc<LearnedEntry>>>;

/// When something was said, and its position; `None` if nothing that counts says it.
type SaidAt = Option<(Timestamp, Seq)>;

/// Who made an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Maker {
    Rules,
    Model,
    /// A person or a program, without a conversation to be read.
    Person,
}

/// A sentence as the rules read it.
struct Sentence {
    kind: EntryType,
    text: String,
}

/// A new entry, and what is compared.
struct New {
    row: LearnedEntry,
    maker: Maker,
    said: SaidAt,
    /// The words that state it.
    texts: Vec<String>,
    /// The sentences by which it may change others.
    sentences: Vec<Sentence>,
}

impl New {
    fn id(&self) -> &EntryId {
        &self.row.entry.id
    }
}

/// Compares entries with those that are known.
pub(super) struct Comparison<'a, 't> {
    tx: &'a WriteTx<'t>,
    rows: &'a dyn Rows,
    /// The entries that are compared, in the order of the extraction.
    made: Vec<&'a EntryId>,
    /// Whether they came from another store: those are compared with what this store learned itself.
    are_received: bool,
    /// Who made the entries of a run, by its id.
    makers: RefCell<BTreeMap<String, Option<Maker>>>,
    /// The newest entries of a project.
    latest: RefCell<HashMap<String, Latest>>,
    /// When entries were said.
    said: RefCell<HashMap<EntryId, SaidAt>>,
    compared: &'a Compared,
}

impl<'a, 't> Comparison<'a, 't> {
    /// Of the entries that a run made.
    pub(super) fn new(
        tx: &'a WriteTx<'t>,
        rows: &'a dyn Rows,
        of_run: &'a [IngestedEntry],
        compared: &'a Compared,
    ) -> Self {
        let made = of_run.iter().filter(|entry| entry.is_new);
        Comparison {
            tx,
            rows,
            made: made.map(|entry| &entry.entry_id).collect(),
            are_received: false,
            makers: RefCell::default(),
            latest: RefCell::default(),
            said: RefCell::default(),
            compared,
        }
    }

    /// Of entries that were received.
    fn of_received(
        tx: &'a WriteTx<'t>,
        rows: &'a dyn Rows,
        received: &'a [EntryId],
        compared: &'a Compared,
    ) -> Self {
        Comparison {
            are_received: true,
            made: received.iter().collect(),
            ..Comparison::new(tx, rows, &[], compared)
        }
    }

    /// Adds all that the entries of a run change. `of_known` are the relations of an answer to known
    /// entries.
    pub(super) fn changes(
        &self,
        prepared: &Prepared,
        of_known: &[(RelationKind, EntryId, EntryId)],
        changes: &mut Changes,
    ) -> Result<()> {
        let reader = prepared.reader;
        let mut latest = None;
        for &id in &self.made {
            let Some(row) = entries::entry(self.rows, id)? else {
                continue;
            };
            if matches!(reader, Reader::Model | Reader::Caller) {
                self.states_better(reader, &row, changes)?;
            }
            // A person means what they add.
            if reader == Reader::Caller {
                continue;
            }
            let new = self.new_entry(row, maker_of(reader))?;
            self.takes_back(&new, changes)?;
            self.answers_otherwise(&new, changes)?;
            let latest = match latest {
                Some(latest) => latest,
                None => *latest.insert(self.latest_said(&new.row.project)?),
            };
            if new.said < latest {
                self.was_taken_back(&new, changes)?;
            }
            if reader == Reader::Model {
                self.takes_the_title(&new, &prepared.namesakes, changes)?;
            }
        }
        for (kind, new, known) in of_known {
            self.relates(*kind, (new, known), changes)?;
        }
        if let Reader::Again { .. } = reader {
            self.were_of_tasks(prepared, changes)?;
        }
        Ok(())
    }

    /// Adds the notes that the rules made of what is said of tasks, as it is found now.
    fn were_of_tasks(&self, prepared: &Prepared, changes: &mut Changes) -> Result<()> {
        let said = prepared.task_evidence.iter();
        let said: Vec<&EvidenceSpan> = said.flat_map(|found| &found.aligned).collect();
        let of_session = Group::OfSession(&prepared.session);
        let mut left = MAX_COMPARED;
        entries::latest(self.rows, of_session, &mut |note| {
            left -= 1;
            if note.entry.entry_type == EntryType::TaskNote
                && note.entry.certified_by().is_none()
                && quotes_all(&said, &note)
                && self.maker(&note)? == Maker::Rules
            {
                changes.withdrawn.push(note.entry.id);
            }
            Ok(left > 0)
        })
    }

    /// Adds what takes received entries back, of what this store learned itself: the other store
    /// compares what it learned itself with that of this one.
    fn changes_of_received(&self, changes: &mut Changes) -> Result<()> {
        let mut latest: BTreeMap<String, SaidAt> = BTreeMap::new();
        for &id in &self.made {
            let Some(row) = entries::entry(self.rows, id)? else {
                continue;
            };
            let counts = matches!(
                row.entry.status,
                EntryStatus::Active | EntryStatus::Contested { .. }
            );
            if !counts || !is_entry_live(self.tx, &row)? {
                continue;
            }
            let latest = match latest.get(&row.project) {
                Some(known) => *known,
                None => {
                    let said = self.latest_said(&row.project)?;
                    latest.insert(row.project.clone(), said);
                    said
                }
            };
            if self.said_at(&row)? < latest {
                let maker = self.maker(&row)?;
                let new = self.new_entry(row, maker)?;
                self.was_taken_back(&new, changes)?;
                self.loses_the_title(&new, changes)?;
            }
        }
        Ok(())
    }

    fn new_entry(&self, row: LearnedEntry, maker: Maker) -> Result<New> {
        Ok(New {
            maker,
            said: self.said_at(&row)?,
            texts: self.texts(&row, maker)?,
            sentences: self.sentences(&row, maker)?,
            row,
        })
    }

    /// Adds what the rules made of the words that an entry quotes, unless a person confirmed it: the
    /// two would stand beside each other. What became of these words holds for what a model makes of
    /// them.
    fn states_better(
        &self,
        reader: Reader,
        new: &LearnedEntry,
        changes: &mut Changes,
    ) -> Result<()> {
        let id = &new.entry.id;
        let takes_over = reader == Reader::Model;
        self.each_alike(new, |kind| kind == new.entry.entry_type, &mut |old| {
            if !quotes_all_of(new, old) {
                return Ok(true);
            }
            let is_replaced =
                old.entry.certified_by().is_none() && self.maker(old)? == Maker::Rules;
            match &old.entry.status {
                EntryStatus::Active if is_replaced => changes.replaces(&old.entry.id, id),
                EntryStatus::Contested { with } if is_replaced => {
                    changes.replaces(&old.entry.id, id);
                    for other in with.iter().filter(|_| takes_over) {
                        changes.disagrees(other, id);
                    }
                }
                EntryStatus::Superseded { by } if takes_over => {
                    let successor = entries::entry(self.rows, by)?;
                    // What only says the same in other words has changed nothing.
                    let successor = successor.filter(|by| !quotes_all_of(by, old));
                    if let Some(successor) = successor
                        && self.is_meant(new, old, &successor)?
                    {
                        changes.replaces(id, by);
                    }
                }
                EntryStatus::Deprecated if takes_over => changes.withdrawn.push(id.clone()),
                _ => {}
            }
            Ok(true)
        })
    }

    /// Whether what replaced an old entry replaced what a new one says of the same words. A sentence
    /// may say several things, of which one was changed.
    fn is_meant(
        &self,
        new: &LearnedEntry,
        old: &LearnedEntry,
        successor: &LearnedEntry,
    ) -> Result<bool> {
        let mut claims = 0;
        for id in &self.made {
            let made = entries::entry(self.rows, id)?;
            let is_claim = |made: &LearnedEntry| {
                made.entry.entry_type == new.entry.entry_type && quotes_all_of(made, old)
            };
            claims += usize::from(made.is_some_and(|made| is_claim(&made)));
        }
        if claims < 2 {
            return Ok(true);
        }
        let mut new = self.new_entry(new.clone(), Maker::Model)?;
        new.texts = vec![new.row.entry.title.clone()];
        Ok(self.later_change(successor, &new)? == Some(Change::Replaces))
    }

    /// Adds the older entries that a new one takes back.
    fn takes_back(&self, new: &New, changes: &mut Changes) -> Result<()> {
        for sentence in &new.sentences {
            if let Some(reversal) = self.compared.reversal(sentence.kind, &sentence.text) {
                self.reverses(new, &reversal, changes)?;
            }
        }
        Ok(())
    }

    /// Adds the older entries that one sentence of a new one takes back.
    fn reverses(&self, new: &New, reversal: &Reversal, changes: &mut Changes) -> Result<()> {
        let mut changed = Vec::new();
        let question = otherwise_answered(&new.row);
        let may_change = |old| reversal.may_change(old);
        self.each_alike(&new.row, may_change, &mut |old| {
            if old.entry.status == EntryStatus::Active && !is_about_another(&question, old) {
                let maker = self.maker(old)?;
                let (texts, kind) = (self.texts(old, maker)?, old.entry.entry_type);
                let does = |text: &String| reversal.does_to(kind, &self.compared.older(text));
                let change = texts.iter().find_map(does);
                if let Some(change) = change.filter(|change| may_do(*change, (new.maker, maker))) {
                    changed.push((Rc::clone(old), change));
                }
            }
            Ok(true)
        })?;
        // Only the last of them was just said, and only in the same conversation.
        let mut just_said = None;
        for (old, change) in changed {
            let old_said = self.said_at(&old)?;
            let was_said_before = match old_said == new.said {
                true => self.is_corrected(&old, new, change)?,
                // An old conversation may be read after a newer one.
                false => old_said < new.said,
            };
            if !was_said_before || !is_entry_live(self.tx, &old)? {
                continue;
            }
            let place = (old_said, answer_start(&old));
            match change {
                Change::TakesBack if old.session != new.row.session => {}
                Change::TakesBack if just_said.as_ref().is_some_and(|(at, _)| *at >= place) => {}
                Change::TakesBack => just_said = Some((place, old.entry.id.clone())),
                Change::Replaces => changes.replaces(&old.entry.id, new.id()),
                Change::Disagrees => changes.disagrees(&old.entry.id, new.id()),
            }
        }
        if let Some((_, old)) = just_said {
            changes.replaces(&old, new.id());
        }
        Ok(())
    }

    /// Whether a new entry changes one of the same message: "Let's go with Redis. Scrap that, Valkey."
    /// What only differs stands beside it, for the speaker knows of both.
    fn is_corrected(&self, old: &LearnedEntry, new: &New, change: Change) -> Result<bool> {
        Ok(change != Change::Disagrees
            && (self.maker(old)?, new.maker) == (Maker::Rules, Maker::Rules)
            && answer_start(old) < answer_start(&new.row))
    }

    /// Adds the other answers to the question that a new entry answers: the last one holds.
    fn answers_otherwise(&self, new: &New, changes: &mut Changes) -> Result<()> {
        let Some(question) = question_of(&new.row) else {
            return Ok(());
        };
        let order = (new.said, answer_start(&new.row));
        let kind = new.row.entry.entry_type;
        self.each_alike(&new.row, |other| other == kind, &mut |other| {
            if other.entry.status == EntryStatus::Active
                && question_of(other).as_ref() == Some(&question)
                && self.maker(other)? == Maker::Rules
                && is_entry_live(self.tx, other)?
            {
                let is_older = (self.said_at(other)?, answer_start(other)) < order;
                let (older, newer) = match is_older {
                    true => (&**other, &new.row),
                    false => (&new.row, &**other),
                };
                // A question may have two answers: "Let's use ruff. Let's use mypy."
                if second_answer::is_another(&newer.entry.title, &older.entry.title) {
                    changes.replaces(&older.entry.id, &newer.entry.id);
                }
            }
            Ok(true)
        })
    }

    /// Adds what takes a new entry back although it was learned before: an old conversation may be
    /// imported after a newer one.
    fn was_taken_back(&self, new: &New, changes: &mut Changes) -> Result<()> {
        let kind = new.row.entry.entry_type;
        let mut successor = None;
        let mut others = Vec::new();
        let is_comparable = |other| Reversal::compares(other, kind);
        self.each_alike(&new.row, is_comparable, &mut |other| {
            let counts = other.entry.status == EntryStatus::Active;
            if self.are_received && self.is_foreign(other)? {
                return Ok(true);
            }
            // The patterns are tried last: few were said later.
            if other.entry.status == EntryStatus::Deprecated || self.said_at(other)? <= new.said {
                return Ok(true);
            }
            match self.later_change(other, new)? {
                Some(Change::Replaces) => successor = Some(other.entry.id.clone()),
                Some(Change::Disagrees) if counts => others.push(other.entry.id.clone()),
                // What a conversation just said is taken back in it, and read in its order.
                _ => {}
            }
            Ok(successor.is_none())
        })?;
        match successor {
            Some(newer) => changes.replaces(new.id(), &newer),
            None => others
                .iter()
                .for_each(|other| changes.disagrees(new.id(), other)),
        }
        Ok(())
    }

    /// What an entry that was said later does to a new one.
    fn later_change(&self, other: &LearnedEntry, new: &New) -> Result<Option<Change>> {
        if is_about_another(&otherwise_answered(other), &new.row) {
            return Ok(None);
        }
        let maker = self.maker(other)?;
        let does = |kind, text: &str| {
            let reversal = self.compared.reversal(kind, text)?;
            let mut texts = new.texts.iter();
            texts.find_map(|text| {
                reversal.does_to(new.row.entry.entry_type, &self.compared.older(text))
            })
        };
        let kind = other.entry.entry_type;
        let texts = self.texts(other, maker)?;
        let found = texts.iter().find_map(|text| does(kind, text));
        let found = found.filter(|change| may_do(*change, (new.maker, maker)));
        if found.is_none() || !is_entry_live(self.tx, other)? {
            return Ok(None);
        }
        match maker {
            Maker::Rules => Ok(found),
            // A question or a proposal may be quoted as well.
            _ => {
                let sentences = self.sentences(other, maker)?;
                Ok(sentences.iter().find_map(|one| does(one.kind, &one.text)))
            }
        }
    }

    /// Adds what a model says otherwise under the title of a known entry: whatever was said last
    /// holds, but what a person added before is only contested.
    fn takes_the_title(
        &self,
        new: &New,
        namesakes_by_words: &BTreeSet<EntryId>,
        changes: &mut Changes,
    ) -> Result<()> {
        let row = &new.row;
        if row.entry.stage() < Stage::Verified {
            return Ok(());
        }
        // The newest comes first.
        let mut namesakes = BTreeMap::new();
        let mut add = |other: &LearnedEntry| {
            if says_otherwise(row, other) && !self.is_made(other) {
                namesakes.insert(Reverse(other.seq), other.clone());
            }
        };
        self.each_alike(row, |kind| kind == row.entry.entry_type, &mut |other| {
            add(other);
            Ok(true)
        })?;
        for id in namesakes_by_words {
            if let Some(other) = entries::entry(self.rows, id)? {
                add(&other);
            }
        }
        for other in namesakes.values() {
            let id = &other.entry.id;
            let was_replaced = other.entry.superseded_by().is_some();
            if !is_entry_live(self.tx, other)?
                || !(was_replaced || other.entry.can_contradict(&row.entry))
            {
                continue;
            }
            if self.said_at(other)? > new.said {
                changes.replaces(new.id(), id);
            } else if was_replaced {
                self.yields_to_successor(new, other, changes)?;
            } else if self.maker(other)? == Maker::Person {
                changes.disagrees(id, new.id());
            } else {
                changes.replaces(id, new.id());
            }
        }
        Ok(())
    }

    /// Adds what this store said later under the title of a received entry, if a model made one of
    /// them: what [`Self::takes_the_title`] would find if both had been read here.
    fn loses_the_title(&self, new: &New, changes: &mut Changes) -> Result<()> {
        let row = &new.row;
        self.each_alike(row, |kind| kind == row.entry.entry_type, &mut |other| {
            if !says_otherwise(row, other)
                || self.is_foreign(other)?
                || !other.entry.can_contradict(&row.entry)
                || self.said_at(other)? <= new.said
                || !is_entry_live(self.tx, other)?
            {
                return Ok(true);
            }
            match (new.maker, self.maker(other)?) {
                (Maker::Model, _) | (Maker::Rules, Maker::Model) => {
                    changes.replaces(new.id(), &other.entry.id);
                }
                (Maker::Person, Maker::Model) => changes.disagrees(new.id(), &other.entry.id),
                _ => {}
            }
            Ok(true)
        })
    }

    /// Adds that an entry is replaced by the one that replaced an older one of the same title, if
    /// that was said later.
    fn yields_to_successor(
        &self,
        new: &New,
        older: &LearnedEntry,
        changes: &mut Changes,
    ) -> Result<()> {
        if let Some(current) = current_successor(self.rows, &older.entry.id)?
            && self.said_at(&current)? > new.said
        {
            changes.replaces(new.id(), &current.entry.id);
        }
        Ok(())
    }

    /// Adds what an answer says of a known entry. What is not proved changes nothing that is known,
    /// and of two that replace each other the one that was said last holds.
    fn relates(
        &self,
        kind: RelationKind,
        (new, known): (&EntryId, &EntryId),
        changes: &mut Changes,
    ) -> Result<()> {
        let new = entries::entry(self.rows, new)?;
        let known = entries::entry(self.rows, known)?;
        let Some((new, known)) = new.zip(known) else {
            return Ok(());
        };
        let is_proved = new.entry.stage() >= Stage::Verified;
        if !is_proved || !is_entry_live(self.tx, &known)? {
            return Ok(());
        }
        match kind {
            RelationKind::Contradicts => changes.disagrees(&known.entry.id, &new.entry.id),
            RelationKind::Supersedes => {
                let current = current_successor(self.rows, &known.entry.id)?.unwrap_or(known);
                let id = &current.entry.id;
                match self.said_at(&current)? > self.said_at(&new)? {
                    _ if *id == new.entry.id => {}
                    true => changes.replaces(&new.entry.id, id),
                    false => changes.replaces(id, &new.entry.id),
                }
            }
            // These change nothing that is known: they are edges.
            RelationKind::DerivedFrom | RelationKind::Mentions | RelationKind::EvidenceOf => {}
        }
        Ok(())
    }

    fn is_made(&self, row: &LearnedEntry) -> bool {
        self.made.contains(&&row.entry.id)
    }

    /// Whether an entry came from another store.
    fn is_foreign(&self, row: &LearnedEntry) -> Result<bool> {
        let is_foreign = |record: &RecordView<'_>| Ok(record.archive()?.foreign.is_some());
        Ok(readable(|| self.tx.with_record(row.seq.0, is_foreign))? == Some(true))
    }

    /// When the last of a project's newest entries was said that these are compared with: what is said
    /// later than all of them is taken back by none.
    fn latest_said(&self, project: &str) -> Result<SaidAt> {
        let mut latest = None;
        for other in self.latest(project)?.iter() {
            if other.entry.status != EntryStatus::Deprecated
                && !self.is_made(other)
                && !(self.are_received && self.is_foreign(other)?)
            {
                latest = latest.max(self.said_at(other)?);
            }
        }
        Ok(latest)
    }

    /// The newest entries of an entry's project, of kinds that are compared with its own, but for
    /// itself.
    fn each_alike(
        &self,
        new: &LearnedEntry,
        is_compared: impl Fn(EntryType) -> bool,
        visit: &mut dyn FnMut(&Rc<LearnedEntry>) -> Result<bool>,
    ) -> Result<()> {
        for other in self.latest(&new.project)?.iter() {
            let is_alike = other.entry.id != new.entry.id && is_compared(other.entry.entry_type);
            if is_alike && !visit(other)? {
                break;
            }
        }
        Ok(())
    }

    /// The newest entries of a project, the newest first. None changes while they are compared.
    fn latest(&self, project: &str) -> Result<Latest> {
        if let Some(known) = self.latest.borrow().get(project) {
            return Ok(Rc::clone(known));
        }
        let mut latest = Vec::new();
        entries::latest(self.rows, Group::OfProject(project), &mut |entry| {
            latest.push(Rc::new(entry));
            Ok(latest.len() < MAX_COMPARED)
        })?;
        let latest = Rc::new(latest);
        let mut known = self.latest.borrow_mut();
        known.insert(project.to_owned(), Rc::clone(&latest));
        Ok(latest)
    }

    /// Who made an entry.
    fn maker(&self, row: &LearnedEntry) -> Result<Maker> {
        let id = row.build_id.as_deref().unwrap_or_default();
        let known = self.makers.borrow().get(id).copied();
        let maker = match known {
            Some(maker) => maker,
            None => {
                let run: Option<BuildRun> = rows::get(self.rows, id.as_bytes())?;
                let maker = run.map(|run| match run.tools.extractor_model.as_str() {
                    RULES_MODEL => Maker::Rules,
                    BY_HAND => Maker::Person,
                    _ => Maker::Model,
                });
                self.makers.borrow_mut().insert(id.to_owned(), maker);
                maker
            }
        };
        // It came from another store, whose runs are unknown here. What a person adds has no
        // confidence.
        Ok(maker.unwrap_or(match row.confidence {
            Some(share) if share <= MAX_CONFIDENCE => Maker::Rules,
            Some(_) => Maker::Model,
            None => Maker::Person,
        }))
    }

    /// The words that state an entry. What a person added is theirs: nothing that is read changes it.
    fn texts(&self, row: &LearnedEntry, maker: Maker) -> Result<Vec<String>> {
        match maker {
            Maker::Rules => Ok(vec![row.entry.title.clone()]),
            Maker::Person => Ok(Vec::new()),
            Maker::Model => {
                let quotes = self.quotes(row)?.into_iter();
                let texts = quotes.filter_map(|(event, span)| {
                    let text = event.content.get(bytes(span))?;
                    Some(one_line(text))
                });
                Ok(texts.collect())
            }
        }
    }

    /// The sentences that state an entry, as the rules read them.
    fn sentences(&self, row: &LearnedEntry, maker: Maker) -> Result<Vec<Sentence>> {
        let kind = row.entry.entry_type;
        let mut sentences = Vec::new();
        match maker {
            Maker::Rules => sentences.push(Sentence {
                kind,
                text: row.entry.title.clone(),
            }),
            Maker::Person => {}
            Maker::Model => {
                for (event, span) in self.quotes(row)? {
                    let Some(speaker) = speaker_of(&event) else {
                        continue;
                    };
                    let hidden = recalled_spans(self.tx.secret(), &event.content);
                    for found in statements::find(&event.content, speaker, &hidden) {
                        let found_kind = entry_type(found.kind);
                        let quoted = shared(&bytes(span), &found.span);
                        // Words beside those that state it may be about something else.
                        if quoted * 2 >= found.span.len() && compares_words(kind, found_kind) {
                            sentences.push(Sentence {
                                kind: found_kind,
                                text: one_line(&event.content[found.span]),
                            });
                        }
                    }
                }
            }
        }
        Ok(sentences)
    }

    /// What an entry quotes of live messages that can be read.
    fn quotes<'r>(&self, row: &'r LearnedEntry) -> Result<Vec<(Event, &'r EvidenceSpan)>> {
        let mut quotes = Vec::new();
        let spans = row.entry.evidence().map_or(&[][..], |found| &found.aligned);
        for span in spans {
            if let Some(seq) = self.seq_of(span.event_id.as_deref())?
                && let Some(event) = readable(|| self.tx.event_at(seq))?
            {
                quotes.push((event, span));
            }
        }
        Ok(quotes)
    }

    fn seq_of(&self, event_id: Option<&str>) -> Result<Option<u64>> {
        match event_id.map(str::parse) {
            Some(Ok(id)) => self.tx.seq_of_id(&id),
            _ => Ok(None),
        }
    }

    /// When the last quote of an entry was said, and its position.
    fn said_at(&self, row: &LearnedEntry) -> Result<SaidAt> {
        if let Some(known) = self.said.borrow().get(&row.entry.id) {
            return Ok(*known);
        }
        let mut last = None;
        for id in row.quoted_events() {
            let Some(seq) = self.seq_of(Some(id))? else {
                continue;
            };
            if !self.tx.is_deleted(seq)? {
                let said = |record: &RecordView<'_>| Ok(record.archive()?.timestamp_ms);
                // A damaged one was said before it was learned: more is not known.
                let at = readable(|| self.tx.with_record(seq, said))?
                    .map_or(row.created_at, Timestamp::from_millis_clamped);
                last = last.max(Some((at, Seq(seq))));
            }
        }
        self.said.borrow_mut().insert(row.entry.id.clone(), last);
        Ok(last)
    }
}

/// Whether entries of two makers may change each other so. Rules alone say that two disagree: a model
/// says so itself.
fn may_do(change: Change, makers: (Maker, Maker)) -> bool {
    change != Change::Disagrees || makers == (Maker::Rules, Maker::Rules)
}

/// Who makes what a reader finds.
fn maker_of(reader: Reader) -> Maker {
    match reader {
        Reader::Rules { .. } | Reader::Again { .. } => Maker::Rules,
        Reader::Model | Reader::Caller => Maker::Model,
    }
}

/// What becomes of entries that were received, beside what this store learned itself.
pub(in crate::learn) fn of_received(
    tx: &WriteTx<'_>,
    rows: &dyn Rows,
    received: &[EntryId],
) -> Result<Changes> {
    let (mut changes, compared) = (Changes::default(), Compared::default());
    Comparison::of_received(tx, rows, received, &compared).changes_of_received(&mut changes)?;
    Ok(changes)
}

/// The question that an entry answers which says nothing without it.
fn question_of(row: &LearnedEntry) -> Option<(&str, Range<usize>)> {
    let is_answer = is_with_question(&row.content, &row.entry.title);
    match row.entry.evidence().map(|found| &found.aligned[..]) {
        Some([_, question]) if is_answer => Some((question.event_id.as_deref()?, bytes(question))),
        _ => None,
    }
}

/// Where the answer of such an entry begins in its message.
fn answer_start(row: &LearnedEntry) -> u64 {
    let quotes = row.entry.evidence().map_or(&[][..], |found| &found.aligned);
    quotes.first().map_or(0, |answer| answer.span_start)
}

/// The question that an entry only answers otherwise: "actually make it 7".
fn otherwise_answered(row: &LearnedEntry) -> Option<(&str, Range<usize>)> {
    question_of(row).filter(|_| second_answer::is_form_of_one(&row.entry.title))
}

/// Whether an older entry answers another question than the one that a newer one only answers
/// otherwise: their words are compared in vain.
fn is_about_another(question: &Option<(&str, Range<usize>)>, older: &LearnedEntry) -> bool {
    question
        .as_ref()
        .is_some_and(|question| match question_of(older) {
            Some(other) => other != *question,
            // "역시 9로 하자" may answer what was asked as well.
            None => second_answer::is_form_of_one(&older.entry.title),
        })
}

/// Whether two entries of a project make a statement of the same kind under the same title.
fn is_namesake(a: &LearnedEntry, b: &LearnedEntry) -> bool {
    a.entry.id != b.entry.id
        && a.project == b.project
        && a.entry.entry_type == b.entry.entry_type
        && a.canonical_key == b.canonical_key
}

/// Whether two entries say different things under one title.
fn says_otherwise(a: &LearnedEntry, b: &LearnedEntry) -> bool {
    let content = |row: &LearnedEntry| canonical_key(&row.content, None);
    is_namesake(a, b) && content(a) != content(b)
}

/// Whether an entry quotes at least half of each quote of another.
fn quotes_all_of(new: &LearnedEntry, old: &LearnedEntry) -> bool {
    let quotes = new.entry.evidence().map_or(&[][..], |found| &found.aligned);
    let quotes: Vec<&EvidenceSpan> = quotes.iter().collect();
    quotes_all(&quotes, old)
}

/// Whether some quotes are at least half of each quote of an entry.
fn quotes_all(quotes: &[&EvidenceSpan], old: &LearnedEntry) -> bool {
    let Some(old) = old.entry.evidence() else {
        return false;
    };
    let is_quoted = |old: &EvidenceSpan| {
        let (old_bytes, mut quotes) = (bytes(old), quotes.iter());
        quotes.any(|new| {
            new.event_id.is_some()
                && new.event_id == old.event_id
                && shared(&bytes(new), &old_bytes) * 2 >= old_bytes.len()
        })
    };
    !old.aligned.is_empty() && old.aligned.iter().all(is_quoted)
}

/// The bytes of a message that a quote is.
fn bytes(span: &EvidenceSpan) -> Range<usize> {
    span.span_start as usize..span.span_end as usize
}

/// How many bytes two parts of a message share.
fn shared(a: &Range<usize>, b: &Range<usize>) -> usize {
    a.end.min(b.end).saturating_sub(a.start.max(b.start))
}
