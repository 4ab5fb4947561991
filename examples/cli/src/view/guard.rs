//! Access control: only a browser or program on this machine that knows the token is served, and
//! only under the viewer's own name. Pages of other origins get nothing: not through a name that
//! resolves to 127.0.0.1 (`Host`), not through a form or script of their own (`Origin`,
//! `Sec-Fetch-Site`, a header that only our pages can send), and not by guessing.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{
    ACCEPT, AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, COOKIE, HOST,
    HeaderName, HeaderValue, LOCATION, ORIGIN, REFERRER_POLICY, SET_COOKIE, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::connections::Admission;
use super::refused::{Refused, in_our_form};

/// The port that browsers leave out of an address.
const HTTP_PORT: &str = "80";
/// The header that proves that a change comes from our pages.
const CSRF: &str = "x-recallite-csrf";
/// The longest address that is processed.
const MAX_ADDRESS_BYTES: usize = 8 << 10;

/// Allows only the viewer's own scripts, styles, images and connections, no framing, and no text
/// that becomes markup.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types 'none'";

/// The secrets of one run of the viewer.
pub(super) struct Guard {
    port: u16,
    token: String,
    csrf: String,
    /// The token in the address with which the browser is started. Other users of the machine can
    /// see the arguments of its process, so it is valid only once.
    once: Mutex<Option<String>>,
}

impl Guard {
    pub(super) fn new(port: u16) -> Result<Guard, getrandom::Error> {
        Ok(Guard {
            port,
            token: secret()?,
            csrf: secret()?,
            once: Mutex::new(Some(secret()?)),
        })
    }

    /// The address for the person, with the token.
    pub(super) fn address(&self) -> String {
        self.address_with(&self.token)
    }

    /// The address for a browser's command line, valid only once.
    pub(super) fn address_for_a_browser(&self) -> String {
        let once = self.once.lock().unwrap_or_else(PoisonError::into_inner);
        self.address_with(once.as_deref().unwrap_or_default())
    }

    fn address_with(&self, token: &str) -> String {
        format!("http://127.0.0.1:{}/?token={token}", self.port)
    }

    /// The value that our pages send in [`CSRF`].
    pub(super) fn csrf(&self) -> &str {
        &self.csrf
    }

    /// Cookies of a host are visible on all its ports, so two viewers need different names.
    fn cookie_name(&self) -> String {
        format!("recallite-{}", self.port)
    }

    /// Whether a host or an origin without its scheme is the viewer's own.
    fn is_own(&self, host: &str) -> bool {
        let (name, port) = host.split_once(':').unwrap_or((host, HTTP_PORT));
        matches!(name, "127.0.0.1" | "localhost") && port == self.port.to_string()
    }

    fn comes_from_elsewhere(&self, headers: &HeaderMap) -> bool {
        let host = headers.get(HOST).and_then(|host| host.to_str().ok());
        if !host.is_some_and(|host| self.is_own(host)) || headers.get_all(HOST).iter().count() > 1 {
            return true;
        }
        let is_foreign = |origin: &HeaderValue| {
            let host = origin.to_str().ok().and_then(|o| o.strip_prefix("http://"));
            !host.is_some_and(|host| self.is_own(host))
        };
        headers.get_all(ORIGIN).iter().any(is_foreign)
    }

    fn has_cookie(&self, headers: &HeaderMap) -> bool {
        let name = self.cookie_name();
        headers
            .get_all(COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .any(|(key, value)| key == name && same(value, &self.token))
    }

    fn has_bearer(&self, headers: &HeaderMap) -> bool {
        headers
            .get(AUTHORIZATION)
            .and_then(|value| value.to_str().ok())
            .and_then(|value| value.strip_prefix("Bearer "))
            .is_some_and(|token| same(token.trim(), &self.token))
    }

    /// Whether an address contains the token, or the one that is valid only once.
    fn lets_in(&self, query: &str) -> bool {
        let Some(given) = query
            .split('&')
            .find_map(|pair| pair.strip_prefix("token="))
        else {
            return false;
        };
        if same(given, &self.token) {
            return true;
        }
        let mut once = self.once.lock().unwrap_or_else(PoisonError::into_inner);
        let is_right = once.as_ref().is_some_and(|once| same(given, once));
        if is_right {
            *once = None;
        }
        is_right
    }
}

/// Lets a request through, or refuses it with a reason. Every response gets headers that restrict
/// what a browser may do with it.
pub(super) async fn check(
    State(guard): State<Arc<Guard>>,
    request: Request<Body>,
    next: Next,
) -> Response {
    let is_page = opens_a_page(&request);
    let admitted = admitted(&guard, &request);
    if admitted.is_ok()
        && let Some(admission) = request.extensions().get::<Admission>()
    {
        admission.grant();
    }
    let mut response = match admitted {
        Ok(None) => in_our_form(next.run(request).await),
        Ok(Some(redirect)) => redirect,
        Err(refused) if is_page => refused.into_page(),
        Err(refused) => refused.into_response(),
    };
    let headers = response.headers_mut();
    let fixed = |text: &'static str| HeaderValue::from_static(text);
    headers.insert(CONTENT_SECURITY_POLICY, fixed(POLICY));
    headers.insert(X_CONTENT_TYPE_OPTIONS, fixed("nosniff"));
    headers.insert(X_FRAME_OPTIONS, fixed("DENY"));
    headers.insert(REFERRER_POLICY, fixed("no-referrer"));
    for name in ["cross-origin-opener-policy", "cross-origin-resource-policy"] {
        headers.insert(HeaderName::from_static(name), fixed("same-origin"));
    }
    headers
        .entry(CACHE_CONTROL)
        .or_insert_with(|| fixed("no-store"));
    response
}

/// Whether a person's browser opens an address, and shows what it is answered.
fn opens_a_page(request: &Request<Body>) -> bool {
    let accepted = request.headers().get(ACCEPT);
    let accepted = accepted.and_then(|value| value.to_str().ok());
    request.method() == Method::GET && accepted.is_some_and(|value| value.contains("text/html"))
}

/// `None` if the request may continue, a response if a first visit brings the token, or the
/// refusal.
fn admitted(guard: &Guard, request: &Request<Body>) -> Result<Option<Response>, Refused> {
    let headers = request.headers();
    if request.uri().to_string().len() > MAX_ADDRESS_BYTES {
        return Err(Refused::new(
            StatusCode::URI_TOO_LONG,
            "too_long",
            "the address is longer than 8 KiB",
        ));
    }
    if guard.comes_from_elsewhere(headers) {
        return Err(Refused::new(
            StatusCode::FORBIDDEN,
            "wrong_origin",
            "the viewer only answers its own pages, at the address it printed",
        ));
    }
    let is_page = request.uri().path() == "/" && request.method() == Method::GET;
    if is_page && guard.lets_in(request.uri().query().unwrap_or_default()) {
        return Ok(Some(welcome(guard)));
    }
    if guard.has_bearer(headers) {
        return Ok(None);
    }
    let comes_from_our_page = |headers: &HeaderMap| {
        headers
            .get("sec-fetch-site")
            .is_none_or(|site| site == "same-origin" || (site == "none" && is_page))
    };
    if !guard.has_cookie(headers) || !(is_page || comes_from_our_page(headers)) {
        return Err(Refused::new(
            StatusCode::UNAUTHORIZED,
            "unauthorized",
            "the token is missing or from an earlier run; open the address that `recallite view` \
             printed",
        ));
    }
    let is_read = request.method() == Method::GET || request.method() == Method::HEAD;
    let csrf = headers.get(CSRF).and_then(|value| value.to_str().ok());
    if !is_read && !csrf.is_some_and(|csrf| same(csrf, &guard.csrf)) {
        return Err(Refused::new(
            StatusCode::FORBIDDEN,
            "csrf",
            "only a page of the viewer may make changes; the header x-recallite-csrf is missing \
             or wrong",
        ));
    }
    Ok(None)
}

/// Stores the token of the address in a cookie, and redirects to the address without it.
fn welcome(guard: &Guard) -> Response {
    let cookie = format!(
        "{}={}; Path=/; HttpOnly; SameSite=Strict",
        guard.cookie_name(),
        guard.token
    );
    let headers = [
        (SET_COOKIE, cookie),
        (LOCATION, "/".to_owned()),
        (CONTENT_TYPE, "text/plain; charset=utf-8".to_owned()),
    ];
    (StatusCode::SEE_OTHER, headers, "").into_response()
}

/// 256 unpredictable bits, in characters that need no quoting.
fn secret() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    }))
}

/// Compares in a time that does not reveal where the two differ.
fn same(given: &str, secret: &str) -> bool {
    let differs = |(a, b): (u8, u8)| a ^ b;
    given.len() == secret.len()
        && given
            .bytes()
            .zip(secret.bytes())
            .map(differs)
            .fold(0, |all, one| all | one)
            == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let pairs = pairs.iter().map(|(name, value)| {
            let value = HeaderValue::from_str(value).unwrap();
            (HeaderName::from_static(name), value)
        });
        pairs.collect()
    }

    #[test]
    fn only_its_own_names_are_its_own() {
        let guard = Guard::new(4000).unwrap();
        for host in ["127.0.0.1:4000", "localhost:4000"] {
            assert!(!guard.comes_from_elsewhere(&headers(&[("host", host)])));
        }
        for host in [
            "evil.example:4000",
            "127.0.0.1",
            "127.0.0.1:4001",
            "127.0.0.1.evil.example:4000",
            "",
        ] {
            assert!(
                guard.comes_from_elsewhere(&headers(&[("host", host)])),
                "{host}"
            );
        }
        assert!(guard.comes_from_elsewhere(&headers(&[])));
        for origin in [
            "null",
            "https://127.0.0.1:4000",
            "http://127.0.0.1:4001",
            "http://127.0.0.1:4000.evil.example",
        ] {
            let asked = headers(&[("host", "127.0.0.1:4000"), ("origin", origin)]);
            assert!(guard.comes_from_elsewhere(&asked), "{origin}");
        }
    }

    /// Browsers leave the port of plain HTTP out.
    #[test]
    fn the_port_of_http_may_be_left_out() {
        let guard = Guard::new(80).unwrap();
        for host in ["127.0.0.1", "localhost", "127.0.0.1:80"] {
            let origin = format!("http://{host}");
            let asked = headers(&[("host", host), ("origin", &origin)]);
            assert!(!guard.comes_from_elsewhere(&asked), "{host}");
        }
        for host in ["127.0.0.1:81", "evil.example", "127.0.0.1:"] {
            assert!(
                guard.comes_from_elsewhere(&headers(&[("host", host)])),
                "{host}"
            );
        }
    }

    #[test]
    fn the_browsers_token_is_good_once() {
        let guard = Guard::new(4000).unwrap();
        let address = guard.address_for_a_browser();
        let (_, query) = address.split_once('?').unwrap();
        assert_ne!(address, guard.address());
        assert!(!guard.lets_in("token="));
        assert!(guard.lets_in(query));
        assert!(!guard.lets_in(query));
        let address = guard.address();
        let (_, query) = address.split_once('?').unwrap();
        assert!(guard.lets_in(query) && guard.lets_in(query));
    }
}
