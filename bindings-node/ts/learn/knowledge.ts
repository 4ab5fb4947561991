/** What was learned: entries, the edges between them, conflicts and questions. */

import type * as Native from '../../native';

import { list, record, required, text } from '../check.js';
import { invalid } from '../errors.js';
import type { Conflict, Relation } from '../generated/types.js';
import { now, read, write } from '../handle.js';
import type { CallOptions } from '../types.js';
import type {
  ConflictVerdict,
  GraphNode,
  MemoryAnswer,
  RelatedEntry,
  ReplacedEdges,
} from './types.js';

function conflictVerdict(value: unknown): Native.NativeConflictVerdict {
  if (value === undefined || value === null) throw invalid('verdict', 'is missing');
  const fields = { inFavourOf: 'string', resolution: 'string', resolvedBy: 'string' } as const;
  const checked = record('verdict', value, fields);
  required(checked, Object.keys(fields));
  return checked as unknown as Native.NativeConflictVerdict;
}

function graphNode(argument: string, value: unknown): Native.NativeNode {
  if (value === undefined || value === null) throw invalid(argument, 'is missing');
  const checked = record(argument, value, { type: 'string', id: 'string' }, `${argument}.`);
  required(checked, ['type', 'id'], `${argument}.`);
  return checked as unknown as Native.NativeNode;
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

/** The methods of {@link Knowledge} that are not derived. */
export abstract class KnowledgeByHand {
  /**
   * Ends a conflict in favour of one entry; the other is taken back.
   *
   * @throws {MemoryError} `not_found` when there is no such conflict;
   * `invalid_argument` naming `inFavourOf` when it is no part of it, or
   * `resolution` when it is blank; `invalid_transition` when the conflict has
   * ended already; `busy`, `full`, `io`.
   */
  async resolveConflict(
    conflictId: string,
    verdict: ConflictVerdict,
    options?: CallOptions,
  ): Promise<Conflict> {
    const [id, end] = [text('conflictId', conflictId), conflictVerdict(verdict)];
    return write(this, options, (memory, cancel) =>
      memory.resolveConflict(id, end, cancel),
    ) as Promise<Conflict>;
  }

  /** As {@link Knowledge.resolveConflict}, blocking. */
  resolveConflictSync(conflictId: string, verdict: ConflictVerdict): Conflict {
    const [id, end] = [text('conflictId', conflictId), conflictVerdict(verdict)];
    return now(this, (memory) => memory.resolveConflictSync(id, end)) as Conflict;
  }

  /**
   * Replaces every edge of one relation from a node, at once: `targets` are the
   * new destinations, at most 10,000.
   *
   * @throws {MemoryError} As {@link Knowledge.addEdge}, naming the target,
   * for example `targets[3]`. Nothing is changed then.
   */
  async replaceEdges(
    source: GraphNode,
    relation: Relation,
    targets: readonly GraphNode[],
    options?: CallOptions,
  ): Promise<ReplacedEdges> {
    const [from, name] = [graphNode('source', source), text('relation', relation)];
    const to = list('targets', targets, graphNode);
    return write(this, options, (memory, cancel) => memory.replaceEdges(from, name, to, cancel));
  }

  /** As {@link Knowledge.replaceEdges}, blocking. */
  replaceEdgesSync(
    source: GraphNode,
    relation: Relation,
    targets: readonly GraphNode[],
  ): ReplacedEdges {
    const [from, name] = [graphNode('source', source), text('relation', relation)];
    const to = list('targets', targets, graphNode);
    return now(this, (memory) => memory.replaceEdgesSync(from, name, to));
  }

  /**
   * The entries that prove something about an entity which this entry proves
   * something about too, each with those entities.
   *
   * @throws {MemoryError} `not_found`; `invalid_argument`, `corrupt`, `io`.
   */
  async relatedEntries(entry: string, options?: CallOptions): Promise<RelatedEntry[]> {
    const id = text('entry', entry);
    return read(this, options, (memory, cancel) => memory.relatedEntries(id, cancel));
  }

  /** As {@link Knowledge.relatedEntries}, blocking. */
  relatedEntriesSync(entry: string): RelatedEntry[] {
    const id = text('entry', entry);
    return now(this, (memory) => memory.relatedEntriesSync(id));
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

  /** As {@link Knowledge.resolveMemory}, blocking. */
  resolveMemorySync(memory: string, answer: MemoryAnswer): void {
    const [id, checked] = [text('memory', memory), memoryAnswer(answer)];
    now(this, (native) => native.resolveMemorySync(id, checked));
  }
}
