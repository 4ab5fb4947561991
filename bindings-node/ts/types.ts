/**
 * What goes in and what comes out. Two rules hold everywhere:
 *
 * - a time that you give is a `Date`, a number of milliseconds since 1970 UTC,
 *   or an ISO 8601 string; a time that you get is a number of milliseconds;
 * - a field of a result is always there: `null` says that there is no value.
 */

import type { ImportFields, ImportProgress, Query } from './generated/types.js';
import type { Signal } from './platform-types.js';

/** A time as you may give it: a Date, milliseconds since 1970 UTC, or an ISO 8601 string. */
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

/** What every asynchronous call takes. */
export interface CallOptions {
  /**
   * Ends the call early: the promise is rejected with the signal's reason. A
   * write that a worker has begun is not undone; its promise then resolves.
   */
  readonly signal?: Signal | undefined;
}

/** Which projects a read looks at. Default: the project that the memory was opened for. */
export interface ProjectFilter {
  /** Only this project; the empty name is "events without a project". */
  readonly project?: string | undefined;
  /** Every project of the store. Default: false. */
  readonly allProjects?: boolean | undefined;
}

/** Which calls of tools. */
export type CallFilter = Pick<Query, 'tools' | 'fileContains' | 'toolOutcome'>;

/** What narrows a search. */
export interface SearchOptions extends Omit<Query, 'text' | 'kinds'> {
  /** Only these conversation kinds; empty means all four. */
  readonly kinds?: readonly ConversationKind[] | undefined;
}

/** What narrows every kind of recall. With a `CallFilter` learned things are left out that no such call proves. */
export type SearchFilter = Omit<SearchOptions, 'limit' | 'session' | 'vector'>;

/** How many changes are read. */
export interface ChangesOptions {
  /** At most this many events. Default: 1,000. */
  readonly limit?: number | undefined;
}

/** How much of a list is read. */
export interface ListOptions {
  /** At most this many, the newest. Default: 1,000. */
  readonly limit?: number | undefined;
}

/** Of which projects a list is read, and how much of it. */
export interface ListFilter extends ProjectFilter, ListOptions {}

/** What of a transcript is read, whichever way it is imported. */
export type ImportSettings = ImportFields;

/** How transcripts are imported in the background. */
export interface ImportOptions extends ImportSettings, CallOptions {
  /**
   * Told after each transaction. When it gives (or resolves to) `false`, the
   * import ends soon and what was stored stays. It is not waited for.
   */
  readonly onProgress?:
    | ((progress: ImportProgress) => boolean | void | Promise<boolean | void>)
    | undefined;
}

/** How transcripts are imported while the thread waits. */
export interface ImportSyncOptions extends ImportSettings {
  /** Called after each transaction; the import ends when it gives `false`. */
  readonly onProgress?: ((progress: ImportProgress) => boolean | void) | undefined;
}
