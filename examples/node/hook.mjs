#!/usr/bin/env node
// A Claude Code UserPromptSubmit hook: recalls what fits the prompt, then
// remembers the prompt. It never blocks: whatever fails, the prompt goes on.
//
// In .claude/settings.json:
//   { "hooks": { "UserPromptSubmit": [{ "hooks": [
//     { "type": "command", "command": "node /path/to/hook.mjs" }] }] } }

import { readFileSync } from 'node:fs';
import { Memory, defaultStorePath, projectOfSync } from 'recallite';

try {
  const { prompt, session_id: session, cwd } = JSON.parse(readFileSync(0, 'utf8'));
  const memory = Memory.openSync(process.env.RECALLITE_STORE ?? defaultStorePath(), {
    project: projectOfSync(cwd),
    busyTimeoutMs: 500,
  });
  // Fenced, cited, within the budget, and empty when nothing is good enough.
  const { text } = memory.contextSync(prompt, { session, budgetTokens: 800, deadlineMs: 200 });
  // The same transaction records that the context was given.
  const { warnings } = memory.appendSync({ kind: 'user_prompt', session, content: prompt });
  // For example a private tag that hid nothing: the person must know that the text is stored.
  const told = warnings.map((warning) => `Tell the user what the memory says: ${warning}`);
  const additionalContext = [text, ...told].filter((part) => part !== '').join('\n\n');
  if (additionalContext !== '') {
    const hookSpecificOutput = { hookEventName: 'UserPromptSubmit', additionalContext };
    process.stdout.write(JSON.stringify({ hookSpecificOutput }));
  }
  // Not closed: every append is on the disk already, and exiting is quicker.
} catch (error) {
  process.stderr.write(`recallite: ${error.message}\n`);
}
