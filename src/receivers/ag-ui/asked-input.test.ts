import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestReceiver } from './ag-ui-for-test.ts';
import { tellAsked } from './asked-input.ts';

const STARTED = { type: 'RUN_STARTED', threadId: 't', runId: 'r' };
const FINISHED = { type: 'RUN_FINISHED', threadId: 't', runId: 'r' };
const ASKED = { threadId: 't', runId: 'r', messages: [{ id: 'u', role: 'user', content: 'What is it?' }] };

function promptsOf(to: TestReceiver): readonly unknown[] {
  return to.of('run').map(({ attributes }) => attributes.get('agui.prompt'));
}

test('[AG33] an input before RUN_STARTED says what the run is asked, unless the agent repeats its input', async () => {
  const to = new TestReceiver();
  const answer = await to.post([ASKED, STARTED, FINISHED]);
  assert.deepEqual(answer.body, { accepted: 3, rejected: 0, errors: [] });
  assert.deepEqual(promptsOf(to), ['What is it?']);
  const own = { ...STARTED, runId: 'q', input: { messages: [{ role: 'user', content: 'Its own' }] } };
  await to.post([ASKED, own]);
  assert.deepEqual(promptsOf(to), ['What is it?', 'Its own']);
  const kept = JSON.stringify(to.spans.map(({ attributes }) => attributes.get('agui.events')));
  assert.ok(!kept.includes('What is it?'), 'the events are those of the agent');
});

test('[AG33] an input without the beginning of a run after it is rejected by its place, and asks no other run', async () => {
  const to = new TestReceiver();
  const answer = await to.post([STARTED, ASKED, FINISHED]);
  assert.deepEqual(answer.body, {
    accepted: 2,
    rejected: 1,
    errors: [{ index: 1, message: 'the input of a run, and no RUN_STARTED comes after it in this body' }],
  });
  await to.post([{ ...STARTED, runId: 'next' }]);
  assert.deepEqual(promptsOf(to), [undefined, undefined]);
});

test('[AG33] what a client asks is put before the frame that begins its run, once and no more than is read of it', async () => {
  const messages = [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'With a picture' },
        { type: 'image', data: 'x'.repeat(99) },
      ],
    },
    { role: 'assistant', content: 'old', toolCalls: [] },
    { role: 'tool', toolCallId: 'c', content: 'a long result' },
  ];
  const withAsked = tellAsked(Buffer.from(JSON.stringify({ ...ASKED, messages, state: { a: 1 } })));
  const frames = (...events: readonly object[]): string =>
    events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  const told = ['\uFEFF: ping\n\n', `\uFEFF${frames(STARTED)}`, frames(FINISHED)].map((text) =>
    withAsked(Buffer.from(text)).toString(),
  );
  assert.deepEqual(told, [
    '\uFEFF: ping\n\n',
    frames(
      {
        runId: 'r',
        messages: [
          { role: 'user', content: 'With a picture' },
          { role: 'tool', toolCallId: 'c' },
        ],
      },
      STARTED,
    ),
    frames(FINISHED),
  ]);
  const to = new TestReceiver();
  await to.post(told.slice(1).join('') + frames({ type: 'TEXT_MESSAGE_START', messageId: 'm' }));
  assert.deepEqual(promptsOf(to), ['With a picture']);
  const read = to.of('note').flatMap(({ attributes }) => attributes.get('agui.answered') ?? []);
  assert.deepEqual(read, ['c']);
});

test('[AG33] nothing is put before the run of a client that asks nothing, or sends no input', () => {
  const frames = Buffer.from(`data: ${JSON.stringify(STARTED)}\n\n`);
  for (const input of [
    '',
    'no JSON',
    '[]',
    '{"messages":[]}',
    '{"runId":"r","messages":[]}',
    '{"runId":"r"}',
  ])
    assert.equal(tellAsked(Buffer.from(input))(frames), frames, input);
});
