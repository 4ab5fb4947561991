#!/usr/bin/env node
// `npx recallite`: runs the command that was built for this platform.
'use strict';

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { optionalDependencies: builds = {} } = require('../package.json');

const platform = `${process.platform}-${process.arch}`;
const program = process.platform === 'win32' ? 'recallite.exe' : 'recallite';

/** Reports a failure in the command's own format. */
function fail(problem) {
  console.error(`recallite on ${platform}: ${problem}`);
  process.exitCode = 1;
}

/** The folder of an installed package; `undefined` if it is not installed. */
function folderOf(name) {
  try {
    return path.dirname(require.resolve(`${name}/package.json`));
  } catch {
    return undefined;
  }
}

/** Runs the first of these files that starts, with this process's arguments and streams. */
function run([file, ...others]) {
  const child = spawn(file, process.argv.slice(2), { stdio: 'inherit' });
  // A signal for this process is meant for the command. A Windows console sends it to both, and
  // there `kill` would end the command before it closes its store.
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const pass = (signal) => process.platform === 'win32' || child.kill(signal);
  for (const signal of signals) process.on(signal, pass);
  const done = () => signals.forEach((signal) => process.removeListener(signal, pass));
  child.on('error', (error) => {
    done();
    // With ENOENT for an existing file, it was built for another C library.
    if (error.code === 'ENOENT' && others.length > 0) run(others);
    else fail(`${file} does not start: ${error.message}`);
  });
  child.on('exit', (code, signal) => {
    done();
    if (signal) process.kill(process.pid, signal);
    else process.exitCode = code;
  });
}

const names = Object.keys(builds).filter((name) => `${name}-`.startsWith(`@recallite/${platform}-`));
const folders = names.map(folderOf).filter((folder) => folder !== undefined);
const files = folders.map((folder) => path.join(folder, program)).filter((file) => fs.existsSync(file));
if (names.length === 0) {
  fail(`there is no build; there are ${Object.keys(builds).join(', ') || 'none in a checkout'}`);
} else if (folders.length === 0) {
  fail(
    `${names.join(' or ')} is not installed; install recallite again without --omit=optional ` +
      'or --no-optional, on the platform where it will run',
  );
} else if (files.length === 0) {
  fail(`${folders.join(' and ')} came without the command; install recallite again`);
} else {
  run(files);
}
