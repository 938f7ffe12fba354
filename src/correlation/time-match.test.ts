import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CotText, SpanFacts } from '../model/facts.ts';
import { spanKey } from '../model/ids.ts';
import type { SafeRecord } from '../model/pipeline.ts';
import { epochMs } from '../model/time.ts';
import { NEVER_OVER } from '../base/in-turns.ts';
import type { SpanEntry } from './node-entry.ts';
import { Requests } from './requests.ts';
import { makeEngine } from '../../test/support/make-engine.ts';
import { batchOf, makeSpan, safe } from '../../test/support/world.ts';

const START = 1_750_000_000_000;

function call(spanId: string, from: number, to: number, component = 'coder-agent'): SafeRecord {
  return safe(
    makeSpan({
      spanId: spanId.repeat(16),
      start: epochMs(START + from),
      end: epochMs(START + to),
      attrs: { component, 'model.name': 'm' },
    }),
  );
}

function thought(requestId: string, at: number, rest: Partial<CotText> = {}): SafeRecord {
  const time = epochMs(START + at);
  const cot = { kind: 'cot', requestId, part: 1, revision: 1, text: `of ${requestId}`, final: true } as const;
  return safe({ ...cot, first: time, last: time, agent: 'CoderAgent', ...rest });
}

async function nodesAfter(...records: SafeRecord[]): Promise<string[]> {
  const { engine } = makeEngine({ maxCoTDepth: 0 });
  for (const record of records) await engine.correlator.consume(batchOf([record]));
  return engine.reader
    .getGraph({ collapse: 'none' })
    .nodes.map(
      ({ id, details }) =>
        `${id.slice(-4)} ${JSON.stringify(details?.['correlatedBy'] ?? '-').replaceAll('"', '')}`,
    );
}

test('[CO19] a thought that names no span joins the only call of its agent that it lies in', async () => {
  const joined = ['q:r1 agent and time'];
  assert.deepEqual(await nodesAfter(call('1', 0, 100), thought('r1', 50)), joined);
  assert.deepEqual(await nodesAfter(thought('r1', 50), call('1', 0, 100)), joined);
});

test('[CO19] it stays apart where there is another choice on either side', async () => {
  const twoCalls = await nodesAfter(call('1', 0, 100), thought('r1', 50), call('2', 10, 90));
  assert.deepEqual(twoCalls, ['1111 -', '2222 -', 'q:r1 -']);
  const twoThoughts = await nodesAfter(call('1', 0, 100), thought('r1', 50), thought('r2', 60));
  assert.deepEqual(twoThoughts, ['1111 -', 'q:r1 -', 'q:r2 -']);
});

test('[CO19] it stays apart from other agents, other tasks, other times, and calls that are spoken for', async () => {
  const apart = ['1111 -', 'q:r1 -'];
  assert.deepEqual(await nodesAfter(call('1', 0, 100, 'critic-agent'), thought('r1', 50)), apart);
  assert.deepEqual((await nodesAfter(call('1', 0, 100), thought('r1', 150))).toSorted(), apart);
  const pointing = { traceId: 'a'.repeat(32), spanId: '1'.repeat(16), agent: 'Other' };
  const spokenFor = await nodesAfter(call('1', 0, 100), thought('r1', 50), thought('r2', 50, pointing));
  assert.deepEqual(spokenFor.toSorted(), ['q:r1 -', 'q:r2 -']);
});

/** Requests with their thoughts and calls, without nodes; it is told which were looked at again. */
class Bench {
  readonly looked: string[] = [];
  private readonly spans = new Map<string, SpanEntry>();
  private readonly requests = new Requests({
    spans: this.spans,
    onMoved: () => {},
    onChanged: ({ requestId }) => this.looked.push(requestId),
  });

  call(n: number, from: number, to: number): void {
    const spanId = n.toString(16).padStart(16, '0');
    const traceId = 'a'.repeat(32);
    const step = { type: 'LLM_CALL', status: 'OK', agent: 'coder', details: {} } as const;
    const [start, end] = [epochMs(START + from), epochMs(START + to)];
    const facts: SpanFacts = { kind: 'span', traceId, spanId, name: 'chat', start, end, step };
    const key = spanKey(traceId, spanId);
    const span = { ...this.spans.get(key), key, facts } as SpanEntry;
    this.spans.set(key, span);
    this.requests.spanChanged(span, undefined);
  }

  thought(requestId: string, at: number): void {
    const time = epochMs(START + at);
    const words = { part: 1, revision: 1, text: '', final: true, agent: 'coder' } as const;
    this.requests.addCot({ kind: 'cot', requestId, first: time, last: time, ...words });
  }

  settle(isLate = NEVER_OVER): boolean {
    this.looked.length = 0;
    return this.requests.settle(isLate);
  }

  get joined(): number {
    return [...this.requests.all()].filter(({ byTime }) => byTime).length;
  }
}

const MANY = 1000;

test('[CO36] another version of a call that a thousand thoughts lie in has none of them looked at again', () => {
  const bench = new Bench();
  for (let i = 0; i < MANY; i++) bench.thought(`r${i}`, i);
  bench.settle();
  for (let version = 0; version < 10; version++) {
    bench.call(1, 0, 2 * MANY + version);
    bench.settle();
    assert.deepEqual(bench.looked, []);
  }
});

test('[CO36] a call around a thousand others takes their thoughts from them, and another version of it nothing', () => {
  const bench = new Bench();
  for (let i = 0; i < MANY; i++) {
    bench.thought(`r${i}`, 10 * i + 1);
    bench.call(i, 10 * i, 10 * i + 2);
  }
  bench.settle();
  assert.equal(bench.joined, MANY);
  bench.call(MANY, 0, 20 * MANY);
  bench.settle();
  assert.deepEqual([bench.joined, new Set(bench.looked).size], [0, MANY]);
  bench.call(MANY, 0, 20 * MANY + 1);
  bench.settle();
  assert.deepEqual([bench.joined, bench.looked.length], [0, 0]);
  bench.call(MANY, 20 * MANY, 20 * MANY + 1);
  bench.settle();
  assert.equal(bench.joined, MANY);
});

test('[CO36] versions of a call that come together are matched once', () => {
  const bench = new Bench();
  bench.thought('r', 50);
  let looks = 0;
  for (let version = 0; version < MANY; version++) bench.call(1, 0, 100 + version);
  bench.settle(() => ++looks < 0);
  assert.equal(bench.joined, 1);
  // The call, and the request.
  assert.ok(looks <= 2, `${looks} matched or looked at`);
});

test('[EL2] what one call changes for a thousand requests is worked out in pieces', () => {
  const bench = new Bench();
  for (let i = 0; i < MANY; i++) {
    bench.thought(`r${i}`, 10 * i + 1);
    bench.call(i, 10 * i, 10 * i + 2);
  }
  let pieces = 1;
  for (let looks = 0; !bench.settle(() => ++looks % 10 === 0);) {
    assert.ok(bench.looked.length <= 10);
    pieces++;
  }
  assert.ok(pieces >= MANY / 5, `${pieces} pieces`);
  assert.equal(bench.joined, MANY);
});
