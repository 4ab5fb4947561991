//! The figures of what is made from the log: layers, embeddings, injections.

use napi_derive::napi;
use recallite::{EmbeddingStats, InjectionStats, LayerStats, Result};

use crate::output::{ms, number};

#[napi(object, object_from_js = false, use_nullable = true)]
pub struct NativeLayerStats {
    pub name: String,
    pub size: f64,
    pub backlog: f64,
    pub last_moved: Option<f64>,
}

pub fn layer_stats(layer: &LayerStats) -> Result<NativeLayerStats> {
    Ok(NativeLayerStats {
        name: layer.name.to_owned(),
        size: number(layer.size)?,
        backlog: number(layer.backlog)?,
        last_moved: layer.last_moved.map(ms),
    })
}

#[napi(object, object_from_js = false, use_nullable = true)]
pub struct NativeEmbeddingStats {
    pub version: String,
    pub dimensions: u32,
    pub vectors: f64,
    pub pending: f64,
    pub processing: f64,
    pub done: f64,
    pub failed: f64,
    pub to_enqueue: f64,
    pub average_processing_ms: Option<f64>,
    pub last_processed: Option<f64>,
    pub oldest_pending: Option<f64>,
    pub graph_vectors: f64,
    pub graph_waiting: f64,
}

pub fn embedding_stats(stats: &EmbeddingStats) -> Result<NativeEmbeddingStats> {
    Ok(NativeEmbeddingStats {
        version: stats.version.clone(),
        dimensions: stats.dimensions,
        vectors: number(stats.vectors)?,
        pending: number(stats.pending)?,
        processing: number(stats.processing)?,
        done: number(stats.done)?,
        failed: number(stats.failed)?,
        to_enqueue: number(stats.to_enqueue)?,
        average_processing_ms: stats.average_processing_ms.map(number).transpose()?,
        last_processed: stats.last_processed.map(ms),
        oldest_pending: stats.oldest_pending.map(ms),
        graph_vectors: number(stats.graph_vectors)?,
        graph_waiting: number(stats.graph_waiting)?,
    })
}

#[napi(object, object_from_js = false, use_nullable = true)]
pub struct NativeInjectionStats {
    pub injections: f64,
    pub memories: f64,
    pub tokens: f64,
    pub judged: f64,
    pub reused: f64,
    pub judged_memories: f64,
    pub reused_memories: f64,
    pub last: Option<f64>,
}

pub fn injection_stats(stats: &InjectionStats) -> Result<NativeInjectionStats> {
    Ok(NativeInjectionStats {
        injections: number(stats.injections)?,
        memories: number(stats.memories)?,
        tokens: number(stats.tokens)?,
        judged: number(stats.judged)?,
        reused: number(stats.reused)?,
        judged_memories: number(stats.judged_memories)?,
        reused_memories: number(stats.reused_memories)?,
        last: stats.last.map(ms),
    })
}
