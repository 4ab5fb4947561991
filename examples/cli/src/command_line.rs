//! Command lines: of hooks, as `install` writes them, and of agents, in whose calls this program
//! is recognised.

use serde_json::Value;

/// PowerShell's operator that runs a quoted path.
pub(crate) const CALL: &str = "&";

/// Words that a shell or another program takes before the program that they run.
const BEFORE: [&str; 17] = [
    "!", "bunx", "command", "do", "elif", "else", "env", "exec", "if", "nohup", "npx", "sudo",
    "then", "time", "timeout", "while", "xargs",
];
/// Programs whose arguments may be a command line.
const SHELLS: [&str; 8] = [
    "bash",
    "cmd",
    "dash",
    "fish",
    "powershell",
    "pwsh",
    "sh",
    "zsh",
];

/// The first word of a command line, without quotes, and what follows it.
pub(crate) fn first_word(line: &str) -> (String, &str) {
    let mut rest = line.trim_start().chars();
    let mut word = String::new();
    let mut quote = None;
    while let Some(c) = rest.next() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => word.push(c),
            None if c == '\\' && rest.as_str().starts_with('\'') => word.extend(rest.next()),
            None if matches!(c, '\'' | '"') => quote = Some(c),
            None if c.is_whitespace() => break,
            None => word.push(c),
        }
    }
    (word, rest.as_str())
}

/// Whether the first word of a command line is this program, in whatever folder it is.
pub(crate) fn is_this_program(word: &str) -> bool {
    file_name(word) == "recallite" || is_running(word)
}

/// Whether a word is the path of the program that runs, which may have any name.
fn is_running(word: &str) -> bool {
    let path = std::path::Path::new(word);
    path.is_absolute() && std::env::current_exe().is_ok_and(|running| running == path)
}

/// Whether a tool's arguments are a command that runs this program.
pub(crate) fn runs_this_program(input: &Value) -> bool {
    let command = [&input["command"], &input["cmd"]]
        .into_iter()
        .find(|command| !command.is_null());
    match command {
        Some(Value::String(line)) => commands(line).any(|words| is_call(&words, true)),
        Some(Value::Array(words)) => {
            let words = words.iter().filter_map(Value::as_str);
            is_call(&words.map(str::to_owned).collect::<Vec<_>>(), true)
        }
        _ => false,
    }
}

/// Whether the words of one command run this program, also through a shell.
fn is_call(words: &[String], looks_into_shells: bool) -> bool {
    let mut words = words.iter().skip_while(|word| is_before_program(word));
    let Some(program) = words.next() else {
        return false;
    };
    let is_shell = looks_into_shells && SHELLS.contains(&file_name(program));
    is_this_program(program)
        || is_shell && words.any(|word| commands(word).any(|inner| is_call(&inner, false)))
}

/// Whether a word precedes the program of a command: an assignment, an option of a program such as
/// `env`, a time limit.
fn is_before_program(word: &str) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_assignment = word
        .split_once('=')
        .is_some_and(|(name, _)| !name.is_empty() && name.chars().all(is_name));
    is_assignment
        || word.starts_with(|c: char| c == '-' || c.is_ascii_digit())
        || BEFORE.contains(&file_name(word))
}

/// The name of a program without its folder, its ending and the version by which npm names it.
fn file_name(word: &str) -> &str {
    let name = word.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.split_once('@').map_or(name, |(name, _)| name);
    name.strip_suffix(".exe").unwrap_or(name)
}

/// The words of each command in a line. Substitutions are commands, too.
fn commands(line: &str) -> impl Iterator<Item = Vec<String>> {
    let mut quote = None;
    let mut before = None;
    let parts = line.split(move |c: char| {
        let is_substitution = c == '`' || c == '(' && before == Some('$');
        let is_end = match quote {
            None => is_substitution || matches!(c, ';' | '|' | '&' | '\n' | '(' | ')' | '{' | '}'),
            Some(open) => open == '"' && is_substitution,
        };
        match quote {
            Some(open) if c == open && before != Some('\\') => quote = None,
            None if matches!(c, '\'' | '"') && before != Some('\\') => quote = Some(c),
            _ => {}
        }
        before = Some(c);
        is_end
    });
    parts.map(words)
}

fn words(mut command: &str) -> Vec<String> {
    let mut words = Vec::new();
    while !command.trim_start().is_empty() {
        let (word, rest) = first_word(command);
        words.push(word);
        command = rest;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// What `install` wrote must be found again under whatever name the program runs.
    #[test]
    fn the_program_that_runs_is_known_by_any_name() {
        let running = std::env::current_exe().unwrap();
        let running = running.to_str().unwrap();
        assert_ne!(file_name(running), "recallite");
        assert!(is_this_program(running));
        assert!(!is_this_program(file_name(running)));
    }

    #[test]
    fn a_command_that_runs_this_program_is_recognised() {
        for line in [
            "recallite search 'where is it?'",
            "  recallite show mem:a7Bc3x | head -5",
            "cd '/home/a da' && recallite history",
            "RECALLITE_STORE=/s LANG=C /home/ada/.cargo/bin/recallite search x",
            "'/home/a da/bin/recallite' search x",
            "& 'C:\\Program Files\\recallite.exe' search x",
            "npx --yes recallite@1.2.3 search x",
            "timeout 10s recallite search x",
            "sudo -E env A=1 recallite search x",
            "bash -lc \"recallite search 'it'\"",
            "printf '%s\\n' \"$(recallite search \"it\")\"",
            "for it in a b; do recallite search $it; done",
            "echo begin\nrecallite search x",
            "(recallite search x)",
            "rg --files | xargs recallite import",
        ] {
            assert!(runs_this_program(&json!({ "command": line })), "{line}");
            assert!(runs_this_program(&json!({ "cmd": line })), "{line}");
        }
        for line in [
            "",
            "cargo test -p recallite",
            "cd /work/recallite && ls",
            "rg recallite search",
            "git commit -m 'describe; recallite search'",
            "echo \"a | recallite\"",
            "notrecallite search x",
            "cat recallite.md",
            "a=recallite",
        ] {
            assert!(!runs_this_program(&json!({ "command": line })), "{line}");
        }
        for (command, is_ours) in [
            (json!(["bash", "-lc", "cd /x && recallite search y"]), true),
            (json!(["recallite", "search", "y"]), true),
            (json!(["rg", "recallite"]), false),
            (json!(7), false),
            (json!(null), false),
        ] {
            assert_eq!(
                runs_this_program(&json!({ "command": command })),
                is_ours,
                "{command}"
            );
        }
        assert!(!runs_this_program(&json!("recallite search")));
    }

    #[test]
    fn a_line_that_is_never_closed_has_words_all_the_same() {
        for line in ["'", "\"", "`", "$(", "a '", "\\", "\\'"] {
            assert!(!runs_this_program(&json!({ "command": line })), "{line}");
        }
    }
}
