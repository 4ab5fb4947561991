//! Finds secrets in the columns of a table by the names at its top: in Markdown, in what databases
//! and commands print, and in files whose values commas or tabs separate.

use super::context::Surroundings;
use super::formats::Range;
use super::scanned::visit;
use super::shape::{
    head, is_named_by_hash, is_ordinary_literal, is_placeholder, is_surely_expression,
    looks_chosen, looks_random,
};
use super::tags::is_blank;
use super::tool_input::{may_name_a_secret, words_name_a_secret};
use super::words::run;

/// A longer line is not one of a table that people read.
const MAX_LINE_LENGTH: usize = 1024;
/// A longer text is not the name of a column.
const MAX_NAME_LENGTH: usize = 40;
/// What may stand around a name or a value in its cell.
const AROUND: [char; 6] = [' ', '\t', '"', '\'', '`', '*'];

/// How a record begins that `psql` prints on lines of its own.
const RECORD: &str = "-[ RECORD ";

/// The secrets in the columns of the tables of a text, in order.
pub(super) fn secrets_of_columns(text: &str) -> Vec<Range> {
    let mut ranges = Vec::new();
    let mut table: Option<Table> = None;
    let mut before = "";
    let mut is_record = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let begin = at;
        at += line.len();
        let row = line.trim_end_matches(['\n', '\r']);
        visit(2 * row.len().min(MAX_LINE_LENGTH));
        // A table goes on behind a row that does not fit it.
        if row.len() > MAX_LINE_LENGTH {
            continue;
        }
        is_record = row.starts_with(RECORD) || is_record && row.contains('|');
        if is_record {
            ranges.extend(recorded_at(row).map(|(from, to)| (begin + from, begin + to)));
            continue;
        }
        match &mut table {
            Some(open) if is_rule(row) => open.is_ruled = true,
            Some(open) if open.has(row) => {
                let found = open.secrets_of(row);
                ranges.extend(found.map(|(from, to)| (begin + from, begin + to)));
            }
            _ => match Table::headed_by(row, before) {
                None if table.as_ref().is_some_and(|open| open.goes_on_at(row)) => {}
                top => table = top,
            },
        }
        before = row;
    }
    ranges
}

/// What separates the cells of a row.
#[derive(Clone, Copy, PartialEq)]
enum Separator {
    Sign(char),
    /// Two blanks or more.
    Blanks,
}

/// A table whose top has been read.
struct Table {
    separator: Separator,
    /// How many cells each row has.
    width: usize,
    /// The columns that hold secrets, and whether these are passwords.
    columns: Vec<(usize, bool)>,
    /// Whether a line of dashes came after the top.
    is_ruled: bool,
}

impl Table {
    /// The table that begins with this row, if one of its columns holds secrets. The row before
    /// shows whether it is one of the middle, in a table whose top is not ruled.
    fn headed_by(row: &str, before: &str) -> Option<Table> {
        const MAX_COLUMNS: usize = 64;
        // Most rows are no top of a table, and most tops name no secret.
        if !may_begin_with_name(row) || !may_name_a_secret(row) {
            return None;
        }
        if let Some(names) = copied(row) {
            return Some(Table::of(&names, Separator::Sign('\t')));
        }
        let signs = ['|', '│', '\t', ',', ';'].map(Separator::Sign);
        let mut separators = signs.into_iter().chain([Separator::Blanks]);
        separators.find_map(|separator| {
            let names = names_at_top(row, separator, MAX_COLUMNS)?;
            let table = Table::of(&names, separator);
            // A sentence has a blank behind its comma.
            let is_in_middle = || {
                !is_drawn(separator)
                    && !before.ends_with(':')
                    && before.contains(", ") == row.contains(", ")
                    && cells(before, separator).count() == names.len()
            };
            (!table.columns.is_empty() && !is_in_middle()).then_some(table)
        })
    }

    /// The table with columns of these names.
    fn of(names: &[&str], separator: Separator) -> Table {
        let columns = names.iter().enumerate();
        let secret = columns.filter(|(_, name)| words_name_a_secret(name));
        Table {
            separator,
            width: names.len(),
            columns: secret
                .map(|(index, name)| (index, is_of_passwords(name)))
                .collect(),
            is_ruled: false,
        }
    }

    /// Whether a line is a row of the table.
    fn has(&self, row: &str) -> bool {
        (self.is_ruled || !is_drawn(self.separator))
            && cells(row, self.separator).count() == self.width
    }

    /// Whether a line can be a row of the table with another number of cells: one with a line of
    /// its own for a part of a cell, or a sign in one.
    fn goes_on_at(&self, row: &str) -> bool {
        (self.is_ruled || !is_drawn(self.separator)) && cells(row, self.separator).nth(1).is_some()
    }

    /// The secrets in a row.
    fn secrets_of(&self, row: &str) -> impl Iterator<Item = Range> {
        let mut columns = self.columns.iter().peekable();
        let cells = cells(row, self.separator).enumerate();
        cells.filter_map(move |(index, (from, to))| {
            let (_, is_password) = columns.next_if(|(column, _)| *column == index)?;
            let cell = &row[from..to];
            let value = cell.trim_start_matches(AROUND);
            let begin = to - value.len();
            let value = match row[..begin].chars().next_back() {
                // `'x');` is the end of a statement of SQL.
                Some(quote @ ('"' | '\'')) => value.split(quote).next().unwrap_or(value),
                _ => value,
            };
            let value = value.trim_end_matches(AROUND);
            is_secret(value, *is_password).then_some((begin, begin + value.len()))
        })
    }
}

/// The secrets in the rows of a statement whose `INSERT INTO` ends at `end`: the first one; the
/// others are kept for the sweep.
pub(super) fn inserted_at(around: &Surroundings<'_>, at: usize, end: usize) -> Option<Range> {
    const MAX_TOP_LENGTH: usize = 2048;
    const VALUES: &str = "VALUES";
    if at < around.rows_to.get() {
        return None;
    }
    let top = head(&around.text[end..], MAX_TOP_LENGTH);
    let (table, names) = top.split_once('(')?;
    let (names, behind) = names.split_once(')')?;
    let fits = table
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"_.`\"[]$ -".contains(&b));
    if !fits || !may_name_a_secret(names) {
        return None;
    }
    let quotes = |c: char| AROUND.contains(&c) || matches!(c, '[' | ']' | '\n' | '\r');
    let columns: Vec<_> = names
        .split(',')
        .map(|name| name.trim_matches(quotes))
        .map(|name| words_name_a_secret(name).then(|| is_of_passwords(name)))
        .collect();
    let word = behind.trim_start();
    let begins = word.get(..VALUES.len())?.eq_ignore_ascii_case(VALUES);
    if !begins || columns.iter().all(Option::is_none) {
        return None;
    }
    let from = end + top.len() - word.len() + VALUES.len();
    let mut rows = Rows {
        bytes: around.text.as_bytes(),
        at: from,
    };
    let mut found = Vec::new();
    while rows.opens() {
        let mut index = 0;
        while let Some((from, to)) = rows.value() {
            let value = &around.text[from..to];
            let is_password = columns.get(index).copied().flatten();
            let is_literal = around.text[..from].ends_with(['\'', '"']);
            let is_parameter = !is_literal && value.starts_with([':', '@', '$', '?']);
            let is_secret = |is_password: bool| !is_parameter && is_secret(value, is_password);
            if is_password.is_some_and(is_secret) {
                found.push((from, to));
            }
            index += 1;
        }
    }
    around.rows_to.set(rows.at);
    around.spend(rows.at - from);
    visit(rows.at - from);
    let mut found = found.into_iter();
    let first = found.next();
    around.also.borrow_mut().extend(found);
    first
}

/// The rows behind `VALUES`, read value by value.
struct Rows<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl Rows<'_> {
    fn next_is(&self, sign: u8) -> bool {
        self.bytes.get(self.at) == Some(&sign)
    }

    fn skip(&mut self, test: impl Fn(u8) -> bool) {
        self.at += run(&self.bytes[self.at..], test);
    }

    /// Goes behind the sign that opens the next row.
    fn opens(&mut self) -> bool {
        self.skip(|b| b.is_ascii_whitespace() || b == b',');
        let opens = self.next_is(b'(');
        self.at += usize::from(opens);
        opens
    }

    /// The next value of the row, without its quotes; none behind the last one.
    fn value(&mut self) -> Option<Range> {
        self.skip(|b| b.is_ascii_whitespace() || b == b',');
        // `N'x'`, `E'x'`
        let prefix = run(&self.bytes[self.at..], |b| b"NEBX_nebx".contains(&b));
        if prefix == 1 && self.bytes.get(self.at + 1) == Some(&b'\'') {
            self.at += 1;
        }
        if let Some(quote @ (b'\'' | b'"')) = self.bytes.get(self.at).copied() {
            return Some(self.quoted(quote));
        }
        let from = self.at;
        self.expression();
        (self.at > from).then_some((from, self.at)).or_else(|| {
            self.at += usize::from(self.next_is(b')'));
            None
        })
    }

    /// The content of a literal, and goes behind it.
    fn quoted(&mut self, quote: u8) -> Range {
        let from = self.at + 1;
        self.at = from;
        loop {
            self.skip(|b| b != quote && b != b'\\');
            let next = self.bytes.get(self.at + 1).copied();
            match self.bytes.get(self.at) {
                Some(b'\\') => self.at = (self.at + 2).min(self.bytes.len()),
                // Two quotes are one in the literal.
                Some(_) if next == Some(quote) => self.at += 2,
                Some(_) => {
                    self.at += 1;
                    return (from, self.at - 1);
                }
                None => return (from, self.at),
            }
        }
    }

    /// Goes to the end of a value without quotes: a number, a name, a call.
    fn expression(&mut self) {
        let mut depth = 0usize;
        while let Some(byte) = self.bytes.get(self.at) {
            match byte {
                b'(' => depth += 1,
                b')' | b',' if depth == 0 => break,
                b')' => depth -= 1,
                b';' => break,
                b'\'' => {
                    self.quoted(b'\'');
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
    }
}

/// The names of the columns of a dump of PostgreSQL, whose rows tabs separate:
/// `COPY public.users (id, name, password) FROM stdin;`.
fn copied(row: &str) -> Option<Vec<&str>> {
    let (_, rest) = row.strip_prefix("COPY ")?.split_once('(')?;
    let (names, behind) = rest.split_once(')')?;
    let names = names.split(',').map(|name| name.trim_matches(AROUND));
    behind
        .trim_start()
        .starts_with("FROM stdin")
        .then(|| names.collect())
}

/// The value in a row of a record that `psql` prints, with each name beside its value:
/// `password | x`.
fn recorded_at(row: &str) -> Option<Range> {
    let (name, value) = row.split_once('|')?;
    let shown = value.trim_start();
    let begin = row.len() - shown.len();
    let shown = shown.trim_end();
    let is_found = words_name_a_secret(name.trim()) && is_secret(shown, is_of_passwords(name));
    is_found.then_some((begin, begin + shown.len()))
}

/// The names of the columns, at least two and at most so many, if a row consists of such names. Most
/// rows have one cell, and the first ones of most others are no names.
fn names_at_top(row: &str, separator: Separator, most: usize) -> Option<Vec<&str>> {
    let mut names = Vec::new();
    let mut cells = cells(row, separator).peekable();
    while let Some((from, to)) = cells.next() {
        let is_first = names.is_empty();
        if is_first {
            cells.peek()?;
        }
        let name = row[from..to].trim_matches(AROUND);
        let fits = is_name(name)
            || name.is_empty() && is_drawn(separator) && (is_first || cells.peek().is_none());
        if !fits || names.len() == most {
            return None;
        }
        names.push(name);
    }
    Some(names)
}

/// Whether a row can begin with the name of a column and what separates it from the next one: cheap,
/// with no false negatives.
fn may_begin_with_name(row: &str) -> bool {
    // Quotes and signs of Markdown may stand around it.
    const FAR: usize = MAX_NAME_LENGTH + 16;
    // The name of the table stands before those of the columns.
    if row.starts_with("COPY ") {
        return true;
    }
    let row = row.trim_start_matches(' ').as_bytes();
    let mut before = 0;
    for byte in &row[..row.len().min(FAR)] {
        match byte {
            b'|' | b'\t' | b',' | b';' | 0xe2 => return true,
            b' ' if before == b' ' => return true,
            b'=' | b'{' | b'}' | b'<' | b'>' | b'\\' | b'+' | b'&' | b'!' | b'$' | b'@' | b'?' => {
                return false;
            }
            _ => before = *byte,
        }
    }
    false
}

/// Whether a table of this kind is drawn with lines: another line with such a sign is no row.
fn is_drawn(separator: Separator) -> bool {
    matches!(separator, Separator::Sign('|' | '│'))
}

/// Whether a line consists of dashes and the corners of cells.
fn is_rule(row: &str) -> bool {
    const MIN: usize = 3;
    let dashes = row.chars().filter(|c| matches!(c, '-' | '─' | '=')).count();
    dashes >= MIN && row.chars().all(|c| " \t|+:-=─│┼├┤┌┐└┘┬┴".contains(c))
}

/// Whether a text can be the name of a column.
fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= MAX_NAME_LENGTH
        && text
            .chars()
            .all(|c| c.is_alphanumeric() || " _-()./#".contains(c))
        // An option in a list: `--password  the password`.
        && !text.starts_with('-')
}

/// Whether the name of a column says that what stands below it are passwords, which people choose.
fn is_of_passwords(name: &str) -> bool {
    const WORDS: [&str; 19] = [
        "pass",
        "pwd",
        "pw",
        "psk",
        "kennwort",
        "비밀번호",
        "비번",
        "패스워드",
        "암호",
        "パスワード",
        "パスフレーズ",
        "暗証番号",
        "密码",
        "密碼",
        "口令",
        "пароль",
        "contraseña",
        "senha",
        "wachtwoord",
    ];
    let lower = name.to_lowercase();
    WORDS.iter().any(|word| lower.contains(word))
}

fn is_secret(value: &str, is_password: bool) -> bool {
    if value.contains(is_blank) || is_placeholder(value) {
        return false;
    }
    if looks_random(value) {
        return !is_named_by_hash(value);
    }
    is_password
        && looks_chosen(value)
        && !is_length(value)
        && !is_ordinary_literal(value)
        && !is_surely_expression(value)
}

/// Whether a value is a rule for passwords and not one: `8chars`, `90days`.
fn is_length(value: &str) -> bool {
    const UNITS: [&str; 7] = [
        "chars",
        "characters",
        "bytes",
        "bits",
        "days",
        "hours",
        "minutes",
    ];
    let unit = value.trim_start_matches(|c: char| c.is_ascii_digit());
    unit.len() < value.len() && UNITS.contains(&unit)
}

/// The length of the cell at the start of a text before the next sign; a sign in quotes, or behind
/// a backslash in Markdown, belongs to it.
fn cell_length(text: &str, sign: char) -> Option<usize> {
    let mut from = 0;
    if let Some(quoted) = text.trim_start_matches(' ').strip_prefix('"')
        && !is_drawn(Separator::Sign(sign))
    {
        let begin = text.len() - quoted.len();
        let mut quotes = quoted.match_indices('"').map(|(at, _)| begin + at);
        // Two quotes are one in the cell.
        while let Some(quote) = quotes.next() {
            if !text[quote + 1..].starts_with('"') {
                from = quote + 1;
                break;
            }
            quotes.next();
        }
    }
    let mut signs = text[from..].match_indices(sign).map(|(at, _)| from + at);
    signs.find(|at| sign != '|' || !text[..*at].ends_with('\\'))
}

/// The cells of a row, as ranges.
fn cells(row: &str, separator: Separator) -> impl Iterator<Item = Range> {
    let mut from = Some(row.len() - row.trim_start_matches(' ').len());
    std::iter::from_fn(move || {
        let begin = from?;
        let rest = &row[begin..];
        let (length, width) = match separator {
            Separator::Sign(sign) => (cell_length(rest, sign), sign.len_utf8()),
            Separator::Blanks => {
                let end = rest.as_bytes().windows(2).position(|two| two == b"  ");
                let behind = end.map_or("", |end| &rest[end..]);
                (end, behind.len() - behind.trim_start_matches(' ').len())
            }
        };
        from = length
            .map(|length| begin + length + width)
            .filter(|next| *next < row.len() || separator != Separator::Blanks);
        Some((begin, length.map_or(row.len(), |length| begin + length)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let ranges = secrets_of_columns(text).into_iter();
        ranges.map(|(from, to)| &text[from..to]).collect()
    }

    #[test]
    fn the_column_of_a_password_is_found_in_every_kind_of_table() {
        for text in [
            "| User | Password |\n|---|---|\n| ada | `hQ7zK2pXw9` |\n| bob | Tr0ub4dor&3 |\n",
            " user | password\n------+------------\n ada  | hQ7zK2pXw9\n bob  | Tr0ub4dor&3\n(2 rows)",
            "+------+-------------+\n| user | password    |\n+------+-------------+\n| ada  | hQ7zK2pXw9  |\n| bob  | Tr0ub4dor&3 |\n+------+-------------+\n",
            "user,password,role\r\nada,hQ7zK2pXw9,admin\r\nbob,\"Tr0ub4dor&3\",user\r\n",
            "USER   PASSWORD      AGE\nada    hQ7zK2pXw9    3d\nbob    Tr0ub4dor&3   4d\n",
            "user,password\n\"Smith, \"\"J\"\"\",hQ7zK2pXw9\none cell, too many, here\nbob,Tr0ub4dor&3\n",
            "| User | Password |\n|---|---|\n| a\\|b | hQ7zK2pXw9 |\n| x | y | z |\n| bob | Tr0ub4dor&3 |\n",
            "INSERT INTO users (name, password)\nSELECT 'ada', 'hQ7zK2pXw9'\nUNION SELECT 'bob', 'Tr0ub4dor&3';\n",
            "│ 이름 │ 비밀번호 │\n├──────┼──────────┤\n│ ada  │ hQ7zK2pXw9 │\n│ bob  │ Tr0ub4dor&3 │\n",
        ] {
            assert_eq!(found(text), ["hQ7zK2pXw9", "Tr0ub4dor&3"], "{text}");
        }
    }

    #[test]
    fn no_top_of_a_table_is_ruled_out() {
        let name = "n".repeat(MAX_NAME_LENGTH);
        for separator in ["|", " | ", "│", "\t", ",", "; ", "  "] {
            for first in [
                "user",
                "\"the user\"",
                "**User**",
                "`a/b`",
                name.as_str(),
                "이름",
                "#",
            ] {
                let row = format!("{first}{separator}password");
                assert!(may_begin_with_name(&row), "{row}");
                assert!(may_begin_with_name(&format!("  | {row}")), "{row}");
            }
        }
        assert!(may_begin_with_name(
            "COPY public.users (id, password) FROM stdin;"
        ));
        let table = name.repeat(2);
        assert!(may_begin_with_name(&format!(
            "COPY {table} (id, password) FROM stdin;"
        )));
        for row in ["let password = f(a, b);", "a sentence about the password"] {
            assert!(!may_begin_with_name(row), "{row}");
        }
    }

    #[test]
    fn other_columns_and_lines_are_left_alone() {
        for text in [
            "| User | Password |\n|---|---|\n| ada | the old one |\n| bob | `<password>` |\n",
            "| Token | Meaning |\n|---|---|\n| `u8x16le` | a vector |\n",
            "the user, the password\nand the role, which is admin\n",
            "let (user, password) = pair;\nlet (user1, password1) = pair1;\n",
            "user | password\nada1 | hQ7zK2pXw9 is not in a table",
            "| Option | Password |\n|---|---|\n| id | 8 to 12 characters |\n",
            "name, password\nfirst1, second2, third3\n",
            "name,type\nuser,string\npassword,string\naddress2,string\nis_2fa_enabled,bool\n",
            "name  type\nuser  string\npassword  string\noauth2_id  string\n",
            "  --user      the user's name\n  --password  the password\n  --sha256    the digest\n",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }
}
