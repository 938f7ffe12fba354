import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { connect } from '../../src/client/node.ts';
import { postOtlp } from './otlp-senders.ts';
import { RealService, temporaryFolder } from './real-service.ts';

const SECRET = 'jane.doe@example.com';

test('[SM7] a configured endpoint phrases the summary on every way in, and sees nothing that was hidden', async (t) => {
  const bodies: string[] = [];
  const said = { sentences: [{ text: 'A parser was asked for.', from: [1] }] };
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    bodies.push(await text(request));
    response.end(JSON.stringify({ choices: [{ message: { content: JSON.stringify(said) } }] }));
  };
  const endpoint = createServer((request, response) => void take(request, response));
  await new Promise<void>((resolve) => void endpoint.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    endpoint.closeAllConnections();
    endpoint.close();
  });
  const { port } = endpoint.address() as AddressInfo;
  const service = await RealService.start({
    dataDir: await temporaryFolder(t),
    flags: ['--summary-url', `http://127.0.0.1:${port}/v1`, '--summary-model', 'small'],
  });
  t.after(() => service.stop());
  const attributes = Object.entries({
    taskID: 'T1',
    'model.name': 'm',
    prompt: `Write a parser for ${SECRET}`,
  });
  const span = {
    traceId: 'ab'.repeat(16),
    spanId: '1'.repeat(16),
    name: 'chat',
    startTimeUnixNano: '1750000000000000000',
    endTimeUnixNano: '1750000001000000000',
    attributes: attributes.map(([key, stringValue]) => ({ key, value: { stringValue } })),
  };
  const sent = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
  assert.equal((await postOtlp(service, '/v1/traces', sent)).status, 200);
  await service.flush();
  const id = `${span.traceId}:${span.spanId}`;
  for (const url of [service.readers, service.readers.replace('http:', 'grpc:')]) {
    const client = connect({ url });
    t.after(() => client.close());
    const { sentences } = await client.summary('T1');
    assert.deepEqual(sentences, [{ text: 'A parser was asked for.', nodeIds: [id], by: 'model' }]);
  }
  assert.match(bodies.join(), /Write a parser for \[EMAIL:/);
  assert.doesNotMatch(bodies.join(), /jane|example\.com|T1/);
});
