//! Where memories are shared: a folder that all machines can access, or a server.

use std::path::{Path, PathBuf};
use std::time::Duration;

use recallite::{Announced, Erased, ErrorCode, Memory, Pulled, Pushed, Seq};
use recallite_postgres::{self as server, Server};
use serde_json::{Value, json};

use crate::arguments::Place;
use crate::busy::Busy;
use crate::failure::{Failure, Outcome};
use crate::files;

/// The file in the store's folder that records where it is shared.
const PLACE_FILE: &str = "share.json";

/// The file in a machine's folder that says who it is.
const MEMBER_FILE: &str = "member.json";

/// The pause of a folder, which notifies nobody: what one machine records waits for its pause and for
/// that of the other, and both together stay well below a second.
const FOLDER_PAUSE: Duration = Duration::from_millis(250);

/// The pause after a notification of a server.
const MIN_PAUSE: Duration = Duration::from_millis(100);

/// Where a memory is shared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Meeting {
    Folder(SharedFolder),
    /// An address, perhaps with a password.
    Server(String),
}

/// A folder in which memories are shared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SharedFolder {
    path: PathBuf,
    /// What this machine is called there, once it is known.
    name: Option<String>,
}

/// An open place where memories are shared.
pub(super) enum Exchange {
    Folder(SharedFolder),
    Server(Box<Server>),
}

/// What was sent to others.
pub(super) enum Sent {
    Folder(Pushed),
    Server(server::Pushed),
}

/// What came from others, and what became of the erasures that they ordered.
pub(super) struct Received {
    pub(super) pulled: Pulled,
    pub(super) erased: Erased,
}

impl Meeting {
    /// Where a memory begins to be shared. A missing folder is created.
    pub(super) fn new(place: &Place, text: &str) -> Outcome<Meeting> {
        Meeting::parse(text, Some(place.folder()?))
    }

    /// Where others share already.
    pub(super) fn existing(text: &str) -> Outcome<Meeting> {
        Meeting::parse(text, None)
    }

    /// Parses the user's argument. A missing folder is created outside of a store's, if one is given.
    fn parse(text: &str, store: Option<PathBuf>) -> Outcome<Meeting> {
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
        if let Some(store) = store {
            // The library says so, too, but then the folder is there.
            if files::lies_in(&folder, &store) {
                return Err(Failure::usage(format!(
                    "{} lies in the store's own folder; share through a folder elsewhere",
                    folder.display()
                )));
            }
            std::fs::create_dir_all(&folder).map_err(|error| Failure::io(&folder, &error))?;
        } else if !folder.exists() {
            return Err(Failure::not_found(format!(
                "{} does not exist, so nothing is shared there; check the path, or begin with \
                 `recallite share init`",
                folder.display()
            )));
        }
        let path = folder
            .canonicalize()
            .map_err(|error| Failure::io(&folder, &error))?;
        if path.to_str().is_none() {
            return Err(Failure::usage(format!(
                "the path {} is not valid UTF-8; rename the folder",
                path.display()
            )));
        }
        Ok(Meeting::Folder(SharedFolder { path, name: None }))
    }

    /// Where this memory is shared.
    pub(super) fn of(place: &Place) -> Outcome<Meeting> {
        let file = place_file(place)?;
        let text = std::fs::read(&file).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Failure::not_found(
                "this memory is not shared; start with `recallite share init PLACE` or \
                 `recallite share join PLACE`",
            ),
            _ => Failure::io(&file, &error),
        })?;
        let value: Value = serde_json::from_slice(&text).unwrap_or_default();
        match (value["folder"].as_str(), value["server"].as_str()) {
            (Some(folder), _) => Ok(Meeting::Folder(SharedFolder {
                path: PathBuf::from(folder),
                name: value["name"].as_str().map(str::to_owned),
            })),
            (None, Some(address)) => Ok(Meeting::Server(address.to_owned())),
            (None, None) => Err(Failure::said(format!(
                "{} is damaged; run `recallite share join PLACE` to write it again",
                file.display()
            ))),
        }
    }

    /// Saves it for the next call, with the name of this machine there. Only the owner can read it,
    /// because it may contain a password.
    pub(super) fn keep(&self, place: &Place, name: &str) -> Outcome {
        let file = place_file(place)?;
        let text = match self {
            Meeting::Folder(folder) => json!({ "folder": folder.path.to_str(), "name": name }),
            Meeting::Server(address) => json!({ "server": address, "name": name }),
        };
        files::write_private(&file, &text.to_string())
    }

    /// Where this memory was shared before, if that was elsewhere; `now` is this place.
    pub(super) fn elsewhere_before(&self, place: &Place, now: &mut Exchange) -> Option<Meeting> {
        let before = Meeting::of(place).ok()?;
        let is_same = match (&before, self) {
            (Meeting::Folder(before), Meeting::Folder(now)) => before.path == now.path,
            (Meeting::Server(before), Meeting::Server(address)) => {
                database(before) == database(address) || now.is_database_of(before)
            }
            _ => false,
        };
        (!is_same).then_some(before)
    }

    /// What a message calls it. The address of a server may hold a password.
    pub(super) fn called(&self) -> String {
        match self {
            Meeting::Folder(folder) => folder.path.display().to_string(),
            Meeting::Server(_) => "another server".to_owned(),
        }
    }

    /// How what the store with this identity wrote there is removed.
    pub(super) fn removal(&self, identity: &str) -> String {
        match self {
            Meeting::Folder(folder) => {
                format!("delete {}", folder.machines().join(identity).display())
            }
            Meeting::Server(_) => format!("run SELECT recallite.leave('{identity}') there"),
        }
    }

    /// Whether anyone shares there, as far as that is seen without a memory: none is made for a place
    /// that cannot be joined.
    pub(super) fn may_be_joined(&self) -> bool {
        match self {
            Meeting::Folder(folder) => folder.has_members(),
            Meeting::Server(_) => true,
        }
    }

    pub(super) fn reach(&self) -> Outcome<Exchange> {
        Ok(match self {
            Meeting::Folder(folder) => Exchange::Folder(folder.clone()),
            Meeting::Server(address) => Exchange::Server(Box::new(Server::connect(address)?)),
        })
    }
}

impl SharedFolder {
    /// The folders of the machines that share there.
    fn machines(&self) -> PathBuf {
        self.path.join("recallite-share")
    }

    fn has_members(&self) -> bool {
        let machines = std::fs::read_dir(self.machines()).into_iter().flatten();
        let mut machines = machines.filter_map(Result::ok);
        machines.any(|machine| machine.path().join(MEMBER_FILE).exists())
    }

    /// Sends what is new. If what this machine said about itself is gone or damaged, it says again who
    /// it is: others can join only those who did.
    fn push(&self, memory: &Memory) -> recallite::Result<Pushed> {
        let sharing = memory.sharing();
        let pushed = sharing.push_folder(&self.path)?;
        if let Some(name) = &self.name
            && !self.is_announced(memory)?
        {
            sharing.announce(&self.path, name)?;
        }
        Ok(pushed)
    }

    /// How many positions of this store's log a push has passed, and how many there are.
    fn pushed(&self, memory: &Memory) -> Option<(u64, u64)> {
        let own = memory.sharing().identity().ok()?;
        let Seq(total) = memory.wait_for_change(Seq(0), Duration::ZERO).ok()?;
        Some((last_position(&self.machines().join(own)), total))
    }

    /// How many positions of the logs of all members were received, and how many there are.
    fn pulled(&self, memory: &Memory) -> Option<(u64, u64)> {
        let marks = memory.sharing().watermarks().ok()?;
        let (mut done, mut total) = (0, 0);
        for mark in marks {
            let last = last_position(&self.machines().join(mark.identity));
            done += mark.position.min(last);
            total += last;
        }
        Some((done, total))
    }

    fn is_announced(&self, memory: &Memory) -> recallite::Result<bool> {
        let own = memory.sharing().identity()?;
        let announced = memory.sharing().announced(&self.path)?;
        Ok(announced.iter().any(|one| one.identity == own))
    }
}

/// Has a server show how far it has come.
fn tell(server: &mut Server, busy: &Busy) {
    server.set_progress_handler(busy.bar().map(|show| -> Box<dyn FnMut(_) + Send> {
        Box::new(move |progress: server::Progress| show(progress.done, progress.total))
    }));
}

/// The last position in the names of a machine's files.
fn last_position(machine: &Path) -> u64 {
    let files = std::fs::read_dir(machine).into_iter().flatten();
    let names = files.filter_map(|file| file.ok()?.file_name().into_string().ok());
    let position = |name: String| {
        let through = name.split('-').nth(1)?;
        u64::from_str_radix(through, 16).ok()
    };
    names.filter_map(position).max().unwrap_or(0)
}

/// The host and the database in an address, whoever logs in and however.
fn database(address: &str) -> &str {
    let address = address.split('?').next().unwrap_or(address);
    let behind_scheme = address.split_once("://").map_or(address, |(_, rest)| rest);
    // In a name or a password it is written as %40.
    behind_scheme.rsplit('@').next().unwrap_or(behind_scheme)
}

/// What this machine was called where its memory is shared.
pub(super) fn name_before(place: &Place) -> Option<String> {
    let text = std::fs::read(place_file(place).ok()?).ok()?;
    let value: Value = serde_json::from_slice(&text).ok()?;
    value["name"].as_str().map(str::to_owned)
}

/// Whether a text, in small letters, was meant as the address of a server rather than as a folder.
fn looks_like_an_address(lower: &str) -> bool {
    let begins = ["postgres:", "postgres//", "postgresql:", "postgresql//"];
    // A drive of Windows is followed by a colon, too.
    let behind_drive = match lower.as_bytes() {
        [_, b':', b'/' | b'\\', ..] => &lower[2..],
        _ => lower,
    };
    lower.contains("://")
        || lower.contains("password=")
        || begins.iter().any(|begin| lower.starts_with(begin))
        || (behind_drive.contains('@') && behind_drive.contains(':'))
}

fn place_file(place: &Place) -> Outcome<PathBuf> {
    Ok(place.folder()?.join(PLACE_FILE))
}

impl Exchange {
    /// Whether this is the database with another address. Of one that cannot be reached, nobody
    /// knows.
    fn is_database_of(&mut self, address: &str) -> bool {
        let Exchange::Server(server) = self else {
            return false;
        };
        let same =
            Server::connect(address).and_then(|mut other| server.is_same_database(&mut other));
        same.unwrap_or(false)
    }

    /// The form without a password.
    pub(super) fn shown(&self) -> String {
        match self {
            Exchange::Folder(folder) => folder.path.display().to_string(),
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
            Exchange::Folder(folder) => Ok(memory.sharing().announce(&folder.path, name)?),
            Exchange::Server(server) => Ok(server.announce(memory, name)?),
        }
    }

    fn announced(&mut self, memory: &Memory) -> Outcome<Vec<Announced>> {
        Ok(match self {
            Exchange::Folder(folder) => {
                let announced = memory.sharing().announced(&folder.path);
                announced.map_err(Failure::of_place)?
            }
            Exchange::Server(server) => server.announced(memory)?,
        })
    }

    /// Whether nobody, not even this store, was announced there.
    pub(super) fn is_empty(&mut self, memory: &Memory) -> Outcome<bool> {
        match self {
            Exchange::Folder(folder) if folder.path.is_dir() => {
                match memory.sharing().announced(&folder.path) {
                    // It contains no shared memory.
                    Err(error) if error.code() == ErrorCode::InvalidArgument => Ok(true),
                    announced => Ok(announced.map_err(Failure::of_place)?.is_empty()),
                }
            }
            _ => Ok(self.announced(memory)?.is_empty()),
        }
    }

    /// The stores announced there, except this one.
    fn others(&mut self, memory: &Memory) -> Outcome<Vec<Announced>> {
        let mut announced = self.announced(memory)?;
        let own = memory.sharing().identity()?;
        announced.retain(|other| other.identity != own);
        Ok(announced)
    }

    /// The stores announced there that are not members yet.
    pub(super) fn strangers(&mut self, memory: &Memory) -> Outcome<Vec<Announced>> {
        let members = memory.sharing().members()?;
        let mut others = self.others(memory)?;
        others.retain(|other| {
            let mut members = members.iter();
            !members.any(|member| member.identity == other.identity)
        });
        Ok(others)
    }

    /// The name under which this store is announced there, if the place can be read: what is wrong
    /// with it is told when something is written.
    pub(super) fn own_name(&mut self, memory: &Memory) -> Option<String> {
        let own = memory.sharing().identity().ok()?;
        let mut announced = self.announced(memory).ok()?.into_iter();
        let this = announced.find(|one| one.identity == own)?;
        Some(this.name)
    }

    pub(super) fn push(&mut self, memory: &Memory, busy: &Busy) -> Outcome<Sent> {
        Ok(match self {
            Exchange::Folder(folder) => {
                let pushed = busy.looking(|| folder.pushed(memory), || folder.push(memory));
                Sent::Folder(pushed.map_err(Failure::of_place)?)
            }
            Exchange::Server(server) => {
                tell(server, busy);
                Sent::Server(server.push(memory)?)
            }
        })
    }

    /// Receives new records, and carries out erasures that others ordered, even if one member's
    /// records cannot be received.
    pub(super) fn pull(&mut self, memory: &Memory, busy: &Busy) -> Outcome<Received> {
        let pulled = match self {
            Exchange::Folder(folder) => {
                let pull = || memory.sharing().pull_folder(&folder.path);
                let pulled = busy.looking(|| folder.pulled(memory), pull);
                pulled.map_err(Failure::of_place)
            }
            Exchange::Server(server) => {
                tell(server, busy);
                server.pull(memory).map_err(Failure::from)
            }
        };
        let erased = memory.sharing().erase_ordered();
        let (pulled, erased) = (pulled?, erased?);
        Ok(Received { pulled, erased })
    }

    /// Waits until there may be something new, at most for the length of a pause.
    pub(super) fn wait(&mut self, pause: Duration) -> Outcome {
        match self {
            Exchange::Folder(_) => std::thread::sleep(pause.min(FOLDER_PAUSE)),
            // Any account can notify the others, but not make them pull without a pause.
            Exchange::Server(server) => {
                if server.wait(pause)? {
                    std::thread::sleep(MIN_PAUSE);
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
                folder.path.display()
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
