//! The store's folder: its files and their permissions, the `CURRENT` file that
//! names the live generation, and the refusal of folders that cannot keep a
//! promise (network and synced folders).

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::model::error::{Error, ErrorCode, Result};

const CURRENT: &str = "CURRENT";

/// A folder that holds a store.
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    path: PathBuf,
}

/// The name of the file of one generation.
pub(super) fn generation_name(generation: u64) -> String {
    format!("memory.{generation}.redb")
}

impl Folder {
    /// Opens the folder, creating it (0700) when it is missing.
    pub(crate) fn open(path: &Path, create: bool) -> Result<Self> {
        if path.as_os_str().is_empty() {
            return Err(Error::invalid("path", "must not be empty"));
        }
        match fs::metadata(path) {
            Ok(found) if !found.is_dir() => {
                return Err(Error::invalid(
                    "path",
                    format_args!("{} is a file, not a folder", path.display()),
                ));
            }
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && create => {
                create_private(path).map_err(|e| at_path(path, e))?;
            }
            Err(error) => return Err(at_path(path, error)),
        }
        let path = fs::canonicalize(path).map_err(|e| at_path(path, e))?;
        Ok(Folder { path })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The file of one generation.
    pub(crate) fn generation_file(&self, generation: u64) -> PathBuf {
        self.path.join(generation_name(generation))
    }

    /// Where derived side files lie. Deleting it costs time, never data.
    pub(crate) fn index(&self) -> PathBuf {
        self.path.join("index")
    }

    /// The live generation, or `None` in a folder without a store.
    pub(crate) fn current(&self) -> Result<Option<u64>> {
        let file = self.path.join(CURRENT);
        let text = match fs::read(&file) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                // A crash between creating the first generation and naming it
                // loses nothing: nothing was acknowledged yet.
                return Ok(self.generation_file(1).exists().then_some(1));
            }
            Err(error) => return Err(at_path(&file, error)),
        };
        text.trim().parse::<u64>().ok().filter(|n| *n > 0).map(Some).ok_or_else(|| {
            Error::new(
                ErrorCode::Corrupt,
                format!(
                    "{} does not name a generation; write the number of the newest memory.N.redb into it",
                    file.display()
                ),
            )
            .with_argument("path")
        })
    }

    /// Makes `generation` the live one: written beside, synced, then renamed,
    /// so that a crash leaves the old name or the new one.
    pub(crate) fn set_current(&self, generation: u64) -> Result<()> {
        let temporary = self
            .path
            .join(format!("{CURRENT}.{}.tmp", std::process::id()));
        let mut file = private_file(&temporary).map_err(|e| at_path(&temporary, e))?;
        file.write_all(format!("{generation}\n").as_bytes())?;
        file.sync_all()?;
        drop(file);
        fs::rename(&temporary, self.path.join(CURRENT))?;
        self.sync()
    }

    /// Makes renames and new files of the folder durable.
    pub(crate) fn sync(&self) -> Result<()> {
        #[cfg(unix)]
        fs::File::open(&self.path)?.sync_all()?;
        Ok(())
    }

    /// Bytes of all files of the store.
    pub(crate) fn size_bytes(&self) -> u64 {
        fn walk(path: &Path) -> u64 {
            let Ok(entries) = fs::read_dir(path) else {
                return 0;
            };
            entries
                .flatten()
                .map(|entry| match entry.metadata() {
                    Ok(found) if found.is_dir() => walk(&entry.path()),
                    Ok(found) => found.len(),
                    Err(_) => 0,
                })
                .sum()
        }
        walk(&self.path)
    }

    /// Refuses a folder on a network or a synced folder, where locks or writes
    /// of several machines are not what a store needs.
    pub(crate) fn check_place(&self) -> Result<()> {
        if let Some(kind) = network_file_system(&self.path) {
            return Err(Error::new(
                ErrorCode::Unsupported,
                format!(
                    "{} lies on a network file system ({kind}), where file locks are not reliable; \
                     choose a local folder, or allow it with allow_network_folder(true)",
                    self.path.display()
                ),
            )
            .with_argument("path"));
        }
        const SYNCED: &[&str] = &[
            "Dropbox",
            "OneDrive",
            "Google Drive",
            "GoogleDrive",
            "iCloud Drive",
            "Mobile Documents",
            "Nextcloud",
        ];
        let synced = self.path.components().find_map(|part| {
            let part = part.as_os_str().to_string_lossy().into_owned();
            SYNCED
                .iter()
                .find(|name| part == **name || part.starts_with(&format!("{name} -")))
                .copied()
        });
        if let Some(service) = synced {
            return Err(Error::new(
                ErrorCode::Unsupported,
                format!(
                    "{} lies in a folder that {service} synchronises, which can tear a store apart; \
                     choose another folder, or allow it with allow_network_folder(true)",
                    self.path.display()
                ),
            )
            .with_argument("path"));
        }
        Ok(())
    }
}

fn at_path(path: &Path, error: std::io::Error) -> Error {
    let code = Error::from(std::io::Error::from(error.kind())).code();
    Error::new(code, format!("{}: {error}", path.display()))
        .with_argument("path")
        .with_source(error)
}

pub(crate) fn create_private(path: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(path)
}

/// A new file that only its owner can read.
pub(crate) fn private_file(path: &Path) -> std::io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
}

/// The type of the network file system that holds the path, where the system
/// tells (Linux: the mount table).
fn network_file_system(path: &Path) -> Option<String> {
    const NETWORK: &[&str] = &[
        "nfs",
        "nfs4",
        "cifs",
        "smb3",
        "smbfs",
        "9p",
        "afs",
        "ceph",
        "glusterfs",
        "fuse.sshfs",
        "fuse.rclone",
    ];
    if !cfg!(target_os = "linux") {
        return None;
    }
    let table = fs::read_to_string("/proc/self/mounts").ok()?;
    // The longest mount point that contains the path is the one that holds it.
    table
        .lines()
        .filter_map(|line| {
            let mut fields = line.split(' ');
            let (_, point, kind) = (fields.next()?, fields.next()?, fields.next()?);
            path.starts_with(point.replace("\\040", " "))
                .then_some((point.len(), kind))
        })
        .max_by_key(|(length, _)| *length)
        .filter(|(_, kind)| NETWORK.contains(kind))
        .map(|(_, kind)| kind.to_owned())
}
