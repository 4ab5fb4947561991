/** The ledgers of the pipeline: what it did, and what was decided. */

import type * as Native from '../../native';

import { Area } from '../area.js';
import { invalid } from '../errors.js';
import { decision as checked } from '../generated/fields.js';
import { decision as parsed } from '../generated/parsed.js';
import type {
  BuildRun,
  Decision,
  DecisionInput,
  PipelineMetric,
  PromotionRecord,
} from '../generated/types.js';
import { now, read, write } from '../handle.js';
import type { CallOptions } from '../types.js';

function given(decision: unknown): Native.NativeDecisionInput {
  if (decision === undefined || decision === null) throw invalid('decision', 'is missing');
  return checked('decision', decision, '');
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
    return found.map(parsed);
  }

  /** As {@link History.decisions}, blocking. */
  decisionsSync(): Decision[] {
    return now(this, (memory) => memory.decisionsSync()).map(parsed);
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
  async recordDecision(decision: DecisionInput, options?: CallOptions): Promise<void> {
    const wanted = given(decision);
    return write(this, options, (memory, cancel) => memory.recordDecision(wanted, cancel));
  }

  /** As {@link History.recordDecision}, blocking. */
  recordDecisionSync(decision: DecisionInput): void {
    const wanted = given(decision);
    now(this, (memory) => memory.recordDecisionSync(wanted));
  }
}
