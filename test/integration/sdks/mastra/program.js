import { setTimeout } from 'node:timers/promises';
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { createTool } from '@mastra/core/tools';
import { Observability } from '@mastra/observability';
import { OtelExporter } from '@mastra/otel-exporter';
import { simulateReadableStream } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { z } from 'zod';

/** A model takes its time: what comes after it begins in a later millisecond. */
const THINKING_MS = 5;
const endpoint = `${process.env.OTEL_EXPORTER_OTLP_ENDPOINT}/v1/traces`;
const usage = (input, cached, output, reasoning) => ({
  inputTokens: { total: input, noCache: input - cached, cacheRead: cached, cacheWrite: 0 },
  outputTokens: { total: output, text: output - reasoning, reasoning },
});
const finish = (unified) => ({ unified, raw: unified });
const answers = [
  {
    content: [
      { type: 'reasoning', text: 'I have to look at the weather of Oslo.' },
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
];
/** Mastra asks for a stream even where its own caller waits for the whole. */
const asStream = ({ content, finishReason, usage: used, response }) => [
  { type: 'stream-start', warnings: [] },
  { type: 'response-metadata', ...response, timestamp: new Date() },
  ...content.flatMap((part, index) =>
    part.type === 'tool-call'
      ? [part]
      : [
          { type: `${part.type}-start`, id: `p${index}` },
          { type: `${part.type}-delta`, id: `p${index}`, delta: part.text },
          { type: `${part.type}-end`, id: `p${index}` },
        ],
  ),
  { type: 'finish', finishReason, usage: used },
];
const next = async () => {
  const answer = await setTimeout(THINKING_MS, answers.shift());
  if (answer === undefined) throw new Error('the model is overloaded');
  return answer;
};
const model = new MockLanguageModelV3({
  provider: 'openai.responses',
  modelId: 'o4-mini',
  doGenerate: next,
  doStream: async () => ({ stream: simulateReadableStream({ chunks: asStream(await next()) }) }),
});
const getWeather = createTool({
  id: 'get_weather',
  description: 'The weather of a city',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ weather: `12 degrees, rain in ${city}` }),
});
const agent = new Agent({
  id: 'weather-agent',
  name: 'WeatherAgent',
  instructions: 'You are a weather agent.',
  model,
  tools: { get_weather: getWeather },
  maxRetries: 0,
});
const mastra = new Mastra({
  logger: false,
  agents: { agent },
  observability: new Observability({
    configs: {
      otel: {
        serviceName: 'weather-app',
        exporters: [
          new OtelExporter({
            provider: { custom: { endpoint, protocol: 'http/json' } },
            signals: { logs: false },
          }),
        ],
      },
    },
  }),
});
const memory = (thread) => ({ tracingOptions: { metadata: { sessionId: thread } } });

const { text } = await mastra.getAgent('agent').generate('Do I need an umbrella in Oslo?', memory('mastra'));
console.log(text);
await mastra
  .getAgent('agent')
  .generate('And tomorrow?', memory('mastra-failure'))
  .catch((error) => console.log(error.message));
await mastra.shutdown();
