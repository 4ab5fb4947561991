//! The options of opening that are more than a number: privacy, limits of tools,
//! retention, a model in a folder.

use napi_derive::napi;
use recallite::privacy::{Marker, PrivacyConfig, TagFormat};
use recallite::text::tool::ToolLimits;
use recallite::{Error, EventKind, MemoryBuilder, RecallWeights, Result};

use crate::input::{self, count, size};

/// What is filtered out of every text.
#[napi(object, object_to_js = false)]
pub struct NativePrivacyOptions {
    pub private_tags: Option<bool>,
    pub marker: Option<String>,
    pub formats: Option<Vec<String>>,
    pub preserve_line_count: Option<bool>,
    pub exclude_patterns: Option<Vec<String>>,
    pub auto_detect: Option<bool>,
    pub auto_detect_patterns: Option<Vec<String>>,
    pub code_aware: Option<bool>,
    pub anonymize: Option<bool>,
}

impl NativePrivacyOptions {
    fn config(self) -> Result<PrivacyConfig> {
        let default = PrivacyConfig::default();
        let marker = match self.marker {
            None => default.marker,
            Some(text) => Marker::from_text(&text).ok_or_else(|| {
                Error::invalid(
                    "privacy.marker",
                    "must be \"[PRIVATE]\", \"[REDACTED]\" or an empty text",
                )
            })?,
        };
        let formats = match self.formats {
            None => default.formats,
            Some(names) => names
                .iter()
                .enumerate()
                .map(|(index, name)| {
                    TagFormat::from_name(name).ok_or_else(|| {
                        Error::invalid(
                            format!("privacy.formats[{index}]"),
                            "must be \"xml\", \"bracket\" or \"comment\"",
                        )
                    })
                })
                .collect::<Result<_>>()?,
        };
        Ok(PrivacyConfig {
            private_tags: self.private_tags.unwrap_or(default.private_tags),
            marker,
            formats,
            preserve_line_count: self
                .preserve_line_count
                .unwrap_or(default.preserve_line_count),
            exclude_patterns: self.exclude_patterns.unwrap_or(default.exclude_patterns),
            auto_detect: self.auto_detect.unwrap_or(default.auto_detect),
            auto_detect_patterns: self
                .auto_detect_patterns
                .unwrap_or(default.auto_detect_patterns),
            code_aware: self.code_aware.unwrap_or(default.code_aware),
            anonymize: self.anonymize.unwrap_or(default.anonymize),
        })
    }
}

/// How much of a tool's output is stored.
#[napi(object, object_to_js = false)]
pub struct NativeToolLimits {
    pub max_output_chars: Option<f64>,
    pub max_output_lines: Option<f64>,
    pub keep_whole_output: Option<bool>,
}

impl NativeToolLimits {
    fn limits(self) -> Result<ToolLimits> {
        let mut limits = ToolLimits::default();
        if let Some(chars) = self.max_output_chars {
            limits.max_output_chars = size("tool_limits.max_output_chars", chars)?;
        }
        if let Some(lines) = self.max_output_lines {
            limits.max_output_lines = size("tool_limits.max_output_lines", lines)?;
        }
        if let Some(keeps) = self.keep_whole_output {
            limits.keep_whole_output = keeps;
        }
        Ok(limits)
    }
}

/// How much each part of the recipe of recall counts.
#[napi(object, object_to_js = false)]
pub struct NativeRecallWeights {
    pub soft_words: Option<f64>,
    pub word_pairs: Option<f64>,
    pub nearness_by_words: Option<f64>,
    pub nearness_by_vectors: Option<f64>,
    pub passage_union: Option<f64>,
    pub context_scores: Option<f64>,
    pub score_previous: Option<f64>,
    pub score_next: Option<f64>,
    pub score_second_previous: Option<f64>,
    pub score_second_next: Option<f64>,
    pub after_question: Option<f64>,
    pub context_words: Option<f64>,
    pub words_previous: Option<f64>,
    pub words_next: Option<f64>,
    pub words_second_previous: Option<f64>,
    pub words_second_next: Option<f64>,
    pub long_turn_damping: Option<f64>,
    pub question_penalty: Option<f64>,
    pub named_actor: Option<f64>,
    pub date: Option<f64>,
    pub temporal: Option<f64>,
    pub duplicate_demotion: Option<f64>,
    pub contested_demotion: Option<f64>,
}

/// Writes the way to the core's weights, field by field.
macro_rules! weights {
    ($($field:ident,)*) => {
        impl NativeRecallWeights {
            fn weights(self) -> Result<RecallWeights> {
                let mut weights = RecallWeights::default();
                $(if let Some(weight) = self.$field {
                    weights.set(stringify!($field), weight as f32)?;
                })*
                Ok(weights)
            }
        }

        // The core knows each name (a wrong one fails every test that gives it), so
        // that none is missing when there are as many.
        const _: () = assert!([$(stringify!($field),)*].len() == RecallWeights::NAMES.len());
    };
}

weights! {
    soft_words,
    word_pairs,
    nearness_by_words,
    nearness_by_vectors,
    passage_union,
    context_scores,
    score_previous,
    score_next,
    score_second_previous,
    score_second_next,
    after_question,
    context_words,
    words_previous,
    words_next,
    words_second_previous,
    words_second_next,
    long_turn_damping,
    question_penalty,
    named_actor,
    date,
    temporal,
    duplicate_demotion,
    contested_demotion,
}

/// How long events of one kind are kept.
#[napi(object, object_to_js = false)]
pub struct NativeRetention {
    pub kind: String,
    pub ms: f64,
}

/// A model in a folder.
#[cfg_attr(not(feature = "fastembed"), allow(dead_code))]
#[napi(object, object_to_js = false)]
pub struct NativeFastembedOptions {
    pub model_dir: String,
    pub onnxruntime_library: Option<String>,
    pub max_tokens: Option<f64>,
    pub threads: Option<f64>,
    pub id: Option<String>,
}

#[cfg(feature = "fastembed")]
fn fastembed(builder: MemoryBuilder, given: NativeFastembedOptions) -> Result<MemoryBuilder> {
    use recallite::embed::fastembed::FastembedOptions;
    let mut options = FastembedOptions::new(given.model_dir);
    if let Some(path) = given.onnxruntime_library {
        options = options.with_onnxruntime_library(path);
    }
    if let Some(tokens) = given.max_tokens {
        options = options.with_max_tokens(size("fastembed.max_tokens", tokens)?);
    }
    if let Some(threads) = given.threads {
        options = options.with_threads(size("fastembed.threads", threads)?);
    }
    if let Some(id) = given.id {
        options = options.with_id(id);
    }
    builder.fastembed(options)
}

#[cfg(not(feature = "fastembed"))]
fn fastembed(_: MemoryBuilder, _: NativeFastembedOptions) -> Result<MemoryBuilder> {
    Err(Error::new(
        recallite::ErrorCode::Unsupported,
        "this build has no fastembed; give an embedder, or build the addon with \
         `scripts/pack --features fastembed`",
    )
    .with_argument("fastembed"))
}

/// The options of this file.
pub struct Chosen {
    pub privacy: Option<NativePrivacyOptions>,
    pub tool_limits: Option<NativeToolLimits>,
    pub recall_weights: Option<NativeRecallWeights>,
    pub retention: Option<Vec<NativeRetention>>,
    pub fastembed: Option<NativeFastembedOptions>,
}

impl Chosen {
    /// The builder with these settings.
    pub fn apply(self, mut builder: MemoryBuilder) -> Result<MemoryBuilder> {
        if let Some(privacy) = self.privacy {
            builder = builder.privacy(privacy.config()?);
        }
        if let Some(limits) = self.tool_limits {
            builder = builder.tool_limits(limits.limits()?);
        }
        if let Some(weights) = self.recall_weights {
            builder = builder.recall_weights(weights.weights()?);
        }
        for one in self.retention.unwrap_or_default() {
            let kind: EventKind = input::kind("retention_ms", &one.kind)?;
            let ms = count("retention_ms", one.ms)
                .map_err(|error| Error::invalid("retention_ms", format_args!("{kind}: {error}")))?;
            builder = builder.retention_ms(kind, ms);
        }
        if let Some(options) = self.fastembed {
            builder = fastembed(builder, options)?;
        }
        Ok(builder)
    }
}
