//! The fastembed embedder with a real model.
//!
//! Needs the model folder that `scripts/make_minilm_onnx.py` creates, in RECALLITE_MODEL_DIR, and
//! ONNX Runtime's shared library, in ORT_DYLIB_PATH. If either is not set, the tests that need them
//! report it and pass; the tests of missing resources always run.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use recallite::ErrorCode;
use recallite::embed::fastembed::{FastembedEmbedder, FastembedOptions};
use recallite::embed::{Embedder, GuardedEmbedder, embedding_version};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The model and the runtime, if available.
fn resources() -> Option<(PathBuf, PathBuf)> {
    let model = std::env::var_os("RECALLITE_MODEL_DIR");
    let runtime = std::env::var_os("ORT_DYLIB_PATH");
    match (model, runtime) {
        (Some(model), Some(runtime)) => Some((model.into(), runtime.into())),
        _ => {
            eprintln!("skipped: RECALLITE_MODEL_DIR and ORT_DYLIB_PATH are not both set");
            None
        }
    }
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

const SENTENCES: [&str; 4] = [
    "A cat sits on the mat.",
    "A kitten rests on a rug.",
    "The database migration failed at midnight.",
    "고양이가 매트 위에 앉아 있다.",
];

#[test]
fn cosines_are_those_of_the_reference() {
    let Some((model, runtime)) = resources() else {
        return;
    };
    let options = FastembedOptions::new(model).with_onnxruntime_library(runtime);
    let embedder = FastembedEmbedder::new(options).expect("the model folder is complete");
    assert!(
        !embedder.is_loaded(),
        "nothing is loaded before the first text"
    );
    let guard = GuardedEmbedder::new(Arc::new(embedder)).expect("a sound description");
    let vectors = guard.embed(&SENTENCES).expect("the model runs");

    // Computed with onnxruntime 1.31 and tokenizers 0.23 in Python: mean over the attention mask,
    // scaled to length 1.
    let reference = [
        [1.0, 0.66539, 0.00534, -0.03642],
        [0.66539, 1.0, -0.01912, 0.02815],
        [0.00534, -0.01912, 1.0, 0.04478],
        [-0.03642, 0.02815, 0.04478, 1.0],
    ];
    for (a, row) in vectors.iter().zip(reference) {
        assert_eq!(a.len(), 384);
        for (b, expected) in vectors.iter().zip(row) {
            assert!(
                (dot(a, b) - expected).abs() < 2e-4,
                "{} {expected}",
                dot(a, b)
            );
        }
    }
    let first = [0.126535, -0.032851, -0.029060, 0.044407, -0.043445];
    for (found, expected) in vectors[0].iter().zip(first) {
        assert!((found - expected).abs() < 2e-4, "{found} {expected}");
    }
}

#[test]
fn padding_does_not_change_a_vector_and_long_texts_are_cut() {
    let Some((model, runtime)) = resources() else {
        return;
    };
    let embedder = |tokens| {
        let options = FastembedOptions::new(&model)
            .with_onnxruntime_library(&runtime)
            .with_threads(1)
            .with_max_tokens(tokens);
        FastembedEmbedder::new(options).expect("the model folder is complete")
    };
    let short = embedder(128);
    let long_text = "the quick brown fox jumps over the lazy dog ".repeat(100);
    let changed_end = format!("{long_text} and everything else is about databases");
    let together = short
        .embed(&[SENTENCES[0], &long_text, &changed_end, ""])
        .expect("the model runs");
    let alone = short.embed(&[SENTENCES[0]]).expect("the model runs");
    assert!(dot(&together[0], &alone[0]) > 0.9999);
    assert!(
        dot(&together[1], &together[2]) > 0.9999,
        "what lies after the limit is not read"
    );
    assert!(
        together[3].iter().all(|x| x.is_finite()),
        "an empty text has a vector"
    );
    assert!(short.embed(&[]).expect("nothing to do").is_empty());

    let tiny = embedder(8);
    let cut = tiny.embed(&[&long_text]).expect("the model runs");
    assert!(
        dot(&cut[0], &together[1]) < 0.999,
        "another limit gives another vector"
    );
    assert_ne!(
        embedding_version(&tiny),
        embedding_version(&short),
        "and is another version"
    );

    assert!(short.is_loaded());
    short.unload();
    assert!(!short.is_loaded());
    let again = short.embed(&[SENTENCES[0]]).expect("it is loaded anew");
    assert_eq!(again, alone);
}

#[test]
fn threads_may_share_an_embedder() {
    let Some((model, runtime)) = resources() else {
        return;
    };
    let options = FastembedOptions::new(model).with_onnxruntime_library(runtime);
    let embedder = FastembedEmbedder::new(options).expect("the model folder is complete");
    let expected = embedder.embed(&[SENTENCES[1]]).expect("the model runs");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                assert_eq!(
                    embedder.embed(&[SENTENCES[1]]).expect("the model runs"),
                    expected
                );
            });
        }
    });
}

/// A folder that looks like a model until its weights are loaded.
fn hollow_model(folder: &Path) {
    for (file, content) in [
        ("config.json", r#"{"hidden_size": 4, "pad_token_id": 0}"#),
        ("tokenizer.json", "{}"),
        ("tokenizer_config.json", "{}"),
        ("special_tokens_map.json", "{}"),
        ("model.onnx", "not a graph"),
    ] {
        std::fs::write(folder.join(file), content).expect("the folder is writable");
    }
}

#[test]
fn a_missing_or_foreign_runtime_is_an_error_with_a_remedy() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    hollow_model(folder.path());
    let foreign = folder.path().join("config.json");
    for library in [Path::new("/nowhere/libonnxruntime.so"), &foreign] {
        let options = FastembedOptions::new(folder.path()).with_onnxruntime_library(library);
        let embedder = FastembedEmbedder::new(options).expect("nothing is loaded yet");
        let error = embedder.embed(&["a"]).expect_err("there is no runtime");
        assert_eq!(error.code(), ErrorCode::Unsupported);
        assert!(error.message().contains("onnxruntime_library"), "{error}");
        assert!(error.message().contains("ORT_DYLIB_PATH"), "{error}");
        assert!(!embedder.is_loaded());
    }
}

#[test]
fn damaged_weights_are_an_error_and_no_crash() {
    let Some((_, runtime)) = resources() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    hollow_model(folder.path());
    let options = FastembedOptions::new(folder.path()).with_onnxruntime_library(runtime);
    let embedder = FastembedEmbedder::new(options).expect("nothing is loaded yet");
    let error = embedder
        .embed(&["a"])
        .expect_err("the weights are no graph");
    assert_eq!(error.code(), ErrorCode::Embedder);
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    hollow_model(folder.path());
    let options = || FastembedOptions::new(folder.path());
    let tokens = FastembedEmbedder::new(options().with_max_tokens(2)).expect_err("too few");
    assert_eq!(tokens.argument(), Some("max_tokens"));
    let threads = FastembedEmbedder::new(options().with_threads(0)).expect_err("none");
    assert_eq!(threads.argument(), Some("threads"));
    let id = FastembedEmbedder::new(options().with_id("")).expect_err("empty");
    assert_eq!(id.argument(), Some("embedder.id"));
    let missing = FastembedEmbedder::new(FastembedOptions::new(folder.path().join("none")));
    assert_eq!(missing.expect_err("missing").code(), ErrorCode::NotFound);
}
