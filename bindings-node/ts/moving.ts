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
   * Writes the log, or selected events, as JSON Lines to the file `path` (a path or a
   * `file:` URL), as of one moment. A file that is there already is refused, unless
   * `replace` is true. The whole log contains everything in the store,
   * including the secrets of its keys: keep it as private as the store. If the export fails
   * or is aborted, no file is left behind, and an older one stays as it is.
   *
   * Growth: By store; with a selector, by result.
   *
   * @throws {MemoryError} `already_exists` when there is a file, without `replace`; `not_found` when
   * there is no such folder; `invalid_argument`, `permission_denied`, `io`, `corrupt`.
   */
  async exportJsonl(path: string | FileUrl, options?: ExportOptions & CallOptions): Promise<Exported> {
    const { signal, rest } = splitSignal(options);
    const file = pathOf('path', path);
    const { selector, replace } = convert.exportOptions(rest);
    try {
      // Treated as a write: if it is aborted too late, the file exists.
      return await write(this, { signal }, (native, cancel) =>
        native.exportJsonl(file, selector, replace, cancel),
      );
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  }

  /** Like `exportJsonl`, but blocking. */
  exportJsonlSync(path: string | FileUrl, options?: ExportOptions): Exported {
    const file = pathOf('path', path);
    const { selector, replace } = convert.exportOptions(options);
    return now(this, (native) => native.exportJsonlSync(file, selector, replace));
  }
}
