//! The weights of recall: the defaults are the recipe, and 0 disables a part.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::embed::CallbackEmbedder;
use crate::memory::Memory;
use crate::model::error::ErrorCode;
use crate::model::event::{EventKind, NewEvent};
use crate::model::ids::Seq;
use crate::model::query::{Query, SearchResult};
use crate::model::weights::RecallWeights;

fn open(folder: &Path, change: impl FnOnce(&mut RecallWeights)) -> Memory {
    let mut weights = RecallWeights::default();
    change(&mut weights);
    Memory::builder()
        .recall_weights(weights)
        .open(folder)
        .unwrap()
}

/// A store with one turn per line, `speaker: text`, one a month from January 2026 on, in a single
/// session.
fn conversation(lines: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    let events = lines.iter().enumerate().map(|(number, line)| {
        let (speaker, text) = line.split_once(": ").unwrap();
        let at = format!("2026-{:02}-05T12:00:00Z", number + 1);
        NewEvent::new(EventKind::UserPrompt, "s", text)
            .actor(speaker)
            .timestamp(at.parse().unwrap())
    });
    memory.append_batch(events.collect()).unwrap();
    memory.close().unwrap();
    folder
}

fn texts(found: &SearchResult) -> Vec<&str> {
    found
        .items
        .iter()
        .map(|hit| hit.passage.text.as_str())
        .collect()
}

/// The rank score of the hit that contains `part`, relative to the best one.
fn score(memory: &Memory, question: &str, part: &str) -> f32 {
    let found = memory.search(question).unwrap();
    let hit = found
        .items
        .iter()
        .find(|hit| hit.passage.text.contains(part));
    hit.unwrap_or_else(|| panic!("{part:?} is not in {:?}", texts(&found)))
        .rank_score
}

const TALK: &[&str] = &[
    "ann: Which port does the staging gateway listen on?",
    "ben: It listens on 9443 since the last release.",
    "ann: My sister adopted a small dog in March.",
    "ben: We went hiking in the mountains yesterday.",
    "ann: The request timeout of the gateway, what did we choose?",
    "ben: Thirty seconds.",
    "ann: Our invoices are paid by the automobile fund.",
    "ben: The puppy chewed the gateway manual, port list included.",
];

#[test]
fn the_defaults_given_explicitly_change_nothing() {
    let folder = conversation(TALK);
    let plain = Memory::open(folder.path()).unwrap();
    let explicit = open(folder.path(), |_| {});
    for question in [
        "which port does the gateway use?",
        "What did Ann say about her pet?",
        "when did ben go hiking?",
        "car costs in July 2026",
    ] {
        let (one, two) = (
            plain.search(question).unwrap(),
            explicit.search(question).unwrap(),
        );
        assert!(!one.items.is_empty());
        assert_eq!(one, two, "{question}");
    }
}

#[test]
fn without_context_an_answer_that_only_its_neighbour_explains_is_not_found() {
    let folder = conversation(TALK);
    let question = "request timeout of the gateway";
    let found = open(folder.path(), |_| {}).search(question).unwrap();
    let answer = texts(&found)
        .iter()
        .position(|text| *text == "Thirty seconds.");
    assert!(answer.is_some_and(|rank| rank < 3), "{:?}", texts(&found));
    let without = |weights: &mut RecallWeights| {
        weights.context_scores = 0.0;
        weights.context_words = 0.0;
    };
    // Similarity alone might find it by "seconds".
    let memory = open(folder.path(), |weights| {
        without(weights);
        weights.query_expansion = 0.0;
    });
    let found = memory.search(question).unwrap();
    assert!(!found.items.is_empty());
    assert!(
        !texts(&found).contains(&"Thirty seconds."),
        "{:?}",
        texts(&found)
    );
}

#[test]
fn without_query_expansion_only_the_words_themselves_are_found() {
    let folder = conversation(TALK);
    let only = |memory: Memory| {
        let query = Query::new("car");
        memory.search(query).unwrap().items.len()
    };
    assert!(only(open(folder.path(), |_| {})) > 0);
    assert_eq!(
        only(open(folder.path(), |weights| weights.query_expansion = 0.0)),
        0
    );
    let exact = Memory::builder().recall_weights(RecallWeights::none());
    assert_eq!(only(exact.open(folder.path()).unwrap()), 0);
    // The effect is gradual.
    let share = |soft: f32| {
        let memory = open(folder.path(), |weights| {
            *weights = RecallWeights::none();
            weights.query_expansion = soft;
        });
        score(&memory, "car gateway", "automobile")
    };
    let shares = [0.25, 0.5, 1.0].map(share);
    assert!(shares.is_sorted_by(|a, b| a < b), "{shares:?}");
}

#[test]
fn each_cue_ends_with_its_weight() {
    let folder = conversation(&[
        "ann: The blue boat was sold in the harbour.",
        "cleo: Nothing about that.",
        "dora: Completely unrelated words here.",
        "ben: The blue boat was sold at the market.",
        "dora: More unrelated words.",
        "cleo: Was the blue boat sold?",
        "dora: Even more of them.",
        "cleo: The blue boat left yesterday at noon.",
    ]);
    type Change = fn(&mut RecallWeights);
    let cases: [(&str, &str, Change); 3] = [
        ("what did ben say of the blue boat?", "market", |w| {
            w.named_actor = 0.0
        }),
        ("the blue boat in April 2026", "market", |w| w.date = 0.0),
        ("when did the blue boat leave?", "yesterday", |w| {
            w.fixed.temporal = 0.0
        }),
    ];
    // The other parts do not depend on the cue.
    let alone = |weights: &mut RecallWeights| {
        weights.context_scores = 0.0;
        weights.context_words = 0.0;
        weights.fixed.after_question = 0.0;
        weights.duplicate_demotion = 0.0;
    };
    for (question, part, change) in cases {
        let gain = |memory: &Memory| score(memory, question, part) - score(memory, question, "Was");
        let with = gain(&open(folder.path(), alone));
        let without = gain(&open(folder.path(), |weights| {
            alone(weights);
            change(weights);
        }));
        assert!(with > without + 0.01, "{question}: {with} and {without}");
    }
    // What ben said about it precedes better matches of the words, unless names count only as
    // words.
    let question = "what did ben say of the blue boat sold in the harbour?";
    let first = |memory: Memory| texts(&memory.search(question).unwrap())[0].to_owned();
    let named = first(open(folder.path(), alone));
    assert!(named.contains("market"), "{named}");
    let unnamed = first(open(folder.path(), |weights| {
        alone(weights);
        weights.named_actor = 0.0;
    }));
    assert!(unnamed.contains("harbour"), "{unnamed}");
    let penalty = |most: f32| {
        let memory = open(folder.path(), |weights| {
            weights.fixed.question_penalty = most
        });
        score(&memory, question, "Was the")
    };
    let lost = penalty(0.0) - penalty(0.4);
    assert!((lost - 0.4).abs() < 1e-4, "{lost}");
}

#[test]
fn a_definition_comes_before_its_calls() {
    let folder = tempfile::tempdir().unwrap();
    // How far the definition ranks before a call of the same name.
    let lead = |weight: f32| {
        let memory = open(folder.path(), |weights| weights.fixed.definitions = weight);
        for (session, text) in [
            ("call", "length = round(vector_norm(values), 2)"),
            (
                "code",
                "def vector_norm(values):\n    return sum(v * v for v in values) ** 0.5",
            ),
        ] {
            let event = NewEvent::new(EventKind::UserPrompt, session, text);
            memory.append(event).unwrap();
        }
        let found = memory.search("norm of a vector in python").unwrap();
        let rank = |seq| {
            let hit = found.items.iter().find(|hit| hit.seq == Seq(seq)).unwrap();
            hit.rank_score
        };
        rank(2) - rank(1)
    };
    let (without, with) = (lead(0.0), lead(RecallWeights::default().fixed.definitions));
    assert!(with > without + 0.05, "{without} {with}");
}

#[test]
fn a_comment_that_documents_a_definition_counts_more_than_one_inside() {
    let folder = tempfile::tempdir().unwrap();
    let lead = |weight: f32| {
        let memory = open(folder.path(), |weights| weights.fixed.doc_comments = weight);
        for (session, text) in [
            (
                "inside",
                "def first(values):\n    # average of all values\n    return sum(values) / 9",
            ),
            (
                "above",
                "def other(values):\n    \"\"\"Average of all values.\"\"\"\n    return sum(values) / 9",
            ),
        ] {
            let event = NewEvent::new(EventKind::UserPrompt, session, text);
            memory.append(event).unwrap();
        }
        let found = memory.search("average of values").unwrap();
        let rank = |seq| {
            let hit = found.items.iter().find(|hit| hit.seq == Seq(seq)).unwrap();
            hit.rank_score
        };
        rank(2) - rank(1)
    };
    let (without, with) = (lead(0.0), lead(RecallWeights::default().fixed.doc_comments));
    assert!(with > without + 0.3, "{without} {with}");
}

/// A question, and a message about the same.
const ASKED: [&str; 2] = [
    "what does the budget draft say about travel costs?",
    "Good morning all. I read what the budget draft says about travel costs. What is left?",
];

/// How far the event that contains `part` ranks before the first one, with these weights.
fn lead(
    events: &[(&str, &str, &str)],
    question: &str,
    part: &str,
    change: impl FnOnce(&mut RecallWeights),
) -> f32 {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path(), |weights| {
        weights.duplicate_demotion = 0.0;
        change(weights);
    });
    for (session, at, text) in events {
        let event = NewEvent::new(EventKind::UserPrompt, *session, *text);
        memory.append(event.timestamp(at.parse().unwrap())).unwrap();
    }
    score(&memory, question, part) - score(&memory, question, events[0].2)
}

#[test]
fn a_message_prefers_what_is_recent_and_a_question_does_not() {
    let events = [
        (
            "a",
            "2026-01-05T12:00:00Z",
            "The budget draft of Ann lists travel costs.",
        ),
        (
            "b",
            "2026-06-05T12:00:00Z",
            "The budget draft of Ben lists travel costs.",
        ),
    ];
    let gain = |question| {
        let without = lead(&events, question, "Ben", |weights| {
            weights.fixed.recent = 0.0
        });
        lead(&events, question, "Ben", |_| {}) - without
    };
    let [question, message] = ASKED.map(gain);
    assert_eq!(question, 0.0);
    assert!(message > 0.3, "{message}");
}

#[test]
fn a_message_prefers_a_session_with_several_matches() {
    let at = "2026-01-05T12:00:00Z";
    let events = [
        ("a", at, "The budget draft of Ann lists travel costs."),
        ("b", at, "The budget draft of Ben lists travel costs."),
        ("b", at, "Travel costs are half of the budget."),
    ];
    let gain = |question| {
        let without = lead(&events, question, "Ben", |weights| {
            weights.fixed.sessions = 0.0
        });
        lead(&events, question, "Ben", |_| {}) - without
    };
    let [question, message] = ASKED.map(gain);
    assert_eq!(question, 0.0);
    assert!(message > 0.05, "{message}");
}

#[test]
fn advice_prefers_what_the_user_said_to_prefer() {
    let at = "2026-01-05T12:00:00Z";
    let events = [
        ("a", at, "A laptop for the trip should be light and cheap."),
        ("b", at, "For a trip I prefer a laptop that is light."),
    ];
    let gain = |question| {
        let without = lead(&events, question, "I prefer", |weights| {
            weights.fixed.preferences = 0.0
        });
        lead(&events, question, "I prefer", |_| {}) - without
    };
    let advice = gain("Which laptop would you suggest for the trip?");
    assert!(advice > 0.2, "{advice}");
    assert_eq!(gain("How heavy is the laptop for the trip?"), 0.0);
    // A message mostly asks for help with what was discussed before.
    let message = "The laptop broke. The trip begins soon. What would you suggest?";
    assert_eq!(gain(message), 0.0);
}

#[test]
fn the_place_and_the_company_of_words_count_as_far_as_they_are_told_to() {
    let folder = conversation(&[
        "ann: The red crane stands by the quay.",
        "ben: The crane by the quay stands still, and an invoice is red.",
    ]);
    let scores = |change: fn(&mut RecallWeights)| -> Vec<f32> {
        let memory = open(folder.path(), |weights| {
            *weights = RecallWeights::none();
            change(weights);
        });
        let found = memory.search("red crane").unwrap();
        assert!(
            texts(&found)[0].starts_with("The red crane"),
            "{:?}",
            texts(&found)
        );
        found.items.iter().map(|hit| hit.rank_score).collect()
    };
    assert_eq!(scores(|_| {}), [1.0, 1.0]);
    for change in [
        (|weights| weights.fixed.phrase_proximity = 0.5) as fn(&mut RecallWeights),
        |weights| weights.similarity_by_words = 0.15,
    ] {
        let scores = scores(change);
        assert!(scores[0] > scores[1] + 0.01, "{scores:?}");
    }
}

#[test]
fn copies_fall_back_as_far_as_they_are_told_to() {
    let copy = "The nightly build of the parser failed again because of a missing header file.";
    let lines: Vec<String> = (0..4)
        .map(|number| format!("bot{number}: {copy} ({number})"))
        .collect();
    let mut lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    lines.push("ann: The parser is slow.");
    let folder = conversation(&lines);
    let scores = |demotion: f32| -> Vec<f32> {
        let memory = open(folder.path(), |weights| {
            *weights = RecallWeights::none();
            weights.duplicate_demotion = demotion;
        });
        let found = memory.search("nightly parser build").unwrap();
        found.items.iter().map(|hit| hit.rank_score).collect()
    };
    // The order by time makes equal scores differ by the least that a number can.
    let is = |score: f32, wanted: f32| (score - wanted).abs() < 1e-5;
    assert!(
        scores(0.0)[..4].iter().all(|score| is(*score, 1.0)),
        "{:?}",
        scores(0.0)
    );
    let mut half = scores(0.5);
    half.sort_by(|a, b| b.total_cmp(a));
    assert!(is(half[0], 1.0), "{half:?}");
    assert!(
        half.iter().filter(|score| is(**score, 0.5)).count() == 3,
        "{half:?}"
    );
}

#[test]
fn a_question_that_was_asked_before_comes_behind_its_answer() {
    let question = "Where does the staging gateway keep its certificates?";
    let folder = conversation(&[
        &format!("ann: {question}"),
        "ben: In the vault, under the name of the cluster.",
        "ann: The staging gateway was slow today.",
        // Asked twice in a row, and with different spelling.
        "ben: where does the staging gateway keep its certificates ?",
        "ben: WHERE does the staging gateway keep its certificates??",
        "ann: Nothing has changed there.",
        "cleo: Our staging gateway has a new name.",
    ]);
    let memory = open(folder.path(), |_| {});
    let found = memory.search(question).unwrap();
    let place = |part: &str| {
        let place = texts(&found).iter().position(|text| text.contains(part));
        place.unwrap_or_else(|| panic!("{part} is not in {:?}", texts(&found)))
    };
    assert!(place("In the vault") < place("Where does"));
    assert!(place("Nothing has changed") < place("WHERE does"));
    assert!(place("WHERE does") < place("where does"));
    assert!(
        found
            .items
            .is_sorted_by(|a, b| a.rank_score >= b.rank_score)
    );
    // Without the boost for answers it is a turn like any other.
    let memory = open(folder.path(), |weights| weights.fixed.after_question = 0.0);
    let found = memory.search(question).unwrap();
    assert!(
        texts(&found)[0].to_lowercase().starts_with("where does"),
        "{:?}",
        texts(&found)
    );
    // Statements stay first, and so does a question without an answer.
    let folder = conversation(&[
        "ann: The staging gateway keeps its certificates in the vault.",
        "ben: Good to know.",
        "ann: Who renews the wildcard domain?",
    ]);
    let memory = open(folder.path(), |_| {});
    for text in [
        "The staging gateway keeps its certificates in the vault.",
        "Who renews the wildcard domain?",
    ] {
        assert_eq!(texts(&memory.search(text).unwrap())[0], text);
    }
}

#[test]
fn a_long_prompt_that_ends_in_a_question_loses_less() {
    let long = "The blue boat lies in the harbour since the storm; the hull leaks, the \
                engine floods, the mast broke, the sails tore, the anchor chain rusted and \
                the insurance refuses every payment. Can you help?";
    let folder = conversation(&[
        &format!("ann: {long}"),
        "ben: Nothing about that.",
        "ben: Is the blue boat sold?",
    ]);
    let lost = |part: &str| {
        let with = |penalty: f32| {
            let memory = open(folder.path(), |weights| {
                weights.fixed.question_penalty = penalty
            });
            score(&memory, "blue boat", part)
        };
        with(0.0) - with(0.4)
    };
    let (short, long) = (lost("sold"), lost("hull"));
    assert!((short - 0.4).abs() < 1e-4, "{short}");
    assert!(0.05 < long && long < 0.2, "{long}");
}

#[test]
fn without_similarity_by_vectors_the_embedder_is_not_asked() {
    let folder = tempfile::tempdir().unwrap();
    let calls = Arc::new(AtomicUsize::new(0));
    let embedder = |calls: &Arc<AtomicUsize>| {
        let calls = calls.clone();
        CallbackEmbedder::new("two", 2, move |texts: &[&str]| {
            calls.fetch_add(1, Ordering::SeqCst);
            let vector = |text: &&str| match text.contains("sea") || text.contains("boat") {
                true => vec![1.0, 0.0],
                false => vec![0.0, 1.0],
            };
            Ok(texts.iter().map(vector).collect())
        })
        .unwrap()
    };
    // Word similarity would find it too.
    let weights = |by_vectors: f32| RecallWeights {
        query_expansion: 0.0,
        similarity_by_vectors: by_vectors,
        ..RecallWeights::default()
    };
    let memory = Memory::builder()
        .embedder(Arc::new(embedder(&calls)))
        .recall_weights(weights(0.5))
        .open(folder.path())
        .unwrap();
    for (session, text) in [("a", "qqboat zzz"), ("b", "kkk jjj"), ("c", "ppp ttt")] {
        memory
            .append(NewEvent::new(EventKind::UserPrompt, session, text))
            .unwrap();
    }
    memory.process_outbox(100).unwrap();
    let by_words = Memory::builder()
        .embedder(Arc::new(embedder(&calls)))
        .recall_weights(weights(0.0))
        .open(folder.path())
        .unwrap();
    let before = calls.load(Ordering::SeqCst);
    assert_eq!(texts(&memory.search("xyzsea").unwrap())[0], "qqboat zzz");
    assert_eq!(calls.load(Ordering::SeqCst), before + 1);
    // A vector given by the caller without a text searches only by vectors.
    let alone = Memory::builder()
        .embedder(Arc::new(embedder(&calls)))
        .recall_weights({
            let mut weights = RecallWeights::none();
            weights.similarity_by_vectors = 0.5;
            weights
        })
        .open(folder.path())
        .unwrap();
    let found = alone.search(Query::new("").vector([1.0, 0.0])).unwrap();
    assert_eq!(texts(&found), ["qqboat zzz"]);
    let found = by_words.search("xyzsea").unwrap();
    assert!(
        !texts(&found).contains(&"qqboat zzz"),
        "{:?}",
        texts(&found)
    );
    assert_eq!(calls.load(Ordering::SeqCst), before + 1);
}

#[test]
fn a_wrong_weight_is_refused_before_anything_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m");
    for (name, wrong) in [
        ("date", f32::NAN),
        ("named_actor", -0.25),
        ("context_scores", f32::INFINITY),
        ("duplicate_demotion", 1.01),
        ("similarity_by_vectors", 10.5),
    ] {
        let mut weights = RecallWeights::default();
        match name {
            "date" => weights.date = wrong,
            "named_actor" => weights.named_actor = wrong,
            "context_scores" => weights.context_scores = wrong,
            "duplicate_demotion" => weights.duplicate_demotion = wrong,
            _ => weights.similarity_by_vectors = wrong,
        }
        let error = Memory::builder()
            .recall_weights(weights)
            .open(&path)
            .unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidArgument);
        assert_eq!(error.argument(), Some(&*format!("recall_weights.{name}")));
        assert!(!path.exists());
    }
}
