// Functions of the program that the library calls: embedders and token counters.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { setTimeout as sleep } from 'node:timers/promises';
import v8 from 'node:v8';
import vm from 'node:vm';
import { Worker } from 'node:worker_threads';

import { Memory } from 'recallite';

import { app, failure, fresh, openFresh, prompt, repository } from './setup.mjs';

v8.setFlagsFromString('--expose-gc');
const gc = vm.runInNewContext('gc');

/** A model that knows two meanings: food and ships. */
const MEANINGS = [/apple|pear|fruit|과일|사과/i, /ship|boat|harbour|배|항구/i];
const vector = (text) => [...MEANINGS.map((meaning) => (meaning.test(text) ? 1 : 0)), 0.1];
const model = (embed = (texts) => texts.map(vector), more) => ({
  id: 'meanings-1', dimensions: 3, embed, ...more,
});
const later = (embed) => async (texts) => {
  await sleep(2);
  return embed(texts);
};
const EVENTS = [prompt('An apple a day.'), prompt('항구에 배가 있다 🚢'), prompt('Nothing of the kind.')];

test('a vector takes the place of the question', async (t) => {
  const memory = openFresh(t, { embedder: model() });
  memory.appendBatchSync(EVENTS);
  memory.processOutboxSync();
  const wanted = vector('fruit');
  for (const given of [wanted, Float32Array.from(wanted)]) {
    assert.equal(memory.searchSync('', { vector: given }).items[0].seq, 1);
    assert.equal((await memory.search('', { vector: given })).items[0].seq, 1);
  }
  const both = memory.searchSync('Nothing', { vector: wanted }).items.map((hit) => hit.seq);
  assert.ok(both.includes(1) && both.includes(3));
  for (const wrong of [[], [0, 0, 0], [NaN, 1, 1], [1, 2], 'abc', ['a']]) {
    assert.throws(() => memory.searchSync('x', { vector: wrong }), (error) => /^vector/.test(error.argument));
  }
  const plain = openFresh(t);
  plain.appendSync(prompt('no vectors here'));
  assert.throws(() => plain.searchSync('x', { vector: wanted }), { code: 'unsupported' });
});

test('with the question\'s vector every recall works beside an embedder of promises', async (t) => {
  let asked = 0;
  const embed = async (texts) => {
    asked += 1;
    return texts.map(vector);
  };
  const memory = openFresh(t, { embedder: model(embed) });
  memory.appendBatchSync(EVENTS);
  await memory.processOutbox();
  asked = 0;
  const given = { vector: vector('fruit') };
  for (const form of ['', 'Sync']) {
    assert.equal((await memory[`search${form}`]('', given)).items[0].seq, 1);
    assert.equal((await memory[`smartSearch${form}`]('', given)).index[0].seq, 1);
    const context = await memory[`context${form}`]('fruit', { ...given, recording: 'never', minRelevance: 0 });
    assert.ok(context.items.some(({ seq }) => seq === 1), form);
  }
  assert.equal(asked, 0);
});

test('events get their vectors and are found by meaning, in both forms', async (t) => {
  const seen = [];
  const memory = openFresh(t, {
    embedder: model((texts) => {
      assert.ok(texts.every((text) => typeof text === 'string' && text.isWellFormed()));
      seen.push(...texts);
      return texts.map(vector);
    }),
  });
  memory.appendBatchSync(EVENTS);
  assert.deepEqual(memory.processOutboxSync({ limit: 1 }), {
    processed: 1, succeeded: 1, failed: 0, skipped: 0, errors: [],
  });
  assert.equal((await memory.processOutbox()).succeeded, 2);
  assert.equal((await memory.processOutbox()).processed, 0);
  assert.ok(seen.some((text) => text.includes('항구에 배가 있다 🚢')));
  const { embedding } = memory.statsSync();
  assert.match(embedding.version, /^meanings-1@/);
  assert.deepEqual([embedding.dimensions, embedding.vectors, embedding.pending], [3, 3, 0]);
  assert.ok(embedding.lastProcessed > 0);
  // No word in common: only the vectors find it.
  for (const found of [memory.searchSync('fruit'), await memory.search('fruit')]) {
    assert.equal(found.degraded, false);
    assert.equal(found.items[0].summary, 'An apple a day.');
  }
  assert.equal(memory.searchSync('boat').items[0].seq, 2);
  assert.equal(memory.contextSync('boat', { minRelevance: 0 }).degraded, false);
  assert.equal(memory.smartSearchSync('fruit').index[0].seq, 1);
});

test('vectors may be arrays or typed arrays, at once or as promises', async (t) => {
  for (const make of [
    (values) => values,
    Float32Array.from.bind(Float32Array),
    Float64Array.from.bind(Float64Array),
    // As a test runner has them, whose modules live in a context of their own.
    (values) => runInNewContext('Float32Array.from(values)', { values }),
  ]) {
    for (const wrap of [(embed) => embed, later]) {
      const memory = openFresh(t, { embedder: model(wrap((texts) => texts.map((text) => make(vector(text))))) });
      await memory.appendBatch(EVENTS);
      assert.equal((await memory.processOutbox()).succeeded, 3);
      const found = await memory.search('fruit');
      assert.deepEqual([found.degraded, found.items[0].seq], [false, 1]);
    }
  }
});

test('maintenance embeds too, in both forms', async (t) => {
  let isBroken = true;
  const embed = (texts) => {
    if (isBroken) throw new Error('고장 💥');
    return texts.map(vector);
  };
  for (const form of [embed, later(embed)]) {
    isBroken = true;
    const memory = openFresh(t, { embedder: model(form) });
    memory.appendBatchSync(EVENTS);
    const { jobsDone, jobsFailed } = await memory.maintain();
    assert.deepEqual([jobsDone, jobsFailed], [0, 3]);
    isBroken = false;
    assert.equal(await memory.upkeep.retryOutbox(3), 3);
    assert.equal((await memory.maintain({ jobs: 1, timeMs: 60_000 })).jobsDone, 1);
    const none = await memory.maintain({ jobs: 0 });
    assert.deepEqual([none.jobsDone, none.jobsWaiting], [0, 2]);
    const { jobsDone: rest, jobsWaiting, hasMore } = form === embed ? memory.maintainSync() : await memory.maintain();
    assert.deepEqual([rest, jobsWaiting, hasMore], [2, 0, false]);
    assert.equal(memory.statsSync().embedding.vectors, 3);
  }
});

test('batches are as large as the embedder wants', async (t) => {
  const sizes = [];
  const embedder = model((texts) => {
    sizes.push(texts.length);
    return texts.map(vector);
  }, { maxBatch: 7 });
  const memory = openFresh(t, { embedder });
  memory.appendBatchSync(Array.from({ length: 50 }, (_, index) => prompt(`apple ${index}`)));
  assert.equal((await memory.processOutbox()).succeeded, 50);
  assert.ok(Math.max(...sizes) === 7, `batches of ${sizes}`);
});

test('endless mode asks the embedder in both forms, and waits for nobody', async (t) => {
  const asked = [];
  const memory = openFresh(t, {
    embedder: model((texts) => {
      asked.push(...texts);
      return texts.map(vector);
    }),
  });
  memory.endless.setModeSync('endless');
  memory.appendBatchSync(EVENTS);
  memory.endless.consolidateSync();
  while (memory.processOutboxSync().processed > 0);
  const calls = [
    () => memory.endless.contextSync({ query: 'the fruit of today' }),
    () => memory.endless.memoriesSync({ text: 'the fruit of tomorrow' }),
  ];
  for (const call of calls) {
    const before = asked.length;
    call();
    assert.ok(asked.length > before, String(call));
  }
  const many = Array.from({ length: 8 }, (_, number) =>
    memory.endless.context({ query: `fruit number ${number}` }),
  );
  for (const found of await Promise.all(many)) assert.ok(found);
});

test('an embedder with a field of another name is refused', (t) => {
  const error = { code: 'invalid_argument', argument: 'embedder.max_batch' };
  assert.throws(() => openFresh(t, { embedder: model(undefined, { max_batch: 4 }) }), error);
  class Model {
    id = 'own-1';
    dimensions = 3;
    note = 'of no concern';
    embed(texts) {
      return texts.map(vector);
    }
  }
  assert.ok(openFresh(t, { embedder: new Model() }).isOpen);
});

test('a blocking call refuses an embedder that gives promises, and does not hang', async (t) => {
  const asynchronous = later((texts) => texts.map(vector));
  const hidden = (texts) => asynchronous(texts);
  for (const embed of [asynchronous, hidden]) {
    const memory = openFresh(t, { embedder: model(embed) });
    memory.appendBatchSync(EVENTS);
    assert.equal((await memory.processOutbox()).succeeded, 3);
    for (const call of [
      () => memory.searchSync('fruit'),
      () => memory.contextSync('fruit'),
      () => memory.smartSearchSync('fruit'),
      () => memory.processOutboxSync(),
      () => memory.maintainSync(),
    ]) {
      assert.throws(call, failure('unsupported'));
    }
    // Everything else blocks as ever, and the asynchronous forms go on.
    assert.equal(memory.statsSync().embedding.vectors, 3);
    assert.equal(memory.maintainSync({ jobs: 0 }).jobsDone, 0);
    assert.equal((await memory.search('fruit')).items[0].seq, 1);
  }
  // Found out in the middle of a blocking call, too.
  const other = openFresh(t, { embedder: model(hidden) });
  other.appendBatchSync(EVENTS);
  assert.throws(() => other.processOutboxSync(), failure('unsupported'));
});

test('a search goes on without an embedder that fails; the outbox reports it', async (t) => {
  let isBroken = true;
  const embedder = model((texts) => {
    if (isBroken) throw new Error('the model is 고장 💥');
    return texts.map(vector);
  });
  const memory = openFresh(t, { embedder });
  memory.appendBatchSync(EVENTS);
  const { failed, errors } = await memory.processOutbox();
  assert.equal(failed, 3);
  assert.equal(errors.length, 3);
  assert.match(errors[0].message, /the model is 고장 💥/);
  assert.equal(typeof errors[0].job, 'number');
  assert.equal(memory.statsSync().embedding.failed, 3);
  isBroken = false;
  assert.equal(await memory.upkeep.retryOutbox(3), 3);
  assert.equal(memory.upkeep.retryOutboxSync(3), 0);
  assert.equal(memory.processOutboxSync().succeeded, 3);
  isBroken = true;
  for (const found of [memory.searchSync('apple'), await memory.search('a day apple')]) {
    assert.equal(found.degraded, true);
    assert.equal(found.items[0].seq, 1);
  }
});

test('answers that are no vectors are told apart', async (t) => {
  const cases = [
    [() => undefined, /array of vectors/],
    [() => 'vectors', /array of vectors/],
    [(texts) => texts.map(() => 'x'), /embed\(\)\[0\]: must be an array, not a string/],
    [(texts) => texts.map(() => [null, 1, 1]), /embed\(\)\[0\]\[0\]: must be a number, not null/],
    [(texts) => texts.map(() => ['1', 2, 3]), /embed\(\)\[0\]\[0\]: must be a number, not a string/],
    [() => [], /0 vectors for/],
    [(texts) => texts.map(() => [1]), /has 1 numbers instead of 3/],
    [(texts) => texts.map(() => [1, NaN, 1]), /embed\(\)\[0\]\[1\]: must be a finite number, not NaN/],
    [(texts) => texts.map(() => Float32Array.of(1, NaN, 1)), /not finite/],
    [() => Promise.reject(new Error('rejected')), /rejected/],
    [async () => ({}), /array of vectors/],
    // eslint-disable-next-line no-throw-literal
    [() => { throw Symbol('odd'); }, /odd/],
    [() => { throw { toString() { throw 1; } }; }, /cannot be shown/],
  ];
  for (const [embed, problem] of cases) {
    const memory = openFresh(t, { embedder: model(embed) });
    memory.appendSync(prompt('apple'));
    const { failed, errors } = await memory.processOutbox();
    assert.equal(failed, 1, String(embed));
    assert.match(errors[0].message, problem);
  }
});

test('without an embedder the outbox is unsupported', async (t) => {
  const memory = openFresh(t);
  await assert.rejects(memory.processOutbox(), failure('unsupported'));
  assert.throws(() => memory.processOutboxSync(), failure('unsupported'));
  await assert.rejects(memory.upkeep.retryOutbox(1), failure('unsupported'));
});

test('an embedder may use its memory', async (t) => {
  let memory;
  const embedder = model((texts) => {
    // While a blocking call waits for this answer, another one runs.
    memory.appendSync(prompt(`embedding ${texts.length} texts`, { dedupe: 'none' }));
    memory.statsSync();
    if (texts[0].includes('nested')) return texts.map(vector);
    memory.searchSync('nested');
    return texts.map(vector);
  });
  memory = Memory.openSync(fresh(), { embedder });
  t.after(() => memory.closeSync());
  memory.appendBatchSync(EVENTS);
  memory.processOutboxSync({ limit: 3 });
  assert.equal(memory.searchSync('fruit').items[0].seq, 1);
  assert.equal((await memory.search('boat')).degraded, false);
});

test('blocking calls in the middle of asynchronous ones', async (t) => {
  const memory = openFresh(t, { embedder: model() });
  memory.appendBatchSync(Array.from({ length: 200 }, (_, index) => prompt(`apple ${index}`)));
  const running = [memory.processOutbox({ limit: 1000 }), memory.search('fruit'), memory.search('boat'), memory.context('fruit')];
  for (let index = 0; index < 20; index += 1) {
    memory.appendSync(prompt(`ship ${index}`));
    assert.equal(memory.searchSync(`apple ${index}`).degraded, false);
    if (index % 5 === 0) await sleep(1);
  }
  const [processed] = await Promise.all(running);
  assert.ok(processed.succeeded >= 200);
});

test('an embedder that hangs costs a search its deadline and nothing else', async (t) => {
  let hangs = false;
  const memory = openFresh(t, {
    embedder: model((texts) => (hangs ? new Promise(() => {}) : texts.map(vector))),
  });
  memory.appendBatchSync(EVENTS);
  memory.processOutboxSync();
  hangs = true;
  const begun = performance.now();
  const found = await memory.search('apple', { deadlineMs: 100 });
  assert.equal(found.degraded, true);
  assert.equal(found.items[0].seq, 1);
  assert.ok(performance.now() - begun < 3_000);
});

test('an embedder that needs a libuv worker gets one, however many searches wait for it', () => {
  // It reads a file; libuv has a single worker here, and ten searches are under way.
  const ended = spawnSync(process.execPath, ['--input-type=module', '-e', `
    import fs from 'node:fs/promises';
    import { Memory } from 'recallite';
    const embed = async (texts) => {
      await fs.readFile('package.json');
      return texts.map(() => [1]);
    };
    const memory = await Memory.open(process.argv[1], { embedder: { id: 'x', dimensions: 1, embed } });
    await memory.append({ kind: 'user_prompt', session: 's', content: 'apple' });
    await memory.processOutbox();
    const searches = Array.from({ length: 10 }, (_, index) => memory.search('apple ' + index));
    const contexts = Array.from({ length: 3 }, () => memory.context('apple'));
    const found = await Promise.all([...searches, ...contexts, memory.smartSearch('apple')]);
    console.log(found.filter(({ degraded }) => !degraded).length);
    await memory.close();`, fresh()], {
    cwd: app, encoding: 'utf8', timeout: 60_000, env: { ...process.env, UV_THREADPOOL_SIZE: '1' },
  });
  assert.equal(ended.stdout, '14\n', ended.stderr);
});

const HANGING = `
  const { Memory } = require(process.argv[2] ?? 'recallite');
  let hangs = false;
  const embed = (texts) => (hangs ? new Promise(() => {}) : texts.map(() => [1]));
  const open = (folder) => {
    const memory = Memory.openSync(folder, {
      embedder: { id: 'x', dimensions: 1, embed },
      embeddingTimeoutMs: 60_000,
    });
    memory.appendSync({ kind: 'user_prompt', session: 's', content: 'x' });
    memory.processOutboxSync();
    memory.appendSync({ kind: 'user_prompt', session: 's', content: 'y' });
    hangs = true;
    memory.processOutbox().catch(() => {});
    for (let i = 0; i < 8; i += 1) memory.search('x' + i).catch(() => {});
  };
`;

test('a process exits while an embedder hangs', () => {
  for (const end of ['process.exit(7)', 'setTimeout(() => process.exit(7), 100)', 'setTimeout(() => { throw 1 }, 100)']) {
    const begun = performance.now();
    const ended = spawnSync(process.execPath, ['-e', `${HANGING} open(process.argv[1]); ${end}`, fresh()], {
      cwd: app, encoding: 'utf8', timeout: 60_000,
    });
    assert.ok([1, 7].includes(ended.status), `${end}: ${ended.signal} ${ended.stderr}`);
    assert.ok(performance.now() - begun < 15_000, `${end} took too long`);
  }
});

test('a worker thread is terminated while an embedder hangs', { timeout: 60_000 }, async () => {
  const recallite = JSON.stringify(path.join(app, 'node_modules', 'recallite'));
  const source = `${HANGING.replace("process.argv[2] ?? 'recallite'", recallite)}
    open(require('node:worker_threads').workerData);
    setTimeout(() => require('node:worker_threads').parentPort.postMessage('hanging'), 100);
    setInterval(() => {}, 1000);`;
  const worker = new Worker(source, { eval: true, workerData: fresh() });
  await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  const begun = performance.now();
  await worker.terminate();
  assert.ok(performance.now() - begun < 15_000, 'terminating took too long');
});

// Each ends inside a callback of a blocking call.
const ENDING = {
  'a token counter that exits': `
    memory.smartSearchSync('deploy', { countTokens: () => process.exit(5) });`,
  'an embedder that exits': `
    embed = () => process.exit(5);
    memory.processOutboxSync();`,
  'an embedder that works when its thread is terminated': `
    memory.processOutboxSync();
    embed = (texts) => {
      port.postMessage('working');
      for (const end = Date.now() + 300; Date.now() < end; );
      return texts.map(() => [1]);
    };
    for (;;) memory.searchSync('deploy ' + Math.random());`,
  'a token counter that never returns': `
    memory.smartSearchSync('deploy', { countTokens: () => { port.postMessage('working'); for (;;); } });`,
};

for (const [name, source] of Object.entries(ENDING)) {
  test(`a worker thread ends inside ${name}`, { timeout: 60_000 }, () => {
    // In a process of its own, which must end too.
    const worker = `
      const { parentPort: port, workerData } = require('node:worker_threads');
      const { Memory } = require('recallite');
      let embed = (texts) => texts.map(() => [1]);
      const memory = Memory.openSync(workerData, {
        embedder: { id: 'x', dimensions: 1, embed: (texts) => embed(texts) },
        embeddingTimeoutMs: 60_000,
      });
      memory.appendSync({ kind: 'user_prompt', session: 's', content: 'deploy' });
      ${source}`;
    const program = `
      const { Worker } = require('node:worker_threads');
      const worker = new Worker(${JSON.stringify(worker)}, { eval: true, workerData: process.argv[1] });
      worker.once('message', () => setTimeout(() => worker.terminate(), 50));
      worker.once('error', (error) => console.log(error));
      worker.once('exit', (code) => console.log('ended', code));`;
    const ended = spawnSync(process.execPath, ['-e', program, fresh()], {
      cwd: app, encoding: 'utf8', timeout: 20_000, killSignal: 'SIGKILL',
    });
    assert.equal(ended.status, 0, `${ended.signal} ${ended.stderr}`);
    assert.match(ended.stdout, /^ended [15]\n$/);
  });
}

test('memories with embedders are collected and close without growth', { timeout: 120_000 }, async () => {
  const folder = fresh();
  let collected = 0;
  const registry = new FinalizationRegistry(() => (collected += 1));
  (() => {
    for (let index = 0; index < 60; index += 1) {
      const embedder = model();
      const memory = Memory.openSync(folder, { embedder });
      memory.searchSync('x');
      registry.register(memory);
      registry.register(embedder);
      if (index % 2) memory.closeSync();
    }
  })();
  for (let round = 0; round < 100 && collected < 110; round += 1) {
    gc();
    await sleep(10);
  }
  assert.ok(collected >= 110, `only ${collected} of 120 were collected`);
});

test('an embedder that mentions its memory does not keep it, and lives as long', { timeout: 120_000 }, async () => {
  let collected = 0;
  const registry = new FinalizationRegistry(() => (collected += 1));
  const open = async (index) => {
    const holder = {};
    const embed = (texts) => (holder.memory, texts.map(() => [1]));
    const embedder = { id: 'x', dimensions: 1, embed: index % 4 < 2 ? embed : async (texts) => embed(texts) };
    const folder = fresh();
    holder.memory = index % 2 ? Memory.openSync(folder, { embedder }) : await Memory.open(folder, { embedder });
    await holder.memory.append(prompt('deploy'));
    registry.register(holder.memory);
    return holder.memory;
  };
  for (let index = 0; index < 20; index += 1) {
    // Nothing but the call itself mentions the memory.
    const work = (await open(index)).processOutbox();
    gc();
    assert.equal((await work).succeeded, 1);
  }
  for (let round = 0; round < 100 && collected < 18; round += 1) {
    gc();
    await sleep(10);
  }
  assert.ok(collected >= 18, `only ${collected} of 20 were collected`);
});

test('tokens are counted by a function of the program', async (t) => {
  const memory = openFresh(t);
  memory.appendBatchSync([prompt('The port is 5433.'), prompt('The 포트 of the other one is 5434. 😀')]);
  const texts = [];
  const countTokens = (text) => {
    texts.push(text);
    return text.length / 2;
  };
  for (const context of [
    memory.contextSync('which port?', { countTokens, budgetTokens: 1_000 }),
    await memory.context('which port?', { countTokens, budgetTokens: 1_000 }),
  ]) {
    assert.equal(context.tokens, Math.ceil(context.text.length / 2));
    assert.ok(texts.includes(context.text));
  }
  const one = () => 1;
  assert.ok(memory.smartSearchSync('which port?', { countTokens: one }).meta.estimatedTokens <= 3);
  assert.ok((await memory.smartSearch('which port?', { countTokens: one })).meta.estimatedTokens <= 3);
  const dear = memory.smartSearchSync('which port?', { countTokens: () => 1e300 });
  assert.equal(dear.meta.estimatedTokens, 2 ** 28 - 1);
});

test('a token counter that fails makes the call fail, and nothing is recorded', async (t) => {
  const memory = openFresh(t);
  memory.appendSync(prompt('The port is 5433.'));
  const cause = new RangeError('mine');
  const thrower = () => { throw cause; };
  const options = { countTokens: thrower, recording: 'now' };
  assert.throws(() => memory.contextSync('port', options), { code: 'callback', cause });
  await assert.rejects(memory.context('port', options), { code: 'callback', cause });
  assert.throws(() => memory.smartSearchSync('port', { countTokens: thrower }), { code: 'callback', argument: 'countTokens', cause });
  await assert.rejects(memory.smartSearch('port', { countTokens: thrower }), { code: 'callback', argument: 'countTokens', cause });
  for (const wrong of [NaN, -1, Infinity, -Infinity, '5', 5n, null, undefined, {}, Promise.resolve(5)]) {
    const given = { countTokens: () => wrong };
    await assert.rejects(memory.context('port', given), failure('callback'));
    assert.throws(() => memory.contextSync('port', given), failure('callback'));
    await assert.rejects(memory.smartSearch('port', given), failure('callback'));
    assert.throws(() => memory.smartSearchSync('port', given), failure('callback'));
  }
  await assert.rejects(memory.context('port', { countTokens: 5 }), failure('invalid_argument', 'countTokens'));
  assert.equal(memory.statsSync().injections.injections, 0);
});

test('a token counter that fails after its first text takes nothing from the session', async (t) => {
  const memory = openFresh(t);
  memory.appendBatchSync([prompt('The port is 5433.'), prompt('The port of the other one is 5434.')]);
  const options = { session: 'another', skipKnownSince: new Date() };
  const failing = () => {
    let calls = 0;
    return { ...options, countTokens: () => { if (calls++) throw new RangeError('mine'); return 1; } };
  };
  assert.throws(() => memory.contextSync('which port?', failing()), { code: 'callback' });
  await assert.rejects(memory.context('which port?', failing()), { code: 'callback' });
  assert.match(memory.contextSync('which port?', options).text, /543[34]/);
});

test('a counter and an embedder serve one blocking call', (t) => {
  const memory = openFresh(t, { embedder: model() });
  memory.appendBatchSync(EVENTS);
  memory.processOutboxSync();
  let counted = 0;
  const context = memory.contextSync('fruit', {
    minRelevance: 0,
    countTokens: (text) => {
      counted += 1;
      return text.length;
    },
  });
  assert.equal(context.degraded, false);
  assert.ok(context.text === '' || counted > 0);
});

test('a promise where an answer is due is refused, and its rejection ends nothing', () => {
  const ended = spawnSync(process.execPath, ['--input-type=module', '-e', `
    import { Memory } from 'recallite';
    const [folder, transcript] = process.argv.slice(1);
    const memory = Memory.openSync(folder);
    memory.appendSync({ kind: 'user_prompt', session: 's', content: 'The port is 5433.' });
    const rejects = async () => { throw new Error('rejected'); };
    const code = async (call) => {
      try { await call(); return 'nothing thrown'; } catch (error) { return error.code; }
    };
    const tell = async (call) => console.log(await code(call));
    await tell(() => memory.context('port', { countTokens: rejects }));
    await tell(() => memory.contextSync('port', { countTokens: rejects }));
    await tell(() => memory.smartSearch('port', { countTokens: rejects }));
    await tell(() => memory.smartSearchSync('port', { countTokens: rejects }));
    await tell(() => memory.importClaudeCode(transcript, { onProgress: rejects }));
    await tell(() => memory.importClaudeCodeSync(transcript, { onProgress: rejects }));
    await new Promise((resolve) => setTimeout(resolve, 20));
    await memory.close();
    console.log('alive');`, fresh(), path.join(repository, 'examples/data/sample_transcript.jsonl')], {
    cwd: app, encoding: 'utf8', timeout: 60_000,
  });
  assert.equal(ended.stdout, `${'callback\n'.repeat(6)}alive\n`, ended.stderr);
  assert.equal(ended.status, 0, ended.stderr);
});

test('progress may answer with anything but false', async (t) => {
  const transcript = path.join(repository, 'examples/data/sample_transcript.jsonl');
  for (const answer of [null, undefined, true, {}, 'on', Promise.resolve(null)]) {
    const memory = openFresh(t);
    await memory.importClaudeCode(transcript, { onProgress: () => answer });
    assert.ok(memory.statsSync().events > 0, String(answer));
  }
});

test('a callback may close its memory', async (t) => {
  const closing = (call) => {
    let memory = Memory.openSync(fresh(), {
      embedder: model((texts) => {
        if (call.embeds) memory.closeSync();
        return texts.map(vector);
      }),
    });
    t.after(() => memory.closeSync());
    memory.appendBatchSync(EVENTS);
    return memory;
  };
  const embeds = closing({ embeds: true });
  await Promise.allSettled([embeds.processOutbox()]);
  assert.equal(embeds.isOpen, false);
  const counts = closing({});
  const countTokens = (text) => {
    counts.closeSync();
    return text.length;
  };
  try {
    counts.contextSync('apple', { minRelevance: 0, countTokens });
  } catch (error) {
    assert.equal(error.code, 'closed');
  }
  assert.throws(() => counts.statsSync(), failure('closed'));
});

test('closing gives an embedder its time, however long that is', { timeout: 60_000 }, async (t) => {
  const warnings = [];
  const warn = ({ name }) => warnings.push(name);
  process.on('warning', warn);
  t.after(() => process.off('warning', warn));
  let asked;
  let answer;
  const isAsked = new Promise((resolve) => (asked = resolve));
  const answers = new Promise((resolve) => (answer = resolve));
  const memory = Memory.openSync(fresh(), {
    embeddingTimeoutMs: 2 ** 31,
    embedder: model(async (texts) => {
      asked();
      await answers;
      return texts.map(vector);
    }),
  });
  memory.appendBatchSync(EVENTS);
  const running = memory.processOutbox();
  await isAsked;
  const closing = memory.close();
  // A timer that is too long would run after 1 ms.
  await sleep(20);
  answer();
  assert.equal((await running).succeeded, EVENTS.length);
  await closing;
  assert.deepEqual(warnings, []);
});

test('an embedder that never answers does not keep a memory from closing', { timeout: 60_000 }, async () => {
  for (const close of [(memory) => memory.close(), (memory) => memory.closeSync()]) {
    let asked;
    const isAsked = new Promise((resolve) => (asked = resolve));
    const memory = Memory.openSync(fresh(), {
      embeddingTimeoutMs: 50,
      embedder: model(() => new Promise(() => asked())),
    });
    memory.appendBatchSync(EVENTS);
    const running = memory.processOutbox().catch((error) => error);
    await isAsked;
    await close(memory);
    await running;
    assert.equal(memory.isOpen, false);
  }
});
