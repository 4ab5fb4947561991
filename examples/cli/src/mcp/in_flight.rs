//! The requests that a client has sent and not yet seen answered. A client that sends and never
//! reads is not read either once there are many, so that neither requests nor answers pile up.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::Notify;

/// So many may be unanswered. No client sends as many at once.
const LIMIT: usize = 256;

/// So many while the server waits for an answer of the client, which comes behind what it has sent.
const LIMIT_WHILE_ASKING: usize = 4_096;

#[derive(Default)]
pub(super) struct InFlight {
    sent: Mutex<Sent>,
    changed: Notify,
}

#[derive(Default)]
struct Sent {
    /// The ids of the client's requests that have no answer.
    ids: HashSet<String>,
    /// Whether the client has not answered the server.
    is_asked: bool,
}

impl InFlight {
    /// Notes what the client sends: a request, once there is room for it, that it cancels one, which
    /// gets no answer, or its own answer.
    pub(super) async fn send(&self, message: &Value) {
        let (method, id) = (message.get("method"), message.get("id"));
        match (method, id) {
            (Some(method), _) if method == "notifications/cancelled" => {
                self.end(&message["params"]["requestId"]);
            }
            (Some(_), Some(id)) => {
                self.has_room().await;
                self.sent().ids.insert(id.to_string());
            }
            (None, Some(_)) => self.sent().is_asked = false,
            _ => {}
        }
    }

    /// Notes a line that was written to the client.
    pub(super) fn written(&self, line: &[u8]) {
        let Ok(message) = serde_json::from_slice::<Value>(line) else {
            return;
        };
        match (message.get("method"), message.get("id")) {
            (None, Some(id)) => self.end(id),
            (Some(_), Some(_)) => {
                self.sent().is_asked = true;
                self.changed.notify_one();
            }
            _ => {}
        }
    }

    /// Waits until there are fewer requests.
    async fn has_room(&self) {
        loop {
            let changed = self.changed.notified();
            {
                let sent = self.sent();
                let limit = match sent.is_asked {
                    true => LIMIT_WHILE_ASKING,
                    false => LIMIT,
                };
                if sent.ids.len() < limit {
                    return;
                }
            }
            changed.await;
        }
    }

    fn end(&self, id: &Value) {
        if self.sent().ids.remove(&id.to_string()) {
            self.changed.notify_one();
        }
    }

    fn sent(&self) -> MutexGuard<'_, Sent> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
