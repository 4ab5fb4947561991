//! Pauses the recording of a session or project, in the store and therefore for every
//! process.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use crate::engine::Engine;
use crate::model::codec;
use crate::model::error::{Error, Result};
use crate::model::event::{Event, EventKind};
use crate::model::json::Json;
use crate::model::lists::LIST_LIMIT;
use crate::model::time::Timestamp;
use crate::privacy::{Clean, check_name};
use crate::projection::endless::SettingPayload;
use crate::projection::pauses::PausePayload;
use crate::projection::{self, pauses};
use crate::store::log::append::Draft;
use crate::store::log::record::{RecordView, Text};
use crate::store::projected_rows::projected::Rows;
use crate::store::{ReadTx, WriteTx};
use crate::write::prepare::{SystemEvent, kept_name};
use crate::write::transcript::PARENT_SESSION;

pub use crate::projection::pauses::ScopeKind;

/// A session or a project whose recording is paused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pause {
    /// Whether it is a session or a project.
    pub scope: ScopeKind,
    /// Its name; empty if everything in it has been erased since.
    pub name: String,
    /// When it was paused.
    pub paused_at: Timestamp,
}

/// [`Pauses::pause`](crate::Pauses::pause) and [`Pauses::resume`](crate::Pauses::resume).
pub(crate) fn set(engine: &Engine, scope: ScopeKind, name: &str, is_paused: bool) -> Result<bool> {
    if scope == ScopeKind::Session && name.trim().is_empty() {
        return Err(Error::invalid("name", "must not be empty or blank"));
    }
    check_name("name", name)?;
    let name = kept_name(engine, name)?;
    let key = pauses::key(engine.store.read()?.secret(), scope, &name);
    let payload = codec::to_value(&SettingPayload {
        pauses: vec![PausePayload {
            scope,
            key: key.clone(),
            name,
            paused: is_paused,
        }],
        ..SettingPayload::default()
    });
    let word = if is_paused {
        "recording paused"
    } else {
        "recording resumed"
    };
    let draft = SystemEvent::new(engine, EventKind::SettingChanged, word, payload).draft(engine);
    engine.store.write(|tx| {
        if pauses::is_paused(&tx.projected()?, &key)? == is_paused {
            return Ok(false);
        }
        projection::append(tx, &[draft])?;
        Ok(true)
    })
}

/// The error for learning from a session or project that is paused.
pub(crate) fn refusal(paused: ScopeKind) -> Error {
    let argument = match paused {
        ScopeKind::Session => "session",
        ScopeKind::Project => "project",
    };
    Error::invalid(argument, "recording is paused for it; resume it first")
}

/// What must not be paused for something to be learned: a session and a project.
pub(crate) struct PauseKeys(Vec<(ScopeKind, String)>);

impl PauseKeys {
    /// The names are as stored.
    pub(crate) fn new(read: &ReadTx, session: Option<&str>, project: &str) -> Self {
        PauseKeys::with_secret(read.secret(), session, project)
    }

    pub(crate) fn with_secret(secret: &[u8; 32], session: Option<&str>, project: &str) -> Self {
        let session = session.map(|session| (ScopeKind::Session, session));
        let names = session.into_iter().chain([(ScopeKind::Project, project)]);
        PauseKeys(Vec::new()).and(secret, names)
    }

    /// The keys of something to be stored, also those of the project that its session was given to.
    /// No projected rows may be open.
    pub(crate) fn of_draft(tx: &WriteTx<'_>, draft: &Draft) -> Result<Self> {
        let event = &draft.event;
        let metadata = event.metadata.as_ref().map(Clean::as_str);
        let names = places(&event.session, &draft.project, metadata);
        let given = tx.given_project(&event.session)?;
        let given = given.iter().map(|name| (ScopeKind::Project, name.as_str()));
        let keys = PauseKeys(Vec::new()).and(tx.secret(), names.iter().map(Place::name));
        Ok(keys.and(tx.secret(), given))
    }

    /// The same and these projects.
    pub(crate) fn and_projects<'n>(
        self,
        read: &ReadTx,
        names: impl Iterator<Item = &'n str>,
    ) -> Self {
        self.and(read.secret(), names.map(|name| (ScopeKind::Project, name)))
    }

    /// The same and what these events belong to.
    pub(crate) fn and_events<'e>(
        self,
        secret: &[u8; 32],
        events: impl IntoIterator<Item = &'e Event>,
    ) -> Self {
        let events: Vec<Place<'e>> = events.into_iter().flat_map(places_of).collect();
        // A conversation has few of them.
        let names: BTreeSet<_> = events.iter().map(Place::name).collect();
        self.and(secret, names.into_iter())
    }

    /// The same and the sessions that started the one in which these events were said.
    pub(crate) fn and_parents<'e>(
        self,
        secret: &[u8; 32],
        events: impl IntoIterator<Item = &'e Event>,
    ) -> Self {
        let metadata = |event: &'e Event| event.metadata.as_ref().map(Json::as_str);
        let parents = events.into_iter().filter_map(metadata);
        let parents: BTreeSet<String> = parents.filter_map(parent_session).collect();
        let names = parents.iter().map(|name| (ScopeKind::Session, &**name));
        self.and(secret, names)
    }

    fn and<'n>(
        mut self,
        secret: &[u8; 32],
        names: impl Iterator<Item = (ScopeKind, &'n str)>,
    ) -> Self {
        self.0
            .extend(names.map(|(scope, name)| (scope, pauses::key(secret, scope, name))));
        self
    }

    /// Which of them is paused, if any. What is learned is written in the transaction that
    /// asks: another process may pause recording at any time.
    pub(crate) fn paused(&self, rows: &dyn Rows) -> Result<Option<ScopeKind>> {
        for (scope, key) in &self.0 {
            if pauses::is_paused(rows, key)? {
                return Ok(Some(*scope));
            }
        }
        Ok(None)
    }
}

/// One that an event belongs to and that may be paused.
pub(super) struct Place<'n>(pub(super) ScopeKind, pub(super) Cow<'n, str>);

impl Place<'_> {
    fn name(&self) -> (ScopeKind, &str) {
        (self.0, &self.1)
    }
}

/// What an event belongs to: its session, the session that started that one, as its metadata says,
/// and its project. A pause of any of them covers it, be it stored or learned from.
pub(super) fn places<'n>(
    session: &'n str,
    project: &'n str,
    metadata: Option<&str>,
) -> Vec<Place<'n>> {
    let mut places = vec![
        Place(ScopeKind::Session, session.into()),
        Place(ScopeKind::Project, project.into()),
    ];
    let parent = metadata.and_then(parent_session);
    places.extend(parent.map(|parent| Place(ScopeKind::Session, parent.into())));
    places
}

fn places_of(event: &Event) -> Vec<Place<'_>> {
    let metadata = event.metadata.as_ref().map(Json::as_str);
    places(&event.session, &event.project, metadata)
}

/// The session that an event's metadata names as the one that started its own: what a subagent does
/// belongs to a conversation, too.
fn parent_session(metadata: &str) -> Option<String> {
    if !metadata.contains(PARENT_SESSION) {
        return None;
    }
    let value: serde_json::Value = serde_json::from_str(metadata).ok()?;
    let name = value[PARENT_SESSION].as_str()?;
    (!name.trim().is_empty()).then(|| name.to_owned())
}

/// The sessions as a transaction sees them.
pub(crate) trait Sessions {
    /// The secret of the store.
    fn secret(&self) -> &[u8; 32];

    /// The project that a session was given to, if it was.
    fn given_project(&self, session: &str) -> Result<Option<String>>;
}

impl Sessions for ReadTx {
    fn secret(&self) -> &[u8; 32] {
        ReadTx::secret(self)
    }

    fn given_project(&self, session: &str) -> Result<Option<String>> {
        ReadTx::given_project(self, session)
    }
}

impl Sessions for WriteTx<'_> {
    fn secret(&self) -> &[u8; 32] {
        WriteTx::secret(self)
    }

    fn given_project(&self, session: &str) -> Result<Option<String>> {
        WriteTx::given_project(self, session)
    }
}

/// Says for many events whether they are paused, also by the project that their session was given
/// to: nothing new is learned from those. It remembers what it looked up.
pub(crate) struct PausedEvents<'a> {
    rows: &'a dyn Rows,
    sessions: &'a dyn Sessions,
    is_any: bool,
    known: HashMap<(ScopeKind, String), bool>,
    /// The projects that sessions were given to.
    given: HashMap<String, Option<String>>,
}

impl<'a> PausedEvents<'a> {
    pub(crate) fn new(rows: &'a dyn Rows, sessions: &'a dyn Sessions) -> Result<Self> {
        Ok(PausedEvents {
            rows,
            sessions,
            is_any: pauses::is_any(rows)?,
            known: HashMap::new(),
            given: HashMap::new(),
        })
    }

    /// Whether nothing is paused at all.
    pub(crate) fn is_empty(&self) -> bool {
        !self.is_any
    }

    /// Whether an event is paused.
    pub(crate) fn has(&mut self, event: &Event) -> Result<bool> {
        let is_any = self.is_any;
        Ok(is_any && self.has_any(&event.session, places_of(event))?)
    }

    /// Whether the event of a record is paused, which is told without reading its content.
    pub(crate) fn has_record(&mut self, record: &RecordView<'_>) -> Result<bool> {
        if !self.is_any {
            return Ok(false);
        }
        let record = record.archive()?;
        let metadata = record.metadata.map(Text::as_str);
        let (session, project) = (record.session.as_str(), record.project.as_str());
        self.has_any(session, places(session, project, metadata))
    }

    fn has_any(&mut self, session: &str, mut places: Vec<Place<'_>>) -> Result<bool> {
        let given = match self.given.get(session) {
            Some(given) => given.clone(),
            None => {
                let given = self.sessions.given_project(session)?;
                self.given.insert(session.to_owned(), given.clone());
                given
            }
        };
        places.extend(given.map(|project| Place(ScopeKind::Project, project.into())));
        for Place(scope, name) in places {
            let place = (scope, name.into_owned());
            let is_paused = match self.known.get(&place) {
                Some(is_paused) => *is_paused,
                None => {
                    let key = pauses::key(self.sessions.secret(), scope, &place.1);
                    let is_paused = pauses::is_paused(self.rows, &key)?;
                    self.known.insert(place, is_paused);
                    is_paused
                }
            };
            if is_paused {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// [`Pauses::list`](crate::Pauses::list).
pub(crate) fn list(engine: &Engine, limit: Option<usize>) -> Result<Vec<Pause>> {
    let read = engine.store.read()?;
    let mut found = pauses::all(&read.projected()?)?;
    found.sort_by(|a, b| (a.at, a.scope, &a.name).cmp(&(b.at, b.scope, &b.name)));
    found.truncate(limit.unwrap_or(LIST_LIMIT));
    Ok(found
        .into_iter()
        .map(|row| Pause {
            scope: row.scope,
            name: row.name,
            paused_at: row.at,
        })
        .collect())
}
