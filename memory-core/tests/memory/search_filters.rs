//! A search filtered by tools, files, outcomes and levels finds the same as examining every event,
//! however many others match better.

use recallite::embed::Embedder;
use recallite::rules::entries::EntryType;
use recallite::rules::levels::Level;
use recallite::scope::ProjectScope;
use recallite::{
    Appended, Event, EventFilter, EventKind, EventRef, Json, MAX_FILTER_BYTES, MAX_FILTER_TOOLS,
    MaintainBudget, Memory, NewEntry, NewEvent, Query, Selector, Seq, SmartSearchOptions,
    Timestamp, ToolOutcome, ToolUse,
};

const TOOLS: [&str; 4] = ["Bash", "Read", "Edit", "배포"];
const FILES: [&str; 3] = ["src/cart.rs", "src/price.rs", "docs/가격.md"];

fn call(tool: &str, file: Option<&str>, success: bool, output: impl Into<String>) -> ToolUse {
    let mut used = ToolUse::new(tool).output(output).success(success);
    used.input = file.map(|file| {
        let input = serde_json::json!({ "file_path": file });
        Json::parse("input", &input.to_string()).unwrap()
    });
    used
}

fn used(memory: &Memory, session: &str, call: ToolUse) -> Appended {
    memory.append(NewEvent::tool(session, call)).unwrap()
}

fn seqs(memory: &Memory, query: Query) -> Vec<u64> {
    let found = memory.search(query).unwrap();
    assert!(!found.degraded);
    found.items.iter().map(|hit| hit.seq.0).collect()
}

/// Random numbers, the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) as usize % sides
    }
}

/// Adds events of every kind, of which every eleventh mentions kd7319.
fn filled(memory: &Memory, count: usize, dice: &mut Dice) {
    let events = (0..count).map(|number| {
        let topic = if number % 11 == 0 { "kd7319" } else { "kd4471" };
        let session = ["monday", "tuesday"][dice.roll(2)];
        let event = match dice.roll(6) {
            0 => NewEvent::new(
                EventKind::UserPrompt,
                session,
                format!("where is {topic} {number}?"),
            ),
            1 => NewEvent::new(
                EventKind::AgentResponse,
                session,
                format!("{topic} {number} is here"),
            ),
            _ => {
                let tool = TOOLS[dice.roll(4)];
                let file = FILES.get(dice.roll(5)).copied();
                let output = format!("the {topic} is number {number}");
                NewEvent::tool(session, call(tool, file, dice.roll(4) > 0, output))
            }
        };
        event
            .project(["shop", "bank"][dice.roll(2)])
            .timestamp(Timestamp::from_millis_clamped(1_000_000 + number as i64))
    });
    memory.append_batch(events.collect()).unwrap();
}

/// Randomly chosen filters.
#[derive(Clone, Debug, Default)]
struct Narrowed {
    tools: Vec<&'static str>,
    file: Option<&'static str>,
    outcome: Option<ToolOutcome>,
    level: Option<Level>,
    project: Option<&'static str>,
    session: Option<&'static str>,
    from: Option<i64>,
}

impl Narrowed {
    fn rolled(dice: &mut Dice) -> Self {
        let mut narrowed = Narrowed::default();
        match dice.roll(3) {
            0 => narrowed.tools = vec![TOOLS[dice.roll(4)]],
            1 => narrowed.tools = vec![TOOLS[dice.roll(4)], "no such tool", TOOLS[dice.roll(4)]],
            _ => {}
        }
        narrowed.file = [None, None, Some("src/"), Some("가격"), Some("cart")][dice.roll(5)];
        narrowed.outcome = [
            None,
            Some(ToolOutcome::Failed),
            Some(ToolOutcome::Succeeded),
        ][dice.roll(3)];
        narrowed.level = [None, None, Some(Level::L0), Some(Level::L1)][dice.roll(4)];
        narrowed.project = [None, Some("shop")][dice.roll(2)];
        narrowed.session = [None, None, Some("monday")][dice.roll(3)];
        narrowed.from = [None, None, Some(1_002_000)][dice.roll(3)];
        narrowed
    }

    fn query(&self) -> Query {
        let mut query = Query::new("kd7319")
            .limit(1_000)
            .learned(false)
            .tools(self.tools.clone());
        query.project = match self.project {
            Some(name) => ProjectScope::Named(name.to_owned()),
            None => ProjectScope::All,
        };
        query.session = self.session.map(str::to_owned);
        query.file_contains = self.file.map(str::to_owned);
        query.tool_outcome = self.outcome;
        query.min_level = self.level;
        query.from = self.from.map(Timestamp::from_millis_clamped);
        query
    }

    /// Whether a filter needs data that is not in the lexical index.
    fn needs_records(&self) -> bool {
        let any_call = self.tools.is_empty() && self.file.is_none() && self.outcome.is_none();
        !any_call || self.level.is_some_and(|level| level > Level::L0)
    }

    fn fits(&self, event: &Event, level: Level) -> bool {
        let tool = event.tool.as_ref();
        event.content.contains("kd7319")
            && (self.tools.is_empty() || tool.is_some_and(|t| self.tools.contains(&&*t.name)))
            && self.file.is_none_or(|part| {
                tool.is_some_and(|t| {
                    let derived: serde_json::Value =
                        serde_json::from_str(t.metadata.as_str()).unwrap();
                    let path = derived["filePath"].as_str();
                    path.is_some_and(|path| path.contains(part))
                })
            })
            && self
                .outcome
                .is_none_or(|o| tool.is_some_and(|t| t.success == (o == ToolOutcome::Succeeded)))
            && self.level.is_none_or(|least| level >= least)
            && self.project.is_none_or(|name| event.project == name)
            && self.session.is_none_or(|name| event.session == name)
            && self
                .from
                .is_none_or(|from| event.timestamp.millis() >= from)
    }
}

/// Searches with many filters, and compares with examining every event.
fn compare(memory: &Memory, dice: &mut Dice, rounds: usize) {
    let events: Vec<Event> = memory
        .events(EventFilter::new().project(ProjectScope::All))
        .unwrap()
        .collect::<recallite::Result<_>>()
        .unwrap();
    let levels: Vec<Level> = events
        .iter()
        .map(|event| memory.levels().get(event.seq).unwrap().level)
        .collect();
    let mut found_any = 0;
    for _ in 0..rounds {
        let narrowed = Narrowed::rolled(dice);
        let mut expected: Vec<u64> = events
            .iter()
            .zip(&levels)
            .filter(|(event, level)| narrowed.fits(event, **level))
            .map(|(event, _)| event.seq.0)
            .collect();
        expected.sort_unstable();
        let found = memory.search(narrowed.query()).unwrap();
        // Other searches count forgotten events until they leave the index.
        if narrowed.needs_records() {
            assert_eq!(found.total_matches, expected.len(), "{narrowed:?}");
        }
        let mut seqs: Vec<u64> = found.items.iter().map(|hit| hit.seq.0).collect();
        seqs.sort_unstable();
        // A neighbour of a turn may be found through it without matching itself.
        seqs.retain(|seq| expected.binary_search(seq).is_ok() || !is_turn(&events, *seq));
        assert!(
            seqs == expected,
            "{narrowed:?}: {} of {}",
            seqs.len(),
            expected.len()
        );
        found_any += usize::from(!expected.is_empty());
    }
    assert!(found_any > rounds / 4, "{found_any} of {rounds}");
}

fn is_turn(events: &[Event], seq: u64) -> bool {
    let event = events.iter().find(|event| event.seq.0 == seq).unwrap();
    event.tool.is_none()
}

fn raise(memory: &Memory, count: u64) {
    let events: Vec<EventRef> = (1..=count).step_by(3).map(EventRef::from_seq).collect();
    for part in events.chunks(500) {
        memory.levels().record_access(part, "later", 0.9).unwrap();
    }
    while memory.levels().graduate(1_000).unwrap().waiting > 0 {}
}

trait FromSeq {
    fn from_seq(seq: u64) -> Self;
}

impl FromSeq for EventRef {
    fn from_seq(seq: u64) -> Self {
        EventRef::Seq(Seq(seq))
    }
}

#[test]
fn filters_together_find_what_a_look_at_every_event_finds() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    let mut dice = Dice(16);
    filled(&memory, 900, &mut dice);
    raise(&memory, 300);
    let gone = (1..=900).step_by(9).map(Seq);
    let selector = Selector::new().ids(gone).project(ProjectScope::All);
    memory.forget(&selector).unwrap();
    compare(&memory, &mut dice, 150);
    memory.maintain(Default::default()).unwrap();
    compare(&memory, &mut dice, 50);
}

/// With more matching calls than a filter lists in advance, each candidate is checked individually.
#[test]
fn filters_that_many_events_fit_find_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    let mut dice = Dice(17);
    filled(&memory, 9_000, &mut dice);
    raise(&memory, 9_000);
    compare_many(&memory, &mut dice);
}

fn compare_many(memory: &Memory, dice: &mut Dice) {
    let events: Vec<Event> = memory
        .events(EventFilter::new().project(ProjectScope::All))
        .unwrap()
        .collect::<recallite::Result<_>>()
        .unwrap();
    for outcome in ToolOutcome::ALL {
        let narrowed = Narrowed {
            outcome: Some(*outcome),
            ..Narrowed::default()
        };
        let fitting = events
            .iter()
            .filter(|event| narrowed.fits(event, Level::L0))
            .count();
        let found = memory.search(narrowed.query()).unwrap();
        assert_eq!(found.total_matches, fitting, "{outcome}");
        assert_eq!(found.items.len(), fitting.min(1_000), "{outcome}");
        let fits = |seq: u64| {
            let event = events.iter().find(|event| event.seq.0 == seq).unwrap();
            narrowed.fits(event, Level::L0)
        };
        assert!(found.items.iter().all(|hit| fits(hit.seq.0)), "{outcome}");
    }
    compare(memory, dice, 12);
}

#[test]
fn a_rare_tool_is_found_behind_thousands_that_match_better() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    let rare = used(
        &memory,
        "s",
        call(
            "Write",
            Some("db/schema.sql"),
            false,
            "A long report in which the invoice table is named once, and much else that \
             nobody asked about: columns, keys, owners and the time it took.",
        ),
    );
    let others = (0..3_000).map(|number| {
        let output = format!("invoice table invoice table {number}");
        NewEvent::tool("s", call("Bash", None, true, output))
    });
    memory.append_batch(others.collect()).unwrap();
    let ask = || Query::new("invoice table").limit(3);
    assert!(!seqs(&memory, ask()).contains(&rare.seq.0));
    let expected = [rare.seq.0];
    assert_eq!(seqs(&memory, ask().tools(["Write"])), expected);
    assert_eq!(seqs(&memory, ask().file_contains("schema")), expected);
    assert_eq!(
        seqs(&memory, ask().tool_outcome(ToolOutcome::Failed)),
        expected
    );
    let narrowed = ask().tools(["Write", "Bash"]).file_contains("db/");
    assert_eq!(seqs(&memory, narrowed.clone()), expected);
    let found = memory
        .smart_search(narrowed.clone(), SmartSearchOptions::default())
        .unwrap();
    assert_eq!(found.index.len(), 1);
    let context = memory.context(narrowed).unwrap();
    assert!(context.items.iter().all(|item| item.seq == rare.seq));
    // A value that no event has just finds nothing.
    for nothing in [
        ask().tools(["Unknown"]),
        ask().file_contains("no/such/file"),
        ask().min_level(Level::L1),
        ask().tools(["Write"]).kinds([EventKind::UserPrompt]),
        ask().tools(["Write"]).tool_outcome(ToolOutcome::Succeeded),
    ] {
        assert!(seqs(&memory, nothing).is_empty());
    }
}

/// A question that a project cannot answer is told from others by the words that it has never heard;
/// that another project of the store has heard them makes no difference.
#[test]
fn what_only_another_project_says_is_unknown_to_this_one() {
    const HOME: [&str; 16] = [
        "The dentist is on the fourth of March at nine.",
        "Priya moves to Graz in the summer.",
        "I would rather take the train than fly.",
        "My landlord wants the rent before the third.",
        "The bicycle needs a new chain and a bell.",
        "Her birthday is in six days, she likes tulips.",
        "The flat has sixty square metres and a balcony.",
        "We cook lentils on Mondays.",
        "The library closes at six on Fridays.",
        "The post office charges two euros for the parcel.",
        "Ben lent me his tent for the weekend.",
        "The kettle is broken, the plug is loose.",
        "I have to renew the passport in May.",
        "The neighbours water the plants when we are away.",
        "Our cat is called Miso and is shy.",
        "The choir meets in the old school.",
    ];
    const SHOP: [&str; 8] = [
        "We decided on Mollie as the payment provider for the checkout.",
        "The timeout of the checkout is thirty seconds.",
        "Caddy is the reverse proxy in front of the API.",
        "The refund script writes to the ledger and is done.",
        "Invoices are rendered with Typst by a worker.",
        "The staging database listens on port 5433.",
        "Redis holds the sessions of customers.",
        "The release is cut on Tuesdays by Priya.",
    ];
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let [alone, shared] = [0, 1].map(|at: usize| {
        Memory::builder()
            .project("home")
            .open(folders[at].path())
            .unwrap()
    });
    for (number, text) in HOME.iter().enumerate() {
        let said = NewEvent::new(EventKind::UserPrompt, format!("h{}", number / 4), *text);
        alone.append(said.clone()).unwrap();
        shared.append(said).unwrap();
    }
    for (number, text) in SHOP.iter().enumerate() {
        let mut said = NewEvent::new(EventKind::UserPrompt, format!("s{}", number / 4), *text);
        said.project = Some("shop".to_owned());
        shared.append(said).unwrap();
    }
    for question in [
        "Which payment provider did we choose?",
        "Which reverse proxy do we use?",
        "What is the checkout timeout?",
        "Is the refund script done?",
        "How are invoices rendered?",
        "On which port does the staging database listen?",
    ] {
        let first = |memory: &Memory| {
            let found = memory.search(question).unwrap();
            let relevance = found.items.first().map_or(0.0, |hit| hit.relevance);
            (found.confidence, relevance)
        };
        let ((own, own_relevance), (class, relevance)) = (first(&alone), first(&shared));
        assert_eq!(class, own, "{question}: {relevance} and {own_relevance}");
        let all = shared
            .search(Query::new(question).project(ProjectScope::All))
            .unwrap();
        assert!(
            all.items[0].relevance > 0.3,
            "{question}: {:?}",
            all.items[0]
        );
    }
}

#[test]
fn what_was_learned_is_narrowed_by_what_proves_it() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    let listed = used(
        &memory,
        "s",
        call("Bash", None, true, "postgres listens on port 5433"),
    );
    let mut fact = NewEntry::new(
        EntryType::Fact,
        "s",
        "Port of postgres",
        "postgres listens on port 5433",
    );
    fact.event = Some(listed.seq.into());
    memory.knowledge().add_entry(&fact).unwrap();
    let said = NewEntry::new(
        EntryType::Fact,
        "s",
        "Port of redis",
        "redis listens on port 6380",
    );
    let said = memory.knowledge().add_entry(&said).unwrap();
    let titles = |query: Query| -> Vec<String> {
        let found = memory.search(query).unwrap();
        found.learned.into_iter().map(|hit| hit.title).collect()
    };
    let ask = || Query::new("on which port do redis and postgres listen?");
    // Before any search, since results count as uses.
    let proof = said.entry.evidence().unwrap().aligned[0].event_id.clone();
    let proof: recallite::EventId = proof.unwrap().parse().unwrap();
    memory
        .levels()
        .record_access(&[proof.into()], "other", 0.9)
        .unwrap();
    memory.levels().graduate(100).unwrap();
    assert_eq!(titles(ask().min_level(Level::L1)), ["Port of redis"]);
    assert!(titles(ask().min_level(Level::L1).tools(["Bash"])).is_empty());
    assert_eq!(titles(ask()).len(), 2);
    assert_eq!(titles(ask().tools(["Bash"])), ["Port of postgres"]);
    assert!(titles(ask().tools(["Read"])).is_empty());
    assert!(titles(ask().tool_outcome(ToolOutcome::Failed)).is_empty());
}

#[test]
fn levels_are_those_of_today_and_as_of_still_hides_what_came_later() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    let at = |ms| Timestamp::from_millis_clamped(ms);
    let said = |ms, text: &str| {
        let event = NewEvent::new(EventKind::UserPrompt, "s", text).timestamp(at(ms));
        memory.append(event).unwrap().seq
    };
    let (early, late) = (
        said(1_000, "the heron nests in May"),
        said(9_000, "the heron nests in June"),
    );
    let events = [early.into(), late.into()];
    memory
        .levels()
        .record_access(&events, "other", 0.9)
        .unwrap();
    memory.levels().graduate(100).unwrap();
    let ask = || Query::new("heron nests").min_level(Level::L1);
    assert_eq!(seqs(&memory, ask()).len(), 2);
    assert_eq!(seqs(&memory, ask().as_of(at(5_000))), [early.0]);
}

#[test]
fn an_event_named_by_its_citation_passes_the_filters_too() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    let at = |ms| Timestamp::from_millis_clamped(ms);
    let event = NewEvent::new(EventKind::UserPrompt, "s", "the heron nests in May");
    let said = memory.append(event.timestamp(at(5_000))).unwrap();
    let ask = || Query::new(format!("show mem:{}", said.citation));
    for (name, query, is_given) in [
        ("none", ask(), true),
        ("its kind", ask().kinds([EventKind::UserPrompt]), true),
        ("kind", ask().kinds([EventKind::AgentResponse]), false),
        ("from", ask().from(at(6_000)), false),
        ("until", ask().until(at(4_000)), false),
        ("as_of", ask().as_of(at(4_000)), false),
        ("tool", ask().tools(["Bash"]), false),
        ("level", ask().min_level(Level::L1), false),
        ("session", ask().session("other"), false),
    ] {
        let found = memory.search(query.clone()).unwrap().items;
        let options = SmartSearchOptions::default();
        let smart = memory.smart_search(query.clone(), options).unwrap().index;
        let context = memory.context(query).unwrap().items;
        let given = (found.len(), smart.len(), context.len());
        let expected = usize::from(is_given);
        assert_eq!(given, (expected, expected, expected), "{name}");
    }
}

#[test]
fn to_name_an_event_is_to_use_it() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    let append = |text: &str| {
        let event = NewEvent::new(EventKind::UserPrompt, "s", text);
        memory.append(event).unwrap()
    };
    let (searched, smart) = (append("the heron nests"), append("the crane sleeps"));
    let unseen = append("the gull flies");
    let ask = |said: &Appended| Query::new(format!("show {}", said.citation));
    // The limit cuts the second one off.
    let both = format!("show {} and {}", searched.citation, unseen.citation);
    memory.search(Query::new(both).limit(1)).unwrap();
    let options = SmartSearchOptions::default();
    let found = memory.smart_search(ask(&smart), options).unwrap();
    assert!(found.meta.total_matches >= found.index.len());
    memory.maintain(MaintainBudget::default()).unwrap();
    for said in [searched, smart] {
        let usage = memory.levels().get(said.seq).unwrap().usage;
        assert_eq!(usage.map(|usage| usage.access_count), Some(1));
    }
    assert_eq!(memory.levels().get(unseen.seq).unwrap().usage, None);
}

#[test]
fn wrong_filters_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    let long = "x".repeat(MAX_FILTER_BYTES + 1);
    let many = vec!["Bash"; MAX_FILTER_TOOLS + 1];
    let wrong = [
        (vec!["Bash", ""], None, "tools[1]"),
        (vec![long.as_str()], None, "tools[0]"),
        (many, None, "tools"),
        (vec![], Some(""), "file_contains"),
        (vec![], Some(long.as_str()), "file_contains"),
    ];
    for (tools, file, argument) in wrong {
        let mut query = Query::new("x").tools(tools.clone());
        query.file_contains = file.map(str::to_owned);
        let mut filter = EventFilter::new().tools(tools);
        filter.file_contains = file.map(str::to_owned);
        let errors = [
            memory.search(query).unwrap_err(),
            memory.events(filter).err().unwrap(),
        ];
        for error in errors {
            assert_eq!(error.code(), recallite::ErrorCode::InvalidArgument);
            assert_eq!(error.argument(), Some(argument));
        }
    }
    let most = vec!["Bash"; MAX_FILTER_TOOLS];
    assert!(memory.search(Query::new("x").tools(most)).is_ok());
}

/// An embedder that maps a call to its tool's name.
struct ByTool;

impl Embedder for ByTool {
    fn id(&self) -> &str {
        "by-tool"
    }

    fn dimensions(&self) -> usize {
        2
    }

    fn embed(&self, texts: &[&str]) -> recallite::Result<Vec<Vec<f32>>> {
        let vector = |text: &&str| match text {
            text if text.contains("Far") => vec![0.0, 1.0],
            text if text.contains("Migrate") => vec![0.9, 0.4],
            _ => vec![1.0, 0.0],
        };
        Ok(texts.iter().map(vector).collect())
    }
}

#[test]
fn what_only_vectors_find_is_narrowed_too() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::builder()
        .embedder(std::sync::Arc::new(ByTool))
        .open(folder.path())
        .unwrap();
    let rare = used(&memory, "s", call("Migrate", None, true, "rows moved"));
    let others = (0..1_200).map(|number| {
        let tool = ["Near", "Far"][number % 2];
        NewEvent::tool("s", call(tool, None, true, format!("line {number}")))
    });
    memory.append_batch(others.collect()).unwrap();
    while memory.maintain(Default::default()).unwrap().has_more {}
    let ask = || Query::new("zq8811").limit(20);
    let unfiltered = seqs(&memory, ask());
    assert_eq!(unfiltered.len(), 20);
    assert!(!unfiltered.contains(&rare.seq.0));
    assert_eq!(seqs(&memory, ask().tools(["Migrate"])), [rare.seq.0]);
    assert!(seqs(&memory, ask().tools(["Far"])).is_empty());
    assert_eq!(seqs(&memory, ask().tools(["Near", "Far"])).len(), 20);
    assert!(seqs(&memory, ask().tool_outcome(ToolOutcome::Failed)).is_empty());
}

#[test]
fn a_question_that_was_asked_before_is_found_whatever_its_punctuation() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    let say = |session: &str, kind, text: &str| {
        memory
            .append(NewEvent::new(kind, session, text))
            .unwrap()
            .seq
    };
    let prompt = EventKind::UserPrompt;
    let first = say("monday", prompt, "Why does the build fail?");
    say(
        "monday",
        EventKind::AgentResponse,
        "Why does the build fail?!",
    );
    say("tuesday", prompt, "Why does the build fail on Windows?");
    let again = say("tuesday", prompt, "why does  the build FAIL");
    let korean = say("tuesday", prompt, "빌드가 왜 실패하지?");
    let secret = say("tuesday", prompt, "Is password=hunter2secret9 right?");
    let repeats = |memory: &Memory, text: &str| -> Vec<Seq> {
        let filter = EventFilter::new().repeats(text);
        let found = memory.events(filter).unwrap();
        found.map(|event| event.unwrap().seq).collect()
    };
    assert_eq!(repeats(&memory, "Why does the build fail"), [first, again]);
    assert_eq!(repeats(&memory, "빌드가 왜 실패하지"), [korean]);
    assert_eq!(
        repeats(&memory, "is password=hunter2secret9 right"),
        [secret]
    );
    assert!(repeats(&memory, "Why does the build").is_empty());
    let narrowed = EventFilter::new()
        .repeats("why does the build fail?")
        .session("tuesday");
    assert_eq!(memory.events(narrowed).unwrap().count(), 1);
    let others = EventFilter::new()
        .repeats("why does the build fail?")
        .kinds([EventKind::AgentResponse]);
    assert_eq!(memory.events(others).unwrap().count(), 0);
    let error = memory.events(EventFilter::new().repeats("?!")).unwrap_err();
    assert_eq!(error.argument(), Some("repeats"));

    // It is removed with the event, and restored by a rebuild.
    memory.forget(&Selector::new().id(first)).unwrap();
    assert_eq!(repeats(&memory, "Why does the build fail"), [again]);
    memory.erase(&Selector::new().id(korean)).unwrap();
    assert!(repeats(&memory, "빌드가 왜 실패하지").is_empty());
    assert!(memory.check().unwrap().ok);
    memory.rebuild(Timestamp::from_millis(0).unwrap()).unwrap();
    assert_eq!(repeats(&memory, "Why does the build fail"), [again]);
}

/// One line says what a call did: less than that is in the words that head its text.
#[test]
fn a_call_is_summarised_by_what_it_did() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    let path = "/srv/shop/src/cache.rs";
    used(
        &memory,
        "s1",
        call("Read", Some(path), true, "\nfn quindle() {\n    1\n}"),
    );
    used(
        &memory,
        "s1",
        call("Edit", Some(path), false, "quindle not found"),
    );
    let wide = format!("/srv/{}/quindle.rs", "very-deep/".repeat(20));
    used(
        &memory,
        "s1",
        call("Read", Some(&wide), true, "mod quindle;"),
    );
    // Of a tool that is not known, its input says more; so does what a host wrote itself.
    used(
        &memory,
        "s1",
        call("ask_oracle", Some(path), true, "quindle"),
    );
    let mut own = NewEvent::tool("s1", call("Read", Some(path), true, "x"));
    own.content = "The quindle was looked at.".to_owned();
    memory.append(own).unwrap();
    let mut found = memory.search(Query::new("quindle")).unwrap().items;
    found.sort_by_key(|hit| hit.seq);
    let summaries: Vec<&str> = found.iter().map(|hit| hit.summary.as_str()).collect();
    assert_eq!(summaries[0], format!("Read {path}: fn quindle() {{"));
    assert_eq!(summaries[1], format!("Edited {path} (failed)"));
    assert!(
        summaries[2].starts_with("Read /srv/very-deep/"),
        "{}",
        summaries[2]
    );
    assert!(summaries[2].len() <= 100 && summaries[2].ends_with("..."));
    assert!(summaries[3].contains(path), "{}", summaries[3]);
    assert_eq!(summaries[4], "The quindle was looked at.");
    let options = SmartSearchOptions::default();
    let index = memory.smart_search("quindle", options).unwrap().index;
    assert!(index.iter().any(|item| item.summary == summaries[0]));
}
