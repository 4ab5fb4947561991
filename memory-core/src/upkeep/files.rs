//! Exports and imports by path.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use crate::engine::Engine;
use crate::model::error::{Error, Result};
use crate::model::shorten::is_text;
use crate::store::running::Running;
use crate::upkeep::export;
use crate::upkeep::export_file::on;
use crate::upkeep::import::{self, Imported};

/// Buffer size for reading, in bytes.
const BUFFER_BYTES: usize = 64 << 10;

/// A file, whose errors name it: the disk of the store fails in the same words.
struct Named<'p> {
    file: File,
    path: &'p Path,
}

impl Read for Named<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        self.file.read(out).map_err(|error| {
            std::io::Error::new(error.kind(), format!("{}: {error}", self.path.display()))
        })
    }
}

/// [`Memory::restore_jsonl`](crate::Memory::restore_jsonl).
pub(crate) fn restore(engine: &Engine, path: &Path, running: &Running) -> Result<u64> {
    export::restore_jsonl(engine, reader(path)?, running).map_err(about_path)
}

/// [`Memory::import_jsonl`](crate::Memory::import_jsonl).
pub(crate) fn import(engine: &Engine, path: &Path, running: &Running) -> Result<Imported> {
    import::import_jsonl(engine, reader(path)?, running).map_err(about_path)
}

fn reader(path: &Path) -> Result<BufReader<Named<'_>>> {
    // A folder can be opened like a file, and fails only at the first byte.
    if path.is_dir() {
        let problem = format_args!("{} is a folder, not a file", path.display());
        return Err(Error::invalid("path", problem));
    }
    let file = File::open(path).map_err(|cause| match is_text(path) {
        true => Error::invalid("path", "is the text of a file, not its path"),
        false => on(path, cause),
    })?;
    Ok(BufReader::with_capacity(BUFFER_BYTES, Named { file, path }))
}

/// Attributes an error about the reader to the path.
fn about_path(error: Error) -> Error {
    match error.argument() {
        Some("reader") => error.about("path"),
        _ => error,
    }
}

#[cfg(all(test, target_os = "linux"))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_read_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let memory = crate::Memory::open(folder.path()).unwrap();
        // It opens, and nothing is at its beginning.
        let path = Path::new("/proc/self/mem");
        for error in [
            memory.restore_jsonl(path).unwrap_err(),
            memory.import_jsonl(path).unwrap_err(),
        ] {
            assert!(error.message().contains("/proc/self/mem: "), "{error}");
        }
    }
}
