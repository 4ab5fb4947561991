//! What levels gain once memories were used: half of the questions of a conversation are asked and
//! what they found is recorded as used; then the other half is measured, and the same with the
//! halves exchanged.

use recallite::{EventRef, Memory, SearchResult};

use super::format::{Conversation, Level, Question};
use super::{Store, measures};
use crate::Result;
use crate::ablation::Ablation;
use crate::embedder::Choice;

/// How many hits a hook injects.
const SHOWN: usize = 5;
/// The least relevance of what it injects.
const MIN_RELEVANCE: f32 = 0.08;
/// How often an answer is used in each of so many sessions: enough for the highest level.
const TIMES: usize = 3;
const SESSIONS: usize = 4;
/// An event rises by one level in a call.
const LEVELS: usize = 4;

/// What of the hits of a question counts as used.
#[derive(Clone, Copy)]
enum Use {
    /// What a hook would inject, once, with its relevance.
    Shown,
    /// The answers among the first ten hits, until they reach the highest level.
    Answers,
}

/// The measures after each kind of use.
pub(super) struct Used(Vec<AfterUse>);

/// The measures after a kind of use, and how many events had reached each level.
struct AfterUse {
    of: Use,
    ablation: Ablation,
    events: [u64; LEVELS + 1],
}

impl Default for Used {
    fn default() -> Self {
        let after = |of| AfterUse {
            of,
            ablation: Ablation::of_levels(),
            events: Default::default(),
        };
        Used(vec![after(Use::Shown), after(Use::Answers)])
    }
}

impl Used {
    /// Asks the questions of a conversation.
    pub(super) fn ask(
        &mut self,
        embedder: &Choice,
        level: Level,
        conversation: &Conversation,
    ) -> Result<()> {
        for after in &mut self.0 {
            for half in 0..2 {
                let folder = tempfile::tempdir()?;
                let store = Store::new(embedder, folder.path(), conversation, &|_| true)?;
                let (first, others) = halves(&conversation.questions, half);
                for question in first {
                    after.of.record(&store, level, question)?;
                }
                for _ in 0..LEVELS {
                    store.memory.levels().graduate(usize::MAX)?;
                }
                let counts = store.memory.levels().counts()?;
                let counts = [counts.l0, counts.l1, counts.l2, counts.l3, counts.l4];
                after
                    .events
                    .iter_mut()
                    .zip(counts)
                    .for_each(|(sum, n)| *sum += n);
                let opened = after.ablation.open(embedder, folder.path())?;
                for question in others.iter().filter(|q| !q.evidence.is_empty()) {
                    let query = store.query(question)?;
                    after
                        .ablation
                        .ask(&opened, embedder, &question.category, &query, |found| {
                            Ok(measures(level, &store, found, question))
                        })?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn print(&self) {
        for after in &self.0 {
            after.ablation.print(match after.of {
                Use::Shown => "levels, after the first hits to other questions were injected once",
                Use::Answers => "levels, after the answers to other questions reached L4",
            });
            println!("events at L0 to L4: {:?}", after.events);
        }
    }
}

/// Every other question, and the rest.
fn halves(questions: &[Question], half: usize) -> (Vec<&Question>, Vec<&Question>) {
    let numbered = questions.iter().enumerate();
    let (first, others): (Vec<_>, Vec<_>) = numbered.partition(|(n, _)| n % 2 == half);
    let questions = |all: Vec<(usize, _)>| all.into_iter().map(|(_, question)| question).collect();
    (questions(first), questions(others))
}

impl Use {
    /// Asks a question and records what it found as used.
    fn record(self, store: &Store<'_>, level: Level, question: &Question) -> Result<()> {
        let found = store.memory.search(store.query(question)?)?;
        match self {
            Use::Shown => {
                let shown = found.items.iter().take(SHOWN);
                for hit in shown.filter(|hit| hit.relevance >= MIN_RELEVANCE) {
                    let confidence = f64::from(hit.relevance);
                    record(&store.memory, &[hit.id.into()], &question.qid.0, confidence)?;
                }
            }
            Use::Answers => {
                let answers = answers(store, level, &found, question);
                for session in 0..SESSIONS {
                    for _ in 0..TIMES {
                        record(&store.memory, &answers, &format!("used {session}"), 1.0)?;
                    }
                }
            }
        }
        Ok(())
    }
}

fn record(memory: &Memory, events: &[EventRef], session: &str, confidence: f64) -> Result<()> {
    Ok(memory.levels().record_access(events, session, confidence)?)
}

/// The events among the first ten hits that answer a question.
fn answers(
    store: &Store<'_>,
    level: Level,
    found: &SearchResult,
    question: &Question,
) -> Vec<EventRef> {
    let is_answer = |row: usize| {
        let key = store.conversation.events[row].key(level);
        question.evidence.iter().any(|name| name.0 == key)
    };
    let hits = found.items.iter().take(10);
    hits.filter(|hit| store.rows.get(&hit.id).is_some_and(|row| is_answer(*row)))
        .map(|hit| hit.id.into())
        .collect()
}

#[cfg(test)]
mod tests {
    use recallite::{EventId, Query};

    use super::*;
    use crate::corpus::format::Corpus;

    /// A conversation of eight notes, alike but for a number, and a question about each.
    fn corpus() -> Corpus {
        let event = |n: usize| {
            serde_json::json!({
                "eid": format!("e{n}"), "session": "s", "kind": "user_prompt",
                "text": format!("The harbour office rents berth number {n} to the ferry.")
            })
        };
        let question = |n: usize| {
            serde_json::json!({
                "qid": n, "category": "fact", "question": format!("who rents berth number {n}?"),
                "evidence": [format!("e{n}")]
            })
        };
        let corpus = serde_json::json!({
            "name": "berths", "level": "turn", "conversations": [{
                "id": "c",
                "events": (1..9).map(event).collect::<Vec<_>>(),
                "questions": (1..9).map(question).collect::<Vec<_>>(),
            }]
        });
        serde_json::from_value(corpus).unwrap()
    }

    #[test]
    fn halves_hold_each_question_once() {
        let corpus = corpus();
        let questions = &corpus.conversations[0].questions;
        for half in 0..2 {
            let (first, others) = halves(questions, half);
            assert_eq!((first.len(), others.len()), (4, 4));
            assert_eq!(first[0].qid, questions[half].qid);
            assert_eq!(others[0].qid, questions[1 - half].qid);
        }
    }

    #[test]
    fn answers_that_are_used_rise_to_the_top_and_what_was_shown_does_not() {
        let corpus = corpus();
        let mut used = Used::default();
        let embedder = Choice::of(&Default::default()).unwrap();
        used.ask(&embedder, corpus.level, &corpus.conversations[0])
            .unwrap();
        let [shown, answers] = [&used.0[0], &used.0[1]];
        // Each half of four in a store of eight.
        assert_eq!(answers.events.iter().sum::<u64>(), 16);
        assert_eq!(answers.events[4], 8);
        assert_eq!(shown.events.iter().sum::<u64>(), 16);
        assert_eq!(shown.events[4], 0);
    }

    #[test]
    fn what_a_question_shows_is_recorded_in_its_name() {
        let corpus = corpus();
        let conversation = &corpus.conversations[0];
        let embedder = Choice::of(&Default::default()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(&embedder, folder.path(), conversation, &|_| true).unwrap();
        Use::Shown
            .record(&store, corpus.level, &conversation.questions[0])
            .unwrap();
        store.memory.levels().graduate(usize::MAX).unwrap();
        let found = store.memory.search(Query::new("berth number 1")).unwrap();
        let first: EventId = found.items[0].id;
        let usage = store.memory.levels().get(first).unwrap().usage.unwrap();
        assert!(usage.access_count >= 1);
        assert_eq!(usage.cross_session_refs, 1);
    }
}
