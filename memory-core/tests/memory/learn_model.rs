//! Learning with a model beside the rules: what an answer about an old conversation may say of what
//! changed since, in whatever order the conversations are read, and how an answer changes what is
//! known from other conversations.

use std::sync::Arc;

use recallite::clock::Clock as _;
use recallite::rules::entries::{EntryId, EntryStatus, EntryType};
use recallite::rules::graph::Relation;
use recallite::rules::tasks::TaskStatus;
use recallite::{
    ContextOptions, EdgeFilter, EntryFilter, EventKind, EventRef, ExtractionRequest, IngestOptions,
    IngestReport, LearnedState, MaintainBudget, Memory, NewEntry, NewEvent, NewTask, Query,
    Recording, Selector, TaskFilter, Timestamp,
};
use serde_json::{Value, json};

use crate::clock::FixedClock;

const HOUR_MS: i64 = 3_600_000;

/// A store of conversations, with a model that answers about them.
struct Talks {
    _folder: tempfile::TempDir,
    memory: Memory,
    clock: Arc<FixedClock>,
}

impl Talks {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = FixedClock::at("2026-01-30T12:00:00Z");
        let memory = Memory::builder()
            .project("shop")
            .clock(clock.clone())
            .open(folder.path())
            .unwrap();
        Talks {
            _folder: folder,
            memory,
            clock,
        }
    }

    fn hours_ago(&self, hours: i64) -> Timestamp {
        Timestamp::from_millis_clamped(self.clock.now().millis() - hours * HOUR_MS)
    }

    /// A person says something so many hours before noon.
    fn say(&self, session: &str, hours_ago: i64, text: &str) -> recallite::EventId {
        let event = NewEvent::new(EventKind::UserPrompt, session, text);
        let event = event.timestamp(self.hours_ago(hours_ago));
        self.memory.append(event).unwrap().id
    }

    fn rules(&self) {
        while self
            .memory
            .maintain(MaintainBudget::default())
            .unwrap()
            .has_more
        {}
    }

    fn request(&self, session: &str) -> ExtractionRequest {
        let knowledge = self.memory.knowledge();
        knowledge.extraction_request(session, None).unwrap()
    }

    /// The model reads what is unread of a session, and answers this. The answer is taken in twice:
    /// the second time changes nothing.
    fn read(&self, session: &str, answer: &Value) -> IngestReport {
        let request = self.request(session);
        let options = IngestOptions::default()
            .messages(request.messages)
            .extractor_model("a model");
        let answer = answer.to_string();
        let report = self.memory.ingest_with(session, &answer, &options).unwrap();
        let events = self.memory.stats().unwrap().events;
        let again = self.memory.ingest_with(session, &answer, &options).unwrap();
        assert!(again.already_ingested);
        assert_eq!(again.left_out, report.left_out);
        assert_eq!(self.memory.stats().unwrap().events, events);
        report
    }

    fn entries(&self) -> Vec<recallite::LearnedEntry> {
        let knowledge = self.memory.knowledge();
        knowledge.entries(&EntryFilter::default()).unwrap()
    }

    /// The titles in force, in order.
    fn in_force(&self) -> Vec<String> {
        let known = self.entries().into_iter();
        let known = known.filter(|known| known.entry.status == EntryStatus::Active);
        let mut titles: Vec<String> = known.map(|known| known.entry.title).collect();
        titles.sort();
        titles
    }

    fn status(&self, title: &str) -> EntryStatus {
        let known = self.entries();
        let found = known.iter().find(|known| known.entry.title == title);
        found.expect(title).entry.status.clone()
    }

    fn id(&self, title: &str) -> EntryId {
        let known = self.entries();
        let found = known.iter().find(|known| known.entry.title == title);
        found.expect(title).entry.id.clone()
    }

    fn tasks(&self) -> Vec<(String, TaskStatus)> {
        let tasks = self.memory.tasks();
        let tasks = tasks.list(&TaskFilter::default()).unwrap().into_iter();
        let mut tasks: Vec<(String, TaskStatus)> = tasks
            .map(|task| (task.title.clone(), task.status()))
            .collect();
        tasks.sort();
        tasks
    }

    /// Neither a check nor a rebuild finds anything else.
    fn stays(&self) {
        let report = self.memory.check().unwrap();
        assert!(report.ok);
        self.memory.rebuild(report.as_of).unwrap();
        let hash = self.memory.upkeep().state_hash(report.as_of).unwrap();
        assert_eq!(hash, report.state_hash);
    }
}

/// An answer with one entry, proved by the first message.
fn answer(kind: &str, title: &str, content: &str, quote: &str) -> Value {
    json!({"schema_version": 1, "entries": [{"id": "e1", "type": kind, "title": title,
        "content": content, "confidence": 0.9,
        "quotes": [{"message_index": 0, "quote": quote}]}]})
}

/// The same, with a relation to something known.
fn related(mut answer: Value, relation: &str, to: &str) -> Value {
    answer["relations"] = json!([{"from": "e1", "relation": relation, "to": to}]);
    answer
}

/// An answer with one task, proved by the first message.
fn task_answer(title: &str, status: Option<&str>, quote: &str) -> Value {
    let mut task = json!({"id": "t1", "title": title,
        "quotes": [{"message_index": 0, "quote": quote}]});
    if let Some(status) = status {
        task["status"] = json!(status);
    }
    json!({"schema_version": 1, "entries": [], "tasks": [task]})
}

const REDIS: &str = "Let's go with Redis for the sessions.";
const VALKEY: &str = "Let's switch from Redis to Valkey for the sessions.";
const IN_REDIS: &str = "Sessions are kept in Redis";
const IN_VALKEY: &str = "Sessions are kept in Valkey";

/// One step of the story of two sessions.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    SayOld,
    SayNew,
    Rules,
    ModelOld,
    ModelNew,
}

#[test]
fn an_old_conversation_that_a_model_reads_brings_no_decision_back() {
    use Step::{ModelNew, ModelOld, Rules, SayNew, SayOld};
    let orders: [&[Step]; 9] = [
        &[SayOld, SayNew, Rules, ModelOld],
        &[SayOld, SayNew, Rules, ModelOld, ModelNew],
        &[SayOld, SayNew, Rules, ModelNew, ModelOld],
        &[SayOld, Rules, ModelOld, SayNew, Rules, ModelNew],
        &[SayOld, Rules, ModelOld, SayNew, ModelNew],
        &[SayOld, SayNew, ModelOld, ModelNew, Rules],
        &[SayOld, SayNew, ModelNew, ModelOld, Rules],
        &[SayOld, ModelOld, SayNew, Rules],
        &[SayNew, ModelNew, SayOld, Rules, ModelOld],
    ];
    for order in orders {
        let talks = Talks::new();
        for step in order {
            match step {
                SayOld => drop(talks.say("old", 200, REDIS)),
                SayNew => drop(talks.say("new", 40, VALKEY)),
                Rules => talks.rules(),
                ModelOld => {
                    talks.read("old", &answer("decision", IN_REDIS, IN_REDIS, REDIS));
                }
                ModelNew => {
                    talks.read("new", &answer("decision", IN_VALKEY, IN_VALKEY, VALKEY));
                }
            }
        }
        let current = match order.contains(&ModelNew) {
            true => IN_VALKEY,
            false => VALKEY,
        };
        assert_eq!(talks.in_force(), [current], "{order:?}");
        let query = Query::new("where do sessions live, Redis or Valkey?");
        let options = ContextOptions::new(query).recording(Recording::Never);
        let context = talks.memory.context(options).unwrap();
        let states = context.learned.iter();
        let in_force: Vec<&str> = states
            .filter(|hit| hit.state == LearnedState::InForce)
            .map(|hit| hit.title.as_str())
            .collect();
        assert_eq!(in_force, [current], "{order:?}");
        talks.stays();
    }
}

/// What a person did to what the rules made of a sentence holds for what a model makes of it.
#[test]
fn what_became_of_a_sentence_holds_for_what_a_model_makes_of_it() {
    let talks = Talks::new();
    let knowledge = talks.memory.knowledge();
    for (session, text) in [
        ("a", "Let's use Kafka for the events."),
        ("b", "We decided to ship on Friday."),
        ("c", "The API listens on port 8080."),
    ] {
        talks.say(session, 100, text);
    }
    talks.rules();
    knowledge
        .deprecate(&talks.id("Let's use Kafka for the events."))
        .unwrap();
    let by_hand = NewEntry::new(EntryType::Decision, "notes", "Releases", "On Mondays.");
    let by_hand = knowledge.add_entry(&by_hand).unwrap().entry.id;
    knowledge
        .supersede(&talks.id("We decided to ship on Friday."), &by_hand)
        .unwrap();
    let other = NewEntry::new(EntryType::Fact, "notes", "API port", "It is 9090, I think.");
    let other = knowledge.add_entry(&other).unwrap().entry.id;
    knowledge
        .contradict(&talks.id("The API listens on port 8080."), &other, None)
        .unwrap();

    let kafka = "Let's use Kafka for the events.";
    talks.read(
        "a",
        &answer("decision", "Events in Kafka", "In Kafka.", kafka),
    );
    assert_eq!(talks.status("Events in Kafka"), EntryStatus::Deprecated);
    let friday = "We decided to ship on Friday.";
    talks.read("b", &answer("decision", "Ship on Fridays", "Ship.", friday));
    let by = by_hand;
    assert_eq!(
        talks.status("Ship on Fridays"),
        EntryStatus::Superseded { by }
    );
    let port = "The API listens on port 8080.";
    talks.read("c", &answer("fact", "API on 8080", "On port 8080.", port));
    assert_eq!(
        talks.status("API on 8080"),
        EntryStatus::Contested { with: vec![other] }
    );
    talks.stays();
}

/// A model states what a sentence says; a later sentence that the rules read replaces both. What a
/// person added is theirs.
#[test]
fn rules_replace_what_a_model_made_of_a_sentence_and_nothing_that_a_person_added() {
    for (old, new) in [
        (REDIS, VALKEY),
        (
            "The API listens on port 8080.",
            "We moved the API to port 9090.",
        ),
        (
            "Postgres runs on port 5433.",
            "Postgres now runs on port 5434.",
        ),
    ] {
        let talks = Talks::new();
        let kind = if old == REDIS { "decision" } else { "fact" };
        let message = talks.say("old", 100, old);
        talks.read("old", &answer(kind, "In a model's words", "So it is.", old));
        let by_hand = NewEntry::new(kind.parse().unwrap(), "old", "In my words", "So it is.");
        let by_hand = by_hand.event(EventRef::Id(message));
        talks.memory.knowledge().add_entry(&by_hand).unwrap();
        talks.say("new", 50, new);
        talks.rules();
        assert_eq!(talks.in_force(), ["In my words", new], "{new}");
        talks.stays();
    }
}

const TIMEOUT: &str = "The payment timeout is 15 seconds.";
const LONGER: &str = "15 seconds is too short: set the payment timeout to 30 seconds.";

/// The id by which a request names a known entry.
fn named(request: &ExtractionRequest, says: &str) -> String {
    let mut lines = request.prompt.lines();
    let line = lines.find(|line| line.starts_with("> entry_") && line.contains(says));
    let line = line.expect(says).trim_start_matches("> ");
    line.split(',').next().unwrap().to_owned()
}

/// A store in which a model has read the first word on the timeout, and a person said another.
fn timeouts(session: &str) -> Talks {
    let talks = Talks::new();
    talks.say("old", 200, TIMEOUT);
    talks.read(
        "old",
        &answer("decision", "Payment timeout", TIMEOUT, TIMEOUT),
    );
    talks.say(session, 40, LONGER);
    talks
}

fn thirty(title: &str) -> Value {
    answer(
        "decision",
        title,
        "It is 30 seconds.",
        "set the payment timeout to 30 seconds",
    )
}

#[test]
fn an_answer_replaces_what_is_known_from_other_conversations_by_its_id() {
    // Another session, and the same one, which is read in two requests.
    for session in ["new", "old"] {
        let talks = timeouts(session);
        let request = talks.request(session);
        assert!(
            request
                .prompt
                .contains(", decision: Payment timeout: The payment timeout is 15")
        );
        let known = named(&request, "Payment timeout");
        let whole = talks.id("Payment timeout");
        assert!(whole.as_str().starts_with(&known) && known.len() < 20);
        talks.read(
            session,
            &related(thirty("Thirty seconds"), "supersedes", &known),
        );
        assert_eq!(talks.in_force(), ["Thirty seconds"], "{session}");
        assert_eq!(
            talks.status("Payment timeout"),
            EntryStatus::Superseded {
                by: talks.id("Thirty seconds")
            }
        );
        let context = talks
            .memory
            .context("what is the payment timeout?")
            .unwrap()
            .text;
        assert!(
            context.contains("Decision, in force: Thirty seconds"),
            "{context}"
        );
        talks.stays();
    }
    let talks = timeouts("new");
    let whole = talks.id("Payment timeout");
    let contested = related(thirty("Thirty seconds"), "contradicts", whole.as_str());
    talks.read("new", &contested);
    let with = vec![whole];
    assert_eq!(
        talks.status("Thirty seconds"),
        EntryStatus::Contested { with }
    );
    // Both are shown to the model that may settle it.
    talks.say("third", 10, "We settled on 30 seconds.");
    let request = talks.request("third");
    named(&request, "Payment timeout");
    named(&request, "Thirty seconds");
    talks.stays();
}

#[test]
fn what_was_said_last_under_a_title_holds_whatever_was_read_first() {
    let said = [
        (200, "Payment timeout", 15),
        (40, "payment timeout", 30),
        (90, "Payment timeout!", 20),
    ];
    let last = "It is 30 seconds.";
    for order in [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ] {
        let talks = Talks::new();
        for at in order {
            let (hours, title, seconds) = said[at];
            let text = format!("The payment timeout shall be {seconds} seconds from here on.");
            let session = format!("s{at}");
            talks.say(&session, hours, &text);
            let content = format!("It is {seconds} seconds.");
            talks.read(&session, &answer("decision", title, &content, &text));
        }
        let known = talks.entries().into_iter();
        let counts: Vec<String> = known
            .filter(|known| known.entry.status == EntryStatus::Active)
            .map(|known| known.content)
            .collect();
        assert_eq!(counts, [last], "{order:?}");
        talks.stays();
    }
}

#[test]
fn a_title_is_taken_only_in_its_project_by_what_is_proved_and_from_no_person() {
    let talks = timeouts("new");
    // Not proved.
    let made_up = answer(
        "decision",
        "Payment timeout",
        "It is an hour.",
        "an hour, he said",
    );
    talks.read("new", &made_up);
    assert_eq!(talks.status("Payment timeout"), EntryStatus::Active);
    let knowledge = talks.memory.knowledge();
    let known = |content: &str| {
        let mut known = talks.entries().into_iter();
        known
            .find(|known| known.content == content)
            .expect("known")
            .entry
    };
    assert_eq!(known(TIMEOUT).status, EntryStatus::Active);

    // In another project it is another timeout, and its ids are not known.
    let talk = NewEvent::new(EventKind::UserPrompt, "elsewhere", LONGER).project("bank");
    talks.memory.append(talk).unwrap();
    let elsewhere = related(
        thirty("Payment timeout"),
        "supersedes",
        known(TIMEOUT).id.short_of(),
    );
    let report = talks.read("elsewhere", &elsewhere);
    assert_eq!(report.left_out, [known(TIMEOUT).id.short_of()]);
    assert_eq!(known(TIMEOUT).status, EntryStatus::Active);

    // What a person added since holds.
    let port = NewEntry::new(EntryType::Fact, "notes", "API port", "It is 9090.");
    knowledge.add_entry(&port).unwrap();
    talks.say("before", 90, "The API is on 8080.");
    let before = answer("fact", "API port", "It is 8080.", "The API is on 8080.");
    talks.read("before", &before);
    assert_eq!(known("It is 9090.").status, EntryStatus::Active);
    assert_eq!(known("It is 8080.").status.as_str(), "superseded");

    // What a person added before is contested, as if they had added the other one.
    let owner = NewEntry::new(
        EntryType::Fact,
        "notes",
        "Owner of billing",
        "Mina owns it.",
    );
    let owner = knowledge.add_entry(&owner).unwrap().entry.id;
    talks.clock.advance_ms(20 * HOUR_MS);
    talks.say("third", 10, "Jonas has billing now.");
    let jonas = answer(
        "fact",
        "Owner of billing",
        "Jonas owns it.",
        "Jonas has billing now.",
    );
    talks.read("third", &jonas);
    assert_eq!(
        known("Jonas owns it.").status,
        EntryStatus::Contested { with: vec![owner] }
    );
    talks.stays();
}

/// The beginning of an id, as a request shows it.
trait ShortId {
    fn short_of(&self) -> &str;
}

impl ShortId for EntryId {
    fn short_of(&self) -> &str {
        &self.as_str()[..14]
    }
}

#[test]
fn a_relation_to_what_is_gone_or_made_up_is_named_and_left_out() {
    let talks = timeouts("new");
    let known = named(&talks.request("new"), "Payment timeout");
    talks.memory.erase(&Selector::new().session("old")).unwrap();
    let answer = related(thirty("Thirty seconds"), "supersedes", &known);
    let report = talks.read("new", &answer);
    assert_eq!(report.left_out, [known]);
    assert_eq!(talks.in_force(), ["Thirty seconds"]);
    // A title or an id of another answer is no id of an entry.
    for to in [
        "Thirty seconds",
        "e7",
        "entry_",
        "entry_12",
        "entry_1234567g",
    ] {
        let wrong = related(thirty("Again"), "supersedes", to).to_string();
        let error = talks.memory.ingest("new", &wrong).unwrap_err();
        assert_eq!(error.argument(), Some("relations[0].to"), "{to}");
    }
    // Tasks of other answers are named by their titles.
    let task = related(thirty("Again"), "mentions", "entry_12345678").to_string();
    let error = talks.memory.ingest("new", &task).unwrap_err();
    assert_eq!(error.argument(), Some("relations[0].to"));
}

#[test]
fn what_an_answer_derives_from_something_known_is_an_edge() {
    let talks = timeouts("new");
    let known = named(&talks.request("new"), "Payment timeout");
    let derived = related(thirty("Thirty seconds"), "derived_from", &known);
    talks.read("new", &derived);
    assert_eq!(talks.in_force(), ["Payment timeout", "Thirty seconds"]);
    let from = EdgeFilter::default().from(talks.id("Thirty seconds").as_str());
    let from = from.relation(Relation::DerivedFrom);
    let edges = talks.memory.knowledge().edges(&from).unwrap();
    let ends: Vec<&str> = edges
        .iter()
        .map(|edge| &*edge.ends.destination_id)
        .collect();
    assert_eq!(ends, [talks.id("Payment timeout").as_str()]);
    talks.stays();

    // Not from what was erased.
    let talks = timeouts("new");
    let known = named(&talks.request("new"), "Payment timeout");
    talks.memory.erase(&Selector::new().session("old")).unwrap();
    let derived = related(thirty("Thirty seconds"), "derived_from", &known);
    let report = talks.read("new", &derived);
    assert_eq!(report.left_out, [known]);
    let from = EdgeFilter::default().from(talks.id("Thirty seconds").as_str());
    let from = from.relation(Relation::DerivedFrom);
    assert_eq!(talks.memory.knowledge().edges(&from).unwrap(), []);
}

/// A quote may hold more than what states an entry.
#[test]
fn a_constraint_of_a_model_takes_back_no_fact_by_what_it_quotes_besides() {
    let talks = Talks::new();
    talks.say("old", 100, "The API listens on port 8080.");
    talks.memory.maintain(MaintainBudget::default()).unwrap();
    talks.rules();
    assert_eq!(talks.in_force(), ["The API listens on port 8080."]);
    let said = "Every release must have two approvals. We moved the API to port 9090.";
    talks.say("new", 50, said);
    let constraint = json!({"schema_version": 1, "entries": [{
        "id": "e1", "type": "constraint", "title": "Two approvals",
        "content": "Two people approve a release.",
        "quotes": [{"message_index": 0, "quote": said}],
    }]});
    talks.read("new", &constraint);
    assert_eq!(
        talks.in_force(),
        ["The API listens on port 8080.", "Two approvals"]
    );
    talks.stays();
}

/// The model is shown what was decided later, but the words that it reads were said before.
#[test]
fn an_answer_about_an_old_conversation_replaces_nothing_that_was_said_later() {
    let talks = Talks::new();
    talks.say("old", 200, TIMEOUT);
    talks.say("new", 40, LONGER);
    talks.read("new", &thirty("Thirty seconds"));
    let known = named(&talks.request("old"), "Thirty seconds");
    let fifteen = answer("decision", "Fifteen seconds", "It is 15.", TIMEOUT);
    talks.read("old", &related(fifteen, "supersedes", &known));
    assert_eq!(talks.in_force(), ["Thirty seconds"]);
    let by = talks.id("Thirty seconds");
    assert_eq!(
        talks.status("Fifteen seconds"),
        EntryStatus::Superseded { by }
    );
    talks.stays();
}

#[test]
fn what_is_known_about_the_messages_is_listed_however_old_it_is() {
    let talks = timeouts("new");
    for day in 0..60 {
        let (title, content) = (
            format!("Rule {day}"),
            format!("Colour {day} is for lamp {day}."),
        );
        let entry = NewEntry::new(EntryType::Fact, "notes", title, content);
        talks.memory.knowledge().add_entry(&entry).unwrap();
        let task = NewTask::new(format!("Paint lamp {day}"));
        talks.memory.tasks().create(&task).unwrap();
    }
    let request = talks.request("new");
    named(&request, "Payment timeout");
    named(&request, "Rule 59");
}

#[test]
fn an_old_conversation_that_a_model_reads_reopens_no_task() {
    for (asked, title, status, done, after) in [
        (
            "TODO: rotate the signing keys",
            "rotate the signing keys",
            Some("pending"),
            "I've rotated the signing keys.",
            TaskStatus::Done,
        ),
        (
            "TODO: rotate the signing keys",
            "Rotate the signing keys",
            None,
            "I've rotated the signing keys.",
            TaskStatus::Done,
        ),
        (
            "TODO: write a load test",
            "write a load test",
            Some("in_progress"),
            "You can forget about the load test.",
            TaskStatus::Cancelled,
        ),
        (
            "The release is waiting for OPS-311.",
            "The release",
            Some("blocked"),
            "OPS-311 is closed.",
            TaskStatus::InProgress,
        ),
    ] {
        let talks = Talks::new();
        talks.say("old", 200, asked);
        talks.say("new", 40, done);
        talks.rules();
        let known = talks.tasks();
        assert_eq!((known.len(), known[0].1), (1, after), "{asked}");
        let line = format!("> task, {after}: {}\n", known[0].0);
        assert!(talks.request("old").prompt.contains(&line), "{line}");
        let report = talks.read("old", &task_answer(title, status, asked));
        assert_eq!(report.tasks[0].status, after);
        assert_eq!(talks.tasks(), known, "{asked}");
        // What is said later opens it again.
        talks.say(
            "third",
            10,
            "The signing keys leaked, we rotate them again.",
        );
        let again = task_answer(&known[0].0, Some("pending"), "we rotate them again");
        if after == TaskStatus::Done {
            talks.read("third", &again);
            assert_eq!(talks.tasks()[0].1, TaskStatus::Pending);
        }
        talks.stays();
    }
}

/// What a person did to a task holds, whatever a conversation before that says.
#[test]
fn a_status_of_an_old_conversation_takes_back_no_change_by_hand() {
    let talks = Talks::new();
    let id = talks
        .memory
        .tasks()
        .create(&NewTask::new("Ship 2.0"))
        .unwrap()
        .id;
    let tasks = talks.memory.tasks();
    tasks
        .change_status(&id, TaskStatus::InProgress, &[])
        .unwrap();
    let text = "We can't ship 2.0 before OPS-9.";
    talks.say("old", 48, text);
    let blocked = json!({"schema_version": 1, "entries": [], "tasks": [{"id": "t1",
        "title": "Ship 2.0", "status": "blocked", "priority": "critical", "blocked_by": ["OPS-9"],
        "quotes": [{"message_index": 0, "quote": text}]}]});
    talks.read("old", &blocked);
    let known = talks.memory.tasks().get(&id).unwrap().unwrap().task;
    assert_eq!(known.status(), TaskStatus::InProgress);
    assert_eq!(
        known.phase.confirmed().len() + known.phase.suggested().len(),
        0
    );
    assert_eq!(known.priority, recallite::rules::tasks::Priority::Medium);
    talks.clock.advance_ms(5 * HOUR_MS);
    talks.say("new", 1, text);
    talks.read("new", &blocked);
    assert_eq!(talks.tasks()[0].1, TaskStatus::Blocked);
    talks.stays();
}

/// An answer tells one story: its parts are compared with what was known before it, not with each other.
#[test]
fn an_answer_may_prove_a_task_by_messages_in_any_order() {
    let talks = Talks::new();
    talks.say("a", 60, "Rotating the keys took a day, all done.");
    talks.say("a", 50, "I had begun to rotate them on Monday.");
    let task = |id: &str, status: &str, message: usize, quote: &str| {
        json!({"id": id, "title": "Rotate the keys", "status": status,
            "quotes": [{"message_index": message, "quote": quote}]})
    };
    let begun = task("t1", "in_progress", 1, "I had begun to rotate them");
    let done = task("t2", "done", 0, "Rotating the keys took a day, all done.");
    let answer = json!({"schema_version": 1, "entries": [], "tasks": [begun, done]});
    talks.read("a", &answer);
    assert_eq!(talks.tasks()[0].1, TaskStatus::Done);
    talks.stays();
}

#[test]
fn of_a_sentence_that_says_two_things_only_what_was_changed_is_taken_over() {
    let talks = Talks::new();
    let both = "We use Redis for the sessions and Postgres for the orders.";
    talks.say("old", 200, both);
    talks.say("new", 40, VALKEY);
    talks.rules();
    let knowledge = talks.memory.knowledge();
    let known = knowledge.entry(&talks.id(both)).unwrap().expect("learned");
    let kind = known.entry.entry_type.as_str();
    knowledge
        .supersede(&talks.id(both), &talks.id(VALKEY))
        .unwrap();
    let entry = |id: &str, title: &str| {
        json!({"id": id, "type": kind, "title": title, "content": title,
            "quotes": [{"message_index": 0, "quote": both}]})
    };
    let answer = json!({"schema_version": 1, "entries": [
        entry("e1", "We use Redis for the sessions"),
        entry("e2", "We use Postgres for the orders")]});
    talks.read("old", &answer);
    assert_eq!(talks.in_force(), [VALKEY, "We use Postgres for the orders"]);
    talks.stays();
}
