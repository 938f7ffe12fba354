import { seldom, type IsOver, type Work } from '../base/in-turns.ts';
import type { GraphReader } from '../graph/graph-reader.ts';
import { endOf } from '../model/failure.ts';
import { isEventNode } from '../model/ids.ts';
import { startOf } from '../model/in-time.ts';
import type { ExplanationNode } from '../model/node.ts';
import { byStart } from '../model/node-order.ts';
import { firstLine } from '../model/one-line.ts';
import { sentence, stepOf, type Sentence } from './summary-words.ts';

/** Sentences about stops. */
const MAX_STOPS = 3;
const MAX_REASON_CHARS = 120;
/** As the service itself, and agents of MEW, call that somebody asked an agent to stop. */
const STOPS: ReadonlySet<string> = new Set(['UserInterrupt', 'reasoning/cancel', 'reasoning/interrupt']);

/** Who asked for a stop, of what, when, what was under way, and what came of it: a sentence for each, the first ones. */
export function* stopsIn(
  graph: GraphReader,
  nodes: readonly ExplanationNode[],
  isOver: IsOver,
): Work<readonly Sentence[]> {
  const stops = nodes.filter(isStop).sort(byStart).slice(0, MAX_STOPS);
  const sentences: Sentence[] = [];
  for (const stop of stops) {
    const stopped = stoppedBy(graph, stop);
    const doing = yield* underWay(nodes, startOf(stop), isOver);
    const answers = answersTo(graph, stop);
    const about = [stopped, doing, stop, ...answers].filter((node) => node !== undefined);
    const who = textOf(stop, 'askedBy') ?? stop.agent;
    const what = stopped ? `${stepOf(stopped)} to stop` : 'for a stop';
    const then = doing && doing !== stopped ? `, while ${stepOf(doing)} was under way` : '';
    const why = textOf(stop, 'summary') ?? textOf(stop, 'reason');
    const came = answers.map(answerOf).join('; ');
    sentences.push({
      text: sentence(
        `${who} asked ${what} at ${stop.timestamp}${then}${why === undefined ? '' : ` (${why})`}`,
        came === '' ? '' : `; ${came}`,
      ),
      nodeIds: [...new Set(about.map(({ id }) => id))],
    });
  }
  return sentences;
}

function isStop({ type, name }: ExplanationNode): boolean {
  return type === 'REFLEXION_ACTION' && STOPS.has(name);
}

/** A guard's stop follows from its firing, and names the step. */
function stoppedBy(graph: GraphReader, stop: ExplanationNode): ExplanationNode | undefined {
  const named = textOf(stop, 'stepId');
  const asked = named ?? graph.inEdges(stop.id).find(({ relation }) => relation === 'USER_ACTION')?.from;
  return asked === undefined ? undefined : graph.node(asked);
}

/** The step that began last of those that ran. */
function* underWay(
  nodes: readonly ExplanationNode[],
  at: number,
  isOver: IsOver,
): Work<ExplanationNode | undefined> {
  const isRest = seldom(isOver);
  let latest: ExplanationNode | undefined;
  for (const node of nodes) {
    if (isRest()) yield;
    if (isEventNode(node.id) || node.type === 'USER_QUERY' || startOf(node) > at) continue;
    if (node.state !== 'RUNNING' && endOf(node) < at) continue;
    if (!latest || byStart(node, latest) > 0) latest = node;
  }
  return latest;
}

function answersTo(graph: GraphReader, stop: ExplanationNode): readonly ExplanationNode[] {
  return graph
    .outEdges(stop.id)
    .flatMap(({ to }) => graph.node(to) ?? [])
    .filter(isAnswer)
    .sort(byStart)
    .slice(0, MAX_STOPS);
}

function isAnswer({ name }: ExplanationNode): boolean {
  return name === 'InterruptAnswered' || name === 'InterruptUnanswered' || name === 'reasoning/interrupt-ack';
}

function answerOf(node: ExplanationNode): string {
  const said = textOf(node, 'summary') ?? textOf(node, 'outcome') ?? node.name;
  return node.name === 'InterruptUnanswered' ? said : `${node.agent} answered: ${said}`;
}

function textOf({ details = {} }: ExplanationNode, key: string): string | undefined {
  const value = details[key];
  return typeof value === 'string' && value.trim() !== '' ? firstLine(value, MAX_REASON_CHARS) : undefined;
}
