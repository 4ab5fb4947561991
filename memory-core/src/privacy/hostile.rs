//! Texts designed to make a careless filter slow: the starts of its own rules, decorated
//! and repeated. For tests and benchmarks.

use super::filter::PrivacyFilter;
use super::scanned;
use super::secrets::beginnings;

/// How many bytes the default filter scans for a text, counting each repeated look.
pub fn work(text: &str) -> u64 {
    scanned::reset();
    PrivacyFilter::default().text(text);
    scanned::count()
}

/// Decorations of a rule's start; `*` stands for the start.
const DECORATIONS: &[&str] = &[
    "*",
    "* ",
    "*\n",
    "*=",
    "* = ",
    "*: ",
    "*:",
    "&*=abc",
    "&*=abc&token=12",
    "\"*\": \"x\", ",
    "{\"*\":\"the\",\"n\":1},",
    "{\"a\":\"* x1y2z3\\n\"},",
    "| a | * |\n|---|---|\n| b | x1y2z3 |\n",
    "a,*\nb,x1y2z3\n",
    "{\"a\":\"{\\\"b\\\":\\\"* x1y2z3",
    "*='",
    "*=\"",
    "*=`",
    "*=\\\"",
    "*=\\'x",
    "*(",
    "set_*(\"",
    "*[",
    "*{",
    "`*`",
    "```\n*: x1y2z3\n```\n",
    "```* ",
    "*는 ",
    "*：",
    "「*」",
    "<*>",
    "<*>x",
    "--* ",
    " -* ",
    "*=a1B2c3",
    "*.",
    "./*",
    "*@",
    "*-",
    "*~",
    "\\n*",
    "*=$",
    "*, ",
    "* is ",
    "x*y",
    "    *\t",
    "*\r",
    "*=x;",
    "*=a=b; ",
    "<private>*",
    "</private>*",
    "*!",
    "*f(*",
    "let *: &str = ",
    "curl \\\n *a:b ",
    "\u{1b}[32m*\u{1b}[0m=x",
    "%3D*%3Dx",
];

/// Texts that do not contain a rule's start.
const PLAIN: &[&str] = &[
    "<private>",
    "</private>",
    "<private>x</private>",
    "<private ",
    "<private a='",
    "&lt;private ",
    "\\u003cprivate",
    "%3cprivate%20",
    "<pri\u{200b}vate",
    "<!-- private ",
    "<!--    ",
    "[private",
    "[private]",
    "<",
    "&",
    "%",
    "[",
    "\\",
    "＜",
    "`",
    "``",
    "```",
    "` ```",
    "`a",
    "`a`",
    "````\n",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG\n",
    "-----BEGIN ",
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUR4VENDQXEyZ0F3SUJBZ0lRQ\n",
    "&#000000000000000000000000000000000000000000000060",
    "%EF%BC%9C",
    "Password (a ",
    "-----END ",
    "\n",
    "\n\n\n",
    "\r",
    " ",
    "a",
    "A1",
    "=",
    "é",
    "한",
    "🎉",
    "\u{200b}",
    "if (x) {\n",
    "a = b\n",
    "12→",
    "\u{1b}[",
    "\u{1b}[0m",
    "\\\n",
    "it's ",
    "<'a ",
];

/// Every text to repeat: each rule's start with each decoration, and more.
pub fn units() -> Vec<String> {
    let decorated = beginnings().flat_map(|beginning| {
        DECORATIONS
            .iter()
            .map(move |with| with.replace('*', beginning))
    });
    PLAIN
        .iter()
        .map(|unit| (*unit).to_owned())
        .chain(decorated)
        .collect()
}

/// A repeated unit, about `bytes` long.
pub fn repeated(unit: &str, bytes: usize) -> String {
    unit.repeat(bytes / unit.len().max(1) + 1)
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::*;
    use crate::model::json::Json;
    use crate::privacy::{PrivacyConfig, TagFormat};
    use crate::testing::every;

    /// The maximum growth of the work if the text doubles.
    fn check(unit: &str) -> Result<(), String> {
        let small = work(&repeated(unit, 12 << 10));
        let large = work(&repeated(unit, 24 << 10));
        let per_byte = large >> 10;
        if large * 10 > small * 22 + (1 << 17) || per_byte > 24 * 2_000 {
            return Err(format!(
                "{unit:?}: {small} -> {large}, {} per byte",
                per_byte / 24
            ));
        }
        Ok(())
    }

    #[test]
    fn work_is_linear_in_every_repeated_pattern_of_the_rules() {
        let units = units();
        assert!(units.len() > 9_000, "{}", units.len());
        // Every rule meets some decorations, and every decoration some rules: all combinations take
        // minutes, and are measured in release builds.
        let share = [29, 59][usize::from(every(2) > 1)];
        let wrong: Vec<String> = units
            .iter()
            .enumerate()
            .filter(|(index, _)| *index < PLAIN.len() || index % share == 0)
            .filter_map(|(_, unit)| check(unit).err())
            .collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn work_stays_linear_where_the_looks_of_a_text_are_used_up() {
        let wrong: Vec<String> = [
            "&key=abc&token=12",
            "8Q~",
            "SG.",
            "key:",
            "salt=",
            "Cookie: a=b;",
        ]
        .iter()
        .filter_map(|unit| {
            let small = work(&repeated(unit, 1 << 19));
            let large = work(&repeated(unit, 1 << 20));
            (large * 10 > small * 22).then(|| format!("{unit:?}: {small} -> {large}"))
        })
        .collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    /// Options in front of a long run of line ends, which each of them might continue over.
    #[test]
    fn work_is_linear_where_many_options_precede_a_long_run() {
        let text = |bytes: usize| format!("{}{}", " -p".repeat(340), "\r".repeat(bytes));
        let (small, large) = (work(&text(1 << 17)), work(&text(1 << 18)));
        assert!(large < small * 3, "{small} -> {large}");
        assert!(large < 40 << 18, "{large}");
    }

    /// Where a line begins is looked for at each place that might be in code.
    #[test]
    fn work_is_linear_in_a_long_line_of_code() {
        let text = |count: usize| {
            let line = "let x = f(a); password: abc1 ".repeat(count);
            format!("fn f() {{ a(); }} {line}")
        };
        let (small, large) = (work(&text(4_000)), work(&text(8_000)));
        assert!(large * 10 < small * 22, "{small} -> {large}");
    }

    /// `cargo test --release -p recallite --lib time_per_byte -- --ignored --nocapture`
    #[test]
    #[ignore = "measures times: for release builds on a quiet machine"]
    fn time_per_byte() {
        for (name, config) in settings() {
            let filter = PrivacyFilter::new(config).unwrap();
            let texts = units().into_iter().map(|unit| {
                let text = repeated(&unit, 400 << 10);
                let nanos = nanos_per_byte(text.len(), || drop(filter.text(&text)));
                (nanos, format!("{unit:?}"))
            });
            let objects = objects().into_iter().map(|(unit, json)| {
                let nanos = nanos_per_byte(json.as_str().len(), || drop(filter.clean_json(&json)));
                (nanos, unit.to_owned())
            });
            let mut times: Vec<(f64, String)> = texts.chain(objects).collect();
            times.sort_by(|a, b| b.0.total_cmp(&a.0));
            for (nanos, unit) in times.iter().take(5) {
                println!("{nanos:8.1} ns per byte: {unit}");
            }
            println!(
                "{name}: slowest {:.0} ns per byte, median {:.0}, of {} texts",
                times[0].0,
                times[times.len() / 2].0,
                times.len()
            );
        }
    }

    fn nanos_per_byte(bytes: usize, work: impl FnOnce()) -> f64 {
        let begun = std::time::Instant::now();
        work();
        begun.elapsed().as_nanos() as f64 / bytes as f64
    }

    /// Settings that switch parts of the filter on and off.
    fn settings() -> [(&'static str, PrivacyConfig); 3] {
        let default = PrivacyConfig::default();
        let everything = PrivacyConfig {
            anonymize: true,
            formats: vec![TagFormat::Xml, TagFormat::Bracket, TagFormat::Comment],
            exclude_patterns: vec!["hunter[0-9]+".into()],
            auto_detect: true,
            auto_detect_patterns: vec![r"\d{16}".into()],
            ..default.clone()
        };
        let plain = PrivacyConfig {
            code_aware: false,
            ..default.clone()
        };
        [
            ("default settings", default),
            ("everything on", everything),
            ("not code-aware", plain),
        ]
    }

    /// JSON with many names masked alike, many items, and many levels.
    fn objects() -> Vec<(&'static str, Json)> {
        let names: Map<String, Value> = (0..10_000)
            .map(|number| (format!("<private>{number:06}</private>"), Value::Null))
            .collect();
        let items = vec![Value::from("password=hunter2"); 20_000];
        let mut levels = Value::from("password=hunter2");
        for _ in 0..100 {
            levels = json!({ "settings": [levels] });
        }
        [
            ("masked names", Value::Object(names)),
            ("items", Value::Array(items)),
            ("levels", levels),
        ]
        .map(|(name, value)| (name, Json::from_value(&value)))
        .to_vec()
    }
}
