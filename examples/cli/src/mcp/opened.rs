//! The memories that the server has open: one handle for each project, all on one
//! store.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use recallite::{ExtractionRequest, MaintainBudget, Memory, MemoryBuilder};

use crate::arguments::Place;
use crate::failure::{Failure, Outcome};
use crate::place::{no_memory, project_named};

/// How long upkeep may take when the client has gone, in milliseconds.
const UPKEEP_MS: u64 = 1_000;
/// How long a call waits for other writers, in milliseconds.
const BUSY_MS: u64 = 5_000;

pub(super) struct Opened {
    folder: Outcome<PathBuf>,
    builder: MemoryBuilder,
    /// The project of calls that name none.
    project: String,
    memories: Mutex<HashMap<String, Memory>>,
    /// What the agent was last asked to learn from, by session.
    requests: Mutex<HashMap<String, ExtractionRequest>>,
}

impl Opened {
    pub(super) fn new(place: &Place) -> Opened {
        // The client says where it works; some start servers in another folder.
        let told = std::env::var("CLAUDE_PROJECT_DIR")
            .ok()
            .filter(|_| place.project.is_none());
        let project = told
            .as_deref()
            .and_then(|folder| recallite::scope::project_of(Path::new(folder)).ok())
            .or_else(|| place.project().ok());
        Opened {
            folder: place.folder(),
            builder: place.builder(),
            project: project.unwrap_or_default(),
            memories: Mutex::default(),
            requests: Mutex::default(),
        }
    }

    /// The memory for a project; the server's own when none is named.
    pub(super) fn memory(&self, project: Option<&str>, create: bool) -> Outcome<Memory> {
        let folder = self
            .folder
            .as_ref()
            .map_err(|failure| Failure::said(failure.message()))?;
        let project = project.map_or_else(|| self.project.clone(), project_named);
        let mut memories = self.memories.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(memory) = memories.get(&project) {
            return Ok(memory.clone());
        }
        let memory = self
            .builder
            .clone()
            .project(&project)
            .create(create)
            .busy_timeout_ms(BUSY_MS)
            .open(folder)
            .map_err(|error| no_memory(folder, error))?;
        memories.insert(project, memory.clone());
        Ok(memory)
    }

    /// Keeps what an agent was asked to learn from, for its answer.
    pub(super) fn keep_request(&self, session: &str, mut request: ExtractionRequest) {
        request.prompt.clear();
        self.requests
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(session.to_owned(), request);
    }

    /// What an answer is about; `None` when another server asked.
    pub(super) fn request(&self, session: &str) -> Option<ExtractionRequest> {
        self.requests
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(session)
            .cloned()
    }

    /// Drops every handle, so that the next call opens the store anew.
    pub(super) fn drop_all(&self) {
        self.memories
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }

    /// Writes what recall noted, and does a step of what may wait: nobody waits now.
    pub(super) fn close(&self) {
        let memories =
            std::mem::take(&mut *self.memories.lock().unwrap_or_else(PoisonError::into_inner));
        // What fails here waits for the next one.
        if let Some(memory) = memories.values().next() {
            let _ = memory.maintain(MaintainBudget {
                time_ms: Some(UPKEEP_MS),
                ..MaintainBudget::default()
            });
        }
        for memory in memories.values() {
            let _ = memory.close();
        }
    }
}
