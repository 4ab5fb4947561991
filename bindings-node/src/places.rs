//! Converts text positions in the contents of events to UTF-16.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use recallite::{Error, ErrorCode, EventId, EventRef, Memory, Result};

use crate::output::{size, utf16_length};

/// How many contents are cached: the quotes of a session come from few messages.
const KEPT_CONTENTS: usize = 64;

/// Identifies the event that a place is in.
pub trait EventName {
    /// Its id; `None` if unknown.
    fn name(&self) -> Option<String>;
}

impl EventName for EventId {
    fn name(&self) -> Option<String> {
        Some(self.to_string())
    }
}

impl EventName for Option<String> {
    fn name(&self) -> Option<String> {
        self.clone()
    }
}

/// What was read and counted for one result.
#[derive(Default)]
struct Known {
    contents: HashMap<String, Option<String>>,
    /// UTF-16 code units before a byte of an event's content.
    places: HashMap<(String, usize), usize>,
}

/// What conversions of results need besides the value.
///
/// The core counts places in bytes. JavaScript counts in UTF-16, which requires reading the
/// content again, unless the text at the place is at hand.
pub struct To<'m> {
    memory: Option<&'m Memory>,
    known: Rc<RefCell<Known>>,
    /// The event whose content a record's places refer to.
    event: Option<String>,
}

impl<'m> To<'m> {
    /// For results of this memory.
    pub fn of(memory: &'m Memory) -> Self {
        To {
            memory: Some(memory),
            ..To::nothing()
        }
    }

    /// For results without places.
    pub fn nothing() -> Self {
        To {
            memory: None,
            known: Rc::default(),
            event: None,
        }
    }

    /// The same, for records about the content of an event.
    pub fn within(&self, event: &impl EventName) -> To<'m> {
        To {
            memory: self.memory,
            known: Rc::clone(&self.known),
            event: event.name(),
        }
    }

    /// Counts a part of an event's content whose text is at hand: the start of the content
    /// needs no reading. False if the event was forgotten since.
    pub fn count(&self, event: &impl EventName, start: usize, text: &str) -> Result<bool> {
        let to = self.within(event);
        let before = match start {
            0 => Some(0),
            start => to.units_before(start)?,
        };
        let (Some(event), Some(before)) = (to.event, before) else {
            return Ok(false);
        };
        let places = &mut self.known.borrow_mut().places;
        places.insert((event.clone(), start), before);
        places.insert((event, start + text.len()), before + utf16_length(text));
        Ok(true)
    }

    /// The number of UTF-16 code units before a byte of the event's content; `None` if the
    /// event was forgotten.
    pub fn place(&self, byte: impl TryInto<usize>) -> Result<Option<f64>> {
        let units = self.units_before(byte.try_into().unwrap_or(usize::MAX))?;
        units.map(size).transpose()
    }

    /// Like [`To::place`], from what was counted.
    pub fn known_place(&self, byte: usize) -> Result<f64> {
        let missing = || Error::new(ErrorCode::Internal, "a part of an event was not counted");
        self.place(byte)?.ok_or_else(missing)
    }

    fn units_before(&self, byte: usize) -> Result<Option<usize>> {
        let (Some(event), Some(memory)) = (&self.event, self.memory) else {
            return Ok(None);
        };
        let Known { contents, places } = &mut *self.known.borrow_mut();
        if let Some(counted) = places.get(&(event.clone(), byte)) {
            return Ok(Some(*counted));
        }
        if !contents.contains_key(event) {
            if contents.len() >= KEPT_CONTENTS {
                contents.clear();
            }
            let content = match event.parse::<EventRef>() {
                Ok(id) => memory.event(id)?.map(|event| event.content),
                Err(_) => None,
            };
            contents.insert(event.clone(), content);
        }
        let content = contents.get(event).and_then(Option::as_deref);
        let before = content.and_then(|content| content.get(..byte));
        Ok(before.map(utf16_length))
    }
}

/// Drops a result whose event was forgotten since.
pub fn retain<T>(items: &mut Vec<T>, mut is_there: impl FnMut(&T) -> Result<bool>) -> Result<()> {
    let mut kept = Vec::with_capacity(items.len());
    for item in std::mem::take(items) {
        if is_there(&item)? {
            kept.push(item);
        }
    }
    *items = kept;
    Ok(())
}
