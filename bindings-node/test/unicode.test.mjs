// Offsets, big inputs and the vectors of the specification through JavaScript.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { enough, fresh, hasSecret, isBlank, openFresh, plain, prompt, vectors } from './setup.mjs';

const TEXTS = [
  'plain ASCII deploy',
  '결제 게이트웨이 deploy 타임아웃은 15초',
  '👩‍👩‍👧‍👦 deploy 👋🏽 done',
  'e\u0301 deploy \u202eright to left\u202c עברית',
  '日本語 deploy 中文 𠮷野家',
];

test('text comes back as it went in, and passages index into it', (t) => {
  const memory = openFresh(t);
  for (const [index, content] of TEXTS.entries()) {
    const { id } = memory.appendSync(prompt(content, { session: `s${index}` }));
    assert.equal(memory.eventSync(id).content, content);
  }
  const { items } = memory.searchSync('deploy', { limit: 10 });
  assert.equal(items.length, TEXTS.length);
  for (const hit of items) checkPassage(memory, hit);
});

function checkPassage(memory, hit) {
  const { content } = memory.eventSync(hit.id);
  const { text, start, end, startByte, endByte } = hit.passage;
  assert.equal(content.slice(start, end), text);
  assert.equal(Buffer.from(content).subarray(startByte, endByte).toString(), text);
}

test('a passage deep inside a long mixed text has right offsets', (t) => {
  const memory = openFresh(t);
  const filler = '문장은 길고 😀 이모지가 있습니다. The filler goes on and on here. '.repeat(200);
  memory.appendSync(prompt(`${filler}\n\nThe zebra crosses at 결제 noon. 🦓\n\n${filler}`));
  const { items } = memory.searchSync('zebra');
  assert.equal(items.length, 1);
  assert.match(items[0].passage.text, /zebra/);
  checkPassage(memory, items[0]);
});

test('eight megabytes of text and a thousand events in one batch', async (t) => {
  const memory = openFresh(t);
  const big = '긴 글 long text 🙂 '.repeat(400_000);
  const { id } = await memory.append(prompt(big));
  assert.equal((await memory.event(id)).content, big);
  const receipts = await memory.appendBatch(
    Array.from({ length: 1000 }, (_, index) => prompt(`event ${index}`)),
  );
  assert.equal(receipts.at(-1).seq, 1001);
});

test('metadata may be large, not endlessly deep', async (t) => {
  const memory = openFresh(t);
  const metadata = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`키${index}`, '값'.repeat(10)]));
  const { id } = await memory.append(prompt('x', { metadata }));
  assert.deepEqual((await memory.event(id)).metadata, metadata);
  let deep = {};
  for (let depth = 0; depth < 100_000; depth += 1) deep = { deep };
  await assert.rejects(memory.append(prompt('y', { metadata: deep })), {
    code: 'invalid_argument',
    argument: 'metadata',
  });
});

test('vectors: canonical keys', (t) => {
  const memory = openFresh(t, { privacy: plain });
  let checked = 0;
  for (const [{ title, project }, expected, name] of vectors('canonical_key')) {
    // The key of an event is that of its text alone, without a project.
    if (project !== undefined || !title.isWellFormed() || isBlank(title) || hasSecret(title)) continue;
    const { id } = memory.appendSync(prompt(title, { dedupe: 'none' }));
    assert.equal(memory.eventSync(id).canonicalKey, expected, name);
    checked += 1;
  }
  enough(checked, 50, 'the file');
});

test('vectors: citations', (t) => {
  const memory = openFresh(t);
  for (const [{ text }, expected, name] of vectors('citation_parse')) {
    // Nothing is stored: what parses is not found, what does not is refused.
    assert.throws(
      () => memory.citationSync(text),
      { code: expected === null ? 'invalid_argument' : 'not_found' },
      name,
    );
  }
});

test('vectors: token estimates and previews', (t) => {
  const memory = openFresh(t, { privacy: plain });
  /** Stores a text; nothing when the log would not keep it as it is. */
  const stored = (content) => {
    if (!content.isWellFormed() || isBlank(content) || hasSecret(content)) return undefined;
    return memory.appendSync(prompt(content, { dedupe: 'none' })).id;
  };
  let checked = 0;
  for (const [{ text, layer }, expected, name] of vectors('token_estimate')) {
    const id = layer === undefined && stored(text);
    if (!id) continue;
    assert.equal(memory.detailsSync([id])[0].tokenCount, expected, name);
    checked += 1;
  }
  for (const [{ kind, content }, expected, name] of vectors('summary_preview')) {
    const id = kind === 'preview' && expected.equals !== undefined && stored(content);
    if (!id) continue;
    assert.equal(memory.timelineSync([id], { window: 0 })[0].preview, expected.equals, name);
    checked += 1;
  }
  enough(checked, 20, 'the file');
});

test('vectors: imports', (t) => {
  let checked = 0;
  for (const [input, expected, name] of vectors('import_jsonl')) {
    // A memory knows a message again by its uuid, if it has one; the vectors go by its text.
    if (input.jsonl.includes('"uuid"') && expected.skipped_duplicates > 0) continue;
    if (expected.stored.some(({ content }) => hasSecret(content))) continue;
    const memory = openFresh(t, { privacy: plain });
    const file = path.join(fresh('import'), input.session_file);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, input.jsonl);
    const { counters, refusedCount } = memory.importClaudeCodeSync(file, {
      hasToolObservations: false,
      keepsBlankText: true,
      responseLimitUtf16: 5000,
      limit: input.limit,
    });
    // An event must say something: a blank text is refused each time.
    const texts = expected.stored.filter(({ content }) => !isBlank(content));
    const blanks = expected.stored.filter(({ content }) => isBlank(content));
    const refused = (kind) => blanks.filter((text) => !text.duplicate && text.kind === kind).length;
    assert.equal(refusedCount, blanks.length, name);
    assert.equal(counters.totalMessages, expected.total_messages, name);
    assert.equal(counters.importedPrompts, expected.imported_prompts - refused('prompt'), name);
    assert.equal(counters.importedResponses, expected.imported_responses - refused('response'), name);
    assert.equal(
      counters.skippedDuplicates,
      expected.skipped_duplicates - blanks.filter(({ duplicate }) => duplicate).length,
      name,
    );
    assert.equal(counters.errors, expected.errors, name);
    // The vectors list the texts line by line, as they stand in the log; a memory lists
    // them in order of time.
    const events = [...memory.eventsSync()];
    const inLog = events.toSorted((a, b) => a.seq - b.seq);
    assert.deepEqual(
      inLog.map(({ content }) => content),
      texts.filter(({ duplicate }) => !duplicate).map(({ content }) => content),
      name,
    );
    assert.deepEqual(events, inLog.toSorted((a, b) => a.timestamp - b.timestamp), name);
    checked += 1;
  }
  enough(checked, 20, 'the file');
});
