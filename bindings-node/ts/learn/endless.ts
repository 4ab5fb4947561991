/** The endless mode: one conversation that never ends. */

import type * as Native from '../../native';

import { atOnce } from '../callbacks.js';
import { splitSignal } from '../calls.js';
import { record, text } from '../check.js';
import { invalid, MemoryError } from '../errors.js';
import type { ConsolidationReport } from '../generated/types.js';
import { now, whileOpen, write } from '../handle.js';
import type { CallOptions } from '../types.js';
import type { ConsolidateOptions, ConsolidateSyncOptions, SummaryRequest } from './types.js';

type Summarize<T> = ((group: SummaryRequest) => T) | undefined;

function summarizer<T>(options: unknown): Summarize<T> {
  const { summarize } = record('options', options, { summarize: 'any' });
  if (summarize !== undefined && typeof summarize !== 'function') {
    throw invalid('summarize', `must be a function, not a ${typeof summarize}`);
  }
  return summarize as Summarize<T>;
}

/** The host's summary of a group, in the form for the addon. */
function answerTo({ key }: Native.NativeSummaryRequest, said: unknown): Native.NativeSummary {
  if (said === null || said === undefined) return { key };
  return { key, summary: text('summarize', said) };
}

function callbackError(cause: unknown): MemoryError {
  return new MemoryError('callback', 'summarize threw; nothing was stored', { cause });
}

/** The methods of {@link Endless} that are not generated. */
export abstract class EndlessByHand {
  /**
   * Consolidates the working set into memories now, whether or not it is due. With
   * `summarize` you provide the summaries: it is called for one group of events after the
   * other, no worker waits for it, and nothing is stored before it has answered for all of
   * them.
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
    const answers: Native.NativeSummary[] | undefined = summarize && [];
    for (;;) {
      const { report, request } = await write(this, { signal }, (memory, cancel) =>
        memory.consolidate(answers, cancel),
      );
      if (!request || !summarize) return report as ConsolidationReport;
      signal?.throwIfAborted();
      const { topics, texts } = request;
      const asked = (async () => summarize({ topics, texts }))().catch((error: unknown) => {
        throw callbackError(error);
      });
      answers?.push(answerTo(request, await whileOpen(this, signal, asked)));
    }
  }

  /** Like {@link Endless.consolidate}, but blocking. */
  consolidateSync(options?: ConsolidateSyncOptions): ConsolidationReport {
    const summarize = summarizer<unknown>(options);
    const answers: Native.NativeSummary[] | undefined = summarize && [];
    for (;;) {
      const { report, request } = now(this, (memory) => memory.consolidateSync(answers));
      if (!request || !summarize) return report as ConsolidationReport;
      const { topics, texts } = request;
      let said: unknown;
      try {
        said = summarize({ topics, texts });
      } catch (error) {
        throw callbackError(error);
      }
      answers?.push(answerTo(request, atOnce('summarize', said)));
    }
  }
}
