// The calls that every client makes.

import { readFileSync } from 'node:fs';

export const task = JSON.parse(readFileSync(new URL('calls.json', import.meta.url), 'utf8'));

// The arguments of a call, with what is known by now in the place of its name.
export function filled(value, names) {
  let text = JSON.stringify(value);
  for (const [name, known] of Object.entries(names)) {
    text = text.replaceAll(`{${name}}`, JSON.stringify(known).slice(1, -1));
  }
  return JSON.parse(text);
}
