// A program with strict settings: it is compiled, not run.

import {
  Memory,
  MemoryError,
  align,
  canonicalKey,
  decideTransition,
  defaultStorePath,
  extractionPrompt,
  extractionSchema,
  projectOf,
  type AlignmentReport,
  type Appended,
  type Context,
  type EdgeEnds,
  type Embedder,
  type Entity,
  type LearnedEntry,
  type EntryHit,
  type ErrorCode,
  type Event,
  type EventKind,
  type Extraction,
  type IngestReport,
  type JsonObject,
  type Level,
  type NewEvent,
  type RecallWeights,
  type SearchResult,
  type Stats,
  type Task,
  type TaskStatus,
} from 'recallite';

const event: NewEvent = {
  kind: 'user_prompt',
  session: 's1',
  content: 'text',
  timestamp: new Date(),
  metadata: { nested: { list: [1, null, 'two'] } },
  dedupe: { key: 'uuid' },
};

export async function program(signal: AbortSignal): Promise<number> {
  await using memory = await Memory.open(defaultStorePath(), { project: await projectOf('.'), signal });
  const receipt: Appended = await memory.append(event, { signal });
  const found: SearchResult = await memory.search('text', { limit: 5, deadlineMs: 50, signal });
  const start: number | undefined = found.items[0]?.passage.start;
  const read: Event | null = await memory.event(receipt.id);
  const kind: EventKind | undefined = read?.kind;
  for await (const one of memory.events({ kinds: ['user_prompt'], from: '2026-01-01' })) {
    const at: number = one.timestamp;
    const json: string | undefined = one.metadata === null ? undefined : JSON.stringify(one.metadata);
    void [at, json];
  }
  const stats: Stats = memory.statsSync();
  await memory.importClaudeCode(new URL('file:///tmp/x'), {
    onProgress: async ({ bytesDone, bytesTotal }) => bytesDone < bytesTotal,
  });
  void [start, kind];
  return stats.lastSeq;
}

const embedder: Embedder = {
  id: 'model-1',
  dimensions: 2,
  embed: async (texts) => texts.map((text) => Float32Array.of(text.length, 1)),
};

const weights: RecallWeights = { namedActor: 0, contextScores: 0.25 };
// @ts-expect-error: no such weight
const misspelled: RecallWeights = { named_actor: 0 };
void misspelled;

export async function upkeep(signal: AbortSignal): Promise<string> {
  const memory = await Memory.open('memory', {
    embedder,
    privacy: { formats: ['xml', 'bracket'], marker: '[REDACTED]' },
    retentionMs: { tool_observation: 86_400_000 },
    toolLimits: { maxOutputLines: 5 },
    recallWeights: weights,
  });
  const context: Context = await memory.context('text', {
    session: 's1', countTokens: (text) => text.length, pinned: [1, 'a7Bc3x'], signal,
  });
  const relevance: number | null | undefined = context.items[0]?.relevance;
  const { count, tombstone } = await memory.forget({ session: 's1', before: new Date() });
  const last: number = await memory.waitForChange(tombstone ?? count, { timeoutMs: 10, signal });
  const seq: number | null | undefined = memory.checkSync().firstDivergence?.seq;
  void [relevance, last, seq];
  // @ts-expect-error: no such kind
  await memory.forget({ kinds: ['prompt'] });
  // @ts-expect-error: a promise is no number of tokens
  memory.contextSync('text', { countTokens: async () => 1 });
  // @ts-expect-error: a moment is missing
  await memory.rebuild();
  return memory.upkeep.stateHash(0);
}

const extraction: Extraction = {
  schema_version: 1,
  entries: [
    { id: 'e1', type: 'decision', title: 't', content: 'c', quotes: [{ message_index: 0, quote: 'q' }] },
  ],
  tasks: [{ id: 't1', title: 'Move', status: 'blocked', blocked_by: ['OPS-1'] }],
  relations: [{ from: 'e1', relation: 'mentions', to: 't1' }],
};

function nameOf(entity: Entity): string {
  switch (entity.kind) {
    case 'task':
      return entity.task.title;
    case 'condition':
      return entity.condition.text;
    case 'artifact':
      return entity.artifact.identifier;
  }
}

export async function learning(memory: Memory, signal: AbortSignal): Promise<readonly string[]> {
  const schema: JsonObject = extractionSchema();
  const prompt: string = extractionPrompt() + JSON.stringify(schema);
  const messages = (await memory.knowledge.sessionMessages('s1', { signal })).map(({ event }) => event?.content ?? '');
  const report: IngestReport = await memory.ingest('s1', extraction, { extractorModel: prompt, signal });
  const entry: LearnedEntry | null = memory.knowledge.entrySync(report.entries[0]?.entryId ?? '');
  for (const span of entry?.evidence?.aligned ?? []) {
    // @ts-expect-error: the message may be forgotten, and then there is no place
    messages[span.messageIndex]?.slice(0, span.end.valueOf());
  }
  const [hit]: EntryHit[] = await memory.knowledge.search('q', { status: 'active', limit: 1, signal });
  const shown: string | undefined = hit?.resolvedFrom ?? hit?.entry.title;
  const aligned: AlignmentReport = await align(messages, [{ messageIndex: 0, quote: 'q' }], { signal });
  const found: string[] = aligned.results.map((result) => result.matchedText ?? String(result.reason));
  const tasks: Task[] = await memory.tasks.list({ status: 'blocked', allProjects: true, signal });
  const status: TaskStatus = decideTransition('pending', 'done').status;
  await memory.tasks.changeStatus(tasks[0]!.id, status, { blockedBy: ['review'] });
  const entity: Entity | null = await memory.tasks.entity(tasks[0]!.id);
  const ends: EdgeEnds = {
    sourceType: 'entry', sourceId: 'a', relation: 'derived_from', destinationType: 'entry', destinationId: 'b',
  };
  const { meta } = await memory.knowledge.addEdge(ends, { meta: { why: ['x', 1] } });
  const level: Level = (await memory.levels.get(1)).level;
  const high: number = memory.levels.countsSync().l4;
  await memory.endless.setConfig({ workingSet: { maxEvents: 7 } });
  await memory.endless.consolidate({ summarize: async ({ texts }) => texts.join(' '), signal });
  await memory.history.recordDecision({ decisionId: 'd', decidedAt: new Date(), actor: 'a', action: 'b', outcome: { ok: true } });
  return [canonicalKey('x'), entity ? nameOf(entity) : '', JSON.stringify(meta), String(high), shown ?? '', ...found];
}

export function hook(): ErrorCode | undefined {
  try {
    using memory = Memory.openSync('memory', { busyTimeoutMs: 100 });
    for (const one of memory.eventsSync({ limit: 1 })) console.log(one.content);
    return undefined;
  } catch (error) {
    return error instanceof MemoryError && error.retryable ? error.code : undefined;
  }
}

// Each of these is wrong, and the compiler must say so.
export async function wrong(memory: Memory): Promise<void> {
  // @ts-expect-error: a session is missing
  await memory.append({ kind: 'user_prompt', content: 'x' });
  // @ts-expect-error: no such kind
  await memory.append({ kind: 'prompt_of_user', session: 's', content: 'x' });
  // @ts-expect-error: a misspelled filter
  memory.events({ sesion: 's' });
  // @ts-expect-error: a signal makes no sense while the thread waits
  memory.searchSync('x', { signal: AbortSignal.timeout(1) });
  // @ts-expect-error: memories are opened, not made
  new Memory();
  // @ts-expect-error: no such status
  await memory.tasks.list({ status: 'begun' });
  // @ts-expect-error: another version of the schema
  await memory.ingest('s', { schema_version: 2, entries: [] });
  // @ts-expect-error: a misspelled field
  await memory.knowledge.resolveMemory('m', { kind: 'rejected', certainty: 1 });
  // @ts-expect-error: a summary that is late makes no sense while the thread waits
  memory.endless.consolidateSync({ summarize: async () => 'x' });
  // @ts-expect-error: a quote that was not found has no place
  (await align([], [])).results[0]!.start.toFixed();
  const event = await memory.event(1);
  // @ts-expect-error: it may be null
  event.content;
}
