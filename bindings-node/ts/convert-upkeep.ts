/** Converts options of upkeep for the addon. */

import { record } from './check.js';

export function timeoutMs(value: unknown): number {
  const { timeoutMs: ms = 30_000 } = record('options', value, { timeoutMs: 'number' }) as {
    timeoutMs?: number;
  };
  return ms;
}
