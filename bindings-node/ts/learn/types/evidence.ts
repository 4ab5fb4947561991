/** Types of evidence and extractions: where quotes stand, and what a language model hands in. */

import type {
  EntryType,
  FailureReason,
  MatchMethod,
  Priority,
  TaskStatus,
} from '../../generated/types.js';




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
