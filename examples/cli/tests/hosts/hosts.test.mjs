// Whole sessions of the coding agents themselves, with a model of our own: that they
// load what `recallite install` writes, run its hooks, give the model what is recalled,
// and find the MCP server. Their own validators look at the plugins.
//
// usage: RECALLITE_BIN=PROGRAM npm test

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { model as fakeModel } from './model.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const PLUGINS = fileURLToPath(new URL('../../plugins', import.meta.url));
const PROGRAM = realpathSync(process.env.RECALLITE_BIN);
/// A machine under load is no trouble of an agent.
const PATIENCE_MS = 120_000;

const FACT = 'We decided to keep the render cache in redb, not in SQLite.';
const QUESTION = 'Where do we keep the render cache?';
const ANSWER = 'In redb, as was decided.';

const SAID = new Set(['user_prompt', 'agent_response', 'tool_observation']);

/// A home, a project and a store of their own, and a model that listens.
class World {
  static async make() {
    const world = new World();
    world.model = await fakeModel();
    world.folder = realpathSync(mkdtempSync(join(tmpdir(), 'coding-agents-')));
    world.home = join(world.folder, 'home');
    world.project = join(world.folder, 'shop');
    const bin = join(world.folder, 'bin');
    for (const folder of [world.home, join(world.project, '.git'), bin]) {
      mkdirSync(folder, { recursive: true });
    }
    symlinkSync(PROGRAM, join(bin, 'recallite'));
    writeFileSync(join(world.project, 'ports.txt'), 'The staging port is 8443.\n');
    const path = [bin, join(HERE, 'node_modules/.bin'), process.env.PATH].join(delimiter);
    world.env = {
      HOME: world.home, PATH: path, TERM: 'xterm-256color', TZ: 'UTC',
      // A slow machine is no trouble of an agent either.
      RECALLITE_HOOK_DEADLINE_MS: '20000',
    };
    await world.run('recallite', ['remember', FACT]);
    return world;
  }

  /// What a program printed; it must end well.
  async run(program, words, env = {}) {
    const child = spawn(program, words, {
      cwd: this.project,
      env: { ...this.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: PATIENCE_MS,
    });
    let out = '';
    let err = '';
    child.stdout.on('data', (part) => (out += part));
    child.stderr.on('data', (part) => (err += part));
    const [code, signal] = await new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (...ended) => resolve(ended));
    });
    assert.equal(code, 0, `${program} ${words.join(' ')} (${signal}):\n${out}\n${err}`);
    return out + err;
  }

  async recallite(...words) {
    return this.run('recallite', words);
  }

  /// What is in the log, oldest first: kind and text.
  async stored() {
    const lines = await this.recallite('export');
    return lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter((event) => SAID.has(event.kind))
      .map((event) => [event.kind, event.content]);
  }

  end() {
    this.model.close();
    rmSync(this.folder, { recursive: true });
  }
}

/// What every session of every agent must do.
async function remembers(world, ask) {
  world.model.plan.push({ text: ANSWER });
  const said = await ask(QUESTION);
  assert.ok(said.includes(ANSWER), said);
  const asked = world.model.asked.join('\n');
  assert.ok(asked.includes(FACT), 'the model was given the memory');
  assert.ok(asked.includes('recalled-memory'), 'in its fence');
  const events = await world.stored();
  assert.deepEqual(events.slice(1), [
    ['user_prompt', QUESTION],
    ['agent_response', ANSWER],
  ]);

  // The next session begins with how this one ended, and is not told the same again.
  world.model.asked.length = 0;
  await ask('Name the engine of the render cache.');
  const [again] = world.model.asked;
  assert.equal(again.split(ANSWER).length - 1, 1, again);
  assert.equal((await world.stored()).length, events.length + 2);

  // The transcript that the agent wrote holds nothing that the hooks have not seen.
  const imported = await world.recallite('import', '--json');
  assert.equal(JSON.parse(imported).prompts, 0, imported);
  assert.equal(JSON.parse(imported).responses, 0, imported);
  const doctor = await world.recallite('doctor');
  assert.match(doctor, /hooks +no failures/);
}

/// The transcripts hold no call of a tool that the hooks have not stored.
async function hooksSawEveryCall(world) {
  const imported = JSON.parse(await world.recallite('import', '--json'));
  assert.equal(imported.tools, 0, JSON.stringify(imported));
}

describe('Claude Code', () => {
  let world;
  before(async () => (world = await World.make()));
  after(() => world.end());

  const claude = (...words) =>
    world.run('claude', words, {
      ANTHROPIC_BASE_URL: world.model.address,
      ANTHROPIC_API_KEY: 'none',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    });
  const ask = (prompt, ...more) => claude('-p', prompt, '--model', 'claude-sonnet-4-5', ...more);

  test('its validator finds nothing wrong', async () => {
    await claude('plugin', 'validate', PLUGINS);
    await claude('plugin', 'validate', join(PLUGINS, 'claude-code'));
  });

  test('the plugin is installed from its marketplace and removed', async () => {
    await claude('plugin', 'marketplace', 'add', PLUGINS);
    await claude('plugin', 'install', 'recallite@recallite');
    assert.match(await claude('plugin', 'list'), /recallite@recallite[^❯]*enabled/);
    assert.match(await claude('mcp', 'list'), /recallite mcp - .*Connected/);
    await claude('plugin', 'uninstall', 'recallite@recallite');
    assert.doesNotMatch(await claude('mcp', 'list'), /recallite/);
  });

  test('it remembers', async () => {
    await world.recallite('install', 'claude-code');
    assert.match(await claude('mcp', 'list'), /recallite mcp - .*Connected/);
    await remembers(world, ask);
  });

  test('calls of tools are stored, and the memory can be searched', async () => {
    const search = 'mcp__plugin_recallite_recallite__search';
    world.model.asked.length = 0;
    world.model.plan.push(
      { tool: 'Read', input: { file_path: join(world.project, 'ports.txt') } },
      { tool: search, input: { query: 'engine of the render cache' } },
      { text: 'Port 8443.' },
    );
    await ask('Look up the staging port.', '--allowedTools', search);
    const answers = world.model.asked.at(-1);
    assert.ok(answers.includes(FACT), JSON.stringify(JSON.parse(answers).messages.slice(-4)));
    const events = await world.stored();
    const tools = events.filter(([kind]) => kind === 'tool_observation');
    assert.equal(tools.length, 1, 'the memory does not store its own answers');
    assert.ok(tools[0][1].includes('8443'), tools[0][1]);
    await hooksSawEveryCall(world);
  });

  test('a resumed session is not given what it was given before', async () => {
    const question = 'In which engine is the render cache kept?';
    const begun = JSON.parse(await ask(question, '--output-format', 'json'));
    world.model.asked.length = 0;
    await ask('Really, in that engine the render cache is kept?', '--resume', begun.session_id);
    const [asked] = world.model.asked;
    assert.equal(asked.split(FACT).length - 1, 1, 'once, from before');
  });

  test('what its own agents do and what fails is stored', async () => {
    const before = (await world.stored()).length;
    const prompt = 'Read ports.txt and tell the port.';
    world.model.plan.push(
      { tool: 'Agent', input: { description: 'Look', prompt, subagent_type: 'general-purpose' } },
      { text: 'The agent of mine found it in the file.' },
      { tool: 'Bash', input: { command: 'ls /no-such-folder', description: 'List' } },
      { text: 'That folder is not there.' },
    );
    await ask('Let an agent look.', '--allowedTools', 'Bash');
    const events = (await world.stored()).slice(before);
    const texts = (wanted) => events.filter(([kind]) => kind === wanted).map(([, text]) => text);
    assert.deepEqual(texts('agent_response'), [
      'The agent of mine found it in the file.',
      'That folder is not there.',
    ]);
    assert.match(texts('tool_observation').join(), /Result: Failed[^]*No such file/);
  });

  test('it is removed', async () => {
    await world.recallite('uninstall', 'claude-code');
    assert.doesNotMatch(await claude('mcp', 'list'), /recallite/);
  });
});

/// Codex in a world, and a question put to it.
function codexIn(world) {
  const codex = (...words) => world.run('codex', words, { KEY: 'none' });
  const ask = (prompt, ...more) => {
    const provider =
      `{name="fake",base_url="${world.model.address}/v1",env_key="KEY",wire_api="responses",` +
      'supports_websockets=false,request_max_retries=0}';
    return codex(
      ...['exec', ...more, '--skip-git-repo-check'],
      // A person trusts the hooks once, by `/hooks`. Its sandbox needs rights of its own.
      ...['--dangerously-bypass-hook-trust', '--dangerously-bypass-approvals-and-sandbox'],
      ...['-c', 'model_provider="fake"', '-c', `model_providers.fake=${provider}`],
      ...['--model', 'gpt-5', prompt],
    );
  };
  return { codex, ask };
}

describe('Codex', () => {
  let world, codex, ask;
  before(async () => {
    world = await World.make();
    ({ codex, ask } = codexIn(world));
  });
  after(() => world.end());

  test('it remembers', async () => {
    await world.recallite('install', 'codex');
    assert.match(await codex('mcp', 'list'), /recallite +\S+ +mcp .*enabled/);
    await remembers(world, ask);
  });

  test('calls of tools are stored, and a resumed session goes on', async () => {
    world.model.plan.push(
      { tool: 'exec_command', input: { cmd: 'cat ports.txt' } },
      { text: 'Port 8443.' },
    );
    await ask('Look up the staging port.', 'resume', '--last');
    const events = await world.stored();
    const [, tool, answer] = events.slice(-3);
    assert.equal(tool[0], 'tool_observation');
    assert.ok(tool[1].includes('The staging port is 8443.'), tool[1]);
    assert.deepEqual(answer, ['agent_response', 'Port 8443.']);
    await hooksSawEveryCall(world);
    const { items } = JSON.parse(await world.recallite('sessions', '--json'));
    const talks = items.filter(({ responses }) => responses > 0);
    assert.ok(talks.length >= 2 && talks.every(({ ended }) => ended), JSON.stringify(items));
  });

  test('it is removed', async () => {
    await world.recallite('uninstall', 'codex');
    assert.doesNotMatch(await codex('mcp', 'list'), /recallite/);
  });
});

describe('Codex, by its plugin', () => {
  let world, codex, ask;
  before(async () => {
    world = await World.make();
    ({ codex, ask } = codexIn(world));
  });
  after(() => world.end());

  test('its marketplace gives the plugin that was made for it', async () => {
    await codex('plugin', 'marketplace', 'add', PLUGINS);
    await codex('plugin', 'add', 'recallite@recallite');
    const source = join(PLUGINS, 'codex').replaceAll(/[.\\]/g, '.');
    const listed = await codex('plugin', 'list');
    assert.match(listed, new RegExp(`recallite@recallite +installed, enabled.* ${source}\\s`));
    assert.match(await codex('mcp', 'list'), /recallite +recallite +mcp .*enabled/);
  });

  test('it remembers', async () => remembers(world, ask));

  test('it is removed', async () => {
    await codex('plugin', 'remove', 'recallite@recallite');
    assert.doesNotMatch(await codex('mcp', 'list'), /recallite/);
  });
});

describe('Gemini CLI', () => {
  let world;
  before(async () => {
    world = await World.make();
    mkdirSync(join(world.home, '.gemini'));
    const settings = {
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false },
    };
    writeFileSync(join(world.home, '.gemini/settings.json'), JSON.stringify(settings));
  });
  after(() => world.end());

  const gemini = (...words) =>
    world.run('gemini', words, { GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: world.model.address });
  const ask = (prompt, ...more) =>
    gemini('--skip-trust', '--model', 'gemini-2.5-flash', ...more, '--prompt', prompt);

  test('its validator finds nothing wrong', async () => {
    await gemini('extensions', 'validate', join(PLUGINS, 'gemini-cli'));
  });

  test('the folder is installed as an extension and removed', async () => {
    const folder = join(PLUGINS, 'gemini-cli');
    // Without, it asks at the terminal whether the folder is trusted.
    const trusted = JSON.stringify({ [folder]: 'TRUST_FOLDER' });
    writeFileSync(join(world.home, '.gemini/trustedFolders.json'), trusted);
    await gemini('extensions', 'install', folder, '--consent');
    assert.match(await gemini('extensions', 'list'), /recallite/);
    await gemini('extensions', 'uninstall', 'recallite');
    assert.doesNotMatch(await gemini('extensions', 'list'), /recallite/);
  });

  test('it remembers', async () => {
    await world.recallite('install', 'gemini-cli');
    assert.match(await gemini('extensions', 'list'), /recallite/);
    await remembers(world, ask);
  });

  test('calls of tools are stored', async () => {
    world.model.plan.push(
      { tool: 'read_file', input: { file_path: join(world.project, 'ports.txt') } },
      { text: 'Port 8443.' },
    );
    await ask('Look up the staging port.', '--approval-mode', 'yolo');
    const tools = (await world.stored()).filter(([kind]) => kind === 'tool_observation');
    assert.equal(tools.length, 1);
    assert.ok(tools[0][1].includes('8443'), tools[0][1]);
    await hooksSawEveryCall(world);
  });

  test('it is removed', async () => {
    await world.recallite('uninstall', 'gemini-cli');
    assert.doesNotMatch(await gemini('extensions', 'list'), /recallite/);
  });
});
