import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reachOf } from './reach.ts';

test('[RD4] how far a pattern looks follows from it', () => {
  const reaches: readonly (readonly [RegExp, number])[] = [
    [/abc/, 3],
    [/a|bcd|ef/, 3],
    [/[^\]]{2,5}x?/, 6],
    [/(?:ab){3}(?<v>c{0,4})/, 10],
    [/a(?=bcd)/, 4],
    [/(?<=abc)d\b$/, 1],
    [/\x41\u0042\//, 3],
    [/(["'])a{1,2}\1/, 67],
    [/(?<q>")a\k<q>/, 66],
    [/\p{L}{3}/u, 6],
    [/a*/, Infinity],
    [/(?:a{2,})b/, Infinity],
    [/a+?b/, Infinity],
  ];
  for (const [pattern, reach] of reaches) assert.equal(reachOf(pattern), reach, String(pattern));
});
