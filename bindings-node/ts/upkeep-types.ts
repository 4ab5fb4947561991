/** What upkeep takes and gives: forgetting, checking, compacting, moving. */

import type { EventKind } from './generated/types.js';
import type { EventName, ProjectFilter, TimeInput } from './types.js';

/**
 * Which events a forget, an erase or an export is about. Every condition that
 * is set must hold, and at least one must be set; a selection of everything
 * must say so.
 *
 * Without `kinds`, conversation events are meant, and with `session` or
 * `everything` also the changes of sessions.
 */
export interface Selector extends ProjectFilter {
  /** These events. */
  readonly ids?: readonly EventName[] | undefined;
  /** Events of this session. */
  readonly session?: string | undefined;
  /** Events before this moment, not at it. */
  readonly before?: TimeInput | undefined;
  /** Events of these kinds. */
  readonly kinds?: readonly EventKind[] | undefined;
  /** Whether no other condition is needed. Default: false. */
  readonly everything?: boolean | undefined;
}

/** How much one call of `maintain` does at most. */
export interface MaintainBudget {
  /** Events that graduation judges. Default: 500. */
  readonly graduateEvents?: number | undefined;
  /** Merges of index segments. Default: 4. */
  readonly merges?: number | undefined;
  /** The largest merge, in events. Default: 100,000. */
  readonly mergeEvents?: number | undefined;
  /** Outbox jobs, when there is an embedder. Default: 64. */
  readonly jobs?: number | undefined;
  /**
   * Vectors that are put into graphs, where the memory was opened with
   * `vectorGraphFrom`; each takes about a millisecond, more in large graphs.
   * Default: 500.
   */
  readonly graphVectors?: number | undefined;
  /**
   * Messages that rules learn from, in sessions that ended or fell silent; none for 0.
   * Default: 200.
   */
  readonly learnMessages?: number | undefined;
  /** Nothing new is begun after so many milliseconds. Default: no limit. */
  readonly timeMs?: number | undefined;
}

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
