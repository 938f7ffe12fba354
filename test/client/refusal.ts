import assert from 'node:assert/strict';
import { ClientError, type ClientCode } from '../../src/client/client-error.ts';

/** For assert.rejects and assert.throws. */
export function refusal(code: ClientCode, message = /./): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof ClientError, String(error));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, message);
    assert.doesNotMatch(error.message, /SECRETVALUE/);
    return true;
  };
}
