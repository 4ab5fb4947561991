/** Graduation: which memories change their level. */

import type { NativeLevelCounts } from '../../native';

import type { Level } from '../generated/types.js';
import { now, read } from '../handle.js';
import type { CallOptions } from '../types.js';

const LEVELS: readonly Level[] = ['L0', 'L1', 'L2', 'L3', 'L4'];

/** The number of conversation events at each level. */
export type LevelCounts = Readonly<Record<Level, number>>;

function levelCounts({ events }: NativeLevelCounts): LevelCounts {
  return Object.fromEntries(LEVELS.map((level, at) => [level, events[at]])) as LevelCounts;
}

/** The methods of {@link Levels} that are not generated. */
export abstract class LevelsByHand {
  /**
   * The number of conversation events at each level.
   *
   * @throws {MemoryError} `corrupt`, `io`.
   */
  async counts(options?: CallOptions): Promise<LevelCounts> {
    return levelCounts(await read(this, options, (memory, cancel) => memory.levelsCounts(cancel)));
  }

  /** Like {@link Levels.counts}, but blocking. */
  countsSync(): LevelCounts {
    return levelCounts(now(this, (memory) => memory.levelsCountsSync()));
  }
}
