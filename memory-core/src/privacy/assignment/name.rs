//! Where a sensitive name begins and ends, and which sign follows it.

use crate::privacy::context::Surroundings;
use crate::privacy::formats::begins_word;
use crate::privacy::line::after_spaces;
use crate::privacy::shape::{has_pass, head, name_parts, surely_has_pass};
use crate::privacy::tags::is_blank;
use crate::privacy::tool_input::is_before_token;
use crate::privacy::words::run;

/// How much a word says about the value after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::privacy) enum Strength {
    /// `password`, `secret`, `api_key`: a plain value is a secret.
    Strong,
    /// `token`: equally strong, but also a common word in parsers and prose.
    Token,
    /// `key`, `auth`, `pass`: only a value that looks random is a secret.
    Weak,
}

/// A sensitive word.
#[derive(Clone, Copy, Debug)]
pub(in crate::privacy) struct Word {
    pub(in crate::privacy) text: &'static str,
    pub(in crate::privacy) strength: Strength,
    /// Whether it counts only as a complete part of a name (`key`, not `monkey`).
    pub(in crate::privacy) whole: bool,
}

/// Names that make a following `key` a secret.
const SECRET_KEYS: &[&str] = &[
    "secret",
    "private",
    "access",
    "api",
    "encryption",
    "encrypt",
    "signing",
    "sign",
    "master",
    "account",
    "consumer",
    "webhook",
    "license",
    "auth",
    "service",
    "client",
    "shared",
    "deploy",
    "crypto",
    "cipher",
    "aes",
    "hmac",
    "jwt",
    "admin",
    "app",
    "storage",
];

/// The signs by which Markdown emphasises or strikes out words.
pub(super) const EMPHASIS: [char; 3] = ['*', '_', '~'];

/// A sensitive name in a text, with tests for what follows it.
pub(super) struct NamedSecret<'a, 't> {
    pub(super) around: &'a Surroundings<'t>,
    /// Where the masked range starts.
    pub(super) start: usize,
    pub(super) name_start: usize,
    pub(super) name_end: usize,
    pub(super) name: &'t str,
    /// The sensitive word itself, as it is listed.
    word: &'static str,
    /// What stands in the name before the word.
    owner: &'t str,
    /// Whether the name is that of several secrets: `passwords`.
    pub(super) is_plural: bool,
    pub(super) strength: Strength,
}

/// What is between a name and its value.
pub(super) struct Operator {
    /// `:` or another sign used in types and prose.
    pub(super) is_colon: bool,
    pub(super) is_comparison: bool,
    pub(super) is_comma: bool,
    /// Whether blanks came before or after it.
    pub(super) spaced: bool,
    /// Whether a line end came after it.
    pub(super) line_end: bool,
    /// Where the value starts.
    pub(super) value: usize,
}

/// What a sign between a name and its value means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Assigns,
    /// Also the sign of types and of prose.
    Colon,
    Compares,
    /// Between the arguments of a call.
    Comma,
    /// No value of the name follows.
    Nothing,
}

/// The signs between a name and its value; of two that begin alike, the longer one comes first.
const SIGNS: [(&str, Sign); 22] = [
    ("::", Sign::Nothing),
    (":=", Sign::Assigns),
    (":", Sign::Colon),
    ("===", Sign::Compares),
    ("==", Sign::Compares),
    ("=~", Sign::Nothing),
    ("=>", Sign::Colon),
    // `password=3D"x"` in a mail.
    ("=3D", Sign::Assigns),
    ("=", Sign::Assigns),
    ("!==", Sign::Compares),
    ("!=", Sign::Compares),
    // `DB_PASSWORD ?= x` in a Makefile, `password ||= x`
    ("?=", Sign::Assigns),
    ("??=", Sign::Assigns),
    ("||=", Sign::Assigns),
    // `password%3Dx` in an address inside another one.
    ("%3D", Sign::Assigns),
    ("%3d", Sign::Assigns),
    // The signs of Korean, Japanese and Chinese keyboards.
    ("：", Sign::Colon),
    ("＝", Sign::Assigns),
    // `put API_KEY <<< x`
    ("<<<", Sign::Assigns),
    // Those of calls and of PHP, see `NamedSecret::sign_at`.
    ("(", Sign::Comma),
    (",", Sign::Comma),
    (";s", Sign::Colon),
];

impl<'a, 't> NamedSecret<'a, 't> {
    /// The name whose sensitive word starts at `at`, if the word is one of a name's last.
    pub(super) fn at(around: &'a Surroundings<'t>, at: usize, word: &Word) -> Option<Self> {
        let bytes = around.text.as_bytes();
        let word_end = at + word.text.len();
        let name_end = end_of_name(bytes, at, word)?;
        around.spend(64);
        let name_start = name_start(bytes, at);
        let name = &around.text[name_start..name_end];
        let owner = &around.text[name_start..at];
        let strength = strength_of(word, name, owner);
        // `key` belongs to the name before it; the specification's words do not.
        let is_of_list = || {
            let parts = name_parts(owner);
            parts.last().is_some_and(|part| is_before_token(part))
        };
        let strength =
            if word.text == "token" && (is_plural(&bytes[word_end..name_end]) || is_of_list()) {
                Strength::Weak
            } else {
                strength
            };
        Some(NamedSecret {
            around,
            start: if word.whole { name_start } else { at },
            name_start,
            name_end,
            name,
            word: word.text,
            owner,
            is_plural: is_plural(&bytes[word_end..name_end]),
            strength,
        })
    }

    /// Whether the name is that of an XML element: `<property name="db.password">`.
    pub(super) fn names_an_element(&self) -> bool {
        let before = self.around.line_before(self.name_start);
        let tag = before.rfind('<').map_or("", |open| &before[open..]);
        ["name=", "key="].iter().any(|name| tag.contains(name)) && !tag.contains('>')
    }

    /// Where the name, including its closing quote, `]` or `?`, ends, and whether the name
    /// is quoted.
    pub(super) fn after_name(&self) -> (usize, bool) {
        let bytes = self.around.text.as_bytes();
        let mut here = self.name_end;
        let escapes = escapes_of_quote(&bytes[here..]);
        let quote_at = here + escapes;
        if let Some(quote) = bytes.get(quote_at).copied()
            && matches!(quote, b'"' | b'\'' | b'`')
            && (escapes > 0 || self.is_enclosed(quote) || self.around.in_string(quote_at, quote))
        {
            here = quote_at + 1;
            here += usize::from(bytes.get(here) == Some(&b']'));
            return (here, true);
        }
        match bytes.get(here) {
            Some(b'?') => here += 1,
            // `[password] => x`, as PHP prints an array.
            Some(b']')
                if bytes[..self.name_start].ends_with(b"[")
                    && bytes[here + 1..].starts_with(b" => ") =>
            {
                here += 1;
            }
            Some(b'[') => {
                let digits = run(&bytes[here + 1..], |b| {
                    b.is_ascii_alphanumeric() || b == b'_'
                });
                if bytes.get(here + 1 + digits) == Some(&b']') {
                    here += digits + 2;
                }
            }
            Some(b'*' | b'_' | b'~' | b' ') => here = self.after_remark(here),
            Some(b'.') => here = self.after_leaders(here),
            // `<strong>Password</strong>: x`
            Some(b'<') => here += closing_tag(&self.around.text[here..]),
            _ => {}
        }
        (here, false)
    }

    /// The position after the signs that emphasise the name in Markdown, and after a remark about
    /// it before a colon: `**Password**:`, `Password (root):`; `here` if there are none.
    fn after_remark(&self, here: usize) -> usize {
        const MAX_LENGTH: usize = 28;
        let behind = head(&self.around.text[here..], MAX_LENGTH);
        self.around.spend(behind.len());
        // `token value: x`
        if let Some(rest) = behind.strip_prefix(" value")
            && rest.starts_with([':', '=', ' '])
        {
            return here + behind.len() - rest.len();
        }
        let emphasis = behind.len() - behind.trim_start_matches(EMPHASIS).len();
        let rest = &behind[emphasis..];
        let remark = rest
            .strip_prefix(" (")
            .and_then(|inside| inside.find(')'))
            .map_or(0, |length| length + 3);
        let sign = rest[remark..].trim_start_matches(' ');
        let is_sign = rest[remark..].starts_with([':', '：'])
            || emphasis > 0 && remark == 0 && sign.starts_with(['=', '＝', ':', '：']);
        match is_sign {
            true => here + emphasis + remark,
            false => self.after_leaders(here),
        }
    }

    /// The position after the dots that lead to a sign: `password .....: x`; `here` if there are
    /// none.
    fn after_leaders(&self, here: usize) -> usize {
        const MAX_LENGTH: usize = 64;
        const MIN: usize = 3;
        let behind = head(&self.around.text[here..], MAX_LENGTH);
        let rest = behind.trim_start_matches(' ').trim_start_matches('.');
        let dots = behind.trim_start_matches(' ').len() - rest.len();
        let is_signed = rest.trim_start_matches(' ').starts_with([':', '=']);
        match dots >= MIN && is_signed {
            true => here + behind.len() - rest.len(),
            false => here,
        }
    }

    /// The sign after the name, which ends at `after_name`, and where the value begins.
    pub(super) fn operator(&self, after_name: usize, quoted_name: bool) -> Option<Operator> {
        let text = self.around.text;
        let at = after_spaces(text, after_name);
        let (sign, length) = self.sign_at(at, after_name, quoted_name)?;
        let mut after = at + length;
        // `**Password:** x`
        let emphasis = ["** ", "__ ", "~~ ", "* ", "_ "].iter().find(|signs| {
            sign == Sign::Colon && text[after..].starts_with(**signs) && self.is_emphasised()
        });
        after += emphasis.map_or(0, |signs| signs.len());
        // `<b>Password:</b> x`
        after += closing_tag(&text[after..]);
        let mut value = after_spaces(text, after);
        // `password: → x`
        if let Some(behind) = text[value..].strip_prefix('→') {
            value = after_spaces(text, text.len() - behind.len());
        }
        self.around.spend(value - after_name);
        let line_end = matches!(text.as_bytes().get(value), Some(b'\n' | b'\r'));
        if line_end {
            let rest = &text[value..];
            value += rest.len() - rest.trim_start_matches(is_blank).len();
            self.around.spend(value - after);
        }
        Some(Operator {
            is_colon: sign == Sign::Colon,
            is_comparison: sign == Sign::Compares,
            is_comma: sign == Sign::Comma,
            spaced: at > after_name || value > after,
            line_end,
            value,
        })
    }

    /// The sign at `at` and its length, if a value follows it.
    fn sign_at(&self, at: usize, after_name: usize, quoted_name: bool) -> Option<(Sign, usize)> {
        let rest = &self.around.text[at..];
        let is_sign = |sign: &str| match sign {
            "=3D" => is_quote(rest.as_bytes().get(sign.len()).copied()),
            // `setApiKey("…")`
            "(" => at == after_name && self.is_setter(),
            // `set("token", "…")`, not a list of words.
            "," => quoted_name && self.is_first_argument(),
            ";s" => quoted_name,
            _ => true,
        };
        let (sign, kind) = SIGNS
            .iter()
            .find(|(sign, _)| rest.starts_with(sign) && is_sign(sign))?;
        match *kind {
            Sign::Nothing => None,
            // `"password";s:10:"x"`, as PHP serialises an array.
            kind if *sign == ";s" => Some((kind, 1 + length_of_string(&rest[1..])?)),
            kind => Some((kind, sign.len())),
        }
    }

    /// Whether a sign of emphasis stands before the name, or before the words of which it is the
    /// last.
    fn is_emphasised(&self) -> bool {
        let before = self.around.line_before(self.name_start);
        self.name.starts_with('_') || before.contains(EMPHASIS)
    }

    /// Whether the name is that of a setter method.
    fn is_setter(&self) -> bool {
        ["set", "with", "Set", "With"].iter().any(|verb| {
            self.name
                .strip_prefix(verb)
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase() || c == '_'))
        })
    }

    /// Whether the quoted name is the first argument of a call.
    fn is_first_argument(&self) -> bool {
        let before = self.around.line_before(self.name_start);
        // `setProperty("db.password", …)`
        let before =
            before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || "._-".contains(c));
        let before = before.trim_end_matches(['"', '\'', '`', '\\']);
        before.trim_end().ends_with('(')
    }

    /// Whether one of some words stands before the name: "GPG key".
    pub(super) fn follows(&self, words: &[&str]) -> bool {
        let before = self.around.line_before(self.name_start).trim_end();
        let last = before.rsplit(|c: char| !c.is_ascii_alphanumeric()).next();
        last.is_some_and(|last| words.iter().any(|word| last.eq_ignore_ascii_case(word)))
    }

    /// Whether the sign of quotation stands right before the name, or before the path that the name
    /// ends: `"db.password`.
    fn is_enclosed(&self, quote: u8) -> bool {
        const FAR: usize = 64;
        let bytes = self.around.text.as_bytes();
        let near = &bytes[self.name_start.saturating_sub(FAR)..self.name_start];
        let path = run_back(near, |b| b.is_ascii_alphanumeric() || b"._-".contains(&b));
        near[..near.len() - path].last() == Some(&quote)
    }

    /// `password: "db_password"`, `secret = secret`: the value repeats the name.
    pub(super) fn is_own_name(&self, value: &str) -> bool {
        value.len() <= MAX_NAME_LENGTH && plain(value) == plain(self.name)
    }

    /// `SEND_MESSAGE_TOKEN = "send_message"`: the value repeats a part of the name.
    pub(super) fn is_in_name(&self, value: &str) -> bool {
        (MIN_LETTERS..=MAX_NAME_LENGTH).contains(&value.len())
            && plain(self.name).contains(&plain(value))
    }

    /// `pass`, `--pass`, `wifi_pass`, `RABBITMQ_DEFAULT_PASS`, but not what passes: `first_pass`,
    /// `render_pass`, `lowPass`.
    pub(super) fn is_pass(&self) -> bool {
        const PASSES: [&str; 32] = [
            "first", "second", "third", "last", "next", "one", "two", "single", "multi", "num",
            "max", "low", "high", "band", "all", "render", "shader", "shadow", "depth", "geometry",
            "lighting", "light", "post", "pre", "forward", "backward", "blur", "compute", "loop",
            "opt", "module", "boarding",
        ];
        self.word == "pass"
            && name_parts(self.owner)
                .last()
                .is_none_or(|owner| !PASSES.contains(&owner.as_str()))
    }

    /// Whether the end of the name says whose secret it is: `password_root`.
    pub(super) fn says_whose(&self) -> bool {
        is_whose(&self.name.as_bytes()[self.owner.len() + self.word.len()..])
    }

    /// Whether the name is the kind of a resource in its address: `arn:aws:secretsmanager:…:secret:x`.
    pub(super) fn is_of_resource(&self) -> bool {
        let before = self.around.line_before(self.name_start);
        before
            .split_whitespace()
            .next_back()
            .is_some_and(|word| word.contains("arn:"))
    }

    /// Whether the name has several words that begin with capitals, as those of types and kinds do.
    pub(super) fn is_name_of_kind(&self) -> bool {
        self.name.starts_with(|c: char| c.is_ascii_uppercase())
            && self.name.bytes().all(|b| b.is_ascii_alphanumeric())
            && self.name.bytes().any(|b| b.is_ascii_lowercase())
            && name_parts(self.name).len() > 1
    }

    /// Whether the name is that of a header that allows a browser something.
    pub(super) fn allows(&self) -> bool {
        const HEADERS: [&str; 3] = [
            "access-control-allow-credentials",
            "access-control-allow-headers",
            "access-control-expose-headers",
        ];
        HEADERS
            .iter()
            .any(|header| self.name.eq_ignore_ascii_case(header))
    }

    /// Whether the sensitive word is `token`.
    pub(super) fn is_token(&self) -> bool {
        self.word == "token"
    }

    /// Whether the sensitive word is `credential`, which also covers names of users.
    pub(super) fn is_credential(&self) -> bool {
        self.word == "credential"
    }

    /// `secret key`, `api key`: a name of two words.
    pub(super) fn is_key_of_secret(&self) -> bool {
        const MAX_LENGTH: usize = 24;
        if !self.name.eq_ignore_ascii_case("key") {
            return false;
        }
        let text = self.around.text;
        let from = text.floor_char_boundary(self.name_start.saturating_sub(MAX_LENGTH));
        let before = text[from..self.name_start].strip_suffix(' ');
        let word = before.and_then(|text| text.rsplit(|c: char| !c.is_ascii_alphabetic()).next());
        word.is_some_and(|word| {
            let mut kinds = SECRET_KEYS.iter();
            kinds.any(|kind| word.eq_ignore_ascii_case(kind))
        })
    }
}

/// A value that is longer repeats no name.
const MAX_NAME_LENGTH: usize = 80;
/// One that is shorter can occur in any.
const MIN_LETTERS: usize = 4;

/// The letters and digits of a name, in lower case.
fn plain(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

fn strength_of(word: &Word, name: &str, owner: &str) -> Strength {
    if word.strength == Strength::Weak && word.text == "key" {
        let lower = name.to_ascii_lowercase();
        let lower = lower.trim_end_matches("key").trim_end_matches(['_', '-']);
        if SECRET_KEYS.iter().any(|kind| lower.ends_with(kind)) {
            return Strength::Strong;
        }
    }
    if word.text == "pass"
        && name_parts(owner)
            .last()
            .is_some_and(|part| surely_has_pass(part) || is_joined(owner, name) && has_pass(part))
    {
        return Strength::Strong;
    }
    word.strength
}

/// Whether an owner and the word are written as one word: `requirepass`, `LDAPPASS`.
fn is_joined(owner: &str, name: &str) -> bool {
    let is_upper = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_uppercase);
    let last = owner.as_bytes().last();
    last.is_some_and(u8::is_ascii_alphanumeric)
        && is_upper(last) == is_upper(name.as_bytes().get(owner.len()))
}

/// The end of the name whose sensitive word starts at `at`, if the word is one of its parts: also
/// `pass` right behind who has one, `dbpass`.
pub(super) fn end_of_name(bytes: &[u8], at: usize, word: &Word) -> Option<usize> {
    let end = after_suffix(bytes, at + word.text.len())?;
    let has_owner = || {
        let owner = std::str::from_utf8(&bytes[name_start(bytes, at)..at]).unwrap_or_default();
        let parts = name_parts(owner);
        word.text == "pass" && parts.last().is_some_and(|owner| has_pass(owner))
    };
    (!word.whole || begins_part(bytes, at) || has_owner()).then_some(end)
}

fn is_plural(suffix: &[u8]) -> bool {
    matches!(suffix, [b's' | b'S'])
}

/// How many backslashes escape the quote with which `rest` begins: one for each level of JSON in a
/// string of JSON, doubled at each. 0 if they stand before something else.
pub(super) fn escapes_of_quote(rest: &[u8]) -> usize {
    const MAX: usize = 31;
    let length = run(&rest[..rest.len().min(MAX + 1)], |b| b == b'\\');
    match is_quote(rest.get(length).copied()) {
        true => length,
        false => 0,
    }
}

/// The length of the tag with which a text begins that closes an element within a line: `</b>`.
fn closing_tag(text: &str) -> usize {
    const TAGS: [&str; 7] = ["b", "strong", "i", "em", "code", "span", "u"];
    let close = |rest: &str| {
        let end = head(rest, 8).find('>')?;
        TAGS.contains(&&rest[..end]).then_some(end + 3)
    };
    text.strip_prefix("</").and_then(close).unwrap_or(0)
}

pub(super) fn is_quote(byte: Option<u8>) -> bool {
    matches!(byte, Some(b'"' | b'\''))
}

/// Whether a part of a name starts at `at`: after a sign or at a capital.
fn begins_part(bytes: &[u8], at: usize) -> bool {
    at.checked_sub(1).is_none_or(|i| {
        !bytes[i].is_ascii_alphanumeric()
            || (bytes[i].is_ascii_lowercase() && bytes[at].is_ascii_uppercase())
            || begins_word(bytes, at)
    })
}

pub(super) fn name_start(bytes: &[u8], at: usize) -> usize {
    let look = &bytes[at.saturating_sub(64)..at];
    at - run_back(look, |b| {
        b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')
    })
}

pub(super) fn run_back(bytes: &[u8], test: impl Fn(u8) -> bool) -> usize {
    bytes.iter().rev().take_while(|b| test(**b)).count()
}

/// The end of the name: after the word, only `s`, a number, or a word that keeps its
/// meaning (`SECRET_KEY_BASE`, `password_prod`) may follow.
fn after_suffix(bytes: &[u8], word_end: usize) -> Option<usize> {
    const SUFFIXES: &[&str] = &[
        "base",
        "value",
        "val",
        "string",
        "str",
        "raw",
        "plain",
        "text",
        "hex",
        "b64",
        "base64",
        "dev",
        "test",
        "live",
        "staging",
        "production",
        "prod",
        "default",
        "main",
        "primary",
        "secondary",
        "old",
        "new",
        "confirm",
        "confirmation",
        "override",
    ];
    let rest = &bytes[word_end..bytes.len().min(word_end + 32)];
    let mut length = run(rest, |b| b.is_ascii_alphanumeric() || b == b'_');
    // `password-admin`
    if length == 0 && rest.first() == Some(&b'-') {
        length = 1 + run(&rest[1..], |b| b.is_ascii_alphanumeric());
        return Some(word_end + if is_whose(&rest[..length]) { length } else { 0 });
    }
    // `__password__`
    let emphasis = run_back(&rest[..length], |b| b == b'_');
    let length = length - emphasis;
    let tail = &rest[..length];
    let keeps_meaning = match tail {
        [] => true,
        [b's' | b'S'] => true,
        _ => {
            let word = tail.strip_prefix(b"_").unwrap_or(tail);
            let number = word.strip_prefix(b"v").or(word.strip_prefix(b"V"));
            number.unwrap_or(word).iter().all(u8::is_ascii_digit)
                || SUFFIXES
                    .iter()
                    .any(|s| s.as_bytes().eq_ignore_ascii_case(word))
                || is_whose(tail)
        }
    };
    keeps_meaning.then_some(word_end + length)
}

/// Whether the end of a name says whose secret it is: `_root`, `-admin`, `Github`.
fn is_whose(tail: &[u8]) -> bool {
    const OWNERS: [&str; 40] = [
        "admin",
        "root",
        "db",
        "mysql",
        "postgres",
        "pg",
        "redis",
        "mongo",
        "ftp",
        "sftp",
        "ssh",
        "smtp",
        "imap",
        "ldap",
        "vpn",
        "wifi",
        "mqtt",
        "proxy",
        "sudo",
        "github",
        "gitlab",
        "bitbucket",
        "stripe",
        "slack",
        "discord",
        "telegram",
        "openai",
        "anthropic",
        "google",
        "aws",
        "azure",
        "gcp",
        "npm",
        "pypi",
        "docker",
        "sentry",
        "twilio",
        "sendgrid",
        "heroku",
        "cloudflare",
    ];
    let word = match tail {
        [b'_' | b'-', word @ ..] => word,
        [b'A'..=b'Z', next, ..] if next.is_ascii_lowercase() => tail,
        _ => return false,
    };
    OWNERS
        .iter()
        .any(|owner| owner.as_bytes().eq_ignore_ascii_case(word))
}

/// The length of what PHP writes before a string that it serialises: `s:10:`.
fn length_of_string(text: &str) -> Option<usize> {
    const MAX_DIGITS: usize = 6;
    let digits = head(text.strip_prefix("s:")?, MAX_DIGITS);
    let length = run(digits.as_bytes(), |b| b.is_ascii_digit());
    digits[length..]
        .starts_with(':')
        .then_some("s:".len() + length + 1)
}

/// Whether a name is one of the environment: `POSTGRES_PASSWORD`.
pub(super) fn is_name_of_variable(name: &str) -> bool {
    name.contains('_') && name.bytes().all(|b| !b.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_with_the_word_or_with_what_keeps_its_meaning() {
        assert_eq!(after_suffix(b"=x", 0), Some(0));
        assert_eq!(after_suffix(b"_BASE=x", 0), Some(5));
        assert_eq!(after_suffix(b"2: x", 0), Some(1));
        assert_eq!(after_suffix(b"_url=x", 0), None);
        assert_eq!(after_suffix(b"_ROOT=x", 0), Some(5));
        assert_eq!(after_suffix(b"-admin: x", 0), Some(6));
        assert_eq!(after_suffix(b"-file: x", 0), Some(0));
        assert_eq!(after_suffix(b"Github: x", 0), Some(6));
        assert_eq!(after_suffix(b"github: x", 0), None);
        assert_eq!(after_suffix(b"_v4=x", 0), Some(3));
        assert_eq!(after_suffix(b"izer=x", 0), None);
    }
}
