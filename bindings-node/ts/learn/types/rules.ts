/** Types of the functions that need no memory. */

import type { EntityKind, EventKind, Level, TaskStatus } from '../../generated/types.js';
import type { JsonValue, TimeInput } from '../../types.js';

/** The parts of the key of a task, condition or artifact. */
export interface EntityKeyParts {
  /** What the key names. */
  readonly kind: EntityKind;
  /** The project of a task or condition; `null` for an artifact. */
  readonly project: string | null;
  /** The identity within its kind and project. */
  readonly identifier: string;
}

/** An event as the summary of a session sees it. */
export interface SpokenEvent {
  /** What it records; prompts and responses are counted. */
  readonly kind: EventKind;
  /** Its text. */
  readonly content: string;
}

/** One memory of a block of citations. */
export interface CitedMemory {
  /** The text to show. */
  readonly content: string;
  /** Its citation, without `mem:`. */
  readonly citation: string;
  /** When it was made; its date is shown in UTC. */
  readonly timestamp: TimeInput;
  /** The session it belongs to; its first 6 characters are shown. */
  readonly session: string;
}

/** What the match score of a candidate is made of. */
export interface MatchParts {
  /** Semantic similarity, 0 to 1. */
  readonly semantic: number;
  /** Lexical score, 0 to 1. */
  readonly lexical: number;
  /** The memory's age, in days. */
  readonly ageDays: number;
  /** Whether the memory is still in force. Default: true. */
  readonly isActive?: boolean | undefined;
}

/** What may be done with the best of several candidates. */
export interface MatchList {
  /** The place of the best candidate in the list given; `null` when there is no match. */
  readonly matched: number | null;
  /** `high`: use it; `suggested`: offer it and ask; `none`. */
  readonly class: 'high' | 'suggested' | 'none';
  /** How far the second candidate is behind; `null` with fewer than two. */
  readonly gap: number | null;
  /** The places of up to three further candidates, when the match is only suggested. */
  readonly alternatives: readonly number[];
}

/** What becomes of a task's requested move. */
export interface Transition {
  /** `no_change`: it stands there already. */
  readonly outcome: 'accepted' | 'no_change' | 'rejected';
  /** Where the task stands afterwards; a refused move from pending to done makes it in_progress. */
  readonly effectiveStatus: TaskStatus;
  /** Why the move was refused, if it was. */
  readonly rejectedReason: string | null;
}

/** Whether a memory rises one level. */
export interface Evaluation {
  /** The level it would rise to; `null` at the top. */
  readonly next: Level | null;
  /** Whether it rises. */
  readonly passed: boolean;
  /** The first criterion that failed. */
  readonly failedOn: 'access_count' | 'confidence' | 'cross_session_refs' | 'age' | 'evidence' | null;
  /** Why not, in words; empty when it rises. */
  readonly reason: string;
}

/** An event as the search for insights sees it. */
export interface InsightEvent {
  /** The event's id. */
  readonly id: string;
  /** Whether it is a user's prompt: only those tell preferences. */
  readonly isUserPrompt: boolean;
  /** The text. */
  readonly content: string;
  /** The canonical key of the text. */
  readonly canonicalKey: string;
}

/** What the decision to consolidate looks at. */
export interface ConsolidationTrigger {
  /** Time since the last consolidation, in milliseconds. */
  readonly sinceLastMs: number;
  /** Events in the working set. */
  readonly workingSetSize: number;
  /** Time since the last event, in milliseconds. */
  readonly idleMs: number;
}

/** What a stretch of conversation was about. */
export interface ContextSnapshot {
  /** The name of the context. Default: none. */
  readonly id?: string | undefined;
  /** When it was taken. */
  readonly timestamp: TimeInput;
  /** What it was about. Default: nothing. */
  readonly topics?: readonly string[] | undefined;
  /** The files that were named. Default: none. */
  readonly files?: readonly string[] | undefined;
  /** The things that were named. Default: none. */
  readonly entities?: readonly string[] | undefined;
}

/** A call of a tool that has ended. */
export interface FinishedCall {
  /** The tool's name, for example `Read`. */
  readonly name: string;
  /** The arguments. Default: none. */
  readonly input?: JsonValue | undefined;
  /** What the tool returned, as text. Default: nothing. */
  readonly output?: string | undefined;
  /** Whether it succeeded. Default: true. */
  readonly success?: boolean | undefined;
}
