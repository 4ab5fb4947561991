/** What the arguments of many calls, and some fields of results, are made of. */

// The types of the platform come from wherever a program has them: Node's types or the
// browser's. A program that has neither still compiles, with the parts that this package uses.

/** An `AbortSignal`. */
type Signal = typeof globalThis extends { AbortSignal: { prototype: infer T } }
  ? T
  : {
      readonly aborted: boolean;
      readonly reason: unknown;
      throwIfAborted(): void;
      addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
      removeEventListener(type: 'abort', listener: () => void): void;
    };

/** A `URL`. */
export type FileUrl = typeof globalThis extends { URL: { prototype: infer T } }
  ? T
  : { readonly href: string; readonly protocol: string; readonly pathname: string };

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

/** Which projects a read covers. Default: the project that the memory was opened for. */
export interface ProjectFilter {
  /** Keeps only events of this project; the empty name means events without a project. */
  readonly project?: string | undefined;
  /** Whether to look at every project of the store. Default: false. */
  readonly allProjects?: boolean | undefined;
}
