import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ManualClock } from '../base/clock.ts';
import { propertyRuns } from '../../test/support/property-runs.ts';
import type { KeyLimits } from './key-limits.ts';
import { Limits } from './limits.ts';
import type { Principal } from './principal.ts';

function key(id: string, limits?: KeyLimits): Principal {
  return { by: 'key', id, name: id, roles: ['sender'], project: 'default', ...(limits && { limits }) };
}

function made(defaults: KeyLimits = {}) {
  const clock = new ManualClock();
  const refused: string[] = [];
  const limits = new Limits({ clock, defaults, onRefused: (what) => refused.push(what) });
  return { clock, refused, limits };
}

const tooMuch = (message: RegExp, retryAfterMs: number) => ({
  code: 'RESOURCE_EXHAUSTED',
  message,
  retryAfterMs,
});

test('[AC30] a key makes so many requests a second, and is told when to come again', () => {
  const { clock, limits, refused } = made();
  const one = key('one', { requestsPerSecond: 4 });
  for (let n = 0; n < 4; n++) limits.admit(one);
  assert.throws(
    () => limits.admit(one),
    tooMuch(/^this key may send 4 requests a second: send again later$/, 250),
  );
  limits.admit(key('other', { requestsPerSecond: 4 }));
  clock.advance(249);
  assert.throws(() => limits.admit(one), tooMuch(/requests/, 1));
  clock.advance(1);
  limits.admit(one);
  assert.deepEqual(refused, ['requests', 'requests']);
});

test('[AC31] what is in a request counts when it was read: a large one is taken, and the next waits for its time', () => {
  const { clock, limits } = made();
  const one = key('one', { spansPerSecond: 100, bytesPerSecond: 1e6 });
  limits.admitMore(one);
  limits.spend(one, 'spans', 500);
  limits.spend(one, 'bytes', 1000);
  assert.throws(() => limits.admitMore(one), tooMuch(/100 spans a second/, 4000));
  limits.admit(one);
  clock.advance(4001);
  limits.admitMore(one);
});

test('[AC32] so many at once, and one that ended makes room, once', () => {
  const { limits, refused } = made({ subscriptions: 2 });
  const one = key('one');
  const [end] = [limits.hold(one, 'subscriptions'), limits.hold(one, 'subscriptions')];
  assert.throws(
    () => limits.hold(one, 'subscriptions'),
    tooMuch(/^this key may have 2 subscriptions at once/, 1000),
  );
  end();
  end();
  limits.hold(one, 'subscriptions');
  assert.throws(() => limits.hold(one, 'subscriptions'), tooMuch(/subscriptions/, 1000));
  limits.hold(one, 'connections');
  assert.deepEqual(refused, ['subscriptions', 'subscriptions']);
});

test('[AC33] a key has its own limits, else those of the settings; tokens of the settings have none', () => {
  const { limits } = made({ requestsPerSecond: 1 });
  const tries = (principal: Principal): number => {
    for (let n = 0; n < 10; n++) {
      try {
        limits.admit(principal);
      } catch {
        return n;
      }
    }
    return 10;
  };
  assert.equal(tries(key('usual')), 1);
  assert.equal(tries(key('own', { requestsPerSecond: 3 })), 3);
  assert.equal(tries({ ...key('token'), by: 'token' }), 10);
  assert.equal(tries({ ...key('nobody'), by: 'nobody' }), 10);
  assert.equal(tries({ ...key('person'), by: 'person' }), 1);
});

test('[AC16] callers of a gateway have limits each, and those that its key names together', () => {
  const { limits } = made({ subscriptions: 2, requestsPerSecond: 3 });
  const gateway: Principal = { ...key('g', { subscriptions: 3, requestsPerSecond: 5 }), roles: ['gateway'] };
  const [ann, ben] = ['g/ann', 'g/ben'].map((id): Principal => ({ ...key(id), via: gateway }));
  assert.ok(ann && ben);
  const ends = [limits.hold(ann, 'subscriptions'), limits.hold(ann, 'subscriptions')];
  assert.throws(
    () => limits.hold(ann, 'subscriptions'),
    tooMuch(/^this key may have 2 subscriptions at once/, 1000),
  );
  limits.hold(ben, 'subscriptions');
  const all = tooMuch(/^the key of this gateway may have 3 subscriptions at once/, 1000);
  assert.throws(() => limits.hold(ben, 'subscriptions'), all);
  ends[0]?.();
  limits.hold(ben, 'subscriptions');
  for (let n = 0; n < 3; n++) limits.admit(ann);
  assert.throws(() => limits.admit(ann), tooMuch(/^this key may send 3 requests a second/, 334));
  for (let n = 0; n < 2; n++) limits.admit(ben);
  assert.throws(
    () => limits.admit(ben),
    tooMuch(/^the key of this gateway may send 5 requests a second/, 200),
  );
});

test('[AC16] a gateway without limits of its own is not held by those of the settings', () => {
  const { limits } = made({ subscriptions: 1, requestsPerSecond: 1 });
  for (const via of [key('g'), { ...key('t'), by: 'token' } as const])
    for (let n = 0; n < 5_000; n++) {
      const caller = { ...key(`${via.id}/${n}`), via };
      limits.admit(caller);
      limits.hold(caller, 'subscriptions');
    }
});

test('[AC34] however requests come, never more are let through than the rate and one second of it', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.array(
        fc.record({ wait: fc.integer({ min: 0, max: 2000 }), tries: fc.integer({ min: 1, max: 60 }) }),
      ),
      (requestsPerSecond, steps) => {
        const { clock, limits } = made();
        const one = key('one', { requestsPerSecond });
        let through = 0;
        let elapsed = 0;
        for (const { wait, tries } of steps) {
          clock.advance(wait);
          elapsed += wait;
          for (let n = 0; n < tries; n++) {
            try {
              limits.admit(one);
              through++;
            } catch {}
          }
          assert.ok(through <= requestsPerSecond * (1 + elapsed / 1000) + 1e-6);
        }
        clock.advance(1000);
        limits.admit(one);
      },
    ),
    propertyRuns(),
  );
});

test('[AC34] so many are counted, and who came longest ago is forgotten first', () => {
  const { limits } = made({ requestsPerSecond: 1 });
  limits.admit(key('first'));
  for (let n = 0; n < 10_000; n++) limits.admit(key(`k${n}`));
  limits.admit(key('first'));
  assert.throws(() => limits.admit(key('k9999')), { code: 'RESOURCE_EXHAUSTED' });
});

test('[AC34] who holds something is not forgotten, however many come', () => {
  const { limits } = made({ subscriptions: 1 });
  const one = key('one');
  const end = limits.hold(one, 'subscriptions');
  for (let n = 0; n < 10_001; n++) limits.hold(key(`k${n}`), 'subscriptions')();
  assert.throws(() => limits.hold(one, 'subscriptions'), { code: 'RESOURCE_EXHAUSTED' });
  end();
  limits.hold(one, 'subscriptions');
});
