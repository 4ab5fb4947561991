//! Batches as files in a folder: a USB stick, a synchronised folder, a mounted bucket.
//!
//! ```text
//! recallite-share/
//!   0f3c…/                                   one folder for each store, by its identity
//!     member.json                            what it calls itself, signed
//!     answer.jsonl                           how far it has come, signed
//!     checked.json                           what its files were last compared with
//!     0000000000000000-00000000000003e8-5b1d….jsonl
//! ```
//!
//! Only its own store writes into a folder, so that nothing is ever merged. A file is a
//! batch; its name says from where to where it goes and, by a hash, what is in it. A
//! file is put in place whole. When something of it is forgotten or erased, it is written
//! again without that, and the old one is overwritten and removed.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::engine::Engine;
use crate::model::error::{Error, Result};
use crate::model::hex::hex;
use crate::model::ids::EventId;
use crate::model::sharing::{Announced, Pulled, Pushed, SharedBatch};
use crate::share::announcement::{self, MAX_ANNOUNCEMENT_BYTES};
use crate::share::keys::{Signer, public_key, signer};
use crate::share::lines::read_header;
use crate::share::receive::{receive, two_machines};
use crate::share::send::{self, Wanted, retraction_mark};
use crate::store::leftovers::fill_with_zeros;
use crate::store::origin::store_key;

/// What stands in a folder that people share, so that nothing else of theirs is touched.
const ROOM: &str = "recallite-share";
const MEMBER_FILE: &str = "member.json";
/// Up to where the log was looked at when the files were last as they should be.
const CHECKED_FILE: &str = "checked.json";
/// A batch without records: how far its store has come.
const ANSWER_FILE: &str = "answer.jsonl";
/// Records of one file.
const FILE_RECORDS: usize = 1_000;
/// No file of a batch is larger: the text of its last record comes on top of 4 MB.
const MAX_FILE_BYTES: u64 = 2 << 30;

/// How long a push waits for another one of the same store.
const PUSH_WAIT: Duration = Duration::from_secs(5);

/// An answer names each member once.
const MAX_ANSWER_BYTES: u64 = 4 << 20;

/// A file of a batch, by its name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct BatchFile {
    from: u64,
    through: u64,
    hash: String,
    path: PathBuf,
}

fn hash_of(lines: &str) -> String {
    hex(&blake3::hash(lines.as_bytes()).as_bytes()[..16])
}

impl BatchFile {
    fn new(room: &Path, from: u64, through: u64, lines: &str) -> Self {
        let hash = hash_of(lines);
        BatchFile {
            path: room.join(format!("{from:016x}-{through:016x}-{hash}.jsonl")),
            from,
            through,
            hash,
        }
    }

    /// Whether it was written in the place of another one.
    fn replaces(&self, other: &BatchFile) -> bool {
        (self.from, self.through) == (other.from, other.through) && self.hash != other.hash
    }

    fn of(path: PathBuf) -> Option<BatchFile> {
        let name = path.file_name()?.to_str()?.strip_suffix(".jsonl")?;
        let mut parts = name.split('-');
        let (from, through, hash) = (parts.next()?, parts.next()?, parts.next()?);
        let is_whole = from.len() == 16 && through.len() == 16 && hash.len() == 32;
        (is_whole && parts.next().is_none()).then_some(())?;
        Some(BatchFile {
            from: u64::from_str_radix(from, 16).ok()?,
            through: u64::from_str_radix(through, 16).ok()?,
            hash: hash.to_owned(),
            path,
        })
    }
}

/// What went wrong with a path of the shared folder.
fn at(path: &Path) -> impl Fn(std::io::Error) -> Error + '_ {
    move |error| {
        let problem = format!("{}: {error}", path.display());
        Error::from(std::io::Error::new(error.kind(), problem)).about("folder")
    }
}

/// The batches in the room of a store, in order. What has another name is left alone.
fn files_in(room: &Path) -> Result<Vec<BatchFile>> {
    let mut files = Vec::new();
    let entries = match fs::read_dir(room) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(files),
        entries => entries.map_err(at(room))?,
    };
    for entry in entries {
        let entry = entry.map_err(at(room))?;
        // A link could lead anywhere.
        if entry.file_type().map_err(at(room))?.is_file() {
            files.extend(BatchFile::of(entry.path()));
        }
    }
    files.sort();
    Ok(files)
}

/// Puts a file in place whole.
fn put(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".partial-{}", std::process::id()));
    let partial = path.with_file_name(name);
    let written = (|| {
        let mut file = fs::File::create(&partial)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&partial, path)
    })();
    if written.is_err() {
        let _ = fs::remove_file(&partial);
    }
    written.map_err(at(path))
}

/// Overwrites and removes a file; fine when it is gone.
fn wipe(path: &Path) -> Result<()> {
    let wiped = fs::OpenOptions::new().write(true).open(path);
    let wiped = wiped.and_then(|mut file| {
        fill_with_zeros(&mut file)?;
        fs::remove_file(path)
    });
    match wiped {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        wiped => wiped.map_err(at(path)),
    }
}

fn check_folder(folder: &Path) -> Result<()> {
    match folder.is_dir() {
        true => Ok(()),
        false => Err(Error::invalid(
            "folder",
            format_args!("{} is not a folder; create it first", folder.display()),
        )),
    }
}

fn room_of(folder: &Path, signer: &Signer) -> Result<PathBuf> {
    check_folder(folder)?;
    let room = folder.join(ROOM).join(signer.identity());
    fs::create_dir_all(&room).map_err(at(&room))?;
    Ok(room)
}

/// [`Sharing::push_folder`](crate::Sharing::push_folder).
pub(crate) fn push(engine: &Engine, folder: &Path) -> Result<Pushed> {
    let room = room_of(folder, &signer(engine)?)?;
    let _turn = engine.store.folder().lock_pushing(PUSH_WAIT)?;
    for left in leftovers(&room)? {
        wipe(&left)?;
    }
    let mut pushed = Pushed::default();
    let now = Checked::now(engine)?;
    let before = Checked::read(&room);
    if let Some(before) = &before {
        before.is_of_this_log(engine)?;
    }
    let files = files_in(&room)?;
    let (mut from, mut nothing_until) = match before {
        Some(before) if before.retractions == now.retractions && before.files == facts(&files)? => {
            (files.last().map_or(0, |file| file.through), before.seq)
        }
        _ => (rewrite(engine, &room, &mut pushed)?, 0),
    };
    loop {
        let batch = send::batch(
            engine,
            &Wanted {
                from,
                nothing_until,
                limit: FILE_RECORDS,
                ..Wanted::default()
            },
        )?;
        nothing_until = batch.through;
        // A file without records would only say that there are none.
        if batch.records > 0 {
            let file = BatchFile::new(&room, from, batch.through, &batch.lines);
            put(&file.path, batch.lines.as_bytes())?;
            pushed.files += 1;
            pushed.records += batch.records;
            // Files go on where the last one ended, so that who reads them sees a gap.
            from = batch.through;
        }
        if !batch.has_more {
            break;
        }
    }
    // Who waits for an answer reads it also when there is nothing else to say.
    let answer = send::batch(
        engine,
        &Wanted {
            from: nothing_until,
            through: Some(nothing_until),
            says_how_far: true,
            ..Wanted::default()
        },
    )?;
    let path = room.join(ANSWER_FILE);
    if fs::read_to_string(&path).ok().as_ref() != Some(&answer.lines) {
        put(&path, answer.lines.as_bytes())?;
    }
    let files = facts(&files_in(&room)?)?;
    Checked { files, ..now }.write(&room)?;
    Ok(pushed)
}

/// What the files in a room were compared with.
#[derive(PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Checked {
    /// The last position of the log.
    seq: u64,
    /// The log's checksum there, which no other log has.
    checksum: String,
    /// See [`retraction_mark`].
    retractions: String,
    /// A hash of the files' names, sizes and times.
    files: String,
}

/// What tells that files are those that this store wrote, without reading them.
fn facts(files: &[BatchFile]) -> Result<String> {
    let mut lines = String::new();
    for file in files {
        use std::fmt::Write as _;
        let facts = fs::metadata(&file.path).map_err(at(&file.path))?;
        let modified = facts.modified().map_err(at(&file.path))?;
        let name = file.path.file_name().unwrap_or_default().to_string_lossy();
        let _ = writeln!(lines, "{name} {} {modified:?}", facts.len());
    }
    Ok(hash_of(&lines))
}

impl Checked {
    fn now(engine: &Engine) -> Result<Checked> {
        let read = engine.store.read()?;
        let state = read.state()?;
        Ok(Checked {
            seq: state.last_seq,
            checksum: hex(&state.last_checksum),
            retractions: retraction_mark(&read)?,
            files: String::new(),
        })
    }

    /// Whether this log, at an earlier time, was compared with the files.
    ///
    /// # Errors
    /// `already_exists` when another log signs with the same key; `invalid_argument` when
    /// this one has lost its end.
    fn is_of_this_log(&self, engine: &Engine) -> Result<()> {
        if self.seq == 0 {
            return Ok(());
        }
        let read = engine.store.read()?;
        let checksum = read.with_record(self.seq, |view| Ok(hex(&view.checksum())))?;
        match checksum {
            Some(here) if here == self.checksum => Ok(()),
            Some(_) => Err(two_machines(
                "folder",
                &signer(engine)?.identity(),
                self.seq,
            )),
            None => Err(set_back(self.seq, read.state()?.last_seq)),
        }
    }

    fn read(room: &Path) -> Option<Checked> {
        let text = fs::read_to_string(room.join(CHECKED_FILE)).ok()?;
        serde_json::from_str(&text).ok()
    }

    fn write(&self, room: &Path) -> Result<()> {
        let path = room.join(CHECKED_FILE);
        let text = serde_json::to_vec(self).map_err(|e| Error::invalid("folder", e))?;
        put(&path, &text)
    }
}

/// What a killed push left.
fn leftovers(room: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(room).map_err(at(room))? {
        let entry = entry.map_err(at(room))?;
        if entry.file_name().to_string_lossy().contains(".partial-") {
            found.push(entry.path());
        }
    }
    Ok(found)
}

/// Writes again what is no more what this store would write, and takes away what does not
/// follow on what is before it. Gives the position up to which the files go.
fn rewrite(engine: &Engine, room: &Path, pushed: &mut Pushed) -> Result<u64> {
    let mut kept: Option<BatchFile> = None;
    for file in files_in(room)? {
        let through = kept.as_ref().map_or(0, |kept| kept.through);
        if kept.as_ref() == Some(&file) {
            continue;
        }
        // A push was killed between writing a file again and removing the old one, or
        // somebody took away the file before this one.
        if file.from != through {
            wipe(&file.path)?;
            continue;
        }
        let batch = send::batch(
            engine,
            &Wanted {
                from: file.from,
                through: Some(file.through),
                ..Wanted::default()
            },
        )?;
        if batch.through < file.through {
            return Err(set_back(file.through, batch.through));
        }
        is_from_here(engine, &file)?;
        kept = Some(replace(room, file, &batch, pushed)?);
    }
    Ok(kept.map_or(0, |kept| kept.through))
}

fn set_back(written: u64, last: u64) -> Error {
    Error::invalid(
        "folder",
        format_args!(
            "contains records of this store up to position {written}, but its log ends at {last}: \
             an older copy of the store was put back; call renew_identity()"
        ),
    )
}

/// Whether this store recorded what a file of its own holds. A file that is damaged holds
/// nothing.
///
/// # Errors
/// `already_exists` when another one did, which signs with the same key.
fn is_from_here(engine: &Engine, file: &BatchFile) -> Result<()> {
    #[derive(Deserialize)]
    struct Named {
        position: u64,
        id: String,
    }
    let Ok(lines) = fs::read_to_string(&file.path) else {
        return Ok(());
    };
    if hash_of(&lines) != file.hash {
        return Ok(());
    }
    let read = engine.store.read()?;
    for line in lines.lines().skip(1) {
        let Ok(named) = serde_json::from_str::<Named>(line) else {
            return Ok(());
        };
        let id = read.with_record(named.position, |view| {
            Ok(EventId::from_bytes(view.archive()?.id).to_string())
        })?;
        if id.as_ref() != Some(&named.id) {
            let identity = signer(engine)?.identity();
            return Err(two_machines("folder", &identity, named.position));
        }
    }
    Ok(())
}

/// The file that holds a batch; `old` goes when it does not.
fn replace(
    room: &Path,
    old: BatchFile,
    batch: &SharedBatch,
    pushed: &mut Pushed,
) -> Result<BatchFile> {
    let file = BatchFile::new(room, old.from, old.through, &batch.lines);
    if file.hash == old.hash {
        let is_whole = fs::read(&old.path).is_ok_and(|there| there == batch.lines.as_bytes());
        if !is_whole {
            put(&old.path, batch.lines.as_bytes())?;
            pushed.rewritten += 1;
        }
        return Ok(old);
    }
    put(&file.path, batch.lines.as_bytes())?;
    wipe(&old.path)?;
    pushed.rewritten += 1;
    Ok(file)
}

/// [`Sharing::pull_folder`](crate::Sharing::pull_folder).
pub(crate) fn pull(engine: &Engine, folder: &Path) -> Result<Pulled> {
    let own = signer(engine)?.identity();
    let mut pulled = Pulled::default();
    let mut first_problem = None;
    for (identity, room) in rooms(folder)? {
        if identity == own {
            continue;
        }
        if engine.store.read()?.member(&identity)?.is_none() {
            pulled.strangers.push(identity);
            continue;
        }
        // What is wrong with one store's files keeps nobody from the others'.
        if let Err(problem) = take_room(engine, &identity, &room, &mut pulled) {
            first_problem.get_or_insert(problem);
        }
    }
    first_problem.map_or(Ok(pulled), Err)
}

fn take_room(engine: &Engine, identity: &str, room: &Path, pulled: &mut Pulled) -> Result<()> {
    let key = store_key(&public_key("folder", identity)?);
    // First, because it may say that files are to be read once more.
    read_answer(engine, identity, room)?;
    let mut known = engine.store.read()?.received(&key)?;
    for file in files_in(room)? {
        if file.through > known {
            take(engine, identity, &file, pulled)?;
            known = engine.store.read()?.received(&key)?;
        }
    }
    Ok(())
}

fn take(engine: &Engine, identity: &str, file: &BatchFile, pulled: &mut Pulled) -> Result<()> {
    let Some(lines) = read_whole(file)? else {
        return Ok(());
    };
    let header = read_header(&lines)?;
    if header.identity != identity {
        return Err(broken(
            file,
            "was signed by another store than the one its folder names",
        ));
    }
    *pulled += &receive(engine, &lines)?;
    pulled.files += 1;
    Ok(())
}

/// The text of a batch; `None` when its store has just written it again: the next pull
/// takes that.
fn read_whole(file: &BatchFile) -> Result<Option<String>> {
    let read = fs::metadata(&file.path).and_then(|facts| match facts.len() > MAX_FILE_BYTES {
        true => Ok(None),
        false => fs::read_to_string(&file.path).map(Some),
    });
    let problem = match read {
        Ok(Some(lines)) if hash_of(&lines) == file.hash => return Ok(Some(lines)),
        Ok(Some(_)) => broken(file, "is incomplete or damaged; pull again later"),
        Ok(None) => broken(file, "is too large to be a batch"),
        Err(error) => at(&file.path)(error),
    };
    // The new one is in place before the old one is overwritten.
    match file.path.parent().map(files_in).transpose()? {
        Some(files) if files.contains(file) && !files.iter().any(|it| it.replaces(file)) => {
            Err(problem)
        }
        _ => Ok(None),
    }
}

/// What a store says of how far it has come; nothing when it says nothing whole.
fn read_answer(engine: &Engine, identity: &str, room: &Path) -> Result<()> {
    let path = room.join(ANSWER_FILE);
    let is_small = fs::symlink_metadata(&path)
        .is_ok_and(|facts| facts.is_file() && facts.len() <= MAX_ANSWER_BYTES);
    let Some(lines) = is_small.then(|| fs::read_to_string(&path).ok()).flatten() else {
        return Ok(());
    };
    let is_theirs =
        read_header(&lines).is_ok_and(|header| header.identity == identity && header.records == 0);
    // While it is being written again it is not whole.
    match is_theirs {
        true => receive(engine, &lines).map(drop),
        false => Ok(()),
    }
}

fn broken(file: &BatchFile, problem: &str) -> Error {
    Error::invalid("folder", format_args!("{} {problem}", file.path.display()))
}

/// The rooms of all stores, in the order of their identities.
fn rooms(folder: &Path) -> Result<Vec<(String, PathBuf)>> {
    check_folder(folder)?;
    let all = folder.join(ROOM);
    let entries = match fs::read_dir(&all) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(Error::invalid(
                "folder",
                format_args!(
                    "{} contains no shared memory; call push_folder() or announce() first",
                    folder.display()
                ),
            ));
        }
        entries => entries.map_err(at(&all))?,
    };
    let mut rooms = Vec::new();
    for entry in entries {
        let entry = entry.map_err(at(&all))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_room = entry.file_type().map_err(at(&all))?.is_dir();
        if is_room && public_key("folder", &name).is_ok() {
            rooms.push((name, entry.path()));
        }
    }
    rooms.sort();
    Ok(rooms)
}

/// [`Sharing::announce`](crate::Sharing::announce).
pub(crate) fn announce(engine: &Engine, folder: &Path, name: &str) -> Result<()> {
    let text = announcement::write(engine, name)?;
    let room = room_of(folder, &signer(engine)?)?;
    put(&room.join(MEMBER_FILE), format!("{text}\n").as_bytes())
}

/// [`Sharing::announced`](crate::Sharing::announced).
pub(crate) fn announced(folder: &Path) -> Result<Vec<Announced>> {
    let mut found = Vec::new();
    for (identity, room) in rooms(folder)? {
        let path = room.join(MEMBER_FILE);
        let is_small = fs::symlink_metadata(&path)
            .is_ok_and(|facts| facts.is_file() && facts.len() <= MAX_ANNOUNCEMENT_BYTES);
        if !is_small {
            continue;
        }
        let text = fs::read_to_string(&path).map_err(at(&path))?;
        // Who cannot sign it is nobody.
        if let Ok(member) = announcement::read(&text)
            && member.identity == identity
        {
            found.push(member);
        }
    }
    Ok(found)
}
