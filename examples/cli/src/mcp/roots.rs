//! The folder in which a client works, from its roots. VS Code starts the servers of a user in the
//! home folder, and only its roots say what is open.
//!
//! The protocol has declared roots obsolete, and its version of 2026 does not let a server ask for
//! them. Clients of that version start their servers in the folder, or name the project.

use std::path::PathBuf;
use std::time::Duration;

use rmcp::{Peer, RoleServer};

/// How long a client is waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// The first root of a client that is a folder on this machine.
#[expect(deprecated, reason = "the clients that need it are older")]
pub(super) async fn first(peer: &Peer<RoleServer>) -> Option<PathBuf> {
    peer.peer_info()?.capabilities.roots.as_ref()?;
    let asked = tokio::time::timeout(PATIENCE, peer.list_roots());
    let listed = asked.await.ok()?.ok()?;
    listed
        .roots
        .iter()
        .filter_map(|root| folder_of(&root.uri))
        .find(|folder| folder.is_dir())
}

/// The folder that an address `file:///…` names.
fn folder_of(uri: &str) -> Option<PathBuf> {
    let (scheme, rest) = uri.split_once("://")?;
    if !scheme.eq_ignore_ascii_case("file") {
        return None;
    }
    // Before the path there may be this machine's name.
    let path = unescaped(&rest[rest.find('/')?..])?;
    let has_drive = path.as_bytes().get(2) == Some(&b':');
    Some(match cfg!(windows) && has_drive {
        true => path[1..].into(),
        false => path.into(),
    })
}

/// The text with its escapes (`%20`) replaced; `None` if it is then not UTF-8.
fn unescaped(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        let escaped = (byte == b'%')
            .then(|| std::str::from_utf8(behind.get(..2)?).ok())
            .flatten()
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(escaped.unwrap_or(byte));
        rest = match escaped {
            Some(_) => &behind[2..],
            None => behind,
        };
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn an_address_names_a_folder() {
        for (uri, folder) in [
            ("file:///home/ada/shop", Some("/home/ada/shop")),
            (
                "FILE://localhost/home/a%20da/%EC%95%B1",
                Some("/home/a da/앱"),
            ),
            ("file:///100%/x%zz", Some("/100%/x%zz")),
            ("file:///%ff", None),
            ("file://", None),
            ("https://example.com/shop", None),
            ("vscode-remote://ssh/home", None),
            ("/home/ada", None),
        ] {
            assert_eq!(folder_of(uri), folder.map(PathBuf::from), "{uri}");
        }
    }

    #[cfg(windows)]
    #[test]
    fn an_address_names_a_folder_of_a_drive() {
        let folder = folder_of("file:///c%3A/Users/ada");
        assert_eq!(folder, Some(PathBuf::from("c:/Users/ada")));
    }
}
