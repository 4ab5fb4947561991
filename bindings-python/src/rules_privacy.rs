//! Rules about privacy: what is removed from a text before it is stored.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use recallite::privacy::PrivacyConfig;
use recallite::rules::plain;

use crate::argument::{self, Given, optional};
use crate::convert::{FromPython, give};
use crate::rules::rule;

/// Filters a text as it is done before storing it: removes private sections, secrets and,
/// with `anonymize`, personal data. The options are those of a memory; with `exact_tags`, what
/// only looks like a private tag hides nothing. With this, `auto_detect=False` and
/// `code_aware=False`, the filter is exactly the specification's.
#[pyfunction]
#[pyo3(
    signature = (text, *, exact_tags=None, **options),
    text_signature = "(text, *, exact_tags=False, private_tags=True, formats='xml', marker='[PRIVATE]', \
                      preserve_line_count=False, exclude_patterns=('password', 'secret', \
                      'api_key', 'token', 'bearer'), auto_detect=True, \
                      auto_detect_patterns=(), code_aware=True, anonymize=False)"
)]
pub(crate) fn filter_text<'py>(
    py: Python<'py>,
    text: &Bound<'py, PyAny>,
    exact_tags: Given<'py>,
    options: Option<Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let arguments = || {
        let options = options.unwrap_or_else(|| PyDict::new(py));
        let config = PrivacyConfig::from_python(options.as_any(), "")?;
        let exact = optional(&exact_tags, "exact_tags", argument::boolean)?;
        let text = argument::text(text, "text")?;
        Ok((text, config, exact.unwrap_or_default()))
    };
    rule(
        py,
        "filter_text",
        arguments,
        |(text, config, exact)| plain::filter_text(&text, &config, exact),
        give,
    )
}
