// Progress of long operations, and stopping them.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';

import { app, failure, fresh, openFresh, prompt } from './setup.mjs';

const EVENTS = 200;

function filled(t, options) {
  const memory = openFresh(t, options);
  memory.appendBatchSync(Array.from({ length: EVENTS }, (_, index) => prompt(`lamp ${index} is lit`)));
  return memory;
}

test('the beginning and the end of operations are told, in both forms', async (t) => {
  const memory = filled(t);
  const told = [];
  memory.setProgressHandler((progress) => void told.push(progress));
  const calls = {
    check: [], compact: [], rebuild: [0], maintain: [], forget: [{ ids: [1] }], erase: [{ ids: [2] }],
  };
  for (const [operation, given] of Object.entries(calls)) {
    for (const form of [operation, `${operation}Sync`]) {
      told.length = 0;
      await memory[form](...given);
      await turn();
      await sleep(1);
      assert.ok(told.length >= 2, form);
      assert.deepEqual([...new Set(told.map((progress) => progress.operation))], [operation]);
      assert.equal(told[0].done, 0);
      assert.equal(told.at(-1).total, told.at(-1).done);
    }
  }
  told.length = 0;
  memory.setProgressHandler(null);
  await memory.check();
  await turn();
  assert.deepEqual(told, []);
  assert.throws(() => memory.setProgressHandler(5), failure('invalid_argument', 'handler'));
  memory.interrupt();
  assert.ok((await memory.check()).ok, 'one that begins later is not affected');
  memory.closeSync();
  assert.throws(() => memory.interrupt(), failure('closed'));
});

test('a handler that is removed, or whose memory it closes, is called no more', async (t) => {
  for (const end of [
    (memory) => memory.closeSync(),
    (memory) => memory.setProgressHandler(null),
    (memory) => memory.setProgressHandler(() => {}),
  ]) {
    const memory = filled(t);
    let calls = 0;
    memory.setProgressHandler(() => {
      calls += 1;
      if (calls === 1) end(memory);
    });
    memory.compactSync();
    memory.checkSync();
    for (let left = 500; calls === 0 && left > 0; left -= 1) await sleep(10);
    await turn();
    await sleep(1);
    assert.equal(calls, 1, String(end));
  }
});

/** An embedder whose first call does something; each takes longer than calls are apart. */
function slow(first) {
  const seen = { calls: 0 };
  const embedder = {
    id: 'slow-1',
    dimensions: 1,
    async embed(texts) {
      seen.calls += 1;
      if (seen.calls === 1) first();
      await sleep(100);
      return texts.map(() => [1]);
    },
  };
  return [embedder, seen];
}

test('a running call ends when its signal fires or the memory is interrupted', async (t) => {
  let first;
  const [embedder, seen] = slow(() => first());
  const memory = filled(t, { embedder });
  const controller = new AbortController();
  first = () => controller.abort(new Error('enough'));
  const aborted = memory.processOutbox({ limit: EVENTS, signal: controller.signal });
  await assert.rejects(aborted, { message: 'enough' });
  const left = (await memory.stats()).embedding.pending;
  assert.ok(left > 0 && left < EVENTS, `${left}`);
  assert.ok(seen.calls * 32 < EVENTS, 'it went on');

  const noted = [];
  memory.setProgressHandler(({ operation }) => {
    noted.push(operation);
    memory.interrupt();
  });
  await assert.rejects(memory.processOutbox({ limit: EVENTS }), failure('interrupted'));
  assert.ok(noted.includes('process_outbox'));
  memory.setProgressHandler(null);
  await memory.processOutbox({ limit: EVENTS });
  assert.equal((await memory.stats()).embedding.vectors, EVENTS);
  assert.ok((await memory.check()).ok);
});

test('a handler that throws is a warning, and a handler does not keep the process alive', () => {
  const script = `
    import { Memory } from 'recallite';
    const memory = Memory.openSync(process.argv[1]);
    memory.setProgressHandler(() => { throw new Error('mine'); });
    await memory.check();
    await memory.check();
    setImmediate(() => console.log('done'));
  `;
  const { stdout, stderr, status } = spawnSync(
    process.execPath, ['--input-type=module', '--eval', script, fresh()],
    { cwd: app, encoding: 'utf8', timeout: 60_000 },
  );
  assert.equal(status, 0, stderr);
  assert.equal(stdout, 'done\n');
  assert.equal(stderr.split('the progress handler failed').length, 2, stderr);
  assert.match(stderr, /Error: mine/);
});
