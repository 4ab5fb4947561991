//! Secrets that a program or a terminal broke into lines: base64 in lines of 76 characters, a key
//! in a narrow window, a value that a backslash continues.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::context::{Class, Surroundings, without_line_number};
use super::formats::{Range, begins_word};
use super::scanned::visit;
use super::shape::{head, looks_random};

/// A line of a secret that goes on has so many characters.
const MIN_LINE_LENGTH: usize = 16;
/// How much of a secret may lie on further lines, in bytes.
const MAX_BYTES: usize = 64 << 10;

/// Where a secret ends that may go on after its line: `end`, if it does not.
pub(super) fn continued_end(around: &Surroundings<'_>, (begin, end): Range) -> usize {
    let first = last_word(&around.text[begin..end]);
    if first.len() < MIN_LINE_LENGTH || next_line(around.text, end).is_none() {
        return end;
    }
    around.judge(first);
    if !looks_random(first) {
        return end;
    }
    let mut reached = end;
    let mut width = first.len();
    let mut lines = 0;
    while reached - end < MAX_BYTES
        && let Some(at) = next_line(around.text, reached)
    {
        let piece_end = around.run_end(Class::Wide, at);
        let piece = &around.text[at..piece_end];
        if !ends_line(&around.text[piece_end..]) {
            break;
        }
        around.judge(piece);
        if goes_on(piece, width) {
            lines += 1;
            width = piece.len();
            reached = piece_end;
        } else {
            if is_rest(piece, width, lines) {
                reached = piece_end;
            }
            break;
        }
    }
    reached
}

/// The characters at the end of a secret that a key may consist of.
fn last_word(secret: &str) -> &str {
    const LOOK: usize = 256;
    let secret = secret.trim_end_matches(['\\', '\u{21b5}']);
    let from = secret.ceil_char_boundary(secret.len().saturating_sub(LOOK));
    let look = &secret.as_bytes()[from..];
    let length = look.iter().rev().take_while(|b| Class::Wide.accepts(**b));
    &secret[secret.len() - length.count()..]
}

/// Where the words of the next line begin if nothing but a sign of continuation comes before it.
fn next_line(text: &str, at: usize) -> Option<usize> {
    const MAX_LEAD_LENGTH: usize = 256;
    let rest = text[at..].trim_start_matches([' ', '\t']);
    let rest = rest.strip_prefix(['\\', '\u{21b5}']).unwrap_or(rest);
    let next = rest
        .strip_prefix("\r\n")
        .or_else(|| rest.strip_prefix('\n'))?;
    let line = head(next, MAX_LEAD_LENGTH);
    let words = without_line_number(line).trim_start_matches([' ', '\t']);
    // The signs of a quotation, a comment and a diff.
    let sign = ["> ", "# ", "// ", "* ", "| ", "+", "-"]
        .iter()
        .find_map(|sign| words.strip_prefix(sign));
    let words = sign.unwrap_or(words).trim_start_matches([' ', '\t']);
    Some(text.len() - next.len() + line.len() - words.len())
}

/// Whether nothing but the end of a line, or of a quotation, is next.
fn ends_line(rest: &str) -> bool {
    let rest = rest.trim_start_matches([' ', '\t']);
    let rest = rest.strip_prefix(['\\', '\u{21b5}']).unwrap_or(rest);
    rest.is_empty() || rest.starts_with(['\n', '\r', '"', '\'', '`'])
}

/// Whether a line is a further piece of a secret whose last one had this width.
fn goes_on(piece: &str, width: usize) -> bool {
    let is_setting = piece.trim_end_matches('=').contains('=');
    piece.len() >= MIN_LINE_LENGTH
        && !is_setting
        && (looks_random(piece) || piece.len() == width && is_mixed(piece))
}

/// Whether a line is the rest of a secret. After a single line, only padding says so.
fn is_rest(piece: &str, width: usize, lines: usize) -> bool {
    let is_of_key = |b: u8| b.is_ascii_alphanumeric() || b"+/=_-".contains(&b);
    !piece.is_empty()
        && piece.len() <= width
        && piece.bytes().all(is_of_key)
        && !piece.trim_end_matches('=').contains('=')
        && (piece.ends_with('=') || lines > 0 && is_mixed(piece))
}

/// Whether a text has characters of two kinds, as few words have.
fn is_mixed(text: &str) -> bool {
    let has = |test: fn(&u8) -> bool| text.as_bytes().iter().any(test);
    let (digits, upper) = (has(u8::is_ascii_digit), has(u8::is_ascii_uppercase));
    let lower = has(u8::is_ascii_lowercase);
    digits && (upper || lower) || upper && lower
}

/// `-----BEGIN` in base64.
pub(super) const ENCODED_BEGIN: &str = "LS0tLS1CRUdJTi";

/// A file in base64 that begins with a certificate or another public part, and has a private key
/// after it.
pub(super) fn encoded_key_at(around: &Surroundings<'_>, at: usize) -> Option<Range> {
    const KEY: &[u8] = b"PRIVATE KEY";
    let text = around.text;
    if at < around.decoded_to.get()
        || !text[at..].starts_with(ENCODED_BEGIN)
        || !begins_word(text.as_bytes(), at)
    {
        return None;
    }
    let line_end = around.run_end(Class::Wide, at);
    let end = continued_end(around, (at, line_end));
    let encoded: Vec<u8> = text[at..end]
        .bytes()
        .filter(|b| b.is_ascii_alphanumeric() || b"+/".contains(b))
        .collect();
    // Every line of it may begin like a file.
    around.decoded_to.set(end);
    around.spend(2 * encoded.len());
    visit(2 * encoded.len());
    // Whole groups: what is left over may be cut.
    let whole = &encoded[..encoded.len() / 4 * 4];
    let decoder = GeneralPurpose::new(
        &alphabet::STANDARD,
        GeneralPurposeConfig::new()
            .with_decode_padding_mode(DecodePaddingMode::Indifferent)
            .with_decode_allow_trailing_bits(true),
    );
    let decoded = decoder.decode(whole).ok()?;
    let has_key = decoded.windows(KEY.len()).any(|part| part == KEY);
    has_key.then_some((at, end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::{SecretRules, mask_secrets};

    fn masked(text: &str) -> String {
        mask_secrets(text, SecretRules::default()).text.into_owned()
    }

    /// Characters that look random, the same for the same seed.
    fn random(seed: u64, length: usize) -> String {
        const ALPHABET: &[u8; 62] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
        let mut state = seed;
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            char::from(ALPHABET[(state >> 33) as usize % ALPHABET.len()])
        };
        (0..length).map(|_| next()).collect()
    }

    #[test]
    fn a_secret_on_several_lines_is_masked_to_its_end() {
        for before in [
            "api_key: ",
            "password=",
            "token: ",
            "Authorization: Bearer ",
            "AWS_SECRET_ACCESS_KEY=",
            "with Bearer ",
        ] {
            for width in [20, 40, 64, 76, 80] {
                for between in [
                    "\n",
                    "\r\n",
                    "\n  ",
                    "\\\n",
                    " \\\n    ",
                    "\n> ",
                    "\n# ",
                    "\n+",
                ] {
                    let lines: Vec<String> = (1..5).map(|seed| random(seed, width)).collect();
                    let text = format!("{before}{}\nThat is all.", lines.join(between));
                    let shown = masked(&text);
                    let left: Vec<_> = lines.iter().filter(|it| shown.contains(*it)).collect();
                    assert!(left.is_empty(), "{text:?}: {shown}");
                    assert!(shown.ends_with("\nThat is all."), "{shown}");
                }
            }
        }
    }

    #[test]
    fn what_follows_a_secret_stays() {
        let key = random(7, 40);
        for next in [
            "Done",
            "next_setting_of_this_file: 5",
            "src/very/long/path/of_a_file.rs",
            "PATH=/usr/local/bin/2026",
            "2026-11-28T10:00:00Z",
            "md5",
            "a sentence with several words",
        ] {
            let text = format!("token: {key}\n{next}\n");
            let shown = masked(&text);
            assert!(shown.ends_with(&format!("\n{next}\n")), "{shown}");
        }
    }

    #[test]
    fn a_private_key_in_wrapped_base64_is_masked_wherever_it_begins() {
        let key = format!(
            "-----BEGIN PRIVATE KEY-----\n{}\n{}\n-----END PRIVATE KEY-----\n",
            random(3, 64),
            random(4, 64)
        );
        let certificate = format!(
            "-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n",
            random(5, 64)
        );
        for (file, is_secret) in [
            (key.clone(), true),
            (format!("{certificate}{key}"), true),
            (certificate, false),
        ] {
            let encoded = base64::engine::general_purpose::STANDARD.encode(file);
            for width in [64, 76, encoded.len()] {
                let lines: Vec<&str> = encoded
                    .as_bytes()
                    .chunks(width)
                    .map(|line| std::str::from_utf8(line).expect("base64 is ASCII"))
                    .collect();
                let text = format!("the file:\n{}\nend of it", lines.join("\n"));
                let shown = masked(&text);
                let left = lines.iter().filter(|line| shown.contains(**line)).count();
                let expected = if is_secret { 0 } else { lines.len() };
                assert_eq!(left, expected, "{width}: {shown}");
                assert!(shown.ends_with("\nend of it"), "{shown}");
            }
        }
    }
}
