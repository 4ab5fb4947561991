//! The address of a server, and how the connection to it is protected.

use std::ffi::OsString;
use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr as _;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use postgres::config::{Host, SslMode};
use postgres::{Client, Config, NoTls};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::error::{Error, Result};

/// The maximum time for establishing a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The maximum time until a server has let an account in.
const LOGIN_TIMEOUT: Duration = Duration::from_secs(30);
/// How long sent data may remain unacknowledged by the server, and a connection may be idle before
/// the system asks whether the other end is still there.
const SILENCE: Duration = Duration::from_secs(30);
/// How long the system waits for an answer to that, and how often it asks again.
const ASK_EVERY: Duration = Duration::from_secs(10);
const ASK_TIMES: u32 = 3;

/// The address of a server: `postgres://user:password@host:port/database?…`.
#[derive(Clone)]
pub(crate) struct Address {
    config: Config,
    protection: Protection,
    shown: String,
}

/// How the connection is protected.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Protection {
    None,
    /// TLS; the server must present a certificate for its name, issued by one of the system's
    /// authorities or those in a file.
    Tls {
        authorities: Option<PathBuf>,
    },
}

impl Address {
    /// Parses an address; the password is in it, or in `PGPASSWORD`.
    pub(crate) fn parse(text: &str) -> Result<Address> {
        Self::with_password(text, std::env::var_os("PGPASSWORD"))
    }

    fn with_password(text: &str, password: Option<OsString>) -> Result<Address> {
        let wrong = |problem: &str| Error::Address(problem.to_owned());
        let Some(rest) = after_scheme(text) else {
            return Err(wrong("must start with postgres://"));
        };
        let (rest, parameters) = rest.split_once('?').unwrap_or((rest, ""));
        // Otherwise the client takes what follows in the password for the host or the database,
        // which are shown.
        let (login, path) = rest.split_once('/').unwrap_or((rest, ""));
        let mut names = parameters.split('&').map(|it| it.split('=').next());
        let is_cut = path.contains('@') || names.any(|it| it.is_some_and(|it| it.contains('@')));
        if is_cut || login.matches('@').count() > 1 {
            return Err(wrong(
                "an @, / or ? in the user name or the password must be written as %40, %2F or %3F",
            ));
        }
        let plain = &format!("postgres://{rest}");
        let mut asked = Asked::default();
        let mut others = Vec::new();
        for parameter in parameters.split('&').filter(|text| !text.is_empty()) {
            if !asked.take(parameter)? {
                others.push(parameter);
            }
        }
        // The client's own message may contain the password.
        Config::from_str(plain)
            .map_err(|_| wrong("must have the form postgres://user@host:port/database"))?;
        for parameter in &others {
            let name = parameter.split('=').next().unwrap_or_default();
            Config::from_str(&format!("{plain}?{parameter}"))
                .map_err(|_| wrong(&format!("parameter `{name}` is unknown or invalid")))?;
        }
        let mut config = Config::from_str(&format!("{plain}?{}", others.join("&")))
            .map_err(|_| wrong("the parameters cannot be combined"))?;
        if config.get_hosts().is_empty() {
            return Err(wrong("the host is missing"));
        }
        if config.get_password().is_none()
            && let Some(password) = password
        {
            config.password(password.as_encoded_bytes());
        }
        config.application_name("recallite");
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIMEOUT);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(SILENCE);
        }
        let is_given = |name: &str| {
            others
                .iter()
                .any(|other| other.split('=').next() == Some(name))
        };
        if !is_given("keepalives_idle") {
            config.keepalives_idle(SILENCE);
        }
        if !is_given("keepalives_interval") {
            config.keepalives_interval(ASK_EVERY);
        }
        if !is_given("keepalives_retries") {
            config.keepalives_retries(ASK_TIMES);
        }
        let protection = asked.protection(&config)?;
        config.ssl_mode(match protection {
            Protection::None => SslMode::Disable,
            Protection::Tls { .. } => SslMode::Require,
        });
        let shown = shown(&config);
        Ok(Address {
            config,
            protection,
            shown,
        })
    }

    /// The address without the password.
    pub(crate) fn shown(&self) -> &str {
        &self.shown
    }

    pub(crate) fn connect(&self) -> Result<Client> {
        self.connect_within(LOGIN_TIMEOUT)
    }

    /// The client only limits the time in which a connection is accepted. What accepts it may never
    /// say a word, so another thread waits for it; that ends with the connection.
    fn connect_within(&self, at_most: Duration) -> Result<Client> {
        let (sender, answer) = mpsc::channel();
        let address = self.clone();
        let no_answer = || Error::NoAnswer {
            server: self.shown.clone(),
        };
        std::thread::Builder::new()
            .name("recallite-connect".to_owned())
            .spawn(move || {
                // Nobody may be waiting any more.
                let _ = sender.send(address.log_in());
            })
            .map_err(|_| no_answer())?;
        answer
            .recv_timeout(at_most)
            .unwrap_or_else(|_| Err(no_answer()))
    }

    fn log_in(&self) -> Result<Client> {
        let failed = Error::of_login(&self.shown);
        match &self.protection {
            Protection::None => self.config.connect(NoTls).map_err(failed),
            Protection::Tls { authorities } => {
                let tls = MakeRustlsConnect::new(tls(authorities.as_ref())?);
                self.config.connect(tls).map_err(failed)
            }
        }
    }
}

/// What follows the scheme in the address of a server.
fn after_scheme(text: &str) -> Option<&str> {
    let (scheme, rest) = text.split_once("://")?;
    let is_known = |known: &str| scheme.eq_ignore_ascii_case(known);
    (is_known("postgres") || is_known("postgresql")).then_some(rest)
}

/// The requested protection, under the names that PostgreSQL's own programs use.
#[derive(Default)]
struct Asked {
    mode: Option<String>,
    authorities: Option<PathBuf>,
}

impl Asked {
    /// Reads a parameter; false if it is not about protection.
    fn take(&mut self, parameter: &str) -> Result<bool> {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        let value = percent_encoding::percent_decode_str(value)
            .decode_utf8()
            .map_err(|_| Error::Address(format!("parameter `{name}` is not valid UTF-8")))?
            .into_owned();
        match name {
            "sslmode" => self.mode = Some(value),
            "sslrootcert" => self.authorities = Some(PathBuf::from(value)),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn protection(self, config: &Config) -> Result<Protection> {
        let authorities = self.authorities;
        match self.mode.as_deref() {
            None if authorities.is_none() && is_local(config) => Ok(Protection::None),
            Some("disable") => Ok(Protection::None),
            None | Some("require" | "verify-ca" | "verify-full") => {
                Ok(Protection::Tls { authorities })
            }
            Some(mode @ ("allow" | "prefer")) => Err(Error::Address(format!(
                "sslmode={mode} gives no protection; use require or disable"
            ))),
            Some(mode) => Err(Error::Address(format!(
                "sslmode={mode} is unknown; use require or disable"
            ))),
        }
    }
}

/// Whether the connection cannot be intercepted.
fn is_local(config: &Config) -> bool {
    let is_local_host = |host: &Host| match host {
        Host::Tcp(name) => ["localhost", "127.0.0.1", "::1", "[::1]"].contains(&name.as_str()),
        #[cfg(unix)]
        Host::Unix(_) => true,
    };
    // The client connects to `hostaddr`, whatever the name of the host is.
    config.get_hosts().iter().all(is_local_host)
        && config.get_hostaddrs().iter().all(IpAddr::is_loopback)
}

fn shown(config: &Config) -> String {
    let host = match config.get_hosts().first() {
        Some(Host::Tcp(name)) => name.clone(),
        #[cfg(unix)]
        Some(Host::Unix(path)) => path.display().to_string(),
        None => String::new(),
    };
    let user = config
        .get_user()
        .map_or(String::new(), |user| format!("{user}@"));
    let port = config.get_ports().first();
    let port = port.map_or(String::new(), |port| format!(":{port}"));
    let database = config.get_dbname().unwrap_or_default();
    format!("postgres://{user}{host}{port}/{database}")
}

fn tls(authorities: Option<&PathBuf>) -> Result<ClientConfig> {
    let mut roots = RootCertStore::empty();
    match authorities {
        Some(path) => {
            let wrong = |why: &dyn std::fmt::Display| {
                Error::Address(format!("sslrootcert {}: {why}", path.display()))
            };
            for certificate in CertificateDer::pem_file_iter(path).map_err(|e| wrong(&e))? {
                let certificate = certificate.map_err(|e| wrong(&e))?;
                roots.add(certificate).map_err(|e| wrong(&e))?;
            }
            if roots.is_empty() {
                return Err(wrong(&"contains no certificate"));
            }
        }
        None => {
            // Unreadable entries in the system's list are ignored.
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            if roots.is_empty() {
                return Err(Error::Address(
                    "the system has no CA certificates; name a file with sslrootcert".to_owned(),
                ));
            }
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|e| Error::Address(e.to_string()))?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn protection(text: &str) -> Protection {
        Address::parse(text).unwrap().protection
    }

    #[test]
    fn other_machines_are_reached_by_tls_alone() {
        let tls = Protection::Tls { authorities: None };
        assert_eq!(protection("postgres://ada@db.example.org/memory"), tls);
        assert_eq!(
            protection("postgres://ada@127.0.0.1:5433/memory"),
            Protection::None
        );
        assert_eq!(
            protection("postgres://ada@127.0.0.1/memory?sslmode=require"),
            tls
        );
        assert_eq!(
            protection("postgresql://ada@db.example.org/memory?sslmode=disable"),
            Protection::None
        );
        assert_eq!(
            protection("postgres://ada@db/memory?sslrootcert=%2Fetc%2Fmy%20ca.pem"),
            Protection::Tls {
                authorities: Some(PathBuf::from("/etc/my ca.pem"))
            }
        );
    }

    #[test]
    fn a_local_name_with_the_address_of_another_machine_is_reached_by_tls_alone() {
        let tls = Protection::Tls { authorities: None };
        for (hostaddr, expected) in [
            ("203.0.113.5", &tls),
            ("2001:db8::5", &tls),
            ("127.0.0.1", &Protection::None),
            ("::1", &Protection::None),
        ] {
            let text = format!("postgres://ada@localhost/memory?hostaddr={hostaddr}");
            assert_eq!(&protection(&text), expected, "{text}");
        }
    }

    #[test]
    fn a_password_of_the_environment_serves_where_the_address_has_none() {
        for (text, given, expected) in [
            ("postgres://ada@db/memory", Some("geheim"), Some("geheim")),
            ("postgres://ada:own@db/memory", Some("geheim"), Some("own")),
            ("postgres://ada@db/memory", None, None),
        ] {
            let address = Address::with_password(text, given.map(OsString::from)).unwrap();
            let password = address.config.get_password();
            assert_eq!(password, expected.map(str::as_bytes), "{text}");
            assert!(!address.shown().contains("geheim") && !address.shown().contains("own"));
        }
    }

    #[test]
    fn what_is_no_address_is_told_without_its_password() {
        for (text, word) in [
            ("mysql://ada@db/memory", "postgres://"),
            ("postgres://ada:geheim@db/memory?sslmode=prefer", "prefer"),
            ("postgres://ada:geheim@db/memory?sslmode=often", "often"),
            ("postgres://ada:geheim@db:port/memory", "postgres://user"),
            (
                "postgres://ada:geheim@db/memory?application_name=a&color=red",
                "`color`",
            ),
            ("postgres:///memory", "host is missing"),
            ("postgres://ada:a@geheim@db/memory", "%40"),
            ("postgres://ada:7/geheim@db/memory", "%2F"),
            ("postgres://ada:7?geheim@db/memory", "%3F"),
        ] {
            let Err(error) = Address::parse(text) else {
                panic!("{text} was taken");
            };
            let error = error.to_string();
            assert!(error.contains(word), "{error}");
            assert!(!error.contains("geheim"), "{error}");
        }
        let address = Address::parse("PostgreSQL://ada:gehe%40im@db:7/memory").unwrap();
        assert_eq!(address.shown(), "postgres://ada@db:7/memory");
        assert_eq!(address.config.get_password(), Some(&b"gehe@im"[..]));
    }

    #[test]
    fn a_silent_network_is_noticed_within_a_minute_unless_the_address_says_otherwise() {
        let address = Address::parse("postgres://ada@db/memory").unwrap();
        let config = &address.config;
        assert!(config.get_keepalives());
        let idle = config.get_keepalives_idle();
        let interval = config.get_keepalives_interval().unwrap();
        let times = config.get_keepalives_retries().unwrap();
        assert!(idle + interval * times <= Duration::from_secs(60));
        let text = "postgres://ada@db/memory?keepalives_idle=7&keepalives_retries=9";
        let config = Address::parse(text).unwrap().config;
        assert_eq!(config.get_keepalives_idle(), Duration::from_secs(7));
        assert_eq!(config.get_keepalives_retries(), Some(9));
    }

    #[test]
    fn a_server_that_accepts_a_connection_and_never_answers_is_not_waited_for() {
        let mute = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = mute.local_addr().unwrap().port();
        let address = Address::parse(&format!("postgres://ada@127.0.0.1:{port}/memory")).unwrap();
        let Err(error) = address.connect_within(Duration::from_millis(200)) else {
            panic!("nobody answered");
        };
        assert!(matches!(error, Error::NoAnswer { .. }), "{error}");
        assert!(error.is_transient());
    }

    #[test]
    fn nobody_sees_the_password() {
        let address = Address::parse("postgres://ada:geheim@db.example.org:5433/memory").unwrap();
        assert_eq!(address.shown(), "postgres://ada@db.example.org:5433/memory");
    }
}
