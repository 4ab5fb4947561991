//! Measures recallite: how well it finds (quality) and how fast it is (speed).
//!
//! ```text
//! recallite-benches quality --corpus FILE --out RUN.jsonl [--merged] [EMBEDDER]
//! recallite-benches transcripts --folder DIR --questions FILE --out RUN.jsonl [EMBEDDER]
//! recallite-benches append [--events 100000] [--single 2000]
//! recallite-benches recall [--events 100000]
//! ```

mod append;
mod arguments;
mod chats;
mod embedder;
mod recall;
mod score;
mod text;
mod transcripts;

use std::process::ExitCode;

use arguments::Arguments;

/// What goes wrong in a bench is told and ends it.
pub(crate) type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const USAGE: &str = "\
usage: recallite-benches COMMAND [OPTIONS]

  quality      --corpus FILE --out RUN.jsonl [--merged]
               a corpus of conversations in the LoCoMo format; one store per
               conversation, or one for all with --merged
  transcripts  --folder DIR --questions FILE --out RUN.jsonl
               questions about Claude Code transcripts
  append       [--events 100000] [--single 2000]
               appending, beside the storage engine alone
  recall       [--events 100000]
               recall, warm and as a hook, beside SQLite FTS5 and the floor

  Both take --embedder static (the default: nothing to load) or
  --embedder fastembed --model DIR (built with --features fastembed; the shared
  library of ONNX Runtime is named by ORT_DYLIB_PATH)
";

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(command) = arguments.next() else {
        eprint!("{USAGE}");
        return ExitCode::FAILURE;
    };
    let result = Arguments::parse(arguments).and_then(|arguments| match command.as_str() {
        "quality" => chats::run(&arguments),
        "transcripts" => transcripts::run(&arguments),
        "append" => append::run(&arguments),
        "recall" => recall::run(&arguments),
        // What `recall` starts as new processes.
        "hook" => recall::hook(&arguments),
        "floor" => recall::floor(&arguments),
        _ => Err(format!("unknown command {command:?}\n\n{USAGE}").into()),
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
