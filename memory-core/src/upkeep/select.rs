//! `Selector`: which events a forget, an erase or an export is about, and the
//! refusal of a selection that nobody made on purpose.

use crate::engine::Engine;
use crate::model::error::{Error, Result};
use crate::model::event::EventKind;
use crate::model::ids::EventRef;
use crate::model::time::Timestamp;
use crate::scope::ProjectScope;
use crate::store::tombstone::Selection;
use crate::write::prepare::{kept_option, kept_scope};

/// Which events are meant. Every condition that is set must hold, and at least
/// one must be set; a selection of everything must say so.
///
/// Without [`Selector::kinds`], conversation events are meant (prompts,
/// responses, tool observations, summaries), and with [`Selector::session`] or
/// [`Selector::everything`] also the changes of sessions; with [`Selector::everything`]
/// tasks, edges, decisions and scored contexts too, which may rest on no conversation. Without
/// [`Selector::project`], only the memory's own project is reached.
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
    /// These events; any of the three names of an event.
    pub ids: Vec<EventRef>,
    /// Events of this session.
    pub session: Option<String>,
    /// Events before this moment (not at it).
    pub before: Option<Timestamp>,
    /// Events of these projects. Naming a project is a condition by itself.
    pub project: ProjectScope,
    /// Events of these kinds.
    pub kinds: Vec<EventKind>,
    /// Whether no condition is needed.
    pub everything: bool,
    /// The name of a list that was given and is empty. It would select nothing,
    /// but reads as "not given": refused, or a program with a bug forgets more
    /// than it meant.
    pub(crate) empty_list: Option<&'static str>,
}

impl Selector {
    /// A selector without a condition: it is refused until one is added.
    pub fn new() -> Self {
        Selector::default()
    }

    /// Every event of the memory's project (of every project with
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

    /// Adds several events. A list without any is refused when it is used.
    #[must_use]
    pub fn ids<E: Into<EventRef>>(mut self, events: impl IntoIterator<Item = E>) -> Self {
        self.ids.extend(events.into_iter().map(Into::into));
        if self.ids.is_empty() {
            self.empty_list = Some("ids");
        }
        self
    }

    /// Only events of this session.
    #[must_use]
    pub fn session(mut self, session: impl Into<String>) -> Self {
        self.session = Some(session.into());
        self
    }

    /// Only events before this moment.
    #[must_use]
    pub fn before(mut self, moment: Timestamp) -> Self {
        self.before = Some(moment);
        self
    }

    /// Only events of these projects.
    #[must_use]
    pub fn project(mut self, project: ProjectScope) -> Self {
        self.project = project;
        self
    }

    /// Only events of these kinds. A list without any is refused when it is used.
    #[must_use]
    pub fn kinds(mut self, kinds: impl IntoIterator<Item = EventKind>) -> Self {
        self.kinds = kinds.into_iter().collect();
        if self.kinds.is_empty() {
            self.empty_list = Some("kinds");
        }
        self
    }

    /// The selection for the store, or the reason why it is refused.
    pub(crate) fn selection(&self, own_project: &str) -> Result<Selection> {
        match self.empty_list {
            Some("ids") if !self.ids.is_empty() => {}
            Some("kinds") if !self.kinds.is_empty() => {}
            Some(name) => {
                return Err(Error::invalid(
                    name,
                    "the list is empty: leave it out, or name what is meant",
                ));
            }
            None => {}
        }
        let names_project = matches!(self.project, ProjectScope::Named(_));
        let has_condition = !self.ids.is_empty()
            || self.session.is_some()
            || self.before.is_some()
            || names_project
            || !self.kinds.is_empty();
        if !has_condition && !self.everything {
            return Err(Error::invalid(
                "selector",
                "names no event, session, time, project or kind; \
                 use Selector::everything() to select all",
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
            let with_sessions = self.session.is_some() || self.everything;
            let is_meant = |kind: &EventKind| {
                kind.is_conversation()
                    || (with_sessions && *kind == EventKind::SessionChanged)
                    || (self.everything && is_made_by_hand(*kind))
            };
            EventKind::ALL.iter().copied().filter(is_meant).collect()
        } else {
            self.kinds.clone()
        };
        Ok(Selection {
            ids: self.ids.clone(),
            session: self.session.clone(),
            before: self.before,
            project: self.project.resolve(own_project),
            kinds,
            with_deleted: false,
        })
    }
}

/// Whether records of a kind may rest on no conversation: a task that a person made.
fn is_made_by_hand(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::TaskCreated
            | EventKind::TaskStatusChanged
            | EventKind::TaskPriorityChanged
            | EventKind::TaskBlockersSet
            | EventKind::TaskTransitionRejected
            | EventKind::TaskTitleChanged
            | EventKind::ConditionDeclared
            | EventKind::ArtifactDeclared
            | EventKind::ConditionResolvedTo
            | EventKind::EdgeChanged
            | EventKind::DecisionMade
            | EventKind::ContinuityScored
    )
}

/// What a selector means, by the names that things are kept under.
pub(crate) fn selection(engine: &Engine, selector: &Selector) -> Result<Selection> {
    let mut selector = selector.clone();
    selector.session = kept_option(engine, selector.session.as_deref())?;
    selector.project = kept_scope(engine, &selector.project)?;
    selector.selection(&engine.project)
}

/// [`Upkeep::count_selected`](crate::Upkeep::count_selected).
pub(crate) fn count_selected(engine: &Engine, selector: &Selector) -> Result<u64> {
    let selection = selection(engine, selector)?;
    engine.store.read()?.count_selected(&selection)
}
