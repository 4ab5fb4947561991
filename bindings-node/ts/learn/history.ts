/** The ledgers of the pipeline: what it did, and what was decided. */

import type * as Native from '../../native';

import { Area } from '../area.js';
import { list, record, required } from '../check.js';
import { invalid } from '../errors.js';
import { now, read, write } from '../handle.js';
import type { CallOptions, JsonObject } from '../types.js';
import type { BuildRun, Decision, NewDecision, PipelineMetric, PromotionRecord } from './types.js';

const evidenceFields = {
  kind: 'string',
  evidenceId: 'string',
  stage: 'string',
  role: 'string',
  knownAt: 'time',
} as const;

function decisionEvidence(argument: string, value: unknown): Native.NativeNewDecisionEvidence {
  if (value === undefined || value === null) throw invalid(argument, 'is missing');
  const checked = record(argument, value, evidenceFields, `${argument}.`);
  required(checked, Object.keys(evidenceFields), `${argument}.`);
  return checked as unknown as Native.NativeNewDecisionEvidence;
}

function newDecision(value: unknown): Native.NativeNewDecision {
  if (value === undefined || value === null) throw invalid('decision', 'is missing');
  const { outcome, evidence, ...rest } = record('decision', value, {
    decisionId: 'string',
    decidedAt: 'time',
    actor: 'string',
    action: 'string',
    outcome: 'jsonObject',
    confidence: 'number',
    buildId: 'string',
    evidence: 'any',
  });
  required(rest, ['decisionId', 'decidedAt', 'actor', 'action']);
  return {
    ...(rest as unknown as Omit<Native.NativeNewDecision, 'evidence'>),
    ...(outcome !== undefined && { outcomeJson: outcome as string }),
    evidence: list('evidence', evidence ?? [], decisionEvidence),
  };
}

function decision(from: Native.NativeDecision): Decision {
  const { outcomeJson, ...rest } = from;
  const outcome = outcomeJson == null ? null : (JSON.parse(outcomeJson) as JsonObject);
  return { ...(rest as unknown as Decision), outcome };
}

/** The ledgers: build runs, metrics, promotions and decisions. */
export class History extends Area {
  /**
   * The runs of the pipeline, the one begun first in front.
   *
   * @throws {MemoryError} `corrupt`, `io`.
   */
  async buildRuns(options?: CallOptions): Promise<BuildRun[]> {
    return read(this, options, (memory, cancel) => memory.buildRuns(cancel)) as Promise<BuildRun[]>;
  }

  /** As {@link History.buildRuns}, blocking. */
  buildRunsSync(): BuildRun[] {
    return now(this, (memory) => memory.buildRunsSync()) as BuildRun[];
  }

  /**
   * How long each stage of the pipeline took, in the order of the log.
   *
   * @throws {MemoryError} `corrupt`, `io`.
   */
  async pipelineMetrics(options?: CallOptions): Promise<PipelineMetric[]> {
    return read(this, options, (memory, cancel) => memory.pipelineMetrics(cancel)) as Promise<
      PipelineMetric[]
    >;
  }

  /** As {@link History.pipelineMetrics}, blocking. */
  pipelineMetricsSync(): PipelineMetric[] {
    return now(this, (memory) => memory.pipelineMetricsSync()) as PipelineMetric[];
  }

  /**
   * The promotions of entries and the refusals, in the order of the log.
   *
   * @throws {MemoryError} `corrupt`, `io`.
   */
  async promotions(options?: CallOptions): Promise<PromotionRecord[]> {
    return read(this, options, (memory, cancel) => memory.promotions(cancel)) as Promise<
      PromotionRecord[]
    >;
  }

  /** As {@link History.promotions}, blocking. */
  promotionsSync(): PromotionRecord[] {
    return now(this, (memory) => memory.promotionsSync()) as PromotionRecord[];
  }

  /**
   * The decisions, the one made first in front.
   *
   * @throws {MemoryError} `corrupt`, `io`.
   */
  async decisions(options?: CallOptions): Promise<Decision[]> {
    const found = await read(this, options, (memory, cancel) => memory.decisions(cancel));
    return found.map(decision);
  }

  /** As {@link History.decisions}, blocking. */
  decisionsSync(): Decision[] {
    return now(this, (memory) => memory.decisionsSync()).map(decision);
  }

  /**
   * Records a decision. Its evidence must be in the store, verified or
   * certified, and known before the decision was made.
   *
   * @throws {MemoryError} `invalid_argument` naming the element, for example
   * `evidence[1].knownAt`; `not_found` naming `evidence[1].evidenceId`;
   * `invariant_violation` when an entry is not of the stage that is claimed;
   * `already_exists` when the decision was recorded before; `busy`, `full`, `io`.
   */
  async recordDecision(decision: NewDecision, options?: CallOptions): Promise<void> {
    const checked = newDecision(decision);
    return write(this, options, (memory, cancel) => memory.recordDecision(checked, cancel));
  }

  /** As {@link History.recordDecision}, blocking. */
  recordDecisionSync(decision: NewDecision): void {
    const checked = newDecision(decision);
    now(this, (memory) => memory.recordDecisionSync(checked));
  }
}
