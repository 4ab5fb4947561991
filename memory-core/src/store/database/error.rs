//! Converts the storage engine's errors into the library's error type.

use std::path::Path;

use redb::{
    CommitError, CursorError, DatabaseError, SetDurabilityError, StorageError, TableError,
    TransactionError,
};

use crate::model::error::{Error, ErrorCode};
use crate::store::database::panics::WAY_OUT;

/// Marks an I/O error as a lock timeout, so that it can be told from a real I/O error after
/// it has passed through the engine.
pub(in crate::store) const LOCK_WAIT_ENDED: &str = "recallite: the store stayed locked";

/// Converts the error for a file that nobody has open yet, or not under its name: whoever
/// is opening it gains nothing from "reopen the store".
pub(in crate::store) fn not_opened(error: Error, place: &Path) -> Error {
    if error.code() != ErrorCode::NeedsReopen {
        return error;
    }
    let cause = std::error::Error::source(&error)
        .and_then(|source| source.downcast_ref::<Error>())
        .unwrap_or(&error);
    let code = match cause.code() {
        ErrorCode::NeedsReopen => ErrorCode::Io,
        code => code,
    };
    let message = format!("{}: {}", place.display(), cause.message());
    Error::new(code, message).with_source(error)
}

impl From<StorageError> for Error {
    fn from(error: StorageError) -> Self {
        match error {
            StorageError::Io(io) if io.to_string() == LOCK_WAIT_ENDED => Error::new(
                ErrorCode::Busy,
                "another process kept the store locked longer than `busy_timeout_ms`; try again",
            ),
            StorageError::Io(io) => Error::from(io),
            StorageError::Corrupted(what) => Error::new(
                ErrorCode::Corrupt,
                format!("the store's file is damaged ({what}); {WAY_OUT}"),
            ),
            StorageError::PreviousIo => Error::new(
                ErrorCode::NeedsReopen,
                "an earlier input/output error stopped the store; open it again",
            ),
            StorageError::DatabaseClosed => Error::new(
                ErrorCode::NeedsReopen,
                "the store file was closed; open the store again",
            ),
            StorageError::ValueTooLarge(bytes) => Error::invalid(
                "content",
                format_args!("{bytes} bytes are more than one record can hold (3 GiB)"),
            ),
            StorageError::Unsupported => Error::new(
                ErrorCode::Unsupported,
                "this file system has no byte-range locks; open the store with exclusive(true)",
            ),
            StorageError::LockPoisoned(_) => Error::new(
                ErrorCode::Poisoned,
                "an earlier panic left the store unusable; open it again",
            ),
            other => Error::new(ErrorCode::Internal, format!("storage engine: {other}")),
        }
    }
}

impl From<CursorError> for Error {
    fn from(error: CursorError) -> Self {
        match error {
            CursorError::Storage(storage) => Error::from(storage),
            other => Error::new(ErrorCode::Internal, format!("storage engine: {other}")),
        }
    }
}

impl From<TableError> for Error {
    fn from(error: TableError) -> Self {
        match error {
            TableError::Storage(storage) => Error::from(storage),
            other => Error::new(
                ErrorCode::Corrupt,
                format!("the tables of the store file do not match this library: {other}"),
            ),
        }
    }
}

impl From<TransactionError> for Error {
    fn from(error: TransactionError) -> Self {
        match error {
            TransactionError::Storage(storage) => Error::from(storage),
            other => Error::new(ErrorCode::Internal, format!("storage engine: {other}")),
        }
    }
}

impl From<CommitError> for Error {
    fn from(error: CommitError) -> Self {
        match error {
            CommitError::Storage(storage) => Error::from(storage),
            other => Error::new(ErrorCode::Internal, format!("storage engine: {other}")),
        }
    }
}

impl From<SetDurabilityError> for Error {
    fn from(error: SetDurabilityError) -> Self {
        Error::new(ErrorCode::Internal, format!("storage engine: {error}"))
    }
}

impl From<DatabaseError> for Error {
    fn from(error: DatabaseError) -> Self {
        match error {
            DatabaseError::Storage(storage) => Error::from(storage),
            DatabaseError::DatabaseAlreadyOpen => Error::new(
                ErrorCode::Busy,
                "another process has the store open in a mode that excludes this one \
                 (exclusive and shared handles cannot be mixed)",
            ),
            DatabaseError::RepairAborted => Error::new(
                ErrorCode::PermissionDenied,
                "the store was not closed cleanly and recovering it needs write permission; \
                 open it once with write access",
            ),
            DatabaseError::UpgradeRequired(version) => Error::new(
                ErrorCode::NewerFormat,
                format!("the store file has file format {version}, which this library cannot open"),
            ),
            other => Error::new(ErrorCode::Internal, format!("storage engine: {other}")),
        }
    }
}

/// The error of an attempt that other processes keep overtaking.
pub(in crate::store) fn replaced_again() -> Error {
    Error::new(
        ErrorCode::Busy,
        "the store is being replaced again and again; try again",
    )
}
