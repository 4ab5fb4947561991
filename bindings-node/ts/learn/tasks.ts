/** Tasks, and what they wait for. */

import type * as Native from '../../native';

import { Area } from '../area.js';
import { splitSignal } from '../calls.js';
import { moment, number, record, required, text } from '../check.js';
import * as convert from '../convert.js';
import { invalid } from '../errors.js';
import { taskDetail } from '../generated/parsed.js';
import { newTask } from '../generated/fields.js';
import type {
  Artifact,
  BlockedTask,
  Condition,
  NewTask,
  Priority,
  Task,
  TaskDetail,
  TaskStatus,
} from '../generated/types.js';
import { now, read, write } from '../handle.js';
import type { CallOptions, ProjectFilter, TimeInput } from '../types.js';
import type {
  ConditionFilter,
  ConditionTarget,
  Entity,
  StatusChangeOptions,
  TaskFilter,
} from './types.js';

function taskFilter(value: unknown): Native.NativeTaskFilter {
  return record('filter', value, {
    project: 'string',
    allProjects: 'boolean',
    status: 'string',
    text: 'string',
    limit: 'number',
  });
}

function conditionFilter(value: unknown): {
  project?: string;
  allProjects?: boolean;
  limit?: number;
} {
  return record('filter', value, { project: 'string', allProjects: 'boolean', limit: 'number' });
}

function conditionTarget(value: unknown): Native.NativeConditionTarget {
  if (value === undefined || value === null) throw invalid('target', 'is missing');
  const fields = { kind: 'string', id: 'string', resolution: 'string', confidence: 'number' } as const;
  const checked = record('target', value, fields);
  required(checked, Object.keys(fields));
  return checked as unknown as Native.NativeConditionTarget;
}

function blockedBy(value: unknown): string[] {
  const { blockedBy = [] } = record('options', value, { blockedBy: 'strings' }) as {
    blockedBy?: string[];
  };
  return blockedBy;
}

function entity({ kind, task, condition, artifact }: Native.NativeEntity): Entity {
  // Only the one that the kind names is there.
  const found = { kind, ...(task && { task }), ...(condition && { condition }), ...(artifact && { artifact }) };
  return found as unknown as Entity;
}

/** Tasks: what is to be done, what holds it up and how it came about. */
export class Tasks extends Area {
  /**
   * Tasks that fit a filter: blocked, in_progress, pending, done, cancelled; of
   * each status the one changed last in front.
   *
   * @throws {MemoryError} `invalid_argument`, `corrupt`, `io`.
   */
  async list(filter?: TaskFilter & CallOptions): Promise<Task[]> {
    const { signal, rest } = splitSignal(filter);
    const wanted = taskFilter(rest);
    return read(this, { signal }, (memory, cancel) => memory.tasks(wanted, cancel)) as Promise<
      Task[]
    >;
  }

  /** As {@link Tasks.list}, blocking. */
  listSync(filter?: TaskFilter): Task[] {
    const wanted = taskFilter(filter);
    return now(this, (memory) => memory.tasksSync(wanted)) as Task[];
  }

  /**
   * Makes a task.
   *
   * ```js
   * const task = await memory.tasks.create({ title: 'Renew the certificate', blockedBy: ['OPS-12'] });
   * ```
   *
   * @throws {MemoryError} `invalid_argument` naming what is wrong, for example
   * `title` without a letter or digit, or `blockedBy[0]` that is the task itself;
   * `already_exists` when a task of the project has this title, whatever its status;
   * `busy`, `full`, `io`.
   */
  async create(task: NewTask, options?: CallOptions): Promise<Task> {
    const made = newTask('task', task, '');
    return write(this, options, (memory, cancel) => memory.createTask(made, cancel)) as Promise<Task>;
  }

  /** As {@link Tasks.create}, blocking. */
  createSync(task: NewTask): Task {
    const made = newTask('task', task, '');
    return now(this, (memory) => memory.createTaskSync(made)) as Task;
  }

  /**
   * One task with what really blocks it and its history, or `null`.
   *
   * @throws {MemoryError} `invalid_argument`, `corrupt`, `io`.
   */
  async get(id: string, options?: CallOptions): Promise<TaskDetail | null> {
    const wanted = text('id', id);
    const found = await read(this, options, (memory, cancel) => memory.task(wanted, cancel));
    return found == null ? null : taskDetail(found);
  }

  /** As {@link Tasks.get}, blocking. */
  getSync(id: string): TaskDetail | null {
    const wanted = text('id', id);
    const found = now(this, (memory) => memory.taskSync(wanted));
    return found == null ? null : taskDetail(found);
  }

  /**
   * A task as it stood at a moment, by its acts up to then; `null` when it was
   * not known yet.
   *
   * @throws {MemoryError} `invalid_argument`, `corrupt`, `io`.
   */
  async getAsOf(id: string, at: TimeInput, options?: CallOptions): Promise<Task | null> {
    const [wanted, when] = [text('id', id), moment('at', at)];
    return read(this, options, (memory, cancel) =>
      memory.taskAsOf(wanted, when, cancel),
    ) as Promise<Task | null>;
  }

  /** As {@link Tasks.getAsOf}, blocking. */
  getAsOfSync(id: string, at: TimeInput): Task | null {
    const [wanted, when] = [text('id', id), moment('at', at)];
    return now(this, (memory) => memory.taskAsOfSync(wanted, when)) as Task | null;
  }

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
   * The blocked tasks with what really stands in their way.
   *
   * @throws {MemoryError} `invalid_argument`, `corrupt`, `io`.
   */
  async blocked(filter?: ProjectFilter & CallOptions): Promise<BlockedTask[]> {
    const { signal, rest } = splitSignal(filter);
    const { project, allProjects } = convert.projectFilter(rest);
    return read(this, { signal }, (memory, cancel) =>
      memory.blockedTasks(project, allProjects, cancel),
    ) as unknown as Promise<BlockedTask[]>;
  }

  /** As {@link Tasks.blocked}, blocking. */
  blockedSync(filter?: ProjectFilter): BlockedTask[] {
    const { project, allProjects } = convert.projectFilter(filter);
    return now(this, (memory) =>
      memory.blockedTasksSync(project, allProjects),
    ) as unknown as BlockedTask[];
  }

  /**
   * Blocked tasks whose every blocker is only a suggestion: worth asking about.
   *
   * @throws {MemoryError} `invalid_argument`, `corrupt`, `io`.
   */
  async withOnlySuggestedBlockers(filter?: ProjectFilter & CallOptions): Promise<Task[]> {
    const { signal, rest } = splitSignal(filter);
    const { project, allProjects } = convert.projectFilter(rest);
    return read(this, { signal }, (memory, cancel) =>
      memory.tasksWithOnlySuggestedBlockers(project, allProjects, cancel),
    ) as Promise<Task[]>;
  }

  /** As {@link Tasks.withOnlySuggestedBlockers}, blocking. */
  withOnlySuggestedBlockersSync(filter?: ProjectFilter): Task[] {
    const { project, allProjects } = convert.projectFilter(filter);
    return now(this, (memory) =>
      memory.tasksWithOnlySuggestedBlockersSync(project, allProjects),
    ) as Task[];
  }

  /**
   * Blocked tasks of which nobody said what blocks them: a placeholder stands
   * there that is not resolved yet.
   *
   * @throws {MemoryError} `invalid_argument`, `corrupt`, `io`.
   */
  async withPlaceholderBlockers(filter?: ProjectFilter & CallOptions): Promise<Task[]> {
    const { signal, rest } = splitSignal(filter);
    const { project, allProjects } = convert.projectFilter(rest);
    return read(this, { signal }, (memory, cancel) =>
      memory.tasksWithPlaceholderBlockers(project, allProjects, cancel),
    ) as Promise<Task[]>;
  }

  /** As {@link Tasks.withPlaceholderBlockers}, blocking. */
  withPlaceholderBlockersSync(filter?: ProjectFilter): Task[] {
    const { project, allProjects } = convert.projectFilter(filter);
    return now(this, (memory) =>
      memory.tasksWithPlaceholderBlockersSync(project, allProjects),
    ) as Task[];
  }

  /**
   * What tasks wait for that is neither a task nor an artifact, in the order of
   * their ids.
   *
   * @throws {MemoryError} `invalid_argument`, `corrupt`, `io`.
   */
  async conditions(filter?: ConditionFilter & CallOptions): Promise<Condition[]> {
    const { signal, rest } = splitSignal(filter);
    const { project, allProjects, limit } = conditionFilter(rest);
    return read(this, { signal }, (memory, cancel) =>
      memory.conditions(project, allProjects, limit, cancel),
    ) as Promise<Condition[]>;
  }

  /** As {@link Tasks.conditions}, blocking. */
  conditionsSync(filter?: ConditionFilter): Condition[] {
    const { project, allProjects, limit } = conditionFilter(filter);
    return now(this, (memory) =>
      memory.conditionsSync(project, allProjects, limit),
    ) as Condition[];
  }

  /**
   * Things elsewhere that tasks wait for: tickets, issues, addresses. They belong
   * to no project. At most `limit`, 1,000 by default, in the order of their ids.
   *
   * @throws {MemoryError} `invalid_argument`, `corrupt`, `io`.
   */
  async artifacts(limit?: number, options?: CallOptions): Promise<Artifact[]> {
    const most = limit === undefined ? undefined : number('limit', limit);
    return read(this, options, (memory, cancel) => memory.artifacts(most, cancel)) as Promise<
      Artifact[]
    >;
  }

  /** As {@link Tasks.artifacts}, blocking. */
  artifactsSync(limit?: number): Artifact[] {
    const most = limit === undefined ? undefined : number('limit', limit);
    return now(this, (memory) => memory.artifactsSync(most)) as Artifact[];
  }

  /**
   * Conditions that turned out to be another entity.
   *
   * @throws {MemoryError} `invalid_argument`, `corrupt`, `io`.
   */
  async resolvedConditions(filter?: ProjectFilter & CallOptions): Promise<Condition[]> {
    const { signal, rest } = splitSignal(filter);
    const { project, allProjects } = convert.projectFilter(rest);
    return read(this, { signal }, (memory, cancel) =>
      memory.resolvedConditions(project, allProjects, cancel),
    ) as Promise<Condition[]>;
  }

  /** As {@link Tasks.resolvedConditions}, blocking. */
  resolvedConditionsSync(filter?: ProjectFilter): Condition[] {
    const { project, allProjects } = convert.projectFilter(filter);
    return now(this, (memory) =>
      memory.resolvedConditionsSync(project, allProjects),
    ) as Condition[];
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

  /**
   * Moves a task to another status, and gives it as it is then.
   *
   * @throws {MemoryError} `not_found` when there is no such task;
   * `invalid_transition` when the move is not allowed; `invariant_violation`
   * when the task would wait for itself; `invalid_argument`, `busy`, `full`, `io`.
   */
  async changeStatus(
    task: string,
    to: TaskStatus,
    options?: StatusChangeOptions & CallOptions,
  ): Promise<Task> {
    const { signal, rest } = splitSignal(options);
    const [id, status, blockers] = [text('task', task), text('to', to), blockedBy(rest)];
    return write(this, { signal }, (memory, cancel) =>
      memory.changeTaskStatus(id, status, blockers, cancel),
    ) as Promise<Task>;
  }

  /** As {@link Tasks.changeStatus}, blocking. */
  changeStatusSync(task: string, to: TaskStatus, options?: StatusChangeOptions): Task {
    const [id, status, blockers] = [text('task', task), text('to', to), blockedBy(options)];
    return now(this, (memory) => memory.changeTaskStatusSync(id, status, blockers)) as Task;
  }

  /**
   * Gives a task another priority.
   *
   * @throws {MemoryError} `not_found`; `invalid_argument`, `busy`, `full`, `io`.
   */
  async setPriority(task: string, priority: Priority, options?: CallOptions): Promise<Task> {
    const [id, wanted] = [text('task', task), text('priority', priority)];
    return write(this, options, (memory, cancel) =>
      memory.setTaskPriority(id, wanted, cancel),
    ) as Promise<Task>;
  }

  /** As {@link Tasks.setPriority}, blocking. */
  setPrioritySync(task: string, priority: Priority): Task {
    const [id, wanted] = [text('task', task), text('priority', priority)];
    return now(this, (memory) => memory.setTaskPrioritySync(id, wanted)) as Task;
  }

  /**
   * Gives a task another title; the old one still means it.
   *
   * @throws {MemoryError} `not_found`; `invalid_argument` naming `title` when
   * it is blank; `already_exists` when another task has it; `busy`, `full`, `io`.
   */
  async rename(task: string, title: string, options?: CallOptions): Promise<Task> {
    const [id, name] = [text('task', task), text('title', title)];
    return write(this, options, (memory, cancel) =>
      memory.renameTask(id, name, cancel),
    ) as Promise<Task>;
  }

  /** As {@link Tasks.rename}, blocking. */
  renameSync(task: string, title: string): Task {
    const [id, name] = [text('task', task), text('title', title)];
    return now(this, (memory) => memory.renameTaskSync(id, name)) as Task;
  }
}
