import type { ExplanationNode } from '../../../src/model/node.ts';
import { isReported } from './check-calls.ts';
import { anyOf, type Expectation, type ExpectedTask } from './expectation.ts';
import { compare, isSameFigure, type Findings } from './finding.ts';
import type { ShownRecording } from './shown-recording.ts';

/** Tokens and cost of tasks and agents: each call once, a container only if nothing below it has usage. */
export function checkSums(expectation: Expectation, shown: ShownRecording): Findings {
  return [
    ...expectation.tasks.flatMap((task) => checkTask(task, shown)),
    ...expectation.agents.flatMap(({ agent, tokensIn, tokensOut }) => {
      const names = anyOf(agent);
      const nodes = shown.graph.nodes.filter((node) => names.includes(node.agent));
      const name = names.join(' or ');
      return [
        compare('agents', name, 'tokens in', tokensIn, sum(nodes, 'tokensIn')),
        compare('agents', name, 'tokens out', tokensOut, sum(nodes, 'tokensOut')),
      ];
    }),
    ...Object.entries(expectation.containers).map(([spanId, { tokensIn, usageBelow }]) =>
      compare('tasks', spanId, 'own tokens in', usageBelow ? null : tokensIn, shown.nodeOf(spanId)?.tokensIn),
    ),
  ];
}

function checkTask(task: ExpectedTask, shown: ShownRecording): Findings {
  const overview = shown.tasks.find(({ taskId }) => taskId === task.id);
  const nodes = shown.graph.nodes.filter(({ taskId }) => taskId === task.id);
  const elsewhere = new Set(
    shown.spans
      .filter(({ traceId }) => task.traces.includes(traceId))
      .map(({ spanId }) => shown.nodeOf(spanId)?.taskId),
  );
  elsewhere.delete(task.id);
  const reported = sum(nodes.filter(isReported), 'costUsd');
  return [
    compare('tasks', task.id, 'task', task.id, overview?.taskId),
    compare('tasks', task.id, 'spans in other tasks', 'none', [...elsewhere].join(', ') || 'none'),
    compare('tasks', task.id, 'tokens in', task.tokensIn, overview?.tokensIn),
    compare('tasks', task.id, 'tokens out', task.tokensOut, overview?.tokensOut),
    compare('tasks', task.id, 'reported cost', task.costUsd, reported, (cost) =>
      isSameFigure(Number(cost), task.costUsd ?? Number.NaN),
    ),
  ];
}

/** Undefined when no node has the figure. */
export function sum(
  nodes: readonly ExplanationNode[],
  field: 'tokensIn' | 'tokensOut' | 'costUsd',
): number | undefined {
  const figures = nodes.map((node) => node[field]).filter((figure) => figure !== undefined);
  return figures.length === 0 ? undefined : figures.reduce((total, figure) => total + figure, 0);
}
