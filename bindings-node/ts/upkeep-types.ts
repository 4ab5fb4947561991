/** What upkeep takes and gives: forgetting, checking, compacting, moving. */

import type { EventKind, EventName, ProjectFilter, TimeInput } from './types.js';

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

/** What was forgotten. */
export interface Forgotten {
  /** Events that were live before and are forgotten now. */
  readonly count: number;
  /** Bytes of their content. */
  readonly contentBytes: number;
  /** Sessions that they belonged to. */
  readonly sessions: number;
  /** Jobs that waited for them and were dropped. */
  readonly jobs: number;
  /** Segments of the search index that were rewritten without their words. */
  readonly segments: number;
  /** The position of the event that records it; `null` when nothing was selected. */
  readonly tombstone: number | null;
}

/** The receipt of an erasure. */
export interface Erased {
  /** Events that were selected and are erased now, forgotten ones included. */
  readonly count: number;
  /** Events that the library had recorded about them, erased with them. */
  readonly dependents: number;
  /** The position of the event that records it; `null` when nothing was selected. */
  readonly tombstone: number | null;
  /** The generation of the store that is live now; 0 when nothing was selected. */
  readonly generation: number;
  /**
   * Whether the old files were overwritten with zeros and removed; false while one
   * of them waits for a process that still has it open.
   */
  readonly wasOverwritten: boolean;
  /** Every place that was cleared, in plain words. */
  readonly places: readonly string[];
  /**
   * Whether nothing of this erasure, nor of one before it, is left to do. When
   * false, `openPlaces` says what is; opening the store, `maintain`, `compact` and
   * the next `erase` go on with it.
   */
  readonly isComplete: boolean;
  /** Files that may still hold erased text, in plain words. */
  readonly openPlaces: readonly string[];
  /** Earlier erasures, interrupted or hindered, that this call completed. */
  readonly completed: number;
}

/** What a compaction did. */
export interface Compacted {
  /** Bytes of all files of the store before. */
  readonly beforeBytes: number;
  /** Bytes after. */
  readonly afterBytes: number;
  /** The generation of the store that is live now. */
  readonly generation: number;
}

/** Where a store is not what it should be, and what to do. */
export interface Divergence {
  /** The table or part: `events` is the log, `lexical` the search index. */
  readonly place: string;
  /** The position of the event, where one is concerned. */
  readonly seq: number | null;
  /** What is wrong, without any stored content. */
  readonly problem: string;
  /** What to do about it. */
  readonly remedy: string;
}

/** What a check found. */
export interface CheckReport {
  /** Whether everything is as it should be. */
  readonly ok: boolean;
  /** Records in the log. */
  readonly events: number;
  /** The first thing that is wrong. */
  readonly firstDivergence: Divergence | null;
  /** The state hash at `asOf`: 64 hexadecimal digits. */
  readonly stateHash: string;
  /** The moment of the hash, the newest live event's time, in milliseconds since 1970 UTC. */
  readonly asOf: number;
}

/** What a rebuild did. */
export interface Rebuilt {
  /** Records of the log that were replayed. */
  readonly events: number;
  /** The state hash before: 64 hexadecimal digits. */
  readonly hashBefore: string;
  /** The state hash after; another one only when tables had been damaged. */
  readonly hashAfter: string;
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
  /** Nothing new is begun after so many milliseconds. Default: no limit. */
  readonly timeMs?: number | undefined;
}

/** What a call of `maintain` did. */
export interface Maintained {
  /** Whether waiting events were folded into an index segment. */
  readonly folded: boolean;
  /** Merges of index segments. */
  readonly merges: number;
  /** Outbox jobs whose vectors were written or that needed none. */
  readonly jobsDone: number;
  /** Outbox jobs that failed; they are tried again later. */
  readonly jobsFailed: number;
  /** Outbox jobs that got another attempt or were taken from dead workers. */
  readonly jobsRevived: number;
  /** Outbox jobs that were done long ago and are gone now. */
  readonly jobsCleaned: number;
  /** Outbox jobs that still wait for the embedder. */
  readonly jobsWaiting: number;
  /** Vectors that were put into graphs. */
  readonly graphVectors: number;
  /** Events that graduation judged. */
  readonly judged: number;
  /** Events that rose or sank. */
  readonly moved: number;
  /** Insights that were found. */
  readonly insights: number;
  /** Memories that consolidation made. */
  readonly consolidated: number;
  /** Whether another call would find more to do. */
  readonly hasMore: boolean;
  /** Whether a compaction would pay. */
  readonly compactionPays: boolean;
  /** Earlier erasures, interrupted or hindered, that are complete now. */
  readonly erasuresCompleted: number;
  /**
   * Erasures that still wait for a file which another process has open; see
   * `uncleanPlaces` of {@link Stats}.
   */
  readonly erasuresOpen: number;
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

/** What an upgrade of the format did. */
export interface Upgraded {
  /** The format that the store had. */
  readonly fromFormat: number;
  /** The format that it has now. */
  readonly toFormat: number;
  /** Whether anything was changed. */
  readonly changed: boolean;
}

/** What an export is about. */
export interface ExportOptions {
  /**
   * The live events that are exported; such a file can be imported, not
   * restored. Default: the whole log, which can be restored byte for byte.
   */
  readonly selector?: Selector | undefined;
}

/** What an export wrote. */
export interface Exported {
  /** Events. */
  readonly events: number;
  /** Bytes. */
  readonly bytes: number;
}

/** What the import of an export did. */
export interface Imported {
  /** Events that were stored. */
  readonly events: number;
  /** Events that were here already. */
  readonly duplicates: number;
  /** Lines that an import leaves out: forgotten events, and what the library had recorded itself. */
  readonly skipped: number;
}

/** How long a change is waited for. */
export interface WaitOptions {
  /** At most this many milliseconds. Default: 30,000. */
  readonly timeoutMs?: number | undefined;
}
