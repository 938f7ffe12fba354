import type { GraphReader } from '../graph/graph-reader.ts';
import { endOf } from '../model/failure.ts';
import { cutBefore } from '../model/marker.ts';
import type { StepTexts } from '../model/facts.ts';
import type { ExplanationNode } from '../model/node.ts';
import { parseTime } from '../model/time.ts';
import type { Considered } from '../model/why.ts';
import { byStart } from './order.ts';
import { ancestorsOf } from './outcome.ts';

/** The texts of a node, as `getNode` gives them; empty where none are kept. */
export type TextsOf = (nodeId: string) => StepTexts;

/** So many steps, the nearest to the failure, are looked at. */
export const MAX_STEPS = 500;
/** Of each text so much is read. */
const MAX_TEXT_CHARS = 65_536;
/** Of all texts together so much is read, of each an equal share: what a person waits for. */
const MAX_CHARS = 500_000;

/** A text of a step, as far as it is read. */
export interface Piece {
  readonly nodeId: string;
  readonly field: keyof StepTexts;
  readonly text: string;
}

/** An LLM call or a tool call. */
export interface Step {
  readonly node: ExplanationNode;
  /** Its place in the run. */
  readonly index: number;
  /** The tool calls that it asked for. */
  readonly asked: readonly Step[];
  /** Did ids of tool calls say so? Else equal text. */
  readonly asksById: boolean;
  /** The LLM call that asked for this tool call. */
  readonly asker: Step | undefined;
  /** Of an LLM call its answer and the arguments of what it asked for; of a tool call its result. What was read never counts. */
  readonly own: readonly Piece[];
  /** What the tools that it asked for gave. */
  readonly results: readonly Piece[];
}

/** The steps that had begun before a failure. */
export interface Run {
  /** The step at the top of the tree that the failure is in. */
  readonly root: ExplanationNode;
  readonly steps: readonly Step[];
  readonly considered: Considered;
  /** Did the run go on when it had failed? */
  readonly goesOn: boolean;
}

/** The nodes whose texts `runBefore` reads. */
export function nodesToRead(graph: GraphReader, failed: ExplanationNode): string[] {
  const root = rootOf(graph, failed);
  return [root.id, ...stepsBefore(graph, failed, root).kept.map(({ id }) => id)];
}

/** What was done in a run until a step of it failed. */
export function runBefore(graph: GraphReader, failed: ExplanationNode, textsOf: TextsOf): Run {
  const root = rootOf(graph, failed);
  const { kept, left, goesOn } = stepsBefore(graph, failed, root);
  const reader = new TextReader(textsOf, kept.length);
  const steps = new Map<string, MutableStep>();
  for (const node of kept) {
    const own: Piece[] = [];
    steps.set(node.id, {
      node,
      index: steps.size,
      asked: [],
      asksById: false,
      asker: undefined,
      own,
      results: [],
    });
  }
  let withText = 0;
  for (const step of steps.values()) {
    const { node } = step;
    const texts = reader.read(node.id);
    if (node.type === 'LLM_CALL') {
      const said = texts.completion === undefined ? 'reasoning' : 'completion';
      step.own.push(...reader.pieces(node.id, texts, [said]));
    } else {
      const given = reader.pieces(node.id, texts, ['toolArguments']);
      const results = reader.pieces(node.id, texts, ['toolResult', 'error']);
      step.own.push(...results);
      const asker = askerOf(graph, node.id, steps);
      if (asker) {
        step.asker = asker.step;
        asker.step.asked.push(step);
        asker.step.asksById ||= asker.byId;
        asker.step.own.push(...given);
        asker.step.results.push(...results);
      }
    }
  }
  for (const { own } of steps.values()) if (own.length > 0) withText++;
  const considered = { steps: steps.size, withText, cut: left + reader.cut };
  return { root, steps: [...steps.values()], considered, goesOn };
}

interface MutableStep extends Step {
  asked: Step[];
  asksById: boolean;
  asker: Step | undefined;
  own: Piece[];
  results: Piece[];
}

function rootOf(graph: GraphReader, node: ExplanationNode): ExplanationNode {
  const top = ancestorsOf(graph, node.id).at(-1);
  return (top === undefined ? undefined : graph.node(top)) ?? node;
}

/** Below the root; where nothing is there, in the task. Those that began after the failure, or depend on it, led to nothing. */
function stepsBefore(
  graph: GraphReader,
  failed: ExplanationNode,
  root: ExplanationNode,
): { readonly kept: readonly ExplanationNode[]; readonly left: number; readonly goesOn: boolean } {
  const later = dependants(graph, failed.id);
  const ended = failed.state === 'RUNNING' ? Infinity : endOf(failed);
  const isStep = ({ id, type }: ExplanationNode): boolean =>
    (type === 'LLM_CALL' || type === 'TOOL_CALL') && id !== failed.id;
  const isBefore = ({ id, timestamp }: ExplanationNode): boolean =>
    !later.has(id) && (parseTime(timestamp) ?? 0) <= ended;
  const below = nodesBelow(graph, root).filter(isStep);
  const found = below.length > 0 ? below : nodesOfTask(graph, failed.taskId).filter(isStep);
  const inOrder = found.filter(isBefore).sort(byStart);
  const left = Math.max(0, inOrder.length - MAX_STEPS);
  return { kept: inOrder.slice(left), left, goesOn: inOrder.length < found.length };
}

function nodesBelow(graph: GraphReader, root: ExplanationNode): ExplanationNode[] {
  const nodes = [root];
  for (const { id } of nodes) {
    for (const edge of graph.outEdges(id)) {
      if (edge.evidence !== 'parentSpanId' || graph.treeParent(edge.to) !== id) continue;
      const node = graph.node(edge.to);
      if (node) nodes.push(node);
    }
  }
  return nodes;
}

function nodesOfTask(graph: GraphReader, taskId: string): ExplanationNode[] {
  return [...graph.nodesOfTask(taskId)].map((id) => graph.node(id)).filter((node) => node !== undefined);
}

/** What the failure led to. What is inside it did not come of it. */
function dependants(graph: GraphReader, failedId: string): ReadonlySet<string> {
  const found = new Set<string>();
  const queue = graph
    .outEdges(failedId)
    .filter(({ evidence }) => evidence !== 'parentSpanId')
    .map(({ to }) => to);
  for (const id of queue) {
    if (found.has(id)) continue;
    found.add(id);
    for (const { to } of graph.outEdges(id)) queue.push(to);
  }
  return found;
}

/** Whoever asked for a tool call by its id or in the same words; of several the last. */
function askerOf(
  graph: GraphReader,
  toolId: string,
  steps: ReadonlyMap<string, MutableStep>,
): { readonly step: MutableStep; readonly byId: boolean } | undefined {
  let best: { readonly step: MutableStep; readonly byId: boolean } | undefined;
  for (const { from, evidence } of graph.inEdges(toolId)) {
    const step = steps.get(from);
    if (step?.node.type !== 'LLM_CALL' || evidence === 'parentSpanId' || evidence === 'inferred') continue;
    const byId = evidence === 'toolCallId';
    const isBetter = !best || (byId !== best.byId ? byId : step.index > best.step.index);
    if (isBetter) best = { step, byId };
  }
  return best;
}

/** Reads the beginnings of texts and counts those that go on. */
class TextReader {
  cut = 0;
  private readonly textsOf: TextsOf;
  private readonly most: number;

  constructor(textsOf: TextsOf, steps: number) {
    this.textsOf = textsOf;
    this.most = Math.min(MAX_TEXT_CHARS, Math.ceil(MAX_CHARS / Math.max(1, steps)));
  }

  read(nodeId: string): StepTexts {
    return this.textsOf(nodeId);
  }

  pieces(nodeId: string, texts: StepTexts, fields: readonly (keyof StepTexts)[]): Piece[] {
    return fields.flatMap((field) => {
      const text = texts[field];
      if (text === undefined || text === '') return [];
      if (text.length > this.most) this.cut++;
      return [
        { nodeId, field, text: text.length > this.most ? text.slice(0, cutBefore(text, this.most)) : text },
      ];
    });
  }
}
