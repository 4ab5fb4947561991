/** How memories are put into words, and which are wanted. */


/** Each of these may be left out. */

/** Which consolidated memories are wanted. */
export interface ConsolidatedFilter {
  /** Only with this text in the summary, letter case ignored; then the surest come first. */
  readonly text?: string | undefined;
}

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
