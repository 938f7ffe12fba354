import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RealService } from '../../e2e/real-service.ts';
import { until } from '../../support/until.ts';
import type { Steps } from '../steps/steps.ts';
import type { Library, WireEvent } from './library.ts';

/** A run with every kind of event that a client has to put together. */
function runOf(threadId: string, runId: string): readonly WireEvent[] {
  return [
    { type: 'RUN_STARTED', threadId, runId, protocolVersion: '1.0' },
    { type: 'STEP_STARTED', stepName: 'plan' },
    { type: 'REASONING_START', messageId: 'th-1' },
    { type: 'REASONING_MESSAGE_START', messageId: 'th-1', role: 'reasoning' },
    { type: 'REASONING_MESSAGE_CONTENT', messageId: 'th-1', delta: 'I need the ' },
    { type: 'REASONING_MESSAGE_CONTENT', messageId: 'th-1', delta: 'weather.' },
    { type: 'REASONING_MESSAGE_END', messageId: 'th-1' },
    { type: 'REASONING_END', messageId: 'th-1' },
    { type: 'REASONING_ENCRYPTED_VALUE', subtype: 'message', entityId: 'th-1', encryptedValue: 'Y2lwaGVy' },
    { type: 'STEP_FINISHED', stepName: 'plan' },
    { type: 'TOOL_CALL_START', toolCallId: 'c-1', toolCallName: 'get_weather', parentMessageId: 'm-0' },
    { type: 'TOOL_CALL_ARGS', toolCallId: 'c-1', delta: '{"city":' },
    { type: 'TOOL_CALL_ARGS', toolCallId: 'c-1', delta: '"Paris"}' },
    { type: 'TOOL_CALL_END', toolCallId: 'c-1' },
    { type: 'TOOL_CALL_RESULT', messageId: 'r-1', toolCallId: 'c-1', content: '21', role: 'tool' },
    { type: 'STATE_SNAPSHOT', snapshot: { city: null } },
    { type: 'STATE_DELTA', delta: [{ op: 'replace', path: '/city', value: 'Paris' }] },
    { type: 'SUBAGENT_STARTED', subagentRunId: 's-1', name: 'checker', parentToolCallId: 'c-1' },
    { type: 'SUBAGENT_FINISHED', subagentRunId: 's-1', outcome: { type: 'success' } },
    { type: 'CUSTOM', name: 'app.progress', value: 1 },
    { type: 'TEXT_MESSAGE_CHUNK', messageId: 'm-1', role: 'assistant', delta: 'It is ' },
    { type: 'TEXT_MESSAGE_CHUNK', messageId: 'm-1', delta: '21 degrees.' },
    {
      type: 'RUN_FINISHED',
      threadId,
      runId,
      outcome: { type: 'success' },
      usage: [{ inputTokens: 10, outputTokens: 5, model: 'claude-sonnet-4-5' }],
    },
  ];
}

/** AG-UI in: the official client and encoder, with and without our proxy between them. */
export async function judgeIn(steps: Steps, library: Library): Promise<void> {
  const agent = createServer((request, response) => {
    let body = '';
    request.on('data', (piece) => (body += String(piece)));
    request.on('end', () => {
      const { threadId, runId } = JSON.parse(body) as { readonly threadId: string; readonly runId: string };
      const encoder = new library.EventEncoder({ accept: String(request.headers.accept) });
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const event of runOf(threadId, runId)) response.write(encoder.encode(event));
      response.end();
    });
  });
  await new Promise<void>((resolve) => agent.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(agent.address() as AddressInfo).port}/agent`;
  const dataDir = await mkdtemp(join(tmpdir(), 'ag-ui-in-'));
  const service = await RealService.start({ dataDir, flags: ['--ag-ui-agents', JSON.stringify([url])] });
  const warnings: string[] = [];
  const warn = console.warn;
  console.warn = (...words: readonly unknown[]) => warnings.push(words.map(String).join(' '));
  try {
    const run = async (at: string, runId: string) => {
      const events: WireEvent[] = [];
      const client = new library.HttpAgent({ url: at, threadId: 'th' });
      const { newMessages } = await client.runAgent(
        { runId },
        { onEvent: ({ event }) => events.push(event) },
      );
      return { events, newMessages };
    };
    await steps.step(
      '[AG10] a client gets the same events and messages through the proxy as without it',
      async () => {
        const direct = await run(url, 'run-1');
        const proxied = await run(`${service.readers}/ag-ui/proxy?url=${encodeURIComponent(url)}`, 'run-1');
        assert.ok(direct.events.length >= 23, String(direct.events.length));
        assert.deepEqual(proxied, direct);
        assert.deepEqual(warnings, []);
      },
    );
    await steps.step('[AG3] the run that was passed on is a task with all its steps', async () => {
      await until('the run is over', async () =>
        (await service.graph('collapse=none&taskIds=run-1')).nodes.some(
          ({ name, state }) => name === 'AG-UI run' && state === 'ENDED',
        ),
      );
      const { nodes } = await service.graph('collapse=none&taskIds=run-1');
      const count = (type: string): number => nodes.filter((node) => node.type === type).length;
      assert.deepEqual(
        [count('TOOL_CALL'), count('LLM_CALL'), nodes.filter(({ agent }) => agent === 'checker').length],
        [1, 2, 1],
      );
      assert.ok(count('REASONING') >= 1);
    });
    await steps.step('[AG2] the validators of AG-UI take every event of the run', () => {
      for (const event of runOf('th', 'run-1')) library.EventSchemas.parse(event);
      return Promise.resolve();
    });
  } finally {
    console.warn = warn;
    await service.stop();
    agent.closeAllConnections();
    agent.close();
    await rm(dataDir, { recursive: true });
  }
}
