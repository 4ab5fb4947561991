/** What recall for agents takes and gives: context, smart search, citations. */

import type { ContextFields, SmartSearchFields } from './generated/types.js';
import type { TokenCounter } from './option-types.js';
import type { CallOptions, SearchFilter } from './types.js';

/** What context is asked for. */
export interface ContextSettings extends Omit<SearchFilter, 'minRelevance'>, ContextFields {
  /** Only memories of this session. Default: of every session. */
  readonly fromSession?: string | undefined;
  /**
   * Counts tokens instead of the estimate; called several times, on the thread
   * of the caller. What it throws makes the call fail with `callback`.
   */
  readonly countTokens?: TokenCounter | undefined;
}

/** As {@link ContextSettings}, of an asynchronous call. */
export interface ContextOptions extends ContextSettings, CallOptions {}

/** How a smart search expands what it finds. */
export interface SmartSearchSettings extends SearchFilter, SmartSearchFields {
  /** Only this session. */
  readonly session?: string | undefined;
  /** Counts tokens instead of the estimate; see {@link ContextSettings.countTokens}. */
  readonly countTokens?: TokenCounter | undefined;
}

/** As {@link SmartSearchSettings}, of an asynchronous call. */
export interface SmartSearchOptions extends SmartSearchSettings, CallOptions {}
