//! A connection to the shared log, and the stores announced there.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use postgres::fallible_iterator::FallibleIterator as _;
use postgres::{Client, Transaction};
use recallite::{Announced, Memory};

use crate::address::Address;
use crate::error::{Error, Failed, Result};
use crate::progress::{Handler, Progress};
use crate::read_once::ReadOnce;
use crate::schema;

/// How long a statement waits for another machine that has locked the same row, and how long the
/// server keeps the locks of a machine that it no longer hears of.
const SETTINGS: &str = "SET lock_timeout = '5s'; SET client_min_messages = warning; \
                        SET idle_in_transaction_session_timeout = '60s'; \
                        SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; \
                        SET tcp_keepalives_count = 3";

/// At most so many stores that are no members are listed: any account may add some.
pub(crate) const MAX_STRANGERS: i64 = 1_000;

/// A connection to a PostgreSQL that several memories share.
///
/// It belongs to one thread at a time. After [`Error::Connection`] connect again; nothing
/// is lost and nothing is there twice.
pub struct Server {
    pub(crate) client: Client,
    pub(crate) address: Address,
    /// Whether the tables are known to be there.
    is_checked: bool,
    is_listening: bool,
    /// By the identity of a store: when its records on the server were last counted.
    pub(crate) counted: HashMap<String, Instant>,
    /// By the identity of a store: the answers that it has on the server.
    pub(crate) answered: HashMap<String, Vec<String>>,
    /// By the identity of a store: what it has read on this connection.
    pub(crate) read: HashMap<String, ReadOnce>,
    pub(crate) handler: Option<Handler>,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Server")
            .field(&self.address.shown())
            .finish()
    }
}

/// Converts an error of a call to the client.
pub(crate) fn failure(address: &Address) -> impl Fn(postgres::Error) -> Error + '_ {
    Error::of(address.shown())
}

impl Server {
    /// Connects.
    ///
    /// # Errors
    /// [`Error::Address`]; [`Error::Connection`] and [`Error::NoAnswer`], which may pass;
    /// [`Error::Authentication`], and [`Error::Denied`] when the account may not use the database;
    /// [`Error::Server`] when there is no such database.
    pub fn connect(address: &str) -> Result<Server> {
        let address = Address::parse(address)?;
        let mut client = address.connect()?;
        client.batch_execute(SETTINGS).map_err(failure(&address))?;
        Ok(Server {
            client,
            address,
            is_checked: false,
            is_listening: false,
            counted: HashMap::new(),
            answered: HashMap::new(),
            read: HashMap::new(),
            handler: None,
        })
    }

    /// The server and the database, without the password.
    pub fn address(&self) -> &str {
        self.address.shown()
    }

    /// Whether both are connected to one database, under whatever names of its server.
    ///
    /// # Errors
    /// [`Error::Connection`].
    pub fn is_same_database(&mut self, other: &mut Server) -> Result<bool> {
        Ok(self.running_database()? == other.running_database()?)
    }

    /// What no two databases have in common: when its server was started, to the microsecond, and
    /// its number there.
    fn running_database(&mut self) -> Result<(i64, u32)> {
        let statement = "SELECT (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::int8, \
                         oid FROM pg_database WHERE datname = current_database()";
        let failed = failure(&self.address);
        let row = self.client.query_one(statement, &[]).map_err(failed)?;
        Ok((row.get(0), row.get(1)))
    }

    /// Makes the tables in the schema `recallite`, or brings them to this version: once, by
    /// the owner of the database. All else is left alone.
    ///
    /// # Errors
    /// [`Error::Denied`] when the account may not make a schema, [`Error::NewerSchema`],
    /// [`Error::Encoding`].
    pub fn init(&mut self) -> Result<()> {
        let failed = failure(&self.address);
        let mut tx = self.client.transaction().map_err(&failed)?;
        schema::migrate(&mut tx, &failed)?;
        tx.commit().map_err(&failed)?;
        self.is_checked = true;
        Ok(())
    }

    /// Makes a memory known under a name, so that others can take it as a member.
    ///
    /// # Errors
    /// [`Error::OtherAccount`] when another account did so before; [`Error::NotShared`],
    /// [`Error::Denied`].
    pub fn announce(&mut self, memory: &Memory, name: &str) -> Result<()> {
        let announcement = memory.sharing().announcement(name)?;
        let identity = memory.sharing().identity()?;
        self.in_transaction(|tx, failed| {
            let statement = "INSERT INTO recallite.store (identity, announcement) VALUES ($1, $2) \
                             ON CONFLICT (identity) DO NOTHING";
            tx.execute(statement, &[&identity, &announcement])
                .map_err(failed)?;
            let statement = "UPDATE recallite.store SET announcement = $2 WHERE identity = $1";
            match tx
                .execute(statement, &[&identity, &announcement])
                .map_err(failed)?
            {
                0 => Err(Error::OtherAccount {
                    identity: identity.clone(),
                }),
                _ => Ok(()),
            }
        })
    }

    /// Who made itself known, in the order of identities, `memory` included; of more than 1,000
    /// stores, those that did so first. A name is what its store says of itself: compare
    /// identities before you add a member.
    ///
    /// # Errors
    /// [`Error::NotShared`], [`Error::Denied`].
    pub fn announced(&mut self, memory: &Memory) -> Result<Vec<Announced>> {
        let rows = self.in_transaction(|tx, failed| {
            let statement = "SELECT identity, announcement FROM (SELECT identity, announcement \
                             FROM recallite.store ORDER BY id LIMIT $1) AS first \
                             ORDER BY identity";
            tx.query(statement, &[&MAX_STRANGERS]).map_err(failed)
        })?;
        let sharing = memory.sharing();
        let mut announced = Vec::new();
        for row in rows {
            // An announcement that its store did not sign is ignored.
            if let Ok(member) = sharing.read_announcement(row.get(1))
                && member.identity == row.get::<_, &str>(0)
            {
                announced.push(member);
            }
        }
        Ok(announced)
    }

    /// Waits until another machine has pushed something, at most so long. It only wakes:
    /// what there is, [`Server::pull`] finds without it.
    ///
    /// # Errors
    /// [`Error::Connection`].
    pub fn wait(&mut self, at_most: Duration) -> Result<bool> {
        let failed = failure(&self.address);
        if !self.is_listening {
            self.client
                .batch_execute("LISTEN recallite")
                .map_err(&failed)?;
            self.is_listening = true;
            // Something may have arrived earlier.
            return Ok(true);
        }
        let mut notifications = self.client.notifications();
        let woken = notifications
            .timeout_iter(at_most)
            .next()
            .map_err(&failed)?;
        // A single pull receives everything that has arrived.
        while notifications.iter().next().map_err(&failed)?.is_some() {}
        Ok(woken.is_some())
    }

    /// Runs work in a transaction, on tables of this version.
    pub(crate) fn in_transaction<T>(
        &mut self,
        act: impl FnOnce(&mut Transaction<'_>, Failed<'_>) -> Result<T>,
    ) -> Result<T> {
        let failed = failure(&self.address);
        let mut tx = self.client.transaction().map_err(&failed)?;
        // Their owner may bring them to another version while this connection lasts.
        match self.is_checked {
            true => schema::check_version(&mut tx, &failed)?,
            false => schema::check(&mut tx, &failed)?,
        }
        let done = act(&mut tx, &failed)?;
        tx.commit().map_err(&failed)?;
        self.is_checked = true;
        Ok(done)
    }

    /// Sets the function that is told how far [`Server::push`] and [`Server::pull`] have come, after
    /// each of their transactions with records, on the thread that calls them; `None` removes it.
    pub fn set_progress_handler(&mut self, handler: Option<Box<dyn FnMut(Progress) + Send>>) {
        self.handler = handler;
    }

    pub(crate) fn tell(&mut self, progress: Progress) {
        if let Some(handler) = &mut self.handler {
            handler(progress);
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
#[allow(clippy::unwrap_used)]
mod tests {
    use recallite::{EventKind, NewEvent};

    use super::*;
    use crate::push::COUNTED_EVERY;
    use crate::test_server::{OWNER, Postgres};

    /// A watch keeps its connection for days.
    #[test]
    fn what_was_lost_is_noticed_on_a_connection_that_goes_on() {
        let postgres = Postgres::start();
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path()).unwrap();
        let said = NewEvent::new(EventKind::UserPrompt, "s", "apples cost one euro");
        memory.append(said).unwrap();
        let mut server = Server::connect(&postgres.url(OWNER)).unwrap();
        server.init().unwrap();
        server.announce(&memory, "laptop").unwrap();
        assert_eq!(server.push(&memory).unwrap().records, 1);
        let lost = "TRUNCATE recallite.record";
        postgres.sql(OWNER).batch_execute(lost).unwrap();
        assert_eq!(server.push(&memory).unwrap().records, 0, "not counted yet");
        for counted in server.counted.values_mut() {
            *counted = counted.checked_sub(COUNTED_EVERY).unwrap();
        }
        assert_eq!(server.push(&memory).unwrap().records, 1);
        assert_eq!(server.push(&memory).unwrap().records, 0);
    }

    /// A laptop that is closed in the middle of a push.
    #[test]
    fn what_a_silent_connection_had_not_committed_is_given_up_and_pushed_again() {
        let postgres = Postgres::start();
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path()).unwrap();
        let said = NewEvent::new(EventKind::UserPrompt, "s", "apples cost one euro");
        memory.append(said).unwrap();
        let mut server = Server::connect(&postgres.url(OWNER)).unwrap();
        server.init().unwrap();
        server.announce(&memory, "laptop").unwrap();
        let limit = "SET idle_in_transaction_session_timeout = '100ms'";
        server.client.batch_execute(limit).unwrap();
        let count = "SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction'";
        let lost = server.in_transaction(|tx, failed| {
            let begun = "UPDATE recallite.store SET pushed_through = 1, progress = 'x'";
            tx.execute(begun, &[]).map_err(failed)?;
            // Its server alone decides when it has waited long enough.
            let mut other = postgres.sql(OWNER);
            while other.query_one(count, &[]).unwrap().get::<_, i64>(0) > 0 {
                std::thread::sleep(Duration::from_millis(20));
            }
            tx.execute("SELECT 1", &[]).map_err(failed)
        });
        let lost = lost.unwrap_err();
        assert!(matches!(lost, Error::Connection { .. }), "{lost}");
        assert!(lost.is_transient());
        let mut server = Server::connect(&postgres.url(OWNER)).unwrap();
        assert_eq!(server.push(&memory).unwrap().records, 1);
        assert_eq!(server.push(&memory).unwrap().records, 0);
    }
}
