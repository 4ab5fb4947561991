/** Recall for agents: the methods of `Memory` that return context. */

import { counting, type Ask } from './callbacks.js';
import { splitSignal } from './calls.js';
import * as convert from './convert.js';
import { smartSearchResult } from './generated/parsed.js';
import type { Context, SmartSearchResult } from './generated/types.js';
import { now, read, write } from './handle.js';
import type { TokenCounter } from './option-types.js';
import type {
  ContextOptions,
  ContextSettings,
  SmartSearchOptions,
  SmartSearchSettings,
} from './recall-types.js';

/** The methods of a memory for recall by agents. */
export abstract class RecallMethods {
  /**
   * Returns the memories that help with a query, as text for an agent's prompt.
   *
   * The text is wrapped in a fence that nothing inside it can close: it is data, not
   * instructions. Each memory names its source and its citation, and the whole text stays
   * within `budgetTokens`. It is empty if nothing is good enough. The injection is
   * recorded; see `recording`. A `signal` that fires once a worker has begun is ignored,
   * except with `recording: 'never'`: what is recorded must reach the caller.
   *
   * ```js
   * const { text } = await memory.context(prompt, { session: 's1', budgetTokens: 500 });
   * ```
   *
   * Growth: Logarithmic; with `skipKnownSince`, also by what the session was given since then.
   *
   * @throws {MemoryError} As `search`; `callback` when `countTokens` throws; as
   * `append` with `recording: 'now'`.
   */
  async context(query: string, options?: ContextOptions): Promise<Context> {
    const { signal, rest } = splitSignal(options);
    const { query: asked, options: checked, countTokens } = convert.contextOptions(query, rest);
    const count = counting(countTokens);
    // Like a write: once a worker has begun, what it gives is recorded as given.
    const run = checked.recording === 'never' ? read : write;
    const found = await run(this, { signal }, (native, cancel) =>
      native.context(asked, checked, count.ask, cancel),
    ).finally(count.check);
    return found as Context;
  }

  /** Like `context`, but blocking. */
  contextSync(query: string, options?: ContextSettings): Context {
    const { query: asked, options: checked, countTokens } = convert.contextOptions(query, options);
    return counted(countTokens, (count) =>
      now(this, (native, embedder) => native.contextSync(asked, checked, count, embedder)),
    ) as Context;
  }

  /**
   * Searches, and adds a timeline or the details of the results if they are clear enough,
   * within a token budget.
   *
   * Growth: Logarithmic.
   *
   * @throws {MemoryError} As `search`; `callback` when `countTokens` throws.
   */
  async smartSearch(query: string, options?: SmartSearchOptions): Promise<SmartSearchResult> {
    const { signal, rest } = splitSignal(options);
    const { query: asked, options: checked, countTokens } = convert.smartSearchOptions(query, rest);
    const count = counting(countTokens);
    const found = await read(this, { signal }, (native, cancel) =>
      native.smartSearch(asked, checked, count.ask, cancel),
    ).finally(count.check);
    return smartSearchResult(found);
  }

  /** Like `smartSearch`, but blocking. */
  smartSearchSync(query: string, options?: SmartSearchSettings): SmartSearchResult {
    const { query: asked, options: checked, countTokens } = convert.smartSearchOptions(query, options);
    const found = counted(countTokens, (count) =>
      now(this, (native, embedder) => native.smartSearchSync(asked, checked, count, embedder)),
    );
    return smartSearchResult(found);
  }
}

/** Runs a blocking call with the token counter of the program, whose throw replaces its error. */
function counted<T>(countTokens: TokenCounter | undefined, call: (count: Ask | undefined) => T): T {
  const count = counting(countTokens);
  try {
    return call(count.ask);
  } finally {
    count.check();
  }
}
