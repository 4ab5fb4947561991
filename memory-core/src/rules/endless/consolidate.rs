//! Turns the working set into lasting memories: when to do so, which events belong
//! together, and how to summarise them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::model::codec;
use crate::model::time::Timestamp;
use crate::rules::statements::{self, FindingKind, Speaker};
use crate::text::scripts::{is_han, is_hangul, is_kana};
use crate::text::show::on_one_line;
use crate::text::summary::ends_sentence;

/// When and how to consolidate.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ConsolidationPolicy {
    /// Consolidate when this much time has passed since the last time, in milliseconds.
    /// Default: 1 hour.
    pub trigger_interval_ms: i64,
    /// Consolidate when this many events wait for it. Default: 100.
    pub trigger_event_count: usize,
    /// Consolidate when nothing has happened for this long, in milliseconds. Default: 30
    /// minutes.
    pub trigger_idle_ms: i64,
    /// The minimum number of events on a topic; a topic with fewer waits for more. Default:
    /// 10.
    pub min_events: usize,
    /// The maximum length of a summary, in characters. Default: 1000.
    pub max_summary_chars: usize,
    /// Whether the working set waits for summaries that the host writes. If true, no process
    /// consolidates by rules unless [`consolidate`](crate::Endless::consolidate) is called
    /// without them. Default: false.
    pub is_left_to_host: bool,
}

impl Default for ConsolidationPolicy {
    fn default() -> Self {
        ConsolidationPolicy {
            trigger_interval_ms: 3_600_000,
            trigger_event_count: 100,
            trigger_idle_ms: 1_800_000,
            min_events: 10,
            max_summary_chars: 1000,
            is_left_to_host: false,
        }
    }
}

/// A memory made from events or from the summary of a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ConsolidatedMemory {
    /// The id of the memory.
    #[serde(deserialize_with = "codec::text")]
    pub memory_id: String,
    /// What happened, in words.
    pub summary: String,
    /// The topics it is about.
    #[serde(default)]
    pub topics: Vec<String>,
    /// The ids of the events it was made from, in order of time.
    #[serde(default)]
    pub source_events: Vec<String>,
    /// How certain it is, from 0 to 1.
    #[serde(deserialize_with = "codec::unit")]
    pub confidence: f64,
    /// Whether it continues an earlier memory of the same topic.
    #[serde(default)]
    pub is_continuation: bool,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last given to an agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accessed_at: Option<Timestamp>,
    /// How often it was given to an agent.
    #[serde(default)]
    pub access_count: u64,
}

/// The facts on which the decision to consolidate depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConsolidationTrigger {
    /// Time since the last consolidation, in milliseconds.
    pub since_last_ms: i64,
    /// The number of events in the working set that are not part of a memory.
    pub working_set_size: usize,
    /// Time since the last event, in milliseconds.
    pub idle_ms: i64,
}

impl ConsolidationTrigger {
    /// Returns true if any one of the three limits is reached.
    pub fn is_due(&self, policy: &ConsolidationPolicy) -> bool {
        self.since_last_ms >= policy.trigger_interval_ms
            || self.working_set_size >= policy.trigger_event_count
            || self.idle_ms >= policy.trigger_idle_ms
    }
}

/// Returns true if it is time to consolidate: any one of the three limits of the policy is
/// reached.
pub fn is_consolidation_due(trigger: &ConsolidationTrigger, policy: &ConsolidationPolicy) -> bool {
    trigger.is_due(policy)
}

/// An event as seen by consolidation.
#[derive(Clone, Debug, PartialEq)]
pub struct TopicEvent {
    /// The id of the event.
    pub event_id: String,
    /// When it happened.
    pub timestamp: Timestamp,
    /// The topics it is about, most significant first.
    pub topics: Vec<String>,
    /// Its text.
    pub content: String,
}

/// Who said an event themselves, and what of it was recalled from the store.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    pub(crate) speaker: Speaker,
    pub(crate) recalled: Vec<Range<usize>>,
}

/// A memory to be stored.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryDraft {
    /// What happened, in words.
    pub summary: String,
    /// The topics it is about.
    pub topics: Vec<String>,
    /// The ids of the events it was made from, in order of time.
    pub source_events: Vec<String>,
    /// How certain it is, from 0 to 1.
    pub confidence: f64,
    /// Whether the memory continues an earlier one on the same topic; it then contains the
    /// events since that one.
    pub is_continuation: bool,
}

/// What a run of consolidation would do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConsolidationPlan {
    /// The memories to store.
    pub memories: Vec<MemoryDraft>,
    /// The events that are now part of a memory. Those that are not recent leave the working set.
    pub prune: Vec<String>,
    /// The events that wait for more events on their topic.
    pub waiting: Vec<String>,
}

/// The maximum number of topics per event.
const MAX_TOPICS_PER_EVENT: usize = 5;
/// The topic of events without one.
const NO_TOPIC: &str = "general";

/// Groups events by topic and makes a memory of each group that is large enough.
///
/// Each event belongs to exactly one group: that of its most common topic. Events that are
/// already part of a memory (`consolidated`) are excluded individually, so that they never
/// hold back the others of their group. Groups that are too small wait; once their events
/// together are enough, they are combined as `general`. So no event waits forever while new
/// ones keep arriving.
///
/// A summary has up to 10 key points of one sentence each, out of the whole group.
pub fn plan(
    policy: &ConsolidationPolicy,
    events: &[TopicEvent],
    consolidated: &BTreeSet<String>,
    known_topics: &BTreeSet<String>,
) -> ConsolidationPlan {
    plan_knowing(policy, events, consolidated, known_topics, &BTreeMap::new())
}

/// Like [`plan`], where it is known of some events, by id, who said them: what they state comes
/// before other sentences.
pub(crate) fn plan_knowing(
    policy: &ConsolidationPolicy,
    events: &[TopicEvent],
    consolidated: &BTreeSet<String>,
    known_topics: &BTreeSet<String>,
    said: &BTreeMap<String, Said>,
) -> ConsolidationPlan {
    let mut seen = BTreeSet::new();
    let mut fresh: Vec<&TopicEvent> = events
        .iter()
        .filter(|event| !consolidated.contains(&event.event_id))
        .filter(|event| seen.insert(&event.event_id))
        .collect();
    fresh.sort_by(|a, b| (a.timestamp, &a.event_id).cmp(&(b.timestamp, &b.event_id)));
    let mut groups = group_by_topic(&fresh);
    let is_large = |group: &Vec<&TopicEvent>| group.len() >= policy.min_events.max(1);
    let mut rest: Vec<&TopicEvent> = Vec::new();
    groups.retain(|_, group| {
        let keep = is_large(group);
        if !keep {
            rest.append(group);
        }
        keep
    });
    if is_large(&rest) {
        rest.sort_by(|a, b| (a.timestamp, &a.event_id).cmp(&(b.timestamp, &b.event_id)));
        groups.insert(NO_TOPIC.to_owned(), std::mem::take(&mut rest));
    }
    let mut plan = ConsolidationPlan {
        waiting: rest.iter().map(|event| event.event_id.clone()).collect(),
        ..ConsolidationPlan::default()
    };
    let sources = groups.values().map(Vec::len).sum::<usize>();
    let reading = Reading {
        said,
        most_bytes: MAX_READ_BYTES / sources.max(1),
    };
    for (topic, group) in groups {
        let topics = topics_of(&topic, &group);
        let source_events: Vec<String> = group.iter().map(|e| e.event_id.clone()).collect();
        plan.prune.extend(source_events.iter().cloned());
        plan.memories.push(MemoryDraft {
            summary: summary_text(policy, &topics, &group, &reading),
            confidence: confidence(&group, topics.len()),
            is_continuation: known_topics.contains(&topic),
            topics,
            source_events,
        });
    }
    plan
}

fn group_by_topic<'a>(events: &[&'a TopicEvent]) -> BTreeMap<String, Vec<&'a TopicEvent>> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for event in events {
        for topic in event_topics(event) {
            *counts.entry(topic).or_default() += 1;
        }
    }
    let mut groups: BTreeMap<String, Vec<&TopicEvent>> = BTreeMap::new();
    for event in events {
        // The most shared topic; of equals, the one that the event names first.
        let mut best: Option<(String, usize)> = None;
        for topic in event_topics(event) {
            let count = counts.get(&topic).copied().unwrap_or(0);
            if best.as_ref().is_none_or(|(_, most)| count > *most) {
                best = Some((topic, count));
            }
        }
        let topic = best.map_or_else(|| NO_TOPIC.to_owned(), |(topic, _)| topic);
        groups.entry(topic).or_default().push(event);
    }
    groups
}

/// The distinct topics of an event, ignoring case.
fn event_topics(event: &TopicEvent) -> Vec<String> {
    let mut topics: Vec<String> = Vec::new();
    for topic in &event.topics {
        let topic = topic.trim().to_lowercase();
        if !topic.is_empty() && !topics.contains(&topic) {
            topics.push(topic);
        }
        if topics.len() == MAX_TOPICS_PER_EVENT {
            break;
        }
    }
    topics
}

/// The group's own topic, then the others by the number of events that share them.
fn topics_of(topic: &str, group: &[&TopicEvent]) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for event in group {
        for other in event_topics(event) {
            if other != topic {
                *counts.entry(other).or_default() += 1;
            }
        }
    }
    let mut others: Vec<(String, usize)> = counts.into_iter().collect();
    others.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    std::iter::once(topic.to_owned())
        .chain(others.into_iter().map(|(other, _)| other))
        .take(MAX_TOPICS_PER_EVENT)
        .collect()
}

/// The maximum number of key points of a summary.
const MAX_POINTS: usize = 10;

/// The summary: a line of at most 3 topics and the key points, as many as fit. With fewer than 5
/// events, only the key points.
fn summary_text(
    policy: &ConsolidationPolicy,
    topics: &[String],
    group: &[&TopicEvent],
    reading: &Reading<'_>,
) -> String {
    let points = key_points(group, reading);
    let labels = Labels::of(&points);
    let mut heading = String::new();
    let named: Vec<&str> = topics
        .iter()
        .map(String::as_str)
        .filter(|topic| *topic != NO_TOPIC)
        .take(3)
        .collect();
    if group.len() >= 5 && !named.is_empty() {
        heading.push_str(&format!("{}: {}\n\n", labels.topics, named.join(", ")));
    }
    heading.push_str(&format!("{}:", labels.points));
    let mut text = String::new();
    for most in (1..=MAX_POINTS).rev() {
        text.clone_from(&heading);
        for point in selected(&points, most) {
            text.push_str("\n- ");
            text.push_str(&point.text);
        }
        if text.chars().count() <= policy.max_summary_chars {
            return text;
        }
    }
    first_chars(&text, policy.max_summary_chars).to_owned()
}

/// How the parts of a summary are called in the language of its key points.
struct Labels {
    topics: &'static str,
    points: &'static str,
}

impl Labels {
    /// Those of the language that most of the points are in, by their script.
    fn of(points: &[Point]) -> Self {
        let mut counts = [0; 4];
        for point in points {
            let text = &point.text;
            let language = if text.contains(is_hangul) {
                1
            } else if text.contains(is_kana) {
                2
            } else {
                3 * usize::from(text.contains(is_han))
            };
            counts[language] += 1;
        }
        // Of equals, the last one is returned: English.
        let most = (0..4).rev().max_by_key(|language| counts[*language]);
        let (topics, points) = match most {
            Some(1) => ("주제", "요점"),
            Some(2) => ("トピック", "要点"),
            Some(3) => ("主题", "要点"),
            _ => ("Topics", "Key points"),
        };
        Labels { topics, points }
    }
}

/// How much a sentence says that matters later, most first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    Decision,
    /// A preference, a constraint or a fact.
    Rule,
    /// What is to be done, waits or is done.
    Work,
    /// Anything else that was said.
    Said,
    /// What a tool or the host wrote.
    Rest,
}

impl Weight {
    const ALL: [Weight; 5] = [
        Weight::Decision,
        Weight::Rule,
        Weight::Work,
        Weight::Said,
        Weight::Rest,
    ];

    fn of(kind: FindingKind) -> Self {
        match kind {
            FindingKind::Decision => Weight::Decision,
            FindingKind::Preference | FindingKind::Constraint | FindingKind::Fact => Weight::Rule,
            FindingKind::Task
            | FindingKind::Blocker
            | FindingKind::Resolution
            | FindingKind::Done
            | FindingKind::GivenUp => Weight::Work,
        }
    }
}

/// A sentence for a summary.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Point {
    weight: Weight,
    text: String,
}

/// How much of what is consolidated at once is read for what it states: the append that is due for it
/// waits, and those of other processes. It takes about 10 µs a byte.
const MAX_READ_BYTES: usize = 32_768;

/// What is read for what it states.
struct Reading<'s> {
    /// Who said the events, by id.
    said: &'s BTreeMap<String, Said>,
    /// How much of each event is read, from its beginning.
    most_bytes: usize,
}

/// The distinct sentences of a group that may stand in its summary, in order of time: what each event
/// states, or else its first long sentence.
fn key_points(group: &[&TopicEvent], reading: &Reading<'_>) -> Vec<Point> {
    let mut seen = BTreeSet::new();
    let mut points = Vec::new();
    for event in group {
        let content = event.content.as_str();
        let by = reading.said.get(&event.event_id);
        let beginning = &content[..content.floor_char_boundary(reading.most_bytes)];
        let mut found = by.map_or_else(Vec::new, |by| {
            statements::find(beginning, by.speaker, &by.recalled)
        });
        // A sentence that was cut may say something else.
        found.retain(|finding| finding.span.end < beginning.len() || beginning == content);
        let mut of_event: Vec<Point> = found
            .into_iter()
            .map(|finding| Point {
                weight: Weight::of(finding.kind),
                text: shortened(&content[finding.span]),
            })
            .collect();
        if of_event.is_empty()
            && let Some(sentence) = first_long_sentence(content)
        {
            of_event.push(Point {
                weight: by.map_or(Weight::Rest, |_| Weight::Said),
                text: shortened(sentence),
            });
        }
        points.extend(
            of_event
                .into_iter()
                .filter(|point| seen.insert(point.text.clone())),
        );
    }
    points
}

/// The points that matter most, in order of time. Of those that matter equally but do not all fit,
/// some from the beginning to the end.
fn selected(points: &[Point], most: usize) -> Vec<&Point> {
    let mut places = BTreeSet::new();
    for weight in Weight::ALL {
        let of_weight: Vec<usize> = (0..points.len())
            .filter(|place| points[*place].weight == weight)
            .collect();
        let left = most - places.len();
        match (of_weight.len() <= left, left) {
            (true, _) => places.extend(of_weight),
            (false, 0) => break,
            (false, 1) => places.extend(of_weight.last()),
            (false, _) => {
                let last = of_weight.len() - 1;
                places.extend((0..left).map(|n| of_weight[n * last / (left - 1)]));
            }
        }
    }
    places.into_iter().map(|place| &points[place]).collect()
}

/// The first sentence with more than 10 characters.
fn first_long_sentence(content: &str) -> Option<&str> {
    let mut start = 0;
    let mut chars = content.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        if c == '\n' || ends_sentence(c, next) {
            let sentence = content[start..at].trim();
            if sentence.chars().count() > 10 {
                return Some(sentence);
            }
            start = at + c.len_utf8();
        }
    }
    let sentence = content[start..].trim();
    (sentence.chars().count() > 10).then_some(sentence)
}

/// A sentence on one line, cut at 100 characters.
fn shortened(sentence: &str) -> String {
    let line = on_one_line(sentence);
    let cut = first_chars(&line, 100);
    match cut.len() < line.len() {
        true => format!("{cut}..."),
        false => line,
    }
}

fn first_chars(text: &str, limit: usize) -> &str {
    text.char_indices()
        .nth(limit)
        .map_or(text, |(end, _)| &text[..end])
}

/// 0.4 · min(events/10, 1) + 0.4 · proximity in time + 0.2 · min(3/topics, 1). Proximity is 1
/// for a single event and 0 if the average gap is a day.
#[expect(clippy::cast_precision_loss, reason = "counts and gaps are small")]
fn confidence(group: &[&TopicEvent], topic_count: usize) -> f64 {
    let size = (group.len() as f64 / 10.0).min(1.0);
    let proximity = match (group.first(), group.last()) {
        (Some(first), Some(last)) if group.len() > 1 => {
            let span = last.timestamp.millis() - first.timestamp.millis();
            let gap = span as f64 / (group.len() - 1) as f64;
            (1.0 - gap / 86_400_000.0).max(0.0)
        }
        _ => 1.0,
    };
    let focus = (3.0 / topic_count.max(1) as f64).min(1.0);
    0.4 * size + 0.4 * proximity + 0.2 * focus
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(number: i64, topics: &[&str], content: &str) -> TopicEvent {
        TopicEvent {
            event_id: format!("e{number:03}"),
            timestamp: Timestamp::from_millis(number * 60_000).expect("in range"),
            topics: topics.iter().map(|&t| t.to_owned()).collect(),
            content: content.to_owned(),
        }
    }

    fn run(events: &[TopicEvent], consolidated: &BTreeSet<String>) -> ConsolidationPlan {
        plan(
            &ConsolidationPolicy::default(),
            events,
            consolidated,
            &BTreeSet::new(),
        )
    }

    #[test]
    fn one_consolidated_event_does_not_hold_back_its_group() {
        let mut events: Vec<TopicEvent> = (0..10)
            .map(|n| event(n, &["스키마"], "스키마를 이렇게 바꾸기로 했습니다."))
            .collect();
        let first = run(&events, &BTreeSet::new());
        assert_eq!(first.memories.len(), 1);
        assert_eq!(first.prune.len(), 10);
        let done: BTreeSet<String> = first.prune.into_iter().collect();
        events.extend((10..21).map(|n| event(n, &["스키마"], "다음 이야기가 이어집니다.")));
        let second = run(&events, &done);
        assert_eq!(second.memories[0].source_events.len(), 11);
        assert!(
            second.memories[0]
                .source_events
                .iter()
                .all(|id| !done.contains(id))
        );
    }

    #[test]
    fn small_groups_wait_and_are_taken_together_at_last() {
        let waiting: Vec<TopicEvent> = (0..9)
            .map(|n| {
                event(
                    n,
                    &[["a", "b", "c"][usize::try_from(n).expect("small") % 3]],
                    "x",
                )
            })
            .collect();
        let plan_one = run(&waiting, &BTreeSet::new());
        assert!(plan_one.memories.is_empty() && plan_one.prune.is_empty());
        assert_eq!(plan_one.waiting.len(), 9);
        let mut more = waiting;
        more.push(event(9, &[], "y"));
        let plan_two = run(&more, &BTreeSet::new());
        assert_eq!(plan_two.memories[0].topics[0], "general");
        assert_eq!(plan_two.prune.len(), 10);
    }

    /// The key points of the summary of what a person said.
    fn points_of(events: &[TopicEvent]) -> Vec<String> {
        let by_user = Said {
            speaker: Speaker::User,
            recalled: Vec::new(),
        };
        let said = events
            .iter()
            .filter(|event| !event.content.starts_with("Command: "))
            .map(|event| (event.event_id.clone(), by_user.clone()))
            .collect();
        let (policy, none) = (ConsolidationPolicy::default(), BTreeSet::new());
        let plan = plan_knowing(&policy, events, &none, &none, &said);
        assert_eq!(plan.memories.len(), 1, "{plan:?}");
        let summary = plan.memories[0].summary.lines();
        summary
            .filter_map(|line| line.strip_prefix("- ").map(str::to_owned))
            .collect()
    }

    #[test]
    fn what_is_read_is_shared_by_all_that_is_consolidated_at_once() {
        let long = format!(
            "{}Let's use Stripe for payments.",
            "It was a long day here. ".repeat(24)
        );
        let summaries = |topics: &[&'static str]| {
            let events: Vec<TopicEvent> = topics
                .iter()
                .enumerate()
                .flat_map(|(at, topic)| (0..40).map(move |n| (at as i64 * 40 + n, *topic)))
                .map(|(n, topic)| event(n, &[topic], &long))
                .collect();
            let by_user = Said {
                speaker: Speaker::User,
                recalled: Vec::new(),
            };
            let said = events
                .iter()
                .map(|one| (one.event_id.clone(), by_user.clone()));
            let (policy, none) = (ConsolidationPolicy::default(), BTreeSet::new());
            let plan = plan_knowing(&policy, &events, &none, &none, &said.collect());
            let summaries = plan.memories.into_iter().map(|memory| memory.summary);
            summaries.filter(|text| text.contains("Stripe")).count()
        };
        assert_eq!(summaries(&["cart"]), 1);
        assert_eq!(summaries(&["cart", "shop"]), 0);
    }

    #[test]
    fn a_summary_is_of_the_whole_group_and_of_its_decisions_first() {
        let mut events: Vec<TopicEvent> = (0..100)
            .map(|n| {
                event(
                    n,
                    &["cart"],
                    &format!("Ok. I found it in src/cart/h{n}.rs. Look."),
                )
            })
            .collect();
        for n in (0..100).step_by(2) {
            events[n].content = format!("Command: cargo test cart::h{n} and all the others");
        }
        events[57].content =
            "Hi, we're starting the billing service today. Let's use Stripe for payments.".into();
        events[93].content = "We decided to keep the invoices in Postgres.".into();
        let points = points_of(&events);
        assert_eq!(points.len(), 10);
        assert_eq!(points[0], "I found it in src/cart/h1.rs");
        assert_eq!(points[9], "I found it in src/cart/h99.rs");
        let place = |text: &str| points.iter().position(|point| point == text);
        let (stripe, postgres) = (
            place("Let's use Stripe for payments."),
            place("We decided to keep the invoices in Postgres."),
        );
        assert!(stripe.is_some() && stripe < postgres, "{points:?}");
        assert!(
            points.iter().all(|point| !point.starts_with("Command")),
            "{points:?}"
        );
    }

    #[test]
    fn a_summary_drops_points_rather_than_their_ends() {
        let events: Vec<TopicEvent> = (0..10)
            .map(|n| event(n, &["cart"], &format!("{n} {}", "x".repeat(200))))
            .collect();
        let points = points_of(&events);
        assert_eq!(points.len(), 9);
        assert!(points.iter().all(|point| point.len() == 103), "{points:?}");
        assert!(points[0].starts_with('0') && points[8].starts_with('9'));
    }

    #[test]
    fn a_summary_is_labelled_in_its_language_and_no_topic_is_no_topic() {
        for (sentence, topics, points) in [
            ("We look at the number {}.", "Topics: db", "Key points:"),
            ("{}번 청구서를 확인했습니다.", "주제: db", "요점:"),
            ("{}番の請求書を確認しました。", "トピック: db", "要点:"),
            ("我们检查了第 {} 张新发票。", "主题: db", "要点:"),
        ] {
            let events = |topics: &[&str]| -> Vec<TopicEvent> {
                (0..10)
                    .map(|n| event(n, topics, &sentence.replace("{}", &n.to_string())))
                    .collect()
            };
            let summary = |topics| {
                let plan = run(&events(topics), &BTreeSet::new());
                plan.memories[0].summary.clone()
            };
            let text = summary(&["db"]);
            assert!(
                text.starts_with(&format!("{topics}\n\n{points}\n- ")),
                "{text}"
            );
            let text = summary(&[]);
            assert!(text.starts_with(&format!("{points}\n- ")), "{text}");
        }
    }

    #[test]
    fn the_summary_lists_topics_and_the_first_long_sentences() {
        let long = "가".repeat(150);
        let mut events: Vec<TopicEvent> = (0..10)
            .map(|n| event(n, &["DB", "api"], "Yes. We keep the write-ahead log."))
            .collect();
        events[3].content = long;
        let plan = run(&events, &BTreeSet::new());
        let memory = &plan.memories[0];
        assert!(
            memory
                .summary
                .starts_with("Topics: db, api\n\nKey points:\n- We keep the")
        );
        assert!(
            memory
                .summary
                .contains(&format!("\n- {}...", "가".repeat(100)))
        );
        assert_eq!(memory.summary.matches("write-ahead").count(), 1);
        assert!((memory.confidence - (0.4 + 0.4 * (1.0 - 1.0 / 1440.0) + 0.2)).abs() < 1e-9);
    }
}
