import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reasonOf } from './failure-reason.ts';

test('[KA5] the most telling name in an error is told, and no text', () => {
  const inner = { code: 'PLT_KFK_PROTOCOL', apiId: 'UNKNOWN_TOPIC_OR_PARTITION', message: 'hunter2' };
  assert.equal(reasonOf({ code: 'PLT_KFK_MULTIPLE', errors: [inner] }), 'UNKNOWN_TOPIC_OR_PARTITION');
  assert.equal(reasonOf(Object.assign(new Error('x'), { code: 'PLT_KFK_AUTHENTICATION' })), 'AUTHENTICATION');
  assert.equal(reasonOf({ code: 'hunter2', cause: { code: 'ECONNRESET' } }), 'ECONNRESET');
  assert.equal(reasonOf(new Error('hunter2')), 'unknown');
  const circle: { cause?: unknown } = {};
  circle.cause = circle;
  assert.equal(reasonOf(circle), 'unknown');
});
