//! Values that a blank separates from their name: in a sentence, after an option, and in files
//! of settings that use no sign.

use super::name::{EMPHASIS, NamedSecret, Strength};
use super::value::trimmed_end;
use crate::privacy::context::Bare;
use crate::privacy::formats::Range;
use crate::privacy::line::after_spaces;
use crate::privacy::places::{PARTICLES, ends_statement};
use crate::privacy::shape::{
    LOOK, before_escape, head, is_described, is_function_word, is_name_of_secret, is_named_by_hash,
    is_ordinary_literal, is_placeholder, is_surely_expression, looks_chosen, looks_random,
    name_parts,
};
use crate::privacy::tags::is_blank;

/// Whether a value is the path of a file: `certs/rsa-2048/end.key`.
fn is_file(value: &str) -> bool {
    let name = value.rsplit('/').next().unwrap_or(value);
    value.contains('/')
        && name
            .rsplit_once('.')
            .is_some_and(|(_, kind)| (1..=5).contains(&kind.len()) && is_letters(kind))
}

/// Whether an option names keys on which its command works: `--recv-keys`, `--delete-secret-key`.
fn works_on_keys(option: &str) -> bool {
    const VERBS: [&str; 9] = [
        "--recv-",
        "--send-",
        "--refresh-",
        "--delete-",
        "--export-",
        "--list-",
        "--edit-",
        "--search-",
        "--fetch-",
    ];
    VERBS.iter().any(|verb| option.starts_with(verb))
        && (option.ends_with("key") || option.ends_with("keys"))
}

/// Whether a value has small and capital letters: not the name of a key in hexadecimal digits.
fn has_mixed_letters(value: &str) -> bool {
    let has = |kind: fn(&u8) -> bool| value.as_bytes().iter().any(kind);
    has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase)
}

/// Whether a value is the last word of a sentence: `… the option --sign-key description.`
fn is_end_of_sentence(value: &str) -> bool {
    value
        .strip_suffix('.')
        .is_some_and(|word| word.bytes().all(|b| b.is_ascii_lowercase()))
}

/// The longest of the verbs that state a value, in bytes.
const MAX_VERB_BYTES: usize = 3;

fn is_letters(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_alphabetic())
}

impl NamedSecret<'_, '_> {
    /// A name separated from its value by blanks: a command option, or a sentence (`the
    /// password is …`).
    pub(super) fn without_operator(&self, after_name: usize, quoted_name: bool) -> Option<Range> {
        let text = self.around.text;
        let value = after_spaces(text, after_name);
        if quoted_name {
            return None;
        }
        if let Some(literal) = self.literal_of_statement(after_name) {
            return Some(literal);
        }
        if let Some(at) = self.after_particle(after_name) {
            return self.stated_value(at).filter(|range| self.is_said(*range));
        }
        if value == after_name {
            return None;
        }
        if self.name.starts_with("--") {
            return self.option_value(value);
        }
        let bytes = text.as_bytes();
        let before = self
            .around
            .line_before(self.name_start)
            .to_ascii_lowercase();
        self.around.spend(4 * before.len());
        if matches!(bytes.get(value), Some(b'\'' | b'"')) {
            return self.literal_apart(value, &before);
        }
        let found = self.around.bare(value).before_tag();
        let (next, next_end) = (found.text, found.end);
        let after_next = after_spaces(text, next_end);
        self.around.spend(after_next - next_end);
        if next.eq_ignore_ascii_case("string") && bytes.get(after_next) == Some(&b'=') {
            let literal = self.literal_at(after_spaces(text, after_next + 1), false)?;
            return self
                .is_secret_literal(&text[literal.0..literal.1])
                .then_some((self.start, literal.1));
        }
        // "A temporary password is generated for root@localhost: x"
        const GENERATED: &str = "is generated for ";
        if text[value..].starts_with(GENERATED) && self.strength != Strength::Weak {
            return self.value_of_somebody(value + GENERATED.len());
        }
        if let Some(at) = self.after_verbs(value) {
            return self.stated_value(at);
        }
        let verb = next.trim_end_matches([':', '：']);
        let lower = head(verb, MAX_VERB_BYTES + 1).to_ascii_lowercase();
        if matches!(lower.as_str(), "is" | "was" | "to" | "ist" | "=" | "are")
            && (after_next > next_end || verb.len() < next.len())
        {
            return self.stated_value(self.after_stating(after_next));
        }
        if matches!(next, "for" | "of") && self.strength != Strength::Weak {
            return self.value_of_somebody(after_next);
        }
        self.value_apart(value, found, &before)
    }

    /// The position after the particle or the verb that states a value in Korean, Japanese or Chinese:
    /// `password는 x`, `token為x`.
    fn after_particle(&self, at: usize) -> Option<usize> {
        const MAX_LENGTH: usize = 16;
        let behind = head(&self.around.text[at..], MAX_LENGTH);
        let said = behind.trim_start_matches([' ', '*', '`']);
        if said.is_ascii() {
            return None;
        }
        let particle = PARTICLES
            .iter()
            .find(|particle| said.starts_with(**particle))?;
        let end = at + behind.len() - said.len() + particle.len();
        Some(after_spaces(self.around.text, end))
    }

    /// Whether a value behind a particle is what the sentence says the secret is, and not something
    /// that it goes on about: `passwordは bcrypt2 で保存`.
    fn is_said(&self, (begin, end): Range) -> bool {
        let value = &self.around.text[begin..end];
        let word = value.find(|c: char| !c.is_ascii()).unwrap_or(value.len());
        looks_random(&value[..word]) || ends_statement(self.around.line_after(begin + word))
    }

    /// The position after the verbs of a sentence that begin at `at`: "the password was changed to …",
    /// "the new password will be …".
    fn after_verbs(&self, at: usize) -> Option<usize> {
        const MAX: usize = 6;
        const MAX_LENGTH: usize = 48;
        const VERBS: [&str; 12] = [
            "will", "be", "has", "have", "been", "now", "is", "was", "changed", "reset", "set",
            "updated",
        ];
        let line = head(&self.around.text[at..], MAX_LENGTH);
        self.around.spend(line.len());
        let mut here = 0;
        let mut last = "";
        for word in line.split_inclusive(' ').take(MAX) {
            let is_to = word == "to " && here > 0;
            if !is_to && !VERBS.contains(&word.trim_end()) || !word.ends_with(' ') {
                break;
            }
            here += word.len();
            last = word.trim_end();
        }
        matches!(last, "be" | "to" | "now").then_some(at + here)
    }

    /// A quoted value without an operator: `WITH PASSWORD 'x'` in SQL, `storePassword 'x'` in a
    /// build file, `setx DB_PASSWORD "x"`.
    fn literal_apart(&self, value: usize, before: &str) -> Option<Range> {
        let text = self.around.text;
        let sql = before.trim_end().ends_with("with")
            || before.trim_end().ends_with("encrypted")
            || ["alter user", "alter role", "create user", "create role"]
                .iter()
                .any(|s| before.contains(s));
        let is_option = self.name.starts_with('-');
        let is_defined = before.trim_start().starts_with("#define");
        let is_weak = self.strength == Strength::Weak && !(is_defined && self.is_pass());
        let is_named = is_option || is_defined || self.is_compound();
        let is_said = || self.strength == Strength::Strong && !self.around.is_code(self.start);
        if !sql && (is_weak || !is_named && !is_said()) {
            return None;
        }
        let literal = self.literal_at(value, false)?;
        let content = &text[literal.0..literal.1];
        let is_chosen = sql
            || looks_chosen(content)
                && !content.contains(' ')
                && head(content, LOOK).bytes().any(|b| b.is_ascii_digit())
                && (is_named || !is_described(content));
        (is_chosen && self.is_secret_literal(content)).then_some(literal)
    }

    /// The value of a statement of SQL that goes on over lines: `WITH PASSWORD`, a line end and
    /// `'x'`.
    fn literal_of_statement(&self, after_name: usize) -> Option<Range> {
        const FAR: usize = 48;
        let text = self.around.text;
        let behind = head(&text[after_name..], FAR);
        let value = after_name + behind.len() - behind.trim_start().len();
        let is_apart = value > after_name && text[value..].starts_with('\'');
        if !is_apart || !self.name.eq_ignore_ascii_case("password") {
            return None;
        }
        let low = text.floor_char_boundary(self.name_start.saturating_sub(FAR));
        let before = text[low..self.name_start].trim_end().to_ascii_lowercase();
        self.around.spend(2 * FAR);
        let is_sql = before.ends_with(" with") || before.ends_with(" encrypted");
        let lines = text[low + before.len()..value].contains('\n');
        let literal = self.literal_at(value, false).filter(|_| is_sql && lines)?;
        let content = &text[literal.0..literal.1];
        (!content.contains(is_blank) && self.is_secret_literal(content)).then_some(literal)
    }

    /// The value behind a dash or an arrow, as notes have it: `**Password** – x`, `password→x`. Such
    /// a sign also begins an explanation, so only a word that a person or a program would choose,
    /// and which is the last of its line, counts.
    pub(super) fn value_behind_dash(&self, after_name: usize, quoted: bool) -> Option<Range> {
        const MAX_LENGTH: usize = 12;
        let text = self.around.text;
        let behind = head(&text[after_name..], MAX_LENGTH);
        let name_ends = behind.trim_start_matches(EMPHASIS);
        let is_marked = quoted || name_ends.len() < behind.len();
        let signed = name_ends.trim_start_matches(' ');
        let mut signs = ["– ", "— ", "- ", "→", "-> "].into_iter();
        let rest = signs.find_map(|sign| signed.strip_prefix(sign))?;
        let from = after_name + behind.len() - rest.len();
        let line = self.around.line_after(from);
        let value = line.trim_start_matches([' ', '`', '*', '"']);
        let begin = from + line.len() - value.len();
        let value = value.trim_end_matches([' ', '`', '*', '"', '.']);
        self.around.judge(value);
        self.around.compare();
        let is_chosen = looks_random(value)
            || self.strength == Strength::Strong
                && looks_chosen(value)
                && !is_ordinary_literal(value)
                && !is_surely_expression(value);
        // Without emphasis, the type of a parameter may stand there.
        let is_told = is_marked || signed.starts_with('→') || {
            let is_apart = signed.len() < name_ends.len();
            is_apart && !is_described(value) && !self.around.is_code(self.start)
        };
        let is_secret = is_chosen && is_told && !value.contains(is_blank) && !is_placeholder(value);
        (is_secret && !self.is_identifier(value)).then_some((begin, begin + value.len()))
    }

    /// Whether the name has several words: `DB_PASSWORD`, `storePassword`.
    fn is_compound(&self) -> bool {
        name_parts(self.name).len() > 1
    }

    /// The position after a sign and a line end at `at`: "the password is: …", "password is = …".
    fn after_stating(&self, at: usize) -> usize {
        const SIGNS: [char; 4] = [':', '=', '：', '＝'];
        let text = self.around.text;
        let signed = match text[at..].strip_prefix(SIGNS) {
            Some(rest) => after_spaces(text, text.len() - rest.len()),
            None => at,
        };
        let is_signed = signed > at || text[..at].trim_end().ends_with(SIGNS);
        let rest = &text[signed..];
        let line = rest
            .strip_prefix("\r\n")
            .or_else(|| rest.strip_prefix('\n'));
        match line {
            Some(line) if is_signed && self.is_alone(line) => {
                after_spaces(text, text.len() - line.len())
            }
            _ => signed,
        }
    }

    /// Whether a line has one word only.
    fn is_alone(&self, line: &str) -> bool {
        let line = self.around.line_after(self.around.text.len() - line.len());
        self.around.spend(line.len());
        line.split_whitespace().count() == 1
    }

    /// The value at `at` of a sentence: "the password is …".
    fn stated_value(&self, at: usize) -> Option<Range> {
        let literal = self.literal_at(at, false);
        let (begin, end) = literal.unwrap_or_else(|| {
            let bare = self.around.bare(at).before_tag();
            let end = trimmed_end(bare, &['.', ',', ';', ')', '!', '?', ':']);
            (at, end)
        });
        let whole = head(&self.around.text[begin..end], LOOK);
        // In a string, `hunter2x\nbye` is the last word of a line.
        let value = match literal {
            Some(_) => whole,
            None => before_escape(whole),
        };
        self.around.spend(whole.len());
        self.around.compare();
        let is_cut = value.len() < whole.len();
        // "the password is 12345678", but not "is 20 characters long"
        let is_number = (4..=16).contains(&value.len())
            && value.bytes().all(|b| b.is_ascii_digit())
            && self.strength == Strength::Strong
            && !self
                .around
                .line_after(end)
                .trim_start()
                .starts_with(|c: char| c.is_alphanumeric());
        let secret = (looks_random(value) && !self.is_identifier(value))
            || is_number
            || (literal.is_some() && self.is_phrase(value))
            || ((self.strength != Strength::Weak || self.is_key_of_secret())
                && looks_chosen(value)
                && !is_placeholder(value)
                && !is_surely_expression(value)
                && !value.contains(['/', ' ', '(', ')', '[', ']', '<', '>', '{', '}']));
        if secret && is_cut && !is_ordinary_literal(value) {
            return Some((begin, begin + value.len()));
        }
        let secret = if is_cut { looks_random(whole) } else { secret };
        (begin < end && secret && !is_ordinary_literal(whole)).then_some((begin, end))
    }

    /// "the password for the router is …", "password of ada: …", with the owner at `at`.
    fn value_of_somebody(&self, at: usize) -> Option<Range> {
        const MAX_OWNER_LENGTH: usize = 96;
        let line = head(self.around.line_after(at), MAX_OWNER_LENGTH + 4);
        let (owner, sign) = [" is ", ": "]
            .iter()
            .filter_map(|sign| line.find(sign).map(|end| (end, *sign)))
            .min()?;
        let of_owner = |b: u8| b.is_ascii_alphanumeric() || b" ._@-`".contains(&b) || !b.is_ascii();
        // What programs ask for: `Password for 'https://ada@github.com': x`.
        let mut parts = line[..owner].split(['\'', '"']).enumerate();
        let is_owner = parts.all(|(index, part)| match index % 2 {
            0 => part.bytes().all(of_owner),
            _ => !part.contains(' ') || part.bytes().all(of_owner),
        });
        let range = self.stated_value(after_spaces(self.around.text, at + owner + sign.len()))?;
        let value = head(&self.around.text[range.0..range.1], LOOK);
        let is_chosen = looks_random(value) || value.bytes().any(|b| b.is_ascii_digit());
        (is_owner && is_chosen && !self.around.is_code(self.start)).then_some(range)
    }

    /// A bare value after a blank: "log in with password tiger2024!", `ENV DB_PASS x`.
    fn value_apart(&self, value: usize, found: Bare<'_>, before: &str) -> Option<Range> {
        const MIN_TOKEN: usize = 16;
        let (next, next_end) = (found.text, found.end);
        let chosen = next.trim_end_matches(['.', ',', ';', ')', '?', ':']);
        let range = (value, trimmed_end(found, &['.', ',', ';', ')', '?', ':']));
        let sets = before
            .split_whitespace()
            .next_back()
            .is_some_and(|word| matches!(word, "set" | "setx" | "-gx" | "-x" | "-ux" | "export"));
        if ["AKIA", "ASIA"].iter().any(|id| chosen.starts_with(id)) {
            // Its rule looks for the secret key behind it.
            return None;
        }
        let is_key = chosen.len() >= MIN_TOKEN
            && (self.strength != Strength::Weak || sets && self.is_compound())
            && looks_random(chosen)
            && !is_named_by_hash(chosen);
        if is_key && (sets || !self.around.is_code(self.start)) {
            return Some(range);
        }
        if self.strength == Strength::Weak {
            return None;
        }
        self.around.compare();
        let image = before.trim() == "env" && self.name.bytes().all(|b| !b.is_ascii_lowercase());
        if image && !is_placeholder(next) && !next.is_empty() {
            return Some((value, next_end));
        }
        let said = (self.strength == Strength::Strong || self.name.starts_with('-'))
            && looks_chosen(chosen)
            && chosen.bytes().any(|b| b.is_ascii_digit())
            && chosen.len() >= 7
            && !chosen.contains(['(', '[', '{', '<', '/', '='])
            && !is_placeholder(chosen)
            && !is_ordinary_literal(chosen)
            && !self.around.is_code(self.start);
        if said {
            return Some(range);
        }
        let netrc = before.contains("machine ") && before.contains("login ")
            || before.trim().is_empty() && self.follows_a_login();
        (netrc && !is_placeholder(next) && !next.is_empty()).then_some((value, next_end))
    }

    /// Whether the lines before are those of a `.netrc` file.
    fn follows_a_login(&self) -> bool {
        const FAR: usize = 160;
        let text = self.around.text;
        let low = text.floor_char_boundary(self.name_start.saturating_sub(FAR));
        self.around.spend(FAR);
        let mut lines = text[low..self.name_start].rsplit('\n').skip(1);
        lines
            .next()
            .is_some_and(|line| line.trim_start().starts_with("login "))
            && lines.next().is_some_and(|line| line.contains("machine "))
    }

    /// "the passphrase is 'correct horse battery staple'": quoted words that are not a
    /// sentence.
    fn is_phrase(&self, value: &str) -> bool {
        const MIN_WORDS: usize = 3;
        let mut words = value.split(' ');
        self.strength == Strength::Strong
            && words.clone().count() >= MIN_WORDS
            && words.all(|word| !word.is_empty() && word.chars().all(char::is_alphanumeric))
            && !self.around.is_code(self.start)
    }

    /// The value at `value` of an option that names a key, if it can only be the key itself.
    fn random_key(&self, value: usize) -> Option<Range> {
        let literal = self.literal_at(value, false);
        let (begin, end) = literal.unwrap_or_else(|| (value, self.around.bare(value).end));
        let key = head(&self.around.text[begin..end], LOOK);
        self.around.judge(key);
        let is_hex = key.bytes().all(|b| b.is_ascii_hexdigit());
        (looks_random(key) && has_mixed_letters(key) && !is_hex).then_some((begin, end))
    }

    /// The value at `value` of an option.
    fn option_value(&self, value: usize) -> Option<Range> {
        let text = self.around.text;
        if works_on_keys(self.name) {
            return self.random_key(value);
        }
        if let Some(literal) = self.literal_at(value, false) {
            let content = &text[literal.0..literal.1];
            self.around.compare();
            let secret =
                !content.is_empty() && !is_placeholder(content) && !is_ordinary_literal(content);
            return secret.then_some(literal);
        }
        let found = self.around.bare(value);
        let end = trimmed_end(found, &[')', '`', ']', ',']);
        let bare = head(&text[value..end], LOOK);
        self.around.compare();
        let screaming = bare.bytes().all(|b| b.is_ascii_uppercase() || b == b'_');
        let ordinary = bare.is_empty()
            || bare.starts_with(['-', '\\', '|', '>', '[', '&', ';', '='])
            || screaming
            || is_placeholder(bare)
            || is_function_word(bare)
            || is_end_of_sentence(bare)
            || [
                "flag",
                "option",
                "argument",
                "instead",
                "switch",
                "parameter",
                "via",
                "options",
                "flags",
                "arguments",
                "parameters",
                "requires",
                "needs",
            ]
            .contains(&bare)
            || is_name_of_secret(bare)
            || (self.strength == Strength::Weak
                && (is_file(bare) || !looks_random(bare) && !looks_chosen(bare)))
            || self.is_identifier(bare);
        (!ordinary).then_some((value, end))
    }
}
