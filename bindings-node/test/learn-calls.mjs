// One call of each method for learning, on whatever memory: what every handle
// must refuse alike is tested with these.

const edge = {
  sourceType: 'entry', sourceId: 'a', relation: 'derived_from', destinationType: 'entry', destinationId: 'b',
};

/** The arguments of each method. */
export const learnCalls = {
  fence: ['text'],
  ingest: ['s1', { schema_version: 1, entries: [] }],
  'tasks.list': [], 'tasks.get': ['x'], 'tasks.getAsOf': ['x', 0], 'tasks.entity': ['x'],
  'tasks.blocked': [], 'tasks.withOnlySuggestedBlockers': [], 'tasks.withPlaceholderBlockers': [],
  'tasks.resolvedConditions': [],
  'tasks.resolveCondition': ['x', { kind: 'task', id: 'y' }, 'user_confirmed', 1],
  'tasks.changeStatus': ['x', 'done'], 'tasks.rename': ['x', 'title'],
  'tasks.create': [{ title: 'x' }], 'tasks.setPriority': ['x', 'high'],
  'tasks.conditions': [], 'tasks.artifacts': [],
  'knowledge.addEntry': [{ entryType: 'fact', session: 's1', title: 'x', content: 'x' }],
  'knowledge.sessionMessages': ['s1'], 'knowledge.extractionRequest': ['s1'],
  'knowledge.entries': [], 'knowledge.search': ['x'], 'knowledge.entry': ['x'], 'knowledge.supersede': ['x', 'y'], 'knowledge.contradict': ['x', 'y'],
  'knowledge.resolveConflict': ['x', { inFavourOf: 'y', resolution: 'r', resolvedBy: 'p' }],
  'knowledge.certify': ['x', 'somebody'], 'knowledge.deprecate': ['x'],
  'knowledge.edges': [{ from: 'x' }], 'knowledge.addEdge': [edge], 'knowledge.removeEdge': [edge],
  'knowledge.replaceEdges': [{ nodeType: 'entry', id: 'x' }, 'derived_from', []],
  'knowledge.lineage': ['x'], 'knowledge.relatedEntries': ['x'],
  'history.buildRuns': [], 'history.pipelineMetrics': [], 'history.promotions': [], 'knowledge.conflicts': [], 'history.decisions': [],
  'history.recordDecision': [{ decisionId: 'd', decidedAt: 0, actor: 'a', action: 'b' }],
  'knowledge.resolveMemory': ['x', { kind: 'rejected', confidence: 1 }], 'knowledge.markUnknownContext': [1],
  'knowledge.placeholders': [], 'knowledge.memoryResolutions': [], 'knowledge.effectiveMemory': ['x'],
  'levels.get': [1], 'levels.counts': [], 'levels.recordAccess': [[1], 's1', 1], 'levels.setHalfLifeDays': [30], 'levels.graduate': [10], 'levels.insights': [],
  'levels.pin': [1], 'levels.unpin': [1], 'levels.pinned': [{}],
  'pauses.pause': ['session', 's1'], 'pauses.resume': ['session', 's1'], 'pauses.list': [],
  'sharing.identity': [], 'sharing.renewIdentity': [], 'sharing.addMember': ['0'.repeat(64), 'm', 'owner'],
  'sharing.removeMember': ['0'.repeat(64)], 'sharing.members': [], 'sharing.withhold': ['session', 's1'],
  'sharing.offer': ['session', 's1'], 'sharing.isWithheld': ['session', 's1'], 'sharing.batchSince': [0],
  'sharing.receive': ['x'], 'sharing.receiveSelected': ['x', 0, 1], 'sharing.retractionMark': [],
  'sharing.announcement': ['m'], 'sharing.readAnnouncement': ['x'], 'sharing.eraseOrdered': [], 'sharing.unansweredErasures': [], 'sharing.source': [1], 'sharing.citedElsewhere': [1], 'sharing.projectsOf': [1], 'sharing.logChecksum': [1], 'sharing.pushFolder': ['x'], 'sharing.pullFolder': ['x'],
  'sharing.announce': ['x', 'm'], 'sharing.announced': ['x'], 'sharing.watermarks': [], 'sharing.sharedHash': [],
  'endless.mode': [], 'endless.sessionNow': ['s1'], 'endless.setMode': ['session'], 'endless.config': [], 'endless.setConfig': [{}],
  'endless.workingSet': [], 'endless.addToWorkingSet': [[1]], 'endless.refreshWorkingSet': [[1]], 'endless.pruneWorkingSet': [[1]],
  'endless.memories': [], 'endless.continuityLog': [], 'endless.scoreContinuity': ['c', 'text'],
  'endless.status': [], 'endless.context': [], 'endless.consolidate': [],
};

export { edge };
