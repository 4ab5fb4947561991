//! Documentation: from the core's rustdoc to the plain text of another language.

/// How a language spells what a text names in backticks: a name of the core, for example
/// `budget_tokens`, `Memory::forget` or `None`, or anything else (`</recalled_memory>`).
pub type Style<'s> = &'s dyn Fn(&str, bool) -> String;

/// The one headed section that other languages have as a paragraph.
const GROWTH: &str = "# Growth";

/// The paragraphs of a documentation, without examples and headed sections but that of
/// the growth, with links turned into plain names.
pub fn paragraphs(docs: &str, style: Style<'_>) -> Vec<String> {
    let mut paragraphs: Vec<String> = Vec::new();
    let mut is_example = false;
    let mut is_new = true;
    for line in docs.lines() {
        let text = line.trim();
        let is_fence = text.starts_with("```");
        is_example ^= is_fence;
        if is_fence || is_example || text.is_empty() {
            is_new = true;
        } else if line == GROWTH {
            paragraphs.push("Growth:".to_owned());
            is_new = false;
        } else if line.starts_with("# ") {
            break;
        } else if let (Some(last), false) =
            (paragraphs.last_mut(), is_new || text.starts_with("- "))
        {
            last.push(' ');
            last.push_str(text);
        } else {
            paragraphs.push(text.to_owned());
            is_new = false;
        }
    }
    let paragraphs = paragraphs.iter().map(|text| plain(text, style));
    paragraphs.collect()
}

/// A text in which code, with its link if it has one, has become what `spell` says; what it
/// does not know stays.
pub fn respelled(text: &str, spell: &dyn Fn(&str) -> Option<String>) -> String {
    respelled_links(text, &|code, _| spell(code))
}

/// As [`respelled`]; what a link leads to is known as well.
fn respelled_links(text: &str, spell: &dyn Fn(&str, &str) -> Option<String>) -> String {
    let mut made = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('`') {
        let Some((code, behind)) = after.split_once('`') else {
            break;
        };
        let linked = before.strip_suffix('[');
        let (target, beyond) = match linked {
            Some(_) => link(behind),
            None => ("", behind),
        };
        let Some(spelled) = spell(code, target) else {
            made.push_str(&rest[..rest.len() - behind.len()]);
            rest = behind;
            continue;
        };
        made.push_str(linked.unwrap_or(before));
        made.push_str(&spelled);
        rest = beyond;
    }
    made + rest
}

/// Where the link leads whose text ended, and what stands behind it.
fn link(rest: &str) -> (&str, &str) {
    let rest = rest.strip_prefix(']').unwrap_or(rest);
    let target = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'));
    target.unwrap_or(("", rest))
}

/// One paragraph with its code spans and links as the language writes them.
fn plain(text: &str, style: Style<'_>) -> String {
    respelled_links(text, &|code, target| {
        let code = code.trim();
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':');
        let is_name = !code.is_empty() && !code.ends_with(':') && code.chars().all(is_part);
        Some(match code.starts_with(is_part) && code.contains('[') {
            true => place(code, style),
            // A link says whose name it is.
            false if is_name && target.contains("::") => style(target, true),
            false => style(code, is_name),
        })
    })
}

/// A place within an argument, as `events[1].session`, with each name as the language writes it.
fn place(code: &str, style: Style<'_>) -> String {
    let is_part =
        |c: char| c.is_ascii_lowercase() || matches!(c, '_' | '.' | '[' | ']' | '0'..='9');
    // What is in an extraction is spelled as its schema spells it.
    if !code.chars().all(is_part) || code.starts_with("entries[") {
        return style(code, false);
    }
    let named = |part: &str| {
        let (name, index) = part.split_at(part.find('[').unwrap_or(part.len()));
        style(name, true).trim_matches('`').to_owned() + index
    };
    let parts: Vec<String> = code.split('.').map(named).collect();
    style(&parts.join("."), false)
}

/// Lines of at most `width` characters. Code spans may be broken at spaces.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// `10,000` of 10000.
pub fn grouped(number: i64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.char_indices() {
        let is_between = index > 0 && (digits.len() - index).is_multiple_of(3);
        if is_between && !text.ends_with('-') {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Every paragraph wrapped, with an empty line between them.
pub fn lines(docs: &str, style: Style<'_>, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in paragraphs(docs, style) {
        let is_item = paragraph.starts_with("- ");
        if !lines.is_empty() && !is_item {
            lines.push(String::new());
        }
        lines.extend(wrapped(&paragraph, width));
    }
    lines
}

/// Lines that begin with the same sign or space; nothing stands at their end.
pub fn prefixed(lines: &[String], sign: &str) -> String {
    let lines = lines.iter().map(|line| format!("{sign}{line}"));
    lines
        .map(|line| line.trim_end().to_owned() + "\n")
        .collect()
}

/// The first paragraph of a documentation, as the core has it.
pub fn first_paragraph(docs: &str) -> &str {
    docs.split("\n\n").next().unwrap_or(docs)
}

/// What a documentation says below `# Errors`.
pub fn errors(docs: &str) -> &str {
    let below = docs.split_once("# Errors").map_or("", |(_, below)| below);
    below.split("\n# ").next().unwrap_or(below).trim()
}

/// The last part of a path: `forget` of `Memory::forget`.
pub fn last(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}

/// The function that most languages have for a constant of the core.
pub fn function_for(code: &str) -> Option<&'static str> {
    (last(code) == "EXTRACTION_SCHEMA").then_some("extraction_schema")
}

/// `budgetTokens` of `budget_tokens`; a type or a constant stays as it is.
pub fn camel(name: &str) -> String {
    if name.chars().any(char::is_uppercase) {
        return name.to_owned();
    }
    let mut words = name.split('_');
    let mut text = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        text.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        text.push_str(letters.as_str());
    }
    text
}

/// `taskDetail` of `TaskDetail`.
pub fn lower_camel(name: &str) -> String {
    camel(&snake(name))
}

/// `TaskDetail` of `taskDetail`.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// `whether it is` of `Whether it is`.
pub fn lowered(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| {
        first.to_lowercase().chain(letters).collect()
    })
}

/// `task_detail` of `TaskDetail`.
pub fn snake(name: &str) -> String {
    let mut text = String::new();
    let mut before = '_';
    for letter in name.chars() {
        if letter.is_uppercase() && before.is_lowercase() {
            text.push('_');
        }
        text.push(letter.to_ascii_lowercase());
        before = letter;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(code: &str, is_name: bool) -> String {
        match is_name {
            true => format!("<{}>", last(code)),
            false => format!("({code})"),
        }
    }

    #[test]
    fn links_become_names_and_examples_go() {
        let docs = "Given to [`Memory::search`](crate::Memory::search), see\n\
                    [`Hit`] and `a b`.\n\n```\n# let x = 1;\n```\nMore.\n\n# Errors\nNone.";
        let expected = ["Given to <search>, see <Hit> and (a b).", "More."];
        assert_eq!(paragraphs(docs, &marked), expected);
    }

    #[test]
    fn the_growth_is_a_paragraph() {
        let docs = "A task.\n\n# Growth\nBy result,\nof `a b`.\n\n# Errors\nNone.";
        let expected = ["A task.", "Growth: By result, of (a b)."];
        assert_eq!(paragraphs(docs, &marked), expected);
    }

    #[test]
    fn constants_become_their_values() {
        let value = |name: &str| (name == "MOST").then(|| "1,000".to_owned());
        let docs = "1 to [`MOST`](crate::MOST) (of `MOST`) or [`Hit`](x), `a";
        let expected = "1 to 1,000 (of 1,000) or [`Hit`](x), `a";
        assert_eq!(respelled(docs, &value), expected);
    }

    #[test]
    fn a_lonely_bracket_or_backtick_stays() {
        assert_eq!(paragraphs("[n] and 1 ` 2", &marked), ["[n] and 1 ` 2"]);
    }

    #[test]
    fn names_change_their_letter_case() {
        assert_eq!(camel("budget_tokens"), "budgetTokens");
        assert_eq!(camel("TaskStatus"), "TaskStatus");
        assert_eq!(snake("TaskStatus"), "task_status");
        assert_eq!(snake("L0"), "l0");
    }
}
