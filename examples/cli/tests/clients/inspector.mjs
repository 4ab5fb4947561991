// Drives `recallite mcp` with the command line of the official inspector: a process
// for each call.
//
// usage: node inspector.mjs PROGRAM

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filled, task } from './calls.mjs';

const INSPECTOR = fileURLToPath(import.meta.resolve('@modelcontextprotocol/inspector-cli'));
// It asks the package that it is usually a part of for a name; alone it has none.
const AROUND = join(dirname(INSPECTOR), '..', '..', 'package.json');
writeFileSync(AROUND, JSON.stringify({ name: 'inspector', version: '1.0.3' }));

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'recallite-')));
const work = join(folder, 'work');
mkdirSync(work);
const names = { project: work };

const env = { ...process.env, HOME: folder, RECALLITE_STORE: join(folder, 'store') };
const options = { cwd: work, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] };

function ask(method, ...more) {
  const server = [process.argv[2], 'mcp'];
  const words = [INSPECTOR, '--cli', ...server, '--method', method, ...more];
  return JSON.parse(execFileSync(process.execPath, words, options));
}

function call({ tool, arguments: given, contains }) {
  const pairs = Object.entries(filled(given, names)).flatMap(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return ['--tool-arg', `${name}=${text}`];
  });
  const answer = ask('tools/call', '--tool-name', tool, ...pairs);
  assert.ok(answer.content[0].text.includes(contains), JSON.stringify([tool, answer]));
  return answer;
}

let checks = 0;
try {
  execFileSync(process.argv[2], task.before, options);
  const listed = ask('tools/list').tools.map((tool) => tool.name);
  assert.deepEqual(new Set(listed), new Set(task.calls.map((each) => each.tool)));
  for (const each of task.calls) {
    const answer = call(each);
    assert.ok(!answer.isError, JSON.stringify([each, answer]));
    names.citation ??= /mem:[\w-]+/.exec(answer.content[0].text)?.[0];
    checks += 1;
  }
  const templates = ask('resources/templates/list').resourceTemplates;
  assert.deepEqual(templates.map((template) => template.uriTemplate), ['mem:{citation}']);
  const read = ask('resources/read', '--uri', names.citation);
  assert.ok(read.contents[0].text.includes('The cache lives in Redis.'));
  checks += 3;
} finally {
  rmSync(folder, { recursive: true });
}
console.log(`inspector: ${checks} passed`);
