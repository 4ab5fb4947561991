// What the hook says, and what the tests tell it, against the schemas that Codex publishes.
// They are validated by ajv (MIT), the validator of JSON schemas that most of npm uses.
//
// usage: RECALLITE_BIN=PROGRAM npm test

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import Ajv from 'ajv';
import { schemas } from './schemas.mjs';

const PROGRAM = realpathSync(process.env.RECALLITE_BIN);
const FACT = 'We decided to keep the render cache in redb, not in SQLite.';
/// A machine under load is no trouble of the hook.
const PATIENCE_MS = 120_000;

/// What each call adds to the fields of all, and whether it is given context.
const CALLS = [
  ['SessionStart', { source: 'startup' }, true],
  ['UserPromptSubmit', { turn_id: 't1', prompt: 'Where do we keep the render cache?' }, true],
  ['UserPromptSubmit', { turn_id: 't2', prompt: 'xylophone quark' }, false],
  [
    'PostToolUse',
    {
      turn_id: 't2',
      tool_name: 'Bash',
      tool_use_id: 'c1',
      tool_input: { command: 'ls' },
      tool_response: 'ports.txt',
    },
    false,
  ],
  ['Stop', { turn_id: 't2', stop_hook_active: false, last_assistant_message: 'In redb.' }, false],
  ['SessionStart', { source: 'compact' }, true],
  [
    'SubagentStop',
    {
      turn_id: 't2',
      agent_id: 'a1',
      agent_type: 'worker',
      agent_transcript_path: null,
      stop_hook_active: false,
      last_assistant_message: 'Done.',
    },
    false,
  ],
  ['SessionEnd', { reason: 'other' }, false],
];

describe('the hook, by the schemas of Codex', () => {
  let folder, run, validator;
  before(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'hook-schemas-')));
    const cwd = join(folder, 'shop');
    for (const made of [join(cwd, '.git'), join(folder, 'home')]) {
      mkdirSync(made, { recursive: true });
    }
    run = (words, input = '') => {
      const env = { HOME: join(folder, 'home'), RECALLITE_STORE: join(folder, 'store'), TZ: 'UTC' };
      const ran = spawnSync(PROGRAM, words, { cwd, env, input, timeout: PATIENCE_MS });
      assert.equal(ran.status, 0, `${words}: ${ran.stderr}`);
      assert.equal(ran.stderr.toString(), '');
      return ran.stdout.toString();
    };
    run(['task', 'add', 'Move the render cache']);
    run(['remember', FACT]);
    const ajv = new Ajv({ strict: false, allErrors: true });
    const known = schemas();
    validator = (title) => {
      assert.ok(known.has(title), `no schema ${title} in ${[...known.keys()]}`);
      return ajv.getSchema(title) ?? ajv.compile({ $id: title, ...known.get(title) });
    };
  });
  after(() => rmSync(folder, { recursive: true }));

  function fits(title, value) {
    const isValid = validator(title);
    assert.ok(isValid(value), `${title}: ${JSON.stringify(isValid.errors)}`);
  }

  test('every input and every byte of output fits', () => {
    for (const [event, more, isGiven] of CALLS) {
      const input = {
        session_id: 's1',
        transcript_path: null,
        cwd: join(folder, 'shop'),
        hook_event_name: event,
        ...(event !== 'SessionEnd' && { model: 'gpt-5', permission_mode: 'default' }),
        ...more,
      };
      const name = event.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();
      fits(`${name}.command.input`, input);
      const out = run(['hook', '--deadline-ms', String(PATIENCE_MS)], JSON.stringify(input));
      assert.equal(out !== '', isGiven, `${event}: ${out}`);
      if (isGiven) {
        const answer = JSON.parse(out);
        fits(`${name}.command.output`, answer);
        assert.equal(answer.hookSpecificOutput.hookEventName, event);
      }
    }
  });

  test('a schema refuses what it does not know', () => {
    const isValid = validator('session-start.command.output');
    const output = { hookSpecificOutput: { hookEventName: 'SessionStart' } };
    assert.ok(isValid(output));
    assert.ok(!isValid({ ...output, reason: 'none' }));
  });
});
