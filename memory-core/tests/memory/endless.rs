//! The endless mode through the public interface: what enters the working set and for how long, how
//! it is consolidated into memories, and what an agent is given.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use recallite::clock::Clock;
use recallite::rules::endless::{MemoryMode, WorkingItem};
use recallite::{
    ContextOptions, EndlessConfig, Error, ErrorCode, EventId, EventKind, EventRef, LearnedKind,
    MaintainBudget, MatchClass, Memory, NewEvent, Recording, ScopeKind, Selector, SessionUpdate,
    SkipReason, SmartSearchOptions, Timestamp,
};

/// A manually set clock.
#[derive(Debug)]
struct Hands(AtomicI64);

impl Hands {
    fn wait_hours(&self, hours: i64) {
        self.0.fetch_add(hours * 3_600_000, Ordering::SeqCst);
    }
}

impl Clock for Hands {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst)).unwrap()
    }
}

fn hands() -> Arc<Hands> {
    Arc::new(Hands(1_770_000_000_000.into()))
}

fn open_at(folder: &tempfile::TempDir, clock: &Arc<Hands>) -> Memory {
    let builder = Memory::builder().project("shop").clock(clock.clone());
    builder.open(folder.path()).unwrap()
}

/// A memory in endless mode.
fn endless(folder: &tempfile::TempDir) -> (Memory, Arc<Hands>) {
    let clock = hands();
    let memory = open_at(folder, &clock);
    memory.endless().set_mode(MemoryMode::Endless).unwrap();
    (memory, clock)
}

/// A memory in endless mode that consolidates three events or more, when the host says so.
fn endless_left_to_host(folder: &tempfile::TempDir) -> (Memory, Arc<Hands>) {
    let (memory, clock) = endless(folder);
    configure(&memory, |config| {
        config.consolidation.min_events = 3;
        config.consolidation.is_left_to_host = true;
    });
    (memory, clock)
}

fn say(memory: &Memory, text: &str) -> EventId {
    let event = NewEvent::new(EventKind::UserPrompt, "s1", text);
    memory.append(event).unwrap().id
}

fn item(memory: &Memory, id: EventId) -> Option<WorkingItem> {
    let set = memory.endless().working_set().unwrap();
    set.into_iter().find(|item| item.event_id == id.to_string())
}

fn relevance(memory: &Memory, id: EventId) -> f64 {
    item(memory, id).unwrap().relevance
}

/// Changes the limits of the mode.
fn configure(memory: &Memory, change: impl FnOnce(&mut EndlessConfig)) {
    let mut config = memory.endless().config().unwrap();
    change(&mut config);
    memory.endless().set_config(&config).unwrap();
}

/// Asserts that the store matches its log, and that a rebuild changes nothing.
fn check_rebuilt(memory: &Memory) {
    let checked = memory.check().unwrap();
    assert!(checked.ok, "{:?}", checked.first_divergence);
    let rebuilt = memory.rebuild(checked.as_of).unwrap();
    assert_eq!(rebuilt.hash_before, rebuilt.hash_after);
}

#[test]
fn what_is_not_used_fades_and_what_is_used_comes_first() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, clock) = endless(&folder);
    let tea = say(&memory, "We drink tea in the kitchen at four.");
    let boiler = say(&memory, "The boiler is reset by the red knob.");
    assert_eq!(relevance(&memory, tea), 1.0);
    clock.wait_hours(12);
    assert_eq!(relevance(&memory, tea), 0.75);

    memory
        .context(
            ContextOptions::new("how is the boiler reset?")
                .session("s2")
                .recording(Recording::Now),
        )
        .unwrap();
    say(&memory, "Thanks.");
    let used = item(&memory, boiler).unwrap();
    assert!(used.relevance > 0.75, "{used:?}");
    assert_eq!(used.used_at, clock.now());
    assert_eq!(relevance(&memory, tea), 0.75);
    clock.wait_hours(8);
    let given = memory.endless().context(None).unwrap().working_set;
    assert!(given.iter().any(|event| event.id == boiler), "{given:?}");
    assert!(
        given.iter().all(|event| event.id != tea),
        "less relevant than .7"
    );
    clock.wait_hours(5);
    assert_eq!(item(&memory, tea), None);
    assert!(item(&memory, boiler).is_some());
    check_rebuilt(&memory);
}

#[test]
fn a_context_is_recorded_as_sure_as_it_was_and_keeps_nothing_alive() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, clock) = endless(&folder);
    let tea = say(&memory, "We drink tea in the kitchen at four.");
    let start = clock.now();
    clock.wait_hours(12);
    memory.endless().context(None).unwrap();
    say(&memory, "Thanks.");
    let usage = memory.levels().get(tea).unwrap().usage.unwrap();
    assert_eq!((usage.access_count, usage.confidence), (1, 0.75));
    for _ in 0..30 {
        clock.wait_hours(2);
        memory.endless().context(None).unwrap();
        say(&memory, &format!("It is {} now.", clock.now()));
    }
    assert_eq!(item(&memory, tea), None, "put there {start}");
}

#[test]
fn events_are_added_refreshed_and_pruned_by_hand() {
    let folder = tempfile::tempdir().unwrap();
    let clock = hands();
    let memory = open_at(&folder, &clock);
    let said: Vec<EventId> = ["tea", "bread", "salt"]
        .map(|text| say(&memory, text))
        .into();
    let refs = |ids: &[EventId]| -> Vec<EventRef> { ids.iter().map(|id| (*id).into()).collect() };
    let all = refs(&said);
    let endless = memory.endless();
    assert!(endless.working_set().unwrap().is_empty());

    // In any mode; duplicates count once; too low an importance is ignored.
    let twice = [all[0].clone(), all[0].clone(), all[1].clone()];
    assert_eq!(endless.add_to_working_set(&twice, 0.6).unwrap(), 2);
    assert_eq!(endless.add_to_working_set(&all[2..], 0.4).unwrap(), 0);
    assert_eq!(endless.working_set().unwrap().len(), 2);
    clock.wait_hours(4);
    assert_eq!(relevance(&memory, said[0]), 0.6 * (1.0 - 2.0 / 24.0));
    assert_eq!(endless.refresh_working_set(&all).unwrap(), 2);
    assert_eq!(relevance(&memory, said[0]), 1.0);
    assert_eq!(item(&memory, said[2]), None);
    clock.wait_hours(23);
    assert_eq!(endless.working_set().unwrap().len(), 2);
    assert_eq!(endless.prune_working_set(&all[1..]).unwrap(), 1);
    assert_eq!(item(&memory, said[1]), None);
    clock.wait_hours(2);
    assert_eq!(endless.refresh_working_set(&all).unwrap(), 0);
    assert!(memory.event(said[1]).unwrap().is_some());

    // A call without effect is not recorded.
    let before = memory.stats().unwrap().events;
    assert_eq!(endless.prune_working_set(&all[1..]).unwrap(), 0);
    assert_eq!(endless.add_to_working_set(&[], 1.0).unwrap(), 0);
    assert_eq!(memory.stats().unwrap().events, before);
    check_rebuilt(&memory);
}

#[test]
fn an_expired_event_is_added_like_a_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, clock) = endless(&folder);
    let tea = say(&memory, "We drink tea in the kitchen at four.");
    let topics = item(&memory, tea).unwrap().topics;
    clock.wait_hours(30);
    assert_eq!(item(&memory, tea), None);
    let endless = memory.endless();
    assert_eq!(endless.add_to_working_set(&[tea.into()], 0.5).unwrap(), 1);
    let back = item(&memory, tea).unwrap();
    assert_eq!((back.relevance, back.added_at), (0.5, clock.now()));
    assert_eq!(back.topics, topics);
    check_rebuilt(&memory);
}

#[test]
fn what_never_lies_in_the_working_set_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, _) = endless(&folder);
    let tea = say(&memory, "tea");
    let endless = memory.endless();
    for wrong in [-0.1, 1.1, f64::NAN] {
        let error = endless
            .add_to_working_set(&[tea.into()], wrong)
            .unwrap_err();
        assert_eq!(error.argument(), Some("relevance"));
    }
    let nobody = EventRef::Seq(recallite::Seq(99));
    let setting = EventRef::Seq(recallite::Seq(1));
    let error = endless
        .add_to_working_set(&[tea.into(), nobody.clone()], 1.0)
        .unwrap_err();
    assert_eq!(
        (error.code(), error.argument()),
        (ErrorCode::NotFound, Some("events[1]"))
    );
    let error = endless.add_to_working_set(&[setting], 1.0).unwrap_err();
    assert_eq!(
        (error.code(), error.argument()),
        (ErrorCode::InvalidArgument, Some("events[0]"))
    );
    memory.forget(&Selector::new().id(tea)).unwrap();
    let missing = (ErrorCode::NotFound, Some("events[0]"));
    let too_many = (ErrorCode::InvalidArgument, Some("events"));
    for (refused, expected) in [
        (endless.refresh_working_set(&[tea.into()]), missing),
        (endless.prune_working_set(&[nobody]), missing),
        (
            endless.prune_working_set(&vec![tea.into(); 10_001]),
            too_many,
        ),
    ] {
        let error = refused.unwrap_err();
        assert_eq!((error.code(), error.argument()), expected);
    }
    memory.maintain(MaintainBudget::default()).unwrap();
    check_rebuilt(&memory);
}

#[test]
fn a_prepared_consolidation_holds_the_events_of_its_time() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, _) = endless_left_to_host(&folder);
    let step = |step: usize| say(&memory, &format!("Step {step} of src/cache.rs"));
    let first: Vec<String> = (0..4).map(|number| step(number).to_string()).collect();
    let endless = memory.endless();
    let prepared = endless.prepare_consolidation().unwrap();
    let [group] = prepared.groups() else {
        panic!("one group");
    };
    assert_eq!(group.texts[3], "Step 3 of src/cache.rs");
    step(4);
    for wrong in [vec![], vec![None, None]] {
        let error = endless.store_consolidation(&prepared, wrong).unwrap_err();
        assert_eq!(error.argument(), Some("summaries"));
    }
    let summary = Some("Four steps.".to_owned());
    let report = endless.store_consolidation(&prepared, vec![summary.clone()]);
    assert_eq!(report.unwrap().memories.len(), 1);
    let [made] = &endless.memories(None, None).unwrap()[..] else {
        panic!("one memory");
    };
    assert_eq!(
        (made.summary.as_str(), &made.source_events),
        ("Four steps.", &first)
    );
    // Its events are part of a memory now.
    let again = endless.store_consolidation(&prepared, vec![summary]);
    assert!(again.unwrap().memories.is_empty());
}

/// The words of a question may differ from those of the answer.
#[test]
fn memories_and_the_working_set_are_searched_by_meaning() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, clock) = endless_left_to_host(&folder);
    for (topic, summary) in [
        ("cache", "Prices stay in the cache for thirty seconds."),
        (
            "deploy",
            "Releases are deployed on Fridays, after the review.",
        ),
    ] {
        for step in 0..4 {
            say(&memory, &format!("Step {step} of src/{topic}.rs"));
        }
        let mut summarize = |_: &[String], _: &[String]| Ok(Some(summary.to_owned()));
        memory.endless().consolidate_with(&mut summarize).unwrap();
    }
    let found = |text: &str| -> Vec<String> {
        let found = memory.endless().memories(Some(text), None).unwrap();
        found.into_iter().map(|one| one.summary).collect()
    };
    let prices = "Prices stay in the cache for thirty seconds.";
    assert_eq!(found("how long do we cache a price?"), [prices]);
    assert_eq!(found("xylophone"), [""; 0]);
    assert_eq!(found("  ").len(), 2);
    // A question that contains a secret finds nothing and is not passed on.
    assert_eq!(found("password=hunter22"), [""; 0]);

    let boiler = say(&memory, "The boiler is reset by the red knob.");
    clock.wait_hours(16);
    for number in 0..12 {
        say(
            &memory,
            &format!("It is {number} o'clock and we drink tea."),
        );
    }
    let first = |query: Option<&str>| {
        let given = memory.endless().context(query).unwrap();
        let summaries: Vec<String> = given
            .consolidated
            .into_iter()
            .map(|one| one.summary)
            .collect();
        (given.working_set[0].id, given.working_set.len(), summaries)
    };
    let (newest, count, both) = first(None);
    assert_ne!(newest, boiler);
    assert_eq!((count, both.len()), (10, 2));
    let (found_first, count, none) = first(Some("what resets the boiler?"));
    assert_eq!((found_first, count), (boiler, 10));
    assert!(none.is_empty(), "{none:?}");
    let (_, _, only) = first(Some("price cache"));
    assert_eq!(only, [prices]);
    say(&memory, "Thanks.");
    assert!(relevance(&memory, boiler) > 0.5);
    check_rebuilt(&memory);
}

#[test]
fn events_of_the_endless_mode_name_the_working_set() {
    let folder = tempfile::tempdir().unwrap();
    let clock = hands();
    let memory = open_at(&folder, &clock);
    let named = |id: EventId| -> Option<String> {
        let metadata = memory.event(id).unwrap().unwrap().metadata?;
        let fields: serde_json::Value = serde_json::from_str(metadata.as_str()).unwrap();
        Some(fields["workingSetId"].as_str()?.to_owned())
    };
    assert_eq!(named(say(&memory, "before")), None);
    assert_eq!(memory.endless().status().unwrap().working_set_id, None);
    memory.endless().set_mode(MemoryMode::Endless).unwrap();
    let id = memory.endless().status().unwrap().working_set_id.unwrap();
    let first = named(say(&memory, "first"));
    assert_eq!(first.as_ref(), Some(&id));

    // Metadata that a host sets on an event is kept.
    let with = |metadata: &str| {
        let metadata = recallite::Json::parse("metadata", metadata).unwrap();
        let event = NewEvent::new(EventKind::AgentResponse, "s1", format!("with {metadata:?}"));
        memory.append(event.metadata(metadata)).unwrap().id
    };
    let both = with(r#"{"a":[1.1,{"b":null}],"z":"ü"}"#);
    let metadata = memory.event(both).unwrap().unwrap().metadata.unwrap();
    assert_eq!(
        metadata.as_str(),
        format!(r#"{{"a":[1.1,{{"b":null}}],"workingSetId":"{id}","z":"ü"}}"#)
    );
    assert_eq!(
        named(with(r#"{"workingSetId":"ours"}"#)).as_deref(),
        Some("ours")
    );

    memory.endless().set_mode(MemoryMode::Session).unwrap();
    assert_eq!(named(say(&memory, "between")), None);
    memory.endless().set_mode(MemoryMode::Endless).unwrap();
    assert_eq!(named(say(&memory, "again")), first);
    check_rebuilt(&memory);
    let elsewhere = tempfile::tempdir().unwrap();
    let (other, _) = endless(&elsewhere);
    assert_ne!(other.endless().status().unwrap().working_set_id, Some(id));
}

#[test]
fn a_paused_conversation_is_not_recorded_under_the_name_of_the_day() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, clock) = endless(&folder);
    let now = |session: &str| memory.endless().session_now(session).unwrap();
    let day = now("other");
    assert!(day.starts_with("endless_"), "{day}");
    memory.pauses().pause(ScopeKind::Session, "chat").unwrap();
    clock.wait_hours(24);
    assert_eq!(now("chat"), "chat");
    assert_ne!(now("other"), day);
    let said = NewEvent::new(EventKind::UserPrompt, now("chat"), "Nobody hears this.");
    let receipt = memory.append(said).unwrap();
    assert_eq!(receipt.skipped, Some(SkipReason::Paused));
    memory.pauses().resume(ScopeKind::Session, "chat").unwrap();
    assert_eq!(now("chat"), now("other"));
    for mode in [MemoryMode::Endless, MemoryMode::Session] {
        memory.endless().set_mode(mode).unwrap();
        let error = memory.endless().session_now(" ").unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidArgument);
        assert_eq!(error.argument(), Some("session"));
    }
}

#[test]
fn citations_name_the_one_conversation() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, _) = endless(&folder);
    let session = memory.endless().session_now("chat").unwrap();
    let said = "The boiler is reset by the red knob.";
    let event = NewEvent::new(EventKind::UserPrompt, session, said);
    memory.append(event).unwrap();
    let options = ContextOptions::new("how is the boiler reset?").session("s2");
    let text = memory.context(options).unwrap().text;
    assert!(text.contains(", Session endless\n"), "{text}");
}

/// Enough events for a memory, over enough time for consolidation to be due.
fn talk(memory: &Memory, clock: &Hands) {
    for step in 0..12 {
        say(
            memory,
            &format!(
                "{}, {step}: the cache in src/cache.rs is tried.",
                clock.now()
            ),
        );
    }
    clock.wait_hours(2);
}

/// Says something new this often within half an hour.
fn talk_often(memory: &Memory, clock: &Hands, times: usize) {
    for time in 0..times {
        say(
            memory,
            &format!("{}, {time}: the database is tried once more.", clock.now()),
        );
    }
    clock.0.fetch_add(1_800_000 - 1, Ordering::SeqCst);
}

fn sources(memory: &Memory) -> Vec<usize> {
    let made = memory.endless().memories(None, None).unwrap().into_iter();
    made.map(|one| one.source_events.len()).collect()
}

#[test]
fn a_short_session_is_consolidated_however_late_the_next_one_begins() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, clock) = endless(&folder);
    // There is too little when the first message makes a consolidation due.
    say(&memory, "The database is slow.");
    talk_often(&memory, &clock, 60);
    assert_eq!(sources(&memory), [0; 0]);
    clock.wait_hours(72);
    say(&memory, "The database is slow again.");
    memory.maintain(MaintainBudget::default()).unwrap();
    assert_eq!(sources(&memory), [62]);
    check_rebuilt(&memory);
}

/// One store serves all repositories of a user, and one hour may have events of two.
#[test]
fn each_project_has_memories_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, clock) = endless(&folder);
    for number in 0..10 {
        for project in ["shop", "blog"] {
            let text = format!("Fixed the {project} login, part {number}.");
            let event = NewEvent::new(EventKind::UserPrompt, project, text);
            memory.append(event.project(project)).unwrap();
            clock.0.fetch_add(1_000, Ordering::SeqCst);
        }
    }
    let made = memory.endless().consolidate().unwrap();
    assert_eq!(made.memories.len(), 2, "{made:?}");
    assert_eq!(sources(&memory), [10, 10]);
    for project in ["shop", "blog"] {
        let question = recallite::Query::new(format!("the {project} login"));
        let question = question.project(recallite::scope::ProjectScope::Named(project.into()));
        let found = memory.search(question).unwrap().learned;
        let found: Vec<_> = (found.iter())
            .filter(|hit| hit.kind == LearnedKind::Memory)
            .collect();
        assert_eq!(found.len(), 1, "{project}: {found:?}");
    }
    check_rebuilt(&memory);
}

#[test]
fn a_small_working_set_is_consolidated_like_a_large_one() {
    for most in [5, 50] {
        let folder = tempfile::tempdir().unwrap();
        let (memory, clock) = endless(&folder);
        let mut config = memory.endless().config().unwrap();
        config.working_set.max_events = most;
        memory.endless().set_config(&config).unwrap();
        say(&memory, "The database is slow.");
        talk_often(&memory, &clock, 150);
        assert_eq!(sources(&memory), [100]);
        let report = memory.endless().consolidate().unwrap();
        assert_eq!((report.memories.len(), report.waiting), (1, 0));
        assert_eq!(sources(&memory).iter().sum::<usize>(), 151);
    }
}

#[test]
fn one_consolidation_takes_the_oldest_and_says_how_many_are_left() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, clock) = endless(&folder);
    set_left_to_host(&memory, true);
    let first = say(&memory, "The database is slow.").to_string();
    talk_often(&memory, &clock, 149);
    let report = memory.endless().consolidate().unwrap();
    assert_eq!(report.waiting, 50);
    let made = memory.endless().memories(None, None).unwrap();
    assert_eq!(made[0].source_events[0], first);
    let report = memory.endless().consolidate().unwrap();
    assert_eq!((report.memories.len(), report.waiting), (1, 0));
}

#[test]
fn a_clock_that_was_ahead_neither_stops_consolidation_nor_fills_the_working_set() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, clock) = endless(&folder);
    let years = 4 * 365 * 24;
    clock.wait_hours(years);
    let late = say(&memory, "The database of 2030 is slow.");
    memory.maintain(MaintainBudget::default()).unwrap();
    clock.wait_hours(-years);
    talk_often(&memory, &clock, 60);
    clock.wait_hours(2);
    memory.maintain(MaintainBudget::default()).unwrap();
    assert_eq!(sources(&memory), [61]);
    let said = say(&memory, "The database is fast.");
    assert!(item(&memory, said).is_some());
    let ahead = NewEvent::new(EventKind::UserPrompt, "s1", "It is the year 2031.");
    let ahead = ahead.timestamp(Timestamp::from_millis(1_930_000_000_000).unwrap());
    let ahead = memory.append(ahead).unwrap().id;
    assert!(item(&memory, ahead).is_none() && item(&memory, late).is_none());
    check_rebuilt(&memory);
}

fn set_left_to_host(memory: &Memory, is_left: bool) {
    configure(memory, |config| {
        config.consolidation.is_left_to_host = is_left;
    });
}

#[test]
fn no_rule_is_quicker_than_a_host_that_makes_the_summaries() {
    let folder = tempfile::tempdir().unwrap();
    let clock = hands();
    let memory = open_at(&folder, &clock);
    set_left_to_host(&memory, true);
    talk(&memory, &clock);
    // Including events that enter the working set when the mode changes.
    memory.endless().set_mode(MemoryMode::Endless).unwrap();
    talk(&memory, &clock);
    memory.maintain(MaintainBudget::default()).unwrap();
    // Another handle without a setting of its own uses the store's.
    let other = open_at(&folder, &clock);
    assert!(
        other
            .endless()
            .config()
            .unwrap()
            .consolidation
            .is_left_to_host
    );
    talk(&other, &clock);
    other.maintain(MaintainBudget::default()).unwrap();
    assert!(memory.endless().memories(None, None).unwrap().is_empty());

    let report = memory
        .endless()
        .consolidate_with(&mut |_, _| Ok(Some("In the host's words.".to_owned())))
        .unwrap();
    assert!(!report.memories.is_empty());
    let made = memory.endless().memories(None, None).unwrap();
    assert!(made.iter().all(|one| one.summary == "In the host's words."));

    set_left_to_host(&other, false);
    talk(&memory, &clock);
    memory.maintain(MaintainBudget::default()).unwrap();
    assert!(memory.endless().memories(None, None).unwrap().len() > made.len());
}

#[test]
fn forgetting_one_message_of_a_memory_makes_the_others_wait_again() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, _) = endless_left_to_host(&folder);
    let steps: Vec<EventId> = (0..4)
        .map(|step| say(&memory, &format!("Step {step} of src/cache.rs")))
        .collect();
    let mut summarize = |_: &[String], _: &[String]| Ok(Some("The cache in steps.".to_owned()));
    memory.endless().consolidate_with(&mut summarize).unwrap();
    assert!(steps.iter().all(|step| item(&memory, *step).is_some()));
    let none_wait = memory.endless().consolidate().unwrap();
    assert_eq!((none_wait.memories.len(), none_wait.waiting), (0, 0));
    memory.forget(&Selector::new().id(steps[1])).unwrap();
    assert!(memory.endless().memories(None, None).unwrap().is_empty());
    let is_there: Vec<bool> = steps
        .iter()
        .map(|step| item(&memory, *step).is_some())
        .collect();
    assert_eq!(is_there, [true, false, true, true]);
    check_rebuilt(&memory);
    memory.erase(&Selector::new().id(steps[1])).unwrap();
    check_rebuilt(&memory);
    memory.endless().consolidate_with(&mut summarize).unwrap();
    let made = memory.endless().memories(None, None).unwrap();
    assert_eq!((made.len(), made[0].source_events.len()), (1, 3));
}

#[test]
fn settings_say_for_every_process_who_consolidates() {
    let folder = tempfile::tempdir().unwrap();
    let clock = hands();
    let with = |settings: &str| {
        let settings = recallite::Json::parse("settings", settings).unwrap();
        let builder = Memory::builder().project("shop").clock(clock.clone());
        builder.settings(settings).open(folder.path()).unwrap()
    };
    let host =
        with(r#"{"mode":"endless","endless":{"consolidation":{"useLLMSummarization":true}}}"#);
    let silent = open_at(&folder, &clock);
    talk(&silent, &clock);
    silent.maintain(MaintainBudget::default()).unwrap();
    assert!(host.endless().memories(None, None).unwrap().is_empty());
    // The setting that was made last applies to all handles.
    let rules = with(r#"{"endless":{"consolidation":{"useLLMSummarization":false}}}"#);
    assert!(
        !host
            .endless()
            .config()
            .unwrap()
            .consolidation
            .is_left_to_host
    );
    rules.maintain(MaintainBudget::default()).unwrap();
    assert_eq!(host.endless().memories(None, None).unwrap().len(), 1);
}

#[test]
fn a_summarizer_that_fails_or_panics_stores_nothing_and_harms_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, clock) = endless(&folder);
    set_left_to_host(&memory, true);
    talk(&memory, &clock);
    let before = memory.stats().unwrap().events;
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        memory
            .endless()
            .consolidate_with(&mut |_, _| panic!("the model is gone"))
    }));
    assert!(panicked.is_err());
    let failed = memory
        .endless()
        .consolidate_with(&mut |_, _| Err(Error::new(ErrorCode::Callback, "the model is gone")));
    assert_eq!(failed.unwrap_err().message(), "the model is gone");
    assert_eq!(memory.stats().unwrap().events, before);
    assert!(memory.endless().memories(None, None).unwrap().is_empty());
    let report = memory.endless().consolidate().unwrap();
    assert_eq!(report.memories.len(), 1);
    check_rebuilt(&memory);
}

#[test]
fn weights_and_thresholds_of_continuity_are_the_stores() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, clock) = endless(&folder);
    configure(&memory, |config| {
        config.continuity.time_weight = 0.0;
        config.continuity.file_weight = 0.6;
        config.continuity.min_score_for_seamless = 0.6;
    });
    let other = open_at(&folder, &clock);
    other
        .endless()
        .score_continuity("a", "src/door.zz")
        .unwrap();
    let joined = memory
        .endless()
        .score_continuity("b", "src/door.zz")
        .unwrap();
    assert_eq!(
        (joined.score, joined.transition.as_str()),
        (0.6, "seamless")
    );

    for (wrong, argument) in [
        (-0.1, "continuity.topic_weight"),
        (f64::NAN, "continuity.topic_weight"),
    ] {
        let mut config = memory.endless().config().unwrap();
        config.continuity.topic_weight = wrong;
        let error = memory.endless().set_config(&config).unwrap_err();
        assert_eq!(error.argument(), Some(argument));
    }
}

#[test]
fn the_log_of_transitions_tells_of_a_week_and_stays_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, clock) = endless(&folder);
    let rows = |memory: &Memory| {
        let layers = memory.stats().unwrap().layers;
        let layer = layers.into_iter().find(|layer| layer.name == "continuity");
        layer.unwrap().size
    };
    for day in 0..20 {
        let (id, text) = (format!("day{day}"), format!("src/day{day}.rs"));
        memory.endless().score_continuity(&id, &text).unwrap();
        clock.wait_hours(24);
    }
    let log = memory.endless().continuity_log(None).unwrap();
    let days: Vec<&str> = log.iter().map(|entry| &*entry.to_context_id).collect();
    assert_eq!(
        days,
        [
            "day13", "day14", "day15", "day16", "day17", "day18", "day19"
        ]
    );
    assert_eq!(rows(&memory), 19);

    // Rows of events far back in the log are removed, whatever their time.
    for batch in 0..9 {
        let said =
            (0..2_000).map(|n| NewEvent::new(EventKind::UserPrompt, "s", format!("{batch} {n}")));
        memory.append_batch(said.collect()).unwrap();
    }
    assert_eq!(rows(&memory), 0);
    assert!(memory.endless().continuity_log(None).unwrap().is_empty());
    memory
        .endless()
        .score_continuity("late", "src/late.rs")
        .unwrap();
    assert_eq!(rows(&memory), 1);
    check_rebuilt(&memory);
}

/// The events of a memory come back to the working set also where the mode was switched between
/// them and other events that are forgotten with one of them.
#[test]
fn a_forgotten_session_around_switches_of_the_mode_gives_the_events_of_a_memory_back() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), hands());
    let memory = open_at(&folder, &clock);
    let say_in = |session: &str, text: &str| {
        let event = NewEvent::new(EventKind::UserPrompt, session, text);
        memory.append(event).unwrap().id
    };
    say_in("gone", "deploy the database first");
    memory.endless().set_mode(MemoryMode::Endless).unwrap();
    let kept: Vec<EventId> = (0..10)
        .map(|n| say_in("kept", &format!("deploy the database once more, try {n}")))
        .collect();
    let report = memory.endless().consolidate().unwrap();
    assert_eq!(report.memories.len(), 1);
    memory.endless().set_mode(MemoryMode::Session).unwrap();
    // Long enough for the events not to enter the working set again.
    clock.wait_hours(24 * 8);
    memory.endless().set_mode(MemoryMode::Endless).unwrap();
    say_in("gone", "deploy the database last");
    memory.forget(&Selector::new().session("gone")).unwrap();
    assert_eq!(memory.endless().memories(None, None).unwrap(), []);
    let checked = memory.check().unwrap();
    assert!(checked.ok, "{:?}", checked.first_divergence);
    let report = memory.endless().consolidate().unwrap();
    assert_eq!(report.memories.len(), 1, "{report:?}");
    let made = memory.endless().memories(None, None).unwrap();
    let mut sources = made[0].source_events.clone();
    sources.sort();
    let mut kept: Vec<String> = kept.iter().map(EventId::to_string).collect();
    kept.sort();
    assert_eq!(sources, kept);
}

#[test]
fn a_summary_that_a_host_gave_goes_with_its_session_or_with_what_is_erased() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open_at(&folder, &hands());
    let heron = say(&memory, "We drop the heron project.");
    let mut update = SessionUpdate::default();
    update.summary = Some("The heron project was dropped.".to_owned());
    update.ended = Some(Timestamp::from_millis(1_770_000_000_000).unwrap());
    memory.update_session("s1", update).unwrap();
    memory.endless().set_mode(MemoryMode::Endless).unwrap();
    let told = || {
        let session = memory.session("s1").unwrap();
        let memories = memory.endless().memories(None, None).unwrap();
        (session.and_then(|s| s.summary), memories.len())
    };
    let summary = Some("The heron project was dropped.".to_owned());
    assert_eq!(told(), (summary.clone(), 1));
    // The host wrote it, of whatever it was made: forgetting one message leaves it.
    memory.forget(&Selector::new().id(heron)).unwrap();
    assert_eq!(told(), (summary, 1));
    check_rebuilt(&memory);
    memory.erase(&Selector::new().id(heron)).unwrap();
    assert_eq!(told(), (None, 0));
    check_rebuilt(&memory);

    say(&memory, "The stork project begins.");
    let mut update = SessionUpdate::default();
    update.summary = Some("The stork project began.".to_owned());
    memory.update_session("s1", update).unwrap();
    memory.endless().set_mode(MemoryMode::Session).unwrap();
    memory.endless().set_mode(MemoryMode::Endless).unwrap();
    assert_eq!(told().1, 1);
    memory.forget(&Selector::new().session("s1")).unwrap();
    assert_eq!(told(), (None, 0));
    check_rebuilt(&memory);
}

/// Hosts store the summary of a session as an event when it ends, and again when it went on.
#[test]
fn the_newest_summary_of_each_session_becomes_a_memory_and_no_note_does() {
    let folder = tempfile::tempdir().unwrap();
    let clock = hands();
    let memory = open_at(&folder, &clock);
    let summary =
        |session: &str, text: &str| NewEvent::new(EventKind::SessionSummary, session, text);
    let answer = NewEvent::new(EventKind::AgentResponse, "cranes", "The crane is counted.");
    let old = [
        summary("herons", "The heron was dropped."),
        summary("herons", "The heron was dropped, then taken up."),
        summary("storks", "The stork began."),
        answer,
        summary("cranes", "The crane was counted.").actor("assistant"),
        summary("notes shop", "Deploys are on Mondays.").actor("assistant"),
        summary("notes shop", "Deploys are on Fridays.").actor("user"),
        // Its session has a summary of its own.
        summary("gulls", "The gull began."),
    ];
    let mut ids = Vec::new();
    for event in old {
        ids.push(memory.append(event).unwrap().id);
        clock.wait_hours(1);
    }
    clock.wait_hours(24 * 20);
    for (session, text) in [("storks", "The stork began."), ("gulls", "The gull ended.")] {
        let gull = NewEvent::new(EventKind::UserPrompt, session, "Go on.");
        memory.append(gull).unwrap();
        let update = SessionUpdate::default().summary(text);
        memory.update_session(session, update).unwrap();
    }
    let told = || {
        let mut memories = memory.endless().memories(None, None).unwrap();
        memories.retain(|one| one.source_events.is_empty());
        assert!(
            memories
                .iter()
                .all(|one| (one.confidence - 0.6).abs() < 1e-9)
        );
        let mut told: Vec<String> = memories.into_iter().map(|one| one.summary).collect();
        told.sort();
        told
    };
    let all = [
        "The crane was counted.",
        "The gull ended.",
        "The heron was dropped, then taken up.",
        "The stork began.",
    ];
    for _ in 0..2 {
        memory.endless().set_mode(MemoryMode::Endless).unwrap();
        assert_eq!(told(), all);
        memory.endless().set_mode(MemoryMode::Session).unwrap();
    }
    check_rebuilt(&memory);
    // It goes with the event that it was made of.
    memory.forget(&Selector::new().id(ids[1])).unwrap();
    assert_eq!(told(), [all[0], all[1], all[3]]);
    check_rebuilt(&memory);
    memory.erase(&Selector::new().id(ids[4])).unwrap();
    assert_eq!(told(), [all[1], all[3]]);
    check_rebuilt(&memory);
}

#[test]
fn what_is_far_back_in_the_log_neither_waits_nor_is_added_by_hand() {
    const WINDOW: u64 = 16_384;
    let folder = tempfile::tempdir().unwrap();
    let (memory, _) = endless_left_to_host(&folder);
    let steps: Vec<EventId> = (0..3)
        .map(|step| say(&memory, &format!("Step {step} of src/cache.rs")))
        .collect();
    let last_seq = || memory.stats().unwrap().last_seq;
    let add = |step: EventId| memory.endless().add_to_working_set(&[step.into()], 0.9);
    let refused = |step: EventId| {
        let (before, error) = (last_seq(), add(step).unwrap_err());
        assert_eq!(error.code(), ErrorCode::InvalidArgument);
        assert_eq!(error.argument(), Some("events[0]"));
        assert_eq!(last_seq(), before);
    };

    // With the record of the addition, the last step is the first position of the window.
    let said = |n| NewEvent::new(EventKind::UserPrompt, "s2", format!("number {n}"));
    memory
        .append_batch((2..WINDOW).map(said).collect())
        .unwrap();
    refused(steps[1]);
    add(steps[2]).unwrap();
    refused(steps[2]);

    let mut texts = Vec::new();
    let mut summarize = |_: &[String], given: &[String]| {
        texts.extend_from_slice(given);
        Ok(Some("Numbers.".to_owned()))
    };
    memory.endless().consolidate_with(&mut summarize).unwrap();
    assert!(
        texts.iter().any(|text| text.contains("number 2")),
        "{texts:?}"
    );
    assert!(!texts.iter().any(|text| text.contains("src/cache.rs")));
    check_rebuilt(&memory);
}

#[test]
fn an_event_leaves_the_working_set_after_enough_others_however_it_was_used() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, clock) = endless(&folder);
    configure(&memory, |config| {
        config.working_set.max_events = 1;
        config.consolidation.is_left_to_host = true;
    });
    let used = say(&memory, "the first");
    let said = |n| NewEvent::new(EventKind::UserPrompt, "s2", format!("number {n}"));
    // Later than all others, so that it is the most relevant if it is compared at all.
    let is_in_set_when_used = || {
        clock.wait_hours(1);
        memory
            .endless()
            .refresh_working_set(&[used.into()])
            .unwrap();
        item(&memory, used).is_some()
    };
    memory.append_batch((0..1_024).map(said).collect()).unwrap();
    assert!(is_in_set_when_used());
    memory.append(said(1_024)).unwrap();
    assert!(!is_in_set_when_used());
}

/// What was just said is at hand, whatever triggers a consolidation.
#[test]
fn what_is_recent_stays_in_the_working_set_when_it_is_consolidated() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, clock) = endless(&folder);
    let said = |number: usize| {
        clock.0.fetch_add(1_000, Ordering::SeqCst);
        say(
            &memory,
            &format!("Message {number}: fix the parser bug in src/file{number}.rs"),
        )
    };
    let size = || memory.endless().working_set().unwrap().len();
    let mut last = said(0);
    for number in 1..130 {
        last = said(number);
        assert_eq!(size(), (number + 1).min(100), "after {number}");
        assert!(item(&memory, last).is_some(), "{number}");
    }
    let newest: Vec<EventId> = (memory.endless().context(None).unwrap().working_set.iter())
        .map(|event| event.id)
        .collect();
    assert_eq!((newest.len(), newest[0]), (10, last));
    // After the hour, and after a silence of half an hour.
    clock.wait_hours(1);
    last = said(130);
    assert!(item(&memory, last).is_some() && size() == 100);
    clock.0.fetch_add(1_900_000, Ordering::SeqCst);
    memory.maintain(MaintainBudget::default()).unwrap();
    assert_eq!(size(), 100);

    // No event is in two memories, and what waits no longer triggers anything.
    memory.endless().consolidate().unwrap();
    let made = memory.endless().memories(None, None).unwrap();
    let sources = || made.iter().flat_map(|one| &one.source_events);
    let distinct: std::collections::BTreeSet<&String> = sources().collect();
    assert_eq!(distinct.len(), sources().count(), "{made:?}");
    assert!(made.len() > 1 && distinct.len() > 100);
    check_rebuilt(&memory);
    clock.wait_hours(24);
    assert_eq!(size(), 0);
}

/// A summary takes the place of what was not used for half of the time that events stay.
#[test]
fn what_is_not_recent_leaves_the_working_set_when_it_is_consolidated() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, clock) = endless(&folder);
    set_left_to_host(&memory, true);
    let step = |number: usize| say(&memory, &format!("Step {number} of src/cache.rs"));
    let old: Vec<EventId> = (0..6).map(step).collect();
    clock.wait_hours(13);
    memory
        .endless()
        .refresh_working_set(&[old[5].into()])
        .unwrap();
    let new: Vec<EventId> = (6..12).map(step).collect();
    assert!(old.iter().all(|id| item(&memory, *id).is_some()));
    let report = memory.endless().consolidate().unwrap();
    assert_eq!((report.memories.len(), report.waiting), (1, 0));
    assert!(old[..5].iter().all(|id| item(&memory, *id).is_none()));
    assert!(item(&memory, old[5]).is_some());
    assert!(new.iter().all(|id| item(&memory, *id).is_some()));

    // By hand, one comes back; no consolidation takes it again.
    memory
        .endless()
        .add_to_working_set(&[old[0].into()], 1.0)
        .unwrap();
    assert!(item(&memory, old[0]).is_some());
    let report = memory.endless().consolidate().unwrap();
    assert_eq!((report.memories.len(), report.waiting), (0, 0));
    check_rebuilt(&memory);
    memory.forget(&Selector::new().id(new[0])).unwrap();
    check_rebuilt(&memory);
    let report = memory.endless().consolidate().unwrap();
    assert_eq!((report.memories.len(), sources(&memory)), (1, vec![11]));
    check_rebuilt(&memory);
}

#[test]
fn a_summary_tells_what_was_decided_and_names_files_whole() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, clock) = endless(&folder);
    for number in 0..40 {
        clock.0.fetch_add(1_000, Ordering::SeqCst);
        match number {
            21 => say(
                &memory,
                "Hello again. Let's use Stripe for the payments in src/cart/h3.rs.",
            ),
            _ => say(
                &memory,
                &format!("I looked at src/cart/h{number}.rs and found nothing."),
            ),
        };
    }
    memory.endless().consolidate().unwrap();
    let made = memory.endless().memories(None, None).unwrap();
    let [one] = &made[..] else { panic!("{made:?}") };
    for part in [
        "Let's use Stripe for the payments in src/cart/h3.rs.",
        "src/cart/h0.rs and found nothing",
        "src/cart/h39.rs and found nothing",
    ] {
        assert!(one.summary.contains(part), "{}", one.summary);
    }
}

/// The reference begins with the last 7 days; consolidating them at once must not empty it.
#[test]
fn the_mode_begins_with_a_full_working_set() {
    let folder = tempfile::tempdir().unwrap();
    let clock = hands();
    let memory = open_at(&folder, &clock);
    for number in 0..130 {
        clock.0.fetch_add(60_000, Ordering::SeqCst);
        say(&memory, &format!("Message {number} about the renderer bug"));
    }
    memory.endless().set_mode(MemoryMode::Endless).unwrap();
    assert_eq!(memory.endless().status().unwrap().working_set, 100);
    assert_eq!(sources(&memory), [100]);
    clock.wait_hours(1);
    let last = say(&memory, "Fix the renderer bug in the shadow pass.");
    let given = memory.endless().context(None).unwrap().working_set;
    assert_eq!((given.len(), given[0].id), (10, last));
    check_rebuilt(&memory);
}

#[test]
fn the_mode_begins_with_the_newest_events_that_the_working_set_holds() {
    let folder = tempfile::tempdir().unwrap();
    let clock = hands();
    let memory = open_at(&folder, &clock);
    configure(&memory, |config| {
        config.working_set.max_events = 3;
    });
    // In another order than they happened.
    let said: Vec<EventId> = [5, 1, 4, 2, 3, 8 * 24]
        .map(|hours_ago: i64| {
            let at = clock.now().millis() - hours_ago * 3_600_000;
            let event = NewEvent::new(
                EventKind::UserPrompt,
                "s1",
                format!("{hours_ago} hours ago"),
            )
            .timestamp(Timestamp::from_millis(at).unwrap());
            memory.append(event).unwrap().id
        })
        .into();
    memory.endless().set_mode(MemoryMode::Endless).unwrap();
    let set = memory.endless().working_set().unwrap();
    let mut ids: Vec<&str> = set.iter().map(|item| item.event_id.as_str()).collect();
    let mut newest = [said[1], said[3], said[4]].map(|id| id.to_string());
    ids.sort_unstable();
    newest.sort_unstable();
    assert_eq!(ids, newest);
}

#[test]
fn a_summary_that_hides_everything_is_none_and_a_group_that_changed_goes_on_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, _) = endless_left_to_host(&folder);
    let steps: Vec<EventId> = (0..4)
        .map(|step| say(&memory, &format!("Step {step} of src/cache.rs")))
        .collect();
    // The host forgets a message while it is summarised.
    let mut forgets = |_: &[String], _: &[String]| {
        memory.forget(&Selector::new().id(steps[3])).unwrap();
        Ok(None)
    };
    let report = memory.endless().consolidate_with(&mut forgets).unwrap();
    assert!(report.memories.is_empty());
    assert_eq!(report.waiting, 3, "{report:?}");
    let mut hides =
        |_: &[String], _: &[String]| Ok(Some("<private>The cache.</private>".to_owned()));
    let report = memory.endless().consolidate_with(&mut hides).unwrap();
    assert_eq!((report.memories.len(), report.waiting), (1, 0));
    let made = memory.endless().memories(None, None).unwrap();
    assert!(made[0].summary.contains("Step"), "{made:?}");
}

/// A memory is proved by whole events, of which its line says a sentence or none.
#[test]
fn a_memory_does_not_hide_the_event_that_answers() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, _) = endless(&folder);
    let events: Vec<EventId> = (0..14)
        .map(|n| {
            let failed = format!("The database schema test number {n} has failed because of redb.");
            let owner = format!("the file parser_{n}.rs and its owner is Kim number {n}.");
            say(&memory, &format!("{failed} The culprit was {owner}"))
        })
        .collect();
    assert_eq!(memory.endless().consolidate().unwrap().memories.len(), 1);
    let asked = "Kim number 10 parser_10.rs";

    let found = memory.search(asked).unwrap();
    let kinds: Vec<LearnedKind> = found.learned.iter().map(|hit| hit.kind).collect();
    assert_eq!(kinds, [LearnedKind::Memory]);
    let marks: Vec<(EventId, bool)> = found
        .items
        .iter()
        .map(|hit| (hit.id, hit.is_proof))
        .collect();
    assert_eq!(marks[0], (events[10], false));
    assert!(marks.iter().all(|(_, is_proof)| !is_proof), "{marks:?}");

    let smart = memory
        .smart_search(asked, SmartSearchOptions::default())
        .unwrap();
    assert_eq!(smart.index[0].id, events[10]);

    let context = memory.context(asked).unwrap();
    assert_eq!(context.confidence, MatchClass::High);
    assert!(context.text.contains("Kim number 10"), "{}", context.text);
}

#[test]
fn a_memory_stands_for_the_events_that_it_says_word_for_word() {
    let folder = tempfile::tempdir().unwrap();
    let (memory, _) = endless(&folder);
    let events: Vec<EventId> = [
        "oak", "elm", "ash", "yew", "fir", "box", "bay", "fig", "lime", "pear",
    ]
    .map(|tree| say(&memory, &format!("The {tree} stands  in the garden.")))
    .into();
    let summary = "Trees:\n- The oak stands in the garden.\n- The elm stands in the garden";
    let mut summarize = |_: &[String], _: &[String]| Ok(Some(summary.to_owned()));
    memory.endless().consolidate_with(&mut summarize).unwrap();
    let found = memory.search("what stands in the garden?").unwrap();
    assert!(!found.learned.is_empty());
    for hit in &found.items {
        let is_said = events[..2].contains(&hit.id);
        assert_eq!(hit.is_proof, is_said, "{}", hit.passage.text);
    }
    assert!(found.items.iter().any(|hit| hit.is_proof));
    assert!(found.items.iter().any(|hit| !hit.is_proof));
}
