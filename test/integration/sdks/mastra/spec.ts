import { estimated } from '../list-prices.ts';
import type { SdkSpec } from '../spec.ts';

const AGENT = 'WeatherAgent';
const ROOT = 'invoke_agent WeatherAgent';
const OVERLOADED = 'the model is overloaded';

/**
 * Mastra: an agent with a tool, and a run that fails. A call is told by several spans: the step around it has its
 * prompt, the chunks below it have the reasoning and the tool call.
 */
export const mastra: SdkSpec = {
  folder: 'mastra',
  program: 'program.js',
  gaps: {
    SDK3: 'prompts stand on the step around a call, and chunks do not say which of them is reasoning',
  },
  spans: [
    `${ROOT}#1`,
    'model_generation o4-mini#1',
    'agent_step WeatherAgent#1',
    'chat o4-mini#1',
    'model_chunk WeatherAgent#1',
    'model_chunk WeatherAgent#2',
    'model_chunk WeatherAgent#3',
    'execute_tool get_weather',
    'agent_step WeatherAgent#2',
    'chat o4-mini#2',
    'model_chunk WeatherAgent#4',
    `${ROOT}#2`,
    'model_generation o4-mini#2',
    'agent_step WeatherAgent#3',
    'chat o4-mini#3',
  ],
  folded: {
    'model_generation o4-mini#1': ['agent_step WeatherAgent#1', 'agent_step WeatherAgent#2'],
    'model_generation o4-mini#2': ['agent_step WeatherAgent#3'],
    'chat o4-mini#1': [
      'model_chunk WeatherAgent#1',
      'model_chunk WeatherAgent#2',
      'model_chunk WeatherAgent#3',
    ],
    'chat o4-mini#2': ['model_chunk WeatherAgent#4'],
  },
  calls: {
    'chat o4-mini#1': {
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
      reasoning: 'I have to look at the weather of Oslo.',
      finish: 'tool-calls',
      asks: ['call_oslo'],
    },
    'chat o4-mini#2': {
      agent: AGENT,
      model: 'o4-mini-2025-04-16',
      tokensIn: 1300,
      tokensOut: 12,
      cacheRead: 1200,
      cacheWrite: 0,
      reasoningTokens: 0,
      cost: estimated('o4-mini', { input: 100, cacheRead: 1200, output: 12 }),
      // A step exports which tool's result it reads, but neither the result nor the id of the call.
      prompt: '[tool-result: get_weather]',
      completion: 'Take an umbrella.',
      finish: 'stop',
    },
    'chat o4-mini#3': {
      agent: AGENT,
      model: 'o4-mini',
      prompt: 'And tomorrow?',
      finish: 'error',
      // The message is on the agent's span only.
      error: '',
    },
  },
  tools: {
    'execute_tool get_weather': {
      agent: AGENT,
      name: 'get_weather',
      callId: 'call_oslo',
      arguments: '{"city":"Oslo"}',
      result: '{"weather":"12 degrees, rain in Oslo"}',
    },
  },
  errors: { [`${ROOT}#2`]: OVERLOADED },
  tasks: [
    { id: 'mastra', root: `${ROOT}#1`, tokensIn: 2500, tokensOut: 102 },
    { id: 'mastra-failure', root: `${ROOT}#2` },
  ],
  queries: { [`${ROOT}#1`]: 'Do I need an umbrella in Oslo?', [`${ROOT}#2`]: 'And tomorrow?' },
  leads: [{ from: 'chat o4-mini#1', to: 'execute_tool get_weather', by: 'toolCallId' }],
};
