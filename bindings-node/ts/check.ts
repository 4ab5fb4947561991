/**
 * Checks argument types for programs without a type checker. Ranges and names are left to
 * the core; this only ensures that the addon gets its declared types, and that no text is
 * changed on the way.
 */

import { invalid } from './errors.js';

/** The type of a field. `signal` and `json` are not passed on unchanged. */
export type FieldType =
  | 'string'
  | 'boolean'
  | 'number'
  | 'time'
  | 'strings'
  | 'numbers'
  | 'json'
  | 'jsonObject'
  | 'any'
  | ((argument: string, value: unknown) => unknown);

/** An object whose fields were checked. */
export type Checked = Record<string, unknown>;

/** Describes a value's type for a message. */
function named(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  const type = typeof value;
  return type === 'object' || type === 'undefined' ? (type === 'object' ? 'an object' : type) : `a ${type}`;
}

/** A string that is well-formed UTF-16: half a surrogate pair has no UTF-8. */
export function text(argument: string, value: unknown): string {
  if (typeof value !== 'string') {
    throw invalid(argument, `must be a string, not ${named(value)}`);
  }
  if (!value.isWellFormed()) {
    throw invalid(argument, 'contains a lone surrogate, which is half a character');
  }
  return value;
}

/** A number; the core checks its range. */
export function number(argument: string, value: unknown): number {
  if (typeof value !== 'number') {
    throw invalid(argument, `must be a number, not ${named(value)}`);
  }
  if (!Number.isFinite(value)) {
    throw invalid(argument, `must be a finite number, not ${value}`);
  }
  return value;
}

/** A time in the form for the addon. */
export function moment(argument: string, value: unknown): number | string {
  if (typeof value === 'string') return text(argument, value);
  if (value instanceof Date) {
    const ms = value.getTime();
    if (Number.isNaN(ms)) throw invalid(argument, 'is an invalid Date');
    return ms;
  }
  if (typeof value !== 'number') {
    throw invalid(argument, `must be a Date, milliseconds or an ISO string, not ${named(value)}`);
  }
  return number(argument, value);
}

/** An event's name: a position in the log, or an id or a citation. */
export function name(argument: string, value: unknown): number | string {
  if (typeof value === 'number') return number(argument, value);
  if (typeof value !== 'string') {
    throw invalid(argument, `must be an event id, a citation or a seq, not ${named(value)}`);
  }
  return text(argument, value);
}

/** A copy of a list, without checking its members. */
export function array(argument: string, value: unknown): unknown[] {
  if (!Array.isArray(value)) {
    throw invalid(argument, `must be an array, not ${named(value)}`);
  }
  // Array.from and not slice: holes become members.
  return Array.from(value as unknown[]);
}

export function boolean(argument: string, value: unknown): boolean {
  if (typeof value !== 'boolean') {
    throw invalid(argument, `must be a boolean, not ${named(value)}`);
  }
  return value;
}

/** A list with checked members. */
export function list<T>(
  argument: string,
  value: unknown,
  member: (argument: string, value: unknown) => T,
): T[] {
  return array(argument, value).map((item, index) => member(`${argument}[${index}]`, item));
}

/** How JSON.stringify escapes half a surrogate pair; a whole one is not escaped. */
const LONE_SURROGATE = /(?<!\\)(?:\\\\)*\\u[dD][89a-fA-F]/;

/** A value as JSON text. */
export function json(argument: string, value: unknown): string {
  let written: string | undefined;
  try {
    written = JSON.stringify(value);
  } catch (error) {
    const problem = error instanceof Error ? error.message : 'its toJSON failed';
    throw invalid(argument, `cannot be written as JSON: ${problem}`, error);
  }
  if (written === undefined) {
    throw invalid(argument, `cannot be written as JSON: ${named(value)} has no JSON form`);
  }
  if (LONE_SURROGATE.test(written)) {
    throw invalid(argument, 'contains a lone surrogate, which is half a character');
  }
  // `JSON.stringify` writes numbers that JSON has no form for as null.
  if (written.includes('null')) JSON.stringify(value, (_, part) => finite(argument, part));
  return written;
}

/** Refuses a number that JSON cannot express. */
function finite(argument: string, part: unknown): unknown {
  if (typeof part === 'number' && !Number.isFinite(part)) {
    throw invalid(argument, `contains ${part}, which JSON cannot express`);
  }
  return part;
}

export function jsonObject(argument: string, value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid(argument, `must be an object, not ${named(value)}`);
  }
  return json(argument, value);
}

function field(argument: string, type: FieldType, value: unknown): unknown {
  switch (type) {
    case 'string':
      return text(argument, value);
    case 'boolean':
      return boolean(argument, value);
    case 'number':
      return number(argument, value);
    case 'time':
      return moment(argument, value);
    case 'strings':
      return list(argument, value, text);
    case 'numbers':
      if (value instanceof Float32Array || value instanceof Float64Array) return Array.from(value);
      return list(argument, value, number);
    case 'json':
      return json(argument, value);
    case 'jsonObject':
      return jsonObject(argument, value);
    case 'any':
      return value;
    default:
      return type(argument, value);
  }
}

/**
 * A copy of an object with exactly these fields, each checked. A field that is undefined or
 * null counts as absent; an unknown field is an error, because a misspelled filter would
 * otherwise filter nothing.
 *
 * `prefix` precedes a field's name in errors, for example `tool.`.
 */
export function record(
  argument: string,
  value: unknown,
  fields: Readonly<Record<string, FieldType>>,
  prefix = '',
): Checked {
  const checked: Checked = {};
  if (value === undefined || value === null) return checked;
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw invalid(argument, `must be an object, not ${named(value)}`);
  }
  for (const [key, given] of Object.entries(value)) {
    const type = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (!type) {
      throw invalid(`${prefix}${key}`, `is unknown; known fields are ${Object.keys(fields).join(', ')}`);
    }
    if (given !== undefined && given !== null) {
      checked[key] = field(`${prefix}${key}`, type, given);
    }
  }
  return checked;
}

/** How duplicates are recognised, in the form for the addon. */
export function dedupe(argument: string, value: unknown): Checked {
  if (value === 'content' || value === 'none') return { word: value };
  if (typeof value !== 'object') {
    throw invalid(argument, 'must be "content", "none" or an object with a key');
  }
  const checked = record(argument, value, { key: 'string' }, `${argument}.`);
  required(checked, ['key'], `${argument}.`);
  return checked;
}

/** Checks required fields. */
export function required(checked: Checked, names: readonly string[], prefix = ''): void {
  for (const key of names) {
    if (checked[key] === undefined) throw invalid(`${prefix}${key}`, 'is missing');
  }
}

/** A required options argument whose fields are named in errors without the argument. */
export function bare<T>(
  argument: string,
  value: unknown,
  options: (argument: string, value: unknown, prefix: string) => T,
): T {
  if (value === undefined || value === null) throw invalid(argument, 'is missing');
  return options(argument, value, '');
}

/** Like {@link bare}, but errors put the argument in front of field names. */
export function whole<T>(
  argument: string,
  value: unknown,
  options: (argument: string, value: unknown) => T,
): T {
  if (value === undefined || value === null) throw invalid(argument, 'is missing');
  return options(argument, value);
}

/** A path of the file system, or a `file:` URL. */
export function path(argument: string, value: unknown): string {
  let given = value;
  if (value instanceof URL) {
    try {
      // Loaded on demand: a hook that opens a path should not pay for it.
      given = (require('node:url') as typeof import('node:url')).fileURLToPath(value);
    } catch (error) {
      throw invalid(argument, `is not a file URL: ${(error as Error).message}`, error);
    }
  }
  const checked = text(argument, given);
  if (checked === '') throw invalid(argument, 'must not be empty');
  if (checked.includes('\0')) throw invalid(argument, 'must not contain a NUL character');
  return checked;
}
