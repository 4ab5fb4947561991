/** The options of opening. */

import type * as Native from '../native';

import { record, type Checked } from './check.js';
import { fastembedOptions, openOptionsFields } from './generated/fields.js';

/** Checked options; the embedder is not checked yet. */
export function openOptions(value: unknown): { options: Native.NativeOpening; embedder: unknown } {
  const checked: Checked = record('options', value, {
    ...openOptionsFields,
    retentionMs: 'any',
    fastembed: fastembedOptions,
    embedder: 'any',
  });
  const { embedder, retentionMs, fastembed, ...options } = checked;
  const opening: Checked = { options };
  if (retentionMs !== undefined) opening['retention'] = retention(retentionMs);
  if (fastembed !== undefined) opening['fastembed'] = fastembed;
  return { options: opening as unknown as Native.NativeOpening, embedder };
}

function retention(value: unknown): { kind: string; ms: unknown }[] {
  // The kinds are the core's to know: every name is accepted here.
  const fields = Object.fromEntries(Object.keys(value as object).map((kind) => [kind, 'number'] as const));
  const checked = record('retentionMs', value, fields, 'retentionMs.');
  return Object.entries(checked).map(([kind, ms]) => ({ kind, ms }));
}
