//! Masks secrets in one sweep over the text: a table of three-byte prefixes finds the few
//! candidate places, then the rule of each place decides.
//!
//! Nothing is compiled or built at run time, so the first call is as fast as the
//! thousandth: a hook lives only for milliseconds.

use super::assignment::{Strength, Word, assignment_at, value_behind, value_in_doubt};
use super::beginnings::{Beginnings, begins_with};
use super::commands::{
    argument_after, argument_at, echoed_at, key_file_at, key_pair_at, login_file_at,
    printed_variable_at, secure_string_at,
};
use super::context::{LOOKS_IN_ADVANCE, Surroundings};
use super::continued::{ENCODED_BEGIN, continued_end, encoded_key_at};
use super::described::{described_value_at, property_at};
use super::formats::{
    FORMATS, Range, address_password_at, begins_word, connection_key_at, key_at, private_key_at,
    putty_key_at, web_token_at,
};
use super::places::{
    asana_token_at, authorization_at, azure_devops_token_at, azure_secret_at, basic_auth_at,
    bearer_at, chosen_flag_of, cookie_at, cookie_file_at, curl_cookie_at, data_source_at,
    discord_token_at, flag_of, identified_by, latin_word_at, login_of, mailchimp_key_at,
    native_word_at, net_user_at, new_relic_key_at, oracle_login_at, password_flag_at,
    recovery_phrase_at, session_cookie_at, set_password_at, telegram_token_at, terraform_token_at,
    web_key_at,
};
use super::plain::{Plain, values_of_json};
use super::shape::is_placeholder;
use super::tables::{inserted_at, secrets_of_columns};
use super::words::{Masked, mask_specified_keys, mask_word_patterns, redact};

/// Which rules for secrets apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecretRules {
    /// Whether, in source code, word patterns apply only to quoted or random-looking
    /// values. If false, they apply everywhere, exactly as in
    /// [`mask_word_patterns`](super::mask_word_patterns).
    pub code_aware: bool,
    /// Whether to also recognise keys of well-known issuers, private keys, web tokens, and
    /// passwords in addresses, connection strings and command lines.
    pub key_formats: bool,
}

impl Default for SecretRules {
    fn default() -> Self {
        SecretRules {
            code_aware: true,
            key_formats: true,
        }
    }
}

/// Masks the secrets in a text.
///
/// ```
/// use recallite::privacy::{SecretRules, mask_secrets};
/// let rules = SecretRules::default();
/// let code = "let token = parser.next_token();";
/// assert_eq!(mask_secrets(code, rules).text, code);
/// assert_eq!(mask_secrets("DB_PASSWORD=hunter2", rules).text, "DB_[REDACTED]");
/// ```
pub fn mask_secrets(text: &str, rules: SecretRules) -> Masked<'_> {
    match (rules.code_aware, rules.key_formats) {
        (true, true) => sweep(text, true, true),
        (true, false) => mask_specified_keys(sweep(text, true, false)),
        (false, true) => mask_word_patterns(text).then(|t| sweep(t, false, true)),
        (false, false) => mask_word_patterns(text),
    }
}

/// What to look for at a candidate place.
enum Rule {
    Word(Word),
    Special(Special),
}

#[derive(Clone, Copy)]
enum Special {
    Bearer,
    Authorization,
    Cookie,
    PrivateKey,
    PuttyKey,
    /// A file with a private key, in base64.
    EncodedKey,
    WebToken,
    Address,
    Connection {
        least: usize,
    },
    AzureSecret,
    TelegramToken,
    MailchimpKey,
    AsanaToken,
    OracleLogin,
    IdentifiedBy,
    DataSource,
    NetUser,
    AzureDevopsToken,
    RequirePass,
    /// The value of something whose name is given beside it.
    Described,
    /// The value behind its key in a property list.
    Property,
    /// A command that reads what another one writes.
    Echoed,
    /// What a command prints that shows a variable.
    Printed,
    Argument,
    /// An argument of a command that others stand before.
    ArgumentAfter {
        skipped: usize,
    },
    LoginFile,
    /// The rows of a statement of SQL.
    Inserted,
    /// A line of a file of cookies.
    CookieFile,
    KeyFile,
    /// The text that PowerShell makes a password of.
    SecureString,
    KeyPair,
    SetPassword,
    WebKey,
    NewRelicKey,
    SessionCookie,
    CurlCookie,
    /// An option that takes a name and a password with these programs.
    LoginOf {
        programs: &'static [&'static str],
    },
    BasicAuth,
    PasswordFlag,
    /// An option that takes a password only with these programs.
    FlagOf {
        programs: &'static [&'static str],
    },
    /// The same if it is spelled like this, and the password is one that a person or a program would
    /// choose.
    ChosenFlagOf {
        flag: &'static str,
        programs: &'static [&'static str],
    },
    RecoveryPhrase,
    TerraformToken,
    NativeWord,
    /// The word for password of a language in Latin letters, or its end and what stands before that.
    LatinWord {
        before: &'static str,
    },
    /// `pw`, with the sign behind it: two letters are too few to look for.
    ShortWord,
}

impl Special {
    /// Whether the rule examines more than the characters of the secret itself, or little more.
    fn looks_around(self) -> bool {
        !matches!(
            self,
            Special::PrivateKey
                | Special::PuttyKey
                | Special::EncodedKey
                | Special::WebToken
                | Special::Address
                | Special::Connection { .. }
                | Special::AzureSecret
                | Special::TelegramToken
                | Special::MailchimpKey
                | Special::NewRelicKey
                | Special::WebKey
                | Special::KeyPair
                | Special::KeyFile
                | Special::Inserted
                | Special::SecureString
                | Special::Argument
                | Special::Printed
                | Special::LatinWord { .. }
                | Special::ArgumentAfter { .. }
                | Special::Described
                | Special::Property
                | Special::AsanaToken
                | Special::AzureDevopsToken
                | Special::DataSource
                | Special::TerraformToken
                | Special::RecoveryPhrase
        )
    }
}

/// The minimum cost of examining one place, in bytes.
const PLACE: usize = 48;

const fn word(text: &'static str, strength: Strength, whole: bool) -> (&'static str, Rule) {
    (
        text,
        Rule::Word(Word {
            text,
            strength,
            whole,
        }),
    )
}

const fn special(text: &'static str, special: Special) -> (&'static str, Rule) {
    (text, Rule::Special(special))
}

const SHORT_WORD: Word = Word {
    text: "pw",
    strength: Strength::Strong,
    whole: true,
};

/// Programs that fetch something from a server.
const CLIENTS: &[&str] = &["curl", "http ", "wget", "smbclient", "lftp ", "etcdctl"];
const HTTPIE: &[&str] = &["http ", "https "];
/// Programs that copy images of containers.
const CARRIERS: &[&str] = &["skopeo", "podman", "buildah", "oras"];

const WORDS_AND_SPECIALS: &[(&str, Rule)] = &[
    word("password", Strength::Strong, false),
    word("passwd", Strength::Strong, false),
    word("passphrase", Strength::Strong, false),
    word("passcode", Strength::Strong, false),
    word("passwort", Strength::Strong, false),
    word("kennwort", Strength::Strong, false),
    word("pass", Strength::Weak, true),
    word("storepass", Strength::Strong, false),
    word("keypass", Strength::Strong, false),
    word("userpw", Strength::Strong, true),
    word("adminpw", Strength::Strong, true),
    word("rootpw", Strength::Strong, true),
    word("dbpw", Strength::Strong, true),
    word("pwd", Strength::Strong, true),
    word("psk", Strength::Strong, true),
    word("secret", Strength::Strong, false),
    word("token", Strength::Token, false),
    word("api_key", Strength::Strong, false),
    word("api-key", Strength::Strong, false),
    word("apikey", Strength::Strong, false),
    word("accesskey", Strength::Strong, false),
    word("credential", Strength::Strong, false),
    word("key", Strength::Weak, true),
    word("auth", Strength::Weak, true),
    word("salt", Strength::Weak, true),
    word("pepper", Strength::Weak, true),
    word("dsn", Strength::Weak, true),
    special("bearer", Special::Bearer),
    special("authorization", Special::Authorization),
    special("cookie", Special::Cookie),
    special("-----begin ", Special::PrivateKey),
    special("-----begin%20", Special::PrivateKey),
    special("-----begin+", Special::PrivateKey),
    special("private-lines:", Special::PuttyKey),
    special(ENCODED_BEGIN, Special::EncodedKey),
    special("eyj", Special::WebToken),
    special("://", Special::Address),
    special("accountkey=", Special::Connection { least: 40 }),
    special("sharedaccesskey=", Special::Connection { least: 20 }),
    special("sharedsecret=", Special::Connection { least: 16 }),
    special("sig=", Special::Connection { least: 20 }),
    special("x-amz-signature=", Special::Connection { least: 24 }),
    special("x-goog-signature=", Special::Connection { least: 24 }),
    special("&signature=", Special::Connection { least: 24 }),
    special("?signature=", Special::Connection { least: 24 }),
    special("sonar.login=", Special::Connection { least: 24 }),
    special("?code=", Special::Connection { least: 40 }),
    special("&code=", Special::Connection { least: 40 }),
    special("8q~", Special::AzureSecret),
    special(":aa", Special::TelegramToken),
    special("-us", Special::MailchimpKey),
    special("0/1", Special::AsanaToken),
    special("1/1", Special::AsanaToken),
    special("2/1", Special::AsanaToken),
    special("sqlplus ", Special::OracleLogin),
    special("sqlldr ", Special::OracleLogin),
    special("expdp ", Special::OracleLogin),
    special("impdp ", Special::OracleLogin),
    special("oracle:thin:", Special::OracleLogin),
    special("value", Special::Described),
    special("default", Special::Described),
    special("</key>", Special::Property),
    special("sudo -s", Special::Echoed),
    special("--password-stdin", Special::Echoed),
    special("chpasswd", Special::Echoed),
    special("passwd --stdin", Special::Echoed),
    special("kinit ", Special::Echoed),
    special("secret-tool store", Special::Echoed),
    special("pass insert", Special::Echoed),
    special("gcloud secrets ", Special::Echoed),
    special("podman secret create", Special::Echoed),
    special("wrangler secret put", Special::Echoed),
    special("gh secret set", Special::Echoed),
    special("vercel env add", Special::Echoed),
    special("docker secret create", Special::Echoed),
    special("vncpasswd -f", Special::Echoed),
    special("cryptsetup ", Special::Echoed),
    special(
        "rabbitmqctl add_user ",
        Special::ArgumentAfter { skipped: 1 },
    ),
    special(
        "rabbitmqctl change_password ",
        Special::ArgumentAfter { skipped: 1 },
    ),
    special(
        "poetry config http-basic.",
        Special::ArgumentAfter { skipped: 2 },
    ),
    special("htpasswd -b ", Special::ArgumentAfter { skipped: 2 }),
    special("htpasswd -cb ", Special::ArgumentAfter { skipped: 2 }),
    special("htpasswd -bc ", Special::ArgumentAfter { skipped: 2 }),
    special("htpasswd -nb ", Special::ArgumentAfter { skipped: 1 }),
    special("htpasswd -bn ", Special::ArgumentAfter { skipped: 1 }),
    special("bw unlock ", Special::ArgumentAfter { skipped: 0 }),
    special("bw login ", Special::ArgumentAfter { skipped: 1 }),
    special("wpa_passphrase ", Special::ArgumentAfter { skipped: 1 }),
    special("mc alias set ", Special::ArgumentAfter { skipped: 3 }),
    special(
        " -n ",
        Special::ChosenFlagOf {
            flag: " -N ",
            programs: &["ssh-keygen"],
        },
    ),
    special(
        " -s ",
        Special::ChosenFlagOf {
            flag: " -s ",
            programs: &["ldappasswd"],
        },
    ),
    special(
        " /p:",
        Special::FlagOf {
            programs: &["freerdp"],
        },
    ),
    special(
        " /p ",
        Special::FlagOf {
            programs: &["signtool"],
        },
    ),
    special(" -hp", Special::PasswordFlag),
    special("echo $", Special::Printed),
    special("echo \"$", Special::Printed),
    special("printenv ", Special::Printed),
    special("auth plain ", Special::Argument),
    special("wandb login ", Special::Argument),
    special("snyk auth ", Special::Argument),
    special("vault login ", Special::Argument),
    special("operator unseal ", Special::Argument),
    special("unseal key ", Special::Argument),
    special("::add-mask::", Special::Argument),
    special(":5432:", Special::LoginFile),
    special(":*:", Special::LoginFile),
    special("master.key", Special::KeyFile),
    special("akia", Special::KeyPair),
    special("asia", Special::KeyPair),
    special("set password for ", Special::SetPassword),
    special("identified", Special::IdentifiedBy),
    special("@tcp(", Special::DataSource),
    special("@unix(", Special::DataSource),
    special("net user ", Special::NetUser),
    special("azdo", Special::AzureDevopsToken),
    special("insert into ", Special::Inserted),
    special("replace into ", Special::Inserted),
    special("\ttrue\t/", Special::CookieFile),
    special("\tfalse\t/", Special::CookieFile),
    special("requirepass ", Special::RequirePass),
    special("masterauth ", Special::RequirePass),
    special("sessionid", Special::SessionCookie),
    special("nral", Special::NewRelicKey),
    special("\"d\"", Special::WebKey),
    special("\"p\"", Special::WebKey),
    special("\"q\"", Special::WebKey),
    special("\"dp\"", Special::WebKey),
    special("\"dq\"", Special::WebKey),
    special("\"qi\"", Special::WebKey),
    special("\"k\"", Special::WebKey),
    special("asp.net_sessionid", Special::SessionCookie),
    special("phpsessid", Special::SessionCookie),
    special("jsessionid", Special::SessionCookie),
    special("connect.sid", Special::SessionCookie),
    special("_session=", Special::SessionCookie),
    special(" -b ", Special::CurlCookie),
    special(" -u", Special::LoginOf { programs: CLIENTS }),
    special("--user", Special::LoginOf { programs: CLIENTS }),
    special("--proxy-user", Special::LoginOf { programs: CLIENTS }),
    special("-creds", Special::LoginOf { programs: CARRIERS }),
    special(" -a ", Special::LoginOf { programs: HTTPIE }),
    special("--auth ", Special::LoginOf { programs: HTTPIE }),
    special("basicauth(", Special::BasicAuth),
    special("auth=(", Special::BasicAuth),
    special("auth = (", Special::BasicAuth),
    special(" -p", Special::PasswordFlag),
    special(
        " -a ",
        Special::FlagOf {
            programs: &["redis-cli"],
        },
    ),
    special(
        " -b ",
        Special::FlagOf {
            programs: &["gh secret"],
        },
    ),
    special(
        " --body ",
        Special::FlagOf {
            programs: &["gh secret"],
        },
    ),
    special(
        "--secret-string ",
        Special::FlagOf {
            programs: &["secretsmanager"],
        },
    ),
    special(
        " -k ",
        Special::FlagOf {
            programs: &["openssl enc"],
        },
    ),
    special(
        " -w ",
        Special::FlagOf {
            programs: &[
                "ldapsearch",
                "ldapadd",
                "ldapmodify",
                "ldapdelete",
                "ldapwhoami",
            ],
        },
    ),
    special(".atlasv1.", Special::TerraformToken),
    special("convertto-securestring ", Special::SecureString),
    special("mnemonic", Special::RecoveryPhrase),
    special("seed phrase", Special::RecoveryPhrase),
    special("recovery phrase", Special::RecoveryPhrase),
    special("backup phrase", Special::RecoveryPhrase),
    special("seed words", Special::RecoveryPhrase),
    special("recovery words", Special::RecoveryPhrase),
    special("니모닉", Special::RecoveryPhrase),
    special("복구 구문", Special::RecoveryPhrase),
    special("助记词", Special::RecoveryPhrase),
    special("pw:", Special::ShortWord),
    special("pw=", Special::ShortWord),
    special("pw ", Special::ShortWord),
    special("pw\"", Special::ShortWord),
    special("pw'", Special::ShortWord),
    special("pw：", Special::ShortWord),
    special("비밀번호", Special::NativeWord),
    special("비번", Special::NativeWord),
    special("패스워드", Special::NativeWord),
    special("암호", Special::NativeWord),
    special("토큰", Special::NativeWord),
    special("시크릿", Special::NativeWord),
    special("인증키", Special::NativeWord),
    special("인증 키", Special::NativeWord),
    special("비밀키", Special::NativeWord),
    special("비밀 키", Special::NativeWord),
    special("API 키", Special::NativeWord),
    special("api키", Special::NativeWord),
    special("apiキー", Special::NativeWord),
    special("パスワード", Special::NativeWord),
    special("トークン", Special::NativeWord),
    special("暗証番号", Special::NativeWord),
    special("シークレット", Special::NativeWord),
    special("密码", Special::NativeWord),
    special("密碼", Special::NativeWord),
    special("口令", Special::NativeWord),
    special("令牌", Special::NativeWord),
    special("密钥", Special::NativeWord),
    special("密鑰", Special::NativeWord),
    special("私钥", Special::NativeWord),
    special("私鑰", Special::NativeWord),
    special("秘密鍵", Special::NativeWord),
    special("暗号鍵", Special::NativeWord),
    special("暗号キー", Special::NativeWord),
    special("パスフレーズ", Special::NativeWord),
    special("пароль", Special::NativeWord),
    special("Пароль", Special::NativeWord),
    special("ПАРОЛЬ", Special::NativeWord),
    special("токен", Special::NativeWord),
    special("Токен", Special::NativeWord),
    special("seña", Special::LatinWord { before: "contra" }),
    special("passe", Special::LatinWord { before: "mot de " }),
    special("senha", Special::LatinWord { before: "" }),
    special("wachtwoord", Special::LatinWord { before: "" }),
];

/// The beginnings of Discord tokens: a decimal id in base64, so its first two digits decide the
/// first three characters.
const DISCORD_IDS: [[u8; 3]; 90] = {
    const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut ids = [[0; 3]; 90];
    let mut number = 0;
    while number < 90 {
        let (first, second) = (b'1' as usize + number / 10, b'0' as usize + number % 10);
        ids[number] = [
            BASE64[first >> 2],
            BASE64[(first & 3) << 4 | second >> 4],
            BASE64[(second & 15) << 2],
        ];
        number += 1;
    }
    ids
};

const FIRST_DISCORD: usize = WORDS_AND_SPECIALS.len() + FORMATS.len();
const RULES: usize = FIRST_DISCORD + DISCORD_IDS.len();
const NONE: u16 = u16::MAX;
const BITS: u32 = 12;

/// Folds case; other characters are merely permuted, consistently on both sides.
const fn lower(byte: u8) -> u8 {
    byte | 0x20
}

const fn slot(a: u8, b: u8, c: u8) -> usize {
    let three = (a as u32) | (b as u32) << 8 | (c as u32) << 16;
    (three.wrapping_mul(0x9E37_79B1) >> (32 - BITS)) as usize
}

const fn beginning(rule: usize) -> &'static [u8] {
    if rule < WORDS_AND_SPECIALS.len() {
        WORDS_AND_SPECIALS[rule].0.as_bytes()
    } else if rule < FIRST_DISCORD {
        FORMATS[rule - WORDS_AND_SPECIALS.len()].prefix.as_bytes()
    } else {
        &DISCORD_IDS[rule - FIRST_DISCORD]
    }
}

/// The prefixes of the rules, for tests.
#[cfg(any(test, feature = "testing"))]
pub(super) fn beginnings() -> impl Iterator<Item = &'static str> {
    let prefixes = FORMATS.iter().map(|format| format.prefix);
    let ids = DISCORD_IDS.iter();
    WORDS_AND_SPECIALS
        .iter()
        .map(|(text, _)| *text)
        .chain(prefixes)
        .chain(ids.map(|id| std::str::from_utf8(id).expect("base64 is ASCII")))
}

/// The first rule for each hash of a three-byte prefix, and for each rule the next one with
/// the same hash, in list order.
struct Index {
    first: [u16; 1 << BITS],
    next: [u16; RULES],
}

static INDEX: Index = {
    let mut first = [NONE; 1 << BITS];
    let mut next = [NONE; RULES];
    let mut rule = RULES;
    while rule > 0 {
        rule -= 1;
        let text = beginning(rule);
        assert!(text.len() > 2, "a beginning has three bytes or more");
        let slot = slot(lower(text[0]), lower(text[1]), lower(text[2]));
        next[rule] = first[slot];
        first[slot] = rule as u16;
    }
    Index { first, next }
};

fn sweep(text: &str, words: bool, formats: bool) -> Masked<'_> {
    let mut sweep = Sweep {
        words,
        formats,
        advance: LOOKS_IN_ADVANCE,
    };
    redact(text, &sweep.text(text, 0))
}

/// What a sweep looks for, over a text and the texts in it.
struct Sweep {
    words: bool,
    formats: bool,
    /// How many looks all these texts may use in advance together.
    advance: u64,
}

impl Sweep {
    /// The secrets of a text that stands in so many others.
    fn text(&mut self, text: &str, depth: usize) -> Vec<Range> {
        const DEEPEST: usize = 4;
        let plain = Plain::of(text);
        let mut ranges = self.secrets_of(&plain.text);
        let own = ranges.len();
        if self.formats {
            ranges.extend(secrets_of_columns(&plain.text));
        }
        if depth < DEEPEST {
            for (begin, end) in values_of_json(&plain.text) {
                let held = Plain::held(&plain.text[begin..end]);
                let mut inner = self.text(&held.text, depth + 1);
                held.locate(&mut inner);
                ranges.extend(inner.iter().map(|(from, to)| (begin + from, begin + to)));
            }
        }
        if ranges.len() > own {
            join(&mut ranges);
        }
        plain.locate(&mut ranges);
        ranges
    }

    /// The secrets of a text, but for those in texts that it holds.
    fn secrets_of(&mut self, text: &str) -> Vec<Range> {
        let bytes = text.as_bytes();
        let mut ranges: Vec<Range> = Vec::new();
        let mut around: Option<Surroundings<'_>> = None;
        let mut done = 0;
        let mut at = 0;
        while let Some(skipped) = BEGINNINGS.next(&bytes[at..]) {
            at += skipped;
            let slot = slot(lower(bytes[at]), lower(bytes[at + 1]), lower(bytes[at + 2]));
            let mut rule = INDEX.first[slot];
            let mut found = None;
            while rule != NONE && found.is_none() {
                let index = rule as usize;
                rule = INDEX.next[index];
                if !begins_with(bytes, at, beginning(index)) {
                    continue;
                }
                let around =
                    around.get_or_insert_with(|| Surroundings::with_advance(text, self.advance));
                around.spend(PLACE);
                found = apply(around, at, index, self.words, self.formats)
                    .map(|(start, end)| (start.max(done), end))
                    .filter(|(start, end)| start < end)
                    .map(|range| (range.0, continued_end(around, range)));
            }
            match found {
                Some((start, end)) => {
                    debug_assert!(text.is_char_boundary(start) && text.is_char_boundary(end));
                    ranges.push((start, end));
                    done = end;
                    at = end.max(at + 1);
                }
                None => at += 1,
            }
        }
        if let Some(around) = around {
            self.advance = around.advance_left();
            let also = around.also.into_inner();
            if !also.is_empty() {
                ranges.extend(also);
                join(&mut ranges);
            }
        }
        ranges
    }
}

/// Sorts ranges and joins those that overlap.
fn join(ranges: &mut Vec<Range>) {
    ranges.sort_unstable();
    ranges.dedup_by(|later, earlier| {
        let overlap = later.0 < earlier.1;
        if overlap {
            earlier.1 = earlier.1.max(later.1);
        }
        overlap
    });
}

/// The first three bytes of every rule's beginning.
static BEGINNINGS: Beginnings = {
    let mut beginnings = Beginnings::NONE;
    let mut rule = 0;
    while rule < RULES {
        beginnings = beginnings.with(beginning(rule));
        rule += 1;
    }
    beginnings
};

fn apply(
    around: &Surroundings<'_>,
    at: usize,
    index: usize,
    words: bool,
    formats: bool,
) -> Option<Range> {
    let hurries = around.is_overdrawn(at);
    if index >= FIRST_DISCORD {
        return formats.then(|| discord_token_at(around, at)).flatten();
    }
    let Some((beginning, rule)) = WORDS_AND_SPECIALS.get(index) else {
        let format = &FORMATS[index - WORDS_AND_SPECIALS.len()];
        return formats
            .then(|| key_at(around, at, format, hurries))
            .flatten();
    };
    match rule {
        Rule::Word(word) => {
            // In exact mode, this sweep handles only names that the word patterns do not
            // see (quoted ones, options).
            let specified = matches!(
                word.text,
                "password" | "secret" | "token" | "api_key" | "api-key" | "apikey"
            );
            let wanted = if specified { words || formats } else { formats };
            let find = if hurries {
                value_in_doubt
            } else {
                assignment_at
            };
            wanted.then(|| find(around, at, word)).flatten()
        }
        Rule::Special(special) => {
            if !formats && !matches!(special, Special::Bearer | Special::PrivateKey) {
                return None;
            }
            let end = at + beginning.len();
            if hurries && special.looks_around() {
                return value_behind(around, end, true);
            }
            apply_special(around, at, end, *special)
        }
    }
}

fn apply_special(
    around: &Surroundings<'_>,
    at: usize,
    end: usize,
    special: Special,
) -> Option<Range> {
    let text = around.text;
    match special {
        Special::Bearer => bearer_at(around, at, end),
        Special::Authorization => authorization_at(around, end),
        Special::Cookie => cookie_at(around, at, end),
        Special::PrivateKey => private_key_at(text, at),
        Special::PuttyKey => putty_key_at(text, end),
        Special::EncodedKey => encoded_key_at(around, at),
        Special::WebToken => web_token_at(text, at),
        Special::Address => address_password_at(text, at),
        Special::Connection { least } => (least > 20
            || begins_word(text.as_bytes(), at) && !text[..at].ends_with('='))
        .then(|| connection_key_at(around, end, least))
        .flatten(),
        Special::AzureSecret => azure_secret_at(around, at),
        Special::TelegramToken => telegram_token_at(around, at),
        Special::MailchimpKey => mailchimp_key_at(around, at, end),
        Special::AsanaToken => asana_token_at(around, at),
        Special::OracleLogin => oracle_login_at(around, end),
        Special::IdentifiedBy => identified_by(around, at, end),
        Special::DataSource => data_source_at(around, at),
        Special::NetUser => net_user_at(around, at, end),
        Special::AzureDevopsToken => azure_devops_token_at(around, at),
        Special::RequirePass => {
            let line = around.line_after(end);
            let line = line.split_once(" #").map_or(line, |(value, _)| value);
            let value = line.trim();
            let lead = around.line_before(at).trim();
            (lead.is_empty() && !value.is_empty() && !is_placeholder(value) && !value.contains(' '))
                .then(|| (end, end + line.len()))
        }
        Special::Described => described_value_at(around, at, end),
        Special::Property => property_at(around, at, end),
        Special::Echoed => echoed_at(around, at, end),
        Special::Printed => printed_variable_at(around, end),
        Special::Argument => argument_at(around, end),
        Special::ArgumentAfter { skipped } => argument_after(around, end, skipped),
        Special::LoginFile => login_file_at(around, at, end),
        Special::Inserted => inserted_at(around, at, end),
        Special::CookieFile => cookie_file_at(around, end),
        Special::KeyFile => key_file_at(around, end),
        Special::SecureString => secure_string_at(around, end),
        Special::KeyPair => key_pair_at(around, at),
        Special::SetPassword => set_password_at(around, end),
        Special::WebKey => web_key_at(around, at, end),
        Special::NewRelicKey => new_relic_key_at(around, at, end),
        Special::SessionCookie => session_cookie_at(around, at, end),
        Special::CurlCookie => curl_cookie_at(around, at, end),
        Special::LoginOf { programs } => login_of(around, at, end, programs),
        Special::BasicAuth => basic_auth_at(around, end),
        Special::PasswordFlag => password_flag_at(around, at, end),
        Special::FlagOf { programs } => flag_of(around, at, end, programs),
        Special::ChosenFlagOf { flag, programs } => (text[at..end] == *flag)
            .then(|| chosen_flag_of(around, at, end, programs))
            .flatten(),
        Special::RecoveryPhrase => recovery_phrase_at(text, end),
        Special::TerraformToken => terraform_token_at(around, at, end),
        Special::NativeWord => native_word_at(around, end),
        Special::LatinWord { before } => latin_word_at(around, at, end, before),
        Special::ShortWord => assignment_at(around, at, &SHORT_WORD),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn masked(text: &str) -> String {
        mask_secrets(text, SecretRules::default()).text.into_owned()
    }

    #[test]
    fn a_key_pair_is_masked_whole_whatever_stands_between() {
        let (id, key) = (
            "AKIA4X7QZ2M9RT5LWB3N",
            "q7Rz2mK9xT4vL8nW1bY6cD3fG5hJ0pSsUaEiO+tM",
        );
        for between in [" ", " 비밀키 ", "│", &"│".repeat(21), "\u{a0}→ "] {
            let shown = masked(&format!("{id}{between}{key} end"));
            assert!(!shown.contains("tM") && shown.ends_with(" end"), "{shown}");
        }
    }

    #[test]
    fn a_named_value_is_masked_however_the_name_is_written() {
        let secret = "hQ7zK2pXw9";
        for text in [
            "**Password:** SECRET",
            "- **Password**: SECRET",
            "- `password`: SECRET",
            "Password (root): SECRET",
            "password：SECRET",
            "API key：SECRET",
            "APIキー：SECRET",
            "비밀번호:\nSECRET",
            "密码：\r\n  SECRET\n",
            "パスワード：\nSECRET",
            "Authorization: Digest username=\"ada\", response=\"SECRET\"",
            "My password is: SECRET",
            "The admin password is: \"SECRET\"",
            "the API key is: SECRET",
            "the password was: SECRET.",
            "password is = SECRET",
            "My password is:\nSECRET",
            "__Password__: SECRET",
            "__Password:__ SECRET",
            "**password** = SECRET",
            "~~password~~: SECRET",
            "ｐａｓｓｗｏｒｄ：SECRET",
            "ＤＢ＿ＰＡＳＳＷＯＲＤ=SECRET",
            "{\"value\": \"SECRET\", \"name\": \"DB_PASSWORD\"}",
            "- value: other12\n  name: HOST\n- value: SECRET\n  name: DB_PASSWORD\n",
            "<property value=\"SECRET\" name=\"password\"/>",
            "{\"ParameterKey\":\"DBPassword\",\"ParameterValue\":\"SECRET\"}",
            "<key>password</key>\n\t<string>SECRET</string>",
            "password: !!str SECRET",
            "password: &first SECRET",
            "{\"passwords\": [\"other12xy\", \"SECRET\"]}",
            "DB_PASSWORD='SECRET with spaces'",
            "{\"password\": \"my dog SECRET is old\"}",
        ] {
            let text = text.replace("SECRET", secret);
            let shown = masked(&text);
            assert!(!shown.contains(secret), "{text}: {shown}");
        }
        assert!(!masked("{\"password\": \"My Dog Rex 2019!\"}").contains("Rex"));
        for text in [
            "\"password\": \"must have at least 8 characters\"",
            "password: \"see RFC7519 for the format of it\"",
            "secret = \"a 12-character text that you choose\"",
            "- `token`: the token of the session",
            "**Password:** the one that you chose",
            "| password (optional) | the password |",
            "비밀번호:\n다음 줄",
            "The password is: required",
            "the token is: expired",
            "My question about the password is:\nwhere is it stored?",
            "- value: other12345\n  name: HOST\n- value: x\n  name: DB_PASSWORD\n",
            "<key>name</key><string>hQ7zK2pXw9</string>",
            "ｔｏｋｅｎｓ are counted",
        ] {
            assert_eq!(masked(text), text);
        }
    }

    #[test]
    fn a_wide_text_is_masked_in_its_own_bytes() {
        assert_eq!(
            masked("ｐａｓｓｗｏｒｄ：ｈＱ７ｚＫ２ｐＸｗ９ 끝"),
            "[REDACTED] 끝"
        );
        assert_eq!(
            masked("ｉｄ password=hQ7zK2pXw９。ｅｎｄ"),
            "ｉｄ [REDACTED]"
        );
        assert_eq!(
            masked("ｔｏ\u{200b}ｋｅｎ=hQ7zK2pXw9Lm ok"),
            "[REDACTED] ok"
        );
    }

    #[test]
    fn programs_stay_as_they_are() {
        for code in [
            "token = parser.next_token()",
            "password: String",
            "fn secret(key: &str) -> Secret {",
            "self.token = token",
            "const password = getPassword();",
            "print(\"password: \", getpass())",
            "if token == other_token {",
            "log.info(\"token: {}\", token)",
            "let url = format!(\"{base}?token={token}\");",
            "headers[\"Authorization\"] = f\"Bearer {token}\"",
            "the bearer token goes into the header",
            "token = os.environ[\"API_TOKEN\"]",
            "api_key = env::var(\"API_KEY\")?;",
            "password = params[:password]",
            "<input name=\"password\" type=\"password\">",
            "parser.add_argument(\"--password\", help=\"the password\")",
        ] {
            assert_eq!(masked(code), code);
        }
    }

    #[test]
    fn quoted_and_random_values_in_programs_are_masked() {
        for (code, secret) in [
            ("let password = \"hunter2!x\";", "hunter2!x"),
            ("\"password\": \"tiger\"", "tiger"),
            ("password: str = \"tiger-cat\"", "tiger-cat"),
            ("if token == \"q8Zr2LwX9vTn4KpB\" {", "q8Zr2LwX9vTn4KpB"),
            (
                "let s = SecretString::from(\"x\"); token = a1B2c3D4e5F6g7H8;",
                "a1B2c3D4e5F6g7H8",
            ),
            (
                "password = os.getenv(\"DB_PASSWORD\", \"hunter2!\")",
                "hunter2!",
            ),
        ] {
            let out = masked(code);
            assert!(
                !out.contains(secret) && out.contains("[REDACTED]"),
                "{code} -> {out}"
            );
        }
    }

    #[test]
    fn exact_word_patterns_still_apply_without_code_awareness() {
        let rules = SecretRules {
            code_aware: false,
            key_formats: false,
        };
        assert_eq!(
            mask_secrets("const password = getPassword();", rules).text,
            "const [REDACTED]"
        );
        assert_eq!(
            mask_secrets("AKIAIOSFODNN7EXAMPLE", rules).text,
            "AKIAIOSFODNN7EXAMPLE"
        );
    }

    #[test]
    fn work_is_linear_in_any_input() {
        for unit in [
            "token",
            "token=",
            "token = ",
            "password: \"",
            "://",
            "eyJ",
            "--token ",
            "a@",
            "비밀번호는 ",
            "-----BEGIN PRIVATE KEY-----",
            "key=\\\"",
            "authorization: ",
        ] {
            let text = unit.repeat(300_000 / unit.len());
            mask_secrets(&text, SecretRules::default());
        }
    }

    #[test]
    fn no_half_of_a_value_is_left() {
        for text in [
            "password: 'ab3kQ''WxYz9'",
            "PASSWORD='it3kQ'\\''WxYz9'",
            "DB_PASSWORD=Xk3kQ'WxYz9",
            "~ password = \"ab3kQx7p\" -> \"t3WxYz9k\"",
            "password = N'hQ7zWxYz9'",
            "password = r#\"hQ7zWxYz9\"#",
        ] {
            let shown = masked(text);
            assert!(!shown.contains("WxYz"), "{text}: {shown}");
        }
        assert_eq!(
            masked("app password: abcd efgh ijkl mnop, see there"),
            "app [REDACTED], see there"
        );
        for text in [
            "'password=abc12345'if",
            "say password: 'tr0ub4dor' 'and' more",
        ] {
            assert!(masked(text).ends_with(&text[text.len() - 2..]), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_accepted_in_every_mode(text in "(password|ｔｏｋｅｎ|ｐass＿|９|token|://|eyJ|sk-|curl |AKIAIOSFODNN7EXAMPLE|[a-zA-Z0-9+/]{40}|[│→]{1,30}|cookie|sessionid|auth=\\(| -u|\"d\"|NRAL|Private-Lines:|\u{1b}\\[32m|%3D|secret: \\||[@#/:=\"' \n`]|é|한글|🎉|[a-zA-Z0-9]{1,8}|--|-----BEGIN PRIVATE KEY-----){0,30}") {
            for code_aware in [false, true] {
                for key_formats in [false, true] {
                    mask_secrets(&text, SecretRules { code_aware, key_formats });
                }
            }
        }
    }
}
