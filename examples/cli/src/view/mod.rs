//! `recallite view`: the memory in a browser, for the person at this machine.
//!
//! A web server on 127.0.0.1 while the command runs. It serves nobody who does not know its token,
//! and no page of another origin: see `guard`. The library's calls block, so each runs on a
//! separate thread beside the runtime.

mod asked;
mod assets;
mod browser;
mod connections;
mod events;
mod figures;
mod guard;
mod learned;
mod log_place;
mod marks;
mod pages;
mod refused;
mod remove;
mod routes;
mod search;
mod sessions;
mod settings;
mod shapes;
mod stream;
mod tasks;
mod viewer;

use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::select;
use serde_json::{Value, json};

use crate::arguments::{Place, View};
use crate::failure::{Failure, Outcome};
use crate::output::Output;
use guard::Guard;
use viewer::Viewer;

/// How long running calls may take after the command was interrupted.
const PATIENCE: Duration = Duration::from_secs(2);

/// The requested port, or that of the settings, and what names it; 0 for a free one.
fn port_of(place: &Place, asked: &View) -> Outcome<(u16, &'static str)> {
    const SETTING: &str = "viewer.port";
    if let Some(port) = asked.port {
        return Ok((port, "--port"));
    }
    let set = place.setting(SETTING)?.and_then(|port| port.as_u64());
    let set = set.and_then(|port| u16::try_from(port).ok());
    Ok((set.unwrap_or(0), SETTING))
}

/// Serves until the command is interrupted; `settings` are those of the command.
pub(crate) fn serve(
    place: &Place,
    asked: &View,
    settings: Vec<Value>,
    output: &mut Output,
) -> Outcome {
    let memory = place.open()?;
    let (port, named_by) = port_of(place, asked)?;
    let listener = listen(port, named_by)?;
    let port = listener.local_addr().map_err(|e| failed(&e))?.port();
    let guard = Guard::new(port).map_err(|e| failed(&e))?;
    let address = guard.address();
    let code = (!asked.no_browser).then(|| guard.address_for_a_browser());
    let viewer = Arc::new(Viewer::new(place, memory, guard, settings)?);
    tell(&address, asked.no_browser, output)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .build()
        .map_err(|error| failed(&error))?;
    let served = runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        if let Some(code) = code {
            browser::open(&code);
        }
        let server = connections::serve(listener, routes::all(&viewer));
        select(pin!(server), pin!(interrupted())).await;
        Ok(())
    });
    runtime.shutdown_timeout(PATIENCE);
    viewer.close();
    served.map_err(|error: std::io::Error| failed(&error))
}

fn failed(error: &dyn std::fmt::Display) -> Failure {
    Failure::said(format!("the viewer: {error}"))
}

fn listen(port: u16, named_by: &str) -> Outcome<TcpListener> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| {
        Failure::said(match error.kind() {
            ErrorKind::AddrInUse => format!(
                "{named_by}: {port} is used by another program; choose another port with --port, \
                 where 0 is a free one"
            ),
            _ => format!("{named_by}: {port} on 127.0.0.1: {error}"),
        })
    })?;
    listener.set_nonblocking(true).map_err(|e| failed(&e))?;
    Ok(listener)
}

/// Programs read the address from the first line; people get a sentence too.
fn tell(address: &str, is_alone: bool, output: &mut Output) -> Outcome {
    match (output.is_json(), is_alone) {
        (true, _) => output.json(&json!({ "address": address })),
        (false, true) => output.say(address),
        (false, false) => {
            output.say("Opening the memory in your browser. If nothing opens, go to:");
            output.say(address);
        }
    }
    if !output.is_json() {
        output.say("Press Ctrl-C to stop.");
    }
    output.flush()
}

/// Completes when a person or the system ends the command.
async fn interrupted() {
    let by_a_person = pin!(tokio::signal::ctrl_c());
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut asked_to) = signal(SignalKind::terminate()) {
            select(by_a_person, pin!(asked_to.recv())).await;
            return;
        }
    }
    let _ = by_a_person.await;
}
