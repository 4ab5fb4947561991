/** Tasks, and what they wait for. */

import type * as Native from '../../native';

import { record, required, text } from '../check.js';
import { invalid } from '../errors.js';
import { now, read, write } from '../handle.js';
import type { CallOptions } from '../types.js';
import type { ConditionTarget, Entity } from './types.js';

function conditionTarget(value: unknown): Native.NativeConditionTarget {
  if (value === undefined || value === null) throw invalid('target', 'is missing');
  const fields = { kind: 'string', id: 'string', resolution: 'string', confidence: 'number' } as const;
  const checked = record('target', value, fields);
  required(checked, Object.keys(fields));
  return checked as unknown as Native.NativeConditionTarget;
}

function entity({ kind, task, condition, artifact }: Native.NativeEntity): Entity {
  // Only the one that the kind names is there.
  const found = { kind, ...(task && { task }), ...(condition && { condition }), ...(artifact && { artifact }) };
  return found as unknown as Entity;
}

/** The methods of {@link Tasks} that are not derived. */
export abstract class TasksByHand {
  /**
   * A task, condition or artifact by its id, or `null`.
   *
   * @throws {MemoryError} `invalid_argument`, `corrupt`, `io`.
   */
  async entity(id: string, options?: CallOptions): Promise<Entity | null> {
    const wanted = text('id', id);
    const found = await read(this, options, (memory, cancel) => memory.entity(wanted, cancel));
    return found == null ? null : entity(found);
  }

  /** As {@link Tasks.entity}, blocking. */
  entitySync(id: string): Entity | null {
    const wanted = text('id', id);
    const found = now(this, (memory) => memory.entitySync(wanted));
    return found == null ? null : entity(found);
  }

  /**
   * Says that a condition is in truth another entity. Saying it twice changes
   * nothing.
   *
   * @throws {MemoryError} `not_found` when the condition or the target does not
   * exist; `invalid_argument` naming `target` when they are the same, or
   * `confidence` when it is outside 0 to 1; `busy`, `full`, `io`.
   */
  async resolveCondition(
    condition: string,
    target: ConditionTarget,
    options?: CallOptions,
  ): Promise<void> {
    const [id, answer] = [text('condition', condition), conditionTarget(target)];
    return write(this, options, (memory, cancel) => memory.resolveCondition(id, answer, cancel));
  }

  /** As {@link Tasks.resolveCondition}, blocking. */
  resolveConditionSync(condition: string, target: ConditionTarget): void {
    const [id, answer] = [text('condition', condition), conditionTarget(target)];
    now(this, (memory) => memory.resolveConditionSync(id, answer));
  }
}
