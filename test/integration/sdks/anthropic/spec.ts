import { ANTHROPIC_USAGE } from '../fake-anthropic.ts';
import { estimated } from '../list-prices.ts';
import type { SdkCall, SdkSpec } from '../spec.ts';

const { asksForTool, readsTool } = ANTHROPIC_USAGE;
const AGENT = 'WeatherAgent';
const ROOT = 'invoke_agent WeatherAgent';
const QUESTION = 'Do I need an umbrella in Oslo?';

const tokensIn = ({ input, cacheRead, cacheWrite }: typeof asksForTool | typeof readsTool): number =>
  input + cacheRead + cacheWrite;

const FIRST: SdkCall = {
  agent: AGENT,
  model: 'claude-sonnet-4-5-20250929',
  tokensIn: tokensIn(asksForTool),
  tokensOut: asksForTool.output,
  cacheRead: asksForTool.cacheRead,
  cacheWrite: asksForTool.cacheWrite,
  cost: estimated('claude-sonnet-4-5', asksForTool),
  prompt: QUESTION,
  completion: { calls: ['get_weather'] },
  reasoning: 'I have to look at the weather of Oslo.',
  finish: 'tool_use',
  asks: ['toolu_oslo'],
};
const SECOND: SdkCall = {
  agent: AGENT,
  model: 'claude-sonnet-4-5-20250929',
  tokensIn: tokensIn(readsTool),
  tokensOut: readsTool.output,
  cacheRead: readsTool.cacheRead,
  cacheWrite: readsTool.cacheWrite,
  cost: estimated('claude-sonnet-4-5', readsTool),
  prompt: '12 degrees, rain in Oslo',
  completion: 'Take an umbrella.',
  finish: 'end_turn',
  answers: ['toolu_oslo'],
};
const SUMS = {
  tokensIn: tokensIn(asksForTool) + tokensIn(readsTool),
  tokensOut: asksForTool.output + readsTool.output,
};

/** The Anthropic SDK's own spans, without texts, below those of OpenInference's instrumentation; a 529. */
export const anthropicTwins: SdkSpec = {
  folder: 'anthropic',
  program: 'twins.js',
  spans: [
    ROOT,
    'Anthropic Messages#1',
    'anthropic.messages.create#1',
    'Anthropic Messages#2',
    'anthropic.messages.create#2',
    'Anthropic Messages#3',
    'anthropic.messages.create#3',
  ],
  folded: {
    'Anthropic Messages#1': ['anthropic.messages.create#1'],
    'Anthropic Messages#2': ['anthropic.messages.create#2'],
    'Anthropic Messages#3': ['anthropic.messages.create#3'],
  },
  calls: {
    'Anthropic Messages#1': FIRST,
    'Anthropic Messages#2': SECOND,
    'Anthropic Messages#3': { agent: AGENT, model: 'busy', prompt: 'And tomorrow?', error: '529 ' },
  },
  tasks: [{ id: 'anthropic', root: ROOT, ...SUMS }],
  queries: { [ROOT]: QUESTION },
  // The tool has no span: what asked for it leads to what read its result.
  leads: [{ from: 'Anthropic Messages#1', to: 'Anthropic Messages#2', by: 'toolCallId' }],
};

/** The Anthropic SDK's own spans: a tool, a stream, a 529. Of what failed they have the kind of the error, no message. */
export const anthropicOwn: SdkSpec = {
  folder: 'anthropic',
  program: 'own-spans.js',
  spans: [
    'weather agent',
    'anthropic.messages.create#1',
    'execute_tool get_weather',
    'anthropic.messages.create#2',
    'anthropic.messages.create#3',
  ],
  calls: {
    'anthropic.messages.create#1': FIRST,
    'anthropic.messages.create#2': SECOND,
    'anthropic.messages.create#3': { agent: AGENT, model: 'busy', prompt: 'And tomorrow?', error: '' },
  },
  tools: {
    'execute_tool get_weather': {
      agent: AGENT,
      name: 'get_weather',
      callId: 'toolu_oslo',
      arguments: '{"city":"Oslo"}',
      result: '12 degrees, rain in Oslo',
    },
  },
  tasks: [{ id: 'anthropic-own', root: 'weather agent', ...SUMS }],
  queries: { 'weather agent': QUESTION },
  leads: [
    { from: 'anthropic.messages.create#1', to: 'execute_tool get_weather', by: 'toolCallId' },
    { from: 'execute_tool get_weather', to: 'anthropic.messages.create#2', by: 'toolCallId' },
  ],
};
