/** The options of opening. */

import type * as Native from '../native';

import { number, object, record, type Checked } from './check.js';
import { fastembedOptions, openOptionsFields } from './generated/fields.js';

/** Checked options, except the functions among them. */
export function openOptions(value: unknown): {
  options: Native.NativeOpening;
  embedder: unknown;
  onLog: unknown;
} {
  const checked: Checked = record('options', value, {
    ...openOptionsFields,
    retentionMs: 'any',
    fastembed: fastembedOptions,
    embedder: 'any',
    onLog: 'function',
  });
  const { embedder, onLog, retentionMs, fastembed, ...options } = checked;
  const opening: Checked = { options };
  if (retentionMs !== undefined) opening['retention'] = retention(retentionMs);
  if (fastembed !== undefined) opening['fastembed'] = fastembed;
  return { options: opening as unknown as Native.NativeOpening, embedder, onLog };
}

function retention(value: unknown): { kind: string; ms: unknown }[] {
  // The core checks the kinds: every name is accepted here.
  const kinds = Object.entries(object('retentionMs', value)).filter(([, ms]) => ms != null);
  return kinds.map(([kind, ms]) => ({ kind, ms: number(`retentionMs[${kind}]`, ms) }));
}
