import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSaid } from './messages.ts';
import { splitThinking } from './thinking.ts';

const REASONING: readonly [string, unknown, string | undefined][] = [
  ['OTel part', [{ role: 'assistant', parts: [{ type: 'reasoning', content: 'why' }] }], 'why'],
  ['text instead of content', [{ parts: [{ type: 'reasoning', text: 'why' }] }], 'why'],
  ['thinking part', [{ parts: [{ type: 'thinking', content: 'why' }] }], 'why'],
  ['Anthropic', { content: [{ type: 'thinking', thinking: 'why', signature: 'c2ln' }] }, 'why'],
  [
    'OpenAI Responses',
    { output: [{ type: 'reasoning', summary: [{ type: 'summary_text', text: 'why' }] }] },
    'why',
  ],
  ['chat completions', { choices: [{ message: { content: 'x', reasoning_content: 'why' } }] }, 'why'],
  ['OpenRouter', { choices: [{ message: { content: 'x', reasoning: 'why' } }] }, 'why'],
  [
    'Bedrock',
    { output: { message: { content: [{ reasoningContent: { reasoningText: { text: 'why' } } }] } } },
    'why',
  ],
  ['Gemini', { candidates: [{ content: { parts: [{ text: 'why', thought: true }] } }] }, 'why'],
  ['Genkit', { message: { content: [{ reasoning: 'why' }, { text: 'x' }] } }, 'why'],
  ['think block', { role: 'assistant', content: '<think>why</think>x' }, 'why'],
  [
    'redacted',
    {
      content: [
        { type: 'redacted_thinking', data: 'b3BhcXVl' },
        { type: 'text', text: 'x' },
      ],
    },
    undefined,
  ],
  ['encrypted', { output: [{ type: 'reasoning', summary: [], encrypted_content: 'gAAAA' }] }, undefined],
];

for (const [shape, value, reasoning] of REASONING) {
  test(`[CV13] reasoning of ${shape}`, () => {
    assert.equal(readSaid(value).reasoning, reasoning);
    assert.equal(readSaid(JSON.stringify(value)).reasoning, reasoning);
  });
}

test('[CV13] opaque parts never become text', () => {
  const said = JSON.stringify(
    readSaid([
      {
        role: 'assistant',
        parts: [
          {
            type: 'reasoning',
            content: 'why',
            signature: 'OPAQUE',
            encrypted_content: 'OPAQUE',
            data: 'OPAQUE',
          },
          { type: 'redacted_thinking', data: 'OPAQUE', content: 'OPAQUE' },
        ],
      },
    ]),
  );
  assert.ok(!said.includes('OPAQUE'));
});

test('[CV13] think blocks: several, and one that was never closed', () => {
  assert.deepEqual(splitThinking('<think>a</think>x<think>b</think>y'), {
    completion: 'xy',
    reasoning: 'a\n\nb',
  });
  assert.deepEqual(splitThinking('x<think>a'), { completion: 'x', reasoning: 'a' });
  assert.deepEqual(splitThinking('no block', 'r'), { completion: 'no block', reasoning: 'r' });
});

test('[CV17] tool calls of all shapes give their id and show in the answer', () => {
  const shapes: readonly unknown[] = [
    [{ parts: [{ type: 'tool_call', id: 'c', name: 'ls', arguments: { p: 1 } }] }],
    {
      choices: [
        {
          message: {
            content: null,
            tool_calls: [{ id: 'c', function: { name: 'ls', arguments: '{"p":1}' } }],
          },
        },
      ],
    },
    { content: [{ type: 'tool_use', id: 'c', name: 'ls', input: { p: 1 } }] },
    { output: [{ type: 'function_call', call_id: 'c', id: 'fc_1', name: 'ls', arguments: '{"p":1}' }] },
    [{ tool_calls: [{ toolCallId: 'c', toolName: 'ls', input: '{"p":1}' }] }],
  ];
  for (const shape of shapes) {
    const said = readSaid(shape);
    assert.deepEqual(said.toolCallIds, ['c']);
    assert.equal(said.completion, 'ls({"p":1})');
  }
});

test('[CV2] nesting deeper than any message and values of any type are survived', () => {
  let deep: unknown = 'x';
  for (let i = 0; i < 5000; i++) deep = { content: [deep] };
  assert.equal(readSaid(deep).completion, undefined);
  for (const value of [null, undefined, 3, true, '', [], {}, [null, [3]], { parts: 3, content: 5 }])
    readSaid(value);
});

const NOTHING: readonly [string, unknown][] = [
  ['an empty part', [{ role: 'assistant', parts: [{ type: 'text', content: '' }] }]],
  ['no content', { choices: [{ message: { role: 'assistant', content: null } }] }],
  ['no parts', [{ role: 'assistant', content: [] }]],
  ['an opaque part alone', { role: 'assistant', content: [{ type: 'redacted_thinking', data: 'b3Bh' }] }],
  ['no messages', []],
  ['an empty text beside empty lists', { text: '', files: [], warnings: [] }],
  [
    'a serialised message of LangChain',
    { generations: [[{ text: '', message: { kwargs: { content: '' } } }]] },
  ],
];

for (const [shape, value] of NOTHING) {
  test(`[CV54] ${shape} is no answer, be it JSON or not`, () => {
    assert.equal(readSaid(value).completion, undefined);
    assert.equal(readSaid(JSON.stringify(value)).completion, undefined);
  });
}

for (const answer of ['{"weather":"rain","degrees":12}', '["rain"]', 'plain text', '{}', '12']) {
  test(`[CV54] data is an answer as it is: ${answer}`, () => {
    assert.equal(readSaid(answer).completion, answer === '["rain"]' ? 'rain' : answer);
  });
}

test('[CV54] a refusal is an answer', () => {
  assert.equal(
    readSaid('{"role":"assistant","content":null,"refusal":"I can not."}').completion,
    'I can not.',
  );
  assert.equal(readSaid([{ content: [{ type: 'refusal', refusal: 'No.' }] }]).completion, 'No.');
});
