/** Upkeep: the methods of `Memory` that maintain it and wait for changes. */

import { splitSignal } from './calls.js';
import { number } from './check.js';
import * as convert from './convert-upkeep.js';
import * as fields from './generated/fields.js';
import type { MaintainBudget, Maintained, Processed } from './generated/types.js';
import { now, read, write } from './handle.js';
import type { CallOptions } from './types.js';
import type { OutboxOptions, WaitOptions } from './upkeep-types.js';

/** The longest pause between two looks at the log, in milliseconds. */
const LONGEST_PAUSE_MS = 25;

/** The part of a memory that keeps it in order. */
export abstract class UpkeepMethods {
  /**
   * Does what may wait, a bounded step of each: flushes and merges the index,
   * graduates, consolidates, learns by rules, embeds. Call it when the program is idle, until
   * `hasMore` is false. What the embedder does wrong is counted in `jobsFailed`.
   *
   * @throws {MemoryError} `invalid_argument`, `busy`, `full`, `io`; steps that
   * were done stay done.
   */
  async maintain(budget?: MaintainBudget & CallOptions): Promise<Maintained> {
    const { signal, rest } = splitSignal(budget);
    const checked = fields.maintainBudget('budget', rest, '');
    return write(this, { signal }, (native, cancel) =>
      native.maintain(checked, cancel),
    );
  }

  /**
   * As `maintain`, blocking: the embedder must answer at once, unless `jobs` is 0.
   *
   * @throws {MemoryError} `unsupported` when the embedder gives promises.
   */
  maintainSync(budget?: MaintainBudget): Maintained {
    const checked = fields.maintainBudget('budget', budget, '');
    return now(this, (native, embedder) => native.maintainSync(checked, embedder));
  }

  /**
   * Embeds events that wait for their vectors. Call it when there is time, until
   * `processed` is 0. What the embedder does wrong stands in `errors`.
   *
   * @throws {MemoryError} `unsupported` without an embedder; `invalid_argument`,
   * `busy`, `full`, `io`.
   */
  async processOutbox(options?: OutboxOptions & CallOptions): Promise<Processed> {
    const { signal, rest } = splitSignal(options);
    const limit = convert.outboxLimit(rest);
    return write(this, { signal }, (native, cancel) =>
      native.processOutbox(limit, cancel),
    );
  }

  /** As `processOutbox`, blocking: the embedder must answer at once. */
  processOutboxSync(options?: OutboxOptions): Processed {
    const limit = convert.outboxLimit(options);
    return now(this, (native, embedder) => native.processOutboxSync(limit, embedder));
  }

  /**
   * Waits until the log is longer than `after`, and gives its last position:
   * greater than `after` when there is something new for `changesSince`, not
   * greater when the time ran out. Appends of every process count. It holds no
   * worker while it waits, and a `signal` ends it at once.
   *
   * @throws {MemoryError} `closed` when the memory is closed meanwhile;
   * `invalid_argument`, `corrupt`, `io`, `needs_reopen`.
   */
  async waitForChange(after: number, options?: WaitOptions & CallOptions): Promise<number> {
    const { signal, rest } = splitSignal(options);
    const [position, timeout] = [number('after', after), convert.timeoutMs(rest)];
    const begun = performance.now();
    for (let pause = 1; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      // Called with the whole time when it is bad, so that the core names it.
      const step = timeout >= 0 && Number.isInteger(timeout) ? 0 : timeout;
      const last = await read(this, { signal }, (native, cancel) =>
        native.waitForChange(position, step, cancel),
      );
      const left = timeout - (performance.now() - begun);
      if (last > position || left <= 0) return last;
      await sleep(Math.min(pause, left), signal);
    }
  }

  /** As `waitForChange`, blocking. */
  waitForChangeSync(after: number, options?: WaitOptions): number {
    const [position, timeout] = [number('after', after), convert.timeoutMs(options)];
    return now(this, (native) => native.waitForChangeSync(position, timeout));
  }
}

/** Waits; rejects with the signal's reason when that fires. */
function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      settle();
    };
    const onAbort = (): void => end(() => reject(signal?.reason));
    const timer = setTimeout(() => end(resolve), ms);
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
  });
}
