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

export interface NativeAlignOptions {
  fuzzyThreshold?: number
  maxFuzzyQuoteChars?: number
  rejectAmbiguous?: boolean
  sameFacts?: boolean
}

export interface NativeAlignedClaim {
  claimIndex: number
  start: number
  end: number
  startByte: number
  endByte: number
  matchMethod: string
  confidence: number
}

export interface NativeAlignment {
  messageIndex: number
  quote: string
  quoteHash: string
  start: number | null
  end: number | null
  startByte: number | null
  endByte: number | null
  matchedText: string | null
  matchMethod: string
  confidence: number
  ambiguous: boolean
  alternativeCount: number
  reason: string | null
  isAligned: boolean
}

export interface NativeAlignmentReport {
  evidenceAligned: boolean
  results: Array<NativeAlignment>
  alignedCount: number
  failedCount: number
}

export interface NativeAnnounced {
  identity: string
  name: string
}

export interface NativeAppended {
  id: string
  seq: number
  citation: string
  duplicate: boolean
  skipped: string | null
  privacy: NativePrivacyReport
  truncatedBytes: number
  warnings: Array<string>
}

export interface NativeArtifact {
  id: string
  canonicalKey: string
  kind: string
  identifier: string
  createdAt: number
}

/** Events that are to be appended together. */
export declare class NativeBatch {
  /** An empty batch. */
  constructor()
  /** Adds events at the end. */
  push(events: Array<NativeNewEvent>): void
}

export interface NativeBlockedTask {
  task: NativeTask
  blockers: Array<NativeEffectiveBlocker>
}

export interface NativeBlockerRef {
  kind: string
  entityId: string
  rawText: string
  confidence: string
  candidates: Array<NativeTaskCandidate>
}

export interface NativeBuildRun {
  buildId: string
  startedAt: number
  tools: NativeBuildTools
  status: string
  finishedAt: number | null
  error: string | null
}

export interface NativeBuildTools {
  extractorModel: string
  extractorPromptHash: string
  embedderModel: string
  embeddingVersion: string
  checkerVersion: string
  schemaVersion: string
}

/** Cancels one call. */
export declare class NativeCancel {
  /** A switch for one call. */
  constructor()
  /** Cancels the call. True when it had not begun, and so never will. */
  cancel(): boolean
}

export interface NativeCheckReport {
  ok: boolean
  events: number
  firstDivergence: NativeDivergence | null
  ignoredRecords: Array<NativeIgnoredRecord>
  stateHash: string
  asOf: number
}

export interface NativeCitationDetail {
  event: NativeEvent
  previous: NativeCitationNeighbour | null
  next: NativeCitationNeighbour | null
  usageCount: number
  lastUsed: number | null
}

export interface NativeCitationNeighbour {
  id: string
  citation: string
  kind: string
  timestamp: number
  preview: string
}

export interface NativeCitedMemory {
  content: string
  citation: string
  timestamp: Time
  session: string
}

export interface NativeClaimsAlignment {
  isAligned: boolean
  confidence: number
  aligned: Array<NativeAlignedClaim>
  missing: Array<number>
}

export interface NativeCompacted {
  beforeBytes: number
  afterBytes: number
  generation: number
  leftFiles: Array<string>
}

export interface NativeCondition {
  id: string
  project: string
  canonicalKey: string
  text: string
  candidates: Array<NativeTaskCandidate>
  autoPlaceholder: boolean
  resolvedTo: NativeEntityRef | null
  createdAt: number
  updatedAt: number
}

export interface NativeConflict {
  conflictId: string
  olderId: string
  newerId: string
  conflictType: string
  reason: string | null
  detectedAt: number
  resolved: NativeConflictResolution | null
}

export interface NativeConflictResolution {
  resolvedAt: number
  resolution: string
  resolvedBy: string
}

export interface NativeConflictVerdict {
  inFavourOf: string
  resolution: string
  resolvedBy: string
}

export interface NativeConsolidatedMemory {
  memoryId: string
  summary: string
  topics: Array<string>
  sourceEvents: Array<string>
  confidence: number
  isContinuation: boolean
  createdAt: number
  accessedAt: number | null
  accessCount: number
}

/** A consolidation that waits for its summaries. */
export declare class NativeConsolidation {
  /** The groups to summarise. */
  groups(): Array<NativeSummaryRequest>
}

export interface NativeConsolidationPolicy {
  triggerIntervalMs: number
  triggerEventCount: number
  triggerIdleMs: number
  minEvents: number
  maxSummaryChars: number
  isLeftToHost: boolean
}

export interface NativeConsolidationPolicyInput {
  triggerIntervalMs?: number
  triggerEventCount?: number
  triggerIdleMs?: number
  minEvents?: number
  maxSummaryChars?: number
  isLeftToHost?: boolean
}

export interface NativeConsolidationReport {
  ran: boolean
  memories: Array<string>
  waiting: number
}

export interface NativeConsolidationTrigger {
  sinceLastMs: number
  workingSetSize: number
  idleMs: number
}

export interface NativeContext {
  text: string
  citations: Array<string>
  tokens: number
  confidence: string
  items: Array<NativeContextItem>
  learned: Array<NativeLearnedHit>
  degraded: boolean
}

export interface NativeContextFields {
  session?: string
  budgetTokens?: number
  format?: string
  limit?: number
  minRelevance?: number
  minBestRelevance?: number
  pinned?: Array<Name>
  skipKnownSince?: Time
  recording?: string
  reason?: string
}

export interface NativeContextItem {
  id: string
  seq: number
  citation: string
  kind: string
  session: string
  actor: string
  origin: string
  timestamp: number
  text: string
  start: number | null
  startByte: number
  end: number | null
  endByte: number
  hasMoreBefore: boolean
  hasMoreAfter: boolean
  relevance: number | null
  state: string | null
}

export interface NativeContextMemory {
  kind: string
  content: string
  timestamp: Time
  score: number
  sessionContext?: string
}

export interface NativeContextSnapshot {
  timestamp: number
  id: string
  topics: Array<string>
  files: Array<string>
  entities: Array<string>
}

export interface NativeContextSnapshotInput {
  timestamp: Time
  id?: string
  topics?: Array<string>
  files?: Array<string>
  entities?: Array<string>
}

export interface NativeContinuity {
  score: number
  transition: string
  isLogged: boolean
}

export interface NativeContinuityEntry {
  fromContextId: string
  toContextId: string
  score: number
  transition: string
  at: number
}

export interface NativeContinuityPolicy {
  topicWeight: number
  fileWeight: number
  timeWeight: number
  entityWeight: number
  timeDecayMs: number
  minScoreForSeamless: number
  minScoreForTopicShift: number
}

export interface NativeContinuityPolicyInput {
  topicWeight?: number
  fileWeight?: number
  timeWeight?: number
  entityWeight?: number
  timeDecayMs?: number
  minScoreForSeamless?: number
  minScoreForTopicShift?: number
}

/** A running read of events. A step without an event is the end. */
export declare class NativeCursor {
  /** The next event. */
  next(cancel?: NativeCancel | undefined | null): Promise<NativeEvent | null | Failure>
  /** As `next`, blocking. */
  nextSync(): Outcome<NativeEvent | undefined | null>
  /**
   * Ends the read and releases the store; a step in progress, for which JavaScript does not
   * wait, releases it at its end.
   */
  close(): void
}

export interface NativeDecision {
  decisionId: string
  decidedAt: number
  actor: string
  action: string
  outcome: string | null
  confidence: number | null
  buildId: string | null
  evidence: Array<NativeDecisionEvidence>
}

export interface NativeDecisionEvidence {
  kind: string
  evidenceId: string
  stage: string
  role: string
  knownAt: number
}

export interface NativeDecisionEvidenceInput {
  kind: string
  evidenceId: string
  stage: string
  role: string
  knownAt: Time
}

export interface NativeDecisionInput {
  decisionId: string
  decidedAt: Time
  actor: string
  action: string
  outcome?: string
  confidence?: number
  buildId?: string
  evidence?: Array<NativeDecisionEvidenceInput>
}

/** How a repetition is recognised: by a key, or as a word says. */
export interface NativeDedupe {
  key?: string
  word?: string
}

export interface NativeDetail {
  event: NativeEvent
  tokenCount: number
  hasCode: boolean
  files: Array<string>
  tools: Array<string>
  relations: NativeRelations
}

export interface NativeDivergence {
  place: string
  seq: number | null
  problem: string
  remedy: string
}

export interface NativeEdge {
  id: string
  sourceType: string
  sourceId: string
  relation: string
  destinationType: string
  destinationId: string
  meta: string | null
  createdAt: number
  endedAt: number | null
}

export interface NativeEdgeEnds {
  sourceType: string
  sourceId: string
  relation: string
  destinationType: string
  destinationId: string
}

export interface NativeEdgeFilter {
  from?: string
  to?: string
  relation?: string
  asOf?: Time
  limit?: number
}

export interface NativeEffectiveBlocker {
  originalId: string
  effectiveId: string
  effectiveKind: string | null
  resolved: boolean
}

export interface NativeEffectiveMemory {
  effectiveId: string
  status: string
  title: string | null
  content: string | null
}

export interface NativeEffectiveSetting {
  key: string
  value: string
  source: string
}

/** An embedder in JavaScript, to be handed to `open`. */
export declare class NativeEmbedder {
  /** `ask` gets a request to answer, or null, which asks for nothing. */
  constructor(id: string, dimensions: number, maxBatch: number | undefined | null, isAsync: boolean, ask: (request: NativeRequest | null) => void)
}

export interface NativeEmbeddingStats {
  version: string
  dimensions: number
  vectors: number
  pending: number
  processing: number
  done: number
  failed: number
  toEnqueue: number
  averageProcessingMs: number | null
  lastProcessed: number | null
  oldestPending: number | null
  graphVectors: number
  graphWaiting: number
}

export interface NativeEndlessConfig {
  workingSet: NativeWorkingSetPolicy
  consolidation: NativeConsolidationPolicy
  injection: NativeInjectionPolicy
  continuity: NativeContinuityPolicy
}

export interface NativeEndlessConfigInput {
  workingSet?: NativeWorkingSetPolicyInput
  consolidation?: NativeConsolidationPolicyInput
  injection?: NativeInjectionPolicyInput
  continuity?: NativeContinuityPolicyInput
}

export interface NativeEndlessContext {
  workingSet: Array<NativeEvent>
  consolidated: Array<NativeConsolidatedMemory>
  continuityScore: number
}

export interface NativeEndlessStatus {
  mode: string
  config: NativeEndlessConfig
  workingSet: number
  workingSetId: string | null
  lastActivity: number | null
  activeTopics: Array<string>
  activeFiles: Array<string>
  activeEntities: Array<string>
  continuityScore: number
  consolidated: number
  lastConsolidation: number | null
}

export interface NativeEntity {
  kind: string
  task: NativeTask | null
  condition: NativeCondition | null
  artifact: NativeArtifact | null
}

export interface NativeEntityKeyParts {
  kind: string
  project: string | null
  identifier: string
}

export interface NativeEntityRef {
  kind: string
  id: string
}

export interface NativeEntityRefInput {
  kind: string
  id: string
}

export interface NativeEntryFilter {
  project?: string
  allProjects?: boolean
  entryType?: string
  minStage?: string
  status?: string
  session?: string
  asOf?: Time
  text?: string
  offset?: number
  limit?: number
  isLive?: boolean
}

export interface NativeEntryHit {
  entry: NativeLearnedEntry
  score: number
  resolvedFrom: string | null
}

export interface NativeErased {
  count: number
  dependents: number
  reduced: number
  tombstone: number | null
  generation: number
  wasOverwritten: boolean
  places: Array<string>
  isComplete: boolean
  uncleanPlaces: Array<string>
  advice: string | null
  completed: number
}

export interface NativeEvaluation {
  next: string | null
  passed: boolean
  failedOn: string | null
  reason: string
}

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
  metadata: string | null
  tool: NativeToolRecord | null
  privacy: NativePrivacyReport
}

export interface NativeEventFilter {
  session?: string
  project?: string
  allProjects?: boolean
  kinds?: Array<string>
  from?: Time
  until?: Time
  tools?: Array<string>
  fileContains?: string
  toolOutcome?: string
  repeats?: string
  newestFirst?: boolean
  limit?: number
  offset?: number
}

export interface NativeEventLevel {
  level: string
  usage: NativeUsage | null
  isPinned: boolean
}

/** Events of a result, in its order. */
export declare class NativeEvents {
  /** The next events, at most `count`; none at the end. */
  take(count: number): Outcome<Array<NativeEvent>>
}

export interface NativeEvidenceQuote {
  messageIndex: number
  quote: string
}

export interface NativeEvidenceReport {
  aligned: Array<NativeEvidenceSpan>
  failed: Array<NativeMissingQuote>
  isAligned: boolean
}

export interface NativeEvidenceSpan {
  messageIndex: number
  quoteHash: string
  start: number | null
  startByte: number
  end: number | null
  endByte: number
  confidence: number
  method: string
  eventId: string | null
}

export interface NativeExpansionDecision {
  targets: Array<number>
  expandsTimeline: boolean
  expandsDetails: boolean
  reason: string
  isExpansion: boolean
}

export interface NativeExpansionPlan {
  timelineFor: number | null
  detailsFor: Array<number>
  usedTokens: number
}

export interface NativeExportOptions {
  selector?: NativeSelector
  replace?: boolean
}

export interface NativeExported {
  events: number
  bytes: number
}

export interface NativeExtractionRequest {
  session: string
  prompt: string
  schema: string
  messages: Array<string>
  tokens: number
  hasMore: boolean
}

export interface NativeFastembedOptions {
  modelDir: string
  onnxruntimeLibrary?: string
  maxTokens?: number
  threads?: number
  id?: string
}

export interface NativeFiltered {
  text: string
  privacy: NativePrivacyReport
  warnings: Array<string>
}

export interface NativeForgotten {
  count: number
  contentBytes: number
  sessions: number
  jobs: number
  segments: number
  segmentsWaiting: number
  tombstone: number | null
}

export interface NativeGraduated {
  judged: number
  promoted: Array<NativeLevelChange>
  demoted: Array<NativeLevelChange>
  insights: Array<NativeInsight>
  waiting: number
}

export interface NativeGraphEdge {
  sourceId: string
  relation: string
  destinationId: string
}

export interface NativeGraphNode {
  nodeType: string
  id: string
}

export interface NativeHit {
  id: string
  seq: number
  citation: string
  kind: string
  session: string
  project: string
  actor: string
  origin: string
  timestamp: number
  summary: string
  passage: NativePassage
  rankScore: number
  matchScore: number
  relevance: number
  isProof: boolean
}

export interface NativeIgnoredRecord {
  seq: number
  kind: string
  problem: string
}

export interface NativeImportCounters {
  totalMessages: number
  importedPrompts: number
  importedResponses: number
  importedTools: number
  skippedDuplicates: number
  skipped: number
  errors: number
  errorLines: Array<NativeImportProblem>
}

/**
 * What an import did, how often the callback was called, so that the TypeScript layer can
 * wait for the last one, and whether it ended the import before its end.
 */
export interface NativeImportDone {
  report: NativeImportReport
  progressCalls: number
  endedEarly: boolean
}

export interface NativeImportFailure {
  path: string
  reason: string
}

export interface NativeImportFields {
  hasToolObservations?: boolean
  keepsBlankText?: boolean
  responseLimitUtf16?: number
  limit?: number
  maxLineBytes?: number
}

export interface NativeImportProblem {
  line: number
  problem: string
}

export interface NativeImportProgress {
  filesDone: number
  filesTotal: number
  bytesDone: number
  bytesTotal: number
  eventsStored: number
}

export interface NativeImportReport {
  files: number
  counters: NativeImportCounters
  failedFiles: Array<NativeImportFailure>
  refused: Array<string>
  refusedCount: number
  warnings: Array<string>
}

export interface NativeImported {
  events: number
  duplicates: number
  skipped: number
  unwanted: number
  warnings: Array<string>
}

export interface NativeIndexItem {
  id: string
  seq: number
  citation: string
  kind: string
  session: string
  timestamp: number
  summary: string
  score: number
}

export interface NativeIngestOptions {
  extractorModel?: string
  extractorPrompt?: string
  extractionMs?: number
  project?: string
  messages?: Array<string>
}

export interface NativeIngestReport {
  buildId: string
  session: string
  alreadyIngested: boolean
  entries: Array<NativeIngestedEntry>
  tasks: Array<NativeIngestedTask>
  leftOut: Array<string>
  events: number
}

export interface NativeIngestedEntry {
  localId: string
  entryId: string
  isNew: boolean
  stage: string
  evidence: NativeEvidenceReport
}

export interface NativeIngestedTask {
  localId: string
  taskId: string
  isNew: boolean
  status: string
  acts: number
  evidence: NativeEvidenceReport
}

export interface NativeInjectionPolicy {
  minRelevance: number
  maxEvents: number
  maxMemories: number
}

export interface NativeInjectionPolicyInput {
  minRelevance?: number
  maxEvents?: number
  maxMemories?: number
}

export interface NativeInjectionStats {
  injections: number
  memories: number
  tokens: number
  judged: number
  reused: number
  judgedMemories: number
  reusedMemories: number
  last: number | null
}

export interface NativeInsight {
  kind: string
  key: string
  content: string
  confidence: number
  sources: Array<string>
}

export interface NativeInsightEvent {
  id: string
  isUserPrompt: boolean
  content: string
  canonicalKey: string
}

export interface NativeJobFailure {
  job: number
  message: string
}

export interface NativeLayerStats {
  name: string
  size: number
  backlog: number
  lastMoved: number | null
}

export interface NativeLearnedEntry {
  id: string
  entryType: string
  title: string
  stage: string
  evidence: NativeEvidenceReport | null
  certifiedBy: string | null
  status: string
  contestedWith: Array<string>
  supersededBy: string | null
  validFrom: number | null
  validTo: number | null
  content: string
  canonicalKey: string
  project: string
  session: string
  localId: string | null
  confidence: number | null
  buildId: string | null
  createdAt: number
  seq: number
  eventId: string
}

export interface NativeLearnedHit {
  kind: string
  entryType: string | null
  id: string
  title: string
  text: string
  state: string
  stage: string | null
  supersededBy: string | null
  contestedWith: Array<string>
  blockers: Array<string>
  level: string
  relevance: number
  confidence: number | null
  timestamp: number
  project: string
  session: string
  citation: string
  proofs: Array<NativeProof>
}

export interface NativeLevelChange {
  eventId: string
  level: string
}

export interface NativeLevelCounts {
  l0: number
  l1: number
  l2: number
  l3: number
  l4: number
}

export interface NativeLexicalStats {
  segments: number
  flushedEvents: number
  memtableEvents: number
  lastFlush: number | null
  damagedSegments: number
  damagedEvents: number
}

export interface NativeLineageStep {
  entryId: string
  derivedFrom: string | null
  depth: number
}

export interface NativeLogRecord {
  level: string
  target: string
  message: string
}

/** The way of records to JavaScript, to be handed to `open`. */
export declare class NativeLogger {
  /** `wake` is called on the JavaScript thread when there are records to take. */
  constructor(wake: () => void)
  /** What was told since this was last asked. */
  take(): Outcome<Array<NativeLogRecord>>
}

export interface NativeMaintainBudget {
  graduateEvents?: number
  merges?: number
  mergeEvents?: number
  jobs?: number
  graphVectors?: number
  learnMessages?: number
  timeMs?: number
}

export interface NativeMaintained {
  flushed: boolean
  merges: number
  rewritten: number
  jobsDone: number
  jobsFailed: number
  jobsRevived: number
  jobsCleaned: number
  jobsWaiting: number
  graphVectors: number
  judged: number
  moved: number
  insights: number
  consolidated: number
  messagesRead: number
  entriesLearned: number
  tasksLearned: number
  erasuresCompleted: number
  openErasures: number
  requestedErasures: number
  hasMore: boolean
  compactionPays: boolean
}

export interface NativeMasked {
  text: string
  secretCount: number
}

export interface NativeMaskedInput {
  input: string
  secretCount: number
}

export interface NativeMatchList {
  matched: number | null
  matchClass: string
  gap: number | null
  alternatives: Array<number>
}

export interface NativeMatchParts {
  semantic: number
  lexical: number
  ageDays: number
  isActive?: boolean
}

export interface NativeMember {
  identity: string
  name: string
  role: string
  since: number
}

/** An open memory, or what is left of it after `close`. */
export declare class NativeMemory {
  consolidate(cancel?: NativeCancel | undefined | null): Promise<NativeConsolidationReport | Failure>
  consolidateSync(): Outcome<NativeConsolidationReport>
  prepareConsolidation(cancel?: NativeCancel | undefined | null): Promise<NativeConsolidation | Failure>
  prepareConsolidationSync(): Outcome<NativeConsolidation>
  context(query: NativeQuery, options: NativeContextFields, count?: ((request: NativeRequest | null) => void) | undefined | null, cancel?: NativeCancel | undefined | null): Promise<NativeContext | Failure>
  contextSync(query: NativeQuery, options: NativeContextFields, count?: ((request: NativeRequest | null) => void) | undefined | null, embed?: ((request: NativeRequest | null) => void) | undefined | null): Outcome<NativeContext>
  smartSearch(query: NativeQuery, options: NativeSmartSearchFields, count?: ((request: NativeRequest | null) => void) | undefined | null, cancel?: NativeCancel | undefined | null): Promise<NativeSmartSearchResult | Failure>
  smartSearchSync(query: NativeQuery, options: NativeSmartSearchFields, count?: ((request: NativeRequest | null) => void) | undefined | null, embed?: ((request: NativeRequest | null) => void) | undefined | null): Outcome<NativeSmartSearchResult>
  endlessMemories(text?: string | undefined | null, limit?: number | undefined | null, cancel?: NativeCancel | undefined | null): Promise<Array<NativeConsolidatedMemory> | Failure>
  endlessMemoriesSync(text?: string | undefined | null, limit?: number | undefined | null, embed?: ((request: NativeRequest | null) => void) | undefined | null): Outcome<Array<NativeConsolidatedMemory>>
  endlessContext(query?: string | undefined | null, cancel?: NativeCancel | undefined | null): Promise<NativeEndlessContext | Failure>
  endlessContextSync(query?: string | undefined | null, embed?: ((request: NativeRequest | null) => void) | undefined | null): Outcome<NativeEndlessContext>
  maintain(budget: NativeMaintainBudget, cancel?: NativeCancel | undefined | null): Promise<NativeMaintained | Failure>
  maintainSync(budget: NativeMaintainBudget, embed?: ((request: NativeRequest | null) => void) | undefined | null): Outcome<NativeMaintained>
  processOutbox(limit?: number | undefined | null, cancel?: NativeCancel | undefined | null): Promise<NativeProcessed | Failure>
  processOutboxSync(limit?: number | undefined | null, embed?: ((request: NativeRequest | null) => void) | undefined | null): Outcome<NativeProcessed>
  storeConsolidation(prepared: NativeConsolidation, summaries: Array<string | undefined | null>, cancel?: NativeCancel | undefined | null): Promise<NativeConsolidationReport | Failure>
  storeConsolidationSync(prepared: NativeConsolidation, summaries: Array<string | undefined | null>): Outcome<NativeConsolidationReport>
  tasksList(filter: NativeTaskFilter, cancel?: NativeCancel | undefined | null): Promise<Array<NativeTask> | Failure>
  tasksListSync(filter: NativeTaskFilter): Outcome<Array<NativeTask>>
  tasksCreate(task: NativeNewTask, cancel?: NativeCancel | undefined | null): Promise<NativeTask | Failure>
  tasksCreateSync(task: NativeNewTask): Outcome<NativeTask>
  tasksGet(id: string, cancel?: NativeCancel | undefined | null): Promise<NativeTaskDetail | null | Failure>
  tasksGetSync(id: string): Outcome<NativeTaskDetail | undefined | null>
  tasksGetAsOf(id: string, at: Time, cancel?: NativeCancel | undefined | null): Promise<NativeTask | null | Failure>
  tasksGetAsOfSync(id: string, at: Time): Outcome<NativeTask | undefined | null>
  tasksEntity(id: string, cancel?: NativeCancel | undefined | null): Promise<NativeEntity | null | Failure>
  tasksEntitySync(id: string): Outcome<NativeEntity | undefined | null>
  tasksBlocked(project?: string | undefined | null, allProjects?: boolean | undefined | null, limit?: number | undefined | null, cancel?: NativeCancel | undefined | null): Promise<Array<NativeBlockedTask> | Failure>
  tasksBlockedSync(project?: string | undefined | null, allProjects?: boolean | undefined | null, limit?: number | undefined | null): Outcome<Array<NativeBlockedTask>>
  tasksWithOnlySuggestedBlockers(project?: string | undefined | null, allProjects?: boolean | undefined | null, limit?: number | undefined | null, cancel?: NativeCancel | undefined | null): Promise<Array<NativeTask> | Failure>
  tasksWithOnlySuggestedBlockersSync(project?: string | undefined | null, allProjects?: boolean | undefined | null, limit?: number | undefined | null): Outcome<Array<NativeTask>>
  tasksWithPlaceholderBlockers(project?: string | undefined | null, allProjects?: boolean | undefined | null, limit?: number | undefined | null, cancel?: NativeCancel | undefined | null): Promise<Array<NativeTask> | Failure>
  tasksWithPlaceholderBlockersSync(project?: string | undefined | null, allProjects?: boolean | undefined | null, limit?: number | undefined | null): Outcome<Array<NativeTask>>
  tasksConditions(project?: string | undefined | null, allProjects?: boolean | undefined | null, limit?: number | undefined | null, cancel?: NativeCancel | undefined | null): Promise<Array<NativeCondition> | Failure>
  tasksConditionsSync(project?: string | undefined | null, allProjects?: boolean | undefined | null, limit?: number | undefined | null): Outcome<Array<NativeCondition>>
  tasksArtifacts(limit?: number | undefined | null, cancel?: NativeCancel | undefined | null): Promise<Array<NativeArtifact> | Failure>
  tasksArtifactsSync(limit?: number | undefined | null): Outcome<Array<NativeArtifact>>
  tasksResolvedConditions(project?: string | undefined | null, allProjects?: boolean | undefined | null, limit?: number | undefined | null, cancel?: NativeCancel | undefined | null): Promise<Array<NativeCondition> | Failure>
  tasksResolvedConditionsSync(project?: string | undefined | null, allProjects?: boolean | undefined | null, limit?: number | undefined | null): Outcome<Array<NativeCondition>>
  tasksResolveCondition(condition: string, target: NativeEntityRefInput, resolution: string, confidence: number, cancel?: NativeCancel | undefined | null): Promise<undefined | Failure>
  tasksResolveConditionSync(condition: string, target: NativeEntityRefInput, resolution: string, confidence: number): Outcome<undefined>
  tasksChangeStatus(task: string, to: string, blockedBy?: Array<string> | undefined | null, cancel?: NativeCancel | undefined | null): Promise<NativeTask | Failure>
  tasksChangeStatusSync(task: string, to: string, blockedBy?: Array<string> | undefined | null): Outcome<NativeTask>
  tasksSetPriority(task: string, priority: string, cancel?: NativeCancel | undefined | null): Promise<NativeTask | Failure>
  tasksSetPrioritySync(task: string, priority: string): Outcome<NativeTask>
  tasksRename(task: string, title: string, cancel?: NativeCancel | undefined | null): Promise<NativeTask | Failure>
  tasksRenameSync(task: string, title: string): Outcome<NativeTask>
  knowledgeEdges(filter: NativeEdgeFilter, cancel?: NativeCancel | undefined | null): Promise<Array<NativeEdge> | Failure>
  knowledgeEdgesSync(filter: NativeEdgeFilter): Outcome<Array<NativeEdge>>
  knowledgeAddEdge(ends: NativeEdgeEnds, meta?: string | undefined | null, cancel?: NativeCancel | undefined | null): Promise<NativeEdge | Failure>
  knowledgeAddEdgeSync(ends: NativeEdgeEnds, meta?: string | undefined | null): Outcome<NativeEdge>
  knowledgeRemoveEdge(ends: NativeEdgeEnds, cancel?: NativeCancel | undefined | null): Promise<boolean | Failure>
  knowledgeRemoveEdgeSync(ends: NativeEdgeEnds): Outcome<boolean>
  knowledgeReplaceEdges(source: NativeGraphNode, relation: string, targets: Array<NativeGraphNode>, cancel?: NativeCancel | undefined | null): Promise<NativeReplacedEdges | Failure>
  knowledgeReplaceEdgesSync(source: NativeGraphNode, relation: string, targets: Array<NativeGraphNode>): Outcome<NativeReplacedEdges>
  knowledgeLineage(entry: string, limit?: number | undefined | null, cancel?: NativeCancel | undefined | null): Promise<Array<NativeLineageStep> | Failure>
  knowledgeLineageSync(entry: string, limit?: number | undefined | null): Outcome<Array<NativeLineageStep>>
  knowledgeRelatedEntries(entry: string, limit?: number | undefined | null, cancel?: NativeCancel | undefined | null): Promise<Array<NativeRelatedEntry> | Failure>
  knowledgeRelatedEntriesSync(entry: string, limit?: number | undefined | null): Outcome<Array<NativeRelatedEntry>>
  knowledgeSearch(query: string, filter: NativeEntryFilter, cancel?: NativeCancel | undefined | null): Promise<Array<NativeEntryHit> | Failure>
  knowledgeSearchSync(query: string, filter: NativeEntryFilter): Outcome<Array<NativeEntryHit>>
  knowledgeConflicts(limit?: number | undefined | null, cancel?: NativeCancel | undefined | null): Promise<Array<NativeConflict> | Failure>
  knowledgeConflictsSync(limit?: number | undefined | null): Outcome<Array<NativeConflict>>
  knowledgeResolveMemory(memoryId: string, answer: NativeMemoryAnswer, cancel?: NativeCancel | undefined | null): Promise<undefined | Failure>
  knowledgeResolveMemorySync(memoryId: string, answer: NativeMemoryAnswer): Outcome<undefined>
  knowledgeMarkUnknownContext(event: Name, cancel?: NativeCancel | undefined | null): Promise<undefined | Failure>
  knowledgeMarkUnknownContextSync(event: Name): Outcome<undefined>
  knowledgePlaceholders(limit?: number | undefined | null, cancel?: NativeCancel | undefined | null): Promise<Array<NativePlaceholder> | Failure>
  knowledgePlaceholdersSync(limit?: number | undefined | null): Outcome<Array<NativePlaceholder>>
  knowledgeMemoryResolutions(limit?: number | undefined | null, cancel?: NativeCancel | undefined | null): Promise<Array<NativeMemoryResolution> | Failure>
  knowledgeMemoryResolutionsSync(limit?: number | undefined | null): Outcome<Array<NativeMemoryResolution>>
  knowledgeEffectiveMemory(memoryId: string, cancel?: NativeCancel | undefined | null): Promise<NativeEffectiveMemory | Failure>
  knowledgeEffectiveMemorySync(memoryId: string): Outcome<NativeEffectiveMemory>
  knowledgeEntries(filter: NativeEntryFilter, cancel?: NativeCancel | undefined | null): Promise<Array<NativeLearnedEntry> | Failure>
  knowledgeEntriesSync(filter: NativeEntryFilter): Outcome<Array<NativeLearnedEntry>>
  knowledgeEntry(id: string, cancel?: NativeCancel | undefined | null): Promise<NativeLearnedEntry | null | Failure>
  knowledgeEntrySync(id: string): Outcome<NativeLearnedEntry | undefined | null>
  knowledgeAddEntry(entry: NativeNewEntry, cancel?: NativeCancel | undefined | null): Promise<NativeLearnedEntry | Failure>
  knowledgeAddEntrySync(entry: NativeNewEntry): Outcome<NativeLearnedEntry>
  knowledgeSessionMessages(session: string, offset?: number | undefined | null, limit?: number | undefined | null, cancel?: NativeCancel | undefined | null): Promise<Array<NativeSessionMessage> | Failure>
  knowledgeSessionMessagesSync(session: string, offset?: number | undefined | null, limit?: number | undefined | null): Outcome<Array<NativeSessionMessage>>
  knowledgeExtractionRequest(session: string, budgetTokens?: number | undefined | null, cancel?: NativeCancel | undefined | null): Promise<NativeExtractionRequest | Failure>
  knowledgeExtractionRequestSync(session: string, budgetTokens?: number | undefined | null): Outcome<NativeExtractionRequest>
  knowledgeSupersede(older: string, newer: string, cancel?: NativeCancel | undefined | null): Promise<undefined | Failure>
  knowledgeSupersedeSync(older: string, newer: string): Outcome<undefined>
  knowledgeContradict(older: string, newer: string, reason?: string | undefined | null, cancel?: NativeCancel | undefined | null): Promise<NativeConflict | Failure>
  knowledgeContradictSync(older: string, newer: string, reason?: string | undefined | null): Outcome<NativeConflict>
  knowledgeResolveConflict(conflictId: string, verdict: NativeConflictVerdict, cancel?: NativeCancel | undefined | null): Promise<NativeConflict | Failure>
  knowledgeResolveConflictSync(conflictId: string, verdict: NativeConflictVerdict): Outcome<NativeConflict>
  knowledgeCertify(id: string, certifiedBy: string, cancel?: NativeCancel | undefined | null): Promise<undefined | Failure>
  knowledgeCertifySync(id: string, certifiedBy: string): Outcome<undefined>
  knowledgeDeprecate(id: string, cancel?: NativeCancel | undefined | null): Promise<undefined | Failure>
  knowledgeDeprecateSync(id: string): Outcome<undefined>
  levelsGet(event: Name, cancel?: NativeCancel | undefined | null): Promise<NativeEventLevel | Failure>
  levelsGetSync(event: Name): Outcome<NativeEventLevel>
  levelsCounts(cancel?: NativeCancel | undefined | null): Promise<NativeLevelCounts | Failure>
  levelsCountsSync(): Outcome<NativeLevelCounts>
  levelsRecordAccess(events: Array<Name>, session: string, confidence: number, cancel?: NativeCancel | undefined | null): Promise<undefined | Failure>
  levelsRecordAccessSync(events: Array<Name>, session: string, confidence: number): Outcome<undefined>
  levelsSetHalfLifeDays(halfLifeDays?: number | undefined | null, cancel?: NativeCancel | undefined | null): Promise<undefined | Failure>
  levelsSetHalfLifeDaysSync(halfLifeDays?: number | undefined | null): Outcome<undefined>
  levelsGraduate(limit: number, cancel?: NativeCancel | undefined | null): Promise<NativeGraduated | Failure>
  levelsGraduateSync(limit: number): Outcome<NativeGraduated>
  levelsInsights(limit?: number | undefined | null, cancel?: NativeCancel | undefined | null): Promise<Array<NativeInsight> | Failure>
  levelsInsightsSync(limit?: number | undefined | null): Outcome<Array<NativeInsight>>
  levelsPin(event: Name, cancel?: NativeCancel | undefined | null): Promise<boolean | Failure>
  levelsPinSync(event: Name): Outcome<boolean>
  levelsUnpin(event: Name, cancel?: NativeCancel | undefined | null): Promise<boolean | Failure>
  levelsUnpinSync(event: Name): Outcome<boolean>
  levelsPinned(project?: string | undefined | null, allProjects?: boolean | undefined | null, cancel?: NativeCancel | undefined | null): Promise<Array<NativePinnedEvent> | Failure>
  levelsPinnedSync(project?: string | undefined | null, allProjects?: boolean | undefined | null): Outcome<Array<NativePinnedEvent>>
  endlessMode(cancel?: NativeCancel | undefined | null): Promise<string | Failure>
  endlessModeSync(): Outcome<string>
  endlessSessionNow(session: string, cancel?: NativeCancel | undefined | null): Promise<string | Failure>
  endlessSessionNowSync(session: string): Outcome<string>
  endlessSetMode(mode: string, cancel?: NativeCancel | undefined | null): Promise<undefined | Failure>
  endlessSetModeSync(mode: string): Outcome<undefined>
  endlessConfig(cancel?: NativeCancel | undefined | null): Promise<NativeEndlessConfig | Failure>
  endlessConfigSync(): Outcome<NativeEndlessConfig>
  endlessSetConfig(config: NativeEndlessConfigInput, cancel?: NativeCancel | undefined | null): Promise<undefined | Failure>
  endlessSetConfigSync(config: NativeEndlessConfigInput): Outcome<undefined>
  endlessWorkingSet(cancel?: NativeCancel | undefined | null): Promise<Array<NativeWorkingItem> | Failure>
  endlessWorkingSetSync(): Outcome<Array<NativeWorkingItem>>
  endlessAddToWorkingSet(events: Array<Name>, relevance?: number | undefined | null, cancel?: NativeCancel | undefined | null): Promise<number | Failure>
  endlessAddToWorkingSetSync(events: Array<Name>, relevance?: number | undefined | null): Outcome<number>
  endlessRefreshWorkingSet(events: Array<Name>, cancel?: NativeCancel | undefined | null): Promise<number | Failure>
  endlessRefreshWorkingSetSync(events: Array<Name>): Outcome<number>
  endlessPruneWorkingSet(events: Array<Name>, cancel?: NativeCancel | undefined | null): Promise<number | Failure>
  endlessPruneWorkingSetSync(events: Array<Name>): Outcome<number>
  endlessContinuityLog(limit?: number | undefined | null, cancel?: NativeCancel | undefined | null): Promise<Array<NativeContinuityEntry> | Failure>
  endlessContinuityLogSync(limit?: number | undefined | null): Outcome<Array<NativeContinuityEntry>>
  endlessScoreContinuity(contextId: string, text: string, cancel?: NativeCancel | undefined | null): Promise<NativeContinuity | Failure>
  endlessScoreContinuitySync(contextId: string, text: string): Outcome<NativeContinuity>
  endlessStatus(cancel?: NativeCancel | undefined | null): Promise<NativeEndlessStatus | Failure>
  endlessStatusSync(): Outcome<NativeEndlessStatus>
  citationsDetail(event: Name, cancel?: NativeCancel | undefined | null): Promise<NativeCitationDetail | Failure>
  citationsDetailSync(event: Name): Outcome<NativeCitationDetail>
  citationsPopular(limit?: number | undefined | null, windowDays?: number | undefined | null, cancel?: NativeCancel | undefined | null): Promise<Array<NativePopularCitation> | Failure>
  citationsPopularSync(limit?: number | undefined | null, windowDays?: number | undefined | null): Outcome<Array<NativePopularCitation>>
  citationsCitingSessions(event: Name, limit?: number | undefined | null, cancel?: NativeCancel | undefined | null): Promise<Array<string> | Failure>
  citationsCitingSessionsSync(event: Name, limit?: number | undefined | null): Outcome<Array<string>>
  pausesPause(scope: string, name: string, cancel?: NativeCancel | undefined | null): Promise<boolean | Failure>
  pausesPauseSync(scope: string, name: string): Outcome<boolean>
  pausesResume(scope: string, name: string, cancel?: NativeCancel | undefined | null): Promise<boolean | Failure>
  pausesResumeSync(scope: string, name: string): Outcome<boolean>
  pausesList(limit?: number | undefined | null, cancel?: NativeCancel | undefined | null): Promise<Array<NativePause> | Failure>
  pausesListSync(limit?: number | undefined | null): Outcome<Array<NativePause>>
  sharingIdentity(cancel?: NativeCancel | undefined | null): Promise<string | Failure>
  sharingIdentitySync(): Outcome<string>
  sharingRenewIdentity(cancel?: NativeCancel | undefined | null): Promise<string | Failure>
  sharingRenewIdentitySync(): Outcome<string>
  sharingAddMember(identity: string, name: string, role: string, cancel?: NativeCancel | undefined | null): Promise<undefined | Failure>
  sharingAddMemberSync(identity: string, name: string, role: string): Outcome<undefined>
  sharingRemoveMember(identity: string, cancel?: NativeCancel | undefined | null): Promise<boolean | Failure>
  sharingRemoveMemberSync(identity: string): Outcome<boolean>
  sharingMembers(cancel?: NativeCancel | undefined | null): Promise<Array<NativeMember> | Failure>
  sharingMembersSync(): Outcome<Array<NativeMember>>
  sharingSource(event: Name, cancel?: NativeCancel | undefined | null): Promise<NativeRecordSource | null | Failure>
  sharingSourceSync(event: Name): Outcome<NativeRecordSource | undefined | null>
  sharingCitedElsewhere(event: Name, cancel?: NativeCancel | undefined | null): Promise<Array<string> | Failure>
  sharingCitedElsewhereSync(event: Name): Outcome<Array<string>>
  sharingProjectsOf(event: Name, cancel?: NativeCancel | undefined | null): Promise<Array<string> | Failure>
  sharingProjectsOfSync(event: Name): Outcome<Array<string>>
  sharingWithhold(scope: string, name: string, cancel?: NativeCancel | undefined | null): Promise<boolean | Failure>
  sharingWithholdSync(scope: string, name: string): Outcome<boolean>
  sharingOffer(scope: string, name: string, cancel?: NativeCancel | undefined | null): Promise<boolean | Failure>
  sharingOfferSync(scope: string, name: string): Outcome<boolean>
  sharingIsWithheld(scope: string, name: string, cancel?: NativeCancel | undefined | null): Promise<boolean | Failure>
  sharingIsWithheldSync(scope: string, name: string): Outcome<boolean>
  sharingBatchSince(position: number, limit?: number | undefined | null, cancel?: NativeCancel | undefined | null): Promise<NativeSharedBatch | Failure>
  sharingBatchSinceSync(position: number, limit?: number | undefined | null): Outcome<NativeSharedBatch>
  sharingReceive(batch: string, cancel?: NativeCancel | undefined | null): Promise<NativeReceived | Failure>
  sharingReceiveSync(batch: string): Outcome<NativeReceived>
  sharingReceiveSelected(batch: string, since: number, through: number, cancel?: NativeCancel | undefined | null): Promise<NativeReceived | Failure>
  sharingReceiveSelectedSync(batch: string, since: number, through: number): Outcome<NativeReceived>
  sharingRetractionMark(cancel?: NativeCancel | undefined | null): Promise<string | Failure>
  sharingRetractionMarkSync(): Outcome<string>
  sharingLogChecksum(position: number, cancel?: NativeCancel | undefined | null): Promise<string | Failure>
  sharingLogChecksumSync(position: number): Outcome<string>
  sharingEraseOrdered(cancel?: NativeCancel | undefined | null): Promise<NativeErased | Failure>
  sharingEraseOrderedSync(): Outcome<NativeErased>
  sharingUnansweredErasures(limit?: number | undefined | null, cancel?: NativeCancel | undefined | null): Promise<Array<NativeUnansweredErasure> | Failure>
  sharingUnansweredErasuresSync(limit?: number | undefined | null): Outcome<Array<NativeUnansweredErasure>>
  sharingPushFolder(folder: string, cancel?: NativeCancel | undefined | null): Promise<NativePushed | Failure>
  sharingPushFolderSync(folder: string): Outcome<NativePushed>
  sharingPullFolder(folder: string, cancel?: NativeCancel | undefined | null): Promise<NativePulled | Failure>
  sharingPullFolderSync(folder: string): Outcome<NativePulled>
  sharingAnnouncement(name: string, cancel?: NativeCancel | undefined | null): Promise<string | Failure>
  sharingAnnouncementSync(name: string): Outcome<string>
  sharingReadAnnouncement(announcement: string, cancel?: NativeCancel | undefined | null): Promise<NativeAnnounced | Failure>
  sharingReadAnnouncementSync(announcement: string): Outcome<NativeAnnounced>
  sharingAnnounce(folder: string, name: string, cancel?: NativeCancel | undefined | null): Promise<undefined | Failure>
  sharingAnnounceSync(folder: string, name: string): Outcome<undefined>
  sharingAnnounced(folder: string, cancel?: NativeCancel | undefined | null): Promise<Array<NativeAnnounced> | Failure>
  sharingAnnouncedSync(folder: string): Outcome<Array<NativeAnnounced>>
  sharingWatermarks(cancel?: NativeCancel | undefined | null): Promise<Array<NativeWatermark> | Failure>
  sharingWatermarksSync(): Outcome<Array<NativeWatermark>>
  sharingSharedHash(cancel?: NativeCancel | undefined | null): Promise<string | Failure>
  sharingSharedHashSync(): Outcome<string>
  historyBuildRuns(limit?: number | undefined | null, cancel?: NativeCancel | undefined | null): Promise<Array<NativeBuildRun> | Failure>
  historyBuildRunsSync(limit?: number | undefined | null): Outcome<Array<NativeBuildRun>>
  historyPipelineMetrics(limit?: number | undefined | null, cancel?: NativeCancel | undefined | null): Promise<Array<NativePipelineMetric> | Failure>
  historyPipelineMetricsSync(limit?: number | undefined | null): Outcome<Array<NativePipelineMetric>>
  historyPromotions(limit?: number | undefined | null, cancel?: NativeCancel | undefined | null): Promise<Array<NativePromotionRecord> | Failure>
  historyPromotionsSync(limit?: number | undefined | null): Outcome<Array<NativePromotionRecord>>
  historyDecisions(limit?: number | undefined | null, cancel?: NativeCancel | undefined | null): Promise<Array<NativeDecision> | Failure>
  historyDecisionsSync(limit?: number | undefined | null): Outcome<Array<NativeDecision>>
  historyRecordDecision(decision: NativeDecisionInput, cancel?: NativeCancel | undefined | null): Promise<undefined | Failure>
  historyRecordDecisionSync(decision: NativeDecisionInput): Outcome<undefined>
  upkeepSettings(cancel?: NativeCancel | undefined | null): Promise<Array<NativeEffectiveSetting> | Failure>
  upkeepSettingsSync(): Outcome<Array<NativeEffectiveSetting>>
  upkeepCountSelected(selector: NativeSelector, cancel?: NativeCancel | undefined | null): Promise<number | Failure>
  upkeepCountSelectedSync(selector: NativeSelector): Outcome<number>
  upkeepCountErasable(selector: NativeSelector, cancel?: NativeCancel | undefined | null): Promise<number | Failure>
  upkeepCountErasableSync(selector: NativeSelector): Outcome<number>
  upkeepApplyRetention(cancel?: NativeCancel | undefined | null): Promise<NativeForgotten | Failure>
  upkeepApplyRetentionSync(): Outcome<NativeForgotten>
  upkeepRetryOutbox(maxRetries: number, cancel?: NativeCancel | undefined | null): Promise<number | Failure>
  upkeepRetryOutboxSync(maxRetries: number): Outcome<number>
  upkeepStateHash(asOf: Time, cancel?: NativeCancel | undefined | null): Promise<string | Failure>
  upkeepStateHashSync(asOf: Time): Outcome<string>
  upkeepUpgrade(cancel?: NativeCancel | undefined | null): Promise<NativeUpgraded | Failure>
  upkeepUpgradeSync(): Outcome<NativeUpgraded>
  ingest(session: string, extraction: string, options: NativeIngestOptions, cancel?: NativeCancel | undefined | null): Promise<NativeIngestReport | Failure>
  ingestSync(session: string, extraction: string, options: NativeIngestOptions): Outcome<NativeIngestReport>
  append(event: NativeNewEvent, cancel?: NativeCancel | undefined | null): Promise<NativeAppended | Failure>
  appendSync(event: NativeNewEvent): Outcome<NativeAppended>
  event(event: Name, cancel?: NativeCancel | undefined | null): Promise<NativeEvent | null | Failure>
  eventSync(event: Name): Outcome<NativeEvent | undefined | null>
  countEvents(filter: NativeEventFilter, cancel?: NativeCancel | undefined | null): Promise<number | Failure>
  countEventsSync(filter: NativeEventFilter): Outcome<number>
  citation(text: string, cancel?: NativeCancel | undefined | null): Promise<NativeEvent | Failure>
  citationSync(text: string): Outcome<NativeEvent>
  changesSince(after: number, limit?: number | undefined | null, cancel?: NativeCancel | undefined | null): Promise<NativeEvents | Failure>
  changesSinceSync(after: number, limit?: number | undefined | null): Outcome<NativeEvents>
  sessions(project?: string | undefined | null, allProjects?: boolean | undefined | null, limit?: number | undefined | null, cancel?: NativeCancel | undefined | null): Promise<Array<NativeSession> | Failure>
  sessionsSync(project?: string | undefined | null, allProjects?: boolean | undefined | null, limit?: number | undefined | null): Outcome<Array<NativeSession>>
  session(id: string, cancel?: NativeCancel | undefined | null): Promise<NativeSession | null | Failure>
  sessionSync(id: string): Outcome<NativeSession | undefined | null>
  updateSession(id: string, update: NativeSessionUpdate, cancel?: NativeCancel | undefined | null): Promise<NativeSession | Failure>
  updateSessionSync(id: string, update: NativeSessionUpdate): Outcome<NativeSession>
  fence(text: string, cancel?: NativeCancel | undefined | null): Promise<string | Failure>
  fenceSync(text: string): Outcome<string>
  timeline(events: Array<Name>, window?: number | undefined | null, cancel?: NativeCancel | undefined | null): Promise<Array<NativeTimelineItem> | Failure>
  timelineSync(events: Array<Name>, window?: number | undefined | null): Outcome<Array<NativeTimelineItem>>
  details(events: Array<Name>, cancel?: NativeCancel | undefined | null): Promise<Array<NativeDetail> | Failure>
  detailsSync(events: Array<Name>): Outcome<Array<NativeDetail>>
  forget(selector: NativeSelector, cancel?: NativeCancel | undefined | null): Promise<NativeForgotten | Failure>
  forgetSync(selector: NativeSelector): Outcome<NativeForgotten>
  erase(selector: NativeSelector, cancel?: NativeCancel | undefined | null): Promise<NativeErased | Failure>
  eraseSync(selector: NativeSelector): Outcome<NativeErased>
  check(cancel?: NativeCancel | undefined | null): Promise<NativeCheckReport | Failure>
  checkSync(): Outcome<NativeCheckReport>
  rebuild(asOf: Time, cancel?: NativeCancel | undefined | null): Promise<NativeRebuilt | Failure>
  rebuildSync(asOf: Time): Outcome<NativeRebuilt>
  compact(cancel?: NativeCancel | undefined | null): Promise<NativeCompacted | Failure>
  compactSync(): Outcome<NativeCompacted>
  exportJsonl(path: string, options: NativeExportOptions, cancel?: NativeCancel | undefined | null): Promise<NativeExported | Failure>
  exportJsonlSync(path: string, options: NativeExportOptions): Outcome<NativeExported>
  restoreJsonl(path: string, cancel?: NativeCancel | undefined | null): Promise<number | Failure>
  restoreJsonlSync(path: string): Outcome<number>
  importJsonl(path: string, cancel?: NativeCancel | undefined | null): Promise<NativeImported | Failure>
  importJsonlSync(path: string): Outcome<NativeImported>
  backup(path: string, cancel?: NativeCancel | undefined | null): Promise<number | Failure>
  backupSync(path: string): Outcome<number>
  stats(cancel?: NativeCancel | undefined | null): Promise<NativeStats | Failure>
  statsSync(): Outcome<NativeStats>
  waitForChange(after: number, timeoutMs: number, cancel?: NativeCancel | undefined | null): Promise<number | Failure>
  waitForChangeSync(after: number, timeoutMs: number): Outcome<number>
  /** The folder of the memory; a failure when its path is not UTF-8. */
  get path(): Outcome<string>
  /** The project that the memory was opened for. */
  get project(): string
  appendBatch(batch: NativeBatch, cancel?: NativeCancel | undefined | null): Promise<NativeReceipts | Failure>
  appendBatchSync(batch: NativeBatch): Outcome<NativeReceipts>
  events(filter: NativeEventFilter, cancel?: NativeCancel | undefined | null): Promise<NativeCursor | Failure>
  eventsSync(filter: NativeEventFilter): Outcome<NativeCursor>
  search(query: NativeQuery, cancel?: NativeCancel | undefined | null): Promise<NativeSearchResult | Failure>
  searchSync(query: NativeQuery, embed?: ((request: NativeRequest | null) => void) | undefined | null): Outcome<NativeSearchResult>
  /**
   * The callback is called with the progress but not waited for; the import ends early when it
   * is cancelled.
   */
  importClaudeCode(path: string, options: NativeImportFields, onProgress: ((progress: NativeImportProgress) => void) | undefined | null, cancel?: NativeCancel | undefined | null): Promise<NativeImportDone | Failure>
  /**
   * As `import_claude_code`, blocking; the import ends when the callback
   * gives false.
   */
  importClaudeCodeSync(path: string, options: NativeImportFields, onProgress?: ((progress: NativeImportProgress) => boolean) | undefined | null): Outcome<NativeImportDone>
  /**
   * `wake` is called on the JavaScript thread when there is progress to take; without it,
   * none is kept.
   */
  watchProgress(wake: (() => void) | undefined | null): void
  /** What was told since this was last asked. */
  takeProgress(): Outcome<Array<NativeProgress>>
  /** Stops the long operations that run now. */
  interrupt(): Outcome<undefined>
  /** Lets go of the calls that wait for the embedder, now and later. */
  releaseEmbedder(): void
  /** Closes the handle on a worker, where the store file is released. */
  close(): Promise<undefined | Failure>
  /** As `close`, blocking. */
  closeSync(): Outcome<undefined>
  /** Whether the handle is open. */
  get isOpen(): boolean
  /** Whether an earlier panic left the handle unusable. */
  get isPoisoned(): boolean
}

export interface NativeMemoryAnswer {
  kind: string
  resolvedTo?: string
  confidence: number
}

export interface NativeMemoryResolution {
  conditionId: string
  resolvedTo: string | null
  kind: string
  confidence: number
  resolvedAt: number
}

export interface NativeMissingQuote {
  messageIndex: number
  quoteHash: string
  reason: string
}

export interface NativeNewEntry {
  entryType: string
  session: string
  title: string
  content: string
  project?: string
  validFrom?: Time
  validTo?: Time
  event?: Name
}

export interface NativeNewEvent {
  kind: string
  session: string
  content?: string
  actor?: string
  origin?: string
  project?: string
  timestamp?: Time
  metadata?: string
  dedupe?: NativeDedupe
  staysForgotten?: boolean
  tool?: NativeToolUse
}

export interface NativeNewTask {
  title: string
  project?: string
  priority?: string
  description?: string
  blockedBy?: Array<string>
}

export interface NativeOpenOptions {
  project?: string
  create?: boolean
  exclusive?: boolean
  cacheBytes?: number
  indexCacheBytes?: number
  recallCache?: boolean
  recallWeights?: NativeRecallWeights
  busyTimeoutMs?: number
  allowNetworkFolder?: boolean
  privacy?: NativePrivacyConfig
  toolLimits?: NativeToolLimits
  toolPolicy?: NativeToolPolicy
  embeddingTimeoutMs?: number
  vectorGraphFrom?: number
  vectorGraphBytes?: number
  learnByRules?: boolean
  timeZone?: string
  quotaBytes?: number
  sizeLimitBytes?: number
  logLevel?: string
  settingsFile?: string
  settings?: string
}

/** How a memory is opened. */
export interface NativeOpening {
  options?: NativeOpenOptions
  retention?: Array<NativeRetention>
  fastembed?: NativeFastembedOptions
}

export interface NativePassage {
  text: string
  start: number
  startByte: number
  end: number
  endByte: number
  hasMoreBefore: boolean
  hasMoreAfter: boolean
}

export interface NativePause {
  scope: string
  name: string
  pausedAt: number
}

export interface NativePinnedEvent {
  id: string
  seq: number
  citation: string
  kind: string
  session: string
  project: string
  preview: string
  pinnedAt: number
}

export interface NativePipelineMetric {
  stage: string
  at: number
  latencyMs: number
  error: string | null
  session: string | null
}

export interface NativePlaceholder {
  id: string
  eventId: string
  createdAt: number
}

export interface NativePopularCitation {
  id: string
  seq: number
  citation: string
  kind: string
  session: string
  preview: string
  usageCount: number
  lastUsed: number
}

export interface NativePrivacyConfig {
  privateTags?: boolean
  marker?: string
  formats?: Array<string>
  preserveLineCount?: boolean
  excludePatterns?: Array<string>
  autoDetect?: boolean
  autoDetectPatterns?: Array<string>
  codeAware?: boolean
  anonymize?: boolean
}

export interface NativePrivacyReport {
  privateCount: number
  secretCount: number
  anonymizedCount: number
  originalBytes: number
  filteredBytes: number
}

export interface NativePrivacyTotals {
  privateSections: number
  sessions: number
  secretsMasked: number
  bytesFiltered: number
}

export interface NativePrivateRemoved {
  text: string
  privateCount: number
  unclosed: boolean
}

export interface NativeProcessed {
  processed: number
  succeeded: number
  failed: number
  skipped: number
  errors: Array<NativeJobFailure>
}

export interface NativeProgress {
  operation: string
  done: number
  total: number | null
}

export interface NativePromotionRecord {
  entryId: string
  fromStage: string
  toStage: string
  isBlocked: boolean
  reason: string
  buildId: string | null
  at: number
}

export interface NativeProof {
  id: string
  seq: number
  citation: string
  session: string
  timestamp: number
  quote: string
  start: number | null
  startByte: number
  end: number | null
  endByte: number
}

export interface NativePulled {
  files: number
  records: number
  duplicates: number
  refused: number
  forgotten: number
  toErase: number
  strangers: Array<string>
}

export interface NativePushed {
  files: number
  records: number
  rewritten: number
}

export interface NativeQuery {
  text?: string
  limit?: number
  vector?: Array<number>
  session?: string
  project?: string
  allProjects?: boolean
  kinds?: Array<string>
  from?: Time
  until?: Time
  tools?: Array<string>
  fileContains?: string
  toolOutcome?: string
  minLevel?: string
  minRelevance?: number
  deadlineMs?: number
  includeRecalled?: boolean
  learned?: boolean
  learnedKinds?: Array<string>
  entryTypes?: Array<string>
  asOf?: Time
}

export interface NativeRebuilt {
  events: number
  hashBefore: string
  hashAfter: string
}

export interface NativeRecallWeights {
  queryExpansion?: number
  similarityByWords?: number
  similarityByVectors?: number
  contextScores?: number
  contextWords?: number
  namedActor?: number
  ownPrompts?: number
  date?: number
  duplicateDemotion?: number
  contestedDemotion?: number
}

/** The receipts of a batch, in the order of its events. */
export declare class NativeReceipts {
  /** The next receipts, at most `count`; none at the end. */
  take(count: number): Outcome<Array<NativeAppended>>
}

export interface NativeReceived {
  identity: string
  records: number
  duplicates: number
  refused: number
  forgotten: number
  toErase: number
  through: number
}

export interface NativeRecordSource {
  identity: string | null
  name: string | null
  position: number
  citation: string
}

export interface NativeRelatedEntry {
  entryId: string
  entities: Array<string>
}

export interface NativeRelations {
  parent: string | null
  children: Array<string>
  previous: string | null
  next: string | null
}

export interface NativeReplacedEdges {
  removed: number
  added: number
}

/**
 * A request in the hands of the TypeScript layer, which answers it once, now
 * or later.
 */
export declare class NativeRequest {
  /** The texts that are asked about; a second call gives none. */
  takeTexts(): Array<string>
  /** Answers with one vector for each text. */
  answerVectors(vectors: Array<Float32Array>): void
  /** Answers with a number. */
  answerNumber(number: number): void
  /** Answers that the callback failed. */
  fail(problem: string): void
  /** Says that the callback gave a promise. */
  later(): void
}

/** How long events of one kind are kept. */
export interface NativeRetention {
  kind: string
  ms: number
}

export interface NativeSearchResult {
  items: Array<NativeHit>
  learned: Array<NativeLearnedHit>
  confidence: string
  degraded: boolean
  totalMatches: number
}

export interface NativeSelector {
  ids?: Array<Name>
  session?: string
  before?: Time
  project?: string
  allProjects?: boolean
  kinds?: Array<string>
  everything?: boolean
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

export interface NativeSessionMessage {
  index: number
  event: NativeEvent | null
}

export interface NativeSessionUpdate {
  project?: string
  started?: Time
  ended?: Time
  summary?: string
  tags?: Array<string>
}

export interface NativeSharedBatch {
  lines: string
  records: number
  through: number
  hasMore: boolean
}

export interface NativeSmartSearchFields {
  limit?: number
  minRelevance?: number
  expandTimeline?: boolean
  expandDetails?: boolean
  maxExpanded?: number
  budgetTokens?: number
  window?: number
}

export interface NativeSmartSearchMeta {
  totalMatches: number
  expandedCount: number
  estimatedTokens: number
  expansionReason: string
}

export interface NativeSmartSearchResult {
  index: Array<NativeIndexItem>
  learned: Array<NativeLearnedHit>
  timeline: Array<NativeTimelineItem>
  details: Array<NativeDetail>
  meta: NativeSmartSearchMeta
  hint: string
  confidence: string
  degraded: boolean
  indexMarkdown: string
  timelineMarkdown: string
  detailsMarkdown: string
  markdown: string
}

export interface NativeSpokenEvent {
  kind: string
  content: string
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
  quotaBytes: number
  isOverQuota: boolean
  lastAppend: number | null
  pausedSessions: number
  pausedProjects: number
  privacy: NativePrivacyTotals
  lexical: NativeLexicalStats
  embedding: NativeEmbeddingStats | null
  layers: Array<NativeLayerStats>
  injections: NativeInjectionStats
  openErasures: number
  requestedErasures: number
  uncleanPlaces: Array<string>
}

/** A group of events that waits for its summary. */
export interface NativeSummaryRequest {
  topics: Array<string>
  texts: Array<string>
}

export interface NativeTask {
  id: string
  project: string
  canonicalKey: string
  title: string
  description: string | null
  priority: string
  status: string
  blockers: Array<NativeBlockerRef>
  suggestedBlockers: Array<NativeBlockerRef>
  createdAt: number
  updatedAt: number
}

export interface NativeTaskCandidate {
  entityId: string
  title: string
  score: number
}

export interface NativeTaskDetail {
  task: NativeTask
  effectiveBlockers: Array<NativeEffectiveBlocker>
  history: Array<NativeEvent>
}

export interface NativeTaskFilter {
  project?: string
  allProjects?: boolean
  status?: string
  text?: string
  offset?: number
  limit?: number
  isLive?: boolean
}

export interface NativeTaskTransition {
  outcome: string
  status: string
  reason: string | null
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

export interface NativeToolLimits {
  maxOutputChars?: number
  maxOutputLines?: number
  keepWholeOutput?: boolean
  byTool?: boolean
}

export interface NativeToolPolicy {
  enabled?: boolean
  excludedTools?: Array<string>
  storeOnlyOnSuccess?: boolean
}

export interface NativeToolRecord {
  name: string
  input: string | null
  output: string
  durationMs: number | null
  success: boolean
  error: string | null
  promptIndex: number | null
  toolIndex: number | null
  metadata: string
}

export interface NativeToolUse {
  name: string
  input?: string
  output?: string
  durationMs?: number
  success?: boolean
  error?: string
  promptIndex?: number
  toolIndex?: number
}

export interface NativeUnansweredErasure {
  seq: number
  erasedAt: number
  waitingFor: Array<string>
  declinedBy: Array<string>
}

export interface NativeUpgraded {
  fromFormat: number
  toFormat: number
  changed: boolean
}

export interface NativeUsage {
  accessCount: number
  confidence: number
  crossSessionRefs: number
  daysSinceLastAccess: number
}

export interface NativeUsageInput {
  accessCount: number
  confidence: number
  crossSessionRefs: number
  daysSinceLastAccess: number
}

export interface NativeWatermark {
  identity: string
  position: number
}

export interface NativeWorkingItem {
  eventId: string
  addedAt: number
  relevance: number
  topics: Array<string>
  expiresAt: number
  usedAt: number
}

export interface NativeWorkingSetPolicy {
  maxEvents: number
  timeWindowMs: number
  minRelevanceScore: number
}

export interface NativeWorkingSetPolicyInput {
  maxEvents?: number
  timeWindowMs?: number
  minRelevanceScore?: number
}

export declare function align(messages: Array<string>, quotes: Array<NativeEvidenceQuote>, options: NativeAlignOptions, cancel?: NativeCancel | undefined | null): Promise<NativeAlignmentReport | Failure>

export declare function alignClaims(claims: Array<string>, source: string, cancel?: NativeCancel | undefined | null): Promise<NativeClaimsAlignment | Failure>

export declare function alignClaimsSync(claims: Array<string>, source: string): Outcome<NativeClaimsAlignment>

export declare function alignSync(messages: Array<string>, quotes: Array<NativeEvidenceQuote>, options: NativeAlignOptions): Outcome<NativeAlignmentReport>

export declare function allowsBlockers(status: string, confirmed: number, suggested?: number | undefined | null): Outcome<boolean>

export declare function allowsJobTransition(from: string, to: string): Outcome<boolean>

export declare function artifactKey(identifier: string): Outcome<string>

export declare function artifactKind(identifier: string): Outcome<string>

export declare function canonicalKey(title: string, project?: string | undefined | null): Outcome<string>

export declare function checkGrounding(response: string, contexts: Array<string>, cancel?: NativeCancel | undefined | null): Promise<NativeClaimsAlignment | Failure>

export declare function checkGroundingSync(response: string, contexts: Array<string>): Outcome<NativeClaimsAlignment>

export declare function citationBlock(memories: Array<NativeCitedMemory>, format?: string | undefined | null, shown?: string | undefined | null): Outcome<string>

export declare function citationId(eventId: string, length?: number | undefined | null): Outcome<string>

export declare function classify(top: number, second?: number | undefined | null): Outcome<string>

export declare function conditionKey(text: string, project?: string | undefined | null): Outcome<string>

export declare function contentHash(content: string): Outcome<string>

export declare function continuity(current: NativeContextSnapshotInput, previous?: NativeContextSnapshotInput | undefined | null, policy?: NativeContinuityPolicyInput | undefined | null): Outcome<NativeContinuity>

export declare function decideTransition(from: string, to: string): Outcome<NativeTaskTransition>

export declare function dedupeKey(session: string, content: string): Outcome<string>

export declare function defaultStorePath(): Outcome<string>

export declare function effectiveBlockers(taskId: string, entities: Array<NativeEntityRefInput>, edges: Array<NativeGraphEdge>): Outcome<Array<NativeEffectiveBlocker>>

export declare function entityKey(kind: string, identifier: string, project?: string | undefined | null): Outcome<string>

/** Every error code, in numeric order. */
export declare function errorCodes(): Array<string>

export declare function estimateTokens(text: string): Outcome<number>

export declare function evaluateGraduation(level: string, usage?: NativeUsageInput | undefined | null, evidence?: string | undefined | null): Outcome<NativeEvaluation>

/** Every event kind, in numeric order. */
export declare function eventKinds(): Array<string>

export declare function expansionDecision(scores: Array<number>): Outcome<NativeExpansionDecision>

export declare function extractClaims(response: string): Outcome<Array<string>>

export declare function extractInsights(events: Array<NativeInsightEvent>, cues?: string | undefined | null): Outcome<Array<NativeInsight>>

/** The prompt that explains an extraction to a language model. */
export declare function extractionPrompt(): string

/** The JSON Schema of an extraction, as JSON text. */
export declare function extractionSchema(): string

export declare function filterText(text: string, config: NativePrivacyConfig, exactTags?: boolean | undefined | null): Outcome<NativeFiltered>

export declare function formatContext(memories: Array<NativeContextMemory>, maxTokens?: number | undefined | null, shown?: string | undefined | null): Outcome<string>

export declare function harmless(text: string): Outcome<string>

export declare function harmlessLine(text: string): Outcome<string>

export declare function initialTaskStatus(requested?: string | undefined | null): Outcome<string>

export declare function isConsolidationDue(trigger: NativeConsolidationTrigger, policy?: NativeConsolidationPolicyInput | undefined | null): Outcome<boolean>

export declare function isEdgeAllowed(sourceType: string, relation: string, destinationType: string): Outcome<boolean>

export declare function isSameTitle(a: string, b: string): Outcome<boolean>

export declare function isSmallTalk(message: string): Outcome<boolean>

export declare function levenshtein(a: string, b: string): Outcome<number>

export declare function maskSecrets(text: string, codeAware?: boolean | undefined | null, keyFormats?: boolean | undefined | null): Outcome<NativeMasked>

export declare function maskToolInput(input: string, keys?: string | undefined | null): Outcome<NativeMaskedInput>

export declare function matchList(scores: Array<number>): Outcome<NativeMatchList>

export declare function matchScore(parts: NativeMatchParts): Outcome<number>

/** Opens a memory on a worker. */
export declare function open(path: string, options: NativeOpening, cancel?: NativeCancel | undefined | null, embedder?: NativeEmbedder | undefined | null, logger?: NativeLogger | undefined | null): Promise<NativeMemory | Failure>

/** Opens a memory, blocking. */
export declare function openSync(path: string, options: NativeOpening, embedder?: NativeEmbedder | undefined | null, logger?: NativeLogger | undefined | null): Outcome<NativeMemory>

export declare function outsideSessionName(session: string): Outcome<string>

export declare function parseCitation(text: string): Outcome<string | undefined | null>

export declare function parseEntityKey(key: string): Outcome<NativeEntityKeyParts | undefined | null>

export declare function planExpansion(scores: Array<number>, budgetTokens: number, indexTokens: number, timelineTokens: Array<number>, detailTokens: Array<number>): Outcome<NativeExpansionPlan>

export declare function preview(content: string): Outcome<string>

export declare function projectOf(folder: string, cancel?: NativeCancel | undefined | null): Promise<string | Failure>

export declare function projectOfSync(folder: string): Outcome<string>

/**
 * Lets go of every worker that waits for a callback of this thread: JavaScript
 * will not run again, because the process or the worker thread exits.
 */
export declare function releaseCallbacks(): void

export declare function removePrivateSections(text: string, formats: Array<string>, marker?: string | undefined | null, preserveLineCount?: boolean | undefined | null): Outcome<NativePrivateRemoved>

export declare function sessionSummaryText(events: Array<NativeSpokenEvent>, shown?: string | undefined | null): Outcome<string>

export declare function similarity(a: string, b: string): Outcome<number>

export declare function snapshot(id: string, text: string, at: Time): Outcome<NativeContextSnapshot>

export declare function summary(content: string): Outcome<string>

export declare function taskEventDedupeKey(kind: string, taskId: string, sessionId: string, sourceEntryId: string, payload: string): Outcome<string>

export declare function taskKey(title: string, project?: string | undefined | null): Outcome<string>

export declare function toolEmbeddingText(toolName: string, metadata: string, success?: boolean | undefined | null): Outcome<string>

export declare function toolMetadata(toolName: string, input: string | undefined | null, output: string, success?: boolean | undefined | null): Outcome<string>

export declare function toolSummary(toolName: string, metadata: string, output: string, success?: boolean | undefined | null): Outcome<string>

export declare function truncateOutput(output: string, maxChars?: number | undefined | null, maxLines?: number | undefined | null): Outcome<string>

export declare function uniqueCitationId(eventId: string, taken: Array<string>, length?: number | undefined | null): Outcome<string | undefined | null>

export declare function utf16Len(text: string): Outcome<number>

export declare function vectorTableName(itemKind: string, embeddingVersion: string): Outcome<string>

/** The version of the library, for example `0.1.0`. */
export declare function version(): string
