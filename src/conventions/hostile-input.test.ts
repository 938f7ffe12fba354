import { test } from 'node:test';
import type { AttributeValue } from '../model/attributes.ts';
import { interpretSpan } from './interpret-span.ts';
import { spanOf } from './span-for-test.ts';
import { assertCpuTime } from '../../test/support/cpu-time.ts';

/** The longest string that a receiver lets in. */
const BIG = 256 * 1024;
/** Items of a list, in a body that is let in. */
const MANY = 40_000;
/** Quadratic work on such a string takes minutes, linear work a few milliseconds. */
const MAX_MS = 1000;

const CHAT = { 'gen_ai.operation.name': 'chat' };
const TOOL = { 'gen_ai.operation.name': 'execute_tool' };
const HOSTILE: Readonly<Record<string, Record<string, AttributeValue>>> = {
  'open objects': { ...CHAT, 'gen_ai.input.messages': '{"role":"user",'.repeat(BIG / 15) },
  'messages without end': {
    ...CHAT,
    'gen_ai.input.messages': `[${'{"role":"user","content":"x"},'.repeat(BIG / 30)}`,
  },
  nesting: {
    ...CHAT,
    'gen_ai.input.messages': '['.repeat(BIG),
    'gen_ai.output.messages': '{"a":'.repeat(BIG / 5),
  },
  backslashes: { ...CHAT, 'gen_ai.input.messages': `["${'\\'.repeat(BIG)}` },
  'white space': {
    ...CHAT,
    'gen_ai.input.messages': ' '.repeat(BIG),
    'gen_ai.output.messages': '\n'.repeat(BIG),
  },
  'think blocks': { ...CHAT, 'gen_ai.output.messages': '<think>'.repeat(BIG / 7) },
  'model names': {
    ...CHAT,
    'gen_ai.request.model': `${'-0000'.repeat(BIG / 5)}x`,
    'gen_ai.response.model': `${'-v1:1'.repeat(BIG / 5)}y`,
  },
  'shell wrappers': {
    ...TOOL,
    'gen_ai.tool.name': 'bash',
    'gen_ai.tool.call.arguments': 'A=1 '.repeat(BIG / 4),
  },
  'tool name': { ...TOOL, 'gen_ai.tool.name': 'aB_run_'.repeat(BIG / 7) },
  component: { component: 'a-'.repeat(BIG / 2) },
  'message keys': Object.fromEntries(
    Array.from({ length: 1000 }, (_, i) => [`llm.input_messages.${i}.message.role`, 'user']),
  ),
  'reasons to end': {
    ...CHAT,
    'gen_ai.output.messages': Array.from({ length: MANY }, (_, i) => ({
      content: '',
      finish_reason: `r${i}`,
    })),
  },
  thoughts: {
    ...CHAT,
    'gen_ai.output.messages': [{ type: 'reasoning', content: { a: 1 }, summary: Array(5 * MANY).fill('x') }],
  },
  'deep keys': { 'openinference.span.kind': 'LLM', [`llm.input_messages.0.${'a.'.repeat(BIG / 2)}`]: 'x' },
};

for (const [what, attributes] of Object.entries(HOSTILE)) {
  test(`[CV2] hostile ${what} cost no more than their length`, () => {
    const span = spanOf(attributes, {
      scope: 'openinference.instrumentation.x',
      name: 'execute_tool '.repeat(20_000),
    });
    assertCpuTime(MAX_MS, () => interpretSpan(span), what);
  });
}
