/** Re-exports the hand-written methods of areas for the generated classes. */

export { EndlessByHand } from './learn/endless.js';
export { LevelsByHand } from './learn/levels.js';
export { TasksByHand } from './learn/tasks.js';
