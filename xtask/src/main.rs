//! The project's own commands, run as `cargo xtask <command>`.

mod c;
mod checks;
mod clients;
mod dependencies;
mod first_lines;
mod fuzz;
mod header;
mod hosts;
mod install;
mod interface;
mod layers;
mod measure;
mod model;
mod parity;
mod release;
mod reliability;
mod report;
mod shell;
mod test;
mod tools;
mod viewer;

use std::process::ExitCode;

use shell::Outcome;

const USAGE: &str = "\
usage: cargo xtask <command>

  test [--only STEP]...   build, install and test everything (core, model, c,
    [--may-skip STEP]...  node, python, story, cli, clients, hosts, view,
                          checks); installs missing tools; fails when a step
                          cannot run here that may not be skipped
  ci                      format, clippy and documentation, then test
  reliability             print the reliability figures: crash images, a failing
    [--release]           disk, processes killed, stopped and starved at every
    [--rounds 200]        file operation (installs strace), kill -9, limits,
    [--operations         damaged bytes, a model; takes hours without --cases,
           2000000]       which takes N cases of each harm of each operation
    [--cases N]           of sharing, --histories N in one process and
    [--histories 10000]   --machine-histories N over folders and servers, each
    [--machine-histories  from a seed of its own that is printed;
           200]           --damages N of a store's file;
    [--damages 20000]     --only runs the figures whose titles contain these
    [--only WORDS]...     words, such as share
  fuzz [--runs 100000]    every fuzz target, or the named ones, for so many
       [--seconds N]      executions or seconds each, whichever is first; installs
       [TARGET]...        cargo-fuzz when it is missing
  interface [--check]     make the mirrors of the core's interface in every
            [--measure]   language, or compare them; or count what is by hand
  header [--check]        make include/recallite.h, or compare it
  parity [--check]        make docs/parity.md, or compare it
  release --notes         print what the changelog says of this version
  release --check [V]     compare the versions of all packages, and with a tag's
  install --prefix DIR    install the C and C++ library: headers, both
          [--profile P]   libraries, pkg-config and CMake files
          [--features F]  (profile: release, the default, or dev; features:
                          fastembed for models through ONNX Runtime)
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Outcome {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["interface"] => interface::write(),
        ["interface", "--check"] => checks::check().and_then(|()| interface::check()),
        ["interface", "--measure"] => measure::print(),
        ["header"] => header::write(),
        ["header", "--check"] => header::check(),
        ["parity"] => parity::write(),
        ["parity", "--check"] => parity::check(),
        ["release", "--check"] => release::check(None),
        ["release", "--notes"] => release::notes(),
        ["release", "--check", tag] => release::check(Some(tag)),
        ["install", rest @ ..] => install::command(rest),
        ["test", rest @ ..] => test::command(rest),
        ["reliability", rest @ ..] => reliability::command(rest),
        ["fuzz", rest @ ..] => fuzz::command(rest),
        ["ci"] => test::ci(),
        _ => Err(USAGE.into()),
    }
}
