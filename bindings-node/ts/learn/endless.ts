/** The endless mode: one conversation that never ends. */

import { atOnce } from '../callbacks.js';
import { splitSignal } from '../calls.js';
import { record, text } from '../check.js';
import { MemoryError } from '../errors.js';
import type { ConsolidationReport } from '../generated/types.js';
import { handleOf, now, read, whileOpen, write } from '../handle.js';
import type { CallOptions } from '../arguments.js';
import type { ConsolidateOptions, ConsolidateSyncOptions, SummaryRequest } from './extraction.js';

type Summarize<T> = ((group: SummaryRequest) => T) | undefined;

function summarizer<T>(options: unknown): Summarize<T> {
  const { summarize } = record('options', options, { summarize: 'function' });
  return summarize as Summarize<T>;
}

/** The host's summary of a group; null for the one made by rules. */
function summaryOf(said: unknown): string | null {
  return said === null || said === undefined ? null : text('summarize', said);
}

function callbackError(cause: unknown): MemoryError {
  return new MemoryError('callback', 'summarize threw; nothing was stored', { cause });
}

/** The methods of {@link Endless} that are not generated. */
export abstract class EndlessByHand {
  /**
   * Consolidates the working set into memories now, whether or not it is due. With
   * `summarize` you provide the summaries: it is called once for each group of events, one
   * after the other. No worker waits for it, and nothing is stored before it has answered for
   * all of them. Events that arrive meanwhile belong to a later consolidation.
   *
   * ```js
   * await memory.endless.consolidate({
   *   summarize: ({ topics, texts }) => askModel(`Sum up: ${texts.join('\n')}`),
   * });
   * ```
   *
   * @throws {MemoryError} `callback` when `summarize` throws or rejects, with
   * `cause`; `invalid_argument` when it gives anything but text; `closed`
   * when the memory is closed meanwhile; nothing is stored then. `busy`, `full`,
   * `io`.
   */
  async consolidate(options?: ConsolidateOptions & CallOptions): Promise<ConsolidationReport> {
    const { signal, rest } = splitSignal(options);
    const summarize = summarizer<unknown>(rest);
    if (!summarize) return write(this, { signal }, (memory, cancel) => memory.consolidate(cancel));
    const prepared = await read(this, { signal }, (memory, cancel) =>
      memory.prepareConsolidation(cancel),
    );
    const summaries: (string | null)[] = [];
    for (const group of prepared.groups()) {
      const said = await whileOpen(this, signal, async () => {
        try {
          return await summarize(group);
        } catch (error) {
          throw callbackError(error);
        }
      });
      summaries.push(summaryOf(said));
    }
    return write(this, { signal }, (memory, cancel) =>
      memory.storeConsolidation(prepared, summaries, cancel),
    );
  }

  /** Like {@link Endless.consolidate}, but blocking. */
  consolidateSync(options?: ConsolidateSyncOptions): ConsolidationReport {
    const summarize = summarizer<unknown>(options);
    if (!summarize) return now(this, (memory) => memory.consolidateSync());
    const prepared = now(this, (memory) => memory.prepareConsolidationSync());
    const summaries = prepared.groups().map((group) => {
      let said: unknown;
      try {
        said = summarize(group);
      } catch (error) {
        throw callbackError(error);
      }
      const summary = summaryOf(atOnce('summarize', said));
      handleOf(this).open();
      return summary;
    });
    return now(this, (memory) => memory.storeConsolidationSync(prepared, summaries));
  }
}
