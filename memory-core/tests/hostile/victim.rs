//! The victim: a process that runs one operation on a store and reports what was acknowledged, so
//! that another process can kill, stop or starve it at any moment.

use std::fs::File;
use std::io::{BufReader, IoSlice, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use recallite::embed::CallbackEmbedder;
use recallite::scope::ProjectScope;
use recallite::{
    Error, ErrorCode, EventFilter, EventId, EventKind, Events, MaintainBudget, MemberRole, Memory,
    MemoryBuilder, NewEvent, Result, Selector, Seq, SessionUpdate, Timestamp,
};

pub const OPERATION: &str = "RECALLITE_TEST_OPERATION";
pub const PLACE: &str = "RECALLITE_TEST_PLACE";

/// Nonexistent paths: opening them puts markers into the tracer's log.
pub const BEGIN: &str = "/recallite/begin";
pub const END: &str = "/recallite/end";

/// The word in the session that operations erase or forget.
pub const HUSH: &str = "quetzalcoatl";
/// The word in the session that another process erases meanwhile.
pub const OTHER_HUSH: &str = "xylophone";

/// A folder with everything that a case needs.
#[derive(Clone, Debug)]
pub struct Place(pub PathBuf);

impl Place {
    pub fn store(&self) -> PathBuf {
        self.0.join("store")
    }
    /// A store without events, to restore into.
    pub fn empty(&self) -> PathBuf {
        self.0.join("empty")
    }
    /// A path where nothing exists yet.
    pub fn new_store(&self) -> PathBuf {
        self.0.join("new")
    }
    pub fn backup(&self) -> PathBuf {
        self.0.join("backup")
    }
    /// The folder that the store and its peer share.
    pub fn shared(&self) -> PathBuf {
        self.0.join("shared")
    }
    /// Another store, of an owner who has ordered the session [`HUSH`] to be erased.
    pub fn peer(&self) -> PathBuf {
        self.0.join("peer")
    }
    fn export(&self) -> PathBuf {
        self.0.join("export.jsonl")
    }
    fn transcript(&self) -> PathBuf {
        self.0.join("transcript.jsonl")
    }
}

/// One operation of the victim.
pub struct Operation {
    pub name: &'static str,
    /// The folder of the store.
    pub store: fn(&Place) -> PathBuf,
    pub run: fn(&Place, &Told) -> Result<()>,
    /// Whether it removes the session [`HUSH`].
    pub removes: bool,
    /// Whether the session's bytes must be gone afterwards.
    pub erases: bool,
    /// Whether it first only hides the session, and erases it when it ends well.
    pub erases_at_its_end: bool,
    /// Whether the store has enough vectors and events to have vector and segment files.
    pub has_many_vectors: bool,
    /// Whether the victim owns the store exclusively.
    pub is_exclusive: bool,
}

const fn plain(name: &'static str, run: fn(&Place, &Told) -> Result<()>) -> Operation {
    Operation {
        name,
        store: Place::store,
        run,
        removes: false,
        erases: false,
        erases_at_its_end: false,
        has_many_vectors: false,
        is_exclusive: false,
    }
}

pub const OPERATIONS: [Operation; 29] = [
    Operation {
        store: Place::new_store,
        ..plain("create", create)
    },
    plain("open", |place, told| {
        told.begin();
        let memory = open(&place.store())?;
        append(&memory, told, "open", 1)
    }),
    plain("append", |place, told| {
        let memory = begun(place, told)?;
        // This flushes the memtable.
        append(&memory, told, "append", 8)
    }),
    plain("append_batch", append_batch),
    plain("learn", |place, told| {
        let memory = begun(place, told)?;
        memory.ingest("keep-0", EXTRACTION).map(drop)
    }),
    plain("recall", recall),
    Operation {
        removes: true,
        ..plain("forget", |place, told| {
            let memory = begun(place, told)?;
            memory.forget(&hush_selector("hush"))?;
            told.say("removed");
            Ok(())
        })
    },
    Operation {
        removes: true,
        ..plain("retention", retention)
    },
    Operation {
        removes: true,
        erases: true,
        ..plain("erase", |place, told| {
            let memory = begun(place, told)?;
            memory.erase(&hush_selector("hush"))?;
            told.say("removed");
            Ok(())
        })
    },
    plain("compact", |place, told| {
        begun(place, told)?.compact().map(drop)
    }),
    plain("flush", |place, told| {
        let memory = begun(place, told)?;
        maintain(&memory, 0).map(drop)
    }),
    plain("merge", |place, told| {
        let memory = begun(place, told)?;
        maintain(&memory, 4).map(drop)
    }),
    Operation {
        has_many_vectors: true,
        ..plain("merge with files", |place, told| {
            // A large batch is already in a file; another one is added, and they are merged.
            append_batch(place, told)?;
            maintain(&open(&place.store())?, 4).map(drop)
        })
    },
    plain("rebuild", |place, told| {
        let memory = begun(place, told)?;
        memory.rebuild(Timestamp::from_millis(0)?).map(drop)
    }),
    plain("process_outbox", embed),
    Operation {
        has_many_vectors: true,
        ..plain("vector files", embed)
    },
    Operation {
        has_many_vectors: true,
        removes: true,
        erases: true,
        ..plain("erase with vector files", |place, told| {
            let memory = begun(place, told)?;
            memory.erase(&hush_selector("hush"))?;
            told.say("removed");
            memory.search("number of the harbour").map(drop)
        })
    },
    Operation {
        store: Place::empty,
        ..plain("restore_jsonl", |place, told| {
            let memory = open(&place.empty())?;
            told.begin();
            let reader = BufReader::new(File::open(place.export())?);
            memory.upkeep().restore_jsonl_from(reader)?;
            told.say("restored");
            Ok(())
        })
    },
    plain("import_jsonl", |place, told| {
        let memory = begun(place, told)?;
        let reader = BufReader::new(File::open(place.0.join("foreign.jsonl"))?);
        memory.upkeep().import_jsonl_from(reader)?;
        told.say("imported");
        Ok(())
    }),
    plain("import_claude_code", |place, told| {
        let memory = begun(place, told)?;
        let report = memory.import_claude_code(place.transcript())?;
        if let Some(failed) = report.failed_files.first() {
            return Err(Error::new(ErrorCode::Io, failed.reason.as_str()));
        }
        told.say("imported");
        Ok(())
    }),
    plain("backup", |place, told| {
        let memory = begun(place, told)?;
        memory.backup(place.backup())?;
        told.say("backed up");
        Ok(())
    }),
    plain("push_folder", |place, told| {
        let memory = begun(place, told)?;
        append(&memory, told, "push", 2)?;
        memory.sharing().push_folder(place.shared()).map(drop)
    }),
    Operation {
        removes: true,
        erases: true,
        ..plain("push_folder after an erasure", |place, told| {
            let memory = begun(place, told)?;
            memory.erase(&hush_selector("hush"))?;
            told.say("removed");
            memory.sharing().push_folder(place.shared()).map(drop)
        })
    },
    Operation {
        removes: true,
        ..plain("pull_folder", |place, told| {
            let memory = begun(place, told)?;
            memory.sharing().pull_folder(place.shared())?;
            told.say("removed");
            Ok(())
        })
    },
    Operation {
        removes: true,
        erases: true,
        erases_at_its_end: true,
        ..plain("erase_ordered", |place, told| {
            let memory = begun(place, told)?;
            memory.sharing().pull_folder(place.shared())?;
            memory.sharing().erase_ordered()?;
            told.say("removed");
            Ok(())
        })
    },
    plain("append beside others", append_beside_others),
    Operation {
        is_exclusive: true,
        ..plain("append alone beside others", append_beside_others)
    },
    plain("compact beside others", |place, told| {
        Others::begin(place)?;
        begun(place, told)?.compact().map(drop)
    }),
    Operation {
        is_exclusive: true,
        removes: true,
        erases: true,
        ..plain("erase alone beside others", |place, told| {
            Others::begin(place)?;
            let memory = begun(place, told)?;
            memory.erase(&hush_selector("hush"))?;
            told.say("removed");
            Ok(())
        })
    },
];

fn append_beside_others(place: &Place, told: &Told) -> Result<()> {
    Others::begin(place)?;
    let memory = begun(place, told)?;
    append(&memory, told, "append", 8)
}

/// A second handle to the store and a half-consumed iterator, which stay alive through everything
/// that the process does.
struct Others {
    handle: Memory,
    events: Events,
}

static OTHERS: Mutex<Option<Others>> = Mutex::new(None);

impl Others {
    fn begin(place: &Place) -> Result<()> {
        // A process that finishes the operation later has none.
        if std::env::var_os(OPERATION).is_none() {
            return Ok(());
        }
        let handle = open(&place.store())?;
        let mut events = handle.events(EventFilter::new())?;
        events.next().transpose()?;
        *OTHERS.lock().unwrap() = Some(Others { handle, events });
        Ok(())
    }

    /// They continue as if nothing had happened.
    fn go_on(told: &Told) -> Result<()> {
        let Some(mut others) = OTHERS.lock().unwrap().take() else {
            return Ok(());
        };
        for _ in 0..3 {
            others.events.next().transpose()?;
        }
        others.handle.search("number of the harbour")?;
        append(&others.handle, told, "others", 1)
    }
}

const EXTRACTION: &str = r#"{
  "schema_version": 1,
  "entries": [{
    "id": "e1", "type": "fact", "title": "The harbour is number one",
    "content": "The harbour has a number.",
    "quotes": [{"message_index": 1, "quote": "number 1 of the harbour"}]
  }]
}"#;

fn embed(place: &Place, told: &Told) -> Result<()> {
    let memory = begun(place, told)?;
    let done = memory.process_outbox(64)?;
    if done.failed > 0 {
        return Err(Error::new(ErrorCode::Embedder, "jobs failed"));
    }
    maintain(&memory, 0)?;
    memory.search("number of the harbour").map(drop)
}

fn create(place: &Place, told: &Told) -> Result<()> {
    told.begin();
    let memory = open(&place.new_store())?;
    append(&memory, told, "create", 2)
}

fn append(memory: &Memory, told: &Told, name: &str, count: usize) -> Result<()> {
    for number in 0..count {
        let text = format!("victim {name} {number}");
        let receipt = memory.append(prompt("victim", &text))?;
        told.say(&format!("stored {} {} {text}", receipt.seq, receipt.id));
    }
    Ok(())
}

fn append_batch(place: &Place, told: &Told) -> Result<()> {
    let memory = begun(place, told)?;
    let texts: Vec<String> = (0..1_100).map(|n| format!("victim batch {n}")).collect();
    let events = texts.iter().map(|text| prompt("victim", text)).collect();
    for (receipt, text) in memory.append_batch(events)?.iter().zip(&texts) {
        told.say(&format!("stored {} {} {text}", receipt.seq, receipt.id));
    }
    Ok(())
}

/// What a hook does: context, the response, the end of a session.
fn recall(place: &Place, told: &Told) -> Result<()> {
    let memory = begun(place, told)?;
    memory.context("which number has the harbour?")?;
    append(&memory, told, "recall", 1)?;
    let update = SessionUpdate::default().summary("about harbours");
    memory.update_session("keep-0", update)?;
    memory.close()
}

fn retention(place: &Place, told: &Told) -> Result<()> {
    let memory = builder()
        .retention_ms(EventKind::AgentResponse, 1_000)
        .open(place.store())?;
    told.begin();
    memory.upkeep().apply_retention()?;
    told.say("removed");
    Ok(())
}

fn maintain(memory: &Memory, merges: usize) -> Result<bool> {
    let budget = MaintainBudget::default().merges(merges).jobs(0);
    Ok(memory.maintain(budget)?.flushed)
}

fn begun(place: &Place, told: &Told) -> Result<Memory> {
    let memory = open(&place.store())?;
    told.begin();
    Ok(memory)
}

pub fn hush_selector(session: &str) -> Selector {
    Selector::new().session(session).project(ProjectScope::All)
}

pub fn prompt(session: &str, text: &str) -> NewEvent {
    NewEvent::new(EventKind::UserPrompt, session, text)
}

pub fn builder() -> MemoryBuilder {
    let embedder = CallbackEmbedder::new("letters-1", 26, |texts| {
        let count = |text: &str, letter: u8| text.bytes().filter(|b| *b == letter).count() as f32;
        Ok(texts
            .iter()
            .map(|text| (b'a'..=b'z').map(|letter| count(text, letter)).collect())
            .collect())
    });
    Memory::builder()
        .exclusive(IS_EXCLUSIVE.load(Ordering::Relaxed))
        .busy_timeout_ms(20_000)
        .embedder(Arc::new(embedder.unwrap()))
}

/// Whether this process opens its stores exclusively.
static IS_EXCLUSIVE: AtomicBool = AtomicBool::new(false);

pub fn open(folder: &Path) -> Result<Memory> {
    builder().open(folder)
}

/// Where the victim reports acknowledgements, by `writev`, which no case fails.
pub struct Told(File);

impl Told {
    fn to_stdout() -> Told {
        let stdout = std::io::stdout().as_fd().try_clone_to_owned().unwrap();
        Told(stdout.into())
    }

    /// For an operation that this process runs itself.
    pub fn nobody() -> Told {
        Told(File::options().write(true).open("/dev/null").unwrap())
    }

    fn say(&self, line: &str) {
        let line = format!("\n| {}\n", line.replace('\n', " "));
        let parts = [IoSlice::new(line.as_bytes()), IoSlice::new(b"")];
        let _ = (&self.0).write_vectored(&parts);
    }

    fn begin(&self) {
        let _ = File::open(BEGIN);
    }
}

/// The tracer counts calls per thread, so this thread must make more of them than the loader and
/// the test harness do on the main thread.
fn outnumber_the_main_thread() {
    for _ in 0..60 {
        let null = File::options().read(true).write(true).open("/dev/null");
        let null = null.unwrap();
        let mut byte = [0];
        let _ = ((&null).read(&mut byte), null.read_at(&mut byte, 0));
        let _ = (&null).write(&byte);
    }
}

/// The victim itself; does nothing unless started as one.
#[test]
fn victim() {
    let Ok(name) = std::env::var(OPERATION) else {
        return;
    };
    let place = Place(std::env::var_os(PLACE).unwrap().into());
    let operation = OPERATIONS.iter().find(|known| known.name == name).unwrap();
    IS_EXCLUSIVE.store(operation.is_exclusive, Ordering::Relaxed);
    let told = Told::to_stdout();
    told.say(&format!("pid {}", std::process::id()));
    outnumber_the_main_thread();
    let result = (operation.run)(&place, &told);
    let _ = File::open(END);
    match result {
        Ok(()) => told.say("ended well"),
        Err(error) => {
            told.say(&format!("error {} {error}", error.code().as_str()));
            // Reopening recovers, in the same process.
            let healed = open(&(operation.store)(&place))
                .and_then(|memory| append(&memory, &told, "healed", 1))
                .and_then(|()| Others::go_on(&told));
            match healed {
                Ok(()) => told.say("healed"),
                Err(error) => told.say(&format!("unhealed {} {error}", error.code().as_str())),
            }
        }
    }
}

/// The initial state of a case, and what must remain after it.
pub struct Template {
    pub place: Place,
    /// Positions, ids and texts that no operation removes.
    pub keep: Vec<(Seq, EventId, String)>,
    /// The same for the session that operations erase or forget.
    pub hush: Vec<(Seq, EventId, String)>,
}

impl Template {
    /// Creates a template with this many additional vectors.
    pub fn make(folder: &Path, vectors: usize) -> Template {
        let place = Place(folder.to_owned());
        let memory = open(&place.store()).unwrap();
        let mut keep = Vec::new();
        let add = |events: Vec<NewEvent>| -> Vec<(Seq, EventId, String)> {
            let texts: Vec<String> = events.iter().map(|e| e.content.clone()).collect();
            let receipts = memory.append_batch(events).unwrap();
            receipts
                .iter()
                .zip(texts)
                .map(|(receipt, text)| (receipt.seq, receipt.id, text))
                .collect()
        };
        // Five segments, so that there is something to merge, and a nearly full memtable.
        for (part, count) in [36, 36, 36, 36, 36, 244].into_iter().enumerate() {
            let session = format!("keep-{part}");
            let text = |n| format!("number {n} of the harbour, part {part}");
            let events = (0..count).map(|n| prompt(&session, &text(n))).collect();
            keep.extend(add(events));
            if part < 5 {
                assert!(maintain(&memory, 0).unwrap());
            }
        }
        let many = (0..vectors).map(|n| prompt("keep-6", &format!("vector {n} of the harbour")));
        keep.extend(add(many.collect()));
        memory.process_outbox(100 + vectors).unwrap();
        let said = |session: &str, word: &str| {
            let text = |n| format!("the {word} is secret {n}");
            let old = Timestamp::from_millis(1_700_000_000_000).unwrap();
            (0..6)
                .map(|n| NewEvent::new(EventKind::AgentResponse, session, text(n)).timestamp(old))
                .collect()
        };
        let hush = add(said("hush", HUSH));
        add(vec![prompt("other-hush", OTHER_HUSH)]);
        memory.process_outbox(40).unwrap();
        let mut export = File::create(place.export()).unwrap();
        memory.upkeep().export_jsonl_to(&mut export, None).unwrap();
        Template::share(&place, &memory);
        memory.close().unwrap();
        drop(memory);
        open(&place.empty()).unwrap().close().unwrap();
        Template::foreign(&place);
        Template::transcript(&place);
        Template { place, keep, hush }
    }

    /// A peer's store, which has pulled everything and ordered a part of it erased.
    fn share(place: &Place, memory: &Memory) {
        std::fs::create_dir(place.shared()).unwrap();
        let peer = open(&place.peer()).unwrap();
        for (one, other) in [(memory, &peer), (&peer, memory)] {
            let identity = other.sharing().identity().unwrap();
            let sharing = one.sharing();
            sharing
                .add_member(&identity, "peer", MemberRole::Owner)
                .unwrap();
        }
        memory.sharing().push_folder(place.shared()).unwrap();
        let events = (0..40).map(|n| prompt("peer", &format!("peer {n}")));
        peer.append_batch(events.collect()).unwrap();
        peer.sharing().pull_folder(place.shared()).unwrap();
        peer.erase(&hush_selector("hush")).unwrap();
        peer.sharing().push_folder(place.shared()).unwrap();
        peer.close().unwrap();
    }

    /// The export of an unrelated store.
    fn foreign(place: &Place) {
        let other = place.0.join("other");
        let memory = open(&other).unwrap();
        let events = (0..40).map(|n| prompt("foreign", &format!("foreign {n}")));
        memory.append_batch(events.collect()).unwrap();
        let mut export = File::create(place.0.join("foreign.jsonl")).unwrap();
        memory.upkeep().export_jsonl_to(&mut export, None).unwrap();
        drop(memory);
        std::fs::remove_dir_all(other).unwrap();
    }

    fn transcript(place: &Place) {
        let mut file = File::create(place.transcript()).unwrap();
        for number in 0..40 {
            writeln!(
                file,
                r#"{{"type":"user","uuid":"u{number}","sessionId":"foreign","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w","message":{{"content":"foreign {number}"}}}}"#
            )
            .unwrap();
        }
    }
}
