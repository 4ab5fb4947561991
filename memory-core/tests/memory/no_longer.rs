//! What was replaced, settled or finished is found behind what holds, and is shown as such.

use std::sync::Arc;

use recallite::clock::Clock as _;
use recallite::{
    Appended, CitationFormat, ContextItem, ContextOptions, EntryFilter, EventKind, LearnedState,
    MatchClass, Memory, NewEvent, Query, Selector, SessionUpdate, Timestamp,
};

use crate::clock::FixedClock;

const DAY_MS: i64 = 24 * 3_600_000;

/// A memory that has learned from sessions, each a day after the one before.
struct Sessions {
    _folder: tempfile::TempDir,
    memory: Memory,
    clock: Arc<FixedClock>,
    said: Vec<Appended>,
}

fn sessions(texts: &[&str]) -> Sessions {
    let folder = tempfile::tempdir().unwrap();
    let clock = FixedClock::at_ms(1_770_000_000_000);
    let memory = Memory::builder()
        .project("shop")
        .clock(clock.clone())
        .open(folder.path())
        .unwrap();
    let mut sessions = Sessions {
        _folder: folder,
        memory,
        clock,
        said: Vec::new(),
    };
    for text in texts {
        sessions.say(text);
    }
    sessions
}

impl Sessions {
    /// One more session, of one message, from which the memory learns.
    fn say(&mut self, text: &str) {
        let session = format!("session-{}", self.said.len());
        let event = NewEvent::new(EventKind::UserPrompt, &session, text);
        self.said.push(self.memory.append(event).unwrap());
        self.clock.advance_ms(60_000);
        let ended = SessionUpdate::default().ended(self.clock.now());
        self.memory.update_session(&session, ended).unwrap();
        while self.memory.maintain(Default::default()).unwrap().has_more {}
        self.clock.advance_ms(DAY_MS);
    }

    /// Which messages a search finds, best first.
    fn found(&self, query: impl Into<Query>) -> Vec<usize> {
        let found = self.memory.search(query).unwrap();
        let place = |seq| self.said.iter().position(|said| said.seq == seq);
        let items = found.items.iter();
        items.filter_map(|hit| place(hit.seq)).collect()
    }

    /// The line above a message in a context without learned lines, which would say the same, and
    /// the message as the context has it.
    fn shown(&self, options: impl Into<ContextOptions>, said: usize) -> (String, ContextItem) {
        let mut options = options.into();
        options.query.learned = false;
        let context = self.memory.context(options).unwrap();
        let item = context
            .items
            .iter()
            .find(|item| item.seq == self.said[said].seq);
        let item = item.unwrap_or_else(|| panic!("{}", context.text)).clone();
        let head = item.text.lines().next().unwrap();
        let lines: Vec<&str> = context.text.lines().collect();
        let at = lines.iter().position(|line| line.contains(head)).unwrap();
        for named in lines[at - 1].split("[mem:").skip(1) {
            let id = named.split(']').next().unwrap();
            let listed = context.citations.iter();
            assert!(
                listed.clone().any(|citation| citation.as_str() == id),
                "{}",
                context.text
            );
        }
        (lines[at - 1].to_owned(), item)
    }

    fn cited(&self, said: usize) -> String {
        format!("[{}]", self.said[said].citation)
    }
}

#[test]
fn what_was_replaced_comes_after_what_replaced_it_and_says_so() {
    for (old, new, question) in [
        (
            "Let's use Redis for the sessions.",
            "Scrap that, we're going with Postgres for the sessions.",
            "what do we use for the sessions?",
        ),
        (
            "The billing API listens on port 8080.",
            "The billing API now listens on port 9090.",
            "Which port does the billing API listen on?",
        ),
    ] {
        let mut sessions = sessions(&[old]);
        let alone = sessions.memory.search(question).unwrap();
        assert_eq!(alone.confidence, MatchClass::High, "{old}");
        sessions.say("The office plants get water on Mondays.");
        sessions.say(new);
        assert_eq!(sessions.found(question)[..2], [2, 0], "{question}");
        let relevance = |said: usize| {
            let found = sessions.memory.search(question).unwrap();
            let hit = found
                .items
                .into_iter()
                .find(|hit| hit.seq == sessions.said[said].seq);
            hit.unwrap().relevance
        };
        assert!(relevance(0) < 0.75, "{question}");
        let (head, item) = sessions.shown(question, 0);
        assert_eq!(item.state, Some(LearnedState::Superseded));
        let by = format!("superseded by {}:", sessions.cited(2));
        assert!(head.ends_with(&by), "{head}");
        let mut uncited = ContextOptions::new(question);
        uncited.format = Some(CitationFormat::None);
        let (head, _) = sessions.shown(uncited, 0);
        assert!(head.ends_with("superseded since:"), "{head}");
        // As of a moment before, nothing had replaced it.
        let then = Timestamp::from_millis_clamped(sessions.clock.now().millis() - 2 * DAY_MS);
        let query = Query::new(question).as_of(then);
        assert_eq!(sessions.found(query.clone())[0], 0);
        let (head, item) = sessions.shown(query, 0);
        assert!(
            !head.contains("superseded") && item.state.is_none(),
            "{head}"
        );
        // Nor does what was forgotten.
        let newer = Selector::new().id(sessions.said[2].id);
        sessions.memory.forget(&newer).unwrap();
        assert_eq!(sessions.found(question)[0], 0);
        let (_, item) = sessions.shown(question, 0);
        assert_eq!(item.state, None);
    }
}

#[test]
fn what_replaced_something_is_found_by_the_old_words() {
    let sessions = sessions(&[
        "Let's keep the uploaded pictures of the customers on the file server.",
        "The office plants get water on Mondays.",
        "Let's use S3 for the uploads.",
    ]);
    let question = "do we keep the uploaded pictures of the customers on the file server?";
    let knowledge = sessions.memory.knowledge();
    let decisions = knowledge.entries(&EntryFilter::default()).unwrap();
    let of = |text: &str| {
        let found = decisions.iter().find(|row| row.content.contains(text));
        found.unwrap().entry.id.clone()
    };
    assert_eq!(sessions.found(question)[0], 0);
    let (old, new) = (of("file server"), of("S3"));
    knowledge.supersede(&old, &new).unwrap();
    assert_eq!(sessions.found(question)[..2], [2, 0]);
}

#[test]
fn a_blocker_that_is_gone_is_shown_as_such() {
    let mut sessions = sessions(&["The release is blocked by OPS-77."]);
    let question = "Is the release blocked?";
    let (head, item) = sessions.shown(question, 0);
    assert!(
        head.ends_with("From the user:") && item.state.is_none(),
        "{head}"
    );
    let before = sessions.memory.search(question).unwrap().items[0].relevance;
    sessions.say("OPS-77 is closed.");
    let (head, item) = sessions.shown(question, 0);
    assert_eq!(item.state, Some(LearnedState::InProgress), "{head}");
    let since = format!("no longer blocked since {}:", sessions.cited(1));
    assert!(head.ends_with(&since), "{head}");
    let found = sessions.memory.search(question).unwrap();
    assert!(found.items[0].relevance < before);
    assert_ne!(found.confidence, MatchClass::High);
    // Blocked again, by something else.
    sessions.say("The release is blocked by OPS-91.");
    let (head, item) = sessions.shown(question, 2);
    assert!(item.state.is_none(), "{head}");
}

#[test]
fn a_task_that_is_over_is_shown_as_such_where_it_was_set() {
    for (todo, over, state, word) in [
        (
            "TODO: rotate the signing keys",
            "I've rotated the signing keys.",
            LearnedState::Done,
            "done since",
        ),
        (
            "TODO: write the migration guide",
            "The migration guide is no longer needed.",
            LearnedState::Cancelled,
            "cancelled since",
        ),
    ] {
        let mut sessions = sessions(&[todo]);
        let question = todo.replace("TODO:", "do we have to");
        let question = question.as_str();
        assert_eq!(sessions.shown(question, 0).1.state, None);
        sessions.say(over);
        let (head, item) = sessions.shown(question, 0);
        assert_eq!(item.state, Some(state), "{head}");
        let since = format!("{word} {}:", sessions.cited(1));
        assert!(head.ends_with(&since), "{head}");
        // What says that it is over is news.
        let (head, item) = sessions.shown(question, 1);
        assert!(item.state.is_none(), "{head}");
        let found = sessions.memory.search(question).unwrap();
        assert_eq!(found.items[0].seq, sessions.said[1].seq, "{todo}");
        assert!(found.items[1].relevance < 0.75, "{todo}");
    }
}
