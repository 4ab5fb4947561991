//! Recall for agents: context and smart search, which may count tokens in
//! JavaScript.

use std::sync::Arc;
use std::time::Instant;

use napi::Env;
use napi_derive::napi;
use recallite::{
    ContextItem, ContextOptions, EventRef, Memory, Result, SmartSearchOptions, SmartSearchResult,
    TokenCounter,
};

use crate::cancel::{NativeCancel, switch};
use crate::convert::give;
use crate::embedder::counter;
use crate::generated::{
    NativeContextFields, NativeDetail, NativeIndexItem, NativeLearnedHit, NativePassage,
    NativeQuery, NativeSmartSearchFields, NativeSmartSearchMeta, NativeTimelineItem,
};
use crate::input;
use crate::lane::{Ask, Lane, Served, serve};
use crate::memory::NativeMemory;
use crate::outcome::Outcome;
use crate::output::{self, ms, number};
use crate::pool::Promised;

#[napi(object, object_from_js = false, use_nullable = true)]
pub struct NativeContextItem {
    pub id: String,
    pub seq: f64,
    pub citation: String,
    pub kind: String,
    pub session: String,
    pub actor: String,
    pub origin: String,
    pub timestamp: f64,
    pub passage: NativePassage,
    pub relevance: Option<f64>,
    pub state: Option<String>,
}

#[napi(object, object_from_js = false)]
pub struct NativeContext {
    pub text: String,
    pub citations: Vec<String>,
    pub tokens: f64,
    pub confidence: String,
    pub items: Vec<NativeContextItem>,
    pub learned: Vec<NativeLearnedHit>,
    pub degraded: bool,
}

fn context_item(memory: &Memory, item: ContextItem) -> Result<NativeContextItem> {
    // Offsets count from the beginning of the content: only an item that begins
    // later, or whose event was forgotten since, needs more than its own text.
    let before = match item.start {
        0 => 0,
        start => memory
            .event(EventRef::Seq(item.seq))?
            .and_then(|event| event.content.get(..start).map(output::utf16_length))
            .unwrap_or(start),
    };
    Ok(NativeContextItem {
        id: item.id.to_string(),
        seq: number(item.seq.0)?,
        citation: item.citation.as_str().to_owned(),
        kind: item.kind.as_str().to_owned(),
        session: item.session,
        actor: item.actor,
        origin: item.origin.as_str().to_owned(),
        timestamp: ms(item.timestamp),
        passage: output::passage(item.text, item.start, item.end, before)?,
        relevance: item.relevance.map(f64::from),
        state: item.state.map(|state| state.as_str().to_owned()),
    })
}

fn context(
    memory: &Memory,
    query: NativeQuery,
    options: NativeContextFields,
    count: TokenCounter,
    asked: Instant,
) -> Result<NativeContext> {
    let mut options = options.set(ContextOptions::new(input::query(query, asked)?))?;
    options.count_tokens = count;
    let found = memory.context(options)?;
    Ok(NativeContext {
        text: found.text,
        citations: found
            .citations
            .iter()
            .map(|citation| citation.as_str().to_owned())
            .collect(),
        tokens: output::size(found.tokens)?,
        confidence: found.confidence.as_str().to_owned(),
        items: found
            .items
            .into_iter()
            .map(|item| context_item(memory, item))
            .collect::<Result<_>>()?,
        learned: give(memory, found.learned)?,
        degraded: found.degraded,
    })
}

/// The layers as Markdown, each and all.
#[napi(object, object_from_js = false)]
pub struct NativeSmartSearchMarkdown {
    pub whole: String,
    pub index: String,
    pub timeline: String,
    pub details: String,
}

#[napi(object, object_from_js = false)]
pub struct NativeSmartSearchResult {
    pub index: Vec<NativeIndexItem>,
    pub learned: Vec<NativeLearnedHit>,
    pub timeline: Vec<NativeTimelineItem>,
    pub details: Vec<NativeDetail>,
    pub meta: NativeSmartSearchMeta,
    pub hint: String,
    pub confidence: String,
    pub degraded: bool,
    pub markdown: NativeSmartSearchMarkdown,
}

fn smart_search(
    memory: &Memory,
    query: NativeQuery,
    options: NativeSmartSearchFields,
    count: TokenCounter,
    asked: Instant,
) -> Result<NativeSmartSearchResult> {
    let mut options = options.set(SmartSearchOptions::default())?;
    options.count_tokens = count;
    let found = memory.smart_search(input::query(query, asked)?, options)?;
    let markdown = NativeSmartSearchMarkdown {
        whole: found.markdown(),
        index: found.index_markdown(),
        timeline: found.timeline_markdown(),
        details: found.details_markdown(),
    };
    let SmartSearchResult {
        index,
        learned,
        timeline,
        details,
        meta,
        hint,
        confidence,
        degraded,
        ..
    } = found;
    Ok(NativeSmartSearchResult {
        index: give(memory, index)?,
        learned: give(memory, learned)?,
        timeline: give(memory, timeline)?,
        details: give(memory, details)?,
        meta: give(memory, meta)?,
        hint: hint.to_owned(),
        confidence: confidence.as_str().to_owned(),
        degraded,
        markdown,
    })
}

fn lane(count: Option<&Ask<'_>>) -> napi::Result<Option<Arc<Lane>>> {
    count.map(|count| Lane::new(count, false)).transpose()
}

impl NativeMemory {
    /// A blocking call that may ask the embedder and count tokens.
    fn now_counting<T: Send>(
        &self,
        count: Option<Ask<'_>>,
        embed: Option<Ask<'_>>,
        call: impl FnOnce(&Memory, TokenCounter) -> Result<T> + Send,
    ) -> napi::Result<Outcome<T>> {
        let lane = lane(count.as_ref())?;
        let mut served = self.served(embed);
        if let (Some(lane), Some(ask)) = (&lane, count) {
            served.push(Served {
                lane: Arc::clone(lane),
                ask,
            });
        }
        Ok(self.now(|memory| serve(&served, move || call(memory, counter(lane)))))
    }
}

#[napi]
impl NativeMemory {
    #[napi(
        catch_unwind,
        ts_return_type = "Promise<NativeContext | Failure>",
        ts_args_type = "query: NativeQuery, options: NativeContextFields, count?: ((request: NativeRequest | null) => void) | undefined | null, cancel?: NativeCancel | undefined | null"
    )]
    pub fn context<'env>(
        &self,
        env: &'env Env,
        query: NativeQuery,
        options: NativeContextFields,
        count: Option<Ask<'_>>,
        cancel: Option<&NativeCancel>,
    ) -> napi::Result<Promised<'env, NativeContext>> {
        let (asked, lane) = (Instant::now(), lane(count.as_ref())?);
        let job = self.later(switch(cancel), move |memory| {
            context(memory, query, options, counter(lane), asked)
        });
        self.start(env, job)
    }

    #[napi(
        catch_unwind,
        ts_args_type = "query: NativeQuery, options: NativeContextFields, count?: ((request: NativeRequest | null) => void) | undefined | null, embed?: ((request: NativeRequest | null) => void) | undefined | null"
    )]
    pub fn context_sync(
        &self,
        query: NativeQuery,
        options: NativeContextFields,
        count: Option<Ask<'_>>,
        embed: Option<Ask<'_>>,
    ) -> napi::Result<Outcome<NativeContext>> {
        self.now_counting(count, embed, |memory, count| {
            context(memory, query, options, count, Instant::now())
        })
    }

    #[napi(
        catch_unwind,
        ts_return_type = "Promise<NativeSmartSearchResult | Failure>",
        ts_args_type = "query: NativeQuery, options: NativeSmartSearchFields, count?: ((request: NativeRequest | null) => void) | undefined | null, cancel?: NativeCancel | undefined | null"
    )]
    pub fn smart_search<'env>(
        &self,
        env: &'env Env,
        query: NativeQuery,
        options: NativeSmartSearchFields,
        count: Option<Ask<'_>>,
        cancel: Option<&NativeCancel>,
    ) -> napi::Result<Promised<'env, NativeSmartSearchResult>> {
        let (asked, lane) = (Instant::now(), lane(count.as_ref())?);
        let job = self.later(switch(cancel), move |memory| {
            smart_search(memory, query, options, counter(lane), asked)
        });
        self.start(env, job)
    }

    #[napi(
        catch_unwind,
        ts_args_type = "query: NativeQuery, options: NativeSmartSearchFields, count?: ((request: NativeRequest | null) => void) | undefined | null, embed?: ((request: NativeRequest | null) => void) | undefined | null"
    )]
    pub fn smart_search_sync(
        &self,
        query: NativeQuery,
        options: NativeSmartSearchFields,
        count: Option<Ask<'_>>,
        embed: Option<Ask<'_>>,
    ) -> napi::Result<Outcome<NativeSmartSearchResult>> {
        self.now_counting(count, embed, |memory, count| {
            smart_search(memory, query, options, count, Instant::now())
        })
    }
}
