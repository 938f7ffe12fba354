import { seldom, type IsOver, type Work } from '../base/in-turns.ts';
import { sorted } from '../base/sorted.ts';
import type { GraphReader } from '../graph/graph-reader.ts';
import { causesFirst } from '../model/cause-order.ts';
import { endOf } from '../model/failure.ts';
import { hadEnded, isAfter, isOneTime, startOf, timesOf } from '../model/in-time.ts';
import { cutBefore } from '../model/marker.ts';
import type { StepTexts } from '../model/facts.ts';
import type { ExplanationNode } from '../model/node.ts';
import { byStart } from '../model/node-order.ts';
import type { Considered } from '../model/why.ts';
import { ancestorsOf, nodesOfTask } from './outcome.ts';

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
  /** What an LLM call was given; of a long one its beginning, the instructions, and its end, the last messages. */
  readonly heard: readonly Piece[];
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

/** What is looked at of a run, before its texts are read. */
export interface StepsBefore {
  readonly failed: ExplanationNode;
  /** The step at the top of the tree that the failure is in. */
  readonly root: ExplanationNode;
  /** In order, the nearest to the failure. */
  readonly kept: readonly ExplanationNode[];
  /** How many there were before these. */
  readonly left: number;
  /** Did the run go on when it had failed? */
  readonly goesOn: boolean;
}

/** The nodes whose texts `runBefore` reads. */
export function nodesToRead({ root, kept, failed }: StepsBefore): string[] {
  return [root.id, ...kept.map(({ id }) => id), failed.id];
}

/** What was done in a run until a step of it failed. */
export function* runBefore(
  graph: GraphReader,
  { root, kept, left, goesOn }: StepsBefore,
  textsOf: TextsOf,
  isOver: IsOver,
): Work<Run> {
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
      heard: [],
    });
  }
  let withText = 0;
  for (const step of steps.values()) {
    const { node } = step;
    const texts = reader.read(node.id);
    if (node.type === 'LLM_CALL') {
      const said = texts.completion === undefined ? 'reasoning' : 'completion';
      step.own.push(...reader.pieces(node.id, texts, [said]));
      step.heard.push(...reader.ends(node.id, texts.prompt));
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
    if (isOver()) yield;
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
  heard: Piece[];
}

function* rootOf(graph: GraphReader, node: ExplanationNode, isOver: IsOver): Work<ExplanationNode> {
  const top = (yield* ancestorsOf(graph, node.id, isOver)).at(-1);
  return (top === undefined ? undefined : graph.node(top)) ?? node;
}

/**
 * Below the root; where nothing is there, in the task. What began when the failure was over, or came of it, led to nothing;
 * what leads to it was before its end whatever clocks say, what is inside it as far as it had begun by then.
 */
export function* stepsBefore(graph: GraphReader, failed: ExplanationNode, isOver: IsOver): Work<StepsBefore> {
  const root = yield* rootOf(graph, failed, isOver);
  const later = yield* dependants(graph, failed.id, isOver);
  const causes = yield* leadingTo(graph, failed.id, isOver);
  const isInTime = (node: ExplanationNode): boolean => startOf(node) <= endOf(failed);
  for (const { id } of yield* nodesBelow(graph, failed, isInTime, isOver)) causes.add(id);
  const isStep = ({ id, type }: ExplanationNode): boolean =>
    (type === 'LLM_CALL' || type === 'TOOL_CALL') && id !== failed.id;
  const below = yield* nodesBelow(graph, root, isStep, isOver);
  const found = below.length > 0 ? below : yield* nodesOfTask(graph, failed.taskId, isStep, isOver);
  const isRest = seldom(isOver);
  const before: ExplanationNode[] = [];
  let goesOn = false;
  const ofFailed = timesOf(failed);
  for (const node of found) {
    const { id } = node;
    const times = timesOf(node);
    if (later.has(id) || (!causes.has(id) && isAfter(times, ofFailed))) goesOn = true;
    else if (causes.has(id) || !hadEnded(ofFailed, times)) before.push(node);
    if (isRest()) yield;
  }
  const inOrder = yield* causesFirst(
    (yield* sorted(before, byStart, isOver)).map((node) => ({ node })),
    (a, b) => isOneTime(startOf(a.node), startOf(b.node)),
    (id) => graph.inEdges(id).map(({ from }) => from),
    isOver,
  );
  const left = Math.max(0, inOrder.length - MAX_STEPS);
  return { failed, root, kept: inOrder.slice(left).map(({ node }) => node), left, goesOn };
}

/** All that leads to a step. */
function* leadingTo(graph: GraphReader, failedId: string, isOver: IsOver): Work<Set<string>> {
  const isRest = seldom(isOver);
  const found = new Set([failedId]);
  for (const id of found) {
    for (const { from } of graph.inEdges(id)) {
      found.add(from);
      if (isRest()) yield;
    }
    if (isRest()) yield;
  }
  return found;
}

function* nodesBelow(
  graph: GraphReader,
  root: ExplanationNode,
  isWanted: (node: ExplanationNode) => boolean,
  isOver: IsOver,
): Work<ExplanationNode[]> {
  const isRest = seldom(isOver);
  const nodes: ExplanationNode[] = isWanted(root) ? [root] : [];
  // By id: one that is put below another step meanwhile is taken once.
  const queue = new Set([root.id]);
  for (const id of queue) {
    if (isRest()) yield;
    for (const edge of graph.outEdges(id)) {
      if (isRest()) yield;
      if (queue.has(edge.to) || edge.evidence !== 'parentSpanId' || graph.treeParent(edge.to) !== id)
        continue;
      const node = graph.node(edge.to);
      if (!node) continue;
      queue.add(edge.to);
      if (isWanted(node)) nodes.push(node);
    }
  }
  return nodes;
}

/** What the failure led to. What is inside it did not come of it. */
function* dependants(graph: GraphReader, failedId: string, isOver: IsOver): Work<ReadonlySet<string>> {
  const isRest = seldom(isOver);
  const found = new Set<string>();
  for (const { to, evidence } of graph.outEdges(failedId)) {
    if (evidence !== 'parentSpanId') found.add(to);
    if (isRest()) yield;
  }
  // The set grows while it is walked: it is the queue of the search.
  for (const id of found) {
    for (const { to } of graph.outEdges(id)) {
      found.add(to);
      if (isRest()) yield;
    }
    if (isRest()) yield;
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

  /** Not quoted: a marker may be cut. */
  ends(nodeId: string, prompt = ''): Piece[] {
    const half = Math.ceil(this.most / 2);
    const texts = prompt.length <= this.most ? [prompt] : [prompt.slice(0, half), prompt.slice(-half)];
    return texts.filter((text) => text !== '').map((text) => ({ nodeId, field: 'prompt', text }));
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
