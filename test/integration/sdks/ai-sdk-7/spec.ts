import { estimated } from '../list-prices.ts';
import type { SdkSpec } from '../spec.ts';

const AGENT = 'WeatherAgent';
const OVERLOADED = 'the model is overloaded';

/** Vercel AI SDK 7: two tools at once of which one fails, a stream, a failure. Reasoning tokens are not exported. */
export const aiSdk7: SdkSpec = {
  folder: 'ai-sdk-7',
  program: 'program.js',
  spans: [
    'invoke_agent o4-mini',
    'step 1#1',
    'chat o4-mini#1',
    'execute_tool get_weather',
    'execute_tool get_tide',
    'step 2',
    'chat o4-mini#2',
    'invoke_agent gpt-4o#1',
    'step 1#2',
    'chat gpt-4o#1',
    'invoke_agent gpt-4o#2',
    'step 1#3',
    'chat gpt-4o#2',
  ],
  folded: {
    'invoke_agent o4-mini': ['step 1#1', 'step 2'],
    'invoke_agent gpt-4o#1': ['step 1#2'],
    'invoke_agent gpt-4o#2': ['step 1#3'],
  },
  calls: {
    'chat o4-mini#1': {
      agent: AGENT,
      model: 'o4-mini-2025-04-16',
      tokensIn: 1200,
      tokensOut: 90,
      cacheRead: 1000,
      cacheWrite: 0,
      cost: estimated('o4-mini', { input: 200, cacheRead: 1000, output: 90 }),
      prompt: 'Do I need an umbrella in Oslo, and boots in Atlantis?',
      completion: { calls: ['get_weather', 'get_tide'] },
      reasoning: 'I need the weather of one, and the tide of the other.',
      finish: 'tool-calls',
      asks: ['call_oslo', 'call_atlantis'],
    },
    'chat o4-mini#2': {
      agent: AGENT,
      model: 'o4-mini-2025-04-16',
      tokensIn: 1300,
      tokensOut: 12,
      cacheRead: 1200,
      cacheWrite: 0,
      cost: estimated('o4-mini', { input: 100, cacheRead: 1200, output: 12 }),
      prompt: '12 degrees, rain in Oslo Error: there is no such city',
      completion: 'Take an umbrella.',
      finish: 'stop',
      answers: ['call_oslo', 'call_atlantis'],
    },
    'chat gpt-4o#1': {
      agent: AGENT,
      model: 'gpt-4o-2024-08-06',
      tokensIn: 20,
      tokensOut: 9,
      cacheRead: 0,
      cacheWrite: 0,
      cost: estimated('gpt-4o', { input: 20, output: 9 }),
      prompt: 'Say hello',
      completion: 'Hello there.',
      reasoning: 'A greeting is enough.',
      finish: 'stop',
    },
    'chat gpt-4o#2': { agent: AGENT, model: 'gpt-4o', prompt: 'And tomorrow?', error: OVERLOADED },
  },
  tools: {
    'execute_tool get_weather': {
      agent: AGENT,
      name: 'get_weather',
      callId: 'call_oslo',
      arguments: '{"city":"Oslo"}',
      result: '12 degrees, rain in Oslo',
    },
    'execute_tool get_tide': {
      agent: AGENT,
      name: 'get_tide',
      callId: 'call_atlantis',
      arguments: '{"city":"Atlantis"}',
      error: 'there is no such city',
    },
  },
  errors: { 'invoke_agent gpt-4o#2': OVERLOADED, 'step 1#3': OVERLOADED },
  tasks: [
    { id: 'ai7-tool', root: 'invoke_agent o4-mini', tokensIn: 2500, tokensOut: 102 },
    { id: 'ai7-stream', root: 'invoke_agent gpt-4o#1', tokensIn: 20, tokensOut: 9 },
    { id: 'ai7-failure', root: 'invoke_agent gpt-4o#2' },
  ],
  queries: {
    'invoke_agent o4-mini': 'Do I need an umbrella in Oslo, and boots in Atlantis?',
    'invoke_agent gpt-4o#1': 'Say hello',
    'invoke_agent gpt-4o#2': 'And tomorrow?',
  },
  leads: [
    { from: 'chat o4-mini#1', to: 'execute_tool get_weather', by: 'toolCallId' },
    { from: 'chat o4-mini#1', to: 'execute_tool get_tide', by: 'toolCallId' },
    { from: 'execute_tool get_weather', to: 'chat o4-mini#2', by: 'toolCallId' },
    { from: 'execute_tool get_tide', to: 'chat o4-mini#2', by: 'toolCallId' },
  ],
};
