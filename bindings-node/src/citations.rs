//! Citations: an event with its neighbours and its use, the most used ones, and
//! the sessions that were given one.

use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;
use recallite::{CitationDetail, CitationNeighbour, Memory, PopularCitation, Result};

use crate::cancel::{NativeCancel, switch};
use crate::input::{self, optional, size, small};
use crate::memory::NativeMemory;
use crate::outcome::{Job, Outcome};
use crate::output::{self, NativeEvent, ms, number};

#[napi(object, object_from_js = false)]
pub struct NativeCitationNeighbour {
    pub id: String,
    pub citation: String,
    pub kind: String,
    pub timestamp: f64,
    pub preview: String,
}

fn neighbour(event: CitationNeighbour) -> NativeCitationNeighbour {
    NativeCitationNeighbour {
        id: event.id.to_string(),
        citation: event.citation.as_str().to_owned(),
        kind: event.kind.as_str().to_owned(),
        timestamp: ms(event.timestamp),
        preview: event.preview,
    }
}

#[napi(object, object_from_js = false, use_nullable = true)]
pub struct NativeCitationDetail {
    pub event: NativeEvent,
    pub previous: Option<NativeCitationNeighbour>,
    pub next: Option<NativeCitationNeighbour>,
    pub usage_count: f64,
    pub last_used: Option<f64>,
}

fn citation_detail(memory: &Memory, text: &str) -> Result<NativeCitationDetail> {
    let CitationDetail {
        event,
        previous,
        next,
        usage_count,
        last_used,
        ..
    } = memory
        .citations()
        .detail(text)
        .map_err(input::about_citation)?;
    Ok(NativeCitationDetail {
        event: output::event(event)?,
        previous: previous.map(neighbour),
        next: next.map(neighbour),
        usage_count: number(usage_count)?,
        last_used: last_used.map(ms),
    })
}

#[napi(object, object_from_js = false)]
pub struct NativePopularCitation {
    pub id: String,
    pub seq: f64,
    pub citation: String,
    pub kind: String,
    pub session: String,
    pub preview: String,
    pub usage_count: f64,
    pub last_used: f64,
}

fn popular(citation: PopularCitation) -> Result<NativePopularCitation> {
    Ok(NativePopularCitation {
        id: citation.id.to_string(),
        seq: number(citation.seq.0)?,
        citation: citation.citation.as_str().to_owned(),
        kind: citation.kind.as_str().to_owned(),
        session: citation.session,
        preview: citation.preview,
        usage_count: number(citation.usage_count)?,
        last_used: ms(citation.last_used),
    })
}

fn popular_citations(
    memory: &Memory,
    limit: f64,
    window_days: Option<f64>,
) -> Result<Vec<NativePopularCitation>> {
    let window_days = optional("window_days", window_days, small)?;
    memory
        .citations()
        .popular(size("limit", limit)?, window_days)?
        .into_iter()
        .map(popular)
        .collect()
}

fn citing_sessions(memory: &Memory, citation: &str) -> Result<Vec<String>> {
    memory
        .citations()
        .citing_sessions(citation)
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
        cancel: Option<&NativeCancel>,
    ) -> AsyncTask<Job<Vec<String>>> {
        AsyncTask::new(self.later(switch(cancel), move |memory| {
            citing_sessions(memory, &citation)
        }))
    }

    #[napi(catch_unwind)]
    pub fn citing_sessions_sync(&self, citation: String) -> Outcome<Vec<String>> {
        self.now(|memory| citing_sessions(memory, &citation))
    }
}
