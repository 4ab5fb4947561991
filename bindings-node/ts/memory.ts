/** `Memory`: the class that programs work with. */

// Programs without Node's types know Symbol.dispose too.
/// <reference lib="esnext.disposable" preserve="true" />

import type { NativeCursor, NativeImportFields, NativeMemory, NativeNewEvent } from '../native';

import type {
  CallOptions,
  FileUrl,
  ImportOptions,
  ImportSyncOptions,
  OpenOptions,
} from './arguments.js';
import { atOnce, embedder as embedderOf, type Ask } from './callbacks.js';
import { giveInParts, onlySignal, run, splitSignal, takeAll, takeInParts, unwrap, watch, type Start } from './calls.js';
import { array, isPromise, path as pathOf, record, whole } from './check.js';
import { closed, MemoryError } from './errors.js';
import * as fields from './generated/fields.js';
import { DerivedMethods } from './generated/memory.js';
import * as parsed from './generated/parsed.js';
import type {
  Appended,
  Event,
  EventFilter,
  ImportProgress,
  ImportReport,
  NewEvent,
} from './generated/types.js';
import { attach, mix } from './handle.js';
import { loggerOf, type Logger } from './logging.js';
import { native } from './native.js';
import { openOptions } from './opening.js';
import { ProgressMethods } from './progress.js';
import { RecallMethods } from './recall.js';
import { UpkeepMethods } from './upkeep.js';

/** Only this module can construct memories; everyone else opens them. */
const key = Symbol('open');

/** The methods defined in other files, see {@link mix} below. */
export interface Memory
  extends DerivedMethods, RecallMethods, UpkeepMethods, ProgressMethods {}

/** The longest time of a timer, in milliseconds; Node runs one with a longer time at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * A memory: a searchable log of events, kept in one folder.
 *
 * Each function that accesses the disk has two forms. The plain one runs on a libuv worker
 * and returns a promise; the one whose name ends in `Sync` blocks, which suits a
 * short-lived hook. Both fail with a {@link MemoryError}. Every function can be called at
 * any time, even while others are running, and several processes and worker threads can
 * have the same folder open.
 *
 * ```js
 * const memory = await Memory.open('./memory');
 * await memory.append({ kind: 'user_prompt', session: 's1', content: 'We deploy on Fridays.' });
 * const { items } = await memory.search('when do we deploy?');
 * await memory.close();
 * ```
 */
export class Memory {
  readonly #native: NativeMemory;
  /** Reports the memory's work to the program. */
  readonly #logger: Logger | undefined;
  /** Calls on workers, which `close` lets finish. */
  #running = 0;
  #onIdle: (() => void) | undefined;
  #closing: Promise<void> | undefined;
  /** What to do when it is being closed. */
  readonly #onClosing = new Set<() => void>();
  /** How long `close` waits for calls that wait for the embedder. */
  readonly #patienceMs: number;

  /** Use {@link Memory.open}. */
  private constructor(
    given: symbol,
    handle: NativeMemory,
    embedder: Ask | undefined,
    logger: Logger | undefined,
    patienceMs = 5_000,
  ) {
    if (given !== key) {
      throw new MemoryError('unsupported', 'call Memory.open or Memory.openSync instead');
    }
    this.#native = handle;
    this.#logger = logger;
    this.#patienceMs = patienceMs;
    attach(this, {
      open: () => this.#open(),
      read: (options, start) => this.#read(options, start),
      write: (options, start) => this.#write(options, start),
      whileOpen: (signal, ask) => this.#whileOpen(signal, ask),
      embedder,
    });
  }

  /**
   * Opens the memory in the folder `path` (a path or a `file:` URL). Creates it if it does
   * not exist.
   *
   * @throws {MemoryError} `invalid_argument`, `not_found` (with `create: false`),
   * `permission_denied`, `busy`, `corrupt`, `newer_format`, `io`; `unsupported`
   * when there is no build for this platform.
   */
  static async open(path: string | FileUrl, options?: OpenOptions & CallOptions): Promise<Memory> {
    const { signal, rest } = splitSignal(options);
    const folder = pathOf('path', path);
    const { options: settings, embedder, onLog } = openOptions(rest);
    const own = embedder === undefined ? undefined : embedderOf(embedder);
    const logger = loggerOf(onLog);
    try {
      // Treated as a write: a memory that a worker is opening must not be lost.
      const handle = await run('write', signal, (cancel) =>
        native().open(folder, settings, cancel, own?.handle, logger?.handle),
      );
      return new Memory(key, handle, own?.ask, logger, settings.options?.embeddingTimeoutMs);
    } catch (error) {
      logger?.end();
      throw error;
    }
  }

  /** Like {@link Memory.open}, but blocking. */
  static openSync(path: string | FileUrl, options?: OpenOptions): Memory {
    const folder = pathOf('path', path);
    const { options: settings, embedder, onLog } = openOptions(options);
    const own = embedder === undefined ? undefined : embedderOf(embedder);
    const logger = loggerOf(onLog);
    try {
      const handle = unwrap(native().openSync(folder, settings, own?.handle, logger?.handle));
      logger?.deliver();
      return new Memory(key, handle, own?.ask, logger, settings.options?.embeddingTimeoutMs);
    } catch (error) {
      logger?.end();
      throw error;
    }
  }

  /**
   * The folder of the memory.
   *
   * @throws {MemoryError} `unsupported` when its path is not UTF-8.
   */
  get path(): string {
    return unwrap(this.#native.path);
  }

  /** The project that the memory was opened for; empty if there is none. */
  get project(): string {
    return this.#native.project;
  }

  /** Whether the memory is open; false from the moment that closing begins. */
  get isOpen(): boolean {
    return this.#closing === undefined && this.#native.isOpen;
  }

  /**
   * Appends several events in one transaction: either all of them or, if one is refused,
   * none. Receipts are in the order of the events. A long batch is read over several turns
   * of the event loop; do not change its events until the promise settles.
   *
   * Growth: By the events of the batch.
   *
   * @throws {MemoryError} As {@link Memory.append}; with several events, `argument` names the
   * index as well.
   */
  async appendBatch(events: readonly NewEvent[], options?: CallOptions): Promise<Appended[]> {
    const signal = onlySignal(options);
    const given = array('events', events);
    const memory = this.#open();
    return this.#track(async () => {
      const batch = new (native().NativeBatch)();
      await giveInParts(given, signal, (part, from) => batch.push(newEvents(part, from)));
      const receipts = await run('write', signal, (cancel) => memory.appendBatch(batch, cancel));
      return takeInParts(receipts, (receipt) => receipt as Appended);
    });
  }

  /** Like {@link Memory.appendBatch}, but blocking. */
  appendBatchSync(events: readonly NewEvent[]): Appended[] {
    const checked = newEvents(array('events', events), 0);
    const batch = new (native().NativeBatch)();
    batch.push(checked);
    return takeAll(unwrap(this.#open().appendBatchSync(batch)), (receipt) => receipt as Appended);
  }

  /**
   * Returns the events that match a filter, in order of time. Events are read one by one as
   * you iterate; however many there are, only one of them is in memory at a time. Each step
   * sees the store as it is at that moment: an event that was forgotten or erased before
   * the step is not returned, and one that was appended in the meantime is, if its place is
   * still ahead. Errors are thrown by a step, including those about the filter.
   *
   * ```js
   * for await (const event of memory.events({ session: 's1' })) console.log(event.content);
   * ```
   *
   * Growth: By result: the rarest of the conditions is walked, one event at a time.
   *
   * @throws {MemoryError} `invalid_argument`, `closed`, `corrupt`, `io`.
   */
  async *events(filter?: EventFilter & CallOptions): AsyncGenerator<Event, void, undefined> {
    const { signal, rest } = splitSignal(filter);
    const checked = fields.eventFilter('filter', rest, '');
    let opening: ReturnType<NativeMemory['events']> | undefined;
    const cursor = await this.#track(() =>
      run('read', signal, (cancel) => (opening = this.#open().events(checked, cancel))),
    ).catch((error: unknown) => {
      // The signal may have fired while the cursor was being opened.
      opening?.then((late) => unwrap(late).close()).catch(() => {});
      throw error;
    });
    try {
      for (;;) {
        // Closing a memory ends its cursors, which must not look like the end of events.
        this.#open();
        const event = await this.#track(() => run('read', signal, (cancel) => cursor.next(cancel)));
        if (event == null) {
          this.#open();
          return;
        }
        yield parsed.event(event);
      }
    } finally {
      cursor.close();
    }
  }

  /** Like {@link Memory.events}, but blocking. */
  *eventsSync(filter?: EventFilter): Generator<Event, void, undefined> {
    const checked = fields.eventFilter('filter', filter, '');
    const cursor: NativeCursor = unwrap(this.#open().eventsSync(checked));
    try {
      for (;;) {
        this.#open();
        const event = unwrap(cursor.nextSync());
        if (event == null) return;
        yield parsed.event(event);
      }
    } finally {
      cursor.close();
    }
  }

  /**
   * Imports Claude Code transcripts from a `.jsonl` file, a project's folder with the files
   * of its subagents, or the root of such folders. Importing the same transcript again
   * changes nothing, and importing a session that has continued adds the rest.
   *
   * Growth: By what is imported.
   *
   * @throws {MemoryError} `not_found` when there is no transcript at `path`;
   * `io`, `busy` or `full` when the store cannot be written; `callback` when
   * `onProgress` throws. What was stored before stays.
   */
  async importClaudeCode(path: string | FileUrl, options?: ImportOptions): Promise<ImportReport> {
    const { signal, rest } = splitSignal(options);
    const { onProgress, settings } = importOptions(rest);
    const from = pathOf('path', path);
    const cancel = new (native().NativeCancel)();
    let received = 0;
    let failure: { cause: unknown } | undefined;
    const fail = (cause: unknown): void => {
      failure ??= { cause };
      cancel.cancel();
    };
    const tell =
      onProgress &&
      ((progress: ImportProgress): void => {
        received += 1;
        if (failure) return;
        try {
          const answer: unknown = onProgress(progress);
          if (answer === false) cancel.cancel();
          else if (isPromise(answer)) {
            answer.then((later) => later === false && cancel.cancel(), fail);
          }
        } catch (error) {
          fail(error);
        }
      });
    const { report, progressCalls, endedEarly } = await this.#track(() =>
      run('write', signal, () => this.#open().importClaudeCode(from, settings, tell, cancel), cancel),
    );
    // The worker's result may arrive before its last progress calls.
    while (tell && received < progressCalls) await new Promise(setImmediate);
    if (failure) throw callbackError(failure.cause);
    if (endedEarly) signal?.throwIfAborted();
    return report;
  }

  /** Like {@link Memory.importClaudeCode}, but blocking. */
  importClaudeCodeSync(path: string | FileUrl, options?: ImportSyncOptions): ImportReport {
    const { onProgress, settings } = importOptions(options);
    let failure: { cause: unknown } | undefined;
    const tell =
      onProgress &&
      ((progress: ImportProgress): boolean => {
        try {
          return atOnce('onProgress', onProgress(progress)) !== false;
        } catch (error) {
          failure = { cause: error };
          return false;
        }
      });
    const { report } = unwrap(
      this.#open().importClaudeCodeSync(pathOf('path', path), settings, tell),
    );
    if (failure) throw callbackError(failure.cause);
    return report;
  }

  /**
   * Closes the memory. Calls made before this finish first; later calls fail with `closed`.
   * A call that waits for `summarize` fails with `closed` too, and one that waits for an
   * embedder longer than `embeddingTimeoutMs` continues without it. Closing a memory twice
   * is harmless.
   */
  close(): Promise<void> {
    return (this.#closing ??= this.#finish());
  }

  /**
   * Closes the memory immediately. Calls that wait for a worker fail with `closed`. Closing
   * a memory twice is harmless.
   */
  closeSync(): void {
    this.#closing ??= Promise.resolve();
    this.#endWaiting();
    this.#native.releaseEmbedder();
    try {
      unwrap(this.#native.closeSync());
    } finally {
      // Its function may hold this memory.
      this.#native.watchProgress(null);
      this.#logger?.end();
    }
  }

  /** Returns what `JSON.stringify` writes, because a memory itself is not data. */
  toJSON(): { path: string | null; project: string; isOpen: boolean } {
    const path = this.#native.path;
    const shown = typeof path === 'string' ? path : null;
    return { path: shown, project: this.project, isOpen: this.isOpen };
  }

  /** Returns what `console.log` shows. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `Memory ${JSON.stringify(this)}`;
  }

  /** `using memory = Memory.openSync(…)` closes the memory at the end of the block. */
  [Symbol.dispose](): void {
    this.closeSync();
  }

  /** `await using memory = await Memory.open(…)` closes the memory at the end of the block. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #finish(): Promise<void> {
    this.#endWaiting();
    if (this.#running > 0) {
      const patienceMs = Math.min(this.#patienceMs, MAX_TIMER_MS);
      const release = setTimeout(() => this.#native.releaseEmbedder(), patienceMs);
      await new Promise<void>((resolve) => (this.#onIdle = resolve));
      clearTimeout(release);
    }
    try {
      unwrap(await this.#native.close());
    } finally {
      this.#native.watchProgress(null);
      this.#logger?.end();
    }
  }

  #endWaiting(): void {
    for (const end of this.#onClosing) end();
    this.#onClosing.clear();
  }

  /** Asks the program and awaits its answer, unless the memory is closed first. */
  #whileOpen<T>(signal: AbortSignal | undefined, ask: () => Promise<T>): Promise<T> {
    this.#open();
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        this.#onClosing.delete(onClosing);
        unwatch?.();
        settle();
      };
      const onClosing = (): void => end(() => reject(closed()));
      const unwatch = signal && watch(signal, () => end(() => reject(signal.reason)));
      this.#onClosing.add(onClosing);
      // Last: the program may close the memory or fire the signal before it answers.
      ask().then(
        (value) => end(() => resolve(value)),
        (error: unknown) => end(() => reject(error)),
      );
    });
  }

  #open(): NativeMemory {
    if (this.#closing) throw closed();
    return this.#native;
  }

  #read<T>(options: CallOptions | undefined, start: Start<T>): Promise<T> {
    return this.#call('read', options, start);
  }

  #write<T>(options: CallOptions | undefined, start: Start<T>): Promise<T> {
    return this.#call('write', options, start);
  }

  #call<T>(
    kind: 'read' | 'write',
    options: CallOptions | undefined,
    start: Start<T>,
  ): Promise<T> {
    const signal = onlySignal(options);
    return this.#track(() => run(kind, signal, start));
  }

  async #track<T>(call: () => Promise<T>): Promise<T> {
    this.#running += 1;
    try {
      return await call();
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#onIdle?.();
    }
  }
}

mix(Memory, [DerivedMethods, RecallMethods, UpkeepMethods, ProgressMethods]);

/** Checks events of a batch, the first of which has the number `from`. */
function newEvents(events: readonly unknown[], from: number): NativeNewEvent[] {
  return events.map((event, index) => whole(`events[${from + index}]`, event, fields.newEvent));
}

function importOptions(options: unknown): {
  onProgress: ImportOptions['onProgress'];
  settings: NativeImportFields;
} {
  const types = { ...fields.importOptionsFields, onProgress: 'function' } as const;
  const { onProgress, ...settings } = record('options', options, types);
  return { onProgress: onProgress as ImportOptions['onProgress'], settings };
}

function callbackError(cause: unknown): MemoryError {
  return new MemoryError('callback', 'onProgress threw; the import ended early', { cause });
}
