/** Recall for agents: the methods of `Memory` that give context. */

import { counting } from './callbacks.js';
import { splitSignal } from './calls.js';
import * as convert from './convert-recall.js';
import { smartSearchResult } from './generated/parsed.js';
import type { Context, SmartSearchResult } from './generated/types.js';
import { now, read, write } from './handle.js';
import type {
  ContextOptions,
  ContextSettings,
  SmartSearchOptions,
  SmartSearchSettings,
} from './recall-types.js';

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
    const { query: asked, options: checked, countTokens } = convert.contextOptions(query, rest);
    const count = counting(countTokens);
    const run = checked.recording === 'now' ? write : read;
    const found = await run(this, { signal }, (native, cancel) =>
      native.context(asked, checked, count.ask, cancel),
    );
    count.finish();
    return found as Context;
  }

  /** As `context`, blocking. */
  contextSync(query: string, options?: ContextSettings): Context {
    const { query: asked, options: checked, countTokens } = convert.contextOptions(query, options);
    const count = counting(countTokens);
    const found = now(this, (native, embedder) =>
      native.contextSync(asked, checked, count.ask, embedder),
    );
    count.finish();
    return found as Context;
  }

  /**
   * Searches, and adds the timeline around the results or their details when
   * the results are clear enough, within a token budget.
   *
   * @throws {MemoryError} As `search`; `callback` when `countTokens` throws.
   */
  async smartSearch(query: string, options?: SmartSearchOptions): Promise<SmartSearchResult> {
    const { signal, rest } = splitSignal(options);
    const { query: asked, options: checked, countTokens } = convert.smartSearchOptions(query, rest);
    const count = counting(countTokens);
    const found = await read(this, { signal }, (native, cancel) =>
      native.smartSearch(asked, checked, count.ask, cancel),
    );
    count.finish();
    return smartSearchResult(found);
  }

  /** As `smartSearch`, blocking. */
  smartSearchSync(query: string, options?: SmartSearchSettings): SmartSearchResult {
    const { query: asked, options: checked, countTokens } = convert.smartSearchOptions(query, options);
    const count = counting(countTokens);
    const found = now(this, (native, embedder) =>
      native.smartSearchSync(asked, checked, count.ask, embedder),
    );
    count.finish();
    return smartSearchResult(found);
  }
}
