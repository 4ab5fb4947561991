//! Where a memory lies by default, and which project a folder belongs to.

use std::path::Path;

use recallite::scope;

use crate::call::{guard, out};
use crate::error::recallite_error;
use crate::status::recallite_status;
use crate::text::{give_text, recallite_str, recallite_string};

/// The folder where a user's memory lies unless a program chooses another.
///
/// @param[out] path the folder, to be freed with recallite_string_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_NOT_FOUND when the system names no home folder.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_default_store_path(
    path: *mut *mut recallite_string,
    error: *mut *mut recallite_error,
) -> recallite_status {
    guard(error, || {
        // SAFETY: the caller's pointer is valid or NULL, as the header asks.
        let path = unsafe { out("path", path) }?;
        let folder = scope::default_store_path()?;
        path.set(give_text(folder.to_string_lossy()));
        Ok(())
    })
}

/// The project that a working folder belongs to: the root of its git
/// repository, and for a linked worktree the root of the main one. Without a
/// repository, the folder itself. The name is the absolute path, with / between
/// its parts.
///
/// @param[in] folder the folder, UTF-8.
/// @param[out] project its name, to be freed with recallite_string_free.
/// @param[out] error set on failure; may be NULL.
/// @return RECALLITE_NOT_FOUND or RECALLITE_IO when the folder cannot be looked
///     at.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recallite_project_of(
    folder: recallite_str,
    project: *mut *mut recallite_string,
    error: *mut *mut recallite_error,
) -> recallite_status {
    guard(error, || {
        // SAFETY: the caller's pointers are valid or NULL, as the header asks.
        let (folder, project) = unsafe { (folder.path("folder")?, out("project", project)?) };
        let name = scope::project_of(Path::new(folder))?;
        project.set(give_text(name));
        Ok(())
    })
}
