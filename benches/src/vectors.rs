//! The vector search, compared in the same run with an exact scan of all float vectors: how many of
//! the ten nearest it finds, and its latency.

use std::fs::File;
use std::time::{Duration, Instant};

use recallite::embed::Embedder;
use recallite::testing::vectors::{self, Found, Index, Rows, Vectors};
use serde_json::Value;

use crate::Result;
use crate::arguments::Arguments;
use crate::embedder::Choice;
use crate::text::{Author, Random};

/// The values of `--only`.
const SETS: [&str; 4] = ["uniform", "clustered", "static", "model"];
/// How many nearest vectors are searched for, unless `--nearest` is given. Recall asks for 100.
const K: usize = 10;
/// The graph parameters (links per vector and layer, candidates for them, candidates of a search),
/// unless `--links`, `--build-candidates` or `--candidates` are given.
const GRAPH: [usize; 3] = vectors::GRAPH_PARAMETERS;
/// The first size to measure.
const SMALL: usize = 10_000;
/// How many queries one side answers before it is the other's turn. Both then run under the same
/// conditions, and neither finds its caches evicted by the other before every query.
const TURN: usize = 10;
/// The size of a synthetic sentence or question, in bytes.
const SENTENCE_BYTES: usize = 90;
/// Vectors per topic of the clustered set.
const PER_TOPIC: usize = 100;
/// The distance of vectors from their topic, and of all topics from a common direction.
const SPREAD: f32 = 0.8;
const LEAN: f32 = 0.3;
/// How many texts a model embeds in one call.
const BATCH: usize = 32;

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let count = arguments.number("count", 100_000)?;
    let dimensions = arguments.number("dimensions", 384)?;
    let queries = arguments.number("queries", 200)?;
    if count < 1_000 || dimensions < 2 || queries == 0 {
        return Err(
            "--count must be at least 1000, --dimensions at least 2, --queries at least 1".into(),
        );
    }
    let sizes = match count > SMALL {
        true => vec![SMALL, count],
        false => vec![count],
    };
    let plan = Plan::of(arguments, sizes)?;
    println!(
        "recall@{} and median time of {queries} queries; kernels: {}",
        plan.nearest,
        vectors::kernels()
    );
    let only = arguments.choice("only");
    if let Some(name) = only
        && !SETS.contains(&name)
    {
        return Err(format!("--only {name:?} is none of {}", SETS.join(", ")).into());
    }
    let is_wanted = |name: &str| only.is_none_or(|only| only == name);
    // Each set is freed before the next is created.
    if is_wanted("uniform") {
        let mut random = Random::new(11);
        let set = Set {
            name: "uniform".to_owned(),
            dimensions,
            numbers: uniform(count, dimensions, &mut random),
            queries: uniform(queries, dimensions, &mut random),
        };
        measure(&set, &plan)?;
    }
    if is_wanted("clustered") {
        let set = clustered(count, queries, dimensions, &mut Random::new(11));
        measure(&set, &plan)?;
    }
    let choice = match is_wanted("model") && arguments.choice("embedder").is_some() {
        true => Some(Choice::of(arguments)?),
        false => None,
    };
    let model = choice.as_ref().and_then(Choice::model);
    if !is_wanted("static") && model.is_none() {
        return Ok(());
    }
    let texts = Texts::of(arguments, count, queries)?;
    if is_wanted("static") {
        let set = texts.embedded("static table", vectors::STATIC_DIMENSIONS, embed_by_table)?;
        measure(&set, &plan)?;
    }
    if let Some(model) = model {
        let embed = |texts: &[String]| embed_by_model(model, texts);
        let set = texts.embedded(model.id(), model.dimensions(), embed)?;
        measure(&set, &plan)?;
    }
    Ok(())
}

fn embed_by_table(texts: &[String]) -> Result<Vec<f32>> {
    let vectors: Option<Vec<_>> = texts
        .iter()
        .map(|text| vectors::static_embedding(text))
        .collect();
    Ok(vectors.ok_or("a text has no known word")?.concat())
}

fn embed_by_model(model: &dyn Embedder, texts: &[String]) -> Result<Vec<f32>> {
    let mut numbers = Vec::with_capacity(texts.len() * model.dimensions());
    for batch in texts.chunks(BATCH.min(model.max_batch())) {
        let batch: Vec<&str> = batch.iter().map(String::as_str).collect();
        numbers.extend(model.embed(&batch)?.concat());
    }
    Ok(numbers)
}

/// What is measured for each set.
struct Plan {
    sizes: Vec<usize>,
    /// How many nearest vectors are searched for.
    nearest: usize,
    links: usize,
    build_candidates: usize,
    /// Each is measured on the same graph.
    candidates: Vec<usize>,
}

impl Plan {
    fn of(arguments: &Arguments, sizes: Vec<usize>) -> Result<Plan> {
        let nearest = arguments.number("nearest", K)?;
        if nearest == 0 {
            return Err("--nearest must be at least 1".into());
        }
        let candidates = match arguments.choice("candidates") {
            None => vec![GRAPH[2]],
            Some(list) => list
                .split(',')
                .map(|number| number.parse().map_err(|_| "--candidates: not numbers"))
                .collect::<std::result::Result<_, _>>()?,
        };
        Ok(Plan {
            sizes,
            nearest,
            links: arguments.number("links", GRAPH[0])?,
            build_candidates: arguments.number("build-candidates", GRAPH[1])?,
            candidates,
        })
    }
}

/// Vectors and queries of one kind, each set concatenated.
struct Set {
    name: String,
    dimensions: usize,
    numbers: Vec<f32>,
    queries: Vec<f32>,
}

/// A normally distributed number (Box-Muller).
fn normal(random: &mut Random) -> f32 {
    let radius = (-2.0 * (1.0 - random.unit()).ln()).sqrt();
    (radius * (std::f64::consts::TAU * random.unit()).cos()) as f32
}

fn direction(dimensions: usize, random: &mut Random) -> Vec<f32> {
    let mut vector: Vec<f32> = (0..dimensions).map(|_| normal(random)).collect();
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    vector.iter_mut().for_each(|x| *x /= length);
    vector
}

/// Uniformly distributed directions: the hardest case, because all vectors are about equally far
/// from a query.
fn uniform(count: usize, dimensions: usize, random: &mut Random) -> Vec<f32> {
    (0..count * dimensions).map(|_| normal(random)).collect()
}

/// Vectors around topics that share a direction, as those of models do. Queries are drawn from the
/// same distribution, but are not among the vectors.
fn clustered(count: usize, queries: usize, dimensions: usize, random: &mut Random) -> Set {
    let common = direction(dimensions, random);
    let topics: Vec<Vec<f32>> = (0..count.div_ceil(PER_TOPIC))
        .map(|_| direction(dimensions, random))
        .collect();
    let mut draw = |count: usize| {
        let mut numbers = Vec::with_capacity(count * dimensions);
        for _ in 0..count {
            let topic = &topics[random.below(topics.len())];
            let noise = direction(dimensions, random);
            numbers
                .extend((0..dimensions).map(|d| topic[d] + SPREAD * noise[d] + LEAN * common[d]));
        }
        numbers
    };
    Set {
        name: format!("clustered ({} topics)", topics.len()),
        dimensions,
        numbers: draw(count),
        queries: draw(queries),
    }
}

/// The texts to embed: sentences and questions.
struct Texts {
    name: String,
    sentences: Vec<String>,
    questions: Vec<String>,
}

impl Texts {
    /// Synthetic sentences. With `--corpus`, its turns are mixed in, and its questions are asked.
    fn of(arguments: &Arguments, count: usize, queries: usize) -> Result<Texts> {
        let mut author = Author::new(12);
        let (mut sentences, mut questions) = (Vec::new(), Vec::new());
        if arguments.has("corpus") {
            (sentences, questions) = read_corpus(arguments)?;
            sentences.truncate(count);
            questions.truncate(queries);
        }
        let turns = sentences.len();
        let name = match turns {
            0 => "synthetic sentences".to_owned(),
            _ => format!(
                "{turns} turns among synthetic sentences, {} questions",
                questions.len()
            ),
        };
        sentences.extend((turns..count).map(|_| author.text(SENTENCE_BYTES)));
        // Shuffled, so that the smaller index gets a share of the corpus.
        for place in (1..count).rev() {
            sentences.swap(place, author.below(place + 1));
        }
        if questions.is_empty() {
            questions.extend((0..queries).map(|_| author.text(SENTENCE_BYTES)));
        }
        Ok(Texts {
            name,
            sentences,
            questions,
        })
    }

    fn embedded(
        &self,
        by: &str,
        dimensions: usize,
        embed: impl Fn(&[String]) -> Result<Vec<f32>>,
    ) -> Result<Set> {
        let begun = Instant::now();
        let set = Set {
            name: format!("{by}, {}", self.name),
            dimensions,
            numbers: embed(&self.sentences)?,
            queries: embed(&self.questions)?,
        };
        println!(
            "\n{} sentences embedded by {by} in {:.1} s",
            self.sentences.len(),
            begun.elapsed().as_secs_f64()
        );
        Ok(set)
    }
}

/// The turns and questions of a corpus in the LoCoMo format that contain a word of the table.
fn read_corpus(arguments: &Arguments) -> Result<(Vec<String>, Vec<String>)> {
    let corpus: Value = serde_json::from_reader(File::open(arguments.path("corpus")?)?)?;
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let texts = |values: Vec<Value>, name: &str| -> Vec<String> {
        values
            .iter()
            .filter_map(|value| value[name].as_str())
            .filter(|text| vectors::static_embedding(text).is_some())
            .map(str::to_owned)
            .collect()
    };
    let (mut turns, mut questions) = (Vec::new(), Vec::new());
    for conversation in list(&corpus["conversations"]) {
        for session in list(&conversation["sessions"]) {
            turns.extend(texts(list(&session["turns"]), "text"));
        }
        questions.extend(texts(list(&conversation["questions"]), "question"));
    }
    if turns.is_empty() || questions.is_empty() {
        return Err("the corpus has no turns or no questions".into());
    }
    Ok((turns, questions))
}

fn measure(set: &Set, plan: &Plan) -> Result<()> {
    println!("\n{}", set.name);
    let queries: Vec<&[f32]> = set.queries.chunks_exact(set.dimensions).collect();
    for &size in &plan.sizes {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("vectors.bin");
        let all = Vectors::new(
            set.numbers[..size * set.dimensions].to_vec(),
            set.dimensions,
        )?;
        let begun = Instant::now();
        let index = vectors::build(&path, &all)?;
        println!(
            " {size} vectors of {} dimensions: {:.1} MB, written in {:.1} s",
            set.dimensions,
            std::fs::metadata(&path)?.len() as f64 / 1e6,
            begun.elapsed().as_secs_f64()
        );
        let begun = Instant::now();
        vectors::search(&index, queries[0], plan.nearest, None)?;
        println!(
            "  first search {:.2} ms (it hashes the sign bits)",
            begun.elapsed().as_secs_f64() * 1e3
        );
        let mut random = Random::new(13);
        let mut share = |one_in: usize| -> Vec<u64> {
            (0..size as u64)
                .filter(|_| random.below(one_in) == 0)
                .collect()
        };
        let (tenth, hundredth) = (share(10), share(100));
        for (name, rows) in [
            ("no filter", None),
            ("filter 10 %", Some(&tenth[..])),
            ("filter 1 %", Some(&hundredth[..])),
        ] {
            compare(name, plan.nearest, &queries, &all, rows, |query| {
                Ok(vectors::search(&index, query, plan.nearest, rows)?)
            })?;
        }
        compare_graph(plan, &index, &queries, &all)?;
    }
    Ok(())
}

/// Builds a graph and measures it, and the index again beside it: building evicts the caches and
/// takes long enough for the machine's speed to change.
fn compare_graph(plan: &Plan, index: &Index, queries: &[&[f32]], all: &Vectors) -> Result<()> {
    let before = resident_bytes();
    let begun = Instant::now();
    let graph = vectors::build_graph(index, plan.links, plan.build_candidates)?;
    println!(
        "  graph built in {:.1} s, one thread (M {}, {} candidates), {:.0} MB more in memory",
        begun.elapsed().as_secs_f64(),
        plan.links,
        plan.build_candidates,
        resident_bytes().saturating_sub(before) as f64 / 1e6
    );
    let nearest = plan.nearest;
    compare("no filter", nearest, queries, all, None, |query| {
        Ok(vectors::search(index, query, nearest, None)?)
    })?;
    for &candidates in &plan.candidates {
        let name = format!("graph, {candidates}");
        compare(&name, nearest, queries, all, None, |query| {
            Ok(vectors::search_graph(&graph, query, nearest, candidates)?)
        })?;
    }
    let begun = Instant::now();
    drop(graph);
    println!("  graph freed in {:.2} s", begun.elapsed().as_secs_f64());
    Ok(())
}

/// The memory of the process that no file backs, in bytes; 0 if the system does not report it.
pub(crate) fn resident_bytes() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<usize>().ok());
    kilobytes.unwrap_or(0) * 1_024
}

/// Prints how much of the exact result `search` finds, and the cost of both.
fn compare(
    name: &str,
    nearest: usize,
    queries: &[&[f32]],
    all: &Vectors,
    rows: Rows<'_>,
    search: impl Fn(&[f32]) -> Result<Found>,
) -> Result<()> {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let (mut found, mut wanted) = (0, 0);
    let (mut int8_rows, mut float_rows) = (Vec::new(), Vec::new());
    for turn in queries.chunks(TURN) {
        let mut answers = Vec::with_capacity(turn.len());
        for query in turn {
            let begun = Instant::now();
            let answer = search(query)?;
            ours.push(begun.elapsed());
            int8_rows.push(answer.int8_rows);
            float_rows.push(answer.float_rows);
            answers.push(answer);
        }
        for (query, answer) in turn.iter().zip(answers) {
            let begun = Instant::now();
            let exact = vectors::exact(all, query, nearest, rows)?;
            theirs.push(begun.elapsed());
            wanted += exact.rows.len();
            found += exact
                .rows
                .iter()
                .filter(|row| answer.rows.contains(row))
                .count();
        }
    }
    let (ours, theirs) = (median(ours), median(theirs));
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    println!(
        "  {name:<11} recall@{nearest} {:.4}   index {:>7.3} ms   exact {:>7.3} ms   exact/index {:>5.2}   ({} int8, {} float rows)",
        found as f64 / wanted as f64,
        ms(ours),
        ms(theirs),
        ms(theirs) / ms(ours),
        median(int8_rows),
        median(float_rows),
    );
    Ok(())
}

fn median<T: Ord + Copy>(mut values: Vec<T>) -> T {
    values.sort_unstable();
    values[values.len() / 2]
}
