/** The endless mode: one conversation without end. */

import type * as Native from '../../native';

import { Area } from '../area.js';
import { atOnce } from '../callbacks.js';
import { splitSignal } from '../calls.js';
import { record, text } from '../check.js';
import { invalid, MemoryError } from '../errors.js';
import { endlessConfig } from '../generated/fields.js';
import { endlessContext } from '../generated/parsed.js';
import type {
  ConsolidatedMemory,
  ConsolidationReport,
  Continuity,
  ContinuityEntry,
  EndlessConfig,
  EndlessConfigInput,
  EndlessContext,
  EndlessStatus,
  MemoryMode,
  WorkingItem,
} from '../generated/types.js';
import { now, read, whileOpen, write } from '../handle.js';
import type { CallOptions } from '../types.js';
import type {
  ConsolidatedFilter,
  ConsolidateOptions,
  ConsolidateSyncOptions,
  SummaryRequest,
} from './types.js';

function given(config: unknown): Native.NativeEndlessConfigInput {
  if (config === undefined || config === null) throw invalid('config', 'is missing');
  return endlessConfig('config', config, '');
}

function textOption(value: unknown): string | undefined {
  return (record('filter', value, { text: 'string' }) as { text?: string }).text;
}

type Summarize<T> = ((group: SummaryRequest) => T) | undefined;

function summarizer<T>(options: unknown): Summarize<T> {
  const { summarize } = record('options', options, { summarize: 'any' });
  if (summarize !== undefined && typeof summarize !== 'function') {
    throw invalid('summarize', `must be a function, not a ${typeof summarize}`);
  }
  return summarize as Summarize<T>;
}

/** What the host said about a group, as the addon takes it. */
function answerTo({ key }: Native.NativeSummaryRequest, said: unknown): Native.NativeSummary {
  if (said === null || said === undefined) return { key };
  return { key, summary: text('summarize', said) };
}

function callbackError(cause: unknown): MemoryError {
  return new MemoryError('callback', 'summarize threw; nothing was stored', { cause });
}

/** The endless mode: a working set, consolidated memories and continuity. */
export class Endless extends Area {
  /**
   * How the memory treats conversations.
   *
   * @throws {MemoryError} `corrupt`, `io`.
   */
  async mode(options?: CallOptions): Promise<MemoryMode> {
    return read(this, options, (memory, cancel) => memory.mode(cancel)) as Promise<MemoryMode>;
  }

  /** As {@link Endless.mode}, blocking. */
  modeSync(): MemoryMode {
    return now(this, (memory) => memory.modeSync()) as MemoryMode;
  }

  /**
   * The session under which what happens now belongs: in the endless mode the
   * day's, `endless_YYYY-MM-DD` by local time; otherwise `session`.
   *
   * @throws {MemoryError} `invalid_argument`, `corrupt`, `io`.
   */
  async sessionNow(session: string, options?: CallOptions): Promise<string> {
    const given = text('session', session);
    return read(this, options, (memory, cancel) => memory.sessionNow(given, cancel));
  }

  /** As {@link Endless.sessionNow}, blocking. */
  sessionNowSync(session: string): string {
    const given = text('session', session);
    return now(this, (memory) => memory.sessionNowSync(given));
  }

  /**
   * Changes the mode. To `endless`: the events of the last 7 days come on the
   * table, each session's summary becomes a memory, and one consolidation is
   * run. Back to `session`: only the mode changes, nothing is lost.
   *
   * @throws {MemoryError} `invalid_argument`, `busy`, `full`, `io`.
   */
  async setMode(mode: MemoryMode, options?: CallOptions): Promise<void> {
    const wanted = text('mode', mode);
    return write(this, options, (memory, cancel) => memory.setMode(wanted, cancel));
  }

  /** As {@link Endless.setMode}, blocking. */
  setModeSync(mode: MemoryMode): void {
    const wanted = text('mode', mode);
    now(this, (memory) => memory.setModeSync(wanted));
  }

  /**
   * The limits of the endless mode.
   *
   * @throws {MemoryError} `corrupt`, `io`.
   */
  async config(options?: CallOptions): Promise<EndlessConfig> {
    return read(this, options, (memory, cancel) =>
      memory.endlessConfig(cancel),
    ) as Promise<EndlessConfig>;
  }

  /** As {@link Endless.config}, blocking. */
  configSync(): EndlessConfig {
    return now(this, (memory) => memory.endlessConfigSync()) as EndlessConfig;
  }

  /**
   * Changes the limits of the endless mode, all of them: what is left out gets
   * its default.
   *
   * @throws {MemoryError} `invalid_argument` naming the limit that is out of
   * range, for example `workingSet.maxEvents`; `busy`, `full`, `io`.
   */
  async setConfig(config: EndlessConfigInput, options?: CallOptions): Promise<void> {
    const checked = given(config);
    return write(this, options, (memory, cancel) => memory.setEndlessConfig(checked, cancel));
  }

  /** As {@link Endless.setConfig}, blocking. */
  setConfigSync(config: EndlessConfigInput): void {
    const checked = given(config);
    now(this, (memory) => memory.setEndlessConfigSync(checked));
  }

  /**
   * What is in the working set, the most relevant first, then the newest.
   *
   * @throws {MemoryError} `corrupt`, `io`.
   */
  async workingSet(options?: CallOptions): Promise<WorkingItem[]> {
    return read(this, options, (memory, cancel) => memory.workingSet(cancel));
  }

  /** As {@link Endless.workingSet}, blocking. */
  workingSetSync(): WorkingItem[] {
    return now(this, (memory) => memory.workingSetSync());
  }

  /**
   * The consolidated memories, the newest first.
   *
   * @throws {MemoryError} `invalid_argument`, `corrupt`, `io`.
   */
  async memories(
    filter?: ConsolidatedFilter & CallOptions,
  ): Promise<ConsolidatedMemory[]> {
    const { signal, rest } = splitSignal(filter);
    const wanted = textOption(rest);
    return read(this, { signal }, (memory, cancel) =>
      memory.consolidatedMemories(wanted, cancel),
    ) as Promise<ConsolidatedMemory[]>;
  }

  /** As {@link Endless.memories}, blocking. */
  memoriesSync(filter?: ConsolidatedFilter): ConsolidatedMemory[] {
    const wanted = textOption(filter);
    return now(this, (memory) =>
      memory.consolidatedMemoriesSync(wanted),
    ) as ConsolidatedMemory[];
  }

  /**
   * The transitions that were scored, in the order of the log.
   *
   * @throws {MemoryError} `corrupt`, `io`.
   */
  async continuityLog(options?: CallOptions): Promise<ContinuityEntry[]> {
    return read(this, options, (memory, cancel) => memory.continuityLog(cancel)) as Promise<
      ContinuityEntry[]
    >;
  }

  /** As {@link Endless.continuityLog}, blocking. */
  continuityLogSync(): ContinuityEntry[] {
    return now(this, (memory) => memory.continuityLogSync()) as ContinuityEntry[];
  }

  /**
   * Scores how far a text (a prompt, or the beginning of a conversation) goes on
   * from the context before it, and keeps it as the context for the next call,
   * in whatever process that is.
   *
   * @throws {MemoryError} `invalid_argument` naming `contextId` or `text` when
   * it is blank; `busy`, `full`, `io`.
   */
  async scoreContinuity(
    contextId: string,
    content: string,
    options?: CallOptions,
  ): Promise<Continuity> {
    const [id, words] = [text('contextId', contextId), text('text', content)];
    return write(this, options, (memory, cancel) =>
      memory.scoreContinuity(id, words, cancel),
    ) as Promise<Continuity>;
  }

  /** As {@link Endless.scoreContinuity}, blocking. */
  scoreContinuitySync(contextId: string, content: string): Continuity {
    const [id, words] = [text('contextId', contextId), text('text', content)];
    return now(this, (memory) => memory.scoreContinuitySync(id, words)) as Continuity;
  }

  /**
   * How the endless mode stands.
   *
   * @throws {MemoryError} `corrupt`, `io`.
   */
  async status(options?: CallOptions): Promise<EndlessStatus> {
    return read(this, options, (memory, cancel) =>
      memory.endlessStatus(cancel),
    ) as Promise<EndlessStatus>;
  }

  /** As {@link Endless.status}, blocking. */
  statusSync(): EndlessStatus {
    return now(this, (memory) => memory.endlessStatusSync()) as EndlessStatus;
  }

  /**
   * What to give an agent at its start: events in the working set and consolidated
   * memories. That they were given is noted.
   *
   * @throws {MemoryError} `corrupt`, `io`.
   */
  async context(options?: CallOptions): Promise<EndlessContext> {
    return endlessContext(await read(this, options, (memory, cancel) => memory.endlessContext(cancel)));
  }

  /** As {@link Endless.context}, blocking. */
  contextSync(): EndlessContext {
    return endlessContext(now(this, (memory) => memory.endlessContextSync()));
  }

  /**
   * Makes memories of what is in the working set, whether it is due or not. With
   * `summarize` they are in your own words: it is called for one group of
   * events after the other, no worker waits for it, and nothing is stored
   * before it has answered for all of them.
   *
   * ```js
   * await memory.consolidate({
   *   summarize: ({ topics, texts }) => askModel(`Sum up: ${texts.join('\n')}`),
   * });
   * ```
   *
   * @throws {MemoryError} `callback` when `summarize` throws or rejects, with
   * `cause`; `invalid_argument` when it gives anything but text; `closed`
   * when the memory is closed meanwhile; nothing is stored then. `busy`, `full`,
   * `io`.
   */
  async consolidate(options?: ConsolidateOptions & CallOptions): Promise<ConsolidationReport> {
    const { signal, rest } = splitSignal(options);
    const summarize = summarizer<unknown>(rest);
    const answers: Native.NativeSummary[] | undefined = summarize && [];
    for (;;) {
      const { report, request } = await write(this, { signal }, (memory, cancel) =>
        memory.consolidate(answers, cancel),
      );
      if (!request || !summarize) return report as ConsolidationReport;
      signal?.throwIfAborted();
      const { topics, texts } = request;
      const asked = (async () => summarize({ topics, texts }))().catch((error: unknown) => {
        throw callbackError(error);
      });
      answers?.push(answerTo(request, await whileOpen(this, signal, asked)));
    }
  }

  /** As {@link Endless.consolidate}, blocking. */
  consolidateSync(options?: ConsolidateSyncOptions): ConsolidationReport {
    const summarize = summarizer<unknown>(options);
    const answers: Native.NativeSummary[] | undefined = summarize && [];
    for (;;) {
      const { report, request } = now(this, (memory) => memory.consolidateSync(answers));
      if (!request || !summarize) return report as ConsolidationReport;
      const { topics, texts } = request;
      let said: unknown;
      try {
        said = summarize({ topics, texts });
      } catch (error) {
        throw callbackError(error);
      }
      answers?.push(answerTo(request, atOnce('summarize', said)));
    }
  }
}
