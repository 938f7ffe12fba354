import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SpanFacts } from '../model/facts.ts';
import { epochMs } from '../model/time.ts';
import { CorrelationState } from './correlation-state.ts';
import { Tracker } from './tracker.ts';

function facts(spanId: string, end: number, step: object, parentSpanId?: string): SpanFacts {
  const traceId = 'a'.repeat(32);
  const all = { kind: 'span', traceId, spanId, parentSpanId, name: 'step', start: epochMs(1), end, step };
  return all as unknown as SpanFacts;
}

test('[EL9] a call that is told again does not have all plumbing below it placed anew', () => {
  const unsettled = { touch: () => {}, showsOther: () => {} };
  const state = new CorrelationState({ tracker: new Tracker(), unsettled, inferEdges: false });
  let placed = 0;
  /** Whoever is placed is asked where another service shows it. */
  const plumbing = {
    wrapper: true,
    details: {},
    get retold() {
      placed++;
      return undefined;
    },
  } as const;
  state.addSpan(facts('call', 1, { details: {} }));
  for (let n = 0; n < 100; n++) state.addSpan(facts(`plumbing ${n}`, 1, plumbing, 'call'));
  placed = 0;
  for (let n = 0; n < 100; n++) assert.ok(state.addSpan(facts('call', 2 + n, { details: {} })));
  assert.equal(placed, 0);
  assert.ok(state.addSpan(facts('call', 200, { details: {}, wrapper: true })));
  assert.ok(placed >= 100, 'what is part of a call no more is placed');
});
