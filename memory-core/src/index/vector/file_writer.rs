//! Writes vector files: each section in the order of the layout, then the header with their hashes.
//!
//! The layout is described in [`crate::index::vector::file`].

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;

use crate::embed::{MAX_DIMENSIONS, normalise};
use crate::index::side_file::{self, naming};
use crate::index::vector::file::{
    FORMAT, FileInfo, HASH_BYTES, HEADER_BYTES, ID_BYTES, MAGIC, SECTION_TABLE_AT, Section,
    VectorFile, check, check_int8, id_to_bytes, layout, u64_at,
};
use crate::index::vector::kernels::BLOCK_ROWS;
use crate::index::vector::quantise::Int8Vector;
use crate::index::vector::rotate::{Rotation, bits_for};
use crate::index::vector::{Tombstones, VectorId};
use crate::model::error::{Error, Result};

/// The write buffer of a section.
const WRITE_BYTES: usize = 1 << 18;

/// From this many rows on, a copy without some of the vectors keeps the centre. With fewer, the old
/// mean would reveal a removed vector.
const COPY_FROM_ROWS: usize = 1_000;

/// Squared length of the mean from which on it is subtracted before signs are taken.
///
/// Below it the vectors point in all directions and their signs discriminate well. Above it they
/// share a direction (common for models trained with a low temperature), so most signs would be
/// equal and useless to the first stage.
const CENTRE_FROM: f64 = 0.2;

/// The vectors to write, read twice in ascending order of rows.
///
/// Reading through a trait instead of a slice lets a merge stream mapped files.
pub(crate) trait VectorSource {
    /// The number of vectors.
    fn count(&self) -> usize;

    /// Reads vector `row` into `vector` and returns its id (strictly ascending).
    ///
    /// # Errors
    /// Any error of the source, which aborts the write.
    fn read(&mut self, row: usize, vector: &mut Vec<f32>) -> Result<VectorId>;
}

impl VectorSource for &[(VectorId, Vec<f32>)] {
    fn count(&self) -> usize {
        self.len()
    }

    fn read(&mut self, row: usize, vector: &mut Vec<f32>) -> Result<VectorId> {
        let (id, numbers) = &self[row];
        vector.clear();
        vector.extend_from_slice(numbers);
        Ok(*id)
    }
}

/// Writes a file under a temporary name beside `path`, fsyncs it, maps it and renames it into
/// place.
///
/// Vectors are scaled to length 1. On an error no file is left behind. The caller fsyncs the folder
/// if the name must survive a power failure, which it need not since the file is derived.
///
/// # Errors
/// `InvalidArgument` for a vector of another length, with a non-finite number, or out of order;
/// `Io`, `Full`, `NotFound` or `PermissionDenied` from the disk; the source's own errors.
pub(crate) fn write(
    path: &Path,
    info: FileInfo,
    source: &mut dyn VectorSource,
) -> Result<VectorFile> {
    publish(path, &mut |file| encode(file, info, source))
}

/// Copies an open file without the vectors of some events; see [`write`]. The remaining rows are
/// copied verbatim.
///
/// # Errors
/// As [`write`], and `Corrupt` if a row of the open file is damaged.
pub(crate) fn write_without(
    path: &Path,
    file: &VectorFile,
    gone: &Tombstones,
) -> Result<VectorFile> {
    let rows: Vec<usize> = (0..file.len())
        .filter(|&row| !gone.contains(file.id_unchecked(row).seq))
        .collect();
    if rows.len() >= COPY_FROM_ROWS {
        return publish(path, &mut |out| copy_rows(out, file, &rows));
    }
    let mut source = SomeRows { file, rows: &rows };
    write(path, file.info, &mut source)
}

/// Some rows of a file.
struct SomeRows<'a> {
    file: &'a VectorFile,
    rows: &'a [usize],
}

impl VectorSource for SomeRows<'_> {
    fn count(&self) -> usize {
        self.rows.len()
    }

    fn read(&mut self, row: usize, vector: &mut Vec<f32>) -> Result<VectorId> {
        self.file.read_row(self.rows[row], vector)
    }
}

/// Creates a temporary file, has `fill` write it, and renames it to its final name.
fn publish(path: &Path, fill: &mut dyn FnMut(&mut File) -> Result<()>) -> Result<VectorFile> {
    let temporary = side_file::temporary(path);
    let result = write_temporary(&temporary, fill)
        .and_then(|file| {
            // Opened before the rename, since afterwards another process may remove it.
            let file = VectorFile::map_file(path, file)?;
            side_file::rename(&temporary, path)?;
            Ok(file)
        })
        .map_err(|error| naming(path, error));
    if result.is_err() {
        // Report the first error; the next builder removes a leftover.
        let _ = side_file::remove(&temporary);
    }
    result
}

fn write_temporary(path: &Path, fill: &mut dyn FnMut(&mut File) -> Result<()>) -> Result<File> {
    let mut file = side_file::create(path)?;
    fill(&mut file)?;
    side_file::finish(&file, path)?;
    Ok(file)
}

/// Buffers the writes of one section.
struct SectionWriter {
    at: u64,
    buffer: Vec<u8>,
    hasher: blake3::Hasher,
}

impl SectionWriter {
    fn put<W: Write + Seek>(&mut self, out: &mut W, bytes: &[u8]) -> Result<()> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= WRITE_BYTES {
            self.flush(out)?;
        }
        Ok(())
    }

    fn flush<W: Write + Seek>(&mut self, out: &mut W) -> Result<()> {
        out.seek(SeekFrom::Start(self.at))?;
        out.write_all(&self.buffer)?;
        self.hasher.update(&self.buffer);
        self.at += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }
}

/// Reads one vector of the source, checked and scaled to unit length.
fn read_unit(
    source: &mut dyn VectorSource,
    row: usize,
    dimensions: usize,
    vector: &mut Vec<f32>,
) -> Result<VectorId> {
    let id = source.read(row, vector)?;
    if vector.len() != dimensions {
        return Err(Error::invalid(
            "vectors",
            format_args!(
                "vector {row} (event {}) has {} dimensions instead of {dimensions}",
                id.seq,
                vector.len()
            ),
        ));
    }
    if !normalise(vector) {
        return Err(Error::invalid(
            "vectors",
            format_args!("vector {row} (event {}) is not finite", id.seq),
        ));
    }
    Ok(id)
}

/// The mean of all vectors, or zeros if it is too short to be subtracted.
fn centre_of(source: &mut dyn VectorSource, dimensions: usize) -> Result<Vec<f32>> {
    let mut sums = vec![0.0f64; dimensions];
    let mut vector = Vec::new();
    for row in 0..source.count() {
        read_unit(source, row, dimensions, &mut vector)?;
        for (sum, x) in sums.iter_mut().zip(&vector) {
            *sum += f64::from(*x);
        }
    }
    let count = source.count().max(1) as f64;
    let square: f64 = sums.iter().map(|sum| (sum / count).powi(2)).sum();
    Ok(match square >= CENTRE_FROM {
        true => sums.iter().map(|sum| (sum / count) as f32).collect(),
        false => vec![0.0; dimensions],
    })
}

/// A vector in all the forms that are stored.
#[derive(Default)]
struct EncodedRow {
    id: [u8; ID_BYTES],
    bits: Vec<u64>,
    int8: Vec<u8>,
    scale: [u8; 4],
    floats: Vec<u8>,
}

impl EncodedRow {
    pub(super) fn set(&mut self, id: VectorId, unit: &[f32], bits: Vec<u64>) {
        let int8 = Int8Vector::new(unit);
        self.id = id_to_bytes(id);
        self.bits = bits;
        self.int8.clear();
        self.int8.extend(int8.values.iter().map(|&v| v as u8));
        self.scale = int8.scale.to_le_bytes();
        self.floats.clear();
        self.floats
            .extend(unit.iter().flat_map(|x| x.to_le_bytes()));
    }
}

/// Writes the sections of a file row by row.
struct Encoder<'w, W> {
    out: &'w mut W,
    info: FileInfo,
    count: usize,
    sections: [SectionWriter; 7],
    ranges: [Range<u64>; 7],
    file_bytes: u64,
    /// Sign bits of the rows of an incomplete block.
    block: Vec<Vec<u64>>,
    /// The range of the vectors' dot products with the centre; see `VectorFile::distance_bound`.
    along: [f32; 2],
}

impl<'w, W: Write + Seek> Encoder<'w, W> {
    fn begin(out: &'w mut W, info: FileInfo, count: usize, centre: &[f32]) -> Result<Self> {
        let shape = u32::try_from(count)
            .ok()
            .and_then(|count| layout(u64::from(count), info.dimensions as usize));
        let Some((ranges, file_bytes)) = shape else {
            return Err(Error::invalid("vectors", "are more than a file can hold"));
        };
        let sections = ranges.clone().map(|range| SectionWriter {
            at: range.start,
            buffer: Vec::new(),
            hasher: blake3::Hasher::new(),
        });
        let mut encoder = Encoder {
            out,
            info,
            count,
            sections,
            ranges,
            file_bytes,
            block: Vec::with_capacity(BLOCK_ROWS),
            along: [f32::INFINITY, f32::NEG_INFINITY],
        };
        for x in centre {
            encoder.put(Section::Centre, &x.to_le_bytes())?;
        }
        Ok(encoder)
    }

    fn put(&mut self, section: Section, bytes: &[u8]) -> Result<()> {
        self.sections[section as usize].put(self.out, bytes)
    }

    pub(super) fn row(&mut self, row: &EncodedRow) -> Result<()> {
        self.put(Section::Ids, &row.id)?;
        self.put(Section::Int8, &row.int8)?;
        self.put(Section::Scales, &row.scale)?;
        self.put(Section::Floats, &row.floats)?;
        for check in [
            check_int8(&row.id, &row.int8, &row.scale),
            check(&[&row.floats]),
        ] {
            self.put(Section::Checks, &check.to_le_bytes())?;
        }
        self.block.push(row.bits.clone());
        match self.block.len() {
            BLOCK_ROWS => self.put_block(),
            _ => Ok(()),
        }
    }

    fn put_block(&mut self) -> Result<()> {
        let words = bits_for(self.info.dimensions as usize) / 64;
        let mut block = std::mem::take(&mut self.block);
        block.resize(BLOCK_ROWS, vec![0; words]);
        for word in 0..words {
            for bits in &block {
                self.put(Section::Bits, &bits[word].to_le_bytes())?;
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<()> {
        if !self.block.is_empty() {
            self.put_block()?;
        }
        for section in &mut self.sections {
            section.flush(self.out)?;
        }
        let header = self.header();
        let out = self.out;
        out.seek(SeekFrom::Start(0))?;
        out.write_all(&header)?;
        // If the last section is empty, the file is shorter than the layout says.
        if out.seek(SeekFrom::End(0))? < self.file_bytes {
            out.seek(SeekFrom::Start(self.file_bytes - 1))?;
            out.write_all(&[0])?;
        }
        out.flush()?;
        Ok(())
    }

    fn header(&self) -> Vec<u8> {
        let info = self.info;
        let mut header = Vec::with_capacity(HEADER_BYTES);
        header.extend(MAGIC);
        header.extend(FORMAT.to_le_bytes());
        header.extend(info.dimensions.to_le_bytes());
        header.extend((self.count as u64).to_le_bytes());
        header.extend(info.after.to_le_bytes());
        header.extend(info.to.to_le_bytes());
        header.extend(info.embedding_version.to_le_bytes());
        header.extend(self.along[0].to_le_bytes());
        header.extend(self.along[1].to_le_bytes());
        header.extend(info.last_seq.to_le_bytes());
        header.resize(SECTION_TABLE_AT, 0);
        for (section, range) in self.sections.iter().zip(&self.ranges) {
            header.extend(range.start.to_le_bytes());
            header.extend((range.end - range.start).to_le_bytes());
            header.extend(section.hasher.finalize().as_bytes());
        }
        header.resize(HEADER_BYTES - HASH_BYTES, 0);
        header.extend(blake3::hash(&header).as_bytes());
        header
    }
}

pub(super) fn encode<W: Write + Seek>(
    out: &mut W,
    info: FileInfo,
    source: &mut dyn VectorSource,
) -> Result<()> {
    let dimensions = info.dimensions as usize;
    if !(1..=MAX_DIMENSIONS).contains(&dimensions) {
        return Err(Error::invalid(
            "dimensions",
            format_args!("must be between 1 and {MAX_DIMENSIONS}, not {dimensions}"),
        ));
    }
    let centre = centre_of(source, dimensions)?;
    let mut encoder = Encoder::begin(out, info, source.count(), &centre)?;
    let mut rotation = Rotation::new(dimensions);
    let (mut vector, mut encoded) = (Vec::new(), EncodedRow::default());
    let mut previous: Option<VectorId> = None;
    for row in 0..source.count() {
        let id = read_unit(source, row, dimensions, &mut vector)?;
        if previous.is_some_and(|previous| previous >= id) {
            return Err(Error::invalid(
                "vectors",
                format_args!("vector {row} (event {}) is not in ascending order", id.seq),
            ));
        }
        previous = Some(id);
        let product: f32 = vector.iter().zip(&centre).map(|(x, c)| x * c).sum();
        encoder.along = [encoder.along[0].min(product), encoder.along[1].max(product)];
        encoded.set(id, &vector, rotation.sign_bits(&vector, &centre));
        encoder.row(&encoded)?;
    }
    encoder.finish()
}

/// Copies some rows of a file verbatim.
fn copy_rows<W: Write + Seek>(out: &mut W, file: &VectorFile, rows: &[usize]) -> Result<()> {
    let bits = file.bits()?;
    let words = bits_for(file.dimensions()) / 64;
    let mut encoder = Encoder::begin(out, file.info, rows.len(), &file.centre)?;
    // Bounds that hold for a superset hold for these rows too.
    encoder.along = file.along;
    let mut encoded = EncodedRow::default();
    for &row in rows {
        let id = file.id(row)?;
        let (int8, scale) = file.int8_row(row)?;
        encoded.id = id_to_bytes(id);
        encoded.int8.clear();
        encoded.int8.extend_from_slice(int8);
        encoded.scale = scale.to_le_bytes();
        encoded.floats.clear();
        encoded.floats.extend_from_slice(file.float_row(row)?);
        let block = (row / BLOCK_ROWS) * BLOCK_ROWS * words;
        encoded.bits.clear();
        encoded.bits.extend((0..words).map(|word| {
            let at = block + word * BLOCK_ROWS + row % BLOCK_ROWS;
            u64_at(bits, at * 8)
        }));
        encoder.row(&encoded)?;
    }
    encoder.finish()
}
