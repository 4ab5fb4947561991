/** Between the objects of recall for agents and those of the addon. */

import type * as Native from '../native';

import { list, name, record, text, type Checked, type FieldType } from './check.js';
import { detail, recallFields } from './convert.js';
import type { Context, SmartSearchResult } from './recall-types.js';

type Fields = Readonly<Record<string, FieldType>>;

const contextFields: Fields = {
  ...recallFields,
  session: 'string',
  fromSession: 'string',
  budgetTokens: 'number',
  format: 'string',
  limit: 'number',
  minRelevance: 'number',
  pinned: 'any',
  skipKnownSince: 'time',
  recording: 'string',
  reason: 'string',
  countTokens: 'any',
};

const smartFields: Fields = {
  ...recallFields,
  session: 'string',
  minRelevance: 'number',
  limit: 'number',
  minScore: 'number',
  autoExpandTimeline: 'boolean',
  autoExpandDetails: 'boolean',
  maxAutoExpandCount: 'number',
  maxTotalTokens: 'number',
  window: 'number',
  countTokens: 'any',
};

/** Takes the fields of a query out of checked options. */
function query(queryText: unknown, checked: Checked, names: readonly string[]): Native.NativeQuery {
  const found: Checked = { text: text('query', queryText) };
  for (const key of names) {
    if (checked[key] !== undefined) found[key] = checked[key];
    delete checked[key];
  }
  return found as unknown as Native.NativeQuery;
}

/** The options of a context, and its token counter, which is not checked yet. */
export function contextOptions(
  queryText: unknown,
  value: unknown,
): { options: Native.NativeContextOptions; countTokens: unknown } {
  const { countTokens, fromSession, pinned, ...checked } = record('options', value, contextFields);
  const asked = query(queryText, checked, Object.keys(recallFields));
  const options = { ...checked, query: asked } as Native.NativeContextOptions;
  if (fromSession !== undefined) asked.session = fromSession as string;
  if (pinned !== undefined) options.pinned = list('pinned', pinned, name);
  return { options, countTokens };
}

export function context(from: Native.NativeContext): Context {
  return from as Context;
}

/** The options of a smart search, and its token counter, which is not checked yet. */
export function smartSearchOptions(
  queryText: unknown,
  value: unknown,
): { options: Native.NativeSmartSearchOptions; countTokens: unknown } {
  const { countTokens, ...checked } = record('options', value, smartFields);
  const asked = query(queryText, checked, [...Object.keys(recallFields), 'session', 'minRelevance']);
  return { options: { ...checked, query: asked }, countTokens };
}

export function smartSearchResult(from: Native.NativeSmartSearchResult): SmartSearchResult {
  return { ...from, details: from.details.map(detail) } as SmartSearchResult;
}
