/** What upkeep takes and gives: forgetting, checking, compacting, moving. */

import type { Selector } from './generated/types.js';

/** How many jobs are worked off. */
export interface OutboxOptions {
  /** At most this many jobs. Default: 100. */
  readonly limit?: number | undefined;
}

/** A job that failed. */
export interface JobError {
  /** The job's number. */
  readonly job: number;
  /** What went wrong. */
  readonly problem: string;
}

/** What a run of the outbox did. */
export interface Processed {
  /** Jobs that were claimed; 0 when none waits. */
  readonly processed: number;
  /** Jobs that are done, skipped ones included. */
  readonly succeeded: number;
  /** Jobs that failed; they are tried again 1, 5 and 30 seconds later. */
  readonly failed: number;
  /** Jobs that needed no vector, because their event is gone or says nothing. */
  readonly skipped: number;
  /** What went wrong. */
  readonly errors: readonly JobError[];
}

/** What an export is about. */
export interface ExportOptions {
  /**
   * The live events that are exported; such a file can be imported, not
   * restored. Default: the whole log, which can be restored byte for byte.
   */
  readonly selector?: Selector | undefined;
}

/** How long a change is waited for. */
export interface WaitOptions {
  /** At most this many milliseconds. Default: 30,000. */
  readonly timeoutMs?: number | undefined;
}
