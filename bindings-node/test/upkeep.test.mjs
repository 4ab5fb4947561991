// Forgetting, erasing, checking, compacting, moving, waiting.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

import { Memory } from 'recallite';

import { failure, fresh, openFresh, prompt } from './setup.mjs';

const SECRET = '문 비밀번호는 사칠일일 😀 zanzibar';

/** Every byte of every file of a store. */
function bytesOf(folder) {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => fs.readFileSync(path.join(entry.parentPath ?? entry.path, entry.name)));
}

test('what is forgotten is in no read and no search', async (t) => {
  const memory = openFresh(t);
  const [kept, gone] = memory.appendBatchSync([prompt('kept zanzibar'), prompt(SECRET)]);
  assert.equal(await memory.upkeep.countSelected({ ids: [gone.id] }), 1);
  await assert.rejects(memory.forget({ ids: [gone.id, 999] }), failure('not_found', 'ids[1]'));
  const receipt = await memory.forget({ ids: [gone.citation] });
  assert.equal(receipt.count, 1);
  assert.equal(receipt.contentBytes, Buffer.byteLength(SECRET));
  assert.equal(receipt.sessions, 1);
  assert.equal(receipt.tombstone, 3);
  assert.equal(await memory.upkeep.countSelected({ ids: [gone.id] }), 0);
  assert.equal(await memory.upkeep.countErasable({ ids: [gone.id] }), 1);
  assert.equal(memory.eventSync(gone.id), null);
  assert.deepEqual(memory.searchSync('zanzibar').items.map(({ id }) => id), [kept.id]);
  assert.equal(memory.statsSync().forgotten, 1);
  assert.deepEqual(memory.forgetSync({ ids: [gone.id] }), {
    count: 0, contentBytes: 0, sessions: 0, jobs: 0, segments: 0,
    segmentsWaiting: 0, tombstone: null,
  });
});

test('selectors combine their conditions', (t) => {
  const memory = openFresh(t, { project: 'own' });
  memory.appendBatchSync([
    prompt('a', { timestamp: 1_000 }),
    prompt('b', { timestamp: 2_000, kind: 'agent_response' }),
    prompt('c', { timestamp: 3_000, session: 's2' }),
    prompt('d', { timestamp: 4_000, project: 'shop' }),
  ]);
  const count = (selector) => memory.upkeep.countSelectedSync(selector);
  assert.equal(count({ everything: true }), 3);
  assert.equal(count({ everything: true, allProjects: true }), 4);
  assert.equal(count({ session: 's1' }), 2);
  assert.equal(count({ before: new Date(3_000) }), 2);
  assert.equal(count({ before: 3_000, kinds: ['agent_response'] }), 1);
  assert.equal(count({ project: 'shop' }), 1);
  for (const name of ['ids', 'kinds']) {
    const empty = { session: 's1', [name]: [] };
    assert.throws(() => memory.forgetSync(empty), { code: 'invalid_argument', argument: name });
  }
  assert.equal(memory.forgetSync({ everything: true, allProjects: true }).count, 4);
});

test('what is erased is in no file of the folder', async (t) => {
  const memory = openFresh(t);
  const receipt = memory.appendSync(prompt(SECRET));
  memory.appendSync(prompt('stays'));
  assert.ok(bytesOf(memory.path).some((bytes) => bytes.includes('zanzibar')));
  const erased = await memory.erase({ ids: [receipt.id] });
  assert.equal(erased.count, 1);
  assert.ok(erased.generation > 1);
  assert.ok(erased.tombstone > 0);
  assert.ok(erased.places.length > 0);
  assert.equal(typeof erased.wasOverwritten, 'boolean');
  assert.deepEqual([erased.isComplete, erased.uncleanPlaces, erased.completed], [true, [], 0]);
  const { openErasures, uncleanPlaces } = memory.statsSync();
  assert.deepEqual([openErasures, uncleanPlaces], [0, []]);
  const done = memory.maintainSync();
  assert.deepEqual([done.erasuresCompleted, done.openErasures], [0, 0]);
  assert.equal(erased.dependents, 0);
  assert.equal(memory.statsSync().erased, 1);
  assert.equal((await memory.check()).ok, true);
  assert.equal(memory.eraseSync({ ids: [receipt.id] }).tombstone !== undefined, true);
  await memory.close();
  assert.ok(bytesOf(memory.path).every((bytes) => !bytes.includes('zanzibar')));
});

test('check, compact and rebuild keep the state hash', async (t) => {
  const memory = openFresh(t);
  memory.appendBatchSync(Array.from({ length: 300 }, (_, index) => prompt(`event ${index} 결제`)));
  const asOf = new Date('2026-03-01');
  const hash = await memory.upkeep.stateHash(asOf);
  assert.match(hash, /^[0-9a-f]{64}$/);
  assert.equal(memory.upkeep.stateHashSync('2026-03-01T00:00:00Z'), hash);
  assert.notEqual(memory.upkeep.stateHashSync(0), hash);
  const report = await memory.check();
  assert.deepEqual([report.ok, report.events, report.firstDivergence], [true, 300, null]);
  assert.equal(memory.upkeep.stateHashSync(report.asOf), report.stateHash);
  const compacted = await memory.compact();
  assert.ok(compacted.afterBytes > 0 && compacted.beforeBytes > 0);
  assert.ok(memory.compactSync().generation > compacted.generation);
  const rebuilt = await memory.rebuild(asOf);
  assert.deepEqual(rebuilt, { events: 300, hashBefore: hash, hashAfter: hash });
  assert.deepEqual(memory.rebuildSync(asOf), rebuilt);
  assert.equal(memory.checkSync().ok, true);
  assert.equal(memory.searchSync('결제', { limit: 5 }).items.length, 5);
});

test('maintain does a bounded step and says whether there is more', async (t) => {
  const memory = openFresh(t);
  memory.appendBatchSync(Array.from({ length: 400 }, (_, index) => prompt(`event ${index}`)));
  const done = await memory.maintain({
    graduateEvents: 10, merges: 1, mergeEvents: 100_000, jobs: 5, graphVectors: 7, learnMessages: 3,
    timeMs: 60_000,
  });
  for (const count of ['merges', 'jobsDone', 'jobsFailed', 'jobsRevived', 'jobsCleaned', 'jobsWaiting', 'graphVectors', 'judged', 'moved', 'insights', 'consolidated']) {
    assert.equal(typeof done[count], 'number', count);
  }
  assert.equal(typeof done.hasMore, 'boolean');
  assert.equal(typeof done.flushed, 'boolean');
  assert.equal(typeof done.compactionPays, 'boolean');
  assert.ok(memory.maintainSync().merges >= 0);
  const { layers } = memory.statsSync();
  assert.ok(layers.length > 0);
  for (const layer of layers) {
    assert.deepEqual(Object.keys(layer).sort(), ['backlog', 'lastMoved', 'name', 'size']);
  }
});

test('upgrade has nothing to do in a new store', async (t) => {
  const memory = openFresh(t);
  const upgraded = await memory.upkeep.upgrade();
  assert.equal(upgraded.changed, false);
  assert.equal(upgraded.fromFormat, upgraded.toFormat);
  assert.deepEqual(memory.upkeep.upgradeSync(), upgraded);
});

test('retention forgets what is older than its kind is kept', async (t) => {
  const memory = openFresh(t, { retentionMs: { user_prompt: 60_000 } });
  memory.appendBatchSync([
    prompt('old', { timestamp: Date.now() - 120_000 }),
    prompt('old answer', { timestamp: Date.now() - 120_000, kind: 'agent_response' }),
    prompt('new'),
  ]);
  assert.equal((await memory.upkeep.applyRetention()).count, 1);
  assert.equal(memory.upkeep.applyRetentionSync().count, 0);
  const left = Array.from(memory.eventsSync(), ({ content }) => content);
  assert.deepEqual(left, ['old answer', 'new']);
});

test('an export goes to a private file and comes back byte for byte', async (t) => {
  const memory = openFresh(t);
  memory.appendBatchSync([prompt('첫째 😀', { metadata: { a: [1] } }), prompt('second'), prompt('third')]);
  memory.forgetSync({ ids: [3] });
  const folder = fresh('export');
  fs.mkdirSync(folder);
  const file = path.join(folder, '내보내기.jsonl');
  const exported = await memory.exportJsonl(pathToFileURL(file));
  assert.equal(exported.events, 4);
  assert.equal(exported.bytes, fs.statSync(file).size);
  if (process.platform !== 'win32') assert.equal(fs.statSync(file).mode & 0o777, 0o600);
  await assert.rejects(memory.exportJsonl(file), {
    ...failure('already_exists', 'path'), message: /there is a file already.*`replace`$/,
  });

  const restored = openFresh(t);
  assert.equal(await restored.restoreJsonl(file), 4);
  assert.equal(restored.upkeep.stateHashSync(0), memory.upkeep.stateHashSync(0));
  assert.equal(restored.eventSync(1).content, '첫째 😀');
  assert.throws(() => restored.restoreJsonlSync(file), {
    ...failure('already_exists'), message: /use importJsonl\(\) to merge$/,
  });

  const merged = openFresh(t);
  merged.appendSync(prompt('own'));
  const left = { skipped: 2, unwanted: 0, warnings: [] };
  assert.deepEqual(await merged.importJsonl(file), { events: 2, duplicates: 0, ...left });
  assert.deepEqual(merged.importJsonlSync(file), { events: 0, duplicates: 2, ...left });

  const part = path.join(folder, 'part.jsonl');
  assert.equal(memory.exportJsonlSync(part, { selector: { ids: [2] } }).events, 1);
  assert.throws(() => memory.exportJsonlSync(part), failure('already_exists', 'path'));
  assert.throws(() => openFresh(t).restoreJsonlSync(part), failure('invalid_argument', 'path'));
  assert.equal((await openFresh(t).importJsonl(part)).events, 1);
  assert.equal((await memory.exportJsonl(part, { replace: true })).events, 4);
  assert.equal(memory.exportJsonlSync(part, { replace: true, selector: { ids: [2] } }).events, 1);
});

test('a cut export changes nothing and names its line', async (t) => {
  const memory = openFresh(t);
  memory.appendBatchSync([prompt('a'), prompt('b')]);
  const folder = fresh('cut');
  fs.mkdirSync(folder);
  const [file, cut] = [path.join(folder, 'whole'), path.join(folder, 'cut')];
  memory.exportJsonlSync(file);
  fs.writeFileSync(cut, fs.readFileSync(file, 'utf8').split('\n').slice(0, 2).join('\n'));
  const other = openFresh(t);
  await assert.rejects(other.restoreJsonl(cut), failure('invalid_argument', 'path'));
  assert.throws(() => other.importJsonlSync(cut), failure('invalid_argument', 'path'));
  assert.equal(other.statsSync().events, 0);
  await assert.rejects(other.importJsonl(path.join(folder, 'missing')), failure('not_found', 'path'));
  await assert.rejects(memory.exportJsonl(path.join(folder, 'no', 'folder')), failure('not_found', 'path'));
  // Erasing would not reach it there.
  const inside = path.join(memory.path, 'export.jsonl');
  await assert.rejects(memory.exportJsonl(inside), failure('invalid_argument', 'path'));
  assert.ok(!fs.existsSync(inside));
  assert.throws(
    () => memory.exportJsonlSync(path.join(folder, 'none'), { selector: {} }),
    failure('invalid_argument', 'selector'),
  );
  assert.equal(fs.existsSync(path.join(folder, 'none')), false, 'a failed export left a file');
});

test('an aborted export leaves no file', async (t) => {
  const memory = openFresh(t);
  memory.appendBatchSync(Array.from({ length: 4000 }, (_, index) => prompt(`${index} ${'text '.repeat(40)}`)));
  const file = `${fresh('aborted')}.jsonl`;
  const controller = new AbortController();
  const exporting = memory.exportJsonl(file, { signal: controller.signal });
  // Until it is complete, it has another name.
  const written = () => fs.readdirSync(path.dirname(file)).filter((name) => name.startsWith(path.basename(file)));
  while (written().length === 0) await sleep(1);
  controller.abort(new Error('enough'));
  await assert.rejects(exporting, { message: 'enough' });
  await memory.close();
  assert.deepEqual(written(), []);
});

test('a backup is a store of its own', async (t) => {
  const memory = openFresh(t);
  memory.appendSync(prompt('백업'));
  const folder = fresh('backup');
  assert.equal(await memory.backup(folder), 1);
  await assert.rejects(memory.backup(folder), failure('already_exists', 'path'));
  assert.throws(() => memory.backupSync(folder), failure('already_exists', 'path'));
  const copy = Memory.openSync(folder);
  assert.equal(copy.eventSync(1).content, '백업');
  copy.closeSync();
});

test('waiting ends with a change, with time, with a signal and with closing', async (t) => {
  const memory = openFresh(t);
  const other = Memory.openSync(memory.path);
  t.after(() => other.closeSync());
  // More waits than libuv has workers, and still the append goes through.
  const waits = Array.from({ length: 20 }, () => memory.waitForChange(0, { timeoutMs: 60_000 }));
  await sleep(20);
  await other.append(prompt('new'));
  assert.deepEqual(await Promise.all(waits), Array.from({ length: 20 }, () => 1));
  assert.equal(await memory.waitForChange(0), 1);
  assert.equal(await memory.waitForChange(1, { timeoutMs: 30 }), 1);
  assert.equal(memory.waitForChangeSync(1, { timeoutMs: 5 }), 1);
  assert.equal(memory.waitForChangeSync(0), 1);
  const aborted = memory.waitForChange(1, { timeoutMs: 60_000, signal: AbortSignal.timeout(20) });
  await assert.rejects(aborted, { name: 'TimeoutError' });
  const warned = t.mock.fn();
  process.once('warning', warned);
  const { signal } = new AbortController();
  await Promise.all(Array.from({ length: 20 }, () => memory.waitForChange(1, { timeoutMs: 30, signal })));
  assert.equal(warned.mock.callCount(), 0, 'listeners of a signal that many calls share');
  process.off('warning', warned);
  const waiting = memory.waitForChange(1, { timeoutMs: 60_000 });
  await sleep(10);
  await Promise.all([memory.close(), assert.rejects(waiting, failure('closed'))]);
});

test('one memory lies in two stores', async (t) => {
  const [laptop, desktop, folder] = [openFresh(t), openFresh(t), fresh()];
  fs.mkdirSync(folder);
  const identity = await laptop.sharing.identity();
  assert.match(identity, /^[0-9a-f]{64}$/);
  laptop.appendSync({ kind: 'user_prompt', session: 's', content: 'The gate opens with the copper key.' });
  const batch = await laptop.sharing.batchSince(0, { limit: 100 });
  assert.deepEqual([batch.records, batch.through, batch.hasMore], [1, 1, false]);
  await assert.rejects(desktop.sharing.receive(batch.lines), { code: 'permission_denied', argument: 'batch' });
  assert.throws(() => desktop.sharing.addMemberSync('nobody', 'laptop', 'owner'), { argument: 'identity' });
  desktop.sharing.addMemberSync(identity, 'laptop', 'owner');
  const [member] = await desktop.sharing.members();
  assert.deepEqual([member.identity, member.name, member.role], [identity, 'laptop', 'owner']);
  const received = await desktop.sharing.receive(batch.lines);
  assert.deepEqual([received.records, received.through], [1, 1]);
  assert.deepEqual(await desktop.sharing.watermarks(), [{ identity, position: 1 }]);
  const source = await desktop.sharing.source(1);
  assert.deepEqual([source.identity, source.name, source.position], [identity, 'laptop', 1]);
  assert.equal(laptop.sharing.sourceSync(1), null);
  assert.throws(() => desktop.sharing.receiveSync(batch.lines.replace('copper', 'golden')), {
    code: 'invalid_argument',
    argument: 'batch',
  });

  await laptop.sharing.announce(folder, 'laptop');
  assert.equal((await laptop.sharing.pushFolder(folder)).records, 1);
  assert.equal((await desktop.sharing.pullFolder(folder)).records, 0);
  assert.deepEqual(desktop.sharing.announcedSync(folder), [{ identity, name: 'laptop' }]);
  assert.equal(await desktop.sharing.sharedHash(), laptop.sharing.sharedHashSync());
});

/** As in the guide about sharing. */
async function sendNews(sender, receiver) {
  const identity = await sender.sharing.identity();
  let batch, received;
  for (;;) {
    const marks = await receiver.sharing.watermarks();
    const { position } = marks.find((mark) => mark.identity === identity);
    if (batch && !batch.hasMore && position === batch.through) break;
    batch = await sender.sharing.batchSince(position);
    received = await receiver.sharing.receive(batch.lines);
  }
  if (received.toErase > 0) await receiver.sharing.eraseOrdered();
}

test('batches carry an erasure and its answer', async (t) => {
  const [laptop, desktop] = [openFresh(t), openFresh(t)];
  for (const [one, other] of [[laptop, desktop], [desktop, laptop]]) {
    await one.sharing.addMember(await other.sharing.identity(), 'm', 'writer');
  }
  // A batch has at most 1,000 records.
  const apples = Array.from({ length: 1_001 }, (_, number) => `apple ${number}`);
  await laptop.appendBatch(apples.map((content) => ({ kind: 'user_prompt', session: 's', content })));
  const said = await laptop.append({ kind: 'user_prompt', session: 's', project: 'shop', content: 'the secret pear' });
  await sendNews(laptop, desktop);
  assert.equal(await desktop.sharing.sharedHash(), await laptop.sharing.sharedHash());
  assert.deepEqual(await desktop.sharing.projectsOf(said.id), ['shop']);
  const checksum = await laptop.sharing.logChecksum(1_002);
  const retractions = await laptop.sharing.retractionMark();
  await laptop.erase({ ids: [said.id] });
  assert.equal(laptop.sharing.logChecksumSync(1_002), checksum);
  assert.notEqual(laptop.sharing.retractionMarkSync(), retractions);
  const identity = await desktop.sharing.identity();
  const [open] = await laptop.sharing.unansweredErasures();
  assert.deepEqual([open.waitingFor, open.declinedBy], [[identity], []]);
  await sendNews(laptop, desktop);
  assert.equal(await desktop.event(said.id), null);
  await sendNews(desktop, laptop);
  assert.deepEqual(await laptop.sharing.unansweredErasures(), []);

  // Somebody else may choose among the records of a batch.
  const told = await laptop.append({ kind: 'user_prompt', session: 's', content: 'plums' });
  const [header] = (await laptop.sharing.batchSince(told.seq, { limit: 0 })).lines.split('\n');
  const [, plums] = (await laptop.sharing.batchSince(told.seq - 1)).lines.split('\n');
  const chosen = await desktop.sharing.receiveSelected(`${header}\n${plums}\n`, told.seq - 1, told.seq);
  assert.deepEqual([chosen.records, chosen.through], [1, told.seq]);
  const announced = await desktop.sharing.readAnnouncement(await laptop.sharing.announcement('laptop'));
  assert.equal(announced.name, 'laptop');
  assert.notEqual(await desktop.sharing.renewIdentity(), identity);
});
