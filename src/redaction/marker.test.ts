import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { isMarker, MarkerMaker } from './marker.ts';

test('[RD7] the tag is the start of HMAC-SHA256 over kind and canonical value, in base32', () => {
  const key = new Uint8Array(32).fill(8);
  const digest = createHmac('sha256', key).update('PHONE\x00442079460833').digest();
  const bits = Array.from(digest, (byte) => byte.toString(2).padStart(8, '0')).join('');
  const letters = 'abcdefghijklmnopqrstuvwxyz234567';
  const tag = Array.from({ length: 10 }, (_, i) => letters[parseInt(bits.slice(i * 5, i * 5 + 5), 2)]).join(
    '',
  );
  assert.equal(new MarkerMaker(key).make('PHONE', '+44 20 7946-0833'), `[PHONE:${tag}]`);
  assert.ok(isMarker(`[PHONE:${tag}]`));
  assert.ok(!isMarker(`[PHONE:${tag}] x`));
});
