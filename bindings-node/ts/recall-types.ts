/** What recall for agents takes and gives: context, smart search, citations. */

import type {
  ContextFields,
  Detail,
  EventKind,
  IndexItem,
  LearnedHit,
  LearnedState,
  MatchClass,
  Origin,
  Passage,
  SmartSearchFields,
  SmartSearchMeta,
  TimelineItem,
} from './generated/types.js';
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

/** One memory of a context. */
export interface ContextItem {
  /** The event's id. */
  readonly id: string;
  /** Its position in the log. */
  readonly seq: number;
  /** Its citation, without `mem:`. */
  readonly citation: string;
  /** What it records. */
  readonly kind: EventKind;
  /** Its session. */
  readonly session: string;
  /** Who said or did it. */
  readonly actor: string;
  /** Where the text came from. */
  readonly origin: Origin;
  /** When it happened, in milliseconds since 1970 UTC. */
  readonly timestamp: number;
  /** The part of its content that is shown. */
  readonly passage: Passage;
  /** How likely it answers the query, 0 to 1; `null` for a pinned event. */
  readonly relevance: number | null;
  /**
   * How what was learned from it stands when that no longer holds or is in doubt:
   * `superseded` or `contested`. The text says so.
   */
  readonly state: LearnedState | null;
}

/** Text for an agent's prompt. */
export interface Context {
  /** The fenced text; empty when nothing is good enough or fits. */
  readonly text: string;
  /** The citations in the text, in its order. */
  readonly citations: readonly string[];
  /** The tokens of the text. */
  readonly tokens: number;
  /** How sure the best match is: `none`, `suggested` (the text says so) or `high`. */
  readonly confidence: MatchClass;
  /** The memories in the text, in its order. */
  readonly items: readonly ContextItem[];
  /**
   * What was learned and stands in the text, in its order: behind what is pinned, before
   * the other events.
   */
  readonly learned: readonly LearnedHit[];
  /** True when a deadline, damage or the embedder kept something from being searched. */
  readonly degraded: boolean;
}

/** How a smart search expands what it finds. */
export interface SmartSearchSettings extends SearchFilter, SmartSearchFields {
  /** Only this session. */
  readonly session?: string | undefined;
  /** Counts tokens instead of the estimate; see {@link ContextSettings.countTokens}. */
  readonly countTokens?: TokenCounter | undefined;
}

/** As {@link SmartSearchSettings}, of an asynchronous call. */
export interface SmartSearchOptions extends SmartSearchSettings, CallOptions {}

/** The layers of a smart search as Markdown. */
export interface SmartSearchMarkdown {
  /** All layers that are there, and the hint. */
  readonly whole: string;
  /** The index. */
  readonly index: string;
  /** The timeline; empty without one. */
  readonly timeline: string;
  /** The details; empty without any. */
  readonly details: string;
}

/** What a smart search found: three layers, each only as far as it helps. */
export interface SmartSearchResult {
  /** The results, best first. */
  readonly index: readonly IndexItem[];
  /** What was learned and helps, as a search gives it. */
  readonly learned: readonly LearnedHit[];
  /** What happened around some of them; empty when nothing was added. */
  readonly timeline: readonly TimelineItem[];
  /** Some of them in full; empty when nothing was added. */
  readonly details: readonly Detail[];
  /** Figures. */
  readonly meta: SmartSearchMeta;
  /** What to tell the reader about seeing more; may be empty. */
  readonly hint: string;
  /** How sure the best result is. */
  readonly confidence: MatchClass;
  /** True when a deadline, damage or the embedder kept something from being searched. */
  readonly degraded: boolean;
  /** The same as text. */
  readonly markdown: SmartSearchMarkdown;
}

/** Which popular citations are wanted. */
export interface PopularOptions {
  /** At most this many, 1 to 1,000. Default: 10. */
  readonly limit?: number | undefined;
  /** Looks only at so many days until now. Default: at all. */
  readonly windowDays?: number | undefined;
}

