import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { assertCpuTime } from '../../test/support/cpu-time.ts';
import { promptOf } from './prompt-parts.ts';

/** Types, places and texts, as one line each. */
function told(attributes: { readonly [key: string]: unknown }): readonly string[] {
  return (promptOf(attributes)?.parts ?? []).map(({ type, source, value }) => {
    const place = [source.event, source.attribute, source.index, source.role].filter(
      (part) => part !== undefined,
    );
    return `${type} <${place.join(' ')}> ${value}`;
  });
}

const CONVERSATION = [
  { role: 'user', parts: [{ type: 'text', content: 'first question' }] },
  { role: 'assistant', parts: [{ type: 'tool_call', id: 'c1', name: 'look', arguments: { at: 'sea' } }] },
  { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: 'calm' }] },
];

test('[TF12] the parts of a prompt in the GenAI conventions: instructions, tools, history, what is new', () => {
  assert.deepEqual(
    told({
      'gen_ai.system_instructions': JSON.stringify([{ type: 'text', content: 'Be kind.' }]),
      'gen_ai.tool.definitions': '[{"name":"look"}]',
      'gen_ai.input.messages': JSON.stringify(CONVERSATION),
    }),
    [
      'system <gen_ai.system_instructions> Be kind.',
      'tools <gen_ai.tool.definitions> [{"name":"look"}]',
      'history <gen_ai.input.messages 0 user> first question',
      'history <gen_ai.input.messages 1 assistant> look({"at":"sea"})',
      'tool_result <gen_ai.input.messages 2 tool> calm',
    ],
  );
});

test('[TF12] a message with the results of several calls is of no one step, one with a single result is', () => {
  const result = (id: string) => ({ type: 'tool_call_response', id, response: 'calm' });
  const messages = [
    { role: 'user', parts: [result('c1'), result('c2')] },
    { role: 'tool', parts: [result('c3')] },
  ];
  const { parts = [] } = promptOf({ 'gen_ai.input.messages': JSON.stringify(messages) }) ?? {};
  assert.deepEqual(
    parts.map(({ type, toolCallId }) => [type, toolCallId]),
    [
      ['tool_result', undefined],
      ['tool_result', 'c3'],
    ],
  );
});

test('[TF12] in OpenInference, by number, with the schemas of tools', () => {
  assert.deepEqual(
    told({
      'llm.input_messages.10.message.role': 'user',
      'llm.input_messages.10.message.content': 'and now?',
      'llm.input_messages.0.message.role': 'system',
      'llm.input_messages.0.message.content': 'Be kind.',
      'llm.input_messages.2.message.role': 'assistant',
      'llm.input_messages.2.message.content': 'Yes.',
      'llm.tools.0.tool.json_schema': '{"name":"look"}',
    }),
    [
      'tools <llm.tools.0.tool.json_schema> {"name":"look"}',
      'system <llm.input_messages.0 system> Be kind.',
      'history <llm.input_messages.2 assistant> Yes.',
      'user <llm.input_messages.10 user> and now?',
    ],
  );
});

test('[TF12] in the AI SDK, and in events of the span', () => {
  assert.deepEqual(
    told({
      'ai.prompt': JSON.stringify({ system: 'Be kind.', prompt: 'How are you?' }),
      'ai.prompt.tools': ['{"name":"look"}'],
    }),
    [
      'tools <ai.prompt.tools> ["{\\"name\\":\\"look\\"}"]',
      'system <ai.prompt> Be kind.',
      'user <ai.prompt> How are you?',
    ],
  );
  const event = (name: string, content: string) => ({ name, time: '', attributes: { content } });
  assert.deepEqual(
    told({
      events: [
        event('gen_ai.system.message', 'Be kind.'),
        event('other', 'x'),
        event('gen_ai.user.message', 'Hello there'),
      ],
    }),
    ['system <gen_ai.system.message 0 system> Be kind.', 'user <gen_ai.user.message 1 user> Hello there'],
  );
});

function flow(provenance: unknown): { readonly [key: string]: unknown } {
  return { 'thoughtflow.item': { payload_started: { prompt_provenance: provenance } } };
}

test('[TF12] in ThoughtFlow as it was sent, with the whole prompt and where each part stands in it', () => {
  const parts = [
    { type: 'personality', value: 'Be kind.' },
    { type: 'user_instruction', value: 'Hello' },
  ];
  const assembly = [
    { part: 0, start: 0, end: 8 },
    { part: 1, start: 9, end: 14 },
  ];
  const found = promptOf(flow({ parts, final_prompt: 'Be kind.\nHello', assembly }));
  assert.deepEqual(found?.assembly, assembly);
  assert.equal(found.finalPrompt, 'Be kind.\nHello');
  assert.deepEqual(
    told(flow({ parts }))[1],
    'user_instruction <thoughtflow.item.payload_started.prompt_provenance.parts 1> Hello',
  );
});

test('[TF13] places in a prompt that was redacted count its own units; what is not found has none', () => {
  const marker = '[EMAIL:k3f2mzq2ab]';
  const parts = [
    { type: 'a', value: `write to ${marker}` },
    { type: 'b', value: 'Be kind.' },
    { type: 'c', value: 'not in it' },
  ];
  // Of the text as it was sent: "write to x@y.example\nBe kind."
  const assembly = [
    { part: 0, start: 0, end: 20 },
    { part: 1, start: 21, end: 29 },
    { part: 2, start: 30, end: 39 },
    { part: 9, start: 0, end: 1 },
    { part: 0, start: -1, end: 1 },
    'x',
  ];
  const finalPrompt = `write to ${marker}\nBe kind.`;
  const found = promptOf(flow({ parts, final_prompt: finalPrompt, assembly }));
  assert.deepEqual(
    found?.assembly?.map(({ part, start, end }) => [part, finalPrompt.slice(start, end)]),
    [
      [0, `write to ${marker}`],
      [1, 'Be kind.'],
    ],
  );
});

test('[TF14] what is shown of a prompt is bounded: the oldest of the history goes first', () => {
  const messages = Array.from({ length: 500 }, (_, n) => ({
    role: n % 2 === 0 ? 'user' : 'assistant',
    content: `message ${n} ${'x'.repeat(5_000)}`,
  }));
  const found = promptOf({
    'gen_ai.input.messages': [
      { role: 'system', content: 'Be kind.' },
      ...messages,
      { role: 'user', content: 'now' },
    ],
  });
  assert.equal(found?.parts.length, 200);
  assert.equal(found.omitted, 302);
  assert.deepEqual([found.parts[0]?.value, found.parts.at(-1)?.source.index], ['Be kind.', 501]);
  assert.ok(JSON.stringify(found).length < 700_000);
});

test('[TF14] any attributes give sound parts or none, in time', () => {
  const keys = fc.constantFrom(
    'gen_ai.input.messages',
    'gen_ai.system_instructions',
    'ai.prompt',
    'events',
    'thoughtflow.item',
    'llm.input_messages.0.message.content',
    'llm.tools.x.tool.json_schema',
  );
  fc.assert(
    fc.property(fc.dictionary(keys, fc.oneof(fc.jsonValue(), fc.json())), (attributes) => {
      for (const { type, value } of promptOf(attributes)?.parts ?? [])
        assert.ok(typeof type === 'string' && typeof value === 'string');
    }),
  );
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
  assertCpuTime(2000, () => promptOf({ 'gen_ai.input.messages': deep, 'ai.prompt': deep }));
});
