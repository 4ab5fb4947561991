/** The options of upkeep. */

/** How long to wait for a change. */
export interface WaitOptions {
  /** The maximum time to wait, in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number | undefined;
}
