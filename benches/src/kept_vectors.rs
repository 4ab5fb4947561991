//! Keeps the vectors of a model in a file, so that recipes can be compared without running the
//! model each time.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};

use recallite::embed::{Embedder, embedding_version};

use crate::Result;

/// Bytes of a text's key, its BLAKE3 hash.
const KEY: usize = blake3::OUT_LEN;

/// An embedder that asks another only for texts whose vectors its file lacks.
///
/// The file begins with the name of the model's version; then follow keys of texts, each with its
/// vector. A record that a killed run left incomplete ends the file.
pub(crate) struct KeptVectors {
    model: Arc<dyn Embedder>,
    kept: Mutex<Kept>,
}

struct Kept {
    vectors: HashMap<[u8; KEY], Vec<f32>>,
    file: File,
}

impl KeptVectors {
    /// Opens or creates the file.
    pub(crate) fn open(path: &Path, model: Arc<dyn Embedder>) -> Result<Self> {
        let head = format!("{}\n", embedding_version(&*model)).into_bytes();
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        if bytes.is_empty() {
            file.write_all(&head)?;
            bytes.clone_from(&head);
        }
        let records = bytes
            .strip_prefix(&*head)
            .ok_or_else(|| format!("{} has the vectors of another model", path.display()))?;
        let size = KEY + model.dimensions() * size_of::<f32>();
        let vectors: HashMap<[u8; KEY], Vec<f32>> = records
            .chunks_exact(size)
            .map(|record| {
                let (key, vector) = record.split_at(KEY);
                let numbers = vector.as_chunks::<4>().0.iter();
                let numbers = numbers.map(|bytes| f32::from_le_bytes(*bytes));
                (key.try_into().expect("a key's length"), numbers.collect())
            })
            .collect();
        file.set_len((bytes.len() - records.len() % size) as u64)?;
        Ok(KeptVectors {
            model,
            kept: Mutex::new(Kept { vectors, file }),
        })
    }

    fn known(&self, key: &[u8; KEY]) -> Option<Vec<f32>> {
        let kept = self.kept.lock().expect("no call panics with the lock");
        kept.vectors.get(key).cloned()
    }

    fn keep(&self, new: Vec<([u8; KEY], Vec<f32>)>) -> std::io::Result<()> {
        let mut records = Vec::new();
        for (key, vector) in &new {
            records.extend_from_slice(key);
            vector
                .iter()
                .for_each(|x| records.extend_from_slice(&x.to_le_bytes()));
        }
        let mut kept = self.kept.lock().expect("no call panics with the lock");
        kept.file.write_all(&records)?;
        kept.vectors.extend(new);
        Ok(())
    }
}

impl Embedder for KeptVectors {
    fn id(&self) -> &str {
        self.model.id()
    }

    fn dimensions(&self) -> usize {
        self.model.dimensions()
    }

    fn embed(&self, texts: &[&str]) -> recallite::Result<Vec<Vec<f32>>> {
        let keys: Vec<[u8; KEY]> = texts
            .iter()
            .map(|text| *blake3::hash(text.as_bytes()).as_bytes())
            .collect();
        let known: Vec<Option<Vec<f32>>> = keys.iter().map(|key| self.known(key)).collect();
        let missing = texts
            .iter()
            .zip(&known)
            .filter(|(_, known)| known.is_none());
        let missing: Vec<&str> = missing.map(|(text, _)| *text).collect();
        let mut made = match missing.is_empty() {
            true => Vec::new(),
            false => self.model.embed(&missing)?,
        }
        .into_iter();
        let mut new = Vec::new();
        let mut vectors = Vec::with_capacity(texts.len());
        for (key, known) in keys.into_iter().zip(known) {
            // A model that returns too few vectors is reported by the guard around this.
            let Some(vector) = known.or_else(|| {
                let vector = made.next()?;
                new.push((key, vector.clone()));
                Some(vector)
            }) else {
                break;
            };
            vectors.push(vector);
        }
        self.keep(new).map_err(|error| {
            recallite::Error::new(recallite::ErrorCode::Embedder, "vectors cannot be kept")
                .with_source(error)
        })?;
        Ok(vectors)
    }

    fn max_batch(&self) -> usize {
        self.model.max_batch()
    }

    fn fingerprint(&self) -> String {
        self.model.fingerprint()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Counts the texts that it was asked for.
    #[derive(Default)]
    struct Lengths(AtomicUsize);

    impl Embedder for Lengths {
        fn id(&self) -> &str {
            "lengths"
        }
        fn dimensions(&self) -> usize {
            2
        }
        fn embed(&self, texts: &[&str]) -> recallite::Result<Vec<Vec<f32>>> {
            self.0.fetch_add(texts.len(), Ordering::Relaxed);
            Ok(texts.iter().map(|t| vec![t.len() as f32, 1.0]).collect())
        }
    }

    #[test]
    fn a_text_is_embedded_once_over_all_runs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vectors");
        let model = Arc::new(Lengths::default());
        let kept = KeptVectors::open(&path, model.clone()).unwrap();
        let wanted = vec![vec![1.0, 1.0], vec![3.0, 1.0], vec![2.0, 1.0]];
        assert_eq!(kept.embed(&["a", "aaa"]).unwrap(), wanted[..2]);
        assert_eq!(kept.embed(&["a", "aaa", "aa"]).unwrap(), wanted);
        assert_eq!(model.0.load(Ordering::Relaxed), 3);
        drop(kept);
        // A run was killed while it wrote.
        let file = OpenOptions::new().append(true).open(&path).unwrap();
        (&file).write_all(&[7; 9]).unwrap();
        for _ in 0..2 {
            let kept = KeptVectors::open(&path, model.clone()).unwrap();
            assert_eq!(kept.embed(&["aaa", "aa", "a"]).unwrap()[1], wanted[2]);
            let _ = kept.embed(&["aaaa"]).unwrap();
            assert_eq!(model.0.load(Ordering::Relaxed), 4);
        }
    }
}
