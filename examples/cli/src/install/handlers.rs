//! Entries of a file of hooks: how ours is written, and how it is known.

use jsonc_parser::cst::{CstInputValue, CstNode};

use super::json::{self, JsonFile};
use crate::command_line::{CALL, first_word, is_this_program};

/// Whether a hook's command line is ours, in whatever folder the program was.
pub(super) fn is_our_hook(command: &str) -> bool {
    let command = command.trim_start();
    let (program, rest) = first_word(command.strip_prefix(CALL).unwrap_or(command));
    is_this_program(&program) && first_word(rest).0 == "hook"
}

/// The events for which agents call us through a hooks file, with the arguments. Storing a response
/// may take longer than a prompt may wait.
pub(super) const EVENTS: [(&str, &[&str]); 4] = [
    ("SessionStart", &["hook"]),
    ("UserPromptSubmit", &["hook"]),
    ("PostToolUse", &["hook"]),
    ("Stop", &["hook", "--deadline-ms", "1000"]),
];

/// An entry of a hooks file that calls our program.
pub(super) fn our_handler(command: &str, timeout_s: u32) -> CstInputValue {
    json::object([
        ("type", json::text("command")),
        ("command", json::text(command)),
        ("timeout", CstInputValue::Number(timeout_s.to_string())),
    ])
}

/// The seconds after which an agent ends a hook; ours end long before.
pub(super) const TIMEOUT_S: u32 = 5;

/// Whether an entry of a hooks file calls our program.
pub(super) fn is_our_handler(handler: &CstNode) -> bool {
    our_program(handler).is_some()
}

/// The program of an entry of a hooks file, if it is ours: the first word of a command line, or a
/// command whose arguments are a list.
fn our_program(handler: &CstNode) -> Option<String> {
    let handler = handler.as_object()?;
    let command = handler.get("command")?.value()?;
    let command = command.as_string_lit()?.decoded_value().ok()?;
    if handler.get("args").is_some() {
        return is_this_program(&command).then_some(command);
    }
    is_our_hook(&command).then(|| {
        let command = command.trim_start();
        first_word(command.strip_prefix(CALL).unwrap_or(command)).0
    })
}

/// Whether a file of hooks calls our program.
pub(super) fn calls_us(file: &JsonFile) -> bool {
    let mut programs = Vec::new();
    if let Some(hooks) = file.root.value() {
        programs_of(&hooks, &mut programs);
    }
    !programs.is_empty()
}

/// Our program in each handler below a node.
pub(super) fn programs_of(node: &CstNode, programs: &mut Vec<String>) {
    if let Some(array) = node.as_array() {
        array
            .elements()
            .iter()
            .for_each(|item| programs_of(item, programs));
    } else if let Some(object) = node.as_object() {
        programs.extend(our_program(node));
        object
            .properties()
            .into_iter()
            .filter_map(|property| property.value())
            .for_each(|value| programs_of(&value, programs));
    }
}

#[cfg(test)]
mod tests {
    use super::super::called::{Called, Shell};
    use super::*;

    #[test]
    fn our_hooks_are_known_wherever_the_program_lay() {
        for command in [
            "recallite hook",
            "/home/ada/.cargo/bin/recallite hook --deadline-ms 1000",
            "'/home/a da/recallite' hook",
            "\"C:\\Program Files\\recallite.exe\" hook",
            "'/home/ada/my hooks/bin/recallite' hook --deadline-ms 1000",
            "\"C:\\my hooks\\ada's\\recallite.exe\" hook",
            "& 'C:\\Program Files\\recallite.exe' hook --deadline-ms 1000",
        ] {
            assert!(is_our_hook(command), "{command}");
        }
        for command in [
            "",
            "recallite",
            "notrecallite hook",
            "echo recallite hooks are good",
            "recallite hooks",
            "recallite search hook",
            "'/home/ada/recallite hook'",
        ] {
            assert!(!is_our_hook(command), "{command}");
        }
        let odd = Called {
            program: "/home/a da/it's hooks/recallite".to_owned(),
            place: vec!["--store".to_owned(), "/a b".to_owned()],
        };
        let line = odd.line(&["hook"]);
        assert_eq!(
            line,
            "'/home/a da/it'\\''s hooks/recallite' hook --store '/a b'"
        );
        assert!(is_our_hook(&line));
    }

    #[test]
    fn powershell_calls_a_quoted_path() {
        let called = Called {
            program: r"C:\Users\Ada O'Hara\recallite.exe".to_owned(),
            place: vec!["--store".to_owned(), r"D:\my memory".to_owned()],
        };
        let line = called.line_for(Shell::Powershell, &["hook", "--deadline-ms", "1000"]);
        assert_eq!(
            line,
            r"& 'C:\Users\Ada O''Hara\recallite.exe' hook --deadline-ms 1000 --store 'D:\my memory'"
        );
        assert!(is_our_hook(&line));
        let line = called.line_for(Shell::Cmd, &["hook"]);
        assert!(
            line.starts_with(r#""C:\Users\Ada O'Hara\recallite.exe" hook"#),
            "{line}"
        );
    }
}
