//! The small story that every language tells with the same lines: remember six
//! sentences, ask twice, look at the source of an answer. See
//! `examples/story/README.md`.

use recallite::{CitationId, EventKind, Memory, NewEvent, Query, Result, Timestamp};

use EventKind::{AgentResponse, UserPrompt};
use recallite::text::show::harmless_line;

const SENTENCES: [(EventKind, &str, &str, &str); 6] = [
    (
        UserPrompt,
        "monday",
        "2026-03-09T09:00:00Z",
        "We never deploy on Friday, because nobody is on call at the weekend.",
    ),
    (
        AgentResponse,
        "monday",
        "2026-03-09T09:00:20Z",
        "Noted. The deploy script now refuses to run on Friday.",
    ),
    (
        UserPrompt,
        "tuesday",
        "2026-03-10T05:30:00Z",
        "결제 게이트웨이 타임아웃은 15초로 하고 재시도는 한 번만 해 주세요.",
    ),
    (
        AgentResponse,
        "tuesday",
        "2026-03-10T05:30:20Z",
        "결제 설정을 바꿨습니다. 멱등 키는 이제 주문 번호입니다.",
    ),
    (
        UserPrompt,
        "wednesday",
        "2026-03-11T01:15:00Z",
        "Please print the invoice in the font Inter at 11 points.",
    ),
    (
        AgentResponse,
        "wednesday",
        "2026-03-11T01:15:20Z",
        "송장 글꼴을 인터 11포인트로 맞췄습니다.",
    ),
];

const QUESTIONS: [&str; 2] = [
    "Who is on call when we deploy on Friday?",
    "결제 타임아웃을 몇 초로 정했지?",
];

fn main() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let memory = Memory::open(folder.path())?;

    let mut remembered = 0;
    for (kind, session, time, sentence) in SENTENCES {
        let event = NewEvent::new(kind, session, sentence).timestamp(time.parse()?);
        remembered += usize::from(!memory.append(event)?.duplicate);
    }
    println!("remembered {remembered} events");

    let mut source = None;
    for question in QUESTIONS {
        println!("\n? {question}");
        let found = memory.search(Query::new(question).limit(2))?;
        for (index, hit) in found.items.iter().enumerate() {
            let (citation, time) = (masked(&hit.citation), seconds(hit.timestamp));
            println!(
                "{}. {citation} {} {} {time}",
                index + 1,
                hit.kind,
                hit.session
            );
            println!("   {}", harmless_line(&hit.passage.text));
        }
        source = found.items.into_iter().next();
    }

    if let Some(hit) = source {
        let event = memory.citation(&hit.citation.to_string())?;
        println!("\nsource of {}", masked(&event.citation));
        println!(
            "   {} {} {}",
            event.kind,
            event.session,
            seconds(event.timestamp)
        );
        println!("   {}", event.content);
    }

    memory.close()?;
    println!("\nclosed");
    Ok(())
}

/// Citation ids differ from run to run, so the story shows dots.
fn masked(citation: &CitationId) -> String {
    format!("[mem:{}]", ".".repeat(citation.as_str().len()))
}

fn seconds(at: Timestamp) -> String {
    at.to_string().replace(".000Z", "Z")
}
