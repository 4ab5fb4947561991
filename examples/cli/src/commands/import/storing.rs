//! Stores events in transactions of bounded size.

use std::collections::{BTreeMap, HashMap, HashSet};

use recallite::privacy::PrivacyFilter;
use recallite::text::keys::content_hash;
use recallite::{Dedupe, Error, ErrorCode, EventKind, Json, Memory, NewEvent};

use super::hooked::{Hooked, arguments};
use super::refused::Refused;
use crate::agents::is_left_out;
use crate::failure::{Outcome, with_commands};

/// The prefix of session names for notes; the path of the file follows.
pub(super) const OF_NOTES: &str = "file ";

const BATCH_EVENTS: usize = 512;
const BATCH_BYTES: usize = 4 << 20;

pub(super) struct Storing<'a> {
    memory: &'a Memory,
    waiting: Vec<NewEvent>,
    bytes: usize,
    /// What the store has of the session that is being read.
    hooked: Hooked,
    /// The keys of messages that the store has without them, of all files: a conversation that was
    /// forked repeats them in another session.
    recognised: HashSet<String>,
    /// The keys of the file's events so far: agents write some of them again.
    keys: HashSet<String>,
    /// The keys of the file's first messages of each content, by session and its hash.
    said: HashMap<(String, String), String>,
    /// The places of the file's different messages of each moment, by the hash of their content.
    moments: HashMap<String, HashMap<String, usize>>,
    /// New conversation events, by kind.
    pub(super) stored: HashMap<EventKind, u64>,
    /// New events from notes in files.
    pub(super) notes: u64,
    pub(super) duplicates: u64,
    /// Events from an export.
    pub(super) exported: u64,
    /// Events that settings or pauses exclude.
    pub(super) unwanted: u64,
    /// Records of an export that only a restore brings back.
    pub(super) left_out: u64,
    /// What was refused, and why.
    pub(super) refused: Refused,
    /// The file that is being read, as it is shown.
    pub(super) file: String,
    /// Warnings of the privacy filter by file, with how many events they are about.
    pub(super) warnings: BTreeMap<(String, String), u64>,
}

impl<'a> Storing<'a> {
    pub(super) fn new(memory: &'a Memory) -> Self {
        Storing {
            memory,
            waiting: Vec::new(),
            bytes: 0,
            hooked: Hooked::default(),
            recognised: HashSet::new(),
            keys: HashSet::new(),
            said: HashMap::new(),
            moments: HashMap::new(),
            stored: HashMap::new(),
            notes: 0,
            duplicates: 0,
            exported: 0,
            unwanted: 0,
            left_out: 0,
            refused: Refused::default(),
            file: String::new(),
            warnings: BTreeMap::new(),
        }
    }

    /// Whether anything new was stored.
    pub(super) fn has_stored(&self) -> bool {
        self.notes + self.exported + self.stored.values().sum::<u64>() > 0
    }

    /// The filter with the settings of the store.
    pub(super) fn filter(&self) -> &'a PrivacyFilter {
        self.memory.privacy_filter()
    }

    /// Begins with a file, which may continue the session of another one.
    pub(super) fn begin(&mut self, file: String) {
        self.file = file;
        self.hooked = Hooked::default();
        self.keys.clear();
        self.said.clear();
        self.moments.clear();
    }

    /// What identifies a message among others of the same moment, or with the same id: its place
    /// among the different ones in the file. It is not made of what was said, because its hash
    /// outlives an erasure.
    pub(super) fn placed(&mut self, moment: String, content: &str) -> Dedupe {
        let different = self.moments.entry(moment.clone()).or_default();
        let next = different.len();
        let place = *different.entry(content_hash(content)).or_insert(next);
        Dedupe::Key(format!("{moment} {place}"))
    }

    /// Stores an event of an agent's conversation, unless the store has it. It belongs to the
    /// project of its working folder if the caller named none.
    pub(super) fn push_seen(&mut self, mut event: NewEvent) -> Outcome {
        if let Some(tool) = &event.tool
            && is_left_out(&tool.name, &arguments(tool.input.as_ref()))
        {
            return Ok(());
        }
        if !self.hooked.is_of(&event.session) {
            self.hooked = Hooked::of(self.memory, &event.session)?;
        }
        let key = match &event.dedupe {
            Dedupe::Key(key) => Some(key),
            _ => None,
        };
        let is_repeated =
            key.is_some_and(|key| !self.keys.insert(key.clone()) || self.recognised.contains(key));
        if is_repeated {
            self.duplicates += 1;
            return Ok(());
        }
        if self.hooked.take(self.memory, &event) {
            self.recognised.extend(key.cloned());
            self.duplicates += 1;
            return Ok(());
        }
        if !self.memory.project().is_empty() {
            event.project = None;
        }
        self.push(event)
    }

    /// Stores a message or a tool's call with a key as [`Self::push_seen`] does. A hook may report a
    /// message later, without knowing its key: so the first message of each content is identified by
    /// that, and only those that say the same again by their keys.
    pub(super) fn push_said(&mut self, mut event: NewEvent) -> Outcome {
        if event.tool.is_none()
            && let Dedupe::Key(key) = &event.dedupe
        {
            let said = (event.session.clone(), content_hash(&event.content));
            let first = self.said.entry(said).or_insert_with(|| key.clone());
            if first == key {
                event.dedupe = Dedupe::Content;
            }
        }
        self.push_seen(event)
    }

    /// Stores an event. What was forgotten of the import stays forgotten.
    pub(super) fn push(&mut self, event: NewEvent) -> Outcome {
        let event = event.stays_forgotten(true);
        self.bytes += text_bytes(&event);
        self.waiting.push(event);
        if self.waiting.len() >= BATCH_EVENTS || self.bytes >= BATCH_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    /// Stores the waiting events. If one is refused, the others are stored one by one, so that it
    /// does not affect them.
    pub(super) fn flush(&mut self) -> Outcome {
        self.bytes = 0;
        let events = std::mem::take(&mut self.waiting);
        if events.is_empty() {
            return Ok(());
        }
        match self.append(events.clone()) {
            Ok(()) => Ok(()),
            Err(error) if error.code() == ErrorCode::InvalidArgument => self.one_by_one(events),
            Err(error) => Err(error.into()),
        }
    }

    fn one_by_one(&mut self, events: Vec<NewEvent>) -> Outcome {
        for event in events {
            match self.append(vec![event]) {
                Ok(()) => {}
                Err(error) if error.code() == ErrorCode::InvalidArgument => {
                    self.refused.add(|| error.to_string());
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn append(&mut self, events: Vec<NewEvent>) -> Result<(), Error> {
        let kinds: Vec<(EventKind, bool, Dedupe)> = events
            .iter()
            .map(|event| {
                let is_note = event.session.starts_with(OF_NOTES);
                (event.kind, is_note, event.dedupe.clone())
            })
            .collect();
        let receipts = self.memory.append_batch(events)?;
        for ((kind, is_note, dedupe), receipt) in kinds.into_iter().zip(receipts) {
            if receipt.skipped.is_some() {
                self.unwanted += 1;
                continue;
            }
            if receipt.duplicate {
                // It may have been forgotten, and known by what it says.
                if let Dedupe::Key(key) = dedupe {
                    self.recognised.insert(key);
                }
                self.duplicates += 1;
                continue;
            }
            match is_note {
                true => self.notes += 1,
                false => *self.stored.entry(kind).or_default() += 1,
            }
            for warning in receipt.warnings {
                self.warn(warning, 1);
            }
        }
        Ok(())
    }

    /// Records a warning about the file that is being read, and how many events it is about.
    pub(super) fn warn(&mut self, warning: String, events: u64) {
        let key = (self.file.clone(), warning);
        *self.warnings.entry(key).or_default() += events;
    }

    /// Counts what the library imported from an export, whose event kinds are unknown until they
    /// are stored.
    pub(super) fn count_exported(&mut self, imported: &recallite::Imported) {
        self.exported += imported.events;
        self.duplicates += imported.duplicates;
        self.unwanted += imported.unwanted;
        self.left_out += imported.skipped - imported.unwanted;
        for warning in &imported.warnings {
            self.warn(with_commands(warning), 0);
        }
    }
}

/// How many bytes of text an event has; names are short.
fn text_bytes(event: &NewEvent) -> usize {
    let json = |json: &Option<Json>| json.as_ref().map_or(0, |json| json.as_str().len());
    let tool = event.tool.as_ref().map_or(0, |tool| {
        let error = tool.error.as_ref().map_or(0, String::len);
        tool.output.len() + error + json(&tool.input)
    });
    event.content.len() + json(&event.metadata) + tool
}
