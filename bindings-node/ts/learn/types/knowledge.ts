/** What is no plain record. */

import type {
  Artifact,
  Condition,
  Task,
} from '../../generated/types.js';

/** A task, condition or artifact; `kind` says which. */
export type Entity =
  | { readonly kind: 'task'; readonly task: Task }
  | { readonly kind: 'condition'; readonly condition: Condition }
  | { readonly kind: 'artifact'; readonly artifact: Artifact };
