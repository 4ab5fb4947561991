//! Graduation: which memories rise or sink, and insights from repeated use.

use napi_derive::napi;
use recallite::{Memory, Result};

use crate::convert::give;
use crate::memory::NativeMemory;
use crate::methods::methods;

fn level_counts(memory: &Memory) -> Result<Vec<f64>> {
    give(memory, memory.levels().counts()?.events)
}

methods! {
    level_counts / level_counts_sync()
        -> [Vec<f64>] as "Promise<Array<number> | Failure>" = level_counts;
}
