// What the tests share: empty folders, small events, the repository's files.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';

import { Memory, filterText, maskSecrets } from 'recallite';

export const app = path.dirname(fileURLToPath(import.meta.url));
/** The folder of all installed copies. */
export const work = process.env.RECALLITE_TEST_WORK;
/** The repository, for its conformance vectors and examples. */
export const repository = process.env.RECALLITE_TEST_REPOSITORY;

const base = fs.mkdtempSync(path.join(os.tmpdir(), 'recallite-node-'));
after(() => fs.rmSync(base, { recursive: true, force: true }));

let folders = 0;

/** A path where nothing is yet. */
export function fresh(name = 'memory') {
  folders += 1;
  return path.join(base, `${name}-${folders}`);
}

/** A new memory that is closed after the test. */
export function openFresh(t, options) {
  const memory = Memory.openSync(fresh(), options);
  t.after(() => memory.closeSync());
  return memory;
}

/** Calls a method by its name, for example `tasks.list`. */
export function call(memory, name, ...given) {
  const areas = name.split('.');
  const method = areas.pop();
  return areas.reduce((part, area) => part[area], memory)[method](...given);
}

export const prompt = (content, more) => ({ kind: 'user_prompt', session: 's1', content, ...more });

/** For assert.throws and assert.rejects: a MemoryError with these properties. */
export const failure = (code, argument) => ({
  name: 'MemoryError',
  code,
  ...(argument !== undefined && { argument }),
});

const ownVectors = path.join(repository, 'memory-core', 'tests', 'conformance');
const vectorFolder = process.env.MEMORY_CONFORMANCE_DIR ?? ownVectors;

/**
 * Vectors of the specification, as `[input, expected, name]`: those of the repository, or
 * those in the folder MEMORY_CONFORMANCE_DIR, which may hold some of the files.
 */
export function vectors(file) {
  const isThere = fs.readdirSync(vectorFolder).includes(`${file}.json`);
  if (!isThere && vectorFolder !== ownVectors) return [];
  const text = fs.readFileSync(path.join(vectorFolder, `${file}.json`), 'utf8');
  return JSON.parse(text).map(({ input, expected, name }) => [input, expected, name]);
}

/** Fails when too few of the repository's vectors could be checked. */
export function enough(checked, least, file) {
  if (vectorFolder !== ownVectors) return;
  assert.ok(checked >= least, `only ${checked} vectors of ${file} fit`);
}

/**
 * The vectors fix the specification's own patterns: what the library adds to them is
 * switched off. With `preserveLineCount`, runs of line ends stay as well.
 */
export const plain = {
  privateTags: false,
  preserveLineCount: true,
  excludePatterns: [],
  autoDetect: false,
  codeAware: false,
};

/** An event must say something: more than whitespace, as Unicode defines it. */
export const isBlank = (text) => /^\p{White_Space}*$/u.test(text);

/** A memory masks secrets before it counts, cuts or derives anything. */
export const hasSecret = (text) => maskSecrets(text).secretCount > 0;

/** The specification skips a pattern that is no regular expression; the library refuses it. */
export function isUsable(pattern) {
  try {
    return filterText('', { excludePatterns: [pattern] }) !== null;
  } catch {
    return false;
  }
}
