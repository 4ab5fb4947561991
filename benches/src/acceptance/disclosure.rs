//! What disclosure saves on real transcripts, and when it expands.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::PathBuf;

use recallite::{Event, EventKind, EventRef, Memory, Query, SmartSearchOptions};
use serde_json::Value;

use super::line;
use crate::Result;
use crate::corpus::Store;
use crate::corpus::format::Corpus;
use crate::embedder::Choice;
use crate::transcripts::message_of;

/// A question and the messages that answer it.
struct Question {
    text: String,
    evidence: Vec<String>,
}

/// Uses the questions of a file if there is one, otherwise the prompts of the transcripts.
pub(super) fn run(memory: &Memory, questions: Option<PathBuf>) -> Result<()> {
    let has_answers = questions.is_some();
    let questions = match questions {
        Some(file) => asked(file)?,
        None => prompts(memory)?,
    };
    println!("{} questions, budget 2,000 tokens", questions.len());
    for limit in [5, 20] {
        let options = SmartSearchOptions::default().limit(limit);
        let (mut shown, mut whole) = (0, 0);
        for question in &questions {
            let result = memory.smart_search(&*question.text, options.clone())?;
            let events: Vec<EventRef> = result.index.iter().map(|item| item.id.into()).collect();
            shown += result.meta.estimated_tokens;
            let details = memory.details(&events)?;
            whole += details
                .iter()
                .map(|detail| detail.token_count)
                .sum::<usize>();
        }
        let saved = 100.0 * (1.0 - shown as f64 / whole.max(1) as f64);
        let each = questions.len().max(1);
        println!(
            "  {limit} results: {} tokens a question shown, {} as whole events",
            shown / each,
            whole / each
        );
        line(
            &format!("saved by disclosure, {limit} results"),
            saved,
            "%",
            80.0,
            false,
        );
    }
    expansions(memory, &questions, has_answers)
}

fn asked(file: PathBuf) -> Result<Vec<Question>> {
    let file: Value = serde_json::from_reader(File::open(file)?)?;
    let questions = file["questions"].as_array();
    let questions = questions.ok_or("the file has no questions")?.iter();
    Ok(questions
        .map(|question| Question {
            text: question["question"].as_str().unwrap_or_default().to_owned(),
            evidence: strings(&question["evidence"]),
        })
        .collect())
}

fn strings(list: &Value) -> Vec<String> {
    let items = list.as_array().into_iter().flatten();
    items
        .filter_map(|item| item.as_str().map(str::to_owned))
        .collect()
}

fn prompts(memory: &Memory) -> Result<Vec<Question>> {
    let filter = recallite::EventFilter::new()
        .project(recallite::scope::ProjectScope::All)
        .kinds([EventKind::UserPrompt]);
    let mut questions = Vec::new();
    for event in memory.events(filter)? {
        questions.push(Question {
            text: event?.content,
            evidence: Vec::new(),
        });
    }
    Ok(questions)
}

/// How often each reason led to an expansion, and how often rightly.
#[derive(Default)]
struct Expansions {
    questions: usize,
    reasons: BTreeMap<&'static str, usize>,
    expanded: usize,
    shown: usize,
    right: usize,
}

impl Expansions {
    /// Asks a question; `answers` says whether an event does.
    fn ask(
        &mut self,
        memory: &Memory,
        query: Query,
        answers: impl Fn(&Event) -> Result<bool>,
    ) -> Result<()> {
        let result = memory.smart_search(query, SmartSearchOptions::default())?;
        self.questions += 1;
        let reason = result.meta.expansion_reason.as_str();
        *self.reasons.entry(reason).or_default() += 1;
        self.expanded += usize::from(result.meta.expanded_count > 0);
        for detail in &result.details {
            self.shown += 1;
            self.right += usize::from(answers(&detail.event)?);
        }
        Ok(())
    }

    fn print(&self, has_answers: bool) {
        let share = |part: usize, all: usize| 100.0 * part as f64 / all.max(1) as f64;
        println!(
            "  {} questions, expanded {:.1} %: {:?}",
            self.questions,
            share(self.expanded, self.questions),
            self.reasons
        );
        if has_answers {
            println!(
                "  of {} events shown whole {:.0} % answer",
                self.shown,
                share(self.right, self.shown)
            );
        }
    }
}

fn expansions(memory: &Memory, questions: &[Question], has_answers: bool) -> Result<()> {
    let mut all = Expansions::default();
    for question in questions {
        let answers = |event: &Event| Ok(question.evidence.contains(&message_of(event)?));
        all.ask(memory, Query::new(&*question.text), answers)?;
    }
    all.print(has_answers);
    Ok(())
}

/// The expansions of a corpus, over the questions that have an answer.
pub(super) fn corpus(corpus: &Corpus) -> Result<()> {
    let mut all = Expansions::default();
    let embedder = Choice::default();
    for conversation in &corpus.conversations {
        let folder = tempfile::tempdir()?;
        let store = Store::new(&embedder, folder.path(), conversation, &|_| true)?;
        let questions = conversation.questions.iter();
        for question in questions.filter(|it| !it.evidence.is_empty()) {
            let names = question.names();
            all.ask(&store.memory, store.asked(question)?, |event| {
                let key = store.key(event.id, corpus.level);
                Ok(key.is_some_and(|key| names.iter().any(|name| name == key)))
            })?;
        }
    }
    println!("\n{}", corpus.name);
    all.print(true);
    Ok(())
}
