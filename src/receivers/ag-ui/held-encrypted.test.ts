import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestReceiver } from './ag-ui-for-test.ts';
import { HeldEncrypted } from './held-encrypted.ts';

const AGENT = 'http://127.0.0.1:8000/agent';

function input(threadId = 'th'): Buffer {
  const toolCalls = [{ id: 'c-1', type: 'function' }];
  const messages = [
    { id: 'th-1', role: 'reasoning', content: 'x' },
    { id: 'm-1', role: 'assistant', toolCalls },
    { id: 'th-2', role: 'reasoning', encryptedValue: 'its own' },
  ];
  return Buffer.from(JSON.stringify({ threadId, runId: 'next', messages }));
}

async function held(): Promise<{ readonly values: HeldEncrypted; readonly to: TestReceiver }> {
  const values = new HeldEncrypted();
  const to = new TestReceiver(undefined, values);
  await to.post(
    [
      { type: 'RUN_STARTED', threadId: 'th', runId: 'r' },
      { type: 'REASONING_ENCRYPTED_VALUE', subtype: 'message', entityId: 'th-1', encryptedValue: 'old' },
      { type: 'REASONING_ENCRYPTED_VALUE', subtype: 'message', entityId: 'th-1', encryptedValue: 'one' },
      { type: 'REASONING_ENCRYPTED_VALUE', subtype: 'message', entityId: 'th-2', encryptedValue: 'never' },
      {
        type: 'MESSAGES_SNAPSHOT',
        messages: [{ id: 'm-1', role: 'assistant', toolCalls: [{ id: 'c-1', encryptedValue: 'two' }] }],
      },
    ],
    { heldFor: AGENT },
  );
  return { values, to };
}

test('[AG11] the messages of the next turn of the same agent and thread get what they lack, and nobody else', async () => {
  const { values } = await held();
  const { messages } = JSON.parse(values.fill(AGENT, input()).toString()) as { readonly messages: unknown };
  assert.deepEqual(messages, [
    { id: 'th-1', role: 'reasoning', content: 'x', encryptedValue: 'one' },
    { id: 'm-1', role: 'assistant', toolCalls: [{ id: 'c-1', type: 'function', encryptedValue: 'two' }] },
    { id: 'th-2', role: 'reasoning', encryptedValue: 'its own' },
  ]);
  for (const [agent, body] of [
    [AGENT, input('another')],
    ['http://127.0.0.1:8001/agent', input()],
    [AGENT, Buffer.from('{')],
    [AGENT, Buffer.from('[]')],
  ] as const)
    assert.equal(values.fill(agent, body), body);
});

test('[AG11] when a task is erased, its values are dropped', async () => {
  const { values, to } = await held();
  to.receiver.forget(new Set(['another']));
  assert.notDeepEqual(values.fill(AGENT, input()), input());
  to.receiver.forget(new Set(['r']));
  assert.deepEqual(values.fill(AGENT, input()), input());
});

test('[AG11] what is held is bounded: of one thread the newest values stay, of all the newest threads', async () => {
  const values = new HeldEncrypted();
  const to = new TestReceiver(undefined, values);
  const value = (id: string, encryptedValue: string) => ({
    type: 'REASONING_ENCRYPTED_VALUE',
    subtype: 'message',
    entityId: id,
    encryptedValue,
  });
  const isHeld = (threadId: string, id: string): boolean => {
    const body = Buffer.from(JSON.stringify({ threadId, messages: [{ id }] }));
    return values.fill(AGENT, body) !== body;
  };
  const many = Array.from({ length: 300 }, (_, i) => value(`m${i}`, 'x'));
  await to.post([{ type: 'RUN_STARTED', threadId: 'one', runId: 'r' }, ...many], { heldFor: AGENT });
  assert.deepEqual([isHeld('one', 'm43'), isHeld('one', 'm44'), isHeld('one', 'm299')], [false, true, true]);
  const large = 'y'.repeat(3_000_000);
  for (let i = 0; i < 8; i++)
    await to.post([{ type: 'RUN_STARTED', threadId: `t${i}`, runId: `r${i}` }, value('m', large)], {
      heldFor: AGENT,
    });
  assert.deepEqual([isHeld('one', 'm299'), isHeld('t0', 'm'), isHeld('t7', 'm')], [false, false, true]);
});
