//! What the host's language model returns: the published schema and prompt, and the
//! validated form of an answer.
//!
//! An answer contains quotes, never positions. The library itself finds where a quote
//! stands, so that no model can claim evidence that does not exist.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::error::{Error, Result};
use crate::model::read::{Element, words};
use crate::model::time::Timestamp;
use crate::rules::entries::{EntryType, Validity, may_be_entry_id};
use crate::rules::tasks::keys;
use crate::rules::tasks::resolver::TaskEntry;
use crate::rules::tasks::status::{Priority, TaskStatus};

/// The version of the schema that this library reads.
pub const SCHEMA_VERSION: u64 = 1;

/// The JSON Schema (2020-12) of an answer, for models that accept one.
pub const EXTRACTION_SCHEMA: &str = include_str!("../../schema/extraction.v1.json");

/// A prompt that explains the task and the form of the answer to any language model. Append
/// the numbered messages to it. A task that the answer reports as `done` before it was ever
/// `in_progress` becomes `in_progress`; the next answer that says so finishes it.
pub const EXTRACTION_PROMPT: &str = include_str!("../../schema/extraction_prompt.md");

/// The maximum size of an answer, in bytes.
pub const MAX_BYTES: usize = 8 * 1024 * 1024;
/// The maximum number of entries.
pub const MAX_ENTRIES: usize = 500;
/// The maximum number of tasks.
pub const MAX_TASKS: usize = 200;
/// The maximum number of relations.
pub const MAX_RELATIONS: usize = 500;
/// The maximum number of quotes of one entry or task.
pub const MAX_QUOTES: usize = 20;
/// The maximum length of a quote, in characters.
pub const MAX_QUOTE_CHARS: usize = 500;
/// The maximum number of blockers of one task.
pub const MAX_BLOCKERS: usize = 50;
/// The maximum length of a title or blocker, in characters.
pub const MAX_TITLE_CHARS: usize = 500;
/// The maximum length of a content or description, in characters.
pub const MAX_CONTENT_CHARS: usize = 20_000;
/// The maximum length of a project's name, in characters.
pub const MAX_PROJECT_CHARS: usize = 200;

/// A model's answer for one session, after validation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extraction {
    /// What is worth remembering.
    pub entries: Vec<ExtractedEntry>,
    /// What was said about tasks.
    pub tasks: Vec<ExtractedTask>,
    /// How entries and tasks are related.
    pub relations: Vec<ExtractedRelation>,
}

/// Words that prove an entry or a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quote {
    /// The index of the message in the session, counted from 0.
    pub message_index: u32,
    /// The words, exactly as in the message.
    pub quote: String,
}

/// One thing worth remembering.
#[derive(Clone, Debug, PartialEq)]
pub struct ExtractedEntry {
    /// Its id within the answer.
    pub id: String,
    /// What kind of statement it makes.
    pub entry_type: EntryType,
    /// A one-line title.
    pub title: String,
    /// The full text.
    pub content: String,
    /// The words that prove it.
    pub quotes: Vec<Quote>,
    /// How clearly it was stated, from 0 to 1.
    pub confidence: Option<f64>,
    /// When it is valid.
    pub validity: Validity,
}

/// What was said about one task.
#[derive(Clone, Debug, PartialEq)]
pub struct ExtractedTask {
    /// Its id within the answer.
    pub id: String,
    /// The input for the resolver.
    pub entry: TaskEntry,
    /// The words that prove it. Without any, its blockers are only suggestions.
    pub quotes: Vec<Quote>,
}

words! {
    /// How an entry is related to another entry or a task.
    RelationKind ("relation") {
        /// An entry is derived from another entry.
        DerivedFrom = "derived_from",
        /// An entry replaces another entry.
        Supersedes = "supersedes",
        /// An entry contradicts another entry.
        Contradicts = "contradicts",
        /// An entry mentions a task.
        Mentions = "mentions",
        /// An entry proves something about a task.
        EvidenceOf = "evidence_of",
    }
}

impl RelationKind {
    /// Returns true if the relation leads to a task, and false if it leads to an entry.
    pub fn leads_to_task(self) -> bool {
        matches!(self, RelationKind::Mentions | RelationKind::EvidenceOf)
    }
}

/// A relation between two parts of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtractedRelation {
    /// The entry it starts at.
    pub from: String,
    /// The kind of relation.
    pub kind: RelationKind,
    /// The entry or task it leads to: its id in the answer, or the id of an entry that was known
    /// before, whole or at least the 14 characters by which the request names it.
    pub to: String,
    /// Its place in the answer's list of relations, from 0.
    pub index: usize,
}

impl Extraction {
    /// Parses and validates a model's answer.
    ///
    /// `message_count` is the number of messages in the session. A field that is not in the
    /// schema is an error, so that a misspelt field is not lost.
    ///
    /// # Errors
    /// `invalid_argument` naming the element, for example
    /// `entries[3].quotes[0].message_index: …`: wrong form, unknown word,
    /// another schema version, two equal ids, a relation to nothing, a task
    /// that blocks itself, tasks that wait for each other, or too much of
    /// anything. The message never holds the answer's content.
    pub fn parse(text: &str, message_count: usize) -> Result<Self> {
        if text.len() > MAX_BYTES {
            return Err(Error::invalid(
                "extraction",
                format_args!("has {} bytes; the limit is {MAX_BYTES}", text.len()),
            ));
        }
        let value: serde_json::Value = serde_json::from_str(text).map_err(|e| {
            let problem = match e.to_string().starts_with("recursion limit") {
                true => "is nested too deeply",
                false => "is not JSON",
            };
            Error::invalid(
                "extraction",
                format_args!("{problem} (line {}, column {})", e.line(), e.column()),
            )
        })?;
        let root = Element::root("", &value);
        if !value.is_object() {
            return Err(Error::invalid("extraction", "must be an object"));
        }
        known_fields(&root, &["schema_version", "entries", "tasks", "relations"])?;
        let version = root.required("schema_version")?;
        if version.u64()? != SCHEMA_VERSION {
            return Err(version.error(format_args!("must be {SCHEMA_VERSION}")));
        }
        root.required("entries")?;
        let mut ids = BTreeSet::new();
        let entries = limited(&root, "entries", MAX_ENTRIES)?
            .iter()
            .map(|e| read_entry(e, message_count, &mut ids))
            .collect::<Result<Vec<_>>>()?;
        let tasks = limited(&root, "tasks", MAX_TASKS)?
            .iter()
            .map(|e| read_task(e, message_count, &mut ids))
            .collect::<Result<Vec<_>>>()?;
        refuse_cycles(&tasks)?;
        let relations = read_relations(&root, &entries, &tasks)?;
        Ok(Extraction {
            entries,
            tasks,
            relations,
        })
    }
}

fn known_fields(element: &Element<'_>, known: &[&str]) -> Result<()> {
    let mut fields = element.object()?.keys();
    match fields.find(|name| !known.contains(&name.as_str())) {
        // The name comes from outside, so the message does not repeat it.
        Some(_) => {
            let place = if element.path().is_empty() {
                "extraction"
            } else {
                element.path()
            };
            Err(Error::invalid(
                place,
                format_args!(
                    "has an unknown field; known fields are {}",
                    known.join(", ")
                ),
            ))
        }
        None => Ok(()),
    }
}

fn limited<'a>(element: &Element<'a>, name: &str, limit: usize) -> Result<Vec<Element<'a>>> {
    let items = element.items(name)?;
    if items.len() > limit {
        return Err(element.required(name)?.error(format_args!(
            "has {} items; the limit is {limit}",
            items.len()
        )));
    }
    Ok(items)
}

fn text(element: &Element<'_>, limit: usize) -> Result<String> {
    let text = element.text()?;
    let length = text.chars().count();
    if length > limit {
        return Err(element.error(format_args!(
            "has {length} characters; the limit is {limit}"
        )));
    }
    Ok(text)
}

fn read_id(element: &Element<'_>, ids: &mut BTreeSet<String>) -> Result<String> {
    let element = element.required("id")?;
    let id = element.str()?;
    let is_name = (1..=64).contains(&id.len())
        && id
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'));
    if !is_name {
        return Err(element.error("must be 1 to 64 of A-Z a-z 0-9 . _ -"));
    }
    if !ids.insert(id.to_owned()) {
        return Err(element.error("occurs twice"));
    }
    Ok(id.to_owned())
}

fn read_quotes(element: &Element<'_>, message_count: usize) -> Result<Vec<Quote>> {
    limited(element, "quotes", MAX_QUOTES)?
        .iter()
        .map(|quote| {
            known_fields(quote, &["message_index", "quote"])?;
            let index = quote.required("message_index")?;
            let message_index = index.u32()?;
            if usize::try_from(message_index).map_or(true, |i| i >= message_count) {
                return Err(index.error(format_args!(
                    "the session has {message_count} messages, numbered from 0"
                )));
            }
            Ok(Quote {
                message_index,
                quote: text(&quote.required("quote")?, MAX_QUOTE_CHARS)?,
            })
        })
        .collect()
}

/// The moment after the last one: a date includes its day.
fn end(element: &Element<'_>) -> Result<Timestamp> {
    const DATE: &str = "2026-01-30";
    const DAY_MS: i64 = 24 * 3_600_000;
    let at = element.time()?;
    let is_date = element.str().is_ok_and(|text| text.len() == DATE.len());
    Ok(match is_date {
        true => Timestamp::from_millis_clamped(at.millis() + DAY_MS),
        false => at,
    })
}

fn read_entry(
    element: &Element<'_>,
    message_count: usize,
    ids: &mut BTreeSet<String>,
) -> Result<ExtractedEntry> {
    known_fields(
        element,
        &[
            "id",
            "type",
            "title",
            "content",
            "quotes",
            "confidence",
            "valid_from",
            "valid_to",
        ],
    )?;
    element.required("quotes")?;
    let validity = Validity::new(
        element.optional_time("valid_from")?,
        element.optional("valid_to")?.map(|e| end(&e)).transpose()?,
    )
    .or_else(|_| {
        Err(element
            .required("valid_to")?
            .error("must be after valid_from"))
    })?;
    Ok(ExtractedEntry {
        id: read_id(element, ids)?,
        entry_type: element.required("type")?.parse()?,
        title: text(&element.required("title")?, MAX_TITLE_CHARS)?,
        content: text(&element.required("content")?, MAX_CONTENT_CHARS)?,
        quotes: read_quotes(element, message_count)?,
        confidence: element
            .optional("confidence")?
            .map(|e| e.unit())
            .transpose()?,
        validity,
    })
}

fn read_task(
    element: &Element<'_>,
    message_count: usize,
    ids: &mut BTreeSet<String>,
) -> Result<ExtractedTask> {
    known_fields(
        element,
        &[
            "id",
            "title",
            "status",
            "priority",
            "blocked_by",
            "project",
            "description",
            "quotes",
        ],
    )?;
    let id = read_id(element, ids)?;
    let title_at = element.required("title")?;
    let title = text(&title_at, MAX_TITLE_CHARS)?;
    let identity = keys::normalize_identity(&title);
    if identity.is_empty() {
        return Err(title_at.error("needs at least one letter or digit"));
    }
    let mut blocked_by = Vec::new();
    for blocker in limited(element, "blocked_by", MAX_BLOCKERS)? {
        let words = text(&blocker, MAX_TITLE_CHARS)?;
        if keys::normalize_identity(&words) == identity {
            return Err(blocker.error("must not be the task itself"));
        }
        blocked_by.push(words);
    }
    let project = match element.optional("project")? {
        // A model that fills in every field names no project this way.
        Some(project) if project.str()?.trim().is_empty() => None,
        Some(project) => {
            let name = project.string()?;
            if name.chars().count() > MAX_PROJECT_CHARS {
                return Err(project.error(format_args!(
                    "must have at most {MAX_PROJECT_CHARS} characters"
                )));
            }
            Some(name)
        }
        None => None,
    };
    let description = element
        .optional("description")?
        .filter(|e| e.str().map_or(true, |text| !text.trim().is_empty()))
        .map(|e| text(&e, MAX_CONTENT_CHARS))
        .transpose()?;
    Ok(ExtractedTask {
        id,
        entry: TaskEntry {
            title,
            status: element
                .optional("status")?
                .map(|e| e.parse::<TaskStatus>())
                .transpose()?,
            priority: element
                .optional("priority")?
                .map(|e| e.parse::<Priority>())
                .transpose()?,
            blocked_by,
            description,
            project,
        },
        quotes: read_quotes(element, message_count)?,
    })
}

/// A task's project and identity, by which tasks of one answer refer to each other as
/// blockers.
type TaskName = (Option<String>, String);

fn task_name(task: &ExtractedTask, title: &str) -> TaskName {
    (task.entry.project.clone(), keys::normalize_identity(title))
}

fn first_by_name(tasks: &[ExtractedTask]) -> BTreeMap<TaskName, usize> {
    let mut by_name = BTreeMap::new();
    for (index, task) in tasks.iter().enumerate() {
        by_name
            .entry(task_name(task, &task.entry.title))
            .or_insert(index);
    }
    by_name
}

impl Extraction {
    /// How the answer calls the known entries that its relations lead to.
    pub(crate) fn known_entries(&self) -> BTreeSet<String> {
        let own: BTreeSet<&str> = self.entries.iter().map(|entry| entry.id.as_str()).collect();
        let between = self.relations.iter().filter(|it| !it.kind.leads_to_task());
        let ends = between.map(|relation| relation.to.as_str());
        ends.filter(|to| !own.contains(to))
            .map(str::to_owned)
            .collect()
    }

    /// The indices of the tasks in the order in which they are resolved: each after the tasks
    /// of this answer that block it, so that a blocker that the model lists last is still
    /// recognised as a task. Otherwise the given order is kept.
    pub(crate) fn order_of_tasks(&self) -> Vec<usize> {
        let first = first_by_name(&self.tasks);
        let mut latest: BTreeMap<TaskName, usize> = BTreeMap::new();
        let mut needs: Vec<Vec<usize>> = Vec::with_capacity(self.tasks.len());
        for (index, task) in self.tasks.iter().enumerate() {
            let earlier = latest.insert(task_name(task, &task.entry.title), index);
            let blockers = task.entry.blocked_by.iter();
            let blockers = blockers.filter_map(|title| first.get(&task_name(task, title)).copied());
            needs.push(earlier.into_iter().chain(blockers).collect());
        }
        let mut order = Vec::with_capacity(self.tasks.len());
        let mut is_seen = vec![false; self.tasks.len()];
        for start in 0..self.tasks.len() {
            // The path to the current task, with the number of its blockers already handled.
            // Cycles were refused when the answer was parsed.
            let mut path = vec![(start, 0)];
            while let Some((at, seen)) = path.pop() {
                if seen == 0 && std::mem::replace(&mut is_seen[at], true) {
                    continue;
                }
                match needs[at].get(seen) {
                    Some(&need) => path.extend([(at, seen + 1), (need, 0)]),
                    None => order.push(at),
                }
            }
        }
        order
    }
}

/// Refuses tasks of one answer that block each other: that is a mistake of the model.
fn refuse_cycles(tasks: &[ExtractedTask]) -> Result<()> {
    let by_name = first_by_name(tasks);
    // A task may occur twice in one answer: its blockers are merged.
    let mut waits_for: Vec<Vec<usize>> = vec![Vec::new(); tasks.len()];
    for task in tasks {
        let from = by_name[&task_name(task, &task.entry.title)];
        for blocker in &task.entry.blocked_by {
            waits_for[from].extend(by_name.get(&task_name(task, blocker)));
        }
    }
    // Repeatedly remove the tasks that wait for nothing that is left.
    let mut waiting: Vec<usize> = waits_for.iter().map(Vec::len).collect();
    let mut held_up: Vec<Vec<usize>> = vec![Vec::new(); tasks.len()];
    for (from, targets) in waits_for.iter().enumerate() {
        for &to in targets {
            held_up[to].push(from);
        }
    }
    let mut free: Vec<usize> = (0..tasks.len()).filter(|&i| waiting[i] == 0).collect();
    while let Some(done) = free.pop() {
        for &from in &held_up[done] {
            waiting[from] -= 1;
            if waiting[from] == 0 {
                free.push(from);
            }
        }
    }
    match waiting.iter().position(|&left| left > 0) {
        Some(index) => Err(Error::invalid(
            format!("tasks[{index}].blocked_by"),
            "tasks block each other in a cycle",
        )),
        None => Ok(()),
    }
}

fn read_relations(
    root: &Element<'_>,
    entries: &[ExtractedEntry],
    tasks: &[ExtractedTask],
) -> Result<Vec<ExtractedRelation>> {
    let entry_ids: BTreeSet<&str> = entries.iter().map(|e| e.id.as_str()).collect();
    let task_ids: BTreeSet<&str> = tasks.iter().map(|t| t.id.as_str()).collect();
    limited(root, "relations", MAX_RELATIONS)?
        .iter()
        .enumerate()
        .map(|(index, element)| {
            known_fields(element, &["from", "relation", "to"])?;
            let kind: RelationKind = element.required("relation")?.parse()?;
            let from = element.required("from")?;
            if !entry_ids.contains(from.str()?) {
                return Err(from.error("is not the id of an entry in this extraction"));
            }
            let to = element.required("to")?;
            let (is_known, what) = if kind.leads_to_task() {
                (task_ids.contains(to.str()?), "a task in this extraction")
            } else {
                let is_known = entry_ids.contains(to.str()?) || may_be_entry_id(to.str()?);
                (is_known, "an entry in this extraction, nor of a known one")
            };
            if !is_known {
                return Err(to.error(format_args!("is not the id of {what}")));
            }
            if from.str()? == to.str()? {
                return Err(to.error("must differ from `from`"));
            }
            Ok(ExtractedRelation {
                from: from.string()?,
                kind,
                to: to.string()?,
                index,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn an_answer_that_is_nested_too_deeply_is_not_called_something_else() {
        let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
        let problem = |text: &str| match Extraction::parse(text, 1) {
            Ok(_) => panic!("it is refused"),
            Err(error) => error.problem().to_owned(),
        };
        assert!(problem(&deep).starts_with("is nested too deeply"));
        assert!(problem("[").starts_with("is not JSON"));
    }

    fn valid() -> Value {
        json!({
            "schema_version": 1,
            "entries": [
                {"id": "e1", "type": "decision", "title": "세션은 Redis에", "content": "세션은 Redis에 둔다.",
                 "quotes": [{"message_index": 1, "quote": "세션은 Redis에 두자"}],
                 "confidence": 0.9, "valid_from": "2026-01-30"},
                {"id": "e2", "type": "fact", "title": "T", "content": "C", "quotes": []}
            ],
            "tasks": [
                {"id": "t1", "title": "Move sessions", "status": "blocked", "priority": "high",
                 "blocked_by": ["Install Redis", "OPS-12"], "quotes": []},
                {"id": "t2", "title": "Install Redis"}
            ],
            "relations": [
                {"from": "e1", "relation": "mentions", "to": "t1"},
                {"from": "e2", "relation": "derived_from", "to": "e1"}
            ]
        })
    }

    fn failing(change: impl FnOnce(&mut Value)) -> String {
        let mut value = valid();
        change(&mut value);
        let error = Extraction::parse(&value.to_string(), 3).expect_err("must be refused");
        error.argument().expect("names an element").to_owned()
    }

    #[test]
    fn a_good_answer_is_read_whole() {
        let read = Extraction::parse(&valid().to_string(), 3).expect("valid");
        assert_eq!(read.entries[0].quotes[0].message_index, 1);
        assert_eq!(read.tasks[0].entry.status, Some(TaskStatus::Blocked));
        assert_eq!(read.relations.len(), 2);
        assert!(Extraction::parse(r#"{"schema_version":1,"entries":[]}"#, 0).is_ok());
    }

    #[test]
    fn each_mistake_names_its_element() {
        let cases: Vec<(&str, String)> = vec![
            (
                "schema_version",
                failing(|v| v["schema_version"] = json!(2)),
            ),
            (
                "schema_version",
                failing(|v| v["schema_version"] = json!("1")),
            ),
            (
                "entries[0].quotes[0].message_index",
                failing(|v| v["entries"][0]["quotes"][0]["message_index"] = json!(3)),
            ),
            (
                "entries[0].quotes[0].message_index",
                failing(|v| v["entries"][0]["quotes"][0]["message_index"] = json!(-1)),
            ),
            (
                "entries[0].quotes[0].quote",
                failing(|v| v["entries"][0]["quotes"][0]["quote"] = json!("x".repeat(501))),
            ),
            (
                "entries[0].quotes[0]",
                failing(|v| v["entries"][0]["quotes"][0]["span_start"] = json!(4)),
            ),
            (
                "entries[1].quotes",
                failing(|v| v["entries"][1]["quotes"] = Value::Null),
            ),
            (
                "entries[1].id",
                failing(|v| v["entries"][1]["id"] = json!("e1")),
            ),
            (
                "tasks[1].id",
                failing(|v| v["tasks"][1]["id"] = json!("e1")),
            ),
            (
                "entries[1].type",
                failing(|v| v["entries"][1]["type"] = json!("rumour")),
            ),
            (
                "entries[0].valid_to",
                failing(|v| v["entries"][0]["valid_to"] = json!("2026-01-29")),
            ),
            (
                "tasks[0].status",
                failing(|v| v["tasks"][0]["status"] = json!("finished")),
            ),
            (
                "tasks[1].title",
                failing(|v| v["tasks"][1]["title"] = json!("🎉")),
            ),
            (
                "tasks[0].blocked_by[1]",
                failing(|v| v["tasks"][0]["blocked_by"][1] = json!("move SESSIONS!")),
            ),
            (
                "tasks[0].blocked_by",
                failing(|v| v["tasks"][1]["blocked_by"] = json!(["Move sessions"])),
            ),
            (
                "relations[1].to",
                failing(|v| v["relations"][1]["to"] = json!("t1")),
            ),
            (
                "relations[0].from",
                failing(|v| v["relations"][0]["from"] = json!("t2")),
            ),
            ("entries", failing(|v| v["entries"] = json!({}))),
            ("entries", failing(|v| v["entries"] = Value::Null)),
            (
                "tasks[0].blocked_by",
                failing(|v| v["tasks"][0]["blocked_by"] = json!(vec!["x"; 51])),
            ),
        ];
        for (expected, found) in cases {
            assert_eq!(found, expected);
        }
        for text in ["", "[]", "{\"entries\":", "null", "\u{202e}"] {
            assert!(Extraction::parse(text, 1).is_err());
        }
    }

    #[test]
    fn a_task_comes_after_those_it_waits_for() {
        let order = |tasks: Value| -> Vec<usize> {
            let value = json!({"schema_version": 1, "entries": [], "tasks": tasks});
            let read = Extraction::parse(&value.to_string(), 0).expect("valid");
            read.order_of_tasks()
        };
        let task = |id: &str, title: &str, blocked_by: &[&str]| json!({"id": id, "title": title, "blocked_by": blocked_by});
        assert_eq!(order(json!([])), [0; 0]);
        assert_eq!(
            order(json!([
                task("a", "배포", &["검토", "OPS-12"]),
                task("b", "Rest", &[]),
                task("c", "검토!", &["Write"]),
                task("d", "write", &[]),
                task("e", "배포", &[]),
            ])),
            [3, 2, 0, 1, 4]
        );
        // The second statement about a task stays second.
        assert_eq!(
            order(json!([
                task("a", "Ship", &["Test"]),
                task("b", "Test", &[]),
                task("c", "Test", &["Build"]),
                task("d", "Build", &[]),
            ])),
            [1, 0, 3, 2]
        );
        // In another project it is a different task.
        let mut other = json!([task("a", "Ship", &["Test"]), task("b", "Test", &[])]);
        other[1]["project"] = json!("p");
        assert_eq!(order(other), [0, 1]);
    }

    #[test]
    fn the_schema_says_the_same_as_the_code() {
        let schema: Value = serde_json::from_str(EXTRACTION_SCHEMA).expect("JSON");
        let defs = &schema["$defs"];
        let listed = |value: &Value| -> Vec<String> {
            let list = value["enum"].as_array().expect("a list of words");
            list.iter()
                .map(|v| v.as_str().expect("text").to_owned())
                .collect()
        };
        fn words<T: Copy + ToString>(all: &[T]) -> Vec<String> {
            all.iter().map(ToString::to_string).collect()
        }
        assert_eq!(
            listed(&defs["entry"]["properties"]["type"]),
            words(EntryType::ALL)
        );
        assert_eq!(
            listed(&defs["task"]["properties"]["status"]),
            words(TaskStatus::ALL)
        );
        assert_eq!(
            listed(&defs["task"]["properties"]["priority"]),
            words(Priority::ALL)
        );
        assert_eq!(
            listed(&defs["relation"]["properties"]["relation"]),
            words(RelationKind::ALL)
        );
        assert_eq!(
            schema["properties"]["schema_version"]["const"],
            SCHEMA_VERSION
        );
        assert_eq!(schema["properties"]["entries"]["maxItems"], MAX_ENTRIES);
        assert_eq!(schema["properties"]["tasks"]["maxItems"], MAX_TASKS);
        assert_eq!(schema["properties"]["relations"]["maxItems"], MAX_RELATIONS);
        assert_eq!(defs["quotes"]["maxItems"], MAX_QUOTES);
        assert_eq!(
            defs["quotes"]["items"]["properties"]["quote"]["maxLength"],
            MAX_QUOTE_CHARS
        );
        assert_eq!(defs["text"]["maxLength"], MAX_TITLE_CHARS);
        assert_eq!(
            defs["task"]["properties"]["blocked_by"]["maxItems"],
            MAX_BLOCKERS
        );
        assert_eq!(
            defs["entry"]["properties"]["content"]["maxLength"],
            MAX_CONTENT_CHARS
        );
        assert_eq!(
            defs["task"]["properties"]["project"]["maxLength"],
            MAX_PROJECT_CHARS
        );
    }

    #[test]
    fn the_example_of_the_prompt_is_a_valid_answer() {
        let begin = EXTRACTION_PROMPT.find("{\n").expect("an example");
        let end = EXTRACTION_PROMPT.find("\n}\n").expect("its end") + 2;
        let read = Extraction::parse(&EXTRACTION_PROMPT[begin..end], 7).expect("valid");
        assert_eq!((read.entries.len(), read.tasks.len()), (1, 1));
    }
}
