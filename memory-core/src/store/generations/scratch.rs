//! Store files that only one call sees, for comparisons.

use std::path::Path;

use crate::model::error::{Result, about_file};
use crate::store::database::backend::open_file;
use crate::store::database::panics::catch_panic;
use crate::store::database::watched::Database;
use crate::store::generations::leftovers;
use crate::store::{ReadTx, Store, WriteTx, tables};

/// Above this number of events, a store is checked with a scratch file instead of in memory.
const SCRATCH_IN_MEMORY: u64 = 20_000;

/// The page cache of a scratch file, which is filled in key order and read once.
const SCRATCH_CACHE_BYTES: usize = 12 << 20;

impl Store {
    /// A store file that only this call sees, filled by `work`, for comparisons. It has the store's
    /// identity, which the record order depends on.
    pub(crate) fn scratch(
        &self,
        old: &ReadTx,
        work: impl FnOnce(&ReadTx, &mut WriteTx<'_>) -> Result<()>,
    ) -> Result<ReadTx> {
        let mut builder = redb::Builder::new();
        builder.set_cache_size(SCRATCH_CACHE_BYTES);
        let database = if old.state()?.last_seq > SCRATCH_IN_MEMORY && cfg!(any(unix, windows)) {
            self.new_scratch(&mut builder)?
        } else {
            Database::open(&mut builder, redb::backends::InMemoryBackend::new())?
        };
        let fill = |old: &ReadTx, new: &mut WriteTx<'_>| {
            new.copy_table(old, tables::SHARING)?;
            work(old, new)
        };
        let (scratch, ()) = catch_panic(|| self.fill(database, 0, &old.meta.clone(), old, fill))?;
        self.read_of(&scratch)
    }

    /// A store file without a name, or one that the system removes when it is closed, so that
    /// nothing is left behind in any case.
    fn new_scratch(&self, builder: &mut redb::Builder) -> Result<Database> {
        let file = self.folder.temporary(leftovers::SCRATCH, 0);
        let open = open_scratch(&file)?;
        let backend = redb::backends::FileBackend::new(open)?;
        Database::open(builder, backend)
    }
}

#[cfg(not(windows))]
fn open_scratch(file: &Path) -> Result<std::fs::File> {
    let open = open_file(file, true)?;
    match std::fs::remove_file(file) {
        // Another process may have removed it as a leftover.
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(about_file(file)(error)),
        _ => Ok(open),
    }
}

#[cfg(windows)]
fn open_scratch(file: &Path) -> Result<std::fs::File> {
    const FILE_FLAG_DELETE_ON_CLOSE: u32 = 0x0400_0000;
    let mut options = std::fs::File::options();
    options.read(true).write(true).create_new(true);
    std::os::windows::fs::OpenOptionsExt::custom_flags(&mut options, FILE_FLAG_DELETE_ON_CLOSE);
    options.open(file).map_err(about_file(file))
}
