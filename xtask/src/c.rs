//! Tests the C and C++ library as users get it: installed, compiled with pkg-config and CMake, and
//! run plain, under sanitizers and under Valgrind.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::install::{self, Options, soname_number};
use crate::report::{Count, Report};
use crate::shell::{
    Outcome, output, passed_on_whole, program, read, root, run, scratch, shown, target, version,
    write,
};
use crate::tools;

const C_FLAGS: [&str; 7] = [
    "-std=c99",
    "-g",
    "-Wall",
    "-Wextra",
    "-Wstrict-prototypes",
    "-Werror",
    "-pedantic",
];
const CPP_FLAGS: [&str; 6] = [
    "-std=c++17",
    "-g",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-pedantic",
];
const SANITIZERS: [&str; 2] = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];

/// An installed copy of the library.
pub struct Installed {
    prefix: PathBuf,
}

impl Installed {
    /// Installs a copy and moves it, so that a path that was compiled into it is noticed.
    fn new(name: &str, features: &[&str]) -> Outcome<Installed> {
        if cfg!(target_os = "linux") {
            tools::need(&[("cc", "gcc"), ("c++", "g++"), ("pkg-config", "pkg-config")])?;
        }
        let folder = scratch(name)?;
        let staging = folder.join("staging");
        install::install(&Options {
            prefix: staging.clone(),
            profile: "dev".into(),
            features: features.iter().map(|&feature| feature.into()).collect(),
        })?;
        let prefix = folder.join("installed");
        std::fs::rename(&staging, &prefix)?;
        Ok(Installed { prefix })
    }

    /// The copy that users get.
    pub fn plain() -> Outcome<Installed> {
        // Changes no code of the library, only which features of its dependencies are compiled.
        Installed::new("c", &["workspace-hack"])
    }

    fn lib(&self) -> PathBuf {
        self.prefix.join("lib")
    }

    /// The output of pkg-config for the copy.
    fn pkg_config(&self, arguments: &[&str]) -> Outcome<Vec<String>> {
        let text = output(
            program("pkg-config")
                .env("PKG_CONFIG_PATH", self.lib().join("pkgconfig"))
                .args(arguments)
                .arg("recallite"),
        )?;
        Ok(text.split_whitespace().map(str::to_owned).collect())
    }

    /// Compiles a program as the README describes, with additional flags.
    fn compile(&self, compiler: &str, source: &Path, flags: &[&str]) -> Outcome<PathBuf> {
        let stem = source.file_stem().ok_or("a source has a name")?;
        let mut name = format!("{}-{compiler}", stem.to_string_lossy());
        if flags.iter().any(|flag| flag.starts_with("-fsanitize")) {
            name.push_str("-sanitized");
        }
        let program_path = self.prefix.with_file_name("programs").join(name);
        std::fs::create_dir_all(program_path.parent().ok_or("programs lie in a folder")?)?;
        let language: &[&str] = match source.extension().is_some_and(|end| end == "c") {
            true => &C_FLAGS,
            false => &CPP_FLAGS,
        };
        let mut command = program(compiler);
        command
            .args(language)
            .args(flags)
            .arg(source)
            .args(self.pkg_config(&["--cflags", "--libs"])?)
            .args(["-pthread", "-o"])
            .arg(&program_path);
        output(&mut command)?;
        Ok(program_path)
    }

    /// A command that finds the shared library.
    fn command(&self, path: &Path) -> Command {
        let mut command = program(path);
        command.env("LD_LIBRARY_PATH", self.lib());
        // Tests that panic on purpose need no backtrace.
        command.env("RUST_BACKTRACE", "0");
        command
    }

    /// Compiles an example and returns its output.
    pub fn story(&self, compiler: &str, source: &str) -> Outcome<String> {
        let story = self.compile(compiler, &root().join(source), &[])?;
        tell(&mut self.command(&story))
    }

    /// Compiles an example, runs it on a place where no store can be, and returns its complaint.
    pub fn complaint(&self, compiler: &str, source: &str) -> Outcome<String> {
        let story = self.compile(compiler, &root().join(source), &[])?;
        let told = self.command(&story).arg(story.join("memory")).output()?;
        if told.status.success() {
            return Err(format!("{source} opened a store below a file").into());
        }
        Ok(String::from_utf8_lossy(&told.stderr).into_owned())
    }

    /// Builds the examples in `folder` with CMake, shared and static, and returns the output of
    /// each.
    fn stories_by_cmake(&self, folder: &str) -> Outcome<[String; 2]> {
        tools::need(&[("cmake", "cmake")])?;
        if cfg!(target_os = "linux") {
            tools::need(&[("make", "make")])?;
        }
        let build = scratch(&folder.replace('/', "-"))?;
        output(
            program("cmake")
                .arg("-S")
                .arg(root().join(folder))
                .arg("-B")
                .arg(&build)
                .arg(format!("-DCMAKE_PREFIX_PATH={}", self.prefix.display())),
        )?;
        let configuration = ["--config", "Release"];
        output(
            program("cmake")
                .arg("--build")
                .arg(&build)
                .args(configuration),
        )?;
        // Microsoft's generator has a folder for each configuration, and its loader looks for
        // libraries in the search path.
        let built = match cfg!(windows) {
            true => build.join("Release"),
            false => build,
        };
        let tell_by_cmake = |name: &str| {
            let mut story = program(built.join(name));
            if cfg!(windows) {
                story.env("PATH", self.prefix.join("bin"));
            }
            tell(&mut story)
        };
        Ok([tell_by_cmake("story")?, tell_by_cmake("story-static")?])
    }

    /// Checks that the story in C and C++, built with CMake and both libraries, is that of the
    /// golden file; returns how many were told.
    pub fn compare_stories_by_cmake(&self) -> Outcome<usize> {
        let golden = read(&root().join("examples/story/golden.txt"))?;
        let mut told = 0;
        for folder in ["examples/c", "examples/cpp"] {
            for (story, library) in self
                .stories_by_cmake(folder)?
                .iter()
                .zip(["shared", "static"])
            {
                if *story != golden {
                    return Err(format!(
                        "the story of {folder} with the {library} library differs from \
                         examples/story/golden.txt:\n{story}"
                    )
                    .into());
                }
                println!("the story of {folder}, {library} library: as in the golden file");
                told += 1;
            }
        }
        Ok(told)
    }
}

/// Runs a story in a folder that does not exist yet.
fn tell(command: &mut Command) -> Outcome<String> {
    let folder = scratch("story")?;
    let told = output(command.arg(folder.join("memory")))?;
    // As Windows ends the lines of a text.
    Ok(told.replace("\r\n", "\n"))
}

/// How a program is run.
enum Under {
    Nothing,
    Sanitizers,
    Valgrind,
}

/// Runs all tests of the C and C++ library, or, elsewhere than on Linux, builds the story with what
/// was installed.
pub fn test(report: &mut Report) -> Outcome<Count> {
    let mut count = Count::default();
    if !cfg!(target_os = "linux") {
        report.leave_out("the tests in C and C++", "they are written for Linux");
        count.passed = Installed::plain()?.compare_stories_by_cmake()?;
        return Ok(count);
    }
    let hooked = Installed::new("c-hooks", &["test-hooks"])?;
    let plain = Installed::plain()?;
    count.passed += exports(&plain)?;

    let tests = root().join("memory-ffi/tests");
    let mut compilers = vec![("cc", "c++")];
    match tools::need(&[("clang", "clang")]) {
        Ok(()) => compilers.push(("clang", "clang++")),
        Err(why) => report.skip("clang", why),
    }
    let has_valgrind = match tools::need(&[("valgrind", "valgrind")]) {
        Ok(()) => true,
        Err(why) => {
            report.skip("valgrind", why);
            false
        }
    };
    let sources = [
        (&plain, tests.join("c/api.c")),
        (&plain, tests.join("c/misuse.c")),
        (&plain, tests.join("c/recall.c")),
        (&plain, tests.join("c/keeping.c")),
        (&plain, tests.join("c/misuse_recall.c")),
        (&plain, tests.join("c/embedder.c")),
        (&plain, tests.join("c/learn.c")),
        (&plain, tests.join("c/learn_misuse.c")),
        (&plain, tests.join("c/rules.c")),
        (&plain, tests.join("c/threads.c")),
        (&hooked, tests.join("c/panic.c")),
        (&plain, tests.join("cpp/wrapper.cpp")),
        (&plain, tests.join("cpp/recall.cpp")),
        (&plain, tests.join("cpp/learn.cpp")),
    ];
    let jobs: Vec<Job<'_>> = sources
        .iter()
        .flat_map(|(installed, source)| {
            let is_c = source.extension().is_some_and(|end| end == "c");
            compilers
                .iter()
                .enumerate()
                .map(move |(number, (cc, cpp))| Job {
                    installed,
                    source,
                    compiler: if is_c { cc } else { cpp },
                    is_first: number == 0,
                    has_valgrind,
                })
        })
        .collect();
    count.passed += side_by_side(&jobs)?;
    for (compiler, source) in [
        ("cc", "examples/c/context.c"),
        ("c++", "examples/cpp/context.cpp"),
    ] {
        let told = plain.story(compiler, source)?;
        if !told.contains("15 seconds") || !told.contains("was given 1 time(s)") {
            return Err(format!("{source} did not tell what it should:\n{told}").into());
        }
        count.passed += 1;
    }
    for (compiler, source) in [
        ("cc", "examples/c/learn.c"),
        ("c++", "examples/cpp/learn.cpp"),
    ] {
        count.passed += learning_example(&plain, compiler, source)?;
    }
    count.passed += readme(&plain)?;
    Ok(count)
}

/// A test program to be compiled by one compiler.
struct Job<'a> {
    installed: &'a Installed,
    source: &'a Path,
    compiler: &'a str,
    /// With the first compiler, a program also runs under Valgrind and sanitizers.
    is_first: bool,
    has_valgrind: bool,
}

impl Job<'_> {
    fn run(&self) -> Outcome<usize> {
        let Job { installed, .. } = self;
        let built = installed.compile(self.compiler, self.source, &[])?;
        let mut passed = run_test(installed, &built, &Under::Nothing)?;
        if !self.is_first {
            return Ok(passed);
        }
        if self.has_valgrind {
            passed += run_test(installed, &built, &Under::Valgrind)?;
        }
        let sanitized = installed.compile(self.compiler, self.source, &SANITIZERS)?;
        passed += run_test(installed, &sanitized, &Under::Sanitizers)?;
        Ok(passed)
    }
}

/// Runs jobs in parallel, one per core; returns the number of cases.
fn side_by_side(jobs: &[Job<'_>]) -> Outcome<usize> {
    let next = AtomicUsize::new(0);
    let work = || -> Result<usize, String> {
        let mut passed = 0;
        while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            passed += job.run().map_err(|error| error.to_string())?;
        }
        Ok(passed)
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let ended: Vec<Result<usize, String>> = std::thread::scope(|threads| {
        let workers: Vec<_> = (0..cores).map(|_| threads.spawn(work)).collect();
        let joined = workers.into_iter().map(|worker| worker.join());
        joined
            .map(|ended| ended.unwrap_or_else(|_| Err("a worker panicked".into())))
            .collect()
    });
    let mut passed = 0;
    for one in ended {
        passed += one?;
    }
    Ok(passed)
}

/// Checks that an example of learning prints what is in the golden file.
fn learning_example(installed: &Installed, compiler: &str, source: &str) -> Outcome<usize> {
    let learn = installed.compile(compiler, &root().join(source), &[])?;
    let mut command = installed.command(&learn);
    command
        .arg(scratch("learn-example")?.join("memory"))
        .arg(root().join("examples/data"));
    let told = output(&mut command)?;
    if told != read(&root().join("examples/learn/golden.txt"))? {
        return Err(format!("{source} differs from examples/learn/golden.txt:\n{told}").into());
    }
    println!("{source}: as in the golden file");
    Ok(1)
}

/// Checks that the C and the C++ of the README compile, each as the body of a function.
fn readme(installed: &Installed) -> Outcome<usize> {
    let text = read(&root().join("README.md"))?;
    let folder = scratch("c-readme")?;
    let includes = installed.pkg_config(&["--cflags"])?;
    let c = "#include <recallite.h>\n#include <stdio.h>\nvoid readme(recallite_memory *memory) {";
    let cpp = "#include <recallite.hpp>\n#include <iostream>\nvoid readme() {";
    let mut passed = 0;
    for (language, compiler, flags, head) in [
        ("c", "cc", &C_FLAGS[..], c),
        ("cpp", "c++", &CPP_FLAGS[..], cpp),
    ] {
        let fence = format!("\n```{language}\n");
        let blocks = text.split(&fence).skip(1);
        let blocks: Vec<&str> = blocks.filter_map(|rest| rest.split("```").next()).collect();
        if blocks.is_empty() {
            return Err(format!("README.md has no example in {language}").into());
        }
        for (number, block) in blocks.iter().enumerate() {
            let source = folder.join(format!("readme-{number}.{language}"));
            write(&source, &format!("{head}\n{block}}}\n"))?;
            output(
                program(compiler)
                    .args(flags)
                    .arg("-fsyntax-only")
                    .args(&includes)
                    .arg(&source),
            )?;
            passed += 1;
        }
    }
    println!("README.md: {passed} examples compile");
    Ok(passed)
}

/// Runs a test program and counts its cases.
fn run_test(installed: &Installed, path: &Path, under: &Under) -> Outcome<usize> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let folder = scratch(&format!("c-test-{name}"))?;
    let mut command = match under {
        Under::Nothing | Under::Sanitizers => installed.command(path),
        Under::Valgrind => {
            let mut valgrind = installed.command(Path::new("valgrind"));
            // "Possibly lost" blocks are not counted: the library's static tables refer to them by
            // interior pointers. Unreachable blocks are.
            valgrind
                .args(["--quiet", "--error-exitcode=99", "--leak-check=full"])
                .args(["--show-leak-kinds=definite,indirect"])
                .args(["--errors-for-leak-kinds=definite,indirect"])
                // Without this, one thread can starve the others for minutes.
                .arg("--fair-sched=try")
                .arg(path);
            valgrind
        }
    };
    command.arg(&folder);
    let text = passed_on_whole(&mut command)?;
    text.lines()
        .last()
        .and_then(|line| line.strip_suffix(" cases, 0 failed checks"))
        .and_then(|cases| cases.parse().ok())
        .ok_or_else(|| format!("{} did not come to its end", shown(&command)).into())
}

/// The functions that the header declares.
fn declared() -> Outcome<BTreeSet<String>> {
    let header = read(&crate::header::path())?;
    let mut names = BTreeSet::new();
    for line in header.lines() {
        let is_comment = line.trim_start().starts_with(['*', '/']);
        if is_comment || line.starts_with([' ', '#', 't']) {
            continue;
        }
        if let Some((before, _)) = line.split_once('(') {
            let name = before.rsplit([' ', '*']).next().unwrap_or_default();
            if name.starts_with("recallite_") {
                names.insert(name.to_owned());
            }
        }
    }
    Ok(names)
}

/// Checks that both libraries export the functions of the header and nothing else.
fn exports(installed: &Installed) -> Outcome<usize> {
    let declared = declared()?;
    let shared = installed.lib().join("librecallite.so");
    let fixed = installed.lib().join("librecallite.a");
    for (library, option) in [(&shared, "--dynamic"), (&fixed, "--extern-only")] {
        let symbols = output(program("nm").args(["--defined-only", option]).arg(library))?;
        let shown: BTreeSet<String> = symbols
            .lines()
            .filter_map(|line| line.split_whitespace().nth(2))
            .map(str::to_owned)
            .collect();
        if shown != declared {
            return Err(format!(
                "{}: exported and not declared: {:?}; declared and not exported: {:?}",
                library.display(),
                shown.difference(&declared).collect::<Vec<_>>(),
                declared.difference(&shown).collect::<Vec<_>>()
            )
            .into());
        }
        println!(
            "{}: {} functions, as declared",
            library.display(),
            shown.len()
        );
    }
    let dynamic = output(program("readelf").arg("--dynamic").arg(&shared))?;
    let soname = format!("[librecallite.so.{}]", soname_number(&version()?));
    if !dynamic.contains(&soname) {
        return Err("the shared library has the wrong SONAME".into());
    }
    let sections = output(
        program("readelf")
            .args(["--sections", "--wide"])
            .arg(&shared),
    )?;
    if sections.contains(".debug_") || sections.contains(".symtab") {
        return Err("the shared library is not stripped".into());
    }
    let file = std::fs::canonicalize(&shared)?;
    let name = file.file_name().ok_or("a library has a name")?;
    let debug = installed
        .lib()
        .join(".debug")
        .join(format!("{}.debug", name.to_string_lossy()));
    if !sections.contains(".gnu_debuglink") || !debug.exists() {
        return Err("debuggers find nothing about the shared library".into());
    }
    let prefix = target().display().to_string();
    for file in [
        "pkgconfig/recallite.pc",
        "cmake/recallite/recallite-config.cmake",
    ] {
        if read(&installed.lib().join(file))?.contains(&prefix) {
            return Err(format!("{file} names the folder that it was installed in").into());
        }
    }
    static_links(installed)?;
    Ok(6)
}

/// Checks that a program links with the static library and the libraries that pkg-config lists.
fn static_links(installed: &Installed) -> Outcome {
    let source = root().join("examples/c/story.c");
    let built = installed.prefix.with_file_name("story-static");
    let libraries = installed.pkg_config(&["--static", "--libs-only-l"])?;
    run(program("cc")
        .args(C_FLAGS)
        .arg(source)
        .args(installed.pkg_config(&["--cflags"])?)
        .arg(installed.lib().join("librecallite.a"))
        .args(libraries.iter().filter(|library| *library != "-lrecallite"))
        .arg("-o")
        .arg(&built))?;
    tell(&mut program(&built)).map(drop)
}
