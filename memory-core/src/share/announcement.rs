//! A store's signed announcement of its identity and name.

use serde::{Deserialize, Serialize};

use crate::engine::Engine;
use crate::model::error::{Error, Result};
use crate::model::sharing::Announced;
use crate::privacy::check_name;
use crate::share::keys::{is_signed, public_key, signer};
use crate::write::prepare::kept_name;

/// Maximum size of an announcement.
pub(crate) const MAX_ANNOUNCEMENT_BYTES: u64 = 64 << 10;

const DOMAIN: &[u8] = b"recallite 2026 announced member 1";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Announcement {
    identity: String,
    name: String,
    signature: String,
}

fn to_be_signed(name: &str) -> Vec<u8> {
    [DOMAIN, name.as_bytes()].concat()
}

/// [`Sharing::announcement`](crate::Sharing::announcement).
pub(crate) fn write(engine: &Engine, name: &str) -> Result<String> {
    check_name("name", name)?;
    let name = kept_name(engine, name)?;
    let signer = signer(engine)?;
    let said = Announcement {
        identity: signer.identity(),
        signature: signer.sign(&to_be_signed(&name)),
        name,
    };
    serde_json::to_string(&said).map_err(|e| Error::invalid("name", e))
}

/// [`Sharing::read_announcement`](crate::Sharing::read_announcement).
pub(crate) fn read(text: &str) -> Result<Announced> {
    let wrong = |problem: &str| Error::invalid("announcement", problem);
    if text.len() as u64 > MAX_ANNOUNCEMENT_BYTES {
        return Err(wrong("is too long for an announcement"));
    }
    let said: Announcement =
        serde_json::from_str(text).map_err(|_| wrong("is not the announcement of a store"))?;
    let public = public_key("announcement", &said.identity)?;
    check_name("announcement", &said.name)?;
    if !is_signed(&public, &to_be_signed(&said.name), &said.signature) {
        return Err(wrong("is not signed by the store it names"));
    }
    Ok(Announced {
        identity: said.identity,
        name: said.name,
    })
}
