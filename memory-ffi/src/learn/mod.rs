//! What conversations teach: quotes are aligned, extractions taken in, tasks and
//! knowledge kept, memories graduated and consolidated.

pub mod ingest;

pub mod task_lists;

pub mod endless;

#[cfg(test)]
mod endless_config;
