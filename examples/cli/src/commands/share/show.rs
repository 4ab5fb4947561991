//! Output of the sharing commands, for people and programs.

use recallite::{Announced, Member};
use serde_json::{Value, json};

use super::exchange::{Received, Sent};
use crate::failure::with_commands;
use crate::lines::counted;
use crate::output::{Line, Look, Output};
use crate::removal::tell_open;

pub(super) fn member_json(member: &Member) -> Value {
    json!({
        "identity": member.identity,
        "name": member.name,
        "role": member.role.as_str(),
        "since": member.since.to_string(),
    })
}

/// A member with its whole identity, which is compared with what its own `share status` says.
pub(super) fn member_line(member: &Member) -> Line {
    Line::new()
        .add(Look::Id, format_args!("{}  ", member.identity))
        .add(Look::Strong, &member.name)
        .plain(format_args!("  {}", member.role))
}

pub(super) fn announced_json(other: &Announced) -> Value {
    json!({ "identity": other.identity, "name": other.name })
}

pub(super) fn sent_json(sent: &Sent) -> Value {
    match sent {
        Sent::Folder(pushed) => json!({
            "files": pushed.files,
            "records": pushed.records,
            "rewritten": pushed.rewritten,
        }),
        Sent::Server(pushed) => json!({
            "records": pushed.records,
            "removed": pushed.removed,
            "rewritten": pushed.rewritten,
        }),
    }
}

pub(super) fn pulled_json(received: &Received) -> Value {
    let Received { pulled, erased } = received;
    json!({
        "files": pulled.files,
        "records": pulled.records,
        "duplicates": pulled.duplicates,
        "refused": pulled.refused,
        "forgotten": pulled.forgotten,
        "strangers": pulled.strangers,
        "erased": {
            "count": erased.count,
            "is_complete": erased.is_complete,
            "unclean_places": erased.unclean_places,
            "advice": erased.advice.as_deref().map(with_commands),
        },
    })
}

pub(super) fn show_sent(sent: &Sent, output: &mut Output) {
    if output.is_json() {
        output.json(&sent_json(sent));
        return;
    }
    let line = Line::new().add(Look::Good, "pushed");
    let line = match sent {
        Sent::Folder(pushed) => {
            let line = line.plain(format_args!(
                " {} in {}",
                counted(pushed.records, "record", "records"),
                counted(pushed.files, "file", "files")
            ));
            match pushed.rewritten {
                0 => line,
                files => line.plain(format_args!(
                    "; rewrote {} whose records changed",
                    counted(files, "file", "files")
                )),
            }
        }
        Sent::Server(pushed) => {
            let records = counted(pushed.records, "record", "records");
            let line = line.plain(format_args!(" {records}"));
            match pushed.removed {
                0 => line,
                removed => line.plain(format_args!(
                    "; removed {}",
                    counted(removed, "record", "records")
                )),
            }
        }
    };
    output.line(line);
}

pub(super) fn show_pulled(received: &Received, output: &mut Output) {
    if output.is_json() {
        output.json(&pulled_json(received));
        return;
    }
    let pulled = &received.pulled;
    let line = Line::new().add(Look::Good, "pulled");
    output.line(line.plain(format_args!(
        " {}, {} already known, {} forgotten by others",
        counted(pulled.records, "record", "records"),
        pulled.duplicates,
        pulled.forgotten
    )));
    for identity in &pulled.strangers {
        let line = Line::new().add(Look::Warning, "ignored: ");
        output.line(
            line.add(Look::Id, identity)
                .plain(" is not a member; accept it with `recallite share members --add`"),
        );
    }
    tell_open(&received.erased, output);
}
