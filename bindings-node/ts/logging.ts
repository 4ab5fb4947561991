/**
 * What memories report about their work to a function of the program. The records wait in
 * the addon until this thread takes them.
 */

import type { NativeLogger } from '../native';

import { unwrap } from './calls.js';
import { isPromise } from './check.js';
import { warn } from './errors.js';
import type { LogRecord } from './generated/types.js';
import { native } from './native.js';

/**
 * Those of open memories: records still waiting are delivered at process exit. Neither this
 * set nor the addon keeps a log function alive, because it may mention its memory, which
 * would then never be collected.
 */
const loggers = new Set<WeakRef<Logger>>();
let isWatchingExit = false;

function watch(logger: WeakRef<Logger>): void {
  for (const other of loggers) if (!other.deref()) loggers.delete(other);
  loggers.add(logger);
  if (isWatchingExit) return;
  isWatchingExit = true;
  process.once('exit', () => loggers.forEach((held) => held.deref()?.end()));
}

function waker(held: WeakRef<Logger>): () => void {
  return () => held.deref()?.deliver();
}

/** A memory's log function, and the records waiting for it. */
export class Logger {
  readonly handle: NativeLogger;
  readonly #tell: (record: LogRecord) => unknown;
  readonly #held = new WeakRef(this);
  #hasFailed = false;

  constructor(tell: (record: LogRecord) => unknown) {
    this.#tell = tell;
    this.handle = new (native().NativeLogger)(waker(this.#held));
    watch(this.#held);
  }

  /** Passes waiting records to the function. */
  deliver(): void {
    for (const record of unwrap(this.handle.take())) {
      try {
        const answer = this.#tell.call(undefined, record as LogRecord);
        // An unhandled rejection would end the process.
        if (isPromise(answer)) answer.then(undefined, (error) => this.#failed(error));
      } catch (error) {
        this.#failed(error);
      }
    }
  }

  /** Does the same for the last time. */
  end(): void {
    loggers.delete(this.#held);
    this.deliver();
  }

  #failed(error: unknown): void {
    if (!this.#hasFailed) warn('onLog failed; the log record is lost', error);
    this.#hasFailed = true;
  }
}

/** The logger of the option `onLog`; undefined without it. */
export function loggerOf(onLog: unknown): Logger | undefined {
  return onLog === undefined ? undefined : new Logger(onLog as (record: LogRecord) => unknown);
}
