import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { connect } from '../../src/client/node.ts';
import type { Client } from '../../src/client/client.ts';
import type { SearchHit } from '../../src/model/search.ts';
import { postOtlp } from './otlp-senders.ts';
import { RealService } from './real-service.ts';

function client(t: TestContext, url: string): Client {
  const made = connect({ url });
  t.after(() => made.close());
  return made;
}

/** Calls of a model, each with a question and an answer in which the needle stands. */
async function sendCalls(
  service: RealService,
  count: number,
  taskOf: (call: number) => string = () => 'T1',
): Promise<void> {
  const spans = Array.from({ length: count }, (_, i) => ({
    traceId: 'ab'.repeat(16),
    spanId: (i + 1).toString(16).padStart(16, '0'),
    name: 'chat',
    startTimeUnixNano: String(1_750_000_000_000_000_000n + BigInt(i) * 1_000_000n),
    endTimeUnixNano: String(1_750_000_000_000_000_000n + BigInt(i + 1) * 1_000_000n),
    attributes: Object.entries({
      taskID: taskOf(i),
      'model.name': 'm',
      prompt: `Question ${i} of İstanbul`,
      completion: `It is long enough to be cut. ${'x '.repeat(100)} Here is the Needle ${i}, sent to jo.doe@example.com`,
    }).map(([key, stringValue]) => ({ key, value: { stringValue } })),
  }));
  const answer = await postOtlp(
    service,
    '/v1/traces',
    JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }),
  );
  assert.equal(answer.status, 200);
}

/** Every hit: an answer looks for a second at most, and a busy machine may give it little of that. */
async function searched(reader: Client, text: string): Promise<readonly SearchHit[]> {
  const hits: SearchHit[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await reader.search({ text, cursor });
    hits.push(...page.hits);
    if (page.nextCursor === undefined) return hits;
    cursor = page.nextCursor;
  }
}

async function assertStands(reader: Client, { nodeId, field, start, end, text }: SearchHit): Promise<void> {
  const { node, texts } = await reader.getNode(nodeId);
  const content = (Object.entries({ ...node, ...texts }) as [string, string][]).find(
    ([key]) => key === field,
  )?.[1];
  assert.equal(content?.slice(start, end), text);
}

test('[SE1] a text is found in memory and in the archive, at its place in the redacted text, by every way in', async (t) => {
  const service = await RealService.of(t);
  await sendCalls(service, 5);
  const http = client(t, service.readers);
  const grpc = client(t, service.readers.replace('http:', 'grpc:'));
  const whole = await searched(http, 'needle');
  assert.deepEqual(
    whole.map(({ field, text, taskId }) => [field, text, taskId]),
    Array.from({ length: 5 }, () => ['completion', 'Needle', 'T1']),
  );
  for (const hit of whole) await assertStands(http, hit);
  assert.deepEqual(await searched(grpc, 'needle'), whole);
  assert.deepEqual(await searched(http, 'jo.doe'), []);
  const [city] = await searched(http, 'İSTANBUL 0'.slice(0, 8));
  assert.ok(city);
  await assertStands(http, city);
  await http.prune(0);
  assert.deepEqual(await searched(http, 'NEEDLE'), whole, 'archived');
});

test('[SE2] pages hold every hit once, and what cannot be asked for is refused by name', async (t) => {
  const service = await RealService.of(t);
  await sendCalls(service, 7);
  const http = client(t, service.readers);
  const seen: string[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await http.search({ text: 'needle', limit: 2, cursor });
    seen.push(...page.hits.map(({ nodeId }) => nodeId));
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  assert.deepEqual([seen.length, new Set(seen).size], [7, 7]);
  for (const [query, message] of [
    [{ text: '' }, /^text must be 1 to 200/],
    [{ text: 'x', limit: 0 }, /^limit must be a whole number from 1 to 200/],
    [{ text: 'x', cursor: 'y' }, /^cursor must be/],
  ] as const)
    await assert.rejects(http.search(query), { code: 'INVALID_ARGUMENT', message });
});

test('[SE2] the longest ids of tasks have pages, and signs of patterns are looked for as they stand', async (t) => {
  const service = await RealService.of(t);
  const widest = ['漢', '\u0001', '"'].flatMap((sign) => [0, 1].map((i) => sign.repeat(255) + String(i)));
  await sendCalls(service, widest.length, (i) => widest[i] ?? '');
  const http = client(t, service.readers);
  const found = new Set<string>();
  for (let cursor: string | undefined, pages = 0; pages === 0 || cursor !== undefined; pages++) {
    const page = await http.search({ text: 'needle', limit: 1, cursor });
    for (const hit of page.hits) found.add(hit.nodeId);
    cursor = page.nextCursor;
  }
  assert.equal(found.size, widest.length);
  for (const text of ['no-secrets', '(', '[a-', '\\', '^.*$', '/', '{2}'])
    assert.deepEqual(await searched(http, text), [], text);
});

test('[SE3] without retention of texts none is found', async (t) => {
  const service = await RealService.of(t, ['--zero-data-retention=true']);
  await sendCalls(service, 2);
  assert.deepEqual(await searched(client(t, service.readers), 'needle'), []);
});
