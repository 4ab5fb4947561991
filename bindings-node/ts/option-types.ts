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

/**
 * How much each part of the recipe of recall counts. **0 switches a part off**; what
 * is left out has its default. Scores are parts of the best passage's own score,
 * shares are parts of the value that they are taken of.
 *
 * `relevance` is calibrated for the defaults: with other weights a relevance of 0.75
 * no longer means that three of four hits are right.
 */
export interface RecallWeights {
  /**
   * How far words count that are only like a word of the question, as a share of their
   * likeness by the static table. At 0 a question finds its own words and their other
   * forms alone. 0 to 1. Default: 1.
   */
  readonly softWords?: number | undefined;
  /**
   * What two neighbouring words of the question add when they are neighbours in a
   * passage too, as a part of their mean rarity. 0 to 10. Default: 0.5.
   */
  readonly wordPairs?: number | undefined;
  /**
   * What the passage gains that is nearest to the question as a whole by the directions
   * of their words, others in proportion. Where there are vectors of an embedder they
   * take its place. 0 to 10. Default: 0.15.
   */
  readonly nearnessByWords?: number | undefined;
  /**
   * What the event gains that is nearest to the question by the embedder's vectors,
   * others in proportion. At 0 the embedder is not asked, and nothing is found by its
   * vector alone. Measured with all-MiniLM-L6-v2: 0.4 to 0.6 are alike. 0 to 10.
   * Default: 0.5.
   */
  readonly nearnessByVectors?: number | undefined;
  /**
   * How much of what several passages of an event cover together counts beyond its best
   * passage. 0 to 1. Default: 0.1.
   */
  readonly passageUnion?: number | undefined;
  /**
   * How much the scores of the turns around a turn count for it, all together. 0 to 10.
   * Default: 0.5.
   */
  readonly contextScores?: number | undefined;
  /** The share of the previous turn's score in `contextScores`. 0 to 1. Default: 0.4. */
  readonly scorePrevious?: number | undefined;
  /** The share of the next turn's score in `contextScores`. 0 to 1. Default: 0.3. */
  readonly scoreNext?: number | undefined;
  /** The share of the score of the turn before the previous one. 0 to 1. Default: 0.3. */
  readonly scoreSecondPrevious?: number | undefined;
  /** The share of the score of the turn after the next one. 0 to 1. Default: 0.1. */
  readonly scoreSecondNext?: number | undefined;
  /**
   * What a turn gains of the score of the turn before it when that one is a question: it
   * is likely the answer. 0 to 10. Default: 0.1.
   */
  readonly afterQuestion?: number | undefined;
  /**
   * How much it counts that the turns around a turn hold words of the question that it
   * lacks: "thirty seconds" answers a question that only the turn before it names. 0 to
   * 10. Default: 0.5.
   */
  readonly contextWords?: number | undefined;
  /**
   * How far a word of the previous turn counts as one of this turn. 0 to 1. Default:
   * 0.6.
   */
  readonly wordsPrevious?: number | undefined;
  /** How far a word of the next turn counts as one of this turn. 0 to 1. Default: 0.6. */
  readonly wordsNext?: number | undefined;
  /** How far a word of the turn before the previous one counts. 0 to 1. Default: 0.5. */
  readonly wordsSecondPrevious?: number | undefined;
  /** How far a word of the turn after the next one counts. 0 to 1. Default: 0.4. */
  readonly wordsSecondNext?: number | undefined;
  /**
   * How fast context counts less for long turns, which explain themselves: it is divided
   * by 1 + this for every 25 words beyond the first 25. 0 to 10. Default: 0.2.
   */
  readonly longTurnDamping?: number | undefined;
  /** What a turn loses that is itself a question. 0 to 10. Default: 0.1. */
  readonly questionPenalty?: number | undefined;
  /**
   * What the turns of a speaker gain whom the question names, when it is one. 0 to 10.
   * Default: 0.25.
   */
  readonly namedActor?: number | undefined;
  /**
   * What an event gains that happened when the question says, less the farther from it.
   * 0 to 10. Default: 0.3.
   */
  readonly date?: number | undefined;
  /**
   * What an event gains that holds a word of time when the question asks when. 0 to 10.
   * Default: 0.2.
   */
  readonly temporal?: number | undefined;
  /**
   * The share of its score that a near copy of a better hit loses, so that ten hits are
   * not ten copies of one tool output. 0 to 1. Default: 0.3.
   */
  readonly duplicateDemotion?: number | undefined;
  /**
   * The share of its score and of its relevance that an event loses while what was
   * learned from it is contested. The default is the specification's factor of 0.7. 0 to
   * 1. Default: 0.3.
   */
  readonly contestedDemotion?: number | undefined;
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
  /** How much each part of the recipe of recall counts. Every process may choose its own. */
  readonly recallWeights?: RecallWeights | undefined;
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
  /** The size of the folder, in bytes, from which on receipts carry a warning. Default: 500,000,000. */
  readonly quotaBytes?: number | undefined;
  /** The size of the folder, in bytes, from which on appends fail with `full`. Default: none. */
  readonly sizeLimitBytes?: number | undefined;
  /** How long events are kept; `applyRetention` forgets older ones. Default: for ever. */
  readonly retentionMs?: Retention | undefined;
}
