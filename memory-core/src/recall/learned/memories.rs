//! Finds consolidated memories by text for endless mode, including those that no event proves
//! beyond a summary.

use crate::engine::Engine;
use crate::engine::learned_index::LearnedQuery;
use crate::model::error::Result;
use crate::model::learned::LearnedKind;
use crate::model::query::Query;
use crate::projection::rows;
use crate::recall::learned::by_similarity::SimilarItems;
use crate::recall::learned::{QuestionWords, coverage, is_about_something, weight};
use crate::recall::ranking::searching::Answer;
use crate::recall::shown::read::FilteredQuestion;
use crate::rules::asking::Asked;
use crate::rules::endless::ConsolidatedMemory;
use crate::store::ReadTx;
use crate::store::projected_rows::projected::Projected;

/// The consolidated memories similar to a filtered text by vectors; none without an embedder,
/// or if it does not answer.
fn similar_to(
    engine: &Engine,
    read: &ReadTx,
    rows: &Projected,
    text: &str,
) -> Result<SimilarItems> {
    match Answer::of(engine, read, &Query::new(text), None)?.vector() {
        Some(vector) => SimilarItems::find(read, rows, vector, LearnedKind::Memory.bit(), None),
        None => Ok(SimilarItems::default()),
    }
}

/// The consolidated memories that match a text, the most relevant first, each with its
/// relevance from 0 to 1. The text is filtered like any question.
pub(crate) fn matching_memories(
    engine: &Engine,
    read: &ReadTx,
    text: &str,
) -> Result<Vec<(ConsolidatedMemory, f64)>> {
    let text = FilteredQuestion::of(engine, text)?.searched;
    let about = Asked::of(&text).about;
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
    let mut scored = Vec::new();
    for one in found.matches {
        let coverage = coverage(&one, &QuestionWords::default(), weight::CHANCE);
        scored.push((one.learned, coverage));
    }
    similar_to(engine, read, &rows, &text)?.join(&mut scored, weight::CANDIDATES);
    let mut matching = Vec::new();
    for (learned, coverage) in scored {
        if coverage >= weight::MIN_COVERAGE
            && let Some(memory) = rows::get::<ConsolidatedMemory>(&rows, learned.id.as_bytes())?
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
