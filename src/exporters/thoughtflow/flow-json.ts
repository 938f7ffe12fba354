import { endOf } from '../../model/failure.ts';
import { startOf } from '../../model/in-time.ts';
import type { ExplanationGraph, ExplanationNode } from '../../model/node.ts';
import type { NodeDetail } from '../../model/reader-messages.ts';
import { epochMs, toIso } from '../../model/time.ts';
import { conversationItem, sentItem, stepItem } from './flow-items.ts';
import type { FlowItem } from './flow-item.ts';
import { flowId, planFlow, type FlowPlan, type PlannedConversation } from './flow-plan.ts';
import { Snapshots } from './snapshots.ts';

/** What is written as ThoughtFlow: a task or part of one, and what is kept of each node. */
export interface FlowContent {
  readonly taskId: string;
  readonly graph: Pick<ExplanationGraph, 'nodes' | 'edges'>;
  /** Undefined for a node that was erased meanwhile. */
  readonly detail: (nodeId: string) => Promise<NodeDetail | undefined>;
}

/**
 * A consolidated session, piece by piece: what came as ThoughtFlow as it came, all else as conversations of its own.
 * @param conversation its place in `planFlow`; absent: all of them
 */
export async function* flowJson(content: FlowContent, conversation?: number): AsyncGenerator<string, void> {
  const plan = planFlow(content.graph);
  const { list, item } = await sessionOf(content, plan);
  yield `${open(item)}${JSON.stringify(list)}:[`;
  const wanted =
    conversation === undefined
      ? plan.conversations
      : plan.conversations.slice(conversation, conversation + 1);
  let between = '\n';
  for (const planned of wanted) {
    yield between;
    yield* conversationJson(content, plan, planned, list);
    between = ',\n';
  }
  yield '\n]}\n';
}

/** A session; of several tasks an array of sessions. */
export async function* flowsJson(
  { nodes, edges }: Pick<ExplanationGraph, 'nodes' | 'edges'>,
  detail: FlowContent['detail'],
): AsyncGenerator<string, void> {
  const tasks = [...Map.groupBy(nodes, ({ taskId }) => taskId)];
  const [only] = tasks;
  if (only && tasks.length === 1) {
    yield* flowJson({ taskId: only[0], graph: { nodes, edges }, detail });
    return;
  }
  const taskOf = new Map(nodes.map(({ id, taskId }) => [id, taskId]));
  const within = Map.groupBy(edges, ({ from, to }) =>
    taskOf.get(from) === taskOf.get(to) ? taskOf.get(to) : undefined,
  );
  let between = '[';
  for (const [taskId, own] of tasks) {
    yield between;
    yield* flowJson({ taskId, graph: { nodes: own, edges: within.get(taskId) ?? [] }, detail });
    between = ',';
  }
  yield tasks.length === 0 ? '[]' : ']';
}

async function* conversationJson(
  { detail }: FlowContent,
  plan: FlowPlan,
  planned: PlannedConversation,
  list: FlowList,
): AsyncGenerator<string, void> {
  const idField = list === 'runs' ? 'run_id' : 'conversation_id';
  const head = planned.isOwn ? await detail(planned.head.id) : undefined;
  yield `${open(conversationItem(planned, plan, head, idField))}"steps":[`;
  const snapshots = new Snapshots();
  let between = '\n';
  for (const { id } of planned.steps) {
    const found = await detail(id);
    if (!found) continue;
    const { before, step } = snapshots.withSnapshots(found, (more) => stepItem(found, plan, more));
    for (const item of [...before, step]) {
      yield between + JSON.stringify(item);
      between = ',\n';
    }
  }
  yield '\n]}';
}

type FlowList = 'conversations' | 'runs';

interface Session {
  readonly list: FlowList;
  readonly item: FlowItem;
}

async function sessionOf({ taskId, detail, graph }: FlowContent, { sessions }: FlowPlan): Promise<Session> {
  const [only, another] = sessions;
  const list = only?.details?.['flowList'] === 'runs' && !another ? 'runs' : 'conversations';
  const sent = only && !another ? await detail(only.id) : undefined;
  const own = sent && sentItem(sent);
  if (own) return { list, item: own };
  return { list, item: { session_id: only && !another ? flowId(only) : taskId, ...timesOf(graph.nodes) } };
}

function timesOf(nodes: readonly ExplanationNode[]): FlowItem {
  let [first, last] = [Infinity, -Infinity];
  for (const node of nodes) {
    first = Math.min(first, startOf(node));
    last = Math.max(last, endOf(node));
  }
  if (first > last) return {};
  const isRunning = nodes.some(({ state }) => state === 'RUNNING');
  return {
    started_at: toIso(epochMs(first)),
    ...(!isRunning && { ended_at: toIso(epochMs(last)) }),
  };
}

/** An object that is written without its end. */
function open(item: FlowItem): string {
  const json = JSON.stringify(item);
  return json === '{}' ? '{' : `${json.slice(0, -1)},`;
}
