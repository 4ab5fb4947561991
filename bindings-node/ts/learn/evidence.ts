/** Finding where quotes stand in texts: functions that need no memory. */

import type * as Native from '../../native';

import { run, splitSignal, unwrap } from '../calls.js';
import { list, number, record, required, text } from '../check.js';
import { invalid } from '../errors.js';
import { alignOptions } from '../generated/fields.js';
import type { AlignOptions, EvidenceQuote } from '../generated/types.js';
import { native } from '../native.js';
import type { CallOptions } from '../types.js';
import type { AlignmentReport } from './types.js';

function evidenceQuote(argument: string, value: unknown): Native.NativeEvidenceQuote {
  if (value === undefined || value === null) throw invalid(argument, 'is missing');
  const { messageIndex, ...rest } = record(
    argument,
    value,
    { messageIndex: 'any', quote: 'string' },
    `${argument}.`,
  );
  required(rest, ['quote'], `${argument}.`);
  const index = number(`${argument}.messageIndex`, messageIndex);
  return { messageIndex: index, quote: rest['quote'] as string };
}

/**
 * Finds the places in messages that quotes were taken from, so that nobody has
 * to trust an offset that a model made up. For each quote it takes the first of
 * three steps that succeeds: exact, normalized, fuzzy.
 *
 * ```js
 * const messages = ['JSONB를   JSON으로\n변경하세요. 🎉'];
 * const report = await align(messages, [{ messageIndex: 0, quote: 'jsonb를 JSON으로 변경' }]);
 * const [found] = report.results;
 * if (found.isAligned) console.log(messages[0].slice(found.start, found.end));
 * ```
 *
 * @throws {MemoryError} `invalid_argument` naming what is wrong.
 */
export async function align(
  messages: readonly string[],
  evidence: readonly EvidenceQuote[],
  options?: AlignOptions & CallOptions,
): Promise<AlignmentReport> {
  const { signal, rest } = splitSignal(options);
  const texts = list('messages', messages, text);
  const quotes = list('evidence', evidence, evidenceQuote);
  const settings = alignOptions('options', rest, '');
  return run('read', signal, (cancel) =>
    native().align(texts, quotes, settings, cancel),
  ) as unknown as Promise<AlignmentReport>;
}

/** As {@link align}, blocking. */
export function alignSync(
  messages: readonly string[],
  evidence: readonly EvidenceQuote[],
  options?: AlignOptions,
): AlignmentReport {
  const texts = list('messages', messages, text);
  const quotes = list('evidence', evidence, evidenceQuote);
  const settings = alignOptions('options', options, '');
  return unwrap(native().alignSync(texts, quotes, settings)) as unknown as AlignmentReport;
}
