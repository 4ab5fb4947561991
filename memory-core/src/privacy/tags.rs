//! Private tags: finds what the writer marked as private and replaces it by a marker, in
//! one pass over the original text.
//!
//! The work is linear in the length of any text: code spans and tags are found in the same
//! sweep, and tags are paired with one stack per format.

use std::borrow::Cow;

use crate::model::read::words;

words! {
    /// How a private section can be written.
    ///
    /// Letter case does not matter. The rule `remove_private_sections` accepts only the exact
    /// tag: `<private >`, a tag with attributes or a tag split over lines is ordinary text.
    /// The filter in front of the store hides what nearly is a tag, too. A tag closes only
    /// its own format.
    TagFormat ("formats") {
        /// `<private>…</private>`, also opened by `<private/>` or `<private />`.
        Xml = "xml",
        /// `[private]…[/private]`.
        Bracket = "bracket",
        /// `<!-- private -->…<!-- /private -->`, with optional inner whitespace.
        Comment = "comment",
    }
}

words! {
    /// What replaces a private section.
    #[derive(Default)]
    Marker ("marker") {
        /// `[PRIVATE]` (the default).
        #[default]
        Private = "[PRIVATE]",
        /// `[REDACTED]`.
        Redacted = "[REDACTED]",
        /// Nothing: the section disappears.
        Empty = "",
    }
}

/// A text without its private sections.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TagsRemoved<'t> {
    /// The text with a marker in place of each section.
    pub text: Cow<'t, str>,
    /// The number of sections that were removed, including empty ones.
    pub private_count: u32,
    /// True if an opening tag outside code had no closing tag. Such a tag hides nothing:
    /// the text after it is still there.
    pub unclosed: bool,
}

/// Removes the private sections from a text.
///
/// - Tags in fenced code (`` ``` `` to `` ``` ``) and in inline code (one line)
///   are literal; an unclosed fence or backtick protects nothing.
/// - The outermost section includes everything inside it: an opening tag is matched with
///   the closing tag that balances it or, if there is none, with the first closing tag of
///   its format.
/// - A section that contains only whitespace disappears without a marker.
/// - With `preserve_line_count`, the marker is followed by as many line ends as the section
///   contained, minus one.
///
/// ```
/// use recallite::privacy::{Marker, TagFormat, remove_private_sections};
/// let clean = remove_private_sections(
///     "before <private>the tiger</private> after",
///     &[TagFormat::Xml],
///     Marker::Private,
///     false,
/// );
/// assert_eq!(clean.text, "before [PRIVATE] after");
/// assert_eq!(clean.private_count, 1);
/// ```
pub fn remove_private_sections<'t>(
    text: &'t str,
    formats: &[TagFormat],
    marker: Marker,
    preserve_line_count: bool,
) -> TagsRemoved<'t> {
    let found = sections(&find_tags(text, formats));
    hide(text, &found, marker, preserve_line_count)
}

/// A private section with its tags, as byte positions.
#[derive(Clone, Copy)]
struct Section {
    /// Start of the opening tag.
    start: usize,
    /// The range between the tags.
    inner: (usize, usize),
    /// The position after the closing tag.
    end: usize,
}

/// The result of matching tags.
#[derive(Default)]
pub(super) struct Sections {
    /// In order and not nested.
    sections: Vec<Section>,
    /// The positions of unclosed opening tags.
    unclosed: Vec<usize>,
}

impl Sections {
    /// Whether any text is hidden.
    pub(super) fn hide_something(&self) -> bool {
        !self.sections.is_empty()
    }

    /// Whether one of these tags, which are in order, closes no section: what a person wanted to hide
    /// before it is not hidden.
    pub(super) fn leave_a_close(&self, tags: &[Tag]) -> bool {
        let mut closes = tags.iter().filter(|tag| !tag.opens);
        closes.any(|tag| {
            let next = self
                .sections
                .partition_point(|section| section.start <= tag.start);
            next == 0 || self.sections[next - 1].end <= tag.start
        })
    }
}

/// The sections of tags: the outermost includes everything inside it.
fn sections(tags: &[Tag]) -> Sections {
    let mut found = Sections::default();
    if tags.is_empty() {
        return found;
    }
    let closing = pair_tags(tags);
    let mut index = 0;
    while index < tags.len() {
        let tag = &tags[index];
        index += 1;
        if !tag.opens {
            continue;
        }
        let Some(close_index) = closing[index - 1] else {
            found.unclosed.push(tag.start);
            continue;
        };
        let close = &tags[close_index];
        found.sections.push(Section {
            start: tag.start,
            inner: (tag.end, close.start),
            end: close.end,
        });
        index = close_index + 1;
    }
    found
}

/// Everything hidden by the exact tags of a text or by these tags: if two readings of a
/// text differ, the one that hides more wins.
pub(super) fn sections_of_both(text: &str, formats: &[TagFormat], tags: &[Tag]) -> Sections {
    let mut both = sections(tags);
    let exact = sections(&find_tags(text, formats));
    both.sections.extend(exact.sections);
    both.sections.sort_unstable_by_key(|section| section.start);
    both.sections.dedup_by(|next, kept| {
        let overlap = next.start < kept.end;
        if overlap && next.end > kept.end {
            (kept.end, kept.inner.1) = (next.end, next.inner.1);
        }
        overlap
    });
    let hidden = &both.sections;
    both.unclosed.retain(|at| {
        let next = hidden.partition_point(|section| section.start <= *at);
        next == 0 || hidden[next - 1].end <= *at
    });
    both
}

/// Replaces each section by a marker.
pub(super) fn hide<'t>(
    text: &'t str,
    found: &Sections,
    marker: Marker,
    preserve_line_count: bool,
) -> TagsRemoved<'t> {
    let unclosed = !found.unclosed.is_empty();
    if found.sections.is_empty() {
        return TagsRemoved {
            text: Cow::Borrowed(text),
            private_count: 0,
            unclosed,
        };
    }
    let mut out = String::new();
    let mut copied_to = 0;
    for section in &found.sections {
        let inner = &text[section.inner.0..section.inner.1];
        out.push_str(&text[copied_to..section.start]);
        if !inner.chars().all(is_blank) {
            out.push_str(marker.as_str());
            if preserve_line_count {
                let line_ends = inner.bytes().filter(|b| *b == b'\n').count();
                out.extend(std::iter::repeat_n('\n', line_ends.saturating_sub(1)));
            }
        }
        copied_to = section.end;
    }
    out.push_str(&text[copied_to..]);
    TagsRemoved {
        text: Cow::Owned(out),
        private_count: u32::try_from(found.sections.len()).unwrap_or(u32::MAX),
        unclosed,
    }
}

/// Whitespace as in the specification's regular expressions.
pub(super) fn is_blank(c: char) -> bool {
    (c.is_whitespace() && c != '\u{85}') || c == '\u{feff}'
}

/// A tag in a text.
pub(super) struct Tag {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) format: TagFormat,
    pub(super) opens: bool,
}

/// The index of the closing tag for each opening tag, in linear time.
fn pair_tags(tags: &[Tag]) -> Vec<Option<usize>> {
    let mut closing = vec![None; tags.len()];
    for format in TagFormat::ALL {
        let mut open = Vec::new();
        for (index, tag) in tags.iter().enumerate() {
            if tag.format != *format {
                continue;
            }
            if tag.opens {
                open.push(index);
            } else if let Some(opener) = open.pop() {
                closing[opener] = Some(index);
            }
        }
        // Tags left on the stack have no balancing close and take the first one.
        let mut first_close = None;
        let mut unbalanced = open.into_iter().rev().peekable();
        for (index, tag) in tags.iter().enumerate().rev() {
            if tag.format != *format {
                continue;
            }
            if !tag.opens {
                first_close = Some(index);
            } else if unbalanced.peek() == Some(&index) {
                unbalanced.next();
                closing[index] = first_close;
            }
        }
    }
    closing
}

/// Every tag of the wanted formats outside fenced and inline code.
fn find_tags(text: &str, formats: &[TagFormat]) -> Vec<Tag> {
    let bytes = text.as_bytes();
    let wants_angle = formats.contains(&TagFormat::Xml) || formats.contains(&TagFormat::Comment);
    let wants_bracket = formats.contains(&TagFormat::Bracket);
    let mut tags = Vec::new();
    // Most texts contain no tag, so check that before scanning for code spans.
    if !may_hold_tag(text, formats) {
        return tags;
    }
    let mut fences_end = false;
    let mut at = 0;
    let begins = |byte: &u8| matches!(byte, b'`' | b'<' | b'[');
    while let Some(skipped) = bytes
        .get(at..)
        .and_then(|rest| rest.iter().position(begins))
    {
        at += skipped;
        match bytes[at] {
            b'`' => {
                if !fences_end && bytes[at..].starts_with(b"```") {
                    if let Some(length) = text[at + 3..].find("```") {
                        at += length + 6;
                        continue;
                    }
                    fences_end = true;
                }
                at = after_inline_code(bytes, at, fences_end).unwrap_or(at + 1);
            }
            b'<' if wants_angle => {
                let tag = tag_at(text, at).filter(|tag| formats.contains(&tag.format));
                at = tag.as_ref().map_or(at + 1, |tag| tag.end);
                tags.extend(tag);
            }
            b'[' if wants_bracket => {
                let tag = bracket_tag_at(bytes, at);
                at = tag.as_ref().map_or(at + 1, |tag| tag.end);
                tags.extend(tag);
            }
            _ => at += 1,
        }
    }
    tags
}

/// Whether any place could start a tag: cheap, with no false negatives.
fn may_hold_tag(text: &str, formats: &[TagFormat]) -> bool {
    let has_name = |rest: &[u8]| {
        let name = rest.strip_prefix(b"/").unwrap_or(rest);
        matches!(name, [b'p' | b'P', b'r' | b'R', ..])
    };
    formats.iter().any(|format| match format {
        TagFormat::Xml => any_behind(text, '<', has_name),
        TagFormat::Bracket => any_behind(text, '[', has_name),
        TagFormat::Comment => any_behind(text, '<', |rest| rest.starts_with(b"!--")),
    })
}

/// Whether what follows one of the signs of a text fits.
fn any_behind(text: &str, sign: char, fits: impl Fn(&[u8]) -> bool) -> bool {
    let mut places = text.match_indices(sign);
    places.any(|(at, _)| fits(&text.as_bytes()[at + 1..]))
}

/// The end of the inline code that starts at the backtick `at`: at least one character, on
/// one line.
fn after_inline_code(bytes: &[u8], at: usize, fences_end: bool) -> Option<usize> {
    let begin = at + 1;
    let length = bytes[begin..]
        .iter()
        .position(|b| matches!(b, b'`' | b'\n'))?;
    let end = begin + length;
    let closes = length > 0 && bytes[end] == b'`';
    // A fence that starts here is a fence, not the end of inline code.
    let is_fence = !fences_end
        && bytes[end..].starts_with(b"```")
        && bytes[end + 3..].windows(3).any(|w| w == b"```");
    (closes && !is_fence).then_some(end + 1)
}

/// The XML or comment tag that starts at `at`.
fn tag_at(text: &str, at: usize) -> Option<Tag> {
    let rest = &text.as_bytes()[at..];
    if rest.starts_with(b"<!--") {
        return comment_tag_at(&text[at..], at);
    }
    let (opens, name_at) = match rest.get(1)? {
        b'/' => (false, 2),
        _ => (true, 1),
    };
    let after = &rest[after_name(rest, name_at)?..];
    let tail = if after.starts_with(b">") {
        1
    } else if opens && after.starts_with(b"/>") {
        2
    } else if opens && after.starts_with(b" />") {
        3
    } else {
        return None;
    };
    Some(Tag {
        start: at,
        end: at + name_at + NAME.len() + tail,
        format: TagFormat::Xml,
        opens,
    })
}

fn bracket_tag_at(bytes: &[u8], at: usize) -> Option<Tag> {
    let rest = &bytes[at..];
    let (opens, name_at) = match rest.get(1)? {
        b'/' => (false, 2),
        _ => (true, 1),
    };
    let after = after_name(rest, name_at)?;
    (rest.get(after) == Some(&b']')).then_some(Tag {
        start: at,
        end: at + after + 1,
        format: TagFormat::Bracket,
        opens,
    })
}

fn comment_tag_at(rest: &str, at: usize) -> Option<Tag> {
    let mut here = after_blanks(rest, 4);
    let opens = !rest[here..].starts_with('/');
    if !opens {
        here += 1;
    }
    here = after_blanks(rest, after_name(rest.as_bytes(), here)?);
    rest[here..].starts_with("-->").then_some(Tag {
        start: at,
        end: at + here + 3,
        format: TagFormat::Comment,
        opens,
    })
}

const NAME: &[u8] = b"private";

fn after_name(rest: &[u8], at: usize) -> Option<usize> {
    let end = at + NAME.len();
    rest.get(at..end)?.eq_ignore_ascii_case(NAME).then_some(end)
}

fn after_blanks(rest: &str, at: usize) -> usize {
    rest.get(at..).map_or(at, |tail| {
        rest.len() - tail.trim_start_matches(is_blank).len()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn removed(text: &str) -> String {
        remove_private_sections(text, TagFormat::ALL, Marker::Private, false)
            .text
            .into_owned()
    }

    #[test]
    fn blanks_inside_a_comment_tag_are_those_of_the_specification() {
        let text = "a <!--\u{a0}private\u{3000}-->b<!--/private\u{feff}--> c";
        assert_eq!(removed(text), "a [PRIVATE] c");
        assert_eq!(removed("<!--\u{a0}-->"), "<!--\u{a0}-->");
    }

    #[test]
    fn outermost_section_takes_everything_inside() {
        assert_eq!(
            removed("<private>a<private>b</private>c</private>d"),
            "[PRIVATE]d"
        );
    }

    #[test]
    fn own_marker_in_the_text_is_a_tag_only_when_it_was_written_by_the_user() {
        let text = "<private>a</private> keep [private]b[/private] end";
        assert_eq!(removed(text), "[PRIVATE] keep [PRIVATE] end");
    }

    #[test]
    fn unclosed_tag_hides_nothing_and_is_reported() {
        let clean = remove_private_sections(
            "<private>a</private> <private>b",
            TagFormat::ALL,
            Marker::Private,
            false,
        );
        assert_eq!(clean.text, "[PRIVATE] <private>b");
        assert!(clean.unclosed);
    }

    #[test]
    fn tags_in_code_are_neither_tags_nor_unclosed() {
        let text = "`<private>` and ```\n<private>\n``` stay";
        let clean = remove_private_sections(text, TagFormat::ALL, Marker::Private, false);
        assert_eq!(clean.text, text);
        assert!(!clean.unclosed);
    }

    #[test]
    fn stray_backticks_on_different_lines_protect_nothing() {
        assert_eq!(
            removed("it`s\n<private>x</private>\nisn`t"),
            "it`s\n[PRIVATE]\nisn`t"
        );
    }

    #[test]
    fn section_around_right_to_left_and_joined_emoji_is_cut_on_characters() {
        assert_eq!(
            removed("שלום <private>סוד 👨‍👩‍👧</private> עולם"),
            "שלום [PRIVATE] עולם"
        );
    }

    #[test]
    fn work_is_linear_in_any_input() {
        // Quadratic work on two megabytes of these would take hours.
        for unit in [
            "<private>",
            "</private>",
            "<private>x</private>",
            "`",
            "```",
            "` ```",
            "<!--    ",
        ] {
            let text = unit.repeat(2_000_000 / unit.len());
            let clean = remove_private_sections(&text, TagFormat::ALL, Marker::Private, false);
            assert!(clean.text.len() <= text.len());
        }
    }

    proptest! {
        #[test]
        fn private_content_never_survives_a_balanced_pair(
            before in "[a-z가-힣 \n]{0,20}",
            inside in "[a-z가-힣 \n]{0,20}",
            after in "[a-z가-힣 \n]{0,20}",
        ) {
            let secret = format!("{inside}☂{inside}");
            let text = format!("{before}[private]{secret}[/private]{after}");
            let expected = format!("{before}[PRIVATE]{after}");
            prop_assert_eq!(removed(&text), expected);
        }

        #[test]
        fn any_text_is_accepted(pieces in proptest::collection::vec(
            prop_oneof![
                Just("<private>"), Just("</private>"), Just("[private]"), Just("[/private]"),
                Just("<!-- private -->"), Just("<!--/private-->"), Just("`"), Just("```"),
                Just("\n"), Just("é"), Just("한"), Just("🎉"), Just(" "),
            ], 0..40)) {
            let text = pieces.concat();
            let once = remove_private_sections(&text, TagFormat::ALL, Marker::Empty, true);
            prop_assert!(once.text.len() <= text.len());
        }
    }
}
