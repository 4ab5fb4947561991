// A language model that says what it is told to, in the words of three providers, on a
// port of this machine: whole sessions of coding agents need no network and no key.

import { createServer } from 'node:http';

/// Calls of tools so far: each has an id of its own.
let calls = 0;

/// What the model says when nothing else is planned.
const ANSWER = 'Understood.';

/// One that listens. `plan` takes what it answers next, in order: `{ text }` or
/// `{ tool, input }`; `asked` holds the bodies of the questions so far, as text.
export async function model() {
  const plan = [];
  const asked = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => (body += part));
    request.on('end', () => answer(request.url, body, response));
  });

  function answer(url, body, response) {
    const provider = PROVIDERS.find(({ path }) => path.test(url));
    if (provider === undefined) {
      response.statusCode = 404;
      response.end('{}');
      return;
    }
    const question = JSON.parse(body);
    // Agents also ask for titles and the like, with no tool to call.
    const isTurn = provider.tools(question) > 0;
    if (isTurn) {
      asked.push(body);
    }
    const said = (isTurn ? plan.shift() : undefined) ?? { text: ANSWER };
    const isStream = provider.isStream(question, url);
    const type = isStream ? 'text/event-stream' : 'application/json';
    response.setHeader('content-type', type);
    response.end(provider.write(said, isStream, question));
  }

  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${server.address().port}`,
    plan,
    asked,
    close: () => server.close(),
  };
}

const named = (events) =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');

const anthropic = {
  path: /^\/v1\/messages(\?|$)/,
  tools: (question) => question.tools?.length ?? 0,
  isStream: (question) => question.stream === true,
  write({ text, tool, input }, isStream, question) {
    const block =
      text === undefined
        ? { type: 'tool_use', id: `toolu_${(calls += 1)}`, name: tool, input }
        : { type: 'text', text };
    const stop_reason = text === undefined ? 'tool_use' : 'end_turn';
    const usage = { input_tokens: 1, output_tokens: 1 };
    const message = {
      id: 'msg_1', type: 'message', role: 'assistant', model: question.model,
      content: [], stop_reason: null, stop_sequence: null, usage,
    };
    if (!isStream) {
      return JSON.stringify({ ...message, content: [block], stop_reason });
    }
    const [begun, delta] =
      text === undefined
        ? [{ ...block, input: {} }, { type: 'input_json_delta', partial_json: JSON.stringify(input) }]
        : [{ ...block, text: '' }, { type: 'text_delta', text }];
    return named([
      { type: 'message_start', message },
      { type: 'content_block_start', index: 0, content_block: begun },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
      { type: 'message_stop' },
    ]);
  },
};

const openai = {
  path: /^\/v1\/responses$/,
  tools: (question) => question.tools?.length ?? 0,
  isStream: () => true,
  write({ text, tool, input }) {
    const item =
      text === undefined
        ? { type: 'function_call', id: `fc_${(calls += 1)}`, call_id: `call_${calls}`, name: tool,
            arguments: JSON.stringify(input), status: 'completed' }
        : { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed',
            content: [{ type: 'output_text', text, annotations: [] }] };
    const usage = {
      input_tokens: 1, input_tokens_details: null,
      output_tokens: 1, output_tokens_details: null, total_tokens: 2,
    };
    return named([
      { type: 'response.created', response: { id: 'resp_1' } },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { id: 'resp_1', usage } },
    ]);
  },
};

const google = {
  path: /[gG]enerateContent/,
  tools: (question) => question.tools?.length ?? 0,
  isStream: (_question, url) => url.includes(':stream'),
  write({ text, tool, input }, isStream) {
    const part = text === undefined ? { functionCall: { name: tool, args: input } } : { text };
    const answer = JSON.stringify({
      candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    });
    return isStream ? `data: ${answer}\r\n\r\n` : answer;
  },
};

const PROVIDERS = [anthropic, openai, google];
