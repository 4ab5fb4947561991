/** The graph between events, entries and entities. */

import type * as Native from '../../native';

import { splitSignal } from '../calls.js';
import { list, record, required, text } from '../check.js';
import { invalid } from '../errors.js';
import { now, read, write } from '../handle.js';
import type { CallOptions, JsonObject } from '../types.js';
import type {
  Edge,
  EdgeEnds,
  EdgeFilter,
  EdgeOptions,
  GraphNode,
  LineageStep,
  RelatedEntry,
  Relation,
  ReplacedEdges,
} from './types.js';

const endFields = {
  sourceType: 'string',
  sourceId: 'string',
  relation: 'string',
  destinationType: 'string',
  destinationId: 'string',
} as const;

function edgeFilter(value: unknown): Native.NativeEdgeFilter {
  return record('filter', value, {
    from: 'string',
    to: 'string',
    relation: 'string',
    asOf: 'time',
    limit: 'number',
  });
}

function edgeEnds(value: unknown): Native.NativeEdgeEnds {
  if (value === undefined || value === null) throw invalid('ends', 'is missing');
  const checked = record('ends', value, endFields);
  required(checked, Object.keys(endFields));
  return checked as unknown as Native.NativeEdgeEnds;
}

function graphNode(argument: string, value: unknown): Native.NativeNode {
  if (value === undefined || value === null) throw invalid(argument, 'is missing');
  const checked = record(argument, value, { type: 'string', id: 'string' }, `${argument}.`);
  required(checked, ['type', 'id'], `${argument}.`);
  return checked as unknown as Native.NativeNode;
}

function metaOption(value: unknown): string | undefined {
  return (record('options', value, { meta: 'jsonObject' }) as { meta?: string }).meta;
}

function edge(from: Native.NativeEdge): Edge {
  const { metaJson, ...rest } = from;
  const meta = metaJson == null ? null : (JSON.parse(metaJson) as JsonObject);
  return { ...(rest as unknown as Edge), meta };
}

/** The methods of a memory about edges and what follows from them. */
export abstract class GraphMethods {
  /**
   * The edges from a node or to a node, the newest first. A node is an entry,
   * an entity, or an event by its id.
   *
   * @throws {MemoryError} `invalid_argument` unless exactly one of `from` and
   * `to` is given; `corrupt`, `io`.
   */
  async edges(filter: EdgeFilter & CallOptions): Promise<Edge[]> {
    const { signal, rest } = splitSignal(filter);
    const wanted = edgeFilter(rest);
    const found = await read(this, { signal }, (memory, cancel) => memory.edges(wanted, cancel));
    return found.map(edge);
  }

  /** As {@link GraphMethods.edges}, blocking. */
  edgesSync(filter: EdgeFilter): Edge[] {
    const wanted = edgeFilter(filter);
    return now(this, (memory) => memory.edgesSync(wanted)).map(edge);
  }

  /**
   * Makes an edge between two nodes that exist. An edge that is there already
   * only gets the new `meta`.
   *
   * @throws {MemoryError} `invalid_argument` naming `relation` when it does not
   * lead between such nodes; `not_found` naming `sourceId` or `destinationId`;
   * `invariant_violation` when a node would lead to itself, or for
   * `blocked_by`, `blocked_by_suggested` and `resolves_to`, which only the acts
   * on tasks make; `busy`, `full`, `io`.
   */
  async addEdge(ends: EdgeEnds, options?: EdgeOptions & CallOptions): Promise<Edge> {
    const { signal, rest } = splitSignal(options);
    const [checked, meta] = [edgeEnds(ends), metaOption(rest)];
    return edge(
      await write(this, { signal }, (memory, cancel) => memory.addEdge(checked, meta, cancel)),
    );
  }

  /** As {@link GraphMethods.addEdge}, blocking. */
  addEdgeSync(ends: EdgeEnds, options?: EdgeOptions): Edge {
    const [checked, meta] = [edgeEnds(ends), metaOption(options)];
    return edge(now(this, (memory) => memory.addEdgeSync(checked, meta)));
  }

  /**
   * Removes an edge; it stays readable with `asOf`. False when there is none.
   *
   * @throws {MemoryError} `invariant_violation` for the edges of tasks, which
   * only acts on tasks change; `invalid_argument`, `busy`, `full`, `io`.
   */
  async removeEdge(ends: EdgeEnds, options?: CallOptions): Promise<boolean> {
    const checked = edgeEnds(ends);
    return write(this, options, (memory, cancel) => memory.removeEdge(checked, cancel));
  }

  /** As {@link GraphMethods.removeEdge}, blocking. */
  removeEdgeSync(ends: EdgeEnds): boolean {
    const checked = edgeEnds(ends);
    return now(this, (memory) => memory.removeEdgeSync(checked));
  }

  /**
   * Replaces every edge of one relation from a node, at once: `targets` are the
   * new destinations, at most 10,000.
   *
   * @throws {MemoryError} As {@link GraphMethods.addEdge}, naming the target,
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

  /** As {@link GraphMethods.replaceEdges}, blocking. */
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
   * An entry and all that was derived from it, nearest first, at most ten
   * derivations deep; circles end.
   *
   * @throws {MemoryError} `not_found`; `invalid_argument`, `corrupt`, `io`.
   */
  async lineage(entry: string, options?: CallOptions): Promise<LineageStep[]> {
    const id = text('entry', entry);
    return read(this, options, (memory, cancel) => memory.lineage(id, cancel)) as Promise<
      LineageStep[]
    >;
  }

  /** As {@link GraphMethods.lineage}, blocking. */
  lineageSync(entry: string): LineageStep[] {
    const id = text('entry', entry);
    return now(this, (memory) => memory.lineageSync(id)) as LineageStep[];
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

  /** As {@link GraphMethods.relatedEntries}, blocking. */
  relatedEntriesSync(entry: string): RelatedEntry[] {
    const id = text('entry', entry);
    return now(this, (memory) => memory.relatedEntriesSync(id));
  }
}
