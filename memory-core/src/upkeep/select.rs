//! `Selector`: the events that a forget, erase or export applies to. Selections that are
//! probably mistakes are refused.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::engine::Engine;
use crate::model::error::{Error, Result, unless_damaged};
use crate::model::event::EventKind;
use crate::model::ids::{EventId, EventRef};
use crate::model::time::Timestamp;
use crate::scope::ProjectScope;
use crate::store::log::record::{Record, RecordView};
use crate::store::log::tombstone::Selection;
use crate::write::prepare::kept_name;

/// Selects events. Every condition that is set must hold, and at least one must be set;
/// selecting everything must be requested explicitly.
///
/// Without [`Selector::kinds`], conversation events are selected (prompts, responses, tool
/// observations, summaries). With [`Selector::session`] or [`Selector::everything`], changes of
/// sessions are selected too, and with [`Selector::everything`] also tasks, edges, decisions and
/// scored contexts, which may not depend on any conversation. A [`Selector::project`] that is named
/// without any other condition selects everything in it. In a session that has nothing else,
/// [`Selector::session`] selects what it was given. Without [`Selector::project`], only events of
/// the memory's own project are selected.
///
/// What was learned from the selected messages goes with them. An entry or a task that belongs to
/// the project, the session and the time of the selection, but rests on no message of the project,
/// is selected itself: the message stays.
///
/// ```
/// use recallite::Selector;
/// let old = Selector::new()
///     .session("s1")
///     .before("2026-01-01T00:00:00Z".parse().unwrap());
/// let all = Selector::everything();
/// # let _ = (old, all);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Selector {
    /// Selects these events, each given by any of its three names.
    pub ids: Vec<EventRef>,
    /// Selects events of this session, without `project` only those of the memory's own project.
    pub session: Option<String>,
    /// Selects events before this moment (exclusive).
    pub before: Option<Timestamp>,
    /// Selects events of these projects, and of the sessions that
    /// [`SessionUpdate::project`](crate::SessionUpdate::project) gave to them. Naming a project is
    /// a condition by itself. Without it, only events of the memory's own project are selected, if
    /// it was opened for one.
    pub project: ProjectScope,
    /// Selects events of these kinds.
    pub kinds: Vec<EventKind>,
    /// Whether to select every event, without `project` every one of the memory's own project.
    pub everything: bool,
    /// The name of a list that was given but is empty. It would select nothing, but reads
    /// as "not given"; it is refused, or a buggy program would forget more than intended.
    pub(crate) empty_list: Option<&'static str>,
}

impl Selector {
    /// Creates a selector without a condition. It is refused until one is added.
    pub fn new() -> Self {
        Selector::default()
    }

    /// Selects every event of the memory's project (of every project with
    /// `.project(ProjectScope::All)`).
    pub fn everything() -> Self {
        Selector {
            everything: true,
            ..Selector::default()
        }
    }

    /// Adds an event by id, citation or position.
    #[must_use]
    pub fn id(mut self, event: impl Into<EventRef>) -> Self {
        self.ids.push(event.into());
        self
    }

    /// Adds several events. An empty list is refused when the selector is used.
    #[must_use]
    pub fn ids<E: Into<EventRef>>(mut self, events: impl IntoIterator<Item = E>) -> Self {
        self.ids.extend(events.into_iter().map(Into::into));
        if self.ids.is_empty() {
            self.empty_list = Some("ids");
        }
        self
    }

    /// Keeps only events of this session.
    #[must_use]
    pub fn session(mut self, session: impl Into<String>) -> Self {
        self.session = Some(session.into());
        self
    }

    /// Keeps only events before this moment (exclusive).
    #[must_use]
    pub fn before(mut self, moment: Timestamp) -> Self {
        self.before = Some(moment);
        self
    }

    /// Keeps only events of these projects.
    #[must_use]
    pub fn project(mut self, project: ProjectScope) -> Self {
        self.project = project;
        self
    }

    /// Keeps only events of these kinds. An empty list is refused when the selector is
    /// used.
    #[must_use]
    pub fn kinds(mut self, kinds: impl IntoIterator<Item = EventKind>) -> Self {
        self.kinds = kinds.into_iter().collect();
        if self.kinds.is_empty() {
            self.empty_list = Some("kinds");
        }
        self
    }

    /// Whether it names events or kinds, and so may mean records of the library.
    pub(crate) fn names_records(&self) -> bool {
        !self.ids.is_empty() || !self.kinds.is_empty()
    }

    /// The selection for the store, or why it is refused.
    pub(crate) fn selection(&self, own_project: &str) -> Result<Selection> {
        match self.empty_list {
            Some("ids") if !self.ids.is_empty() => {}
            Some("kinds") if !self.kinds.is_empty() => {}
            Some(name) => {
                return Err(Error::invalid(
                    name,
                    "must not be an empty list; omit it to select by the other fields",
                ));
            }
            None => {}
        }
        let names_project = matches!(self.project, ProjectScope::Named(_));
        let has_condition = !self.ids.is_empty()
            || self.session.is_some()
            || self.before.is_some()
            || !self.kinds.is_empty();
        let is_everything = self.everything || names_project && !has_condition;
        if !has_condition && !is_everything {
            return Err(Error::invalid(
                "selector",
                "names no event, session, time, project or kind; \
                 set `everything` to select all",
            ));
        }
        if self.session.as_ref().is_some_and(|name| name.is_empty()) {
            return Err(Error::invalid("session", "must not be empty"));
        }
        if let Some(kind) = self
            .kinds
            .iter()
            .find(|kind| matches!(kind, EventKind::Forgotten | EventKind::Erased))
        {
            return Err(Error::invalid(
                "kinds",
                format_args!("{kind} events are tombstones; they cannot be selected"),
            ));
        }
        let kinds = if self.kinds.is_empty() {
            let with_sessions = self.session.is_some() || is_everything;
            let is_meant = |kind: &EventKind| {
                // What is named may be of any kind.
                !self.ids.is_empty()
                    || kind.is_conversation()
                    || (with_sessions && *kind == EventKind::SessionChanged)
                    || (is_everything && is_made_by_hand(*kind))
            };
            EventKind::ALL.iter().copied().filter(is_meant).collect()
        } else {
            self.kinds.clone()
        };
        Ok(Selection {
            ids: self.ids.clone(),
            session: self.session.clone().into_iter().collect(),
            before: self.before,
            project: self.project.resolve(own_project).into_iter().collect(),
            given_sessions: BTreeSet::new(),
            learned: BTreeSet::new(),
            kinds,
            with_deleted: false,
        })
    }
}

/// Whether records of a kind may exist without a conversation, like a task that a person
/// made.
fn is_made_by_hand(kind: EventKind) -> bool {
    kind.is_of_task()
        || matches!(
            kind,
            EventKind::EdgeChanged
                | EventKind::MemoryResolved
                | EventKind::DecisionMade
                | EventKind::ContinuityScored
        )
}

/// The resolved selector, with names as stored: also as they were stored before the filter masked
/// them, or by a process whose filter does not.
pub(crate) fn selection(engine: &Engine, selector: &Selector) -> Result<Selection> {
    let mut selection = selector.selection(&engine.project)?;
    if let Some(session) = &selector.session {
        selection.session = stored_names(engine, session)?;
    }
    if let ProjectScope::Named(project) = &selector.project {
        selection.project = stored_names(engine, project)?;
    }
    selection.given_sessions = given_sessions(engine, &selection)?;
    if selector.session.is_some() && !selector.names_records() {
        add_contexts(engine, &mut selection)?;
    }
    Ok(selection)
}

/// The sessions that were given to the project of a selection, of those that it is about. What was
/// learned from them belongs to that project.
fn given_sessions(engine: &Engine, selection: &Selection) -> Result<BTreeSet<String>> {
    let read = engine.store.read()?;
    let mut named: BTreeSet<String> = selection.session.iter().cloned().collect();
    if !selection.project.is_empty() {
        for id in &selection.ids {
            named.extend(read.event(id)?.map(|event| event.session));
        }
    }
    let mut given = BTreeSet::new();
    for project in &selection.project {
        let rows = match named.is_empty() {
            true if !selection.ids.is_empty() => Vec::new(),
            true => read.newest_sessions(Some(project), usize::MAX)?,
            false => {
                let mut rows = Vec::new();
                for name in &named {
                    rows.extend(read.session(name)?.map(|(_, row)| row));
                }
                rows
            }
        };
        for row in rows.into_iter().filter(|row| row.is_project_set) {
            let session = read.public_session(row)?;
            if session.project == *project {
                given.insert(session.id);
            }
        }
    }
    Ok(given)
}

/// Selects what a session was given, if it has nothing else by which it could be removed: a host
/// may have asked for a context in a session in which nothing was said.
fn add_contexts(engine: &Engine, selection: &mut Selection) -> Result<()> {
    let of_session = Selection {
        session: selection.session.clone(),
        kinds: selection.kinds.clone(),
        with_deleted: true,
        ..Selection::default()
    };
    // A damaged record is something.
    let count = engine.store.read()?.count_selected(&of_session).map(Some);
    if unless_damaged(count)? == Some(0) {
        selection.kinds.push(EventKind::Injected);
    }
    Ok(())
}

fn stored_names(engine: &Engine, name: &str) -> Result<Vec<String>> {
    let kept = kept_name(engine, name)?;
    let is_masked = kept != name;
    let own = is_masked.then(|| name.to_owned());
    Ok(own.into_iter().chain([kept]).collect())
}

/// Like [`selection`], for live events, with what belongs to the selection though its messages do
/// not.
pub(crate) fn deletable(engine: &Engine, selector: &Selector) -> Result<Selection> {
    with_learned(engine, selector, selection(engine, selector)?)
}

/// Adds the records that created entries and tasks that no message of the selection's project
/// takes along: a caller may have given them another project than that of their message, and
/// nothing proves an entry without a quote.
fn with_learned(
    engine: &Engine,
    selector: &Selector,
    mut selection: Selection,
) -> Result<Selection> {
    if selector.names_records() {
        return Ok(selection);
    }
    let mut kinds = vec![EventKind::EntryChanged, EventKind::TaskCreated];
    kinds.retain(|kind| !selection.kinds.contains(kind));
    let read = engine.store.read()?;
    let made = Selection {
        given_sessions: BTreeSet::new(),
        kinds,
        ..selection.clone()
    };
    // A damaged record keeps nothing else from being deleted.
    for seq in read.select_with_damaged(&made)? {
        let sources = read.with_record(seq, |view| Ok(sources_of(view.kind(), &view.archive()?)));
        let Some(sources) = unless_damaged(sources)?.flatten() else {
            continue;
        };
        let mut is_carried = false;
        for id in sources.iter().filter_map(|id| id.parse::<EventId>().ok()) {
            let source = read.seq_of(&id.into())?;
            let is_of_project =
                |view: &RecordView<'_>| Ok(selection.has_project_of(&view.archive()?));
            if let Some(source) = source {
                let found = unless_damaged(read.with_record(source, is_of_project))?;
                is_carried |= found == Some(true);
            }
        }
        if !is_carried {
            selection.learned.insert(seq);
        }
    }
    Ok(selection)
}

/// The events from which a record says that an entry or a task was learned. `None` if it creates
/// neither, or a task that was made by hand.
fn sources_of(kind: EventKind, record: &Record<'_>) -> Option<Vec<String>> {
    let payload: Value = serde_json::from_str(record.metadata?.as_str()).ok()?;
    let (list, is_made_by_hand) = match kind {
        EventKind::EntryChanged if payload["act"] == "created" => (&payload["sources"], false),
        EventKind::TaskCreated => {
            let list = &payload["source_events"];
            (list, list.as_array().is_none_or(Vec::is_empty))
        }
        _ => return None,
    };
    let ids = list.as_array().into_iter().flatten();
    let ids = ids.filter_map(|source| source.as_str().or(source["event_id"].as_str()));
    (!is_made_by_hand).then(|| ids.map(str::to_owned).collect())
}

/// [`Upkeep::count_selected`](crate::Upkeep::count_selected).
pub(crate) fn count_selected(engine: &Engine, selector: &Selector) -> Result<u64> {
    let selection = deletable(engine, selector)?;
    engine.store.read()?.count_selected(&selection)
}

/// [`Upkeep::count_erasable`](crate::Upkeep::count_erasable).
pub(crate) fn count_erasable(engine: &Engine, selector: &Selector) -> Result<u64> {
    let selection = erasable(engine, selector)?;
    engine.store.read()?.count_selected(&selection)
}

/// Like [`selection`], with the events that are already forgotten: an erasure removes them, too.
pub(crate) fn erasable(engine: &Engine, selector: &Selector) -> Result<Selection> {
    let selection = Selection {
        with_deleted: true,
        ..selection(engine, selector)?
    };
    with_learned(engine, selector, selection)
}
