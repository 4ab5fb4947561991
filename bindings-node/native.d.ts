// Written by scripts/native-types. Do not edit.

export type Name = number | string;
export type Outcome<T> = T | Failure;
export type Time = number | string;

/** A failure, as data. The property `failureCode` tells it from every result. */
export interface Failure {
  /**
   * The stable code, for example `not_found`; `aborted` when the call was
   * cancelled before it began.
   */
  failureCode: string
  /** What happened and what to do next, in English. */
  message: string
  /** The argument that was wrong, as JavaScript spells it. */
  argument: string | null
  /** Whether the same call may succeed later. */
  retryable: boolean
  /** Whether the memory must be opened again first. */
  needsReopen: boolean
  /** The messages of the causes, the nearest first. */
  causes: Array<string>
}

export interface NativeAppended {
  id: string
  seq: number
  citation: string
  duplicate: boolean
  privacy: NativePrivacy
  truncatedBytes: number
  warnings: Array<string>
}

/** Cancels one call. */
export declare class NativeCancel {
  /** A switch for one call. */
  constructor()
  /** Cancels the call. True when it had not begun, and so never will. */
  cancel(): boolean
}

/** A running read of events. An empty step is the end. */
export declare class NativeCursor {
  /** Up to `count` further events. */
  next(count: number, cancel?: NativeCancel | undefined | null): Promise<Array<NativeEvent> | Failure>
  /** As `next`, blocking. */
  nextSync(count: number): Outcome<Array<NativeEvent>>
  /** Ends the read and releases the store. */
  close(): void
}

export interface NativeDetail {
  event: NativeEvent
  tokenCount: number
  hasCode: boolean
  files: Array<string>
  tools: Array<string>
  relations: NativeRelations
}

/** An event; `metadata_json` is JSON text. */
export interface NativeEvent {
  id: string
  seq: number
  citation: string
  kind: string
  session: string
  project: string
  actor: string
  origin: string
  timestamp: number
  content: string
  canonicalKey: string
  metadataJson: string | null
  tool: NativeToolRecord | null
  privacy: NativePrivacy
}

/** Which events are read. */
export interface NativeEventFilter {
  session?: string
  project?: string
  allProjects?: boolean
  kinds?: Array<string>
  from?: Time
  until?: Time
  tool?: string
  fileContains?: string
  newestFirst?: boolean
  limit?: number
}

export interface NativeFailedFile {
  path: string
  reason: string
}

export interface NativeHit {
  id: string
  seq: number
  citation: string
  kind: string
  session: string
  project: string
  actor: string
  timestamp: number
  summary: string
  passage: NativePassage
  rankScore: number
  matchScore: number
  relevance: number
}

/** How transcripts are imported. */
export interface NativeImportOptions {
  hasToolObservations?: boolean
  keepsBlankText?: boolean
  responseLimitUtf16?: number
  limit?: number
  maxLineBytes?: number
}

/**
 * How far an import has come. Sizes above 2^53 bytes do not exist, so that
 * this conversion cannot fail in the middle of an import.
 */
export interface NativeImportProgress {
  filesDone: number
  filesTotal: number
  bytesDone: number
  bytesTotal: number
  eventsStored: number
}

/**
 * What an import did; `progress_calls` is how often the callback was called,
 * so that the TypeScript layer can wait for the last one.
 */
export interface NativeImportReport {
  files: number
  totalMessages: number
  importedPrompts: number
  importedResponses: number
  importedTools: number
  skippedDuplicates: number
  errors: number
  failedFiles: Array<NativeFailedFile>
  refused: Array<string>
  progressCalls: number
}

export interface NativeLexicalStats {
  segments: number
  foldedEvents: number
  tailEvents: number
  lastFold: number | null
}

/** An open memory, or what is left of it after `close`. */
export declare class NativeMemory {
  /** The folder of the memory. */
  get path(): string
  /** The project that the memory was opened for. */
  get project(): string
  append(event: NativeNewEvent, cancel?: NativeCancel | undefined | null): Promise<NativeAppended | Failure>
  appendSync(event: NativeNewEvent): Outcome<NativeAppended>
  appendBatch(events: Array<NativeNewEvent>, cancel?: NativeCancel | undefined | null): Promise<Array<NativeAppended> | Failure>
  appendBatchSync(events: Array<NativeNewEvent>): Outcome<Array<NativeAppended>>
  event(event: Name, cancel?: NativeCancel | undefined | null): Promise<NativeEvent | null | Failure>
  eventSync(event: Name): Outcome<NativeEvent | undefined | null>
  citation(text: string, cancel?: NativeCancel | undefined | null): Promise<NativeEvent | Failure>
  citationSync(text: string): Outcome<NativeEvent>
  events(filter: NativeEventFilter, cancel?: NativeCancel | undefined | null): Promise<NativeCursor | Failure>
  eventsSync(filter: NativeEventFilter): Outcome<NativeCursor>
  changesSince(seq: number, limit: number, cancel?: NativeCancel | undefined | null): Promise<Array<NativeEvent> | Failure>
  changesSinceSync(seq: number, limit: number): Outcome<Array<NativeEvent>>
  sessions(project?: string | undefined | null, allProjects?: boolean | undefined | null, cancel?: NativeCancel | undefined | null): Promise<Array<NativeSession> | Failure>
  sessionsSync(project?: string | undefined | null, allProjects?: boolean | undefined | null): Outcome<Array<NativeSession>>
  session(id: string, cancel?: NativeCancel | undefined | null): Promise<NativeSession | null | Failure>
  sessionSync(id: string): Outcome<NativeSession | undefined | null>
  updateSession(id: string, update: NativeSessionUpdate, cancel?: NativeCancel | undefined | null): Promise<NativeSession | Failure>
  updateSessionSync(id: string, update: NativeSessionUpdate): Outcome<NativeSession>
  search(query: NativeQuery, cancel?: NativeCancel | undefined | null): Promise<NativeSearchResult | Failure>
  searchSync(query: NativeQuery): Outcome<NativeSearchResult>
  timeline(events: Array<Name>, window?: number | undefined | null, cancel?: NativeCancel | undefined | null): Promise<Array<NativeTimelineItem> | Failure>
  timelineSync(events: Array<Name>, window?: number | undefined | null): Outcome<Array<NativeTimelineItem>>
  details(events: Array<Name>, cancel?: NativeCancel | undefined | null): Promise<Array<NativeDetail> | Failure>
  detailsSync(events: Array<Name>): Outcome<Array<NativeDetail>>
  /**
   * The callback is told of the progress but not waited for; the import ends
   * early when it is cancelled.
   */
  importClaudeCode(path: string, options: NativeImportOptions, onProgress: ((progress: NativeImportProgress) => void) | undefined | null, cancel?: NativeCancel | undefined | null): Promise<NativeImportReport | Failure>
  /**
   * As `import_claude_code`, blocking; the import ends when the callback
   * gives false.
   */
  importClaudeCodeSync(path: string, options: NativeImportOptions, onProgress?: ((progress: NativeImportProgress) => boolean) | undefined | null): Outcome<NativeImportReport>
  stats(cancel?: NativeCancel | undefined | null): Promise<NativeStats | Failure>
  statsSync(): Outcome<NativeStats>
  /** Closes the handle on a worker, where the store file is released. */
  close(): Promise<undefined | Failure>
  /** As `close`, blocking. */
  closeSync(): Outcome<undefined>
  /** Whether the handle is open. */
  get isOpen(): boolean
  /** Whether an earlier panic left the handle unusable. */
  get isPoisoned(): boolean
}

/**
 * An event to be remembered. `metadata_json` is JSON text; `has_dedupe` is
 * false when every call shall store an event.
 */
export interface NativeNewEvent {
  kind: string
  session: string
  content?: string
  actor?: string
  origin?: string
  project?: string
  timestamp?: Time
  metadataJson?: string
  hasDedupe?: boolean
  dedupeKey?: string
  tool?: NativeToolUse
}

/** How a memory is opened. */
export interface NativeOpenOptions {
  project?: string
  create?: boolean
  exclusive?: boolean
  cacheBytes?: number
  indexCacheBytes?: number
  busyTimeoutMs?: number
  allowNetworkFolder?: boolean
}

/** A part of a content; `start` and `end` count UTF-16 code units. */
export interface NativePassage {
  text: string
  start: number
  end: number
  startByte: number
  endByte: number
}

export interface NativePrivacy {
  privateCount: number
  secretCount: number
  anonymizedCount: number
  originalBytes: number
  filteredBytes: number
}

export interface NativePrivacyTotals {
  privateSections: number
  secretsMasked: number
  bytesFiltered: number
}

/** What a search asks for. */
export interface NativeQuery {
  text: string
  limit?: number
  session?: string
  project?: string
  allProjects?: boolean
  kinds?: Array<string>
  from?: Time
  until?: Time
  minRelevance?: number
  deadlineMs?: number
}

export interface NativeRelations {
  parent: string | null
  children: Array<string>
  previous: string | null
  next: string | null
}

export interface NativeSearchResult {
  items: Array<NativeHit>
  confidence: string
  degraded: boolean
  totalMatches: number
}

export interface NativeSession {
  id: string
  project: string
  started: number
  ended: number | null
  lastEvent: number
  summary: string | null
  tags: Array<string>
  events: number
  prompts: number
  responses: number
  tools: number
}

/** A change of a session. */
export interface NativeSessionUpdate {
  project?: string
  started?: Time
  ended?: Time
  summary?: string
  tags?: Array<string>
}

export interface NativeStats {
  events: number
  prompts: number
  responses: number
  summaries: number
  tools: number
  sessions: number
  projects: number
  forgotten: number
  erased: number
  lastSeq: number
  oldest: number | null
  newest: number | null
  payloadBytes: number
  logBytes: number
  sizeBytes: number
  lastAppend: number | null
  privacy: NativePrivacyTotals
  lexical: NativeLexicalStats
}

export interface NativeTimelineItem {
  id: string
  seq: number
  citation: string
  kind: string
  session: string
  actor: string
  timestamp: number
  preview: string
  isTarget: boolean
}

/** A stored tool call; `input_json` and `metadata_json` are JSON text. */
export interface NativeToolRecord {
  name: string
  inputJson: string | null
  output: string
  durationMs: number | null
  success: boolean
  error: string | null
  promptIndex: number | null
  toolIndex: number | null
  metadataJson: string
}

/** A tool call. `input_json` is JSON text. */
export interface NativeToolUse {
  name: string
  inputJson?: string
  output?: string
  durationMs?: number
  success?: boolean
  error?: string
  promptIndex?: number
  toolIndex?: number
}

/** The folder of the user's memory unless a host chooses another. */
export declare function defaultStorePath(): Outcome<string>

/** Every error code, in numeric order. */
export declare function errorCodes(): Array<string>

/** Every event kind, in numeric order. */
export declare function eventKinds(): Array<string>

/** Opens a memory on a worker. */
export declare function open(path: string, options: NativeOpenOptions, cancel?: NativeCancel | undefined | null): Promise<NativeMemory | Failure>

/** Opens a memory, blocking. */
export declare function openSync(path: string, options: NativeOpenOptions): Outcome<NativeMemory>

/** The project of a working folder, on a worker. */
export declare function projectOf(folder: string): Promise<string | Failure>

/** The project of a working folder, blocking. */
export declare function projectOfSync(folder: string): Outcome<string>

/** The version of the library, for example `0.1.0`. */
export declare function version(): string
