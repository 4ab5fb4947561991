//! Measures the rules against hand-labelled sentences: precision and recall.

use std::collections::BTreeMap;

use crate::rules::statements::{Speaker, find};

/// The half that rules may be tuned on.
const TUNED: &str = include_str!("../../../../tests/data/learned_tuned.txt");
/// The half that was written first and is never tuned on.
const HELD_OUT: &str = include_str!("../../../../tests/data/learned_held_out.txt");
/// Messages as casual as what people type: those that rules may be tuned on.
const CASUAL_TUNED: &str = include_str!("../../../../tests/data/learned_casual_tuned.txt");
/// Those that were written after the rules, and are never tuned on.
const CASUAL_HELD_OUT: &str = include_str!("../../../../tests/data/learned_casual_held_out.txt");

/// A marked span of a message and the kinds that are correct there; none for a trap.
struct Mark {
    span: std::ops::Range<usize>,
    kinds: Vec<String>,
}

/// One message of a set.
struct Message {
    language: String,
    speaker: Speaker,
    text: String,
    marks: Vec<Mark>,
}

fn read(set: &str) -> Vec<Message> {
    let lines = set
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(read_line).collect()
}

fn read_line(line: &str) -> Message {
    let (head, marked) = line.split_once(": ").expect("`language speaker: text`");
    let (language, speaker) = head.split_once(' ').expect("`language speaker`");
    let mut rest = marked;
    let mut text = String::new();
    let mut marks = Vec::new();
    let plain = |text: &str| text.replace("\\n", "\n");
    while let Some((before, after)) = rest.split_once('⟦') {
        let (inner, after) = after.split_once('⟧').expect("a mark that is closed");
        let (kinds, sentence) = inner.split_once('|').expect("`kind|sentence`");
        text.push_str(&plain(before));
        let start = text.len();
        text.push_str(&plain(sentence));
        let is_trap = kinds.starts_with('-');
        marks.push(Mark {
            span: start..text.len(),
            kinds: match is_trap {
                true => Vec::new(),
                false => kinds.split(',').map(str::to_owned).collect(),
            },
        });
        rest = after;
    }
    text.push_str(&plain(rest));
    Message {
        language: language.to_owned(),
        speaker: match speaker {
            "user" => Speaker::User,
            "agent" => Speaker::Agent,
            other => panic!("{other} is nobody"),
        },
        text,
        marks,
    }
}

/// The counts of a set or of part of it.
#[derive(Clone, Copy, Default)]
struct Score {
    right: u32,
    wrong: u32,
    missed: u32,
    traps: u32,
    sprung: u32,
}

impl Score {
    fn precision(self) -> f64 {
        f64::from(self.right) / f64::from((self.right + self.wrong).max(1))
    }

    fn recall(self) -> f64 {
        f64::from(self.right) / f64::from((self.right + self.missed).max(1))
    }
}

fn count(message: &Message, errors: &mut Vec<String>) -> Score {
    let mut score = Score::default();
    let mut is_met = vec![false; message.marks.len()];
    for finding in find(&message.text, message.speaker, &[]) {
        // Says nothing of its own.
        if finding.kind.ends_a_task() {
            continue;
        }
        let over = message.marks.iter().position(|mark| {
            mark.span.start < finding.span.end && finding.span.start < mark.span.end
        });
        let kind = finding.kind.as_str().to_owned();
        match over {
            Some(at) if message.marks[at].kinds.contains(&kind) => {
                score.right += u32::from(!is_met[at]);
                is_met[at] = true;
            }
            _ => {
                score.wrong += 1;
                score.sprung +=
                    u32::from(over.is_some_and(|at| message.marks[at].kinds.is_empty()));
                errors.push(format!("{kind}? {}", &message.text[finding.span]));
            }
        }
    }
    for (mark, is_met) in message.marks.iter().zip(is_met) {
        score.traps += u32::from(mark.kinds.is_empty());
        if !mark.kinds.is_empty() && !is_met {
            score.missed += 1;
            errors.push(format!(
                "{} missed: {}",
                mark.kinds[0],
                &message.text[mark.span.clone()]
            ));
        }
    }
    score
}

/// Measures a set, prints the result by language, and returns the total.
fn measure(name: &str, set: &str, shows_errors: bool) -> BTreeMap<String, Score> {
    let mut errors = Vec::new();
    let mut by_language: BTreeMap<String, Score> = BTreeMap::new();
    let messages = read(set);
    for message in &messages {
        let score = count(message, &mut errors);
        for key in [message.language.as_str(), "sum"] {
            let sum = by_language.entry(key.to_owned()).or_default();
            sum.right += score.right;
            sum.wrong += score.wrong;
            sum.missed += score.missed;
            sum.traps += score.traps;
            sum.sprung += score.sprung;
        }
    }
    println!("{name}:");
    for (language, score) in &by_language {
        println!(
            "  {language:3}  precision {:.3}  recall {:.3}  ({} right, {} wrong, {} missed; {} of {} traps)",
            score.precision(),
            score.recall(),
            score.right,
            score.wrong,
            score.missed,
            score.sprung,
            score.traps,
        );
    }
    if shows_errors {
        errors.iter().for_each(|error| println!("    {error}"));
    }
    by_language
}

/// What no language may fall below, so that the others do not hide it.
const MIN_PRECISION: f64 = 0.8;
const MIN_RECALL: f64 = 0.55;

/// Asserts that each of the four languages is above the floor; returns the sum.
fn floored(name: &str, by_language: &BTreeMap<String, Score>) -> Score {
    assert_eq!(by_language.len(), 5, "{name}: four languages and their sum");
    for (language, score) in by_language {
        let (precision, recall) = (score.precision(), score.recall());
        assert!(
            precision >= MIN_PRECISION && recall >= MIN_RECALL,
            "{name}, {language}: precision {precision:.3}, recall {recall:.3}"
        );
    }
    by_language["sum"]
}

#[test]
fn most_of_what_is_found_is_right_and_most_of_what_is_said_is_found() {
    // Errors on the held-out half are not shown, so that nobody is tempted to tune on it.
    let measured = |name: &str, set: &str, shows_errors: bool| {
        floored(name, &measure(name, set, shows_errors))
    };
    let tuned = measured("tuned on", TUNED, true);
    let held_out = measured("never tuned on", HELD_OUT, false);
    for score in [tuned, held_out] {
        assert!(
            score.precision() >= 0.85,
            "precision {:.3}",
            score.precision()
        );
        assert!(score.recall() >= 0.6, "recall {:.3}", score.recall());
    }
    let casual = measured("casual, tuned on", CASUAL_TUNED, true);
    let unseen = measured("casual, never tuned on", CASUAL_HELD_OUT, false);
    for (score, recall) in [(casual, 0.8), (unseen, 0.6)] {
        assert!(
            score.precision() >= 0.85 && score.recall() >= recall,
            "precision {:.3}, recall {:.3}",
            score.precision(),
            score.recall()
        );
    }
    let traps = tuned.traps + held_out.traps;
    let sentences = traps
        + [tuned, held_out]
            .map(|s| s.right + s.missed)
            .iter()
            .sum::<u32>();
    assert!(sentences >= 400, "{sentences} sentences");
    assert!(traps * 3 >= sentences, "{traps} traps of {sentences}");
}
