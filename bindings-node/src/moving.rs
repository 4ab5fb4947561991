//! Exports to files, with cancellation.

use std::fs::OpenOptions;
use std::io::{BufWriter, Write};

use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;
use recallite::{Error, ErrorCode, ExportFilter, Memory, Result};

use crate::cancel::{Cancel, NativeCancel, switch};
use crate::convert::{give_plain, take};
use crate::generated::{NativeExported, NativeSelector};
use crate::memory::NativeMemory;
use crate::outcome::{Job, Outcome};

/// An I/O error that names the file.
fn file_error(path: &str, cause: std::io::Error) -> Error {
    use std::io::ErrorKind;
    let code = match cause.kind() {
        ErrorKind::NotFound => ErrorCode::NotFound,
        ErrorKind::AlreadyExists => ErrorCode::AlreadyExists,
        ErrorKind::PermissionDenied => ErrorCode::PermissionDenied,
        _ => ErrorCode::Io,
    };
    Error::new(code, format!("{path}: {cause}"))
        .with_argument("path")
        .with_source(cause)
}

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
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    // An export is as private as the store.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options
        .open(path)
        .map_err(|cause| file_error(path, cause))?;
    let writer = Cancellable {
        writer: BufWriter::with_capacity(1 << 16, &file),
        cancel,
    };
    let exported =
        memory
            .export_jsonl(writer, &filter)
            .and_then(|exported| match file.sync_all() {
                Ok(()) => Ok(exported),
                Err(cause) => Err(file_error(path, cause)),
            });
    let exported = exported.inspect_err(|_| {
        // Half an export is useless; if it cannot be removed, its missing end shows that it
        // is truncated.
        let _ = std::fs::remove_file(path);
    })?;
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
