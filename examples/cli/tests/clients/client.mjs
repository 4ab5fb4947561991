// Drives `recallite mcp` with the official TypeScript client, in each of its modes.
//
// usage: node client.mjs PROGRAM

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { filled, task } from './calls.mjs';

const MODES = [
  ['legacy', '2025-11-25'],
  ['auto', '2026-07-28'],
  [{ pin: '2026-07-28' }, '2026-07-28'],
];

async function drive(program, mode, version) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'recallite-')));
  const work = join(folder, 'work');
  mkdirSync(work);
  const env = { HOME: folder, RECALLITE_STORE: join(folder, 'store') };
  execFileSync(program, task.before, { env, cwd: work });
  const transport = new StdioClientTransport({ command: program, args: ['mcp'], env, cwd: work });
  const client = new Client(
    { name: 'recallite-tests', version: '1' },
    { versionNegotiation: { mode } },
  );
  const names = { project: work };
  let checks = 0;
  const told = async (call) => {
    const answer = await client.callTool({
      name: call.tool,
      arguments: filled(call.arguments, names),
    });
    assert.ok(answer.content[0].text.includes(call.contains), JSON.stringify([mode, call, answer]));
    checks += 1;
    return answer;
  };
  try {
    await client.connect(transport);
    assert.equal(client.getNegotiatedProtocolVersion(), version);
    const listed = (await client.listTools()).tools.map((tool) => tool.name);
    const called = new Set(task.calls.map((call) => call.tool));
    assert.deepEqual(new Set(listed), called, 'every tool is called');
    for (const call of task.calls) {
      const answer = await told(call);
      assert.ok(!answer.isError, JSON.stringify([mode, call, answer]));
      names.citation ??= /mem:[\w-]+/.exec(answer.content[0].text)?.[0];
    }
    for (const call of task.refused) {
      assert.equal((await told(call)).isError, true);
    }
    const templates = (await client.listResourceTemplates()).resourceTemplates;
    assert.deepEqual(templates.map((template) => template.uriTemplate), ['mem:{citation}']);
    const read = await client.readResource({ uri: names.citation });
    assert.ok(read.contents[0].text.includes('The cache lives in Redis.'));
    await assert.rejects(client.readResource({ uri: 'mem:zzzzzz' }));
    await assert.rejects(client.callTool({ name: 'nothing', arguments: {} }));
    checks += 5;
  } finally {
    await client.close();
    rmSync(folder, { recursive: true });
  }
  return checks;
}

let checks = 0;
for (const [mode, version] of MODES) {
  checks += await drive(process.argv[2], mode, version);
}
console.log(`typescript client: ${checks} passed`);
