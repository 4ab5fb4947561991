/** Upkeep: the methods of `Memory` that wait for changes. */

import { splitSignal, watch } from './calls.js';
import { number, record } from './check.js';
import { now, read } from './handle.js';
import type { CallOptions, WaitOptions } from './arguments.js';

/** The longest pause between two checks of the log, in milliseconds. */
const MAX_PAUSE_MS = 25;

/** The methods of a memory that wait. */
export abstract class UpkeepMethods {
  /**
   * Waits until the log is longer than `after`, and returns its last position. If it is
   * greater than `after`, there is something new for `changesSince`; otherwise the time ran
   * out. Appends by every process count. No worker is occupied while waiting, and a
   * `signal` ends the wait immediately.
   *
   * Growth: Constant.
   *
   * @throws {MemoryError} `closed` when the memory is closed in the meantime;
   * `invalid_argument`, `corrupt`, `io`, `needs_reopen`.
   */
  async waitForChange(after: number, options?: WaitOptions & CallOptions): Promise<number> {
    const { signal, rest } = splitSignal(options);
    const [position, timeout] = [number('after', after), timeoutOf(rest)];
    const begun = performance.now();
    for (let pause = 1; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
      // An invalid time is passed on whole, so that the core rejects it.
      const step = timeout >= 0 && Number.isSafeInteger(timeout) ? 0 : timeout;
      const last = await read(this, { signal }, (native, cancel) =>
        native.waitForChange(position, step, cancel),
      );
      const left = timeout - (performance.now() - begun);
      if (last > position || left <= 0) return last;
      await sleep(Math.min(pause, left), signal);
    }
  }

  /** Like `waitForChange`, but blocking. */
  waitForChangeSync(after: number, options?: WaitOptions): number {
    const [position, timeout] = [number('after', after), timeoutOf(options)];
    return now(this, (native) => native.waitForChangeSync(position, timeout));
  }
}

function timeoutOf(options: unknown): number {
  const { timeoutMs = 30_000 } = record('options', options, { timeoutMs: 'number' });
  return timeoutMs as number;
}

/** Waits; rejects with the signal's reason when that fires. */
function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = setTimeout(() => {
      unwatch?.();
      resolve();
    }, ms);
    const unwatch = signal && watch(signal, () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
