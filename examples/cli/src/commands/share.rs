//! `share`: one memory on several machines, over a folder that all of them see.

use std::path::{Path, PathBuf};
use std::time::Duration;

use recallite::{Member, MemberRole, Memory, Pulled, Pushed};
use serde_json::{Value, json};

use crate::arguments::{Members, Paused, Place, Share, SharePlace};
use crate::failure::{Failure, Outcome};
use crate::lines::counted;
use crate::output::{Line, Look, Output};

/// Where the store keeps which folder it is shared in.
const PLACE_FILE: &str = "share.json";
/// How often a watch looks.
const PAUSE: Duration = Duration::from_millis(700);
/// So many digits of an identity are shown in a list.
const SHORT: usize = 16;

pub(crate) fn run(place: &Place, act: &Share, output: &mut Output) -> Outcome {
    match act {
        Share::Init(asked) => init(place, asked, output),
        Share::Join(asked) => join(place, asked, output),
        Share::Push => {
            let memory = place.open()?;
            let folder = shared_in(place)?;
            let pushed = memory.sharing().push_folder(&folder)?;
            show_pushed(&pushed, output);
            Ok(())
        }
        Share::Pull => {
            let memory = place.open()?;
            let folder = shared_in(place)?;
            let pulled = pull(&memory, &folder)?;
            show_pulled(&pulled, output);
            Ok(())
        }
        Share::Watch => watch(place, output),
        Share::Status => status(place, output),
        Share::Members(asked) => members(place, asked, output),
        Share::Withhold(asked) => withhold(place, asked, true, output),
        Share::Offer(asked) => withhold(place, asked, false, output),
    }
}

/// The folder of a place that was asked for; it is made when it is missing.
fn folder_of(text: &str) -> Outcome<PathBuf> {
    if text.contains("://") {
        return Err(Failure::usage(format!(
            "{text}: only folders can be shared in for now; name one that all machines see"
        )));
    }
    let folder = PathBuf::from(text);
    std::fs::create_dir_all(&folder).map_err(|error| Failure::io(&folder, &error))?;
    folder
        .canonicalize()
        .map_err(|error| Failure::io(&folder, &error))
}

fn place_file(place: &Place) -> Outcome<PathBuf> {
    Ok(place.folder()?.join(PLACE_FILE))
}

/// Where this memory is shared.
fn shared_in(place: &Place) -> Outcome<PathBuf> {
    let file = place_file(place)?;
    let text = std::fs::read_to_string(&file).map_err(|_| {
        Failure::not_found(
            "this memory is not shared; `recallite share init DIR` or `share join DIR` begins it",
        )
    })?;
    let value: Value = serde_json::from_str(&text).unwrap_or_default();
    match value["folder"].as_str() {
        Some(folder) => Ok(PathBuf::from(folder)),
        None => Err(Failure::said(format!(
            "{} is damaged; `recallite share join DIR` writes it again",
            file.display()
        ))),
    }
}

fn set_shared_in(place: &Place, folder: &Path) -> Outcome {
    let file = place_file(place)?;
    let text = json!({ "folder": folder.to_string_lossy() }).to_string();
    std::fs::write(&file, text).map_err(|error| Failure::io(&file, &error))
}

fn name_of(asked: &SharePlace) -> String {
    let host = || {
        std::fs::read_to_string("/etc/hostname")
            .ok()
            .map(|name| name.trim().to_owned())
            .or_else(|| std::env::var("COMPUTERNAME").ok())
            .filter(|name| !name.is_empty())
    };
    asked
        .name
        .clone()
        .or_else(host)
        .unwrap_or_else(|| "a machine".to_owned())
}

fn role(is_owner: bool) -> MemberRole {
    match is_owner {
        true => MemberRole::Owner,
        false => MemberRole::Writer,
    }
}

fn init(place: &Place, asked: &SharePlace, output: &mut Output) -> Outcome {
    let memory = place.open_or_create()?;
    let folder = folder_of(&asked.place)?;
    let sharing = memory.sharing();
    sharing.announce(&folder, &name_of(asked))?;
    set_shared_in(place, &folder)?;
    let pushed = sharing.push_folder(&folder)?;
    let identity = sharing.identity()?;
    if output.is_json() {
        output.json(&json!({
            "folder": folder.to_string_lossy(),
            "identity": identity,
            "pushed": pushed_json(&pushed),
        }));
        return Ok(());
    }
    let line = Line::new().add(Look::Good, "shared");
    output.line(line.plain(format_args!(" in {}", folder.display())));
    output.say(format_args!("this store is {identity}"));
    show_pushed(&pushed, output);
    output.say("on the other machine: recallite share join DIR; then here once more, to take it as a member");
    Ok(())
}

fn join(place: &Place, asked: &SharePlace, output: &mut Output) -> Outcome {
    let memory = place.open_or_create()?;
    let folder = folder_of(&asked.place)?;
    let sharing = memory.sharing();
    sharing.announce(&folder, &name_of(asked))?;
    set_shared_in(place, &folder)?;
    let own = sharing.identity()?;
    let known = sharing.members()?;
    let mut added = Vec::new();
    for other in sharing.announced(&folder)? {
        let is_known = known.iter().any(|member| member.identity == other.identity);
        if other.identity != own && !is_known {
            sharing.add_member(&other.identity, &other.name, role(asked.owner))?;
            added.push(other);
        }
    }
    let pulled = pull(&memory, &folder)?;
    let pushed = sharing.push_folder(&folder)?;
    if output.is_json() {
        let added: Vec<Value> = added
            .iter()
            .map(|other| json!({ "identity": other.identity, "name": other.name }))
            .collect();
        output.json(&json!({
            "folder": folder.to_string_lossy(),
            "identity": own,
            "added": added,
            "pulled": pulled_json(&pulled),
            "pushed": pushed_json(&pushed),
        }));
        return Ok(());
    }
    for other in &added {
        let line = Line::new().add(Look::Good, "new member ");
        let line = line.add(Look::Strong, &other.name);
        output.line(line.add(Look::Id, format_args!("  {}", other.identity)));
    }
    if added.is_empty() {
        output.say("nobody new is there");
    }
    show_pulled(&pulled, output);
    show_pushed(&pushed, output);
    Ok(())
}

/// Takes what is new, and carries out what others had erased.
fn pull(memory: &Memory, folder: &Path) -> Outcome<Pulled> {
    let pulled = memory.sharing().pull_folder(folder)?;
    memory.sharing().erase_ordered()?;
    Ok(pulled)
}

fn watch(place: &Place, output: &mut Output) -> Outcome {
    let memory = place.open()?;
    let folder = shared_in(place)?;
    output.say(format_args!("watching {}", folder.display()));
    output.flush()?;
    let mut last_problem = String::new();
    loop {
        let step = memory
            .sharing()
            .push_folder(&folder)
            .map_err(Failure::from)
            .and_then(|pushed| Ok((pushed, pull(&memory, &folder)?)));
        match step {
            Ok((pushed, pulled)) => {
                last_problem.clear();
                if pushed.records + pushed.rewritten > 0 {
                    show_pushed(&pushed, output);
                }
                if pulled.files > 0 {
                    show_pulled(&pulled, output);
                }
            }
            // A stick that was drawn comes back; a file that is not whole yet becomes so.
            Err(failure) if failure.message() != last_problem => {
                last_problem = failure.message();
                let line = Line::new().add(Look::Warning, "waiting: ");
                output.line(line.plain(&last_problem));
            }
            Err(_) => {}
        }
        output.flush()?;
        std::thread::sleep(PAUSE);
    }
}

fn status(place: &Place, output: &mut Output) -> Outcome {
    let memory = place.open()?;
    let folder = shared_in(place)?;
    let sharing = memory.sharing();
    let members = sharing.members()?;
    let marks = sharing.watermarks()?;
    let own = sharing.identity()?;
    let position = |member: &Member| {
        let mark = marks.iter().find(|mark| mark.identity == member.identity);
        mark.map_or(0, |mark| mark.position)
    };
    let strangers: Vec<_> = sharing
        .announced(&folder)?
        .into_iter()
        .filter(|other| other.identity != own)
        .filter(|other| {
            !members
                .iter()
                .any(|member| member.identity == other.identity)
        })
        .collect();
    let unanswered = sharing.unanswered_erasures()?;
    if output.is_json() {
        let list: Vec<Value> = members
            .iter()
            .map(|member| {
                let mut value = member_json(member);
                value["received_through"] = position(member).into();
                value
            })
            .collect();
        let strangers: Vec<Value> = strangers
            .iter()
            .map(|other| json!({ "identity": other.identity, "name": other.name }))
            .collect();
        output.json(&json!({
            "folder": folder.to_string_lossy(),
            "identity": own,
            "shared_hash": sharing.shared_hash()?,
            "members": list,
            "strangers": strangers,
            "unanswered_erasures": unanswered.iter().map(|erasure| json!({
                "seq": erasure.seq.0,
                "erased_at": erasure.erased_at.to_string(),
                "waiting_for": erasure.waiting_for,
            })).collect::<Vec<Value>>(),
        }));
        return Ok(());
    }
    output.say(format_args!("shared in {}", folder.display()));
    output.say(format_args!("this store is {own}"));
    for member in &members {
        let line = member_line(member);
        output.line(line.plain(format_args!("  received through {}", position(member))));
    }
    for other in &strangers {
        let line = Line::new().add(Look::Warning, "no member yet ");
        let line = line.add(Look::Strong, &other.name);
        output.line(line.add(Look::Id, format_args!("  {}", other.identity)));
    }
    for erasure in &unanswered {
        let line = Line::new().add(Look::Warning, "erased, not yet everywhere: ");
        output.line(line.plain(format_args!(
            "{}, waiting for {}",
            erasure.erased_at,
            counted(erasure.waiting_for.len() as u64, "member", "members")
        )));
    }
    if !strangers.is_empty() {
        output.say("`recallite share join DIR` takes them all, `share members --add` one");
    }
    Ok(())
}

fn members(place: &Place, asked: &Members, output: &mut Output) -> Outcome {
    let memory = place.open()?;
    let sharing = memory.sharing();
    if let Some(identity) = &asked.add {
        let name = asked.name.as_deref().unwrap_or("a machine");
        sharing.add_member(identity, name, role(asked.owner))?;
    }
    if let Some(identity) = &asked.remove
        && !sharing.remove_member(identity)?
    {
        return Err(Failure::not_found(format!("{identity} is no member")));
    }
    let members = sharing.members()?;
    if output.is_json() {
        let items: Vec<Value> = members.iter().map(member_json).collect();
        output.json(&json!({ "items": items }));
        return Ok(());
    }
    if members.is_empty() {
        output.say("this memory takes records of nobody else");
    }
    for member in &members {
        output.line(member_line(member));
    }
    Ok(())
}

fn withhold(place: &Place, asked: &Paused, is_withheld: bool, output: &mut Output) -> Outcome {
    let memory = place.open_or_create()?;
    let (scope, name) = asked.scope(&memory);
    let is_changed = match is_withheld {
        true => memory.sharing().withhold(scope, &name)?,
        false => memory.sharing().offer(scope, &name)?,
    };
    if output.is_json() {
        output.json(&json!({
            "scope": scope.as_str(),
            "name": name,
            "withheld": is_withheld,
            "changed": is_changed,
        }));
        return Ok(());
    }
    let said = match is_withheld {
        true => "kept from the others:",
        false => "shared with the others:",
    };
    let line = Line::new().add(Look::Good, said);
    output.line(line.plain(format_args!(" the {scope} {name}")));
    Ok(())
}

fn member_json(member: &Member) -> Value {
    json!({
        "identity": member.identity,
        "name": member.name,
        "role": member.role.as_str(),
        "since": member.since.to_string(),
    })
}

fn member_line(member: &Member) -> Line {
    let short = member.identity.get(..SHORT).unwrap_or(&member.identity);
    Line::new()
        .add(Look::Id, format_args!("{short}…  "))
        .add(Look::Strong, &member.name)
        .plain(format_args!("  {}", member.role))
}

fn pushed_json(pushed: &Pushed) -> Value {
    json!({
        "files": pushed.files,
        "records": pushed.records,
        "rewritten": pushed.rewritten,
    })
}

fn pulled_json(pulled: &Pulled) -> Value {
    json!({
        "files": pulled.files,
        "records": pulled.records,
        "duplicates": pulled.duplicates,
        "refused": pulled.refused,
        "forgotten": pulled.forgotten,
        "strangers": pulled.strangers,
    })
}

fn show_pushed(pushed: &Pushed, output: &mut Output) {
    if output.is_json() {
        output.json(&pushed_json(pushed));
        return;
    }
    let line = Line::new().add(Look::Good, "pushed");
    let line = line.plain(format_args!(
        " {} in {}",
        counted(pushed.records, "record", "records"),
        counted(pushed.files, "file", "files")
    ));
    let line = match pushed.rewritten {
        0 => line,
        files => line.plain(format_args!(
            "; {} written again without what is gone",
            counted(files, "file", "files")
        )),
    };
    output.line(line);
}

fn show_pulled(pulled: &Pulled, output: &mut Output) {
    if output.is_json() {
        output.json(&pulled_json(pulled));
        return;
    }
    let line = Line::new().add(Look::Good, "pulled");
    output.line(line.plain(format_args!(
        " {}, {} known already, {} forgotten by others",
        counted(pulled.records, "record", "records"),
        pulled.duplicates,
        pulled.forgotten
    )));
    for identity in &pulled.strangers {
        let line = Line::new().add(Look::Warning, "not read: ");
        output.line(
            line.add(Look::Id, identity)
                .plain(" is no member; `recallite share members --add` takes it"),
        );
    }
}
