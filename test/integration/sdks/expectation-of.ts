import type { Expectation } from '../recordings/expectation.ts';
import type { NamedSpans, SdkSpec } from './spec.ts';

/** The spec in the words in which recordings are checked; span names become the ids of this run. */
export function expectationOf(spec: SdkSpec, run: NamedSpans): Expectation {
  const byId = <T, R>(table: { readonly [span: string]: T } | undefined, turn: (value: T) => R) =>
    Object.fromEntries(Object.entries(table ?? {}).map(([name, value]) => [run.spanId(name), turn(value)]));
  const failed = Object.entries({ ...spec.calls, ...spec.tools }).flatMap(([name, { error }]) =>
    error === undefined ? [] : [[name, error] as const],
  );
  return {
    recording: `${spec.folder}/${spec.program}`,
    about: '',
    spans: spec.spans.length,
    notes: [],
    merges: Object.entries(spec.folded ?? {}).map(([name, others]) => ({
      spans: [name, ...others].map((span) => run.spanId(span)),
      because: 'one step',
    })),
    mayMerge: [],
    modelSwitches: 0,
    calls: byId(spec.calls, (call) => ({
      agent: call.agent,
      model: call.model,
      requestModel: null,
      tokensIn: call.tokensIn ?? null,
      tokensOut: call.tokensOut ?? null,
      cacheRead: call.cacheRead ?? null,
      cacheWrite: call.cacheWrite ?? null,
      reasoningTokens: call.reasoningTokens ?? null,
      costUsd: call.cost?.source === 'reported' ? call.cost.usd : null,
      prompt: call.prompt ?? null,
      completion: call.completion ?? null,
      reasoningChars: call.reasoning?.length ?? null,
      ...(call.finish !== undefined && { finish: call.finish }),
      asks: call.asks ?? [],
      answers: call.answers ?? [],
      status: call.error === undefined ? 'OK' : 'ERROR',
    })),
    tools: byId(spec.tools, (tool) => ({
      name: tool.name,
      callId: tool.callId,
      arguments: true,
      result: tool.result !== undefined,
      type: 'TOOL_CALL',
      status: tool.error === undefined ? 'OK' : 'ERROR',
    })),
    containers: {},
    errors: byId({ ...spec.errors, ...Object.fromEntries(failed) }, (message) => message),
    tasks: spec.tasks.map(({ id, root, tokensIn = null, tokensOut = null }) => {
      const traceId = run.traceId(root);
      const reported = sumOf(costsOf(spec, run, traceId, 'reported'));
      return { id: id ?? traceId, traces: [traceId], tokensIn, tokensOut, costUsd: reported ?? null };
    }),
    agents: [],
    edges: [],
  };
}

/** Dollars of the calls of a trace. */
export function costsOf(
  spec: SdkSpec,
  run: NamedSpans,
  traceId: string,
  source?: 'reported',
): readonly number[] {
  return Object.entries(spec.calls).flatMap(([name, { cost }]) =>
    cost !== undefined && run.traceId(name) === traceId && (source === undefined || cost.source === source)
      ? [cost.usd]
      : [],
  );
}

export function sumOf(figures: readonly number[]): number | undefined {
  return figures.length === 0 ? undefined : figures.reduce((total, figure) => total + figure, 0);
}
