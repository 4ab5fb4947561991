//! The library as a program uses it: everything here goes through the public interface, in one
//! process. What needs processes of its own, runs long or follows a format is beside this folder.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod bulk;
mod clock;
mod context;
mod endless;
mod erase;
mod erase_marker;
mod forget;
mod iterate;
mod learn;
mod learn_model;
mod learn_rules;
mod learn_shared;
mod learned_recall;
mod learned_vectors;
mod lifetime;
mod lists;
mod log;
mod logging;
mod moving;
mod never_said;
mod no_longer;
mod open;
mod own_words;
mod pauses;
mod privacy;
mod privacy_corpus;
mod search;
mod search_filters;
mod search_identifiers;
mod settings;
mod task_properties;
mod times;
mod vectors;
mod views;
