// One call of each method for learning, on whatever memory: what every handle
// must refuse alike is tested with these.

const edge = {
  sourceType: 'entry', sourceId: 'a', relation: 'derived_from', destinationType: 'entry', destinationId: 'b',
};

/** The arguments of each method. */
export const learnCalls = {
  sessionMessages: ['s1'],
  ingest: ['s1', { schema_version: 1, entries: [] }],
  tasks: [], task: ['x'], taskAsOf: ['x', 0], entity: ['x'],
  blockedTasks: [], tasksWithOnlySuggestedBlockers: [], tasksWithPlaceholderBlockers: [],
  resolvedConditions: [],
  resolveCondition: ['x', { kind: 'task', id: 'y', resolution: 'user_confirmed', confidence: 1 }],
  changeTaskStatus: ['x', 'done'], renameTask: ['x', 'title'],
  entries: [], searchEntries: ['x'], entry: ['x'], supersede: ['x', 'y'], contradict: ['x', 'y'],
  resolveConflict: ['x', { inFavourOf: 'y', resolution: 'r', resolvedBy: 'p' }],
  certify: ['x', 'somebody'], deprecate: ['x'],
  edges: [{ from: 'x' }], addEdge: [edge], removeEdge: [edge],
  replaceEdges: [{ type: 'entry', id: 'x' }, 'derived_from', []],
  lineage: ['x'], relatedEntries: ['x'],
  buildRuns: [], pipelineMetrics: [], promotions: [], conflicts: [], decisions: [],
  recordDecision: [{ decisionId: 'd', decidedAt: 0, actor: 'a', action: 'b' }],
  resolveMemory: ['x', { kind: 'rejected', confidence: 1 }], markUnknownContext: [1],
  placeholders: [], memoryResolutions: [], effectiveMemory: ['x'],
  level: [1], levelCounts: [], recordAccess: [[1], 's1', 1], setHalfLifeDays: [30], graduate: [10], insights: [],
  mode: [], sessionNow: ['s1'], setMode: ['session'], endlessConfig: [], setEndlessConfig: [{}],
  workingSet: [], consolidatedMemories: [], continuityLog: [], scoreContinuity: ['c', 'text'],
  endlessStatus: [], endlessContext: [], consolidate: [],
};

export { edge };
