//! Exports to files, with cancellation.

use std::path::Path;

use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;
use recallite::{ExportFile, ExportFilter, Memory, Result};

use crate::cancel::{Cancel, NativeCancel, switch};
use crate::convert::{give_plain, take};
use crate::generated::{NativeExported, NativeSelector};
use crate::memory::NativeMemory;
use crate::outcome::{Job, Outcome};

fn export_jsonl(
    memory: &Memory,
    path: &str,
    selector: Option<NativeSelector>,
    replace: bool,
    cancel: Option<Cancel>,
) -> Result<NativeExported> {
    let filter = match selector {
        None => ExportFilter::Whole,
        Some(selector) => ExportFilter::Selected(take("", selector)?),
    };
    let go_on = || !cancel.as_ref().is_some_and(Cancel::is_cancelled);
    let mut file = ExportFile::new(Path::new(path)).while_true(&go_on);
    if replace {
        file = file.replacing();
    }
    let exported = memory.export_jsonl_to(&file, &filter)?;
    give_plain(exported)
}

#[napi]
impl NativeMemory {
    #[napi(catch_unwind, ts_return_type = "Promise<NativeExported | Failure>")]
    pub fn export_jsonl(
        &self,
        path: String,
        selector: Option<NativeSelector>,
        replace: bool,
        cancel: Option<&NativeCancel>,
    ) -> AsyncTask<Job<NativeExported>> {
        let cancel = switch(cancel);
        let while_running = cancel.clone();
        AsyncTask::new(self.later(cancel, move |memory| {
            export_jsonl(memory, &path, selector, replace, while_running)
        }))
    }

    #[napi(catch_unwind)]
    pub fn export_jsonl_sync(
        &self,
        path: String,
        selector: Option<NativeSelector>,
        replace: bool,
    ) -> Outcome<NativeExported> {
        self.now(|memory| export_jsonl(memory, &path, selector, replace, None))
    }
}
