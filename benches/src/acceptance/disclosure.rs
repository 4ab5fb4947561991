//! What disclosure saves on real transcripts, and when it expands.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::PathBuf;

use recallite::{EventKind, EventRef, Memory, SmartSearchOptions};
use serde_json::Value;

use super::line;
use crate::Result;
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

/// How often each reason led to an expansion, and how many of the expanded events answer the
/// question.
fn expansions(memory: &Memory, questions: &[Question], has_answers: bool) -> Result<()> {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut expanded, mut shown, mut right) = (0, 0, 0);
    for question in questions {
        let result = memory.smart_search(&*question.text, SmartSearchOptions::default())?;
        *reasons
            .entry(result.meta.expansion_reason.as_str())
            .or_default() += 1;
        expanded += usize::from(result.meta.expanded_count > 0);
        for detail in &result.details {
            shown += 1;
            let message = message_of(&detail.event)?;
            right += usize::from(question.evidence.contains(&message));
        }
    }
    let share = |part: usize, all: usize| 100.0 * part as f64 / all.max(1) as f64;
    println!(
        "  expanded {:.0} %: {reasons:?}",
        share(expanded, questions.len())
    );
    if has_answers {
        println!(
            "  of {shown} events shown whole {:.0} % answer",
            share(right, shown)
        );
    }
    Ok(())
}
