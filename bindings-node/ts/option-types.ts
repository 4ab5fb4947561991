/** What a memory may be opened with beyond the ordinary. */

import type { EventKind } from './types.js';

/** A vector, as an embedder gives it. */
export type Vector = Float32Array | readonly number[];

/**
 * Turns texts into vectors, so that search also finds by meaning.
 *
 * The store remembers `id`: vectors of different ids are never compared, and
 * with another id what is stored is embedded anew, by `processOutbox`.
 */
export interface Embedder {
  /** The name of the model and its version: 1 to 128 bytes, without control characters. */
  readonly id: string;
  /** Numbers per vector, 1 to 16,384. */
  readonly dimensions: number;
  /** The most texts that `embed` is given at once. Default: 32. */
  readonly maxBatch?: number | undefined;
  /**
   * One vector for each text, in the same order, at once or as a promise. They
   * need not have length 1; a vector of zeros says that the text means nothing.
   * The same text should always give the same vector.
   *
   * It is called on the thread that opened the memory. The blocking forms
   * (`searchSync` and the like) call it too, but cannot wait for a promise: with
   * an embedder that gives one they fail with `unsupported`. What it throws is
   * no error of a search, which then goes on with words alone and says
   * `degraded`; `processOutbox` reports it.
   */
  embed(texts: readonly string[]): readonly Vector[] | Promise<readonly Vector[]>;
}

/** Counts the tokens of a text, as the model that reads it does. */
export type TokenCounter = (text: string) => number;

/** What stands in the place of a private section. */
export type PrivateMarker = '[PRIVATE]' | '[REDACTED]' | '';

/**
 * How private sections may be written: `<private>…</private>`,
 * `[private]…[/private]` or `<!-- private -->…<!-- /private -->`.
 */
export type PrivateTagFormat = 'xml' | 'bracket' | 'comment';

/** What is taken out of every text before it is stored. */
export interface PrivacyOptions {
  /** Whether private tags are honoured. Default: true. */
  readonly privateTags?: boolean | undefined;
  /** What stands in the place of a private section. Default: `[PRIVATE]`. */
  readonly marker?: PrivateMarker | undefined;
  /** How private sections may be written. Default: `xml` alone. */
  readonly formats?: readonly PrivateTagFormat[] | undefined;
  /** Whether the lines after a private section keep their numbers. Default: false. */
  readonly preserveLineCount?: boolean | undefined;
  /**
   * Words (regular expressions of Rust's syntax, letter case ignored) that make
   * the value behind them and `:` or `=` a secret. Default: `password`,
   * `secret`, `api_key`, `token`, `bearer`.
   */
  readonly excludePatterns?: readonly string[] | undefined;
  /** Whether keys of well-known issuers and the like are masked by their shape. Default: true. */
  readonly autoDetect?: boolean | undefined;
  /** Regular expressions whose matches are masked as a whole. Default: none. */
  readonly autoDetectPatterns?: readonly string[] | undefined;
  /** Whether source code is told from secrets (`token = parser.next()` stays). Default: true. */
  readonly codeAware?: boolean | undefined;
  /** Whether e-mail addresses, telephone numbers and user names in paths are replaced. Default: false. */
  readonly anonymize?: boolean | undefined;
}

/** How much of a tool's output is stored. */
export interface ToolLimits {
  /** At most this many characters (Unicode scalar values). Default: 10,000. */
  readonly maxOutputChars?: number | undefined;
  /** At most this many lines. Default: 100. */
  readonly maxOutputLines?: number | undefined;
  /** Whether everything is kept, whatever the other two say. Default: false. */
  readonly keepWholeOutput?: boolean | undefined;
}

/** A sentence-transformer model in a folder. */
export interface FastembedOptions {
  /** The folder with `model.onnx`, `tokenizer.json` and `config.json`. */
  readonly modelDir: string;
  /** The shared library of ONNX Runtime. Default: searched for. */
  readonly onnxruntimeLibrary?: string | undefined;
  /** Longer texts are cut after so many tokens, at least 3. Default: 256. */
  readonly maxTokens?: number | undefined;
  /** Threads that one embedding uses. Default: one for each processor. */
  readonly threads?: number | undefined;
  /** The embedder's id. Default: the name of the folder. */
  readonly id?: string | undefined;
}

/** How long events of a kind are kept, in milliseconds after the time they carry. */
export type Retention = { readonly [kind in EventKind]?: number | undefined };

/** The settings of opening that concern recall, privacy and the store's size. */
export interface StoreOptions {
  /**
   * Whether results of recall are kept for a while, until something is written
   * by any process. Results are the same either way. Default: true.
   */
  readonly recallCache?: boolean | undefined;
  /** What is taken out of every text before it is stored. */
  readonly privacy?: PrivacyOptions | undefined;
  /** How much of a tool's output is stored. */
  readonly toolLimits?: ToolLimits | undefined;
  /** What turns texts into vectors. Default: nothing; search goes by words alone. */
  readonly embedder?: Embedder | undefined;
  /**
   * A model in a folder as the embedder. `unsupported` unless the addon was
   * built with it: the published packages are not.
   */
  readonly fastembed?: FastembedOptions | undefined;
  /**
   * How long a search without a deadline waits for the vector of its question,
   * in milliseconds, before it goes on without it. Default: 5,000.
   */
  readonly embeddingTimeoutMs?: number | undefined;
  /**
   * From how many vectors on a file of vectors gets a graph of near ones in the
   * memory of this process, built by `maintain`. Searches of many vectors with
   * little structure can then be quicker, and nearly as good. `unsupported`
   * unless the addon was built with it: the published packages are not.
   * Default: 0, none does.
   */
  readonly vectorGraphFrom?: number | undefined;
  /** The size of the folder, in bytes, from which on receipts carry a warning. Default: 500,000,000. */
  readonly quotaBytes?: number | undefined;
  /** The size of the folder, in bytes, from which on appends fail with `full`. Default: none. */
  readonly sizeLimitBytes?: number | undefined;
  /** How long events are kept; `applyRetention` forgets older ones. Default: for ever. */
  readonly retentionMs?: Retention | undefined;
}
