//! A fence around names in an error, which may come before any memory is open.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;

use recallite::text::fence::{fence_token, fenced};

/// Puts the text between marks that nothing inside can close. It is not of a store, so it is not
/// recognised if it comes back; for the text of memories there is `Memory::fence`.
pub(crate) fn fenced_here(body: &str) -> String {
    fenced(&fence_token(&unguessable(), body), body)
}

/// A secret that no author of a stored text could know.
fn unguessable() -> [u8; 32] {
    let mut secret = [0; 32];
    for (index, part) in secret.chunks_mut(8).enumerate() {
        part.copy_from_slice(&RandomState::new().hash_one(index).to_le_bytes());
    }
    secret
}
