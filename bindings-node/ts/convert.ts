/** Converts objects of the public interface to and from those of the addon. */

import type * as Native from '../native';

import { record, text, type FieldType } from './check.js';
import { queryFields } from './generated/fields.js';
import type { SearchResult } from './generated/types.js';

export { event } from './generated/parsed.js';

type Fields = Readonly<Record<string, FieldType>>;

function without(fields: Fields, ...names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

/** The text is a separate argument. */
const searchFields = without(queryFields, 'text');

/** Filters common to every kind of recall. */
export const recallFields = without(searchFields, 'limit', 'session', 'minRelevance');

// `record` checks each field against its table, and the table spells the fields as the addon
// does, which makes the casts below sound.

export function limitOption(value: unknown): number {
  const { limit = 1000 } = record('options', value, { limit: 'number' }) as { limit?: number };
  return limit;
}

export function query(queryText: unknown, options: unknown): Native.NativeQuery {
  return { text: text('query', queryText), ...record('options', options, searchFields) };
}

export function searchResult(from: Native.NativeSearchResult): SearchResult {
  return from as SearchResult;
}
