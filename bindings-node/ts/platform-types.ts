/**
 * Platform types, from wherever a program has them: Node's types or the browser's. A
 * program that has neither still compiles, with the parts that this package uses.
 */

/** An `AbortSignal`. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer T } }
  ? T
  : {
      readonly aborted: boolean;
      readonly reason: unknown;
      throwIfAborted(): void;
      addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
      removeEventListener(type: 'abort', listener: () => void): void;
    };

/** A `URL`. */
export type FileUrl = typeof globalThis extends { URL: { prototype: infer T } }
  ? T
  : { readonly href: string; readonly protocol: string; readonly pathname: string };
