//! The settings in force, and where each comes from.

use crate::model::json::Json;
use crate::model::read::words;

words! {
    /// Where the value of a setting comes from.
    #[derive(Default)]
    SettingSource ("source") {
        /// The library's default.
        #[default]
        Default = "default",
        /// The store; it applies to every process that opens it.
        Store = "store",
        /// The settings file.
        File = "file",
        /// The call that opened the memory: its `settings`, or an option that takes
        /// precedence over the key.
        Call = "call",
    }
}

/// A setting that is in force.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EffectiveSetting {
    /// Its key in the settings file, for example `retrieval.topK`.
    pub key: String,
    /// Its value; null if the library has no such value of its own.
    pub value: Json,
    /// Where the value comes from.
    pub source: SettingSource,
}
