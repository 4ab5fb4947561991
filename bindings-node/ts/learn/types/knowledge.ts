/** What goes in about tasks, entries and the graph between them, and what is no plain record. */

import type {
  Artifact,
  Condition,
  EntityKind,
  NodeType,
  ResolutionKind,
  ResolutionType,
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

/** What a condition turned out to be. */
export interface ConditionTarget {
  /** The kind of the other entity. */
  readonly kind: EntityKind;
  /** The id of the other entity. */
  readonly id: string;
  /** Why this is believed. */
  readonly resolution: ResolutionType;
  /** How sure, 0 to 1. */
  readonly confidence: number;
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

/** How a conflict ends; the texts pass the privacy filter. */
export interface ConflictVerdict {
  /** The entry that is right; the other one is taken back. */
  readonly inFavourOf: string;
  /** What was found. */
  readonly resolution: string;
  /** Who found it. */
  readonly resolvedBy: string;
}

/** A node of the graph. */
export interface GraphNode {
  /** What kind of thing it is. */
  readonly type: NodeType;
  /** The entry, entity or event. */
  readonly id: string;
}

/** What is known about an edge. */
export interface EdgeOptions {
  /** Anything that can be written as a JSON object; passes the privacy filter. */
  readonly meta?: JsonObject | undefined;
}

/** How many edges a replacement removed and made. */
export interface ReplacedEdges {
  /** Edges that were removed. */
  readonly removed: number;
  /** Edges that were made. */
  readonly added: number;
}

/** An entry that proves something about the same entities as another. */
export interface RelatedEntry {
  /** The entry. */
  readonly entryId: string;
  /** The entities that both prove something about. */
  readonly entityIds: readonly string[];
}

/** An answer to what an uncertain memory means. */
export interface MemoryAnswer {
  /** What became of it. */
  readonly kind: ResolutionKind;
  /** What it means; needed when it is confirmed. */
  readonly resolvedTo?: string | undefined;
  /** How sure, 0 to 1. */
  readonly confidence: number;
}
