//! The viewer as a browser or a stranger meets it: HTTP to the real process.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod common;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

use common::World;
use serde_json::{Value, json};

struct Served {
    child: Child,
    port: u16,
    token: String,
}

/// An answer: its status, its headers as one text in small letters, its body.
#[derive(Debug)]
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines();
        let values = lines.filter_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        values.map(str::trim).next()
    }
}

impl Served {
    fn start(world: &World) -> Served {
        Served::with(world, &[])
    }

    fn with(world: &World, more: &[&str]) -> Served {
        let arguments = [&["view", "--no-browser"], more].concat();
        Served::of(world.command_in("shop", &arguments))
    }

    /// On a machine with its clock in this time zone.
    fn start_in(world: &World, zone: &str) -> Served {
        let mut command = world.command_in("shop", &["view", "--no-browser"]);
        command.env("TZ", zone);
        Served::of(command)
    }

    fn of(mut command: std::process::Command) -> Served {
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap())
            .read_line(&mut line)
            .unwrap();
        let rest = line.trim().strip_prefix("http://127.0.0.1:").unwrap();
        let (port, token) = rest.split_once("/?token=").unwrap();
        Served {
            port: port.parse().unwrap(),
            token: token.to_owned(),
            child,
        }
    }

    /// What the server answers to these very bytes.
    fn raw(&self, request: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        // It may answer and close before it has read everything.
        let _ = stream.write_all(request);
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8(bytes).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        Answer {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            head: head.to_lowercase(),
            body: body.to_owned(),
        }
    }

    fn request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            text.push_str(&format!("Host: 127.0.0.1:{}\r\n", self.port));
        }
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        text.push_str(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
        self.raw(text.as_bytes())
    }

    fn bearer(&self) -> String {
        format!("Bearer {}", self.token)
    }

    fn get(&self, path: &str) -> Answer {
        self.request("GET", path, &[("Authorization", &self.bearer())], "")
    }

    fn post(&self, path: &str, body: &Value) -> Answer {
        let headers = [("Authorization", self.bearer())];
        let headers = headers
            .each_ref()
            .map(|(name, value)| (*name, value.as_str()));
        self.request("POST", path, &headers, &body.to_string())
    }

    fn ok(&self, path: &str) -> Value {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        answer.json()
    }

    fn posted(&self, path: &str, body: &Value) -> Value {
        let answer = self.post(path, body);
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        answer.json()
    }

    fn cookie(&self) -> String {
        format!("recallite-{}={}", self.port, self.token)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn insights_are_listed_by_project() {
    let world = World::new();
    world.give_insights();
    let served = Served::start(&world);
    let listed = |parameters: &str| {
        let found = served.ok(&format!("/api/insights{parameters}"));
        let found = found["insights"].as_array().unwrap().clone();
        let texts = found.into_iter().map(|one| one["content"].to_string());
        texts.collect::<Vec<_>>()
    };
    assert_eq!(listed("").len(), 2);
    for name in ["shop", "blog"] {
        let project = world.project(name);
        let found = listed(&format!("?project={}", project.display()));
        assert!(
            matches!(&found[..], [one] if one.contains(name)),
            "{found:?}"
        );
    }
    assert!(listed("?project=").is_empty());
}

/// Two projects, three conversations, what was learned from them, and a task that
/// waits.
fn filled() -> World {
    let world = World::new();
    let turns = [
        (
            "shop",
            "monday",
            "user",
            "Which database do we take for the orders?",
        ),
        (
            "shop",
            "monday",
            "assistant",
            "We take PostgreSQL for the orders, because of its locks.",
        ),
        (
            "shop",
            "tuesday",
            "user",
            "The cache lives in Redis on port 6379.",
        ),
        (
            "blog",
            "wednesday",
            "user",
            "The blog is written in Markdown.",
        ),
    ];
    for (at, (project, session, role, content)) in turns.iter().enumerate() {
        let line = json!({ "session": session, "role": role, "content": content,
            "project": project, "timestamp": format!("2026-01-0{}T10:00:00Z", at + 1) });
        let file = world.write(&format!("{at}.jsonl"), &line.to_string());
        let arguments = ["import", "--from", "jsonl", "--project", project];
        let arguments = [&arguments[..], &[file.to_str().unwrap()]].concat();
        world.run_in(project, &arguments).ok();
    }
    world
        .run(&[
            "task",
            "add",
            "Ship the release",
            "--blocked-by",
            "legal approval",
        ])
        .ok();
    world.run(&["remember", "The release has a name."]).ok();
    world
}

#[test]
fn nobody_gets_in_without_the_token() {
    let world = filled();
    let served = Served::start(&world);
    let wrong = "0".repeat(served.token.len());
    for path in [
        "/",
        "/api/stats",
        "/health",
        "/api/nothing",
        "/assets/x/app.js",
    ] {
        for headers in [
            vec![],
            vec![("Authorization", format!("Bearer {wrong}"))],
            vec![("Authorization", "Bearer ".to_owned())],
            vec![("Cookie", format!("recallite-{}={wrong}", served.port))],
            vec![("Cookie", format!("recallite-1={}", served.token))],
        ] {
            let headers: Vec<(&str, &str)> = headers
                .iter()
                .map(|(name, value)| (*name, value.as_str()))
                .collect();
            let answer = served.request("GET", path, &headers, "");
            assert_eq!(answer.status, 401, "{path} {headers:?}");
            assert_eq!(answer.json()["error"]["code"], "unauthorized");
            assert!(!answer.body.contains("PostgreSQL"));
        }
    }
    let answer = served.request("GET", &format!("/?token={wrong}"), &[], "");
    assert_eq!(answer.status, 401);
    // A person's browser shows a page.
    let accepts = [("Accept", "text/html,application/xhtml+xml")];
    let page = served.request("GET", &format!("/?token={wrong}"), &accepts, "");
    assert_eq!(page.status, 401);
    assert!(
        page.body.starts_with("<!doctype html>") && page.body.contains("open the address"),
        "{}",
        page.body
    );
    assert_eq!(served.request("GET", "/?token=", &[], "").status, 401);
    // The address lets in at its own place only.
    let answer = served.request(
        "GET",
        &format!("/api/stats?token={}", served.token),
        &[],
        "",
    );
    assert_eq!(answer.status, 401);
}

#[test]
fn the_token_becomes_a_cookie_and_leaves_the_address() {
    let world = filled();
    let served = Served::start(&world);
    let first = served.request("GET", &format!("/?token={}", served.token), &[], "");
    assert_eq!(first.status, 303);
    assert_eq!(first.header("location"), Some("/"));
    let cookie = first.header("set-cookie").unwrap();
    assert!(
        cookie.contains("httponly") && cookie.contains("samesite=strict"),
        "{cookie}"
    );
    let page = served.request("GET", "/", &[("Cookie", &served.cookie())], "");
    assert_eq!(page.status, 200, "{page:?}");
    assert!(!page.body.contains(&served.token));
    let policy = page.header("content-security-policy").unwrap();
    assert!(
        policy.contains("default-src 'none'") && !policy.contains("unsafe"),
        "{policy}"
    );
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "deny"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cache-control", "no-store"),
    ] {
        assert_eq!(page.header(name), Some(value));
    }
    // Everything that the page names is there, and nothing comes from elsewhere.
    for part in page.body.split("=\"/assets/").skip(1) {
        let path = format!("/assets/{}", part.split('"').next().unwrap());
        let asset = served.request("GET", &path, &[("Cookie", &served.cookie())], "");
        assert_eq!(asset.status, 200, "{path}");
        assert!(
            asset
                .header("cache-control")
                .unwrap()
                .contains("max-age=86400")
        );
    }
    assert!(!page.body.contains("https://"));
}

#[test]
fn other_origins_get_nothing() {
    let world = filled();
    let served = Served::start(&world);
    let bearer = served.bearer();
    let own = format!("127.0.0.1:{}", served.port);
    for (name, value) in [
        ("Host", "evil.example"),
        ("Host", "127.0.0.1"),
        ("Host", "127.0.0.1:1"),
        ("Origin", "http://evil.example"),
        ("Origin", "null"),
        ("Origin", "http://127.0.0.1:1"),
    ] {
        let headers = [("Authorization", bearer.as_str()), (name, value)];
        let answer = served.request("GET", "/api/stats", &headers, "");
        assert_eq!(answer.status, 403, "{name}: {value}");
        assert_eq!(answer.json()["error"]["code"], "wrong_origin");
    }
    // No host at all, and two of them.
    let request = format!("GET /api/stats HTTP/1.1\r\nAuthorization: {bearer}\r\n");
    let none = served.raw(format!("{request}Connection: close\r\n\r\n").as_bytes());
    assert!(none.status == 400 || none.status == 403, "{none:?}");
    let two = format!("{request}Host: {own}\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
    assert!(matches!(served.raw(two.as_bytes()).status, 400 | 403));
    let origin = format!("http://{own}");
    let headers = [("Authorization", bearer.as_str()), ("Origin", &origin)];
    assert_eq!(
        served.request("GET", "/api/stats", &headers, "").status,
        200
    );
    // A link or a form of another site carries the cookie at most, not our header.
    let cookie = served.cookie();
    for site in ["cross-site", "same-site", "none"] {
        let headers = [("Cookie", cookie.as_str()), ("Sec-Fetch-Site", site)];
        assert_eq!(
            served.request("GET", "/api/stats", &headers, "").status,
            401,
            "{site}"
        );
    }
}

#[test]
fn a_change_needs_the_header_of_our_pages() {
    let world = filled();
    let served = Served::start(&world);
    let cookie = served.cookie();
    let body = json!({ "action": "forget", "selector": { "everything": true }, "confirm": 4 });
    let body = body.to_string();
    for headers in [
        vec![("Cookie", cookie.as_str())],
        vec![("Cookie", cookie.as_str()), ("X-Recallite-Csrf", "guess")],
    ] {
        let answer = served.request("POST", "/api/remove", &headers, &body);
        assert_eq!(answer.status, 403);
        assert_eq!(answer.json()["error"]["code"], "csrf");
    }
    let page = served.request("GET", "/", &[("Cookie", &cookie)], "");
    let (_, rest) = page.body.split_once("name=\"csrf\" content=\"").unwrap();
    let csrf = rest.split('"').next().unwrap();
    let headers = [("Cookie", cookie.as_str()), ("X-Recallite-Csrf", csrf)];
    let body = json!({ "query": "cache" }).to_string();
    let answer = served.request("POST", "/api/search", &headers, &body);
    assert_eq!(answer.status, 200, "{answer:?}");
}

#[test]
fn every_route_answers_about_a_filled_store() {
    let world = filled();
    let served = Served::start(&world);
    assert_eq!(served.ok("/health")["status"], "ok");
    let sessions = served.ok("/api/sessions?page=1&pageSize=2");
    assert_eq!(sessions["total"], 4, "{sessions}");
    assert_eq!(sessions["hasMore"], true);
    assert_eq!(sessions["sessions"].as_array().unwrap().len(), 2);
    let second = served.ok("/api/sessions?page=2&pageSize=3");
    assert_eq!(second["sessions"][0]["sessionId"], "monday", "{second}");
    let blog = served.ok("/api/sessions?project=blog");
    assert_eq!(blog["sessions"][0]["projectPath"], "blog");
    assert_eq!(blog["sessions"][0]["status"], "ended");
    // By what the list shows: the first prompt of a conversation without a summary.
    for (text, total) in [("WHICH", 1), ("monday", 1), ("nowhere", 0)] {
        let found = served.ok(&format!("/api/sessions?text={text}"));
        assert_eq!(found["total"], total, "{text}: {found}");
    }
    let monday = served.ok("/api/sessions/monday");
    assert_eq!(monday["stats"]["promptCount"], 1);
    assert!(monday["stats"]["totalTokens"].as_u64().unwrap() > 10);
    let rest = served.ok("/api/sessions/monday?offset=1&limit=1");
    assert_eq!(rest["events"][0], monday["events"][1], "{rest}");
    assert_eq!(
        (&rest["total"], &rest["hasMore"]),
        (&json!(2), &json!(false))
    );
    let first = served.ok("/api/sessions/monday?limit=1");
    assert_eq!(
        (&first["total"], &first["hasMore"]),
        (&json!(2), &json!(true))
    );
    let turn = &monday["events"][1];
    assert!(
        turn["content"]["text"]
            .as_str()
            .unwrap()
            .contains("PostgreSQL")
    );
    let citation = turn["citation"].as_str().unwrap();
    for name in [
        citation,
        turn["id"].as_str().unwrap(),
        citation.trim_start_matches("mem:"),
    ] {
        let one = served.ok(&format!("/api/events/{name}"));
        assert_eq!(one["event"]["citation"], citation);
        let cited = served.ok(&format!("/api/citations/{name}"));
        assert_eq!(cited["event"], one["event"]);
        assert_eq!(cited["citation"]["id"], citation);
        assert_eq!(cited["citation"]["eventId"], one["event"]["id"]);
        assert!(
            one["related"]["previous"]["preview"]
                .as_str()
                .unwrap()
                .contains("Which")
        );
        assert!(one["related"]["next"].is_null());
        assert_eq!(one["usage"]["count"], 0);
    }
    let events = served.ok("/api/events?limit=2&offset=1&type=user_prompt");
    assert_eq!(events["events"].as_array().unwrap().len(), 2);
    assert_eq!(events["total"], 4);
    assert!(
        events["events"][0]
            .as_object()
            .unwrap()
            .contains_key("metadata")
    );
    let all = served.ok("/api/events?limit=100");
    let all = all["events"].as_array().unwrap().clone();
    let mut paged = Vec::new();
    let mut address = "/api/events?limit=2".to_owned();
    loop {
        let page = served.ok(&address);
        assert_eq!(page["total"], all.len());
        let page = page["events"].as_array().unwrap();
        let Some(last) = page.last() else { break };
        let last = last["citation"].as_str().unwrap();
        address = format!("/api/events?limit=2&before={last}");
        paged.extend(page.iter().cloned());
    }
    assert_eq!(paged, all);
    let found = served.posted(
        "/api/search",
        &json!({ "query": "where does the cache live?", "filters": { "project": "shop" },
            "options": { "topK": 3 } }),
    );
    for is_progressive in [true, false] {
        let asked = json!({ "query": "where does the cache live?", "filters": { "project": "shop" },
            "options": { "topK": 3, "progressive": is_progressive } });
        let same = served.posted("/api/search", &asked);
        assert_eq!(same["results"], found["results"]);
    }
    let best = &found["results"][0];
    assert_eq!(best["sessionId"], "tuesday", "{found}");
    assert!(best["score"].as_f64().unwrap() > 0.3);
    let marks = best["highlight"].as_array().unwrap();
    assert!(
        marks.contains(&json!({ "text": "cache", "isMatch": true })),
        "{best}"
    );
    let whole: String = marks
        .iter()
        .map(|part| part["text"].as_str().unwrap())
        .collect();
    assert_eq!(whole, "The cache lives in Redis on port 6379.");
    assert_eq!(found["meta"]["mode"], "fts");
    let stats = served.ok("/api/stats");
    assert_eq!(stats["memory"]["events"], 5);
    assert_eq!(stats["sessions"]["total"], 4);
    assert_eq!(stats["findings"], json!([]));
    let days = served.ok("/api/stats/timeline?days=7");
    assert_eq!(days["days"].as_array().unwrap().len(), 7);
    assert_eq!(days["days"][6]["total"], 1, "the note is of today: {days}");
    let projects = served.ok("/api/projects");
    let projects = projects["projects"].as_array().unwrap();
    // The note belongs to the folder's own project.
    assert_eq!(projects.len(), 3);
    assert_eq!(projects[0], json!({ "name": "shop", "sessions": 2 }));
    let tasks = served.ok("/api/tasks");
    assert_eq!(tasks["tasks"][0]["title"], "Ship the release");
    assert_eq!(
        tasks["graph"]["edges"].as_array().unwrap().len(),
        1,
        "{tasks}"
    );
    let id = tasks["tasks"][0]["id"].as_str().unwrap();
    let task = served.ok(&format!("/api/tasks/{}", id.replace('/', "%2F")));
    assert_eq!(task["blockers"][0]["title"], "legal approval", "{task}");
    assert!(!task["history"].as_array().unwrap().is_empty());
    assert!(served.ok("/api/entries")["entries"].is_array());
    assert!(served.ok("/api/insights")["insights"].is_array());
    assert_eq!(served.ok("/api/endless")["mode"], "session");
    let config = served.ok("/api/config");
    assert_eq!(config["config"]["mode"], "session");
    let rows = config["settings"].as_array().unwrap();
    let row = |name: &str| rows.iter().find(|row| row["name"] == name).unwrap();
    let store = row("store");
    assert_eq!(store["value"], json!(world.store()));
    assert_eq!(store["sourceName"], "RECALLITE_STORE");
    assert_eq!(row("features.autoSave")["source"], "default");
    assert_eq!(served.posted("/api/check", &json!({}))["ok"], true);
}

#[test]
fn entries_come_with_their_evidence() {
    let world = filled();
    let taught = json!({ "schema_version": 1, "entries": [{ "id": "e1", "type": "decision",
        "title": "PostgreSQL for the orders", "content": "Orders are kept in PostgreSQL.",
        "quotes": [{ "message_index": 1, "quote": "We take PostgreSQL for the orders" }] }] });
    let mut mcp = world
        .command_in("shop", &["mcp"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = mcp.stdin.take().unwrap();
    for message in [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" } } }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": "ingest", "arguments": { "session": "monday", "extraction": taught } } }),
    ] {
        writeln!(input, "{message}").unwrap();
    }
    let mut answers = BufReader::new(mcp.stdout.take().unwrap()).lines();
    assert!(answers.nth(1).unwrap().unwrap().contains("Learned 1"));
    drop(input);
    mcp.wait().unwrap();

    let served = Served::start(&world);
    let entries = served.ok("/api/entries?type=decision");
    let entry = &entries["entries"][0];
    assert_eq!(entry["title"], "PostgreSQL for the orders", "{entries}");
    let id = entry["id"].as_str().unwrap();
    let one = served.ok(&format!("/api/entries/{id}"));
    assert_eq!(
        one["evidence"][0]["quote"],
        "We take PostgreSQL for the orders"
    );
    let citation = one["evidence"][0]["event"]["citation"].as_str().unwrap();
    let event = served.ok(&format!("/api/events/{citation}"));
    assert_eq!(event["proves"][0]["id"], id);
    let found = served.posted("/api/search", &json!({ "query": "PostgreSQL orders" }));
    assert_eq!(found["learned"][0]["state"], "in_force", "{found}");
    assert_eq!(found["learned"][0]["proofs"][0]["citation"], citation);
}

#[test]
fn a_memory_is_pinned_and_unpinned() {
    let world = filled();
    let served = Served::start(&world);
    let events = served.ok("/api/events?limit=1");
    let citation = events["events"][0]["citation"].as_str().unwrap();
    let (one, pin) = (
        format!("/api/events/{citation}"),
        format!("/api/events/{citation}/pin"),
    );
    assert!(served.ok(&one)["source"].is_null());
    for wanted in [true, true, false] {
        let answer = served.posted(&pin, &json!({ "pinned": wanted }));
        assert_eq!(answer["isPinned"], wanted);
        assert_eq!(served.ok(&one)["usage"]["isPinned"], wanted);
    }
    for (path, body) in [
        (pin.as_str(), json!({ "pinned": "yes" })),
        (pin.as_str(), json!({ "pin": true })),
        // Neither says what is wanted.
        (pin.as_str(), json!({})),
        (pin.as_str(), json!({ "pinned": null })),
    ] {
        assert_eq!(served.post(path, &body).status, 400, "{body}");
    }
    let missing = served.post("/api/events/mem:nobody/pin", &json!({ "pinned": true }));
    assert_eq!(missing.status, 404, "{missing:?}");
    let bare = served.request("POST", &pin, &[("Cookie", &served.cookie())], "{}");
    assert_eq!(bare.status, 403);
}

#[test]
fn the_days_count_conversations_of_one_day_and_of_several() {
    let world = World::new();
    let now = jiff::Timestamp::now();
    let line = |session: &str, role: &str, hours: i64| {
        let at = now - jiff::SignedDuration::from_hours(hours);
        json!({ "session": session, "role": role, "content": format!("{role} {session} {hours}"),
            "timestamp": at.to_string() })
        .to_string()
    };
    let lines = [
        line("short", "user", 48),
        line("short", "assistant", 48),
        line("long", "user", 72),
        line("long", "assistant", 48),
        line("long", "user", 24),
        line("old", "user", 24 * 40),
    ];
    let file = world.write("days.jsonl", &lines.join("\n"));
    let arguments = ["import", "--from", "jsonl", file.to_str().unwrap()];
    world.run(&arguments).ok();
    let served = Served::start(&world);
    let totals = || -> Vec<u64> {
        let days = served.ok("/api/stats/timeline?days=7");
        let days = days["days"].as_array().unwrap().iter();
        days.map(|day| day["total"].as_u64().unwrap()).collect()
    };
    assert_eq!(totals(), [0, 0, 0, 1, 3, 1, 0]);
    let days = served.ok("/api/stats/timeline?days=7&zone=Pacific/Kiritimati");
    assert_eq!(days["zone"], "Pacific/Kiritimati");
    let day = |zone: &str| now.in_tz(zone).unwrap().date().to_string();
    assert_eq!(days["days"][6]["date"], day("Pacific/Kiritimati"), "{days}");
    assert_eq!(served.ok("/api/events?limit=1")["total"], 6);
    assert_eq!(served.ok("/api/events?type=user_prompt")["total"], 4);
    let body = json!({ "action": "forget", "selector": { "sessionId": "short" }, "confirm": 2 });
    served.posted("/api/remove", &body);
    assert_eq!(totals(), [0, 0, 0, 1, 1, 1, 0]);
    assert_eq!(served.ok("/api/events")["total"], 4);
    assert_eq!(served.ok("/api/events?sessionId=long&limit=1")["total"], 3);
}

/// A date is the same day wherever the machine stands that has the memory.
#[test]
fn the_days_do_not_depend_on_the_machine() {
    let world = World::new();
    // Late in the day in UTC, and the next day east of it.
    let line = json!({ "session": "s", "role": "user", "content": "The cache lives in Redis.",
        "timestamp": "2026-01-30T20:00:00Z" });
    let file = world.write("days.jsonl", &line.to_string());
    let arguments = ["import", "--from", "jsonl", file.to_str().unwrap()];
    world.run(&arguments).ok();
    let asked = |zone: &str| {
        let served = Served::start_in(&world, zone);
        let days = served.ok("/api/stats/timeline?days=2");
        let today = days["days"][1]["date"].as_str().unwrap().to_owned();
        let filters = json!({ "dateFrom": "2026-01-30", "dateTo": "2026-01-31" });
        let found = json!({ "query": "where does the cache live?", "filters": filters });
        let found = served.post("/api/search", &found).json();
        (
            days["zone"].clone(),
            today,
            found["results"].as_array().unwrap().len(),
        )
    };
    let today = || {
        jiff::Timestamp::now()
            .in_tz("UTC")
            .unwrap()
            .date()
            .to_string()
    };
    for zone in ["Pacific/Kiritimati", "Etc/GMT+12"] {
        let before = today();
        let (named, shown, found) = asked(zone);
        assert_eq!(named, "UTC", "{zone}");
        assert!(shown == before || shown == today(), "{zone}: {shown}");
        assert_eq!(found, 1, "{zone}");
    }
}

#[test]
fn a_pinned_event_says_so() {
    let world = filled();
    let served = Served::start(&world);
    let citation = served.ok("/api/sessions/tuesday")["events"][0]["citation"].clone();
    let citation = citation.as_str().unwrap();
    let path = format!("/api/events/{citation}");
    assert_eq!(served.ok(&path)["usage"]["isPinned"], false);
    let memory = recallite::Memory::builder().open(world.store()).unwrap();
    let event: recallite::EventRef = citation.parse().unwrap();
    memory.levels().pin(event).unwrap();
    assert_eq!(served.ok(&path)["usage"]["isPinned"], true);
}

#[test]
fn an_empty_store_is_shown_too() {
    let world = World::new();
    let none = world.run(&["view", "--no-browser"]);
    assert_eq!(none.code, 3, "{none:?}");
    world.run(&["remember", "gone soon"]).ok();
    world
        .run(&["erase", "--everything", "-a", "--confirm"])
        .ok();
    let served = Served::start(&world);
    assert_eq!(served.ok("/api/sessions")["total"], 0);
    assert_eq!(served.ok("/api/events")["total"], 0);
    assert_eq!(served.ok("/api/stats")["memory"]["events"], 0);
    assert_eq!(served.ok("/api/tasks")["tasks"], json!([]));
    assert_eq!(served.ok("/api/endless")["workingSet"]["size"], 0);
    let found = served.posted("/api/search", &json!({ "query": "anything" }));
    assert_eq!(found["results"], json!([]));
}

#[test]
fn what_is_not_there_or_not_understood_is_said() {
    let world = filled();
    let served = Served::start(&world);
    for path in [
        "/api/sessions/nobody",
        "/api/sessions/..%2f..%2fetc%2fpasswd",
        "/api/events/mem:zzzzzz",
        "/api/events/00000000-0000-7000-8000-000000000000",
        "/api/entries/none",
        "/api/tasks/none",
        "/api/nothing",
        "/assets/../../../etc/passwd",
        "/assets/x/..%2f..%2fCargo.toml",
        "/assets/x/app.js",
        "/../../etc/passwd",
        "//etc/passwd",
        "/.git/config",
    ] {
        let answer = served.get(path);
        assert_eq!(answer.status, 404, "{path}: {answer:?}");
        assert_eq!(answer.json()["error"]["code"], "not_found", "{path}");
    }
    for (path, named) in [
        (
            "/api/sessions?page=0",
            "page: must be a whole number, 1 or more",
        ),
        ("/api/events?before=junk", "before: "),
        ("/api/sessions?pageSize=100000", "pageSize"),
        ("/api/sessions?pages=1", "pages"),
        ("/api/sessions?page=1&page=2", "page"),
        ("/api/events?type=nothing", "type"),
        ("/api/events?limit=-1", "limit"),
        ("/api/events/x", "citation"),
        ("/api/sessions/%ff", "request"),
        ("/api/entries?status=nothing", "status"),
        ("/api/tasks?status=nothing", "status"),
        ("/api/stats/timeline?days=0", "days"),
        ("/api/stats/timeline?zone=Europe/Nowhere", "zone"),
        ("/api/stream?channels=nothing", "channels"),
    ] {
        let answer = served.get(path);
        assert_eq!(answer.status, 400, "{path}: {answer:?}");
        let message = answer.json()["error"]["message"]
            .as_str()
            .unwrap()
            .to_owned();
        assert!(message.contains(named), "{path}: {message}");
    }
    for (body, named) in [
        (json!({}), "Query is required"),
        (json!({ "query": "  " }), "Query is required"),
        (json!({ "query": 7 }), "query"),
        (json!([1]), "object"),
        (json!({ "query": "x", "options": { "topK": 0 } }), "topK"),
        (
            json!({ "query": "x", "options": { "minScore": 2 } }),
            "minScore",
        ),
        (
            json!({ "query": "x", "options": { "progressive": "yes" } }),
            "progressive",
        ),
        (
            json!({ "query": "x", "filters": { "dateFrom": "yesterday" } }),
            "dateFrom",
        ),
        (json!({ "query": "x", "filter": {} }), "filter"),
    ] {
        let answer = served.post("/api/search", &body);
        assert_eq!(answer.status, 400, "{body}");
        assert!(answer.body.contains(named), "{body}: {}", answer.body);
    }
    assert_eq!(served.post("/api/stats", &json!({})).status, 405);
    assert_eq!(served.get("/api/remove").status, 405);
    let bearer = served.bearer();
    let broken = served.request(
        "POST",
        "/api/search",
        &[("Authorization", &bearer)],
        "{\"query",
    );
    assert_eq!(broken.status, 400);
}

#[test]
fn huge_and_ambiguous_requests_are_cut_or_refused() {
    let world = filled();
    let served = Served::start(&world);
    let long = "cache ".repeat(30_000);
    let found = served.posted("/api/search", &json!({ "query": long }));
    assert!(found["results"].is_array());
    let huge = served.post("/api/search", &json!({ "query": "x".repeat(1 << 20) }));
    assert_eq!(huge.status, 413, "{}", huge.status);
    assert_eq!(huge.json()["error"]["code"], "too_long");
    // Of two confirmations only the last would count.
    let bearer = served.bearer();
    let headers = [("Authorization", bearer.as_str())];
    let twice = r#"{"action": "forget", "selector": {"ids": [], "ids": []}}"#;
    for (path, body, said) in [
        ("/api/remove", twice, "\"ids\" occurs twice"),
        (
            "/api/remove",
            r#"{"action": "forget", "selector": {"sessionId": ""}}"#,
            "sessionId: ",
        ),
        ("/api/check", "garbage", "not valid JSON"),
        ("/api/check", r#"{"deep": true}"#, "unknown parameter"),
    ] {
        let refused = served.request("POST", path, &headers, body);
        assert_eq!(refused.status, 400, "{path}: {refused:?}");
        let message = refused.json()["error"]["message"]
            .as_str()
            .unwrap()
            .to_owned();
        assert!(message.contains(said), "{message}");
    }
    let address = served.get(&format!("/api/sessions?text={}", "x".repeat(20_000)));
    assert_eq!(address.status, 414);
    let address = served.get(&format!("/api/sessions?text={}", "x".repeat(2_000_000)));
    assert!(matches!(address.status, 414 | 431), "{}", address.status);
    assert_eq!(served.ok("/health")["status"], "ok");
}

#[test]
fn a_used_port_is_said_and_the_address_is_json_when_asked() {
    let world = filled();
    let served = Served::start(&world);
    let port = served.port.to_string();
    let ran = world.run(&["view", "--no-browser", "--port", &port]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.err.contains("--port") && ran.err.contains(&port),
        "{ran:?}"
    );
    // Of the settings, who gave no --port has to know.
    let settings = json!({ "viewer": { "port": served.port } }).to_string();
    let settings = world.write("port.json", &settings);
    let settings = settings.to_str().unwrap();
    let ran = world.run(&["view", "--no-browser", "--settings", settings]);
    assert!(ran.err.contains("viewer.port: "), "{ran:?}");
    assert_eq!(world.run(&["view", "--port", "70000"]).code, 64);
    let mut child = world
        .command_in("shop", &["view", "--no-browser", "--json"])
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap())
        .read_line(&mut line)
        .unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let said: Value = serde_json::from_str(&line).unwrap();
    assert!(
        said["address"]
            .as_str()
            .unwrap()
            .starts_with("http://127.0.0.1:")
    );
}

#[test]
fn it_counts_before_it_forgets_and_gives_a_receipt() {
    let world = filled();
    let served = Served::start(&world);
    let selector = json!({ "sessionId": "tuesday" });
    let ask = |confirm: Value, action: &str| {
        let body = json!({ "action": action, "selector": selector, "confirm": confirm });
        served.post("/api/remove", &body)
    };
    assert_eq!(ask(Value::Null, "forget").json()["wouldRemove"], 1);
    // Counting changes nothing, and an old count is no consent.
    let stale = ask(json!(7), "forget");
    assert_eq!(stale.status, 409, "{stale:?}");
    assert_eq!(served.ok("/api/sessions/tuesday")["total"], 1);
    let receipt = ask(json!(1), "forget").json();
    assert_eq!(receipt["receipt"]["count"], 1, "{receipt}");
    assert!(receipt["receipt"]["tombstone"].is_u64());
    // Erasing also removes what is forgotten, so it is counted.
    for (action, count) in [("forget", 0), ("erase", 1)] {
        assert_eq!(ask(Value::Null, action).json()["wouldRemove"], count);
    }
    assert_eq!(ask(json!(0), "erase").status, 409);
    let found = served.posted("/api/search", &json!({ "query": "Redis port" }));
    assert!(!found.to_string().contains("port 6379"), "{found}");

    let citation = served.ok("/api/sessions/wednesday")["events"][0]["citation"].clone();
    let body = json!({ "action": "erase", "selector": { "ids": [citation] } });
    let counted = served.posted("/api/remove", &body);
    assert_eq!(counted["wouldRemove"], 1);
    assert_eq!(counted["sample"][0]["citation"], citation);
    let body = json!({ "action": "erase", "selector": { "ids": [citation] }, "confirm": 1 });
    let receipt = served.posted("/api/remove", &body);
    assert_eq!(receipt["receipt"]["isComplete"], true, "{receipt}");
    let gone = served.get(&format!("/api/events/{}", citation.as_str().unwrap()));
    assert_eq!(gone.status, 404);
    for wrong in [
        json!({ "action": "forget", "selector": {} }),
        json!({ "action": "forget" }),
        json!({ "action": "forget", "selector": { "ids": [] } }),
        json!({ "action": "delete", "selector": { "everything": true } }),
        json!({ "action": "forget", "selector": { "ids": ["../../x"] } }),
        json!({ "action": "forget", "selector": { "everything": "yes" } }),
        json!({ "action": "forget", "selector": { "everything": true }, "confirm": true }),
    ] {
        assert_eq!(served.post("/api/remove", &wrong).status, 400, "{wrong}");
    }
    assert_eq!(served.ok("/api/sessions/monday")["total"], 2);
}

/// A count is consent to remove what was counted, once.
#[test]
fn of_confirmations_at_the_same_time_one_is_carried_out() {
    let world = filled();
    let served = Served::start(&world);
    let body = |confirm: Value| json!({ "action": "erase", "selector": { "everything": true }, "confirm": confirm });
    let count = served.posted("/api/remove", &body(Value::Null))["wouldRemove"].clone();
    assert!(count.as_u64().unwrap() > 3, "{count}");
    let mut answers: Vec<u16> = std::thread::scope(|threads| {
        let ask = || threads.spawn(|| served.post("/api/remove", &body(count.clone())).status);
        let asked: Vec<_> = (0..6).map(|_| ask()).collect();
        asked.into_iter().map(|one| one.join().unwrap()).collect()
    });
    answers.sort_unstable();
    assert_eq!(answers, [200, 409, 409, 409, 409, 409]);
}

#[test]
fn open_tasks_are_counted_whatever_is_listed() {
    let world = World::new();
    for title in ["Ship it", "Write it"] {
        world.run(&["task", "add", title]).ok();
    }
    world.run(&["task", "start", "Write it"]).ok();
    world.run(&["task", "done", "Write it"]).ok();
    let served = Served::start(&world);
    for (query, listed) in [("", 2), ("?status=done", 1), ("?status=pending", 1)] {
        let tasks = served.ok(&format!("/api/tasks{query}"));
        assert_eq!(tasks["tasks"].as_array().unwrap().len(), listed, "{tasks}");
        assert_eq!(tasks["open"], 1, "{tasks}");
    }
}

#[test]
fn the_mode_is_changed_and_nothing_else() {
    let world = filled();
    let served = Served::start(&world);
    let patch = |body: &Value| {
        let bearer = served.bearer();
        served.request(
            "PATCH",
            "/api/config",
            &[("Authorization", &bearer)],
            &body.to_string(),
        )
    };
    let changed = patch(&json!({ "updates": { "mode": "endless" } }));
    assert_eq!(changed.json()["config"]["mode"], "endless", "{changed:?}");
    assert_eq!(served.ok("/api/endless")["mode"], "endless");
    for wrong in [
        json!({ "updates": {} }),
        json!({ "updates": { "mode": "forever" } }),
        json!({ "updates": { "quotaBytes": 1 } }),
    ] {
        assert_eq!(patch(&wrong).status, 400, "{wrong}");
    }
}

/// Lines of the stream until one holds `text`.
fn read_until(stream: &mut BufReader<TcpStream>, text: &str) -> String {
    let mut line = String::new();
    loop {
        line.clear();
        assert!(stream.read_line(&mut line).unwrap() > 0, "the stream ended");
        if line.contains(text) {
            return line;
        }
    }
}

fn follow(served: &Served, query: &str, more: &str) -> BufReader<TcpStream> {
    let mut stream = TcpStream::connect(("127.0.0.1", served.port)).unwrap();
    write!(
        stream,
        "GET /api/stream{query} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: {}\r\n{more}\r\n",
        served.port,
        served.bearer()
    )
    .unwrap();
    BufReader::new(stream)
}

#[test]
fn the_stream_shows_what_another_process_appends() {
    let world = filled();
    let served = Served::start(&world);
    let mut stream = follow(&served, "?channels=events,stats", "");
    read_until(&mut stream, "connected");
    world
        .run_in("blog", &["remember", "Posts go out on Sundays."])
        .ok();
    let line = read_until(&mut stream, "Sundays");
    let said: Value = serde_json::from_str(line.trim().strip_prefix("data: ").unwrap()).unwrap();
    assert_eq!(said["channel"], "events");
    assert_eq!(said["data"]["type"], "new_event");
    assert_eq!(said["data"]["event"]["eventType"], "user_prompt");
    let seq = said["data"]["event"]["seq"].as_u64().unwrap();
    read_until(&mut stream, "\"channel\":\"stats\"");
    // Who connects again goes on where it was.
    let again = format!("Last-Event-ID: {}\r\n", seq - 1);
    let mut stream = follow(&served, "", &again);
    assert!(read_until(&mut stream, "new_event").contains("Sundays"));
    // Only the session that was asked for.
    let mut stream = follow(&served, "?sessionId=monday", &again);
    read_until(&mut stream, "connected");
    let line = json!({ "session": "monday", "role": "user", "content": "One more thing." });
    let file = world.write("more.jsonl", &line.to_string());
    world
        .run(&["import", "--from", "jsonl", file.to_str().unwrap()])
        .ok();
    let line = read_until(&mut stream, "new_event");
    assert!(line.contains("One more thing"), "{line}");
}

/// The next message of the stream: its id, and what it says.
fn message(stream: &mut BufReader<TcpStream>) -> (String, Value) {
    let (mut id, mut line) = (String::new(), String::new());
    loop {
        line.clear();
        assert!(stream.read_line(&mut line).unwrap() > 0, "the stream ended");
        if let Some(text) = line.trim().strip_prefix("id: ") {
            id = text.to_owned();
        } else if let Some(text) = line.trim().strip_prefix("data: ") {
            let said: Value = serde_json::from_str(text).unwrap();
            return (id, said["data"].clone());
        }
    }
}

/// What a browser that was at `id` is told at first, until it is up to date, and the last id.
fn told_again(served: &Served, id: &str) -> (Vec<String>, String) {
    let more = format!("Last-Event-ID: {id}\r\n");
    // What a replaced store owes is one failed question.
    served.get("/api/stats");
    let last = served.ok("/api/stats")["memory"]["lastSeq"].clone();
    let mut stream = follow(served, "", &more);
    stream
        .get_ref()
        .set_read_timeout(Some(Duration::from_secs(10)))
        .unwrap();
    let (mut told, mut at) = (Vec::new(), String::new());
    let last = last.to_string();
    while at.split('-').next() != Some(last.as_str()) || told.len() < 2 {
        let (id, data) = message(&mut stream);
        told.push(data["type"].as_str().unwrap().to_owned());
        at = id;
    }
    (told, at)
}

/// Puts a store in the place of the one that is served, which goes to `away`.
fn replace_store(world: &World, away: &str, by: &std::path::Path) {
    std::fs::rename(world.store(), world.path().join(away)).unwrap();
    std::fs::rename(by, world.store()).unwrap();
}

#[cfg(unix)]
#[test]
fn who_knows_another_store_is_told_to_read_anew_and_misses_nothing() {
    let world = filled();
    let copy = world.path().join("copy");
    common::copy_folder(&world.store(), &copy);
    let served = Served::start(&world);
    let mut stream = follow(&served, "", "");
    let (begun, _) = message(&mut stream);
    world.run(&["remember", "Orders close at five."]).ok();
    let (id, said) = message(&mut stream);
    assert_eq!(said["type"], "new_event");

    // A backup knows what was before it, but nothing after.
    replace_store(&world, "first", &copy);
    let (told, at) = told_again(&served, &id);
    assert_eq!(told, ["connected", "reload"]);
    world.run(&["remember", "Orders close at six."]).ok();
    let (told, at) = told_again(&served, &at);
    assert_eq!(told, ["connected", "new_event"]);
    // It is as long as the other by now.
    assert_eq!(at.split('-').next(), id.split('-').next());
    assert_eq!(told_again(&served, &id).0, ["connected", "reload"]);
    assert_eq!(told_again(&served, &begun).0, ["connected", "new_event"]);

    // A shorter store.
    let other = World::new();
    other.run(&["remember", "The lamp is lit."]).ok();
    replace_store(&world, "second", &other.store());
    let (told, short) = told_again(&served, &at);
    assert_eq!(told, ["connected", "reload"]);
    world.run(&["remember", "The lamp is out."]).ok();
    assert_eq!(told_again(&served, &short).0, ["connected", "new_event"]);
    // The page that is opened, or whose window was hidden, says where it was in its address.
    let asked = |after: &str| {
        let mut stream = follow(&served, &format!("?after={after}"), "");
        [message(&mut stream).1, message(&mut stream).1].map(|said| said["type"].clone())
    };
    assert_eq!(asked(&at), ["connected", "reload"]);
    assert_eq!(asked("99"), ["connected", "reload"]);
    assert_eq!(asked(&short), ["connected", "new_event"]);
    let stats = served.ok("/api/stats");
    let position = stats["memory"]["position"].as_str().unwrap();
    world.run(&["remember", "The lamp is lit again."]).ok();
    assert_eq!(asked(position), ["connected", "new_event"]);
    assert_eq!(told_again(&served, "nonsense").0, ["connected", "reload"]);
    for wrong in ["nonsense", "3-", "-3", "3-x"] {
        let answer = served.get(&format!("/api/stream?after={wrong}"));
        assert_eq!(answer.status, 400, "{wrong}: {answer:?}");
    }
}

/// Each opening ends the live streams, also that of the page which has just connected again.
#[cfg(unix)]
#[test]
fn a_replaced_store_is_opened_again_once() {
    let world = filled();
    let copy = world.path().join("copy");
    common::copy_folder(&world.store(), &copy);
    let served = Served::start(&world);
    // They wait for a change of the store that is replaced, and find out one after the other.
    let mut old = [(); 4].map(|()| {
        let mut stream = follow(&served, "", "Connection: close\r\n");
        message(&mut stream);
        std::thread::sleep(Duration::from_millis(200));
        stream
    });
    replace_store(&world, "first", &copy);
    served.get("/api/stats");
    let mut stream = follow(&served, "", "Connection: close\r\n");
    message(&mut stream);
    for old in &mut old {
        std::io::copy(old, &mut std::io::sink()).unwrap();
    }
    world.run(&["remember", "Orders close at six."]).ok();
    assert_eq!(message(&mut stream).1["type"], "new_event");
}

#[cfg(unix)]
#[test]
fn a_stream_of_a_store_that_was_replaced_ends() {
    let world = filled();
    let other = filled();
    other.run(&["remember", "The lamp is lit."]).ok();
    other.run(&["remember", "The lamp is out."]).ok();
    let served = Served::start(&world);
    let mut streams = [(); 8].map(|()| follow(&served, "", "Connection: close\r\n"));
    for stream in &mut streams {
        read_until(stream, "connected");
    }
    // They are gathering what comes with this when the store is replaced.
    let id = served.ok("/api/events")["events"][0]["id"].clone();
    let pin = format!("/api/events/{}/pin", id.as_str().unwrap());
    served.posted(&pin, &json!({ "pinned": true }));
    std::thread::sleep(Duration::from_millis(40));
    replace_store(&world, "first", &other.store());
    // Whoever asks first has the store opened again, which neither a page nor a program can do.
    let first = served.get("/api/stats");
    assert_eq!(first.status, 503, "{first:?}");
    assert!(first.body.contains("repeat the request"), "{first:?}");
    assert!(!first.body.contains("close the memory"), "{first:?}");
    served.ok("/api/stats");
    for stream in &mut streams {
        let limit = Some(Duration::from_secs(10));
        stream.get_ref().set_read_timeout(limit).unwrap();
        let mut rest = String::new();
        stream.read_to_string(&mut rest).unwrap();
        assert!(!rest.contains("The lamp"), "{rest}");
    }
}

#[test]
fn ten_streams_are_served_and_the_next_is_refused() {
    let world = filled();
    let served = Served::start(&world);
    let mut open: Vec<_> = (0..10).map(|_| follow(&served, "", "")).collect();
    for stream in &mut open {
        read_until(stream, "connected");
    }
    let more = served.get("/api/stream");
    assert_eq!(more.status, 503, "{more:?}");
    assert_eq!(more.json()["error"]["code"], "too_many_streams");
    // Beside them the rest still answers.
    assert_eq!(served.ok("/api/sessions")["total"], 4);
}

#[cfg(unix)]
#[test]
fn strangers_who_send_half_a_request_keep_nobody_out() {
    let world = filled();
    let plain = world.command_in("shop", &["view", "--no-browser"]);
    // Fewer files than strangers.
    let served = Served::of(common::in_shell("ulimit -n 400", &plain));
    let mut page = follow(&served, "", "");
    read_until(&mut page, "connected");
    let half = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1";
    let strangers: Vec<TcpStream> = (0..600)
        .filter_map(|_| {
            let mut stream = TcpStream::connect(("127.0.0.1", served.port)).ok()?;
            stream.write_all(half).ok()?;
            Some(stream)
        })
        .collect();
    assert!(strangers.len() > 400, "{}", strangers.len());
    assert_eq!(served.get("/api/stats").status, 200);
    // Who was let in stays.
    world.run(&["remember", "The kiln is in the yard."]).ok();
    read_until(&mut page, "kiln");
}

#[test]
fn a_hostile_memory_stays_text() {
    let world = World::new();
    let hostile = "<script>alert(1)</script><img src=x onerror=alert(1)> \
        \u{1b}[2J\u{1b}]0;owned\u{7} \u{202e}txt.exe\u{2066} \u{e0041} {{csrf}} {csrf}";
    let line = json!({ "session": "</title><script>alert(2)</script>", "role": "user",
        "content": hostile });
    let file = world.write("hostile.jsonl", &line.to_string());
    world
        .run(&["import", "--from", "jsonl", file.to_str().unwrap()])
        .ok();
    let long = json!({ "session": "long", "role": "user", "content": "y".repeat(1 << 20) });
    let file = world.write("long.jsonl", &long.to_string());
    world
        .run(&["import", "--from", "jsonl", file.to_str().unwrap()])
        .ok();

    let served = Served::start(&world);
    for answer in [
        served.get("/api/sessions"),
        served.get("/api/events"),
        served.post("/api/search", &json!({ "query": "script alert owned" })),
        served.get("/api/sessions/%3C%2Ftitle%3E%3Cscript%3Ealert(2)%3C%2Fscript%3E"),
    ] {
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(answer.header("content-type"), Some("application/json"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        let is_bad = |c: char| {
            c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        };
        assert!(!answer.body.chars().any(is_bad), "{}", answer.body);
    }
    let events = served.ok("/api/events");
    let id = events["events"][1]["id"].as_str().unwrap();
    let stored = served.ok(&format!("/api/events/{id}"));
    assert_eq!(
        stored["event"]["content"]["text"], hostile,
        "what is stored stays whole"
    );
    // The page itself holds nothing that was stored.
    let page = served.request("GET", "/", &[("Cookie", &served.cookie())], "");
    assert!(!page.body.contains("alert") && !page.body.contains("hostile"));
    // An unknown name comes back as data, not as markup.
    let unknown = served.get("/api/nothing?%3Cscript%3E");
    assert!(!unknown.body.contains("<script"));

    let turn = &served.ok("/api/sessions/long")["events"][0]["content"];
    assert_eq!(turn["isCut"], true);
    assert_eq!(turn["chars"], 1 << 20);
    assert!(turn["text"].as_str().unwrap().len() <= 2_000);
    let id = events["events"][0]["id"].as_str().unwrap();
    let whole = served.ok(&format!("/api/events/{id}?full=true"));
    assert_eq!(
        whole["event"]["content"]["text"].as_str().unwrap().len(),
        1 << 20
    );
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_it_at_once_and_well() {
    let world = filled();
    let mut served = Served::start(&world);
    let mut stream = follow(&served, "", "");
    read_until(&mut stream, "connected");
    let id = served.child.id().to_string();
    let sent = std::process::Command::new("kill")
        .args(["-INT", &id])
        .status()
        .unwrap();
    assert!(sent.success());
    assert!(served.child.wait().unwrap().success());
    assert!(world.run(&["check"]).code == 0);
}

#[test]
fn figures_and_lists_are_those_of_a_project() {
    let world = filled();
    for number in 0..3 {
        world.run(&["task", "add", &format!("Task {number}")]).ok();
    }
    world.run(&["task", "cancel", "Task 2"]).ok();
    let served = Served::start(&world);
    for (project, events, sessions) in [("blog", 1, 1), ("shop", 3, 2), ("nowhere", 0, 0)] {
        let stats = served.ok(&format!("/api/stats?project={project}"));
        assert_eq!(stats["memory"]["events"], events, "{stats}");
        assert_eq!(stats["sessions"]["total"], sessions, "{stats}");
    }
    assert_eq!(served.ok("/api/stats")["memory"]["events"], 5);
    let tasks = served.ok("/api/tasks?limit=1");
    assert_eq!(tasks["tasks"].as_array().unwrap().len(), 1, "{tasks}");
    assert_eq!(
        (&tasks["open"], &tasks["hasMore"]),
        (&json!(3), &json!(true))
    );
    let tasks = served.ok("/api/tasks?limit=4");
    assert_eq!(tasks["hasMore"], false, "{tasks}");
    let endless = served.ok("/api/endless?limit=1");
    assert_eq!(endless["hasMore"], false, "{endless}");
    assert_eq!(served.get("/api/endless?limit=0").status, 400);
}

#[test]
fn the_settings_file_is_named_as_what_chose_the_store() {
    let world = World::new();
    world.run(&["remember", "The cache lives in Redis."]).ok();
    let path = world.store();
    let settings = json!({ "storage": { "path": path } }).to_string();
    let settings = world.write("s.json", &settings);
    let mut command = world.command_in(
        "shop",
        &[
            "--settings",
            settings.to_str().unwrap(),
            "view",
            "--no-browser",
        ],
    );
    command.env_remove("RECALLITE_STORE");
    let served = Served::of(command);
    let config = served.ok("/api/config");
    let source = &config["config"]["store"]["source"];
    assert_eq!(source, "--settings or RECALLITE_SETTINGS", "{config}");
}
