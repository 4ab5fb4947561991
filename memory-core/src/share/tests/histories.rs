//! A model: random histories of several stores, which end alike whatever the order in which they
//! hear of each other.

use super::*;

/// Pseudo-random numbers that are the same for a seed.
pub(super) struct Random(pub(super) u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((word ^ (word >> 31)) % end as u64) as usize
    }
}

/// A random act in a store, whose orders reach its own records or everything.
pub(super) fn act(
    store: &Memory,
    random: &mut Random,
    step: usize,
    role: MemberRole,
) -> Result<()> {
    let session = format!("s{}", random.below(3));
    let events: Vec<EventRef> = store
        .changes_since(crate::model::ids::Seq(0), 1_000)?
        .into_iter()
        .filter(|event| event.kind.is_conversation())
        .map(|event| EventRef::Id(event.id))
        .filter(|event| {
            let is_own = || store.sharing().source(event.clone()).unwrap().is_none();
            role == MemberRole::Owner || is_own()
        })
        .collect();
    let entries = store.knowledge().entries(&Default::default())?;
    let tasks = store.tasks().list(&TaskFilter {
        project: ProjectScope::All,
        ..TaskFilter::default()
    })?;
    let some = |random: &mut Random, len: usize| (len > 0).then(|| random.below(len));
    match random.below(20) {
        0 | 1 => {
            let text = format!("text {step} of {session}");
            let project = ["", "shop", "bank"][random.below(3)];
            let kind = [EventKind::UserPrompt, EventKind::AgentResponse][random.below(2)];
            let said = NewEvent::new(kind, &session, &text);
            store.append(said.project(project)).map(drop)
        }
        16 => match some(random, events.len()) {
            // What is learned of an event, and what it replaces, depend on whether that is live.
            Some(at) => learn_of(store, random, step, &events[at]),
            None => Ok(()),
        },
        17 => match some(random, events.len()) {
            Some(at) => store.knowledge().mark_unknown_context(events[at].clone()),
            None => Ok(()),
        },
        18 => match some(random, entries.len()) {
            Some(at) => {
                let answer = MemoryAnswer {
                    kind: ResolutionKind::Confirmed,
                    resolved_to: Some(format!("meaning {}", random.below(3))),
                    confidence: 0.5,
                };
                let memory = entries[at].entry.id.as_str();
                store.knowledge().resolve_memory(memory, &answer)
            }
            None => Ok(()),
        },
        19 => {
            let conflicts = store.knowledge().conflicts(None)?;
            match some(random, conflicts.len()) {
                Some(at) => uphold(store, random, &conflicts[at]),
                None => Ok(()),
            }
        }
        2 => store
            .tasks()
            .create(&NewTask {
                title: format!("task {}", random.below(5)),
                blocked_by: match random.below(3) {
                    0 => vec!["waiting for the review".to_owned()],
                    1 => some(random, tasks.len())
                        .map(|at| tasks[at].title.clone())
                        .into_iter()
                        .collect(),
                    _ => Vec::new(),
                },
                ..NewTask::default()
            })
            .map(drop),
        3 => match some(random, tasks.len()) {
            Some(at) => {
                let to = TaskStatus::ALL[random.below(TaskStatus::ALL.len())];
                store
                    .tasks()
                    .change_status(&tasks[at].id, to, &[])
                    .map(drop)
            }
            None => Ok(()),
        },
        4 => match some(random, tasks.len()) {
            Some(at) => {
                let to = Priority::ALL[random.below(Priority::ALL.len())];
                store.tasks().set_priority(&tasks[at].id, to).map(drop)
            }
            None => Ok(()),
        },
        5 => match some(random, tasks.len()) {
            Some(at) => {
                let title = format!("renamed {}", random.below(4));
                store.tasks().rename(&tasks[at].id, &title).map(drop)
            }
            None => Ok(()),
        },
        6 => {
            let title = format!("fact {step}");
            let entry = NewEntry::new(EntryType::Fact, &session, &title, &title);
            store.knowledge().add_entry(&entry).map(drop)
        }
        7 => match some(random, entries.len()).zip(some(random, entries.len())) {
            Some((a, b)) if a != b => {
                let (a, b) = (&entries[a].entry.id, &entries[b].entry.id);
                match random.below(3) {
                    0 => store.knowledge().supersede(a, b),
                    1 => store.knowledge().contradict(a, b, None).map(drop),
                    _ => store.knowledge().deprecate(a),
                }
            }
            _ => Ok(()),
        },
        8 | 9 => match some(random, events.len()) {
            Some(at) => store
                .forget(&Selector::new().id(events[at].clone()))
                .map(drop),
            None => Ok(()),
        },
        10 if random.below(4) == 0 => match some(random, events.len()) {
            Some(at) => store
                .erase(&Selector::new().id(events[at].clone()))
                .map(drop),
            None => Ok(()),
        },
        11 => {
            let mut half = || random.below(2) == 0;
            let update = SessionUpdate {
                summary: half().then(|| format!("summary {step}")),
                tags: half().then(|| vec![format!("tag {step}")]),
                started: half().then(|| day(step)),
                ended: half().then(|| day(step)),
                project: half().then(|| "moved".to_owned()),
            };
            store.update_session(&session, update).map(drop)
        }
        12 if random.below(4) == 0 => store.compact().map(drop),
        13 => match random.below(2) {
            0 => store.sharing().withhold(ScopeKind::Session, "s2").map(drop),
            _ => store.sharing().offer(ScopeKind::Session, "s2").map(drop),
        },
        _ => {
            let ends = EdgeEnds {
                source_type: NodeType::Entry,
                source_id: format!("e{}", random.below(3)),
                relation: Relation::DerivedFrom,
                destination_type: NodeType::Entry,
                destination_id: format!("e{}", 3 + random.below(3)),
            };
            match random.below(3) {
                0 => store.knowledge().remove_edge(&ends).map(drop),
                _ => store.knowledge().add_edge(&ends, None).map(drop),
            }
        }
    }
}

/// Learns an entry that quotes an event, and perhaps replaces another one by it.
fn learn_of(store: &Memory, random: &mut Random, step: usize, event: &EventRef) -> Result<()> {
    let Some(told) = store.event(event.clone())? else {
        return Ok(());
    };
    let title = format!("quote {step}");
    let entry = NewEntry {
        event: Some(event.clone()),
        ..NewEntry::new(EntryType::Fact, &told.session, &title, &told.content)
    };
    let entry = store.knowledge().add_entry(&entry)?.entry.id;
    let others = store.knowledge().entries(&Default::default())?;
    match others.get(random.below(others.len().max(1))) {
        Some(other) if other.entry.id != entry => {
            store.knowledge().supersede(&other.entry.id, &entry)
        }
        _ => Ok(()),
    }
}

/// Resolves a conflict in favour of one of the two entries.
fn uphold(store: &Memory, random: &mut Random, conflict: &Conflict) -> Result<()> {
    let sides = [&conflict.older_id, &conflict.newer_id];
    let verdict = ConflictVerdict::new(sides[random.below(2)].clone(), "looked it up", "ada");
    store
        .knowledge()
        .resolve_conflict(&conflict.conflict_id, &verdict)
        .map(drop)
}

/// A day of this century.
pub(super) fn day(number: usize) -> Timestamp {
    let days = 20_000 + i64::try_from(number).unwrap();
    Timestamp::from_millis_clamped(days * 24 * 60 * 60 * 1_000)
}

/// Errors that an act may meet because another store's record is in its way.
pub(super) fn is_refusal(error: &crate::Error) -> bool {
    // Never because another store used the same position.
    let is_title_taken = error.message().contains("already has this title");
    let is_taken = error.code() == ErrorCode::AlreadyExists && is_title_taken;
    is_taken
        || matches!(
            error.code(),
            ErrorCode::InvalidArgument
                | ErrorCode::NotFound
                | ErrorCode::InvalidTransition
                | ErrorCode::InvariantViolation
        )
}

/// Stores whose clocks are wrong: by hours, and now and then by years.
fn stores_in_time(random: &mut Random, role: MemberRole) -> (Vec<Store>, Vec<Arc<FixedClock>>) {
    let (mut stores, mut clocks) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        let (store, clock) = store_at("2026-01-01T00:00:00Z");
        let hours = random.below(72) as i64 - 36;
        let years = if random.below(6) == 0 { 3 } else { 0 };
        clock.advance_ms((hours + years * 365 * 24) * 60 * 60 * 1_000);
        stores.push(store);
        clocks.push(clock);
    }
    for store in &stores {
        for other in stores.iter().filter(|other| !std::ptr::eq(store, *other)) {
            trust(store, other, role);
        }
    }
    (stores, clocks)
}

/// A store takes a new identity, and the others trust it. Returns the former one.
fn renew(stores: &[Store], at: usize) -> String {
    let former = stores[at].sharing().identity().unwrap();
    stores[at].sharing().renew_identity().unwrap();
    for (_, other) in stores
        .iter()
        .enumerate()
        .filter(|(number, _)| *number != at)
    {
        trust(other, &stores[at], MemberRole::Owner);
    }
    former
}

/// What was said and is live.
fn said_in(store: &Memory) -> Vec<EventId> {
    let events = store.changes_since(crate::model::ids::Seq(0), 1_000);
    let said = events.unwrap().into_iter();
    said.filter(|event| event.kind.is_conversation())
        .map(|event| event.id)
        .collect()
}

/// A store forgets one of its own events and takes a new identity, and another one that knows the
/// event under the former identity alone erases it. Returns the former identity.
fn renew_after_forgetting(stores: &[Store], at: usize, random: &mut Random) -> String {
    let store = &stores[at];
    let mut said = said_in(store);
    said.retain(|event| store.sharing().source(*event).unwrap().is_none());
    let event = (!said.is_empty()).then(|| said.swap_remove(random.below(said.len())));
    if let Some(event) = event {
        store.forget(&Selector::new().id(event)).unwrap();
    }
    let former = renew(stores, at);
    let mut others = stores.iter().filter(|other| !std::ptr::eq(*other, store));
    if let Some(event) = event
        && let Some(other) = others.find(|other| said_in(other).contains(&event))
    {
        other.erase(&Selector::new().id(event)).unwrap();
    }
    former
}

/// Checks that no store keeps a text, even a hidden one, that another store has erased.
fn assert_nothing_erased_is_kept(stores: &[Store], what: &str) {
    let (mut erased, mut kept) = (BTreeSet::new(), BTreeSet::new());
    for store in stores {
        let read = store.enter().unwrap().store.read().unwrap();
        let (mut erased_here, mut kept_here) = (BTreeSet::new(), BTreeSet::new());
        let visit = |seq: u64, view: &RecordView<'_>, _: bool| {
            let id = EventId::from_bytes(view.archive()?.id);
            match view.is_erased() {
                false if view.kind().is_conversation() => drop(kept_here.insert(id)),
                true => drop(erased_here.insert((seq, id))),
                false => {}
            }
            Ok(())
        };
        read.each_record(visit).unwrap();
        for (seq, id) in erased_here {
            let tombstone = read.tombstone_of(seq).unwrap().unwrap();
            let kind = read.with_record(tombstone, |view| Ok(view.kind())).unwrap();
            // What came after the order to forget it is bare, too. And two members may have signed
            // one record, and one of them erased it.
            if kind == Some(EventKind::Erased) && !kept_here.contains(&id) {
                erased.insert(id);
            }
        }
        kept.extend(kept_here);
    }
    let both: Vec<&EventId> = erased.intersection(&kept).collect();
    assert!(both.is_empty(), "{what}: {both:?}");
}

/// A member that signs what it reads of others: their records, their orders, and those with other
/// targets.
struct Thief {
    store: Store,
    taken: BTreeSet<u64>,
    lines: Vec<String>,
}

impl Thief {
    fn among(stores: &[Store]) -> Thief {
        let (store, _) = store_at("2026-01-01T00:00:00Z");
        for other in stores {
            trust(other, &store, MemberRole::Writer);
        }
        Thief {
            store,
            taken: BTreeSet::new(),
            lines: Vec::new(),
        }
    }

    /// Signs what a batch has at positions that it has not used yet.
    fn steal(&mut self, batch: &str, victims: &[String]) -> Option<String> {
        let is_record = |line: &&str| !line.starts_with("{\"answer_to\"");
        let records = batch.lines().skip(1).filter(is_record);
        let mut records: Vec<SharedRecord> = records
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        records.retain(|record| self.taken.insert(record.position));
        for record in &mut records {
            if record.kind != "erased" && record.kind != "forgotten" || record.position % 2 == 0 {
                continue;
            }
            let named = record.metadata.clone().unwrap();
            let is_single = named.matches("\"store\"").count() == 1;
            for keys in victims.windows(2).filter(|_| is_single) {
                record.metadata = Some(named.replace(&keys[0], &keys[1]));
            }
        }
        if records.is_empty() {
            return None;
        }
        let lines = trust::signed_by(&self.store, BatchHeader::default(), records);
        self.lines.push(lines.clone());
        Some(lines)
    }

    fn tell_all(&self, store: &Store) {
        for lines in &self.lines {
            take_stolen(store, lines);
        }
        store.sharing().erase_ordered().unwrap();
    }
}

/// A copy of what has been erased in part meanwhile is another record.
fn take_stolen(store: &Store, lines: &str) {
    if let Err(error) = store.sharing().receive(lines) {
        assert_eq!(error.code(), ErrorCode::AlreadyExists, "{error}");
    }
}

/// One history: stores act, batches arrive late, twice, in any order or not at all, and in
/// the end all agree, unless a store declined an erasure, which is returned.
fn history(seed: u64, steps: usize, role: MemberRole) -> bool {
    let mut random = Random(seed);
    let (mut stores, clocks) = stores_in_time(&mut random, role);
    let mut under_way: Vec<(usize, String)> = Vec::new();
    // What a writer copied, it keeps from being removed by another writer.
    let mut thief = (role == MemberRole::Owner).then(|| Thief::among(&stores));
    let mut formers = BTreeSet::new();
    for step in 0..steps {
        let at = random.below(stores.len());
        let most = [1, 60_000, 36_000_000][random.below(3)];
        clocks[at].advance_ms(random.below(most) as i64 - most as i64 / 8);
        // Orders of a writer do not reach what it recorded under its former identity.
        if role == MemberRole::Owner && random.below(60) == 0 {
            formers.insert(renew_after_forgetting(&stores, at, &mut random));
            // A store does not accept what it sent as another one.
            under_way.retain(|(to, lines)| {
                *to != at || !formers.iter().any(|former| lines.contains(former))
            });
            continue;
        }
        match random.below(4) {
            0 => {
                let to = random.below(stores.len());
                let last = stores[at].stats().unwrap().last_seq as usize;
                let from = random.below(last + 1) as u64;
                let batch = stores[at].sharing().batch_since(from, 20).unwrap();
                if let Some(thief) = &mut thief
                    && random.below(3) == 0
                {
                    let victims: Vec<String> =
                        stores.iter().map(|store| trust::key_of(store)).collect();
                    let stolen = thief.steal(&batch.lines, &victims);
                    let to = random.below(stores.len());
                    stolen
                        .into_iter()
                        .for_each(|lines| take_stolen(&stores[to], &lines));
                }
                under_way.push((to, batch.lines));
            }
            1 if !under_way.is_empty() => {
                let chosen = random.below(under_way.len());
                let (to, lines) = match random.below(3) {
                    0 => under_way[chosen].clone(),
                    _ => under_way.swap_remove(chosen),
                };
                stores[to].sharing().receive(&lines).unwrap();
            }
            _ => {
                if let Err(error) = act(&stores[at], &mut random, step, role) {
                    assert!(is_refusal(&error), "seed {seed}, step {step}: {error}");
                }
            }
        }
    }
    if role == MemberRole::Owner {
        let at = random.below(stores.len());
        formers.insert(renew_after_forgetting(&stores, at, &mut random));
    }
    for store in &stores {
        store.sharing().offer(ScopeKind::Session, "s2").unwrap();
    }
    settle(&stores);
    if let Some(thief) = &thief {
        stores.iter().for_each(|store| thief.tell_all(store));
        settle(&stores);
        for store in &stores {
            let identity = thief.store.sharing().identity().unwrap();
            store.sharing().remove_member(&identity).unwrap();
        }
    }
    let mut is_declined = false;
    for store in &stores {
        // Nobody answers under a former identity.
        for former in &formers {
            store.sharing().remove_member(former).unwrap();
        }
        let open = store.sharing().unanswered_erasures(None).unwrap();
        assert!(
            open.iter().all(|it| it.waiting_for.is_empty()),
            "seed {seed}: {open:?}"
        );
        is_declined |= !open.is_empty();
    }
    let last = newcomer(&stores);
    if let Some(thief) = &thief {
        trust(&last, &thief.store, MemberRole::Writer);
        thief.tell_all(&last);
    }
    stores.push(last);
    // What another store derived from erased text stays with those who decline, and they
    // say so.
    if !is_declined {
        assert_nothing_erased_is_kept(&stores, &format!("seed {seed}"));
        assert_same_for_callers(&stores, &format!("seed {seed}"));
        assert_alike(&stores, &format!("seed {seed}"));
    }
    for store in &stores {
        let rebuilt = store.rebuild(Timestamp::from_millis_clamped(0)).unwrap();
        assert_eq!(rebuilt.hash_before, rebuilt.hash_after, "seed {seed}");
    }
    if !is_declined {
        assert_alike(&stores, &format!("rebuilt, seed {seed}"));
    }
    is_declined
}

/// Checks that tasks and sessions are equal, and each store finds what was said.
pub(super) fn assert_same_for_callers(stores: &[Store], what: &str) {
    let tasks = |store: &Store| -> BTreeSet<String> {
        let tasks = store.tasks().list(&TaskFilter {
            project: ProjectScope::All,
            ..TaskFilter::default()
        });
        let shown = tasks.unwrap().into_iter().map(|task| {
            let tasks = store.tasks();
            let then = tasks.get_as_of(&task.id, Timestamp::MAX).unwrap();
            assert_eq!(then.as_ref(), Some(&task), "{what}");
            let detail = tasks.get(&task.id).unwrap().unwrap();
            let acts: Vec<EventId> = detail.history.iter().map(|act| act.id).collect();
            format!("{task:?} {acts:?} {:?}", detail.effective_blockers)
        });
        shown.collect()
    };
    let sessions = |store: &Store| {
        let read = store.enter().unwrap().store.read().unwrap();
        let mut all = crate::share::hash::shared_sessions(&read).unwrap();
        all.sort_by(|a, b| a.id.cmp(&b.id));
        all
    };
    let entries = |store: &Store| -> Vec<String> {
        let entries = store.knowledge().entries(&Default::default()).unwrap();
        let ids = entries.iter().map(|row| row.entry.id.as_str().to_owned());
        ids.collect()
    };
    let said: Vec<String> = stores[0]
        .changes_since(crate::model::ids::Seq(0), 1_000)
        .unwrap()
        .into_iter()
        .filter(|event| event.kind.is_conversation())
        .map(|event| event.content)
        .collect();
    for store in stores {
        assert_eq!(tasks(store), tasks(&stores[0]), "{what}");
        assert_eq!(sessions(store), sessions(&stores[0]), "{what}");
        assert_eq!(entries(store), entries(&stores[0]), "{what}");
        for text in &said {
            assert!(finds(store, text), "{what}: {text}");
        }
    }
}

#[test]
fn random_histories_end_alike() {
    let number = |name: &str| std::env::var(name).ok()?.parse::<u64>().ok();
    let first = number("RECALLITE_TEST_SEED").unwrap_or(1);
    let count = number("RECALLITE_TEST_HISTORIES").unwrap_or(8);
    let mut declined = 0;
    for seed in first..first + count {
        let role = [MemberRole::Owner, MemberRole::Writer][(seed % 2) as usize];
        let is_declined = history(seed, 60, role);
        assert!(!is_declined || role == MemberRole::Writer, "seed {seed}");
        declined += u64::from(is_declined);
    }
    println!("{count} histories of 3 stores from seed {first} end alike but for {declined}");
    println!("in which a store declined an erasure");
    assert!(declined <= count / 4, "{declined} of {count}");
}
