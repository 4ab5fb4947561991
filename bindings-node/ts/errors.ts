/** The one error type of the package. */

/**
 * What kind of thing went wrong: the same stable text in every language.
 *
 * - `invalid_argument`: an argument is outside what the call accepts; `argument` names it.
 * - `not_found`: the named event, citation or session does not exist here.
 * - `already_exists`: something with this name or key exists already.
 * - `busy`: another process or thread held the store longer than `busyTimeoutMs`.
 * - `corrupt`: bytes on the disk are not what was written.
 * - `io`: the operating system reported an error while reading or writing.
 * - `full`: the disk, or the hard size limit of the store, is full.
 * - `needs_reopen`: the store stopped after an input/output error; open it
 *   again, which heals every handle of the process.
 * - `newer_format`: the store was written by a newer library.
 * - `permission_denied`: the operating system denies access.
 * - `closed`: the memory was closed.
 * - `unsupported`: the feature is not built in, or this platform has no build.
 * - `poisoned`: an earlier defect left this handle unusable; open the memory again.
 * - `embedder`: the embedder failed; lexical recall still works.
 * - `invalid_transition`: a task or job cannot move between these two states.
 * - `invariant_violation`: the change would break a rule that the data must always keep.
 * - `callback`: a callback of yours threw; `cause` is what it threw.
 * - `internal`: a defect of this library; please report it with the message.
 */
export type ErrorCode =
  | 'invalid_argument'
  | 'not_found'
  | 'already_exists'
  | 'busy'
  | 'corrupt'
  | 'io'
  | 'full'
  | 'needs_reopen'
  | 'newer_format'
  | 'permission_denied'
  | 'closed'
  | 'unsupported'
  | 'poisoned'
  | 'embedder'
  | 'invalid_transition'
  | 'invariant_violation'
  | 'callback'
  | 'internal';

/** What a {@link MemoryError} is made of. */
export interface MemoryErrorDetails {
  /** The argument that was wrong. */
  readonly argument?: string | undefined;
  /** Whether the same call may succeed later. Default: false. */
  readonly retryable?: boolean | undefined;
  /** Whether the memory must be opened again first. Default: false. */
  readonly needsReopen?: boolean | undefined;
  /** What caused it. */
  readonly cause?: unknown;
}

/**
 * Every error of this package: thrown by the `…Sync` functions, and what the
 * promises of the others are rejected with. Messages never contain stored text.
 */
export class MemoryError extends Error {
  /** What kind of thing went wrong. */
  readonly code: ErrorCode;
  /** The argument that was wrong, when the caller was wrong. */
  readonly argument: string | undefined;
  /** Whether the same call may succeed later without any other change. */
  readonly retryable: boolean;
  /**
   * Whether the memory must be opened again before anything else. After
   * `needs_reopen` that heals the other handles of the process too.
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
    // On the prototype, as the built-in errors have it: not an own property.
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
