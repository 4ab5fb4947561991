//! Keeps one hit of those that say the same.

use std::cell::OnceCell;

use crate::model::learned::{LearnedHit, LearnedKind, Proof};
use crate::text::keys::{canonical_key, normalize};

/// Hits of which no two say the same, with their ranks.
#[derive(Default)]
pub(super) struct DistinctHits(Vec<Ranked>);

struct Ranked {
    rank: f32,
    hit: LearnedHit,
    /// What is compared of it; `None` for kinds that are not.
    words: Option<Words>,
}

/// The words of a hit in the form in which they are compared: made once, not for each comparison.
struct Words {
    title: String,
    /// The text of an entry as a title.
    text_as_title: OnceCell<String>,
    text: OnceCell<String>,
    /// Of an insight, what it says behind its name, as a title.
    said: String,
}

impl Words {
    fn of(hit: &LearnedHit) -> Option<Self> {
        let is_insight = match hit.kind {
            LearnedKind::Entry | LearnedKind::Task => false,
            LearnedKind::Insight => true,
            _ => return None,
        };
        let said = hit.title.split_once(": ").filter(|_| is_insight);
        Some(Words {
            title: canonical_key(&hit.title, None),
            text_as_title: OnceCell::new(),
            text: OnceCell::new(),
            said: canonical_key(said.map_or("", |(_, said)| said), None),
        })
    }

    fn text(&self, hit: &LearnedHit) -> &str {
        self.text.get_or_init(|| normalize(&hit.text, ' '))
    }

    fn text_as_title(&self, hit: &LearnedHit) -> &str {
        self.text_as_title
            .get_or_init(|| canonical_key(&hit.text, None))
    }
}

impl DistinctHits {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Adds a hit, unless one of those before says the same: then that one gets its proofs. An
    /// entry, which tells its state, takes the place of an insight. Returns whether it was added.
    pub(super) fn add(&mut self, rank: f32, hit: LearnedHit) -> bool {
        let words = Words::of(&hit);
        let mut new = Ranked { rank, hit, words };
        let known = self.0.iter_mut().find(|known| {
            says_the_same(known, &new) || repeats(&new, known) || repeats(known, &new)
        });
        let Some(known) = known else {
            self.0.push(new);
            return true;
        };
        if repeats(known, &new) {
            new.hit.relevance = new.hit.relevance.max(known.hit.relevance);
            std::mem::swap(&mut known.hit, &mut new.hit);
            known.words = new.words;
        }
        add_proofs(&mut known.hit, new.hit.proofs);
        false
    }

    /// The hits, the best ranked first.
    pub(super) fn into_best(mut self) -> Vec<LearnedHit> {
        self.0.sort_by(|a, b| b.rank.total_cmp(&a.rank));
        self.0.into_iter().map(|ranked| ranked.hit).collect()
    }
}

/// Whether two entries, of two sessions of a project, say the same in the same state, or two
/// insights of it, or two tasks, of two stores.
fn says_the_same(a: &Ranked, b: &Ranked) -> bool {
    let (Some(a_words), Some(b_words)) = (&a.words, &b.words) else {
        return false;
    };
    let (a, b) = (&a.hit, &b.hit);
    (a.kind, a.entry_type, a.state, a.stage) == (b.kind, b.entry_type, b.state, b.stage)
        && a.project == b.project
        && a.superseded_by == b.superseded_by
        && a_words.title == b_words.title
        && a_words.text(a) == b_words.text(b)
}

/// Whether an insight says what an entry says: the preference of which it is the insight.
fn repeats(insight: &Ranked, entry: &Ranked) -> bool {
    let (Some(insight_words), Some(entry_words)) = (&insight.words, &entry.words) else {
        return false;
    };
    let (insight, entry) = (&insight.hit, &entry.hit);
    (insight.kind, entry.kind) == (LearnedKind::Insight, LearnedKind::Entry)
        && entry.state.is_current()
        && insight.entry_type == entry.entry_type
        && (insight_words.said == entry_words.title
            || insight_words.said == entry_words.text_as_title(entry))
}

fn add_proofs(hit: &mut LearnedHit, proofs: Vec<Proof>) {
    for proof in proofs {
        if !hit.proofs.contains(&proof) {
            hit.proofs.push(proof);
        }
    }
}
