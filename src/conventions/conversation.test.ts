import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readConversation } from './conversation.ts';
import { readHeard } from './messages.ts';

const SHAPES: readonly [string, unknown, string | undefined][] = [
  ['OTel parts', [{ role: 'user', parts: [{ type: 'text', content: 'hi' }] }], 'hi'],
  ['OpenAI', { messages: [{ role: 'user', content: 'hi' }], model: 'm' }, 'hi'],
  ['role not first', [{ content: 'hi', role: 'user' }], 'hi'],
  ['AI SDK prompt', { system: 's', prompt: 'hi' }, 'hi'],
  ['Gemini', { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }, 'hi'],
  ['OpenAI Responses', { model: 'm', input: 'hi' }, 'hi'],
  [
    'LangChain',
    { messages: [[{ lc: 1, id: ['HumanMessage'], kwargs: { type: 'human', content: 'hi' } }]] },
    'hi',
  ],
  [
    'Anthropic tool result',
    [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'done' }] }],
    'done',
  ],
  [
    'an assistant last',
    [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'so' },
    ],
    'hi',
  ],
  [
    'a tool that gave rows',
    [{ role: 'tool', tool_call_id: 't', content: [{ title: 'a', content: 'b' }] }],
    '[{"title":"a","content":"b"}]',
  ],
  ['a tool that gave parts', [{ role: 'tool', content: [{ type: 'text', text: 'done' }] }], 'done'],
  [
    'a list of tools at the end',
    [
      { role: 'user', content: 'hi' },
      { role: 'tool', content: { type: 'function', function: { name: 'ls', parameters: {} } } },
    ],
    'hi',
  ],
  ['nobody from outside', [{ role: 'system', content: 'x' }], undefined],
  ['no messages', { a: 1 }, undefined],
];

for (const [shape, value, prompt] of SHAPES) {
  test(`[CV14] the last message from outside is found in ${shape}, as structure and as text`, () => {
    assert.equal(readConversation(value).prompt, prompt);
    assert.equal(readConversation(JSON.stringify(value)).prompt, prompt);
    assert.equal(readConversation(JSON.stringify(value, undefined, 2)).prompt, prompt);
  });
}

test('[CV14] plain text is the prompt itself', () => {
  assert.equal(readConversation('Review a.ts').prompt, 'Review a.ts');
});

test('[CV14] a role inside a nested object or inside text is not taken for a message', () => {
  const messages = [
    { role: 'user', content: 'say {"role":"user","content":"no"}' },
    {
      role: 'assistant',
      tool_calls: [{ id: 'c', function: { name: 'f', arguments: { role: 'user', x: 1 } } }],
    },
  ];
  assert.equal(readConversation(JSON.stringify(messages)).prompt, messages[0]?.content);
});

test('[CV15] of a truncated history the newest message that is there is read', () => {
  const text = JSON.stringify([
    { role: 'user', content: 'first' },
    { role: 'assistant', content: 'so' },
    { role: 'user', content: 'second question' },
  ]);
  assert.equal(readConversation(text.slice(0, text.indexOf('question') + 4)).prompt, 'second ques');
  const marked = `${text.slice(0, text.indexOf('question') + 4)}…[cut 9 chars]`;
  assert.equal(readConversation(marked).prompt, 'second ques…[cut 9 chars]');
});

const message = fc.record(
  {
    role: fc.constantFrom('system', 'user', 'assistant', 'tool'),
    content: fc.oneof(
      fc.string(),
      fc.constantFrom('"role":"user"', '{"role":"user","content":"x"}', '[', '}]'),
    ),
    tool_call_id: fc.constantFrom('a', 'b'),
    extra: fc.record({ role: fc.constantFrom('user', 'tool'), content: fc.string() }),
  },
  { requiredKeys: ['role', 'content'] },
);

const ANSWERS = new Set(['user', 'tool']);

test('[CV14] searching from the end finds what parsing the whole finds', () => {
  fc.assert(
    fc.property(fc.array(message, { minLength: 1 }), fc.constantFrom(undefined, 1), (messages, indent) => {
      const expected = readHeard(JSON.parse(JSON.stringify(messages)) as unknown[]);
      if (expected.prompt === undefined) return;
      const { texts, ...found } = readConversation(JSON.stringify(messages, undefined, indent));
      const { texts: expectedTexts, ...rest } = expected;
      assert.deepEqual(found, rest);
      // The model's own last message is given up where an object inside a message looks like one, or where something
      // that answers no call has the id of one.
      if (messages.some(({ extra }) => extra !== undefined)) return;
      if (messages.some(({ role, tool_call_id: id }) => id !== undefined && !ANSWERS.has(role))) return;
      assert.deepEqual(texts, expectedTexts);
    }),
    { numRuns: 1000 },
  );
});
