//! Which embedder a bench measures: the built-in static table, or a real model.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use recallite::embed::Embedder;
use recallite::{Memory, RecallWeights};

use crate::Result;
use crate::arguments::Arguments;
use crate::kept_vectors::KeptVectors;

/// How many jobs one call processes.
const STEP: usize = 1_000;

/// The embedder of a run, by default the static table; a model is loaded once for all stores.
#[derive(Default)]
pub(crate) struct Choice(Option<Arc<dyn Embedder>>);

impl Choice {
    /// Reads `--embedder`, `--model` and `--vectors`, and prints the choice.
    pub(crate) fn of(arguments: &Arguments) -> Result<Self> {
        match arguments.choice("embedder").unwrap_or("static") {
            "static" => {
                println!("embedder: static table");
                Ok(Choice(None))
            }
            "fastembed" => {
                let mut embedder = fastembed(arguments)?;
                if let Some(path) = arguments.choice("vectors") {
                    embedder = Arc::new(KeptVectors::open(Path::new(path), embedder)?);
                }
                println!(
                    "embedder: {}",
                    recallite::embed::embedding_version(&*embedder)
                );
                Ok(Choice(Some(embedder)))
            }
            other => Err(format!("--embedder {other:?} is neither static nor fastembed").into()),
        }
    }

    /// The model, unless the static table was chosen.
    pub(crate) fn model(&self) -> Option<&dyn Embedder> {
        self.0.as_deref()
    }

    /// Opens the store in a folder.
    pub(crate) fn open(&self, path: &Path) -> Result<Memory> {
        self.open_with(path, RecallWeights::default())
    }

    /// Opens the store in a folder with another recipe.
    pub(crate) fn open_with(&self, path: &Path, weights: RecallWeights) -> Result<Memory> {
        let mut builder = Memory::builder().recall_weights(weights);
        if let Some(embedder) = &self.0 {
            builder = builder.embedder(embedder.clone());
        }
        Ok(builder.open(path)?)
    }

    /// Unit vectors of texts, for the embedder baseline; `None` for a text without meaning to the
    /// embedder.
    pub(crate) fn vectors(&self, texts: &[&str]) -> Result<Vec<Option<Vec<f32>>>> {
        let vectors = match &self.0 {
            None => texts
                .iter()
                .map(|text| recallite::testing::vectors::static_embedding(text).unwrap_or_default())
                .collect(),
            Some(embedder) => {
                let mut vectors = Vec::with_capacity(texts.len());
                for some in texts.chunks(embedder.max_batch().max(1)) {
                    vectors.extend(embedder.embed(some)?);
                }
                vectors
            }
        };
        Ok(vectors.into_iter().map(unit).collect())
    }

    /// Embeds the stored events.
    pub(crate) fn embed(&self, memory: &Memory) -> Result<()> {
        if self.0.is_none() {
            return Ok(());
        }
        let begun = Instant::now();
        loop {
            let done = memory.process_outbox(STEP)?;
            if let Some(failed) = done.errors.first() {
                return Err(format!("job {} failed: {}", failed.job.0, failed.message).into());
            }
            if done.processed == 0 {
                break;
            }
        }
        let vectors = memory.stats()?.embedding.map_or(0, |stats| stats.vectors);
        println!(
            "{vectors} vectors in {:.1} s",
            begun.elapsed().as_secs_f64()
        );
        Ok(())
    }
}

fn unit(mut vector: Vec<f32>) -> Option<Vec<f32>> {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    (length > f32::EPSILON).then(|| {
        vector.iter_mut().for_each(|x| *x /= length);
        vector
    })
}

#[cfg(feature = "fastembed")]
fn fastembed(arguments: &Arguments) -> Result<Arc<dyn Embedder>> {
    use recallite::embed::fastembed::{FastembedEmbedder, FastembedOptions};

    let embedder = FastembedEmbedder::new(FastembedOptions::new(arguments.path("model")?))?;
    embedder.load()?;
    Ok(Arc::new(embedder))
}

#[cfg(not(feature = "fastembed"))]
fn fastembed(_: &Arguments) -> Result<Arc<dyn Embedder>> {
    Err("this bench was built without fastembed; add --features fastembed".into())
}
