//! Our own code beside the crate that does the same, in one run: the stemmer, and the cache of index
//! blocks. What is not faster here has no reason to be ours.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use lru::LruCache;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use recallite::testing::{BlockCache, stem_into};
use rust_stemmers::{Algorithm, Stemmer};

use crate::Result;
use crate::arguments::Arguments;
use crate::text::{Author, Random};

const WORDS: usize = 200_000;
/// The size of a block of the index.
const BLOCK_BYTES: usize = 4096;
const BLOCKS: usize = 8192;
const READS: usize = 1_000_000;

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let rounds = arguments.number("rounds", 5)?;
    if rounds == 0 {
        return Err("--rounds must be at least 1".into());
    }
    stemmers(rounds);
    caches(rounds);
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

/// Weighs blocks by their bytes.
#[derive(Clone)]
struct Bytes;

impl Weighter<u32, Arc<[u8]>> for Bytes {
    fn weight(&self, _: &u32, block: &Arc<[u8]>) -> u64 {
        block.len() as u64
    }
}

/// Reads blocks, a few of them often, through caches that hold a quarter of them.
fn caches(rounds: usize) {
    let blocks: Vec<Arc<[u8]>> = (0..BLOCKS).map(|_| vec![7; BLOCK_BYTES].into()).collect();
    let capacity = BLOCKS / 4 * BLOCK_BYTES;
    let mut random = Random::new(6);
    let ln = (BLOCKS as f64).ln();
    let reads: Vec<u32> = (0..READS)
        .map(|_| (random.unit() * ln).exp() as u32 % BLOCKS as u32)
        .collect();
    println!(
        "{READS} reads of {BLOCKS} blocks of {BLOCK_BYTES} bytes, through caches that hold a quarter"
    );
    let ours = timed(rounds, &reads, &blocks, || {
        let cache = BlockCache::new(capacity);
        move |block, read: &dyn Fn() -> Arc<[u8]>| cache.length_of(block, read)
    });
    shown("recallite", ours, ours.0);
    let theirs = timed(rounds, &reads, &blocks, || {
        let cache = Cache::with_weighter(BLOCKS / 4, capacity as u64, Bytes);
        move |block, read: &dyn Fn() -> Arc<[u8]>| match cache.get(&block) {
            Some(found) => found.len(),
            None => {
                let found = read();
                cache.insert(block, found.clone());
                found.len()
            }
        }
    });
    shown("quick_cache", theirs, ours.0);
    let theirs = timed(rounds, &reads, &blocks, || {
        let most = NonZeroUsize::new(BLOCKS / 4).unwrap_or(NonZeroUsize::MIN);
        let cache = Mutex::new(LruCache::new(most));
        move |block, read: &dyn Fn() -> Arc<[u8]>| {
            let mut cache = cache.lock().unwrap_or_else(PoisonError::into_inner);
            let found: &Arc<[u8]> = cache.get_or_insert(block, read);
            found.clone().len()
        }
    });
    shown("lru", theirs, ours.0);
}

fn shown(name: &str, (time, misses): (Duration, usize), ours: Duration) {
    println!(
        "  {name:<15} {:>6.1} ns a read, {:.2} times as long, {:.1} % not in the cache",
        per(time, READS),
        time.as_secs_f64() / ours.as_secs_f64(),
        100.0 * misses as f64 / READS as f64
    );
}

/// The shortest time of all reads through a new cache, and how many it did not hold.
fn timed<R>(
    rounds: usize,
    reads: &[u32],
    blocks: &[Arc<[u8]>],
    make: impl Fn() -> R,
) -> (Duration, usize)
where
    R: Fn(u32, &dyn Fn() -> Arc<[u8]>) -> usize,
{
    let mut misses = 0;
    let time = shortest(rounds, || {
        let cache = make();
        let missed = std::cell::Cell::new(0);
        for &block in reads {
            let read = || {
                missed.set(missed.get() + 1);
                blocks[block as usize].clone()
            };
            std::hint::black_box(cache(block, &read));
        }
        misses = missed.get();
    });
    (time, misses)
}
