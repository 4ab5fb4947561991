/** Moving a store: the method of `Memory` that exports. */

import { splitSignal } from './calls.js';
import { path as pathOf } from './check.js';
import * as convert from './convert-upkeep.js';
import type { Exported } from './generated/types.js';
import { now, write } from './handle.js';
import type { FileUrl } from './platform-types.js';
import type { CallOptions } from './types.js';
import type { ExportOptions } from './upkeep-types.js';

/** The methods of a memory that move it. */
export abstract class MovingMethods {
  /**
   * Writes the log, or selected events, as JSON Lines to the new file `path` (a path or a
   * `file:` URL), as of one moment. The whole log contains everything in the store,
   * including the secrets of its keys: keep it as private as the store. If the export fails
   * or is aborted, no file is left behind.
   *
   * Growth: By store; with a selector, by result.
   *
   * @throws {MemoryError} `already_exists` when there is a file; `not_found` when
   * there is no such folder; `invalid_argument`, `permission_denied`, `io`, `corrupt`.
   */
  async exportJsonl(path: string | FileUrl, options?: ExportOptions & CallOptions): Promise<Exported> {
    const { signal, rest } = splitSignal(options);
    const [file, selector] = [pathOf('path', path), convert.exportSelector(rest)];
    try {
      // Treated as a write: if it is aborted too late, the file exists.
      return await write(this, { signal }, (native, cancel) =>
        native.exportJsonl(file, selector, cancel),
      );
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  }

  /** Like `exportJsonl`, but blocking. */
  exportJsonlSync(path: string | FileUrl, options?: ExportOptions): Exported {
    const [file, selector] = [pathOf('path', path), convert.exportSelector(options)];
    return now(this, (native) => native.exportJsonlSync(file, selector));
  }
}
