//! Tests of the vector file: it round-trips, and damage is always detected.

use super::*;
use crate::index::vector::file_writer::{encode, write};
use crate::index::vector::testing::{Random, exact, id_of};
use crate::index::vector::{Tombstones, VectorFilter, cascade};
use std::io::{Cursor, Seek, SeekFrom, Write};

pub(crate) const INFO: FileInfo = FileInfo {
    embedding_version: 7,
    dimensions: 24,
    after: 12,
    to: 991,
    last_seq: 1_004,
};

fn rows(vectors: &[Vec<f32>]) -> Vec<(VectorId, Vec<f32>)> {
    vectors
        .iter()
        .enumerate()
        .map(|(row, vector)| (id_of(row), vector.clone()))
        .collect()
}

/// The bytes of an encoded file.
fn encoded(vectors: &[Vec<f32>], dimensions: usize) -> Vec<u8> {
    let info = FileInfo {
        dimensions: dimensions as u32,
        ..INFO
    };
    let mut out = Cursor::new(Vec::new());
    encode(&mut out, info, &mut rows(vectors).as_slice()).expect("vectors are valid");
    out.into_inner()
}

fn sample(count: usize) -> Vec<Vec<f32>> {
    Random::new(17).clustered(count, 24, 5, 0.5, 0.3)
}

#[test]
fn a_written_file_is_read_back() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("v3-0.vec");
    let vectors = sample(21);
    write(&path, INFO, &mut rows(&vectors).as_slice()).expect("the folder is writable");

    let file = VectorFile::open(&path).expect("the file is whole");
    file.verify().expect("the file is whole");
    assert_eq!(file.info(), INFO);
    assert_eq!(file.len(), 21);
    let mut read = Vec::new();
    for (row, vector) in vectors.iter().enumerate() {
        assert_eq!(file.read_row(row, &mut read).expect("sound"), id_of(row));
        for (a, b) in vector.iter().zip(&read) {
            assert!((a - b).abs() < 1e-6);
        }
    }
    let names: Vec<_> = std::fs::read_dir(folder.path())
        .expect("readable")
        .map(|entry| entry.expect("readable").file_name())
        .collect();
    assert_eq!(names, ["v3-0.vec"], "no temporary file is left");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&path)
            .expect("there")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn files_of_every_small_size_open() {
    for count in 0..=17 {
        let file = VectorFile::from_vec(encoded(&sample(count), 24)).expect("valid");
        file.verify().expect("valid");
        assert_eq!(file.len(), count);
        assert_eq!(file.is_empty(), count == 0);
    }
}

#[test]
fn writing_the_same_vectors_gives_the_same_bytes() {
    let vectors = sample(33);
    assert_eq!(encoded(&vectors, 24), encoded(&vectors, 24));
}

#[test]
fn bad_vectors_are_refused_and_leave_no_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("x.vec");
    let good = rows(&sample(3));
    let mut short = good.clone();
    short[1].1.pop();
    let mut infinite = good.clone();
    infinite[2].1[0] = f32::INFINITY;
    let mut unordered = good.clone();
    unordered.swap(0, 1);
    let mut twice = good.clone();
    twice[1].0 = twice[0].0;
    for bad in [short, infinite, unordered, twice] {
        let error = write(&path, INFO, &mut bad.as_slice())
            .err()
            .expect("bad input");
        assert_eq!(error.code(), ErrorCode::InvalidArgument);
        assert_eq!(std::fs::read_dir(folder.path()).expect("there").count(), 0);
    }
    let none = FileInfo {
        dimensions: 0,
        ..INFO
    };
    assert!(write(&path, none, &mut good.as_slice()).is_err());
}

#[test]
fn rows_of_an_event_are_found_by_its_seq() {
    let file = VectorFile::from_vec(encoded(&sample(9), 24)).expect("valid");
    assert_eq!(file.rows_of(0), 0..0);
    assert_eq!(file.rows_of(1), 0..2);
    assert_eq!(file.rows_of(4), 6..8);
    assert_eq!(file.rows_of(5), 8..9);
    assert_eq!(file.rows_of(u64::MAX), 9..9);
}

#[test]
fn every_truncation_is_corrupt() {
    let bytes = encoded(&sample(9), 24);
    for length in 0..bytes.len() {
        let error = VectorFile::from_vec(bytes[..length].to_vec())
            .err()
            .expect("a shorter file is damaged");
        assert_eq!(error.code(), ErrorCode::Corrupt);
    }
    let mut longer = bytes;
    longer.push(0);
    assert!(VectorFile::from_vec(longer).is_err());
}

#[test]
fn a_missing_file_and_an_empty_file_are_errors() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("x.vec");
    let missing = VectorFile::open(&path).err().expect("missing");
    assert_eq!(missing.code(), ErrorCode::NotFound);
    assert!(missing.message().contains("x.vec"), "{missing}");
    let nowhere = folder.path().join("none/x.vec");
    let error = write(&nowhere, INFO, &mut rows(&sample(1)).as_slice())
        .err()
        .expect("no folder");
    assert_eq!(error.code(), ErrorCode::NotFound);
    assert!(error.message().contains("x.vec"), "{error}");
    std::fs::write(&path, b"").expect("writable");
    let empty = VectorFile::open(&path).err().expect("empty");
    assert_eq!(empty.code(), ErrorCode::Corrupt);
    assert!(empty.message().contains("x.vec") && empty.message().contains("header"));
}

/// Flips every bit of a small file. Verifying must detect it unless it is in the padding between
/// sections, and an unverified search must give the right answer or `Corrupt`.
#[test]
fn every_bit_flip_is_noticed() {
    let vectors = sample(9);
    let bytes = encoded(&vectors, 24);
    let whole = VectorFile::from_vec(bytes.clone()).expect("valid");
    let query = VectorQuery::new(&vectors[4]).expect("valid");
    let expected = exact(&vectors, query.unit(), 3, |_| true);
    let is_padding = |at: usize| {
        at >= HEADER_BYTES && !whole.sections.iter().any(|section| section.contains(&at))
    };
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            match VectorFile::from_vec(damaged) {
                Err(error) => assert_eq!(error.code(), ErrorCode::Corrupt, "byte {at}"),
                Ok(file) => {
                    let found = cascade::search(
                        &file,
                        &query,
                        3,
                        VectorFilter::All,
                        &Tombstones::default(),
                    );
                    match found {
                        Ok(found) => {
                            let close = found
                                .iter()
                                .zip(&expected)
                                .all(|(a, b)| a.id == b.id && (a.cosine - b.cosine).abs() < 1e-6);
                            assert!(close && found.len() == 3, "byte {at}: a wrong answer");
                        }
                        Err(error) => assert_eq!(error.code(), ErrorCode::Corrupt, "byte {at}"),
                    }
                    let verified = file.verify();
                    assert_eq!(verified.is_ok(), is_padding(at), "byte {at}");
                }
            }
        }
    }
}

#[test]
fn a_newer_format_is_named_as_such() {
    let mut bytes = encoded(&sample(2), 24);
    bytes[8] = 3;
    let hash = blake3::hash(&bytes[..HEADER_BYTES - HASH_BYTES]);
    bytes[HEADER_BYTES - HASH_BYTES..HEADER_BYTES].copy_from_slice(hash.as_bytes());
    let error = VectorFile::from_vec(bytes).err().expect("unknown format");
    assert_eq!(error.code(), ErrorCode::NewerFormat);
}

#[test]
fn a_leaning_model_gets_a_centre_and_a_spread_one_does_not() {
    let mut random = Random::new(23);
    let spread = random.clustered(400, 24, 50, 0.5, 0.0);
    let leaning = random.clustered(400, 24, 50, 0.5, 2.0);
    let centre = |vectors: &[Vec<f32>]| {
        VectorFile::from_vec(encoded(vectors, 24))
            .expect("valid")
            .centre
    };
    assert!(centre(&spread).iter().all(|&x| x == 0.0));
    assert!(centre(&leaning).iter().any(|&x| x != 0.0));
}

#[test]
fn the_distance_bound_holds_for_centred_signs() {
    let mut random = Random::new(29);
    let vectors = random.clustered(2000, 128, 40, 0.6, 1.5);
    let file = VectorFile::from_vec(encoded(&vectors, 128)).expect("valid");
    assert!(file.centre.iter().any(|&x| x != 0.0));
    let mut distances = vec![0; vectors.len().next_multiple_of(BLOCK_ROWS)];
    let mut outside = 0;
    for query in vectors.iter().step_by(40) {
        let query = VectorQuery::new(query).expect("valid");
        let kernels = crate::index::vector::kernels::Kernels::best();
        kernels.hamming_blocks(
            &file.query_bits(&query),
            file.bits().expect("sound"),
            &mut distances,
        );
        for (vector, &distance) in vectors.iter().zip(&distances) {
            let cosine = kernels.dot_f32(query.unit(), vector).min(1.0);
            outside += usize::from(distance > file.distance_bound(&query, cosine));
        }
    }
    // There are 100,000 pairs, and the bound allows for four standard deviations.
    assert!(outside <= 10, "{outside} pairs are farther than the bound");
}

/// A file in memory that records writes and can fail at any operation.
#[derive(Default)]
struct Recorder {
    at: u64,
    operations: u64,
    fails_at: Option<(u64, std::io::ErrorKind)>,
    writes: Vec<(usize, Vec<u8>)>,
}

impl Recorder {
    fn operate(&mut self) -> std::io::Result<()> {
        let now = self.operations;
        self.operations += 1;
        match self.fails_at {
            Some((at, kind)) if now == at => Err(kind.into()),
            _ => Ok(()),
        }
    }

    /// The file after some of its writes, the last of them possibly torn.
    fn image(&self, kept: impl Fn(usize) -> bool, torn: Option<usize>) -> Vec<u8> {
        let mut image = Vec::new();
        for (number, (at, bytes)) in self.writes.iter().enumerate() {
            if !kept(number) {
                continue;
            }
            let bytes = match torn {
                Some(torn) if torn == number => &bytes[..bytes.len() / 2],
                _ => bytes,
            };
            let end = at + bytes.len();
            if image.len() < end {
                image.resize(end, 0);
            }
            image[*at..end].copy_from_slice(bytes);
        }
        image
    }
}

impl Write for Recorder {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.operate()?;
        self.writes.push((self.at as usize, bytes.to_vec()));
        self.at += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.operate()
    }
}

impl Seek for Recorder {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.operate()?;
        self.at = match to {
            SeekFrom::Start(at) => at,
            SeekFrom::Current(by) => self.at.saturating_add_signed(by),
            SeekFrom::End(by) => {
                let end = self.image(|_| true, None).len() as u64;
                end.saturating_add_signed(by)
            }
        };
        Ok(self.at)
    }
}

#[test]
fn a_disk_that_fails_at_any_operation_is_an_error() {
    let vectors = sample(60);
    for (kind, code) in [
        (std::io::ErrorKind::Other, ErrorCode::Io),
        (std::io::ErrorKind::StorageFull, ErrorCode::Full),
    ] {
        let mut at = 0;
        loop {
            let mut file = Recorder {
                fails_at: Some((at, kind)),
                ..Recorder::default()
            };
            match encode(&mut file, INFO, &mut rows(&vectors).as_slice()) {
                Ok(()) => break,
                Err(error) => assert_eq!(error.code(), code, "operation {at}"),
            }
            at += 1;
        }
        assert!(at > 5, "only {at} operations were reached");
    }
}

#[test]
fn a_file_that_a_crash_left_unfinished_is_refused() {
    let vectors = sample(60);
    let mut file = Recorder::default();
    encode(&mut file, INFO, &mut rows(&vectors).as_slice()).expect("vectors are valid");
    let whole = file.image(|_| true, None);
    let is_sound =
        |image: Vec<u8>| VectorFile::from_vec(image).is_ok_and(|file| file.verify().is_ok());
    assert!(is_sound(whole.clone()));
    let mut images = 0;
    for one in 0..file.writes.len() {
        for image in [
            file.image(|number| number != one, None),
            file.image(|number| number == one, None),
            file.image(|number| number < one, None),
            file.image(|number| number <= one, Some(one)),
        ] {
            images += 1;
            assert!(image == whole || !is_sound(image), "write {one}");
        }
    }
    assert!(images > 20, "only {images} images were made");
}
