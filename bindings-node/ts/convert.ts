/** Between the objects of the public interface and those of the addon. */

import type * as Native from '../native';

import { record, required, text, type Checked, type FieldType } from './check.js';
import { invalid } from './errors.js';
import type { SearchResult } from './types.js';

export { detail, event } from './generated/parsed.js';

type Fields = Readonly<Record<string, FieldType>>;

const scopeFields: Fields = { project: 'string', allProjects: 'boolean' };

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

const toolFields: Fields = {
  name: 'string',
  input: 'json',
  output: 'string',
  durationMs: 'number',
  success: 'boolean',
  error: 'string',
  promptIndex: 'number',
  toolIndex: 'number',
};

/** What narrows to the calls of tools. */
const callFields: Fields = {
  tools: 'strings',
  fileContains: 'string',
  toolOutcome: 'string',
};

const filterFields: Fields = {
  ...scopeFields,
  session: 'string',
  kinds: 'strings',
  from: 'time',
  until: 'time',
  ...callFields,
  newestFirst: 'boolean',
  limit: 'number',
};

/** What narrows every kind of recall. */
export const recallFields: Fields = {
  ...scopeFields,
  kinds: 'strings',
  from: 'time',
  until: 'time',
  deadlineMs: 'number',
  ...callFields,
  minLevel: 'string',
  includeRecalled: 'boolean',
  learned: 'boolean',
  learnedKinds: 'strings',
  entryTypes: 'strings',
  asOf: 'time',
};

const searchFields: Fields = {
  ...recallFields,
  limit: 'number',
  session: 'string',
  minRelevance: 'number',
  vector: 'numbers',
};

const updateFields: Fields = {
  project: 'string',
  started: 'time',
  ended: 'time',
  summary: 'string',
  tags: 'strings',
};

const importFields: Fields = {
  hasToolObservations: 'boolean',
  keepsBlankText: 'boolean',
  responseLimitUtf16: 'number',
  limit: 'number',
  maxLineBytes: 'number',
};

// `record` checks each field against its table, and the table spells the fields
// as the addon does: that is what the casts below rest on.

export function eventFilter(value: unknown): Native.NativeEventFilter {
  return record('filter', value, filterFields);
}

export function projectFilter(value: unknown): { project?: string; allProjects?: boolean } {
  return record('filter', value, scopeFields);
}

export function sessionUpdate(value: unknown): Native.NativeSessionUpdate {
  if (value === undefined || value === null) throw invalid('update', 'is missing');
  return record('update', value, updateFields);
}

export function importOptions(value: unknown): Native.NativeImportOptions {
  return record('options', value, importFields);
}

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

function toolUse(argument: string, value: unknown): Checked {
  const { input, ...tool } = record(argument, value, toolFields, `${argument}.`);
  required(tool, ['name'], `${argument}.`);
  if (input !== undefined) tool['inputJson'] = input;
  return tool;
}

export function searchResult(from: Native.NativeSearchResult): SearchResult {
  return from as SearchResult;
}

/** For calls that take a signal and nothing else. */
export function noOptions(value: unknown): void {
  record('options', value, {});
}
