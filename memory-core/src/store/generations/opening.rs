//! Opens a store: finds its live generation, or begins a new one.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use parking_lot::{Mutex, RwLock};

use crate::clock::{Clock, IdSource};
use crate::model::error::{Error, Result};
use crate::store::database::backend::{
    Backend, ExclusiveBackend, SharedBackend, fill_standard_streams,
};
use crate::store::database::checked::ReadableTable as _;
use crate::store::database::error::{not_opened, replaced_again};
use crate::store::database::writer_queue::WriterQueue;
use crate::store::generations::create_tables::create_tables;
use crate::store::generations::folder::{CurrentFile, Folder};
use crate::store::generations::live;
use crate::store::generations::notes::Note;
use crate::store::generations::opened::{self, FoundStore};
use crate::store::generations::options::StoreOptions;
use crate::store::meta::{META_KEY, Meta, STATE_KEY, State};
use crate::store::{Generation, Store, tables};

impl Store {
    /// Opens the store in `path`, or returns the one that this process already has open there.
    pub(crate) fn open(
        path: &Path,
        options: &StoreOptions,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdSource>,
    ) -> Result<Arc<Store>> {
        fill_standard_streams();
        let folder = Folder::open(path, options.create)?;
        if !options.allow_network_folder {
            folder.check_place()?;
        }
        let turn = loop {
            match opened::find(folder.path())? {
                FoundStore::Open(store) if store.is_in_place() => return store.join(options),
                // Its handles stay with the folder that was moved, removed or replaced.
                FoundStore::Open(store) => opened::forget(folder.path(), &store)?,
                FoundStore::Turn(turn) => break turn,
            }
        };
        let engine: Arc<dyn Backend> = if options.exclusive {
            Arc::new(ExclusiveBackend::new(options.cache_bytes))
        } else {
            Arc::new(SharedBackend::new(
                options.cache_bytes,
                options.busy_timeout,
            ))
        };
        let store = Arc::new(Store::open_with(folder, engine, options, clock, ids)?);
        turn.opened(&store);
        Ok(store)
    }

    /// Another handle on a store that this process already has open.
    fn join(self: Arc<Self>, options: &StoreOptions) -> Result<Arc<Store>> {
        if self.is_exclusive != options.exclusive {
            return Err(Error::invalid(
                "exclusive",
                "must be the same for every handle on a store that this process has open",
            ));
        }
        self.heal()?;
        Ok(self)
    }

    /// Opens a store with the given engine, without sharing it.
    fn open_with(
        folder: Folder,
        engine: Arc<dyn Backend>,
        options: &StoreOptions,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdSource>,
    ) -> Result<Store> {
        let failed = |error| not_opened(error, folder.path());
        let mut attempt = 0;
        loop {
            let live = {
                let queue = WriterQueue::of_opening(&folder, options);
                let _turn = queue.wait();
                let patience = options.busy_timeout.min(live::PATIENCE);
                live::open(&folder, &*engine, 0, options.create, patience)?
            };
            let (is_new, is_named) = (live.is_new, live.is_named);
            let was_repaired = live.database.was_repaired();
            let store = Store {
                index: folder.index().into(),
                folder: folder.clone(),
                engine: engine.clone(),
                busy_timeout: options.busy_timeout,
                building: Mutex::new(()),
                writer: Mutex::new(()),
                generation: RwLock::new(Arc::new(live.into())),
                next: Mutex::default(),
                queue: WriterQueue::new(&folder, options.exclusive),
                clock: clock.clone(),
                ids: ids.clone(),
                is_exclusive: options.exclusive,
                seen_seq: AtomicU64::new(0),
                notes: Mutex::default(),
            };
            if is_new && !store.initialise().map_err(failed)? {
                attempt += 1;
                if attempt == 100 {
                    return Err(replaced_again());
                }
                continue;
            }
            store.read().map_err(failed)?;
            if is_new {
                store.note(Note::Begun);
            }
            if was_repaired {
                store.note(Note::Repaired);
            }
            if !is_named {
                // The marks identify the live generation as well; if this fails, the next open
                // writes `CURRENT`.
                if store.name_live().is_ok() && !is_new {
                    store.note(Note::Named);
                }
            }
            match store.clean_leftovers() {
                Ok(left) if left.is_empty() => {}
                Ok(left) => store.note(Note::Left(left.len())),
                // Cleaning may need room on the disk, and reading does not.
                Err(_) => store.heal().map_err(failed)?,
            }
            return Ok(store);
        }
    }

    /// A store that shares nothing with other handles of this process, as if it were open in
    /// another process.
    #[cfg(test)]
    pub(crate) fn open_unshared(
        path: &Path,
        options: &StoreOptions,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdSource>,
    ) -> Result<Arc<Store>> {
        let engine = Arc::new(SharedBackend::new(
            options.cache_bytes,
            options.busy_timeout,
        ));
        let folder = Folder::open(path, options.create)?;
        Store::open_with(folder, engine, options, clock, ids).map(Arc::new)
    }

    /// A store on a backend that a test supplies (recording, failing).
    #[cfg(test)]
    pub(crate) fn open_on_backend<F, B>(
        path: &Path,
        make: F,
        options: &StoreOptions,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdSource>,
    ) -> Result<Arc<Store>>
    where
        F: Fn(&Path) -> B + Send + Sync + 'static,
        B: redb::StorageBackend,
    {
        let folder = Folder::open(path, true)?;
        let engine = Arc::new(crate::store::database::backend::BackendEngine {
            make,
            open_files: crate::store::database::open_files::OpenFiles::default(),
        });
        Store::open_with(folder, engine, options, clock, ids).map(Arc::new)
    }

    /// Writes the meta record and creates the tables of a new store. Returns false if another
    /// process created the store first; the file that this one has open is then not part of it.
    fn initialise(&self) -> Result<bool> {
        let _writer = self.lock_writer()?;
        let generation = self.generation.read().clone();
        generation
            .database
            .writing(|| self.begin_store(&generation))
    }

    fn begin_store(&self, generation: &Generation) -> Result<bool> {
        let transaction = self.begin_write(&generation.database)?;
        // A process that was suspended after it listed the folder must not create a second store
        // beside one that another process has created meanwhile.
        let seen = self.folder.seen()?;
        let is_alone = seen.named == CurrentFile::Nothing && seen.files == [generation.number];
        let is_begun = {
            let table = transaction.open_table(tables::META)?;
            table.get(META_KEY)?.is_some()
        };
        if !is_alone || is_begun {
            transaction.abort()?;
            return Ok(false);
        }
        {
            let mut table = transaction.open_table(tables::META)?;
            let mut secret = [0; 32];
            secret[..16].copy_from_slice(&self.ids.salt());
            secret[16..].copy_from_slice(&self.ids.salt());
            let meta = Meta::new(self.ids.salt(), secret, self.clock.now().millis());
            table.insert(META_KEY, meta.encode().as_slice())?;
            table.insert(STATE_KEY, State::default().encode().as_slice())?;
        }
        // All tables are created in the first transaction, so that readers never encounter a
        // missing one.
        create_tables(&transaction)?;
        transaction.commit()?;
        Ok(true)
    }
}
