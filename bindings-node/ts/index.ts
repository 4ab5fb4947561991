/** Recallite: a local, durable, searchable memory for AI agents. */

export { MemoryError, type ErrorCode, type MemoryErrorDetails } from './errors.js';
export { Memory, defaultStorePath, projectOf, projectOfSync } from './memory.js';
export type * from './types.js';
