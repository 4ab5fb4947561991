/** Types of levels and of the endless mode. */

import type { Event } from '../../types.js';

/**
 * How far a memory rose by being used: `L0` raw, `L1` structured, `L2`
 * candidate, `L3` verified, `L4` active, the first choice for injection.
 */
export type Level = 'L0' | 'L1' | 'L2' | 'L3' | 'L4';

/** How an event was used. */
export interface Usage {
  /** How often. */
  readonly accessCount: number;
  /** The highest confidence seen, 0 to 1. */
  readonly confidence: number;
  /** From how many other sessions. */
  readonly crossSessionRefs: number;
  /** Days since the last access. */
  readonly daysSinceLastAccess: number;
}

/** How an event stands in the levels. */
export interface EventLevel {
  /** How far it rose. */
  readonly level: Level;
  /** How it was used; `null` when it never was. */
  readonly usage: Usage | null;
}

/** How many conversation events lie at each level. */
export type LevelCounts = Readonly<Record<Level, number>>;

/** An event that moved to another level. */
export interface LevelMove {
  /** The event. */
  readonly eventId: string;
  /** Its new level. */
  readonly level: Level;
}

/** Something that events, taken together, give away. */
export interface Insight {
  /** What it tells: something that comes up again and again, or what the user likes. */
  readonly kind: 'pattern' | 'preference';
  /** The same insight has the same key. */
  readonly key: string;
  /** In words. */
  readonly content: string;
  /** How sure, 0 to 1. */
  readonly confidence: number;
  /** The ids of the events it comes from. */
  readonly sources: readonly string[];
}

/** What a step of graduation did. */
export interface Graduated {
  /** Events that were judged. */
  readonly judged: number;
  /** Events that rose. */
  readonly promoted: readonly LevelMove[];
  /** Events that sank. */
  readonly demoted: readonly LevelMove[];
  /** Insights that are new or better founded than before. */
  readonly insights: readonly Insight[];
  /** Events that still wait to be judged. */
  readonly waiting: number;
}

/** How a memory treats conversations: each is a session of its own, or all are one. */
export type MemoryMode = 'session' | 'endless';

/** What is in the working set. */
export interface WorkingSetPolicy {
  /** At most this many events, 1 to 10,000. Default: 100. */
  readonly maxEvents: number;
  /** How long an event stays, in milliseconds. Default: 24 hours. */
  readonly timeWindowMs: number;
  /** Events less relevant than this, 0 to 1, are not taken in. Default: 0.5. */
  readonly minRelevanceScore: number;
}

/** When and how memories are made of what is in the working set. */
export interface ConsolidationPolicy {
  /** After so long since the last time, in milliseconds. Default: 1 hour. */
  readonly triggerIntervalMs: number;
  /** At so many events in the working set. Default: 100. */
  readonly triggerEventCount: number;
  /** After so long without anything new, in milliseconds. Default: 30 minutes. */
  readonly triggerIdleMs: number;
  /** A topic with fewer events than this waits for more. Default: 10. */
  readonly minEvents: number;
  /** A summary has at most this many characters. Default: 1,000. */
  readonly maxSummaryChars: number;
}

/** How much an agent is given at its start. */
export interface InjectionPolicy {
  /** Events less relevant than this, 0 to 1, are left out. Default: 0.7. */
  readonly minRelevance: number;
  /** At most this many events. Default: 10. */
  readonly maxEvents: number;
  /** At most this many consolidated memories. Default: 3. */
  readonly maxMemories: number;
}

/** The limits of the endless mode. */
export interface EndlessConfig {
  /** What is in the working set. */
  readonly workingSet: WorkingSetPolicy;
  /** When and how memories are made of it. */
  readonly consolidation: ConsolidationPolicy;
  /** How much an agent is given. */
  readonly injection: InjectionPolicy;
}

/** Each of these may be left out. */
type Some<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** Limits of the endless mode to be set; what is left out gets its default. */
export interface EndlessConfigInput {
  /** What is in the working set. */
  readonly workingSet?: Some<WorkingSetPolicy> | undefined;
  /** When and how memories are made of it. */
  readonly consolidation?: Some<ConsolidationPolicy> | undefined;
  /** How much an agent is given. */
  readonly injection?: Some<InjectionPolicy> | undefined;
}

/** An event in the working set. */
export interface WorkingItem {
  /** The event. */
  readonly eventId: string;
  /** When it came in, in milliseconds since 1970 UTC. */
  readonly addedAt: number;
  /** How much it matters now, 0 to 1. */
  readonly relevance: number;
  /** What it is about. */
  readonly topics: readonly string[];
  /** When it leaves, unless it is used again. */
  readonly expiresAt: number;
}

/** A memory that was made of events, or of a session's summary. */
export interface ConsolidatedMemory {
  /** Its identity. */
  readonly memoryId: string;
  /** What happened, in words. */
  readonly summary: string;
  /** What it is about. */
  readonly topics: readonly string[];
  /** The ids of the events that it was made of, in the order of time. */
  readonly sourceEvents: readonly string[];
  /** How sure, 0 to 1. */
  readonly confidence: number;
  /** Whether it continues an earlier memory of the same topic. */
  readonly isContinuation: boolean;
  /** When it was made, in milliseconds since 1970 UTC. */
  readonly createdAt: number;
  /** When it was last given to an agent. */
  readonly accessedAt: number | null;
  /** How often it was given to an agent. */
  readonly accessCount: number;
}

/** Which consolidated memories are wanted. */
export interface ConsolidatedFilter {
  /** Only with this text in the summary, letter case ignored; then the surest come first. */
  readonly text?: string | undefined;
}

/** How the present joins what was before: it goes on, another topic near the last, something new. */
export type TransitionType = 'seamless' | 'topic_shift' | 'break';

/** How far one context goes on from another. */
export interface Continuity {
  /** From 0 to 1. */
  readonly score: number;
  /** The score in a word. */
  readonly transition: TransitionType;
  /** Whether it belongs in the log: only where something was before. */
  readonly isLogged: boolean;
}

/** A transition between two contexts. */
export interface ContinuityEntry {
  /** The context before. */
  readonly fromContextId: string;
  /** The context after. */
  readonly toContextId: string;
  /** How far the one goes on from the other, 0 to 1. */
  readonly score: number;
  /** The score in a word. */
  readonly transition: TransitionType;
  /** When it was scored, in milliseconds since 1970 UTC. */
  readonly at: number;
}

/** How the endless mode stands. */
export interface EndlessStatus {
  /** The mode in force. */
  readonly mode: MemoryMode;
  /** The limits in force. */
  readonly config: EndlessConfig;
  /** Events in the working set. */
  readonly workingSet: number;
  /** When an event was last put into the working set, in milliseconds since 1970 UTC. */
  readonly lastActivity: number | null;
  /** What is in the working set is about this, the most frequent first. */
  readonly activeTopics: readonly string[];
  /** The files that the last context named. */
  readonly activeFiles: readonly string[];
  /** The things that the last context named. */
  readonly activeEntities: readonly string[];
  /** The average continuity of the last hour, or 0.5. */
  readonly continuityScore: number;
  /** Consolidated memories. */
  readonly consolidated: number;
  /** When something was last consolidated. */
  readonly lastConsolidation: number | null;
}

/** What to give an agent at its start in the endless mode. */
export interface EndlessContext {
  /** Events in the working set, the most relevant first. */
  readonly workingSet: readonly Event[];
  /** Consolidated memories, the surest first. */
  readonly consolidated: readonly ConsolidatedMemory[];
  /** The average continuity of the last hour, or 0.5. */
  readonly continuityScore: number;
}

/** What a run of consolidation did. */
export interface ConsolidationReport {
  /** Whether it ran at all. */
  readonly ran: boolean;
  /** The ids of the memories that were made. */
  readonly memories: readonly string[];
  /** Events that wait for more of their topic. */
  readonly waiting: number;
}

/** A group of events to be put into words. */
export interface SummaryRequest {
  /** What the events are about. */
  readonly topics: readonly string[];
  /** Their texts, in the order of time. */
  readonly texts: readonly string[];
}

/** How memories are put into words in the background. */
export interface ConsolidateOptions {
  /**
   * Your own summary of a group, for example by a language model. `null`,
   * nothing or a blank text takes the summary made by rules. It passes the
   * privacy filter.
   */
  readonly summarize?:
    | ((group: SummaryRequest) => string | null | undefined | Promise<string | null | undefined>)
    | undefined;
}

/** How memories are put into words while the thread waits. */
export interface ConsolidateSyncOptions {
  /** As for `consolidate`, but it gives its summary at once. */
  readonly summarize?: ((group: SummaryRequest) => string | null | undefined) | undefined;
}
