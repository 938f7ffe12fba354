import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { RealService } from '../e2e/real-service.ts';

/** A span as tests of the page write it down. Times are milliseconds from the start of the task. */
export interface PlayedSpan {
  readonly name: string;
  readonly start: number;
  /** Absent: it still runs. */
  readonly end?: number | undefined;
  /** Index of the span around it. */
  readonly parent?: number;
  readonly agent?: string;
  readonly error?: string;
  readonly attributes?: Readonly<Record<string, string | number>>;
}

const EPOCH_MS = Date.parse('2026-03-01T10:00:00Z');

/** A run of two agents in which a tool fails. */
export const SHORT_RUN: readonly PlayedSpan[] = [
  { name: 'invoke_agent planner', start: 0, end: 4000, agent: 'planner' },
  {
    name: 'chat small',
    start: 100,
    end: 900,
    parent: 0,
    agent: 'planner',
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'gpt-4o',
      'gen_ai.usage.input_tokens': 120,
      'gen_ai.usage.output_tokens': 40,
      'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"Weather in Atlantis?"}]}]',
      'gen_ai.output.messages':
        '[{"role":"assistant","parts":[{"type":"text","content":"I ask the weather tool."}]}]',
    },
  },
  {
    name: 'execute_tool get_weather',
    start: 1000,
    end: 1500,
    parent: 0,
    agent: 'forecaster',
    error: 'no such city: Atlantis',
    attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'get_weather' },
  },
];

/** Sends the spans of a task as an exporter does, and waits until readers could have them. */
export async function playTask(
  service: RealService,
  taskId: string,
  spans: readonly PlayedSpan[] = SHORT_RUN,
): Promise<void> {
  await sendSpans(service.otlpHttp, taskId, spans);
  await service.flush();
}

/**
 * @param otlpHttp `http://host:port`
 * @param which indexes of those that are sent; all when absent
 */
export async function sendSpans(
  otlpHttp: string,
  taskId: string,
  spans: readonly PlayedSpan[],
  which?: readonly number[],
  token?: string,
): Promise<void> {
  const response = await fetch(`${otlpHttp}/v1/traces`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(requestOf(taskId, spans, which ?? [...spans.keys()])),
  });
  assert.equal(response.status, 200, await response.text());
}

/** The body of a request of OTLP/JSON. @param which indexes of those that are in it */
export function requestOf(
  taskId: string,
  spans: readonly PlayedSpan[],
  which: readonly number[],
): { readonly resourceSpans: readonly object[] } {
  const traceId = createHash('sha256').update(taskId).digest('hex').slice(0, 32);
  const idOf = (index: number): string => (index + 1).toString(16).padStart(16, '0');
  const chosen = which.flatMap((index) => {
    const span = spans[index];
    return span === undefined ? [] : [{ span, index }];
  });
  return {
    resourceSpans: [
      {
        resource: { attributes: attributesOf({ 'service.name': 'played' }) },
        scopeSpans: [
          {
            scope: { name: 'played' },
            spans: chosen.map(({ span, index }) => ({
              traceId,
              spanId: idOf(index),
              ...(span.parent !== undefined && { parentSpanId: idOf(span.parent) }),
              name: span.name,
              kind: 1,
              startTimeUnixNano: nanos(span.start),
              ...(span.end !== undefined && { endTimeUnixNano: nanos(span.end) }),
              status: span.error === undefined ? {} : { code: 2, message: span.error },
              attributes: attributesOf({
                'task.id': taskId,
                ...(span.agent !== undefined && { 'gen_ai.agent.name': span.agent }),
                ...span.attributes,
              }),
            })),
          },
        ],
      },
    ],
  };
}

function nanos(ms: number): string {
  return `${BigInt(EPOCH_MS + ms) * 1_000_000n}`;
}

function attributesOf(values: Readonly<Record<string, string | number>>): object[] {
  return Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }));
}
