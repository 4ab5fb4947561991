/**
 * Checks argument types for programs without a type checker. Ranges and names are left to
 * the core; this only ensures that the addon gets its declared types, and that no text is
 * changed on the way.
 */

import { types } from 'node:util';

import { invalid, type MemoryError } from './errors.js';

/** The type of a field. `json` is not passed on unchanged. */
export type FieldType =
  | 'string'
  | 'boolean'
  | 'number'
  | 'time'
  | 'strings'
  | 'numbers'
  | 'json'
  | 'jsonObject'
  | 'function'
  | 'any'
  | ((argument: string, value: unknown) => unknown);

/** An object whose fields were checked. */
export type Checked = Record<string, unknown>;

/** `Object`, or what else an object is: `Map`, `Promise`. */
function tag(value: unknown): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1);
}

/** Describes a value's type for a message. */
function named(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  const type = typeof value === 'object' ? tag(value) : typeof value;
  return `${/^[AEIO]/.test(type) ? 'an' : 'a'} ${type === 'Object' || type === 'Array' ? type.toLowerCase() : type}`;
}

export function isPromise(value: unknown): value is PromiseLike<unknown> {
  return (
    ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
    typeof (value as { then?: unknown }).then === 'function'
  );
}

/**
 * An object with fields. What keeps its content elsewhere, as a `Map` does, would count as an
 * object without any, and so would the promise of one.
 */
export function object(argument: string, value: unknown): object {
  if (isPromise(value)) throw invalid(argument, 'must be an object, not a promise; await it');
  if (typeof value !== 'object' || value === null || !['Object', 'Module'].includes(tag(value))) {
    throw invalid(argument, `must be an object, not ${named(value)}`);
  }
  return value;
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
  // A Date of another context, as a test runner has them, is an instance of another class.
  if (types.isDate(value)) {
    const ms = value.getTime();
    if (Number.isNaN(ms)) throw invalid(argument, 'is an invalid Date');
    return ms;
  }
  if (typeof value !== 'number') {
    throw invalid(argument, `must be a Date, milliseconds or RFC 3339 text, not ${named(value)}`);
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

/** Numbers; the core checks their ranges. */
export function numbers(argument: string, value: unknown): ArrayLike<number> {
  if (types.isFloat32Array(value) || types.isFloat64Array(value)) return value;
  const given = array(argument, value);
  return given.every(Number.isFinite) ? (given as number[]) : list(argument, given, number);
}

/** How JSON.stringify escapes half a surrogate pair; a whole one is not escaped. */
const LONE_SURROGATE = /(?<!\\)(?:\\\\)*\\u[dD][89a-fA-F]/;

/** A value as JSON text; what JSON would leave out or write as something else is refused. */
export function json(argument: string, value: unknown): string {
  let written: string | undefined;
  let refused: MemoryError | undefined;
  try {
    written = JSON.stringify(value, function (this: Checked, key: string, part: unknown) {
      const lost = lostBy(this, key, part);
      if (lost === undefined) return part;
      throw (refused = invalid(argument, `contains ${lost}, which JSON cannot express`));
    });
  } catch (error) {
    if (refused) throw refused;
    const problem = error instanceof Error ? error.message : 'its toJSON failed';
    throw invalid(argument, `cannot be written as JSON: ${problem}`, error);
  }
  if (written === undefined) {
    throw invalid(argument, `cannot be written as JSON: ${named(value)} has no JSON form`);
  }
  if (LONE_SURROGATE.test(written)) {
    throw invalid(argument, 'contains a lone surrogate, which is half a character');
  }
  return written;
}

/** An extraction: the given JSON text, or a serialised object. */
export function extraction(argument: string, value: unknown): string {
  if (typeof value === 'string') return text(argument, value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid(argument, 'must be JSON text or an object');
  }
  return json(argument, value);
}

/** The objects that JSON expresses. */
const JSON_TAGS = ['Object', 'Module', 'Array', 'Number', 'String', 'Boolean'];

/**
 * What `JSON.stringify` would lose of a part of a value, if anything: it leaves functions and
 * symbols out, and writes numbers and dates that have no JSON form as null, and a `Map` as empty.
 * A member of an object that is undefined counts as absent.
 */
function lostBy(holder: Checked, key: string, part: unknown): string | undefined {
  switch (typeof part) {
    case 'function':
    case 'symbol':
      return named(part);
    case 'undefined':
      return Array.isArray(holder) ? 'undefined' : undefined;
    case 'number':
      return Number.isFinite(part) ? undefined : String(part);
    case 'object':
      // Read again only here: it may be an accessor. A date has become text by now, or null.
      if (part === null) return types.isDate(holder[key]) ? 'an invalid Date' : undefined;
      if (types.isNumberObject(part)) return lostBy(holder, key, Number(part));
      return JSON_TAGS.includes(tag(part)) || Object.keys(part).length > 0 ? undefined : named(part);
    default:
      return undefined;
  }
}

export function jsonObject(argument: string, value: unknown): string {
  return json(argument, object(argument, value));
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
      return Array.from(numbers(argument, value));
    case 'json':
      return json(argument, value);
    case 'jsonObject':
      return jsonObject(argument, value);
    case 'function':
      if (typeof value !== 'function') throw invalid(argument, `must be a function, not ${named(value)}`);
      return value;
    case 'any':
      return value;
    default:
      return type(argument, value);
  }
}

/** The options of a call whose signal was taken out of them; see {@link record}. */
export class Signalled {
  constructor(readonly options: unknown) {}
}

/**
 * A copy of an object with exactly these fields, each checked. A field that is undefined or
 * null counts as absent; an unknown field is an error, because a misspelled filter would
 * otherwise filter nothing. Fields may be those of a class, and its accessors.
 *
 * `prefix` precedes a field's name in errors, for example `tool.`.
 */
export function record(
  argument: string,
  value: unknown,
  fields: Readonly<Record<string, FieldType>>,
  prefix = '',
): Checked {
  if (value instanceof Signalled) {
    const { signal: _, ...checked } = record(argument, value.options, { ...fields, signal: 'any' }, prefix);
    return checked;
  }
  const checked: Checked = {};
  if (value === undefined || value === null) return checked;
  const given = object(argument, value) as Checked;
  for (const key of keysOf(given, fields)) {
    const type = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (!type) {
      throw invalid(`${prefix}${key}`, `is unknown; known fields are ${Object.keys(fields).join(', ')}`);
    }
    const part = given[key];
    if (part !== undefined && part !== null) checked[key] = field(`${prefix}${key}`, type, part);
  }
  return checked;
}

/** The names of an object's fields, without those that every object has. */
function keysOf(given: Checked, fields: Readonly<Record<string, FieldType>>): Set<string> {
  const own = Object.keys(given);
  if (Object.getPrototypeOf(given) === Object.prototype) return new Set(own);
  const isOfClass = (key: string): boolean => key in given && !(key in Object.prototype);
  const inherited: string[] = [];
  for (const key in given) if (typeof given[key] !== 'function') inherited.push(key);
  return new Set([...own, ...[...inherited, ...Object.keys(fields)].filter(isOfClass)]);
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

/** Refuses the options of a blocking form that has none. */
export function noOptions(given: unknown): void {
  if (typeof given === 'object' && given !== null) {
    throw invalid('options', 'are taken only by the form that returns a promise');
  }
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
