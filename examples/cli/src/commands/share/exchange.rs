//! Where memories are shared: a folder that all machines can access, or a server.

use std::path::PathBuf;
use std::time::Duration;

use recallite::{Announced, ErrorCode, Memory, Pulled, Pushed};
use recallite_postgres::{self as server, Server};
use serde_json::{Value, json};

use crate::arguments::Place;
use crate::failure::{Failure, Outcome};
use crate::files;

/// The file in the store's folder that records where it is shared.
const PLACE_FILE: &str = "share.json";

/// The pause after a notification of a server.
const SHORTEST_PAUSE: Duration = Duration::from_millis(100);

/// Where a memory is shared.
#[derive(Clone, Debug)]
pub(super) enum Meeting {
    Folder(PathBuf),
    /// An address, perhaps with a password.
    Server(String),
}

/// An open place where memories are shared.
pub(super) enum Exchange {
    Folder(PathBuf),
    Server(Box<Server>),
}

/// What was sent to others.
pub(super) enum Sent {
    Folder(Pushed),
    Server(server::Pushed),
}

impl Meeting {
    /// Where a memory begins to be shared. A missing folder is created.
    pub(super) fn new(text: &str) -> Outcome<Meeting> {
        Meeting::parse(text, true)
    }

    /// Where others share already.
    pub(super) fn existing(text: &str) -> Outcome<Meeting> {
        Meeting::parse(text, false)
    }

    /// Parses the user's argument.
    fn parse(text: &str, may_create: bool) -> Outcome<Meeting> {
        let lower = text.to_lowercase();
        if lower.starts_with("postgres://") || lower.starts_with("postgresql://") {
            return Ok(Meeting::Server(text.to_owned()));
        }
        let folder = PathBuf::from(text);
        if looks_like_an_address(&lower) && !folder.is_dir() {
            // It may contain a password, which nobody else may see.
            return Err(Failure::usage(
                "the place must be a folder that all machines can access, or \
                 postgres://user@host/database",
            ));
        }
        if may_create {
            std::fs::create_dir_all(&folder).map_err(|error| Failure::io(&folder, &error))?;
        } else if !folder.exists() {
            return Err(Failure::not_found(format!(
                "{} does not exist, so nothing is shared there; check the path, or begin with \
                 `recallite share init`",
                folder.display()
            )));
        }
        let folder = folder
            .canonicalize()
            .map_err(|error| Failure::io(&folder, &error))?;
        Ok(Meeting::Folder(folder))
    }

    /// Where this memory is shared.
    pub(super) fn of(place: &Place) -> Outcome<Meeting> {
        let file = place_file(place)?;
        let text = std::fs::read_to_string(&file).map_err(|_| {
            Failure::not_found(
                "this memory is not shared; start with `recallite share init PLACE` or \
                 `recallite share join PLACE`",
            )
        })?;
        let value: Value = serde_json::from_str(&text).unwrap_or_default();
        match (value["folder"].as_str(), value["server"].as_str()) {
            (Some(folder), _) => Ok(Meeting::Folder(PathBuf::from(folder))),
            (None, Some(address)) => Ok(Meeting::Server(address.to_owned())),
            (None, None) => Err(Failure::said(format!(
                "{} is damaged; run `recallite share join PLACE` to write it again",
                file.display()
            ))),
        }
    }

    /// Saves it for the next call, readable only by the owner, because it may contain a password.
    pub(super) fn keep(&self, place: &Place) -> Outcome {
        let file = place_file(place)?;
        let text = match self {
            Meeting::Folder(folder) => json!({ "folder": folder.to_string_lossy() }),
            Meeting::Server(address) => json!({ "server": address }),
        };
        files::write_private(&file, &text.to_string())
    }

    /// Where this memory was shared before, if that was elsewhere. The address of a server may hold a
    /// password.
    pub(super) fn elsewhere_before(&self, place: &Place) -> Option<String> {
        match (Meeting::of(place).ok()?, self) {
            (Meeting::Folder(before), Meeting::Folder(now)) if before == *now => None,
            (Meeting::Server(before), Meeting::Server(now)) if before == *now => None,
            (Meeting::Folder(before), _) => Some(before.display().to_string()),
            (Meeting::Server(_), _) => Some("another server".into()),
        }
    }

    pub(super) fn reach(&self) -> Outcome<Exchange> {
        Ok(match self {
            Meeting::Folder(folder) => Exchange::Folder(folder.clone()),
            Meeting::Server(address) => Exchange::Server(Box::new(Server::connect(address)?)),
        })
    }
}

/// Whether a text, in small letters, was meant as the address of a server rather than as a folder.
fn looks_like_an_address(lower: &str) -> bool {
    let begins = ["postgres:", "postgres//", "postgresql:", "postgresql//"];
    lower.contains("://")
        || lower.contains("password=")
        || begins.iter().any(|begin| lower.starts_with(begin))
}

fn place_file(place: &Place) -> Outcome<PathBuf> {
    Ok(place.folder()?.join(PLACE_FILE))
}

impl Exchange {
    /// The form without a password.
    pub(super) fn shown(&self) -> String {
        match self {
            Exchange::Folder(folder) => folder.display().to_string(),
            Exchange::Server(server) => server.address().to_owned(),
        }
    }

    /// Prepares the place for others to join.
    pub(super) fn begin(&mut self) -> Outcome {
        match self {
            Exchange::Folder(_) => Ok(()),
            Exchange::Server(server) => Ok(server.init()?),
        }
    }

    pub(super) fn announce(&mut self, memory: &Memory, name: &str) -> Outcome {
        match self {
            Exchange::Folder(folder) => Ok(memory.sharing().announce(folder, name)?),
            Exchange::Server(server) => Ok(server.announce(memory, name)?),
        }
    }

    fn announced(&mut self, memory: &Memory) -> Outcome<Vec<Announced>> {
        Ok(match self {
            Exchange::Folder(folder) => {
                let announced = memory.sharing().announced(folder);
                announced.map_err(Failure::of_place)?
            }
            Exchange::Server(server) => server.announced(memory)?,
        })
    }

    /// Whether nobody, not even this store, was announced there.
    pub(super) fn is_empty(&mut self, memory: &Memory) -> Outcome<bool> {
        match self {
            Exchange::Folder(folder) if folder.is_dir() => {
                match memory.sharing().announced(folder) {
                    // It contains no shared memory.
                    Err(error) if error.code() == ErrorCode::InvalidArgument => Ok(true),
                    announced => Ok(announced.map_err(Failure::of_place)?.is_empty()),
                }
            }
            _ => Ok(self.announced(memory)?.is_empty()),
        }
    }

    /// The stores announced there, except this one.
    pub(super) fn others(&mut self, memory: &Memory) -> Outcome<Vec<Announced>> {
        let mut announced = self.announced(memory)?;
        let own = memory.sharing().identity()?;
        announced.retain(|other| other.identity != own);
        Ok(announced)
    }

    /// The name under which this store is announced there, if the place can be read: what is wrong
    /// with it is told when something is written.
    pub(super) fn own_name(&mut self, memory: &Memory) -> Option<String> {
        let own = memory.sharing().identity().ok()?;
        let mut announced = self.announced(memory).ok()?.into_iter();
        let this = announced.find(|one| one.identity == own)?;
        Some(this.name)
    }

    pub(super) fn push(&mut self, memory: &Memory) -> Outcome<Sent> {
        Ok(match self {
            Exchange::Folder(folder) => {
                let sent = memory.sharing().push_folder(folder);
                Sent::Folder(sent.map_err(Failure::of_place)?)
            }
            Exchange::Server(server) => Sent::Server(server.push(memory)?),
        })
    }

    /// Receives new records, and carries out erasures that others ordered, even if one member's
    /// records cannot be received.
    pub(super) fn pull(&mut self, memory: &Memory) -> Outcome<Pulled> {
        let pulled = match self {
            Exchange::Folder(folder) => {
                let pulled = memory.sharing().pull_folder(folder);
                pulled.map_err(Failure::of_place)
            }
            Exchange::Server(server) => server.pull(memory).map_err(Failure::from),
        };
        let erased = memory.sharing().erase_ordered();
        let pulled = pulled?;
        erased?;
        Ok(pulled)
    }

    /// Waits until there may be something new, at most for the length of a pause.
    pub(super) fn wait(&mut self, pause: Duration) -> Outcome {
        match self {
            Exchange::Folder(_) => std::thread::sleep(pause),
            // Any account can notify the others, but not make them pull without a pause.
            Exchange::Server(server) => {
                if server.wait(pause)? {
                    std::thread::sleep(SHORTEST_PAUSE);
                }
            }
        }
        Ok(())
    }

    /// The server.
    ///
    /// # Errors
    /// A folder has no accounts.
    pub(super) fn server(&mut self) -> Outcome<&mut Server> {
        match self {
            Exchange::Server(server) => Ok(server),
            Exchange::Folder(folder) => Err(Failure::usage(format!(
                "this memory is shared through the folder {}, which has no accounts; its file \
                 permissions decide who can read it",
                folder.display()
            ))),
        }
    }
}

impl Sent {
    /// Whether anything changed there.
    pub(super) fn is_nothing(&self) -> bool {
        match self {
            Sent::Folder(pushed) => pushed.records + pushed.rewritten == 0,
            Sent::Server(pushed) => pushed.records + pushed.removed + pushed.rewritten == 0,
        }
    }
}
