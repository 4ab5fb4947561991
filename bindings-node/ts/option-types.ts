/** What a memory may be opened with: settings, functions and a model. */

import type {
  EventKind,
  FastembedOptions,
  LogRecord,
  OpenOptions as Settings,
} from './generated/types.js';


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

/** How long events of a kind are kept, in milliseconds after the time they carry. */
export type Retention = { readonly [kind in EventKind]?: number | undefined };

/** How a memory is opened. Every option has a default. */
export interface OpenOptions extends Settings {
  /** What turns texts into vectors. Default: nothing; search goes by words alone. */
  readonly embedder?: Embedder | undefined;
  /**
   * A model in a folder as the embedder. `unsupported` unless the addon was
   * built with it: the published packages are not.
   */
  readonly fastembed?: FastembedOptions | undefined;
  /** How long events are kept; `upkeep.applyRetention` forgets older ones. Default: for ever. */
  readonly retentionMs?: Retention | undefined;
  /**
   * Is told what opening, recovery, upkeep and degraded searches do; never what is
   * stored or asked. Default: nothing, the library writes nothing anywhere.
   *
   * It is called on the thread that opened the memory, when that is free, and at the
   * latest when the memory is closed or the process exits. What it throws is ignored,
   * with one warning of the process.
   *
   * ```js
   * const onLog = ({ level, target, message }) => console.error(level, target, message);
   * ```
   */
  readonly onLog?: ((record: LogRecord) => void) | undefined;
}
