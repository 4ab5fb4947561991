//! Citations: an event with its neighbours and its use, the most used ones, and
//! the sessions that were given one.

use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;
use recallite::{Memory, Result};

use crate::cancel::{NativeCancel, switch};
use crate::convert::give;
use crate::generated::{NativeCitationDetail, NativePopularCitation};
use crate::input::{self, optional, size, small};
use crate::memory::NativeMemory;
use crate::outcome::{Job, Outcome};

fn citation_detail(memory: &Memory, text: &str) -> Result<NativeCitationDetail> {
    let found = memory.citations().detail(text);
    give(memory, found.map_err(input::about_citation)?)
}

fn popular_citations(
    memory: &Memory,
    limit: f64,
    window_days: Option<f64>,
) -> Result<Vec<NativePopularCitation>> {
    let window_days = optional("window_days", window_days, small)?;
    let limit = size("limit", limit)?;
    give(memory, memory.citations().popular(limit, window_days)?)
}

fn citing_sessions(memory: &Memory, citation: &str, limit: Option<f64>) -> Result<Vec<String>> {
    let limit = optional("limit", limit, size)?;
    memory
        .citations()
        .citing_sessions(citation, limit)
        .map_err(input::about_citation)
}

#[napi]
impl NativeMemory {
    #[napi(
        catch_unwind,
        ts_return_type = "Promise<NativeCitationDetail | Failure>"
    )]
    pub fn citation_detail(
        &self,
        text: String,
        cancel: Option<&NativeCancel>,
    ) -> AsyncTask<Job<NativeCitationDetail>> {
        AsyncTask::new(self.later(switch(cancel), move |memory| citation_detail(memory, &text)))
    }

    #[napi(catch_unwind)]
    pub fn citation_detail_sync(&self, text: String) -> Outcome<NativeCitationDetail> {
        self.now(|memory| citation_detail(memory, &text))
    }

    #[napi(
        catch_unwind,
        ts_return_type = "Promise<Array<NativePopularCitation> | Failure>"
    )]
    pub fn popular_citations(
        &self,
        limit: f64,
        window_days: Option<f64>,
        cancel: Option<&NativeCancel>,
    ) -> AsyncTask<Job<Vec<NativePopularCitation>>> {
        AsyncTask::new(self.later(switch(cancel), move |memory| {
            popular_citations(memory, limit, window_days)
        }))
    }

    #[napi(catch_unwind)]
    pub fn popular_citations_sync(
        &self,
        limit: f64,
        window_days: Option<f64>,
    ) -> Outcome<Vec<NativePopularCitation>> {
        self.now(|memory| popular_citations(memory, limit, window_days))
    }

    #[napi(catch_unwind, ts_return_type = "Promise<Array<string> | Failure>")]
    pub fn citing_sessions(
        &self,
        citation: String,
        limit: Option<f64>,
        cancel: Option<&NativeCancel>,
    ) -> AsyncTask<Job<Vec<String>>> {
        AsyncTask::new(self.later(switch(cancel), move |memory| {
            citing_sessions(memory, &citation, limit)
        }))
    }

    #[napi(catch_unwind)]
    pub fn citing_sessions_sync(
        &self,
        citation: String,
        limit: Option<f64>,
    ) -> Outcome<Vec<String>> {
        self.now(|memory| citing_sessions(memory, &citation, limit))
    }
}
