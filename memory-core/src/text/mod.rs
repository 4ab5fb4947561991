//! Pure functions over text: keys, hashes, citations, tokens, summaries, tool
//! observations. Nothing here touches the disk.

pub mod citation;
pub mod tool;
