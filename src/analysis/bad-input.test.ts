import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeEngine } from '../../test/support/make-engine.ts';
import { batchOf } from '../../test/support/world.ts';
import { call, idOf, spanOf, tool, why, workflow, type Asked } from './asked.test-support.ts';

const STEPS = 500;
const TEXT_CHARS = 64 * 1024;
/** So much of all texts is read (AN17). */
const READ_CHARS = 500_000;
/**
 * Of passes over the words of so many characters: it takes two to five, 68 ms where 200 are asked for. Without its bounds
 * it takes minutes.
 */
const MAX_PASSES = 15;
const TRIES = 5;

function textsOf(n: number): string {
  const line = `Step ${n} found ${n * 7919} rows in Table${n} and sent them on to Berlin. `;
  return line.repeat(Math.ceil(TEXT_CHARS / line.length)).slice(0, TEXT_CHARS);
}

test('[AN17] a run of 500 steps with 64 KB of text each is explained within its bounds', async () => {
  const { engine } = makeEngine();
  const steps = Array.from({ length: STEPS }, (_, i) => {
    const asks = [{ id: `c${i}`, tool: 'query' }];
    const attrs =
      i % 2 === 0 ? call(`Agent${i % 6}`, textsOf(i), asks) : tool(`c${i - 1}`, 'query', textsOf(i));
    return { n: i + 2, parent: 1, at: i * 10, ms: 9, attrs };
  });
  const root = {
    n: 1,
    at: 0,
    ms: 10_000,
    failed: 'not accepted',
    attrs: workflow('How many?', 'FINAL ANSWER: 3951581'),
  };
  for (const step of [root, ...steps]) await engine.correlator.consume(batchOf([spanOf(step)]));
  const passes: number[] = [];
  for (let i = 0; i < TRIES; i++) {
    const pass = await cpuMsOf(() =>
      textsOf(i)
        .repeat(READ_CHARS / TEXT_CHARS + 1)
        .slice(0, READ_CHARS)
        .match(/\w+/g),
    );
    const asked = await cpuMsOf(async () => {
      const answer = await engine.reader.why({ nodeId: idOf(1) });
      assert.ok(answer.candidates.length > 0 && answer.candidates.length <= 5);
      assert.ok(answer.considered.cut > 0, 'what was not read is counted');
    });
    passes.push(asked / pass);
  }
  assert.ok(Math.min(...passes) <= MAX_PASSES, `${Math.min(...passes)} passes`);
});

/** Of processor time of this thread. */
async function cpuMsOf(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

test('[AN17] texts that are only markers are quoted as they are, and nothing in them is a figure', async () => {
  const [mail, secret] = ['[EMAIL:k3f5mzq2ab]', '[API_KEY:77aa23ffab]'];
  const answer = await why('task', [
    { n: 1, at: 0, ms: 100, failed: 'not accepted', attrs: workflow(mail, `FINAL ANSWER: ${secret}`) },
    { n: 2, parent: 1, at: 10, attrs: call('A', mail, [{ id: 'c1', tool: 'find' }]) },
    { n: 3, parent: 1, at: 30, attrs: tool('c1', 'find', secret) },
    { n: 4, parent: 1, at: 50, attrs: call('B', secret) },
  ]);
  assert.deepEqual(quotedElsewhere(answer), []);
  const values = answer.candidates.flatMap(({ reasons }) =>
    reasons.flatMap(({ evidence }) => evidence.values),
  );
  for (const { value } of values) assert.ok(!/^\d+$/.test(value), value);
});

test('[AN1] steps that wait for one another in a circle are explained like others', async () => {
  const waits = (...ns: number[]) => ({ depends_on: ns.map((n) => idOf(n)) });
  const answer = await why(4, [
    { n: 1, at: 0, ms: 100, attrs: waits(4) },
    { n: 2, parent: 1, at: 10, attrs: { ...call('A', 'I ask the others first.'), ...waits(3) } },
    { n: 3, parent: 1, at: 30, attrs: { ...call('B', 'I ask the others first, too.'), ...waits(2) } },
    { n: 4, parent: 1, at: 50, failed: 'deadlock', attrs: waits(2, 3, 4) },
  ]);
  assert.deepEqual(answer.outcome.failedNodes, [idOf(4)]);
  const shown = new Set(answer.graph.nodes.map(({ id }) => id));
  for (const { nodeId } of answer.candidates) assert.ok(shown.has(nodeId) && nodeId !== idOf(4));
  for (const { from, to } of answer.graph.edges) assert.ok(shown.has(from) && shown.has(to));
});

/** Quotes that are not what stands in their place. */
function quotedElsewhere(answer: Asked): readonly string[] {
  const quotes = answer.candidates.flatMap(({ reasons }) =>
    reasons.flatMap(({ evidence }) => evidence.quotes),
  );
  return quotes
    .filter(({ nodeId, field, start, end, text }) => answer.textOf(nodeId, field)?.slice(start, end) !== text)
    .map(({ text }) => text);
}
