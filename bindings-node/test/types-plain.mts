// A program without Node's types and without the browser's: it is compiled, not run.

import { Memory, MemoryError, type CallOptions, type Event } from 'recallite';

export async function program(options: CallOptions): Promise<Event[]> {
  const memory = await Memory.open('folder', { project: 'shop' });
  const events: Event[] = [];
  try {
    await memory.append({ kind: 'user_prompt', session: 's1', content: 'text' }, options);
    for await (const event of memory.events({ session: 's1' })) events.push(event);
    memory[Symbol.dispose]();
  } catch (error) {
    if (error instanceof MemoryError && options.signal?.aborted === true) await memory.close();
  }
  return events;
}
