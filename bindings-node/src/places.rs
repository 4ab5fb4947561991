//! Where texts lie in the contents of events, counted in UTF-16.

use std::cell::RefCell;
use std::collections::HashMap;

use recallite::{EventId, EventRef, Memory, Result};

use crate::output::{size, utf16_length};

/// So many contents are kept: the quotes of a session stand in few messages.
const KEPT_CONTENTS: usize = 64;

/// What names the event that a place lies in.
pub trait EventName {
    /// Its id; `None` when it is not known.
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

/// Where results go: what conversions need beside the value.
///
/// The core counts places in bytes. JavaScript counts in UTF-16, for which the content
/// must be read again.
pub struct To<'m> {
    memory: Option<&'m Memory>,
    contents: RefCell<HashMap<String, Option<String>>>,
}

impl<'m> To<'m> {
    /// For results of this memory.
    pub fn of(memory: &'m Memory) -> Self {
        To {
            memory: Some(memory),
            contents: RefCell::default(),
        }
    }

    /// For results without places.
    pub fn nothing() -> Self {
        To {
            memory: None,
            contents: RefCell::default(),
        }
    }

    /// The UTF-16 code units that stand before a byte of an event's content; `None`
    /// when the event was forgotten.
    pub fn place(&self, event: &impl EventName, byte: impl TryInto<usize>) -> Result<Option<f64>> {
        let (Some(event), Some(memory)) = (event.name(), self.memory) else {
            return Ok(None);
        };
        let event = event.as_str();
        let mut contents = self.contents.borrow_mut();
        if !contents.contains_key(event) {
            if contents.len() >= KEPT_CONTENTS {
                contents.clear();
            }
            let content = match event.parse::<EventRef>() {
                Ok(id) => memory.event(id)?.map(|event| event.content),
                Err(_) => None,
            };
            contents.insert(event.to_owned(), content);
        }
        let content = contents.get(event).and_then(Option::as_deref);
        let end = byte.try_into().unwrap_or(usize::MAX);
        content
            .and_then(|content| content.get(..end))
            .map(|before| size(utf16_length(before)))
            .transpose()
    }
}
