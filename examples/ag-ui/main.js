import { createServer } from 'node:http';

/**
 * An agent that speaks AG-UI: it thinks, asks a tool, and answers, always the same. Usage: node main.js [PORT]
 * Then: explainability-agent ag-ui tee http://127.0.0.1:8000/agent --port 8001
 */
const port = Number(process.argv[2] ?? 8000);

/** @param {{threadId: string, runId: string}} input */
function* run({ threadId, runId }) {
  yield { type: 'RUN_STARTED', threadId, runId };
  yield { type: 'REASONING_MESSAGE_START', messageId: `${runId}-thought`, role: 'reasoning' };
  for (const delta of ['The question is about Paris: ', 'I need the weather there.'])
    yield { type: 'REASONING_MESSAGE_CONTENT', messageId: `${runId}-thought`, delta };
  yield { type: 'REASONING_MESSAGE_END', messageId: `${runId}-thought` };
  yield { type: 'TOOL_CALL_START', toolCallId: `${runId}-call`, toolCallName: 'get_weather' };
  yield { type: 'TOOL_CALL_ARGS', toolCallId: `${runId}-call`, delta: '{"city":"Paris"}' };
  yield { type: 'TOOL_CALL_END', toolCallId: `${runId}-call` };
  yield {
    type: 'TOOL_CALL_RESULT',
    messageId: `${runId}-result`,
    toolCallId: `${runId}-call`,
    content: '{"celsius":21}',
  };
  yield { type: 'TEXT_MESSAGE_START', messageId: `${runId}-answer`, role: 'assistant' };
  for (const delta of ['It is ', '21 degrees.'])
    yield { type: 'TEXT_MESSAGE_CONTENT', messageId: `${runId}-answer`, delta };
  yield { type: 'TEXT_MESSAGE_END', messageId: `${runId}-answer` };
  yield { type: 'RUN_FINISHED', threadId, runId };
}

/** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response */
async function answer(request, response) {
  let body = '';
  for await (const piece of request) body += piece;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of run(JSON.parse(body))) {
    response.write(`data: ${JSON.stringify(event)}\n\n`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  response.end();
}

createServer((request, response) => void answer(request, response)).listen(port, '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${port}/agent`),
);
