//! Tests of what two stores must agree on to have one hash.

use super::trust::{records_of, signed_by};
use super::*;
use crate::model::event::ToolUse;
use crate::share::lines::SharedTool;

type Change = fn(&mut SharedRecord);

fn tool(record: &mut SharedRecord) -> &mut SharedTool {
    record.tool.as_mut().unwrap()
}

#[test]
fn two_stores_that_took_different_records_with_one_id_have_different_hashes() {
    let changes: [(&str, Change); 14] = [
        ("content", |it| it.content.push('!')),
        ("project", |it| it.project.push('!')),
        ("actor", |it| it.actor.push('!')),
        ("metadata", |it| it.metadata = Some("{\"a\":1}".to_owned())),
        ("origin", |it| it.origin = "web".to_owned()),
        ("stamp", |it| it.stamp += 1),
        ("time", |it| it.timestamp += 1),
        ("position", |it| it.position += 7),
        ("tool name", |it| tool(it).name.push('!')),
        ("input", |it| tool(it).input = Some("{\"a\":1}".to_owned())),
        ("output", |it| tool(it).output.push('!')),
        ("duration", |it| tool(it).duration_ms = Some(9)),
        ("success", |it| tool(it).success ^= true),
        ("indexes", |it| tool(it).tool_index = Some(7)),
    ];
    for (what, change) in changes {
        let stores = stores(4, MemberRole::Writer);
        let [author, thief, one, other] = &stores[..] else {
            unreachable!()
        };
        let call = ToolUse {
            name: "Read".to_owned(),
            output: "zqoutput".to_owned(),
            ..ToolUse::default()
        };
        author.append(NewEvent::tool("s", call)).unwrap();
        let mut record = records_of(author).remove(0);
        change(&mut record);
        let batch = signed_by(thief, BatchHeader::default(), vec![record]);
        send(author, one).unwrap();
        other.sharing().receive(&batch).unwrap();
        let error = one.sharing().receive(&batch).unwrap_err();
        assert_eq!(error.code(), ErrorCode::AlreadyExists, "{what}: {error}");
        let error = send(author, other).unwrap_err();
        assert_eq!(error.code(), ErrorCode::AlreadyExists, "{what}: {error}");
        let hash = |store: &Store| store.sharing().shared_hash().unwrap();
        assert_ne!(hash(one), hash(other), "{what}");
        assert_eq!(hash(one), hash(author), "{what}");
    }
}
