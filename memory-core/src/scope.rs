//! Where a memory is stored and which project an event belongs to, decided in one place so
//! that every host and every language agrees.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::model::error::{Error, ErrorCode, Result};
pub use crate::model::project::ProjectScope;
use crate::model::shorten::place;

/// Returns the folder where a user's memory is stored unless a host chooses another:
/// `$XDG_DATA_HOME/recallite` or `~/.local/share/recallite` on Linux,
/// `~/Library/Application Support/recallite` on macOS, `%LOCALAPPDATA%\recallite` on
/// Windows.
///
/// # Errors
/// `not_found` when the system names no home folder.
pub fn default_store_path() -> Result<PathBuf> {
    let folder = |name: &str| {
        std::env::var_os(name)
            .filter(|v| !v.is_empty())
            .map(PathBuf::from)
    };
    let base = if cfg!(target_os = "windows") {
        folder("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        folder("HOME").map(|home| home.join("Library/Application Support"))
    } else {
        folder("XDG_DATA_HOME")
            .filter(|path| path.is_absolute())
            .or_else(|| folder("HOME").map(|home| home.join(".local/share")))
    };
    base.map(|base| base.join("recallite")).ok_or_else(|| {
        Error::new(
            ErrorCode::NotFound,
            "the system names no home folder; give the store's path",
        )
    })
}

/// Returns the project that a working folder belongs to. This is the root of its git
/// repository; for a linked worktree it is the root of the main one, or the bare repository,
/// so that all worktrees of a repository are one project. Outside of a repository it is the
/// folder itself. The name is the absolute path, with `/` between its parts.
///
/// A repository can have a name of its own, for example because its path differs from
/// machine to machine: `git config recallite.project shop`. The name is used only if it
/// contains no `/`, `\` or `:`, so that it cannot be mistaken for a path.
///
/// A folder that was moved keeps its project with
/// `git config --global recallite.<new path>.project <old path>`, which the command `recallite
/// projects moved` writes. Only the user's own configuration of git can say so, not that of a
/// repository. What is at the old path after that is another project, called `<old path> (2)`.
///
/// # Errors
/// `not_found` or `io` when the folder cannot be looked at.
pub fn project_of(folder: &Path) -> Result<String> {
    let folder = std::fs::canonicalize(folder).map_err(|error| {
        let code = Error::from(std::io::Error::from(error.kind())).code();
        Error::new(code, format!("{}: {error}", place(folder)))
            .with_argument("folder")
            .with_source(error)
    })?;
    let (name, root) = match folder.ancestors().find_map(repository_at) {
        Some(repository) => (
            configured_name(&repository.shared.join("config")),
            repository.root,
        ),
        None => (None, folder),
    };
    Ok(name.unwrap_or_else(|| {
        let configs = user_configs().into_iter().filter_map(|it| short_text(&it));
        let moved: Vec<_> = configs.flat_map(|config| moved_folders(&config)).collect();
        by_place(&moved, &path_name(&root))
    }))
}

/// The project of the folder at a path; `moved` are the folders that keep one, each with that
/// project. A path that a moved project is named by belongs to that one: what is at the path now is
/// another project, and gets a number behind its name. Whether the moved folder can be seen does
/// not matter, or the projects of a drive that is not connected would change their names.
fn by_place(moved: &[(String, String)], path: &str) -> String {
    if let Some((_, project)) = moved.iter().rev().find(|(folder, _)| folder == path) {
        return project.clone();
    }
    let is_kept = |name: &str| moved.iter().any(|(_, project)| project == name);
    let mut name = path.to_owned();
    let mut number = 1;
    while is_kept(&name) {
        number += 1;
        name = format!("{path} ({number})");
    }
    name
}

/// The user's own configurations of git, where git looks for them. What stands in a later one takes
/// precedence.
fn user_configs() -> Vec<PathBuf> {
    let named = |name: &str| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    if let Some(only) = named("GIT_CONFIG_GLOBAL") {
        return vec![only];
    }
    let home = std::env::home_dir().filter(|home| !home.as_os_str().is_empty());
    let shared = named("XDG_CONFIG_HOME").or_else(|| Some(home.as_ref()?.join(".config")));
    let shared = shared.map(|folder| folder.join("git/config"));
    shared
        .into_iter()
        .chain(home.map(|home| home.join(".gitconfig")))
        .collect()
}

/// A path as a project is named.
fn path_name(path: &Path) -> String {
    let name = path.to_string_lossy();
    if !cfg!(windows) {
        // A backslash is a letter of a name like any other.
        return name.into_owned();
    }
    let name = name.replace('\\', "/");
    // The form that `canonicalize` returns, which nobody writes.
    match name.strip_prefix("//?/") {
        Some(plain) => match plain.strip_prefix("UNC/") {
            Some(share) => format!("//{share}"),
            None => plain.to_owned(),
        },
        None => name,
    }
}

/// A git repository.
struct Repository {
    root: PathBuf,
    /// The folder of what all of its worktrees share, such as its configuration.
    shared: PathBuf,
}

/// The repository of which a folder is the root of a worktree.
fn repository_at(place: &Path) -> Option<Repository> {
    let git = place.join(".git");
    let own = |shared| Repository {
        root: place.to_owned(),
        shared,
    };
    if git.is_dir() {
        return Some(own(git));
    }
    if !git.is_file() {
        return None;
    }
    let repository = git_folder(place, &git).map(|git_dir| match linked_repository(&git_dir) {
        Some(main) => main,
        None => own(git_dir),
    });
    Some(repository.unwrap_or_else(|| own(git)))
}

/// The folder that a file `.git` names: `gitdir: <folder>`. A linked worktree, a submodule and
/// a repository with a separate folder have one.
fn git_folder(place: &Path, git_file: &Path) -> Option<PathBuf> {
    let text = short_text(git_file)?;
    Some(place.join(text.strip_prefix("gitdir:")?.trim()))
}

/// The repository of a linked worktree, whose git folder leads to the common one by a file
/// `commondir`. That is `<main>/.git`, or a bare repository.
fn linked_repository(git_dir: &Path) -> Option<Repository> {
    let common = short_text(&git_dir.join("commondir"))?;
    let shared = std::fs::canonicalize(git_dir.join(common.trim())).ok()?;
    let root = match shared.file_name()? == ".git" {
        true => shared.parent()?,
        false => &shared,
    };
    Some(Repository {
        root: root.to_owned(),
        shared,
    })
}

/// No file of a repository that is read here is longer, not even a configuration that a person
/// wrote.
const FILE_LIMIT: u64 = 1 << 20;

/// The text of a file of a repository; `None` unless it is a regular file, or a link to one,
/// within the limit. Whoever made the repository chose what is there, and reading a pipe or a
/// device might never end.
fn short_text(path: &Path) -> Option<String> {
    let facts = std::fs::metadata(path).ok()?;
    if !facts.is_file() || facts.len() > FILE_LIMIT {
        return None;
    }
    let mut text = String::new();
    let file = File::open(path).ok()?;
    file.take(FILE_LIMIT).read_to_string(&mut text).ok()?;
    Some(text)
}

/// The value of `recallite.project` in a repository's configuration.
fn configured_name(config: &Path) -> Option<String> {
    let name = names_in(&short_text(config)?).remove(&Section::Own)?;
    (!name.contains(['/', '\\', ':'])).then_some(name)
}

/// The folders that were moved, each with the project that it keeps, by a configuration of the
/// user.
fn moved_folders(config: &str) -> Vec<(String, String)> {
    let folder = |(section, name)| match section {
        Section::Own => None,
        Section::Folder(path) => Some((path, name)),
    };
    names_in(config).into_iter().filter_map(folder).collect()
}

/// What a section of a configuration is for.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Section {
    /// `[recallite]`: the repository that has the configuration.
    Own,
    /// `[recallite "<path>"]`: the folder at a path.
    Folder(String),
}

/// The values of `project` in the sections `recallite`: of each that of the last line that has one,
/// if it can be a project's name. Only the plain form is read: a section, and one name a line.
fn names_in(config: &str) -> BTreeMap<Section, String> {
    let mut names = BTreeMap::new();
    let mut header = None;
    for line in config.lines().map(str::trim) {
        if let Some(line) = line.strip_prefix('[') {
            header = Some(line);
        } else if let Some((key, value)) = line.split_once('=')
            && key.trim().eq_ignore_ascii_case("project")
            && let Some(section) = header.and_then(section)
        {
            names.insert(section, unquoted(value.trim()));
        }
    }
    names.retain(|_, name| !name.is_empty() && crate::privacy::check_name("project", name).is_ok());
    names
}

/// The section of a line, behind its bracket, if it is one of ours.
fn section(line: &str) -> Option<Section> {
    let (name, section) = match line.split_once('"') {
        Some((name, part)) => {
            let path = unescaped(&part[..part.rfind('"')?]);
            (name, Section::Folder(path))
        }
        None => (line.split(']').next()?, Section::Own),
    };
    let is_ours = name.trim().eq_ignore_ascii_case("recallite");
    is_ours.then_some(section)
}

/// The name of a section's part, in which a backslash stands before what it would change.
fn unescaped(part: &str) -> String {
    let mut letters = part.chars();
    let next = || {
        let letter = letters.next()?;
        if letter == '\\' {
            letters.next()
        } else {
            Some(letter)
        }
    };
    std::iter::from_fn(next).collect()
}

/// A value without its quotation marks, escapes and the comment behind it.
fn unquoted(value: &str) -> String {
    let (mut text, mut is_quoted, mut letters) = (String::new(), false, value.chars());
    while let Some(letter) = letters.next() {
        match letter {
            '"' => is_quoted = !is_quoted,
            '#' | ';' if !is_quoted => break,
            '\\' => text.extend(letters.next()),
            letter => text.push(letter),
        }
    }
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_may_have_a_name_of_its_own() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(temp.path().join("work/.git")).unwrap();
        std::fs::create_dir_all(temp.path().join("work/src")).unwrap();
        let inside = temp.path().join("work/src");
        let by_path = project_of(&inside).unwrap();
        let with = |config: &str| {
            std::fs::write(temp.path().join("work/.git/config"), config).unwrap();
            project_of(&inside).unwrap()
        };
        assert_eq!(
            with("[core]\n\tbare = false\n[recallite]\n\tproject = shop\n"),
            "shop"
        );
        assert_eq!(with("[Recallite]\nPROJECT=\"my shop\" # ours\n"), "my shop");
        assert_eq!(with("[recallite]\nproject = a\nproject = b\n"), "b");
        for config in [
            "",
            "[core]\nproject = shop\n",
            "[recallite]\nproject =\n",
            "[recallite]\nproject = shop\nproject =\n",
            "[recallite]\nproject = /home/ada/shop\n",
            "[recallite]\nproject = C:shop\n",
            "[recallite \"x\"]\nproject = shop\n",
            "project = shop\n[recallite]\n",
        ] {
            assert_eq!(with(config), by_path, "{config:?}");
        }
    }

    #[test]
    fn a_moved_folder_is_named_by_the_users_configuration() {
        let config = "[user]\n\tname = Ada\n[recallite \"/new/shop\"]\n\tproject = /old/shop # moved\n\
                      [Recallite \"/a \\\"b\\\" \\\\c\"]\nproject = \"/x;y\"\n";
        let by_place = |config: &str, path: &str| {
            let name = by_place(&moved_folders(config), path);
            (name != path).then_some(name)
        };
        let moved = |path| by_place(config, path);
        assert_eq!(moved("/new/shop").as_deref(), Some("/old/shop"));
        assert_eq!(moved("/a \"b\" \\c").as_deref(), Some("/x;y"));
        for other in ["/new", "/new/shop/src", "", "/NEW/shop"] {
            assert_eq!(moved(other), None, "{other}");
        }
        for damaged in [
            "[recallite \"/p]\nproject = x",
            "[recallite \"/p\"]\nproject =",
            "[\"/p\"]\nproject = x",
        ] {
            assert_eq!(by_place(damaged, "/p"), None, "{damaged}");
        }
    }

    #[test]
    fn what_is_made_where_a_moved_folder_was_is_another_project() {
        let moved = [("/new/shop", "/old/shop"), ("/a/shop", "/old/shop (2)")]
            .map(|(folder, project)| (folder.to_owned(), project.to_owned()));
        assert_eq!(by_place(&moved[..1], "/old/shop"), "/old/shop (2)");
        assert_eq!(by_place(&moved, "/old/shop"), "/old/shop (3)");
        assert_eq!(by_place(&moved, "/new/shop"), "/old/shop");
        assert_eq!(by_place(&moved, "/a/shop"), "/old/shop (2)");
        // It was moved back, and the user said so.
        let back = ("/old/shop".to_owned(), "/old/shop".to_owned());
        assert_eq!(
            by_place(&[moved[0].clone(), back], "/old/shop"),
            "/old/shop"
        );
    }

    #[test]
    fn worktrees_of_a_repository_are_one_project() {
        let temp = tempfile::tempdir().unwrap();
        let main = temp.path().join("shop");
        let linked = temp.path().join("shop-feature");
        std::fs::create_dir_all(main.join(".git/worktrees/shop-feature")).unwrap();
        std::fs::create_dir_all(main.join("src/deep")).unwrap();
        std::fs::create_dir_all(linked.join("src")).unwrap();
        std::fs::write(
            main.join(".git/worktrees/shop-feature/commondir"),
            "../..\n",
        )
        .unwrap();
        std::fs::write(
            linked.join(".git"),
            format!(
                "gitdir: {}\n",
                main.join(".git/worktrees/shop-feature").display()
            ),
        )
        .unwrap();
        let project = project_of(&main).unwrap();
        assert_eq!(project_of(&main.join("src/deep")).unwrap(), project);
        assert_eq!(project_of(&linked.join("src")).unwrap(), project);
    }

    #[test]
    fn worktrees_of_a_bare_repository_are_one_project() {
        let temp = tempfile::tempdir().unwrap();
        let bare = temp.path().join("shop.git");
        for name in ["wt1", "wt2"] {
            let git_dir = bare.join("worktrees").join(name);
            std::fs::create_dir_all(&git_dir).unwrap();
            std::fs::create_dir_all(temp.path().join(name)).unwrap();
            std::fs::write(git_dir.join("commondir"), "../..\n").unwrap();
            let git_file = temp.path().join(name).join(".git");
            std::fs::write(git_file, format!("gitdir: {}\n", git_dir.display())).unwrap();
        }
        let project = |name| project_of(&temp.path().join(name)).unwrap();
        assert!(project("wt1").ends_with("/shop.git"), "{}", project("wt1"));
        assert_eq!(project("wt1"), project("wt2"));
        std::fs::write(bare.join("config"), "[recallite]\nproject = shop\n").unwrap();
        assert_eq!(project("wt2"), "shop");
    }

    #[test]
    fn a_repository_with_a_separate_folder_may_have_a_name_of_its_own() {
        let temp = tempfile::tempdir().unwrap();
        // As a submodule has it.
        let git_dir = temp.path().join("shop/.git/modules/sub");
        let sub = temp.path().join("shop/sub");
        std::fs::create_dir_all(&git_dir).unwrap();
        std::fs::create_dir_all(&sub).unwrap();
        std::fs::write(sub.join(".git"), "gitdir: ../.git/modules/sub\n").unwrap();
        assert!(project_of(&sub).unwrap().ends_with("/shop/sub"));
        std::fs::write(git_dir.join("config"), "[recallite]\nproject = parts\n").unwrap();
        assert_eq!(project_of(&sub).unwrap(), "parts");
    }

    #[cfg(windows)]
    #[test]
    fn a_path_begins_with_its_drive() {
        let temp = tempfile::tempdir().unwrap();
        let name = project_of(temp.path()).unwrap();
        assert_eq!(&name[1..3], ":/", "{name}");
    }

    #[cfg(unix)]
    #[test]
    fn a_backslash_separates_nothing() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(temp.path().join("a\\b")).unwrap();
        std::fs::create_dir_all(temp.path().join("a/b")).unwrap();
        let project = |name| project_of(&temp.path().join(name)).unwrap();
        assert_ne!(project("a\\b"), project("a/b"));
    }

    /// What a hostile archive or a broken disk leaves in the place of git's files.
    #[cfg(unix)]
    #[test]
    fn what_never_ends_is_not_read() {
        use std::os::unix::fs::symlink;
        use std::process::Command;

        let temp = tempfile::tempdir().unwrap();
        let linked = temp.path().join("linked");
        let git_dir = temp.path().join("main/.git/worktrees/linked");
        std::fs::create_dir_all(&git_dir).unwrap();
        std::fs::create_dir_all(&linked).unwrap();
        let git_file = linked.join(".git");
        std::fs::write(&git_file, format!("gitdir: {}\n", git_dir.display())).unwrap();
        let own = std::fs::canonicalize(&linked).unwrap();
        let own = own.to_str().unwrap();
        let common = git_dir.join("commondir");
        symlink("/dev/zero", &common).unwrap();
        assert_eq!(project_of(&linked).unwrap(), own);
        std::fs::remove_file(&common).unwrap();
        assert!(
            Command::new("mkfifo")
                .arg(&common)
                .status()
                .unwrap()
                .success()
        );
        assert_eq!(project_of(&linked).unwrap(), own);
        std::fs::remove_file(&common).unwrap();
        std::fs::write(&common, "../..\n").unwrap();
        assert!(project_of(&linked).unwrap().ends_with("/main"));
        std::fs::write(&common, format!("../..{}", "\n".repeat(2 << 20))).unwrap();
        assert_eq!(project_of(&linked).unwrap(), own);
        std::fs::write(&common, "../..\n").unwrap();
        let long = format!("gitdir: {}{}", git_dir.display(), "\n".repeat(2 << 20));
        std::fs::write(&git_file, long).unwrap();
        assert_eq!(project_of(&linked).unwrap(), own);
    }

    #[test]
    fn a_folder_without_a_repository_is_its_own_project() {
        let temp = tempfile::tempdir().unwrap();
        assert!(
            project_of(temp.path())
                .unwrap()
                .ends_with(temp.path().file_name().unwrap().to_str().unwrap())
        );
        assert!(project_of(&temp.path().join("missing")).is_err());
    }
}
