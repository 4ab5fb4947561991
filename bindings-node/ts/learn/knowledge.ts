/** What was learned: entries, the edges between them, conflicts and questions. */

import type * as Native from '../../native';

import { Area } from '../area.js';
import { splitSignal } from '../calls.js';
import { list, name, record, required, text } from '../check.js';
import { invalid } from '../errors.js';
import { newEntry } from '../generated/fields.js';
import { edge } from '../generated/parsed.js';
import type {
  Conflict,
  Edge,
  EffectiveMemory,
  EntryHit,
  ExtractionRequest,
  LearnedEntry,
  LineageStep,
  MemoryResolution,
  NewEntry,
  Placeholder,
  Relation,
} from '../generated/types.js';
import { now, read, write } from '../handle.js';
import type { CallOptions, EventName } from '../types.js';
import type {
  ConflictVerdict,
  ContradictOptions,
  EdgeEnds,
  EdgeFilter,
  EdgeOptions,
  EntryFilter,
  ExtractionRequestOptions,
  GraphNode,
  MemoryAnswer,
  RelatedEntry,
  ReplacedEdges,
} from './types.js';

function entryFilter(value: unknown): Native.NativeEntryFilter {
  return record('filter', value, {
    project: 'string',
    allProjects: 'boolean',
    entryType: 'string',
    minStage: 'string',
    status: 'string',
    session: 'string',
    asOf: 'time',
    text: 'string',
    limit: 'number',
  });
}

function reasonOption(value: unknown): string | undefined {
  return (record('options', value, { reason: 'string' }) as { reason?: string }).reason;
}

function conflictVerdict(value: unknown): Native.NativeConflictVerdict {
  if (value === undefined || value === null) throw invalid('verdict', 'is missing');
  const fields = { inFavourOf: 'string', resolution: 'string', resolvedBy: 'string' } as const;
  const checked = record('verdict', value, fields);
  required(checked, Object.keys(fields));
  return checked as unknown as Native.NativeConflictVerdict;
}

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

function requestOptions(value: unknown): ExtractionRequestOptions {
  return record('options', value, { budgetTokens: 'number' });
}

/** Learned entries, the edges of their graph, conflicts and uncertain memories. */
export class Knowledge extends Area {
  /**
   * Learned entries that fit a filter, the one learned last in front.
   *
   * @throws {MemoryError} `invalid_argument`, `corrupt`, `io`.
   */
  async entries(filter?: EntryFilter & CallOptions): Promise<LearnedEntry[]> {
    const { signal, rest } = splitSignal(filter);
    const wanted = entryFilter(rest);
    return read(this, { signal }, (memory, cancel) => memory.entries(wanted, cancel)) as Promise<
      LearnedEntry[]
    >;
  }

  /** As {@link Knowledge.entries}, blocking. */
  entriesSync(filter?: EntryFilter): LearnedEntry[] {
    const wanted = entryFilter(filter);
    return now(this, (memory) => memory.entriesSync(wanted)) as LearnedEntry[];
  }

  /**
   * Writes an entry without an extraction: a fact that a user states, a decision
   * that was made elsewhere. An event of the session proves it, whose words count as
   * its quote; without one, the content is remembered as said by the user. The same
   * entry again gives the one that is there.
   *
   * @throws {MemoryError} `invalid_argument` naming what is blank, private or too
   * long; `not_found` naming `event` when there is no such event, `invalid_argument`
   * when it belongs to another session; `busy`, `full`, `io`.
   */
  async addEntry(entry: NewEntry, options?: CallOptions): Promise<LearnedEntry> {
    const made = newEntry('entry', entry, '');
    return write(this, options, (memory, cancel) =>
      memory.addEntry(made, cancel),
    ) as Promise<LearnedEntry>;
  }

  /** As {@link Knowledge.addEntry}, blocking. */
  addEntrySync(entry: NewEntry): LearnedEntry {
    const made = newEntry('entry', entry, '');
    return now(this, (memory) => memory.addEntrySync(made)) as LearnedEntry;
  }

  /**
   * What to give to a language model of your own so that it extracts what a session
   * taught: the task, what is known already, and the messages that no model has
   * read, within a budget of estimated tokens (8,000 by default). Take its answer in
   * with the request's `messages`; the next request goes on behind them.
   *
   * ```js
   * const request = await memory.knowledge.extractionRequest('monday');
   * const answer = await askModel(request.prompt);
   * await memory.ingest('monday', answer, { messages: request.messages });
   * ```
   *
   * A first message that exceeds the budget alone is cut.
   *
   * @throws {MemoryError} `not_found` naming `session`; `invalid_argument` naming
   * `budgetTokens` below 2,000; `corrupt`, `io`.
   */
  async extractionRequest(
    session: string,
    options?: ExtractionRequestOptions & CallOptions,
  ): Promise<ExtractionRequest> {
    const { signal, rest } = splitSignal(options);
    const [wanted, { budgetTokens }] = [text('session', session), requestOptions(rest)];
    return read(this, { signal }, (memory, cancel) =>
      memory.extractionRequest(wanted, budgetTokens, cancel),
    );
  }

  /** As {@link Knowledge.extractionRequest}, blocking. */
  extractionRequestSync(session: string, options?: ExtractionRequestOptions): ExtractionRequest {
    const [wanted, { budgetTokens }] = [text('session', session), requestOptions(options)];
    return now(this, (memory) => memory.extractionRequestSync(wanted, budgetTokens));
  }

  /**
   * Learned entries that answer a question or hold some words, best first.
   * Related words and other forms count, as in `search`.
   *
   * Entries that were superseded or deprecated are left out unless the filter
   * asks for their `status` or for a moment (`asOf`); contested ones count less.
   * An entry that was confirmed to mean another one is replaced by it. At most
   * 10 unless the filter says otherwise.
   *
   * @throws {MemoryError} `invalid_argument` naming `query` when it is blank, or
   * a field of the filter; `corrupt`, `io`.
   */
  async search(query: string, filter?: EntryFilter & CallOptions): Promise<EntryHit[]> {
    const { signal, rest } = splitSignal(filter);
    const [words, wanted] = [text('query', query), entryFilter(rest)];
    return read(this, { signal }, (memory, cancel) =>
      memory.searchEntries(words, wanted, cancel),
    ) as Promise<EntryHit[]>;
  }

  /** As {@link Knowledge.search}, blocking. */
  searchSync(query: string, filter?: EntryFilter): EntryHit[] {
    const [words, wanted] = [text('query', query), entryFilter(filter)];
    return now(this, (memory) => memory.searchEntriesSync(words, wanted)) as EntryHit[];
  }

  /**
   * One learned entry, or `null`.
   *
   * @throws {MemoryError} `invalid_argument`, `corrupt`, `io`.
   */
  async entry(id: string, options?: CallOptions): Promise<LearnedEntry | null> {
    const wanted = text('id', id);
    return read(this, options, (memory, cancel) =>
      memory.entry(wanted, cancel),
    ) as Promise<LearnedEntry | null>;
  }

  /** As {@link Knowledge.entry}, blocking. */
  entrySync(id: string): LearnedEntry | null {
    const wanted = text('id', id);
    return now(this, (memory) => memory.entrySync(wanted)) as LearnedEntry | null;
  }

  /**
   * Says that `newer` takes the place of `older`, which stops holding when the
   * newer one began to hold. Saying it twice changes nothing.
   *
   * @throws {MemoryError} `not_found` naming the entry; `invalid_argument` when
   * both are the same; `invariant_violation` when another entry took the older
   * one's place already, or when the two would replace each other in a circle;
   * `busy`, `full`, `io`.
   */
  async supersede(older: string, newer: string, options?: CallOptions): Promise<void> {
    const [old, successor] = [text('older', older), text('newer', newer)];
    return write(this, options, (memory, cancel) => memory.supersede(old, successor, cancel));
  }

  /** As {@link Knowledge.supersede}, blocking. */
  supersedeSync(older: string, newer: string): void {
    const [old, successor] = [text('older', older), text('newer', newer)];
    now(this, (memory) => memory.supersedeSync(old, successor));
  }

  /**
   * Says that two entries disagree. Both count less until the conflict is
   * resolved. Saying it twice gives the conflict that is there.
   *
   * @throws {MemoryError} `not_found` naming the entry; `invalid_argument` when
   * both are the same; `invariant_violation` when one of them no longer counts
   * or they hold at different times; `busy`, `full`, `io`.
   */
  async contradict(
    older: string,
    newer: string,
    options?: ContradictOptions & CallOptions,
  ): Promise<Conflict> {
    const { signal, rest } = splitSignal(options);
    const [old, other, reason] = [text('older', older), text('newer', newer), reasonOption(rest)];
    return write(this, { signal }, (memory, cancel) =>
      memory.contradict(old, other, reason, cancel),
    ) as Promise<Conflict>;
  }

  /** As {@link Knowledge.contradict}, blocking. */
  contradictSync(older: string, newer: string, options?: ContradictOptions): Conflict {
    const [old, other] = [text('older', older), text('newer', newer)];
    const reason = reasonOption(options);
    return now(this, (memory) => memory.contradictSync(old, other, reason)) as Conflict;
  }

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
   * Raises a verified entry to certified: somebody vouches for it.
   *
   * @throws {MemoryError} `not_found`; `invariant_violation` with the reason
   * when the entry is not verified or does not count; `invalid_argument`,
   * `busy`, `full`, `io`.
   */
  async certify(id: string, certifiedBy: string, options?: CallOptions): Promise<void> {
    const [entry, who] = [text('id', id), text('certifiedBy', certifiedBy)];
    return write(this, options, (memory, cancel) => memory.certify(entry, who, cancel));
  }

  /** As {@link Knowledge.certify}, blocking. */
  certifySync(id: string, certifiedBy: string): void {
    const [entry, who] = [text('id', id), text('certifiedBy', certifiedBy)];
    now(this, (memory) => memory.certifySync(entry, who));
  }

  /**
   * Takes an entry back without a successor: it stops holding now.
   *
   * @throws {MemoryError} `not_found`; `invalid_argument`, `busy`, `full`, `io`.
   */
  async deprecate(id: string, options?: CallOptions): Promise<void> {
    const entry = text('id', id);
    return write(this, options, (memory, cancel) => memory.deprecate(entry, cancel));
  }

  /** As {@link Knowledge.deprecate}, blocking. */
  deprecateSync(id: string): void {
    const entry = text('id', id);
    now(this, (memory) => memory.deprecateSync(entry));
  }

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

  /** As {@link Knowledge.edges}, blocking. */
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

  /** As {@link Knowledge.addEdge}, blocking. */
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

  /** As {@link Knowledge.removeEdge}, blocking. */
  removeEdgeSync(ends: EdgeEnds): boolean {
    const checked = edgeEnds(ends);
    return now(this, (memory) => memory.removeEdgeSync(checked));
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

  /** As {@link Knowledge.lineage}, blocking. */
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

  /** As {@link Knowledge.relatedEntries}, blocking. */
  relatedEntriesSync(entry: string): RelatedEntry[] {
    const id = text('entry', entry);
    return now(this, (memory) => memory.relatedEntriesSync(id));
  }

  /**
   * The conflicts between entries, the one found first in front.
   *
   * @throws {MemoryError} `corrupt`, `io`.
   */
  async conflicts(options?: CallOptions): Promise<Conflict[]> {
    return read(this, options, (memory, cancel) => memory.conflicts(cancel)) as Promise<Conflict[]>;
  }

  /** As {@link Knowledge.conflicts}, blocking. */
  conflictsSync(): Conflict[] {
    return now(this, (memory) => memory.conflictsSync()) as Conflict[];
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

  /** As {@link Knowledge.markUnknownContext}, blocking. */
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

  /** As {@link Knowledge.placeholders}, blocking. */
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

  /** As {@link Knowledge.memoryResolutions}, blocking. */
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

  /** As {@link Knowledge.effectiveMemory}, blocking. */
  effectiveMemorySync(memory: string): EffectiveMemory {
    const id = text('memory', memory);
    return now(this, (native) => native.effectiveMemorySync(id)) as EffectiveMemory;
  }
}
