/** Taking in what a language model extracted from a session. */

import { splitSignal } from '../calls.js';
import { json, text } from '../check.js';
import { invalid } from '../errors.js';
import { ingestOptions } from '../generated/fields.js';
import type { IngestOptions, IngestReport } from '../generated/types.js';
import { now, write } from '../handle.js';
import { native } from '../native.js';
import type { CallOptions, JsonObject } from '../types.js';
import type { Extraction } from './types.js';

/**
 * Returns the JSON Schema (2020-12) of an extraction, for language models that accept one.
 * Each call returns its own copy.
 */
export function extractionSchema(): JsonObject {
  return JSON.parse(native().extractionSchema()) as JsonObject;
}

/**
 * Returns a prompt that explains the extraction to any language model. Append the numbered
 * messages of {@link Memory.sessionMessages} to it.
 */
export function extractionPrompt(): string {
  return native().extractionPrompt();
}

/** JSON text: the given text, or a serialised object. */
function extractionText(value: unknown): string {
  if (typeof value === 'string') return text('extraction', value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid('extraction', 'must be JSON text or an object');
  }
  return json('extraction', value);
}

/** The methods of a memory that take in extractions. */
export abstract class IngestMethods {
  /**
   * Takes in what a language model extracted from a session, as JSON that follows {@link
   * extractionSchema}, either as text or as an object. Quotes are located in the session,
   * entries and tasks become records, and every step is recorded as an event. Taking in the
   * same extraction again writes nothing.
   *
   * ```js
   * const messages = await memory.sessionMessages('monday');
   * const answer = await askModel(extractionPrompt(), messages);
   * const report = await memory.ingest('monday', answer, { extractorModel: 'some-model' });
   * ```
   *
   * @throws {MemoryError} `invalid_argument` naming the place in the extraction,
   * as the schema spells it, for example `entries[3].quotes[0].message_index`,
   * when it is wrong: show the message to your model; `not_found` when there is no such session; `busy`, `full`, `io`.
   * Nothing is written then but a failed run in the history.
   */
  async ingest(
    session: string,
    extraction: string | Extraction,
    options?: IngestOptions & CallOptions,
  ): Promise<IngestReport> {
    const { signal, rest } = splitSignal(options);
    const [wanted, json, told] = [
      text('session', session),
      extractionText(extraction),
      ingestOptions('options', rest, ''),
    ];
    return write(this, { signal }, (memory, cancel) =>
      memory.ingest(wanted, json, told, cancel),
    ) as Promise<IngestReport>;
  }

  /** Like {@link IngestMethods.ingest}, but blocking. */
  ingestSync(
    session: string,
    extraction: string | Extraction,
    options?: IngestOptions,
  ): IngestReport {
    const [wanted, json, told] = [
      text('session', session),
      extractionText(extraction),
      ingestOptions('options', options, ''),
    ];
    return now(this, (memory) => memory.ingestSync(wanted, json, told)) as IngestReport;
  }
}
