/**
 * Functions of the program that the library calls: embedders and token counters.
 *
 * The addon sends requests on the JavaScript thread: from the event loop during an
 * asynchronous call, and from inside a blocking one. Whatever the function does, its request
 * is answered and nothing is thrown into the addon.
 */

import type { NativeEmbedder, NativeRequest } from '../native';

import { invalid, MemoryError } from './errors.js';
import { native } from './native.js';
import type { Embedder, TokenCounter } from './option-types.js';

/** Answers a request; `null` asks for nothing. */
export type Ask = (request: NativeRequest | null) => void;

let isWatchingExit = false;

/** Workers that wait for JavaScript must not keep the process from exiting. */
function watchExit(): void {
  if (isWatchingExit) return;
  isWatchingExit = true;
  const { releaseCallbacks } = native();
  process.once('exit', () => releaseCallbacks());
}

/** A thrown value as text; never throws. */
function said(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown).toWellFormed();
  } catch {
    return 'it threw something that cannot be shown';
  }
}

export function isPromise(value: unknown): value is PromiseLike<unknown> {
  return (
    ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
    typeof (value as { then?: unknown }).then === 'function'
  );
}

/**
 * The result of a function that must not return a promise. A promise is an error, but still
 * gets a handler, because an unhandled rejection ends the process.
 */
export function atOnce(name: string, given: unknown): unknown {
  if (!isPromise(given)) return given;
  given.then(undefined, () => undefined);
  throw invalid(name, 'must return its result at once, not a promise');
}

/** Converts vectors for the addon; the core checks their number and lengths. */
function vectors(given: unknown): Float32Array[] {
  if (!Array.isArray(given)) throw new TypeError('embed must return an array of vectors');
  return Array.from(given as unknown[], (vector, index) => {
    if (vector instanceof Float32Array) return vector;
    if (Array.isArray(vector) || vector instanceof Float64Array) return Float32Array.from(vector);
    throw new TypeError(`embed: the vector for text ${index} is not a Float32Array or number array`);
  });
}

function answer(request: NativeRequest, given: unknown): void {
  try {
    request.answerVectors(vectors(given));
  } catch (error) {
    request.fail(said(error));
  }
}

function isAsync(call: unknown): boolean {
  return Object.prototype.toString.call(call) === '[object AsyncFunction]';
}

/** An embedder for the addon, and the function that blocking calls pass to it. */
export function embedder(given: unknown): { handle: NativeEmbedder; ask: Ask } {
  if (typeof given !== 'object' || given === null) {
    throw invalid('embedder', 'must be an object with id, dimensions and embed');
  }
  const own = given as Partial<Embedder>;
  // An object of a class of the program's may have more.
  if (Object.getPrototypeOf(given) === Object.prototype) {
    const known = ['id', 'dimensions', 'maxBatch', 'embed'];
    const unknown = Object.keys(given).find((name) => !known.includes(name));
    if (unknown !== undefined) throw invalid(`embedder.${unknown}`, 'is not a known field');
  }
  const { id, dimensions, maxBatch } = own;
  if (typeof id !== 'string' || !id.isWellFormed()) throw invalid('embedder.id', 'must be a string');
  if (typeof dimensions !== 'number') throw invalid('embedder.dimensions', 'must be a number');
  if (maxBatch !== undefined && typeof maxBatch !== 'number') {
    throw invalid('embedder.maxBatch', 'must be a number');
  }
  if (typeof own.embed !== 'function') throw invalid('embedder.embed', 'must be a function');
  const trusted = own as Embedder;
  const ask: Ask = (request) => {
    if (request === null) return;
    try {
      const result: unknown = trusted.embed(request.takeTexts());
      if (isPromise(result)) {
        request.later();
        result.then(
          (later) => answer(request, later),
          (error: unknown) => request.fail(said(error)),
        );
      } else {
        answer(request, result);
      }
    } catch (error) {
      request.fail(said(error));
    }
  };
  watchExit();
  const handle = new (native().NativeEmbedder)(id, dimensions, maxBatch, isAsync(own.embed), ask);
  return { handle, ask };
}

/** The largest count: above any budget, and an unsigned number of 32 bits. */
const MOST_TOKENS = 2 ** 32 - 1;

function counted(given: unknown): number {
  const tokens = atOnce('countTokens', given);
  if (typeof tokens !== 'number' || !Number.isFinite(tokens) || tokens < 0) {
    throw new TypeError('countTokens must return a finite, non-negative number');
  }
  return Math.min(Math.ceil(tokens), MOST_TOKENS);
}

/** The token counter of one call. */
export interface Counting {
  /** For the addon; undefined for the estimate. */
  readonly ask: Ask | undefined;
  /** Throws what the counter threw, instead of the error of the call. */
  check(): void;
}

/** Wraps the token counter of one call. */
export function counting(count: unknown): Counting {
  if (count === undefined || count === null) return { ask: undefined, check: () => undefined };
  if (typeof count !== 'function') throw invalid('countTokens', 'must be a function');
  let failure: { cause: unknown } | undefined;
  const ask: Ask = (request) => {
    if (request === null) return;
    try {
      request.answerNumber(counted((count as TokenCounter)(request.takeTexts()[0] ?? '')));
    } catch (error) {
      failure = { cause: error };
      request.fail('it threw an error');
    }
  };
  watchExit();
  return {
    ask,
    check() {
      if (failure) {
        throw new MemoryError('callback', 'countTokens failed', { cause: failure.cause });
      }
    },
  };
}
