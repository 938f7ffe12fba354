import type { FakeAnswer, FakeRequest } from './fake-answer.ts';

/** As the API counts: the input beside what was read from and written to the cache. */
export const ANTHROPIC_USAGE = {
  asksForTool: { input: 40, cacheRead: 1000, cacheWrite: 200, output: 120 },
  readsTool: { input: 60, cacheRead: 1200, cacheWrite: 0, output: 15 },
} as const;

/** The Messages API. The model `busy` is overloaded. */
export function answerAnthropic(asked: FakeRequest): FakeAnswer {
  if (asked.model === 'busy')
    return {
      status: 529,
      body: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    };
  const newest = asked.messages?.at(-1)?.content;
  return { status: 200, body: Array.isArray(newest) ? readsTool() : asksForTool() };
}

function message(
  id: string,
  content: readonly object[],
  stop: string,
  name: keyof typeof ANTHROPIC_USAGE,
): object {
  const { input, cacheRead, cacheWrite, output } = ANTHROPIC_USAGE[name];
  return {
    id,
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5-20250929',
    content,
    stop_reason: stop,
    stop_sequence: null,
    usage: {
      input_tokens: input,
      cache_creation_input_tokens: cacheWrite,
      cache_read_input_tokens: cacheRead,
      output_tokens: output,
    },
  };
}

function asksForTool(): object {
  return message(
    'msg_1',
    [
      { type: 'thinking', thinking: 'I have to look at the weather of Oslo.', signature: 'EqQBopaque' },
      { type: 'tool_use', id: 'toolu_oslo', name: 'get_weather', input: { city: 'Oslo' } },
    ],
    'tool_use',
    'asksForTool',
  );
}

function readsTool(): object {
  return message('msg_2', [{ type: 'text', text: 'Take an umbrella.' }], 'end_turn', 'readsTool');
}
