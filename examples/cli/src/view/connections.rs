//! Serves connections, a limited number of them to strangers: any program on this machine can
//! connect, and one that sends half a request each time must not keep the others out.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// How long the head of a request may take, and how long a connection may wait for the next one.
const HEAD_PATIENCE: Duration = Duration::from_secs(30);

/// Connections without an admitted request. One more ends the oldest of them that has had its time.
const MAX_STRANGERS: usize = 64;

/// A browser that opens many connections at once has said by then who it is.
const GRACE: Duration = Duration::from_secs(1);

/// So many are ended without it.
const MAX_AT_ONCE: usize = 256;

/// The pause before the next try if a connection cannot be accepted: there are too many open files.
const PAUSE: Duration = Duration::from_millis(100);

/// Part of each request: tells its connection that the request was admitted.
#[derive(Clone, Default)]
pub(super) struct Admission(Arc<AtomicBool>);

impl Admission {
    pub(super) fn grant(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_granted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Serves until the future is dropped.
pub(super) async fn serve(listener: TcpListener, routes: Router) -> Infallible {
    let mut strangers = Strangers::default();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => strangers.receive(stream, routes.clone()),
            // There are too many open files.
            Err(_) if strangers.end_oldest() => tokio::task::yield_now().await,
            Err(_) => tokio::time::sleep(PAUSE).await,
        }
    }
}

/// A connection that is open and not yet admitted.
struct Stranger {
    since: Instant,
    admission: Admission,
    task: JoinHandle<()>,
}

/// Oldest first.
#[derive(Default)]
struct Strangers(VecDeque<Stranger>);

impl Strangers {
    fn receive(&mut self, stream: TcpStream, routes: Router) {
        self.forget_known();
        let is_old = |stranger: &Stranger| stranger.since.elapsed() > GRACE;
        if self.0.len() >= MAX_AT_ONCE
            || (self.0.len() >= MAX_STRANGERS && self.0.front().is_some_and(is_old))
        {
            self.end_oldest();
        }
        let admission = Admission::default();
        self.0.push_back(Stranger {
            since: Instant::now(),
            admission: admission.clone(),
            task: tokio::spawn(converse(stream, routes, admission)),
        });
    }

    /// False if there is none.
    fn end_oldest(&mut self) -> bool {
        self.forget_known();
        let oldest = self.0.pop_front();
        oldest.inspect(|oldest| oldest.task.abort()).is_some()
    }

    fn forget_known(&mut self) {
        self.0
            .retain(|one| !one.admission.is_granted() && !one.task.is_finished());
    }
}

/// Answers the requests of one connection.
async fn converse(stream: TcpStream, routes: Router, admission: Admission) {
    let routes = TowerToHyperService::new(routes);
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(admission.clone());
        routes.call(request)
    });
    // The error is the other side's: it broke the protocol, was too slow or left.
    let _ = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_PATIENCE)
        .serve_connection(TokioIo::new(stream), service)
        .await;
}
