/** Converts options of upkeep for the addon. */

import type * as Native from '../native';

import { bare, record } from './check.js';
import { selector } from './generated/fields.js';

export function exportOptions(value: unknown): {
  selector: Native.NativeSelector | undefined;
  replace: boolean;
} {
  const types = { selector: 'any', replace: 'boolean' } as const;
  const { selector: given, replace = false } = record('options', value, types);
  return {
    selector: given === undefined ? undefined : bare('selector', given, selector),
    replace: replace as boolean,
  };
}

export function timeoutMs(value: unknown): number {
  const { timeoutMs: ms = 30_000 } = record('options', value, { timeoutMs: 'number' }) as {
    timeoutMs?: number;
  };
  return ms;
}
