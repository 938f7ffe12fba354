import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConversation } from './conversation.ts';
import { readTranscript } from './transcript.ts';

test('[CV14] of a printed conversation the last turn of a user or a tool is the prompt', () => {
  const printed = 'System: Be brief.\nHuman: What is\nnew?\nAI: Let me look.\nTool: [\n  "a"\n]';
  assert.deepEqual(readTranscript(printed), {
    prompt: '[\n  "a"\n]',
    byUser: undefined,
    texts: ['[\n  "a"\n]'],
  });
  assert.equal(readTranscript(`${printed}\nAI: So.`)?.prompt, '[\n  "a"\n]');
  assert.deepEqual(readConversation('user: hi\nassistant: None'), {
    prompt: 'hi',
    byUser: true,
    texts: ['hi'],
  });
});

test('[CV14] a text that only mentions who speaks is no printed conversation', () => {
  for (const text of ['Ask the user: what?', 'assistant: so', 'System: x', 'user: '])
    assert.equal(readTranscript(text), undefined);
  assert.equal(readConversation('A plan\nuser: me').prompt, 'A plan\nuser: me');
});
