//! Measures recallite: how well it finds (quality) and how fast it is (speed). `--help` lists the
//! commands, and `COMMAND --help` the options of one.

mod ablation;
mod acceptance;
mod align;
mod append;
mod arguments;
mod baselines;
mod calibration;
mod chats;
mod commands;
mod corpus;
mod crates;
mod embedder;
mod features;
mod growth;
mod hosts;
mod kept_vectors;
mod learn;
mod peers;
mod processor;
mod read;
mod recall;
mod score;
mod share;
mod sizes;
mod statistics;
mod text;
mod transcripts;
mod vectors;

use std::process::ExitCode;

/// An error in a bench is printed and ends it.
pub(crate) type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    match commands::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
