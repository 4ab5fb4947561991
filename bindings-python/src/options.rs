//! Opening a memory: the function `open` and its options.

// Python's keyword arguments are Rust's positional ones.
#![allow(clippy::too_many_arguments)]

use pyo3::prelude::*;
use pyo3::types::{PyMapping, PyString};
use recallite::privacy::{Marker, PrivacyConfig, TagFormat};
use recallite::text::tool::ToolLimits;
use recallite::{MemoryBuilder, RecallWeights};

use crate::argument::{self, Given, optional};
use crate::failure::{guarded, invalid, raise, wrong_type};
use crate::fields::Fields;
use crate::memory::Memory;
use crate::stored::classes;
use crate::{embedder, fastembed};

classes! {
    /// The classes of `recallite._options`.
    Options, options, "recallite._options";
    privacy_config = "PrivacyConfig",
    recall_weights = "RecallWeights",
    tool_limits = "ToolLimits",
}

/// Opens the memory in the folder `path`.
///
/// `create`: make a missing store. `exclusive`: no other process has the store
/// open (all processes must choose the same). `busy_timeout_ms`: how long a
/// write waits for others before it raises `Busy`. `cache_bytes` and
/// `index_cache_bytes`: memory for pages and for parts of the search index;
/// `None` leaves the library's default (16 MiB, 48 MiB). `recall_cache`: keep
/// results of recall until something is written. `allow_network_folder`: accept
/// a network or synchronised folder, where locks are not reliable.
///
/// `privacy`: what is filtered out of every text (a `PrivacyConfig`).
/// `tool_limits`: how much of a tool's output is stored (a `ToolLimits`).
///
/// `embedder`: turns texts into vectors, for recall by meaning beside recall by
/// words (a `CallbackEmbedder` or any `Embedder`); call `process_outbox` when
/// there is time. `fastembed`: the same with a model in a folder (a
/// `FastembedOptions`). `embedding_timeout_ms`: how long a search without a
/// deadline waits for the vector of its question.
///
/// `quota_bytes`: the size from which on receipts warn; `None` leaves 500 MB.
/// `size_limit_bytes`: the size from which on appends raise `Full`.
/// `retention_ms`: for each kind, how long its events are kept;
/// `apply_retention` forgets older ones.
///
/// `recall_weights`: how much each part of the recipe of recall counts (a
/// `RecallWeights`); every process may choose its own.
#[pyfunction]
#[pyo3(
    signature = (
        path, *, project=None, create=None, exclusive=None, busy_timeout_ms=None,
        cache_bytes=None, index_cache_bytes=None, recall_cache=None, allow_network_folder=None,
        privacy=None, tool_limits=None, embedder=None, fastembed=None, embedding_timeout_ms=None,
        quota_bytes=None, size_limit_bytes=None, retention_ms=None, recall_weights=None
    ),
    text_signature = "(path, *, project='', create=True, exclusive=False, busy_timeout_ms=5000, \
                      cache_bytes=None, index_cache_bytes=None, recall_cache=True, \
                      allow_network_folder=False, privacy=None, tool_limits=None, embedder=None, \
                      fastembed=None, embedding_timeout_ms=5000, quota_bytes=None, \
                      size_limit_bytes=None, retention_ms=None, recall_weights=None)"
)]
pub(crate) fn open<'py>(
    py: Python<'py>,
    path: &Bound<'py, PyAny>,
    project: Given<'py>,
    create: Given<'py>,
    exclusive: Given<'py>,
    busy_timeout_ms: Given<'py>,
    cache_bytes: Given<'py>,
    index_cache_bytes: Given<'py>,
    recall_cache: Given<'py>,
    allow_network_folder: Given<'py>,
    privacy: Given<'py>,
    tool_limits: Given<'py>,
    embedder: Given<'py>,
    fastembed: Given<'py>,
    embedding_timeout_ms: Given<'py>,
    quota_bytes: Given<'py>,
    size_limit_bytes: Given<'py>,
    retention_ms: Given<'py>,
    recall_weights: Given<'py>,
) -> PyResult<Memory> {
    guarded(py, "open", || {
        let path = argument::path(path, "path")?;
        let mut builder = recallite::Memory::builder();
        if let Some(project) = optional(&project, "project", argument::text)? {
            builder = builder.project(project);
        }
        if let Some(create) = optional(&create, "create", argument::boolean)? {
            builder = builder.create(create);
        }
        if let Some(exclusive) = optional(&exclusive, "exclusive", argument::boolean)? {
            builder = builder.exclusive(exclusive);
        }
        if let Some(ms) = optional(&busy_timeout_ms, "busy_timeout_ms", argument::whole)? {
            builder = builder.busy_timeout_ms(ms);
        }
        if let Some(bytes) = optional(&cache_bytes, "cache_bytes", argument::size)? {
            builder = builder.cache_bytes(bytes);
        }
        if let Some(bytes) = optional(&index_cache_bytes, "index_cache_bytes", argument::size)? {
            builder = builder.index_cache_bytes(bytes);
        }
        if let Some(keep) = optional(&recall_cache, "recall_cache", argument::boolean)? {
            builder = builder.recall_cache(keep);
        }
        let name = "allow_network_folder";
        if let Some(allow) = optional(&allow_network_folder, name, argument::boolean)? {
            builder = builder.allow_network_folder(allow);
        }
        if let Some(privacy) = optional(&privacy, "privacy", privacy_config)? {
            builder = builder.privacy(privacy);
        }
        if let Some(limits) = optional(&tool_limits, "tool_limits", limits_of)? {
            builder = builder.tool_limits(limits);
        }
        builder = with_embedder(py, builder, &embedder, &fastembed)?;
        let name = "embedding_timeout_ms";
        if let Some(ms) = optional(&embedding_timeout_ms, name, argument::whole)? {
            builder = builder.embedding_timeout_ms(ms);
        }
        if let Some(bytes) = optional(&quota_bytes, "quota_bytes", argument::whole)? {
            builder = builder.quota_bytes(bytes);
        }
        if let Some(bytes) = optional(&size_limit_bytes, "size_limit_bytes", argument::whole)? {
            builder = builder.size_limit_bytes(bytes);
        }
        if let Some(kinds) = optional(&retention_ms, "retention_ms", retention)? {
            for (kind, ms) in kinds {
                builder = builder.retention_ms(kind, ms);
            }
        }
        if let Some(weights) = optional(&recall_weights, "recall_weights", weights_of)? {
            builder = builder.recall_weights(weights);
        }
        let inner = py
            .detach(|| builder.open(&path))
            .map_err(|error| raise(py, &error))?;
        Ok(Memory::new(inner))
    })
}

const PRIVACY_FIELDS: &[&str] = &[
    "private_tags",
    "marker",
    "formats",
    "preserve_line_count",
    "exclude_patterns",
    "auto_detect",
    "auto_detect_patterns",
    "code_aware",
    "anonymize",
];

fn privacy_config(value: &Bound<'_, PyAny>, name: &str) -> PyResult<PrivacyConfig> {
    let class = options(value.py())?.privacy_config.bind(value.py());
    let expected = "a PrivacyConfig or a dict";
    let prefix = format!("{name}.");
    let fields = Fields::of(value, name, prefix, class, PRIVACY_FIELDS, expected)?;
    let mut config = PrivacyConfig::default();
    let flags: [(&str, &mut bool); 5] = [
        ("private_tags", &mut config.private_tags),
        ("preserve_line_count", &mut config.preserve_line_count),
        ("auto_detect", &mut config.auto_detect),
        ("code_aware", &mut config.code_aware),
        ("anonymize", &mut config.anonymize),
    ];
    for (field, flag) in flags {
        if let Some(given) = fields.optional(field, argument::boolean)? {
            *flag = given;
        }
    }
    if let Some(marker) = fields.optional("marker", marker)? {
        config.marker = marker;
    }
    if let Some(formats) = fields.optional("formats", formats)? {
        config.formats = formats;
    }
    if let Some(words) = fields.optional("exclude_patterns", argument::texts)? {
        config.exclude_patterns = words;
    }
    if let Some(words) = fields.optional("auto_detect_patterns", argument::texts)? {
        config.auto_detect_patterns = words;
    }
    Ok(config)
}

fn marker(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Marker> {
    let known: Vec<_> = Marker::ALL.iter().map(|m| (m.as_str(), *m)).collect();
    argument::choice(value, name, &known)
}

fn formats(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<TagFormat>> {
    let known: Vec<_> = TagFormat::ALL.iter().map(|f| (f.as_str(), *f)).collect();
    if value.is_instance_of::<PyString>() {
        return Ok(vec![argument::choice(value, name, &known)?]);
    }
    argument::elements(value, name, "one format or several", |value, name| {
        argument::choice(value, name, &known)
    })
}

const LIMIT_FIELDS: &[&str] = &["max_output_chars", "max_output_lines", "keep_whole_output"];

fn limits_of(value: &Bound<'_, PyAny>, name: &str) -> PyResult<ToolLimits> {
    let class = options(value.py())?.tool_limits.bind(value.py());
    let expected = "a ToolLimits or a dict";
    let fields = Fields::of(
        value,
        name,
        format!("{name}."),
        class,
        LIMIT_FIELDS,
        expected,
    )?;
    let mut limits = ToolLimits::default();
    if let Some(chars) = fields.optional("max_output_chars", argument::size)? {
        limits.max_output_chars = chars;
    }
    if let Some(lines) = fields.optional("max_output_lines", argument::size)? {
        limits.max_output_lines = lines;
    }
    if let Some(keep) = fields.optional("keep_whole_output", argument::boolean)? {
        limits.keep_whole_output = keep;
    }
    Ok(limits)
}

fn weights_of(value: &Bound<'_, PyAny>, name: &str) -> PyResult<RecallWeights> {
    let class = options(value.py())?.recall_weights.bind(value.py());
    let expected = "a RecallWeights or a dict";
    let known = RecallWeights::NAMES;
    let fields = Fields::of(value, name, format!("{name}."), class, known, expected)?;
    let mut weights = RecallWeights::default();
    for field in known {
        if let Some(weight) = fields.optional(field, argument::fraction)? {
            weights
                .set(field, weight)
                .map_err(|error| raise(value.py(), &error))?;
        }
    }
    Ok(weights)
}

/// For each kind how long its events are kept, in milliseconds.
fn retention(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<(recallite::EventKind, u64)>> {
    let kinds = value
        .cast::<PyMapping>()
        .map_err(|_| wrong_type(name, "a dict of kinds and milliseconds", value))?;
    kinds
        .items()?
        .iter()
        .map(|item| {
            let (kind, ms): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
            let kind = argument::kind(&kind, name)?;
            Ok((kind, argument::whole(&ms, &format!("{name}[{kind}]"))?))
        })
        .collect()
}

fn with_embedder<'py>(
    py: Python<'py>,
    builder: MemoryBuilder,
    embedder: &Given<'py>,
    fastembed: &Given<'py>,
) -> PyResult<MemoryBuilder> {
    let callback = optional(embedder, "embedder", embedder::embedder)?;
    let model = optional(fastembed, "fastembed", |value, _| Ok(value.clone()))?;
    match (callback, model) {
        (None, None) => Ok(builder),
        (Some(callback), None) => Ok(builder.embedder(callback)),
        (None, Some(options)) => fastembed::configure(builder, &options, "fastembed"),
        (Some(_), Some(_)) => Err(invalid(
            py,
            "fastembed",
            "is given beside embedder; a memory has one embedder",
        )),
    }
}
