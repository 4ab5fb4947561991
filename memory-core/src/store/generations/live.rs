//! Determines the live generation of a folder: normally the one that `CURRENT` names; if
//! that is missing, wrong or outdated, by the marks in the files.
//!
//! A generation is live if its meta record is not marked as retired and it was put in
//! place: the generation before it is marked with its number, or is gone, which happens
//! only after it was retired. There is never more than one.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use redb::TableHandle;

use crate::model::error::{Error, ErrorCode, Result};
use crate::store::database::backend::Backend;
use crate::store::database::checked::ReadTransaction;
use crate::store::database::error::{not_opened, replaced_again};
use crate::store::database::panics::WAY_OUT;
use crate::store::database::watched::Database;
use crate::store::generations::fail_points::fail_point;
use crate::store::generations::folder::{CurrentFile, Folder, Seen, generation_name};
use crate::store::meta::{Meta, missing_meta, read_meta};
use crate::store::tables;

/// The first generation of a store.
const FIRST: u64 = 1;

/// How often the folder is examined again because others change it concurrently.
const ATTEMPTS: u32 = 100;

/// The longest that an opening keeps trying while someone owns the file exclusively. Whoever
/// removes a replaced generation does so before the file is renamed.
pub(in crate::store) const PATIENCE: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(10);

/// The live generation, open.
#[derive(Debug)]
pub(in crate::store) struct Live {
    pub(in crate::store) number: u64,
    pub(in crate::store) database: Database,
    /// Whether it has no meta record yet: a creation to complete.
    pub(in crate::store) is_new: bool,
    /// Whether `CURRENT` names it.
    pub(in crate::store) is_named: bool,
}

/// Opens the live generation, which must be at least number `at_least` (0: any). With
/// `create`, a folder without a store gets one. `patience` is [`PATIENCE`] or less.
pub(in crate::store) fn open(
    folder: &Folder,
    engine: &dyn Backend,
    at_least: u64,
    create: bool,
    patience: Duration,
) -> Result<Live> {
    let begun = Instant::now();
    for _ in 0..ATTEMPTS {
        let seen = folder.seen()?;
        let look = Look {
            folder,
            engine,
            seen: &seen,
        };
        let opened = look.open(at_least, create);
        match opened.map_err(|error| not_opened(error, folder.path())) {
            Ok(live) => return Ok(live),
            // Another process has replaced the generation in the meantime.
            Err(_) if folder.seen()? != seen => {}
            Err(error) if error.code() == ErrorCode::Busy && begun.elapsed() < patience => {
                std::thread::sleep(PAUSE);
            }
            Err(error) => return Err(error),
        }
    }
    Err(replaced_again())
}

/// A snapshot of a folder.
struct Look<'a> {
    folder: &'a Folder,
    engine: &'a dyn Backend,
    seen: &'a Seen,
}

impl Look<'_> {
    fn open(&self, at_least: u64, create: bool) -> Result<Live> {
        let named = match self.seen.named {
            CurrentFile::Generation(number) => number,
            CurrentFile::Nothing | CurrentFile::Unreadable => 0,
        };
        let start = named.max(at_least);
        if self.has(start) {
            return self.follow(start);
        }
        if start == 0 && self.is_unborn()? {
            return self.begin(create);
        }
        self.recover(start)
    }

    fn has(&self, number: u64) -> bool {
        self.seen.files.binary_search(&number).is_ok()
    }

    /// Whether the folder contains nothing except, perhaps, an interrupted creation.
    fn is_unborn(&self) -> Result<bool> {
        if self.seen.named != CurrentFile::Nothing {
            return Ok(false);
        }
        Ok(match self.seen.files[..] {
            // Only a store has side files, or was once built anew.
            [] => !self.folder.was_used(),
            // Side files are derived from events, so a store with side files had events.
            [FIRST] => !(self.folder.index().exists() && self.is_empty(FIRST)?),
            _ => false,
        })
    }

    fn is_empty(&self, number: u64) -> Result<bool> {
        self.engine.is_empty(&self.file(number))
    }

    fn file(&self, number: u64) -> PathBuf {
        self.folder.generation_file(number)
    }

    /// Begins a store, or completes an interrupted creation.
    fn begin(&self, create: bool) -> Result<Live> {
        let nothing = || {
            let path = self.folder.path().display();
            let message = format!("{path} contains no store");
            Error::new(ErrorCode::NotFound, message).with_argument("path")
        };
        if !create && (!self.has(FIRST) || self.is_empty(FIRST)?) {
            return Err(nothing());
        }
        fail_point("a store is begun")?;
        let database = self.engine.open(&self.file(FIRST), create)?;
        match mark(&database, FIRST)? {
            Mark::None if create => Ok(self.live(FIRST, database, true)),
            Mark::None => Err(nothing()),
            // Another process was faster.
            Mark::Live => Ok(self.live(FIRST, database, false)),
            Mark::Retired(to) => self.recover(to),
        }
    }

    fn live(&self, number: u64, database: Database, is_new: bool) -> Live {
        Live {
            number,
            database,
            is_new,
            is_named: self.seen.named == CurrentFile::Generation(number),
        }
    }

    /// Follows the marks from a generation to the live one.
    fn follow(&self, start: u64) -> Result<Live> {
        let mut number = start;
        loop {
            let database = self.engine.open(&self.file(number), false)?;
            match mark(&database, number)? {
                Mark::Live => return Ok(self.live(number, database, false)),
                Mark::Retired(to) if to > number && self.has(to) => number = to,
                Mark::Retired(to) => return self.recover(to.max(number + 1)),
                Mark::None => return Err(missing_meta()),
            }
        }
    }

    /// Finds the live generation among the files with this number or a higher one, by their
    /// marks alone.
    fn recover(&self, at_least: u64) -> Result<Live> {
        let numbers = self.seen.files.iter().rev().copied();
        for number in numbers.take_while(|number| *number >= at_least) {
            if !self.was_placed(number)? {
                continue;
            }
            let database = self.engine.open(&self.file(number), false)?;
            match mark(&database, number)? {
                Mark::Live => return Ok(self.live(number, database, false)),
                Mark::Retired(to) => return Err(self.lost(to)),
                // A creation that lost a race against another one.
                Mark::None if number == FIRST => {}
                Mark::None => return Err(missing_meta()),
            }
        }
        Err(self.lost(at_least))
    }

    /// Whether a generation replaced the one before it; a copy whose builder died before
    /// the switch did not.
    fn was_placed(&self, number: u64) -> Result<bool> {
        let before = number - 1;
        if !self.has(before) {
            return Ok(true);
        }
        let database = self.engine.open(&self.file(before), false)?;
        Ok(match mark(&database, before)? {
            Mark::Live => false,
            Mark::Retired(_) | Mark::None => true,
        })
    }

    /// The error if the live generation is not in the folder.
    fn lost(&self, number: u64) -> Error {
        let path = self.folder.path().display();
        let what = match (self.seen.files.last(), number) {
            (_, 0) => format!("{path}/CURRENT names no store file and none was found"),
            (None, _) => format!("{path}: memory.{number}.redb is missing"),
            (Some(last), _) => {
                format!("{path}: memory.{number}.redb is missing and memory.{last}.redb is older")
            }
        };
        Error::new(
            ErrorCode::Corrupt,
            format!(
                "{what}; put the file back, or move the folder away and restore a backup whole or start afresh"
            ),
        )
        .with_argument("path")
    }
}

/// The error for a file that has the name of another generation. The next generation would take the
/// number after its own, and what is erased would stay in the file under this name.
fn renamed(number: u64, own: u64) -> Error {
    Error::new(
        ErrorCode::Corrupt,
        format!(
            "{} was {} when it was written; give it back its name, or restore a backup with all \
             its files",
            generation_name(number),
            generation_name(own)
        ),
    )
    .with_argument("path")
}

/// A store file's own mark.
enum Mark {
    /// It was never initialised.
    None,
    Live,
    Retired(u64),
}

fn mark(database: &Database, number: u64) -> Result<Mark> {
    let read = ReadTransaction::begin(database, &generation_name(number))
        .map_err(|error| lost_catalog(number, error))?;
    let meta: Meta = match read_meta(&read) {
        Ok(meta) => meta,
        Err(error) if error.code() == ErrorCode::Corrupt => {
            // All tables come with the first commit: if others exist without this one, the store
            // has lost it.
            return match read.count_tables() {
                Ok(0) => Ok(Mark::None),
                Ok(_) if matches!(read.has_table(tables::META.name()), Ok(false)) => {
                    Err(missing_meta())
                }
                _ => Err(lost_catalog(number, error)),
            };
        }
        Err(error) => return Err(error),
    };
    meta.check_readable()?;
    if meta.generation != number {
        return Err(renamed(number, meta.generation));
    }
    Ok(match meta.retired_to {
        0 => Mark::Live,
        to => Mark::Retired(to),
    })
}

/// The error for a file by whose damaged part everything else in it is found: it cannot be opened,
/// so neither checked nor rebuilt nor exported.
fn lost_catalog(number: u64, error: Error) -> Error {
    let Some(problem) = error.message().strip_suffix(WAY_OUT) else {
        return error;
    };
    let name = generation_name(number);
    let problem = problem.trim_end_matches("; ");
    let problem = problem
        .strip_prefix(&format!("{name}, "))
        .unwrap_or(problem);
    Error::new(
        ErrorCode::Corrupt,
        format!(
            "{name}: {problem}, and with it the way to everything else in the file; restore a \
             backup, or move the folder away to start afresh"
        ),
    )
    .with_argument("path")
}
