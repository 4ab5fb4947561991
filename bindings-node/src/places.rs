//! Offsets in the contents of events, in UTF-16.

use std::cell::RefCell;
use std::rc::Rc;

use recallite::{Error, ErrorCode, EventId, HasOffsets, Memory, Offsets, Result, TextUnit};

use crate::output::number;

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

/// What conversions of results need besides the value.
pub struct To<'m> {
    memory: Option<&'m Memory>,
    offsets: Rc<RefCell<Offsets>>,
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
            offsets: Rc::new(RefCell::new(Offsets::new(TextUnit::Utf16))),
            event: None,
        }
    }

    /// The same, for records about the content of an event.
    pub fn within(&self, event: &impl EventName) -> To<'m> {
        To {
            memory: self.memory,
            offsets: Rc::clone(&self.offsets),
            event: event.name(),
        }
    }

    /// Counts the places of a record, which loses the parts whose event was forgotten since.
    pub fn count<T: HasOffsets>(&self, memory: &Memory, found: &mut T) -> Result<()> {
        found.count(memory, &mut self.offsets.borrow_mut())
    }

    /// The number of UTF-16 code units before a byte of the event's content; `None` if the
    /// event was forgotten.
    pub fn place(&self, byte: impl TryInto<usize>) -> Result<Option<f64>> {
        let (Some(event), Some(memory)) = (&self.event, self.memory) else {
            return Ok(None);
        };
        let byte = byte.try_into().unwrap_or(usize::MAX);
        let units = self.offsets.borrow_mut().count(memory, event, byte)?;
        units.map(|units| number(units as u64)).transpose()
    }

    /// Like [`To::place`], from what was counted.
    pub fn known_place(&self, byte: usize) -> Result<f64> {
        let missing = || Error::new(ErrorCode::Internal, "a part of an event was not counted");
        self.place(byte)?.ok_or_else(missing)
    }
}
