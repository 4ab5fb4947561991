/** What a language model extracts, and summaries. The rules of `../arguments.ts` apply here too. */

import type { JsonObject } from '../arguments.js';
import type { EntryType, Priority, TaskStatus } from '../generated/types.js';
import { native } from '../native.js';

/**
 * Returns the JSON Schema (2020-12) of an extraction, for language models that accept one.
 * Each call returns its own copy.
 */
export function extractionSchema(): JsonObject {
  return JSON.parse(native().extractionSchema()) as JsonObject;
}

/**
 * Returns a prompt that explains the extraction to any language model. Append the numbered
 * messages of {@link Knowledge.sessionMessages} to it.
 */
export function extractionPrompt(): string {
  return native().extractionPrompt();
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

/** A group of events to be put into words. */
export interface SummaryRequest {
  /** What the events are about. */
  readonly topics: readonly string[];
  /** Their texts, in the order of time. */
  readonly texts: readonly string[];
}

/** How memories are put into words in the background. */
export interface ConsolidateOptions {
  /**
   * Your own summary of a group, for example by a language model. `null`,
   * nothing or a blank text takes the summary made by rules. It passes the
   * privacy filter.
   */
  readonly summarize?:
    | ((group: SummaryRequest) => string | null | undefined | Promise<string | null | undefined>)
    | undefined;
}

/** How memories are put into words while the thread waits. */
export interface ConsolidateSyncOptions {
  /** As for `consolidate`, but it gives its summary at once. */
  readonly summarize?: ((group: SummaryRequest) => string | null | undefined) | undefined;
}
