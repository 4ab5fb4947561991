//! Aligns fuzzy quotes with a long message, compared in the same run with a literal implementation
//! of the definition (every window, Levenshtein row by row).

use std::time::{Duration, Instant};

use recallite::rules::align::{AlignOptions, EvidenceQuote, align};

use crate::Result;
use crate::arguments::Arguments;
use crate::text::{Author, Random};

const QUOTE_CHARS: [usize; 4] = [60, 120, 250, 480];

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let characters: usize = arguments.number("characters", 10_000)?;
    let quotes: usize = arguments.number("quotes", 3)?;
    if characters < 1_000 || quotes == 0 {
        return Err("--characters must be at least 1000, --quotes at least 1".into());
    }
    let mut author = Author::new(7);
    let mut random = Random::new(8);
    let mut message: Vec<char> = author.text(characters).to_lowercase().chars().collect();
    message.truncate(characters);
    let text: String = message.iter().collect();
    println!("fuzzy quotes in a message of {} characters", message.len());
    let mut is_same_everywhere = true;
    for length in QUOTE_CHARS {
        let (mut naive, mut ours, mut same) = (Vec::new(), Vec::new(), 0);
        for _ in 0..quotes {
            let quote = misquoted(&message, length, &mut random);
            let begun = Instant::now();
            let expected = by_definition(&message, &quote);
            naive.push(begun.elapsed());
            let evidence = [EvidenceQuote::new(0, quote.iter().collect::<String>())];
            let begun = Instant::now();
            let report = align(&[&text], &evidence, &AlignOptions::default());
            ours.push(begun.elapsed());
            let found = report.ok().and_then(|report| report.results[0].span);
            let found = found.map(|span| (span.chars.start, span.chars.end));
            same += usize::from(found == expected);
        }
        is_same_everywhere &= same == quotes;
        let (naive, ours) = (median(naive), median(ours));
        println!(
            "  quote of {length:>3}: by definition {:>9.1} ms, recallite {:>7.3} ms, {:>6.0} times faster   (goal: at least 50); same spans {same} of {quotes}",
            naive.as_secs_f64() * 1e3,
            ours.as_secs_f64() * 1e3,
            naive.as_secs_f64() / ours.as_secs_f64(),
        );
    }
    if is_same_everywhere {
        Ok(())
    } else {
        Err("the spans differ".into())
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// A passage of the message with about one character in twelve mistyped.
fn misquoted(message: &[char], length: usize, random: &mut Random) -> Vec<char> {
    loop {
        let start = random.below(message.len() - length);
        let mut quote = message[start..start + length].to_vec();
        for character in &mut quote {
            if character.is_alphabetic() && random.below(12) == 0 {
                *character = char::from(b'a' + random.below(26) as u8);
            }
        }
        let is_trimmed = quote[0] != ' ' && quote[length - 1] != ' ';
        if is_trimmed && by_definition(&message[start..start + length], &quote).is_some() {
            return quote;
        }
    }
}

/// The first of the most similar windows of n, ⌊1.1n⌋ and ⌊1.2n⌋ characters with a similarity of at
/// least .85; leading and trailing spaces of a window do not count.
fn by_definition(text: &[char], quote: &[char]) -> Option<(usize, usize)> {
    let n = quote.len();
    let mut best: Option<(f64, usize, usize)> = None;
    for size in [n, n * 11 / 10, n * 12 / 10] {
        for first in 0..(text.len() + 1).saturating_sub(size) {
            let (mut start, mut end) = (first, first + size);
            start += usize::from(text[start] == ' ');
            end -= usize::from(text[end - 1] == ' ');
            let distance = levenshtein(quote, &text[start..end]);
            let similarity = 1.0 - distance as f64 / n.max(end - start) as f64;
            if similarity >= 0.85 && best.is_none_or(|(known, ..)| similarity > known) {
                best = Some((similarity, start, end));
            }
        }
    }
    best.map(|(_, start, end)| (start, end))
}

fn levenshtein(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let above = row[j + 1];
            row[j + 1] = (diagonal + usize::from(x != y))
                .min(above + 1)
                .min(row[j] + 1);
            diagonal = above;
        }
    }
    row[b.len()]
}
