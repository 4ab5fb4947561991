//! Tests with questions in four languages, asked on Wednesday, 2026-03-18, at 15:30 UTC.

use super::*;

const NOW: &str = "2026-03-18T15:30:00Z";

fn utc() -> Zone {
    Zone::named("UTC").unwrap()
}

fn times(question: &str) -> NamedTimes {
    NamedTimes::of(question, NOW.parse().unwrap(), &utc())
}

/// The times of a question, as `2026-03-17..2026-03-18`; hours only where there are any.
fn spans(question: &str) -> Vec<String> {
    let show = |at: Timestamp| match at.time_utc().as_str() {
        "00:00" => at.date_utc(),
        time => format!("{}T{time}", at.date_utc()),
    };
    let spans = times(question).spans;
    spans
        .iter()
        .map(|span| format!("{}..{}", show(span.from), show(span.until)))
        .collect()
}

fn all_mean(expected: &str, questions: &[&str]) {
    for question in questions {
        assert_eq!(spans(question), [expected], "{question}");
    }
}

#[test]
fn days_are_named_in_four_languages() {
    all_mean(
        "2026-03-18..2026-03-19",
        &[
            "what did we do today?",
            "오늘 뭐 했지?",
            "今日は何をした?",
            "今天做了什么？",
        ],
    );
    all_mean(
        "2026-03-17..2026-03-18",
        &[
            "what did we do yesterday?",
            "Yesterday’s build failed",
            "yesterday's build",
            "what was ordered yesterday?",
            "昨日の依頼は？",
            "어제 뭐 했지?",
            "어제는 무슨 일이 있었어?",
            "昨日は何をしましたか",
            "昨天我们做了什么？",
            "1 day ago",
            "a day ago",
            "하루 전",
            "1日前",
            "一天前",
        ],
    );
    all_mean(
        "2026-03-16..2026-03-17",
        &[
            "the day before yesterday",
            "two days ago",
            "2 days ago",
            "그저께 뭐 했지",
            "이틀 전에 뭐 했지",
            "2일 전",
            "一昨日の作業",
            "二日前",
            "前天聊了什么",
            "两天前",
        ],
    );
    all_mean(
        "2026-03-18..2026-03-18T12:00",
        &["this morning", "오늘 아침에", "今朝", "今天早上", "今早"],
    );
    all_mean(
        "2026-03-17T18:00..2026-03-18T06:00",
        &[
            "last night",
            "어젯밤",
            "昨夜",
            "昨晚",
            "昨天晚上",
            "yesterday night",
        ],
    );
}

#[test]
fn weeks_months_and_years_are_those_of_the_calendar() {
    all_mean(
        "2026-03-09..2026-03-16",
        &[
            "last week",
            "what did we do last week?",
            "in the last week",
            "지난주에 뭐 했지?",
            "지난 주",
            "先週は何をした",
            "上周做了什么",
            "上個星期",
        ],
    );
    all_mean(
        "2026-03-16..2026-03-23",
        &["this week", "이번 주", "今週", "这周", "本周"],
    );
    all_mean(
        "2026-02-01..2026-03-01",
        &[
            "last month",
            "지난달",
            "先月",
            "上个月",
            "one month ago",
            "한 달 전",
            "1か月前",
        ],
    );
    all_mean(
        "2025-01-01..2026-01-01",
        &[
            "last year",
            "작년",
            "去年",
            "昨年",
            "1년 전",
            "in 2025",
            "2025년에",
        ],
    );
    all_mean(
        "2025-12-01..2026-01-01",
        &["three months ago", "3개월 전", "三个月前"],
    );
    all_mean(
        "2026-03-01..2026-03-08",
        &["two weeks ago", "2주 전", "2週間前", "两周前"],
    );
    all_mean(
        "2026-03-14..2026-03-16",
        &[
            "last weekend",
            "over the weekend",
            "지난 주말",
            "先週末",
            "上周末",
        ],
    );
    all_mean(
        "2026-03-15..2026-03-19",
        &["the last 3 days", "in the past three days"],
    );
    all_mean(
        "2026-03-18T13:00..2026-03-18T14:00",
        &["two hours ago", "2시간 전", "2時間前", "两小时前"],
    );
}

#[test]
fn numbers_are_written_as_words() {
    all_mean(
        "2026-03-14..2026-03-17",
        &[
            "a couple of days ago",
            "a couple days ago",
            "couple days ago",
        ],
    );
    all_mean("2026-03-01..2026-03-08", &["a couple weeks ago"]);
    all_mean(
        "2026-03-16..2026-03-19",
        &["in the last couple days", "the past couple of days"],
    );
    all_mean("2026-03-03..2026-03-04", &["fifteen days ago"]);
    all_mean("2026-02-16..2026-02-17", &["thirty days ago"]);
    all_mean(
        "2026-03-18T14:45..2026-03-18T15:15",
        &["thirty minutes ago"],
    );
}

#[test]
fn a_few_are_from_one_to_five() {
    all_mean("2026-03-13..2026-03-17", &["a few days ago"]);
    all_mean("2026-02-11..2026-03-11", &["a few weeks ago"]);
}

#[test]
fn a_weekday_is_the_last_one() {
    all_mean(
        "2026-03-16..2026-03-17",
        &[
            "on Monday",
            "what did we do on monday?",
            "last Monday",
            "월요일에 뭐 했지",
            "月曜日に",
            "月曜は",
            "周一做了什么",
            "星期一",
        ],
    );
    all_mean(
        "2026-03-13..2026-03-14",
        &["on Friday", "금요일", "金曜日", "周五", "星期五"],
    );
    all_mean("2026-03-18..2026-03-19", &["on Wednesday", "수요일에"]);
    all_mean(
        "2026-03-11..2026-03-12",
        &[
            "last Wednesday",
            "지난 수요일",
            "지난주 수요일",
            "先週の水曜日",
            "上周三",
        ],
    );
    all_mean("2026-03-16..2026-03-16T12:00", &["on Monday morning"]);
    all_mean(
        "2026-03-16..2026-03-18T15:30",
        &["since Monday", "since last Monday"],
    );
}

#[test]
fn dates_without_a_year_are_the_last_ones_that_began() {
    all_mean("2026-03-01..2026-04-01", &["in March", "3월에", "3月"]);
    all_mean("2025-04-01..2025-05-01", &["in April", "4월에", "4月に"]);
    all_mean(
        "2026-03-14..2026-03-15",
        &[
            "on 2026-03-14",
            "on March 14",
            "March 14, 2026",
            "3월 14일",
            "3月14日",
            "14.03.2026",
        ],
    );
    all_mean("2025-12-24..2025-12-25", &["on December 24"]);
    all_mean("2024-02-29..2024-03-01", &["on February 29"]);
    assert!(spans("on February 31").is_empty());
    all_mean("2025-05-01..2025-06-01", &["in May"]);
}

#[test]
fn dates_are_read_in_every_form() {
    all_mean(
        "2023-05-08..2023-05-09",
        &[
            "2023 May 8",
            "2023, May 8th",
            "8 May 2023",
            "2023-05-08에 뭐 했지",
            "2023-05-08に",
            "2023-05-08T10:00Z",
            "は2023-05-08に",
            "2023年5月8號",
            "2023年5月8号",
            "２０２３年５月８日",
            "在2023年5月8日",
        ],
    );
    all_mean(
        "2024-01-01..2024-02-01",
        &[
            "2024 January",
            "2024-01",
            "in 2024-01?",
            "2024-01에",
            "2024年1月",
        ],
    );
    all_mean("2026-02-03..2026-02-04", &["２月３日", "2月3日"]);
    all_mean(
        "2024-01-01..2025-01-01",
        &["2024年に", "在2024年", "in 2024"],
    );
    for (question, expected) in [
        (
            "May 8, 2023 and 2024-01-02",
            &["2023-05-08..2023-05-09", "2024-01-02..2024-01-03"][..],
        ),
        (
            "2024-01-02 and May 8, 2023",
            &["2024-01-02..2024-01-03", "2023-05-08..2023-05-09"],
        ),
        ("3월5", &["2026-03-01..2026-04-01"]),
        ("ticket 2024-05-0812", &[]),
        ("CVE-2024-0512", &[]),
        ("in March, with 2040 tests", &["2026-03-01..2026-04-01"]),
        ("port 8080 may be in use", &[]),
    ] {
        assert_eq!(spans(question), expected, "{question}");
    }
}

#[test]
fn times_are_joined_to_ranges() {
    all_mean(
        "2026-03-03..2026-03-08",
        &[
            "between March 3 and March 7",
            "from March 3 to March 7",
            "what did we do between the 3rd of March and the 7th of March?",
            "March 3 – March 7",
            "2026-03-03 to 2026-03-07",
            "2026-03-03~2026-03-07",
            "March 3 to 7",
            "March 3-7",
            "what broke from march 3rd to the 7th?",
            "between March 3 and 7, which tests failed?",
            "3-7 March",
            "what did we do between 3 and 7 March?",
            "from the 3rd to the 7th of March",
            "March 3 – 7, 2026",
            "3월 3일부터 3월 7일까지",
            "3월 3일부터 7일까지 뭐 했지?",
            "3월 3일~7일",
            "3月3日から7日まで",
            "从3月3日到7日",
            "3월 3일부터 3월 7일까지 뭐 했지?",
            "3월 3일에서 3월 7일 사이에",
            "3月3日から3月7日まで",
            "3月3日と3月7日の間に",
            "从3月3日到3月7日",
            "3月3日和3月7日之间",
        ],
    );
    all_mean(
        "2026-03-16..2026-03-19",
        &[
            "from Monday to Wednesday",
            "from Monday until today",
            "Monday through Wednesday",
            "월요일부터 수요일까지",
            "月曜日から水曜日まで",
            "从周一到周三",
        ],
    );
    all_mean(
        "2025-05-08..2025-06-04",
        &["between May 8 and June 3, 2025"],
    );
    all_mean(
        "2024-01-01..2026-01-01",
        &["from 2024 to 2025", "2024-2025"],
    );
    // What is still to come ends now.
    all_mean(
        "2026-03-16..2026-03-18T15:30",
        &["from Monday to Friday", "월요일부터 금요일까지"],
    );
    // No days of the same month.
    for question in [
        "March 3 to 7:30",
        "on March 3 and 7 files",
        "March 3 - 7.5 GB",
        "since version 3 March 3",
    ] {
        assert!(
            !spans(question).contains(&"2026-03-03..2026-03-08".to_owned()),
            "{question}"
        );
    }
    assert_eq!(
        spans("on March 3 and March 7"),
        ["2026-03-03..2026-03-04", "2026-03-07..2026-03-08"]
    );
}

#[test]
fn times_are_opened_to_now_or_from_the_beginning() {
    all_mean(
        "2026-03-01..2026-03-18T15:30",
        &[
            "what did we do since March?",
            "after March",
            "since the beginning? no, since March",
            "3월부터 뭐 했지?",
            "3월 이후로",
            "3月から",
            "3月以来",
            "自从3月",
        ],
    );
    all_mean(
        "2026-03-09..2026-03-18T15:30",
        &[
            "since last week",
            "지난주부터",
            "先週から何をした?",
            "上周以来",
        ],
    );
    all_mean(
        "0001-01-01..2026-03-06",
        &["until March 5", "by March 5", "3월 5일까지", "3月5日まで"],
    );
    all_mean(
        "0001-01-01..2026-03-05",
        &[
            "before March 5",
            "before the 5th of March",
            "3월 5일 이전",
            "3月5日以前",
            "3月5日之前",
        ],
    );
    all_mean("2026-03-05..2026-03-06", &["the week before March 5"]);
    let since = times("what did we do since March?");
    assert!(since.are_all_that_is_asked(&since.rest) && since.dates.is_empty());
    let both = times("3월 3일부터 3월 7일까지 무슨 일이 있었어?");
    assert!(both.are_all_that_is_asked(&both.rest), "{:?}", both.rest);
}

#[test]
fn other_words_name_no_time() {
    for question in [
        "the board on monday.com",
        "open https://monday.com/boards",
        "fn yesterday() -> Date",
        "what does today.rs do?",
        "the crate today-rs",
        "`last_week` is a column",
        "march on to the next step",
        "how do we march forward?",
        "may I merge this?",
        "it may fail",
        "the second attempt",
        "wait a second",
        "the last commit",
        "last-minute changes",
        "this weekly job",
        "every Monday at nine",
        "each Friday",
        "the release of next week",
        "until Friday",
        "is it due by Friday?",
        "Black Friday sales",
        "a week of work",
        "a few years ago",
        "several months ago",
        "retry for 3 days",
        "in two days",
        "two days before the release",
        "3 days late",
        "yesterdays",
        "다음 주에 할 일",
        "다음 주 월요일",
        "매주 월요일",
        "来週の予定",
        "来週の月曜日",
        "毎週月曜日",
        "下周一",
        "每周一",
        "3일짜리",
        "버전 3",
        "",
    ] {
        let found = spans(question);
        assert!(found.is_empty(), "{question}: {found:?}");
    }
}

#[test]
fn several_times_are_all_named() {
    assert_eq!(
        spans("did we talk yesterday or on Monday?"),
        ["2026-03-17..2026-03-18", "2026-03-16..2026-03-17"]
    );
    assert_eq!(spans(&"yesterday ".repeat(50)).len(), MAX_TIMES);
}

#[test]
fn a_question_may_ask_for_nothing_but_a_time() {
    let asks_for_all = |question: &str| {
        let times = times(question);
        times.are_all_that_is_asked(&times.rest)
    };
    for question in [
        "what did we do yesterday?",
        "What happened last week?",
        "what did we work on this morning",
        "what were we talking about on Monday?",
        "summarize yesterday",
        "yesterday",
        "what happened on 2026-03-14?",
        "what did we do in March?",
        "what did I ask you to do yesterday?",
        "어제 부탁한 게 뭐였지?",
        "어제 내가 뭘 시켰지?",
        "어제 요청한 내용은?",
        "昨日頼んだことは？",
        "昨日お願いしたことは何ですか？",
        "昨天我让你做什么？",
        "昨天我吩咐的是什么？",
        "어제 뭐 했지?",
        "지난주에 무슨 일이 있었어?",
        "어제는 무슨 작업을 했어?",
        "昨日は何をしましたか",
        "先週の作業をまとめて",
        "昨天我们做了什么？",
        "上周讨论了什么",
    ] {
        assert!(asks_for_all(question), "{question}");
    }
    for question in [
        "what did we do about the cache yesterday?",
        "yesterday's build",
        "what was ordered yesterday?",
        "昨日の依頼は？",
        "which port did we choose last week?",
        "어제 캐시 얘기",
        "지난주 배포는 어떻게 됐지?",
        "昨日のデプロイはどうなった?",
        "昨天的构建为什么失败？",
        "2026-03-14",
        "2025",
        "what did we do?",
        "",
    ] {
        assert!(!asks_for_all(question), "{question}");
    }
}

#[test]
fn the_calendar_agrees_with_the_dates_of_timestamps() {
    for day in -1_000_000i64..1_000_000 {
        if day % 997 != 0 {
            continue;
        }
        let at = Timestamp::from_millis_clamped(day * 86_400_000);
        let found = NamedTimes::of("today", at, &utc()).spans[0];
        assert_eq!(
            (found.from, found.until.millis()),
            (at, at.millis() + 86_400_000)
        );
        let month = NamedTimes::of("this month", at, &utc()).spans[0];
        let (first, last) = (month.from, month.until.millis() - 1);
        let (year, number, _) = at.ymd_utc();
        assert_eq!(first.date_utc(), format!("{year:04}-{number:02}-01"));
        let last = Timestamp::from_millis_clamped(last).ymd_utc();
        assert_eq!((last.0, last.1), (year, number));
    }
}

#[test]
fn days_are_those_of_the_zone() {
    // 00:30 of Thursday in Seoul, 11:30 of Wednesday in New York.
    let spans = |question: &str, zone: &str| -> Vec<String> {
        let zone = Zone::named(zone).unwrap();
        let times = NamedTimes::of(question, NOW.parse().unwrap(), &zone);
        let show = |span: &TimeSpan| {
            let text = format!("{}..{}", span.from, span.until);
            text.replace(":00.000Z", "")
        };
        times.spans.iter().map(show).collect()
    };
    for (question, seoul, new_york) in [
        (
            "yesterday",
            "2026-03-17T15:00..2026-03-18T15:00",
            "2026-03-17T04:00..2026-03-18T04:00",
        ),
        (
            "on Monday",
            "2026-03-15T15:00..2026-03-16T15:00",
            "2026-03-16T04:00..2026-03-17T04:00",
        ),
        (
            "this morning",
            "2026-03-18T15:00..2026-03-19T03:00",
            "2026-03-18T04:00..2026-03-18T16:00",
        ),
        // New York switched to daylight saving time on the 8th of March.
        (
            "on March 8",
            "2026-03-07T15:00..2026-03-08T15:00",
            "2026-03-08T05:00..2026-03-09T04:00",
        ),
        (
            "2025年",
            "2024-12-31T15:00..2025-12-31T15:00",
            "2025-01-01T05:00..2026-01-01T05:00",
        ),
        (
            "an hour ago",
            "2026-03-18T14:00..2026-03-18T15:00",
            "2026-03-18T14:00..2026-03-18T15:00",
        ),
    ] {
        assert_eq!(spans(question, "Asia/Seoul"), [seoul], "{question}");
        assert_eq!(
            spans(question, "America/New_York"),
            [new_york],
            "{question}"
        );
    }
}

#[test]
fn hostile_texts_are_read_without_harm() {
    for text in [
        "last ".repeat(5_000),
        "999 days ago ".repeat(2_000),
        "999년 전 ".repeat(2_000),
        "上".repeat(10_000),
        "지난 ".repeat(5_000),
        "İ어제ẞ yesterday\u{0130}".repeat(500),
        "a couple of a couple of ".repeat(1_000),
        "since 2024-01-02 to until 3월부터 between 5월 and ".repeat(1_000),
        format!("{} March", "the ".repeat(20_000)),
        "200 years ago, 999 months ago, 999 weeks ago".to_owned(),
    ] {
        let found = NamedTimes::of(&text, NOW.parse().unwrap(), &utc());
        assert!(found.spans.len() <= MAX_TIMES);
        assert!(found.spans.iter().all(|span| span.from <= span.until));
    }
    for now in [Timestamp::MIN, Timestamp::MAX] {
        let found = NamedTimes::of(
            "last year, yesterday, this week, in March, 999 years ago",
            now,
            &utc(),
        );
        assert!(found.spans.iter().all(|span| span.from <= span.until));
    }
}

#[test]
fn a_day_is_the_same_in_every_form_and_in_one_year() {
    let date = |text: &str| named_dates(&text.to_lowercase()).remove(0);
    for other in [
        "on 2026-04-20",
        "20.04.2026",
        "the 20th of April",
        "4월 20일",
        "4月20日",
    ] {
        assert!(date("April 20, 2026").is_same_day(&date(other)), "{other}");
    }
    for other in [
        "April 2026",
        "April 20, 2025",
        "April 21",
        "2026",
        "5월 20일",
    ] {
        assert!(!date("April 20, 2026").is_same_day(&date(other)), "{other}");
    }
}

#[test]
fn numbers_of_several_words_are_counted_whole() {
    all_mean(
        "2026-03-03..2026-03-04",
        &[
            "十五日前",
            "十五天前",
            "１５日前",
            "십오 일 전",
            "열다섯 일 전",
            "15日前",
        ],
    );
    all_mean(
        "2026-02-26..2026-02-27",
        &["二十天前", "twenty days ago", "20일 전"],
    );
    all_mean(
        "2026-02-25..2026-02-26",
        &["twenty-one days ago", "twenty one days ago", "二十一天前"],
    );
    all_mean("2026-03-08..2026-03-09", &["십일 전"]);
    all_mean(
        "2025-11-18..2025-11-19",
        &["百二十日前", "one hundred and twenty days ago"],
    );
    all_mean(
        "2026-03-18T03:00..2026-03-18T04:00",
        &["열두 시간 전", "twelve hours ago"],
    );
    all_mean("2025-09-01..2025-10-01", &["half a year ago"]);
    all_mean("2025-03-01..2025-04-01", &["十二个月前", "12か月前"]);
    for question in [
        "千二十日前",
        "two thousand three days ago",
        "1234日前",
        "중요한 시간 전에",
        "数十日前",
    ] {
        assert!(
            spans(question).is_empty(),
            "{question}: {:?}",
            spans(question)
        );
    }
}

#[test]
fn a_few_days_and_the_last_days_are_named_in_four_languages() {
    all_mean(
        "2026-03-13..2026-03-17",
        &["며칠 전", "数日前", "几天前", "a few days ago"],
    );
    all_mean(
        "2026-03-15..2026-03-19",
        &[
            "지난 3일",
            "최근 3일간",
            "過去3日間",
            "この三日間",
            "最近三天",
            "近三天",
            "the last 3 days",
        ],
    );
    all_mean(
        "2026-03-11..2026-03-19",
        &[
            "최근 일주일",
            "지난 일주일",
            "過去一週間",
            "过去一周",
            "最近一个星期",
            "the past week",
        ],
    );
    all_mean(
        "2026-03-13..2026-03-19",
        &["ここ数日", "前几天", "최근 며칠"],
    );
    for question in ["지난 3월호", "最近", "近视", "この年"] {
        let found = times(question);
        assert!(
            found.past.is_empty() && found.current.is_empty(),
            "{question}"
        );
    }
}

#[test]
fn a_month_takes_the_year_beside_it() {
    all_mean(
        "2025-05-01..2025-06-01",
        &[
            "May last year",
            "may of last year",
            "작년 5월",
            "去年5月",
            "去年五月",
            "去年の五月",
        ],
    );
    all_mean(
        "2025-05-03..2025-05-04",
        &["작년 5월 3일", "去年五月三日", "May 3 last year"],
    );
    all_mean("2025-12-03..2025-12-04", &["十二月三日"]);
}

#[test]
fn spaces_cost_no_time() {
    let question = format!("어제 {} 三天前", " ".repeat(200_000));
    assert_eq!(spans(&question).len(), 2);
}
