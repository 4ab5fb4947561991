/** Keys, hashes, short forms and citations of texts: functions that need no memory. */

import type * as Native from '../../native';

import { unwrap } from '../calls.js';
import { list, number, record, required, text, type FieldType } from '../check.js';
import { invalid } from '../errors.js';
import type { ArtifactKind, CitationFormat } from '../generated/types.js';
import { native } from '../native.js';
import type { CitedMemory, EntityKeyParts, SpokenEvent } from './types.js';

function optionalText(argument: string, value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : text(argument, value);
}

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
 * The canonical key of a title: equal for titles that differ only in letter
 * case, punctuation, spacing or compatibility forms. At most 200 code points;
 * `project::` stands in front when a project is given.
 *
 * ```js
 * canonicalKey('Hello,  World!'); // 'hello world'
 * canonicalKey('벡터 검색!', 'app'); // 'app::벡터 검색'
 * ```
 *
 * @throws {MemoryError} `invalid_argument` when it is no text.
 */
export function canonicalKey(title: string, project?: string): string {
  return unwrap(native().canonicalKey(text('title', title), optionalText('project', project)));
}

/**
 * The key of a task, for example `task:shop:fix-login-bug`. Without a project
 * it is `default`.
 *
 * @throws {MemoryError} `invalid_argument` when it is no text.
 */
export function taskKey(title: string, project?: string): string {
  return unwrap(native().taskKey(text('title', title), optionalText('project', project)));
}

/**
 * The key of a condition, for example `cond:shop:api-key-configured`; as
 * {@link taskKey}.
 *
 * @throws {MemoryError} `invalid_argument` when it is no text.
 */
export function conditionKey(condition: string, project?: string): string {
  return unwrap(
    native().conditionKey(text('condition', condition), optionalText('project', project)),
  );
}

/**
 * The key of an artifact: `art:url:{sha1}`, `art:jira:{key}`,
 * `art:gh_issue:{owner/repo}:{number}` or `art:generic:{digits of sha1}`.
 *
 * @throws {MemoryError} `invalid_argument` when it is no text.
 */
export function artifactKey(identifier: string): string {
  return unwrap(native().artifactKey(text('identifier', identifier)));
}

/**
 * What the identifier of an artifact looks like: a web address, a Jira key such
 * as `PROJ-123`, an issue such as `owner/repo#12`, or anything else.
 *
 * @throws {MemoryError} `invalid_argument` when it is no text.
 */
export function artifactKind(identifier: string): ArtifactKind {
  return unwrap(native().artifactKind(text('identifier', identifier))) as ArtifactKind;
}

/**
 * The parts of the key of a task, condition or artifact; `null` when it is none.
 *
 * @throws {MemoryError} `invalid_argument` when it is no text.
 */
export function parseEntityKey(key: string): EntityKeyParts | null {
  return (unwrap(native().parseEntityKey(text('key', key))) ?? null) as EntityKeyParts | null;
}

/**
 * BLAKE3 of the UTF-8 form of a text, as 64 hexadecimal digits.
 *
 * @throws {MemoryError} `invalid_argument` when it is no text.
 */
export function contentHash(content: string): string {
  return unwrap(native().contentHash(text('content', content)));
}

/**
 * The key by which the same content in the same session is one event:
 * `session:contentHash`.
 *
 * @throws {MemoryError} `invalid_argument` when one is no text.
 */
export function dedupeKey(session: string, content: string): string {
  return unwrap(native().dedupeKey(text('session', session), text('content', content)));
}

/**
 * The first sentence of a text on one line, at most 100 UTF-16 code units;
 * longer ones end in `...`. Fenced code becomes `[code]`.
 *
 * @throws {MemoryError} `invalid_argument` when it is no text.
 */
export function summary(content: string): string {
  return unwrap(native().summary(text('content', content)));
}

/**
 * Stored text as it may be shown on a terminal: line ends as `\n` alone, and a blank or
 * U+FFFD in the place of what controls instead of showing, such as escape sequences and
 * overrides of the writing direction. What is stored stays whole.
 *
 * @throws {MemoryError} `invalid_argument` when it is no text.
 */
export function harmless(content: string): string {
  return unwrap(native().harmless(text('content', content)));
}

/**
 * As {@link harmless}, on one line.
 *
 * @throws {MemoryError} `invalid_argument` when it is no text.
 */
export function harmlessLine(content: string): string {
  return unwrap(native().harmlessLine(text('content', content)));
}

/**
 * The beginning of a text on one line, at most 200 UTF-16 code units; longer
 * ones end in `...`.
 *
 * @throws {MemoryError} `invalid_argument` when it is no text.
 */
export function preview(content: string): string {
  return unwrap(native().preview(text('content', content)));
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
 * The estimated number of tokens of a text: a quarter of its UTF-16 length,
 * rounded up.
 *
 * @throws {MemoryError} `invalid_argument` when it is no text.
 */
export function estimateTokens(content: string): number {
  return unwrap(native().estimateTokens(text('content', content)));
}

/**
 * The citation id that an event id gives: the first characters of
 * base64url(SHA-256), 6 unless you ask for more, at most 43. A store gives
 * another one when this is taken.
 *
 * @throws {MemoryError} `invalid_argument` naming what is wrong.
 */
export function citationId(eventId: string, length?: number): string {
  const units = length === undefined ? undefined : number('length', length);
  return unwrap(native().citationId(text('eventId', eventId), units));
}

/**
 * The citation id in what a person typed or pasted: the bare id, `[a7Bc3x]`, or
 * the first `mem:a7Bc3x` anywhere in the text; `null` when there is none.
 *
 * @throws {MemoryError} `invalid_argument` when it is no text.
 */
export function parseCitation(typed: string): string | null {
  return unwrap(native().parseCitation(text('typed', typed))) ?? null;
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
      optionalText('format', format),
    ),
  );
}
