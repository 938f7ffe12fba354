import type { FakeAnswer, FakeEvent, FakeRequest } from './fake-answer.ts';

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
  const answer = Array.isArray(newest) ? readsTool() : asksForTool();
  return asked.stream === true ? { status: 200, events: streamOf(answer) } : { status: 200, body: answer };
}

interface Message {
  readonly id: string;
  readonly type: 'message';
  readonly role: 'assistant';
  readonly model: string;
  readonly stop_sequence: null;
  readonly content: readonly object[];
  readonly stop_reason: string;
  readonly usage: { readonly output_tokens: number; readonly [name: string]: number };
}

/** The texts of a message in two pieces each; its output tokens are known at the end. */
function streamOf(whole: Message): readonly FakeEvent[] {
  const { content, stop_reason, usage } = whole;
  const event = (type: string, fields: object): FakeEvent => ({
    event: type,
    data: JSON.stringify({ type, ...fields }),
  });
  return [
    event('message_start', {
      message: { ...whole, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
    }),
    ...content.flatMap((block, index) => {
      const { text = '' } = block as { readonly text?: string };
      const pieces = [text.slice(0, 5), text.slice(5)];
      return [
        event('content_block_start', { index, content_block: { ...block, text: '' } }),
        ...pieces.map((piece) =>
          event('content_block_delta', { index, delta: { type: 'text_delta', text: piece } }),
        ),
        event('content_block_stop', { index }),
      ];
    }),
    event('message_delta', {
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: usage.output_tokens },
    }),
    event('message_stop', {}),
  ];
}

function message(
  id: string,
  content: readonly object[],
  stop: string,
  name: keyof typeof ANTHROPIC_USAGE,
): Message {
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

function asksForTool(): Message {
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

function readsTool(): Message {
  return message('msg_2', [{ type: 'text', text: 'Take an umbrella.' }], 'end_turn', 'readsTool');
}
