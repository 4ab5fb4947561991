/** Tasks: entities of three kinds. */

import type * as Native from '../../native';

import { text } from '../check.js';
import { now, read } from '../handle.js';
import type { CallOptions } from '../types.js';
import type { Entity } from './types.js';

function entity({ kind, task, condition, artifact }: Native.NativeEntity): Entity {
  // Only the field named by the kind is set.
  const found = { kind, ...(task && { task }), ...(condition && { condition }), ...(artifact && { artifact }) };
  return found as unknown as Entity;
}

/** The methods of {@link Tasks} that are not generated. */
export abstract class TasksByHand {
  /**
   * Returns a task, condition or artifact by its id; `null` if there is none.
   *
   * @throws {MemoryError} `invalid_argument`, `corrupt`, `io`.
   */
  async entity(id: string, options?: CallOptions): Promise<Entity | null> {
    const wanted = text('id', id);
    const found = await read(this, options, (memory, cancel) => memory.tasksEntity(wanted, cancel));
    return found == null ? null : entity(found);
  }

  /** Like {@link Tasks.entity}, but blocking. */
  entitySync(id: string): Entity | null {
    const wanted = text('id', id);
    const found = now(this, (memory) => memory.tasksEntitySync(wanted));
    return found == null ? null : entity(found);
  }
}
