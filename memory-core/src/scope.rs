//! Where a memory lies and which project an event belongs to, decided in one
//! place so that every host and every language agrees.

use std::path::{Path, PathBuf};

use crate::model::error::{Error, ErrorCode, Result};
pub use crate::model::project::ProjectScope;

/// The folder where a user's memory lies unless a host chooses another:
/// `$XDG_DATA_HOME/recallite` or `~/.local/share/recallite` on Linux,
/// `~/Library/Application Support/recallite` on macOS,
/// `%LOCALAPPDATA%\recallite` on Windows.
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

/// The project that a working folder belongs to: the root of its git
/// repository, and for a linked worktree the root of the main one, so that all
/// worktrees of a repository are one project. Without a repository, the folder
/// itself. The name is the absolute path, with `/` between its parts.
///
/// # Errors
/// `not_found` or `io` when the folder cannot be looked at.
pub fn project_of(folder: &Path) -> Result<String> {
    let folder = std::fs::canonicalize(folder).map_err(|error| {
        let code = Error::from(std::io::Error::from(error.kind())).code();
        Error::new(code, format!("{}: {error}", folder.display()))
            .with_argument("folder")
            .with_source(error)
    })?;
    let root = folder
        .ancestors()
        .find_map(|place| {
            let git = place.join(".git");
            if git.is_dir() {
                Some(place.to_owned())
            } else if git.is_file() {
                Some(main_worktree(place, &git).unwrap_or_else(|| place.to_owned()))
            } else {
                None
            }
        })
        .unwrap_or(folder);
    Ok(root.to_string_lossy().replace('\\', "/"))
}

/// A linked worktree's `.git` is a file `gitdir: <main>/.git/worktrees/<name>`,
/// and that folder's `commondir` leads to `<main>/.git`.
fn main_worktree(place: &Path, git_file: &Path) -> Option<PathBuf> {
    let text = std::fs::read_to_string(git_file).ok()?;
    let git_dir = place.join(text.strip_prefix("gitdir:")?.trim());
    let common = std::fs::read_to_string(git_dir.join("commondir")).ok()?;
    let common = std::fs::canonicalize(git_dir.join(common.trim())).ok()?;
    (common.file_name()? == ".git").then(|| common.parent().map(Path::to_owned))?
}

#[cfg(test)]
mod tests {
    use super::*;

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
