//! Pausing the recording of sessions and projects.

use napi_derive::napi;
use recallite::{Memory, Result};

use crate::convert::give;
use crate::generated::NativePause;
use crate::memory::NativeMemory;
use crate::methods::methods;

fn pause(memory: &Memory, scope: String, name: String) -> Result<bool> {
    memory.pauses().pause(scope.parse()?, &name)
}

fn resume(memory: &Memory, scope: String, name: String) -> Result<bool> {
    memory.pauses().resume(scope.parse()?, &name)
}

fn pauses(memory: &Memory) -> Result<Vec<NativePause>> {
    give(memory, memory.pauses().list()?)
}

methods! {
    pause / pause_sync(scope: [String], name: [String])
        -> [bool] as "Promise<boolean | Failure>" = pause;
    resume / resume_sync(scope: [String], name: [String])
        -> [bool] as "Promise<boolean | Failure>" = resume;
    pauses / pauses_sync()
        -> [Vec<NativePause>] as "Promise<Array<NativePause> | Failure>" = pauses;
}
