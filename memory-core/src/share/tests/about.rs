//! Tests of which projects a record is about.

use super::*;
use crate::rules::endless::MemoryMode;

#[test]
fn what_was_learned_of_a_project_is_about_it_whoever_recorded_it() {
    let stores = stores(1, MemberRole::Owner);
    let laptop = &stores[0];
    let said = laptop.append(prompt("s", "the vault opens at noon").project("bank"));
    let said = said.unwrap();
    let shop = Memory::builder()
        .project("shop")
        .open(laptop.path())
        .unwrap();
    shop.endless().set_mode(MemoryMode::Endless).unwrap();
    for number in 0..12 {
        let text = format!("vault {number} with the roses in the garden, src/roses.rs");
        shop.append(prompt("s", &text).project("bank")).unwrap();
    }
    let fact = |session: &str, title: &str| {
        let entry = NewEntry::new(EntryType::Fact, session, title, title);
        shop.knowledge().add_entry(&entry).unwrap().entry.id
    };
    let (secret, open) = (fact("s", "the vault is green"), fact("t", "apples are red"));
    let ends = EdgeEnds {
        source_type: NodeType::Entry,
        source_id: open.as_str().to_owned(),
        relation: Relation::DerivedFrom,
        destination_type: NodeType::Entry,
        destination_id: secret.as_str().to_owned(),
    };
    shop.knowledge().add_edge(&ends, None).unwrap();
    shop.endless().consolidate().unwrap();
    let end = SessionUpdate {
        summary: Some("the vault".to_owned()),
        ..SessionUpdate::default()
    };
    shop.update_session("s", end).unwrap();
    let sharing = laptop.sharing();
    assert_eq!(sharing.projects_of(said.id).unwrap(), ["bank"]);
    let recorded = laptop.changes_since(crate::Seq(0), 1_000).unwrap();
    let mut seen = BTreeSet::new();
    for event in recorded.iter().filter(|event| is_shared(event.kind)) {
        let projects = sharing.projects_of(event.seq).unwrap();
        let is_about_shop = event.session == "t";
        assert_eq!(
            projects.contains(&"bank".to_owned()),
            !is_about_shop,
            "{} {projects:?}",
            event.kind
        );
        assert!(projects.is_sorted());
        seen.insert(event.kind.as_str());
    }
    for kind in [
        "consolidated",
        "edge_changed",
        "entry_changed",
        "session_changed",
    ] {
        assert!(seen.contains(kind), "{kind}");
    }
    // A session that is moved takes what was learned of it along.
    let moved = SessionUpdate {
        project: Some("safe".to_owned()),
        ..SessionUpdate::default()
    };
    shop.update_session("t", moved).unwrap();
    let learned = recorded.iter().find(|event| event.session == "t").unwrap();
    let projects = sharing.projects_of(learned.seq).unwrap();
    assert!(projects.contains(&"safe".to_owned()), "{projects:?}");
    // What belongs nowhere, and an order.
    let nowhere = laptop.append(prompt("u", "hello")).unwrap();
    assert_eq!(sharing.projects_of(nowhere.id).unwrap(), [""; 0]);
    laptop.forget(&Selector::new().id(said.id)).unwrap();
    let last = laptop.stats().unwrap().last_seq;
    assert_eq!(sharing.projects_of(crate::Seq(last)).unwrap(), [""; 0]);
    let missing = sharing.projects_of(crate::Seq(last + 1)).unwrap_err();
    assert_eq!(missing.code(), ErrorCode::NotFound);
}
