// The options of opening, and the privacy vectors of the specification through them.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';

import { Memory, filterText, maskSecrets, maskToolInput } from 'recallite';

import {
  enough, failure, fresh, hasSecret, isBlank, isUsable, openFresh, plain, prompt, repository, vectors,
} from './setup.mjs';

test('a wrong option names itself', async () => {
  const cases = [
    [{ recallCache: 1 }, 'recallCache'],
    [{ embeddingTimeoutMs: -1 }, 'embeddingTimeoutMs'],
    [{ vectorGraphFrom: -1 }, 'vectorGraphFrom'],
    [{ quotaBytes: 0.5 }, 'quotaBytes'],
    [{ sizeLimitBytes: '1' }, 'sizeLimitBytes'],
    [{ privacy: true }, 'privacy'],
    [{ privacy: { marker: '[GONE]' } }, 'privacy.marker'],
    [{ privacy: { formats: ['xml', 'yaml'] } }, 'privacy.formats[1]'],
    [{ privacy: { formats: 'xml' } }, 'privacy.formats'],
    [{ privacy: { anonymise: true } }, 'privacy.anonymise'],
    [{ privacy: { excludePatterns: ['ok', '('] } }, 'privacy.excludePatterns[1]'],
    [{ privacy: { autoDetectPatterns: [''] } }, 'privacy.autoDetectPatterns[0]'],
    [{ settingsFile: '' }, 'settingsFile'],
    [{ settingsFile: 'a\0b' }, 'settingsFile'],
    [{ timeZone: 'UTC+9' }, 'timeZone'],
    [{ toolLimits: { maxOutputChars: -1 } }, 'toolLimits.maxOutputChars'],
    [{ toolLimits: { lines: 1 } }, 'toolLimits.lines'],
    [{ recallWeights: 0.5 }, 'recallWeights'],
    [{ recallWeights: { speaker: 0.5 } }, 'recallWeights.speaker'],
    // A part of recall that is no option.
    [{ recallWeights: { questionPenalty: 0.5 } }, 'recallWeights.questionPenalty'],
    [{ recallWeights: { named_actor: 0.5 } }, 'recallWeights.named_actor'],
    [{ recallWeights: { namedActor: '0.5' } }, 'recallWeights.namedActor'],
    [{ recallWeights: { namedActor: NaN } }, 'recallWeights.namedActor'],
    [{ recallWeights: { namedActor: -0.5 } }, 'recallWeights.namedActor'],
    [{ recallWeights: { namedActor: 1e300 } }, 'recallWeights.namedActor'],
    [{ recallWeights: { queryExpansion: 1.5 } }, 'recallWeights.queryExpansion'],
    [{ retentionMs: 5 }, 'retentionMs'],
    [{ retentionMs: { prompts: 5 } }, 'retentionMs'],
    [{ retentionMs: { tool_observation: -5 } }, 'retentionMs[tool_observation]'],
    [{ retentionMs: { user_prompt: '1 day' } }, 'retentionMs[user_prompt]'],
    [{ embedder: 'model' }, 'embedder'],
    [{ embedder: {} }, 'embedder.id'],
    [{ embedder: { id: 'x', dimensions: '3' } }, 'embedder.dimensions'],
    [{ embedder: { id: 'x', dimensions: 3 } }, 'embedder.embed'],
    [{ embedder: { id: '', dimensions: 3, embed() {} } }, 'embedder.id'],
    [{ embedder: { id: 'x', dimensions: 0, embed() {} } }, 'embedder.dimensions'],
    [{ embedder: { id: 'x', dimensions: 1.5, embed() {} } }, 'embedder.dimensions'],
    [{ embedder: { id: 'x', dimensions: Infinity, embed() {} } }, 'embedder.dimensions'],
    [{ embedder: { __proto__: null, id: 'x', dimensions: 3, max_batch: 1, embed() {} } }, 'embedder.max_batch'],
    [{ embedder: { id: 'x', dimensions: 3, maxBatch: 0, embed() {} } }, 'embedder.maxBatch'],
    [{ fastembed: {} }, 'fastembed.modelDir'],
  ];
  for (const [options, argument] of cases) {
    const wrong = failure('invalid_argument', argument);
    await assert.rejects(Memory.open(fresh(), options), wrong, argument);
    assert.throws(() => Memory.openSync(fresh(), options), wrong, argument);
  }
});

test('a build without fastembed says so', async (t) => {
  try {
    Memory.openSync(fresh(), { fastembed: { modelDir: '/nowhere' } });
    assert.fail('there is no such model');
  } catch (error) {
    // With fastembed built in, the folder is what is wrong.
    if (error.code !== 'unsupported') return t.skip('this addon has fastembed');
    assert.equal(error.argument, 'fastembed');
    assert.match(error.message, /fastembed/);
  }
  const embedder = { id: 'x', dimensions: 1, embed: (texts) => texts.map(() => [1]) };
  await assert.rejects(
    Memory.open(fresh(), { embedder, fastembed: { modelDir: '/nowhere' } }),
    failure('invalid_argument', 'embedder'),
  );
});

test('graphs of near vectors are part of the addon', (t) => {
  for (const options of [{}, { vectorGraphFrom: 0 }, { vectorGraphFrom: 1, vectorGraphBytes: 1 << 20 }]) {
    const memory = openFresh(t, options);
    assert.equal(memory.maintainSync({ graphVectors: 10 }).graphVectors, 0);
  }
});

test('quota warns, the limit refuses', (t) => {
  const memory = openFresh(t, { quotaBytes: 1 });
  const { warnings } = memory.appendSync(prompt('x'));
  assert.match(warnings.join(), /quota/);
  const { isOverQuota, quotaBytes } = memory.statsSync();
  assert.deepEqual([isOverQuota, quotaBytes], [true, 1]);
  const limited = openFresh(t, { sizeLimitBytes: 1 });
  assert.throws(() => limited.appendSync(prompt('x')), failure('full'));
});

test('results are the same without the cache of recall', (t) => {
  const memory = openFresh(t, { recallCache: false });
  memory.appendSync(prompt('The cache is cold.'));
  assert.deepEqual(memory.searchSync('cache'), memory.searchSync('cache'));
  assert.equal(memory.searchSync('cache').items.length, 1);
});

test('recall counts what the weights say', (t) => {
  const path = fresh();
  const open = (recallWeights) => {
    const memory = Memory.openSync(path, { recallWeights });
    t.after(() => memory.close());
    return memory;
  };
  const memory = open(undefined);
  memory.appendSync(prompt('Our invoices are paid by the automobile fund.'));
  memory.appendSync(prompt('Thirty seconds.'));
  const found = memory.searchSync('automobile');
  assert.equal(found.items.length, 2);
  // The core's source is where the defaults stand.
  const source = fs.readFileSync(`${repository}/memory-core/src/model/weights.rs`, 'utf8');
  const defaults = Object.fromEntries(
    [...source.matchAll(/^ {4}(\w+) = ([\d.]+), 0 to \d+;$/gm)].map(([, name, weight]) => [
      name.replace(/_(.)/g, (_, letter) => letter.toUpperCase()),
      Number(weight),
    ]),
  );
  assert.equal(Object.keys(defaults).length, 10);
  assert.deepEqual(open(defaults).searchSync('automobile'), found);
  assert.deepEqual(open({}).searchSync('automobile'), found);
  const off = Object.fromEntries(Object.keys(defaults).map((name) => [name, 0]));
  assert.equal(open(off).searchSync('automobile').items.length, 1);
  assert.equal(memory.searchSync('car').items[0].passage.text.includes('automobile'), true);
  assert.equal(open({ queryExpansion: 0 }).searchSync('car').items.length, 0);
});

test('settings open a memory and show where they come from', (t) => {
  const path = fresh();
  const file = `${fresh()}.json`;
  fs.writeFileSync(file, JSON.stringify({ retrieval: { topK: 3, maxTokens: 400 } }));
  const memory = Memory.openSync(path, {
    settingsFile: file,
    settings: { retrieval: { topK: 2 } },
    toolPolicy: { excludedTools: ['Bash'] },
  });
  t.after(() => memory.close());
  for (const number of [1, 2, 3, 4]) memory.appendSync(prompt(`The payment port is ${number}.`));
  assert.equal(memory.searchSync('payment port').items.length, 2);
  const shown = Object.fromEntries(
    memory.upkeep.settingsSync().map(({ key, value, source }) => [key, [value, source]]),
  );
  assert.deepEqual(shown['retrieval.topK'], [2, 'call']);
  assert.deepEqual(shown['retrieval.maxTokens'], [400, 'file']);
  assert.deepEqual(shown['retrieval.minScore'], [null, 'default']);
  assert.deepEqual(shown['toolObservation.excludedTools'], [['Bash'], 'call']);
  const skipped = memory.appendSync({
    kind: 'tool_observation',
    session: 's1',
    tool: { name: 'Bash', output: 'fine' },
  });
  assert.equal(skipped.skipped, 'tool_excluded');
  assert.equal(skipped.seq, 0);
  for (const [settings, argument] of [
    [{ retrieval: { topk: 3 } }, 'retrieval.topk'],
    [{ retrieval: { topK: '3' } }, 'retrieval.topK'],
    [{ embedding: { provider: 'openai' } }, 'embedding.provider'],
    [[], 'settings'],
  ]) {
    assert.throws(() => Memory.openSync(fresh(), { settings }), { code: 'invalid_argument', argument });
  }
});

test('a wrong setting is named as it was written, and an option as JavaScript spells it', async () => {
  const file = `${fresh()}.json`;
  for (const [settings, argument] of [
    [{ retrieval: { top_k: 3 } }, 'retrieval.top_k'],
    [{ top_k: 3 }, 'top_k'],
    [{ privacy: { exclude_patterns: [] } }, 'privacy.exclude_patterns'],
  ]) {
    fs.writeFileSync(file, JSON.stringify(settings));
    for (const [options, start] of [[{ settings }, `${argument}: `], [{ settingsFile: file }, `${file}: ${argument}: `]]) {
      const named = (error) => {
        assert.deepEqual([error.code, error.argument], ['invalid_argument', argument]);
        assert.ok(error.message.startsWith(start), error.message);
        return true;
      };
      assert.throws(() => Memory.openSync(fresh(), options), named);
      await assert.rejects(Memory.open(fresh(), options), named);
    }
  }
  fs.writeFileSync(file, '{');
  const settings = { retrieval: { topK: 3 } };
  for (const [options, argument] of [
    [{ settingsFile: file }, 'settingsFile'],
    [{ settingsFile: `${file}.missing` }, 'settingsFile'],
    [{ settings, indexCacheBytes: -1 }, 'indexCacheBytes'],
    [{ settings, privacy: { excludePatterns: ['('] } }, 'privacy.excludePatterns[0]'],
  ]) {
    assert.throws(() => Memory.openSync(fresh(), options), { argument });
  }
});

test('settings are shown by the asynchronous form too', async (t) => {
  const memory = await Memory.open(fresh(), { settings: { mode: 'endless' } });
  t.after(() => memory.close());
  const rows = await memory.upkeep.settings();
  assert.equal(rows.find(({ key }) => key === 'mode').value, 'endless');
});

test('what is paused is not stored', async (t) => {
  const memory = openFresh(t, { project: 'shop' });
  assert.equal(memory.pauses.pauseSync('session', 's1'), true);
  assert.equal(await memory.pauses.pause('session', 's1'), false);
  const said = { kind: 'user_prompt', session: 's1', content: 'between us' };
  assert.equal(memory.appendSync(said).skipped, 'paused');
  const [pause] = await memory.pauses.list();
  assert.deepEqual([pause.scope, pause.name], ['session', 's1']);
  assert.deepEqual(memory.pauses.listSync(), [pause]);
  assert.equal(await memory.pauses.resume('session', 's1'), true);
  assert.equal(memory.pauses.resumeSync('session', 's1'), false);
  assert.equal(memory.appendSync(said).skipped, null);
  assert.throws(() => memory.pauses.pauseSync('planet', 'x'), { argument: 'scope' });
  assert.throws(() => memory.pauses.pauseSync('session', ' '), { argument: 'name' });
});

test('an unknown setting is told with the nearest one', async () => {
  const file = `${fresh()}.json`;
  for (const [settings, message] of [
    [{ retrieval: { topk: 3 } }, 'retrieval.topk: unknown setting; did you mean retrieval.topK?'],
    [{ retreival: { topK: 3 } }, 'retreival: unknown setting; did you mean retrieval?'],
    [{ zzzzqqqq: 3 }, 'zzzzqqqq: unknown setting; see docs/guides/settings.md'],
  ]) {
    fs.writeFileSync(file, JSON.stringify(settings));
    assert.throws(() => Memory.openSync(fresh(), { settings }), { message });
    await assert.rejects(Memory.open(fresh(), { settingsFile: file }), { message: `${file}: ${message}` });
  }
});

test('what is said of a paused project is not stored', async (t) => {
  const memory = openFresh(t, { project: '가게' });
  assert.equal(await memory.pauses.pause('project', '가게'), true);
  const said = { kind: 'user_prompt', session: 's1', content: 'between us' };
  assert.equal(memory.appendSync(said).skipped, 'paused');
  assert.equal(memory.appendSync({ ...said, session: 's2', project: 'blog' }).skipped, null);
  const [pause] = memory.pauses.listSync();
  assert.deepEqual([pause.scope, pause.name], ['project', '가게']);
  assert.equal(memory.pauses.resumeSync('project', '가게'), true);
  assert.equal(memory.appendSync(said).skipped, null);
});

test('sessions with private sections are counted', async (t) => {
  const memory = openFresh(t);
  for (const [session, content] of [
    ['s1', 'Nothing to hide.'],
    ['s1', 'One <private>walrus</private> and <private>more</private>.'],
    ['s1', '또 <private>바다코끼리</private>.'],
    ['s2', 'Also <private>here</private>.'],
  ]) memory.appendSync({ kind: 'user_prompt', session, content });
  const { privacy } = await memory.stats();
  assert.deepEqual([privacy.privateSections, privacy.sessions], [4, 2]);
});

/** The stored form of a text under a privacy configuration. */
function filtered(t, content, privacy) {
  const memory = openFresh(t, { privacy });
  const receipt = memory.appendSync(prompt(content));
  return { content: memory.eventSync(receipt.id).content, ...receipt };
}

test('privacy options change what is stored', (t) => {
  const text = 'call kim@example.com [private]x[/private] hunter PROJ-77';
  assert.equal(filtered(t, text).content, text);
  const { content, privacy } = filtered(t, text, {
    formats: ['bracket'],
    marker: '[REDACTED]',
    anonymize: true,
    autoDetectPatterns: ['PROJ-\\d+'],
  });
  assert.match(content, /^call \S+ \[REDACTED\] hunter \[REDACTED\]$/);
  assert.ok(!content.includes('kim@example.com'));
  assert.deepEqual([privacy.privateCount, privacy.secretCount, privacy.anonymizedCount], [1, 1, 1]);
  assert.equal(filtered(t, 'a <private>b</private> c', { marker: '' }).content.includes('b'), false);
  assert.match(filtered(t, 'a <private>b</private>', { privateTags: false }).content, /b/);
});

const wellFormed = (text) => text.isWellFormed() && !isBlank(text);

/** A memory also hides what is nearly a tag, which the rule of the vectors keeps. */
function hasOddTags(text, privacy) {
  return !isDeepStrictEqual(filterText(text, privacy, true), filterText(text, privacy));
}

test('vectors: private tags', (t) => {
  let checked = 0;
  for (const [input, expected, name] of vectors('private_tags')) {
    const { text, formats, marker, preserve_line_count: preserveLineCount } = input;
    const privacy = { ...plain, privateTags: true, formats, marker, preserveLineCount };
    if (!wellFormed(text) || isBlank(expected.content) || hasOddTags(text, privacy)) continue;
    const stored = filtered(t, text, privacy);
    // A memory goes on where this rule ends: it masks secrets, and shortens runs of line
    // ends unless lines are to be counted.
    const masked = maskSecrets(expected.content).text;
    const content = preserveLineCount ? masked : masked.replace(/\n{3,}/g, '\n\n');
    assert.equal(stored.content, content, name);
    assert.equal(stored.privacy.privateCount, expected.private_count, name);
    checked += 1;
  }
  enough(checked, 60, 'the file');
});

test('vectors: the privacy filter', (t) => {
  let checked = 0;
  for (const [{ text, config }, expected, name] of vectors('privacy_filter')) {
    const tags = config.privateTags ?? {};
    const privacy = {
      autoDetect: false,
      codeAware: false,
      excludePatterns: config.excludePatterns?.filter(isUsable),
      privateTags: tags.enabled,
      marker: tags.marker,
      preserveLineCount: tags.preserveLineCount,
      formats: tags.supportedFormats,
      anonymize: config.anonymize,
    };
    if (!wellFormed(text) || isBlank(expected.content) || hasOddTags(text, privacy)) continue;
    const stored = filtered(t, text, privacy);
    assert.equal(stored.content, expected.content, name);
    assert.equal(stored.privacy.privateCount, expected.privacy.privateCount, name);
    assert.equal(stored.privacy.secretCount, expected.pattern_match_count, name);
    checked += 1;
  }
  enough(checked, 25, 'the file');
});

test('vectors: masking of secrets', (t) => {
  const memory = openFresh(t, { privacy: plain });
  let checked = 0;
  for (const [{ text }, expected, name] of vectors('secret_masking')) {
    if (!wellFormed(text) || isBlank(expected.text)) continue;
    const { id, privacy } = memory.appendSync(prompt(text, { dedupe: 'none' }));
    assert.equal(memory.eventSync(id).content, expected.text, name);
    assert.equal(privacy.secretCount, expected.match_count, name);
    checked += 1;
  }
  enough(checked, 20, 'the file');
});

test('vectors: tool outputs are cut, inputs masked, metadata derived', (t) => {
  const store = (memory, tool) => memory.eventSync(memory.appendSync({
    kind: 'tool_observation', session: 's1', dedupe: 'none', tool,
  }).id).tool;
  let checked = 0;
  for (const [input, expected, name] of vectors('tool_output_truncate')) {
    if (!input.output.isWellFormed() || hasSecret(input.output)) continue;
    const memory = openFresh(t, {
      privacy: plain,
      toolLimits: { maxOutputChars: input.max_length, maxOutputLines: input.max_lines },
    });
    assert.equal(store(memory, { name: 'Bash', input: {}, output: input.output }).output, expected, name);
    checked += 1;
  }
  const memory = openFresh(t, { privacy: plain, toolLimits: { keepWholeOutput: true } });
  for (const [input, expected, name] of vectors('tool_metadata')) {
    const tool = {
      name: input.tool_name, input: input.tool_input, output: input.tool_output, success: input.success,
    };
    if (!JSON.stringify(tool).isWellFormed() || tool.input === undefined) continue;
    // A call must name its tool.
    if (isBlank(tool.name)) continue;
    if (hasSecret(tool.output) || maskToolInput(tool.input).secretCount > 0) continue;
    assert.deepEqual(store(memory, tool).metadata, expected, name);
    checked += 1;
  }
  const exact = openFresh(t, { privacy: plain });
  for (const [input, expected, name] of vectors('mask_tool_input')) {
    if (!JSON.stringify(input).isWellFormed()) continue;
    assert.deepEqual(store(exact, { name: 'Bash', input, output: 'x' }).input, expected, name);
    checked += 1;
  }
  enough(checked, 20, 'the file');
});
