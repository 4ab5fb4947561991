//! Ordinary source code passes the default filter unchanged, and no secret of a realistic corpus
//! does.

use std::path::PathBuf;

use recallite::privacy::PrivacyFilter;

fn corpus(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/corpus")
        .join(name)
}

fn filtered(text: &str) -> String {
    PrivacyFilter::default().text(text).text.into_string()
}

/// The first lines that differ, for the failure message.
fn difference(before: &str, after: &str) -> String {
    before
        .lines()
        .zip(after.lines())
        .filter(|(before, after)| before != after)
        .map(|(before, after)| format!("\n  - {before}\n  + {after}"))
        .collect()
}

fn code_files() -> Vec<(String, String)> {
    let mut files: Vec<_> = std::fs::read_dir(corpus("code"))
        .expect("the corpus is in the repository")
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            // Runs of empty lines collapse in every text, which is a different rule.
            let text = std::fs::read_to_string(&path).unwrap();
            (name, text.replace("\n\n\n", "\n\n"))
        })
        .collect();
    files.sort();
    assert!(files.len() >= 8);
    files
}

#[test]
fn ordinary_source_code_passes_unchanged() {
    let changed: String = code_files()
        .iter()
        .filter(|(_, text)| filtered(text) != *text)
        .map(|(name, text)| format!("\n{name}:{}", difference(text, &filtered(text))))
        .collect();
    assert!(changed.is_empty(), "{changed}");
}

#[test]
fn parts_of_source_code_pass_unchanged() {
    // Tools show excerpts of files, often with line numbers before each line.
    let mut changed = String::new();
    for (name, text) in code_files() {
        let lines: Vec<&str> = text.lines().collect();
        for window in lines.windows(6).step_by(3) {
            let part = window.join("\n");
            let numbered: String = window
                .iter()
                .enumerate()
                .map(|(index, line)| format!("{:6}\u{2192}{line}\n", index + 1))
                .collect();
            for part in [part, numbered] {
                let out = filtered(&part);
                if out != part {
                    changed.push_str(&format!("\n{name}:{}", difference(&part, &out)));
                }
            }
        }
    }
    assert!(changed.is_empty(), "{changed}");
}

fn secret_records() -> Vec<(String, String)> {
    let text =
        std::fs::read_to_string(corpus("secrets.txt")).expect("the corpus is in the repository");
    let text = text.replace('\u{a6}', "");
    let records: Vec<_> = text
        .split("\n----\n")
        .skip(1)
        .map(|record| {
            let (before, rest) = record.split_once('\u{27e6}').expect("an opening mark");
            let (secret, after) = rest.split_once('\u{27e7}').expect("a closing mark");
            (format!("{before}{secret}{after}"), secret.to_owned())
        })
        .collect();
    assert!(records.len() >= 120, "{}", records.len());
    records
}

/// Whether a secret, or a line or a longer part of it, is left.
fn leaks(secret: &str, out: &str) -> bool {
    const PART: usize = 24;
    let part_is_left = |line: &str| {
        let mut parts = line.as_bytes().chunks_exact(PART);
        parts.any(|part| std::str::from_utf8(part).is_ok_and(|part| out.contains(part)))
    };
    secret
        .split(['\n', '\\'])
        .filter(|line| line.len() > 6 && !line.starts_with("-----"))
        .any(|line| out.contains(line) || part_is_left(line))
        || out.contains(secret)
}

#[test]
fn ordinary_text_that_resembles_secrets_passes_unchanged() {
    let text =
        std::fs::read_to_string(corpus("stays.txt")).expect("the corpus is in the repository");
    let records: Vec<&str> = text.trim_end().split("\n----\n").skip(1).collect();
    assert!(records.len() >= 50, "{}", records.len());
    let changed: String = records
        .iter()
        .filter(|text| filtered(text) != **text)
        .map(|text| difference(text, &filtered(text)))
        .collect();
    assert!(changed.is_empty(), "{changed}");
}

/// Letters and digits that look like a key, from a fixed seed.
fn random_letters(count: usize) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let mut next = || {
        state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
        LETTERS[(state >> 33) as usize % LETTERS.len()] as char
    };
    (0..count).map(|_| next()).collect()
}

#[test]
fn long_secrets_are_masked_to_their_end() {
    let secret = random_letters(3_000);
    let cookies: String = (0..60)
        .map(|n| format!("c{n}={}; ", &secret[n * 48..][..48]))
        .collect();
    for text in [
        format!("{{\"access_token\": \"{secret}\", \"expires_in\": 3600}}"),
        format!("{{\"body\": \"{{\\\"access_token\\\": \\\"{secret}\\\"}}\"}}"),
        format!("PRIVATE_KEY='{secret}'\nNEXT=1"),
        format!("curl -H \"Authorization: Bearer {secret}\" https://example.org"),
        format!("> Authorization: Negotiate {secret}\n> Accept: */*"),
        format!("<token>{secret}</token>"),
        format!("Cookie: {cookies}\nHost: example.org"),
        format!("fetch(url, {{headers: {{\"cookie\": \"{cookies}\"}}}})"),
    ] {
        let out = filtered(&text);
        assert!(!leaks(&secret, &out), "{}", &out[..out.len().min(200)]);
        assert!(out.contains("[REDACTED]"));
    }
}

#[test]
fn secrets_are_masked_to_the_last_one() {
    let left: Vec<String> = secret_records()
        .into_iter()
        .filter_map(|(record, secret)| {
            let out = filtered(&record);
            (leaks(&secret, &out) || !out.contains("[REDACTED]"))
                .then_some(format!("\n{record}\n  => {out}"))
        })
        .collect();
    assert!(left.is_empty(), "{} left:{}", left.len(), left.concat());
}

#[test]
fn secrets_are_masked_in_the_middle_of_other_text() {
    let before = "We talked about the deployment yesterday.\n어제 배포 이야기를 했습니다.\n\n";
    let left: Vec<String> = secret_records()
        .into_iter()
        .filter_map(|(record, secret)| {
            let out = filtered(&format!("{before}{record}\n\nAnd that was all."));
            leaks(&secret, &out).then_some(format!("\n{record}\n  => {out}"))
        })
        .collect();
    assert!(left.is_empty(), "{} left:{}", left.len(), left.concat());
}

#[test]
fn filtering_twice_changes_nothing_more() {
    for (record, _) in secret_records() {
        let once = filtered(&record);
        assert_eq!(filtered(&once), once);
    }
}
