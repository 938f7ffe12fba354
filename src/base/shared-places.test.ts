import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundaryError } from './boundary-error.ts';
import { SharedPlaces } from './shared-places.ts';

test('[AC38] who has most places makes room for who has less, by the last; who has as many is refused', () => {
  const places = new SharedPlaces({ most: 3, refusal: () => new BoundaryError('UNAVAILABLE', 'full') });
  const ended: string[] = [];
  const take = (who: string, name: string) => places.take(who, () => ended.push(name));
  const [free] = [take('a', 'a1'), take('a', 'a2'), take('a', 'a3')];
  assert.throws(() => take('a', 'a4'), { message: 'full' });
  take('b', 'b1');
  assert.deepEqual(ended, ['a3']);
  assert.throws(() => take('b', 'b2'), { message: 'full' });
  free?.();
  free?.();
  take('b', 'b2');
  assert.throws(() => take('a', 'a5'), { message: 'full' });
  take('c', 'c1');
  assert.deepEqual(ended, ['a3', 'b2']);
});
