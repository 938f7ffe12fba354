import { storyOf } from './expected-story.ts';
import type { ExpectedRun } from '../../python-facts/expected-run.ts';

/** A program with a Python SDK, and what happens in it: written from the story, before the first look at what is shown. */
export interface PythonStack {
  readonly name: string;
  /** Below `programs`. */
  readonly program: string;
  readonly args?: readonly string[];
  readonly expected: ExpectedRun;
}

/** What these instrumentations leave out. */
const NO_REASONING = ['L0', 'L1', 'L2', 'L3'].map((call) => `${call}.reasoning`);
const NO_TOOL_AGENT = ['get_weather Paris.agent', 'get_weather Atlantis.agent'];
const MINI = { model: 'gpt-4o-mini', prices: [0.15, 0.6] } as const;

export const STACKS: readonly PythonStack[] = [
  { name: 'openai', program: 'openai_oi.py', expected: storyOf({ ...MINI, tools: false }) },
  {
    name: 'anthropic',
    program: 'anthropic_oi.py',
    expected: storyOf({ model: 'claude-sonnet-4-5', prices: [3, 15], tools: false }),
  },
  {
    name: 'langgraph',
    program: 'langgraph_oi.py',
    expected: storyOf({
      ...MINI,
      tools: true,
      forecaster: 'forecaster',
      writer: { name: 'writer', by: 'graph' },
      task: 'thread-7',
      // A tool runs in a node of its own, of no agent.
      notSent: [...NO_REASONING, ...NO_TOOL_AGENT],
    }),
  },
  {
    name: 'openai-agents',
    program: 'openai_agents_oi.py',
    expected: storyOf({
      ...MINI,
      tools: true,
      forecaster: 'forecaster',
      writer: { name: 'writer', by: 'handoff' },
      // The SDK says of a failed tool that it failed, not why, to telemetry and model alike.
      notSent: ['get_weather Atlantis.error'],
    }),
  },
  ...['pydantic-ai', 'pydantic-ai, format 2'].map((name, place) => ({
    name,
    program: 'pydantic_agents.py',
    args: place === 0 ? [] : ['2'],
    expected: storyOf({
      ...MINI,
      tools: true,
      forecaster: 'forecaster',
      writer: { name: 'writer', by: 'tool' as const },
    }),
  })),
  {
    name: 'llama-index',
    program: 'llama_index_oi.py',
    expected: storyOf({
      ...MINI,
      tools: true,
      forecaster: 'forecaster',
      notSent: [...NO_REASONING, ...NO_TOOL_AGENT],
    }),
  },
  {
    name: 'strands',
    program: 'strands_own.py',
    expected: storyOf({
      ...MINI,
      tools: true,
      forecaster: 'forecaster',
      writer: { name: 'writer', by: 'tool' },
      notSent: NO_REASONING,
    }),
  },
  {
    name: 'smolagents',
    program: 'smolagents_oi.py',
    expected: storyOf({
      ...MINI,
      tools: true,
      toolFails: false,
      forecaster: 'forecaster',
      more: ['final_answer'],
    }),
  },
  {
    name: 'google-adk',
    program: 'google_adk_own.py',
    expected: storyOf({
      model: 'gemini-2.5-flash',
      prices: [0.3, 2.5],
      tools: true,
      toolFails: false,
      forecaster: 'forecaster',
      writer: { name: 'writer', by: 'handoff' },
      task: 'session-7',
    }),
  },
  {
    name: 'litellm',
    program: 'litellm_own.py',
    expected: storyOf({ ...MINI, tools: false, notSent: NO_REASONING }),
  },
];
