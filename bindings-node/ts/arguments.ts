/**
 * The arguments and results of the package. Two rules apply everywhere:
 *
 * - a time that you pass in is a `Date`, a number of milliseconds since 1970 UTC, or RFC 3339
 * text (see {@link TimeInput}); a time in a result is a number of milliseconds;
 * - every field of a result is always present: `null` says that there is no value.
 */

import type {
  ContextFields,
  EventKind,
  FastembedOptions,
  ImportFields,
  ImportProgress,
  LogRecord,
  OpenOptions as Settings,
  Query,
  SmartSearchFields,
} from './generated/types.js';
import type { CallOptions, ConversationKind, ProjectFilter } from './values.js';

export type * from './values.js';

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
  /** The maximum number to return. Default: 1,000. */
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

/** Options for building context. */
export interface ContextSettings extends Omit<SearchFilter, 'minRelevance'>, ContextFields {
  /** Keeps only memories of this session. Default: all sessions. */
  readonly fromSession?: string | undefined;
  /**
   * Counts tokens, in place of the estimate. It is called several times, on the caller's
   * thread. If it throws, the call fails with `callback`.
   */
  readonly countTokens?: TokenCounter | undefined;
}

/** {@link ContextSettings} for an asynchronous call. */
export interface ContextOptions extends ContextSettings, CallOptions {}

/** Options that control how a smart search expands what it finds. */
export interface SmartSearchSettings extends Omit<SearchFilter, 'minRelevance'>, SmartSearchFields {
  /** Keeps only events of this session. */
  readonly session?: string | undefined;
  /** Counts tokens, in place of the estimate; see {@link ContextSettings.countTokens}. */
  readonly countTokens?: TokenCounter | undefined;
}

/** {@link SmartSearchSettings} for an asynchronous call. */
export interface SmartSearchOptions extends SmartSearchSettings, CallOptions {}

/** A vector, as returned by an embedder. */
export type Vector = Float32Array | readonly number[];

/**
 * Turns texts into vectors, so that search also works by meaning.
 *
 * The store remembers `id`. Vectors of different ids are never compared; if the id changes,
 * everything stored is embedded again, by `processOutbox`.
 */
export interface Embedder {
  /** The name of the model and its version: 1 to 128 bytes, without control characters. */
  readonly id: string;
  /** The number of dimensions of each vector, from 1 to 16,384. */
  readonly dimensions: number;
  /** The maximum number of texts passed to `embed` at once, at least 1. Default: 32. */
  readonly maxBatch?: number | undefined;
  /**
   * Returns one vector for each text, in the same order, directly or as a promise. Vectors
   * need not have length 1; a vector of zeros says that the text means nothing. The same
   * text should always give the same vector.
   *
   * It is called on the thread that opened the memory. The blocking forms (`searchSync` and
   * the like) call it too but cannot wait for a promise: with an embedder that returns one,
   * they fail with `unsupported`. If it throws, a search does not fail but continues with
   * words alone and says `degraded`; `processOutbox` reports the error.
   */
  embed(texts: readonly string[]): readonly Vector[] | Promise<readonly Vector[]>;
}

/** Counts the tokens of a text in the same way as the model that reads it. */
export type TokenCounter = (text: string) => number;

/** How long to keep events of a kind, in milliseconds after their timestamp. */
export type Retention = { readonly [kind in EventKind]?: number | undefined };

/** Options for opening a memory. Every option has a default. */
export interface OpenOptions extends Settings {
  /**
   * The embedder, which turns texts into vectors. Default: none; search then uses words
   * alone.
   */
  readonly embedder?: Embedder | undefined;
  /**
   * A model in a folder to use as the embedder. ONNX Runtime is a shared library that you
   * install: `onnxruntimeLibrary` or the environment variable ORT_DYLIB_PATH names it. An
   * addon of your own that was built without this feature fails with `unsupported`.
   */
  readonly fastembed?: FastembedOptions | undefined;
  /** How long to keep events; `upkeep.applyRetention` forgets older ones. Default: forever. */
  readonly retentionMs?: Retention | undefined;
  /**
   * A function that is called with reports of what opening, recovery, upkeep and degraded
   * searches do, but never with stored text or questions. Default: none, and the library logs
   * nothing anywhere.
   *
   * It is called on the thread that opened the memory as soon as that thread is free, and
   * at the latest when the memory is closed or the process exits. It does not keep a memory
   * from being collected; what a memory that was collected unclosed had not reported yet is
   * lost. Anything it throws is ignored, with a single process warning.
   *
   * ```js
   * const onLog = ({ level, target, message }) => console.error(level, target, message);
   * ```
   */
  readonly onLog?: ((record: LogRecord) => void) | undefined;
}
