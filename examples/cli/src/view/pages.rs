//! The pages: files in the program itself, so that nothing has to be installed or fetched from
//! elsewhere.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::header::{
    ACCEPT_LANGUAGE, CACHE_CONTROL, CONTENT_LANGUAGE, CONTENT_TYPE, HeaderMap, VARY,
};
use axum::response::{IntoResponse as _, Response};

use super::asked::Asked;
use super::refused::Refused;
use super::viewer::Viewer;

const INDEX: &str = include_str!("assets/index.html");

/// The one document, in the language that the browser prefers.
pub(super) async fn index(
    State(viewer): State<Arc<Viewer>>,
    headers: HeaderMap,
    asked: Asked,
) -> Result<Response, Refused> {
    // An outdated token is no reason to show nothing.
    asked.only(&["token"])?;
    let wanted = headers
        .get(ACCEPT_LANGUAGE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let language = language(wanted);
    let page = INDEX
        .replace("{language}", language)
        .replace("{version}", viewer.assets.version())
        .replace("{csrf}", viewer.guard.csrf());
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CONTENT_LANGUAGE, language),
        (VARY, "accept-language"),
    ];
    Ok((headers, page).into_response())
}

pub(super) async fn asset(
    State(viewer): State<Arc<Viewer>>,
    Path((version, name)): Path<(String, String)>,
) -> Result<Response, Refused> {
    let Some((kind, text)) = viewer.assets.find(&version, &name) else {
        return Err(Refused::not_found("no such file"));
    };
    let headers = [
        (CONTENT_TYPE, kind),
        (CACHE_CONTROL, "private, max-age=86400, immutable"),
    ];
    Ok((headers, text).into_response())
}

/// The one of our languages that the browser prefers most.
fn language(wanted: &str) -> &'static str {
    let mut best = ("en", 0.0);
    for part in wanted.split(',') {
        let (name, weight) = part.split_once(";q=").unwrap_or((part, "1"));
        let weight: f32 = weight.trim().parse().unwrap_or(0.0);
        let known = match name.trim().split('-').next() {
            Some(name) if name.eq_ignore_ascii_case("ko") => "ko",
            Some(name) if name.eq_ignore_ascii_case("en") => "en",
            _ => continue,
        };
        if weight > best.1 {
            best = (known, weight);
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_is_the_one_that_is_wanted_most() {
        for (wanted, given) in [
            ("", "en"),
            ("ko", "ko"),
            ("ko-KR,ko;q=0.9,en;q=0.8", "ko"),
            ("en-US,ko;q=0.5", "en"),
            ("de,fr;q=0.9", "en"),
            ("de,ko;q=0.2,en;q=0.1", "ko"),
            ("ko;q=x", "en"),
        ] {
            assert_eq!(language(wanted), given, "{wanted}");
        }
    }

    #[test]
    fn the_document_holds_no_script_and_no_style_of_its_own() {
        assert!(!INDEX.contains("<style") && !INDEX.contains(" style="));
        assert!(!INDEX.contains(" on") || !INDEX.contains("onclick"));
        for script in INDEX.split("<script").skip(1) {
            assert!(script.contains(" src=\"/assets/"), "{script}");
        }
    }
}
