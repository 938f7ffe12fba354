import { estimated } from '../list-prices.ts';
import type { SdkSpec } from '../spec.ts';

const AGENT = 'WeatherAgent';
const OVERLOADED = 'the model is overloaded';

/** Genkit: a flow with a model and a tool of its own, and a flow that fails. No session: each trace is a task. */
export const genkit: SdkSpec = {
  folder: 'genkit',
  program: 'program.js',
  spans: [
    'WeatherAgent#1',
    'generate#1',
    'googleai/gemini-2.5-flash#1',
    'get_weather',
    'generate#2',
    'googleai/gemini-2.5-flash#2',
    'WeatherAgent#2',
    'generate#3',
    'googleai/gemini-2.5-flash#3',
  ],
  folded: { 'WeatherAgent#1': ['generate#1', 'generate#2'], 'WeatherAgent#2': ['generate#3'] },
  calls: {
    'googleai/gemini-2.5-flash#1': {
      agent: AGENT,
      model: 'googleai/gemini-2.5-flash',
      tokensIn: 1200,
      tokensOut: 90,
      cacheRead: 1000,
      reasoningTokens: 64,
      cost: estimated('gemini-2.5-flash', { input: 200, cacheRead: 1000, output: 90 }),
      prompt: 'Do I need an umbrella in Oslo?',
      completion: { calls: ['get_weather'] },
      reasoning: 'I have to look at the weather of Oslo.',
      finish: 'stop',
      asks: ['call_oslo'],
    },
    'googleai/gemini-2.5-flash#2': {
      agent: AGENT,
      model: 'googleai/gemini-2.5-flash',
      tokensIn: 1300,
      tokensOut: 12,
      cost: estimated('gemini-2.5-flash', { input: 1300, output: 12 }),
      prompt: '12 degrees, rain in Oslo',
      completion: 'Take an umbrella.',
      finish: 'stop',
      answers: ['call_oslo'],
    },
    'googleai/gemini-2.5-flash#3': {
      agent: AGENT,
      model: 'googleai/gemini-2.5-flash',
      prompt: 'And tomorrow?',
      error: OVERLOADED,
    },
  },
  tools: {
    // Genkit does not write the id of a tool call on the tool's span.
    get_weather: {
      agent: AGENT,
      name: 'get_weather',
      callId: null,
      arguments: '{"city":"Oslo"}',
      result: '12 degrees, rain in Oslo',
    },
  },
  errors: { 'WeatherAgent#2': OVERLOADED, 'generate#3': OVERLOADED },
  tasks: [
    { id: null, root: 'WeatherAgent#1', tokensIn: 2500, tokensOut: 102 },
    { id: null, root: 'WeatherAgent#2' },
  ],
  queries: { 'WeatherAgent#1': 'Do I need an umbrella in Oslo?', 'WeatherAgent#2': 'And tomorrow?' },
  leads: [
    { from: 'googleai/gemini-2.5-flash#1', to: 'get_weather', by: 'content' },
    { from: 'get_weather', to: 'googleai/gemini-2.5-flash#2', by: 'content' },
  ],
};
