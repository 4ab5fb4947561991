//! Creates the tables of a new store file.

use super::checked::WriteTransaction;
use super::tables;
use crate::model::error::Result;

/// Creates every missing table.
pub(super) fn create_tables(transaction: &WriteTransaction) -> Result<()> {
    macro_rules! create {
        ($name:ident, $role:ident) => {
            transaction.open_table(tables::$name)?;
        };
    }
    tables::every_table!(create);
    Ok(())
}
