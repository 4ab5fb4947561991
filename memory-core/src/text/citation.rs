//! Citation ids: made from event ids, read back from what people type.

/// Reads `a7Bc3x`, `mem:a7Bc3x` or `[mem:a7Bc3x]`; 6 to 8 characters of
/// `A-Z a-z 0-9 - _`. Anything else is `None`.
pub fn parse_citation(text: &str) -> Option<String> {
    let text = text.trim();
    let text = text
        .strip_prefix('[')
        .and_then(|t| t.strip_suffix(']'))
        .unwrap_or(text);
    let id = text.strip_prefix("mem:").unwrap_or(text);
    let well_formed = (6..=8).contains(&id.len())
        && id
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    well_formed.then(|| id.to_owned())
}
