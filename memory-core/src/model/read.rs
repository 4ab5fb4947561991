//! Reads JSON payloads element by element, so that each error names the exact place, for
//! example `entries[3].quotes[0].message_index`.

use std::fmt;

use serde_json::{Map, Value};

use crate::model::error::{Error, Result};
use crate::model::time::{OUTSIDE, Timestamp};

/// One JSON value and the path that leads to it.
#[derive(Clone, Debug)]
pub(crate) struct Element<'a> {
    path: String,
    value: &'a Value,
}

impl<'a> Element<'a> {
    pub(crate) fn root(name: &str, value: &'a Value) -> Self {
        Element {
            path: name.to_owned(),
            value,
        }
    }

    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// An error that names this element.
    pub(crate) fn error(&self, problem: impl fmt::Display) -> Error {
        Error::invalid(self.path.clone(), problem)
    }

    fn child_path(&self, name: &str) -> String {
        if self.path.is_empty() {
            name.to_owned()
        } else {
            format!("{}.{name}", self.path)
        }
    }

    pub(crate) fn object(&self) -> Result<&'a Map<String, Value>> {
        self.value
            .as_object()
            .ok_or_else(|| self.error("must be an object"))
    }

    /// The field, or `None` when it is absent or null.
    pub(crate) fn optional(&self, name: &str) -> Result<Option<Element<'a>>> {
        Ok(self
            .object()?
            .get(name)
            .filter(|value| !value.is_null())
            .map(|value| Element {
                path: self.child_path(name),
                value,
            }))
    }

    pub(crate) fn required(&self, name: &str) -> Result<Element<'a>> {
        self.optional(name)?
            .ok_or_else(|| Error::invalid(self.child_path(name), "is missing"))
    }

    /// The items of the named array; none when it is absent or null.
    pub(crate) fn items(&self, name: &str) -> Result<Vec<Element<'a>>> {
        self.optional(name)?
            .map_or_else(|| Ok(Vec::new()), |list| list.array())
    }

    pub(crate) fn array(&self) -> Result<Vec<Element<'a>>> {
        let list = self
            .value
            .as_array()
            .ok_or_else(|| self.error("must be an array"))?;
        Ok(list
            .iter()
            .enumerate()
            .map(|(index, value)| Element {
                path: format!("{}[{index}]", self.path),
                value,
            })
            .collect())
    }

    pub(crate) fn str(&self) -> Result<&'a str> {
        self.value
            .as_str()
            .ok_or_else(|| self.error("must be a string"))
    }

    pub(crate) fn string(&self) -> Result<String> {
        self.str().map(str::to_owned)
    }

    pub(crate) fn u64(&self) -> Result<u64> {
        self.value
            .as_u64()
            .ok_or_else(|| self.error("must be a whole number that is not negative"))
    }

    pub(crate) fn u32(&self) -> Result<u32> {
        u32::try_from(self.u64()?).map_err(|_| self.error("is too large"))
    }

    /// A finite number.
    pub(crate) fn f64(&self) -> Result<f64> {
        self.value
            .as_f64()
            .filter(|number| number.is_finite())
            .ok_or_else(|| self.error("must be a number"))
    }

    /// A number from 0 to 1.
    pub(crate) fn unit(&self) -> Result<f64> {
        let number = self.f64()?;
        if (0.0..=1.0).contains(&number) {
            Ok(number)
        } else {
            Err(self.error("must be between 0 and 1"))
        }
    }

    /// Milliseconds since 1970 as a whole number, or RFC 3339 text.
    pub(crate) fn time(&self) -> Result<Timestamp> {
        match self.value.as_i64() {
            Some(millis) => Timestamp::from_millis(millis).map_err(|_| self.error(OUTSIDE)),
            None => {
                let text = self.str()?;
                text.parse()
                    .map_err(|_: Error| self.error(Timestamp::problem(text)))
            }
        }
    }

    /// A word of a closed set, read by `FromStr`.
    pub(crate) fn parse<T: std::str::FromStr<Err = Error>>(&self) -> Result<T> {
        self.str()?
            .parse()
            .map_err(|e: Error| self.error(e.problem()))
    }

    pub(crate) fn optional_time(&self, name: &str) -> Result<Option<Timestamp>> {
        self.optional(name)?.map(|e| e.time()).transpose()
    }

    /// A string with at least one visible character.
    pub(crate) fn text(&self) -> Result<String> {
        let text = self.str()?;
        if text.trim().is_empty() {
            return Err(self.error("must not be blank"));
        }
        Ok(text.to_owned())
    }
}

/// Defines an enum of fixed words: `ALL`, `as_str`, `Display`, `FromStr` and serde.
macro_rules! words {
    (
        $(#[$doc:meta])*
        $name:ident ($what:literal) { $($(#[$item_doc:meta])* $item:ident = $text:literal,)* }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum $name { $($(#[$item_doc])* $item,)* }

        impl $name {
            /// Every value, in declaration order.
            pub const ALL: &'static [$name] = &[$($name::$item,)*];

            /// The stable word, the same in every language.
            pub fn as_str(self) -> &'static str {
                match self { $($name::$item => $text,)* }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(
                &self,
                to: S,
            ) -> std::result::Result<S::Ok, S::Error> {
                to.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(
                from: D,
            ) -> std::result::Result<Self, D::Error> {
                $crate::model::codec::word(from)
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::model::error::Error;

            fn from_str(text: &str) -> $crate::model::error::Result<Self> {
                $name::ALL
                    .iter()
                    .copied()
                    .find(|value| value.as_str() == text)
                    .ok_or_else(|| {
                        let known: Vec<&str> = $name::ALL.iter().map(|v| v.as_str()).collect();
                        $crate::model::error::Error::invalid(
                            $what,
                            format_args!("unknown value; use one of {}", known.join(", ")),
                        )
                    })
            }
        }
    };
}

pub(crate) use words;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_element_and_never_show_its_content() {
        let value: Value =
            serde_json::from_str(r#"{"entries":[{"quotes":[{"message_index":-1}]}]}"#)
                .expect("valid JSON");
        let root = Element::root("", &value);
        let entry = &root.items("entries").expect("array")[0];
        let quote = &entry.items("quotes").expect("array")[0];
        let error = quote
            .required("message_index")
            .and_then(|e| e.u64())
            .expect_err("negative");
        assert_eq!(error.argument(), Some("entries[0].quotes[0].message_index"));
        assert!(
            error
                .message()
                .starts_with("entries[0].quotes[0].message_index: ")
        );
        let missing = quote.required("quote").expect_err("missing");
        assert_eq!(missing.message(), "entries[0].quotes[0].quote: is missing");
    }
}
