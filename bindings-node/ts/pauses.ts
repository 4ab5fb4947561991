/** Pauses: sessions and projects of which nothing is recorded for now. */

import { Area } from './area.js';
import { text } from './check.js';
import type { Pause, PauseScope } from './generated/types.js';
import { now, read, write } from './handle.js';
import type { CallOptions } from './types.js';

/** Sessions and projects of which nothing is recorded for now. */
export class Pauses extends Area {
  /**
   * Pauses the recording of a session or a project, for every process: an append to it
   * stores nothing, and its receipt says `paused`. It lasts until {@link Pauses.resume}.
   * Gives false when it was paused already.
   *
   * @throws {MemoryError} `invalid_argument` naming `scope` or `name`; `busy`, `full`, `io`.
   */
  async pause(scope: PauseScope, name: string, options?: CallOptions): Promise<boolean> {
    const [kind, of] = [text('scope', scope), text('name', name)];
    return write(this, options, (memory, cancel) => memory.pause(kind, of, cancel));
  }

  /** As {@link Pauses.pause}, blocking. */
  pauseSync(scope: PauseScope, name: string): boolean {
    const [kind, of] = [text('scope', scope), text('name', name)];
    return now(this, (memory) => memory.pauseSync(kind, of));
  }

  /**
   * Records a session or a project again. Gives false when it was not paused.
   *
   * @throws {MemoryError} as {@link Pauses.pause}.
   */
  async resume(scope: PauseScope, name: string, options?: CallOptions): Promise<boolean> {
    const [kind, of] = [text('scope', scope), text('name', name)];
    return write(this, options, (memory, cancel) => memory.resume(kind, of, cancel));
  }

  /** As {@link Pauses.resume}, blocking. */
  resumeSync(scope: PauseScope, name: string): boolean {
    const [kind, of] = [text('scope', scope), text('name', name)];
    return now(this, (memory) => memory.resumeSync(kind, of));
  }

  /**
   * Everything that is paused, the longest paused first.
   *
   * @throws {MemoryError} `corrupt`, `io`.
   */
  async list(options?: CallOptions): Promise<Pause[]> {
    return read(this, options, (memory, cancel) => memory.pauses(cancel)) as Promise<Pause[]>;
  }

  /** As {@link Pauses.list}, blocking. */
  listSync(): Pause[] {
    return now(this, (memory) => memory.pausesSync()) as Pause[];
  }
}
