/** What goes into learning and what comes out of it. The rules of `../types.ts` hold here too. */

export type * from './types/extraction.js';
export type * from './types/knowledge.js';
export type * from './types/endless.js';
