import fc from 'fast-check';
import type { SafeRecord } from '../../src/model/pipeline.ts';
import { epochMs } from '../../src/model/time.ts';
import { makeSpan, safe } from './world.ts';

/** Many quick steps below a few, so that summaries are large: mostly a tree, some edges beside it, some failures. */
export const crowdArbitrary: fc.Arbitrary<SafeRecord[]> = fc
  .array(
    fc.record({
      below: fc.constantFrom(0, 0, 0, 1, 2, 3),
      ms: fc.constantFrom(1, 2, 2, 100),
      failed: fc.constantFrom(false, false, false, false, false, false, false, false, true),
      linkTo: fc.option(fc.nat({ max: 15 }), { nil: undefined, freq: 5 }),
      thinks: fc.boolean(),
    }),
    { maxLength: 16, size: 'max' },
  )
  .map((steps) =>
    steps.map(({ below, ms, failed, linkTo, thinks }, i) => {
      const start = epochMs(1_750_000_000_000 + i);
      const traceId = 'c'.repeat(32);
      const spanId = (n: number): string => (n + 10).toString(16).padStart(16, '0');
      const span = makeSpan({
        traceId,
        spanId: spanId(i),
        parentSpanId: i === 0 ? undefined : spanId(Math.min(below, i - 1)),
        start,
        end: epochMs(start + ms),
        status: failed ? 'ERROR' : 'UNSET',
        attrs: thinks ? { 'gen_ai.operation.name': 'chat' } : {},
        links: linkTo === undefined ? [] : [{ traceId, spanId: spanId(linkTo), attributes: new Map() }],
      });
      return safe(span);
    }),
  );
