import { isObject, type JsonObject } from '../../base/json.ts';
import { isHistoryLine, receivedIn } from '../../model/mew-history.ts';

/** What can be sent. */
export type Kind = 'traces' | 'logs' | 'metrics' | 'cot' | 'events' | 'ag-ui' | 'thoughtflow' | 'mew';

/** A request, or an entry of one, and how much is in it. */
export interface Message {
  readonly kind: Kind;
  readonly line: number;
  readonly text: string;
  readonly count: number;
  /** Of AG-UI: the run that begins here, to which what follows belongs. */
  readonly runId?: string;
}

/** How each kind is called in what is printed. */
export const KIND_NAMES: Readonly<Record<Kind, string>> = {
  traces: 'span',
  logs: 'log record',
  metrics: 'metric point',
  cot: 'thought',
  events: 'event',
  'ag-ui': 'AG-UI event',
  thoughtflow: 'ThoughtFlow session or line',
  mew: 'MEW message',
};

/** The list in each kind of OTLP request, and the lists inside it down to what is counted. */
const OTLP = [
  { kind: 'traces', path: ['resourceSpans', 'scopeSpans', 'spans'] },
  { kind: 'logs', path: ['resourceLogs', 'scopeLogs', 'logRecords'] },
  { kind: 'metrics', path: ['resourceMetrics', 'scopeMetrics', 'metrics'] },
] as const;

const METRIC_KINDS = ['gauge', 'sum', 'histogram', 'exponentialHistogram', 'summary'] as const;

/**
 * Tells by its content what a value is. The Collector's file exporter writes one kind a line; a value that holds
 * several becomes one message of each.
 * @returns what it is, or why it is nothing that can be sent
 */
export function classify(line: number, text: string): readonly Message[] | string {
  const value = parsed(text);
  if (value === undefined) return 'is not valid JSON';
  if (!isObject(value)) return 'is not a JSON object';
  const otlp = OTLP.filter(({ path }) => Array.isArray(value[path[0]]));
  if (otlp.length > 0) {
    return otlp.map(({ kind, path }) => ({
      kind,
      line,
      // As it stands in the file where it can be: numbers may have more digits than JavaScript keeps.
      text: otlp.length === 1 ? text : JSON.stringify({ [path[0]]: value[path[0]] }),
      count: countBelow(value, path, kind === 'metrics' ? pointsOf : () => 1),
    }));
  }
  const messages = mewIn(value);
  if (messages) return messages.map(() => ({ kind: 'mew', line, text, count: 1 }));
  if ('eventType' in value) return [{ kind: 'events', line, text, count: 1 }];
  if ('requestId' in value) return [{ kind: 'cot', line, text, count: 1 }];
  if (typeof value['type'] === 'string' && AG_UI_TYPE.test(value['type']))
    return [{ kind: 'ag-ui', line, text, count: 1, ...runOf(value) }];
  if (isFlow(value)) return [{ kind: 'thoughtflow', line, text, count: 1 }];
  return 'is none of what can be sent: an OTLP request has resourceSpans, resourceLogs or resourceMetrics, an event eventType, a thought requestId, an event of AG-UI a type such as RUN_STARTED, a session of ThoughtFlow conversations or runs, a line of its log a type such as step.started, a message of MEW a kind such as reasoning/start';
}

/** As kinds are written, with dots in earlier versions. */
const MEW_KIND = /^(?:reasoning|chat|mcp|capability|space|participant|stream|system)(?:[/.][a-z/.-]+)?$/;

/**
 * The message of MEW in a value. Of a gateway's log there is none in lines of what went out, nor in those with the tokens of
 * who joined, which are not sent on.
 * @returns undefined where it is nothing of MEW
 */
function mewIn(value: JsonObject): readonly JsonObject[] | undefined {
  const { kind } = value;
  const isMessage = typeof kind === 'string' && MEW_KIND.test(kind);
  if (!isMessage && !isHistoryLine(value)) return undefined;
  const received = receivedIn(value);
  return received ? [received.value] : [];
}

/** As all types of AG-UI are written. */
const AG_UI_TYPE = /^[A-Z]+(?:_[A-Z]+)*$/;

function runOf({ type, runId }: JsonObject): Pick<Message, 'runId'> {
  return type === 'RUN_STARTED' && typeof runId === 'string' ? { runId } : {};
}

/** A consolidated session of ThoughtFlow, or a line of its event log. */
function isFlow(value: JsonObject): boolean {
  if ('session_id' in value && (Array.isArray(value['conversations']) || Array.isArray(value['runs'])))
    return true;
  return typeof value['type'] === 'string' && FLOW_EVENT.test(value['type']);
}

const FLOW_EVENT = /^(?:session|conversation|run|step|activity)\.[a-z_]{1,32}$/;

function countBelow(value: unknown, path: readonly string[], leaf: (item: unknown) => number): number {
  const [key, ...rest] = path;
  if (key === undefined) return leaf(value);
  const list = isObject(value) ? value[key] : undefined;
  if (!Array.isArray(list)) return 0;
  return list.reduce<number>((sum, item) => sum + countBelow(item, rest, leaf), 0);
}

function pointsOf(metric: unknown): number {
  if (!isObject(metric)) return 0;
  return METRIC_KINDS.reduce((sum, kind) => sum + countBelow(metric[kind], ['dataPoints'], () => 1), 0);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
