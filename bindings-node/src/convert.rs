//! Converts values between JavaScript and the core: [`FromNative`] to the core,
//! [`IntoNative`] from it. `generated` implements both for types declared in the core.

use std::path::PathBuf;
use std::time::Duration;

use recallite::rules::entries::EntryId;
use recallite::rules::outbox::JobId;
use recallite::rules::tasks::EntityId;
use recallite::transcript::LineProblem;
use recallite::{
    CitationId, Error, ErrorCode, EventId, EventRef, HasOffsets, Json, Memory, Result, Seq,
    Timestamp,
};

use crate::input::{self, Name, Time, count, small};
use crate::output::{ms, number};
pub use crate::places::To;

/// Made from a value of type `N`.
pub trait FromNative<N>: Sized {
    /// Reads the value that errors call `name`.
    fn from_native(name: &str, given: N) -> Result<Self>;
}

/// A value of the core.
pub fn take<N, T: FromNative<N>>(name: &str, given: N) -> Result<T> {
    T::from_native(name, given)
}

/// Replaces a default by the given value, if any.
pub fn replace<N, T: FromNative<N>>(name: &str, given: Option<N>, place: &mut T) -> Result<()> {
    if let Some(given) = given {
        *place = take(name, given)?;
    }
    Ok(())
}

/// The name of a field in errors; `name` is empty if fields are named without the argument.
pub fn of_path(name: &str, field: &str) -> String {
    match name {
        "" => field.to_owned(),
        name => format!("{name}.{field}"),
    }
}

macro_rules! as_it_is {
    ($($type:ty,)*) => {
        $(impl FromNative<$type> for $type {
            fn from_native(_: &str, given: $type) -> Result<Self> {
                Ok(given)
            }
        })*
    };
}

as_it_is! { bool, String, f64, }

macro_rules! of_numbers {
    ($($type:ty = $read:path,)*) => {
        $(impl FromNative<f64> for $type {
            fn from_native(name: &str, given: f64) -> Result<Self> {
                $read(name, given)
            }
        })*
    };
}

of_numbers! {
    u32 = small,
    u64 = count,
    usize = input::size,
    i64 = input::signed,
    Duration = input::duration,
    Seq = input::position,
}

/// The core stores fractions in single precision.
impl FromNative<f64> for f32 {
    fn from_native(name: &str, given: f64) -> Result<Self> {
        let single = given as f32;
        match single.is_finite() {
            true => Ok(single),
            false => Err(Error::invalid(name, format_args!("{given:e} is too large"))),
        }
    }
}

impl FromNative<Time> for Timestamp {
    fn from_native(name: &str, given: Time) -> Result<Self> {
        input::time(name, given)
    }
}

impl FromNative<String> for EntityId {
    fn from_native(_: &str, given: String) -> Result<Self> {
        Ok(EntityId::new(given))
    }
}

impl FromNative<String> for EntryId {
    fn from_native(_: &str, given: String) -> Result<Self> {
        Ok(EntryId::new(given))
    }
}

impl FromNative<Name> for EventRef {
    fn from_native(name: &str, given: Name) -> Result<Self> {
        input::name(name, given)
    }
}

impl FromNative<String> for Json {
    fn from_native(name: &str, given: String) -> Result<Self> {
        Json::parse(name, &given)
    }
}

impl FromNative<String> for PathBuf {
    fn from_native(_: &str, given: String) -> Result<Self> {
        Ok(given.into())
    }
}

impl<N, T: FromNative<N>> FromNative<N> for Option<T> {
    fn from_native(name: &str, given: N) -> Result<Self> {
        take(name, given).map(Some)
    }
}

impl<N, T: FromNative<N>> FromNative<Vec<N>> for Vec<T> {
    fn from_native(name: &str, given: Vec<N>) -> Result<Self> {
        let items = given.into_iter().enumerate();
        items
            .map(|(index, item)| take(&format!("{name}[{index}]"), item))
            .collect()
    }
}

/// Parses one of the core's stable words, or an id. The error names the argument, whatever
/// the core calls it.
pub fn word<T: std::str::FromStr<Err = Error>>(name: &str, given: &str) -> Result<T> {
    given.parse().map_err(|error: Error| error.about(name))
}

/// Parses an enum of the core from its words.
macro_rules! takes_words {
    ($type:ty) => {
        impl crate::convert::FromNative<String> for $type {
            fn from_native(name: &str, given: String) -> recallite::Result<Self> {
                crate::convert::word(name, &given)
            }
        }
    };
}
pub(crate) use takes_words;

takes_words!(EventId);

/// Converts an enum of the core to its word.
macro_rules! gives_words {
    ($type:ty) => {
        impl crate::convert::IntoNative for $type {
            type Native = String;

            fn into_native(self, _: &crate::convert::To<'_>) -> recallite::Result<String> {
                Ok(self.as_str().to_owned())
            }
        }
    };
}
pub(crate) use gives_words;

/// Converts to a value of JavaScript.
pub trait IntoNative {
    /// The type that crosses the boundary.
    type Native;

    /// Converts the value; a count that a double cannot represent is refused.
    fn into_native(self, to: &To<'_>) -> Result<Self::Native>;
}

/// Converts a result of a memory.
pub fn give<T: IntoNative>(memory: &Memory, value: T) -> Result<T::Native> {
    value.into_native(&To::of(memory))
}

/// Converts a result of a memory without the parts whose event was forgotten since.
pub fn give_placed<T: HasOffsets + IntoNative>(memory: &Memory, mut found: T) -> Result<T::Native> {
    let to = To::of(memory);
    to.count(memory, &mut found)?;
    found.into_native(&to)
}

/// Like [`give`], for results without places in the contents of events.
pub fn give_plain<T: IntoNative>(value: T) -> Result<T::Native> {
    value.into_native(&To::nothing())
}

/// A path that is not UTF-8 would name another place when it is passed back.
pub fn utf8(path: PathBuf) -> Result<String> {
    path.into_os_string().into_string().map_err(|path| {
        let shown = path.display();
        Error::new(
            ErrorCode::Unsupported,
            format!("{shown} is not UTF-8; give another path"),
        )
    })
}

macro_rules! gives {
    ($($type:ty => $native:ty, $value:ident: $given:expr;)*) => {
        $(impl IntoNative for $type {
            type Native = $native;

            fn into_native(self, _: &To<'_>) -> Result<$native> {
                let $value = self;
                Ok($given)
            }
        })*
    };
}

gives! {
    () => (), value: value;
    bool => bool, value: value;
    u32 => f64, value: f64::from(value);
    u64 => f64, value: number(value)?;
    usize => f64, value: number(value as u64)?;
    i64 => f64, value: value as f64;
    f64 => f64, value: value;
    f32 => f64, value: f64::from(value);
    String => String, value: value;
    PathBuf => String, value: utf8(value)?;
    &str => String, value: value.to_owned();
    Timestamp => f64, value: ms(value);
    Seq => f64, value: number(value.0)?;
    JobId => f64, value: number(value.0)?;
    LineProblem => String, value: value.to_string();
    EventId => String, value: value.to_string();
    EntryId => String, value: value.as_str().to_owned();
    EntityId => String, value: value.as_str().to_owned();
    CitationId => String, value: value.as_str().to_owned();
    Json => String, value: value.as_str().to_owned();
}

impl<T: IntoNative> IntoNative for Option<T> {
    type Native = Option<T::Native>;

    fn into_native(self, to: &To<'_>) -> Result<Self::Native> {
        self.map(|value| value.into_native(to)).transpose()
    }
}

impl<T: IntoNative + Clone> IntoNative for &T {
    type Native = T::Native;

    fn into_native(self, to: &To<'_>) -> Result<Self::Native> {
        self.clone().into_native(to)
    }
}

impl<T: IntoNative> IntoNative for Vec<T> {
    type Native = Vec<T::Native>;

    fn into_native(self, to: &To<'_>) -> Result<Self::Native> {
        self.into_iter().map(|item| item.into_native(to)).collect()
    }
}

impl<T: IntoNative + Clone> IntoNative for &[T] {
    type Native = Vec<T::Native>;

    fn into_native(self, to: &To<'_>) -> Result<Self::Native> {
        self.to_vec().into_native(to)
    }
}
