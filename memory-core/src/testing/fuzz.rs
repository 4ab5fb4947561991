//! The entry points of the fuzz targets: whatever the input, nothing may panic, hang, read out of
//! bounds or break a promise. Not part of the library's interface.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::{Arc, OnceLock};

pub use super::forged::forged_log;
use super::forged::is_refusal;
use crate::index::bytes::term_hash;
use crate::index::lexical::block::{self, BlockCache, BlockKey, BlockSink};
use crate::index::lexical::memtable::Memtable;
use crate::index::lexical::merge::merge_segments;
use crate::index::lexical::segment::{Blocks, SegmentReader};
use crate::index::lexical::segment_info::SegmentInfo;
use crate::index::lexical::segment_writer::build_segment;
use crate::index::lexical::{forward, searchable};
use crate::index::vector::file::{FileInfo, VectorFile};
use crate::index::vector::file_writer;
use crate::index::vector::{Tombstones, VectorFilter, VectorId, VectorQuery, cascade};
use crate::memory::Memory;
use crate::model::error::Result;
use crate::model::event::{EventKind, NewEvent};
use crate::model::ids::Seq;
use crate::model::time::Timestamp;
use crate::privacy::PrivacyFilter;
use crate::store::log::record::{CHAIN_START, RecordView, make_right};
use crate::upkeep::jsonl::EventLine;
use crate::upkeep::select::Selector;
use crate::write::transcript::{ImportOptions, TranscriptReader};

/// A log record: unchanged, and in each form with a valid length and digest, to reach the code
/// behind them.
pub fn record(bytes: &[u8]) {
    let look = |bytes: &[u8]| {
        if let Ok(view) = RecordView::new(1, bytes) {
            let _ = view.continues(&CHAIN_START);
            let _ = view.to_event();
        }
    };
    look(bytes);
    let mut fixed = bytes.to_vec();
    if make_right(&mut fixed) {
        look(&fixed);
    }
}

/// A forward entry with a valid checksum: into the memtable, and from there into a segment.
pub fn forward_entry(bytes: &[u8]) {
    let mut entry = bytes.to_vec();
    entry.extend(term_hash(bytes).to_le_bytes());
    let Ok(facts) = forward::facts(&entry) else {
        return;
    };
    let mut memtable = Memtable::new();
    if memtable.add(entry.clone()).is_ok() {
        let mut blocks: HashMap<BlockKey, Arc<[u8]>> = HashMap::new();
        let _ = build_segment(1, facts.seq..=facts.seq, [entry.as_slice()], &mut blocks);
    }
}

type StoredBlocks = HashMap<BlockKey, Arc<[u8]>>;

fn sample_segment() -> Result<(SegmentInfo, StoredBlocks)> {
    let mut entries = Vec::new();
    for seq in 1..40u64 {
        let text = format!("event {seq}: the payment service timed out, 결제 서비스 {seq}");
        let body = searchable::body(&searchable::EventText {
            kind: EventKind::UserPrompt,
            content: &text,
            tool: None,
            actor: "user",
            at: Timestamp::from_millis_clamped(1_700_000_000_000),
            recalled: &[],
        });
        entries.push(body.encode(&forward::EventFacts {
            seq,
            turn: seq as u32,
            session: 1,
            kind: 1,
            ..forward::EventFacts::default()
        }));
    }
    let mut blocks = HashMap::new();
    let info = build_segment(1, 1..=39, entries.iter().map(Vec::as_slice), &mut blocks)?;
    Ok((info, blocks))
}

/// Reads all of a segment with some bytes changed (one per three bytes of input) and its checksums
/// recomputed.
pub fn segment(edits: &[u8]) {
    struct Nowhere;
    impl BlockSink for Nowhere {
        fn put(&mut self, _: BlockKey, _: &[u8]) -> Result<()> {
            Ok(())
        }
    }
    static SAMPLE: OnceLock<Option<(SegmentInfo, StoredBlocks)>> = OnceLock::new();
    let Some((info, mut stored)) = SAMPLE.get_or_init(|| sample_segment().ok()).clone() else {
        return;
    };
    let keys: Vec<BlockKey> = info.block_keys().collect();
    for edit in edits.chunks_exact(4).take(64) {
        let key = keys[usize::from(edit[0]) % keys.len()];
        let Ok(block) = block::read(&stored, key) else {
            continue;
        };
        let mut payload = block.payload().to_vec();
        if payload.is_empty() {
            continue;
        }
        let at = usize::from(u16::from_le_bytes([edit[1], edit[2]])) % payload.len();
        payload[at] ^= edit[3];
        stored.insert(key, block::seal(key, &payload).into());
    }
    let cache = BlockCache::new(1 << 20);
    let blocks = Blocks {
        source: &stored,
        cache: &cache,
    };
    if let Ok(reader) = SegmentReader::open(1, blocks) {
        let _ = merge_segments(2, &[&reader], blocks, &|seq| Ok(seq % 7 == 0), &mut Nowhere);
        let _ = reader.find(blocks, b"payment");
    }
}

/// The events of [`store_image`]'s store.
fn image_events() -> Vec<NewEvent> {
    (0..40)
        .map(|number| {
            let text = format!("사건 {number}: the payment service timed out");
            NewEvent::new(EventKind::UserPrompt, format!("s{}", number % 3), text)
        })
        .collect()
}

/// The file of a small store.
fn image() -> Result<Vec<u8>> {
    let folder = tempfile::tempdir()?;
    let memory = Memory::open(folder.path())?;
    memory.append_batch(image_events())?;
    drop(memory);
    Ok(std::fs::read(folder.path().join("memory.1.redb"))?)
}

/// The file of a store with some bytes changed (one per five bytes of input) or its end truncated:
/// it may fail to open, but whatever it returns must have been written.
pub fn store_image(edits: &[u8]) {
    static IMAGE: OnceLock<Vec<u8>> = OnceLock::new();
    let mut bytes = IMAGE.get_or_init(|| image().unwrap_or_default()).clone();
    for edit in edits.chunks_exact(5).take(64) {
        if bytes.is_empty() {
            return;
        }
        let at = u32::from_le_bytes([edit[0], edit[1], edit[2], edit[3]]) as usize % bytes.len();
        if edit[4] == 0 {
            bytes.truncate(at);
        } else {
            bytes[at] ^= edit[4];
        }
    }
    let Ok(folder) = tempfile::tempdir() else {
        return;
    };
    let put = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes);
    if put("CURRENT", b"1\n")
        .and(put("memory.1.redb", &bytes))
        .is_err()
    {
        return;
    }
    let Ok(memory) = Memory::open(folder.path()) else {
        return;
    };
    let written: Vec<String> = image_events()
        .into_iter()
        .map(|event| event.content)
        .collect();
    let is_known = |text: &String| written.contains(text);
    for seq in 1..=45 {
        if let Ok(Some(event)) = memory.event(Seq(seq)) {
            assert!(is_known(&event.content), "a wrong answer");
        }
    }
    if let Ok(found) = memory.search("payment service") {
        for hit in found.items {
            assert!(written.iter().any(|text| text.contains(&hit.passage.text)));
        }
    }
    if let Ok(events) = memory.changes_since(Seq(0), 100) {
        assert!(events.iter().all(|event| is_known(&event.content)));
    }
    let _ = memory.stats();
    let _ = memory.check();
    let _ = memory.append(NewEvent::new(EventKind::UserPrompt, "s", "one more"));
}

/// The bytes of a small vector file.
fn vectors() -> Result<Vec<u8>> {
    let rows: Vec<(VectorId, Vec<f32>)> = (1..=9)
        .map(|seq| {
            let vector = (0..24).map(|at| ((seq * 31 + at * 7) % 17) as f32 - 8.0);
            (VectorId { seq, passage: 0 }, vector.collect())
        })
        .collect();
    let info = FileInfo {
        embedding_version: 1,
        dimensions: 24,
        after: 0,
        to: 9,
        last_seq: 9,
    };
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("vectors");
    file_writer::write(&path, info, &mut rows.as_slice())?;
    Ok(std::fs::read(path)?)
}

/// A vector file with some bytes changed (one per four bytes of input) or its end truncated: it is
/// rejected, or searched without a panic.
pub fn vector_file(edits: &[u8]) {
    static FILE: OnceLock<Vec<u8>> = OnceLock::new();
    let mut bytes = FILE.get_or_init(|| vectors().unwrap_or_default()).clone();
    for edit in edits.chunks_exact(4).take(64) {
        if bytes.is_empty() {
            break;
        }
        let at = u32::from_le_bytes([edit[0], edit[1], edit[2], 0]) as usize % bytes.len();
        if edit[3] == 0 {
            bytes.truncate(at);
        } else {
            bytes[at] ^= edit[3];
        }
    }
    let Ok(file) = VectorFile::from_vec(bytes) else {
        return;
    };
    if let Ok(query) = VectorQuery::new(&[0.2; 24]) {
        let _ = cascade::search(&file, &query, 3, VectorFilter::All, &Tombstones::default());
    }
    let mut row = Vec::new();
    for number in 0..file.len().min(100) {
        let _ = file.read_row(number, &mut row);
    }
    let _ = file.verify();
}

/// A transcript file.
pub fn transcript(bytes: &[u8]) {
    let reader = TranscriptReader::new(bytes, "session", ImportOptions::default());
    for item in reader.flatten() {
        let _ = item.into_event("file.jsonl");
    }
}

/// A text for the privacy filter.
pub fn privacy(bytes: &[u8]) {
    static FILTER: OnceLock<Option<PrivacyFilter>> = OnceLock::new();
    let filter = FILTER.get_or_init(|| PrivacyFilter::new(Default::default()).ok());
    let text = String::from_utf8_lossy(bytes);
    if let Some(filter) = filter {
        let _ = filter.text(&text);
    }
}

/// A line of an export.
pub fn export_line(bytes: &[u8]) {
    if let Ok(line) = serde_json::from_slice::<EventLine>(bytes) {
        let _ = line.to_record(1, &CHAIN_START);
        let _ = line.to_new_event(1);
    }
}

/// Runs operations, one per two bytes, on a store in an empty folder and on a map as the model.
///
/// # Errors
/// Any error of the store; on an intact disk that is a finding.
///
/// # Panics
/// If the store differs from the model.
pub fn operations(folder: &Path, bytes: &[u8]) -> Result<()> {
    let mut memory = Memory::open(folder)?;
    let mut live: BTreeMap<u64, String> = BTreeMap::new();
    let mut last = 0;
    for step in bytes.chunks_exact(2).take(200) {
        let (what, which) = (step[0] % 8, step[1]);
        let seq = u64::from(which) % (last + 1);
        match what {
            0..=2 => {
                let text = format!("text {} 사건", which % 32);
                let session = format!("s{}", which % 3);
                let event = NewEvent::new(EventKind::UserPrompt, session.as_str(), text.as_str());
                let receipt = memory.append(event)?;
                let content = format!("{session}\0{text}");
                let known = live.values().any(|other| *other == content);
                assert_eq!(receipt.duplicate, known, "whether it is a duplicate");
                if !known {
                    last += 1;
                    assert_eq!(receipt.seq, Seq(last));
                    live.insert(last, content);
                }
            }
            3 | 4 => match memory.forget(&Selector::new().id(Seq(seq))) {
                Ok(forgotten) => {
                    assert_eq!(forgotten.count == 1, live.remove(&seq).is_some());
                    last += forgotten.count;
                }
                Err(error) => assert!(is_refusal(&error), "{error}"),
            },
            5 => {
                let found = memory.event(Seq(seq))?;
                let wanted = live.get(&seq);
                if let Some(event) = &found
                    && event.kind.is_conversation()
                {
                    let content = format!("{}\0{}", event.session, event.content);
                    assert_eq!(Some(&content), wanted);
                } else {
                    assert_eq!(wanted, None);
                }
            }
            6 => {
                drop(memory);
                memory = Memory::open(folder)?;
            }
            _ => {
                let rebuilt = memory.rebuild(Timestamp::from_millis_clamped(0))?;
                assert_eq!(rebuilt.hash_before, rebuilt.hash_after);
            }
        }
    }
    let report = memory.check()?;
    assert!(report.ok, "{:?}", report.first_divergence);
    assert_eq!(memory.stats()?.prompts, live.len() as u64);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs the committed seeds and a few thousand mutations of each, a short version of a fuzzing
    /// run.
    fn run(target: &str, rounds: u64, call: impl Fn(&[u8])) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../fuzz/seeds")
            .join(target);
        let mut seeds: Vec<Vec<u8>> = std::fs::read_dir(&folder)
            .expect("the seeds are committed")
            .map(|entry| std::fs::read(entry.expect("a seed").path()).expect("a seed"))
            .collect();
        seeds.sort();
        assert!(!seeds.is_empty());
        let mut random = 0x2545_f491_4f6c_dd1du64;
        let mut next = |limit: usize| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            (random % limit.max(1) as u64) as usize
        };
        for seed in &seeds {
            call(seed);
        }
        for _ in 0..rounds / crate::testing::every(4) as u64 {
            let mut bytes = seeds[next(seeds.len())].clone();
            for _ in 0..=next(4) {
                let at = next(bytes.len());
                match next(4) {
                    0 if !bytes.is_empty() => bytes[at] ^= 1 << next(8),
                    1 if !bytes.is_empty() => bytes[at] = next(256) as u8,
                    2 => bytes.truncate(at),
                    _ => bytes.insert(at, next(256) as u8),
                }
            }
            call(&bytes);
        }
        println!(
            "{target}: {} seeds and {rounds} changes survived",
            seeds.len()
        );
    }

    /// Hides the panic messages of the storage engine, which are expected with damaged files.
    fn silence_the_engine() {
        let told = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let is_engine = panic
                .location()
                .is_some_and(|at| at.file().contains("redb"));
            if !is_engine {
                told(panic);
            }
        }));
    }

    #[test]
    fn seeds_and_their_changes_are_survived() {
        silence_the_engine();
        run("record", 3_000, record);
        run("forward_entry", 3_000, forward_entry);
        run("segment", 60, segment);
        run("store_image", 600, store_image);
        run("vector_file", 3_000, vector_file);
        run("transcript", 1_000, transcript);
        run("privacy", 500, privacy);
        run("export_line", 2_000, export_line);
        run("operations", 4, |bytes| {
            let folder = tempfile::tempdir().expect("a temporary folder");
            operations(folder.path(), bytes).expect("a sound disk");
        });
        run("forged_log", 30, |bytes| {
            let folder = tempfile::tempdir().expect("a temporary folder");
            forged_log(folder.path(), bytes).expect("a usable store");
        });
    }

    /// Regenerates the seeds after a format change:
    /// `cargo test -p recallite --lib write_the_fuzz_seeds -- --ignored`.
    #[test]
    #[ignore = "writes into the repository"]
    fn write_the_fuzz_seeds() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/seeds");
        let put = |target: &str, name: &str, bytes: &[u8]| {
            let folder = root.join(target);
            std::fs::create_dir_all(&folder).expect("a folder");
            std::fs::write(folder.join(name), bytes).expect("a file");
        };
        let temp = tempfile::tempdir().expect("a temporary folder");
        let memory = Memory::open(temp.path()).expect("a store");
        let event = NewEvent::new(EventKind::UserPrompt, "s1", "결제 시간 초과 🎉 payment");
        memory.append(event).expect("an append");
        let tool = crate::model::event::ToolUse {
            name: "Read".into(),
            output: "one\ntwo".into(),
            ..Default::default()
        };
        memory
            .append(NewEvent::tool("s1", tool))
            .expect("an append");
        let read = memory.engine.store.read().expect("a read");
        use crate::store::database::checked::ReadableTable;
        for entry in read.log().expect("the log").iter().expect("the log") {
            let (seq, bytes) = entry.expect("a record");
            put("record", &format!("record-{}", seq.value()), bytes.value());
        }
        let mut number = 0;
        read.forward_entries(0, |entry| {
            number += 1;
            put(
                "forward_entry",
                &format!("entry-{number}"),
                &entry[..entry.len() - 4],
            );
            Ok(())
        })
        .expect("the memtable");
        put(
            "segment",
            "edits",
            &[0, 9, 0, 1, 1, 200, 3, 0xff, 2, 0, 1, 0x80],
        );
        let mut lines = Vec::new();
        memory
            .upkeep()
            .export_jsonl_to(&mut lines, None)
            .expect("an export");
        for (number, line) in lines
            .split(|byte| *byte == b'\n')
            .enumerate()
            .skip(1)
            .take(2)
        {
            put("export_line", &format!("line-{number}"), line);
        }
        let said = "{\"type\":\"user\",\"uuid\":\"u1\",\"sessionId\":\"s\",\
            \"timestamp\":\"2026-01-30T14:05:00Z\",\"message\":{\"role\":\"user\",\
            \"content\":\"hello\"}}\n{\"type\":\"assistant\",\"message\":{\"role\":\
            \"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"hi\"},{\"type\":\
            \"tool_use\",\"id\":\"t\",\"name\":\"Read\",\"input\":{}}]}}\n";
        put("transcript", "two-lines", said.as_bytes());
        put(
            "privacy",
            "tags-and-secrets",
            "a <private>b</private> [private]c[/private] password=hunter2 `<private>` é".as_bytes(),
        );
        put(
            "operations",
            "all",
            &[0, 1, 0, 2, 1, 3, 3, 1, 0, 1, 5, 1, 7, 0, 6, 0, 4, 2, 2, 9],
        );
    }
}
