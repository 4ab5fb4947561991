//! How fast memories share over a PostgreSQL, each figure beside the server's own `COPY` of
//! the same lines.
//!
//! ```sh
//! cargo run --release --example measure -- [--events N] [--stores N] [--events-each N]
//! cargo run --release --example measure -- --watch PROGRAM [--rounds N]
//! ```
//!
//! With `--watch`, two processes `share watch` of this program `recallite` are measured instead, over a
//! folder and over a server: how long after one memory has recorded a note the other finds it. It starts a server of its own on loopback, in a temporary folder (Linux).
#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[cfg(target_os = "linux")]
#[path = "../tests/common/server.rs"]
mod server;

#[cfg(target_os = "linux")]
fn main() {
    linux::main();
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("the server of this measurement is started on Linux alone");
}

#[cfg(target_os = "linux")]
mod linux {
    use std::io::Write as _;
    use std::path::Path;
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    use recallite::{EventKind, MemberRole, Memory, NewEvent};
    use recallite_postgres::Server;

    use crate::server::{OWNER, Postgres};

    fn number(name: &str, default: usize) -> usize {
        let arguments: Vec<String> = std::env::args().collect();
        let at = arguments.iter().position(|argument| argument == name);
        at.and_then(|at| arguments.get(at + 1))
            .map_or(default, |text| text.parse().unwrap())
    }

    fn text(name: &str) -> Option<String> {
        let mut arguments = std::env::args().skip_while(|argument| argument != name);
        arguments.nth(1)
    }

    /// A memory, its folder and its connection.
    struct Machine {
        memory: Memory,
        server: Server,
        _folder: tempfile::TempDir,
    }

    impl Machine {
        fn new(postgres: &Postgres) -> Machine {
            let folder = tempfile::tempdir().unwrap();
            let memory = Memory::builder()
                .project("shop")
                .open(folder.path())
                .unwrap();
            let mut server = Server::connect(&postgres.url(OWNER)).unwrap();
            server.init().unwrap();
            server.announce(&memory, "m").unwrap();
            Machine {
                memory,
                server,
                _folder: folder,
            }
        }

        fn take(&self, other: &Machine) {
            let identity = other.memory.sharing().identity().unwrap();
            let sharing = self.memory.sharing();
            sharing
                .add_member(&identity, "m", MemberRole::Owner)
                .unwrap();
        }

        /// Records events; those of each store differ.
        fn fill(&self, store: usize, first: usize, count: usize) {
            for from in (first..first + count).step_by(1_000) {
                let to = (from + 1_000).min(first + count);
                let events = (from..to).map(|number| event(store, number));
                self.memory.append_batch(events.collect()).unwrap();
            }
        }
    }

    /// About 600 bytes of text.
    fn event(store: usize, number: usize) -> NewEvent {
        const WORDS: [&str; 8] = [
            "cache", "deploy", "queue", "index", "review", "memory", "server", "window",
        ];
        let mut text = format!("note {number} of store {store}:");
        let mut state = (store as u64) << 32 | number as u64;
        while text.len() < 600 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            text.push(' ');
            text.push_str(WORDS[(state >> 61) as usize]);
            text.push_str(&(state >> 50 & 0xff).to_string());
        }
        let session = format!("s{store}-{}", number / 40);
        NewEvent::new(EventKind::UserPrompt, session, text)
    }

    fn rate(count: usize, time: Duration) -> f64 {
        count as f64 / time.as_secs_f64()
    }

    /// The same lines through `COPY`, into a table with the same key and nothing else.
    fn copy(postgres: &Postgres) -> (usize, Duration) {
        let mut sql = postgres.sql(OWNER);
        let rows = sql
            .query("SELECT store, position, line FROM recallite.record", &[])
            .unwrap();
        let table = "CREATE TABLE copied (store integer, position bigint, line text, \
                     PRIMARY KEY (store, position))";
        sql.batch_execute(table).unwrap();
        let begun = Instant::now();
        let mut to = sql.copy_in("COPY copied FROM STDIN").unwrap();
        for row in &rows {
            let (store, position): (i32, i64) = (row.get(0), row.get(1));
            let line: &str = row.get(2);
            let line = line.replace('\\', "\\\\");
            writeln!(to, "{store}\t{position}\t{line}").unwrap();
        }
        to.finish().unwrap();
        let time = begun.elapsed();
        sql.batch_execute("DROP TABLE copied").unwrap();
        (rows.len(), time)
    }

    pub fn main() {
        if let Some(program) = text("--watch") {
            let rounds = number("--rounds", 200);
            let folder = tempfile::tempdir().unwrap();
            two_watches(
                &program,
                folder.path().to_str().unwrap(),
                "a folder",
                rounds,
            );
            let postgres = Postgres::start();
            return two_watches(&program, &postgres.url(OWNER), "a server", rounds);
        }
        two_machines(number("--events", 20_000));
        many(number("--stores", 1_000), number("--events-each", 1_000));
    }

    /// The command with a store and a home folder of its own.
    fn command(program: &str, home: &Path, words: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(words)
            .args(["--project", "shop"])
            .env("HOME", home)
            .env("RECALLITE_STORE", home.join("store"))
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        command
    }

    /// A process that ends with the measurement.
    struct Running(Child);

    impl Drop for Running {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    fn two_watches(program: &str, place: &str, said: &str, rounds: usize) {
        let homes = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let [laptop, desktop] = [homes[0].path(), homes[1].path()];
        for (home, words) in [
            (laptop, &["share", "init", place, "--name", "laptop"][..]),
            (desktop, &["share", "join", place, "--name", "desktop"]),
            (laptop, &["share", "join", place]),
        ] {
            let status = command(program, home, words).status().unwrap();
            assert!(status.success(), "{words:?}");
        }
        let watch = |home: &Path| {
            let mut watch = command(program, home, &["share", "watch"]);
            Running(watch.spawn().unwrap())
        };
        let _watches = [laptop, desktop].map(watch);
        let [laptop, desktop] = [laptop, desktop].map(|home| {
            let memory = Memory::builder().project("shop");
            memory.open(home.join("store")).unwrap()
        });
        let finds = |memory: &Memory, word: &str| !memory.search(word).unwrap().items.is_empty();
        let (mut floors, mut times) = (Vec::new(), Vec::new());
        for number in 0..rounds {
            let word = format!("zq{number}zq");
            let begun = Instant::now();
            let event = NewEvent::new(EventKind::UserPrompt, "s", format!("the marker {word}"));
            laptop.append(event).unwrap();
            let recorded = Instant::now();
            assert!(finds(&laptop, &word));
            floors.push(begun.elapsed());
            while !finds(&desktop, &word) {
                std::thread::sleep(Duration::from_millis(2));
            }
            times.push(recorded.elapsed());
            // At any moment of the pauses.
            std::thread::sleep(Duration::from_millis(number as u64 * 37 % 400));
        }
        for (what, mut times) in [
            ("append, found by itself", floors),
            ("found by the other", times),
        ] {
            times.sort();
            let at = |share: usize| times[(times.len() * share / 100).min(times.len() - 1)];
            println!(
                "two watches over {said}: {what}: p50 {:.1} ms, p99 {:.1} ms",
                at(50).as_secs_f64() * 1e3,
                at(99).as_secs_f64() * 1e3
            );
        }
    }

    fn two_machines(events: usize) {
        let postgres = Postgres::start();
        let (mut laptop, mut desktop) = (Machine::new(&postgres), Machine::new(&postgres));
        laptop.take(&desktop);
        desktop.take(&laptop);
        let begun = Instant::now();
        laptop.fill(0, 0, events);
        println!(
            "append_batch    {:>9.0} events/s",
            rate(events, begun.elapsed())
        );
        let begun = Instant::now();
        laptop.server.push(&laptop.memory).unwrap();
        println!(
            "push            {:>9.0} events/s",
            rate(events, begun.elapsed())
        );
        let (rows, time) = copy(&postgres);
        println!("COPY            {:>9.0} rows/s", rate(rows, time));
        let begun = Instant::now();
        desktop.server.pull(&desktop.memory).unwrap();
        println!(
            "pull            {:>9.0} events/s",
            rate(events, begun.elapsed())
        );
        let mut times: Vec<Duration> = Vec::new();
        for number in 0..50 {
            let begun = Instant::now();
            let text = format!("the marker zq{number}zq");
            let event = NewEvent::new(EventKind::UserPrompt, "s", text);
            laptop.memory.append(event).unwrap();
            laptop.server.push(&laptop.memory).unwrap();
            desktop.server.wait(Duration::from_secs(5)).unwrap();
            desktop.server.pull(&desktop.memory).unwrap();
            let found = desktop.memory.search(format!("zq{number}zq")).unwrap();
            assert!(!found.items.is_empty());
            times.push(begun.elapsed());
        }
        times.sort();
        println!(
            "one note, from append to the other machine's hit: p50 {:.1} ms, worst {:.1} ms",
            times[times.len() / 2].as_secs_f64() * 1e3,
            times[times.len() - 1].as_secs_f64() * 1e3
        );
    }

    /// Prints how much room the records of so many stores take on the server.
    fn print_room(postgres: &Postgres, stores: usize) {
        let sizes = "SELECT pg_table_size('recallite.record'), \
                     pg_indexes_size('recallite.record'), \
                     (SELECT sum(octet_length(line))::bigint FROM recallite.record)";
        let row = postgres.sql(OWNER).query_one(sizes, &[]).unwrap();
        let mb = |at: usize| row.get::<_, i64>(at) as f64 / 1e6;
        println!(
            "{stores} stores on the server: lines {:.1} MB, table {:.1} MB, index {:.1} MB",
            mb(2),
            mb(0),
            mb(1)
        );
    }

    fn many(stores: usize, events: usize) {
        let postgres = Postgres::start();
        let mut reader = Machine::new(&postgres);
        let begun = Instant::now();
        let mut last = None;
        for number in 1..=stores {
            let mut machine = Machine::new(&postgres);
            machine.fill(number, 0, events);
            machine.server.push(&machine.memory).unwrap();
            reader.take(&machine);
            last = Some(machine);
            if [100, 300, stores].contains(&number) {
                print_room(&postgres, number);
            }
        }
        let mut last = last.unwrap();
        println!(
            "{stores} stores of {events} events: filled and pushed in {:.0} s",
            begun.elapsed().as_secs_f64()
        );
        let begun = Instant::now();
        reader.server.pull(&reader.memory).unwrap();
        println!("first pull of all: {:.0} s", begun.elapsed().as_secs_f64());
        let time = |reader: &mut Machine| {
            let mut times: Vec<Duration> = (0..9)
                .map(|_| {
                    let begun = Instant::now();
                    reader.server.pull(&reader.memory).unwrap();
                    begun.elapsed()
                })
                .collect();
            times.sort();
            times[4].as_secs_f64() * 1e3
        };
        println!("a pull without news: p50 {:.0} ms", time(&mut reader));
        last.fill(stores, events, 1);
        last.server.push(&last.memory).unwrap();
        let begun = Instant::now();
        reader.server.pull(&reader.memory).unwrap();
        println!(
            "a pull of one new event: {:.0} ms",
            begun.elapsed().as_secs_f64() * 1e3
        );
    }
}
