import { randomUUID } from 'node:crypto';
import { context, trace, type Context, type Span } from '@opentelemetry/api';
import { LoggerProvider, type ReadableLogRecord } from '@opentelemetry/sdk-logs';
import { BasicTracerProvider, type ReadableSpan } from '@opentelemetry/sdk-trace-base';
import type { RecordedSpan } from '../recordings/recording-spans.ts';

/** LLM calls of one run; each has its thoughts and the tool that it asked for. */
const CALLS = 3;
/** A thought in pieces is logged in so many. */
const PIECES = 8;

export interface Thought {
  readonly requestId: string;
  readonly text: string;
}

/** What one run of an agent left: what was sent of it, and what must be seen of it. */
export interface AgentRun {
  readonly taskId: string;
  /** In the order in which they ended. */
  readonly spans: readonly ReadableSpan[];
  readonly logs: readonly ReadableLogRecord[];
  /** The same spans as ids. */
  readonly recorded: readonly RecordedSpan[];
  readonly thoughts: readonly Thought[];
  readonly eventId: string;
}

const ended: ReadableSpan[] = [];
const emitted: ReadableLogRecord[] = [];
const nothing = async (): Promise<void> => {};
const tracer = new BasicTracerProvider({
  spanProcessors: [
    {
      onStart() {},
      onEnd: (span) => void ended.push(span),
      forceFlush: nothing,
      shutdown: nothing,
    },
  ],
}).getTracer('coder-agent');
const logger = new LoggerProvider({
  processors: [{ onEmit: (log) => void emitted.push(log), forceFlush: nothing, shutdown: nothing }],
}).getLogger('coder-agent');

export interface AgentOptions {
  /** Thoughts in one piece have a `sequence`, too, by which they are known again in any request (IN30). */
  readonly isNumbered?: boolean;
}

/** Runs an agent: a root, LLM calls with a chain of thought in one piece or in many, tool calls, an event. */
export function runAgent(options: AgentOptions = {}): AgentRun {
  const taskId = `T-${randomUUID()}`;
  const root = tracer.startSpan('CoderAgent.run', {
    attributes: { component: 'CoderAgent', taskID: taskId },
  });
  const inRoot = trace.setSpan(context.active(), root);
  const calls = Array.from({ length: CALLS }, (_, index) => runCall(inRoot, taskId, index, options));
  const eventId = `event-${taskId}`;
  logger.emit({
    eventName: 'reflexion.TaskRetryInitiated',
    attributes: {
      component: 'ReflexionAdapter',
      eventID: eventId,
      taskId,
      spanId: root.spanContext().spanId,
    },
  });
  root.end();
  const thoughts = calls.map(({ thought }) => thought);
  const recorded = calls.flatMap(({ spans }) => spans);
  return {
    taskId,
    spans: ended.splice(0),
    logs: emitted.splice(0),
    recorded: [recordedOf(root), ...recorded],
    thoughts,
    eventId,
  };
}

function runCall(
  inRoot: Context,
  taskId: string,
  index: number,
  options: AgentOptions,
): { readonly thought: Thought; readonly spans: readonly RecordedSpan[] } {
  const requestId = `req-${randomUUID()}`;
  const call = tracer.startSpan(
    'ModelAdapter.call',
    {
      attributes: {
        component: 'ModelAdapter',
        taskID: taskId,
        requestId,
        'model.name': 'qwen-coder',
        'tokens.in': 100 + index,
        'tokens.out': 10,
      },
    },
    inRoot,
  );
  const inCall = trace.setSpan(inRoot, call);
  const text = think(requestId, taskId, index, inCall, options);
  const tool = tracer.startSpan('write_file', { attributes: { 'tool.name': 'write_file' } }, inCall);
  tool.end();
  call.end();
  const root = trace.getSpan(inRoot);
  return {
    thought: { requestId, text },
    spans: [recordedOf(call, root), recordedOf(tool, call)],
  };
}

/** Logs a chain of thought: every second one token by token. */
function think(
  requestId: string,
  taskId: string,
  index: number,
  inCall: Context,
  { isNumbered = false }: AgentOptions,
): string {
  const pieces = Array.from(
    { length: PIECES },
    (_, n) => `Step ${n} of thought ${index}: look at the file. `,
  );
  const common = { requestId, taskId };
  if (index % 2 === 0) {
    const attributes = { ...common, final: true, ...(isNumbered && { sequence: 0 }) };
    logger.emit({ body: pieces.join(''), attributes, context: inCall });
  } else {
    for (const [sequence, token] of pieces.entries()) {
      const attributes = { ...common, tokens: [token], sequence, final: sequence === PIECES - 1 };
      logger.emit({ eventName: 'cot', attributes, context: inCall });
    }
  }
  return pieces.join('');
}

function recordedOf(span: Span, parent?: Span): RecordedSpan {
  const { traceId, spanId } = span.spanContext();
  return { traceId, spanId, ...(parent && { parentSpanId: parent.spanContext().spanId }) };
}
