//! Exchanges batches as files in a folder: a USB stick, a synchronised folder, a mounted
//! bucket.
//!
//! ```text
//! recallite-share/
//!   0f3c…/                                   one folder for each store, by its identity
//!     member.json                            what it calls itself, signed
//!     offers.jsonl                           how often it has offered again what it withheld, signed
//!     answer-9ab1….jsonl                     to each store that ordered an erasure: how far it has
//!                                            carried them out, signed
//!     checked.json                           what its files were last compared with
//!     0000000000000000-00000000000003e8-5b1d….jsonl
//! ```
//!
//! Only its own store writes into a folder, so nothing that others wrote ever needs merging. A file is
//! one batch; its name gives the range of positions and a hash of the content. Files are put in
//! place atomically. Many small ones at the end become one. If part of a file is forgotten or erased, it is written again without
//! that part, and the old file is overwritten and removed, as are copies that a program which
//! synchronises the folder has made of it, or of the store's whole folder, under names of its own.
//!
//! Others may write into the folder: links are never followed.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::engine::Engine;
use crate::model::error::{Error, Result};
use crate::model::hex::hex;
use crate::model::ids::EventId;
use crate::model::sharing::{Announced, Pulled, Pushed, SharedBatch};
use crate::model::shorten::place;
use crate::share::announcement::{self, MAX_ANNOUNCEMENT_BYTES};
use crate::share::batch_files::{BatchFile, at, files_in, hash_of, put, read_plain, wipe};
use crate::share::keys::{Signer, is_signed, public_key, signer};
use crate::share::lines::{MAX_PROGRESS_BYTES, read_header, read_records};
use crate::share::merging::merge_small;
use crate::share::receive::{receive, two_machines};
use crate::share::send::{self, Wanted, log_checksum, retraction_mark};
use crate::store::generations::folder::PARTIAL;
use crate::store::shared::sharing_rows::SharingRows;
use crate::store::shared::store_key::store_key;
use crate::upkeep::export::refuse_inside;

/// The subfolder of the shared folder; nothing outside it is touched.
const SHARE_FOLDER: &str = "recallite-share";
const MEMBER_FILE: &str = "member.json";
/// The log position up to which the files were last compared.
const CHECKED_FILE: &str = "checked.json";
/// A batch without records, which says how often its store has offered again what it had withheld.
const OFFERS_FILE: &str = "offers.jsonl";
/// How the name of a batch without records begins that has an answer to one store, whose identity
/// follows. Each has a file, because everyone pulls often, and only what is to it.
const ANSWER_PREFIX: &str = "answer-";
/// Maximum number of records per file.
const FILE_RECORDS: usize = 1_000;
/// Maximum size of a batch file: its last record may have texts of 256 MiB in all, of which each
/// byte may take six in JSON.
const MAX_FILE_BYTES: u64 = 2 << 30;

/// The length of a batch's name without its extension.
const BATCH_NAME_BYTES: usize = 16 + 1 + 16 + 1 + 32;

/// How long a push waits for another push of the same store.
const PUSH_WAIT: Duration = Duration::from_secs(5);

/// By how many positions the log grows until [`CHECKED_FILE`] is written again although this store has
/// recorded nothing that it shares: what is received shall change no file.
const CHECKED_EVERY: u64 = 1_000;

/// Maximum size of [`CHECKED_FILE`], whose fields all have fixed lengths.
const MAX_CHECKED_BYTES: u64 = 1 << 10;

fn check_folder(folder: &Path) -> Result<()> {
    match folder.is_dir() {
        true => Ok(()),
        false => Err(Error::invalid(
            "folder",
            format_args!("{} is not a folder; create it first", place(folder)),
        )),
    }
}

fn store_folder_of(engine: &Engine, folder: &Path, signer: &Signer) -> Result<PathBuf> {
    check_folder(folder)?;
    refuse_inside(engine, &folder.join(SHARE_FOLDER))
        .map_err(|error| error.with_argument("folder"))?;
    let all = folder.join(SHARE_FOLDER);
    let store_folder = all.join(signer.identity());
    // One at a time: nothing is created where a link leads.
    for path in [&all, &store_folder] {
        match fs::create_dir(path) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            created => created.map_err(at(path))?,
        }
        if !fs::symlink_metadata(path).map_err(at(path))?.is_dir() {
            return Err(Error::invalid(
                "folder",
                format_args!("{} is a link; remove it first", path.display()),
            ));
        }
    }
    Ok(store_folder)
}

/// [`Sharing::push_folder`](crate::Sharing::push_folder).
pub(crate) fn push(engine: &Engine, folder: &Path) -> Result<Pushed> {
    let signer = signer(engine)?;
    let store_folder = store_folder_of(engine, folder, &signer)?;
    let _turn = engine.store.folder().lock_pushing(PUSH_WAIT)?;
    for left in leftovers(&store_folder)? {
        wipe(&left)?;
    }
    for copy in copies_of_folder(&store_folder)? {
        wipe_folder(&copy)?;
    }
    let mut pushed = Pushed::default();
    let now = Checked::now(engine)?;
    let before = Checked::read(&store_folder, &signer);
    if let Some(before) = &before {
        before.is_of_this_log(engine, &signer)?;
    }
    let files = files_in(&store_folder)?;
    let (mut from, mut nothing_until) = match before {
        Some(ref before)
            if before.retractions == now.retractions && before.files == facts(&files)? =>
        {
            (files.last().map_or(0, |file| file.through), before.seq)
        }
        _ => (rewrite(engine, &signer, &store_folder, &mut pushed)?, 0),
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
        // A file without records would carry no information.
        if batch.records > 0 {
            let file = BatchFile::new(&store_folder, from, batch.through, &batch.lines);
            check_length(&batch, MAX_FILE_BYTES)?;
            put(&file.path, batch.lines.as_bytes())?;
            pushed.files += 1;
            pushed.records += batch.records;
            // Files continue where the last one ended, so that readers notice a gap.
            from = batch.through;
        }
        if !batch.has_more {
            break;
        }
    }
    if pushed.files > 0 {
        merge_small(engine, &store_folder)?;
    }
    put_progress(engine, &signer, &store_folder)?;
    let files = facts(&files_in(&store_folder)?)?;
    let checked = Checked { files, ..now };
    if !before.is_some_and(|before| before.serves_as(&checked)) {
        checked.write(&store_folder, &signer)?;
    }
    Ok(pushed)
}

/// Writes what this store says besides its records, as far as that has changed. Someone waiting for an
/// answer reads it even if there is nothing else to send.
fn put_progress(engine: &Engine, signer: &Signer, store_folder: &Path) -> Result<()> {
    let put_if_new = |name: &str, lines: &str| {
        let path = store_folder.join(name);
        let there = read_plain(&path, lines.len() as u64).ok().flatten();
        match there.as_deref() == Some(lines) {
            true => Ok(()),
            false => put(&path, lines.as_bytes()),
        }
    };
    let read = engine.store.read()?;
    for answer in send::answers(engine, &read, signer)? {
        let name = answer_file(&answer.answer_to);
        put_if_new(&name, &send::offers(&read, signer, &[answer])?)?;
    }
    put_if_new(OFFERS_FILE, &send::offers(&read, signer, &[])?)
}

/// The name of the file with the answer to a store.
fn answer_file(identity: &str) -> String {
    format!("{ANSWER_PREFIX}{identity}.jsonl")
}

fn is_answer_file(name: &str) -> bool {
    let identity = name.strip_prefix(ANSWER_PREFIX);
    let identity = identity.and_then(|rest| rest.strip_suffix(".jsonl"));
    identity.is_some_and(|identity| public_key("folder", identity).is_ok())
}

/// What the files in a store folder were last compared with.
#[derive(PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Checked {
    /// The last position of the log.
    seq: u64,
    /// The log's checksum at that position, which identifies the log.
    checksum: String,
    /// See [`retraction_mark`].
    retractions: String,
    /// A hash of the files' names, sizes and modification times.
    files: String,
    /// The store's signature: others may write into the folder.
    #[serde(default)]
    signature: String,
}

/// A fingerprint showing that files are unchanged, without reading them.
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
            signature: String::new(),
        })
    }

    /// Whether an earlier state of this log was compared with the files.
    ///
    /// # Errors
    /// `already_exists` if another log signs with the same key; `invalid_argument` if this
    /// log has lost its end.
    fn is_of_this_log(&self, engine: &Engine, signer: &Signer) -> Result<()> {
        if self.seq == 0 {
            return Ok(());
        }
        let read = engine.store.read()?;
        let last = read.state()?.last_seq;
        if self.seq > last {
            return Err(set_back(self.seq, last));
        }
        match log_checksum(&read, self.seq)? == self.checksum {
            true => Ok(()),
            false => Err(two_machines("folder", &signer.identity(), self.seq)),
        }
    }

    /// Whether it may stay in place of a later one: nothing was written since, and the log has not
    /// grown by much, so a push looks through the same few records once more.
    fn serves_as(&self, later: &Checked) -> bool {
        let is_same = (&self.retractions, &self.files) == (&later.retractions, &later.files);
        is_same && later.seq.saturating_sub(self.seq) < CHECKED_EVERY
    }

    fn to_be_signed(&self) -> String {
        let (seq, checksum) = (self.seq, &self.checksum);
        let (retractions, files) = (&self.retractions, &self.files);
        format!("recallite 2026 compared files 1\n{seq}\n{checksum}\n{retractions}\n{files}")
    }

    /// What this store wrote; what others wrote in its place counts as nothing.
    fn read(store_folder: &Path, signer: &Signer) -> Option<Checked> {
        let text = read_plain(&store_folder.join(CHECKED_FILE), MAX_CHECKED_BYTES);
        let read: Checked = serde_json::from_str(&text.ok()??).ok()?;
        let signed = read.to_be_signed();
        is_signed(&signer.public_key(), signed.as_bytes(), &read.signature).then_some(read)
    }

    fn write(mut self, store_folder: &Path, signer: &Signer) -> Result<()> {
        let path = store_folder.join(CHECKED_FILE);
        self.signature = signer.sign(self.to_be_signed().as_bytes());
        let text = serde_json::to_vec(&self).map_err(|e| Error::invalid("folder", e))?;
        put(&path, &text)
    }
}

/// Checks that everyone will read the file of a batch.
///
/// # Errors
/// `invalid_argument` naming `folder`, and the last record, which alone can be that long.
fn check_length(batch: &SharedBatch, most: u64) -> Result<()> {
    let bytes = batch.lines.len() as u64;
    match bytes > most {
        true => Err(Error::invalid(
            "folder",
            format_args!(
                "cannot take the record at position {}: its file would have {bytes} bytes, and \
                 nobody reads more than {most}; forget it, or withhold its session",
                batch.through
            ),
        )),
        false => Ok(()),
    }
}

/// What killed pushes left behind, and copies that a program which synchronises the folder has
/// made, such as `<name> (conflicted copy).jsonl`: those of batches would keep erased text.
fn leftovers(store_folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(store_folder).map_err(at(store_folder))? {
        let entry = entry.map_err(at(store_folder))?;
        if is_leftover(&entry.file_name().to_string_lossy()) {
            found.push(entry.path());
        }
    }
    Ok(found)
}

fn is_leftover(name: &str) -> bool {
    let is_copy_of = |file: &str| {
        let (stem, extension) = file.split_once('.').unwrap_or((file, ""));
        name != file && name.starts_with(stem) && name.ends_with(extension)
    };
    let mut others = [MEMBER_FILE, CHECKED_FILE, OFFERS_FILE].into_iter();
    let is_copy_of_answer = name.starts_with("answer") && !is_answer_file(name);
    name.contains(PARTIAL)
        || is_copy_of_batch(name)
        || others.any(is_copy_of)
        || (is_copy_of_answer && name.ends_with(".jsonl"))
}

/// Copies of a store's whole folder that such a program has made, such as `<identity> (1)`.
fn copies_of_folder(store_folder: &Path) -> Result<Vec<PathBuf>> {
    let (Some(all), Some(name)) = (store_folder.parent(), store_folder.file_name()) else {
        return Ok(Vec::new());
    };
    let name = name.to_string_lossy();
    let mut found = Vec::new();
    for entry in fs::read_dir(all).map_err(at(all))? {
        let entry = entry.map_err(at(all))?;
        let other = entry.file_name();
        let other = other.to_string_lossy();
        // Not a link to one.
        let is_folder = entry.file_type().map_err(at(all))?.is_dir();
        if is_folder && other != name && other.contains(&*name) {
            found.push(entry.path());
        }
    }
    Ok(found)
}

/// Overwrites and removes the files in a copy of a store's folder, and the folder unless it holds
/// anything else.
fn wipe_folder(copy: &Path) -> Result<()> {
    for entry in fs::read_dir(copy).map_err(at(copy))? {
        let entry = entry.map_err(at(copy))?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_ours = [MEMBER_FILE, CHECKED_FILE, OFFERS_FILE].contains(&&*name);
        if is_ours
            || is_answer_file(&name)
            || is_leftover(&name)
            || BatchFile::of(entry.path()).is_some()
        {
            wipe(&entry.path())?;
        }
    }
    match fs::remove_dir(copy) {
        Err(error) if error.kind() == std::io::ErrorKind::DirectoryNotEmpty => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        removed => removed.map_err(at(copy)),
    }
}

/// Whether a name contains that of a batch, and more.
fn is_copy_of_batch(name: &str) -> bool {
    let has_form = |part: &[u8]| {
        part.iter().enumerate().all(|(at, byte)| match at {
            16 | 33 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
    };
    let is_batch = BatchFile::of(PathBuf::from(name)).is_some();
    !is_batch && name.as_bytes().windows(BATCH_NAME_BYTES).any(has_form)
}

/// Rewrites files that no longer match what this store would write, and removes files that
/// do not follow on their predecessor. Returns the position up to which the files reach.
fn rewrite(
    engine: &Engine,
    signer: &Signer,
    store_folder: &Path,
    pushed: &mut Pushed,
) -> Result<u64> {
    let mut kept: Option<BatchFile> = None;
    for file in files_in(store_folder)? {
        let through = kept.as_ref().map_or(0, |kept| kept.through);
        if kept.as_ref() == Some(&file) {
            continue;
        }
        // A push was killed between rewriting a file and removing the old one, or someone
        // removed the preceding file.
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
        if batch.through < file.through && !batch.has_more {
            // Anyone can give a file this name.
            if !is_signed_batch(&file, signer) {
                wipe(&file.path)?;
                continue;
            }
            return Err(set_back(file.through, batch.through));
        }
        is_from_here(engine, signer, &file)?;
        // What was withheld is offered again, and no longer fits into one file: the push goes on
        // from here with new ones.
        if batch.has_more {
            wipe(&file.path)?;
            continue;
        }
        kept = Some(replace(store_folder, file, &batch, pushed)?);
    }
    Ok(kept.map_or(0, |kept| kept.through))
}

fn set_back(written: u64, last: u64) -> Error {
    Error::invalid(
        "folder",
        format_args!(
            "contains records of this store up to position {written}, but its log ends at {last}: \
             an older copy of the store was put back; call sharing.renew_identity()"
        ),
    )
}

/// Whether a file contains the batch that its name says, signed by this store.
fn is_signed_batch(file: &BatchFile, signer: &Signer) -> bool {
    let Ok(Some(lines)) = read_plain(&file.path, MAX_FILE_BYTES) else {
        return false;
    };
    hash_of(&lines) == file.hash
        && read_header(&lines).is_ok_and(|header| {
            (header.from, header.through) == (file.from, file.through)
                && read_records(&lines, &header, &signer.public_key()).is_ok()
        })
}

/// Checks that this store recorded what its own file contains. A damaged file counts as
/// empty, and so does one that it did not sign.
///
/// # Errors
/// `already_exists` if another store that signs with the same key did.
fn is_from_here(engine: &Engine, signer: &Signer, file: &BatchFile) -> Result<()> {
    #[derive(Deserialize)]
    struct Named {
        position: u64,
        id: String,
    }
    let Ok(Some(lines)) = read_plain(&file.path, MAX_FILE_BYTES) else {
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
            // Anyone can give a file this name.
            return match is_signed_batch(file, signer) {
                true => Err(two_machines("folder", &signer.identity(), named.position)),
                false => Ok(()),
            };
        }
    }
    Ok(())
}

/// Replaces a batch file; `old` is removed if the new one has another name.
fn replace(
    store_folder: &Path,
    old: BatchFile,
    batch: &SharedBatch,
    pushed: &mut Pushed,
) -> Result<BatchFile> {
    check_length(batch, MAX_FILE_BYTES)?;
    let file = BatchFile::new(store_folder, old.from, old.through, &batch.lines);
    if file.hash == old.hash {
        let there = read_plain(&old.path, batch.lines.len() as u64);
        if !there.is_ok_and(|there| there.as_ref() == Some(&batch.lines)) {
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
    for (identity, store_folder) in store_folders(folder)? {
        if identity == own {
            continue;
        }
        if engine.store.read()?.member(&identity)?.is_none() {
            pulled.strangers.push(identity);
            continue;
        }
        // A problem with one store's files must not block those of the others.
        if let Err(problem) = take_store_folder(engine, &identity, &store_folder, &mut pulled) {
            first_problem.get_or_insert(problem);
        }
    }
    first_problem.map_or(Ok(pulled), Err)
}

fn take_store_folder(
    engine: &Engine,
    identity: &str,
    store_folder: &Path,
    pulled: &mut Pulled,
) -> Result<()> {
    let key = store_key(&public_key("folder", identity)?);
    // Must come first, because it may require reading files again. The files are good without it.
    let mut first_problem = read_progress(engine, identity, store_folder).err();
    let read = engine.store.read()?;
    let mut known = read.received(&key)?;
    // An earlier pull took them, although it could not take one before them.
    let beyond = read.received_beyond(&key)?;
    drop(read);
    let mut last_range = None;
    for file in files_in(store_folder)? {
        // While a file is being written again, there are two with one range, and the older
        // one may lack what the newer one has.
        let range = Some((file.from, file.through));
        let is_taken = file.through <= known
            || beyond
                .iter()
                .any(|(from, through)| *from <= file.from && file.through <= *through);
        if !is_taken || range == last_range {
            last_range = range;
            // The other files are good: what this one leaves out remains a gap.
            if let Err(problem) = take(engine, identity, &file, pulled) {
                first_problem.get_or_insert(problem);
            }
            known = engine.store.read()?.received(&key)?;
        }
    }
    first_problem.map_or(Ok(()), Err)
}

fn take(engine: &Engine, identity: &str, file: &BatchFile, pulled: &mut Pulled) -> Result<()> {
    let Some(lines) = read_whole(file)? else {
        return Ok(());
    };
    let header = read_header(&lines).map_err(in_file(&file.path))?;
    if header.identity != identity {
        return Err(broken(
            file,
            "was signed by another store than the one its folder names",
        ));
    }
    *pulled += &receive(engine, &lines).map_err(in_file(&file.path))?;
    pulled.files += 1;
    Ok(())
}

/// The text of a batch; `None` if its store has just rewritten it: the next pull takes the
/// new file.
fn read_whole(file: &BatchFile) -> Result<Option<String>> {
    let problem = match read_plain(&file.path, MAX_FILE_BYTES) {
        // No store writes an empty file; one that is still to come is read by a later pull.
        Ok(Some(lines)) if lines.is_empty() => return Ok(None),
        Ok(Some(lines)) if hash_of(&lines) == file.hash => return Ok(Some(lines)),
        Ok(Some(_)) => broken(
            file,
            "is incomplete or damaged; pull again later, and if it stays so, delete it: the next \
             push of its store writes it again",
        ),
        Ok(None) => broken(file, "is not a text, or too large to be a batch"),
        Err(error) => at(&file.path)(error),
    };
    // The new file is in place before the old one is overwritten.
    match file.path.parent().map(files_in).transpose()? {
        Some(files) if files.contains(file) && !files.iter().any(|it| it.replaces(file)) => {
            Err(problem)
        }
        _ => Ok(None),
    }
}

/// Reads what a store says to this one besides its records. An incomplete file is ignored.
fn read_progress(engine: &Engine, identity: &str, store_folder: &Path) -> Result<()> {
    let own = signer(engine)?.identity();
    let mut first_problem = None;
    for name in [OFFERS_FILE, &answer_file(&own)] {
        let path = store_folder.join(name);
        let Ok(Some(lines)) = read_plain(&path, MAX_PROGRESS_BYTES) else {
            continue;
        };
        // While being rewritten it is incomplete.
        let is_theirs = read_header(&lines)
            .is_ok_and(|header| header.identity == identity && header.records == 0);
        if is_theirs && let Err(problem) = receive(engine, &lines).map_err(in_file(&path)) {
            first_problem.get_or_insert(problem);
        }
    }
    first_problem.map_or(Ok(()), Err)
}

/// Makes an error about a batch name the file that contains it.
fn in_file(path: &Path) -> impl Fn(Error) -> Error + '_ {
    move |error| match error.argument() {
        Some("batch") => Error::new(
            error.code(),
            format!("{}: {}", path.display(), error.message()),
        )
        .with_argument("folder"),
        _ => error,
    }
}

fn broken(file: &BatchFile, problem: &str) -> Error {
    Error::invalid("folder", format_args!("{} {problem}", file.path.display()))
}

/// The folders of all stores, ordered by identity.
fn store_folders(folder: &Path) -> Result<Vec<(String, PathBuf)>> {
    check_folder(folder)?;
    let all = folder.join(SHARE_FOLDER);
    let entries = match fs::read_dir(&all) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(Error::invalid(
                "folder",
                format_args!(
                    "{} contains no shared memory; call sharing.push_folder() or sharing.announce() first",
                    folder.display()
                ),
            ));
        }
        entries => entries.map_err(at(&all))?,
    };
    let mut store_folders = Vec::new();
    for entry in entries {
        let entry = entry.map_err(at(&all))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_folder = entry.file_type().map_err(at(&all))?.is_dir();
        if is_folder && public_key("folder", &name).is_ok() {
            store_folders.push((name, entry.path()));
        }
    }
    store_folders.sort();
    Ok(store_folders)
}

/// [`Sharing::announce`](crate::Sharing::announce).
pub(crate) fn announce(engine: &Engine, folder: &Path, name: &str) -> Result<()> {
    let text = announcement::write(engine, name)?;
    let store_folder = store_folder_of(engine, folder, &signer(engine)?)?;
    // A push removes unfinished files.
    let _turn = engine.store.folder().lock_pushing(PUSH_WAIT)?;
    put(
        &store_folder.join(MEMBER_FILE),
        format!("{text}\n").as_bytes(),
    )
}

/// [`Sharing::announced`](crate::Sharing::announced).
pub(crate) fn announced(folder: &Path) -> Result<Vec<Announced>> {
    let mut found = Vec::new();
    for (identity, store_folder) in store_folders(folder)? {
        let path = store_folder.join(MEMBER_FILE);
        let Some(text) = read_plain(&path, MAX_ANNOUNCEMENT_BYTES).map_err(at(&path))? else {
            continue;
        };
        // An announcement that its store did not sign is ignored.
        if let Ok(member) = announcement::read(&text)
            && member.identity == identity
        {
            found.push(member);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_nobody_would_read_is_not_written() {
        let batch = SharedBatch {
            lines: "12345".to_owned(),
            through: 7,
            ..SharedBatch::default()
        };
        assert!(check_length(&batch, 5).is_ok());
        let error = check_length(&batch, 4).expect_err("five bytes are more than four");
        assert!(error.message().contains("position 7"), "{error}");
    }
}
