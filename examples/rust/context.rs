//! Context for an agent's prompt, and what became of it: recall within a token
//! budget, answer, then see which memories were used and whether they helped.
//!
//! ```text
//! cargo run --release --example context
//! ```

use recallite::{CitationFormat, ContextOptions, EventKind, Memory, NewEvent, Result};
use recallite_examples::rule;

const HISTORY: [(EventKind, &str); 3] = [
    (
        EventKind::AgentResponse,
        "The staging database listens on port 5433, behind the bastion host heimdall.",
    ),
    (
        EventKind::UserPrompt,
        "Migrations run by hand: first on staging, a day later in production.",
    ),
    (
        EventKind::UserPrompt,
        "The plants in the office get water on Mondays.",
    ),
];

const PROMPT: &str = "How do I connect to the staging database?";
const ANSWER: &str = "Open a tunnel through heimdall; the database listens on port 5433.";

fn main() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let memory = Memory::open(folder.path())?;
    for (kind, text) in HISTORY {
        memory.append(NewEvent::new(kind, "last week", text))?;
    }

    // Before the prompt goes to the model: what does the memory know?
    let options = ContextOptions::new(PROMPT)
        .session("today")
        .budget_tokens(300)
        .limit(2)
        .format(CitationFormat::Inline);
    let context = memory.context(options)?;
    println!("{}", rule("context"));
    println!("{}\n", context.text);
    println!(
        "{} of 300 tokens, {} memories, confidence {}",
        context.tokens,
        context.items.len(),
        context.confidence
    );

    // The prompt and the answer follow; the record of the context goes with them.
    memory.append_batch(vec![
        NewEvent::new(EventKind::UserPrompt, "today", PROMPT),
        NewEvent::new(EventKind::AgentResponse, "today", ANSWER),
    ])?;

    println!("\n{}", rule("use"));
    for cited in memory.citations().popular(3, Some(30))? {
        println!(
            "{}  {}×  {}",
            cited.citation, cited.usage_count, cited.preview
        );
        let sessions = memory
            .citations()
            .citing_sessions(cited.citation.clone(), None)?;
        println!("            given to: {}", sessions.join(", "));
    }
    let figures = memory.stats()?.injections;
    println!(
        "{} of {} memories were taken up by the answer",
        figures.reused_memories, figures.judged_memories
    );
    memory.close()
}
