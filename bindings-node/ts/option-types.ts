/** Options for opening a memory: settings, functions and a model. */

import type {
  EventKind,
  FastembedOptions,
  LogRecord,
  OpenOptions as Settings,
} from './generated/types.js';


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
  /** The maximum number of texts passed to `embed` at once. Default: 32. */
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
   * A function that is told what opening, recovery, upkeep and degraded searches do, but
   * never what is stored or asked. Default: none, and the library logs nothing anywhere.
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
