/** Progress of long operations: the methods of `Memory` that tell it and stop them. */

import type { NativeMemory } from '../native';

import { unwrap } from './calls.js';
import { isPromise } from './check.js';
import { invalid, warn } from './errors.js';
import type { Progress } from './generated/types.js';
import { handleOf, now } from './handle.js';

/** A function that is called with the progress of operations. */
export type ProgressHandler = (progress: Progress) => void;

/** The handlers of the memories, none of which keeps its memory from being collected. */
const handlers = new WeakMap<NativeMemory, (progress: Progress) => unknown>();

/**
 * Tells a memory's handler what waits for it. The addon holds this function for as long as
 * the memory exists, so the function must hold neither the memory nor its handler, which may
 * mention the memory: nothing of this would ever be collected.
 */
function teller(held: WeakRef<NativeMemory>): () => void {
  let hasFailed = false;
  const failed = (error: unknown): void => {
    if (!hasFailed) warn('the progress handler failed', error);
    hasFailed = true;
  };
  return () => {
    const memory = held.deref();
    const tell = memory && handlers.get(memory);
    if (!tell) return;
    for (const progress of unwrap(memory.takeProgress())) {
      // It may close the memory, or set another handler.
      if (handlers.get(memory) !== tell || !memory.isOpen) return;
      try {
        const answer = tell(progress as Progress);
        // An unhandled rejection would end the process.
        if (isPromise(answer)) answer.then(undefined, failed);
      } catch (error) {
        failed(error);
      }
    }
  };
}

/** The methods of a memory for its progress. */
export abstract class ProgressMethods {
  /**
   * Sets the function that is called with the progress of long operations (see `Operation`),
   * or removes it with `null`. It is called for their beginning, at most every 50 milliseconds
   * for what is done, and for their end if they succeed.
   *
   * Operations do not wait for it: it is called on later turns of the event loop, so a
   * blocking form is over before the function is called. It does not keep the process alive,
   * and is not called once the memory is closed. To stop an operation, call
   * {@link ProgressMethods.interrupt} or use the `signal` of the call. What the function
   * throws becomes a warning of the process.
   *
   * @throws {MemoryError} `invalid_argument`, `closed`.
   */
  setProgressHandler(handler: ProgressHandler | null): void {
    if (handler !== null && handler !== undefined && typeof handler !== 'function') {
      throw invalid('handler', 'must be a function or null');
    }
    const memory = handleOf(this).open();
    if (!handler) {
      handlers.delete(memory);
      memory.watchProgress(null);
      return;
    }
    handlers.set(memory, handler);
    memory.watchProgress(teller(new WeakRef(memory)));
  }

  /**
   * Stops the long operations of this memory that are running now. Each fails with
   * `interrupted` at its next checkpoint, usually within milliseconds; one that has begun
   * its last step, for which writers wait, is completed. An operation that begins later is
   * not affected. To stop a single call, use its `signal`.
   *
   * The store stays sound: nothing has changed, or the parts that were done stay done and
   * another call continues.
   *
   * @throws {MemoryError} `closed`.
   */
  interrupt(): void {
    now(this, (memory) => memory.interrupt());
  }
}
