//! Keys that decide whether two things are the same: canonical keys of titles, keys of
//! tasks, conditions and artifacts, and keys of repeated events.

use md5::{Digest, Md5};
use sha1::Sha1;
use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_normalization::UnicodeNormalization;

use crate::model::hex::hex;
use crate::model::read::words;

/// The maximum length of a canonical key, in code points (specification, section 3).
pub const CANONICAL_KEY_MAX_CHARS: usize = 200;
/// How many code points of a longer key are kept before `_` and the digest.
const CANONICAL_KEY_KEPT_CHARS: usize = 191;
/// How many hexadecimal digits of the MD5 digest end a longer key.
const CANONICAL_KEY_DIGEST_CHARS: usize = 8;
/// The project of an entity that names none.
pub const DEFAULT_PROJECT: &str = "default";

/// Returns the canonical key of a title, which is equal for titles that differ only in
/// case, punctuation, whitespace or compatibility forms.
///
/// The title is converted to NFKC and lowercase; everything except letters, numbers, `_`
/// and whitespace is removed; whitespace runs become one space; the result is trimmed; and
/// if `project` is not empty, `project::` is put in front (the project itself is not
/// normalised). A key of more than 200 code points becomes its first 191 code points, `_`,
/// and 8 hexadecimal digits of the MD5 digest of the whole key, so that long titles remain
/// distinct.
///
/// A long title is read as a stream: apart from the key itself, only one word is held in
/// memory.
///
/// ```
/// use recallite::text::keys::canonical_key;
/// assert_eq!(canonical_key("Hello,  World!", None), "hello world");
/// assert_eq!(canonical_key("벡터 검색!", Some("app")), "app::벡터 검색");
/// ```
pub fn canonical_key(title: &str, project: Option<&str>) -> String {
    let mut key = KeyBuilder::new();
    if let Some(project) = project.filter(|p| !p.is_empty()) {
        key.push_str(project);
        key.push_str("::");
    }
    for_each_word(title, ' ', |piece| key.push_str(piece));
    key.finish()
}

/// Returns the normalised form of a text without a length limit, as in [`canonical_key`],
/// with `separator` between the words.
pub(crate) fn normalize(text: &str, separator: char) -> String {
    let mut out = String::with_capacity(text.len().min(256));
    for_each_word(text, separator, |piece| out.push_str(piece));
    out
}

/// Returns true if two titles have the same canonical key, whatever their project.
pub fn is_same_title(a: &str, b: &str) -> bool {
    canonical_key(a, None) == canonical_key(b, None)
}

/// Keeps the first code points of a key and the digest of the whole.
struct KeyBuilder {
    kept: String,
    chars: usize,
    /// Set once the key exceeds the limit; it has seen every byte so far.
    digest: Option<Md5>,
}

impl KeyBuilder {
    fn new() -> Self {
        KeyBuilder {
            kept: String::new(),
            chars: 0,
            digest: None,
        }
    }

    fn push_str(&mut self, piece: &str) {
        if let Some(digest) = &mut self.digest {
            digest.update(piece.as_bytes());
            return;
        }
        if piece.is_ascii() {
            let kept = piece.len().min(CANONICAL_KEY_MAX_CHARS - self.chars);
            self.kept.push_str(&piece[..kept]);
            self.chars += kept;
            if kept < piece.len() {
                let mut digest = Md5::new();
                digest.update(self.kept.as_bytes());
                digest.update(&piece.as_bytes()[kept..]);
                self.digest = Some(digest);
            }
            return;
        }
        for (at, c) in piece.char_indices() {
            if self.chars == CANONICAL_KEY_MAX_CHARS {
                let mut digest = Md5::new();
                digest.update(self.kept.as_bytes());
                digest.update(&piece.as_bytes()[at..]);
                self.digest = Some(digest);
                return;
            }
            self.kept.push(c);
            self.chars += 1;
        }
    }

    fn finish(mut self) -> String {
        if let Some(digest) = self.digest {
            let cut = self
                .kept
                .char_indices()
                .nth(CANONICAL_KEY_KEPT_CHARS)
                .map_or(self.kept.len(), |(at, _)| at);
            self.kept.truncate(cut);
            self.kept.push('_');
            let hex = hex(&digest.finalize());
            self.kept.push_str(&hex[..CANONICAL_KEY_DIGEST_CHARS]);
        }
        self.kept
    }
}

/// Unicode white space plus the four ASCII separators U+001C to U+001F, which the
/// specification's regular expression also treats as white space.
fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// Letters and numbers by general category, and the underscore. Combining marks are not
/// word characters: `char::is_alphanumeric` would accept many.
fn is_word(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    matches!(
        get_general_category(c),
        GeneralCategory::UppercaseLetter
            | GeneralCategory::LowercaseLetter
            | GeneralCategory::TitlecaseLetter
            | GeneralCategory::ModifierLetter
            | GeneralCategory::OtherLetter
            | GeneralCategory::DecimalNumber
            | GeneralCategory::LetterNumber
            | GeneralCategory::OtherNumber
    )
}

/// Emits the normalised words of a text and the separators between them, in order, piece by
/// piece.
///
/// The text is split at white space before it is lowercased. That is safe: the only
/// context-sensitive rule of lowercasing (final sigma) does not look across white space.
fn for_each_word(text: &str, separator: char, mut emit: impl FnMut(&str)) {
    if text.is_ascii() && separator.is_ascii() {
        return for_each_ascii_stretch(text.as_bytes(), separator as u8, emit);
    }
    let mut words = Words {
        raw: String::new(),
        clean: String::new(),
        is_first: true,
        separator,
    };
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        // An ASCII character is a normalisation boundary on its left, and normalises to
        // itself unless something non-ASCII follows it.
        let ascii = bytes[at..].iter().take_while(|b| b.is_ascii()).count();
        let has_more = at + ascii < bytes.len();
        let plain = if has_more {
            ascii.saturating_sub(1)
        } else {
            ascii
        };
        let mut rest = &text[at..at + plain];
        while let Some(space) = rest.bytes().position(|b| ASCII[usize::from(b)] == b' ') {
            words.raw.push_str(&rest[..space]);
            words.flush(&mut emit);
            rest = &rest[space + 1..];
        }
        words.raw.push_str(rest);
        at += plain;
        if has_more {
            let own = ascii - plain;
            let rest = &bytes[at + own..];
            let end = at + own + rest.iter().take_while(|b| !b.is_ascii()).count();
            for c in text[at..end].nfkc() {
                words.push(c, &mut emit);
            }
            at = end;
        }
    }
    words.flush(&mut emit);
}

/// How an ASCII byte maps into the key: 0 = deleted, a space = white space, otherwise the
/// byte to write.
static ASCII: [u8; 128] = {
    let mut table = [0; 128];
    let mut byte = 0u8;
    while byte < 128 {
        table[byte as usize] = match byte {
            b'\t'..=b'\r' | 0x1c..=b' ' => b' ',
            b'_' => b'_',
            _ if byte.is_ascii_alphanumeric() => byte.to_ascii_lowercase(),
            _ => 0,
        };
        byte += 1;
    }
    table
};

/// [`for_each_word`] for ASCII only, which needs neither normalisation nor Unicode tables:
/// words and separators come in runs.
fn for_each_ascii_stretch(bytes: &[u8], separator: u8, mut emit: impl FnMut(&str)) {
    let mut buffer = [0u8; 1024];
    let mut length = 0;
    let mut is_first = true;
    let mut is_apart = false;
    let mut give = |stretch: &[u8]| {
        emit(std::str::from_utf8(stretch).expect("the table holds ASCII only"));
    };
    // A byte produces at most itself and a preceding separator.
    for part in bytes.chunks(buffer.len() / 2) {
        for &byte in part {
            let kept = ASCII[usize::from(byte & 127)];
            if kept > b' ' {
                if is_apart {
                    is_apart = false;
                    buffer[length % 1024] = separator;
                    length += usize::from(!is_first);
                }
                is_first = false;
                buffer[length % 1024] = kept;
                length += 1;
            } else {
                is_apart |= kept == b' ';
            }
        }
        give(&buffer[..length]);
        length = 0;
    }
}

struct Words {
    /// The normalised characters of the word being read.
    raw: String,
    /// Its lowercased, cleaned form; kept only to reuse the allocation.
    clean: String,
    is_first: bool,
    separator: char,
}

impl Words {
    fn push(&mut self, c: char, emit: &mut impl FnMut(&str)) {
        if is_space(c) {
            self.flush(emit);
        } else {
            self.raw.push(c);
        }
    }

    fn flush(&mut self, emit: &mut impl FnMut(&str)) {
        if self.raw.is_empty() {
            return;
        }
        self.clean.clear();
        if self.raw.is_ascii() {
            self.clean.extend(
                self.raw
                    .chars()
                    .filter(|&c| is_word(c))
                    .map(|c| c.to_ascii_lowercase()),
            );
        } else {
            self.clean
                .extend(self.raw.to_lowercase().chars().filter(|&c| is_word(c)));
        }
        self.raw.clear();
        if self.clean.is_empty() {
            return;
        }
        if !self.is_first {
            emit(self.separator.encode_utf8(&mut [0; 4]));
        }
        self.is_first = false;
        emit(&self.clean);
    }
}

words! {
    /// The three kinds of things that change through events.
    EntityKind ("kind") {
        /// Something that has to be done.
        Task = "task",
        /// Something that must become true.
        Condition = "condition",
        /// Something external: a page, a ticket, an issue.
        Artifact = "artifact",
    }
}

words! {
    /// What kind of artifact it is, by the pattern of its identifier.
    ArtifactKind ("artifact_type") {
        /// A web address, which starts with `http://` or `https://` (in lowercase).
        Url = "url",
        /// A Jira ticket such as `PROJ-123`: ASCII capitals, a hyphen, ASCII digits.
        Jira = "jira",
        /// A GitHub issue such as `owner/repo#12`, without whitespace.
        GithubIssue = "github_issue",
        /// Anything else.
        Generic = "generic",
    }
}

/// Returns the key of a task, condition or artifact, for example `task:shop:fix-login-bug`,
/// `cond:shop:api-key-configured` or `art:jira:SHOP-12`. Artifacts have no project.
pub fn entity_key(kind: EntityKind, identifier: &str, project: Option<&str>) -> String {
    match kind {
        EntityKind::Task => task_key(identifier, project),
        EntityKind::Condition => condition_key(identifier, project),
        EntityKind::Artifact => artifact_key(identifier),
    }
}

/// Returns the key of a task, for example `task:shop:fix-login-bug`.
///
/// If there is no project, it is `default`; an empty project stays empty. A title without
/// any letter or digit gives a key with an empty identity, which [`parse_entity_key`]
/// rejects: check the title before using the key as an identity.
pub fn task_key(title: &str, project: Option<&str>) -> String {
    scoped_key("task", title, project)
}

/// Returns the key of a condition, for example `cond:shop:api-key-configured`. If there is
/// no project, it is `default`.
pub fn condition_key(text: &str, project: Option<&str>) -> String {
    scoped_key("cond", text, project)
}

fn scoped_key(prefix: &str, text: &str, project: Option<&str>) -> String {
    let project = project.unwrap_or(DEFAULT_PROJECT);
    let mut key = format!("{prefix}:{project}:");
    for_each_word(text, '-', |piece| key.push_str(piece));
    key
}

/// Returns the kind of an artifact by its identifier: a web address, a Jira ticket, a
/// GitHub issue, or something else. The patterns are tried in this order and must match the
/// whole text.
///
/// A text with whitespace is never an issue. The specification's pattern alone would also
/// accept prose such as `either/or, see #3` (its bug B8).
pub fn artifact_kind(identifier: &str) -> ArtifactKind {
    if identifier.starts_with("http://") || identifier.starts_with("https://") {
        ArtifactKind::Url
    } else if is_jira_key(identifier) {
        ArtifactKind::Jira
    } else if split_github_issue(identifier).is_some() {
        ArtifactKind::GithubIssue
    } else {
        ArtifactKind::Generic
    }
}

/// Returns the key of an artifact: `art:url:{sha1}`, `art:jira:{key}`,
/// `art:gh_issue:{owner/repo}:{number}` or `art:generic:{12 digits of sha1}`.
pub fn artifact_key(identifier: &str) -> String {
    match artifact_kind(identifier) {
        ArtifactKind::Url => format!("art:url:{}", sha1_hex(identifier)),
        ArtifactKind::Jira => format!("art:jira:{identifier}"),
        ArtifactKind::GithubIssue => match split_github_issue(identifier) {
            Some((repository, number)) => format!("art:gh_issue:{repository}:{number}"),
            None => generic_key(identifier),
        },
        ArtifactKind::Generic => generic_key(identifier),
    }
}

fn generic_key(identifier: &str) -> String {
    format!("art:generic:{}", &sha1_hex(identifier)[..12])
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

fn is_jira_key(text: &str) -> bool {
    text.split_once('-').is_some_and(|(name, number)| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_uppercase()) && is_digits(number)
    })
}

/// `owner/repo` and the number of `owner/repo#12`.
fn split_github_issue(text: &str) -> Option<(&str, &str)> {
    let (repository, number) = text.rsplit_once('#')?;
    let (owner, name) = repository.split_once('/')?;
    let is_issue = !owner.is_empty()
        && !name.is_empty()
        && !name.contains('#')
        && is_digits(number)
        && !repository.chars().any(|c| is_space(c) || c.is_control());
    is_issue.then_some((repository, number))
}

/// The parts of an entity key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EntityKeyParts {
    /// The kind of entity that the key names.
    pub kind: EntityKind,
    /// The project of a task or condition; artifacts have none.
    pub project: Option<String>,
    /// The identity within its kind and project.
    pub identifier: String,
}

/// Splits an entity key into its parts; `None` if it is not an entity key, a part is empty,
/// or it contains a line break. A project that contains a colon does not survive: the
/// project ends at the first colon.
pub fn parse_entity_key(key: &str) -> Option<EntityKeyParts> {
    if key.contains(['\n', '\r', '\u{2028}', '\u{2029}']) {
        return None;
    }
    let (prefix, rest) = key.split_once(':')?;
    let (scope, identifier) = rest.split_once(':')?;
    if scope.is_empty() || identifier.is_empty() {
        return None;
    }
    let (kind, project) = match prefix {
        "task" => (EntityKind::Task, Some(scope.to_owned())),
        "cond" => (EntityKind::Condition, Some(scope.to_owned())),
        "art" => (EntityKind::Artifact, None),
        _ => return None,
    };
    Some(EntityKeyParts {
        kind,
        project,
        identifier: identifier.to_owned(),
    })
}

/// Returns the BLAKE3 digest of a text's UTF-8 bytes, as 64 hexadecimal digits.
pub fn content_hash(content: &str) -> String {
    blake3::hash(content.as_bytes()).to_hex().to_string()
}

/// Returns the key by which the same content in the same session is one event:
/// `session:content_hash`. The kind of the event is not part of it.
pub fn dedupe_key(session: &str, content: &str) -> String {
    format!("{session}:{}", content_hash(content))
}

/// What distinguishes an act on a task from every other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TaskEventKeyParts<'a> {
    /// The event's kind, for example `task_created`.
    pub kind: &'a str,
    /// The id of the task.
    pub task_id: &'a str,
    /// The session that caused the act.
    pub session_id: &'a str,
    /// The entry or message that caused it. Two equal acts of one session from different
    /// entries are two acts.
    pub source_entry_id: &'a str,
    /// The payload of the act, as text.
    pub payload: &'a str,
}

/// Returns the dedupe key of an act on a task, as 64 hexadecimal digits: BLAKE3 over the
/// parts in order, each prefixed with its length (8 bytes, little endian), so that no two
/// different lists of parts give the same bytes.
pub(crate) fn task_event_dedupe_key(parts: &TaskEventKeyParts<'_>) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in [
        parts.kind,
        parts.task_id,
        parts.session_id,
        parts.source_entry_id,
        parts.payload,
    ] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

fn sha1_hex(text: &str) -> String {
    hex(&Sha1::digest(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn reference_words(title: &str) -> Vec<String> {
        let lowered = title.nfkc().collect::<String>().to_lowercase();
        let kept: String = lowered
            .chars()
            .filter(|&c| is_word(c) || is_space(c))
            .collect();
        let words = kept.split(is_space).filter(|w| !w.is_empty());
        words.map(str::to_owned).collect()
    }

    /// The rule as specified, without streaming.
    fn reference_key(title: &str, project: Option<&str>) -> String {
        let mut key = reference_words(title).join(" ");
        if let Some(project) = project.filter(|p| !p.is_empty()) {
            key = format!("{project}::{key}");
        }
        if key.chars().count() > 200 {
            let digest = hex(&Md5::digest(key.as_bytes()));
            let head: String = key.chars().take(191).collect();
            key = format!("{head}_{}", &digest[..8]);
        }
        key
    }

    #[test]
    fn a_final_sigma_is_lowercased_by_its_neighbours() {
        assert_eq!(canonical_key("ΟΔΟΣ ΣΟΦΟΣ", None), "οδος σοφος");
        assert_eq!(canonical_key("Σ", None), "σ");
    }

    #[test]
    fn a_mark_after_an_ascii_letter_composes() {
        assert_eq!(canonical_key("cafe\u{301} x", None), "café x");
        assert_eq!(canonical_key("e\u{301}", None), "é");
    }

    #[test]
    fn separators_and_next_line_are_spaces_and_the_byte_order_mark_is_not() {
        assert_eq!(canonical_key("a\u{85}b\u{1c}c", None), "a b c");
        assert_eq!(canonical_key("a\u{feff}b", None), "ab");
    }

    #[test]
    fn a_megabyte_title_gives_a_200_character_key_that_sees_its_end() {
        let long = "Vector 검색 ".repeat(80_000);
        let a = canonical_key(&format!("{long}a"), None);
        let b = canonical_key(&format!("{long}b"), None);
        assert_eq!(a.chars().count(), 200);
        assert_ne!(a, b);
        assert_eq!(a[..a.len() - 8], b[..b.len() - 8]);
    }

    #[test]
    fn prose_with_a_slash_and_a_number_is_no_issue() {
        assert_eq!(artifact_kind("owner/repo#12"), ArtifactKind::GithubIssue);
        assert_eq!(artifact_kind("either/or, see #3"), ArtifactKind::Generic);
        assert_eq!(artifact_kind("owner/repo#12\n"), ArtifactKind::Generic);
    }

    #[test]
    fn a_title_without_letters_has_no_identity() {
        let key = task_key("?!", Some("p"));
        assert_eq!(key, "task:p:");
        assert_eq!(parse_entity_key(&key), None);
    }

    #[test]
    fn task_event_keys_do_not_collide_when_parts_shift() {
        let base = TaskEventKeyParts {
            kind: "task_created",
            task_id: "a:b",
            session_id: "c",
            source_entry_id: "e",
            payload: "{}",
        };
        let shifted = TaskEventKeyParts {
            task_id: "a",
            session_id: "b:c",
            ..base
        };
        let other_entry = TaskEventKeyParts {
            source_entry_id: "f",
            ..base
        };
        let key = task_event_dedupe_key(&base);
        assert_eq!(key.len(), 64);
        assert_eq!(key, task_event_dedupe_key(&base));
        assert_ne!(key, task_event_dedupe_key(&shifted));
        assert_ne!(key, task_event_dedupe_key(&other_entry));
    }

    proptest! {
        #[test]
        fn streaming_gives_what_the_definition_gives(
            title in r"(?:[a-zA-Z .,_-]|[Σσςé\u{301}\u{307}İß가-힣ᄀ-ᄒぁ-んﾊ-ﾞ㍿①\u{200d}🎉שא\u{85}\u{3000}]|.){0,300}",
            project in proptest::option::of("[a-zA-Z:가-힣 ]{0,8}"),
        ) {
            prop_assert_eq!(
                canonical_key(&title, project.as_deref()),
                reference_key(&title, project.as_deref())
            );
        }

        #[test]
        fn ascii_gives_what_the_definition_gives(
            title in r"([ -~]{0,9}|[\x00-\x7f]{0,3}|[A-Za-z_]{1,40}| ){0,120}",
            project in proptest::option::of("[a-z가-힣]{0,8}"),
        ) {
            prop_assert_eq!(
                canonical_key(&title, project.as_deref()),
                reference_key(&title, project.as_deref())
            );
            prop_assert_eq!(
                normalize(&title, '-'),
                reference_words(&title).join("-")
            );
        }

        #[test]
        fn a_key_never_outgrows_its_limit(title in ".{0,400}") {
            prop_assert!(canonical_key(&title, None).chars().count() <= 200);
        }

        #[test]
        fn parsing_never_panics(text in ".{0,60}") {
            let _ = parse_entity_key(&text);
            let _ = artifact_key(&text);
        }
    }
}
