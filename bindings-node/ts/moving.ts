/** Moving: the methods of `Memory` that export, restore and import. */

import { splitSignal } from './calls.js';
import { path as pathOf } from './check.js';
import * as convert from './convert-upkeep.js';
import type { Exported, Imported } from './generated/types.js';
import { now, write } from './handle.js';
import type { FileUrl } from './platform-types.js';
import type { CallOptions } from './types.js';
import type { ExportOptions } from './upkeep-types.js';

/** The part of a memory that moves it. */
export abstract class MovingMethods {
  /**
   * Writes the log, or selected events, as lines of JSON into the new file
   * `path` (a path or a `file:` URL), as of one moment. The whole log holds what
   * the store holds, secrets of its keys included: keep it as private. No file
   * is left behind when it fails or is aborted.
   *
   * @throws {MemoryError} `already_exists` when there is a file; `not_found` when
   * there is no such folder; `invalid_argument`, `permission_denied`, `io`, `corrupt`.
   */
  async exportJsonl(path: string | FileUrl, options?: ExportOptions & CallOptions): Promise<Exported> {
    const { signal, rest } = splitSignal(options);
    const [file, selector] = [pathOf('path', path), convert.exportSelector(rest)];
    try {
      // As a write: when it was aborted too late, the file is there.
      return await write(this, { signal }, (native, cancel) =>
        native.exportJsonl(file, selector, cancel),
      );
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  }

  /** As `exportJsonl`, blocking. */
  exportJsonlSync(path: string | FileUrl, options?: ExportOptions): Exported {
    const [file, selector] = [pathOf('path', path), convert.exportSelector(options)];
    return now(this, (native) => native.exportJsonlSync(file, selector));
  }

  /**
   * Makes this empty store the one that a whole export was made of, record by
   * record, with ids, citations and checksums. Gives how many events there are.
   * An export that is cut or changed leaves the store empty.
   *
   * @throws {MemoryError} `already_exists` when the store holds events;
   * `invalid_argument` naming `path` and the line when the export is cut, changed
   * or not whole; `not_found`, `newer_format`, `io`.
   */
  async restoreJsonl(path: string | FileUrl, options?: CallOptions): Promise<number> {
    const file = pathOf('path', path);
    return write(this, options, (native, cancel) =>
      native.restoreJsonl(file, cancel),
    );
  }

  /** As `restoreJsonl`, blocking. */
  restoreJsonlSync(path: string | FileUrl): number {
    return now(this, (native) => native.restoreJsonlSync(pathOf('path', path)));
  }

  /**
   * Adds the conversation events of an export to this store, in slices between
   * which others write. They pass the privacy filter and get new positions and
   * ids. What is here already is recognised. The export is read to its end first;
   * when the disk fills after that, importing again adds what is missing.
   *
   * @throws {MemoryError} `invalid_argument` naming `path` and the line for an
   * export that is cut; `not_found`; as `append`.
   */
  async importJsonl(path: string | FileUrl, options?: CallOptions): Promise<Imported> {
    const file = pathOf('path', path);
    return write(this, options, (native, cancel) =>
      native.importJsonl(file, cancel),
    );
  }

  /** As `importJsonl`, blocking. */
  importJsonlSync(path: string | FileUrl): Imported {
    return now(this, (native) => native.importJsonlSync(pathOf('path', path)));
  }
}
