//! Whether a value is a secret: a literal by what it says, a bare value also by its line.
//!
//! A bare value is judged by rules in a fixed order, of which the first that applies decides. Each
//! has an example that it decides and no rule before it.

use super::name::{NamedSecret, Operator, Strength, is_name_of_variable};
use crate::privacy::line::{
    declares, in_call, is_expression_word, is_listed_pair, is_setting_line, joins, speaks,
};
use crate::privacy::shape::{
    LOOK, has_chosen_default, has_chosen_word, head, is_code_word, is_described, is_expression,
    is_function_word, is_name_of_secret, is_name_of_type, is_named_by_hash, is_ordinary_literal,
    is_placeholder, is_surely_expression, is_verb_of_commit, looks_chosen, looks_random,
    name_parts,
};
use crate::privacy::tags::is_blank;
use crate::privacy::told::is_told;

/// A bare value after a sign.
struct BareValue<'v> {
    operator: &'v Operator,
    /// Up to the first blank or quote.
    bare: &'v str,
    /// Without trailing signs.
    shown: &'v str,
    end: usize,
}

/// A bare value and the line around it and its name.
struct ValueOnLine<'v> {
    operator: &'v Operator,
    bare: &'v str,
    shown: &'v str,
    quoted_name: bool,
    /// The line before the name.
    before: &'v str,
    /// The line after the value.
    after: &'v str,
    /// Whether the line has the form `NAME=value`.
    is_setting: bool,
}

/// Whether a value is a secret, if the rule applies to it.
type RuleOfValue = fn(&NamedSecret<'_, '_>, &BareValue<'_>) -> Option<bool>;

/// The same for a rule that looks at the line.
type RuleOfLine = fn(&NamedSecret<'_, '_>, &ValueOnLine<'_>) -> Option<bool>;

/// The rules of the value itself, each with an example.
const RULES_OF_VALUE: [(&str, RuleOfValue); 16] = [
    ("password: <password>", placeholder),
    ("password = None", code_word),
    ("token: https://example.org/rfc6749", address_of_page),
    ("CREDENTIALS=keys/key2.json", file_of_credentials),
    ("cache_key=8f7242787f0d7bcfabe1ba0a6c92a52b", identifier),
    ("password: &&", signs),
    ("PASSWORD=${DEFAULT:-hunter22}", chosen_default),
    ("password: SecretString", name_of_type),
    ("passwordAdmin: role2", behind_loose_name),
    ("Checking password .....: ok", result_behind_dots),
    ("const TOKEN: kind_7 = kind_7::ONE;", declared),
    ("(FW=4, pw=2)", width),
    ("--- PASS: TestParse2", result_of_test),
    ("password: a8Kd92LmQ0pZx7Vb31", random),
    ("if password == expected", comparison),
    ("key: value", weak),
];

/// The rules of the line, each with an example.
const RULES_OF_LINE: [(&str, RuleOfLine); 21] = [
    ("{\"password\": 12345}", after_quoted_name),
    ("passwd: compat systemd", source_of_names),
    ("unexpected token: name", kind_of_token),
    ("password: 8+ characters", least_length),
    ("They must be secret: everybody knows", adjective),
    ("{withCredentials:!1,password:!0}", flag_of_minified),
    ("rails credentials:edit", task_of_command),
    (":param password: kept", documented),
    ("Server=db;Password=tiger", listed_pair),
    ("    password=password)", own_name),
    ("    password=request.pw)", last_argument),
    ("--password=SECRET", name_for_value),
    ("TOKEN = 5800", plain_assignment),
    ("user, password = pair", assigned_from_pair),
    ("x = 'the password:kept'", in_string),
    ("Login(user=ada, password=hunter22)", field_of_record),
    ("let password = read_line(input);", in_code),
    ("password: in the vault", function_word),
    ("password: Output only.", describing_word),
    ("token: accept trailing commas", subject_of_commit),
    ("token: grammar of the lexer", word_of_sentence),
];

/// The first rule that applies, by its example, and what it decides.
fn first<R: Copy>(
    rules: &[(&'static str, R)],
    decide: impl Fn(R) -> Option<bool>,
) -> Option<(&'static str, bool)> {
    let mut rules = rules.iter();
    rules.find_map(|(example, rule)| Some((*example, decide(*rule)?)))
}

impl NamedSecret<'_, '_> {
    /// Whether a bare value after a sign is a secret: as in the specification, except where a rule
    /// says otherwise.
    pub(super) fn is_secret_bare(
        &self,
        operator: &Operator,
        bare: &str,
        end: usize,
        quoted_name: bool,
    ) -> bool {
        let value = BareValue {
            operator,
            bare,
            shown: without_tail(bare),
            end,
        };
        self.verdict(&value, quoted_name).is_none_or(|(_, is)| is)
    }

    /// The rule that decides about a bare value, by its example, and what it decides.
    fn verdict(&self, value: &BareValue<'_>, quoted_name: bool) -> Option<(&'static str, bool)> {
        first(&RULES_OF_VALUE, |rule| rule(self, value)).or_else(|| {
            let value = self.on_its_line(value, quoted_name);
            first(&RULES_OF_LINE, |rule| rule(self, &value))
        })
    }

    /// Looks at the line around the name and the value.
    fn on_its_line<'v>(&'v self, value: &BareValue<'v>, quoted_name: bool) -> ValueOnLine<'v> {
        let (operator, bare, shown) = (value.operator, value.bare, value.shown);
        self.around.compare();
        let before = self.around.line_before(self.name_start);
        let after = self.around.line_after(value.end);
        self.around.spend(3 * before.len() + after.len());
        let is_close = !operator.is_colon && !operator.spaced;
        let is_property = || operator.spaced && is_path_of_property(before) && looks_chosen(shown);
        let is_setting =
            !quoted_name && (is_close || is_property()) && is_setting_line(before, bare, after);
        ValueOnLine {
            operator,
            bare,
            shown,
            quoted_name,
            before,
            after,
            is_setting,
        }
    }

    /// Whether a literal in a call is a secret: `set("token", "…")`.
    pub(super) fn is_secret_argument(&self, operator: &Operator, content: &str) -> bool {
        self.around.compare();
        let is_chosen = || {
            self.strength != Strength::Weak
                && !(self.is_credential() && is_name_in_small_letters(content))
                && looks_chosen(content)
                && !is_ordinary_literal(content)
                && !(self.is_token() && is_numbered_word(content))
        };
        let is_secret = looks_random(content) && !self.is_identifier(content) || is_chosen();
        !operator.line_end && is_secret
    }

    /// Whether a person would choose this as a password, or a program.
    pub(super) fn is_chosen(&self, value: &str) -> bool {
        looks_random(value) || looks_chosen(value) && !is_surely_expression(value)
    }

    /// Whether a value after a name such as `cache_key` says which, and is no secret: a UUID, a
    /// hash, or a key for everybody.
    pub(super) fn is_identifier(&self, value: &str) -> bool {
        const NAMES: &[&str] = &[
            "idempotency",
            "cache",
            "primary",
            "foreign",
            "partition",
            "sort",
            "object",
            "row",
            "index",
            "dedupe",
            "group",
            "map",
            "route",
            "routing",
            "content",
            "commit",
            "request",
            "event",
            "file",
        ];
        let end = self
            .name
            .len()
            .saturating_sub("key".len() + usize::from(self.is_plural));
        let is_key = self
            .name
            .get(end..)
            .is_some_and(|key| head(key, "key".len()).eq_ignore_ascii_case("key"));
        if self.strength != Strength::Weak || !is_key || self.is_key_of_secret() {
            return false;
        }
        let parts = name_parts(&self.name[..end]);
        let kind = parts.last().map_or("", String::as_str);
        let is_public = matches!(kind, "public" | "pub" | "publishable");
        if is_public || self.name.eq_ignore_ascii_case("sec-websocket-key") {
            return true;
        }
        let is_fingerprint = value
            .trim_start_matches("0x")
            .bytes()
            .all(|b| b.is_ascii_hexdigit());
        if is_fingerprint && self.follows(&["gpg", "pgp", "gnupg", "openpgp", "signing"]) {
            return true;
        }
        let value = value.trim_end_matches([',', ';', ')', '`']);
        let is_quoted = self.around.text[self.name_end..].starts_with(['"', '\'', '\\']);
        let is_hash = value.bytes().all(|b| b.is_ascii_hexdigit());
        is_named_by_hash(value)
            && (!is_hash || NAMES.contains(&kind) || kind.is_empty() && is_quoted)
    }

    /// Whether a literal that belongs to the name is a secret.
    pub(super) fn is_secret_literal(&self, content: &str) -> bool {
        let content = content.trim_end_matches(['\r', ' ']);
        let is_other = self.is_loose() && !self.is_loose_value(content);
        if content.is_empty() || is_other || is_placeholder(content) || self.is_identifier(content)
        {
            return false;
        }
        if looks_random(content) {
            return true;
        }
        if self.strength != Strength::Weak {
            self.around.compare();
        }
        match self.strength {
            Strength::Weak => self.is_pass() && self.is_literal_of_pass(content),
            Strength::Token => {
                let word = content.len() <= 10 && content.bytes().all(|b| b.is_ascii_alphabetic());
                let small = content.len() <= 3 && content.bytes().all(|b| b.is_ascii_digit());
                let is_named =
                    self.is_in_name(without_number(content)) || is_name_of_words(content);
                !word && !small && !is_named && content.len() > 1 && !is_ordinary_literal(content)
            }
            Strength::Strong => {
                (!is_ordinary_literal(content) || has_chosen_word(content))
                    && !self.is_own_name(content)
            }
        }
    }

    /// Whether a literal under `pass` is a password, and does not name or count what passes:
    /// `pass: "loop-unroll2"`, `"pass": "3 passed, 2 failed"`.
    fn is_literal_of_pass(&self, content: &str) -> bool {
        const MAX_LENGTH: usize = 20;
        self.around.compare();
        if content.contains(' ') {
            return has_chosen_word(content) && !is_ordinary_literal(content);
        }
        // Scripts without blanks have sentences in one word.
        let is_long = !content.is_ascii() && content.chars().count() > MAX_LENGTH;
        let is_ordinary = is_ordinary_literal(content) || is_told(content) || self.is_beside_fail();
        if is_long || !looks_chosen(content) || is_ordinary {
            return false;
        }
        let before = self.around.line_before(self.name_start);
        let has = |kind: fn(&u8) -> bool| content.as_bytes().iter().any(kind);
        before.contains("user")
            || before.ends_with('$')
            || has(|b| b"!@#$%^&*".contains(b))
            || has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase)
            || !is_numbered_name(content) && !self.around.is_code(self.start)
    }

    /// Whether `fail` stands on the line, too: what passes there is a test.
    fn is_beside_fail(&self) -> bool {
        const NAMES: [&str; 4] = ["fail", "failed", "failure", "failures"];
        let before = self.around.line_before(self.name_start);
        let after = self.around.line_after(self.name_end);
        self.around.spend(2 * (before.len() + after.len()));
        let mut words = before
            .split(|c: char| !c.is_ascii_alphabetic())
            .chain(after.split(|c: char| !c.is_ascii_alphabetic()));
        words.any(|word| NAMES.iter().any(|name| word.eq_ignore_ascii_case(name)))
    }

    /// Whether the name is one that is also followed by something else than its secret: one that
    /// says whose it is (`passwordAdmin`), `token value`, or a word of a sentence.
    fn is_loose(&self) -> bool {
        self.says_whose()
            || self.name.eq_ignore_ascii_case("kennwort")
            || self.around.text[self.name_end..].starts_with(" value")
    }

    /// Whether a value behind such a name is what a person or a program would choose; a variable of
    /// the environment may hold any word.
    fn is_loose_value(&self, value: &str) -> bool {
        let is_setting = || self.says_whose() && is_name_of_variable(self.name);
        looks_random(value) || (looks_chosen(value) || is_setting()) && !is_told(value)
    }

    /// Whether a declaration gives the name a type and a value: `const TOKEN: kind_7 = kind_7::ONE;`.
    fn is_declared_with(&self, type_end: usize) -> bool {
        const MAX_LENGTH: usize = 8;
        let after = head(&self.around.text[type_end..], MAX_LENGTH);
        after.trim_start_matches(' ').starts_with("= ")
            && declares(self.around.line_before(self.name_start))
    }

    /// Whether programs make the secrets of this name: a token, not a password.
    fn is_never_word(&self) -> bool {
        self.strength == Strength::Token || self.is_credential()
    }

    /// Whether programs make them as a rule: a key, the secret of a client.
    fn is_hardly_word(&self) -> bool {
        let ends = |with: &str| ends_ignoring_case(self.name, with);
        let is_compound = self.name.len() > "secrets".len();
        ends("key") || ends("keys") || is_compound && (ends("secret") || ends("secrets"))
    }

    /// Whether a value is a constant or a variable with the name at its end, and a number:
    /// `encryption_key=TEST_ENCRYPTION_KEY1`.
    fn repeats_name(&self, value: &ValueOnLine<'_>) -> bool {
        let named = value.shown.trim_end_matches(|c: char| c.is_ascii_digit());
        is_name_of_variable(named)
            && named.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')
            && ends_ignoring_case(named, self.name)
            && !value.is_setting
    }

    /// Whether the value is a kind of token of a language and not a secret: `unexpected token: name`,
    /// `token=IDENT`.
    fn is_kind_of_token(&self, operator: &Operator, shown: &str) -> bool {
        const MAX_LENGTH: usize = 16;
        const SHORT: usize = 4;
        let of_name = |b: u8| b.is_ascii_alphabetic() || b == b'_';
        let is_number = shown.len() < SHORT && shown.bytes().all(|b| b.is_ascii_digit());
        let is_name = shown.bytes().all(of_name) || is_number;
        if !is_name && shown.len() > SHORT {
            return false;
        }
        let before = self.around.line_before(self.name_start).trim_end();
        let is_met = [
            "unexpected",
            "expected",
            "unrecognized",
            "unknown",
            "illegal",
        ]
        .iter()
        .any(|word| ends_ignoring_case(before, word));
        let is_upper = shown.bytes().all(|b| !b.is_ascii_lowercase());
        is_met || is_name && !operator.is_colon && is_upper && shown.len() <= MAX_LENGTH
    }

    /// `token = Kind.Word`, `TOKEN = 58`: no real token consists of letters alone, and a
    /// path of names is an expression whatever it is assigned to.
    fn is_plain_assignment(&self, value: &str) -> bool {
        let names = value
            .bytes()
            .all(|b| b.is_ascii_alphabetic() || matches!(b, b'_' | b'.'));
        let is_number = value.bytes().all(|b| b.is_ascii_digit());
        let small = value.len() <= 6 && is_number;
        // `ROOT_PASSWORD = 45`: one of the numbers that stand for names.
        let is_listed = value.len() <= 3
            && is_number
            && self.name.bytes().all(|b| !b.is_ascii_lowercase())
            && self.is_beside_numbers();
        let grammar = value.trim_start_matches(|c: char| c.is_ascii_digit());
        let grammar = grammar.len() < value.len() && grammar.starts_with('*');
        let path = names && value.contains('.') && !value.starts_with('.');
        path || is_listed || (self.strength == Strength::Token && (names || small || grammar))
    }

    /// Whether the line before or behind gives such a number to a name in capitals, too.
    fn is_beside_numbers(&self) -> bool {
        const MAX_LENGTH: usize = 3;
        let text = self.around.text;
        let from = text.floor_char_boundary(self.name_start.saturating_sub(LOOK));
        let before = text[from..self.name_start].rsplit('\n').nth(1);
        let behind = head(&text[self.name_end..], LOOK).split('\n').nth(1);
        let is_numbered = |line: &str| {
            line.split_once('=').is_some_and(|(name, number)| {
                let number = number.trim().trim_end_matches([',', ';']);
                is_name_of_variable(name.trim())
                    && (1..=MAX_LENGTH).contains(&number.len())
                    && number.bytes().all(|b| b.is_ascii_digit())
            })
        };
        [before, behind].into_iter().flatten().any(is_numbered)
    }

    fn is_chosen_pass(&self, value: &str) -> bool {
        (self.is_pass() || self.is_key_of_secret())
            && looks_chosen(value)
            && !is_told(value)
            && !is_surely_expression(value)
            && (!value.contains([':', '/']) && is_comment(self.around.line_before(self.name_start))
                || !self.around.is_code(self.start))
    }

    /// Whether `PASS:` is the result of a test of this name: `--- PASS: TestParse2`, and at the
    /// beginning of a line `PASS: x-1.sh` and `PASS: check_http2`. A password there has other
    /// letters and signs, or stands below the name of a user.
    fn is_result(&self, value: &str) -> bool {
        let before = self.around.line_before(self.name_start);
        self.around.spend(before.len() + value.len());
        let of_test =
            |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_./:+=".contains(&b);
        match before.trim() {
            "---" => ["Test", "Example", "Fuzz", "Benchmark"]
                .iter()
                .any(|begin| value.starts_with(begin)),
            "" => {
                value.contains(['/', '.', '_'])
                    && value.bytes().all(of_test)
                    && !self.is_below_a_user()
            }
            _ => false,
        }
    }

    /// Whether the line before names a user: `USER: ada`.
    fn is_below_a_user(&self) -> bool {
        const FAR: usize = 160;
        const NAMES: [&str; 8] = [
            "user", "username", "login", "id", "account", "email", "name", "host",
        ];
        let text = self.around.text;
        let low = text.floor_char_boundary(self.name_start.saturating_sub(FAR));
        self.around.spend(2 * FAR);
        let line = text[low..self.name_start].rsplit('\n').nth(1);
        let name = line.and_then(|line| line.split([':', '=']).next());
        let word = name.and_then(|name| name.rsplit(|c: char| !c.is_ascii_alphabetic()).next());
        word.is_some_and(|word| NAMES.iter().any(|name| word.eq_ignore_ascii_case(name)))
    }

    /// Whether a bare value is part of a program.
    fn stands_in_code(&self, value: &ValueOnLine<'_>) -> bool {
        let (operator, before, after) = (value.operator, value.before, value.after);
        let bare = value.bare;
        if is_surely_expression(bare) {
            return true;
        }
        let shown = bare.trim_end_matches([';', ',', ')', '}']);
        if value.is_setting {
            // A keyword argument on its own line looks like a setting.
            let argument = self.is_own_name(shown)
                || (shown.contains('.') && is_expression(shown) && !looks_chosen(shown))
                || shown
                    .to_ascii_lowercase()
                    .ends_with(&self.name.to_ascii_lowercase());
            return argument && self.around.is_code(self.start);
        }
        let is_chosen = looks_chosen(shown);
        // What stands in a comment is prose, and a type does not follow a name in capitals.
        let is_variable = operator.is_colon && is_name_of_variable(self.name);
        if is_chosen && (is_variable || is_comment(before) && !is_told(shown)) {
            return false;
        }
        // "Our admin password: hunter22;"
        if is_chosen && operator.is_colon && speaks(before) {
            return false;
        }
        // `https://db/x?user=a&password=hunter22`
        let is_close = !operator.spaced && !operator.is_colon;
        let in_query = is_close
            && before
                .strip_suffix(['&', '?'])
                .is_some_and(|rest| rest.ends_with(|c: char| !is_blank(c)));
        if in_query && (is_chosen || looks_random(shown)) {
            return false;
        }
        if declares(before) || in_call(before) || joins(after) {
            // Sentences contain these words too: "… and my password: hunter22 if needed".
            return !is_chosen || self.around.is_code(self.start);
        }
        // `Pwd=abc123;` alone on a line
        if !operator.spaced && !operator.is_colon && before.is_empty() && is_chosen {
            return false;
        }
        let line_ends = after.trim_end();
        let last = if line_ends.is_empty() {
            bare
        } else {
            line_ends
        };
        if last.ends_with([';', '{', '('])
            || last.ends_with("):")
            || (last.ends_with(',')
                && after.trim().is_empty()
                && (operator.spaced
                    || (before.starts_with([' ', '\t']) && is_expression(shown) && !is_chosen)))
        {
            return true;
        }
        // "use PGPASSWORD=hunter22 psql": programs put such a value in quotes.
        !(is_close && is_chosen) && self.around.is_code(self.start)
    }
}

/// Whether a text ends with another one, in any letter case.
fn ends_ignoring_case(text: &str, end: &str) -> bool {
    let from = text.len().checked_sub(end.len());
    from.and_then(|from| text.get(from..))
        .is_some_and(|last| last.eq_ignore_ascii_case(end))
}

fn refused(applies: bool) -> Option<bool> {
    applies.then_some(false)
}

fn placeholder(_: &NamedSecret<'_, '_>, value: &BareValue<'_>) -> Option<bool> {
    refused(is_placeholder(value.bare) || is_placeholder(value.shown))
}

fn code_word(_: &NamedSecret<'_, '_>, value: &BareValue<'_>) -> Option<bool> {
    refused(is_code_word(value.shown.trim_end_matches('.')))
}

/// The file in which credentials are: `GOOGLE_APPLICATION_CREDENTIALS=key.json`.
fn file_of_credentials(place: &NamedSecret<'_, '_>, value: &BareValue<'_>) -> Option<bool> {
    const KINDS: [&str; 8] = [
        ".json", ".yaml", ".yml", ".toml", ".p12", ".pem", ".txt", ".csv",
    ];
    let is_file = || {
        KINDS
            .iter()
            .any(|kind| ends_ignoring_case(value.shown, kind))
    };
    let stem = value.shown.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = stem.split('.').next().unwrap_or_default();
    let is_path = !value
        .shown
        .contains([':', '@', '&', '!', '#', '$', '%', '=']);
    refused(place.is_credential() && is_file() && is_path && !looks_random(stem))
}

/// The address of a page: a password in it is found by its own rule.
fn address_of_page(_: &NamedSecret<'_, '_>, value: &BareValue<'_>) -> Option<bool> {
    let is_address = ["https://", "http://"]
        .iter()
        .any(|scheme| value.bare.starts_with(scheme));
    let mut parts = value
        .bare
        .split(|c: char| !c.is_ascii_alphanumeric() && !"-_+".contains(c));
    const MIN: usize = 10;
    let is_secret = |part: &str| looks_random(part) || part.len() >= MIN && looks_chosen(part);
    refused(is_address && !parts.any(is_secret))
}

fn identifier(place: &NamedSecret<'_, '_>, value: &BareValue<'_>) -> Option<bool> {
    refused(place.is_identifier(value.shown))
}

/// A few signs and nothing else.
fn signs(_: &NamedSecret<'_, '_>, value: &BareValue<'_>) -> Option<bool> {
    const MIN: usize = 4;
    let is_sign = |b: u8| b.is_ascii_punctuation();
    refused(value.shown.bytes().all(is_sign) && value.shown.len() < MIN)
}

/// A variable with the value that stands for a missing one.
fn chosen_default(place: &NamedSecret<'_, '_>, value: &BareValue<'_>) -> Option<bool> {
    has_chosen_default(value.shown).then_some(place.strength != Strength::Weak)
}

fn name_of_type(place: &NamedSecret<'_, '_>, value: &BareValue<'_>) -> Option<bool> {
    let is_variable = || is_name_of_variable(place.name);
    refused(value.operator.is_colon && !is_variable() && is_name_of_type(value.bare))
}

/// Not all that follows a name with more than the sensitive word is the secret.
fn behind_loose_name(place: &NamedSecret<'_, '_>, value: &BareValue<'_>) -> Option<bool> {
    refused(place.is_loose() && !place.is_loose_value(value.shown))
}

/// What dots lead to is a result, unless somebody chose it.
fn result_behind_dots(place: &NamedSecret<'_, '_>, value: &BareValue<'_>) -> Option<bool> {
    let led_to = &place.around.text[place.name_end..value.operator.value];
    place.around.spend(led_to.len());
    let is_led_to = led_to.contains("...");
    refused(is_led_to && !looks_random(value.shown) && !looks_chosen(value.shown))
}

/// A declaration that gives the name a type and a value.
fn declared(place: &NamedSecret<'_, '_>, value: &BareValue<'_>) -> Option<bool> {
    refused(value.operator.is_colon && place.is_declared_with(value.end))
}

/// After a name of two letters, a short value is a width.
fn width(place: &NamedSecret<'_, '_>, value: &BareValue<'_>) -> Option<bool> {
    const MIN: usize = 4;
    let is_short = || value.shown.chars().count() < MIN;
    refused(place.name.eq_ignore_ascii_case("pw") && is_short())
}

fn result_of_test(place: &NamedSecret<'_, '_>, value: &BareValue<'_>) -> Option<bool> {
    let is_told = value.operator.is_colon && value.operator.spaced;
    refused(place.name == "PASS" && is_told && place.is_result(value.shown))
}

fn random(_: &NamedSecret<'_, '_>, value: &BareValue<'_>) -> Option<bool> {
    let is_random = looks_random(value.shown) && !is_surely_expression(value.shown);
    is_random.then_some(true)
}

fn comparison(_: &NamedSecret<'_, '_>, value: &BareValue<'_>) -> Option<bool> {
    refused(value.operator.is_comparison)
}

/// A word that says little needs a value that says more.
fn weak(place: &NamedSecret<'_, '_>, value: &BareValue<'_>) -> Option<bool> {
    (place.strength == Strength::Weak).then(|| place.is_chosen_pass(value.shown))
}

/// In JSON, a number under a password key is a password; a bare word is a variable.
fn after_quoted_name(place: &NamedSecret<'_, '_>, value: &ValueOnLine<'_>) -> Option<bool> {
    const MIN_DIGITS: usize = 4;
    let shown = value.shown;
    let is_secret = || {
        let number = shown.len() >= MIN_DIGITS && shown.bytes().all(|b| b.is_ascii_digit());
        // In Markdown, names stand between backticks and their values do not.
        let is_code = place.around.text.as_bytes().get(place.name_end) == Some(&b'`');
        let is_value = number || is_code && looks_chosen(shown);
        is_value && place.strength == Strength::Strong && value.operator.is_colon
    };
    value.quoted_name.then(is_secret)
}

/// A line of `/etc/nsswitch.conf`.
fn source_of_names(place: &NamedSecret<'_, '_>, value: &ValueOnLine<'_>) -> Option<bool> {
    const SOURCES: [&str; 6] = ["files", "compat", "sss", "systemd", "ldap", "nis"];
    let is_passwd = value.operator.is_colon && place.name == "passwd";
    refused(is_passwd && SOURCES.contains(&value.shown))
}

fn kind_of_token(place: &NamedSecret<'_, '_>, value: &ValueOnLine<'_>) -> Option<bool> {
    let is_token = place.strength == Strength::Token;
    refused(is_token && place.is_kind_of_token(value.operator, value.shown))
}

fn least_length(_: &NamedSecret<'_, '_>, value: &ValueOnLine<'_>) -> Option<bool> {
    let number = value.shown.strip_suffix('+');
    refused(number.is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit())))
}

/// `secret` as a word for what must not be known: "IVs do not have to be secret: they are …".
fn adjective(place: &NamedSecret<'_, '_>, value: &ValueOnLine<'_>) -> Option<bool> {
    const VERBS: [&str; 8] = ["be", "is", "are", "was", "were", "not", "kept", "stay"];
    let last = value.before.split_whitespace().next_back();
    let is_told = value.operator.is_colon && value.operator.spaced && place.name == "secret";
    refused(
        is_told
            && goes_on(value)
            && last.is_some_and(|last| VERBS.contains(&last))
            && value.shown.bytes().all(|b| b.is_ascii_alphabetic()),
    )
}

/// `true` or `false` as minifiers of JavaScript write them.
fn flag_of_minified(_: &NamedSecret<'_, '_>, value: &ValueOnLine<'_>) -> Option<bool> {
    const FLAGS: [&str; 4] = ["!0,", "!1,", "!0}", "!1}"];
    refused(FLAGS.iter().any(|flag| value.bare.starts_with(flag)))
}

fn task_of_command(place: &NamedSecret<'_, '_>, value: &ValueOnLine<'_>) -> Option<bool> {
    let is_close = value.operator.is_colon && !value.operator.spaced;
    let is_word = || value.shown.bytes().all(|b| b.is_ascii_lowercase());
    refused(is_close && place.name.ends_with('s') && is_word())
}

/// A parameter that a comment describes.
fn documented(_: &NamedSecret<'_, '_>, value: &ValueOnLine<'_>) -> Option<bool> {
    const TAGS: [&str; 6] = [":param", "@param", ":type", ":return", "@return", "\\param"];
    let before = value.before.trim_end();
    refused(TAGS.iter().any(|tag| before.ends_with(tag)))
}

/// One of the pairs of a connection string.
fn listed_pair(place: &NamedSecret<'_, '_>, value: &ValueOnLine<'_>) -> Option<bool> {
    let operator = value.operator;
    is_listed_pair(value.before, operator.spaced, operator.is_colon)
        .then(|| !place.is_own_name(value.shown))
}

/// Outside of settings, a value that repeats the name is a variable, also at the end of a path.
fn own_name(place: &NamedSecret<'_, '_>, value: &ValueOnLine<'_>) -> Option<bool> {
    let last = || value.shown.rsplit_once('.').map_or("", |(_, last)| last);
    let is_own = place.is_own_name(value.shown) || place.is_own_name(last());
    refused(is_own && (!value.is_setting || value.shown.contains('.')) || place.repeats_name(value))
}

/// The last argument of a call over several lines, if that is a variable.
fn last_argument(_: &NamedSecret<'_, '_>, value: &ValueOnLine<'_>) -> Option<bool> {
    let of_path = |b: u8| b.is_ascii_alphabetic() || matches!(b, b'_' | b'.');
    let is_close = !value.operator.is_colon && !value.operator.spaced;
    let is_last = is_close
        && value.before.trim().is_empty()
        && (value.bare.ends_with(')') || value.bare.ends_with("):"))
        && value.shown.contains(['_', '.'])
        && value.shown.bytes().all(of_path);
    refused(is_last)
}

/// What stands for the value of an option in a description of a command.
fn name_for_value(place: &NamedSecret<'_, '_>, value: &ValueOnLine<'_>) -> Option<bool> {
    let is_option = place.name.starts_with("--") && !value.operator.is_colon;
    let of_name = |b: u8| b.is_ascii_uppercase() || b == b'_';
    const NAMES: [&str; 9] = [
        "value", "string", "str", "text", "name", "file", "path", "id", "arg",
    ];
    let says_what = || {
        is_name_of_secret(value.shown)
            || name_parts(value.shown)
                .iter()
                .any(|part| NAMES.contains(&part.as_str()))
    };
    refused(is_option && value.shown.bytes().all(of_name) && says_what())
}

fn plain_assignment(place: &NamedSecret<'_, '_>, value: &ValueOnLine<'_>) -> Option<bool> {
    let is_spaced = value.operator.spaced && !value.operator.is_colon;
    refused(is_spaced && place.is_plain_assignment(value.shown))
}

fn assigned_from_pair(_: &NamedSecret<'_, '_>, value: &ValueOnLine<'_>) -> Option<bool> {
    let is_spaced = value.operator.spaced && !value.operator.is_colon;
    refused(is_spaced && value.before.trim_end().ends_with(','))
}

/// A string of a program is a message or a real literal.
fn in_string(place: &NamedSecret<'_, '_>, value: &ValueOnLine<'_>) -> Option<bool> {
    let is_in = |quote: &u8| place.around.in_string(place.name_start, *quote);
    let is_in_string = [b'"', b'\'', b'`'].iter().any(is_in);
    is_in_string.then(|| is_secret_in_string(value.operator, value.shown))
}

/// One of the fields of an object as programs print it and as YAML writes it on one line:
/// `Login(user=ada, password=x)`, `&{User:ada Password:x}`, `db: {user: ada, password: x}`. Such a
/// line looks like code, in which a variable may stand in the place of the value.
fn field_of_record(place: &NamedSecret<'_, '_>, value: &ValueOnLine<'_>) -> Option<bool> {
    let operator = value.operator;
    let can_be = place.strength == Strength::Strong && !value.quoted_name && !operator.line_end;
    let is_secret = can_be
        && looks_chosen(value.shown)
        && !value.shown.contains(['(', '[', '{', '<', '"', '\''])
        && record_of(value).is_some_and(|record| !is_variable(value.shown, record));
    is_secret.then_some(true)
}

/// What kind of object a field stands in.
#[derive(Clone, Copy, PartialEq)]
enum Record {
    /// `Login(user=ada, …)`, as a class of Java or Kotlin is printed.
    Printed,
    /// `{User:ada …}` and `db: {user: ada, …}`, with nothing of a program before it.
    Data,
    /// A call, or an object in a program.
    Program,
}

/// The object that is open on the line before a name and in which the value ends or another field
/// follows.
fn record_of(value: &ValueOnLine<'_>) -> Option<Record> {
    let (open, sign) = open_bracket(value.before)?;
    let lead = value.before[..open].trim_end();
    let fields = value.before[open + 1..].trim_start();
    let follows = value.after.trim_start();
    let goes_on = follows.is_empty() || follows.starts_with([',', '}', ')']) || {
        let name = follows.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        name.len() < follows.len() && name.starts_with([':', '='])
            || value.bare.ends_with([',', '}', ')'])
    };
    let is_close = !value.operator.spaced;
    let name = lead
        .rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .next()?;
    let is_call = sign == '(' && !name.is_empty() && lead.len() == open;
    if !goes_on || sign == '(' && !is_call {
        return None;
    }
    let of_program = lead.ends_with(['=', '(', ',', '>', '|', ')'])
        || ["return", "const", "let", "var", "match", "if", "for"]
            .iter()
            .any(|word| lead.split_whitespace().next() == Some(word))
        || value.after.trim_end().ends_with([';', '{', '(', '\\'])
        || value.bare.ends_with(';');
    Some(match sign {
        '(' if is_close
            && !of_program
            && !fields.contains(['"', '\''])
            && name.starts_with(|c: char| c.is_ascii_uppercase()) =>
        {
            Record::Printed
        }
        '{' if !of_program => Record::Data,
        _ => Record::Program,
    })
}

/// The last bracket of a text that is not closed in it, and where it stands.
fn open_bracket(text: &str) -> Option<(usize, char)> {
    let mut depth = 0usize;
    for (at, sign) in text.char_indices().rev() {
        match sign {
            ')' | '}' => depth += 1,
            '(' | '{' if depth == 0 => return Some((at, sign)),
            '(' | '{' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Whether a value in an object is rather a variable, a type or a member than a password.
fn is_variable(shown: &str, record: Record) -> bool {
    const MIN_DIGITS: usize = 3;
    let of_name = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let named = shown.trim_end_matches(['!', '?']);
    let is_path = named.contains('.')
        && named.split('.').all(|part| {
            part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && part.bytes().all(of_name)
        });
    if is_path || is_surely_expression(shown) {
        return true;
    }
    if !named.bytes().all(of_name) {
        return record == Record::Program
            && is_expression(shown)
            && !shown.ends_with(['!', '*', '#', '$']);
    }
    if is_described(named) || is_told(named) {
        return true;
    }
    // `hunter22` may be a variable; `gvyJL223fd` is none.
    let inside = named.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = named.len() - inside.len();
    let has_inner = inside.bytes().any(|b| b.is_ascii_digit());
    let ends_in_sign = named.len() < shown.len();
    record == Record::Program && !has_inner && !(ends_in_sign && digits >= MIN_DIGITS)
}

/// In code, a bare value is a password only if its signs can be nothing else.
fn in_code(place: &NamedSecret<'_, '_>, value: &ValueOnLine<'_>) -> Option<bool> {
    let shown = value.shown;
    place.stands_in_code(value).then(|| {
        let name_like = is_expression(shown) || is_surely_expression(value.bare);
        !name_like && looks_chosen(shown) && shown.bytes().any(|b| b"@#%^!~".contains(&b))
    })
}

/// A sentence that merely mentions the word.
fn function_word(_: &NamedSecret<'_, '_>, value: &ValueOnLine<'_>) -> Option<bool> {
    refused(value.operator.spaced && is_function_word(value.shown))
}

fn subject_of_commit(place: &NamedSecret<'_, '_>, value: &ValueOnLine<'_>) -> Option<bool> {
    let shown = value.shown;
    let is_past = || place.name.contains('_') && shown.starts_with(|c: char| c.is_uppercase());
    let is_subject = value.operator.spaced
        && value.operator.is_colon
        && is_verb_of_commit(shown)
        && (!value.after.trim().is_empty() || is_past())
        && !speaks(value.before);
    refused(is_subject)
}

/// A word with which programs and their documents describe what stands in a field.
fn describing_word(place: &NamedSecret<'_, '_>, value: &ValueOnLine<'_>) -> Option<bool> {
    const WORDS: [&str; 32] = [
        "configuration",
        "configurations",
        "contains",
        "default",
        "deprecated",
        "describes",
        "encrypted",
        "experimental",
        "hashed",
        "hmac",
        "immutable",
        "indicates",
        "input",
        "legacy",
        "name",
        "oauth",
        "output",
        "password",
        "pem",
        "plaintext",
        "reference",
        "represents",
        "returned",
        "returns",
        "secret",
        "specifies",
        "ssh",
        "token",
        "unencrypted",
        "used",
        "value",
        "whether",
    ];
    let shown = value.shown.trim_end_matches('.');
    let word = shown.to_ascii_lowercase();
    let is_told = value.operator.is_colon && value.operator.spaced;
    let is_capital = shown.starts_with(|c: char| c.is_ascii_uppercase());
    let is_known = is_code_word(&word) || WORDS.contains(&word.as_str());
    // `client_secret: client secret of the app`
    let is_of_name = || name_parts(place.name).contains(&word);
    refused(is_told && goes_on(value) && (is_capital && is_known || is_of_name()))
}

/// Whether another word follows a value on its line.
fn goes_on(value: &ValueOnLine<'_>) -> bool {
    let after = value.after.trim_start();
    after.len() < value.after.len() && after.starts_with(|c: char| c.is_alphanumeric())
}

/// No token is a word with which a sentence begins, and hardly a key is, if that is written with a
/// capital.
fn word_of_sentence(place: &NamedSecret<'_, '_>, value: &ValueOnLine<'_>) -> Option<bool> {
    const MAX_LENGTH: usize = 12;
    const MAX_CAPITALIZED_LENGTH: usize = 16;
    let shown = value.shown.trim_end_matches('.');
    let starts_with_capital = shown.starts_with(|c: char| c.is_ascii_uppercase());
    let longest = match starts_with_capital {
        true => MAX_CAPITALIZED_LENGTH,
        false => MAX_LENGTH,
    };
    let is_word = || {
        let letters = shown.trim_end_matches(|c: char| c.is_ascii_digit());
        let is_plain = letters.len() == shown.len() || !looks_chosen(shown);
        // `Swordfish`, `OAuth`, but not `QWERTZUIOPAS`.
        const SHORT: usize = 6;
        let of_word = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        let is_cased = shown.len() <= SHORT || shown.bytes().skip(1).all(of_word);
        is_plain
            && is_cased
            && shown.len() <= longest
            && letters
                .bytes()
                .all(|b| b.is_ascii_alphabetic() || b == b'-')
    };
    let is_capital = || {
        let after = value.after.trim_start();
        starts_with_capital && after.starts_with(|c: char| c.is_ascii_alphabetic())
    };
    let is_spaced = value.operator.spaced && value.operator.is_colon;
    let can_be = || place.is_never_word() || place.is_hardly_word() && is_capital();
    refused(is_spaced && is_word() && goes_on(value) && can_be())
}

/// A value without trailing signs, and without the particle that Korean and other languages
/// append to it if it is long.
fn without_tail(bare: &str) -> &str {
    const LONG: usize = 16;
    let ascii = bare.find(|c: char| !c.is_ascii()).unwrap_or(bare.len());
    let word = if ascii >= LONG { &bare[..ascii] } else { bare };
    word.trim_end_matches([';', ',', ')', ']', '}', '\\', ':', '`'])
}

/// A value without a digit at its end; two are often added to a password.
fn without_number(value: &str) -> &str {
    let word = value.strip_suffix(|c: char| c.is_ascii_digit());
    match word {
        Some(word) if !word.ends_with(|c: char| c.is_ascii_digit()) => word,
        _ => value,
    }
}

/// Whether a value is a word with or without a digit: `condition1`.
fn is_numbered_word(value: &str) -> bool {
    without_number(value)
        .bytes()
        .all(|b| b.is_ascii_lowercase())
}

/// Whether a value is a name of several words in small letters: `s3_host`.
fn is_name_in_small_letters(value: &str) -> bool {
    let of_name = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
    value.contains('_') && value.bytes().all(of_name)
}

/// Whether a value is a name of several words, as programs write them: `NextPageMarker`.
fn is_name_of_words(value: &str) -> bool {
    const MIN_LENGTH: usize = 3;
    let words = name_parts(head(value, LOOK));
    words.len() > 1
        && value.bytes().all(|b| b.is_ascii_alphabetic() || b == b'.')
        && words.iter().all(|word| word.len() >= MIN_LENGTH)
}

/// Whether a value is a name of several words with a number, or a number with a unit:
/// `loop-unroll2`, `step_2_of_3`, `1200ms`.
fn is_numbered_name(value: &str) -> bool {
    let mut words = value.split(['-', '_', '.', '/', ':']);
    let is_word = |word: &str| {
        let number = word.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        number.bytes().all(|b| b.is_ascii_digit())
    };
    let unit = value.trim_start_matches(|c: char| c.is_ascii_digit() || "._-/:".contains(c));
    let is_measure = unit.len() < value.len() && unit.len() <= 2;
    is_measure || words.clone().nth(1).is_some() && words.all(is_word)
}

/// Whether a comment begins before the name on its line.
fn is_comment(before: &str) -> bool {
    let before = before.trim_start();
    ["//", "#", "/*", "* ", "--", "<!--", "{#", "{/*", "<%#"]
        .iter()
        .any(|sign| before.starts_with(sign))
}

/// Whether a text is the path before the name of a property: `spring.datasource.`.
fn is_path_of_property(before: &str) -> bool {
    let Some(path) = before.trim_start().strip_suffix('.') else {
        return false;
    };
    let of_name = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_');
    let mut parts = path.split('.');
    parts
        .next()
        .is_some_and(|first| !matches!(first, "self" | "this" | "cls"))
        && parts.next().is_some()
        && path
            .split('.')
            .all(|part| !part.is_empty() && part.bytes().all(of_name))
}

/// Whether a value is a secret where it stands in a string of a program, which is a message or a
/// real literal.
fn is_secret_in_string(operator: &Operator, shown: &str) -> bool {
    let pair_of_names = operator.is_colon
        && shown
            .bytes()
            .all(|b| b.is_ascii_alphabetic() || matches!(b, b'_' | b'-'));
    if pair_of_names {
        false
    } else if operator.spaced {
        looks_chosen(shown) && !is_expression_word(shown)
    } else {
        !is_name_of_secret(shown)
            && !shown.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')
            && !shown.starts_with(['+', '&', '\\'])
    }
}

#[cfg(test)]
mod tests {
    use super::super::name::Word;
    use super::*;
    use crate::privacy::context::Surroundings;
    use crate::privacy::{SecretRules, mask_secrets};

    /// The sensitive words of the examples, by strength.
    const WORDS: [(&[&str], Strength); 3] = [
        (
            &["password", "passwd", "pw", "secret", "credential"],
            Strength::Strong,
        ),
        (&["token"], Strength::Token),
        (&["key", "pass"], Strength::Weak),
    ];

    /// The rule that decides about the last value with a sign in a text.
    fn verdict(text: &str) -> Option<(&'static str, bool)> {
        let around = Surroundings::new(text);
        let lower = text.to_ascii_lowercase();
        let words = WORDS.iter().flat_map(|(words, strength)| {
            words.iter().map(|text| Word {
                text,
                strength: *strength,
                whole: *strength == Strength::Weak || *text == "pw",
            })
        });
        let places = words.flat_map(|word| {
            let found: Vec<_> = lower.match_indices(word.text).collect();
            found.into_iter().map(move |(at, _)| (at, word))
        });
        let judged = places.filter_map(|(at, word)| {
            let place = NamedSecret::at(&around, at, &word)?;
            let (after_name, quoted_name) = place.after_name();
            let operator = place.operator(after_name, quoted_name)?;
            let found = around.bare(operator.value).before_tag();
            let value = BareValue {
                operator: &operator,
                bare: found.text,
                shown: without_tail(found.text),
                end: found.end,
            };
            Some((at, place.verdict(&value, quoted_name)))
        });
        judged.max_by_key(|(at, _)| *at)?.1
    }

    #[test]
    fn each_rule_decides_its_example_and_no_rule_before_it_does() {
        let of_value = RULES_OF_VALUE.iter().map(|(example, _)| *example);
        let of_line = RULES_OF_LINE.iter().map(|(example, _)| *example);
        let wrong: Vec<String> = of_value
            .chain(of_line)
            .filter_map(|example| {
                let decided = verdict(example);
                (decided.map(|(rule, _)| rule) != Some(example))
                    .then(|| format!("{example:?} is decided by {decided:?}"))
            })
            .collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    /// What the rules say of their examples is what the filter does with them.
    #[test]
    fn the_filter_masks_the_examples_that_are_secrets_and_no_others() {
        let of_value = RULES_OF_VALUE.iter().map(|(example, _)| *example);
        let of_line = RULES_OF_LINE.iter().map(|(example, _)| *example);
        let wrong: Vec<String> = of_value
            .chain(of_line)
            .filter_map(|example| {
                let masked = mask_secrets(example, SecretRules::default());
                let is_masked = masked.text != example;
                let is_secret = verdict(example).is_none_or(|(_, is)| is);
                (is_masked != is_secret).then(|| format!("{example:?} becomes {:?}", masked.text))
            })
            .collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn a_value_to_which_no_rule_applies_is_a_secret() {
        assert_eq!(verdict("DB_PASSWORD=hunter22"), None);
    }
}
