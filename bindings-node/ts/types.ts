/**
 * What goes in and what comes out. Two rules hold everywhere:
 *
 * - a time that you give is a `Date`, a number of milliseconds since 1970 UTC,
 *   or an ISO 8601 string; a time that you get is a number of milliseconds;
 * - a field of a result is always there: `null` says that there is no value.
 */

import type { Signal } from './platform-types.js';

/** A time as you may give it: a Date, milliseconds since 1970 UTC, or an ISO 8601 string. */
export type TimeInput = Date | number | string;

/** The name of an event: its id, its citation (`a7Bc3x`, `mem:a7Bc3x`, `[mem:a7Bc3x]`) or its seq. */
export type EventName = string | number;

/** A JSON value. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  [key: string]: JsonValue;
}

/** The kinds of events that make up a conversation, which `search` finds. */
export type ConversationKind =
  | 'user_prompt'
  | 'agent_response'
  | 'session_summary'
  | 'tool_observation';

/** What an event records. */
export type EventKind =
  | ConversationKind
  | 'session_ingested'
  | 'memory_extracted'
  | 'evidence_aligned'
  | 'idris_checked'
  | 'entry_changed'
  | 'build_run'
  | 'decision_made'
  | 'conflict_changed'
  | 'pipeline_metric'
  | 'edge_changed'
  | 'task_created'
  | 'task_status_changed'
  | 'task_priority_changed'
  | 'task_blockers_set'
  | 'task_transition_rejected'
  | 'condition_declared'
  | 'artifact_declared'
  | 'condition_resolved_to'
  | 'task_title_changed'
  | 'session_changed'
  | 'accessed'
  | 'injected'
  | 'forgotten'
  | 'erased'
  | 'level_changed'
  | 'consolidated'
  | 'continuity_scored'
  | 'setting_changed'
  | 'memory_resolved';

/** Where an event's text came from. */
export type Origin = 'user' | 'assistant' | 'tool' | 'web' | 'recalled' | 'system';

/** What may be done with a match: use it, offer it, or neither. */
export type MatchClass = 'high' | 'suggested' | 'none';

/** What every asynchronous call takes. */
export interface CallOptions {
  /**
   * Ends the call early: the promise is rejected with the signal's reason. A
   * write that a worker has begun is not undone; its promise then resolves.
   */
  readonly signal?: Signal | undefined;
}

/** Which projects a read looks at. Default: the project that the memory was opened for. */
export interface ProjectFilter {
  /** Only this project; the empty name is "events without a project". */
  readonly project?: string | undefined;
  /** Every project of the store. Default: false. */
  readonly allProjects?: boolean | undefined;
}

/** One call of a tool, as the host saw it. */
export interface ToolUse {
  /** The tool's name, for example `Read`. */
  readonly name: string;
  /** The arguments. */
  readonly input?: JsonValue | undefined;
  /** What the tool returned, as text. */
  readonly output?: string | undefined;
  /** How long it ran, in milliseconds. */
  readonly durationMs?: number | undefined;
  /** Whether it succeeded. Default: whether `error` is absent. */
  readonly success?: boolean | undefined;
  /** The error message, when it failed. */
  readonly error?: string | undefined;
  /** Which prompt of the session caused the call, counted from 0. */
  readonly promptIndex?: number | undefined;
  /** Which call within that prompt this is, counted from 0. */
  readonly toolIndex?: number | undefined;
}

/** An event to be remembered. */
export interface NewEvent {
  /** What it records. */
  readonly kind: EventKind;
  /** The conversation it belongs to; 1 to 1,024 bytes of UTF-8. */
  readonly session: string;
  /** The text. A tool observation may leave it out: it is then made from `tool`. */
  readonly content?: string | undefined;
  /** Who said or did it. Default: derived from the kind. */
  readonly actor?: string | undefined;
  /** Where the text came from. Default: derived from the kind. */
  readonly origin?: Origin | undefined;
  /** The project. Default: the project that the memory was opened for. */
  readonly project?: string | undefined;
  /** When it happened. Default: now. */
  readonly timestamp?: TimeInput | undefined;
  /** Anything else; it must be writable as JSON. */
  readonly metadata?: JsonObject | undefined;
  /**
   * How a repetition is recognised: the same `content` in the same session is
   * stored once (the default), the same `key` is stored once, or `none`.
   */
  readonly dedupe?: 'content' | 'none' | { readonly key: string } | undefined;
  /** The tool call, for a tool observation. */
  readonly tool?: ToolUse | undefined;
}

/** What the privacy filter did to one event. */
export interface PrivacyReport {
  /** Private sections that were taken out. */
  readonly privateCount: number;
  /** Secrets that were masked. */
  readonly secretCount: number;
  /** Personal data that was anonymised. */
  readonly anonymizedCount: number;
  /** Length of the text before filtering, in bytes of UTF-8. */
  readonly originalBytes: number;
  /** Length of the text after filtering, in bytes of UTF-8. */
  readonly filteredBytes: number;
}

/** The receipt of an append. */
export interface Appended {
  /** The event's id: the stored one's when this was a duplicate. */
  readonly id: string;
  /** The event's position in the log. */
  readonly seq: number;
  /** The event's citation, without `mem:`. */
  readonly citation: string;
  /** True when the same event was there already and nothing was written. */
  readonly duplicate: boolean;
  /** What the privacy filter did. */
  readonly privacy: PrivacyReport;
  /** How many bytes of tool output were cut away. */
  readonly truncatedBytes: number;
  /** Things you should know, for example an unclosed private tag. */
  readonly warnings: readonly string[];
}

/** The stored form of a tool call: masked and cut. */
export interface ToolRecord {
  /** The tool's name. */
  readonly name: string;
  /** The masked arguments. */
  readonly input: JsonValue;
  /** The masked output. */
  readonly output: string;
  /** How long it ran, in milliseconds. */
  readonly durationMs: number | null;
  /** Whether it succeeded. */
  readonly success: boolean;
  /** The masked error message. */
  readonly error: string | null;
  /** Which prompt of the session caused the call, counted from 0. */
  readonly promptIndex: number | null;
  /** Which call within that prompt this is, counted from 0. */
  readonly toolIndex: number | null;
  /** What was derived from the call (file path, exit code, …). */
  readonly metadata: JsonObject;
}

/** A remembered event. */
export interface Event {
  /** Its id, a UUIDv7. */
  readonly id: string;
  /** Its position in the log, from 1. */
  readonly seq: number;
  /** Its citation, without `mem:`; people read it as `[mem:a7Bc3x]`. */
  readonly citation: string;
  /** What it records. */
  readonly kind: EventKind;
  /** The conversation it belongs to. */
  readonly session: string;
  /** The project it belongs to; empty for none. */
  readonly project: string;
  /** Who said or did it. */
  readonly actor: string;
  /** Where the text came from. */
  readonly origin: Origin;
  /** When it happened, in milliseconds since 1970 UTC. */
  readonly timestamp: number;
  /** The filtered text, whole. */
  readonly content: string;
  /** The canonical key of the text. */
  readonly canonicalKey: string;
  /** What you attached. */
  readonly metadata: JsonObject | null;
  /** The tool call, for a tool observation. */
  readonly tool: ToolRecord | null;
  /** What the privacy filter did when it was stored. */
  readonly privacy: PrivacyReport;
}

/** Which events are read. Default: every conversation event of the project, oldest first. */
export interface EventFilter extends ProjectFilter {
  /** Only this session. */
  readonly session?: string | undefined;
  /** Only these kinds. Default: the four conversation kinds. */
  readonly kinds?: readonly EventKind[] | undefined;
  /** Only events at this time or later. */
  readonly from?: TimeInput | undefined;
  /** Only events before this time. */
  readonly until?: TimeInput | undefined;
  /** Only observations of this tool. */
  readonly tool?: string | undefined;
  /** Only tool observations about a file whose path contains this. */
  readonly fileContains?: string | undefined;
  /** Newest first instead of oldest first. Default: false. */
  readonly newestFirst?: boolean | undefined;
  /** At most this many events. Default: all. */
  readonly limit?: number | undefined;
}

/** What narrows every kind of recall. */
export interface SearchFilter extends ProjectFilter {
  /** Only these kinds. Default: all four. */
  readonly kinds?: readonly ConversationKind[] | undefined;
  /** Only events at this time or later. */
  readonly from?: TimeInput | undefined;
  /** Only events before this time. */
  readonly until?: TimeInput | undefined;
  /** Only hits whose relevance is at least this, 0 to 1. Default: all. */
  readonly minRelevance?: number | undefined;
  /**
   * Whether recalled text that came back (an agent quoting its context) is found
   * too. Default: false, or a memory would soon find its own answers.
   */
  readonly includeRecalled?: boolean | undefined;
  /**
   * After this many milliseconds the result so far is given, marked `degraded`.
   * The time that the call waits for a worker counts. Default: no limit.
   */
  readonly deadlineMs?: number | undefined;
}

/** What narrows a search. */
export interface SearchOptions extends SearchFilter {
  /** At most this many hits, 1 to 1,000. Default: 10. */
  readonly limit?: number | undefined;
  /** Only this session. */
  readonly session?: string | undefined;
  /**
   * The vector of what is looked for, as the memory's embedder would give it,
   * instead of asking it about the text, which may then be empty.
   */
  readonly vector?: Float32Array | readonly number[] | undefined;
}

/** A part of an event's content: `content.slice(start, end) === text`. */
export interface Passage {
  /** The text of the passage. */
  readonly text: string;
  /** Where it begins in the content, as an index into the JavaScript string (UTF-16). */
  readonly start: number;
  /** Where it ends in the content, exclusive, as an index into the JavaScript string. */
  readonly end: number;
  /** Where it begins in the content's UTF-8 form, in bytes. */
  readonly startByte: number;
  /** Where it ends in the content's UTF-8 form, in bytes, exclusive. */
  readonly endByte: number;
}

/** One event that was found. */
export interface Hit {
  /** The event's id. */
  readonly id: string;
  /** The event's position in the log. */
  readonly seq: number;
  /** The event's citation, without `mem:`. */
  readonly citation: string;
  /** What the event records. */
  readonly kind: ConversationKind;
  /** The conversation it belongs to. */
  readonly session: string;
  /** The project it belongs to; empty for none. */
  readonly project: string;
  /** Who said or did it. */
  readonly actor: string;
  /** Where the text came from. */
  readonly origin: Origin;
  /** When it happened, in milliseconds since 1970 UTC. */
  readonly timestamp: number;
  /** One line of at most 100 characters. */
  readonly summary: string;
  /** The passage that matched best. */
  readonly passage: Passage;
  /** Orders the hits of one search; comparable only within it. */
  readonly rankScore: number;
  /** The specified match score, 0 to 1. */
  readonly matchScore: number;
  /** How likely the hit answers the query, 0 to 1, calibrated. */
  readonly relevance: number;
}

/** What a search found. */
export interface SearchResult {
  /** The hits, best first. */
  readonly items: readonly Hit[];
  /** How sure the best hit is. `none` is an answer. */
  readonly confidence: MatchClass;
  /** True when there may be better hits: the deadline, damage or the embedder kept something out. */
  readonly degraded: boolean;
  /** How many events matched at all, before `limit`. */
  readonly totalMatches: number;
}

/** One event of a timeline. */
export interface TimelineItem {
  /** The event's id. */
  readonly id: string;
  /** Its position in the log. */
  readonly seq: number;
  /** Its citation, without `mem:`. */
  readonly citation: string;
  /** What it records. */
  readonly kind: EventKind;
  /** Its session. */
  readonly session: string;
  /** Who said or did it. */
  readonly actor: string;
  /** When it happened, in milliseconds since 1970 UTC. */
  readonly timestamp: number;
  /** One line of at most 200 characters. */
  readonly preview: string;
  /** Whether it is one of the events that were asked for. */
  readonly isTarget: boolean;
}

/** How an event stands to others of its session; each is an event id. */
export interface Relations {
  /** The prompt that a response or tool observation answers. */
  readonly parent: string | null;
  /** The responses and tool observations that a prompt led to. */
  readonly children: readonly string[];
  /** The event before it in the session. */
  readonly previous: string | null;
  /** The event after it in the session. */
  readonly next: string | null;
}

/** One event in full, with what stands beside it. */
export interface Detail {
  /** The event. */
  readonly event: Event;
  /** Estimated tokens of its content. */
  readonly tokenCount: number;
  /** Whether the content holds a fenced block of code. */
  readonly hasCode: boolean;
  /** Paths of files that the content names. */
  readonly files: readonly string[];
  /** Tools that the content names. */
  readonly tools: readonly string[];
  /** The events it belongs to. */
  readonly relations: Relations;
}

/** One conversation. */
export interface Session {
  /** Its name, as events carry it. */
  readonly id: string;
  /** The project of its first event; empty for none. */
  readonly project: string;
  /** When it began, in milliseconds since 1970 UTC. */
  readonly started: number;
  /** When it ended, when it was ended. */
  readonly ended: number | null;
  /** The time of its newest conversation event. */
  readonly lastEvent: number;
  /** Its summary, when it was given one. */
  readonly summary: string | null;
  /** Its tags. */
  readonly tags: readonly string[];
  /** Conversation events that it holds. */
  readonly events: number;
  /** Prompts among them. */
  readonly prompts: number;
  /** Responses among them. */
  readonly responses: number;
  /** Tool observations among them. */
  readonly tools: number;
}

/** A change of a session. What is left out stays as it is. */
export interface SessionUpdate {
  /** The project it belongs to. */
  readonly project?: string | undefined;
  /** When it began. */
  readonly started?: TimeInput | undefined;
  /** When it ended. */
  readonly ended?: TimeInput | undefined;
  /** Its summary; passes the privacy filter. */
  readonly summary?: string | undefined;
  /** Its tags. */
  readonly tags?: readonly string[] | undefined;
}

/** How many changes are read. */
export interface ChangesOptions {
  /** At most this many events. Default: 1,000. */
  readonly limit?: number | undefined;
}

/** How much of a timeline is shown. */
export interface TimelineOptions {
  /** How many events before and after each target, 0 to 100. Default: 3. */
  readonly window?: number | undefined;
}

/** How far an import has come. */
export interface ImportProgress {
  /** Files that are done. */
  readonly filesDone: number;
  /** Files in all. */
  readonly filesTotal: number;
  /** Bytes of the files that are done. */
  readonly bytesDone: number;
  /** Bytes in all. */
  readonly bytesTotal: number;
  /** Events stored so far, duplicates not counted. */
  readonly eventsStored: number;
}

/** What of a transcript is read, whichever way it is imported. */
export interface ImportSettings {
  /** Whether tool calls are read. Default: true. */
  readonly hasToolObservations?: boolean | undefined;
  /** Whether prompts and responses of blank text only are kept. Default: false. */
  readonly keepsBlankText?: boolean | undefined;
  /** How much of a response is kept, in UTF-16 code units. Default: all of it. */
  readonly responseLimitUtf16?: number | undefined;
  /** After how many prompts and responses of a file the import stops. Default: never. */
  readonly limit?: number | undefined;
  /** The longest line that is read, in bytes. Default: 64 MB. */
  readonly maxLineBytes?: number | undefined;
}

/** How transcripts are imported in the background. */
export interface ImportOptions extends ImportSettings, CallOptions {
  /**
   * Told after each transaction. When it gives (or resolves to) `false`, the
   * import ends soon and what was stored stays. It is not waited for.
   */
  readonly onProgress?:
    | ((progress: ImportProgress) => boolean | void | Promise<boolean | void>)
    | undefined;
}

/** How transcripts are imported while the thread waits. */
export interface ImportSyncOptions extends ImportSettings {
  /** Called after each transaction; the import ends when it gives `false`. */
  readonly onProgress?: ((progress: ImportProgress) => boolean | void) | undefined;
}

/** A file that could not be imported. */
export interface FailedFile {
  /** Its path. */
  readonly path: string;
  /** Why. */
  readonly reason: string;
}

/** What an import did. */
export interface ImportReport {
  /** Files that were read. */
  readonly files: number;
  /** Lines that are JSON, of any kind. */
  readonly totalMessages: number;
  /** Prompts that were stored. */
  readonly importedPrompts: number;
  /** Responses that were stored. */
  readonly importedResponses: number;
  /** Tool calls that were stored. */
  readonly importedTools: number;
  /** Items that the store already had. */
  readonly skippedDuplicates: number;
  /** Lines that could not be read. */
  readonly errors: number;
  /** Files that could not be read, and why; the others were imported. */
  readonly failedFiles: readonly FailedFile[];
  /** Events that were refused, and why: at most the first ten. */
  readonly refused: readonly string[];
}

/** What the privacy filter took out of the whole store. */
export interface PrivacyTotals {
  /** Private sections. */
  readonly privateSections: number;
  /** Masked secrets. */
  readonly secretsMasked: number;
  /** Bytes that were not stored because of it. */
  readonly bytesFiltered: number;
}

/** How the lexical index stands. */
export interface LexicalStats {
  /** Immutable segments. */
  readonly segments: number;
  /** Events in them. */
  readonly flushedEvents: number;
  /** Events that wait in the memtable; they are found as well. */
  readonly memtableEvents: number;
  /** When events were last flushed into a segment, in milliseconds since 1970 UTC. */
  readonly lastFlush: number | null;
  /** Segments that a search of this process found damaged; `rebuild` makes them again. */
  readonly damagedSegments: number;
  /** Events in the memtable whose index entry is damaged. */
  readonly damagedEvents: number;
}

/** How one layer that is made from the log stands. */
export interface LayerStats {
  /** The layer, for example `tasks` or `working_set`. */
  readonly name: string;
  /** How much it holds. */
  readonly size: number;
  /** How much waits to be moved into it by `maintain`. */
  readonly backlog: number;
  /** When it last moved, in milliseconds since 1970 UTC. */
  readonly lastMoved: number | null;
}

/** How the embedding of events stands, for the active embedder. */
export interface EmbeddingStats {
  /** The embedding version: the embedder's id and fingerprint. */
  readonly version: string;
  /** Numbers per vector. */
  readonly dimensions: number;
  /** Vectors that are stored. */
  readonly vectors: number;
  /** Jobs that wait. */
  readonly pending: number;
  /** Jobs that a worker has. */
  readonly processing: number;
  /** Jobs that are done and not yet cleaned up. */
  readonly done: number;
  /** Jobs whose last attempt failed; ten or more mean that the embedder is probably broken. */
  readonly failed: number;
  /** Positions of the log from before this embedder that are still to be looked through. */
  readonly toEnqueue: number;
  /** How long successful jobs took on average, in milliseconds. */
  readonly averageProcessingMs: number | null;
  /** When a job was last done, in milliseconds since 1970 UTC. */
  readonly lastProcessed: number | null;
  /** When the oldest waiting job was enqueued; an hour ago means that nothing works them off. */
  readonly oldestPending: number | null;
  /** Vectors in graphs of this process, which its searches use; see `vectorGraphFrom`. */
  readonly graphVectors: number;
  /**
   * Vectors in files that are large enough for a graph and whose graph this process
   * has not finished; what `maintain` put into it is not counted.
   */
  readonly graphWaiting: number;
}

/** What was given to agents as context, and an estimate of whether they took it up. */
export interface InjectionStats {
  /** How often context was given. */
  readonly injections: number;
  /** How many memories were given, all times together. */
  readonly memories: number;
  /** How many tokens were given, all times together. */
  readonly tokens: number;
  /** Injections that a response followed. */
  readonly judged: number;
  /** Injections of which at least one memory was reused. */
  readonly reused: number;
  /** Memories of the judged injections. */
  readonly judgedMemories: number;
  /** Memories that were reused. */
  readonly reusedMemories: number;
  /** When context was last given, in milliseconds since 1970 UTC. */
  readonly last: number | null;
}

/** Figures about a store: how much each layer holds and when it last moved. */
export interface Stats {
  /** Live events of every kind. */
  readonly events: number;
  /** Live prompts. */
  readonly prompts: number;
  /** Live responses. */
  readonly responses: number;
  /** Live session summaries. */
  readonly summaries: number;
  /** Live tool observations. */
  readonly tools: number;
  /** Sessions. */
  readonly sessions: number;
  /** Projects, not counting "no project". */
  readonly projects: number;
  /** Events that were forgotten. */
  readonly forgotten: number;
  /** Events that were erased. */
  readonly erased: number;
  /** The last position of the log; 0 in an empty store. */
  readonly lastSeq: number;
  /** The time of the oldest live event, in milliseconds since 1970 UTC. */
  readonly oldest: number | null;
  /** The time of the newest live event. */
  readonly newest: number | null;
  /** Bytes of text in live events. */
  readonly payloadBytes: number;
  /** Bytes of records in the log. */
  readonly logBytes: number;
  /** Bytes of all files of the store. */
  readonly sizeBytes: number;
  /** The size above which receipts warn, in bytes. */
  readonly quotaBytes: number;
  /** Whether the store is larger than that. */
  readonly isOverQuota: boolean;
  /** When something was last appended. */
  readonly lastAppend: number | null;
  /** What the privacy filter took out so far. */
  readonly privacy: PrivacyTotals;
  /** The lexical index. */
  readonly lexical: LexicalStats;
  /** The active embedder's vectors and jobs; `null` until one was configured. */
  readonly embedding: EmbeddingStats | null;
  /** What was learned, layer by layer. */
  readonly layers: readonly LayerStats[];
  /** What was given to agents, and whether they took it up. */
  readonly injections: InjectionStats;
  /**
   * Erasures that are not complete; 0 as a rule. `uncleanPlaces` says what they
   * wait for; `maintain` goes on with them.
   */
  readonly openErasures: number;
  /** Files that may still hold erased text, in plain words. */
  readonly uncleanPlaces: readonly string[];
}
