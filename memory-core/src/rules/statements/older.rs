//! An older sentence with which newer ones are compared. Each part of it is read when one first asks
//! for it: an entry of a project is compared with all that are new in it.

use std::cell::OnceCell;

use super::choice::Choice;
use super::correction::without_correction;
use super::day_or_version::DayOrVersion;
use super::parts::{content, frame_of, names, purpose, without_hedges};
use super::setting::{self, Setting};
use super::told::{Told, told_plainly};

/// An older sentence, and what was read of it so far.
#[derive(Default)]
pub(crate) struct Older {
    text: String,
    said: OnceCell<String>,
    is_narrowed: OnceCell<bool>,
    day_or_version: OnceCell<Option<DayOrVersion>>,
    purpose: OnceCell<Option<String>>,
    choice: OnceCell<Choice>,
    setting: OnceCell<Option<Setting>>,
    names: OnceCell<Vec<String>>,
    content: OnceCell<Vec<String>>,
    told: OnceCell<Told>,
    told_content: OnceCell<Vec<String>>,
    frame: OnceCell<(String, Vec<String>)>,
}

impl Older {
    pub(crate) fn new(text: &str) -> Self {
        Older {
            text: text.to_owned(),
            ..Older::default()
        }
    }

    /// What it says, without that it corrects something or that it is so for the moment.
    pub(super) fn said(&self) -> &str {
        let said = || without_hedges(without_correction(&self.text).0).into_owned();
        self.said.get_or_init(said)
    }

    /// Whether its last clause says that it is so only somewhere or at some time.
    pub(super) fn is_narrowed(&self) -> bool {
        let is_narrowed = || setting::is_narrowed(&self.text);
        *self.is_narrowed.get_or_init(is_narrowed)
    }

    pub(super) fn day_or_version(&self) -> Option<&DayOrVersion> {
        let told = || DayOrVersion::of(self.said());
        self.day_or_version.get_or_init(told).as_ref()
    }

    pub(super) fn purpose(&self) -> Option<&str> {
        self.purpose.get_or_init(|| purpose(self.said())).as_deref()
    }

    pub(super) fn choice(&self) -> &Choice {
        self.choice.get_or_init(|| Choice::of(self.said()))
    }

    pub(super) fn setting(&self) -> Option<&Setting> {
        let set = || Setting::of(self.said());
        self.setting.get_or_init(set).as_ref()
    }

    /// The words that may name what it is about.
    pub(super) fn names(&self) -> &[String] {
        self.names.get_or_init(|| names(self.said()))
    }

    /// The words that tell it from others.
    pub(super) fn content(&self) -> &[String] {
        self.content.get_or_init(|| content(self.said()))
    }

    /// What it tells, put plainly.
    pub(super) fn told(&self) -> &Told {
        self.told.get_or_init(|| told_plainly(self.said()))
    }

    /// The words of that which tell it from others.
    pub(super) fn told_content(&self) -> &Vec<String> {
        let words = || content(&self.told().words);
        self.told_content.get_or_init(words)
    }

    /// That without its numbers, and the numbers.
    pub(super) fn frame(&self) -> &(String, Vec<String>) {
        self.frame.get_or_init(|| frame_of(&self.told().words))
    }
}
