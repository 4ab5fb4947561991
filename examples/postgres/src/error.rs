//! What can go wrong between a memory and a server.

use std::error::Error as _;

use postgres::error::SqlState;

/// The result of a call of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Converts an error of the client.
pub(crate) type Failed<'f> = &'f dyn Fn(postgres::Error) -> Error;

/// What went wrong.
///
/// Nothing is applied by half: what a push had not committed is not on the server, and
/// what a pull had not stored is asked for again.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The address says nothing that can be connected to.
    #[error("address: {0}")]
    Address(String),
    /// The connection was refused, or lost. Connecting again helps when the server is back.
    #[error("cannot connect to {server}: {}", said(.source))]
    Connection {
        /// The server, without the password.
        server: String,
        /// Why.
        source: postgres::Error,
    },
    /// The server or the account could not prove who it is: the server has no TLS, or a certificate
    /// that is not trusted or is for another name; or the account is unknown, or its password wrong
    /// or missing.
    #[error("cannot authenticate with {server}: {}", said(.source))]
    Authentication {
        /// The server, without the password.
        server: String,
        /// Why.
        source: postgres::Error,
    },
    /// The server accepted the connection and then did not answer. Trying again may help.
    #[error("{server} does not answer")]
    NoAnswer {
        /// The server, without the password.
        server: String,
    },
    /// Another machine holds what is needed for longer than 5 seconds, or the server chose
    /// this transaction to give way. Trying again helps.
    #[error("the server is busy: {}", said(.0))]
    Busy(postgres::Error),
    /// The account may not do this.
    #[error(
        "the server denied access: {}; the owner of the shared memory gives access to it with \
         grant(), and the administrator of the server to the database",
        said(.0)
    )]
    Denied(postgres::Error),
    /// The server takes nothing in: it is a replica, or read-only for this database or account.
    #[error(
        "{server} is read-only ({}); share through the primary server, or have its administrator \
         allow this account to write",
        said(.source)
    )]
    ReadOnly {
        /// The server, without the password.
        server: String,
        /// Why.
        source: postgres::Error,
    },
    /// The database holds no shared memory, or this account may not see it.
    #[error("the database has no shared memory that this account can see; create one with init()")]
    NotShared,
    /// A newer version made the tables.
    #[error(
        "the shared memory has version {found}, but this library supports versions up to {known}; \
         update the library"
    )]
    NewerSchema {
        /// The version of the tables.
        found: i32,
        /// The newest one that is known here.
        known: i32,
    },
    /// An older version made the tables.
    #[error(
        "the shared memory has version {found}; its owner must upgrade it to version {known} with \
         init()"
    )]
    OlderSchema {
        /// The version of the tables.
        found: i32,
        /// The one that is needed.
        known: i32,
    },
    /// The database cannot store every character.
    #[error(
        "the database has the encoding {found}, which lacks characters that texts contain; share in \
         a database with the encoding UTF8: CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0"
    )]
    Encoding {
        /// Its encoding.
        found: String,
    },
    /// The store is not known on the server.
    #[error("the server does not know this store; register it with announce()")]
    NotAnnounced,
    /// Another account has made a store known under this identity.
    #[error("store {identity} is registered on the server by another account")]
    OtherAccount {
        /// The store.
        identity: String,
    },
    /// Two machines sign with one key and recorded different things.
    #[error(
        "the log of store {identity} on the server differs from this one at or before position \
         {position}: its folder was copied and both copies are in use; give one of them a new \
         identity with renew_identity()"
    )]
    TwoMachines {
        /// The store.
        identity: String,
        /// The position in its log.
        position: u64,
    },
    /// A record is of a project that the account was not granted.
    #[error(
        "the record at position {position} of store {identity} is about the project {project:?}, \
         which was not granted to this account on the server; withhold the project with \
         withhold(), or have the owner of the shared memory give the right with grant()"
    )]
    ProjectNotShared {
        /// The store.
        identity: String,
        /// The position in its log.
        position: u64,
        /// The project.
        project: String,
    },
    /// A record is longer than a row of the server may be.
    #[error(
        "the record at position {position} of store {identity} takes {bytes} bytes, and the server \
         takes at most {most}; withhold its session or project with withhold()"
    )]
    RecordTooLong {
        /// The store.
        identity: String,
        /// The position in its log.
        position: u64,
        /// How long it is, as a line of JSON.
        bytes: usize,
        /// How long it may be.
        most: usize,
    },
    /// The log of the store is shorter than what was pushed of it.
    #[error(
        "store {identity} has pushed its log up to position {pushed}, but the log ends at {last}: \
         an older copy was restored; give it a new identity with renew_identity()"
    )]
    SetBack {
        /// The store.
        identity: String,
        /// What was pushed.
        pushed: u64,
        /// Where the log ends.
        last: u64,
    },
    /// What there is of a store is nothing that a store wrote.
    #[error("store {identity} {problem}")]
    Damaged {
        /// The store.
        identity: String,
        /// What is wrong.
        problem: String,
    },
    /// The argument says nothing that the server knows.
    #[error("{argument}: {problem}")]
    InvalidArgument {
        /// Which one.
        argument: &'static str,
        /// What is wrong with it.
        problem: String,
    },
    /// What was read of the server cannot be noted in the folder of the memory.
    #[error("{file}: {source}")]
    Note {
        /// The file.
        file: String,
        /// Why.
        source: std::io::Error,
    },
    /// The memory refused, or failed.
    #[error(transparent)]
    Memory(#[from] recallite::Error),
    /// The server failed.
    #[error("the server failed: {}", said(.0))]
    Server(#[source] postgres::Error),
}

impl Error {
    /// Whether the same call may succeed later, on a new connection.
    pub fn is_transient(&self) -> bool {
        matches!(
            self,
            Error::Connection { .. } | Error::NoAnswer { .. } | Error::Busy(_)
        )
    }

    /// Converts an error of the client; `server` is the server it was connected to.
    pub(crate) fn of(server: &str) -> impl Fn(postgres::Error) -> Error + '_ {
        let server = move || server.to_owned();
        move |source| match source.code() {
            None if is_of_connection(&source) => Error::Connection {
                server: server(),
                source,
            },
            Some(&SqlState::INSUFFICIENT_PRIVILEGE) => Error::Denied(source),
            Some(&SqlState::READ_ONLY_SQL_TRANSACTION) => Error::ReadOnly {
                server: server(),
                source,
            },
            Some(&SqlState::INVALID_SCHEMA_NAME | &SqlState::UNDEFINED_TABLE) => Error::NotShared,
            Some(code) if gives_way(code) => Error::Busy(source),
            Some(code) if is_lost(code) => Error::Connection {
                server: server(),
                source,
            },
            Some(code) if code.code().starts_with("28") => Error::Authentication {
                server: server(),
                source,
            },
            _ => Error::Server(source),
        }
    }

    /// The same for an error of connecting.
    pub(crate) fn of_login(server: &str) -> impl Fn(postgres::Error) -> Error + '_ {
        move |source| match source.code() {
            // Without an answer of the server, what is left is its certificate, or the password
            // that is missing.
            None if is_of_tls(&source) || !is_of_connection(&source) => Error::Authentication {
                server: server.to_owned(),
                source,
            },
            _ => Error::of(server)(source),
        }
    }
}

/// What the server said, or why the client failed: its own text is only "db error", or the step
/// that failed.
fn said(error: &postgres::Error) -> String {
    if let Some(error) = error.as_db_error() {
        return error.message().to_owned();
    }
    let steps: Vec<String> = [error.to_string()]
        .into_iter()
        .chain(causes(error).map(ToString::to_string))
        .collect();
    steps.join(": ")
}

fn causes(error: &postgres::Error) -> impl Iterator<Item = &(dyn std::error::Error + 'static)> {
    std::iter::successors(error.source(), |&cause| cause.source())
}

fn is_of_connection(error: &postgres::Error) -> bool {
    error.is_closed() || causes(error).any(|cause| cause.is::<std::io::Error>())
}

/// Whether the server's certificate was refused, or it and TLS do not go together.
fn is_of_tls(error: &postgres::Error) -> bool {
    let mut causes = causes(error).filter_map(|cause| cause.downcast_ref::<std::io::Error>());
    causes.any(|cause| {
        cause
            .get_ref()
            .is_some_and(|inner| inner.is::<rustls::Error>())
    })
}

fn gives_way(code: &SqlState) -> bool {
    [
        SqlState::LOCK_NOT_AVAILABLE,
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::T_R_DEADLOCK_DETECTED,
        SqlState::TOO_MANY_CONNECTIONS,
    ]
    .contains(code)
}

/// Whether the server is shutting down or not up yet, or heard nothing for too long.
fn is_lost(code: &SqlState) -> bool {
    let code = code.code();
    code.starts_with("08") || code.starts_with("57P") || code == "25P03"
}
