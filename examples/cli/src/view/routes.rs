//! The routes of the server.

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::StatusCode;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};

use super::refused::Refused;
use super::viewer::Viewer;
use super::{
    events, figures, guard, learned, pages, remove, search, sessions, settings, stream, tasks,
};

/// The maximum size of a request body.
const MAX_BODY_BYTES: usize = 256 << 10;

pub(super) fn all(viewer: &Arc<Viewer>) -> Router {
    Router::new()
        .route("/", get(pages::index))
        .route("/assets/{version}/{name}", get(pages::asset))
        .route("/health", get(figures::alive))
        .route("/api/sessions", get(sessions::list))
        .route("/api/sessions/{id}", get(sessions::one))
        .route("/api/events", get(events::list))
        .route("/api/events/{id}", get(events::one))
        .route("/api/citations/{id}", get(events::one))
        .route("/api/events/{id}/pin", post(events::pin))
        .route("/api/search", post(search::search))
        .route("/api/entries", get(learned::entries))
        .route("/api/entries/{id}", get(learned::entry))
        .route("/api/insights", get(learned::insights))
        .route("/api/tasks", get(tasks::list))
        .route("/api/tasks/{id}", get(tasks::one))
        .route("/api/endless", get(learned::endless))
        .route("/api/projects", get(sessions::projects))
        .route("/api/stats", get(figures::stats))
        .route("/api/stats/timeline", get(figures::timeline))
        .route("/api/check", post(figures::check))
        .route("/api/config", get(settings::get).patch(settings::patch))
        .route("/api/remove", post(remove::remove))
        .route("/api/stream", get(stream::stream))
        .fallback(|| async { Refused::not_found("no such address") })
        .method_not_allowed_fallback(|| async {
            Refused::new(
                StatusCode::METHOD_NOT_ALLOWED,
                "method_not_allowed",
                "this address does not support this method",
            )
        })
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .layer(from_fn_with_state(Arc::clone(&viewer.guard), guard::check))
        .with_state(Arc::clone(viewer))
}
