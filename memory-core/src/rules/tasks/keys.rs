//! Derives the keys of tasks, conditions and artifacts, which decide what texts refer to the
//! same one.

use crate::privacy::Marker;
use crate::rules::tasks::entity::ArtifactKind;
use crate::text::keys as text_keys;

/// The project used if none is given. An empty one stays empty.
pub(crate) const DEFAULT_PROJECT: &str = "default";

/// The task project for an event's project.
pub(crate) fn or_default(project: &str) -> &str {
    match project.is_empty() {
        true => DEFAULT_PROJECT,
        false => project,
    }
}

/// The identity of a title: NFKC, lowercase, only letters, digits and underscores, words
/// joined by `-`.
pub(crate) fn normalize_identity(text: &str) -> String {
    text_keys::normalize(text, '-')
}

/// Whether a title contains more than redaction marks: tasks named by marks alone would all
/// be the same one.
pub(crate) fn has_own_words(title: &str) -> bool {
    let mut rest = title.to_owned();
    for mark in Marker::ALL {
        if !mark.as_str().is_empty() {
            rest = rest.replace(mark.as_str(), " ");
        }
    }
    !normalize_identity(&rest).is_empty()
}

/// `task:{project}:{title}`; `None` if the title has no letter or digit, since all such
/// titles would be one task.
pub(crate) fn task_key(project: &str, title: &str) -> Option<String> {
    let identity = normalize_identity(title);
    (!identity.is_empty()).then(|| format!("task:{project}:{identity}"))
}

/// `cond:{project}:{text}`. A condition of symbols only (an emoji) is keyed by a hash, so
/// that different ones stay distinct; blank text has no key.
pub(crate) fn condition_key(project: &str, text: &str) -> Option<String> {
    let identity = normalize_identity(text);
    if !identity.is_empty() {
        return Some(format!("cond:{project}:{identity}"));
    }
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    let hash = blake3::hash(text.as_bytes()).to_hex();
    Some(format!("cond:{project}:{}", &hash[..12]))
}

/// The kind of artifact that a trimmed text names, and its key; `None` for any other text.
pub(crate) fn artifact_key(text: &str) -> Option<(ArtifactKind, String)> {
    match text_keys::artifact_kind(text) {
        ArtifactKind::Generic => None,
        kind => Some((kind, text_keys::artifact_key(text))),
    }
}

/// Whether the text is an explicit task key, `task:{project}:{identity}`.
pub(crate) fn is_task_key(text: &str) -> bool {
    text.strip_prefix("task:")
        .and_then(|rest| rest.split_once(':'))
        .is_some_and(|(_, identity)| !identity.is_empty() && !identity.contains(['\n', '\r']))
}

/// The keys that an explicit one may stand for, with their last part normalised, since people
/// write `task:p:Fix Login`. The title may contain a colon, and so may the project (`C:/x`).
pub(crate) fn normalized_task_keys(key: &str) -> Vec<String> {
    let Some(rest) = key.strip_prefix("task:") else {
        return vec![key.to_owned()];
    };
    let splits = [rest.split_once(':'), rest.rsplit_once(':')];
    let mut keys: Vec<String> = splits
        .into_iter()
        .flatten()
        .map(|(project, title)| format!("task:{project}:{}", normalize_identity(title)))
        .collect();
    keys.dedup();
    keys
}

/// The title as text search compares it: lowercase and trimmed.
pub(crate) fn title_norm(title: &str) -> String {
    title.trim().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_joined_by_hyphens_and_marks_vanish() {
        assert_eq!(
            task_key("p", "  Fix  Login-Bug! 🎉 "),
            Some("task:p:fix-loginbug".into())
        );
        assert_eq!(
            task_key("p", "벡터 검색 구현."),
            Some("task:p:벡터-검색-구현".into())
        );
        assert_eq!(task_key("p", "🎉"), None);
        assert_ne!(condition_key("p", "🎉"), condition_key("p", "⏳"));
        assert_eq!(condition_key("p", " \u{a0}"), None);
    }

    #[test]
    fn prose_with_a_slash_and_a_number_is_no_artifact() {
        assert!(artifact_key("either / or, see #3").is_none());
        assert!(artifact_key("read/write issue#3").is_none());
        assert_eq!(
            artifact_key("owner/repo#12"),
            Some((
                ArtifactKind::GithubIssue,
                "art:gh_issue:owner/repo:12".into()
            ))
        );
        assert!(artifact_key("PROJ-１２３").is_none());
        assert!(artifact_key("/repo#1").is_none());
        let odd = Some((ArtifactKind::GithubIssue, "art:gh_issue:a#b/c:12".into()));
        assert_eq!(artifact_key("a#b/c#12"), odd);
    }

    #[test]
    fn a_colon_in_a_key_may_belong_to_the_project_or_to_the_title() {
        let keys = normalized_task_keys("task:C:/x:Fix Login");
        assert_eq!(keys, ["task:C:xfix-login", "task:C:/x:fix-login"]);
        assert_eq!(
            normalized_task_keys("task:p:Fix Login"),
            ["task:p:fix-login"]
        );
    }
}
