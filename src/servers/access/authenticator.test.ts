import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundaryError } from '../../base/boundary-error.ts';
import { createAuthenticator } from './authenticator.ts';

const guarded = createAuthenticator({ token: 'reader-token', adminToken: 'admin-token' });

function unauthenticated(error: unknown): boolean {
  return error instanceof BoundaryError && error.code === 'UNAUTHENTICATED' && !/token-x/.test(error.message);
}

test('[SV32] a token makes a reader, the admin token an admin', () => {
  assert.equal(guarded.authenticate({ authorization: 'Bearer reader-token' }), 'reader');
  assert.equal(guarded.authenticate({ authorization: 'bearer  admin-token ' }), 'admin');
  assert.equal(guarded.authenticate({ accessToken: 'reader-token' }), 'reader');
});

test('[SV32] no token, a wrong one and another scheme are refused', () => {
  for (const authorization of [
    undefined,
    '',
    'Bearer',
    'Bearer token-x',
    'Basic reader-token',
    'reader-token',
  ]) {
    assert.throws(() => guarded.authenticate({ authorization }), unauthenticated);
  }
  assert.throws(
    () => guarded.authenticate({ authorization: 'Bearer token-x', accessToken: 'reader-token' }),
    unauthenticated,
  );
});

test('[SV32] without authentication everybody reads and nobody is an admin', () => {
  assert.equal(createAuthenticator('none').authenticate({ authorization: 'Bearer admin-token' }), 'reader');
});

test('[SV32] without an admin token no token makes an admin', () => {
  const plain = createAuthenticator({ token: 't' });
  assert.equal(plain.authenticate({ accessToken: 't' }), 'reader');
  assert.throws(() => plain.authenticate({ accessToken: '' }), unauthenticated);
});
