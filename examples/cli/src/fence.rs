//! A fence of our own around text that the store did not fence.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;

use recallite::text::fence::{fence_token, fenced};

/// The text between marks that nothing inside can close. The store's own secret is
/// not ours to have, so that this fence is not known again when it returns.
pub(crate) fn fenced_here(body: &str) -> String {
    fenced(&fence_token(&unguessable(), body), body)
}

/// A secret that nobody who wrote a stored text could know.
fn unguessable() -> [u8; 32] {
    let mut secret = [0; 32];
    for (index, part) in secret.chunks_mut(8).enumerate() {
        part.copy_from_slice(&RandomState::new().hash_one(index).to_le_bytes());
    }
    secret
}
