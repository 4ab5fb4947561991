// Learns from a session: takes in what a language model extracted from it, and
// shows entries with the words that prove them, tasks, blockers and lineage.
//
//   node learn.mjs

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { Memory, harmlessLine } from 'recallite';

/** How wide the output is, in columns. */
const WIDTH = 80;

// A real extraction comes from a language model that was given
// `extractionPrompt()` and the numbered messages of the session. It holds
// quotes, never positions: where they stand is found by the library.
const MESSAGES = [
  ['user_prompt',
    '결제가 두 번 되는 문제부터 봐 줘. 🔥 멱등 키는 주문 번호로 고정하자. 타임아웃은 15초, 재시도는 한 번만.'],
  ['agent_response',
    'The gateway treats a retry without a key as a new payment, so both went through. ' +
    'I set the idempotency key to the order number. 테스트 환경에서는 통과했습니다. ✅'],
  ['user_prompt',
    'Good. No production deploy after 3 pm on Thursday, and 운영 배포는 보안 검토가 끝나야 할 수 있어.'],
  ['agent_response',
    "Noted. The deploy waits for the security review, see https://example.com/review/42. " +
    'I will write the alert for double payments meanwhile.'],
];

const EXTRACTION = {
  schema_version: 1,
  entries: [
    {
      id: 'e1', type: 'fact', title: 'A retry without a key is a new payment',
      content: 'The payment gateway treats a retry without an idempotency key as a new payment.',
      quotes: [{ message_index: 1, quote: 'The gateway treats a retry without a key as a new payment' }],
    },
    {
      id: 'e2', type: 'decision', title: '멱등 키는 주문 번호, 타임아웃 15초, 재시도 1회',
      content: '이중 결제를 막기 위해 멱등 키를 주문 번호로 고정하고 15초 뒤 한 번만 재시도한다.',
      quotes: [
        // Letter case and white space may differ, and a word or two.
        { message_index: 0, quote: '멱등 키는  주문 번호로 고정하자. 타임아웃은 15초' },
        { message_index: 1, quote: 'i set the idempotency key to the order number' },
      ],
    },
    {
      id: 'e3', type: 'preference', title: 'Deploy rule',
      content: 'No production deploy after 15:00 on Thursday.',
      quotes: [{ message_index: 2, quote: 'No production deploy after 3pm on Thursday' }],
    },
    {
      id: 'e4', type: 'insight', title: 'Payments are checked by hand',
      content: 'Nobody said this: the model made it up, and so it is not verified.',
      quotes: [{ message_index: 3, quote: 'Somebody checks every payment by hand each evening' }],
    },
  ],
  tasks: [
    {
      id: 't1', title: '운영에 결제 수정 배포', status: 'blocked', priority: 'high',
      blocked_by: ['보안 검토가 끝남', 'https://example.com/review/42'],
      quotes: [{ message_index: 2, quote: '운영 배포는 보안 검토가 끝나야 할 수 있어' }],
    },
    {
      id: 't2', title: 'Alert for double payments', status: 'in_progress',
      quotes: [{ message_index: 3, quote: 'I will write the alert for double payments' }],
    },
    { id: 't3', title: 'Security review', status: 'pending' },
  ],
  relations: [{ from: 'e2', relation: 'derived_from', to: 'e1' }],
};

const heading = (text) => console.log(`\n${text}\n${'-'.repeat(text.length)}`);

/** The columns that a text takes: two for Hangul, Han, kana and emoji. */
const wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\uff60]|\p{Emoji_Presentation}/u;

/** The text on one line of at most `width` columns; it may have been meant for the terminal. */
function cut(text, width) {
  let used = 0;
  let line = '';
  for (const character of harmlessLine(text).replace(/\s+/g, ' ')) {
    used += wide.test(character) ? 2 : 1;
    if (used >= width) return `${line}…`;
    line += character;
  }
  return line;
}

/** The words that prove an entry, and the quotes that prove nothing. */
async function showEvidence(memory, { aligned, failed }) {
  for (const { eventId, start, end, method } of aligned) {
    const { citation, content } = await memory.event(eventId);
    const place = `    [mem:${citation}] ${start}..${end} ${method.padEnd(10)} `;
    console.log(place + cut(content.slice(start, end), WIDTH - place.length));
  }
  for (const { messageIndex, reason } of failed) {
    console.log(`    message ${messageIndex}: ${harmlessLine(reason)}`);
  }
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'recallite-learn-'));
const memory = await Memory.open(path.join(folder, 'memory'), { project: 'shop' });
for (const [kind, content] of MESSAGES) await memory.append({ kind, session: 'monday', content });

heading('Ingest');
const report = await memory.ingest('monday', EXTRACTION, { extractorModel: 'example' });
console.log(`${report.entries.length} entries, ${report.tasks.length} tasks, ${report.events} events`);
const again = await memory.ingest('monday', JSON.stringify(EXTRACTION));
console.log(`a second time: ${again.events} events`);

heading('Entries and the words that prove them');
for (const { entryId } of report.entries) {
  const entry = await memory.knowledge.entry(entryId);
  console.log(`${`${entry.entryType} ${entry.stage}`.padEnd(21)}${cut(entry.title, WIDTH - 21)}`);
  await showEvidence(memory, entry.evidence);
}

/** What a task waits for, in words. */
async function nameOf(entityId) {
  const entity = await memory.tasks.entity(entityId);
  switch (entity?.kind) {
    case 'task':
      return `the task "${entity.task.title}" (${entity.task.status})`;
    case 'condition':
      return `until ${entity.condition.text}`;
    default:
      return entity?.artifact.identifier ?? 'something unknown';
  }
}

async function showTasks() {
  for (const { id, title, status, priority } of await memory.tasks.list()) {
    console.log(`${`${status} (${priority})`.padEnd(24)}${cut(title, WIDTH - 24)}`);
    const { effectiveBlockers } = await memory.tasks.get(id);
    for (const { effectiveId } of effectiveBlockers) {
      console.log(`    waits: ${cut(await nameOf(effectiveId), WIDTH - 11)}`);
    }
  }
}

heading('Tasks');
await showTasks();

heading('The condition turns out to be a task, which is done');
const [deploy, , review] = report.tasks.map((task) => task.taskId);
const condition = (await memory.tasks.get(deploy)).task.blockers.find((one) => one.kind === 'condition');
await memory.tasks.resolveCondition(condition.entityId, { kind: 'task', id: review }, 'user_confirmed', 1);
await memory.tasks.changeStatus(review, 'in_progress');
await memory.tasks.changeStatus(review, 'done');
await showTasks();
const { history } = await memory.tasks.get(deploy);
console.log(`history: ${history.map((event) => event.kind).join(', ')}`);

heading('Lineage');
// What follows from the fact: the decision, and from that the rule.
const [fact, decision, rule] = report.entries.map((entry) => entry.entryId);
await memory.knowledge.addEdge({
  sourceType: 'entry', sourceId: rule, relation: 'derived_from',
  destinationType: 'entry', destinationId: decision,
}, { meta: { why: 'both keep payments safe' } });
for (const { entryId, depth } of await memory.knowledge.lineage(fact)) {
  const { title } = await memory.knowledge.entry(entryId);
  console.log(`${'    '.repeat(depth)}${cut(title, WIDTH - 4 * depth)}`);
}

await memory.close();
fs.rmSync(folder, { recursive: true });
