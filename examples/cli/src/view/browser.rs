//! Opens the user's browser with the platform's command.

use std::process::{Command, Stdio};

/// Opens the address. It is not an error if there is no browser, because the address was printed.
pub(super) fn open(address: &str) {
    let mut command = opener();
    command
        .arg(address)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if let Ok(mut opened) = command.spawn() {
        // Waited for, so that it does not become a zombie.
        let _ = std::thread::Builder::new()
            .name("recallite-browser".to_owned())
            .spawn(move || opened.wait());
    }
}

#[cfg(target_os = "macos")]
fn opener() -> Command {
    Command::new("open")
}

#[cfg(windows)]
fn opener() -> Command {
    let mut command = Command::new("rundll32");
    command.arg("url.dll,FileProtocolHandler");
    command
}

#[cfg(not(any(windows, target_os = "macos")))]
fn opener() -> Command {
    Command::new("xdg-open")
}
