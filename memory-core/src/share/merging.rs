//! Merges the small files of a store in a shared folder: who pushes every few seconds writes one for
//! each round.
//!
//! The merged file is in place before the others are removed, the first of them first. A push that was
//! killed in between leaves some positions in two files. The next push keeps those files that follow
//! on each other from the beginning, and removes the others; readers take each record once.

use std::path::Path;

use crate::engine::Engine;
use crate::model::error::Result;
use crate::share::batch_files::{BatchFile, at, files_in, put, wipe};
use crate::share::send::{self, Wanted};

/// How many small files at the end are merged.
const MAX_SMALL: usize = 32;
/// The size from which a file is not small, so that a record is written again a few times only.
const SMALL_BYTES: u64 = 256 << 10;
/// A merged file is made of at most this many bytes.
const MERGED_BYTES: u64 = 2 << 20;

/// A file, and its size.
type Sized = (BatchFile, u64);

/// Merges the small files at the end of a store's folder, if there are many.
pub(super) fn merge_small(engine: &Engine, store_folder: &Path) -> Result<()> {
    let small = small_at_end(files_in(store_folder)?)?;
    if small.len() < MAX_SMALL {
        return Ok(());
    }
    for part in parts(small) {
        merge(engine, store_folder, &part)?;
    }
    Ok(())
}

fn small_at_end(mut files: Vec<BatchFile>) -> Result<Vec<Sized>> {
    let mut small = Vec::new();
    while let Some(file) = files.pop() {
        let bytes = std::fs::metadata(&file.path).map_err(at(&file.path))?.len();
        if bytes >= SMALL_BYTES {
            break;
        }
        small.push((file, bytes));
    }
    small.reverse();
    Ok(small)
}

/// Files that follow on each other, as many as one file takes.
fn parts(files: Vec<Sized>) -> Vec<Vec<BatchFile>> {
    let mut parts: Vec<Vec<BatchFile>> = Vec::new();
    let (mut sum, mut through) = (0, 0);
    for (file, bytes) in files {
        let goes_on = file.from == through && sum + bytes <= MERGED_BYTES;
        through = file.through;
        match parts.last_mut() {
            Some(part) if goes_on => {
                sum += bytes;
                part.push(file);
            }
            _ => {
                sum = bytes;
                parts.push(vec![file]);
            }
        }
    }
    parts
}

fn merge(engine: &Engine, store_folder: &Path, part: &[BatchFile]) -> Result<()> {
    let [first, .., last] = part else {
        return Ok(());
    };
    let batch = send::batch(
        engine,
        &Wanted {
            from: first.from,
            through: Some(last.through),
            ..Wanted::default()
        },
    )?;
    // What is shared there by now does not fit into one file.
    if batch.has_more || batch.through != last.through {
        return Ok(());
    }
    let merged = BatchFile::new(store_folder, first.from, last.through, &batch.lines);
    put(&merged.path, batch.lines.as_bytes())?;
    for file in part {
        wipe(&file.path)?;
    }
    Ok(())
}
