// Functions that need no memory: the vectors of the specification pass through
// JavaScript, offsets fit its strings, and wrong arguments are named.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';

import * as recallite from 'recallite';

import { enough, failure, isUsable, vectors } from './setup.mjs';

const {
  INDEX_ITEM_TOKENS, TIMELINE_ITEM_TOKENS,
  align, alignClaims, alignClaimsSync, alignSync, allowsBlockers, allowsJobTransition, artifactKey, artifactKind,
  canonicalKey, effectiveBlockers, filterText, maskSecrets, planExpansion, removePrivateSections,
  taskEventDedupeKey, uniqueCitationId, vectorTableName,
  checkGrounding, checkGroundingSync, citationBlock, citationId, classify, conditionKey, contentHash,
  continuity, decideTransition, dedupeKey, entityKey, estimateTokens, evaluateGraduation, expansionDecision,
  extractClaims, extractInsights, extractionPrompt, extractionSchema, formatContext, harmless, harmlessLine,
  initialTaskStatus, isConsolidationDue, isEdgeAllowed, isSameTitle, isSmallTalk, levenshtein, maskToolInput, matchList,
  matchScore, outsideSessionName, parseCitation, parseEntityKey, preview, sessionSummaryText, similarity,
  snapshot, summary, taskKey, toolEmbeddingText, toolMetadata, toolSummary, truncateOutput, utf16Len,
} = recallite;
const require = createRequire(import.meta.url);

const near = (a, b, name) => assert.ok(Math.abs(a - b) < 1e-9, `${name}: ${a} is not ${b}`);

/** Runs the vectors of a file; at least `least` of them must fit JavaScript. */
function check(file, least, run) {
  let checked = 0;
  for (const [input, expected, name] of vectors(file)) {
    // Half a surrogate pair has no UTF-8 and is refused, as everywhere.
    if (!JSON.stringify(input).isWellFormed()) continue;
    run(input, expected, name);
    checked += 1;
  }
  enough(checked, least, file);
}

test('both forms of the package have the same functions', () => {
  const common = require('recallite');
  assert.deepEqual(Object.keys(recallite).sort(), Object.keys(common).sort());
  for (const [name, value] of Object.entries(recallite)) assert.equal(value, common[name], name);
});

// --- Evidence ----------------------------------------------------------------

const MESSAGES = [
  'JSONB를   JSON으로\n변경하세요. 🎉 끝났습니다.',
  '👩‍👩‍👧 가족 여행은 🏝️ 제주도로 가기로 했어요! 𠮷野家でお昼を食べましょう。',
  'שלום עולם — the café is closed on Mondays.',
];

test('the places of quotes fit JavaScript strings', async () => {
  const evidence = [
    { messageIndex: 0, quote: 'jsonb를 JSON으로 변경' },
    { messageIndex: 0, quote: '🎉 끝났습니다' },
    { messageIndex: 1, quote: '제주도로 가기로 했어요' },
    { messageIndex: 1, quote: '𠮷野家でお昼を食べましょう' },
    { messageIndex: 1, quote: '𠮷野家でお畫を食べましょう。' },
    { messageIndex: 2, quote: 'the cafe\u0301 is closed' },
    { messageIndex: 2, quote: 'עולם' },
  ];
  const found = [
    'JSONB를   JSON으로\n변경', '🎉 끝났습니다', '제주도로 가기로 했어요', '𠮷野家でお昼を食べましょう',
    '𠮷野家でお昼を食べましょう。', 'the café is closed', 'עולם',
  ];
  const report = await align(MESSAGES, evidence);
  assert.deepEqual(alignSync(MESSAGES, evidence), report);
  assert.equal(report.evidenceAligned, true);
  for (const [index, quote] of report.results.entries()) {
    const message = MESSAGES[quote.messageIndex];
    assert.equal(quote.isAligned, true);
    assert.equal(message.slice(quote.start, quote.end), found[index]);
    assert.equal(quote.matchedText, found[index]);
    const bytes = Buffer.from(message).subarray(quote.startByte, quote.endByte);
    assert.equal(bytes.toString(), found[index]);
    assert.equal(quote.quote, evidence[index].quote);
    assert.equal(quote.quoteHash, contentHash(quote.quote));
  }
  assert.deepEqual(
    report.results.map((quote) => quote.matchMethod),
    ['normalized', 'exact', 'exact', 'exact', 'fuzzy', 'normalized', 'exact'],
  );
});

test('a quote that is not found says why', async () => {
  const evidence = [
    { messageIndex: 9, quote: 'anything at all' },
    { messageIndex: -1, quote: 'anything at all' },
    { messageIndex: 0, quote: ' \n ' },
    { messageIndex: 0, quote: 'the moon is made of green cheese' },
  ];
  const report = await align(MESSAGES, evidence);
  assert.equal(report.evidenceAligned, false);
  assert.deepEqual(
    report.results.map(({ reason, messageIndex, isAligned }) => [reason, messageIndex, isAligned]),
    [
      ['invalid_index', 9, false], ['invalid_index', -1, false],
      ['empty_quote', 0, false], ['not_found', 0, false],
    ],
  );
  assert.deepEqual(await align([], []), { evidenceAligned: true, results: [], alignedCount: 0, failedCount: 0 });
});

test('the options of aligning are obeyed', () => {
  const messages = ['one two three, one two three'];
  const evidence = [{ messageIndex: 0, quote: 'one two three' }];
  const [first] = alignSync(messages, evidence).results;
  assert.equal(first.ambiguous, true);
  assert.equal(first.alternativeCount, 1);
  assert.equal(alignSync(messages, evidence, { rejectAmbiguous: true }).results[0].reason, 'ambiguous');
  const typo = [{ messageIndex: 0, quote: 'one twq thrae, one' }];
  assert.equal(alignSync(messages, typo).results[0].isAligned, true);
  assert.equal(alignSync(messages, typo, { fuzzyThreshold: 1 }).results[0].isAligned, false);
  assert.equal(alignSync(messages, typo, { maxFuzzyQuoteChars: 5 }).results[0].isAligned, false);
});

test('claims are looked for in a source', async () => {
  const source = '우리는 재시도 한도를 (작업마다) 3으로 정했다. 🎉 We set the retry limit (per job) to 3.';
  const claims = ['the retry limit, per job', '재시도 한도를 작업마다 3으로', 'the sky is green today', 'short'];
  const found = await alignClaims(claims, source);
  assert.deepEqual(alignClaimsSync(claims, source), found);
  assert.deepEqual(
    found.aligned.map(({ claimIndex, start, end }) => [claimIndex, source.slice(start, end)]),
    [[0, 'the retry limit (per job'], [1, '재시도 한도를 (작업마다) 3으로']],
  );
  assert.deepEqual(found.missing, [2]);
  assert.equal(found.isAligned, true);
  assert.equal(found.confidence, 0.5);

  const response = 'The retry limit is per job. Shall we go on? 재시도 한도를 작업마다 3으로 정했다!';
  assert.deepEqual(extractClaims(response), ['The retry limit is per job', '재시도 한도를 작업마다 3으로 정했다']);
  const grounded = await checkGrounding(response, ['Nothing here.', source]);
  assert.deepEqual(checkGroundingSync(response, ['Nothing here.', source]), grounded);
  assert.ok(grounded.aligned.some((claim) => claim.claimIndex === 1));
});

function described(result, messages) {
  if (!result.isAligned) return { aligned: false, quote_hash: result.quoteHash, failure_reason: result.reason };
  return {
    aligned: true,
    quote_hash: result.quoteHash,
    match_method: result.matchMethod,
    confidence: result.confidence,
    span: { utf16: [result.start, result.end], bytes: [result.startByte, result.endByte] },
    matched_text: result.matchedText,
    ambiguous: result.ambiguous,
    alternative_count: result.alternativeCount,
  };
}

/** Every expected field is there and equal; JavaScript has no spans of characters. */
function covers(expected, got, name) {
  if (typeof expected === 'number') near(got, expected, name);
  else if (Array.isArray(expected)) {
    assert.equal(got.length, expected.length, name);
    expected.forEach((item, index) => covers(item, got[index], `${name}[${index}]`));
  } else if (typeof expected === 'object' && expected !== null) {
    for (const [key, value] of Object.entries(expected)) {
      if (key === 'chars' || key === 'message_index') continue;
      covers(value, got[key], `${name}.${key}`);
    }
  } else assert.equal(got, expected, name);
}

/** Models make up indices: what is no number lies outside of every session. */
const quoteOf = ({ message_index: index, quote }) => ({
  messageIndex: typeof index === 'number' ? index : -1,
  quote,
});

for (const [file, least] of [['evidence_exact', 20], ['evidence_normalized', 20]]) {
  test(`vectors: ${file}`, () => {
    check(file, least, (input, expected, name) => {
      const [result] = alignSync(input.messages, [quoteOf(input)]).results;
      covers(expected, described(result, input.messages), name);
    });
  });
}

test('vectors: evidence_fuzzy', () => {
  check('evidence_fuzzy', 20, (input, expected, name) => {
    const [result] = alignSync(input.messages, [quoteOf(input)]).results;
    const got = described(result, input.messages);
    assert.equal(got.aligned, expected.aligned, name);
    if (expected.failure_reason_any_of) assert.ok(expected.failure_reason_any_of.includes(got.failure_reason), name);
    if (expected.match_method_any_of) assert.ok(expected.match_method_any_of.includes(got.match_method), name);
    if (expected.match_method) assert.equal(got.match_method, expected.match_method, name);
    if (expected.confidence_min !== undefined) assert.ok(got.confidence >= expected.confidence_min, name);
    if (expected.confidence_max_exclusive !== undefined) {
      assert.ok(got.confidence < expected.confidence_max_exclusive, name);
    }
    for (const unit of ['utf16', 'bytes']) {
      if (!expected.target?.[unit]) continue;
      const [from, to] = expected.target[unit];
      const [start, end] = got.span[unit];
      const overlap = Math.max(Math.min(to, end) - Math.max(from, start), 0) / (to - from);
      assert.ok(overlap >= (expected.min_target_overlap ?? 0), `${name}: ${overlap}`);
      assert.ok(end - start <= (expected.max_span_to_target_ratio ?? Infinity) * (to - from), name);
    }
  });
});

test('vectors: evidence_aggregate', () => {
  check('evidence_aggregate', 20, (input, expected, name) => {
    const { evidenceAligned, results } = alignSync(input.messages, input.evidence.map(quoteOf));
    const failed = results.filter((result) => !result.isAligned);
    covers(
      expected,
      {
        evidence_aligned: evidenceAligned,
        aligned_count: results.length - failed.length,
        failed_count: failed.length,
        failed_quotes: failed.map((result) => result.quote),
        results: results.map((result) => described(result, input.messages)),
      },
      name,
    );
  });
});

test('vectors: levenshtein_similarity', () => {
  check('levenshtein_similarity', 20, ({ a, b }, expected, name) => {
    near(similarity(a, b), expected.similarity, name);
    assert.equal(levenshtein(a, b), expected.distance, name);
  });
});

// --- Texts ---------------------------------------------------------------------

test('vectors: keys and hashes', () => {
  check('canonical_key', 60, ({ title, project }, expected, name) => {
    assert.equal(canonicalKey(title, project), expected, name);
  });
  const keys = {
    task: (identifier, project) => taskKey(identifier, project),
    condition: (identifier, project) => conditionKey(identifier, project),
    artifact: (identifier) => artifactKey(identifier),
  };
  check('entity_key', 10, ({ entity_type: type, identifier, project }, expected, name) => {
    assert.equal(keys[type](identifier, project), expected, name);
    assert.equal(entityKey(type, identifier, project), expected, name);
  });
  check('artifact_key', 10, ({ identifier }, expected, name) => {
    assert.equal(artifactKey(identifier), expected, name);
    assert.ok(expected.startsWith(`art:${artifactKind(identifier).replace('github', 'gh')}:`), name);
  });
  check('parse_entity_key', 10, ({ key }, expected, name) => {
    const found = parseEntityKey(key);
    const wanted = expected && {
      kind: expected.entity_type,
      project: expected.project ?? null,
      identifier: expected.identifier,
    };
    assert.deepEqual(found, wanted, name);
  });
  check('content_hash', 5, ({ content }, expected, name) => assert.equal(contentHash(content), expected, name));
  check('dedupe_key', 5, ({ session_id: session, content }, expected, name) => {
    assert.equal(dedupeKey(session, content), expected, name);
  });
});

test('stored text is shown harmlessly', () => {
  assert.equal(harmless('a\r\u001b[2J한\r\n'), 'a\n\ufffd[2J한\n');
  assert.equal(isSmallTalk('고마워, 오늘은 여기까지'), true);
  assert.equal(isSmallTalk('which port did we take?'), false);
  assert.equal(harmlessLine('a\r\n한\u202e'), 'a 한\ufffd');
});

test('titles and lengths', () => {
  assert.ok(isSameTitle('Fix  it!', 'fix IT'));
  assert.ok(!isSameTitle('Deploy v1', 'Deploy v2'));
  assert.equal(utf16Len('a🎉'), 3);
});

test('vectors: short forms and tokens', () => {
  check('summary_preview', 20, ({ kind, content }, expected, name) => {
    const short = kind === 'summary' ? summary(content) : preview(content);
    if (expected.equals !== undefined) assert.equal(short, expected.equals, name);
    if (expected.max_utf16 !== undefined) assert.ok(short.length <= expected.max_utf16, name);
    if (expected.non_empty) assert.notEqual(short, '', name);
    if (expected.single_line) assert.doesNotMatch(short, /[\r\n]/, name);
  });
  check('token_estimate', 10, ({ text, layer, items }, expected, name) => {
    const perItem = { layer1: INDEX_ITEM_TOKENS, layer2: TIMELINE_ITEM_TOKENS };
    const tokens = layer === undefined ? estimateTokens(text) : items * perItem[layer];
    assert.equal(tokens, expected, name);
  });
  check('session_summary_text', 5, ({ events }, expected, name) => {
    const spoken = events.map(({ event_type: kind, content }) => ({ kind, content }));
    assert.equal(sessionSummaryText(spoken), expected, name);
  });
  const prompt = { kind: 'user_prompt', content: 'a\r\nb' };
  assert.ok(sessionSummaryText([prompt]).endsWith('- a\r b'));
  assert.ok(sessionSummaryText([prompt], 'harmless').endsWith('- a b'));
});

test('vectors: citations', () => {
  check('citation_id', 10, ({ event_id: id, length }, expected, name) => {
    assert.equal(citationId(id, length), expected, name);
  });
  check('citation_unique', 5, ({ event_id: id, taken }, expected, name) => {
    const found = uniqueCitationId(id, taken);
    assert.deepEqual(found === null ? { error: 'exhausted' } : { id: found }, expected, name);
  });
  check('citation_parse', 10, ({ text }, expected, name) => assert.equal(parseCitation(text), expected, name));
  check('retriever_context', 5, ({ memories, max_tokens: limit }, expected, name) => {
    const given = memories.map(({ event_type: kind, session_context: sessionContext, ...one }) => ({
      kind, sessionContext, ...one,
    }));
    assert.equal(formatContext(given, limit), expected, name);
  });
  check('citation_context_inline', 5, ({ memories }, expected, name) => {
    const cited = memories.map(({ content, citation_id: citation, timestamp, session_id: session }) => ({
      content, citation, timestamp, session,
    }));
    assert.equal(citationBlock(cited), expected, name);
    assert.equal(citationBlock(cited, 'inline'), expected, name);
  });
  const one = { content: '한 줄', citation: 'a7Bc3x', timestamp: new Date(0), session: 'monday' };
  const hidden = { ...one, content: 'a\u200b\r\nb' };
  assert.match(citationBlock([hidden]), /> a\u200b\r\n> b\n/);
  assert.match(citationBlock([hidden], 'inline', 'harmless'), /> a\n> b\n/);
  assert.match(citationBlock([one], 'footnote'), /한 줄/);
  assert.match(citationBlock([one], 'reference'), /## References/);
});

test('vectors: tool calls', () => {
  check('tool_output_truncate', 10, ({ output, max_length: chars, max_lines: lines }, expected, name) => {
    assert.equal(truncateOutput(output, chars ?? 10_000, lines ?? 100), expected, name);
  });
  check('tool_metadata', 10, (given, expected, name) => {
    const { tool_name, tool_input: input, tool_output: output, success } = given;
    assert.deepEqual(toolMetadata(tool_name, input, output ?? '', success), expected, name);
  });
  check('tool_embedding_text', 10, ({ tool_name, metadata, success }, expected, name) => {
    assert.equal(toolEmbeddingText(tool_name, metadata, success), expected, name);
  });
  const output = '첫 줄\n둘째 줄';
  const metadata = toolMetadata('Read', { file_path: '/문서/설계 🗺️.md' }, output);
  assert.equal(metadata.filePath, '/문서/설계 🗺️.md');
  assert.equal(toolSummary('Read', metadata, output), 'Read /문서/설계 🗺️.md: 첫 줄');
  assert.deepEqual(toolMetadata('Unknown', null, ''), {});
});

// --- Rules -----------------------------------------------------------------------

test('vectors: matches', () => {
  check('matcher_score', 20, (input, expected, name) => {
    const { semantic, fts: lexical, recency_days: ageDays, is_active: isActive } = input;
    near(matchScore({ semantic, lexical, ageDays, isActive }), expected, name);
  });
  check('matcher_classify', 20, ({ top, second }, expected, name) => {
    const scores = [top, second].filter((score) => typeof score === 'number');
    assert.equal(matchList(scores).matchClass, expected, name);
    if (typeof top === 'number') assert.equal(classify(top, second), expected, name);
  });
  check('matcher_list', 20, ({ candidates }, expected, name) => {
    const found = matchList(candidates.map(({ score }) => score));
    const id = (index) => (index === null ? null : candidates[index].id);
    assert.equal(id(found.matched), expected.match, name);
    assert.equal(found.matchClass, expected.confidence, name);
    assert.deepEqual(found.alternatives.map(id), expected.alternatives, name);
    if (expected.gap === null) assert.equal(found.gap, null, name);
    else near(found.gap, expected.gap, name);
  });
});

test('vectors: what is expanded', () => {
  check('expansion_decision', 10, ({ results }, expected, name) => {
    const found = expansionDecision(results.map(({ score }) => score));
    assert.equal(found.isExpansion, expected.expand, name);
    if (expected.reason) assert.equal(found.reason, expected.reason, name);
    if (expected.ids) assert.deepEqual(found.targets.map((index) => results[index].id), expected.ids, name);
  });
});

test('vectors: what fits into a budget', () => {
  check('expansion_budget', 5, (input, expected, name) => {
    const ids = input.items.map(({ id }) => id);
    const costs = (tokens) => ids.map((id) => tokens[id] ?? 0);
    const plan = planExpansion(
      input.items.map(({ score }) => score),
      input.budget,
      input.index_tokens,
      costs(input.timeline_tokens),
      costs(input.detail_tokens),
    );
    const got = {
      timeline_for: plan.timelineFor === null ? null : ids[plan.timelineFor],
      details_for: plan.detailsFor.map((place) => ids[place]),
      used_tokens: plan.usedTokens,
    };
    assert.deepEqual(got, expected, name);
  });
});

test('vectors: what private tags and secrets become', () => {
  check('private_tags', 60, (input, expected, name) => {
    const { text, formats = [], marker, preserve_line_count: keepsLines } = input;
    const removed = removePrivateSections(text, formats, marker, keepsLines);
    const got = {
      content: removed.text,
      private_count: removed.privateCount,
      has_private_sections: removed.privateCount > 0,
    };
    assert.deepEqual(got, expected, name);
  });
  check('secret_masking', 45, ({ text }, expected, name) => {
    const masked = maskSecrets(text);
    assert.deepEqual({ text: masked.text, match_count: masked.secretCount }, expected, name);
  });
  check('privacy_filter', 25, ({ text, config }, expected, name) => {
    const tags = config.privateTags ?? {};
    const filtered = filterText(
      text,
      {
        autoDetect: false,
        codeAware: false,
        excludePatterns: config.excludePatterns?.filter(isUsable),
        privateTags: tags.enabled,
        marker: tags.marker,
        preserveLineCount: tags.preserveLineCount,
        formats: tags.supportedFormats,
      },
      true,
    );
    assert.equal(filtered.text, expected.content, name);
    assert.equal(filtered.privacy.privateCount, expected.privacy.privateCount, name);
    assert.equal(filtered.privacy.secretCount, expected.pattern_match_count, name);
  });
  const near = 'a <private >b</private> c';
  assert.equal(filterText(near, {}, true).text, near);
  assert.equal(filterText(near, {}).privacy.privateCount, 1);
});

test('vectors: secrets in the arguments of tools', () => {
  check('mask_tool_input', 5, (input, expected, name) => {
    assert.deepEqual(maskToolInput(input).input, expected, name);
  });
  assert.deepEqual(maskToolInput({ author: 'Ada', apiKey: 'x' }, 'words'), {
    input: { author: 'Ada', apiKey: '[REDACTED]' },
    secretCount: 1,
  });
});

test('what a text is about goes on in itself', () => {
  const taken = snapshot('c', 'We changed the schema in src/주문.py', new Date(0));
  assert.equal(taken.timestamp, 0);
  assert.deepEqual(taken.files, ['src/주문.py']);
  assert.equal(continuity(taken, taken).score, 1);
  assert.equal(outsideSessionName('endless_2026-01-30'), 'endless');
});

test('vectors: moves of tasks and ends of edges', () => {
  check('task_status_transitions', 20, ({ from, to, status, blocker_count: blockers, initial }, expected, name) => {
    if (from === undefined) {
      if (blockers !== undefined) assert.equal(allowsBlockers(status, blockers), expected.valid, name);
      else assert.equal(initialTaskStatus(initial), expected.initial_status, name);
      return;
    }
    const moved = decideTransition(from, to);
    assert.equal(moved.outcome, expected.outcome, name);
    assert.equal(moved.status, expected.effective_status, name);
    if (expected.rejected_reason) assert.equal(moved.reason, expected.rejected_reason, name);
  });
  check('edge_validity', 20, ({ src_type: source, rel_type: relation, dst_type: target }, expected, name) => {
    let valid;
    try {
      valid = isEdgeAllowed(source, relation, target);
    } catch (error) {
      assert.equal(error.code, 'invalid_argument', name);
      valid = false;
    }
    assert.equal(valid, expected.valid, name);
  });
});

test('vectors: what blocks a task in the end', () => {
  check('effective_blockers', 5, ({ task_id: task, entities, edges }, expected, name) => {
    const found = effectiveBlockers(
      task,
      entities.map(({ id, type: kind }) => ({ id, kind })),
      edges.map(({ src: sourceId, rel: relation, dst: destinationId }) => ({
        sourceId, relation, destinationId,
      })),
    );
    const got = found.map((one) => ({
      original_id: one.originalId,
      effective_id: one.effectiveId,
      effective_type: one.effectiveKind,
      resolved: one.resolved,
    }));
    const byId = (a, b) => (a.original_id < b.original_id ? -1 : 1);
    assert.deepEqual(got, expected.toSorted(byId), name);
  });
});

test('vectors: the outbox', () => {
  check('vector_outbox', 5, (input, expected, name) => {
    if (input.kind === 'transition') {
      assert.deepEqual({ valid: allowsJobTransition(input.from, input.to) }, expected, name);
    } else if (input.kind === 'table_name') {
      assert.equal(vectorTableName(input.item_kind, input.embedding_version), expected, name);
    }
  });
  const key = taskEventDedupeKey('task_created', 'task', 'session', 'entry', '{}');
  assert.match(key, /^[0-9a-f]{64}$/);
  assert.notEqual(key, taskEventDedupeKey('task_created', 'task', 'session', 'entr', 'y{}'));
});

test('vectors: graduation and insights', () => {
  check('graduation_criteria', 20, ({ level, metrics }, expected, name) => {
    const usage = metrics && {
      accessCount: metrics.access_count,
      confidence: metrics.confidence,
      crossSessionRefs: metrics.cross_session_refs,
      daysSinceLastAccess: metrics.days_since_last_access,
    };
    const { next, passed, failedOn: failed_on, reason } = evaluateGraduation(level, usage ?? null);
    covers({ failed_on: null, ...expected }, { next, passed, failed_on, reason }, name);
  });
  check('insight_extraction', 5, ({ events }, expected, name) => {
    const seen = events.map(({ id, event_type: type, content, canonical_key: canonicalKey }) => ({
      id, isUserPrompt: type === 'user_prompt', content, canonicalKey,
    }));
    const found = extractInsights(seen);
    assert.equal(found.length, expected.length, name);
    found.forEach(({ kind, ...rest }, index) => covers(expected[index], { type: kind, ...rest }, name));
  });
  const liked = { id: 'event-1', isUserPrompt: true, content: '짧은 답을 선호합니다', canonicalKey: '' };
  assert.equal(extractInsights([liked], 'english_and_korean')[0].kind, 'preference');
  assert.deepEqual(extractInsights([liked]), []);
  const often = { accessCount: 9, confidence: 0.9, crossSessionRefs: 5, daysSinceLastAccess: 0 };
  assert.equal(evaluateGraduation('L2', often, 'failed').failedOn, 'evidence');
  assert.equal(evaluateGraduation('L2', often, 'aligned').passed, true);
});

test('vectors: the endless mode', () => {
  check('consolidation_trigger', 10, (input, expected, name) => {
    const due = isConsolidationDue({
      sinceLastMs: input.ms_since_last_consolidation,
      workingSetSize: input.working_set_size,
      idleMs: input.idle_ms,
    });
    assert.equal(due, expected, name);
  });
  const few = { sinceLastMs: 0, workingSetSize: 5, idleMs: 0 };
  assert.equal(isConsolidationDue(few), false);
  assert.equal(isConsolidationDue(few, { triggerEventCount: 5 }), true);
  check('continuity_score', 20, (input, expected, name) => {
    const found = continuity(input.current, input.previous ?? null, { minScoreForSeamless: input.min_score_for_seamless });
    near(found.score, expected.score, name);
    assert.equal(found.transition, expected.transition_type, name);
  });
  assert.equal(continuity({ timestamp: new Date() }, null).isLogged, false);
});

test('an index that a model made up fails alone', () => {
  const quotes = [1.5, 1e20, -7, 0].map((messageIndex) => ({ messageIndex, quote: 'one two three' }));
  const { results } = alignSync(['one two three'], quotes);
  assert.deepEqual(
    results.map(({ isAligned, reason }) => [isAligned, reason]),
    [...Array(3).fill([false, 'invalid_index']), [true, null]],
  );
});

test('the schema and the prompt of extractions', () => {
  const schema = extractionSchema();
  assert.equal(schema.properties.schema_version.const, 1);
  schema.properties = null;
  assert.notEqual(extractionSchema().properties, null, 'a caller changed the schema of others');
  assert.match(extractionPrompt(), /schema_version/);
});

test('wrong arguments of functions are named', async () => {
  const usage = { accessCount: 1, confidence: 1, crossSessionRefs: 0, daysSinceLastAccess: 0 };
  const cases = [
    [() => alignSync('text', []), 'messages'],
    [() => alignSync(['a', 1], []), 'messages[1]'],
    [() => alignSync(['half \ud83d'], []), 'messages[0]'],
    [() => alignSync([], {}), 'quotes'],
    [() => alignSync([], [null]), 'quotes[0].messageIndex'],
    [() => alignSync([], [{ messageIndex: 0 }]), 'quotes[0].quote'],
    [() => alignSync([], [{ quote: 'x' }]), 'quotes[0].messageIndex'],
    [() => alignSync([], [{ messageIndex: '0', quote: 'x' }]), 'quotes[0].messageIndex'],
    [() => removePrivateSections('x', ['html']), 'formats[0]'],
    [() => uniqueCitationId('x', [], 9), 'length'],
    [() => planExpansion([1], 9, 0, [1], []), 'detailTokens'],
    [() => filterText('x', { excludePatterns: ['('] }), 'excludePatterns[0]'],
    [() => alignSync([], [{ messageIndex: 0, quote: 'x', index: 1 }]), 'quotes[0].index'],
    [() => alignSync([], [], { fuzzyThreshold: 0.4 }), 'fuzzyThreshold'],
    [() => alignSync([], [], { maxFuzzyQuoteChars: 1e6 }), 'maxFuzzyQuoteChars'],
    [() => alignSync([], [], { maxFuzzyQuoteChars: -1 }), 'maxFuzzyQuoteChars'],
    [() => alignSync([], [], { threshold: 1 }), 'threshold'],
    [() => alignClaimsSync('claim', ''), 'claims'],
    [() => alignClaimsSync([], 1), 'source'],
    [() => checkGroundingSync('x', 'y'), 'contexts'],
    [() => checkGroundingSync(null, []), 'response'],
    [() => extractClaims({}), 'response'],
    [() => similarity('a'), 'b'],
    [() => levenshtein(1, 'b'), 'a'],
    [() => canonicalKey(), 'title'],
    [() => canonicalKey('a', 1), 'project'],
    [() => taskKey('\udc00'), 'title'],
    [() => conditionKey(1), 'text'],
    [() => artifactKey(null), 'identifier'],
    [() => artifactKind(null), 'identifier'],
    [() => parseEntityKey(1), 'key'],
    [() => contentHash(Buffer.from('x')), 'content'],
    [() => dedupeKey('s'), 'content'],
    [() => summary(1), 'content'],
    [() => harmless(1), 'text'],
    [() => harmlessLine(), 'text'],
    [() => isSmallTalk(), 'message'],
    [() => preview(1), 'content'],
    [() => estimateTokens(1), 'text'],
    [() => sessionSummaryText([{ kind: 'nonsense', content: 'x' }]), 'events[0].kind'],
    [() => sessionSummaryText([{ kind: 'user_prompt' }]), 'events[0].content'],
    [() => citationId('x', -1), 'length'],
    [() => parseCitation(1), 'text'],
    [() => citationBlock([{ content: 'x' }]), 'memories[0].citation'],
    [() => citationBlock([{ content: 'x', citation: 'c', timestamp: 'never', session: 's' }]), 'memories[0].timestamp'],
    [() => citationBlock([], 'table'), 'format'],
    [() => truncateOutput(1, 1, 1), 'output'],
    [() => truncateOutput('x', -1, 1), 'maxChars'],
    [() => truncateOutput('x', 1, '1'), 'maxLines'],
    [() => toolMetadata(), 'toolName'],
    [() => toolMetadata('Read', null), 'output'],
    [() => toolMetadata('Read', { big: 1n }, ''), 'input'],
    [() => toolMetadata('Read', null, '', 'yes'), 'success'],
    [() => toolEmbeddingText('Read'), 'metadata'],
    [() => toolSummary('Read', [], ''), 'metadata'],
    [() => maskToolInput(undefined), 'input'],
    [() => maskToolInput({}, 'all'), 'keys'],
    [() => classify('1'), 'top'],
    [() => classify(1, '1'), 'second'],
    [() => expansionDecision(0.9), 'scores'],
    [() => initialTaskStatus('begun'), 'requested'],
    [() => allowsBlockers('blocked', -1), 'confirmed'],
    [() => allowsBlockers('blocked', 0, 0.5), 'suggested'],
    [() => entityKey('thing', 'x'), 'kind'],
    [() => isSameTitle('a'), 'b'],
    [() => utf16Len(null), 'text'],
    [() => snapshot('c', 'x', 'never'), 'at'],
    [() => matchScore({ semantic: 1, lexical: 1 }), 'ageDays'],
    [() => matchScore({ semantic: NaN, lexical: 1, ageDays: 1 }), 'semantic'],
    [() => matchList([0.1, '0.2']), 'scores[1]'],
    [() => decideTransition('begun', 'done'), 'from'],
    [() => decideTransition('pending', 'ended'), 'to'],
    [() => isEdgeAllowed('node', 'mentions', 'entity'), 'sourceType'],
    [() => isEdgeAllowed('entry', 'likes', 'entity'), 'relation'],
    [() => isEdgeAllowed('entry', 'mentions', 'thing'), 'destinationType'],
    [() => evaluateGraduation('L9', null), 'level'],
    [() => evaluateGraduation('L0', { ...usage, accessCount: -1 }), 'usage.accessCount'],
    [() => evaluateGraduation('L0', { ...usage, accessCount: '1' }), 'usage.accessCount'],
    [() => evaluateGraduation('L0', usage, 'perhaps'), 'evidence'],
    [() => extractInsights([{}]), 'events[0].id'],
    [() => extractInsights([], 'latin'), 'cues'],
    [() => isConsolidationDue({ sinceLastMs: 0, workingSetSize: 1.5, idleMs: 0 }), 'workingSetSize'],
    [() => isConsolidationDue({ sinceLastMs: 0, workingSetSize: 1 }), 'idleMs'],
    [() => isConsolidationDue({ sinceLastMs: 0, workingSetSize: 1, idleMs: 0 }, { minEvents: -1 }), 'policy.minEvents'],
    [() => continuity({}, null), 'current.timestamp'],
    [() => continuity({ timestamp: 0 }, { timestamp: 'never' }), 'previous.timestamp'],
    [() => continuity({ timestamp: 0, topics: 'cache' }, null), 'current.topics'],
    [() => continuity(), 'current'],
  ];
  for (const [index, [call, argument]] of cases.entries()) {
    assert.throws(call, failure('invalid_argument', argument), `case ${index}: ${argument}`);
  }
  await assert.rejects(align([], [], { fuzzyThreshold: 2 }), failure('invalid_argument', 'fuzzyThreshold'));
  await assert.rejects(alignClaims([1], ''), failure('invalid_argument', 'claims[0]'));
  await assert.rejects(checkGrounding('x', [], { limit: 1 }), failure('invalid_argument', 'limit'));
  await assert.rejects(align([], [], { signal: AbortSignal.abort(new Error('mine')) }), { message: 'mine' });
});
