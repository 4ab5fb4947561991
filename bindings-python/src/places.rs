//! Converts text positions in the contents of events to code points.
//!
//! The core counts in bytes, and part of a content says nothing about the text before it,
//! so contents are read again while the interpreter is detached.

use std::collections::HashMap;

use recallite::rules::entries::EvidenceReport;
use recallite::{
    Context, EntryHit, EventRef, IngestReport, LearnedEntry, LearnedHit, Memory, Result,
    SearchResult, SmartSearchResult,
};

/// Code points before a byte of an event's content, by event id.
#[derive(Default)]
pub(crate) struct Places(HashMap<(String, u64), u64>);

impl Places {
    pub(crate) fn get(&self, id: &str, byte: u64) -> Option<u64> {
        self.0.get(&(id.to_owned(), byte)).copied()
    }
}

/// Counts places, caching the texts it read, because the quotes of a session come from few
/// messages.
pub(crate) struct Placer<'m> {
    memory: &'m Memory,
    texts: HashMap<String, Option<String>>,
    places: Places,
}

/// Contains places in the contents of events.
pub(crate) trait Placed: Sized {
    /// Counts every place in it.
    fn place(&mut self, placer: &mut Placer<'_>) -> Result<()>;

    /// The value with its places.
    fn placed(mut self, memory: &Memory) -> Result<(Self, Places)> {
        let mut placer = Placer {
            memory,
            texts: HashMap::new(),
            places: Places::default(),
        };
        self.place(&mut placer)?;
        Ok((self, placer.places))
    }
}

impl Placer<'_> {
    /// Counts from `start` to `end`; false if the event was forgotten since.
    fn count(&mut self, id: &str, start: u64, end: u64) -> Result<bool> {
        if !self.texts.contains_key(id) {
            let event = match id.parse::<EventRef>() {
                Ok(event) => self.memory.event(event)?,
                Err(_) => None,
            };
            let text = event.map(|event| event.content);
            self.texts.insert(id.to_owned(), text);
        }
        let Some(Some(text)) = self.texts.get(id) else {
            return Ok(false);
        };
        let counted = |range: std::ops::Range<u64>| {
            let range = usize::try_from(range.start).ok()?..usize::try_from(range.end).ok()?;
            Some(text.get(range)?.chars().count() as u64)
        };
        let (Some(before), Some(inside)) = (counted(0..start), counted(start..end)) else {
            return Ok(false);
        };
        let places = &mut self.places.0;
        places.insert((id.to_owned(), start), before);
        places.insert((id.to_owned(), end), before + inside);
        Ok(true)
    }

    /// Counts a part whose text is at hand: the start of the content needs no reading.
    fn count_part(&mut self, id: &str, start: usize, text: &str) -> Result<bool> {
        let (start, end) = (start as u64, (start + text.len()) as u64);
        if start > 0 {
            return self.count(id, start, end);
        }
        let places = &mut self.places.0;
        places.insert((id.to_owned(), 0), 0);
        places.insert((id.to_owned(), end), text.chars().count() as u64);
        Ok(true)
    }
}

/// Drops search results whose event was forgotten since.
fn retain<T>(items: &mut Vec<T>, mut is_there: impl FnMut(&T) -> Result<bool>) -> Result<()> {
    let mut kept = Vec::with_capacity(items.len());
    for item in std::mem::take(items) {
        if is_there(&item)? {
            kept.push(item);
        }
    }
    *items = kept;
    Ok(())
}

impl Placed for SearchResult {
    fn place(&mut self, placer: &mut Placer<'_>) -> Result<()> {
        retain(&mut self.items, |hit| {
            placer.count_part(&hit.id.to_string(), hit.passage.start, &hit.passage.text)
        })?;
        place_learned(&mut self.learned, placer)
    }
}

/// Drops what is based on an event that was forgotten since.
fn place_learned(learned: &mut Vec<LearnedHit>, placer: &mut Placer<'_>) -> Result<()> {
    retain(learned, |hit| {
        let mut is_there = true;
        for proof in &hit.proofs {
            is_there &= placer.count_part(&proof.id.to_string(), proof.start, &proof.quote)?;
        }
        Ok(is_there)
    })
}

impl Placed for SmartSearchResult {
    fn place(&mut self, placer: &mut Placer<'_>) -> Result<()> {
        place_learned(&mut self.learned, placer)
    }
}

impl Placed for Context {
    fn place(&mut self, placer: &mut Placer<'_>) -> Result<()> {
        retain(&mut self.items, |item| {
            placer.count_part(&item.id.to_string(), item.start, &item.text)
        })?;
        place_learned(&mut self.learned, placer)
    }
}

impl Placed for EvidenceReport {
    fn place(&mut self, placer: &mut Placer<'_>) -> Result<()> {
        for span in &self.aligned {
            if let Some(id) = &span.event_id {
                placer.count(id, span.span_start, span.span_end)?;
            }
        }
        Ok(())
    }
}

impl Placed for LearnedEntry {
    fn place(&mut self, placer: &mut Placer<'_>) -> Result<()> {
        match self.entry.evidence().cloned() {
            Some(mut report) => report.place(placer),
            None => Ok(()),
        }
    }
}

impl Placed for EntryHit {
    fn place(&mut self, placer: &mut Placer<'_>) -> Result<()> {
        self.learned.place(placer)
    }
}

impl Placed for IngestReport {
    fn place(&mut self, placer: &mut Placer<'_>) -> Result<()> {
        for entry in &mut self.entries {
            entry.evidence.place(placer)?;
        }
        for task in &mut self.tasks {
            task.evidence.place(placer)?;
        }
        Ok(())
    }
}

impl<T: Placed> Placed for Vec<T> {
    fn place(&mut self, placer: &mut Placer<'_>) -> Result<()> {
        self.iter_mut().try_for_each(|item| item.place(placer))
    }
}

impl<T: Placed> Placed for Option<T> {
    fn place(&mut self, placer: &mut Placer<'_>) -> Result<()> {
        self.as_mut().map_or(Ok(()), |value| value.place(placer))
    }
}
