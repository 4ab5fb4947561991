//! What each part of the recipe contributes: the same questions with one part switched off, with
//! other weights, and each retriever alone.

use std::path::Path;

use recallite::{Memory, Query, RecallWeights, SearchResult};

use crate::Result;
use crate::arguments::Arguments;
use crate::embedder::Choice;
use crate::score::Measures;
use crate::statistics::{Estimate, estimate, macro_mean, micro_mean};

/// A recipe and its name.
pub(crate) type Recipe = (&'static str, fn(&mut RecallWeights));

/// The name of the recipe in force, to which the others are compared.
const FULL: &str = "full";

/// All parts; an indented row is a part of the row above it.
const RECIPES: &[Recipe] = &[
    (FULL, |_| {}),
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
    ("  preferences out", |w| w.fixed().preferences = 0.0),
    ("  definitions out", |w| w.fixed().definitions = 0.0),
    ("  comments of definitions out", |w| {
        w.fixed().doc_comments = 0.0
    }),
    ("  recent events out", |w| w.fixed().recent = 0.0),
    ("  sessions of several matches out", |w| {
        w.fixed().sessions = 0.0
    }),
    ("without similarity", without_similarity),
    ("without phrase proximity", |w| {
        w.fixed().phrase_proximity = 0.0
    }),
    ("without the union of passages", |w| {
        w.fixed().passage_union = 0.0
    }),
    ("without demoting copies", |w| w.duplicate_demotion = 0.0),
    ("expanded words alone", |w| {
        *w = RecallWeights::none();
        w.query_expansion = RecallWeights::default().query_expansion;
    }),
    ("exact words alone", |w| *w = RecallWeights::none()),
];

/// Levels, which only count in a store whose memories were used.
const LEVELS: &[Recipe] = &[
    (FULL, |_| {}),
    ("without levels", |w| w.fixed().level = 0.0),
    ("levels counting five times as much", |w| {
        w.fixed().level *= 5.0
    }),
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
    weights.fixed().preferences = 0.0;
    weights.fixed().definitions = 0.0;
    weights.fixed().doc_comments = 0.0;
    weights.fixed().recent = 0.0;
    weights.fixed().sessions = 0.0;
}

fn without_similarity(weights: &mut RecallWeights) {
    weights.similarity_by_words = 0.0;
    weights.similarity_by_vectors = 0.0;
}

/// How a question was answered: its category, and the measures of [`Measures::at_ten`].
type Scored = (String, [f64; 3]);

/// The measures of every variant so far.
pub(crate) struct Ablation {
    recipes: Vec<(String, RecallWeights)>,
    /// For each recipe, its questions in the order in which they were asked.
    scored: Vec<Vec<Scored>>,
    /// Those of the recipe without the embedder, and of the vectors alone; empty without an
    /// embedder.
    without_embedder: Vec<Scored>,
    by_vectors: Vec<Scored>,
}

/// One store, opened once and used for every recipe.
pub(crate) struct Opened {
    recipes: Vec<Memory>,
    model: Option<OpenedForModel>,
}

/// The same store for the two comparisons that need a model.
struct OpenedForModel {
    without_embedder: Memory,
    vectors_alone: Memory,
}

impl Ablation {
    /// Measures what `--ablation` and `--recipes` ask for; `None` if neither is given.
    pub(crate) fn of(arguments: &Arguments) -> Result<Option<Self>> {
        let mut recipes: Vec<(String, RecallWeights)> = match arguments.has("ablation") {
            true => RECIPES.iter().map(changed).collect(),
            false => vec![changed(&RECIPES[0])],
        };
        match arguments.choice("recipes") {
            Some(all) => recipes.extend(
                all.split(';')
                    .map(|text| Ok((text.trim().to_owned(), weights_of(text)?)))
                    .collect::<Result<Vec<_>>>()?,
            ),
            None if !arguments.has("ablation") => return Ok(None),
            None => {}
        }
        Ok(Some(Self::of_recipes(recipes)))
    }

    /// Measures what levels contribute.
    pub(crate) fn of_levels() -> Self {
        Self::of_recipes(LEVELS.iter().map(changed).collect())
    }

    fn of_recipes(recipes: Vec<(String, RecallWeights)>) -> Self {
        Ablation {
            scored: vec![Vec::new(); recipes.len()],
            recipes,
            without_embedder: Vec::new(),
            by_vectors: Vec::new(),
        }
    }

    /// Opens the store in a folder; its events already have vectors.
    pub(crate) fn open(&self, embedder: &Choice, path: &Path) -> Result<Opened> {
        let all = self.recipes.iter();
        let all = all.map(|(_, weights)| embedder.open_with(path, *weights));
        Ok(Opened {
            recipes: all.collect::<Result<_>>()?,
            model: match embedder.model() {
                Some(_) => {
                    let mut alone = RecallWeights::none();
                    alone.similarity_by_vectors = RecallWeights::default().similarity_by_vectors;
                    Some(OpenedForModel {
                        without_embedder: Memory::builder().open(path)?,
                        vectors_alone: embedder.open_with(path, alone)?,
                    })
                }
                None => None,
            },
        })
    }

    /// Asks every variant a question of a category. `score` computes the measures of a result.
    pub(crate) fn ask(
        &mut self,
        opened: &Opened,
        embedder: &Choice,
        category: &str,
        query: &Query,
        mut score: impl FnMut(&SearchResult) -> Result<Measures>,
    ) -> Result<()> {
        let mut scored = |found: &SearchResult| -> Result<Scored> {
            Ok((category.to_owned(), score(found)?.at_ten()))
        };
        for (memory, all) in opened.recipes.iter().zip(&mut self.scored) {
            all.push(scored(&memory.search(query.clone())?)?);
        }
        if let Some(opened) = &opened.model {
            let found = opened.without_embedder.search(query.clone())?;
            self.without_embedder.push(scored(&found)?);
            let found = match embedder.vectors(&[&query.text])?.pop().flatten() {
                Some(vector) => {
                    // A vector without a text, so that no word can match.
                    let mut query = query.clone().vector(vector);
                    query.text.clear();
                    opened.vectors_alone.search(query)?
                }
                None => SearchResult::default(),
            };
            self.by_vectors.push(scored(&found)?);
        }
        Ok(())
    }

    /// Prints the variants, and what each gains or loses compared with the full recipe.
    pub(crate) fn print(&self, title: &str) {
        for line in self.lines(title) {
            println!("{line}");
        }
    }

    fn lines(&self, title: &str) -> Vec<String> {
        let Some(full) = self.scored.first().filter(|full| !full.is_empty()) else {
            return Vec::new();
        };
        let mut lines = vec![
            format!("{title} ({} questions)", full.len()),
            format!(
                "{:36} {:^20}  {:^14}  {:^25} {:^25} {:^25}",
                "", "micro", "macro", "change, micro", "", "change, macro"
            ),
            format!(
                "{:36} {:>6} {:>6} {:>6}  {:>6} {:>7}  {:^25} {:^25} {:^25}",
                "recipe", "hit@10", "R@10", "nDCG", "R@10", "nDCG", "R@10", "nDCG@10", "nDCG@10"
            ),
        ];
        let names = self.recipes.iter().map(|(name, _)| &**name);
        let with_model = [
            ("without the embedder", &self.without_embedder),
            ("vectors alone", &self.by_vectors),
        ];
        let with_model = with_model.into_iter().filter(|(_, all)| !all.is_empty());
        for (name, scored) in names.zip(&self.scored).chain(with_model) {
            let [hit, recall, ndcg] =
                [0, 1, 2].map(|column| micro_mean(&column_of(scored, column)));
            let [macro_recall, macro_ndcg] =
                [1, 2].map(|column| macro_mean(&column_of(scored, column)));
            let mut line = format!(
                "{name:36} {hit:>6.4} {recall:>6.4} {ndcg:>6.4}  {macro_recall:>6.4} {macro_ndcg:>7.4}"
            );
            if name != FULL {
                line += &[(1, micro_mean as Figure), (2, micro_mean), (2, macro_mean)]
                    .map(|(column, figure)| change(full, scored, column, figure))
                    .concat();
            }
            lines.push(line);
        }
        lines
    }
}

/// The recipe in force with a change.
fn changed((name, change): &Recipe) -> (String, RecallWeights) {
    let mut weights = RecallWeights::default();
    change(&mut weights);
    ((*name).to_owned(), weights)
}

/// The recipe in force with other weights, given as `name=value,name=value`.
fn weights_of(text: &str) -> Result<RecallWeights> {
    let mut weights = RecallWeights::default();
    for setting in text.split(',') {
        let (name, value) = setting
            .split_once('=')
            .ok_or_else(|| format!("{setting:?} is not of the form name=value"))?;
        let (name, value) = (name.trim(), value.trim().parse()?);
        match RecallWeights::NAMES.contains(&name) {
            true => weights.set(name, value)?,
            false => weights.fixed().set(name, value)?,
        }
    }
    Ok(weights)
}

/// The values of questions with their categories.
type Column<'a> = Vec<(&'a str, f64)>;
/// Summarises values.
type Figure = fn(&[(&str, f64)]) -> f64;

fn column_of(scored: &[Scored], column: usize) -> Column<'_> {
    let values = scored.iter();
    values
        .map(|(category, measures)| (&**category, measures[column]))
        .collect()
}

/// The difference between a recipe and the full one over the same questions, with its interval.
fn change(full: &[Scored], scored: &[Scored], column: usize, figure: Figure) -> String {
    let pairs = column_of(full, column)
        .into_iter()
        .zip(column_of(scored, column));
    let changes: Column<'_> = pairs
        .map(|((category, full), (_, value))| (category, value - full))
        .collect();
    let Estimate { value, low, high } = estimate(&changes, figure);
    // Without the sign of a negative zero.
    let [value, low, high] = [value, low, high].map(|x| (x * 1e4).round() / 1e4 + 0.0);
    format!("  {value:>+7.4} [{low:+.4}, {high:+.4}]")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An ablation over questions of two categories, as the full recipe and without levels
    /// answered them.
    fn ablation(full: &[(&str, f64)], without: &[(&str, f64)]) -> Ablation {
        let scored = |values: &[(&str, f64)]| {
            let all = values.iter();
            all.map(|(category, value)| ((*category).to_owned(), [*value; 3]))
                .collect()
        };
        Ablation {
            recipes: LEVELS[..2].iter().map(changed).collect(),
            scored: vec![scored(full), scored(without)],
            without_embedder: Vec::new(),
            by_vectors: Vec::new(),
        }
    }

    #[test]
    fn a_change_is_paired_and_has_its_interval() {
        let full = [("a", 1.0), ("a", 0.0), ("a", 1.0), ("b", 1.0)];
        let without = [("a", 0.5), ("a", 0.5), ("a", 1.0), ("b", 0.0)];
        let lines = ablation(&full, &without).lines("parts");
        assert_eq!(lines.len(), 5, "{lines:#?}");
        assert!(lines[0].contains("4 questions"));
        // Micro .75, macro 5/6.
        assert!(lines[3].contains("0.7500 0.7500 0.7500  0.8333  0.8333"));
        assert!(!lines[3].contains('['), "{}", lines[3]);
        // A quarter of a point less over questions, half of one over categories.
        assert!(lines[4].contains("0.5000 0.5000 0.5000  0.3333  0.3333"));
        assert_eq!(lines[4].matches("-0.2500 [").count(), 2, "{}", lines[4]);
        assert_eq!(lines[4].matches("-0.5000 [").count(), 1, "{}", lines[4]);
    }

    #[test]
    fn a_recipe_that_changes_nothing_has_no_interval_to_speak_of() {
        let full = [("a", 1.0), ("b", 0.25)];
        let lines = ablation(&full, &full).lines("parts");
        let nothing = "+0.0000 [+0.0000, +0.0000]";
        assert_eq!(lines[4].matches(nothing).count(), 3, "{}", lines[4]);
        assert!(Ablation::of_levels().lines("parts").is_empty());
    }

    #[test]
    fn recipes_of_the_command_line_are_weights_by_name() {
        let parse = |text: &str| {
            let words = ["--recipes", text].map(str::to_owned);
            Ablation::of(&Arguments::of_part(words.into_iter()).unwrap())
        };
        let recipes = parse("date=0, level=.5;definitions=0")
            .unwrap()
            .unwrap()
            .recipes;
        assert_eq!(recipes[0], (FULL.to_owned(), RecallWeights::default()));
        let mut wanted = RecallWeights::default();
        (wanted.date, wanted.fixed().level) = (0.0, 0.5);
        assert_eq!(recipes[1], ("date=0, level=.5".to_owned(), wanted));
        assert_eq!(recipes.len(), 3);
        for wrong in ["date", "date=much", "colour=1", "date=11"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_recipe_but_the_full_one_differs_from_the_default() {
        for recipes in [RECIPES, LEVELS] {
            for (name, change) in recipes {
                let mut weights = RecallWeights::default();
                change(&mut weights);
                let is_default = weights == RecallWeights::default();
                assert_eq!(is_default, *name == FULL, "{name}");
            }
        }
    }

    #[test]
    fn no_part_of_the_recipe_is_without_a_row() {
        let mut weights = RecallWeights::default();
        for (name, change) in RECIPES.iter().chain(&LEVELS[..2]) {
            if !name.ends_with("words alone") {
                change(&mut weights);
            }
        }
        // Nothing in these sets is contested, and shares count only with their weight.
        weights.contested_demotion = 0.0;
        let fixed = weights.fixed();
        for share in [
            &mut fixed.score_previous,
            &mut fixed.score_next,
            &mut fixed.score_second_previous,
            &mut fixed.score_second_next,
            &mut fixed.words_previous,
            &mut fixed.words_next,
            &mut fixed.words_second_previous,
            &mut fixed.words_second_next,
        ] {
            *share = 0.0;
        }
        assert_eq!(weights, RecallWeights::none());
    }
}
