//! What was learned from conversations: entries, tasks, the graph
//! between them, the history of the pipeline, levels and the endless mode.

mod ingest;
mod summarize;
mod tasks;
