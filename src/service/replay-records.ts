import { spanMaker } from '../exporters/otlp/graph-spans.ts';
import type { ReplayedGraph } from '../exporters/otlp/replayed-graph.ts';
import type { ExplanationNode } from '../model/node.ts';
import type { NodeDetail } from '../model/reader-messages.ts';
import type { CotRecord, SpanRecord } from '../model/records.ts';
import { epochMs } from '../model/time.ts';
import { askedLine, titleLine } from '../model/title.ts';
import type { PlannedStep } from './replay-plan.ts';

type ReplayRecord = SpanRecord | CotRecord;

interface ThoughtPiece {
  readonly token: string;
  readonly piece: { readonly index: number; readonly of: number };
  readonly nowMs: number;
  /** Of the step that thinks it. */
  readonly span: SpanRecord;
}

/** Of a step that runs. */
interface Thought {
  readonly text: string;
  readonly span: SpanRecord;
}

/** Reads a node of the recorded task; undefined when it was erased meanwhile. */
export type ReadDetail = (nodeId: string) => Promise<NodeDetail | undefined>;

/** Makes of what happens in a replay the records that tell of it. */
export class ReplayRecords {
  private readonly replayed: ReplayedGraph;
  private readonly read: ReadDetail;
  private readonly spanOf: (detail: NodeDetail) => SpanRecord;
  /** Thoughts of steps that run, by the step's id in the recorded task. */
  private readonly thoughts = new Map<string, Thought>();
  /** Steps that have begun and are not over. */
  private readonly open = new Set<string>();

  constructor(replayed: ReplayedGraph, read: ReadDetail) {
    this.replayed = replayed;
    this.read = read;
    this.spanOf = spanMaker(replayed.graph);
  }

  async of(step: PlannedStep, nowMs: number): Promise<readonly ReplayRecord[]> {
    switch (step.what) {
      case 'begin':
        return this.begun(step.node);
      case 'piece':
        return this.piece(step, nowMs);
      case 'end':
        return this.over(step.node);
    }
  }

  /** The steps that have begun, as those of a run that was broken off. */
  brokenOff(): readonly SpanRecord[] {
    return [...this.open].flatMap((id) => {
      const node = this.replayed.nodeOf(id);
      return node ? [this.spanOf({ node: { ...begin(node), state: 'ABANDONED' } })] : [];
    });
  }

  private async begun(original: ExplanationNode): Promise<readonly ReplayRecord[]> {
    const node = this.replayed.nodeOf(original.id);
    const detail = node && (await this.read(original.id));
    if (!node || !detail) return [];
    this.open.add(original.id);
    const { prompt, toolArguments } = detail.texts ?? {};
    const texts = {
      ...(prompt !== undefined && { prompt }),
      ...(toolArguments !== undefined && { toolArguments }),
    };
    const span = this.spanOf({ node: begin(node), texts });
    const text = detail.texts?.reasoning;
    if (text !== undefined) this.thoughts.set(original.id, { text, span });
    return [span];
  }

  private piece({ node: original, piece }: PlannedStep, nowMs: number): readonly ReplayRecord[] {
    const thought = this.thoughts.get(original.id);
    const node = this.replayed.nodeOf(original.id);
    if (!thought || !node || !piece) return [];
    const token = pieceOf(thought.text, piece.index, piece.of);
    return [thoughtOf(node, { token, piece, nowMs, span: thought.span })];
  }

  /** All that is known of a step, and of the steps of its thought. */
  private async over(original: ExplanationNode): Promise<readonly ReplayRecord[]> {
    const records: ReplayRecord[] = [];
    this.thoughts.delete(original.id);
    this.open.delete(original.id);
    for (const id of [original.id, ...this.replayed.thoughtsOf(original.id)]) {
      const node = this.replayed.nodeOf(id);
      const detail = node && (await this.read(id));
      if (node && detail) records.push(this.spanOf({ ...detail, node }));
    }
    return records;
  }
}

/** A step as it is known when it begins: nothing of what comes of it. */
function begin(node: ExplanationNode): ExplanationNode {
  const {
    latencyMs: _latencyMs,
    tokensIn: _in,
    tokensOut: _out,
    costUsd: _cost,
    details = {},
    ...rest
  } = node;
  const { partOf, traceId, toolName, toolCallId, sessionId, userId, replayOf, replayOfNode } = details;
  const known = { partOf, traceId, toolName, toolCallId, sessionId, userId, replayOf, replayOfNode };
  const isCall = node.type === 'TOOL_CALL' && node.status !== 'ERROR';
  return {
    ...rest,
    state: 'RUNNING',
    status: 'OK',
    title: isCall
      ? node.title
      : (titleLine(askedLine(node.promptSummary)) ?? titleLine(node.name) ?? node.name),
    details: Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)),
  };
}

function thoughtOf(
  { id, agent, model, taskId }: ExplanationNode,
  { token, piece, nowMs, span }: ThoughtPiece,
): CotRecord {
  return {
    kind: 'cot',
    requestId: id.slice('req:'.length),
    time: epochMs(nowMs),
    text: undefined,
    tokens: [token],
    final: piece.index === piece.of - 1,
    summary: undefined,
    agent,
    model,
    taskId,
    // Without its span it would be looked for by agent and time, among the calls of those who run now.
    traceId: span.traceId,
    spanId: span.spanId,
    sequence: piece.index + 1,
  };
}

/** One of so many parts of a text, about equal, none of which ends in the middle of a character. */
function pieceOf(text: string, index: number, of: number): string {
  return text.slice(cut(text, (text.length * index) / of), cut(text, (text.length * (index + 1)) / of));
}

function cut(text: string, place: number): number {
  const at = Math.floor(place);
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at;
}
