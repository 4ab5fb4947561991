//! Reads the arguments of a call one by one: errors name the argument, and misspelt ones are
//! reported.

use recallite::scope::ProjectScope;
use serde_json::{Map, Value};

use super::tools::arguments_of;
use crate::failure::{Failure, Outcome};

pub(super) struct Given(Map<String, Value>);

/// Other names of arguments, which are not listed: those of the memory server that clients may know
/// already. In a tool that has no argument of the second name, they are unknown.
const ALIASES: [(&str, &str); 5] = [
    ("topK", "limit"),
    ("eventType", "kind"),
    ("sessionId", "session"),
    ("ids", "memories"),
    ("windowSize", "window"),
];

/// Up to this number, a number with a point is the number that was written.
const MAX_WHOLE: f64 = 9_007_199_254_740_991.0;

impl Given {
    /// Wraps the arguments of a tool, all of which must be known.
    pub(super) fn of(tool: &str, arguments: Map<String, Value>) -> Outcome<Given> {
        Given::new(arguments, &arguments_of(tool))
    }

    fn new(mut arguments: Map<String, Value>, known: &[&str]) -> Outcome<Given> {
        for (alias, name) in ALIASES {
            // An argument under both names stays unknown under the other one.
            if known.contains(&name)
                && arguments.get(name).is_none_or(Value::is_null)
                && let Some(value) = arguments.remove(alias)
            {
                arguments.insert(name.to_owned(), value);
            }
        }
        match arguments
            .keys()
            .find(|name| !known.contains(&name.as_str()))
        {
            Some(_) if known.is_empty() => Err(Failure::usage("this tool takes no arguments")),
            Some(name) => {
                // It may be anything that a model made up.
                let shown: String = name.chars().take(100).collect();
                Err(Failure::usage(format!(
                    "unknown argument {shown:?}; the known ones are {}",
                    known.join(", ")
                )))
            }
            None => Ok(Given(arguments)),
        }
    }

    /// A string, or `None` if it is missing, null or blank.
    pub(super) fn text(&self, name: &str) -> Outcome<Option<&str>> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => {
                Ok(Some(text.as_str()).filter(|text| !text.trim().is_empty()))
            }
            Some(_) => Err(Failure::usage(format!("{name}: must be a string"))),
        }
    }

    pub(super) fn required(&self, name: &str) -> Outcome<&str> {
        self.text(name)?
            .ok_or_else(|| Failure::usage(format!("{name}: is required")))
    }

    pub(super) fn number(&self, name: &str, default: usize) -> Outcome<usize> {
        Ok(self.number_if_given(name)?.unwrap_or(default))
    }

    /// A whole number, also as a number with a point and nothing behind it: to a JSON schema, 5.0
    /// is an integer.
    pub(super) fn number_if_given(&self, name: &str) -> Outcome<Option<usize>> {
        let wrong = || Failure::usage(format!("{name}: must be a whole number, 0 or more"));
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => {
                let whole = value.as_u64().or_else(|| {
                    let number = value.as_f64()?;
                    let is_whole = number.fract() == 0.0 && (0.0..=MAX_WHOLE).contains(&number);
                    is_whole.then_some(number as u64)
                });
                let whole = whole.and_then(|number| usize::try_from(number).ok());
                whole.map(Some).ok_or_else(wrong)
            }
        }
    }

    pub(super) fn flag(&self, name: &str) -> Outcome<bool> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(Failure::usage(format!("{name}: must be true or false"))),
        }
    }

    /// Strings; models often send a single one where a list is expected.
    pub(super) fn texts(&self, name: &str) -> Outcome<Vec<String>> {
        let wrong = || Failure::usage(format!("{name}: must be a list of strings"));
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::String(text)) => Ok(vec![text.clone()]),
            Some(Value::Array(items)) => items
                .iter()
                .map(|item| item.as_str().map(str::to_owned).ok_or_else(wrong))
                .collect(),
            Some(_) => Err(wrong()),
        }
    }

    /// The JSON text of an argument that is an object, or JSON text itself.
    pub(super) fn json(&self, name: &str) -> Outcome<Option<String>> {
        match self.0.get(name) {
            Some(object @ Value::Object(_)) => Ok(Some(object.to_string())),
            None | Some(Value::Null | Value::String(_)) => Ok(self.text(name)?.map(str::to_owned)),
            Some(_) => Err(Failure::usage(format!("{name}: must be an object"))),
        }
    }

    /// The named project; `*` means all of them.
    pub(super) fn project(&self) -> Outcome<(Option<&str>, ProjectScope)> {
        Ok(match self.text("project")? {
            Some("*") => (None, ProjectScope::All),
            named => (named, ProjectScope::Own),
        })
    }

    /// The named project, for what belongs to one.
    pub(super) fn one_project(&self) -> Outcome<Option<&str>> {
        match self.project()? {
            (_, ProjectScope::All) => Err(Failure::usage("project: must be a single project")),
            (named, _) => Ok(named),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn given(value: &Value) -> Outcome<Given> {
        Given::new(
            value.as_object().cloned().unwrap(),
            &["query", "limit", "memories"],
        )
    }

    #[test]
    fn wrong_arguments_are_named() {
        let said = given(&json!({"qeury": "x"})).err().unwrap().message();
        assert!(said.contains("unknown argument \"qeury\""), "{said}");
        let none = json!({"project": "x"}).as_object().cloned().unwrap();
        let said = Given::new(none, &[]).err().unwrap().message();
        assert!(said.contains("takes no arguments"), "{said}");
        let wrong = given(&json!({"query": 7, "limit": "many", "memories": [1]})).unwrap();
        for said in [
            wrong.required("query").unwrap_err().message(),
            wrong.number("limit", 1).unwrap_err().message(),
            wrong.texts("memories").unwrap_err().message(),
        ] {
            assert!(said.contains(": must be"), "{said}");
        }
        let other = given(&json!({"ids": ["mem:a7Bc3x"], "topK": 3})).unwrap();
        assert_eq!(other.texts("memories").unwrap(), ["mem:a7Bc3x"]);
        assert_eq!(other.number("limit", 5).unwrap(), 3);
        for wrong in [json!({"topK": 3, "limit": 5}), json!({"windowSize": 3})] {
            let said = given(&wrong).err().unwrap().message();
            assert!(said.contains("unknown argument"), "{said}");
        }
        let right = given(&json!({"memories": "mem:a7Bc3x", "limit": null})).unwrap();
        assert_eq!(right.texts("memories").unwrap(), ["mem:a7Bc3x"]);
        assert_eq!(right.number("limit", 5).unwrap(), 5);
        let whole = given(&json!({"limit": 5.0})).unwrap();
        assert_eq!(whole.number("limit", 1).unwrap(), 5);
        for limit in [json!(5.5), json!(-1), json!(-1.0), json!(1e300)] {
            let wrong = given(&json!({ "limit": limit })).unwrap();
            assert!(wrong.number("limit", 1).is_err(), "{limit}");
        }
        let list = given(&json!({"query": [1]})).unwrap();
        let said = list.json("query").unwrap_err().message();
        assert!(said.contains("must be an object"), "{said}");
        assert!(right.required("query").is_err());
    }
}
