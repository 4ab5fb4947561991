/** The error type of the package. */

import { inspect } from 'node:util';

import type { ErrorCode } from './generated/types.js';

/** The details of a {@link MemoryError}. */
export interface MemoryErrorDetails {
  /** The argument that was wrong. */
  readonly argument?: string | undefined;
  /** Whether the same call may succeed later. Default: false. */
  readonly retryable?: boolean | undefined;
  /** Whether the memory must be reopened first. Default: false. */
  readonly needsReopen?: boolean | undefined;
  /** What caused it. */
  readonly cause?: unknown;
}

/** The longest message, in bytes, and what stands for the rest. */
const MAX_BYTES = 1_000;
const CUT = ' [...] ';
/** What could move a terminal's cursor, or turn the direction of its text. */
const UNSEEN = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/**
 * A message as those of the core: one line, of which the middle is cut if it is too long,
 * because the end says what to do. What it names is the caller's, and may be anything.
 */
function oneLine(message: string): string {
  const line = message.replace(UNSEEN, ' ');
  const bytes = Buffer.from(line);
  if (bytes.length <= MAX_BYTES) return line;
  const isInside = (at: number): boolean => ((bytes[at] ?? 0) & 0xc0) === 0x80;
  let head = MAX_BYTES / 2;
  let tail = bytes.length - (MAX_BYTES / 2 - CUT.length);
  while (isInside(head)) head -= 1;
  while (isInside(tail)) tail += 1;
  return bytes.toString('utf8', 0, head) + CUT + bytes.toString('utf8', tail);
}

/**
 * Every error of this package. The `…Sync` functions throw it, and the promises of the
 * others are rejected with it. A message is one line of at most 1,000 bytes, without control
 * characters, and never contains stored text.
 */
export class MemoryError extends Error {
  /** The kind of error. */
  readonly code: ErrorCode;
  /** The argument that was wrong, if the error is about one. */
  readonly argument: string | undefined;
  /** Whether the same call may succeed later without any other change. */
  readonly retryable: boolean;
  /**
   * Whether the memory must be reopened before anything else. After `needs_reopen`, that
   * repairs the other handles of the process too, unless their folder was moved, removed or
   * replaced.
   */
  readonly needsReopen: boolean;

  constructor(code: ErrorCode, message: string, details: MemoryErrorDetails = {}) {
    super(oneLine(message), 'cause' in details ? { cause: details.cause } : undefined);
    this.code = code;
    this.argument = details.argument === undefined ? undefined : oneLine(details.argument);
    this.retryable = details.retryable ?? false;
    this.needsReopen = details.needsReopen ?? false;
  }

  static {
    // On the prototype and not an own property, as for built-in errors.
    Object.defineProperty(this.prototype, 'name', {
      value: 'MemoryError',
      configurable: true,
      writable: true,
    });
  }
}

/** The longest name of an argument that is shown whole; an unknown field may have any name. */
const MAX_NAME_LENGTH = 100;

function short(name: string): string {
  if (name.length <= MAX_NAME_LENGTH) return name;
  return (name.slice(0, MAX_NAME_LENGTH / 2) + CUT + name.slice(-MAX_NAME_LENGTH / 4)).toWellFormed();
}

/** The error for an argument that is not what the call accepts. */
export function invalid(given: string, problem: string, cause?: unknown): MemoryError {
  const argument = short(given);
  return new MemoryError(
    'invalid_argument',
    `${argument}: ${problem}`,
    cause === undefined ? { argument } : { argument, cause },
  );
}

/** Warns of what a function of the program threw that nobody waits for. */
export function warn(message: string, cause: unknown): void {
  process.emitWarning(message, { type: 'RecalliteWarning', detail: inspect(cause) });
}

/** The error for a handle that was closed. */
export function closed(): MemoryError {
  return new MemoryError('closed', 'the memory was closed; open it again', { needsReopen: true });
}
