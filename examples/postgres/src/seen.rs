//! What a memory has read of a server, and with which rights: a file in the folder of the memory.
//!
//! With other rights, records that were not visible before may be anywhere in a log, so every log is
//! read once more; and so is a log of which the server has another edition: some of its records may
//! have come since, or become visible. The server itself keeps nothing of this. Restored from a backup,
//! it would know older rights, and not what was passed over with those that came after.
//!
//! Without the file, everything is read once more.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use recallite::Memory;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// What was read of a store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Reading {
    /// The edition of its log on the server at that time.
    edition: String,
    /// If it is being read once more, the position after which to go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    again_after: Option<u64>,
}

/// What was read of all stores.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Noted {
    /// The identity of the memory: one with another identity has other rights.
    identity: String,
    /// The rights with which it has read.
    access: String,
    /// By identity.
    stores: BTreeMap<String, Reading>,
}

/// A shared log, and the rights that a memory has there.
pub(crate) struct Rights {
    pub(crate) log: String,
    pub(crate) identity: String,
    pub(crate) access: String,
}

/// A member of which records may be read.
pub(crate) struct Offered<'a> {
    pub(crate) identity: &'a str,
    pub(crate) edition: &'a str,
}

pub(crate) struct Seen {
    file: PathBuf,
    noted: Noted,
    /// What of it is in the file.
    kept: Option<Noted>,
}

impl Seen {
    /// What was read so far. What was received under other rights, or of another edition, is to be
    /// read once more; what was not received yet is read as it is now in any case.
    ///
    /// # Errors
    /// [`Error::Note`]; [`Error::Memory`].
    pub(crate) fn begin(memory: &Memory, rights: Rights, offered: &[Offered<'_>]) -> Result<Seen> {
        let file = memory.path().join(format!("pulled-{}.json", rights.log));
        let kept = read(&file);
        let known = kept
            .clone()
            .filter(|noted| (&noted.identity, &noted.access) == (&rights.identity, &rights.access));
        let mut known = known.map(|noted| noted.stores).unwrap_or_default();
        let marks = memory.sharing().watermarks()?.into_iter();
        let begun = marks.filter(|mark| mark.position > 0);
        let begun: HashSet<String> = begun.map(|mark| mark.identity).collect();
        let mut stores = BTreeMap::new();
        for Offered { identity, edition } in offered {
            let read = match known.remove(*identity) {
                Some(read) if read.edition == *edition => read,
                _ => Reading {
                    edition: (*edition).to_owned(),
                    again_after: begun.contains(*identity).then_some(0),
                },
            };
            stores.insert((*identity).to_owned(), read);
        }
        let noted = Noted {
            identity: rights.identity,
            access: rights.access,
            stores,
        };
        let mut seen = Seen { file, noted, kept };
        seen.keep()?;
        Ok(seen)
    }

    /// The position after which a store is read once more.
    pub(crate) fn again_after(&self, identity: &str) -> Option<u64> {
        self.noted.stores.get(identity)?.again_after
    }

    /// The position after which a store is read: what was received, or earlier if it is read once
    /// more.
    pub(crate) fn since(&self, identity: &str, received: u64) -> u64 {
        let again = self.again_after(identity);
        again.map_or(received, |after| after.min(received))
    }

    /// Notes where to go on with a store. After what was received, the memory itself knows.
    pub(crate) fn came_to(&mut self, identity: &str, position: u64, received: u64) {
        if let Some(read) = self.noted.stores.get_mut(identity) {
            read.again_after = (position < received).then_some(position);
        }
    }

    /// Writes the file, if it says anything else.
    ///
    /// # Errors
    /// [`Error::Note`].
    pub(crate) fn keep(&mut self) -> Result<()> {
        if self.kept.as_ref() == Some(&self.noted) {
            return Ok(());
        }
        let file = self.file.display();
        let failed = |source: std::io::Error| Error::Note {
            file: file.to_string(),
            source,
        };
        let text = serde_json::to_vec(&self.noted).map_err(|error| failed(error.into()))?;
        write(&self.file, &text).map_err(failed)?;
        self.kept = Some(self.noted.clone());
        Ok(())
    }
}

/// What is noted in a file. What cannot be read, such as one that a killed process was writing, counts
/// as nothing.
fn read(file: &Path) -> Option<Noted> {
    let mut file = fs::File::open(file).ok()?;
    file.lock_shared().ok()?;
    let mut text = Vec::new();
    file.read_to_end(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}

/// Several processes may pull one memory: they write one after the other.
fn write(file: &Path, text: &[u8]) -> std::io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    let mut file = options.open(file)?;
    file.lock()?;
    file.set_len(0)?;
    file.write_all(text)?;
    file.sync_all()
}
