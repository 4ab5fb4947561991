/**
 * Functions of the program that the library calls: embedders and token counters.
 *
 * The addon sends requests on the JavaScript thread: from the event loop during an
 * asynchronous call, and from inside a blocking one. Whatever the function does, its request
 * is answered and nothing is thrown into the addon.
 */

import { types } from 'node:util';

import type { NativeEmbedder, NativeRequest } from '../native';

import { isPromise, numbers, object, record, required } from './check.js';
import { invalid, MemoryError } from './errors.js';
import { native } from './native.js';
import type { Embedder, TokenCounter } from './arguments.js';

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
    const checked = numbers(`embed()[${index}]`, vector);
    return types.isFloat32Array(checked) ? checked : Float32Array.from(checked);
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

const EMBEDDER = { id: 'string', dimensions: 'number', maxBatch: 'number', embed: 'function' } as const;

/**
 * What the addon holds for as long as a memory exists. It must not hold the embedder, which may
 * mention the memory: neither would ever be collected. The memory holds it.
 */
function heldWeakly(held: WeakRef<Ask>): Ask {
  return (request) => {
    const ask = held.deref();
    if (ask) ask(request);
    else request?.fail('the memory was collected');
  };
}

/**
 * An embedder for the addon, and the function that blocking calls pass to it; whoever uses the
 * embedder must hold this function.
 */
export function embedder(given: unknown): { handle: NativeEmbedder; ask: Ask } {
  const trusted = object('embedder', given) as Embedder;
  const { id, dimensions, maxBatch, embed } = trusted;
  const prototype: unknown = Object.getPrototypeOf(trusted);
  // An object of a class of the program's may have more.
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  const fields = isPlain ? trusted : { id, dimensions, maxBatch, embed };
  const checked = record('embedder', fields, EMBEDDER, 'embedder.');
  required(checked, ['id', 'dimensions', 'embed'], 'embedder.');
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
  const held = heldWeakly(new WeakRef(ask));
  const handle = new (native().NativeEmbedder)(id, dimensions, maxBatch, isAsync(embed), held);
  return { handle, ask };
}

function counted(given: unknown): number {
  const tokens = atOnce('countTokens', given);
  if (typeof tokens !== 'number' || !Number.isFinite(tokens) || tokens < 0) {
    throw new TypeError('countTokens must return a finite, non-negative number');
  }
  return Math.ceil(tokens);
}

/** The token counter of one call. */
export interface Counting {
  /** For the addon; undefined for the estimate. */
  readonly ask: Ask | undefined;
  /** Throws what the counter threw, instead of the error of the call. */
  check(): void;
}

/** Wraps the token counter of one call. */
export function counting(count: TokenCounter | undefined): Counting {
  if (!count) return { ask: undefined, check: () => undefined };
  let failure: { cause: unknown } | undefined;
  const ask: Ask = (request) => {
    if (request === null) return;
    try {
      request.answerNumber(counted(count(request.takeTexts()[0] ?? '')));
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
        const { cause } = failure;
        throw new MemoryError('callback', 'countTokens failed', { argument: 'countTokens', cause });
      }
    },
  };
}
