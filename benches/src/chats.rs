//! Recall over conversations between two people, in the format of the LoCoMo
//! corpora: every turn is remembered, every question searched, and the ranked
//! turn ids are written to a run file that any evaluator can score.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufWriter, Write};

use recallite::{Dedupe, EventId, EventKind, Memory, NewEvent, Query, Timestamp};
use serde_json::{Value, json};

use crate::Result;
use crate::arguments::Arguments;
use crate::embedder::Choice;
use crate::score::{Measures, Table};

/// How many turns a run line ranks.
const RANKED: usize = 100;

const CATEGORIES: [&str; 5] = [
    "multi-hop",
    "temporal",
    "open-domain",
    "single-hop",
    "adversarial",
];

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let corpus: Value = serde_json::from_reader(File::open(arguments.path("corpus")?)?)?;
    let conversations = corpus["conversations"]
        .as_array()
        .ok_or("the corpus has no conversations")?;
    let mut out = BufWriter::new(File::create(arguments.path("out")?)?);
    let embedder = Choice::of(arguments)?;
    let is_merged = arguments.has("merged");
    let mut table = Table::default();
    let mut folder = tempfile::tempdir()?;
    let mut store = Store::open(&embedder, folder.path())?;
    if is_merged {
        for conversation in conversations {
            store.remember(conversation)?;
        }
        embedder.embed(&store.memory)?;
    }
    for conversation in conversations {
        if !is_merged {
            folder = tempfile::tempdir()?;
            store = Store::open(&embedder, folder.path())?;
            store.remember(conversation)?;
            embedder.embed(&store.memory)?;
        }
        let name = text(conversation, "id")?;
        for question in conversation["questions"]
            .as_array()
            .ok_or("a conversation has no questions")?
        {
            let found = store
                .memory
                .search(Query::new(text(question, "question")?).limit(RANKED))?;
            let ids: Vec<String> = found
                .items
                .iter()
                .filter_map(|hit| store.turns.get(&hit.id))
                // In one store for all, turns of other conversations are wrong
                // answers with names of their own.
                .map(|(owner, turn)| {
                    if owner == name {
                        turn.clone()
                    } else {
                        format!("{owner}|{turn}")
                    }
                })
                .collect();
            let relevance: Vec<f64> = found
                .items
                .iter()
                .map(|hit| (f64::from(hit.relevance) * 1e4).round() / 1e4)
                .collect();
            let line = json!({
                "conv": name,
                "qid": question["qid"],
                "ranked": ids,
                "relevance": relevance,
                "confidence": found.confidence.as_str(),
            });
            writeln!(out, "{line}")?;
            score(&mut table, conversation, question, &ids);
        }
    }
    out.flush()?;
    table.print();
    Ok(())
}

fn score(table: &mut Table, conversation: &Value, question: &Value, ranked: &[String]) {
    let evidence: Vec<String> = question["evidence"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|id| id.as_str().map(str::to_owned))
        .collect();
    if evidence.is_empty() {
        return;
    }
    let measures = Measures::of(ranked, &evidence);
    if let Some(category) = question["category"].as_u64() {
        if let Some(name) = usize::try_from(category)
            .ok()
            .and_then(|c| CATEGORIES.get(c.wrapping_sub(1)))
        {
            table.add(&format!("{category} {name}"), &measures);
        }
        if category <= 4 {
            table.add("1-4", &measures);
        }
    }
    if let Some(language) = conversation["language"].as_str() {
        table.add(language, &measures);
    }
    table.add("all", &measures);
}

struct Store {
    memory: Memory,
    turns: HashMap<EventId, (String, String)>,
}

impl Store {
    fn open(embedder: &Choice, path: &std::path::Path) -> Result<Self> {
        Ok(Store {
            memory: embedder.open(path)?,
            turns: HashMap::new(),
        })
    }

    fn remember(&mut self, conversation: &Value) -> Result<()> {
        let name = text(conversation, "id")?;
        let first_speaker = conversation["speakers"][0].as_str().unwrap_or_default();
        let mut events = Vec::new();
        let mut turns = Vec::new();
        for session in conversation["sessions"]
            .as_array()
            .ok_or("a conversation has no sessions")?
        {
            let session_id = format!("{name}/{}", text(session, "session_id")?);
            let begun = session_time(session["date_time"].as_str().unwrap_or_default());
            for (index, turn) in session["turns"]
                .as_array()
                .ok_or("a session has no turns")?
                .iter()
                .enumerate()
            {
                let speaker = text(turn, "speaker")?;
                let content = text(turn, "text")?;
                if content.trim().is_empty() {
                    continue;
                }
                let kind = if speaker == first_speaker {
                    EventKind::UserPrompt
                } else {
                    EventKind::AgentResponse
                };
                let turn_id = text(turn, "dia_id")?;
                // Turns of a session have no times of their own: a minute apart.
                let at = Timestamp::from_millis(begun + index as i64 * 60_000)?;
                events.push(
                    NewEvent::new(kind, session_id.as_str(), content)
                        .actor(speaker)
                        .timestamp(at)
                        .dedupe(Dedupe::Key(format!("{name}/{turn_id}"))),
                );
                turns.push((name.to_owned(), turn_id.to_owned()));
            }
        }
        for (receipt, turn) in self.memory.append_batch(events)?.iter().zip(turns) {
            self.turns.insert(receipt.id, turn);
        }
        Ok(())
    }
}

fn text<'v>(value: &'v Value, name: &str) -> Result<&'v str> {
    value[name]
        .as_str()
        .ok_or_else(|| format!("{name:?} is missing or no text").into())
}

/// `1:56 pm on 8 May, 2023` or an RFC 3339 time, in milliseconds since 1970; 0
/// when it is neither.
fn session_time(text: &str) -> i64 {
    if let Ok(at) = text.parse::<Timestamp>() {
        return at.millis();
    }
    let read = || -> Option<i64> {
        let (time, date) = text.split_once(" on ")?;
        let (clock, half) = time.split_once(' ')?;
        let (hour, minute) = clock.split_once(':')?;
        let hour = hour.parse::<u32>().ok()? % 12 + if half.starts_with('p') { 12 } else { 0 };
        let mut parts = date.split([' ', ',']).filter(|part| !part.is_empty());
        let (day, month, year) = (parts.next()?, parts.next()?.to_lowercase(), parts.next()?);
        const MONTHS: [&str; 12] = [
            "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
        ];
        let month = MONTHS.iter().position(|name| month.starts_with(name))? + 1;
        let day: u32 = day.parse().ok()?;
        let minute: u32 = minute.parse().ok()?;
        let at: Timestamp = format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:00Z")
            .parse()
            .ok()?;
        Some(at.millis())
    };
    read().unwrap_or(0)
}
