//! Recall over coding transcripts: imports a folder, searches for questions, and writes the message
//! ids of the hits to a run file.

use std::fs::File;
use std::io::{BufWriter, Write};

use recallite::{Event, EventKind, Hit, Memory, Query, SearchResult};
use serde_json::{Value, json};

use crate::Result;
use crate::ablation::Ablation;
use crate::arguments::Arguments;
use crate::embedder::Choice;
use crate::features::{Asked, Features};
use crate::score::{Measures, Table, relevance};

const RANKED: usize = 50;

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let embedder = Choice::of(arguments)?;
    let memory = embedder.open(folder.path())?;
    let report = memory.import_claude_code(arguments.path("folder")?)?;
    println!(
        "{} files: {} prompts, {} responses, {} tool observations, {} duplicates, {} broken lines",
        report.files,
        report.counters.imported_prompts,
        report.counters.imported_responses,
        report.counters.imported_tools,
        report.counters.skipped_duplicates,
        report.counters.errors
    );
    embedder.embed(&memory)?;
    let mut ablation = Ablation::of(arguments)?;
    let opened = ablation.as_ref();
    let opened = opened.map(|ablation| ablation.open(&embedder, folder.path()));
    let opened = opened.transpose()?;
    let questions: Value = serde_json::from_reader(File::open(arguments.path("questions")?)?)?;
    let mut out = BufWriter::new(File::create(arguments.path("out")?)?);
    let mut features = Features::of(arguments)?;
    let mut scores = Scores::default();
    for question in questions["questions"]
        .as_array()
        .ok_or("the file has no questions")?
    {
        let question = Question::read(question)?;
        let query = Query::new(question.text).limit(RANKED);
        let found = memory.search(query.clone())?;
        let ids = messages(&memory, &found)?;
        writeln!(out, "{}", line(&question, &found, &ids))?;
        features.search(&memory, query.clone(), &question.asked(), |found, place| {
            let found = message(&memory, &found.items[place])?;
            Ok(question.evidence.contains(&found))
        })?;
        scores.add(&question, &found, &ids);
        if let (Some(opened), Some(ablation)) = (&opened, &mut ablation)
            && !question.evidence.is_empty()
            && !question.is_korean
        {
            let category = question.category.unwrap_or_default();
            ablation.ask(opened, &embedder, category, &query, |found| {
                Ok(Measures::of(&messages(&memory, found)?, &question.evidence))
            })?;
        }
    }
    out.flush()?;
    features.finish()?;
    scores.table.print();
    if let Some(ablation) = &ablation {
        ablation.print("the English questions, part by part");
    }
    scores.print_counts();
    Ok(())
}

/// A question of the file.
struct Question<'q> {
    id: &'q Value,
    text: &'q str,
    is_korean: bool,
    category: Option<&'q str>,
    /// The words of the answer.
    quote: Option<&'q str>,
    /// The messages that contain the answer; empty if none does.
    evidence: Vec<String>,
}

impl<'q> Question<'q> {
    fn read(question: &'q Value) -> Result<Self> {
        let text = question["question"]
            .as_str()
            .ok_or("a question has no text")?;
        let evidence = question["evidence"].as_array().into_iter().flatten();
        Ok(Question {
            id: &question["qid"],
            text,
            is_korean: text.chars().any(|c| ('가'..='힣').contains(&c)),
            category: question["category"].as_str(),
            quote: question["quote"].as_str(),
            evidence: evidence
                .filter_map(|id| id.as_str().map(str::to_owned))
                .collect(),
        })
    }

    fn asked(&self) -> Asked<'_> {
        Asked {
            corpus: "transcripts",
            conversation: "",
            question: self.id.as_str().unwrap_or_default(),
            has_answer: !self.evidence.is_empty(),
            is_withheld: false,
        }
    }
}

/// A line of the run file.
fn line(question: &Question<'_>, found: &SearchResult, ids: &[String]) -> Value {
    json!({
        "qid": question.id,
        "ranked": ids,
        "relevance": relevance(&found.items),
        "confidence": found.confidence.as_str(),
    })
}

/// How well the questions were answered.
#[derive(Default)]
struct Scores {
    table: Table,
    /// Questions without an answer, and those of them that were told so.
    unanswerable: u64,
    told_so: u64,
    /// Right hits with a quote, and those of them whose passage contains half of its words.
    quotes: u64,
    quoted: u64,
}

impl Scores {
    fn add(&mut self, question: &Question<'_>, found: &SearchResult, ids: &[String]) {
        if question.evidence.is_empty() {
            let first = relevance(&found.items).first().copied();
            let is_none = found.confidence.as_str() == "none" || first.is_none_or(|r| r < 0.5);
            self.unanswerable += 1;
            self.told_so += u64::from(is_none);
            return;
        }
        let measures = Measures::of(ids, &question.evidence);
        let language = match question.is_korean {
            true => "Korean",
            false => "English",
        };
        self.table.add(language, &measures);
        if let Some(category) = question.category {
            self.table.add(&format!("{language} {category}"), &measures);
        }
        let is_right = |id: &String| question.evidence.contains(id);
        if let Some(quote) = question.quote
            && let Some(at) = ids.iter().take(10).position(is_right)
        {
            let passage = found.items[at].passage.text.to_lowercase();
            let quote = quote.to_lowercase();
            let words: Vec<&str> = quote.split_whitespace().collect();
            let held = words.iter().filter(|word| passage.contains(**word)).count();
            self.quotes += 1;
            self.quoted += u64::from(held * 2 >= words.len());
        }
    }

    fn print_counts(&self) {
        println!(
            "questions without an answer, told so: {} of {}",
            self.told_so, self.unanswerable
        );
        println!(
            "right hits whose quoted passage holds the answer's words: {} of {}",
            self.quoted, self.quotes
        );
    }
}

/// The transcript messages of a result.
fn messages(memory: &Memory, found: &SearchResult) -> Result<Vec<String>> {
    found.items.iter().map(|hit| message(memory, hit)).collect()
}

/// The transcript message of a hit. For a tool observation, it is the message of the call if its
/// input matched, and otherwise that of the result.
fn message(memory: &Memory, hit: &Hit) -> Result<String> {
    let event = memory.event(hit.id)?.ok_or("a hit is missing")?;
    let is_input = hit.kind == EventKind::ToolObservation
        && event.tool.as_ref().is_some_and(|tool| {
            event.content.ends_with(&tool.output)
                && hit.passage.start < event.content.len() - tool.output.len()
        });
    match is_input {
        true => uuid_of(&event, &["toolUseUuid", "messageUuid"]),
        false => uuid_of(&event, &["messageUuid"]),
    }
}

/// The transcript message that an event was imported from.
pub(crate) fn message_of(event: &Event) -> Result<String> {
    uuid_of(event, &["messageUuid"])
}

/// The first of several metadata fields that is present.
fn uuid_of(event: &Event, names: &[&str]) -> Result<String> {
    let metadata: Value = match &event.metadata {
        Some(json) => serde_json::from_str(json.as_str())?,
        None => Value::Null,
    };
    let found = names.iter().find_map(|name| metadata[*name].as_str());
    Ok(found.unwrap_or_default().to_owned())
}
