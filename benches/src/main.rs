//! Measures recallite: how well it finds (quality) and how fast it is (speed).
//!
//! ```text
//! recallite-benches quality --corpus FILE --out RUN.jsonl [--merged] [--baselines] [--ablation] [EMBEDDER]
//! recallite-benches corpus --corpus FILE.json[.gz] [--out RUN.jsonl] [--baselines]
//!     [--ablation] [--features OUT.jsonl] [EMBEDDER]
//! recallite-benches transcripts --folder DIR --questions FILE --out RUN.jsonl [--ablation]
//!     [--features OUT.jsonl] [EMBEDDER]
//! recallite-benches acceptance [--events 100000] [--folder DIR]
//!     [--transcripts DIR [--questions FILE]] [--corpus FILE.json[.gz]]
//! recallite-benches append [--events 100000] [--single 2000] [--bytes 600]
//! recallite-benches hosts --program FILE [--events 100000] [--rounds 200] [--folder DIR]
//! recallite-benches read [--events 20000] [--reads 20000] [--bytes 600]
//! recallite-benches peers [--events 10000,100000] [--python FILE] [--csv FILE] [--rounds 40] [--single 300]
//! recallite-benches recall [--events 100000] [--folder DIR]
//! recallite-benches growth [--sizes 2000,20000] [--folder DIR] [--only WORD] [--rounds N]
//! recallite-benches share [--events 20000] [--bytes 600] [--late 50]
//! recallite-benches crates [--rounds 5]
//! recallite-benches align [--characters 10000] [--quotes 3]
//! recallite-benches vectors [--count 100000] [--dimensions 384] [--corpus FILE] [EMBEDDER]
//!     [--nearest 10] [--only SET] [--links 24] [--build-candidates 200] [--candidates 192,400]
//! ```

mod ablation;
mod acceptance;
mod align;
mod append;
mod arguments;
mod baselines;
mod calibration;
mod chats;
mod corpus;
mod crates;
mod embedder;
mod features;
mod growth;
mod hosts;
mod kept_vectors;
mod peers;
mod processor;
mod read;
mod recall;
mod score;
mod share;
mod statistics;
mod text;
mod transcripts;
mod vectors;

use std::process::ExitCode;

use arguments::Arguments;

/// An error in a bench is printed and ends it.
pub(crate) type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const USAGE: &str = "\
usage: recallite-benches COMMAND [OPTIONS]

  quality      --corpus FILE --out RUN.jsonl [--merged [--distractors N]] [--baselines]
               [--ablation]
               a corpus of conversations in the LoCoMo format; one store per
               conversation, or one for all with --merged, among N synthetic
               events; --baselines adds BM25, the embedder alone and their
               fusion over the same texts; --ablation adds the recipe with each
               part switched off, and each retriever alone
  corpus       --corpus FILE.json[.gz] [--out RUN.jsonl] [--baselines]
               [--ablation] [--features OUT.jsonl]
               questions about chats, sessions or documents of any kind, one
               store per conversation: how well it finds, how far relevance can
               be trusted, with --baselines the gain over two BM25s, and with
               --ablation what each part of the recipe gains, and what levels gain
               once half of the questions were asked; each with its 95 % interval
               by bootstrap
  transcripts  --folder DIR --questions FILE --out RUN.jsonl [--ablation]
               [--features OUT.jsonl]
               questions about Claude Code transcripts
  acceptance   [--events 100000] [--folder DIR] [--transcripts DIR [--questions FILE]]
               [--corpus FILE.json[.gz]]
               the figures by which the reference system was to be accepted, each
               beside its goal: times in a large store; over transcripts, what
               disclosure saves, when it expands and how rightly; how much of what
               is given to replayed conversations is used again
  append       [--events 100000] [--single 10000] [--bytes 600]
               appending, beside the storage engine alone; single appends up to the
               worst, with nothing else, with `maintain` and with `process_outbox` in
               between
  hosts        --program FILE [--events 100000] [--rounds 200] [--folder DIR]
               what a coding agent waits for: each hook of the command recallite
               (FILE) and its MCP server, beside the floor; the hooks again on a store
               that another process holds, and on a damaged one, beside their deadline
  read         [--events 20000] [--reads 20000] [--bytes 600]
               reading events, owned and in place, beside the storage engine alone
  peers        [--events 10000,100000] [--python FILE] [--csv FILE] [--rounds 40]
               [--single 300]
               beside redb alone, SQLite FTS5 with a log table and, built with --features
               peers, tantivy: appending, recall, bytes on disk; as whole processes, with
               --python a Python that has what benches/peers/requirements.txt names, beside
               SQLite with sqlite-vec and LanceDB. --csv keeps the values for
               benches/peers/plot.py
  recall       [--events 100000] [--folder DIR]
               recall, warm and as a hook, beside SQLite FTS5 and the floor;
               with --folder the stores are kept and used again
  questions    --store DIR [--count 200] [--skip 0]
               new questions of `recall` to its store and nothing else, for a profiler;
               prints a hash of all that was found, to compare two builds
  growth       [--sizes 2000,20000] [--folder DIR] [--only WORD] [--rounds N]
               each public operation on learned stores of several sizes: the factor
               from size to size, the longest append of another process meanwhile,
               the memory added, and whether the growth is what is promised; with
               --folder the stores are kept and used again
  share        [--events 20000] [--bytes 600] [--late 50]
               pushing and pulling over a folder, beside writing the same bytes; and how
               long one note takes until another store finds it
  crates       [--rounds 5]
               our own code beside the crate that does the same: the stemmer, and the
               cache of index blocks
  align        [--characters 10000] [--quotes 3]
               aligning fuzzy quotes, beside the definition word for word
  vectors      [--count 100000] [--dimensions 384] [--queries 200] [--corpus FILE]
               [--only uniform|clustered|static|model]
               the vector search beside an exact scan of all floats, at 10,000
               and --count vectors: synthetic ones, and embeddings of synthetic
               sentences, those of the corpus' turns among them; and a graph of
               near vectors (HNSW) over them, see [--links] [--build-candidates]
               [--candidates N,N]

  --features writes what relevance is worked out from, for
  scripts/fit_relevance.py: for each question, and once more in a store from
  which its answer was left out (`corpus`).

  --recipes 'NAME=WEIGHT,NAME=WEIGHT;…' adds rows to the ablation (or prints them
  alone): the recipe with these weights, options or not.

  quality, corpus, transcripts and vectors take --embedder static (the default: nothing to load) or
  --embedder fastembed --model DIR (built with --features fastembed; the shared
  library of ONNX Runtime is named by ORT_DYLIB_PATH); with --vectors FILE its
  vectors are kept there, and the next run reads them instead of making them
";

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(command) = arguments.next() else {
        eprint!("{USAGE}");
        return ExitCode::FAILURE;
    };
    let result = Arguments::parse(arguments).and_then(|arguments| match command.as_str() {
        "quality" => chats::run(&arguments),
        "corpus" => corpus::run(&arguments),
        "transcripts" => transcripts::run(&arguments),
        "hosts" => hosts::run(&arguments),
        // The other process of `hosts`.
        "hosts-holder" => hosts::hold(&arguments),
        "acceptance" => acceptance::run(&arguments),
        "align" => align::run(&arguments),
        "crates" => crates::run(&arguments),
        "append" => append::run(&arguments),
        "growth" => growth::run(&arguments),
        "questions" => recall::questions(&arguments),
        "peers" => peers::run(&arguments),
        "read" => read::run(&arguments),
        "recall" => recall::run(&arguments),
        "share" => share::run(&arguments),
        "vectors" => vectors::run(&arguments),
        // Commands that `growth` and `recall` run as new processes.
        "growth-writer" => growth::writer(&arguments),
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
