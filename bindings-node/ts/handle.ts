/** The shared basis of the methods of a memory, whichever file they are in. */

import type { Failure, NativeCancel, NativeMemory } from '../native';

import type { Ask } from './callbacks.js';
import { unwrap, type Start } from './calls.js';
import type { CallOptions } from './arguments.js';

/** How an open memory reaches the addon. */
export interface Handle {
  /** The addon's memory; throws `closed` once it is being closed. */
  open(): NativeMemory;
  /** Runs a call that only reads on a worker. */
  read<T>(options: CallOptions | undefined, start: Start<T>): Promise<T>;
  /** Runs a call that writes on a worker. */
  write<T>(options: CallOptions | undefined, start: Start<T>): Promise<T>;
  /**
   * Asks the program and awaits its answer; fails with `closed` if the memory is closed first,
   * and with the signal's reason if that fires.
   */
  whileOpen<T>(signal: AbortSignal | undefined, ask: () => Promise<T>): Promise<T>;
  /** Answers for an embedder in JavaScript during blocking calls. */
  readonly embedder: Ask | undefined;
}

/** Kept outside of the objects, so that nobody else can reach a handle. */
const handles = new WeakMap<object, Handle>();

/** The error for cloning a memory or an area quotes the start of this function. */
function staysInItsThread(): void {
  'open the folder there with Memory.open';
}

/** Registers the handle of an opened memory, or of an area of it. */
export function attach(memory: object, handle: Handle): void {
  handles.set(memory, handle);
  // A function cannot be cloned; without one, a worker would get an empty object.
  Object.defineProperty(memory, 'staysInItsThread', { value: staysInItsThread, enumerable: true });
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

/** Like {@link Handle.whileOpen}. */
export function whileOpen<T>(
  memory: object,
  signal: AbortSignal | undefined,
  ask: () => Promise<T>,
): Promise<T> {
  return handleOf(memory).whileOpen(signal, ask);
}

/**
 * The blocking form of a method. One that may embed passes `embedder` to the addon, which
 * calls it while it waits.
 */
export function now<T>(
  memory: object,
  call: (native: NativeMemory, embedder: Ask | undefined) => T | Failure,
): T {
  const handle = handleOf(memory);
  return unwrap(call(handle.open(), handle.embedder));
}

/** A class whose methods are added to another one. */
type Methods = abstract new () => object;

/** Adds the methods of other classes to a class, to split it into several files. */
export function mix(target: { readonly prototype: object }, sources: readonly Methods[]): void {
  for (const { prototype } of sources) {
    const { constructor: _, ...methods } = Object.getOwnPropertyDescriptors(prototype) as Record<
      string,
      PropertyDescriptor
    >;
    Object.defineProperties(target.prototype, methods);
  }
}
