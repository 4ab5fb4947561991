//! Batches of records that somebody chose.

use super::*;

/// What a server that hides some projects returns: how far a store has come, and selected
/// lines of records.
fn selected(from: &Memory, is_given: impl Fn(&SharedRecord) -> bool) -> (String, u64) {
    let last = from.stats().unwrap().last_seq;
    let answer = from.sharing().batch_since(last, 0).unwrap();
    let mut batch = answer.lines;
    for line in from
        .sharing()
        .batch_since(0, 1_000)
        .unwrap()
        .lines
        .lines()
        .skip(1)
    {
        if is_given(&serde_json::from_str(line).unwrap()) {
            batch.push_str(line);
            batch.push('\n');
        }
    }
    (batch, last)
}

#[test]
fn selected_records_are_taken_without_the_others() {
    let stores = stores(2, MemberRole::Owner);
    let (sender, receiver) = (&stores[0], &stores[1]);
    for (project, text) in [("shop", "apples"), ("bank", "money"), ("shop", "pears")] {
        let event = prompt("s", text).project(project);
        sender.append(event).unwrap();
    }
    let (batch, last) = selected(sender, |record| record.project == "shop");
    let received = receiver
        .sharing()
        .receive_selected(&batch, 0, last)
        .unwrap();
    assert_eq!((received.records, received.through), (2, last));
    assert!(finds(receiver, "apples"));
    assert!(!finds(receiver, "money"));
    let again = receiver
        .sharing()
        .receive_selected(&batch, 0, last)
        .unwrap();
    assert_eq!((again.records, again.duplicates), (0, 2));
    // What is granted later, because rights changed, is requested from the beginning.
    let (all, last) = selected(sender, |_| true);
    receiver.sharing().receive_selected(&all, 0, last).unwrap();
    assert_eq!(
        receiver.sharing().shared_hash().unwrap(),
        sender.sharing().shared_hash().unwrap()
    );
}

#[test]
fn a_selection_says_no_more_than_its_store_signed() {
    let stores = stores(2, MemberRole::Owner);
    let (sender, receiver) = (&stores[0], &stores[1]);
    for text in ["one", "two", "three"] {
        sender.append(prompt("s", text)).unwrap();
    }
    let (batch, last) = selected(sender, |_| true);
    let refused = |batch: &str, since: u64, through: u64, argument: &str| {
        let error = receiver
            .sharing()
            .receive_selected(batch, since, through)
            .unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidArgument, "{error}");
        assert_eq!(error.argument(), Some(argument), "{error}");
    };
    refused(&batch, 0, last + 1, "through");
    refused(&batch, last, 0, "through");
    refused(&batch, 0, last - 1, "batch");
    refused(&batch, 1, last, "batch");
    refused(&batch.replace("two", "tow"), 0, last, "batch");
    let whole = sender.sharing().batch_since(0, 1_000).unwrap().lines;
    refused(&whole, 0, last, "batch");
    // How far the store has come is signed too.
    let far = batch.replacen(&format!("\"through\":{last}"), "\"through\":900", 1);
    let far = far.replacen(&format!("\"from\":{last}"), "\"from\":900", 1);
    refused(&far, 0, 900, "batch");
    assert_eq!(receiver.stats().unwrap().events, 0);
    // A gap remains to be filled.
    let (rest, _) = selected(sender, |record| record.position > 1);
    let received = receiver.sharing().receive_selected(&rest, 1, last).unwrap();
    assert_eq!((received.records, received.through), (2, 0));
}
