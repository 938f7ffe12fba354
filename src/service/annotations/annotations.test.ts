import assert from 'node:assert/strict';
import { test } from 'node:test';
import { annotationsOf, MAX_ANNOTATIONS } from '../../model/annotation.ts';
import { AnnotationsBench, ANALYST, OPERATOR, stepId } from './annotations.test-support.ts';

test('[AT8] a step that is annotated, and what leads to it, is in sight; what comes after it is folded as before', async () => {
  const bench = new AnnotationsBench();
  await bench.steps(6);
  const shown = (): readonly string[] =>
    bench.engine.reader
      .getGraph({})
      .nodes.map(({ name }) => name)
      .sort();
  assert.equal(
    shown().some((name) => name === 'step 3'),
    false,
  );
  await bench.says({ kind: 'note', text: 'why this?' }, ANALYST, stepId(3));
  const names = shown();
  assert.deepEqual(
    names.filter((name) => name.startsWith('step')),
    ['step 1', 'step 2', 'step 3'],
  );
  assert.ok(names.includes('UserAnnotation'));
  assert.ok(bench.engine.reader.getGraph({}).nodes.some(({ type }) => type === 'SUMMARY'));
});

test('[AT9] so many annotations stand on a node and no more, until one is replaced or withdrawn', async () => {
  const bench = new AnnotationsBench();
  await bench.steps(1);
  const ids: string[] = [];
  for (let at = 0; at < MAX_ANNOTATIONS; at++) {
    ids.push((await bench.says({ kind: 'note', text: `note ${at}` })).id);
    bench.clock.advance(2_000);
  }
  await assert.rejects(bench.says({ kind: 'note', text: 'more' }), {
    code: 'RESOURCE_EXHAUSTED',
    message: /withdraw or replace one/,
  });
  const approval = { kind: 'approval', decision: 'approved' };
  await assert.rejects(bench.says(approval, OPERATOR), { code: 'RESOURCE_EXHAUSTED' });
  bench.clock.advance(60_000);
  await bench.says({ kind: 'note', text: 'instead', replaces: ids[0] });
  await bench.says({ kind: 'withdrawal', replaces: ids[1] });
  bench.clock.advance(1);
  await bench.says({ kind: 'note', text: 'more' });
  const texts = annotationsOf(bench.node(stepId(1))).map(({ text }) => text);
  assert.equal(texts.length, MAX_ANNOTATIONS);
  assert.deepEqual(texts.slice(-2), ['instead', 'more']);
});

test('[AT9] one asker annotates thirty times a minute', async () => {
  const bench = new AnnotationsBench();
  await bench.steps(1);
  for (let at = 0; at < 30; at++) await bench.says({ kind: 'note', text: 'x', id: `${at % 2}${at}` });
  await assert.rejects(bench.says({ kind: 'note', text: 'x' }), { code: 'RESOURCE_EXHAUSTED' });
  await bench.says({ kind: 'note', text: 'x' }, OPERATOR);
  await bench.says({ kind: 'note', text: 'x', id: '00' }, ANALYST);
  bench.clock.advance(2_000);
  await bench.says({ kind: 'note', text: 'x' });
});

test('[AT2] two that replace the same annotation at once: the first counts, and one of them stands', async () => {
  const bench = new AnnotationsBench();
  await bench.steps(1);
  const { id } = await bench.says({ kind: 'note', text: 'first' });
  const outcomes = await Promise.allSettled(
    ['a', 'b'].map((text) => bench.says({ kind: 'note', text, replaces: id })),
  );
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  );
  assert.deepEqual(
    annotationsOf(bench.node(stepId(1))).map(({ text }) => text),
    ['a'],
  );
});

test('[AT10] a node keeps its annotations while their events leave memory, and an event its mark when the node comes later', async () => {
  const bench = new AnnotationsBench();
  await bench.steps(2);
  const { nodeId } = await bench.says({ kind: 'note', text: 'stays' });
  const { correlator } = bench.engine;
  const facts = [...correlator.facts()];
  correlator.evict([nodeId]);
  correlator.abandon([stepId(1)]);
  await bench.steps(3);
  assert.equal(annotationsOf(bench.node(stepId(1))).length, 1);

  // The same facts in another order.
  const other = new AnnotationsBench();
  await other.engine.correlator.replay(facts.toReversed());
  assert.deepEqual(annotationsOf(other.node(stepId(1))), annotationsOf(bench.node(stepId(1))));
});

test('[AT10] what a redelivery says of another step stands there, and on the first one no more', async () => {
  const bench = new AnnotationsBench();
  await bench.steps(2);
  const { correlator } = bench.engine;
  const said = (nodeId: string) => ({
    kind: 'event' as const,
    eventId: `annotation:${'a'.repeat(32)}`,
    eventType: 'UserAnnotation',
    time: 1 as never,
    payload: { kind: 'note', text: 'x', nodeId, taskId: 'T1' },
  });
  const standing = (): readonly number[] =>
    [1, 2].map((step) => annotationsOf(bench.node(stepId(step))).length);
  await correlator.replay([said(stepId(2))]);
  assert.deepEqual(standing(), [0, 1]);
  // Of two contents of one id the lesser counts.
  await correlator.replay([said(stepId(1))]);
  assert.deepEqual(standing(), [1, 0]);
});

test('[AT11] only the service says who annotated: what senders call so is none', async () => {
  const bench = new AnnotationsBench();
  await bench.steps(1);
  const { correlator } = bench.engine;
  const forged = { kind: 'note', text: 'x', saidBy: 'the boss', nodeId: stepId(1), taskId: 'T1' };
  await correlator.replay([
    {
      kind: 'event',
      eventId: 'mine',
      eventType: 'UserAnnotation',
      time: 1 as never,
      payload: { ...forged, annotations: [{ id: 'x', kind: 'note', by: 'the boss' }] },
    },
  ]);
  assert.deepEqual(annotationsOf(bench.node(stepId(1))), []);
  assert.deepEqual(annotationsOf(bench.node('event:mine')), []);
});
