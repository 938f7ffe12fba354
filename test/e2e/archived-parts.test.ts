import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { applyUpdate } from '../../src/model/apply-update.ts';
import type { ExplanationGraph } from '../../src/model/node.ts';
import type { ServerFrame } from '../../src/model/reader-messages.ts';
import { until } from '../support/until.ts';
import { postOtlp } from './otlp-senders.ts';
import { RealService } from './real-service.ts';

/** Errors, which are never folded, of one task. */
async function send(service: RealService, task: string, count: number): Promise<void> {
  const traceId = Buffer.from(task.padEnd(16)).toString('hex');
  const spans = Array.from({ length: count }, (_, i) => ({
    traceId,
    spanId: (i + 1).toString(16).padStart(16, '0'),
    name: `step ${i}`,
    startTimeUnixNano: String(1_750_000_000_000_000_000n + BigInt(i)),
    endTimeUnixNano: String(1_750_000_000_000_000_000n + BigInt(i + 1)),
    status: { code: 2 },
    attributes: [{ key: 'taskID', value: { stringValue: task } }],
  }));
  const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
  assert.equal((await postOtlp(service, '/v1/traces', body)).status, 200);
}

async function prune(service: RealService): Promise<void> {
  const body = JSON.stringify({ olderThanMinutes: 0 });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${service.readers}/api/prune`, { method: 'POST', headers, body });
  assert.equal(answer.status, 200);
}

/** What a client without a library is sent. */
class RawReader {
  readonly frames: ServerFrame[] = [];
  private readonly socket: WebSocket;

  constructor(t: TestContext, service: RealService, request: object) {
    this.socket = new WebSocket(`${service.readers.replace('http', 'ws')}/explain`);
    this.socket.onopen = () => this.ask({ type: 'subscribe', request });
    this.socket.onmessage = ({ data }) => this.frames.push(JSON.parse(String(data)) as ServerFrame);
    t.after(() => this.socket.close());
  }

  ask(request: object): void {
    this.socket.send(JSON.stringify(request));
  }

  /** The number of nodes after each frame with a part of a graph, and how that calls itself. */
  get parts(): readonly (readonly [nodes: number, place: 'partial' | 'complete' | 'whole'])[] {
    let graph: ExplanationGraph | undefined;
    return this.frames.flatMap((frame) => {
      if (frame.type === 'subscribed') graph = frame.graph;
      else if (frame.type === 'update' && graph) graph = applyUpdate(graph, frame.update);
      else return [];
      const isComplete = frame.type === 'update' && frame.complete === true;
      return [
        [graph.nodes.length, frame.partial === true ? 'partial' : isComplete ? 'complete' : 'whole'] as const,
      ];
    });
  }

  /** Waits until it is told that it has all, and looks whether it has. @param before parts that it had been sent before */
  async assertAll(nodes: number, before = 0): Promise<void> {
    await until('it is said that all is there', () => this.parts.some(([, place]) => place === 'complete'));
    const parts = this.parts.slice(before);
    assert.deepEqual(parts.at(-1), [nodes, 'complete']);
    for (const [, place] of parts.slice(0, -1)) assert.equal(place, 'partial');
  }
}

test('[SU24] a graph with archived nodes is partial until they are all there', async (t) => {
  const service = await RealService.of(t);
  await send(service, 'left', 700);
  await prune(service);
  await send(service, 'here', 600);
  // Of each task 250 nodes, and what says that there are more.
  const collapsed = new RawReader(t, service, { include: ['archived'] });
  await collapsed.assertAll(502);
  const whole = new RawReader(t, service, { collapse: 'none' });
  await whole.assertAll(1300);
});

test('[SU24] a task that is opened and left memory is partial until it is all there', async (t) => {
  const service = await RealService.of(t);
  await send(service, 'left', 700);
  await prune(service);
  const reader = new RawReader(t, service, {});
  await until('nothing is left in memory', () => reader.parts.at(-1)?.[0] === 0);
  const [subscribed] = reader.frames;
  const before = reader.parts.length;
  assert.ok(subscribed?.type === 'subscribed');
  reader.ask({ type: 'expandTask', subscriptionId: subscribed.subscriptionId, taskId: 'left' });
  await reader.assertAll(700, before);
});

test('[SU24] who asks for archived nodes is told that it has all where there are none', async (t) => {
  const service = await RealService.of(t);
  await send(service, 'here', 3);
  const reader = new RawReader(t, service, { include: ['archived'] });
  await until('it is said that all is there', () => reader.parts.some(([, place]) => place !== 'partial'));
  assert.equal(reader.parts.at(-1)?.[0], 3);
});
