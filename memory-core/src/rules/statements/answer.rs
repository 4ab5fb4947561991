//! Turns findings into an answer in the form that a language model gives, so that the same
//! steps check, filter and prove it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::done::{Done, is_done};
use super::finding::{Finding, FindingKind};
use super::resolved::{Resolved, with_reference};
use crate::model::time::Timestamp;
use crate::rules::entries::EntryType;
use crate::rules::model_answer::{
    MAX_ENTRIES, MAX_QUOTES, MAX_TASKS, MAX_TITLE_CHARS, SCHEMA_VERSION,
};
use crate::rules::statements::elliptical::with_question;
use crate::rules::tasks::TaskStatus;
use crate::rules::tasks::keys::{has_own_words, normalize_identity};
use crate::text::show::on_one_line;

/// A finding in a message of a session.
pub(crate) struct Told<'t> {
    pub(crate) message_index: u32,
    pub(crate) said: Timestamp,
    /// The whole message.
    pub(crate) text: &'t str,
    pub(crate) finding: Finding,
    /// The question that a decision answers without repeating it, with the number of its message.
    pub(crate) question: Option<(u32, &'t str)>,
}

/// A task that is known to be unfinished, and its blockers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct OpenTask {
    pub(crate) title: String,
    pub(crate) blockers: Vec<String>,
}

/// When known tasks were last asked for, or finished, by identity: nothing that was said before
/// that changes them.
#[derive(Clone, Debug, Default)]
pub(crate) struct TaskTimes {
    asked: BTreeMap<String, Timestamp>,
    finished: BTreeMap<String, Timestamp>,
}

impl TaskTimes {
    /// Notes when an open task was asked for.
    pub(crate) fn asks(&mut self, title: &str, at: Timestamp) {
        note(&mut self.asked, title, at);
    }

    /// Notes when a task was finished.
    pub(crate) fn finishes(&mut self, title: &str, at: Timestamp) {
        note(&mut self.finished, title, at);
    }

    /// Whether a task was finished after something was said.
    fn is_finished(&self, identity: &str, said: Timestamp) -> bool {
        self.finished.get(identity).is_some_and(|at| *at >= said)
    }

    /// Whether something was said before a task was last asked for.
    fn is_before_it(&self, title: &str, said: Timestamp) -> bool {
        let asked = self.asked.get(&normalize_identity(title));
        asked.is_some_and(|at| *at > said)
    }
}

/// Keeps the latest of the moments at which something was said of a task.
fn note(times: &mut BTreeMap<String, Timestamp>, title: &str, at: Timestamp) {
    let latest = times.entry(normalize_identity(title)).or_insert(at);
    *latest = at.max(*latest);
}

/// The answer as JSON. `open` are the tasks that are already known.
pub(crate) fn answer(told: &[Told<'_>], open: &[OpenTask], times: TaskTimes) -> Value {
    let mut entries = Vec::new();
    let mut tasks = Tasks {
        known: open.to_vec(),
        times,
        told: Vec::new(),
        places: BTreeMap::new(),
        done: BTreeMap::new(),
    };
    for told in told {
        let is_task = match told.finding.kind {
            FindingKind::Task => tasks.add_task(told),
            FindingKind::Blocker => tasks.add_blocker(told),
            // That something is done or resolved is no news, unless a known task is done or waits for it.
            FindingKind::Resolution | FindingKind::Done => {
                tasks.add_resolution(told);
                true
            }
            FindingKind::GivenUp => {
                tasks.give_up(told);
                true
            }
            _ => false,
        };
        if !is_task && entries.len() < MAX_ENTRIES {
            entries.push(entry(told));
        }
    }
    json!({"schema_version": SCHEMA_VERSION, "entries": entries, "tasks": tasks.all()})
}

/// The type of entry that a finding becomes.
pub(crate) fn entry_type(kind: FindingKind) -> EntryType {
    match kind {
        FindingKind::Decision => EntryType::Decision,
        FindingKind::Preference => EntryType::Preference,
        FindingKind::Constraint => EntryType::Constraint,
        FindingKind::Fact => EntryType::Fact,
        FindingKind::Task
        | FindingKind::Blocker
        | FindingKind::Resolution
        | FindingKind::Done
        | FindingKind::GivenUp => EntryType::TaskNote,
    }
}

fn entry(told: &Told<'_>) -> Value {
    let sentence = one_line(&told.text[told.finding.span.clone()]);
    let mut quotes = vec![quote(told)];
    let mut content = sentence.clone();
    if let Some((message_index, question)) = told.question {
        quotes.push(json!({"message_index": message_index, "quote": question}));
        content = with_question(&one_line(question), &sentence);
    }
    json!({
        "id": format!("e{}.{}", told.message_index, told.finding.span.start),
        "type": entry_type(told.finding.kind).as_str(),
        "title": sentence,
        "content": content,
        "quotes": quotes,
        "confidence": told.finding.confidence,
    })
}

fn quote(told: &Told<'_>) -> Value {
    json!({"message_index": told.message_index, "quote": &told.text[told.finding.span.clone()]})
}

/// The text on one line, without emphasis marks.
pub(crate) fn one_line(text: &str) -> String {
    let line = on_one_line(text).replace("**", "");
    line.chars().take(MAX_TITLE_CHARS).collect()
}

/// A title without the words that only join its sentence to the one before.
fn without_conjunction(mut title: &str) -> &str {
    const WORDS: [&str; 19] = [
        "and",
        "so",
        "but",
        "also",
        "then",
        "however",
        "그런데",
        "근데",
        "하지만",
        "그러나",
        "그렇지만",
        "그리고",
        "그래서",
        "그러니까",
        "그러면",
        "그럼",
        "또한",
        "또",
        "게다가",
    ];
    while let Some((first, rest)) = title.split_once(' ') {
        let word = first.trim_end_matches(',');
        if !WORDS
            .iter()
            .any(|joining| word.eq_ignore_ascii_case(joining))
        {
            break;
        }
        title = rest.trim_start();
    }
    // Where no space separates the words.
    const BEGINNINGS: [&str; 24] = [
        "でも",
        "それで",
        "それでも",
        "だから",
        "ですから",
        "そして",
        "しかし",
        "それから",
        "ただし",
        "さらに",
        "なので",
        "ところで",
        "但是",
        "可是",
        "不过",
        "而且",
        "并且",
        "所以",
        "因此",
        "然后",
        "另外",
        "此外",
        "还有，",
        "还有,",
    ];
    const MARKS: [char; 4] = ['、', '，', ',', ' '];
    while let Some(rest) = BEGINNINGS.iter().find_map(|word| title.strip_prefix(word)) {
        let rest = rest.trim_start_matches(MARKS);
        if rest.is_empty() {
            break;
        }
        title = rest;
    }
    title
}

/// Whether nothing is left of a text but the marks of what was private: all such tasks would
/// be the same one.
fn is_masked(text: &str) -> bool {
    !has_own_words(text) && !normalize_identity(text).is_empty()
}

/// Whether an identity is empty or only a number ("task 6", "steps 4 and 5") that refers to a
/// plan nobody sees later.
fn is_label(identity: &str) -> bool {
    const WORDS: [&str; 27] = [
        "",
        "and",
        "or",
        "the",
        "no",
        "number",
        "task",
        "tasks",
        "step",
        "steps",
        "phase",
        "phases",
        "part",
        "parts",
        "item",
        "items",
        "작업",
        "번",
        "번작업",
        "단계",
        "タスク",
        "手順",
        "番",
        "任务",
        "步骤",
        "第步",
        "第个任务",
    ];
    identity.split('-').all(|part| {
        let word: String = part.chars().filter(|c| !c.is_numeric()).collect();
        WORDS.contains(&word.as_str())
    })
}

/// The identities of the tasks that findings ask for.
pub(crate) fn asked_for(told: &[Told<'_>]) -> BTreeSet<String> {
    let asked = told
        .iter()
        .filter(|told| told.finding.kind == FindingKind::Task);
    let titles = asked.filter_map(asked_title);
    titles.map(|title| normalize_identity(&title)).collect()
}

/// The title of the task that a sentence asks for.
fn asked_title(told: &Told<'_>) -> Option<String> {
    title_of(told).or_else(|| {
        // The whole sentence describes what is to be done.
        let sentence = one_line(&told.text[told.finding.span.clone()]);
        has_own_words(&sentence).then_some(sentence)
    })
}

/// The task's title, if the sentence names it by more than a pronoun.
fn title_of(told: &Told<'_>) -> Option<String> {
    let span = told.finding.subject.clone()?;
    let title = without_conjunction(&one_line(&told.text[span])).to_owned();
    let words = normalize_identity(&title);
    let is_pronoun = [
        "i",
        "we",
        "it",
        "this",
        "that",
        "you",
        "they",
        "he",
        "she",
        "everything",
        "things",
        "work",
        "저",
        "나",
        "우리",
        "이건",
        "이게",
        "私",
        "我々",
        "これ",
        "我",
        "我们",
        "这",
        "这块",
        "这个",
    ]
    .contains(&words.as_str());
    let is_name = words.chars().count() >= 2 && !is_pronoun && !is_label(&words);
    let is_whole = is_name && !is_torn(&title) && names_more_than_ids(&title);
    (is_whole && !is_masked(&title)).then_some(title)
}

/// Whether a bracket opens or closes outside the title.
fn is_torn(title: &str) -> bool {
    let title = title.replace(":)", "").replace(";)", "");
    let count = |of: [char; 2]| title.chars().filter(|c| of.contains(c)).count();
    count(['(', '（']) != count([')', '）']) || count(['[', '【']) != count([']', '】'])
}

/// Whether a title has a word beside ids: "DOM-5 (#11) and DL-2" has none. One id alone names a task.
fn names_more_than_ids(title: &str) -> bool {
    let words: Vec<&str> = title
        .split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | '/' | '&' | ';'))
        .filter(|word| !word.is_empty() && !["and", "or"].contains(word))
        .collect();
    let is_id = |word: &&str| {
        let number = word
            .trim_start_matches(|c: char| c.is_ascii_uppercase())
            .trim_start_matches(['-', '#']);
        number.len() < word.len()
            && !number.is_empty()
            && number.bytes().all(|b| b.is_ascii_digit())
    };
    words.len() < 2 || !words.iter().all(is_id)
}

/// The tasks of the answer, one per identity.
struct Tasks {
    known: Vec<OpenTask>,
    times: TaskTimes,
    told: Vec<Value>,
    /// The index in `told` by identity.
    places: BTreeMap<String, usize>,
    /// The tasks that are done or given up, by identity. What is done is in `told` too, as begun: a
    /// task that is pending cannot be done at once.
    done: BTreeMap<String, Value>,
}

impl Tasks {
    fn add_task(&mut self, told: &Told<'_>) -> bool {
        if let Some(span) = told.finding.subject.clone()
            && is_masked(&told.text[span])
        {
            return false;
        }
        let title = asked_title(told);
        title.is_some_and(|title| {
            self.name_after_work(&title);
            let identity = normalize_identity(&title);
            let mut known = self.known.iter().map(|task| &task.title);
            let is_known = self.places.contains_key(&identity)
                || self.times.is_finished(&identity, told.said)
                || known.any(|title| normalize_identity(title) == identity);
            // What was finished before is to be done again.
            let is_again = self.done.contains_key(&identity);
            let status = (is_again || !is_known).then_some(TaskStatus::Pending);
            self.put(told, title, status, Vec::new())
        })
    }

    /// Adds a blocker of something that the sentence names; false means it is only a note.
    fn add_blocker(&mut self, told: &Told<'_>) -> bool {
        let Some(title) = title_of(told) else {
            return false;
        };
        let title = self.work_on(&title).unwrap_or(title);
        let blocker = told.finding.blocker.clone();
        let sentence = &told.text[told.finding.span.clone()];
        let blocker = blocker.map(|span| with_reference(one_line(&told.text[span]), sentence));
        let blocker = blocker.filter(|words| {
            let identity = normalize_identity(words);
            // A task that blocks itself, or its own blocker, says nothing.
            !is_label(&identity)
                && !is_masked(words)
                && identity != normalize_identity(&title)
                && !self.places.contains_key(&identity)
        });
        blocker
            .is_some_and(|blocker| self.put(told, title, Some(TaskStatus::Blocked), vec![blocker]))
    }

    /// The title of the one known task that is the work on a thing, as "write the report" is on
    /// "the report"; `None` if the thing names a task itself, or if several may be meant.
    fn work_on(&self, thing: &str) -> Option<String> {
        let identity = normalize_identity(thing);
        let is_it = |title: &str| normalize_identity(title) == identity;
        if self.known.iter().any(|task| is_it(&task.title)) {
            return None;
        }
        let thing = Resolved::new(thing, true);
        let mut meant = self.known.iter().filter(|task| thing.is_about(&task.title));
        let (task, others) = (meant.next()?, meant.next());
        others.is_none().then(|| task.title.clone())
    }

    /// Gives the one task of this answer that was only told to wait ("the report waits for the
    /// numbers") the title of the work on it ("write the report").
    fn name_after_work(&mut self, title: &str) {
        let identity = normalize_identity(title);
        if self.places.contains_key(&identity) {
            return;
        }
        let told = self.places.iter().filter(|(_, place)| {
            let task = &self.told[**place];
            let thing = task["title"].as_str().unwrap_or_default();
            task["status"] == TaskStatus::Blocked.as_str()
                && Resolved::new(thing, true).is_about(title)
        });
        let found: Vec<(String, usize)> = told.map(|(key, place)| (key.clone(), *place)).collect();
        let [(thing, place)] = found.as_slice() else {
            return;
        };
        self.told[*place]["title"] = title.into();
        self.places.remove(thing);
        self.places.insert(identity, *place);
        for task in &mut self.known {
            if normalize_identity(&task.title) == *thing {
                title.clone_into(&mut task.title);
            }
        }
    }

    /// Finishes each known task that is what was done, unblocks each that is named or of which
    /// all blockers are, and takes the named blockers from the others: what was resolved is the
    /// subject, and only a sentence without one may name it anywhere.
    fn add_resolution(&mut self, told: &Told<'_>) -> bool {
        let finding = &told.finding;
        let is_subject = finding.subject.is_some();
        let span = finding.subject.clone().unwrap_or(finding.span.clone());
        let verb = finding.verb.clone().map(|span| &told.text[span]);
        let thing = &told.text[span];
        let resolved = Resolved::new(thing, is_subject);
        // "The keys are rotated" says nothing about what waits for the keys.
        let frees = finding.kind == FindingKind::Resolution || verb.is_none();
        let done = match is_subject {
            true => self.done_by(thing, verb, told.said),
            false => Vec::new(),
        };
        let mut changed = Vec::new();
        for task in self.known_at(told.said) {
            let mut left = task.blockers.clone();
            if done.contains(&task.title) {
                continue;
            }
            match !is_subject && resolved.is_task(&task.title) {
                true => left.clear(),
                false => left.retain(|blocker| !(frees && resolved.is_blocker(blocker))),
            }
            if left.len() < task.blockers.len() {
                changed.push((task.title.clone(), left));
            }
        }
        let mut is_task = false;
        for title in done {
            is_task |= self.finish(told, title);
        }
        for (title, left) in changed {
            is_task |= match left.is_empty() {
                true => self.put(told, title, Some(TaskStatus::InProgress), left),
                // Tasks of one answer must not wait for each other.
                false if left.iter().any(|blocker| self.is_blocked_here(blocker)) => false,
                false => self.put(told, title, Some(TaskStatus::Blocked), left),
            };
        }
        is_task
    }

    /// The known tasks that nobody asked for after a moment.
    fn known_at(&self, said: Timestamp) -> impl Iterator<Item = &OpenTask> {
        let known = self.known.iter();
        known.filter(move |task| !self.times.is_before_it(&task.title, said))
    }

    /// The titles of the known tasks that are what was done. One that is only perhaps meant is, if
    /// it is the only one.
    fn done_by(&self, thing: &str, verb: Option<&str>, said: Timestamp) -> Vec<String> {
        let judged = self
            .known_at(said)
            .map(|task| (is_done(&task.title, thing, verb), task));
        let meant: Vec<(Done, &OpenTask)> = judged.filter(|(done, _)| *done != Done::No).collect();
        let surest = meant.iter().map(|(done, _)| *done).max();
        let titles = meant.into_iter().filter(|(done, _)| Some(*done) == surest);
        let titles: Vec<String> = titles.map(|(_, task)| task.title.clone()).collect();
        match surest {
            Some(Done::Perhaps) if titles.len() > 1 => Vec::new(),
            _ => titles,
        }
    }

    /// True if the task is now done in the answer.
    fn finish(&mut self, told: &Told<'_>, title: String) -> bool {
        let identity = normalize_identity(&title);
        if self.count() + 1 >= MAX_TASKS
            || !self.put(
                told,
                title.clone(),
                Some(TaskStatus::InProgress),
                Vec::new(),
            )
        {
            return false;
        }
        let task = json!({
            "id": format!("d{}.{}.{}", told.message_index, told.finding.span.start, self.done.len()),
            "title": title,
            "status": TaskStatus::Done.as_str(),
            "quotes": [quote(told)],
        });
        self.known
            .retain(|known| normalize_identity(&known.title) != identity);
        self.done.insert(identity, task);
        true
    }

    /// Cancels the known task that a sentence says is not to be done any more, if it means one alone.
    fn give_up(&mut self, told: &Told<'_>) {
        let Some(span) = told.finding.subject.clone() else {
            return;
        };
        let words = &told.text[span];
        let given_up = Resolved::new(words, true);
        // "Documenting the format" is the task "document the format".
        let work = words.split_once(' ');
        let is_work = |title: &str| {
            work.is_some_and(|(verb, thing)| is_done(title, thing, Some(verb)) == Done::Yes)
        };
        let mut meant = self
            .known_at(told.said)
            .filter(|task| given_up.is_about(&task.title) || is_work(&task.title));
        let (Some(task), None) = (meant.next(), meant.next()) else {
            return;
        };
        let (title, identity) = (task.title.clone(), normalize_identity(&task.title));
        drop(meant);
        if self.count() >= MAX_TASKS {
            return;
        }
        let task = json!({
            "id": format!("g{}.{}", told.message_index, told.finding.span.start),
            "title": title,
            "status": TaskStatus::Cancelled.as_str(),
            "quotes": [quote(told)],
        });
        self.known
            .retain(|known| normalize_identity(&known.title) != identity);
        self.done.insert(identity, task);
    }

    fn count(&self) -> usize {
        self.told.len() + self.done.len()
    }

    /// All tasks of the answer; what is done comes after its beginning.
    fn all(self) -> Vec<Value> {
        self.told
            .into_iter()
            .chain(self.done.into_values())
            .collect()
    }

    /// Whether a title is that of a task which is blocked in this answer.
    fn is_blocked_here(&self, title: &str) -> bool {
        let place = self.places.get(&normalize_identity(title));
        place.is_some_and(|place| self.told[*place].get("blocked_by").is_some())
    }

    /// True if the task is now in the answer.
    fn put(
        &mut self,
        told: &Told<'_>,
        title: String,
        status: Option<TaskStatus>,
        blockers: Vec<String>,
    ) -> bool {
        let identity = normalize_identity(&title);
        if status.is_some() {
            self.done.remove(&identity);
        }
        // Statements about one task are merged; the last status wins.
        let place = match self.places.get(&identity) {
            Some(place) => *place,
            None if self.count() >= MAX_TASKS => return false,
            None => {
                let (message, start) = (told.message_index, told.finding.span.start);
                // One sentence may be about several tasks.
                let mut id = format!("t{message}.{start}");
                if self.told.iter().any(|task| task["id"] == id.as_str()) {
                    id = format!("{id}.{}", self.told.len());
                }
                self.told.push(json!({
                    "id": id,
                    "title": title,
                    "quotes": [],
                }));
                self.places.insert(identity.clone(), self.told.len() - 1);
                self.told.len() - 1
            }
        };
        let task = &mut self.told[place];
        if let Some(status) = status {
            task["status"] = status.as_str().into();
            if status != TaskStatus::Blocked
                && let Some(fields) = task.as_object_mut()
            {
                fields.remove("blocked_by");
            }
        }
        if !blockers.is_empty() {
            task["blocked_by"] = json!(blockers);
        }
        if let Some(quotes) = task["quotes"].as_array_mut()
            && quotes.len() < MAX_QUOTES
        {
            quotes.push(quote(told));
        }
        if status.is_some() {
            self.known
                .retain(|known| normalize_identity(&known.title) != identity);
            self.known.push(OpenTask { title, blockers });
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::model_answer::Extraction;
    use crate::rules::statements::{Speaker, find};

    fn answer_to(messages: &[&str], open: &[OpenTask]) -> Value {
        let told: Vec<Told<'_>> = (0u32..)
            .zip(messages)
            .flat_map(|(message_index, text)| {
                find(text, Speaker::User, &[])
                    .into_iter()
                    .map(move |finding| Told {
                        message_index,
                        said: Timestamp::default(),
                        text,
                        finding,
                        question: None,
                    })
            })
            .collect();
        let value = answer(&told, open, TaskTimes::default());
        Extraction::parse(&value.to_string(), messages.len()).expect("a valid answer");
        value
    }

    #[test]
    fn a_title_is_whole_and_names_more_than_ids() {
        for torn in ["#22 API-5)", "the export (of", "rows] of it"] {
            assert!(is_torn(torn), "{torn}");
        }
        assert!(!is_torn("the export (of rows)") && !is_torn("the docs :)"));
        for ids in ["DOM-5 (#11)", "DB-3, DB-4 and API-1", "DL-2/DL-5"] {
            assert!(!names_more_than_ids(ids), "{ids}");
        }
        for named in [
            "OPS-311",
            "the DB-3 migration",
            "release 2.0",
            "OPS-311 review",
            "k8s-upgrade and e2e-tests",
        ] {
            assert!(names_more_than_ids(named), "{named}");
        }
    }

    #[test]
    fn what_waits_is_the_work_on_it() {
        let write = "I still need to write the handover report";
        let waits = "The handover report is waiting for the numbers from Bob.";
        for told in [[write, waits], [waits, write]] {
            let value = answer_to(&told, &[]);
            let tasks = value["tasks"].as_array().expect("a list");
            assert_eq!(tasks.len(), 1, "{tasks:?}");
            let title = tasks[0]["title"].as_str().expect("a title");
            assert!(title.ends_with("write the handover report"), "{title}");
            assert_eq!(tasks[0]["status"], "blocked");
            assert_eq!(tasks[0]["blocked_by"], json!(["the numbers from Bob"]));
        }
        let known = |title: &str| OpenTask {
            title: title.to_owned(),
            blockers: Vec::new(),
        };
        let value = answer_to(&[waits], &[known("write the handover report")]);
        assert_eq!(value["tasks"][0]["title"], "write the handover report");
        // Which one, or another one.
        for open in [
            vec![
                known("write the handover report"),
                known("print the handover report"),
            ],
            vec![known("thank the author of the handover report")],
        ] {
            let value = answer_to(&[waits], &open);
            assert_eq!(value["tasks"][0]["title"], "The handover report");
        }
    }

    #[test]
    fn a_task_that_is_not_to_be_done_any_more_is_cancelled() {
        let open = |title: &str| OpenTask {
            title: title.to_owned(),
            blockers: Vec::new(),
        };
        let cancelled = |text: &str, titles: &[&str]| -> Vec<String> {
            let open: Vec<OpenTask> = titles.iter().map(|title| open(title)).collect();
            let value = answer_to(&[text], &open);
            let tasks = value["tasks"].as_array().expect("a list").iter();
            tasks
                .filter(|task| task["status"] == "cancelled")
                .map(|task| task["title"].as_str().expect("a title").to_owned())
                .collect()
        };
        let gym = "cancel the gym on 10 August";
        for (text, title) in [
            ("You can forget about the gym, I already cancelled it.", gym),
            (
                "the migration guide is no longer needed",
                "write the migration guide",
            ),
            (
                "슬랙 알림은 이제 안 해도 돼",
                "나중에 슬랙 알림을 추가해야 해",
            ),
            (
                "ログの整理はもう不要です",
                "来週までにログの整理をしなければなりません",
            ),
            ("库存对账取消吧", "回头还要给库存对账加一个任务"),
        ] {
            assert_eq!(cancelled(text, &[title]), [title], "{text}");
        }
        // A part of it, something else, or what others say.
        for (text, title) in [
            (
                "슬랙 알림은 이제 안 해도 된대요",
                "나중에 슬랙 알림을 추가해야 해",
            ),
            (
                "ログの整理はもう不要だと言っていました",
                "ログの整理をしなければなりません",
            ),
            ("老板说库存对账不用做了", "回头还要给库存对账加一个任务"),
            (
                "Forget about Dutch.",
                "translate the calendar to French and Dutch",
            ),
            ("Forget about the gym.", "call the gym owner"),
            (
                "독일어는 이제 안 해도 돼",
                "프랑스어와 독일어 번역을 추가해야 해",
            ),
        ] {
            assert!(cancelled(text, &[title]).is_empty(), "{text}");
        }
        // Which one, or another one.
        let text = "You can forget about the guide.";
        assert!(cancelled(text, &["write the guide", "print the guide"]).is_empty());
        for text in [
            "Don't forget about the gym.",
            "You can forget about it.",
            "You can forget about the review.",
            "Is the gym no longer needed?",
            "My sister said you can forget about the gym.",
            "Bob thinks we don't need the gym anymore.",
        ] {
            assert!(
                cancelled(text, &[gym, "do the security review"]).is_empty(),
                "{text}"
            );
        }
    }

    #[test]
    fn a_title_begins_with_what_the_task_is_about() {
        let value = answer_to(&["And then, the retry queue is blocked by the audit."], &[]);
        assert_eq!(value["tasks"][0]["title"], "the retry queue", "{value}");
        assert_eq!(without_conjunction("Android build"), "Android build");
        assert_eq!(without_conjunction("and"), "and");
    }

    #[test]
    fn an_answer_of_rules_has_the_form_of_a_models() {
        let value = answer_to(
            &[
                "Let's go with Redis for **sessions**.\nTODO: move the sessions to Redis.",
                "The release is blocked by the audit.",
            ],
            &[],
        );
        assert_eq!(value["entries"][0]["type"], "decision");
        assert_eq!(
            value["entries"][0]["title"],
            "Let's go with Redis for sessions."
        );
        assert_eq!(
            value["entries"][0]["quotes"][0]["quote"],
            "Let's go with Redis for **sessions**."
        );
        assert_eq!(value["tasks"][0]["title"], "move the sessions to Redis");
        assert_eq!(value["tasks"][1]["status"], "blocked");
        assert_eq!(value["tasks"][1]["blocked_by"], json!(["the audit"]));
    }

    #[test]
    fn a_number_in_a_plan_is_no_name_of_a_task() {
        for said in [
            "Task 6 is blocked by 4 and 5.",
            "Step 2 is blocked by the audit.",
            "The release is blocked by steps 4 and 5.",
        ] {
            let value = answer_to(&[said], &[]);
            assert_eq!(value["tasks"], json!([]), "{said}");
            assert_eq!(value["entries"][0]["type"], "task_note", "{said}");
        }
        let value = answer_to(&["Issue 42 is blocked by the audit."], &[]);
        assert_eq!(value["tasks"][0]["title"], "Issue 42");
        for label in ["작업-6", "6번-작업", "タスク6", "任务6", "第6步"] {
            assert!(is_label(label), "{label}");
        }
        assert!(!is_label("2fa") && !is_label("새-작업-목록"));
    }

    #[test]
    fn what_was_private_names_no_task_and_no_blocker() {
        let value = answer_to(
            &[
                "Remind me to [PRIVATE].",
                "[PRIVATE] is blocked by the audit.",
                "The release is blocked by [PRIVATE].",
                "TODO: [REDACTED]",
            ],
            &[],
        );
        assert_eq!(value["tasks"], json!([]), "{value}");
        let value = answer_to(&["Remind me to call [PRIVATE] about the rent."], &[]);
        assert_eq!(value["tasks"][0]["title"], "call [PRIVATE] about the rent");
    }

    #[test]
    fn what_blocked_a_known_task_is_resolved() {
        let open = [OpenTask {
            title: "Ship the importer".into(),
            blockers: vec!["the security review".into()],
        }];
        let value = answer_to(&["The security review is done, so we're unblocked."], &open);
        assert_eq!(value["tasks"][0]["title"], "Ship the importer");
        assert_eq!(value["tasks"][0]["status"], "in_progress");
        // About nothing that is known, so that nobody would ask for it.
        let value = answer_to(&["The security review is done, so we're unblocked."], &[]);
        assert_eq!(value["entries"], json!([]));
    }

    #[test]
    fn only_what_was_resolved_unblocks_a_task() {
        let open = [OpenTask {
            title: "The release".into(),
            blockers: vec!["the security review".into(), "登录问题的修复".into()],
        }];
        for said in [
            "The login bug is fixed, as the security review asked.",
            "The login bug that the security review found is fixed.",
            "The docs for the security review are done and the ticket is closed.",
            "Let me know whether the security review is done.",
            "Make sure the security review is done.",
            "I thought the security review was done, but it isn't.",
            "The security review isn't done yet.",
            "보안 security review 문제가 해결됐는지 확인해 주세요.",
            "the security reviewの問題が解決されたか確認してください。",
            "请确认the security review问题已经解决了。",
        ] {
            let value = answer_to(&[said], &open);
            assert_eq!(value["tasks"], json!([]), "{said}");
        }
        for said in [
            "The security review is done.",
            "Our security review is finally done.",
            "Just letting you know that the security review is done.",
            "We're unblocked because the security review is over.",
        ] {
            let value = answer_to(&[said], &open);
            let task = &value["tasks"][0];
            assert_eq!(task["status"], "blocked", "{said}");
            assert_eq!(task["blocked_by"], json!(["登录问题的修复"]), "{said}");
        }
    }

    #[test]
    fn what_a_task_is_about_may_be_done_before_the_time_it_names() {
        let open = [OpenTask {
            title: "write the rollback script before Friday".into(),
            blockers: Vec::new(),
        }];
        for said in [
            "Great, the rollback script is done now.",
            "The rollback script is finished.",
            "I've written the rollback script.",
        ] {
            let value = answer_to(&[said], &open);
            let last = value["tasks"].as_array().and_then(|tasks| tasks.last());
            assert_eq!(
                last.map(|task| &task["status"]),
                Some(&json!("done")),
                "{said}"
            );
        }
        let value = answer_to(&["The rollback script isn't done."], &open);
        assert_eq!(value["tasks"], json!([]));
    }

    #[test]
    fn a_general_word_frees_no_particular_task() {
        let open = [
            OpenTask {
                title: "Document the login bug in the changelog".into(),
                blockers: vec!["the conflict with the legal team".into()],
            },
            OpenTask {
                title: "Ship the previewer".into(),
                blockers: vec!["the security review".into(), "the previewer rewrite".into()],
            },
            OpenTask {
                title: "배포".into(),
                blockers: vec!["결제 서버의 인증서 문제".into()],
            },
            OpenTask {
                title: "リリース".into(),
                blockers: vec!["監査チームのレビュー作業".into()],
            },
            OpenTask {
                title: "上线".into(),
                blockers: vec!["支付团队提出的证书问题".into()],
            },
        ];
        for said in [
            "The conflict is resolved.",
            "The review is done.",
            "The problem is fixed now.",
            "The login bug is fixed.",
            "The audit of the login page is done.",
            "문제가 해결됐어요.",
            "レビューの問題は解決しました。",
            "问题已经解决了。",
        ] {
            let value = answer_to(&[said], &open);
            assert_eq!(value["tasks"], json!([]), "{said}");
        }
        let frees = |blocker: &str, said: &str| {
            let task = OpenTask {
                title: "The launch".into(),
                blockers: vec![blocker.into()],
            };
            let value = answer_to(&[said], &[task]);
            assert_eq!(value["tasks"][0]["status"], "in_progress", "{said}");
        };
        frees("the audit", "The audit is done.");
        frees("the review", "Our review is done.");
        frees("Bob's security review", "The security review is done.");
        frees("the fix for the login bug", "The login bug is fixed.");
        frees("the login bug", "The login bug on staging is fixed.");
        frees("PR #341", "PR #341 is merged.");
    }

    #[test]
    fn every_task_is_freed_from_what_was_resolved() {
        let task = |title: &str, blockers: &[&str]| OpenTask {
            title: title.into(),
            blockers: blockers.iter().map(|text| (*text).to_owned()).collect(),
        };
        let open = [
            task("Deploy", &["OPS-311"]),
            task("Release", &["OPS-311", "OPS-312"]),
        ];
        let value = answer_to(&["OPS-311 is closed."], &open);
        assert_eq!(value["tasks"][0]["status"], "in_progress", "{value}");
        assert_eq!(value["tasks"][1]["blocked_by"], json!(["OPS-312"]));
        let both = ["OPS-311 is closed.", "OPS-312 is closed."];
        let value = answer_to(&both, &open);
        for at in 0..2 {
            assert_eq!(value["tasks"][at]["status"], "in_progress", "{value}");
        }
        // A title waits for a task that waits for it, in the words of this answer.
        let open = [task("Ship the app", &["OPS-311", "the audit"])];
        let said = ["The audit is blocked by the review.", "OPS-311 is closed."];
        let value = answer_to(&said, &open);
        assert_eq!(value["tasks"].as_array().map(Vec::len), Some(1), "{value}");
    }

    #[test]
    fn what_is_open_or_was_finished_since_is_not_opened_again() {
        let text = "TODO: rotate the keys.";
        let status_of = |open: &[OpenTask], finished: &[String]| {
            let mut found = find(text, Speaker::User, &[]);
            let told = Told {
                message_index: 0,
                said: Timestamp::default(),
                text,
                finding: found.remove(0),
                question: None,
            };
            let mut times = TaskTimes::default();
            for title in finished {
                times.finishes(title, Timestamp::default());
            }
            answer(&[told], open, times)["tasks"][0]["status"].clone()
        };
        let title = "Rotate the keys".to_owned();
        let open = OpenTask {
            title: title.clone(),
            blockers: Vec::new(),
        };
        assert_eq!(status_of(&[], &[]), "pending");
        assert_eq!(status_of(&[open], &[]), Value::Null);
        assert_eq!(status_of(&[], &[title]), Value::Null);
    }

    fn known(titles: &[&str]) -> Vec<OpenTask> {
        let open = |title: &&str| OpenTask {
            title: (*title).to_owned(),
            blockers: Vec::new(),
        };
        titles.iter().map(open).collect()
    }

    fn titles_of(said: &str) -> Vec<String> {
        let value = answer_to(&[said], &[]);
        let tasks = value["tasks"].as_array().into_iter().flatten();
        let titles = tasks.filter_map(|task| task["title"].as_str().map(str::to_owned));
        titles.collect()
    }

    #[test]
    fn words_that_join_a_sentence_to_the_one_before_are_no_part_of_a_title() {
        for (said, title) in [
            (
                "그런데 청첩장 인쇄는 식장 확정을 기다리고 있어.",
                "청첩장 인쇄",
            ),
            ("하지만 전시회 준비는 도록을 기다리고 있어.", "전시회 준비"),
            ("그래서 이사는 잔금 처리를 기다리고 있어.", "이사"),
            (
                "でも、展示会の準備はカタログを待っています。",
                "展示会の準備",
            ),
            ("だから引っ越しは契約書を待っています。", "引っ越し"),
            ("但是展览在等目录印好。", "展览"),
            ("而且搬家在等合同签好。", "搬家"),
        ] {
            assert_eq!(titles_of(said), [title], "{said}");
        }
    }

    #[test]
    fn a_remark_behind_a_task_is_no_other_task() {
        for (said, title) in [
            (
                "TODO: sand the window frames before winter, not now",
                "sand the window frames before winter",
            ),
            ("TODO: repaint the fence, no rush", "repaint the fence"),
            ("할 일: 창틀 사포질하기, 급하지 않아", "창틀 사포질하기"),
            (
                "TODO：窓枠をやすりがけする、急ぎではない",
                "窓枠をやすりがけする",
            ),
            ("待办：打磨窗框，以后再说", "打磨窗框"),
            (
                "Back to the garden: TODO: order the gravel for the path",
                "order the gravel for the path",
            ),
        ] {
            assert_eq!(titles_of(said), [title], "{said}");
        }
        let several = "TODO: sand the frames, oil the hinges";
        assert_eq!(titles_of(several).len(), 2);
    }

    #[test]
    fn why_something_was_decided_and_when_it_is_now_are_no_tasks() {
        for said in [
            "항공편으로 보내기로 했어. 크리스마스 전에 받아야 하니까.",
            "비행기로 가기로 했어. 내일까지 도착해야 하니까요.",
            "航空便にしました。クリスマス前に受け取らないといけないから。",
            "我们决定空运。因为圣诞节前得收到。",
            "회의는 수요일 아침 8시로 바꾸자",
            "워크숍은 다음 주 목요일로 하자",
        ] {
            assert_eq!(titles_of(said), Vec::<String>::new(), "{said}");
        }
        assert_eq!(titles_of("나중에 캐시를 새 버전으로 바꾸자").len(), 1);
    }

    #[test]
    fn reports_finish_what_they_name_in_other_forms() {
        for (title, said) in [
            ("set up the mail relay", "The mail relay is set up."),
            (
                "clean up the old backups",
                "The old backups are cleaned up.",
            ),
            (
                "shut down the test cluster",
                "I've shut the test cluster down.",
            ),
            (
                "add pagination to the orders list",
                "I've added pagination to the orders list: 50 rows per page, with a cursor.",
            ),
            (
                "update the webhook addresses",
                "I've updated the webhook addresses to https://hooks.example.org/v2.",
            ),
            ("写使用说明", "使用说明写完了。"),
            ("导出客户名单", "客户名单已经导出了。"),
        ] {
            let value = answer_to(&[said], &known(&[title]));
            let last = value["tasks"].as_array().and_then(|tasks| tasks.last());
            assert_eq!(
                last.map(|task| &task["status"]),
                Some(&json!("done")),
                "{said}"
            );
        }
        for (title, said) in [
            ("set up the mail relay", "The mail relay is set."),
            (
                "clean up the old backups",
                "The old backups are cleaned out.",
            ),
            ("document the mail relay", "The mail relay is set up."),
        ] {
            let value = answer_to(&[said], &known(&[title]));
            assert_eq!(value["tasks"], json!([]), "{said}");
        }
    }

    #[test]
    fn a_grant_that_says_when_frees_what_waited_for_it() {
        let waiting = OpenTask {
            title: "Ship the letters".into(),
            blockers: vec!["production access".into()],
        };
        for said in [
            "Production access was granted this morning!",
            "The production access was approved yesterday.",
        ] {
            let value = answer_to(&[said], std::slice::from_ref(&waiting));
            assert_eq!(value["tasks"][0]["status"], "in_progress", "{said}");
        }
    }

    #[test]
    fn what_somebody_signs_up_for_is_given_up_by_its_name() {
        let cancelled = |title: &str, said: &str| {
            let value = answer_to(&[said], &known(&[title]));
            value["tasks"][0]["status"] == "cancelled"
        };
        assert!(cancelled(
            "sign up for the choir",
            "You can forget about the choir"
        ));
        assert!(cancelled("apply for the visa", "Forget about the visa."));
        assert!(!cancelled(
            "write the docs for the choir",
            "You can forget about the choir"
        ));
        assert!(!cancelled(
            "fix the door for the gym",
            "You can forget about the gym"
        ));
    }

    #[test]
    fn tasks_that_wait_for_each_other_are_still_a_valid_answer() {
        let value = answer_to(
            &["The release is blocked by the audit.\nThe audit is blocked by the release."],
            &[],
        );
        assert_eq!(value["tasks"].as_array().map(Vec::len), Some(1));
    }
}
