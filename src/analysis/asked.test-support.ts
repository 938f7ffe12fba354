import { makeEngine } from '../../test/support/make-engine.ts';
import { batchOf, makeSpan, safe } from '../../test/support/world.ts';
import { atOnce, NEVER_OVER } from '../base/in-turns.ts';
import type { GraphReader } from '../graph/graph-reader.ts';
import type { AttributeValue } from '../model/attributes.ts';
import type { ExplanationNode } from '../model/node.ts';
import type { SafeRecord } from '../model/pipeline.ts';
import { epochMs } from '../model/time.ts';
import type { CauseCandidate, CauseReason, CauseRule, WhyAnswer } from '../model/why.ts';
import { stepsBefore } from './run.ts';
import { explainWhy } from './why.ts';

const START = 1_750_000_000_000;
const TRACE = 'a'.repeat(32);

export interface Told {
  readonly n: number;
  readonly parent?: number;
  readonly links?: readonly number[];
  readonly name?: string;
  readonly at: number;
  readonly ms?: number | 'running';
  readonly failed?: string;
  readonly attrs?: { readonly [key: string]: AttributeValue };
}

export const CALL = { 'model.name': 'm1', component: 'coder-agent' };

/** An LLM call of an agent with what it said, and the tool calls that it asked for by id. */
export function call(
  agent: string,
  said: string,
  asks: readonly { readonly id: string; readonly tool: string; readonly args?: object }[] = [],
): { readonly [key: string]: AttributeValue } {
  const parts = [
    { type: 'text', content: said },
    ...asks.map(({ id, tool, args = {} }) => ({ type: 'tool_call', id, name: tool, arguments: args })),
  ];
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'm1',
    'gen_ai.agent.name': agent,
    'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts }]),
  };
}

export function tool(
  id: string,
  name: string,
  result: string,
  args = '{}',
): { readonly [key: string]: AttributeValue } {
  return {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': name,
    'gen_ai.tool.call.id': id,
    'gen_ai.tool.call.arguments': args,
    'gen_ai.tool.call.result': result,
  };
}

/** A run of agents: what the user asked, and the answer that was given. */
export function workflow(asked: string, answered: string): { readonly [key: string]: AttributeValue } {
  return {
    'gen_ai.operation.name': 'invoke_workflow',
    'gen_ai.input.messages': JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: asked }] }]),
    'gen_ai.output.messages': JSON.stringify([
      { role: 'assistant', parts: [{ type: 'text', content: answered }] },
    ]),
  };
}

export interface Asked extends WhyAnswer {
  /** Each reason as `rule number`, in order. */
  readonly named: readonly string[];
  /** What is said of a step by a rule. */
  reason(n: number, rule: CauseRule): CauseReason | undefined;
  candidate(n: number): CauseCandidate | undefined;
  /** All of a text of a step. */
  textOf(nodeId: string, field: string): string | undefined;
}

export function idOf(n: number): string {
  return `${TRACE}:${spanId(n)}`;
}

/** The answer about a node of which no texts are kept. */
export function explainAtOnce(graph: GraphReader, asked: ExplanationNode): WhyAnswer {
  const before = atOnce(stepsBefore(graph, asked, NEVER_OVER));
  return atOnce(explainWhy(graph, before, () => ({}), '', NEVER_OVER));
}

/** @param asked a step, or the task of the trace */
export async function why(asked: number | 'task', steps: readonly Told[]): Promise<Asked> {
  const { engine } = makeEngine();
  await engine.correlator.consume(batchOf(steps.map(spanOf)));
  const answer = await engine.reader.why(asked === 'task' ? { taskId: TRACE } : { nodeId: idOf(asked) });
  const candidate = (n: number): CauseCandidate | undefined =>
    answer.candidates.find(({ nodeId }) => nodeId === idOf(n));
  return {
    ...answer,
    named: answer.candidates.flatMap(({ nodeId, reasons }) =>
      reasons.map(({ rule }) => `${rule} ${parseInt(nodeId.slice(-16), 16)}`),
    ),
    candidate,
    reason: (n, wanted) => candidate(n)?.reasons.find(({ rule }) => rule === wanted),
    textOf: (nodeId, field) => {
      const texts: { readonly [key: string]: string } = { ...engine.reader.getNode(nodeId).texts };
      return texts[field];
    },
  };
}

export function spanOf({
  n,
  parent,
  links = [],
  name = `step ${n}`,
  at,
  ms = 10,
  failed,
  attrs = {},
}: Told): SafeRecord {
  return safe(
    makeSpan({
      spanId: spanId(n),
      parentSpanId: parent === undefined ? undefined : spanId(parent),
      name,
      start: epochMs(START + at),
      end: ms === 'running' ? undefined : epochMs(START + at + ms),
      status: failed === undefined ? 'OK' : 'ERROR',
      statusMessage: failed ?? '',
      links: links.map((link) => ({ traceId: TRACE, spanId: spanId(link), attributes: new Map() })),
      attrs,
    }),
  );
}

function spanId(n: number): string {
  return n.toString(16).padStart(16, '0');
}
