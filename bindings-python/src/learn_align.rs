//! Quotes of evidence, which may be given as pairs.

use pyo3::prelude::*;
use recallite::rules::align::EvidenceQuote;

use crate::argument;
use crate::convert::{Class, FromPython};
use crate::fields::Fields;

/// A pair of message index and text, or an object with these fields.
impl FromPython for EvidenceQuote {
    fn from_python(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Self> {
        if let Ok((index, text)) = value.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>() {
            let index = argument::made_up_index(&index, &format!("{name}[0]"))?;
            let text = argument::text(&text, &format!("{name}[1]"))?;
            return Ok(EvidenceQuote::new(index, text));
        }
        static CLASS: Class = Class::new("EvidenceQuote");
        let known = ["message_index", "quote"];
        let fields = Fields::of_class(value, name, &CLASS, None, &known)?;
        let quote: String = fields.take("quote")?;
        let index = fields.required("message_index", argument::made_up_index)?;
        Ok(EvidenceQuote::new(index, quote))
    }
}
