/** Recall for agents: the methods of `Memory` that give context and citations. */

import { counting } from './callbacks.js';
import { splitSignal } from './calls.js';
import { text } from './check.js';
import { event } from './convert.js';
import * as convert from './convert-recall.js';
import { now, read, write } from './handle.js';
import type {
  CitationDetail,
  Context,
  ContextOptions,
  ContextSettings,
  PopularCitation,
  PopularOptions,
  SmartSearchOptions,
  SmartSearchResult,
  SmartSearchSettings,
} from './recall-types.js';
import type { CallOptions } from './types.js';

/** The part of a memory that recalls for agents. */
export abstract class RecallMethods {
  /**
   * The memories that help with a query, as text for an agent's prompt.
   *
   * The text stands in a fence that nothing inside can close: it is data, not
   * instructions. Each memory names where it came from and its citation, and
   * the whole keeps within `budgetTokens`. It is empty when nothing is good
   * enough. That context was given is recorded; see `recording`.
   *
   * ```js
   * const { text } = await memory.context(prompt, { session: 's1', budgetTokens: 500 });
   * ```
   *
   * @throws {MemoryError} As `search`; `callback` when `countTokens` throws; as
   * `append` with `recording: 'now'`.
   */
  async context(query: string, options?: ContextOptions): Promise<Context> {
    const { signal, rest } = splitSignal(options);
    const { options: checked, countTokens } = convert.contextOptions(query, rest);
    const count = counting(countTokens);
    const run = checked.recording === 'now' ? write : read;
    const found = await run(this, { signal }, (native, cancel) =>
      native.context(checked, count.ask, cancel),
    );
    count.finish();
    return convert.context(found);
  }

  /** As `context`, blocking. */
  contextSync(query: string, options?: ContextSettings): Context {
    const { options: checked, countTokens } = convert.contextOptions(query, options);
    const count = counting(countTokens);
    const found = now(this, (native, embedder) =>
      native.contextSync(checked, count.ask, embedder),
    );
    count.finish();
    return convert.context(found);
  }

  /**
   * Searches, and adds the timeline around the results or their details when
   * the results are clear enough, within a token budget.
   *
   * @throws {MemoryError} As `search`; `callback` when `countTokens` throws.
   */
  async smartSearch(query: string, options?: SmartSearchOptions): Promise<SmartSearchResult> {
    const { signal, rest } = splitSignal(options);
    const { options: checked, countTokens } = convert.smartSearchOptions(query, rest);
    const count = counting(countTokens);
    const found = await read(this, { signal }, (native, cancel) =>
      native.smartSearch(checked, count.ask, cancel),
    );
    count.finish();
    return convert.smartSearchResult(found);
  }

  /** As `smartSearch`, blocking. */
  smartSearchSync(query: string, options?: SmartSearchSettings): SmartSearchResult {
    const { options: checked, countTokens } = convert.smartSearchOptions(query, options);
    const count = counting(countTokens);
    const found = now(this, (native, embedder) =>
      native.smartSearchSync(checked, count.ask, embedder),
    );
    count.finish();
    return convert.smartSearchResult(found);
  }

  /**
   * Reads an event by its citation as people type it (`a7Bc3x`, `mem:a7Bc3x`,
   * `[mem:a7Bc3x]`), with its neighbours and how often it was given to agents.
   *
   * @throws {MemoryError} `invalid_argument`, `not_found`, `corrupt`, `io`.
   */
  async citationDetail(citation: string, options?: CallOptions): Promise<CitationDetail> {
    const wanted = text('citation', citation);
    const found = await read(this, options, (native, cancel) =>
      native.citationDetail(wanted, cancel),
    );
    return { ...found, event: event(found.event) } as CitationDetail;
  }

  /** As `citationDetail`, blocking. */
  citationDetailSync(citation: string): CitationDetail {
    const found = now(this, (native) => native.citationDetailSync(text('citation', citation)));
    return { ...found, event: event(found.event) } as CitationDetail;
  }

  /**
   * The citations that were given to agents most often, the most used first.
   *
   * @throws {MemoryError} `invalid_argument`, `corrupt`, `io`.
   */
  async popularCitations(options?: PopularOptions & CallOptions): Promise<PopularCitation[]> {
    const { signal, rest } = splitSignal(options);
    const { limit, windowDays } = convert.popularOptions(rest);
    return read(this, { signal }, (native, cancel) =>
      native.popularCitations(limit, windowDays, cancel),
    ) as Promise<PopularCitation[]>;
  }

  /** As `popularCitations`, blocking. */
  popularCitationsSync(options?: PopularOptions): PopularCitation[] {
    const { limit, windowDays } = convert.popularOptions(options);
    return now(this, (native) =>
      native.popularCitationsSync(limit, windowDays),
    ) as PopularCitation[];
  }

  /**
   * The sessions that an event was given to, each once, the latest first.
   *
   * @throws {MemoryError} `invalid_argument`, `not_found`, `corrupt`, `io`.
   */
  async citingSessions(citation: string, options?: CallOptions): Promise<string[]> {
    const wanted = text('citation', citation);
    return read(this, options, (native, cancel) =>
      native.citingSessions(wanted, cancel),
    );
  }

  /** As `citingSessions`, blocking. */
  citingSessionsSync(citation: string): string[] {
    return now(this, (native) => native.citingSessionsSync(text('citation', citation)));
  }
}
