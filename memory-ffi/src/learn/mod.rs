//! What conversations teach: quotes are aligned, extractions taken in, tasks and
//! knowledge kept, memories graduated and consolidated.

pub mod texts;

pub mod align;

pub mod evidence;

pub mod ingest;

pub mod task;

pub mod task_lists;

pub mod task_acts;

pub mod entry;

pub mod entry_search;

pub mod entry_acts;

pub mod graph;

pub mod levels;

pub mod endless;

pub mod endless_config;

pub mod ledgers;

pub mod decisions;

pub mod meanings;

pub(crate) mod word;

use recallite::Timestamp;

/// Hands a list of items over to C.
macro_rules! give_list {
    ($list:ident, $items:expr, $view:expr) => {
        crate::owned::give(|parts| {
            let (items, len) = parts.list($items, $view);
            $list { items, len }
        })
    };
}
pub(crate) use give_list;

/// A time that may be unknown, in milliseconds; 0 when it is.
pub(crate) fn millis(time: Option<Timestamp>) -> i64 {
    time.map_or(0, Timestamp::millis)
}
