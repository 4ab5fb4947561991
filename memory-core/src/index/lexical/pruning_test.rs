//! Pruning must not change any result: compares it with scoring every passage.

use std::collections::BTreeMap;

use crate::index::lexical::analyser::Analyser;
use crate::index::lexical::block::{self, BlockCache, BlockKey, PAYLOAD_BYTES, Section};
use crate::index::lexical::filter::Filter;
use crate::index::lexical::forward::{self, TextPart};
use crate::index::lexical::leaf::Leaf;
use crate::index::lexical::model_test::{Index, facts};
use crate::index::lexical::scorer::{ScoredPassage, TopCollector};
use crate::index::lexical::search::{LexicalHits, LexicalQuery, LexicalSearcher};
use crate::index::lexical::segment::SegmentReader;
use crate::model::error::Result;

/// A deterministic random generator (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    /// A word; the n-th is about 1/n as frequent as the first.
    fn word(&mut self) -> String {
        const STARTS: [&str; 12] = [
            "wa", "ri", "sto", "me", "lan", "gar", "bo", "ti", "pe", "cur", "hol", "no",
        ];
        const ENDS: [&str; 25] = [
            "ter", "ver", "ne", "der", "d", "ting", "k", "mer", "ll", "st", "ple", "ry", "rd",
            "ge", "le", "ck", "m", "nd", "p", "tch", "se", "ty", "ng", "w", "th",
        ];
        let unit = (self.next() >> 11) as f64 / (1u64 << 53) as f64;
        let rank = (300f64.powf(unit) - 1.0) as usize;
        format!("{}{}", STARTS[rank % 12], ENDS[rank / 12 % 25])
    }

    fn words(&mut self, count: usize) -> String {
        let words: Vec<String> = (0..count).map(|_| self.word()).collect();
        words.join(" ")
    }
}

/// Short events and events of several passages, some of them duplicates.
fn store(random: &mut Random, count: u64) -> Vec<Vec<u8>> {
    let mut analyser = Analyser::new();
    let mut text = String::new();
    (0..count)
        .map(|at| {
            if at % 7 != 3 {
                let count = 1 + random.below(if at % 40 == 0 { 300 } else { 12 });
                text = random.words(count);
            }
            let part = TextPart {
                header: "",
                embeds_header: false,
                text: &text,
                offset: 0,
            };
            let facts = facts(at + 1, (at % 4) as u32, (at / 4) as u32);
            forward::encode(&mut analyser, &facts, &[part])
        })
        .collect()
}

fn search<R>(
    index: &Index,
    query: &LexicalQuery<'_>,
    total_hits_threshold: u64,
    read: impl FnOnce(LexicalHits<'_>) -> R,
) -> Result<R> {
    let readers: Vec<SegmentReader> = index
        .infos
        .iter()
        .map(|info| SegmentReader::open(info.id, index.blocks()))
        .collect::<Result<_>>()?;
    let searcher = LexicalSearcher::new(&readers, &index.memtable, index.blocks())
        .total_hits_threshold(total_hits_threshold);
    Ok(read(searcher.search(&mut Analyser::new(), query)?))
}

/// Everything that ranking reads from a search, with floats as bits.
fn told(hits: &LexicalHits<'_>) -> Vec<String> {
    hits.load_turns(2).unwrap();
    let mut told = Vec::new();
    for hit in &hits.hits {
        let bits = [hit.score, hit.exact, hit.phrase_proximity].map(f32::to_bits);
        told.push(format!(
            "{} {} {} {bits:?}",
            hit.facts.seq, hit.start, hit.length
        ));
        for steps in -2..=2 {
            if let Some(turn) = hits.turn(hit.handle, steps).unwrap() {
                let score = hits.score(turn).to_bits();
                let matches: Vec<(f32, bool)> = hits.matches(turn).collect();
                told.push(format!("{steps} {score} {matches:?}"));
            }
        }
    }
    told
}

#[test]
fn pruning_finds_what_scoring_every_passage_finds() {
    let mut left_out = 0;
    for seed in 0..4 {
        let random = &mut Random(seed);
        let entries = store(random, 3500);
        let cuts: &[usize] = match seed {
            0 => &[3500],
            1 => &[3400],
            2 => &[900, 2500, 3100],
            _ => &[],
        };
        let index = Index::build(&entries, cuts);
        let is_deleted = |seq: u64| seq.is_multiple_of(5);
        let filters = [
            Filter::default(),
            Filter {
                is_deleted: Some(&is_deleted),
                ..Filter::default()
            },
            Filter {
                sessions: Some(&[1, 2]),
                from: Some(100_000),
                ..Filter::default()
            },
        ];
        for round in 0..24 / crate::testing::every(2) {
            let count = 1 + random.below(9);
            let text = random.words(count);
            let query = LexicalQuery {
                text: &text,
                limit: [1, 10, 100][round / 3 % 3],
                filter: filters[round % 3],
                deadline: None,
                boosts: Default::default(),
            };
            let look = |hits: LexicalHits<'_>| (told(&hits), hits.total_matches);
            let (all, matches) = search(&index, &query, u64::MAX, look).unwrap();
            let (best, seen) = search(&index, &query, 0, look).unwrap();
            assert_eq!(best, all, "{text:?}, seed {seed}, round {round}");
            assert!(seen <= matches && seen >= all.len().min(1) as u64);
            left_out += matches - seen;
            let (counted, exact) = search(&index, &query, 100, look).unwrap();
            assert!(counted == all && (exact == matches || exact >= 100));
        }
    }
    assert!(left_out > 5_000, "only {left_out} matches were left out");
}

/// What was found in time is the result, although events that were dropped may belong to it.
#[test]
fn a_search_that_runs_out_of_time_returns_what_it_found() {
    let index = Index::build(&store(&mut Random(7), 300), &[]);
    let leaves = [Leaf::Memtable(&index.memtable)];
    let is_deleted = |seq: u64| seq <= 70;
    let filter = Filter {
        is_deleted: Some(&is_deleted),
        ..Filter::default()
    };
    for is_cut in [false, true] {
        let mut best = TopCollector::lazy(50, filter, 0);
        for event in 0..300 {
            let found = ScoredPassage {
                score: 1.0 - event as f32 / 1_000.0,
                leaf: 0,
                event,
                passage: event,
                exact: 0.0,
            };
            best.offer(found, &leaves[0]).unwrap();
        }
        let found = best.finish(&leaves, is_cut).unwrap();
        let count = found.map(|found| found.len());
        assert_eq!(count, is_cut.then_some(44));
    }
}

#[test]
fn a_narrow_filter_finds_what_is_left_of_the_whole() {
    let random = &mut Random(5);
    let entries = store(random, 3500);
    let whole = Index::build(&entries, &[3500]);
    let parted = Index::build(&entries, &[900, 2500, 3100]);
    let mut found = 0;
    for round in 0..80 {
        let index = [&whole, &parted][round % 2];
        let first = 1 + random.below(3600) as u64;
        let last = first + random.below(200) as u64;
        let mut listed: Vec<u64> = (0..random.below(9))
            .map(|_| 1 + random.below(3600) as u64)
            .collect();
        listed.sort_unstable();
        let filter = match round / 2 % 4 {
            0 => Filter {
                from_seq: Some(first),
                until_seq: Some(last),
                ..Filter::default()
            },
            1 => Filter {
                from_seq: Some(first),
                until_seq: Some(last),
                sessions: Some(&[2]),
                ..Filter::default()
            },
            2 => Filter {
                seqs: Some(&listed),
                kinds: Some(u64::MAX),
                ..Filter::default()
            },
            _ => Filter {
                from_seq: Some(first),
                ..Filter::default()
            },
        };
        let is_within = |seq: u64| {
            filter.from_seq.is_none_or(|from| seq >= from)
                && filter.until_seq.is_none_or(|until| seq <= until)
                && filter.seqs.is_none_or(|seqs| seqs.contains(&seq))
                && (filter.sessions.is_none() || (seq - 1) % 4 == 2)
        };
        let text = random.words(4);
        let scores = |filter: Filter<'_>| {
            let query = LexicalQuery {
                text: &text,
                limit: 4000,
                filter,
                deadline: None,
                boosts: Default::default(),
            };
            let look = |hits: LexicalHits<'_>| -> BTreeMap<u64, u32> {
                let hits = hits.hits.iter();
                hits.map(|hit| (hit.facts.seq, hit.score.to_bits()))
                    .collect()
            };
            search(index, &query, u64::MAX, look).unwrap()
        };
        let mut left = scores(Filter::default());
        left.retain(|seq, _| is_within(*seq));
        found += left.len();
        assert_eq!(scores(filter), left, "{text:?}, round {round}");
    }
    assert!(found > 1_000, "only {found} events were found");
}

/// A segment in which one word has a skip table, and that table's range in the body.
fn segment_with_skips() -> (Index, SegmentReader, std::ops::Range<u64>) {
    let entries = store(&mut Random(9), 4000);
    let index = Index::build(&entries, &[2000]);
    let reader = SegmentReader::open(0, index.blocks()).unwrap();
    let info = reader.find(index.blocks(), b"water").unwrap().unwrap();
    assert!(info.df > 600, "{info:?}");
    let end = reader.layout.postings + u64::from(info.offset);
    let rows = u64::from((info.df - 1) / 128);
    (index, reader, end - rows * 12..end)
}

#[test]
fn seeking_gives_what_reading_on_gives() {
    let (index, reader, _) = segment_with_skips();
    let info = reader.find(index.blocks(), b"water").unwrap().unwrap();
    let open = || reader.postings(index.blocks(), info).unwrap();
    let passages = reader.layout.passages;
    let (mut all, mut before) = (vec![None; passages as usize], 0u64);
    open()
        .visit(&reader, index.blocks(), passages, |passage, frequency| {
            all[passage as usize] = Some((frequency, before));
            before += u64::from(frequency);
        })
        .unwrap();
    assert!(all.iter().flatten().any(|(frequency, _)| *frequency > 1));
    for step in [1, 2, 7, 100, 127, 128, 129, 300, 3999] {
        for first in [0, 1, 130] {
            let mut postings = open();
            for passage in (first..passages).step_by(step) {
                let found = postings.seek(&reader, index.blocks(), passage).unwrap();
                assert_eq!(found, all[passage as usize], "{passage} by {step}");
            }
            assert_eq!(
                postings.seek(&reader, index.blocks(), u32::MAX).unwrap(),
                None
            );
        }
    }
}

#[test]
fn a_damaged_skip_table_never_panics() {
    let (mut index, _, table) = segment_with_skips();
    index.cache = BlockCache::new(0);
    let query = LexicalQuery {
        text: "water tiger wander",
        limit: 5,
        filter: Filter::default(),
        deadline: None,
        boosts: Default::default(),
    };
    let size = PAYLOAD_BYTES as u64;
    let mut refused = 0;
    for at in table.step_by(crate::testing::every(3)) {
        let key = BlockKey::new(0, Section::Body, (at / size) as u32);
        let good = index.store[&key].clone();
        let mut payload = block::read(&index.store, key).unwrap().payload().to_vec();
        payload[(at % size) as usize] ^= 0xC1;
        index.store.insert(key, block::seal(key, &payload).into());
        // Either a wrong answer or an error.
        refused += usize::from(search(&index, &query, 0, |_| ()).is_err());
        index.store.insert(key, good);
    }
    assert!(refused > 0);
    assert!(search(&index, &query, 0, |hits| !hits.hits.is_empty()).unwrap());
}
