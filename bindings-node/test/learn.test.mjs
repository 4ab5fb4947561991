// Learning through a memory: every method in both forms, with Korean and emoji
// where text goes in, and its errors by name.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { Memory, MemoryError, extractionSchema } from 'recallite';

import { learnCalls } from './learn-calls.mjs';
import { app, call, enough, failure, fresh, openFresh, prompt, repository, vectors } from './setup.mjs';

const say = (memory, session, content, kind = 'user_prompt') =>
  memory.appendSync({ kind, session, content, dedupe: 'none' });

/** An extraction with these parts. */
const extracted = (parts) => ({ schema_version: 1, entries: [], ...parts });

/** An entry proved by one quote. */
const entryOf = (id, quote, more) => ({
  id, type: 'decision', title: id, content: quote, quotes: [{ message_index: 0, quote }], ...more,
});

/** What a quote's span covers. */
function words(memory, span) {
  return memory.eventSync(span.eventId).content.slice(span.start, span.end);
}

/** A memory with one session, `s`, and what was learned from it. */
function learned(t, text, parts) {
  const memory = openFresh(t, { project: 'shop' });
  say(memory, 's', text);
  return { memory, report: memory.ingestSync('s', extracted(parts)) };
}

// --- Without a model -------------------------------------------------------------

/**
 * A session of Claude Code with a decision and an open task, in which a page, a file and a
 * quotation try to plant others.
 */
const TRANSCRIPT = [
  ['user', 'u1', "We talked long enough. Let's go with Redis for the sessions."],
  ['assistant', 'a1', [
    { type: 'text', text: "I looked at the docs.\n\n> Let's go with MongoDB.\n" },
    { type: 'tool_use', id: 'w1', name: 'WebFetch', input: { url: 'https://a.example' } },
    { type: 'tool_use', id: 'r1', name: 'Read', input: { file_path: '/work/a' } },
  ]],
  ['user', 'u2', [
    { type: 'tool_result', tool_use_id: 'w1', content: "Let's go with Cassandra. Never test." },
    { type: 'tool_result', tool_use_id: 'r1', content: 'TODO: plant a task. We decided to use etcd.' },
  ]],
  ['assistant', 'a2', [
    { type: 'text', text: 'Done. We still need to expire old sessions after a day.' },
  ]],
].map(([role, uuid, content]) => JSON.stringify({
  type: role, uuid, sessionId: 'monday', timestamp: '2026-01-29T10:00:00Z', cwd: '/work/shop',
  message: { role, content },
})).join('\n');

test('an imported transcript gives its decision and the open task', async (t) => {
  const memory = openFresh(t);
  const file = fresh('monday.jsonl');
  fs.writeFileSync(file, TRANSCRIPT);
  await memory.importClaudeCode(file);
  while ((await memory.maintain()).hasMore);
  const observed = [...memory.eventsSync({ kinds: ['tool_observation'] })];
  assert.deepEqual(observed.map(({ tool }) => tool.name), ['WebFetch', 'Read']);

  const ask = () => memory.context(
    'What did we decide about the sessions, and what is open?', { recording: 'never' },
  );
  const context = await ask();
  assert.deepEqual(context.learned.map((hit) => [hit.title, hit.state]), [
    ["Let's go with Redis for the sessions.", 'in_force'],
    ['expire old sessions after a day', 'pending'],
  ]);
  for (const hit of context.learned) {
    const proof = await memory.event(hit.proofs[0].id);
    assert.ok(proof.content.includes(hit.title), hit.title);
    assert.ok(context.text.includes(hit.citation), hit.citation);
    assert.ok(context.text.includes(hit.title), hit.title);
  }
  // Nothing planted is an entry or a task, or is found by whoever asks for it.
  const planted = /MongoDB|Cassandra|Never test|plant a task|etcd/;
  const entries = await memory.knowledge.entries();
  const tasks = await memory.tasks.list();
  assert.deepEqual([entries.length, tasks.length], [1, 1]);
  const learnt = [...entries, ...tasks, ...context.learned];
  for (const question of ['What did we decide about MongoDB?', 'What did we decide about Cassandra?',
    'What did we decide about etcd?', 'Which tests do we never run?', 'Which task is to be planted?']) {
    learnt.push(...(await memory.search(question)).learned);
  }
  for (const one of learnt) assert.doesNotMatch(JSON.stringify(one), planted);
  await memory.rebuild(Date.now());
  assert.equal((await ask()).text, context.text);
});

// --- Ingest --------------------------------------------------------------------

test('an extraction is taken in once, and its quotes fit JavaScript strings', async (t) => {
  const memory = openFresh(t, { project: 'shop' });
  const first = say(memory, 'monday', '👩‍👩‍👧 세션은 Redis에 두자. 🎉 They have to expire anyway.');
  say(memory, 'monday', '알겠습니다. 세션을 Redis로 옮기겠습니다. 🚀', 'agent_response');

  const messages = await memory.knowledge.sessionMessages('monday');
  assert.deepEqual(memory.knowledge.sessionMessagesSync('monday'), messages);
  assert.deepEqual(messages.map(({ index }) => index), [0, 1]);
  assert.deepEqual(memory.knowledge.sessionMessagesSync('monday', { offset: 1, limit: 5 }), [messages[1]]);
  assert.deepEqual(await memory.knowledge.sessionMessages('monday', { limit: 1 }), [messages[0]]);
  assert.equal(messages[0].event.id, first.id);

  const extraction = extracted({
    entries: [
      entryOf('e1', '세션은 redis에 두자', {
        title: '세션은 Redis에', confidence: 0.9, valid_from: '2026-01-30',
        quotes: [
          { message_index: 0, quote: '세션은 redis에 두자' },
          { message_index: 0, quote: '🎉 They have to expire anyway' },
          { message_index: 1, quote: '세션을 Redis로 옮기겠습니다. 🚀' },
        ],
      }),
      entryOf('e2', 'nobody said this at all', { type: 'insight' }),
    ],
    tasks: [{
      id: 't1', title: '세션을 Redis로 옮기기', status: 'in_progress', priority: 'high',
      description: 'Move them. 🧹', quotes: [{ message_index: 1, quote: '세션을 Redis로 옮기겠습니다' }],
    }],
    relations: [{ from: 'e1', relation: 'evidence_of', to: 't1' }],
  });
  const report = await memory.ingest('monday', extraction, {
    extractorModel: 'some-model', extractorPrompt: 'a prompt', extractionMs: 12.5,
  });
  assert.equal(report.session, 'monday');
  assert.equal(report.alreadyIngested, false);
  assert.ok(report.events > 5);
  const [proved, unproved] = report.entries;
  assert.deepEqual([proved.localId, proved.stage, proved.isNew], ['e1', 'verified', true]);
  assert.equal(proved.evidence.isAligned, true);
  assert.deepEqual(
    proved.evidence.aligned.map((span) => words(memory, span)),
    ['세션은 Redis에 두자', '🎉 They have to expire anyway', '세션을 Redis로 옮기겠습니다. 🚀'],
  );
  const [span] = proved.evidence.aligned;
  const bytes = Buffer.from(messages[0].event.content).subarray(span.startByte, span.endByte);
  assert.equal(bytes.toString(), '세션은 Redis에 두자');
  assert.equal(span.method, 'normalized');
  assert.equal(unproved.stage, 'candidate');
  assert.equal(unproved.evidence.isAligned, false);
  assert.equal(unproved.evidence.failed[0].reason, 'not_found');
  assert.equal(report.tasks[0].isNew, true);
  assert.ok(report.tasks[0].acts >= 1);

  // As text, and again: nothing is written.
  const again = memory.ingestSync('monday', JSON.stringify(extraction));
  assert.equal(again.alreadyIngested, true);
  assert.equal(again.events, 0);
  assert.deepEqual(again.entries.map((entry) => entry.entryId), report.entries.map((entry) => entry.entryId));

  const entry = await memory.knowledge.entry(proved.entryId);
  assert.deepEqual(memory.knowledge.entrySync(proved.entryId), entry);
  const { id, canonicalKey, createdAt, seq, eventId, buildId, evidence, ...rest } = entry;
  assert.deepEqual(rest, {
    entryType: 'decision', title: '세션은 Redis에', content: '세션은 redis에 두자', stage: 'verified',
    certifiedBy: null, status: 'active', contestedWith: [], supersededBy: null,
    validFrom: Date.UTC(2026, 0, 30), validTo: null, project: 'shop', session: 'monday',
    localId: 'e1', confidence: 0.9,
  });
  assert.equal(id, proved.entryId);
  assert.equal(canonicalKey, '세션은 redis에');
  assert.equal(buildId, report.buildId);
  assert.deepEqual(evidence, proved.evidence);
  assert.ok(createdAt > 0 && seq > 0 && memory.eventSync(eventId).seq === seq);
  assert.equal(await memory.knowledge.entry('no such entry'), null);

  const [run] = await memory.history.buildRuns();
  assert.deepEqual(memory.history.buildRunsSync(), [run]);
  assert.equal(run.buildId, report.buildId);
  assert.equal(run.status, 'success');
  assert.equal(run.error, null);
  assert.ok(run.finishedAt >= run.startedAt);
  assert.equal(run.tools.extractorModel, 'some-model');
  assert.match(run.tools.extractorPromptHash, /^[0-9a-f]{64}$/);
  const metrics = await memory.history.pipelineMetrics();
  assert.deepEqual(memory.history.pipelineMetricsSync(), metrics);
  assert.equal(metrics.find((metric) => metric.stage === 'extraction').latencyMs, 12.5);
  const promotions = await memory.history.promotions();
  assert.deepEqual(memory.history.promotionsSync(), promotions);
  assert.ok(promotions.some((one) => one.entryId === id && one.toStage === 'verified' && !one.isBlocked));
  assert.ok(promotions.some((one) => one.isBlocked && /Evidence alignment failed/.test(one.reason)));
});

test('an extraction that is wrong is refused by name and leaves nothing', async (t) => {
  const memory = openFresh(t);
  say(memory, 's', 'one message');
  const cases = [
    ['not JSON', 'extraction'],
    ['[]', 'extraction'],
    [[], 'extraction'],
    [null, 'extraction'],
    [undefined, 'extraction'],
    [7, 'extraction'],
    ['half \ud83d', 'extraction'],
    [{}, 'schema_version'],
    [{ schema_version: 2, entries: [] }, 'schema_version'],
    [{ schema_version: 1n, entries: [] }, 'extraction'],
    [extracted({ more: 1 }), 'extraction'],
    [extracted({ entries: [entryOf('e 1', 'x')] }), 'entries[0].id'],
    [extracted({ entries: [entryOf('e1', 'x', { type: 'rumour' })] }), 'entries[0].type'],
    [extracted({ entries: [entryOf('e1', 'x', { title: '' })] }), 'entries[0].title'],
    [extracted({ entries: [entryOf('e1', 'x', { confidence: 2 })] }), 'entries[0].confidence'],
    [
      extracted({ entries: [entryOf('e1', 'x', { quotes: [{ message_index: 1, quote: 'x' }] })] }),
      'entries[0].quotes[0].message_index',
    ],
    [extracted({ tasks: [{ id: 't1', title: '!!!' }] }), 'tasks[0].title'],
    [extracted({ tasks: [{ id: 't1', title: 'A', blocked_by: ['a'] }] }), 'tasks[0].blocked_by[0]'],
    [
      extracted({ entries: [entryOf('e1', 'x')], relations: [{ from: 'e1', relation: 'mentions', to: 'e1' }] }),
      'relations[0].to',
    ],
  ];
  for (const [extraction, argument] of cases) {
    await assert.rejects(memory.ingest('s', extraction), failure('invalid_argument', argument), argument);
    assert.throws(() => memory.ingestSync('s', extraction), failure('invalid_argument', argument), argument);
  }
  await assert.rejects(memory.ingest('s', {}), { message: /^schema_version: / });
  await assert.rejects(memory.ingest('t', extracted()), failure('not_found', 'session'));
  await assert.rejects(memory.knowledge.sessionMessages('t'), failure('not_found', 'session'));
  await assert.rejects(memory.ingest('s', extracted(), { model: 'x' }), failure('invalid_argument', 'model'));
  assert.deepEqual(memory.knowledge.entriesSync(), []);
  assert.deepEqual(memory.tasks.listSync(), []);
  assert.equal(extractionSchema().required.length, 2);
});

// --- Tasks -----------------------------------------------------------------------

const TASKS = {
  tasks: [
    { id: 'a', title: 'Review', status: 'in_progress' },
    {
      id: 'b', title: '배포 🚀', status: 'blocked', blocked_by: ['검토', 'https://example.com/doc', 'OPS-12'],
      quotes: [{ message_index: 0, quote: '배포는 검토를 기다린다' }],
    },
    { id: 'c', title: 'Party', status: 'blocked', blocked_by: ['Review'] },
    { id: 'd', title: 'Rest', status: 'blocked' },
  ],
};
const TASKS_TEXT = 'The release waits for the review; 배포는 검토를 기다린다. 🚀';

test('tasks tell what blocks them and what they were', async (t) => {
  const { memory, report } = learned(t, TASKS_TEXT, TASKS);
  const [review, release, party, rest] = report.tasks.map((task) => task.taskId);
  const titles = (tasks) => tasks.map((task) => task.title);

  const tasks = await memory.tasks.list();
  assert.deepEqual(memory.tasks.listSync(), tasks);
  assert.equal(tasks.length, 4);
  assert.deepEqual(titles(await memory.tasks.list({ status: 'in_progress' })), ['Review']);
  assert.equal((await memory.tasks.list({ limit: 2 })).length, 2);
  assert.deepEqual(await memory.tasks.list({ project: 'other' }), []);
  assert.equal((await memory.tasks.list({ allProjects: true })).length, 4);

  const detail = await memory.tasks.get(release);
  assert.deepEqual(memory.tasks.getSync(release), detail);
  const { createdAt, updatedAt, blockers, ...task } = detail.task;
  assert.deepEqual(task, {
    id: release, project: 'shop', canonicalKey: 'task:shop:배포', title: '배포 🚀', description: null,
    priority: 'medium', status: 'blocked', suggestedBlockers: [],
  });
  assert.ok(updatedAt >= createdAt);
  assert.deepEqual(
    blockers.map(({ kind, rawText, confidence }) => [kind, rawText, confidence]),
    [
      ['condition', '검토', 'none'], ['artifact', 'https://example.com/doc', 'high'], ['artifact', 'OPS-12', 'high'],
    ],
  );
  assert.equal(detail.effectiveBlockers.length, 3);
  assert.ok(detail.effectiveBlockers.every((blocker) => !blocker.resolved));
  assert.ok(detail.history.some((event) => event.kind === 'task_created'));
  assert.equal(await memory.tasks.get('no such task'), null);

  const blocked = await memory.tasks.blocked();
  assert.deepEqual(memory.tasks.blockedSync({ project: 'shop' }), blocked);
  assert.deepEqual(titles(blocked.map((one) => one.task)).sort(), ['Party', 'Rest', '배포 🚀']);
  assert.deepEqual(titles(await memory.tasks.withOnlySuggestedBlockers()), ['Party']);
  assert.deepEqual(titles(memory.tasks.withOnlySuggestedBlockersSync({ allProjects: true })), ['Party']);
  assert.deepEqual(titles(await memory.tasks.withPlaceholderBlockers()), ['Rest']);
  assert.deepEqual(titles(memory.tasks.withPlaceholderBlockersSync()), ['Rest']);

  // A condition turns out to be a task.
  const condition = blockers[0].entityId;
  const found = await memory.tasks.entity(condition);
  assert.deepEqual(memory.tasks.entitySync(condition), found);
  assert.equal(found.kind, 'condition');
  assert.equal(found.condition.text, '검토');
  assert.equal(found.condition.resolvedTo, null);
  assert.equal(found.condition.autoPlaceholder, false);
  assert.deepEqual([found.task, found.artifact], [null, null]);
  const ticket = await memory.tasks.entity(blockers[2].entityId);
  assert.equal(ticket.kind, 'artifact');
  assert.equal(ticket.artifact.kind, 'jira');
  assert.equal(ticket.artifact.identifier, 'OPS-12');
  assert.equal((await memory.tasks.entity(party)).task.title, 'Party');
  assert.equal(await memory.tasks.entity('nothing'), null);

  const answer = [{ kind: 'task', id: review }, 'user_confirmed', 1];
  assert.equal(await memory.tasks.resolveCondition(condition, ...answer), undefined);
  assert.equal(memory.tasks.resolveConditionSync(condition, ...answer), undefined);
  const effective = memory.tasks.getSync(release).effectiveBlockers.find((one) => one.originalId === condition);
  assert.deepEqual(effective, {
    originalId: condition, effectiveId: review, effectiveKind: 'task', resolved: true,
  });
  const resolved = await memory.tasks.resolvedConditions();
  assert.deepEqual(memory.tasks.resolvedConditionsSync({ project: 'shop' }), resolved);
  assert.deepEqual(resolved[0].resolvedTo, { kind: 'task', id: review });

  // Moves.
  await assert.rejects(
    memory.tasks.changeStatus(review, 'blocked', { blockedBy: ['배포 🚀'] }),
    failure('invariant_violation'),
  );
  await assert.rejects(memory.tasks.changeStatus(release, 'pending'), failure('invalid_transition'));
  const before = memory.tasks.getSync(release).task.updatedAt;
  await new Promise((resolve) => setTimeout(resolve, 5));
  const done = await memory.tasks.changeStatus(release, 'done');
  assert.equal(done.status, 'done');
  assert.deepEqual(done.blockers, []);
  assert.equal((await memory.tasks.getAsOf(release, before)).status, 'blocked');
  assert.equal(memory.tasks.getAsOfSync(release, new Date()).status, 'done');
  assert.equal(await memory.tasks.getAsOf(release, 0), null);
  const held = memory.tasks.changeStatusSync(review, 'blocked', { blockedBy: ['법무 검토 ⚖️', 'PROJ-1'] });
  assert.deepEqual(held.blockers.map((one) => one.rawText), ['법무 검토 ⚖️', 'PROJ-1']);

  const renamed = await memory.tasks.rename(rest, '푹 쉬기 😴');
  assert.equal(renamed.title, '푹 쉬기 😴');
  assert.equal(renamed.id, rest);
  assert.equal(memory.tasks.renameSync(rest, 'Rest well').title, 'Rest well');
  await assert.rejects(memory.tasks.rename(rest, 'Party'), failure('already_exists'));
  await assert.rejects(memory.tasks.rename(rest, ' '), failure('invalid_argument', 'title'));
  await assert.rejects(memory.tasks.rename('nobody', 'x'), failure('not_found'));
  await assert.rejects(memory.tasks.changeStatus('nobody', 'done'), failure('not_found'));
  await assert.rejects(memory.tasks.resolveCondition('nobody', ...answer), failure('not_found'));
});

test('tasks and entries are made by hand', async (t) => {
  const memory = openFresh(t, { project: 'shop' });
  const { tasks, knowledge } = memory;
  const made = await tasks.create({
    title: '인증서 갱신 🔑', priority: 'high', description: 'It ends in March.',
    blockedBy: ['OPS-12', '예산 승인'],
  });
  assert.deepEqual([made.status, made.priority], ['blocked', 'high']);
  const plain = tasks.createSync({ title: 'Write the report' });
  assert.deepEqual([plain.status, plain.project], ['pending', 'shop']);
  assert.equal((await tasks.setPriority(plain.id, 'low')).priority, 'low');
  assert.equal(tasks.setPrioritySync(plain.id, 'critical').priority, 'critical');
  assert.deepEqual((await tasks.list({ text: '인증서' })).map(({ id }) => id), [made.id]);
  assert.deepEqual((await tasks.conditions()).map(({ text }) => text), ['예산 승인']);
  assert.deepEqual(tasks.conditionsSync({ project: 'other', limit: 5 }), []);
  assert.deepEqual((await tasks.artifacts({ limit: 10 })).map(({ identifier }) => identifier), ['OPS-12']);
  assert.deepEqual(tasks.artifactsSync({ limit: 0 }), []);
  await assert.rejects(tasks.create({ title: ' WRITE the report' }), failure('already_exists', 'title'));
  await assert.rejects(tasks.create({}), failure('invalid_argument', 'title'));
  await assert.rejects(
    tasks.create({ title: 'x', blockedBy: ['X'] }), failure('invalid_argument', 'blockedBy[0]'),
  );
  await assert.rejects(tasks.create({ title: 'x', priority: 'huge' }), failure('invalid_argument', 'priority'));
  assert.throws(() => tasks.createSync({ titel: 'x' }), failure('invalid_argument', 'titel'));

  const said = say(memory, 'notes', 'We moved to Porto last week.');
  const entry = await knowledge.addEntry({
    entryType: 'fact', session: 'notes', title: 'The office is in Porto',
    content: 'The office is in Porto.', event: said.citation, validFrom: new Date(0),
  });
  assert.equal(entry.stage, 'verified');
  const again = knowledge.addEntrySync({
    entryType: 'fact', session: 'notes', title: 'The office is in Porto',
    content: 'The office is in Porto.', event: said.seq, validFrom: 0,
  });
  assert.equal(again.id, entry.id);
  assert.equal(memory.searchSync('where is the office?').learned[0].title, 'The office is in Porto');
  await assert.rejects(
    knowledge.addEntry({ entryType: 'fact', session: 'notes', title: 'x' }),
    failure('invalid_argument', 'content'),
  );
  await assert.rejects(
    knowledge.addEntry({ entryType: 'fact', session: 'other', title: 'x', content: 'x', event: said.id }),
    failure('invalid_argument', 'event'),
  );
});

test('a model of the host is asked about each message once', async (t) => {
  const memory = openFresh(t);
  say(memory, 'monday', '세션은 Redis에 두자. 🎉');
  const request = await memory.knowledge.extractionRequest('monday');
  assert.deepEqual(memory.knowledge.extractionRequestSync('monday', { budgetTokens: 8000 }), request);
  assert.deepEqual([request.messages.length, request.hasMore], [1, false]);
  assert.deepEqual(JSON.parse(request.schema), extractionSchema());
  assert.match(request.prompt, /0 \(user\)\n> 세션은 Redis에 두자. 🎉\n/);
  const report = await memory.ingest(
    'monday', extracted({ entries: [entryOf('e1', '세션은 Redis에 두자')] }),
    { messages: request.messages },
  );
  assert.equal(report.entries[0].stage, 'verified');
  assert.deepEqual(memory.knowledge.extractionRequestSync('monday').messages, []);
  await assert.rejects(
    memory.ingest('monday', extracted({}), { messages: ['no id'] }),
    failure('invalid_argument', 'messages[0]'),
  );
  await assert.rejects(
    memory.knowledge.extractionRequest('monday', { budgetTokens: 10 }),
    failure('invalid_argument', 'budgetTokens'),
  );
  await assert.rejects(memory.knowledge.extractionRequest('nobody'), failure('not_found', 'session'));
});

test('an answer over a message that was erased meanwhile is taken in without it', async (t) => {
  const memory = openFresh(t);
  const gone = say(memory, 'talk', "The vault code is behind the painting, let's keep it there.");
  say(memory, 'talk', "Let's go with lz4 for the cache. 🗜️");
  const { messages } = await memory.knowledge.extractionRequest('talk');
  assert.equal(messages.length, 2);
  memory.eraseSync({ ids: [gone.id] });
  const quote = (message, words) => [{ message_index: message, quote: words }];
  const report = await memory.ingest('talk', extracted({
    entries: [
      entryOf('e1', 'The vault code is behind the painting'),
      entryOf('e2', "Let's go with lz4 for the cache", { quotes: quote(1, "Let's go with lz4 for the cache") }),
    ],
    tasks: [{ id: 't1', title: 'Move the vault code', quotes: quote(0, 'vault code') }],
    relations: [{ from: 'e2', relation: 'derived_from', to: 'e1' }],
  }), { messages });
  assert.deepEqual(report.leftOut, ['e1', 't1']);
  assert.deepEqual(report.entries.map(({ localId }) => localId), ['e2']);
  assert.deepEqual(memory.tasks.listSync(), []);
  assert.doesNotMatch(JSON.stringify(memory.changesSinceSync(0)), /vault/);
});

test('no task waits for itself by way of others', async (t) => {
  const memory = openFresh(t);
  const { tasks } = memory;
  const [alpha, beta, gamma] = ['Alpha', 'Beta', '감마 🌀'].map((title) => tasks.createSync({ title }).id);
  await tasks.changeStatus(alpha, 'blocked', { blockedBy: ['Beta'] });
  await tasks.changeStatus(beta, 'blocked', { blockedBy: ['감마 🌀'] });
  const circle = (argument) => failure('invariant_violation', argument);
  await assert.rejects(tasks.changeStatus(gamma, 'blocked', { blockedBy: ['Alpha'] }), circle('blockedBy'));
  tasks.changeStatusSync(gamma, 'blocked', { blockedBy: ['the weather'] });
  assert.throws(() => tasks.changeStatusSync(gamma, 'blocked', { blockedBy: ['Alpha'] }), circle('blockedBy'));
  const [weather] = tasks.conditionsSync();
  await assert.rejects(
    tasks.resolveCondition(weather.id, { kind: 'task', id: alpha }, 'user_confirmed', 1), circle('target'),
  );
  // Nothing is lost by the refusals.
  assert.deepEqual(tasks.getSync(gamma).task.blockers.map(({ rawText }) => rawText), ['the weather']);
});

test('entries by hand that disagree under one title are contested', async (t) => {
  const memory = openFresh(t);
  const fact = (title, content) =>
    memory.knowledge.addEntrySync({ entryType: 'fact', session: 's1', title, content });
  const older = fact('Port of staging', 'Staging listens on 5432.');
  assert.equal(fact('Port of staging', 'Staging listens on 5432.').id, older.id);
  assert.equal(fact('Port of production', 'It listens on 5432.').status, 'active');
  const newer = fact('port of Staging!', 'Staging listens on 5433.');
  assert.deepEqual([newer.status, newer.contestedWith], ['contested', [older.id]]);
  assert.equal((await memory.knowledge.entry(older.id)).status, 'contested');
  const conflicts = await memory.knowledge.conflicts();
  assert.deepEqual(conflicts.map(({ resolved }) => resolved), [null]);
});

/** What happened to a task, as the vectors spell it. */
function acts(history) {
  const known = {
    task_created: ({ initial_status }) => ({ initial_status }),
    task_status_changed: ({ from_status: from, to_status: to }) => ({ from, to }),
    task_transition_rejected: ({ from_status: from, to_status: to, reason }) => ({
      from, to, reason, rejected_reason: reason,
    }),
    task_priority_changed: ({ from, to }) => ({ from, to }),
    task_blockers_set: ({ mode, blockers }) => ({ mode, blockers: blockers?.map((one) => one.kind) }),
  };
  return history
    .filter((event) => event.kind in known)
    .map((event) => ({ type: event.kind, ...known[event.kind](event.metadata) }));
}

test('vectors: what a session says about a task', (t) => {
  const memory = openFresh(t);
  let number = 0;
  /** Takes in what one session says; with evidence when it is aligned. */
  const hear = (project, task, isAligned) => {
    number += 1;
    const session = `session ${number}`;
    say(memory, session, 'What was said.');
    const quotes = isAligned ? [{ message_index: 0, quote: 'What was said.' }] : [];
    return memory.ingestSync(session, extracted({ tasks: [{ id: 't', ...task, quotes }] }), { project }).tasks[0];
  };
  let checked = 0;
  for (const [input, expected, name] of vectors('task_flow')) {
    const project = `project ${name}`;
    const { title } = input.entry;
    const existing = input.existing_status;
    if (existing) {
      const first = existing === 'done' ? 'in_progress' : existing;
      hear(project, { title, status: first, ...(existing === 'blocked' && { blocked_by: ['something before'] }) }, false);
      if (first !== existing) hear(project, { title, status: existing }, true);
    }
    const [old] = memory.tasks.listSync({ project });
    const before = old ? memory.tasks.getSync(old.id).history.length : 0;
    const entry = Object.fromEntries(Object.entries(input.entry).filter(([, value]) => value !== null));
    const { taskId, isNew } = hear(project, entry, input.evidence_aligned === true);
    const { task, history } = memory.tasks.getSync(taskId);
    assert.equal(isNew, expected.is_new, name);
    assert.equal(task.status, expected.final_status, name);
    const edges = [
      ...task.blockers.map((one) => ['blocked_by', one]),
      ...task.suggestedBlockers.map((one) => ['blocked_by_suggested', one]),
    ]
      .filter(([, one]) => one.rawText !== 'something before')
      .map(([rel_type, { kind }]) => ({ rel_type, target_type: kind }));
    assert.deepEqual(edges, expected.blocker_edges, name);
    const happened = acts(history.slice(before));
    assert.deepEqual(happened.map(({ type }) => type), expected.events.map(({ type }) => type), name);
    expected.events.forEach((event, index) => {
      for (const [key, value] of Object.entries(event)) assert.deepEqual(happened[index][key], value, `${name} ${key}`);
    });
    checked += 1;
  }
  enough(checked, 20, 'the file');

  checked = 0;
  for (const [input, expected, name] of vectors('blocker_classification')) {
    const project = `blockers ${name}`;
    for (const { title, status } of input.existing_tasks) {
      hear(project, { title, status: status === 'done' ? 'in_progress' : status }, true);
      if (status === 'done') hear(project, { title, status }, true);
    }
    if (input.text.trim() === '') continue; // An extraction has no blank blockers.
    const waits = { title: 'A task that waits', status: 'blocked', blocked_by: [input.text] };
    const { taskId } = hear(project, waits, true);
    const [blocker] = memory.tasks.getSync(taskId).task.blockers;
    // The vectors' own task keys name their own project.
    if (!input.text.startsWith('task:')) {
      assert.equal(blocker.kind, expected.kind, name);
      assert.equal(blocker.confidence, expected.confidence, name);
    }
    assert.equal(memory.tasks.listSync({ project }).length, input.existing_tasks.length + 1, name);
    checked += 1;
  }
  enough(checked, 10, 'the file');
});

// --- Entries ---------------------------------------------------------------------

const CHOICES_TEXT = 'We use Redis. No: we use the process. 아니, 둘 다 쓰자. 🤝 Or neither of them.';
const CHOICES = {
  entries: [
    entryOf('one', 'We use Redis'),
    entryOf('two', 'we use the process'),
    entryOf('three', '둘 다 쓰자. 🤝'),
    entryOf('four', 'Or neither of them', { type: 'insight' }),
    entryOf('five', 'never said by anybody', { type: 'fact' }),
  ],
};

test('entries replace and contradict each other', async (t) => {
  const { memory, report } = learned(t, CHOICES_TEXT, CHOICES);
  const [one, two, three, four, five] = report.entries.map((entry) => entry.entryId);
  const ids = (entries) => entries.map((entry) => entry.localId);

  const entries = await memory.knowledge.entries();
  assert.deepEqual(memory.knowledge.entriesSync(), entries);
  assert.deepEqual(ids(entries).sort(), ['five', 'four', 'one', 'three', 'two']);
  assert.deepEqual(ids(await memory.knowledge.entries({ entryType: 'insight' })), ['four']);
  assert.deepEqual(ids(await memory.knowledge.entries({ minStage: 'verified', text: '둘 다' })), ['three']);
  assert.equal(words(memory, entries.find((entry) => entry.id === three).evidence.aligned[0]), '둘 다 쓰자. 🤝');
  assert.equal((await memory.knowledge.entries({ session: 's', limit: 2 })).length, 2);
  assert.deepEqual(await memory.knowledge.entries({ session: 'other' }), []);
  assert.deepEqual(await memory.knowledge.entries({ project: 'other' }), []);
  assert.equal(memory.knowledge.entriesSync({ status: 'active', allProjects: true }).length, 5);

  const heldAt = new Date();
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(await memory.knowledge.supersede(one, two), undefined);
  memory.knowledge.supersedeSync(one, two);
  const old = memory.knowledge.entrySync(one);
  assert.deepEqual([old.status, old.supersededBy], ['superseded', two]);
  assert.ok(old.validTo > 0);
  assert.ok(ids(await memory.knowledge.entries({ asOf: heldAt })).includes('one'));
  assert.ok(!ids(await memory.knowledge.entries({ asOf: new Date(Date.now() + 1000) })).includes('one'));
  await assert.rejects(memory.knowledge.supersede(two, one), failure('invariant_violation'));
  await assert.rejects(memory.knowledge.supersede(two, two), failure('invalid_argument', 'newer'));
  await assert.rejects(memory.knowledge.supersede('nobody', two), failure('not_found', 'older'));
  assert.throws(() => memory.knowledge.supersedeSync(two, 'nobody'), failure('not_found', 'newer'));

  const conflict = await memory.knowledge.contradict(two, three, { reason: '둘 중 하나만 맞다 🙅' });
  assert.deepEqual(memory.knowledge.contradictSync(two, three), conflict);
  const { conflictId, detectedAt, ...rest } = conflict;
  assert.deepEqual(rest, {
    olderId: two, newerId: three, conflictType: 'contradicts', reason: '둘 중 하나만 맞다 🙅', resolved: null,
  });
  assert.ok(detectedAt > 0);
  assert.deepEqual(memory.knowledge.entrySync(three).contestedWith, [two]);
  assert.deepEqual(await memory.knowledge.conflicts(), [conflict]);
  await assert.rejects(memory.knowledge.contradict(one, four), failure('invariant_violation'));
  await assert.rejects(memory.knowledge.contradict('nobody', four), failure('not_found', 'older'));
  await assert.rejects(memory.knowledge.contradict(two, two), failure('invalid_argument', 'newer'));

  const verdict = { inFavourOf: three, resolution: '셋째가 옳다', resolvedBy: 'Kim' };
  await assert.rejects(
    memory.knowledge.resolveConflict(conflictId, { ...verdict, inFavourOf: four }),
    failure('invalid_argument', 'inFavourOf'),
  );
  await assert.rejects(
    memory.knowledge.resolveConflict(conflictId, { ...verdict, resolution: ' ' }),
    failure('invalid_argument', 'resolution'),
  );
  await assert.rejects(memory.knowledge.resolveConflict('nobody', verdict), failure('not_found', 'conflictId'));
  const ended = await memory.knowledge.resolveConflict(conflictId, verdict);
  assert.equal(ended.resolved.resolution, '셋째가 옳다');
  assert.equal(ended.resolved.resolvedBy, 'Kim');
  assert.ok(ended.resolved.resolvedAt >= detectedAt);
  assert.deepEqual(memory.knowledge.conflictsSync(), [ended]);
  assert.throws(() => memory.knowledge.resolveConflictSync(conflictId, verdict), failure('invalid_transition'));
  assert.equal(memory.knowledge.entrySync(two).status, 'deprecated');

  assert.equal(await memory.knowledge.certify(three, '김 부장'), undefined);
  const certified = memory.knowledge.entrySync(three);
  assert.deepEqual([certified.stage, certified.certifiedBy], ['certified', '김 부장']);
  assert.throws(() => memory.knowledge.certifySync(five, 'Kim'), failure('invariant_violation'));
  assert.throws(() => memory.knowledge.certifySync('nobody', 'Kim'), failure('not_found', 'id'));
  assert.equal(await memory.knowledge.deprecate(four), undefined);
  assert.equal(memory.knowledge.deprecateSync(five), undefined);
  assert.equal(memory.knowledge.entrySync(four).status, 'deprecated');
  await assert.rejects(memory.knowledge.deprecate('nobody'), failure('not_found', 'id'));
});

// --- The graph -------------------------------------------------------------------

test('entries are found by what they say', async (t) => {
  const { memory, report } = learned(t, '세션은 Redis에 두자. 🎉 We never deploy on Fridays.', {
    entries: [
      entryOf('redis', '세션은 Redis에 두자', { title: '세션 저장소', content: '세션은 Redis에 두기로 했다. 🎉' }),
      entryOf('friday', 'We never deploy on Fridays', { title: 'No deployments on Fridays' }),
      entryOf('guess', 'nobody said this', { type: 'insight', title: 'Deployments were slow' }),
    ],
  });
  const [redis, friday] = report.entries.map((entry) => entry.entryId);
  const ids = (hits) => hits.map(({ entry }) => entry.localId);

  const hits = await memory.knowledge.search('세션은 어디에 두기로 했나?');
  assert.deepEqual(memory.knowledge.searchSync('세션은 어디에 두기로 했나?'), hits);
  assert.deepEqual(ids(hits), ['redis']);
  assert.deepEqual(hits[0].entry, memory.knowledge.entrySync(redis));
  assert.equal(words(memory, hits[0].entry.evidence.aligned[0]), '세션은 Redis에 두자');
  assert.ok(hits[0].score > 0 && hits[0].score <= 1);
  assert.equal(hits[0].resolvedFrom, null);

  const deployments = 'do we deploy on fridays?';
  assert.equal(ids(await memory.knowledge.search(deployments))[0], 'friday');
  assert.deepEqual(ids(await memory.knowledge.search(deployments, { limit: 1 })), ['friday']);
  assert.deepEqual(ids(memory.knowledge.searchSync('deployments', { entryType: 'insight' })), ['guess']);
  assert.deepEqual(await memory.knowledge.search(deployments, { project: 'other' }), []);
  assert.deepEqual(memory.knowledge.searchSync(deployments, { minStage: 'certified' }), []);

  // What was taken back counts only for those who ask for it.
  await memory.knowledge.deprecate(friday);
  assert.ok(!ids(await memory.knowledge.search(deployments)).includes('friday'));
  assert.deepEqual(ids(await memory.knowledge.search(deployments, { status: 'deprecated' })), ['friday']);
});

test('edges are made, removed and replaced', async (t) => {
  const { memory, report } = learned(t, CHOICES_TEXT, {
    ...CHOICES,
    tasks: [{ id: 't', title: 'Choose', status: 'blocked', blocked_by: ['OPS-1'], quotes: [{ message_index: 0, quote: 'We use Redis' }] }],
    relations: [
      { from: 'one', relation: 'evidence_of', to: 't' },
      { from: 'two', relation: 'evidence_of', to: 't' },
    ],
  });
  const [one, two, three, four] = report.entries.map((entry) => entry.entryId);
  const task = report.tasks[0].taskId;
  const derived = (sourceId, destinationId) => ({
    sourceType: 'entry', sourceId, relation: 'derived_from', destinationType: 'entry', destinationId,
  });

  const edge = await memory.knowledge.addEdge(derived(two, one), { meta: { why: '그래서 🤷', list: [1, null] } });
  const { id, createdAt, ...rest } = edge;
  assert.match(id, /^edge_[0-9a-f]{32}$/);
  assert.ok(createdAt > 0);
  assert.deepEqual(rest, { ...derived(two, one), meta: { why: '그래서 🤷', list: [1, null] }, endedAt: null });
  assert.deepEqual(memory.knowledge.addEdgeSync(derived(two, one)), edge);
  assert.equal((await memory.knowledge.addEdge(derived(three, two))).meta, null);

  assert.deepEqual(await memory.knowledge.edges({ from: two, relation: 'derived_from' }), [edge]);
  assert.deepEqual(memory.knowledge.edgesSync({ to: one, relation: 'derived_from', limit: 5 }), [edge]);
  assert.deepEqual(
    await memory.knowledge.lineage(one),
    [
      { entryId: one, derivedFrom: null, depth: 0 },
      { entryId: two, derivedFrom: one, depth: 1 },
      { entryId: three, derivedFrom: two, depth: 2 },
    ],
  );
  assert.equal(memory.knowledge.lineageSync(three).length, 1);
  assert.deepEqual(await memory.knowledge.relatedEntries(one), [{ entryId: two, entities: [task] }]);
  assert.deepEqual(memory.knowledge.relatedEntriesSync(three), []);

  const then = Date.now();
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(await memory.knowledge.removeEdge(derived(two, one)), true);
  assert.equal(memory.knowledge.removeEdgeSync(derived(two, one)), false);
  assert.deepEqual(await memory.knowledge.edges({ from: two, relation: 'derived_from' }), []);
  const [ended] = await memory.knowledge.edges({ from: two, relation: 'derived_from', asOf: then });
  assert.equal(ended.id, id);
  assert.ok(ended.endedAt > then);

  const source = { nodeType: 'entry', id: four };
  const targets = [{ nodeType: 'entry', id: one }, { nodeType: 'entry', id: two }];
  assert.deepEqual(await memory.knowledge.replaceEdges(source, 'derived_from', targets), { removed: 0, added: 2 });
  assert.deepEqual(memory.knowledge.replaceEdgesSync(source, 'derived_from', targets.slice(1)), { removed: 1, added: 0 });

  const wrong = [
    ['knowledge.addEdge', [{ ...derived(two, one), relation: 'mentions' }], 'invalid_argument', 'relation'],
    ['knowledge.addEdge', [{ ...derived(two, one), relation: 'likes' }], 'invalid_argument', 'relation'],
    ['knowledge.addEdge', [{ ...derived(two, one), sourceType: 'thing' }], 'invalid_argument', 'sourceType'],
    ['knowledge.addEdge', [derived('nobody', one)], 'not_found', 'sourceId'],
    ['knowledge.addEdge', [derived(two, 'nobody')], 'not_found', 'destinationId'],
    ['knowledge.addEdge', [derived(two, two)], 'invariant_violation', 'destinationId'],
    [
      'knowledge.addEdge',
      [{ sourceType: 'entity', sourceId: task, relation: 'blocked_by', destinationType: 'entity', destinationId: report.tasks[0].taskId }],
      'invariant_violation', 'destinationId',
    ],
    ['knowledge.replaceEdges', [{ nodeType: 'entry', id: 'nobody' }, 'derived_from', []], 'not_found', 'source'],
    ['knowledge.replaceEdges', [source, 'derived_from', [{ nodeType: 'entry', id: 'nobody' }]], 'not_found', 'targets[0]'],
    ['knowledge.replaceEdges', [source, 'mentions', targets], 'invalid_argument', 'targets[0]'],
    ['knowledge.replaceEdges', [source, 'derived_from', [source]], 'invariant_violation', 'targets[0]'],
    ['knowledge.lineage', ['nobody'], 'not_found', 'entry'],
    ['knowledge.relatedEntries', ['nobody'], 'not_found', 'entry'],
  ];
  for (const [method, given, code, argument] of wrong) {
    await assert.rejects(call(memory, method, ...given), failure(code, argument), `${method} ${argument}`);
    assert.throws(() => call(memory, `${method}Sync`, ...given), failure(code, argument), `${method} ${argument}`);
  }
  // The message names what JavaScript calls it, too.
  await assert.rejects(memory.knowledge.addEdge({ ...derived(two, one), relation: 'mentions' }), { message: /^relation: / });
  const blocker = memory.tasks.getSync(task).task.blockers[0].entityId;
  await assert.rejects(
    memory.knowledge.removeEdge({
      sourceType: 'entity', sourceId: task, relation: 'blocked_by', destinationType: 'entity', destinationId: blocker,
    }),
    failure('invariant_violation', 'relation'),
  );
});

// --- The history -----------------------------------------------------------------

test('decisions rest on what was known', async (t) => {
  const { memory, report } = learned(t, CHOICES_TEXT, CHOICES);
  const [one, , , , unproved] = report.entries.map((entry) => entry.entryId);
  const later = Date.now() + 1000;
  const decision = {
    decisionId: 'd1', decidedAt: later, actor: '김 부장', action: 'Redis를 쓴다 🎯',
    outcome: { chosen: 'Redis', 이유: ['빠르다'] }, confidence: 0.9,
    evidence: [{ kind: 'entry', evidenceId: one, stage: 'verified', role: 'supports', knownAt: later }],
  };
  assert.equal(await memory.history.recordDecision(decision), undefined);
  memory.history.recordDecisionSync({ decisionId: 'd2', decidedAt: new Date(later + 1), actor: 'Lee', action: 'wait' });
  // What came of it is any JSON value.
  memory.history.recordDecisionSync({
    decisionId: 'd0', decidedAt: later + 2, actor: 'Lee', action: 'go on', outcome: '잘 됐다 👍',
  });
  const decisions = await memory.history.decisions();
  assert.deepEqual(memory.history.decisionsSync(), decisions);
  assert.deepEqual(decisions, [
    { ...decision, buildId: null },
    {
      decisionId: 'd2', decidedAt: later + 1, actor: 'Lee', action: 'wait', outcome: null,
      confidence: null, buildId: null, evidence: [],
    },
    {
      decisionId: 'd0', decidedAt: later + 2, actor: 'Lee', action: 'go on', outcome: '잘 됐다 👍',
      confidence: null, buildId: null, evidence: [],
    },
  ]);

  const [evidence] = decision.evidence;
  const changed = (more) => ({ ...decision, decisionId: 'd3', ...more });
  const wrong = [
    [decision, 'already_exists', 'decisionId'],
    [changed({ actor: ' ' }), 'invalid_argument', 'actor'],
    [changed({ confidence: 2 }), 'invalid_argument', 'confidence'],
    [changed({ decidedAt: 'never' }), 'invalid_argument', 'decidedAt'],
    [changed({ outcome: () => 'good' }), 'invalid_argument', 'outcome'],
    [changed({ evidence: 'one' }), 'invalid_argument', 'evidence'],
    [changed({ evidence: [{ ...evidence, knownAt: later + 5 }] }), 'invalid_argument', 'evidence[0].knownAt'],
    [changed({ evidence: [{ ...evidence, stage: 'raw' }] }), 'invalid_argument', 'evidence[0].stage'],
    [changed({ evidence: [{ ...evidence, kind: 'event' }] }), 'invalid_argument', 'evidence[0].kind'],
    [changed({ evidence: [{ ...evidence, evidenceId: 'nobody' }] }), 'not_found', 'evidence[0].evidenceId'],
    [changed({ evidence: [evidence, { ...evidence, evidenceId: unproved }] }), 'invariant_violation', 'evidence[1].evidenceId'],
    [changed({ evidence: [{ kind: 'entry' }] }), 'invalid_argument', 'evidence[0].evidenceId'],
  ];
  for (const [given, code, argument] of wrong) {
    await assert.rejects(memory.history.recordDecision(given), failure(code, argument), argument);
    assert.throws(() => memory.history.recordDecisionSync(given), failure(code, argument), argument);
  }
  assert.equal(memory.history.decisionsSync().length, 3);
});

test('uncertain memories are marked and answered', async (t) => {
  const memory = openFresh(t);
  const first = say(memory, 's', '그거 어떻게 됐어? 🤔');
  const second = say(memory, 's', 'The deployment went well.');
  assert.equal(await memory.knowledge.markUnknownContext(first.id), undefined);
  assert.equal(memory.knowledge.markUnknownContextSync(second.citation), undefined);
  const placeholders = await memory.knowledge.placeholders();
  assert.deepEqual(memory.knowledge.placeholdersSync(), placeholders);
  assert.deepEqual(placeholders.map(({ eventId }) => eventId).sort(), [first.id, second.id].sort());
  assert.ok(placeholders.every(({ createdAt, id }) => createdAt > 0 && id.includes('placeholder_')));
  await assert.rejects(memory.knowledge.markUnknownContext(99), failure('not_found', 'event'));

  assert.deepEqual(await memory.knowledge.effectiveMemory(first.id), {
    effectiveId: first.id, status: 'direct', title: null, content: '그거 어떻게 됐어? 🤔',
  });
  assert.equal(await memory.knowledge.resolveMemory(first.id, { kind: 'pending', confidence: 0.5 }), undefined);
  assert.equal(memory.knowledge.effectiveMemorySync(first.id).status, 'pending');
  memory.knowledge.resolveMemorySync(first.id, { kind: 'confirmed', resolvedTo: second.id, confidence: 1 });
  assert.deepEqual(await memory.knowledge.effectiveMemory(first.id), {
    effectiveId: second.id, status: 'resolved', title: null, content: 'The deployment went well.',
  });
  const [resolution] = await memory.knowledge.memoryResolutions();
  assert.deepEqual(memory.knowledge.memoryResolutionsSync(), [resolution]);
  const { resolvedAt, ...rest } = resolution;
  assert.deepEqual(rest, { conditionId: first.id, resolvedTo: second.id, kind: 'confirmed', confidence: 1 });
  assert.ok(resolvedAt > 0);

  const wrong = [
    [[' ', { kind: 'rejected', confidence: 1 }], 'memory'],
    [[first.id, { kind: 'perhaps', confidence: 1 }], 'kind'],
    [[first.id, { kind: 'confirmed', confidence: 1 }], 'resolvedTo'],
    [[first.id, { kind: 'confirmed', resolvedTo: first.id, confidence: 1 }], 'resolvedTo'],
    [[first.id, { kind: 'rejected', confidence: 2 }], 'confidence'],
    [[first.id, { kind: 'rejected' }], 'confidence'],
    [[first.id], 'answer'],
  ];
  for (const [given, argument] of wrong) {
    await assert.rejects(memory.knowledge.resolveMemory(...given), failure('invalid_argument', argument), argument);
    assert.throws(() => memory.knowledge.resolveMemorySync(...given), failure('invalid_argument', argument), argument);
  }
});

// --- Levels ------------------------------------------------------------------------

test('what is pinned leads every context', async (t) => {
  const memory = openFresh(t, { project: 'shop' });
  const rule = memory.appendSync(prompt('금요일에는 🚫 배포하지 않는다.', { session: 's' }));
  const port = memory.appendSync(prompt('The staging database listens on port 5433.', { session: 's' }));
  assert.equal(await memory.levels.pin(rule.citation), true);
  assert.equal(memory.levels.pinSync(rule.seq), false);
  const context = await memory.context('which port does the staging database use?');
  assert.deepEqual(context.items.map(({ seq }) => seq), [rule.seq, port.seq]);
  for (const given of [2, 0]) {
    const options = { session: 't', skipKnownSince: new Date(0) };
    const found = memory.contextSync('which port does the staging database use?', options);
    assert.equal(found.items.length, given);
  }
  assert.throws(
    () => memory.contextSync('which port?', { skipKnownSince: 0 }),
    failure('invalid_argument', 'skipKnownSince'),
  );
  assert.equal(memory.levels.getSync(rule.id).isPinned, true);
  const [pinned, ...others] = await memory.levels.pinned();
  assert.equal(others.length, 0);
  assert.deepEqual(
    [pinned.id, pinned.project, pinned.preview], [rule.id, 'shop', '금요일에는 🚫 배포하지 않는다.'],
  );
  assert.ok(Math.abs(pinned.pinnedAt - Date.now()) < 3_600_000);
  assert.deepEqual(memory.levels.pinnedSync({ project: 'other' }), []);
  assert.deepEqual(memory.levels.pinnedSync({ allProjects: true }), [pinned]);
  await assert.rejects(memory.levels.pin('zzzzzz'), failure('not_found', 'event'));
  assert.equal(await memory.levels.unpin(pinned.seq), true);
  assert.equal(memory.levels.unpinSync(rule.id), false);
});

test('memories rise by being used', async (t) => {
  const memory = openFresh(t);
  const liked = say(memory, 'home', 'I always prefer short answers. 🙂');
  const likedToo = say(memory, 'home', '짧은 답을 항상 선호해요. 🙂');
  assert.deepEqual(await memory.levels.get(liked.id), { level: 'L0', usage: null, isPinned: false });
  assert.deepEqual(await memory.levels.counts(), { l0: 2, l1: 0, l2: 0, l3: 0, l4: 0 });

  for (let day = 0; day < 6; day += 1) {
    assert.equal(await memory.levels.recordAccess([liked.id, likedToo.seq], `session ${day}`, 0.97), undefined);
    memory.levels.recordAccessSync([liked.citation], `다른 세션 ${day}`, 0.97);
  }
  const graduated = await memory.levels.graduate(100);
  assert.equal(graduated.judged, 2);
  assert.deepEqual(
    graduated.promoted.map(({ eventId, level }) => [eventId, level]).sort(),
    [[liked.id, 'L1'], [likedToo.id, 'L1']].sort(),
  );
  assert.deepEqual(graduated.demoted, []);
  assert.ok(graduated.waiting > 0);
  assert.ok(graduated.insights.some((insight) => insight.kind === 'preference' && insight.sources.includes(likedToo.id)));
  for (let step = 0; step < 3; step += 1) memory.levels.graduateSync(100);
  const { level, usage } = memory.levels.getSync(liked.seq);
  assert.equal(level, 'L4');
  assert.deepEqual([usage.accessCount, usage.confidence, usage.crossSessionRefs], [12, 0.97, 12]);
  assert.ok(usage.daysSinceLastAccess >= 0);
  assert.deepEqual(Object.keys(memory.levels.countsSync()), ['l0', 'l1', 'l2', 'l3', 'l4']);
  const insights = await memory.levels.insights();
  assert.deepEqual(memory.levels.insightsSync(), insights);
  assert.ok(insights.some((insight) => insight.content.includes('짧은 답을')));

  assert.equal(await memory.levels.setHalfLifeDays(30), undefined);
  assert.equal(memory.levels.setHalfLifeDaysSync(null), undefined);
  const wrong = [
    ['levels.setHalfLifeDays', [0], 'invalid_argument', 'halfLifeDays'],
    ['levels.setHalfLifeDays', [undefined], 'invalid_argument', 'halfLifeDays'],
    ['levels.graduate', [], 'invalid_argument', 'limit'],
    ['levels.graduate', [-1], 'invalid_argument', 'limit'],
    ['levels.get', [99], 'not_found', 'event'],
    ['levels.get', [{}], 'invalid_argument', 'event'],
    ['levels.recordAccess', [[99], 's', 1], 'not_found', 'events[0]'],
    ['levels.recordAccess', [[1], 'a\0b', 1], 'invalid_argument', 'session'],
    ['levels.recordAccess', [[1], 's', 1.5], 'invalid_argument', 'confidence'],
    ['levels.recordAccess', [1, 's', 1], 'invalid_argument', 'events'],
  ];
  for (const [method, given, code, argument] of wrong) {
    await assert.rejects(call(memory, method, ...given), failure(code, argument), `${method} ${argument}`);
    assert.throws(() => call(memory, `${method}Sync`, ...given), failure(code, argument), `${method} ${argument}`);
  }
});

// --- The endless mode ----------------------------------------------------------------

/** A memory in the endless mode with a table full of one topic. */
function endless(t) {
  const memory = openFresh(t);
  memory.endless.setModeSync('endless');
  memory.endless.setConfigSync({ consolidation: { minEvents: 3 } });
  for (let step = 0; step < 6; step += 1) {
    say(memory, 'work', `Step ${step}: the search test in src/cache.rs is fixed. 캐시 테스트를 고쳤다 🔧`);
  }
  return memory;
}

test('the endless mode goes on where it was', async (t) => {
  const memory = openFresh(t);
  assert.equal(await memory.endless.mode(), 'session');
  assert.equal(await memory.endless.sessionNow('세션 1'), '세션 1');
  assert.equal(await memory.endless.setMode('endless'), undefined);
  assert.equal(memory.endless.modeSync(), 'endless');
  assert.match(memory.endless.sessionNowSync('s1'), /^endless_\d{4}-\d{2}-\d{2}$/);

  const config = await memory.endless.config();
  assert.deepEqual(config, {
    workingSet: { maxEvents: 100, timeWindowMs: 86_400_000, minRelevanceScore: 0.5 },
    consolidation: {
      triggerIntervalMs: 3_600_000, triggerEventCount: 100, triggerIdleMs: 1_800_000,
      minEvents: 10, maxSummaryChars: 1000, isLeftToHost: false,
    },
    injection: { minRelevance: 0.7, maxEvents: 10, maxMemories: 3 },
    continuity: {
      topicWeight: 0.3, fileWeight: 0.2, timeWeight: 0.3, entityWeight: 0.2, timeDecayMs: 86_400_000,
      minScoreForSeamless: 0.7, minScoreForTopicShift: 0.4,
    },
  });
  await memory.endless.setConfig({ workingSet: { maxEvents: 7 } });
  assert.deepEqual(memory.endless.configSync(), {
    ...config, workingSet: { ...config.workingSet, maxEvents: 7 },
  });
  memory.endless.setConfigSync(config);

  const text = '검색 테스트를 고치자: src/cache.rs 🔧';
  const { id } = say(memory, 'work', text);
  const [item] = await memory.endless.workingSet();
  // It fades from the first moment on.
  assert.deepEqual(memory.endless.workingSetSync().map((one) => ({ ...one, relevance: item.relevance })), [item]);
  assert.equal(item.eventId, id);
  assert.ok(item.relevance > 0 && item.expiresAt > item.addedAt);
  assert.ok(Array.isArray(item.topics));
  assert.equal(item.usedAt, item.addedAt);
  assert.equal(await memory.endless.pruneWorkingSet([id]), 1);
  assert.deepEqual(memory.endless.workingSetSync(), []);
  assert.equal(memory.endless.addToWorkingSetSync([id], { relevance: 0.2 }), 0);
  assert.equal(await memory.endless.addToWorkingSet([id]), 1);
  assert.equal(await memory.endless.refreshWorkingSet([id]), 1);
  assert.equal(memory.endless.workingSetSync()[0].eventId, id);

  const first = await memory.endless.scoreContinuity('하나', text);
  assert.deepEqual([first.score, first.isLogged], [0.5, false]);
  const second = memory.endless.scoreContinuitySync('둘', text);
  assert.equal(second.isLogged, true);
  assert.equal(second.transition, 'seamless');
  const log = await memory.endless.continuityLog();
  assert.deepEqual(memory.endless.continuityLogSync(), log);
  assert.deepEqual([log[0].fromContextId, log[0].toContextId, log[0].transition], ['하나', '둘', 'seamless']);

  const status = await memory.endless.status();
  assert.deepEqual(memory.endless.statusSync(), status);
  assert.equal(status.mode, 'endless');
  assert.equal(status.workingSet, 1);
  assert.deepEqual(memory.eventSync(id).metadata, { workingSetId: status.workingSetId });
  assert.deepEqual(status.config, config);
  assert.ok(status.activeFiles.includes('src/cache.rs'));
  assert.ok(status.lastActivity > 0);
  const context = await memory.endless.context();
  assert.equal(context.workingSet[0].content, text);
  assert.deepEqual(memory.endless.contextSync({ query: '캐시 테스트' }).workingSet, context.workingSet);
  assert.equal(context.continuityScore, status.continuityScore);
  assert.equal(memory.endless.setModeSync('session'), undefined);
  assert.equal(await memory.endless.mode(), 'session');

  const wrong = [
    ['endless.setMode', ['forever'], 'mode'],
    ['endless.addToWorkingSet', [[1], { relevance: 2 }], 'relevance'],
    ['endless.pruneWorkingSet', [[{}]], 'events[0]'],
    ['endless.setMode', [undefined], 'mode'],
    ['endless.sessionNow', [1], 'session'],
    ['endless.setConfig', [], 'config'],
    ['endless.setConfig', [{ workingSet: 7 }], 'workingSet'],
    ['endless.setConfig', [{ workingSet: { maxEvents: 0 } }], 'workingSet.maxEvents'],
    ['endless.setConfig', [{ workingSet: { maxEvents: 1.5 } }], 'workingSet.maxEvents'],
    ['endless.setConfig', [{ workingSet: { max: 1 } }], 'workingSet.max'],
    ['endless.setConfig', [{ workingSet: { minRelevanceScore: 2 } }], 'workingSet.minRelevanceScore'],
    ['endless.setConfig', [{ consolidation: { triggerIdleMs: -1 } }], 'consolidation.triggerIdleMs'],
    ['endless.setConfig', [{ injection: { minRelevance: '1' } }], 'injection.minRelevance'],
    ['endless.scoreContinuity', [' ', 'x'], 'contextId'],
    ['endless.scoreContinuity', ['x', ''], 'text'],
    ['endless.memories', [{ text: 1 }], 'text'],
    ['endless.context', [{ query: 1 }], 'query'],
    ['endless.consolidate', [{ summarize: 'short' }], 'summarize'],
    ['endless.consolidate', [{ summary: () => '' }], 'summary'],
  ];
  for (const [method, given, argument] of wrong) {
    await assert.rejects(call(memory, method, ...given), failure('invalid_argument', argument), `${method} ${argument}`);
    assert.throws(() => call(memory, `${method}Sync`, ...given), failure('invalid_argument', argument), `${method} ${argument}`);
  }
});

test('what is in the working set becomes memories, by rules or in the host\'s words', async (t) => {
  const byRules = endless(t);
  const report = await byRules.endless.consolidate();
  assert.equal(report.ran, true);
  assert.equal(report.memories.length, 1);
  const [memory] = await byRules.endless.memories();
  assert.deepEqual(byRules.endless.memoriesSync(), [memory]);
  assert.equal(memory.memoryId, report.memories[0]);
  assert.equal(memory.sourceEvents.length, 6);
  assert.ok(memory.summary.length > 0 && memory.topics.length > 0 && memory.createdAt > 0);
  assert.deepEqual([memory.isContinuation, memory.accessedAt, memory.accessCount], [false, null, 0]);
  assert.deepEqual(byRules.endless.consolidateSync(), { ran: true, memories: [], waiting: 0 });

  // Later than the call, as a language model would answer.
  const later = endless(t);
  const groups = [];
  const own = await later.endless.consolidate({
    summarize: async (group) => {
      groups.push(group);
      await new Promise((resolve) => setTimeout(resolve, 10));
      return '캐시 테스트를 여섯 번 고쳤다. 🔧';
    },
  });
  assert.equal(own.memories.length, 1);
  assert.equal(groups.length, 1);
  assert.equal(groups[0].texts.length, 6);
  assert.match(groups[0].texts[5], /^Step 5: .* 🔧$/);
  assert.deepEqual((await later.endless.memories({ text: '여섯 번' })).map(({ summary }) => summary), ['캐시 테스트를 여섯 번 고쳤다. 🔧']);
  assert.deepEqual(later.endless.memoriesSync({ text: 'nothing like it' }), []);

  const atOnce = endless(t);
  atOnce.endless.consolidateSync({ summarize: () => 'At once. 즉시' });
  assert.equal(atOnce.endless.memoriesSync()[0].summary, 'At once. 즉시');
  for (const nothing of [null, undefined, '  ']) {
    const declined = endless(t);
    declined.endless.consolidateSync({ summarize: () => nothing });
    assert.equal(declined.endless.memoriesSync()[0].summary, memory.summary);
  }
});

test('a switch says who consolidates', async (t) => {
  const memory = openFresh(t);
  memory.endless.setModeSync('endless');
  const leave = (isLeftToHost) => {
    const consolidation = { minEvents: 3, triggerEventCount: 4, isLeftToHost };
    memory.endless.setConfigSync({ consolidation });
    assert.equal(memory.endless.configSync().consolidation.isLeftToHost, isLeftToHost);
  };
  const talk = (round) => {
    for (let step = 0; step < 8; step += 1) say(memory, 'work', `캐시 테스트 ${round}.${step}: src/cache.rs is fixed`);
  };
  leave(true);
  talk(1);
  assert.equal((await memory.maintain()).consolidated, 0);
  assert.deepEqual(await memory.endless.memories(), []);
  await memory.endless.consolidate({ summarize: async () => "In the host's words." });
  const byHost = await memory.endless.memories();
  assert.ok(byHost.length > 0 && byHost.every(({ summary }) => summary === "In the host's words."));
  leave(false);
  talk(2);
  await memory.maintain();
  assert.ok(memory.endless.memoriesSync().length > byHost.length);
});

test('a summariser that fails leaves everything as it was', async (t) => {
  const memory = endless(t);
  const cause = new Error('the model is asleep');
  const isCallback = (error) => error instanceof MemoryError && error.code === 'callback' && error.cause === cause;
  const fail = () => {
    throw cause;
  };
  await assert.rejects(memory.endless.consolidate({ summarize: async () => fail() }), isCallback);
  await assert.rejects(memory.endless.consolidate({ summarize: fail }), isCallback);
  assert.throws(() => memory.endless.consolidateSync({ summarize: fail }), isCallback);
  await assert.rejects(memory.endless.consolidate({ summarize: () => 42 }), failure('invalid_argument', 'summarize'));
  assert.throws(
    () => memory.endless.consolidateSync({ summarize: async () => 'too late' }),
    failure('invalid_argument', 'summarize'),
  );
  const controller = new AbortController();
  await assert.rejects(
    memory.endless.consolidate({
      signal: controller.signal,
      summarize: () => {
        controller.abort(new Error('mine'));
        return 'x';
      },
    }),
    { message: 'mine' },
  );
  assert.deepEqual(memory.endless.memoriesSync(), []);
  assert.equal(memory.endless.workingSetSync().length, 6);
  // The memory still works: the run that was given up was no defect.
  assert.equal((await memory.endless.consolidate()).memories.length, 1);

  const closed = endless(t);
  await assert.rejects(
    closed.endless.consolidate({
      summarize: async () => {
        await closed.close();
        return 'x';
      },
    }),
    failure('closed'),
  );
});

test('a group is summarised once, whatever arrives meanwhile', async (t) => {
  for (const form of ['consolidate', 'consolidateSync']) {
    const memory = endless(t);
    let asked = 0;
    const report = await memory.endless[form]({
      summarize: () => {
        asked += 1;
        assert.equal(asked, 1, 'it is asked again');
        say(memory, 'work', 'Step 6: the search test in src/cache.rs is fixed. 캐시 테스트를 고쳤다 🔧');
        return 'Six steps.';
      },
    });
    assert.equal(report.memories.length, 1);
    const [made] = memory.endless.memoriesSync();
    assert.deepEqual([made.summary, made.sourceEvents.length], ['Six steps.', 6]);
    assert.equal(memory.endless.workingSetSync().length, 7);
  }
});

test('closing ends a consolidation, and nobody is asked for a summary any more', async (t) => {
  const memory = endless(t);
  const running = memory.endless.consolidate({ summarize: () => assert.fail('it is asked') });
  const isClosed = assert.rejects(running, failure('closed'));
  await memory.close();
  await isClosed;
  // An unhandled rejection would end the process.
  const other = endless(t);
  const summarize = async () => {
    other.closeSync();
    throw new Error('no model');
  };
  await assert.rejects(other.endless.consolidate({ summarize }), failure('closed'));
});

test('a summariser that never answers holds neither its call nor the closing', async (t) => {
  for (const close of [(memory) => memory.close(), (memory) => memory.closeSync()]) {
    const memory = endless(t);
    let asked;
    const isAsked = new Promise((resolve) => (asked = resolve));
    const running = memory.endless.consolidate({ summarize: () => new Promise(() => asked()) });
    const isClosed = assert.rejects(running, failure('closed'));
    await isAsked;
    await close(memory);
    await isClosed;
  }
  const memory = endless(t);
  const controller = new AbortController();
  const running = memory.endless.consolidate({
    signal: controller.signal,
    summarize: () => {
      setImmediate(() => controller.abort(new Error('mine')));
      return new Promise(() => {});
    },
  });
  await assert.rejects(running, { message: 'mine' });
  assert.equal(memory.endless.workingSetSync().length, 6);
  // A promise in a blocking call is watched: its rejection would end the process.
  const rejects = async () => {
    throw new Error('rejected');
  };
  assert.throws(() => memory.endless.consolidateSync({ summarize: rejects }), failure('invalid_argument', 'summarize'));
});

// --- All of them ------------------------------------------------------------------------

test('a wrong type names its argument in both forms', async (t) => {
  const memory = openFresh(t);
  const [, entity, ...why] = learnCalls['tasks.resolveCondition'];
  const [edge] = learnCalls['knowledge.addEdge'];
  const cases = [
    ['knowledge.sessionMessages', [1], 'session'],
    ['ingest', [1, '{}'], 'session'],
    ['tasks.list', ['all'], 'filter'],
    ['tasks.list', [{ status: 'begun' }], 'status'],
    ['tasks.list', [{ status: 1 }], 'status'],
    ['tasks.list', [{ limit: -1 }], 'limit'],
    ['tasks.list', [{ state: 'done' }], 'state'],
    ['tasks.list', [{ project: 'p', allProjects: true }], 'project'],
    ['tasks.get', [1], 'id'],
    ['tasks.getAsOf', ['x'], 'at'],
    ['tasks.getAsOf', ['x', 'yesterday'], 'at'],
    ['tasks.getAsOf', ['x', 0.5], 'at'],
    ['tasks.entity', ['\ud800'], 'id'],
    ['tasks.blocked', [{ status: 'blocked' }], 'status'],
    ['tasks.withOnlySuggestedBlockers', [1], 'filter'],
    ['tasks.withPlaceholderBlockers', [{ project: 1 }], 'project'],
    ['tasks.resolvedConditions', [{ allProjects: 1 }], 'allProjects'],
    ['tasks.resolveCondition', [1, entity, ...why], 'condition'],
    ['tasks.resolveCondition', ['x'], 'target'],
    ['tasks.resolveCondition', ['x', { kind: 'condition', id: 'x' }, ...why], 'target'],
    ['tasks.resolveCondition', ['x', { ...entity, kind: 'thing' }, ...why], 'target.kind'],
    ['tasks.resolveCondition', ['x', entity, 'guessed', 1], 'resolution'],
    ['tasks.resolveCondition', ['x', entity, 'user_confirmed', '1'], 'confidence'],
    ['tasks.resolveCondition', ['x', entity, 'user_confirmed', 2], 'confidence'],
    ['tasks.changeStatus', ['x', 'begun'], 'to'],
    ['tasks.changeStatus', ['x', 1], 'to'],
    ['tasks.changeStatus', ['x', 'blocked', { blockedBy: 'y' }], 'blockedBy'],
    ['tasks.changeStatus', ['x', 'blocked', { blockedBy: ['y', 1] }], 'blockedBy[1]'],
    ['tasks.changeStatus', ['x', 'blocked', { blockedBy: [' '] }], 'blockedBy[0]'],
    ['tasks.rename', ['x'], 'title'],
    ['knowledge.entries', [{ entryType: 'rumour' }], 'entryType'],
    ['knowledge.entries', [{ minStage: 'high' }], 'minStage'],
    ['knowledge.entries', [{ status: 'old' }], 'status'],
    ['knowledge.entries', [{ asOf: 'never' }], 'asOf'],
    ['knowledge.entries', [{ type: 'fact' }], 'type'],
    ['knowledge.search', [], 'query'],
    ['knowledge.search', [1], 'query'],
    ['knowledge.search', [''], 'query'],
    ['knowledge.search', [' \u3000\n'], 'query'],
    ['knowledge.search', ['x', { status: 'old' }], 'status'],
    ['knowledge.search', ['x', { limit: -1 }], 'limit'],
    ['knowledge.search', ['x', 'y'], 'filter'],
    ['knowledge.entry', [{}], 'id'],
    ['knowledge.supersede', ['x'], 'newer'],
    ['knowledge.contradict', [1, 'x'], 'older'],
    ['knowledge.contradict', ['x', 'y', { reason: 1 }], 'reason'],
    ['knowledge.resolveConflict', ['x', {}], 'inFavourOf'],
    ['knowledge.resolveConflict', ['x'], 'verdict'],
    ['knowledge.certify', ['x', 1], 'certifiedBy'],
    ['knowledge.deprecate', [], 'id'],
    ['knowledge.edges', [], 'from'],
    ['knowledge.edges', [{ from: 'a', to: 'b' }], 'from'],
    ['knowledge.edges', [{ from: 'a', relation: 'likes' }], 'relation'],
    ['knowledge.edges', [{ from: 'a', asOf: {} }], 'asOf'],
    ['knowledge.addEdge', [], 'ends'],
    ['knowledge.addEdge', [{}], 'sourceType'],
    ['knowledge.addEdge', [edge, { meta: [] }], 'meta'],
    ['knowledge.addEdge', [{ ...edge, meta: {} }], 'meta'],
    ['knowledge.removeEdge', [{ ...edge, destinationType: 'thing' }], 'destinationType'],
    ['knowledge.replaceEdges', [{ nodeType: 'thing', id: 'x' }, 'derived_from', []], 'source.nodeType'],
    ['knowledge.replaceEdges', [{ nodeType: 'entry', id: 'x' }, 'likes', []], 'relation'],
    ['knowledge.replaceEdges', [{ nodeType: 'entry', id: 'x' }, 'derived_from', 'y'], 'targets'],
    ['knowledge.replaceEdges', [{ nodeType: 'entry', id: 'x' }, 'derived_from', [{ nodeType: 'thing', id: 'y' }]], 'targets[0].nodeType'],
    ['knowledge.replaceEdges', [{ nodeType: 'entry', id: 'x' }, 'derived_from', [{ id: 'y' }]], 'targets[0].nodeType'],
    ['knowledge.lineage', [1], 'entry'],
    ['knowledge.relatedEntries', [], 'entry'],
    ['history.buildRuns', [{ limit: -1 }], 'limit'],
    ['history.buildRuns', [{ most: 1 }], 'most'],
    ['history.recordDecision', [], 'decision'],
    ['history.recordDecision', [{ decisionId: 'd', decidedAt: 0, actor: 'a' }], 'action'],
    ['knowledge.markUnknownContext', ['???'], 'event'],
    ['knowledge.effectiveMemory', [1], 'memory'],
  ];
  for (const [method, given, argument] of cases) {
    const label = `${method} ${argument}`;
    await assert.rejects(call(memory, method, ...given), failure('invalid_argument', argument), label);
    assert.throws(() => call(memory, `${method}Sync`, ...given), failure('invalid_argument', argument), label);
  }
  assert.equal(memory.statsSync().lastSeq, 0, 'a refused call was stored');
});

test('every method takes a signal and obeys it', async (t) => {
  const memory = openFresh(t);
  const signal = AbortSignal.abort(new Error('mine'));
  for (const [method, given] of Object.entries(learnCalls)) {
    // The options stand last, and the signal beside what else is in them.
    const filters = ['tasks.list', 'tasks.blocked', 'tasks.withOnlySuggestedBlockers', 'tasks.withPlaceholderBlockers',
      'tasks.resolvedConditions', 'levels.pinned', 'knowledge.entries', 'knowledge.edges'];
    const called = filters.includes(method)
      ? call(memory, method, { ...given[0], signal })
      : call(memory, method, ...given, { signal });
    await assert.rejects(called, { message: 'mine' }, method);
  }
  assert.equal(memory.statsSync().lastSeq, 0);
});

test('the methods stand on the classes, and only memories and their areas have them', (t) => {
  const memory = openFresh(t);
  for (const method of Object.keys(learnCalls)) {
    const [name, area] = method.split('.').reverse();
    const owner = area ? memory[area] : memory;
    const { prototype } = owner.constructor;
    for (const form of [name, `${name}Sync`]) {
      assert.equal(typeof prototype[form], 'function', method);
      assert.equal(Object.getOwnPropertyDescriptor(prototype, form).enumerable, false, method);
    }
    assert.throws(() => prototype[`${name}Sync`].call({}, ...learnCalls[method]), TypeError, method);
  }
});

test('an area is the same each time, and no root method has its name', async (t) => {
  const memory = openFresh(t);
  for (const area of ['tasks', 'knowledge', 'levels', 'endless', 'citations', 'history', 'upkeep']) {
    assert.equal(memory[area], memory[area]);
    assert.equal(typeof memory[area], 'object');
    assert.equal(area in Object.getOwnPropertyDescriptors(memory), false);
    // A second memory of the class shares nothing.
    const other = openFresh(t);
    assert.notEqual(memory[area], other[area]);
    assert.throws(() => new memory[area].constructor({}), TypeError);
  }
  const { tasks } = memory;
  await memory.close();
  await assert.rejects(tasks.list(), failure('closed'));
  assert.throws(() => tasks.listSync(), failure('closed'));
});

test('a forgotten process leaves what was learned to the next', (t) => {
  const folder = fresh();
  const first = Memory.openSync(folder, { project: 'shop' });
  first.appendSync(prompt(CHOICES_TEXT, { session: 's' }));
  first.ingestSync('s', extracted(CHOICES));
  const entries = first.knowledge.entriesSync();
  first.closeSync();
  const second = Memory.openSync(folder, { project: 'shop', create: false });
  t.after(() => second.closeSync());
  assert.deepEqual(second.knowledge.entriesSync(), entries);
});

test('the example of learning runs and shows what it promises', () => {
  fs.copyFileSync(path.join(repository, 'examples/node/learn.mjs'), path.join(app, 'learn-example.mjs'));
  const shown = execFileSync(process.execPath, ['learn-example.mjs'], { cwd: app, encoding: 'utf8' });
  for (const line of [
    /^a second time: 0 events$/m,
    /^decision verified {4}멱등 키는 주문 번호/m,
    /^ {4}\[mem:.{6}\] 0\.\.57 exact {6}The gateway treats a retry/m,
    /^insight candidate/m,
    /^ {4}message 3: not_found$/m,
    /^ {4}waits: until 보안 검토가 끝남$/m,
    /^ {4}waits: the task "Security review" \(done\)$/m,
    /^ {8}Deploy rule$/m,
  ]) {
    assert.match(shown, line);
  }
});
