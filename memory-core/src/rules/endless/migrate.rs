//! Plans the switch between the modes. Nothing is lost either way.

use crate::model::time::Timestamp;
use crate::rules::endless::MemoryMode;
use crate::rules::endless::consolidate::MemoryDraft;

/// How many days of events are moved into the working set.
pub const MIGRATED_DAYS: i64 = 7;
/// The confidence of a memory made from the summary of a session.
pub const SUMMARY_CONFIDENCE: f64 = 0.6;

/// One step of a migration, to be carried out in the given order.
#[derive(Clone, Debug, PartialEq)]
pub enum MigrationStep {
    /// Add these events to the working set, oldest first.
    AddToWorkingSet(Vec<String>),
    /// Store this memory.
    StoreMemory(MemoryDraft),
    /// Consolidate once, whether or not it is due.
    Consolidate,
    /// Set the mode.
    SetMode(MemoryMode),
}

/// Returns the steps from sessions to the endless mode: move the events of the last 7 days
/// into the working set, make a memory without source events from each session's summary,
/// consolidate once, and set the mode.
///
/// `events` are ids with their times; `summaries` are session summaries, of which blank
/// ones are ignored.
pub(crate) fn to_endless(
    events: &[(String, Timestamp)],
    summaries: &[String],
    now: Timestamp,
) -> Vec<MigrationStep> {
    let since = now.millis().saturating_sub(MIGRATED_DAYS * 86_400_000);
    let mut recent: Vec<&(String, Timestamp)> = events
        .iter()
        .filter(|(_, at)| at.millis() >= since && *at <= now)
        .collect();
    recent.sort_by_key(|(_, at)| *at);
    let mut steps = vec![MigrationStep::AddToWorkingSet(
        recent.into_iter().map(|(id, _)| id.clone()).collect(),
    )];
    steps.extend(
        summaries
            .iter()
            .filter(|summary| !summary.trim().is_empty())
            .map(|summary| {
                MigrationStep::StoreMemory(MemoryDraft {
                    summary: summary.clone(),
                    topics: Vec::new(),
                    source_events: Vec::new(),
                    confidence: SUMMARY_CONFIDENCE,
                    is_continuation: false,
                })
            }),
    );
    steps.push(MigrationStep::Consolidate);
    steps.push(MigrationStep::SetMode(MemoryMode::Endless));
    steps
}

/// Returns the steps back to sessions: only the mode changes, and all data stays.
pub(crate) fn to_session() -> Vec<MigrationStep> {
    vec![MigrationStep::SetMode(MemoryMode::Session)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_there_keeps_a_week_and_every_summary_and_the_way_back_keeps_all() {
        let now: Timestamp = "2026-01-30".parse().expect("a date");
        let at = |text: &str| text.parse::<Timestamp>().expect("a date");
        let events = [
            ("b".to_owned(), at("2026-01-29")),
            ("a".to_owned(), at("2026-01-23")),
            ("old".to_owned(), at("2026-01-22")),
        ];
        let steps = to_endless(&events, &["요약".into(), " ".into()], now);
        assert_eq!(
            steps[0],
            MigrationStep::AddToWorkingSet(vec!["a".into(), "b".into()])
        );
        assert!(matches!(
            &steps[1],
            MigrationStep::StoreMemory(memory)
                if memory.source_events.is_empty() && (memory.confidence - 0.6).abs() < 1e-9
        ));
        assert_eq!(
            steps[2..],
            [
                MigrationStep::Consolidate,
                MigrationStep::SetMode(MemoryMode::Endless)
            ]
        );
        assert_eq!(to_session(), [MigrationStep::SetMode(MemoryMode::Session)]);
    }
}
