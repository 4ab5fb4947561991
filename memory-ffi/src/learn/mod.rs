//! What conversations teach: quotes are aligned, extractions are taken in, tasks and
//! knowledge are kept, and memories are graduated and consolidated.

pub mod ingest;

pub mod task_lists;

pub mod endless;
