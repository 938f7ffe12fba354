import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { filesOf } from './files-of.ts';
import { RealService, temporaryFolder } from './real-service.ts';

const STARTED = { type: 'RUN_STARTED', threadId: 'th', runId: 'run' };

async function started(
  t: TestContext,
  flags: readonly string[] = [],
  dataDir?: string,
): Promise<RealService> {
  const service = await RealService.start({ dataDir: dataDir ?? (await temporaryFolder(t)), flags });
  t.after(() => service.stop());
  return service;
}

async function post(service: RealService, body: string | Buffer, type = 'application/json'): Promise<number> {
  const answer = await fetch(`${service.readers}/ag-ui/events`, {
    method: 'POST',
    headers: { 'content-type': type },
    body,
  });
  await answer.text();
  return answer.status;
}

test('[AG13] bodies that are too large, too many, too deep or cut off are answered, and the service goes on', async (t) => {
  const service = await started(t);
  const text = (delta: string) => ({ type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta });
  const event = JSON.stringify(text('x'));
  assert.equal(await post(service, JSON.stringify(text('x'.repeat(20_000_000)))), 413);
  assert.equal(await post(service, `[${'1,'.repeat(1_000_000)}1]`), 413);
  assert.equal(await post(service, `${event}\n`.repeat(100_001)), 413);
  const deep = `${'['.repeat(5_000)}1${']'.repeat(5_000)}`;
  assert.equal(await post(service, `{"type":"CUSTOM","name":"deep","value":${deep}}`), 202);
  assert.equal(
    await post(
      service,
      `[${JSON.stringify(STARTED)},{"type":"CUSTOM","name":"n","value":{"__proto__":{"a":1}},"__proto__":{"b":2}}]`,
    ),
    202,
  );
  assert.equal(await post(service, JSON.stringify([text('\ud800'), text('\udc00 half')])), 202);
  assert.equal(await post(service, Buffer.from([0xff, 0xfe, 0x00, 0x7b])), 400);
  assert.equal(await post(service, `data: ${event}\n\ndata: ${event.slice(0, 9)}`, 'text/event-stream'), 202);
  assert.equal(await post(service, 'data: \r\n\r\ndata', 'text/event-stream'), 202);
  const many = Array.from({ length: 20_000 }, (_, i) => ({
    type: 'TOOL_CALL_START',
    toolCallId: `c${i}`,
    toolCallName: 't',
  }));
  assert.equal(await post(service, JSON.stringify([STARTED, ...many])), 202);
  assert.ok((await service.graph('taskIds=run')).nodes.length > 0);
  assert.equal((await fetch(`${service.readers}/readyz`)).status, 200);
  assert.equal(({} as { a?: unknown; b?: unknown }).a, undefined);
});

test('[AG12] with zeroDataRetention nothing of texts or events is on the disk, or read', async (t) => {
  const dataDir = await temporaryFolder(t);
  const service = await started(t, ['--zero-data-retention'], dataDir);
  const word = 'zdrword';
  const events = [
    {
      ...STARTED,
      input: { threadId: 'th', runId: 'run', messages: [{ id: 'u', role: 'user', content: `ask ${word}` }] },
    },
    { type: 'REASONING_MESSAGE_START', messageId: 'a', role: 'reasoning' },
    { type: 'REASONING_MESSAGE_CONTENT', messageId: 'a', delta: `think ${word}` },
    { type: 'TOOL_CALL_START', toolCallId: 'c', toolCallName: 'look' },
    { type: 'TOOL_CALL_ARGS', toolCallId: 'c', delta: `{"q":"find ${word}"}` },
    { type: 'TOOL_CALL_END', toolCallId: 'c' },
    { type: 'TOOL_CALL_RESULT', toolCallId: 'c', messageId: 'r', content: `found ${word}` },
    { type: 'CUSTOM', name: 'n', value: `custom ${word}` },
    { type: 'TEXT_MESSAGE_START', messageId: 'm', role: 'assistant' },
    { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: `answer ${word}` },
    { type: 'RUN_FINISHED', threadId: 'th', runId: 'run', result: `result ${word}` },
  ];
  assert.equal(await post(service, JSON.stringify(events)), 202);
  const graph = await service.graph();
  const details = await Promise.all(
    graph.nodes.map(({ id }) => service.json(`/api/nodes/${encodeURIComponent(id)}`)),
  );
  assert.ok(graph.nodes.length >= 5);
  assert.ok(!JSON.stringify([graph, details]).includes(word));
  await service.stop();
  for (const { name, bytes } of await filesOf(dataDir)) assert.ok(!bytes.includes(word), name);
});

test('[AG8] a secret that is cut in pieces over two groups of events is neither read nor on the disk, in one request or many', async (t) => {
  const dataDir = await temporaryFolder(t);
  const service = await started(t, [], dataDir);
  const secret = 'sk-proj-cnry0001kQ7xN2mV9bL4tR8wJ5hF3dG6sK1pZ0001tail0yC7uA2';
  const chunks = ['the key is ', ...(secret.match(/.{1,6}/g) ?? []), ' and done'];
  const raw = (content: string) => ({ type: 'RAW', event: { data: { chunk: { content } } } });
  // The pieces lie across the 32nd event, as far to the left and to the right as they may.
  for (const [n, shift] of [22, 27, 30].entries()) {
    const filler = Array.from({ length: shift }, (_, i) => ({ type: 'STATE_DELTA', delta: [{ i }] }));
    const runs = [`whole${n}`, `single${n}`];
    const eventsOf = (runId: string): readonly object[] => [
      { ...STARTED, runId },
      ...filler,
      ...chunks.map(raw),
      { type: 'RUN_FINISHED', threadId: 'th', runId },
    ];
    assert.equal(await post(service, JSON.stringify(eventsOf(runs[0] ?? ''))), 202);
    for (const event of eventsOf(runs[1] ?? '')) {
      const init = {
        method: 'POST',
        body: JSON.stringify(event),
        headers: { 'content-type': 'application/json' },
      };
      assert.equal((await fetch(`${service.readers}/ag-ui/events?runId=${runs[1]}`, init)).status, 202);
    }
  }
  const { nodes } = await service.graph();
  const details = await Promise.all(
    nodes.map(({ id }) => service.json(`/api/nodes/${encodeURIComponent(id)}`)),
  );
  const pieces = secret.match(/.{6}/g) ?? [];
  const read = JSON.stringify(details);
  assert.match(read, / and done/);
  assert.doesNotMatch(read, /beside/);
  for (const piece of pieces) assert.ok(!read.includes(piece), piece);
  await service.stop();
  for (const { name, bytes } of await filesOf(dataDir))
    for (const piece of pieces.slice(2)) assert.ok(!bytes.includes(piece), `${name} ${piece}`);
});

test('[AG8] a secret that is cut in two over raw events is neither read nor on the disk', async (t) => {
  const dataDir = await temporaryFolder(t);
  const service = await started(t, [], dataDir);
  const raw = (content: string) => ({
    type: 'RAW',
    event: { event: 'on_chat_model_stream', data: { chunk: { content } } },
  });
  const [head, tail] = ['key sk-proj-cnry0001kQ7xN2mV9bL4tR8w', 'J5hF3dG6sK1pZ0001tail0yC7uA2'];
  const custom = (value: string) => ({ type: 'CUSTOM', name: 'part', value });
  const events = [STARTED, raw(head), raw(tail), custom(head), custom(tail), raw(' done')];
  assert.equal(await post(service, JSON.stringify(events)), 202);
  const graph = await service.graph();
  const details = await Promise.all(
    graph.nodes.map(({ id }) => service.json(`/api/nodes/${encodeURIComponent(id)}`)),
  );
  assert.match(JSON.stringify(details), / done/);
  assert.doesNotMatch(JSON.stringify(details), /cnry0001|tail0yC7uA2/);
  await service.stop();
  for (const { name, bytes } of await filesOf(dataDir))
    assert.ok(!bytes.includes('tail0yC7uA2') && !bytes.includes('cnry0001'), name);
});
