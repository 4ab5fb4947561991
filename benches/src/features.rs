//! Writes the features of hits as JSON lines, from which the relevance models are fitted
//! (`scripts/fit_relevance.py`).

use std::fs::File;
use std::io::{BufWriter, Write};

use recallite::testing::relevance::{feature_names, search_with_features};
use recallite::{Memory, Query, SearchResult};
use serde_json::{Map, Value, json};

use crate::Result;
use crate::arguments::Arguments;

/// For how many hits of a search features are written.
const HITS: usize = 10;

/// The file given by `--features`, if any.
pub(crate) struct Features(Option<BufWriter<File>>);

/// The question that a search was for.
pub(crate) struct Asked<'a> {
    pub(crate) corpus: &'a str,
    pub(crate) conversation: &'a str,
    pub(crate) question: &'a str,
    /// Whether the store contains an answer.
    pub(crate) has_answer: bool,
    /// Whether it contains none because the answer was withheld.
    pub(crate) is_withheld: bool,
}

impl Features {
    pub(crate) fn of(arguments: &Arguments) -> Result<Self> {
        Ok(Features(match arguments.choice("features") {
            Some(path) => Some(BufWriter::new(File::create(path)?)),
            None => None,
        }))
    }

    /// Whether there is a file.
    pub(crate) fn are_wanted(&self) -> bool {
        self.0.is_some()
    }

    /// Searches and writes the features of the first hits. `is_right` returns whether the hit at an
    /// index answers the question.
    pub(crate) fn search(
        &mut self,
        memory: &Memory,
        query: Query,
        asked: &Asked<'_>,
        is_right: impl Fn(&SearchResult, usize) -> Result<bool>,
    ) -> Result<()> {
        let Some(out) = &mut self.0 else {
            return Ok(());
        };
        let (found, features) = search_with_features(memory, query)?;
        let mut hits = Vec::new();
        for (place, values) in features.iter().take(HITS).enumerate() {
            let named: Map<String, Value> = feature_names()
                .iter()
                .zip(values)
                .filter(|(_, value)| **value != 0.0)
                .map(|(name, value)| ((*name).to_owned(), json!(value)))
                .collect();
            hits.push(json!({
                "right": is_right(&found, place)?,
                "relevance": found.items[place].relevance,
                "features": named,
            }));
        }
        let line = json!({
            "corpus": asked.corpus,
            "conversation": asked.conversation,
            "question": asked.question,
            "has_answer": asked.has_answer,
            "is_withheld": asked.is_withheld,
            "hits": hits,
        });
        writeln!(out, "{line}")?;
        Ok(())
    }

    /// Flushes the file.
    pub(crate) fn finish(&mut self) -> Result<()> {
        if let Some(out) = &mut self.0 {
            out.flush()?;
        }
        Ok(())
    }
}
