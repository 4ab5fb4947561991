/** What the methods of a memory stand on, in whatever file they are written. */

import type { Failure, NativeCancel, NativeMemory } from '../native';

import type { Ask } from './callbacks.js';
import { unwrap, type Start } from './calls.js';
import type { CallOptions } from './types.js';

/** How an open memory reaches the addon. */
export interface Handle {
  /** The addon's memory; throws `closed` once it is being closed. */
  open(): NativeMemory;
  /** Runs a call that only reads on a worker. */
  read<T>(options: CallOptions | undefined, start: Start<T>): Promise<T>;
  /** Runs a call that writes on a worker. */
  write<T>(options: CallOptions | undefined, start: Start<T>): Promise<T>;
  /**
   * What a function of the program promised; fails with `closed` when the memory
   * is closed before, and with the signal's reason when that fires.
   */
  whileOpen<T>(signal: AbortSignal | undefined, work: PromiseLike<T>): Promise<T>;
  /** Answers for the embedder during blocking calls, when it is one in JavaScript. */
  readonly embedder: Ask | undefined;
}

/** Beside the objects and not in them, so that nobody else reaches a handle. */
const handles = new WeakMap<object, Handle>();

/** Notes the handle of a memory that was opened. */
export function attach(memory: object, handle: Handle): void {
  handles.set(memory, handle);
}

/** The handle of a memory, or of an area of one. */
export function handleOf(memory: object): Handle {
  const handle = handles.get(memory);
  if (!handle) throw new TypeError('a method of a memory was called on something else');
  return handle;
}

/** The asynchronous form of a method that only reads. */
export async function read<T>(
  memory: object,
  options: CallOptions | undefined,
  call: (native: NativeMemory, cancel: NativeCancel | undefined) => Promise<T | Failure>,
): Promise<T> {
  const handle = handleOf(memory);
  return handle.read(options, (cancel) => call(handle.open(), cancel));
}

/** The asynchronous form of a method that writes. */
export async function write<T>(
  memory: object,
  options: CallOptions | undefined,
  call: (native: NativeMemory, cancel: NativeCancel | undefined) => Promise<T | Failure>,
): Promise<T> {
  const handle = handleOf(memory);
  return handle.write(options, (cancel) => call(handle.open(), cancel));
}

/** Waits for a function of the program, as {@link Handle.whileOpen}. */
export function whileOpen<T>(
  memory: object,
  signal: AbortSignal | undefined,
  work: PromiseLike<T>,
): Promise<T> {
  return handleOf(memory).whileOpen(signal, work);
}

/**
 * The blocking form of a method. One that may embed hands `embedder` on to the
 * addon, which calls it while it waits.
 */
export function now<T>(
  memory: object,
  call: (native: NativeMemory, embedder: Ask | undefined) => T | Failure,
): T {
  const handle = handleOf(memory);
  return unwrap(call(handle.open(), handle.embedder));
}

/** A class whose methods are given to another one. */
type Methods = abstract new () => object;

/** Gives a class the methods of others: one class, written in several files. */
export function mix(target: { readonly prototype: object }, sources: readonly Methods[]): void {
  for (const { prototype } of sources) {
    const { constructor: _, ...methods } = Object.getOwnPropertyDescriptors(prototype) as Record<
      string,
      PropertyDescriptor
    >;
    Object.defineProperties(target.prototype, methods);
  }
}
