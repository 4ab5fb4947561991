//! Hooks in Codex's `config.toml`, which it reads beside `hooks.json`. What somebody wrote there that
//! calls this program is replaced by what `install` writes into the other file.

use toml_edit::{DocumentMut, Item, TableLike, Value};

use super::handlers::is_our_hook;

/// The name of the hooks in both files, and of the handlers in a group.
pub(super) const HOOKS: &str = "hooks";

/// Removes our handlers from `[hooks]`, and what becomes empty; returns whether there were any.
pub(super) fn remove_ours(config: &mut DocumentMut) -> bool {
    let Some(events) = config.get_mut(HOOKS).and_then(Item::as_table_like_mut) else {
        return false;
    };
    let names: Vec<String> = events.iter().map(|(name, _)| name.to_owned()).collect();
    let mut found = false;
    for name in names {
        let Some(groups) = events.get_mut(&name) else {
            continue;
        };
        let mut is_here = false;
        let is_left = retain(groups, &mut |group| keeps_others(group, &mut is_here));
        found |= is_here;
        if is_here && !is_left {
            events.remove(&name);
        }
    }
    if found && events.is_empty() {
        config.remove(HOOKS);
    }
    found
}

/// Removes our handlers from a group; false if the group has no others.
fn keeps_others(group: &mut dyn TableLike, found: &mut bool) -> bool {
    let Some(handlers) = group.get_mut(HOOKS) else {
        return true;
    };
    let mut is_here = false;
    let is_left = retain(handlers, &mut |handler| {
        let is_ours = is_ours(handler);
        is_here |= is_ours;
        !is_ours
    });
    *found |= is_here;
    is_left || !is_here
}

/// Whether `[hooks]` has a handler that calls this program.
pub(super) fn has_ours(config: &DocumentMut) -> bool {
    remove_ours(&mut config.clone())
}

/// Whether `[hooks]` has a handler of whatever program.
pub(super) fn has_any(config: &DocumentMut) -> bool {
    let events = config.get(HOOKS).and_then(Item::as_table_like);
    // A table is no list of groups: Codex keeps there which hooks are trusted.
    let is_list = |item: &Item| item.is_array_of_tables() || item.is_array();
    events.is_some_and(|events| events.iter().any(|(_, item)| is_list(item)))
}

fn is_ours(handler: &dyn TableLike) -> bool {
    let command = handler.get("command").and_then(Item::as_str);
    command.is_some_and(is_our_hook)
}

/// Keeps those tables of a list for which this holds; returns whether any are left. What is no list
/// of tables is left as it is.
fn retain(list: &mut Item, keeps: &mut dyn FnMut(&mut dyn TableLike) -> bool) -> bool {
    match list {
        Item::ArrayOfTables(tables) => {
            for at in (0..tables.len()).rev() {
                if tables.get_mut(at).is_some_and(|table| !keeps(table)) {
                    tables.remove(at);
                }
            }
            !tables.is_empty()
        }
        Item::Value(Value::Array(tables)) => {
            for at in (0..tables.len()).rev() {
                let table = tables.get_mut(at).and_then(Value::as_inline_table_mut);
                if table.is_some_and(|table| !keeps(table)) {
                    tables.remove(at);
                }
            }
            !tables.is_empty()
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_handlers_are_removed() {
        let others = "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\n\
                      command = \"say done\"\n";
        let ours = "[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"/old/recallite hook\"\n";
        let state = "[hooks.state.\"x\"]\ntrusted_hash = \"y\"\n";
        for (before, after) in [
            (others.to_owned(), None),
            (format!("{others}{ours}"), Some(others.to_owned())),
            (
                format!("[[hooks.Stop]]\n{ours}{state}"),
                Some(state.to_owned()),
            ),
            (format!("model = \"x\"\n[[hooks.Stop]]\n{ours}"), Some("model = \"x\"\n".to_owned())),
            (
                "[hooks]\nStop = [{ hooks = [{ command = \"recallite hook\" }] }]\n".to_owned(),
                Some(String::new()),
            ),
            (
                "[hooks]\nStop = [{ hooks = [{ command = \"a\" }, { command = \"recallite hook\" }] }]\n"
                    .to_owned(),
                Some("[hooks]\nStop = [{ hooks = [{ command = \"a\" }] }]\n".to_owned()),
            ),
            ("hooks = 7\n".to_owned(), None),
            ("[hooks]\nStop = \"recallite hook\"\n".to_owned(), None),
        ] {
            let mut config: DocumentMut = before.parse().unwrap();
            assert_eq!(has_ours(&config), after.is_some(), "{before}");
            assert_eq!(remove_ours(&mut config), after.is_some(), "{before}");
            assert_eq!(config.to_string(), after.unwrap_or(before));
            assert!(!has_ours(&config));
        }
    }

    #[test]
    fn which_hooks_are_trusted_is_no_hook() {
        let has_any = |text: &str| has_any(&text.parse::<DocumentMut>().unwrap());
        assert!(!has_any("[hooks.state.\"x\"]\ntrusted_hash = \"y\"\n"));
        assert!(!has_any("model = \"x\"\n"));
        assert!(has_any("[[hooks.Stop]]\n"));
        assert!(has_any("[hooks]\nStop = []\n"));
    }
}
