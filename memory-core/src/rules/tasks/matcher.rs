//! Which existing task a text refers to: candidates by exact key, alias, text and vector,
//! and the strict rule that accepts one of them.

use crate::model::error::Result;
use crate::model::read::words;
use crate::rules::tasks::blockers::TaskCandidate;
use crate::rules::tasks::entity::{EntityId, EntityKind};
use crate::rules::tasks::keys;
use crate::rules::tasks::model::Task;
use crate::rules::tasks::view::TaskView;

/// The minimum score of the best candidate for it to be accepted.
pub const MIN_STRICT_SCORE: f64 = 0.92;
/// The minimum lead of the best candidate over the second for it to be accepted.
pub const MIN_STRICT_GAP: f64 = 0.03;
/// The minimum score of a candidate for it to be suggested.
pub const SUGGESTION_SCORE: f64 = 0.75;
/// The maximum number of suggested candidates.
pub const MAX_SUGGESTIONS: usize = 5;

/// A similar vector proposes a task but never decides alone: "Deploy v1" and "Deploy v2" are
/// neighbours in every embedding, and merging them could not be undone. With this factor even
/// cosine 1 stays below [`MIN_STRICT_SCORE`].
const VECTOR_WEIGHT: f64 = 0.9;

words! {
    /// How a candidate was found.
    MatchMethod ("method") {
        /// By the same canonical key; the score is 1.
        Exact = "exact",
        /// By an earlier key of the task; the score is 0.98.
        Alias = "alias",
        /// By text search; the score is 1 for an equal title, 0.9 if the title contains the
        /// text, and 0.7 otherwise.
        Text = "text",
        /// By a similar title vector; the score is 0.9 times the cosine.
        Vector = "vector",
    }
}

/// A task that a text may refer to.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskMatch {
    /// The task.
    pub task: Task,
    /// How its best match was found.
    pub method: MatchMethod,
    /// How well it matches, from 0 to 1.
    pub score: f64,
}

/// Returns every candidate for the text, best first, each task once. `except` is left out,
/// because a task does not refer to itself when it names a blocker.
pub(crate) fn find_candidates(
    view: &dyn TaskView,
    project: &str,
    text: &str,
    except: Option<&EntityId>,
) -> Result<Vec<TaskMatch>> {
    let text = text.trim();
    let mut found: Vec<TaskMatch> = Vec::new();
    let mut add =
        |id: &EntityId, method: MatchMethod, score: &dyn Fn(&Task) -> f64| -> Result<()> {
            if except == Some(id) {
                return Ok(());
            }
            let Some(task) = view.task(id)? else {
                return Ok(());
            };
            let score = score(&task).clamp(0.0, 1.0);
            match found.iter_mut().find(|m| m.task.id == *id) {
                Some(known) if known.score >= score => {}
                Some(known) => (known.method, known.score) = (method, score),
                None => found.push(TaskMatch {
                    task,
                    method,
                    score,
                }),
            }
            Ok(())
        };
    if let Some(key) = keys::task_key(project, text)
        && let Some(hit) = view.find(EntityKind::Task, &key)?
    {
        if hit.is_primary {
            add(&hit.id, MatchMethod::Exact, &|_| 1.0)?;
        } else {
            add(&hit.id, MatchMethod::Alias, &|_| 0.98)?;
        }
    }
    let norm = keys::title_norm(text);
    if !norm.is_empty() {
        for id in view.search_titles(project, text, MAX_SUGGESTIONS)? {
            add(&id, MatchMethod::Text, &|task| text_score(&norm, task))?;
        }
        for (id, cosine) in view.similar_titles(project, text, MAX_SUGGESTIONS)? {
            let cosine = if cosine.is_finite() { cosine } else { 0.0 };
            add(&id, MatchMethod::Vector, &|_| VECTOR_WEIGHT * cosine)?;
        }
    }
    // Ties are ordered by id, so that the answer never depends on the order in which the
    // indexes return hits.
    found.sort_by(|a, b| {
        b.score
            .total_cmp(&a.score)
            .then_with(|| a.task.id.cmp(&b.task.id))
    });
    Ok(found)
}

fn text_score(norm: &str, task: &Task) -> f64 {
    let title = keys::title_norm(&task.title);
    if title == norm {
        1.0
    } else if title.contains(norm) {
        0.9
    } else {
        0.7
    }
}

/// Returns the one task that is beyond doubt: an open task with at least
/// [`MIN_STRICT_SCORE`] that leads the next open one by at least [`MIN_STRICT_GAP`].
pub(crate) fn strict_match(candidates: &[TaskMatch]) -> Option<&TaskMatch> {
    let mut open = candidates.iter().filter(|m| m.task.status().is_open());
    let top = open.next()?;
    let leads = open
        .next()
        .is_none_or(|second| top.score - second.score >= MIN_STRICT_GAP);
    (top.score >= MIN_STRICT_SCORE && leads).then_some(top)
}

/// Returns the candidates worth asking about: at most [`MAX_SUGGESTIONS`] open tasks with
/// at least [`SUGGESTION_SCORE`].
pub(crate) fn suggestions(candidates: &[TaskMatch]) -> Vec<TaskCandidate> {
    candidates
        .iter()
        .filter(|m| m.score >= SUGGESTION_SCORE && m.task.status().is_open())
        .take(MAX_SUGGESTIONS)
        .map(|m| TaskCandidate {
            entity_id: m.task.id.clone(),
            title: m.task.title.clone(),
            score: m.score,
        })
        .collect()
}
