// How long a hook's process takes: what loading the package, opening a memory
// and one recall add to an empty process.
//
//   node bench/startup.mjs APP [RUNS]
//
// APP is a folder where the package is installed. Each process is started RUNS
// times (21 unless given), in turns, so that a busy moment of the machine hits
// all of them. Printed in milliseconds, with what each takes more than an empty
// process: the fastest and the median time, and the median of the processor's
// time, which a busy machine changes least.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createRequire } from 'node:module';

const [app = '.', runs = '21'] = process.argv.slice(2);
const { Memory } = createRequire(path.resolve(app, 'index.js'))('recallite');

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'recallite-startup-'));
const store = path.join(folder, 'memory');
const memory = Memory.openSync(store);
memory.appendBatchSync(
  Array.from({ length: 1000 }, (_, index) => ({
    kind: 'user_prompt',
    session: `s${index % 20}`,
    content: `Note ${index}: service ${index % 37} listens on port ${4000 + index}.`,
  })),
);
memory.closeSync();

const open = `const memory = require('recallite').Memory.openSync(${JSON.stringify(store)});`;
const prompt = '{ kind: "user_prompt", session: "bench", dedupe: "none", content: "Which port?" }';
const programs = {
  'an empty process': '',
  'require': "require('recallite');",
  'require and open': open,
  '… and search': `${open} memory.searchSync('port of service 12');`,
  '… context, append: the hook': `${open} memory.contextSync('port of service 12', { session: 'bench' });
    memory.appendSync(${prompt});`,
};

const report = 'const cpu = process.cpuUsage(); process.stdout.write(String((cpu.user + cpu.system) / 1000));';
const used = Object.fromEntries(Object.keys(programs).map((name) => [name, []]));
const times = Object.fromEntries(Object.keys(programs).map((name) => [name, []]));
for (let run = 0; run < Number(runs); run += 1) {
  for (const [name, source] of Object.entries(programs)) {
    const begun = performance.now();
    const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', `${source} ${report}`], {
      cwd: app,
      encoding: 'utf8',
    });
    times[name].push(performance.now() - begun);
    if (status !== 0) throw new Error(stderr);
    used[name].push(Number(stdout));
  }
}
fs.rmSync(folder, { recursive: true });

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
const figures = (name) => [Math.min(...times[name]), median(times[name]), median(used[name])];
const empty = figures('an empty process');
console.log(`Node ${process.version}, ${os.cpus()[0].model}, a store of 1,000 events, ${runs} runs`);
console.log(`${''.padEnd(34)}  ${['fastest', 'median', 'processor'].map((name) => name.padEnd(20)).join('')}`);
for (const name of Object.keys(programs)) {
  const shown = figures(name).map((ms, index) => {
    const more = ms - empty[index];
    return `${ms.toFixed(1).padStart(7)} ${`${more < 0 ? '' : '+'}${more.toFixed(1)}`.padStart(7)}     `;
  });
  console.log(`${name.padEnd(34)} ${shown.join('').trimEnd()}`);
}
