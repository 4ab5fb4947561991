/** The rules that look at several events or memories at once: functions that need no memory. */

import type * as Native from '../../native';

import { unwrap } from '../calls.js';
import { list, record, required, text, type FieldType } from '../check.js';
import { invalid } from '../errors.js';
import type { CitationFormat, Insight } from '../generated/types.js';
import { native } from '../native.js';
import type { CitedMemory, InsightEvent, SpokenEvent } from './types.js';

/** An object with exactly these fields, all of which must be there. */
function whole(
  argument: string,
  value: unknown,
  fields: Readonly<Record<string, FieldType>>,
): Record<string, unknown> {
  if (value === undefined || value === null) throw invalid(argument, 'is missing');
  const checked = record(argument, value, fields, `${argument}.`);
  required(checked, Object.keys(fields), `${argument}.`);
  return checked;
}

/**
 * What events, taken together, give away: topics that come up again, and what
 * the user says to like, by English and Korean cue words unless `cues` says
 * `english`.
 *
 * @throws {MemoryError} `invalid_argument` naming what is wrong.
 */
export function extractInsights(
  events: readonly InsightEvent[],
  cues: 'english' | 'english_and_korean' = 'english_and_korean',
): Insight[] {
  const seen = list('events', events, (argument, event) =>
    whole(argument, event, {
      id: 'string',
      isUserPrompt: 'boolean',
      content: 'string',
      canonicalKey: 'string',
    }),
  );
  return unwrap(
    native().extractInsights(seen as unknown as Native.NativeInsightEvent[], text('cues', cues)),
  ) as Insight[];
}

/**
 * The summary of a session that has ended: how many prompts and responses it
 * had, and the beginnings of its first three prompts.
 *
 * @throws {MemoryError} `invalid_argument` naming the event that is wrong.
 */
export function sessionSummaryText(events: readonly SpokenEvent[]): string {
  const spoken = list('events', events, (argument, event) =>
    whole(argument, event, { kind: 'string', content: 'string' }),
  );
  return unwrap(native().sessionSummaryText(spoken as unknown as Native.NativeSpoken[]));
}

/**
 * The block of cited memories that is put in front of an agent, laid out
 * `inline` unless you ask for another format.
 *
 * @throws {MemoryError} `invalid_argument` naming what is wrong.
 */
export function citationBlock(memories: readonly CitedMemory[], format?: CitationFormat): string {
  const cited = list('memories', memories, (argument, memory) =>
    whole(argument, memory, {
      content: 'string',
      citation: 'string',
      timestamp: 'time',
      session: 'string',
    }),
  );
  return unwrap(
    native().citationBlock(
      cited as unknown as Native.NativeCitedMemory[],
      format == null ? undefined : text('format', format),
    ),
  );
}
