//! The state that the handlers of a viewer share: the open memory and the access control.

use std::sync::{Arc, Mutex, PoisonError, RwLock};

use recallite::{Memory, MemoryBuilder};
use serde_json::Value;
use tokio::sync::Semaphore;

use super::assets::Assets;
use super::guard::Guard;
use super::refused::Refused;
use crate::arguments::Place;
use crate::exit;
use crate::failure::{Failure, Outcome};
use crate::place::no_memory;

/// How many live streams are served at once (specification, section 24).
const MAX_STREAMS: usize = 10;

pub(super) struct Viewer {
    pub(super) guard: Arc<Guard>,
    pub(super) assets: Assets,
    /// One permit for each live stream.
    pub(super) streams: Arc<Semaphore>,
    /// The project that was given on the command line.
    pub(super) project: Option<String>,
    /// How the store's folder was chosen.
    pub(super) store_source: &'static str,
    /// The settings in effect, as the command `config` tells them.
    pub(super) settings: Vec<Value>,
    builder: MemoryBuilder,
    opened: RwLock<Opened>,
    /// Held by who opens the store again.
    reopening: Mutex<()>,
    /// Held by who removes memories, from counting them on.
    pub(super) removing: Mutex<()>,
}

/// The open memory, and how often the store was opened again, each time perhaps another one.
#[derive(Clone)]
struct Opened {
    memory: Memory,
    opening: u64,
}

impl Viewer {
    pub(super) fn new(
        place: &Place,
        memory: Memory,
        guard: Guard,
        settings: Vec<Value>,
    ) -> Outcome<Viewer> {
        Ok(Viewer {
            guard: Arc::new(guard),
            assets: Assets::new(),
            streams: Arc::new(Semaphore::new(MAX_STREAMS)),
            project: place.project.as_ref().map(|_| memory.project().to_owned()),
            store_source: match &place.store {
                Some(_) => "--store or RECALLITE_STORE",
                None if place.setting("storage.path")?.is_some() => {
                    "--settings or RECALLITE_SETTINGS"
                }
                None => "default",
            },
            settings,
            builder: place.builder(),
            opened: RwLock::new(Opened { memory, opening: 0 }),
            reopening: Mutex::default(),
            removing: Mutex::default(),
        })
    }

    /// Runs a call of the memory on a thread that may block.
    pub(super) async fn ask<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Memory) -> Outcome<T> + Send + 'static,
    ) -> Result<T, Refused> {
        let viewer = Arc::clone(self);
        let asked = tokio::task::spawn_blocking(move || viewer.asked(work));
        let answer = asked
            .await
            .map_err(|_| Refused::from(Failure::said("the request panicked; please report it")))?;
        answer.map_err(Refused::from)
    }

    fn asked<T>(&self, work: impl FnOnce(&Memory) -> Outcome<T>) -> Outcome<T> {
        let opened = self.opened();
        let answer = work(&opened.memory);
        match answer {
            Err(failure) if failure.needs_reopen() => {
                self.reopen(&opened)?;
                // Who asks has a page or a program, and no memory to open.
                Err(Failure::Said(
                    exit::BUSY,
                    "the store was replaced, or is not whole; it was opened again, so repeat the \
                     request"
                        .to_owned(),
                ))
            }
            Err(Failure::Memory(error)) => Err(Failure::Memory(in_words_of_the_api(error))),
            answer => answer,
        }
    }

    fn opened(&self) -> Opened {
        let opened = self.opened.read();
        opened.unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn memory(&self) -> Memory {
        self.opened().memory
    }

    /// How often the store was opened again.
    pub(super) fn opening(&self) -> u64 {
        self.opened().opening
    }

    /// Reopens the store for the next request, unless another request has done so since `old`:
    /// each time that it is opened ends the live streams.
    fn reopen(&self, old: &Opened) -> Outcome {
        let _one = self.reopening.lock();
        if self.opening() != old.opening {
            return Ok(());
        }
        let builder = self.builder.clone().project(old.memory.project());
        let memory = builder
            .create(false)
            .open(old.memory.path())
            .map_err(|error| no_memory(old.memory.path(), error))?;
        let opening = old.opening + 1;
        *self.opened.write().unwrap_or_else(PoisonError::into_inner) = Opened { memory, opening };
        Ok(())
    }

    /// Writes what recall recorded.
    pub(super) fn close(&self) {
        // If this fails, only the number of times that something was found is lost.
        let _ = self.memory().close();
    }
}

/// Renames the library's arguments to those of the API.
fn in_words_of_the_api(error: recallite::Error) -> recallite::Error {
    match error.argument() {
        Some("session") => error.with_argument("sessionId"),
        _ => error,
    }
}
