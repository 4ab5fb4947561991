//! Where a place in a text stands: on which line, in which string, in source
//! code or in prose. Answers are lazy and bounded, so that asking for every
//! place keeps the whole work linear.

use std::cell::OnceCell;

use super::shape::{head, is_code_word};

/// How far a line is looked at to each side.
const LINE_LOOK: usize = 1024;
/// How far the neighbourhood is looked at to each side.
const AROUND: usize = 1200;

/// A text and what was found out about it so far.
pub(super) struct Surroundings<'t> {
    pub(super) text: &'t str,
    fences: OnceCell<Vec<Fence>>,
}

struct Fence {
    start: usize,
    end: usize,
    language: FenceLanguage,
}

#[derive(Clone, Copy, PartialEq)]
enum FenceLanguage {
    /// A programming language.
    Code,
    /// Settings, data or logs.
    Data,
    /// Not said.
    Unknown,
}

impl<'t> Surroundings<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Surroundings {
            text,
            fences: OnceCell::new(),
        }
    }

    /// The part of the line before `at`.
    pub(super) fn line_before(&self, at: usize) -> &'t str {
        let from = self.text.floor_char_boundary(at.saturating_sub(LINE_LOOK));
        let before = &self.text[from..at];
        let line = before.rfind('\n').map_or(before, |end| &before[end + 1..]);
        without_line_number(line)
    }

    /// The part of the line from `at` on, without the line end.
    pub(super) fn line_after(&self, at: usize) -> &'t str {
        let after = head(&self.text[at..], LINE_LOOK);
        let line = after.find('\n').map_or(after, |end| &after[..end]);
        line.trim_end_matches('\r')
    }

    /// Whether `at` lies inside a string that `quote` opened on the same line.
    pub(super) fn in_string(&self, at: usize, quote: u8) -> bool {
        let line = self.line_before(at).as_bytes();
        let mut inside = false;
        for (index, byte) in line.iter().enumerate() {
            let escaped = index > 0 && line[index - 1] == b'\\';
            if *byte != quote || escaped {
                continue;
            }
            // The apostrophe of "don't" and of a Rust lifetime opens nothing.
            let apostrophe = quote == b'\''
                && !inside
                && (index > 0 && line[index - 1].is_ascii_alphanumeric()
                    || index > 0
                        && matches!(line[index - 1], b'&' | b'<')
                        && line.get(index + 1).is_some_and(u8::is_ascii_alphabetic));
            if !apostrophe {
                inside = !inside;
            }
        }
        inside
    }

    /// Whether the text around `at` is source code: a fenced block that says
    /// so, or lines that look like it.
    pub(super) fn is_code(&self, at: usize) -> bool {
        let fence = self.fences().iter().find(|f| f.start <= at && at < f.end);
        let (low, high) = match fence.map(|f| (f.language, f.start, f.end)) {
            Some((FenceLanguage::Code, ..)) => return true,
            Some((FenceLanguage::Data, ..)) => return false,
            Some((FenceLanguage::Unknown, start, end)) => (start, end),
            None => (0, self.text.len()),
        };
        let from = self
            .text
            .floor_char_boundary(at.saturating_sub(AROUND).max(low));
        let to = self.text.floor_char_boundary((at + AROUND).min(high));
        let mut lines = 0;
        let mut code = 0;
        for line in self.text[from..to.max(from)].lines() {
            match line_kind(line) {
                LineKind::Empty => {}
                LineKind::Code => {
                    code += 1;
                    lines += 1;
                }
                LineKind::Other => lines += 1,
            }
        }
        code > 0 && code * 5 >= lines * 2
    }

    fn fences(&self) -> &[Fence] {
        self.fences.get_or_init(|| {
            let mut fences = Vec::new();
            let mut at = 0;
            while let Some(open) = self.text[at..].find("```") {
                let start = at + open + 3;
                let end = self.text[start..]
                    .find("```")
                    .map_or(self.text.len(), |length| start + length);
                let info = head(&self.text[start..end], 40);
                let info = info.split(['\n', ' ', '{', ':']).next().unwrap_or_default();
                fences.push(Fence {
                    start,
                    end,
                    language: fence_language(info.trim()),
                });
                at = (end + 3).min(self.text.len());
            }
            fences
        })
    }
}

fn fence_language(info: &str) -> FenceLanguage {
    const CODE: &[&str] = &[
        "c",
        "c++",
        "cpp",
        "cs",
        "csharp",
        "css",
        "dart",
        "elixir",
        "erlang",
        "ex",
        "go",
        "golang",
        "groovy",
        "haskell",
        "hs",
        "html",
        "java",
        "javascript",
        "js",
        "jsx",
        "kotlin",
        "kt",
        "lua",
        "objc",
        "ocaml",
        "perl",
        "php",
        "py",
        "python",
        "r",
        "rb",
        "rs",
        "ruby",
        "rust",
        "scala",
        "sql",
        "svelte",
        "swift",
        "ts",
        "tsx",
        "typescript",
        "vue",
        "zig",
    ];
    if info.is_empty() {
        FenceLanguage::Unknown
    } else if CODE.iter().any(|name| name.eq_ignore_ascii_case(info)) {
        FenceLanguage::Code
    } else if info.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') {
        FenceLanguage::Data
    } else {
        FenceLanguage::Unknown
    }
}

/// Tools that show files put a number before each line: `  12→` or `12:`.
fn without_line_number(line: &str) -> &str {
    let rest = line.trim_start();
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = &rest[digits..];
    ["\u{2192}", "\t", ": ", " | ", "| "]
        .iter()
        .find_map(|sign| rest.strip_prefix(sign))
        .filter(|_| digits > 0)
        .unwrap_or(line)
}

enum LineKind {
    Empty,
    Code,
    Other,
}

/// Words that begin lines of programs. Words that also begin sentences count
/// only with the signs that a program puts at the end of such a line.
const OPENERS: &[&str] = &[
    "#[",
    "#define ",
    "#include",
    "#import",
    "#if",
    "#endif",
    "*/",
    "/*",
    "//",
    "@Override",
    "alias ",
    "async ",
    "await ",
    "begin",
    "class ",
    "const ",
    "def ",
    "defmodule ",
    "defp ",
    "do ",
    "elif ",
    "else",
    "end",
    "enum ",
    "esac",
    "except",
    "export ",
    "fi",
    "final ",
    "finally",
    "fn ",
    "func ",
    "fun ",
    "function ",
    "impl ",
    "import ",
    "interface ",
    "let ",
    "local ",
    "match ",
    "mod ",
    "module ",
    "module.",
    "namespace ",
    "override ",
    "package ",
    "private ",
    "protected ",
    "pub ",
    "public ",
    "raise ",
    "require ",
    "required_",
    "rescue",
    "resource ",
    "return",
    "self.",
    "static ",
    "struct ",
    "super",
    "this.",
    "throw ",
    "try",
    "type ",
    "typedef ",
    "unless ",
    "use ",
    "using ",
    "val ",
    "var ",
    "void ",
    "when ",
    "yield",
    "}",
    ")",
    "]",
    "@",
    "SELECT ",
    "CREATE ",
    "INSERT ",
    "UPDATE ",
    "ALTER ",
    "WHERE ",
    "FROM ",
    "case ",
    "if (",
    "if let ",
    "for (",
    "while (",
    "switch ",
];

fn line_kind(line: &str) -> LineKind {
    let line = without_line_number(head(line, 400)).trim();
    if line.is_empty() || line.starts_with("```") {
        return LineKind::Empty;
    }
    let ends = line.ends_with(['{', '}', ';', '(', '[', '\\'])
        || line.ends_with("),")
        || line.ends_with("):")
        || line.ends_with("->")
        || line.ends_with("=>")
        || line.ends_with("()")
        || line.ends_with("*/")
        || line.ends_with(" do")
        || line.ends_with(" then");
    let opens = OPENERS.iter().any(|word| {
        line.strip_prefix(word).is_some_and(|rest| {
            let whole = word.ends_with(|c: char| !c.is_ascii_alphabetic())
                || !rest.starts_with(|c: char| c.is_alphabetic());
            // "Return the token." is a sentence, `return token` is not.
            whole && !(rest.ends_with('.') && rest.contains(' '))
        })
    });
    let condition = ["if ", "for ", "while ", "with ", "except ", "else", "try"]
        .iter()
        .any(|word| line.starts_with(word) && line.ends_with([':', '{']));
    let typed = line.split_once(": ").is_some_and(|(name, rest)| {
        let kind = rest.trim_end_matches([',', ';', '?', '!']);
        is_name(name)
            && (is_code_word(kind)
                || rest.contains("= ")
                || rest.ends_with(['>', ']']) && is_name(&rest[..1]))
    });
    let call = line.find('(').is_some_and(|open| {
        let name = line[..open].trim_end();
        open == name.len()
            && name.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '!')
            && (line.ends_with(')') || line.contains(" = ") || line.ends_with(','))
    });
    let assigns = line.split_once(" = ").is_some_and(|(name, value)| {
        name.split(['.', ',', ' ', ':', '[', '*', '&']).count() <= 6
            && !name.is_empty()
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"_.,: []'\"*&<>@".contains(&b))
            && (value.ends_with([')', ']', '{']) || name.contains('.'))
    });
    if ends || opens || condition || typed || call || assigns {
        LineKind::Code
    } else {
        LineKind::Other
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"_-?\"'.".contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_code(text: &str) -> bool {
        Surroundings::new(text).is_code(text.len() / 2)
    }

    #[test]
    fn programs_are_told_from_prose_settings_and_logs() {
        for code in [
            "fn f() {\n    let x = 1;\n}\n",
            "def login(user):\n    token = user.token\n    return token\n",
            "class A\n  def b\n    @token = token\n  end\nend\n",
            "```python\nx\n```",
        ] {
            assert!(is_code(code), "{code}");
        }
        for other in [
            "Please set the password to the new one.\nThe token: see below.\nThanks (Ada)\n",
            "DB_HOST=localhost\nDB_PASSWORD=hunter2\nPORT=80\n",
            "2024-01-01 INFO login of ada token=abc\n2024-01-01 INFO done\n",
            "services:\n  db:\n    image: postgres\n    password: x\n",
            "```env\nx = f();\n```",
        ] {
            assert!(!is_code(other), "{other}");
        }
    }

    #[test]
    fn quotes_before_a_place_decide_whether_it_is_in_a_string() {
        let text = "print(\"token: \", it's)";
        let inside = Surroundings::new(text);
        assert!(inside.in_string(10, b'"'));
        assert!(!inside.in_string(text.len(), b'"'));
        assert!(!inside.in_string(text.len(), b'\''));
    }
}
