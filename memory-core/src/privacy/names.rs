//! Masks names of sessions, projects and other things. Names are keys, so a masked name
//! gets a suffix that keeps different names distinct.

use super::filter::{Filtered, PrivacyFilter, head_of_clean};
use super::words::REDACTED;
use crate::model::error::Error;
use crate::model::error::Result;

/// Maximum length of the name of a session, project, actor or tool, in bytes.
pub(super) const NAME_LIMIT: usize = 1024;

/// The purpose for which the secret of masked names is derived.
pub(crate) const NAME_SECRET: &str = "recallite 2026 masked names";

/// The warning about a name that was masked.
pub const MASKED_NAME_WARNING: &str =
    "A name contained private text or a secret; it is stored masked, with a unique suffix.";

/// How much of a name is kept before its suffix, in bytes.
const MAX_KEPT: usize = 512;

/// Characters of a suffix: 50 bits.
const SUFFIX_CHARS: usize = 10;

/// A name in its stored form.
pub(crate) struct KeptName {
    pub(crate) name: String,
    /// What the filter did to it, if it was masked.
    pub(crate) filtered: Filtered,
}

impl PrivacyFilter {
    /// The stored form of a caller's name; `None` if it is unchanged. Deterministic for a
    /// name and secret, and idempotent.
    pub(crate) fn kept_name(
        &self,
        name: &str,
        secret: impl FnOnce() -> Result<[u8; 32]>,
    ) -> Result<Option<KeptName>> {
        let filtered = self.text(name);
        // Something that looks like a tag but hides nothing masks the whole name.
        let is_whole = filtered.warnings.is_empty() || filtered.report.private_count > 0;
        if filtered.text.as_str() == name && is_whole {
            return Ok(None);
        }
        let suffix = suffix(&secret()?, name);
        let shown = if is_whole {
            head_of_clean(filtered.text.as_str().trim(), MAX_KEPT)
        } else {
            REDACTED
        };
        let mut kept = format!("{shown}~{suffix}");
        let again = self.text(&kept);
        if again.text.as_str() != kept || !again.warnings.is_empty() {
            kept = format!("{REDACTED}~{suffix}");
        }
        Ok(Some(KeptName {
            name: kept,
            filtered,
        }))
    }
}

/// Letters only, so that no rule takes them for a key; from a keyed hash, so that they
/// cannot confirm a guess.
fn suffix(secret: &[u8; 32], name: &str) -> String {
    let hash = blake3::keyed_hash(secret, name.as_bytes());
    hash.as_bytes()[..SUFFIX_CHARS]
        .iter()
        .map(|byte| char::from(b"abcdefghijkmnpqrstuvwxyzabcdefgh"[usize::from(byte % 32)]))
        .collect()
}

/// Names are used as index keys, so they must be short and without NUL.
pub(crate) fn check_name(argument: &str, name: &str) -> Result<()> {
    if name.len() > NAME_LIMIT {
        return Err(Error::invalid(
            argument,
            format_args!("has {} bytes; the limit is {NAME_LIMIT}", name.len()),
        ));
    }
    if name.contains('\0') {
        return Err(Error::invalid(argument, "must not contain a NUL character"));
    }
    Ok(())
}

/// Refuses a title of several lines, which would look like several items in a list.
///
/// # Errors
/// `invalid_argument` naming `argument`.
pub(crate) fn check_one_line(argument: &str, title: &str) -> Result<()> {
    match title.contains(char::is_control) {
        true => Err(Error::invalid(
            argument,
            "must be one line, without control characters",
        )),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(name: &str) -> Option<String> {
        let filter = PrivacyFilter::default();
        let found = filter.kept_name(name, || Ok([7; 32])).unwrap();
        found.map(|kept| kept.name)
    }

    #[test]
    fn ordinary_names_stay_and_masked_names_stay_two() {
        for name in [
            "s1",
            "/home/ada/shop",
            "프로젝트",
            "key",
            "token-service",
            "[REDACTED]",
            "",
        ] {
            assert_eq!(kept(name), None, "{name}");
        }
        let names = [
            "password=tiger12",
            "password=tiger13",
            "a <private>b</private> c",
            "a <private>c</private> c",
            concat!("AKIA", "IOSFODNN7EXAMPLE"),
            "unclosed <private>secret",
            "unclosed <private>secreu",
        ];
        let mut all: Vec<String> = names.iter().map(|name| kept(name).unwrap()).collect();
        for name in &all {
            assert!(!name.contains("tiger") && !name.contains("secre"), "{name}");
            assert_eq!(kept(name), None, "{name}");
        }
        assert!(all[2].starts_with("a [PRIVATE] c~"), "{}", all[2]);
        all.sort();
        all.dedup();
        assert_eq!(all.len(), names.len());
    }
}
