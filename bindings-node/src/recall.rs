//! Recall for agents: context and smart search, which may count tokens in JavaScript.

use std::sync::Arc;
use std::time::Instant;

use napi::Env;
use napi_derive::napi;
use recallite::{ContextOptions, Memory, Result, SmartSearchOptions, TokenCounter};

use crate::cancel::{NativeCancel, switch};
use crate::convert::{IntoNative as _, To, give};
use crate::embedder::counter;
use crate::generated::{
    NativeContext, NativeContextFields, NativeQuery, NativeSmartSearchFields,
    NativeSmartSearchResult,
};
use crate::input;
use crate::lane::{Ask, Lane, Served, serve};
use crate::memory::NativeMemory;
use crate::outcome::Outcome;
use crate::pool::Promised;

fn context(
    memory: &Memory,
    query: NativeQuery,
    options: NativeContextFields,
    count: TokenCounter,
    asked: Instant,
) -> Result<NativeContext> {
    let mut options = options.set(ContextOptions::new(input::query(query, asked)?))?;
    options.count_tokens = count;
    let (to, found) = (To::of(memory), memory.context(options)?);
    for item in &found.items {
        to.count(&item.id, item.start, &item.text)?;
    }
    found.into_native(&to)
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
    give(
        memory,
        memory.smart_search(input::query(query, asked)?, options)?,
    )
}

fn lane(count: Option<&Ask<'_>>) -> napi::Result<Option<Arc<Lane>>> {
    count.map(|count| Lane::new(count, false)).transpose()
}

impl NativeMemory {
    /// A blocking call that may ask the embedder and count tokens.
    fn now_counting<'a, T: Send>(
        &self,
        mut served: Vec<Served<'a>>,
        count: Option<Ask<'a>>,
        call: impl FnOnce(&Memory, TokenCounter) -> Result<T> + Send,
    ) -> napi::Result<Outcome<T>> {
        let lane = lane(count.as_ref())?;
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
        let served = self.served_for(&query, embed);
        self.now_counting(served, count, |memory, count| {
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
        let served = self.served_for(&query, embed);
        self.now_counting(served, count, |memory, count| {
            smart_search(memory, query, options, count, Instant::now())
        })
    }
}
