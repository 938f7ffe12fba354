import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ManualClock, systemClock } from '../../base/clock.ts';
import { Pace } from '../../base/pace.ts';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import { CellRing } from './cell-ring.ts';
import { splitEntries, type EntrySignal, type SharedEntries } from './split-entries.ts';
import { StreamHomes } from './stream-homes.ts';

const PACE = new Pace(systemClock);
const cells = (...names: readonly string[]) =>
  new CellRing(names.map((name) => ({ name, endpoint: `${name}:4317` })));
const THREE = cells('a', 'b', 'c');
const trace = (i: number): string => (i + 1).toString(16).padStart(2, '0').repeat(16);
const keyOf = (i: number): Buffer => Buffer.from(trace(i), 'hex');

function split(
  signal: EntrySignal,
  entries: unknown,
  { ring = THREE, homes = new StreamHomes(systemClock), routeBy = 'traceID' } = {},
): Promise<SharedEntries> {
  const body = Buffer.from(typeof entries === 'string' ? entries : JSON.stringify(entries));
  return splitEntries(signal, { body, contentType: 'application/json' }, { ring, homes, routeBy }, PACE);
}

async function cellOf(signal: EntrySignal, entry: object, options = {}): Promise<string> {
  const { parts } = await split(signal, [entry], options);
  assert.equal(parts.length, 1);
  return parts[0]?.cell ?? '';
}

const thought = (requestId: string, fields: object = {}): object => ({
  requestId,
  timestamp: 1,
  text: 'x',
  ...fields,
});
const event = (payload: object, fields: object = {}): object => ({
  eventType: 'PlanUpdated',
  timestamp: 1,
  payload,
  ...fields,
});

test('[RT6] whole streams go to one cell, whatever comes between, while cells come and go', async () => {
  const entry = fc.record({
    request: fc.nat(6),
    trace: fc.option(fc.nat(3)),
    final: fc.boolean(),
    isBad: fc.boolean(),
  });
  const step = fc.record({
    entries: fc.array(entry, { minLength: 1, maxLength: 12 }),
    more: fc.subarray(['d', 'e', 'f']),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
      const homes = new StreamHomes(systemClock);
      const homeOf = new Map<string, string>();
      for (const { entries, more } of steps) {
        const given = entries.map(({ request, trace: i, final, isBad }, at) => ({
          ...thought(isBad ? '' : `r${request}`, { final, at }),
          ...(i !== null && { traceId: trace(i) }),
        }));
        const ring = cells('a', 'b', 'c', ...more, ...(homeOf.size > 0 ? homeOf.values() : []));
        const { parts } = await split('cot', given, { ring, homes });
        const seen: unknown[] = [];
        for (const { cell, body, indexes } of parts) {
          const own = JSON.parse(body.toString()) as readonly { requestId: string; at: number }[];
          for (const [i, item] of own.entries()) {
            seen[indexes?.[i] ?? i] = item;
            if (item.requestId === '') continue;
            assert.equal(homeOf.get(item.requestId) ?? cell, cell, item.requestId);
            homeOf.set(item.requestId, cell);
          }
        }
        assert.deepEqual(seen, given, 'each entry once, in its place');
        const again = await split('cot', given, { ring: cells('x', ...ring.names), homes });
        const thoughtsOf = (shared: SharedEntries) =>
          shared.parts.filter(({ body }) => /"r\d"/.test(body.toString()));
        assert.deepEqual(thoughtsOf(again), thoughtsOf({ parts, unreadable: [] }), 'again: the same bytes');
      }
    }),
    propertyRuns(),
  );
});

test('[RT6] a thought goes by its trace, named by whichever entry of the body, else by its request', async () => {
  for (let i = 0; i < 12; i++) {
    assert.equal(await cellOf('cot', thought(`r${i}`)), THREE.of(`r${i}`));
    assert.equal(await cellOf('cot', thought('r', { traceId: trace(i) })), THREE.of(keyOf(i)));
    const { parts } = await split('cot', [thought(`r${i}`), thought(`r${i}`, { traceId: trace(i) })]);
    assert.deepEqual(
      parts.map(({ cell }) => cell),
      [THREE.of(keyOf(i))],
    );
  }
});

test('[RT6] a thought whose cell is none any more is continued nowhere else: UNAVAILABLE, until it is forgotten', async () => {
  const clock = new ManualClock();
  const homes = new StreamHomes(clock);
  const ring = cells('gone');
  assert.equal(await cellOf('cot', thought('r'), { ring, homes }), 'gone');
  const refused = split('cot', [thought('r')], { homes });
  await assert.rejects(refused, { code: 'UNAVAILABLE', retryAfterMs: 5_000 });
  assert.equal(await cellOf('cot', thought('r', { final: true }), { ring, homes }), 'gone', 'it is back');
  await assert.rejects(split('cot', [thought('r')], { homes }), { code: 'UNAVAILABLE' });
  clock.advance(10 * 60_000 - 1);
  await assert.rejects(split('cot', [thought('r')], { homes }), { code: 'UNAVAILABLE' });
  clock.advance(1);
  assert.equal(await cellOf('cot', thought('r'), { homes }), THREE.of('r'));
});

test('[RT6] a thought that is silent is remembered for an hour; one without a cell waits ten minutes', async () => {
  const clock = new ManualClock();
  const homes = new StreamHomes(clock);
  const trace0 = THREE.of(keyOf(0));
  await split('cot', [thought('r', { traceId: trace(0) })], { homes });
  clock.advance(60 * 60_000 - 1);
  assert.equal(homes.known('r'), trace0);
  assert.equal(await cellOf('cot', thought('r'), { homes }), trace0);
  const without = cells(...THREE.names.filter((name) => name !== trace0));
  clock.advance(10 * 60_000 - 1);
  await assert.rejects(split('cot', [thought('r')], { homes, ring: without }), { code: 'UNAVAILABLE' });
  clock.advance(1);
  assert.equal(await cellOf('cot', thought('r'), { homes, ring: without }), without.of('r'));
  clock.advance(60 * 60_000);
  assert.equal(homes.known('r'), undefined);
});

test('[RT6] the streams that are remembered are so many; the one touched longest ago goes first', () => {
  const homes = new StreamHomes(systemClock, 3);
  for (const request of ['a', 'b', 'c', 'a', 'd']) homes.cellOf(request, 'a', false, THREE);
  assert.equal(homes.size, 3);
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((request) => homes.known(request) !== undefined),
    [true, false, true, true],
  );
});

test('[RT7] an event goes to the trace, the thought or the task that it points at', async () => {
  for (let i = 0; i < 12; i++) {
    const byTrace = THREE.of(keyOf(i));
    assert.equal(await cellOf('event', event({ traceId: trace(i) })), byTrace);
    assert.equal(
      await cellOf('event', event({ nodeId: `${trace(i)}:0123456789abcdef`, requestId: 'r' })),
      byTrace,
    );
    const homes = new StreamHomes(systemClock);
    await split('cot', [thought('r', { traceId: trace(i) })], { homes });
    assert.equal(await cellOf('event', event({ requestId: 'r' }), { homes }), byTrace);
    assert.equal(await cellOf('event', event({ nodeId: 'req:r' }), { homes }), byTrace);
    assert.equal(await cellOf('event', event({ requestId: `r${i}` })), THREE.of(`r${i}`));
    assert.equal(await cellOf('event', event({ taskId: `t${i}` })), THREE.of(`t${i}`));
    assert.equal(await cellOf('event', event({}, { component: `c${i}` })), THREE.of(`c${i}`));
  }
});

test('[RT7] by an attribute: by the field of that name of the entry, or of its payload', async () => {
  const routeBy = 'session.id';
  for (let i = 0; i < 8; i++) {
    const cell = THREE.of(`session.id=s${i}|`);
    assert.equal(
      await cellOf('cot', thought('r', { 'session.id': `s${i}`, traceId: trace(0) }), { routeBy }),
      cell,
    );
    assert.equal(await cellOf('event', event({ 'session.id': `s${i}` }), { routeBy }), cell);
  }
});

test('[RT7] lines that are no JSON are told by their place, and a body that is none goes as it is to one cell', async () => {
  const lines = [0, 1, 2, 3, 4, 5].map((i) => JSON.stringify(thought(`r${i}`)));
  const { parts, unreadable } = await split('cot', ['{', ...lines, 'no'].join('\n'));
  assert.ok(parts.length > 1);
  assert.deepEqual(unreadable, [0, 7]);
  assert.deepEqual(parts.flatMap(({ indexes }) => indexes).sort(), [1, 2, 3, 4, 5, 6]);
  for (const body of ['no', '', '[]', '7']) {
    const shared = await split('cot', body);
    assert.deepEqual(
      shared.parts.map((part) => [part.body.toString(), part.indexes]),
      [[body, undefined]],
    );
  }
});
