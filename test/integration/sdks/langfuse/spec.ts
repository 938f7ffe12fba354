import { OPENAI_USAGE } from '../fake-openai.ts';
import { estimated } from '../list-prices.ts';
import type { SdkSpec } from '../spec.ts';

const AGENT = 'WeatherAgent';
const QUESTION = 'Do I need an umbrella in Oslo?';

/** Langfuse's SDK: what the application tells of its calls, one with a cost of its own, one that failed. */
export const langfuse: SdkSpec = {
  folder: 'langfuse',
  program: 'program.js',
  spans: ['WeatherAgent', 'plan', 'get_weather', 'answer', 'translate'],
  calls: {
    plan: {
      agent: AGENT,
      model: 'gpt-4o-2024-08-06',
      tokensIn: 86 + 1920,
      tokensOut: 300,
      cacheRead: 1920,
      cost: { source: 'reported', usd: 0.005615 },
      prompt: QUESTION,
      completion: { calls: ['get_weather'] },
      reasoning: 'I have to look at the weather.',
      asks: ['call_oslo'],
    },
    answer: {
      agent: AGENT,
      model: 'gpt-4o-2024-08-06',
      tokensIn: 2100,
      tokensOut: 40,
      cost: estimated('gpt-4o', { input: 2100, output: 40 }),
      prompt: '12 degrees, rain in Oslo',
      completion: 'Take an umbrella.',
      answers: ['call_oslo'],
    },
    translate: {
      agent: AGENT,
      model: 'gpt-4o-2024-08-06',
      prompt: 'Translate it',
      error: 'the model is overloaded',
    },
  },
  tools: {
    // Langfuse has no attribute for the id of a tool call.
    get_weather: {
      agent: AGENT,
      name: 'get_weather',
      callId: null,
      arguments: '{"city":"Oslo"}',
      result: '12 degrees, rain in Oslo',
    },
  },
  tasks: [{ id: 'langfuse', root: 'WeatherAgent', tokensIn: 86 + 1920 + 2100, tokensOut: 340 }],
  queries: { WeatherAgent: QUESTION },
  leads: [
    { from: 'plan', to: 'get_weather', by: 'content' },
    { from: 'get_weather', to: 'answer', by: 'content' },
  ],
};

const { asksForTool, readsTool } = OPENAI_USAGE;

/** The same calls told twice: by the application to Langfuse, and by OpenInference's instrumentation of the SDK. */
export const twins: SdkSpec = {
  folder: 'langfuse',
  program: 'twins.js',
  spans: ['WeatherAgent', 'plan', 'OpenAI Chat Completions#1', 'answer', 'OpenAI Chat Completions#2'],
  folded: { plan: ['OpenAI Chat Completions#1'], answer: ['OpenAI Chat Completions#2'] },
  calls: {
    plan: {
      agent: AGENT,
      model: 'gpt-4o-2024-08-06',
      tokensIn: asksForTool.input,
      tokensOut: asksForTool.output,
      cacheRead: asksForTool.cached,
      reasoningTokens: asksForTool.reasoning,
      cost: estimated('gpt-4o', {
        input: asksForTool.input - asksForTool.cached,
        cacheRead: asksForTool.cached,
        output: asksForTool.output,
      }),
      prompt: QUESTION,
      completion: { calls: ['get_weather'] },
      finish: 'tool_calls',
      asks: ['call_oslo'],
    },
    answer: {
      agent: AGENT,
      model: 'gpt-4o-2024-08-06',
      tokensIn: readsTool.input,
      tokensOut: readsTool.output,
      cacheRead: readsTool.cached,
      reasoningTokens: readsTool.reasoning,
      cost: estimated('gpt-4o', {
        input: readsTool.input - readsTool.cached,
        cacheRead: readsTool.cached,
        output: readsTool.output,
      }),
      prompt: '12 degrees, rain in Oslo',
      completion: 'Take an umbrella.',
      reasoning: 'It rains in Oslo, so an umbrella is needed.',
      finish: 'stop',
      answers: ['call_oslo'],
    },
  },
  tasks: [
    {
      id: 'twins',
      root: 'WeatherAgent',
      tokensIn: asksForTool.input + readsTool.input,
      tokensOut: asksForTool.output + readsTool.output,
    },
  ],
  queries: { WeatherAgent: QUESTION },
  // The tool has no span: what asked for it leads to what read its result.
  leads: [{ from: 'plan', to: 'answer', by: 'toolCallId' }],
};
