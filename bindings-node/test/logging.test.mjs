// What a memory tells a function of the program of its work.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';

import { Memory } from 'recallite';

import { app, fresh, openFresh, prompt } from './setup.mjs';

const MARKER = 'zqxwmarker';

test('upkeep and degraded searches are told, in both forms, and no text is', async (t) => {
  const told = [];
  const memory = openFresh(t, { onLog: (record) => told.push(record), logLevel: 'debug' });
  assert.deepEqual(told, [{ level: 'info', target: 'open', message: 'created a new store' }]);
  memory.appendSync(prompt(MARKER));
  memory.compactSync();
  await memory.compact();
  await memory.search(MARKER, { deadlineMs: 0 });
  await turn();
  const lines = told.map(({ level, target, message }) => `${level} ${target} ${message}`);
  assert.equal(lines.filter((line) => line.startsWith('info upkeep compacted: ')).length, 2);
  assert.ok(lines.some((line) => line.startsWith('warn recall a search is degraded: ')));
  assert.ok(lines.every((line) => !line.includes(MARKER)));
  const before = told.length;
  memory.compactSync();
  await memory.close();
  assert.equal(told.length, before + 1, 'closing tells what still waits');
});

test('a close that fails tells what still waits', async (t) => {
  const [platform] = fs.readdirSync(path.join(app, 'node_modules', '@recallite'));
  const { NativeMemory } = createRequire(import.meta.url)(`@recallite/${platform}`);
  const failed = {
    failureCode: 'io', message: 'the disk', argument: null, retryable: false, needsReopen: false, causes: [],
  };
  for (const [form, outcome] of [['close', Promise.resolve(failed)], ['closeSync', failed]]) {
    const told = [];
    const memory = openFresh(t, { onLog: (record) => told.push(record) });
    await turn();
    const close = t.mock.method(NativeMemory.prototype, form, () => outcome);
    memory.compactSync();
    const before = told.length;
    // No turn of the event loop passes, which would tell it too.
    await assert.rejects(async () => memory[form](), { code: 'io' });
    close.mock.restore();
    assert.equal(told.length, before + 1, form);
  }
});

test('less than was asked for is not told', (t) => {
  const told = [];
  const memory = openFresh(t, { onLog: (record) => told.push(record), logLevel: 'warn' });
  memory.compactSync();
  memory.closeSync();
  assert.deepEqual(told, []);
});

test('a function that fails harms nothing', async (t) => {
  const warnings = [];
  const warn = (warning) => warnings.push(`${warning.message} ${warning.detail}`);
  process.on('warning', warn);
  t.after(() => process.off('warning', warn));
  for (const onLog of [() => { throw new Error('mine'); }, async () => { throw new Error('mine'); }]) {
    const memory = openFresh(t, { onLog });
    memory.compactSync();
    await memory.close();
  }
  await turn();
  assert.equal(warnings.filter((message) => /^onLog failed.*Error: mine\n/s.test(message)).length, 2);
});

test('what is no function or level is refused', (t) => {
  const folder = fresh();
  assert.throws(() => Memory.openSync(folder, { onLog: 'console' }), { argument: 'onLog' });
  assert.throws(() => Memory.openSync(folder, { logLevel: 'loud' }), { argument: 'logLevel' });
});

test('a process that ends tells what it was not told yet, and ends', (t) => {
  const code = `
    import { Memory } from 'recallite';
    const memory = Memory.openSync(process.argv[1], { onLog: (it) => console.log(it.message) });
    memory.compactSync();
  `;
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', code, fresh()], {
    cwd: app, encoding: 'utf8', timeout: 60_000,
  });
  assert.equal(run.status, 0, run.stderr);
  assert.match(run.stdout, /^created a new store\ncompacted: /);
});
