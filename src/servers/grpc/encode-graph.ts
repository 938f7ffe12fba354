import type { IsOver, Work } from '../../base/in-turns.ts';
import type { AnswerShare } from '../../transport/answer-bytes.ts';
import type { ExplanationGraph } from '../../model/node.ts';
import { messageSerializer } from './load-proto.ts';
import { nodeMessage } from './messages.ts';
import { messageField } from '../../base/protobuf.ts';

/** Nodes or edges that are encoded in one step: about a millisecond. */
const STEP_ITEMS = 100;

const serializeGraph = messageSerializer('ExplanationGraph');

/** A GetGraphResponse, in steps, as far as there is room for it. */
export function* encodeGraphAnswer(
  graph: ExplanationGraph,
  share: AnswerShare,
  isOver: IsOver,
): Work<Buffer> {
  return yield* joined(messageField(1, yield* collected(graphParts(graph), share, isOver)), isOver);
}

/**
 * A message whose lists are long as several of its kind, with a piece of a list each: their bytes, one after the other,
 * are those of the whole (protobuf encoding, "Last One Wins": repeated fields of merged messages are concatenated).
 */
function* graphParts({ nodes, edges, lastUpdated, notices }: ExplanationGraph): Generator<Buffer> {
  for (const some of runsOf(nodes)) yield serializeGraph({ nodes: some.map(nodeMessage) });
  for (const some of runsOf(edges)) yield serializeGraph({ edges: some });
  yield serializeGraph({ lastUpdated, notices });
}

function* runsOf<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += STEP_ITEMS) yield items.slice(at, at + STEP_ITEMS);
}

function* collected(parts: Iterable<Buffer>, share: AnswerShare, isOver: IsOver): Work<Buffer[]> {
  const all: Buffer[] = [];
  for (const part of parts) {
    all.push(part);
    const room = share.add(part.length);
    if (room || isOver()) yield room;
  }
  return all;
}

/** As Buffer.concat: tens of megabytes take tens of milliseconds. */
function* joined(parts: readonly Buffer[], isOver: IsOver): Work<Buffer> {
  const whole = Buffer.allocUnsafe(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    at += part.copy(whole, at);
    if (isOver()) yield;
  }
  return whole;
}
