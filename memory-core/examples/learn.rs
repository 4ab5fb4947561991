//! Learns from a session: imports a transcript, takes in what a language model
//! extracted from it, and shows tasks, blockers, evidence and lineage.
//!
//! Run it with `cargo run --example learn`.

use recallite::rules::entries::EvidenceReport;
use recallite::rules::graph::{EdgeEnds, NodeType, Relation};
use recallite::scope::ProjectScope;
use recallite::text::show::harmless_line;
use recallite::{Memory, TaskFilter};

/// How wide the output is, in columns.
const WIDTH: usize = 80;

fn main() -> recallite::Result<()> {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data");
    let folder = std::env::temp_dir().join(format!("recallite-learn-{}", std::process::id()));
    let shown = show(&folder, data);
    let _ = std::fs::remove_dir_all(&folder);
    shown
}

fn show(folder: &std::path::Path, data: &str) -> recallite::Result<()> {
    let memory = Memory::open(folder)?;
    memory.import_claude_code(format!("{data}/sample_transcript.jsonl"))?;
    let session = memory.sessions(&ProjectScope::All, None)?.remove(0).id;
    let extraction = std::fs::read_to_string(format!("{data}/extraction.json"))?;

    heading("Ingest");
    let report = memory.ingest(&session, &extraction)?;
    println!(
        "{} entries, {} tasks, {} events in {}",
        report.entries.len(),
        report.tasks.len(),
        report.events,
        report.build_id
    );
    let again = memory.ingest(&session, &extraction)?;
    println!("a second time: {} events", again.events);

    heading("Entries and the words that prove them");
    for ingested in &report.entries {
        let Some(row) = memory.knowledge().entry(&ingested.entry_id)? else {
            continue;
        };
        let label = format!("{} {} ", row.entry.entry_type, row.entry.lifecycle.stage());
        println!("{label:<21}{}", cut(&row.entry.title, WIDTH - 21));
        show_evidence(&memory, &ingested.evidence)?;
    }

    heading("Tasks");
    let everywhere = TaskFilter::default().project(ProjectScope::All);
    for task in memory.tasks().list(&everywhere)? {
        let label = format!("{} ({})", task.status(), task.priority);
        println!("{label:<24}{}", cut(&task.title, WIDTH - 24));
        let Some(detail) = memory.tasks().get(&task.id)? else {
            continue;
        };
        for blocker in &detail.effective_blockers {
            let title = memory.tasks().get(&blocker.effective_id.as_str().into())?;
            let title = title.map_or_else(|| blocker.effective_id.clone(), |t| t.task.title);
            println!("    blocked by: {}", cut(&title, WIDTH - 16));
        }
        let acts: Vec<&str> = detail.history.iter().map(|e| e.kind.as_str()).collect();
        println!("    history: {}", cut(&acts.join(", "), WIDTH - 13));
    }

    heading("Lineage");
    // The pattern was drawn from the fact, the deploy rule from the pattern.
    let id = |local: &str| {
        let entry = report.entries.iter().find(|e| e.local_id == local);
        entry.map_or_else(String::new, |e| e.entry_id.as_str().to_owned())
    };
    for (from, to) in [("e6", "e1"), ("e5", "e6")] {
        let ends = EdgeEnds {
            source_type: NodeType::Entry,
            source_id: id(from),
            relation: Relation::DerivedFrom,
            destination_type: NodeType::Entry,
            destination_id: id(to),
        };
        memory.knowledge().add_edge(&ends, None)?;
    }
    for step in memory
        .knowledge()
        .lineage(&id("e1").as_str().into(), None)?
    {
        if let Some(row) = memory.knowledge().entry(&step.entry_id.as_str().into())? {
            let indent = "    ".repeat(step.depth);
            println!("{indent}{}", cut(&row.entry.title, WIDTH - indent.len()));
        }
    }
    memory.close()
}

fn heading(text: &str) {
    println!("\n{text}\n{}", "-".repeat(text.len()));
}

fn show_evidence(memory: &Memory, evidence: &EvidenceReport) -> recallite::Result<()> {
    for span in &evidence.aligned {
        let id = span.event_id.as_deref().unwrap_or_default();
        let Some(event) = memory.event(id.parse::<recallite::EventRef>()?)? else {
            continue;
        };
        let range = usize::try_from(span.span_start).unwrap_or(usize::MAX)
            ..usize::try_from(span.span_end).unwrap_or(usize::MAX);
        let words = event.content.get(range).unwrap_or_default();
        let place = format!(
            "    [{}] bytes {}..{} {} ",
            event.citation, span.span_start, span.span_end, span.method
        );
        println!("{place}{}", cut(words, WIDTH.saturating_sub(place.len())));
    }
    for quote in &evidence.failed {
        let reason = harmless_line(&quote.reason);
        println!("    message {}: {reason}", quote.message_index);
    }
    Ok(())
}

/// The columns that a character takes: two for Han, kana, Hangul and emoji.
fn columns(c: char) -> usize {
    match u32::from(c) {
        0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff => 2,
        0xfe30..=0xfe6f | 0xff00..=0xff60 | 0x1f300..=0x1faff | 0x2_0000..=0x3_fffd => 2,
        _ => 1,
    }
}

/// The text on one line of at most so many columns; it may have been meant for the terminal.
fn cut(text: &str, width: usize) -> String {
    let text = harmless_line(text);
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().map(columns).sum::<usize>() <= width {
        return line;
    }
    let mut used = 1;
    let kept: String = line
        .chars()
        .take_while(|c| {
            used += columns(*c);
            used <= width
        })
        .collect();
    kept + "…"
}
