//! Reads a model's folder: which files it must contain, and its configuration.

use crate::embed::{MAX_DIMENSIONS, fingerprint_of};
use crate::model::error::{Error, ErrorCode, Result, about_file};
use crate::model::shorten::place;
use ::fastembed::{InitOptionsUserDefined, Pooling, TokenizerFiles, UserDefinedEmbeddingModel};
use serde_json::Value;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Evenly spaced blocks of the weights that go into the fingerprint. Hashing all 90 MB would
/// make opening a store too slow, and different weights of the same size differ everywhere.
const FINGERPRINT_BLOCKS: u64 = 16;
const FINGERPRINT_BLOCK_BYTES: u64 = 4096;

const WEIGHTS: [&str; 2] = ["model.onnx", "onnx/model.onnx"];
/// Suffixes that exporters append to the ONNX file's name for external weights.
const EXTERNAL_WEIGHTS: [&str; 2] = ["_data", ".data"];
const TOKENIZER: &str = "tokenizer.json";
const CONFIG: &str = "config.json";
const TOKENIZER_CONFIG: &str = "tokenizer_config.json";
const SPECIAL_TOKENS: &str = "special_tokens_map.json";
const POOLING: &str = "1_Pooling/config.json";

/// A folder known to contain a model.
pub(super) struct ModelFolder {
    folder: PathBuf,
    name: String,
    weights: PathBuf,
    dimensions: usize,
    pooling: Pooling,
}

impl ModelFolder {
    /// Inspects a folder without reading the weights.
    pub(super) fn open(path: &Path) -> Result<ModelFolder> {
        let (folder, name) = resolve(path)?;
        for file in [TOKENIZER, CONFIG, TOKENIZER_CONFIG, SPECIAL_TOKENS] {
            if !folder.join(file).is_file() {
                return Err(missing(&folder.join(file)));
            }
        }
        let weights = WEIGHTS
            .iter()
            .map(|file| folder.join(file))
            .find(|file| file.is_file())
            .ok_or_else(|| missing(&folder.join(WEIGHTS[0])))?;
        let config = read_json(&folder.join(CONFIG))?;
        let dimensions = config["hidden_size"]
            .as_u64()
            .and_then(|size| usize::try_from(size).ok())
            .filter(|size| (1..=MAX_DIMENSIONS).contains(size))
            .ok_or_else(|| {
                Error::invalid(
                    "model_dir",
                    format_args!(
                        "{} has no usable hidden_size",
                        folder.join(CONFIG).display()
                    ),
                )
            })?;
        let pooling = match folder.join(POOLING).is_file() {
            true => pooling_of(&read_json(&folder.join(POOLING))?, &folder)?,
            false => Pooling::Mean,
        };
        Ok(ModelFolder {
            folder,
            name,
            weights,
            dimensions,
            pooling,
        })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// A fingerprint of everything that the model's vectors depend on.
    pub(super) fn fingerprint(&self, id: &str, max_tokens: usize) -> Result<String> {
        let mut parts: Vec<Vec<u8>> = vec![
            (max_tokens as u64).to_le_bytes().to_vec(),
            format!("{:?}", self.pooling).into_bytes(),
        ];
        for file in [TOKENIZER, CONFIG, TOKENIZER_CONFIG, SPECIAL_TOKENS] {
            parts.push(read(&self.folder.join(file))?);
        }
        parts.push(sample(&self.weights)?);
        for external in self.external_weights() {
            parts.push(sample(&external)?);
        }
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        Ok(fingerprint_of(id, self.dimensions, &parts))
    }

    /// Reads everything, weights included.
    pub(super) fn read(&self) -> Result<(UserDefinedEmbeddingModel, InitOptionsUserDefined)> {
        let tokenizer = TokenizerFiles {
            tokenizer_file: read(&self.folder.join(TOKENIZER))?,
            config_file: read(&self.folder.join(CONFIG))?,
            special_tokens_map_file: read(&self.folder.join(SPECIAL_TOKENS))?,
            tokenizer_config_file: read(&self.folder.join(TOKENIZER_CONFIG))?,
        };
        let mut model = UserDefinedEmbeddingModel::new(read(&self.weights)?, tokenizer)
            .with_pooling(self.pooling.clone());
        for external in self.external_weights() {
            let name = file_name(&external).into_owned();
            model = model.with_external_initializer(name, read(&external)?);
        }
        Ok((model, InitOptionsUserDefined::new()))
    }

    fn external_weights(&self) -> impl Iterator<Item = PathBuf> + '_ {
        EXTERNAL_WEIGHTS.iter().filter_map(|suffix| {
            let name = format!("{}{suffix}", file_name(&self.weights));
            let path = self.weights.with_file_name(name);
            path.is_file().then_some(path)
        })
    }
}

/// The folder with the model's files, and the model's name. In the cache of the Hugging Face hub,
/// `models--owner--name/refs/main` names the folder under `snapshots/`.
fn resolve(path: &Path) -> Result<(PathBuf, String)> {
    if !path.is_dir() {
        return Err(missing(path));
    }
    let folder = match read(&path.join("refs/main")) {
        Ok(revision) => {
            let revision = String::from_utf8_lossy(&revision).trim().to_owned();
            // The name comes from a file, so it must not lead out of the cache.
            if revision.is_empty() || !revision.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
                return Err(Error::invalid(
                    "model_dir",
                    format_args!(
                        "{} does not contain a revision name",
                        path.join("refs/main").display()
                    ),
                ));
            }
            path.join("snapshots").join(revision)
        }
        Err(_) => path.to_path_buf(),
    };
    // Resolves `..` and symbolic links, so that the name is the folder's own.
    let absolute = std::fs::canonicalize(path).map_err(about_file(path))?;
    let name = absolute
        .ancestors()
        .find_map(|ancestor| {
            file_name(ancestor)
                .strip_prefix("models--")
                .map(|name| name.replacen("--", "/", 1))
        })
        .unwrap_or_else(|| file_name(&absolute).into_owned());
    Ok((folder, name))
}

fn file_name(path: &Path) -> std::borrow::Cow<'_, str> {
    path.file_name().unwrap_or_default().to_string_lossy()
}

fn pooling_of(config: &Value, folder: &Path) -> Result<Pooling> {
    let is_on = |key: &str| config[key].as_bool() == Some(true);
    match (
        is_on("pooling_mode_mean_tokens"),
        is_on("pooling_mode_cls_token"),
    ) {
        (true, false) => Ok(Pooling::Mean),
        (false, true) => Ok(Pooling::Cls),
        _ => Err(Error::new(
            ErrorCode::Unsupported,
            format!(
                "{}: only mean pooling and first-token (CLS) pooling are supported",
                folder.join(POOLING).display()
            ),
        )
        .with_argument("model_dir")),
    }
}

/// The length of a file and a sample of its blocks.
fn sample(path: &Path) -> Result<Vec<u8>> {
    sample_of(path).map_err(about_file(path))
}

fn sample_of(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut sample = length.to_le_bytes().to_vec();
    for block in 0..FINGERPRINT_BLOCKS {
        let last = length.saturating_sub(FINGERPRINT_BLOCK_BYTES);
        file.seek(SeekFrom::Start(last / (FINGERPRINT_BLOCKS - 1) * block))?;
        (&mut file)
            .take(FINGERPRINT_BLOCK_BYTES)
            .read_to_end(&mut sample)?;
    }
    Ok(sample)
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(about_file(path))
}

fn read_json(path: &Path) -> Result<Value> {
    serde_json::from_slice(&read(path)?).map_err(|cause| {
        Error::invalid(
            "model_dir",
            format_args!("{} is not JSON: {cause}", path.display()),
        )
    })
}

fn missing(path: &Path) -> Error {
    Error::new(
        ErrorCode::NotFound,
        format!("embedding model: {} does not exist", place(path)),
    )
    .with_argument("model_dir")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A complete folder, except that the weights are not real.
    fn model(at: &Path) {
        std::fs::create_dir_all(at.join("1_Pooling")).expect("writable");
        for (file, content) in [
            (TOKENIZER, "{}"),
            (CONFIG, r#"{"hidden_size": 384}"#),
            (TOKENIZER_CONFIG, "{}"),
            (SPECIAL_TOKENS, "{}"),
            ("model.onnx", "weights"),
            (
                POOLING,
                r#"{"pooling_mode_mean_tokens": true, "pooling_mode_cls_token": false}"#,
            ),
        ] {
            std::fs::write(at.join(file), content).expect("writable");
        }
    }

    #[test]
    fn a_folder_is_recognised_and_named() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("모델-v1");
        model(&path);
        let found = ModelFolder::open(&path).expect("complete");
        assert_eq!(found.name(), "모델-v1");
        assert_eq!(found.dimensions(), 384);
        assert_eq!(found.pooling, Pooling::Mean);
    }

    #[test]
    fn a_model_of_the_hub_cache_is_resolved() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("models--Xenova--all-MiniLM-L6-v2");
        model(&path.join("snapshots/0123abcd"));
        std::fs::create_dir_all(path.join("refs")).expect("writable");
        std::fs::write(path.join("refs/main"), "0123abcd\n").expect("writable");
        for given in [path.clone(), path.join("snapshots/0123abcd")] {
            let found = ModelFolder::open(&given).expect("complete");
            assert_eq!(found.name(), "Xenova/all-MiniLM-L6-v2");
        }
        std::fs::write(path.join("refs/main"), "../../elsewhere").expect("writable");
        let error = ModelFolder::open(&path).err().expect("it leads out");
        assert_eq!(error.code(), ErrorCode::InvalidArgument);
    }

    #[test]
    fn missing_and_damaged_files_are_named() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for file in [
            TOKENIZER,
            CONFIG,
            TOKENIZER_CONFIG,
            SPECIAL_TOKENS,
            "model.onnx",
        ] {
            model(folder.path());
            std::fs::remove_file(folder.path().join(file)).expect("there");
            let error = ModelFolder::open(folder.path()).err().expect("missing");
            assert_eq!(error.code(), ErrorCode::NotFound);
            assert!(error.message().contains(file), "{error}");
        }
        model(folder.path());
        for content in ["{", "{}", r#"{"hidden_size": -1}"#, r#"{"hidden_size": 0}"#] {
            std::fs::write(folder.path().join(CONFIG), content).expect("writable");
            let error = ModelFolder::open(folder.path()).err().expect("damaged");
            assert_eq!(error.argument(), Some("model_dir"));
        }
        model(folder.path());
        std::fs::write(folder.path().join(POOLING), "{}").expect("writable");
        let error = ModelFolder::open(folder.path()).err().expect("no pooling");
        assert_eq!(error.code(), ErrorCode::Unsupported);
    }

    #[test]
    fn the_fingerprint_follows_the_weights_and_the_options() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        model(folder.path());
        let fingerprint = |tokens| {
            ModelFolder::open(folder.path())
                .and_then(|found| found.fingerprint("x", tokens))
                .expect("complete")
        };
        let first = fingerprint(128);
        assert_eq!(first, fingerprint(128));
        assert_ne!(first, fingerprint(256));
        std::fs::write(folder.path().join("model.onnx"), "heights").expect("writable");
        assert_ne!(first, fingerprint(128));
    }
}
