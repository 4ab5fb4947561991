// The small story (see ../story/README.md) in JavaScript: the lines that it
// prints are those of ../story/golden.txt.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { Memory, harmlessLine } from 'recallite';

const SENTENCES = [
  ['user_prompt', 'monday', '2026-03-09T09:00:00Z',
    'We never deploy on Friday, because nobody is on call at the weekend.'],
  ['agent_response', 'monday', '2026-03-09T09:00:20Z',
    'Noted. The deploy script now refuses to run on Friday.'],
  ['user_prompt', 'tuesday', '2026-03-10T05:30:00Z',
    '결제 게이트웨이 타임아웃은 15초로 하고 재시도는 한 번만 해 주세요.'],
  ['agent_response', 'tuesday', '2026-03-10T05:30:20Z',
    '결제 설정을 바꿨습니다. 멱등 키는 이제 주문 번호입니다.'],
  ['user_prompt', 'wednesday', '2026-03-11T01:15:00Z',
    'Please print the invoice in the font Inter at 11 points.'],
  ['agent_response', 'wednesday', '2026-03-11T01:15:20Z',
    '송장 글꼴을 인터 11포인트로 맞췄습니다.'],
];

const QUESTIONS = ['Who is on call when we deploy on Friday?', '결제 타임아웃을 몇 초로 정했지?'];

/** Event ids are random, and so are citations: shown with a dot for each character. */
const masked = (citation) => `[mem:${'.'.repeat(citation.length)}]`;
const time = (ms) => new Date(ms).toISOString().replace('.000Z', 'Z');

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'recallite-story-'));
const memory = await Memory.open(path.join(folder, 'memory'));

let remembered = 0;
for (const [kind, session, timestamp, content] of SENTENCES) {
  const { duplicate } = await memory.append({ kind, session, timestamp, content });
  if (!duplicate) remembered += 1;
}
console.log(`remembered ${remembered} events`);

let best;
for (const question of QUESTIONS) {
  const { items } = await memory.search(question, { limit: 2 });
  console.log(`\n? ${question}`);
  for (const [index, hit] of items.entries()) {
    console.log(`${index + 1}. ${masked(hit.citation)} ${hit.kind} ${hit.session} ${time(hit.timestamp)}`);
    console.log(`   ${harmlessLine(hit.passage.text)}`);
  }
  best = items[0];
}

const source = await memory.citation(`mem:${best.citation}`);
console.log(`\nsource of ${masked(source.citation)}`);
console.log(`   ${source.kind} ${source.session} ${time(source.timestamp)}`);
console.log(`   ${harmlessLine(source.content)}`);

await memory.close();
console.log('\nclosed');
fs.rmSync(folder, { recursive: true });
