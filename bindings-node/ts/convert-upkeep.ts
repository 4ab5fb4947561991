/** Converts options of upkeep for the addon. */

import type * as Native from '../native';

import { bare, record } from './check.js';
import { selector } from './generated/fields.js';

export function exportSelector(value: unknown): Native.NativeSelector | undefined {
  const { selector: given } = record('options', value, { selector: 'any' });
  return given === undefined ? undefined : bare('selector', given, selector);
}

export function timeoutMs(value: unknown): number {
  const { timeoutMs: ms = 30_000 } = record('options', value, { timeoutMs: 'number' }) as {
    timeoutMs?: number;
  };
  return ms;
}
