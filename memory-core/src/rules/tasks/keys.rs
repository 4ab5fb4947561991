//! Derives the keys of tasks, conditions and artifacts, which decide what texts refer to the
//! same one.

use crate::privacy::Marker;
use crate::rules::tasks::model::ArtifactKind;
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

/// The kind of artifact that a trimmed text names, and its key.
pub(crate) fn artifact_key(text: &str) -> Option<(ArtifactKind, String)> {
    if text.starts_with("http://") || text.starts_with("https://") {
        return Some((ArtifactKind::Url, text_keys::artifact_key(text)));
    }
    if is_jira_key(text) {
        return Some((ArtifactKind::Jira, text_keys::artifact_key(text)));
    }
    let (repository, number) = split_issue(text)?;
    Some((
        ArtifactKind::GithubIssue,
        format!("art:gh_issue:{repository}:{number}"),
    ))
}

fn is_jira_key(text: &str) -> bool {
    text.split_once('-').is_some_and(|(project, number)| {
        !project.is_empty()
            && project.bytes().all(|b| b.is_ascii_uppercase())
            && is_ascii_number(number)
    })
}

/// Parses `owner/repo#12`; no spaces, so that prose with a slash and a number is not an
/// artifact.
fn split_issue(text: &str) -> Option<(&str, &str)> {
    let (repository, number) = text.split_once('#')?;
    let (owner, name) = repository.split_once('/')?;
    (!owner.is_empty()
        && !name.is_empty()
        && !repository.chars().any(char::is_whitespace)
        && is_ascii_number(number))
    .then_some((repository, number))
}

fn is_ascii_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// Whether the text is an explicit task key, `task:{project}:{identity}`.
pub(crate) fn is_task_key(text: &str) -> bool {
    text.strip_prefix("task:")
        .and_then(|rest| rest.split_once(':'))
        .is_some_and(|(_, identity)| !identity.is_empty() && !identity.contains(['\n', '\r']))
}

/// The key with its last part normalised, since people write `task:p:Fix Login`.
pub(crate) fn normalize_task_key(key: &str) -> String {
    match key.rsplit_once(':') {
        Some((scope, identity)) => format!("{scope}:{}", normalize_identity(identity)),
        None => key.to_owned(),
    }
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
    }
}
