import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AttributeValue } from '../model/attributes.ts';
import type { SafeSpan } from './convention.ts';
import { interpretSpan } from './interpret-span.ts';
import { spanOf, type SpanSketch } from './span-for-test.ts';

const OWN = 'b7ad6b7169203331';
const ROOT = '00000000-0000-0000-1111-111111111111';
const PARENT = '00000000-0000-0000-2222-222222222222';

function span(
  attributes: Record<string, AttributeValue>,
  parentSpanId?: string,
  sketch?: SpanSketch,
): SafeSpan {
  return { ...spanOf(attributes, sketch), parentSpanId };
}

for (const [prefix, ids, names] of [
  ['lmnr', [ROOT, PARENT, `00000000-0000-0000-b7ad-6b7169203331`], ['agent', 'step', 'call']],
  ['traceroot', ['1111111111111111', '2222222222222222', OWN], 'agent.step.call'],
  ['x', `["${ROOT}","2222222222222222"]`, undefined],
] as const) {
  test(`[CV24] ${prefix}.span.ids_path names the ancestors that are still open`, () => {
    const read = span({
      [`${prefix}.span.ids_path`]: ids,
      ...(names === undefined ? {} : { [`${prefix}.span.path`]: names }),
    });
    const { facts, implied } = interpretSpan(read);
    const common = {
      kind: 'span' as const,
      implied: true as const,
      traceId: read.traceId,
      start: read.start,
      step: { status: 'OK' as const, details: {} },
    };
    assert.deepEqual(implied, [
      { ...common, spanId: '1111111111111111', name: names === undefined ? 'open span' : 'agent' },
      {
        ...common,
        spanId: '2222222222222222',
        parentSpanId: '1111111111111111',
        name: names === undefined ? 'open span' : 'step',
      },
    ]);
    assert.equal(facts.spanId, OWN);
    assert.ok(facts.end !== undefined);
  });
}

test('[CV24] a path that is no path implies nothing', () => {
  for (const ids of [
    [],
    'x',
    7,
    [OWN],
    [ROOT, ROOT],
    [OWN, ROOT],
    Array.from({ length: 100 }, () => ROOT),
    [{ a: 1 }],
  ])
    assert.equal(interpretSpan(span({ 'lmnr.span.ids_path': ids })).implied, undefined, JSON.stringify(ids));
});

test('[CV24] a pending span of Logfire is the span that it announces, still open', () => {
  const pending = { 'logfire.span_type': 'pending_span', 'gen_ai.operation.name': 'chat' };
  const parent = '2222222222222222';
  const { facts } = interpretSpan(
    span({ ...pending, 'logfire.pending_parent_id': '1111111111111111' }, parent, { name: 'chat gpt-4o' }),
  );
  assert.equal(facts.spanId, parent);
  assert.equal(facts.parentSpanId, '1111111111111111');
  assert.equal(facts.name, 'chat gpt-4o');
  assert.equal(facts.step.type, 'LLM_CALL');
  assert.ok(!('end' in facts) && !('latencyMs' in facts.step));
  for (const none of [{}, { 'logfire.pending_parent_id': '0000000000000000' }])
    assert.ok(!('parentSpanId' in interpretSpan(span({ ...pending, ...none }, parent)).facts));
  const ended = interpretSpan(span({ 'logfire.span_type': 'span' }, parent)).facts;
  assert.equal(ended.spanId, OWN);
  assert.equal(ended.parentSpanId, parent);
});
