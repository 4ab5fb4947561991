//! Recall for agents: context and smart search, which may count tokens in JavaScript.

use std::sync::Arc;
use std::time::Instant;

use napi::Env;
use napi_derive::napi;
use recallite::{ContextOptions, Memory, Result, SmartSearchOptions, TokenCounter};

use crate::calls;
use crate::cancel::{NativeCancel, switch};
use crate::convert::give_placed;
use crate::embedder::counter;
use crate::generated::{
    NativeContext, NativeContextFields, NativeQuery, NativeSmartSearchFields,
    NativeSmartSearchResult,
};
use crate::js_calls::{Ask, JsCalls, Served, serve};
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
    let mut options = options.set(ContextOptions::new(calls::query(query, asked)?))?;
    options.count_tokens = count;
    give_placed(memory, memory.context(options)?)
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
    let found = memory.smart_search(calls::query(query, asked)?, options)?;
    give_placed(memory, found)
}

fn js_calls(count: Option<&Ask<'_>>) -> napi::Result<Option<Arc<JsCalls>>> {
    count.map(|count| JsCalls::new(count, false)).transpose()
}

impl NativeMemory {
    /// A blocking call that may ask the embedder and count tokens.
    fn now_counting<'a, T: Send>(
        &self,
        mut served: Vec<Served<'a>>,
        count: Option<Ask<'a>>,
        call: impl FnOnce(&Memory, TokenCounter) -> Result<T> + Send,
    ) -> napi::Result<Outcome<T>> {
        let js_calls = js_calls(count.as_ref())?;
        if let (Some(js_calls), Some(ask)) = (&js_calls, count) {
            served.push(Served {
                js_calls: Arc::clone(js_calls),
                ask,
            });
        }
        Ok(self.now(|memory| serve(&served, move || call(memory, counter(js_calls)))))
    }
}

/// Both forms of a method that may count tokens in JavaScript, as `methods!` makes those of
/// others.
macro_rules! counting_methods {
    ($($call:ident / $sync:ident ($options:ident) -> $result:ident as $typescript:tt;)+) => {
        #[napi]
        impl NativeMemory {
            $(
                #[napi(catch_unwind, ts_return_type = $typescript)]
                pub fn $call<'env>(
                    &self,
                    env: &'env Env,
                    query: NativeQuery,
                    options: $options,
                    #[napi(ts_arg_type = "((request: NativeRequest | null) => void) | undefined | null")]
                    count: Option<Ask<'_>>,
                    cancel: Option<&NativeCancel>,
                ) -> napi::Result<Promised<'env, $result>> {
                    let (asked, js_calls) = (Instant::now(), js_calls(count.as_ref())?);
                    let job = self.later(switch(cancel), move |memory| {
                        $call(memory, query, options, counter(js_calls), asked)
                    });
                    self.start(env, job)
                }

                #[napi(catch_unwind)]
                pub fn $sync(
                    &self,
                    query: NativeQuery,
                    options: $options,
                    #[napi(ts_arg_type = "((request: NativeRequest | null) => void) | undefined | null")]
                    count: Option<Ask<'_>>,
                    #[napi(ts_arg_type = "((request: NativeRequest | null) => void) | undefined | null")]
                    embed: Option<Ask<'_>>,
                ) -> napi::Result<Outcome<$result>> {
                    let served = self.served_for(&query, embed);
                    self.now_counting(served, count, |memory, count| {
                        $call(memory, query, options, count, Instant::now())
                    })
                }
            )+
        }
    };
}

counting_methods! {
    context / context_sync(NativeContextFields) -> NativeContext
        as "Promise<NativeContext | Failure>";
    smart_search / smart_search_sync(NativeSmartSearchFields) -> NativeSmartSearchResult
        as "Promise<NativeSmartSearchResult | Failure>";
}
