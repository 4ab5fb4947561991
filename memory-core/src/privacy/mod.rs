//! What must not be stored: private tags, secrets and personal data; and the type that
//! proves that a text was filtered.
//!
//! [`PrivacyFilter`] is the only way in: the store accepts content only as [`Clean`], and
//! only this module creates one. The rules themselves are pure public functions, so that
//! hosts can show what would be masked.

mod anonymize;
mod assignment;
mod beginnings;
mod commands;
mod context;
mod continued;
mod described;
mod event;
mod filter;
mod formats;
#[cfg(any(test, feature = "testing"))]
#[doc(hidden)]
pub mod hostile;
mod line;
mod names;
mod near_tags;
mod own_patterns;
mod places;
mod plain;
mod scanned;
mod secrets;
mod shape;
mod stats;
mod tables;
mod tags;
mod told;
mod tool_input;
mod words;

pub use anonymize::{Anonymized, EMAIL, PHONE, USER, anonymize};
pub(crate) use event::{CleanEvent, CleanTool};
pub use filter::{
    Clean, DEFAULT_EXCLUDE_PATTERNS, Filtered, INEXACT_TAG_WARNING, MANY_MATCHES_WARNING,
    MISSPELT_TAG_WARNING, PrivacyConfig, PrivacyFilter, TAG_IN_CODE_WARNING, TextLength,
    UNCLOSED_TAG_WARNING, UNWANTED_TAG_WARNING,
};
pub(crate) use filter::{head_of_clean, without_markers};
pub use names::MASKED_NAME_WARNING;
pub(crate) use names::{KeptName, NAME_SECRET, check_name, check_one_line};
pub use secrets::{SecretRules, mask_secrets};
pub use stats::PrivacyStats;
pub use tags::{Marker, TagFormat, TagsRemoved, remove_private_sections};
pub use tool_input::{MaskedInput, SecretKeys, mask_tool_input};
pub use words::{Masked, REDACTED, mask_word_patterns};
