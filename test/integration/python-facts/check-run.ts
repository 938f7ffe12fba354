import type { ExplanationNode } from '../../../src/model/node.ts';
import type { NodeDetail } from '../../../src/model/reader-messages.ts';
import type { ExpectedCall, ExpectedRun, ExpectedTool } from './expected-run.ts';
import { inOrder, textOf, type ShownRun } from './shown-run.ts';

/** One fact of a run: what the service shows, where it is not what happened. */
export interface Fact {
  readonly name: string;
  readonly isRight: boolean;
  readonly shown: string;
}

/** Estimates by another day's prices differ; so far they may. */
const COST_TOLERANCE = 0.02;

/** Compares what the service shows of a run with what happened, fact by fact. */
export async function checkRun(run: ExpectedRun, shown: ShownRun): Promise<readonly Fact[]> {
  const facts: Fact[] = [];
  const unknown = new Set(run.notInRecording);
  const check = (name: string, isRight: boolean, shownText: unknown): void => {
    if (!unknown.has(name)) facts.push({ name, isRight, shown: JSON.stringify(shownText) ?? 'nothing' });
  };
  const nodeOf = new Map<string, ExplanationNode>();
  checkCalls(run, shown, nodeOf, check);
  checkTools(run, shown, nodeOf, check);
  checkEdges(run, shown, nodeOf, check);
  checkTotals(run, shown, check);
  checkTask(run, shown, check);
  if (run.why !== undefined) {
    const of = nodeOf.get(run.why.of);
    const cause = nodeOf.get(run.why.cause);
    const causes = of === undefined ? [] : await shown.causesOf(of.id);
    const first = causes.slice(0, run.why.withinFirst);
    check('why', cause !== undefined && first.includes(cause.id), first);
  }
  return facts;
}

type Check = (name: string, isRight: boolean, shown: unknown) => void;
type Nodes = Map<string, ExplanationNode>;

function checkCalls(run: ExpectedRun, shown: ShownRun, nodeOf: Nodes, check: Check): void {
  const calls = inOrder(shown.graph.nodes.filter(({ type }) => type === 'LLM_CALL'));
  const done = calls.filter(({ status }) => status !== 'ERROR');
  check('calls.count', done.length === run.llmCalls.length, done.length);
  const left = new Set(done);
  const take = (expected: ExpectedCall, node: ExplanationNode | undefined): void => {
    if (node === undefined || !left.delete(node)) return;
    nodeOf.set(expected.id, node);
  };
  // Those of equal tokens in the order of time, which is that of the expectations.
  for (const call of run.llmCalls)
    take(
      call,
      done.find(
        (node) => left.has(node) && node.tokensIn === call.tokensIn && node.tokensOut === call.tokensOut,
      ),
    );
  for (const [place, call] of run.llmCalls.entries()) if (!nodeOf.has(call.id)) take(call, done[place]);
  for (const call of run.llmCalls) checkCall(call, detailOf(shown, nodeOf.get(call.id)), check);
  for (const [place, { error }] of (run.failedCalls ?? []).entries()) {
    const failed = calls.filter(({ status }) => status === 'ERROR');
    const texts = failed.map(({ id }) => detailOf(shown, { id })).filter((detail) => detail !== undefined);
    check(
      `failed ${place}.error`,
      texts.some((detail) => textOf(detail).includes(error)),
      failed.length,
    );
  }
}

function checkCall(call: ExpectedCall, detail: NodeDetail | undefined, check: Check): void {
  const { id } = call;
  const { node, texts } = detail ?? {};
  check(
    `${id}.model`,
    node?.model !== undefined && (node.model.startsWith(call.model) || node.model.endsWith(call.model)),
    node?.model,
  );
  check(`${id}.tokensIn`, node?.tokensIn === call.tokensIn, node?.tokensIn);
  check(`${id}.tokensOut`, node?.tokensOut === call.tokensOut, node?.tokensOut);
  if (call.costUsd !== undefined) check(`${id}.costUsd`, isNear(node?.costUsd, call.costUsd), node?.costUsd);
  if (call.minLatencyMs !== undefined)
    check(`${id}.latency`, (node?.latencyMs ?? 0) >= call.minLatencyMs, node?.latencyMs);
  checkAgent(call, node, check);
  if (call.reasoning !== undefined)
    check(`${id}.reasoning`, has(detail, call.reasoning), texts?.reasoning ?? null);
  if (call.prompt !== undefined) check(`${id}.prompt`, has(detail, call.prompt), texts?.prompt ?? null);
  check(`${id}.prompt.text`, isText(texts?.prompt), texts?.prompt ?? null);
  check(`${id}.answer.text`, isText(texts?.completion), texts?.completion ?? null);
  if (call.answer !== undefined)
    check(
      `${id}.answer`,
      call.answer.some((text) => has(detail, text)),
      texts?.completion ?? null,
    );
}

function checkTools(run: ExpectedRun, shown: ShownRun, nodeOf: Nodes, check: Check): void {
  const { handoff } = run;
  const isHandoff = (node: ExplanationNode): boolean => {
    if (handoff === undefined) return false;
    const name = new RegExp(handoff.name, 'i');
    return name.test(node.name ?? '') || name.test(toolNameOf(node));
  };
  const tools = inOrder(shown.graph.nodes.filter(({ type }) => type === 'TOOL_CALL'));
  const others = tools.filter((node) => !isHandoff(node));
  check('tools.count', others.length === run.tools.length, others.map(toolNameOf));
  const left = new Set(others);
  for (const tool of run.tools) {
    const node = others.find((candidate) => left.has(candidate) && fits(tool, candidate, shown));
    if (node !== undefined) {
      left.delete(node);
      nodeOf.set(tool.id, node);
    }
    checkTool(tool, detailOf(shown, node), check);
  }
  if (handoff === undefined) return;
  const found = inOrder(shown.graph.nodes).find(isHandoff);
  if (found !== undefined) nodeOf.set(handoff.id, found);
  check('handoff', found !== undefined, null);
}

function fits({ name, arguments: words }: ExpectedTool, node: ExplanationNode, shown: ShownRun): boolean {
  if (toolNameOf(node) !== name && node.name !== name) return false;
  return words === undefined || (detailOf(shown, node)?.texts?.toolArguments ?? '').includes(words);
}

function checkTool(tool: ExpectedTool, detail: NodeDetail | undefined, check: Check): void {
  const { id } = tool;
  check(id, detail !== undefined, null);
  check(`${id}.name`, detail !== undefined && toolNameOf(detail.node) === tool.name, detail?.node.name);
  if (tool.arguments !== undefined)
    check(
      `${id}.arguments`,
      (detail?.texts?.toolArguments ?? '').includes(tool.arguments),
      detail?.texts?.toolArguments ?? null,
    );
  if (tool.status !== undefined)
    check(`${id}.status`, detail?.node.status === tool.status, detail?.node.status);
  if (tool.error !== undefined)
    check(`${id}.error`, detail !== undefined && textOf(detail).includes(tool.error), detail?.texts ?? null);
  check(
    `${id}.result`,
    isText(detail?.texts?.toolResult) || isText(detail?.texts?.error),
    detail?.texts ?? null,
  );
  checkAgent(tool, detail?.node, check);
}

function checkEdges(run: ExpectedRun, { graph }: ShownRun, nodeOf: Nodes, check: Check): void {
  const triggered = new Set(
    graph.edges.filter(({ relation }) => relation === 'TRIGGERED').map(({ from, to }) => `${from} ${to}`),
  );
  const isThere = (from: string, to: string): boolean =>
    triggered.has(`${nodeOf.get(from)?.id} ${nodeOf.get(to)?.id}`);
  for (const { from, to } of run.edges) check(`${from} -> ${to}`, isThere(from, to), null);
  for (const { from, to, atMost } of run.paths) {
    const [start, end] = [nodeOf.get(from)?.id, nodeOf.get(to)?.id];
    const isReached = start !== undefined && end !== undefined && reaches(graph.edges, start, end, atMost);
    check(`${from} ~> ${to}`, isReached, null);
  }
  for (const { from, to } of run.wrongEdges ?? []) check(`not ${from} -> ${to}`, !isThere(from, to), null);
  const led = new Set(graph.edges.map(({ to }) => to));
  const roots = graph.nodes.filter(({ id }) => !led.has(id));
  check(
    'roots',
    roots.length > 0 && roots.length <= run.rootsAtMost,
    roots.map(({ id }) => id),
  );
}

function reaches(
  edges: readonly { readonly from: string; readonly to: string }[],
  start: string,
  end: string,
  atMost: number,
): boolean {
  let front = new Set([start]);
  for (let step = 0; step < atMost; step++) {
    front = new Set(edges.filter(({ from }) => front.has(from)).map(({ to }) => to));
    if (front.has(end)) return true;
  }
  return false;
}

function checkTotals({ totals }: ExpectedRun, { graph, tasks }: ShownRun, check: Check): void {
  const ofTasks = [sum(tasks, 'tokensIn'), sum(tasks, 'tokensOut')];
  check('totals.tokens', ofTasks[0] === totals.tokensIn && ofTasks[1] === totals.tokensOut, ofTasks);
  const ofNodes = [sum(graph.nodes, 'tokensIn'), sum(graph.nodes, 'tokensOut')];
  check('totals.nodeTokens', ofNodes[0] === totals.tokensIn && ofNodes[1] === totals.tokensOut, ofNodes);
  if (totals.costUsd !== undefined)
    check('totals.cost', isNear(sum(tasks, 'costUsd'), totals.costUsd), sum(tasks, 'costUsd'));
}

function checkTask({ task }: ExpectedRun, { graph }: ShownRun, check: Check): void {
  if (task === undefined) return;
  const ids = [...new Set(graph.nodes.map(({ taskId }) => taskId))];
  const traces = new Set(graph.nodes.map(({ details }) => details?.['traceId']));
  const [id] = ids;
  const isNamed = task.id === 'any one' || (task.id === 'not a trace id' ? !traces.has(id) : id === task.id);
  check('task', ids.length === 1 && isNamed, ids);
}

function checkAgent(
  { id, agent }: { readonly id: string; readonly agent?: string },
  node: ExplanationNode | undefined,
  check: Check,
): void {
  if (agent !== undefined) check(`${id}.agent`, node?.agent.replaceAll(' ', '') === agent, node?.agent);
}

function detailOf(shown: ShownRun, node: { readonly id: string } | undefined): NodeDetail | undefined {
  return node === undefined ? undefined : shown.details.get(node.id);
}

function toolNameOf({ details }: ExplanationNode): string {
  const name = details?.['toolName'];
  return typeof name === 'string' ? name : '';
}

function has(detail: NodeDetail | undefined, text: string): boolean {
  return Object.values(detail?.texts ?? {}).some((value) => String(value).includes(text));
}

function isText(text: string | undefined): boolean {
  return text !== undefined && text.trim() !== '';
}

function isNear(shown: number | undefined, expected: number): boolean {
  return shown !== undefined && Math.abs(shown - expected) <= expected * COST_TOLERANCE;
}

type Figure = 'tokensIn' | 'tokensOut' | 'costUsd';

function sum(items: readonly { readonly [F in Figure]?: number }[], figure: Figure): number {
  return items.reduce((total, item) => total + (item[figure] ?? 0), 0);
}
