/** The history of the pipeline, and the questions about uncertain memories. */

import type * as Native from '../../native';

import { list, name, record, required, text } from '../check.js';
import { invalid } from '../errors.js';
import { now, read, write } from '../handle.js';
import type { CallOptions, EventName, JsonObject } from '../types.js';
import type {
  BuildRun,
  Conflict,
  Decision,
  EffectiveMemory,
  MemoryAnswer,
  MemoryResolution,
  NewDecision,
  PipelineMetric,
  Placeholder,
  PromotionRecord,
} from './types.js';

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

function memoryAnswer(value: unknown): Native.NativeMemoryAnswer {
  if (value === undefined || value === null) throw invalid('answer', 'is missing');
  const checked = record('answer', value, {
    kind: 'string',
    resolvedTo: 'string',
    confidence: 'number',
  });
  required(checked, ['kind', 'confidence']);
  return checked as unknown as Native.NativeMemoryAnswer;
}

/** The methods of a memory about its history. */
export abstract class HistoryMethods {
  /**
   * The runs of the pipeline, the one begun first in front.
   *
   * @throws {MemoryError} `corrupt`, `io`.
   */
  async buildRuns(options?: CallOptions): Promise<BuildRun[]> {
    return read(this, options, (memory, cancel) => memory.buildRuns(cancel)) as Promise<BuildRun[]>;
  }

  /** As {@link HistoryMethods.buildRuns}, blocking. */
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

  /** As {@link HistoryMethods.pipelineMetrics}, blocking. */
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

  /** As {@link HistoryMethods.promotions}, blocking. */
  promotionsSync(): PromotionRecord[] {
    return now(this, (memory) => memory.promotionsSync()) as PromotionRecord[];
  }

  /**
   * The conflicts between entries, the one found first in front.
   *
   * @throws {MemoryError} `corrupt`, `io`.
   */
  async conflicts(options?: CallOptions): Promise<Conflict[]> {
    return read(this, options, (memory, cancel) => memory.conflicts(cancel)) as Promise<Conflict[]>;
  }

  /** As {@link HistoryMethods.conflicts}, blocking. */
  conflictsSync(): Conflict[] {
    return now(this, (memory) => memory.conflictsSync()) as Conflict[];
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

  /** As {@link HistoryMethods.decisions}, blocking. */
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

  /** As {@link HistoryMethods.recordDecision}, blocking. */
  recordDecisionSync(decision: NewDecision): void {
    const checked = newDecision(decision);
    now(this, (memory) => memory.recordDecisionSync(checked));
  }

  /**
   * Answers what an uncertain memory (an event, entry or condition, by its id)
   * means. The last answer counts.
   *
   * @throws {MemoryError} `invalid_argument` naming `memory`, `kind`,
   * `resolvedTo` (needed when confirmed, and not the memory itself) or
   * `confidence`; `busy`, `full`, `io`.
   */
  async resolveMemory(memory: string, answer: MemoryAnswer, options?: CallOptions): Promise<void> {
    const [id, checked] = [text('memory', memory), memoryAnswer(answer)];
    return write(this, options, (native, cancel) => native.resolveMemory(id, checked, cancel));
  }

  /** As {@link HistoryMethods.resolveMemory}, blocking. */
  resolveMemorySync(memory: string, answer: MemoryAnswer): void {
    const [id, checked] = [text('memory', memory), memoryAnswer(answer)];
    now(this, (native) => native.resolveMemorySync(id, checked));
  }

  /**
   * Marks an event whose context is missing, to be resolved later.
   *
   * @throws {MemoryError} `not_found` when there is no such event;
   * `invalid_argument`, `busy`, `full`, `io`.
   */
  async markUnknownContext(event: EventName, options?: CallOptions): Promise<void> {
    const wanted = name('event', event);
    return write(this, options, (memory, cancel) => memory.markUnknownContext(wanted, cancel));
  }

  /** As {@link HistoryMethods.markUnknownContext}, blocking. */
  markUnknownContextSync(event: EventName): void {
    const wanted = name('event', event);
    now(this, (memory) => memory.markUnknownContextSync(wanted));
  }

  /**
   * Events whose context is missing and not resolved yet.
   *
   * @throws {MemoryError} `corrupt`, `io`.
   */
  async placeholders(options?: CallOptions): Promise<Placeholder[]> {
    return read(this, options, (memory, cancel) => memory.placeholders(cancel));
  }

  /** As {@link HistoryMethods.placeholders}, blocking. */
  placeholdersSync(): Placeholder[] {
    return now(this, (memory) => memory.placeholdersSync());
  }

  /**
   * The last answer about each uncertain memory.
   *
   * @throws {MemoryError} `corrupt`, `io`.
   */
  async memoryResolutions(options?: CallOptions): Promise<MemoryResolution[]> {
    return read(this, options, (memory, cancel) => memory.memoryResolutions(cancel)) as Promise<
      MemoryResolution[]
    >;
  }

  /** As {@link HistoryMethods.memoryResolutions}, blocking. */
  memoryResolutionsSync(): MemoryResolution[] {
    return now(this, (memory) => memory.memoryResolutionsSync()) as MemoryResolution[];
  }

  /**
   * What a memory means now: itself, or what it was confirmed to be.
   *
   * @throws {MemoryError} `invalid_argument`, `corrupt`, `io`.
   */
  async effectiveMemory(memory: string, options?: CallOptions): Promise<EffectiveMemory> {
    const id = text('memory', memory);
    return read(this, options, (native, cancel) =>
      native.effectiveMemory(id, cancel),
    ) as Promise<EffectiveMemory>;
  }

  /** As {@link HistoryMethods.effectiveMemory}, blocking. */
  effectiveMemorySync(memory: string): EffectiveMemory {
    const id = text('memory', memory);
    return now(this, (native) => native.effectiveMemorySync(id)) as EffectiveMemory;
  }
}
