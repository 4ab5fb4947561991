//! Pure functions over text: keys, hashes, citations, tokens, summaries, tool
//! observations. Nothing here touches the disk.

pub mod citation;
pub mod fence;
pub mod keys;
pub(crate) mod scripts;
pub mod show;
pub mod summary;
pub mod tokens;
pub mod tool;
