//! The lines between the client and the protocol's library.
//!
//! The library leaves a line that it cannot parse or that is too long without an answer, forgets
//! the id of a request with wrong parts, and calls parameters it cannot read an unknown method: the
//! client would wait for ever, or look in the wrong place. And it ends at whatever is no request
//! before the client has introduced itself. So every line is checked before the library sees it, and
//! what it would drop is answered here.

use std::pin::pin;
use std::sync::Arc;

use futures_util::future::select;
use rmcp::model::{ClientCapabilities, Implementation, InitializeRequestParams, ProtocolVersion};
use serde_json::{Map, Value, json};
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader,
    DuplexStream,
};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::in_flight::InFlight;

/// The longest message; the same as that of the library.
const LINE_LIMIT: usize = 16 << 20;

/// What the pipes between the tasks hold.
const PIPE: usize = 64 << 10;

const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const INVALID_PARAMS: i64 = -32602;

/// The library's ends of the pipes, and the tasks that move what goes through them.
pub(super) struct Lines {
    pub(super) ends: (DuplexStream, DuplexStream),
    pub(super) moving: Moving,
}

pub(super) struct Moving {
    reading: JoinHandle<()>,
    /// Ends once everything was written.
    writing: JoinHandle<()>,
}

impl Moving {
    /// Writes what the library has answered, once it serves no more.
    pub(super) async fn end(self) {
        // The client need not have closed its end.
        self.reading.abort();
        let _ = self.writing.await;
    }
}

/// Puts the checks between the client's pipes and the library.
pub(super) fn checked(
    input: impl AsyncRead + Send + Unpin + 'static,
    mut output: impl AsyncWrite + Send + Unpin + 'static,
) -> Lines {
    let (read, mut to_library) = tokio::io::duplex(PIPE);
    let (write, from_library) = tokio::io::duplex(PIPE);
    let (answers, mut queue) = mpsc::channel::<Vec<u8>>(16);
    let refusals = answers.clone();
    let in_flight = Arc::new(InFlight::default());
    let sent = Arc::clone(&in_flight);
    let reading = tokio::spawn(async move {
        let passing = pass_on(input, &mut to_library, &refusals, &sent);
        // Nobody asks any more if the answers cannot be written.
        select(pin!(passing), pin!(refusals.closed())).await;
    });
    tokio::spawn(async move {
        let mut from_library = BufReader::new(from_library);
        loop {
            let mut line = Vec::new();
            match from_library.read_until(b'\n', &mut line).await {
                Ok(read) if read > 0 && answers.send(line).await.is_ok() => {}
                _ => return,
            }
        }
    });
    let writing = tokio::spawn(async move {
        while let Some(line) = queue.recv().await {
            if output.write_all(&line).await.is_err() || output.flush().await.is_err() {
                return;
            }
            in_flight.written(&line);
        }
    });
    Lines {
        ends: (read, write),
        moving: Moving { reading, writing },
    }
}

/// Passes on what the client sends, until it ends or the library reads no more.
async fn pass_on(
    input: impl AsyncRead + Unpin,
    to_library: &mut DuplexStream,
    refusals: &mpsc::Sender<Vec<u8>>,
    in_flight: &InFlight,
) {
    let mut input = BufReader::new(input);
    let mut has_begun = false;
    while let Some(line) = next_line(&mut input).await {
        for found in line.messages() {
            let is_open = match found {
                // Nothing is answered that this could be about.
                Ok(message) if !has_begun && !is_request(&message) => true,
                Ok(message) => {
                    has_begun |= begins(&message);
                    in_flight.send(&message).await;
                    let line = format!("{message}\n");
                    to_library.write_all(line.as_bytes()).await.is_ok()
                }
                Err(refusal) => refusals.send(refusal).await.is_ok(),
            };
            if !is_open {
                return;
            }
        }
    }
}

struct Line {
    /// Empty if it is too long.
    bytes: Vec<u8>,
    is_too_long: bool,
    /// The id of its message, also if the rest cannot be read.
    id: Option<Value>,
}

/// The next line; `None` at the end.
async fn next_line(input: &mut (impl AsyncBufRead + Unpin)) -> Option<Line> {
    let mut line = Line {
        bytes: Vec::new(),
        is_too_long: false,
        id: None,
    };
    let mut finder = IdFinder::default();
    loop {
        let available = input.fill_buf().await.ok()?;
        if available.is_empty() {
            // The last message may have no line end.
            let is_there = line.is_too_long || !line.bytes.is_empty();
            line.id = finder.id();
            return is_there.then_some(line);
        }
        let end = available.iter().position(|byte| *byte == b'\n');
        let part = &available[..end.unwrap_or(available.len())];
        part.iter().for_each(|byte| finder.read(*byte));
        line.is_too_long |= line.bytes.len() + part.len() > LINE_LIMIT;
        match line.is_too_long {
            true => line.bytes = Vec::new(),
            false => line.bytes.extend_from_slice(part),
        }
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        if end.is_some() {
            line.id = finder.id();
            return Some(line);
        }
    }
}

impl Line {
    /// What the library is to see, or the answer of what it is not. A line may hold several
    /// messages: version 2025-03-26 of the protocol has batches, which are answered one by one.
    fn messages(self) -> Vec<Result<Value, Vec<u8>>> {
        if self.is_too_long {
            let problem = format!("the message is longer than {} MiB", LINE_LIMIT >> 20);
            return vec![Err(refusal(self.id.as_ref(), INVALID_REQUEST, &problem))];
        }
        let text = self.bytes.strip_prefix(b"\xEF\xBB\xBF");
        let text = text.unwrap_or(&self.bytes).trim_ascii();
        if text.is_empty() {
            return Vec::new();
        }
        match serde_json::from_slice(text) {
            Ok(Value::Array(messages)) if !messages.is_empty() => {
                messages.into_iter().map(checked_message).collect()
            }
            Ok(message) => vec![checked_message(message)],
            Err(error) => {
                // The position is enough: the message may be long, and it is the client's own.
                let problem = format!("the message is not valid JSON: {error}");
                vec![Err(refusal(self.id.as_ref(), PARSE_ERROR, &problem))]
            }
        }
    }
}

/// The message, or the answer that refuses it. Of two fields of one name, the last one is left: the
/// library would lose the id.
fn checked_message(message: Value) -> Result<Value, Vec<u8>> {
    let id = message
        .get("id")
        .filter(|id| id.is_string() || id.is_i64() || id.is_u64());
    match problem(&message) {
        Some((code, problem)) => Err(refusal(id, code, &problem)),
        None => Ok(message),
    }
}

fn is_request(message: &Value) -> bool {
    message.get("method").is_some() && message.get("id").is_some()
}

/// Whether the library serves the client from this request on: the client introduces itself, once
/// for all requests or in this one.
fn begins(request: &Value) -> bool {
    let about = |name: &str| &request["params"]["_meta"][format!("io.modelcontextprotocol/{name}")];
    match request["method"].as_str() {
        Some("initialize") => true,
        // It only asks which versions there are, or whether somebody listens.
        Some("server/discover" | "ping") => false,
        _ => {
            let known = ProtocolVersion::KNOWN_VERSIONS.iter();
            let version = about("protocolVersion").as_str();
            known
                .map(ProtocolVersion::as_str)
                .any(|known| Some(known) == version)
                && about("clientCapabilities").is_object()
        }
    }
}

/// What is wrong with a message.
fn problem(message: &Value) -> Option<(i64, String)> {
    let invalid = |problem: &str| Some((INVALID_REQUEST, problem.to_owned()));
    let Value::Object(message) = message else {
        return invalid("the message must be an object");
    };
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return invalid("jsonrpc: must be \"2.0\"");
    }
    match message.get("id") {
        None | Some(Value::String(_)) => {}
        // The library loses larger ones.
        Some(Value::Number(id)) if id.is_i64() => {}
        Some(Value::Number(id)) if id.is_u64() => {
            return invalid("id: a number must be less than 2^63");
        }
        Some(_) => return invalid("id: must be a string or a whole number"),
    }
    let method = match message.get("method") {
        Some(Value::String(method)) => method,
        Some(_) => return invalid("method: must be a string"),
        None if message.contains_key("result") || message.contains_key("error") => return None,
        None => return invalid("method: is required"),
    };
    let none = Map::new();
    let params = match message.get("params") {
        None | Some(Value::Null) => &none,
        Some(Value::Object(params)) => params,
        Some(_) => return Some((INVALID_PARAMS, "params: must be an object".to_owned())),
    };
    if !message.contains_key("id") {
        return None;
    }
    let text = |name: &str| match params.get(name) {
        Some(Value::String(_)) => None,
        Some(_) => Some(format!("{name}: must be a string")),
        None => Some(format!("{name}: is required")),
    };
    let object = |name: &str, is_required: bool| match params.get(name) {
        Some(Value::Object(_)) => None,
        None | Some(Value::Null) if !is_required => None,
        None => Some(format!("{name}: is required")),
        Some(_) => Some(format!("{name}: must be an object")),
    };
    let meta = params.get("_meta").filter(|meta| !meta.is_object());
    let wrong = match method.as_str() {
        _ if meta.is_some() => Some("_meta: must be an object".to_owned()),
        "tools/call" => text("name").or_else(|| object("arguments", false)),
        "resources/read" => text("uri"),
        "initialize" => text("protocolVersion")
            .or_else(|| object("capabilities", true))
            .or_else(|| object("clientInfo", true))
            .or_else(|| introduction(params)),
        _ => None,
    };
    wrong.map(|problem| (INVALID_PARAMS, problem))
}

/// What is wrong inside the parts of `initialize`.
fn introduction(params: &Map<String, Value>) -> Option<String> {
    let capabilities = params.get("capabilities").and_then(Value::as_object);
    let one = |(name, value): (&String, &Value)| {
        let alone = Map::from_iter([(name.clone(), value.clone())]);
        let read = serde_json::from_value::<ClientCapabilities>;
        unreadable(&format!("capabilities.{name}"), &alone, read)
    };
    let info = params.get("clientInfo").and_then(Value::as_object);
    let wrong = capabilities.into_iter().flatten().find_map(one);
    wrong
        .or_else(|| {
            let read = serde_json::from_value::<Implementation>;
            unreadable("clientInfo", info?, read)
        })
        .or_else(|| {
            let read = serde_json::from_value::<InitializeRequestParams>;
            unreadable("params", params, read)
        })
}

/// Why the library cannot read a part.
fn unreadable<T>(
    name: &str,
    part: &Map<String, Value>,
    read: impl FnOnce(Value) -> serde_json::Result<T>,
) -> Option<String> {
    let error = read(Value::Object(part.clone())).err()?;
    // It may quote the client's own text, however long.
    let why: String = error.to_string().chars().take(200).collect();
    Some(format!("{name}: {why}"))
}

/// An error as a line. Without an id the protocol has none in the answer either.
fn refusal(id: Option<&Value>, code: i64, problem: &str) -> Vec<u8> {
    let mut answer = json!({ "jsonrpc": "2.0", "error": { "code": code, "message": problem } });
    if let Some(id) = id {
        answer["id"] = id.clone();
    }
    format!("{answer}\n").into_bytes()
}

/// Finds the id of a message byte by byte, however long or deeply nested the message is.
#[derive(Default)]
struct IdFinder {
    depth: usize,
    in_text: bool,
    is_escaped: bool,
    /// The text or the word that is being read, as written, while it may be a key or the id.
    word: Vec<u8>,
    key: Vec<u8>,
    id: Option<Vec<u8>>,
}

impl IdFinder {
    /// Longer ids are not returned.
    const MAX_LENGTH: usize = 1024;

    fn read(&mut self, byte: u8) {
        let is_outer = self.depth == 1;
        if self.in_text {
            let ends = byte == b'"' && !self.is_escaped;
            self.is_escaped = byte == b'\\' && !self.is_escaped;
            self.in_text = !ends;
        } else {
            match byte {
                b'"' => self.in_text = true,
                b'{' | b'[' => {
                    self.depth += 1;
                    self.word.clear();
                    return;
                }
                b'}' | b']' => {
                    if is_outer {
                        self.end_value();
                    }
                    self.depth = self.depth.saturating_sub(1);
                    self.word.clear();
                    return;
                }
                b':' if is_outer => {
                    self.key = std::mem::take(&mut self.word);
                    return;
                }
                b',' if is_outer => {
                    self.end_value();
                    return;
                }
                _ if byte.is_ascii_whitespace() => return,
                _ => {}
            }
        }
        if is_outer && self.word.len() <= Self::MAX_LENGTH {
            self.word.push(byte);
        }
    }

    fn end_value(&mut self) {
        let value = std::mem::take(&mut self.word);
        if std::mem::take(&mut self.key) == b"\"id\"" && value.len() <= Self::MAX_LENGTH {
            self.id = Some(value);
        }
    }

    fn id(self) -> Option<Value> {
        let id: Value = serde_json::from_slice(&self.id?).ok()?;
        (id.is_string() || id.is_i64() || id.is_u64()).then_some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id_in(text: &str) -> Option<Value> {
        let mut finder = IdFinder::default();
        text.bytes().for_each(|byte| finder.read(byte));
        finder.id()
    }

    #[test]
    fn the_id_is_found_in_what_cannot_be_read() {
        for (text, id) in [
            (r#"{"id": 7, "method": nonsense}"#, Some(json!(7))),
            (r#"{"params": {"id": 1, "x": [}]}, "id":"a\"b"}"#, None),
            (
                r#"{"params": {"id": 1}, "id" : "a\"b" }"#,
                Some(json!("a\"b")),
            ),
            (
                r#"{"params": {"text": "\"id\": 3}"}, "id": 4}"#,
                Some(json!(4)),
            ),
            (r#"{"method": "id", "params": 5}"#, None),
            (r#"{"id": {"id": 9}}"#, None),
            (r#"{"id": 2.5}"#, None),
            ("\"id\": 3, ", None),
            ("]]}}\"", None),
        ] {
            assert_eq!(id_in(text), id, "{text}");
        }
        let nested = format!("{{\"params\":{},\"id\":5}}", "[".repeat(9) + &"]".repeat(9));
        assert_eq!(id_in(&nested), Some(json!(5)));
    }
}
