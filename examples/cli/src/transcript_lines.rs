//! Reads JSON and JSON Lines of other programs, with a size limit.

use std::io::{BufRead, Read as _};

use recallite::transcript::repair_json;
use serde_json::Value;

/// The longest line and the largest document, in bytes.
pub(crate) const MOST_BYTES: u64 = 64 << 20;

/// Parses JSON of another program, which may contain half characters and values of any depth.
pub(crate) fn read_json(bytes: &[u8]) -> serde_json::Result<Value> {
    serde_json::from_slice(bytes).or_else(|_| serde_json::from_str(&repair_json(bytes)))
}

/// The JSON values of a file, one per line. Lines that are broken, too long or incomplete are
/// counted and skipped.
pub(crate) struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
    /// Lines that could not be read.
    pub(crate) broken: u64,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(input: R) -> Self {
        Lines {
            input,
            buffer: Vec::new(),
            broken: 0,
        }
    }

    /// The next line that is JSON; `None` at the end.
    pub(crate) fn next_value(&mut self) -> std::io::Result<Option<Value>> {
        loop {
            self.buffer.clear();
            let mut line = self.input.by_ref().take(MOST_BYTES);
            if line.read_until(b'\n', &mut self.buffer)? == 0 {
                return Ok(None);
            }
            if self.buffer.len() as u64 == MOST_BYTES && self.buffer.last() != Some(&b'\n') {
                self.broken += 1;
                self.buffer = Vec::new();
                self.input.skip_until(b'\n')?;
                continue;
            }
            if self.buffer.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            match read_json(&self.buffer) {
                Ok(value) => return Ok(Some(value)),
                Err(_) => self.broken += 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_lines_are_counted_and_passed_over() {
        let text = b"{\"a\":1}\n\n{\"a\":\n\xff\xfe\n{\"a\":2}\n{\"a\":3";
        let mut lines = Lines::new(&text[..]);
        let mut found = Vec::new();
        while let Some(value) = lines.next_value().unwrap() {
            found.push(value["a"].clone());
        }
        assert_eq!(found, [1, 2]);
        assert_eq!(lines.broken, 3);
    }
}
