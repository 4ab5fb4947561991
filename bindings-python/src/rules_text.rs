//! Rules about texts: keys, citations, summaries, token estimates, and what is
//! kept of a tool's output.

use pyo3::prelude::*;
use recallite::rules::tasks::EntityKind;
use recallite::text::citation::{
    self, CITATION_LENGTH, CITATION_MAX_LENGTH, CitationFormat, CitedMemory,
};
use recallite::text::keys::{self, ArtifactKind, EntityKeyKind};
use recallite::text::tool::ToolLimits;
use recallite::text::{show, summary as summaries, tokens, tool};
use recallite::{EventKind, Timestamp};

use crate::argument::{self, Given, elements, optional, word as given_word};
use crate::convert::{Class, give, is_a};
use crate::failure::{invalid, wrong_type};
use crate::fields::Fields;
use crate::rules::{class, plain, rule};

/// Declares rules that take one text and give a plain value.
macro_rules! of_a_text {
    ($($(#[$doc:meta])* $name:ident($argument:ident) -> $result:ty = $rule:expr;)*) => {
        $(
            $(#[$doc])*
            #[pyfunction]
            #[pyo3(signature = ($argument, /))]
            pub(crate) fn $name(py: Python<'_>, $argument: &Bound<'_, PyAny>) -> PyResult<$result> {
                rule(
                    py,
                    stringify!($name),
                    || argument::text($argument, stringify!($argument)),
                    |text| Ok($rule(&text)),
                    plain,
                )
            }
        )*
    };
}

fn shown(text: &str) -> String {
    show::harmless(text).into_owned()
}

fn shown_line(text: &str) -> String {
    show::harmless_line(text).into_owned()
}

of_a_text! {
    /// The key of an artifact: `art:url:…`, `art:jira:…`, `art:gh_issue:…` or
    /// `art:generic:…`.
    artifact_key(identifier) -> String = keys::artifact_key;

    /// The BLAKE3 digest of a text's UTF-8 bytes, as 64 hexadecimal digits.
    content_hash(content) -> String = keys::content_hash;

    /// The citation id in what a person typed or pasted (`a7Bc3x`, `[a7Bc3x]`, or
    /// `mem:a7Bc3x` anywhere in the text), or `None`.
    parse_citation(text) -> Option<String> = citation::parse_citation;

    /// The first sentence of a text on one line, of at most 100 characters.
    summary(content) -> String = summaries::summary;

    /// Stored text as it may be shown on a terminal: line ends as `\n` alone, and a blank
    /// or U+FFFD in the place of what controls instead of showing, such as escape
    /// sequences and overrides of the writing direction. What is stored stays whole.
    harmless(content) -> String = shown;

    /// As `harmless`, on one line.
    harmless_line(content) -> String = shown_line;

    /// A text on one line, of at most 200 characters.
    preview(content) -> String = summaries::preview;

    /// The estimated number of tokens of a text: a quarter of its length in UTF-16
    /// code units, rounded up.
    estimate_tokens(text) -> usize = tokens::estimate_tokens;

    /// The length of a text in UTF-16 code units.
    utf16_len(text) -> usize = tokens::utf16_len;
}

/// A text and the project whose keys it may be.
fn in_project<'py>(
    text: &Bound<'py, PyAny>,
    name: &str,
    project: &Given<'py>,
) -> PyResult<(String, Option<String>)> {
    Ok((
        argument::text(text, name)?,
        optional(project, "project", argument::text)?,
    ))
}

/// The canonical key of a title: equal for titles that differ only in case,
/// punctuation, spacing or compatibility forms. `project` stands in front.
#[pyfunction]
#[pyo3(signature = (title, *, project=None))]
pub(crate) fn canonical_key<'py>(
    py: Python<'py>,
    title: &Bound<'py, PyAny>,
    project: Given<'py>,
) -> PyResult<String> {
    let arguments = || in_project(title, "title", &project);
    rule(
        py,
        "canonical_key",
        arguments,
        |(title, project): (String, Option<String>)| {
            Ok(keys::canonical_key(&title, project.as_deref()))
        },
        plain,
    )
}

/// Whether two titles have the same canonical key.
#[pyfunction]
#[pyo3(signature = (a, b, /))]
pub(crate) fn is_same_title(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
) -> PyResult<bool> {
    rule(
        py,
        "is_same_title",
        || Ok((argument::text(a, "a")?, argument::text(b, "b")?)),
        |(a, b)| Ok(keys::is_same_title(&a, &b)),
        plain,
    )
}

/// The key of a task, condition or artifact, for example
/// `task:shop:fix-login-bug`. Without `project` it is `default`.
#[pyfunction]
#[pyo3(signature = (kind, identifier, *, project=None))]
pub(crate) fn entity_key<'py>(
    py: Python<'py>,
    kind: &Bound<'py, PyAny>,
    identifier: &Bound<'py, PyAny>,
    project: Given<'py>,
) -> PyResult<String> {
    let arguments = || {
        let kind = match given_word::<EntityKind>(kind, "kind")? {
            EntityKind::Task => EntityKeyKind::Task,
            EntityKind::Condition => EntityKeyKind::Condition,
            EntityKind::Artifact => EntityKeyKind::Artifact,
        };
        Ok((
            kind,
            argument::text(identifier, "identifier")?,
            optional(&project, "project", argument::text)?,
        ))
    };
    rule(
        py,
        "entity_key",
        arguments,
        |(kind, identifier, project): (_, String, Option<String>)| {
            Ok(keys::entity_key(kind, &identifier, project.as_deref()))
        },
        plain,
    )
}

/// The key of a task, for example `task:shop:fix-login-bug`. Without `project` it
/// is `default`.
#[pyfunction]
#[pyo3(signature = (title, *, project=None))]
pub(crate) fn task_key<'py>(
    py: Python<'py>,
    title: &Bound<'py, PyAny>,
    project: Given<'py>,
) -> PyResult<String> {
    let arguments = || in_project(title, "title", &project);
    rule(
        py,
        "task_key",
        arguments,
        |(title, project): (String, Option<String>)| Ok(keys::task_key(&title, project.as_deref())),
        plain,
    )
}

/// The key of a condition, for example `cond:shop:api-key-configured`. Without
/// `project` it is `default`.
#[pyfunction]
#[pyo3(signature = (text, *, project=None))]
pub(crate) fn condition_key<'py>(
    py: Python<'py>,
    text: &Bound<'py, PyAny>,
    project: Given<'py>,
) -> PyResult<String> {
    let arguments = || in_project(text, "text", &project);
    rule(
        py,
        "condition_key",
        arguments,
        |(text, project): (String, Option<String>)| {
            Ok(keys::condition_key(&text, project.as_deref()))
        },
        plain,
    )
}

/// What an artifact's identifier looks like: an address, a Jira ticket, a GitHub
/// issue, or something else.
#[pyfunction]
#[pyo3(signature = (identifier, /))]
pub(crate) fn artifact_kind<'py>(
    py: Python<'py>,
    identifier: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    rule(
        py,
        "artifact_kind",
        || argument::text(identifier, "identifier"),
        |identifier| Ok(keys::artifact_kind(&identifier)),
        |py, kind| {
            static CLASS: Class = Class::new("ArtifactKind");
            let name = match kind {
                ArtifactKind::Url => "url",
                ArtifactKind::Jira => "jira",
                ArtifactKind::GithubIssue => "github_issue",
                ArtifactKind::Generic => "generic",
            };
            CLASS.get(py)?.call1((name,))
        },
    )
}

/// The parts of an entity key, or `None` when it is not one.
#[pyfunction]
#[pyo3(signature = (key, /))]
pub(crate) fn parse_entity_key<'py>(
    py: Python<'py>,
    key: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    rule(
        py,
        "parse_entity_key",
        || argument::text(key, "key"),
        |key| Ok(keys::parse_entity_key(&key)),
        |py, parts| {
            let made = parts.map(|parts| {
                static CLASS: Class = Class::new("EntityKind");
                let kind = CLASS.get(py)?.call1((parts.kind.as_str(),))?;
                class(py, "EntityKey")?.call1((kind, parts.project, parts.identifier))
            });
            made.transpose()
        },
    )
}

/// The key by which the same content in the same session is one event.
#[pyfunction]
#[pyo3(signature = (session, content, /))]
pub(crate) fn dedupe_key(
    py: Python<'_>,
    session: &Bound<'_, PyAny>,
    content: &Bound<'_, PyAny>,
) -> PyResult<String> {
    rule(
        py,
        "dedupe_key",
        || {
            Ok((
                argument::text(session, "session")?,
                argument::text(content, "content")?,
            ))
        },
        |(session, content)| Ok(keys::dedupe_key(&session, &content)),
        plain,
    )
}

/// The citation id of an event: the first `length` characters of
/// base64url(SHA-256(event id)), at most 43.
#[pyfunction]
#[pyo3(
    signature = (event_id, *, length=None),
    text_signature = "(event_id, *, length=6)"
)]
pub(crate) fn citation_id<'py>(
    py: Python<'py>,
    event_id: &Bound<'py, PyAny>,
    length: Given<'py>,
) -> PyResult<String> {
    let arguments = || {
        Ok((
            argument::text(event_id, "event_id")?,
            optional(&length, "length", argument::size)?.unwrap_or(CITATION_LENGTH),
        ))
    };
    rule(
        py,
        "citation_id",
        arguments,
        |(event_id, length)| Ok(citation::citation_id(&event_id, length)),
        plain,
    )
}

/// A citation id of `length` characters (6 to 8) that is not among `taken`: the
/// plain id or one of ten salted ones. `None` when all are taken.
#[pyfunction]
#[pyo3(
    signature = (event_id, taken, *, length=None),
    text_signature = "(event_id, taken, *, length=6)"
)]
pub(crate) fn unique_citation_id<'py>(
    py: Python<'py>,
    event_id: &Bound<'py, PyAny>,
    taken: &Bound<'py, PyAny>,
    length: Given<'py>,
) -> PyResult<Option<String>> {
    let arguments = || {
        let length = optional(&length, "length", argument::size)?.unwrap_or(CITATION_LENGTH);
        if !(CITATION_LENGTH..=CITATION_MAX_LENGTH).contains(&length) {
            let problem = format!("must be from {CITATION_LENGTH} to {CITATION_MAX_LENGTH}");
            return Err(invalid(py, "length", problem));
        }
        let taken = argument::texts(taken, "taken")?;
        Ok((
            argument::text(event_id, "event_id")?,
            taken.into_iter().collect::<std::collections::HashSet<_>>(),
            length,
        ))
    };
    rule(
        py,
        "unique_citation_id",
        arguments,
        |(event_id, taken, length)| {
            let is_taken = |id: &str| taken.contains(id);
            Ok(citation::unique_citation_id_of_length(
                &event_id, length, is_taken,
            ))
        },
        plain,
    )
}

const CITED_FIELDS: &[&str] = &["content", "citation_id", "timestamp", "session_id"];

/// A memory of a citation block, owned.
struct Cited {
    content: String,
    citation_id: String,
    timestamp: Timestamp,
    session_id: String,
}

fn cited(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Cited> {
    let py = value.py();
    if is_a(value, "Event")? {
        return Ok(Cited {
            content: argument::text(&value.getattr("content")?, name)?,
            citation_id: argument::text(&value.getattr("citation")?, name)?,
            timestamp: argument::timestamp(&value.getattr("timestamp")?, name)?,
            session_id: argument::text(&value.getattr("session")?, name)?,
        });
    }
    let class = class(py, "CitedMemory")?;
    let expected = "an Event, a CitedMemory or a dict";
    let fields = Fields::of(
        value,
        name,
        format!("{name}."),
        &class,
        CITED_FIELDS,
        expected,
    )?;
    Ok(Cited {
        content: fields.required("content", argument::text)?,
        citation_id: fields.required("citation_id", argument::text)?,
        timestamp: fields.required("timestamp", argument::timestamp)?,
        session_id: fields.required("session_id", argument::text)?,
    })
}

fn citation_format(value: &Bound<'_, PyAny>, name: &str) -> PyResult<CitationFormat> {
    let given = argument::text(value, name)?;
    [
        CitationFormat::Inline,
        CitationFormat::Footnote,
        CitationFormat::Reference,
    ]
    .into_iter()
    .find(|format| format.as_str() == given)
    .ok_or_else(|| {
        let problem = "unknown value; use one of inline, footnote, reference";
        invalid(value.py(), name, problem)
    })
}

/// The block of cited memories that is put in front of an agent. `memories` are
/// `Event`s, `CitedMemory`s or dicts; `format` is `inline`, `footnote` or
/// `reference`.
#[pyfunction]
#[pyo3(
    signature = (memories, *, format=None),
    text_signature = "(memories, *, format='inline')"
)]
pub(crate) fn citation_block<'py>(
    py: Python<'py>,
    memories: &Bound<'py, PyAny>,
    format: Given<'py>,
) -> PyResult<String> {
    let arguments = || {
        Ok((
            elements(memories, "memories", "several Event or CitedMemory", cited)?,
            optional(&format, "format", citation_format)?.unwrap_or_default(),
        ))
    };
    rule(
        py,
        "citation_block",
        arguments,
        |(memories, format)| {
            let memories: Vec<CitedMemory<'_>> = memories
                .iter()
                .map(|memory| CitedMemory {
                    content: &memory.content,
                    citation_id: &memory.citation_id,
                    timestamp: memory.timestamp,
                    session_id: &memory.session_id,
                })
                .collect();
            Ok(citation::citation_block(format, &memories))
        },
        plain,
    )
}

/// The kind and content of an `Event`, or of a pair of them.
fn kind_and_content(value: &Bound<'_, PyAny>, name: &str) -> PyResult<(EventKind, String)> {
    if is_a(value, "Event")? {
        return Ok((
            argument::kind(&value.getattr("kind")?, name)?,
            argument::text(&value.getattr("content")?, name)?,
        ));
    }
    let pair = value.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>();
    let (kind, content) =
        pair.map_err(|_| wrong_type(name, "an Event, or a pair of kind and content", value))?;
    Ok((
        argument::kind(&kind, &format!("{name}[0]"))?,
        argument::text(&content, &format!("{name}[1]"))?,
    ))
}

/// The summary of a session that has ended: how many prompts and responses it
/// had, and the beginnings of its first three prompts. `events` are `Event`s or
/// pairs of kind and content.
#[pyfunction]
#[pyo3(signature = (events, /))]
pub(crate) fn session_summary_text(py: Python<'_>, events: &Bound<'_, PyAny>) -> PyResult<String> {
    rule(
        py,
        "session_summary_text",
        || elements(events, "events", "several Event", kind_and_content),
        |events| {
            let events = events.iter().map(|(kind, text)| (*kind, text.as_str()));
            Ok(summaries::session_summary_text(events))
        },
        plain,
    )
}

/// A tool's output cut in the middle, to at most `max_chars` characters and
/// `max_lines` lines.
#[pyfunction]
#[pyo3(
    signature = (output, *, max_chars=None, max_lines=None),
    text_signature = "(output, *, max_chars=10000, max_lines=100)"
)]
pub(crate) fn truncate_output<'py>(
    py: Python<'py>,
    output: &Bound<'py, PyAny>,
    max_chars: Given<'py>,
    max_lines: Given<'py>,
) -> PyResult<String> {
    let arguments = || {
        let default = ToolLimits::default();
        Ok((
            argument::text(output, "output")?,
            optional(&max_chars, "max_chars", argument::size)?.unwrap_or(default.max_output_chars),
            optional(&max_lines, "max_lines", argument::size)?.unwrap_or(default.max_output_lines),
        ))
    };
    rule(
        py,
        "truncate_output",
        arguments,
        |(output, chars, lines)| Ok(tool::truncate_output(&output, chars, lines).into_owned()),
        plain,
    )
}

/// What is derived from a tool call: file path, exit code, line counts, …
#[pyfunction]
#[pyo3(
    signature = (tool_name, input, output, *, success=None),
    text_signature = "(tool_name, input, output, *, success=True)"
)]
pub(crate) fn tool_metadata<'py>(
    py: Python<'py>,
    tool_name: &Bound<'py, PyAny>,
    input: &Bound<'py, PyAny>,
    output: &Bound<'py, PyAny>,
    success: Given<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let arguments = || {
        Ok((
            argument::text(tool_name, "tool_name")?,
            optional(&Some(input.clone()), "input", argument::json)?,
            argument::text(output, "output")?,
            optional(&success, "success", argument::boolean)?.unwrap_or(true),
        ))
    };
    rule(
        py,
        "tool_metadata",
        arguments,
        |(name, input, output, success): (String, Option<_>, String, _)| {
            Ok(tool::tool_metadata(&name, input.as_ref(), &output, success))
        },
        give,
    )
}

/// The text by which a tool call is found.
#[pyfunction]
#[pyo3(
    signature = (tool_name, metadata, *, success=None),
    text_signature = "(tool_name, metadata, *, success=True)"
)]
pub(crate) fn tool_embedding_text<'py>(
    py: Python<'py>,
    tool_name: &Bound<'py, PyAny>,
    metadata: &Bound<'py, PyAny>,
    success: Given<'py>,
) -> PyResult<String> {
    let arguments = || {
        Ok((
            argument::text(tool_name, "tool_name")?,
            argument::json_object(metadata, "metadata")?,
            optional(&success, "success", argument::boolean)?.unwrap_or(true),
        ))
    };
    rule(
        py,
        "tool_embedding_text",
        arguments,
        |(name, metadata, success)| Ok(tool::tool_embedding_text(&name, &metadata, success)),
        plain,
    )
}

/// A tool call in one line, as lists show it.
#[pyfunction]
#[pyo3(
    signature = (tool_name, metadata, output, *, success=None),
    text_signature = "(tool_name, metadata, output, *, success=True)"
)]
pub(crate) fn tool_summary<'py>(
    py: Python<'py>,
    tool_name: &Bound<'py, PyAny>,
    metadata: &Bound<'py, PyAny>,
    output: &Bound<'py, PyAny>,
    success: Given<'py>,
) -> PyResult<String> {
    let arguments = || {
        Ok((
            argument::text(tool_name, "tool_name")?,
            argument::json_object(metadata, "metadata")?,
            argument::text(output, "output")?,
            optional(&success, "success", argument::boolean)?.unwrap_or(true),
        ))
    };
    rule(
        py,
        "tool_summary",
        arguments,
        |(name, metadata, output, success)| {
            Ok(tool::tool_summary(&name, &metadata, &output, success))
        },
        plain,
    )
}
