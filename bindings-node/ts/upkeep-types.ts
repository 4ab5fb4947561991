/** The options and results of upkeep: forgetting, checking, compacting, moving. */

import type { Selector } from './generated/types.js';

/** Options for an export. */
export interface ExportOptions {
  /**
   * The live events to export. Such a file can be imported but not restored. Default: the
   * whole log, which can be restored byte for byte.
   */
  readonly selector?: Selector | undefined;
  /** Whether to replace an existing file once the export is complete. Default: false. */
  readonly replace?: boolean | undefined;
}

/** How long to wait for a change. */
export interface WaitOptions {
  /** The maximum time to wait, in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number | undefined;
}
