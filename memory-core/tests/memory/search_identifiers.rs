//! Search for identifiers among similar ones: tickets, variants, hashes, ports, versions,
//! addresses, error codes, names in code.

use recallite::{EventKind, MatchClass, Memory, NewEvent, Query};

/// The number of notes in a store, each about a different identifier.
const NOTES: usize = 40;
/// The ones searched for: the first and last of a session, and some in between.
const ASKED: [usize; 6] = [0, 4, 19, 20, 31, 39];
/// One that is not in the store.
const MISSING: usize = 23;

/// The name of a kind of identifier, and its similar values.
type Shape = (&'static str, fn(usize) -> String);

const SHAPES: &[Shape] = &[
    ("a word and a number", |n| format!("lateword{}", 10 + n)),
    ("a ticket", |n| format!("PROJ-{}", 4580 + n)),
    ("a ticket of two digits", |n| format!("OPS-{}", 12 + n)),
    ("a variant", |n| format!("rs{}", 647_100 + n * 7)),
    ("a hash", |n| format!("{:07x}", 0x0c0f_fee1 + n * 0x1_2345)),
    ("a port", |n| format!("port {}", 8001 + n * 13)),
    ("a port of three digits", |n| format!("port {}", 431 + n)),
    ("a version", |n| format!("v1.{}.{n}", n % 4)),
    ("an error code", |n| format!("E{:04}", 277 + n * 3)),
    ("an error number", |n| format!("0x800700{:02x}", 5 + n)),
    ("an address", |n| format!("10.0.{}.7", 3 + n)),
    ("a machine", |n| format!("worker-{n}")),
    ("a node", |n| format!("node_{n:02}")),
    ("an id", |n| {
        format!(
            "7f3a{:04x}-11d2-4b{n:02x}-9c1e-00a0c91e{:04x}",
            n * 77,
            900 + n
        )
    }),
    ("a constant", |n| {
        let (first, last) = (
            ["READ", "WRITE", "SYNC", "LOCK"],
            ["DENIED", "LOST", "FULL", "BUSY", "LOOP"],
        );
        format!(
            "ERR_{}_{}_{}",
            first[n % 4],
            last[n / 4 % 5],
            ["A", "B"][n / 20]
        )
    }),
    ("a function", |n| {
        let (first, last) = (
            ["flush", "drain", "close", "merge"],
            ["Retry", "Mail", "Index", "Audit", "Order"],
        );
        format!(
            "{}{}{}",
            first[n % 4],
            last[n / 4 % 5],
            ["Queue", "Stack"][n / 20]
        )
    }),
    ("an invented word", |n| {
        let first = ["zor", "vel", "mun", "kas", "tri"];
        let (second, last) = (["vex", "lim"], ["ado", "ith", "une", "oby"]);
        format!("{}{}{}", first[n % 5], second[n / 5 % 2], last[n / 10])
    }),
];

const NOTE: [&str; 2] = [
    "{} is done.",
    "Looked into {} today: the retry limit was too low, raised it to five.",
];

const QUESTIONS: [&str; 6] = [
    "{}",
    "what happened to {}?",
    "why was the retry limit of {} too low, and who raised it?",
    "{}는 왜 닫혔지?",
    "{}を直したのはいつですか",
    "我们修复了{}吗",
];

/// A store of notes in two sessions, each about one identifier, except for those omitted.
fn store(
    shape: &Shape,
    note: &str,
    is_kept: impl Fn(usize) -> bool,
) -> (tempfile::TempDir, Memory) {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    let notes = (0..NOTES).filter(|n| is_kept(*n)).map(|n| {
        let kind = [EventKind::UserPrompt, EventKind::AgentResponse][n % 2];
        let session = ["first", "second"][n * 2 / NOTES];
        NewEvent::new(kind, session, note.replace("{}", &shape.1(n)))
    });
    memory.append_batch(notes.collect::<Vec<_>>()).unwrap();
    (folder, memory)
}

#[test]
fn an_identifier_comes_before_all_that_are_like_it() {
    for shape in SHAPES {
        for note in NOTE {
            let (_folder, memory) = store(shape, note, |_| true);
            for (n, question) in ASKED.iter().flat_map(|n| QUESTIONS.map(|q| (*n, q))) {
                let question = question.replace("{}", &shape.1(n));
                let found = memory.search(Query::new(&*question).limit(3)).unwrap();
                let expected = note.replace("{}", &shape.1(n));
                assert_eq!(
                    found.items[0].passage.text, expected,
                    "{}: {question}",
                    shape.0
                );
            }
        }
    }
}

#[test]
fn an_identifier_that_is_not_known_is_no_sure_hit() {
    for shape in SHAPES {
        for note in NOTE {
            let (_folder, memory) = store(shape, note, |n| n != MISSING);
            for question in QUESTIONS {
                let question = question.replace("{}", &shape.1(MISSING));
                let found = memory.search(&*question).unwrap();
                let relevance = found.items.first().map(|hit| hit.relevance);
                assert_ne!(
                    found.confidence,
                    MatchClass::High,
                    "{}: {question}: {relevance:?}",
                    shape.0
                );
            }
        }
    }
}

#[test]
fn an_identifier_counts_more_than_the_words_around_another() {
    for (asked, other) in [
        ("PROJ-4599", "PROJ-4598"),
        ("rs647161", "rs647162"),
        ("v2.14.3", "v2.14.5"),
        ("10.0.7.7", "10.0.33.7"),
        ("ERR_READ_TIMEOUT", "ERR_READ_DENIED"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path()).unwrap();
        let mut said = vec![
            format!("Who takes {asked}? It needs a word with the vendor."),
            format!("The retry limit of {other} is five, the retry limit was raised for {other}."),
        ];
        said.extend((0..20).map(|n| format!("Note {n} about lunch and the weather.")));
        let events = said
            .iter()
            .map(|text| NewEvent::new(EventKind::UserPrompt, "s", &**text));
        memory.append_batch(events.collect::<Vec<_>>()).unwrap();
        let found = memory.search(&*format!("retry limit of {asked}")).unwrap();
        assert!(
            found.items[0].passage.text.contains(asked),
            "{asked}: {:?}",
            found.items[0]
        );
    }
}
