/** Between the objects of the public interface and those of the addon. */

import type * as Native from '../native';

import { record, required, text, type Checked, type FieldType } from './check.js';
import { invalid } from './errors.js';
import { queryFields, toolUse } from './generated/fields.js';
import type { SearchResult } from './generated/types.js';

export { event } from './generated/parsed.js';

type Fields = Readonly<Record<string, FieldType>>;

const eventFields: Fields = {
  kind: 'string',
  session: 'string',
  content: 'string',
  actor: 'string',
  origin: 'string',
  project: 'string',
  timestamp: 'time',
  metadata: 'jsonObject',
  dedupe: 'any',
  tool: 'any',
};

function without(fields: Fields, ...names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

/** The text is an argument of its own. */
const searchFields = without(queryFields, 'text');

/** What narrows every kind of recall. */
export const recallFields = without(searchFields, 'limit', 'session', 'minRelevance', 'vector');

// `record` checks each field against its table, and the table spells the fields
// as the addon does: that is what the casts below rest on.

export function limitOption(value: unknown): number {
  const { limit = 1000 } = record('options', value, { limit: 'number' }) as { limit?: number };
  return limit;
}

export function query(queryText: unknown, options: unknown): Native.NativeQuery {
  return { text: text('query', queryText), ...record('options', options, searchFields) };
}

/** An event; `argument` is what it is called in errors, and `prefix` its fields. */
export function newEvent(argument: string, value: unknown, prefix = ''): Native.NativeNewEvent {
  if (value === undefined || value === null) throw invalid(argument, 'is missing');
  const { metadata, dedupe, tool, ...event } = record(argument, value, eventFields, prefix);
  required(event, ['kind', 'session'], prefix);
  if (metadata !== undefined) event['metadataJson'] = metadata;
  if (dedupe !== undefined) Object.assign(event, dedupeFields(`${prefix}dedupe`, dedupe));
  if (tool !== undefined) event['tool'] = toolUse(`${prefix}tool`, tool);
  return event as unknown as Native.NativeNewEvent;
}

function dedupeFields(argument: string, value: unknown): Checked {
  if (value === 'content') return {};
  if (value === 'none') return { hasDedupe: false };
  if (typeof value !== 'object') {
    throw invalid(argument, 'must be "content", "none" or an object with a key');
  }
  const checked = record(argument, value, { key: 'string' }, `${argument}.`);
  required(checked, ['key'], `${argument}.`);
  return { dedupeKey: checked['key'] };
}

export function searchResult(from: Native.NativeSearchResult): SearchResult {
  return from as SearchResult;
}
