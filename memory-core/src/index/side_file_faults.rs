//! Fault injection for tests: makes side file operations fail, and reports which files would
//! survive a power failure.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

/// The faults to inject into one folder, and what was recorded.
#[derive(Default)]
struct Plan {
    operations: u64,
    /// The operation at which to fail, whether all later ones fail too, and the error.
    fault: Option<(u64, bool, std::io::ErrorKind)>,
    /// The files whose names are durable.
    durable: BTreeSet<String>,
}

/// Folders that cannot be listed, and files that cannot be removed.
static OUT_OF_REACH: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

static PLANS: Mutex<BTreeMap<PathBuf, Plan>> = Mutex::new(BTreeMap::new());

/// Calls `work` with the plan of the folder that a path is or is in.
fn with_plan<T>(path: &Path, work: impl FnOnce(&mut Plan) -> T) -> Option<T> {
    let mut plans = PLANS.lock();
    let folder = match path.ends_with("index") {
        true => Some(path),
        false => path.parent(),
    };
    plans.get_mut(folder?).map(work)
}

/// Starts counting the operations on a folder.
pub(crate) fn watch(folder: &Path) {
    PLANS.lock().insert(folder.to_owned(), Plan::default());
}

/// Makes operation `at` fail, or all from it on.
pub(crate) fn fail(folder: &Path, at: u64, for_ever: bool, kind: std::io::ErrorKind) {
    let plan = Plan {
        fault: Some((at, for_ever, kind)),
        ..Plan::default()
    };
    PLANS.lock().insert(folder.to_owned(), plan);
}

/// Stops injecting faults. Returns the number of operations since [`watch`].
pub(crate) fn heal(folder: &Path) -> u64 {
    let plan = PLANS.lock().remove(folder);
    plan.map_or(0, |plan| plan.operations)
}

/// The files of the folder whose names are durable.
pub(crate) fn durable(folder: &Path) -> BTreeSet<String> {
    with_plan(folder, |plan| plan.durable.clone()).unwrap_or_default()
}

/// Makes it impossible to list a folder, or to remove a file, as while it is mapped on Windows.
pub(crate) fn put_out_of_reach(path: &Path) {
    OUT_OF_REACH.lock().insert(path.to_owned());
}

/// Ends what [`put_out_of_reach`] began.
pub(crate) fn put_within_reach(path: &Path) {
    OUT_OF_REACH.lock().remove(path);
}

pub(super) fn reach(path: &Path) -> std::io::Result<()> {
    match OUT_OF_REACH.lock().contains(path) {
        true => Err(std::io::Error::other("a test put it out of reach")),
        false => Ok(()),
    }
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
