import type { FakeAnswer, FakeEvent, FakeRequest } from './fake-answer.ts';

/** What the fake OpenAI server counts for each of its answers; input with the cache, output with the reasoning. */
export const OPENAI_USAGE = {
  asksForTool: { input: 2006, cached: 1920, output: 300, reasoning: 128 },
  readsTool: { input: 2100, cached: 2048, output: 40, reasoning: 0 },
  stream: { input: 25, cached: 0, output: 7, reasoning: 0 },
  responses: { input: 75, cached: 0, output: 1186, reasoning: 1024 },
} as const;

const CREATED = 1_795_293_556;

/** The Chat Completions and the Responses API. The model `busy` is rate limited. */
export function answerOpenAi(path: string, asked: FakeRequest): FakeAnswer {
  if (asked.model === 'busy')
    return {
      status: 429,
      body: { error: { message: 'Rate limit reached', type: 'requests', param: null, code: 'rate_limit' } },
    };
  if (path.endsWith('/responses')) return { status: 200, body: response() };
  if (asked.stream === true) return { status: 200, events: stream(asked) };
  return { status: 200, body: asked.messages?.at(-1)?.role === 'tool' ? readsTool() : asksForTool() };
}

function chatUsage(name: 'asksForTool' | 'readsTool' | 'stream'): object {
  const { input, cached, output, reasoning } = OPENAI_USAGE[name];
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

function chat(id: string, message: object, finish: string, usage: object): object {
  return {
    id,
    object: 'chat.completion',
    created: CREATED,
    model: 'gpt-4o-2024-08-06',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', refusal: null, ...message },
        logprobs: null,
        finish_reason: finish,
      },
    ],
    usage,
    system_fingerprint: 'fp_1',
  };
}

function asksForTool(): object {
  const call = {
    id: 'call_oslo',
    type: 'function',
    function: { name: 'get_weather', arguments: '{"city":"Oslo"}' },
  };
  return chat('chatcmpl-1', { content: null, tool_calls: [call] }, 'tool_calls', chatUsage('asksForTool'));
}

/** `reasoning_content` is how servers of open models give their thoughts in this API. */
function readsTool(): object {
  return chat(
    'chatcmpl-2',
    { content: 'Take an umbrella.', reasoning_content: 'It rains in Oslo, so an umbrella is needed.' },
    'stop',
    chatUsage('readsTool'),
  );
}

function stream({ stream_options }: FakeRequest): readonly FakeEvent[] {
  const chunk = (choices: readonly object[], more: object = {}): FakeEvent => ({
    data: JSON.stringify({
      id: 'chatcmpl-3',
      object: 'chat.completion.chunk',
      created: CREATED,
      model: 'gpt-4o-2024-08-06',
      choices,
      ...more,
    }),
  });
  const delta = (content: object, finish: string | null = null): object => ({
    index: 0,
    delta: content,
    finish_reason: finish,
  });
  return [
    chunk([delta({ role: 'assistant', content: '' })]),
    chunk([delta({ content: 'Hello ' })]),
    chunk([delta({ content: 'there.' })]),
    chunk([delta({}, 'stop')]),
    ...(stream_options?.include_usage === true ? [chunk([], { usage: chatUsage('stream') })] : []),
    { data: '[DONE]' },
  ];
}

function response(): object {
  const { input, cached, output, reasoning } = OPENAI_USAGE.responses;
  return {
    id: 'resp_1',
    object: 'response',
    created_at: CREATED,
    status: 'completed',
    error: null,
    incomplete_details: null,
    instructions: null,
    model: 'o4-mini-2025-04-16',
    output: [
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: 'Lint first: it is the faster check.' }],
        encrypted_content: 'gAAAAABopaque',
      },
      {
        type: 'message',
        id: 'msg_1',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'First lint, then test.', annotations: [] }],
      },
    ],
    parallel_tool_calls: true,
    previous_response_id: null,
    tool_choice: 'auto',
    tools: [],
    temperature: 1,
    top_p: 1,
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: cached },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: reasoning },
      total_tokens: input + output,
    },
  };
}
