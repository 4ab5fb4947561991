//! The outbox in the store: which items still need a vector. Jobs are written
//! with the item in one transaction, and only while there is an embedder whose
//! vectors are kept.

use serde_json::{Value, json};

use super::rows;
use crate::model::error::Result;
use crate::model::json::Json;
use crate::model::read::Element;
use crate::model::time::Timestamp;
use crate::store::projected::{ProjectedMut, Rows, Shelf};
use crate::upkeep::outbox::{
    self, ItemKind, Job, JobId, JobKey, JobStatus, OutboxMetrics, OutboxTable,
};

/// The setting that names the embedder whose vectors are kept in the store.
pub(crate) const EMBEDDING_VERSION: &str = "embedding_version";

/// Enqueues a job when the store keeps vectors of an embedder.
pub(crate) fn wants_vector(
    rows: &mut ProjectedMut<'_>,
    kind: ItemKind,
    id: &str,
    at: Timestamp,
) -> Result<()> {
    let version = rows::get(rows, Shelf::Setting, EMBEDDING_VERSION.as_bytes())?
        .and_then(|row| row["value"].as_str().map(str::to_owned));
    if let Some(version) = version {
        outbox::enqueue(&mut Jobs(rows), JobKey::new(kind, id, version), at)?;
    }
    Ok(())
}

/// The jobs of a store.
pub(crate) struct Jobs<'a, 't>(pub(crate) &'a mut ProjectedMut<'t>);

fn item_key(key: &JobKey) -> Vec<u8> {
    rows::joined(&[key.item_kind.as_str(), &key.item_id, &key.embedding_version])
}

fn job_from(json: &Json) -> Result<Job> {
    let value = json.to_value();
    let root = Element::root("job", &value);
    Ok(Job {
        id: JobId(root.required("id")?.u64()?),
        key: JobKey {
            item_kind: root.required("item_kind")?.parse()?,
            item_id: root.required("item_id")?.text()?,
            embedding_version: root.required("embedding_version")?.string()?,
        },
        status: root.required("status")?.parse()?,
        retry_count: root.required("retry_count")?.u32()?,
        error: root.optional_string("error")?,
        skipped: root.optional_string("skipped")?,
        created_at: root.required("created_at")?.time()?,
        updated_at: root.required("updated_at")?.time()?,
        processing_ms: value["processing_ms"].as_i64(),
    })
}

fn job_value(job: &Job) -> Value {
    json!({
        "id": job.id.0,
        "item_kind": job.key.item_kind.as_str(),
        "item_id": job.key.item_id,
        "embedding_version": job.key.embedding_version,
        "status": job.status.as_str(),
        "retry_count": job.retry_count,
        "error": job.error,
        "skipped": job.skipped,
        "created_at": job.created_at.millis(),
        "updated_at": job.updated_at.millis(),
        "processing_ms": job.processing_ms,
    })
}

fn all(rows: &dyn Rows) -> Result<Vec<Job>> {
    rows::all(rows, Shelf::Job, &[], job_from)
}

impl OutboxTable for Jobs<'_, '_> {
    fn find(&self, key: &JobKey) -> Result<Option<Job>> {
        let Some(id) = self.0.get(Shelf::JobOfItem, &item_key(key))? else {
            return Ok(None);
        };
        rows::get_typed(self.0, Shelf::Job, &id, job_from)
    }

    fn job(&self, id: JobId) -> Result<Option<Job>> {
        rows::get_typed(self.0, Shelf::Job, &id.0.to_be_bytes(), job_from)
    }

    fn with_status(&self, status: JobStatus, limit: usize) -> Result<Vec<Job>> {
        let mut jobs: Vec<Job> = all(self.0)?
            .into_iter()
            .filter(|job| job.status == status)
            .collect();
        jobs.sort_by_key(|job| (job.created_at, job.id));
        jobs.truncate(limit);
        Ok(jobs)
    }

    fn next_id(&mut self) -> Result<JobId> {
        let next = rows::get(self.0, Shelf::Cursor, b"job")?
            .and_then(|row| row.as_u64())
            .unwrap_or(0)
            + 1;
        rows::put(self.0, Shelf::Cursor, b"job", &next.into())?;
        Ok(JobId(next))
    }

    fn put(&mut self, job: Job) -> Result<()> {
        let id = job.id.0.to_be_bytes();
        self.0.put(Shelf::JobOfItem, &item_key(&job.key), &id)?;
        rows::put(self.0, Shelf::Job, &id, &job_value(&job))
    }

    fn remove(&mut self, id: JobId) -> Result<()> {
        if let Some(job) = self.job(id)? {
            self.0.remove(Shelf::JobOfItem, &item_key(&job.key))?;
        }
        self.0.remove(Shelf::Job, &id.0.to_be_bytes())?;
        Ok(())
    }
}

/// How the outbox stands.
pub(crate) fn metrics(rows: &mut ProjectedMut<'_>, now: Timestamp) -> Result<OutboxMetrics> {
    outbox::metrics(&Jobs(rows), now)
}
