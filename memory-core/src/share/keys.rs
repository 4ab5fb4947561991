//! A store's identity: its own Ed25519 key, created on first use.

use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};

use crate::engine::Engine;
use crate::model::error::{Error, Result};
use crate::model::hex::{hex, unhex};
use crate::model::sharing::Member;
use crate::store::ReadTx;
use crate::store::shared::sharing_rows::{Identity, SharingRows};
use crate::store::shared::store_key::{StoreKey, store_key};

/// Signs for this store.
pub(crate) struct Signer {
    key: SigningKey,
    pub(crate) store: StoreKey,
}

impl Signer {
    fn new(seed: &[u8; 32]) -> Self {
        let key = SigningKey::from_bytes(seed);
        let store = store_key(key.verifying_key().as_bytes());
        Signer { key, store }
    }

    /// The public key in its text form.
    pub(crate) fn identity(&self) -> String {
        hex(self.key.verifying_key().as_bytes())
    }

    pub(crate) fn public_key(&self) -> [u8; 32] {
        self.key.verifying_key().to_bytes()
    }

    pub(crate) fn sign(&self, bytes: &[u8]) -> String {
        hex(&self.key.sign(bytes).to_bytes())
    }
}

/// The public key of an identity.
///
/// # Errors
/// `invalid_argument` naming `argument`.
pub(crate) fn public_key(argument: &str, identity: &str) -> Result<[u8; 32]> {
    unhex(identity)
        .filter(|key| VerifyingKey::from_bytes(key).is_ok())
        .ok_or_else(|| {
            Error::invalid(
                argument,
                "must be 64 hexadecimal digits, as returned by `identity` of the other store",
            )
        })
}

/// Whether a public key is one with which nothing can be signed.
pub(crate) fn is_weak(public: &[u8; 32]) -> bool {
    VerifyingKey::from_bytes(public).is_ok_and(|key| key.is_weak())
}

/// Whether the owner of a public key signed these bytes.
pub(crate) fn is_signed(public: &[u8; 32], bytes: &[u8], signature: &str) -> bool {
    let (Ok(key), Some(signature)) = (VerifyingKey::from_bytes(public), unhex(signature)) else {
        return false;
    };
    key.verify_strict(bytes, &Signature::from_bytes(&signature))
        .is_ok()
}

/// This store's key, created if missing.
pub(crate) fn signer(engine: &Engine) -> Result<Signer> {
    if let Some(identity) = engine.store.read()?.identity()? {
        return Ok(Signer::new(&identity.seed));
    }
    let (seed, made) = new_signer(engine);
    engine.store.write(|tx| match tx.identity()? {
        // Another process was faster.
        Some(identity) => Ok(Signer::new(&identity.seed)),
        None => {
            let key = made.store;
            tx.set_identity(Some(&Identity { seed, key }))?;
            Ok(made)
        }
    })
}

fn new_signer(engine: &Engine) -> ([u8; 32], Signer) {
    let salts = [engine.store.new_salt(), engine.store.new_salt()].concat();
    let seed = blake3::derive_key("recallite 2026 key of a member", &salts);
    (seed, Signer::new(&seed))
}

/// [`Sharing::renew_identity`](crate::Sharing::renew_identity).
pub(crate) fn renew(engine: &Engine) -> Result<String> {
    let (seed, made) = new_signer(engine);
    engine.store.write(|tx| {
        let key = made.store;
        tx.renew_identity(&Identity { seed, key })
    })?;
    Ok(made.identity())
}

/// The members, each with the store's local key for it.
pub(crate) fn with_keys(read: &ReadTx) -> Result<Vec<(StoreKey, Member)>> {
    let keyed = |member: Member| {
        let key = store_key(&public_key("identity", &member.identity)?);
        Ok((key, member))
    };
    read.members()?.into_iter().map(keyed).collect()
}
