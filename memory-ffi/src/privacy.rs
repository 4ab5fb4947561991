//! What a memory takes out of every text before it is stored, and how much of a
//! tool's output it keeps.

use recallite::privacy::{Marker, PrivacyConfig, TagFormat};
use recallite::text::tool::ToolLimits;
use recallite::{Error, Result};

use crate::input::{self, Input, boolean, c_bool};
use crate::text::recallite_str;

/// What stands in the place of a private section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum recallite_marker {
    /// [PRIVATE]
    RECALLITE_MARKER_PRIVATE = 0,
    /// [REDACTED]
    RECALLITE_MARKER_REDACTED = 1,
    /// Nothing: the section vanishes.
    RECALLITE_MARKER_EMPTY = 2,
}

/// How a private section may be written. Letter case does not matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum recallite_tag_format {
    /// <private>...</private>
    RECALLITE_TAG_FORMAT_XML = 1,
    /// [private]...[/private]
    RECALLITE_TAG_FORMAT_BRACKET = 2,
    /// An HTML comment that says private, and one that says /private.
    RECALLITE_TAG_FORMAT_COMMENT = 3,
}

/// What the privacy filter does. Begin with
/// RECALLITE_INIT(recallite_privacy_config); a field that is zero has its
/// default.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct recallite_privacy_config {
    /// sizeof(recallite_privacy_config).
    pub struct_size: usize,
    /// Words (regular expressions, letter case ignored) that make a value behind
    /// them and : or = a secret. None means password, secret, api_key, token and
    /// bearer.
    pub exclude_patterns: *const recallite_str,
    /// How many words.
    pub exclude_patterns_len: usize,
    /// Regular expressions whose matches are masked as a whole.
    pub auto_detect_patterns: *const recallite_str,
    /// How many expressions.
    pub auto_detect_patterns_len: usize,
    /// How private sections may be written, each one of recallite_tag_format;
    /// none means RECALLITE_TAG_FORMAT_XML alone.
    pub formats: *const i32,
    /// How many formats.
    pub formats_len: usize,
    /// What stands in the place of a private section: one of recallite_marker.
    pub marker: i32,
    /// Leave private tags alone.
    pub skip_private_tags: c_bool,
    /// Keep the numbers of the lines after a private section: the marker is
    /// followed by as many line ends as the section had.
    pub preserve_line_count: c_bool,
    /// Mask by words only: no key formats of well-known issuers, no web tokens,
    /// no passwords in addresses, no auto_detect_patterns.
    pub skip_auto_detect: c_bool,
    /// Treat source code as any other text; otherwise words fire there only on
    /// quoted or random-looking values.
    pub skip_code_awareness: c_bool,
    /// Replace e-mail addresses, telephone numbers and the user names of home
    /// folders by placeholders.
    pub anonymize: c_bool,
}

// SAFETY: repr(C), the size comes first, and integers, bytes and raw pointers
// take every bit pattern.
unsafe impl Input for recallite_privacy_config {
    const FIRST_SIZE: usize = size_of::<recallite_privacy_config>();
}

/// How much of a tool's output is stored. Begin with
/// RECALLITE_INIT(recallite_tool_limits); a field that is zero has its default.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct recallite_tool_limits {
    /// sizeof(recallite_tool_limits).
    pub struct_size: usize,
    /// At most this many characters (Unicode scalar values). Default: 10,000.
    pub max_output_chars: usize,
    /// At most this many lines. Default: 100.
    pub max_output_lines: usize,
    /// Keep everything, whatever the other two say.
    pub keep_whole_output: c_bool,
}

// SAFETY: as above.
unsafe impl Input for recallite_tool_limits {
    const FIRST_SIZE: usize = size_of::<recallite_tool_limits>();
}

fn owned(texts: Vec<&str>) -> Vec<String> {
    texts.into_iter().map(str::to_owned).collect()
}

/// # Safety
/// `config` points to a config whose texts and arrays are absent or readable.
pub(crate) unsafe fn privacy(config: *const recallite_privacy_config) -> Result<PrivacyConfig> {
    let mut wanted = PrivacyConfig::default();
    // SAFETY: the caller keeps the same condition, for each array below.
    let config = unsafe {
        let config = input::read("privacy", config)?;
        let words = input::texts(
            "privacy.exclude_patterns",
            config.exclude_patterns,
            config.exclude_patterns_len,
        )?;
        if !words.is_empty() {
            wanted.exclude_patterns = owned(words);
        }
        wanted.auto_detect_patterns = owned(input::texts(
            "privacy.auto_detect_patterns",
            config.auto_detect_patterns,
            config.auto_detect_patterns_len,
        )?);
        let formats = input::array("privacy.formats", config.formats, config.formats_len)?;
        if !formats.is_empty() {
            wanted.formats = formats
                .iter()
                .enumerate()
                .map(|(index, number)| tag_format(index, *number))
                .collect::<Result<_>>()?;
        }
        config
    };
    wanted.marker = marker(config.marker)?;
    wanted.private_tags = !boolean("privacy.skip_private_tags", config.skip_private_tags)?;
    wanted.preserve_line_count =
        boolean("privacy.preserve_line_count", config.preserve_line_count)?;
    wanted.auto_detect = !boolean("privacy.skip_auto_detect", config.skip_auto_detect)?;
    wanted.code_aware = !boolean("privacy.skip_code_awareness", config.skip_code_awareness)?;
    wanted.anonymize = boolean("privacy.anonymize", config.anonymize)?;
    Ok(wanted)
}

fn tag_format(index: usize, number: i32) -> Result<TagFormat> {
    use recallite_tag_format::*;
    match number {
        n if n == RECALLITE_TAG_FORMAT_XML as i32 => Ok(TagFormat::Xml),
        n if n == RECALLITE_TAG_FORMAT_BRACKET as i32 => Ok(TagFormat::Bracket),
        n if n == RECALLITE_TAG_FORMAT_COMMENT as i32 => Ok(TagFormat::Comment),
        n => Err(Error::invalid(
            format!("privacy.formats[{index}]"),
            format_args!("{n} is no recallite_tag_format"),
        )),
    }
}

fn marker(number: i32) -> Result<Marker> {
    use recallite_marker::*;
    match number {
        n if n == RECALLITE_MARKER_PRIVATE as i32 => Ok(Marker::Private),
        n if n == RECALLITE_MARKER_REDACTED as i32 => Ok(Marker::Redacted),
        n if n == RECALLITE_MARKER_EMPTY as i32 => Ok(Marker::Empty),
        n => Err(Error::invalid(
            "privacy.marker",
            format_args!("{n} is no recallite_marker"),
        )),
    }
}

/// # Safety
/// `limits` points to limits.
pub(crate) unsafe fn tool_limits(limits: *const recallite_tool_limits) -> Result<ToolLimits> {
    // SAFETY: the caller keeps the same condition.
    let limits = unsafe { input::read("tool_limits", limits) }?;
    let mut wanted = ToolLimits::default();
    if limits.max_output_chars != 0 {
        wanted.max_output_chars = limits.max_output_chars;
    }
    if limits.max_output_lines != 0 {
        wanted.max_output_lines = limits.max_output_lines;
    }
    wanted.keep_whole_output = boolean("tool_limits.keep_whole_output", limits.keep_whole_output)?;
    Ok(wanted)
}
