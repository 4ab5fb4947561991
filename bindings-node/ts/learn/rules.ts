/**
 * The rules by which a memory decides about matches, tasks, edges, levels and
 * the endless mode: functions that need no memory.
 */

import type * as Native from '../../native';

import { unwrap } from '../calls.js';
import { list, number, record, required, text, type FieldType } from '../check.js';
import { invalid } from '../errors.js';
import { consolidationPolicy, usage as usageOf } from '../generated/fields.js';
import type {
  ConsolidationPolicy,
  Continuity,
  Insight,
  Level,
  NodeType,
  Relation,
  TaskStatus,
  Usage,
} from '../generated/types.js';
import { native } from '../native.js';
import type {
  ConsolidationTrigger,
  ContextSnapshot,
  Evaluation,
  InsightEvent,
  MatchList,
  MatchParts,
  Transition,
} from './types.js';

type Fields = Readonly<Record<string, FieldType>>;

/** An object of which the fields `needed` must be there. */
function object(
  argument: string,
  value: unknown,
  fields: Fields,
  needed: readonly string[],
  prefix = `${argument}.`,
): Record<string, unknown> {
  if (value === undefined || value === null) throw invalid(argument, 'is missing');
  const checked = record(argument, value, fields, prefix);
  required(checked, needed, prefix);
  return checked;
}

/**
 * The match score of a candidate, 0 to 1: 0.4 semantic, 0.25 lexical, 0.2
 * recency, 0.15 status.
 *
 * @throws {MemoryError} `invalid_argument` naming the part that is no number.
 */
export function matchScore(parts: MatchParts): number {
  const fields: Fields = {
    semantic: 'number',
    lexical: 'number',
    ageDays: 'number',
    isActive: 'boolean',
  };
  const checked = object('parts', parts, fields, ['semantic', 'lexical', 'ageDays'], '');
  return unwrap(native().matchScore(checked as unknown as Native.NativeMatchParts));
}

/**
 * What may be done with the best of several candidates, given their scores in
 * any order: from 0.92 on and 0.03 before the next it is used, from 0.75 on it
 * is offered.
 *
 * @throws {MemoryError} `invalid_argument` naming the score that is no number.
 */
export function matchList(scores: readonly number[]): MatchList {
  return unwrap(native().matchList(list('scores', scores, number))) as MatchList;
}

/**
 * What becomes of a task's move from one status to another.
 *
 * @throws {MemoryError} `invalid_argument` for an unknown status.
 */
export function decideTransition(from: TaskStatus, to: TaskStatus): Transition {
  return unwrap(native().decideTransition(text('from', from), text('to', to))) as Transition;
}

/**
 * Whether an edge of a relation may lead from one type of node to another.
 *
 * @throws {MemoryError} `invalid_argument` for an unknown word.
 */
export function isEdgeAllowed(
  sourceType: NodeType,
  relation: Relation,
  destinationType: NodeType,
): boolean {
  return unwrap(
    native().isEdgeAllowed(
      text('sourceType', sourceType),
      text('relation', relation),
      text('destinationType', destinationType),
    ),
  );
}

/**
 * Whether a memory rises one level: it must have been used often, surely, from
 * other sessions and not too long ago; for the step to L3 its evidence must not
 * have failed. Without a use it stays.
 *
 * @throws {MemoryError} `invalid_argument` naming what is wrong.
 */
export function evaluateGraduation(
  level: Level,
  usage: Usage | null,
  evidence: 'not_needed' | 'aligned' | 'failed' = 'not_needed',
): Evaluation {
  const used = usage == null ? undefined : usageOf('usage', usage);
  return unwrap(
    native().evaluateGraduation(
      text('level', level),
      used,
      text('evidence', evidence),
    ),
  ) as Evaluation;
}

/**
 * What events, taken together, give away: topics that come up again, and what
 * the user says to like, by English and Korean cue words unless `cues` says
 * `english`.
 *
 * @throws {MemoryError} `invalid_argument` naming what is wrong.
 */
export function extractInsights(
  events: readonly InsightEvent[],
  cues: 'english' | 'english_and_korean' = 'english_and_korean',
): Insight[] {
  const fields: Fields = {
    id: 'string',
    isUserPrompt: 'boolean',
    content: 'string',
    canonicalKey: 'string',
  };
  const seen = list('events', events, (argument, event) =>
    object(argument, event, fields, Object.keys(fields)),
  );
  return unwrap(
    native().extractInsights(seen as unknown as Native.NativeInsightEvent[], text('cues', cues)),
  ) as Insight[];
}

/**
 * Whether it is time to consolidate: any one of the three limits is reached.
 * What the policy leaves out has its default.
 *
 * @throws {MemoryError} `invalid_argument` naming what is wrong.
 */
export function isConsolidationDue(
  trigger: ConsolidationTrigger,
  policy?: { readonly [K in keyof ConsolidationPolicy]?: ConsolidationPolicy[K] | undefined },
): boolean {
  const fields: Fields = { sinceLastMs: 'number', workingSetSize: 'number', idleMs: 'number' };
  const checked = object('trigger', trigger, fields, Object.keys(fields), '');
  return unwrap(
    native().isConsolidationDue(
      checked as unknown as Native.NativeConsolidationTrigger,
      consolidationPolicy('policy', policy),
    ),
  );
}

/**
 * How far one context goes on from the one before: 0.3 for each shared topic,
 * 0.2 for each shared file and entity, up to 0.3 for nearness in time; at most
 * 1. From `minScoreForSeamless` (0.7) on it is seamless.
 *
 * @throws {MemoryError} `invalid_argument` naming what is wrong.
 */
export function continuity(
  current: ContextSnapshot,
  previous: ContextSnapshot | null,
  minScoreForSeamless?: number,
): Continuity {
  const fields: Fields = {
    id: 'string',
    timestamp: 'time',
    topics: 'strings',
    files: 'strings',
    entities: 'strings',
  };
  const snapshot = (argument: string, value: unknown): Native.NativeContextSnapshot =>
    object(argument, value, fields, ['timestamp']) as unknown as Native.NativeContextSnapshot;
  return unwrap(
    native().continuity(
      snapshot('current', current),
      previous == null ? undefined : snapshot('previous', previous),
      minScoreForSeamless === undefined
        ? undefined
        : number('minScoreForSeamless', minScoreForSeamless),
    ),
  ) as Continuity;
}
