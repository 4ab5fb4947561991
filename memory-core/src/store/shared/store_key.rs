//! The short name of a store: what its records and rows are keyed by.

/// A store's key: the first 16 bytes of the BLAKE3 hash of its public key.
pub(crate) type StoreKey = [u8; 16];

/// The key of a store by its public key.
pub(crate) fn store_key(public: &[u8; 32]) -> StoreKey {
    let hash = blake3::hash(public);
    *hash.as_bytes().first_chunk().expect("a hash has 32 bytes")
}
