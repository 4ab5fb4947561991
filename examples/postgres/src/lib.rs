//! One Recallite memory on several machines, over a PostgreSQL that they share.
//!
//! Each machine keeps its own memory, in a folder, and works on it without a network. A
//! [`Server`] is a shared log between them: [`Server::push`] writes there what this memory
//! recorded, [`Server::pull`] takes what others did, and [`Server::wait`] tells when there
//! is something new. Nothing conflicts, and nothing has to be on the server in any order.
//!
//! ```no_run
//! use recallite::{MemberRole, Memory};
//! use recallite_postgres::Server;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let memory = Memory::open("./memory")?;
//! let mut server = Server::connect("postgres://ada@db.example.org/memory")?;
//! server.init()?; // once, by the owner of the database
//! server.announce(&memory, "laptop")?;
//! let own = memory.sharing().identity()?;
//! for other in server.announced(&memory)?.iter().filter(|other| other.identity != own) {
//!     memory.sharing().add_member(&other.identity, &other.name, MemberRole::Owner)?;
//! }
//! server.push(&memory)?;
//! server.pull(&memory)?;
//! memory.sharing().erase_ordered()?;
//! # Ok(())
//! # }
//! ```
//!
//! # What the server sees, and who sees what
//!
//! The server holds the records of the log as text, each with the signature of the store
//! that recorded it: whoever administers it can read them, and leave some out, but change
//! none. Row-level security gives each account the records of its own stores and those of
//! the projects that were granted to it with [`Server::grant`], and an account can take out
//! only what its own stores recorded. [`Server::push`] sends only records of projects that were
//! granted to its account and of none; of this, the database knows nothing, so an account that
//! writes there by itself may put a record of its own store under any project. Whose records a
//! memory believes is still its own list of members.
//!
//! # The connection
//!
//! An address is `postgres://user:password@host:port/database`; the password may come from
//! `PGPASSWORD`. Servers that are not on this machine are reached by TLS, and must show a
//! certificate for their name, of the system's authorities or of the file that the
//! parameter `sslrootcert` names. `sslmode=disable` switches that off.

#[cfg(all(test, target_os = "linux"))]
#[path = "../tests/common/server.rs"]
mod test_server;

mod access;
mod address;
mod answers;
mod error;
mod positions;
mod progress;
mod pull;
mod push;
mod read_once;
mod schema;
mod seen;
mod server;

pub use access::Access;
pub use error::{Error, Result};
pub use progress::Progress;
pub use push::Pushed;
pub use schema::VERSION;
pub use server::Server;
