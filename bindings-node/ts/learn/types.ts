/** The input and results of learning. The rules of `../types.ts` apply here too. */

export type * from './types/extraction.js';
export type * from './types/knowledge.js';
export type * from './types/endless.js';
