//! Looks up the known entries that may have the title of a new one.

use crate::engine::Engine;
use crate::engine::learned_index::LearnedQuery;
use crate::model::error::Result;
use crate::model::learned::LearnedKind;
use crate::rules::entries::EntryId;
use crate::store::ReadTx;
use crate::store::projected_rows::projected::Projected;

/// How many entries that share words with a title are compared with it.
const MAX_NAMESAKES: usize = 200;

/// The entries that share words with a title.
pub(super) fn candidates(
    engine: &Engine,
    read: &ReadTx,
    rows: &Projected,
    title: &str,
) -> Result<Vec<EntryId>> {
    let query = LearnedQuery {
        text: title,
        kinds: LearnedKind::Entry.bit(),
        listed: None,
        most: MAX_NAMESAKES,
        given: MAX_NAMESAKES,
        deadline: None,
    };
    let index = &engine.learned_index;
    let found = index.search(&engine.lexical, read, rows, query)?;
    let ids = found.matches.into_iter().map(|one| one.learned.id);
    Ok(ids.map(EntryId::new).collect())
}
