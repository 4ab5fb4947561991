/** Types of the history of the pipeline. */

import type { JsonObject, TimeInput } from '../../types.js';
import type { Stage } from './evidence.js';

/** One run of the pipeline. */
export interface BuildRun {
  /** Its identity; what it made carries it. */
  readonly buildId: string;
  /** When it began, in milliseconds since 1970 UTC. */
  readonly startedAt: number;
  /** When it ended, once it has. */
  readonly finishedAt: number | null;
  /** How it stands. */
  readonly status: 'running' | 'success' | 'failed';
  /** What went wrong, when it failed. */
  readonly error: string | null;
  /** What it used: enough to tell later why its results differ. */
  readonly tools: {
    /** Which language model extracted. */
    readonly extractorModel: string;
    /** The hash of its prompt. */
    readonly extractorPromptHash: string;
    /** Which embedder made the vectors. */
    readonly embedderModel: string;
    /** The embedder's fingerprint. */
    readonly embeddingVersion: string;
    /** Which type checker looked at the entries. */
    readonly idrisVersion: string;
    /** Which extraction schema was used. */
    readonly schemaVersion: string;
  };
}

/** The stages of the pipeline that are timed. */
export type PipelineStage =
  | 'ingest'
  | 'extraction'
  | 'align'
  | 'check'
  | 'materialize'
  | 'resolve'
  | 'project'
  | 'index';

/** How long one stage of the pipeline took. */
export interface PipelineMetric {
  /** The stage. */
  readonly stage: PipelineStage;
  /** When it ended, in milliseconds since 1970 UTC. */
  readonly at: number;
  /** How long it took, in milliseconds. */
  readonly latencyMs: number;
  /** What went wrong; `null` when it went well. */
  readonly error: string | null;
  /** The session that it was about. */
  readonly session: string | null;
}

/** An entry that rose to another stage, or was refused. */
export interface PromotionRecord {
  /** The entry. */
  readonly entryId: string;
  /** Where it stood. */
  readonly from: Stage;
  /** Where it rose, or would have. */
  readonly to: Stage;
  /** Whether it was refused. */
  readonly isBlocked: boolean;
  /** Why it rose or was refused. */
  readonly reason: string;
  /** The run that it belongs to. */
  readonly buildId: string | null;
  /** When, in milliseconds since 1970 UTC. */
  readonly at: number;
}

/** One piece of evidence of a decision to be recorded. */
export interface NewDecisionEvidence {
  /** What it is. */
  readonly kind: 'entry' | 'entity';
  /** Which one. */
  readonly evidenceId: string;
  /** How well it was proved when the decision was made. */
  readonly stage: 'verified' | 'certified';
  /** What it does for the decision, for example `supports`. */
  readonly role: string;
  /** When it was known: not after the decision. */
  readonly knownAt: TimeInput;
}

/** A decision to be recorded. */
export interface NewDecision {
  /** Its identity, which you choose. */
  readonly decisionId: string;
  /** When it was made. */
  readonly decidedAt: TimeInput;
  /** Who made it; passes the privacy filter. */
  readonly actor: string;
  /** What was decided; passes the privacy filter. */
  readonly action: string;
  /** What came of it. Default: nothing yet. */
  readonly outcome?: JsonObject | undefined;
  /** How sure, 0 to 1. Default: not said. */
  readonly confidence?: number | undefined;
  /** The run that it belongs to. Default: none. */
  readonly buildId?: string | undefined;
  /** What it rests on. Default: nothing. */
  readonly evidence?: readonly NewDecisionEvidence[] | undefined;
}

/** One piece of evidence of a decision. */
export interface DecisionEvidence {
  /** What it is. */
  readonly kind: 'entry' | 'entity';
  /** Which one. */
  readonly evidenceId: string;
  /** How well it was proved when the decision was made. */
  readonly stage: 'verified' | 'certified';
  /** What it does for the decision. */
  readonly role: string;
  /** When it was known, in milliseconds since 1970 UTC. */
  readonly knownAt: number;
}

/** Something that was decided, and on what. */
export interface Decision {
  /** Its identity. */
  readonly decisionId: string;
  /** When it was made, in milliseconds since 1970 UTC. */
  readonly decidedAt: number;
  /** Who made it. */
  readonly actor: string;
  /** What was decided. */
  readonly action: string;
  /** What came of it. */
  readonly outcome: JsonObject | null;
  /** How sure, 0 to 1. */
  readonly confidence: number | null;
  /** The run that it belongs to. */
  readonly buildId: string | null;
  /** What it rests on. */
  readonly evidence: readonly DecisionEvidence[];
}

/** Context that was incomplete when an event was stored. */
export interface Placeholder {
  /** Its identity. */
  readonly id: string;
  /** The event that lacks context. */
  readonly eventId: string;
  /** When it was made, in milliseconds since 1970 UTC. */
  readonly createdAt: number;
}

/** What became of an uncertain memory: it is the other one, it is not, nobody has said yet. */
export type ResolutionKind = 'confirmed' | 'rejected' | 'pending';

/** An answer to what an uncertain memory means. */
export interface MemoryAnswer {
  /** What became of it. */
  readonly kind: ResolutionKind;
  /** What it means; needed when it is confirmed. */
  readonly resolvedTo?: string | undefined;
  /** How sure, 0 to 1. */
  readonly confidence: number;
}

/** The last answer to what an uncertain memory means. */
export interface MemoryResolution {
  /** The uncertain memory. */
  readonly conditionId: string;
  /** What it may mean. */
  readonly resolvedTo: string | null;
  /** What became of it. */
  readonly kind: ResolutionKind;
  /** How sure, 0 to 1. */
  readonly confidence: number;
  /** When it was answered, in milliseconds since 1970 UTC. */
  readonly resolvedAt: number;
}

/** What a memory means now. */
export interface EffectiveMemory {
  /** The memory to show. */
  readonly effectiveId: string;
  /** `resolved`: as another memory; `pending`: as itself, a question is open; `direct`: as itself. */
  readonly status: 'resolved' | 'pending' | 'direct';
}
