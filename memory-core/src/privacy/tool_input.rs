//! Masks the arguments of a tool call: every value whose key names a secret, at any depth,
//! and secrets inside all other strings.

use serde_json::{Map, Value};
use unicode_normalization::UnicodeNormalization;

use super::beginnings::{Beginnings, begins_with};
use super::shape::{
    has_pass, is_placeholder, is_session_cookie, looks_chosen, looks_random, name_parts,
};
use super::words::{REDACTED, mask_word_patterns};
use crate::model::json::Json;
use crate::model::read::words;
use crate::text::show::is_invisible;

words! {
    /// Which keys of a JSON object name a secret.
    #[derive(Default)]
    SecretKeys ("keys") {
        /// Keys that contain `password`, `secret`, `key`, `token`, `auth` or `credential`
        /// anywhere, ignoring letter case. This is the specification's rule (the default), and
        /// also matches `author`, `keyboard` and `tokenizer`.
        #[default]
        Substring = "substring",
        /// Keys whose words name a secret: `dbPassword`, `access_token` and `apiKey`, but
        /// neither `author` nor `max_tokens`. What is stored is filtered by these.
        Words = "words",
    }
}

/// A tool's arguments without secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MaskedInput {
    /// The arguments. Objects and arrays are kept; the keys of objects are sorted, as everywhere.
    pub input: Json,
    /// The number of values and places that were masked.
    pub secret_count: u32,
}

/// Masks the arguments of a tool call by the specification's rules: strings and numbers
/// under secret keys become `[REDACTED]`, and in other strings what the word patterns of
/// [`mask_secrets`](super::mask_secrets) match. Objects and arrays are processed to any depth; `true`, `false`
/// and `null` stay.
///
/// The library itself filters arguments with its full filter; this is the rule alone.
pub fn mask_tool_input(input: &Json, keys: SecretKeys) -> MaskedInput {
    let mut value = input.to_value();
    let mut secret_count = 0u32;
    let mut in_strings = 0u32;
    mask_value(
        &mut value,
        keys,
        Numbers::Kept,
        &mut secret_count,
        &mut |text| {
            let masked = mask_word_patterns(text);
            in_strings = in_strings.saturating_add(masked.secret_count);
            masked.text.into_owned()
        },
    );
    MaskedInput {
        input: Json::from_value(&value),
        secret_count: secret_count.saturating_add(in_strings),
    }
}

/// What becomes of numbers whose key is not secret.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Numbers {
    /// They stay.
    Kept,
    /// Their text is filtered like a string, and replaces them if it changes.
    Filtered,
}

/// Masks a JSON value in place; `texts` filters values whose key is not secret.
pub(super) fn mask_value(
    value: &mut Value,
    keys: SecretKeys,
    numbers: Numbers,
    secret_count: &mut u32,
    texts: &mut dyn FnMut(&str) -> String,
) {
    let mut walk = Walk {
        keys,
        numbers,
        secret_count,
        texts,
    };
    walk.value(value, false);
}

/// How the values of a tool's arguments are masked.
struct Walk<'a> {
    keys: SecretKeys,
    numbers: Numbers,
    secret_count: &'a mut u32,
    texts: &'a mut dyn FnMut(&str) -> String,
}

impl Walk<'_> {
    fn value(&mut self, value: &mut Value, secret: bool) {
        match value {
            Value::String(text) => {
                let reference = self.keys == SecretKeys::Words
                    && text.starts_with(['$', '{'])
                    && is_placeholder(text);
                let is_nothing = self.keys == SecretKeys::Words && text.is_empty();
                if secret && !is_nothing && !reference {
                    self.redact(value);
                } else {
                    *text = (self.texts)(text);
                }
            }
            Value::Number(_) if secret => self.redact(value),
            Value::Number(_) if self.numbers == Numbers::Filtered => {
                let text = value.to_string();
                let filtered = (self.texts)(&text);
                if filtered != text {
                    *value = Value::String(filtered);
                }
            }
            Value::Array(items) => {
                if !secret && self.are_lines(items) {
                    self.lines(items);
                }
                self.items(items, secret);
            }
            Value::Object(fields) => self.fields(fields, secret),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Whether strings are the lines of a text, or pieces of several lines, in which something begins
    /// that may end in another one: a key or a private section.
    fn are_lines(&self, items: &[Value]) -> bool {
        self.keys == SecretKeys::Words
            && items.len() > 1
            && items.iter().all(Value::is_string)
            && items.iter().filter_map(Value::as_str).any(may_go_on)
    }

    /// Filters lines as the text that they form. If something is hidden, each line is an item then.
    fn lines(&mut self, lines: &mut Vec<Value>) {
        let texts = || lines.iter().filter_map(Value::as_str);
        let have_ends = texts().any(|text| text.ends_with('\n'));
        let text: String = match have_ends {
            true => texts().collect(),
            false => texts().collect::<Vec<_>>().join("\n"),
        };
        let filtered = (self.texts)(&text);
        // Of a text, the filter also joins empty lines, which are items here.
        let is_same = (filtered.lines().filter(|line| !line.is_empty()))
            .eq(text.lines().filter(|line| !line.is_empty()));
        if is_same {
            return;
        }
        *lines = match have_ends {
            true => filtered.split_inclusive('\n').map(Value::from).collect(),
            false => filtered.split('\n').map(Value::from).collect(),
        };
    }

    fn items(&mut self, items: &mut [Value], secret: bool) {
        let is_pair = self.keys == SecretKeys::Words && is_pair_of_secret(items);
        let mut option = false;
        for (index, item) in items.iter_mut().enumerate() {
            let names_next =
                self.keys == SecretKeys::Words && item.as_str().is_some_and(is_secret_option);
            let is_value = is_pair && index == 1
                || option && item.as_str().is_some_and(|text| !text.starts_with('-'));
            self.value(item, secret || is_value);
            option = names_next;
        }
        if self.keys == SecretKeys::Words {
            self.command(items);
        }
    }

    /// Filters the arguments of a command as the line that they form: `["mysql", "-px"]`.
    fn command(&mut self, items: &mut [Value]) {
        const MAX: usize = 256;
        const MAX_LENGTH: usize = 1_024;
        let arguments: Option<Vec<&str>> = items.iter().take(MAX + 1).map(Value::as_str).collect();
        let Some(arguments) = arguments else {
            return;
        };
        let is_argument = |text: &&str| text.len() <= MAX_LENGTH && !text.contains('\n');
        let is_command = arguments.len() <= MAX
            && arguments.iter().all(is_argument)
            && arguments.iter().any(|text| text.starts_with('-'));
        if !is_command {
            return;
        }
        let line = arguments.join(" ");
        let filtered = (self.texts)(&line);
        let mut words = filtered.split(' ');
        let parts: Vec<String> = arguments
            .iter()
            .map(|text| {
                let count = text.split(' ').count();
                words.by_ref().take(count).collect::<Vec<_>>().join(" ")
            })
            .collect();
        // Where a blank was masked, too, the words no longer tell which argument is which.
        if filtered != line && filtered.split(' ').count() == line.split(' ').count() {
            for (item, part) in items.iter_mut().zip(parts) {
                *item = Value::String(part);
            }
        }
    }

    fn fields(&mut self, fields: &mut Map<String, Value>, secret: bool) {
        let keys = self.keys;
        // {"name": "API_KEY", "value": "…"}: the name describes the value. So does what a browser
        // types into: {"element": "Password field", "text": "…"}.
        let text_of = |field: &str| fields.get(field).and_then(Value::as_str);
        let named = keys == SecretKeys::Words
            && (["name", "key", "header", "field", "setting", "k"]
                .into_iter()
                .filter_map(text_of)
                .any(|name| name_is_secret(name, keys))
                || ["element", "selector", "label", "placeholder"]
                    .into_iter()
                    .filter_map(text_of)
                    .any(words_name_a_secret));
        let is_asked =
            keys == SecretKeys::Words && text_of("question").is_some_and(words_name_a_secret);
        for (name, field) in fields {
            let own = name_is_secret(name, keys) && !(field.is_number() && counts(name, keys))
                || keys == SecretKeys::Words
                    && is_pass(name)
                    && field.as_str().is_some_and(is_chosen)
                || keys == SecretKeys::Words
                    && (are_tokens(name, field)
                        || field
                            .as_str()
                            .is_some_and(|value| is_session_cookie(name, value)));
            let value_of_named = named && matches!(name.as_str(), "value" | "val" | "text" | "v")
                || is_asked && name == "answer" && field.as_str().is_some_and(is_chosen_word);
            // What lies under a secret key is secret, but for what describes it.
            let is_described = is_label(name) || (field.is_number() && measures(name));
            let bag = secret && keys == SecretKeys::Words && !is_described;
            self.value(field, own || value_of_named || bag);
        }
    }

    fn redact(&mut self, value: &mut Value) {
        *value = Value::String(REDACTED.to_owned());
        *self.secret_count = self.secret_count.saturating_add(1);
    }
}

/// Whether a line may begin a key, or hold the tag of a private section.
fn may_go_on(line: &str) -> bool {
    const TAG: &str = "private";
    line.contains("-----BEGIN")
        || line
            .as_bytes()
            .windows(TAG.len())
            .any(|part| part.eq_ignore_ascii_case(TAG.as_bytes()))
}

/// Descriptive fields next to a secret.
pub(super) fn is_label(name: &str) -> bool {
    [
        "name",
        "type",
        "kind",
        "user",
        "username",
        "email",
        "id",
        "description",
        "url",
        "host",
        "path",
        "method",
        "provider",
        "scope",
    ]
    .iter()
    .any(|label| label.eq_ignore_ascii_case(name))
}

/// Whether a number under this key describes a secret: `port`, `expires_in`, `maxRetries`.
fn measures(name: &str) -> bool {
    const MEASURES: [&str; 14] = [
        "port", "timeout", "ttl", "in", "at", "ms", "expiry", "exp", "iat", "version", "length",
        "size", "count", "limit",
    ];
    let parts = name_parts(name);
    let last = parts.last().map(String::as_str);
    counts(name, SecretKeys::Words) || last.is_some_and(|last| MEASURES.contains(&last))
}

/// Whether a key may be the name of a password or count what passes: `pass`, `smokePass`.
fn is_pass(name: &str) -> bool {
    name_parts(name).last().is_some_and(|last| last == "pass")
}

/// Whether this is a list of tokens of programs, and not of words: `"tokens": ["…"]`.
fn are_tokens(name: &str, field: &Value) -> bool {
    let is_token = |item: &Value| item.as_str().is_some_and(looks_random);
    let items = field.as_array();
    items.is_some_and(|items| !items.is_empty() && items.iter().all(is_token))
        && name_parts(name).last().is_some_and(|last| last == "tokens")
}

/// The same for one word.
fn is_chosen_word(value: &str) -> bool {
    is_chosen(value) && !value.contains(' ')
}

/// Whether a person would choose this as a password, or a program.
fn is_chosen(value: &str) -> bool {
    (looks_chosen(value) || looks_random(value)) && !is_placeholder(value)
}

/// Whether a number under this key is a count: `tokens`, `max_tokens`.
fn counts(name: &str, keys: SecretKeys) -> bool {
    keys == SecretKeys::Words
        && name_parts(name)
            .last()
            .is_some_and(|last| last.ends_with('s') && last != "pass")
}

/// `["password", "x"]`: a name and its value.
fn is_pair_of_secret(items: &[Value]) -> bool {
    match items {
        [Value::String(name), Value::String(value)] => {
            words_name_a_secret(name) && is_chosen_word(value)
        }
        _ => false,
    }
}

/// `--password`, `--api-key`: the next argument is the secret.
fn is_secret_option(argument: &str) -> bool {
    argument
        .strip_prefix("--")
        .is_some_and(|name| !name.contains(['=', ' ']) && name_is_secret(name, SecretKeys::Words))
}

fn name_is_secret(name: &str, keys: SecretKeys) -> bool {
    const PARTS: &[&str] = &["password", "secret", "key", "token", "auth", "credential"];
    match keys {
        SecretKeys::Substring => {
            let lower = name.to_lowercase();
            PARTS.iter().any(|part| lower.contains(part))
        }
        // A Japanese or Chinese keyboard may write Latin letters wide.
        SecretKeys::Words if !name.is_ascii() => {
            let seen = name.nfkc().filter(|c| !is_invisible(*c));
            words_name_a_secret(&seen.collect::<String>())
        }
        SecretKeys::Words => words_name_a_secret(name),
    }
}

/// Words that name a secret on their own.
const ALONE: &[&str] = &[
    "password",
    "passwords",
    "passwd",
    "pwd",
    "passphrase",
    "passcode",
    "passwort",
    "pw",
    "creds",
    "secret",
    "secrets",
    "token",
    "apikey",
    "apikeys",
    "accesskey",
    "secretkey",
    "privatekey",
    "credential",
    "credentials",
    "auth",
    "authorization",
    "authtoken",
    "accesstoken",
    "refreshtoken",
    "idtoken",
    "bearer",
    "cookie",
    "cred",
    "psk",
    "jwt",
    "kennwort",
    "비밀번호",
    "비번",
    "패스워드",
    "암호",
    "토큰",
    "시크릿",
    "인증키",
    "비밀키",
    "パスワード",
    "パスフレーズ",
    "トークン",
    "シークレット",
    "暗証番号",
    "秘密鍵",
    "暗号鍵",
    "暗号キー",
    "密码",
    "密碼",
    "口令",
    "令牌",
    "密钥",
    "密鑰",
    "私钥",
    "私鑰",
    "пароль",
    "токен",
    "contraseña",
    "contrasena",
    "senha",
    "wachtwoord",
];

/// Words that make a key a secret.
const BEFORE_KEY: &[&str] = &[
    "api",
    "access",
    "secret",
    "private",
    "encryption",
    "signing",
    "master",
    "account",
    "auth",
    "license",
    "ssh",
    "client",
    "app",
    "service",
    "webhook",
    "consumer",
    "shared",
    "admin",
    "deploy",
    "storage",
    "subscription",
];

/// Words that turn a token into a page token or a language model's token.
const NOT_BEFORE_TOKEN: &[&str] = &[
    "max",
    "min",
    "next",
    "page",
    "continuation",
    "sync",
    "stop",
    "start",
    "end",
    "bos",
    "eos",
    "pad",
    "unk",
    "cursor",
    // What a server of MCP reports the progress of a call with.
    "progress",
];

/// Words after the name of a secret that do not change its meaning.
const BEHIND: &[&str] = &[
    "value",
    "string",
    "text",
    "raw",
    "base64",
    "b64",
    "base",
    "hex",
    "field",
    "input",
    "box",
    "textbox",
    "default",
    "prod",
    "dev",
    "test",
    "old",
    "new",
    "current",
    "confirm",
    "confirmation",
];

/// Whether a word makes a token one of a page of a list, or of a language model.
pub(super) fn is_before_token(word: &str) -> bool {
    NOT_BEFORE_TOKEN.contains(&word)
}

/// One of these stands in every ASCII name of which [`words_name_a_secret`] is true.
const IN_NAMES: [&str; 15] = [
    "pass",
    PW,
    "cred",
    "secret",
    "token",
    "key",
    "auth",
    "bearer",
    "cookie",
    "psk",
    "jwt",
    "kennwort",
    "contrasena",
    "senha",
    "wachtwoord",
];
/// The shortest of them, which also stands at the end of a text.
const PW: &str = "pw";

/// Where one of [`IN_NAMES`] may begin.
static IN_NAMES_BEGIN: Beginnings = {
    let mut beginnings = Beginnings::NONE;
    let mut index = 0;
    while index < IN_NAMES.len() {
        beginnings = beginnings.with(IN_NAMES[index].as_bytes());
        index += 1;
    }
    beginnings
};

/// Whether a name in a text can be one of which [`words_name_a_secret`] is true: cheap, with no
/// false negatives.
pub(super) fn may_name_a_secret(text: &str) -> bool {
    // It may have words of other scripts, and letters that are ASCII in lower case.
    if !text.is_ascii() {
        return true;
    }
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(skipped) = IN_NAMES_BEGIN.next(&bytes[at..]) {
        at += skipped;
        let mut words = IN_NAMES.iter();
        if words.any(|word| begins_with(bytes, at, word.as_bytes())) {
            return true;
        }
        at += 1;
    }
    begins_with(bytes, bytes.len().saturating_sub(PW.len()), PW.as_bytes())
}

/// Whether the words of a name say that it is that of a secret.
pub(super) fn words_name_a_secret(name: &str) -> bool {
    may_name_a_secret(name) && parts_name_a_secret(name_parts(name))
}

/// Whether the words of a name, in lower case, say so.
fn parts_name_a_secret(mut parts: Vec<String>) -> bool {
    while parts.len() > 1
        && parts.last().is_some_and(|last| {
            BEHIND.contains(&last.as_str()) || last.bytes().all(|b| b.is_ascii_digit())
        })
    {
        parts.pop();
    }
    let Some((last, before)) = parts.split_last() else {
        return false;
    };
    let before = before.last().map(String::as_str);
    let last = last.trim_end_matches(|c: char| c.is_ascii_digit());
    match last {
        "key" | "keys" => before.is_some_and(|part| BEFORE_KEY.contains(&part)),
        "token" => !before.is_some_and(is_before_token),
        "tokens" => before.is_some_and(|part| {
            matches!(
                part,
                "access" | "api" | "auth" | "refresh" | "bearer" | "id"
            )
        }),
        // A session's id is a name here, not a secret: transcripts are full of them.
        "id" => before == Some("key") && parts.iter().any(|part| part == "private"),
        "pass" => before.is_some_and(has_pass),
        // `PASS_WORD`, `passWord`
        "word" => before == Some("pass"),
        last if last.strip_suffix("pass").is_some_and(has_pass) => true,
        last => {
            ALONE.contains(&last)
                || ["password", "passwd", "secret", "apikey", "token"]
                    .iter()
                    .any(|end| last.len() > end.len() && last.ends_with(end))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn masked(input: Value, keys: SecretKeys) -> Value {
        mask_tool_input(&Json::from_value(&input), keys)
            .input
            .to_value()
    }

    /// Words of which names of secrets consist, and others.
    fn words_of_names() -> Vec<&'static str> {
        let more = [
            "tokens",
            "key",
            "keys",
            "credentials",
            "authorization",
            "bearer",
            "cookie",
            "db",
            "api",
            "private",
            "id",
        ];
        ALONE.iter().copied().chain(more).collect()
    }

    proptest! {
        #[test]
        fn no_name_of_a_secret_is_ruled_out(
            parts in prop::collection::vec(
                (prop::sample::select(words_of_names()), "[-_ .]?[a-z]{0,2}[0-9]?"),
                1..4,
            ),
        ) {
            let name: String = parts.iter().map(|(word, rest)| format!("{word}{rest}")).collect();
            for name in [name.to_uppercase(), name] {
                prop_assert!(
                    may_name_a_secret(&name) || !parts_name_a_secret(name_parts(&name)),
                    "{name}"
                );
            }
        }
    }

    #[test]
    fn every_word_that_names_a_secret_alone_is_found_in_a_text() {
        for word in ALONE {
            assert!(parts_name_a_secret(name_parts(word)), "{word}");
            for text in [format!("{word},"), format!("a,{word}"), word.to_uppercase()] {
                assert!(may_name_a_secret(&text), "{text}");
            }
        }
        assert!(!may_name_a_secret("create a second spawned page, p, w"));
    }

    #[test]
    fn words_of_a_key_decide_and_not_its_letters() {
        let kept = json!({
            "author": "Kim", "monkey": "x", "keyboard": "us", "tokenizer": "bpe", "max_tokens": 4096, "token_count": 3,
            "tokens": 7, "key": "Enter", "next_page_token": "abc", "primary_key": "id", "authority": "x", "secretary": "Ada", "sort_key": "date"
        });
        assert_eq!(masked(kept.clone(), SecretKeys::Words), kept);
        let secret = json!({
            "password": "x", "dbPassword": "x", "access_token": "x", "apiKey": "x", "API_KEY": "x", "clientSecret": "x",
            "credentials": "x", "auth": "x", "private_key": "x", "PGPASSWORD": "x", "token2": "x", "비밀번호": "x"
        });
        for (key, value) in masked(secret, SecretKeys::Words).as_object().unwrap() {
            assert_eq!(value, REDACTED, "{key}");
        }
    }

    #[test]
    fn numbers_and_arrays_under_secret_keys_are_masked_and_keep_their_shape() {
        for keys in [SecretKeys::Words, SecretKeys::Substring] {
            assert_eq!(
                masked(
                    json!({"password": 1234, "secrets": ["a", ["b"]], "token": null, "auth": true}),
                    keys
                ),
                json!({"password": REDACTED, "secrets": [REDACTED, [REDACTED]], "token": null, "auth": true})
            );
        }
    }

    #[test]
    fn an_empty_value_of_a_secret_key_is_masked_as_the_specification_says() {
        let input = json!({"password": "", "tokens": [""]});
        assert_eq!(
            masked(input.clone(), SecretKeys::Substring),
            json!({"password": REDACTED, "tokens": [REDACTED]})
        );
        assert_eq!(masked(input.clone(), SecretKeys::Words), input);
    }

    #[test]
    fn a_pass_is_a_password_if_it_has_an_owner_or_looks_like_one() {
        let secret = json!({
            "DB_PASS": "x", "dbPass": "x", "smtp_pass": "x", "MYSQL_ROOT_PASS": "x",
            "pass": "Tr0ub4dor&3", "PASS": "Tr0ub4dor&3", "Passwort": "x",
            "ｐａｓｓｗｏｒｄ": "x", "dbpass": "x", "SSHPASS": "x", "PASS_WORD": "x", "passWord": "x",
            "psk": "x", "cred": "x", "jwt": "x", "口令": "x", "пароль": "x", "Kennwort": "x",
            "비번": "x", "暗号キー": "x", "Contraseña": "x", "senha": "x", "私鑰": "x"
        });
        for (key, value) in masked(secret, SecretKeys::Words).as_object().unwrap() {
            assert_eq!(value, REDACTED, "{key}");
        }
        let kept = json!({
            "pass": "second", "smokePass": "yes", "pass_count": 3, "bypass": "x",
            "compass": "x", "tokens": ["the", "words"]
        });
        assert_eq!(masked(kept.clone(), SecretKeys::Words), kept);
        assert_eq!(
            masked(
                json!({"tokens": ["f9KqL2xZ8vR4mT7wB1nC"]}),
                SecretKeys::Words
            ),
            json!({"tokens": [REDACTED]})
        );
        let chosen = "Tr0ub4dor&3";
        let kept = json!([
            {"question": "Which token?", "answer": "the second of 2"},
            {"question": "What is the password for?", "answer": "the db of 2024"},
            ["password", "string"], {"field": "name", "text": chosen}
        ]);
        assert_eq!(masked(kept.clone(), SecretKeys::Words), kept);
        let secret = json!([
            {"field": "password", "text": chosen}, {"k": "password", "v": chosen},
            {"setting": "smtp.password", "value": chosen}, [["password", chosen]],
            {"question": "What is the DB password?", "answer": chosen},
            {"PHPSESSID": "f9KqL2xZ8vR4mT7wB1nC"}
        ]);
        let shown = masked(secret, SecretKeys::Words).to_string();
        assert_eq!(shown.matches(REDACTED).count(), 6, "{shown}");
    }

    #[test]
    fn arguments_behind_secret_options_and_values_of_secret_names_are_masked() {
        assert_eq!(
            masked(
                json!({"args": ["--user", "ada", "--password", "tiger", "-v"], "env": [{"name": "API_KEY", "value": "v"}]}),
                SecretKeys::Words
            ),
            json!({"args": ["--user", "ada", "--password", REDACTED, "-v"], "env": [{"name": "API_KEY", "value": REDACTED}]})
        );
    }
}
