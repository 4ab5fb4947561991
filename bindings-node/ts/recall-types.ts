/** What recall for agents takes and gives: context, smart search, citations. */

import type {
  CitationFormat,
  Detail,
  EventKind,
  IndexItem,
  LearnedHit,
  LearnedState,
  MatchClass,
  Origin,
  Recording,
  SmartSearchMeta,
  TimelineItem,
} from './generated/types.js';
import type { TokenCounter } from './option-types.js';
import type { CallOptions, EventName, Passage, SearchFilter, TimeInput } from './types.js';

/** What context is asked for. */
export interface ContextSettings extends SearchFilter {
  /** The session that the context is for. A prompt just appended to it is not found. */
  readonly session?: string | undefined;
  /** Only memories of this session. Default: of every session. */
  readonly fromSession?: string | undefined;
  /** The most tokens of the whole text, fence and headings included. Default: 2,000. */
  readonly budgetTokens?: number | undefined;
  /** How citations are shown. Default: `inline`. */
  readonly format?: CitationFormat | undefined;
  /** At most this many memories, 1 to 64. Default: 5. */
  readonly limit?: number | undefined;
  /** Events that come first whatever the search finds; unknown ones are passed over. */
  readonly pinned?: readonly EventName[] | undefined;
  /**
   * Leaves out what the session knows: what was said in it from this moment on, and
   * what it was given from then on, pinned events among it. Needs `session`.
   */
  readonly skipKnownSince?: TimeInput | undefined;
  /** When the record of the injection is written. Default: `later`. */
  readonly recording?: Recording | undefined;
  /** Why context was given, for the record. Default: the class of the match. */
  readonly reason?: string | undefined;
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
export interface SmartSearchSettings extends SearchFilter {
  /** Only this session. */
  readonly session?: string | undefined;
  /** At most this many results, 1 to 1,000. Default: 10. */
  readonly limit?: number | undefined;
  /** Results with a lower relevance are left out, 0 to 1. Default: 0, none are. */
  readonly minScore?: number | undefined;
  /** Whether timelines are added. Default: true. */
  readonly autoExpandTimeline?: boolean | undefined;
  /** Whether details are added. Default: true. */
  readonly autoExpandDetails?: boolean | undefined;
  /** At most this many results are expanded. Default: 3. */
  readonly maxAutoExpandCount?: number | undefined;
  /** The tokens that index, timeline and details may have together. Default: 2,000. */
  readonly maxTotalTokens?: number | undefined;
  /** How many events a timeline shows before and after its target, 0 to 100. Default: 3. */
  readonly window?: number | undefined;
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

