import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startTestServers, type TestServers } from '../../../../test/support/test-servers.ts';
import { AgUiVerifier, type WireEvent } from '../../../../test/support/ag-ui-verifier.ts';
import { span, type SpanWords } from '../../../../test/support/records.ts';
import { until } from '../../../../test/support/until.ts';
import { systemClock } from '../../../base/clock.ts';
import { Pace } from '../../../base/pace.ts';
import type { SpanRecord } from '../../../model/records.ts';
import type { ReaderApi } from '../../../subscriptions/reader-api.ts';
import { RunStreams } from './run-streams.ts';
import { agUiRunRoute } from './run-route.ts';

const CHAT = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'gpt-4o', taskID: 'T' };

let servers: TestServers;
let url: string;
const runs = new RunStreams(systemClock);

before(async () => {
  let reader: ReaderApi | undefined;
  const late = new Proxy({} as ReaderApi, {
    get: (_, name) => {
      const member: unknown = Reflect.get(reader ?? {}, name);
      return typeof member === 'function' ? member.bind(reader) : member;
    },
  });
  const route = agUiRunRoute({ reader: late, clock: systemClock, pace: new Pace(systemClock), runs });
  servers = await startTestServers({ http: { routes: [route] } });
  reader = servers.reader;
  url = `http://${servers.address.host}:${servers.address.port}/ag-ui/run`;
});
after(() => servers.stop());

function record(digit: number, words: SpanWords): SpanRecord {
  return span(digit, words) as unknown as SpanRecord;
}

/** Of a trace of its own. */
function traceOf(digit: number): string {
  return String(digit).repeat(32);
}

function post(
  body: unknown,
  init: { readonly accept?: string; readonly signal?: AbortSignal } = {},
): Promise<Response> {
  const { accept = 'text/event-stream', signal = null } = init;
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    signal,
  });
}

/** The events of an answer over SSE, as they come. */
async function* eventsOf({ body }: Response): AsyncGenerator<WireEvent> {
  assert.ok(body);
  let rest = '';
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const frames = (rest + text).split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      if (frame.startsWith(':')) continue;
      assert.ok(frame.startsWith('data: ') && !/[\r\n]/.test(frame), 'a frame is one line of data');
      yield JSON.parse(frame.slice(6)) as WireEvent;
    }
  }
  assert.equal(rest, '');
}

async function all(answer: Response): Promise<WireEvent[]> {
  const events: WireEvent[] = [];
  for await (const event of eventsOf(answer)) events.push(event);
  return events;
}

describe('POST /ag-ui/run', () => {
  test('[AG26] conformance 1: a stored task comes as one run with the ids of the request, and the stream ends', async () => {
    await servers.feed([
      record(1, { attrs: { taskID: 'stored' }, ms: 100, traceId: traceOf(1) }),
      record(2, { parent: 1, at: 10, attrs: { ...CHAT, taskID: 'stored' }, traceId: traceOf(1) }),
    ]);
    const answer = await post({ threadId: 'stored', runId: 'r1', messages: [], anything: { else: 1 } });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), 'text/event-stream');
    const events = await all(answer);
    const verifier = new AgUiVerifier();
    events.forEach((event) => verifier.take(event));
    assert.equal(verifier.end(), 'finished');
    const [first, last] = [events[0], events.at(-1)];
    for (const event of [first, last])
      assert.deepEqual([event?.['threadId'], event?.['runId']], ['stored', 'r1']);
    assert.equal(runs.size, 0);
  });

  test('[AG27] protobuf comes to who asks for it, in frames of a length and a message, with exactly its type', async () => {
    await servers.feed([record(1, { attrs: { taskID: 'proto' }, traceId: traceOf(2) })]);
    const answer = await post(
      { threadId: 'proto', runId: 'r1' },
      { accept: 'text/event-stream;q=0.5, application/vnd.ag-ui.event+proto' },
    );
    assert.equal(answer.headers.get('content-type'), 'application/vnd.ag-ui.event+proto');
    const bytes = Buffer.from(await answer.arrayBuffer());
    const arms: number[] = [];
    let at = 0;
    while (at < bytes.length) {
      const length = bytes.readUInt32BE(at);
      arms.push((bytes[at + 4] ?? 0) >> 3);
      at += 4 + length;
    }
    assert.equal(at, bytes.length);
    // RUN_STARTED, CUSTOM, STEP_STARTED, STEP_FINISHED, RUN_FINISHED.
    assert.deepEqual(arms, [12, 11, 15, 16, 13]);
  });

  test('[AG26] what is wrong with a request is said by the name of its field, and an unknown task is 404', async () => {
    const wrong: readonly (readonly [body: unknown, status: number, message: RegExp])[] = [
      ['{', 400, /JSON object/],
      [{ runId: 'r' }, 400, /^threadId is required/],
      [{ threadId: 't', runId: 7 }, 400, /^runId is required/],
      [{ threadId: 't', runId: 'r', messages: {} }, 400, /^messages must be a list/],
      [{ threadId: 't', runId: 'r', messages: [3] }, 400, /^messages\[0\] must be a message/],
      [{ threadId: 't', runId: 'r', protocolVersion: 'one' }, 400, /^protocolVersion must be/],
      [{ threadId: 'nobody knows it', runId: 'r' }, 404, /^threadId: no task/],
    ];
    for (const [body, status, message] of wrong) {
      const answer = await post(body);
      const { error } = (await answer.json()) as { readonly error: { readonly message: string } };
      assert.equal(answer.status, status, error.message);
      assert.match(error.message, message);
      assert.doesNotMatch(error.message, /nobody knows it/);
    }
    assert.equal(runs.size, 0);
  });

  test('[AG28] a task that runs is told live until it is over', async () => {
    const attrs = { ...CHAT, taskID: 'live' };
    const words = { attrs, traceId: traceOf(3), name: 'chat' };
    await servers.feed([record(1, { ...words, ms: 'running' })]);
    const types: string[] = [];
    const answer = await post({ threadId: 'live', runId: 'r' });
    const verifier = new AgUiVerifier();
    for await (const event of eventsOf(answer)) {
      verifier.take(event);
      types.push(event.type);
      if (event.type === 'STEP_STARTED' && event['stepName'] === 'chat')
        await servers.feed([
          record(1, { ...words, attrs: { ...attrs, 'gen_ai.completion': 'at last' }, ms: 30 }),
        ]);
    }
    assert.equal(verifier.end(), 'finished');
    assert.ok(types.indexOf('TEXT_MESSAGE_CONTENT') > types.indexOf('STEP_STARTED'));
  });

  test('[AG28] conformance 4: when the client leaves, all work for it ends', async () => {
    await servers.feed([record(1, { attrs: { taskID: 'left' }, ms: 'running', traceId: traceOf(4) })]);
    const leaving = new AbortController();
    const answer = await post({ threadId: 'left', runId: 'r' }, { signal: leaving.signal });
    for await (const event of eventsOf(answer)) {
      if (event.type !== 'STEP_STARTED') continue;
      assert.equal(runs.size, 1);
      assert.equal(servers.reader.subscriptionCount, 1);
      break;
    }
    leaving.abort();
    await until('the run is gone', () => runs.size === 0 && servers.reader.subscriptionCount === 0);
  });

  test('[AG29] when the service stops, a run that goes on ends with RUN_ERROR', async () => {
    await servers.feed([record(1, { attrs: { taskID: 'cut' }, ms: 'running', traceId: traceOf(5) })]);
    const answer = await post({ threadId: 'cut', runId: 'r' });
    const events: WireEvent[] = [];
    for await (const event of eventsOf(answer)) {
      events.push(event);
      if (event.type === 'STEP_STARTED') runs.close('the service stops');
    }
    assert.deepEqual(events.at(-1), { type: 'RUN_ERROR', code: 'unavailable', message: 'the service stops' });
    assert.equal(events.at(-2)?.type, 'STEP_FINISHED');
  });

  test('[AG29] a failed task ends with RUN_ERROR, and nothing comes after it', async () => {
    await servers.feed([record(1, { attrs: { taskID: 'failed' }, status: 'ERROR', traceId: traceOf(6) })]);
    const events = await all(await post({ threadId: 'failed', runId: 'r' }));
    assert.equal(events.at(-1)?.type, 'RUN_ERROR');
    assert.equal(events.filter(({ type }) => type === 'RUN_ERROR' || type === 'RUN_FINISHED').length, 1);
  });
});
