import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitThinking } from './thinking.ts';

test('[CV13] think blocks: several, in both spellings, and one that was never closed', () => {
  assert.deepEqual(splitThinking('<think>a</think>x<thinking>b</thinking>y'), {
    completion: 'xy',
    reasoning: 'a\n\nb',
  });
  assert.deepEqual(splitThinking('x<think>a'), { completion: 'x', reasoning: 'a' });
  assert.deepEqual(splitThinking('no block', 'r'), { completion: 'no block', reasoning: 'r' });
});

test('[CV13] the thoughts of a ReAct transcript are reasoning, its actions and answer are not', () => {
  assert.deepEqual(
    splitThinking(
      'Thought: I need the tests.\nAll of them.\nAction: run\nAction Input: {}\nThought 2: good\nFinal Answer: done',
    ),
    {
      completion: 'Action: run\nAction Input: {}\nFinal Answer: done',
      reasoning: 'I need the tests.\nAll of them.\n\ngood',
    },
  );
  assert.deepEqual(splitThinking('Thought: I should lint. Action: eslint'), {
    completion: 'Action: eslint',
    reasoning: 'I should lint.',
  });
  assert.deepEqual(splitThinking('Thought: only this'), { completion: 'Thought: only this' });
  assert.deepEqual(splitThinking('A thought: no'), { completion: 'A thought: no', reasoning: undefined });
  const own = { completion: 'Thought: x\nAction: y', reasoning: 'r' };
  assert.deepEqual(splitThinking(own.completion, own.reasoning), own);
});
