//! Lists of rows, none of which is longer than its limit.

use crate::model::error::Result;

/// The default length of a list.
pub(crate) const LIST_LIMIT: usize = 1_000;

/// Takes rows until `visit` returns false.
type Visit<'a, R> = &'a mut dyn FnMut(R) -> Result<bool>;

/// The first of the rows that a function visits, by default [`LIST_LIMIT`].
pub(crate) fn some_of<R>(
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
