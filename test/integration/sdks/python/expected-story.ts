import type {
  ExpectedCall,
  ExpectedEdge,
  ExpectedRun,
  ExpectedTool,
} from '../../python-facts/expected-run.ts';
import { ANSWER, QUESTION } from './weather-story.ts';

/** In which the programs differ. */
export interface StoryKind {
  readonly model: string;
  /** Dollars for a million tokens of input and output. */
  readonly prices: readonly [input: number, output: number];
  /** Left out where nothing names an agent. */
  readonly forecaster?: string;
  /** How the writer comes to speak: handed over to by a tool, called as a tool, next in a graph; else not at all. */
  readonly writer?: { readonly name: string; readonly by: 'handoff' | 'tool' | 'graph' };
  /** Tools run where telemetry sees them; else the program itself runs them between the calls. */
  readonly tools: boolean;
  /** False where the failing tool gives its failure as an ordinary result. */
  readonly toolFails?: boolean;
  /** Tools beyond those of the story. */
  readonly more?: readonly string[];
  readonly task?: string;
  /** Facts that this stack does not send. */
  readonly notSent?: readonly string[];
}

const ASKS = { tokensIn: 120, tokensOut: 30, reasoning: 'I need the weather of both cities' };
const HANDS_ON = { tokensIn: 200, tokensOut: 25, reasoning: 'The writer should finish it' };
const WRITES = { tokensIn: 260, tokensOut: 40, reasoning: 'The writer polishes', answer: [ANSWER] };
const ANSWERS = { tokensIn: 200, tokensOut: 25, reasoning: 'Paris is known', answer: [ANSWER] };
/** Models think forty milliseconds; clocks are rounded. */
const MIN_LATENCY_MS = 30;

/** What happens in the story as this program plays it. */
export function storyOf(kind: StoryKind): ExpectedRun {
  const { forecaster, writer } = kind;
  const call = (id: string, said: object, agent: string | undefined): ExpectedCall => {
    const tokens = said as Pick<ExpectedCall, 'tokensIn' | 'tokensOut'>;
    const [input, output] = kind.prices;
    return {
      id,
      model: kind.model,
      costUsd: (tokens.tokensIn * input + tokens.tokensOut * output) / 1e6,
      minLatencyMs: MIN_LATENCY_MS,
      ...(agent !== undefined && { agent }),
      ...(id === 'L0' && { prompt: QUESTION }),
      ...tokens,
    };
  };
  const second = writer?.by === 'handoff' || writer?.by === 'tool' ? HANDS_ON : ANSWERS;
  const llmCalls = [call('L0', ASKS, forecaster), call('L1', second, forecaster)];
  if (writer) llmCalls.push(call('L2', WRITES, writer.name));
  if (writer?.by === 'tool') llmCalls.push(call('L3', ANSWERS, forecaster));
  const tools = kind.tools ? toolsOf(kind) : [];
  const edges = kind.tools ? edgesOf(kind) : [];
  const sum = (of: (call: ExpectedCall) => number): number =>
    llmCalls.reduce((all, made) => all + of(made), 0);
  return {
    files: [],
    llmCalls,
    tools,
    ...(writer?.by === 'handoff' && { handoff: { id: 'handoff', name: 'handoff|transfer' } }),
    edges,
    paths: writer === undefined || writer.by === 'graph' ? [] : [pathTo(writer.by)],
    wrongEdges: wrongEdges(llmCalls, tools.slice(0, tools.length - (kind.more?.length ?? 0)), edges),
    rootsAtMost: kind.tools ? 1 : 2,
    totals: {
      tokensIn: sum(({ tokensIn }) => tokensIn),
      tokensOut: sum(({ tokensOut }) => tokensOut),
      costUsd: sum(({ costUsd }) => costUsd ?? 0),
    },
    ...(kind.tools && {
      task: { id: kind.task ?? 'any one' },
      ...(kind.toolFails !== false && { why: { of: 'get_weather Atlantis', cause: 'L0', withinFirst: 3 } }),
    }),
    notInRecording: kind.notSent ?? [],
  };
}

function toolsOf({ forecaster, writer, toolFails, more = [] }: StoryKind): readonly ExpectedTool[] {
  const agent = forecaster === undefined ? {} : { agent: forecaster };
  const [name, error] = ['get_weather', 'no such city'];
  const paris = { id: 'get_weather Paris', name, arguments: 'Paris', status: 'OK', ...agent };
  const atlantis = { id: 'get_weather Atlantis', name, arguments: 'Atlantis', error, ...agent };
  return [
    paris,
    toolFails === false ? atlantis : { ...atlantis, status: 'ERROR' },
    ...(writer?.by === 'tool' ? [{ id: 'ask_writer', name: 'ask_writer', status: 'OK', ...agent }] : []),
    ...more.map((tool) => ({ id: tool, name: tool, status: 'OK', ...agent })),
  ];
}

function edgesOf({ writer }: StoryKind): readonly ExpectedEdge[] {
  const edges = ['get_weather Paris', 'get_weather Atlantis'].flatMap((tool) => [
    { from: 'L0', to: tool },
    { from: tool, to: 'L1' },
  ]);
  if (writer?.by === 'handoff') return [...edges, { from: 'L1', to: 'handoff' }];
  if (writer?.by === 'tool')
    return [...edges, { from: 'L1', to: 'ask_writer' }, { from: 'ask_writer', to: 'L3' }];
  return edges;
}

function pathTo(by: 'handoff' | 'tool'): ExpectedRun['paths'][number] {
  return { from: by === 'handoff' ? 'handoff' : 'ask_writer', to: 'L2', atMost: 4 };
}

/** Nothing leads back, and nothing leads between a tool and a call that neither asked for it nor was the next to read it. */
function wrongEdges(
  calls: readonly ExpectedCall[],
  tools: readonly ExpectedTool[],
  edges: readonly ExpectedEdge[],
): readonly ExpectedEdge[] {
  const back = calls.flatMap((later, place) =>
    calls.slice(0, place).map(({ id }) => ({ from: later.id, to: id })),
  );
  const between = calls.flatMap((call) =>
    tools.flatMap((tool) => [
      { from: call.id, to: tool.id },
      { from: tool.id, to: call.id },
    ]),
  );
  const isRight = (edge: ExpectedEdge): boolean =>
    edges.some(({ from, to }) => from === edge.from && to === edge.to);
  return [...back, ...between.filter((edge) => !isRight(edge))];
}
