//! Exports to files, with cancellation.

use std::io::Write;
use std::path::Path;

use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;
use recallite::{ExportFilter, Memory, Result};

use crate::cancel::{Cancel, NativeCancel, switch};
use crate::convert::{give_plain, take};
use crate::generated::{NativeExported, NativeSelector};
use crate::memory::NativeMemory;
use crate::outcome::{Job, Outcome};

/// A writer that fails once the call is cancelled.
struct Cancellable<W> {
    writer: W,
    cancel: Option<Cancel>,
}

impl<W: Write> Write for Cancellable<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.cancel.as_ref().is_some_and(Cancel::is_cancelled) {
            return Err(std::io::Error::other("the export was aborted"));
        }
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.writer.flush()
    }
}

fn export_jsonl(
    memory: &Memory,
    path: &str,
    selector: Option<NativeSelector>,
    cancel: Option<Cancel>,
) -> Result<NativeExported> {
    let filter = match selector {
        None => ExportFilter::Whole,
        Some(selector) => ExportFilter::Selected(take("", selector)?),
    };
    let mut file = memory.create_export(Path::new(path))?;
    let writer = Cancellable {
        writer: &mut file,
        cancel,
    };
    let exported = memory.export_jsonl(writer, &filter)?;
    file.finish()?;
    give_plain(exported)
}

#[napi]
impl NativeMemory {
    #[napi(catch_unwind, ts_return_type = "Promise<NativeExported | Failure>")]
    pub fn export_jsonl(
        &self,
        path: String,
        selector: Option<NativeSelector>,
        cancel: Option<&NativeCancel>,
    ) -> AsyncTask<Job<NativeExported>> {
        let cancel = switch(cancel);
        let while_running = cancel.clone();
        AsyncTask::new(self.later(cancel, move |memory| {
            export_jsonl(memory, &path, selector, while_running)
        }))
    }

    #[napi(catch_unwind)]
    pub fn export_jsonl_sync(
        &self,
        path: String,
        selector: Option<NativeSelector>,
    ) -> Outcome<NativeExported> {
        self.now(|memory| export_jsonl(memory, &path, selector, None))
    }
}
