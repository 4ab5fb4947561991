//! Results that C reads like plain structs and frees by one call.
//!
//! The struct that C sees lies at the head of a larger allocation, which also
//! holds the texts and arrays that the struct points to.

use std::any::Any;

use crate::text::recallite_str;

/// What a result's pointers point to.
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

    /// A view of `text`, absent when it is `None`.
    pub(crate) fn optional(&mut self, text: Option<impl Into<String>>) -> recallite_str {
        text.map_or(recallite_str::ABSENT, |text| self.text(text))
    }

    /// A pointer to `items`; valid but not to be read when there are none.
    pub(crate) fn array<T: 'static>(&mut self, items: Vec<T>) -> *const T {
        let start = items.as_ptr();
        // Moving a `Vec` leaves its buffer where it is.
        self.arrays.push(Box::new(items));
        start
    }

    /// A pointer to `item`.
    pub(crate) fn one<T: 'static>(&mut self, item: T) -> *const T {
        self.array(vec![item])
    }

    /// Views of several texts.
    pub(crate) fn texts(
        &mut self,
        texts: impl IntoIterator<Item = String>,
    ) -> (*const recallite_str, usize) {
        let views: Vec<_> = texts.into_iter().map(|text| self.text(text)).collect();
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

/// The allocation behind a result. The view comes first, so that a pointer to
/// it is a pointer to the whole.
#[repr(C)]
struct Owned<V> {
    view: V,
    parts: Parts,
}

/// Hands a result over to C.
pub(crate) fn give<V>(build: impl FnOnce(&mut Parts) -> V) -> *mut V {
    let mut parts = Parts::default();
    let view = build(&mut parts);
    Box::into_raw(Box::new(Owned { view, parts })).cast()
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
