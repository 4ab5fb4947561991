//! Compares the engine with a slow model of the same formula, and damages its blocks.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use proptest::prelude::*;

use crate::embed::static_table::{self, WordProbe};
use crate::index::lexical::analyser::Analyser;
use crate::index::lexical::block::{self, BlockCache, BlockKey};
use crate::index::lexical::expansion::{MAX_EXPANSIONS, MIN_COSINE, QueryTerms};
use crate::index::lexical::filter::Filter;
use crate::index::lexical::forward::{self, EventFacts, TextPart};
use crate::index::lexical::memtable::Memtable;
use crate::index::lexical::merge::{choose_merge, merge_segments};
use crate::index::lexical::scorer;
use crate::index::lexical::search::{self, LexicalHits, LexicalQuery, LexicalSearcher};
use crate::index::lexical::segment::{Blocks, SegmentReader};
use crate::index::lexical::segment_info::SegmentInfo;
use crate::index::lexical::segment_writer::build_segment;
use crate::model::error::{ErrorCode, Result};

pub(super) type Store = HashMap<BlockKey, Arc<[u8]>>;

const WORDS: &[&str] = &[
    "dog",
    "dogs",
    "puppy",
    "cat",
    "kitten",
    "paint",
    "painting",
    "painted",
    "sunrise",
    "museum",
    "database",
    "databases",
    "sqlite",
    "index",
    "indexing",
    "camelCase",
    "snake_case",
    "kubernetes",
    "서울에서",
    "안녕하세요",
    "東京タワー",
    "привет",
    "résumé",
    "2023",
    "the",
    "and",
    "was",
    "😀",
    "walk",
    "walking",
    "river",
    "mountain",
    "hike",
    "hiking",
    "children",
    "school",
    "adoption",
];

pub(super) fn facts(seq: u64, session: u32, turn: u32) -> EventFacts {
    EventFacts {
        seq,
        session,
        turn,
        project: session / 2,
        kind: 1 + (seq % 3) as u16,
        timestamp: seq as i64 * 1000,
        ..EventFacts::default()
    }
}

/// Events made of numbered words: (session, words).
fn entries(events: &[(u32, Vec<usize>)]) -> (Vec<EventFacts>, Vec<String>, Vec<Vec<u8>>) {
    let mut analyser = Analyser::new();
    let mut turns: HashMap<u32, u32> = HashMap::new();
    let (mut all, mut texts, mut out) = (Vec::new(), Vec::new(), Vec::new());
    for (at, (session, words)) in events.iter().enumerate() {
        let turn = turns.entry(*session).or_insert(0);
        let facts = facts(at as u64 + 1, *session, *turn);
        *turn += 1;
        let words: Vec<&str> = words.iter().map(|&w| WORDS[w % WORDS.len()]).collect();
        let text = words.join(" ");
        let part = TextPart {
            header: "",
            embeds_header: false,
            text: &text,
            offset: 0,
        };
        out.push(forward::encode(&mut analyser, &facts, &[part]));
        all.push(facts);
        texts.push(text);
    }
    (all, texts, out)
}

pub(super) struct Index {
    pub(super) store: Store,
    pub(super) cache: BlockCache,
    pub(super) infos: Vec<SegmentInfo>,
    pub(super) memtable: Memtable,
}

impl Index {
    /// Segments end before the given event numbers; the memtable holds the rest.
    pub(super) fn build(entries: &[Vec<u8>], cuts: &[usize]) -> Self {
        let mut store = Store::new();
        let mut infos = Vec::new();
        let mut start = 0;
        for (id, &cut) in cuts.iter().enumerate() {
            let seqs = start as u64 + 1..=cut as u64;
            let part = entries[start..cut].iter().map(|b| &b[..]);
            infos.push(build_segment(id as u64, seqs, part, &mut store).unwrap());
            start = cut;
        }
        let mut memtable = Memtable::new();
        for entry in &entries[start..] {
            memtable.add(entry.clone()).unwrap();
        }
        Index {
            store,
            cache: BlockCache::new(8 << 20),
            infos,
            memtable,
        }
    }

    pub(super) fn blocks(&self) -> Blocks<'_> {
        Blocks {
            source: &self.store,
            cache: &self.cache,
        }
    }

    fn search<R>(
        &self,
        text: &str,
        filter: Filter<'_>,
        read: impl FnOnce(LexicalHits<'_>) -> R,
    ) -> Result<R> {
        let readers: Vec<SegmentReader> = self
            .infos
            .iter()
            .map(|info| SegmentReader::open(info.id, self.blocks()))
            .collect::<Result<_>>()?;
        let searcher = LexicalSearcher::new(&readers, &self.memtable, self.blocks());
        let query = LexicalQuery {
            text,
            limit: 1000,
            filter,
            deadline: None,
            boosts: Default::default(),
        };
        Ok(read(searcher.search(&mut Analyser::new(), &query)?))
    }

    fn scores(&self, text: &str, filter: Filter<'_>) -> BTreeMap<u64, f32> {
        self.search(text, filter, |hits| {
            hits.hits
                .iter()
                .map(|h| (h.facts.seq, h.score + h.phrase_proximity))
                .collect()
        })
        .unwrap()
    }
}

/// The formula, written as plainly as possible, for short events of one passage each.
fn model(texts: &[String], query: &str) -> BTreeMap<u64, f32> {
    let mut analyser = Analyser::new();
    struct Document {
        stems: HashMap<Vec<u8>, Vec<u8>>,
        words: u32,
    }
    let mut surfaces: BTreeMap<Vec<u8>, (usize, Vec<u8>, Vec<u16>)> = BTreeMap::new();
    let mut documents = Vec::new();
    for text in texts {
        analyser.analyse("", text);
        let mut stems = HashMap::new();
        for term in analyser.terms() {
            stems.insert(term.stem.to_vec(), term.positions.to_vec());
            let new = (
                term.surface.len(),
                term.surface.to_vec(),
                term.pieces.to_vec(),
            );
            let known = surfaces
                .entry(term.stem.to_vec())
                .or_insert_with(|| new.clone());
            if (new.0, &new.1) < (known.0, &known.1) {
                *known = new;
            }
        }
        documents.push(Document {
            stems,
            words: analyser.length(),
        });
    }
    let mut terms = QueryTerms::new(&mut analyser, query);
    for term in &mut terms.terms {
        term.df = documents
            .iter()
            .filter(|d| d.stems.contains_key(&term.stem))
            .count() as u64;
    }
    terms.weigh(documents.len() as u64);
    let mut scores = BTreeMap::new();
    for (at, document) in documents.iter().enumerate() {
        let mut score = 0.0;
        for term in terms.terms.iter().filter(|t| t.is_searched) {
            let mut boosts: Vec<(f32, &Vec<u8>)> = Vec::new();
            if term.is_expanded
                && let Some(probe) = WordProbe::new(&term.pieces)
            {
                for (stem, (_, _, pieces)) in &surfaces {
                    if *stem != term.stem && !pieces.is_empty() {
                        let norm = static_table::encoded_norm(pieces);
                        let cosine = match pieces[..] {
                            [one] => probe.cosine_of_piece(one),
                            _ => probe.cosine(pieces.iter().copied(), norm),
                        };
                        if cosine >= MIN_COSINE {
                            boosts.push((cosine, stem));
                        }
                    }
                }
            }
            boosts.sort_by(|a, b| b.0.total_cmp(&a.0));
            boosts.truncate(MAX_EXPANSIONS - (term.df > 0) as usize);
            let mut m: f32 = 0.0;
            for (cosine, stem) in boosts {
                if document.stems.contains_key(stem) {
                    m = m.max(cosine * cosine);
                }
            }
            if let Some(positions) = document.stems.get(&term.stem) {
                m = m.max(scorer::exact_match(
                    positions.len() as u32,
                    document.words as u8,
                    if term.is_pair {
                        scorer::PLAIN_PAIRS
                    } else {
                        scorer::PLAIN_WORDS
                    },
                ));
            }
            score += term.weight * m;
        }
        for &(a, b) in &terms.pairs {
            let (a, b) = (&terms.terms[a], &terms.terms[b]);
            if let (Some(x), Some(y)) = (document.stems.get(&a.stem), document.stems.get(&b.stem))
                && x.iter().any(|x| y.iter().any(|y| x.abs_diff(*y) == 1))
                && score > 0.0
            {
                let share = search::pair_share(a, b);
                score += search::PHRASE_PROXIMITY * share * (a.idf + b.idf) / 2.0;
            }
        }
        if score > 0.0 {
            scores.insert(at as u64 + 1, score);
        }
    }
    scores
}

fn assert_same(expected: &BTreeMap<u64, f32>, got: &BTreeMap<u64, f32>) {
    let small = |score: &f32| *score < 0.01;
    let keys: HashSet<&u64> = expected.keys().chain(got.keys()).collect();
    for seq in keys {
        let (a, b) = (
            expected.get(seq).unwrap_or(&0.0),
            got.get(seq).unwrap_or(&0.0),
        );
        assert!(
            (a - b).abs() < 0.01 || small(a) && small(b),
            "event {seq}: {a} against {b}"
        );
    }
}

fn corpus() -> impl Strategy<Value = Vec<(u32, Vec<usize>)>> {
    let event = (0u32..4, proptest::collection::vec(0..WORDS.len(), 1..20));
    proptest::collection::vec(event, 4..60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_engine_agrees_with_the_model(
        events in corpus(),
        query in proptest::collection::vec(0..WORDS.len(), 1..8),
        cut in 0usize..100,
    ) {
        let (_, texts, entries) = entries(&events);
        let query: Vec<&str> = query.iter().map(|&w| WORDS[w]).collect();
        let query = query.join(" ");
        let expected = model(&texts, &query);
        for cuts in [vec![], vec![events.len()]] {
            let index = Index::build(&entries, &cuts);
            assert_same(&expected, &index.scores(&query, Filter::default()));
        }
        // A stem whose shortest form differs between leaves has different vectors there until they
        // are merged; all others score the same.
        const OTHER_FORMS: [&str; 8] = [
            "dogs", "painting", "painted", "databases", "indexing", "walking", "hiking", "the",
        ];
        let mut plain = events.clone();
        for (_, words) in &mut plain {
            words.iter_mut().filter(|w| OTHER_FORMS.contains(&WORDS[**w])).for_each(|w| *w = 3);
        }
        let (_, texts, entries) = self::entries(&plain);
        let expected = model(&texts, &query);
        let cut = (cut % events.len()).max(1);
        for cuts in [vec![cut], vec![cut, events.len()], vec![cut.div_ceil(2), cut]] {
            if cuts.windows(2).all(|w| w[0] < w[1]) {
                let index = Index::build(&entries, &cuts);
                assert_same(&expected, &index.scores(&query, Filter::default()));
            }
        }
    }

    #[test]
    fn merging_gives_what_building_gives(events in corpus(), cut in 1usize..100) {
        let (_, _, entries) = entries(&events);
        let cut = cut % events.len();
        let cuts = if cut == 0 { vec![events.len()] } else { vec![cut, events.len()] };
        let parts = Index::build(&entries, &cuts);
        let readers: Vec<_> =
            parts.infos.iter().map(|i| SegmentReader::open(i.id, parts.blocks()).unwrap()).collect();
        let (mut merged, mut built) = (Store::new(), Store::new());
        let refs: Vec<_> = readers.iter().collect();
        let a = merge_segments(9, &refs, parts.blocks(), &|_| Ok(false), &mut merged).unwrap();
        let all = entries.iter().map(|b| &b[..]);
        let b = build_segment(9, 1..=events.len() as u64, all, &mut built).unwrap();
        prop_assert_eq!(a, b);
        prop_assert_eq!(&merged, &built);
        prop_assert_eq!(a.block_keys().count(), merged.len());
        prop_assert!(a.block_keys().all(|key| merged.contains_key(&key)));
    }

    #[test]
    fn a_filter_finds_what_is_left_of_the_whole(events in corpus(), which in 0usize..7) {
        let (facts, _, entries) = entries(&events);
        let index = Index::build(&entries, &[events.len() * 2 / 3 + 1]);
        let seqs: Vec<u64> = (1..=events.len() as u64).step_by(3).collect();
        let is_deleted = |seq: u64| seq.is_multiple_of(4);
        let filter = match which {
            0 => Filter { sessions: Some(&[1, 3]), ..Filter::default() },
            1 => Filter { projects: Some(&[1]), ..Filter::default() },
            2 => Filter { kinds: Some(1 << 2), ..Filter::default() },
            3 => Filter { from: Some(5000), before: Some(20_000), ..Filter::default() },
            4 => Filter { seqs: Some(&seqs), ..Filter::default() },
            5 => Filter { until_seq: Some(7), sessions: Some(&[0, 1, 2, 3]), ..Filter::default() },
            _ => Filter { is_deleted: Some(&is_deleted), ..Filter::default() },
        };
        let holds = |f: &EventFacts| match which {
            0 => f.session % 2 == 1,
            1 => f.project == 1,
            2 => f.kind == 2,
            3 => (5000..20_000).contains(&f.timestamp),
            4 => f.seq % 3 == 1,
            5 => f.seq <= 7,
            _ => !f.seq.is_multiple_of(4),
        };
        let all = index.scores("puppy painting the museum", Filter::default());
        let expected: BTreeMap<u64, f32> =
            all.into_iter().filter(|(seq, _)| holds(&facts[*seq as usize - 1])).collect();
        prop_assert_eq!(expected, index.scores("puppy painting the museum", filter));
    }
}

#[test]
fn merging_leaves_out_the_dead() {
    let events: Vec<_> = (0..200)
        .map(|i| (i % 3, vec![i as usize, i as usize * 7 + 1, 3]))
        .collect();
    let (_, _, entries) = entries(&events);
    let index = Index::build(&entries, &[90, 200]);
    let readers: Vec<_> = index
        .infos
        .iter()
        .map(|i| SegmentReader::open(i.id, index.blocks()).unwrap())
        .collect();
    let mut store = Store::new();
    let refs: Vec<_> = readers.iter().collect();
    let info = merge_segments(
        5,
        &refs,
        index.blocks(),
        &|seq| Ok(seq % 2 == 0),
        &mut store,
    )
    .unwrap();
    assert_eq!(info.events, 100);
    let alive: Vec<&[u8]> = entries.iter().step_by(2).map(|b| &b[..]).collect();
    let mut expected = Store::new();
    build_segment(5, 1..=200, alive, &mut expected).unwrap();
    assert_eq!(store, expected);
}

#[test]
fn a_flipped_bit_anywhere_is_an_error_and_never_a_panic() {
    let events: Vec<_> = (0..128)
        .map(|i| (i % 3, vec![i as usize, i as usize * 7 + 1, 3, 20]))
        .collect();
    let (_, _, entries) = entries(&events);
    let mut index = Index::build(&entries, &[128]);
    assert!(index.infos[0].blocks <= 10, "{:?}", index.infos[0]);
    index.cache = BlockCache::new(0);
    let keys: Vec<BlockKey> = index.store.keys().copied().collect();
    for key in keys {
        let good = index.store[&key].clone();
        for (nth, at) in (0..good.len())
            .step_by(7 * crate::testing::every(10))
            .enumerate()
        {
            let mut bad = good.to_vec();
            bad[at] ^= 1 << (at % 8);
            index.store.insert(key, bad.clone().into());
            // Filters read event rows, hits read turn rows.
            let of_session = Filter {
                sessions: Some(&[1]),
                ..Filter::default()
            };
            let found = index.search("puppy", Filter::default(), |_| ());
            let found = found.and_then(|()| index.search("puppy", of_session, |_| ()));
            assert_eq!(found.unwrap_err().code(), ErrorCode::Corrupt);
            // Damage behind a valid checksum may cause a wrong answer or an error, but no panic.
            let resealed = block::seal(key, &bad[16..]);
            index.store.insert(key, resealed.into());
            let _ = index.search("puppy paint 서울에서 hiking", Filter::default(), |_| ());
            let filter = Filter {
                sessions: Some(&[1]),
                ..Filter::default()
            };
            let _ = index.search("walk dog", filter, |_| ());
            if nth % 3 == 0
                && let Ok(reader) = SegmentReader::open(0, index.blocks())
            {
                let _ = merge_segments(
                    7,
                    &[&reader],
                    index.blocks(),
                    &|_| Ok(false),
                    &mut Store::new(),
                );
            }
        }
        index.store.insert(key, good);
    }
    assert!(
        index
            .search("puppy", Filter::default(), |hits| !hits.hits.is_empty())
            .unwrap()
    );
    index.store.clear();
    assert!(index.search("puppy", Filter::default(), |_| ()).is_err());
}

fn plain(texts: &[&str]) -> Vec<Vec<u8>> {
    let mut analyser = Analyser::new();
    let encode = |(at, text): (usize, &&str)| {
        let part = TextPart {
            header: "",
            embeds_header: false,
            text,
            offset: 0,
        };
        forward::encode(&mut analyser, &facts(at as u64 + 1, 0, at as u32), &[part])
    };
    texts.iter().enumerate().map(encode).collect()
}

#[test]
fn asian_and_other_texts_are_found() {
    let texts = [
        "어제 서울에서 친구를 만났습니다",
        "부산은 바다가 아름다운 도시입니다",
        "東京タワーの近くで寿司を食べました",
        "京都の紅葉はとても綺麗でした",
        "我们昨天在北京大学讨论了数据库的设计",
        "上海的天气今天很热",
        "Мы встретились в Москве у Большого театра",
        "ذهبنا إلى السوق يوم الجمعة",
        "ฉันชอบกินข้าวผัดที่กรุงเทพ",
    ];
    let entries = plain(&texts);
    for cuts in [vec![], vec![texts.len()]] {
        let index = Index::build(&entries, &cuts);
        for (query, expected) in [
            ("서울 친구", 1),
            ("부산 바다", 2),
            ("寿司", 3),
            ("京都の紅葉", 4),
            ("数据库设计", 5),
            ("上海天气", 6),
            ("Москве", 7),
            ("السوق", 8),
            ("ข้าวผัด", 9),
        ] {
            let first = index.search(query, Filter::default(), |h| {
                h.hits.first().map(|h| h.facts.seq)
            });
            assert_eq!(first.unwrap(), Some(expected), "{query}");
        }
    }
}

#[test]
fn turns_are_linked_across_segments_and_tail() {
    let events: Vec<_> = (0..40).map(|i| (i % 2, vec![i as usize, 3])).collect();
    let (_, _, entries) = entries(&events);
    let index = Index::build(&entries, &[13, 29]);
    index
        .search("cat", Filter::default(), |hits| {
            for seq in 1..=40u64 {
                let handle = hits.find(seq).unwrap().unwrap();
                assert_eq!(hits.facts(handle).unwrap().seq, seq);
                for steps in [-2, -1, 1, 2] {
                    let other = seq as i64 + steps as i64 * 2;
                    let found = hits.turn(handle, steps).unwrap();
                    let got = found.map(|h| hits.facts(h).unwrap().seq as i64);
                    assert_eq!(
                        got,
                        (1..=40).contains(&other).then_some(other),
                        "{seq} {steps}"
                    );
                }
                assert!(hits.score(handle) > 0.0);
                assert!(hits.matches(handle).any(|(m, exact)| exact && m > 0.9));
            }
            assert_eq!(hits.find(41).unwrap(), None);
        })
        .unwrap();
}

#[test]
fn the_tail_shrinks_and_refuses_damage() {
    let entries = plain(&["one red fox", "two blue foxes", "three green frogs"]);
    let mut memtable = Memtable::new();
    for at in [2, 0, 1] {
        memtable.add(entries[at].clone()).unwrap();
    }
    memtable.add(entries[1].clone()).unwrap();
    assert_eq!(
        memtable.facts().map(|f| f.seq).collect::<Vec<_>>(),
        [1, 2, 3]
    );
    let mut bad = entries[0].clone();
    bad[9] ^= 4;
    assert_eq!(memtable.add(bad).unwrap_err().code(), ErrorCode::Corrupt);
    memtable.retain(|seq| seq != 2).unwrap();
    assert_eq!((memtable.len(), memtable.seqs()), (2, Some((1, 3))));
}

#[test]
fn merges_keep_the_number_of_segments_small() {
    let mut segments: Vec<SegmentInfo> = Vec::new();
    let mut written = 0u64;
    let mut most = 0;
    for fold in 0..4000u64 {
        segments.push(SegmentInfo {
            id: fold,
            seq_from: fold * 256,
            seq_to: fold * 256 + 255,
            events: 256,
            passages: 300,
            terms: 1000,
            blocks: 4,
            size_bytes: 50_000,
            file: None,
        });
        while let Some(range) = choose_merge(&segments) {
            let passages = segments[range.clone()].iter().map(|s| s.passages).sum();
            written += passages as u64;
            let first = segments[range.start];
            let last = segments[range.end - 1];
            let merged = SegmentInfo {
                seq_to: last.seq_to,
                passages,
                ..first
            };
            segments.splice(range, [merged]);
        }
        most = most.max(segments.len());
    }
    assert!(most <= 20, "{most} segments");
    assert!(written < 4000 * 300 * 8, "{written} passages written");
    assert!(choose_merge(&[]).is_none());
}

#[test]
fn pairs_of_letters_have_no_vectors_and_gain_less_side_by_side() {
    let entries = plain(&["東京タワー 2024", "red fox 2024", "東京 タワー"]);
    let index = Index::build(&entries, &[3]);
    let reader = SegmentReader::open(0, index.blocks()).unwrap();
    let searcher = LexicalSearcher::new([&reader], &index.memtable, index.blocks());
    let search = |text| {
        let query = LexicalQuery {
            text,
            limit: 5,
            filter: Filter::default(),
            deadline: None,
            boosts: Default::default(),
        };
        searcher.search(&mut Analyser::new(), &query).unwrap()
    };
    assert_eq!(search("東京タワー").share_with_vectors(), 0.0);
    assert_eq!(search("red fox").share_with_vectors(), 1.0);
    let mixed = search("東京タワー 2024").share_with_vectors();
    assert!(mixed > 0.0 && mixed < 0.5, "{mixed}");
    let (pairs, words) = (search("京タワ"), search("red fox"));
    let gained = |hits: &LexicalHits<'_>| {
        let idf: f32 = hits.terms.iter().map(|term| term.idf).sum();
        hits.hits[0].phrase_proximity / (search::PHRASE_PROXIMITY * idf / 2.0)
    };
    assert!((gained(&words) - 1.0).abs() < 1e-5, "{}", gained(&words));
    assert!((gained(&pairs) - search::PHRASE_PROXIMITY_OF_PAIRS).abs() < 1e-5);
}

#[test]
fn a_deadline_in_the_past_gives_a_degraded_result() {
    let entries = plain(&["red fox", "blue fox"]);
    let index = Index::build(&entries, &[2]);
    let reader = SegmentReader::open(0, index.blocks()).unwrap();
    let searcher = LexicalSearcher::new([&reader], &index.memtable, index.blocks());
    let query = LexicalQuery {
        text: "fox",
        limit: 5,
        filter: Filter::default(),
        deadline: Some(std::time::Instant::now()),
        boosts: Default::default(),
    };
    let hits = searcher.search(&mut Analyser::new(), &query).unwrap();
    assert!(hits.degraded && hits.hits.is_empty());
}

#[test]
fn excluded_events_make_room_for_others_however_many_they_are() {
    let texts = vec!["red fox"; 400];
    let entries = plain(&texts);
    let index = Index::build(&entries, &[300]);
    let reader = SegmentReader::open(0, index.blocks()).unwrap();
    let searcher = LexicalSearcher::new([&reader], &index.memtable, index.blocks());
    for deleted in [0, 20, 73, 74, 75, 390, 395, 400] {
        let is_deleted = |seq: u64| seq <= deleted;
        let query = LexicalQuery {
            text: "fox",
            limit: 10,
            filter: Filter {
                is_deleted: Some(&is_deleted),
                ..Filter::default()
            },
            deadline: None,
            boosts: Default::default(),
        };
        let hits = searcher.search(&mut Analyser::new(), &query).unwrap();
        let found: Vec<u64> = hits.hits.iter().map(|hit| hit.facts.seq).collect();
        let expected: Vec<u64> = (deleted + 1..=400).take(10).collect();
        assert_eq!(found, expected, "{deleted} are deleted");
        assert_eq!(hits.total_matches, 400);
    }
}
