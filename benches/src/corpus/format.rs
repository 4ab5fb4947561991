//! The file format of a corpus: conversations, each a list of events, and questions about them.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use flate2::read::GzDecoder;
use serde::Deserialize;

use crate::Result;

/// A corpus; every conversation gets its own store.
#[derive(Debug, Deserialize)]
pub(crate) struct Corpus {
    pub(crate) name: String,
    pub(crate) level: Level,
    pub(crate) conversations: Vec<Conversation>,
}

/// What the evidence of a question refers to.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Level {
    Turn,
    Document,
    /// A group of events; a ranking contains each group once, at its first event.
    Session,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Conversation {
    pub(crate) id: Name,
    pub(crate) events: Vec<Event>,
    pub(crate) questions: Vec<Question>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Event {
    pub(crate) eid: Name,
    pub(crate) session: Name,
    pub(crate) kind: String,
    pub(crate) actor: Option<String>,
    pub(crate) time: Option<String>,
    pub(crate) text: String,
    pub(crate) group: Option<Name>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Question {
    pub(crate) qid: Name,
    pub(crate) category: String,
    pub(crate) question: String,
    /// Empty if the question has no answer.
    pub(crate) evidence: Vec<Name>,
    /// If set, the question may only be answered from the events before this one.
    pub(crate) before: Option<Name>,
}

/// A name, written as a string or a number.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Hash)]
#[serde(from = "serde_json::Value")]
pub(crate) struct Name(pub(crate) String);

impl From<serde_json::Value> for Name {
    fn from(value: serde_json::Value) -> Self {
        Name(match value {
            serde_json::Value::String(text) => text,
            other => other.to_string(),
        })
    }
}

impl Corpus {
    /// Reads a file, decompressing it if its name ends in `.gz`.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let file = BufReader::new(File::open(path)?);
        let mut reader: Box<dyn Read> = match path.extension() {
            Some(end) if end == "gz" => Box::new(GzDecoder::new(file)),
            _ => Box::new(file),
        };
        // Read completely first: serde_json parses a string several times faster than a reader.
        let mut text = String::new();
        reader.read_to_string(&mut text)?;
        let corpus: Corpus = serde_json::from_str(&text)?;
        for event in corpus.conversations.iter().flat_map(|c| &c.events) {
            if corpus.level == Level::Session && event.group.is_none() {
                return Err(format!("event {:?} has no group", event.eid.0).into());
            }
        }
        Ok(corpus)
    }
}

impl Question {
    /// The names that its evidence lists.
    pub(crate) fn names(&self) -> Vec<String> {
        self.evidence.iter().map(|name| name.0.clone()).collect()
    }
}

impl Event {
    /// The name that evidence uses for it.
    pub(crate) fn key(&self, level: Level) -> &str {
        match (&self.group, level) {
            (Some(group), Level::Session) => &group.0,
            _ => &self.eid.0,
        }
    }

    /// The text for a baseline without fields: the speaker and the text.
    pub(crate) fn with_actor(&self) -> String {
        match &self.actor {
            Some(actor) => format!("{actor}: {}", self.text),
            None => self.text.clone(),
        }
    }
}
