//! A place where a store differs from what it should be.

/// The first place where a store differs from what it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) place: String,
    pub(crate) seq: Option<u64>,
    pub(crate) problem: String,
}

impl Difference {
    pub(crate) fn new(place: &str, seq: Option<u64>, problem: impl Into<String>) -> Self {
        Difference {
            place: place.to_owned(),
            seq,
            problem: problem.into(),
        }
    }
}

pub(in crate::store) type TableRow = (Vec<u8>, Vec<u8>);

/// The first row at which two differing tables in key order diverge, and how.
pub(in crate::store) fn differing(
    mine: Option<TableRow>,
    wanted: Option<TableRow>,
) -> (TableRow, &'static str) {
    match (mine, wanted) {
        (Some(mine), Some(wanted)) if mine.0 == wanted.0 => (wanted, "a row differs from the log"),
        (Some(mine), Some(wanted)) if mine.0 < wanted.0 => {
            (mine, "a row has no counterpart in the log")
        }
        (_, Some(wanted)) => (wanted, "a row of the log is missing"),
        (mine, None) => (
            mine.unwrap_or_default(),
            "a row has no counterpart in the log",
        ),
    }
}
