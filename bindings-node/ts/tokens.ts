/** The constants of the specification's token estimates; the vectors compare them. */

/** The estimated number of tokens of one line of an index. */
export const INDEX_ITEM_TOKENS = 50;

/** The estimated number of tokens of one line of a timeline. */
export const TIMELINE_ITEM_TOKENS = 40;
