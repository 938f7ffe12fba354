import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newcombe, wilson } from './intervals.ts';

const near = (found: readonly number[], wanted: readonly number[]): void =>
  found.forEach((value, i) =>
    assert.ok(Math.abs(value - (wanted[i] ?? NaN)) < 1e-4, `${found.join()} is ${wanted.join()}`),
  );

test("[AD9] Wilson's interval is that of Newcombe's examples (1998, two-sided, method 3)", () => {
  near(wilson(81, 263), [0.2553, 0.3662]);
  near(wilson(15, 148), [0.0624, 0.1605]);
  near(wilson(0, 20), [0, 0.1611]);
  near(wilson(1, 29), [0.0061, 0.1718]);
  assert.deepEqual([wilson(0, 1)[0], wilson(7, 7)[1]], [0, 1]);
});

test("[AD9] the interval of a difference is that of Newcombe's examples (1998, method 10)", () => {
  near(newcombe(56, 70, 48, 80), [0.0524, 0.3339]);
  near(newcombe(9, 10, 3, 10), [0.1705, 0.809]);
  near(newcombe(6, 7, 2, 7), [0.0582, 0.8062]);
  near(newcombe(5, 56, 0, 29), [-0.0381, 0.1926]);
  near(newcombe(10, 10, 0, 10), [0.6075, 1]);
});
