// Concurrency, worker threads, process exit, garbage collection, repeated opening.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import v8 from 'node:v8';
import vm from 'node:vm';
import { Worker } from 'node:worker_threads';

import { Memory } from 'recallite';

import { app, fresh, openFresh, prompt, repository, work } from './setup.mjs';

v8.setFlagsFromString('--expose-gc');
const gc = vm.runInNewContext('gc');

/** Runs a program in a child process beside the installed package. */
function child(source, ...given) {
  return spawnSync(process.execPath, ['--input-type=module', '-e', source, ...given], {
    cwd: app,
    encoding: 'utf8',
    timeout: 60_000,
  });
}

test('the event loop goes on while calls run', async (t) => {
  const memory = openFresh(t);
  let ticks = 0;
  const timer = setInterval(() => (ticks += 1), 1);
  await memory.appendBatch(
    Array.from({ length: 5000 }, (_, index) => prompt(`event ${index} ${'text '.repeat(50)}`)),
  );
  clearInterval(timer);
  assert.ok(ticks > 5, `the loop turned only ${ticks} times`);
});

/** How many things happened in each turn of the event loop that saw any. */
function perTurn() {
  const counts = [0];
  const watch = setInterval(() => {}, 1_000_000);
  let isOver = false;
  const next = () => {
    if (isOver) return;
    counts.push(0);
    setImmediate(next);
  };
  setImmediate(next);
  return {
    happened: () => (counts[counts.length - 1] += 1),
    most: () => {
      isOver = true;
      clearInterval(watch);
      return counts.reduce((most, count) => Math.max(most, count));
    },
  };
}

test('a long batch and a long result cross in parts, between which the event loop turns', async (t) => {
  const memory = openFresh(t);
  const count = 5_000;
  const given = perTurn();
  const events = Array.from({ length: count }, (_, index) => ({
    kind: 'user_prompt',
    session: 's',
    metadata: { index },
    get content() {
      given.happened();
      return `event ${index}`;
    },
  }));
  const receipts = await memory.appendBatch(events);
  assert.ok(given.most() <= 512, 'the batch was read in too few turns');
  assert.deepEqual(receipts.map(({ seq }) => seq), Array.from({ length: count }, (_, index) => index + 1));

  const taken = perTurn();
  const { parse } = JSON;
  JSON.parse = (text) => {
    taken.happened();
    return parse(text);
  };
  t.after(() => (JSON.parse = parse));
  const changes = await memory.changesSince(0, { limit: count });
  JSON.parse = parse;
  assert.ok(taken.most() <= 512, 'the result was made in too few turns');
  assert.deepEqual(changes.map(({ metadata }) => metadata.index), Array.from({ length: count }, (_, index) => index));
  assert.deepEqual(memory.changesSinceSync(0, { limit: count }), changes);

  // One that is wrong late in the batch stores nothing, and its place is told.
  const wrong = Array.from({ length: 1_500 }, (_, index) => prompt(`new ${index}`));
  wrong[1_400] = prompt(5);
  await assert.rejects(memory.appendBatch(wrong), { argument: 'events[1400].content' });
  const controller = new AbortController();
  setImmediate(() => controller.abort(new Error('mine')));
  await assert.rejects(memory.appendBatch(events, { signal: controller.signal }), { message: 'mine' });
  assert.equal(memory.statsSync().lastSeq, count);
  // Closing waits for a batch that is still being read.
  const late = memory.appendBatch(Array.from({ length: 1_500 }, (_, index) => prompt(`late ${index}`)));
  await memory.close();
  assert.equal((await late).length, 1_500);
});

test('a step of an iterator gives nothing that was forgotten or erased before it', async (t) => {
  for (const take of ['forget', 'erase']) {
    for (const form of ['events', 'eventsSync']) {
      const memory = openFresh(t);
      memory.appendBatchSync(Array.from({ length: 1_000 }, (_, index) => prompt(`event ${index}`)));
      memory.appendBatchSync([prompt('kept', { session: 's2' })]);
      const events = memory[form]();
      assert.equal((await events.next()).value.seq, 1);
      await memory[take]({ session: 's1' });
      const left = [];
      for await (const event of events) left.push(event.content);
      assert.deepEqual(left, ['kept'], `${form} after ${take}`);
      const stepped = memory[form]();
      await stepped.next();
      memory.closeSync();
      await assert.rejects(async () => stepped.next(), { code: 'closed' });
    }
  }
});

test('a memory cannot be cloned or sent, and says so', async (t) => {
  const memory = openFresh(t, { project: 'shop' });
  const refusal = { name: 'DataCloneError', message: /Memory\.open/ };
  assert.throws(() => structuredClone(memory), refusal);
  assert.throws(() => structuredClone({ deep: [memory] }), refusal);
  assert.throws(() => structuredClone(memory.tasks), refusal);
  assert.equal(inspect(memory.tasks), 'Tasks {}');
  assert.throws(() => new Worker('', { eval: true, workerData: memory }), refusal);
  const { port1, port2 } = new MessageChannel();
  t.after(() => [port1, port2].forEach((port) => port.close()));
  assert.throws(() => port1.postMessage({ memory }), refusal);
  const told = { path: memory.path, project: 'shop', isOpen: true };
  assert.deepEqual(JSON.parse(JSON.stringify({ memory })), { memory: told });
  assert.match(inspect(memory), /^Memory \{.*"project":"shop"/);
});

const isLinux = process.platform === 'linux';

test('a path that is no text is refused where it is asked for', { skip: !isLinux }, (t) => {
  const folder = Buffer.concat([Buffer.from(fresh()), Buffer.from([0xff])]);
  const link = fresh();
  fs.mkdirSync(folder);
  fs.symlinkSync(folder, link);
  const memory = Memory.openSync(link);
  t.after(() => memory.closeSync());
  assert.throws(() => memory.path, { code: 'unsupported', message: /not UTF-8/ });
  assert.equal(memory.toJSON().path, null);
  assert.match(inspect(memory), /^Memory /);
});

test('hundreds of calls at once, reads among writes', async (t) => {
  const memory = openFresh(t);
  const calls = [];
  for (let index = 0; index < 100; index += 1) {
    calls.push(memory.append(prompt(`concurrent ${index}`)));
    calls.push(memory.search('concurrent'));
    calls.push(memory.stats());
  }
  await Promise.all(calls);
  const events = memory.changesSinceSync(0);
  assert.deepEqual(events.map((event) => event.seq), Array.from({ length: 100 }, (_, index) => index + 1));
});

test('two handles on one store see each other', async (t) => {
  const memory = openFresh(t);
  const other = await Memory.open(memory.path);
  await memory.append(prompt('seen'));
  assert.equal(other.statsSync().events, 1);
  await memory.close();
  await other.append(prompt('still open'));
  assert.equal(other.statsSync().events, 2);
  await other.close();
});

const WORKER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { Memory } = require(workerData.package);
  (async () => {
    const memory = await Memory.open(workerData.folder);
    for (let index = 0; index < workerData.count; index += 1) {
      const event = { kind: 'user_prompt', session: workerData.name, content: 'event ' + index };
      if (index % 2) memory.appendSync(event); else await memory.append(event);
    }
    if (workerData.closes) await memory.close();
    parentPort.postMessage('done');
  })();
`;

function worker(data) {
  return new Worker(WORKER, {
    eval: true,
    workerData: { package: path.join(app, 'node_modules', 'recallite'), ...data },
  });
}

test('a folder that was removed and made anew is another store', { skip: process.platform === 'win32' && 'an open file keeps its folder' }, async () => {
  const folder = fresh();
  const old = await Memory.open(folder);
  await old.append(prompt('the old one'));
  await old.search('old');
  fs.rmSync(folder, { recursive: true });
  const memory = await Memory.open(folder);
  assert.equal((await memory.stats()).events, 0);
  const lost = { code: 'needs_reopen', needsReopen: true, message: /moved, removed or replaced/ };
  for (const call of [() => old.append(prompt('lost')), () => old.search('old'), () => old.compact()]) {
    await assert.rejects(call, lost);
  }
  await memory.append(prompt('the new one'));
  await old.close();
  await memory.close();
  const again = await Memory.open(folder);
  const contents = [];
  for await (const event of again.events()) contents.push(event.content);
  assert.deepEqual(contents, ['the new one']);
  await again.close();
});

test('worker threads write to one store, closing or not', async (t) => {
  const memory = openFresh(t);
  await Promise.all(
    [true, false, true, false].map(
      (closes, index) =>
        new Promise((resolve, reject) => {
          worker({ folder: memory.path, name: `w${index}`, count: 20, closes })
            .on('error', reject)
            .on('exit', resolve);
        }),
    ),
  );
  assert.equal(memory.statsSync().events, 80);
  assert.equal(memory.sessionsSync().length, 4);
});

test('a worker that is terminated in the middle harms nobody', async (t) => {
  const memory = openFresh(t);
  for (let round = 0; round < 5; round += 1) {
    const running = worker({ folder: memory.path, name: `r${round}`, count: 100_000, closes: true });
    await new Promise((resolve) => running.once('online', resolve));
    await sleep(30 * round);
    await running.terminate();
  }
  memory.appendSync(prompt('afterwards'));
  assert.equal(memory.searchSync('afterwards').items[0].summary, 'afterwards');
});

test('a process may exit with calls under way', () => {
  for (const end of ['process.exit(7)', 'setImmediate(() => process.exit(7))', 'setTimeout(() => process.exit(7), 5)']) {
    const folder = fresh();
    const ended = child(
      `import { Memory } from 'recallite';
       const memory = Memory.openSync(process.argv[1]);
       memory.appendSync({ kind: 'user_prompt', session: 's', content: 'first' });
       for (let i = 0; i < 500; i += 1) {
         memory.append({ kind: 'user_prompt', session: 's', content: 'event ' + i }).catch(() => {});
       }
       for await (const _ of memory.events()) break;
       ${end}; await new Promise(() => setInterval(() => {}, 1000));`,
      folder,
    );
    assert.equal(ended.status, 7, `${end}: ${ended.signal} ${ended.stderr}`);
    const memory = Memory.openSync(folder);
    const { events } = memory.statsSync();
    assert.ok(events >= 1);
    assert.equal(memory.changesSinceSync(0).length, events);
    memory.closeSync();
  }
});

test('a process ends by itself, without closing, once its calls are done', () => {
  const ended = child(
    `import { Memory } from 'recallite';
     const memory = await Memory.open(process.argv[1]);
     const receipt = memory.append({ kind: 'user_prompt', session: 's', content: 'x' });
     receipt.then((given) => console.log(given.seq));`,
    fresh(),
  );
  assert.equal(ended.status, 0, ended.stderr);
  assert.equal(ended.stdout, '1\n');
});

test('handles and iterators that are forgotten are collected', { timeout: 120_000 }, async () => {
  const folder = fresh();
  Memory.openSync(folder).appendBatchSync(Array.from({ length: 50 }, (_, index) => prompt(`event ${index}`)));
  let collected = 0;
  const registry = new FinalizationRegistry(() => (collected += 1));
  await (async () => {
    for (let index = 0; index < 100; index += 1) {
      const memory = Memory.openSync(folder);
      registry.register(memory);
      const iterator = memory.events();
      await iterator.next();
      registry.register(iterator);
    }
  })();
  for (let round = 0; round < 100 && collected < 190; round += 1) {
    gc();
    await sleep(10);
  }
  assert.ok(collected >= 190, `only ${collected} of 200 were collected`);
});

const CYCLES = Number(process.env.RECALLITE_TEST_CYCLES ?? 1000);

test(`${CYCLES} times open and close without growth`, { timeout: 1_800_000 }, async () => {
  const folder = fresh();
  const keeper = Memory.openSync(folder);
  keeper.appendSync(prompt('x'));
  keeper.closeSync();
  const descriptors = () =>
    process.platform === 'linux' ? fs.readdirSync('/proc/self/fd').length : 0;
  const cycle = async (index) => {
    const memory = index % 2 ? Memory.openSync(folder) : await Memory.open(folder);
    memory.searchSync('x');
    for await (const event of memory.events()) assert.equal(event.content, 'x');
    if (index % 2) memory.closeSync();
    else await memory.close();
  };
  const warmUp = Math.ceil(CYCLES / 4);
  for (let index = 0; index < warmUp; index += 1) await cycle(index);
  gc();
  const [openBefore, bytesBefore] = [descriptors(), process.memoryUsage().rss];
  for (let index = 0; index < CYCLES; index += 1) await cycle(index);
  gc();
  const grown = process.memoryUsage().rss - bytesBefore;
  assert.equal(descriptors(), openBefore);
  assert.ok(grown < 32 << 20, `the process grew by ${grown} bytes`);
});

test('functions that mention their memory do not keep it', { timeout: 120_000 }, async () => {
  let collected = 0;
  const registry = new FinalizationRegistry(() => (collected += 1));
  for (let index = 0; index < 20; index += 1) {
    const holder = {};
    const onLog = () => void holder.memory;
    holder.memory = index % 2 ? Memory.openSync(fresh(), { onLog }) : Memory.openSync(fresh());
    holder.memory.setProgressHandler(() => void holder.memory);
    holder.memory.checkSync();
    registry.register(holder.memory);
  }
  for (let round = 0; round < 100 && collected < 18; round += 1) {
    gc();
    await sleep(10);
  }
  assert.ok(collected >= 18, `only ${collected} of 20 were collected`);
});

test('two copies of the addon share a store', async (t) => {
  const memory = openFresh(t);
  const copy = createRequire(path.join(work, 'copy', 'index.js'))('recallite');
  assert.notEqual(copy.Memory, Memory);
  const other = await copy.Memory.open(memory.path);
  await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      (index % 2 ? memory : other).append(prompt(`copy ${index}`)),
    ),
  );
  assert.equal(memory.statsSync().events, 40);
  assert.equal(other.statsSync().events, 40);
  await other.close();
});

test('the layer is one file for each form, since each further one costs a hook time', () => {
  const dist = path.join(app, 'node_modules', 'recallite', 'dist');
  const programs = fs.readdirSync(dist, { recursive: true }).filter((file) => /\.[cm]?js$/.test(file));
  assert.deepEqual(programs.sort(), ['index.js', 'index.mjs']);
});

test('ES modules and CommonJS get the same objects', async () => {
  const required = createRequire(import.meta.url)('recallite');
  const imported = await import('recallite');
  assert.deepEqual(Object.keys(required).sort(), Object.keys(imported).sort());
  for (const name of Object.keys(required)) assert.equal(required[name], imported[name]);
});

test('a missing platform is said clearly, and only when a memory is opened', () => {
  const unknown = child(
    `Object.defineProperty(process, 'platform', { value: 'sunos' });
     const { Memory } = await import('recallite');
     await Memory.open('x').catch((error) => console.log(error.code, error.message));`,
  );
  assert.match(unknown.stdout, /^unsupported recallite has no build for sunos-.* linux-x64/);
  const missing = child(
    `Object.defineProperty(process, 'platform', { value: process.platform === 'win32' ? 'linux' : 'win32' });
     Object.defineProperty(process, 'arch', { value: 'x64' });
     const { Memory } = await import('recallite');
     try { Memory.openSync('x'); } catch (error) { console.log(error.code, error.message); }`,
  );
  assert.match(missing.stdout, /^unsupported .*@recallite\/.* is not installed; install recallite again/);
});

test('bundlers find the addon of every platform by its literal name', () => {
  const layer = fs.readFileSync(createRequire(import.meta.url).resolve('recallite'), 'utf8');
  const platforms = JSON.parse(fs.readFileSync(path.join(repository, 'bindings-node/platforms.json')));
  for (const platform of Object.keys(platforms)) {
    assert.ok(layer.includes(`return require("@recallite/${platform}")`), platform);
  }
  // Within the joined modules, `require` is not Node's.
  const [, outside] = layer.split('\nconst loaded = ');
  assert.doesNotMatch(outside, /\brequire\((?!")/);
});

test('the package installs without scripts and without dependencies', () => {
  const manifest = JSON.parse(fs.readFileSync(path.join(app, 'node_modules/recallite/package.json')));
  assert.equal(manifest.scripts, undefined);
  assert.equal(manifest.dependencies, undefined);
  assert.deepEqual(new Set(Object.values(manifest.optionalDependencies)), new Set([manifest.version]));
  const [name] = fs.readdirSync(path.join(app, 'node_modules/@recallite'));
  const platform = JSON.parse(fs.readFileSync(path.join(app, `node_modules/@recallite/${name}/package.json`)));
  assert.deepEqual(platform.os, [process.platform]);
  assert.deepEqual(platform.cpu, [process.arch]);
  assert.equal(manifest.optionalDependencies[platform.name], platform.version);
});

test('the addon exports what Node calls and nothing else', { skip: process.platform !== 'linux' && 'reads ELF' }, (t) => {
  const [name] = fs.readdirSync(path.join(app, 'node_modules/@recallite'));
  const file = path.join(app, 'node_modules/@recallite', name, 'recallite.node');
  const read = spawnSync('nm', ['-D', '--defined-only', file], { encoding: 'utf8' });
  if (read.error) return t.skip('nm is not installed');
  const symbols = read.stdout.trim().split('\n').map((line) => line.split(' ').at(-1));
  assert.deepEqual(symbols.filter((symbol) => !symbol.startsWith('napi_')), []);
});

test('the story prints the lines that every language prints', (t) => {
  const golden = path.join(repository, 'examples', 'story', 'golden.txt');
  if (!fs.existsSync(golden)) return t.skip('examples/story/golden.txt is not there');
  fs.copyFileSync(path.join(repository, 'examples/node/story.mjs'), path.join(app, 'story.mjs'));
  const told = execFileSync(process.execPath, ['story.mjs'], { cwd: app, encoding: 'utf8' });
  assert.equal(told, fs.readFileSync(golden, 'utf8'));
});

test('the hook remembers each prompt and answers from earlier ones', () => {
  fs.copyFileSync(path.join(repository, 'examples/node/hook.mjs'), path.join(app, 'hook.mjs'));
  const folder = fresh();
  const ask = (given) =>
    spawnSync(process.execPath, ['hook.mjs'], {
      cwd: app,
      encoding: 'utf8',
      input: typeof given === 'string' ? given : JSON.stringify({ session_id: 's1', cwd: app, ...given }),
      env: { ...process.env, RECALLITE_STORE: folder },
    });
  const first = ask({ prompt: 'The staging database listens on port 5433.' });
  assert.equal(first.status, 0, first.stderr);
  assert.equal(first.stdout, '');
  const second = ask({ prompt: 'Which port does the staging database listen on?' });
  assert.equal(second.status, 0, second.stderr);
  const { hookSpecificOutput } = JSON.parse(second.stdout);
  assert.equal(hookSpecificOutput.hookEventName, 'UserPromptSubmit');
  assert.match(hookSpecificOutput.additionalContext, /port 5433/);
  assert.match(hookSpecificOutput.additionalContext, /\[mem:[\w-]{6,8}\]/);
  const broken = ask('{ no json');
  assert.equal(broken.status, 0, 'a hook must never block the prompt');
  const memory = Memory.openSync(folder);
  const { prompts, injections } = memory.statsSync();
  assert.equal(prompts, 2);
  assert.deepEqual([injections.injections, injections.memories], [1, 1], 'the use was not recorded');
  memory.closeSync();
  const lines = fs.readFileSync(path.join(app, 'hook.mjs'), 'utf8').trimEnd().split('\n');
  assert.ok(lines.length < 40, `the hook has ${lines.length} lines`);
});

test('the snippets of the READMEs run', () => {
  for (const readme of [path.join(app, 'node_modules/recallite/README.md'), path.join(repository, 'README.md')]) {
    const [, snippet] = /```js\n([^]*?)```/.exec(fs.readFileSync(readme, 'utf8'));
    const folder = fresh('readme');
    fs.mkdirSync(folder);
    fs.symlinkSync(path.join(app, 'node_modules'), path.join(folder, 'node_modules'), 'junction');
    fs.writeFileSync(path.join(folder, 'snippet.mjs'), snippet);
    const told = execFileSync(process.execPath, ['snippet.mjs'], { cwd: folder, encoding: 'utf8' });
    assert.match(told, /We deploy on Fridays at noon\./, readme);
  }
});
