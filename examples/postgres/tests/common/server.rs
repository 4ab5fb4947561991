//! A real PostgreSQL for a test, on loopback, in a temporary folder.
#![allow(dead_code, clippy::unwrap_used, clippy::print_stderr)]

use std::fs;
use std::io::Read as _;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use postgres::{Client, NoTls};

/// Who owns the shared memory in every test.
pub const OWNER: &str = "ada";
/// Asked so often, with a pause, whether the server is up.
const ATTEMPTS: usize = 600;
const PAUSE: Duration = Duration::from_millis(100);

/// A server that ends with the test.
pub struct Postgres {
    folder: tempfile::TempDir,
    pub port: u16,
    options: Vec<String>,
    /// What started it, to be waited for at its end.
    started: Mutex<Option<Child>>,
}

/// Where the server's programs are: Debian keeps them out of the path.
fn programs() -> PathBuf {
    let debian = Path::new("/usr/lib/postgresql");
    let mut versions: Vec<PathBuf> = fs::read_dir(debian)
        .map(|found| found.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    versions.sort();
    match versions.pop() {
        Some(version) => version.join("bin"),
        None => {
            let asked = Command::new("pg_config").arg("--bindir").output();
            let asked = asked.expect("PostgreSQL is needed: on Debian, install postgresql");
            PathBuf::from(String::from_utf8(asked.stdout).unwrap().trim())
        }
    }
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().unwrap();
    String::from_utf8_lossy(&id.stdout).trim() == "0"
}

/// A program of the server. It refuses to run as root, and then runs as its own user.
fn program(name: &str) -> Command {
    let path = programs().join(name);
    match is_root() {
        false => Command::new(path),
        true => {
            let mut command = Command::new("runuser");
            command.args(["-u", "postgres", "--"]).arg(path);
            command
        }
    }
}

fn run(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{command:?}: {}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// A port that no other test of this program gets, and that no outgoing connection takes while the
/// server is down: those have ports from 32,768 on.
fn free_port() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let first = std::process::id() * 64;
    loop {
        let number = first + NEXT.fetch_add(1, Ordering::Relaxed);
        let port = 20_000 + u16::try_from(number % 12_000).unwrap();
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

impl Postgres {
    /// A server whose accounts need no password on loopback.
    pub fn start() -> Postgres {
        Postgres::start_with(&[], |_| {})
    }

    /// The same with options, and after something was done to the folder of its data.
    pub fn start_with(options: &[&str], prepare: impl FnOnce(&Path)) -> Postgres {
        let folder = tempfile::tempdir().unwrap();
        if is_root() {
            run(Command::new("chown").arg("postgres").arg(folder.path()));
        }
        let server = Postgres {
            port: free_port(),
            folder,
            options: options.iter().map(|option| (*option).to_owned()).collect(),
            started: Mutex::new(None),
        };
        let data = server.data();
        let mut initdb = program("initdb");
        initdb.args(["--username", OWNER, "--auth", "trust", "--no-sync"]);
        initdb.args(["--encoding", "UTF8", "--locale", "C"]);
        run(initdb.arg("--pgdata").arg(&data));
        prepare(&data);
        if is_root() {
            run(Command::new("chown").args(["-R", "postgres"]).arg(&data));
        }
        server.up();
        server
    }

    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Starts it, again after it was killed.
    pub fn up(&self) {
        let log = fs::File::options()
            .create(true)
            .append(true)
            .open(std::env::temp_dir().join(format!("recallite-postgres-{}.log", self.port)))
            .unwrap();
        for attempt in 0..ATTEMPTS {
            if self.process().is_none() {
                let mut command = program("postgres");
                command.arg("-D").arg(self.data());
                command.args(["-p", &self.port.to_string()]);
                command.args(["-c", "listen_addresses=127.0.0.1"]);
                command.args(["-c", "unix_socket_directories="]);
                // Nobody pulls the plug in a test.
                command.args(["-c", "fsync=off", "-c", "max_connections=40"]);
                for option in &self.options {
                    command.args(["-c", option]);
                }
                command.stdin(Stdio::null()).stdout(Stdio::null());
                command.stderr(log.try_clone().unwrap());
                *self.started.lock().unwrap() = Some(command.spawn().unwrap());
            }
            for _ in 0..20 {
                std::thread::sleep(PAUSE);
                if self.answers() {
                    return;
                }
                if self.process().is_none() {
                    break;
                }
            }
            assert!(attempt + 1 < ATTEMPTS / 20, "the server does not start");
        }
    }

    /// Whether it accepts connections; not another server that has its port.
    fn answers(&self) -> bool {
        let Ok(mut client) = Client::connect(&self.url(OWNER), NoTls) else {
            return false;
        };
        let asked = client.query_one("SHOW data_directory", &[]);
        asked.is_ok_and(|row| Path::new(row.get::<_, &str>(0)) == self.data())
    }

    /// The port of a proxy that ends a connection after so many bytes from the server.
    pub fn cut_after(&self, bytes: u64) -> u16 {
        let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
        let (port, server) = (proxy.local_addr().unwrap().port(), self.port);
        std::thread::spawn(move || {
            let (client, _) = proxy.accept().unwrap();
            let server = TcpStream::connect(("127.0.0.1", server)).unwrap();
            std::thread::scope(|scope| {
                scope.spawn(|| std::io::copy(&mut &client, &mut &server));
                let _ = std::io::copy(&mut (&server).take(bytes), &mut &client);
                let _ = client.shutdown(Shutdown::Both);
                let _ = server.shutdown(Shutdown::Both);
            });
        });
        port
    }

    /// A backup of its data.
    pub fn backup(&self) -> tempfile::TempDir {
        let backup = tempfile::tempdir().unwrap();
        self.kill();
        run(Command::new("cp")
            .arg("-a")
            .arg(self.data())
            .arg(backup.path()));
        self.up();
        backup
    }

    /// Puts a backup in the place of its data.
    pub fn restore(&self, backup: &tempfile::TempDir) {
        self.kill();
        fs::remove_dir_all(self.data()).unwrap();
        run(Command::new("cp")
            .arg("-a")
            .arg(backup.path().join("data"))
            .arg(self.data()));
        self.up();
    }

    /// The number of its first process, while it runs.
    fn process(&self) -> Option<String> {
        let text = fs::read_to_string(self.data().join("postmaster.pid")).ok()?;
        let number = text.lines().next()?.trim().to_owned();
        Path::new("/proc").join(&number).exists().then_some(number)
    }

    /// Kills all its processes at once, as when a machine dies.
    pub fn kill(&self) {
        let Some(first) = self.process() else { return };
        let all: Vec<String> = children(&first).chain([first.clone()]).collect();
        let mut kill = Command::new("sh");
        kill.args(["-c", &format!("kill -9 {}", all.join(" "))]);
        let _ = kill.stderr(Stdio::null()).status();
        if let Some(mut started) = self.started.lock().unwrap().take() {
            let _ = started.wait();
        }
        while self.process().is_some_and(|number| is_running(&number)) {
            std::thread::sleep(PAUSE);
        }
    }

    pub fn url(&self, account: &str) -> String {
        format!("postgres://{account}@127.0.0.1:{}/postgres", self.port)
    }

    /// SQL as an account.
    pub fn sql(&self, account: &str) -> Client {
        Client::connect(&self.url(account), NoTls).unwrap()
    }

    /// New accounts that may log in and nothing else.
    pub fn accounts(&self, names: &[&str]) {
        for name in names {
            let statement = format!("CREATE ROLE {name} LOGIN");
            self.sql(OWNER).batch_execute(&statement).unwrap();
        }
    }

    /// All text that a query over all rows can see.
    pub fn everything(&self) -> String {
        let rows = self
            .sql(OWNER)
            .query("SELECT line FROM recallite.record", &[])
            .unwrap();
        rows.iter().map(|row| row.get::<_, String>(0)).collect()
    }
}

/// The processes that a process has started.
fn children(parent: &str) -> impl Iterator<Item = String> + '_ {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    processes.filter_map(move |entry| {
        let number = entry.file_name().into_string().ok()?;
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        // Behind its name, which may hold anything: its state and its parent.
        let of = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?;
        (of == parent).then_some(number)
    })
}

/// A zombie is not.
fn is_running(number: &str) -> bool {
    fs::read_to_string(format!("/proc/{number}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.kill();
        let log = std::env::temp_dir().join(format!("recallite-postgres-{}.log", self.port));
        if std::thread::panicking() {
            eprintln!("{}", fs::read_to_string(&log).unwrap_or_default());
        }
        let _ = fs::remove_file(log);
    }
}
