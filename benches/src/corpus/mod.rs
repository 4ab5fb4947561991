//! Recall over any corpus in a common format: one store per conversation, every event appended and
//! every question searched for, compared with BM25 over the same texts.

mod bm25;
pub(crate) mod format;
mod report;
mod used;

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use recallite::{Dedupe, EventId, Memory, NewEvent, Query, SearchResult, Timestamp};
use serde_json::json;

use crate::Result;
use crate::ablation::Ablation;
use crate::arguments::Arguments;
use crate::embedder::Choice;
use crate::features::{Asked, Features};
use crate::score::{Measures, relevance};
use bm25::{Bm25, plain_words, tuned_words};
use format::{Conversation, Corpus, Event, Level, Question};
use report::{Answer, Answers};
use used::Used;

/// How many events a ranking contains.
const RANKED: usize = 50;
/// Unanswerable questions are created by leaving the answers of every nth question out of a store.
const WITHHELD: usize = 4;

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let corpus = Corpus::read(&arguments.path("corpus")?)?;
    let embedder = Choice::of(arguments)?;
    let mut run = Run {
        level: corpus.level,
        embedder,
        with_baselines: arguments.has("baselines"),
        with_ablation: arguments.has("ablation"),
        out: match arguments.choice("out") {
            Some(path) => Some(BufWriter::new(File::create(path)?)),
            None => None,
        },
        features: Features::of(arguments)?,
        name: corpus.name.clone(),
        answers: Answers::default(),
        ablation: Ablation::of(arguments)?,
        used: Used::default(),
        searching: Duration::ZERO,
    };
    for conversation in &corpus.conversations {
        run.conversation(conversation)?;
        if run.with_ablation {
            run.used.ask(&run.embedder, run.level, conversation)?;
        }
        if run.features.are_wanted() {
            for part in 0..WITHHELD {
                run.without_answers(conversation, part)?;
            }
        }
    }
    run.features.finish()?;
    if let Some(out) = &mut run.out {
        out.flush()?;
    }
    let events: usize = corpus.conversations.iter().map(|c| c.events.len()).sum();
    println!("{}: {events} events", corpus.name);
    run.answers.print();
    if let Some(ablation) = &run.ablation {
        ablation.print("the same questions, part by part");
    }
    if run.with_ablation {
        run.used.print();
    }
    let searches = run.answers.count().max(1) as f64;
    println!(
        "{:.2} ms per search",
        run.searching.as_secs_f64() * 1e3 / searches
    );
    Ok(())
}

/// A run over a corpus.
struct Run {
    level: Level,
    embedder: Choice,
    with_baselines: bool,
    with_ablation: bool,
    out: Option<BufWriter<File>>,
    features: Features,
    name: String,
    answers: Answers,
    ablation: Option<Ablation>,
    used: Used,
    searching: Duration,
}

impl Run {
    fn conversation(&mut self, conversation: &Conversation) -> Result<()> {
        let folder = tempfile::tempdir()?;
        let store = Store::new(&self.embedder, folder.path(), conversation, &|_| true)?;
        self.ablate(&store, folder.path())?;
        let texts: Vec<String> = match self.with_baselines {
            true => conversation.events.iter().map(Event::with_actor).collect(),
            false => Vec::new(),
        };
        let baselines = match self.with_baselines {
            true => vec![
                ("BM25", Bm25::new(&texts, plain_words)),
                ("tuned BM25", Bm25::new(&texts, tuned_words)),
            ],
            false => Vec::new(),
        };
        for question in &conversation.questions {
            let begun = Instant::now();
            let found = store.memory.search(store.query(question)?)?;
            self.searching += begun.elapsed();
            let ranked = keys(self.level, conversation, &store.rows(&found));
            if let Some(out) = &mut self.out {
                let relevance = relevance(&found.items);
                let line = json!({
                    "conversation": conversation.id.0,
                    "qid": question.qid.0,
                    "ranked": ranked,
                    "relevance": relevance,
                    "confidence": found.confidence.as_str(),
                });
                writeln!(out, "{line}")?;
            }
            self.features(&store, question, false)?;
            let evidence = question.names();
            let mut measures = vec![("recallite", Measures::of(&ranked, &evidence))];
            let before = store.before(question);
            for (name, index) in &baselines {
                let rows = index.rank(&question.question, before, RANKED);
                let ranked = keys(self.level, conversation, &rows);
                measures.push((*name, Measures::of(&ranked, &evidence)));
            }
            self.answers.add(Answer {
                category: question.category.clone(),
                has_answer: !evidence.is_empty(),
                relevance: found
                    .items
                    .first()
                    .map_or(0.0, |hit| f64::from(hit.relevance)),
                is_right: ranked.first().is_some_and(|key| evidence.contains(key)),
                confidence: found.confidence,
                rises: found
                    .items
                    .windows(2)
                    .any(|two| two[1].relevance > two[0].relevance),
                measures,
            });
        }
        Ok(())
    }

    /// Asks the questions that have an answer with each part of the recipe switched off.
    fn ablate(&mut self, store: &Store<'_>, path: &Path) -> Result<()> {
        let Some(ablation) = &mut self.ablation else {
            return Ok(());
        };
        let opened = ablation.open(&self.embedder, path)?;
        let questions = store.conversation.questions.iter();
        for question in questions.filter(|question| !question.evidence.is_empty()) {
            let (query, level) = (store.query(question)?, self.level);
            ablation.ask(
                &opened,
                &self.embedder,
                &question.category,
                &query,
                |found| Ok(measures(level, store, found, question)),
            )?;
        }
        Ok(())
    }

    /// Asks every nth question in a store without its answers.
    fn without_answers(&mut self, conversation: &Conversation, part: usize) -> Result<()> {
        let asked: Vec<&Question> = conversation
            .questions
            .iter()
            .skip(part)
            .step_by(WITHHELD)
            .filter(|question| !question.evidence.is_empty())
            .collect();
        let withheld: HashSet<&str> = asked
            .iter()
            .flat_map(|question| question.evidence.iter().map(|name| &*name.0))
            .collect();
        let folder = tempfile::tempdir()?;
        let is_wanted = |row: usize| !withheld.contains(conversation.events[row].key(self.level));
        let store = Store::new(&self.embedder, folder.path(), conversation, &is_wanted)?;
        for question in asked {
            self.features(&store, question, true)?;
        }
        Ok(())
    }

    fn features(
        &mut self,
        store: &Store<'_>,
        question: &Question,
        is_withheld: bool,
    ) -> Result<()> {
        let asked = Asked {
            corpus: &self.name,
            conversation: &store.conversation.id.0,
            question: &question.qid.0,
            has_answer: !question.evidence.is_empty() && !is_withheld,
            is_withheld,
        };
        let (query, level) = (store.query(question)?, self.level);
        self.features
            .search(&store.memory, query, &asked, |found, place| {
                let row = store.rows.get(&found.items[place].id);
                Ok(row.is_some_and(|row| {
                    let key = store.conversation.events[*row].key(level);
                    question.evidence.iter().any(|name| name.0 == key)
                }))
            })
    }
}

/// How well a result answers a question.
fn measures(
    level: Level,
    store: &Store<'_>,
    found: &SearchResult,
    question: &Question,
) -> Measures {
    let ranked = keys(level, store.conversation, &store.rows(found));
    Measures::of(&ranked, &question.names())
}

/// The names that evidence uses for events, each once.
fn keys(level: Level, conversation: &Conversation, rows: &[usize]) -> Vec<String> {
    let mut seen = HashSet::new();
    rows.iter()
        .map(|row| conversation.events[*row].key(level))
        .filter(|key| seen.insert(*key))
        .map(str::to_owned)
        .collect()
}

/// A conversation in a store.
pub(crate) struct Store<'c> {
    pub(crate) memory: Memory,
    conversation: &'c Conversation,
    rows: HashMap<EventId, usize>,
    order: HashMap<&'c str, usize>,
}

impl<'c> Store<'c> {
    /// Appends the selected events, given by row.
    pub(crate) fn new(
        embedder: &Choice,
        path: &Path,
        conversation: &'c Conversation,
        is_wanted: &dyn Fn(usize) -> bool,
    ) -> Result<Self> {
        let memory = embedder.open(path)?;
        let wanted: Vec<usize> = (0..conversation.events.len())
            .filter(|row| is_wanted(*row))
            .collect();
        let events: Vec<NewEvent> = wanted
            .iter()
            .map(|row| new_event(&conversation.events[*row]))
            .collect::<Result<_>>()?;
        let receipts = memory.append_batch(events)?;
        embedder.embed(&memory)?;
        let rows = receipts.iter().zip(wanted);
        let all = conversation.events.iter().enumerate();
        Ok(Store {
            memory,
            conversation,
            rows: rows.map(|(receipt, row)| (receipt.id, row)).collect(),
            order: all.map(|(row, event)| (&*event.eid.0, row)).collect(),
        })
    }

    /// How many events precede the moment at which a question was asked.
    fn before(&self, question: &Question) -> usize {
        question
            .before
            .as_ref()
            .and_then(|before| self.order.get(&*before.0).copied())
            .unwrap_or(self.conversation.events.len())
    }

    fn query(&self, question: &Question) -> Result<Query> {
        Ok(self.asked(question)?.limit(RANKED))
    }

    /// The name that evidence uses for an event.
    pub(crate) fn key(&self, event: EventId, level: Level) -> Option<&str> {
        let row = self.rows.get(&event)?;
        Some(self.conversation.events[*row].key(level))
    }

    /// A question, over the events before the moment at which it was asked.
    pub(crate) fn asked(&self, question: &Question) -> Result<Query> {
        let mut query = Query::new(question.question.as_str());
        if let Some(event) = self.conversation.events.get(self.before(question))
            && let Some(time) = &event.time
        {
            query = query.until(time.parse()?);
        }
        Ok(query)
    }

    fn rows(&self, found: &SearchResult) -> Vec<usize> {
        let rows = found.items.iter().map(|hit| self.rows.get(&hit.id));
        rows.flatten().copied().collect()
    }
}

pub(crate) fn new_event(event: &Event) -> Result<NewEvent> {
    let mut new = NewEvent::new(event.kind.parse()?, event.session.0.as_str(), &*event.text)
        .dedupe(Dedupe::None);
    if let Some(actor) = &event.actor {
        new = new.actor(actor);
    }
    if let Some(time) = &event.time {
        new = new.timestamp(time.parse::<Timestamp>()?);
    }
    Ok(new)
}
