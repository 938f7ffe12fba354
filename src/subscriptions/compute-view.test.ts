import assert from 'node:assert/strict';
import { test } from 'node:test';
import { epochMs } from '../model/time.ts';
import { makeEngine } from '../../test/support/make-engine.ts';
import { batchOf, makeSpan, safe } from '../../test/support/world.ts';

test('[SU2] every shown node before a hidden one is bridged to what follows it', async () => {
  const traceId = 'a'.repeat(32);
  const id = (n: number): string => String(n).repeat(16);
  const start = epochMs(1_750_000_000_000);
  const linkTo = (n: number) => [{ traceId, spanId: id(n), attributes: new Map() }];
  const hidden = { component: 'hidden' };
  const { engine } = makeEngine();
  await engine.correlator.consume(
    batchOf([
      safe(makeSpan({ spanId: id(1), start, attrs: { component: 'shown' } })),
      safe(makeSpan({ spanId: id(2), start, attrs: { component: 'shown' } })),
      safe(makeSpan({ spanId: id(3), start, parentSpanId: id(1), links: linkTo(2), attrs: hidden })),
      safe(makeSpan({ spanId: id(4), start, parentSpanId: id(5), attrs: { component: 'shown' } })),
      safe(makeSpan({ spanId: id(5), start, parentSpanId: id(3), links: linkTo(6), attrs: hidden })),
      safe(makeSpan({ spanId: id(6), start, attrs: { component: 'shown' } })),
    ]),
  );
  const { edges } = engine.reader.getGraph({ filters: { agentNames: ['shown'] }, collapse: 'none' });
  assert.deepEqual(
    edges.map((edge) => `${edge.from.slice(-1)}>${edge.to.slice(-1)} ${String(edge.bridged)}`),
    ['1>4 true', '2>4 true', '6>4 true'],
  );
});

test('[PR8] no edge leaves a summary, though its members led to what is shown', async () => {
  const traceId = 'a'.repeat(32);
  const id = (n: number): string => n.toString(16).padStart(16, '0');
  const start = epochMs(1_750_000_000_000);
  const { engine } = makeEngine({ maxNodesPerTask: 10 });
  // More that failed than is shown, each led to by the next one.
  const failed = Array.from({ length: 30 }, (_, n) => {
    const links = n === 29 ? [] : [{ traceId, spanId: id(n + 3), attributes: new Map() }];
    return makeSpan({ spanId: id(n + 2), start, parentSpanId: id(1), links, status: 'ERROR' });
  });
  await engine.correlator.consume(
    batchOf([makeSpan({ spanId: id(1), start }), ...failed].map((span) => safe(span))),
  );
  const { nodes, edges } = engine.reader.getGraph({});
  assert.ok(nodes.some(({ type }) => type === 'SUMMARY'));
  assert.deepEqual(
    edges.filter(({ from }) => from.startsWith('summary:')),
    [],
  );
  const shown = new Set(nodes.map((node) => node.id));
  assert.ok(edges.every(({ from, to }) => shown.has(from) && shown.has(to)));
  assert.ok(engine.graph.inEdges(`${traceId}:${id(4)}`).some(({ from }) => !shown.has(from)));
});
