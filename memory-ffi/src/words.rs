//! Maps the words of the core's enums to C: each has a number and a name.

use std::ffi::{CStr, c_char};

use recallite::{Error, Result};

/// A core enum with a counterpart in C.
pub(crate) trait Word: 'static {
    /// The enum's name in C.
    const C_NAME: &'static str;
    /// Every number with its name.
    const NUMBERED: &'static [(i32, &'static CStr)];

    /// The core's name of the value.
    fn text(&self) -> &str;
}

/// An enum without payloads.
pub(crate) trait PlainWord: Word + Copy {
    /// Every value, in the order of `NUMBERED`.
    const VALUES: &'static [Self];
}

/// Implements [`Word`], [`PlainWord`] and conversions to C for enums of the core.
macro_rules! words {
    (plain $core:ty => $c:ident { $($variant:ident = $constant:ident $name:literal,)* }) => {
        $crate::words::words!($core => $c { $($variant = $constant $name,)* });

        const _: () = {
            type Core = $core;

            impl $crate::words::PlainWord for Core {
                const VALUES: &'static [Self] = &[$(Core::$variant,)*];
            }
        };
    };
    ($core:ty => $c:ident { $($variant:ident = $constant:ident $name:literal,)* }) => {
        impl $crate::words::Word for $core {
            const C_NAME: &'static str = stringify!($c);
            const NUMBERED: &'static [(i32, &'static std::ffi::CStr)] =
                &[$(($c::$constant as i32, $name),)*];

            fn text(&self) -> &str {
                self.as_str()
            }
        }

        impl $crate::owned::Show for $core {
            type View = i32;

            fn show(self, _: &mut $crate::owned::Parts) -> i32 {
                $crate::words::number(&self)
            }
        }
    };
}
pub(crate) use words;

/// The number of a word; 0 if this library does not know it yet.
pub(crate) fn number<W: Word>(word: &W) -> i32 {
    W::NUMBERED
        .iter()
        .find(|(_, name)| name.to_bytes() == word.text().as_bytes())
        .map_or(0, |(number, _)| *number)
}

/// The word with this number.
pub(crate) fn word<W: PlainWord>(argument: &str, number: i32) -> Result<W> {
    W::NUMBERED
        .iter()
        .zip(W::VALUES)
        .find(|((known, _), _)| *known == number)
        .map(|(_, word)| *word)
        .ok_or_else(|| Error::invalid(argument, format_args!("{number} is not a {}", W::C_NAME)))
}

/// The core's name for a number; 0 means none.
pub(crate) fn text<W: Word>(argument: &str, number: i32) -> Result<Option<&'static str>> {
    if number == 0 {
        return Ok(None);
    }
    W::NUMBERED
        .iter()
        .find(|(known, _)| *known == number)
        .and_then(|(_, name)| name.to_str().ok())
        .map(Some)
        .ok_or_else(|| Error::invalid(argument, format_args!("{number} is not a {}", W::C_NAME)))
}

/// The name of a number; "unknown" if it has none.
pub(crate) fn name<W: Word>(number: i32) -> *const c_char {
    W::NUMBERED
        .iter()
        .find(|(known, _)| *known == number)
        .map_or(c"unknown", |(_, name)| name)
        .as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;
    use recallite::rules::entries::Stage;
    use recallite::rules::graph::Relation;
    use recallite::rules::tasks::TaskStatus;
    use recallite::{CitationFormat, EventKind, MatchClass, Origin};

    fn agrees<W: PlainWord + PartialEq + std::fmt::Debug>(known: &[W]) {
        assert_eq!(W::VALUES, known, "{}", W::C_NAME);
        for (value, (number, name)) in W::VALUES.iter().zip(W::NUMBERED) {
            assert_ne!(*number, 0, "{}", W::C_NAME);
            assert_eq!(super::number(value), *number, "{}", W::C_NAME);
            assert_eq!(word::<W>("x", *number).unwrap(), *value, "{}", W::C_NAME);
            assert_eq!(name.to_str().unwrap(), value.text(), "{}", W::C_NAME);
        }
        assert!(word::<W>("x", -1).is_err());
    }

    #[test]
    fn every_word_of_the_core_has_a_number_and_its_name() {
        agrees(EventKind::ALL);
        agrees(Origin::ALL);
        agrees(TaskStatus::ALL);
        agrees(Stage::ALL);
        agrees(Relation::ALL);
        agrees(MatchClass::ALL);
        assert!(CitationFormat::VALUES.len() > 1);
    }

    #[test]
    fn kinds_have_the_numbers_of_the_core() {
        for kind in EventKind::ALL {
            assert_eq!(number(kind), i32::from(kind.number()));
        }
    }
}
