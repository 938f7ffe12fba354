import assert from 'node:assert/strict';
import { test } from 'node:test';
import { causesFirstAtOnce } from './cause-order.ts';

/** @param times by id, in the order that is given @param edges `from>to` */
function ordered(times: Readonly<Record<string, number>>, ...edges: readonly string[]): string {
  const causes = new Map<string, string[]>();
  for (const edge of edges) {
    const [from = '', to = ''] = edge.split('>');
    causes.set(to, [...(causes.get(to) ?? []), from]);
  }
  const items = Object.entries(times).map(([id, at]) => ({ node: { id }, at }));
  return causesFirstAtOnce(
    items,
    (a, b) => a.at === b.at,
    (id) => causes.get(id) ?? [],
  )
    .map(({ node }) => node.id)
    .join('');
}

test('[UI12] of what happened at one time, causes come first, and all else stays', () => {
  assert.equal(ordered({ a: 1, b: 1, c: 1 }, 'c>b', 'b>a'), 'cba');
  assert.equal(ordered({ a: 1, b: 1, c: 1, d: 1 }, 'd>b'), 'adbc');
  assert.equal(ordered({ a: 1, b: 2, c: 2 }, 'c>a', 'c>b'), 'acb', 'times go before causes');
  assert.equal(ordered({}), '');
});

test('[UI12] causes that go round, or lead from a step to itself, lose no step', () => {
  assert.equal(ordered({ a: 1, b: 1, c: 1 }, 'a>b', 'b>c', 'c>a'), 'bca');
  assert.equal(ordered({ a: 1, b: 1 }, 'a>a', 'b>a', 'x>b'), 'ba');
});

test('[UI12] a chain of any length is put in order', () => {
  const count = 100_000;
  const items = Array.from({ length: count }, (_, n) => ({ node: { id: String(n) } }));
  const inOrder = causesFirstAtOnce(
    items,
    () => true,
    (id) => (Number(id) + 1 < count ? [String(Number(id) + 1)] : []),
  );
  assert.ok(inOrder.every((item, n) => item === items[count - 1 - n]));
  assert.equal(inOrder.length, count);
});
