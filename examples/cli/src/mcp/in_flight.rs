//! The requests that a client has sent and not yet seen answered. A client that sends and never
//! reads is not read either once there are many, so that neither requests nor answers pile up.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::Notify;

/// So many may be unanswered. No client sends as many at once.
const LIMIT: usize = 256;

#[derive(Default)]
pub(super) struct InFlight {
    ids: Mutex<HashSet<String>>,
    fewer: Notify,
}

impl InFlight {
    /// Notes what the client sends: a request, once there is room for it, or that it cancels one,
    /// which gets no answer. Its own answers, without which the server may not go on, wait for
    /// nothing.
    pub(super) async fn send(&self, message: &Value) {
        if message["method"] == "notifications/cancelled" {
            self.end(&message["params"]["requestId"]);
        } else if message.get("method").is_some()
            && let Some(id) = message.get("id")
        {
            self.has_room().await;
            self.ids().insert(id.to_string());
        }
    }

    /// Notes a line that was written to the client.
    pub(super) fn written(&self, line: &[u8]) {
        if let Ok(message) = serde_json::from_slice::<Value>(line)
            && message.get("method").is_none()
        {
            self.end(&message["id"]);
        }
    }

    /// Waits until there are fewer requests.
    async fn has_room(&self) {
        loop {
            let fewer = self.fewer.notified();
            if self.ids().len() < LIMIT {
                return;
            }
            fewer.await;
        }
    }

    fn end(&self, id: &Value) {
        if self.ids().remove(&id.to_string()) {
            self.fewer.notify_one();
        }
    }

    fn ids(&self) -> MutexGuard<'_, HashSet<String>> {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
