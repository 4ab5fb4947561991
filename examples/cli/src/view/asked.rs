//! Reads the parameters of a request; errors name the argument.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use axum::extract::{FromRequestParts, Query};
use axum::http::request::Parts;
use jiff::tz::TimeZone;
use recallite::scope::ProjectScope;
use recallite::{EventKind, Json, Timestamp};
use serde_json::{Map, Value};

use super::refused::Refused;
use crate::time::moment_utc;

/// The longest list that one request returns.
pub(super) const MAX_LISTED: usize = 100_000;

/// The query parameters of an address.
#[derive(Debug)]
pub(super) struct Asked(BTreeMap<String, String>);

impl<S: Sync> FromRequestParts<S> for Asked {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Refused> {
        let pairs = Query::<Vec<(String, String)>>::try_from_uri(&parts.uri)
            .map_err(|_| Refused::wrong("the query string of the address cannot be read"))?;
        let mut asked = BTreeMap::new();
        for (name, value) in pairs.0 {
            if asked.contains_key(&name) {
                return Err(Refused::wrong(format!("{name}: must be given only once")));
            }
            asked.insert(name, value);
        }
        Ok(Asked(asked))
    }
}

impl Asked {
    /// Refuses unknown parameters: a misspelt filter must not show everything.
    pub(super) fn only(&self, known: &[&str]) -> Result<(), Refused> {
        match self.0.keys().find(|name| !known.contains(&name.as_str())) {
            None => Ok(()),
            Some(name) => Err(unknown(name, known)),
        }
    }

    /// A string that is given and not empty.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.0
            .get(name)
            .map(String::as_str)
            .filter(|text| !text.is_empty())
    }

    pub(super) fn number(
        &self,
        name: &str,
        default: usize,
        range: RangeInclusive<usize>,
    ) -> Result<usize, Refused> {
        let Some(text) = self.text(name) else {
            return Ok(default);
        };
        in_range(name, text.parse().ok(), &range)
    }

    /// A time zone by its name, such as `Asia/Seoul`; UTC if none is given.
    pub(super) fn zone(&self, name: &str) -> Result<TimeZone, Refused> {
        let zone = self.text(name).map(TimeZone::get).transpose();
        let zone = zone.map_err(|_| {
            Refused::wrong(format!("{name}: no time zone of this name is known here"))
        })?;
        Ok(zone.unwrap_or(TimeZone::UTC))
    }

    pub(super) fn flag(&self, name: &str) -> Result<bool, Refused> {
        match self.text(name) {
            None | Some("false" | "0") => Ok(false),
            Some("true" | "1") => Ok(true),
            Some(_) => Err(Refused::wrong(format!("{name}: must be true or false"))),
        }
    }

    /// A value of one of the library's enumerations.
    pub(super) fn word<T: std::str::FromStr<Err = recallite::Error>>(
        &self,
        name: &str,
    ) -> Result<Option<T>, Refused> {
        self.text(name)
            .map(|text| {
                text.parse()
                    .map_err(|e: recallite::Error| e.about(name).into())
            })
            .transpose()
    }

    /// An empty project is "no project"; a missing one is every project.
    pub(super) fn scope(&self) -> ProjectScope {
        scope(self.0.get("project").map(String::as_str))
    }

    /// The event kinds; those of a conversation if none is given.
    pub(super) fn kinds(&self, name: &str) -> Result<Vec<EventKind>, Refused> {
        match self.text(name) {
            None => Ok(conversation()),
            Some(names) => kinds(name, names.split(',')),
        }
    }
}

/// The event kinds of a conversation.
pub(super) fn conversation() -> Vec<EventKind> {
    let kinds = EventKind::ALL.iter().copied();
    kinds.filter(|kind| kind.is_conversation()).collect()
}

fn kinds<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Result<Vec<EventKind>, Refused> {
    names
        .map(|kind| {
            let parsed = kind.trim().parse::<EventKind>();
            parsed.map_err(|error| error.about(name).into())
        })
        .collect()
}

/// The JSON object of a request's body.
#[derive(Debug)]
pub(super) struct Given(Map<String, Value>);

impl Given {
    pub(super) fn new(body: &[u8], known: &[&str]) -> Result<Given, Refused> {
        let text =
            std::str::from_utf8(body).map_err(|_| Refused::wrong("the body is not valid UTF-8"))?;
        let value = serde_json::from_str(text)
            .map_err(|error| Refused::wrong(format!("the body is not valid JSON: {error}")))?;
        Json::parse("body", text)?;
        match value {
            Value::Object(fields) => Given::of(fields, known),
            _ => Err(Refused::wrong("the body must be a JSON object")),
        }
    }

    /// Refuses a body where none is needed, unless it is an empty object.
    pub(super) fn nothing(body: &[u8]) -> Result<(), Refused> {
        match body.is_empty() {
            true => Ok(()),
            false => Given::new(body, &[]).map(drop),
        }
    }

    fn of(fields: Map<String, Value>, known: &[&str]) -> Result<Given, Refused> {
        match fields.keys().find(|name| !known.contains(&name.as_str())) {
            None => Ok(Given(fields)),
            Some(name) => Err(unknown(name, known)),
        }
    }

    fn field(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// A nested object; empty if it is missing.
    pub(super) fn inside(&self, name: &str, known: &[&str]) -> Result<Given, Refused> {
        match self.field(name) {
            None => Given::of(Map::new(), known),
            Some(Value::Object(fields)) => Given::of(fields.clone(), known),
            Some(_) => Err(Refused::wrong(format!("{name}: must be an object"))),
        }
    }

    pub(super) fn text(&self, name: &str) -> Result<Option<&str>, Refused> {
        match self.field(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(Refused::wrong(format!("{name}: must be a string"))),
        }
    }

    pub(super) fn texts(&self, name: &str) -> Result<Option<Vec<&str>>, Refused> {
        let wrong = || Refused::wrong(format!("{name}: must be a list of strings"));
        match self.field(name) {
            None => Ok(None),
            Some(Value::Array(items)) => {
                let texts = items.iter().map(|item| item.as_str().ok_or_else(wrong));
                texts.collect::<Result<_, _>>().map(Some)
            }
            Some(_) => Err(wrong()),
        }
    }

    pub(super) fn number(
        &self,
        name: &str,
        default: usize,
        range: RangeInclusive<usize>,
    ) -> Result<usize, Refused> {
        match self.field(name) {
            None => Ok(default),
            Some(value) => {
                let number = value.as_u64();
                let number = number.and_then(|number| usize::try_from(number).ok());
                in_range(name, number, &range)
            }
        }
    }

    pub(super) fn count(&self, name: &str) -> Result<Option<u64>, Refused> {
        self.field(name)
            .map(|value| {
                let wrong = || Refused::wrong(format!("{name}: must be a whole number"));
                value.as_u64().ok_or_else(wrong)
            })
            .transpose()
    }

    /// A fraction from 0 to 1.
    pub(super) fn share(&self, name: &str) -> Result<Option<f32>, Refused> {
        self.field(name)
            .map(|value| {
                let share = value.as_f64().filter(|share| (0.0..=1.0).contains(share));
                let wrong = || Refused::wrong(format!("{name}: must be a number from 0 to 1"));
                share.map(|share| share as f32).ok_or_else(wrong)
            })
            .transpose()
    }

    pub(super) fn flag(&self, name: &str) -> Result<bool, Refused> {
        match self.field(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(Refused::wrong(format!("{name}: must be true or false"))),
        }
    }

    /// A flag without which the request would say nothing.
    pub(super) fn required_flag(&self, name: &str) -> Result<bool, Refused> {
        match self.field(name) {
            None => Err(Refused::wrong(format!("{name}: is required"))),
            Some(_) => self.flag(name),
        }
    }

    /// A moment. A date is the start of that day in UTC: whoever asks may be elsewhere than this
    /// machine.
    pub(super) fn moment(&self, name: &str) -> Result<Option<Timestamp>, Refused> {
        self.text(name)?
            .map(|text| moment_utc(text).map_err(|why| Refused::wrong(format!("{name}: {why}"))))
            .transpose()
    }

    pub(super) fn kinds(&self, name: &str) -> Result<Vec<EventKind>, Refused> {
        kinds(name, self.texts(name)?.unwrap_or_default().into_iter())
    }

    /// A missing project means every project.
    pub(super) fn scope(&self) -> Result<ProjectScope, Refused> {
        Ok(scope(self.text("project")?))
    }
}

fn unknown(name: &str, known: &[&str]) -> Refused {
    let name: String = name.chars().take(40).collect();
    Refused::wrong(match known.is_empty() {
        true => format!("unknown parameter {name:?}; none are allowed here"),
        false => format!(
            "unknown parameter {name:?}; the known ones are {}",
            known.join(", ")
        ),
    })
}

/// A number that was given; refused if it is none or outside of the range.
fn in_range(
    name: &str,
    number: Option<usize>,
    range: &RangeInclusive<usize>,
) -> Result<usize, Refused> {
    number
        .filter(|number| range.contains(number))
        .ok_or_else(|| {
            let (least, most) = (range.start(), range.end());
            Refused::wrong(match *most {
                usize::MAX if *least == 0 => format!("{name}: must be a whole number"),
                usize::MAX => format!("{name}: must be a whole number, {least} or more"),
                _ => format!("{name}: must be a whole number from {least} to {most}"),
            })
        })
}

/// The projects of a request: the one that it names, or all.
fn scope(project: Option<&str>) -> ProjectScope {
    project.map_or(ProjectScope::All, |name| {
        ProjectScope::Named(name.to_owned())
    })
}
