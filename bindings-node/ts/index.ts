/** Recallite: a local, durable, searchable memory for AI agents. */

export { MemoryError, type MemoryErrorDetails } from './errors.js';
export * from './generated/rules.js';
export { INDEX_ITEM_TOKENS, TIMELINE_ITEM_TOKENS } from './tokens.js';
export { extractionPrompt, extractionSchema } from './learn/extraction.js';
export type * from './generated/citations.js';
export type * from './generated/endless.js';
export type * from './generated/history.js';
export type * from './generated/knowledge.js';
export type * from './generated/levels.js';
export type * from './generated/tasks.js';
export type * from './generated/types.js';
export type * from './learn/extraction.js';
export { Memory } from './memory.js';
export type * from './arguments.js';
// Beside the options of opening, it has the functions.
export type { OpenOptions } from './arguments.js';
export type * from './generated/pauses.js';
export type * from './generated/sharing.js';
export type * from './generated/upkeep.js';
export type * from './generated/memory.js';
