//! What conversations teach: quotes are aligned, extractions taken in, tasks and
//! knowledge kept, memories graduated and consolidated.

pub mod align;

pub mod ingest;

pub mod task_lists;

pub mod task_acts;

pub mod graph;

pub mod endless;

pub mod endless_config;

pub mod decisions;
