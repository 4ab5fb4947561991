//! The words of the core's enums as C has them: each with a number that never
//! changes and a name.

use std::ffi::{CStr, c_char};

use recallite::{Error, Result};

/// An enum of the core that has a counterpart in C.
pub(crate) trait Word: Copy + PartialEq + 'static {
    /// What the enum is called in C.
    const C_NAME: &'static str;
    /// Every value with its number and its name.
    const NUMBERED: &'static [(Self, i32, &'static CStr)];

    /// What the core knows, for comparison.
    #[cfg(test)]
    fn known() -> Vec<(Self, &'static str)>;

    /// What the constants are called in C, in the order of `NUMBERED`.
    #[cfg(test)]
    fn constants() -> &'static [&'static str];
}

/// Implements [`Word`] for enums of the core.
macro_rules! words {
    ($($core:ident => $c:ident {
        $($variant:ident = $constant:ident $name:literal,)*
    })*) => {$(
        impl $crate::learn::word::Word for $core {
            const C_NAME: &'static str = stringify!($c);
            const NUMBERED: &'static [(Self, i32, &'static std::ffi::CStr)] =
                &[$(($core::$variant, $c::$constant as i32, $name),)*];

            #[cfg(test)]
            fn known() -> Vec<(Self, &'static str)> {
                $core::ALL.iter().map(|word| (*word, word.as_str())).collect()
            }

            #[cfg(test)]
            fn constants() -> &'static [&'static str] {
                &[$(stringify!($constant),)*]
            }
        }
    )*};
}
pub(crate) use words;

/// The number of a word. One that this library does not know yet is 0, which
/// the tests rule out.
pub(crate) fn number<W: Word>(word: W) -> i32 {
    W::NUMBERED
        .iter()
        .find(|(known, ..)| *known == word)
        .map_or(0, |(_, number, _)| *number)
}

/// The word with a number.
pub(crate) fn word<W: Word>(argument: &str, number: i32) -> Result<W> {
    W::NUMBERED
        .iter()
        .find(|(_, known, _)| *known == number)
        .map(|(word, ..)| *word)
        .ok_or_else(|| Error::invalid(argument, format_args!("{number} is no {}", W::C_NAME)))
}

/// The word of a filter, where 0 stands for any.
pub(crate) fn optional<W: Word>(argument: &str, number: i32) -> Result<Option<W>> {
    match number {
        0 => Ok(None),
        number => word(argument, number).map(Some),
    }
}

/// The name of a number, "unknown" when it has none.
pub(crate) fn name<W: Word>(number: i32) -> *const c_char {
    W::NUMBERED
        .iter()
        .find(|(_, known, _)| *known == number)
        .map_or(c"unknown", |(.., name)| name)
        .as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;
    use recallite::rules::align::{FailureReason, MatchMethod};
    use recallite::rules::endless::{MemoryMode, TransitionType};
    use recallite::rules::entries::{EffectiveStatus, EntryType, ResolutionKind, Stage};
    use recallite::rules::graduation::{InsightKind, Level};
    use recallite::rules::graph::{NodeType, Relation};
    use recallite::rules::ledgers::{EvidenceKind, PipelineStage};
    use recallite::rules::tasks::events::ResolutionType;
    use recallite::rules::tasks::{ArtifactKind, EntityKind, Priority, TaskStatus};

    fn agrees<W: Word + std::fmt::Debug>() {
        let known = W::known();
        assert_eq!(known.len(), W::NUMBERED.len(), "{}", W::C_NAME);
        for (value, text) in known {
            let number = number(value);
            assert_eq!(word::<W>("x", number).unwrap(), value, "{}", W::C_NAME);
            // SAFETY: the names are static, zero-terminated text.
            let shown = unsafe { CStr::from_ptr(name::<W>(number)) };
            assert_eq!(shown.to_str().unwrap(), text, "{}", W::C_NAME);
        }
        for ((_, _, name), constant) in W::NUMBERED.iter().zip(W::constants()) {
            let name = name.to_str().unwrap().to_uppercase();
            assert!(constant.ends_with(&name), "{constant} is called {name}");
        }
        assert!(word::<W>("x", -1).is_err());
    }

    #[test]
    fn every_word_of_the_core_has_a_number_and_its_name() {
        agrees::<MatchMethod>();
        agrees::<FailureReason>();
        agrees::<EntryType>();
        agrees::<Stage>();
        agrees::<TaskStatus>();
        agrees::<Priority>();
        agrees::<EntityKind>();
        agrees::<ArtifactKind>();
        agrees::<NodeType>();
        agrees::<Relation>();
        agrees::<ResolutionType>();
        agrees::<ResolutionKind>();
        agrees::<EffectiveStatus>();
        agrees::<Level>();
        agrees::<InsightKind>();
        agrees::<MemoryMode>();
        agrees::<TransitionType>();
        agrees::<EvidenceKind>();
        agrees::<PipelineStage>();
    }
}
