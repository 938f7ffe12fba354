import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundaryError } from '../../base/boundary-error.ts';
import { TestReceiver } from './ag-ui-for-test.ts';

const STARTED = { type: 'RUN_STARTED', threadId: 't', runId: 'r' };
const FINISHED = { type: 'RUN_FINISHED', threadId: 't', runId: 'r' };

function said(id: string, ...deltas: readonly string[]): readonly object[] {
  return [
    { type: 'TEXT_MESSAGE_START', messageId: id, role: 'assistant' },
    ...deltas.map((delta) => ({ type: 'TEXT_MESSAGE_CONTENT', messageId: id, delta })),
    { type: 'TEXT_MESSAGE_END', messageId: id },
  ];
}

test('[AG1] good events are taken, bad ones are listed by index and field without their values', async () => {
  const to = new TestReceiver();
  const secret = 'hunter2';
  const answer = await to.post([
    STARTED,
    secret,
    { type: 5 },
    { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm' },
    { type: 'TOOL_CALL_START', toolCallId: 'c' },
    { type: 'TEXT_MESSAGE_START', messageId: { secret } },
    { type: 'TEXT_MESSAGE_START', messageId: 'm'.repeat(1001) },
    { type: 'NEVER_HEARD_OF', secret },
    FINISHED,
  ]);
  assert.deepEqual(answer, {
    status: 202,
    body: {
      accepted: 3,
      rejected: 6,
      errors: [
        { index: 1, message: 'not a JSON object' },
        { index: 2, message: 'type: required, the name of an event of AG-UI' },
        { index: 3, message: 'delta: required by TEXT_MESSAGE_CONTENT, a string' },
        { index: 4, message: 'toolCallName: required by TOOL_CALL_START' },
        { index: 5, message: 'messageId: must be a string' },
        { index: 6, message: 'messageId: longer than 1000 characters' },
      ],
    },
  });
  assert.equal((await to.post('')).status, 400);
});

test('[AG7] of a body that is refused nothing counts, and sent again it is taken', async () => {
  const [refused, taken] = [new TestReceiver(), new TestReceiver()];
  const bodies = [
    [STARTED, ...said('m', 'a', 'b')],
    [...said('n', 'c'), FINISHED],
  ];
  for (const body of bodies) {
    refused.consumer.refusal = new BoundaryError('UNAVAILABLE', 'draining');
    await assert.rejects(refused.post(body), { code: 'UNAVAILABLE' });
    refused.consumer.refusal = undefined;
    await refused.post(body);
    await taken.post(body);
  }
  assert.deepEqual(refused.spans, taken.spans);
  assert.deepEqual(refused.thoughts, taken.thoughts);
});

test('[AG6] what is encrypted is kept out whatever its shape, and so are patches of a part of it', async () => {
  const to = new TestReceiver();
  const secret = 'cipher-of-thoughts';
  await to.post([
    STARTED,
    { type: 'RAW', event: { encrypted_content: { a: secret }, encryptedValue: [secret, 1] } },
    {
      type: 'STATE_DELTA',
      delta: [
        { op: 'add', path: '/messages/0/encryptedValue', value: [secret] },
        { op: 'replace', path: '/messages/0/encryptedValue/0', value: secret },
        { op: 'remove', path: '/messages/0/encryptedValue' },
      ],
    },
    FINISHED,
  ]);
  const events = JSON.stringify(to.spans.map(({ attributes }) => [...attributes]));
  assert.ok(!events.includes(secret), events);
  assert.ok(events.includes('delta.1.value'), events);
});

test('[AG3] chunks are of the run that goes on, though another run used their ids', async () => {
  const chunk = (delta: string): object => ({ type: 'TEXT_MESSAGE_CHUNK', messageId: 'm', delta });
  const began = (runId: string): object => ({ type: 'RUN_STARTED', threadId: 't', runId });
  const ended = (runId: string): object => ({ type: 'RUN_FINISHED', threadId: 't', runId });
  for (const isOver of [true, false])
    for (const bodies of [
      [[began('b'), chunk('y'), ended('b')]],
      ...(isOver ? [[[began('b')], [chunk('y')], [ended('b')]]] : []),
    ]) {
      const to = new TestReceiver();
      await to.post([began('a'), chunk('x'), ...(isOver ? [ended('a')] : [])]);
      for (const body of bodies) await to.post(body);
      assert.deepEqual(
        to.thoughts.map(({ taskId, tokens }) => [taskId, tokens?.join('')]).filter(([, text]) => text !== ''),
        [
          ['a', 'x'],
          ['b', 'y'],
        ],
      );
    }
});
