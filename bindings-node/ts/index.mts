/** The ES module form: the same objects as the CommonJS form, so that there is one `MemoryError`. */

export { Memory, MemoryError, defaultStorePath, projectOf, projectOfSync } from './index.js';
export type * from './index.js';
