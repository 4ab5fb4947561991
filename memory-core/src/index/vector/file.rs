//! The vector file: an immutable, checksummed segment of vectors, derived from the log.
//!
//! All numbers are little-endian. A header of 512 bytes is followed by these sections, each
//! beginning at a multiple of 64 bytes:
//!
//! | section | per vector | content |
//! |---|---|---|
//! | `centre` | (once) | the mean that is taken away before signs are taken; zeros when not needed |
//! | `ids` | 10 bytes | event `seq` u64, passage u16; strictly ascending |
//! | `bits` | bits / 8 | rotated sign bits, in blocks of eight vectors, word by word |
//! | `int8` | dims | the vector in steps of its scale |
//! | `scales` | 4 | that scale, f32 |
//! | `floats` | 4 × dims | the unit vector, f32 |
//! | `checks` | 8 | a check of id, int8 and scale, u32; a check of the floats, u32 |
//!
//! The header ends with the BLAKE3 of all that precedes it, and holds the BLAKE3 of every section.
//! Hashing a whole file is too slow for a short-lived process, so there are two ways to detect
//! damage: [`VectorFile::verify`] hashes everything once; before that, each row that contributes to
//! an answer is checked against its own checksum. A damaged file is reported as
//! [`ErrorCode::Corrupt`] with the section's name, and is rebuilt from the store.
//!
//! # Memory map
//! A file is mmapped, since a search touches only the sign bits and a few rows. The store writes a
//! file once under a unique temporary name, renames it to a name that is never reused, and never
//! changes it again. Whoever maps a file holds a shared lock on it; its bytes are overwritten
//! before removal only under an exclusive lock, when it is not mapped anywhere. If another program
//! truncates it while it is mapped, the behaviour is undefined (on Unix the process gets SIGBUS);
//! this is one more reason why the store's folder is private to its user.

use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::embed::MAX_DIMENSIONS;
use crate::index::side_file::{MappedFile, SharedLock, is_irregular, lock_shared, naming};
use crate::index::vector::kernels::BLOCK_ROWS;
use crate::index::vector::rotate::{Rotation, bits_for, mix};
use crate::index::vector::{Tombstones, VectorId, VectorQuery};
use crate::model::error::{Error, ErrorCode, Result};

pub(super) const MAGIC: [u8; 8] = *b"RCLVEC\r\n";
pub(super) const FORMAT: u32 = 2;
pub(super) const HEADER_BYTES: usize = 512;
pub(super) const HASH_BYTES: usize = 32;
const SECTION_ALIGNMENT: u64 = 64;
const SECTION_ENTRY_BYTES: usize = 8 + 8 + HASH_BYTES;
pub(super) const SECTION_TABLE_AT: usize = 64;
pub(super) const ID_BYTES: usize = 10;
const CHECK_BYTES: usize = 8;

/// The sections, in file order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    Centre,
    Ids,
    Bits,
    Int8,
    Scales,
    Floats,
    Checks,
}

impl Section {
    const ALL: [Section; 7] = [
        Section::Centre,
        Section::Ids,
        Section::Bits,
        Section::Int8,
        Section::Scales,
        Section::Floats,
        Section::Checks,
    ];

    fn name(self) -> &'static str {
        match self {
            Section::Centre => "centre",
            Section::Ids => "ids",
            Section::Bits => "bits",
            Section::Int8 => "int8",
            Section::Scales => "scales",
            Section::Floats => "floats",
            Section::Checks => "checks",
        }
    }

    /// The section's size in a file of `count` vectors; `None` on overflow.
    fn bytes(self, count: u64, dimensions: usize) -> Option<u64> {
        let dims = dimensions as u64;
        match self {
            Section::Centre => Some(dims * 4),
            Section::Ids => count.checked_mul(ID_BYTES as u64),
            Section::Bits => count
                .checked_next_multiple_of(BLOCK_ROWS as u64)?
                .checked_mul(bits_for(dimensions) as u64 / 8),
            Section::Int8 => count.checked_mul(dims),
            Section::Scales => count.checked_mul(4),
            Section::Floats => count.checked_mul(dims * 4),
            Section::Checks => count.checked_mul(CHECK_BYTES as u64),
        }
    }
}

/// The ranges of the sections in a file of this shape, and its length.
pub(super) fn layout(count: u64, dimensions: usize) -> Option<([Range<u64>; 7], u64)> {
    let mut at = HEADER_BYTES as u64;
    let mut ranges: [Range<u64>; 7] = Default::default();
    for section in Section::ALL {
        let start = at.checked_next_multiple_of(SECTION_ALIGNMENT)?;
        at = start.checked_add(section.bytes(count, dimensions)?)?;
        ranges[section as usize] = start..at;
    }
    Some((ranges, at))
}

/// The metadata of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileInfo {
    /// The store's number for the embedding version of its vectors.
    pub embedding_version: u32,
    /// Numbers per vector, 1 to [`MAX_DIMENSIONS`].
    pub dimensions: u32,
    /// The file holds the events whose vectors have ordinals greater than this,
    pub after: u64,
    /// and at most this.
    pub to: u64,
    /// The event at the last ordinal, which identifies a file of another store.
    pub last_seq: u64,
}

pub(super) fn id_to_bytes(id: VectorId) -> [u8; ID_BYTES] {
    let mut bytes = [0; ID_BYTES];
    bytes[..8].copy_from_slice(&id.seq.to_le_bytes());
    bytes[8..].copy_from_slice(&id.passage.to_le_bytes());
    bytes
}

pub(super) fn check_int8(id: &[u8], int8: &[u8], scale: &[u8]) -> u32 {
    check(&[id, scale, int8])
}

/// A quick checksum of a row. Four sums run in parallel, since a search checks thousands of rows.
/// Each step is a bijection of its sum, so that a change of a single word is always detected.
pub(super) fn check(parts: &[&[u8]]) -> u32 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut sums = [1u64, 2, 3, 4];
    for part in parts {
        let mut add = |lane: usize, bytes: [u8; 8]| {
            let sum = &mut sums[lane];
            *sum = (*sum ^ u64::from_le_bytes(bytes))
                .wrapping_mul(FACTOR)
                .rotate_left(29);
        };
        let mut chunks = part.chunks_exact(32);
        for chunk in &mut chunks {
            for (lane, word) in chunk.chunks_exact(8).enumerate() {
                add(lane, word.try_into().expect("chunks are words"));
            }
        }
        for (lane, rest) in chunks.remainder().chunks(8).enumerate() {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
            add(lane, word);
        }
    }
    let sum = sums.into_iter().fold(0, |all, sum| mix(all ^ sum));
    (sum >> 32) as u32
}

enum Bytes {
    Mapped(MappedFile),
    #[cfg(any(test, feature = "testing"))]
    Owned(Vec<u8>),
}

impl std::ops::Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Mapped(file) => file.bytes(),
            #[cfg(any(test, feature = "testing"))]
            Bytes::Owned(bytes) => bytes,
        }
    }
}

/// An open vector file. Safe to search from several threads at once.
pub(crate) struct VectorFile {
    path: PathBuf,
    bytes: Bytes,
    pub(super) info: FileInfo,
    count: usize,
    sections: [Range<usize>; 7],
    hashes: [[u8; HASH_BYTES]; 7],
    pub(super) centre: Vec<f32>,
    pub(super) along: [f32; 2],
    /// Every section was hashed, so rows need no checks.
    is_verified: AtomicBool,
    /// Whether the sign bits, which every search reads in full, match their hash in the header.
    bits_are_sound: OnceLock<bool>,
}

/// Checks the magic number, the checksum and the format of a file.
fn check_header(path: &Path, header: &[u8; HEADER_BYTES]) -> Result<()> {
    if header[..8] != MAGIC {
        return Err(corrupt(path, "header", "the magic number is missing"));
    }
    let (content, hash) = header.split_at(HEADER_BYTES - HASH_BYTES);
    if blake3::hash(content).as_bytes() != hash {
        return Err(corrupt(path, "header", "the checksum differs"));
    }
    if u32_at(header, 8) != FORMAT {
        return Err(Error::new(
            ErrorCode::NewerFormat,
            format!(
                "{}: vector file format {} is not this library's; remove the file, it is rebuilt",
                path.display(),
                u32_at(header, 8)
            ),
        ));
    }
    Ok(())
}

/// The hash of each section, whose place must be the one that follows from the header.
fn section_hashes(
    path: &Path,
    header: &[u8; HEADER_BYTES],
    ranges: &[Range<u64>; 7],
) -> Result<[[u8; HASH_BYTES]; 7]> {
    let mut hashes = [[0; HASH_BYTES]; 7];
    for section in Section::ALL {
        let at = SECTION_TABLE_AT + section as usize * SECTION_ENTRY_BYTES;
        let range = &ranges[section as usize];
        if u64_at(header, at) != range.start || u64_at(header, at + 8) != range.end - range.start {
            return Err(corrupt(
                path,
                section.name(),
                "the offset or the length is wrong",
            ));
        }
        hashes[section as usize].copy_from_slice(&header[at + 16..at + SECTION_ENTRY_BYTES]);
    }
    Ok(hashes)
}

impl VectorFile {
    /// Opens and maps a file, and checks its header, its length and its centre.
    ///
    /// # Errors
    /// `NotFound`, `PermissionDenied` or `Io` from the system; `Busy` for a file that a process is
    /// overwriting in order to remove it; `NewerFormat` for a file of a newer library; `Corrupt`,
    /// naming the file and the section, for any other deviation.
    pub(crate) fn open(path: &Path) -> Result<VectorFile> {
        if is_irregular(path) {
            return Err(corrupt(path, "header", "this is not a regular file"));
        }
        let file = File::open(path).map_err(|cause| naming(path, cause.into()))?;
        Self::map_file(path, file)
    }

    /// Maps an open file that has this name or is about to be renamed to it.
    pub(super) fn map_file(path: &Path, file: File) -> Result<VectorFile> {
        let lock = lock_shared(file).map_err(|cause| naming(path, cause.into()))?;
        let refused = |code, what| {
            let problem = format!("{}: the file {what}", path.display());
            Err(Error::new(code, problem))
        };
        let file = match lock {
            SharedLock::Held(file) => file,
            SharedLock::Overwritten => return refused(ErrorCode::Busy, "is being overwritten"),
            SharedLock::Removed => return refused(ErrorCode::NotFound, "has been removed"),
        };
        let length = file.length().map_err(|cause| naming(path, cause.into()))?;
        // This check also keeps an empty file from being mapped, which some systems refuse.
        if length < HEADER_BYTES as u64 {
            return Err(corrupt(path, "header", "the file is too short"));
        }
        let mapped = MappedFile::map(file, length).map_err(|failed| naming(path, failed.error))?;
        Self::from_bytes(path, Bytes::Mapped(mapped))
    }

    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn from_vec(bytes: Vec<u8>) -> Result<VectorFile> {
        Self::from_bytes(Path::new("memory"), Bytes::Owned(bytes))
    }

    fn from_bytes(path: &Path, bytes: Bytes) -> Result<VectorFile> {
        let Some((header, _)) = bytes.split_first_chunk::<HEADER_BYTES>() else {
            return Err(corrupt(path, "header", "the file is too short"));
        };
        check_header(path, header)?;
        let info = FileInfo {
            dimensions: u32_at(header, 12),
            after: u64_at(header, 24),
            to: u64_at(header, 32),
            embedding_version: u32_at(header, 40),
            last_seq: u64_at(header, 52),
        };
        let count = u64_at(header, 16);
        let along = [44, 48].map(|at| f32::from_bits(u32_at(header, at)));
        let dimensions = info.dimensions as usize;
        let shape = Some((count, dimensions))
            .filter(|(count, dims)| {
                *count <= u64::from(u32::MAX) && (1..=MAX_DIMENSIONS).contains(dims)
            })
            .and_then(|(count, dims)| layout(count, dims));
        let Some((ranges, file_bytes)) = shape else {
            return Err(corrupt(
                path,
                "header",
                "the count or the dimensions are out of range",
            ));
        };
        if bytes.len() as u64 != file_bytes {
            return Err(corrupt(
                path,
                "header",
                format_args!("{} bytes instead of {file_bytes}", bytes.len()),
            ));
        }
        let hashes = section_hashes(path, header, &ranges)?;
        // The length was checked and all of it is mapped, so every offset fits in a usize.
        let sections = ranges.map(|range| range.start as usize..range.end as usize);
        let mut file = VectorFile {
            path: path.to_path_buf(),
            info,
            count: count as usize,
            sections,
            hashes,
            centre: Vec::new(),
            along,
            is_verified: AtomicBool::new(false),
            bits_are_sound: OnceLock::new(),
            bytes,
        };
        file.check_section(Section::Centre)?;
        file.centre = floats(file.section(Section::Centre)).collect();
        Ok(file)
    }

    /// Hashes every section and checks the order of the ids, about one second per three gigabytes.
    /// Rows are not checked individually from then on.
    ///
    /// # Errors
    /// `Corrupt`, naming the file and the section.
    pub(crate) fn verify(&self) -> Result<()> {
        for section in Section::ALL {
            self.check_section(section)?;
        }
        let is_ascending =
            (1..self.count).all(|row| self.id_unchecked(row - 1) < self.id_unchecked(row));
        if !is_ascending {
            return Err(corrupt(
                &self.path,
                "ids",
                "they are not in ascending order",
            ));
        }
        let _ = self.bits_are_sound.set(true);
        self.is_verified.store(true, Ordering::Release);
        Ok(())
    }

    /// The file's metadata.
    pub(crate) fn info(&self) -> FileInfo {
        self.info
    }

    /// Whether two files have equal contents, by the hashes of their sections.
    pub(crate) fn is_same(&self, other: &VectorFile) -> bool {
        (self.info, &self.hashes) == (other.info, &other.hashes)
    }

    /// Whether the file holds a vector of one of the events.
    ///
    /// # Errors
    /// `Corrupt` if its ids are damaged.
    pub(crate) fn holds_any(&self, seqs: &Tombstones) -> Result<bool> {
        self.check_section(Section::Ids)?;
        Ok(match seqs.len() < self.count {
            true => seqs.iter().any(|seq| !self.rows_of(seq).is_empty()),
            false => (0..self.count).any(|row| seqs.contains(self.id_unchecked(row).seq)),
        })
    }

    /// Those of the events that have a vector here.
    pub(crate) fn events_of(&self, seqs: &Tombstones) -> Tombstones {
        match seqs.len() < self.count {
            true => {
                let is_here = |seq: &u64| !self.rows_of(*seq).is_empty();
                seqs.iter().filter(is_here).collect()
            }
            false => {
                let rows = (0..self.count).map(|row| self.id_unchecked(row).seq);
                rows.filter(|seq| seqs.contains(*seq)).collect()
            }
        }
    }

    /// The byte ranges that hold or derive from the events' vectors.
    pub(super) fn places_of(&self, seqs: &Tombstones) -> Vec<Range<u64>> {
        let mut places: Vec<Range<usize>> = vec![self.sections[Section::Centre as usize].clone()];
        let mut add = |section: Section, first: usize, bytes: usize| {
            let start = self.sections[section as usize].start + first;
            places.push(start..start + bytes);
        };
        let (dimensions, block) = (
            self.dimensions(),
            bits_for(self.dimensions()) / 8 * BLOCK_ROWS,
        );
        for row in (0..self.count).filter(|&row| seqs.contains(self.id_unchecked(row).seq)) {
            add(Section::Bits, row / BLOCK_ROWS * block, block);
            add(Section::Int8, row * dimensions, dimensions);
            add(Section::Scales, row * 4, 4);
            add(Section::Floats, row * dimensions * 4, dimensions * 4);
            add(Section::Checks, row * CHECK_BYTES, CHECK_BYTES);
        }
        places
            .into_iter()
            .map(|place| place.start as u64..place.end as u64)
            .collect()
    }

    /// The number of vectors.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Whether the file holds no vector.
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Numbers per vector.
    pub(crate) fn dimensions(&self) -> usize {
        self.info.dimensions as usize
    }

    /// The id of a row, after checking the row's checksum.
    ///
    /// # Errors
    /// `Corrupt` if the row is damaged.
    pub(crate) fn id(&self, row: usize) -> Result<VectorId> {
        self.check_int8_row(row)?;
        Ok(self.id_unchecked(row))
    }

    /// The stored floats of a row, after checking the row's checksum.
    ///
    /// # Errors
    /// `Corrupt` if the row is damaged.
    pub(crate) fn float_row(&self, row: usize) -> Result<&[u8]> {
        let floats = self.row(Section::Floats, row, self.dimensions() * 4);
        if !self.is_verified.load(Ordering::Acquire) {
            let expected = u32_at(self.row(Section::Checks, row, CHECK_BYTES), 4);
            if check(&[floats]) != expected {
                return Err(corrupt(&self.path, "floats", format_args!("row {row}")));
            }
        }
        Ok(floats)
    }

    /// Reads the unit vector of a row into `vector` and returns its id, for merges.
    ///
    /// # Errors
    /// `Corrupt` if the row is damaged.
    pub(crate) fn read_row(&self, row: usize, vector: &mut Vec<f32>) -> Result<VectorId> {
        let id = self.id(row)?;
        vector.clear();
        vector.extend(floats(self.float_row(row)?));
        Ok(id)
    }

    /// The int8 values and the scale of a row, after checking the row's checksum.
    ///
    /// # Errors
    /// `Corrupt` if the row is damaged.
    pub(super) fn int8_row(&self, row: usize) -> Result<(&[u8], f32)> {
        self.check_int8_row(row)?;
        let scale = u32_at(self.row(Section::Scales, row, 4), 0);
        Ok((
            self.row(Section::Int8, row, self.dimensions()),
            f32::from_bits(scale),
        ))
    }

    /// All sign bits, including the padding of the last block. The first call hashes them, unless
    /// the file is verified.
    ///
    /// # Errors
    /// `Corrupt` if they are damaged.
    pub(super) fn bits(&self) -> Result<&[u8]> {
        let is_sound = *self
            .bits_are_sound
            .get_or_init(|| self.check_section(Section::Bits).is_ok());
        match is_sound {
            true => Ok(self.section(Section::Bits)),
            false => Err(corrupt(&self.path, "bits", "the checksum differs")),
        }
    }

    /// The sign bits of a query, relative to this file's centre.
    pub(super) fn query_bits(&self, query: &VectorQuery) -> Vec<u64> {
        Rotation::new(self.dimensions()).sign_bits(query.unit(), &self.centre)
    }

    /// The largest Hamming distance, with high probability, of a vector whose cosine with the query
    /// is at least `cosine`.
    ///
    /// Signs are taken of the differences q - c and v - c. With x = v·c, which is between the
    /// bounds that the header holds, the cosine of the differences is at least (cosine - q·c - x +
    /// c·c) / (|q - c| √(1 - 2x + c·c)); its least value over x is at one of the bounds or where
    /// the derivative vanishes, at x = 1 + c·c - (cosine - q·c + c·c).
    pub(super) fn distance_bound(&self, query: &VectorQuery, cosine: f32) -> u32 {
        let bits = bits_for(self.dimensions());
        let product = |a: &[f32], b: &[f32]| -> f64 {
            a.iter()
                .zip(b)
                .map(|(&x, &y)| f64::from(x) * f64::from(y))
                .sum()
        };
        let cosine = f64::from(cosine);
        let cc = product(&self.centre, &self.centre);
        if cc == 0.0 {
            return crate::index::vector::rotate::distance_bound(cosine, bits);
        }
        let qc = product(query.unit(), &self.centre);
        let query_length = (1.0 - 2.0 * qc + cc).max(0.0).sqrt();
        let (low, high) = (f64::from(self.along[0]), f64::from(self.along[1]));
        let flat = (1.0 - cosine + qc).clamp(low, high.max(low));
        let least = [low, high, flat]
            .into_iter()
            .map(|x| {
                let length = (1.0 - 2.0 * x + cc).max(0.0).sqrt();
                (cosine - qc - x + cc) / (query_length * length)
            })
            .fold(1.0, f64::min);
        // A query or vector equal to the centre has no direction, so there is no bound.
        match least.is_finite() {
            true => crate::index::vector::rotate::distance_bound(least, bits),
            false => bits as u32,
        }
    }

    /// The rows of an event's passages.
    pub(super) fn rows_of(&self, seq: u64) -> Range<usize> {
        let first = self.partition_point(0, |id| id.seq < seq);
        let end = self.partition_point(first, |id| id.seq <= seq);
        first..end
    }

    /// The first row from `from` on for which `is_before` is false.
    pub(super) fn partition_point(
        &self,
        from: usize,
        is_before: impl Fn(VectorId) -> bool,
    ) -> usize {
        let (mut low, mut high) = (from, self.count);
        while low < high {
            let middle = low + (high - low) / 2;
            match is_before(self.id_unchecked(middle)) {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low
    }

    /// The id of a row without checking its checksum. Good enough to select rows; answers use
    /// [`VectorFile::id`].
    pub(super) fn id_unchecked(&self, row: usize) -> VectorId {
        let bytes = self.row(Section::Ids, row, ID_BYTES);
        VectorId {
            seq: u64_at(bytes, 0),
            passage: u16::from_le_bytes([bytes[8], bytes[9]]),
        }
    }

    fn check_int8_row(&self, row: usize) -> Result<()> {
        if self.is_verified.load(Ordering::Acquire) {
            return Ok(());
        }
        let found = check_int8(
            self.row(Section::Ids, row, ID_BYTES),
            self.row(Section::Int8, row, self.dimensions()),
            self.row(Section::Scales, row, 4),
        );
        match found == u32_at(self.row(Section::Checks, row, CHECK_BYTES), 0) {
            true => Ok(()),
            false => Err(corrupt(&self.path, "int8", format_args!("row {row}"))),
        }
    }

    fn check_section(&self, section: Section) -> Result<()> {
        match blake3::hash(self.section(section)).as_bytes() == &self.hashes[section as usize] {
            true => Ok(()),
            false => Err(corrupt(&self.path, section.name(), "the checksum differs")),
        }
    }

    fn section(&self, section: Section) -> &[u8] {
        &self.bytes[self.sections[section as usize].clone()]
    }

    fn row(&self, section: Section, row: usize, bytes: usize) -> &[u8] {
        &self.section(section)[row * bytes..][..bytes]
    }
}

fn corrupt(path: &Path, section: &str, problem: impl std::fmt::Display) -> Error {
    Error::new(
        ErrorCode::Corrupt,
        format!(
            "{}: vector file, section {section}: {problem}; the file is derived and can be rebuilt",
            path.display()
        ),
    )
}

fn floats(bytes: &[u8]) -> impl Iterator<Item = f32> + '_ {
    bytes
        .chunks_exact(4)
        .map(|bytes| f32::from_le_bytes(bytes.try_into().expect("chunks are floats")))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
