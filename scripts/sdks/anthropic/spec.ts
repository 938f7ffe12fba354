import { ANTHROPIC_USAGE } from '../fake-anthropic.ts';
import { estimated } from '../list-prices.ts';
import type { SdkSpec } from '../spec.ts';

const { asksForTool, readsTool } = ANTHROPIC_USAGE;
const AGENT = 'WeatherAgent';
const ROOT = 'invoke_agent WeatherAgent';
const QUESTION = 'Do I need an umbrella in Oslo?';

const tokensIn = ({ input, cacheRead, cacheWrite }: typeof asksForTool | typeof readsTool): number =>
  input + cacheRead + cacheWrite;

/** The Anthropic SDK, which makes spans by itself, with OpenInference's instrumentation around it; a 529. */
export const anthropic: SdkSpec = {
  folder: 'anthropic',
  program: 'program.js',
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
    'Anthropic Messages#1': {
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
    },
    'Anthropic Messages#2': {
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
    },
    'Anthropic Messages#3': { agent: AGENT, model: 'busy', prompt: 'And tomorrow?', error: '529 ' },
  },
  tasks: [
    {
      id: 'anthropic',
      root: ROOT,
      tokensIn: tokensIn(asksForTool) + tokensIn(readsTool),
      tokensOut: asksForTool.output + readsTool.output,
    },
  ],
  queries: { [ROOT]: QUESTION },
  // The tool has no span: what asked for it leads to what read its result.
  leads: [{ from: 'Anthropic Messages#1', to: 'Anthropic Messages#2', by: 'toolCallId' }],
};
