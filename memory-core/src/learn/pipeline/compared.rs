//! What was read of sentences that are compared. The same entries of a project are compared with all
//! that is learned in one call.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use crate::rules::entries::EntryType;
use crate::rules::statements::older::Older;
use crate::rules::statements::reversal::Reversal;

/// After this many sentences, what was read of them is thrown away.
const MAX_SENTENCES: usize = 4_000;

/// A sentence, and the kind of the entry that it is.
type SaidAs = (EntryType, String);

/// What was read of sentences while a call of learning lasts.
#[derive(Default)]
pub(crate) struct Compared {
    older: RefCell<HashMap<String, Rc<Older>>>,
    reversals: RefCell<HashMap<SaidAs, Option<Rc<Reversal>>>>,
}

impl Compared {
    /// A sentence with which newer ones are compared.
    pub(super) fn older(&self, text: &str) -> Rc<Older> {
        let mut known = self.older.borrow_mut();
        if let Some(older) = known.get(text) {
            return Rc::clone(older);
        }
        if known.len() >= MAX_SENTENCES {
            known.clear();
        }
        let older = Rc::new(Older::new(text));
        known.insert(text.to_owned(), Rc::clone(&older));
        older
    }

    /// What a sentence takes back as an entry of a kind.
    pub(super) fn reversal(&self, kind: EntryType, text: &str) -> Option<Rc<Reversal>> {
        let mut known = self.reversals.borrow_mut();
        if known.len() >= MAX_SENTENCES {
            known.clear();
        }
        let reversal = known.entry((kind, text.to_owned()));
        let reversal = reversal.or_insert_with(|| Reversal::of(kind, text).map(Rc::new));
        reversal.clone()
    }
}
