import { test } from 'node:test';
import fc from 'fast-check';

test('what is random', (t) => {
  const cases: number[] = [];
  fc.assert(fc.property(fc.nat(), (n) => void cases.push(n)));
  t.diagnostic(`random: ${cases.join(' ')} ${Math.random()}`);
});
