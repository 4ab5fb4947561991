/** The areas of a memory, each with its own methods. */

import { attach, handleOf } from './handle.js';

/** An area of a memory, for example its tasks. */
export class Area {
  constructor(memory: object) {
    attach(this, handleOf(memory));
  }

  /** Returns what `console.log` shows. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `${this.constructor.name} {}`;
  }
}

/** The areas of each memory that have been used, by class. */
const areas = new WeakMap<object, Map<unknown, Area>>();

/** Returns the area of this class; always the same one for a memory. */
export function areaOf<A extends Area>(memory: object, Class: new (memory: object) => A): A {
  const known = areas.get(memory) ?? new Map<unknown, Area>();
  areas.set(memory, known);
  const area = (known.get(Class) as A | undefined) ?? new Class(memory);
  known.set(Class, area);
  return area;
}
