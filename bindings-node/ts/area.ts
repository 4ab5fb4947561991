/** The parts of a memory that have methods of their own. */

import { attach, handleOf } from './handle.js';

/** A part of a memory, for example its tasks. */
export class Area {
  constructor(memory: object) {
    attach(this, handleOf(memory));
  }
}
