//! For tests: side files whose writing fails at a chosen operation, and which of them would
//! survive a power cut.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

/// What a test wants of the side files of one folder, and what it learned.
#[derive(Default)]
struct Plan {
    operations: u64,
    /// From which operation on it fails, whether once or for ever, and how.
    fault: Option<(u64, bool, std::io::ErrorKind)>,
    /// The files whose names reached the disk.
    durable: BTreeSet<String>,
}

static PLANS: Mutex<BTreeMap<PathBuf, Plan>> = Mutex::new(BTreeMap::new());

/// The folder of side files that a path is, or lies in.
fn with_plan<T>(path: &Path, work: impl FnOnce(&mut Plan) -> T) -> Option<T> {
    let mut plans = PLANS.lock();
    let folder = match path.ends_with("index") {
        true => Some(path),
        false => path.parent(),
    };
    plans.get_mut(folder?).map(work)
}

/// Counts the operations on this folder from now on.
pub(crate) fn watch(folder: &Path) {
    PLANS.lock().insert(folder.to_owned(), Plan::default());
}

/// Lets one operation fail, or all from it on.
pub(crate) fn fail(folder: &Path, at: u64, for_ever: bool, kind: std::io::ErrorKind) {
    let plan = Plan {
        fault: Some((at, for_ever, kind)),
        ..Plan::default()
    };
    PLANS.lock().insert(folder.to_owned(), plan);
}

/// How many operations there were since the folder is watched; nothing fails any more.
pub(crate) fn heal(folder: &Path) -> u64 {
    let plan = PLANS.lock().remove(folder);
    plan.map_or(0, |plan| plan.operations)
}

/// The files of the folder whose names are on the disk.
pub(crate) fn durable(folder: &Path) -> BTreeSet<String> {
    with_plan(folder, |plan| plan.durable.clone()).unwrap_or_default()
}

pub(super) fn operate(path: &Path) -> std::io::Result<()> {
    let failed = with_plan(path, |plan| {
        let now = plan.operations;
        plan.operations += 1;
        match plan.fault {
            Some((at, for_ever, kind)) if now == at || (for_ever && now > at) => Some(kind),
            _ => None,
        }
    });
    match failed.flatten() {
        Some(kind) => Err(kind.into()),
        None => Ok(()),
    }
}

pub(super) fn synced(folder: &Path) {
    let names = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = names.filter_map(|entry| entry.file_name().into_string().ok());
    with_plan(folder, |plan| plan.durable.extend(names));
}
