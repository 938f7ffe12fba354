import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeEntry } from '../support/make-door.ts';
import { epochMs } from '../../src/model/time.ts';
import { postOtlp } from './otlp-senders.ts';
import { RealService, temporaryFolder } from './real-service.ts';

const CIPHER = `gAAAAAB${'k7Qz2mXw9RtB4vHn8LcY3sDf6GjP1aTe5UiKoVxN0WbZrMyEqSuCdJgFhAlpI'.repeat(20)}==`;
const OTHER = CIPHER.replace('gAAAAAB', 'gAAAAAC');
const SHOWN = new RegExp(String.raw`\[OPAQUE:[a-z2-7]{10}\] of ${CIPHER.length} characters`, 'g');
const TRACE = 'ab'.repeat(16);
const CALL = `${TRACE}:${'cd'.repeat(8)}`;

test('[RD36] a reader sees what a model keeps to itself as kind, length and hash, and what stands beside it', async (t) => {
  const dataDir = await temporaryFolder(t);
  const service = await RealService.start({ dataDir });
  t.after(() => service.stop());
  const said = [
    { type: 'thinking', thinking: 'Paris is known', signature: CIPHER },
    { type: 'redacted_thinking', data: OTHER },
    { type: 'text', text: `It said {"encrypted_content":"${CIPHER}"} to me` },
  ];
  const attributes = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'm',
    'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', content: said }]),
  };
  const span = {
    traceId: TRACE,
    spanId: 'cd'.repeat(8),
    name: 'chat',
    startTimeUnixNano: '1750000000000000000',
    endTimeUnixNano: '1750000000900000000',
    attributes: Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } })),
  };
  const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
  assert.equal((await postOtlp(service, '/v1/traces', body)).status, 200);
  const payload = { summary: 'a thought in cipher', encryptedValue: CIPHER, thought_signature: OTHER };
  const thought = `It goes on with "encrypted_content": "${CIPHER}" and ends.`;
  await service.feed([
    {
      kind: 'event',
      eventId: 'e1',
      eventType: 'REASONING_ENCRYPTED_VALUE',
      component: undefined,
      time: epochMs(1_750_000_000_500),
      payload,
      traceId: undefined,
      spanId: undefined,
    },
    ...(thought.match(/[^]{1,9}/g) ?? []).map((token, i, { length }) =>
      makeEntry({ requestId: 'r1', tokens: [token], sequence: i, final: i === length - 1 }),
    ),
  ]);
  await service.flush();

  const graph = await service.graph();
  const details = await Promise.all(
    graph.nodes.map((node) => service.json(`/api/nodes/${encodeURIComponent(node.id)}`)),
  );
  const seen = JSON.stringify([graph, details]);
  const call = JSON.stringify(details[graph.nodes.findIndex(({ id }) => id === CALL)]);
  assert.ok(call.includes('Paris is known'), call);
  assert.equal(new Set(call.match(SHOWN)).size, 2, 'one in the answer and one beside it');
  const event = JSON.stringify(details[graph.nodes.findIndex(({ id }) => id === 'event:e1')]);
  assert.equal(new Set(event.match(SHOWN)).size, 2, event);
  assert.match(
    seen,
    /It goes on with .{1,4}encrypted_content.{1,4}: .{1,4}\[OPAQUE:\w{10}\] of 1229 characters.{1,4} and ends/,
  );
  await service.stop();
  const kept = await readFile(join(dataDir, 'explain_graph.json'), 'utf8');
  for (const text of [seen, kept, service.log])
    for (const piece of [CIPHER.slice(0, 24), CIPHER.slice(-24)]) assert.ok(!text.includes(piece));
});
