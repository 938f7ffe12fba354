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
