/** Converts objects of the public interface to and from those of the addon. */

import type * as Native from '../native';

import { record, text, type Checked, type FieldType } from './check.js';
import { contextOptionsFields, queryFields, smartSearchOptionsFields } from './generated/fields.js';
import type { TokenCounter } from './option-types.js';

export { event } from './generated/parsed.js';

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

export function limitOption(value: unknown): number {
  const { limit = 1000 } = record('options', value, { limit: 'number' }) as { limit?: number };
  return limit;
}

export function query(queryText: unknown, options: unknown): Native.NativeQuery {
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
function queryOf(queryText: unknown, checked: Checked, names: readonly string[]): Native.NativeQuery {
  const found: Checked = { text: text('query', queryText) };
  for (const key of names) {
    if (checked[key] !== undefined) found[key] = checked[key];
    delete checked[key];
  }
  return found as unknown as Native.NativeQuery;
}

/** The options of a context, and its token counter. */
export function contextOptions(
  queryText: unknown,
  value: unknown,
): { query: Native.NativeQuery; options: Native.NativeContextFields; countTokens: Counter } {
  const { countTokens, fromSession, ...options } = record('options', value, contextFields);
  const asked = queryOf(queryText, options, Object.keys(recallFields));
  if (fromSession !== undefined) asked.session = fromSession as string;
  return { query: asked, options, countTokens: countTokens as Counter };
}

/** The options of a smart search, and its token counter. */
export function smartSearchOptions(
  queryText: unknown,
  value: unknown,
): { query: Native.NativeQuery; options: Native.NativeSmartSearchFields; countTokens: Counter } {
  const { countTokens, ...options } = record('options', value, smartFields);
  const names = [...Object.keys(recallFields), 'session'];
  return { query: queryOf(queryText, options, names), options, countTokens: countTokens as Counter };
}
