//! Our own code beside the crate that does the same, in one run: the stemmer. What is not faster here
//! has no reason to be ours.

use std::time::{Duration, Instant};

use recallite::testing::stem_into;
use rust_stemmers::{Algorithm, Stemmer};

use crate::Result;
use crate::arguments::Arguments;
use crate::text::Author;

const WORDS: usize = 200_000;

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let rounds = arguments.number("rounds", 5)?;
    if rounds == 0 {
        return Err("--rounds must be at least 1".into());
    }
    stemmers(rounds);
    Ok(())
}

/// The shortest of some runs: what else runs on the machine only adds to it.
fn shortest(rounds: usize, mut run: impl FnMut()) -> Duration {
    let times = (0..rounds).map(|_| {
        let begun = Instant::now();
        run();
        begun.elapsed()
    });
    times.min().unwrap_or_default()
}

fn per(time: Duration, count: usize) -> f64 {
    time.as_secs_f64() * 1e9 / count as f64
}

fn stemmers(rounds: usize) {
    let mut author = Author::new(5);
    let words: Vec<String> = (0..WORDS).map(|_| author.word().to_owned()).collect();
    let theirs = Stemmer::create(Algorithm::English);
    let mut stem = Vec::new();
    let mut different: Vec<&str> = Vec::new();
    for word in &words {
        stem_into(word, &mut stem);
        if stem != theirs.stem(word).as_bytes() {
            different.push(word);
        }
    }
    let occurrences = different.len();
    different.sort_unstable();
    different.dedup();
    let mut letters = [0, 0];
    let ours = shortest(rounds, || {
        for word in &words {
            stem_into(word, &mut stem);
            letters[0] += stem.len();
        }
    });
    let crate_time = shortest(rounds, || {
        for word in &words {
            letters[1] += theirs.stem(word).len();
        }
    });
    std::hint::black_box(letters);
    println!("the stems of {WORDS} English words of natural frequency");
    println!("  recallite       {:>6.1} ns a word", per(ours, WORDS));
    println!(
        "  rust-stemmers   {:>6.1} ns a word, {:.1} times as long",
        per(crate_time, WORDS),
        crate_time.as_secs_f64() / ours.as_secs_f64()
    );
    println!(
        "  {} of the words, {occurrences} occurrences, have another stem in rust-stemmers, which \
         follows an older version of the algorithm",
        different.len()
    );
}
