// A program with strict settings: it is compiled, not run.

import {
  Memory,
  MemoryError,
  defaultStorePath,
  projectOf,
  type Appended,
  type ErrorCode,
  type Event,
  type EventKind,
  type NewEvent,
  type SearchResult,
  type Stats,
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
  const event = await memory.event(1);
  // @ts-expect-error: it may be null
  event.content;
}
