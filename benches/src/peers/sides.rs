//! The programs that run in the process of the bench.

use std::path::{Path, PathBuf};

use recallite::{MaintainBudget, Memory, NewEvent, Query};
use redb::{Database, ReadableDatabase as _};
use rusqlite::Connection;

use super::{Event, Peer};
use crate::Result;
use crate::append::{RAW, open_raw};

/// All of them, each with its own folder.
pub(crate) fn all(folder: &Path) -> Result<Vec<Box<dyn Peer>>> {
    let below = |name: &str| -> Result<PathBuf> {
        let folder = folder.join(name);
        std::fs::create_dir(&folder)?;
        Ok(folder)
    };
    Ok(vec![
        Box::new(Recallite::new(folder.join("memory"))?),
        Box::new(Redb::new(below("redb")?)?),
        Box::new(Sqlite::new(below("sqlite-full")?, Synchronous::Full)?),
        Box::new(Sqlite::new(below("sqlite-normal")?, Synchronous::Normal)?),
        #[cfg(feature = "peers")]
        Box::new(super::tantivy::Tantivy::new(below("tantivy")?)?),
    ])
}

struct Recallite {
    memory: Memory,
    folder: PathBuf,
}

impl Recallite {
    fn new(folder: PathBuf) -> Result<Self> {
        // Without the result cache, so that every search is computed.
        let memory = Memory::builder().recall_cache(false).open(&folder)?;
        Ok(Recallite { memory, folder })
    }
}

impl Peer for Recallite {
    fn name(&self) -> &'static str {
        "recallite"
    }

    fn append(&mut self, events: &[Event]) -> Result<()> {
        let events = events
            .iter()
            .map(|event| NewEvent::new(event.kind, event.session.as_str(), event.text.as_str()));
        self.memory.append_batch(events.collect())?;
        Ok(())
    }

    fn upkeep(&mut self) -> Result<()> {
        while self.memory.maintain(MaintainBudget::default())?.has_more {}
        Ok(())
    }

    fn compact(&mut self) -> Result<()> {
        self.memory.compact()?;
        Ok(())
    }

    fn search(&mut self, question: &str) -> Result<Option<usize>> {
        let found = self.memory.search(Query::new(question).limit(10))?;
        Ok(Some(found.items.len()))
    }

    fn parts(&self) -> Result<Vec<(String, u64)>> {
        let stats = self.memory.stats()?;
        Ok(vec![
            ("log".to_owned(), stats.log_bytes),
            (
                "indexes and the rest".to_owned(),
                stats.size_bytes - stats.log_bytes,
            ),
        ])
    }

    fn folder(&self) -> &Path {
        &self.folder
    }
}

/// The storage engine alone: the minimum work of any log of these texts.
struct Redb {
    database: Database,
    folder: PathBuf,
}

impl Redb {
    fn new(folder: PathBuf) -> Result<Self> {
        let database = open_raw(&folder.join("raw.redb"))?;
        Ok(Redb { database, folder })
    }
}

impl Peer for Redb {
    fn name(&self) -> &'static str {
        "redb, a log alone"
    }

    fn append(&mut self, events: &[Event]) -> Result<()> {
        let transaction = self.database.begin_write()?;
        {
            let mut table = transaction.open_table(RAW)?;
            let last = redb::ReadableTable::last(&table)?.map_or(0, |(key, _)| key.value());
            for (key, event) in (last + 1..).zip(events) {
                table.insert(key, event.text.as_bytes())?;
            }
        }
        transaction.commit()?;
        Ok(())
    }

    fn compact(&mut self) -> Result<()> {
        self.database.compact()?;
        Ok(())
    }

    fn parts(&self) -> Result<Vec<(String, u64)>> {
        let table = self.database.begin_read()?.open_table(RAW)?;
        let stats = redb::ReadableTableMetadata::stats(&table)?;
        Ok(vec![("log".to_owned(), stats.stored_bytes())])
    }

    fn folder(&self) -> &Path {
        &self.folder
    }
}

/// When SQLite syncs: at every commit, or only at checkpoints, so that a power loss may lose the
/// last commits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Synchronous {
    Full,
    Normal,
}

/// A table as the log, with an FTS5 index that stores no text of its own.
struct Sqlite {
    connection: Connection,
    synchronous: Synchronous,
    folder: PathBuf,
}

impl Sqlite {
    fn new(folder: PathBuf, synchronous: Synchronous) -> Result<Self> {
        let connection = Connection::open(folder.join("memory.db"))?;
        let synchronous_name = match synchronous {
            Synchronous::Full => "full",
            Synchronous::Normal => "normal",
        };
        connection.execute_batch(&format!(
            "pragma journal_mode = wal;
             pragma synchronous = {synchronous_name};
             create table log (id integer primary key, session text not null,
                 kind text not null, content text not null);
             create virtual table words using fts5(content, content = 'log',
                 content_rowid = 'id');",
        ))?;
        Ok(Sqlite {
            connection,
            synchronous,
            folder,
        })
    }
}

impl Peer for Sqlite {
    fn name(&self) -> &'static str {
        match self.synchronous {
            Synchronous::Full => "SQLite FTS5 with a log table, full",
            Synchronous::Normal => "SQLite FTS5 with a log table, normal",
        }
    }

    fn append(&mut self, events: &[Event]) -> Result<()> {
        let transaction = self.connection.transaction()?;
        {
            let insert = "insert into log (session, kind, content) values (?1, ?2, ?3)";
            let mut log = transaction.prepare_cached(insert)?;
            let insert = "insert into words (rowid, content) values (?1, ?2)";
            let mut words = transaction.prepare_cached(insert)?;
            for event in events {
                let id = log.insert((&event.session, event.kind.as_str(), &event.text))?;
                words.execute((id, &event.text))?;
            }
        }
        transaction.commit()?;
        Ok(())
    }

    fn upkeep(&mut self) -> Result<()> {
        self.connection.execute_batch(
            "insert into words (words) values ('optimize');
             pragma wal_checkpoint(truncate);",
        )?;
        Ok(())
    }

    fn compact(&mut self) -> Result<()> {
        self.connection
            .execute_batch("vacuum; pragma wal_checkpoint(truncate);")?;
        Ok(())
    }

    fn search(&mut self, question: &str) -> Result<Option<usize>> {
        // Reading is the same for both ways of writing, so only one is queried.
        if self.synchronous == Synchronous::Normal {
            return Ok(None);
        }
        let wanted: Vec<String> = question
            .split(' ')
            .map(|word| format!("\"{word}\""))
            .collect();
        let mut statement = self.connection.prepare_cached(
            "select log.content from words join log on log.id = words.rowid
             where words match ?1 order by words.rank limit 10",
        )?;
        let texts = statement.query_map([wanted.join(" OR ")], |row| row.get::<_, String>(0))?;
        Ok(Some(texts.collect::<rusqlite::Result<Vec<_>>>()?.len()))
    }

    fn parts(&self) -> Result<Vec<(String, u64)>> {
        let mut statement = self
            .connection
            .prepare("select name = 'log', sum(pgsize) from dbstat group by 1 order by 1 desc")?;
        let parts = statement.query_map([], |row| {
            let part = match row.get::<_, bool>(0)? {
                true => "log",
                false => "indexes and the rest",
            };
            Ok((part.to_owned(), row.get::<_, i64>(1)?.unsigned_abs()))
        })?;
        match self.synchronous {
            Synchronous::Full => Ok(parts.collect::<rusqlite::Result<_>>()?),
            Synchronous::Normal => Ok(Vec::new()),
        }
    }

    fn folder(&self) -> &Path {
        &self.folder
    }
}
