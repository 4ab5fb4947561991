//! Stores that share over a real PostgreSQL.
#![allow(dead_code, clippy::unwrap_used)]

pub mod server;

use recallite::{EventKind, MemberRole, Memory, NewEvent};
use recallite_postgres::Server;

pub use server::{OWNER, Postgres};

impl Postgres {
    pub fn connect(&self, account: &str) -> Server {
        Server::connect(&self.url(account)).unwrap()
    }
}

/// A memory and its folder.
pub struct Store {
    pub memory: Memory,
    pub folder: tempfile::TempDir,
}

impl Store {
    pub fn new() -> Store {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(folder.path()).unwrap();
        Store { memory, folder }
    }

    pub fn identity(&self) -> String {
        self.memory.sharing().identity().unwrap()
    }

    pub fn say(&self, project: &str, text: &str) -> recallite::Appended {
        let event = NewEvent::new(EventKind::UserPrompt, "s", text).project(project);
        self.memory.append(event).unwrap()
    }

    /// Whether a search finds a text literally.
    pub fn finds(&self, text: &str) -> bool {
        let found = self.memory.search(text).unwrap().items;
        found.iter().any(|hit| hit.passage.text.contains(text))
    }

    pub fn hash(&self) -> String {
        self.memory.sharing().shared_hash().unwrap()
    }

    pub fn take(&self, others: &[&Store]) {
        for other in others {
            let sharing = self.memory.sharing();
            sharing
                .add_member(&other.identity(), "m", MemberRole::Owner)
                .unwrap();
        }
    }

    /// A memory that comes later, knows the others and pulls what they have shared.
    pub fn late(postgres: &Postgres, others: &[&Store]) -> Store {
        let late = Store::new();
        late.take(others);
        let mut server = postgres.connect(OWNER);
        server.announce(&late.memory, "late").unwrap();
        late.pull(&mut server);
        late
    }

    /// Pulls, and carries out what others had erased.
    pub fn pull(&self, server: &mut Server) -> recallite::Pulled {
        let pulled = server.pull(&self.memory).unwrap();
        self.memory.sharing().erase_ordered().unwrap();
        pulled
    }
}

/// Two memories of one account that take each other's records, and a connection for each.
pub fn two(postgres: &Postgres) -> ([Store; 2], [Server; 2]) {
    let stores = [Store::new(), Store::new()];
    stores[0].take(&[&stores[1]]);
    stores[1].take(&[&stores[0]]);
    let mut servers = [postgres.connect(OWNER), postgres.connect(OWNER)];
    servers[0].init().unwrap();
    for (store, server) in stores.iter().zip(&mut servers) {
        server.announce(&store.memory, "m").unwrap();
    }
    (stores, servers)
}
