//! The privacy filter: its settings, the order of its steps, and [`Clean`], the type that
//! proves that a text passed through it.

use std::borrow::Cow;
use std::fmt;

use regex::{Regex, RegexBuilder};

use super::anonymize::{EMAIL, PHONE, USER, anonymize};
use super::context::Surroundings;
use super::near_tags::find_marks;
use super::own_patterns::matches_of;
use super::secrets::{SecretRules, mask_secrets};
use super::shape::{
    is_expression, is_placeholder, is_surely_expression, looks_chosen, looks_random,
};
use super::tags::{
    Marker, TagFormat, TagsRemoved, hide, remove_private_sections, sections_of_both,
};
use super::words::{Masked, REDACTED, mask_assignments, redact};
use crate::model::error::{Error, Result};
use crate::model::event::PrivacyReport;
use crate::model::setters::setters;

/// Settings of the privacy filter.
///
/// The defaults are those of the specification, plus recognising well-known key formats and
/// special care for source code.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PrivacyConfig {
    /// Whether to honour private tags. Default: true.
    pub private_tags: bool,
    /// What replaces a private section. Default: `[PRIVATE]`.
    pub marker: Marker,
    /// How private sections can be written. Default: only
    /// [`TagFormat::Xml`].
    pub formats: Vec<TagFormat>,
    /// Whether the marker is followed by all line ends of the section but one, and runs of line
    /// ends are kept everywhere. Default: false, which reduces runs of three and more to two.
    pub preserve_line_count: bool,
    /// Words (regular expressions, ignoring letter case) that make a value after them and
    /// `:` or `=` a secret. Default: `password`, `secret`, `api_key`, `token`, `bearer`;
    /// these five are always recognised, `bearer` with `:` or `=` only while
    /// [`code_aware`](Self::code_aware) is set.
    pub exclude_patterns: Vec<String>,
    /// Whether to also recognise secrets by their form: keys of well-known issuers, private
    /// keys, web tokens, passwords in addresses and commands, and `auto_detect_patterns`.
    /// Default: true.
    pub auto_detect: bool,
    /// Regular expressions whose matches are masked as a whole. Default: none.
    pub auto_detect_patterns: Vec<String>,
    /// Whether, in source code, the words apply only to quoted or random-looking values, so
    /// that `token = parser.next_token()` stays. Default: true.
    pub code_aware: bool,
    /// Whether to replace e-mail addresses, telephone numbers and the user names in home
    /// folders by placeholders. Default: false.
    pub anonymize: bool,
}

impl PrivacyConfig {
    setters! {
        /// Sets whether to honour private tags.
        private_tags: bool;
        /// Sets what replaces a private section.
        marker: Marker;
        /// Sets how private sections can be written.
        formats: list of TagFormat;
        /// Sets whether line ends are kept: those of a section but one, and runs of them.
        preserve_line_count: bool;
        /// Sets the words that make a value after them a secret.
        exclude_patterns: texts;
        /// Sets whether to recognise secrets by their form.
        auto_detect: bool;
        /// Sets regular expressions whose matches are masked as a whole.
        auto_detect_patterns: texts;
        /// Sets whether words apply only to quoted or random-looking values of source code.
        code_aware: bool;
        /// Sets whether to replace e-mail addresses, telephone numbers and user names.
        anonymize: bool;
    }
}

/// The default words of [`PrivacyConfig::exclude_patterns`] (specification).
pub const DEFAULT_EXCLUDE_PATTERNS: [&str; 5] =
    ["password", "secret", "api_key", "token", "bearer"];

impl Default for PrivacyConfig {
    fn default() -> Self {
        PrivacyConfig {
            private_tags: true,
            marker: Marker::Private,
            formats: vec![TagFormat::Xml],
            preserve_line_count: false,
            exclude_patterns: DEFAULT_EXCLUDE_PATTERNS.map(str::to_owned).to_vec(),
            auto_detect: true,
            auto_detect_patterns: Vec::new(),
            code_aware: true,
            anonymize: false,
        }
    }
}

/// A text that passed through the privacy filter.
///
/// Only the filter creates one, and content can be stored only as this type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Clean(String);

impl Clean {
    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns its length in UTF-8 bytes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if nothing is left.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the text, no longer marked as filtered.
    pub fn into_string(self) -> String {
        self.0
    }

    /// Text that was read back from the log, where only filtered text is.
    pub(crate) fn from_log(text: String) -> Self {
        Clean(text)
    }

    /// Only for this module: a text composed of filtered parts.
    pub(super) fn made_of_clean_parts(text: String) -> Self {
        Clean(text)
    }
}

impl AsRef<str> for Clean {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Clean {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The length of a text, in the units of three worlds: Rust and C, Python, and JavaScript.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextLength {
    /// The length in UTF-8 bytes.
    pub bytes: u64,
    /// The length in Unicode scalar values.
    pub chars: u64,
    /// The length in UTF-16 code units.
    pub utf16: u64,
}

impl TextLength {
    /// Measures a text.
    pub fn of(text: &str) -> Self {
        TextLength {
            bytes: text.len() as u64,
            chars: text.chars().count() as u64,
            utf16: text.chars().map(|c| c.len_utf16() as u64).sum(),
        }
    }
}

/// The result of filtering a text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Filtered {
    /// The text that may be stored.
    pub text: Clean,
    /// What the filter did.
    pub report: PrivacyReport,
    /// Warnings for the writer, for example about an unclosed private tag.
    pub warnings: Vec<String>,
}

/// The warning about an opening private tag that is never closed.
pub const UNCLOSED_TAG_WARNING: &str =
    "Unclosed private tag detected. The text after it was NOT filtered.";

/// The warning about private tags that are not written exactly.
pub const INEXACT_TAG_WARNING: &str = "Something that looks like a private tag was taken for one.";

/// The warning about private tags in code.
pub const TAG_IN_CODE_WARNING: &str =
    "A private tag in code hides nothing. The text between such tags was NOT filtered.";

/// The warning about private tags in a format that the settings do not name.
pub const UNWANTED_TAG_WARNING: &str =
    "A private tag of a format that is not switched on hides nothing. The text was NOT filtered.";

/// The warning about an opening tag whose name is not quite that of a private one, and about a closing
/// tag that closes nothing.
pub const MISSPELT_TAG_WARNING: &str =
    "Something that resembles a private tag hides nothing. The text was NOT filtered.";

/// The warning about a text with so many matches of the host's own patterns that the further ones were
/// looked for only nearby, or were not followed to their end.
pub const MANY_MATCHES_WARNING: &str =
    "So much matches a pattern of the host that long matches may NOT have been filtered.";

/// The compiled form of a [`PrivacyConfig`]. It is cheap to create if no patterns are
/// given, and can be used from many threads.
#[derive(Clone, Debug)]
pub struct PrivacyFilter {
    config: PrivacyConfig,
    excluded: Vec<Excluded>,
    detected: Vec<Regex>,
}

#[derive(Clone, Debug)]
enum Excluded {
    /// A literal word, matched without a regular expression.
    Word(String),
    Pattern(Regex),
}

impl Default for PrivacyFilter {
    fn default() -> Self {
        PrivacyFilter::new(PrivacyConfig::default()).expect("the default patterns are plain words")
    }
}

impl PrivacyFilter {
    /// Creates a filter.
    ///
    /// # Errors
    /// `invalid_argument` naming `exclude_patterns` or `auto_detect_patterns`
    /// when one of them is not a regular expression or would be too large.
    pub fn new(config: PrivacyConfig) -> Result<Self> {
        let mut excluded = Vec::new();
        for (at, pattern) in config.exclude_patterns.iter().enumerate() {
            // These are among the built-in words; an exact filter still runs them, because
            // the specification counts what they match.
            if config.code_aware && DEFAULT_EXCLUDE_PATTERNS.contains(&pattern.as_str()) {
                continue;
            }
            excluded.push(
                exclusion(pattern)
                    .map_err(|error| error.about(format!("exclude_patterns[{at}]")))?,
            );
        }
        let detected = config
            .auto_detect_patterns
            .iter()
            .enumerate()
            .map(|(at, pattern)| compile(&format!("auto_detect_patterns[{at}]"), pattern))
            .collect::<Result<_>>()?;
        Ok(PrivacyFilter {
            config,
            excluded,
            detected,
        })
    }

    /// Returns the settings it was created from.
    pub fn config(&self) -> &PrivacyConfig {
        &self.config
    }

    /// Filters a text: private sections, then secrets, then (if enabled) personal data,
    /// then runs of three or more line ends, which become two.
    ///
    /// Tags are read more generously than by [`remove_private_sections`]: something close
    /// to a tag counts as one (`<private >`, `<private reason="x">`, `&lt;private&gt;`,
    /// `\u003cprivate\u003e`), and a backtick after a letter does not start code. The
    /// warnings mention what looked like a tag and hid nothing.
    ///
    /// [`remove_private_sections`]: super::remove_private_sections
    ///
    /// ```
    /// use recallite::privacy::PrivacyFilter;
    /// let filtered = PrivacyFilter::default().text("<private>x</private> password=abc tail");
    /// assert_eq!(filtered.text.as_str(), "[PRIVATE] [REDACTED] tail");
    /// assert_eq!((filtered.report.private_count, filtered.report.secret_count), (1, 1));
    /// ```
    pub fn text(&self, text: &str) -> Filtered {
        self.filtered(text, |text| self.without_sections(text))
    }

    /// Like [`PrivacyFilter::text`], with the tags of [`remove_private_sections`] alone: what
    /// only looks like a tag hides nothing, as the specification has it.
    ///
    /// [`remove_private_sections`]: super::remove_private_sections
    pub fn text_with_exact_tags(&self, text: &str) -> Filtered {
        self.filtered(text, |text| {
            let config = &self.config;
            let removed = remove_private_sections(
                text,
                &config.formats,
                config.marker,
                config.preserve_line_count,
            );
            let warning = removed.unclosed.then(|| UNCLOSED_TAG_WARNING.to_owned());
            (removed, warning.into_iter().collect())
        })
    }

    /// The steps of the filter, the first of which removes the private sections.
    fn filtered<'t>(
        &self,
        text: &'t str,
        without_sections: impl FnOnce(&'t str) -> (TagsRemoved<'t>, Vec<String>),
    ) -> Filtered {
        let original_bytes = text.len() as u64;
        let mut report = PrivacyReport::default();
        let mut warnings = Vec::new();
        let mut current = Cow::Borrowed(text);
        if self.config.private_tags {
            let (removed, told) = without_sections(text);
            report.private_count = removed.private_count;
            warnings = told;
            current = removed.text;
        }
        let mut missed = false;
        let masked = self.mask(&current, &mut missed);
        if missed {
            warnings.push(MANY_MATCHES_WARNING.to_owned());
        }
        report.secret_count = masked.secret_count;
        if let Cow::Owned(text) = masked.text {
            current = Cow::Owned(text);
        }
        if self.config.anonymize {
            let anonymous = anonymize(&current);
            report.anonymized_count = anonymous.anonymized_count;
            if let Cow::Owned(text) = anonymous.text {
                current = Cow::Owned(text);
            }
        }
        if !self.config.preserve_line_count
            && let Some(text) = collapse_line_ends(&current)
        {
            current = Cow::Owned(text);
        }
        report.original_bytes = original_bytes;
        report.filtered_bytes = current.len() as u64;
        Filtered {
            text: Clean(current.into_owned()),
            report,
            warnings,
        }
    }

    /// Removes the private sections, tags that are not written exactly included, and says what
    /// the writer should know about them.
    fn without_sections<'t>(&self, text: &'t str) -> (TagsRemoved<'t>, Vec<String>) {
        let marks = find_marks(text, &self.config.formats);
        let sections = sections_of_both(text, &self.config.formats, &marks.tags);
        let removed = hide(
            text,
            &sections,
            self.config.marker,
            self.config.preserve_line_count,
        );
        let told = [
            (removed.unclosed || marks.unfinished, UNCLOSED_TAG_WARNING),
            (
                marks.inexact && sections.hide_something(),
                INEXACT_TAG_WARNING,
            ),
            (marks.in_code, TAG_IN_CODE_WARNING),
            (marks.unwanted, UNWANTED_TAG_WARNING),
            (
                marks.misspelt || sections.leave_a_close(&marks.tags),
                MISSPELT_TAG_WARNING,
            ),
        ];
        let warnings = told
            .into_iter()
            .filter(|(is_so, _)| *is_so)
            .map(|(_, warning)| warning.to_owned())
            .collect();
        (removed, warnings)
    }

    /// Whether the settings can change a bare number, such as that of a card or a telephone.
    pub(super) fn reaches_numbers(&self) -> bool {
        let has_patterns = self.config.auto_detect && !self.detected.is_empty();
        has_patterns || !self.excluded.is_empty() || self.config.anonymize
    }

    fn mask<'t>(&self, text: &'t str, missed: &mut bool) -> Masked<'t> {
        let mut masked = mask_secrets(
            text,
            SecretRules {
                code_aware: self.config.code_aware,
                key_formats: self.config.auto_detect,
            },
        );
        for excluded in &self.excluded {
            masked = masked.then(|t| match excluded {
                Excluded::Word(word) => mask_assignments(t, word),
                Excluded::Pattern(pattern) => self.mask_excluded(t, pattern, missed),
            });
        }
        if self.config.auto_detect {
            for pattern in &self.detected {
                masked = masked.then(|t| redact(t, &matches_of(t, pattern, missed)));
            }
        }
        masked
    }

    fn mask_excluded<'t>(&self, text: &'t str, pattern: &Regex, missed: &mut bool) -> Masked<'t> {
        let around = Surroundings::new(text);
        let is_of_program = |(start, end): (usize, usize)| {
            let found = pattern.captures_at(&text[..end], start);
            let value = found.as_ref().and_then(|found| found.name(VALUE));
            let quote = found.as_ref().and_then(|found| found.name(QUOTE));
            quote.is_none_or(|quote| quote.is_empty())
                && value.is_some_and(|value| is_program_value(&around, start, value.as_str()))
        };
        let mut ranges = matches_of(text, pattern, missed);
        ranges.retain(|range| !(self.config.code_aware && is_of_program(*range)));
        redact(text, &ranges)
    }
}

/// Whether a bare value after a caller's word is part of a program.
fn is_program_value(around: &Surroundings<'_>, at: usize, value: &str) -> bool {
    is_placeholder(value)
        || (!looks_random(value)
            && is_expression(value)
            && (is_surely_expression(value) || (around.is_code(at) && !looks_chosen(value))))
}

const VALUE: &str = "recallite_value";
const QUOTE: &str = "recallite_quote";

fn exclusion(pattern: &str) -> Result<Excluded> {
    if DEFAULT_EXCLUDE_PATTERNS.contains(&pattern) {
        return Ok(Excluded::Word(pattern.to_owned()));
    }
    let blank = r"[\s\x{feff}&&[^\x{85}]]";
    let not_value = r#"[^'"\s\x{feff}]"#;
    // Checked alone first: `)(` would become valid inside the parentheses.
    compile("exclude_patterns", pattern)?;
    let whole =
        format!(r#"(?:{pattern}){blank}*[:=]{blank}*(?P<{QUOTE}>['"]?)(?P<{VALUE}>{not_value}+)"#);
    compile("exclude_patterns", &whole).map(Excluded::Pattern)
}

/// The error does not show the pattern: it may be the very word that is never to be stored, and
/// errors are logged.
fn compile(argument: &str, pattern: &str) -> Result<Regex> {
    if pattern.is_empty() {
        return Err(Error::invalid(argument, "must not be empty"));
    }
    RegexBuilder::new(pattern)
        .case_insensitive(argument == "exclude_patterns")
        .build()
        .map_err(|error| {
            // What the parser found stands in the last line, behind a drawing of the place.
            let told = error.to_string();
            let reason = told.lines().next_back().unwrap_or_default().trim();
            let reason = reason.strip_prefix("error: ").unwrap_or(reason);
            Error::invalid(
                argument,
                format_args!("is not a usable regular expression: {reason}"),
            )
        })
}

/// The start of a filtered text, at most `limit` bytes, without splitting a character or a
/// marker of the filter.
pub(crate) fn head_of_clean(text: &str, limit: usize) -> &str {
    let head = &text[..text.floor_char_boundary(limit)];
    let Some(open) = head.rfind('[') else {
        return head;
    };
    let marks = [REDACTED, Marker::Private.as_str(), EMAIL, PHONE, USER];
    let is_split = marks
        .iter()
        .any(|mark| head.len() < open + mark.len() && text[open..].starts_with(mark));
    if is_split { &head[..open] } else { head }
}

/// A filtered text with a blank in place of each marker of something hidden: no one said these
/// words. That of a user's name stays, because a stored path has it too.
pub(crate) fn without_markers(text: &str) -> String {
    [Marker::Private.as_str(), REDACTED, EMAIL, PHONE]
        .iter()
        .fold(text.to_owned(), |text, mark| text.replace(mark, " "))
}

/// The position of the first three consecutive line ends.
fn three_line_ends(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    // One of three is at such a position, and at most two of them are before it.
    let mut at = 2;
    while let Some(byte) = bytes.get(at) {
        if *byte == b'\n' {
            let before = bytes[at - 2..at].iter().rev();
            let start = at - before.take_while(|b| **b == b'\n').count();
            if bytes[start..].starts_with(b"\n\n\n") {
                return Some(start);
            }
        }
        at += 3;
    }
    None
}

/// Reduces runs of three and more line ends to two; `None` if there are none.
fn collapse_line_ends(text: &str) -> Option<String> {
    let mut at = three_line_ends(text)?;
    let mut out = String::with_capacity(text.len());
    let mut copied_to = 0;
    loop {
        out.push_str(&text[copied_to..at + 2]);
        let rest = &text[at..];
        copied_to = at + rest.len() - rest.trim_start_matches('\n').len();
        match three_line_ends(&text[copied_to..]) {
            Some(offset) => at = copied_to + offset,
            None => break,
        }
    }
    out.push_str(&text[copied_to..]);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::error::ErrorCode;

    #[test]
    fn invalid_patterns_are_refused_by_name() {
        for (argument, config) in [
            (
                "exclude_patterns[0]",
                PrivacyConfig {
                    exclude_patterns: vec!["(".into()],
                    ..PrivacyConfig::default()
                },
            ),
            (
                "exclude_patterns[0]",
                PrivacyConfig {
                    exclude_patterns: vec![")(".into()],
                    ..PrivacyConfig::default()
                },
            ),
            (
                "exclude_patterns[0]",
                PrivacyConfig {
                    exclude_patterns: vec![String::new()],
                    ..PrivacyConfig::default()
                },
            ),
            (
                "auto_detect_patterns[1]",
                PrivacyConfig {
                    auto_detect_patterns: vec!["ok".into(), String::new()],
                    ..PrivacyConfig::default()
                },
            ),
        ] {
            let error = PrivacyFilter::new(config).unwrap_err();
            assert_eq!(
                (error.code(), error.argument()),
                (ErrorCode::InvalidArgument, Some(argument))
            );
        }
        // It may be what must not be stored, and errors are logged.
        let config = PrivacyConfig {
            exclude_patterns: vec!["heron(".into()],
            ..PrivacyConfig::default()
        };
        let error = PrivacyFilter::new(config).unwrap_err();
        assert!(!format!("{error:?}").contains("heron"), "{error:?}");
    }

    #[test]
    fn own_patterns_mask_their_matches() {
        let filter = PrivacyFilter::new(PrivacyConfig {
            exclude_patterns: vec!["pin".into()],
            auto_detect_patterns: vec![r"EMP-\d{4}".into(), "x*".into()],
            ..PrivacyConfig::default()
        })
        .unwrap();
        let filtered = filter.text("my_pin=1234, employee EMP-0042; password=abc");
        assert_eq!(
            filtered.text.as_str(),
            "my_[REDACTED] employee [REDACTED]; [REDACTED]"
        );
        assert_eq!(filtered.report.secret_count, 3);
    }

    /// A host must know that its own patterns did not see the whole text.
    #[test]
    fn a_text_with_so_many_matches_that_others_may_be_missed_is_told() {
        const MANY: usize = 3_000;
        let filter = |pattern: &str| {
            PrivacyFilter::new(PrivacyConfig {
                auto_detect_patterns: vec![pattern.into()],
                ..PrivacyConfig::default()
            })
            .unwrap()
        };
        let line = format!("2026-11-29 EMP-0042 {}\n", "logged in ".repeat(4));
        let block = format!("BEGIN-ACME {} END-ACME", "lines of it ".repeat(200));
        let text = format!("{}{block}", line.repeat(MANY));
        let filtered = filter(r"(?s)EMP-\d{4}|BEGIN-ACME.*?END-ACME").text(&text);
        assert_eq!(filtered.report.secret_count as usize, MANY);
        assert_eq!(filtered.warnings, [MANY_MATCHES_WARNING]);
        let filtered = filter(r"EMP-\d{4}").text(&text);
        assert_eq!(filtered.report.secret_count as usize, MANY);
        assert!(filtered.warnings.is_empty());
    }

    #[test]
    fn runs_of_line_ends_collapse_but_not_with_kept_line_counts() {
        assert_eq!(
            PrivacyFilter::default()
                .text("a\n\n\n\nb\n\n\n")
                .text
                .as_str(),
            "a\n\nb\n\n"
        );
        let filter = PrivacyFilter::new(PrivacyConfig {
            preserve_line_count: true,
            ..PrivacyConfig::default()
        })
        .unwrap();
        assert_eq!(filter.text("a\n\n\n\nb").text.as_str(), "a\n\n\n\nb");
    }

    #[test]
    fn a_run_of_line_ends_is_found_wherever_it_begins() {
        for before in 0..8 {
            for length in 0..6 {
                let text = format!("{}{}b\n\nc", "a".repeat(before), "\n".repeat(length));
                let expected = (length > 2).then_some(before);
                assert_eq!(three_line_ends(&text), expected, "{text:?}");
            }
        }
    }

    #[test]
    fn unclosed_tags_are_reported() {
        let filtered = PrivacyFilter::default().text("<private>x");
        assert_eq!(filtered.warnings, [UNCLOSED_TAG_WARNING]);
    }

    #[test]
    fn switched_off_filter_changes_nothing_but_words() {
        let filter = PrivacyFilter::new(PrivacyConfig {
            private_tags: false,
            auto_detect: false,
            exclude_patterns: Vec::new(),
            ..PrivacyConfig::default()
        })
        .unwrap();
        let text = "<private>AKIAIOSFODNN7EXAMPLE</private>";
        assert_eq!(filter.text(text).text.as_str(), text);
    }
}
