/** Runs native calls: turns failures into errors and handles abort signals. */

import type { Failure, NativeCancel } from '../native';

import { record, Signalled } from './check.js';
import { invalid, MemoryError } from './errors.js';
import type { ErrorCode } from './generated/types.js';
import { native } from './native.js';

/** A call on a libuv worker. */
export type Start<T> = (cancel: NativeCancel | undefined) => Promise<T | Failure>;

/** The signal of a call's options, and the options for {@link record}. */
export function splitSignal(options: unknown): {
  signal: AbortSignal | undefined;
  rest: unknown;
} {
  const rest = new Signalled(options);
  const signal = (options as { signal?: unknown } | null | undefined)?.signal;
  if (signal === undefined || signal === null) return { signal: undefined, rest };
  if (!(signal instanceof AbortSignal)) {
    throw invalid('signal', 'must be an AbortSignal');
  }
  return { signal, rest };
}

/** The signal of a call without other options. */
export function onlySignal(options: unknown): AbortSignal | undefined {
  const { signal, rest } = splitSignal(options);
  record('options', rest, {});
  return signal;
}

/** What to do when a signal fires, for all calls that share it. */
const watchers = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `onAbort` when the signal fires, until the returned function is called. A signal gets
 * a single listener, however many calls share it: with more than ten, Node warns of a leak.
 */
export function watch(signal: AbortSignal, onAbort: () => void): () => void {
  let watching = watchers.get(signal);
  if (!watching) {
    const all = new Set<() => void>();
    watching = all;
    watchers.set(signal, all);
    signal.addEventListener(
      'abort',
      () => {
        for (const call of all) call();
        all.clear();
      },
      { once: true },
    );
  }
  watching.add(onAbort);
  return () => void watching.delete(onAbort);
}

/**
 * Starts a call and returns its value. When the signal fires, a call that has not started
 * never will, and a running read is abandoned; a running write is awaited, because its caller
 * must learn whether it was stored. A running long operation ends at its next checkpoint.
 */
export async function run<T>(
  kind: 'read' | 'write',
  signal: AbortSignal | undefined,
  start: Start<T>,
  cancel?: NativeCancel,
): Promise<T> {
  if (!signal) return unwrap(await start(cancel));
  signal.throwIfAborted();
  const handle = cancel ?? new (native().NativeCancel)();
  const work = start(handle);
  return new Promise<T>((resolve, reject) => {
    const unwatch = watch(signal, () => {
      if (handle.cancel() || kind === 'read') reject(signal.reason);
    });
    work
      .finally(unwatch)
      .then((outcome) => resolve(unwrap(outcome)))
      .catch((error: unknown) => {
        // It was the signal that ended a long operation.
        const isEnded = signal.aborted && error instanceof MemoryError && error.code === 'interrupted';
        reject(isEnded ? signal.reason : error);
      });
  });
}

/** How many members of a long list cross to the addon, or from it, at a time. */
const PART = 512;

/** Yields to the event loop: timers, sockets and other promises come first. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Passes a list to the addon in parts, between which the event loop runs. A list that fits
 * into one part is passed at once.
 */
export async function giveInParts<T>(
  list: readonly T[],
  signal: AbortSignal | undefined,
  give: (part: readonly T[], from: number) => void,
): Promise<void> {
  for (let from = 0; from < list.length; from += PART) {
    if (from > 0) await turn();
    signal?.throwIfAborted();
    give(list.slice(from, from + PART), from);
  }
}

/** A result of the addon that is read in parts; an empty part is the end. */
export interface Parts<T> {
  take(count: number): T[] | Failure;
}

/** Reads a whole result, yielding to the event loop between its parts. */
export async function takeInParts<T, V>(
  parts: Parts<T>,
  convert: (member: T) => V,
  signal?: AbortSignal | undefined,
): Promise<V[]> {
  const whole: V[] = [];
  for (;;) {
    const part = unwrap(parts.take(PART));
    for (const member of part) whole.push(convert(member));
    if (part.length < PART) return whole;
    await turn();
    signal?.throwIfAborted();
  }
}

/** Like {@link takeInParts}, but blocking. */
export function takeAll<T, V>(parts: Parts<T>, convert: (member: T) => V): V[] {
  const whole: V[] = [];
  for (;;) {
    const part = unwrap(parts.take(PART));
    for (const member of part) whole.push(convert(member));
    if (part.length < PART) return whole;
  }
}

/** The value of a native call; throws if it failed. */
export function unwrap<T>(outcome: T | Failure): T {
  if (typeof outcome !== 'object' || outcome === null || !('failureCode' in outcome)) {
    return outcome as T;
  }
  const { failureCode, message, argument, retryable, needsReopen, causes } = outcome;
  let cause: Error | undefined;
  for (const text of causes.reverse()) {
    cause = new Error(text, cause && { cause });
  }
  throw new MemoryError(failureCode as ErrorCode, message, {
    argument: argument ?? undefined,
    retryable,
    needsReopen,
    ...(cause && { cause }),
  });
}
