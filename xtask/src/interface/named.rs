//! What the core's documentation names in backticks: each language spells it in its own way.

use std::borrow::Cow;

use super::declared::Word;
use super::doc;
use super::model::{Handle, Model, Record, Words};

/// What a code span names.
pub enum Named<'m> {
    /// `None`.
    Nothing,
    /// A method of a group, or a function that needs no memory.
    Method(Option<&'m Handle>, Cow<'m, str>),
    /// A field, an option or an argument, and the record that has it where that is said.
    Field(Option<&'m Record>, &'m str),
    /// A value of an enum of words.
    Value(&'m Words, &'m Word),
    /// A word, which may be a value of several enums.
    Word(&'m str),
    /// A constant that most languages have as this function.
    Constant(&'static str),
    /// A type, as the other languages call it.
    Type(&'m str),
    /// What means itself in every language, or only the core has.
    Other(&'m str),
}

impl Named<'_> {
    /// A method as the languages with objects name it: behind the area of a memory on which it
    /// hangs.
    pub fn called(handle: Option<&Handle>, name: &str) -> String {
        match handle.filter(|handle| !handle.is_root()) {
            Some(handle) => format!("{}.{name}", handle.area()),
            None => name.to_owned(),
        }
    }
}

impl Model {
    /// What a name in backticks means: the documentation says with its type whose it is
    /// (`Relation::BlockedBy`), where that is not clear.
    pub fn named<'m>(&'m self, code: &'m str) -> Named<'m> {
        if code == "None" {
            return Named::Nothing;
        }
        if let Some(function) = doc::function_for(code) {
            return Named::Constant(function);
        }
        match code.rsplit_once("::") {
            None => self.named_alone(code),
            Some((owner, last)) => match self.named_in(doc::last(owner), last) {
                Named::Other(_) => self.named_alone(last),
                named => named,
            },
        }
    }

    fn named_in<'m>(&'m self, owner: &str, last: &'m str) -> Named<'m> {
        if let Some(words) = self.words().find(|words| words.name == owner) {
            let item = words.items.iter().find(|item| item.variant == last);
            return item.map_or(Named::Other(last), |item| Named::Value(words, item));
        }
        if let Some(handle) = self.handles.iter().find(|handle| handle.name == owner) {
            let mut methods = handle.methods.iter();
            let called = methods.find(|method| method.name == last);
            let called = called.map_or(last, |method| &method.called);
            return Named::Method(Some(handle), called.into());
        }
        let end = format!("{owner}::{last}");
        if self.methods().any(|method| method.path.ends_with(&end)) {
            return Named::Method(None, last.into());
        }
        match self.structs().find(|one| is_called(one, owner)) {
            Some(record) if has_field(record, last) => Named::Field(Some(record), last),
            _ => Named::Other(last),
        }
    }

    fn named_alone<'m>(&'m self, code: &'m str) -> Named<'m> {
        let mut fields = self.structs().flat_map(|record| &record.fields);
        if fields.any(|field| field.name == code) || self.arguments().any(|one| one.name == code) {
            return Named::Field(None, code);
        }
        let has = |group: &&Handle| group.methods.iter().any(|one| one.called == code);
        let mut groups = self.handles.iter().filter(has);
        let is_rule = self.rules.iter().any(|rules| has(&rules));
        match (groups.next(), groups.next(), is_rule) {
            (None, _, false) => {}
            (Some(group), None, false) => return Named::Method(Some(group), code.into()),
            (None, _, true) => return Named::Method(None, code.into()),
            // One of several; the documentation must say which.
            _ => return Named::Other(code),
        }
        if let Some(record) = self.structs().find(|one| is_called(one, code)) {
            return Named::Type(&record.name);
        }
        if self.handles.iter().any(|handle| handle.name == code)
            || self.words().any(|words| words.name == code)
        {
            return Named::Type(code);
        }
        let mut values = self.words().flat_map(|words| &words.items);
        match values.any(|item| item.text == code) {
            true => Named::Word(code),
            false => Named::Other(code),
        }
    }

    /// Every record and all options.
    pub fn structs(&self) -> impl Iterator<Item = &Record> {
        self.records().chain(self.options())
    }
}

/// Whether a record has a field of this name. What a builder has more is written by hand.
fn has_field(record: &Record, name: &str) -> bool {
    let mut fields = record.fields.iter();
    record.is_builder || fields.any(|field| field.name == name || field.core_name == name)
}

/// Whether a record has this name, in the core or elsewhere.
fn is_called(record: &Record, name: &str) -> bool {
    record.name == name || doc::last(&record.path) == name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_means_what_its_type_says() {
        let model = super::super::model().unwrap();
        let is_value = |code, word| match model.named(code) {
            Named::Value(_, item) => item.text == word,
            _ => false,
        };
        assert!(is_value("MatchMethod::None", "none"));
        assert!(is_value("crate::ErrorCode::Busy", "busy"));
        assert!(matches!(model.named("None"), Named::Nothing));
        let Named::Method(Some(group), name) = model.named("Sharing::receive") else {
            panic!("it is a method");
        };
        assert_eq!(Named::called(Some(group), &name), "sharing.receive");
        assert!(matches!(
            model.named("EventFilter::from"),
            Named::Field(Some(_), "from")
        ));
    }

    #[test]
    fn what_only_rust_has_is_told() {
        let model = super::super::model().unwrap();
        for code in [
            "ErrorCode::as_str",
            "SmartSearchResult::learned_markdown",
            "search",
        ] {
            assert!(matches!(model.named(code), Named::Other(_)), "{code}");
        }
    }
}
