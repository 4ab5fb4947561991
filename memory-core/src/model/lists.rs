//! Lists of rows, none of which is longer than its limit.

use std::ops::Range;

use crate::model::error::Result;

/// The default length of a list.
pub(crate) const LIST_LIMIT: usize = 1_000;

/// Takes rows until `visit` returns false.
type Visit<'a, R> = &'a mut dyn FnMut(R) -> Result<bool>;

/// The first of the rows that a function visits, by default [`LIST_LIMIT`].
pub(crate) fn first_rows<R>(
    limit: Option<usize>,
    each: &mut dyn FnMut(Visit<'_, R>) -> Result<()>,
) -> Result<Vec<R>> {
    let limit = limit.unwrap_or(LIST_LIMIT);
    let mut found = Vec::new();
    if limit > 0 {
        each(&mut |row| {
            found.push(row);
            Ok(found.len() < limit)
        })?;
    }
    Ok(found)
}

/// The places of a list that a page has: by default the first [`LIST_LIMIT`].
pub(crate) fn page(offset: Option<usize>, limit: Option<usize>) -> Range<usize> {
    let first = offset.unwrap_or(0);
    first..first.saturating_add(limit.unwrap_or(LIST_LIMIT))
}

/// The items of a list that are on a page.
pub(crate) fn on_page<R>(mut list: Vec<R>, page: &Range<usize>) -> Vec<R> {
    list.truncate(page.end);
    list.drain(..page.start.min(list.len()));
    list
}
