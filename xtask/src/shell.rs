//! Runs programs and locates the folders of the workspace.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The result of a step, or a sentence that says what went wrong.
pub type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// The optional features of the core, which the bindings test too. All its tests share one build,
/// because most of their time goes into compiling it.
pub const EVERY_FEATURE: [&str; 2] = ["--features", "recallite/fastembed"];

/// The root of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask lies in the workspace")
        .to_owned()
}

/// The target folder that all steps share.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// Creates an empty folder below the target folder.
pub fn scratch(name: &str) -> Outcome<PathBuf> {
    let folder = target().join("xtask").join(name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// The files below a folder with this extension, sorted; none if the folder does not exist.
pub fn sources(folder: &Path, ending: &str) -> Outcome<Vec<PathBuf>> {
    let mut found = Vec::new();
    if folder.is_dir() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                found.extend(sources(&path, ending)?);
            } else if path.extension().is_some_and(|end| end == ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// A program that runs in the root of the workspace.
pub fn program(name: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(name);
    command.current_dir(root());
    command
}

/// The cargo that runs this program, in the root of the workspace.
pub fn cargo() -> Command {
    let mut command = program(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.env("CARGO_TARGET_DIR", target());
    command
}

/// A command as one would type it.
pub fn shown(command: &Command) -> String {
    let mut words = vec![command.get_program().to_string_lossy().into_owned()];
    words.extend(
        command
            .get_args()
            .map(|word| word.to_string_lossy().into_owned()),
    );
    words.join(" ")
}

/// Runs a command with its output on this terminal.
pub fn run(command: &mut Command) -> Outcome {
    eprintln!("$ {}", shown(command));
    let status = command
        .status()
        .map_err(|e| format!("{}: {e}", command.get_program().to_string_lossy()))?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("{} ended with {status}", shown(command)).into()),
    }
}

/// Runs a command and returns its output; if it fails, the error includes its standard error.
pub fn output(command: &mut Command) -> Outcome<String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("{}: {e}", command.get_program().to_string_lossy()))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    match output.status.success() {
        true => Ok(text),
        false => Err(format!(
            "{} ended with {}\n{text}{}",
            shown(command),
            output.status,
            String::from_utf8_lossy(&output.stderr)
        )
        .into()),
    }
}

/// Like [`output`], with `input` on the command's standard input.
pub fn output_of(command: &mut Command, input: &str) -> Outcome<String> {
    use std::io::Write;
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| format!("{}: {e}", command.get_program().to_string_lossy()))?;
    let mut stdin = child.stdin.take().expect("stdin was asked for as a pipe");
    let given = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(given.as_bytes()));
    let output = child.wait_with_output()?;
    writer.join().expect("writing does not panic")?;
    match output.status.success() {
        true => Ok(String::from_utf8(output.stdout)?),
        false => Err(format!("{} ended with {}", shown(command), output.status).into()),
    }
}

/// Runs a command, forwards its standard output line by line, and returns all of it.
pub fn passed_on(command: &mut Command) -> Outcome<String> {
    let mut child = begun(command.stdout(Stdio::piped()))?;
    let stdout = child.stdout.take().expect("stdout was asked for as a pipe");
    let text = copied(stdout, |line| println!("{line}"))?;
    ended(command, child, text)
}

/// Like [`passed_on`], but forwards the output in one piece at the end: for programs that run in
/// parallel.
pub fn passed_on_whole(command: &mut Command) -> Outcome<String> {
    let mut child = begun(command.stdout(Stdio::piped()))?;
    let stdout = child.stdout.take().expect("stdout was asked for as a pipe");
    let text = copied(stdout, |_| ())?;
    print!("{text}");
    ended(command, child, text)
}

/// Like [`passed_on`], for its standard error.
pub fn complaints_passed_on(command: &mut Command) -> Outcome<String> {
    let mut child = begun(command.stderr(Stdio::piped()))?;
    let stderr = child.stderr.take().expect("stderr was asked for as a pipe");
    let text = copied(stderr, |line| eprintln!("{line}"))?;
    ended(command, child, text)
}

fn begun(command: &mut Command) -> Outcome<Child> {
    eprintln!("$ {}", shown(command));
    let begun = command.stdin(Stdio::null()).spawn();
    begun.map_err(|e| format!("{}: {e}", command.get_program().to_string_lossy()).into())
}

fn copied(from: impl Read, print: impl Fn(&str)) -> Outcome<String> {
    let mut text = String::new();
    for line in BufReader::new(from).split(b'\n') {
        let line = String::from_utf8_lossy(&line?).into_owned();
        print(&line);
        text.push_str(&line);
        text.push('\n');
    }
    Ok(text)
}

fn ended(command: &Command, mut child: Child, text: String) -> Outcome<String> {
    let status = child.wait()?;
    match status.success() {
        true => Ok(text),
        false => Err(format!("{} ended with {status}", shown(command)).into()),
    }
}

/// Reads a file; the error names it.
pub fn read(path: &Path) -> Outcome<String> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()).into())
}

/// Writes a file, creating its parent folders; the error names it.
pub fn write(path: &Path, text: &str) -> Outcome {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()).into())
}

/// Copies a file, creating parent folders; the error names it.
pub fn copy(from: &Path, to: &Path) -> Outcome {
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    std::fs::copy(from, to)
        .map(drop)
        .map_err(|e| format!("{} to {}: {e}", from.display(), to.display()).into())
}

/// The version of the workspace, from its `Cargo.toml`.
pub fn version() -> Outcome<String> {
    let text = read(&root().join("Cargo.toml"))?;
    text.lines()
        .skip_while(|line| line.trim() != "[workspace.package]")
        .find_map(|line| line.trim().strip_prefix("version = "))
        .map(|version| version.trim_matches('"').to_owned())
        .ok_or_else(|| "Cargo.toml names no version".into())
}
