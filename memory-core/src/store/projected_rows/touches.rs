//! Records which parts of which folds touched which rows, so that an event can be taken
//! back from the projections.
//!
//! The fold of an event consists of one or more independent *parts* (each access of a batch
//! is one). While a part runs, it notes a token for each row that it reads or writes, and
//! for each event whose existence it checks. Tokens are keyed hashes, so they reveal
//! nothing about the texts in row keys.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::model::error::{Error, ErrorCode, Result};
use crate::model::ids::EventId;
use crate::store::WriteTx;
use crate::store::projected_rows::row_kind::{RowKind, full_key};

/// A hash that represents a row, a group of rows, or the existence of an event.
pub(crate) type Token = [u8; 8];

/// A part of the fold of an event; ordered as they run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FoldPart {
    pub(crate) seq: u64,
    pub(crate) part: u32,
}

/// What a part did with a row. The numbers are stable on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Touch {
    /// It was only read.
    Read = 1,
    /// It was written, possibly depending on what it held.
    Changed = 2,
    /// It was written regardless of what it held.
    Replaced = 3,
    /// Not a row: the part asked whether an event is live.
    Asked = 4,
}

impl Touch {
    /// Whether the part left what it touched unchanged.
    pub(crate) fn only_looks(self) -> bool {
        matches!(self, Touch::Read | Touch::Asked)
    }

    fn from_number(number: u8) -> Option<Self> {
        [Touch::Read, Touch::Changed, Touch::Replaced, Touch::Asked]
            .into_iter()
            .find(|touch| *touch as u8 == number)
    }
}

/// A touch, and whether it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Noted {
    pub(crate) touch: Touch,
    /// False for what every fold reads: a change of it causes the whole log to be folded
    /// again.
    pub(crate) is_kept: bool,
}

/// The touches of the parts that ran.
pub(crate) type Touches = BTreeMap<(u32, Token), Noted>;

/// How folds learn which events are live. A fold may depend on nothing else but rows.
pub(crate) trait Liveness {
    /// The position of an event; `None` if no event ever had that id.
    fn position(&self, id: &EventId) -> Result<Option<u64>>;

    /// Whether the event at a position is neither forgotten nor erased.
    fn lives(&self, seq: u64) -> Result<bool>;

    /// Whether the event with an id is there, neither forgotten nor erased.
    fn is_live(&self, id: &EventId) -> Result<bool> {
        self.position(id)?.map_or(Ok(false), |seq| self.lives(seq))
    }
}

impl Liveness for WriteTx<'_> {
    fn position(&self, id: &EventId) -> Result<Option<u64>> {
        self.seq_of_id(id)
    }

    fn lives(&self, seq: u64) -> Result<bool> {
        Ok(!self.is_deleted(seq)?)
    }
}

/// Makes tokens with the store's secret.
#[derive(Clone, Copy)]
pub(crate) struct Tokens([u8; 32]);

impl Tokens {
    pub(crate) fn of_row(&self, row_kind: RowKind, key: &[u8]) -> Token {
        let key = &key[..group_length(row_kind, key).unwrap_or(key.len())];
        self.hash(&full_key(row_kind, key))
    }

    pub(crate) fn of_life(&self, seq: u64) -> Token {
        // No kind of row has the number 0.
        let mut bytes = [0; 9];
        bytes[1..].copy_from_slice(&seq.to_be_bytes());
        self.hash(&bytes)
    }

    /// For an event that a fold asked about while no record had its id.
    pub(crate) fn of_unknown(&self, id: &EventId) -> Token {
        let mut bytes = [0; 17];
        bytes[1..].copy_from_slice(id.as_bytes());
        self.hash(&bytes)
    }

    fn hash(&self, bytes: &[u8]) -> Token {
        let hash = blake3::keyed_hash(&self.0, bytes);
        *hash.as_bytes().first_chunk().expect("a hash has 32 bytes")
    }
}

/// The length of the key prefix that names the group scanned by folds; `None` for kinds of
/// rows that are only read one by one.
fn group_length(row_kind: RowKind, key: &[u8]) -> Option<usize> {
    if row_kind != RowKind::EdgeOut {
        return None;
    }
    // The length of the source's id, the id, and the relation.
    let length = u32::from_be_bytes(*key.first_chunk()?);
    let length = usize::try_from(length).ok()?.checked_add(5)?;
    (length <= key.len()).then_some(length)
}

/// Collects what the parts of one fold touch.
pub(crate) struct Recorder<'t> {
    tokens: Tokens,
    seq: u64,
    part: u32,
    /// The parts to run; all if `None`.
    only: Option<&'t BTreeSet<u32>>,
    numbers: u32,
    touches: RefCell<Touches>,
    written: BTreeMap<Vec<u8>, Written>,
    liveness: &'t dyn Liveness,
    /// Positions up to here have left the window of recent events.
    window_end: u64,
}

impl<'t> Recorder<'t> {
    pub(crate) fn new(
        tokens: Tokens,
        seq: u64,
        only: Option<&'t BTreeSet<u32>>,
        liveness: &'t dyn Liveness,
        window_end: u64,
    ) -> Self {
        Recorder {
            tokens,
            seq,
            part: 0,
            only,
            numbers: 0,
            touches: RefCell::default(),
            written: BTreeMap::new(),
            liveness,
            window_end,
        }
    }

    pub(in crate::store) fn next_part(&mut self) -> bool {
        self.part += 1;
        self.numbers = 0;
        self.only.is_none_or(|only| only.contains(&self.part))
    }

    /// A number that no other row of any fold has, in log order.
    pub(in crate::store) fn next_number(&mut self) -> u64 {
        let number = self.seq << 24 | u64::from(self.numbers);
        self.numbers += 1;
        number
    }

    pub(in crate::store) fn is_in_window(&self, seq: u64) -> bool {
        seq > self.window_end
    }

    pub(in crate::store) fn live_seq(&self, id: &str) -> Result<Option<u64>> {
        let Ok(id) = id.parse::<EventId>() else {
            return Ok(None);
        };
        let Some(seq) = self.liveness.position(&id)? else {
            // Another store may have it: once it arrives, the answer changes.
            self.note(self.tokens.of_unknown(&id), Touch::Asked, true);
            return Ok(None);
        };
        self.note(self.tokens.of_life(seq), Touch::Asked, true);
        Ok(self.liveness.lives(seq)?.then_some(seq))
    }

    fn note(&self, token: Token, touch: Touch, is_kept: bool) {
        let mut touches = self.touches.borrow_mut();
        let noted = touches
            .entry((self.part, token))
            .or_insert(Noted { touch, is_kept });
        if noted.touch == Touch::Read && touch != Touch::Read {
            noted.touch = Touch::Changed;
        }
        noted.is_kept |= is_kept;
    }

    pub(in crate::store) fn read(&self, row_kind: RowKind, key: &[u8]) {
        if !row_kind.is_beside_another() && !row_kind.is_work() {
            let token = self.tokens.of_row(row_kind, key);
            self.note(token, Touch::Read, row_kind != RowKind::Setting);
        }
    }

    /// # Errors
    /// `internal` for a scan that does not cover exactly one group, because no token
    /// represents what it read.
    pub(in crate::store) fn scan(&self, row_kind: RowKind, prefix: &[u8]) -> Result<()> {
        if group_length(row_kind, prefix) != Some(prefix.len()) {
            return Err(Error::new(
                ErrorCode::Internal,
                format!("a fold scans rows of {row_kind:?}, which have no groups"),
            ));
        }
        self.read(row_kind, prefix);
        Ok(())
    }

    pub(in crate::store) fn write(&mut self, row_kind: RowKind, key: &[u8]) {
        if row_kind.is_work() {
            return;
        }
        let token = (!row_kind.is_beside_another()).then(|| self.tokens.of_row(row_kind, key));
        if let Some(token) = token {
            let touch = match group_length(row_kind, key) {
                Some(_) => Touch::Changed,
                None => Touch::Replaced,
            };
            self.note(token, touch, true);
        }
        let part = self.part;
        self.written
            .entry(full_key(row_kind, key))
            .or_insert(Written { part, token });
    }

    /// The touches of the fold so far, in their stored form.
    pub(in crate::store) fn touched(&self) -> Vec<(Token, Touch)> {
        self.touches
            .borrow()
            .iter()
            .filter(|(_, noted)| noted.is_kept)
            .map(|(&(_, token), noted)| (token, noted.touch))
            .collect()
    }

    pub(in crate::store) fn finish(self) -> Trace {
        Trace {
            seq: self.seq,
            touches: self.touches.into_inner(),
            written: self.written,
        }
    }
}

/// A row that a fold wrote.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Written {
    /// The first part that did.
    pub(crate) part: u32,
    /// `None` for rows that are decided by others.
    pub(crate) token: Option<Token>,
}

/// The results of the parts of one fold.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    pub(crate) seq: u64,
    pub(crate) touches: Touches,
    /// By full key.
    pub(crate) written: BTreeMap<Vec<u8>, Written>,
}

impl Trace {
    /// The keys of the stored touches.
    pub(crate) fn keys(&self) -> impl Iterator<Item = [u8; 21]> {
        self.touches
            .iter()
            .filter(|(_, noted)| noted.is_kept)
            .map(|(&(part, token), noted)| {
                let seq = self.seq;
                key_of(token, FoldPart { seq, part }, noted.touch as u8)
            })
    }
}

/// `token (8) seq (8) part (4) touch (1)`.
pub(in crate::store) fn key_of(token: Token, at: FoldPart, touch: u8) -> [u8; 21] {
    let mut key = [0; 21];
    key[..8].copy_from_slice(&token);
    key[8..16].copy_from_slice(&at.seq.to_be_bytes());
    key[16..20].copy_from_slice(&at.part.to_be_bytes());
    key[20] = touch;
    key
}

/// Parses the part and the touch from a key without its kind.
pub(in crate::store) fn touch_in(key: &[u8]) -> Option<(FoldPart, Touch)> {
    let key: &[u8; 21] = key.try_into().ok()?;
    let seq = u64::from_be_bytes(*key[8..].first_chunk()?);
    let part = u32::from_be_bytes(*key[16..].first_chunk()?);
    Some((FoldPart { seq, part }, Touch::from_number(key[20])?))
}

impl WriteTx<'_> {
    pub(crate) fn tokens(&self) -> Tokens {
        Tokens(self.derived_secret("recallite 2026 tokens of rows"))
    }
}
