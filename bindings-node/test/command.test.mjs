// The command that the package brings: `npx recallite`.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { app, fresh, work } from './setup.mjs';

const isWindows = process.platform === 'win32';
const launcher = (folder) => path.join(folder, 'node_modules', 'recallite', 'bin', 'recallite.js');

/** The environment of somebody who has only Node. */
function alone(home) {
  fs.mkdirSync(home, { recursive: true });
  return { ...process.env, HOME: home, RECALLITE_STORE: path.join(home, 'store') };
}

function recallite(home, words, more = {}) {
  const settings = { cwd: app, env: alone(home), encoding: 'utf8', ...more };
  return spawnSync(process.execPath, [launcher(app), ...words], settings);
}

test('npx finds the command, which has the version of the package', () => {
  const manifest = JSON.parse(fs.readFileSync(path.join(app, 'node_modules/recallite/package.json')));
  const ran = spawnSync('npx', ['--offline', 'recallite', '--version'], {
    cwd: app,
    env: alone(fresh('home')),
    encoding: 'utf8',
    shell: isWindows,
  });
  assert.equal(ran.stdout.trim(), `recallite ${manifest.version}`, ran.stderr);
});

test('the command gets its arguments and input, and gives its output and exit code', () => {
  const home = fresh('home');
  const input = 'We deploy on Fridays.\n';
  assert.equal(recallite(home, ['remember', '-', '--session', 'a b "c"'], { input }).status, 0);
  const found = recallite(home, ['search', '--json', 'when do we deploy?']);
  assert.equal(found.status, 0, found.stderr);
  const [hit] = JSON.parse(found.stdout).items;
  assert.equal(hit.session, 'a b "c"');
  const missing = recallite(home, ['show', 'mem:zzzzzz']);
  assert.deepEqual([missing.status, missing.stdout], [3, '']);
  assert.equal(recallite(home, ['--bogus']).status, 64);
});

test('whoever ends the launcher ends the command', { skip: isWindows && 'has no signals' }, async () => {
  const server = spawn(process.execPath, [launcher(app), 'mcp'], {
    cwd: app,
    env: alone(fresh('home')),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ask = { jsonrpc: '2.0', id: 1, method: 'initialize', params: {
    protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } } };
  server.stdin.write(`${JSON.stringify(ask)}\n`);
  const [answer] = await once(server.stdout, 'data');
  assert.equal(JSON.parse(answer).result.serverInfo.name, 'recallite');
  server.kill('SIGTERM');
  // The pipes close when the command is gone too: it holds them as well.
  const [code, signal] = await once(server, 'close');
  assert.deepEqual([code, signal], [null, 'SIGTERM']);
});

test('a missing command is said clearly', () => {
  const run = (...words) => spawnSync(process.execPath, words, { encoding: 'utf8' });
  const without = run(launcher(path.join(work, 'hooks')), 'stats');
  assert.equal(without.status, 1);
  assert.match(without.stderr, /came without the command; install recallite again/);

  const pretend = (platform) => {
    const file = path.join(fs.mkdtempSync(path.join(work, 'platform-')), 'pretend.cjs');
    fs.writeFileSync(
      file,
      `Object.defineProperty(process, 'platform', { value: ${JSON.stringify(platform)} });
       Object.defineProperty(process, 'arch', { value: 'x64' });`,
    );
    return run('--require', file, launcher(app), 'stats');
  };
  const missing = pretend(isWindows ? 'darwin' : 'win32');
  assert.equal(missing.status, 1);
  assert.match(missing.stderr, /@recallite\/.*x64.* is not installed; install recallite again/);
  const unknown = pretend('sunos');
  assert.equal(unknown.status, 1);
  assert.match(unknown.stderr, /on sunos-x64: there is no build; there are @recallite\/linux-x64-gnu,/);
});
