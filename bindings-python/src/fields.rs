//! The fields of a `dict` or of one of the package's classes, read by name.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping};

use crate::argument::{Given, key_of, optional};
use crate::convert::{Class, FromPython};
use crate::failure::{not_of_type, wrong_type};

/// The given fields, and how errors name them.
pub(crate) struct Fields<'py> {
    given: Bound<'py, PyDict>,
    /// For example `events[3].`; empty for keyword arguments.
    prefix: String,
}

impl<'py> Fields<'py> {
    /// The keyword arguments of a call.
    pub(crate) fn keywords(given: Bound<'py, PyDict>, known: &[&str]) -> PyResult<Self> {
        Fields::checked(given, "", String::new(), known)
    }

    /// The keyword arguments of a call, if any.
    pub(crate) fn given_to(
        py: Python<'py>,
        given: Option<Bound<'py, PyDict>>,
        known: &[&str],
    ) -> PyResult<Self> {
        Fields::keywords(given.unwrap_or_else(|| PyDict::new(py)), known)
    }

    /// The fields of `value`: an instance of one of `classes`, or a mapping with no other
    /// fields than `known`. Errors put `prefix` in front of field names.
    pub(crate) fn of(
        value: &Bound<'py, PyAny>,
        name: &str,
        prefix: String,
        classes: &[&Bound<'py, PyAny>],
        known: &[&str],
        expected: &str,
    ) -> PyResult<Self> {
        let given = match value.cast::<PyDict>() {
            Ok(given) => given.clone(),
            Err(_) => PyDict::new(value.py()),
        };
        let mut is_known = false;
        for class in classes {
            is_known |= value.is_instance(class)?;
        }
        if is_known {
            for field in known {
                given.set_item(field, value.getattr(*field)?)?;
            }
        } else if !value.is(&given) {
            match value.cast::<PyMapping>() {
                Ok(mapping) => given.update(mapping)?,
                Err(_) => return Err(wrong_type(name, expected, value)),
            }
        }
        Fields::checked(given, name, prefix, known)
    }

    /// The fields of `value`: an instance of `class`, or a mapping with no other fields than
    /// `known`. An instance of `like` has all of them. Without a `name`, errors name the
    /// bare fields.
    pub(crate) fn of_class(
        value: &Bound<'py, PyAny>,
        name: &str,
        class: &'static Class,
        like: Option<&'static Class>,
        known: &[&str],
    ) -> PyResult<Self> {
        let prefix = match name {
            "" => String::new(),
            name => format!("{name}."),
        };
        let names = like.into_iter().chain([class]).map(Class::name);
        let expected = format!("{} or a dict", names.collect::<Vec<_>>().join(", "));
        let mut classes = vec![class.get(value.py())?];
        if let Some(like) = like {
            classes.push(like.get(value.py())?);
        }
        Fields::of(value, name, prefix, &classes, known, &expected)
    }

    /// A required field.
    pub(crate) fn take<T: FromPython>(&self, field: &str) -> PyResult<T> {
        self.required(field, T::from_python)
    }

    /// An optional field.
    pub(crate) fn given<T: FromPython>(&self, field: &str) -> PyResult<Option<T>> {
        self.optional(field, T::from_python)
    }

    /// Replaces a default by a given field.
    pub(crate) fn replace<T: FromPython>(&self, field: &str, place: &mut T) -> PyResult<()> {
        self.replace_by(field, T::from_python, place)
    }

    /// Like [`Fields::replace`], with a custom conversion.
    pub(crate) fn replace_by<T>(
        &self,
        field: &str,
        read: impl FnOnce(&Bound<'py, PyAny>, &str) -> PyResult<T>,
        place: &mut T,
    ) -> PyResult<()> {
        if let Some(given) = self.optional(field, read)? {
            *place = given;
        }
        Ok(())
    }

    /// Sets an optional value from a given field.
    pub(crate) fn put<T: FromPython>(&self, field: &str, place: &mut Option<T>) -> PyResult<()> {
        self.put_by(field, T::from_python, place)
    }

    /// Like [`Fields::put`], with a custom conversion.
    pub(crate) fn put_by<T>(
        &self,
        field: &str,
        read: impl FnOnce(&Bound<'py, PyAny>, &str) -> PyResult<T>,
        place: &mut Option<T>,
    ) -> PyResult<()> {
        if let Some(given) = self.optional(field, read)? {
            *place = Some(given);
        }
        Ok(())
    }

    fn checked(
        given: Bound<'py, PyDict>,
        name: &str,
        prefix: String,
        known: &[&str],
    ) -> PyResult<Self> {
        for key in given.keys() {
            // Only a call's keywords have no name.
            let key = key_of(&key, if name.is_empty() { "keywords" } else { name })?;
            if !known.contains(&key.as_str()) {
                let public = known.iter().filter(|name| !name.starts_with('_'));
                let public: Vec<&str> = public.copied().collect();
                return Err(not_of_type(
                    given.py(),
                    &format!("{prefix}{key}"),
                    format_args!("is unknown; known fields are {}", public.join(", ")),
                ));
            }
        }
        Ok(Fields { given, prefix })
    }

    pub(crate) fn name(&self, field: &str) -> String {
        format!("{}{field}", self.prefix)
    }

    pub(crate) fn get(&self, field: &str) -> PyResult<Given<'py>> {
        self.given.get_item(field)
    }

    pub(crate) fn required<T>(
        &self,
        field: &str,
        convert: impl FnOnce(&Bound<'py, PyAny>, &str) -> PyResult<T>,
    ) -> PyResult<T> {
        let name = self.name(field);
        match self.get(field)? {
            Some(value) => convert(&value, &name),
            None => Err(not_of_type(self.given.py(), &name, "is missing")),
        }
    }

    pub(crate) fn optional<T>(
        &self,
        field: &str,
        convert: impl FnOnce(&Bound<'py, PyAny>, &str) -> PyResult<T>,
    ) -> PyResult<Option<T>> {
        optional(&self.get(field)?, &self.name(field), convert)
    }
}
