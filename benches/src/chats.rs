//! Recall over conversations between two people, in the format of the LoCoMo corpora: every turn is
//! stored, every question is searched for, and the ranked turn ids are written to a run file that
//! any evaluator can score.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufWriter, Write};

use recallite::{Dedupe, EventId, EventKind, Memory, NewEvent, Query, SearchResult, Timestamp};
use serde_json::{Value, json};

use crate::Result;
use crate::ablation::{Ablation, Opened};
use crate::arguments::Arguments;
use crate::baselines::Baselines;
use crate::calibration::Calibration;
use crate::embedder::Choice;
use crate::score::{Measures, Table, relevance};
use crate::text::Author;

/// How many turns a line of the run file ranks.
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
    let mut bench = Bench {
        out: BufWriter::new(File::create(arguments.path("out")?)?),
        embedder: Choice::of(arguments)?,
        is_merged: arguments.has("merged"),
        with_baselines: arguments.has("baselines"),
        table: Table::default(),
        calibration: Calibration::default(),
        ablation: Ablation::of(arguments)?,
        others: Table::default(),
    };
    if bench.is_merged {
        let distractors = arguments.number("distractors", 0)?;
        let stored = bench.store(conversations, distractors)?;
        for conversation in conversations {
            bench.ask(&stored, conversation)?;
        }
    } else {
        for conversation in conversations {
            let stored = bench.store(std::slice::from_ref(conversation), 0)?;
            bench.ask(&stored, conversation)?;
        }
    }
    bench.print()
}

/// A run over a corpus and what it has measured so far.
struct Bench {
    out: BufWriter<File>,
    embedder: Choice,
    is_merged: bool,
    with_baselines: bool,
    table: Table,
    calibration: Calibration,
    ablation: Option<Ablation>,
    others: Table,
}

/// Conversations in a store, and the same texts in the other retrievers.
struct Stored {
    store: Store,
    opened: Option<Opened>,
    baselines: Option<Baselines>,
    _folder: tempfile::TempDir,
}

impl Bench {
    /// Stores conversations behind so many events that answer nothing.
    fn store(&self, conversations: &[Value], distractors: usize) -> Result<Stored> {
        let folder = tempfile::tempdir()?;
        let mut store = Store::open(&self.embedder, folder.path())?;
        store.distract(distractors)?;
        for conversation in conversations {
            store.remember(conversation)?;
        }
        self.embedder.embed(&store.memory)?;
        let opened = self.ablation.as_ref();
        let opened = opened.map(|ablation| ablation.open(&self.embedder, folder.path()));
        let opened = opened.transpose()?;
        let baselines = match self.with_baselines {
            true => {
                let texts = texts_of(conversations, self.is_merged)?;
                Some(Baselines::new(&texts, &self.embedder)?)
            }
            false => None,
        };
        Ok(Stored {
            store,
            opened,
            baselines,
            _folder: folder,
        })
    }

    /// Asks the questions about a conversation.
    fn ask(&mut self, stored: &Stored, conversation: &Value) -> Result<()> {
        let name = text(conversation, "id")?;
        for question in conversation["questions"]
            .as_array()
            .ok_or("a conversation has no questions")?
        {
            let asked = text(question, "question")?;
            let found = stored
                .store
                .memory
                .search(Query::new(asked).limit(RANKED))?;
            let ids = stored.store.ranked(&found, name);
            let relevance = relevance(&found.items);
            let line = json!({
                "conv": name,
                "qid": question["qid"],
                "ranked": ids,
                "relevance": relevance,
                "confidence": found.confidence.as_str(),
            });
            writeln!(self.out, "{line}")?;
            let evidence = evidence_of(question);
            if evidence.is_empty() {
                continue;
            }
            score(&mut self.table, conversation, question, &ids, &evidence);
            let category = question["category"].as_u64();
            if category.is_none_or(|category| category <= 4) {
                let first = relevance.first().zip(ids.first());
                self.calibration
                    .add(first.map(|(sure, id)| (*sure, evidence.contains(id))));
                let category = category.map_or_else(String::new, |category| category.to_string());
                self.compare(stored, name, (asked, &category), &evidence)?;
            }
        }
        Ok(())
    }

    /// Asks the other retrievers the same question of a category.
    fn compare(
        &mut self,
        stored: &Stored,
        conversation: &str,
        (asked, category): (&str, &str),
        evidence: &[String],
    ) -> Result<()> {
        if let (Some(opened), Some(ablation)) = (&stored.opened, &mut self.ablation) {
            let query = Query::new(asked).limit(RANKED);
            ablation.ask(opened, &self.embedder, category, &query, |found| {
                let ids = stored.store.ranked(found, conversation);
                Ok(Measures::of(&ids, evidence))
            })?;
        }
        if let Some(baselines) = &stored.baselines {
            let named = evidence.iter().map(|id| match self.is_merged {
                true => format!("{conversation}|{id}"),
                false => id.clone(),
            });
            let named: Vec<String> = named.collect();
            baselines.score(asked, &named, &self.embedder, &mut self.others)?;
        }
        Ok(())
    }

    fn print(mut self) -> Result<()> {
        self.out.flush()?;
        self.table.print();
        self.calibration.print();
        if let Some(ablation) = &self.ablation {
            ablation.print("the same questions (categories 1 to 4), part by part");
        }
        if self.with_baselines {
            println!("the same questions (categories 1 to 4) by other means");
            self.others.print();
        }
        Ok(())
    }
}

/// The turns of conversations with their names and the text that BM25 gets: the speaker and the
/// text.
fn texts_of(conversations: &[Value], is_merged: bool) -> Result<Vec<(String, String)>> {
    let mut texts = Vec::new();
    for conversation in conversations {
        let owner = text(conversation, "id")?;
        let sessions = conversation["sessions"].as_array().into_iter().flatten();
        for turn in sessions.flat_map(|session| session["turns"].as_array().into_iter().flatten()) {
            let id = text(turn, "dia_id")?;
            let name = match is_merged {
                true => format!("{owner}|{id}"),
                false => id.to_owned(),
            };
            let body = format!("{}: {}", text(turn, "speaker")?, text(turn, "text")?);
            texts.push((name, body));
        }
    }
    Ok(texts)
}

fn evidence_of(question: &Value) -> Vec<String> {
    question["evidence"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|id| id.as_str().map(str::to_owned))
        .collect()
}

fn score(
    table: &mut Table,
    conversation: &Value,
    question: &Value,
    ranked: &[String],
    evidence: &[String],
) {
    let measures = Measures::of(ranked, evidence);
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

    /// The turns of a result, named as in the evidence of the conversation.
    fn ranked(&self, found: &SearchResult, conversation: &str) -> Vec<String> {
        found
            .items
            .iter()
            .filter_map(|hit| self.turns.get(&hit.id))
            // If all conversations share a store, turns of other conversations are wrong answers
            // with their own names.
            .map(|(owner, turn)| {
                if owner == conversation {
                    turn.clone()
                } else {
                    format!("{owner}|{turn}")
                }
            })
            .collect()
    }

    /// Adds synthetic events that answer nothing.
    fn distract(&mut self, count: usize) -> Result<()> {
        let mut author = Author::new(7);
        let mut left = count;
        while left > 0 {
            let batch = left.min(10_000);
            let events = (0..batch)
                .map(|number| {
                    let session = format!("noise-{}", (left - number) / 40);
                    NewEvent::new(EventKind::AgentResponse, session, author.text(300))
                })
                .collect();
            self.memory.append_batch(events)?;
            left -= batch;
        }
        Ok(())
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
                // The turns of a session have no times, so they are spaced a minute apart.
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

/// Parses `1:56 pm on 8 May, 2023` or an RFC 3339 time into milliseconds since 1970; 0 if it is
/// neither.
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
