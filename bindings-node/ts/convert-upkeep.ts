/** Between the objects of upkeep and those of the addon. */

import type * as Native from '../native';

import { list, name, record, type FieldType } from './check.js';
import { invalid } from './errors.js';

const selectorFields: Readonly<Record<string, FieldType>> = {
  ids: 'any',
  session: 'string',
  before: 'time',
  project: 'string',
  allProjects: 'boolean',
  kinds: 'strings',
  everything: 'boolean',
};

export function selector(value: unknown): Native.NativeSelector {
  if (value === undefined || value === null) throw invalid('selector', 'is missing');
  const { ids, ...selected } = record('selector', value, selectorFields);
  if (ids !== undefined) selected['ids'] = list('ids', ids, name);
  return selected;
}

export function exportSelector(value: unknown): Native.NativeSelector | undefined {
  const { selector: given } = record('options', value, { selector: 'any' });
  return given === undefined ? undefined : selector(given);
}

export function maintainBudget(value: unknown): Native.NativeMaintainBudget {
  return record('budget', value, {
    graduateEvents: 'number',
    merges: 'number',
    mergeEvents: 'number',
    jobs: 'number',
    graphVectors: 'number',
    learnMessages: 'number',
    timeMs: 'number',
  });
}

export function outboxLimit(value: unknown): number {
  const { limit = 100 } = record('options', value, { limit: 'number' }) as { limit?: number };
  return limit;
}

export function timeoutMs(value: unknown): number {
  const { timeoutMs: ms = 30_000 } = record('options', value, { timeoutMs: 'number' }) as {
    timeoutMs?: number;
  };
  return ms;
}
