/** Upkeep: the methods of `Memory` that forget, check, compact and maintain. */

import { splitSignal } from './calls.js';
import { number } from './check.js';
import * as convert from './convert-upkeep.js';
import type {
  Erased,
  Forgotten,
  Maintained,
} from './generated/types.js';
import { now, read, write } from './handle.js';
import type { CallOptions } from './types.js';
import type {
  MaintainBudget,
  OutboxOptions,
  Processed,
  Selector,
  WaitOptions,
} from './upkeep-types.js';

/** The longest pause between two looks at the log, in milliseconds. */
const LONGEST_PAUSE_MS = 25;

/** The part of a memory that keeps it in order. */
export abstract class UpkeepMethods {
  /**
   * Forgets events: no read, search or count shows them again, and their words
   * leave the search index. The records stay in the log until they are erased.
   *
   * ```js
   * await memory.forget({ session: 's1', before: '2026-01-01' });
   * ```
   *
   * @throws {MemoryError} `invalid_argument` for a selector without a condition,
   * or an id of another project; `not_found` for an id that never was; as `append`.
   */
  async forget(selector: Selector, options?: CallOptions): Promise<Forgotten> {
    const checked = convert.selector(selector);
    return write(this, options, (native, cancel) =>
      native.forget(checked, cancel),
    ) as Promise<Forgotten>;
  }

  /** As `forget`, blocking. */
  forgetSync(selector: Selector): Forgotten {
    return now(this, (native) => native.forgetSync(convert.selector(selector))) as Forgotten;
  }

  /**
   * Erases events: their text leaves every file of the store, with everything
   * that the library recorded about them. Forgotten events are erased too when
   * the selector means them. Costs as much as a rebuild. Backups and exports are
   * yours to delete.
   *
   * @throws {MemoryError} As `forget`; the store stays as it was.
   */
  async erase(selector: Selector, options?: CallOptions): Promise<Erased> {
    const checked = convert.selector(selector);
    return write(this, options, (native, cancel) =>
      native.erase(checked, cancel),
    ) as Promise<Erased>;
  }

  /** As `erase`, blocking. */
  eraseSync(selector: Selector): Erased {
    return now(this, (native) => native.eraseSync(convert.selector(selector))) as Erased;
  }

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
    const checked = convert.maintainBudget(rest);
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
    const checked = convert.maintainBudget(budget);
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

/** The methods of {@link Upkeep} that are not derived. */
export abstract class UpkeepByHand {
  /**
   * How many live events a selector means: what `forget` would forget.
   *
   * @throws {MemoryError} `invalid_argument`, `not_found`, `corrupt`, `io`.
   */
  async countSelected(selector: Selector, options?: CallOptions): Promise<number> {
    const checked = convert.selector(selector);
    return read(this, options, (native, cancel) =>
      native.countSelected(checked, cancel),
    );
  }

  /** As `countSelected`, blocking. */
  countSelectedSync(selector: Selector): number {
    return now(this, (native) => native.countSelectedSync(convert.selector(selector)));
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
