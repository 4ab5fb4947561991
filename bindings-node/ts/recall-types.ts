/** The options and results of recall for agents: context, smart search, citations. */

import type { ContextFields, SmartSearchFields } from './generated/types.js';
import type { TokenCounter } from './option-types.js';
import type { CallOptions, SearchFilter } from './types.js';

/** Options for building context. */
export interface ContextSettings extends Omit<SearchFilter, 'minRelevance'>, ContextFields {
  /** Keeps only memories of this session. Default: all sessions. */
  readonly fromSession?: string | undefined;
  /**
   * Counts tokens, in place of the estimate. It is called several times, on the caller's
   * thread. If it throws, the call fails with `callback`.
   */
  readonly countTokens?: TokenCounter | undefined;
}

/** {@link ContextSettings} for an asynchronous call. */
export interface ContextOptions extends ContextSettings, CallOptions {}

/** Options that control how a smart search expands what it finds. */
export interface SmartSearchSettings extends Omit<SearchFilter, 'minRelevance'>, SmartSearchFields {
  /** Keeps only events of this session. */
  readonly session?: string | undefined;
  /** Counts tokens, in place of the estimate; see {@link ContextSettings.countTokens}. */
  readonly countTokens?: TokenCounter | undefined;
}

/** {@link SmartSearchSettings} for an asynchronous call. */
export interface SmartSearchOptions extends SmartSearchSettings, CallOptions {}
