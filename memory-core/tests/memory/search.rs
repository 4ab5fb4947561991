//! Search through the public interface: languages, filters, limits, unusual input, several handles,
//! and caches that never change a result.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use proptest::prelude::*;
use recallite::clock::Clock;
use recallite::scope::ProjectScope;
use recallite::{
    Appended, Dedupe, ErrorCode, EventId, EventKind, EventRef, Json, MaintainBudget, MatchClass,
    Memory, NewEvent, Query, Selector, Seq, SmartSearchOptions, Timestamp, ToolUse,
};

fn open() -> (tempfile::TempDir, Memory) {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(folder.path()).unwrap();
    (folder, memory)
}

fn prompt(session: &str, text: &str) -> NewEvent {
    NewEvent::new(EventKind::UserPrompt, session, text)
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// One fact per line, in many scripts.
const FACTS: [(&str, &str); 9] = [
    (
        "When do we deploy to production?",
        "We ship to production on Fridays at noon.",
    ),
    (
        "결제 시간 초과가 몇 초였지?",
        "결제 시간 초과는 30초로 정했어",
    ),
    (
        "データベースのパスワードはどこに保存しますか",
        "データベースのパスワードは金庫に保存する",
    ),
    ("缓存过期时间是多少", "我们把缓存过期时间设为十分钟"),
    (
        "متى موعد الاجتماع الأسبوعي",
        "موعد الاجتماع الأسبوعي يوم الثلاثاء الساعة التاسعة",
    ),
    ("איפה נמצא שרת הבדיקות", "שרת הבדיקות נמצא בקומה השלישית"),
    (
        "what does the 🎉 commit prefix mean",
        "The 🎉 commit prefix means an initial commit",
    ),
    (
        "parseUserToken function",
        "Look at `fn parse_user_token(input: &str)` in src/auth/token.rs",
    ),
    (
        "café crème recipe",
        "The cafe\u{301} crème recipe needs two eggs",
    ),
];

#[test]
fn facts_are_found_in_every_language() {
    let (_folder, memory) = open();
    for (number, (_, fact)) in FACTS.iter().enumerate() {
        memory.append(prompt(&format!("s{number}"), fact)).unwrap();
    }
    for (question, fact) in FACTS {
        let found = memory.search(question).unwrap();
        assert_eq!(found.items[0].passage.text, fact, "{question}");
        let hit = &found.items[0];
        let event = memory.event(hit.seq).unwrap().unwrap();
        assert_eq!(
            event.content[hit.passage.start..hit.passage.end],
            hit.passage.text
        );
        assert!((0.0..=1.0).contains(&hit.relevance) && (0.0..=1.0).contains(&hit.match_score));
        assert!(!found.degraded);
    }
}

#[test]
fn relevance_never_rises_with_the_rank() {
    let (_folder, memory) = open();
    let mut seed = 7u64;
    let mut below = |limit: u64| {
        seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (seed >> 33) % limit
    };
    let words: Vec<&str> = FACTS
        .iter()
        .flat_map(|(asked, fact)| [*asked, *fact])
        .flat_map(str::split_whitespace)
        .collect();
    let mut sentence = |length: u64| {
        let picked = (0..length).map(|_| words[below(words.len() as u64) as usize]);
        picked.collect::<Vec<_>>().join(" ")
    };
    let mut ranked = 0;
    for round in 0..300 {
        let text = sentence(3 + round % 20);
        memory
            .append(prompt(&format!("s{}", round % 7), &text))
            .unwrap();
        let found = memory.search(Query::new(sentence(4)).limit(50)).unwrap();
        let relevance: Vec<f32> = found.items.iter().map(|hit| hit.relevance).collect();
        assert!(relevance.is_sorted_by(|a, b| a >= b), "{relevance:?}");
        ranked += usize::from(relevance.len() > 1);
    }
    assert!(ranked > 200, "too few searches found several events");
}

#[test]
fn a_statement_that_was_repeated_is_as_sure_and_another_is_unknown() {
    let said = [
        (
            "Which port does staging use?",
            "The staging database listens on port 5433.",
        ),
        (
            "결제 시간 초과가 몇 초였지?",
            "결제 시간 초과는 30초로 정했어",
        ),
        ("缓存过期时间是多少", "我们把缓存过期时间设为十分钟"),
        (
            "請求のタイムアウトは何秒",
            "請求のタイムアウトは三十秒にした",
        ),
    ];
    for (question, fact) in said {
        for times in 1..=5 {
            let (_folder, memory) = open();
            for session in 0..times {
                memory.append(prompt(&format!("s{session}"), fact)).unwrap();
            }
            let found = memory.search(question).unwrap();
            assert_ne!(
                found.confidence,
                MatchClass::None,
                "{question} {times}: {found:?}"
            );
            let found = memory
                .search("Who painted the ceiling of the chapel?")
                .unwrap();
            assert_eq!(
                found.confidence,
                MatchClass::None,
                "{fact} {times}: {found:?}"
            );
        }
    }
}

#[test]
fn of_statements_that_match_equally_the_latest_comes_first() {
    let (_folder, memory) = open();
    let said = |session: &str, at: &str, text: &str| {
        let event = NewEvent::new(EventKind::UserPrompt, session, text);
        memory.append(event.timestamp(at.parse().unwrap())).unwrap();
    };
    // The order in which they arrive does not matter.
    said(
        "c",
        "2026-11-20T10:00:00Z",
        "The deploy user is called eve.",
    );
    said(
        "a",
        "2026-10-01T10:00:00Z",
        "The deploy user is called bob.",
    );
    said(
        "b",
        "2026-11-01T10:00:00Z",
        "The deploy user is called ann.",
    );
    said(
        "d",
        "2026-10-02T10:00:00Z",
        "The staging host is alpha.example.",
    );
    said(
        "e",
        "2026-10-03T10:00:00Z",
        "The staging host is gamma.example.",
    );
    for (question, wanted) in [
        (
            "what is the deploy user called?",
            ["eve", "ann", "bob"].as_slice(),
        ),
        ("what is the staging host?", ["gamma", "alpha"].as_slice()),
    ] {
        let found = memory.search(question).unwrap();
        let names: Vec<&str> = found.items[..wanted.len()]
            .iter()
            .map(|hit| wanted.iter().find(|name| hit.summary.contains(**name)))
            .map(|name| *name.unwrap_or(&"?"))
            .collect();
        assert_eq!(names, wanted, "{question}");
        let relevance: Vec<f32> = found.items.iter().map(|hit| hit.relevance).collect();
        assert!(relevance.is_sorted_by(|a, b| a >= b), "{relevance:?}");
        let first = memory.search(Query::new(question).limit(1)).unwrap();
        assert!(first.items[0].summary.contains(wanted[0]), "{question}");
    }
}

#[test]
fn odd_queries_are_refused_or_find_nothing() {
    let (_folder, memory) = open();
    memory
        .append(prompt("s1", "The gateway waits thirty seconds."))
        .unwrap();
    for empty in ["", " ", "\n\t　"] {
        let error = memory.search(empty).unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidArgument);
        assert_eq!(error.argument(), Some("query"));
        let error = memory
            .smart_search(empty, SmartSearchOptions::default())
            .unwrap_err();
        assert_eq!(error.argument(), Some("query"));
    }
    for nothing in ["🎉🎊", "the of and to", "?!…", "\u{301}\u{200b}", "\0"] {
        let found = memory.search(nothing).unwrap();
        assert!(found.items.is_empty(), "{nothing:?}");
        assert_eq!(found.confidence, MatchClass::None);
    }
    let long = "gateway seconds ".repeat(70_000);
    assert!(long.len() > 1 << 20);
    assert_eq!(memory.search(long.as_str()).unwrap().items.len(), 1);
    let noise: String = (0..1 << 18)
        .filter_map(|n| char::from_u32(n * 7 % 0x11_0000))
        .collect();
    memory.search(noise.as_str()).unwrap();
    for limit in [0, 1_001, 1_000_000, usize::MAX] {
        let error = memory
            .search(Query::new("gateway").limit(limit))
            .unwrap_err();
        assert_eq!(error.argument(), Some("limit"));
        let options = SmartSearchOptions::default().limit(limit);
        let error = memory.smart_search("gateway", options).unwrap_err();
        assert_eq!(error.argument(), Some("limit"));
    }
    for relevance in [-0.1, 1.1, f32::NAN, f32::INFINITY] {
        let error = memory
            .search(Query::new("gateway").min_relevance(relevance))
            .unwrap_err();
        assert_eq!(error.argument(), Some("min_relevance"));
        let options = SmartSearchOptions::default().min_relevance(relevance);
        assert_eq!(
            memory
                .smart_search("gateway", options)
                .unwrap_err()
                .argument(),
            Some("min_relevance")
        );
    }
    let error = memory
        .search(Query::new("gateway").kinds([EventKind::Injected]))
        .unwrap_err();
    assert_eq!(error.argument(), Some("kinds"));
    let error = memory
        .smart_search("gateway", SmartSearchOptions::default().window(101))
        .unwrap_err();
    assert_eq!(error.argument(), Some("window"));
}

#[test]
fn a_right_answer_in_a_small_store_is_never_called_none() {
    let (_folder, memory) = open();
    for text in [
        "We deploy on Fridays at noon.",
        "The payment gateway times out after thirty seconds.",
        "Ada prefers tabs over spaces.",
        "The database moved to Frankfurt in March.",
        "Use pnpm, not npm, in the web folder.",
    ] {
        memory.append(prompt("s", text)).unwrap();
    }
    for (question, seq) in [
        ("when do we deploy?", 1),
        (
            "What day is the release shipped? We deploy on which day?",
            1,
        ),
        ("how long until the payment gateway times out", 2),
        ("payment timeout", 2),
        ("What does Ada like, tabs or spaces?", 3),
        ("does ada indent with tabs", 3),
        ("Where is the database?", 4),
        ("which city hosts our database now?", 4),
        (
            "Can you remind me in which month the database was moved to another region?",
            4,
        ),
        ("npm or pnpm?", 5),
        ("Which package manager do we use in the web folder?", 5),
        ("please install the dependencies of the web folder", 5),
    ] {
        let found = memory.search(question).unwrap();
        assert_eq!(found.items[0].seq, Seq(seq), "{question}");
        assert_ne!(found.confidence, MatchClass::None, "{question}");
    }
    for question in [
        "what is the capital of France?",
        "PROJ-4599 stack trace",
        "who won the race?",
    ] {
        let found = memory.search(question).unwrap();
        assert_ne!(found.confidence, MatchClass::High, "{question}");
    }
}

#[test]
fn an_identifier_finds_itself_and_nothing_like_it() {
    let (_folder, memory) = open();
    for text in [
        "The variant rs16973225 raises the risk.",
        "Ticket PROJ-4512 is closed.",
        "Deployed 9f3ac01b to staging.",
    ] {
        memory.append(prompt("s", text)).unwrap();
    }
    for unknown in ["rs647161", "4599", "c0ffee1b", "rs16973226"] {
        assert!(
            memory.search(unknown).unwrap().items.is_empty(),
            "{unknown}"
        );
    }
    for (known, part) in [
        ("rs16973225", "variant"),
        ("PROJ-4512", "Ticket"),
        ("9F3AC01B", "Deployed"),
    ] {
        let found = memory.search(known).unwrap();
        assert!(found.items[0].passage.text.contains(part), "{known}");
    }
}

#[test]
fn a_long_question_finds_what_a_few_of_its_words_name() {
    let (_folder, memory) = open();
    for n in 0..60 {
        let text = format!("Note {n} about lunch, the weather and the garden.");
        memory.append(prompt("s", &text)).unwrap();
    }
    let log: Vec<String> = (0..80).map(|n| format!("qzx{n}w")).collect();
    for (fact, question) in [
        (
            "The harbour crane needs grease.",
            format!("{} harbour crane", log.join(" ")),
        ),
        (
            "The harbour crane needs grease.",
            format!("harbour crane {}", log.join(" ")),
        ),
        (
            "請求書は毎週金曜日に経理へ送る。",
            "昨夜の障害報告では、負荷分散装置の設定変更後に応答遅延が発生し、監視画面の警告表示が消えず、\
             再起動手順を実施したが復旧せず、深夜二時に緊急連絡網を使って担当技術者を呼び出した。\
             原因究明は継続中だが、それとは別に、請求書は経理へいつ送るのか教えてほしい。"
                .to_owned(),
        ),
    ] {
        let kept = memory.append(prompt("facts", fact)).unwrap();
        let found = memory.search(&*question).unwrap();
        let first = found.items.first().map(|hit| hit.seq);
        assert_eq!(first, Some(kept.seq), "{question}");
    }
}

#[test]
fn what_was_planned_for_a_day_comes_before_what_happened_on_it() {
    let (_folder, memory) = open();
    for (day, text) in [
        (
            "2026-03-02",
            "The launch moves to the 20th of April, the venue is booked.",
        ),
        ("2026-03-05", "Bo takes the dentist on 2026-04-20 at nine."),
        (
            "2026-04-20",
            "Lunch with the vendor was long, nothing was agreed.",
        ),
        ("2026-04-20", "Fixed the flaky test of the parser."),
        ("2026-04-21", "The coffee machine is broken again."),
    ] {
        let event = prompt(text, text).timestamp(at(&format!("{day}T10:00:00Z")));
        memory.append(event).unwrap();
    }
    for question in [
        "what is set for April 20, 2026",
        "what is set for 20.04.2026",
    ] {
        let found = memory.search(question).unwrap();
        let mut first: Vec<Seq> = found.items[..2].iter().map(|hit| hit.seq).collect();
        first.sort();
        assert_eq!(first, [Seq(1), Seq(2)], "{question}");
    }
}

#[test]
fn a_planned_day_is_found_before_anything_happened_near_it() {
    let (_folder, memory) = open();
    for (day, text) in [
        ("2026-01-12", "Set the table for the guests."),
        (
            "2026-01-14",
            "The launch moves to the 20th of April, the venue is booked.",
        ),
        ("2026-01-16", "What is set in the config is set for all."),
    ] {
        let event = prompt(text, text).timestamp(at(&format!("{day}T10:00:00Z")));
        memory.append(event).unwrap();
    }
    let found = memory.search("what is set for 20.04.2026?").unwrap();
    assert!(found.items.iter().any(|hit| hit.seq == Seq(2)));
}

#[test]
fn many_copies_of_one_output_leave_room_for_other_events() {
    for (copy, other, question, copies) in [
        (
            "cargo test finished: 42 passed, 0 failed, 3 ignored in the billing crate",
            "The billing crate has a test of the refund path that failed once on",
            "which test of the billing crate failed?",
            60,
        ),
        (
            "cargo test finished: 42 passed, 0 failed, 3 ignored in the billing crate",
            "The billing crate has a test of the refund path that failed once on",
            "which test of the billing crate failed?",
            200,
        ),
        (
            "請求書モジュールの単体試験が終了しました。四十二件成功、失敗なし。",
            "請求書モジュールの払い戻しの単体試験が一度だけ失敗した日は",
            "請求書モジュールの単体試験の失敗",
            120,
        ),
    ] {
        let (_folder, memory) = open();
        for n in 0..copies {
            let tool = ToolUse::new("Bash").output(copy);
            let event = NewEvent::tool(format!("run {n}"), tool).dedupe(Dedupe::None);
            memory.append(event).unwrap();
        }
        for day in ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"] {
            let text = format!("{other} {day}, because the clock of that machine was wrong.");
            memory.append(prompt(day, &text)).unwrap();
        }
        let found = memory.search(question).unwrap();
        let others = found
            .items
            .iter()
            .filter(|hit| hit.kind == EventKind::UserPrompt);
        assert_eq!(others.count(), 5, "{copies} copies: {question}");
        assert!(
            found
                .items
                .iter()
                .any(|hit| hit.kind != EventKind::UserPrompt)
        );
    }
}

#[test]
fn who_asks_about_themselves_finds_what_they_said() {
    for (said, answered, question) in [
        (
            "My parents live far away, in the old harbour town.",
            "Parents who live far away, in some other town, like letters.",
            "How far away do my parents live?",
        ),
        (
            "제 예산은 사백만 원이고 주방 공사에 씁니다.",
            "주방 공사 예산은 계획이 필요합니다.",
            "제 주방 공사 예산이 얼마였지?",
        ),
    ] {
        let (_folder, memory) = open();
        // Of equals, the older one comes first.
        let event = NewEvent::new(EventKind::AgentResponse, "one", answered);
        memory.append(event).unwrap();
        let own = memory.append(prompt("two", said)).unwrap();
        let found = memory.search(question).unwrap();
        assert_eq!(found.items[0].seq, own.seq, "{question}");
    }
}

#[test]
fn a_speaker_is_found_in_a_question_however_the_name_is_written() {
    for (actor, question) in [
        ("Caroline", "which bicycle is Caroline's?"),
        ("Caroline", "which bicycle is Caroline’s?"),
        ("Caroline", "(Caroline)/bicycle"),
        ("O'Brien", "which bicycle did O'Brien buy?"),
        ("O'Brien", "which is O'Brien's bicycle?"),
        ("alice@x.org", "bicycle of alice@x.org?"),
        ("user:ann", "did user:ann, buy a bicycle?"),
        ("Dr. Smith", "what bicycle has Dr. Smith?"),
        ("민수", "민수는 bicycle 언제 샀지?"),
        ("민수", "bicycle 민수에게"),
        ("田中", "田中さんはbicycleを買った?"),
        ("田中", "昨日田中さんはbicycleを買った?"),
        ("小明", "小明买了bicycle吗"),
    ] {
        let (_folder, memory) = open();
        for speaker in ["Zed", actor, "Yvo"] {
            let event = prompt("s", "I bought a blue bicycle.").actor(speaker);
            memory.append(event.dedupe(Dedupe::None)).unwrap();
            for n in 0..8 {
                let text = format!("Note {n} about lunch and the weather.");
                memory.append(prompt("s", &text)).unwrap();
            }
        }
        let found = memory.search(question).unwrap();
        assert_eq!(found.items[0].actor, actor, "{question}");
    }
}

#[test]
fn confidence_is_that_of_what_is_returned() {
    let (_folder, memory) = open();
    memory
        .append(prompt("s", "The harbour crane needs grease."))
        .unwrap();
    let ask = || Query::new("harbour crane grease");
    assert_ne!(memory.search(ask()).unwrap().confidence, MatchClass::None);
    let none = memory.search(ask().min_relevance(1.0)).unwrap();
    assert!(none.items.is_empty());
    assert_eq!(none.confidence, MatchClass::None);
}

/// Notes in one session are no conversation: none is found because it stands beside another.
#[test]
fn a_note_is_no_context_of_its_neighbours() {
    let texts = [
        "The staging port is 8443.",
        "Invoices are numbered by year.",
        "The billing service cache is Redis.",
        "Deploys happen on Fridays at noon.",
        "Anna owns the iOS release train.",
        "The logo is drawn in Inkscape.",
        "Backups are kept for ninety days.",
        "The office closes at seven.",
        "Feature flags live in Consul.",
        "Minji reviews every schema change.",
        "Errors are written in English.",
    ];
    let question = "Which cache does the billing service use?";
    for (metadata, is_note) in [(r#"{"isNote":true}"#, true), (r#"{"of":"isNote"}"#, false)] {
        let (_folder, memory) = open();
        for text in texts {
            let metadata = Json::parse("metadata", metadata).unwrap();
            memory.append(prompt("s", text).metadata(metadata)).unwrap();
        }
        // From the memtable, from a segment, and from what is derived anew.
        for _ in 0..3 {
            let hits = memory
                .search(Query::new(question).min_relevance(0.08))
                .unwrap();
            assert_eq!(hits.items.len() == 1, is_note, "{metadata}: {hits:?}");
            let report = memory.check().unwrap();
            assert!(report.ok, "{report:?}");
            memory.maintain(MaintainBudget::default()).unwrap();
            memory.rebuild(report.as_of).unwrap();
        }
    }
}

#[test]
fn a_word_is_found_in_colours_and_with_invisible_characters() {
    let (_folder, memory) = open();
    let texts = [
        (
            "walrus",
            "\u{1b}[32mwalrus\u{1b}[0m is what the runner printed",
        ),
        (
            "pelican",
            r"\u001b[1;38;5;196mpelican\u001b[0m in a log line",
        ),
        (
            "giraffe",
            "the gi\u{200b}ra\u{ad}ffe was copied from a page",
        ),
        (
            "ostrich",
            "\u{2066}ostrich\u{2069} in a text with two directions",
        ),
    ];
    let stored = texts.map(|(_, text)| memory.append(prompt("s", text)).unwrap().id);
    for ((word, _), id) in texts.into_iter().zip(stored) {
        for asked in [word.to_owned(), format!("\u{1b}[1m{word}\u{1b}[m")] {
            let first = &memory.search(asked.as_str()).unwrap().items[0];
            assert!(first.id == id && first.relevance > 0.3, "{word}: {first:?}");
        }
    }
}

#[test]
fn an_empty_memory_answers_none() {
    let (_folder, memory) = open();
    let found = memory.search("anything").unwrap();
    assert!(found.items.is_empty() && found.total_matches == 0 && !found.degraded);
    let smart = memory
        .smart_search("anything", SmartSearchOptions::default())
        .unwrap();
    assert_eq!(smart.confidence, MatchClass::None);
    assert_eq!(smart.markdown(), "## Related Memories (0 matches)\n");
}

#[test]
fn filters_hold_and_may_select_nothing() {
    let (_folder, memory) = open();
    let times = [
        "2026-01-10T00:00:00Z",
        "2026-02-10T00:00:00Z",
        "2026-03-10T00:00:00Z",
    ];
    for (number, time) in times.iter().enumerate() {
        for (kind, project) in [
            (EventKind::UserPrompt, "shop"),
            (EventKind::AgentResponse, ""),
        ] {
            let text = format!("The gateway waits {number} seconds, says the {kind}.");
            let event = NewEvent::new(kind, format!("s{number}"), text)
                .timestamp(at(time))
                .project(project);
            memory.append(event).unwrap();
        }
    }
    memory
        .append(NewEvent::tool(
            "s0",
            ToolUse::new("Bash").output("gateway waits"),
        ))
        .unwrap();
    let count = |query: Query| memory.search(query.limit(100)).unwrap().items.len();
    let query = || Query::new("how long does the gateway wait?").project(ProjectScope::All);
    assert_eq!(count(query()), 7);
    assert_eq!(count(query().session("s1")), 2);
    assert_eq!(count(query().session("unknown")), 0);
    assert_eq!(count(query().kinds([EventKind::ToolObservation])), 1);
    assert_eq!(count(query().kinds([EventKind::SessionSummary])), 0);
    assert_eq!(
        count(query().project(ProjectScope::Named("shop".into()))),
        3
    );
    assert_eq!(
        count(query().project(ProjectScope::Named("nowhere".into()))),
        0
    );
    assert_eq!(count(query().from(at(times[1])).until(at(times[2]))), 2);
    assert_eq!(count(query().from(at(times[2])).until(at(times[1]))), 0);
    assert_eq!(count(query().min_relevance(1.0)), 0);
    assert_eq!(
        count(query().session("s1").kinds([EventKind::UserPrompt])),
        1
    );
    let smart = memory
        .smart_search(query().session("unknown"), SmartSearchOptions::default())
        .unwrap();
    assert!(smart.index.is_empty());
}

#[test]
fn limits_cut_the_same_list() {
    let folder = tempfile::tempdir().unwrap();
    // Match scores decay over time.
    let clock = Arc::new(TestClock::default());
    let memory = Memory::builder().clock(clock).open(folder.path()).unwrap();
    for number in 0..60 {
        let text = format!("Gateway note {number}: item {} waits.", number % 7);
        memory
            .append(prompt(&format!("s{}", number % 5), &text))
            .unwrap();
    }
    let all = memory
        .search(Query::new("gateway item 3 waits").limit(1_000))
        .unwrap();
    assert_eq!(all.items.len(), 60);
    assert!(
        all.items
            .windows(2)
            .all(|pair| pair[0].rank_score >= pair[1].rank_score)
    );
    for limit in [1, 5, 20] {
        let some = memory
            .search(Query::new("gateway item 3 waits").limit(limit))
            .unwrap();
        assert_eq!(some.items[..], all.items[..limit]);
        assert_eq!(some.total_matches, all.total_matches);
    }
}

#[test]
fn the_next_call_of_another_handle_finds_what_was_appended() {
    let (folder, memory) = open();
    let other = Memory::open(folder.path()).unwrap();
    assert!(other.search("heron").unwrap().items.is_empty());
    let receipt = memory
        .append(prompt("s1", "A heron stands in the pond."))
        .unwrap();
    // The earlier empty result is not served from a cache.
    assert_eq!(other.search("heron").unwrap().items[0].seq, receipt.seq);
    let timeline = |memory: &Memory| memory.timeline(&[receipt.seq.into()], 3).unwrap().len();
    assert_eq!((timeline(&memory), timeline(&other)), (1, 1));
    other.append(prompt("s1", "It left at noon.")).unwrap();
    assert_eq!((timeline(&memory), timeline(&other)), (2, 2));
    let detail = |memory: &Memory| memory.details(&[receipt.id.into()]).unwrap()[0].clone();
    assert!(detail(&memory).relations.next.is_some());
    assert_eq!(detail(&memory), detail(&other));
}

const CHILD_STORE: &str = "RECALLITE_TEST_SEARCH_STORE";

/// Does nothing unless started by the test below.
#[test]
fn child_that_appends() {
    if let Ok(store) = std::env::var(CHILD_STORE) {
        let memory = Memory::open(store).unwrap();
        memory
            .append(prompt("s2", "An otter swims in the canal. 수달"))
            .unwrap();
    }
}

#[test]
fn the_next_call_finds_what_another_process_appended() {
    let (folder, memory) = open();
    memory.append(prompt("s1", "A heron stands.")).unwrap();
    let finds_otter = |query: &str| {
        let found = memory.search(query).unwrap();
        found.items.iter().any(|hit| hit.summary.contains("otter"))
    };
    for query in ["otter", "수달"] {
        assert!(!finds_otter(query));
    }
    let status = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["search::child_that_appends", "--exact"])
        .env(CHILD_STORE, folder.path())
        .stdout(std::process::Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
    for query in ["otter", "수달"] {
        assert!(finds_otter(query));
    }
    assert!(
        memory
            .context("where is the otter?")
            .unwrap()
            .text
            .contains("canal")
    );
}

#[test]
fn the_same_history_gives_the_same_answers() {
    let answers = |folder: &tempfile::TempDir| {
        let memory = Memory::builder()
            .clock(Arc::new(TestClock::default()))
            .open(folder.path())
            .unwrap();
        let events = (0..700).map(|number| {
            let (service, queue) = (number % 13, number % 29);
            let text = format!("Turn {number}: the {service} service talks to queue {queue}.");
            prompt(&format!("s{}", number % 11), &text)
        });
        // Several batches, so that there are both segments and a memtable.
        let events: Vec<NewEvent> = events.collect();
        for batch in events.chunks(90) {
            memory.append_batch(batch.to_vec()).unwrap();
        }
        let found = memory
            .search(Query::new("which service talks to queue 17?").limit(50))
            .unwrap();
        found
            .items
            .into_iter()
            .map(|hit| (hit.seq, hit.rank_score, hit.relevance, hit.match_score))
            .collect::<Vec<_>>()
    };
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    assert_eq!(answers(&one), answers(&two));
}

/// Encoded data in the input of a call does not crowd out the words of its output.
#[test]
fn an_output_is_found_however_long_the_input_of_its_call() {
    let (_folder, memory) = open();
    let numbers: Vec<String> = (0..6_000).map(|number| format!("v{number}")).collect();
    let encoded = "QUJDREVGR0hJSktM".repeat(20_000);
    for (input, output) in [
        (numbers.join(","), "The receipt total says latinum gamma."),
        (encoded, "The receipt total says quatloos delta."),
    ] {
        let input = serde_json::json!({ "rows": input }).to_string();
        let call = ToolUse::new("Bash")
            .input(Json::parse("input", &input).unwrap())
            .output(output);
        memory.append(NewEvent::tool("s1", call)).unwrap();
    }
    for (question, seq) in [("latinum", 1), ("quatloos", 2)] {
        let found = memory.search(question).unwrap();
        assert_eq!(found.items[0].seq.0, seq, "{question}");
        assert!(found.items[0].passage.text.contains(question));
    }
}

#[test]
fn a_hit_quotes_no_more_than_a_passage_may_have() {
    let (_folder, memory) = open();
    let drawing = format!("zanzibar {} omega", "═══ ".repeat(100_000));
    let emoji = format!("{} tralfamadore", "🙂".repeat(100_000));
    for text in [drawing, emoji, "🙂".repeat(100_000)] {
        memory.append(prompt("s1", &text)).unwrap();
    }
    for word in ["zanzibar", "omega", "tralfamadore"] {
        let found = memory.search(word).unwrap();
        let hit = &found.items[0].passage;
        assert!(hit.text.contains(word), "{word}");
        for hit in &found.items {
            assert!(hit.passage.text.len() <= 8_192, "{word}");
        }
    }
    assert!(memory.check().unwrap().ok);
}

/// Otherwise every new process would read them before it can answer.
#[test]
fn long_texts_do_not_wait_for_a_segment() {
    let (_folder, memory) = open();
    let waiting = || {
        let stats = memory.stats().unwrap().lexical;
        (stats.memtable_events, stats.segments)
    };
    for number in 0..20 {
        memory
            .append(prompt("s1", &format!("the word number {number}")))
            .unwrap();
    }
    assert_eq!(waiting(), (20, 0));
    let long: Vec<String> = (0..200_000)
        .map(|number| format!("word{}", number % 5_000))
        .collect();
    memory.append(prompt("s1", &long.join(" "))).unwrap();
    assert_eq!(waiting(), (0, 1));
    // Somewhat shorter ones wait until they are as many.
    for number in 0..40 {
        let text = format!("{number} {}", long[..5_000].join(" "));
        memory.append(prompt("s1", &text)).unwrap();
    }
    let (events, _) = waiting();
    assert!(events < 40, "{events}");
    assert!(memory.check().unwrap().ok);
    let as_of = memory.check().unwrap().as_of;
    memory.rebuild(as_of).unwrap();
    assert!(memory.check().unwrap().ok);
}

#[test]
fn a_deadline_that_is_over_gives_a_degraded_result() {
    let (_folder, memory) = open();
    for number in 0..50 {
        memory
            .append(prompt("s1", &format!("Gateway note number {number}.")))
            .unwrap();
    }
    let hurried = memory
        .search(Query::new("gateway note").deadline_ms(0))
        .unwrap();
    assert!(hurried.degraded);
    // A degraded result is not cached for the next caller.
    let calm = memory.search(Query::new("gateway note")).unwrap();
    assert!(!calm.degraded && calm.items.len() == 10);
}

/// A manually set clock.
#[derive(Debug, Default)]
struct TestClock(AtomicI64);

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis_clamped(1_770_000_000_000 + self.0.load(Ordering::Relaxed))
    }
}

#[derive(Clone, Debug)]
enum Step {
    Append(u8, u8),
    Search(u8, Option<u8>, usize),
    Timeline(u8, usize),
    Details(u8),
    Smart(u8),
    Wait(i64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        2 => (0u8..4, any::<u8>()).prop_map(|(s, n)| Step::Append(s, n)),
        4 => (0u8..4, proptest::option::of(0u8..3), 1usize..4)
            .prop_map(|(q, s, k)| Step::Search(q, s, k)),
        2 => (0u8..12, 0usize..3).prop_map(|(e, w)| Step::Timeline(e, w)),
        2 => (0u8..12).prop_map(Step::Details),
        1 => (0u8..4).prop_map(Step::Smart),
        2 => prop_oneof![Just(1_000i64), Just(61_000), Just(400_000), Just(-5_000)]
            .prop_map(Step::Wait),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn caches_never_change_a_result(steps in proptest::collection::vec(step(), 1..40)) {
        const QUERIES: [&str; 4] = ["gateway waits", "queue 대기열", "item", "heron"];
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(TestClock::default());
        let open = |cache| {
            Memory::builder().clock(clock.clone()).recall_cache(cache).open(folder.path()).unwrap()
        };
        let (cached, plain) = (open(true), open(false));
        for step in steps {
            match step {
                Step::Append(session, number) => {
                    let words = QUERIES[usize::from(number % 4)];
                    let text = format!("Item {number}: the {words} of session {session}.");
                    let memory = if number % 2 == 0 { &cached } else { &plain };
                    memory.append(prompt(&format!("s{session}"), &text)).unwrap();
                }
                Step::Search(query, session, limit) => {
                    let mut query = Query::new(QUERIES[usize::from(query)]).limit(limit);
                    query.session = session.map(|session| format!("s{session}"));
                    for _ in 0..2 {
                        prop_assert_eq!(
                            cached.search(query.clone()).unwrap(),
                            plain.search(query.clone()).unwrap()
                        );
                    }
                }
                Step::Timeline(event, window) => {
                    let events = [EventRef::Seq(Seq(event.into())), Seq(3).into()];
                    prop_assert_eq!(
                        cached.timeline(&events, window).unwrap(),
                        plain.timeline(&events, window).unwrap()
                    );
                }
                Step::Details(event) => {
                    let events = [EventRef::Seq(Seq(event.into()))];
                    prop_assert_eq!(cached.details(&events).ok(), plain.details(&events).ok());
                }
                Step::Smart(query) => {
                    let ask = |memory: &Memory| {
                        let query = QUERIES[usize::from(query)];
                        memory.smart_search(query, SmartSearchOptions::default()).unwrap()
                    };
                    prop_assert_eq!(ask(&cached), ask(&plain));
                }
                Step::Wait(ms) => {
                    clock.0.fetch_add(ms, Ordering::Relaxed);
                }
            }
        }
    }
}

#[test]
fn a_turn_has_its_events_however_many_there_are() {
    let (_folder, memory) = open();
    let asked = memory.append(prompt("s1", "Run everything.")).unwrap();
    let calls: Vec<_> = (0..40)
        .map(|number| {
            let output = format!("Run {number} passed.");
            let call = ToolUse::new("Bash").output(output);
            memory.append(NewEvent::tool("s1", call)).unwrap()
        })
        .collect();
    let answer = NewEvent::new(EventKind::AgentResponse, "s1", "All of them passed.");
    let answer = memory.append(answer).unwrap();
    let next = memory.append(prompt("s1", "And now deploy.")).unwrap();

    let relations = |event: &Appended| {
        let details = memory.details(&[event.id.into()]).unwrap();
        details[0].relations.clone()
    };
    let mut children: Vec<EventId> = calls.iter().map(|call| call.id).collect();
    children.push(answer.id);
    assert_eq!(relations(&asked).children, children);
    assert_eq!(relations(&answer).parent, Some(asked.id));
    assert_eq!(relations(&calls[39]).parent, Some(asked.id));
    assert_eq!(relations(&answer).next, Some(next.id));
    assert_eq!(relations(&next).parent, None);
    assert_eq!(relations(&next).previous, Some(answer.id));
    assert!(relations(&next).children.is_empty());

    // Forgotten events are skipped.
    let gone = Selector::new().ids([EventRef::Id(calls[0].id), EventRef::Id(answer.id)]);
    memory.forget(&gone).unwrap();
    assert_eq!(relations(&asked).children, children[1..40]);
    assert_eq!(relations(&asked).next, Some(calls[1].id));
}

#[test]
fn what_is_left_out_is_not_counted() {
    let (_folder, memory) = open();
    let text = "The staging database listens on port 5433.";
    memory.append(prompt("s1", text)).unwrap();
    let gone = memory.append(prompt("s2", text)).unwrap();
    let context = memory
        .context("which port has the staging database?")
        .unwrap();
    memory.append(prompt("s3", &context.text)).unwrap();
    let total = |query: Query| memory.search(query).unwrap().total_matches;
    let query = || Query::new("staging database port");
    assert_eq!(total(query()), 2);
    assert_eq!(total(query().include_recalled()), 3);
    memory.forget(&Selector::new().id(gone.id)).unwrap();
    assert_eq!(total(query()), 1);
}
