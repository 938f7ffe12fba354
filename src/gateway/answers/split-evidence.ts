import { timesOf } from '../../model/in-time.ts';
import { isSameModel } from '../../model/model-name.ts';
import { compareText } from '../../model/compare-text.ts';
import type { ExplanationNode, NodeType } from '../../model/node.ts';
import type { TaskOverview } from '../../model/task-overview.ts';
import { SPLIT_KINDS, type SplitExample, type SplitFinding } from '../../model/told-cells.ts';

/** So many of a kind are named: of each recording, run or sender that is met some, and the answer stays small. */
const EXAMPLES = 20;
/** An id that more steps share says nothing of which of them are one call, as in a cell. */
const MAX_ALIKE = 64;
/** A log record is written some time after its call has ended. */
const LOG_SLACK_MS = 1000;

const TOOL_TYPES: ReadonlySet<NodeType> = new Set<NodeType>(['TOOL_CALL', 'TEST_RUN', 'STATIC_ANALYSIS']);

/** Where something was seen: cells by id. */
type Seen = Map<string, Set<string>>;

/** A step as far as it can be one call with another. */
interface ToldCall {
  readonly nodeId: string;
  readonly cell: string;
  /** Of the span that tells of it; absent where log records do. */
  readonly traceId: string | undefined;
  readonly node: ExplanationNode;
}

/** What was seen in cells of what one process would join and several cannot: ids alone, no texts. */
export class SplitEvidence {
  private readonly tasks: Seen = new Map();
  private readonly traces: Seen = new Map();
  /** Cells whose steps name the request, but for thoughts that are alone. */
  private readonly requests: Seen = new Map();
  /** Thoughts whose request was not known in their cell. */
  private readonly alone: Seen = new Map();
  /** By session: its tasks, and where they are. */
  private readonly sessions = new Map<string, { readonly tasks: Set<string>; readonly cells: Set<string> }>();
  private readonly calls = new Map<string, ToldCall[]>();

  task(cell: string, { taskId, sessionId }: TaskOverview): void {
    put(this.tasks, taskId, cell);
    if (sessionId === undefined) return;
    const session = this.sessions.get(sessionId) ?? { tasks: new Set(), cells: new Set() };
    this.sessions.set(sessionId, session);
    session.tasks.add(taskId);
    session.cells.add(cell);
  }

  node(cell: string, node: ExplanationNode): void {
    const { id, type, details = {} } = node;
    const traces = tracesOf(details);
    for (const traceId of traces) put(this.traces, traceId, cell);
    this.call(cell, node, traces[0]);
    const { requestId, correlation } = details;
    if (typeof requestId !== 'string') return;
    const isAlone = traces.length === 0 && type === 'LLM_CALL' && correlation === 'pending';
    put(isAlone ? this.alone : this.requests, isAlone ? id : requestId, cell);
  }

  findings(): readonly SplitFinding[] {
    const found: Readonly<Record<SplitFinding['kind'], readonly SplitExample[]>> = {
      task: inSeveral(this.tasks),
      session: this.apartSessions(),
      trace: inSeveral(this.traces),
      thought: examplesOf(this.alone),
      request: inSeveral(this.requests),
      twin: this.twins(),
    };
    return SPLIT_KINDS.flatMap((kind) => {
      const { length: count } = found[kind];
      return count === 0 ? [] : [{ kind, count, examples: found[kind].slice(0, EXAMPLES) }];
    });
  }

  private call(cell: string, node: ExplanationNode, traceId: string | undefined): void {
    const { responseId, toolCallId } = node.details ?? {};
    const isModel = node.type === 'LLM_CALL';
    const id = isModel ? responseId : TOOL_TYPES.has(node.type) ? toolCallId : undefined;
    if (typeof id !== 'string') return;
    const key = `${isModel ? 'call' : 'tool'} ${id}`;
    const alike = this.calls.get(key);
    const told = { nodeId: node.id, cell, traceId, node };
    if (!alike) this.calls.set(key, [told]);
    else if (alike.length <= MAX_ALIKE) alike.push(told);
  }

  /** Sessions whose tasks are in different cells: what joins two tasks of a session is not seen. */
  private apartSessions(): readonly SplitExample[] {
    const seen: Seen = new Map();
    for (const [id, { tasks, cells }] of this.sessions) if (tasks.size > 1) seen.set(id, cells);
    return inSeveral(seen);
  }

  /** Calls that several cells tell of, each named by the first of its nodes. */
  private twins(): readonly SplitExample[] {
    const seen: Seen = new Map();
    for (const alike of this.calls.values()) {
      if (alike.length < 2 || alike.length > MAX_ALIKE) continue;
      for (const call of joined(alike))
        for (const { cell } of call)
          put(seen, call.map(({ nodeId }) => nodeId).sort(compareText)[0] ?? '', cell);
    }
    return inSeveral(seen);
  }
}

/** Those that are one call, each with the next. */
function joined(alike: readonly ToldCall[]): readonly (readonly ToldCall[])[] {
  const left = new Set(alike);
  const calls: ToldCall[][] = [];
  for (const first of left) {
    left.delete(first);
    const call = [first];
    for (const one of call)
      for (const other of left) {
        if (!isOneCall(one, other)) continue;
        left.delete(other);
        call.push(other);
      }
    calls.push(call);
  }
  return calls;
}

/** Would one process show them as one? As it decides by the id of a response, or of the use of a tool (CO22, CO28). */
function isOneCall(a: ToldCall, b: ToldCall): boolean {
  if (a.cell === b.cell) return false;
  const areSpans = a.traceId !== undefined && b.traceId !== undefined;
  if (areSpans && (a.traceId === b.traceId || a.node.type !== 'LLM_CALL')) return false;
  const [x, y] = [a.node, b.node];
  if (x.model !== undefined && y.model !== undefined && !isSameModel(x.model, y.model)) return false;
  if (differ(x.tokensIn, y.tokensIn) && differ(x.tokensOut, y.tokensOut)) return false;
  // Cells know which instrumentation tells of a call, and allow for rounded times; here calls have to overlap.
  const slack = areSpans ? 0 : LOG_SLACK_MS;
  const [ofX, ofY] = [timesOf(x), timesOf(y)];
  return ofX.start <= (ofY.end ?? Infinity) + slack && ofY.start <= (ofX.end ?? Infinity) + slack;
}

function differ(a: number | undefined, b: number | undefined): boolean {
  return a !== undefined && b !== undefined && a !== b;
}

/** The traces of the spans that a node stands for, its own first. */
function tracesOf({ traceId, traceIds }: Readonly<Record<string, unknown>>): readonly string[] {
  const all = [traceId, ...(Array.isArray(traceIds) ? (traceIds as unknown[]) : [])];
  return [...new Set(all.filter((id) => typeof id === 'string'))];
}

function inSeveral(seen: Seen): readonly SplitExample[] {
  return examplesOf(new Map([...seen].filter(([, cells]) => cells.size > 1)));
}

function examplesOf(seen: Seen): readonly SplitExample[] {
  return [...seen]
    .map(([id, cells]) => ({ id, cells: [...cells].sort(compareText) }))
    .sort((a, b) => compareText(a.id, b.id));
}

function put(seen: Seen, id: string, cell: string): void {
  const cells = seen.get(id);
  if (cells) cells.add(cell);
  else seen.set(id, new Set([cell]));
}
