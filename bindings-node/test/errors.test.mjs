// Wrong input, closed handles, panics: a MemoryError with its code, never a crash.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';

import { Memory, MemoryError } from 'recallite';

import { learnCalls } from './learn-calls.mjs';
import { app, call, failure, fresh, openFresh, prompt, work } from './setup.mjs';

const require = createRequire(import.meta.url);
const ERROR_CODES = [
  'invalid_argument', 'not_found', 'already_exists', 'busy', 'corrupt', 'io', 'full',
  'needs_reopen', 'newer_format', 'permission_denied', 'closed', 'unsupported', 'poisoned',
  'embedder', 'invalid_transition', 'invariant_violation', 'callback', 'internal', 'interrupted',
];

/** The addon with the functions for tests, as the TypeScript layer would load it. */
function hooks() {
  const from = createRequire(path.join(work, 'hooks', 'index.js'));
  const layer = from('recallite');
  const name = fs.readdirSync(path.join(work, 'hooks', 'node_modules', '@recallite'))[0];
  return { addon: from(`@recallite/${name}`), layer };
}

const SURROGATES = ['\ud83d', 'half \udc00 pair', 'end \ud800'];
const NOT_STRINGS = [null, undefined, 1, 1n, true, Symbol('s'), {}, [], () => {}];

test('MemoryError is an Error with its own name', async (t) => {
  const memory = openFresh(t);
  const error = await memory.append({}).catch((caught) => caught);
  assert.ok(error instanceof MemoryError);
  assert.ok(error instanceof Error);
  assert.equal(error.name, 'MemoryError');
  assert.equal(error.code, 'invalid_argument');
  assert.equal(error.retryable, false);
  assert.equal(error.needsReopen, false);
  assert.match(error.stack, /errors\.test\.mjs/);
  assert.equal(MemoryError, require('recallite').MemoryError);
});

test('a wrong type names its argument in both forms', async (t) => {
  const memory = openFresh(t);
  const cases = [
    ['append', [undefined], 'event'],
    ['append', ['text'], 'event'],
    ['append', [[]], 'event'],
    ['append', [{ kind: 'user_prompt', content: 'x' }], 'session'],
    ['append', [{ session: 's', content: 'x' }], 'kind'],
    ['append', [prompt(42)], 'content'],
    ['append', [prompt('x', { kind: 'nonsense' })], 'kind'],
    ['append', [prompt('x', { origin: 'nowhere' })], 'origin'],
    ['append', [prompt('x', { timestamp: new Date(NaN) })], 'timestamp'],
    ['append', [prompt('x', { timestamp: 1.5 })], 'timestamp'],
    ['append', [prompt('x', { timestamp: 9e15 })], 'timestamp'],
    ['append', [prompt('x', { timestamp: 'yesterday' })], 'timestamp'],
    ['append', [prompt('x', { timestamp: 1n })], 'timestamp'],
    ['append', [prompt('x', { metadata: [] })], 'metadata'],
    ['append', [prompt('x', { metadata: { big: 1n } })], 'metadata'],
    ['append', [prompt('x', { metadata: { half: '\ud800' } })], 'metadata'],
    ['append', [prompt('x', { dedupe: 'always' })], 'dedupe'],
    ['append', [prompt('x', { dedupe: {} })], 'dedupe.key'],
    ['append', [prompt('x', { dedupe: { key: 1 } })], 'dedupe.key'],
    ['append', [prompt('x', { tool: 'Read' })], 'tool'],
    ['append', [prompt('x', { tool: {} })], 'tool.name'],
    ['append', [prompt('x', { tool: { name: 'Read', durationMs: '1' } })], 'tool.durationMs'],
    ['append', [prompt('x', { tool: { name: 'Read', durationMs: -1 } })], 'tool.durationMs'],
    ['append', [prompt('x', { tool: { name: 'Read' } })], 'tool'],
    ['append', [prompt('x', { sesion: 's2' })], 'sesion'],
    ['append', [prompt('')], 'content'],
    ['append', [prompt('x', { session: '' })], 'session'],
    ['appendBatch', ['abc'], 'events'],
    ['appendBatch', [[prompt('a'), null]], 'events[1]'],
    ['appendBatch', [[prompt('a'), prompt('b', { actor: 1 })]], 'events[1].actor'],
    ['appendBatch', [[, prompt('a')]], 'events[0]'],
    ['event', [{}], 'event'],
    ['event', ['no such name'], 'event'],
    ['event', [-1], 'event'],
    ['event', [NaN], 'event'],
    ['event', [1n], 'event'],
    ['event', [2 ** 53], 'event'],
    ['countEvents', [{ kinds: ['x'] }], 'kinds[0]'],
    ['countEvents', [{ offset: -1 }], 'offset'],
    ['citation', [1], 'text'],
    ['citation', ['??'], 'text'],
    ['changesSince', ['1'], 'after'],
    ['changesSince', [0.5], 'after'],
    ['changesSince', [2 ** 53], 'after'],
    ['changesSince', [0, { limit: -1 }], 'limit'],
    ['sessions', [{ project: 1 }], 'project'],
    ['sessions', [{ project: 'p', allProjects: true }], 'project'],
    ['session', [null], 'id'],
    ['updateSession', [1, {}], 'id'],
    ['updateSession', ['s1'], 'update'],
    ['updateSession', ['s1', { tags: 'work' }], 'tags'],
    ['updateSession', ['s1', { tags: ['work', 1] }], 'tags[1]'],
    ['search', [undefined], 'query'],
    ['search', ['   '], 'query'],
    ['search', ['x', { limit: '5' }], 'limit'],
    ['search', ['x', { limit: 1.5 }], 'limit'],
    ['search', ['x', { kinds: ['nonsense'] }], 'kinds[0]'],
    ['search', ['x', { kinds: 'user_prompt' }], 'kinds'],
    ['search', ['x', { from: 'never' }], 'from'],
    ['search', ['x', { deadlineMs: -1 }], 'deadlineMs'],
    ['search', ['x', { minRelevance: NaN }], 'minRelevance'],
    ['search', ['x', { tools: 'Read' }], 'tools'],
    ['search', ['x', { tools: ['Read', ''] }], 'tools[1]'],
    ['search', ['x', { fileContains: '' }], 'fileContains'],
    ['search', ['x', { fileContains: 'x'.repeat(1_025) }], 'fileContains'],
    ['search', ['x', { toolOutcome: 'crashed' }], 'toolOutcome'],
    ['search', ['x', { minLevel: 'L5' }], 'minLevel'],
    ['context', ['x', { tools: [''] }], 'tools[0]'],
    ['smartSearch', ['x', { minLevel: 1 }], 'minLevel'],
    ['timeline', ['id'], 'events'],
    ['timeline', [['???']], 'events[0]'],
    ['timeline', [[1], { window: 101 }], 'window'],
    ['details', [[1, {}]], 'events[1]'],
    ['importClaudeCode', [1], 'path'],
    ['importClaudeCode', ['x', { onProgress: 1 }], 'onProgress'],
    ['importClaudeCode', ['x', { maxLineBytes: 'many' }], 'maxLineBytes'],
    // Recall and upkeep.
    ['search', ['x', { includeRecalled: 1 }], 'includeRecalled'],
    ['context', [undefined], 'query'],
    ['context', ['   '], 'query'],
    ['context', ['half \ud800'], 'query'],
    ['context', ['x', { session: '' }], 'session'],
    ['context', ['x', { fromSession: 1 }], 'fromSession'],
    ['context', ['x', { budgetTokens: -1 }], 'budgetTokens'],
    ['context', ['x', { format: 'marginal' }], 'format'],
    ['context', ['x', { limit: 0 }], 'limit'],
    ['context', ['x', { limit: 65 }], 'limit'],
    ['context', ['x', { minRelevance: 2 }], 'minRelevance'],
    ['context', ['x', { minBestRelevance: 2 }], 'minBestRelevance'],
    ['context', ['x', { pinned: 1 }], 'pinned'],
    ['context', ['x', { pinned: [1, {}] }], 'pinned[1]'],
    ['context', ['x', { recording: 'soon' }], 'recording'],
    ['context', ['x', { k: 5 }], 'k'],
    ['context', ['x', { kinds: ['task_created'] }], 'kinds'],
    ['smartSearch', [''], 'query'],
    ['smartSearch', ['x', { limit: 0 }], 'limit'],
    ['smartSearch', ['x', { minRelevance: 2 }], 'minRelevance'],
    ['smartSearch', ['x', { window: 101 }], 'window'],
    ['smartSearch', ['x', { expandDetails: 'no' }], 'expandDetails'],
    ['citations.detail', [{}], 'event'],
    ['citations.detail', ['??'], 'event'],
    ['citations.citingSessions', [undefined], 'event'],
    ['citations.popular', [{ limit: 0 }], 'limit'],
    ['citations.popular', [{ windowDays: 0.5 }], 'windowDays'],
    ['citations.popular', [{ windowDays: 2 ** 32 }], 'windowDays'],
    ['forget', [], 'selector'],
    ['forget', [{}], 'selector'],
    ['forget', [{ ids: 'x' }], 'ids'],
    ['forget', [{ ids: ['???'] }], 'ids[0]'],
    ['forget', [{ session: '' }], 'session'],
    ['forget', [{ kinds: ['forgotten'] }], 'kinds'],
    ['forget', [{ project: 'p', allProjects: true }], 'project'],
    ['erase', [{ before: 'never' }], 'before'],
    ['erase', [{ everything: 1 }], 'everything'],
    ['upkeep.countSelected', [{ all: true }], 'all'],
    ['rebuild', [undefined], 'asOf'],
    ['rebuild', ['never'], 'asOf'],
    ['upkeep.stateHash', [1.5], 'asOf'],
    ['upkeep.stateHash', [new Date(NaN)], 'asOf'],
    ['maintain', [{ merges: -1 }], 'merges'],
    ['maintain', [{ graduateEvents: '1' }], 'graduateEvents'],
    ['maintain', [{ graphVectors: '1' }], 'graphVectors'],
    ['maintain', [{ learnMessages: -1 }], 'learnMessages'],
    ['maintain', [{ jobs: 0.5 }], 'jobs'],
    ['maintain', [{ timeMs: -1 }], 'timeMs'],
    ['processOutbox', [{ limit: -1 }], 'limit'],
    ['upkeep.retryOutbox', [-1], 'maxRetries'],
    ['upkeep.retryOutbox', [undefined], 'maxRetries'],
    ['waitForChange', [undefined], 'after'],
    ['waitForChange', [-1], 'after'],
    ['waitForChange', [0, { timeoutMs: -1 }], 'timeoutMs'],
    ['waitForChange', [0, { timeoutMs: 0.5 }], 'timeoutMs'],
    ['waitForChange', [0, { timeoutMs: 2 ** 53 }], 'timeoutMs'],
    ['tasks.create', [{}], 'title'],
    ['search', ['x', { until: '9999-12-31' }], 'until'],
    ['exportJsonl', [1], 'path'],
    ['exportJsonl', [''], 'path'],
    ['exportJsonl', ['x', { selector: 5 }], 'selector'],
    ['exportJsonl', ['x', { selectors: {} }], 'selectors'],
    ['exportJsonl', ['x', { replace: 1 }], 'replace'],
    ['restoreJsonl', [{}], 'path'],
    ['importJsonl', ['a\0b'], 'path'],
    ['backup', [new URL('http://x/')], 'path'],
  ];
  for (const [method, given, argument] of cases) {
    const label = `${method} ${argument}`;
    await assert.rejects(call(memory, method, ...given), failure('invalid_argument', argument), label);
    assert.throws(() => call(memory, `${method}Sync`, ...given), failure('invalid_argument', argument), label);
  }
  assert.equal(memory.statsSync().events, 0, 'a refused event was stored');
});

test('an object that keeps its content elsewhere is not taken for one without fields', async (t) => {
  const memory = openFresh(t);
  memory.appendSync(prompt('an apple'));
  const others = [
    new Map([['session', 'other']]), new Set(['session']), new Date(0), /session/, Object('session'),
    Promise.resolve({ session: 'other' }), { then() {} },
  ];
  for (const other of others) {
    const wrong = (argument) => failure('invalid_argument', argument);
    await assert.rejects(Memory.open(fresh(), other), wrong('options'));
    assert.throws(() => Memory.openSync(fresh(), { privacy: other }), wrong('privacy'));
    assert.throws(() => Memory.openSync(fresh(), { retentionMs: other }), wrong('retentionMs'));
    assert.throws(() => Memory.openSync(fresh(), { embedder: other }), wrong('embedder'));
    await assert.rejects(memory.search('apple', other), wrong('options'));
    assert.throws(() => memory.searchSync('apple', other), wrong('options'));
    assert.throws(() => memory.eventsSync(other).next(), wrong('filter'));
    assert.throws(() => memory.appendSync(prompt('x', { metadata: other })), wrong('metadata'));
  }
  assert.throws(() => memory.searchSync('apple', Promise.resolve({})), { message: /await it$/ });
  assert.throws(() => memory.searchSync('apple', new Map()), { message: 'options: must be an object, not a Map' });
  for (const lost of [new Map([['a', 1]]), new Set([1]), Promise.resolve(1), new Error('x'), /x/]) {
    const nested = prompt('x', { metadata: { deep: [lost] } });
    assert.throws(() => memory.appendSync(nested), { argument: 'metadata', message: /which JSON cannot express/ });
  }
  assert.equal(memory.statsSync().events, 1);
  memory.appendSync(prompt('whole', { metadata: { a: {}, b: [], c: Object(1), d: new Date(0), e: new URL('x:y') } }));
});

test('options may be an object of a class', async (t) => {
  const memory = openFresh(t);
  memory.appendSync(prompt('an apple'));
  class Filter {
    #session = 'other';
    get session() {
      return this.#session;
    }
    describe() {}
  }
  for (const filter of [new Filter(), Object.create({ session: 'other' }), Object.assign(new Filter(), { limit: 5 })]) {
    assert.equal((await memory.search('apple', filter)).items.length, 0);
    assert.deepEqual([...memory.eventsSync(filter)], []);
  }
  assert.throws(() => memory.eventsSync(Object.create({ sesion: 'x' })).next(), failure('invalid_argument', 'sesion'));
});

test('an unknown field tells the known ones, and a blocking form without options takes none', async (t) => {
  const memory = openFresh(t);
  const known = (names) => ({ message: new RegExp(`^sginal: is unknown; known fields are ${names}$`) });
  await assert.rejects(memory.check({ sginal: 1 }), known('signal'));
  await assert.rejects(memory.sessions({ sginal: 1 }), known('project, allProjects, limit, signal'));
  assert.throws(() => memory.sessionsSync({ sginal: 1 }), known('project, allProjects, limit'));
  const embedder = { id: 'x', dimensions: 3, sginal: 1, embed() {} };
  assert.throws(() => Memory.openSync(fresh(), { embedder }), { message: /known fields are id, dimensions, maxBatch, embed$/ });
  const refused = failure('invalid_argument', 'options');
  assert.throws(() => memory.appendSync(prompt('x'), { dedupe: 'none' }), refused);
  assert.throws(() => memory.checkSync({ signal: AbortSignal.abort() }), refused);
  assert.equal(memory.statsSync().events, 0);
  // What `map` passes is no options.
  assert.equal([prompt('a'), prompt('b')].map(memory.appendSync, memory).length, 2);
});

test('an unknown kind is told of kinds that there are', async (t) => {
  const memory = openFresh(t);
  const wrong = { ...prompt('The port is 5433.'), kind: 'nope' };
  const error = await memory.append(wrong).catch((thrown) => thrown);
  assert.equal(error.argument, 'kind');
  const named = error.message.split('such as ')[1].match(/"(\w+)"/g).map((name) => JSON.parse(name));
  assert.deepEqual(named, ['user_prompt', 'agent_response', 'tool_observation', 'session_summary']);
  for (const kind of named) await memory.append({ ...wrong, kind, session: kind });
});

test('times of other contexts, and those that are too late', (t) => {
  const memory = openFresh(t);
  const timestamp = runInNewContext('new Date(0)');
  assert.equal(memory.eventSync(memory.appendSync(prompt('x', { timestamp })).seq).timestamp, 0);
  for (const until of ['9999-12-31', '9999-12-31T23:59:59Z', new Date(253402300799000)]) {
    assert.throws(() => memory.searchSync('x', { until }), {
      ...failure('invalid_argument', 'until'), message: /is outside 0001-01-01 to 9999-12-30/,
    });
  }
});

test('filters of the iterators are checked at the first step', async (t) => {
  const memory = openFresh(t);
  for (const [filter, argument] of [
    [{ kinds: ['x'] }, 'kinds[0]'],
    [{ newestFirst: 1 }, 'newestFirst'],
    [{ until: {} }, 'until'],
    ['s1', 'filter'],
  ]) {
    await assert.rejects(memory.events(filter).next(), failure('invalid_argument', argument));
    assert.throws(() => memory.eventsSync(filter).next(), failure('invalid_argument', argument));
  }
});

test('every text argument refuses what is no string, and lone surrogates', async (t) => {
  const memory = openFresh(t);
  const texts = {
    content: (text) => memory.append(prompt(text)),
    session: (text) => memory.append(prompt('x', { session: text })),
    query: (text) => memory.search(text),
    text: (text) => memory.citation(text),
    path: (text) => Memory.open(text),
  };
  for (const [argument, call] of Object.entries(texts)) {
    for (const wrong of [...NOT_STRINGS, ...SURROGATES]) {
      // Content may be left out of a tool observation, so that its absence is the core's to refuse.
      await assert.rejects(call(wrong), failure('invalid_argument', argument), `${argument} ${String(wrong)}`);
    }
  }
  assert.equal(memory.statsSync().events, 0);
});

test('what JSON would lose is refused', async (t) => {
  const memory = openFresh(t);
  const lost = [
    () => 1, Symbol('x'), new Date(NaN), Object(NaN), class {}, [undefined], [, 1], [() => 1], new Map([[1, 2]]),
  ];
  for (const value of lost) {
    for (const given of [{ a: value }, { deep: [{ a: 1, b: value }] }]) {
      assert.throws(() => memory.appendSync(prompt('x', { metadata: given })), failure('invalid_argument', 'metadata'));
      await assert.rejects(memory.append(prompt('x', { metadata: given })), failure('invalid_argument', 'metadata'));
      const tool = { name: 'Read', input: given };
      assert.throws(
        () => memory.appendSync({ kind: 'tool_observation', session: 's', content: 'x', tool }),
        failure('invalid_argument', 'tool.input'),
      );
      assert.throws(() => Memory.openSync(fresh(), { settings: given }), failure('invalid_argument', 'settings'));
    }
  }
  for (const settings of [{ nope: () => 1 }, { retrieval() {} }, { retrieval: { topK: () => 3 } }]) {
    await assert.rejects(Memory.open(fresh(), { settings }), failure('invalid_argument', 'settings'));
  }
  assert.equal(memory.statsSync().events, 0);
  let reads = 0;
  const given = { left: undefined, at: new Date(0), own: { toJSON: () => [1] }, get read() { return (reads += 1); } };
  const { id } = memory.appendSync(prompt('x', { metadata: given }));
  assert.deepEqual(memory.eventSync(id).metadata, { at: '1970-01-01T00:00:00.000Z', own: [1], read: 1 });
  assert.equal(reads, 1);
});

test('an export in place of its path is not shown', async (t) => {
  const memory = openFresh(t);
  const text = `{"recallite":3,"secret":"0123456789"}\n{"content":"my secret diary"}\n${'x'.repeat(300)}`;
  const calls = [
    () => memory.importJsonl(text), () => memory.restoreJsonl(text), () => memory.exportJsonl(text),
    () => memory.backup(text), () => memory.importClaudeCode(text), () => Memory.open(text),
    () => Memory.open(fresh(), { settingsFile: text }),
    async () => memory.importJsonlSync(text), async () => memory.restoreJsonlSync(text),
  ];
  for (const call of calls) {
    await assert.rejects(call, (error) => error instanceof MemoryError && !error.message.includes('secret'), String(call));
  }
  await assert.rejects(memory.importJsonl(text), {
    code: 'invalid_argument', argument: 'path', message: /the text of a file, not its path/,
  });
});

test('a number that JSON cannot express is refused', async (t) => {
  const memory = openFresh(t);
  for (const number of [NaN, Infinity, -Infinity]) {
    const metadata = { a: null, b: [{ c: number }] };
    assert.throws(() => memory.appendSync(prompt('x', { metadata })), failure('invalid_argument', 'metadata'));
  }
  const metadata = { a: null, b: 'null' };
  const { id } = memory.appendSync(prompt('x', { metadata }));
  assert.deepEqual(memory.eventSync(id).metadata, metadata);
});

test('a message is one short line without control characters, whatever it names', async (t) => {
  const memory = openFresh(t);
  const name = '\x1b[2J\n\u202eé'.repeat(400);
  const circle = {};
  circle[name] = circle;
  const failing = (thrown) => ({ toJSON() { throw thrown; } });
  const calls = [
    () => memory.append(prompt('x', { [name]: 1 })),
    () => memory.append(prompt('x', { metadata: circle })),
    () => memory.append(prompt('x', { metadata: failing(new Error(name)) })),
    () => memory.append(prompt('x', { metadata: failing(undefined) })),
    () => memory.append(prompt('x', { metadata: failing({}) })),
    () => memory.search('x', { [name]: 1 }),
    () => memory.forget({ [name]: 1 }),
    () => memory.endless.setConfig({ [name]: 1 }),
    () => Memory.open(fresh(), { [name]: 1 }),
    () => Memory.open(fresh(), { privacy: { [name]: 1 } }),
    () => Memory.open(fresh(), { retentionMs: { [name]: 'long' } }),
    () => Memory.open(fresh(), { settings: { [name]: 1 } }),
  ];
  for (const [at, refused] of calls.entries()) {
    await assert.rejects(refused, (error) => {
      assert.equal(error.code, 'invalid_argument', `${at}: ${error.stack}`);
      assert.ok(Buffer.byteLength(error.message) <= 1_000, `${at}: ${error.message.length}`);
      assert.doesNotMatch(error.message, /[\p{Cc}\u202a-\u202e\u2066-\u2069\ufffd]/u, `${at}`);
      return true;
    });
  }
});

test('a lone surrogate inside of JSON is refused in the same words', async (t) => {
  const memory = openFresh(t);
  const lone = String.fromCharCode(0xd83d);
  const tool = (input) => ({ kind: 'tool_observation', session: 's', tool: { name: 'Read', input } });
  for (const [event, argument] of [
    [prompt('x', { metadata: { deep: [{ key: `half ${lone}` }] } }), 'metadata'],
    [prompt('x', { metadata: { [lone]: 1 } }), 'metadata'],
    [prompt('x', { metadata: { key: `\\\\${lone}` } }), 'metadata'],
    [tool({ path: lone }), 'tool.input'],
  ]) {
    const refused = { ...failure('invalid_argument', argument), message: /lone surrogate/ };
    await assert.rejects(memory.append(event), refused);
    assert.throws(() => memory.appendSync(event), refused);
  }
  // Whole pairs, and a backslash before the letters, are text like any other.
  for (const value of ['😀', '\\ud83d', '\\\\ud83d', 'C:\\ud800']) {
    const { seq } = memory.appendSync(prompt(`fine ${value}`, { metadata: { value } }));
    assert.deepEqual(memory.eventSync(seq).metadata, { value });
  }
});

test('paths', async () => {
  for (const [wrong, argument] of [['', 'path'], ['a\0b', 'path'], [new URL('http://x/'), 'path']]) {
    await assert.rejects(Memory.open(wrong), failure('invalid_argument', argument));
    assert.throws(() => Memory.openSync(wrong), failure('invalid_argument', argument));
  }
  const file = fresh('file');
  fs.writeFileSync(file, 'not a memory');
  assert.throws(() => Memory.openSync(file), failure('invalid_argument', 'path'));
  assert.throws(() => Memory.openSync(fresh(), { create: false }), failure('not_found'));
  assert.throws(() => Memory.openSync(fresh(), { cacheBytes: -1 }), failure('invalid_argument', 'cacheBytes'));
  assert.throws(() => Memory.openSync(fresh(), { busyTimeout: 5 }), failure('invalid_argument', 'busyTimeout'));
});

test('what does not exist is not_found', async (t) => {
  const memory = openFresh(t);
  await assert.rejects(memory.citation('a7Bc3x'), failure('not_found', 'text'));
  await assert.rejects(memory.details([1]), failure('not_found', 'events[0]'));
});

test('a damaged store is corrupt', () => {
  const folder = fresh();
  const memory = Memory.openSync(folder);
  memory.appendSync(prompt('x'));
  memory.closeSync();
  const file = fs.readdirSync(folder).find((name) => name.endsWith('.redb'));
  fs.writeFileSync(path.join(folder, file), Buffer.alloc(1 << 16, 7));
  assert.throws(() => Memory.openSync(folder), failure('corrupt'));
});

test('a folder without permission is permission_denied', { skip: process.getuid?.() === 0 && 'root may do everything' }, () => {
  const folder = fresh();
  fs.mkdirSync(folder, { mode: 0o500 });
  assert.throws(() => Memory.openSync(path.join(folder, 'memory')), failure('permission_denied'));
});

test('another owner makes it busy', async () => {
  const folder = fresh();
  const owner = Memory.openSync(folder, { exclusive: true });
  const { addon } = hooks();
  // Another copy of the addon is to the store what another process is.
  const outcome = addon.openSync(folder, { busyTimeoutMs: 50 });
  owner.closeSync();
  assert.equal(outcome.failureCode, 'busy');
  assert.equal(outcome.retryable, true);
});

test('every method of a closed memory fails with closed', async (t) => {
  const memory = openFresh(t);
  memory.appendSync(prompt('x'));
  memory.closeSync();
  const given = {
    append: [prompt('y')], appendBatch: [[prompt('y')]], event: [1], countEvents: [], citation: ['a7Bc3x'],
    changesSince: [0], sessions: [], session: ['s1'], updateSession: ['s1', {}], search: ['x'],
    timeline: [[1]], details: [[1]], importClaudeCode: ['/tmp'], stats: [],
    // Recall and upkeep.
    context: ['x'], smartSearch: ['x'], 'citations.detail': ['a7Bc3x'], 'citations.popular': [],
    'citations.citingSessions': ['a7Bc3x'], forget: [{ ids: [1] }], erase: [{ ids: [1] }],
    'upkeep.countSelected': [{ ids: [1] }], 'upkeep.countErasable': [{ ids: [1] }],
    'upkeep.settings': [], 'upkeep.applyRetention': [], compact: [], check: [], rebuild: [0],
    'upkeep.stateHash': [0], maintain: [], processOutbox: [], 'upkeep.retryOutbox': [1], 'upkeep.upgrade': [],
    waitForChange: [0], exportJsonl: ['/tmp/x'], restoreJsonl: ['/tmp/x'], importJsonl: ['/tmp/x'],
    backup: ['/tmp/x'],
    ...learnCalls,
  };
  for (const [method, values] of Object.entries(given)) {
    await assert.rejects(call(memory, method, ...values), failure('closed'), method);
    assert.throws(() => call(memory, `${method}Sync`, ...values), failure('closed'), `${method}Sync`);
  }
  await assert.rejects(memory.events().next(), failure('closed'));
  assert.throws(() => memory.eventsSync().next(), failure('closed'));
  await memory.close();
  const methods = [];
  const areas = Object.entries(Object.getOwnPropertyDescriptors(Memory.prototype))
    .filter(([name, { get }]) => get && typeof memory[name] === 'object')
    .map(([name]) => [`${name}.`, memory[name]]);
  for (const [area, owner] of [['', memory], ...areas]) {
    const names = Object.getOwnPropertyNames(owner.constructor.prototype);
    methods.push(...names.filter((name) => name.endsWith('Sync')).map((name) => `${area}${name}`));
  }
  assert.deepEqual(
    methods.sort(),
    [...Object.keys(given), 'events', 'close'].map((name) => `${name}Sync`).sort(),
    'a method is missing in this test',
  );
});

test('methods on something that is no memory throw', () => {
  for (const wrong of [undefined, {}, Object.create(Memory.prototype), new Proxy({}, {})]) {
    assert.throws(() => Memory.prototype.statsSync.call(wrong), TypeError);
  }
  assert.throws(() => new Memory(), failure('unsupported'));
});

test('the addon itself survives whatever it is given', async () => {
  const names = fs.readdirSync(path.join(app, 'node_modules', '@recallite'));
  const addon = require(`@recallite/${names[0]}`);
  const memory = addon.openSync(fresh(), {});
  const values = [undefined, null, 0, -1, NaN, 1e300, '', 'x', [], {}, Symbol('s'), 1n, () => 1, memory, new addon.NativeCancel()];
  for (const name of Object.getOwnPropertyNames(addon.NativeMemory.prototype)) {
    if (name === 'constructor' || name.startsWith('close')) continue;
    // What writes or reads the whole store is tried with fewer values.
    const isSlow = /^(compact|check|rebuild|maintain|erase|forget|backup|export|upgrade)/.test(name);
    const firsts = isSlow ? [undefined, {}, 'x', memory] : values;
    for (const first of firsts) {
      for (const second of firsts) {
        for (const receiver of [memory, {}, second]) {
          try {
            await Reflect.apply(addon.NativeMemory.prototype[name] ?? (() => 0), receiver, [first, second]);
          } catch (error) {
            assert.ok(error instanceof Error);
          }
        }
      }
    }
  }
  memory.closeSync();
});

test('a panic inside becomes internal and then poisoned, in both forms', async () => {
  const { addon } = hooks();
  const memory = addon.openSync(fresh(), {});
  const failed = addon.testPanicSync(memory);
  assert.equal(failed.failureCode, 'internal');
  // The panic's own text may quote what is stored.
  const said =
    'a defect in recallite ended the call (see standard error); close the memory and open it again';
  assert.equal(failed.message, said);
  assert.equal(failed.needsReopen, true);
  const later = memory.statsSync();
  assert.equal(later.failureCode, 'poisoned');
  assert.equal(later.needsReopen, true);
  assert.equal(memory.isPoisoned, true);
  assert.equal(memory.closeSync(), undefined);
  const other = addon.openSync(fresh(), {});
  const { failureCode, message, needsReopen } = await addon.testPanic(other);
  assert.deepEqual([failureCode, message, needsReopen], ['internal', said, true]);
  assert.equal((await other.stats()).failureCode, 'poisoned');
  assert.equal(await other.close(), undefined);
});

test('every code of the core arrives with its hints', () => {
  const { addon } = hooks();
  assert.deepEqual(addon.errorCodes(), ERROR_CODES);
  for (const code of ERROR_CODES) {
    const failed = addon.testFailure(code);
    assert.equal(failed.failureCode, code);
    assert.equal(failed.argument, 'someName');
    assert.equal(failed.retryable, ['busy', 'full', 'embedder'].includes(code));
    assert.equal(failed.needsReopen, ['needs_reopen', 'poisoned', 'closed'].includes(code));
  }
});

test('test hooks are not in the published addon', () => {
  const names = fs.readdirSync(path.join(app, 'node_modules', '@recallite'));
  const addon = require(`@recallite/${names[0]}`);
  assert.deepEqual(Object.keys(addon).filter((name) => name.startsWith('test')), []);
});

test('an aborted call rejects with the reason and stores nothing', async (t) => {
  const memory = openFresh(t);
  const aborted = AbortSignal.abort(new Error('mine'));
  await assert.rejects(memory.append(prompt('x'), { signal: aborted }), { message: 'mine' });
  await assert.rejects(memory.search('x', { signal: aborted }), { message: 'mine' });
  await assert.rejects(Memory.open(fresh(), { signal: aborted }), { message: 'mine' });
  await assert.rejects(memory.events({ signal: aborted }).next(), { message: 'mine' });
  await assert.rejects(memory.stats({ signal: {} }), failure('invalid_argument', 'signal'));

  const warnings = [];
  const warn = (warning) => warnings.push(warning.message);
  process.on('warning', warn);
  t.after(() => process.off('warning', warn));
  const controller = new AbortController();
  const calls = Array.from({ length: 200 }, (_, index) =>
    memory.append(prompt(`event ${index}`), { signal: controller.signal }),
  );
  controller.abort();
  const settled = await Promise.allSettled(calls);
  await memory.append(prompt('after'));
  const stored = settled.filter((one) => one.status === 'fulfilled').length;
  assert.ok(stored < 200, 'nothing was cancelled');
  assert.equal(memory.statsSync().events, stored + 1, 'a receipt and the log disagree');
  for (const one of settled) {
    if (one.status === 'rejected') assert.equal(one.reason.name, 'AbortError');
  }
  assert.deepEqual(warnings, []);
});

test('messages name methods and options as JavaScript does', (t) => {
  const memory = openFresh(t);
  const entry = { entryType: 'fact', session: 's', title: 'Port', content: 'It is 8080', project: 'shop' };
  assert.throws(() => memory.knowledge.addEntrySync({ ...entry, validFrom: 2000, validTo: 1000 }), {
    argument: 'validTo',
    message: 'validTo: must be after `validFrom`',
  });
  const folder = path.join(fresh(), 'nothing shared');
  fs.mkdirSync(folder, { recursive: true });
  assert.throws(() => memory.sharing.pullFolderSync(folder), {
    message: /call sharing\.pushFolder\(\) or sharing\.announce\(\) first$/,
  });
});
