import { setTimeout } from 'node:timers/promises';
import { OpenTelemetry } from '@ai-sdk/otel';
import { generateText, isStepCount, registerTelemetry, simulateReadableStream, streamText, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { z } from 'zod';
import { provider } from './telemetry.js';

registerTelemetry(
  new OpenTelemetry({ enrichSpan: ({ runtimeContext }) => ({ 'session.id': runtimeContext?.sessionId }) }),
);

/** A model takes its time: what comes after it begins in a later millisecond. */
const THINKING_MS = 5;
const usage = (input, cached, output, reasoning) => ({
  inputTokens: { total: input, noCache: input - cached, cacheRead: cached, cacheWrite: 0 },
  outputTokens: { total: output, text: output - reasoning, reasoning },
});
const finish = (unified) => ({ unified, raw: unified });
const settings = (sessionId) => ({
  maxRetries: 0,
  runtimeContext: { sessionId },
  telemetry: { functionId: 'WeatherAgent', includeRuntimeContext: { sessionId: true } },
});
/** A model that gives these answers, one after the other. */
const modelOf = (modelId, ...answers) =>
  new MockLanguageModelV4({
    provider: 'openai.responses',
    modelId,
    doGenerate: () => setTimeout(THINKING_MS, answers.shift()),
  });
const tools = {
  get_weather: tool({
    description: 'The weather of a city',
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => `12 degrees, rain in ${city}`,
  }),
  get_tide: tool({
    description: 'The tide at a city',
    inputSchema: z.object({ city: z.string() }),
    execute: async () => {
      throw new Error('there is no such city');
    },
  }),
};

const { text } = await generateText({
  ...settings('ai7-tool'),
  model: modelOf(
    'o4-mini',
    {
      content: [
        { type: 'reasoning', text: 'I need the weather of one, and the tide of the other.' },
        { type: 'tool-call', toolCallId: 'call_oslo', toolName: 'get_weather', input: '{"city":"Oslo"}' },
        {
          type: 'tool-call',
          toolCallId: 'call_atlantis',
          toolName: 'get_tide',
          input: '{"city":"Atlantis"}',
        },
      ],
      finishReason: finish('tool-calls'),
      usage: usage(1200, 1000, 90, 64),
      warnings: [],
      response: { id: 'resp_1', modelId: 'o4-mini-2025-04-16' },
    },
    {
      content: [{ type: 'text', text: 'Take an umbrella.' }],
      finishReason: finish('stop'),
      usage: usage(1300, 1200, 12, 0),
      warnings: [],
      response: { id: 'resp_2', modelId: 'o4-mini-2025-04-16' },
    },
  ),
  system: 'You are a weather agent.',
  prompt: 'Do I need an umbrella in Oslo, and boots in Atlantis?',
  tools,
  stopWhen: isStepCount(3),
});
console.log(text);

const streamed = streamText({
  ...settings('ai7-stream'),
  model: new MockLanguageModelV4({
    provider: 'openai.chat',
    modelId: 'gpt-4o',
    doStream: async () => ({
      stream: simulateReadableStream({
        chunks: [
          { type: 'stream-start', warnings: [] },
          { type: 'response-metadata', id: 'resp_3', modelId: 'gpt-4o-2024-08-06', timestamp: new Date() },
          { type: 'reasoning-start', id: 'r' },
          { type: 'reasoning-delta', id: 'r', delta: 'A greeting ' },
          { type: 'reasoning-delta', id: 'r', delta: 'is enough.' },
          { type: 'reasoning-end', id: 'r' },
          { type: 'text-start', id: 't' },
          { type: 'text-delta', id: 't', delta: 'Hello ' },
          { type: 'text-delta', id: 't', delta: 'there.' },
          { type: 'text-end', id: 't' },
          { type: 'finish', finishReason: finish('stop'), usage: usage(20, 0, 9, 4) },
        ],
      }),
    }),
  }),
  prompt: 'Say hello',
});
console.log(await streamed.text);

await generateText({
  ...settings('ai7-failure'),
  model: new MockLanguageModelV4({
    provider: 'openai.chat',
    modelId: 'gpt-4o',
    doGenerate: async () => {
      throw new Error('the model is overloaded');
    },
  }),
  prompt: 'And tomorrow?',
}).catch((error) => console.log(error.message));

await provider.shutdown();
