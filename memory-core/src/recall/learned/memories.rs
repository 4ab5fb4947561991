//! Finds consolidated memories by text for endless mode, including those that no event proves
//! beyond a summary.

use std::collections::HashMap;

use crate::engine::Engine;
use crate::engine::learned_index::LearnedQuery;
use crate::model::error::Result;
use crate::model::learned::LearnedKind;
use crate::projection::rows;
use crate::recall::learned::{coverage, is_about_something, weight};
use crate::recall::read::filtered_question;
use crate::rules::asking::Asked;
use crate::rules::endless::ConsolidatedMemory;
use crate::store::ReadTx;

/// The consolidated memories that match a text, the most relevant first, each with its
/// relevance from 0 to 1. The text is filtered like any question.
pub(crate) fn matching_memories(
    engine: &Engine,
    read: &ReadTx,
    text: &str,
) -> Result<Vec<(ConsolidatedMemory, f64)>> {
    let about = Asked::of(&filtered_question(engine, text)).about;
    if !is_about_something(&about) {
        return Ok(Vec::new());
    }
    let rows = read.projected()?;
    let found = engine.learned_index.search(
        &engine.lexical,
        read,
        &rows,
        LearnedQuery {
            text: &about,
            kinds: LearnedKind::Memory.bit(),
            listed: None,
            most: weight::CANDIDATES,
            given: weight::CANDIDATES,
            deadline: None,
        },
    )?;
    let mut matching = Vec::new();
    for one in found.matches {
        let coverage = coverage(&one, &HashMap::new());
        let id = one.learned.id.as_bytes();
        if coverage >= weight::LEAST
            && let Some(memory) = rows::get::<ConsolidatedMemory>(&rows, id)?
        {
            let relevance = f64::from(coverage) * memory.confidence;
            matching.push((memory, relevance));
        }
    }
    matching.sort_by(|(a, of_a), (b, of_b)| {
        of_b.total_cmp(of_a)
            .then_with(|| b.created_at.cmp(&a.created_at))
            .then_with(|| a.memory_id.cmp(&b.memory_id))
    });
    Ok(matching)
}
