//! Results that C reads as plain structs and frees with one call.
//!
//! The struct that C sees is at the start of a larger allocation, which also holds the
//! texts and arrays that the struct points to.

use std::any::Any;

use recallite::rules::align::{QuoteSpan, Span};
use recallite::rules::entries::EntryId;
use recallite::rules::outbox::JobId;
use recallite::rules::tasks::EntityId;
use recallite::transcript::LineProblem;
use recallite::{CitationId, EventId, Json, Seq, Timestamp};

use crate::text::recallite_str;

/// Owns what a result's pointers point to.
#[derive(Default)]
pub(crate) struct Parts {
    texts: Vec<String>,
    arrays: Vec<Box<dyn Any>>,
}

impl Parts {
    /// A view of `text`, followed by a zero byte.
    pub(crate) fn text(&mut self, text: impl Into<String>) -> recallite_str {
        let mut text: String = text.into();
        text.reserve_exact(1);
        text.push('\0');
        let view = recallite_str {
            ptr: text.as_ptr().cast(),
            len: text.len() - 1,
        };
        self.texts.push(text);
        view
    }

    /// A view of `text`, absent for `None`.
    pub(crate) fn optional(&mut self, text: Option<impl Into<String>>) -> recallite_str {
        text.map_or(recallite_str::ABSENT, |text| self.text(text))
    }

    /// A pointer to `items`; valid but not to be read if there are none.
    pub(crate) fn array<T: 'static>(&mut self, items: Vec<T>) -> *const T {
        let start = items.as_ptr();
        // Moving a `Vec` does not move its buffer.
        self.arrays.push(Box::new(items));
        start
    }

    /// A pointer to `item`.
    pub(crate) fn one<T: 'static>(&mut self, item: T) -> *const T {
        self.array(vec![item])
    }

    /// An array of the values in their C form.
    pub(crate) fn values<T: Show>(
        &mut self,
        values: impl IntoIterator<Item = T>,
    ) -> (*const T::View, usize)
    where
        T::View: 'static,
    {
        let views: Vec<_> = values.into_iter().map(|one| one.show(self)).collect();
        let len = views.len();
        (self.array(views), len)
    }

    /// A list of pointers to items, so that an item's struct can grow without
    /// breaking programs that were compiled against a smaller one.
    pub(crate) fn list<S, T: 'static>(
        &mut self,
        items: Vec<S>,
        mut view: impl FnMut(&mut Parts, S) -> T,
    ) -> (*const *const T, usize) {
        let len = items.len();
        let views: Vec<T> = items.into_iter().map(|item| view(self, item)).collect();
        let start = self.array(views);
        let pointers: Vec<*const T> = (0..len).map(|index| start.wrapping_add(index)).collect();
        (self.array(pointers), len)
    }
}

/// The allocation behind a result. The view comes first, so that a pointer to it is a
/// pointer to the whole.
#[repr(C)]
struct Owned<V> {
    view: V,
    parts: Parts,
}

/// Hands a result to C.
pub(crate) fn give<V>(build: impl FnOnce(&mut Parts) -> V) -> *mut V {
    let mut parts = Parts::default();
    let view = build(&mut parts);
    Box::into_raw(Box::new(Owned { view, parts })).cast()
}

/// Hands one record to C.
pub(crate) fn give_one<T: Show>(record: T) -> *mut T::View {
    give(|parts| record.show(parts))
}

/// Hands a list of records to C.
pub(crate) fn give_list<T: Listed>(records: Vec<T>) -> *mut T::List
where
    T::View: 'static,
{
    give(|parts| {
        let (items, len) = list(records, parts);
        T::listed(items, len)
    })
}

/// A pointer to a record inside another one.
pub(crate) fn shown<T: Show>(record: T, parts: &mut Parts) -> *const T::View
where
    T::View: 'static,
{
    let view = record.show(parts);
    parts.one(view)
}

/// Pointers to records inside another one.
pub(crate) fn list<T: Show>(records: Vec<T>, parts: &mut Parts) -> (*const *const T::View, usize)
where
    T::View: 'static,
{
    parts.list(records, |parts, one| one.show(parts))
}

/// Takes a result back and frees it.
///
/// # Safety
/// `view` is NULL or came from [`give`] with the same type and was not freed.
pub(crate) unsafe fn free<V>(view: *mut V) {
    if !view.is_null() {
        // SAFETY: `give` made this pointer from a `Box<Owned<V>>`, whose first
        // field is the view (`repr(C)`), and nobody freed it.
        drop(unsafe { Box::from_raw(view.cast::<Owned<V>>()) });
    }
}

/// A core value that is visible to C in a result.
pub(crate) trait Show {
    /// The C form; what it points to is in the result's parts.
    type View;

    fn show(self, parts: &mut Parts) -> Self::View;
}

/// A record type that calls return in lists.
pub(crate) trait Listed: Show {
    /// The struct of a list in C.
    type List;

    fn listed(items: *const *const Self::View, len: usize) -> Self::List;
}

/// Borrowed values are copied.
impl<T: Show + Clone> Show for &T {
    type View = T::View;

    fn show(self, parts: &mut Parts) -> T::View {
        self.clone().show(parts)
    }
}

macro_rules! numbers {
    ($($given:ty => $view:ty, $value:ident: $made:expr;)*) => {$(
        impl Show for $given {
            type View = $view;

            fn show(self, _: &mut Parts) -> $view {
                let $value = self;
                $made
            }
        }
    )*};
}

numbers! {
    bool => bool, value: value;
    u16 => u32, value: value.into();
    u32 => u32, value: value;
    u64 => u64, value: value;
    usize => usize, value: value;
    i64 => i64, value: value;
    f32 => f32, value: value;
    f64 => f64, value: value;
    Seq => u64, seq: seq.0;
    JobId => u64, job: job.0;
    Timestamp => i64, time: time.millis();
}

macro_rules! texts {
    ($($given:ty: $text:expr),* $(,)?) => {$(
        impl Show for $given {
            type View = recallite_str;

            fn show(self, parts: &mut Parts) -> recallite_str {
                let text: fn(Self) -> String = $text;
                parts.text(text(self))
            }
        }
    )*};
}

texts! {
    String: |text| text,
    &str: str::to_owned,
    EventId: |id| id.to_string(),
    CitationId: |id| id.as_str().to_owned(),
    EntryId: |id| id.as_str().to_owned(),
    EntityId: |id| id.as_str().to_owned(),
    Json: |json| json.as_str().to_owned(),
    LineProblem: |problem| problem.to_string(),
}

/// A half-open range: it includes start and excludes end.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct recallite_span {
    /// The first position inside the range.
    pub start: usize,
    /// The first position after the range.
    pub end: usize,
}

/// A part of a text, counted in three units; all three cover the same characters.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct recallite_quote_span {
    /// The range in bytes of UTF-8 (C, C++, Rust).
    pub bytes: recallite_span,
    /// The range in UTF-16 code units (JavaScript, Java, Windows).
    pub utf16: recallite_span,
    /// The range in Unicode code points (Python).
    pub chars: recallite_span,
}

/// All zero for none.
impl Show for Option<QuoteSpan> {
    type View = recallite_quote_span;

    fn show(self, parts: &mut Parts) -> recallite_quote_span {
        const NONE: Span = Span { start: 0, end: 0 };
        let nowhere = QuoteSpan {
            bytes: NONE,
            utf16: NONE,
            chars: NONE,
        };
        self.unwrap_or(nowhere).show(parts)
    }
}

impl Show for QuoteSpan {
    type View = recallite_quote_span;

    fn show(self, _: &mut Parts) -> recallite_quote_span {
        let view = |span: Span| recallite_span {
            start: span.start,
            end: span.end,
        };
        recallite_quote_span {
            bytes: view(self.bytes),
            utf16: view(self.utf16),
            chars: view(self.chars),
        }
    }
}
