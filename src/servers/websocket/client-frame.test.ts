import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseClientFrame } from './client-frame.ts';

function frameOf(value: unknown): unknown {
  const parsed = parseClientFrame(JSON.stringify(value));
  return 'frame' in parsed ? parsed.frame : parsed.error.code;
}

test('[SV60] each type is read with its own fields', () => {
  const request = { filters: { status: ['ERROR'] } };
  assert.deepEqual(frameOf({ type: 'subscribe', requestId: 'r', request }), {
    type: 'subscribe',
    request,
    requestId: 'r',
  });
  assert.deepEqual(frameOf({ type: 'subscribe' }), { type: 'subscribe', request: {} });
  assert.deepEqual(frameOf({ type: 'expand', subscriptionId: 's', nodeId: 'n' }), {
    type: 'expand',
    subscriptionId: 's',
    nodeId: 'n',
  });
  assert.deepEqual(frameOf({ type: 'prune', olderThanMinutes: 5 }), { type: 'prune', olderThanMinutes: 5 });
  assert.deepEqual(frameOf({ type: 'ping', requestId: 'p' }), { type: 'ping', requestId: 'p' });
});

test('[SV61] a frame without type that looks like a SubscriptionRequest subscribes', () => {
  for (const request of [{}, { filters: {} }, { subscriptionId: 's', resumeFrom: 3 }, { collapse: 'none' }]) {
    assert.deepEqual(frameOf(request), { type: 'subscribe', request });
  }
  assert.deepEqual(frameOf({ filters: {}, requestId: 'r' }), {
    type: 'subscribe',
    request: { filters: {} },
    requestId: 'r',
  });
  assert.equal(frameOf({ nodeId: 'n', subscriptionId: 's' }), 'INVALID_ARGUMENT');
});

test('[SV62] what is no frame is refused with what a frame is, never with the text', () => {
  for (const text of [
    '',
    'SECRET',
    '[]',
    'null',
    '3',
    '"SECRET"',
    '{"type":"SECRET"}',
    '{"type":3}',
    '{"requestId":3}',
  ]) {
    const parsed = parseClientFrame(text);
    assert.ok('error' in parsed, text);
    assert.equal(parsed.error.code, 'INVALID_ARGUMENT');
    assert.doesNotMatch(parsed.error.message, /SECRET/);
  }
  const parsed = parseClientFrame('{"type":"x","requestId":"mine"}');
  assert.ok('error' in parsed && parsed.requestId === 'mine', 'the error can name its request');
});

test('[SV62] property: no text makes it throw', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc.object().map((value) => JSON.stringify(value)),
      ),
      (text) => {
        const parsed = parseClientFrame(text);
        assert.ok('frame' in parsed || parsed.error.code === 'INVALID_ARGUMENT');
      },
    ),
    { numRuns: 2000 },
  );
});

test('[IN31] ids that a reader names are well-formed, as those of the graph are', () => {
  const request = { filters: { taskIds: ['T\ud800'] } };
  assert.deepEqual(frameOf({ type: 'subscribe', request }), {
    type: 'subscribe',
    request: { filters: { taskIds: ['T\ufffd'] } },
  });
});
