//! The stored form of dedupe keys.

use crate::model::event::Dedupe;

/// The stored form of a dedupe key: 16 bytes of a hash keyed with the store's secret. The parts are
/// length-prefixed, so that different keys never hash the same input.
pub(crate) fn dedupe_hash(
    secret: &[u8; 32],
    session: &str,
    dedupe: &Dedupe,
    content: &str,
) -> Option<[u8; 16]> {
    let (tag, text) = match dedupe {
        Dedupe::Content => (0u8, content),
        Dedupe::Key(key) => (1, key.as_str()),
        Dedupe::None => return None,
    };
    let mut hasher = blake3::Hasher::new_keyed(secret);
    hasher.update(&[tag]);
    // The caller's own keys apply to the whole store: a message UUID of an importer identifies the
    // same message in every session.
    if tag == 0 {
        hasher.update(&(session.len() as u64).to_le_bytes());
        hasher.update(session.as_bytes());
    }
    hasher.update(text.as_bytes());
    Some(
        hasher.finalize().as_bytes()[..16]
            .try_into()
            .expect("a BLAKE3 hash has 32 bytes"),
    )
}
