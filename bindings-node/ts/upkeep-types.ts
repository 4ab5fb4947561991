/** What upkeep takes and gives: forgetting, checking, compacting, moving. */

import type { Selector } from './generated/types.js';

/** What an export is about. */
export interface ExportOptions {
  /**
   * The live events that are exported; such a file can be imported, not
   * restored. Default: the whole log, which can be restored byte for byte.
   */
  readonly selector?: Selector | undefined;
}

/** How long a change is waited for. */
export interface WaitOptions {
  /** At most this many milliseconds. Default: 30,000. */
  readonly timeoutMs?: number | undefined;
}
