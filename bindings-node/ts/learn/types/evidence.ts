/** Types of evidence and extractions: where quotes stand, and what a language model hands in. */

import type { Event } from '../../types.js';

/** A quote and the message that it is said to come from. */
export interface EvidenceQuote {
  /** Which message, counted from 0. A number that names none gives `invalid_index`. */
  readonly messageIndex: number;
  /** The words of the message, as the extractor gives them; 30 to 200 characters are best. */
  readonly quote: string;
}

/** How quotes are searched. */
export interface AlignOptions {
  /** The smallest similarity of a fuzzy match, 0.5 to 1. Default: 0.85. */
  readonly fuzzyThreshold?: number | undefined;
  /**
   * Quotes with more characters than this are only searched exactly and
   * normalised, at most 10,000. Default: 500.
   */
  readonly maxFuzzyQuoteChars?: number | undefined;
  /** Whether a quote that fits several places fails instead of taking the first. Default: false. */
  readonly rejectAmbiguous?: boolean | undefined;
}

/**
 * Which step found a quote: `exact`, it stands there literally; `normalized`,
 * it does without regard to letter case, white space and compatibility forms;
 * `fuzzy`, something similar stands there.
 */
export type MatchMethod = 'exact' | 'normalized' | 'fuzzy';

/**
 * Why a quote was not found: `invalid_index`, there is no such message;
 * `empty_quote`; `not_found`, nothing resembles it; `below_threshold`,
 * something does, but not enough; `ambiguous`, it fits several places and
 * `rejectAmbiguous` is on.
 */
export type FailureReason =
  | 'invalid_index'
  | 'empty_quote'
  | 'not_found'
  | 'below_threshold'
  | 'ambiguous';

/** A piece of a text, in the two units that programs count in. */
export interface TextSpan {
  /** Where it begins, as an index into the JavaScript string (UTF-16). */
  readonly start: number;
  /** Where it ends, exclusive, as an index into the JavaScript string. */
  readonly end: number;
  /** Where it begins in the UTF-8 form, in bytes. */
  readonly startByte: number;
  /** Where it ends in the UTF-8 form, in bytes, exclusive. */
  readonly endByte: number;
}

/** A quote whose place is known: `messages[messageIndex].slice(start, end)`. */
export interface AlignedQuote extends TextSpan {
  /** Tells it from a {@link FailedQuote}. */
  readonly isAligned: true;
  /** Which message, counted from 0. */
  readonly messageIndex: number;
  /** The quote as it was given. */
  readonly quote: string;
  /** BLAKE3 of the quote, 64 hexadecimal digits. */
  readonly quoteHash: string;
  /** The step that found it. */
  readonly matchMethod: MatchMethod;
  /** From 0 to 1: exact 1, normalized 0.95, fuzzy below that. */
  readonly confidence: number;
  /** Whether other places fit equally well; the first is taken. */
  readonly ambiguous: boolean;
  /** How many other places fit. */
  readonly alternativeCount: number;
}

/** A quote whose place was not found. */
export interface FailedQuote {
  /** Tells it from an {@link AlignedQuote}. */
  readonly isAligned: false;
  /** Which message it was said to come from. */
  readonly messageIndex: number;
  /** The quote as it was given. */
  readonly quote: string;
  /** BLAKE3 of the quote, 64 hexadecimal digits. */
  readonly quoteHash: string;
  /** Why it failed. */
  readonly reason: FailureReason;
}

/** What became of several quotes. */
export interface AlignmentReport {
  /** Whether every quote was found; true when there are none. */
  readonly evidenceAligned: boolean;
  /** One result for each quote, in the order given. */
  readonly results: readonly (AlignedQuote | FailedQuote)[];
}

/** A claim that a source supports, and where: `source.slice(start, end)`. */
export interface AlignedClaim extends TextSpan {
  /** Which claim, by its place in the list given. */
  readonly claimIndex: number;
  /** `exact` when the claim stands in the source, `fuzzy` when its words do. */
  readonly matchMethod: 'exact' | 'fuzzy';
  /** 1 for exact, otherwise how many of the words are common, 0 to 1. */
  readonly confidence: number;
}

/** What became of a list of claims. */
export interface ClaimsAlignment {
  /** Whether at most two claims are missing. */
  readonly isAligned: boolean;
  /** Supported claims divided by claims given; 1 when there are none. */
  readonly confidence: number;
  /** The supported claims, in the order given. */
  readonly aligned: readonly AlignedClaim[];
  /** The claims without support, by their place in the list given. */
  readonly missing: readonly number[];
}

/** What an entry tells. */
export type EntryType =
  | 'fact'
  | 'decision'
  | 'insight'
  | 'task_note'
  | 'reference'
  | 'preference'
  | 'pattern';

/** Where a task stands. */
export type TaskStatus = 'pending' | 'in_progress' | 'blocked' | 'done' | 'cancelled';

/** How urgent a task is. */
export type Priority = 'low' | 'medium' | 'high' | 'critical';

/**
 * What a language model extracts from the messages of a session. It is spelled
 * as the published JSON Schema spells it, see `extractionSchema()`.
 */
export interface Extraction {
  /** The version of the schema. */
  readonly schema_version: 1;
  /** What is worth remembering; at most 500. */
  readonly entries: readonly ExtractedEntry[];
  /** What was said about tasks; at most 200. */
  readonly tasks?: readonly ExtractedTask[] | undefined;
  /** How these hang together; at most 500. */
  readonly relations?: readonly ExtractedRelation[] | undefined;
}

/** Words that prove an entry or a task, copied letter for letter. */
export interface ExtractedQuote {
  /** Which message of the session, counted from 0. */
  readonly message_index: number;
  /** The words, at most 500 characters. */
  readonly quote: string;
}

/** One thing worth remembering. */
export interface ExtractedEntry {
  /** Its name within the extraction: 1 to 64 of `A-Z a-z 0-9 . _ -`. */
  readonly id: string;
  /** What it tells. */
  readonly type: EntryType;
  /** In one line. */
  readonly title: string;
  /** In full. */
  readonly content: string;
  /** The words that prove it; at most 20. */
  readonly quotes: readonly ExtractedQuote[];
  /** How clearly it was said, 0 to 1. */
  readonly confidence?: number | undefined;
  /** From when it holds: RFC 3339, or a date. */
  readonly valid_from?: string | undefined;
  /** Until when it holds, exclusive. */
  readonly valid_to?: string | undefined;
}

/** What was said about one task. */
export interface ExtractedTask {
  /** Its name within the extraction. */
  readonly id: string;
  /** What it is called; the same words as before when the task is known. */
  readonly title: string;
  /** Where it stands, when that was said. */
  readonly status?: TaskStatus | undefined;
  /** How urgent it is, when that was said. */
  readonly priority?: Priority | undefined;
  /** What it waits for: titles of tasks, web addresses, tickets, or free words; at most 50. */
  readonly blocked_by?: readonly string[] | undefined;
  /** The project, when it is another one than the session's. */
  readonly project?: string | undefined;
  /** More about it. */
  readonly description?: string | undefined;
  /** The words that prove it; with none, its blockers are only suggestions. */
  readonly quotes?: readonly ExtractedQuote[] | undefined;
}

/** How two parts of an extraction hang together. */
export interface ExtractedRelation {
  /** The entry it starts at. */
  readonly from: string;
  /** What it says; the last two lead to a task, the others to an entry. */
  readonly relation: 'derived_from' | 'supersedes' | 'contradicts' | 'mentions' | 'evidence_of';
  /** The entry or task it leads to. */
  readonly to: string;
}

/** What the host tells about an extraction. */
export interface IngestOptions {
  /** Which language model extracted. Default: none is noted. */
  readonly extractorModel?: string | undefined;
  /** The prompt that it was given; only its hash is kept. Default: none is noted. */
  readonly extractorPrompt?: string | undefined;
  /** How long the extraction took, in milliseconds. Default: not noted. */
  readonly extractionMs?: number | undefined;
  /** The project of the entries and tasks. Default: the session's, else the memory's own. */
  readonly project?: string | undefined;
}

/** A message of a session under the number that quotes name it by. */
export interface SessionMessage {
  /** Counted from 0 over the session's prompts and responses. */
  readonly index: number;
  /** The prompt or response; `null` when it was forgotten. */
  readonly event: Event | null;
}

/** Where a quote stands in a message, without its text: `content.slice(start, end)`. */
export interface EvidenceSpan {
  /** Which message of the session, counted from 0. */
  readonly messageIndex: number;
  /** BLAKE3 of the quote as it was given. */
  readonly quoteHash: string;
  /** Where it begins, as an index into the JavaScript string; `null` when the message was forgotten. */
  readonly start: number | null;
  /** Where it ends, exclusive; `null` when the message was forgotten. */
  readonly end: number | null;
  /** Where it begins in the UTF-8 form of the message, in bytes. */
  readonly startByte: number;
  /** Where it ends in the UTF-8 form of the message, in bytes, exclusive. */
  readonly endByte: number;
  /** How sure, 0 to 1. */
  readonly confidence: number;
  /** How it was found. */
  readonly method: MatchMethod;
  /** The id of the event that holds the message, where it is known. */
  readonly eventId: string | null;
}

/** A quote that was not found, without its text. */
export interface MissingQuote {
  /** Which message of the session, counted from 0. */
  readonly messageIndex: number;
  /** BLAKE3 of the quote as it was given. */
  readonly quoteHash: string;
  /** Why. */
  readonly reason: FailureReason;
}

/** What looking up the quotes of an entry or a task gave. */
export interface EvidenceReport {
  /** Whether every quote was found; true when there was none. */
  readonly isAligned: boolean;
  /** The quotes that were found. */
  readonly aligned: readonly EvidenceSpan[];
  /** The quotes that were not. */
  readonly failed: readonly MissingQuote[];
}

/**
 * How well an entry is proved: `raw`, as it was extracted; `working`,
 * well-formed; `candidate`, with its quotes looked up; `verified`, every quote
 * was found; `certified`, somebody vouched for it.
 */
export type Stage = 'raw' | 'working' | 'candidate' | 'verified' | 'certified';

/** What became of one entry of an extraction. */
export interface IngestedEntry {
  /** Its name in the extraction. */
  readonly localId: string;
  /** Its identity in the store. */
  readonly entryId: string;
  /** Whether the store learned it by this call. */
  readonly isNew: boolean;
  /** How far its evidence carried it. */
  readonly stage: Stage;
  /** Where its quotes stand, and which were not found. */
  readonly evidence: EvidenceReport;
}

/** What became of one task of an extraction. */
export interface IngestedTask {
  /** Its name in the extraction. */
  readonly localId: string;
  /** The task that it means. */
  readonly taskId: string;
  /** Whether the task came into being by this call. */
  readonly isNew: boolean;
  /** How many acts on the task, and on what blocks it, were recorded. */
  readonly acts: number;
  /** Where its quotes stand, and which were not found. */
  readonly evidence: EvidenceReport;
}

/** What taking in an extraction did. */
export interface IngestReport {
  /** The run in the history. */
  readonly buildId: string;
  /** The session. */
  readonly session: string;
  /** True when the same extraction had been taken in before: nothing was written. */
  readonly alreadyIngested: boolean;
  /** The entries, in the order of the extraction. */
  readonly entries: readonly IngestedEntry[];
  /** The tasks, in the order of the extraction. */
  readonly tasks: readonly IngestedTask[];
  /** How many events were recorded. */
  readonly events: number;
}
