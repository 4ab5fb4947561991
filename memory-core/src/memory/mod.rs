//! The public handle. Each method checks that the memory is open and calls the module that does the
//! work. What writes events also hands over what follows in the same transaction
//! (`maintain::after_append`): `write/` and `learn/` lie below `upkeep/`, which does it. There is
//! one file per concern.

mod builder;
mod citations;
mod endless;
mod history;
mod knowledge;
mod learn;
mod levels;
mod log;
mod offsets;
mod pauses;
mod progress;
mod recall;
mod sharing;
mod tasks;
mod upkeep;
mod views;

pub use builder::MemoryBuilder;
pub use citations::Citations;
pub use endless::Endless;
pub use history::History;
pub use knowledge::Knowledge;
pub use levels::Levels;
pub use log::Events;
pub use offsets::{HasOffsets, Offsets, TextUnit};
pub use pauses::Pauses;
pub use sharing::Sharing;
pub use tasks::Tasks;
pub use upkeep::Upkeep;
pub use views::Views;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::engine::Engine;
use crate::model::error::Result;
use crate::model::progress::Operation;
use crate::privacy::PrivacyFilter;
use crate::store::running::Running;
use crate::write;

/// A memory: a searchable log of events, kept in one folder.
///
/// A handle is cheap to clone and can be used by several threads at once. Several processes
/// can have the same folder open.
///
/// Each method says under *Growth* how its running time grows with what is stored:
///
/// - *constant*: not at all;
/// - *logarithmic*: it at most doubles when the store grows tenfold;
/// - *by result*: it is proportional to what is returned, whatever else is stored;
/// - *by* anything else: it is proportional to that; *by store* means to everything stored.
///
/// ```
/// # fn main() -> recallite::Result<()> {
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path();
/// use recallite::{EventKind, Memory, NewEvent};
///
/// let memory = Memory::open(path)?;
/// memory.append(NewEvent::new(EventKind::UserPrompt, "s1", "We deploy on Fridays at noon."))?;
/// let found = memory.search("when do we deploy?")?;
/// assert_eq!(found.items[0].summary, "We deploy on Fridays at noon.");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Memory {
    pub(crate) engine: Arc<Engine>,
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Memory")
            .field("path", &self.engine.store.folder().path())
            .field("project", &self.engine.project)
            .finish_non_exhaustive()
    }
}

// Public handles cross threads; this fails to compile if a part is not `Send` and `Sync`.
const _: fn() = || {
    fn shared<T: Send + Sync>() {}
    shared::<Memory>();
};

impl Memory {
    /// Opens the memory in the folder `path` with default settings. Creates it if it does
    /// not exist.
    ///
    /// # Growth
    /// Constant; after a crash, by what the last transactions wrote.
    ///
    /// # Errors
    /// As [`MemoryBuilder::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Memory> {
        Memory::builder().open(path)
    }

    /// Returns a builder for opening a memory with settings.
    pub fn builder() -> MemoryBuilder {
        MemoryBuilder::default()
    }

    /// A memory on a store that a test opened on its own disk.
    #[cfg(test)]
    pub(crate) fn on_test_store(store: Arc<crate::store::Store>) -> Result<Memory> {
        Ok(Memory {
            engine: Arc::new(Engine::on_test_store(store)?),
        })
    }

    /// Returns the folder of the memory.
    pub fn path(&self) -> &Path {
        self.engine.store.folder().path()
    }

    /// Returns the project that the memory was opened for; empty if there is none.
    pub fn project(&self) -> &str {
        &self.engine.project
    }

    /// Returns the filter that every text passes before it is stored. If you shorten or split a
    /// text before storing it, filter it first: otherwise a cut can remove the end of a private
    /// section, which then hides nothing.
    pub fn privacy_filter(&self) -> &PrivacyFilter {
        &self.engine.filter
    }

    /// Closes this handle and all its clones. Later calls fail with `closed`. The store
    /// file is released when the last handle of the process is dropped. Closing a handle
    /// twice is harmless.
    ///
    /// Anything that recall has buffered (see [`crate::Recording`]) is written first.
    ///
    /// # Growth
    /// Constant: by what recall has buffered.
    ///
    /// # Errors
    /// As [`Memory::append`] when that last write fails; the handle is closed anyway.
    pub fn close(&self) -> Result<()> {
        let engine = &self.engine;
        if engine.closed.load(Ordering::Acquire) || engine.process != std::process::id() {
            engine.closed.store(true, Ordering::Release);
            return Ok(());
        }
        // In a folder that is gone, there is nothing to complete.
        let written = match engine.store.is_in_place() {
            true => self.flush_recorded(),
            false => Ok(()),
        };
        engine.closed.store(true, Ordering::Release);
        written
    }

    /// Writes what recall has buffered: injections and accesses.
    pub(crate) fn flush_recorded(&self) -> Result<()> {
        write::flush_recorded(&self.engine)
    }

    /// Returns true if the handle is open.
    pub fn is_open(&self) -> bool {
        !self.engine.closed.load(Ordering::Acquire)
    }

    /// Every call starts here.
    pub(crate) fn enter(&self) -> Result<&Engine> {
        self.engine.enter()
    }

    /// A call that may take long starts here.
    fn run<T>(
        &self,
        operation: Operation,
        work: impl FnOnce(&Engine, &Running) -> Result<T>,
    ) -> Result<T> {
        let engine = self.enter()?;
        let running = engine.operations.begin(operation)?;
        let result = work(engine, &running)?;
        running.end();
        Ok(result)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    /// Methods that only lead to other calls, and settings.
    const WITHOUT: [&str; 15] = [
        "builder",
        "citations",
        "endless",
        "history",
        "is_open",
        "knowledge",
        "levels",
        "path",
        "pauses",
        "privacy_filter",
        "project",
        "sharing",
        "tasks",
        "upkeep",
        "views",
    ];

    #[test]
    fn every_call_says_how_it_grows() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/memory");
        let files = std::fs::read_dir(folder).unwrap();
        let files = files.map(|file| file.unwrap().path());
        let files = files.filter(|file| file.is_file());
        let mut calls = 0;
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            let mut says = String::new();
            let mut lines = text.lines().map(str::trim);
            while let Some(line) = lines.next() {
                if line == "/// # Growth" {
                    says = lines.next().unwrap_or_default().to_owned();
                } else if let Some(call) = line.strip_prefix("pub fn ") {
                    let name = call.split(['(', '<']).next().unwrap_or_default();
                    let growths = ["/// Constant", "/// Logarithmic", "/// By "];
                    // An option of opening only sets a field.
                    let is_option =
                        line.ends_with("-> Self {") || line.ends_with("-> Result<Self> {");
                    let is_said = growths.iter().any(|growth| says.starts_with(growth));
                    assert!(
                        is_said || is_option || WITHOUT.contains(&name),
                        "{name}: {says:?}"
                    );
                    says.clear();
                    calls += usize::from(is_said);
                }
            }
        }
        assert!(calls > 90, "{calls}");
    }
}
