import { OPENAI_USAGE } from '../fake-openai.ts';
import { estimated } from '../list-prices.ts';
import type { SdkCall, SdkSpec } from '../spec.ts';

const { asksForTool, readsTool, stream, responses } = OPENAI_USAGE;
const AGENT = 'WeatherAgent';
const ROOT = 'invoke_agent WeatherAgent';
const TOOL = 'execute_tool get_weather';

const COMMON = {
  folder: 'openai',
  tools: {
    [TOOL]: {
      agent: AGENT,
      name: 'get_weather',
      callId: 'call_oslo',
      arguments: '{"city":"Oslo"}',
      result: '12 degrees, rain in Oslo',
    },
  },
  // OpenInference and Traceloop export nothing for a call that fails: the agent's own span is all that tells of it.
  errors: { [ROOT]: '429 Rate limit reached' },
  queries: { [ROOT]: 'Do I need an umbrella in Oslo?' },
} as const;

/** What is the same with all. */
const FIRST: SdkCall = {
  agent: AGENT,
  model: 'gpt-4o-2024-08-06',
  tokensIn: asksForTool.input,
  tokensOut: asksForTool.output,
  prompt: 'Do I need an umbrella in Oslo?',
  completion: { calls: ['get_weather'] },
  asks: ['call_oslo'],
};
const SECOND: SdkCall = {
  agent: AGENT,
  model: 'gpt-4o-2024-08-06',
  tokensIn: readsTool.input,
  tokensOut: readsTool.output,
  prompt: '12 degrees, rain in Oslo',
  completion: 'Take an umbrella.',
  finish: 'stop',
  answers: ['call_oslo'],
};
/** OpenInference and Traceloop do not export the usage of a stream, although the server sent it. */
const STREAM: SdkCall = {
  agent: AGENT,
  model: 'gpt-4o-2024-08-06',
  prompt: 'Say hello',
  completion: 'Hello there.',
  finish: 'stop',
};
const RESPONSE: SdkCall = {
  agent: AGENT,
  model: 'o4-mini-2025-04-16',
  tokensIn: responses.input,
  tokensOut: responses.output,
  cost: estimated('o4-mini', { input: responses.input, output: responses.output }),
  prompt: 'Lint or test first?',
  completion: 'First lint, then test.',
};
const SUMS = {
  tokensIn: asksForTool.input + readsTool.input + responses.input,
  tokensOut: asksForTool.output + readsTool.output + responses.output,
};

/** The OpenAI SDK with OpenInference: tools, a stream, the Responses API, a 429. */
export const openinference: SdkSpec = {
  ...COMMON,
  program: 'openinference.js',
  spans: [
    ROOT,
    'OpenAI Chat Completions#1',
    TOOL,
    'OpenAI Chat Completions#2',
    'OpenAI Chat Completions#3',
    'OpenAI Responses',
  ],
  calls: {
    'OpenAI Chat Completions#1': {
      ...FIRST,
      cacheRead: asksForTool.cached,
      reasoningTokens: asksForTool.reasoning,
      cost: estimated('gpt-4o', {
        input: asksForTool.input - asksForTool.cached,
        cacheRead: asksForTool.cached,
        output: asksForTool.output,
      }),
      finish: 'tool_calls',
    },
    'OpenAI Chat Completions#2': {
      ...SECOND,
      cacheRead: readsTool.cached,
      reasoningTokens: readsTool.reasoning,
      cost: estimated('gpt-4o', {
        input: readsTool.input - readsTool.cached,
        cacheRead: readsTool.cached,
        output: readsTool.output,
      }),
      reasoning: 'It rains in Oslo, so an umbrella is needed.',
    },
    // Of a stream it exports the model that was asked for, not the one that answered.
    'OpenAI Chat Completions#3': { ...STREAM, model: 'gpt-4o' },
    'OpenAI Responses': {
      ...RESPONSE,
      cacheRead: responses.cached,
      reasoningTokens: responses.reasoning,
      reasoning: 'Lint first: it is the faster check.',
    },
  },
  tasks: [{ id: 'openai-openinference', root: ROOT, ...SUMS }],
  leads: [
    { from: 'OpenAI Chat Completions#1', to: TOOL, by: 'toolCallId' },
    { from: TOOL, to: 'OpenAI Chat Completions#2', by: 'toolCallId' },
  ],
};

/**
 * The OpenAI SDK with Traceloop's instrumentation. It exports neither cached nor reasoning tokens, so that an estimate
 * takes all input for uncached, and no reasoning text.
 */
export const traceloop: SdkSpec = {
  ...COMMON,
  program: 'traceloop.js',
  spans: [ROOT, 'chat gpt-4o#1', TOOL, 'chat gpt-4o#2', 'chat gpt-4o#3', 'chat o4-mini'],
  calls: {
    'chat gpt-4o#1': {
      ...FIRST,
      cost: estimated('gpt-4o', { input: asksForTool.input, output: asksForTool.output }),
      finish: 'tool_call',
    },
    'chat gpt-4o#2': {
      ...SECOND,
      cost: estimated('gpt-4o', { input: readsTool.input, output: readsTool.output }),
    },
    'chat gpt-4o#3': STREAM,
    'chat o4-mini': { ...RESPONSE, finish: 'stop' },
  },
  tasks: [{ id: 'openai-traceloop', root: ROOT, ...SUMS }],
  leads: [
    { from: 'chat gpt-4o#1', to: TOOL, by: 'toolCallId' },
    { from: TOOL, to: 'chat gpt-4o#2', by: 'toolCallId' },
  ],
};

/**
 * The OpenAI SDK with OpenTelemetry's own instrumentation: prompts, answers and tool calls come as log records beside
 * the spans. It exports the failed call and the usage of streams, but neither cached nor reasoning tokens, and of the
 * Chat Completions API no reasoning text.
 */
export const contrib: SdkSpec = {
  ...COMMON,
  program: 'contrib.js',
  gaps: {
    SDK3: 'messages that were logged within one millisecond stand in no certain order',
    SDK9: 'a query is made from the prompt of a span, not from that of a log record',
  },
  spans: [ROOT, 'chat gpt-4o#1', TOOL, 'chat gpt-4o#2', 'chat gpt-4o#3', 'chat o4-mini', 'chat busy'],
  calls: {
    'chat gpt-4o#1': {
      ...FIRST,
      cost: estimated('gpt-4o', { input: asksForTool.input, output: asksForTool.output }),
      finish: 'tool_calls',
    },
    'chat gpt-4o#2': {
      ...SECOND,
      cost: estimated('gpt-4o', { input: readsTool.input, output: readsTool.output }),
    },
    'chat gpt-4o#3': {
      ...STREAM,
      tokensIn: stream.input,
      tokensOut: stream.output,
      cost: estimated('gpt-4o', { input: stream.input, output: stream.output }),
    },
    'chat o4-mini': { ...RESPONSE, reasoning: 'Lint first: it is the faster check.', finish: 'stop' },
    'chat busy': { agent: AGENT, model: 'busy', prompt: 'And tomorrow?', error: '429 Rate limit reached' },
  },
  tasks: [
    {
      id: 'openai-contrib',
      root: ROOT,
      tokensIn: SUMS.tokensIn + stream.input,
      tokensOut: SUMS.tokensOut + stream.output,
    },
  ],
  leads: [
    { from: 'chat gpt-4o#1', to: TOOL, by: 'toolCallId' },
    { from: TOOL, to: 'chat gpt-4o#2', by: 'toolCallId' },
  ],
};
