/** Types of the functions that need no memory. */

import type { EventKind } from '../../generated/types.js';
import type { TimeInput } from '../../types.js';

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
