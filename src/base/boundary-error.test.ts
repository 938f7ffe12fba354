import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundaryError } from './boundary-error.ts';

test('[ST27] what a full disk keeps from being done may be asked for again, and nothing else that fails', () => {
  for (const code of ['ENOSPC', 'EDQUOT', 'EFBIG', 'EACCES'])
    assert.equal(
      BoundaryError.from(Object.assign(new Error('write failed'), { code })).code,
      code === 'EACCES' ? 'INTERNAL' : 'UNAVAILABLE',
    );
});
