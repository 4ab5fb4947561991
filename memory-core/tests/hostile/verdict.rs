//! What must hold after a case: nothing is lost, nothing is left over, and nothing erased comes
//! back.

use std::collections::HashMap;
use std::path::Path;

use recallite::scope::ProjectScope;
use recallite::{ErrorCode, Event, MaintainBudget, Memory, Query, Seq};

use crate::victim::{
    HUSH, OTHER_HUSH, Operation, Place, Template, Told, hush_selector, open, prompt,
};

/// The result of a case: nothing, or what is wrong.
pub type Verdict = Result<(), String>;

/// What was acknowledged to the victim and to the others.
#[derive(Clone, Debug, Default)]
pub struct Heard {
    /// `seq id text` of each acknowledged event.
    pub stored: Vec<String>,
    /// Whether the removal was acknowledged.
    pub removed: bool,
    /// Whether the session of the others was erased.
    pub other_removed: bool,
    pub restored: bool,
    pub backed_up: bool,
    /// How the operation ended; `None` if it was killed.
    pub end: Option<String>,
    /// What followed an error, after which the same process reopens the store.
    pub healing: Option<String>,
}

impl Heard {
    pub fn hear(&mut self, line: &str) {
        if let Some(stored) = line.strip_prefix("stored ") {
            self.stored.push(stored.to_owned());
        }
        match line {
            "removed" => self.removed = true,
            "restored" => self.restored = true,
            "backed up" => self.backed_up = true,
            _ => {}
        }
        if line.starts_with("ended") || line.starts_with("error") {
            self.end = Some(line.to_owned());
        }
        if line.starts_with("healed") || line.starts_with("unhealed") {
            self.healing = Some(line.to_owned());
        }
    }
}

/// Checks the freshly opened store, finishes the operation, and checks again.
pub fn judge(operation: &Operation, template: &Template, place: &Place, heard: &Heard) -> Verdict {
    let folder = (operation.store)(place);
    let memory = open(&folder).map_err(|e| format!("it does not open again: {e}"))?;
    looks_well(operation, template, &memory, heard)?;
    let is_empty = folder != place.store();
    if operation.name == "backup" {
        backup_is_whole_or_absent(template, place, heard)?;
    }
    upkeep(&memory)?;
    erased_bytes_are_gone(operation, template, &memory, heard)?;
    let after = memory
        .append(prompt("after", "written after the case"))
        .map_err(|e| format!("an append after it: {e}"))?;
    drop(memory);

    let mut heard = heard.clone();
    heard
        .stored
        .push(format!("{} {} written after the case", after.seq, after.id));
    finish(operation, place, &mut heard)?;
    let memory = open(&folder).map_err(|e| format!("it does not open after finishing: {e}"))?;
    looks_well(operation, template, &memory, &heard)?;
    upkeep(&memory)?;
    erased_bytes_are_gone(operation, template, &memory, &heard)?;
    if !is_empty {
        let found = memory
            .search(Query::new("harbour").project(ProjectScope::All))
            .map_err(|e| format!("search: {e}"))?;
        if found.items.is_empty() || found.degraded {
            return Err(format!(
                "a search gives {} hits, degraded {}",
                found.items.len(),
                found.degraded
            ));
        }
    }
    if operation.name.starts_with("push_folder") {
        the_peer_gets_everything(template, place, &memory, &heard)?;
    }
    memory.close().map_err(|e| format!("close: {e}"))?;
    drop(memory);
    nothing_lies_about(&folder)
}

/// Repeats what was begun, which must succeed in an intact store.
fn finish(operation: &Operation, place: &Place, heard: &mut Heard) -> Verdict {
    if operation.name == "backup" {
        let _ = std::fs::remove_dir_all(place.backup());
    }
    match (operation.run)(place, &Told::nobody()) {
        Ok(()) => {}
        // The store is not empty: this verdict has appended to it.
        Err(e) if operation.name == "restore_jsonl" && e.code() == ErrorCode::AlreadyExists => {}
        Err(e) => return Err(format!("the operation cannot be done again: {e}")),
    }
    heard.removed |= operation.removes;
    Ok(())
}

/// After it, no erasure that was ordered is open.
fn upkeep(memory: &Memory) -> Verdict {
    let done = memory
        .maintain(MaintainBudget::default())
        .map_err(|e| format!("maintain: {e}"))?;
    match done.open_erasures {
        0 => Ok(()),
        open => Err(format!("{open} erasures are open after maintain")),
    }
}

/// Checks the log, the model's events in it, and the store's own check.
fn looks_well(
    operation: &Operation,
    template: &Template,
    memory: &Memory,
    heard: &Heard,
) -> Verdict {
    let events = memory
        .changes_since(Seq(0), usize::MAX)
        .map_err(|e| format!("changes_since: {e}"))?;
    let here: HashMap<String, &Event> = events.iter().map(|e| (e.id.to_string(), e)).collect();
    let is_there = |seq: &str, id: &str, text: &str| match here.get(id) {
        None => Err(format!("event {seq} is lost")),
        Some(event) if event.seq.to_string() != seq || event.content != text => {
            Err(format!("event {seq} is another one now"))
        }
        Some(_) => Ok(()),
    };
    let folder_is_full = memory.path().ends_with("store");
    if folder_is_full || heard.restored {
        for (seq, id, text) in &template.keep {
            is_there(&seq.to_string(), &id.to_string(), text)?;
        }
    }
    for line in &heard.stored {
        let mut parts = line.splitn(3, ' ');
        let [seq, id, text] = [(); 3].map(|()| parts.next().unwrap());
        is_there(seq, id, text)?;
    }
    let hushed = template
        .hush
        .iter()
        .filter(|(_, id, _)| here.contains_key(&id.to_string()))
        .count();
    let whole = template.hush.len();
    if folder_is_full && hushed != 0 && hushed != whole {
        return Err(format!("{hushed} of {whole} are left of what goes as one"));
    }
    if folder_is_full && heard.removed != (hushed == 0) && (heard.removed || !operation.removes) {
        return Err(format!(
            "{hushed} of {whole} are there; removed: {}",
            heard.removed
        ));
    }
    let report = memory.check().map_err(|e| format!("check: {e}"))?;
    match report.first_divergence {
        // The upkeep carries it out.
        Some(found) if found.place == "erasures" => Ok(()),
        Some(found) => Err(format!("check: {found:?}")),
        None => Ok(()),
    }
}

fn backup_is_whole_or_absent(template: &Template, place: &Place, heard: &Heard) -> Verdict {
    let named = place.backup().display().to_string();
    match &heard.end {
        Some(end) if end.starts_with("error full ") && !end.contains(&named) => {
            return Err(format!("it does not say which disk is full: {end}"));
        }
        _ => {}
    }
    if !place.backup().exists() {
        return match heard.backed_up {
            true => Err("the backup is not there".into()),
            false => Ok(()),
        };
    }
    let copy = open(&place.backup()).map_err(|e| format!("the backup does not open: {e}"))?;
    let report = copy.check().map_err(|e| format!("the backup: {e}"))?;
    let events = copy
        .changes_since(Seq(0), usize::MAX)
        .map_err(|e| format!("the backup: {e}"))?;
    match report.ok && events.len() >= template.keep.len() {
        true => Ok(()),
        false => Err(format!("the backup holds {} events", events.len())),
    }
}

/// Whatever was pushed is complete: another store can pull it and then has the same events, and the
/// folder contains nothing that was erased.
fn the_peer_gets_everything(
    template: &Template,
    place: &Place,
    memory: &Memory,
    heard: &Heard,
) -> Verdict {
    let tell = |what: &'static str| move |e: recallite::Error| format!("the peer's {what}: {e}");
    // Pull what was pushed after the operation, and the answer to the peer's order.
    for _ in 0..2 {
        let pulled = memory.sharing().pull_folder(place.shared());
        pulled.map_err(tell("files"))?;
        memory.sharing().erase_ordered().map_err(tell("order"))?;
        let pushed = memory.sharing().push_folder(place.shared());
        pushed.map_err(|e| format!("a push after it: {e}"))?;
    }
    let peer = open(&place.peer()).map_err(tell("opening"))?;
    let pulled = peer.sharing().pull_folder(place.shared());
    pulled.map_err(tell("pull"))?;
    let hash = |memory: &Memory| memory.sharing().shared_hash().map_err(tell("hash"));
    if hash(&peer)? != hash(memory)? {
        return Err("the peer knows something else".into());
    }
    let texts = heard
        .stored
        .iter()
        .filter_map(|line| line.splitn(3, ' ').nth(2));
    let events = peer
        .changes_since(Seq(0), usize::MAX)
        .map_err(tell("log"))?;
    for text in texts.chain(template.keep.iter().map(|(_, _, text)| text.as_str())) {
        if !events.iter().any(|event| event.content == text) {
            return Err(format!("the peer was not told: {text}"));
        }
    }
    match holders(&place.shared(), HUSH).first() {
        None => Ok(()),
        Some(file) => Err(format!("erased text is in the shared {file}")),
    }
}

/// An event that is unreadable because it was erased is in no file.
fn erased_bytes_are_gone(
    operation: &Operation,
    template: &Template,
    memory: &Memory,
    heard: &Heard,
) -> Verdict {
    let is_gone = memory
        .event(template.hush[0].1)
        .map_err(|e| format!("event: {e}"))?
        .is_none();
    let mut words = Vec::new();
    if operation.erases && is_gone && (heard.removed || !operation.erases_at_its_end) {
        words.push(HUSH);
    }
    if heard.other_removed {
        words.push(OTHER_HUSH);
    }
    for word in words {
        let holders = holders(memory.path(), word);
        if !holders.is_empty() {
            return Err(format!("erased text is in {}", holders.join(", ")));
        }
    }
    Ok(())
}

/// The files of a folder that contain a word, ignoring case.
fn holders(folder: &Path, word: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        if entry.path().is_dir() {
            found.extend(holders(&entry.path(), word));
            continue;
        }
        let bytes = std::fs::read(entry.path()).unwrap_or_default();
        if bytes
            .windows(word.len())
            .any(|w| w.eq_ignore_ascii_case(word.as_bytes()))
        {
            found.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    found
}

/// Killed processes do not leave files behind forever.
fn nothing_lies_about(folder: &Path) -> Verdict {
    let mut generations = 0;
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".tmp") {
            return Err(format!("{name} is left"));
        }
        generations += u32::from(name.starts_with("memory."));
    }
    match generations {
        1 => Ok(()),
        _ => Err(format!("{generations} generations are left")),
    }
}

/// What another process does while the victim is stopped.
pub fn meanwhile(place: &Place, folder: &Path, heard: &mut Heard) -> Verdict {
    let memory = match crate::victim::builder().busy_timeout_ms(30).open(folder) {
        Ok(memory) => memory,
        Err(e) if e.code() == ErrorCode::Busy => return Ok(()),
        Err(e) => return Err(format!("another process cannot open: {e}")),
    };
    let may_be_busy = |what: &str, result: recallite::Result<()>| match result {
        Err(e) if e.code() != ErrorCode::Busy => Err(format!("another process, {what}: {e}")),
        Err(_) => Ok(false),
        Ok(()) => Ok(true),
    };
    may_be_busy("search", memory.search("harbour").map(drop))?;
    let appended = memory.append(prompt("meanwhile", "written meanwhile"));
    if let Ok(receipt) = &appended {
        heard
            .stored
            .push(format!("{} {} written meanwhile", receipt.seq, receipt.id));
    }
    may_be_busy("append", appended.map(drop))?;
    may_be_busy("compact", memory.compact().map(drop))?;
    if folder == place.store() {
        let erased = memory.erase(&hush_selector("other-hush")).map(drop);
        heard.other_removed = may_be_busy("erase", erased)?;
    }
    may_be_busy("search", memory.search("harbour").map(drop))?;
    may_be_busy("close", memory.close()).map(drop)
}
