import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { BoundaryError } from '../../base/boundary-error.ts';
import { systemClock } from '../../base/clock.ts';
import { Pace } from '../../base/pace.ts';
import {
  exportResponseJson,
  exportResponseProto,
  statusJson,
  statusProto,
} from '../../receivers/otlp/answers.ts';
import type { Encoding } from '../../receivers/otlp/decode.ts';
import { DEFAULT_RECEIVER_LIMITS } from '../../receivers/config.ts';
import { readItems } from '../../receivers/events/receive.ts';
import {
  encode,
  metricRequest,
  span,
  traceRequest,
  withBytes,
} from '../../receivers/otlp/otlp.test-support.ts';
import { noMetrics } from '../../telemetry/own-metrics.ts';
import { CellRing } from './cell-ring.ts';
import type { CellAnswer } from '../cells/exchange.ts';
import type { CellRequest } from './cell-sender.ts';
import { Forwarding } from './forwarding.ts';
import { StreamHomes } from './stream-homes.ts';

const NAMES = ['a', 'b', 'c'];
const RING = new CellRing(NAMES.map((name) => ({ name, endpoint: `${name}:4317` })));
const BY = { id: 'key 1', headers: { authorization: 'Bearer 1' }, project: 'default' };
const SPANS = traceRequest(
  ...Array.from({ length: 24 }, (_, i) =>
    span({ traceId: (i + 1).toString(16).padStart(2, '0').repeat(16) }),
  ),
);

type Answers = (request: CellRequest) => Partial<Omit<CellAnswer, 'body'>> & { readonly body?: Buffer };

/** @param known the cells of nodes, by their ids */
function setup(answers: Answers, maxBodyBytes = Infinity, known: ReadonlyMap<string, string> = new Map()) {
  const sent: CellRequest[] = [];
  const asked: string[] = [];
  const homes = new StreamHomes(systemClock);
  const forwarding = new Forwarding({
    pace: new Pace(systemClock),
    maxBodyBytes,
    routing: () => ({ ring: RING, homes, routeBy: 'traceID' }),
    find: async (nodeIds, { project }) => {
      asked.push(...[...nodeIds].map((id) => `${project} ${id}`));
      return known;
    },
    sender: {
      send: async (request) => {
        sent.push(request);
        return { status: 200, retryAfter: undefined, body: Buffer.alloc(0), ...answers(request) };
      },
    },
  });
  return { forwarding, sent, asked };
}

const bytesOf = (encoding: Encoding): Buffer =>
  encoding === 'json' ? Buffer.from(JSON.stringify(SPANS)) : encode('traces', withBytes(SPANS));

const refusal = (encoding: Encoding, error: BoundaryError): Buffer =>
  encoding === 'json' ? statusJson(error) : statusProto(error);

for (const encoding of ['protobuf', 'json'] as const) {
  test(`[RT8] OTLP in ${encoding}: what cells rejected is summed up, and their reasons are joined`, async () => {
    const { forwarding, sent } = setup(({ cell }) => {
      const result =
        cell === 'a'
          ? { rejected: 0, message: '' }
          : { rejected: cell === 'b' ? 2 : 300, message: `of ${cell}` };
      return {
        body: encoding === 'json' ? exportResponseJson('traces', result) : exportResponseProto(result),
      };
    });
    const result = await forwarding.otlp({ signal: 'traces', encoding, body: bytesOf(encoding) }, BY);
    assert.equal(result.rejected, 302);
    assert.deepEqual(new Set(result.message.split('; ')), new Set(['of b', 'of c']));
    assert.deepEqual(sent.map(({ cell }) => cell).sort(), NAMES);
    for (const { path, headers, method } of sent) {
      assert.deepEqual([method, path, headers['authorization']], ['POST', '/v1/traces', 'Bearer 1']);
      assert.equal(
        headers['content-type'],
        encoding === 'json' ? 'application/json' : 'application/x-protobuf',
      );
    }
  });

  test(`[RT9] OTLP in ${encoding}: one cell that must be sent to again decides, with the longest wait; else the first refusal`, async () => {
    const table: readonly (readonly [
      answers: Readonly<Record<string, readonly [number, number?]>>,
      code: string,
      waitMs?: number,
    ])[] = [
      [{ a: [503, 2], b: [429, 7], c: [200] }, 'UNAVAILABLE', 7_000],
      [{ a: [400], b: [429, 3], c: [200] }, 'RESOURCE_EXHAUSTED', 3_000],
      [{ a: [400], b: [502], c: [200] }, 'UNAVAILABLE'],
      [{ a: [200], b: [403], c: [200] }, 'PERMISSION_DENIED'],
      [{ a: [401], b: [401], c: [401] }, 'UNAUTHENTICATED'],
      [{ a: [418], b: [200], c: [200] }, 'INTERNAL'],
    ];
    for (const [answers, code, wait] of table) {
      const { forwarding } = setup(({ cell }) => {
        const [status, retryAfter] = answers[cell] ?? [200];
        const isRefused = status !== 200;
        return {
          status,
          retryAfter,
          ...(isRefused && { body: refusal(encoding, new BoundaryError('INTERNAL', `reason ${status}`)) }),
        };
      });
      await assert.rejects(
        forwarding.otlp({ signal: 'traces', encoding, body: bytesOf(encoding) }, BY),
        (error) => {
          assert.ok(error instanceof BoundaryError);
          assert.deepEqual([error.code, error.retryAfterMs], [code, wait]);
          assert.match(error.message, /^reason \d+$/);
          return true;
        },
      );
    }
  });
}

test('[RT8] points that all cells were sent count once', async () => {
  const result = { rejected: 4, message: 'bad' };
  const { forwarding, sent } = setup(() => ({ body: exportResponseProto(result) }));
  const body = encode('metrics', metricRequest({ name: 'm', gauge: { dataPoints: [{}] } }));
  assert.deepEqual(await forwarding.otlp({ signal: 'metrics', encoding: 'protobuf', body }, BY), result);
  assert.equal(sent.length, 3);
});

test('[RT10] answers to entries: counts are summed up, and places are those of what was sent', async () => {
  const { forwarding, sent } = setup(({ body = Buffer.alloc(0), headers }) => {
    const read = readItems('cot', body, headers['content-type'], noMetrics);
    assert.ok(read);
    const { records, rejected, errors, truncated, warnings } = read;
    const answer = {
      accepted: records.length,
      rejected,
      errors,
      ...(truncated > 0 && { truncated, warnings }),
    };
    return { status: 202, body: Buffer.from(JSON.stringify(answer)) };
  });
  const long = 'x'.repeat(DEFAULT_RECEIVER_LIMITS.maxStringChars + 1);
  const lines = Array.from({ length: 30 }, (_, i) => {
    if (i === 4) return 'no';
    const text = i === 20 ? long : 'x';
    return JSON.stringify(i % 7 === 3 ? { requestId: `r${i}` } : { requestId: `r${i}`, timestamp: 1, text });
  });
  const posted = { body: Buffer.from(lines.join('\n')), contentType: 'application/x-ndjson' };
  const { status, body } = await forwarding.entries('cot', posted, BY);
  const alone = readItems('cot', posted.body, posted.contentType, noMetrics);
  assert.ok(alone && sent.length === 3);
  const { records, ...told } = alone;
  assert.deepEqual([status, body], [202, { accepted: records.length, ...told }]);
});

test('[RT10] a body that nobody can read is answered as its cell does', async () => {
  const said = { accepted: 0, rejected: 0, errors: [{ index: 0, message: 'no JSON' }] };
  const { forwarding } = setup(() => ({ status: 400, body: Buffer.from(JSON.stringify(said)) }));
  const answer = await forwarding.entries('event', { body: Buffer.from('no'), contentType: '' }, BY);
  assert.deepEqual(answer, { status: 400, body: said });
});

test('[RT9] without any cell it is UNAVAILABLE', async () => {
  const forwarding = new Forwarding({
    pace: new Pace(systemClock),
    maxBodyBytes: Infinity,
    routing: () => undefined,
    find: () => assert.fail('nobody is asked'),
    sender: { send: () => assert.fail('nothing is sent') },
  });
  const posted = { body: Buffer.from('{}'), contentType: '' };
  await assert.rejects(forwarding.entries('cot', posted, BY), { code: 'UNAVAILABLE', retryAfterMs: 1_000 });
});

test('[RT11] bodies of protocols are not cut: by the task, run or space that they name, else by their sender', async () => {
  const { forwarding, sent } = setup(() => ({ status: 202, body: Buffer.from('{"accepted":1}') }));
  const body = Buffer.from('{}');
  const at = async (query: Record<string, string>, id = 'key 1'): Promise<string> => {
    const posted = {
      path: '/mew/envelopes',
      query: new URLSearchParams(query),
      body,
      contentType: 'application/json',
    };
    const answer = await forwarding.whole(posted, { ...BY, id });
    assert.deepEqual(answer, { status: 202, body: { accepted: 1 } });
    return sent.at(-1)?.cell ?? '';
  };
  for (let i = 0; i < 10; i++) {
    assert.equal(await at({ taskId: `t${i}`, space: 's' }), RING.of(`t${i}`));
    assert.equal(await at({ space: `s${i}` }), RING.of(`s${i}`));
    assert.equal(await at({}, `key ${i}`), RING.of(`key ${i}`));
  }
  await at({ taskId: 'a b' });
  assert.equal(sent.at(-1)?.path, '/mew/envelopes?taskId=a+b');
  assert.equal(sent.at(-1)?.body, body);
});

test('[RT14] a part that is larger than a body may be goes on compressed, as it came', async () => {
  const body = bytesOf('json');
  const { forwarding, sent } = setup(
    () => ({ body: exportResponseJson('traces', { rejected: 0, message: '' }) }),
    1_000,
  );
  await forwarding.otlp({ signal: 'traces', encoding: 'json', body }, BY);
  const large = sent.filter(({ headers }) => headers['content-encoding'] === 'gzip');
  assert.ok(large.length > 0);
  const spansIn = ({ body: part = Buffer.alloc(0), headers }: CellRequest): string[] => {
    const bytes = headers['content-encoding'] === 'gzip' ? gunzipSync(part) : part;
    assert.ok(bytes === part ? part.length <= 1_000 : bytes.length > 1_000);
    return [...bytes.toString().matchAll(/"traceId":"([0-9a-f]+)"/g)].map(([, id = '']) => id);
  };
  const traces = Array.from({ length: 24 }, (_, i) => (i + 1).toString(16).padStart(2, '0').repeat(16));
  assert.deepEqual(sent.flatMap(spansIn).sort(), traces.sort());
});

const OTHER = (cell: string): string => NAMES.find((name) => name !== cell) ?? '';

async function cellsOf(
  { forwarding, sent }: Pick<ReturnType<typeof setup>, 'forwarding' | 'sent'>,
  signal: 'cot' | 'event',
  ...entries: readonly object[]
): Promise<readonly string[]> {
  const before = sent.length;
  const posted = { body: Buffer.from(JSON.stringify(entries)), contentType: 'application/json' };
  await forwarding.entries(signal, posted, BY);
  return sent.slice(before).map(({ cell }) => cell);
}

const TAKEN: Answers = () => ({ status: 202, body: Buffer.from('{"accepted":1,"rejected":0,"errors":[]}') });
const TRACE = 'ab'.repeat(16);

test('[RT15] a thought without a trace goes to the cell that knows its request, and is asked for once', async () => {
  for (let i = 0; i < 20; i++) {
    const at = OTHER(RING.of(`r${i}`));
    const gateway = setup(TAKEN, Infinity, new Map([[`req:r${i}`, at]]));
    const thought = { requestId: `r${i}`, timestamp: 1, text: 'x' };
    for (let round = 0; round < 2; round++) assert.deepEqual(await cellsOf(gateway, 'cot', thought), [at]);
    assert.deepEqual(await cellsOf(gateway, 'cot', { ...thought, traceId: TRACE, sequence: 3 }), [at]);
    const event = { eventType: 'PlanUpdated', timestamp: 1, payload: { requestId: `r${i}` } };
    assert.deepEqual(await cellsOf(gateway, 'event', event), [at]);
    assert.deepEqual(gateway.asked, [`default req:r${i}`]);
    const unknown = { ...thought, requestId: `s${i}` };
    for (let round = 0; round < 2; round++)
      assert.deepEqual(await cellsOf(gateway, 'cot', unknown), [RING.of(`s${i}`)]);
    assert.deepEqual(gateway.asked.slice(1), [`default req:s${i}`]);
  }
});

test('[RT15] one that names a trace is asked for only where it does not begin here, and all of a body goes to one cell', async () => {
  const at = OTHER(RING.of(Buffer.from(TRACE, 'hex')));
  const known = new Map([['req:r', at]]);
  const begun = setup(TAKEN, Infinity, known);
  const piece = { requestId: 'r', timestamp: 1, tokens: ['x'], traceId: TRACE };
  assert.deepEqual(await cellsOf(begun, 'cot', { ...piece, sequence: 1 }), [
    RING.of(Buffer.from(TRACE, 'hex')),
  ]);
  assert.deepEqual(await cellsOf(begun, 'cot', { ...piece, sequence: 2 }), [
    RING.of(Buffer.from(TRACE, 'hex')),
  ]);
  assert.deepEqual(begun.asked, []);
  const goesOn = setup(TAKEN, Infinity, known);
  assert.deepEqual(
    await cellsOf(goesOn, 'cot', { ...piece, sequence: 2 }, { ...piece, sequence: 3 }, piece),
    [at],
  );
  assert.deepEqual(goesOn.asked, ['default req:r']);
});

test('[RT6] a thought of another project is another one, also where both are called the same', async () => {
  const { forwarding, sent } = setup(TAKEN);
  for (let i = 1; i <= 9; i++) {
    const entry = { requestId: 'r', timestamp: 1, text: 'x', traceId: `${i}`.repeat(32) };
    const posted = { body: Buffer.from(JSON.stringify(entry)), contentType: 'application/json' };
    await forwarding.entries('cot', posted, { ...BY, project: `p${i}` });
    assert.equal(sent.at(-1)?.cell, RING.of(Buffer.from(entry.traceId, 'hex')));
  }
  assert.ok(new Set(sent.map(({ cell }) => cell)).size > 1);
});

test('[RT15] an event goes to the cell that knows the step that it names, and is asked for once', async () => {
  const event = (payload: object): object => ({ eventType: 'PlanUpdated', timestamp: 1, payload });
  for (const [payload, id] of [
    [{ requestId: 'r' }, 'req:r'],
    [{ nodeId: 'req:r' }, 'req:r'],
    [{ nodeId: 'event:e' }, 'event:e'],
  ] as const) {
    const at = OTHER(RING.of(id.replace(/^req:/, '')));
    const gateway = setup(TAKEN, Infinity, new Map([[id, at]]));
    for (let round = 0; round < 2; round++)
      assert.deepEqual(await cellsOf(gateway, 'event', event(payload)), [at]);
    assert.deepEqual(gateway.asked, [`default ${id}`]);
  }
  const gateway = setup(TAKEN);
  await cellsOf(gateway, 'event', event({ traceId: TRACE, requestId: 'r' }), event({ taskId: 't' }));
  assert.deepEqual(gateway.asked, []);
});

test('[RT15] entries of thoughts among log records are asked for as well', async () => {
  const attributes = [{ key: 'requestId', value: { stringValue: 'r' } }];
  const record = { timeUnixNano: '1', eventName: 'cot', body: { stringValue: 'x' }, attributes };
  const request = { resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] };
  const at = OTHER(RING.of('r'));
  for (const encoding of ['protobuf', 'json'] as const) {
    const answer = { rejected: 0, message: '' };
    const body = encoding === 'json' ? exportResponseJson('logs', answer) : exportResponseProto(answer);
    const { forwarding, sent, asked } = setup(() => ({ body }), Infinity, new Map([['req:r', at]]));
    const bytes = encoding === 'json' ? Buffer.from(JSON.stringify(request)) : encode('logs', request);
    for (let round = 0; round < 2; round++)
      await forwarding.otlp({ signal: 'logs', encoding, body: bytes }, BY);
    assert.deepEqual(
      sent.map(({ cell }) => cell),
      [at, at],
    );
    assert.deepEqual(asked, ['default req:r']);
  }
});
