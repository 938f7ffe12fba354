import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../test/support/property-runs.ts';
import { hadEnded, isAfter, timesOf, type Times } from './in-time.ts';
import { compareIso, epochMs, parseTime, toFineIso, toIso } from './time.ts';

const EPOCH_NS = 1_750_000_000_000_000_000n;
const NS_PER_MS = 1_000_000;

/** When something truly began and ended, in nanoseconds since `EPOCH_NS`. */
interface Truth {
  readonly start: number;
  readonly end: number;
}

const truth: fc.Arbitrary<Truth> = fc
  .tuple(fc.integer({ min: 0, max: 5_000_000 }), fc.integer({ min: 0, max: 5_000_000 }))
  .map(([start, took]) => ({ start, end: start + took }));

/** @param tickNs what the sender's clock cuts a start to; lengths it tells exactly */
function told({ start, end }: Truth, tickNs: number): Times {
  const cut = start - (start % tickNs);
  const ms = Number((EPOCH_NS + BigInt(cut)) / 1000n) / 1000;
  return timesOf({
    id: `n${start}`,
    timestamp: toFineIso(epochMs(ms)),
    agent: 'A',
    type: 'TOOL_CALL',
    name: 'pay',
    title: 'pay',
    taskId: 't',
    state: 'ENDED',
    status: 'OK',
    latencyMs: (end - start) / NS_PER_MS,
  });
}

test('[AN26] the start of a node is known in microseconds, and sorts by them', () => {
  const ms = 1_750_000_000_000;
  assert.equal(toFineIso(epochMs(ms)), '2025-06-15T15:06:40.000Z');
  assert.equal(toFineIso(epochMs(ms + 0.123)), '2025-06-15T15:06:40.000123Z');
  assert.equal(toFineIso(epochMs(ms + 0.9998)), '2025-06-15T15:06:40.001Z');
  assert.equal(parseTime('2025-06-15T17:06:40.0001234+02:00'), ms + 0.1234);
  fc.assert(
    fc.property(
      fc.integer({ min: -3_000_000, max: 3_000_000 }),
      fc.integer({ min: -3000, max: 3000 }),
      (a, apart) => {
        const [first, second] = [a, a + apart].map((us) => toFineIso(epochMs(ms + us / 1000)));
        assert.ok(first !== undefined && second !== undefined);
        assert.ok(Math.abs((parseTime(first) ?? NaN) - ms - a / 1000) < 0.0005);
        assert.equal(toFineIso(parseTime(first) ?? epochMs(NaN)), first);
        assert.equal(Math.sign(compareIso(first, second)), -Math.sign(apart) + 0);
      },
    ),
    propertyRuns(),
  );
});

test('[AN26] what began when a step had ended is after it, as exactly as their clocks tell', () => {
  const tick = fc.constantFrom(1, 1000, NS_PER_MS);
  fc.assert(
    fc.property(truth, truth, tick, tick, (a, b, tickA, tickB) => {
      const [one, other] = [told(a, tickA), told(b, tickB)];
      const cut = [one, other].filter(({ start }) => Number.isInteger(start)).length;
      if (isAfter(other, one)) assert.ok(b.start > a.end - cut * NS_PER_MS - 3000, 'they ran at once');
      if (b.start >= a.end) {
        assert.ok(hadEnded(one, other), 'it came later');
        assert.ok(isAfter(other, one) || other.start <= one.start);
      }
      assert.ok(!(isAfter(other, one) && isAfter(one, other)));
    }),
    propertyRuns(),
  );
});

test('[AN26] of two that began at one time, the order is not known', () => {
  const [one, other] = [told({ start: 5, end: 5 }, NS_PER_MS), told({ start: 9, end: 9 }, NS_PER_MS)];
  assert.ok(hadEnded(one, other) && hadEnded(other, one) && !isAfter(one, other) && !isAfter(other, one));
  assert.ok(!hadEnded(told({ start: 5, end: 5_000_000 }, NS_PER_MS), other), 'it ran when the other began');
  const exact = told({ start: 200_000, end: 600_000 }, 1);
  assert.ok(
    hadEnded(exact, other),
    'a clock that was cut to the same millisecond does not say that it began before',
  );
  assert.ok(!hadEnded(told({ start: 5, end: 1_200_000 }, NS_PER_MS), exact), 'an exact one does');
  assert.ok(!isAfter(told({ start: 3_000_000, end: 3_000_000 }, 1), { start: one.start }), 'it runs still');
});

test('[IN32] whatever a time is, its text can be read back and stands in the order of times', () => {
  const times = [-1e300, -1e15, -62_167_219_200_000, -1, 0, 1e12, 253_402_300_799_999, 1e15, 1e300].map(
    epochMs,
  );
  for (const toText of [toIso, toFineIso]) {
    const texts = times.map(toText);
    assert.deepEqual(texts.toSorted(), texts);
    for (const text of texts) assert.equal(toText(parseTime(text) ?? epochMs(NaN)), text);
  }
  for (const time of [-1e15, 1e15, NaN, Infinity]) assert.equal(parseTime(time), undefined);
});
