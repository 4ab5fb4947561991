//! The commands, what each measures and its options: what `--help` shows and what is refused comes
//! from this table.

use clap::{Arg, ArgAction, Command};

use crate::arguments::Arguments;
use crate::{
    Result, acceptance, align, append, chats, corpus, crates, growth, hosts, learn, peers, read,
    recall, share, sizes, transcripts, vectors,
};

/// What a bench measures, and its options.
struct Bench {
    name: &'static str,
    about: &'static str,
    options: &'static [&'static [Opt]],
    run: Run,
}

/// What a command does.
type Run = fn(&Arguments) -> Result<()>;

/// An option: its name, the name of its value (none for a flag), and what it does.
type Opt = (&'static str, &'static str, &'static str);

const OUT: &[Opt] = &[(
    "out",
    "RUN.jsonl",
    "Write the ranking of each question here",
)];
const ABLATION: &[Opt] = &[
    (
        "ablation",
        "",
        "Add the recipe with each part switched off, and each retriever alone",
    ),
    (
        "recipes",
        "NAME=WEIGHT,…;…",
        "Add the recipe with these weights, options or not, to the ablation (or print it alone)",
    ),
];
const BASELINES: &[Opt] = &[("baselines", "", "Add other methods over the same texts")];
const FEATURES: &[Opt] = &[(
    "features",
    "OUT.jsonl",
    "Write what relevance is worked out from, for scripts/fit_relevance.py: for each question, and \
     once more in a store from which its answer was left out (`corpus`)",
)];
const EMBEDDER: &[Opt] = &[
    (
        "embedder",
        "static|fastembed",
        "The embedder [default: static, which has nothing to load]",
    ),
    (
        "model",
        "DIR",
        "The folder of the model for fastembed (built with --features fastembed; ORT_DYLIB_PATH \
         names the shared library of ONNX Runtime)",
    ),
    (
        "vectors",
        "FILE",
        "Keep the model's vectors here, and read those that are there",
    ),
];
const EVENTS: &[Opt] = &[("events", "N", "The number of events [default: 100000]")];
const FOLDER: &[Opt] = &[(
    "folder",
    "DIR",
    "Keep the stores here, and use those that are there",
)];
const BYTES: &[Opt] = &[("bytes", "N", "The size of an event [default: 600]")];
const STORE: &[Opt] = &[("store", "DIR", "The store")];

const BENCHES: &[Bench] = &[
    Bench {
        name: "quality",
        about: "How well a corpus of conversations in the LoCoMo format is found: one store per \
                conversation",
        options: &[
            &[
                ("corpus", "FILE", "The corpus"),
                ("merged", "", "One store for all conversations"),
                (
                    "distractors",
                    "N",
                    "Add synthetic events to the merged store",
                ),
            ],
            OUT,
            BASELINES,
            ABLATION,
            EMBEDDER,
        ],
        run: chats::run,
    },
    Bench {
        name: "corpus",
        about: "Questions about chats, sessions or documents of any kind, one store per \
                conversation: how well it finds, how far relevance can be trusted, with --baselines \
                the gain over two BM25s, and with --ablation what each part of the recipe gains, \
                and what levels gain once half of the questions were asked; each with its 95 % \
                interval by bootstrap",
        options: &[
            &[("corpus", "FILE.json[.gz]", "The corpus")],
            OUT,
            BASELINES,
            ABLATION,
            FEATURES,
            EMBEDDER,
        ],
        run: corpus::run,
    },
    Bench {
        name: "transcripts",
        about: "Questions about Claude Code transcripts",
        options: &[
            &[
                ("folder", "DIR", "The transcripts"),
                ("questions", "FILE", "The questions"),
            ],
            OUT,
            ABLATION,
            FEATURES,
            EMBEDDER,
        ],
        run: transcripts::run,
    },
    Bench {
        name: "acceptance",
        about: "The figures by which the reference system was to be accepted, each beside its goal: \
                times in a large store; over transcripts, what disclosure saves, when it expands \
                and how rightly; how much of what is given to replayed conversations is used again",
        options: &[
            EVENTS,
            FOLDER,
            &[
                ("transcripts", "DIR", "Transcripts of Claude Code"),
                ("questions", "FILE", "Questions about them"),
                (
                    "corpus",
                    "FILE.json[.gz]",
                    "A corpus: how its results expand, and its conversations to replay",
                ),
                (
                    "cache",
                    "on|off",
                    "Only ask, with the caches of recall or without, and print the memory in bytes",
                ),
            ],
        ],
        run: acceptance::run,
    },
    Bench {
        name: "append",
        about: "Appending, beside the storage engine alone; single appends up to the worst, with \
                nothing else, with `maintain` and with `process_outbox` in between",
        options: &[
            EVENTS,
            BYTES,
            &[(
                "single",
                "N",
                "The number of single appends [default: 10000]",
            )],
        ],
        run: append::run,
    },
    Bench {
        name: "hosts",
        about: "What a coding agent waits for: each hook of the command recallite and its MCP \
                server, beside the floor; the hooks again on a store that another process holds, \
                and on a damaged one, beside their deadline",
        options: &[
            &[
                ("program", "FILE", "The command recallite"),
                ("rounds", "N", "How often each is called [default: 200]"),
            ],
            EVENTS,
            FOLDER,
        ],
        run: hosts::run,
    },
    Bench {
        name: "read",
        about: "Reading events, owned and in place, beside the storage engine alone",
        options: &[
            &[
                ("events", "N", "The number of events [default: 20000]"),
                ("reads", "N", "The number of reads [default: 20000]"),
            ],
            BYTES,
        ],
        run: read::run,
    },
    Bench {
        name: "peers",
        about: "Beside redb alone, SQLite FTS5 with a log table and, built with --features peers, \
                tantivy: appending, recall, bytes on disk; as whole processes, with --python, beside \
                SQLite with sqlite-vec and LanceDB",
        options: &[&[
            (
                "events",
                "N,N",
                "The numbers of events [default: 10000,100000]",
            ),
            (
                "python",
                "FILE",
                "A Python that has what benches/peers/requirements.txt names",
            ),
            ("csv", "FILE", "Keep the values for benches/peers/plot.py"),
            ("rounds", "N", "How often each is measured [default: 40]"),
            ("single", "N", "The number of single appends [default: 300]"),
        ]],
        run: peers::run,
    },
    Bench {
        name: "recall",
        about: "Recall, warm and as a hook, beside SQLite FTS5 and the floor",
        options: &[EVENTS, FOLDER],
        run: recall::run,
    },
    Bench {
        name: "sizes",
        about: "Recall, warm and as a hook, in stores of several sizes that take turns, each beside \
                the first",
        options: &[
            &[(
                "sizes",
                "N,N",
                "The numbers of events [default: 100000,1000000]",
            )],
            FOLDER,
        ],
        run: sizes::run,
    },
    Bench {
        name: "questions",
        about: "New questions of `recall` to its store and nothing else, for a profiler; prints a \
                hash of all that was found, to compare two builds",
        options: &[
            STORE,
            &[
                ("count", "N", "The number of questions [default: 200]"),
                (
                    "skip",
                    "N",
                    "The number of questions left out before [default: 0]",
                ),
                ("session", "ID", "Only in this session"),
            ],
        ],
        run: recall::questions,
    },
    Bench {
        name: "growth",
        about: "Each public operation on learned stores of several sizes: the factor from size to \
                size, the longest append of another process meanwhile, the memory added, and whether \
                the growth is what is promised",
        options: &[
            &[
                (
                    "sizes",
                    "N,N",
                    "The numbers of events [default: 2000,20000]",
                ),
                ("only", "WORD", "Only operations whose name contains this"),
                ("rounds", "N", "How often each is measured"),
            ],
            FOLDER,
        ],
        run: growth::run,
    },
    Bench {
        name: "share",
        about: "Pushing and pulling over a folder, beside writing the same bytes; and how long one \
                note takes until another store finds it",
        options: &[
            &[
                ("events", "N", "The number of events [default: 20000]"),
                ("late", "N", "The number of late notes [default: 50]"),
            ],
            BYTES,
        ],
        run: share::run,
    },
    Bench {
        name: "crates",
        about: "Our own code beside the crate that does the same: the stemmer",
        options: &[&[("rounds", "N", "How often each is measured [default: 5]")]],
        run: crates::run,
    },
    Bench {
        name: "learn",
        about: "What rules learn from a corpus, beside appending it: the time per message and byte, \
                and the longest call of maintain",
        options: &[&[
            ("corpus", "FILE.json[.gz]", "The corpus"),
            ("events", "N", "Only the first events [default: all]"),
        ]],
        run: learn::run,
    },
    Bench {
        name: "align",
        about: "Aligning fuzzy quotes, beside the definition word for word",
        options: &[&[
            ("characters", "N", "The length of the text [default: 10000]"),
            ("quotes", "N", "The number of quotes [default: 3]"),
        ]],
        run: align::run,
    },
    Bench {
        name: "vectors",
        about: "The vector search beside an exact scan of all floats, at 10,000 and --count \
                vectors: synthetic ones, and embeddings of synthetic sentences, those of the corpus' \
                turns among them; and a graph of near vectors (HNSW) over them",
        options: &[
            &[
                ("count", "N", "The number of vectors [default: 100000]"),
                ("dimensions", "N", "Their dimensions [default: 384]"),
                ("queries", "N", "The number of queries [default: 200]"),
                ("corpus", "FILE", "A corpus in the LoCoMo format"),
                (
                    "only",
                    "SET",
                    "Only this set: uniform, clustered, static or model",
                ),
                (
                    "nearest",
                    "N",
                    "How many near vectors are searched [default: 10]",
                ),
                (
                    "links",
                    "N",
                    "The links of a node of the graph [default: 24]",
                ),
                (
                    "build-candidates",
                    "N",
                    "The candidates seen for a new node [default: 200]",
                ),
                (
                    "candidates",
                    "N,N",
                    "The candidates seen in a search [default: 192,400]",
                ),
            ],
            EMBEDDER,
        ],
        run: vectors::run,
    },
];

/// What benches start as new processes, which are measured.
const PARTS: &[(&str, Run)] = &[
    ("hosts-holder", hosts::hold),
    ("growth-writer", growth::writer),
    ("hook", recall::hook),
    ("floor", recall::floor),
];

/// All commands, for parsing and for `--help`.
fn command() -> Command {
    Command::new("recallite-benches")
        .about("Measures recallite: how well it finds, and how fast it is")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(BENCHES.iter().map(described))
}

fn described(bench: &Bench) -> Command {
    let options = bench.options.iter().flat_map(|options| options.iter());
    let options = options.map(|(name, value, help)| {
        let option = Arg::new(*name).long(*name).help(*help);
        match value.is_empty() {
            true => option.action(ArgAction::SetTrue),
            false => option.value_name(*value),
        }
    });
    Command::new(bench.name).about(bench.about).args(options)
}

/// Runs the command that the process was started with.
pub(crate) fn run() -> Result<()> {
    let mut words = std::env::args().skip(1);
    let first = words.next().unwrap_or_default();
    if let Some((_, part)) = PARTS.iter().find(|(name, _)| *name == first) {
        return part(&Arguments::of_part(words)?);
    }
    let matches = command().get_matches();
    let asked = matches.subcommand();
    let found = asked.and_then(|(name, matches)| {
        let bench = BENCHES.iter().find(|bench| bench.name == name)?;
        Some((bench, matches))
    });
    let (bench, matches) = found.ok_or("no command")?;
    (bench.run)(&Arguments::new(matches))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_valid_and_what_it_lacks_is_refused() {
        command().debug_assert();
        let parsed = |line: &str| {
            let words = std::iter::once("recallite-benches").chain(line.split(' '));
            let matches = command().try_get_matches_from(words)?;
            let (_, arguments) = matches.subcommand().expect("a command");
            Ok::<_, clap::Error>(Arguments::new(arguments))
        };
        let asked = parsed("corpus --corpus c.json --baselines").expect("known options");
        assert!(asked.has("baselines") && !asked.has("ablation") && !asked.has("merged"));
        assert_eq!(asked.text("corpus").ok(), Some("c.json"));
        assert_eq!(asked.choice("out"), None);
        let refused = |line: &str| parsed(line).expect_err("refused").to_string();
        assert!(refused("recall --evnets 5").contains("--evnets"));
        assert!(refused("recal").contains("recal"));
    }
}
