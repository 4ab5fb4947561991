/**
 * The arguments and results of the package. Two rules apply everywhere:
 *
 * - a time that you pass in is a `Date`, a number of milliseconds since 1970 UTC, or RFC 3339
 * text (see {@link TimeInput}); a time in a result is a number of milliseconds;
 * - every field of a result is always present: `null` says that there is no value.
 */

import type { ImportFields, ImportProgress, Query } from './generated/types.js';
import type { Signal } from './platform-types.js';

export type { FileUrl } from './platform-types.js';

/**
 * A time as an argument: a Date, milliseconds since 1970 UTC, RFC 3339 text with an offset, or a date
 * (`2026-05-01`, its beginning in UTC).
 */
export type TimeInput = Date | number | string;

/** The name of an event: its id, its citation (`a7Bc3x`, `mem:a7Bc3x`, `[mem:a7Bc3x]`) or its seq. */
export type EventName = string | number;

/** A JSON value. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  [key: string]: JsonValue;
}

/** The kinds of events that make up a conversation, which `search` finds. */
export type ConversationKind =
  | 'user_prompt'
  | 'agent_response'
  | 'session_summary'
  | 'tool_observation';

/** Options of every asynchronous call. */
export interface CallOptions {
  /**
   * Aborts the call: the promise is rejected with the signal's reason. A long operation (see
   * `Operation`) that a worker has already begun ends at its next checkpoint. Any other write
   * is not undone; its promise then resolves, as does that of an operation that was nearly
   * done.
   */
  readonly signal?: Signal | undefined;
}

/** Which projects a read looks at. Default: the project that the memory was opened for. */
export interface ProjectFilter {
  /** Keeps only events of this project; the empty name means events without a project. */
  readonly project?: string | undefined;
  /** Whether to look at every project of the store. Default: false. */
  readonly allProjects?: boolean | undefined;
}

/** Selects tool calls. */
export type CallFilter = Pick<Query, 'tools' | 'fileContains' | 'toolOutcome'>;

/** Conditions that narrow a search. */
export interface SearchOptions extends Omit<Query, 'text' | 'kinds'> {
  /** Keeps only events of these conversation kinds; empty means all four. */
  readonly kinds?: readonly ConversationKind[] | undefined;
}

/**
 * Conditions that narrow every kind of recall. With a `CallFilter`, learned items that no
 * such call proves are left out.
 */
export type SearchFilter = Omit<SearchOptions, 'limit' | 'session'>;

/** How many changes to read. */
export interface ChangesOptions {
  /** The maximum number of events to return. Default: 1,000. */
  readonly limit?: number | undefined;
}

/** How long to wait for a change. */
export interface WaitOptions {
  /** The maximum time to wait, in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number | undefined;
}

/** How much of a list to read. */
export interface ListOptions {
  /** The maximum number of items to return, the newest ones. Default: 1,000. */
  readonly limit?: number | undefined;
}

/** Which projects to list, and how much of the list to read. */
export interface ListFilter extends ProjectFilter, ListOptions {}

/** What to read from a transcript, in both forms of an import. */
export type ImportSettings = ImportFields;

/** Options for importing transcripts in the background. */
export interface ImportOptions extends ImportSettings, CallOptions {
  /**
   * Called after each transaction, without waiting for its result. If it returns (or
   * resolves to) `false`, the import ends soon, and what was stored stays.
   */
  readonly onProgress?:
    | ((progress: ImportProgress) => boolean | void | Promise<boolean | void>)
    | undefined;
}

/** Options for importing transcripts while the thread waits. */
export interface ImportSyncOptions extends ImportSettings {
  /** Called after each transaction. The import ends if it returns `false`. */
  readonly onProgress?: ((progress: ImportProgress) => boolean | void) | undefined;
}
