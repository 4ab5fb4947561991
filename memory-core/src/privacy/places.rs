//! Recognises secrets by their context: after header names, options of well-known commands,
//! SQL clauses, and the Korean, Japanese and Chinese words for password.

use super::beginnings::begins_with;
use super::context::{Class, PASSES, Surroundings};
use super::formats::{Range, begins_word};
use super::shape::{
    LOOK, head, is_code_word, is_name_of_secret, is_ordinary_literal, is_placeholder, is_uuid,
    looks_chosen, looks_random,
};
use super::tags::is_blank;
use super::words::run;

/// `Bearer` and a credential that is not just the next word of a sentence.
pub(super) fn bearer_at(around: &Surroundings<'_>, at: usize, end: usize) -> Option<Range> {
    let text = around.text;
    let bytes = text.as_bytes();
    if at > 0 && bytes[at - 1].is_ascii_alphanumeric() {
        return None;
    }
    let rest = around.line_after(end);
    // Accepts `Bearer: x`, `bearer = "x"` and `Bearer%20x` as well as `Bearer x`.
    let sign = rest.strip_prefix("%20").unwrap_or(rest);
    let sign = sign.trim_start_matches([' ', '\t', ':', '=', '"', '\'']);
    let value = end + rest.len() - sign.len();
    if value == end {
        return None;
    }
    let length = around.run_end(Class::Credential, value) - value;
    let whole = &text[value..value + length];
    let credential = whole.trim_end_matches(['.', '-']);
    around.judge(credential);
    around.compare();
    if credential.is_empty() || is_placeholder(credential) || credential.starts_with("self.") {
        return None;
    }
    let header = around
        .line_before(at)
        .to_ascii_lowercase()
        .contains("authorization");
    let head = head(credential, LOOK);
    let digits = head.bytes().any(|b| b.is_ascii_digit());
    let secret = looks_random(credential)
        || (digits && credential.len() >= 6 && head.bytes().any(|b| b.is_ascii_alphabetic()))
        || credential.len() >= 32
        || (header
            && !is_name_of_secret(credential)
            && !around.is_code(at)
            && credential.len() >= 4);
    let unlike_a_word = head
        .bytes()
        .skip(1)
        .any(|b| b.is_ascii_uppercase() || b"/_+".contains(&b));
    let secret = secret || (unlike_a_word && !is_name_of_secret(credential) && !around.is_code(at));
    let call = bytes
        .get(value + length)
        .is_some_and(|b| b"({[$".contains(b));
    (secret && !call).then_some((at, value + credential.len()))
}

/// Schemes of an `Authorization` header.
const SCHEMES: &[&str] = &[
    "basic",
    "bearer",
    "token",
    "apikey",
    "api-key",
    "digest",
    "negotiate",
    "ntlm",
    "key",
    "splunk",
    "aws4-hmac-sha256",
    "sso-key",
    "genie-key",
    "bot",
];

/// The response of a digest, which is made of the password.
fn digest_response(around: &Surroundings<'_>, at: usize) -> Option<Range> {
    const NAME: &str = "response=";
    let line = around.line_after(at);
    let value = &line[line.find(NAME)? + NAME.len()..];
    let value = value.trim_start_matches(['"', '\'', '\\']);
    let length = run(value.as_bytes(), |b| b.is_ascii_alphanumeric());
    let begin = at + line.len() - value.len();
    (length > 0).then_some((begin, begin + length))
}

/// Whether a text begins with a word that looks random.
fn is_random_word(text: &str) -> bool {
    let text = head(text, LOOK);
    let ends = |c: char| c.is_whitespace() || "\"'`,\\<>".contains(c);
    looks_random(&text[..text.find(ends).unwrap_or(text.len())])
}

/// The credential of an `Authorization` header in any spelling.
pub(super) fn authorization_at(around: &Surroundings<'_>, end: usize) -> Option<Range> {
    let rest = around.line_after(end);
    let opened = rest.trim_start_matches(['"', '\'', ' ', '\t', ']', '\\']);
    let opened = opened.strip_prefix([':', '=', ','])?;
    let opened = opened.trim_start_matches(['"', '\'', ' ', '\t', '\\', '>', '`']);
    let value = end + rest.len() - opened.len();
    let scheme = run(opened.as_bytes(), |b| {
        b.is_ascii_alphanumeric() || b == b'-'
    });
    let named = opened[..scheme].to_ascii_lowercase();
    if named == "digest" {
        return digest_response(around, value);
    }
    let known = SCHEMES.contains(&named.as_str());
    let after_scheme = &opened[scheme..];
    let blanks = after_scheme.len() - after_scheme.trim_start_matches([' ', '\t']).len();
    // A service may have a scheme of its own: `KakaoAK …`.
    let is_own = scheme > 0 && !known && is_random_word(&after_scheme[blanks..]);
    let credential_at = if (known || is_own) && blanks > 0 {
        scheme + blanks
    } else {
        0
    };
    let credential = &opened[credential_at..];
    around.spend(2 * rest.len());
    let length = run(credential.as_bytes(), |b| {
        b.is_ascii_graphic() && !b"\"'`,\\<>".contains(&b)
    });
    let credential = credential[..length].trim_end_matches([';', ')']);
    around.judge(credential);
    around.compare();
    if credential.is_empty() || is_placeholder(credential) || credential.contains(['{', '$', '(']) {
        return None;
    }
    // "the Authorization: Basic parsing": base64 has other letters too.
    let is_word = named == "basic" && credential.bytes().all(|b| b.is_ascii_lowercase());
    let solid = credential.len() >= 6 && !is_name_of_secret(credential) && !is_word;
    let begin = value + credential_at;
    let mut secret_end = begin + credential.len();
    if secret_end == end + rest.len() {
        secret_end = around.run_end(Class::Credential, secret_end);
    }
    let secret = if is_own {
        looks_random(credential)
    } else if credential_at > 0 {
        looks_random(credential)
            || looks_chosen(credential)
            || (solid
                && (named == "basic" || !around.is_code(end))
                && credential
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b"+/=_-.:".contains(&b)))
    } else {
        looks_random(credential)
    };
    secret.then_some((value, secret_end))
}

/// The value of a `Cookie` header, or of something else that is called a cookie, if part of
/// it looks random.
pub(super) fn cookie_at(around: &Surroundings<'_>, at: usize, end: usize) -> Option<Range> {
    let text = around.text;
    let before = at.checked_sub(1).map(|i| text.as_bytes()[i]);
    if before.is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_') {
        return None;
    }

    let rest = around.line_after(end);
    let name_ends = rest.strip_prefix('s').unwrap_or(rest);
    let name_ends = name_ends.trim_start_matches(['"', '\'', '\\', ']', '`']);
    let signed = name_ends.trim_start_matches(' ');
    let is_header = signed.starts_with(':');
    let is_setting = text[at..end].bytes().all(|b| b.is_ascii_uppercase());
    let is_option = text[..at].ends_with("--");
    let value = match signed.strip_prefix([':', '=', ',']) {
        Some(value) => value,
        None if is_option && signed.len() < name_ends.len() => signed,
        None => return None,
    };
    let value = value.trim_start_matches([' ', '\t', '\\']);
    // `"node_modules/cookie": {` names a package.
    let are_many = rest.starts_with(['s', 'S']);
    if value.starts_with(['{', '[']) && are_many {
        return cookies_of_object(around, end + rest.len() - value.len());
    }
    let opened = value.trim_start_matches(['"', '\'', '`']);
    let is_quoted = opened.len() < value.len();
    if !(is_quoted || is_header || is_setting || is_option) {
        return None;
    }
    cookies_at(around, end + rest.len() - opened.len())
}

/// The values of an object that holds cookies by their names, `{'session': '…'}`, from the first to
/// the last that looks random.
fn cookies_of_object(around: &Surroundings<'_>, at: usize) -> Option<Range> {
    const MIN: usize = 16;
    const FAR: usize = 1024;
    let inside = head(&around.text[at..], FAR);
    let inside = &inside[..inside.find(['}', ']', '(']).unwrap_or(inside.len())];
    around.spend(PASSES * inside.len());
    let mut found: Option<Range> = None;
    let mut here = 0;
    while let Some(skipped) = inside[here..].find(['"', '\'']) {
        let begin = here + skipped + 1;
        let quote = char::from(inside.as_bytes()[begin - 1]);
        let Some(length) = inside[begin..].find(quote) else {
            break;
        };
        let value = inside[begin..begin + length].trim_end_matches('\\');
        here = begin + length + 1;
        let is_secret = value.len() >= MIN && looks_random(value) && !is_uuid(value);
        if is_secret && !inside[here..].trim_start().starts_with(':') {
            let end = at + begin + value.len();
            found = Some((found.map_or(at + begin, |(from, _)| from), end));
        }
    }
    found
}

/// `curl -b 'name=value; …'`.
pub(super) fn curl_cookie_at(around: &Surroundings<'_>, at: usize, end: usize) -> Option<Range> {
    let before = around.command_before(at);
    around.spend(before.len());
    let (from, rest) = around.value_after(end);
    let value = rest.trim_start_matches([' ', '\t', '$', '"', '\'']);
    before
        .contains("curl")
        .then(|| cookies_at(around, from + rest.len() - value.len()))
        .flatten()
}

/// The cookies from `begin` to a quote or the end of the line, if the value of one of them looks
/// random.
fn cookies_at(around: &Surroundings<'_>, begin: usize) -> Option<Range> {
    const ATTRIBUTES: &[&str] = &["domain", "path", "expires", "max-age", "samesite"];
    let rest = around.line_after(begin);
    let length = rest.find(['"', '\'']).unwrap_or(rest.len());
    let value = rest[..length].trim_end_matches('\\');
    around.spend(PASSES * length);
    let is_secret = value
        .split(';')
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, v)| (name.trim(), v.trim()))
        .filter(|(name, v)| {
            !v.contains([' ', '\\', '$', '{'])
                && !ATTRIBUTES.iter().any(|a| a.eq_ignore_ascii_case(name))
        })
        .any(|(_, v)| looks_random(v) || v.len() >= 16 && looks_chosen(v));
    let mut end = begin + value.trim_end_matches([' ', '\\']).len();
    if is_secret && length == rest.len() {
        let more = &around.text[begin + length..];
        end = begin + length + more.find(['\n', '\r', '"', '\'']).unwrap_or(more.len());
    }
    is_secret.then_some((begin, end))
}
/// The value of a cookie in a line of a file of cookies, with its path at `at` behind the first
/// sign: `host TRUE / TRUE 1700000000 session x`.
pub(super) fn cookie_file_at(around: &Surroundings<'_>, at: usize) -> Option<Range> {
    const FIELDS: usize = 5;
    let line = around.line_after(at);
    let mut fields = line.splitn(FIELDS, '\t').skip(1);
    let (is_secure, expires) = (fields.next()?, fields.next()?);
    let (_name, value) = (fields.next()?, fields.next()?);
    let is_line = matches!(is_secure, "TRUE" | "FALSE")
        && !expires.is_empty()
        && expires.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let begin = at + line.len() - value.len();
    let value = value.trim_end();
    around.judge(value);
    let is_secret = looks_random(value) && !is_uuid(value);
    (is_line && is_secret).then_some((begin, begin + value.len()))
}

/// The value of a cookie that holds a session, by its name: `sessionid=…`, `'PHPSESSID': '…'`.
pub(super) fn session_cookie_at(around: &Surroundings<'_>, at: usize, end: usize) -> Option<Range> {
    const MIN: usize = 16;
    let text = around.text;
    let name = &text[at..end];
    // `sessionId` names a conversation, not a cookie.
    let is_mixed = name.bytes().any(|b| b.is_ascii_uppercase())
        && name.bytes().any(|b| b.is_ascii_lowercase());
    if is_mixed && name.eq_ignore_ascii_case("sessionid") {
        return None;
    }
    let rest = around.line_after(end);
    let name_ends = rest.trim_start_matches(['"', '\'', '\\', ']', '`']);
    let is_quoted = name_ends.len() < rest.len();
    let value = name_ends
        .trim_start_matches(' ')
        .strip_prefix(if is_quoted {
            [':', '=', ',']
        } else {
            ['=', '=', '\t']
        })
        .or_else(|| name.ends_with('=').then_some(rest))?;
    let value = value.trim_start_matches([' ', '"', '\'', '\\', '`']);
    let begin = end + rest.len() - value.len();
    let end = around.run_end(Class::Connection, begin);
    let value = &text[begin..end];
    around.judge(value);
    let is_secret = value.len() >= MIN && !is_uuid(value);
    (is_secret && (looks_random(value) || head(value, LOOK).contains("%3A")))
        .then_some((begin, end))
}

/// The value of `"d"` or another private member of a JSON web key, which has a `"kty"` too.
pub(super) fn web_key_at(around: &Surroundings<'_>, at: usize, end: usize) -> Option<Range> {
    const MIN: usize = 40;
    const FAR: usize = 4096;
    let text = around.text;
    let rest = head(&text[end..], 8);
    let value = rest.trim_start().strip_prefix(':')?.trim_start();
    let begin = end + rest.len() - value.strip_prefix('"')?.len();
    let value_end = around.run_end(Class::Word, begin);
    if value_end - begin < MIN || !text[value_end..].starts_with('"') {
        return None;
    }
    let low = text.floor_char_boundary(at.saturating_sub(FAR));
    let near = head(&text[low..], 2 * FAR);
    around.spend(near.len() / 8);
    near.contains("\"kty\"").then_some((begin, value_end))
}

/// An Azure application secret: three characters, `8Q~`, and 31 to 34 more.
pub(super) fn azure_secret_at(around: &Surroundings<'_>, at: usize) -> Option<Range> {
    let text = around.text;
    let start = at.checked_sub(3)?;
    let length = around.run_end(Class::Azure, at + 3) - (at + 3);
    (text.is_char_boundary(start)
        && text.as_bytes()[start..at]
            .iter()
            .all(|b| Class::Azure.accepts(*b))
        && (28..=40).contains(&length))
    .then_some((start, at + 3 + length))
}

/// The value of an option of these programs.
pub(super) fn flag_of(
    around: &Surroundings<'_>,
    at: usize,
    end: usize,
    programs: &[&str],
) -> Option<Range> {
    let before = around.command_before(at);
    around.spend(programs.len() * before.len());
    if !programs.iter().any(|program| before.contains(program)) {
        return None;
    }
    let (from, rest) = around.value_after(end);
    let value = rest.trim_start_matches([' ', '\t', '"', '\'', '\\']);
    let begin = from + rest.len() - value.len();
    let length = value
        .find(|c: char| c.is_whitespace() || matches!(c, '"' | '\''))
        .unwrap_or(value.len());
    let password = value[..length].trim_end_matches('\\');
    (password.len() >= 4 && !is_placeholder(password) && !password.starts_with('-'))
        .then_some((begin, begin + password.len()))
}

/// The same, if a person or a program would choose the value.
pub(super) fn chosen_flag_of(
    around: &Surroundings<'_>,
    at: usize,
    end: usize,
    programs: &[&str],
) -> Option<Range> {
    let (begin, end) = flag_of(around, at, end, programs)?;
    let value = &around.text[begin..end];
    around.judge(value);
    (looks_random(value) || looks_chosen(value)).then_some((begin, end))
}

/// A wallet's recovery phrase: its words may be numbered, quoted and capitalised, and have commas or
/// line ends between them.
pub(super) fn recovery_phrase_at(text: &str, end: usize) -> Option<Range> {
    const MIN_WORDS: usize = 12;
    const MAX_WORDS: usize = 24;
    const LOOK_AT: usize = 512;
    const MAX_GAP: usize = 12;
    // Words of any sentence that no list of recovery words has.
    const OF_SENTENCES: [&str; 15] = [
        "and", "are", "but", "for", "from", "has", "not", "the", "their", "these", "was", "were",
        "which", "with", "your",
    ];
    let rest = head(&text[end..], LOOK_AT);
    let value = rest.trim_start_matches(|c: char| c.is_whitespace() || ":=：\"'`[".contains(c));
    let said = value.strip_prefix("is");
    let value = said
        .filter(|rest| rest.starts_with([' ', ':']))
        .unwrap_or(value);
    let of_gap =
        |c: char| c.is_whitespace() || c.is_ascii_digit() || "\"'`:=.,;)|[-*\\".contains(c);
    let value = value.trim_start_matches(of_gap);
    let begin = end + rest.len() - value.len();
    let (mut words, mut length, mut here) = (0, 0, value);
    while words < MAX_WORDS {
        let letters = run(here.as_bytes(), |b| b.is_ascii_alphabetic());
        let is_lower = here
            .bytes()
            .take(letters)
            .skip(1)
            .all(|b| b.is_ascii_lowercase());
        let is_of_sentence = OF_SENTENCES
            .iter()
            .any(|word| word.eq_ignore_ascii_case(&here[..letters]));
        if !(3..=8).contains(&letters) || !is_lower || is_of_sentence {
            break;
        }
        words += 1;
        length = value.len() - here.len() + letters;
        // A sentence ends there.
        if here[letters..].starts_with('.') {
            break;
        }
        let next = here[letters..]
            .trim_start_matches("\\n")
            .trim_start_matches(of_gap);
        let gap = here.len() - letters - next.len();
        if gap == 0 || gap > MAX_GAP {
            break;
        }
        here = next;
    }
    (words >= MIN_WORDS).then_some((begin, begin + length))
}

/// `xxxxxxxxxxxxxx.atlasv1.…`, with `.atlasv1.` at `at`.
pub(super) fn terraform_token_at(
    around: &Surroundings<'_>,
    at: usize,
    end: usize,
) -> Option<Range> {
    const NAME: usize = 14;
    let bytes = around.text.as_bytes();
    let name = bytes[at.saturating_sub(NAME)..at]
        .iter()
        .rev()
        .take_while(|b| b.is_ascii_alphanumeric())
        .count();
    let length = around.run_end(Class::Word, end) - end;
    (name == NAME && length >= 40).then_some((at - name, end + length))
}

/// A Telegram bot token: digits, `:AA`, and 30 or more characters.
pub(super) fn telegram_token_at(around: &Surroundings<'_>, at: usize) -> Option<Range> {
    let bytes = around.text.as_bytes();
    if !bytes[at..].starts_with(b":AA") {
        return None;
    }
    let digits = bytes[at.saturating_sub(12)..at]
        .iter()
        .rev()
        .take_while(|b| b.is_ascii_digit())
        .count();
    let length = around.run_end(Class::Word, at + 1) - (at + 1);
    (digits >= 7 && length >= 30).then_some((at - digits, at + 1 + length))
}

/// A Discord token: an id of 17 to 20 digits in base64, a time and a signature, with full stops
/// between them.
pub(super) fn discord_token_at(around: &Surroundings<'_>, at: usize) -> Option<Range> {
    let bytes = around.text.as_bytes();
    // The hash index ignores case, but base64 does not.
    let is_id = matches!(bytes[at], b'M' | b'N' | b'O') && begins_word(bytes, at);
    let id = around.run_end(Class::Word, at);
    if !is_id || !(23..=28).contains(&(id - at)) || bytes.get(id) != Some(&b'.') {
        return None;
    }
    let time = around.run_end(Class::Word, id + 1);
    if !(5..=7).contains(&(time - id - 1)) || bytes.get(time) != Some(&b'.') {
        return None;
    }
    let end = around.run_end(Class::Word, time + 1);
    (end - time > 27).then_some((at, end))
}

/// A Mailchimp key: 32 hexadecimal digits, `-us` and the number of a data centre.
pub(super) fn mailchimp_key_at(around: &Surroundings<'_>, at: usize, end: usize) -> Option<Range> {
    const DIGITS: usize = 32;
    let bytes = around.text.as_bytes();
    let start = at.checked_sub(DIGITS)?;
    let is_key = bytes[start..at].iter().all(u8::is_ascii_hexdigit) && begins_word(bytes, start);
    let number = bytes[end..].iter().take(3);
    let number = number.take_while(|byte| byte.is_ascii_digit()).count();
    (is_key && (1..=2).contains(&number)).then_some((start, end + number))
}

/// A licence key of New Relic: 36 letters and digits in front of `NRAL`.
pub(super) fn new_relic_key_at(around: &Surroundings<'_>, at: usize, end: usize) -> Option<Range> {
    const LETTERS: usize = 36;
    let bytes = around.text.as_bytes();
    let start = at.checked_sub(LETTERS)?;
    let key = &bytes[start..at];
    let is_key = bytes[at..end] == *b"NRAL"
        && key
            .iter()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        && key.iter().any(u8::is_ascii_digit)
        && begins_word(bytes, start);
    (is_key && !bytes.get(end).is_some_and(u8::is_ascii_alphanumeric)).then_some((start, end))
}

/// An Asana token: a version, one or two ids of at least 13 digits, and 32 hexadecimal digits,
/// as in `1/1200000000000000:0123456789abcdef0123456789abcdef`.
pub(super) fn asana_token_at(around: &Surroundings<'_>, at: usize) -> Option<Range> {
    let bytes = around.text.as_bytes();
    if !begins_word(bytes, at) {
        return None;
    }
    let mut end = at + 1;
    for _ in 0..2 {
        if bytes.get(end) != Some(&b'/') {
            break;
        }
        let digits = bytes[end + 1..].iter().take(20);
        let digits = digits.take_while(|byte| byte.is_ascii_digit()).count();
        if digits < 13 {
            return None;
        }
        end += 1 + digits;
    }
    if bytes.get(end) != Some(&b':') {
        return None;
    }
    let key = around.run_end(Class::Hex, end + 1);
    (key - end - 1 == 32).then_some((at, key))
}

/// The login of Oracle's programs: `sqlplus -s scott/tiger@db`.
pub(super) fn oracle_login_at(around: &Surroundings<'_>, end: usize) -> Option<Range> {
    let line = around.line_after(end);
    around.spend(line.len());
    let mut begin = end;
    for word in line.split(' ') {
        let is_option = word.is_empty() || word.starts_with('-');
        if !is_option {
            let login = word.trim_matches(['"', '\'']);
            let from = begin + word.len() - word.trim_start_matches(['"', '\'']).len();
            let (user, rest) = login.split_once('/')?;
            let password = &rest[..rest.rfind('@').unwrap_or(rest.len())];
            // A path to a script, or somebody whom the system knows: `/ as sysdba`.
            let is_path = user.is_empty() || user.starts_with(['@', '.', '~']);
            let is_login = !is_path && !password.is_empty() && !is_placeholder(password);
            let start = from + user.len() + 1;
            return is_login.then_some((start, start + password.len()));
        }
        begin += word.len() + 1;
    }
    None
}

/// SQL: `SET PASSWORD FOR 'ada'@'%' = 'x'`, with the account at `end`.
pub(super) fn set_password_at(around: &Surroundings<'_>, end: usize) -> Option<Range> {
    let line = around.line_after(end);
    let sign = line
        .find(['=', ';'])
        .filter(|at| line[*at..].starts_with('='))?;
    let value = line[sign + 1..].trim_start();
    let value = value
        .strip_prefix("PASSWORD")
        .map_or(value, |rest| rest.trim_start_matches([' ', '(']));
    let quoted = value.strip_prefix(['\'', '"'])?;
    let begin = end + line.len() - quoted.len();
    let content = &quoted[..quoted.find(['\'', '"'])?];
    (!content.is_empty() && !is_placeholder(content)).then_some((begin, begin + content.len()))
}

/// SQL: `IDENTIFIED BY 'x'`, `IDENTIFIED WITH plugin BY 'x'`, with the first word from `at` to
/// `end`. A statement may go on over lines.
pub(super) fn identified_by(around: &Surroundings<'_>, at: usize, end: usize) -> Option<Range> {
    const FAR: usize = 512;
    let rest = head(&around.text[end..], FAR);
    around.spend(rest.len());
    let words = rest.trim_start();
    let opened = ["BY", "by", "By", "WITH", "with", "With"]
        .iter()
        .find_map(|word| words.strip_prefix(word))?;
    if words.len() == rest.len() || !is_of_sql(around, at, end) {
        return None;
    }
    let opened = opened.trim_start();
    let opened = opened
        .strip_prefix("PASSWORD")
        .map_or(opened, str::trim_start);
    let plugin = run(opened.as_bytes(), |b| {
        b.is_ascii_alphanumeric() || b == b'_'
    });
    let opened = ["BY", "by", "AS", "as"]
        .iter()
        .find_map(|word| opened[plugin..].trim_start().strip_prefix(word))
        .map_or(opened, str::trim_start);
    let quoted = opened.strip_prefix(['\'', '"'])?;
    let begin = end + rest.len() - quoted.len();
    let content = &quoted[..quoted.find(['\'', '"'])?];
    (!content.is_empty() && !is_placeholder(content)).then_some((begin, begin + content.len()))
}

/// Whether "identified by" belongs to a statement, and not to a sentence.
fn is_of_sql(around: &Surroundings<'_>, at: usize, end: usize) -> bool {
    const FAR: usize = 200;
    let text = around.text;
    if text[at..end].bytes().all(|b| !b.is_ascii_lowercase()) {
        return true;
    }
    around.spend(2 * FAR);
    let near = text[text.floor_char_boundary(at.saturating_sub(FAR))..at].to_ascii_lowercase();
    let begins = [
        "create user",
        "alter user",
        "create role",
        "alter role",
        "grant ",
    ];
    begins.iter().any(|begin| near.contains(begin))
}

/// `curl -u name:password`, `-uname:password`, `--user=name:password`.
pub(super) fn login_of(
    around: &Surroundings<'_>,
    at: usize,
    end: usize,
    programs: &[&str],
) -> Option<Range> {
    let option = &around.text[at..end];
    let before = around.command_before(at + usize::from(option.starts_with(' ')));
    around.spend(programs.len() * before.len());
    if !programs.iter().any(|program| before.contains(program)) {
        return None;
    }
    let (from, line) = around.value_after(end);
    let rest = line.trim_start_matches([' ', '\t', '=', '\\']);
    let begin = from + line.len() - rest.len();
    // `--user-agent`
    if option.starts_with("--") && !option.ends_with(' ') && begin == end {
        return None;
    }
    let quote = rest.starts_with(['"', '\'']);
    let inner = &rest[usize::from(quote)..];
    let length = quote
        .then(|| inner.find(char::from(rest.as_bytes()[0])))
        .flatten()
        .or_else(|| inner.find(['"', '\'', ' ', '\t']))
        .unwrap_or(inner.len());
    let signs: &[char] = match before.contains("lftp ") {
        true => &[':', '%', ','],
        false => &[':', '%'],
    };
    let colon = inner[..length].find(signs)?;
    let password = inner[colon + 1..length].trim_end_matches('\\');
    // `docker run -u 1000:1000` names a user and a group.
    let is_number = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let are_ids = is_number(&inner[..colon]) && is_number(password);
    (!password.is_empty() && !is_placeholder(password) && !are_ids).then(|| {
        let start = begin + usize::from(quote) + colon + 1;
        (start, start + password.len())
    })
}

/// The password of a data source as programs in Go write it, with `@tcp(` at `at`:
/// `ada:x@tcp(127.0.0.1:3306)/shop`.
pub(super) fn data_source_at(around: &Surroundings<'_>, at: usize) -> Option<Range> {
    const MAX_LENGTH: usize = 160;
    let from = around
        .text
        .floor_char_boundary(at.saturating_sub(MAX_LENGTH));
    let near = &around.text[from..at];
    around.spend(near.len());
    let last = near.rsplit(char::is_whitespace).next().unwrap_or(near);
    let word = near.len() - last.len();
    // Generated passwords have signs, quotes too: only the user's name before the colon has none.
    let mut begins = near[word..].rmatch_indices(['"', '\'', '`']);
    let begin = begins
        .find(|(quote, _)| near[word + quote..].contains(':'))
        .map_or(word, |(quote, _)| word + quote + 1);
    let begin = near[begin..]
        .find("://")
        .map_or(begin, |scheme| begin + scheme + "://".len());
    let colon = begin + near[begin..].find(':')?;
    let password = near.get(colon + 1..)?;
    let is_login = colon > begin && !password.is_empty() && !is_placeholder(password);
    is_login.then_some((from + colon + 1, at))
}

/// `net user ada x /add` of Windows, from `at`, with the name at `end`.
pub(super) fn net_user_at(around: &Surroundings<'_>, at: usize, end: usize) -> Option<Range> {
    if !begins_word(around.text.as_bytes(), at) {
        return None;
    }
    let line = around.line_after(end);
    let (user, rest) = line.trim_start().split_once(' ')?;
    let rest = rest.trim_start();
    let begin = end + line.len() - rest.len();
    let (password, options) = rest.split_once(' ').unwrap_or((rest, ""));
    let is_password = !user.starts_with('/')
        && !password.starts_with(['/', '*'])
        && !is_placeholder(password)
        && (options.to_ascii_lowercase().contains("/add") || looks_chosen(password));
    is_password.then_some((begin, begin + password.len()))
}

/// A personal access token of Azure DevOps, with `AZDO` at `at`.
pub(super) fn azure_devops_token_at(around: &Surroundings<'_>, at: usize) -> Option<Range> {
    const BEFORE: std::ops::RangeInclusive<usize> = 74..=76;
    const AFTER: usize = 8;
    let bytes = around.text.as_bytes();
    let look = &bytes[at.saturating_sub(BEFORE.end() + 1)..at];
    let before = look.iter().rev().take_while(|b| b.is_ascii_alphanumeric());
    let before = before.count();
    let end = around.run_end(Class::Alphanumeric, at);
    let is_token =
        bytes[at..].starts_with(b"AZDO") && BEFORE.contains(&before) && end - at <= AFTER;
    is_token.then_some((at - before, end))
}

/// `auth=("ada", "password")`, with the literals at `end`.
pub(super) fn basic_auth_at(around: &Surroundings<'_>, end: usize) -> Option<Range> {
    let line = around.line_after(end);
    let literal = |text: &str| -> Option<(usize, usize)> {
        let opened = text
            .trim_start_matches([' ', '\\'])
            .strip_prefix(['"', '\''])?;
        let begin = text.len() - opened.len();
        let content = &opened[..opened.find(text.as_bytes()[begin - 1] as char)?];
        Some((begin, begin + content.trim_end_matches('\\').len()))
    };
    let (_, user) = literal(line)?;
    let next = line[user..].trim_start_matches(['\\', '"', '\'', ' ']);
    let next = next.strip_prefix(',')?;
    let (from, to) = literal(next)?;
    let password = &next[from..to];
    around.compare();
    let begin = end + line.len() - next.len();
    let is_secret = password.len() >= 4 && !is_placeholder(password);
    (is_secret && !is_ordinary_literal(password)).then_some((begin + from, begin + to))
}

/// `mysql -pPassword`, `docker login -p x`, `sshpass -p x`.
pub(super) fn password_flag_at(around: &Surroundings<'_>, at: usize, end: usize) -> Option<Range> {
    let before = around.command_before(at);
    around.spend(2 * before.len());
    let (from, rest) = around.value_after(end);
    // For `zip` and others only the capital: `unzip -p` prints a file.
    let is_capital = around.text[..end].ends_with('P');
    let names = |tools: &[&str]| tools.iter().any(|tool| before.contains(tool));
    let attached = names(&["mysql", "mariadb", "sshpass", "7z ", "rar "])
        || is_capital && names(&["sqlcmd ", "bcp ", "isql ", "osql "]);
    let apart = ["login", "sshpass"]
        .iter()
        .any(|tool| before.contains(tool))
        && ["docker", "podman", "sshpass", "az ", "oc ", "helm", "mongo"]
            .iter()
            .any(|tool| before.contains(tool));
    let apart = apart
        || names(&[
            "mongosh",
            "mongodump",
            "mongorestore",
            "mongo ",
            "cqlsh",
            "psexec",
            "twine ",
            "rdesktop",
            "ncftp",
            "veracrypt",
        ])
        || is_capital
            && names(&[
                "zip",
                "sqlcmd",
                "ssh-keygen",
                "bcp ",
                "isql ",
                "osql ",
                "mosquitto_",
            ]);
    let signed = rest.strip_prefix('=').filter(|_| apart);
    let value = signed.unwrap_or(rest).trim_start_matches([' ', '\t']);
    let begin = from + rest.len() - value.len();
    if (begin == end && !attached) || (begin > end && !apart) {
        return None;
    }
    let quote = value.starts_with(['"', '\'']);
    let inner = &value[usize::from(quote)..];
    let ends = |(at, c): (usize, char)| {
        let is_escaped = inner[..at].ends_with('\\');
        matches!(c, '"' | '\'') || !quote && c.is_whitespace() && !is_escaped
    };
    let length = inner
        .char_indices()
        .find(|found| ends(*found))
        .map_or(inner.len(), |(at, _)| at);
    let password = &inner[..length];
    let start = begin + usize::from(quote);
    (password.len() >= 4 && !is_placeholder(password) && !password.starts_with('-'))
        .then_some((start, start + length))
}

/// What stands between a name and its value in Korean, Japanese and Chinese; of two that begin alike,
/// the longer one comes first.
pub(super) const PARTICLES: [&str; 35] = [
    "는",
    "은",
    "이",
    "가",
    "를",
    "을",
    "로",
    "は、",
    "は",
    "が",
    "を",
    "就是",
    "是",
    "为",
    "為",
    "改成了",
    "改成",
    "改为了",
    "改为",
    "改為",
    "設為",
    "设为",
    "设成",
    "设置为",
    "設置為",
    "設定為",
    "设定为",
    "更改为",
    "更新为",
    "变更为",
    "换成",
    "換成",
    "重置为",
    "已改成",
    "已改为",
];

/// The Korean, Japanese and Chinese words for password, token and key, with a
/// particle or a colon and a value in Latin letters.
pub(super) fn native_word_at(around: &Surroundings<'_>, end: usize) -> Option<Range> {
    let rest = around.line_after(end);
    let quoted = rest.trim_start_matches(['"', '\'', '」', '』', '*', '`']);
    let spaced = without_remark(quoted.trim_start());
    let particle = PARTICLES.iter().find_map(|p| spaced.strip_prefix(p));
    let signed = particle.unwrap_or(spaced).trim_start();
    let behind = signed.strip_prefix(SIGNS);
    let value = match (behind, particle) {
        (Some(value), _) | (None, Some(value)) => value,
        (None, None) if spaced.len() < quoted.len() || spaced.starts_with(['「', '『', '“']) => {
            spaced
        }
        _ => return native_value_told(around, end),
    };
    let value = value.trim_start_matches([
        ' ', '\t', '"', '\'', '「', '『', '“', '‘', '`', '*', '\u{3000}',
    ]);
    let begin = end + rest.len() - value.len();
    if behind.is_some() && value.is_empty() {
        return native_value_below(around, begin);
    }
    if behind.is_some()
        && let Some(length) = native_value(value)
    {
        around.judge(&value[..length]);
        return Some((begin, begin + length));
    }
    let length = run(value.as_bytes(), |b| {
        b.is_ascii_graphic() && !b"\"'`".contains(&b)
    });
    let secret = value[..length].trim_end_matches(['.', ',', ')', '*', ';']);
    around.judge(secret);
    around.compare();
    if secret.is_empty() {
        return native_value_told(around, end);
    }
    if is_placeholder(secret) || is_name_of_secret(secret) || secret.contains('(') {
        return None;
    }
    let chosen = looks_random(secret) || (looks_chosen(secret) && !secret.contains("::"));
    // `암호: AES256`
    let is_version = secret.len() >= 6
        && secret.bytes().any(|b| b.is_ascii_digit())
        && secret.bytes().any(|b| b.is_ascii_alphabetic());
    let plain = behind.is_some()
        && secret.len() >= 4
        && !is_version
        && secret.bytes().all(|b| b.is_ascii_alphanumeric())
        && !is_code_word(secret)
        && !around.is_code(end);
    // `暗証番号は 4815 です` and `비밀번호는 12345678 입니다`, but not a year or a length.
    let least = match around.text[..end].ends_with("暗証番号") {
        true => 4,
        false => 6,
    };
    let is_number = particle.is_some()
        && (least..=12).contains(&secret.len())
        && secret.bytes().all(|b| b.is_ascii_digit())
        && !is_date(secret)
        && names_a_password(&around.text[..end])
        && ends_statement(&value[secret.len()..]);
    (chosen || plain || is_number).then_some((begin, begin + secret.len()))
}

/// A word for password of Spanish, French, Portuguese or Dutch, with a sign and a value that a person
/// or a program would choose: words of these languages have the letters of passwords.
pub(super) fn latin_word_at(
    around: &Surroundings<'_>,
    at: usize,
    end: usize,
    before: &str,
) -> Option<Range> {
    let bytes = around.text.as_bytes();
    let from = at.checked_sub(before.len())?;
    let is_whole = begins_with(bytes, from, before.as_bytes())
        && (from == 0 || !bytes[from - 1].is_ascii_alphanumeric());
    if !is_whole {
        return None;
    }
    const MAX_LENGTH: usize = 160;
    let whole = around.line_after(end);
    let line = head(whole, MAX_LENGTH);
    let signed = line.trim_start_matches([' ', '\u{a0}', '\u{202f}', '"', '\'', '`', '*']);
    const VERBS: [&str; 4] = ["es ", "est ", "é ", "is "];
    let said = VERBS.iter().find_map(|verb| signed.strip_prefix(verb));
    let value = signed
        .strip_prefix([':', '='])
        .or_else(|| said.filter(|_| line.starts_with(' ')))?;
    let value = value.trim_start_matches([' ', '\t', '"', '\'', '`', '*', '«']);
    let begin = end + line.len() - value.len();
    let ends = |c: char| is_blank(c) || "\"'`*»<".contains(c);
    let value = &value[..value.find(ends).unwrap_or(value.len())];
    let goes_on = begin + value.len() == end + line.len();
    let value = value.trim_end_matches(['.', ',', ')', ';']);
    around.judge(value);
    around.compare();
    let is_secret = (looks_random(value) || looks_chosen(value))
        && !is_placeholder(value)
        && !is_ordinary_literal(value)
        && !value.contains(['(', '[', '{']);
    if !is_secret || around.is_code(end) {
        return None;
    }
    let rest = &whole[begin - end..];
    let length = match goes_on {
        true => rest.find(ends).unwrap_or(rest.len()),
        false => value.len(),
    };
    Some((begin, begin + length))
}

/// Whether a text ends with a word for password, in which a number may stand: tokens of language
/// models are counted.
fn names_a_password(text: &str) -> bool {
    const WORDS: [&str; 11] = [
        "비밀번호",
        "비번",
        "패스워드",
        "암호",
        "パスワード",
        "暗証番号",
        "密码",
        "密碼",
        "口令",
        "пароль",
        "Пароль",
    ];
    WORDS.iter().any(|word| text.ends_with(word))
}

/// Whether a number is a year or a day: `2024`, `20241231`.
fn is_date(number: &str) -> bool {
    let is_century = number.starts_with("19") || number.starts_with("20");
    let two = |from: usize| number.get(from..from + 2).unwrap_or_default();
    match number.len() {
        4 => is_century,
        6 => is_century && ("01"..="12").contains(&two(4)),
        8 => is_century && ("01"..="12").contains(&two(4)) && ("01"..="31").contains(&two(6)),
        _ => false,
    }
}

/// Whether a statement in Korean, Japanese or Chinese ends behind its value, which `behind` follows:
/// with nothing but a sign or the verb "to be". A counter or another particle goes on with it.
pub(super) fn ends_statement(behind: &str) -> bool {
    const VERBS: [&str; 13] = [
        "입니다",
        "이야",
        "이에요",
        "예요",
        "이다",
        "이고",
        "이니",
        "이며",
        "인데",
        "です",
        "だ。",
        "である",
        "でした",
    ];
    let behind = behind.trim_start_matches(|c: char| " \t\"'`*」』”’".contains(c));
    behind.is_empty()
        || behind.starts_with(|c: char| ".,;!)。，、；！）\\\r\n".contains(c))
        || VERBS.iter().any(|verb| behind.starts_with(verb))
}

/// A value that a sentence announces after the word that ends at `end`: `비밀번호는 다음과 같습니다: x`,
/// `新密码如下：x`.
fn native_value_told(around: &Surroundings<'_>, end: usize) -> Option<Range> {
    const MAX_LENGTH: usize = 64;
    let line = head(around.line_after(end), MAX_LENGTH);
    let sign = line.find(SIGNS)?;
    let said = &line[..sign];
    let value = line[sign..].trim_start_matches(SIGNS).trim_start();
    // Other words before the sign say that something about the password follows: its rules, its kind.
    let said = said.trim_start();
    let particle = PARTICLES.iter().find_map(|p| said.strip_prefix(p));
    let announced = particle.unwrap_or(said).trim_start();
    let is_sentence = ANNOUNCING.iter().any(|words| announced.starts_with(words))
        && said
            .chars()
            .all(|c| c == ' ' || !c.is_ascii() && c.is_alphabetic());
    let begin = end + line.len() - value.len();
    let value_end = around.run_end(Class::Bare, begin);
    let value = &around.text[begin..value_end];
    let value = value.trim_end_matches(['.', ',', '。', '，', ';', ')']);
    around.judge(value);
    let is_secret = looks_random(value)
        || looks_chosen(value) && value.is_ascii() && !is_ordinary_literal(value);
    let is_value = is_secret && !value.contains(['(', '/', ':']) && !is_placeholder(value);
    (is_sentence && is_value && !around.is_code(end)).then_some((begin, begin + value.len()))
}

/// The words that say that a value follows: "as follows", "the following", "I tell you".
const ANNOUNCING: [&str; 15] = [
    "알려 ",
    "알려드",
    "알려줄",
    "告诉你",
    "告訴你",
    "教え",
    "다음과 같",
    "다음",
    "아래와 같",
    "아래",
    "如下",
    "以下",
    "次の通り",
    "次のとおり",
    "下記",
];

/// A text without a remark in parentheses before a sign: `(운영): …`.
fn without_remark(text: &str) -> &str {
    const MAX_LENGTH: usize = 32;
    let Some(inside) = text.strip_prefix(['(', '（']) else {
        return text;
    };
    let end = head(inside, MAX_LENGTH).find([')', '）']);
    let behind = end.map_or("", |end| inside[end..].trim_start_matches([')', '）']));
    match behind.trim_start().starts_with(SIGNS) {
        true => behind.trim_start(),
        false => text,
    }
}

/// The signs of an assignment, also as Korean, Japanese and Chinese keyboards write them.
const SIGNS: [char; 5] = [':', '=', '：', '＝', '→'];

/// A value that a person would choose, alone on the line after the end of one at `at`.
fn native_value_below(around: &Surroundings<'_>, at: usize) -> Option<Range> {
    let rest = &around.text[at..];
    let next = rest
        .strip_prefix("\r\n")
        .or_else(|| rest.strip_prefix('\n'))?;
    let line_at = around.text.len() - next.len();
    let line = around.line_after(line_at);
    let value = line.trim();
    around.judge(value);
    let is_chosen = !value.contains(is_blank)
        && !is_placeholder(value)
        && (looks_random(value) || looks_chosen(value));
    let begin = line_at + (line.len() - line.trim_start().len());
    is_chosen.then_some((begin, begin + value.len()))
}

/// The length of a value in another script that a person would choose as a password:
/// `바다코끼리77`. "최소 8자" states a minimum length and is not one.
fn native_value(value: &str) -> Option<usize> {
    const MIN_CHARACTERS: usize = 4;
    let value = head(value, LOOK);
    let ends = |c: char| c.is_whitespace() || "\"'`」』,，、。".contains(c);
    let value = &value[..value.find(ends).unwrap_or(value.len())];
    let is_chosen = value.ends_with(|c: char| c.is_ascii_digit() || "!@#$%^&".contains(c))
        && value.starts_with(|c: char| !c.is_ascii() && c.is_alphabetic())
        && value.chars().count() >= MIN_CHARACTERS
        && !value.contains(['(', '（', ':', '：', '/']);
    is_chosen.then_some(value.len())
}
