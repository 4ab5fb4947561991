/** The error type of the package. */

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

/**
 * Every error of this package. The `…Sync` functions throw it, and the promises of the
 * others are rejected with it. Messages never contain stored text.
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
   * repairs the other handles of the process too.
   */
  readonly needsReopen: boolean;

  constructor(code: ErrorCode, message: string, details: MemoryErrorDetails = {}) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined);
    this.code = code;
    this.argument = details.argument;
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

/** The error for an argument that is not what the call accepts. */
export function invalid(argument: string, problem: string, cause?: unknown): MemoryError {
  return new MemoryError(
    'invalid_argument',
    `${argument}: ${problem}`,
    cause === undefined ? { argument } : { argument, cause },
  );
}

/** The error for a handle that was closed. */
export function closed(): MemoryError {
  return new MemoryError('closed', 'the memory was closed; open it again', { needsReopen: true });
}
