//! Recall over coding transcripts: imports a folder, searches for questions, and writes the message
//! ids of the hits to a run file.

use std::fs::File;
use std::io::{BufWriter, Write};

use recallite::{Event, EventKind, Hit, Memory, Query, SearchResult};
use serde_json::{Value, json};

use crate::Result;
use crate::ablation::{Ablation, Opened};
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
    let opened = match arguments.has("ablation") {
        true => Some(Opened::new(&embedder, folder.path())?),
        false => None,
    };
    let mut ablation = Ablation::default();
    let questions: Value = serde_json::from_reader(File::open(arguments.path("questions")?)?)?;
    let mut out = BufWriter::new(File::create(arguments.path("out")?)?);
    let mut features = Features::of(arguments)?;
    let mut table = Table::default();
    let (mut none_right, mut none_all) = (0, 0);
    let (mut quoted, mut quotes) = (0, 0);
    for question in questions["questions"]
        .as_array()
        .ok_or("the file has no questions")?
    {
        let text = question["question"]
            .as_str()
            .ok_or("a question has no text")?;
        let found = memory.search(Query::new(text).limit(RANKED))?;
        let ids = messages(&memory, &found)?;
        let relevance = relevance(&found.items);
        let line = json!({
            "qid": question["qid"],
            "ranked": ids,
            "relevance": relevance,
            "confidence": found.confidence.as_str(),
        });
        writeln!(out, "{line}")?;
        let evidence: Vec<String> = question["evidence"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|id| id.as_str().map(str::to_owned))
            .collect();
        let asked = Asked {
            corpus: "transcripts",
            conversation: "",
            question: question["qid"].as_str().unwrap_or_default(),
            has_answer: !evidence.is_empty(),
            is_withheld: false,
        };
        features.search(
            &memory,
            Query::new(text).limit(RANKED),
            &asked,
            |found, place| Ok(evidence.contains(&message(&memory, &found.items[place])?)),
        )?;
        if evidence.is_empty() {
            none_all += 1;
            none_right += usize::from(
                found.confidence.as_str() == "none" || relevance.first().is_none_or(|r| *r < 0.5),
            );
            continue;
        }
        let measures = Measures::of(&ids, &evidence);
        let is_korean = text.chars().any(|c| ('가'..='힣').contains(&c));
        let language = if is_korean { "Korean" } else { "English" };
        table.add(language, &measures);
        if let (Some(opened), false) = (&opened, is_korean) {
            ablation.ask(opened, &embedder, text, RANKED, |found| {
                Ok(Measures::of(&messages(&memory, found)?, &evidence))
            })?;
        }
        if let Some(category) = question["category"].as_str() {
            table.add(&format!("{language} {category}"), &measures);
        }
        // Whether the quoted passage of a right hit contains the words of the answer.
        if let Some(quote) = question["quote"].as_str()
            && let Some(at) = ids.iter().take(10).position(|id| evidence.contains(id))
        {
            quotes += 1;
            let passage = found.items[at].passage.text.to_lowercase();
            let words: Vec<String> = quote
                .to_lowercase()
                .split_whitespace()
                .map(str::to_owned)
                .collect();
            let held = words
                .iter()
                .filter(|word| passage.contains(word.as_str()))
                .count();
            quoted += usize::from(held * 2 >= words.len());
        }
    }
    out.flush()?;
    features.finish()?;
    table.print();
    if opened.is_some() {
        ablation.print("the English questions, part by part");
    }
    println!("questions without an answer, told so: {none_right} of {none_all}");
    println!("right hits whose quoted passage holds the answer's words: {quoted} of {quotes}");
    Ok(())
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
