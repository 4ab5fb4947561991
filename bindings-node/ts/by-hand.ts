/** The methods of areas that are not generated, where the generated classes find them. */

export { EndlessByHand } from './learn/endless.js';
export { LevelsByHand } from './learn/levels.js';
export { TasksByHand } from './learn/tasks.js';
