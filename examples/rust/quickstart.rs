//! The main job: import transcripts, ask, see where the answer stands.
//!
//! ```text
//! cargo run --release --example quickstart                        the sample
//! cargo run --release --example quickstart -- PATH                your own
//! cargo run --release --example quickstart -- PATH "A question?" …
//! ```
//!
//! PATH is a transcript (`.jsonl`), a folder of them, or `~/.claude/projects`.
//! Everything stays on this machine, in a temporary folder that is removed at
//! the end.

use std::path::PathBuf;
use std::time::Instant;

use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressStyle};
use recallite::ImportReport;
use recallite::transcript::ImportOptions;
use recallite::{Hit, Memory, Query, Result};
use recallite_examples::{day_and_time, kind_word, rule, wrapped};

/// Questions about the sample, in English and Korean.
const QUESTIONS: [&str; 3] = [
    "Why did placing an order become so slow after the release?",
    "When are we not allowed to ship to production?",
    "손님이 두 번 청구된 원인이 뭐였지?",
];

/// How many hits are shown for each question.
const SHOWN: usize = 3;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let sample = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/data"));
    let path = arguments.next().map_or(sample, PathBuf::from);
    let mut questions: Vec<String> = arguments.collect();
    if questions.is_empty() {
        questions.extend(QUESTIONS.map(str::to_owned));
    }

    let folder = tempfile::tempdir()?;
    let memory = Memory::open(folder.path())?;

    println!("{}", rule("import"));
    let begun = Instant::now();
    let report = import(&memory, &path)?;
    show_import(&memory, &report, begun)?;

    let mut best: Option<Hit> = None;
    for question in &questions {
        println!("\n{}", rule("recall"));
        println!("{}\n", wrapped(question, "? ", 4));
        let begun = Instant::now();
        let found = memory.search(Query::new(question.as_str()).limit(SHOWN))?;
        let took = begun.elapsed();
        for (index, hit) in found.items.iter().enumerate() {
            println!(
                "{}. [{}]  {} by {}, {}",
                index + 1,
                hit.citation,
                kind_word(hit.kind),
                hit.actor,
                day_and_time(hit.timestamp)
            );
            println!("{}\n", wrapped(&hit.passage.text, "   ", 4));
        }
        println!(
            "   confidence {}, {} matches, {:.1} ms",
            found.confidence.as_str(),
            HumanCount(found.total_matches as u64),
            took.as_secs_f64() * 1e3
        );
        if let Some(hit) = found.items.into_iter().next() {
            best = Some(hit);
        }
    }

    if let Some(hit) = best {
        show_memory(&memory, &hit)?;
    }
    memory.close()
}

fn import(memory: &Memory, path: &PathBuf) -> Result<ImportReport> {
    let bar = ProgressBar::new(0).with_style(
        ProgressStyle::with_template("   {bar:40} {bytes} of {total_bytes}, {msg} events")
            .expect("the template is constant and valid"),
    );
    let report = memory.import_claude_code_with(path, &ImportOptions::default(), &mut |progress| {
        bar.set_length(progress.bytes_total);
        bar.set_position(progress.bytes_done);
        bar.set_message(progress.events_stored.to_string());
        true
    });
    bar.finish_and_clear();
    report
}

fn show_import(memory: &Memory, report: &ImportReport, begun: Instant) -> Result<()> {
    let took = begun.elapsed();
    let stats = memory.stats()?;
    let counters = &report.counters;
    println!(
        "   {} files in {:.2} s: {} prompts, {} responses, {} tool calls",
        report.files,
        took.as_secs_f64(),
        HumanCount(counters.imported_prompts),
        HumanCount(counters.imported_responses),
        HumanCount(counters.imported_tools)
    );
    println!(
        "   {} of text in {} sessions; {} duplicates, {} broken lines passed over",
        HumanBytes(stats.payload_bytes),
        stats.sessions,
        counters.skipped_duplicates,
        counters.errors
    );
    println!(
        "   kept out: {} private sections, {} secrets",
        stats.privacy.private_sections, stats.privacy.secrets_masked
    );
    for failed in &report.failed_files {
        println!("   not read: {}: {}", failed.path, failed.reason);
    }
    Ok(())
}

/// One memory in full, with what stands around it.
fn show_memory(memory: &Memory, hit: &Hit) -> Result<()> {
    let event = memory.citation(&hit.citation.to_string())?;
    println!("\n{}", rule(&format!("memory {}", event.citation)));
    println!(
        "   {} by {}, {}, session {}\n",
        kind_word(event.kind),
        event.actor,
        day_and_time(event.timestamp),
        event.session
    );
    println!("{}\n", wrapped(&event.content, "   ", 24));
    println!("   around it:");
    for item in memory.timeline(&[event.id.into()], 2)? {
        let mark = if item.is_target { "▸" } else { " " };
        let line = format!(
            "{} {:8} {}",
            item.timestamp.time_utc(),
            kind_word(item.kind),
            item.preview
        );
        println!("{}", wrapped(&line, &format!("   {mark} "), 1));
    }
    Ok(())
}
