/** Types of tasks, entries and the graph between them. */

import type { Event, JsonObject, ProjectFilter, TimeInput } from '../../types.js';
import type { EntryType, EvidenceReport, Priority, Stage, TaskStatus } from './evidence.js';

/** The three kinds of things that change by events: to do, to become true, elsewhere. */
export type EntityKind = 'task' | 'condition' | 'artifact';

/** What an artifact is. */
export type ArtifactKind = 'url' | 'jira' | 'github_issue' | 'generic';

/** How sure it is that a blocker's words mean its entity. */
export type BlockerConfidence = 'high' | 'suggested' | 'none';

/** A task that some words may mean. */
export interface TaskCandidate {
  /** The task. */
  readonly entityId: string;
  /** Its title when it was proposed. */
  readonly title: string;
  /** How near it is, 0 to 1. */
  readonly score: number;
}

/** What holds a task up. */
export interface BlockerRef {
  /** What kind of entity it is. */
  readonly kind: EntityKind;
  /** The entity. */
  readonly entityId: string;
  /** The words that named it. */
  readonly rawText: string;
  /** How sure the reading is. */
  readonly confidence: BlockerConfidence;
  /** Tasks that the words may mean, best first, when the confidence is `none`. */
  readonly candidates: readonly TaskCandidate[];
}

/** A task as its events made it. */
export interface Task {
  /** Its identity; it stays when the title changes. */
  readonly id: string;
  /** The project it belongs to; `default` for none. */
  readonly project: string;
  /** `task:{project}:{title}`, of the present title. */
  readonly canonicalKey: string;
  /** What it is called. */
  readonly title: string;
  /** More about it. */
  readonly description: string | null;
  /** How urgent it is. */
  readonly priority: Priority;
  /** Where it stands. */
  readonly status: TaskStatus;
  /** What holds it up, confirmed; empty unless it is blocked. */
  readonly blockers: readonly BlockerRef[];
  /** What may hold it up: said without evidence. */
  readonly blockerSuggestions: readonly BlockerRef[];
  /** When it was first heard of, in milliseconds since 1970 UTC. */
  readonly createdAt: number;
  /** When it last changed, in milliseconds since 1970 UTC. */
  readonly updatedAt: number;
}

/** What really blocks a task. */
export interface EffectiveBlocker {
  /** What the task names. */
  readonly originalId: string;
  /** What stands in the way: the original, or what that condition turned out to be. */
  readonly effectiveId: string;
  /** The kind of what stands in the way; `null` when it is unknown. */
  readonly effectiveKind: EntityKind | null;
  /** Whether a condition was replaced by what it turned out to be. */
  readonly resolved: boolean;
}

/** A task with all that is known about it. */
export interface TaskDetail {
  /** The task. */
  readonly task: Task;
  /** What stands in the way, conditions replaced by what they turned out to be. */
  readonly effectiveBlockers: readonly EffectiveBlocker[];
  /** The acts on it, in the order of the log. */
  readonly history: readonly Event[];
}

/** A blocked task and what really blocks it. */
export interface BlockedTask {
  /** The task. */
  readonly task: Task;
  /** What stands in the way, conditions replaced by what they turned out to be. */
  readonly blockers: readonly EffectiveBlocker[];
}

/** Something that must become true before a task can go on. */
export interface Condition {
  /** Its identity. */
  readonly id: string;
  /** The project it belongs to. */
  readonly project: string;
  /** `cond:{project}:{text}`. */
  readonly canonicalKey: string;
  /** What was said. */
  readonly text: string;
  /** Tasks that it may mean, best first. */
  readonly candidates: readonly TaskCandidate[];
  /** True when the library made it up because a blocker was not named. */
  readonly autoPlaceholder: boolean;
  /** What it turned out to be. */
  readonly resolvedTo: { readonly kind: EntityKind; readonly id: string } | null;
  /** When it was declared, in milliseconds since 1970 UTC. */
  readonly createdAt: number;
  /** When it last changed, in milliseconds since 1970 UTC. */
  readonly updatedAt: number;
}

/** Something elsewhere that a task waits for. */
export interface Artifact {
  /** Its identity. */
  readonly id: string;
  /** `art:{type}:{identifier}`. */
  readonly canonicalKey: string;
  /** What it is. */
  readonly kind: ArtifactKind;
  /** The address, ticket or issue as it was written. */
  readonly identifier: string;
  /** When it was declared, in milliseconds since 1970 UTC. */
  readonly createdAt: number;
}

/** A task, condition or artifact; `kind` says which. */
export type Entity =
  | { readonly kind: 'task'; readonly task: Task }
  | { readonly kind: 'condition'; readonly condition: Condition }
  | { readonly kind: 'artifact'; readonly artifact: Artifact };

/** Which tasks are wanted. Every field that is given must hold. */
export interface TaskFilter extends ProjectFilter {
  /** Only tasks that stand here. */
  readonly status?: TaskStatus | undefined;
  /** At most this many. Default: 1,000. */
  readonly limit?: number | undefined;
}

/** Why a condition is taken to be another entity. */
export type ResolutionType = 'exact_match' | 'user_confirmed' | 'auto_resolved';

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

/** Whether an entry counts: a `contested` one counts less, the last two no more. */
export type EntryStatus = 'active' | 'contested' | 'deprecated' | 'superseded';

/** A learned entry: what is known, how well it is proved, and when it holds. */
export interface Entry {
  /** Its identity. */
  readonly id: string;
  /** What it tells. */
  readonly entryType: EntryType;
  /** In one line. */
  readonly title: string;
  /** In full. */
  readonly content: string;
  /** How well it is proved. */
  readonly stage: Stage;
  /** Where its quotes stand, from `candidate` on. */
  readonly evidence: EvidenceReport | null;
  /** Who vouched for it, when it is certified. */
  readonly certifiedBy: string | null;
  /** Whether it counts. */
  readonly status: EntryStatus;
  /** The entries that it disagrees with, when it is contested. */
  readonly contestedWith: readonly string[];
  /** The entry that took its place, when it is superseded. */
  readonly supersededBy: string | null;
  /** From when it holds, in milliseconds since 1970 UTC; `null` means always before. */
  readonly validFrom: number | null;
  /** Until when it holds, exclusive; `null` means that no end is known. */
  readonly validTo: number | null;
  /** The canonical key of its title. */
  readonly canonicalKey: string;
  /** The project it belongs to; empty for none. */
  readonly project: string;
  /** The session it was learned from. */
  readonly session: string;
  /** Its name within the extraction. */
  readonly localId: string | null;
  /** How clearly it was said, 0 to 1, as the extractor judged. */
  readonly confidence: number | null;
  /** The run that made it. */
  readonly buildId: string | null;
  /** When it was learned, in milliseconds since 1970 UTC. */
  readonly createdAt: number;
  /** The position of the event that made it. */
  readonly seq: number;
}

/** An entry that a search found. */
export interface EntryHit {
  /** The entry that counts. */
  readonly entry: Entry;
  /** How much of the question it covers, 0 to 1; a contested entry gets less. */
  readonly score: number;
  /**
   * The entry whose words were found, when that one was confirmed to mean this
   * one.
   */
  readonly resolvedFrom: string | null;
}

/** Which entries are wanted. Every field that is given must hold. */
export interface EntryFilter extends ProjectFilter {
  /** Only of this type. */
  readonly entryType?: EntryType | undefined;
  /** Only of this stage or a higher one. */
  readonly minStage?: Stage | undefined;
  /** Only of this status. */
  readonly status?: EntryStatus | undefined;
  /** Only learned from this session. */
  readonly session?: string | undefined;
  /** Only holding at this moment, whatever became of them later. */
  readonly asOf?: TimeInput | undefined;
  /** Only with this text in the title or content, letter case ignored. */
  readonly text?: string | undefined;
  /** At most this many. Default: 1,000; 10 for a search. */
  readonly limit?: number | undefined;
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

/** Two entries that disagree. */
export interface Conflict {
  /** Its identity. */
  readonly conflictId: string;
  /** The entry that was there first. */
  readonly olderId: string;
  /** The entry that disagrees with it. */
  readonly newerId: string;
  /** In what way, for example `contradicts`. */
  readonly conflictType: string;
  /** Why this is believed. */
  readonly reason: string | null;
  /** When it was found, in milliseconds since 1970 UTC. */
  readonly detectedAt: number;
  /** How it ended, once it has. */
  readonly resolved: {
    /** When, in milliseconds since 1970 UTC. */
    readonly resolvedAt: number;
    /** What was found. */
    readonly resolution: string;
    /** Who found it. */
    readonly resolvedBy: string;
  } | null;
}

/** What kind of thing stands at an end of an edge. */
export type NodeType = 'entry' | 'entity' | 'event';

/** What an edge says; read it from its source to its destination. */
export type Relation =
  | 'derived_from'
  | 'supersedes'
  | 'contradicts'
  | 'evidence_of'
  | 'mentions'
  | 'blocked_by'
  | 'blocked_by_suggested'
  | 'resolves_to'
  | 'depends_on'
  | 'produced'
  | 'source_of';

/** A node of the graph. */
export interface GraphNode {
  /** What kind of thing it is. */
  readonly type: NodeType;
  /** The entry, entity or event. */
  readonly id: string;
}

/** Where an edge leads from and to. No two live edges have the same ends. */
export interface EdgeEnds {
  /** What kind of thing it starts at. */
  readonly sourceType: NodeType;
  /** The entry, entity or event that it starts at. */
  readonly sourceId: string;
  /** What it says. */
  readonly relation: Relation;
  /** What kind of thing it leads to. */
  readonly destinationType: NodeType;
  /** The entry or entity that it leads to. */
  readonly destinationId: string;
}

/** An edge of the graph, and when it was there. */
export interface Edge extends EdgeEnds {
  /** Its identity: the same ends give the same id. */
  readonly id: string;
  /** What is known about it. */
  readonly meta: JsonObject | null;
  /** When it was made, in milliseconds since 1970 UTC. */
  readonly createdAt: number;
  /** When it was removed, if it was. */
  readonly endedAt: number | null;
}

/** Which edges are wanted: those from a node or those to a node. */
export interface EdgeFilter {
  /** The node where the edges start; give either this or `to`. */
  readonly from?: string | undefined;
  /** The node that the edges lead to. */
  readonly to?: string | undefined;
  /** Only of this relation. */
  readonly relation?: Relation | undefined;
  /** As they were at this moment. Default: as they are. */
  readonly asOf?: TimeInput | undefined;
  /** At most this many. Default: 1,000. */
  readonly limit?: number | undefined;
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

/** One entry of a lineage. */
export interface LineageStep {
  /** The entry. */
  readonly entryId: string;
  /** The entry that it was derived from; `null` for the start. */
  readonly derivedFrom: string | null;
  /** How many derivations lie between it and the start, at most 10. */
  readonly depth: number;
}

/** An entry that proves something about the same entities as another. */
export interface RelatedEntry {
  /** The entry. */
  readonly entryId: string;
  /** The entities that both prove something about. */
  readonly entityIds: readonly string[];
}
