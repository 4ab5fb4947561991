//! Creates the tables of a new store file.

use crate::model::error::Result;
use crate::store::database::checked::WriteTransaction;
use crate::store::tables;

/// Creates every missing table.
pub(in crate::store) fn create_tables(transaction: &WriteTransaction) -> Result<()> {
    macro_rules! create {
        ($name:ident, $role:ident, $erasure:ident) => {
            transaction.open_table(tables::$name)?;
        };
    }
    tables::every_table!(create);
    Ok(())
}
