//! Reads structs filled by the caller, whose size tells which version of the header the
//! program was compiled with.

use std::borrow::Cow;
use std::str::FromStr;

use recallite::embed::MAX_DIMENSIONS;
use recallite::scope::ProjectScope;
use recallite::{Dedupe, Error, ErrorCode, EventRef, Json, Result, Timestamp};

use crate::choices::{recallite_dedupe, recallite_scope};
use crate::text::recallite_str;
use crate::words::{PlainWord, word};

/// A boolean passed from C: a byte with any value. The header says `bool`.
#[allow(non_camel_case_types)]
pub(crate) type c_bool = u8;

/// A struct filled by the caller.
///
/// # Safety
/// The type is `repr(C)`, begins with `struct_size: usize`, and every bit pattern,
/// including all zeroes, is a valid value of it.
pub(crate) unsafe trait Input: Copy {
    /// The size of the struct in the first release. Never changes after it.
    const FIRST_SIZE: usize;
}

/// Reads a caller's struct of this version or an older one; fields missing from an older
/// one are zero, which means the default.
///
/// # Safety
/// `input` is NULL or points to a struct whose first field tells its size.
pub(crate) unsafe fn read<T: Input>(argument: &str, input: *const T) -> Result<T> {
    // SAFETY: zeroes are a valid value (`Input`).
    let zeroes = unsafe { std::mem::zeroed::<T>() };
    // SAFETY: the caller keeps the same condition.
    unsafe { read_over(argument, input, zeroes) }
}

/// Like [`read`]; fields missing from an older struct are taken from `base`.
///
/// # Safety
/// As [`read`].
pub(crate) unsafe fn read_over<T: Input>(argument: &str, input: *const T, base: T) -> Result<T> {
    if input.is_null() {
        return Err(Error::invalid(argument, "must not be NULL"));
    }
    if !input.is_aligned() {
        return Err(Error::invalid(argument, "the pointer is not aligned"));
    }
    // SAFETY: not NULL and aligned as just checked; `Input` promises that the
    // size comes first, and the caller that it is readable.
    let size = unsafe { input.cast::<usize>().read() };
    let known = size_of::<T>();
    if size > known && size <= 64 * known && size.is_multiple_of(align_of::<T>()) {
        return Err(Error::new(
            ErrorCode::Unsupported,
            format!("{argument}.struct_size: {size} bytes is the size of a newer library's struct"),
        )
        .with_argument(format!("{argument}.struct_size")));
    }
    // Every struct's size is a multiple of its alignment: another one ends within a field.
    if size < T::FIRST_SIZE || size > known || !size.is_multiple_of(align_of::<T>()) {
        return Err(Error::invalid(
            format!("{argument}.struct_size"),
            format_args!("{size} is not the size of this struct; use RECALLITE_INIT"),
        ));
    }
    // SAFETY: `size` bytes are readable at `input` (the caller) and fit into the
    // copy (just checked).
    Ok(unsafe { overlaid(input, size, base) })
}

/// `base` with its first `size` bytes replaced.
///
/// # Safety
/// `size` bytes are readable at `input`, and `T` has at least so many.
pub(crate) unsafe fn overlaid<T: Input>(input: *const T, size: usize, mut base: T) -> T {
    // SAFETY: the caller's condition; every bit pattern is a valid value (`Input`).
    unsafe {
        std::ptr::copy_nonoverlapping(
            input.cast::<u8>(),
            std::ptr::from_mut(&mut base).cast::<u8>(),
            size,
        );
    }
    base
}

/// Like [`read`], with every field at its default for NULL.
///
/// # Safety
/// As [`read`].
pub(crate) unsafe fn read_or_default<T: Input>(argument: &str, input: *const T) -> Result<T> {
    if input.is_null() {
        // SAFETY: zeroes are a valid value of every `Input`.
        return Ok(unsafe { std::mem::zeroed() });
    }
    // SAFETY: the caller keeps the same condition.
    unsafe { read(argument, input) }
}

/// The maximum length of any list of the interface. A greater length is a mistake, reported
/// before anything is read.
const MAX_ITEMS: usize = 1 << 28;

/// Checks the length of a list before its items are accessed.
pub(crate) fn check_len(argument: &str, len: usize) -> Result<()> {
    if len <= MAX_ITEMS {
        return Ok(());
    }
    Err(Error::invalid(
        argument,
        format_args!("must be at most {MAX_ITEMS} items, not {len}"),
    ))
}

/// An array from the caller; NULL means empty.
///
/// # Safety
/// `items` is NULL or points to `len` readable items.
pub(crate) unsafe fn array<'a, T>(argument: &str, items: *const T, len: usize) -> Result<&'a [T]> {
    if len == 0 {
        return Ok(&[]);
    }
    if items.is_null() {
        return Err(Error::invalid(
            argument,
            format_args!("the pointer is NULL but the length is {len}"),
        ));
    }
    if !items.is_aligned() {
        return Err(Error::invalid(argument, "the pointer is not aligned"));
    }
    check_len(argument, len)?;
    // SAFETY: not NULL, aligned and not too long as just checked; readable by
    // this function's own condition.
    Ok(unsafe { std::slice::from_raw_parts(items, len) })
}

/// Texts from the caller, none of them absent.
///
/// # Safety
/// `texts` is NULL or points to `len` texts that are absent or readable.
pub(crate) unsafe fn texts<'a>(
    argument: &str,
    texts: *const recallite_str,
    len: usize,
) -> Result<Vec<&'a str>> {
    // SAFETY: the caller keeps the same condition.
    unsafe { array(argument, texts, len) }?
        .iter()
        .enumerate()
        .map(|(index, text)| {
            // SAFETY: as above, for each text.
            unsafe { text.required(argument) }
                .map_err(|error| error.about(format!("{argument}[{index}]")))
        })
        .collect()
}

/// An array of structs from the caller. Their stride is the `struct_size` of the program's
/// header, which may be less than this library's.
///
/// # Safety
/// `items` is NULL or points to `len` readable structs, each of which begins
/// with its size.
pub(crate) unsafe fn structs<T: Input, V>(
    argument: &str,
    items: *const T,
    len: usize,
    mut view: impl FnMut(&T) -> Result<V>,
) -> Result<Vec<V>> {
    if len == 0 {
        return Ok(Vec::new());
    }
    check_len(argument, len)?;
    // SAFETY: the caller promises at least one struct.
    unsafe { read(argument, items) }?;
    // SAFETY: `read` checked the pointer, and `Input` that the size comes first.
    let stride = unsafe { items.cast::<usize>().read() };
    // Not preallocated: `len` may be a mistake that the first wrong item reveals.
    let mut list = Vec::new();
    for index in 0..len {
        // Only an error needs the item's name.
        let place = || format!("{argument}[{index}]");
        // SAFETY: within the `len` structs that the caller promised.
        let at = unsafe { items.byte_add(index * stride) };
        // SAFETY: as above.
        let item = match unsafe { read(argument, at) } {
            Ok(item) => item,
            // SAFETY: as above.
            Err(_) => unsafe { read(&place(), at) }?,
        };
        // SAFETY: as for the first.
        let size = unsafe { at.cast::<usize>().read() };
        if size != stride {
            return Err(Error::invalid(
                format!("{}.struct_size", place()),
                format_args!("{size} differs from {stride} of the first item"),
            ));
        }
        list.push(view(&item).map_err(|error| within(&place(), error))?);
    }
    Ok(list)
}

/// The same error about a field of the struct at `place`.
pub(crate) fn within(place: &str, error: Error) -> Error {
    match error.argument() {
        Some(field) => {
            let field = format!("{place}.{field}");
            error.about(field)
        }
        None => error,
    }
}

/// A field's name in errors: bare, and not copied, if the struct has no name.
pub(crate) fn field<'a>(name: &str, field: &'a str) -> Cow<'a, str> {
    match name {
        "" => Cow::Borrowed(field),
        name => Cow::Owned(format!("{name}.{field}")),
    }
}

/// A boolean field.
pub(crate) fn boolean(argument: &str, value: c_bool) -> Result<bool> {
    match value {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(Error::invalid(
            argument,
            format_args!("{other} is neither false (0) nor true (1)"),
        )),
    }
}

/// A time that is present if it is not zero or its `has_` field says so.
pub(crate) fn time(
    flag: &str,
    has: c_bool,
    argument: &str,
    millis: i64,
) -> Result<Option<Timestamp>> {
    match boolean(flag, has)? || millis != 0 {
        true => moment(argument, millis).map(Some),
        false => Ok(None),
    }
}

/// Renames the argument of an error as in C, by pairs of the core's name and C's: an
/// argument, or a field within one (`evidence[1].known_at`), and what its message names.
pub(crate) fn named(names: &[(&str, &str)], error: Error) -> Error {
    let error = with_names(names, error);
    let Some(argument) = error.argument() else {
        return error;
    };
    let in_c = |of: &str| {
        names
            .iter()
            .find(|(core, _)| *core == of)
            .map(|pair| pair.1)
    };
    let (place, field) = match argument.rfind('.') {
        Some(dot) => argument.split_at(dot + 1),
        None => ("", argument),
    };
    let name = match (in_c(argument), in_c(field)) {
        (Some(whole), _) => whole.to_owned(),
        (None, Some(field)) => format!("{place}{field}"),
        (None, None) => return error,
    };
    error.about(name)
}

/// The same error with what its message has between backticks as C calls it.
fn with_names(names: &[(&str, &str)], error: Error) -> Error {
    let mut problem = error.problem().to_owned();
    for (core, in_c) in names {
        problem = problem.replace(&format!("`{core}`"), &format!("`{in_c}`"));
    }
    match error.argument() {
        Some(argument) if problem != error.problem() => {
            Error::new(error.code(), problem).about(argument)
        }
        _ => error,
    }
}

/// A vector from the caller. A length that none has is refused before the numbers are read.
///
/// # Safety
/// As [`array`].
pub(crate) unsafe fn numbers<T: Copy>(
    argument: &str,
    items: *const T,
    len: usize,
) -> Result<Vec<T>> {
    if len > MAX_DIMENSIONS {
        return Err(Error::invalid(
            argument,
            format_args!("must have at most {MAX_DIMENSIONS} numbers, not {len}"),
        ));
    }
    // SAFETY: the caller keeps the same condition.
    Ok(unsafe { array(argument, items, len) }?.to_vec())
}

/// Parsed texts from the caller: ids, or the names of events.
///
/// # Safety
/// As [`texts`].
pub(crate) unsafe fn parsed<T: FromStr<Err = Error>>(
    argument: &str,
    items: *const recallite_str,
    len: usize,
) -> Result<Vec<T>> {
    // SAFETY: the caller keeps the same condition.
    let texts = unsafe { texts(argument, items, len) }?;
    let read = |(index, text): (usize, &str)| {
        let item: Result<T> = text.parse();
        item.map_err(|error| error.about(format!("{argument}[{index}]")))
    };
    texts.into_iter().enumerate().map(read).collect()
}

/// Several words, given by their numbers.
///
/// # Safety
/// `numbers` points to `len` readable numbers, or `len` is 0.
pub(crate) unsafe fn words<W: PlainWord>(
    argument: &str,
    numbers: *const i32,
    len: usize,
) -> Result<Vec<W>> {
    // SAFETY: the caller keeps the same condition.
    unsafe { array(argument, numbers, len) }?
        .iter()
        .enumerate()
        .map(|(index, number)| word(&format!("{argument}[{index}]"), *number))
        .collect()
}

/// A project scope.
///
/// # Safety
/// `project` is absent or readable.
pub(crate) unsafe fn scope(
    argument: &str,
    scope: i32,
    project_argument: &str,
    project: recallite_str,
) -> Result<ProjectScope> {
    use recallite_scope::*;
    // SAFETY: the caller keeps the same condition.
    let project = unsafe { project.optional(project_argument) }?;
    let is = |wanted: recallite_scope| scope == wanted as i32;
    match project {
        Some(name) if is(RECALLITE_SCOPE_NAMED) => Ok(ProjectScope::Named(name.to_owned())),
        None if is(RECALLITE_SCOPE_NAMED) => Err(Error::invalid(
            project_argument,
            "is required for RECALLITE_SCOPE_NAMED",
        )),
        Some(_) if is(RECALLITE_SCOPE_OWN) || is(RECALLITE_SCOPE_ALL) => Err(Error::invalid(
            project_argument,
            "is only valid with RECALLITE_SCOPE_NAMED",
        )),
        None if is(RECALLITE_SCOPE_OWN) => Ok(ProjectScope::Own),
        None if is(RECALLITE_SCOPE_ALL) => Ok(ProjectScope::All),
        _ => Err(Error::invalid(
            argument,
            format_args!("{scope} is not a recallite_scope"),
        )),
    }
}

/// How duplicates are recognised.
///
/// # Safety
/// `key` is absent or readable.
pub(crate) unsafe fn dedupe(
    argument: &str,
    number: i32,
    key_argument: &str,
    key: recallite_str,
) -> Result<Dedupe> {
    use recallite_dedupe::*;
    // SAFETY: the caller keeps the same condition.
    let key = unsafe { key.optional(key_argument) }?;
    let is = |wanted: recallite_dedupe| number == wanted as i32;
    match key {
        Some(key) if is(RECALLITE_DEDUPE_KEY) => Ok(Dedupe::Key(key.to_owned())),
        None if is(RECALLITE_DEDUPE_KEY) => Err(Error::invalid(
            key_argument,
            "is required for RECALLITE_DEDUPE_KEY",
        )),
        Some(_) if is(RECALLITE_DEDUPE_CONTENT) || is(RECALLITE_DEDUPE_NONE) => Err(
            Error::invalid(key_argument, "is only valid with RECALLITE_DEDUPE_KEY"),
        ),
        None if is(RECALLITE_DEDUPE_CONTENT) => Ok(Dedupe::Content),
        None if is(RECALLITE_DEDUPE_NONE) => Ok(Dedupe::None),
        _ => Err(Error::invalid(
            argument,
            format_args!("{number} is not a recallite_dedupe"),
        )),
    }
}

/// The name of an event: an id or a citation.
///
/// # Safety
/// `text` is absent or readable.
pub(crate) unsafe fn event_ref(argument: &str, text: recallite_str) -> Result<EventRef> {
    // SAFETY: the caller keeps the same condition.
    unsafe { text.required(argument) }?
        .parse()
        .map_err(|e: Error| e.about(argument))
}

/// Like [`texts`], owned.
///
/// # Safety
/// As [`texts`].
pub(crate) unsafe fn owned_texts(
    argument: &str,
    texts: *const recallite_str,
    len: usize,
) -> Result<Vec<String>> {
    // SAFETY: the caller keeps the same condition.
    let texts = unsafe { self::texts(argument, texts, len) }?;
    Ok(texts.into_iter().map(str::to_owned).collect())
}

/// A required time.
pub(crate) fn moment(argument: &str, millis: i64) -> Result<Timestamp> {
    Timestamp::from_millis(millis).map_err(|error| error.about(argument))
}

/// The result of a lookup, or `not_found`.
pub(crate) fn existing<T>(argument: &str, found: Option<T>) -> Result<T> {
    found.ok_or_else(|| {
        Error::new(
            ErrorCode::NotFound,
            "there is no such item in this store, or it was forgotten",
        )
        .about(argument)
    })
}

/// JSON that must be given.
///
/// # Safety
/// `text` is absent or readable.
pub(crate) unsafe fn needed_json(argument: &str, text: recallite_str) -> Result<Json> {
    // SAFETY: the caller keeps the same condition.
    Json::parse(argument, unsafe { text.required(argument) }?)
}

/// JSON; absent means none.
///
/// # Safety
/// `text` is absent or readable.
pub(crate) unsafe fn json(argument: &str, text: recallite_str) -> Result<Option<Json>> {
    // SAFETY: the caller keeps the same condition.
    unsafe { text.optional(argument) }?
        .map(|text| Json::parse(argument, text))
        .transpose()
}
