import { setTimeout } from 'node:timers/promises';
import { generateText, simulateReadableStream, stepCountIs, streamText, tool } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { z } from 'zod';
import { provider } from './telemetry.js';

/** A model takes its time: what comes after it begins in a later millisecond. */
const THINKING_MS = 5;
const usage = (input, cached, output, reasoning) => ({
  inputTokens: { total: input, noCache: input - cached, cacheRead: cached, cacheWrite: 0 },
  outputTokens: { total: output, text: output - reasoning, reasoning },
});
const finish = (unified) => ({ unified, raw: unified });

/** A model that gives these answers, one after the other. */
const modelOf = (modelId, ...answers) =>
  new MockLanguageModelV3({
    provider: 'openai.responses',
    modelId,
    doGenerate: () => setTimeout(THINKING_MS, answers.shift()),
  });
const telemetry = (sessionId) => ({
  isEnabled: true,
  functionId: 'WeatherAgent',
  metadata: { sessionId, userId: 'user-7' },
});
const tools = {
  get_weather: tool({
    description: 'The weather of a city',
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => `12 degrees, rain in ${city}`,
  }),
};

const { text } = await generateText({
  model: modelOf(
    'o4-mini',
    {
      content: [
        { type: 'reasoning', text: 'I need the weather of Oslo.\n\nThe tool knows it.' },
        { type: 'tool-call', toolCallId: 'call_oslo', toolName: 'get_weather', input: '{"city":"Oslo"}' },
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
  prompt: 'Do I need an umbrella in Oslo?',
  tools,
  stopWhen: stepCountIs(3),
  experimental_telemetry: telemetry('ai6-tool'),
});
console.log(text);

const streamed = streamText({
  model: new MockLanguageModelV3({
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
  experimental_telemetry: telemetry('ai6-stream'),
});
console.log(await streamed.text);

await generateText({
  model: new MockLanguageModelV3({
    provider: 'openai.chat',
    modelId: 'gpt-4o',
    doGenerate: async () => {
      throw new Error('the model is overloaded');
    },
  }),
  maxRetries: 0,
  prompt: 'And tomorrow?',
  experimental_telemetry: telemetry('ai6-failure'),
}).catch((error) => console.log(error.message));

await provider.shutdown();
