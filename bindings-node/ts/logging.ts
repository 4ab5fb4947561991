/**
 * What memories report about their work to a function of the program. The records wait in
 * the addon until this thread takes them.
 */

import type { NativeLogger } from '../native';

import { isPromise } from './callbacks.js';
import { unwrap } from './calls.js';
import { invalid } from './errors.js';
import type { LogRecord } from './generated/types.js';
import { native } from './native.js';

/** A memory's log function, and the records waiting for it. */
export interface Logger {
  readonly handle: NativeLogger;
  /** Passes waiting records to the function. */
  deliver(): void;
  /** Does the same for the last time. */
  end(): void;
}

/** Those of open memories: records still waiting are delivered at process exit. */
const loggers = new Set<Logger>();
let isWatchingExit = false;

function watchExit(): void {
  if (isWatchingExit) return;
  isWatchingExit = true;
  process.once('exit', () => loggers.forEach((logger) => logger.end()));
}

/** The logger of the option `onLog`; undefined without it. */
export function loggerOf(onLog: unknown): Logger | undefined {
  if (onLog === undefined || onLog === null) return undefined;
  if (typeof onLog !== 'function') throw invalid('onLog', 'must be a function');
  const tell = onLog as (record: LogRecord) => unknown;
  let hasFailed = false;
  const failed = (): void => {
    if (!hasFailed) process.emitWarning('onLog failed; the log record is lost', 'RecalliteWarning');
    hasFailed = true;
  };
  const deliver = (): void => {
    for (const record of unwrap(handle.take())) {
      try {
        const answer = tell(record as LogRecord);
        // An unhandled rejection would end the process.
        if (isPromise(answer)) answer.then(undefined, failed);
      } catch {
        failed();
      }
    }
  };
  const handle = new (native().NativeLogger)(deliver);
  const logger: Logger = {
    handle,
    deliver,
    end() {
      loggers.delete(logger);
      deliver();
    },
  };
  loggers.add(logger);
  watchExit();
  return logger;
}
