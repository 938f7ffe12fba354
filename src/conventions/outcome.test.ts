import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outcomeOf } from './outcome.ts';

const USER = { role: 'user', content: 'Rain in Oslo?' };
const TOOL = { role: 'tool', tool_call_id: 'c1', content: '12 degrees' };
const ANSWER = { role: 'assistant', content: 'Take an umbrella.' };

function serialised(name: string, kwargs: Record<string, unknown>): unknown {
  return { lc: 1, type: 'constructor', id: ['langchain_core', 'messages', name], kwargs };
}

const ASKING = serialised('AIMessage', {
  content: '',
  tool_calls: [{ id: 'c1', name: 'get_weather', args: { city: 'Oslo' }, type: 'tool_call' }],
});

const OUTCOMES: readonly [string, unknown, string | undefined][] = [
  ['a message', ANSWER, 'Take an umbrella.'],
  ['messages', [USER, TOOL, ANSWER], 'Take an umbrella.'],
  ['a state with messages', { messages: [USER, ANSWER], remaining: 3 }, 'Take an umbrella.'],
  ['outputs with a state', { outputs: { messages: [USER, ANSWER] } }, 'Take an umbrella.'],
  ['a state that ends with what a tool gave', { messages: [USER, ANSWER, TOOL] }, '12 degrees'],
  ['a state in which the user spoke last', { messages: [ANSWER, USER] }, 'Take an umbrella.'],
  ['what the user said alone', { messages: [USER] }, undefined],
  ['an answer without text', { role: 'assistant', content: '' }, undefined],
  [
    'messages of LangChain',
    { messages: [serialised('HumanMessage', { content: 'Rain?' }), serialised('AIMessageChunk', ANSWER)] },
    'Take an umbrella.',
  ],
  ['a call of a tool', { messages: [ASKING] }, 'get_weather({"city":"Oslo"})'],
  [
    'what a tool gave in LangChain',
    { messages: [serialised('ToolMessage', { content: '12 degrees', tool_call_id: 'c1' })] },
    '12 degrees',
  ],
];

for (const [title, output, completion] of OUTCOMES) {
  test(`[CV56] ${title}`, () => {
    assert.deepEqual(outcomeOf(output), { completion });
    assert.deepEqual(outcomeOf(JSON.stringify(output)), { completion });
  });
}

const DATA: readonly unknown[] = [
  'text',
  '12',
  {},
  [],
  null,
  { content: 'a page', url: 'x' },
  [{ type: 'user', name: 'Bo' }],
  [{ type: 'paragraph', content: 'x' }],
  { messages: [USER, { id: 7 }] },
  { output: { output: { output: { output: ANSWER } } } },
];

for (const output of DATA) {
  test(`[CV56] no conversation: ${JSON.stringify(output)}`, () => {
    assert.equal(outcomeOf(output), undefined);
    assert.equal(outcomeOf(JSON.stringify(output)), undefined);
  });
}
