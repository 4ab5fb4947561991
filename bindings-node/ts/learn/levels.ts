/** Graduation: which memories rise or sink, and what repeated use gives away. */

import { Area } from '../area.js';
import { splitSignal } from '../calls.js';
import { list, name, number, text } from '../check.js';
import { projectFilter } from '../convert.js';
import type { EventLevel, Graduated, Insight, Level, PinnedEvent } from '../generated/types.js';
import { now, read, write } from '../handle.js';
import type { CallOptions, EventName, ProjectFilter } from '../types.js';

const LEVELS: readonly Level[] = ['L0', 'L1', 'L2', 'L3', 'L4'];

/** How many conversation events lie at each level. */
export type LevelCounts = Readonly<Record<Level, number>>;

function levelCounts(counts: readonly number[]): LevelCounts {
  return Object.fromEntries(LEVELS.map((level, at) => [level, counts[at]])) as LevelCounts;
}

function days(value: unknown): number | null {
  return value === null ? null : number('halfLifeDays', value);
}

/** Levels: how far events have risen, from raw (L0) to active (L4), by being used. */
export class Levels extends Area {
  /**
   * The level of an event and how it was used.
   *
   * @throws {MemoryError} `not_found` when there is no such event;
   * `invalid_argument`, `corrupt`, `io`.
   */
  async get(event: EventName, options?: CallOptions): Promise<EventLevel> {
    const wanted = name('event', event);
    return read(this, options, (memory, cancel) =>
      memory.level(wanted, cancel),
    ) as Promise<EventLevel>;
  }

  /** As {@link Levels.get}, blocking. */
  getSync(event: EventName): EventLevel {
    const wanted = name('event', event);
    return now(this, (memory) => memory.levelSync(wanted)) as EventLevel;
  }

  /**
   * How many conversation events lie at each level.
   *
   * @throws {MemoryError} `corrupt`, `io`.
   */
  async counts(options?: CallOptions): Promise<LevelCounts> {
    return levelCounts(await read(this, options, (memory, cancel) => memory.levelCounts(cancel)));
  }

  /** As {@link Levels.counts}, blocking. */
  countsSync(): LevelCounts {
    return levelCounts(now(this, (memory) => memory.levelCountsSync()));
  }

  /**
   * Takes note that events were used in a session, for hosts that recall by
   * other ways than `search`. `confidence`, 0 to 1, is that of the recall. It is
   * written with the next append, graduation or closing.
   *
   * @throws {MemoryError} `invalid_argument` naming `confidence` or `session`;
   * `not_found` naming the event; `corrupt`, `io`.
   */
  async recordAccess(
    events: readonly EventName[],
    session: string,
    confidence: number,
    options?: CallOptions,
  ): Promise<void> {
    const [used, where] = [list('events', events, name), text('session', session)];
    const sure = number('confidence', confidence);
    return write(this, options, (memory, cancel) =>
      memory.recordAccess(used, where, sure, cancel),
    );
  }

  /** As {@link Levels.recordAccess}, blocking. */
  recordAccessSync(events: readonly EventName[], session: string, confidence: number): void {
    const [used, where] = [list('events', events, name), text('session', session)];
    const sure = number('confidence', confidence);
    now(this, (memory) => memory.recordAccessSync(used, where, sure));
  }

  /**
   * After so many days without an access a memory's worth is halved, and it may
   * sink a level. `null` (the default of a store) switches sinking off.
   *
   * @throws {MemoryError} `invalid_argument` naming `halfLifeDays` unless it is
   * positive; `busy`, `full`, `io`.
   */
  async setHalfLifeDays(halfLifeDays: number | null, options?: CallOptions): Promise<void> {
    const half = days(halfLifeDays);
    return write(this, options, (memory, cancel) => memory.setHalfLifeDays(half, cancel));
  }

  /** As {@link Levels.setHalfLifeDays}, blocking. */
  setHalfLifeDaysSync(halfLifeDays: number | null): void {
    const half = days(halfLifeDays);
    now(this, (memory) => memory.setHalfLifeDaysSync(half));
  }

  /**
   * Judges at most `budget` events that were used since they were last judged:
   * each rises at most one level. Then looks what those at L1 and higher, taken
   * together, give away.
   *
   * @throws {MemoryError} `invalid_argument`, `busy`, `full`, `io`.
   */
  async graduate(budget: number, options?: CallOptions): Promise<Graduated> {
    const limit = number('budget', budget);
    return write(this, options, (memory, cancel) =>
      memory.graduate(limit, cancel),
    ) as Promise<Graduated>;
  }

  /** As {@link Levels.graduate}, blocking. */
  graduateSync(budget: number): Graduated {
    const limit = number('budget', budget);
    return now(this, (memory) => memory.graduateSync(limit)) as Graduated;
  }

  /**
   * The insights that were found, by their keys.
   *
   * @throws {MemoryError} `corrupt`, `io`.
   */
  async insights(options?: CallOptions): Promise<Insight[]> {
    return read(this, options, (memory, cancel) => memory.insights(cancel)) as Promise<Insight[]>;
  }

  /** As {@link Levels.insights}, blocking. */
  insightsSync(): Insight[] {
    return now(this, (memory) => memory.insightsSync()) as Insight[];
  }

  /**
   * Pins an event of a conversation: until it is unpinned or forgotten, every
   * `context` of its project begins with it, in up to half of the budget, the latest
   * pinned first; it sinks no level, and retention leaves it alone. To pin something
   * that was learned, pin its citation. Gives false when it was pinned already.
   *
   * @throws {MemoryError} `not_found` when there is no such event;
   * `invalid_argument` naming `event` when it is of no conversation; `full` when
   * 1,000 events are pinned; `busy`, `full`, `io`.
   */
  async pin(event: EventName, options?: CallOptions): Promise<boolean> {
    const wanted = name('event', event);
    return write(this, options, (memory, cancel) => memory.pin(wanted, cancel));
  }

  /** As {@link Levels.pin}, blocking. */
  pinSync(event: EventName): boolean {
    const wanted = name('event', event);
    return now(this, (memory) => memory.pinSync(wanted));
  }

  /**
   * Takes back that an event is pinned. Gives false when it was not.
   *
   * @throws {MemoryError} as {@link Levels.pin}, but never because too many are pinned.
   */
  async unpin(event: EventName, options?: CallOptions): Promise<boolean> {
    const wanted = name('event', event);
    return write(this, options, (memory, cancel) => memory.unpin(wanted, cancel));
  }

  /** As {@link Levels.unpin}, blocking. */
  unpinSync(event: EventName): boolean {
    const wanted = name('event', event);
    return now(this, (memory) => memory.unpinSync(wanted));
  }

  /**
   * The events of a project that are pinned, the latest pinned first.
   *
   * @throws {MemoryError} `invalid_argument`, `corrupt`, `io`.
   */
  async pinned(filter?: ProjectFilter & CallOptions): Promise<PinnedEvent[]> {
    const { signal, rest } = splitSignal(filter);
    const { project, allProjects } = projectFilter(rest);
    return read(this, { signal }, (memory, cancel) =>
      memory.pinned(project, allProjects, cancel),
    ) as Promise<PinnedEvent[]>;
  }

  /** As {@link Levels.pinned}, blocking. */
  pinnedSync(filter?: ProjectFilter): PinnedEvent[] {
    const { project, allProjects } = projectFilter(filter);
    return now(this, (memory) => memory.pinnedSync(project, allProjects)) as PinnedEvent[];
  }
}
