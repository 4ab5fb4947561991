//! The wire format of a batch: a header, one line per answer and one per record, all of them JSON
//! and signed.
//!
//! ```text
//! {"recallite_share":1,"identity":"…","from":0,"through":9,"records":1,"offers":0,"signature":"…"}
//! {"answer_to":"…","carried_out":4,"declined_changes":0,"signature":"…"}
//! {"position":7,"stamp":…,"kind":"user_prompt","id":"…",…,"signature":"…"}
//! ```
//!
//! A record's signature covers its fields in order, each prefixed with its length, so that
//! it does not depend on how JSON is written. The header's signature covers those of its
//! records, so that none can be left out. An answer concerns one store alone, and is signed by itself:
//! whoever passes a batch on may leave out those to others.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::error::{Error, ErrorCode, Result};
use crate::share::RECORDS_PER_THREAD;
use crate::share::keys::{Signer, is_signed, public_key};
use crate::store::shared::record_order::MAX_POSITION;
use crate::store::threads::in_threads;

/// The version of the lines that this library writes and reads.
pub(crate) const VERSION: u32 = 1;

/// Maximum number of records in a batch.
pub(crate) const MAX_RECORDS: u64 = 10_000;

/// Maximum size of a header, whose fields all have fixed lengths; a later version may have more of
/// them. It is read before any signature can be checked.
const MAX_HEADER_BYTES: u64 = 4 << 10;

/// Maximum size of an answer, which names at most 1,000 declined orders.
const MAX_ANSWER_BYTES: u64 = 60 << 10;

/// Maximum size of a batch without records that has one answer.
pub(crate) const MAX_PROGRESS_BYTES: u64 = 64 << 10;

const ANSWER_DOMAIN: &[u8] = b"recallite 2026 answer to erasures 1";
const RECORD_DOMAIN: &[u8] = b"recallite 2026 shared record 1";
const HEADER_DOMAIN: &[u8] = b"recallite 2026 shared batch 1";

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BatchHeader {
    pub(crate) recallite_share: u32,
    /// The public key of the store that signed.
    pub(crate) identity: String,
    /// The position after which records were examined.
    pub(crate) from: u64,
    /// The last position examined.
    pub(crate) through: u64,
    pub(crate) records: u64,
    /// How often the store has offered again what it had withheld.
    #[serde(default)]
    pub(crate) offers: u64,
    #[serde(default)]
    pub(crate) signature: String,
}

/// How far a store has come with the erasures that another one ordered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Answer {
    /// The identity of the store that ordered them.
    pub(crate) answer_to: String,
    /// The position in its log up to which they are carried out.
    pub(crate) carried_out: u64,
    /// The positions of those that are carried out only in part, because that store is not an owner
    /// to the one that answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) declined: Vec<u64>,
    /// How often the store that answers has changed what it declines, of whatever store: a lower number
    /// comes from an older answer.
    #[serde(default)]
    pub(crate) declined_changes: u64,
    #[serde(default)]
    pub(crate) signature: String,
}

/// One record. Nested JSON is kept as text, so that it stays identical byte for byte.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SharedRecord {
    pub(crate) position: u64,
    pub(crate) stamp: i64,
    pub(crate) kind: String,
    pub(crate) id: String,
    pub(crate) citation: String,
    /// Milliseconds since 1970.
    pub(crate) timestamp: i64,
    pub(crate) origin: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) session: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) project: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) actor: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) content: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) metadata: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tool: Option<SharedTool>,
    #[serde(default)]
    pub(crate) privacy: [u64; 5],
    #[serde(default)]
    pub(crate) signature: String,
}

impl SharedRecord {
    /// How many bytes of text it has; names are short.
    pub(crate) fn text_len(&self) -> usize {
        let metadata = self.metadata.as_ref().map_or(0, String::len);
        let tool = self.tool.as_ref().map_or(0, |tool| {
            let optional = [&tool.input, &tool.error].into_iter().flatten();
            tool.output.len() + tool.metadata.len() + optional.map(String::len).sum::<usize>()
        });
        self.content.len() + metadata + tool
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SharedTool {
    pub(crate) name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) input: Option<String>,
    pub(crate) output: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) duration_ms: Option<u64>,
    pub(crate) success: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) prompt_index: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tool_index: Option<u32>,
    pub(crate) metadata: String,
}

/// The bytes to sign: fields prefixed with their lengths.
struct Signed(Vec<u8>);

impl Signed {
    fn new(domain: &[u8], public: &[u8; 32]) -> Self {
        let mut signed = Signed(Vec::with_capacity(512));
        signed.bytes(domain);
        signed.bytes(public);
        signed
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn number(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    fn optional<T>(&mut self, value: Option<T>, put: impl FnOnce(&mut Self, T)) {
        self.number(u64::from(value.is_some()));
        if let Some(value) = value {
            put(self, value);
        }
    }

    fn tool(&mut self, tool: &SharedTool) {
        self.text(&tool.name);
        self.optional(tool.input.as_deref(), Self::text);
        self.text(&tool.output);
        self.optional(tool.duration_ms, Self::number);
        self.number(u64::from(tool.success));
        self.optional(tool.error.as_deref(), Self::text);
        self.optional(tool.prompt_index.map(u64::from), Self::number);
        self.optional(tool.tool_index.map(u64::from), Self::number);
        self.text(&tool.metadata);
    }
}

impl SharedRecord {
    fn to_be_signed(&self, public: &[u8; 32]) -> Vec<u8> {
        let mut signed = Signed::new(RECORD_DOMAIN, public);
        signed.number(self.position);
        signed.number(self.stamp as u64);
        for text in [&self.kind, &self.id, &self.citation, &self.origin] {
            signed.text(text);
        }
        signed.number(self.timestamp as u64);
        for text in [&self.session, &self.project, &self.actor, &self.content] {
            signed.text(text);
        }
        signed.optional(self.metadata.as_deref(), Signed::text);
        signed.optional(self.tool.as_ref(), Signed::tool);
        for number in self.privacy {
            signed.number(number);
        }
        signed.0
    }

    /// The signature of this store.
    pub(crate) fn signed_by(&self, signer: &Signer) -> String {
        signer.sign(&self.to_be_signed(&signer.public_key()))
    }

    fn is_signed_by(&self, public: &[u8; 32]) -> bool {
        is_signed(public, &self.to_be_signed(public), &self.signature)
    }
}

impl BatchHeader {
    fn to_be_signed(&self, public: &[u8; 32], records: &[SharedRecord]) -> Vec<u8> {
        let mut signed = Signed::new(HEADER_DOMAIN, public);
        signed.number(self.from);
        signed.number(self.through);
        signed.number(self.records);
        signed.number(self.offers);
        let mut hasher = blake3::Hasher::new();
        for record in records {
            hasher.update(&(record.signature.len() as u64).to_le_bytes());
            hasher.update(record.signature.as_bytes());
        }
        signed.bytes(hasher.finalize().as_bytes());
        signed.0
    }
}

impl Answer {
    /// The bytes that a store signs.
    pub(crate) fn to_be_signed(&self, public: &[u8; 32]) -> Vec<u8> {
        let mut signed = Signed::new(ANSWER_DOMAIN, public);
        signed.text(&self.answer_to);
        signed.number(self.carried_out);
        signed.number(self.declined.len() as u64);
        for order in &self.declined {
            signed.number(*order);
        }
        signed.number(self.declined_changes);
        signed.0
    }

    /// The answer in a line, if it is one.
    fn in_line(line: &str) -> Option<Answer> {
        let is_short = line.len() as u64 <= MAX_ANSWER_BYTES;
        is_short.then(|| serde_json::from_str(line).ok()).flatten()
    }
}

/// Encodes a batch as text; the header comes filled in except for identity and count.
///
/// # Errors
/// `internal`, but never in practice: these types always serialise.
pub(crate) fn write(
    signer: &Signer,
    header: BatchHeader,
    answers: &[Answer],
    records: &[SharedRecord],
) -> Result<String> {
    let mut header = BatchHeader {
        recallite_share: VERSION,
        identity: signer.identity(),
        records: records.len() as u64,
        ..header
    };
    header.signature = signer.sign(&header.to_be_signed(&signer.public_key(), records));
    let failed = |e| {
        Error::new(
            ErrorCode::Internal,
            format!("a shared batch cannot be encoded: {e}"),
        )
    };
    let mut lines = serde_json::to_string(&header).map_err(failed)?;
    lines.push('\n');
    for answer in answers {
        lines.push_str(&serde_json::to_string(answer).map_err(failed)?);
        lines.push('\n');
    }
    for record in records {
        lines.push_str(&serde_json::to_string(record).map_err(failed)?);
        lines.push('\n');
    }
    Ok(lines)
}

/// An error about a batch that names the line, never its text.
pub(crate) fn wrong(line: usize, problem: impl std::fmt::Display) -> Error {
    Error::invalid("batch", format_args!("line {line}: {problem}"))
}

/// Reads the header of a batch, without trusting any of it yet.
///
/// # Errors
/// `invalid_argument` naming `batch`; `newer_format` if a newer library wrote it.
pub(crate) fn read_header(batch: &str) -> Result<BatchHeader> {
    /// What is there of a header that a newer library wrote.
    #[derive(Deserialize)]
    struct Version {
        recallite_share: u32,
        #[serde(default)]
        identity: Value,
        #[serde(default)]
        from: Value,
        #[serde(default)]
        through: Value,
    }
    let line = batch.lines().next().unwrap_or_default();
    if line.len() as u64 > MAX_HEADER_BYTES {
        return Err(wrong(
            1,
            format_args!("is longer than {MAX_HEADER_BYTES} bytes, too long for a header"),
        ));
    }
    let version: Version =
        serde_json::from_str(line).map_err(|_| wrong(1, "is not the header of a shared batch"))?;
    if version.recallite_share > VERSION {
        let mut batch = "the batch".to_owned();
        if let Some(identity) = version.identity.as_str()
            && public_key("batch", identity).is_ok()
        {
            batch.push_str(&format!(" of store {identity}"));
        }
        if let (Some(from), Some(through)) = (version.from.as_u64(), version.through.as_u64()) {
            batch.push_str(&format!(" after position {from}, up to {through},"));
        }
        return Err(Error::new(
            ErrorCode::NewerFormat,
            format!(
                "{batch} has version {}, but this library reads up to {VERSION}; update the library",
                version.recallite_share
            ),
        )
        .with_argument("batch"));
    }
    serde_json::from_str(line).map_err(|_| wrong(1, "is not the header of a shared batch"))
}

/// The lines of the answers in a batch.
fn answer_lines(batch: &str) -> impl Iterator<Item = Answer> {
    batch.lines().skip(1).map_while(Answer::in_line)
}

/// Reads the answer to the store with this identity, and checks its signature.
///
/// # Errors
/// `invalid_argument` naming `batch`.
pub(crate) fn read_answer(
    batch: &str,
    header: &BatchHeader,
    public: &[u8; 32],
    own: &str,
) -> Result<Option<Answer>> {
    let mut answers = answer_lines(batch).enumerate();
    let Some((index, answer)) = answers.find(|(_, answer)| answer.answer_to == own) else {
        return Ok(None);
    };
    match is_signed(public, &answer.to_be_signed(public), &answer.signature) {
        true => Ok(Some(answer)),
        false => Err(wrong(
            index + 2,
            format_args!(
                "the answer does not match the signature of store {}",
                header.identity
            ),
        )),
    }
}

/// Reads the records of a batch and checks every signature.
///
/// # Errors
/// `invalid_argument` naming `batch`, with the line and the position of the invalid record.
pub(crate) fn read_records(
    batch: &str,
    header: &BatchHeader,
    public: &[u8; 32],
) -> Result<Vec<SharedRecord>> {
    let records = signed_records(batch, header, public, header.from, header.through)?;
    let is_whole = records.len() as u64 == header.records && header.from <= header.through;
    check_header(header, public, &records, is_whole)?;
    Ok(records)
}

/// Reads individually signed records that someone selected from a store, preceded by a
/// header without records that says how far the store has come.
///
/// # Errors
/// As [`read_records`].
pub(crate) fn read_selected(
    batch: &str,
    header: &BatchHeader,
    public: &[u8; 32],
    from: u64,
    through: u64,
) -> Result<Vec<SharedRecord>> {
    if header.records != 0 || header.from != header.through {
        return Err(wrong(
            1,
            format_args!(
                "must be the header of a batch without records when records are selected, but that \
                 of store {} has some",
                header.identity
            ),
        ));
    }
    check_header(header, public, &[], true)?;
    if from > through || through > header.through {
        return Err(Error::invalid(
            "through",
            format_args!(
                "must be between `since` ({from}) and the position in the header of store {} ({}), \
                 not {through}",
                header.identity, header.through
            ),
        ));
    }
    signed_records(batch, header, public, from, through)
}

/// The individually signed records of a batch, in order, after `from` and up to `through`.
fn signed_records(
    batch: &str,
    header: &BatchHeader,
    public: &[u8; 32],
    from: u64,
    through: u64,
) -> Result<Vec<SharedRecord>> {
    if header.through > MAX_POSITION {
        return Err(wrong(
            1,
            format_args!(
                "the batch of store {} ends at a position beyond the limit of a log",
                header.identity
            ),
        ));
    }
    if header.records > MAX_RECORDS {
        return Err(too_many(header));
    }
    // Nobody has signed the number of lines yet.
    let most = MAX_RECORDS as usize + 1;
    let before = 1 + answer_lines(batch).count();
    let lines: Vec<&str> = batch.lines().skip(before).take(most).collect();
    if lines.len() as u64 > MAX_RECORDS {
        return Err(too_many(header));
    }
    // Each with whether its signature is valid; `None` if the line is not a record.
    let read = |lines: &[&str]| -> Vec<Option<(SharedRecord, bool)>> {
        let record = |line: &&str| {
            let record: SharedRecord = serde_json::from_str(line).ok()?;
            let is_signed = record.is_signed_by(public);
            Some((record, is_signed))
        };
        lines.iter().map(record).collect()
    };
    let mut records = Vec::with_capacity(lines.len());
    let mut last = from;
    let all = in_threads(&lines, RECORDS_PER_THREAD, read);
    for (index, read) in all.into_iter().flatten().enumerate() {
        let number = before + index + 1;
        let identity = &header.identity;
        let Some((record, is_signed)) = read else {
            return Err(wrong(
                number,
                format_args!(
                    "what follows position {last} of store {identity} is not a shared record; the \
                     batch is truncated or damaged"
                ),
            ));
        };
        let position = record.position;
        if position <= last || position > through {
            return Err(wrong(
                number,
                format_args!(
                    "position {position} of store {identity} is out of order or outside the batch"
                ),
            ));
        }
        if !is_signed {
            return Err(wrong(
                number,
                format_args!(
                    "the record at position {position} does not match the signature of store \
                     {identity}"
                ),
            ));
        }
        last = position;
        records.push(record);
    }
    Ok(records)
}

fn too_many(header: &BatchHeader) -> Error {
    wrong(
        1,
        format_args!(
            "a batch holds at most {MAX_RECORDS} records, but that of store {} has more",
            header.identity
        ),
    )
}

fn check_header(
    header: &BatchHeader,
    public: &[u8; 32],
    records: &[SharedRecord],
    is_whole: bool,
) -> Result<()> {
    let bytes = header.to_be_signed(public, records);
    match is_whole && is_signed(public, &bytes, &header.signature) {
        true => Ok(()),
        false => Err(wrong(
            1,
            format_args!(
                "the records do not match the signature of store {}; the batch is truncated or damaged",
                header.identity
            ),
        )),
    }
}
