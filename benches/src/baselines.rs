//! The baselines for recall, over the same texts in the same run: BM25 as in SQLite FTS5, an
//! embedder alone, and both fused by score.

use std::collections::HashMap;

use rusqlite::Connection;

use crate::Result;
use crate::embedder::Choice;
use crate::score::{Measures, Table};

/// How many texts a ranking contains.
const RANKED: usize = 100;

/// Words that the tuned BM25 ignores in questions.
const STOP_WORDS: &str = " a about an and any are as at be been but by can could did do does \
    for from had has have he her him his how i if in into is it its me my of on or our she so \
    that the their them then there they this to us was we were what when where which who whom \
    why will with would you your ";

/// The texts of one store under each baseline.
pub(crate) struct Baselines {
    plain: Bm25,
    tuned: Bm25,
    names: Vec<String>,
    vectors: Vec<Option<Vec<f32>>>,
}

struct Bm25 {
    database: Connection,
    without_stop_words: bool,
}

impl Bm25 {
    fn new(texts: &[(String, String)], tokenizer: &str, without_stop_words: bool) -> Result<Self> {
        let database = Connection::open_in_memory()?;
        database.execute_batch(&format!(
            "CREATE VIRTUAL TABLE texts USING fts5(body, tokenize = '{tokenizer}'); BEGIN"
        ))?;
        {
            let mut insert = database.prepare("INSERT INTO texts(rowid, body) VALUES (?1, ?2)")?;
            for (row, (_, text)) in texts.iter().enumerate() {
                insert.execute((row as i64, text))?;
            }
        }
        database.execute_batch("COMMIT")?;
        Ok(Bm25 {
            database,
            without_stop_words,
        })
    }

    /// Rows and scores, best first; any word of the question may match.
    fn search(&self, question: &str) -> Result<Vec<(usize, f64)>> {
        let words: Vec<String> = question
            .to_lowercase()
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .filter(|word| !self.without_stop_words || !STOP_WORDS.contains(&format!(" {word} ")))
            .map(|word| format!("\"{word}\""))
            .collect();
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let mut select = self.database.prepare_cached(
            "SELECT rowid, bm25(texts) FROM texts WHERE texts MATCH ?1 ORDER BY 2 LIMIT ?2",
        )?;
        let rows = select.query_map((words.join(" OR "), RANKED as i64), |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, f64>(1)?))
        })?;
        rows.map(|row| {
            let (row, score) = row?;
            Ok((usize::try_from(row)?, -score))
        })
        .collect()
    }
}

impl Baselines {
    /// Indexes texts, each given with its name.
    pub(crate) fn new(texts: &[(String, String)], embedder: &Choice) -> Result<Self> {
        let bodies: Vec<&str> = texts.iter().map(|(_, text)| text.as_str()).collect();
        Ok(Baselines {
            plain: Bm25::new(texts, "unicode61", false)?,
            tuned: Bm25::new(texts, "porter unicode61", true)?,
            names: texts.iter().map(|(name, _)| name.clone()).collect(),
            vectors: embedder.vectors(&bodies)?,
        })
    }

    /// Adds the measures of every baseline to the tables.
    pub(crate) fn score(
        &self,
        question: &str,
        evidence: &[String],
        embedder: &Choice,
        table: &mut Table,
    ) -> Result<()> {
        let asked = embedder.vectors(&[question])?.pop().flatten();
        let plain = self.plain.search(question)?;
        let tuned = self.tuned.search(question)?;
        let near = self.nearest(asked.as_deref());
        let fused = fuse(&tuned, &near);
        let bm25_fused = fuse(&plain, &near);
        for (name, ranking) in [
            ("BM25", &plain),
            ("BM25, stems, no stop words", &tuned),
            ("embedder alone", &near),
            ("BM25 + embedder", &bm25_fused),
            ("tuned BM25 + embedder", &fused),
        ] {
            let names: Vec<String> = ranking
                .iter()
                .map(|(row, _)| self.names[*row].clone())
                .collect();
            table.add(name, &Measures::of(&names, evidence));
        }
        Ok(())
    }

    /// All texts by their cosine similarity.
    fn nearest(&self, asked: Option<&[f32]>) -> Vec<(usize, f64)> {
        let Some(asked) = asked else {
            return Vec::new();
        };
        let mut found: Vec<(usize, f64)> = self
            .vectors
            .iter()
            .enumerate()
            .filter_map(|(row, vector)| {
                let vector = vector.as_ref()?;
                let cosine: f32 = asked.iter().zip(vector).map(|(a, b)| a * b).sum();
                Some((row, f64::from(cosine)))
            })
            .collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1));
        found.truncate(RANKED);
        found
    }
}

/// The sum of both scores, each normalised to 0 to 1.
fn fuse(first: &[(usize, f64)], second: &[(usize, f64)]) -> Vec<(usize, f64)> {
    let mut sums: HashMap<usize, f64> = HashMap::new();
    for ranking in [first, second] {
        let (Some(best), Some(worst)) = (ranking.first(), ranking.last()) else {
            continue;
        };
        let width = (best.1 - worst.1).max(f64::MIN_POSITIVE);
        for (row, score) in ranking {
            *sums.entry(*row).or_default() += (score - worst.1) / width;
        }
    }
    let mut fused: Vec<(usize, f64)> = sums.into_iter().collect();
    fused.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    fused
}
