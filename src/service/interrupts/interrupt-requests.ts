import { BoundaryError } from '../../base/boundary-error.ts';
import type { Interrupted, InterruptState, MewContext } from '../../model/interrupt.ts';
import type { ExplanationNode } from '../../model/node.ts';
import { byStart } from '../../model/node-order.ts';
import type { InterruptsApi } from '../../servers/http/control/interrupts-api.ts';
import type { ReaderApi } from '../../subscriptions/reader-api.ts';
import { textIn, wrong } from '../given.ts';
import { askedWhy } from './given-interrupt.ts';
import type { Interrupts } from './interrupts.ts';

export interface InterruptRequestsOptions {
  readonly interrupts: Interrupts;
  readonly reader: Pick<ReaderApi, 'getNode'>;
  /** What is in memory. */
  readonly nodeOf: (nodeId: string) => ExplanationNode | undefined;
  /** What is in memory of a task. */
  readonly nodesOf: (taskId: string) => Iterable<ExplanationNode>;
  /** Does an agent wait for exactly this? */
  readonly isWaitedFor: (taskId: string, traceIds: readonly string[]) => boolean;
  /** @throws BoundaryError UNAVAILABLE while nothing is taken in */
  readonly assertOpen: () => void;
}

/** Here it is known at once how an interrupt stands. */
export interface RequestsHere extends InterruptsApi {
  state(id: string): InterruptState;
}

/** Finds out what is meant by what is asked, and whether it can be stopped at all. */
export function interruptRequests({
  interrupts,
  reader,
  nodeOf,
  nodesOf,
  isWaitedFor,
  assertOpen,
}: InterruptRequestsOptions): RequestsHere {
  return {
    async step(nodeId, given, by) {
      assertOpen();
      return interrupts.ask(askedWhy(given, by), by, async () => {
        // What runs is in memory as a rule; its texts are in the store, and are not waited for.
        const node = nodeOf(nodeId) ?? (await reader.getNode(nodeId)).node;
        if (node.state === 'RUNNING' && node.type !== 'SUMMARY') return aboutStep(node, nodesOf);
        throw ended(node.type === 'SUMMARY' ? 'this stands for several steps' : 'the step has ended');
      });
    },
    async task(taskId, given, by) {
      assertOpen();
      return interrupts.ask(askedWhy(given, by), by, async () => {
        const nodes = [...nodesOf(taskId)].sort(byStart);
        const running = nodes.find(({ state }) => state === 'RUNNING');
        if (running) return aboutStep(running, nodesOf);
        const last = nodes.at(-1);
        const traceIds = [...new Set(nodes.flatMap(tracesOf))];
        if (isWaitedFor(taskId, traceIds)) return { taskId, nodeId: last?.id, agent: undefined, traceIds };
        if (last) throw ended('nothing of this task runs, and no agent waits for it');
        throw new BoundaryError(
          'NOT_FOUND',
          'taskId: nothing of a task with this id is known to be under way',
        );
      });
    },
    async own(given, by) {
      assertOpen();
      const [agent, taskId, traceId, nodeId] = ['agent', 'taskId', 'traceId', 'nodeId'].map((field) =>
        textIn(given, field),
      );
      if (agent === undefined && taskId === undefined && traceId === undefined)
        throw wrong('agent', 'is required, or taskId or traceId: say which of your agents is to stop');
      const about = {
        agent,
        taskId,
        nodeId,
        traceIds: traceId === undefined ? undefined : [traceId.toLowerCase()],
      };
      const { id, told } = await interrupts.ask(askedWhy(given, by), by, () => Promise.resolve(about), by.id);
      return { id, told: told.length };
    },
    state: (id) => interrupts.stateOf(id),
  };
}

/** What is known of a step that is to be stopped. */
export function aboutStep(
  node: ExplanationNode,
  nodesOf: (taskId: string) => Iterable<ExplanationNode>,
): Interrupted {
  const { id: nodeId, taskId, agent, details } = node;
  const runId = details?.['runId'];
  return {
    nodeId,
    taskId,
    agent,
    traceIds: tracesOf(node),
    runId: typeof runId === 'string' ? runId : undefined,
    mew: mewContextOf(node, nodesOf),
  };
}

/** Who is asked to stop is who began the context, whoever works in it. */
function mewContextOf(
  node: ExplanationNode,
  nodesOf: (taskId: string) => Iterable<ExplanationNode>,
): MewContext | undefined {
  const { sessionId: space, contextPath: path } = node.details ?? {};
  if (typeof space !== 'string' || typeof path !== 'string') return undefined;
  const isStart = ({ details = {} }: ExplanationNode): boolean =>
    details['reasoningKind'] === 'start' && details['contextPath'] === path && details['sessionId'] === space;
  let start = isStart(node) ? node : undefined;
  if (!start && node.taskId !== undefined)
    for (const other of nodesOf(node.taskId)) if (isStart(other)) start = other;
  const { agent } = start ?? node;
  return agent === undefined ? undefined : { space, path, agent };
}

export function tracesOf({ details = {} }: ExplanationNode): readonly string[] {
  const { traceId, traceIds } = details;
  const all: readonly unknown[] = Array.isArray(traceIds) ? [traceId, ...(traceIds as unknown[])] : [traceId];
  return [...new Set(all.filter((id) => typeof id === 'string'))];
}

function ended(what: string): BoundaryError {
  return new BoundaryError(
    'FAILED_PRECONDITION',
    `${what}: interrupt a step that is RUNNING, or a task for which an agent waits`,
  );
}
