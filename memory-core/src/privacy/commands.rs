//! Recognises secrets that commands take from a pipe or as an argument, and those of files in
//! which logins are kept.

use super::context::{Class, Surroundings};
use super::formats::{Range, begins_key};
use super::shape::{LOOK, head, is_ordinary_literal, is_placeholder, looks_chosen, looks_random};
use super::tags::is_blank;
use super::tool_input::words_name_a_secret;
use super::words::run;

/// What is written into the command at `at`, which reads a password: `echo x | sudo -S`,
/// `echo ada:x | chpasswd`.
pub(super) fn echoed_at(around: &Surroundings<'_>, at: usize, end: usize) -> Option<Range> {
    const MIN: usize = 4;
    let command = &around.text[at..end];
    // `sudo -s` starts a shell.
    if command.ends_with("-s") {
        return None;
    }
    if let Some(range) = here_string_at(around, end) {
        return Some(range);
    }
    let before = around.command_before(at);
    around.spend(4 * before.len());
    let written = &before[..before.rfind('|')?];
    let programs = ["echo ", "printf "];
    let mut begin = programs
        .iter()
        .filter_map(|program| written.rfind(program).map(|at| at + program.len()))
        .max()?;
    for option in ["-n ", "-e ", "-ne ", "'%s' ", "\"%s\" ", "%s "] {
        begin += written[begin..]
            .strip_prefix(option)
            .map_or(0, |_| option.len());
    }
    let argument = written[begin..].trim_end();
    let value = argument.trim_start_matches(['"', '\'']);
    begin += argument.len() - value.len();
    let value = value.trim_end_matches(['"', '\'']);
    let user = match value.find(':') {
        Some(colon) if command.ends_with("chpasswd") => colon + 1,
        _ => 0,
    };
    let password = &value[user..];
    let begin = at - before.len() + begin + user;
    // `echo luks2 | cryptsetup …` can answer another question than that for the password.
    let can_be_other = command.starts_with("cryptsetup");
    let is_password = password.len() >= MIN
        && !password.contains([' ', '`'])
        && (!can_be_other || looks_random(password) || looks_chosen(password));
    (is_password && !is_placeholder(password)).then_some((begin, begin + password.len()))
}

/// What is printed below a command that shows a variable, with the name of that at `at`:
/// `echo $DB_PASSWORD`, a line end and the value alone on its line.
pub(super) fn printed_variable_at(around: &Surroundings<'_>, at: usize) -> Option<Range> {
    let line = around.line_after(at);
    let opened = line.strip_prefix('{').unwrap_or(line);
    let name = &opened[..run(opened.as_bytes(), |b| {
        b.is_ascii_alphanumeric() || b == b'_'
    })];
    let is_alone = opened[name.len()..]
        .trim_end_matches([' ', '"', '}'])
        .is_empty();
    if !is_alone || !words_name_a_secret(name) {
        return None;
    }
    let rest = &around.text[at + line.len()..];
    let next = rest
        .strip_prefix("\r\n")
        .or_else(|| rest.strip_prefix('\n'))?;
    let begin = around.text.len() - next.len();
    let printed = around.line_after(begin);
    let value = printed.trim_end();
    around.judge(value);
    let is_value = (looks_random(value) || looks_chosen(value))
        && !value.contains(is_blank)
        && !is_placeholder(value)
        && !is_ordinary_literal(value)
        && !value.ends_with([';', ')', '{', ':']);
    is_value.then_some((begin, begin + value.len()))
}

/// `sudo -S <<< 'x'`
fn here_string_at(around: &Surroundings<'_>, at: usize) -> Option<Range> {
    let line = around.line_after(at);
    let sign = line.find("<<<")?;
    let value = line[sign + 3..].trim_start();
    let opened = value.trim_start_matches(['"', '\'']);
    let begin = at + line.len() - opened.len();
    let end = around.run_end(Class::Bare, begin);
    (end > begin && !is_placeholder(&around.text[begin..end])).then_some((begin, end))
}

/// The key that a command such as `wandb login` takes as its argument, at `at`.
pub(super) fn argument_at(around: &Surroundings<'_>, at: usize) -> Option<Range> {
    const MIN: usize = 16;
    // `Unseal Key 1: …`
    let number = run(&around.text.as_bytes()[at..], |b| {
        b.is_ascii_digit() || b == b':'
    });
    let begin = super::line::after_spaces(around.text, at + number);
    let end = around.run_end(Class::Credential, begin);
    let key = &around.text[begin..end];
    around.judge(key);
    (key.len() >= MIN && !key.starts_with('-') && looks_random(key)).then_some((begin, end))
}

/// The password that a command such as `rabbitmqctl add_user ada x` takes as an argument, behind as
/// many others from `at` on.
pub(super) fn argument_after(
    around: &Surroundings<'_>,
    at: usize,
    skipped: usize,
) -> Option<Range> {
    const MAX_LENGTH: usize = 256;
    // Those that have an argument of their own.
    const OPTIONS: [&str; 6] = [
        "--passwordfile",
        "--passwordenv",
        "--method",
        "--code",
        "--session",
        "-C",
    ];
    let line = head(around.line_after(at), MAX_LENGTH);
    let mut from = 0;
    let mut is_of_option = false;
    let mut arguments = line.split_inclusive([' ', '\t']).filter_map(|piece| {
        let begin = from;
        from += piece.len();
        let argument = piece.trim_end();
        let counts = !argument.is_empty() && !argument.starts_with('-') && !is_of_option;
        is_of_option = OPTIONS.contains(&argument);
        counts.then_some((begin, argument))
    });
    let (begin, argument) = arguments.nth(skipped)?;
    let ends = ['"', '\'', '`', ',', '.', ';', ')'];
    let opened = argument.trim_start_matches(ends);
    let begin = at + begin + argument.len() - opened.len();
    let password = opened.trim_end_matches(ends);
    around.judge(password);
    let is_password = (looks_random(password) || looks_chosen(password))
        && !is_placeholder(password)
        && !password.starts_with(['/', '~', '.'])
        && !password.contains("://");
    is_password.then_some((begin, begin + password.len()))
}

/// The password of a line of a `.pgpass` file, whose port ends at `end`:
/// `host:5432:database:user:password`. With a wild card for the port, only a password that a person
/// or a program would choose counts: a line of `/etc/shadow` has such a field, too.
pub(super) fn login_file_at(around: &Surroundings<'_>, at: usize, end: usize) -> Option<Range> {
    let of_name = |b: u8| b.is_ascii_alphanumeric() || b"._-*".contains(&b);
    let host = around.line_before(at).trim_start();
    let is_wild = around.text[at..end].ends_with("*:");
    let mut begin = end;
    for _ in 0..2 {
        let name = run(&around.text.as_bytes()[begin..], of_name);
        if name == 0 || !around.text[begin + name..].starts_with(':') {
            return None;
        }
        begin += name + 1;
    }
    let end = around.run_end(Class::Bare, begin);
    let password = head(&around.text[begin..end], LOOK);
    let is_chosen = || {
        around.judge(password);
        (looks_random(password) || looks_chosen(password))
            && !password.replace("\\:", "").contains(':')
    };
    // Keys of stores and names of resources have wild cards between colons, too, but no host.
    let is_host = || host == "*" || host == "localhost" || host.contains('.');
    let is_password =
        !password.is_empty() && !is_placeholder(password) && (!is_wild || is_host() && is_chosen());
    (is_password && host.bytes().all(of_name)).then_some((begin, end))
}

/// `ConvertTo-SecureString 'x' -AsPlainText`, also with `-String` before the text.
pub(super) fn secure_string_at(around: &Surroundings<'_>, at: usize) -> Option<Range> {
    const MIN: usize = 4;
    let line = around.line_after(at);
    let value = line.trim_start();
    let value = value.strip_prefix("-String").unwrap_or(value).trim_start();
    let opened = value.strip_prefix(['"', '\''])?;
    let begin = at + line.len() - opened.len();
    let content = &opened[..opened.find(['"', '\''])?];
    (content.len() >= MIN && !is_placeholder(content)).then_some((begin, begin + content.len()))
}

/// The key in the file that was named: `master.key` of Rails, which holds nothing else.
pub(super) fn key_file_at(around: &Surroundings<'_>, end: usize) -> Option<Range> {
    const DIGITS: usize = 32;
    const FAR: usize = 16;
    let rest = head(&around.text[end..], FAR);
    let apart = rest.find(|c: char| c.is_ascii_alphanumeric())?;
    let begin = end + apart;
    let key = around.run_end(Class::Alphanumeric, begin);
    let is_key = key - begin == DIGITS
        && around.text[begin..key]
            .bytes()
            .all(|b| b.is_ascii_hexdigit());
    (apart > 0 && is_key).then_some((begin, key))
}

/// An access key id of Amazon at `at` with its secret key behind it, as commands list both and
/// files of credentials hold them.
pub(super) fn key_pair_at(around: &Surroundings<'_>, at: usize) -> Option<Range> {
    const ID: usize = 20;
    const SECRET: usize = 40;
    const FAR: usize = 64;
    let bytes = around.text.as_bytes();
    let id = around.run_end(Class::Upper, at);
    let is_id =
        matches!(&bytes[at..at + 4], b"AKIA" | b"ASIA") && id - at == ID && begins_key(bytes, at);
    if !is_id {
        return None;
    }
    let rest = head(&around.text[id..], FAR + SECRET + 1);
    let is_other = |c: char| !(c.is_ascii_alphanumeric() || "+/".contains(c));
    let mut from = 0;
    for piece in rest.split_inclusive(is_other) {
        let part = piece.trim_end_matches(is_other);
        let is_secret = part.len() == SECRET && from > 0 && looks_random(part);
        if is_secret && !part.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Some((at, id + from + SECRET));
        }
        from += piece.len();
    }
    None
}
