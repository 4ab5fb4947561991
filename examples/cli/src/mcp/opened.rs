//! The server's open memories: one handle for each project, all on one store.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, Once, OnceLock, PoisonError};

use recallite::{ExtractionRequest, MaintainBudget, Memory, MemoryBuilder};

use crate::agents::claude_code_folder;
use crate::arguments::Place;
use crate::failure::{Failure, Outcome};
use crate::place::{FileSettings, no_memory, project_named};

/// The maximum time of upkeep after the client has left, in milliseconds.
const UPKEEP_MS: u64 = 1_000;
/// How long a call waits for other writers, in milliseconds.
const BUSY_MS: u64 = 5_000;

pub(super) struct Opened {
    folder: Outcome<PathBuf>,
    settings: Outcome<FileSettings>,
    builder: MemoryBuilder,
    /// The project of calls that do not name one, unless the client says in which folder it works.
    project: String,
    /// Whether nobody named that project: it is only that of the working folder, which some clients
    /// set to the user's home.
    is_guessed: bool,
    /// The project of the folder in which the client works.
    of_client: OnceLock<String>,
    memories: Mutex<HashMap<String, Memory>>,
    /// Done when the store is first opened.
    upkeep_at_start: Once,
    /// The last extraction request for the agent, by session.
    requests: Mutex<HashMap<String, ExtractionRequest>>,
}

impl Opened {
    pub(super) fn new(place: &Place) -> Opened {
        // The client's own working folder; some start servers in another one.
        let told = claude_code_folder().filter(|_| place.project.is_none());
        let project = told
            .and_then(|folder| recallite::scope::project_of(&folder).ok())
            .map(|project| (project, false))
            .or_else(|| Some((place.project().ok()?, place.project.is_none())));
        let (project, is_guessed) = project.unwrap_or((String::new(), true));
        Opened {
            folder: place.folder(),
            settings: place.file_settings(),
            builder: place.builder(),
            project,
            is_guessed,
            of_client: OnceLock::new(),
            memories: Mutex::default(),
            upkeep_at_start: Once::new(),
            requests: Mutex::default(),
        }
    }

    /// Whether the client must be asked in which folder it works.
    pub(super) fn is_guessed(&self) -> bool {
        self.is_guessed
    }

    /// Makes the project of the client's folder that of calls that do not name one.
    pub(super) fn works_in(&self, folder: &Path) {
        if let Ok(project) = recallite::scope::project_of(folder) {
            let _ = self.of_client.set(project);
        }
    }

    /// What the settings file sets.
    pub(super) fn settings(&self) -> Outcome<&FileSettings> {
        let again = |failure: &Failure| Failure::said(failure.message());
        self.settings.as_ref().map_err(again)
    }

    /// The memory for a project; the server's own if none is named.
    pub(super) fn memory(&self, project: Option<&str>, create: bool) -> Outcome<Memory> {
        let folder = self
            .folder
            .as_ref()
            .map_err(|failure| Failure::said(failure.message()))?;
        let own = self.of_client.get().unwrap_or(&self.project);
        let project = project.map_or_else(|| own.clone(), project_named);
        if let Some(memory) = self.open_memories().get(&project) {
            return Ok(memory.clone());
        }
        // Without the lock: opening may wait for another process, and calls for other projects
        // need not wait for that. Two that open the same project have two handles of one store.
        let memory = self
            .builder
            .clone()
            .project(&project)
            .create(create)
            .busy_timeout_ms(BUSY_MS)
            .open(folder)
            .map_err(|error| no_memory(folder, error))?;
        self.upkeep_at_start
            .call_once(|| carry_out_erasures(memory.clone()));
        Ok(self
            .open_memories()
            .entry(project)
            .or_insert(memory)
            .clone())
    }

    fn open_memories(&self) -> MutexGuard<'_, HashMap<String, Memory>> {
        self.memories.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps an extraction request until its response arrives.
    pub(super) fn keep_request(&self, session: &str, mut request: ExtractionRequest) {
        request.prompt.clear();
        self.requests
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(session.to_owned(), request);
    }

    /// The request of a response; `None` if another server made it.
    pub(super) fn request(&self, session: &str) -> Option<ExtractionRequest> {
        self.requests
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(session)
            .cloned()
    }

    /// Drops every handle, so that the next call reopens the store.
    pub(super) fn drop_all(&self) {
        self.open_memories().clear();
    }

    /// Writes what recall recorded and runs a step of upkeep, while nobody waits.
    pub(super) fn close(&self) {
        let memories = std::mem::take(&mut *self.open_memories());
        // What fails here is left to the next session.
        if let Some(memory) = memories.values().next() {
            let _ = memory.maintain(MaintainBudget::default().time_ms(UPKEEP_MS));
        }
        for memory in memories.values() {
            let _ = memory.close();
        }
    }
}

/// Carries out the erasures whose process was killed, while the client is served. Upkeep with a limit
/// of time, as hooks do it, has no time for one. Where the client leaves before it is done, the next
/// server begins again.
fn carry_out_erasures(memory: Memory) {
    std::thread::spawn(move || -> recallite::Result<()> {
        if memory.stats()?.requested_erasures > 0 {
            memory.maintain(MaintainBudget::default())?;
        }
        Ok(())
    });
}
