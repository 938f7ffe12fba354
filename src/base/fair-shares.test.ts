import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../test/support/property-runs.ts';
import { FairShares, type Share } from './fair-shares.ts';

interface Holder {
  readonly share: Share;
  used: number;
  asked: number;
}

function join(shares: FairShares, used = 0): Holder {
  const holder: { used: number; asked: number; share?: Share } = { used, asked: 0 };
  holder.share = shares.join({
    used: () => holder.used,
    makeRoom: () => {
      holder.asked++;
      holder.used = Math.min(holder.used, holder.share?.limit ?? 0);
    },
  });
  return holder as Holder;
}

test('[AC43] who is alone may have all, and who joins at least an equal part', () => {
  const shares = new FairShares(100);
  const a = join(shares, 90);
  assert.equal(a.share.limit, 100);
  assert.equal(shares.forNext, 50);
  const b = join(shares);
  assert.deepEqual([a.share.limit, b.share.limit], [100, 50]);
  b.used = 30;
  b.share.grew();
  assert.deepEqual([a.used, a.asked, b.used, b.asked], [70, 1, 30, 0]);
  b.share.leave();
  assert.equal(a.share.limit, 100);
});

test('[AC43] whatever others do, who has no more than an equal part is not asked for room, and all together keep the bound', () => {
  const step = fc.record({ who: fc.nat(7), used: fc.nat(2000) });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), fc.array(step, { maxLength: 40 }), (count, steps) => {
      const shares = new FairShares(1000);
      const holders = Array.from({ length: count }, () => join(shares));
      for (const { who, used } of steps) {
        const holder = holders[who % count];
        assert.ok(holder);
        holder.used = used;
        const before = holders.map((one) => ({ used: one.used, asked: one.asked }));
        if (count === 1) continue;
        holder.share.grew();
        for (const [at, one] of holders.entries())
          if ((before[at]?.used ?? 0) <= 1000 / count) assert.equal(one.asked, before[at]?.asked);
        assert.ok(holders.reduce((sum, one) => sum + one.used, 0) <= 1000);
      }
    }),
    propertyRuns(),
  );
});
