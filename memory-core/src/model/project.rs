//! `ProjectScope`: which projects a read covers.

/// Which projects a read covers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProjectScope {
    /// The project that the memory was opened for; every project when it was
    /// opened for none.
    #[default]
    Own,
    /// Every project of the store.
    All,
    /// The project with this name; the empty name is "events without a project".
    Named(String),
}

impl ProjectScope {
    /// The project to filter by, or `None` for any.
    pub(crate) fn resolve(&self, own: &str) -> Option<String> {
        match self {
            ProjectScope::Own if own.is_empty() => None,
            ProjectScope::Own => Some(own.to_owned()),
            ProjectScope::All => None,
            ProjectScope::Named(name) => Some(name.clone()),
        }
    }
}
