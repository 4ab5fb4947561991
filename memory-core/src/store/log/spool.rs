//! Buffers lines that have to be read twice in an unnamed file.
//!
//! The lines have not passed the privacy filter, and no such text may be left on disk, so
//! the file is encrypted with a key that only this process knows.

use std::fs::File;
use std::io::{BufReader, BufWriter, ErrorKind, Read, Seek as _, Write};
use std::path::PathBuf;

use crate::model::error::{Error, ErrorCode, Result, about_file};
use crate::store::Store;
use crate::store::database::backend::open_file;
use crate::store::generations::leftovers;

/// The writing end of a spool.
pub(crate) struct Spool {
    file: BufWriter<Ciphered>,
    key: [u8; 32],
    /// The name that it had, which tells the disk that may be full.
    path: PathBuf,
}

/// The reading end of a spool, in order.
pub(crate) struct SpooledLines {
    file: BufReader<Ciphered>,
    path: PathBuf,
}

/// A file under a stream cipher: its bytes are XORed with keyed BLAKE3 output. The key is
/// used for this file only.
struct Ciphered {
    file: File,
    key_stream: blake3::OutputReader,
    scratch: Vec<u8>,
}

impl Store {
    /// An empty spool. Nothing of it is left behind, whatever happens.
    pub(crate) fn spool(&self) -> Result<Spool> {
        let path = self.folder.temporary(leftovers::SCRATCH, 0);
        let file = open_file(&path, true)?;
        match std::fs::remove_file(&path) {
            // A concurrent cleanup may have been faster.
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(about_file(&path)(error));
            }
            _ => {}
        }
        let mut key = [0; 32];
        key[..16].copy_from_slice(uuid::Uuid::new_v4().as_bytes());
        key[16..].copy_from_slice(uuid::Uuid::new_v4().as_bytes());
        Ok(Spool {
            file: BufWriter::new(Ciphered::new(file, &key)),
            key,
            path,
        })
    }
}

impl Spool {
    pub(crate) fn put(&mut self, number: u64, line: &str) -> Result<()> {
        let length = (line.len() as u64).to_le_bytes();
        [&number.to_le_bytes(), &length, line.as_bytes()]
            .into_iter()
            .try_for_each(|part| self.file.write_all(part))
            .map_err(about_file(&self.path))
    }

    pub(crate) fn into_lines(self) -> Result<SpooledLines> {
        let ciphered = self
            .file
            .into_inner()
            .map_err(|error| about_file(&self.path)(error.into_error()))?;
        let mut file = ciphered.file;
        file.rewind().map_err(about_file(&self.path))?;
        Ok(SpooledLines {
            file: BufReader::new(Ciphered::new(file, &self.key)),
            path: self.path,
        })
    }
}

impl SpooledLines {
    /// The next line and its number.
    pub(crate) fn next(&mut self) -> Result<Option<(u64, String)>> {
        let mut head = [0; 16];
        match self.file.read_exact(&mut head) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(None),
            read => read.map_err(about_file(&self.path))?,
        }
        let (number, length) = head.split_at(8);
        let field = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("it has 8 bytes"));
        let mut line = Vec::new();
        let length = field(length);
        let read = self.file.by_ref().take(length).read_to_end(&mut line);
        read.map_err(about_file(&self.path))?;
        let is_whole = line.len() as u64 == length;
        match String::from_utf8(line) {
            Ok(line) if is_whole => Ok(Some((field(number), line))),
            _ => Err(Error::new(
                ErrorCode::Io,
                "the temporary file of the import changed on the disk; import again",
            )),
        }
    }
}

impl Ciphered {
    fn new(file: File, key: &[u8; 32]) -> Ciphered {
        Ciphered {
            file,
            key_stream: blake3::Hasher::new_keyed(key).finalize_xof(),
            scratch: Vec::new(),
        }
    }
}

fn combine(key_stream: &mut blake3::OutputReader, bytes: &mut [u8]) {
    let mut key = [0; 4_096];
    for part in bytes.chunks_mut(key.len()) {
        let key = &mut key[..part.len()];
        key_stream.fill(key);
        for (byte, key) in part.iter_mut().zip(key) {
            *byte ^= *key;
        }
    }
}

impl Write for Ciphered {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.scratch.clear();
        self.scratch.extend_from_slice(bytes);
        combine(&mut self.key_stream, &mut self.scratch);
        self.file.write_all(&self.scratch)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

impl Read for Ciphered {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        let length = self.file.read(bytes)?;
        combine(&mut self.key_stream, &mut bytes[..length]);
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use crate::store::log::spool::*;

    #[test]
    fn lines_come_back_and_are_not_readable_in_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("spool");
        let key = [7; 32];
        let file = || open_file(&path, true).unwrap();
        let mut spool = Spool {
            file: BufWriter::new(Ciphered::new(file(), &key)),
            key,
            path: path.clone(),
        };
        let long = "a secret ".repeat(10_000);
        let lines = ["", "one", &long, "세션"];
        for (number, line) in lines.iter().enumerate() {
            spool.put(number as u64, line).unwrap();
        }
        let mut spooled = spool.into_lines().unwrap();
        let raw = std::fs::read(&path).unwrap();
        assert!(raw.len() > long.len());
        assert!(!raw.windows(6).any(|part| part == b"secret"));
        for (number, line) in lines.iter().enumerate() {
            let next = spooled.next().unwrap();
            assert_eq!(next, Some((number as u64, (*line).to_owned())));
        }
        assert_eq!(spooled.next().unwrap(), None);

        // Truncated by someone else.
        let cut = raw.len() as u64 - 1;
        file().set_len(cut).unwrap();
        let mut spooled = SpooledLines {
            file: BufReader::new(Ciphered::new(file(), &key)),
            path,
        };
        for _ in 1..lines.len() {
            spooled.next().unwrap();
        }
        assert_eq!(spooled.next().unwrap_err().code(), ErrorCode::Io);
    }
}
