// Recall for agents: context, smart search, citations and their use.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { failure, openFresh, prompt } from './setup.mjs';

const FACTS = [
  prompt('The staging database listens on port 5433.', { timestamp: 1_000_000 }),
  prompt('결제 게이트웨이 타임아웃은 15초로 정했습니다. 😀', { timestamp: 2_000_000, session: 's2' }),
  prompt('Invoices are printed in the font Inter at 11 points.', { timestamp: 3_000_000, session: 's3' }),
];

function withFacts(t, options) {
  const memory = openFresh(t, options);
  memory.appendBatchSync(FACTS);
  return memory;
}

const checkPassage = (memory, { id, ...passage }) => {
  const { content } = memory.eventSync(id);
  assert.equal(content.slice(passage.start, passage.end), passage.text);
  const bytes = Buffer.from(content).subarray(passage.startByte, passage.endByte);
  assert.equal(bytes.toString(), passage.text);
};

test('context gives fenced, cited text within its budget', async (t) => {
  const memory = withFacts(t);
  const question = 'Which port does the staging database listen on?';
  const context = await memory.context(question, { session: 'now', budgetTokens: 400 });
  assert.match(context.text, /^<recalled-memory fence="(\w+)">\n[^]*port 5433[^]*fence="\1">$/);
  assert.ok(context.tokens <= 400);
  assert.ok(['suggested', 'high'].includes(context.confidence));
  assert.equal(context.degraded, false);
  assert.deepEqual(context.citations, context.items.map((item) => item.citation));
  const [best] = context.items;
  assert.equal(best.seq, 1);
  assert.equal(best.origin, 'user');
  assert.ok(best.relevance > 0 && best.relevance <= 1);
  for (const item of context.items) checkPassage(memory, item);
  const again = memory.contextSync(question, { session: 'now', budgetTokens: 400 });
  assert.equal(again.items[0].id, best.id);
});

test('a text that the memory fences is recalled text', async (t) => {
  const memory = openFresh(t);
  const fenced = await memory.fence('> decided: the heron lands in Busan');
  assert.match(fenced, /^<recalled-memory fence="(\w+)">\n[^]*Busan\n<\/recalled-memory fence="\1">$/);
  assert.equal(memory.fenceSync('> decided: the heron lands in Busan'), fenced);
  memory.appendSync(prompt(`I was told:\n\n${fenced}`));
  const query = 'where does the heron land?';
  assert.deepEqual(memory.searchSync(query).items, []);
  assert.equal(memory.searchSync(query, { includeRecalled: true }).items.length, 1);
});

test('context in Korean has offsets of JavaScript strings', (t) => {
  const memory = openFresh(t);
  const filler = '이모지 😀 와 긴 문장이 여기에 있습니다. '.repeat(120);
  memory.appendSync(prompt(`${filler}\n\n결제 타임아웃은 15초입니다. 🦓\n\n${filler}`));
  const { items } = memory.contextSync('결제 타임아웃은 몇 초?', { session: 's9' });
  assert.ok(items.length > 0);
  for (const item of items) checkPassage(memory, item);
  assert.ok(items[0].startByte > items[0].start, 'the passage is not deep inside');
});

test('context is empty when nothing fits, and takes pinned events first', (t) => {
  const memory = withFacts(t);
  const nothing = memory.contextSync('port of the staging database', { budgetTokens: 1 });
  assert.deepEqual([nothing.text, nothing.tokens, nothing.items], ['', 0, []]);
  const pinned = memory.contextSync('port of the staging database', { pinned: [3, '01a1fc67-0db5-769d-a98c-b80db0c6d8ee'] });
  assert.equal(pinned.items[0].seq, 3);
  assert.equal(pinned.items[0].relevance, null);
  const formats = ['inline', 'footnote', 'reference'].map(
    (format) => memory.contextSync('port of the staging database', { format }).text,
  );
  assert.match(formats[1], /\[1\]/);
  assert.match(formats[2], /## References/);
});

test('context obeys its filters', (t) => {
  const memory = withFacts(t);
  const seqs = (options) => memory.contextSync('staging database port', options).items.map(({ seq }) => seq);
  assert.ok(seqs({ fromSession: 's1' }).includes(1));
  assert.deepEqual(seqs({ fromSession: 's3' }).includes(1), false);
  assert.deepEqual(seqs({ until: new Date(900_000) }), []);
  assert.deepEqual(seqs({ kinds: ['agent_response'] }), []);
  assert.deepEqual(seqs({ project: 'elsewhere' }), []);
  assert.ok(seqs({ allProjects: true, limit: 1, deadlineMs: 60_000 }).length <= 1);
});

test('the prompt that was just appended is not its own answer', (t) => {
  const memory = withFacts(t);
  const question = 'Which port does the staging database listen on?';
  memory.appendSync(prompt(question, { session: 'now' }));
  const { items } = memory.contextSync(question, { session: 'now' });
  assert.equal(items[0].seq, 1);
  assert.ok(items.every(({ session }) => session !== 'now'));
});

test('what was given is recorded: at once, later or never', async (t) => {
  const memory = withFacts(t);
  const ask = (recording, session) =>
    memory.context('port of the staging database', { session, recording, limit: 1, reason: 'a test' });
  await ask('never', 'a');
  assert.equal(memory.statsSync().injections.injections, 0);
  const { citations } = await ask('now', 'b');
  const { injections } = memory.statsSync();
  assert.equal(injections.injections, 1);
  assert.equal(injections.memories, 1);
  assert.ok(injections.tokens > 0 && injections.last > 0);
  await ask('later', 'c');
  memory.appendSync(prompt('something else', { session: 'c' }));
  assert.equal(memory.statsSync().injections.injections, 2);

  const detail = await memory.citations.detail(`[mem:${citations[0]}]`);
  assert.equal(detail.event.seq, 1);
  assert.equal(detail.usageCount, 2);
  assert.ok(detail.lastUsed > 0);
  assert.deepEqual(memory.citations.detailSync(citations[0]), detail);
  assert.deepEqual(await memory.citations.citingSessions(citations[0]), ['c', 'b']);
  assert.deepEqual(memory.citations.citingSessionsSync(citations[0]), ['c', 'b']);
  const [popular] = await memory.citations.popular({ limit: 1, windowDays: 1 });
  assert.equal(popular.citation, citations[0]);
  assert.equal(popular.usageCount, 2);
  assert.equal(popular.preview, 'The staging database listens on port 5433.');
  assert.deepEqual(memory.citations.popularSync(), [popular]);
});

test('context that was asked to stop is recorded only if it is given', async (t) => {
  const memory = withFacts(t);
  const ask = (recording) => {
    const controller = new AbortController();
    // The tokens are counted while a worker runs the call.
    const countTokens = (text) => {
      controller.abort(new Error('mine'));
      return text.length;
    };
    const options = { session: 'now', recording, limit: 1, budgetTokens: 10_000, countTokens };
    return memory.context('port of the staging database', { ...options, signal: controller.signal });
  };
  const recorded = () => {
    memory.appendSync(prompt('something else', { dedupe: 'none' }));
    return memory.statsSync().injections.injections;
  };
  let given = 0;
  for (const recording of [undefined, 'later', 'now']) {
    assert.equal((await ask(recording)).items.length, 1, recording);
    given += 1;
    assert.equal(recorded(), given, recording);
  }
  await assert.rejects(ask('never'), { message: 'mine' });
  assert.equal(recorded(), given);
});

test('a citation has its neighbours in the session', (t) => {
  const memory = openFresh(t);
  const receipts = memory.appendBatchSync([
    prompt('first', { timestamp: 1 }),
    prompt('둘째 😀', { timestamp: 2 }),
    prompt('third', { timestamp: 3 }),
  ]);
  const { previous, next, usageCount, lastUsed } = memory.citations.detailSync(receipts[1].citation);
  assert.deepEqual([previous.id, next.preview], [receipts[0].id, 'third']);
  assert.deepEqual([usageCount, lastUsed], [0, null]);
  assert.equal(memory.citations.detailSync(receipts[0].citation).previous, null);
  assert.equal(memory.citations.detailSync(receipts[2].citation).next, null);
  assert.throws(() => memory.citations.detailSync('zzzzzz'), failure('not_found', 'event'));
});

test('smart search shows as much as the results deserve', async (t) => {
  const memory = withFacts(t);
  const found = await memory.smartSearch('Which port does the staging database listen on?', { limit: 2 });
  assert.ok(found.index.length <= 2);
  assert.equal(found.index[0].summary, 'The staging database listens on port 5433.');
  assert.ok(found.index[0].score > 0);
  const { meta } = found;
  assert.ok(meta.totalMatches >= found.index.length);
  assert.ok(['high_confidence', 'clear_winner', 'ambiguous_results', 'low_confidence'].includes(meta.expansionReason));
  assert.equal(meta.expandedCount > 0, found.timeline.length > 0 || found.details.length > 0);
  assert.ok(meta.estimatedTokens > 0);
  for (const part of ['indexMarkdown', 'timelineMarkdown', 'detailsMarkdown']) {
    assert.ok(found.markdown.includes(found[part]), part);
  }
  for (const { event } of found.details) assert.equal(typeof event.content, 'string');
  const index = memory.smartSearchSync('staging database port', {
    expandTimeline: false,
    expandDetails: false,
  });
  assert.deepEqual([index.timeline, index.details], [[], []]);
  assert.deepEqual(memory.smartSearchSync('staging database port', { minRelevance: 1 }).index, []);
  assert.match(memory.smartSearchSync('결제 타임아웃').indexMarkdown, /15초/);
});

test('recalled text that came back is found only when asked for', (t) => {
  const memory = withFacts(t);
  const { text } = memory.contextSync('port of the staging database', { session: 'now' });
  memory.appendSync(prompt(text, { session: 'now', kind: 'agent_response' }));
  const sessions = (options) =>
    memory.searchSync('port of the staging database', options).items.map(({ session }) => session);
  assert.equal(sessions({}).includes('now'), false);
  assert.equal(sessions({ includeRecalled: true }).includes('now'), true);
});

test('hits say where their text came from', (t) => {
  const memory = openFresh(t);
  memory.appendSync(prompt('found on a page', { origin: 'web' }));
  assert.equal(memory.searchSync('page').items[0].origin, 'web');
});

test('what was learned is found and stands in the context', async (t) => {
  const memory = openFresh(t);
  memory.appendBatchSync([
    prompt("배포 얘기야 😀. Let's go with Redis for the session cache."),
    {
      kind: 'agent_response',
      session: 's1',
      content: 'Agreed. TODO: rotate the deploy keys before Friday.',
    },
  ]);
  memory.updateSessionSync('s1', { ended: new Date() });
  memory.maintainSync();
  const question = 'what did we decide about the cache, and what is open?';
  const wanted = { session: 's2', recording: 'never' };

  const decision = (await memory.search('what did we decide about the cache?')).learned.find(
    (hit) => hit.kind === 'entry',
  );
  assert.deepEqual([decision.entryType, decision.state], ['decision', 'in_force']);
  assert.equal(decision.confidence, (await memory.knowledge.entry(decision.id)).confidence);
  assert.ok(decision.confidence > 0 && decision.confidence < 1);
  const [proof] = decision.proofs;
  const { content, citation } = memory.eventSync(proof.id);
  assert.equal(content.slice(proof.start, proof.end), proof.quote);
  assert.equal(Buffer.from(content).subarray(proof.startByte, proof.endByte).toString(), proof.quote);
  assert.equal(decision.citation, citation);

  const context = memory.contextSync(question, wanted);
  const states = context.learned.map((hit) => `${hit.kind} ${hit.state}`).sort();
  assert.deepEqual(states, ['entry in_force', 'task pending']);
  assert.ok(context.text.includes(proof.quote));
  assert.ok(context.items.every((item) => item.state === null));
  assert.deepEqual((await memory.context(question, wanted)).learned, context.learned);
  const smart = memory.smartSearchSync(question);
  assert.ok(smart.learned.some((hit) => hit.id === decision.id));
});

test('a hit that only proves what was learned is marked', (t) => {
  const memory = openFresh(t);
  memory.appendBatchSync([
    prompt('The staging database runs on port 5433.'),
    prompt('The staging database is slow since Monday.', { session: 's2' }),
  ]);
  memory.updateSessionSync('s1', { ended: new Date() });
  memory.maintainSync();
  const { items, learned } = memory.searchSync('port of the staging database');
  assert.equal(learned.length, 1);
  assert.deepEqual(items.map(({ session, isProof }) => [session, isProof]), [['s1', true], ['s2', false]]);
});

test('a search is narrowed by tools, files, outcomes and levels', async (t) => {
  const memory = openFresh(t);
  const call = (tool) => ({ kind: 'tool_observation', session: 's1', tool });
  memory.appendBatchSync([
    prompt('how many columns has the invoice table?'),
    call({ name: 'Read', input: { file_path: '/srv/청구/invoice.sql' }, output: 'the invoice table' }),
    call({ name: 'Bash', output: 'no invoice table', error: 'exit 1' }),
  ]);
  const found = async (options) => {
    const { items } = await memory.search('invoice table', options);
    assert.deepEqual(memory.searchSync('invoice table', options).items, items);
    return items.map(({ seq }) => seq).sort();
  };
  assert.deepEqual(await found(), [1, 2, 3]);
  assert.deepEqual(await found({ tools: ['Bash', 'Unknown'] }), [3]);
  assert.deepEqual(await found({ fileContains: '청구' }), [2]);
  assert.deepEqual(await found({ toolOutcome: 'failed' }), [3]);
  assert.deepEqual(await found({ toolOutcome: 'succeeded', tools: ['Bash'] }), []);
  assert.deepEqual(await found({ minLevel: 'L1' }), []);
  assert.deepEqual(await found({ minLevel: 'L0' }), [1, 2, 3]);
  assert.deepEqual(
    memory.smartSearchSync('invoice table', { tools: ['Read'] }).index.map(({ seq }) => seq),
    [2],
  );
  const { items } = memory.contextSync('invoice table', { tools: ['Read'], recording: 'never' });
  assert.ok(items.every(({ seq }) => seq === 2));
  const failed = Array.from(memory.eventsSync({ toolOutcome: 'failed', tools: ['Bash'] }));
  assert.deepEqual(failed.map(({ seq }) => seq), [3]);
});

test('a question for a time gives what happened then', async (t) => {
  const memory = openFresh(t);
  const asOf = new Date('2026-03-18T15:30:00Z');
  memory.appendSync(prompt('Rename the shipping module.', { timestamp: '2026-03-17T15:30:00Z' }));
  memory.appendSync(prompt('The invoice cache is small.', { timestamp: '2026-03-11T10:00:00Z' }));
  for (const question of ['what did we do yesterday?', '어제 뭐 했지?', '昨日は何をした?']) {
    const { items } = await memory.search(question, { asOf });
    assert.deepEqual(items.map(({ summary }) => summary), ['Rename the shipping module.'], question);
    const smart = memory.smartSearchSync(question, { asOf });
    assert.equal(smart.meta.expansionReason, 'temporal_proximity');
    assert.ok(smart.timeline.length > 0);
  }
  const { items } = memory.searchSync('was the invoice cache small yesterday?', { asOf });
  assert.equal(items[0].summary, 'The invoice cache is small.');
});

test('a question that was asked before is found whatever its punctuation', async (t) => {
  const memory = openFresh(t);
  memory.appendBatchSync([
    prompt('Why does the build fail?'),
    { kind: 'agent_response', session: 's1', content: 'Why does the build fail?!' },
    prompt('Why does the build fail on Windows?'),
    prompt('why does  the build FAIL', { session: 's2' }),
    prompt('빌드가 왜 실패하지?'),
  ]);
  const repeats = async (text, more) => {
    const found = [];
    for await (const { seq } of memory.events({ repeats: text, ...more })) found.push(seq);
    assert.deepEqual([...memory.eventsSync({ repeats: text, ...more })].map(({ seq }) => seq), found);
    return found;
  };
  assert.deepEqual(await repeats('Why does the build fail'), [1, 4]);
  assert.deepEqual(await repeats('Why does the build fail', { session: 's2' }), [4]);
  assert.deepEqual(await repeats('빌드가 왜 실패하지'), [5]);
  assert.deepEqual(await repeats('Why does the build'), []);
  await assert.rejects(repeats('?!'), failure('invalid_argument', 'repeats'));
});

test('days are those of the time zone', async (t) => {
  const asOf = new Date('2026-03-18T12:00:00Z');
  const found = async (timeZone, question) => {
    const memory = openFresh(t, { timeZone });
    memory.appendSync(prompt('Rename the shipping module.', { timestamp: '2026-03-17T14:00:00Z' }));
    memory.appendSync(prompt('It is called dispatch now.', { timestamp: '2026-03-17T16:00:00Z' }));
    const { items } = await memory.search(question, { asOf });
    return items.map(({ seq }) => seq);
  };
  assert.deepEqual(await found('UTC', 'what did we do yesterday?'), [1, 2]);
  for (const timeZone of ['Asia/Seoul', '+09:00']) {
    assert.deepEqual(await found(timeZone, 'what did we do yesterday?'), [1]);
    assert.deepEqual(await found(timeZone, 'what did we do today?'), [2]);
  }
  assert.throws(() => openFresh(t, { timeZone: 'Asia/Nowhere' }), failure('invalid_argument', 'timeZone'));
});

test('a query says what learned things it wants', async (t) => {
  const memory = openFresh(t);
  memory.appendSync(prompt("Let's go with Redis for the session cache."));
  memory.updateSessionSync('s1', { ended: new Date() });
  memory.maintainSync();
  const kinds = async (options) => {
    const { learned } = await memory.search('which cache did we decide on?', options);
    assert.deepEqual(memory.searchSync('which cache did we decide on?', options).learned, learned);
    return learned.map((hit) => hit.kind);
  };
  assert.deepEqual(await kinds(), ['entry']);
  assert.deepEqual(await kinds({ learned: false }), []);
  assert.deepEqual(await kinds({ learnedKinds: ['task'] }), []);
  assert.deepEqual(await kinds({ learnedKinds: ['entry'], entryTypes: ['decision'] }), ['entry']);
  assert.deepEqual(await kinds({ entryTypes: ['fact'] }), []);
  assert.deepEqual(await kinds({ asOf: new Date(0) }), []);
  const { learned } = memory.contextSync('which cache did we decide on?', { learned: false });
  assert.deepEqual(learned, []);
  assert.throws(
    () => memory.searchSync('cache', { learnedKinds: ['entry', 'dream'] }),
    failure('invalid_argument', 'learnedKinds[1]'),
  );
  assert.throws(() => memory.searchSync('cache', { asOf: {} }), failure('invalid_argument', 'asOf'));
});

test('a question can name an event by its citation', async (t) => {
  const memory = withFacts(t);
  const { citation } = memory.eventSync(3);
  for (const [question, expansionReason] of [
    [`show mem:${citation}`, 'user_request'],
    [`[mem:${citation}] 보여줘`, 'user_request'],
    [citation, 'explicit_id'],
  ]) {
    const { items: [first, ...rest], confidence } = await memory.search(question);
    assert.deepEqual([first.seq, first.relevance, confidence], [3, 1, 'high'], question);
    assert.ok(rest.every(({ seq }) => seq !== 3));
    const shown = memory.smartSearchSync(question);
    assert.deepEqual([shown.index[0].seq, shown.meta.expansionReason], [3, expansionReason]);
    assert.equal(shown.details[0].event.seq, 3);
    assert.equal(memory.contextSync(question).items[0].seq, 3);
  }
  const others = memory.searchSync(`mem:${citation}`, { session: 's2' });
  assert.ok(others.items.every(({ seq }) => seq !== 3));
});

test('a task that is described is found also when it is done', (t) => {
  const memory = openFresh(t);
  const { id } = memory.tasks.createSync({ title: 'Renew the certificate' });
  memory.tasks.changeStatusSync(id, 'in_progress');
  memory.tasks.changeStatusSync(id, 'done');
  const relevance = (question) => memory.searchSync(question).learned[0].relevance;
  const { learned: [hit] } = memory.searchSync('the task about the certificate');
  assert.deepEqual([hit.kind, hit.title, hit.state], ['task', 'Renew the certificate', 'done']);
  assert.ok(relevance('the task about the certificate') > relevance('the certificate'));
});
