import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../base/clock.ts';
import { ClientError } from '../../client/client-error.ts';
import type { NodeDetail } from '../../model/reader-messages.ts';
import type { AskedCell, CellAnswers } from '../answers/asked-cell.ts';
import { NodeFinder } from './node-finder.ts';

type Details = Readonly<Record<string, unknown>>;

const SPAN = { correlation: 'pending', spanId: 's' };
const THOUGHT = { correlation: 'pending' };
const NAMING_SPAN = { ...THOUGHT, spanId: 's', namedSpanId: 's' };
const BOTH = { correlation: 'matched', spanId: 's' };

/** Cells with the details of the nodes that they have, and what they are asked for. */
function setup(cells: Readonly<Record<string, Readonly<Record<string, Details>>>>) {
  const clock = new ManualClock();
  const asked: string[] = [];
  const silent = new Set<string>();
  const away = new Set<string>();
  const of = ([name, nodes]: [string, Readonly<Record<string, Details>>]): AskedCell => {
    const getNode = async (id: string): Promise<NodeDetail> => {
      asked.push(`${name} ${id}`);
      if (silent.has(name) || silent.has(id)) return new Promise(() => {});
      const details = nodes[id];
      if (!details) throw new ClientError('NOT_FOUND', 'no node with this id is known');
      return { node: { id, details } as unknown as NodeDetail['node'] };
    };
    return { name, answers: { getNode } as unknown as CellAnswers, isAway: away.has(name) };
  };
  const finder = new NodeFinder({ clock, cells: () => Object.entries(cells).map(of) });
  const findFor = async (sender: string, ...ids: readonly string[]): Promise<object> => {
    const found = finder.find(new Set(ids), { id: sender, project: 'default' });
    await new Promise(setImmediate);
    clock.advance(2_000);
    return Object.fromEntries(await found);
  };
  const find = (...ids: readonly string[]): Promise<object> => findFor('key 1', ...ids);
  return { clock, asked, silent, away, find, findFor };
}

test('[RT15] cells are asked side by side which of them has a node: of a request that with its thought goes before that with its span', async () => {
  const { find, asked } = setup({
    a: { 'req:1': SPAN, 'req:2': SPAN, 'req:3': THOUGHT, 'req:5': SPAN, 'req:6': SPAN },
    b: { 'req:1': THOUGHT, 'req:2': BOTH, 'req:3': SPAN, 'req:6': NAMING_SPAN, 'event:e': {} },
  });
  assert.deepEqual(await find('req:1', 'req:2', 'req:3', 'req:4', 'req:5', 'req:6', 'event:e'), {
    'req:1': 'b',
    'req:2': 'b',
    'req:3': 'a',
    'req:5': 'a',
    'req:6': 'b',
    'event:e': 'b',
  });
  assert.equal(asked.length, 14);
});

test('[RT15] a cell that does not answer within two seconds is not asked for five, and one that is away not at all', async () => {
  const { find, asked, silent, away, clock } = setup({ a: { 'req:1': SPAN }, b: {}, c: { 'req:1': SPAN } });
  silent.add('a');
  away.add('b');
  assert.deepEqual(await find('req:1'), { 'req:1': 'c' });
  assert.deepEqual(asked.splice(0), ['a req:1', 'c req:1']);
  silent.clear();
  clock.advance(2_999);
  assert.deepEqual(await find('req:1'), { 'req:1': 'c' });
  assert.deepEqual(asked.splice(0), ['c req:1']);
  clock.advance(1);
  assert.deepEqual(await find('req:1'), { 'req:1': 'a' });
});

test('[RT15] a cell that has too much to answer in two seconds is asked again at once', async () => {
  const { find, silent } = setup({ a: { 'req:1': SPAN, 'req:2': SPAN } });
  silent.add('req:2');
  assert.deepEqual(await find('req:1', 'req:2'), { 'req:1': 'a' });
  silent.clear();
  assert.deepEqual(await find('req:2'), { 'req:2': 'a' });
});

test('[RT15] a thousand nodes are asked for at the same time for one sender, and two thousand in all', async () => {
  const { find, findFor, asked } = setup({ a: {} });
  const many = Array.from({ length: 700 }, (_, i) => `req:${i}`);
  await Promise.all([find(...many), find(...many)]);
  assert.equal(asked.splice(0).length, 1_000);
  await Promise.all([find(...many, ...many), find(...many), findFor('key 2', 'req:other')]);
  assert.ok(asked.splice(0).includes('a req:other'), 'others have their turn');
  await Promise.all(['key 1', 'key 2', 'key 3'].map((sender) => findFor(sender, ...many)));
  assert.equal(asked.splice(0).length, 2_000);
  await find('req:1');
  assert.equal(asked.length, 1);
});
