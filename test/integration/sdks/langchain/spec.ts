import { estimated } from '../list-prices.ts';
import type { SdkSpec } from '../spec.ts';

const AGENT = 'WeatherAgent';
const OVERLOADED = 'the model is overloaded';

/** LangGraph with OpenInference: an agent with a tool, and a run that fails. */
export const langchain: SdkSpec = {
  folder: 'langchain',
  program: 'program.js',
  spans: [
    'WeatherAgent#1',
    '__start__#1',
    'model#1',
    'WeatherModel#1',
    'RunnableLambda#1',
    'tools',
    'get_weather',
    'model#2',
    'WeatherModel#2',
    'RunnableLambda#2',
    'WeatherAgent#2',
    '__start__#2',
    'model#3',
    'WeatherModel#3',
  ],
  folded: {
    'WeatherAgent#1': ['__start__#1'],
    'WeatherAgent#2': ['__start__#2'],
    'model#1': ['RunnableLambda#1'],
    'model#2': ['RunnableLambda#2'],
  },
  calls: {
    'WeatherModel#1': {
      agent: AGENT,
      model: 'gpt-4o-2024-08-06',
      tokensIn: 2006,
      tokensOut: 300,
      cacheRead: 1920,
      reasoningTokens: 128,
      cost: estimated('gpt-4o', { input: 86, cacheRead: 1920, output: 300 }),
      prompt: 'Do I need an umbrella in Oslo?',
      completion: { calls: ['get_weather'] },
      asks: ['call_oslo'],
    },
    'WeatherModel#2': {
      agent: AGENT,
      model: 'gpt-4o-2024-08-06',
      tokensIn: 2100,
      tokensOut: 40,
      cost: estimated('gpt-4o', { input: 2100, output: 40 }),
      prompt: '12 degrees, rain in Oslo',
      completion: 'Take an umbrella.',
      answers: ['call_oslo'],
    },
    'WeatherModel#3': { agent: AGENT, model: 'gpt-4o', prompt: 'And tomorrow?', error: OVERLOADED },
  },
  tools: {
    get_weather: {
      agent: AGENT,
      name: 'get_weather',
      callId: 'call_oslo',
      // The argument alone is exported, without its name.
      arguments: 'Oslo',
      result: '12 degrees, rain in Oslo',
    },
  },
  errors: { 'WeatherAgent#2': OVERLOADED, 'model#3': OVERLOADED },
  tasks: [
    { id: 'langgraph', root: 'WeatherAgent#1', tokensIn: 4106, tokensOut: 340 },
    { id: 'langgraph-failure', root: 'WeatherAgent#2' },
  ],
  queries: { 'WeatherAgent#1': 'Do I need an umbrella in Oslo?', 'WeatherAgent#2': 'And tomorrow?' },
  leads: [
    { from: 'WeatherModel#1', to: 'get_weather', by: 'toolCallId' },
    { from: 'get_weather', to: 'WeatherModel#2', by: 'toolCallId' },
  ],
};
