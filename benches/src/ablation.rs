//! What each part of the recipe contributes: the same questions with one part switched off, and
//! each retriever alone.

use std::path::Path;

use recallite::{Memory, Query, RecallWeights, SearchResult};

use crate::Result;
use crate::embedder::Choice;
use crate::score::Measures;

/// A recipe and its name.
type Recipe = (&'static str, fn(&mut RecallWeights));

const RECIPES: &[Recipe] = &[
    ("full", |_| {}),
    ("without query expansion", |w| w.query_expansion = 0.0),
    ("without context of neighbours", without_context),
    ("  neighbours' scores alone out", |w| w.context_scores = 0.0),
    ("  neighbours' words alone out", |w| w.context_words = 0.0),
    ("  answers after questions out", |w| {
        w.fixed().after_question = 0.0
    }),
    ("  damping of long turns out", |w| {
        w.fixed().long_turn_damping = 0.0
    }),
    ("without cues", without_cues),
    ("  speaker cue out", |w| w.named_actor = 0.0),
    ("  date cue out", |w| w.date = 0.0),
    ("  time-word cue out", |w| w.fixed().temporal = 0.0),
    ("  question penalty out", |w| {
        w.fixed().question_penalty = 0.0
    }),
    ("  own prompts out", |w| w.own_prompts = 0.0),
    ("  definitions out", |w| w.fixed().definitions = 0.0),
    ("  comments of definitions out", |w| {
        w.fixed().doc_comments = 0.0
    }),
    ("without similarity", without_similarity),
    ("without phrase proximity", |w| {
        w.fixed().phrase_proximity = 0.0
    }),
    ("without the union of passages", |w| {
        w.fixed().passage_union = 0.0
    }),
    ("without demoting copies", |w| w.duplicate_demotion = 0.0),
    ("without levels", |w| w.fixed().level = 0.0),
    ("expanded words alone", |w| {
        *w = RecallWeights::none();
        w.query_expansion = RecallWeights::default().query_expansion;
    }),
    ("exact words alone", |w| *w = RecallWeights::none()),
];

fn without_context(weights: &mut RecallWeights) {
    weights.context_scores = 0.0;
    weights.context_words = 0.0;
    weights.fixed().after_question = 0.0;
}

fn without_cues(weights: &mut RecallWeights) {
    weights.named_actor = 0.0;
    weights.date = 0.0;
    weights.fixed().temporal = 0.0;
    weights.fixed().question_penalty = 0.0;
    weights.own_prompts = 0.0;
    weights.fixed().definitions = 0.0;
    weights.fixed().doc_comments = 0.0;
    weights.fixed().recent = 0.0;
    weights.fixed().sessions = 0.0;
}

fn without_similarity(weights: &mut RecallWeights) {
    weights.similarity_by_words = 0.0;
    weights.similarity_by_vectors = 0.0;
}

/// The measures of every variant so far.
#[derive(Debug, Default)]
pub(crate) struct Ablation {
    recipes: Vec<Measures>,
    vectors: Option<Measures>,
}

/// One store, opened once and used for every recipe.
pub(crate) struct Opened {
    recipes: Vec<Memory>,
    vectors: Option<Memory>,
}

impl Opened {
    /// Opens the store in a folder; its events already have vectors.
    pub(crate) fn new(embedder: &Choice, path: &Path) -> Result<Self> {
        let open = |change: fn(&mut RecallWeights)| {
            let mut weights = RecallWeights::default();
            change(&mut weights);
            embedder.open_with(path, weights)
        };
        Ok(Opened {
            recipes: RECIPES
                .iter()
                .map(|(_, change)| open(*change))
                .collect::<Result<_>>()?,
            vectors: match embedder.model() {
                Some(_) => Some(open(|w| {
                    *w = RecallWeights::none();
                    w.similarity_by_vectors = RecallWeights::default().similarity_by_vectors;
                })?),
                None => None,
            },
        })
    }
}

impl Ablation {
    /// Asks every variant. `score` computes the measures of a result.
    pub(crate) fn ask(
        &mut self,
        opened: &Opened,
        embedder: &Choice,
        question: &str,
        limit: usize,
        mut score: impl FnMut(&SearchResult) -> Result<Measures>,
    ) -> Result<()> {
        self.recipes.resize(RECIPES.len(), Measures::default());
        for (memory, sums) in opened.recipes.iter().zip(&mut self.recipes) {
            let found = memory.search(Query::new(question).limit(limit))?;
            sums.add(&score(&found)?);
        }
        if let Some(memory) = &opened.vectors {
            let sums = self.vectors.get_or_insert_default();
            let found = match embedder.vectors(&[question])?.pop().flatten() {
                // A vector without a text, so that no word can match.
                Some(vector) => memory.search(Query::new("").vector(vector).limit(limit))?,
                None => SearchResult::default(),
            };
            sums.add(&score(&found)?);
        }
        Ok(())
    }

    pub(crate) fn print(&self, title: &str) {
        println!("{title}");
        println!(
            "{:36} {:>7} {:>7} {:>7}",
            "recipe", "hit@10", "R@10", "nDCG@10"
        );
        let names = RECIPES.iter().map(|(name, _)| *name);
        let all = names
            .zip(&self.recipes)
            .chain(self.vectors.iter().map(|sums| ("vectors alone", sums)));
        for (name, sums) in all {
            let [hit, recall, ndcg] = sums.at_ten();
            println!("{name:36} {hit:>7.4} {recall:>7.4} {ndcg:>7.4}");
        }
    }
}
