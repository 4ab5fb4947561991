/** Learned entries: reading them, and what may be said about them. */

import type * as Native from '../../native';

import { splitSignal } from '../calls.js';
import { record, required, text } from '../check.js';
import { invalid } from '../errors.js';
import { now, read, write } from '../handle.js';
import type { CallOptions } from '../types.js';
import type {
  Conflict,
  ConflictVerdict,
  ContradictOptions,
  Entry,
  EntryFilter,
  EntryHit,
} from './types.js';

function entryFilter(value: unknown): Native.NativeEntryFilter {
  return record('filter', value, {
    project: 'string',
    allProjects: 'boolean',
    entryType: 'string',
    minStage: 'string',
    status: 'string',
    session: 'string',
    asOf: 'time',
    text: 'string',
    limit: 'number',
  });
}

function reasonOption(value: unknown): string | undefined {
  return (record('options', value, { reason: 'string' }) as { reason?: string }).reason;
}

function conflictVerdict(value: unknown): Native.NativeConflictVerdict {
  if (value === undefined || value === null) throw invalid('verdict', 'is missing');
  const fields = { inFavourOf: 'string', resolution: 'string', resolvedBy: 'string' } as const;
  const checked = record('verdict', value, fields);
  required(checked, Object.keys(fields));
  return checked as unknown as Native.NativeConflictVerdict;
}

/** The methods of a memory about learned entries. */
export abstract class EntryMethods {
  /**
   * Learned entries that fit a filter, the one learned last in front.
   *
   * @throws {MemoryError} `invalid_argument`, `corrupt`, `io`.
   */
  async entries(filter?: EntryFilter & CallOptions): Promise<Entry[]> {
    const { signal, rest } = splitSignal(filter);
    const wanted = entryFilter(rest);
    return read(this, { signal }, (memory, cancel) => memory.entries(wanted, cancel)) as Promise<
      Entry[]
    >;
  }

  /** As {@link EntryMethods.entries}, blocking. */
  entriesSync(filter?: EntryFilter): Entry[] {
    const wanted = entryFilter(filter);
    return now(this, (memory) => memory.entriesSync(wanted)) as Entry[];
  }

  /**
   * Learned entries that answer a question or hold some words, best first.
   * Related words and other forms count, as in `search`.
   *
   * Entries that were superseded or deprecated are left out unless the filter
   * asks for their `status` or for a moment (`asOf`); contested ones count less.
   * An entry that was confirmed to mean another one is replaced by it. At most
   * 10 unless the filter says otherwise.
   *
   * @throws {MemoryError} `invalid_argument` naming `query` when it is blank, or
   * a field of the filter; `corrupt`, `io`.
   */
  async searchEntries(query: string, filter?: EntryFilter & CallOptions): Promise<EntryHit[]> {
    const { signal, rest } = splitSignal(filter);
    const [words, wanted] = [text('query', query), entryFilter(rest)];
    return read(this, { signal }, (memory, cancel) =>
      memory.searchEntries(words, wanted, cancel),
    ) as Promise<EntryHit[]>;
  }

  /** As {@link EntryMethods.searchEntries}, blocking. */
  searchEntriesSync(query: string, filter?: EntryFilter): EntryHit[] {
    const [words, wanted] = [text('query', query), entryFilter(filter)];
    return now(this, (memory) => memory.searchEntriesSync(words, wanted)) as EntryHit[];
  }

  /**
   * One learned entry, or `null`.
   *
   * @throws {MemoryError} `invalid_argument`, `corrupt`, `io`.
   */
  async entry(id: string, options?: CallOptions): Promise<Entry | null> {
    const wanted = text('id', id);
    return read(this, options, (memory, cancel) =>
      memory.entry(wanted, cancel),
    ) as Promise<Entry | null>;
  }

  /** As {@link EntryMethods.entry}, blocking. */
  entrySync(id: string): Entry | null {
    const wanted = text('id', id);
    return now(this, (memory) => memory.entrySync(wanted)) as Entry | null;
  }

  /**
   * Says that `newer` takes the place of `older`, which stops holding when the
   * newer one began to hold. Saying it twice changes nothing.
   *
   * @throws {MemoryError} `not_found` naming the entry; `invalid_argument` when
   * both are the same; `invariant_violation` when another entry took the older
   * one's place already, or when the two would replace each other in a circle;
   * `busy`, `full`, `io`.
   */
  async supersede(older: string, newer: string, options?: CallOptions): Promise<void> {
    const [old, successor] = [text('older', older), text('newer', newer)];
    return write(this, options, (memory, cancel) => memory.supersede(old, successor, cancel));
  }

  /** As {@link EntryMethods.supersede}, blocking. */
  supersedeSync(older: string, newer: string): void {
    const [old, successor] = [text('older', older), text('newer', newer)];
    now(this, (memory) => memory.supersedeSync(old, successor));
  }

  /**
   * Says that two entries disagree. Both count less until the conflict is
   * resolved. Saying it twice gives the conflict that is there.
   *
   * @throws {MemoryError} `not_found` naming the entry; `invalid_argument` when
   * both are the same; `invariant_violation` when one of them no longer counts
   * or they hold at different times; `busy`, `full`, `io`.
   */
  async contradict(
    older: string,
    newer: string,
    options?: ContradictOptions & CallOptions,
  ): Promise<Conflict> {
    const { signal, rest } = splitSignal(options);
    const [old, other, reason] = [text('older', older), text('newer', newer), reasonOption(rest)];
    return write(this, { signal }, (memory, cancel) =>
      memory.contradict(old, other, reason, cancel),
    ) as Promise<Conflict>;
  }

  /** As {@link EntryMethods.contradict}, blocking. */
  contradictSync(older: string, newer: string, options?: ContradictOptions): Conflict {
    const [old, other] = [text('older', older), text('newer', newer)];
    const reason = reasonOption(options);
    return now(this, (memory) => memory.contradictSync(old, other, reason)) as Conflict;
  }

  /**
   * Ends a conflict in favour of one entry; the other is taken back.
   *
   * @throws {MemoryError} `not_found` when there is no such conflict;
   * `invalid_argument` naming `inFavourOf` when it is no part of it, or
   * `resolution` when it is blank; `invalid_transition` when the conflict has
   * ended already; `busy`, `full`, `io`.
   */
  async resolveConflict(
    conflictId: string,
    verdict: ConflictVerdict,
    options?: CallOptions,
  ): Promise<Conflict> {
    const [id, end] = [text('conflictId', conflictId), conflictVerdict(verdict)];
    return write(this, options, (memory, cancel) =>
      memory.resolveConflict(id, end, cancel),
    ) as Promise<Conflict>;
  }

  /** As {@link EntryMethods.resolveConflict}, blocking. */
  resolveConflictSync(conflictId: string, verdict: ConflictVerdict): Conflict {
    const [id, end] = [text('conflictId', conflictId), conflictVerdict(verdict)];
    return now(this, (memory) => memory.resolveConflictSync(id, end)) as Conflict;
  }

  /**
   * Raises a verified entry to certified: somebody vouches for it.
   *
   * @throws {MemoryError} `not_found`; `invariant_violation` with the reason
   * when the entry is not verified or does not count; `invalid_argument`,
   * `busy`, `full`, `io`.
   */
  async certify(id: string, certifiedBy: string, options?: CallOptions): Promise<void> {
    const [entry, who] = [text('id', id), text('certifiedBy', certifiedBy)];
    return write(this, options, (memory, cancel) => memory.certify(entry, who, cancel));
  }

  /** As {@link EntryMethods.certify}, blocking. */
  certifySync(id: string, certifiedBy: string): void {
    const [entry, who] = [text('id', id), text('certifiedBy', certifiedBy)];
    now(this, (memory) => memory.certifySync(entry, who));
  }

  /**
   * Takes an entry back without a successor: it stops holding now.
   *
   * @throws {MemoryError} `not_found`; `invalid_argument`, `busy`, `full`, `io`.
   */
  async deprecate(id: string, options?: CallOptions): Promise<void> {
    const entry = text('id', id);
    return write(this, options, (memory, cancel) => memory.deprecate(entry, cancel));
  }

  /** As {@link EntryMethods.deprecate}, blocking. */
  deprecateSync(id: string): void {
    const entry = text('id', id);
    now(this, (memory) => memory.deprecateSync(entry));
  }
}
