//! What messages name, for bindings that call it otherwise.

/// A message, warning or remedy of the library as another language has it: with its functions
/// (`tasks.change_status()`) and its options (between backticks) called as there.
///
/// `function` is given the name in front of `()`, perhaps behind its area, and returns what
/// stands in its place; `option` is given what stands between backticks if it is a name.
///
/// ```
/// let message = "call compact(), or raise `quota_bytes`";
/// let loud = recallite::respelled(message, |name| format!("{}!", name.to_uppercase()), str::to_uppercase);
/// assert_eq!(loud, "call COMPACT!, or raise `QUOTA_BYTES`");
/// ```
pub fn respelled(
    message: &str,
    function: impl Fn(&str) -> String,
    option: impl Fn(&str) -> String,
) -> String {
    let mut text = String::with_capacity(message.len());
    for (index, part) in message.split('`').enumerate() {
        let is_marked = index % 2 == 1;
        if index > 0 {
            text.push('`');
        }
        match is_marked && part.chars().all(|c| is_of_name(c) || "[]".contains(c)) {
            true => text.push_str(&option(part)),
            false => with_functions(part, &function, &mut text),
        }
    }
    text
}

fn with_functions(message: &str, function: impl Fn(&str) -> String, text: &mut String) {
    let mut parts = message.split("()").peekable();
    while let Some(part) = parts.next() {
        let (before, name) = part.split_at(part.trim_end_matches(is_of_name).len());
        text.push_str(before);
        match parts.peek() {
            Some(_) if name.is_empty() => text.push_str("()"),
            Some(_) => text.push_str(&function(name)),
            None => text.push_str(name),
        }
    }
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_and_options_are_told_from_other_words() {
        let spelled = |message: &str| {
            let function = |name: &str| format!("<{name}>");
            respelled(message, function, str::to_uppercase)
        };
        for (message, expected) in [
            (
                "call tasks.list() or compact()",
                "call <tasks.list> or <compact>",
            ),
            (
                "give `retention_ms[prompt]`, a `word`",
                "give `RETENTION_MS[PROMPT]`, a `WORD`",
            ),
            (
                "run `recallite doctor` or `check()`",
                "run `recallite doctor` or `<check>`",
            ),
            (
                "Rust's () and an open ` mark",
                "Rust's () and an open ` mark",
            ),
        ] {
            assert_eq!(spelled(message), expected);
        }
    }
}
