// The types as CommonJS sees them: compiled, not run.

import recallite = require('recallite');

export function count(folder: string): number {
  const memory: recallite.Memory = recallite.Memory.openSync(folder);
  const { events }: recallite.Stats = memory.statsSync();
  memory.closeSync();
  return events;
}
