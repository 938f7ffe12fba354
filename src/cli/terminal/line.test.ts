import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { breakLine, fitLine, lineWidth, painter, paintLine, spreadLine, wantsColours } from './line.ts';
import type { Line } from './line.ts';
import { plainText } from './plain-text.ts';

const anyLine: fc.Arbitrary<Line> = fc.array(
  fc.record({ text: fc.string({ unit: fc.constantFrom('a', '日', ' ', 'e\u0301', '🚀') }).map(plainText) }),
  { maxLength: 5 },
);

test('[CLI21] a fitted line is exactly as wide as asked for', () => {
  fc.assert(
    fc.property(anyLine, anyLine, fc.integer({ min: 1, max: 30 }), (left, right, width) => {
      assert.equal(lineWidth(fitLine(left, width)), width);
      assert.equal(lineWidth(spreadLine(left, right, width)), width);
    }),
  );
});

test('[CLI21] a broken line keeps its text and fits', () => {
  fc.assert(
    fc.property(anyLine, fc.integer({ min: 8, max: 30 }), (line, width) => {
      const whole = line.map((span) => span.text).join('');
      const broken = breakLine(line, width);
      for (const one of broken) assert.ok(lineWidth(one) <= width);
      const text = broken.flatMap((one) => one.map((span) => span.text)).join('');
      assert.equal(text.replaceAll(/\s/g, ''), whole.replaceAll(/\s/g, ''));
    }),
  );
});

test('[CLI22] colours appear where the terminal shows them, and as FORCE_COLOR and NO_COLOR say', () => {
  assert.equal(wantsColours({}, true), true);
  assert.equal(wantsColours({}, false), false);
  assert.equal(wantsColours({ NO_COLOR: '1' }, true), false);
  assert.equal(wantsColours({ NO_COLOR: '' }, true), true);
  assert.equal(wantsColours({ TERM: 'dumb' }, true), false);
  assert.equal(wantsColours({ FORCE_COLOR: '1', NO_COLOR: '1' }, false), true);
  assert.equal(wantsColours({ FORCE_COLOR: '0' }, true), false);
  const line: Line = [{ text: 'a', style: 'red' }, { text: 'b' }];
  assert.equal(paintLine(line, painter(false)), 'ab');
  assert.equal(paintLine(line, painter(true)), '\u001b[31ma\u001b[39mb');
});
