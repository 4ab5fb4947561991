/** Recall for agents: the methods of `Memory` that return context, and the options of recall. */

import type * as Native from '../native';

import type {
  CallOptions,
  ContextOptions,
  ContextSettings,
  SearchOptions,
  SmartSearchOptions,
  SmartSearchSettings,
  TokenCounter,
} from './arguments.js';
import { counting, type Ask } from './callbacks.js';
import { splitSignal } from './calls.js';
import { record, text, type Checked, type FieldType } from './check.js';
import { contextOptionsFields, queryFields, smartSearchOptionsFields } from './generated/fields.js';
import { smartSearchResult } from './generated/parsed.js';
import type { Context, SearchResult, SmartSearchResult } from './generated/types.js';
import { now, read, write } from './handle.js';

type Fields = Readonly<Record<string, FieldType>>;
type Counter = TokenCounter | undefined;

function without(fields: Fields, ...names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

/** The text is a separate argument. */
const searchFields = without(queryFields, 'text');

/** Filters common to every kind of recall. */
const recallFields = without(searchFields, 'limit', 'session', 'minRelevance');

// `record` checks each field against its table, and the table spells the fields as the addon
// does, which makes the casts below sound.

/** The query of a search: its text, and its other fields among the options. */
function queryOf(queryText: unknown, options: unknown): Native.NativeQuery {
  return { text: text('query', queryText), ...record('options', options, searchFields) };
}

/** Both have a limit and a minimum relevance separate from the query's. */
const contextFields: Fields = {
  ...recallFields,
  ...contextOptionsFields,
  fromSession: 'string',
  countTokens: 'function',
};

const smartFields: Fields = {
  ...recallFields,
  ...smartSearchOptionsFields,
  session: 'string',
  countTokens: 'function',
};

/** Extracts the fields of a query from checked options. */
function extracted(queryText: unknown, checked: Checked, names: readonly string[]): Native.NativeQuery {
  const found: Checked = { text: text('query', queryText) };
  for (const key of names) {
    if (checked[key] !== undefined) found[key] = checked[key];
    delete checked[key];
  }
  return found as unknown as Native.NativeQuery;
}

/** The options of a context, and its token counter. */
function contextOptions(
  queryText: unknown,
  value: unknown,
): { query: Native.NativeQuery; options: Native.NativeContextFields; countTokens: Counter } {
  const { countTokens, fromSession, ...options } = record('options', value, contextFields);
  const asked = extracted(queryText, options, Object.keys(recallFields));
  if (fromSession !== undefined) asked.session = fromSession as string;
  return { query: asked, options, countTokens: countTokens as Counter };
}

/** The options of a smart search, and its token counter. */
function smartSearchOptions(
  queryText: unknown,
  value: unknown,
): { query: Native.NativeQuery; options: Native.NativeSmartSearchFields; countTokens: Counter } {
  const { countTokens, ...options } = record('options', value, smartFields);
  const names = [...Object.keys(recallFields), 'session'];
  return { query: extracted(queryText, options, names), options, countTokens: countTokens as Counter };
}

/** The methods of a memory for recall by agents. */
export abstract class RecallMethods {
  /**
   * Finds the events that answer a question or contain some words, in any language, best
   * first. Results are never dropped for being uncertain unless `minRelevance` is set.
   *
   * Growth: Logarithmic.
   *
   * @throws {MemoryError} `invalid_argument`, `corrupt`, `io`.
   */
  async search(query: string, options?: SearchOptions & CallOptions): Promise<SearchResult> {
    const { signal, rest } = splitSignal(options);
    const asked = queryOf(query, rest);
    const found = await read(this, { signal }, (native, cancel) => native.search(asked, cancel));
    return found as SearchResult;
  }

  /**
   * Like `search`, but blocking; `unsupported` with an embedder that returns promises.
   */
  searchSync(query: string, options?: SearchOptions): SearchResult {
    const asked = queryOf(query, options);
    return now(this, (native, embedder) => native.searchSync(asked, embedder)) as SearchResult;
  }

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
    const { query: asked, options: checked, countTokens } = contextOptions(query, rest);
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
    const { query: asked, options: checked, countTokens } = contextOptions(query, options);
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
    const { query: asked, options: checked, countTokens } = smartSearchOptions(query, rest);
    const count = counting(countTokens);
    const found = await read(this, { signal }, (native, cancel) =>
      native.smartSearch(asked, checked, count.ask, cancel),
    ).finally(count.check);
    return smartSearchResult(found);
  }

  /** Like `smartSearch`, but blocking. */
  smartSearchSync(query: string, options?: SmartSearchSettings): SmartSearchResult {
    const { query: asked, options: checked, countTokens } = smartSearchOptions(query, options);
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
