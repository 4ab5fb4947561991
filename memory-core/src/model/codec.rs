//! Defines how typed values are stored as JSON, declared once on their types with serde. A
//! read error names the element, for example `blockers[0].kind`, and never shows its content.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{self, DeserializeOwned, DeserializeSeed, IntoDeserializer, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::model::error::{Error, Result};
use crate::model::json::{Json, canonical_text};
use crate::model::time::{OUTSIDE, Timestamp};

/// A typed value as JSON.
pub(crate) fn to_value(typed: &impl Serialize) -> Value {
    serde_json::to_value(typed).expect("what is kept has text for keys and finite numbers")
}

/// A typed value as JSON text.
pub(crate) fn to_json(typed: &impl Serialize) -> Json {
    Json::from_value(&to_value(typed))
}

/// A typed value in its stored form.
pub(crate) fn to_text(typed: &impl Serialize) -> String {
    canonical_text(&to_value(typed))
}

/// Reads a typed value; null fields count as absent.
///
/// # Errors
/// `invalid_argument` naming the element that is wrong, below `root`.
pub(crate) fn from_value<T: DeserializeOwned>(root: &str, value: &Value) -> Result<T> {
    T::deserialize(Reading(value)).map_err(|wrong| wrong.below(root).into_error())
}

/// Splits an enum variant into its name and the object of its fields.
pub(crate) fn variant(typed: &impl Serialize) -> (String, Value) {
    let fields = match to_value(typed) {
        Value::Object(fields) => fields.into_iter().next(),
        _ => None,
    };
    fields.expect("variants with fields are kept below their names")
}

/// Reads an enum variant whose name is stored elsewhere; an error names the element below
/// that name.
///
/// # Errors
/// As [`from_value`].
pub(crate) fn from_variant<T: DeserializeOwned>(name: &str, value: &Value) -> Result<T> {
    let tag = "";
    T::deserialize(Variant { tag, name, value }).map_err(|wrong| wrong.below(name).into_error())
}

/// Reads an enum variant whose name is stored beside its fields, under `tag`.
///
/// # Errors
/// As [`from_value`].
pub(crate) fn from_tagged<T: DeserializeOwned>(root: &str, tag: &str, value: &Value) -> Result<T> {
    let name = match &value[tag] {
        Value::Null => Err(Wrong::new("is missing").below(tag)),
        name => Reading(name).text().map_err(|wrong| wrong.below(tag)),
    };
    name.and_then(|name| T::deserialize(Variant { tag, name, value }))
        .map_err(|wrong| wrong.below(root).into_error())
}

/// Like [`from_value`], for text.
///
/// # Errors
/// As [`from_value`], also when the text is not JSON.
pub(crate) fn from_text<T: DeserializeOwned>(root: &str, text: &str) -> Result<T> {
    // Fast path. Its error would show content, so on failure the value is read again below.
    if let Ok(typed) = serde_json::from_str(text) {
        return Ok(typed);
    }
    match serde_json::from_str(text) {
        Ok(value) => from_value(root, &value),
        Err(_) => Err(Error::invalid(root, "is not JSON")),
    }
}

/// Like [`from_value`], for checked JSON.
///
/// # Errors
/// As [`from_value`].
pub(crate) fn from_json<T: DeserializeOwned>(root: &str, json: &Json) -> Result<T> {
    from_text(root, json.as_str())
}

/// Separates the element from the problem in the text of a [`Refused`].
const APART: char = '\u{1f}';

/// Why valid fields do not fit together, for serde's `try_from`.
#[derive(Debug)]
pub(crate) struct Refused(Error);

impl Refused {
    /// The problem of an element of the value.
    pub(crate) fn new(element: &str, problem: impl fmt::Display) -> Self {
        Refused(Error::invalid(element, problem))
    }
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Refused(error)
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let element = self.0.argument().unwrap_or_default();
        write!(f, "{element}{APART}{}", self.0.problem())
    }
}

/// What is wrong and where.
#[derive(Debug)]
struct Wrong {
    path: String,
    problem: String,
}

impl Wrong {
    fn new(problem: impl fmt::Display) -> Self {
        Wrong {
            path: String::new(),
            problem: problem.to_string(),
        }
    }

    /// The same error with a path prefix.
    fn below(mut self, element: &str) -> Self {
        if !element.is_empty() {
            let dot = if self.path.is_empty() || self.path.starts_with('[') {
                ""
            } else {
                "."
            };
            self.path = format!("{element}{dot}{}", self.path);
        }
        self
    }

    fn into_error(self) -> Error {
        Error::invalid(self.path, self.problem)
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.problem)
    }
}

impl std::error::Error for Wrong {}

impl de::Error for Wrong {
    fn custom<T: fmt::Display>(message: T) -> Self {
        let message = message.to_string();
        match message.split_once(APART) {
            Some((element, problem)) => Wrong::new(problem).below(element),
            None => Wrong::new(message),
        }
    }

    fn invalid_type(_: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Wrong::new(format_args!("must be {expected}"))
    }

    fn invalid_value(_: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Wrong::new(format_args!("must be {expected}"))
    }

    fn invalid_length(_: usize, expected: &dyn de::Expected) -> Self {
        Wrong::new(format_args!("must be {expected}"))
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        let known = expected.join(", ");
        Wrong::new(format_args!("unknown value; use one of {known}"))
    }

    fn unknown_field(_: &str, expected: &'static [&'static str]) -> Self {
        let known = expected.join(", ");
        Wrong::new(format_args!(
            "has an unknown field; known fields are {known}"
        ))
    }

    fn missing_field(field: &'static str) -> Self {
        Wrong::new("is missing").below(field)
    }

    fn duplicate_field(field: &'static str) -> Self {
        Wrong::new("occurs twice").below(field)
    }
}

/// A serde deserializer over a JSON value. `serde_json`'s own shows content in its errors,
/// and `serde_path_to_error` does not say which field is missing.
struct Reading<'de>(&'de Value);

impl<'de> Reading<'de> {
    fn text(&self) -> Result<&'de str, Wrong> {
        self.0
            .as_str()
            .ok_or_else(|| Wrong::new("must be a string"))
    }

    fn natural(&self) -> Result<u64, Wrong> {
        self.0
            .as_u64()
            .ok_or_else(|| Wrong::new("must be a whole number that is not negative"))
    }
}

impl<'de> Deserializer<'de> for Reading<'de> {
    type Error = Wrong;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(is_true) => visitor.visit_bool(*is_true),
            Value::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => visitor.visit_u64(number),
                (None, Some(number)) => visitor.visit_i64(number),
                (None, None) => visitor.visit_f64(number.as_f64().unwrap_or(f64::NAN)),
            },
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(items) => visitor.visit_seq(Items {
                rest: items.iter().enumerate(),
            }),
            Value::Object(fields) => visitor.visit_map(Fields::of(fields, false)),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        match self.0 {
            Value::Bool(is_true) => visitor.visit_bool(*is_true),
            _ => Err(Wrong::new("must be true or false")),
        }
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        match self.0.as_i64() {
            Some(number) => visitor.visit_i64(number),
            None => Err(Wrong::new("must be a whole number")),
        }
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        match u32::try_from(self.natural()?) {
            Ok(number) => visitor.visit_u32(number),
            Err(_) => Err(Wrong::new("is too large")),
        }
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_u64(self.natural()?)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        match self.0.as_f64().filter(|number| number.is_finite()) {
            Some(number) => visitor.visit_f64(number),
            None => Err(Wrong::new("must be a number")),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_borrowed_str(self.text()?)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_borrowed_str(self.text()?)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        match self.0 {
            Value::Array(_) => self.deserialize_any(visitor),
            _ => Err(Wrong::new("must be an array")),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        match self.0 {
            Value::Object(_) => self.deserialize_any(visitor),
            _ => Err(Wrong::new("must be an object")),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        match self.0 {
            Value::Object(fields) => visitor.visit_map(Fields::of(fields, true)),
            _ => Err(Wrong::new("must be an object")),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        visitor.visit_enum(self.text()?.into_deserializer())
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_unit()
    }

    serde::forward_to_deserialize_any! {
        i8 i16 i32 i128 u8 u16 u128 f32 char bytes byte_buf unit unit_struct tuple
        tuple_struct identifier
    }
}

/// An enum variant: its name, the field that holds the name, and the value with its fields.
struct Variant<'de> {
    tag: &'de str,
    name: &'de str,
    value: &'de Value,
}

impl<'de> Deserializer<'de> for Variant<'de> {
    type Error = Wrong;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_enum(self)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes
        byte_buf option unit unit_struct newtype_struct seq tuple tuple_struct map
        struct enum identifier ignored_any
    }
}

impl<'de> de::EnumAccess<'de> for Variant<'de> {
    type Error = Wrong;
    type Variant = Reading<'de>;

    fn variant_seed<T: DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> Result<(T::Value, Reading<'de>), Wrong> {
        let name = seed.deserialize(BorrowedStrDeserializer::new(self.name));
        let name = name.map_err(|wrong: Wrong| wrong.below(self.tag))?;
        Ok((name, Reading(self.value)))
    }
}

impl<'de> de::VariantAccess<'de> for Reading<'de> {
    type Error = Wrong;

    fn unit_variant(self) -> Result<(), Wrong> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Wrong> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Wrong> {
        self.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        self.deserialize_struct("", fields, visitor)
    }
}

/// The remaining items of an array.
struct Items<'de> {
    rest: std::iter::Enumerate<std::slice::Iter<'de, Value>>,
}

impl<'de> de::SeqAccess<'de> for Items<'de> {
    type Error = Wrong;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Wrong> {
        let Some((index, item)) = self.rest.next() else {
            return Ok(None);
        };
        let read = seed.deserialize(Reading(item));
        read.map(Some)
            .map_err(|wrong| wrong.below(&format!("[{index}]")))
    }
}

/// The remaining fields of an object, and the value of the last key read.
struct Fields<'de> {
    rest: serde_json::map::Iter<'de>,
    named: Option<(&'de str, &'de Value)>,
    skips_null: bool,
}

impl<'de> Fields<'de> {
    fn of(fields: &'de serde_json::Map<String, Value>, skips_null: bool) -> Self {
        Fields {
            rest: fields.iter(),
            named: None,
            skips_null,
        }
    }
}

impl<'de> de::MapAccess<'de> for Fields<'de> {
    type Error = Wrong;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Wrong> {
        let skips_null = self.skips_null;
        let next = self.rest.find(|(_, value)| !skips_null || !value.is_null());
        self.named = next.map(|(name, value)| (name.as_str(), value));
        let Some((name, _)) = self.named else {
            return Ok(None);
        };
        seed.deserialize(BorrowedStrDeserializer::new(name))
            .map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Wrong> {
        let (name, value) = self.named.take().expect("a name comes before its value");
        seed.deserialize(Reading(value))
            .map_err(|wrong| wrong.below(name))
    }
}

/// Reads a word of a closed set, for [`words!`](crate::model::read::words).
pub(crate) fn word<'de, T, D>(from: D) -> Result<T, D::Error>
where
    T: FromStr<Err = Error>,
    D: Deserializer<'de>,
{
    struct Word<T>(PhantomData<T>);

    impl<T: FromStr<Err = Error>> Visitor<'_> for Word<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string")
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
            text.parse().map_err(|e: Error| E::custom(e.problem()))
        }
    }

    from.deserialize_str(Word(PhantomData))
}

/// Reads a string with at least one visible character.
pub(crate) fn text<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let text = String::deserialize(from)?;
    if text.trim().is_empty() {
        return Err(de::Error::custom("must not be blank"));
    }
    Ok(text)
}

/// Reads a number from 0 to 1.
pub(crate) fn unit<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    let number = f64::deserialize(from)?;
    if (0.0..=1.0).contains(&number) {
        Ok(number)
    } else {
        Err(de::Error::custom("must be between 0 and 1"))
    }
}

/// Like [`unit`], or null.
pub(crate) fn optional_unit<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
    #[derive(Deserialize)]
    struct Unit(#[serde(deserialize_with = "unit")] f64);

    Ok(Option::<Unit>::deserialize(from)?.map(|unit| unit.0))
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_i64(self.millis())
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    /// Milliseconds since 1970 as a whole number, or RFC 3339 text.
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Moment;

        impl Visitor<'_> for Moment {
            type Value = Timestamp;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_i64<E: de::Error>(self, millis: i64) -> Result<Timestamp, E> {
                Timestamp::from_millis(millis).map_err(|_| E::custom(OUTSIDE))
            }

            fn visit_u64<E: de::Error>(self, millis: u64) -> Result<Timestamp, E> {
                self.visit_i64(i64::try_from(millis).unwrap_or(i64::MAX))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Timestamp, E> {
                text.parse()
                    .map_err(|_: Error| E::custom(Timestamp::problem(text)))
            }
        }

        from.deserialize_any(Moment)
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.to_value().serialize(to)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Value::deserialize(from).map(|value| Json::from_value(&value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Inner {
        #[serde(deserialize_with = "text")]
        name: String,
        #[serde(default, deserialize_with = "optional_unit")]
        share: Option<f64>,
    }

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[serde(try_from = "Form", into = "Form")]
    struct Span(u64, u64);

    #[derive(Serialize, Deserialize)]
    struct Form {
        start: u64,
        end: u64,
    }

    impl TryFrom<Form> for Span {
        type Error = Refused;

        fn try_from(form: Form) -> Result<Self, Refused> {
            if form.end < form.start {
                return Err(Refused::new("end", "must not be before start"));
            }
            Ok(Span(form.start, form.end))
        }
    }

    impl From<Span> for Form {
        fn from(span: Span) -> Self {
            Form {
                start: span.0,
                end: span.1,
            }
        }
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Outer {
        #[serde(default)]
        items: Vec<Inner>,
        span: Option<Span>,
        at: Timestamp,
        more: Option<Json>,
    }

    fn read(value: &Value) -> Result<Outer> {
        let read = from_value("outer", value);
        let of_text = from_text("outer", &value.to_string());
        match (&read, &of_text) {
            (Ok(a), Ok(b)) => assert_eq!(a, b),
            (Err(a), Err(b)) => assert_eq!(a.message(), b.message()),
            (a, b) => panic!("{a:?} but of text {b:?}"),
        }
        read
    }

    #[test]
    fn what_is_written_is_read_back_and_null_is_nothing() {
        let value = json!({
            "items": [{"name": "a", "share": 0.5}, {"name": "b", "share": null}],
            "span": {"start": 1, "end": 2}, "at": 7, "more": {"b": null, "a": [1.5]},
        });
        let outer = read(&value).expect("reads");
        assert_eq!(to_value(&outer), value);
        assert_eq!(
            outer.more.as_ref().map(Json::as_str),
            Some(r#"{"a":[1.5],"b":null}"#)
        );
        let bare = read(&json!({"at": "1970-01-01T00:00:00.007Z", "items": null}));
        assert_eq!(bare.expect("reads").at, outer.at);
    }

    #[test]
    fn errors_name_the_element_and_never_show_what_it_holds() {
        let good = json!({"items": [{"name": "a"}], "span": {"start": 1, "end": 2}, "at": 7});
        for (place, secret, message) in [
            ("/at", json!("secret"), "outer.at: "),
            ("/at", json!([7]), "outer.at: must be a string"),
            ("/at", json!(i64::MAX), "outer.at: "),
            ("/at", Value::Null, "outer.at: is missing"),
            ("/items", json!("secret"), "outer.items: must be an array"),
            (
                "/items/0",
                json!("secret"),
                "outer.items[0]: must be an object",
            ),
            (
                "/items/0/name",
                json!(31415),
                "outer.items[0].name: must be a string",
            ),
            (
                "/items/0/name",
                json!(" "),
                "outer.items[0].name: must not be blank",
            ),
            (
                "/items/0/name",
                Value::Null,
                "outer.items[0].name: is missing",
            ),
            (
                "/span/start",
                json!(-31415),
                "outer.span.start: must be a whole number",
            ),
            (
                "/span/end",
                json!(0),
                "outer.span.end: must not be before start",
            ),
        ] {
            let mut value = good.clone();
            *value.pointer_mut(place).expect("is there") = secret;
            let error = read(&value).expect_err("is wrong");
            assert!(error.message().starts_with(message), "{error}");
            assert!(!error.message().contains("secret"), "{error}");
            assert!(!error.message().contains("31415"), "{error}");
        }
        let error = read(&json!({"at": 7, "items": [{"name": "a", "share": 2}]}));
        let error = error.expect_err("is wrong");
        assert_eq!(error.argument(), Some("outer.items[0].share"));
        assert_eq!(error.problem(), "must be between 0 and 1");
    }
}
