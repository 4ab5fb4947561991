//! Forgetting and erasing: what a selector means, and the receipts.

use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;
use recallite::scope::ProjectScope;
use recallite::{Erased, Forgotten, Memory, Result, Selector, Seq};

use crate::cancel::{NativeCancel, switch};
use crate::input::{self, Name, Time, optional, time};
use crate::memory::NativeMemory;
use crate::outcome::{Job, Outcome};
use crate::output::number;

/// Which events are meant.
#[napi(object, object_to_js = false)]
pub struct NativeSelector {
    pub ids: Option<Vec<Name>>,
    pub session: Option<String>,
    pub before: Option<Time>,
    pub project: Option<String>,
    pub all_projects: Option<bool>,
    pub kinds: Option<Vec<String>>,
    pub everything: Option<bool>,
}

impl NativeSelector {
    /// The core's selector.
    pub fn selector(self) -> Result<Selector> {
        let mut selector = match self.everything {
            Some(true) => Selector::everything(),
            _ => Selector::new(),
        };
        if let Some(ids) = self.ids {
            selector = selector.ids(input::names("ids", ids)?);
        }
        selector.session = self.session;
        selector.before = optional("before", self.before, time)?;
        let scope: ProjectScope = input::scope(self.project, self.all_projects)?;
        selector.project = scope;
        if self.kinds.is_some() {
            selector = selector.kinds(input::kinds(self.kinds)?);
        }
        Ok(selector)
    }
}

#[napi(object, object_from_js = false, use_nullable = true)]
pub struct NativeForgotten {
    pub count: f64,
    pub content_bytes: f64,
    pub sessions: f64,
    pub jobs: f64,
    pub segments: f64,
    pub tombstone: Option<f64>,
}

fn position(seq: Option<Seq>) -> Result<Option<f64>> {
    seq.map(|seq| number(seq.0)).transpose()
}

fn forgotten(receipt: Forgotten) -> Result<NativeForgotten> {
    Ok(NativeForgotten {
        count: number(receipt.count)?,
        content_bytes: number(receipt.content_bytes)?,
        sessions: number(receipt.sessions)?,
        jobs: number(receipt.jobs)?,
        segments: number(receipt.segments)?,
        tombstone: position(receipt.tombstone)?,
    })
}

#[napi(object, object_from_js = false, use_nullable = true)]
pub struct NativeErased {
    pub count: f64,
    pub dependents: f64,
    pub tombstone: Option<f64>,
    pub generation: f64,
    pub was_overwritten: bool,
    pub places: Vec<String>,
    pub is_complete: bool,
    pub open_places: Vec<String>,
    pub completed: f64,
}

fn erased(receipt: Erased) -> Result<NativeErased> {
    Ok(NativeErased {
        count: number(receipt.count)?,
        dependents: number(receipt.dependents)?,
        tombstone: position(receipt.tombstone)?,
        generation: number(receipt.generation)?,
        was_overwritten: receipt.was_overwritten,
        places: receipt.places,
        is_complete: receipt.is_complete,
        open_places: receipt.open_places,
        completed: number(receipt.completed)?,
    })
}

fn forget(memory: &Memory, selector: NativeSelector) -> Result<NativeForgotten> {
    forgotten(memory.forget(&selector.selector()?)?)
}

fn erase(memory: &Memory, selector: NativeSelector) -> Result<NativeErased> {
    erased(memory.erase(&selector.selector()?)?)
}

fn count_selected(memory: &Memory, selector: NativeSelector) -> Result<f64> {
    number(memory.count_selected(&selector.selector()?)?)
}

fn apply_retention(memory: &Memory) -> Result<NativeForgotten> {
    forgotten(memory.apply_retention()?)
}

#[napi]
impl NativeMemory {
    #[napi(catch_unwind, ts_return_type = "Promise<NativeForgotten | Failure>")]
    pub fn forget(
        &self,
        selector: NativeSelector,
        cancel: Option<&NativeCancel>,
    ) -> AsyncTask<Job<NativeForgotten>> {
        AsyncTask::new(self.later(switch(cancel), |memory| forget(memory, selector)))
    }

    #[napi(catch_unwind)]
    pub fn forget_sync(&self, selector: NativeSelector) -> Outcome<NativeForgotten> {
        self.now(|memory| forget(memory, selector))
    }

    #[napi(catch_unwind, ts_return_type = "Promise<NativeErased | Failure>")]
    pub fn erase(
        &self,
        selector: NativeSelector,
        cancel: Option<&NativeCancel>,
    ) -> AsyncTask<Job<NativeErased>> {
        AsyncTask::new(self.later(switch(cancel), |memory| erase(memory, selector)))
    }

    #[napi(catch_unwind)]
    pub fn erase_sync(&self, selector: NativeSelector) -> Outcome<NativeErased> {
        self.now(|memory| erase(memory, selector))
    }

    #[napi(catch_unwind, ts_return_type = "Promise<number | Failure>")]
    pub fn count_selected(
        &self,
        selector: NativeSelector,
        cancel: Option<&NativeCancel>,
    ) -> AsyncTask<Job<f64>> {
        AsyncTask::new(self.later(switch(cancel), |memory| count_selected(memory, selector)))
    }

    #[napi(catch_unwind)]
    pub fn count_selected_sync(&self, selector: NativeSelector) -> Outcome<f64> {
        self.now(|memory| count_selected(memory, selector))
    }

    #[napi(catch_unwind, ts_return_type = "Promise<NativeForgotten | Failure>")]
    pub fn apply_retention(
        &self,
        cancel: Option<&NativeCancel>,
    ) -> AsyncTask<Job<NativeForgotten>> {
        AsyncTask::new(self.later(switch(cancel), apply_retention))
    }

    #[napi(catch_unwind)]
    pub fn apply_retention_sync(&self) -> Outcome<NativeForgotten> {
        self.now(apply_retention)
    }
}
