//! Our plugin in a marketplace of an agent.

/// Whether a plugin's name is that of ours, as a marketplace offers it; what `install` writes is
/// listed as one, too.
pub(super) fn is_of_marketplace(plugin: &str) -> bool {
    plugin
        .strip_prefix("recallite@")
        .is_some_and(|place| place != "skills-dir")
}
