//! The one test command: builds, installs and tests everything.

use std::path::{Path, PathBuf};

use crate::c::{self, Installed};
use crate::clients::Clients;
use crate::model::Model;
use crate::report::{Count, Report, counted, number_before};
use crate::shell::{
    EVERY_FEATURE, Outcome, cargo, output, passed_on, program, read, root, run, target,
};
use crate::{
    dependencies, first_lines, header, hosts, interface, layers, parity, release, tools, viewer,
};

const STEPS: [&str; 11] = [
    "checks", "core", "model", "c", "node", "python", "story", "cli", "clients", "hosts", "view",
];

/// The workspace of the command and of sharing over a server, whose dependencies never affect the
/// library's. Its members are always built together, because a part would choose other features of
/// what they depend on and compile it again.
const CLI: [&str; 3] = ["--manifest-path", "examples/cli/Cargo.toml", "--workspace"];

/// The tools of the step `c` without which it runs a part of its tests.
const PARTS: [&str; 2] = ["clang", "valgrind"];

/// `cargo xtask test [--only STEP]... [--may-skip STEP]...`
pub fn command(arguments: &[&str]) -> Outcome {
    let (mut wanted, mut optional) = (Vec::<&str>::new(), Vec::<&str>::new());
    let mut rest = arguments.iter();
    while let Some(option) = rest.next() {
        match (*option, rest.next()) {
            ("--only", Some(step)) if STEPS.contains(step) => wanted.push(step),
            ("--only", _) => return Err(format!("--only takes one of {}", STEPS.join(", ")).into()),
            ("--may-skip", Some(step)) if STEPS.contains(step) || PARTS.contains(step) => {
                optional.push(step);
            }
            ("--may-skip", _) => {
                let all = [&STEPS[..], &PARTS].concat().join(", ");
                return Err(format!("--may-skip takes one of {all}").into());
            }
            (other, _) => return Err(format!("test knows no {other}").into()),
        }
    }
    if wanted.is_empty() {
        wanted.extend(STEPS);
    }
    let mut report = Report::without(&optional);
    let mut model = None;
    for step in STEPS {
        if !wanted.contains(&step) {
            report.leave_out(step, "not asked for");
            continue;
        }
        match step {
            "checks" => report.step(
                "checks: layers, generated mirrors, header, parity table, versions, dependencies",
                checks,
            ),
            "core" => report.step("core: cargo test --workspace, with every feature", |_| {
                core()
            }),
            "model" => {
                report.step("model: its tests again, with a real model", |_| {
                    let made = model.insert(Model::make()?);
                    Ok(counted(&made.test()?))
                });
            }
            "c" => report.step("c: installed library, C and C++", c::test),
            "node" => node(&mut report),
            "python" => python(&mut report, model.as_ref()),
            "story" => report.step(
                "story: Rust, C and C++ against one golden file, and the examples",
                |_| story(),
            ),
            "cli" => report.step(
                "cli: the command, its hooks and sharing over a server, as processes",
                |_| cli(optional.contains(&"cli")),
            ),
            "clients" => clients(&mut report),
            "hosts" => agents(&mut report),
            _ => view(&mut report),
        }
    }
    report.end()
}

/// Everything that a change must pass.
pub fn ci() -> Outcome {
    run(cargo().args(["fmt", "--all", "--check"]))?;
    run(cargo()
        .args(["clippy", "--workspace", "--all-targets"])
        .args(["--", "--deny", "warnings"]))?;
    run(cargo().args(["fmt", "--manifest-path", CLI[1], "--all", "--check"]))?;
    run(cargo()
        .arg("clippy")
        .args(CLI)
        .args(["--all-targets", "--", "--deny", "warnings"]))?;
    run(cargo()
        .env("RUSTDOCFLAGS", "--deny warnings")
        .args(["doc", "--workspace", "--no-deps"]))?;
    command(&[])
}

fn checks(report: &mut Report) -> Outcome<Count> {
    layers::check()?;
    crate::checks::check()?;
    interface::check()?;
    header::check()?;
    parity::check()?;
    release::check(None)?;
    dependencies::check(report)?;
    Ok(Count {
        passed: 7,
        ignored: 0,
    })
}

/// Runs the unit, integration and documentation tests of every crate.
fn core() -> Outcome<Count> {
    // Injects faults into the victims of the hostile tests, which are skipped without it.
    if cfg!(target_os = "linux") {
        tools::need(&[("strace", "strace")])?;
    }
    let text = passed_on(
        cargo()
            .args(["test", "--workspace", "--no-fail-fast"])
            .args(EVERY_FEATURE),
    )?;
    not_empty(counted(&text))
}

/// Runs the tests of the command, which start the built program, and of sharing over PostgreSQL
/// servers that the tests start themselves.
///
/// Tests that cannot do their work here fail, unless they may be skipped.
fn cli(may_skip: bool) -> Outcome<Count> {
    // Checks that hooks start no process and open no port, and suspends a writer.
    if cfg!(target_os = "linux") {
        tools::need(&[("strace", "strace")])?;
        tools::need_postgres()?;
    }
    let mut tests = cargo();
    tests.arg("test").args(CLI).arg("--no-fail-fast");
    if !may_skip {
        tests.env("RECALLITE_TEST_EVERYTHING", "1");
    }
    let mut count = counted(&passed_on(&mut tests)?);
    if cfg!(unix) {
        count.passed += first_lines::test()?.passed;
    }
    not_empty(count)
}

/// Builds the command `recallite` as its own tests do: `cargo build` would choose other features of
/// its dependencies and compile them again.
fn command_line() -> Outcome<PathBuf> {
    run(cargo().args(["test", "--quiet", "--no-run"]).args(CLI))?;
    let name = format!("debug/recallite{}", std::env::consts::EXE_SUFFIX);
    Ok(target().join(name))
}

/// Tests the command's MCP server with the official clients of two languages.
fn clients(report: &mut Report) {
    let ready = node_is_ready(&root().join("bindings-node"))
        .and_then(|()| python_is_ready(&root().join("bindings-python")));
    if let Err(why) = ready {
        report.skip("clients", why);
        return;
    }
    report.step("clients: official MCP clients against the command", |_| {
        Clients::install()?.test(&command_line()?)
    });
}

/// Tests the real coding agents with the command's hooks and plugins.
fn agents(report: &mut Report) {
    if let Err(why) = node_is_ready(&root().join("bindings-node")) {
        report.skip("hosts", why);
        return;
    }
    report.step("hosts: coding agents with the command's hooks", |_| {
        not_empty(hosts::test(&command_line()?)?)
    });
}

/// Packs the npm package, installs it in an empty folder and tests it there.
fn node(report: &mut Report) {
    let folder = root().join("bindings-node");
    if let Err(why) = node_is_ready(&folder) {
        report.skip("node", why);
        return;
    }
    report.step("node: packed and installed package", |_| {
        run(program("npm").arg("ci").current_dir(&folder))?;
        run(program("npm").args(["run", "build"]).current_dir(&folder))?;
        let command = command_line()?;
        let text = passed_on(
            program("npm")
                .args(["test", "--", "--profile", "dev", "--command"])
                .arg(command)
                .current_dir(&folder),
        )?;
        not_empty(Count::by_node(&text))
    });
}

fn node_is_ready(folder: &Path) -> Outcome {
    if !folder.join("package.json").exists() {
        return Err("there is no bindings-node here".into());
    }
    tools::need(&[("node", "nodejs"), ("npm", "npm")])?;
    let version = output(program("node").arg("--version"))?;
    let major: u32 = version
        .trim_start_matches('v')
        .split('.')
        .next()
        .unwrap_or_default()
        .parse()?;
    match major >= 20 {
        true => Ok(()),
        false => Err(format!("Node 20 or later is needed, here is {}", version.trim()).into()),
    }
}

/// Tests the pages of the viewer.
fn view(report: &mut Report) {
    let ready = node_is_ready(&root().join("bindings-node"));
    let browser = match ready.and_then(|()| viewer::browser()) {
        Ok(browser) => browser,
        Err(why) => return report.skip("view", why),
    };
    report.step("view: the viewer's pages in a browser", |_| {
        not_empty(viewer::test(&browser, &command_line()?)?)
    });
}

/// Builds the wheel, installs it in a new virtual environment and tests it there.
fn python(report: &mut Report, model: Option<&Model>) {
    let folder = root().join("bindings-python");
    if let Err(why) = python_is_ready(&folder) {
        report.skip("python", why);
        return;
    }
    report.step("python: wheel in a new virtual environment", |_| {
        let mut tests = program(folder.join("scripts/test"));
        if let Some(model) = model {
            tests.env("RECALLITE_MODEL_DIR", &model.folder);
        }
        let text = passed_on(&mut tests)?;
        let line = text
            .lines()
            .rfind(|line| line.contains(" passed") && line.contains(" in "))
            .ok_or("pytest said nothing at its end")?;
        not_empty(Count {
            passed: number_before(line, " passed"),
            ignored: number_before(line, " skipped"),
        })
    });
}

fn python_is_ready(folder: &Path) -> Outcome {
    if !folder.join("pyproject.toml").exists() {
        return Err("there is no bindings-python here".into());
    }
    tools::need(&[("python3", "python3")])?;
    if output(program("python3").args(["-c", "import ensurepip, venv"])).is_err() {
        tools::install(&["python3-venv"])?;
    }
    output(program("python3").args(["-c", "import sys; assert sys.version_info >= (3, 11)"]))
        .map(drop)
        .map_err(|_| "Python 3.11 or later is needed".into())
}

/// Fails if a runner ran no test.
fn not_empty(count: Count) -> Outcome<Count> {
    match count.passed {
        0 => Err("the runner counted no test".into()),
        _ => Ok(count),
    }
}

/// Runs the story in the languages whose own tests do not: Node's and Python's tests compare theirs
/// with the same file.
fn story() -> Outcome<Count> {
    let golden = read(&root().join("examples/story/golden.txt"))?;
    let mut count = Count::default();
    let mut compare = |language: &str, told: &str| -> Outcome {
        if told != golden {
            return Err(format!(
                "the story in {language} differs from examples/story/golden.txt:\n{told}"
            )
            .into());
        }
        println!("the story in {language}: as in the golden file");
        count.passed += 1;
        Ok(())
    };
    // Built like the core's tests, so that nothing is built again.
    run(cargo()
        .args(["build", "--quiet", "--workspace", "--examples"])
        .args(EVERY_FEATURE))?;
    let built = target().join("debug/examples");
    compare("Rust", &output(&mut program(built.join("story")))?)?;
    let installed = Installed::plain()?;
    compare("C", &installed.story("cc", "examples/c/story.c")?)?;
    compare("C++", &installed.story("c++", "examples/cpp/story.cpp")?)?;
    count.passed += installed.compare_stories_by_cmake()?;
    let complaint = installed.complaint("cc", "examples/c/story.c")?;
    if !complaint.contains("story") || complaint.contains("no details") {
        return Err(format!("the story in C does not say what went wrong: {complaint}").into());
    }
    count.passed += 1;
    for (example, shown) in EXAMPLES {
        let told = output(&mut program(built.join(example)))?;
        for part in *shown {
            if !told.contains(part) {
                return Err(
                    format!("the example {example} does not show {part:?}:\n{told}").into(),
                );
            }
        }
        println!("the example {example}: as expected");
        count.passed += 1;
    }
    Ok(count)
}

/// The other Rust examples, and what each must print.
const EXAMPLES: &[(&str, &[&str])] = &[
    (
        "quickstart",
        &[
            "Why did placing an order become so slow after the release?",
            "손님이 두 번 청구된 원인이 뭐였지?",
            "mem:",
        ],
    ),
    ("context", &["port 5433", "mem:"]),
    (
        "learn",
        &["8 entries, 5 tasks", "decision verified", "Lineage"],
    ),
];
