/** What goes in about tasks, entries and the graph between them, and what is no plain record. */

import type {
  Artifact,
  Condition,
  Task,
} from '../../generated/types.js';
import type { JsonObject, ProjectFilter } from '../../types.js';

/** A task, condition or artifact; `kind` says which. */
export type Entity =
  | { readonly kind: 'task'; readonly task: Task }
  | { readonly kind: 'condition'; readonly condition: Condition }
  | { readonly kind: 'artifact'; readonly artifact: Artifact };

/** Which tasks or conditions are wanted, and how many. Every field that is given must hold. */
export interface ListFilter extends ProjectFilter {
  /** At most this many. Default: 1,000. */
  readonly limit?: number | undefined;
}

/** How a task is moved. */
export interface StatusChangeOptions {
  /**
   * What holds it up, in free words, when it is moved to `blocked`. Default: a
   * placeholder stands there until somebody says it.
   */
  readonly blockedBy?: readonly string[] | undefined;
}

/** How much an extraction request may hold. */
export interface ExtractionRequestOptions {
  /** Estimated tokens of the prompt, at least 2,000. Default: 8,000. */
  readonly budgetTokens?: number | undefined;
}

/** Why two entries are said to disagree. */
export interface ContradictOptions {
  /** In words; passes the privacy filter. */
  readonly reason?: string | undefined;
}

/** What is known about an edge. */
export interface EdgeOptions {
  /** Anything that can be written as a JSON object; passes the privacy filter. */
  readonly meta?: JsonObject | undefined;
}
