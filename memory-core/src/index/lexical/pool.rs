//! Short slices, one behind the other in a single allocation: the words of an index that is built in
//! memory, their word pieces, and positions.

/// Where a slice of a [`Pool`] is.
#[derive(Clone, Copy, Default)]
pub(crate) struct Span {
    start: u32,
    length: u8,
}

/// Slices of at most 255 items.
#[derive(Clone)]
pub(crate) struct Pool<T>(Vec<T>);

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Pool(Vec::new())
    }
}

impl<T: Copy> Pool<T> {
    #[inline]
    pub(crate) fn keep(&mut self, slice: &[T]) -> Span {
        let start = self.0.len() as u32;
        self.0.extend_from_slice(slice);
        Span {
            start,
            length: slice.len() as u8,
        }
    }

    pub(crate) fn keep_all(&mut self, items: impl Iterator<Item = T>) -> Span {
        let start = self.0.len();
        self.0.extend(items);
        Span {
            start: start as u32,
            length: (self.0.len() - start) as u8,
        }
    }

    #[inline]
    pub(crate) fn get(&self, span: Span) -> &[T] {
        &self.0[span.start as usize..][..span.length as usize]
    }
}
