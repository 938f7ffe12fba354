import { interpretSpan } from '../src/conventions/interpret-span.ts';
import type { SafeSpan } from '../src/conventions/convention.ts';
import { spanOf } from '../src/conventions/span-for-test.ts';
import type { AttributeValue } from '../src/model/attributes.ts';

/** Microseconds of CPU time per span that `interpretSpan` takes, for spans as they come. */

const TARGET_US = 5;
const WARM_UP = 20_000;
const ROUNDS = 5;
const SPANS = 20_000;

function span(name: string, scope: string, attributes: Record<string, AttributeValue>): SafeSpan {
  return spanOf(attributes, { name, scope, service: 'bench', durationMs: 420 });
}

function history(turns: number): string {
  const messages = [{ role: 'system', parts: [{ type: 'text', content: 'You review code. '.repeat(12) }] }];
  for (let i = 0; i < turns; i++) {
    messages.push({
      role: 'user',
      parts: [{ type: 'text', content: `Question ${i}: ${'why so? '.repeat(20)}` }],
    });
    if (i < turns - 1)
      messages.push({ role: 'assistant', parts: [{ type: 'text', content: 'Because. '.repeat(40) }] });
  }
  return JSON.stringify(messages);
}

/** A call in a loop of tools: what it reads is known by the id of the tool call. */
const toolLoop = JSON.stringify([
  { role: 'user', parts: [{ type: 'text', content: 'Review a.ts, and then run its tests.' }] },
  {
    role: 'assistant',
    parts: [
      { type: 'text', content: 'First I look at the file, then I run the tests. '.repeat(6) },
      { type: 'tool_call', id: 'call_1', name: 'read_file', arguments: { path: 'a.ts' } },
    ],
  },
  {
    role: 'tool',
    parts: [{ type: 'tool_call_response', id: 'call_1', response: 'export const a = 1; '.repeat(10) }],
  },
]);

const answer = JSON.stringify([
  {
    role: 'assistant',
    parts: [
      { type: 'reasoning', content: 'The loop ends one element early. '.repeat(4) },
      { type: 'text', content: 'The bound is off by one. '.repeat(6) },
    ],
    finish_reason: 'stop',
  },
]);

function genAi(input: string): SafeSpan {
  return span('chat gpt-4o', 'gen_ai', {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'gpt-4o',
    'gen_ai.response.model': 'gpt-4o-2024-08-06',
    'gen_ai.response.id': 'chatcmpl-1',
    'gen_ai.response.finish_reasons': ['stop'],
    'gen_ai.usage.input_tokens': 2006,
    'gen_ai.usage.output_tokens': 300,
    'gen_ai.usage.cache_read.input_tokens': 1920,
    'gen_ai.conversation.id': 'conv-1',
    'gen_ai.input.messages': input,
    'gen_ai.output.messages': answer,
  });
}

const CASES: readonly (readonly [name: string, span: SafeSpan])[] = [
  ['gen_ai, 12 attributes, 1 turn', genAi(history(1))],
  ['gen_ai, 12 attributes, 200 turns (about 110 KB)', genAi(history(200))],
  ['gen_ai, 12 attributes, reads what a tool gave', genAi(toolLoop)],
  [
    'gen_ai, 10 attributes, no messages',
    span(
      'chat gpt-4o',
      'gen_ai',
      Object.fromEntries([...genAi(history(1)).attributes].filter(([key]) => !key.endsWith('messages'))),
    ),
  ],
  [
    "the project's own attributes",
    span('coder.generate', 'coder', {
      component: 'coder-agent',
      'model.name': 'starcoder2-3b-4bit',
      'tokens.in': 120,
      'tokens.out': 250,
      'latency.ms': 310,
      'cost.usd': 0.00012,
      requestId: 'req-1',
      taskID: 'T012',
      status: 'OK',
    }),
  ],
  [
    'openinference, flattened messages',
    span('ChatCompletion', 'openinference.instrumentation.openai', {
      'openinference.span.kind': 'LLM',
      'llm.model_name': 'gpt-4o-2024-08-06',
      'llm.input_messages.0.message.role': 'system',
      'llm.input_messages.0.message.content': 'You review code.',
      'llm.input_messages.1.message.role': 'user',
      'llm.input_messages.1.message.content': 'Review a.ts',
      'llm.output_messages.0.message.role': 'assistant',
      'llm.output_messages.0.message.content': 'Fine.',
      'llm.token_count.prompt': 20,
      'llm.token_count.completion': 5,
    }),
  ],
  [
    'no agent span (HTTP)',
    span('GET /users', '@opentelemetry/instrumentation-http', {
      'http.request.method': 'GET',
      'url.full': 'http://localhost/users',
      'http.response.status_code': 200,
      'server.address': 'localhost',
    }),
  ],
];

let sink = 0;

function microsPerSpan(one: SafeSpan): number {
  const before = process.cpuUsage();
  for (let i = 0; i < SPANS; i++) sink += interpretSpan(one).facts.step.status.length;
  const { user, system } = process.cpuUsage(before);
  return (user + system) / SPANS;
}

for (const [, one] of CASES)
  for (let i = 0; i < WARM_UP / CASES.length; i++) sink += interpretSpan(one).facts.name.length;

console.log(`target: at most ${TARGET_US} us for a GenAI span of 12 attributes`);
for (const [name, one] of CASES) {
  const best = Math.min(...Array.from({ length: ROUNDS }, () => microsPerSpan(one)));
  console.log(`${best.toFixed(2).padStart(8)} us/span  ${name}`);
}
if (sink === 0) throw new Error('nothing was interpreted');
