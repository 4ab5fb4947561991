//! Tool observations as text: truncating long output, metadata derived from a call, the
//! text that is embedded, and one-line summaries.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::model::event::{SkipReason, ToolUse};
use crate::model::json::Json;
use crate::model::setters::setters;
use crate::model::time::Timestamp;
use crate::text::show::on_one_line;

/// What replaces output that was cut (specification).
pub const TRUNCATED: &str = "\n...[TRUNCATED]...\n";

/// Whether a tool of a coding agent reads the web: what it returns was written by strangers.
pub(crate) fn is_web_tool(name: &str) -> bool {
    matches!(
        name,
        // Claude Code.
        "WebFetch" | "WebSearch"
            // Gemini CLI, Copilot CLI and Codex.
            | "web_fetch" | "web_search" | "google_web_search"
            // VS Code.
            | "fetch_webpage"
    )
}

/// How much of a tool's output is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolLimits {
    /// The maximum number of characters (Unicode scalar values). Default: 10,000.
    pub max_output_chars: usize,
    /// The maximum number of lines. Default: 100.
    pub max_output_lines: usize,
    /// Whether to keep the whole output, regardless of the other limits. Default: false.
    pub keep_whole_output: bool,
    /// Whether to keep only the informative part of the output of some tools: the first and the
    /// last 50 lines of Read, the files in which Grep found something, and the first 500 characters
    /// of WebFetch. The output of failed calls and of other tools is kept within the limits.
    /// Default: false.
    pub by_tool: bool,
}

impl Default for ToolLimits {
    fn default() -> Self {
        ToolLimits {
            max_output_chars: 10_000,
            max_output_lines: 100,
            keep_whole_output: false,
            by_tool: false,
        }
    }
}

impl ToolLimits {
    setters! {
        /// Sets the maximum number of characters.
        max_output_chars: usize;
        /// Sets the maximum number of lines.
        max_output_lines: usize;
        /// Sets whether to keep the whole output.
        keep_whole_output: bool;
        /// Sets whether to keep only the informative part of the output of some tools.
        by_tool: bool;
    }
}

/// Lines of a file that [`ToolLimits::by_tool`] keeps (specification).
const READ_LINES: usize = 100;
/// Characters of a web page that it keeps (specification).
const FETCHED_CHARS: usize = 500;

/// Which tool calls to store.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolPolicy {
    /// Whether to store tool calls at all. Default: true.
    pub enabled: bool,
    /// Tools whose calls are never stored. Default: TodoWrite and TodoRead.
    pub excluded_tools: Vec<String>,
    /// Whether to skip failed calls. Default: false.
    pub store_only_on_success: bool,
}

impl Default for ToolPolicy {
    fn default() -> Self {
        ToolPolicy {
            enabled: true,
            excluded_tools: vec!["TodoWrite".to_owned(), "TodoRead".to_owned()],
            store_only_on_success: false,
        }
    }
}

impl ToolPolicy {
    setters! {
        /// Sets whether to store tool calls at all.
        enabled: bool;
        /// Sets the tools whose calls are never stored.
        excluded_tools: texts;
        /// Sets whether to skip failed calls.
        store_only_on_success: bool;
    }

    /// Creates a policy that stores every call.
    pub fn everything() -> Self {
        ToolPolicy {
            enabled: true,
            excluded_tools: Vec::new(),
            store_only_on_success: false,
        }
    }

    /// Returns true if this call should be stored.
    pub fn allows(&self, tool: &ToolUse) -> bool {
        self.refuses(tool).is_none()
    }

    /// Why this call must not be stored; `None` if it may be.
    pub(crate) fn refuses(&self, tool: &ToolUse) -> Option<SkipReason> {
        if !self.enabled || self.excluded_tools.contains(&tool.name) {
            Some(SkipReason::ToolExcluded)
        } else if self.store_only_on_success && !succeeded(tool) {
            Some(SkipReason::ToolFailed)
        } else {
            None
        }
    }
}

/// Returns true if a call succeeded: what the host says or, if it says nothing, whether
/// there is no error.
pub(crate) fn succeeded(tool: &ToolUse) -> bool {
    let is_blank = |error: &str| error.trim().is_empty();
    tool.success
        .unwrap_or_else(|| tool.error.as_deref().is_none_or(is_blank))
}

/// Returns how long a call took, in milliseconds. Returns `None` if a time is missing or
/// the end is before the beginning.
pub fn duration_ms(started: Option<Timestamp>, ended: Option<Timestamp>) -> Option<u64> {
    let length = ended?.millis().checked_sub(started?.millis())?;
    u64::try_from(length).ok()
}

/// Truncates output to `max_lines` lines and then to `max_chars` characters. The first half
/// (rounded up) and the last half are kept, with `...[TRUNCATED]...` between them, so the
/// result can be longer than the limit by this marker.
///
/// ```
/// use recallite::text::tool::truncate_output;
/// assert_eq!(truncate_output("abcdefghijk", 10, 100), "abcde\n...[TRUNCATED]...\nghijk");
/// ```
pub fn truncate_output(output: &str, max_chars: usize, max_lines: usize) -> Cow<'_, str> {
    let by_lines = truncate_lines(output, max_lines);
    match truncate_chars(&by_lines, max_chars) {
        Some(cut) => Cow::Owned(cut),
        None => by_lines,
    }
}

fn truncate_lines(output: &str, max_lines: usize) -> Cow<'_, str> {
    let lines = output.bytes().filter(|b| *b == b'\n').count() + 1;
    if lines <= max_lines {
        return Cow::Borrowed(output);
    }
    let head = max_lines.div_ceil(2);
    let tail = max_lines / 2;
    let head = match head.checked_sub(1) {
        Some(last) => output
            .match_indices('\n')
            .nth(last)
            .map_or(output, |(end, _)| &output[..end]),
        None => "",
    };
    let tail = match tail.checked_sub(1) {
        Some(first) => output
            .rmatch_indices('\n')
            .nth(first)
            .map_or(output, |(end, _)| &output[end + 1..]),
        None => "",
    };
    Cow::Owned([head, TRUNCATED, tail].concat())
}

fn truncate_chars(text: &str, max_chars: usize) -> Option<String> {
    // Byte length is an upper bound for characters, so most texts need no counting.
    if text.len() <= max_chars || text.chars().nth(max_chars).is_none() {
        return None;
    }
    let head = match text.char_indices().nth(max_chars.div_ceil(2)) {
        Some((end, _)) => &text[..end],
        None => text,
    };
    let tail = match (max_chars / 2).checked_sub(1) {
        Some(first) => text
            .char_indices()
            .rev()
            .nth(first)
            .map_or(text, |(start, _)| &text[start..]),
        None => "",
    };
    Some([head, TRUNCATED, tail].concat())
}

/// The file that an observation is about, from the call's derived metadata; `None` if there
/// is none or its path exceeds the name limit (1,024 bytes).
pub(crate) fn observed_file(metadata: &str) -> Option<String> {
    let metadata: Value = serde_json::from_str(metadata).ok()?;
    let path = metadata.get("filePath")?.as_str()?;
    (!path.is_empty() && path.len() <= 1024).then(|| path.to_owned())
}

/// Returns what can be derived from a call, as a JSON object: `filePath`, `fileType` and
/// `lineCount` for files; `command` and `exitCode` for shells; `pattern` and `matchCount`
/// for searches; `url` and `statusCode` for fetches. Unknown tools give `{}`.
pub fn tool_metadata(tool_name: &str, input: Option<&Json>, output: &str, success: bool) -> Json {
    let input = input.map_or(Value::Null, Json::to_value);
    Json::from_value(&Value::Object(metadata_fields(
        tool_name, &input, output, success,
    )))
}

fn metadata_fields(
    tool_name: &str,
    input: &Value,
    output: &str,
    success: bool,
) -> Map<String, Value> {
    let mut fields = Map::new();
    let given = |name: &str| input.get(name).and_then(Value::as_str);
    let copy = |fields: &mut Map<String, Value>, from: &str, to: &str| {
        if let Some(text) = given(from) {
            fields.insert(to.to_owned(), text.into());
        }
    };
    match tool_name {
        "Read" | "Write" | "Edit" => {
            copy(&mut fields, "file_path", "filePath");
            if let Some(kind) = given("file_path").and_then(file_type) {
                fields.insert("fileType".to_owned(), kind.into());
            }
            let counted = match tool_name {
                "Read" => Some(output).filter(|_| success),
                "Write" => given("content"),
                _ => None,
            };
            if let Some(text) = counted {
                fields.insert("lineCount".to_owned(), line_count(text).into());
            }
        }
        "Bash" => {
            copy(&mut fields, "command", "command");
            if success {
                fields.insert("exitCode".to_owned(), 0.into());
            }
        }
        "Grep" | "Glob" => {
            copy(&mut fields, "pattern", "pattern");
            if success {
                fields.insert("matchCount".to_owned(), match_count(output).into());
            }
        }
        "WebFetch" => {
            copy(&mut fields, "url", "url");
            if let Some(status) = status_code(output) {
                fields.insert("statusCode".to_owned(), status.into());
            }
        }
        "NotebookEdit" => {
            copy(&mut fields, "notebook_path", "filePath");
            fields.insert("fileType".to_owned(), "jupyter".into());
        }
        _ => {}
    }
    fields
}

fn line_count(text: &str) -> usize {
    text.bytes().filter(|b| *b == b'\n').count() + 1
}

/// Returns the type of a file by what follows the last dot of its path, ignoring letter
/// case, for example `"typescript"` for `a.test.ts`. Returns `None` if it is unknown.
pub(crate) fn file_type(path: &str) -> Option<&'static str> {
    let (_, extension) = path.rsplit_once('.')?;
    Some(match extension.to_lowercase().as_str() {
        "ts" | "tsx" => "typescript",
        "js" | "jsx" => "javascript",
        "py" => "python",
        "rb" => "ruby",
        "go" => "go",
        "rs" => "rust",
        "java" => "java",
        "kt" => "kotlin",
        "swift" => "swift",
        "c" => "c",
        "cpp" => "cpp",
        "h" | "hpp" => "header",
        "cs" => "csharp",
        "php" => "php",
        "html" => "html",
        "css" => "css",
        "scss" => "scss",
        "json" => "json",
        "yaml" | "yml" => "yaml",
        "xml" => "xml",
        "md" => "markdown",
        "sql" => "sql",
        "sh" | "bash" | "zsh" => "shell",
        _ => return None,
    })
}

/// Takes the count from `Found 15 matches`; otherwise counts non-blank lines.
fn match_count(output: &str) -> u64 {
    let said = find_ignoring_case(output, "found ").find_map(|at| {
        let rest = &output[at..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let rest_is_match = rest[digits..]
            .trim_start_matches([' ', '\t'])
            .get(..5)
            .is_some_and(|word| word.eq_ignore_ascii_case("match"));
        rest[..digits].parse().ok().filter(|_| rest_is_match)
    });
    said.unwrap_or_else(|| {
        output
            .lines()
            .filter(|line| !line.trim().is_empty())
            .count() as u64
    })
}

/// The first `status:` followed by three digits.
fn status_code(output: &str) -> Option<u16> {
    find_ignoring_case(output, "status:").find_map(|at| {
        let rest = output[at..].trim_start();
        let digits = rest.get(..3)?;
        digits
            .bytes()
            .all(|b| b.is_ascii_digit())
            .then(|| digits.parse().ok())
            .flatten()
    })
}

/// The end of every occurrence of an ASCII text, case-insensitively.
fn find_ignoring_case<'t>(text: &'t str, wanted: &'t str) -> impl Iterator<Item = usize> + 't {
    let first = wanted.as_bytes()[0];
    text.as_bytes()
        .windows(wanted.len())
        .enumerate()
        .filter(move |(_, window)| {
            window[0].eq_ignore_ascii_case(&first) && window.eq_ignore_ascii_case(wanted.as_bytes())
        })
        .map(move |(at, _)| at + wanted.len())
}

/// Returns the text that is embedded for a call: `Tool:`, then `File:`, `Command:` and
/// `Pattern:` if `metadata` has them, then `Result: Success` or `Result: Failed`. Outputs are
/// not embedded.
pub fn tool_embedding_text(tool_name: &str, metadata: &Json, success: bool) -> String {
    let metadata = metadata.to_value();
    let mut text = format!("Tool: {tool_name}");
    for (field, label) in [
        ("filePath", "File"),
        ("command", "Command"),
        ("pattern", "Pattern"),
    ] {
        if let Some(value) = metadata
            .get(field)
            .and_then(Value::as_str)
            .filter(|v| !v.is_empty())
        {
            text.push_str(&format!("\n{label}: {value}"));
        }
    }
    text.push_str(if success {
        "\nResult: Success"
    } else {
        "\nResult: Failed"
    });
    text
}

/// Returns one line that says what a call did, for example `Found 15 matches for TODO` or
/// ``Ran `cargo test`: failed``.
pub fn tool_summary(tool_name: &str, metadata: &Json, output: &str, success: bool) -> String {
    known_tool_summary(tool_name, metadata, output, success).unwrap_or_else(|| {
        let status = if success { "succeeded" } else { "failed" };
        format!("{tool_name}: {status}")
    })
}

/// Like [`tool_summary`]; `None` for a tool that is not known, or of whose call nothing is.
pub(crate) fn known_tool_summary(
    tool_name: &str,
    metadata: &Json,
    output: &str,
    success: bool,
) -> Option<String> {
    let fields = metadata.to_value();
    let text = |name: &str| {
        fields
            .get(name)
            .and_then(Value::as_str)
            .filter(|v| !v.is_empty())
            .map(on_one_line)
    };
    let number = |name: &str| fields.get(name).and_then(Value::as_u64);
    let status = if success { "succeeded" } else { "failed" };
    let summary = match tool_name {
        "Read" => text("filePath").map(|path| format!("Read {path}: {}", first_line(output))),
        "Write" => text("filePath").map(|path| match number("lineCount") {
            Some(lines) => format!("Wrote {lines} lines to {path}"),
            None => format!("Wrote {path}"),
        }),
        "Edit" | "NotebookEdit" => text("filePath").map(|path| format!("Edited {path}")),
        "Bash" => text("command").map(|command| format!("Ran `{command}`: {status}")),
        "Grep" | "Glob" => text("pattern").map(|pattern| match found_in(output) {
            Some(found) => format!("Found {found} for {pattern}"),
            None => match number("matchCount") {
                Some(count) => format!("Found {count} matches for {pattern}"),
                None => format!("Searched for {pattern}"),
            },
        }),
        "WebFetch" => text("url").map(|url| format!("Fetched {url}")),
        _ => None,
    };
    summary.map(|summary| match success || tool_name == "Bash" {
        true => summary,
        false => format!("{summary} (failed)"),
    })
}

/// What a search says itself that it found, in its first line: `No files found`, or
/// `Found 3 files`. The count in the metadata is one of lines.
fn found_in(output: &str) -> Option<String> {
    let line = output.lines().next()?.trim();
    if line.starts_with("No ") && line.ends_with(" found") {
        return Some("nothing".to_owned());
    }
    let (count, unit) = line.strip_prefix("Found ")?.split_once(' ')?;
    let is_count = !count.is_empty() && count.bytes().all(|b| b.is_ascii_digit());
    (is_count && matches!(unit, "file" | "files")).then(|| format!("{count} {unit}"))
}

/// The first non-blank line, at most 80 characters of it.
fn first_line(text: &str) -> String {
    let line = text
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or("empty");
    match line.char_indices().nth(80) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// A tool call of which every text has passed the privacy filter.
pub(crate) struct FilteredCall<'a> {
    pub(crate) tool_name: &'a str,
    pub(crate) input: &'a Value,
    /// As [`tool_metadata`] makes it.
    pub(crate) metadata: &'a Json,
    pub(crate) output: &'a str,
    pub(crate) error: Option<&'a str>,
    pub(crate) success: bool,
}

/// The content stored for a call whose event has none: the embedding text, then one `name:
/// value` for every other string of the input, then `Error:`, then an empty line and the
/// output. Long input values are cut like output.
pub(crate) fn tool_content(call: &FilteredCall<'_>, limits: &ToolLimits) -> String {
    let mut text = tool_embedding_text(call.tool_name, call.metadata, call.success);
    let named: Vec<String> = call
        .metadata
        .to_value()
        .as_object()
        .into_iter()
        .flat_map(|fields| fields.values())
        .filter_map(|value| value.as_str().map(str::to_owned))
        .filter(|value| text.contains(value.as_str()))
        .collect();
    push_input(&mut text, "", call.input, &named, limits);
    if let Some(error) = call.error.filter(|error| !error.is_empty()) {
        text.push_str("\nError: ");
        text.push_str(error);
    }
    if !call.output.is_empty() {
        text.push_str("\n\n");
        text.push_str(call.output);
    }
    text
}

fn push_input(text: &mut String, name: &str, value: &Value, named: &[String], limits: &ToolLimits) {
    match value {
        Value::String(string) if !string.is_empty() && !named.contains(string) => {
            text.push('\n');
            if !name.is_empty() {
                text.push_str(name);
                text.push_str(": ");
            }
            text.push_str(&cut(string, limits));
        }
        Value::Array(items) => {
            for item in items {
                push_input(text, name, item, named, limits);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                push_input(text, name, field, named, limits);
            }
        }
        _ => {}
    }
}

/// The part of a tool's output that is stored.
pub(crate) fn kept_output<'t>(
    tool_name: &str,
    output: &'t str,
    success: bool,
    limits: &ToolLimits,
) -> Cow<'t, str> {
    if !limits.by_tool || limits.keep_whole_output || !success {
        return cut(output, limits);
    }
    let told = match tool_name {
        "Read" => truncate_lines(output, READ_LINES),
        "Grep" => found_files(output),
        "WebFetch" => first_chars(output, FETCHED_CHARS),
        _ => Cow::Borrowed(output),
    };
    match told {
        Cow::Borrowed(told) => cut(told, limits),
        Cow::Owned(told) => Cow::Owned(cut(&told, limits).into_owned()),
    }
}

fn first_chars(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => Cow::Owned([&text[..end], TRUNCATED].concat()),
        None => Cow::Borrowed(text),
    }
}

/// The files named in lines such as `src/main.rs:12:fn main`, each once, in order. Other
/// lines stay, except context lines around matches. Output without such lines is kept
/// whole.
fn found_files(output: &str) -> Cow<'_, str> {
    let mut kept: Vec<&str> = Vec::new();
    let mut known = HashSet::new();
    let mut has_matches = false;
    for line in output.lines() {
        let file = file_before(line, b':');
        has_matches |= file.is_some();
        if file.is_none() && (line == "--" || file_before(line, b'-').is_some()) {
            continue;
        }
        let shown = file.unwrap_or(line);
        if known.insert(shown) {
            kept.push(shown);
        }
    }
    match has_matches {
        true => Cow::Owned(kept.join("\n")),
        false => Cow::Borrowed(output),
    }
}

/// The text before a line number between two such marks; `None` if there is none.
fn file_before(line: &str, mark: u8) -> Option<&str> {
    let bytes = line.as_bytes();
    let marks = bytes.iter().enumerate().filter(|(_, byte)| **byte == mark);
    let mut last = None;
    for (at, _) in marks {
        if let Some(before) = last.replace(at)
            && before > 0
            && at > before + 1
            && bytes[before + 1..at].iter().all(u8::is_ascii_digit)
        {
            return Some(&line[..before]);
        }
    }
    None
}

/// Cuts a text to the limits.
pub(crate) fn cut<'t>(text: &'t str, limits: &ToolLimits) -> Cow<'t, str> {
    if limits.keep_whole_output {
        Cow::Borrowed(text)
    } else {
        truncate_output(text, limits.max_output_chars, limits.max_output_lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn json(value: Value) -> Json {
        Json::from_value(&value)
    }

    #[test]
    fn limits_of_zero_and_one_leave_no_tail() {
        assert_eq!(truncate_output("a\nb", 100, 1), format!("a{TRUNCATED}"));
        assert_eq!(truncate_output("ab", 1, 9), format!("a{TRUNCATED}"));
        assert_eq!(truncate_output("ab", 0, 9), TRUNCATED);
        assert_eq!(truncate_output("a\nb", 100, 0), TRUNCATED);
    }

    #[test]
    fn what_tells_the_output_of_a_tool_is_kept_on_request() {
        let limits = ToolLimits {
            by_tool: true,
            ..ToolLimits::default()
        };
        let kept = |tool: &str, output: &str| kept_output(tool, output, true, &limits).into_owned();
        let grep = "Found 2 files\nsrc/a-1-b.rs:7:let x: u8 = 2;\nsrc/a-1-b.rs-8-}\n--\n\
                    C:\\한\\b.rs:12:fn b() {\nsrc/a-1-b.rs:9:let y = 3;";
        assert_eq!(
            kept("Grep", grep),
            "Found 2 files\nsrc/a-1-b.rs\nC:\\한\\b.rs"
        );
        let names = "src/a.rs\nsrc/b-2-c.rs\n";
        assert_eq!(kept("Grep", names), names);
        assert_eq!(kept_output("Grep", grep, false, &limits), grep);
        let page = "é".repeat(501);
        let short = format!("{}{TRUNCATED}", "é".repeat(500));
        assert_eq!(kept("WebFetch", &page), short);
        assert_eq!(kept("WebFetch", &page[2..]), page[2..]);
        assert_eq!(kept("Bash", &page), page);
        let file: String = (0..200).map(|line| format!("{line}\n")).collect();
        let read = kept("Read", &file);
        assert!(read.starts_with("0\n1\n") && read.ends_with("198\n199\n"));
        // The empty line after the last break is one of the 50.
        assert_eq!(read.lines().count(), 100);
        for (tool, output) in [
            ("Grep", ""),
            ("Grep", ":1:"),
            ("Grep", "::"),
            ("Read", "\n"),
        ] {
            kept(tool, output);
        }
        let whole = ToolLimits {
            keep_whole_output: true,
            ..limits
        };
        assert_eq!(kept_output("WebFetch", &page, true, &whole), page);
    }

    #[test]
    fn both_limits_are_applied_lines_first() {
        let output = ["가나다라마바사"; 30].join("\n");
        let cut = truncate_output(&output, 20, 10);
        assert_eq!(cut.chars().count(), 20 + TRUNCATED.len());
    }

    #[test]
    fn a_blank_error_is_none() {
        for (error, success) in [
            (None, true),
            (Some(""), true),
            (Some(" "), true),
            (Some("x"), false),
        ] {
            let tool = ToolUse {
                error: error.map(str::to_owned),
                ..ToolUse::default()
            };
            assert_eq!(succeeded(&tool), success, "{error:?}");
        }
    }

    #[test]
    fn said_number_of_matches_wins_over_lines() {
        assert_eq!(match_count("Found 1 match in a.rs\nx\ny"), 1);
        assert_eq!(match_count("a\n\nb\n"), 2);
        assert_eq!(match_count("Found nothing"), 1);
    }

    #[test]
    fn file_types_know_no_names_of_objects() {
        assert_eq!(file_type("a.constructor"), None);
        assert_eq!(file_type("a.TSX"), Some("typescript"));
    }

    #[test]
    fn summaries_are_one_line() {
        let bash = json(json!({"command": "cargo test\n-q"}));
        assert_eq!(
            tool_summary("Bash", &bash, "x", false),
            "Ran `cargo test -q`: failed"
        );
        let grep = json(json!({"pattern": "TODO", "matchCount": 15}));
        assert_eq!(
            tool_summary("Grep", &grep, "", true),
            "Found 15 matches for TODO"
        );
        for (output, said) in [
            ("No matches found", "Found nothing for TODO"),
            ("Found 3 files\na.rs\nb.rs\nc.rs", "Found 3 files for TODO"),
            ("Found 9 matches\nx", "Found 15 matches for TODO"),
        ] {
            assert_eq!(tool_summary("Grep", &grep, output, true), said);
        }
        let read = json(json!({"filePath": "/a.rs", "lineCount": 2}));
        assert_eq!(
            tool_summary("Read", &read, "\n//! Doc\nx", true),
            "Read /a.rs: //! Doc"
        );
        assert_eq!(
            tool_summary("Task", &json(json!({})), "", true),
            "Task: succeeded"
        );
    }

    #[test]
    fn missing_or_reversed_times_give_no_duration() {
        let at = |millis| Some(Timestamp::from_millis_clamped(millis));
        assert_eq!(duration_ms(at(5), at(12)), Some(7));
        assert_eq!(duration_ms(at(12), at(5)), None);
        assert_eq!(duration_ms(None, at(5)), None);
    }

    #[test]
    fn policy_leaves_out_what_it_names() {
        let tool = |name: &str, error: Option<&str>| ToolUse {
            name: name.to_owned(),
            error: error.map(str::to_owned),
            ..ToolUse::default()
        };
        let mut policy = ToolPolicy::default();
        assert!(policy.allows(&tool("Read", Some("no"))));
        assert!(!policy.allows(&tool("TodoWrite", None)));
        policy.store_only_on_success = true;
        assert!(!policy.allows(&tool("Read", Some("no"))));
    }

    #[test]
    fn content_names_each_input_once_and_ends_with_the_output() {
        let input = json!({"command": "ls", "description": "목록", "n": 1, "list": ["a", "b"]});
        let metadata = tool_metadata("Bash", Some(&json(input.clone())), "x", true);
        let call = FilteredCall {
            tool_name: "Bash",
            input: &input,
            metadata: &metadata,
            output: "x",
            error: None,
            success: true,
        };
        let text = tool_content(&call, &ToolLimits::default());
        assert_eq!(
            text,
            "Tool: Bash\nCommand: ls\nResult: Success\ndescription: 목록\nlist: a\nlist: b\n\nx"
        );
    }

    proptest! {
        #[test]
        fn cut_output_keeps_to_the_limits(text in "(é|한|🎉|\n|a){0,60}", chars in 0usize..30, lines in 0usize..8) {
            let cut = truncate_output(&text, chars, lines);
            prop_assert!(cut.chars().count() <= chars + TRUNCATED.len());
        }
    }
}
