/** The parts of a memory that have methods of their own. */

import { attach, handleOf } from './handle.js';

/** A part of a memory, for example its tasks. */
export class Area {
  constructor(memory: object) {
    attach(this, handleOf(memory));
  }
}

/** The areas that a memory was asked for, by their classes. */
const areas = new WeakMap<object, Map<unknown, Area>>();

/** The area of this class: of one memory always the same. */
export function areaOf<A extends Area>(memory: object, Class: new (memory: object) => A): A {
  const known = areas.get(memory) ?? new Map<unknown, Area>();
  areas.set(memory, known);
  const area = (known.get(Class) as A | undefined) ?? new Class(memory);
  known.set(Class, area);
  return area;
}
