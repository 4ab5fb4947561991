/** Converts options and results of recall for agents to and from the addon. */

import type * as Native from '../native';

import { record, text, type Checked, type FieldType } from './check.js';
import { recallFields } from './convert.js';
import { contextOptionsFields, smartSearchOptionsFields } from './generated/fields.js';
import type { TokenCounter } from './option-types.js';

type Fields = Readonly<Record<string, FieldType>>;
type Counter = TokenCounter | undefined;

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
function query(queryText: unknown, checked: Checked, names: readonly string[]): Native.NativeQuery {
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
  const asked = query(queryText, options, Object.keys(recallFields));
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
  return { query: query(queryText, options, names), options, countTokens: countTokens as Counter };
}
