//! How messages show what the caller named. Messages get into logs, and what was named by mistake
//! may be a text that belongs into none: at most a short piece of it is shown.

use std::path::Path;

/// The longest name that is shown whole, in bytes. The names of this library are shorter.
const MAX_NAME_BYTES: usize = 100;
const CUT: &str = " [...] ";

/// A name; the middle of a long one is left out.
pub(crate) fn short(name: &str) -> String {
    if name.len() <= MAX_NAME_BYTES {
        return name.to_owned();
    }
    let head = name.floor_char_boundary(MAX_NAME_BYTES / 2);
    let tail = name.ceil_char_boundary(name.len() - MAX_NAME_BYTES / 4);
    format!("{}{CUT}{}", &name[..head], &name[tail..])
}

/// Like [`short`], in quotes.
pub(crate) fn quoted(name: &str) -> String {
    format!("{:?}", short(name))
}

/// A path. The text of a file that was given instead of its path is not shown at all: an export
/// begins with the store's secret.
pub(crate) fn place(path: &Path) -> String {
    match is_text(path) {
        true => format!(
            "(a text of {} bytes, not a path)",
            path.as_os_str().as_encoded_bytes().len()
        ),
        false => path.display().to_string(),
    }
}

/// Whether this is JSON or has several lines, as the text of a file and hardly any path.
pub(crate) fn is_text(path: &Path) -> bool {
    let bytes = path.as_os_str().as_encoded_bytes();
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let bytes = bytes.trim_ascii();
    bytes.starts_with(b"{\"") || bytes.contains(&b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_name_its_ends_are_shown() {
        assert_eq!(short("mem:abc123"), "mem:abc123");
        let long = short(&format!("The beginning {} the end", "결제 ".repeat(5_000)));
        assert!(long.starts_with("The beginning 결제"), "{long}");
        assert!(long.ends_with("the end"), "{long}");
        assert!(long.len() <= MAX_NAME_BYTES, "{long}");
        assert_eq!(quoted("a \"b\""), r#""a \"b\"""#);
    }

    #[test]
    fn a_text_is_not_shown_as_a_path() {
        for text in [
            r#"{"recallite":3,"secret":"6f66"}"#,
            "\u{feff}{\"recallite\":3}",
            "  {\"a\": 1}",
            "private\nlines",
        ] {
            let shown = place(Path::new(text));
            assert_eq!(
                shown,
                format!("(a text of {} bytes, not a path)", text.len())
            );
        }
        for path in ["/home/ada/{name}.jsonl", "C:\\shop", "{a}", "line\n"] {
            assert_eq!(place(Path::new(path)), path);
        }
    }
}
