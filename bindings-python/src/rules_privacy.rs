//! Rules about privacy: what is removed from a text before it is stored.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use recallite::privacy::{self, PrivacyConfig, PrivacyFilter, SecretRules, TagFormat};

use crate::argument::{self, Given, optional};
use crate::convert::{FromPython, give};
use crate::rules::{class, rule};

/// Removes the private sections from a text. `formats`: `xml`, `bracket`, `comment`;
/// `marker`: `[PRIVATE]`, `[REDACTED]` or nothing. With `preserve_line_count`, the lines
/// after a section keep their numbers.
#[pyfunction]
#[pyo3(
    signature = (text, *, formats=None, marker=None, preserve_line_count=None),
    text_signature = "(text, *, formats='xml', marker='[PRIVATE]', preserve_line_count=False)"
)]
pub(crate) fn remove_private_sections<'py>(
    py: Python<'py>,
    text: &Bound<'py, PyAny>,
    formats: Given<'py>,
    marker: Given<'py>,
    preserve_line_count: Given<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let arguments = || {
        let name = "preserve_line_count";
        Ok((
            argument::text(text, "text")?,
            optional(&formats, "formats", Vec::from_python)?.unwrap_or(vec![TagFormat::Xml]),
            optional(&marker, "marker", argument::word)?.unwrap_or_default(),
            optional(&preserve_line_count, name, argument::boolean)?.unwrap_or_default(),
        ))
    };
    rule(
        py,
        "remove_private_sections",
        arguments,
        |(text, formats, marker, keeps_lines)| {
            let found = privacy::remove_private_sections(&text, &formats, marker, keeps_lines);
            Ok((found.text.into_owned(), found.private_count, found.unclosed))
        },
        |py, found| class(py, "PrivateRemoved")?.call1(found),
    )
}

/// Masks the secrets in a text. `code_aware`: in source code, only quoted or random-looking
/// values are secrets. `key_formats`: well-known kinds of keys are recognised by their
/// form.
#[pyfunction]
#[pyo3(
    signature = (text, *, code_aware=None, key_formats=None),
    text_signature = "(text, *, code_aware=True, key_formats=True)"
)]
pub(crate) fn mask_secrets<'py>(
    py: Python<'py>,
    text: &Bound<'py, PyAny>,
    code_aware: Given<'py>,
    key_formats: Given<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let arguments = || {
        let default = SecretRules::default();
        let aware = optional(&code_aware, "code_aware", argument::boolean)?;
        let formats = optional(&key_formats, "key_formats", argument::boolean)?;
        let rules = SecretRules {
            code_aware: aware.unwrap_or(default.code_aware),
            key_formats: formats.unwrap_or(default.key_formats),
        };
        Ok((argument::text(text, "text")?, rules))
    };
    rule(
        py,
        "mask_secrets",
        arguments,
        |(text, rules)| {
            let masked = privacy::mask_secrets(&text, rules);
            Ok((masked.text.into_owned(), masked.secret_count))
        },
        |py, masked| class(py, "Masked")?.call1(masked),
    )
}

/// Filters a text as it is done before storing it: removes private sections, secrets and,
/// with `anonymize`, personal data. The options are those of a memory.
#[pyfunction]
#[pyo3(
    signature = (text, **options),
    text_signature = "(text, *, private_tags=True, formats='xml', marker='[PRIVATE]', \
                      preserve_line_count=False, exclude_patterns=('password', 'secret', \
                      'api_key', 'token', 'bearer'), auto_detect=True, \
                      auto_detect_patterns=(), code_aware=True, anonymize=False)"
)]
pub(crate) fn filter_text<'py>(
    py: Python<'py>,
    text: &Bound<'py, PyAny>,
    options: Option<Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let arguments = || {
        let options = options.unwrap_or_else(|| PyDict::new(py));
        let config = PrivacyConfig::from_python(options.as_any(), "")?;
        Ok((argument::text(text, "text")?, config))
    };
    rule(
        py,
        "filter_text",
        arguments,
        |(text, config)| Ok(PrivacyFilter::new(config)?.text(&text)),
        |py, filtered| {
            let fields = (
                filtered.text.as_str(),
                give(py, filtered.report)?,
                PyTuple::new(py, filtered.warnings)?,
            );
            class(py, "Filtered")?.call1(fields)
        },
    )
}
