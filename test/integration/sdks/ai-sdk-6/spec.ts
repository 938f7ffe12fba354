import { estimated } from '../list-prices.ts';
import type { SdkSpec } from '../spec.ts';

const AGENT = 'WeatherAgent';

/** Vercel AI SDK 6: a call of a tool in two steps, a stream, a failure. */
export const aiSdk6: SdkSpec = {
  folder: 'ai-sdk-6',
  program: 'program.js',
  spans: [
    'ai.generateText#1',
    'ai.generateText.doGenerate#1',
    'ai.toolCall',
    'ai.generateText.doGenerate#2',
    'ai.streamText',
    'ai.streamText.doStream',
    'ai.generateText#2',
    'ai.generateText.doGenerate#3',
  ],
  calls: {
    'ai.generateText.doGenerate#1': {
      agent: AGENT,
      model: 'o4-mini-2025-04-16',
      tokensIn: 1200,
      tokensOut: 90,
      cacheRead: 1000,
      cacheWrite: 0,
      reasoningTokens: 64,
      cost: estimated('o4-mini', { input: 200, cacheRead: 1000, output: 90 }),
      prompt: 'Do I need an umbrella in Oslo?',
      completion: { calls: ['get_weather'] },
      reasoning: 'I need the weather of Oslo.\n\nThe tool knows it.',
      thoughts: ['I need the weather of Oslo.', 'The tool knows it.'],
      finish: 'tool-calls',
      asks: ['call_oslo'],
    },
    'ai.generateText.doGenerate#2': {
      agent: AGENT,
      model: 'o4-mini-2025-04-16',
      tokensIn: 1300,
      tokensOut: 12,
      cacheRead: 1200,
      cacheWrite: 0,
      reasoningTokens: 0,
      cost: estimated('o4-mini', { input: 100, cacheRead: 1200, output: 12 }),
      prompt: '12 degrees, rain in Oslo',
      completion: 'Take an umbrella.',
      finish: 'stop',
      answers: ['call_oslo'],
    },
    'ai.streamText.doStream': {
      agent: AGENT,
      model: 'gpt-4o-2024-08-06',
      tokensIn: 20,
      tokensOut: 9,
      cacheRead: 0,
      cacheWrite: 0,
      reasoningTokens: 4,
      cost: estimated('gpt-4o', { input: 20, output: 9 }),
      prompt: 'Say hello',
      completion: 'Hello there.',
      reasoning: 'A greeting is enough.',
      finish: 'stop',
    },
    'ai.generateText.doGenerate#3': {
      agent: AGENT,
      model: 'gpt-4o',
      prompt: 'And tomorrow?',
      error: 'the model is overloaded',
    },
  },
  tools: {
    'ai.toolCall': {
      agent: AGENT,
      name: 'get_weather',
      callId: 'call_oslo',
      arguments: '{"city":"Oslo"}',
      result: '12 degrees, rain in Oslo',
    },
  },
  errors: { 'ai.generateText#2': 'the model is overloaded' },
  tasks: [
    { id: 'ai6-tool', root: 'ai.generateText#1', tokensIn: 2500, tokensOut: 102 },
    { id: 'ai6-stream', root: 'ai.streamText', tokensIn: 20, tokensOut: 9 },
    { id: 'ai6-failure', root: 'ai.generateText#2' },
  ],
  queries: {
    'ai.generateText#1': 'Do I need an umbrella in Oslo?',
    'ai.streamText': 'Say hello',
    'ai.generateText#2': 'And tomorrow?',
  },
  leads: [
    { from: 'ai.generateText.doGenerate#1', to: 'ai.toolCall', by: 'toolCallId' },
    { from: 'ai.toolCall', to: 'ai.generateText.doGenerate#2', by: 'toolCallId' },
  ],
};
