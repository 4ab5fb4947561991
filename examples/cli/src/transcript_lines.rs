//! Reads JSON and JSON Lines of other programs, with a size limit.

use std::io::{BufRead, Read as _};

use recallite::transcript::repair_json;
use serde_json::Value;

/// The longest line and the largest document, in bytes.
pub(crate) const MAX_BYTES: u64 = 64 << 20;

/// Parses JSON of another program, which may contain half characters and values of any depth.
pub(crate) fn read_json(bytes: &[u8]) -> serde_json::Result<Value> {
    serde_json::from_slice(bytes).or_else(|_| serde_json::from_str(&repair_json(bytes)))
}

/// The lines of a file that could not be read.
#[derive(Debug, Default)]
pub(crate) struct Unread {
    pub(crate) count: u64,
    /// The numbers of the first ones, and what is wrong with each.
    pub(crate) first: Vec<(u64, &'static str)>,
}

impl Unread {
    /// Lines whose places are unknown.
    pub(crate) fn counted(count: u64) -> Self {
        Unread {
            count,
            first: Vec::new(),
        }
    }

    fn add(&mut self, line: u64, problem: &'static str) {
        /// How many lines are named.
        const MAX_NAMED: usize = 5;
        self.count += 1;
        if self.first.len() < MAX_NAMED {
            self.first.push((line, problem));
        }
    }
}

/// The JSON values of a file, one per line. Lines that are broken, too long or incomplete are
/// skipped, and remembered.
pub(crate) struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
    /// The number of the line that was read last, from 1.
    number: u64,
    pub(crate) unread: Unread,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(input: R) -> Self {
        Lines {
            input,
            buffer: Vec::new(),
            number: 0,
            unread: Unread::default(),
        }
    }

    /// The last line is JSON, but cannot be used.
    pub(crate) fn refuse(&mut self, problem: &'static str) {
        self.unread.add(self.number, problem);
    }

    /// The next line that is JSON; `None` at the end.
    pub(crate) fn next_value(&mut self) -> std::io::Result<Option<Value>> {
        loop {
            self.buffer.clear();
            let mut line = self.input.by_ref().take(MAX_BYTES);
            if line.read_until(b'\n', &mut self.buffer)? == 0 {
                return Ok(None);
            }
            self.number += 1;
            if self.buffer.len() as u64 == MAX_BYTES && self.buffer.last() != Some(&b'\n') {
                self.refuse("too long");
                self.buffer = Vec::new();
                self.input.skip_until(b'\n')?;
                continue;
            }
            if self.buffer.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            match read_json(&self.buffer) {
                Ok(value) => return Ok(Some(value)),
                Err(_) => self.refuse("not JSON"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_lines_are_named_and_passed_over() {
        let text = b"{\"a\":1}\n\n{\"a\":\n\xff\xfe\n{\"a\":2}\n{\"a\":3";
        let mut lines = Lines::new(&text[..]);
        let mut found = Vec::new();
        while let Some(value) = lines.next_value().unwrap() {
            found.push(value["a"].clone());
        }
        assert_eq!(found, [1, 2]);
        let unread = lines.unread;
        let problem = "not JSON";
        assert_eq!(unread.first, [(3, problem), (4, problem), (6, problem)]);
        assert_eq!(unread.count, 3);
    }
}
