import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SafeRecord } from '../model/pipeline.ts';
import { epochMs } from '../model/time.ts';
import { makeEngine } from '../../test/support/make-engine.ts';
import { batchOf, makeSpan, safe } from '../../test/support/world.ts';

const SENTENCE = 'the parser drops the last token of a line';

const says = (role: string, ...texts: readonly string[]): string =>
  JSON.stringify(
    (texts.length > 0 ? texts : [SENTENCE]).map((content) => ({ role, parts: [{ type: 'text', content }] })),
  );

/** Calls one after the other, a second each. */
function call(n: number, attrs: { [key: string]: string }): SafeRecord {
  const start = epochMs(1_750_000_000_000 + 1000 * n);
  return safe(
    makeSpan({
      spanId: String(n).padStart(16, '0'),
      start,
      end: epochMs(start + 500),
      attrs: { 'gen_ai.operation.name': 'chat', ...attrs },
    }),
  );
}

const first = call(1, { 'gen_ai.output.messages': says('assistant') });
const second = call(2, { 'gen_ai.output.messages': says('assistant') });
const reader = call(3, { 'gen_ai.input.messages': says('user') });

/** Of two that said the same, in ms after a start, one had ended when it is read, as exactly as clocks tell. */
function twoSaid(reads: number): SafeRecord[] {
  const within = (n: number, at: number, ms: number, attrs: { [key: string]: string }): SafeRecord => {
    const start = epochMs(1_750_000_000_000 + at);
    const end = epochMs(start + ms);
    return safe(
      makeSpan({
        spanId: String(n).padStart(16, '0'),
        start,
        end,
        attrs: { 'gen_ai.operation.name': 'chat', ...attrs },
      }),
    );
  };
  return [
    within(1, 0.2, 0.5, { 'gen_ai.output.messages': says('assistant') }),
    within(2, 0.4, 2.1, { 'gen_ai.output.messages': says('assistant') }),
    within(3, reads, 5, { 'gen_ai.input.messages': says('user') }),
  ];
}

/** From and to of the edges by content, when these come one by one. */
async function contentEdges(records: readonly SafeRecord[]): Promise<string[]> {
  const { engine } = makeEngine();
  for (const record of records) await engine.correlator.consume(batchOf([record]));
  const { edges } = engine.reader.getGraph({ collapse: 'none' });
  return edges
    .filter(({ evidence }) => evidence === 'content')
    .map(({ from, to }) => `${Number(from.slice(-16))} ${Number(to.slice(-16))}`);
}

test('[CO32] of several that said what is read, the last one before leads to who reads it, in any order', async () => {
  for (const order of [
    [first, second, reader],
    [reader, second, first],
    [second, first, reader],
  ])
    assert.deepEqual(await contentEdges(order), ['2 3']);
});

test('[CO32] [AN26] what had not ended when a call began led to nothing in it, as exactly as clocks tell', async () => {
  assert.deepEqual(await contentEdges(twoSaid(1.5)), ['1 3']);
  assert.deepEqual(await contentEdges(twoSaid(2)), ['2 3'], 'its clock was cut');
  assert.deepEqual(await contentEdges(twoSaid(0)), ['1 3'], 'so that it began no sooner');
});

test('[CO32] each text that is read leads to who reads it, also when it is said late', async () => {
  const other = 'the printer adds a blank to the end of a page';
  const both = call(3, { 'gen_ai.input.messages': says('user', SENTENCE, other) });
  const last = call(2, { 'gen_ai.output.messages': says('assistant', other) });
  const before = call(0, {});
  for (const order of [
    [before, first, last, both],
    [before, both, last, first],
    [before, both, first, last],
  ])
    assert.deepEqual((await contentEdges(order)).toSorted(), ['1 3', '2 3']);
});

test('[CO32] what more than 32 steps say leads nowhere, also when the last of them comes late', async () => {
  const sayers = Array.from({ length: 33 }, (_, n) =>
    call(n, { 'gen_ai.output.messages': says('assistant') }),
  );
  const asked = call(40, { 'gen_ai.input.messages': says('user') });
  assert.deepEqual(await contentEdges([asked, ...sayers.slice(1)]), ['32 40']);
  assert.deepEqual(await contentEdges([asked, ...sayers]), []);
  assert.deepEqual(await contentEdges([...sayers, asked]), []);
});

test('[CO32] a call leads to the tool that it asked for in the same words, also when it is told late', async () => {
  const before = call(0, {});
  const args = { path: 'src/parser.ts', line: 12 };
  const asks = JSON.stringify([
    { role: 'assistant', parts: [{ type: 'tool_call', name: 'read_file', arguments: args }] },
  ]);
  const asker = call(1, { 'gen_ai.output.messages': asks });
  const run = call(2, {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'read_file',
    'gen_ai.tool.call.arguments': JSON.stringify(args),
  });
  for (const order of [
    [before, asker, run],
    [before, run, asker],
  ])
    assert.deepEqual(await contentEdges(order), ['1 2']);
});
