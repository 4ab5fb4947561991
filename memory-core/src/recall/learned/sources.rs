//! Resolves insights and consolidated memories: they are made of whole events and belong
//! where those do.

use crate::model::error::Result;
use crate::model::learned::{LearnedHit, LearnedKind, LearnedState};
use crate::model::time::Timestamp;
use crate::projection::levels::InsightRow;
use crate::projection::rows;
use crate::recall::learned::finder::Finder;
use crate::recall::learned::found::{Evidence, Found, blank};
use crate::rules::endless::ConsolidatedMemory;
use crate::rules::entries::EntryType;
use crate::rules::levels::InsightKind;
use crate::text::summary::summary;

impl Finder<'_> {
    pub(super) fn insight(&self, key: &str, coverage: f32) -> Result<Option<Found>> {
        let Some(row) = rows::get::<InsightRow>(self.rows, key.as_bytes())? else {
            return Ok(None);
        };
        let insight = row.insight;
        let entry_type = match insight.kind {
            InsightKind::Pattern => EntryType::Pattern,
            InsightKind::Preference => EntryType::Preference,
        };
        let hit = LearnedHit {
            entry_type: Some(entry_type),
            confidence: Some(insight.confidence),
            ..blank(
                LearnedKind::Insight,
                key,
                insight.content,
                LearnedState::InForce,
            )
        };
        let share = self.share_of(LearnedKind::Insight, Some(entry_type));
        let relevance = coverage * insight.confidence as f32 * share;
        self.of_sources(hit, relevance, row.at, insight.sources)
    }

    pub(super) fn memory(&self, id: &str, coverage: f32) -> Result<Option<Found>> {
        let Some(memory) = rows::get::<ConsolidatedMemory>(self.rows, id.as_bytes())? else {
            return Ok(None);
        };
        let text = memory.summary;
        let hit = LearnedHit {
            text: text.clone(),
            confidence: Some(memory.confidence),
            ..blank(
                LearnedKind::Memory,
                id,
                summary(&text),
                LearnedState::InForce,
            )
        };
        let share = self.share_of(LearnedKind::Memory, None);
        let relevance = coverage * memory.confidence as f32 * share;
        self.of_sources(hit, relevance, memory.created_at, memory.source_events)
    }

    fn of_sources(
        &self,
        hit: LearnedHit,
        relevance: f32,
        timestamp: Timestamp,
        sources: Vec<String>,
    ) -> Result<Option<Found>> {
        let wanted = &self.query.entry_types;
        let is_wanted =
            wanted.is_empty() || hit.entry_type.is_none_or(|kind| wanted.contains(&kind));
        let is_known = self.query.as_of.is_none_or(|as_of| timestamp <= as_of);
        if !is_wanted || !is_known || !self.is_in_time(timestamp) {
            return Ok(None);
        }
        Ok(Some(Found {
            evidence: Evidence::of_events(sources),
            rank: relevance,
            hit: LearnedHit {
                relevance,
                timestamp,
                ..hit
            },
        }))
    }
}
