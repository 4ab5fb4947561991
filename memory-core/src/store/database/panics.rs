//! Catches panics of the storage engine: a damaged page can trip one of its assertions, and
//! bytes from disk must neither crash the host nor print anything.
//!
//! Every call into the engine runs in [`catch_panic`], which reports an assertion of the engine
//! as `corrupt`. The tables of [`crate::store::database::checked`] do that for every read; a write
//! transaction is a single such call.
//!
//! By the time a panic is caught, the process's panic hook has already printed it.
//! [`catch_panic`] therefore installs its own hook, once: it is silent about engine panics that
//! are about to be caught here, and passes everything else to the previous hook. A panic in
//! this library's own code is a defect, not damage: it is printed and propagates.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, resume_unwind};
use std::path::{Component, Path};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::model::error::{Error, ErrorCode, Result};

thread_local! {
    /// How many calls of [`catch_panic`] the thread is in.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    /// What the hook saw of the current panic.
    static SEEN: RefCell<Option<Seen>> = const { RefCell::new(None) };
    /// The damaged page that was read but not reported yet.
    static DAMAGED_PAGE: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Notes that the engine was given an empty page in place of a damaged one.
pub(in crate::store) fn note_damage(page: u64) {
    DAMAGED_PAGE.set(Some(DAMAGED_PAGE.get().unwrap_or(page)));
}

/// Takes the noted page, to report it.
pub(in crate::store) fn take_damage() -> Option<u64> {
    DAMAGED_PAGE.take()
}

/// Whose panic it was.
enum Seen {
    Engine { place: String },
    Other,
}

/// Runs work that reads or writes through the engine. An assertion of the engine becomes an
/// error; after one in the middle of a write, the engine refuses to write.
///
/// # Errors
/// Those of `work`; `corrupt` for a panic of the engine.
pub(in crate::store) fn catch_panic<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_panic_or(work, || {})
}

/// Like [`catch_panic`]; calls `on_damage` on an assertion of the engine before returning its
/// error.
pub(in crate::store) fn catch_panic_or<T>(
    work: impl FnOnce() -> Result<T>,
    on_damage: impl FnOnce(),
) -> Result<T> {
    let result = caught(work).unwrap_or_else(|place| {
        on_damage();
        Err(damaged(&place))
    });
    match take_damage() {
        Some(page) => Err(damaged_page(page)),
        None => result,
    }
}

/// Checks that no damaged page was read since the last report.
///
/// # Errors
/// `corrupt` with the page, once.
pub(in crate::store) fn no_damage() -> Result<()> {
    match take_damage() {
        Some(page) => Err(damaged_page(page)),
        None => Ok(()),
    }
}

#[cold]
fn damaged_page(page: u64) -> Error {
    damaged_because(&format!("page {page} is not what was written"))
}

/// Drops something of the engine: damage met while doing so was reported by the call before
/// or will be by the next.
pub(in crate::store) fn drop_quietly(work: impl FnOnce()) {
    let _ = caught(work);
    take_damage();
}

/// `Err` contains the place in the engine, if known.
fn caught<T>(work: impl FnOnce() -> T) -> std::result::Result<T, String> {
    let (mut work, mut result) = (Some(work), None);
    run_caught(&mut || result = work.take().map(|work| work()))?;
    Ok(result.expect("the work has run to its end"))
}

/// The part of [`caught`] that is the same for all work, compiled once.
fn run_caught(work: &mut dyn FnMut()) -> std::result::Result<(), String> {
    /// Counts down even if the work panics.
    struct Guarded;
    impl Drop for Guarded {
        fn drop(&mut self) {
            DEPTH.set(DEPTH.get() - 1);
        }
    }
    // No locking around installing the hook: in a child forked at that moment, the lock
    // would never be released.
    static HAS_HOOK: AtomicBool = AtomicBool::new(false);
    // A panicking thread must not set a hook; the next call does it.
    if !HAS_HOOK.load(Ordering::Acquire)
        && !std::thread::panicking()
        && !HAS_HOOK.swap(true, Ordering::AcqRel)
    {
        put_hook();
    }
    let result = {
        DEPTH.set(DEPTH.get() + 1);
        let _guarded = Guarded;
        catch_unwind(AssertUnwindSafe(work))
    };
    result.map_err(|payload| {
        match SEEN.try_with(RefCell::take).ok().flatten() {
            Some(Seen::Engine { place }) => place,
            // The host has installed its own hook over ours since.
            None => String::new(),
            Some(Seen::Other) => resume_unwind(payload),
        }
    })
}

fn put_hook() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let in_net = DEPTH.try_with(|depth| depth.get() > 0).unwrap_or(false);
        if !in_net {
            return before(info);
        }
        let place = place_in_engine(info);
        let is_engine = place.is_some();
        let seen = place.map_or(Seen::Other, |place| Seen::Engine { place });
        // A borrow can fail only if the panic happened in here, which is ours.
        let _ = SEEN.try_with(|slot| slot.try_borrow_mut().map(|mut slot| *slot = Some(seen)));
        if !is_engine {
            before(info);
        }
    }));
}

/// File and line, if the panic was raised by the engine, or by the standard library on its
/// behalf.
fn place_in_engine(info: &PanicHookInfo<'_>) -> Option<String> {
    let location = info.location()?;
    let file = location.file();
    let own = file!()
        .strip_suffix("panics.rs")
        .unwrap_or("")
        .trim_end_matches("store/");
    if file.starts_with(own) {
        return None;
    }
    let is_part = |part: Component<'_>| {
        let part = part.as_os_str().to_str().unwrap_or("");
        part.starts_with("redb") || part == "rustc" || part == "library"
    };
    if !Path::new(file).components().any(is_part) {
        return None;
    }
    let name = Path::new(file).file_name()?.to_str()?;
    Some(format!("{name}:{}", location.line()))
}

fn damaged(place: &str) -> Error {
    match place {
        "" => damaged_because("the storage engine cannot read it"),
        place => damaged_because(&format!("the storage engine stopped at {place}")),
    }
}

/// The error for bytes in the store's file that cannot have been written.
pub(in crate::store) fn damaged_because(problem: &str) -> Error {
    Error::new(
        ErrorCode::Corrupt,
        format!("the store's file is damaged ({problem}); {WAY_OUT}"),
    )
}

/// The remedy for a damaged file.
pub(in crate::store) const WAY_OUT: &str =
    "run check() to see whether rebuild() helps or a backup must be restored";

/// The error for a record that is not there.
pub(crate) fn missing_record(seq: u64) -> Error {
    Error::new(
        ErrorCode::Corrupt,
        format!("record {seq} is missing from the log; {WAY_OUT}"),
    )
}

/// The error for two tables that contradict each other, so one must be damaged.
pub(crate) fn disagreement(seq: u64, what: &str) -> Error {
    Error::new(
        ErrorCode::Corrupt,
        format!("{what} disagree about event {seq}; {WAY_OUT}"),
    )
}

#[cfg(test)]
mod tests {
    use crate::store::database::panics::*;

    /// A panic that the engine raises.
    fn engine_panic() {
        use redb::Value;
        <&str as Value>::from_bytes(&[0xff]);
    }

    #[test]
    fn an_assertion_of_the_engine_is_damage_and_one_of_ours_is_not() {
        let error = catch_panic(|| -> Result<()> {
            engine_panic();
            Ok(())
        })
        .expect_err("the engine panicked");
        assert_eq!(error.code(), ErrorCode::Corrupt);
        assert!(error.message().contains("types.rs:"), "{error}");
        drop_quietly(engine_panic);
        let ours = catch_unwind(|| catch_panic(|| -> Result<()> { panic!("a defect") }));
        let payload = ours.expect_err("goes on upwards");
        assert_eq!(payload.downcast_ref::<&str>(), Some(&"a defect"));
        assert_eq!(DEPTH.get(), 0);
    }

    #[test]
    fn a_net_inside_a_destructor_holds_while_another_panic_goes_by() {
        struct Closing;
        impl Drop for Closing {
            fn drop(&mut self) {
                drop_quietly(engine_panic);
            }
        }
        let passing = catch_unwind(|| {
            let _closing = Closing;
            panic!("a defect");
        });
        assert!(passing.is_err());
    }
}
