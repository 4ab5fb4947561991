/** How memories are put into words. */

/** A group of events to be put into words. */
export interface SummaryRequest {
  /** What the events are about. */
  readonly topics: readonly string[];
  /** Their texts, in the order of time. */
  readonly texts: readonly string[];
}

/** How memories are put into words in the background. */
export interface ConsolidateOptions {
  /**
   * Your own summary of a group, for example by a language model. `null`,
   * nothing or a blank text takes the summary made by rules. It passes the
   * privacy filter.
   */
  readonly summarize?:
    | ((group: SummaryRequest) => string | null | undefined | Promise<string | null | undefined>)
    | undefined;
}

/** How memories are put into words while the thread waits. */
export interface ConsolidateSyncOptions {
  /** As for `consolidate`, but it gives its summary at once. */
  readonly summarize?: ((group: SummaryRequest) => string | null | undefined) | undefined;
}
