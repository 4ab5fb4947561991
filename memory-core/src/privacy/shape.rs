//! Judges the shape of a value: random, a placeholder, a sentence, a name, or an expression
//! of a programming language. Pure functions on short texts.

use super::scanned::visit;
use super::words::run;

/// Only this much of a value is examined, so that the work stays linear in the text.
pub(super) const LOOK: usize = 256;

/// Words that name or describe secrets: a value made only of these (`"access_token"`,
/// `"x-api-key"`) is a name, not a secret.
const META_WORDS: &[&str] = &[
    "access",
    "api",
    "apikey",
    "auth",
    "authorization",
    "basic",
    "bearer",
    "bytes",
    "change",
    "client",
    "column",
    "confirm",
    "confirmation",
    "continuation",
    "cookie",
    "credential",
    "credentials",
    "csrf",
    "csrfmiddlewaretoken",
    "current",
    "default",
    "empty",
    "env",
    "error",
    "expired",
    "field",
    "file",
    "forgot",
    "hash",
    "header",
    "hidden",
    "id",
    "input",
    "invalid",
    "jwt",
    "key",
    "keys",
    "label",
    "login",
    "missing",
    "name",
    "new",
    "next",
    "null",
    "oauth",
    "oauth2",
    "old",
    "optional",
    "page",
    "pagination",
    "pass",
    "passphrase",
    "passwd",
    "password",
    "passwords",
    "path",
    "placeholder",
    "private",
    "public",
    "pwd",
    "refresh",
    "repeat",
    "required",
    "reset",
    "secret",
    "secrets",
    "session",
    "sign",
    "signature",
    "string",
    "text",
    "token",
    "tokens",
    "type",
    "url",
    "user",
    "username",
    "verification",
    "x",
    "xsrf",
];

/// Words that occur in sentences but hardly ever in a passphrase.
const FUNCTION_WORDS: &[&str] = &[
    "a",
    "about",
    "after",
    "again",
    "all",
    "an",
    "and",
    "any",
    "are",
    "as",
    "at",
    "be",
    "before",
    "but",
    "by",
    "can",
    "cannot",
    "could",
    "do",
    "does",
    "don't",
    "enter",
    "expected",
    "for",
    "from",
    "has",
    "have",
    "how",
    "i",
    "if",
    "in",
    "into",
    "is",
    "it",
    "its",
    "may",
    "must",
    "my",
    "no",
    "none",
    "not",
    "now",
    "of",
    "on",
    "only",
    "or",
    "our",
    "please",
    "see",
    "should",
    "so",
    "than",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "these",
    "they",
    "this",
    "to",
    "too",
    "unexpected",
    "used",
    "was",
    "we",
    "what",
    "when",
    "where",
    "which",
    "who",
    "why",
    "will",
    "with",
    "without",
    "would",
    "you",
    "your",
];

/// Literals and type names of programming languages.
const CODE_WORDS: &[&str] = &[
    "any",
    "array",
    "auto",
    "bool",
    "boolean",
    "byte",
    "bytes",
    "char",
    "data",
    "date",
    "false",
    "files",
    "float",
    "function",
    "i32",
    "i64",
    "int",
    "int32",
    "int64",
    "integer",
    "long",
    "nan",
    "never",
    "nil",
    "none",
    "null",
    "nullptr",
    "number",
    "object",
    "self",
    "sensitive",
    "str",
    "string",
    "symbol",
    "text",
    "this",
    "true",
    "u32",
    "u64",
    "u8",
    "uint64",
    "undefined",
    "unit",
    "unknown",
    "uuid",
    "varchar",
    "void",
    "write",
    "read",
    "include",
    "omit",
    "same-origin",
    "yes",
    "no",
    "required",
    "optional",
];

fn listed(list: &[&str], word: &str) -> bool {
    list.iter().any(|w| w.eq_ignore_ascii_case(word))
}

/// Whether a word is typical of sentences.
pub(super) fn is_function_word(word: &str) -> bool {
    listed(
        FUNCTION_WORDS,
        word.trim_matches(|c: char| c.is_ascii_punctuation()),
    )
}

/// Whether a word is a verb with which the subject of a commit begins.
pub(super) fn is_verb_of_commit(word: &str) -> bool {
    const VERBS: &[&str] = &[
        "accept",
        "add",
        "added",
        "allow",
        "avoid",
        "change",
        "changed",
        "check",
        "clarify",
        "clean",
        "convert",
        "correct",
        "deprecate",
        "disallow",
        "document",
        "drop",
        "dropped",
        "enable",
        "disable",
        "ensure",
        "expire",
        "expires",
        "fix",
        "fixed",
        "fixes",
        "handle",
        "ignore",
        "implement",
        "improve",
        "introduce",
        "make",
        "mark",
        "move",
        "moved",
        "prevent",
        "refactor",
        "reject",
        "remove",
        "removed",
        "rename",
        "replace",
        "return",
        "revert",
        "rework",
        "rotate",
        "sanitize",
        "simplify",
        "split",
        "stop",
        "support",
        "switch",
        "test",
        "treat",
        "tweak",
        "update",
        "updated",
        "use",
        "validate",
        "warn",
    ];
    listed(VERBS, word.trim_end_matches([',', '.', ';']))
}

/// Whether a word is the name of a type by its last part, as in `SecretStr`, `Types.String`,
/// `char*` and `varchar(255)`.
pub(super) fn is_name_of_type(word: &str) -> bool {
    const LAST: &[&str] = &[
        "array",
        "buffer",
        "control",
        "credential",
        "credentials",
        "element",
        "field",
        "hash",
        "key",
        "object",
        "password",
        "property",
        "str",
        "string",
        "text",
        "token",
    ];
    // What people begin a password with: `MySuperSecretKey`.
    const CHOSEN: &[&str] = &[
        "change", "my", "our", "some", "super", "the", "very", "your",
    ];
    const COLUMNS: &[&str] = &["varchar", "nvarchar", "char", "text", "readonly", "impl"];
    let word = head(word, LOOK).trim_end_matches([',', ';', '`', ')']);
    let name = word
        .trim_start_matches('&')
        .trim_end_matches(['?', '*', '[', ']']);
    let name = name.split('(').next().unwrap_or_default();
    if listed(COLUMNS, name) {
        return true;
    }
    let is_path = name
        .split('.')
        .all(|part| part.bytes().all(|b| b.is_ascii_alphanumeric()) && !part.is_empty());
    let last = name.rsplit('.').next().unwrap_or_default();
    let is_capital = name.starts_with(|c: char| c.is_ascii_uppercase()) || name.contains('.');
    // A number stands before its last word at most: `Uint8Array`.
    let digits = name.bytes().filter(u8::is_ascii_digit).count();
    let parts = name_parts(last);
    let is_last = parts
        .last()
        .is_some_and(|part| LAST.contains(&part.as_str()));
    let is_chosen = parts
        .first()
        .is_some_and(|part| CHOSEN.contains(&part.as_str()));
    is_path && is_capital && is_last && !is_chosen && (digits == 0 || name == "Uint8Array")
}

/// Whether a word is a literal or type name of programming languages.
pub(super) fn is_code_word(word: &str) -> bool {
    listed(CODE_WORDS, word)
}

/// The start of a text, at most `limit` bytes, cut at a character boundary.
pub(super) fn head(text: &str, limit: usize) -> &str {
    let head = &text[..text.floor_char_boundary(limit.min(text.len()))];
    visit(head.len());
    head
}

/// Whether a text looks randomly generated: letters and digits alternating often, or a long
/// run of hexadecimal digits.
///
/// Names from programs (`parseAccessToken2`, `sha256_digest`) stay within one character
/// class for several letters; keys do not. The limits were chosen so that keys in the usual
/// alphabets pass and identifiers of real programs do not.
pub(super) fn looks_random(text: &str) -> bool {
    let text = head(text, LOOK).trim_end_matches(['=', ';', ',', '.', ')']);
    let bytes = text.as_bytes();
    if bytes.len() < 12
        || !bytes
            .iter()
            .all(|b| b.is_ascii_alphanumeric() || b"+/=_-.~:".contains(b))
    {
        return false;
    }
    // A path, a dotted name or a time is judged by its longest part.
    let longest = bytes
        .split(|b| matches!(b, b'.' | b':' | b'/' | b'~'))
        .max_by_key(|part| part.len())
        .unwrap_or(bytes);
    let judged = if longest.len() * 3 < bytes.len() * 2 && !bytes.contains(&b'+') {
        longest
    } else {
        bytes
    };
    let letters = judged.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let digits = judged.iter().filter(|b| b.is_ascii_digit()).count();
    let solid = letters + digits;
    if solid < 10 {
        return false;
    }
    let hex = judged.iter().all(|b| b.is_ascii_hexdigit() || *b == b'-');
    if hex && solid >= 24 {
        return digits >= 3 && letters >= 3;
    }
    let runs = class_runs(judged);
    // Ten times the average run length of a class.
    let average = solid * 10 / runs.max(1);
    match solid {
        ..16 => digits > 1 && letters > 1 && average <= 21,
        16..20 => digits > 0 && letters > 1 && average <= 24,
        20..32 => (digits > 0 && average <= 30) || average <= 23,
        _ => (digits > 0 && average <= 36) || average <= 26,
    }
}

/// Whether a text is a UUID.
pub(super) fn is_uuid(text: &str) -> bool {
    const GROUPS: [usize; 5] = [8, 4, 4, 4, 12];
    const LENGTH: usize = 36;
    text.len() == LENGTH
        && text.split('-').map(str::len).eq(GROUPS)
        && text.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-')
}

/// `{"name": "PHPSESSID", "value": "…"}`: the cookie of a session, as browsers export it.
pub(super) fn is_session_cookie(name: &str, value: &str) -> bool {
    const NAMES: [&str; 6] = [
        "session",
        "sessionid",
        "phpsessid",
        "jsessionid",
        "sid",
        "_session",
    ];
    const MIN: usize = 16;
    let is_cookie = NAMES.iter().any(|known| name.eq_ignore_ascii_case(known));
    is_cookie && value.len() >= MIN && looks_random(value) && !is_uuid(value)
}

/// Whether a text names something by a UUID or a hash, perhaps with words around it:
/// `Linux-node-<sha256>`, `<md5>.png`.
pub(super) fn is_named_by_hash(text: &str) -> bool {
    let is_hash = |part: &str| {
        matches!(part.len(), 32 | 40 | 64) && part.bytes().all(|b| b.is_ascii_hexdigit())
    };
    let text = head(text, LOOK).trim_end_matches([',', ';', ')', '`', ':']);
    let ids = text
        .split(['/', ':', '.', '_'])
        .filter(|part| is_uuid(part));
    let hashes = text
        .split(['/', ':', '.', '_', '-'])
        .filter(|part| is_hash(part));
    let Some(longest) = ids.chain(hashes).max_by_key(|part| part.len()) else {
        return false;
    };
    text.split(longest).all(|other| !looks_random(other))
}

/// Runs of one character class; a capital with its following lower-case letters is one run,
/// as in `camelCase`.
fn class_runs(bytes: &[u8]) -> usize {
    #[derive(PartialEq, Clone, Copy)]
    enum Class {
        Lower,
        Upper,
        Digit,
        Other,
    }
    let mut runs = 0;
    let mut before = Class::Other;
    let mut upper_length = 0;
    for byte in bytes {
        let class = match byte {
            b'a'..=b'z' => Class::Lower,
            b'A'..=b'Z' => Class::Upper,
            b'0'..=b'9' => Class::Digit,
            _ => Class::Other,
        };
        let joins = class == before
            || (before == Class::Upper && class == Class::Lower && upper_length == 1);
        if class == Class::Upper {
            upper_length = if before == Class::Upper {
                upper_length + 1
            } else {
                1
            };
        } else if !joins {
            upper_length = 0;
        }
        if !joins && class != Class::Other {
            runs += 1;
        }
        before = class;
    }
    runs
}

/// Whether a value looks like a password chosen by a person: at least six characters,
/// letters with digits or with signs that names do not contain.
pub(super) fn looks_chosen(text: &str) -> bool {
    let text = head(text, LOOK).trim_end_matches(['.', ',', ';', ')', ':']);
    let letters = text.bytes().filter(u8::is_ascii_alphabetic).count();
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let signs = text.bytes().filter(|b| b"!@#$%^&".contains(b)).count();
    text.len() >= 6
        && letters > 0
        && (digits > 0 || signs > 0)
        && !text.contains("://")
        && !text.contains("()")
        && !is_version(text)
}

/// Whether one of several words could only be part of a password: `s3cr3t pass phrase`,
/// `My Dog Rex 2019!`. Sentences about passwords hold numbers, but no such words.
pub(super) fn has_chosen_word(text: &str) -> bool {
    let text = head(text, LOOK);
    let is_chosen = |word: &str| {
        let word = word.trim_matches(|c: char| "\"'`.,;:()[]".contains(c));
        let has_digit = word.bytes().any(|b| b.is_ascii_digit());
        let is_plain = word.bytes().all(|b| b.is_ascii_digit());
        // `RFC7519`, `12-character`
        let is_name = word.contains(['-', '/', '_'])
            || !word
                .bytes()
                .any(|b| b.is_ascii_lowercase() || b.is_ascii_punctuation());
        let ends_in_sign = word.len() >= 4 && word.ends_with(['!', '@', '#', '$', '%', '^', '&']);
        has_digit && (ends_in_sign || looks_chosen(word) && !is_plain && !is_name)
    };
    text.contains(' ') && text.split_whitespace().any(is_chosen)
}

/// `v1.2.3`, `utf8`, `sha256`, `OAuth2`: a short name followed by a number.
fn is_version(text: &str) -> bool {
    let tail = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let name = &text[..text.len() - tail.len()];
    let numbers = tail
        .bytes()
        .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'_'));
    numbers
        && (tail.contains('.')
            || listed(
                &[
                    "v", "version", "utf", "sha", "md", "oauth", "base", "http", "node", "python",
                    "ed", "aes", "step", "rs", "hs", "es", "latin", "iso", "cp", "windows",
                ],
                name.trim_end_matches(['-', '_']),
            ))
}

/// Whether a value is a placeholder filled in elsewhere: `${TOKEN}`, `{{ secret }}`, `$1`,
/// `%s`, `<token>`, `****`, `[REDACTED]`.
pub(super) fn is_placeholder(text: &str) -> bool {
    let text = head(text, LOOK).trim_end_matches([';', ',']);
    if text.is_empty() {
        return true;
    }
    if has_chosen_default(text) {
        return false;
    }
    if ["${", "{{", "$(", "<%", "#{", "\\(", "%("]
        .iter()
        .any(|open| text.contains(open))
    {
        return true;
    }
    if text.starts_with("[REDACTED") || text.starts_with("[PRIVATE") {
        return true;
    }
    // The address of a secret or a key in a vault of Google.
    if text.starts_with("projects/") && (text.contains("/secrets/") || text.contains("/keyRings/"))
    {
        return true;
    }
    let bytes = text.as_bytes();
    match bytes[0] {
        b'$' if text.len() > 1 => {
            let name = text[1..].trim_end_matches([')', '}', ']']);
            let is_name = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
            let mixed = name.bytes().any(|b| b.is_ascii_digit())
                && name.bytes().any(|b| b.is_ascii_lowercase())
                && name.len() > 2;
            // Vim writes the name of a variable letter so: `$<char>`.
            return is_name && !mixed || text[1..].starts_with('<') && text.ends_with('>');
        }
        b'%' if text.len() > 1 => {
            let is_variable = text.len() > 2 && text.ends_with('%');
            if is_variable || are_directives(text) {
                return true;
            }
        }
        // `token=[%s]`, `[{0}]`
        b'[' if text[1..].starts_with(['%', '{']) => {
            return is_placeholder(before_escape(&text[1..]).trim_end_matches(']'));
        }
        b'a'..=b'z' if text.contains("=%") && are_directives(text) => return true,
        b'{' => {
            // `{}`, `{token}`, `{token:?}`, perhaps followed by text.
            if let Some(close) = text.find('}') {
                return text[1..close]
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b"_.:?!#()[]'\" ".contains(&b));
            }
        }
        b'<' => {
            return text.contains('>')
                || text[1..]
                    .bytes()
                    .all(|b| b.is_ascii_alphabetic() || b"_-".contains(&b));
        }
        b':' | b'@' | b'?' if is_lower_name(&text[1..]) => return true,
        _ => {}
    }
    const MIN: usize = 3;
    let is_hidden = bytes.iter().all(|b| b"*.-_#?\\/=|:`".contains(b))
        || text.chars().all(|c| c == '•' || c == '…')
        || text.len() >= MIN && bytes.iter().all(|b| b.eq_ignore_ascii_case(&b'x'));
    if is_hidden {
        return true;
    }
    let lower = text.to_ascii_lowercase();
    lower.starts_with("your") && lower[4..].starts_with(['-', '_', ' '])
        || lower.contains("[...]")
        || lower == "..."
}

/// Whether a text consists of directives of formats and signs between them: `%s`, `%-8d`, `%s:%s`,
/// `%s\n`.
fn are_directives(text: &str) -> bool {
    const MAX_LENGTH: usize = 2;
    let mut directives = before_escape(text).split('%');
    // `key=%s`
    let before = directives.next().unwrap_or_default();
    let name = before.strip_suffix('=').unwrap_or(before);
    let has_none_before = is_lower_name(name) && (name.is_empty() || name.len() < before.len());
    let mut is_any = false;
    has_none_before
        && directives.all(|directive| {
            is_any = true;
            let kind = directive.trim_start_matches(|c: char| "-0123456789.".contains(c));
            // `%s&id=%s`
            let (kind, next) = kind.split_once('&').unwrap_or((kind, ""));
            let is_name = next.is_empty() || next.strip_suffix('=').is_some_and(is_lower_name);
            let kind = kind.trim_end_matches([':', '@', '/', ',', ';', '&', '-', '_', ']', ')']);
            is_name
                && kind.len() <= MAX_LENGTH
                && kind.starts_with(|c| "sdvqxXfTi@wrupzcgeabo".contains(c))
        })
        && is_any
}

/// Whether a text has only small letters and `_`, as the names of parameters have.
fn is_lower_name(name: &str) -> bool {
    name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
}

/// The part of a value before the first escape of a line end or a tab.
pub(super) fn before_escape(value: &str) -> &str {
    let escapes = ["\\n", "\\r", "\\t"].iter();
    let end = escapes.filter_map(|escape| value.find(escape)).min();
    let ends = |c: char| matches!(c, '\\' | '.' | ',' | ';' | ')' | '!' | '?' | ':');
    end.map_or(value, |end| value[..end].trim_end_matches(ends))
}

/// Whether a reference to a variable has a default that a person would choose as a password.
pub(super) fn has_chosen_default(text: &str) -> bool {
    default_of(text).is_some_and(|default| looks_random(default) || looks_chosen(default))
}

/// The value that stands in for a missing variable: `${DB_PASSWORD:-x}`, `${DB_PASSWORD:x}`.
fn default_of(text: &str) -> Option<&str> {
    let inside = text.strip_prefix("${")?;
    let inside = inside.strip_suffix('}').unwrap_or(inside);
    let of_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let name = inside.find(|c| !of_name(c))?;
    let default = inside[name..].trim_start_matches([':', '-', '=', '+']);
    (!default.contains(['$', '{', '?'])).then_some(default)
}

/// Parts of a name: split at signs and at case changes.
pub(super) fn name_parts(name: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut part = String::new();
    let mut before_lower = false;
    for c in name.chars() {
        let boundary = !c.is_alphanumeric() || (c.is_uppercase() && before_lower);
        if boundary && !part.is_empty() {
            parts.push(std::mem::take(&mut part));
        }
        if c.is_alphanumeric() {
            part.extend(c.to_lowercase());
        }
        before_lower = c.is_lowercase() || c.is_ascii_digit();
    }
    if !part.is_empty() {
        parts.push(part);
    }
    parts
}

/// Whether the `pass` of something with this name is a password whatever its value is: `db_pass`.
pub(super) fn surely_has_pass(owner: &str) -> bool {
    const OWNERS: &[&str] = &[
        "db", "smtp", "mail", "email", "user", "admin", "root", "mysql", "postgres", "redis",
        "ftp", "ssh", "login", "proxy", "vpn", "sudo", "basic", "database", "become", "key",
        "store",
    ];
    OWNERS.contains(&owner)
}

/// The same, also for a name whose `pass` may be a setting: `svc_pass = var.svc2`.
pub(super) fn has_pass(owner: &str) -> bool {
    const OWNERS: &[&str] = &[
        "pg", "ldap", "imap", "pop3", "wifi", "wlan", "mqtt", "svc", "sql", "mongo", "rsync",
        "rabbit", "account", "bind", "require",
    ];
    surely_has_pass(owner) || OWNERS.contains(&owner)
}

/// Whether a value is only the name of a secret: `access_token`.
pub(super) fn is_name_of_secret(text: &str) -> bool {
    if text.len() > 64 {
        return false;
    }
    const ISSUERS: [&str; 6] = ["aws", "azure", "gcp", "github", "google", "iam"];
    let parts = name_parts(text);
    let parts = match parts.as_slice() {
        [issuer, rest @ ..] if rest.len() > 1 && ISSUERS.contains(&issuer.as_str()) => rest,
        parts => parts,
    };
    parts.iter().any(|part| part.len() > 1)
        && parts
            .iter()
            .all(|part| listed(META_WORDS, part) || is_code_word(part) || is_function_word(part))
}

/// Whether one of the words of a name says what its value is: `password1`, `sha256Hex`, `Utf8String`.
pub(super) fn is_described(name: &str) -> bool {
    name_parts(head(name, LOOK)).iter().any(|part| {
        let word = part.trim_end_matches(|c: char| c.is_ascii_digit());
        listed(META_WORDS, word) || is_code_word(part) || is_version(part)
    })
}

/// Whether a value is a sentence or a user interface label.
pub(super) fn is_sentence(text: &str) -> bool {
    let text = head(text, LOOK);
    if text.ends_with([':', '…']) || (text.ends_with(' ') && !text.trim().is_empty()) {
        return true;
    }
    const LABELS: [&str; 11] = [
        "비밀번호",
        "암호",
        "토큰",
        "パスワード",
        "トークン",
        "密码",
        "密碼",
        "令牌",
        "Passwort",
        "ot de passe",
        "ontraseña",
    ];
    if LABELS.iter().any(|label| text.contains(label)) {
        return true;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    words.len() >= 2
        && (words.iter().any(|word| {
            is_function_word(word)
                || listed(
                    META_WORDS,
                    word.trim_matches(|c: char| c.is_ascii_punctuation()),
                )
        }) || text.ends_with('.') && text.bytes().all(|b| !b.is_ascii_digit()))
}

/// Whether a quoted value in a program is not a secret although its name is sensitive.
pub(super) fn is_ordinary_literal(text: &str) -> bool {
    let text = head(text, LOOK);
    if !text.chars().any(char::is_alphanumeric) && text.chars().count() < 4 {
        return true;
    }
    if matches!(text, "anonymous" | "anonymous@") {
        return true;
    }
    let is_path = [
        "/", "./", "../", "~/", "http://", "https://", "file:", "arn:", "vault:", "op://", "env:",
        "sha256:",
    ]
    .iter()
    .any(|start| text.starts_with(start));
    if is_path {
        return true;
    }
    // `[PAD]`, `#d8dee9`, `2.02`, `_PrivateKey`, and the rest of an expression after a
    // quote inside another string.
    let bytes = text.as_bytes();
    let special = bytes.len() > 2
        && bytes[0] == b'['
        && bytes[bytes.len() - 1] == b']'
        && bytes[1..bytes.len() - 1]
            .iter()
            .all(|b| b.is_ascii_uppercase() || *b == b'_');
    let colour = bytes.first() == Some(&b'#')
        && matches!(bytes.len(), 4 | 7 | 9)
        && bytes[1..].iter().all(u8::is_ascii_hexdigit);
    let numbers = text.contains('.') && bytes.iter().all(|b| b.is_ascii_digit() || *b == b'.');
    let hidden_type = bytes.first() == Some(&b'_')
        && bytes.get(1).is_some_and(u8::is_ascii_uppercase)
        && bytes[1..].iter().all(u8::is_ascii_alphabetic);
    let joined = bytes.len() > 1
        && matches!(bytes[0], b'\'' | b'"')
        && (bytes[1].is_ascii_whitespace() || b".+,);".contains(&bytes[1]));
    let option = bytes.first() == Some(&b'-') && bytes.len() <= 3;
    let escape = bytes.first() == Some(&b'\\') && bytes.len() <= 8;
    // `list[V1Secret]`
    let generic = ["list[", "dict[", "dict(", "map["]
        .iter()
        .any(|kind| text.starts_with(kind))
        && text.ends_with([']', ')']);
    let path_of_names = text.contains("::")
        && bytes
            .iter()
            .all(|b| b.is_ascii_alphabetic() || b"_:$".contains(b));
    if special
        || colour
        || numbers
        || hidden_type
        || joined
        || escape
        || option
        || generic
        || path_of_names
        || is_code_word(text)
    {
        return true;
    }
    let is_rule_list = text
        .split_once('|')
        .is_some_and(|(first, _)| is_name_of_secret(first) && !first.contains(char::is_whitespace));
    if is_rule_list {
        return true;
    }
    let is_pattern = [
        "\\s", "\\w", "\\d", "\\b", "[^", "(?", ".*", ".+", "[a-z", "[A-Z", "[0-9",
    ]
    .iter()
    .any(|sign| text.contains(sign));
    if is_pattern {
        return true;
    }
    let without_digits = !text.bytes().any(|b| b.is_ascii_digit());
    let name_like = text
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'));
    let parts_name_a_secret = || name_parts(text).iter().any(|part| listed(META_WORDS, part));
    let screaming = text.bytes().all(|b| b.is_ascii_uppercase() || b == b'_') && text.contains('_');
    let dotted = name_like && text.contains('.') && !text.ends_with('.');
    (without_digits && (screaming || dotted) && parts_name_a_secret())
        || is_name_of_secret(text)
        || is_sentence(text)
}

/// Whether a bare value reads as an expression: a name, a path of names, a call, a number,
/// with the usual signs around them.
pub(super) fn is_expression(text: &str) -> bool {
    let text = head(text, LOOK);
    text.bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"_.$:&*<>[](){},;?!|+/=-'\"`".contains(&b))
        && text
            .bytes()
            .next()
            .is_some_and(|b| b.is_ascii_alphanumeric() || b"_$&*[{(<@-!|".contains(&b))
}

/// Whether a bare value can only be an expression: a call, a path with `::` or `->`, a
/// reference, a generic type.
pub(super) fn is_surely_expression(text: &str) -> bool {
    let text = head(text, LOOK);
    let bytes = text.as_bytes();
    let name = run(bytes, |b| {
        b.is_ascii_alphanumeric() || b"_.:&*?!$>-".contains(&b)
    });
    let starts_as_name = bytes
        .first()
        .is_some_and(|b| b.is_ascii_alphabetic() || b"_:&*$".contains(b));
    // The arguments of a call may contain anything.
    if name > 1 && starts_as_name && matches!(bytes.get(name), Some(b'(' | b'[')) {
        return true;
    }
    let member = ["self.", "this.", "cls.", "$this", "*mut", "*const"]
        .iter()
        .any(|start| text.starts_with(start))
        || (text.starts_with('@') && !looks_chosen(text));
    // A regular expression between slashes.
    if member
        || ["/^", "/[", "::"]
            .iter()
            .any(|start| text.starts_with(start))
    {
        return true;
    }
    if !is_expression(text) {
        return false;
    }
    let generic = name > 0
        && bytes.get(name) == Some(&b'<')
        && (bytes[0].is_ascii_alphabetic() || bytes[0] == b'&');
    let opens = matches!(bytes[0], b'[' | b'{' | b'(' | b'|' | b'<')
        || ["&mut", "&str", "&self", "&'"]
            .iter()
            .any(|start| text.starts_with(start));
    generic || opens || text.contains("::") || text.contains("->") || text.contains("?.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_look_random_and_identifiers_do_not() {
        for key in [
            "a1B2c3D4e5F6g7H8i9J0k1L2",
            "k3Jq8rXUtn5FmI/K7mDeNG/bPxRf1CYz",
            "5f4dcc3b5aa765d61d8327deb882cf99",
            "550e8400-e29b-41d4-a716-446655440000",
            "Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MA==",
            "q8Zr2LwX9vTn4KpB",
        ] {
            assert!(looks_random(key), "{key}");
        }
        for name in [
            "parser.next_token()",
            "getAccessTokenFromRequest",
            "self.session.refresh_token",
            "MAX_TOKEN_LENGTH",
            "sha256_hash_of_token",
            "crypto.subtle.importKey",
            "config.auth.v2.token_url",
            "AbstractSingletonProxyFactoryBean",
            "2024-01-02T03:04:05",
            "process.env.OPENAI_API_KEY",
            "utf8_to_utf16_converter",
        ] {
            assert!(!looks_random(name), "{name}");
        }
    }

    #[test]
    fn placeholders_are_told_from_values() {
        for text in [
            "${TOKEN}",
            "$TOKEN",
            "$1",
            "%s",
            "{}",
            "{token:?}",
            "{{ x }}",
            "<token>",
            "****",
            "your-api-key",
            ":password",
        ] {
            assert!(is_placeholder(text), "{text}");
        }
        for text in ["hunter2", "$ecr3tW0rd", "p@ss", "{a!b@c"] {
            assert!(!is_placeholder(text), "{text}");
        }
    }

    #[test]
    fn labels_and_sentences_are_ordinary_and_passphrases_are_not() {
        for text in [
            "Password is required",
            "Enter password: ",
            "access_token",
            "GITHUB_TOKEN",
            "비밀번호를 입력하세요",
            "auth.token.invalid",
            "/run/secrets/db",
        ] {
            assert!(is_ordinary_literal(text), "{text}");
        }
        for text in [
            "hunter2",
            "correct horse battery staple",
            "supersecretvalue",
            "호랑이",
        ] {
            assert!(!is_ordinary_literal(text), "{text}");
        }
    }
}
