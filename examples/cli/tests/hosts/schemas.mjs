// The JSON schemas of Codex's hooks, as they lie in its own program: those of the version that
// the tests install.

import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const BEGIN = '{\n  "$schema": ';
const END = '\n}';

/// The program that the package of this platform brings.
function program() {
  const name = `@openai/codex-${process.platform}-${process.arch}/package.json`;
  const vendor = join(dirname(createRequire(import.meta.url).resolve(name)), 'vendor');
  const [target] = readdirSync(vendor);
  return join(vendor, target, 'bin', process.platform === 'win32' ? 'codex.exe' : 'codex');
}

/// Every schema of a hook, by its title, such as `session-start.command.output`.
export function schemas() {
  const bytes = readFileSync(program());
  const found = new Map();
  const mark = Buffer.from('"title": "');
  for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + 1)) {
    const text = bytes.subarray(at, at + 80).toString('latin1');
    const title = /^"title": "([a-z-]+\.command\.(?:in|out)put)"/.exec(text);
    if (!title) continue;
    const begin = bytes.lastIndexOf(BEGIN, at);
    const end = bytes.indexOf(END, at) + END.length;
    found.set(title[1], JSON.parse(bytes.subarray(begin, end).toString('utf8')));
  }
  return found;
}
