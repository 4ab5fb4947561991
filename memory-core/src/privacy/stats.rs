//! What the privacy filter has done so far, over all events.

use std::collections::BTreeSet;

use crate::model::event::PrivacyReport;

/// Totals over many events: sections, bytes and sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PrivacyStats {
    /// The number of private sections that were removed.
    pub private_sections: u64,
    /// The number of secrets that were masked.
    pub secrets: u64,
    /// The number of pieces of personal data that were replaced.
    pub anonymized: u64,
    /// The number of UTF-8 bytes that the texts lost, summed per event. An event that grew,
    /// because markers are longer than what they replace, counts as 0.
    pub bytes_filtered: u64,
    /// The sessions with at least one private section.
    pub sessions_with_private: BTreeSet<String>,
}

impl PrivacyStats {
    /// Adds one event of a session.
    ///
    /// ```
    /// use recallite::privacy::{PrivacyFilter, PrivacyStats};
    /// let mut stats = PrivacyStats::default();
    /// let filtered = PrivacyFilter::default().text("a <private>long secret text</private> b");
    /// stats.record("session-1", &filtered.report);
    /// assert_eq!(stats.private_sections, 1);
    /// assert_eq!(stats.sessions_with_private.len(), 1);
    /// ```
    pub fn record(&mut self, session: &str, report: &PrivacyReport) {
        self.private_sections += u64::from(report.private_count);
        self.secrets += u64::from(report.secret_count);
        self.anonymized += u64::from(report.anonymized_count);
        self.bytes_filtered += report.original_bytes.saturating_sub(report.filtered_bytes);
        if report.private_count > 0 && !self.sessions_with_private.contains(session) {
            self.sessions_with_private.insert(session.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_count_once_and_growth_is_no_loss() {
        let mut stats = PrivacyStats::default();
        let report = PrivacyReport {
            private_count: 2,
            original_bytes: 30,
            filtered_bytes: 10,
            ..PrivacyReport::default()
        };
        stats.record("a", &report);
        stats.record("a", &report);
        stats.record(
            "b",
            &PrivacyReport {
                secret_count: 1,
                original_bytes: 3,
                filtered_bytes: 10,
                ..PrivacyReport::default()
            },
        );
        assert_eq!((stats.private_sections, stats.bytes_filtered), (4, 40));
        assert_eq!(stats.sessions_with_private.len(), 1);
    }
}
