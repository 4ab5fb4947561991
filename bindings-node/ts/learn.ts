/** Learning: all that the package has for it, in one place. */

import { HistoryMethods } from './learn/history.js';
import { EndlessMethods } from './learn/endless.js';
import { EntryMethods } from './learn/entries.js';
import { GraphMethods } from './learn/graph.js';
import { IngestMethods } from './learn/ingest.js';
import { LevelMethods } from './learn/levels.js';
import { TaskMethods } from './learn/tasks.js';

/** What a memory can do about what was learned. */
export interface LearnMethods
  extends IngestMethods,
    TaskMethods,
    EntryMethods,
    GraphMethods,
    HistoryMethods,
    LevelMethods,
    EndlessMethods {}

/** The classes that hold these methods. */
export const learnMethods = [
  IngestMethods,
  TaskMethods,
  EntryMethods,
  GraphMethods,
  HistoryMethods,
  LevelMethods,
  EndlessMethods,
] as const;
