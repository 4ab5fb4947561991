/** What is kept of tool calls: functions that need no memory. */

import { unwrap } from '../calls.js';
import { number, record, required, text } from '../check.js';
import { invalid } from '../errors.js';
import { native } from '../native.js';
import type { JsonObject } from '../types.js';
import type { FinishedCall } from './types.js';

interface CheckedCall {
  name: string;
  input?: string;
  output: string;
  success: boolean;
}

function finishedCall(value: unknown): CheckedCall {
  if (value === undefined || value === null) throw invalid('call', 'is missing');
  const checked = record('call', value, {
    name: 'string',
    input: 'json',
    output: 'string',
    success: 'boolean',
  });
  required(checked, ['name']);
  return { output: '', success: true, ...checked } as CheckedCall;
}

/** What was derived from a call, as JSON text. */
function metadataText(metadata: unknown): string {
  const checked = record('metadata', { metadata }, { metadata: 'jsonObject' });
  required(checked, ['metadata']);
  return checked['metadata'] as string;
}

/**
 * An output cut to `maxLines` lines and then to `maxChars` code points, as a
 * memory cuts what tools say: the first and the last half stay, with
 * `...[TRUNCATED]...` between them.
 *
 * @throws {MemoryError} `invalid_argument` naming what is wrong.
 */
export function truncateOutput(output: string, maxChars: number, maxLines: number): string {
  return unwrap(
    native().truncateOutput(
      text('output', output),
      number('maxChars', maxChars),
      number('maxLines', maxLines),
    ),
  );
}

/**
 * What is derived from a call: `filePath`, `fileType` and `lineCount` of files;
 * `command` and `exitCode` of shells; `pattern` and `matchCount` of searches;
 * `url` and `statusCode` of fetches. Nothing of tools that are not known.
 *
 * @throws {MemoryError} `invalid_argument` naming the field that is wrong.
 */
export function toolMetadata(call: FinishedCall): JsonObject {
  const { name, input, output, success } = finishedCall(call);
  return JSON.parse(unwrap(native().toolMetadata(name, input, output, success))) as JsonObject;
}

/**
 * The text that is embedded for a call: its tool, file, command and pattern,
 * and whether it succeeded. Outputs are not embedded.
 *
 * @throws {MemoryError} `invalid_argument` naming what is wrong.
 */
export function toolEmbeddingText(call: FinishedCall, metadata: JsonObject): string {
  const { name, success } = finishedCall(call);
  return unwrap(native().toolEmbeddingText(name, metadataText(metadata), success));
}

/**
 * One line that says what a call did, for example `Found 15 matches for TODO`.
 *
 * @throws {MemoryError} `invalid_argument` naming what is wrong.
 */
export function toolSummary(call: FinishedCall, metadata: JsonObject): string {
  const { name, output, success } = finishedCall(call);
  return unwrap(native().toolSummary(name, metadataText(metadata), output, success));
}
