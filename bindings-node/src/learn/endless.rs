//! The endless mode: its settings, the working set, consolidated memories and
//! continuity.

use napi_derive::napi;
use recallite::{Memory, Result};

use super::word;
use crate::convert::{give, take};
use crate::generated::{
    NativeConsolidatedMemory, NativeContinuity, NativeContinuityEntry, NativeEndlessConfig,
    NativeEndlessConfigInput, NativeEndlessContext, NativeEndlessStatus, NativeWorkingItem,
};
use crate::memory::NativeMemory;
use crate::methods::methods;

fn mode(memory: &Memory) -> Result<String> {
    give(memory, memory.endless().mode()?)
}

fn session_now(memory: &Memory, session: String) -> Result<String> {
    memory.endless().session_now(&session)
}

fn set_mode(memory: &Memory, mode: String) -> Result<()> {
    memory.endless().set_mode(word("mode", &mode)?)
}

fn endless_config(memory: &Memory) -> Result<NativeEndlessConfig> {
    give(memory, memory.endless().config()?)
}

fn set_endless_config(memory: &Memory, config: NativeEndlessConfigInput) -> Result<()> {
    memory.endless().set_config(&take("", config)?)
}

fn working_set(memory: &Memory) -> Result<Vec<NativeWorkingItem>> {
    give(memory, memory.endless().working_set()?)
}

fn consolidated_memories(
    memory: &Memory,
    text: Option<String>,
) -> Result<Vec<NativeConsolidatedMemory>> {
    give(memory, memory.endless().memories(text.as_deref())?)
}

fn continuity_log(memory: &Memory) -> Result<Vec<NativeContinuityEntry>> {
    give(memory, memory.endless().continuity_log()?)
}

fn score_continuity(memory: &Memory, context_id: String, text: String) -> Result<NativeContinuity> {
    let continuity = memory.endless().score_continuity(&context_id, &text)?;
    give(memory, continuity)
}

fn endless_status(memory: &Memory) -> Result<NativeEndlessStatus> {
    give(memory, memory.endless().status()?)
}

fn endless_context(memory: &Memory) -> Result<NativeEndlessContext> {
    give(memory, memory.endless().context()?)
}

methods! {
    mode / mode_sync()
        -> [String] as "Promise<string | Failure>" = mode;
    session_now / session_now_sync(session: [String])
        -> [String] as "Promise<string | Failure>" = session_now;
    set_mode / set_mode_sync(mode: [String])
        -> [()] as "Promise<undefined | Failure>" = set_mode;
    endless_config / endless_config_sync()
        -> [NativeEndlessConfig] as "Promise<NativeEndlessConfig | Failure>" = endless_config;
    set_endless_config / set_endless_config_sync(config: [NativeEndlessConfigInput])
        -> [()] as "Promise<undefined | Failure>" = set_endless_config;
    working_set / working_set_sync()
        -> [Vec<NativeWorkingItem>] as "Promise<Array<NativeWorkingItem> | Failure>"
        = working_set;
    consolidated_memories / consolidated_memories_sync(text: [Option<String>])
        -> [Vec<NativeConsolidatedMemory>]
        as "Promise<Array<NativeConsolidatedMemory> | Failure>" = consolidated_memories;
    continuity_log / continuity_log_sync()
        -> [Vec<NativeContinuityEntry>] as "Promise<Array<NativeContinuityEntry> | Failure>"
        = continuity_log;
    score_continuity / score_continuity_sync(context_id: [String], text: [String])
        -> [NativeContinuity] as "Promise<NativeContinuity | Failure>" = score_continuity;
    endless_status / endless_status_sync()
        -> [NativeEndlessStatus] as "Promise<NativeEndlessStatus | Failure>" = endless_status;
    endless_context / endless_context_sync()
        -> [NativeEndlessContext] as "Promise<NativeEndlessContext | Failure>"
        = endless_context;
}
