//! The net under the storage engine: what it meets on a damaged page can trip
//! one of its assertions, and bytes from the disk must neither take the host
//! down nor print anything.
//!
//! Every call into the engine runs in [`sound`], which tells an assertion of the
//! engine as `corrupt`. Reading goes through [`super::checked`], whose tables do
//! it by themselves; a write transaction is one such call as a whole.
//!
//! A caught panic has called the process's panic hook before, which prints it.
//! [`sound`] therefore puts a hook of its own in front, once: it is silent about
//! panics inside of the engine that are about to be caught here, and hands
//! everything else to the hook that was there before. A panic in code of this
//! library is a defect, not damage: it is printed and goes on upwards.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, resume_unwind};
use std::path::{Component, Path};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::model::error::{Error, ErrorCode, Result};

thread_local! {
    /// How many nets the thread is in.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    /// What the hook saw of the panic that is under way.
    static SEEN: RefCell<Option<Seen>> = const { RefCell::new(None) };
    /// The damaged page that was read and not told yet.
    static DAMAGED_PAGE: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Notes that the engine was given an empty page in the place of a damaged one.
pub(super) fn note_damage(page: u64) {
    DAMAGED_PAGE.set(Some(DAMAGED_PAGE.get().unwrap_or(page)));
}

/// The page that was noted, which is then told.
pub(super) fn take_damage() -> Option<u64> {
    DAMAGED_PAGE.take()
}

/// Whose panic it was.
enum Seen {
    Engine { place: String },
    Other,
}

/// Runs what reads or writes through the engine. An assertion of the engine
/// becomes an error; the engine refuses to write after one in the middle of a
/// write.
///
/// # Errors
/// Those of `work`; `corrupt` for a panic of the engine.
pub(super) fn sound<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    sound_or(work, || {})
}

/// As [`sound`]; an assertion of the engine calls `on_damage` before it is told.
pub(super) fn sound_or<T>(work: impl FnOnce() -> Result<T>, on_damage: impl FnOnce()) -> Result<T> {
    let result = caught(work).unwrap_or_else(|place| {
        on_damage();
        Err(damaged(&place))
    });
    no_damage().and(result)
}

/// Whether no damaged page was read since the last step that told of one.
///
/// # Errors
/// `corrupt` with the page, once.
pub(super) fn no_damage() -> Result<()> {
    match take_damage() {
        Some(page) => Err(damaged_because(&format!(
            "page {page} is not what was written"
        ))),
        None => Ok(()),
    }
}

/// Runs what lets go of something of the engine: what it meets while doing so
/// was reported by the call before or will be by the next.
pub(super) fn contained(work: impl FnOnce()) {
    let _ = caught(work);
    take_damage();
}

/// `Err` holds the place in the engine, when it is known.
fn caught<T>(work: impl FnOnce() -> T) -> std::result::Result<T, String> {
    /// Leaves the net also when the work panics.
    struct InNet;
    impl Drop for InNet {
        fn drop(&mut self) {
            DEPTH.set(DEPTH.get() - 1);
        }
    }
    // Nobody waits for who puts the hook: in the child of a process that forked at
    // that moment nobody would ever come back to it.
    static HAS_HOOK: AtomicBool = AtomicBool::new(false);
    // Setting a hook is forbidden to a thread that panics; the next call does it.
    if !HAS_HOOK.load(Ordering::Acquire)
        && !std::thread::panicking()
        && !HAS_HOOK.swap(true, Ordering::AcqRel)
    {
        put_hook();
    }
    let result = {
        DEPTH.set(DEPTH.get() + 1);
        let _in_net = InNet;
        catch_unwind(AssertUnwindSafe(work))
    };
    result.map_err(|payload| {
        match SEEN.with_borrow_mut(Option::take) {
            Some(Seen::Engine { place }) => place,
            // The host has put its own hook in front of ours since.
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
        // A borrow can only fail when the panic is in here, which is ours.
        let _ = SEEN.try_with(|slot| slot.try_borrow_mut().map(|mut slot| *slot = Some(seen)));
        if !is_engine {
            before(info);
        }
    }));
}

/// File and line, when the panic was raised by the engine, or by the standard
/// library for it.
fn place_in_engine(info: &PanicHookInfo<'_>) -> Option<String> {
    let location = info.location()?;
    let file = location.file();
    let own = file!()
        .strip_suffix("net.rs")
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

/// The error for bytes of the store's file that cannot be what was written.
pub(super) fn damaged_because(problem: &str) -> Error {
    Error::new(
        ErrorCode::Corrupt,
        format!("the store's file is damaged ({problem}); {WAY_OUT}"),
    )
}

/// What to do about a damaged file.
pub(super) const WAY_OUT: &str =
    "run check() to see whether rebuild() helps or a backup must be restored";

#[cfg(test)]
mod tests {
    use super::*;

    /// A panic that the engine raises.
    fn engine_panic() {
        use redb::Value;
        <&str as Value>::from_bytes(&[0xff]);
    }

    #[test]
    fn an_assertion_of_the_engine_is_damage_and_one_of_ours_is_not() {
        let error = sound(|| -> Result<()> {
            engine_panic();
            Ok(())
        })
        .expect_err("the engine panicked");
        assert_eq!(error.code(), ErrorCode::Corrupt);
        assert!(error.message().contains("types.rs:"), "{error}");
        contained(engine_panic);
        let ours = catch_unwind(|| sound(|| -> Result<()> { panic!("a defect") }));
        let payload = ours.expect_err("goes on upwards");
        assert_eq!(payload.downcast_ref::<&str>(), Some(&"a defect"));
        assert_eq!(DEPTH.get(), 0);
    }

    #[test]
    fn a_net_inside_a_destructor_holds_while_another_panic_goes_by() {
        struct Closing;
        impl Drop for Closing {
            fn drop(&mut self) {
                contained(engine_panic);
            }
        }
        let passing = catch_unwind(|| {
            let _closing = Closing;
            panic!("a defect");
        });
        assert!(passing.is_err());
    }
}
