//! Sessions of a coding agent, as its hooks tell them to the real process.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Ran, World};

/// One session of Claude Code in a project.
pub(crate) struct Session<'a> {
    pub(crate) world: &'a World,
    pub(crate) project: &'a str,
    pub(crate) id: &'a str,
}

impl<'a> Session<'a> {
    /// The session of a test that needs one only.
    pub(crate) fn of(world: &'a World) -> Self {
        Session::named(world, "s1")
    }

    /// A session of the same project with this id.
    pub(crate) fn named(world: &'a World, id: &'a str) -> Self {
        Session {
            world,
            project: "shop",
            id,
        }
    }

    pub(crate) fn input(&self, event: &str, more: Value) -> Value {
        let mut input = json!({
            "session_id": self.id,
            "transcript_path": format!("/home/ada/.claude/projects/x/{}.jsonl", self.id),
            "cwd": self.world.project(self.project),
            "permission_mode": "default",
            "hook_event_name": event,
        });
        for (name, value) in more.as_object().unwrap() {
            input[name] = value.clone();
        }
        input
    }

    pub(crate) fn hook(&self, event: &str, more: Value) -> String {
        let input = self.input(event, more);
        context(hook(self.world, &input.to_string()), event)
    }

    pub(crate) fn start(&self, source: &str) -> String {
        self.hook("SessionStart", json!({ "source": source }))
    }

    pub(crate) fn prompt(&self, text: &str) -> String {
        self.hook("UserPromptSubmit", json!({ "prompt": text }))
    }

    pub(crate) fn answer(&self, text: &str) {
        let more = json!({ "last_assistant_message": text, "stop_hook_active": false });
        assert_eq!(self.hook("Stop", more), "");
    }

    pub(crate) fn turn(&self, prompt: &str, answer: &str) -> String {
        let given = self.prompt(prompt);
        self.answer(answer);
        given
    }
}

/// The deadline of a hook that names no other, and what a process takes to start and end besides.
const IN_TIME: Duration = Duration::from_millis(900);
/// How often a hook is tried that a machine under load holds up.
const ATTEMPTS: usize = 8;

/// Whether a hook ends in time. Load only makes it slower, so that one time is enough; without its
/// deadline it would never be in time.
pub(crate) fn is_in_time(mut hook: impl FnMut()) -> bool {
    (0..ATTEMPTS).any(|_| {
        let begun = Instant::now();
        hook();
        begun.elapsed() < IN_TIME
    })
}

/// A machine under load is no trouble of the hook.
pub(crate) const PATIENT: [&str; 3] = ["hook", "--deadline-ms", "60000"];

pub(crate) fn hook(world: &World, input: &str) -> Ran {
    world.with_input(&PATIENT, input.as_bytes())
}

/// The context of an answer: two fields, as Claude Code, Codex and Gemini CLI document them,
/// and nothing else, because Codex refuses an answer with a field that it does not know. The
/// agents themselves read such answers in `tests/hosts`.
pub(crate) fn context(ran: Ran, event: &str) -> String {
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{ran:?}");
    if ran.out.is_empty() {
        return String::new();
    }
    let answer = ran.json();
    let fields: Vec<&String> = answer.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["hookSpecificOutput"], "{answer}");
    let inner = answer["hookSpecificOutput"].as_object().unwrap();
    assert_eq!(inner.len(), 2, "{answer}");
    assert_eq!(inner["hookEventName"], event);
    let context = inner["additionalContext"].as_str().unwrap();
    assert!(!context.is_empty() && context.chars().count() < 10_000);
    context.to_owned()
}

/// The estimate that the budgets are in: a character of East Asia is about a token.
pub(crate) fn tokens(text: &str) -> usize {
    let quarters = |c: char| match c {
        '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{d7ff}' | '\u{f900}'..='\u{ffef}' => 4,
        c => c.len_utf16(),
    };
    text.chars().map(quarters).sum::<usize>().div_ceil(4)
}
