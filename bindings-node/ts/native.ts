/** Finds the addon that was built for this platform and loads it, once. */

import type * as Native from '../native';

import { MemoryError } from './errors.js';

/** The platforms that have a build: `process.platform`, `process.arch`, package names. */
const packages: Readonly<Record<string, readonly string[]>> = {
  // npm installs the one for the machine's C library. If both exist (in a copied
  // folder), the wrong one fails to load and the next is tried.
  'linux-x64': ['@recallite/linux-x64-gnu', '@recallite/linux-x64-musl'],
  'linux-arm64': ['@recallite/linux-arm64-gnu', '@recallite/linux-arm64-musl'],
  'darwin-x64': ['@recallite/darwin-x64'],
  'darwin-arm64': ['@recallite/darwin-arm64'],
  'win32-x64': ['@recallite/win32-x64-msvc'],
};

let loaded: typeof Native | undefined;

/**
 * The addon. It is loaded when the first memory is opened, so that importing
 * the package costs next to nothing.
 */
export function native(): typeof Native {
  return (loaded ??= load());
}

function load(): typeof Native {
  const platform = `${process.platform}-${process.arch}`;
  const names = packages[platform];
  if (!names) {
    throw new MemoryError(
      'unsupported',
      `recallite has no build for ${platform}; it has builds for ${Object.keys(packages).join(', ')}`,
    );
  }
  const failures: unknown[] = [];
  for (const name of names) {
    try {
      return require(name) as typeof Native;
    } catch (error) {
      const isMissing = (error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND';
      // An error from loading a package is more useful than one about a missing package.
      isMissing ? failures.push(error) : failures.unshift(error);
    }
  }
  const [cause] = failures;
  const problem =
    (cause as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND'
      ? `${names.join(' or ')} is not installed; install recallite again without --omit=optional ` +
        'or --no-optional, on the platform where it will run, and leave recallite and @recallite/* ' +
        'out of bundles'
      : `the addon did not load: ${(cause as Error).message}`;
  throw new MemoryError('unsupported', `recallite on ${platform}: ${problem}`, { cause });
}
