//! Refused requests, and the form of their responses.

use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use recallite::ErrorCode;
use serde_json::{Value, json};

use crate::exit;
use crate::failure::Failure;
use crate::output::harmless_json;

/// A response of the API: a document, or a refusal.
pub(super) type Answer = Result<Document, Refused>;

const JSON: &str = "application/json";
const HTML: &str = "text/html; charset=utf-8";

/// A JSON document that is safe wherever its text is shown.
#[derive(Debug)]
pub(super) struct Document(pub(super) Value);

impl IntoResponse for Document {
    fn into_response(self) -> Response {
        let headers = [(CONTENT_TYPE, JSON)];
        (headers, harmless_json(&self.0)).into_response()
    }
}

/// `{"error": {"code", "message"}}` with its status.
#[derive(Debug)]
pub(super) struct Refused {
    status: StatusCode,
    code: &'static str,
    message: String,
}

impl Refused {
    pub(super) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Refused {
            status,
            code,
            message: message.into(),
        }
    }

    /// An error of the caller.
    pub(super) fn wrong(message: impl Into<String>) -> Self {
        Refused::new(StatusCode::BAD_REQUEST, "invalid_argument", message)
    }

    /// The refusal as a page for a person. Its text is this program's own, and still made unable to
    /// be markup.
    pub(super) fn into_page(self) -> Response {
        let message = self.message.replace('&', "&amp;").replace('<', "&lt;");
        let page = format!(
            "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta \
             name=\"viewport\" content=\"width=device-width\">\n<title>Recallite</title>\n<main>\n\
             <h1>Recallite</h1>\n<p>{message}</p>\n</main>\n</html>\n"
        );
        (self.status, [(CONTENT_TYPE, HTML)], page).into_response()
    }

    pub(super) fn not_found(message: impl Into<String>) -> Self {
        Refused::new(StatusCode::NOT_FOUND, "not_found", message)
    }
}

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Self {
        let message = failure.message();
        match failure {
            Failure::Said(exit::NOT_FOUND, _) | Failure::NoStore(_) => Refused::not_found(message),
            Failure::Said(exit::BUSY, _) => {
                Refused::new(StatusCode::SERVICE_UNAVAILABLE, "busy", message)
            }
            Failure::Said(exit::USAGE, _) | Failure::Ambiguous { .. } => Refused::wrong(message),
            Failure::Said(..) | Failure::Silent(_) => {
                Refused::new(StatusCode::INTERNAL_SERVER_ERROR, "failed", message)
            }
            Failure::Memory(error) => {
                let code = error.code();
                Refused::new(status(code), code.as_str(), message)
            }
        }
    }
}

impl From<recallite::Error> for Refused {
    fn from(error: recallite::Error) -> Self {
        Failure::from(error).into()
    }
}

fn status(code: ErrorCode) -> StatusCode {
    match code {
        ErrorCode::InvalidArgument | ErrorCode::InvalidTransition => StatusCode::BAD_REQUEST,
        ErrorCode::NotFound => StatusCode::NOT_FOUND,
        ErrorCode::AlreadyExists => StatusCode::CONFLICT,
        ErrorCode::Busy | ErrorCode::NeedsReopen => StatusCode::SERVICE_UNAVAILABLE,
        ErrorCode::Full => StatusCode::INSUFFICIENT_STORAGE,
        ErrorCode::Unsupported => StatusCode::NOT_IMPLEMENTED,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// Converts refusals by the framework to the form of all others.
pub(super) fn in_our_form(response: Response) -> Response {
    let status = response.status();
    let kind = response.headers().get(CONTENT_TYPE);
    if !status.is_client_error() || kind.is_some_and(|kind| kind == JSON) {
        return response;
    }
    let (code, message) = match status {
        StatusCode::PAYLOAD_TOO_LARGE => ("too_long", "the body is longer than 256 KiB"),
        _ => ("invalid_argument", "the request is invalid"),
    };
    Refused::new(status, code, message).into_response()
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let error = json!({ "error": { "code": self.code, "message": self.message } });
        (self.status, Document(error)).into_response()
    }
}
